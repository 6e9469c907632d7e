"""Proofs that positional and symbolic heads have the score 1, and of what a score of 1 says.

Letters as in `swap_proofs`. Sums over a block's tokens are built by adding one token after another.
"""

from __future__ import annotations

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
    Split,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import (
    IN_TABLE,
    PRODUCTS,
    SIZES,
    SUMS_POSITIVE,
    d_i,
    d_j,
    e_i,
    e_j,
    from_table,
    ii,
    ij,
    ji,
    jj,
    parts,
    rest,
    s,
    t,
)

# -- one token more ------------------------------------------------------------------------------------------------

S, T, x, y = sympy.symbols("S T x y", real=True)
SAME_TOKEN, POSITIONAL_IS_ONE, SYMBOLIC_IS_ONE = equal(x, y), equal(s, 1), equal(t, 1)
TOKEN = "block sums that agree token by token"


def token(alike: Fact = SAME_TOKEN) -> Entailment:
    """Two sums of exponentials that agree so far, each with one more token."""
    return Entailment(TOKEN, {"so far": equal(S, T), "token": alike}, (equal(S + x, T + y),))


PROOF_OF_TOKEN = Derivation(TOKEN, (Derive("further", equal(S + x, T + y), parts({"so far": 1, "token": 1})),))

# -- what a score of 1 says of the four sums -----------------------------------------------------------------------

# s_pos = 1: the two pairs of sums are parallel as they stand; s_sym = 1: with one of them turned round.
PARALLEL = {s: ij * ii - ji * jj, t: ij * jj - ji * ii}


def is_one(letter: Any, *vanishing: Part) -> tuple[DerivationStep, ...]:
    """A score is 1, from parts of a sum that show its `PARALLEL` squared to be zero."""
    name = str(letter)
    return (
        Derive(
            f"1 - {name}^2, times",
            equal((letter**2 - 1) * IN_TABLE),
            (
                Part((f"{name} of the table",)),
                *(Part(each.facts, -1 * each.times * PARALLEL[letter]) for each in vanishing),
            ),
        ),
        Use(f"{name}^2 = 1", "quotient", (letter**2 - 1,), (f"1 - {name}^2, times", "sums > 0")),
        Derive(f"{name}, factors", equal((letter - 1) * (letter + 1)), parts({f"{name}^2 = 1": 1})),
        Derive(f"{name} + 1 > 0", greater(letter + 1), parts({f"{name} >= 0": 1, (): 1})),
        Use(f"{name} = 1", "quotient", (letter - 1,), (f"{name}, factors", f"{name} + 1 > 0")),
    )


def parallel(letter: Any) -> tuple[DerivationStep, ...]:
    """`PARALLEL[letter] = 0`, named "parallel" after the score, where the score is 1 (a fact "`letter` is 1")."""
    name, apart = str(letter), PARALLEL[letter]
    case = f"{name}, parallel"
    square = f"{name}, square"
    no = Derive(f"{name}, none", FALSE, (Part((case, case)), Part((square,), -1)))
    return (
        Derive(
            square,
            equal(apart**2),
            parts({f"{name} of the table": 1, f"{name} is 1": -(letter + 1) * IN_TABLE}),
            "Lagrange: the product of the sums of squares less the squared product is a square",
        ),
        Split(
            case,
            apart,
            equal(apart),
            positive=(no,),
            zero=(),
            negative=(no,),
        ),
    )


# -- positional and symbolic heads ---------------------------------------------------------------------------------

POSITIONAL_ONE = "a positional head has the positional score 1"
AT_PLACES: dict[str, Hypothesis] = {"at i": equal(ji, ii), "at j": equal(ij, jj)}


def positional_one(further: dict[str, Hypothesis] = AT_PLACES, conclusion: Fact = POSITIONAL_IS_ONE) -> Entailment:
    """Sums that do not depend on the content."""
    return from_table(POSITIONAL_ONE, (conclusion,), further)


PROOF_OF_POSITIONAL = Derivation(
    POSITIONAL_ONE,
    (SUMS_POSITIVE, *is_one(s, Part(("at i",), -jj), Part(("at j",), ii))),
    "E_ij E_ii - E_ji E_jj = 0, so the means before and after the swap are parallel.",
)

SYMBOLIC_ONE = "a symbolic head has the symbolic score 1, blocks of any lengths"
u, v, z, w = sympy.symbols("u v z w", real=True)
LENGTHS: dict[str, Hypothesis] = {
    "E_ii": greater(ii),
    "E_jj": greater(jj),
    "rest": at_least(rest),
    "u": greater(u),
    "v": greater(v),
    "z": equal(z * (ii + jj + rest), 1),
    "w": equal(w * (ij + ji + rest), 1),
    "d_i": equal(d_i, u * z * ii),
    "d_j": equal(d_j, v * z * jj),
    "e_i": equal(e_i, v * w * ji),
    "e_j": equal(e_j, u * w * ij),
    "s_sym >= 0": at_least(t),
    "s_sym": equal(t**2 * SIZES, PRODUCTS[t] ** 2),
    "s_pos >= 0": at_least(s),
    "s_pos": equal(s**2 * SIZES, PRODUCTS[s] ** 2),
}
OF_CONTENTS: dict[str, Hypothesis] = {"of i": equal(ij, ii), "of j": equal(ji, jj)}


def symbolic_one(further: dict[str, Hypothesis] = OF_CONTENTS, conclusion: Fact = SYMBOLIC_IS_ONE) -> Entailment:
    """Sums that do not depend on the position; `u`, `v` are the inverse lengths, `z`, `w` the inverse normalisers."""
    return Entailment(SYMBOLIC_ONE, LENGTHS | further, (conclusion,))


_own = (u * ii) ** 2 + (v * jj) ** 2
PROOF_OF_SYMBOLIC = Derivation(
    SYMBOLIC_ONE,
    (
        Derive("normaliser", greater(ii + jj + rest), parts({"E_ii": 1, "E_jj": 1, "rest": 1})),
        Derive("z, times", greater(z * (ii + jj + rest)), parts({"z": 1, (): 1})),
        Use("z > 0", "quotient", (z,), ("z, times", "normaliser")),
        Derive("w, times", greater(w * (ii + jj + rest)), parts({"w": 1, "of i": -w, "of j": -w, (): 1})),
        Use("w > 0", "quotient", (w,), ("w, times", "normaliser")),
        Use("put in 1", "replace", (d_i, u * z * ii), ("s_sym", "d_i")),
        Use("put in 2", "replace", (d_j, v * z * jj), ("put in 1", "d_j")),
        Use("put in 3", "replace", (e_i, v * w * ji), ("put in 2", "e_i")),
        Use("put in 4", "replace", (e_j, u * w * ij), ("put in 3", "e_j")),
        Use("put in 5", "replace", (ij, ii), ("put in 4", "of i")),
        Use("put in 6", "replace", (ji, jj), ("put in 5", "of j")),
        Derive("own sums", greater(_own), parts({("u", "u", "E_ii", "E_ii"): 1, ("v", "v", "E_jj", "E_jj"): 1})),
        Derive(
            "scale", greater(z**2 * w**2 * _own**2), parts({("z > 0",) * 2 + ("w > 0",) * 2 + ("own sums",) * 2: 1})
        ),
        Derive("square, times", equal((t**2 - 1) * z**2 * w**2 * _own**2), parts({"put in 6": 1})),
        Use("square", "quotient", (t**2 - 1,), ("square, times", "scale")),
        Derive("factors", equal((t - 1) * (t + 1)), parts({"square": 1})),
        Derive("s + 1 > 0", greater(t + 1), parts({"s_sym >= 0": 1, (): 1})),
        Use("one", "quotient", (t - 1,), ("factors", "s + 1 > 0")),
    ),
    "The means after the swap are those before it, exchanged, times a common factor.",
)

# -- exactly -------------------------------------------------------------------------------------------------------

ENOUGH = {s: "parallel sums have the positional score 1", t: "parallel sums have the symbolic score 1"}
NEEDED = {s: "the positional score 1 needs parallel sums", t: "the symbolic score 1 needs parallel sums"}


def enough(letter: Any, apart: Any = None) -> Entailment:
    """If `E_ij E_ii = E_ji E_jj`, then `s_pos = 1`; for the symbolic score `E_ij E_jj = E_ji E_ii`."""
    fact = equal(PARALLEL[letter] if apart is None else apart)
    return from_table(ENOUGH[letter], (equal(letter, 1),), {"parallel": fact})


def needed(letter: Any, *conclusions: Fact) -> Entailment:
    """The converse."""
    return from_table(NEEDED[letter], conclusions or (equal(PARALLEL[letter]),), {f"{letter} is 1": equal(letter, 1)})


PROOFS_OF_EXACTLY = {
    letter: (
        Derivation(ENOUGH[letter], (SUMS_POSITIVE, *is_one(letter, Part(("parallel",))))),
        Derivation(NEEDED[letter], parallel(letter)),
    )
    for letter in (s, t)
}

# -- both scores 1 -------------------------------------------------------------------------------------------------

ALIKE = "equal sums before the swap and equal ones after it have both scores 1"
BOTH = "both scores 1 need equal sums before the swap and equal ones after it"
EQUAL_BEFORE, EQUAL_AFTER = equal(ii, jj), equal(ij, ji)


def alike(*facts: Fact) -> Entailment:
    """Given `E_ii = E_jj` and `E_ij = E_ji`."""
    names = ("before", "after")
    return from_table(
        ALIKE, (equal(s, 1), equal(t, 1)), dict(zip(names, facts or (EQUAL_BEFORE, EQUAL_AFTER), strict=False))
    )


def both(*conclusions: Fact) -> Entailment:
    """The converse."""
    ones = {f"{letter} is 1": equal(letter, 1) for letter in (s, t)}
    return from_table(BOTH, conclusions or (EQUAL_BEFORE, EQUAL_AFTER), ones)


PROOF_OF_ALIKE = Derivation(
    ALIKE,
    (
        SUMS_POSITIVE,
        *is_one(s, Part(("before",), ij), Part(("after",), jj)),
        *is_one(t, Part(("before",), -ij), Part(("after",), ii)),
    ),
)
PROOF_OF_BOTH = Derivation(
    BOTH,
    (
        *parallel(s),
        *parallel(t),
        Derive(
            "before, times",
            equal((ii - jj) * (ij + ji)),
            parts({"s_pos, parallel": 1, "s_sym, parallel": -1}),
        ),
        Derive("after > 0", greater(ij + ji), parts({"E_ij": 1, "E_ji": 1})),
        Use("before", "quotient", (ii - jj,), ("before, times", "after > 0")),
        Derive("after, times", equal((ij - ji) * ii), parts({"s_pos, parallel": 1, "before": -ji})),
        Use("after", "quotient", (ij - ji,), ("after, times", "E_ii")),
    ),
)
