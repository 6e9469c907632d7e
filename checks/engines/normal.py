"""A normal form for polynomials in letters, pi, cosines, sines and exponentials: an identity holds if it is zero.

Cosines and sines become exponentials of imaginary phases, products of exponentials add their exponents, and what is
left is a finite combination of `exp(real) * exp(i phase) * monomial` with coefficients in Q(i). Phases in which pi
meets integer letters are reduced: `exp(2 pi i k) = 1` for integer k, `exp(i pi) = -1`. The form is computed here by
adding and multiplying alone; SymPy only holds the expression.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

# A monomial is a sorted tuple of (atom, power); a polynomial maps monomials to rationals.
Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, Fraction]
# (exponent, phase, monomial) -> real and imaginary part of the coefficient; exponent and phase are frozen.
Key = tuple[frozenset[Any], frozenset[Any], Monomial]
Complex = tuple[Fraction, Fraction]
Form = dict[Key, Complex]

NOTHING: frozenset[Any] = frozenset()
PI: Monomial = (("pi", 1),)
MOST_TERMS = 20_000
LARGEST_POWER = 40


class OutOfScope(Exception):
    """An expression that this normal form does not cover."""


def normal_form(expression: Any, integers: frozenset[str] = frozenset()) -> Form:
    """The normal form; empty for zero. `integers` are the names of the letters that stand for integers.

    Raises OutOfScope for floats, roots, quotients by letters and functions other than cos, sin, exp and undefined
    ones.
    """
    expression = sympy.sympify(expression)
    if expression.is_Rational:
        return _constant(Fraction(int(expression.p), int(expression.q)))
    if expression.is_Symbol:
        if expression.name == "pi" or "[" in expression.name:
            raise OutOfScope(f"a letter named {expression.name}")
        return {(NOTHING, NOTHING, ((expression.name, 1),)): (Fraction(1), Fraction(0))}
    if expression is sympy.pi:
        return {(NOTHING, NOTHING, PI): (Fraction(1), Fraction(0))}
    if expression.is_Add:
        total: Form = {}
        for term in expression.args:
            _add(total, normal_form(term, integers))
        return total
    if expression.is_Mul:
        product = _constant(Fraction(1))
        for factor in expression.args:
            product = multiply(product, normal_form(factor, integers), integers)
        return product
    if expression.is_Pow and expression.exp.is_Integer and 0 <= int(expression.exp) <= LARGEST_POWER:
        power = _constant(Fraction(1))
        base = normal_form(expression.base, integers)
        for _ in range(int(expression.exp)):
            power = multiply(power, base, integers)
        return power
    if isinstance(expression, sympy.cos | sympy.sin):
        phase = _real_polynomial(normal_form(expression.args[0], integers))
        half = Fraction(1, 2)
        if isinstance(expression, sympy.cos):
            parts = [(1, (half, Fraction(0))), (-1, (half, Fraction(0)))]
        else:  # (e^{ix} - e^{-ix}) / 2i
            parts = [(1, (Fraction(0), -half)), (-1, (Fraction(0), half))]
        total = {}
        for sign, coefficient in parts:
            _add(total, _wave({mono: sign * value for mono, value in phase.items()}, coefficient, integers))
        return total
    if isinstance(expression, sympy.exp):
        exponent = normal_form(expression.args[0], integers)
        return {(frozenset(exponent.items()), NOTHING, ()): (Fraction(1), Fraction(0))}
    if isinstance(expression, AppliedUndef):
        arguments = [_canonical(normal_form(each, integers).items()) for each in expression.args]
        return {(NOTHING, NOTHING, ((f"{expression.func.__name__}{arguments}", 1),)): (Fraction(1), Fraction(0))}
    raise OutOfScope(f"no normal form for {expression}")


def multiply(left: Form, right: Form, integers: frozenset[str]) -> Form:
    """The product of two forms."""
    total: Form = {}
    for (exponent, phase, mono), (a, b) in left.items():
        for (other_exponent, other_phase, other_mono), (c, d) in right.items():
            summed: Form = dict(exponent)
            _add(summed, dict(other_exponent))
            # Most coefficients are real, and exact products take time.
            coefficient = (a * c - b * d, a * d + b * c) if b or d else (a * c, b)
            waved = _wave(_sum(dict(phase), dict(other_phase)), coefficient, integers)
            together = _times(mono, other_mono)
            for (_, new_phase, _), value in waved.items():
                _add(total, {(frozenset(summed.items()), new_phase, together): value})
        if len(total) > MOST_TERMS:
            raise OutOfScope(f"more than {MOST_TERMS} terms")
    return total


def is_zero(expression: Any, integers: frozenset[str] = frozenset()) -> bool:
    """Whether the expression is identically zero, as far as the normal form can see; true is always right."""
    return not normal_form(expression, integers)


def integer_polynomial(expression: Any, integers: frozenset[str]) -> bool:
    """Whether the expression is a polynomial with integer coefficients in integer letters."""
    form = normal_form(expression, integers)
    return all(
        exponent == NOTHING == phase
        and value[1] == 0
        and value[0].denominator == 1
        and all(atom in integers for atom, _ in mono)
        for (exponent, phase, mono), value in form.items()
    )


def _canonical(value: Any) -> str:
    """One text for equal values: sets and mappings in sorted order."""
    if isinstance(value, frozenset | type({}.items())):
        return "{" + ", ".join(sorted(map(_canonical, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_canonical, value)) + ")"
    return str(value)


def _constant(value: Fraction) -> Form:
    return {(NOTHING, NOTHING, ()): (value, Fraction(0))} if value else {}


def _add(total: Form, other: Form) -> None:
    for key, (c, d) in other.items():
        if key in total:
            a, b = total[key]
            c, d = a + c, b + d
        if c or d:
            total[key] = (c, d)
        else:
            total.pop(key, None)


def _sum(left: Polynomial, right: Polynomial) -> Polynomial:
    total = dict(left)
    for mono, value in right.items():
        total[mono] = total.get(mono, Fraction(0)) + value
    return {mono: value for mono, value in total.items() if value}


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))


def _real_polynomial(form: Form) -> Polynomial:
    """A phase: a polynomial without waves or exponentials, with rational coefficients."""
    for (exponent, phase, _), value in form.items():
        if exponent != NOTHING or phase != NOTHING or value[1] != 0:
            raise OutOfScope("a cosine or sine of something that is no polynomial")
    return {mono: value[0] for (_, _, mono), value in form.items()}


def _wave(phase: Polynomial, coefficient: Complex, integers: frozenset[str]) -> Form:
    """`coefficient * exp(i phase)`, whole turns dropped and quarter turns moved into the coefficient."""
    kept: Polynomial = {}
    for mono, value in phase.items():
        powers = dict(mono)
        if powers.pop("pi", 0) != 1 or not all(atom in integers for atom in powers):
            kept[mono] = value
        elif powers:  # pi times integers: an even multiple is a whole number of turns
            rest = value % 2 if value.denominator == 1 else value
            if rest:
                kept[mono] = rest
        else:
            quarters = 2 * (value % 2)
            whole = quarters.numerator // quarters.denominator
            for _ in range(whole):  # times i
                coefficient = (-coefficient[1], coefficient[0])
            if quarters != whole:
                kept[mono] = (quarters - whole) / 2
    return {(NOTHING, frozenset(kept.items()), ()): coefficient} if any(coefficient) else {}
