"""Proofs about heads over a set of angles on Index (dec.toy), as derivations about one plane and two key places.

A logit is a sum over planes; for two tokens, in a plane of the angle theta, its part is `A cos(theta d) + B sin(theta
d)` at the distance d from the query, with A and B of the two tokens. Each entailment takes the constants that mutants
change.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi, sin

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    NotMultiple,
    Part,
    Suppose,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_index_proofs import full_turn

theta, phi, A, B = sympy.symbols("theta phi A B", real=True)
n, m, t, r, j, k = sympy.symbols("n m t r j k", real=True)

EXCHANGED = "in a plane whose angle aliases at t, any symbol has the same part of its logit at the places 1 and 1 + t"


def exchanged(last: int = 2, turn: Any = 2 * pi, symbols: int = 2, other: Any = theta) -> Entailment:
    """The query is at n, so the places 1 and 1 + t are n - 1 and n - 1 - t before it; there is a key at 1 + t, and a
    second symbol to exchange. `other` is the angle of the plane that is spoken of."""
    near, far = other * (n - 1 - t), other * (n - 1)
    return Entailment(
        EXCHANGED,
        {
            "t": at_least(t, 1),
            "t, end": at_least(n - last, t),
            "alias": equal(theta * t, turn * r),
            "symbols": at_least(m, symbols),
        },
        (
            equal(A * cos(far) + B * sin(far), A * cos(near) + B * sin(near)),
            at_least(n - 1, 1 + t),
            at_least(m, 2),
        ),
        integers=(n, m, t, r),
    )


_sine: tuple[DerivationStep, ...] = (
    *full_turn(theta * t, 2 * pi * r),
    Suppose(
        "sine not above",
        greater(sin(theta * t)),
        (Derive("nothing", FALSE, (Part(("sine not above", "sine not above")), Part(("turn",), 1 + cos(theta * t)))),),
    ),
    Suppose(
        "sine not below",
        greater(-sin(theta * t)),
        (Derive("nothing", FALSE, (Part(("sine not below", "sine not below")), Part(("turn",), 1 + cos(theta * t)))),),
    ),
    Use("sine", "equality", (), ("sine not above", "sine not below")),
)
_near = theta * (n - 1 - t)
PROOF_OF_EXCHANGED = Derivation(
    EXCHANGED,
    (
        *_sine,
        Derive(
            "the same part",
            exchanged().conclusions[0],
            (
                Part(("turn",), A * cos(_near) + B * sin(_near)),
                Part(("sine",), A * sin(_near) - B * cos(_near)),
            ),
            "cosine and sine of a sum of two angles",
        ),
        Derive("a key", at_least(n - 1, 1 + t), (Part(("t, end",)),)),
    ),
    "Summed over planes, with the query's own key left alone: two inputs that differ in this exchange have the same "
    "weights on the same values, whatever VAL and F, hard attention or softmax; the answers for the target 1 + t "
    "differ.",
)

# -- equal keys ----------------------------------------------------------------------------------------------------

APART = "a place that does not alias with the target has a smaller cosine in some plane"
NOT_ABOVE = "in no plane is a cosine above the target's"
TIE = "a place that aliases with the target has the target's cosine in every plane"


def apart(turn: Any = 1) -> Entailment:
    """The target's cosine, 1, is above that at another place, where `turn (j - k) theta` is off full turns."""
    return Entailment(
        APART,
        {"no alias": NotMultiple(turn * theta * (j - k))},
        (greater(1, cos(theta * (j - k))),),
        integers=(j, k),
    )


def not_above() -> Entailment:
    """The target's cosine is 1, the largest that there is."""
    return Entailment(NOT_ABOVE, {}, (at_least(1, cos(phi * (j - k))),), integers=(j, k))


def tie(last: int = 2, turn: Any = 2 * pi, symbols: int = 2, other: Any = theta) -> Entailment:
    """The key t places after the first target is there, has its cosine, and there is another symbol to hold; `other`
    as in `exchanged`."""
    return Entailment(
        TIE,
        {
            "t": at_least(t, 1),
            "t, end": at_least(n - last, t),
            "alias": equal(theta * t, turn * r),
            "symbols": at_least(m, symbols),
        },
        (equal(cos(other * (1 - (1 + t))), 1), at_least(n - 1, 1 + t), at_least(m, 2)),
        integers=(n, m, t, r),
    )


PROOF_OF_APART = Derivation(APART, (Use("below one", "cosine off turns", (theta * (j - k),), ("no alias",)),))
PROOF_OF_NOT_ABOVE = Derivation(NOT_ABOVE, (Use("bound", "cosine", (phi * (j - k),)),))
PROOF_OF_TIE = Derivation(
    TIE,
    (
        *full_turn(theta * t, 2 * pi * r),
        Derive("tie", equal(cos(theta * (1 - (1 + t))), 1), (Part(("turn",)),)),
        Derive("a key", at_least(n - 1, 1 + t), (Part(("t, end",)),)),
    ),
    "With another symbol at every place but the target's, that symbol has as many attended keys at least.",
)
