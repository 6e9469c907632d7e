"""Mean squares over a table in an exact normal form, so that relations hold for every table of every size.

A mean square is a combination of means of products of two entries, `mean M(x, y) M(u, v)`, each letter running over
all keys independently: the square of an inner mean is the mean over two copies of its letters. Such a mean depends
only on which of the four letters agree; names do not matter, nor does the order of the two factors. So a sum of mean
squares is a combination of patterns, and where two of them have the same patterns they agree on every table.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction

from headproof.theory.averages import Means, MeanSquare

Pattern = tuple[int, int, int, int]


def normal_form(means: Means) -> dict[Pattern, Fraction]:
    """The sum's coefficients by pattern, zeros left out."""
    total: dict[Pattern, Fraction] = {}
    for square in means:
        _add(total, square)
    return {pattern: value for pattern, value in total.items() if value}


def difference(left: Means, right: Means) -> dict[Pattern, Fraction]:
    """The normal form of `right - left`; empty if the two agree on every table."""
    return normal_form((*right, *(each.times(-1) for each in left)))


def pattern_text(pattern: Pattern) -> str:
    """A pattern as the mean of a product, its letters named a, b, c, d.

    >>> pattern_text((0, 1, 0, 2))
    'mean M(a, b) M(a, c)'
    """
    x, y, u, v = ("abcd"[place] for place in pattern)
    return f"mean M({x}, {y}) M({u}, {v})"


def _add(total: dict[Pattern, Fraction], square: MeanSquare) -> None:
    outer = {letter.name for letter in square.outer}
    form = square.form
    for factor, x, y in form:
        for other, u, v in form:
            first = [(letter, False) for letter in (x, y)]
            second = [(letter, letter not in outer) for letter in (u, v)]  # inner letters are copies of their own
            pattern = min(_pattern((*first, *second)), _pattern((*second, *first)))
            total[pattern] = total.get(pattern, Fraction(0)) + square.weight * factor * other


def _pattern(letters: Iterable[Hashable]) -> Pattern:
    """The letters numbered in the order in which they first occur."""
    numbers: dict[Hashable, int] = {}
    x, y, u, v = (numbers.setdefault(letter, len(numbers)) for letter in letters)
    return x, y, u, v
