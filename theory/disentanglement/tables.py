"""The interaction of exact tables, by definition: double differences, interaction effects and their mean squares."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from headproof.theory.cases import RotaryCase, Rows, TableCase


def double_differences(rows: Rows) -> list[Fraction]:
    """`M[a, b] - M[a0, b] - M[a, b0] + M[a0, b0]` for all contents a, a0 and positions b, b0. O(m^4)."""
    keys = range(len(rows))
    return [rows[a][b] - rows[a0][b] - rows[a][b0] + rows[a0][b0] for a, a0, b, b0 in product(keys, repeat=4)]


def effects(rows: Rows) -> list[list[Fraction]]:
    """The interaction effects of the two-way analysis of variance: `M[a, b]` less its row's and its column's mean, plus
    the grand mean."""
    size = len(rows)
    contents = [sum(row, Fraction(0)) / size for row in rows]
    positions = [sum(column, Fraction(0)) / size for column in zip(*rows, strict=True)]
    grand = sum(contents, Fraction(0)) / size
    return [[value - contents[a] - positions[b] + grand for b, value in enumerate(row)] for a, row in enumerate(rows)]


def mean_square(values: list[Fraction]) -> Fraction:
    """The mean of the squares."""
    return sum((value * value for value in values), Fraction(0)) / len(values)


def mean_square_effect(case: TableCase | RotaryCase) -> Fraction:
    """The mean square of a table's, or a rotary head's, interaction effects."""
    table = case.table if isinstance(case, RotaryCase) else case
    return mean_square([value for row in effects(table.rows) for value in row])
