"""Heads on Retrieval and partial induction by their logits, and whether they answer every input rightly.

A key is a pair of a symbol and an attribute, `t` steps before the query, `1 <= t <= T = n - 1`. Symbols are numbered
from the query's on, which has number 0. See `plane_heads` for what being right means.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import permutations, product

from headproof.theory.angles import Angle
from headproof.theory.cosine_sums import Sum, compare
from headproof.theory.expressivity.plane_heads import (
    BY_SIZE,
    ZERO,
    InductionCase,
    PhaseCase,
    RetrievalCase,
    SoftmaxCase,
    always_right,
    largest,
    ranks,
)

Logit = Callable[[int, int], Sum]  # of the symbol's number and the steps before the query


def _bodies(symbols: int, steps: int, repeated: bool) -> Iterator[tuple[int, ...]]:
    """The symbols at 1, 2, ..., `steps` steps before the query, in every input that binds the query's."""
    drawn = product(range(symbols), repeat=steps) if repeated else permutations(range(symbols), steps)
    return (body for body in drawn if 0 in body)


def right_on_pairs(
    symbols: int, attributes: int, steps: int, logit: Logit, own: Sum, repeated: bool, first: bool = False
) -> bool:
    """Whether the head is right on every input with so many keys; symbols may be `repeated`, and then the match next
    to the query counts (the `first` one in the input instead, for mutants)."""
    logits: dict[Hashable, Sum] = {"own": own}
    logits |= {(symbol, t): logit(symbol, t) for symbol in range(symbols) for t in range(1, steps + 1)}
    order = ranks(logits)
    for body in _bodies(symbols, steps, repeated):
        values = [order[symbol, place + 1] for place, symbol in enumerate(body)]
        answer = steps - 1 - body[::-1].index(0) if first else body.index(0)
        if not always_right(largest([*values, order["own"]]), steps, answer, attributes):
            return False
    return True


# -- H_SYM ---------------------------------------------------------------------------------------------------------


def computes_retrieval(case: RetrievalCase, own: int = 0, swapped: bool = False, repeated: bool = False) -> bool:
    """Whether H_SYM is right on every Retrieval input: logit c for the query symbol's pair, 0 for others and, times
    c, `own` for the query's own key. `swapped` gives c to the others, `repeated` lets symbols repeat (mutants)."""

    def logit(symbol: int, t: int) -> Sum:
        return ((case.c * ((symbol == 0) != swapped), ZERO),)

    steps, own_logit = case.length - 1, ((case.c * own, ZERO),)
    return right_on_pairs(case.symbols, case.attributes, steps, logit, own_logit, repeated)


def computes_retrieval_softly(case: SoftmaxCase) -> bool:
    """Whether H_SYM is right on every Retrieval input under softmax, its weights e^c : 1 : ... : 1, exactly."""
    steps = case.length - 1
    for match in range(steps):
        for carried in product(range(case.attributes), repeat=steps):
            weights = [Fraction(0)] * case.attributes
            for place, attribute in enumerate(carried):
                weights[attribute] += case.growth if place == match else 1
            wanted = weights.pop(carried[match])
            if any(weight >= wanted for weight in weights):
                return False
    return True


# -- two angles ----------------------------------------------------------------------------------------------------


def polygon(symbol: int, symbols: int) -> Angle:
    """The angle between the directions of two symbols so many numbers apart, on the regular polygon."""
    return Angle(Fraction(2 * symbol, symbols))


def computes_induction(case: InductionCase, first: bool = False) -> bool:
    """Whether two planes are right on every partial induction input: the logit of symbol p, t steps before, is
    `cos(2 pi p / symbols) + recency cos(t theta)`, the own key's `-1 - recency`."""

    def logit(symbol: int, t: int) -> Sum:
        return ((Fraction(1), polygon(symbol, case.symbols)), (case.recency, case.theta * t))

    own = ((-1 - case.recency, ZERO),)
    return right_on_pairs(case.symbols, case.attributes, case.length - 1, logit, own, True, first)


def match_beats_spread(case: InductionCase, share: Fraction = Fraction(1), at_least: bool = False) -> bool:
    """Whether `share (1 - cos(2 pi / symbols)) > recency (cos theta - cos T theta)`, or `>=`; exact."""
    nearest = polygon(1, case.symbols)
    steps = case.length - 1
    margin = ((share, ZERO), (-share, nearest))
    spread = ((case.recency, case.theta), (-case.recency, case.theta * steps))
    return compare(margin, spread) >= (0 if at_least else 1)


# -- one angle -----------------------------------------------------------------------------------------------------


def computes_induction_by_phase(case: PhaseCase) -> bool:
    """Whether one plane is right on every partial induction input: logit `cos(t theta + p omega)` of the symbol p,
    `omega = 2 pi / symbols`, t steps before; -1 of the query's own key."""
    own = ((Fraction(-1), ZERO),)
    return right_on_pairs(case.symbols, case.attributes, case.length - 1, _phase(case, Fraction(0)), own, repeated=True)


def computes_retrieval_by_phase(case: PhaseCase) -> bool:
    """Whether one plane with centred phases is right on every Retrieval input: logit
    `cos((t - (T + 1) / 2) theta + p omega)`, -1 of the query's own key."""
    own = ((Fraction(-1), ZERO),)
    logit = _phase(case, Fraction(case.length, 2))
    return right_on_pairs(case.symbols, case.attributes, case.length - 1, logit, own, repeated=False)


def _phase(case: PhaseCase, centre: Fraction) -> Logit:
    return lambda symbol, t: ((Fraction(1), case.theta * (t - centre) + polygon(symbol, case.symbols)),)


def match_margin(case: PhaseCase) -> Sum | None:
    """The smallest lead of a match over an earlier one, `min cos(t theta) - cos(t' theta)` over `t < t' <= T`; None
    where there are no two keys."""
    steps = case.length - 1
    leads = [
        ((Fraction(1), case.theta * near), (Fraction(-1), case.theta * far))
        for near in range(1, steps)
        for far in range(near + 1, steps + 1)
    ]
    return min(leads, key=BY_SIZE, default=None)


def computes_induction_ahead(case: PhaseCase) -> bool:
    """Whether one plane with phases turned ahead is right on every partial induction input: logit
    `cos((t - 3/2) theta + e + p omega)`, `4 e = omega - (2T - 4) theta`; -1 of the query's own key."""
    steps = case.length - 1
    ahead = (polygon(1, case.symbols) - case.theta * (2 * steps - 4)) * Fraction(1, 4)

    def logit(symbol: int, t: int) -> Sum:
        return ((Fraction(1), case.theta * (t - Fraction(3, 2)) + ahead + polygon(symbol, case.symbols)),)

    return right_on_pairs(case.symbols, case.attributes, steps, logit, ((Fraction(-1), ZERO),), repeated=True)
