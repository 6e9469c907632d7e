"""Sums of square roots of rationals, compared with rationals exactly.

A sum of positive square roots of rationals is rational only if each of them is: the conjugations of the field that they
span change signs only, and a sum with a sign changed is smaller. So equality is decided by algebra, and where there is
none an enclosure, ever narrower, tells the order.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt

from flint import arb

from headproof.theory.angles import ball, lower_decimal, sign
from headproof.theory.errors import InputError


def exact_root(square: Fraction) -> Fraction | None:
    """The square root of a non-negative rational if it is rational."""
    above, below = isqrt(square.numerator), isqrt(square.denominator)
    return Fraction(above, below) if above**2 == square.numerator and below**2 == square.denominator else None


def compare(value: Fraction, squares: Iterable[Fraction]) -> int:
    """-1, 0 or 1 as the value is below, equal to or above the sum of the squares' roots; exact.

    Raises InputError for a negative square.
    """
    rest, irrational = _split(value, squares)
    if not irrational:
        return (rest > 0) - (rest < 0)
    return sign(lambda: ball(rest) - _sum(irrational))


def ratio(value: Fraction, squares: Iterable[Fraction]) -> Fraction | None:
    """`value / (sum of the squares' roots)`: exact where they are rational or the value is the sum, else to twelve
    decimals, rounded down; None where the sum is 0."""
    squares = tuple(squares)
    rest, irrational = _split(value, squares)
    if not irrational:
        total = value - rest
        return value / total if total else None
    return lower_decimal(lambda: ball(value) / _sum(squares))


def _split(value: Fraction, squares: Iterable[Fraction]) -> tuple[Fraction, tuple[Fraction, ...]]:
    """The value less all rational roots, and the squares whose roots are irrational."""
    irrational = []
    for square in squares:
        if square < 0:
            raise InputError(f"the root of {square}")
        root = exact_root(square)
        if root is None:
            irrational.append(square)
        else:
            value -= root
    return value, tuple(irrational)


def _sum(squares: Iterable[Fraction]) -> arb:
    return sum((ball(square).sqrt() for square in squares), arb(0))
