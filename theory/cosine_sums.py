"""Signs of rational combinations of cosines of exact angles, `sum a_i cos(x_i)`, ties included.

A strict sign is told by an enclosure. Zero is decided by algebra: written with exponentials, the sum is a combination
of `exp(i b)`, the `b >= 0` distinct rational numbers of radians, with coefficients in a cyclotomic field; by the
theorem of Lindemann and Weierstrass it vanishes if and only if every coefficient does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from math import lcm

from flint import arb, fmpq, fmpq_poly, fmpz_poly

from headproof.theory.angles import Angle, UndecidedSign, ball, lower_decimal, precision, sign

Sum = tuple[tuple[int | Fraction, Angle], ...]
ZERO = Angle(Fraction(0))
ONE: Sum = ((1, ZERO),)
DIGITS = 12


def cosine(angle: Angle) -> Sum:
    """`cos angle`."""
    return ((1, angle),)


def minus(left: Sum, right: Sum) -> Sum:
    """`left - right`."""
    return (*left, *((-factor, angle) for factor, angle in right))


def value(total: Sum) -> arb:
    """An enclosure at the working precision."""
    return sum((ball(factor) * angle.cos() for factor, angle in total), arb(0))


def sign_of(total: Sum) -> int:
    """-1, 0 or 1, exact."""
    return _sign(collected(total))


def compare(left: Sum, right: Sum) -> int:
    """-1, 0 or 1 as the left sum is below, equal to or above the right one, exact."""
    return sign_of(minus(left, right))


def largest(sums: Iterable[Sum]) -> Sum:
    """The largest of them."""
    return max(sums, key=cmp_to_key(compare))


def smallest(sums: Iterable[Sum]) -> Sum:
    """The smallest of them."""
    return min(sums, key=cmp_to_key(compare))


def ratio(left: Sum, right: Sum) -> Fraction | None:
    """`left / right` to twelve decimals, rounded down; exact where it is such a decimal, 0 and 1 included. None where
    the right side is 0."""
    positive = sign_of(right)
    if positive == 0:
        return None
    try:
        return lower_decimal(lambda: value(left) / value(right), DIGITS)
    except UndecidedSign:  # an enclosure of a decimal does not tell on which side the quotient is; algebra does
        whole = _nearest(left, right)
    below = positive * sign_of(minus(_times(left, 10**DIGITS), _times(right, whole))) < 0
    return Fraction(whole - below, 10**DIGITS)


def _nearest(left: Sum, right: Sum) -> int:
    """The one integer near to `10^DIGITS left / right`; raises UndecidedSign where the quotient is too large for it."""
    with precision(64 + 4 * DIGITS):
        scaled = value(left) / value(right) * 10**DIGITS
        whole = (scaled + ball(Fraction(1, 2))).floor().unique_fmpz()
    if whole is None:
        raise UndecidedSign(f"a quotient near {scaled} is too large for {DIGITS} decimals")
    return int(whole)


def _times(total: Sum, factor: int) -> Sum:
    return tuple((factor * each, angle) for each, angle in total)


def folded(angle: Angle) -> Angle:
    """An angle of the same cosine, from which equal cosines are easier to see: radians >= 0, turns reduced."""
    if angle.radians < 0:
        angle = -angle
    turns = angle.turns % 2
    return Angle(min(turns, 2 - turns) if angle.radians == 0 else turns, angle.radians)


def collected(terms: Sum) -> Sum:
    """The same sum with equal cosines together and nothing that vanishes, in a fixed order."""
    total: dict[Angle, Fraction] = defaultdict(Fraction)
    for factor, angle in terms:
        total[folded(angle)] += factor
    kept = [(factor, angle) for angle, factor in total.items() if factor]
    return tuple(sorted(kept, key=lambda term: (term[1].radians, term[1].turns)))


@lru_cache(maxsize=1 << 16)
def _sign(terms: Sum) -> int:
    if not terms:
        return 0
    with precision(64):
        first = value(terms)
    if first > 0 or first < 0:
        return 1 if first > 0 else -1
    return 0 if vanishes(terms) else sign(lambda: value(terms))


def vanishes(terms: Sum) -> bool:
    """Whether the sum is zero, by algebra alone."""
    groups: dict[Fraction, list[tuple[int | Fraction, Fraction]]] = defaultdict(list)
    for factor, angle in map(_folded_term, terms):
        groups[angle.radians].append((factor, angle.turns))
        if angle.radians == 0:  # a cosine is half of exp(i x) + exp(-i x); the same half everywhere
            groups[angle.radians].append((factor, -angle.turns))
    return all(_cyclotomic_sum_vanishes(group) for group in groups.values())


def _folded_term(term: tuple[int | Fraction, Angle]) -> tuple[int | Fraction, Angle]:
    return term[0], folded(term[1])


def _cyclotomic_sum_vanishes(group: list[tuple[int | Fraction, Fraction]]) -> bool:
    """Whether `sum factor * exp(i pi turns)` is zero: a polynomial in a root of unity, modulo its minimal one."""
    order = 2 * lcm(*(turns.denominator for _, turns in group))
    coefficients = [Fraction(0)] * order
    for factor, turns in group:
        coefficients[int(turns * order / 2) % order] += factor
    polynomial = fmpq_poly([fmpq(each.numerator, each.denominator) for each in coefficients])
    return bool((polynomial % fmpq_poly(fmpz_poly.cyclotomic(order))).degree() < 0)
