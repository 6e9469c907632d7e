"""The scores of tables: the fast way against the literal one, limits of the temperature, blocks, factored tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headproof.theory.errors import InputError
from headproof.theory.exclusion import exclusion_terms, residual_tolerance
from headproof.theory.factored import FactoredTable
from headproof.theory.measures import analysis_of_variance
from headproof.theory.scores import (
    Blocks,
    block_log_sums,
    literal_scores,
    require_temperatures,
    swaps_of,
    swaps_of_sums,
    table_scores,
)
from headproof.theory.scores.reading import KINDS, kinds, turning_point
from headproof.theory.table import LogitTable

SIZES = [(1, 2), (1, 7), (2, 5), (3, 4), (5, 2)]


def random_table(seed, size, scale=2.0):
    return LogitTable(np.random.default_rng(seed).normal(size=(size, size)) * scale)


# -- the fast way is the literal way -------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "count"), SIZES)
@pytest.mark.parametrize("temperature", [1e-4, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("own", [None, 0.7])
def test_scores_are_those_of_swaps_one_at_a_time(length, count, temperature, own):
    table = random_table(length * count, length * count + 3)
    blocks = Blocks.tiling(1, 1 + length * count, length)
    fast = table_scores(table, blocks, [temperature], None if own is None else np.float64(own))
    slow = literal_scores(table, blocks, temperature, own)
    assert float(fast.positional[0]) == pytest.approx(slow[0], abs=1e-12)
    assert float(fast.symbolic[0]) == pytest.approx(slow[1], abs=1e-12)


@given(
    st.integers(1, 3), st.integers(2, 4), st.integers(0, 10**6), st.sampled_from([0.01, 1.0, 30.0, 300.0]),
    st.sampled_from([1e-4, 0.05, 3.0]),
)  # fmt: skip
def test_any_table_any_blocks(length, count, seed, scale, temperature):
    table = random_table(seed, length * count + 2, scale)
    blocks = Blocks.tiling(0, length * count, length)
    fast, slow = table_scores(table, blocks, [temperature]), literal_scores(table, blocks, temperature)
    if all(map(math.isfinite, slow)):  # the literal way divides 0 by 0 where attention underflows
        assert float(fast.positional[0]) == pytest.approx(slow[0], abs=1e-9)
        assert float(fast.symbolic[0]) == pytest.approx(slow[1], abs=1e-9)
    assert 0 <= float(fast.positional[0]) <= 1 + 1e-12
    assert 0 <= float(fast.symbolic[0]) <= 1 + 1e-12


def test_blocks_need_not_touch_and_what_is_between_stays():
    table = random_table(3, 12)
    blocks = Blocks((1, 5, 10), 2)
    fast, slow = table_scores(table, blocks, [0.1]), literal_scores(table, blocks, 0.1)
    assert (float(fast.positional[0]), float(fast.symbolic[0])) == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("scale", [0.1, 3.0, 30.0])
def test_sums_give_what_their_logarithms_give(scale):
    table, blocks = random_table(8, 12, scale), Blocks.tiling(0, 12, 3)
    log_sums, normaliser = block_log_sums(table, blocks), np.float64(1.5)
    one = swaps_of(log_sums, normaliser, 3)
    other = swaps_of_sums(np.exp(log_sums), np.exp(normaliser), 3)
    for name in ("positional", "symbolic", "means"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=1e-13)


def test_a_batch_is_its_tables():
    logits = np.random.default_rng(0).normal(size=(2, 3, 8, 8))
    blocks = Blocks.tiling(0, 8, 2)
    whole = table_scores(LogitTable(logits), blocks, [1e-3, 1.0])
    assert whole.positional.shape == (2, 2, 3)
    one = table_scores(LogitTable(logits[1, 2]), blocks, [1e-3, 1.0])
    np.testing.assert_allclose(whole.positional[:, 1, 2], one.positional, atol=1e-14)
    np.testing.assert_allclose(whole.symbolic[:, 1, 2], one.symbolic, atol=1e-14)


def test_pure_tables_score_one():
    rng = np.random.default_rng(1)
    position, content = rng.normal(size=8), rng.normal(size=8)
    blocks = Blocks.tiling(0, 8, 2)
    positional = table_scores(LogitTable(np.tile(position, (8, 1))), blocks, [1e-4, math.inf])
    symbolic = table_scores(LogitTable(np.tile(content[:, None], (1, 8))), blocks, [1e-4, math.inf])
    np.testing.assert_allclose(positional.positional, 1, atol=1e-14)
    np.testing.assert_allclose(symbolic.symbolic, 1, atol=1e-14)
    assert (positional.symbolic < 1).all()
    assert (symbolic.positional < 1).all()


def test_scores_do_not_tell_interaction_from_uniform_attention():
    # 2 x 2 with logits 3 where content meets its own position: attention 1/2 each before and after any swap.
    scores = table_scores(LogitTable(np.array([[3.0, -3.0], [-3.0, 3.0]])), Blocks((0, 1), 1), [1e-4])
    assert (float(scores.positional[0]), float(scores.symbolic[0])) == pytest.approx((1, 1))


# -- temperature ---------------------------------------------------------------------------------------------------


def test_temperature_zero_is_the_limit_of_cold_ones_and_infinity_of_hot_ones():
    table, blocks = random_table(5, 9), Blocks.tiling(0, 9, 1)
    scores = table_scores(table, blocks, [0, 1e-9, 1e9, math.inf])
    np.testing.assert_allclose(scores.positional[0], scores.positional[1], atol=1e-9)
    np.testing.assert_allclose(scores.positional[2], scores.positional[3], atol=1e-6)


def test_ties_of_the_largest_gap_share_temperature_zero():
    # Attention on blocks 1 and 2 alike: two swaps have the largest gap to block 0.
    logits = np.zeros((3, 3))
    logits[:, 1:] = 1.0
    logits[1, 0] = 1.0
    swaps = swaps_of(block_log_sums(LogitTable(logits), Blocks((0, 1, 2), 1)), np.float64(2.0), 1)
    expected = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]) / 4  # each swap stands there twice
    np.testing.assert_allclose(swaps.weights(0.0), expected)
    for temperature in (1e-3, 1.0, math.inf):
        weights = swaps.weights(temperature)
        assert weights.sum() == pytest.approx(1)
        assert (np.diagonal(weights) == 0).all()


@pytest.mark.parametrize("bad", [[-1.0], [math.nan], [], [1.0, 1.0], ["x"], 3.0])
def test_bad_temperatures_are_refused(bad):
    with pytest.raises(InputError, match="temperature"):
        require_temperatures(bad)


# -- blocks --------------------------------------------------------------------------------------------------------


def test_blocks_of_unequal_length_are_refused_with_the_reason():
    with pytest.raises(InputError, match="block 1 has 2 tokens and block 0 has 3: a swap of blocks of unequal length"):
        Blocks.of_spans([(0, 3), (3, 5)])


@pytest.mark.parametrize(
    ("starts", "length", "message"),
    [((0, 1), 2, "overlap"), ((4, 1), 2, "out of order"), ((-1,), 1, "start"), ((0,), 0, "length")],
)
def test_bad_blocks_are_refused(starts, length, message):
    with pytest.raises(InputError, match=message):
        Blocks(starts, length)


def test_blocks_know_their_tokens_and_those_within_a_window():
    blocks = Blocks.of_spans([(1, 3), (3, 5), (7, 9)])
    assert (blocks.count, blocks.swaps, blocks.stop) == (3, 3, 9)
    assert blocks.positions == (1, 2, 3, 4, 7, 8)
    assert blocks.within(range(2, 9)).starts == (3, 7)
    assert blocks.within([]).count == 0
    with pytest.raises(InputError, match="no blocks"):
        Blocks.of_spans([])


def test_a_block_outside_the_table_and_a_single_block_are_refused():
    table = random_table(0, 4)
    with pytest.raises(InputError, match="ends at key 6 of a table of 4 keys"):
        table_scores(table, Blocks((0, 4), 2))
    with pytest.raises(InputError, match="1 blocks; a swap takes two"):
        table_scores(table, Blocks((0,), 2))
    with pytest.raises(InputError, match="exact table"):
        table_scores(LogitTable.of_rows([[0, 1], [1, 0]]), Blocks((0, 1), 1))


# -- reading -------------------------------------------------------------------------------------------------------


def test_kinds_at_a_margin():
    positional = np.array([1.0, 0.2, 0.95, 0.5, np.nan])
    symbolic = np.array([0.1, 0.91, 0.95, 0.6, np.nan])
    assert kinds(positional, symbolic, 0.1).tolist() == ["positional", "symbolic", "both", "neither", "unseen"]
    assert set(KINDS) == set(kinds(positional, symbolic, 0.1))
    for gamma in (0, 0.5, -1):
        with pytest.raises(InputError, match="margin"):
            kinds(positional, symbolic, gamma)


def test_the_turning_point_parts_fast_positional_from_slow_symbolic_planes():
    waves, energy = [8.0, 32.0, 128.0, math.inf], [1.0, 1.0, 1.0, 1.0]
    assert turning_point(waves, np.array([0.5, 0.5, -0.5, -0.5]), energy) == pytest.approx((64.0, 1.0, 0.5))
    # the slowest plane that is positional has 128 tokens and the next one does not turn: there is no mean of both
    assert turning_point(waves, np.array([0.2, 0.2, 0.2, -0.2]), energy) == pytest.approx((128.0, 1.0, 0.75))
    # a plane that scores alike on both has no vote
    assert turning_point(waves, np.array([0.5, 0.5, -0.5, 0.0]), energy) == pytest.approx((64.0, 1.0, 2 / 3))
    # the order of the planes does not matter, their energy does
    assert turning_point(waves[::-1], np.array([-0.5, -0.5, 0.5, 0.5]), energy) == pytest.approx((64.0, 1.0, 0.5))
    found = turning_point(waves, np.array([-0.5, 0.5, -0.5, -0.5]), [10.0, 1.0, 1.0, 1.0])
    assert math.isnan(found[0])
    assert found[1:] == pytest.approx((12 / 13, 12 / 13))


def test_heads_without_a_turn_have_no_turning_point():
    waves, energy = [8.0, 32.0], [1.0, 1.0]
    for purity in ([0.1, 0.2], [-0.1, -0.2], [-0.1, 0.2]):
        assert math.isnan(turning_point(waves, np.array(purity), energy)[0])
    assert all(map(math.isnan, turning_point(waves, np.array([0.1, np.nan]), energy)))
    assert all(map(math.isnan, turning_point(waves, np.array([0.1, -0.1]), [0.0, 0.0])))
    assert math.isnan(turning_point([8.0, 8.0], np.array([0.1, -0.1]), energy)[0])  # one wavelength is no boundary


# -- factored tables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 100.0])
@pytest.mark.parametrize(("m", "d"), [(1, 2), (2, 1), (7, 3), (30, 64)])
def test_factored_measures_are_those_of_the_dense_table(m, d, shift):
    rng = np.random.default_rng(m)
    factored = FactoredTable(rng.normal(size=(2, m, d)) + shift, rng.normal(size=(2, m, d)))
    shares, terms = factored.measures()
    dense, expected = analysis_of_variance(factored.dense), exclusion_terms(factored.dense)
    scale = np.abs(factored.dense.logits).max() ** 2
    for name in ("position", "content", "interaction"):
        np.testing.assert_allclose(getattr(shares, name), getattr(dense, name), atol=1e-12 * m * m * scale)
    for name in ("positional", "symbolic", "variance", "slack"):
        np.testing.assert_allclose(getattr(terms, name), getattr(expected, name), atol=1e-12 * scale)
    if shift == 0:
        assert (np.abs(terms.residual) <= 100 * residual_tolerance(m) * terms.bound).all()


def test_factored_tables_refuse_what_is_none():
    with pytest.raises(InputError, match="contents of shape"):
        FactoredTable(np.zeros((3, 2)), np.zeros((4, 2)))
    with pytest.raises(InputError, match="NaN or infinite"):
        FactoredTable(np.full((3, 2), np.nan), np.zeros((3, 2)))
