"""The committed sweep of toys: read back, judged by criteria that can fail; `headproof train` as its users meet it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import pyarrow.parquet

from headproof.checks.canonical import EMPIRICAL
from headproof.checks.registry import Context
from headproof.checks.trained.canonical import grouping, measurement, numbers, verdicts
from headproof.checks.trained.canonical.grids import COMMITTED, QUICK
from headproof.checks.trained.canonical.sampling import held_out
from headproof.checks.trained.canonical.sweep import SOLVED
from headproof.checks.trained.canonical.tables import TABLES
from headproof.checks.trained.canonical.training import EACH
from headproof.checks.trained.rows import columns_of, described, rows
from headproof.theory.canonical.empirical_claims import FINDINGS
from headproof.theory.canonical.geometry_claims import GEOMETRY_PRINTED
from headproof.theory.canonical.toy_findings import LENGTHS
from headproof.theory.claim import Verdict

Headproof = Callable[..., Any]


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    found = measurement.read()
    assert found is not None
    return found


@pytest.fixture(scope="module")
def columns(tables: dict[str, Any]) -> dict[str, Any]:
    return {name: columns_of(table) for name, table in tables.items()}


# -- what is committed ---------------------------------------------------------------------------------------------


def test_tables_say_what_made_them(tables: dict[str, Any]) -> None:
    about = described(tables["cells"])
    assert about["command"] == "headproof remeasure canonical"
    assert about["sweep"] == COMMITTED.description()
    assert {"torch", "numpy"} <= set(about["versions"])
    for name, table in tables.items():
        assert table.column_names == list(TABLES[name])


def test_every_cell_is_there_and_every_failed_one_three_times(columns: dict[str, Any]) -> None:
    cells = columns["cells"]
    assert set(rows(cells, round=1)["name"]) == {cell.name for cell in COMMITTED.cells()}
    true = rows(cells, answers="true")
    failed = [
        tuple(row)
        for *row, accuracy in zip(
            *(rows(true, round=1)[c] for c in ("task", "length", "angles", "seed", "accuracy")), strict=True
        )
        if accuracy < SOLVED
    ]
    for number in (2, 3):
        again = rows(true, round=number)
        made = sorted(zip(*(again[c] for c in ("task", "length", "angles", "seed")), strict=True))
        assert made == sorted(failed)
        assert (again["steps"] == 4 * COMMITTED.steps).all()
        assert (again["width"] == (COMMITTED.width if number == 2 else 2 * COMMITTED.width)).all()
    assert (rows(cells, answers="shuffled")["round"] == 1).all()


def test_places_average_to_the_cells_accuracy(columns: dict[str, Any]) -> None:
    cells, places = columns["cells"], columns["places"]
    order = np.argsort(places["name"], kind="stable")
    names, first = np.unique(places["name"][order], return_index=True)
    means = np.add.reduceat(places["accuracy"][order], first) / np.diff([*first, len(order)])
    by_name = dict(zip(names, means, strict=True))
    assert max(abs(by_name[n] - a) for n, a in zip(cells["name"], cells["accuracy"], strict=True)) < 2e-5
    assert ((places["weight"] >= 0) & (places["weight"] <= 1 + 1e-5)).all()


@pytest.mark.parametrize("task", ["index", "retrieval", "induction"])
def test_the_kept_toys_answer_as_the_table_says(columns: dict[str, Any], task: str) -> None:
    toys = measurement.toys(task)
    assert {cell.angles for cell in toys} == set(COMMITTED.angles[task])
    for cell, layer in toys.items():
        inputs, told = held_out(cell, EACH), rows(columns["cells"], name=cell.name)["accuracy"][0]
        wanted = [layer.vocabulary.index(answer) for answer in cell.vocabulary_task.answers]
        chosen = slice(0, 2 * cell.keys)
        tokens = [[layer.vocabulary[token] for token in row] for row in inputs.tokens[chosen]]
        right = [
            int(np.argmax(layer.scores(row, beta=1.0)[-1][wanted])) == answer
            for row, answer in zip(tokens, inputs.answers[chosen], strict=True)
        ]
        # A sample of the same held-out inputs: within five standard errors of the share of all of them.
        assert abs(np.mean(right) - told) <= 5 * np.sqrt(max(told * (1 - told), 1e-4) / len(right)) + 1e-3


def test_a_damaged_file_of_toys_is_named(tmp_path: Path) -> None:
    (tmp_path / "toys").mkdir()
    (tmp_path / "toys" / "index.safetensors").write_bytes(b"no tensors")
    with pytest.raises(Exception, match=r"cannot read the toys .*index.safetensors"):
        measurement.toys("index", tmp_path)


# -- verdicts ------------------------------------------------------------------------------------------------------


def test_every_finding_is_decided_and_no_control_passes() -> None:
    decided = verdicts.decide_empirical(Context())
    assert set(decided) == {claim.id for claim in EMPIRICAL}
    assert {f"dec.toy.{finding.name}" for finding in FINDINGS} < set(decided)
    assert [decided.pop(claim.id).verdict for claim in GEOMETRY_PRINTED] == [Verdict.NOT_RUN]
    for decision in decided.values():
        assert decision.verdict in (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED)
        assert [control["outcome"] for control in decision.details["controls"]] != []
        assert all(control["outcome"] == "refuted" for control in decision.details["controls"])


def test_no_sweep_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "read", lambda: None)
    monkeypatch.setattr(measurement, "read_planes", lambda model: None)
    decided = verdicts.decide_empirical(Context())
    assert {decision.verdict for decision in decided.values()} == {Verdict.NOT_RUN}


def changed(columns: dict[str, Any], table: str, column: str, value: Callable[[Any], Any]) -> dict[str, Any]:
    held = dict(columns[table])
    held[column] = value(held)
    return {**columns, table: held}


def supported(name: str, columns: dict[str, Any]) -> bool:
    finding = next(finding for finding in FINDINGS if finding.name == name)
    found, _ = numbers.MEASURES[name](columns, 0)
    return bool(finding.supported_by({key: number.value for key, number in found.items()}))


def learned(column: str, task: str, rule: Callable[[Any], Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Tables in which the cells of a task are solved exactly where a rule says so."""

    def made(columns: dict[str, Any]) -> dict[str, Any]:
        def value(cells: Any) -> Any:
            mine = (cells["task"] == task) & (cells["answers"] == "true")
            return np.where(mine, np.where(rule(cells), 1.0, 0.5), cells[column])

        return changed(columns, "cells", column, value)

    return made


def inside(cells: Any, less: int, most: float) -> Any:
    """Where `less` fewer steps than the length has tokens turn by less than `most`."""
    return (cells["length"] - less) * cells["angle"] < most


def below_threshold(cells: Any) -> Any:
    """Where the angle is below dec.thm6's 2 pi / (2T - 1), T keys before the query."""
    return (2 * cells["length"] - 3) * cells["angle"] < 2 * math.pi


@pytest.mark.parametrize(
    ("name", "world", "expected"),
    [
        ("index-frequency", learned("accuracy", "index", lambda c: c["angle"] > 0.25), True),
        ("index-frequency", learned("accuracy", "index", lambda c: c["angle"] < 0.25), False),
        ("index-low-fails", learned("accuracy", "index", lambda c: c["angle"] > 0.25), True),
        ("retrieval-frequency", learned("accuracy", "retrieval", lambda c: c["angle"] < 0.01), True),
        ("retrieval-frequency", learned("accuracy", "retrieval", lambda c: c["angle"] != 0.5), False),
        ("retrieval-half-turn", learned("accuracy", "retrieval", lambda c: c["angle"] < 0.01), False),
        ("retrieval-high-fails", learned("accuracy", "retrieval", lambda c: c["angle"] > 3), False),
        ("induction-two-angles", learned("accuracy", "induction", lambda c: c["sets"] == 2), True),
        ("induction-two-angles", learned("accuracy", "induction", lambda c: c["sets"] == 1), False),
        ("induction-threshold", learned("accuracy", "induction", lambda c: c["angle"] < 0.3), False),
        ("retrieval-half-turn", learned("accuracy", "retrieval", lambda c: inside(c, 2, math.pi)), True),
        ("induction-threshold", learned("accuracy", "induction", lambda c: below_threshold(c)), True),
        ("induction-beside", learned("accuracy", "induction", lambda c: inside(c, 3, math.pi)), True),
        ("induction-beside", learned("accuracy", "induction", lambda c: below_threshold(c)), False),
        ("found", learned("accuracy", "index", lambda c: c["feasible"] == "no"), False),
        ("index-ceiling", learned("accuracy", "index", lambda c: c["angle"] > 3), False),
        ("index-ceiling-reached", learned("accuracy", "index", lambda c: c["angle"] < -1), True),
    ],
)
def test_criteria_can_be_met_and_missed(columns: dict[str, Any], name: str, world: Any, expected: bool) -> None:
    assert supported(name, world(columns)) is expected


@pytest.mark.parametrize(("name", "bent"), [("index-u", 1), ("retrieval-inverted-u", -1)])
def test_curves_of_the_shape_asked_for_are_supported(columns: dict[str, Any], name: str, bent: int) -> None:
    task = name.split("-")[0]
    last = {f"{row}": n for row, n in zip(columns["cells"]["name"], columns["cells"]["length"], strict=True)}

    def curve(places: Any) -> Any:
        count = np.array([last[name] - 1 for name in places["name"]])
        noise = np.random.default_rng(1).normal(0, 0.01, len(count))
        return 0.5 + bent * (2 * (places["place"] - 1) / (count - 1) - 1) ** 2 / 3 + noise

    # Half of the low angles fail, so that there are sets to ask at both lengths.
    world = learned("accuracy", task, lambda c: c["angle"] > 0.08)(changed(columns, "places", "accuracy", curve))
    # The angle 0 learns nothing: what it answers is what a set has to exceed to be asked.
    world = changed(world, "cells", "accuracy", lambda c: np.where(c["angle"] == 0, 0.2, c["accuracy"]))
    assert supported(name, world)
    flat = changed(world, "places", "accuracy", lambda places: 0.5 + 0 * places["accuracy"])
    assert not supported(name, flat)


def test_learned_wants_four_of_five_seeds(columns: dict[str, Any]) -> None:
    for seeds, expected in ((4, True), (3, False)):
        world = learned("accuracy", "index", lambda c, seeds=seeds: c["seed"] < seeds)(columns)
        assert {group.learned for group in grouping.groups(world, "index", 32)} == {expected}


def test_both_lengths_are_asked(columns: dict[str, Any]) -> None:
    world = learned("accuracy", "induction", lambda c: (c["sets"] == 2) & (c["length"] == 16))(columns)
    assert not supported("induction-two-angles", world)
    assert COMMITTED.lengths == LENGTHS


# -- the command ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_train_writes_tables_summary_and_toys_and_takes_them_up(headproof: Headproof, tmp_path: Path) -> None:
    command = ("train", "index", "--angles", "1,2/5 pi", "--seeds", "2", "--steps", "300", "--length", "8")
    where = ("--once", "--executor", "here", "--out", tmp_path)
    ran = headproof(*command, *where)
    assert ran.status == 0
    assert ran.err == f"toys to train: 4, of index; kept in {tmp_path}\n"
    assert "exactly at 5" in ran.out
    cells = pyarrow.parquet.read_table(tmp_path / "cells.parquet")
    assert cells["feasible"].to_pylist() == 2 * ["yes", "no"]
    assert set(cells.schema.names) == set(TABLES["cells"])
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["sweep"]["angles"] == {"index": [["1"], ["2/5 pi"]]}
    assert summary["columns"]["cells"]["ceiling"] == TABLES["cells"]["ceiling"]
    assert set(summary["definitions"]["sweep"]) == set(summary["sweep"])
    assert all(set(summary["definitions"]["rows"]) == set(row) for task in summary["tasks"] for row in task["rows"])
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").iterdir()}
    assert len(kept) == 4
    assert "toys: 4, all finished before" in headproof(*command, *where).out
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cells").iterdir()} == kept
    assert headproof(*command, *where, "--fresh").status == 0
    assert all(path.stat().st_mtime_ns > before for path, before in kept.items())
    other = headproof(*command, "--steps", "301", *where)
    assert other.status == 2
    assert "holds the results of another sweep: steps 300, here 301" in other.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"columns": {"heads": {}, "planes": {}}}', "is another command's, with heads, planes; give another folder"),
        ('{"command": "mine"}', "is not of this command; give another folder"),
        ("{", "is not of this command; give another folder"),
    ],
)
def test_results_of_another_command_are_not_overwritten(
    headproof: Headproof, tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "summary.json").write_text(text)
    ran = headproof("train", "index", "--angles", "1", "--seeds", "1", "--steps", "5", "--once", "--out", tmp_path)
    assert ran.status == 2
    assert ran.err == f"headproof: {tmp_path / 'summary.json'} {told}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["summary.json"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("train", "nothing to train; name a task (index, retrieval, induction)"),
        ("train foo", "unknown task 'foo'"),
        ("train index --angles nan", "not a finite angle: 'nan'"),
        ("train index --angles 1e400", "not an angle that can be read: '1e400'"),
        ("train --angles 1 --sweep quick", "--angles '1' without a task"),
        ("train index --length 2", "--length '2' is not a whole number from 3"),
        ("train index --seeds 0", "--seeds '0' is not a whole number from 1"),
        ("train index --sweep nowhere.toml", "cannot read the sweep nowhere.toml"),
        ("train index --executor threads --steps 5 --seeds 1 --out OUT", "unknown executor 'threads'"),
        ("train index --workers 0 --out OUT", "--workers '0' is not a whole number from 1"),
        ("train index --device tpu --out OUT", "unknown device 'tpu'"),
    ],
)
def test_bad_input_gets_one_line(headproof: Headproof, tmp_path: Path, arguments: str, told: str) -> None:
    ran = headproof(*(word.replace("OUT", str(tmp_path / "out")) for word in arguments.split()))
    assert ran.status == 2
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_the_quick_sweep_is_three_tasks_of_twelve_angle_sets_and_five_seeds() -> None:
    assert {task: len(sets) for task, sets in QUICK.angles.items()} == {"index": 12, "retrieval": 12, "induction": 12}
    assert (QUICK.seeds, QUICK.lengths) == ((0, 1, 2, 3, 4), (32,))
