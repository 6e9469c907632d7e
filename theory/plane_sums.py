"""The exact sign of `sum a_i cos(x_i)` with rational `a_i` and exact angles `x_i`, ties included.

A strict sign is told by an enclosure. Zero is decided by algebra: written with exponentials, the sum is a combination
of `exp(i b)`, the `b >= 0` distinct rational numbers of radians, with coefficients in a cyclotomic field; by the
theorem of Lindemann and Weierstrass it vanishes if and only if every coefficient does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import lcm

from flint import arb, fmpq, fmpq_poly, fmpz_poly

from headproof.theory.angles import Angle, ball, precision, sign

Terms = tuple[tuple[Fraction, Angle], ...]


def folded(angle: Angle) -> Angle:
    """An angle of the same cosine, from which equal cosines are easier to see: radians >= 0, turns reduced."""
    if angle.radians < 0:
        angle = -angle
    turns = angle.turns % 2
    return Angle(min(turns, 2 - turns) if angle.radians == 0 else turns, angle.radians)


def collected(terms: Iterable[tuple[Fraction, Angle]]) -> Terms:
    """The same sum with equal cosines together and nothing that vanishes, in a fixed order."""
    total: dict[Angle, Fraction] = defaultdict(Fraction)
    for factor, angle in terms:
        total[folded(angle)] += factor
    kept = [(factor, angle) for angle, factor in total.items() if factor]
    return tuple(sorted(kept, key=lambda term: (term[1].radians, term[1].turns)))


def enclosure(terms: Terms) -> arb:
    """The sum, at the working precision."""
    return sum((ball(factor) * angle.cos() for factor, angle in terms), arb(0))


def compare_sums(left: Terms, right: Terms) -> int:
    """-1, 0 or 1 as the left sum is below, equal to or above the right one, exact."""
    return _sign(collected((*left, *((-factor, angle) for factor, angle in right))))


@lru_cache(maxsize=1 << 16)
def _sign(terms: Terms) -> int:
    if not terms:
        return 0
    with precision(64):
        first = enclosure(terms)
    if first > 0 or first < 0:
        return 1 if first > 0 else -1
    return 0 if vanishes(terms) else sign(lambda: enclosure(terms))


def vanishes(terms: Terms) -> bool:
    """Whether the sum is zero, by algebra alone."""
    groups: dict[Fraction, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    for factor, angle in map(_folded_term, terms):
        groups[angle.radians].append((factor, angle.turns))
        if angle.radians == 0:  # a cosine is half of exp(i x) + exp(-i x); the same half everywhere
            groups[angle.radians].append((factor, -angle.turns))
    return all(_cyclotomic_sum_vanishes(group) for group in groups.values())


def _folded_term(term: tuple[Fraction, Angle]) -> tuple[Fraction, Angle]:
    return term[0], folded(term[1])


def _cyclotomic_sum_vanishes(group: list[tuple[Fraction, Fraction]]) -> bool:
    """Whether `sum factor * exp(i pi turns)` is zero: a polynomial in a root of unity, modulo its minimal one."""
    order = 2 * lcm(*(turns.denominator for _, turns in group))
    coefficients = [Fraction(0)] * order
    for factor, turns in group:
        coefficients[int(turns * order / 2) % order] += factor
    polynomial = fmpq_poly([fmpq(each.numerator, each.denominator) for each in coefficients])
    return bool((polynomial % fmpq_poly(fmpz_poly.cyclotomic(order))).degree() < 0)
