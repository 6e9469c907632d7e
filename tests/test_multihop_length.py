"""Longer target windows: sequences, shares and intervals; and the lengths that the discrepancy theory allows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import inf, pi
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

torch = pytest.importorskip("torch")

from headproof.checks.trained.multihop import length, training  # noqa: E402
from headproof.checks.trained.multihop.baselines import baselines  # noqa: E402
from headproof.checks.trained.multihop.defined import defined_table  # noqa: E402
from headproof.checks.trained.multihop.dynamics import dynamics  # noqa: E402
from headproof.checks.trained.multihop.length import (  # noqa: E402
    LENGTHS_TABLE,
    REACHES_TABLE,
    VARIANTS,
    accuracy_at,
    at_once,
    baselines_at,
    lengths_of,
    longer,
    reaches_of,
)
from headproof.checks.trained.multihop.reach import (  # noqa: E402
    longest,
    needed_scale,
    predicted,
    smallest_lead,
    smallest_weight,
)
from headproof.checks.trained.multihop.runs import Run  # noqa: E402
from headproof.checks.trained.multihop.tasks import check  # noqa: E402
from headproof.checks.trained.multihop.wilson import sample_size, wilson  # noqa: E402
from headproof.theory.angles import Angle  # noqa: E402
from headproof.theory.cosine_sums import value  # noqa: E402
from headproof.theory.discrepancy import IndexCase, RetrievalCase, best_other, smallest_wrong_gap  # noqa: E402
from headproof.theory.discrepancy.temperature import smallest_beta  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]

RUNS = {name: Run(name, "small", steps=2, batch=4, checkpoints=(0, 1)) for name in ("number", "letter")}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "EACH", 4)
        yield {name: training.train(run, tmp_path_factory.mktemp(name)) for name, run in RUNS.items()}


# -- intervals -----------------------------------------------------------------------------------------------------


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_is_scipys(count, share):
    right = round(share * count)
    expected = stats.binomtest(right, count).proportion_ci(0.95, method="wilson")
    assert wilson(right, count) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.floats(0.01, 0.4))
def test_sample_size_is_the_least(half):
    count = sample_size(half)
    low, high = wilson(count / 2, count)
    assert (high - low) / 2 <= half + 1e-12
    if count > 1:
        low, high = wilson((count - 1) / 2, count - 1)
        assert (high - low) / 2 > half


@pytest.mark.parametrize("arguments", [(0, 0), (3, 2), (-1, 2)])
def test_no_interval(arguments):
    with pytest.raises(InputError):
        wilson(*arguments)


@pytest.mark.parametrize("half", [0, 0.5, -1, float("nan")])
def test_no_sample_size(half):
    with pytest.raises(InputError):
        sample_size(half)


# -- accuracy ------------------------------------------------------------------------------------------------------


def test_lengths_of_a_run():
    assert lengths_of(RUNS["letter"], (8, 13, 17, 850)) == (13, 17, 850)
    assert lengths_of(Run("letter"))[:3] == (17, 20, 24)
    with pytest.raises(InputError, match="1025"):
        lengths_of(RUNS["letter"], (1025,))


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("size", [13, 20, 100])
def test_longer_sequences(name, size):
    run = RUNS[name]
    held = longer(run, size, 10)
    assert held.tokens.shape == (30, size)
    check(run.vocabulary, held)
    assert np.bincount(held.hops).tolist() == [0, 10, 10, 10]
    further = size - run.windows.length
    # The path never visits what was put in front.
    assert held.paths[held.paths >= 0].min() > further
    assert not (held.tokens[:, :further] == held.answers[:, None]).any()


def test_a_length_below_training():
    with pytest.raises(InputError, match="13"):
        longer(RUNS["letter"], 12, 10)


@pytest.mark.parametrize("name", RUNS)
def test_the_table_of_lengths(folders, name):
    told = []
    table = accuracy_at(folders[name], lengths=(17, 32), within=0.3, progress=lambda *each: told.append(each))
    rows = table.to_pylist()
    assert list(rows[0]) == list(LENGTHS_TABLE)
    assert all(field.metadata[b"definition"] for field in table.schema)
    each = sample_size(0.3)
    variants = VARIANTS if name == "letter" else VARIANTS[:1]
    wanted = [(step, each) for step, names in ((0, VARIANTS[:1]), (2, variants)) for each in names]
    found = [(row["step"], row["variant"], row["length"], row["hops"]) for row in rows]
    every = [(*named, *at) for named in wanted for at in product((13, 17, 32), (0, 1, 2, 3))]
    # Another answer may be fewer moves away, so that no path is the longest.
    assert [row for row in every if row in found] == found
    assert {row for row in every if row[1] != "redirected"} <= set(found)
    for row in rows:
        assert row["sequences"] <= each * 3
        if row["variant"] == "plain":
            assert row["sequences"] == each * (3 if row["hops"] == 0 else 1)
        assert row["low"] <= row["accuracy"] == row["right"] / row["sequences"] <= row["high"]
        assert row["accuracy"] <= row["window_share"]
    assert told[-1][1] == told[-1][2]


def test_null_and_variants_at_some_lengths(folders):
    rows = accuracy_at(folders["letter"], lengths=(17, 32), within=0.4, checked=(32,)).to_pylist()
    assert {(row["step"], row["variant"], row["length"]) for row in rows} == {
        *((2, name, size) for size in (13, 17, 32) for name in ("plain", "far")),
        *((step, name, size) for step, name in ((0, "plain"), *((2, each) for each in VARIANTS)) for size in (13, 32)),
    }


def test_baselines_of_the_same_sequences():
    run = RUNS["letter"]
    table = baselines_at(run, (17, 100), 0.3).to_pylist()
    assert {row["length"] for row in table} == {13, 17, 100}
    named = {(row["length"], row["hops"]): row["accuracy"] for row in table if row["rule"] == "any named pair"}
    expected = baselines(run.vocabulary, longer(run, 100, sample_size(0.3)))["any named pair"]
    assert {hops: named[100, hops] for hops in range(4)} == pytest.approx(expected)
    assert all(field.metadata[b"definition"] for field in baselines_at(run, (17,), 0.4).schema)


def test_a_perfect_model(folders, monkeypatch):
    answers = {}
    plain = length.longer

    def recorded(run, size, each):
        held = plain(run, size, each)
        answers[held.tokens.tobytes()] = held.answers
        return held

    monkeypatch.setattr(length, "longer", recorded)
    monkeypatch.setattr(length, "predictions", lambda model, tokens, batch: answers[tokens.tobytes()])
    rows = accuracy_at(folders["number"], lengths=(20,), within=0.3, null=False).to_pylist()
    assert {row["step"] for row in rows} == {2}
    assert all(row["accuracy"] == row["window_share"] == row["high"] == 1 for row in rows)


def test_sequences_at_once():
    run = Run("letter")
    assert at_once(run, 850) < at_once(run, 17)
    assert at_once(run, 850, memory=1) == 1


def test_the_untrained_checkpoint_is_its_own_null(folders):
    rows = accuracy_at(folders["letter"], step=0, lengths=(13,), within=0.4).to_pylist()
    assert {row["step"] for row in rows} == {0}


# -- what the theory allows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", ["4/5", "1", "1/10", "27/10000", "-4/5"])
@pytest.mark.parametrize("n", [3, 9, 40])
def test_the_lead_of_index_is_the_theorys(angle, n):
    exact = float(value(best_other(IndexCase(Angle.of_radians(angle), n), n - 1)).mid())
    assert smallest_lead("index", float(Fraction(angle)), n) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("letters", "n"), [(2, 3), (2, 6), (3, 5), (4, 4), (8, 3)])
@pytest.mark.parametrize("angle", ["0", "1/50", "1/5", "1", "-1/5", "3"])
def test_the_lead_of_retrieval_is_the_theorys(letters, n, angle):
    exact = float(value(smallest_wrong_gap(RetrievalCase(letters, Angle.of_radians(angle), n, n))).mid())
    assert smallest_lead("retrieval", float(Fraction(angle)), n, letters) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("n", [3, 10, 60])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_the_scale_of_retrieval_at_allowed_angles(n, share):
    angle = share * 2 * pi / 8 / (2 * n)
    assert needed_scale("retrieval", angle, n) == pytest.approx(smallest_beta("letters", n, angle, 8), rel=1e-6)


def worst_weight(construction, angle, scale, n, letters):
    """The smallest weight by going through targets and, for Retrieval, all letters at all other places."""
    weights = []
    for target in range(n):
        if construction == "index":
            # The query names a place before it, or keeps itself.
            logits = [scale * np.cos((place - target) * angle) for place in range(n)]
            weights.append(np.exp(logits[target]) / np.exp(logits).sum())
            continue
        for offsets in product(range(1, letters), repeat=n - 1):
            full = [*offsets[:target], 0, *offsets[target:]]
            logits = [scale * np.cos(2 * pi / letters * off + t * angle) for t, off in enumerate(full)]
            weights.append(np.exp(logits[target]) / np.exp(logits).sum())
    return min(weights)


@pytest.mark.parametrize("construction", ["index", "retrieval"])
@pytest.mark.parametrize("angle", [0.02, 0.3, 0.8])
@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_the_smallest_weight_by_brute_force(construction, angle, scale):
    expected = worst_weight(construction, angle, scale, 5, 4)
    assert smallest_weight(construction, angle, scale, 5, 4) == pytest.approx(expected, rel=1e-9)


@given(st.floats(0.001, 1.5), st.integers(3, 80), st.sampled_from(["index", "retrieval"]))
def test_half_the_weight_at_the_needed_scale(angle, n, construction):
    needed = needed_scale(construction, angle, n)
    if needed < 1e6:
        assert smallest_weight(construction, angle, needed * 1.001, n) > 0.5
        assert smallest_weight(construction, angle, needed * 0.999, n) < 0.5
    elif needed == inf:
        assert smallest_lead(construction, angle, n) <= 1e-12


@pytest.mark.parametrize("construction", ["index", "retrieval"])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e3, 1e6, 1e9])
def test_weights_at_any_scale(construction, scale):
    weights = [smallest_weight(construction, 0.0027, scale, n) for n in (3, 100, 1024)]
    assert all(0 <= weight <= 1 for weight in weights)
    assert weights == sorted(weights, reverse=True)
    if scale == 0:
        assert weights == pytest.approx([1 / 3, 1 / 100, 1 / 1024])


@given(st.floats(0.001, 1.5), st.floats(1, 200), st.sampled_from(["index", "retrieval"]))
def test_the_longest_length(angle, scale, construction):
    found = longest(construction, angle, scale, most=100)
    sizes = [n for n in range(3, 101) if scale > needed_scale(construction, angle, n)]
    assert sizes == list(range(3, found + 1))


def test_reaches_of_layers(folders):
    heads = dynamics(folders["letter"], looked_at=6, answered=6)["heads"]
    table = reaches_of(heads, 8, 100)
    found = table.to_pylist()
    assert list(found[0]) == list(REACHES_TABLE)
    assert all(field.metadata[b"definition"] for field in table.schema)
    assert len(found) == 3 * 6 * 4
    mine = {(row["step"], row["layer"]): row for row in heads.to_pylist() if (row["query"], row["hops"]) == (0, 0)}
    for row in found:
        head = mine[row["step"], row["layer"]]
        assert (row["angle"], row["scale"]) == (head[row["reading"]], head["logit_scale"])
        assert row["index"] == longest("index", row["angle"], row["scale"], most=100)
        assert row["retrieval"] == longest("retrieval", row["angle"], row["scale"], 8, 100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((float("nan"), 1.0, (5,)), "the angle"),
        ((1.0, inf, (5,)), "the scale"),
        ((1.0, -1.0, (5,)), "the scale"),
        ((1.0, 1.0, (2,)), "a length"),
        ((1.0, 1.0, (5000,)), "5000"),
        ((1.0, 1.0, (5,), 1), "letters"),
        ((1.0, 1.0, (5,), 8, ("both",)), "both"),
    ],
)
def test_no_prediction(arguments, message):
    with pytest.raises(InputError, match=message):
        predicted(*arguments)


def test_a_row_of_other_columns():
    with pytest.raises(InputError, match="b"):
        defined_table({"a": "one"}, [{"a": 1, "b": 2}])
