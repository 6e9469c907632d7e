"""Proofs about the gaps of the Index construction, as derivations about one query and one key.

`g` is a gap, `i` the place of the query's target (0 for a letter), `h` half the length rounded down. Mutants put
other expressions in place of what is an argument here.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Part,
    Split,
    Universal,
    Use,
    at_least,
    greater,
)

theta, g, w, x = sympy.symbols("theta g w x", real=True)
n, h, i, k, t, u, v = sympy.symbols("n h i k t u v", real=True)
INTEGERS = (n, h, i, t, u, v)
_half = sympy.Rational(1, 2)


def parts(terms: dict[Any, Any]) -> tuple[Part, ...]:
    """The parts of a sum, from fact names (one, or several multiplied; none for the number 1) to factors."""
    return tuple(Part((names,) if isinstance(names, str) else names, times) for names, times in terms.items())


def sine(
    name: str, argument: Any, low: dict[Any, Any], high: dict[Any, Any], strict: bool = False
) -> tuple[DerivationStep, ...]:
    """`sin argument >= 0`, from sums that show the argument between 0 and pi; `> 0` if strictly between."""
    relation = greater if strict else at_least
    return (
        Derive(f"{name} from 0", relation(argument), parts(low)),
        Derive(f"{name} to pi", relation(pi, argument), parts(high)),
        Use(name, "sine", (argument,), (f"{name} from 0", f"{name} to pi")),
    )


# -- exact values --------------------------------------------------------------------------------------------------

QUERY = {"i >= 0": at_least(i), "i < n": at_least(n - 1, i)}
HALF = {"half": at_least(n, 2 * h)}
SIDES = {
    "left": Universal((v,), (at_least(v, 1), at_least(i, v)), at_least(1 - cos(v * theta), g)),
    "right": Universal((v,), (at_least(v, 1), at_least(n - 1 - i, v)), at_least(1 - cos(v * theta), g)),
}
NO_BETTER = "no query has a larger gap"


def no_better(reach: Any) -> Entailment:
    """If every other key lags by `g` at least, then `g <= 1 - cos(u theta)` for all u within reach."""
    return Entailment(
        NO_BETTER,
        {**QUERY, **HALF, **SIDES, "u >= 1": at_least(u, 1), "reach": at_least(reach, u)},
        (at_least(1 - cos(u * theta), g),),
        integers=INTEGERS,
    )


def in_range(name: str, distance: Any, at_least_one: str, reach: str) -> Split:
    """Of the keys at this distance from the target, one at least is in the window."""
    step = f"{name}, side"
    left = (Use(f"{name}, there", "instance", (distance,), ("left", at_least_one, f"{name}, in window")),)
    return Split(
        step,
        i - distance,
        at_least(1 - cos(distance * theta), g),
        positive=(Derive(f"{name}, in window", at_least(i, distance), parts({step: 1})), *left),
        zero=(Derive(f"{name}, in window", at_least(i, distance), parts({step: 1})), *left),
        negative=(
            Use(f"{name}, less", "integer", (), (step,)),
            Derive(
                f"{name}, in window",
                at_least(n - 1 - i, distance),
                parts({"half": 1, reach: 2, f"{name}, less": 1}),
                "n - 1 - i >= n - u >= u",
            ),
            Use(f"{name}, there", "instance", (distance,), ("right", at_least_one, f"{name}, in window")),
        ),
    )


PROOF_OF_NO_BETTER = Derivation(
    NO_BETTER,
    (in_range("u", u, "u >= 1", "reach"),),
    "Of u and -u one at least stays in a window of n keys, since 2 u <= n.",
)

AS_GOOD = "the query of the middle has that gap"
_KEY = {"t >= 0": at_least(t), "t < n": at_least(n - 1, t)}


def as_good(reach: Any) -> Entailment:
    """Every other key lags behind the target of the query `i = h` by the least `1 - cos(v theta)` within reach."""
    return Entailment(
        AS_GOOD,
        {
            **_KEY,
            "half, up": at_least(2 * h + 1, n),
            "least": Universal((v,), (at_least(v, 1), at_least(reach, v)), at_least(1 - cos(v * theta), g)),
            "another": at_least((t - h) ** 2, 1),
        },
        (at_least(1 - cos((t - h) * theta), g),),
        integers=INTEGERS,
    )


def _either_side(target: Any, reach: Any, after: dict[Any, Any], before: dict[Any, Any]) -> Split:
    """A key other than the target, at `t`: its distance is within reach on either side."""

    def at(distance: Any, within: dict[Any, Any]) -> tuple[DerivationStep, ...]:
        return (
            Use("one", "integer", (), ("side",)),
            Derive("distance >= 1", at_least(distance, 1), parts({"one": 1})),
            Derive("distance in reach", at_least(reach, distance), parts(within)),
            Use("there", "instance", (distance,), ("least", "distance >= 1", "distance in reach")),
        )

    return Split(
        "side",
        t - target,
        at_least(1 - cos((t - target) * theta), g),
        positive=at(t - target, after),
        zero=(Derive("none", FALSE, (Part(("another",)), Part(("side",), target - t), Part())),),
        negative=at(target - t, before),
    )


PROOF_OF_AS_GOOD = Derivation(
    AS_GOOD,
    (_either_side(h, h, {"half, up": 1, "t < n": 1}, {"t >= 0": 1}),),
    "The keys of this query lie at the distances up to h on one side, and no further on the other.",
)

TOP = "no key beats the target"
NONE_BEATS = Entailment(TOP, {}, (at_least(1, cos(x * theta)),))
PROOF_OF_TOP = Derivation(TOP, (Use("top", "cosine", (x * theta,)),), "The target's logit is cos 0 = 1.")

EACH_LAGS = "in every input the other keys lag by that much"


def each_lags(reach: Any) -> Entailment:
    """The key `t`, not the target `i`, lags by the least `1 - cos(v theta)` within reach."""
    return Entailment(
        EACH_LAGS,
        {
            **QUERY,
            **_KEY,
            "least": Universal((v,), (at_least(v, 1), at_least(reach, v)), at_least(1 - cos(v * theta), g)),
            "another": at_least((t - i) ** 2, 1),
        },
        (at_least(1 - cos((t - i) * theta), g),),
        integers=INTEGERS,
    )


PROOF_OF_EACH_LAGS = Derivation(
    EACH_LAGS, (_either_side(i, n - 1, {"t < n": 1, "i >= 0": 1}, {"i < n": 1, "t >= 0": 1}),)
)

LETTER_QUERY = "a letter query sees every distance"
OTHERS = {
    "others": Universal((v,), (at_least(v, 1), at_least(n - 1, v)), at_least(1 - cos(v * theta), g)),
}


def letter_query(reach: Any) -> Entailment:
    """The gap of a letter query is at most `1 - cos(u theta)` for u within reach."""
    return Entailment(
        LETTER_QUERY,
        {**OTHERS, "u >= 1": at_least(u, 1), "reach": at_least(reach, u)},
        (at_least(1 - cos(u * theta), g),),
        integers=INTEGERS,
    )


PROOF_OF_LETTER_QUERY = Derivation(LETTER_QUERY, (Use("there", "instance", (u,), ("others", "u >= 1", "reach")),))
