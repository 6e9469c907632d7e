"""The claims about scores: cases against softmax in floats, verdicts and controls, counterexamples by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from other_tiers import decided

from headproof.checks.registry import Context
from headproof.checks.scores import (
    CASE_SOURCES,
    CLAIMS,
    average_cases,
    cold_cases,
    head_cases,
    peak_cases,
    points_cases,
    swap_cases,
)
from headproof.theory.claim import Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.scores import literal_scores
from headproof.theory.scores.average_claims import average, average_circle, average_one
from headproof.theory.scores.blocks import Blocks
from headproof.theory.scores.cases import AverageCase, ColdCase, PeakCase, PointsCase, SpreadCase, SwapCase
from headproof.theory.scores.cold_claims import cold_scores, peak
from headproof.theory.scores.effect_claims import main_effects, near_the_circle, powers
from headproof.theory.scores.exact_claims import (
    blind,
    positional_converse,
    positional_exactly,
    symbolic_converse,
    symbolic_exactly,
)
from headproof.theory.scores.faithful_claims import positional, symbolic, unequal
from headproof.theory.scores.geometry_claims import geometry, uniform
from headproof.theory.scores.head_cases import HeadCase
from headproof.theory.scores.swap_claims import circle_of_swap, difference_of_scores, normaliser
from headproof.theory.table import LogitTable

F = Fraction
REFUTED = {average_circle.id, positional_converse.id, symbolic_converse.id, unequal.id}
PREMISES = {
    positional.id: {"one length", "positional"},
    symbolic.id: {"symbolic"},
    positional_exactly.id: {"one token"},
    symbolic_exactly.id: {"one token"},
    blind.id: {"one token"},
    average.id: {"weights", "sum 1"},
    average_one.id: {"positive weights", "sum 1"},
    cold_scores.id: {"scores"},
    geometry.id: {"on the circle", "not negative"},
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_record_of_a_claim(claim):
    record = decided(claim.id)
    expected = Verdict.REFUTED if claim.id in REFUTED else Verdict.HOLDS
    assert record["verdict"] is expected, [finding["summary"] for finding in record["findings"]]
    assert {finding["tier"] for finding in record["findings"]} == {Tier.TESTED} | (
        set() if claim.id in REFUTED else {Tier.PROOF}
    )
    assert all(control["passed"] for finding in record["findings"] for control in finding["controls"])
    if claim.id not in REFUTED:
        assert {each["name"] for each in record["premises"]} == PREMISES.get(claim.id, set())
        assert {each["status"] for each in record["premises"]} <= {"needed"}


# -- the definition, in floats -------------------------------------------------------------------------------------


def float_swap(logits, block_i, block_j, own):
    """Means before and after a swap, by softmax over the whole row of logits `logits[content, position]`."""
    keys = np.arange(len(logits))
    contents = keys.copy()
    contents[block_i], contents[block_j] = keys[block_j], keys[block_i]
    means = []
    for order in (keys, contents):
        weights = np.exp(np.append(logits[order, keys], own))
        weights /= weights.sum()
        means.append(np.array([weights[block_i].mean(), weights[block_j].mean()]))
    return means


def cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


TABLES = st.tuples(st.integers(1, 3), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 4.0]))


def random_table(drawn):
    """Logits over two blocks and two keys more, and the swap case of the two blocks."""
    length, seed, scale = drawn
    rng = np.random.default_rng(seed)
    logits = rng.normal(scale=scale, size=(2 * length + 2,) * 2)
    blocks = np.arange(length), np.arange(length + 1, 2 * length + 1)  # a key between them, one after them
    own = rng.normal()
    factors = np.exp(logits)
    sums = {(a, b): factors[blocks[a], blocks[b]].sum() for a in (0, 1) for b in (0, 1)}
    rest = sum(factors[key, key] for key in (length, 2 * length + 1)) + math.exp(own)
    exact = [F(float(each)) for each in (sums[0, 0], sums[1, 1], sums[0, 1], sums[1, 0], rest)]
    return logits, blocks, own, SwapCase(*exact, length)


@settings(max_examples=150)
@given(TABLES)
def test_a_swap_case_is_the_definition(drawn):
    logits, blocks, own, case = random_table(drawn)
    before, after = float_swap(logits, *blocks, own)
    assert [float(each) for each in case.before] == pytest.approx(before)
    assert [float(each) for each in case.after] == pytest.approx(after)
    scores = cosine(after, before), cosine(after, before[::-1])
    assert [math.sqrt(each) for each in case.squares] == pytest.approx(scores)


@settings(max_examples=150)
@given(TABLES)
def test_what_holds_of_a_swap_holds_in_floats(drawn):
    logits, blocks, own, _ = random_table(drawn)
    before, after = float_swap(logits, *blocks, own)
    x, y = cosine(after, before), cosine(after, before[::-1])
    sizes = (before @ before) * (after @ after)
    assert x * x + y * y == pytest.approx(1 + 4 * before.prod() * after.prod() / sizes)
    assert 1 < x + y <= 2 + 1e-12
    shares = before.min() / before.max() * after.min() / after.max()
    assert shares * (1 - 1e-9) <= 4 * before.prod() * after.prod() / sizes <= 4 * shares * (1 + 1e-9)
    steep = (before[1] ** 2 - before[0] ** 2) * (after[1] ** 2 - after[0] ** 2)
    assert x * x - y * y == pytest.approx(steep / sizes, abs=1e-12)


@settings(max_examples=150)
@given(st.tuples(*[st.floats(-3, 3)] * 5))
def test_main_effects_in_floats(drawn):
    mu, f, g, interaction, own = drawn
    signs = np.array([-1, 1])
    logits = mu + f * signs[None, :] + g * signs[:, None] + interaction * np.outer(signs, signs)  # [content, position]
    before, after = float_swap(logits, np.array([0]), np.array([1]), own)
    c, d = math.cosh(2 * f), math.cosh(2 * g)
    size = math.sqrt(c * c + d * d - 1)
    assert cosine(after, before) == pytest.approx(c / size)
    assert cosine(after, before[::-1]) == pytest.approx(d / size)


@given(swap_cases())
def test_the_powers_are_the_effects(case):
    logs = np.log([float(each) for each in (case.ii, case.jj, case.ij, case.ji)])
    assert math.log(powers(case)[0]) == pytest.approx(logs[1] + logs[2] - logs[0] - logs[3], abs=1e-9)
    assert math.log(powers(case)[1]) == pytest.approx(logs[1] + logs[3] - logs[0] - logs[2], abs=1e-9)


@given(head_cases())
def test_a_head_case_is_the_definition(case):
    """The literal swap: contents are put in their new order, the positions are 0, 1, 2, ... as before."""
    lengths = [int(each) for each in case.lengths]
    starts = np.cumsum([0, *lengths])
    logits = np.log(np.array([[float(each) for each in row] for row in case.rows]))
    own = -math.inf if case.own == 0 else math.log(case.own)

    def means(order):
        contents = np.concatenate([np.arange(starts[block], starts[block + 1]) for block in order])
        weights = np.exp(np.append(logits[contents, np.arange(case.keys)], own))
        weights /= weights.sum()
        ends = np.cumsum([0, *(lengths[block] for block in order)])
        return np.array([weights[a:b].mean() for a, b in pairwise(ends)])

    assert set(case.squares) == set(combinations(range(len(lengths)), 2))
    for (i, j), squares in case.squares.items():
        order = list(range(len(lengths)))
        before, order[i], order[j] = means(order)[[i, j]], j, i
        after = means(order)[[i, j]]
        expected = cosine(after, before), cosine(after, before[::-1])
        assert [math.sqrt(each) for each in squares] == pytest.approx(expected)


@given(head_cases(6).filter(lambda case: len(case.lengths) == 2 and len(set(case.lengths)) == 1))
def test_a_head_case_has_the_literal_scores(case):
    length = int(case.lengths[0])
    table = LogitTable(np.log(np.array([[float(each) for each in row] for row in case.rows])))
    own = None if case.own == 0 else math.log(case.own)
    blocks = Blocks.tiling(0, case.keys, length)
    ((x, y),) = case.squares.values()
    assert literal_scores(table, blocks, 1.0, own) == pytest.approx((math.sqrt(x), math.sqrt(y)))


@given(st.integers(2, 5), st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.1, 1.0]))
def test_averages_in_floats(keys, seed, temperature):
    """Softmax weights of real differences: above the line, near one swap, about the swaps of one key."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(scale=rng.choice([0.3, 1, 3]), size=(keys, keys))
    if seed % 3 == 0:
        logits = logits[:1].repeat(keys, axis=0)  # positional
    scores = literal_scores(LogitTable(logits), Blocks.tiling(0, keys, 1), temperature)
    assert sum(scores) > 1
    if seed % 3 == 0:
        assert scores[0] == pytest.approx(1)
    swaps = []
    for i, j in combinations(range(keys), 2):
        before, after = float_swap(logits, np.array([i]), np.array([j]), -math.inf)
        swaps.append((abs(before[1] - before[0]), cosine(after, before), i, j))
    swaps.sort(reverse=True)
    if len(swaps) > 1:
        others = (len(swaps) - 1) * math.exp(-(swaps[0][0] - swaps[1][0]) / temperature)
        assert abs(scores[0] - swaps[0][1]) <= others / (1 + others) + 1e-12
    if keys > 2:
        weights = np.exp(np.diagonal(logits))
        weights /= weights.sum()
        alpha = {(i, j): math.exp(gap / temperature) for gap, _, i, j in swaps}
        share = sum(value for pair, value in alpha.items() if weights.argmax() not in pair) / sum(alpha.values())
        second, first = np.sort(weights)[-2:]
        others = (keys - 1) * (keys - 2) / 2 * math.exp(-(first - second) / temperature)
        assert share <= others / (1 + others) + 1e-12


@given(average_cases())
def test_the_scores_of_an_average_case(case):
    for t, u, (x, y) in zip(case.before, case.after, case.scores, strict=True):
        phi, other = 2 * math.atan(t), 2 * math.atan(u)
        assert (float(x), float(y)) == pytest.approx((math.cos(other - phi), math.sin(other + phi)))
    assert [float(each) for each in case.average] == pytest.approx(
        np.array(case.weights, float) @ np.array(case.scores, float)
    )


@given(cold_cases())
def test_the_score_of_a_cold_case(case):
    weights = np.exp(np.array(case.differences, float) * math.log(2))
    assert float(case.score) == pytest.approx(weights @ np.array(case.scores, float) / weights.sum())


@given(points_cases())
def test_the_covariance_of_points(case):
    rows = np.array([[float(each) for each in row] for row in case.rows])
    assert float(case.covariance) == pytest.approx(np.cov(rows, bias=True)[0, 1] if rows.shape[1] > 1 else 0)


# -- by hand -------------------------------------------------------------------------------------------------------


def holds(claim, case):
    return claim.statement.meets(case) and claim.statement.conclusion(case)


def test_counterexamples_by_hand():
    # Two keys of logit 0 in use and logit ln 2 after the swap: uniform before and after.
    interacting = HeadCase.of([[1, 2], [2, 1]])
    assert interacting.squares == {(0, 1): (1, 1)}
    assert positional_converse.statement.refuted_by(interacting)
    assert symbolic_converse.statement.refuted_by(interacting)
    assert holds(positional_exactly, interacting)
    assert holds(blind, interacting)
    # Three keys, M_ij = lambda_j + S_ij with a symmetric S: s_pos = 1 on every swap, not positional.
    scaled = HeadCase.of([[1, 4, 9], [2, 2, 15], [3, 10, 3]])
    assert all(x == 1 and y < 1 for x, y in scaled.squares.values())
    assert positional_converse.statement.refuted_by(scaled)
    # A positional head with weights 2, 1, 2 over blocks of one and of two tokens: means 2/5, 3/10, then 3/10, 2/5.
    moved = HeadCase.of([[2, 1, 2]] * 3, [1, 2])
    assert moved.means((0, 1)) == (F(2, 5), F(3, 10))
    assert moved.means((1, 0)) == (F(3, 10), F(2, 5))
    assert moved.squares == {(0, 1): (F(24, 25) ** 2, 1)}
    assert unequal.statement.refuted_by(moved)
    assert not positional.statement.meets(moved)
    # One swap near (1, 0), one near (0, 1), half the weight each.
    corners = AverageCase((F(1, 50), F(1, 50)), (F(1, 50), F(49, 50)), (F(1, 2), F(1, 2)))
    assert average_circle.statement.refuted_by(corners)
    assert holds(average, corners)


def test_equality_by_hand():
    uniform_swap = SwapCase(F(1), F(1), F(1), F(1))
    assert uniform_swap.squares == (1, 1)
    assert circle_of_swap.statement.ratio(uniform_swap) == near_the_circle.statement.ratio(uniform_swap) == 1
    little = F(1, 10**6)
    peaked = SwapCase(little, F(1), F(1), little)
    assert near_the_circle.statement.ratio(peaked) == pytest.approx(1 / 4)
    assert cold_scores.statement.ratio(ColdCase((F(3), F(0), F(0)), (F(1), F(0), F(0)))) == 1
    assert peak.statement.ratio(PeakCase((F(30), F(29), F(0)))) == pytest.approx(1)
    assert holds(difference_of_scores, SwapCase(F(1), F(2), F(3), F(3)))  # a tie after the swap: both scores agree
    assert len(set(SwapCase(F(1), F(2), F(3), F(3)).squares)) == 1


def test_any_rest_and_length_leave_the_scores():
    for rest in (F(0), F(1, 3), F(100)):
        case = SwapCase(F(1), F(2), F(3), F(5), rest, 4)
        assert case.squares == SwapCase(F(1), F(2), F(3), F(5)).squares
        assert holds(normaliser, case)
        assert holds(main_effects, case)
    assert case.before != SwapCase(F(1), F(2), F(3), F(5)).before


def test_evenly_spread_points():
    for points in (2, 3, 7, 40, 512):
        angles = (2 * np.arange(points) + 1) * np.pi / (4 * points)
        assert np.corrcoef(np.cos(angles), np.sin(angles))[0, 1] < -0.91
        assert uniform.statement.conclusion(SpreadCase(points))
    limit = (2 * np.pi - 8) / (np.pi**2 - 8)
    assert np.corrcoef(np.cos(angles), np.sin(angles))[0, 1] == pytest.approx(limit, abs=2e-6)


def test_each_point_above_the_line_is_an_average_of_two_swaps():
    for x, y in ((F(1, 2), F(11, 20)), (F(9, 10), F(1, 5)), (F(1), F(1, 3))):
        edge = x + y - 1  # the swaps' points (1, edge) and (edge, 1)
        first = (x - edge) / (1 - edge)
        assert 0 <= first <= 1
        assert (first + (1 - first) * edge, first * edge + 1 - first) == (x, y)


# -- cases ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CASE_SOURCES, ids=lambda kind: kind.__name__)
def test_cases_travel_through_json_and_shrink(kind):
    @settings(max_examples=30)
    @given(CASE_SOURCES[kind].cases(Context()))
    def travel(case):
        assert kind.of_json(case.to_json()) == case
        assert str(case)
        for simpler in list(case.smaller())[:20]:
            assert simpler.complexity < case.complexity

    travel()


@given(peak_cases())
def test_the_lead_of_a_peak(case):
    ordered = sorted(case.means)
    assert case.lead() == ordered[-1] - ordered[-2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SwapCase(F(0), F(1), F(1), F(1)), "no swap"),
        (lambda: SwapCase(F(1), F(1), F(1), F(1), F(-1)), "no swap"),
        (lambda: SwapCase(F(1), F(1), F(1), F(1), F(0), 0), "no swap"),
        (lambda: AverageCase((F(1),), (F(1, 2),), (F(1),)), "tan"),
        (lambda: AverageCase((), (), ()), "rows of"),
        (lambda: ColdCase((F(1), F(0)), (F(1),)), "rows of"),
        (lambda: ColdCase((F(1, 2), F(0)), (F(1), F(0))), "a difference of 1/2"),
        (lambda: PeakCase((F(1), F(0))), "rows of"),
        (lambda: PeakCase((F(1), F(0), F(1, 2))), "a mean of 1/2"),
        (lambda: PointsCase((F(1),), ()), "rows of"),
        (lambda: SpreadCase(1), "1 points"),
        (lambda: HeadCase.of([[1, 2], [1, 2]], [1, 2]), "4 factors for 3 keys"),
        (lambda: HeadCase.of([[1, 0], [1, 2]]), "e\\^logit is positive"),
        (lambda: replace(HeadCase.of([[1]]), lengths=(F(1, 2),)), "a block of 1/2 tokens"),
    ],
)
def test_what_is_no_case_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
