"""The figures of trained multihop models: their rows, pictures and captions from made tables."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pytest

from headproof.checks.registry import Context, figure_points
from headproof.checks.trained.multihop.reach import needed_scale
from headproof.checks.trained.multihop.tables import table_of
from headproof.checks.trained.rows import Columns, columns_of, rows
from headproof.paper_figs import multihop, multihop_length, multihop_mechanism, multihop_rows
from headproof.paper_figs.figure import KINDS, Figure, house_style, load, save
from headproof.theory.errors import InputError

MODULES: dict[str, Any] = {
    "multihop": multihop,
    "multihop_mechanism": multihop_mechanism,
    "multihop_length": multihop_length,
}
STEPS = (0, 10, 100, 1000)
LENGTHS = (17, 34, 850)
LAYERS, CLASSES = 4, (1, 2)
# Accuracy by step of classes 1 and 2: learned at 100 and 1000; all together at its peak at 1000.
LEARNS = {1: (0.0, 0.1, 0.95, 1.0), 2: (0.0, 0.1, 0.5, 0.96)}
SEEDS = {"full": (0,), "small": (0, 1)}
ANGLES = (1.0, 0.5, 0.05, 0.01)
SCALE = 50.0


def made() -> dict[str, dict[str, pa.Table]]:
    """Tables of both tasks as measured ones are: one full run and two small ones, layers 0, 1 and 2 suffice."""
    return {task: _of_task(task) for task in ("number", "letter")}


def _of_task(task: str) -> dict[str, pa.Table]:
    found: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("steps", "heads", "roles", "ablations", "lengths", "reaches", "baselines")
    }
    for size, seeds in SEEDS.items():
        for length in LENGTHS:
            for hops, best in ((0, 0.55), (1, 1.0), (2, 0.3)):
                for rule, value in (("one", best), ("other", best / 2)):
                    named = {"task": task, "size": size, "length": length, "hops": hops}
                    found["baselines"].append({**named, "rule": rule, "accuracy": value})
        for seed in seeds:
            for name, made_rows in _of_run({"task": task, "size": size, "seed": seed}).items():
                found[name] += made_rows
    runs = [
        {"size": size, "seed": seed, "steps": 1000, "target": 8, "before": 8}
        for size, seeds in SEEDS.items()
        for seed in seeds
    ]
    about = {"headproof": json.dumps({"runs": runs, "sequences": {"accuracy": 1000, "heads": 100}})}
    kept = ("steps", "heads", "roles", "ablations")
    tables = {
        name: table_of(name, each) if name in kept else pa.Table.from_pylist(each) for name, each in found.items()
    }
    return {name: table.replace_schema_metadata(about) for name, table in tables.items()}


def _of_run(run: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("steps", "heads", "roles", "ablations", "lengths", "reaches")
    }
    for number, step in enumerate(STEPS):
        by_hops = {hops: values[number] for hops, values in LEARNS.items()}
        for hops, value in {0: sum(by_hops.values()) / 2, **by_hops}.items():
            found["steps"].append({**run, "step": step, "hops": hops, "sequences": 500, "accuracy": value})
        for layer in range(LAYERS):
            named = {**run, "step": step, "layer": layer, "hops": 0, "query": 0, "logit_scale": SCALE}
            angles = dict.fromkeys(("mean_angle", "index_angle", "median_angle", "top_angle"), ANGLES[layer])
            printed = {"printed_angle": 0.866} if run["size"] == "full" else {}
            scores = {"positional": 1 - 0.1 * layer - 0.01 * number, "symbolic": 0.1 * layer + 0.01 * number}
            words = dict.fromkeys(("kind_10", "kind_05", "pure_10", "pure_05"), "neither")
            found["heads"].append({**named, **scores, **words, **angles, **printed})
    for step in (STEPS[0], STEPS[-1]):
        found["roles"] += _roles(run, step)
        found["ablations"] += _ablations(run, step)
    for variant, lost in (("plain", 0.0), ("recopied", 0.02), ("redirected", 0.04)):
        if variant != "plain" and run["task"] == "number":
            continue
        for step in (STEPS[0], STEPS[-1]):
            if step == 0 and variant != "plain":
                continue
            for length in LENGTHS:
                value = (0.98 if length < 40 else 0.6) - lost if step else 0.01
                about = {**run, "step": step, "variant": variant, "length": length, "hops": 0}
                found["lengths"].append({**about, "accuracy": value, "low": value - 0.01, "high": value + 0.01})
    found["reaches"].append({**run, "step": 0, "layer": 0})
    return found


def _roles(run: dict[str, Any], step: int) -> list[dict[str, Any]]:
    """Layer 0 moves the last token, layer 2 all that can move; layer 1 looks at the path with less than half."""
    made_rows = []
    for layer in range(LAYERS):
        for hops in CLASSES:
            for query in range(hops + 1):
                ahead = {0: 0.6 if query == 0 else 0.0, 1: 0.3, 2: 0.7, 3: 0.0}[layer] if query < hops else 0.0
                move = step > 0 and ahead > 0.5
                parts = {"next": ahead - 0.1 if ahead else 0.0, "further": 0.1 if ahead else 0.0}
                named = {**run, "step": step, "layer": layer, "hops": hops, "query": query}
                rest = {"own": 1 - ahead, "off": 0.0, "most": "next" if move else "own"}
                made_rows.append({**named, **parts, **rest, "role": "move" if move else "Reflexive"})
    return made_rows


def _ablations(run: dict[str, Any], step: int) -> list[dict[str, Any]]:
    """Without layer 0 nothing is solved, without layer 2 only one hop; the classes take one and three layers."""
    last = {1: 1.0, 2: 0.96} if step else {1: 0.0, 2: 0.0}
    made_rows = []

    def add(layer: int, kind: str, layers: str, values: dict[int, float]) -> None:
        named = {**run, "step": step, "layer": layer, "kind": kind, "layers": layers, "places": "every"}
        for hops, value in {0: sum(values.values()) / 2, **values}.items():
            made_rows.append({**named, "hops": hops, "sequences": 500, "accuracy": value})

    add(-1, "none", "one", last)
    for layer in range(LAYERS):
        one = {hops: value * (layer not in ((0,), (0, 2))[hops - 1]) for hops, value in last.items()}
        onward = {hops: value * (layer >= (1, 3)[hops - 1]) for hops, value in last.items()}
        add(layer, "mean", "one", one)
        add(layer, "mean", "onward", onward)
    return made_rows


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Pictures are closed after each test."""
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def tables() -> dict[str, dict[str, pa.Table]]:
    return made()


def named(name: str, tables: Any) -> tuple[Figure, pa.Table, Columns]:
    data = MODULES[name].gathered(tables)
    return MODULES[name].figure, data, columns_of(data)


# -- rows ----------------------------------------------------------------------------------------------------------


def test_learning_rows(tables: Any) -> None:
    _, data, columns = named("multihop", tables)
    assert tuple(data.column_names) == multihop.COLUMNS
    for task in ("number", "letter"):
        mine = rows(columns, task=task)
        curve = rows(mine, kind="accuracy", size="full", hops=2)
        assert (curve["step"].tolist(), curve["value"].tolist()) == (list(STEPS), pytest.approx(LEARNS[2]))
        assert len(rows(mine, kind="accuracy")["step"]) == 3 * len(STEPS) * len(CLASSES)
        learned = rows(mine, kind="learned")
        assert dict(zip(learned["hops"], learned["step"], strict=True)) == {1: 100, 2: 1000}
        assert learned["value"].tolist() == pytest.approx([0.95, 0.96])
        rule = rows(mine, kind="rule")
        assert dict(zip(rule["hops"], rule["value"], strict=True)) == {1: 1.0, 2: 0.3}
        assert rows(mine, kind="positional", layer=2, step=100)["value"] == pytest.approx([0.78])
        assert rows(mine, kind="symbolic", layer=3, step=0)["value"] == pytest.approx([0.3])
        assert rows(mine, kind="suffices")["layer"].tolist() == [0, 1, 2]
        assert rows(mine, kind="peak")["step"].tolist() == [1000]


def test_mechanism_rows(tables: Any) -> None:
    _, data, columns = named("multihop_mechanism", tables)
    assert tuple(data.column_names) == multihop_mechanism.COLUMNS
    mine = rows(columns, task="letter")
    path = rows(mine, kind="path")
    places = set(zip(path["hops"].tolist(), path["query"].tolist(), strict=True))
    assert places == {(1, 0), (2, 0), (2, 1)}  # the answers, one move further, are left out
    assert rows(path, layer=2)["value"] == pytest.approx([0.7] * 3)
    assert rows(path, layer=0)["moved"].tolist() == [1, 1, 0]
    assert not rows(path, layer=1)["moved"].any()
    two = rows(mine, kind="onward", state="trained", hops=2)
    assert dict(zip(two["layer"], two["value"], strict=True)) == pytest.approx({0: 0, 1: 0, 2: 0, 3: 0.96, 4: 0.96})
    assert not rows(mine, kind="onward", state="untrained")["value"].any()
    depth = rows(mine, kind="depth")
    assert dict(zip(depth["hops"], depth["layer"], strict=True)) == {1: 1, 2: 3}
    for state in ("trained", "untrained"):
        assert rows(mine, kind="top_angle", state=state)["value"] == pytest.approx(ANGLES)
    assert rows(mine, kind="printed_angle")["value"] == pytest.approx([0.866] * LAYERS)


def test_length_rows(tables: Any) -> None:
    _, data, columns = named("multihop_length", tables)
    assert tuple(data.column_names) == multihop_length.COLUMNS
    for task, construction in (("number", "index"), ("letter", "retrieval")):
        mine = rows(columns, task=task)
        assert len(rows(mine, kind="plain", size="small")["seed"]) == 2 * len(LENGTHS)
        plain = rows(mine, kind="plain", size="full")
        assert plain["length"].tolist() == list(LENGTHS)
        for name, values in {"value": (0.98, 0.98, 0.6), "low": (0.97, 0.97, 0.59), "high": (0.99, 0.99, 0.61)}.items():
            assert plain[name] == pytest.approx(values)
        assert rows(mine, kind="untrained")["value"] == pytest.approx([0.01] * 3)
        assert rows(mine, kind="rule")["value"] == pytest.approx([0.55] * 3)
        assert len(rows(mine, kind="recopied")["value"]) == (0 if task == "number" else 3)
        assert rows(mine, kind="reach")["length"].tolist() == [34]
        assert rows(mine, kind="training")["length"].tolist() == [17]
        theory = rows(mine, kind="theory")
        assert set(theory["layer"].tolist()) == {0, 1, 2}
        expected = needed_scale(construction, float(np.float32(0.05)), 34, 8) / SCALE
        assert rows(theory, layer=2, length=34)["value"] == pytest.approx([expected])
    assert rows(columns, kind="redirected", length=850)["value"] == pytest.approx([0.56])
    # One plane of 1 radian per position confuses wrong letters with the match, at whatever scale.
    assert np.isinf(rows(columns, task="letter", kind="theory", layer=0, length=17)["value"]).all()


# -- pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODULES)
def test_the_figure_is_drawn_from_its_rows_alone(name: str, tables: Any, tmp_path: Path) -> None:
    figure, data, _ = named(name, tables)
    given = Figure(figure.name, figure.title, lambda context, message: data, figure.draw, figure.caption)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a layout that does not come out warns
        files = save(given, tmp_path, Context(), lambda text: None)
    assert {path.name for path in files} == {f"{name}.{kind}" for kind in KINDS}
    assert load(figure_points()[name]) is figure


def test_layers_that_suffice_peak_and_moves_are_marked(tables: Any) -> None:
    drawn = multihop.draw(named("multihop", tables)[1])
    maps = [axes for axes in drawn.axes if axes.images]
    assert len(maps) == 4
    for axes in maps:
        peak, suffice = axes.lines
        assert (list(peak.get_xdata()), list(suffice.get_ydata())) == ([3, 3], [0, 1, 2])
    drawn = multihop_mechanism.draw(named("multihop_mechanism", tables)[1])
    assert [len(axes.patches) for axes in drawn.axes if axes.images] == [2 + 3] * 2


def test_a_model_of_which_no_layers_suffice_and_that_never_is_right_is_drawn(tables: Any) -> None:
    for name in ("multihop", "multihop_length"):
        data = named(name, tables)[1]
        keep = ~np.isin(columns_of(data)["kind"], ("suffices", "theory", "learned"))
        left = data.filter(pa.array(keep))
        with house_style(), warnings.catch_warnings():
            warnings.simplefilter("error")  # marks of nothing once broke the layout
            MODULES[name].draw(left).canvas.draw()
        assert "layers that suffice none" in MODULES[name].caption(left)


# -- captions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        (
            "multihop",
            (
                "full number: 1000 steps at 17 tokens, seed 0; ",
                "seeds 0, 1",
                "learned 1: 100, 2: 1000; peak at 1000; layers that suffice 0, 1, 2 (1000 held-out",
            ),
        ),
        ("multihop_mechanism", ("depth by hops 1: 1, 2: 3; 3 of 3 places moved", "largest weight 0.01 to 1")),
        (
            "multihop_length",
            ("accuracy 0.980 at 17 tokens, 0.600 at 850, reach 34; layers that suffice 0, 1, 2", "the reach infinite."),
        ),
    ],
)
def test_captions_name_their_numbers(name: str, numbers: tuple[str, ...], tables: Any) -> None:
    figure, data, _ = named(name, tables)
    said = figure.caption(data)
    assert "dyn." in said
    assert [each for each in numbers if each not in said] == []
    assert not [word for word in ("SUPPORTED", "REFUTED", "confirm") if word in said]


def test_what_is_not_committed_is_told(monkeypatch: pytest.MonkeyPatch, tables: Any) -> None:
    measurement = pytest.importorskip("headproof.checks.trained.multihop.measurement")
    monkeypatch.setattr(measurement, "read", lambda task: None)
    for module in MODULES.values():
        with pytest.raises(InputError, match="no multihop models are committed; run headproof remeasure multihop"):
            module.figure.compute(Context(), lambda text: None)
    monkeypatch.setattr(measurement, "read", tables.get)
    assert multihop.figure.compute(Context(), lambda text: None).equals(multihop.gathered(tables))
    without = {task: {name: _small(table) for name, table in held.items()} for task, held in tables.items()}
    with pytest.raises(InputError, match="no full run of the number task"):
        multihop_rows.by_size(without)


def _small(table: pa.Table) -> pa.Table:
    return table.filter(pa.array(columns_of(table)["size"] == "small"))
