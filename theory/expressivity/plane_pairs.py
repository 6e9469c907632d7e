"""Any head of one plane on Retrieval and partial induction, by its vectors, and whether it answers every input rightly.

Keys and places as in `plane_bindings`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Self

from flint import arb

from headproof.theory.angles import Angle
from headproof.theory.cosine_sums import Sum, compare, value
from headproof.theory.errors import InputError
from headproof.theory.expressivity.plane_heads import ZERO, largest, ranks, refuse_repetition, refuse_sizes
from headproof.theory.parameters import Numbers, ParameterCase

LARGEST_EXPONENT = 64
LONGEST = 12


@dataclass(frozen=True)
class PlanePairCase(ParameterCase):
    """Any head of one plane on pairs: two coordinates of a key vector for each pair (the attributes of symbol 0 first)
    or for each symbol, two of a query vector for each symbol, and the logit of the query's own key.

    The vectors stand in the frame of the middle of the places, where the angle between them is `(t - (T + 1) / 2)
    theta`: that frame loses nothing, for the queries may be any."""

    theta: Angle
    symbols: int
    attributes: int
    length: int
    keys: Numbers
    queries: Numbers
    own: Fraction

    def validate(self) -> None:
        refuse_sizes(self.symbols, self.length, self.attributes)
        refuse_sizes(self.symbols * self.attributes, self.length)
        self.refuse_vectors()

    def refuse_vectors(self) -> None:
        """Raise InputError unless there are as many coordinates as the sizes ask for."""
        if len(self.keys) not in (2 * self.symbols, 2 * self.symbols * self.attributes):
            raise InputError(f"keys = {self.keys}", "two coordinates for each pair, or for each symbol")
        if len(self.queries) != 2 * self.symbols:
            raise InputError(f"queries = {self.queries}", "two coordinates for each symbol")

    def key(self, symbol: int, attribute: int) -> Numbers:
        """The key vector of a pair."""
        place = symbol if len(self.keys) == 2 * self.symbols else symbol * self.attributes + attribute
        return self.keys[2 * place : 2 * place + 2]


@dataclass(frozen=True)
class PlaneBindingCase(PlanePairCase):
    """The same on Retrieval, where VAL may be other than the identity: `values` has a number for each pair and then
    one for each symbol as a query, the attention is softmax with weights 2^logit, the answer attribute 0 where the sum
    is above 0 and 1 where it is below. That is exact where theta and the logits are such that all are integers."""

    values: Numbers = ()

    def validate(self) -> None:
        super().validate()
        refuse_repetition(self.symbols, self.length)
        if not self.values:
            return
        if self.attributes != 2 or len(self.values) != 3 * self.symbols:
            raise InputError(f"values = {self.values}", "two for each symbol's pairs, one for each query; 2 attributes")
        whole = self.own.denominator == 1 and abs(self.own) <= LARGEST_EXPONENT
        if self.theta.radians or self.theta.turns.denominator != 1 or not whole:
            raise InputError(f"theta = {self.theta}, own = {self.own}", "with values theta is a multiple of pi")
        for pair, query in product(product(range(self.symbols), range(2)), range(self.symbols)):
            for steps in range(1, self.length):
                logit = self.whole_logit(pair, query, steps)
                if logit.denominator != 1 or abs(logit) > LARGEST_EXPONENT:
                    raise InputError(f"a logit of {logit}", "with values the logits are small integers")

    def whole_logit(self, pair: tuple[int, int], query: int, steps: int) -> Fraction:
        """The logit of a pair so many steps before the query, where theta is a multiple of pi."""
        (x, y), (a, b) = self.key(*pair), self.queries[2 * query : 2 * query + 2]
        quarters = self.theta.turns * (2 * steps - self.length)
        cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[int(quarters) % 4]
        return (x * a + y * b) * cosine + (y * a - x * b) * sine


@dataclass(frozen=True)
class LongBindingCase(PlanePairCase):
    """Heads of one plane on Retrieval at lengths whose inputs are too many to go through: see
    `computes_retrieval_pairwise`. With one attribute the own key's logit lies below every other."""

    def validate(self) -> None:
        if not (1 <= self.symbols <= LONGEST and 1 <= self.attributes <= 3 and 2 <= self.length <= LONGEST):
            raise InputError(f"symbols {self.symbols}, attributes {self.attributes}, length {self.length}", "too large")
        refuse_repetition(self.symbols, self.length)
        self.refuse_vectors()
        bound = _largest(self.keys) * _largest(self.queries)
        if self.attributes == 1 and (self.own >= 0 or self.own**2 <= bound):
            raise InputError(f"own = {self.own}", "with one attribute it lies below every other logit")

    def smaller(self) -> Iterator[Self]:
        """Simpler cases with the same vectors, of which there are many."""
        return (case for case in super().smaller() if (case.keys, case.queries) == (self.keys, self.queries))


def _largest(row: Numbers) -> Fraction:
    """The largest squared length of the vectors in a row of coordinates."""
    return max(x * x + y * y for x, y in zip(row[::2], row[1::2], strict=True))


def computes_pairs_anyhow(case: PlanePairCase, repeated: bool) -> bool:
    """Whether the head is right on every input of Retrieval or, with symbols `repeated`, of partial induction."""
    steps = case.length - 1
    pairs = list(product(range(case.symbols), range(case.attributes)))
    for query in range(case.symbols):
        a, b = case.queries[2 * query : 2 * query + 2]
        logits: dict[Hashable, Sum] = {"own": ((case.own, ZERO),)}
        for pair, t in product(pairs, range(1, steps + 1)):
            x, y = case.key(*pair)
            turned = case.theta * (t - Fraction(case.length, 2))
            logits[pair, t] = ((x * a + y * b, turned), (y * a - x * b, turned - Angle(Fraction(1, 2))))
        order = ranks(logits)
        for body in product(pairs, repeat=steps):
            symbols = [symbol for symbol, _ in body]
            if query not in symbols or (not repeated and len(set(symbols)) < steps):
                continue
            attended = largest([*(order[pair, place + 1] for place, pair in enumerate(body)), order["own"]])
            counts = Counter(body[place][1] for place in attended if place < steps)
            answer = body[symbols.index(query)][1]
            wanted = counts.pop(answer, 0)
            if any(count >= wanted for count in counts.values()) or wanted == 0:
                return False
    return True


def computes_retrieval_with_values(case: PlaneBindingCase) -> bool:
    """Whether the head is right on every Retrieval input: under hard attention, or, where it has values, with them."""
    if not case.values:
        return computes_pairs_anyhow(case, repeated=False)
    steps = case.length - 1
    own = case.values[2 * case.symbols :]
    for body in product(product(range(case.symbols), range(2)), repeat=steps):  # the pairs at 1, 2, ... steps before
        symbols = [symbol for symbol, _ in body]
        if len(set(symbols)) < steps:
            continue
        for query in symbols:
            total = Fraction(2) ** int(case.own) * own[query]
            for t, (symbol, attribute) in enumerate(body, 1):
                weight = Fraction(2) ** int(case.whole_logit((symbol, attribute), query, t))
                total += weight * case.values[2 * symbol + attribute]
            answer = body[symbols.index(query)][1]
            if total == 0 or (total > 0) != (answer == 0):
                return False
    return True


def computes_retrieval_pairwise(case: PlanePairCase) -> bool:
    """Whether the head is right on every Retrieval input, from pairs of keys alone.

    It is if and only if each match is at least at the own key's logit and above each key of another symbol and
    attribute elsewhere. If one is not, fill the other places with that attribute: no more keys with the answer than
    with it are attended to. If all are, only keys with the answer are, and the own key.
    """
    letters, places = range(case.attributes), range(1, case.length)
    own: Sum = ((case.own, ZERO),)
    own_ball = value(own)
    for query in range(case.symbols):
        logit = _logits(case, query)
        for right, t in product(letters, places):
            match = logit(query, right, t)
            if not match[1] > own_ball and compare(match[0], own) < 0:
                return False
            for symbol, wrong, u in product(range(case.symbols), letters, places):
                if symbol == query or wrong == right or u == t:
                    continue
                other = logit(symbol, wrong, u)
                if not match[1] > other[1] and compare(match[0], other[0]) <= 0:
                    return False
    return True


def _logits(case: PlanePairCase, query: int) -> Callable[[int, int, int], tuple[Sum, arb]]:
    """The logit of a symbol's pair with an attribute at a place, for one query: exact, and a ball about it."""
    a, b = case.queries[2 * query : 2 * query + 2]

    @cache
    def at(key: Numbers, t: int) -> tuple[Sum, arb]:
        x, y = key
        turned = case.theta * (t - Fraction(case.length, 2))
        terms = ((x * a + y * b, turned), (y * a - x * b, turned - Angle(Fraction(1, 2))))
        return terms, value(terms)

    return lambda symbol, attribute, t: at(case.key(symbol, attribute), t)
