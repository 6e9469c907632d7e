"""Proofs about heads over a set of angles on Index and partial induction (dec.toy), as derivations about one plane and
two key places.

A logit is a sum over planes; for two tokens, in a plane of the angle theta, its part is `A cos(theta d) + B sin(theta
d)` at the distance d from the query, with A and B of the two tokens. Each entailment takes the constants that mutants
change.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi, sin

from headproof.theory.derivation import (
    Derivation,
    Derive,
    Entailment,
    NotMultiple,
    Part,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_index_proofs import WHOLE_TURN, aliasing, full_turn, m, n, r, t, theta

phi, A, B, j, k = sympy.symbols("phi A B j k", real=True)

EXCHANGED = "in a plane whose angle aliases at t, any symbol has the same part of its logit at places t apart"


def exchanged(last: int = 2, turn: Any = 2 * pi, symbols: int = 2, other: Any = theta) -> Entailment:
    """The query is at n, so the places k and k + t are n - k and n - k - t before it; there is a key at k + t, and a
    second symbol to exchange. `other` is the angle of the plane that is spoken of."""
    near, far = other * (n - k - t), other * (n - k)
    return Entailment(
        EXCHANGED,
        {
            **aliasing(last, turn, symbols),
            "k": at_least(k, 1),
            "t, end": at_least(n + 1 - last, k + t),
        },
        (
            equal(A * cos(far) + B * sin(far), A * cos(near) + B * sin(near)),
            at_least(n - 1, k + t),
            at_least(m, 2),
        ),
        integers=(n, m, t, r, k),
    )


_near = theta * (n - k - t)
PROOF_OF_EXCHANGED = Derivation(
    EXCHANGED,
    (
        *WHOLE_TURN,
        Derive(
            "the same part",
            exchanged().conclusions[0],
            (
                Part(("turn",), A * cos(_near) + B * sin(_near)),
                Part(("sine",), A * sin(_near) - B * cos(_near)),
            ),
            "cosine and sine of a sum of two angles",
        ),
        Derive("a key", at_least(n - 1, k + t), (Part(("t, end",)),)),
    ),
    "Summed over planes, with the query's own key left alone: two inputs that differ in this exchange have the same "
    "weights on the same values, whatever VAL and F, hard attention or softmax; the answers for the target k + t "
    "differ.",
)

# -- partial induction ---------------------------------------------------------------------------------------------

EXCHANGED_PAIRS = (
    "in a plane whose angle aliases at t, any pair has the same part of its logit at the last place and t places before"
)


def exchanged_pairs(last: int = 2, turn: Any = 2 * pi, attributes: int = 2, other: Any = theta) -> Entailment:
    """The places are one step and 1 + t before the query; there is a key at the latter, and a second attribute (m of
    them) to exchange. `other` as in `exchanged`."""
    near, far = other, other * (1 + t)
    return Entailment(
        EXCHANGED_PAIRS,
        aliasing(last, turn, attributes),
        (
            equal(A * cos(far) + B * sin(far), A * cos(near) + B * sin(near)),
            at_least(n - (1 + t), 1),
            at_least(m, 2),
        ),
        integers=(n, m, t, r),
    )


PROOF_OF_EXCHANGED_PAIRS = Derivation(
    EXCHANGED_PAIRS,
    (
        *WHOLE_TURN,
        Derive(
            "the same part",
            exchanged_pairs().conclusions[0],
            (
                Part(("turn",), A * cos(theta) + B * sin(theta)),
                Part(("sine",), A * sin(theta) - B * cos(theta)),
            ),
        ),
        Derive("a key", at_least(n - (1 + t), 1), (Part(("t, end",)),)),
    ),
    "As for Index; the answers for a query whose symbol stands at both places, with two attributes, differ.",
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
        aliasing(last, turn, symbols),
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
