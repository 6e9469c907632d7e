"""Proofs about low frequencies on Index (DEC, the toys): they work, with a lead of the order of their square."""

from __future__ import annotations

from typing import Any

from sympy import cos, exp

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    Derive,
    Entailment,
    Part,
    Suppose,
    Universal,
    Use,
    at_least,
    greater,
)
from headproof.theory.expressivity.plane_index_proofs import HALF, c, j, m, n, theta

SMALL_LEAD = "the lead over the next key is at most c theta^2 / 2"
SOFT = "under softmax a target between two others needs e^(c theta^2 / 2) above 2"


def small_lead(constant: Any = HALF) -> Entailment:
    """The lead of target 1 over key 2, which is there from n = 3 on."""
    return Entailment(
        SMALL_LEAD,
        {"weight": greater(c)},
        (at_least(c * constant * theta**2, c - c * cos(theta * (1 - 2))),),
    )


PROOF_OF_SMALL_LEAD = Derivation(
    SMALL_LEAD,
    (
        Use("parabola", "parabola", (theta,), ()),
        Derive("lead", at_least(c * theta**2 / 2, c - c * cos(theta * (1 - 2))), (Part(("weight", "parabola")),)),
    ),
)


def soft(length: int = 4, constant: Any = HALF, least: Any = 2, symbols: int = 2) -> Entailment:
    """If at each target with a neighbour on both sides the two weigh less than it, then `c theta^2` is large."""
    return Entailment(
        SOFT,
        {
            "length": at_least(n, length),
            "symbols": at_least(m, symbols),
            "wins": Universal(
                (j,),
                (at_least(j, 2), at_least(n - 2, j), at_least(m, 2)),
                greater(exp(c), exp(c * cos(theta)) + exp(c * cos(-theta))),
            ),
        },
        (greater(exp(c * constant * theta**2), least),),
        integers=(n, m, j),
    )


PROOF_OF_SOFT = Derivation(
    SOFT,
    (
        Derive("two", at_least(2, 2), ()),
        Derive("two, end", at_least(n - 2, 2), (Part(("length",)),)),
        Use("at 2", "instance", (2,), ("wins", "two", "two, end", "symbols")),
        Use("cosine", "cosine", (theta,), ()),
        Suppose(
            "weight",
            at_least(-c),
            (
                Derive("no lead", at_least(c * cos(theta), c), (Part(("weight", "cosine.1")),)),
                Use("not less", "monotone", (c * cos(theta), c), ("no lead",)),
                Use("positive", "exponential", (c,), ()),
                Derive("too much", FALSE, (Part(("at 2",)), Part(("not less",), 2), Part(("positive",)))),
            ),
        ),
        Use("least", "exponential", (-c * cos(theta),), ()),
        Derive("ratio", greater(exp(c - c * cos(theta)), 2), (Part(("at 2", "least")),)),
        Use("parabola", "parabola", (theta,), ()),
        Derive("lead", at_least(c * theta**2 / 2, c - c * cos(theta)), (Part(("weight", "parabola")),)),
        Use("more", "monotone", (c * theta**2 / 2, c - c * cos(theta)), ("lead",)),
        Derive("enough", greater(exp(c * theta**2 / 2), 2), (Part(("more",)), Part(("ratio",)))),
    ),
)
