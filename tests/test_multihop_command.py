"""`headproof train number|letter`: what it refuses, writes, takes up again and deletes."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import pyarrow.parquet

from headproof.checks.trained.multihop import results
from headproof.checks.trained.multihop.tables import TABLES

Headproof = Callable[..., Any]

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]


@pytest.mark.slow
def test_a_run_is_trained_measured_and_taken_up_again(
    headproof: Headproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "measured", partial(results.measured, looked_at=4, answered=8))
    command = ("train", "letter", "--size", "small", "--steps", "2", "--seeds", "2", "--out", tmp_path)
    ran = headproof(*command)
    assert ran.status == 0
    assert ran.err.splitlines()[0] == f"letter-small-s0: 2 steps; kept in {tmp_path / 'letter-small-s0'}"
    assert "accuracy by hops, seed 1" in ran.out
    for name, columns in TABLES.items():
        table = pyarrow.parquet.read_table(tmp_path / f"{name}.parquet")
        assert table.column_names == list(columns)
        assert set(table["seed"].to_pylist()) == {0, 1}
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["command"].startswith("headproof ")
    assert summary["columns"]["steps"]["accuracy"] == TABLES["steps"]["accuracy"]
    mine = tmp_path / "letter-small-s0" / "mine.txt"
    mine.write_text("mine")
    weights = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/step-*.safetensors")}
    assert weights
    assert headproof(*command).status == 0
    assert {path: path.stat().st_mtime_ns for path in weights} == weights
    assert headproof(*command, "--fresh").status == 0
    assert all(path.stat().st_mtime_ns > before for path, before in weights.items())
    assert mine.read_text() == "mine"
    swapped = headproof(command[0], "number", *command[2:])
    assert swapped.status == 2
    assert swapped.err.endswith(f"{tmp_path / 'summary.json'} is of the letter task; give another folder\n")
    other = headproof(*command[:5], "3", *command[6:])
    assert other.status == 2
    assert "holds another run: steps 2, here 3" in other.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("train letter --angles 1", "--angles with the task letter; it is for index, retrieval and induction"),
        ("train number --sweep quick", "--sweep with the task number"),
        ("train number --once", "--again with the task number"),
        ("train number --executor here", "--executor with the task number"),
        ("train index --size small", "--size 'small' without a multihop task; it is for number and letter"),
        ("train letter --size huge", "unknown size 'huge'; known: full, small"),
        ("train letter --seeds 0", "--seeds '0' is not a whole number from 1"),
        ("train letter --steps none", "--steps 'none' is not a whole number from 1"),
        ("train letter --device tpu", "unknown device 'tpu'"),
    ],
)
def test_bad_input_gets_one_line(headproof: Headproof, arguments: str, told: str) -> None:
    ran = headproof(*arguments.split())
    assert ran.status == 2
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_folder_that_is_no_run_is_not_deleted(headproof: Headproof, tmp_path: Path) -> None:
    mine = tmp_path / "letter-small-s0" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    ran = headproof("train", "letter", "--size", "small", "--steps", "1", "--fresh", "--out", tmp_path)
    assert ran.status == 2
    assert "give the folder of a training run" in ran.err
    assert mine.read_text() == "mine"
