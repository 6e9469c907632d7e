"""The terms of dec.thm1 against its print: literal sums over all permutations, in exact arithmetic."""

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import sympy
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from headproof.constructions.exact import Turn
from headproof.constructions.expressivity import h_pos, h_sym, two_angle
from headproof.constructions.heads import rope_table
from headproof.constructions.rope import RopeConfig
from headproof.constructions.tasks import index_task, partial_induction_task, retrieval_task
from headproof.theory import table as table_module
from headproof.theory.errors import InputError
from headproof.theory.exclusion import (
    exclusion_terms,
    literal_exclusion_terms,
    residual_tolerance,
    variance_ratio,
)
from headproof.theory.table import LogitTable

TERMS = ("positional", "symbolic", "variance", "slack")
rationals = st.fractions(min_value=-3, max_value=3, max_denominator=4)
entries = st.one_of(rationals, st.sampled_from([Fraction(0), Fraction(1), Fraction(10**9), Fraction(-1, 7)]))


def vectors(size, entry=entries):
    return st.lists(entry, min_size=size, max_size=size)


def tables(size, entry=entries):
    return st.lists(vectors(size, entry), min_size=size, max_size=size)


def any_tables(smallest=1, largest=4, entry=entries):
    return st.integers(smallest, largest).flatmap(lambda size: tables(size, entry))


def pairs_of_vectors(largest=4):
    return st.integers(1, largest).flatmap(lambda size: st.tuples(vectors(size), vectors(size)))


# -- the print, taken literally ---------------------------------------------------------------------------


def printed_norms(rows):
    """||delta_pos||^2 and ||delta_sym||^2 over all pi in S_m and all keys j, nothing collected."""
    m = len(rows)
    positional = symbolic = 0
    for pi in permutations(range(m)):
        for j in range(m):
            positional = positional + (rows[pi[j]][j] - rows[j][j]) ** 2
            symbolic = symbolic + (rows[j][pi[j]] - rows[j][j]) ** 2
    return positional, symbolic


def printed_variance(rows):
    m = len(rows)
    mu = sum(rows[j][j] for j in range(m)) * Fraction(1, m)
    return sum((rows[j][j] - mu) ** 2 for j in range(m)) * Fraction(1, m)


def printed_bound(rows):
    m = len(rows)
    return sum(printed_norms(rows)) * Fraction(1, math.factorial(m) * m)


def variance_of(values):
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((x - mean) ** 2 for x in values), Fraction(0)) / len(values)


def terms_of(rows):
    return exclusion_terms(LogitTable.of_rows(rows))


def check_literally(rows):
    m = len(rows)
    rows = [[Fraction(x) for x in row] for row in rows]
    positional, symbolic = (norm * Fraction(1, math.factorial(m) * m) for norm in printed_norms(rows))
    terms = terms_of(rows)
    assert terms.positional == positional
    assert terms.symbolic == symbolic
    assert terms.bound == positional + symbolic
    assert terms.variance == printed_variance(rows)
    assert terms.variance <= terms.bound
    assert terms.residual == 0
    # The slack is what the bound exceeds the variance by, and a sum of squares of distances to the mean.
    assert terms.slack == positional + symbolic - printed_variance(rows)
    assert terms.slack >= 0


# -- exact ------------------------------------------------------------------------------------------------


@given(any_tables(1, 4))
@example([[7]])
@example([[1, 0], [0, -1]])
@example([[0, 0], ["1/2", 1]])
@example([[0, 0], [0, 1]])
@example([[0, 1], [0, 1]])
@example([[0, 0], [1, 1]])
@example([[0, 1], [1, 2]])
@example([[0, 1], [1, 0]])
@example([[0, 0], [1, 0]])
@settings(max_examples=60)
def test_sums_over_permutations_have_the_closed_form(rows):
    """The examples refute the mutants of dec.thm1; the theorem stands on them."""
    check_literally(rows)


@given(tables(5))
@settings(max_examples=5)
def test_sums_over_120_permutations(rows):
    check_literally(rows)


@given(tables(6))
@settings(max_examples=3)
def test_sums_over_720_permutations(rows):
    check_literally(rows)


@given(any_tables(1, 4, rationals))
@settings(max_examples=20)
def test_the_package_adds_up_the_same_permutations(rows):
    factor = Fraction(1, math.factorial(len(rows)) * len(rows))
    positional, symbolic = printed_norms(rows)
    table = LogitTable.of_rows(rows)
    assert literal_exclusion_terms(table) == (positional * factor, symbolic * factor)
    floats = literal_exclusion_terms(LogitTable(table.logits.astype(np.float64)))
    assert floats == pytest.approx([float(positional * factor), float(symbolic * factor)], rel=1e-12)


@given(any_tables(7, 9, st.integers(-3, 3)))
@settings(max_examples=20)
def test_the_identity_is_exact_beyond_what_can_be_enumerated(rows):
    terms = terms_of(rows)
    assert terms.residual == 0
    assert 0 <= terms.variance <= terms.bound


@pytest.mark.parametrize("m", [2, 3])
def test_the_general_table(m):
    """As polynomials in the m^2 entries: both norms, the variance and the identity."""
    table = LogitTable.symbolic(m)
    rows = table.logits.tolist()
    terms = exclusion_terms(table)
    factor = sympy.Rational(1, math.factorial(m) * m)
    positional, symbolic = printed_norms(rows)
    mean = sum(rows[j][j] for j in range(m)) / m
    variance = sum((rows[j][j] - mean) ** 2 for j in range(m)) / m
    assert sympy.expand(terms.positional - factor * positional) == 0
    assert sympy.expand(terms.symbolic - factor * symbolic) == 0
    assert sympy.expand(terms.variance - variance) == 0
    assert sympy.expand(terms.residual) == 0
    assert sympy.expand(terms.slack - (factor * (positional + symbolic) - variance)) == 0
    # Non-negative: no entry off the diagonal stands in more than one square, with the mean of its two logits.
    squares = sum((rows[j][k] - (rows[j][j] + rows[k][k]) / 2) ** 2 for j in range(m) for k in range(m) if j != k)
    assert sympy.expand(terms.slack - sympy.Rational(2, m * m) * squares) == 0


@given(rationals)
def test_one_key_says_nothing(logit):
    """n - 1 = 1: one permutation, no deviation, no variance: 0 <= 0, and no ratio."""
    terms = terms_of([[logit]])
    assert (terms.positional, terms.symbolic, terms.variance, terms.slack) == (0, 0, 0, 0)
    assert variance_ratio(terms) is None
    floats = exclusion_terms(LogitTable(np.array([[float(logit)]])))
    assert (floats.positional, floats.symbolic, floats.variance, floats.slack) == (0, 0, 0, 0)
    assert math.isnan(variance_ratio(floats))


# -- equality ---------------------------------------------------------------------------------------------


def middle_rows(logits):
    return [[(x + y) / 2 for y in logits] for x in logits]


@given(st.integers(1, 4).flatmap(vectors))
@example([Fraction(0), Fraction(1)])
def test_the_bound_is_attained_where_every_entry_is_the_mean_of_its_two_logits(logits):
    rows = middle_rows(logits)
    assert printed_bound(rows) == printed_variance(rows)
    terms = terms_of(rows)
    assert terms.slack == 0
    assert variance_ratio(terms) == (1 if len(set(logits)) > 1 else None)


@given(st.integers(2, 4).flatmap(vectors), st.data())
def test_the_bound_is_attained_nowhere_else(logits, data):
    m = len(logits)
    rows = middle_rows(logits)
    j, k = data.draw(st.sampled_from([(a, b) for a in range(m) for b in range(m) if a != b]))
    rows[j][k] += data.draw(rationals.filter(bool))
    assert printed_bound(rows) > printed_variance(rows)
    assert terms_of(rows).slack > 0


@given(any_tables(2, 4, st.integers(-1, 1).map(Fraction)))
@example([[0, 0], [1, 1]])
@example([[0, 1], [1, 0]])
@example([[0, 0], [1, 0]])
@example([[1, 1], [1, 1]])
def test_equality_means_exactly_the_means(rows):
    m = len(rows)
    attained = printed_bound(rows) == printed_variance(rows)
    assert attained == all(2 * rows[j][k] == rows[j][j] + rows[k][k] for j in range(m) for k in range(m) if j != k)
    assert attained == (terms_of(rows).slack == 0)


def test_an_additive_table_need_not_attain_the_bound():
    """GEN's additivity is necessary for equality and not enough: content and position must agree."""
    assert terms_of([[0, 1], [0, 1]]).slack == Fraction(1, 4)
    assert terms_of([[0, 1], [1, 2]]).slack == 0
    assert terms_of([[0, 1], [-1, 0]]).variance == 0
    assert terms_of([[0, 1], [-1, 0]]).bound == 1


# -- additive and pure tables -----------------------------------------------------------------------------


@given(pairs_of_vectors())
@example(([Fraction(0), Fraction(1)], [Fraction(0), Fraction(0)]))
def test_the_bound_of_an_additive_table(parts):
    content, position = parts
    rows = [[c + d for d in position] for c in content]
    terms = terms_of(rows)
    assert terms.bound == printed_bound(rows) == 2 * variance_of(content) + 2 * variance_of(position)
    # Only the position part keeps it from symbolic, and only the content part from positional.
    assert terms.symbolic == 2 * variance_of(position)
    assert terms.positional == 2 * variance_of(content)
    assert terms.slack == variance_of([c - d for c, d in zip(content, position, strict=True)])
    assert terms.variance == variance_of([c + d for c, d in zip(content, position, strict=True)])


@given(st.integers(2, 4).flatmap(vectors))
def test_pure_heads_sit_at_one_half_exactly(part):
    assume(len(set(part)) > 1)
    m = len(part)
    positional, symbolic = terms_of([part] * m), terms_of([[x] * m for x in part])
    assert variance_ratio(positional) == variance_ratio(symbolic) == Fraction(1, 2)
    assert (positional.positional, symbolic.symbolic) == (0, 0)
    assert positional.symbolic == symbolic.positional == 2 * variance_of(part)


def test_uncorrelated_parts_sit_at_one_half():
    content, position = [1, 1, -1, -1], [2, -2, 2, -2]
    rows = [[c + d for d in position] for c in content]
    assert variance_ratio(terms_of(rows)) == Fraction(1, 2)


@given(any_tables(2, 4))
def test_the_ratio_lies_between_zero_and_one(rows):
    ratio = variance_ratio(terms_of(rows))
    assert ratio is None or 0 <= ratio <= 1


def test_independent_signs_have_a_ratio_of_expectations_of_one_quarter():
    variances, bounds = [], []
    for a, b, c, d in product((-1, 1), repeat=4):
        terms = terms_of([[a, b], [c, d]])
        assert terms.bound == printed_bound([[a, b], [c, d]])
        variances.append(terms.variance)
        bounds.append(terms.bound)
    assert sum(variances) / 16 == Fraction(1, 2)  # (1 - 1/m) s^2
    assert sum(bounds) / 16 == 2  # 4 (1 - 1/m) s^2
    assert sum(variances) / sum(bounds) == Fraction(1, 4)


@given(any_tables(2, 4), rationals, rationals)
def test_shifts_scales_and_the_names_of_the_keys(rows, shift, scale):
    terms = terms_of(rows)
    moved = terms_of([[scale * x + shift for x in row] for row in rows])
    turned = terms_of([row[::-1] for row in rows[::-1]])
    transposed = terms_of([list(column) for column in zip(*rows, strict=True)])
    for name in TERMS:
        assert getattr(moved, name) == scale**2 * getattr(terms, name)
        assert getattr(turned, name) == getattr(terms, name)
    assert (transposed.positional, transposed.symbolic) == (terms.symbolic, terms.positional)
    assert (transposed.variance, transposed.slack) == (terms.variance, terms.slack)


# -- floats -----------------------------------------------------------------------------------------------


def within_tolerance(array):
    """Each float term against the literal value of the same numbers, by the tolerance times the bound."""
    rows = [[Fraction(float(x)) for x in row] for row in array]
    m = len(rows)
    terms = exclusion_terms(LogitTable(array))
    positional, symbolic = (norm / (math.factorial(m) * m) for norm in printed_norms(rows))
    variance, bound = printed_variance(rows), positional + symbolic
    true = (positional, symbolic, variance, bound - variance)
    allowed = Fraction(residual_tolerance(m)) * bound
    for name, value in zip(TERMS, true, strict=True):
        assert abs(Fraction(float(getattr(terms, name))) - value) <= allowed, name
    assert abs(float(terms.residual)) <= residual_tolerance(m) * float(terms.bound)


small_floats = st.floats(-4, 4).map(lambda x: 0.0 if abs(x) < 1e-20 else x)


@given(
    any_tables(1, 4, small_floats),
    st.sampled_from([1e-120, 1e-12, 1.0, 1e30, 1e150]),
    st.sampled_from([0.0, 1.0, -1e8, 1e15]),
)
@example([[0.0, 0.0], [0.0, 1.0]], 1e150, 1e15)
@settings(max_examples=80)
def test_floats_stay_within_the_derived_tolerance(rows, scale, offset):
    within_tolerance((np.array(rows) + offset) * scale)


@given(any_tables(1, 4, small_floats))
@settings(max_examples=30)
def test_tables_of_few_bits_stay_within_the_tolerance(rows):
    within_tolerance(np.array(rows, dtype=np.float32))
    within_tolerance(np.array(rows, dtype=np.float16))


@pytest.mark.parametrize("m", [1, 2, 30, 400])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_large_float_tables_add_up(m, offset):
    for seed in range(3):
        array = np.random.default_rng(seed).standard_t(2, size=(m, m)) + offset
        terms = exclusion_terms(LogitTable(array))
        assert abs(terms.residual) <= residual_tolerance(m) * terms.bound
        single = exclusion_terms(LogitTable(array.astype(np.float32)))
        assert abs(single.residual) <= residual_tolerance(m) * single.bound


def test_an_outlier_does_not_spoil_the_variance():
    for outlier in (1e8, -1e15):
        for place in range(3):
            array = np.array([[0.3, 0.1, 0.7], [0.2, 0.9, 0.4], [0.6, 0.8, 0.5]])
            array[place, place] = outlier
            within_tolerance(array)


def test_squares_below_the_range_of_float64_are_not_passed_off_as_terms():
    """Differences near 1e-158 have squares that lose their digits: refused, or right within the tolerance."""
    array = np.array([[0.0, 0.0], [3.88927092283022e-158, 2.9169531921226648e-158]])
    try:
        within_tolerance(array)
    except InputError:
        return


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@pytest.mark.parametrize(
    "array",
    [
        np.diag([1e200, 0.0]),
        np.diag([1e308, -1e308]),
        np.array([[0.0, 1e200], [0.0, 0.0]]),
        np.full((2, 2, 2), 1.0) * np.diag([1e160, 1.0]),
        np.array([[[0.0, 0.0], [0.0, 0.0]], [[1e200, 0.0], [0.0, 0.0]]]),
    ],
)
def test_squares_that_overflow_are_refused(array):
    torch = pytest.importorskip("torch")
    for kind in (array, torch.from_numpy(array)):
        with pytest.raises(InputError, match="overflow float64; divide the table by a power of two"):
            exclusion_terms(LogitTable(kind))


def test_huge_logits_close_together_do_not_overflow():
    terms = exclusion_terms(LogitTable(np.full((3, 3), 1e308)))
    assert (terms.bound, terms.variance, terms.residual) == (0, 0, 0)
    exact = terms_of([[10**400, 0], [0, 0]])
    assert exact.variance == Fraction(10**800, 4)


# -- numpy, torch, float32, batches, blocks ---------------------------------------------------------------


def close(one, other, m):
    """Two float ways to one term differ by at most twice the tolerance of the bound."""
    allowed = 2 * residual_tolerance(m) * np.asarray(other.bound)
    for name in TERMS:
        found, expected = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        assert found.shape == expected.shape
        assert np.all(np.abs(found - expected) <= allowed), name


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 6, 6), (2, 3, 17, 17)])
def test_numpy_torch_and_float32_agree(shape):
    torch = pytest.importorskip("torch")
    single = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    double = single.astype(np.float64)
    of_double = exclusion_terms(LogitTable(double))
    of_single = exclusion_terms(LogitTable(single))
    for name in TERMS:
        assert np.array_equal(getattr(of_single, name), getattr(of_double, name))
        assert np.asarray(getattr(of_single, name)).dtype == np.float64
    for array in (single, double):
        by_torch = exclusion_terms(LogitTable(torch.from_numpy(array)))
        assert by_torch.slack.dtype == torch.float64
        close(by_torch, of_double, shape[-1])
    ratio = np.asarray(variance_ratio(exclusion_terms(LogitTable(torch.from_numpy(double)))))
    assert np.allclose(ratio, variance_ratio(of_double), rtol=1e-12, atol=0, equal_nan=True)


@pytest.mark.parametrize("shape", [(4, 3, 3), (2, 3, 6, 6)])
def test_a_batch_is_its_tables_one_by_one(shape):
    array = np.random.default_rng(2).normal(size=shape)
    together = exclusion_terms(LogitTable(array))
    for batch in np.ndindex(shape[:-2]):
        alone = exclusion_terms(LogitTable(array[batch]))
        for name in TERMS:
            difference = abs(getattr(together, name)[batch] - getattr(alone, name))
            assert difference <= 2 * residual_tolerance(shape[-1]) * alone.bound


def test_an_exact_batch_is_its_tables_one_by_one():
    array = np.empty((2, 3, 3), dtype=object)
    for index in np.ndindex(array.shape):
        array[index] = Fraction(index[0] * 5 + index[1] ** 2 - 2 * index[2], 3)
    terms = exclusion_terms(LogitTable(array))
    for batch in range(2):
        rows = array[batch].tolist()
        assert terms.bound[batch] == printed_bound(rows)
        assert terms.variance[batch] == printed_variance(rows)
        assert terms.residual[batch] == 0


@pytest.mark.parametrize("entries_a_block", [1, 5, 40])
def test_blocks_do_not_change_the_terms(entries_a_block, monkeypatch):
    array = np.random.default_rng(3).normal(size=(2, 9, 9))
    exact = [[Fraction(a * a - 3 * b, 1 + b) for b in range(5)] for a in range(5)]
    whole = exclusion_terms(LogitTable(array))
    monkeypatch.setattr(table_module, "BLOCK_ENTRIES", entries_a_block)
    close(exclusion_terms(LogitTable(array)), whole, 9)
    check_literally(exact)


def test_the_terms_do_not_change_the_table():
    array = np.random.default_rng(4).normal(size=(3, 3))
    before = array.copy()
    exclusion_terms(LogitTable(array))
    assert np.array_equal(array, before)


def test_one_float_table_with_nothing_to_compare_in_a_batch():
    array = np.stack([np.zeros((2, 2)), np.eye(2) * [[0, 0], [0, 2.0]]])
    ratio = variance_ratio(exclusion_terms(LogitTable(array)))
    assert math.isnan(ratio[0])
    assert ratio[1] == Fraction(1, 2)  # [[0, 0], [0, 2]]: variance 1, bound (0 + 4 + 4 + 0) / 4


# -- tables of heads --------------------------------------------------------------------------------------

TURN = Turn(Fraction(4, 5), Fraction(3, 5))


def test_the_table_of_a_rope_plane():
    query = np.array([1, 2], dtype=object)
    keys = np.array([[1, 0], [0, 1], [3, 1], [-1, 2]], dtype=object)
    table = rope_table(query, keys, RopeConfig((TURN,)), 5)
    check_literally(table.logits.tolist())
    floats = rope_table(query.astype(float), keys.astype(float), RopeConfig((TURN,)).numeric(), 5)
    exact, approximate = exclusion_terms(table), exclusion_terms(floats)
    for name in TERMS:
        assert float(getattr(approximate, name)) == pytest.approx(float(getattr(exact, name)), rel=1e-12)


@pytest.mark.parametrize("query", [1, 2, 4])
def test_the_head_of_index_is_positional(query):
    symbols, length = "ab", 5
    task = index_task(symbols, length)
    table = h_pos(symbols, length, TURN).table(task.encode(["a", "b", "b", "a", query]))
    check_literally(table.logits.tolist())
    terms = exclusion_terms(table)
    assert terms.positional == 0
    assert variance_ratio(terms) == Fraction(1, 2)
    by_hand = [TURN.power(query - position)[0] for position in range(1, 5)]
    assert terms.variance == variance_of(by_hand)


@pytest.mark.parametrize("query", ["r", "s"])
def test_the_head_of_retrieval_is_symbolic(query):
    task = retrieval_task("rst", "xy")
    table = h_sym("rst", "xy").table(task.encode([("r", "x"), ("s", "y"), ("t", "x"), query]))
    check_literally(table.logits.tolist())
    terms = exclusion_terms(table)
    assert terms.symbolic == 0
    assert variance_ratio(terms) == Fraction(1, 2)
    assert terms.variance == Fraction(2, 9)  # one logit 1, two logits 0


def test_the_head_of_partial_induction_is_additive():
    tokens = [("r", "x"), ("s", "y"), ("r", "y"), ("s", "x"), "r"]
    turn = Turn.of_half_tangent(Fraction(1, 8))
    task = partial_induction_task("rs", "xy")
    table = two_angle("rs", "xy", 5, turn).table(task.encode(tokens))
    check_literally(table.logits.tolist())
    terms = exclusion_terms(table)
    content = [Fraction(1 if token[0] == "r" else -1) for token in tokens[:-1]]
    position = [turn.power(steps)[0] for steps in (4, 3, 2, 1)]
    assert terms.bound == 2 * variance_of(content) + 2 * variance_of(position)
    assert terms.positional > 0
    assert terms.symbolic > 0
    assert terms.variance > 0


@pytest.mark.parametrize("array", [[[0, 1.2e154], [0, 0]], [[1e154, 0], [0, 0]]])
def test_a_slack_that_overflows_is_refused(array):
    """The slack's base is twice as large as a difference, so it overflows before the bound does."""
    with pytest.raises(InputError, match="overflow float64"):
        exclusion_terms(LogitTable(np.array(array, dtype=float)))
