"""What a head's table forces it to do: literally positional or symbolic, the attention output, whether it computes.

Everything goes through the valid inputs of a finite instance one by one, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import gcd
from typing import Any, Literal

from headproof.theory.expressivity.attention_cases import HeadCase, PermutedCase
from headproof.theory.expressivity.attention_instances import OWN, Entry, Input, Instance
from headproof.theory.inputs import Token
from headproof.theory.parameters import Tokens

OutputMap = Literal["any", "projection", "affine", "linear"]
Permutations = Literal["all", "last place kept", "first two places"]


@dataclass(frozen=True)
class Invariance:
    """DEC's definition, on every valid input `x` of the instance, for every permutation `pi` of the earlier keys and
    every key `j`: symbolic is `L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j)`, positional `L(x_n, n, x_pi(j), j) =
    L(x_n, n, x_j, j)`. Near misses ask it of fewer permutations or of the first key alone."""

    kind: Literal["symbolic", "positional"]
    moved: Permutations = "all"
    first_key_only: bool = False

    def __call__(self, case: HeadCase) -> bool:
        table = case.table
        return all(table[one] == table[other] for one, other in self.links(case.instance))

    def links(self, instance: Instance) -> frozenset[tuple[Entry, Entry]]:
        """The pairs of entries that the definition makes equal."""
        return _links(self, instance)


@cache
def _links(invariance: Invariance, instance: Instance) -> frozenset[tuple[Entry, Entry]]:
    found = set()
    for keys, query in dict.fromkeys((each.keys, each.query) for each in instance.inputs):
        for order in _orders(len(keys), invariance.moved):
            for j in range(1 if invariance.first_key_only else len(keys)):
                moved = (keys[j], order[j] + 1) if invariance.kind == "symbolic" else (keys[order[j]], j + 1)
                pair = (Entry(query, *moved), Entry(query, keys[j], j + 1))
                if pair[0] != pair[1]:
                    found.add(min(pair, pair[::-1], key=str))
    return frozenset(found)


@cache
def _orders(count: int, moved: Permutations) -> tuple[tuple[int, ...], ...]:
    free = {"all": count, "last place kept": count - 1, "first two places": min(2, count)}[moved]
    return tuple((*order, *range(free, count)) for order in permutations(range(free)))


def attention(case: HeadCase, keys: Tokens, query: Token, hard: bool) -> dict[Token, int]:
    """The attention on each token, up to one common factor: softmax, or average hard attention."""
    table = case.table
    factors = [table[Entry(query, key, place)] for place, key in enumerate(keys, start=1)]
    factors.append(table[Entry(query, query, OWN)])
    if hard:
        largest = max(factors)
        factors = [int(each == largest) for each in factors]
    weights: dict[Token, int] = {}
    for token, factor in zip((*keys, query), factors, strict=True):
        if factor:
            weights[token] = weights.get(token, 0) + factor
    return weights


def attention_output(case: HeadCase, keys: Tokens, query: Token, hard: bool) -> frozenset[tuple[Token, int]]:
    """The attention output for one-hot values; two are equal exactly if their weights on all tokens are in
    proportion."""
    weights = attention(case, keys, query, hard)
    common = gcd(*weights.values())
    return frozenset((token, weight // common) for token, weight in weights.items())


def computes(case: HeadCase, output: OutputMap, hard: bool) -> bool:
    """Whether the head answers every valid input rightly, its output map of the given kind.

    "any": some map `F(a, x_n)` does, that is, inputs with one query and one attention output have one answer.
    "projection": the answer's tokens have strictly the most attention. "affine" and "linear": the answer has
    strictly the largest score, see `AffineCase` and `LetterCase`.
    """
    if output == "any":
        return next(conflicts(case, hard), None) is None
    answers = case.instance.answers
    for each in case.instance.inputs:
        weights = attention(case, each.keys, each.query, hard)
        scores: Mapping[Token, Any] = carried(weights, answers)
        if output != "projection":
            scores = {answer: case.score(answer, weights, each.query) for answer in answers}  # type: ignore[attr-defined]
        if any(scores[answer] >= scores[each.answer] for answer in answers if answer != each.answer):
            return False
    return True


def carried(weights: Mapping[Token, int], answers: tuple[Token, ...]) -> dict[Token, int]:
    """The total weight on the tokens that carry each answer: a token carries itself, a pair its right half too."""
    total = dict.fromkeys(answers, 0)
    for token, weight in weights.items():
        for answer in (token, token[1] if isinstance(token, tuple) else None):
            if answer in total:
                total[answer] += weight
    return total


def conflicts(case: HeadCase, hard: bool) -> Iterator[tuple[Input, Input]]:
    """Pairs of inputs with one query, one attention output and two answers: no output map tells them apart."""
    seen: dict[Any, Input] = {}
    for each in case.instance.inputs:
        before = seen.setdefault((each.query, attention_output(case, each.keys, each.query, hard)), each)
        if before.answer != each.answer:
            yield before, each


@dataclass(frozen=True)
class Impossible:
    """The conclusion: the head computes the task neither with softmax nor with average hard attention."""

    output: OutputMap = "any"

    def __call__(self, case: HeadCase) -> bool:
        return not any(computes(case, self.output, hard) for hard in (False, True))


def output_is_invariant(case: PermutedCase) -> bool:
    """Whether the attention output `sum_j w_j VAL(x_j)` at the last position is the same for every order of the
    earlier tokens, with softmax and with average hard attention."""
    for hard in (False, True):
        outputs = set()
        for order in permutations(case.keys):
            weights = attention(case, order, "q", hard)
            total = sum((weight * case.value[token] for token, weight in weights.items()), Fraction(0))
            outputs.add(total / sum(weights.values()))
        if len(outputs) > 1:
            return False
    return True
