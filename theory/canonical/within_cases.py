"""Heads with a plane for each symbol, all planes of one angle, and what they answer, decided from the logits (dec.toy).

The key of a pair is the unit vector of its symbol's plane; the query of a symbol has a part in that plane, which makes
the logit of a match, and in one of the heads a part in each other plane, which makes that of a wrong key. In another
one planes of angle 0, one a symbol, stand beside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from headproof.theory.angles import Angle, reduced
from headproof.theory.cosine_sums import Sum, compare, cosine
from headproof.theory.expressivity.plane_bindings import right_on_pairs
from headproof.theory.expressivity.plane_heads import ZERO, BindingCase, PhaseCase

NOTHING: Sum = ()
QUARTER_TURN = Angle(Fraction(1, 2))
OWN: Sum = ((-1, ZERO),)


@dataclass(frozen=True)
class PlanesCase(PhaseCase):
    """A plane of the angle theta for each symbol, on partial induction."""


@dataclass(frozen=True)
class BesideCase(PhaseCase):
    """A plane of the angle theta and one of angle 0 for each symbol, on partial induction."""


@dataclass(frozen=True)
class PlanesBindingCase(BindingCase):
    """The same on Retrieval."""


def turned(theta: Angle, t: int, centre: Fraction, ahead: Angle = ZERO) -> Angle:
    """An angle of the cosine of `(t - centre) rest + ahead`, for the rest of theta up to its sign and full turns.

    It is `t theta` and what a query can be turned by: where the rest is that of -theta, the query is mirrored.
    """
    rest = reduced(theta)
    back = rest * centre - ahead
    return theta * t - back if (theta - rest).is_multiple_of_full_turn else theta * t + back


def computes_retrieval_centred(case: PlanesBindingCase) -> bool:
    """Whether the head is right on every Retrieval input whose matches have the logit `cos((t - (T + 1) / 2) rest)`,
    wrong keys and the query's own 0."""
    return _right(case, lambda t: cosine(turned(case.theta, t, Fraction(case.length, 2))), repeated=False)


def ordered_match(case: PlanesCase, t: int) -> Sum:
    """The logit `cos((t - 3/2) rest + e)`, `4 e = pi - (2T - 3) rest`, of a match t steps back."""
    ahead = (Angle(Fraction(1)) - reduced(case.theta) * (2 * case.length - 5)) * Fraction(1, 4)
    return cosine(turned(case.theta, t, Fraction(3, 2), ahead))


def is_positive_and_falls(case: PlanesCase) -> bool:
    """Whether the logits of `ordered_match` are above 0 at all places, each above those of earlier keys."""
    logits = [ordered_match(case, t) for t in range(1, case.length)]
    falls = all(compare(one, other) > 0 for one, other in pairwise(logits))
    return falls and all(compare(each, NOTHING) > 0 for each in logits)


def computes_induction_in_order(case: PlanesCase) -> bool:
    """Whether the head with these matches, wrong keys and the query's own at 0, is right on every input."""
    return _right(case, lambda t: ordered_match(case, t), repeated=True)


def computes_induction_against(case: PlanesCase) -> bool:
    """Whether the head is right on every partial induction input whose matches have the logit `kappa cos((t - 1)
    rest)`, `kappa = cos((T - 1) rest / 2)`, wrong keys `-cos((t - (T + 1) / 2) rest)`, the query's own -1."""
    span = reduced(case.theta) * Fraction(case.length - 2, 2)

    def logit(symbol: int, t: int) -> Sum:
        if symbol:
            return ((-1, turned(case.theta, t, Fraction(case.length, 2))),)
        match = case.theta * (t - 1)
        return ((Fraction(1, 2), match + span), (Fraction(1, 2), match - span))

    return right_on_pairs(case.symbols, case.attributes, case.length - 1, logit, OWN, repeated=True)


def computes_induction_beside(case: BesideCase) -> bool:
    """Whether the head is right on every partial induction input whose matches have the logit `1 - sin((t - (T + 1) /
    2) rest) / 2`, wrong keys and the query's own 0."""

    def match(t: int) -> Sum:  # -sin y = cos(y + pi / 2)
        return ((1, ZERO), (Fraction(1, 2), turned(case.theta, t, Fraction(case.length, 2), QUARTER_TURN)))

    return _right(case, match, repeated=True)


def _right(case: PhaseCase, match: Callable[[int], Sum], repeated: bool) -> bool:
    def logit(symbol: int, t: int) -> Sum:
        return NOTHING if symbol else match(t)

    return right_on_pairs(case.symbols, case.attributes, case.length - 1, logit, NOTHING, repeated)
