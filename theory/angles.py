"""Exact angles `a pi + b` with rational a and b, and the order of their cosines decided without rounding.

Between them such angles cover what statements about rotary heads need: multiples of pi, which alias and tie, and
rational numbers of radians, whose multiples never do. Equality of two cosines is decided by algebra (pi is
irrational), every strict order by enclosures that get narrower until they tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

from flint import arb, ctx, fmpq

from headproof.theory.errors import InputError
from headproof.theory.rational import rational

PRECISIONS = (64, 128, 256, 512, 1024, 2048, 4096)


class UndecidedSign(InputError):
    """No enclosure up to the largest precision tells a value from zero: it is zero, or too near to it."""


@dataclass(frozen=True)
class Angle:
    """The angle `pi * turns + radians`: `turns` is in units of pi (half turns), both parts are Fractions.

    >>> Angle.parse("2/5 pi") * 5
    Angle(turns=Fraction(2, 1), radians=Fraction(0, 1))
    """

    turns: Fraction
    radians: Fraction = Fraction(0)

    @classmethod
    def of_pi(cls, multiple: Any) -> Self:
        """`multiple` times pi, the multiple an integer, a Fraction or text such as "2/5"."""
        return cls(rational(multiple))

    @classmethod
    def of_radians(cls, radians: Any) -> Self:
        """A rational number of radians."""
        return cls(Fraction(0), rational(radians))

    @classmethod
    def parse(cls, text: str) -> Self:
        """An angle from text such as "2/5 pi", "3/4", "pi" or "1/3 pi + 1/2", the form in which it is written."""
        parts = text.split("+") if isinstance(text, str) else []
        turns = radians = Fraction(0)
        if not 1 <= len(parts) <= 2:
            raise InputError(f"not an angle: {text!r:.60}", "write it as '2/5 pi', '1/2' or '1/3 pi + 1/2'")
        for part in map(str.strip, parts):
            match = re.fullmatch(r"(.*?)\s*pi", part)
            if match:
                turns += rational({"": "1", "-": "-1"}.get(match[1], match[1]))
            else:
                radians += rational(part)
        return cls(turns, radians)

    def __add__(self, other: Angle) -> Angle:
        return Angle(self.turns + other.turns, self.radians + other.radians)

    def __sub__(self, other: Angle) -> Angle:
        return Angle(self.turns - other.turns, self.radians - other.radians)

    def __neg__(self) -> Angle:
        return Angle(-self.turns, -self.radians)

    def __mul__(self, factor: int | Fraction) -> Angle:
        return Angle(self.turns * factor, self.radians * factor)

    __rmul__ = __mul__

    @property
    def is_multiple_of_full_turn(self) -> bool:
        """Whether the angle is an integer times 2 pi."""
        return self.radians == 0 and self.turns % 2 == 0

    @property
    def is_irrational(self) -> bool:
        """Whether the number of radians is irrational; it is unless the part in pi is absent."""
        return self.turns != 0

    @property
    def is_incommensurable(self) -> bool:
        """Whether the angle over pi is irrational; then no multiple of it but 0 is a whole number of turns."""
        return self.radians != 0

    @property
    def is_positive(self) -> bool:
        """Whether the angle is above 0, exactly: a part in radians beside one in pi is never its opposite."""
        return self.turns > 0 if self.radians == 0 else sign(self.enclosure) > 0

    @property
    def is_nonnegative(self) -> bool:
        """Whether the angle is 0 or above, exactly."""
        return self.turns == 0 == self.radians or self.is_positive

    def enclosure(self) -> arb:
        """The angle in radians, at the working precision."""
        return arb.pi() * ball(self.turns) + ball(self.radians)

    def cos(self) -> arb:
        """An enclosure of the cosine, at the working precision."""
        return self._turned(arb.cos, arb.cos_pi_fmpq)

    def sin(self) -> arb:
        """An enclosure of the sine, at the working precision."""
        return self._turned(arb.sin, arb.sin_pi_fmpq)

    def _turned(self, general: Callable[[arb], arb], of_pi: Callable[[fmpq], arb]) -> arb:
        if self.radians == 0:
            return of_pi(_fmpq(self.turns))
        return general(self.enclosure())

    def __float__(self) -> float:
        return float(self.enclosure().mid())

    def __str__(self) -> str:
        pi = {Fraction(1): "pi", Fraction(-1): "-pi"}.get(self.turns, f"{self.turns} pi")
        if self.turns == 0:
            return str(self.radians)
        return pi if self.radians == 0 else f"{pi} + {self.radians}"


def ball(value: int | Fraction) -> arb:
    """A rational number at the working precision."""
    return arb(value) if isinstance(value, int) else arb(_fmpq(value))


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work at a precision of so many bits; the one before comes back at the end."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def sign(value: Callable[[], arb]) -> int:
    """-1 or 1: the sign of a real number, enclosed ever more narrowly by `value()` at the working precision.

    Zero is found only where the enclosure is exactly zero. Raises UndecidedSign where no precision tells.
    """
    for bits in PRECISIONS:
        with precision(bits):
            enclosed = value()
            if enclosed > 0:
                return 1
            if enclosed < 0:
                return -1
            if enclosed == 0:
                return 0
    raise UndecidedSign(f"the sign of {enclosed} is undecided at {PRECISIONS[-1]} bits", "change a parameter a little")


def same_cosine(x: Angle, y: Angle) -> bool:
    """Whether `cos x = cos y`, exactly: x = y or x = -y up to full turns."""
    return (x - y).is_multiple_of_full_turn or (x + y).is_multiple_of_full_turn


@lru_cache(maxsize=1 << 16)
def compare_cosines(x: Angle, y: Angle) -> int:
    """-1, 0 or 1 as `cos x` is below, equal to or above `cos y`; exact, never undecided for moderate sizes."""
    if x.radians == 0 == y.radians:  # fold into [0, pi], where the cosine falls
        folded_x, folded_y = (min(z.turns % 2, 2 - z.turns % 2) for z in (x, y))
        return (folded_x < folded_y) - (folded_x > folded_y)
    if same_cosine(x, y):
        return 0
    return sign(lambda: x.cos() - y.cos())


def aliases(theta: Angle, up_to: int) -> bool:
    """Whether `t theta` is a multiple of 2 pi for some `1 <= t <= up_to`."""
    return any((theta * t).is_multiple_of_full_turn for t in range(1, up_to + 1))


def reduced(theta: Angle, period: int = 2) -> Angle:
    """The angle in [0, period pi / 2] with the same cosine up to full periods of `period` times pi."""
    angle = theta
    if theta.radians:
        whole = _nearest(theta, period)
        angle = Angle(theta.turns - period * whole, theta.radians)
        return angle if angle.is_positive else -angle
    turns = theta.turns % period
    return Angle(min(turns, period - turns))


def _nearest(theta: Angle, period: int) -> int:
    """The integer k for which `theta - k period pi` is smallest in size."""
    k = round(float(theta) / (period * 3.141592653589793))
    for candidate in (k, k - 1, k + 1):
        rest = Angle(theta.turns - period * candidate, theta.radians)
        half = Angle(Fraction(period, 2))
        if (half - rest).is_nonnegative and (half + rest).is_nonnegative:
            return candidate
    raise InputError(f"theta = {theta} is too large to reduce")


def between(angle: Angle, lower: Fraction, upper: Fraction) -> bool:
    """Whether `lower pi < angle < upper pi`, exactly."""
    return (angle - Angle(lower)).is_positive and (Angle(upper) - angle).is_positive


def lower_decimal(value: Callable[[], arb], digits: int = 12) -> Fraction:
    """A decimal fraction at most the value and within `10^-digits` of it: what a report can print and re-check."""
    with precision(64 + 4 * digits):
        scaled = (value() * arb(10) ** digits).floor()
        whole = scaled.unique_fmpz()
    if whole is None:
        raise UndecidedSign(f"a value too near to a decimal of {digits} digits")
    return Fraction(int(whole), 10**digits)
