"""Proofs about which angles the bounds on one plane cover: their sign, full turns, and frequencies from 1/2 to 1.

Letters as in `plane_limit_proofs`; the angle is `2 x`.
"""

from __future__ import annotations

from typing import Any

from sympy import Rational, cos, pi, sin

from headproof.theory.derivation import Derivation, Derive, Entailment, Fact, Part, Use, at_least, equal, greater
from headproof.theory.expressivity.plane_binding_proofs import HALF, T, k, t, x
from headproof.theory.expressivity.plane_limit_proofs import f1, f2, match_at

TURNED_BACK = "full turns change no logit, and the other sign is a mirrored head"
SPANS = "a frequency from 1/2 to 1 spans half a turn from n = 9 on"


def turned_back() -> Entailment:
    """A logit at `2 x` and `2 pi k + 2 x`; at `2 pi k - 2 x` it is one with `f2` of the other sign."""

    def logit(angle: Any) -> Any:
        return f1 * cos(t * angle) - f2 * sin(t * angle)

    return Entailment(
        TURNED_BACK,
        {},
        (
            equal(logit(2 * pi * k + 2 * x), match_at(t)),
            equal(logit(2 * pi * k - 2 * x), match_at(t).subs(f2, -f2)),
        ),
        integers=(k, t),
    )


PROOF_OF_TURNED_BACK = Derivation(
    TURNED_BACK,
    tuple(
        Derive(name, fact, ())
        for name, fact in zip(("full turns", "sign"), turned_back().conclusions, strict=True)
        if isinstance(fact, Fact)
    ),
    "With every key and query vector mirrored, f and g are; and the bounds are for all of them.",
)


def spans(length: int = 9, least: Any = HALF, most: Any = 1) -> Entailment:
    """From `least <= 2 x <= most` and `n = T + 1 >= length` to `0 < 2 x < pi` and `(T - 1) 2 x >= pi`."""
    return Entailment(
        SPANS,
        {"least": at_least(2 * x, least), "most": at_least(most, 2 * x), "length": at_least(T + 1, length)},
        (greater(x), greater(pi, 2 * x), at_least((T - 1) * 2 * x, pi)),
        integers=(T,),
    )


PROOF_OF_SPANS = Derivation(
    SPANS,
    (
        Use("pi", "pi"),
        Derive("x > 0", greater(x), (Part(("least",), HALF), Part((), HALF / 2))),
        Derive("below half a turn", greater(pi, 2 * x), (Part(("most",)), Part(("pi.1",)), Part((), 2))),
        Derive(
            "reach",
            at_least((T - 1) * 2 * x, pi),
            (Part(("length", "x > 0"), 2), Part(("least",), 7), Part(("pi.2",)), Part((), Rational(5, 14))),
            "7 / 2 > 22 / 7 > pi",
        ),
    ),
)
