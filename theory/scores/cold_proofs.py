"""Proofs about a head's score at a low temperature, as derivations about one swap after another.

Weights count from the largest, which is 1, and `b` is 1 / tau. `V` is the weight of the other swaps, `n` their number,
`T` their sum of weight times score less that of the swap that weighs most, `D` the head's score less that one. For a
peak, `A` is the weight of the swaps with the block of the largest mean `top`, `V` that of the swaps without it.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import exp

from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Hypothesis,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import parts

# -- cold averages -------------------------------------------------------------------------------------------------

b, gap, V, D, n, E, r, T, w, x, y, A = sympy.symbols("b gap V D n E r T w x y A", real=True)
top, second, third, least, one, other = sympy.symbols("top second third least one other", real=True)
LIGHT = "a swap whose difference lies a gap below the largest weighs at most e^(-gap / tau)"
OTHERS = "one more such swap"
OFF = "and takes the score no further than its weight"
COLD = "so the score is near that of one swap"
WEIGHT_OF_SWAP = Entailment(
    LIGHT, {"b >= 0": at_least(b), "gap": at_least(y, gap)}, (at_least(exp(-b * gap), exp(-b * y)),)
)
PROOF_OF_LIGHT = Derivation(
    LIGHT,
    (
        Derive("exponents", at_least(-b * gap, -b * y), parts({("b >= 0", "gap"): 1})),
        Use("weights", "monotone", (-b * gap, -b * y), ("exponents",)),
    ),
)
OTHER_SWAPS = Entailment(
    OTHERS, {"so far": at_least(n * E, V), "light": at_least(E, w)}, (at_least((n + 1) * E, V + w),)
)
PROOF_OF_OTHERS = Derivation(OTHERS, (Derive("further", OTHER_SWAPS.conclusions[0], parts({"so far": 1, "light": 1})),))
_bounded: dict[str, Hypothesis] = {
    "w >= 0": at_least(w),
    "x >= 0": at_least(x),
    "x <= 1": at_least(1, x),
    "r >= 0": at_least(r),
    "r <= 1": at_least(1, r),
    "up": at_least(V, T),
    "down": at_least(T, -V),
}
OFF_BY = Entailment(OFF, _bounded, (at_least(V + w, T + w * (x - r)), at_least(T + w * (x - r), -V - w)))
PROOF_OF_OFF = Derivation(
    OFF,
    (
        Derive("above", OFF_BY.conclusions[0], parts({"up": 1, ("w >= 0", "x <= 1"): 1, ("w >= 0", "r >= 0"): 1})),
        Derive("below", OFF_BY.conclusions[1], parts({"down": 1, ("w >= 0", "x >= 0"): 1, ("w >= 0", "r <= 1"): 1})),
    ),
)


def cold(others: Any = n, weight: Any = E) -> Entailment:
    """`|D| (1 + n E) <= n E`, with `D (1 + V) = T`, for n other swaps."""
    known: dict[str, Hypothesis] = {
        "n >= 1": at_least(n, 1),
        "E": equal(E, exp(-b * gap)),
        "V >= 0": at_least(V),
        "light": at_least(n * E, V),
        "up": at_least(V, T),
        "down": at_least(T, -V),
        "score": equal(D * (1 + V), T),
    }
    bound = others * weight
    return Entailment(COLD, known, (at_least(bound, D * (1 + bound)), at_least(bound, -D * (1 + bound))))


def _cold(sign: int, side: str) -> tuple[DerivationStep, ...]:
    bound = n * E
    # (n E - D (1 + n E)) (1 + V) = (n E - V) + (V - T) (1 + n E) where D (1 + V) = T
    return (
        Derive(
            f"{side}, times",
            at_least((bound - sign * D * (1 + bound)) * (1 + V)),
            parts({"light": 1, (side, "sum"): 1, "score": -sign * (1 + bound)}),
        ),
        Use(f"{side} bound", "quotient", (bound - sign * D * (1 + bound),), (f"{side}, times", "1 + V > 0")),
    )


PROOF_OF_COLD = Derivation(
    COLD,
    (
        Derive("1 + V > 0", greater(1 + V), parts({"V >= 0": 1, (): 1})),
        Derive("sum", at_least(1 + n * E), parts({"light": 1, "V >= 0": 1, (): 1})),
        *_cold(1, "up"),
        *_cold(-1, "down"),
    ),
)

# -- a peak --------------------------------------------------------------------------------------------------------

BELOW = "swaps without the largest mean differ less, by its lead over the second"
SHARE = "so they have little weight together"


def below(lead: Any = top - second) -> Entailment:
    """`|d_one - d_other| <= (top - least) - lead` for two blocks other than the one with the largest mean."""
    known: dict[str, Hypothesis] = {
        "one <= second": at_least(second, one),
        "one >= least": at_least(one, least),
        "other <= second": at_least(second, other),
        "other >= least": at_least(other, least),
    }
    largest = top - least - lead
    return Entailment(BELOW, known, (at_least(largest, one - other), at_least(largest, other - one)))


PROOF_OF_BELOW = Derivation(
    BELOW,
    (
        Derive("down", at_least(second - least, one - other), parts({"one <= second": 1, "other >= least": 1})),
        Derive("up", at_least(second - least, other - one), parts({"other <= second": 1, "one >= least": 1})),
    ),
)


def share(others: Any = n, weight: Any = E) -> Entailment:
    """`V / (A + V) <= n E / (1 + n E)`."""
    known: dict[str, Hypothesis] = {
        "n >= 1": at_least(n, 1),
        "E": equal(E, exp(-b * gap)),
        "A >= 1": at_least(A, 1),
        "V >= 0": at_least(V),
        "light": at_least(n * E, V),
    }
    bound = others * weight
    return Entailment(SHARE, known, (at_least(bound * (A + V), V * (1 + bound)),))


PROOF_OF_SHARE = Derivation(
    SHARE,
    (
        Use("exp > 0", "exponential", (-b * gap,)),
        Derive("n > 0", greater(n), parts({"n >= 1": 1, (): 1})),
        Derive("bound > 0", greater(n * E), parts({("n > 0", "exp > 0"): 1, "E": n})),
        Derive(
            "share",
            at_least(n * E * (A + V), V * (1 + n * E)),
            parts({"light": 1, ("bound > 0", "A >= 1"): 1}),
        ),
    ),
)
