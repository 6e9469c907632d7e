"""Signs of integer combinations of cosines of exact angles, zero included.

Zero is never read off an enclosure. Twice such a sum at rational multiples of pi is an algebraic integer, all of
whose conjugates are at most `2 sum |c|` in size, so if it is not zero it cannot be too small; and exponentials of
distinct rational numbers of radians are linearly independent over the algebraic numbers (Lindemann-Weierstrass), so
a sum over both kinds is zero exactly if, for each number of radians, the part in multiples of pi is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key, lru_cache

from flint import arb

from headproof.theory.angles import PRECISIONS, Angle, UndecidedSign, lower_decimal, precision, sign

Sum = tuple[tuple[int, Angle], ...]
ZERO = Angle(Fraction(0))
ONE: Sum = ((1, ZERO),)
QUARTER = Fraction(1, 2)


def cosine(angle: Angle) -> Sum:
    """`cos angle`."""
    return ((1, angle),)


def minus(left: Sum, right: Sum) -> Sum:
    """`left - right`."""
    return (*left, *((-times, angle) for times, angle in right))


def value(total: Sum) -> arb:
    """An enclosure at the working precision."""
    return sum((times * angle.cos() for times, angle in total), arb(0))


@lru_cache(maxsize=1 << 16)
def sign_of(total: Sum) -> int:
    """-1, 0 or 1, exact; raises UndecidedSign where the numbers are too large to tell."""
    terms = _collected(total)
    if not terms:
        return 0
    parts: dict[Fraction, list[tuple[int, Angle]]] = {}
    for times, angle in terms:
        parts.setdefault(angle.radians, []).append((times, angle))
    if len(terms) > 1:
        if set(parts) == {Fraction(0)}:
            return _sign_of_turns(terms)
        if all(_vanishes(part) for part in parts.values()):
            return 0
    return sign(lambda: value(terms))


def compare(left: Sum, right: Sum) -> int:
    """-1, 0 or 1 as left is below, equal to or above right."""
    return sign_of(minus(left, right))


def largest(sums: Iterable[Sum]) -> Sum:
    """The largest of them."""
    return max(sums, key=cmp_to_key(compare))


def smallest(sums: Iterable[Sum]) -> Sum:
    """The smallest of them."""
    return min(sums, key=cmp_to_key(compare))


def ratio(left: Sum, right: Sum) -> Fraction | None:
    """`left / right` to twelve decimals, rounded down, 1 exactly where they are equal; None where both are 0."""
    if compare(left, right) == 0:
        return None if sign_of(right) == 0 else Fraction(1)
    return lower_decimal(lambda: value(left) / value(right))


def _collected(total: Sum) -> Sum:
    """The same sum, `cos(-x) = cos(x)` and `cos(pi - x) = -cos(x)` applied, equal angles joined."""
    kept: dict[Angle, int] = {}
    for times, angle in total:
        turns, radians = (angle.turns, angle.radians) if angle.radians >= 0 else (-angle.turns, -angle.radians)
        turns, sense = turns % 2, 1
        if turns >= 1:
            turns, sense = turns - 1, -1
        if radians == 0 and turns > QUARTER:
            turns, sense = 1 - turns, -sense
        if radians == 0 and turns == QUARTER:
            continue
        folded = Angle(turns, radians)
        kept[folded] = kept.get(folded, 0) + sense * times
    return tuple((times, angle) for angle, times in kept.items() if times)


def _vanishes(part: list[tuple[int, Angle]]) -> bool:
    """Whether `sum c e^{i pi turns}` is zero."""
    real = tuple((times, Angle(angle.turns)) for times, angle in part)
    imaginary = tuple((times, Angle(angle.turns - QUARTER)) for times, angle in part)
    return sign_of(real) == 0 == sign_of(imaginary)


def _sign_of_turns(terms: Sum) -> int:
    """The sign of a sum at rational multiples of pi, zero where it is too small to be anything else."""
    order = 2 * math.lcm(*(angle.turns.denominator for _, angle in terms))  # of a root of unity in whose field it lies
    size = 2 * sum(abs(times) for times, _ in terms)
    least_bits = (order // 2) * math.log2(size) + 1  # if not zero, twice the sum is above 2^-least_bits
    for bits in PRECISIONS:
        with precision(bits):
            enclosed = value(terms)
            if enclosed > 0:
                return 1
            if enclosed < 0:
                return -1
            if abs(enclosed) * 2 < arb(2) ** -math.ceil(least_bits):
                return 0
    raise UndecidedSign(f"the sign of a sum of cosines at multiples of pi / {order // 2}", "take simpler angles")
