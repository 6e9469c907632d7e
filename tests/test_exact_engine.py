"""The exact engine: quadratic statements decided for all tables of a size, and what its elimination finds."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headproof.checks.engines.exact import (
    decide,
    decide_implication,
    decide_relation,
    negative_direction,
    null_space,
    quadratic_form,
)
from headproof.theory.cases import TableCase
from headproof.theory.claim import Premise, Statement, Verdict
from headproof.theory.errors import InputError
from headproof.theory.proof import Implication
from headproof.theory.statements import of_relation
from headproof.theory.sums import (
    ADDITIVE,
    GENERAL,
    POSITIONAL,
    SYMBOLIC,
    Relation,
    Term,
    cj,
    dj,
    evaluate,
    lj,
    lk,
    m,
    mean_of,
    own,
    pjk,
    pkj,
)

ONE = sympy.Integer(1)
factorial = sympy.factorial
BOTH = (pkj - lj) ** 2 + (pjk - lj) ** 2
VARIANCE = (Term(1 / m, "keys", (lj - mean_of[lj]) ** 2),)
SMALL = 3  # keys at most, where a test decides many statements


def bound(factor=ONE):
    return (Term(factor / (factorial(m) * m), "permutations", BOTH),)


def slack(factor=ONE):
    return (Term(2 * factor / m**2, "unequal pairs", (pjk - (lj + lk) / 2) ** 2),)


def total(over, summand, weight=ONE):
    return (Term(sympy.sympify(weight), over, summand),)


# -- statements whose truth is known ----------------------------------------------------------------------

TRUE = {
    "theorem 1": Relation(VARIANCE, "<=", bound()),
    "the identity": Relation(bound(), "==", VARIANCE + slack()),
    "a sum of squares": Relation((), "<=", total("pairs", (pjk + 3 * lk) ** 2)),
    "Cauchy and Schwarz": Relation(total("pairs", lj * lk, 1 / m), "<=", total("keys", lj**2)),
    "arithmetic and geometric mean": Relation(total("pairs", pjk * pkj), "<=", total("pairs", pjk**2)),
    "names of the keys": Relation(total("pairs", pjk**2), "==", total("pairs", pkj**2)),
    "shifts stand for permutations": Relation(
        total("permutations", BOTH), "==", total("shifts", BOTH, factorial(m - 1))
    ),
    "mean of squares": Relation(total("keys", mean_of[lj] ** 2), "<=", total("keys", lj**2)),
    "pure tables": Relation(total("pairs", pjk**2), "==", total("keys", lj**2, m), SYMBOLIC),
    "half the bound": Relation(VARIANCE, "==", bound(ONE / 2), SYMBOLIC),
    "half the bound again": Relation(VARIANCE, "==", bound(ONE / 2), POSITIONAL),
    "row means of an additive table": Relation(
        bound(), "==", total("keys", (cj - mean_of[cj]) ** 2 + dj**2, 2 / m), ADDITIVE
    ),
}
FALSE = {
    "theorem 1 reversed": Relation(bound(), "<=", VARIANCE),
    "theorem 1 as an identity": Relation(bound(), "==", VARIANCE),
    "an indefinite form": Relation((), "<=", total("pairs", pjk * pkj)),
    "a negative form": Relation((), "<=", total("keys", -(lj**2))),
    "a form that is negative off the axes": Relation(
        total("pairs", 2 * pjk * pkj), "<=", total("pairs", pjk**2, ONE * 198 / 100) + total("keys", lj**2, ONE / 50)
    ),
    "Cauchy and Schwarz with a smaller constant": Relation(
        total("pairs", lj * lk, 1 / m), "<=", total("keys", lj**2, sympy.Rational(99, 100))
    ),
    "transposition is not the identity": Relation(total("pairs", pjk * lj), "==", total("pairs", pkj * lj)),
    "m for m - 1": Relation(total("unequal pairs", lj**2), "==", total("keys", lj**2, m)),
    "pure tables among all": Relation(VARIANCE, "==", bound(ONE / 2)),
    "pure tables among additive ones": Relation(VARIANCE, "==", bound(ONE / 2), ADDITIVE),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_upheld(name):
    decision = decide(of_relation(TRUE[name]), 4)
    assert decision.verdict is Verdict.HOLDS
    assert decision.counterexample is None
    assert "n - 1 <= 4" in decision.domain


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_refuted_by_a_small_table(name):
    statement = of_relation(FALSE[name])
    decision = decide(statement, 4)
    assert decision.verdict is Verdict.REFUTED
    case = decision.counterexample
    assert statement.refuted_by(case)
    assert case.size <= 2
    assert all(entry in (-1, 0, 1, 2) for row in case.rows for entry in row)


def test_what_holds_at_small_sizes_only_is_refuted_at_the_next():
    """m sum_j lambda_j^2 <= 3 sum_j lambda_j^2."""
    capped = Relation(total("keys", lj**2, m), "<=", total("keys", lj**2, 3))
    statement = of_relation(capped)
    assert decide(statement, 3).verdict is Verdict.HOLDS
    decision = decide(statement, 4)
    assert decision.verdict is Verdict.REFUTED
    assert decision.counterexample.size == 4
    assert statement.refuted_by(decision.counterexample)


EQUALITIES = [
    ((pjk - (lj + lk) / 2,), True),
    ((3 * (lj + lk) - 6 * pjk,), True),
    ((pjk - (lj + lk) / 2, pkj - (lj + lk) / 2), True),
    ((pjk - lj,), False),
    ((lj - lk,), False),
    ((pjk - pkj,), False),
    ((pjk + pkj - lj - lk,), False),
    ((pjk - (lj + lk) / 2, lj - lk), False),
    ((pjk - lj, pkj - lj), False),
]


@pytest.mark.parametrize(("conditions", "truth"), EQUALITIES)
def test_when_the_bound_of_theorem_1_is_attained(conditions, truth):
    statement = of_relation(Relation(VARIANCE, "<=", bound(), equality_conditions=conditions))
    decision = decide(statement, 4)
    assert decision.verdict is (Verdict.HOLDS if truth else Verdict.REFUTED)
    if not truth:
        case = decision.counterexample
        assert statement.refuted_by(case)
        left, right = (evaluate(side, case.array).item() for side in (VARIANCE, bound()))
        fulfilled = all(
            condition.subs({lj: case.rows[j][j], lk: case.rows[k][k], pjk: case.rows[j][k], pkj: case.rows[k][j]}) == 0
            for condition in conditions
            for j in range(case.size)
            for k in range(case.size)
            if j != k
        )
        assert (left == right) != fulfilled


def test_an_equality_case_does_not_hide_a_false_inequality():
    """bound <= variance is false; naming when its sides agree makes it no truer. [[0, 0], [0, 1]]: 1/2 > 1/4."""
    statement = of_relation(Relation(bound(), "<=", VARIANCE, equality_conditions=(2 * pjk - lj - lk,)))
    assert statement.refuted_by(TableCase.of([[0, 0], [0, 1]]))
    decision = decide(statement, SMALL)
    assert decision.verdict is Verdict.REFUTED
    assert statement.refuted_by(decision.counterexample)


def test_an_equality_case_of_a_sum_of_squares_of_pairs():
    """sum_{j != k} (M_jk - M_kj)^2 >= 0, with equality for the symmetric tables."""
    right = total("unequal pairs", (pjk - pkj) ** 2)
    assert decide(of_relation(Relation((), "<=", right, equality_conditions=(pjk - pkj,))), 4).verdict is Verdict.HOLDS
    wrong = of_relation(Relation((), "<=", right, equality_conditions=(pjk - lj,)))
    assert decide(wrong, 4).verdict is Verdict.REFUTED


def test_an_equality_case_in_the_letters_of_one_key_is_refused():
    """With one key there is no pair, and so no sum over pairs that such a condition could be the zeros of."""
    for condition in (lj, lj - lk + cj, sympy.Integer(1)):
        with pytest.raises(InputError, match="not about the entries at a pair of keys"):
            Relation((), "<=", total("pairs", lj**2), equality_conditions=(condition,))


# -- random false variants --------------------------------------------------------------------------------

factors = st.fractions(min_value=-2, max_value=3, max_denominator=50).map(
    lambda q: sympy.Rational(q.numerator, q.denominator)
)


@given(factors)
@example(sympy.Rational(999999, 1000000))
@example(sympy.Rational(1000001, 1000000))
@example(sympy.Integer(0))
@settings(max_examples=15)
def test_a_perturbed_constant_is_always_refuted(factor):
    """Ratio 1 is attained, so every smaller constant is too small; and an identity has one constant."""
    decision = decide(of_relation(Relation(VARIANCE, "<=", bound(factor))), SMALL)
    assert decision.verdict is (Verdict.HOLDS if factor >= 1 else Verdict.REFUTED)
    for relation in (
        Relation(bound(), "==", VARIANCE + slack(factor)),
        Relation(total("permutations", BOTH), "==", total("pairs", BOTH, factor * factorial(m - 1))),
        Relation(bound(), "==", total("keys", (cj - mean_of[cj]) ** 2 + dj**2, 2 * factor / m), ADDITIVE),
    ):
        statement = of_relation(relation)
        decision = decide(statement, SMALL)
        assert decision.verdict is (Verdict.HOLDS if factor == 1 else Verdict.REFUTED)
        if factor != 1:
            assert decision.counterexample.size == 2
            assert statement.refuted_by(decision.counterexample)


LETTERS = (lj, lk, pjk, pkj)
weights = st.integers(-2, 2)


@given(st.lists(weights, min_size=4, max_size=4), st.lists(weights, min_size=4, max_size=4), st.integers(0, 2))
@settings(max_examples=25)
def test_random_relations_agree_with_eigenvalues_of_their_literal_form(one, two, extra):
    """sum over pairs of a^2 - b^2 + extra lambda_j^2 >= 0, decided by numpy from the literal values on basis tables."""
    a = sum(w * letter for w, letter in zip(one, LETTERS, strict=True))
    b = sum(w * letter for w, letter in zip(two, LETTERS, strict=True))
    summand = sympy.expand(a**2 - b**2 + extra * lj**2 + pjk * lk - pjk * lk)
    if not summand.free_symbols:
        return
    relation = Relation((), "<=", total("pairs", summand))
    decision = decide(of_relation(relation), 2)
    lowest = []
    for size in (1, 2):
        units = np.eye(size * size, dtype=np.int64).reshape(-1, size, size)
        value = lambda table: float(evaluate(relation.right, table).item())  # noqa: E731
        gram = np.array([[(value(u + v) - value(u) - value(v)) / 2 for v in units] for u in units])
        lowest.append(np.linalg.eigvalsh(gram).min())
    if decision.verdict is Verdict.HOLDS:
        assert min(lowest) >= -1e-9
    else:
        assert min(lowest) < 1e-9
        assert of_relation(relation).refuted_by(decision.counterexample)


@given(st.lists(st.fractions(min_value=-2, max_value=2, max_denominator=3), min_size=9, max_size=9))
@settings(max_examples=20)
def test_the_quadratic_form_is_the_difference_of_the_sides(flat):
    relation = Relation(VARIANCE, "<=", bound())
    gram = quadratic_form(relation, GENERAL.basis(3))
    array = TableCase.of([flat[:3], flat[3:6], flat[6:]]).array
    value = sum(gram[i][j] * flat[i] * flat[j] for i in range(9) for j in range(9))
    assert value == evaluate(bound(), array).item() - evaluate(VARIANCE, array).item()


# -- elimination ------------------------------------------------------------------------------------------


def determinant(matrix):
    if not matrix:
        return Fraction(1)
    return sum(
        (
            (-1) ** j * matrix[0][j] * determinant([row[:j] + row[j + 1 :] for row in matrix[1:]])
            for j in range(len(matrix))
            if matrix[0][j]
        ),
        Fraction(0),
    )


def semidefinite(matrix):
    """No principal minor is negative."""
    return all(
        determinant([[matrix[i][j] for j in chosen] for i in chosen]) >= 0
        for size in range(1, len(matrix) + 1)
        for chosen in combinations(range(len(matrix)), size)
    )


entries = st.one_of(st.integers(-2, 2).map(Fraction), st.fractions(min_value=-2, max_value=2, max_denominator=3))


@st.composite
def symmetric(draw):
    """Any symmetric matrix, a Gram matrix (often singular), such a one less a little, or one with zeros as pivots."""
    size = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(entries, min_size=size, max_size=size), min_size=size, max_size=size))
    kind = draw(st.sampled_from(["any", "gram", "less", "zero pivots"]))
    if kind in ("gram", "less"):
        rank = draw(st.integers(0, size))
        matrix = [
            [sum((rows[r][i] * rows[r][j] for r in range(rank)), Fraction(0)) for j in range(size)] for i in range(size)
        ]
    else:
        matrix = [[rows[min(i, j)][max(i, j)] for j in range(size)] for i in range(size)]
    place = draw(st.integers(0, size - 1))
    if kind == "less":
        matrix[place][place] -= Fraction(1, 10**6)
    if kind == "zero pivots":
        for i in range(place + 1):
            matrix[i][i] = Fraction(0)
    return matrix


def value_at(matrix, vector):
    every = range(len(matrix))
    return sum((matrix[i][j] * vector[i] * vector[j] for i in every for j in every), Fraction(0))


@given(symmetric())
@example([[Fraction(0)]])
@example([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]])
@example([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(5)]])
@example([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]])
@example([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4) - Fraction(1, 10**12)]])
def test_negative_directions(matrix):
    before = [list(row) for row in matrix]
    direction = negative_direction(matrix)
    assert matrix == before
    lowest = np.linalg.eigvalsh(np.array(matrix, dtype=float)).min()
    if direction is None:
        assert semidefinite(matrix)
        assert lowest >= -1e-9
    else:
        assert value_at(matrix, direction) < 0
        assert not semidefinite(matrix)
        assert lowest < 1e-9


def test_a_matrix_without_unknowns_has_no_negative_direction():
    assert negative_direction([]) is None


@given(st.integers(1, 5), st.integers(0, 4), st.data())
@settings(max_examples=60)
def test_null_spaces(width, count, data):
    row = st.lists(st.integers(-2, 2).map(Fraction), min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=count, max_size=count))
    kernel = null_space(rows, width)
    rank = np.linalg.matrix_rank(np.array(rows, dtype=float)) if rows else 0
    assert len(kernel) == width - rank
    for vector in kernel:
        assert len(vector) == width
        assert all(sum((a * b for a, b in zip(each, vector, strict=True)), Fraction(0)) == 0 for each in rows)
    if kernel:
        assert np.linalg.matrix_rank(np.array(kernel, dtype=float)) == len(kernel)


# -- implications -----------------------------------------------------------------------------------------


def constant(case):
    return len({case.rows[j][j] for j in range(case.size)}) == 1


def rows_constant(case):
    return all(entry == row[j] for j, row in enumerate(case.rows) for entry in row)


def columns_constant(case):
    return all(case.rows[k][j] == case.rows[j][j] for j in range(case.size) for k in range(case.size))


def implication(premises, conclusion, hypotheses, conclusions):
    named = tuple(Premise(f"premise {place}", "", holds) for place, holds in enumerate(premises))
    return Statement(TableCase, named, conclusion, Implication(hypotheses, conclusions))


BOTH_PURE = implication((columns_constant, rows_constant), constant, (pkj - lj, pkj - lk), (lj - lk,))


def test_true_implications_are_upheld():
    decision = decide(BOTH_PURE, 4)
    assert decision.verdict is Verdict.HOLDS
    assert decision.counterexample is None
    swapped = implication((columns_constant, rows_constant), constant, (pjk - lk, pjk - lj), (lj - lk, pjk - pkj))
    assert decide_implication(swapped, 4).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("premises", "hypotheses"),
    [((columns_constant,), (pkj - lj,)), ((rows_constant,), (pjk - lj,)), ((), ())],
    ids=["positional", "symbolic", "none"],
)
def test_false_implications_are_refuted_by_a_small_table(premises, hypotheses):
    statement = implication(premises, constant, hypotheses, (lj - lk,))
    decision = decide(statement, 4)
    assert decision.verdict is Verdict.REFUTED
    assert statement.refuted_by(decision.counterexample)
    assert decision.counterexample.size == 2
    assert decision.counterexample.own is None
    assert all(entry in (0, 1) for row in decision.counterexample.rows for entry in row)


def test_the_own_logit_is_an_unknown_of_its_own():
    def uniform(case):
        return constant(case) and case.own in (None, case.rows[0][0])

    statement = implication((columns_constant, rows_constant), uniform, (pkj - lj, pkj - lk), (lj - lk, own - lj))
    decision = decide(statement, SMALL)
    assert decision.verdict is Verdict.REFUTED
    assert decision.counterexample == TableCase.of([[0]], own=1)


def test_hypotheses_about_one_key_hold_for_every_key():
    """Every logit is the own logit, so all logits are equal."""

    def own_logit(case):
        return all(case.rows[j][j] == case.own for j in range(case.size))

    statement = implication((own_logit,), constant, (own - lj,), (lj - lk,))
    assert decide(statement, SMALL).verdict is Verdict.HOLDS
    twice = implication((own_logit,), lambda case: True, (own - lj,), (2 * own - lj - lk,))
    assert decide(twice, SMALL).verdict is Verdict.HOLDS


def test_a_conclusion_about_one_key_is_asked_of_every_key():
    def zero(case):
        return all(case.rows[j][j] == 0 for j in range(case.size))

    statement = implication((), zero, (), (lj,))
    decision = decide(statement, SMALL)
    assert decision.verdict is Verdict.REFUTED
    assert decision.counterexample == TableCase.of([[1]])


# -- what it refuses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "relation",
    [
        Relation(total("keys", lj), "<=", total("keys", lj**2)),
        Relation((), "<=", total("pairs", pjk**4)),
        Relation((), "<=", total("pairs", pjk**2 * lj)),
        Relation((), "<=", total("pairs", pjk**2 + lj)),
        Relation((), "<=", total("pairs", pjk**2 + 1)),
        Relation((), "<=", total("keys", ONE)),
        Relation(total("keys", lj**2), "<=", total("keys", mean_of[lj])),
    ],
)
def test_sums_that_are_not_quadratic_are_refused(relation):
    with pytest.raises(InputError, match="degree two"):
        decide_relation(of_relation(relation), 2)


def test_statements_of_another_form_are_refused():
    relation = of_relation(TRUE["theorem 1"])
    with pytest.raises(InputError, match="relation"):
        decide_relation(BOTH_PURE)
    with pytest.raises(InputError, match="implication"):
        decide_implication(relation)
    assert decide(replace(relation, form=None)).verdict is Verdict.UNDECIDED
    with pytest.raises(InputError, match="linear"):
        decide_implication(implication((), constant, (pjk**2,), (lj - lk,)))
    with pytest.raises(InputError, match="linear"):
        decide_implication(implication((), constant, (pjk - 1,), (lj - lk,)))


@pytest.mark.parametrize("left", [(), total("keys", sympy.Integer(0)), total("unequal pairs", pjk**2)])
def test_sums_that_add_up_to_nothing_at_some_size_are_decided(left):
    """Nothing, a zero, and a sum over pairs of which one key has none."""
    decision = decide(of_relation(Relation(left, "==", left)), 2)
    assert decision.verdict is Verdict.HOLDS
    decision = decide(of_relation(Relation(left, "<=", total("pairs", pjk**2))), 2)
    assert decision.verdict is Verdict.HOLDS


def test_a_fault_of_the_search_does_not_pass_for_a_refutation():
    """Where the form is false and the sentence itself is true, the engine stops: it never reports a case unchecked."""
    with pytest.raises(AssertionError, match="does not refute"):
        decide(replace(of_relation(FALSE["theorem 1 reversed"]), conclusion=lambda case: True), 2)


def test_all_permutations_are_added_up():
    """720 at the largest size, each with 6 keys: a sum of ones counts them."""
    ones = np.zeros((6, 6), dtype=np.int64)
    np.fill_diagonal(ones, 1)
    assert evaluate(total("permutations", lj**2), ones).item() == 6 * math.factorial(6)
