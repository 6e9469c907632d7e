"""What profiles are evidence of: permutation p-values, intervals, surrogates; each against a known answer."""

import math
from itertools import islice

import numpy as np
import pytest
from scipy import stats

from headproof.checks.trained.evidence import (
    _block_permutations,
    against_null,
    correlation_test,
    cube,
    depth_drop,
    depth_trend,
    false_discovery,
    holm,
    mean_over,
    median,
    over_prompts,
    surrogate_p,
    unit_of,
)
from headproof.checks.trained.pairing import pearson
from headproof.checks.trained.scores.worlds import world
from headproof.theory.errors import InputError


def heads_of(layers, each):
    return np.repeat(np.arange(layers), each)


def test_the_correlation_is_the_mean_of_pearsons_over_prompts():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 40)), rng.normal(size=(3, 40))
    r, p = correlation_test(x, y, heads_of(10, 4), 0)
    assert r == pytest.approx(np.mean([stats.pearsonr(a, b).statistic for a, b in zip(x, y, strict=True)]))
    assert 0.001 < p <= 1


def test_a_planted_correlation_has_the_least_p_and_a_permuted_one_has_not():
    x = np.random.default_rng(1).normal(size=(2, 60))
    assert correlation_test(x, -x, heads_of(12, 5), 0) == (pytest.approx(-1), 1e-4)
    assert correlation_test(x, x[:, np.random.default_rng(2).permutation(60)], heads_of(12, 5), 0)[1] > 0.01


@pytest.mark.parametrize("sizes", [(4, 4, 4), (1, 1), (3, 5, 2)])
def test_layers_move_as_wholes_and_as_one_layer_at_a_time_would(sizes):
    layers = np.repeat(np.arange(len(sizes)), sizes)
    members = [np.flatnonzero(layers == layer) for layer in range(len(sizes))]
    generator = np.random.default_rng(7)
    for order in islice(_block_permutations(np.random.default_rng(7), layers), 20):
        alone = [generator.permutation(members[layer]) for layer in generator.permutation(len(sizes))]
        assert order.tolist() == np.concatenate(alone).tolist()
        assert (np.diff(layers[order]) != 0).sum() == len(sizes) - 1


@pytest.mark.parametrize("shared", [0.0, 3.0])
def test_permutation_p_values_of_noise_are_uniform_also_if_layers_share_something(shared):
    rng = np.random.default_rng(3)
    layers = heads_of(12, 4)

    def noise():
        return rng.normal(size=(1, 48)) + shared * rng.normal(size=12)[layers]

    found = [correlation_test(noise(), noise(), layers, seed)[1] for seed in range(40)]
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_heads_that_are_not_seen_are_left_out_and_too_few_give_nothing():
    x, layers = np.array([[1.0, 2.0, 3.0, np.nan]]), np.arange(4)
    assert correlation_test(x, x, layers, 0)[0] == pytest.approx(1)
    assert all(map(math.isnan, correlation_test(x[:, 1:], x[:, 1:], layers[1:], 0)))
    assert all(map(math.isnan, correlation_test(np.ones((1, 5)), x[:, [0, 1, 2, 0, 1]], np.arange(5), 0)))


def test_depth_is_judged_by_layers_not_by_heads():
    layers = np.repeat(np.arange(10), 8)
    falling = 1 - layers / 10 + 0.001 * np.random.default_rng(0).normal(size=(2, 80))
    rho, p = depth_trend(falling, layers, 0)
    assert rho == pytest.approx(-1, abs=0.01)
    assert p <= 0.001
    assert depth_drop(falling, layers) == pytest.approx(0.5, abs=0.01)
    # three layers can be ordered in six ways: no p below 1/3 for a two-sided test, however many heads agree
    assert depth_trend(falling[:, :24], layers[:24], 0)[1] > 0.3
    assert all(map(math.isnan, depth_trend(falling[:, :16], layers[:16], 0)))
    assert all(map(math.isnan, depth_trend(np.full((2, 80), np.nan), layers, 0)))
    assert math.isnan(depth_drop(np.full((2, 80), np.nan), layers))


def test_an_interval_over_prompts_needs_three_units_and_covers_the_mean():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    low, high = over_prompts(lambda chosen: float(values[chosen].mean()), list("abcd"), 0)
    assert 1 <= low < 2.5 < high <= 4
    assert all(map(math.isnan, over_prompts(lambda chosen: 0.0, list("aabb"), 0)))


def test_intervals_of_few_units_miss_the_mean_as_seldom_as_they_say():
    """Eight units of two prompts each that share most of their noise: 5 % of misses, which plain percentiles over
    sixteen prompts would exceed several times."""
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(8), 2)
    missed = 0
    for seed in range(120):
        values = rng.normal(size=8)[units] + 0.3 * rng.normal(size=16)
        low, high = over_prompts(lambda chosen, values=values: float(values[chosen].mean()), units, seed)
        missed += not low <= 0 <= high
    assert missed / 120 <= 0.12


def test_prompts_of_one_seed_are_one_unit():
    assert unit_of("binding-48-first-s0") == unit_of("binding-48-last-s0")
    assert unit_of("binding-48-first-s0") != unit_of("binding-48-first-s1") != unit_of("binding-12-first-s1")
    assert unit_of("text-a-b.txt") == "text-a-b.txt"
    assert unit_of("prompt") == "prompt"


def test_a_surrogate_p_counts_the_heads_themselves():
    drawn = np.array([[-0.5, 0.0, 0.5]])
    assert surrogate_p(np.array([-1.0]), drawn) == 0.25
    assert surrogate_p(np.array([0.0]), drawn) == 0.75
    assert math.isnan(surrogate_p(np.array([0.0]), np.empty((1, 0))))


@pytest.mark.parametrize("seed", range(3))
def test_surrogates_find_pure_heads_and_no_pattern_in_random_tables(seed):
    """The worlds that serve as controls: the second is one that pairing heads with other heads gets wrong."""
    for kind in ("pure", "peaked"):
        own, drawn = world(kind, seed)
        assert surrogate_p(own, drawn) == 0.01
    own, drawn = world("random", seed)
    assert 0.02 < surrogate_p(own, drawn) < 0.98


def test_heads_against_a_null():
    null = np.linspace(-1, 1, 99)
    p = against_null(np.array([-2.0, 0.0, 2.0, np.nan]), null)
    assert p[[0, 2]] == pytest.approx([0.02, 0.02])
    assert p[1] == 1
    assert math.isnan(p[3])
    assert np.isnan(against_null(np.array([0.0]), np.array([np.nan]))).all()


def test_corrections_are_those_of_the_textbook_and_leave_nan_alone():
    p = np.array([0.01, 0.04, np.nan, 0.03])
    assert holm(p)[[0, 1, 3]] == pytest.approx([0.03, 0.06, 0.06])
    assert false_discovery(p)[[0, 1, 3]] == pytest.approx([0.03, 0.04, 0.04])
    assert math.isnan(holm(p)[2])
    assert math.isnan(false_discovery(p)[2])
    assert np.isnan(holm(np.array([np.nan]))).all()


def test_a_null_that_is_the_model_finds_nothing():
    rng = np.random.default_rng(0)
    found = [
        (false_discovery(against_null(rng.normal(size=200), rng.normal(size=400))) <= 0.05).any() for _ in range(100)
    ]
    assert np.mean(found) <= 0.12  # 5 % expected


def test_cubes_hold_each_combination_once():
    columns = {"a": np.array(["x", "x", "y"]), "b": np.array([0, 1, 1]), "v": np.array([1.0, 2.0, 3.0])}
    found = cube(columns, "v", ("a", "b"))
    assert found[0].tolist() == [1, 2]
    assert math.isnan(found[1, 0])
    with pytest.raises(InputError, match="two rows of a profile share one a"):
        cube(columns, "v", ("a",))


def test_means_and_medians_of_nothing_are_nan():
    assert np.isnan(mean_over(np.full((2, 1), np.nan))).all()
    assert mean_over(np.array([[1.0, np.nan], [3.0, 5.0]])).tolist() == [2, 5]
    assert math.isnan(median(np.array([np.nan])))
    assert median(np.array([np.nan, 3.0, 1.0])) == 2


def test_correlations_of_too_few_or_constant_scores_are_nan():
    assert math.isnan(pearson(np.array([1.0, 2.0]), np.array([1.0, 2.0])))
    assert math.isnan(pearson(np.ones(5), np.arange(5.0)))
    assert pearson(np.arange(5.0), -np.arange(5.0)) == pytest.approx(-1)
