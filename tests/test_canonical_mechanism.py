"""The mechanism of a toy: every measure is exact on the constructions, and far from it on random weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from headproof.checks.trained.canonical.mechanism import (
    key_gathering,
    positional_logits,
    query_line,
    spaces,
    symbol_code,
)
from headproof.checks.trained.canonical.on_inputs import (
    discrepancy,
    exclusion,
    target_places,
    target_weight,
)
from headproof.checks.trained.canonical.positional_fit import positional_fit, positional_weight
from headproof.checks.trained.canonical.premises import Premise, premises
from headproof.constructions.expressivity import h_pos, h_sym, one_angle, two_angle
from headproof.constructions.heads import Head
from headproof.constructions.rope import RopeConfig
from headproof.constructions.tasks import Task, index_task, partial_induction_task, retrieval_task
from headproof.constructions.transformers import Transformer, transformer_of
from headproof.theory.errors import InputError
from headproof.theory.exclusion import exclusion_terms, variance_ratio

# A division by zero or a NaN on the way would warn, and fails the test.
pytestmark = pytest.mark.filterwarnings("error")

LENGTH, THETA = 9, 0.5
LETTERS, BOUND = ("a", "b", "c", "d", "e", "f", "g", "h"), ("x", "y", "z")
INDEX = index_task(LETTERS, LENGTH)
RETRIEVAL, INDUCTION = retrieval_task(LETTERS, BOUND), partial_induction_task(LETTERS, BOUND)
ROUNDING = 1e-12


def toy(task: Task, angles: Sequence[float], seed: int = 0, width: int = 12, **rope: Any) -> Transformer:
    """A layer as training starts from: random weights, a residual output, angles that may repeat."""
    draw = np.random.default_rng(seed).standard_normal
    config = RopeConfig(tuple(angles), **rope)
    tokens, dim = len(task.vocabulary), config.dim
    head = Head(
        draw((dim, width)), draw((dim, width)), draw((width, width)), config, 1 / math.sqrt(dim), output="residual"
    )
    return Transformer(task.vocabulary, draw((tokens, width)), head, draw((tokens, width)))


def built(head: Head, task: Task) -> Transformer:
    return transformer_of(head, task).numeric()


def drawn(task: Task, length: int, count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Random inputs of a task as ids; every place of Index is asked for in turn."""
    source = np.random.default_rng(seed)
    rows = []
    for row in range(count):
        if task is INDEX:
            rows.append([*source.integers(len(LETTERS), size=length - 1), len(LETTERS) + row % (length - 1)])
            continue
        symbols = source.permutation(len(LETTERS))[: length - 1]
        if task is INDUCTION:
            symbols = source.integers(len(LETTERS), size=length - 1)
        pairs = symbols * len(BOUND) + source.integers(len(BOUND), size=length - 1)
        rows.append([*pairs, len(LETTERS) * len(BOUND) + source.choice(symbols)])
    return np.array(rows)


def changed(layer: Transformer, **weights: Any) -> Transformer:
    """The layer with other weights of its head, or another embedding."""
    embedding = weights.pop("embedding", layer.embedding)
    return replace(layer, embedding=embedding, head=replace(layer.head, **weights))


def broken(layer: Transformer, task: Task, theorem: str, length: int = LENGTH) -> dict[str, float]:
    """The premises of a theorem that do not hold to rounding."""
    found = [premise for premise in premises(layer, task, length) if premise.theorem == theorem]
    assert found
    return {premise.name: premise.violation for premise in found if premise.violation > ROUNDING}


POSITIONAL = built(h_pos(LETTERS, LENGTH, THETA, weight=3.0), INDEX)
SYMBOLIC = built(h_sym(LETTERS, BOUND, weight=3), RETRIEVAL)
MIXED = built(two_angle(LETTERS, BOUND, LENGTH, 0.2, match=20.0), INDUCTION)
PHASES = built(one_angle(LETTERS, BOUND, LENGTH, 0.04), INDUCTION)


@pytest.mark.parametrize(
    ("angles", "rope", "count"),
    [
        ((0.3, 0.3, 0.3), {}, 1),
        ((0.3, -1.1, 0.3, 0.0), {}, 3),
        ((0.3, -1.1, 0.3), {"layout": "adjacent", "head_dim": 9}, 3),
        ((0.0, 0.7), {"head_dim": 5}, 2),
        ((), {"head_dim": 3}, 1),
    ],
)
def test_the_spaces_add_up_to_the_logits(angles: tuple[float, ...], rope: dict[str, Any], count: int) -> None:
    layer = toy(INDEX, angles, **rope)
    found = spaces(layer)
    assert len(found) == count
    for tokens in drawn(INDEX, LENGTH, 4):
        away = np.arange(LENGTH - 1, -1, -1)
        parts = [
            (np.exp(1j * s.angle * away) * s.products(s.queries[tokens[-1:]], s.keys[tokens])[0]).real for s in found
        ]
        assert sum(parts) == pytest.approx(layer.head.logits(layer.embedding[tokens]), abs=1e-12)


def test_power_is_the_variance_of_the_logits() -> None:
    layer = toy(RETRIEVAL, (0.3, 0.3))
    (space,) = spaces(layer)
    turns = np.exp(0.3j * np.arange(1, 8))
    logits = (space.products(space.queries[24:], space.keys[:24])[..., None] * turns).real
    assert space.power(space.queries[24:], space.keys[:24], 7) == pytest.approx(logits.var(axis=(1, 2)).mean())


def test_h_pos_has_gathered_keys_and_a_line_of_queries() -> None:
    gathering, line = key_gathering(POSITIONAL, INDEX), query_line(POSITIONAL, INDEX)
    assert (gathering.resultant, gathering.share) == pytest.approx((1, 1))
    assert line.angle == THETA
    assert line.resultant == pytest.approx(1)
    assert (line.phase, line.variation) == pytest.approx((0, 0), abs=ROUNDING)
    assert line.chance == pytest.approx(1 / math.sqrt(8))
    assert np.abs(line.products) == pytest.approx(np.full(8, 3.0))


def test_random_weights_have_neither() -> None:
    lines = [query_line(toy(INDEX, (THETA,) * 4, seed), INDEX) for seed in range(100)]
    # The resultant's square is nearly exponential of mean 1/T, so its mean over 100 seeds errs by a tenth.
    assert np.mean([line.resultant**2 for line in lines]) == pytest.approx(lines[0].chance ** 2, rel=0.4)
    assert min(line.variation for line in lines) > 0.1
    gatherings = [key_gathering(toy(INDEX, (THETA,) * 4, seed), INDEX) for seed in range(100)]
    assert max(gathering.resultant for gathering in gatherings) < 0.8
    assert np.mean([gathering.share for gathering in gatherings]) == pytest.approx(1 / len(LETTERS), rel=0.5)


def test_the_slope_has_a_sign_and_the_phase_says_how_far_beside_the_target() -> None:
    reversed_line = built(h_pos(LETTERS, LENGTH, -THETA), INDEX)
    mirrored = changed(reversed_line, rope=RopeConfig((THETA,)))  # queries turned the wrong way
    assert query_line(reversed_line, INDEX).resultant == pytest.approx(1)
    assert query_line(mirrored, INDEX).resultant < 0.5
    turn = np.array([[math.cos(2 * THETA), -math.sin(2 * THETA)], [math.sin(2 * THETA), math.cos(2 * THETA)]])
    beside = changed(POSITIONAL, w_q=turn @ POSITIONAL.head.w_q)
    line = query_line(beside, INDEX)
    assert (line.resultant, line.phase) == pytest.approx((1, 2 * THETA))
    assert positional_logits(beside, INDEX)[3].argmax() == 3 + 2  # phase / theta places after the target


def test_positional_logits_are_averages_over_symbols() -> None:
    layer = toy(INDEX, (0.3, 0.9, 0.3))
    expected = np.zeros((8, 8))
    for target, place, symbol in product(range(8), range(8), range(8)):
        tokens = np.zeros(LENGTH, dtype=int)
        tokens[[place, -1]] = symbol, 8 + target
        expected[target, place] += layer.head.logits(layer.embedding[tokens])[place] / 8
    assert positional_logits(layer, INDEX) == pytest.approx(expected)
    places = np.arange(8)
    assert positional_logits(POSITIONAL, INDEX) == pytest.approx(3 * np.cos(THETA * (places[:, None] - places)))


def test_the_weight_on_the_target_is_h_pos_s() -> None:
    fit = positional_fit(POSITIONAL, INDEX)
    assert (fit.angle, fit.amplitude, fit.explained) == pytest.approx((THETA, 3, 1))
    formula = [1 / sum(math.exp(3 * (math.cos(THETA * (j - k)) - 1)) for k in range(1, 10)) for j in range(1, 9)]
    assert positional_weight(THETA, LENGTH, 3) == pytest.approx(formula)
    assert fit.weight == pytest.approx(formula)
    inputs = drawn(INDEX, LENGTH, 24)
    assert target_weight(POSITIONAL, inputs, target_places(INDEX, inputs)) == pytest.approx(formula)
    assert positional_fit(toy(INDEX, (THETA,) * 4), INDEX).explained < 0.5


def test_the_weight_on_the_target_is_an_average_and_counts_the_query_s_own_key() -> None:
    layer, inputs = toy(INDEX, (0.3, 0.9)), drawn(INDEX, LENGTH, 23)[:22]
    places = target_places(INDEX, inputs)
    single = [layer.head.weights(layer.embedding[row])[place - 1] for row, place in zip(inputs, places, strict=True)]
    expected = [np.mean([weight for weight, at in zip(single, places, strict=True) if at == j]) for j in range(1, 9)]
    assert target_weight(layer, inputs, places) == pytest.approx(expected)
    assert np.isnan(target_weight(layer, inputs[:1], places[:1])).tolist() == [False] + [True] * 7


def test_h_sym_has_a_code_of_symbols() -> None:
    code = symbol_code(SYMBOLIC, RETRIEVAL, LENGTH)
    assert code.match == pytest.approx(3 * np.eye(8))
    assert (code.key_share, code.positive) == (1, 1)
    assert (code.worst_lead, code.largest, code.worst_share) == pytest.approx((3, 3, 1))
    assert code.leads == pytest.approx(np.full(8, 3 / code.match.std()))
    for layer in (MIXED, PHASES):
        found = symbol_code(layer, INDUCTION, LENGTH)
        assert found.key_share == pytest.approx(1)
        assert found.positive == 1
        assert min(found.leads.min(), found.worst_lead) > 0


def test_one_angle_leads_as_far_as_its_theorem_says() -> None:
    t, omega = LENGTH - 1, 2 * math.pi / 8
    # Of two leads of one difference of phases the one nearer to phase 0 is smaller: a match at T - 1, a wrong key at T.
    lead = math.cos(0.04 * (t - 1)) - math.cos(omega - 0.04 * t)
    assert symbol_code(PHASES, INDUCTION, LENGTH).worst_lead == pytest.approx(lead)
    beyond = changed(PHASES, rope=RopeConfig((1.05 * omega / (2 * t - 1),)))
    assert symbol_code(beyond, INDUCTION, LENGTH).worst_lead < 0


@pytest.mark.parametrize("angles", [(0.3, 0.3), (0.3, 0.0, 1.2)])
def test_a_code_of_random_weights_is_what_the_logits_say(angles: tuple[float, ...]) -> None:
    task = retrieval_task("pqr", "xy")
    layer, length = toy(task, angles), 4
    logits = np.empty((3, 3, 2, 3))  # query, symbol, attribute, distance - 1
    for query, symbol, attribute, t in np.ndindex(logits.shape):
        tokens = np.zeros(length, dtype=int)
        tokens[[length - 2 - t, -1]] = 2 * symbol + attribute, 6 + query
        logits[query, symbol, attribute, t] = layer.head.logits(layer.embedding[tokens])[length - 2 - t]
    code = symbol_code(layer, task, length)
    assert code.match == pytest.approx(logits.mean(axis=(2, 3)))
    worst = min(
        logits[s, s, a, t] - logits[s, other, b, u]
        for s, other, a, b, t, u in product(range(3), range(3), range(2), range(2), range(3), range(3))
        if s != other and t != u
    )
    assert (code.worst_lead, code.largest) == pytest.approx((worst, np.abs(logits).max()))
    leads = [code.match[s, s] - max(code.match[s, other] for other in range(3) if other != s) for s in range(3)]
    assert code.leads == pytest.approx(np.array(leads) / code.match.std())
    assert code.positive == np.mean(np.array(leads) > 0)
    assert code.key_share < 0.9


def test_targets_are_where_the_answer_stands() -> None:
    for task in (INDEX, RETRIEVAL, INDUCTION):
        inputs = drawn(task, LENGTH, 40)
        for row, place in zip(inputs, target_places(task, inputs), strict=True):
            answer = task.solve([task.vocabulary[token] for token in row])
            assert task.answers[task.carried[row[place - 1]] or 0] == answer
    with pytest.raises(InputError, match="has no pair"):
        target_places(INDUCTION, np.array([[0, 1, 24 + 1]]))


def test_the_discrepancy_of_h_pos_is_one_step() -> None:
    inputs = drawn(INDEX, LENGTH, 24)
    found = discrepancy(POSITIONAL, INDEX, inputs)
    step = 1 - math.cos(THETA)
    assert (found.gap, found.least_lead, found.mean_lead) == pytest.approx((step, step, step))
    assert (found.amplitude, found.angle_bound) == pytest.approx((3, step))
    assert found.length_bound == pytest.approx(2 * math.pi**2 / 81)


def test_the_discrepancy_of_random_weights_is_that_of_their_logits() -> None:
    for task in (INDEX, RETRIEVAL, INDUCTION):
        layer, inputs = toy(task, (0.3, 0.3)), drawn(task, LENGTH, 30)
        gaps, leads = [], []
        for row, place in zip(inputs, target_places(task, inputs), strict=True):
            logits = layer.head.logits(layer.embedding[row])[:-1]
            gaps.append(np.sort(logits)[-1] - np.sort(logits)[-2])
            leads.append(logits[place - 1] - np.delete(logits, place - 1).max())
        found = discrepancy(layer, task, inputs)
        expected = np.array([max(gaps), min(leads), np.mean(leads)]) / found.amplitude
        assert (found.gap, found.least_lead, found.mean_lead) == pytest.approx(tuple(expected))


def test_printed_bounds_stand_where_they_are_printed() -> None:
    inputs = drawn(RETRIEVAL, LENGTH, 8)
    code = built(one_angle(LETTERS, BOUND, LENGTH, 0.04), RETRIEVAL)
    found = discrepancy(code, RETRIEVAL, inputs)
    assert found.angle_bound == pytest.approx(1 - math.cos(2 * math.pi / 8 - LENGTH * 0.04))
    assert math.isnan(found.length_bound)
    assert discrepancy(SYMBOLIC, RETRIEVAL, inputs).gap == pytest.approx(1)
    assert math.isnan(discrepancy(PHASES, INDUCTION, drawn(INDUCTION, LENGTH, 8)).angle_bound)


def test_exclusion_is_one_half_at_both_ends() -> None:
    positional = exclusion(POSITIONAL, drawn(INDEX, LENGTH, 16))
    assert (positional.ratio, positional.position) == pytest.approx((0.5, 1))
    symbolic = exclusion(SYMBOLIC, drawn(RETRIEVAL, LENGTH, 16))
    assert (symbolic.ratio, symbolic.content) == pytest.approx((0.5, 1))
    layer, inputs = toy(INDEX, (0.3, 0.9)), drawn(INDEX, LENGTH, 16)
    single = [variance_ratio(exclusion_terms(layer.head.table(layer.embedding[row]))) for row in inputs]
    found = exclusion(layer, inputs)
    assert found.ratio == pytest.approx(np.mean(single))
    assert found.position + found.content + found.interaction == pytest.approx(1)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, inputs = toy(INDEX, (0.3, 0.9)), drawn(INDEX, LENGTH, 16)
    places = target_places(INDEX, inputs)

    def measured() -> tuple[Any, ...]:
        return exclusion(layer, inputs), discrepancy(layer, INDEX, inputs), target_weight(layer, inputs, places)

    whole = measured()
    monkeypatch.setattr("headproof.checks.trained.canonical.on_inputs.BLOCK_ENTRIES", 700)
    parts = measured()
    assert vars(whole[0]) == pytest.approx(vars(parts[0]))
    assert vars(whole[1]) == pytest.approx(vars(parts[1]))
    assert whole[2] == pytest.approx(parts[2])


def test_the_constructions_meet_their_premises() -> None:
    assert broken(POSITIONAL, INDEX, "dec.thm3") == broken(POSITIONAL, INDEX, "dec.thm7") == {}
    assert broken(SYMBOLIC, RETRIEVAL, "dec.thm5") == {}
    assert broken(MIXED, INDUCTION, "dec.thm6") == {}
    assert broken(PHASES, INDUCTION, "dec.thm6.one-angle.range") == {}
    assert broken(built(one_angle(LETTERS, BOUND, LENGTH, 0.04), RETRIEVAL), RETRIEVAL, "dyn.thm3.1") == {}


def test_equal_keys_and_a_missing_rotation_hold_exactly() -> None:
    exact = {premise.name for premise in premises(POSITIONAL, INDEX, LENGTH) if premise.violation == 0}
    assert {"all keys are one vector", "one angle", "the query's own key is that vector"} <= exact
    assert all(p.violation == 0 for p in premises(SYMBOLIC, RETRIEVAL, LENGTH) if p.theorem == "dec.thm5")


def test_each_premise_of_h_pos_breaks_alone() -> None:
    head = POSITIONAL.head
    queries, keys = np.array(head.w_q), np.array(head.w_k)
    louder = queries * np.where(np.arange(16) == 10, 2, 1)
    assert set(broken(changed(POSITIONAL, w_q=louder), INDEX, "dec.thm3")) == {"equal query amplitudes"}
    turned = np.where(np.arange(16) == 10, -1, 1) * queries
    found = broken(changed(POSITIONAL, w_q=turned), INDEX, "dec.thm3")
    assert found == {"query phases on the line": pytest.approx(2 / math.sqrt(8))}
    apart = keys * np.where(np.arange(16) == 0, 2, 1)
    assert set(broken(changed(POSITIONAL, w_k=apart), INDEX, "dec.thm3")) == {"all keys are one vector"}
    own = keys * np.where(np.arange(16) >= 8, 2, 1)
    assert broken(changed(POSITIONAL, w_k=own), INDEX, "dec.thm3") == {}
    assert broken(changed(POSITIONAL, w_k=own), INDEX, "dec.thm7") == {
        "the query's own key is that vector": pytest.approx(1)
    }
    wide = RopeConfig((THETA, 2.0), "adjacent")
    second = changed(POSITIONAL, w_q=np.concatenate([queries, 0.1 * queries]), w_k=np.tile(keys, (2, 1)), rope=wide)
    assert set(broken(second, INDEX, "dec.thm3")) == {"one angle"}
    fast = built(h_pos(LETTERS, LENGTH, 1.0), INDEX)
    assert broken(fast, INDEX, "dec.thm7") == {"0 < n theta < a full turn": pytest.approx(LENGTH / (2 * math.pi) - 1)}
    fifth = changed(POSITIONAL, rope=RopeConfig((2 * math.pi / 5,)))
    assert broken(fifth, INDEX, "dec.thm3")["no t theta, t < n, a whole number of turns (share of the t)"] == 1 / 8


def test_each_premise_of_h_sym_breaks_alone() -> None:
    queries, keys = np.array(SYMBOLIC.head.w_q), np.array(SYMBOLIC.head.w_k)
    slow = changed(SYMBOLIC, rope=RopeConfig((0.1,) * 4))
    assert broken(slow, RETRIEVAL, "dec.thm5")["no rotation (largest |theta| in radians)"] == 0.1
    louder = queries * np.where(np.arange(32) == 24, 2, 1)
    assert set(broken(changed(SYMBOLIC, w_q=louder), RETRIEVAL, "dec.thm5")) == {"one match logit"}
    mistaken = queries.copy()
    mistaken[:, [24, 25]] = mistaken[:, [25, 24]]
    found = broken(changed(SYMBOLIC, w_q=mistaken), RETRIEVAL, "dec.thm5")
    assert found["the own symbol first (share of symbols where it is not)"] == 2 / 8
    # A key's attribute in its first coordinate, of mean 0 over the attributes, so that no average notices.
    attribute = keys.copy()
    attribute[0, :24] += np.tile([-0.1, 0, 0.1], 8)
    assert set(broken(changed(SYMBOLIC, w_k=attribute), RETRIEVAL, "dec.thm5")) == {"keys depend on the symbol alone"}
    crossed = queries.copy()
    crossed[0, 25] = 1
    assert set(broken(changed(SYMBOLIC, w_q=crossed), RETRIEVAL, "dec.thm5")) == {"one logit for wrong symbols"}


def test_each_premise_of_two_angle_breaks_alone() -> None:
    keys = np.array(MIXED.head.w_k)
    assert set(broken(changed(MIXED, rope=RopeConfig((0.01, 0.2), "adjacent")), INDUCTION, "dec.thm6")) == {
        "one angle is 0 (its size in radians)"
    }
    assert set(broken(changed(MIXED, rope=RopeConfig((0, 0.6), "adjacent")), INDUCTION, "dec.thm6")) == {
        "the second plane prefers the recent (share of steps where it does not)"
    }
    own = keys * np.where(np.arange(32) >= 24, -1, 1)
    assert set(broken(changed(MIXED, w_k=own), INDUCTION, "dec.thm6")) == {"the query's own key is the smallest"}
    uneven = keys.copy()
    uneven[2, :24] += np.tile([-0.1, 0, 0.1], 8)
    assert "the second plane's keys are one vector" in broken(changed(MIXED, w_k=uneven), INDUCTION, "dec.thm6")
    first = keys.copy()
    first[:2, :24] *= np.tile([0.8, 0.9, 1], 8)  # shorter, so that no key falls below the query's own
    assert set(broken(changed(MIXED, w_k=first), INDUCTION, "dec.thm6")) == {
        "the first plane's keys depend on the symbol alone"
    }
    weak = changed(MIXED, w_q=np.array(MIXED.head.w_q) * [[0.1], [0.1], [10], [10]])
    assert set(broken(weak, INDUCTION, "dec.thm6")) == {"a match outweighs recency"}
    assert broken(PHASES, INDUCTION, "dec.thm6")["a second angle"] == 1


def test_each_premise_of_the_phase_code_breaks_alone() -> None:
    theorem, omega = "dec.thm6.one-angle.range", 2 * math.pi / 8
    fast = changed(PHASES, rope=RopeConfig((1.5 * omega / 15,)))
    assert broken(fast, INDUCTION, theorem) == {"0 < theta < omega / (2T - 1)": pytest.approx(0.5)}
    still = changed(PHASES, rope=RopeConfig((0.0,)))
    assert broken(still, INDUCTION, theorem) == {"0 < theta < omega / (2T - 1)": 1}
    louder = np.array(PHASES.head.w_k) * np.where(np.arange(32) < 3, 2, 1)
    assert set(broken(changed(PHASES, w_k=louder), INDUCTION, theorem)) == {"keys of one length"}
    wrong = np.array(PHASES.head.w_q) * np.where(np.arange(32) == 24, -1, 1)
    assert set(broken(changed(PHASES, w_q=wrong), INDUCTION, theorem)) == {"queries in phase with their keys"}
    # Symbol 0 between its neighbour and its own place: keys and query alike.
    turn = np.array([[math.cos(0.3), -math.sin(0.3)], [math.sin(0.3), math.cos(0.3)]])
    moved = {name: np.array(getattr(PHASES.head, name)) for name in ("w_q", "w_k")}
    for matrix in moved.values():
        matrix[:, [0, 1, 2, 24]] = turn @ matrix[:, [0, 1, 2, 24]]
    assert set(broken(changed(PHASES, **moved), INDUCTION, theorem)) == {"phases omega apart"}


def test_planes_of_one_angle_are_one_space() -> None:
    """A phase code on a complex direction across three planes of one angle is the code on one plane."""
    source = np.random.default_rng(1)
    direction = source.standard_normal(3) + 1j * source.standard_normal(3)
    direction /= np.linalg.norm(direction)

    def spread(w: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        z = np.outer(direction, w[0] + 1j * w[1])
        return np.concatenate([z.real, z.imag])

    head = PHASES.head
    wide = changed(PHASES, w_q=spread(head.w_q), w_k=spread(head.w_k), rope=RopeConfig((0.04,) * 3))
    assert broken(wide, INDUCTION, "dec.thm6.one-angle.range") == {}
    assert symbol_code(wide, INDUCTION, LENGTH).match == pytest.approx(symbol_code(PHASES, INDUCTION, LENGTH).match)
    tilted = np.array(wide.head.w_k)
    tilted[0] += 0.1 * np.arange(32)
    assert "keys on one plane" in broken(changed(wide, w_k=tilted), INDUCTION, "dec.thm6.one-angle.range")


def test_random_weights_break_the_premises() -> None:
    found = broken(toy(INDEX, (THETA,) * 4), INDEX, "dec.thm3")
    assert found["all keys are one vector"] > 0.5
    assert found["query phases on the line"] > 0.5
    assert found["equal query amplitudes"] > 0.1
    assert broken(toy(RETRIEVAL, (0.1,) * 4), RETRIEVAL, "dec.thm5")["keys depend on the symbol alone"] > 0.5
    assert broken(toy(RETRIEVAL, (0.1,) * 4), RETRIEVAL, "dyn.thm3.1")["keys on one plane"] > 0.3
    assert broken(toy(INDUCTION, (0.0, 0.2)), INDUCTION, "dec.thm6")["the second plane's keys are one vector"] > 0.5


@pytest.mark.parametrize("task", [INDEX, RETRIEVAL, INDUCTION], ids=lambda task: task.name)
@pytest.mark.parametrize("what", ["one key", "one query", "all keys", "all queries", "everything"])
def test_zero_vectors_leave_no_nan_unsaid(task: Task, what: str) -> None:
    """Tokens are one-hot here, so that a column of a matrix is a token's vector. Warnings are errors in this module."""
    source = np.random.default_rng(0)
    count = len(task.vocabulary)
    w_q, w_k = source.standard_normal((2, 4, count))
    w_k[:, {"one key": [0], "all keys": slice(None), "everything": slice(None)}.get(what, [])] = 0
    w_q[:, {"one query": [-1], "all queries": slice(None), "everything": slice(None)}.get(what, [])] = 0
    head = Head(w_q, w_k, np.eye(count), RopeConfig((0.0, 0.3)))
    layer = Transformer(task.vocabulary, np.eye(count), head, np.eye(count))
    inputs = drawn(task, LENGTH, 8)
    assert all(premise.violation >= 0 for premise in premises(layer, task, LENGTH))
    gathering, ends = key_gathering(layer, task), discrepancy(layer, task, inputs)
    assert 0 <= gathering.resultant <= 1
    silent = what in ("all keys", "all queries", "everything")
    assert math.isnan(ends.gap) == silent
    assert math.isnan(exclusion(layer, inputs).ratio) == silent
    weights = target_weight(layer, inputs, target_places(task, inputs))
    assert not silent or weights[~np.isnan(weights)] == pytest.approx(1 / LENGTH)
    if task is INDEX:
        line, fit = query_line(layer, task), positional_fit(layer, task)
        assert 0 <= line.resultant <= 1
        assert math.isnan(line.variation) == silent
        assert fit.weight.shape == (8,)
    else:
        code = symbol_code(layer, task, LENGTH)
        assert np.isnan(code.leads).all() == silent
        assert not silent or code.positive == 0


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(InputError, match="float weights"):
        spaces(transformer_of(h_pos(LETTERS, LENGTH, 1), INDEX))
    with pytest.raises(InputError, match="Retrieval"):
        query_line(SYMBOLIC, RETRIEVAL)
    with pytest.raises(InputError, match="Index by position with 8 queries"):
        symbol_code(POSITIONAL, INDEX, LENGTH)
    with pytest.raises(InputError, match="length 12"):
        premises(POSITIONAL, INDEX, 12)
    with pytest.raises(InputError, match="first tokens are not those"):
        key_gathering(POSITIONAL, RETRIEVAL)
    offset = index_task(LETTERS, LENGTH, "offset")
    with pytest.raises(InputError, match="by offset"):
        query_line(built(h_pos(LETTERS, LENGTH, THETA, names="offset"), offset), offset)
    with pytest.raises(InputError, match="inputs of shape"):
        exclusion(POSITIONAL, np.zeros((0, 9), dtype=int))
    with pytest.raises(InputError, match="violation nan"):
        Premise("dec.thm3", "one angle", math.nan)
