"""Proofs about one swap of two blocks, as derivations from the definition of the scores.

Letters: `E_ij` is the summed `e^logit` of content i at position j; `rest` that of all other keys; `d` are the means
before the swap, `e` after it; `W` and `V` are the normalisers times the length B, `p` and `q` their inverses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    Part,
    Suppose,
    Use,
    at_least,
    equal,
    greater,
)

ii, jj, ij, ji, rest = sympy.symbols("E_ii E_jj E_ij E_ji rest", real=True)
B, W, V, p, q = sympy.symbols("B W V p q", real=True)
d_i, d_j, e_i, e_j = sympy.symbols("d_i d_j e_i e_j", real=True)
s, t = sympy.symbols("s_pos s_sym", real=True)


def parts(terms: Mapping[Any, Any]) -> tuple[Part, ...]:
    """The parts of a sum, from fact names (one, or several multiplied; none for the number 1) to factors."""
    return tuple(Part((names,) if isinstance(names, str) else names, times) for names, times in terms.items())


# -- the definition ------------------------------------------------------------------------------------------------

SIZES = (d_i**2 + d_j**2) * (e_i**2 + e_j**2)
PRODUCTS = {s: e_i * d_i + e_j * d_j, t: e_i * d_j + e_j * d_i}
TABLE: dict[str, Hypothesis] = {
    "E_ii": greater(ii),
    "E_jj": greater(jj),
    "E_ij": greater(ij),
    "E_ji": greater(ji),
    "rest": at_least(rest),
    "B": greater(B),
}
MEANS: dict[str, Hypothesis] = {
    "W": equal(W, B * (ii + jj + rest)),
    "V": equal(V, B * (ij + ji + rest)),
    "p": equal(p * W, 1),
    "q": equal(q * V, 1),
    "d_i": equal(d_i, p * ii),
    "d_j": equal(d_j, p * jj),
    "e_i": equal(e_i, q * ji),
    "e_j": equal(e_j, q * ij),
}
SCORES: dict[str, Hypothesis] = {
    "s_pos >= 0": at_least(s),
    "s_sym >= 0": at_least(t),
    "s_pos": equal(s**2 * SIZES, PRODUCTS[s] ** 2),
    "s_sym": equal(t**2 * SIZES, PRODUCTS[t] ** 2),
}
DEFINITION: dict[str, Hypothesis] = TABLE | MEANS | SCORES


def entailment(
    title: str, conclusions: tuple[Fact, ...], further: Mapping[str, Hypothesis] | None = None
) -> Entailment:
    """What follows from the definition of a swap's scores, and from further hypotheses."""
    return Entailment(title, DEFINITION | dict(further or {}), conclusions)


# -- steps that every proof takes ----------------------------------------------------------------------------------


def _normaliser(name: str, inverse: Any, first: str, second: str) -> tuple[DerivationStep, ...]:
    letter, small = {"W": W, "V": V}[name], str(inverse)
    return (
        Derive(f"{name} > 0", greater(letter), parts({name: 1, ("B", first): 1, ("B", second): 1, ("B", "rest"): 1})),
        Derive(f"{small} {name} > 0", greater(inverse * letter), parts({small: 1, (): 1})),
        Use(f"{small} > 0", "quotient", (inverse,), (f"{small} {name} > 0", f"{name} > 0")),
    )


def _mean(letter: Any, inverse: str, total: str) -> Derive:
    name = str(letter)
    return Derive(f"{name} > 0", greater(letter), parts({name: 1, (f"{inverse} > 0", total): 1}))


POSITIVE_MEANS: tuple[DerivationStep, ...] = (
    *_normaliser("W", p, "E_ii", "E_jj"),
    *_normaliser("V", q, "E_ij", "E_ji"),
    _mean(d_i, "p", "E_ii"),
    _mean(d_j, "p", "E_jj"),
    _mean(e_i, "q", "E_ji"),
    _mean(e_j, "q", "E_ij"),
    Derive(
        "sizes > 0",
        greater(SIZES),
        parts({(d, d, e, e): 1 for d in ("d_i > 0", "d_j > 0") for e in ("e_i > 0", "e_j > 0")}),
    ),
)


def positive_score(letter: Any) -> tuple[DerivationStep, ...]:
    """A score is positive, for the means are; needs POSITIVE_MEANS."""
    one, other = (("d_i > 0", "e_i > 0"), ("d_j > 0", "e_j > 0"))
    if letter == t:
        one, other = (("d_j > 0", "e_i > 0"), ("d_i > 0", "e_j > 0"))
    return positive_root(letter, str(letter), SIZES, "sizes > 0", one, other)


def positive_root(
    letter: Any, given: str, sizes: Any, positive: str, one: tuple[str, str], other: tuple[str, str]
) -> tuple[DerivationStep, ...]:
    """A score `s >= 0` with `s^2 sizes = (a b + c d)^2` is positive, for (a, b) and (c, d) are named by two facts."""
    name = str(letter)
    return (
        Derive(
            f"{name}^2, times",
            greater(letter**2 * sizes),
            parts({given: 1, one * 2: 1, one + other: 2, other * 2: 1}),
        ),
        Use(f"{name}^2 > 0", "quotient", (letter**2,), (f"{name}^2, times", positive)),
        Suppose(
            f"{name} > 0",
            at_least(-letter),
            (Derive(f"{name}, none", FALSE, parts({f"{name}^2 > 0": 1, (f"{name} > 0", f"{name} >= 0"): 1})),),
        ),
    )


# -- the normaliser drops out --------------------------------------------------------------------------------------

OF_THE_TABLE = "the scores depend on the four sums alone"
IN_TABLE = (ii**2 + jj**2) * (ij**2 + ji**2)
TABLE_PRODUCTS = {s: ji * ii + ij * jj, t: ji * jj + ij * ii}


def read_off(letter: Any) -> Fact:
    """A score's square from the four sums."""
    return equal(letter**2 * IN_TABLE, TABLE_PRODUCTS[letter] ** 2)


def table_score(letter: Any) -> tuple[DerivationStep, ...]:
    """The fact `read_off(letter)`, named after the score; needs SCALE."""
    name = str(letter)
    steps: list[DerivationStep] = []
    before = name
    for mean, value in ((d_i, p * ii), (d_j, p * jj), (e_i, q * ji), (e_j, q * ij)):
        after = f"{name}, {mean} put in"
        steps.append(Use(after, "replace", (mean, value), (before, str(mean))))
        before = after
    return (*steps, Use(f"{name} of the table", "quotient", (read_off(letter).expression,), (before, "p^2 q^2 > 0")))


SCALE: tuple[DerivationStep, ...] = (
    *_normaliser("W", p, "E_ii", "E_jj"),
    *_normaliser("V", q, "E_ij", "E_ji"),
    Derive("p^2 q^2 > 0", greater(p**2 * q**2), parts({("p > 0", "p > 0", "q > 0", "q > 0"): 1})),
)


def of_the_table(conclusions: tuple[Fact, ...] = (read_off(s), read_off(t))) -> Entailment:
    """The scores from the four sums, without the normalisers."""
    return entailment(OF_THE_TABLE, conclusions)


PROOF_OF_TABLE = Derivation(
    OF_THE_TABLE,
    (*SCALE, *table_score(s), *table_score(t)),
    "Put the means in; the inverse normalisers are common factors of both sides.",
)

FROM_TABLE: dict[str, Hypothesis] = {
    **{name: TABLE[name] for name in ("E_ii", "E_jj", "E_ij", "E_ji")},
    "s_pos >= 0": SCORES["s_pos >= 0"],
    "s_sym >= 0": SCORES["s_sym >= 0"],
    "s_pos of the table": read_off(s),
    "s_sym of the table": read_off(t),
}


def from_table(
    title: str, conclusions: tuple[Fact, ...], further: Mapping[str, Hypothesis] | None = None
) -> Entailment:
    """What follows from the four sums, given that the scores are those of the table (`of_the_table`)."""
    return Entailment(title, FROM_TABLE | dict(further or {}), conclusions)


SUMS_POSITIVE = Derive(
    "sums > 0", greater(IN_TABLE), parts({(a, a, b, b): 1 for a in ("E_ii", "E_jj") for b in ("E_ij", "E_ji")})
)
POSITIVE_IN_TABLE: tuple[DerivationStep, ...] = (
    SUMS_POSITIVE,
    *positive_root(s, "s_pos of the table", IN_TABLE, "sums > 0", ("E_ji", "E_ii"), ("E_ij", "E_jj")),
    *positive_root(t, "s_sym of the table", IN_TABLE, "sums > 0", ("E_ji", "E_jj"), ("E_ij", "E_ii")),
)

# -- the circle ----------------------------------------------------------------------------------------------------

ON_CIRCLE = "the squares of the two scores add up to 1 and more"
ROUND = (s**2 + t**2 - 1) * SIZES
FOUR = d_i * d_j * e_i * e_j


def circle(
    round_: Any = ROUND, factor: Any = 4, above: Any = 1, most: Any = 2, further: tuple[Fact, ...] = ()
) -> Entailment:
    """`(s_pos^2 + s_sym^2 - 1) sizes = 4 d_i d_j e_i e_j`, so that the sum of squares is above 1 and at most 2."""
    facts = (equal(round_, factor * FOUR), greater(s**2 + t**2, above), at_least(most, s**2 + t**2))
    return entailment(ON_CIRCLE, (*facts, *further))


_identity = Derive("identity", equal(ROUND, 4 * FOUR), parts({"s_pos": 1, "s_sym": 1}), "Lagrange")
OUTSIDE: tuple[DerivationStep, ...] = (
    _identity,
    Derive(
        "outside, times",
        greater(ROUND),
        parts({"identity": 1, ("d_i > 0", "d_j > 0", "e_i > 0", "e_j > 0"): 4}),
    ),
    Use("outside", "quotient", (s**2 + t**2 - 1,), ("outside, times", "sizes > 0")),
)
PROOF_OF_CIRCLE = Derivation(
    ON_CIRCLE,
    (
        *POSITIVE_MEANS,
        *OUTSIDE,
        Derive(
            "at most 2, times",
            at_least((2 - s**2 - t**2) * SIZES),
            (Part(("identity",), -1), Part((), 1, (d_i * e_i - d_j * e_j,)), Part((), 1, (d_i * e_j - d_j * e_i,))),
        ),
        Use("at most 2", "quotient", (2 - s**2 - t**2,), ("at most 2, times", "sizes > 0")),
    ),
    "The squares of a vector's products with (d_i, d_j) and with (d_j, d_i).",
)

# -- the difference of the two scores ------------------------------------------------------------------------------

DIFFERENCE = "the difference of the squares"
APART = (s**2 - t**2) * SIZES
STEEP = (d_j**2 - d_i**2) * (e_j**2 - e_i**2)


def difference(right: Any = STEEP) -> Entailment:
    """`(s_pos^2 - s_sym^2) sizes = (d_j^2 - d_i^2) (e_j^2 - e_i^2)`."""
    return entailment(DIFFERENCE, (equal(APART, right),))


PROOF_OF_DIFFERENCE = Derivation(
    DIFFERENCE, (Derive("identity", equal(APART, STEEP), parts({"s_pos": 1, "s_sym": -1})),)
)

STAYS = "the positional score is the larger one where the larger mean stays in place"
MOVES = "and is not where it does not"
_orders = (d_j - d_i) * (e_j - e_i)
_above, _not_above = greater(s, t), at_least(t, s)


def stays(order: Any = _orders, conclusion: Fact = _above, strict: bool = True) -> Entailment:
    """If both swaps' means are ordered alike, `s_pos > s_sym`."""
    return entailment(STAYS, (conclusion,), {"order": greater(order) if strict else at_least(order)})


def moves(order: Any = _orders, conclusion: Fact = _not_above) -> Entailment:
    """If they are not, `s_pos <= s_sym`."""
    return entailment(MOVES, (conclusion,), {"order": at_least(-order)})


def _compared(sign: int, relation: Any) -> tuple[DerivationStep, ...]:
    sums = (("d_i > 0", "e_i > 0"), ("d_i > 0", "e_j > 0"), ("d_j > 0", "e_i > 0"), ("d_j > 0", "e_j > 0"))
    return (
        *POSITIVE_MEANS,
        *positive_score(s),
        *positive_score(t),
        Derive(
            "apart, times",
            relation(sign * APART),
            parts({"s_pos": sign, "s_sym": -sign} | {("order", *pair): 1 for pair in sums}),
        ),
        Use("apart", "quotient", (sign * (s**2 - t**2),), ("apart, times", "sizes > 0")),
        Derive("factors", relation(sign * (s - t) * (s + t)), parts({"apart": 1})),
        Derive("s + t > 0", greater(s + t), parts({"s_pos > 0": 1, "s_sym > 0": 1})),
        Use("order of the scores", "quotient", (sign * (s - t),), ("factors", "s + t > 0")),
    )


PROOF_OF_STAYS = Derivation(STAYS, _compared(1, greater))
PROOF_OF_MOVES = Derivation(MOVES, _compared(-1, at_least))
