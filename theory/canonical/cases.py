"""Cases of statements about Index and partial induction under a set of angles, each decided input by input from the
definitions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from headproof.theory.angles import Angle
from headproof.theory.canonical import Classes
from headproof.theory.cosine_sums import Sum
from headproof.theory.errors import InputError
from headproof.theory.expressivity.plane_heads import largest, ranks, refuse_sizes
from headproof.theory.parameters import Numbers, ParameterCase

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class SetCase(ParameterCase):
    """A set of angles, multiples of pi and rational numbers of radians, with the sizes of the task Index."""

    of_pi: Numbers
    in_radians: Numbers
    keys: int
    symbols: int

    def validate(self) -> None:
        refuse_angles(self.angles)
        refuse_sizes(self.symbols, self.keys + 1)

    @property
    def angles(self) -> tuple[Angle, ...]:
        """The angles in the order given."""
        return angles_of(self.of_pi, self.in_radians)


@dataclass(frozen=True)
class ToyCase(ParameterCase):
    """A head with a plane for each angle (an angle may repeat) on Index.

    A key vector for each symbol, query vectors for the targets (used in turn) and the key vector of the query's own
    token, all of two coordinates a plane, in the order of the angles. Queries are given as they are for the place of
    the target: the rotation by the distance from the query to it is taken off.
    """

    of_pi: Numbers
    in_radians: Numbers
    keys: int
    vectors: Numbers
    queries: Numbers
    own: Numbers

    def validate(self) -> None:
        refuse_angles(self.angles)
        size = 2 * len(self.angles)
        rows = (self.vectors, self.queries)
        if any(not row or len(row) % size for row in rows) or len(self.own) != size:
            raise InputError(f"vectors, queries and own have {size} coordinates for each token, got {self}")
        refuse_sizes(self.symbols, self.keys + 1)

    @property
    def angles(self) -> tuple[Angle, ...]:
        """The angle of each plane."""
        return angles_of(self.of_pi, self.in_radians)

    @property
    def symbols(self) -> int:
        """How many symbols have a key vector."""
        return len(self.vectors) // len(self.own)

    def ranks(self, target: int) -> dict[Hashable, int]:
        """The order of the logits at a target: by `(place, symbol)`; of the query's own key by `(keys + 1, None)`."""
        return _ranks(self, (target - 1) * len(self.own) % len(self.queries), target)


@dataclass(frozen=True)
class PairToyCase(ParameterCase):
    """The same on partial induction: a key vector for each pair (the attributes of symbol 0 first), a query vector for
    each symbol, as it is for the last key place, and the key vector of the query's own token."""

    of_pi: Numbers
    in_radians: Numbers
    keys: int
    attributes: int
    vectors: Numbers
    queries: Numbers
    own: Numbers

    def validate(self) -> None:
        refuse_angles(self.angles)
        size = 2 * len(self.angles)
        wrong = self.attributes < 1 or not self.queries or len(self.queries) % size or len(self.own) != size
        if wrong or len(self.vectors) != self.attributes * len(self.queries):
            raise InputError(f"vectors of pairs, queries of symbols and own have {size} coordinates each, got {self}")
        refuse_sizes(self.symbols * self.attributes, self.keys + 1)

    @property
    def angles(self) -> tuple[Angle, ...]:
        """The angle of each plane."""
        return angles_of(self.of_pi, self.in_radians)

    @property
    def symbols(self) -> int:
        """How many symbols have a query vector."""
        return len(self.queries) // len(self.own)

    def ranks(self, target: int) -> dict[Hashable, int]:
        """The order of the logits for the query symbol number `target - 1`: by `(place, pair)`, and as above."""
        return _ranks(self, (target - 1) * len(self.own), self.keys)


def _ranks(case: ToyCase | PairToyCase, start: int, middle: int) -> dict[Hashable, int]:
    """The order of the logits for the query vector from a coordinate on, which is given as it is for a place."""
    size = len(case.own)
    query = case.queries[start : start + size]

    def logit(place: int, key: Numbers) -> Sum:
        terms: list[tuple[Fraction, Angle]] = []
        for f, angle in enumerate(case.angles):
            (x, y), (a, b) = key[2 * f : 2 * f + 2], query[2 * f : 2 * f + 2]
            turned = angle * (middle - place)
            terms += [(x * a + y * b, turned), (y * a - x * b, turned - Angle(Fraction(1, 2)))]
        return tuple(terms)

    logits: dict[Hashable, Sum] = {
        (place, token): logit(place, case.vectors[token * size : (token + 1) * size])
        for place in range(1, case.keys + 1)
        for token in range(len(case.vectors) // size)
    }
    return ranks(logits | {(case.keys + 1, None): logit(case.keys + 1, case.own)})


def angles_of(of_pi: Numbers, in_radians: Numbers) -> tuple[Angle, ...]:
    """Multiples of pi and numbers of radians as angles."""
    return (*map(Angle.of_pi, of_pi), *map(Angle.of_radians, in_radians))


def refuse_angles(angles: tuple[Angle, ...]) -> None:
    """Raise InputError for a head without angles."""
    if not angles:
        raise InputError("no angles", "a rotary head has one at least; no rotation is the angle 0")


def aliased_pairs(angles: Sequence[Angle], keys: int) -> Pairs:
    """All pairs of different places whose distance times every angle is a whole number of turns, by definition."""
    places = range(1, keys + 1)
    return frozenset(
        (k, other)
        for k in places
        for other in range(k + 1, keys + 1)
        if all((angle * (k - other)).is_multiple_of_full_turn for angle in angles)
    )


def inputs(keys: int, symbols: int) -> Iterator[tuple[int, ...]]:
    """All inputs without their query."""
    return product(range(symbols), repeat=keys)


@lru_cache(maxsize=1 << 12)
def invariant_share(pairs: Pairs, keys: int, symbols: int) -> Fraction:
    """The largest share of inputs that a function answers rightly if exchanging two places of a pair never changes its
    answer: inputs that exchanges lead to have one answer for a target, the most frequent right one is the best."""
    orbits: dict[tuple[int, ...], int] = {}
    for body in inputs(keys, symbols):
        if body in orbits:
            continue
        reached = [body]
        orbits[body] = orbit = len(orbits)
        for each in reached:
            for k, other in pairs:
                moved = list(each)
                moved[k - 1], moved[other - 1] = moved[other - 1], moved[k - 1]
                if (exchanged := tuple(moved)) not in orbits:
                    orbits[exchanged] = orbit
                    reached.append(exchanged)
    right = 0
    for target in range(keys):
        answers: dict[int, Counter[int]] = defaultdict(Counter)
        for body, orbit in orbits.items():
            answers[orbit][body[target]] += 1
        right += sum(max(counts.values()) for counts in answers.values())
    return Fraction(right, keys * symbols**keys)


def equal_keys_share(angles: Sequence[Angle], keys: int, symbols: int) -> Fraction:
    """The share of inputs that one head answers rightly: a plane for each angle, the same key vector for all tokens.

    Its logit at place k for the target j is the sum of `cos(theta (j - k))`. It attends to the places of the largest
    logit alone, ties averaged, and answers the most frequent symbol there, the first of several; the query's own key,
    at place `keys + 1`, takes part but carries no answer.
    """
    attended = []
    for j in range(1, keys + 1):
        order = ranks({k: tuple((1, angle * (j - k)) for angle in angles) for k in range(1, keys + 2)})
        attended.append(tuple(largest([order[k] for k in range(1, keys + 2)])))
    return _majority_share(tuple(attended), keys, symbols)


@lru_cache(maxsize=1 << 12)
def _majority_share(attended: Classes, keys: int, symbols: int) -> Fraction:
    right = 0
    for body in inputs(keys, symbols):
        for target, places in enumerate(attended):
            counts = Counter(body[place] for place in places if place < keys)
            right += max(counts, key=lambda symbol: (counts[symbol], -symbol), default=None) == body[target]
    return Fraction(right, keys * symbols**keys)


def computes_index(case: ToyCase) -> bool:
    """Whether the head is right on every Index input: hard attention, ties averaged, the answer the unique largest."""
    for target in range(1, case.keys + 1):
        order = case.ranks(target)
        for body in inputs(case.keys, case.symbols):
            values = [order[place, symbol] for place, symbol in enumerate(body, 1)]
            attended = largest([*values, order[case.keys + 1, None]])
            counts = Counter(body[place] for place in attended if place < case.keys)
            wanted = counts[body[target - 1]]
            if any(count >= wanted for symbol, count in counts.items() if symbol != body[target - 1]) or not wanted:
                return False
    return True


def computes_induction(case: PairToyCase) -> bool:
    """Whether the head is right on every partial induction input, which holds the query's symbol: as above, the answer
    the attribute of its last pair."""
    for query in range(case.symbols):
        order = case.ranks(query + 1)
        for body in inputs(case.keys, case.symbols * case.attributes):
            bound = [pair % case.attributes for pair in body if pair // case.attributes == query]
            if not bound:
                continue
            values = [order[place, pair] for place, pair in enumerate(body, 1)]
            attended = largest([*values, order[case.keys + 1, None]])
            counts = Counter(body[place] % case.attributes for place in attended if place < case.keys)
            wanted = counts.pop(bound[-1], 0)
            if any(count >= wanted for count in counts.values()) or not wanted:
                return False
    return True


def exchanges_unseen(case: ToyCase | PairToyCase) -> bool:
    """Whether every token has, for every query, the same logit at both places of each aliased pair."""
    pairs = aliased_pairs(case.angles, case.keys)
    queries = case.keys if isinstance(case, ToyCase) else case.symbols
    orders = [case.ranks(query) for query in range(1, queries + 1)] if pairs else []
    tokens = len(case.vectors) // len(case.own)
    return all(
        order[k, token] == order[other, token] for order in orders for k, other in pairs for token in range(tokens)
    )
