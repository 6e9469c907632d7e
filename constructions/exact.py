"""Exact numbers and rotations: integers, Fractions, SymPy expressions and Turns, with floats told apart.

A number is *exact* unless it is a float, or a SymPy expression with a Float inside. Nothing here rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import sympy

from headproof.theory.errors import InputError
from headproof.theory.inputs import LONG, short


def number(value: Any, what: str) -> Any:
    """`value` as an int, a Fraction, a finite float or a real SymPy expression that is not rational.

    Raises InputError, which calls the value `what`, for NaN, infinities, complex values, booleans and
    everything that is no number. A SymPy symbol passes unless its assumptions say that it is not a finite
    real number.
    """
    if isinstance(value, sympy.Expr):
        return _of_expression(value, what)
    if isinstance(value, Rational) and value is not True and value is not False:
        fraction = Fraction(int(value.numerator), int(value.denominator))
        return fraction.numerator if fraction.denominator == 1 else fraction
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise InputError(f"{what} {value} is not finite")
        return float(value)
    raise InputError(f"{what} is a number or a SymPy expression, got {short(value)}")


def angle_of(value: Any) -> Any:
    """Theta as a Turn or a `number`; InputError as there, and for one too large for a float, symbols aside."""
    if isinstance(value, Turn):
        return value
    angle = number(value, "theta")
    if not is_symbolic(angle):
        to_float(angle)
    return angle


def is_symbolic(value: Any) -> bool:
    """Whether a number or Turn is a SymPy expression with free symbols."""
    return isinstance(value, sympy.Expr) and bool(value.free_symbols)


def require_value(angle: Any, remedy: str = "give theta a value") -> None:
    """Refuse a theta with free symbols where it has to be compared."""
    if is_symbolic(angle):
        raise InputError(f"theta {angle} has no value, so whether it is in range is undecided", remedy)


def inverse_temperature(beta: Any) -> Any:
    """`beta` as a `number` that is at least 0, or `math.inf`; InputError for anything else."""
    if (isinstance(beta, (float, np.floating)) and not 0 <= beta < math.inf) or beta is sympy.oo:
        if beta == math.inf:
            return math.inf
    else:
        value = number(beta, "an inverse temperature")
        if sign(value) >= 0:
            return value
    raise InputError(f"an inverse temperature is at least 0, got {beta}", "math.inf is hard attention")


def _of_expression(value: Any, what: str) -> Any:
    if value.is_Rational:
        return Fraction(value.p, value.q) if value.q != 1 else int(value.p)
    if value.is_finite is False or value.is_extended_real is False or (value.is_number and not value.is_comparable):
        raise InputError(f"{what} {value} is not a finite real number")
    if not value.has(sympy.Float):
        return value
    if not value.is_number:
        raise InputError(f"{what} {value} mixes a float with a symbol", "write the float as a fraction")
    return float(value)


def is_exact(value: Any) -> bool:
    """Whether a `number` is exact, that is, not a float."""
    return not isinstance(value, float)


def sign(value: Any) -> int:
    """-1, 0 or 1: the sign of an exact number or a float.

    SymPy decides it by evaluation that keeps track of its accuracy, or by the assumptions on symbols; zero
    also by writing trigonometric functions as exponentials. Raises InputError where none of this decides: a
    tie of another kind, or a symbol without a sign.
    """
    if isinstance(value, sympy.Expr):
        for form in (value, sympy.expand(value)):
            if form.is_zero:
                return 0
            if form.is_positive:
                return 1
            if form.is_negative:
                return -1
        # Products of cosines and sines become sums of exponentials, which cancel where an addition theorem
        # holds.
        if sympy.expand(value.rewrite(sympy.exp)) == 0:
            return 0
        raise InputError(
            f"the sign of {value} is undecided",
            "give its symbols values, or use the numeric() copy of the head",
        )
    return int(value > 0) - int(value < 0)


def maximisers(values: Sequence[Any]) -> list[int]:
    """The indices of the largest of some exact numbers, ties included; at least one value is needed."""
    best = [0]
    for index in range(1, len(values)):
        order = sign(values[index] - values[best[0]])
        if order > 0:
            best = [index]
        elif order == 0:
            best.append(index)
    return best


def to_float(value: Any) -> float:
    """The nearest float, or InputError for an expression with free symbols and a number too large for a float."""
    try:
        rounded = float(value)
    except TypeError as error:
        raise InputError(f"{value} has no numeric value", "give its free symbols values first") from error
    except OverflowError:
        rounded = math.inf
    if math.isinf(rounded) and not isinstance(value, (float, np.floating)):
        raise InputError(f"{shown(value)} is too large for a float", "give a smaller number")
    return rounded


def object_array(values: Any) -> np.ndarray[Any, Any]:
    """Nested sequences or an array as a numpy array of Python objects, element types kept."""
    return np.asarray(values, dtype=object)


def shown(value: Any) -> str:
    """A number for an error message: short, and with its size where an expression hides it."""
    if isinstance(value, sympy.Expr) and value.is_number:
        try:
            return f"{value!s:.60} = {float(value):.6g}"
        except (OverflowError, ValueError):
            return "a SymPy expression with very large numbers"
    if isinstance(value, int):
        return short(value)
    if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) >= 1 << LONG:
        return f"a fraction, ({short(value.numerator)}) / ({short(value.denominator)})"
    return str(value)


@dataclass(frozen=True)
class Turn:
    """An exact rotation given by a rational point `(cos, sin)` of the unit circle.

    Why it exists: an angle that is a rational multiple of pi has a rational cosine only at multiples of pi/3
    and pi/2 (Niven), so such angles put every table into a field of algebraic numbers. The powers of a
    rational rotation stay rational: a head with Turn angles has tables of Fractions at every position,
    compared exactly without SymPy. A Turn that is not a quarter turn is an irrational multiple of pi, so no
    two positions alias.

    Raises InputError for a point that is not rational or not on the unit circle.

    >>> Turn(Fraction(3, 5), Fraction(4, 5)).power(2)
    (Fraction(-7, 25), Fraction(24, 25))
    """

    cos: Any
    sin: Any

    def __post_init__(self) -> None:
        for name in ("cos", "sin"):
            value = number(getattr(self, name), f"the {name} of a Turn")
            if not isinstance(value, Rational):
                raise InputError(f"the {name} of a Turn is rational, got {value!r}")
            object.__setattr__(self, name, Fraction(value))
        if (norm := self.cos**2 + self.sin**2) != 1:
            raise InputError(
                f"({self.cos}, {self.sin}) is not on the unit circle: its square norm is {norm}",
                "Turn.of_half_tangent gives every rational point",
            )

    @classmethod
    def of_half_tangent(cls, tangent: Any) -> Turn:
        """The turn by `2 arctan(tangent)`: `((1 - t^2)/(1 + t^2), 2t/(1 + t^2))` for a rational `t`.

        Every rational point but (-1, 0) is of this form; a small `t` gives a small angle.
        """
        t = Fraction(number(tangent, "the tangent of a half angle"))
        return cls((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))

    def power(self, exponent: int) -> tuple[Fraction, Fraction]:
        """`(cos, sin)` of `exponent` such turns, by complex multiplication; O(log exponent) products."""
        cos, sin = Fraction(1), Fraction(0)
        square_cos, square_sin = (self.cos, self.sin) if exponent >= 0 else (self.cos, -self.sin)
        rest = abs(exponent)
        while rest:
            if rest & 1:
                cos, sin = cos * square_cos - sin * square_sin, cos * square_sin + sin * square_cos
            square_cos, square_sin = square_cos**2 - square_sin**2, 2 * square_cos * square_sin
            rest >>= 1
        return cos, sin

    def __float__(self) -> float:
        """The angle in radians, in (-pi, pi]."""
        return math.atan2(self.sin, self.cos)


def turned(angle: Any, steps: Any) -> tuple[Any, Any]:
    """`(cos, sin)` of `steps` times one angle: Fractions or SymPy where both are exact, floats otherwise.

    Raises InputError for a Turn with a number of steps that is not an integer.
    """
    if isinstance(angle, Turn) and isinstance(steps, (int, np.integer)):
        return angle.power(int(steps))
    if isinstance(angle, Turn):
        raise InputError(f"a Turn has integer positions only, got {steps}", "give the angle as an expression")
    if isinstance(angle, float) or isinstance(steps, float):
        product = to_float(angle) * to_float(steps)
        return math.cos(product), math.sin(product)
    radians = sympy.sympify(angle) * sympy.sympify(steps)
    return number(sympy.cos(radians), "cosine"), number(sympy.sin(radians), "sine")
