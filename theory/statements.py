"""Statements about tables, made from relations between sums; their premises as predicates on exact cases."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy

from headproof.theory.cases import TableCase
from headproof.theory.claim import Premise, Statement
from headproof.theory.proof import Counting
from headproof.theory.sums import ADDITIVE, GENERAL, POSITIONAL, SYMBOLIC, Relation, Sum, evaluate, lj, lk, m, pjk, pkj

COUNTING = Counting(
    "each pair of keys occurs in (m-1)! permutations",
    "Fix j. Composing with the transposition (k k') turns the permutations with pi(j) = k into those with "
    "pi(j) = k', and back; so for each of the m values k there are equally many, and together there are m!.",
    sympy.factorial(m - 1),
)
EVERY_PERMUTATION = Premise(
    "every permutation",
    "the sums run over all (n-1)! permutations of the keys, each once",
    lambda case: case.all_permutations,
)
IS_ADDITIVE = Premise(
    "additive",
    "M[a, b] = c_a + d_b for a content part c and a position part d",
    lambda case: all(
        case.rows[a][b] + case.rows[0][0] == case.rows[a][0] + case.rows[0][b]
        for a in range(case.size)
        for b in range(case.size)
    ),
)

IS_POSITIONAL = Premise(
    "positional",
    "the head is positional on the input",
    lambda case: all(case.rows[k][j] == case.rows[j][j] for j in range(case.size) for k in range(case.size)),
)
IS_SYMBOLIC = Premise(
    "symbolic",
    "the head is symbolic on the input",
    lambda case: all(case.rows[j][k] == case.rows[j][j] for j in range(case.size) for k in range(case.size)),
)
FAMILIES = {ADDITIVE: IS_ADDITIVE, POSITIONAL: IS_POSITIONAL, SYMBOLIC: IS_SYMBOLIC}


def value(total: Sum, case: TableCase) -> Fraction:
    """The literal value of a sum on a case."""
    return Fraction(evaluate(total, case.array, case.chosen).item())


def of_relation(relation: Relation) -> Statement:
    """The statement that a relation between sums holds on every rational table of its family."""
    premises: list[Premise] = []
    if any(term.over == "permutations" for term in (*relation.left, *relation.right)):
        premises.append(EVERY_PERMUTATION)
    if relation.family is not GENERAL:
        premises.append(FAMILIES[relation.family])

    def conclusion(case: TableCase) -> bool:
        left, right = value(relation.left, case), value(relation.right, case)
        holds = left <= right if relation.relation == "<=" else left == right
        if relation.equality_conditions:
            return holds and (left == right) == _all_vanish(relation.equality_conditions, case)
        return holds

    def ratio(case: TableCase) -> Fraction | None:
        left, right = value(relation.left, case), value(relation.right, case)
        return left / right if right else None

    return Statement(TableCase, tuple(premises), conclusion, relation, ratio if relation.relation == "<=" else None)


def _all_vanish(conditions: Sequence[sympy.Expr], case: TableCase) -> bool:
    """Whether every condition vanishes for all j != k."""
    size, rows = case.size, case.rows
    return all(
        condition.subs({lj: rows[j][j], lk: rows[k][k], pjk: rows[j][k], pkj: rows[k][j]}) == 0
        for condition in conditions
        for j in range(size)
        for k in range(size)
        if j != k
    )
