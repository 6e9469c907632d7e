"""Proofs about averages over swaps, as derivations about one swap after another.

`T` is a sum of weight times score over some swaps and `a` their weight; `w` is the weight of one swap more.
"""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Hypothesis,
    Part,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import (
    OUTSIDE,
    POSITIVE_MEANS,
    SIZES,
    d_i,
    d_j,
    e_i,
    e_j,
    entailment,
    parts,
    positive_score,
    s,
    t,
)


def score_at_most_one(letter: Any) -> tuple[DerivationStep, ...]:
    """A cosine is at most 1 (Cauchy and Schwarz); needs POSITIVE_MEANS and the score to be positive."""
    name = str(letter)
    across = e_j * d_i - e_i * d_j if letter == s else e_j * d_j - e_i * d_i
    return (
        Derive(f"1 - {name}^2, times", at_least((1 - letter**2) * SIZES), (Part((name,), -1), Part((), 1, (across,)))),
        Use(f"1 - {name}^2", "quotient", (1 - letter**2,), (f"1 - {name}^2, times", "sizes > 0")),
        Derive(f"1 - {name}^2, factors", at_least((1 - letter) * (1 + letter)), parts({f"1 - {name}^2": 1})),
        Derive(f"1 + {name}", greater(1 + letter), parts({f"{name} > 0": 1, (): 1})),
        Use(f"{name} <= 1", "quotient", (1 - letter,), (f"1 - {name}^2, factors", f"1 + {name}")),
    )


SUM_ABOVE = "the two scores of a swap add up to more than 1"


def sum_above(above: Any = 1) -> Entailment:
    """`s_pos + s_sym > 1`."""
    return entailment(SUM_ABOVE, (greater(s + t, above),))


PROOF_OF_SUM = Derivation(
    SUM_ABOVE,
    (
        *POSITIVE_MEANS,
        *OUTSIDE,
        *positive_score(s),
        *positive_score(t),
        *score_at_most_one(s),
        *score_at_most_one(t),
        Derive(
            "sum",
            greater(s + t, 1),
            parts({"outside": 1, ("s_pos > 0", "s_pos <= 1"): 1, ("s_sym > 0", "s_sym <= 1"): 1}),
            "x >= x^2 for x between 0 and 1",
        ),
    ),
)

AT_MOST_ONE = "no score exceeds 1"
NO_MORE = entailment(AT_MOST_ONE, (at_least(1, s), at_least(1, t)))
PROOF_OF_NO_MORE = Derivation(
    AT_MOST_ONE,
    (
        *POSITIVE_MEANS,
        *positive_score(s),
        *positive_score(t),
        *score_at_most_one(s),
        *score_at_most_one(t),
    ),
)

# -- averages ------------------------------------------------------------------------------------------------------

T, a, w, x, y = sympy.symbols("T a w x y", real=True)
ONE_MORE = "the average over one swap more"
AVERAGE = "some weight is positive"


def one_more(weighed: bool = True) -> Entailment:
    """Sums that are at least the weight so far stay so, where weights are not negative."""
    known: dict[str, Hypothesis] = {"so far": at_least(T, a), "sum": greater(x, 1)}
    if weighed:
        known["weight"] = at_least(w)
    return Entailment(ONE_MORE, known, (at_least(T + w * x, a + w),))


PROOF_OF_ONE_MORE = Derivation(
    ONE_MORE, (Derive("further", at_least(T + w * x, a + w), parts({"so far": 1, ("weight", "sum"): 1})),)
)


def average_above(above: Any = 1, normal: bool = True) -> Entailment:
    """The swap of positive weight added last makes the inequality strict; weights add up to 1 if `normal`."""
    known: dict[str, Hypothesis] = {"others": at_least(T, a), "weight": greater(w), "sum": greater(x, 1)}
    if normal:
        known["all"] = equal(a + w, 1)
    return Entailment(AVERAGE, known, (greater(T + w * x, above),))


PROOF_OF_AVERAGE = Derivation(
    AVERAGE, (Derive("above", greater(T + w * x, 1), parts({"others": 1, ("weight", "sum"): 1, "all": 1})),)
)

ADDED = "scores of at most 1 average to at most 1"
ONLY = "an average of 1 needs each score to be 1"
ALL = "scores of 1 average to 1"
_step: dict[str, Hypothesis] = {"so far": at_least(a, T), "weight": at_least(w), "score": at_least(1, x)}
AT_MOST = Entailment(ADDED, _step, (at_least(a + w, T + w * x),))
PROOF_OF_AT_MOST = Derivation(
    ADDED, (Derive("further", at_least(a + w, T + w * x), parts({"so far": 1, ("weight", "score"): 1})),)
)


def only(positive: bool = True, normal: bool = True, one: Any = x) -> Entailment:
    """One swap, and all others together."""
    known: dict[str, Hypothesis] = {
        "others": at_least(a, T),
        "weight": greater(w) if positive else at_least(w),
        "score": at_least(1, x),
        "average": equal(T + w * x, 1),
    }
    if normal:
        known["all"] = equal(a + w, 1)
    return Entailment(ONLY, known, (equal(one, 1),))


PROOF_OF_ONLY = Derivation(
    ONLY,
    (
        Derive("back, times", at_least((x - 1) * w), parts({"others": 1, "average": 1, "all": -1})),
        Use("back", "quotient", (x - 1,), ("back, times", "weight")),
        Derive("forth", at_least(1 - x), parts({"score": 1})),
        Use("one", "equality", (), ("back", "forth")),
    ),
)
ALL_ONE = Entailment(ALL, {"so far": equal(T, a), "score": equal(x, 1)}, (equal(T + w * x, a + w),))
PROOF_OF_ALL_ONE = Derivation(ALL, (Derive("further", equal(T + w * x, a + w), parts({"so far": 1, "score": w})),))
