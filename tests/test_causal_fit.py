"""The additive fit of causal logits and the components held out, against brute force on small matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headproof.theory.disentanglement.causal_fit import CausalDesign, diagonal_sums
from headproof.theory.disentanglement.false_distance import components, held_out
from headproof.theory.errors import InputError
from headproof.theory.table import LogitTable


def pattern(length, window=None, start=0):
    """Which keys each query sees: causal, in a window, without the first `start` keys."""
    place = np.arange(length)
    gap = place[:, None] - place
    return (gap >= 0) & (gap < (window or length)) & (place >= start)


def literal(visible, logits, parts):
    """Residual sum of squares and fitted entries by least squares on the full design of 0 and 1."""
    query, key = np.nonzero(visible)
    length = len(visible)
    columns = {"distance": query - key, "query": query, "key": key}
    design = np.concatenate([np.eye(length)[columns[part]] for part in parts], axis=1)
    values = logits[query, key]
    found = np.linalg.lstsq(design, values, rcond=None)[0]
    return float(((values - design @ found) ** 2).sum()), design @ found


PATTERNS = [(3, None, 0), (4, None, 0), (9, None, 0), (9, 4, 0), (9, None, 1), (12, 5, 2), (7, 2, 0)]


@pytest.mark.parametrize(("length", "window", "start"), PATTERNS)
def test_fits_are_those_of_the_full_design(length, window, start):
    visible = pattern(length, window, start)
    logits = np.random.default_rng(length).normal(size=(3, length, length)).cumsum(axis=-1)
    fit = CausalDesign.of(visible).fit(logits)
    for head in range(3):
        for name, parts in (
            ("residual", ("distance", "query", "key")),
            ("position_residual", ("distance", "query")),
            ("content_residual", ("query", "key")),
            ("within", ("query",)),
        ):
            expected, _ = literal(visible, logits[head], parts)
            assert getattr(fit, name)[head] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        entries = logits[head][visible]
        assert fit.total[head] == pytest.approx(entries.var() * len(entries))
        residual, fitted = literal(visible, logits[head], ("distance", "query", "key"))
        if residual > 1e-9:
            assert fit.correlation[head] == pytest.approx(np.corrcoef(entries, fitted)[0, 1], abs=1e-9)
            row = np.nonzero(visible)[0]
            less = [
                values - (np.bincount(row, values) / np.maximum(np.bincount(row), 1))[row]
                for values in (entries, fitted)
            ]
            assert fit.row_correlation[head] == pytest.approx(np.corrcoef(*less)[0, 1], abs=1e-9)


@pytest.mark.parametrize(("length", "window", "start"), PATTERNS)
def test_an_additive_matrix_is_fitted_whole_and_its_parts_are_in_the_gauge(length, window, start):
    visible = pattern(length, window, start)
    a, b, c = np.random.default_rng(1).normal(size=(3, length))
    place = np.arange(length)
    gap = np.maximum(place[:, None] - place, 0)
    fit = CausalDesign.of(visible).fit(a[gap] + b[:, None] + c)
    assert fit.correlation == pytest.approx(1)
    assert fit.row_correlation == pytest.approx(1)
    keys = place[~np.isnan(fit.key)]
    assert list(keys) == list(np.flatnonzero(visible.any(axis=0)))
    assert np.nanmean(fit.distance) == pytest.approx(0, abs=1e-9)
    assert np.nanmean(fit.key) == pytest.approx(0, abs=1e-9)
    assert np.nansum(fit.key * (place - keys.mean())) == pytest.approx(0, abs=1e-9)
    # The parts give the matrix back, but for a constant in each row.
    rest = np.where(visible, a[gap] + b[:, None] + c - fit.distance[gap] - fit.key, np.nan)
    seen = visible.any(axis=1)
    assert np.nanmax(np.nanmax(rest[seen], axis=1) - np.nanmin(rest[seen], axis=1)) < 1e-9


def test_the_gauge_is_three_numbers_and_changes_nothing():
    """The full design has three numbers more than its rank, for causal patterns and windows."""
    for length, window, start in PATTERNS[2:6]:
        visible = pattern(length, window, start)
        query, key = np.nonzero(visible)
        design = np.concatenate([np.eye(length)[each] for each in (query - key, query, key)], axis=1)
        used = int((design.sum(axis=0) > 0).sum())
        assert used - np.linalg.matrix_rank(design) == 3


def test_a_constant_in_a_row_is_not_seen():
    visible = pattern(10)
    generator = np.random.default_rng(0)
    logits = generator.normal(size=(10, 10))
    design = CausalDesign.of(visible)
    one, other = design.fit(logits), design.fit(logits + 100 * generator.normal(size=(10, 1)))
    assert one.row_correlation == pytest.approx(other.row_correlation)
    assert one.correlation < other.correlation


def test_entries_after_the_query_are_not_read():
    logits = np.random.default_rng(0).normal(size=(2, 8, 8))
    design = CausalDesign.of(pattern(8))
    hidden = np.where(pattern(8), logits, np.inf)
    assert np.array_equal(design.fit(logits).correlation, design.fit(hidden).correlation)


def test_torch_gives_what_numpy_gives():
    torch = pytest.importorskip("torch")
    logits = np.random.default_rng(0).normal(size=(2, 3, 12, 12))
    design = CausalDesign.of(pattern(12, 7))
    one, other = design.fit(logits), design.fit(torch.from_numpy(logits))
    for name in ("correlation", "row_correlation", "position_correlation", "content_correlation", "distance", "key"):
        assert np.allclose(getattr(one, name), getattr(other, name).numpy(), equal_nan=True, atol=1e-12)


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_diagonal_sums(length, seed):
    rows = np.random.default_rng(seed).integers(-9, 9, size=(2, length, length)).astype(float)
    rows = np.tril(rows)
    expected = [[np.trace(each, -distance) for distance in range(length)] for each in rows]
    assert np.array_equal(diagonal_sums(rows), expected)


@pytest.mark.parametrize(
    ("visible", "message"),
    [
        (np.ones((3, 3)), "square array of bool"),
        (np.ones((3, 3), bool), "a query sees a key after it"),
        (np.tril(np.ones((2, 3), bool)), "square array of bool"),
        (np.zeros((3, 3), bool), "without a visible entry"),
        (pattern(9, 1), "does not determine the parts"),
    ],
)
def test_patterns_that_determine_nothing_are_refused(visible, message):
    with pytest.raises(InputError, match=message):
        CausalDesign.of(visible)


def test_other_shapes_and_precisions_are_refused():
    design = CausalDesign.of(pattern(5))
    for logits in (np.zeros((4, 4)), np.zeros((5, 5), np.float32)):
        with pytest.raises(InputError, match="for a pattern of 5 tokens"):
            design.fit(logits)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -1e8 / 3])
def test_constant_logits_have_no_correlation(value):
    fit = CausalDesign.of(pattern(64)).fit(np.full((64, 64), value))
    assert np.isnan(fit.correlation)
    assert np.isnan(fit.row_correlation)


def test_rows_that_do_not_vary_have_no_correlation_within_rows():
    levels = np.random.default_rng(0).normal(size=(64, 1))
    fit = CausalDesign.of(pattern(64)).fit(np.repeat(levels, 64, axis=1))
    assert fit.correlation == pytest.approx(1)
    assert np.isnan(fit.row_correlation)


def test_small_variation_on_a_high_level_is_no_rounding():
    logits = 1e3 + 1e-6 * np.random.default_rng(0).normal(size=(16, 16))
    fit = CausalDesign.of(pattern(16)).fit(logits)
    assert 0 < fit.row_correlation < 1


# -- false distances -----------------------------------------------------------------------------------------------


def test_components_of_an_additive_table():
    content, position = np.array([3.0, -1.0, 2.0, 5.0]), np.array([0.5, 1.0, -2.0, 4.0])
    parts = components(LogitTable.additive(content, position))
    assert np.allclose(parts.content, content + position.mean())
    assert np.allclose(parts.distance, position - position.mean())
    assert np.allclose(parts.interaction, 0)


def test_additive_components_foretell_what_is_held_out():
    generator = np.random.default_rng(0)
    out = held_out(LogitTable.additive(generator.normal(size=(3, 12)), generator.normal(size=(3, 12))))
    assert np.allclose(out.distance, 1)
    assert np.allclose(out.content, 1)


def test_random_tables_foretell_nothing():
    out = held_out(LogitTable(np.random.default_rng(0).normal(size=(50, 40, 40))))
    assert abs(out.distance.mean()) < 0.05
    assert abs(out.content.mean()) < 0.05


def test_held_out_correlations_are_literally_those():
    logits = np.random.default_rng(3).normal(size=(6, 6)).cumsum(axis=0)
    out = held_out(LogitTable(logits))
    rows = logits[1::2] - logits[1::2].mean(axis=1, keepdims=True)
    curve = logits[0::2].mean(axis=0)
    assert out.distance == pytest.approx(np.corrcoef(rows.ravel(), np.tile(curve, 3))[0, 1])
    columns = (logits[:, 3:] - logits[:, 3:].mean(axis=0)).T
    assert out.content == pytest.approx(np.corrcoef(columns.ravel(), np.tile(logits[:, :3].mean(axis=1), 3))[0, 1])


def test_pure_tables_have_one_component_alone():
    levels = np.random.default_rng(0).normal(size=64)
    symbolic, positional = (LogitTable(np.broadcast_to(each, (64, 64)).copy()) for each in (levels[:, None], levels))
    assert np.isnan(held_out(symbolic).distance)
    assert held_out(symbolic).content == pytest.approx(1)
    assert np.isnan(held_out(positional).content)
    assert held_out(positional).distance == pytest.approx(1)
    constant = held_out(LogitTable(np.full((64, 64), 0.1)))
    assert np.isnan(constant.distance)
    assert np.isnan(constant.content)


def test_few_keys_and_exact_tables_are_refused():
    for table in (LogitTable(np.zeros((3, 3))), LogitTable.of_rows([[0] * 4] * 4)):
        with pytest.raises(InputError, match="four keys or more"):
            held_out(table)
    with pytest.raises(InputError, match="components are those of float tables"):
        components(LogitTable.of_rows([[0] * 4] * 4))
