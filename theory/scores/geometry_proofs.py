"""Proofs about points of the quarter circle, as derivations about one pair of points, `(x, y)` and `(u, v)`."""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Hypothesis,
    Part,
    Split,
    Use,
    at_least,
    equal,
)
from headproof.theory.proof import Rewrite
from headproof.theory.scores.swap_proofs import parts
from headproof.theory.sums import Term, lj, lk, m, mean_of
from headproof.theory.sums import cj as other_j
from headproof.theory.sums import ck as other_k

x, y, u, v, T = sympy.symbols("x y u v T", real=True)

# -- two points ----------------------------------------------------------------------------------------------------

BY_PAIRS = Rewrite(
    "the covariance is a sum over pairs of heads",
    (Term(1 / m, "keys", (lj - mean_of[lj]) * (other_j - mean_of[other_j])),),
    (Term(1 / (2 * m**2), "unequal pairs", (lj - lk) * (other_j - other_k)),),
    "Expand the products around the means; lambda and c stand for the two scores of a head.",
)
PAIR = "of two points one is further right, the other further up"
SAME = "unless they agree"
ADDED = "a sum of such products"
CIRCLE: dict[str, Hypothesis] = {"one": equal(x**2 + y**2, 1), "other": equal(u**2 + v**2, 1)}
QUARTER: dict[str, Hypothesis] = {"x": at_least(x), "y": at_least(y), "u": at_least(u), "v": at_least(v)}
FLAT: dict[str, Hypothesis] = {"product": equal((x - u) * (y - v))}


def pair(known: dict[str, Hypothesis], most: Any = 0) -> Entailment:
    """`(x - u) (y - v) <= 0`."""
    return Entailment(PAIR, known, (at_least(most, (x - u) * (y - v)),))


def same(known: dict[str, Hypothesis], further: dict[str, Hypothesis] = FLAT) -> Entailment:
    """If that product is 0, the points agree."""
    return Entailment(SAME, known | further, (equal(x, u), equal(y, v)))


_no_negative = Derive("no", FALSE, parts({"side": 1, "x": 1, "u": 1}))
PROOF_OF_PAIR = Derivation(
    PAIR,
    (
        Split(
            "side",
            x + u,
            at_least(-(x - u) * (y - v)),
            positive=(
                Derive(
                    "times",
                    at_least(-(x - u) * (y - v) * (x + u)),
                    (
                        Part(("y",), 1, (y - v,)),
                        Part(("v",), 1, (y - v,)),
                        Part(("one",), -(y - v)),
                        Part(("other",), y - v),
                    ),
                    "(x - u) (x + u) = -(y - v) (y + v) on the circle",
                ),
                Use("pair", "quotient", (-(x - u) * (y - v),), ("times", "side")),
            ),
            zero=(
                Derive("right", at_least(x - u), parts({"x": 2, "side": -1})),
                Derive("left", at_least(u - x), parts({"u": 2, "side": -1})),
                Use("level", "equality", (), ("right", "left")),
                Derive("pair", at_least(-(x - u) * (y - v)), parts({"level": v - y})),
            ),
            negative=(_no_negative,),
        ),
    ),
)


def _agree(one: Any, other: Any, name: str, letters: tuple[str, str], across: Any) -> tuple[DerivationStep, ...]:
    """`one = other` from `(one - other)^2 (one + other) = 0`, since one + other is above the difference's size."""
    away, cube = one - other, f"{name}, cube"

    def none(larger: str) -> Derive:
        case = f"{name} agree"
        return Derive(
            f"{name}, none", FALSE, parts({(case,) * 3: 1, (case, case, larger): 2, cube: -1}), "both are 0 or above"
        )

    return (
        Derive(cube, equal(away**2 * (one + other)), parts({"product": -across, "one": away, "other": -away})),
        Split(
            f"{name} agree",
            away,
            equal(away),
            positive=(none(letters[1]),),
            zero=(),
            negative=(none(letters[0]),),
        ),
    )


PROOF_OF_SAME = Derivation(
    SAME,
    (*_agree(x, u, "x", ("x", "u"), y + v), *_agree(y, v, "y", ("y", "v"), x + u)),
    "Times the difference, the circle's equations give (x - u)^2 (x + u) = -(x - u) (y - v) (y + v) = 0.",
)
SUM_OF_PAIRS = Entailment(ADDED, {"so far": at_least(-T), "pair": at_least(-x)}, (at_least(-T - x),))
PROOF_OF_SUM_OF_PAIRS = Derivation(ADDED, (Derive("further", at_least(-T - x), parts({"so far": 1, "pair": 1})),))
VANISHES = "vanishes with each of them"
SUM_VANISHES = Entailment(
    VANISHES, {"so far": at_least(-T), "pair": at_least(-x), "sum": equal(T + x)}, (equal(T), equal(x))
)
PROOF_OF_VANISHING = Derivation(
    VANISHES,
    (
        Derive("T from 0", at_least(T), parts({"pair": 1, "sum": 1})),
        Use("T", "equality", (), ("T from 0", "so far")),
        Derive("x", equal(x), parts({"sum": 1, "T": -1})),
    ),
)
