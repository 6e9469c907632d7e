"""Heads of one or two rotary planes by their logits, and whether they answer every input rightly.

Each head stands here by its logits as the source prints them, exact sums of multiples of cosines; the weights that
give these logits are in `constructions.expressivity`, and a test ties the two. An input has keys at positions 1 to
`n - 1` and the query at `n`, whose own key is attended to like any other but carries no answer. A head is right on an
input if the task's answer is the unique largest: under hard attention, ties averaged, more attended keys carry it
than any other answer; under softmax they have more weight.

Each predicate goes through every input of the given size. Keys that are not attended to carry nothing to the output,
so their answers are not varied; a renaming of the symbols changes no logit, so the query's symbol is number 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import product
from typing import Literal

from flint import arb

from headproof.theory.angles import Angle, ball, precision, sign
from headproof.theory.cosine_sums import Sum, compare, value
from headproof.theory.errors import InputError
from headproof.theory.parameters import Numbers, ParameterCase

Names = Literal["position", "offset"]
MOST_INPUTS = 4096
ZERO = Angle(Fraction(0))


def refuse_sizes(symbols: int, length: int, attributes: int = 1) -> None:
    """Raise InputError where such a task has no input, or too many of them."""
    if symbols < 1 or attributes < 1:
        raise InputError(f"symbols = {symbols}, attributes = {attributes}", "an alphabet has at least one letter")
    if length < 2:
        raise InputError(f"length = {length}", "an input has a key and a query")
    if max(symbols, attributes) ** (length - 1) > MOST_INPUTS:
        raise InputError(f"{symbols} symbols, {attributes} attributes and length {length} are too many inputs")


@dataclass(frozen=True)
class SizeCase(ParameterCase):
    """An alphabet's size and an input's length, the query counted."""

    symbols: int
    length: int

    def validate(self) -> None:
        refuse_sizes(self.symbols, self.length)


@dataclass(frozen=True)
class IndexCase(ParameterCase):
    """H_POS: its angle and weight, with the sizes of the task Index."""

    theta: Angle
    symbols: int
    length: int
    c: Fraction = Fraction(1)

    def validate(self) -> None:
        refuse_sizes(self.symbols, self.length)


@dataclass(frozen=True)
class PlaneCase(ParameterCase):
    """Any head of one plane on Index: two coordinates of a key vector for each symbol, two of a query vector for each
    target (used in turn), two of the query's own key. Queries are given in the frame turned back to their target."""

    theta: Angle
    length: int
    keys: Numbers
    queries: Numbers
    own: Numbers

    def validate(self) -> None:
        if not self.keys or len(self.keys) % 2 or not self.queries or len(self.queries) % 2 or len(self.own) != 2:
            raise InputError(f"keys, queries and own are pairs of coordinates, got {self}")
        refuse_sizes(self.symbols, self.length)

    @property
    def symbols(self) -> int:
        """How many symbols have a key."""
        return len(self.keys) // 2


@dataclass(frozen=True)
class RetrievalCase(ParameterCase):
    """H_SYM: its weight, with the sizes of the task Retrieval, which binds a symbol once."""

    symbols: int
    attributes: int
    length: int
    c: Fraction = Fraction(1)

    def validate(self) -> None:
        refuse_sizes(self.symbols, self.length, self.attributes)
        refuse_repetition(self.symbols, self.length)


@dataclass(frozen=True)
class SoftmaxCase(ParameterCase):
    """H_SYM under softmax: `growth` is e^c, with the sizes of Retrieval."""

    symbols: int
    attributes: int
    length: int
    growth: Fraction = Fraction(1)

    def validate(self) -> None:
        refuse_sizes(self.symbols, self.length, self.attributes)
        refuse_repetition(self.symbols, self.length)
        if self.growth <= 0:
            raise InputError(f"growth = {self.growth}", "e^c is positive")


@dataclass(frozen=True)
class InductionCase(ParameterCase):
    """Two planes, the first at angle 0 with weight 1, the second with weight `recency`, on partial induction."""

    theta: Angle
    symbols: int
    attributes: int
    length: int
    recency: Fraction = Fraction(1)

    def validate(self) -> None:
        refuse_sizes(self.symbols, self.length, self.attributes)


@dataclass(frozen=True)
class PhaseCase(ParameterCase):
    """One plane with the symbol in the phase, on partial induction."""

    theta: Angle
    symbols: int
    attributes: int
    length: int

    def validate(self) -> None:
        refuse_sizes(self.symbols, self.length, self.attributes)


@dataclass(frozen=True)
class BindingCase(PhaseCase):
    """One plane with the symbol in the phase, on Retrieval."""

    def validate(self) -> None:
        super().validate()
        refuse_repetition(self.symbols, self.length)


def refuse_repetition(symbols: int, length: int) -> None:
    """Raise InputError where the symbols in an input cannot all differ."""
    if length - 1 > symbols:
        raise InputError(f"{symbols} symbols, length {length}", "Retrieval binds a symbol once: n - 1 symbols at least")


# -- hard attention ------------------------------------------------------------------------------------------------


def ranks(logits: Mapping[Hashable, Sum]) -> dict[Hashable, int]:
    """The place of each logit in their order, equal ones together; exact."""
    with precision(64):
        balls = {name: value(terms) for name, terms in logits.items()}

    def order(one: Hashable, other: Hashable) -> int:
        if balls[one] < balls[other]:
            return -1
        if balls[one] > balls[other]:
            return 1
        return compare(logits[one], logits[other])

    rank, found, before = 0, {}, None
    for name in sorted(logits, key=cmp_to_key(order)):
        if before is not None and order(before, name) != 0:
            rank += 1
        found[name], before = rank, name
    return found


BY_SIZE = cmp_to_key(compare)


def always_right(attended: Sequence[int], own: int, answer: int, choices: int) -> bool:
    """Whether the key `answer` decides, whatever of `choices` letters each key carries; key `own` carries none."""
    places = [place for place in attended if place != own]
    varied = sorted({*places, answer})
    for letters in product(range(choices), repeat=len(varied)):
        carried = dict(zip(varied, letters, strict=True))
        counts = Counter(carried[place] for place in places).most_common(2)
        unique = len(counts) == 1 or (len(counts) == 2 and counts[0][1] > counts[1][1])
        if not unique or counts[0][0] != carried[answer]:
            return False
    return True


def largest(values: Sequence[int]) -> list[int]:
    """The places of the largest value."""
    top = max(values)
    return [place for place, value in enumerate(values) if value == top]


# -- Index ---------------------------------------------------------------------------------------------------------


def computes_index(case: IndexCase, names: Names = "position", shift: int = 0) -> bool:
    """Whether H_POS is right on every Index input: of this length, or of each up to it if queries name offsets.

    Its logit is `c cos(theta (j + shift - k))` for target j and key k, the query's own (k = n) included. A query that
    names the offset o at length m has the logits of target m - o.
    """
    lengths = [case.length] if names == "position" else range(2, case.length + 1)
    return all(
        _index_right(n, case.symbols, lambda j, k, _: ((case.c, case.theta * (j + shift - k)),)) for n in lengths
    )


def computes_index_anyhow(case: PlaneCase) -> bool:
    """Whether a head of one plane is right on every Index input: logits `k_s . R((j - p) theta) q_j` for the symbol s
    at position p and target j."""

    def logit(j: int, p: int, symbol: int | None) -> Sum:
        x, y = case.own if symbol is None else case.keys[2 * symbol : 2 * symbol + 2]
        place = (j - 1) % (len(case.queries) // 2)
        a, b = case.queries[2 * place : 2 * place + 2]
        turned = case.theta * (j - p)
        return ((x * a + y * b, turned), (y * a - x * b, turned - Angle(Fraction(1, 2))))

    for j in range(1, case.length):
        places = range(1, case.length)
        logits: dict[Hashable, Sum] = {"own": logit(j, case.length, None)}
        logits |= {(p, s): logit(j, p, s) for p in places for s in range(case.symbols)}
        order = ranks(logits)
        for body in product(range(case.symbols), repeat=case.length - 1):
            values = [order[p, s] for p, s in zip(places, body, strict=True)]
            attended = largest([*values, order["own"]])
            counts = Counter(body[place] for place in attended if place < case.length - 1)
            wanted = counts[body[j - 1]]
            if wanted == 0 or any(count >= wanted for symbol, count in counts.items() if symbol != body[j - 1]):
                return False
    return True


def _index_right(n: int, symbols: int, logit: Callable[[int, int, int], Sum]) -> bool:
    for j in range(1, n):
        order = ranks({k: logit(j, k, n) for k in range(1, n + 1)})
        attended = [place + 1 for place in largest([order[k] for k in range(1, n + 1)])]
        if not always_right(attended, n, j, symbols):
            return False
    return True


def index_margin(case: IndexCase) -> Sum | None:
    """The smallest lead of the target over another key that carries an answer, `min c - c cos(theta (j - k))`; None
    where there is no other."""
    leads = [
        ((case.c, ZERO), (-case.c, case.theta * (j - k)))
        for j in range(1, case.length)
        for k in range(1, case.length)
        if j != k
    ]
    return min(leads, key=BY_SIZE, default=None)


def computes_index_softly(case: IndexCase) -> bool:
    """Whether H_POS is right on every Index input under softmax, weight c and inverse temperature 1.

    The worst input has one other symbol at every other place, so the others' weights together must stay below the
    target's. A tie in which an angle aliases or c = 0 is seen exactly.
    """
    if case.symbols == 1:
        return True
    for j in range(1, case.length):
        others = [j - k for k in range(1, case.length) if k != j]
        if others and (case.c == 0 or any((case.theta * d).is_multiple_of_full_turn for d in others)):
            return False  # one other key weighs as much as the target
        if others and sign(partial(_lead, case, others)) < 0:
            return False
    return True


def _lead(case: IndexCase, distances: list[int]) -> arb:
    """One less the weights, relative to the target's, of keys at these distances from it."""
    c = ball(case.c)
    return 1 - sum(((c * ((case.theta * d).cos() - 1)).exp() for d in distances), arb(0))
