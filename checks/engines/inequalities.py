"""Strict homogeneous inequalities `A x > 0` over the rationals, decided with a certificate either way (Gordan).

Either some `x` satisfies all of them, or some `y >= 0`, not zero, has `y A = 0`: then adding the inequalities with
the factors `y` gives 0 > 0. `decide` searches, `is_solution` and `is_refutation` check what it found.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from flint import fmpq

Row = Sequence[int | Fraction]


class Outcome(NamedTuple):
    """A solution, or the factors of a sum of the inequalities that is 0 > 0; the other one is None."""

    solution: tuple[Fraction, ...] | None
    factors: tuple[Fraction, ...] | None


def is_solution(rows: Sequence[Row], x: Sequence[Fraction]) -> bool:
    """Whether `row . x > 0` for each row."""
    return all(sum(a * b for a, b in zip(row, x, strict=True)) > 0 for row in rows)


def is_refutation(rows: Sequence[Row], factors: Sequence[Fraction]) -> bool:
    """Whether the factors, one for each row, are non-negative, not all zero, and add the rows up to zero."""
    unknowns = range(len(rows[0])) if rows else range(0)
    cancelled = all(sum(f * row[k] for f, row in zip(factors, rows, strict=True)) == 0 for k in unknowns)
    return cancelled and min(factors, default=0) >= 0 and any(factors)


def decide(rows: Sequence[Row]) -> Outcome:
    """One of the two, checked. At least one row is needed, and all of one length.

    Phase one of the simplex method with Bland's rule, which ends: minimise the artificial part of `y A = 0`,
    `sum y = 1`, `y >= 0`. If it is zero, y refutes; if not, the dual solution x has `A x >= minimum > 0`.
    """
    unknowns, count = len(rows[0]), len(rows)
    # Tableau: one line for each unknown and one for the sum; columns y, artificial ones, right side.
    lines = [[_fmpq(row[k]) for row in rows] for k in range(unknowns)] + [[fmpq(1)] * count]
    size = unknowns + 1
    for k, line in enumerate(lines):
        line += [fmpq(int(k == other)) for other in range(size)] + [fmpq(int(k == unknowns))]
    cost = [-sum((line[j] for line in lines), fmpq(0)) for j in range(count)]
    cost += [fmpq(0)] * size + [-fmpq(1)]
    basis = [count + k for k in range(size)]
    while (entering := next((j for j in range(count) if cost[j] < 0), None)) is not None:
        ratios = [(lines[k][-1] / lines[k][entering], basis[k], k) for k in range(size) if lines[k][entering] > 0]
        leaving = min(ratios)[2]  # there is one: the objective is bounded below by 0
        pivot = lines[leaving][entering]
        lines[leaving] = [entry / pivot for entry in lines[leaving]]
        for line in [*(lines[k] for k in range(size) if k != leaving), cost]:
            if factor := line[entering]:
                for place, entry in enumerate(lines[leaving]):
                    if entry:
                        line[place] -= factor * entry
        basis[leaving] = entering
    if cost[-1] == 0:
        values = {column: line[-1] for column, line in zip(basis, lines, strict=True)}
        factors = tuple(_fraction(values.get(j, fmpq(0))) for j in range(count))
        if not is_refutation(rows, factors):
            raise AssertionError(f"not a refutation: {factors}")
        return Outcome(None, factors)
    solution = tuple(_fraction(cost[count + k] - 1) for k in range(unknowns))
    if not is_solution(rows, solution):
        raise AssertionError(f"not a solution: {solution}")
    return Outcome(solution, None)


def _fmpq(value: int | Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
