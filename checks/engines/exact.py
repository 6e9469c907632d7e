"""Deciding statements about tables in exact arithmetic, over all real tables of each small size.

A relation between homogeneous quadratic sums is a question about one rational quadratic form in the table's
unknowns. The form is read off the *literal* sums (all permutations added up) on basis tables, by polarisation, and
then decided by elimination. A linear implication is decided by rank. So nothing is sampled, and the symbolic
engine's general way is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from headproof.checks.engines.decision import Decision
from headproof.theory.cases import TableCase
from headproof.theory.claim import Statement, Verdict
from headproof.theory.errors import InputError
from headproof.theory.proof import Implication
from headproof.theory.sums import Relation, evaluate, lj, lk, of_two_keys, own, pjk, pkj

Matrix = list[list[Fraction]]
LARGEST = 6


def decide_relation(statement: Statement, largest: int = LARGEST) -> Decision:
    """Decide a quadratic relation for every real table of the family with 1 to `largest` keys.

    Raises InputError if a sum is not homogeneous of degree two. A refuting table is found by elimination, made
    small where one with few small entries exists, and checked against the statement itself.
    """
    relation = statement.form
    if not isinstance(relation, Relation):
        raise InputError("the exact engine for relations needs a relation between sums")
    _require_quadratic(relation)
    tables = 0
    for size in range(1, largest + 1):
        basis = relation.family.basis(size)
        tables += len(basis) * (len(basis) + 1) // 2
        gram = quadratic_form(relation, basis)
        found = _violation(relation, gram, basis)
        if found is not None:
            return Decision(Verdict.REFUTED, f"{relation.family.name}, n - 1 = {size}", _small(statement, found))
    counted = any(term.over == "permutations" for term in (*relation.left, *relation.right))
    return Decision(
        Verdict.HOLDS,
        f"every real table ({relation.family.name}) with n - 1 <= {largest}"
        + (", all permutations added up" if counted else ""),
        summary=f"decided as quadratic forms on {tables} basis tables, by polarisation and elimination",
    )


def quadratic_form(relation: Relation, basis: np.ndarray[Any, Any]) -> Matrix:
    """The symmetric matrix G with `right - left = x^T G x` on the table `sum_i x_i basis_i`."""
    count = len(basis)
    first, second = np.triu_indices(count, 1)
    stacked = np.concatenate([basis, basis[first] + basis[second]])
    values = evaluate(relation.right, stacked) - evaluate(relation.left, stacked)
    gram = [[Fraction(0)] * count for _ in range(count)]
    for i in range(count):
        gram[i][i] = Fraction(values[i])
    for place, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        gram[i][j] = gram[j][i] = (Fraction(values[count + place]) - gram[i][i] - gram[j][j]) / 2
    return gram


def negative_direction(gram: Matrix) -> list[Fraction] | None:
    """A vector x with `x^T G x < 0`, or None if there is none. O(count^3) exact operations.

    Symmetric elimination: a negative pivot is a witness; a zero pivot with a non-zero entry b beside it gives
    `t e_i + e_j` with `2 t b + G_jj = -1`; a positive pivot is eliminated and the witness of the rest completed.
    """
    count = len(gram)
    if count == 0:
        return None
    for i in range(count):
        if gram[i][i] < 0:
            return [Fraction(int(place == i)) for place in range(count)]
    for i in range(count):
        if gram[i][i] == 0:
            for j in range(count):
                if gram[i][j] != 0:
                    witness = [Fraction(int(place == j)) for place in range(count)]
                    witness[i] = -(gram[j][j] + 1) / (2 * gram[i][j])
                    return witness
    pivot = next((i for i in range(count) if gram[i][i] > 0), None)
    if pivot is None:
        return None
    rest = [i for i in range(count) if i != pivot]
    reduced = [[gram[i][j] - gram[i][pivot] * gram[pivot][j] / gram[pivot][pivot] for j in rest] for i in rest]
    partial = negative_direction(reduced)
    if partial is None:
        return None
    witness = [Fraction(0)] * count
    for place, value in zip(rest, partial, strict=True):
        witness[place] = value
    witness[pivot] = -sum((gram[pivot][i] * witness[i] for i in rest), Fraction(0)) / gram[pivot][pivot]
    return witness


def null_space(rows: Sequence[Sequence[Fraction]], width: int) -> Matrix:
    """A basis of `{x : rows x = 0}`, by exact elimination."""
    matrix = sympy.polys.matrices.DomainMatrix(
        [[sympy.QQ(value.numerator, value.denominator) for value in row] for row in rows] or [[sympy.QQ(0)] * width],
        (max(1, len(rows)), width),
        sympy.QQ,
    )
    kernel = matrix.nullspace()
    return [[Fraction(int(value.numerator), int(value.denominator)) for value in row] for row in kernel.to_list()]


def decide_implication(statement: Statement, largest: int = LARGEST) -> Decision:
    """Decide "where all linear hypotheses vanish for all j != k, so do the conclusions", for every real table of 1
    to `largest` keys together with the logit of the query's own key."""
    form = statement.form
    if not isinstance(form, Implication):
        raise InputError("the exact engine for implications needs an implication between polynomials")
    speaks_of_own = any(each.has(own) for each in (*form.hypotheses, *form.conclusions))
    for size in range(1, largest + 1):
        width = size * size + 1
        hypotheses = [row for each in form.hypotheses for row in _instances(each, size)]
        kernel = null_space(hypotheses, width)
        for conclusion in (row for each in form.conclusions for row in _instances(each, size)):
            for vector in kernel:
                if sum((a * b for a, b in zip(conclusion, vector, strict=True)), Fraction(0)) != 0:
                    found = _table(vector[:-1], np.eye(size * size, dtype=object).reshape(-1, size, size))
                    case = TableCase(found.rows, own=vector[-1] if speaks_of_own else None)
                    return Decision(Verdict.REFUTED, f"n - 1 = {size}", _small(statement, case))
    return Decision(
        Verdict.HOLDS,
        f"every real table with n - 1 <= {largest}",
        summary="decided by rank: the conclusions lie in the span of the hypotheses",
    )


def decide(statement: Statement, largest: int = LARGEST) -> Decision:
    """The exact decision that fits the statement's form; UNDECIDED for a statement that has none."""
    if statement.form is None:
        return Decision(Verdict.UNDECIDED, "nothing", summary="the statement has no form to decide")
    if isinstance(statement.form, Relation):
        return decide_relation(statement, largest)
    return decide_implication(statement, largest)


# -- parts ---------------------------------------------------------------------------------------------------------


def _require_quadratic(relation: Relation) -> None:
    for term in (*relation.left, *relation.right):
        letters = sorted(term.summand.free_symbols, key=str)
        if term.summand == 0:
            continue
        if not letters or any(sum(powers) != 2 for powers in sympy.Poly(term.summand, *letters).monoms()):
            raise InputError(f"{term.summand} is not homogeneous of degree two", "use another engine")


def _violation(relation: Relation, gram: Matrix, basis: np.ndarray[Any, Any]) -> TableCase | None:
    count = len(gram)
    if relation.equality_conditions:
        return _equality_violation(relation, gram, basis)
    if relation.relation == "==":
        for i, j in product(range(count), repeat=2):
            if gram[i][j] != 0:
                if gram[i][i] != 0:
                    return _table([Fraction(int(p == i)) for p in range(count)], basis)
                if gram[j][j] == 0:
                    return _table([Fraction(int(p in (i, j))) for p in range(count)], basis)
        return None
    direction = negative_direction(gram)
    return None if direction is None else _table(direction, basis)


def _equality_violation(relation: Relation, gram: Matrix, basis: np.ndarray[Any, Any]) -> TableCase | None:
    """A table on which the two sides agree and a condition fails, or the other way round.

    The relation itself must hold (G positive semi-definite), so that the sides agree exactly on the kernel of G.
    """
    direction = negative_direction(gram)
    if direction is not None:
        return _table(direction, basis)
    size, count = basis.shape[-1], len(basis)
    conditions = [
        [
            sum((row[place] * Fraction(int(entry)) for place, entry in enumerate(each.flat)), Fraction(0))
            for each in basis
        ]
        for condition in relation.equality_conditions
        for row in _instances(condition, size)
    ]
    attained, allowed = null_space(gram, count), null_space(conditions, count)
    for vectors, others in ((attained, conditions), (allowed, gram)):
        for vector in vectors:
            if any(sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0)) != 0 for row in others):
                return _table(vector, basis)
    return None


def _instances(expression: Any, size: int) -> Matrix:
    """A linear expression's coefficient rows in the entries M[a, b] (and the own logit, last), one for each pair."""
    letters = (lj, lk, pjk, pkj, own)
    polynomial = sympy.Poly(expression, *letters, domain="QQ")
    if polynomial.total_degree() > 1 or polynomial.coeff_monomial(1) != 0:
        raise InputError(f"{expression} is not linear in the table's entries", "use another engine")
    rows = []
    for j in range(size):
        for k in range(size):
            if (j == k) == of_two_keys(expression):
                continue
            places = (j * size + j, k * size + k, j * size + k, k * size + j, size * size)
            row = [Fraction(0)] * (size * size + 1)
            for letter, place in zip(letters, places, strict=True):
                value = polynomial.coeff_monomial(letter)
                row[place] += Fraction(int(value.p), int(value.q))
            rows.append(row)
    return rows


def _table(coefficients: Sequence[Fraction], basis: np.ndarray[Any, Any]) -> TableCase:
    total = sum((value * each.astype(object) for value, each in zip(coefficients, basis, strict=True)), 0)
    return TableCase.of([[Fraction(value) for value in row] for row in np.asarray(total, dtype=object)])


def _small(statement: Statement, found: TableCase) -> TableCase:
    """The simplest refuting table of the found one's size: few non-zero small integers if there is one.

    The found table is verified first, so that a fault of the search cannot pass for a refutation.
    """
    if not statement.refuted_by(found):
        raise AssertionError(f"the exact engine's counterexample does not refute the statement: {found}")
    size = found.size
    if size > 2:
        return found
    values = (0, 1, -1, 2) if size == 2 else (0, 1, -1)
    slots = size * size + (found.own is not None)
    for entries in sorted(product(values, repeat=slots), key=lambda each: sum(abs(value) for value in each)):
        rows = [entries[row * size : (row + 1) * size] for row in range(size)]
        case = TableCase.of(rows, own=entries[-1] if found.own is not None else None)
        if statement.refuted_by(case):
            return case
    return found
