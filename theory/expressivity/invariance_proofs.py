"""Proofs about what symbolic and positional heads cannot do, as derivations for every length.

`E` turns a logit into the weight before it is divided by the sum of all: `exp` for softmax; for average hard attention
1 for the largest logit and 0 for others. In each proof the inputs compared have the same logits, key by key, so that
`E` is one function for them. The letters stand for one coordinate of a value; all coordinates are alike.
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
    Hypothesis,
    Part,
    Rearranged,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)

E, M, F, v = (sympy.Function(name) for name in ("E", "M", "F", "v"))
a, b, m = sympy.symbols("a b m", real=True)
out, out_too, right, right_too = sympy.symbols("out out_too right right_too", real=True)


def _same_output(left: Any, right_: Any, total: Any, parts: tuple[Part, ...]) -> tuple[DerivationStep, ...]:
    """`left = right_` from parts that add up to `(left - right_) total`, where "some weight" says total > 0."""
    negated = tuple(Part(part.facts, -part.times) for part in parts)
    return (
        Derive("no less", at_least((left - right_) * total), parts),
        Derive("no more", at_least((right_ - left) * total), negated),
        Use("left at least", "quotient", (left - right_,), ("no less", "some weight")),
        Use("right at least", "quotient", (right_ - left,), ("no more", "some weight")),
        Use("equal outputs", "equality", (), ("left at least", "right at least")),
    )


# -- lemma 1: the order of the earlier tokens does not matter ------------------------------------------------------

ORDER = "any order of the earlier tokens gives one output"
before, after, weight_before, weight_after, own, own_value = sympy.symbols(
    "before after weight_before weight_after own own_value", real=True
)
IN_RANGE = (at_least(a, 1), at_least(m, a), at_least(b, 1), at_least(m, b))
ALL_SYMBOLIC = Universal((a, b), IN_RANGE, equal(M(a, b), M(a, a)))
ALL_POSITIONAL = Universal((a, b), IN_RANGE, equal(M(a, b), M(b, b)))
FIRST_KEY_SYMBOLIC = Universal((b,), IN_RANGE[2:], equal(M(1, b), M(1, 1)))
LAST_PLACE_KEPT = Universal((a, b), (*IN_RANGE, at_least(m - 1, a), at_least(m - 1, b)), equal(M(a, b), M(a, a)))
FIRST_TWO_SWAPPED = Universal((a, b), (*IN_RANGE, at_least(2, a), at_least(2, b)), equal(M(a, b), M(a, a)))


def order(known: Hypothesis) -> Entailment:
    """`a` is a key's content, numbered by its place in the input, and `b` the place it is moved to; `m` keys."""
    return Entailment(
        ORDER,
        {
            "symbolic": known,
            "output": equal(out * (weight_before + own), before + own * own_value),
            "output, reordered": equal(out_too * (weight_after + own), after + own * own_value),
            "some weight": greater(weight_before + own),
        },
        (equal(out, out_too),),
        integers=(a, b, m),
        rearranged=(
            Rearranged(before, after, a, b, E(M(a, b)) * v(a), m),
            Rearranged(weight_before, weight_after, a, b, E(M(a, b)), m),
        ),
    )


PROOF_OF_ORDER = Derivation(
    ORDER,
    (
        Use("values", "rearrange", (before,), ("symbolic",)),
        Use("weights", "rearrange", (weight_before,), ("symbolic",)),
        *_same_output(
            out,
            out_too,
            weight_before + own,
            (
                Part(("output",)),
                Part(("output, reordered",), -1),
                Part(("values",)),
                Part(("weights",), -out_too),
            ),
        ),
    ),
    why="the permutation pairs the terms of the two sums, and a term depends on its content alone",
)

# -- symbolic: two inputs that differ by a swap have one output but two answers ------------------------------------

SWAP = "swapping two keys does not change the output"
ANSWERS = "one output and one query have one answer"
at_one, at_two, other_at_one, other_at_two, value, other_value, rest, rest_weight = sympy.symbols(
    "at_one at_two other_at_one other_at_two value other_value rest rest_weight", real=True
)
KEY_FREE = equal(at_one, at_two)
OTHER_FREE = equal(other_at_one, other_at_two)


def swap(free: tuple[Hypothesis, ...] = (KEY_FREE, OTHER_FREE), keys: int = 2) -> Entailment:
    """Two keys, at places one and two, and the same with the keys swapped; `rest` is what all other keys and the
    query's own add. `at_one` is the logit of the first key at place one, and so on."""
    weight, value_sum = E(at_one) + rest_weight, E(at_one) * value + rest
    swapped, swapped_sum = E(other_at_one) + rest_weight, E(other_at_one) * other_value + rest
    if keys == 2:
        weight, value_sum = weight + E(other_at_two), value_sum + E(other_at_two) * other_value
        swapped, swapped_sum = swapped + E(at_two), swapped_sum + E(at_two) * value
    return Entailment(
        SWAP,
        {
            **{f"free {number}": each for number, each in enumerate(free, start=1)},
            "output": equal(out * weight, value_sum),
            "output, swapped": equal(out_too * swapped, swapped_sum),
            "weight": greater(weight),
        },
        (equal(out, out_too),),
    )


PROOF_OF_SWAP = Derivation(
    SWAP,
    (
        Use("one free", "replace", (at_two, at_one), ("output, swapped", "free 1")),
        Use("both free", "replace", (other_at_two, other_at_one), ("output", "free 2")),
        Use("some weight", "replace", (other_at_two, other_at_one), ("weight", "free 2")),
        *_same_output(
            out, out_too, E(at_one) + E(other_at_one) + rest_weight, (Part(("both free",)), Part(("one free",), -1))
        ),
    ),
    why="the swap exchanges the places of two terms that do not depend on them",
)


def answers(differ: bool = True) -> Entailment:
    """`F` maps the output, for this query, to an answer; answers are numbered, the larger number first."""
    gap = greater if differ else at_least
    return Entailment(
        ANSWERS,
        {
            "equal outputs": equal(out, out_too),
            "answer": equal(F(out), right),
            "answer, swapped": equal(F(out_too), right_too),
            "different answers": gap(right, right_too),
        },
        (FALSE,),
    )


PROOF_OF_ANSWERS = Derivation(
    ANSWERS,
    (
        Use("same map", "replace", (out, out_too), ("answer", "equal outputs")),
        Derive(
            "contradiction",
            FALSE,
            (Part(("different answers",)), Part(("same map",)), Part(("answer, swapped",), -1)),
        ),
    ),
)
