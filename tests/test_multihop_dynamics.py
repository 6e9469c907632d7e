"""Dynamics and mechanism of the multihop models: scores, tables of logits, angles, paths, ablations and columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pyarrow as pa  # noqa: E402

from headproof.checks.trained.capture import capture, layer_tables  # noqa: E402
from headproof.checks.trained.conform import ConformanceError  # noqa: E402
from headproof.checks.trained.models import in_memory  # noqa: E402
from headproof.checks.trained.multihop import dynamics as dynamic  # noqa: E402
from headproof.checks.trained.multihop import training  # noqa: E402
from headproof.checks.trained.multihop.checkpoints import load  # noqa: E402
from headproof.checks.trained.multihop.dynamics import dynamics, measured_on, measures, pure  # noqa: E402
from headproof.checks.trained.multihop.heads import observe, planes_of  # noqa: E402
from headproof.checks.trained.multihop.learning import learned, peak_of, peaks_of  # noqa: E402
from headproof.checks.trained.multihop.mechanism import (  # noqa: E402
    OFF,
    mean_outputs,
    mechanism,
    replaced,
    role_rows,
    target_rows,
)
from headproof.checks.trained.multihop.model import accuracy, build, config, predictions  # noqa: E402
from headproof.checks.trained.multihop.runs import Run  # noqa: E402
from headproof.checks.trained.multihop.tables import MARGINS, TABLES, table_of  # noqa: E402
from headproof.checks.trained.multihop.tasks import Sequences  # noqa: E402
from headproof.checks.trained.multihop.training import train  # noqa: E402
from headproof.checks.trained.rows import columns_of  # noqa: E402
from headproof.checks.trained.scores.surrogates import exchanged  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402
from headproof.theory.scores import Blocks, literal_scores, log_sum, swaps_of  # noqa: E402
from headproof.theory.table import LogitTable  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]

TINY = Run("letter", "small", seed=1, steps=30, batch=32, rate=3e-3, warmup=3, dropout=0.0, checkpoints=(0, 10))
SOURCE = np.random.default_rng(0)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "EACH", 8)
        yield train(TINY, tmp_path_factory.mktemp("trained") / "run")


@pytest.fixture(scope="module")
def found(trained: Path) -> dict[str, pa.Table]:
    few = {"looked_at": 12, "answered": 30}
    return {**dynamics(trained, **few), **mechanism(trained, **few)}  # type: ignore[arg-type]


def sharp(run: Run = TINY) -> Any:
    """A model whose attention is not uniform: initial weights, queries and keys eight times as large."""
    model = build(config(run.vocabulary, run.size), 3, "eager")
    with torch.no_grad():
        for block in model.transformer.h:
            for part in (block.attn.q_proj, block.attn.k_proj):
                part.weight.mul_(8)
    return model


# -- scores ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 5, 9])
def test_scores_of_tables_are_those_that_swaps_give(size: int) -> None:
    logits = np.random.default_rng(size).normal(size=(2, 4, size, size)) * 3
    target = size - 1
    got = measures(torch.as_tensor(logits), target)
    for at in np.ndindex(2, 4):
        for name, keys in (("", size), ("_earlier", size - 1), ("_target", target)):
            # The blocks that are swapped are the first keys; the others take their part of the softmax.
            wanted = literal_scores(LogitTable(logits[at]), Blocks(tuple(range(keys)), 1), 1e-4)
            own = [getattr(got, kind + name)[at] for kind in ("positional", "symbolic")]
            assert own == pytest.approx(wanted, abs=1e-9)
    attention = np.exp(np.diagonal(logits, axis1=-2, axis2=-1))
    attention /= attention.sum(-1, keepdims=True)
    assert got.entropy == pytest.approx(-(attention * np.log(attention)).sum(-1))
    assert got.entropy_share == pytest.approx(got.entropy / math.log(size))
    assert got.largest == pytest.approx(attention.max(-1))


def test_pure_heads_score_so() -> None:
    row = torch.tensor([0.0, 9.0, 1.0, 2.0, 0.5, 0.2], dtype=torch.float64)
    positional, symbolic = measures(row.expand(6, 6), 4), measures(row[:, None].expand(6, 6), 4)
    for name in ("", "_earlier", "_target"):
        assert getattr(positional, f"positional{name}") == pytest.approx(1)
        assert getattr(symbolic, f"symbolic{name}") == pytest.approx(1)
        assert getattr(positional, f"symbolic{name}") < 0.05 > getattr(symbolic, f"positional{name}")
    uniform = measures(torch.zeros(6, 6, dtype=torch.float64), 4)
    assert (uniform.positional, uniform.symbolic, uniform.entropy_share) == pytest.approx((1, 1, 1))


def test_a_positional_head_that_prefers_letters_is_pure_among_letters_alone() -> None:
    """Four letters and three integers: logit 20 for the second place, and 20 for a letter."""
    letter = torch.tensor([20.0] * 4 + [0] * 3, dtype=torch.float64)
    place = torch.tensor([0.0, 20, 0, 0, 0, 0, 0], dtype=torch.float64)
    got = measures(letter[:, None] + place - 20, 4)
    assert (got.positional_target, got.symbolic_target) == pytest.approx((1, 0), abs=1e-6)
    assert 0.3 < got.positional < 0.9
    assert got.positional + got.symbolic > 1


def test_the_spread_is_that_of_the_surrogates() -> None:
    logits = torch.as_tensor(np.random.default_rng(1).normal(size=(5, 6, 6)))
    swaps = swaps_of(logits, log_sum(torch.diagonal(logits, dim1=-2, dim2=-1)), 1)
    one, other = exchanged(swaps, [1e-4], 4000, 0)
    wanted = (one - other)[0].var(axis=1)
    assert measures(logits, 4).spread == pytest.approx(wanted, rel=0.15, abs=1e-9)


def test_a_low_score_makes_the_other_high() -> None:
    logits = torch.as_tensor(np.random.default_rng(2).normal(size=(500, 4, 4)) * 6)
    got = measures(logits, 3)
    for gamma in MARGINS.values():
        words = pure(got.positional, got.symbolic, gamma)
        assert set(words) == {"positional", "symbolic", "none"}
        assert (got.positional[words == "positional"] > 1 - gamma).all()
        assert (got.symbolic[words == "symbolic"] > 1 - gamma).all()


# -- heads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["letter", "number"])
def test_tables_are_those_of_a_capture(task: str) -> None:
    run = replace(TINY, task=task)
    model, seen = sharp(run), measured_on(run, 4)
    heads = observe(model, seen.tokens)
    assert heads.error <= heads.tolerance < 1e-4
    assert float(heads.weights.amax()) > 0.5
    for row in (0, 3):
        captured = capture(in_memory(model, "test"), seen.tokens[row].tolist())
        for layer in captured.layers:
            for query in (4, 12):
                wanted = layer_tables(layer, query).logits[0]
                got = heads.tables(query + 1, np.array([row]))[layer.index, 0]
                # A capture's table leaves out the query's own key.
                assert torch.allclose(got[:-1, :-1], wanted, atol=1e-5)
                used = torch.diagonal(got)
                assert torch.allclose(torch.softmax(used, 0), heads.weights[layer.index, row, query, : query + 1])


def test_a_layer_that_does_not_conform_stops_the_measurement() -> None:
    model, seen = sharp(), measured_on(TINY, 3)
    model.transformer.h[2].attn.q_proj.register_forward_hook(lambda module, given, result: result * 1.01)
    heads = observe(model, seen.tokens)  # seen by all
    assert heads.error < heads.tolerance
    hidden = model.transformer.h[2].attn
    hidden.register_forward_hook(lambda module, given, result: (result[0], result[1].flip(-1)))
    with pytest.raises(ConformanceError, match="layer 2: attention weights rebuilt"):
        observe(model, seen.tokens)


def test_models_that_are_not_understood_are_refused() -> None:
    seen = measured_on(TINY, 3)
    with pytest.raises(InputError, match="does not show its weights"):
        observe(build(config("letter", "small"), 0), seen.tokens)
    with pytest.raises(InputError, match="in training mode"):
        observe(sharp().train(), seen.tokens)
    settings = config("letter", "small")
    settings.n_head = 2
    with pytest.raises(InputError, match="a model of 2 heads a layer"):
        observe(build(settings, 0, "eager"), seen.tokens)
    with pytest.raises(InputError, match="place 14 is not in sequences of 13 tokens"):
        observe(sharp(), seen.tokens).tables(14)


def test_angles_follow_the_planes_that_make_up_the_logits() -> None:
    """Queries of one plane alone: all angles are that plane's."""
    model, seen = sharp(), measured_on(TINY, 12)
    with torch.no_grad():
        weight = model.transformer.h[1].attn.q_proj.weight
        weight[:10] = 0
        weight[12:] = 0
    planes = planes_of(model, seen.tokens[0])
    assert planes.frequencies == pytest.approx([10000 ** (-k / 32) for k in range(32)], rel=1e-4)
    rows = list(dynamic.head_rows(observe(model, seen.tokens), planes, seen, TINY))
    for row in (row for row in rows if row["layer"] == 1):
        for name in ("mean_angle", "index_angle", "median_angle", "top_angle"):
            assert row[name] == pytest.approx(10000 ** (-5 / 32), rel=1e-4)
        assert row["top_share"] == pytest.approx(1)


# -- dynamics --------------------------------------------------------------------------------------------


def test_sequences_are_fixed_and_balanced() -> None:
    seen = measured_on(TINY, 100)
    assert set(np.bincount(seen.hops)[1:].tolist()) == {33, 34}
    assert np.array_equal(seen.tokens, measured_on(replace(TINY, seed=7), 100).tokens)
    taught = {row.tobytes() for step in range(30) for row in training.sequences(TINY, step).tokens}
    assert not taught & {row.tobytes() for row in seen.tokens}


def test_tables_have_their_columns(found: dict[str, pa.Table]) -> None:
    assert set(found) == set(TABLES)
    for name, table in found.items():
        assert table.column_names == list(TABLES[name])
        for field in table.schema:
            assert field.metadata[b"definition"].decode() == TABLES[name][field.name]
        about = json.loads(table.schema.metadata[b"headproof"])
        assert Run.from_json(about["run"]) == TINY
        assert about["temperature"] == 1e-4
    empty = {name for name in found["heads"].column_names if found["heads"][name].null_count == len(found["heads"])}
    assert empty == {"printed_angle"}


def test_rows_are_checkpoints_layers_queries_and_classes(found: dict[str, pa.Table]) -> None:
    steps, heads = found["steps"].to_pylist(), found["heads"].to_pylist()
    assert [(row["step"], row["hops"]) for row in steps] == [(s, h) for s in (0, 10, 30) for h in range(4)]
    assert steps[0]["loss"] is None
    assert steps[-1]["loss"] > 0
    keys = [(row["step"], row["layer"], row["query"], row["hops"]) for row in heads]
    assert len(set(keys)) == len(keys) == 3 * 6 * (4 + 3 + 2)
    last = [row for row in heads if row["query"] == 0 and row["hops"] == 0]
    assert {row["sequences"] for row in last} == {12}
    assert {row["sequences"] for row in heads if row["query"] == 2 and row["hops"] == 0} == {4}
    for row in heads:
        assert row["positional"] + row["symbolic"] > 1
        assert row["mean_angle"] <= 1
    untrained = [row for row in last if row["step"] == 0]
    assert min(min(row["positional"], row["symbolic"]) for row in untrained) > 0.95
    assert {row["kind_10"] for row in untrained} == {"both"}


def test_the_rows_of_all_classes_average_those_of_each(trained: Path, found: dict[str, pa.Table]) -> None:
    heads = found["heads"].to_pylist()
    for layer in range(6):
        mine = [row for row in heads if (row["step"], row["layer"], row["query"]) == (30, layer, 0)]
        total = sum(row["sequences"] * row["positional"] for row in mine if row["hops"])
        assert total / 12 == pytest.approx(mine[0]["positional"], abs=1e-6)
    model = load(trained, attention="eager").model
    seen = measured_on(TINY, 12)
    logits = observe(model, seen.tokens).tables(13)
    wanted = [measures(logits[layer], 6).symbolic.mean() for layer in range(6)]
    got = [row["symbolic"] for row in heads if (row["step"], row["query"], row["hops"]) == (30, 0, 0)]
    assert got == pytest.approx(wanted, abs=1e-6)


def test_chosen_checkpoints_alone(trained: Path) -> None:
    tables = dynamics(trained, steps=[10], looked_at=6, answered=6)
    assert set(tables["heads"]["step"].to_pylist()) == {10}
    with pytest.raises(InputError, match="no weights after 5 steps"):
        dynamics(trained, steps=[5])
    with pytest.raises(InputError, match="give the folder of a training run"):
        dynamics(trained / "nowhere")


def test_when_classes_are_learned() -> None:
    curve = {1: (0.1, 0.95, 0.8, 0.99), 2: (0.1, 0.2, 0.95, 0.95), 3: (0.1, 0.1, 0.3, 0.5), 0: (0.1, 0.4, 0.68, 0.81)}
    rows = [
        {**dynamic.named_by(TINY, step), "hops": hops, "accuracy": value}
        for hops, values in curve.items()
        for step, value in zip((0, 10, 20, 30), values, strict=True)
    ]
    steps = columns_of(table_of("steps", rows))
    assert learned(steps) == {0: None, 1: 30, 2: 20, 3: None}
    assert learned(steps, 0.75) == {0: 30, 1: 10, 2: 20, 3: None}
    assert peaks_of(steps) == [peak_of(steps)] == [30]


# -- mechanism -------------------------------------------------------------------------------------------


def path_weights(seen: Sequences, ahead: int) -> Any:
    """Weights `(1, count, n, n)` of a head that moves each place of the path by so many hops, the answer staying."""
    count, n = seen.tokens.shape
    weights = np.tile(np.eye(n), (1, count, 1, 1))
    for row, path in enumerate(seen.paths):
        visited = path[path > 0]
        for query, place in enumerate(visited):
            weights[0, row, place - 1] = np.eye(n)[visited[min(query + ahead, len(visited) - 1)] - 1]
    return weights


def test_heads_that_move_are_told_from_those_that_stay() -> None:
    seen = measured_on(TINY, 30)
    for ahead, word, role in ((0, "own", "Reflexive"), (1, "next", "move"), (2, "further", "move")):
        for row in role_rows(list(target_rows(path_weights(seen, ahead), seen))):
            left = row["hops"] - row["query"]
            wanted = word if left >= ahead else ("own", "next")[left]
            assert row["most"] == wanted
            assert row[wanted] == pytest.approx(1)
            assert row["role"] == (role if left else "Reflexive")


def test_weights_on_the_path_add_up() -> None:
    seen = measured_on(TINY, 30)
    n = seen.tokens.shape[1]
    uniform = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    rows = list(target_rows(np.tile(uniform, (2, 30, 1, 1)), seen))
    assert {(row["query"], row["target"]) for row in rows if row["hops"] == 2} == {
        (query, target) for query in range(3) for target in (OFF, *range(query, 3))
    }
    for row in rows:
        assert row["weight"] == pytest.approx(row["uniform"])
    for key in {(row["layer"], row["hops"], row["query"]) for row in rows}:
        mine = [row for row in rows if (row["layer"], row["hops"], row["query"]) == key]
        assert sum(row["weight"] for row in mine) == pytest.approx(1)
        assert sum(row["top"] for row in mine) == pytest.approx(1)


def test_replacing_nothing_changes_nothing() -> None:
    model, seen = build(config("letter", "small"), 3), measured_on(TINY, 40)
    outputs = mean_outputs(model, seen.tokens)
    assert outputs.shape == (6, 13, 64)
    before = predictions(model, seen.tokens)
    with replaced(model, {}):
        assert np.array_equal(predictions(model, seen.tokens), before)
    one = mean_outputs(model, seen.tokens[:1])
    with replaced(model, dict(enumerate(one))):
        # The mean over one sequence is that sequence's own.
        assert np.array_equal(predictions(model, seen.tokens[:1]), before[:1])
    assert np.array_equal(predictions(model, seen.tokens), before)
    with pytest.raises(InputError, match="no layer 6; it has 0 to 5"), replaced(model, {6: outputs[0]}):
        pass
    with pytest.raises(InputError, match="unknown places 'first'"), replaced(model, {0: outputs[0]}, "first"):
        pass


def test_a_model_that_has_learned_needs_its_attention(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number task with one hop and three letters: learned within 80 steps, by a head that is positional on letters;
    without attention a guess is left."""
    monkeypatch.setattr(training, "EACH", 30)
    run = Run("number", "small", steps=80, rate=3e-3, warmup=10, dropout=0.0, target=3, before=0, hops=(1,))
    train(replace(run, checkpoints=(0,)), tmp_path / "run")
    tables = {
        **dynamics(tmp_path / "run", looked_at=40, answered=200),
        **mechanism(tmp_path / "run", looked_at=40, answered=200),
    }
    steps = {(row["step"], row["hops"]): row["accuracy"] for row in tables["steps"].to_pylist()}
    assert steps[0, 0] < 0.3 < 0.9 < steps[80, 0]
    left = {
        (row["kind"], row["layers"], row["places"], row["layer"]): row["accuracy"]
        for row in tables["ablations"].to_pylist()
        if row["step"] == 80 and row["hops"] == 0
    }
    assert left["none", "one", "every", OFF] > 0.9
    assert left["mean", "onward", "every", 0] < 0.6
    assert left["mean", "onward", "others", 0] > 0.9
    best = max((r for r in tables["roles"].to_pylist() if r["step"] == 80 and r["query"] == 0), key=lambda r: r["next"])
    assert (best["most"], best["role"]) == ("next", "move")
    head = next(
        row
        for row in tables["heads"].to_pylist()
        if (row["step"], row["layer"], row["hops"], row["query"]) == (80, best["layer"], 0, 0)
    )
    assert head["positional_target"] > 0.9 > 0.5 > head["symbolic_target"]


def test_without_any_attention_the_last_token_alone_is_seen(trained: Path) -> None:
    model, seen = load(trained).model, measured_on(TINY, 60)
    outputs = mean_outputs(model, seen.tokens)
    with torch.inference_mode(), replaced(model, dict(enumerate(outputs)), "last"):
        given = predictions(model, seen.tokens)
        others = seen.tokens.copy()
        others[:, :-1] = others[::-1, :-1]
        assert np.array_equal(predictions(model, others), given)
    assert accuracy(model, TINY.vocabulary, seen).shape == (60,)


def test_places_that_are_replaced_are_those_named() -> None:
    model, seen = sharp(), measured_on(TINY, 5)
    kept: dict[str, Any] = {}
    fill = torch.full((13, 64), 7.0)
    for places in ("every", "last", "others"):
        with torch.inference_mode(), replaced(model, {5: fill}, places):
            watch = model.transformer.h[5].attn.register_forward_hook(
                lambda module, given, result, name=places: kept.update({name: result[0]})
            )
            model.transformer(input_ids=torch.as_tensor(seen.tokens), use_cache=False)
            watch.remove()
    filled = {name: (value == 7).all(dim=-1)[0].tolist() for name, value in kept.items()}
    assert filled == {"every": [True] * 13, "last": [False] * 12 + [True], "others": [True] * 12 + [False]}


def test_ablations_of_a_trained_model(found: dict[str, pa.Table]) -> None:
    rows = found["ablations"].to_pylist()
    assert {row["step"] for row in rows} == {0, 30}
    keys = [tuple(row[name] for name in ("step", "layer", "kind", "layers", "places", "hops")) for row in rows]
    assert len(set(keys)) == len(keys) == 2 * 4 * (1 + 5 * 6)
    for row in rows:
        assert 0 <= row["accuracy"] <= 1
        assert (row["layer"] == OFF) == (row["kind"] == "none")
    plain = {row["hops"]: row["accuracy"] for row in rows if row["kind"] == "none" and row["step"] == 30}
    steps = {row["hops"]: row["accuracy"] for row in found["steps"].to_pylist() if row["step"] == 30}
    assert plain == pytest.approx(steps)
