"""Mean squares over a square table, as data with a literal meaning.

A base is a linear form in entries `M(x, y)`, content x at position y, whose letters stand for keys. A mean square
`c * mean_outer (mean_inner base)^2` averages the base over its inner letters, squares, averages over the outer letters
and multiplies by c; every letter runs over all keys, independently of the others. So the row effect's mean square is
the one of `M(a, b) - M(a', b)` with outer letter a, and a mean of squares has no inner letters.

`evaluate` is the definition. `checks.engines.averages` has a general way, for all tables of all sizes at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import sympy

from headproof.theory.errors import InputError
from headproof.theory.rational import rational
from headproof.theory.sums import require_exact

entry = sympy.Function("M")
LinearForm = tuple[tuple[Fraction, str, str], ...]


def linear_form(base: Any) -> LinearForm:
    """The base as (coefficient, content letter, position letter), one for each entry in it.

    Raises InputError for anything that is not linear in entries at letters, with rational coefficients.
    """
    require_exact(base)
    expanded = sympy.expand(base)
    entries = sorted(expanded.atoms(sympy.core.function.AppliedUndef), key=str)
    terms = []
    rest = expanded
    for each in entries:
        coefficient = expanded.coeff(each)
        if each.func != entry or len(each.args) != 2 or not all(letter.is_Symbol for letter in each.args):
            raise InputError(f"{each} is no entry M(x, y) at two letters")
        if not coefficient.is_Rational:
            raise InputError(f"the coefficient {coefficient} of {each} is no rational number")
        terms.append((Fraction(int(coefficient.p), int(coefficient.q)), each.args[0].name, each.args[1].name))
        rest = rest - coefficient * each
    if sympy.expand(rest) != 0:
        raise InputError(f"{rest} is left over", "a base is linear in the entries of the table")
    return tuple(terms)


@dataclass(frozen=True)
class MeanSquare:
    """`coefficient * mean over outer letters of (mean over all other letters of base)^2`.

    The coefficient is a rational, or one as text such as "1/2"; it is kept as a Fraction.
    """

    base: Any
    outer: tuple[Any, ...]
    coefficient: Any = 1

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "coefficient", rational(self.coefficient))
        except InputError as error:
            raise InputError(f"the coefficient {self.coefficient!r:.60} is no rational number") from error
        letters = {letter for _, x, y in self.form for letter in (x, y)}
        if stray := [letter for letter in self.outer if getattr(letter, "name", None) not in letters]:
            raise InputError(f"the outer letter {stray[0]} is not in {self.base}")

    @property
    def form(self) -> LinearForm:
        """The base as coefficients and letters."""
        return linear_form(self.base)

    @property
    def weight(self) -> Fraction:
        """The coefficient as a Fraction."""
        return Fraction(self.coefficient)

    def times(self, factor: Any) -> MeanSquare:
        """The same mean square with its coefficient multiplied."""
        return MeanSquare(self.base, self.outer, self.weight * rational(factor))

    def __str__(self) -> str:
        inner = sorted({letter for _, x, y in self.form for letter in (x, y)} - {each.name for each in self.outer})
        base = f"mean_{{{','.join(inner)}}} [{self.base}]" if inner else f"[{self.base}]"
        over = f"mean_{{{','.join(each.name for each in self.outer)}}} " if self.outer else ""
        return f"{'' if self.coefficient == 1 else f'{self.coefficient} '}{over}({base})^2"


Means = tuple[MeanSquare, ...]


@dataclass(frozen=True)
class MeansRelation:
    """`left <= right` or `left == right` between sums of mean squares, for every table of every size."""

    left: Means
    relation: Literal["<=", "=="]
    right: Means

    def __post_init__(self) -> None:
        if self.relation not in ("<=", "=="):
            raise InputError(f"unknown relation {self.relation!r}", "use <= or ==")

    def __str__(self) -> str:
        return f"{means_text(self.left)}  {self.relation}  {means_text(self.right)}"


def means_text(means: Means) -> str:
    """A sum of mean squares in plain text."""
    return " + ".join(map(str, means)) or "0"


def evaluate(means: Means, rows: Sequence[Sequence[Any]]) -> Fraction:
    """The literal value on a table `rows[content][position]`: all letters run over all keys. O(m^letters)."""
    return sum((_value(each, rows) for each in means), Fraction(0))


def _value(square: MeanSquare, rows: Sequence[Sequence[Any]]) -> Fraction:
    form, size = square.form, len(rows)
    outer = [letter.name for letter in square.outer]
    inner = sorted({letter for _, x, y in form for letter in (x, y)} - set(outer))
    total = Fraction(0)
    for fixed in product(range(size), repeat=len(outer)):
        at: dict[str, int] = dict(zip(outer, fixed, strict=True))
        mean = Fraction(0)
        for free in product(range(size), repeat=len(inner)):
            mean += _at(form, rows, at | dict(zip(inner, free, strict=True)))
        total += (mean / Fraction(size) ** len(inner)) ** 2
    return square.weight * total / Fraction(size) ** len(outer)


def _at(form: LinearForm, rows: Sequence[Sequence[Any]], at: Mapping[str, int]) -> Fraction:
    values: list[Fraction] = [factor * Fraction(rows[at[x]][at[y]]) for factor, x, y in form]
    return sum(values, Fraction(0))
