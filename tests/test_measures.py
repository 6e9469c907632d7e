"""Variance and two-way analysis of variance of a table, against textbook formulas written out here."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headproof.theory import table as table_module
from headproof.theory.measures import analysis_of_variance, logit_variance, ratio_of
from headproof.theory.table import LogitTable

UNIT = 2.0**-53
rationals = st.fractions(min_value=-3, max_value=3, max_denominator=4)
PARTS = ("position", "content", "interaction", "total")


def square(entry, largest=4):
    return st.integers(1, largest).flatmap(
        lambda size: st.lists(st.lists(entry, min_size=size, max_size=size), min_size=size, max_size=size)
    )


def average(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def textbook_variance(rows):
    """E x^2 - (E x)^2 of the diagonal; exact for Fractions."""
    diagonal = [Fraction(row[j]) for j, row in enumerate(rows)]
    return average(x * x for x in diagonal) - average(diagonal) ** 2


def textbook_anova(rows):
    """Sums of squares of (position, content, interaction, total); exact for Fractions."""
    rows = [[Fraction(x) for x in row] for row in rows]
    m = len(rows)
    every = range(m)
    grand = average(x for row in rows for x in row)
    of_content = [average(row) for row in rows]
    of_position = [average(rows[a][b] for a in every) for b in every]
    interaction = sum((rows[a][b] - of_content[a] - of_position[b] + grand) ** 2 for a in every for b in every)
    return (
        m * sum((mean - grand) ** 2 for mean in of_position),
        m * sum((mean - grand) ** 2 for mean in of_content),
        interaction,
        sum((x - grand) ** 2 for row in rows for x in row),
    )


def spread(array):
    """A bound on a part's rounding: an entry less the first, a mean of m and three subtractions err by (m + 8) units
    of the range R together, so a sum of m^2 squares below (4R)^2 by at most 8 m^2 R^2 (m + 8) units."""
    m = array.shape[-1]
    reach = float(np.abs(array - array[..., :1, :1]).max())
    return 8 * m * m * reach * reach * (m + 8) * UNIT


def parts(array):
    shares = analysis_of_variance(LogitTable(array))
    return [getattr(shares, name) for name in PARTS]


def random_tables(shape, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(size=shape) * scale


# -- exact ------------------------------------------------------------------------------------------------


@given(square(rationals))
@example([[0]])
@example([["0", "1/2"], ["1/2", "1"]])
def test_exact_tables_give_the_textbook_values(rows):
    table = LogitTable.of_rows(rows)
    assert logit_variance(table) == textbook_variance(rows)
    shares = analysis_of_variance(table)
    assert tuple(getattr(shares, name) for name in PARTS) == textbook_anova(rows)
    assert all(isinstance(getattr(shares, name), Fraction) for name in PARTS)
    if shares.total:
        assert sum(shares.shares) == 1
        assert all(0 <= share <= 1 for share in shares.shares)
    else:
        assert shares.shares == (None, None, None)


def test_symbolic_tables_give_the_textbook_values():
    table = LogitTable.symbolic(3)
    entries = table.logits
    mean = sum(entries[j, j] for j in range(3)) / 3
    expected = sum((entries[j, j] - mean) ** 2 for j in range(3)) / 3
    assert sympy.expand(logit_variance(table) - expected) == 0
    shares = analysis_of_variance(table)
    grand = sum(entries.flat) / 9
    total = sum((x - grand) ** 2 for x in entries.flat)
    assert sympy.expand(shares.total - total) == 0
    of_position = 3 * sum((sum(entries[:, b]) / 3 - grand) ** 2 for b in range(3))
    assert sympy.expand(shares.position - of_position) == 0


@given(st.lists(rationals, min_size=1, max_size=4), st.data())
def test_pure_and_additive_tables_have_pure_shares(content, data):
    m = len(content)
    position = data.draw(st.lists(rationals, min_size=m, max_size=m))
    zero = [Fraction(0)] * m
    for c, d in ((content, zero), (zero, position), (content, position)):
        shares = analysis_of_variance(LogitTable.additive(c, d))
        assert shares.interaction == 0
        assert shares.content == m * m * (average(x * x for x in c) - average(c) ** 2)
        assert shares.position == m * m * (average(x * x for x in d) - average(d) ** 2)


def test_transposition_exchanges_content_and_position():
    array = random_tables((5, 5))
    one, other = analysis_of_variance(LogitTable(array)), analysis_of_variance(LogitTable(array.T))
    assert one.content == pytest.approx(other.position, rel=1e-13)
    assert one.position == pytest.approx(other.content, rel=1e-13)
    assert logit_variance(LogitTable(array)) == logit_variance(LogitTable(array.T))


# -- floats -----------------------------------------------------------------------------------------------


@given(square(st.floats(-8, 8, allow_subnormal=False), 5), st.integers(-20, 20))
def test_floats_follow_the_exact_value_of_the_same_numbers(rows, exponent):
    array = np.ldexp(np.array(rows), exponent)
    array[np.abs(array) < 1e-60] = 0
    exact = array.tolist()
    allowed = spread(array)
    for found, true in zip(parts(array), textbook_anova(exact), strict=True):
        assert abs(Fraction(float(found)) - true) <= Fraction(allowed)
    assert abs(Fraction(float(logit_variance(LogitTable(array)))) - textbook_variance(exact)) <= Fraction(allowed)


@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_floats_follow_numpy(m):
    array = random_tables((m, m), seed=m)
    grand = array.mean()
    position = m * ((array.mean(axis=0) - grand) ** 2).sum()
    content = m * ((array.mean(axis=1) - grand) ** 2).sum()
    total = ((array - grand) ** 2).sum()
    assert parts(array) == pytest.approx([position, content, total - position - content, total], abs=spread(array))
    assert logit_variance(LogitTable(array)) == pytest.approx(np.var(np.diagonal(array)), rel=1e-13)


@pytest.mark.parametrize("shape", [(6, 6), (3, 6, 6), (2, 2, 5, 5)])
def test_shares_add_up_to_one(shape):
    shares = analysis_of_variance(LogitTable(random_tables(shape))).shares
    assert np.allclose(sum(shares), 1, rtol=0, atol=8 * UNIT)
    assert all(np.all((share >= 0) & (share <= 1)) for share in shares)
    assert all(np.shape(share) == shape[:-2] for share in shares)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e8, 1e300])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_constant_tables_have_nothing_to_share(value, m):
    table = LogitTable(np.full((m, m), value))
    shares = analysis_of_variance(table)
    assert logit_variance(table) == 0
    assert (shares.position, shares.content, shares.interaction, shares.total) == (0, 0, 0, 0)
    assert all(math.isnan(share) for share in shares.shares)


def test_constant_tables_in_a_batch_and_in_torch():
    torch = pytest.importorskip("torch")
    array = np.stack([np.full((2, 2), 0.3), np.eye(2)])
    for shares in (
        analysis_of_variance(LogitTable(array)).shares,
        analysis_of_variance(LogitTable(torch.from_numpy(array))).shares,
    ):
        assert [bool(share[0] == share[0]) for share in shares] == [False] * 3
        assert [float(share[1]) for share in shares] == [0, 0, 1]
    exact = np.empty((2, 2, 2), dtype=object)
    exact[0], exact[1] = Fraction(1, 3), [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    shares = analysis_of_variance(LogitTable(exact)).shares
    assert [share[0] for share in shares] == [None] * 3
    assert [share[1] for share in shares] == [0, 0, 1]


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 5, 5), (2, 3, 17, 17)])
def test_float32_gives_what_its_float64_copy_gives(shape):
    torch = pytest.importorskip("torch")
    single = random_tables(shape, scale=100).astype(np.float32)
    double = single.astype(np.float64)
    assert np.array_equal(logit_variance(LogitTable(single)), logit_variance(LogitTable(double)))
    for narrow, wide in zip(parts(single), parts(double), strict=True):
        assert np.array_equal(narrow, wide)
        assert np.asarray(narrow).dtype == np.float64
    for narrow, wide in zip(parts(torch.from_numpy(single)), parts(torch.from_numpy(double)), strict=True):
        assert narrow.dtype == torch.float64
        assert torch.equal(narrow, wide)


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 5, 5), (2, 3, 17, 17)])
def test_torch_follows_numpy(shape):
    torch = pytest.importorskip("torch")
    array = random_tables(shape)
    by_torch = torch.from_numpy(array)
    for one, other in zip(parts(by_torch), parts(array), strict=True):
        assert tuple(one.shape) == np.shape(other) == shape[:-2]
        assert np.allclose(one.numpy(), other, rtol=0, atol=spread(array))
    assert np.allclose(
        logit_variance(LogitTable(by_torch)).numpy(), logit_variance(LogitTable(array)), rtol=0, atol=spread(array)
    )


@pytest.mark.parametrize("shape", [(4, 3, 3), (2, 3, 6, 6)])
def test_a_batch_is_its_tables_one_by_one(shape):
    array = random_tables(shape)
    together, variance = parts(array), logit_variance(LogitTable(array))
    for batch in np.ndindex(shape[:-2]):
        for whole, single in zip(together, parts(array[batch]), strict=True):
            assert abs(whole[batch] - single) <= spread(array)
        assert abs(variance[batch] - logit_variance(LogitTable(array[batch]))) <= spread(array)


@given(square(st.integers(-512, 512), 5), st.sampled_from([1e8, -1e8, 2.0**40, 3.0]))
@example([[-512, 511], [1, 0]], 1e8)
def test_a_common_offset_costs_no_digit(rows, offset):
    """Entries are multiples of 1/256 below 2, so that their sums with the offset are exact float64 numbers."""
    array = np.array(rows) / 256
    assert np.array_equal((array + offset) - offset, array)
    assert parts(array + offset) == parts(array)
    assert logit_variance(LogitTable(array + offset)) == logit_variance(LogitTable(array))


def test_an_offset_of_each_table_of_a_batch_costs_no_digit():
    array = np.random.default_rng(3).integers(-512, 512, size=(3, 4, 4)) / 256
    offsets = np.array([1e8, -3e8, 0.0])[:, None, None]
    for moved, plain in zip(parts(array + offsets), parts(array), strict=True):
        assert np.array_equal(moved, plain)


@pytest.mark.parametrize("entries", [1, 7, 30])
@pytest.mark.parametrize("shape", [(1, 1), (7, 7), (2, 11, 11)])
def test_blocks_do_not_change_the_sums(shape, entries, monkeypatch):
    torch = pytest.importorskip("torch")
    array = random_tables(shape)
    exact = LogitTable.of_rows([[Fraction(a * a - 3 * b, 1 + b) for b in range(7)] for a in range(7)]).logits
    whole, whole_exact = parts(array), parts(exact)
    monkeypatch.setattr(table_module, "BLOCK_ENTRIES", entries)
    for kind in (array, torch.from_numpy(array)):
        for one, other in zip(parts(kind), whole, strict=True):
            assert np.allclose(np.asarray(one), other, rtol=0, atol=spread(array))
    assert parts(exact) == whole_exact


def test_inputs_stay_as_they_are():
    array = random_tables((3, 4, 4))
    before = array.copy()
    parts(array)
    logit_variance(LogitTable(array))
    assert np.array_equal(array, before)


# -- ratios -----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(rationals, rationals)
def test_ratios_of_numbers(part, whole):
    assert ratio_of(part, whole) == (part / whole if whole else None)


def test_ratios_of_arrays():
    ratio = ratio_of(np.array([1.0, 0.0, 2.0]), np.array([4.0, 0.0, 0.0]))
    assert ratio[0] == 0.25
    assert np.isnan(ratio[1:]).all()
    exact = np.array([Fraction(0), Fraction(1, 2)], dtype=object)
    assert ratio_of(Fraction(1, 4) * exact, exact).tolist() == [None, Fraction(1, 4)]
