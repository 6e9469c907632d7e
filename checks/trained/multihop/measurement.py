"""The committed multihop models: how they are trained and measured anew, and how their tables are read back.

Below `checks/measured/multihop/` stands a folder a task with the tables of one full run, and the weights after its last
step as float16 safetensors. `headproof remeasure multihop` makes them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from headproof.checks.files import write_atomic
from headproof.checks.report import versions
from headproof.checks.trained import committed
from headproof.checks.trained.multihop import checkpoints
from headproof.checks.trained.multihop.length import LENGTHS_TABLE, accuracy_at
from headproof.checks.trained.multihop.results import folder_of, measured
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tables import TABLES
from headproof.checks.trained.multihop.training import train
from headproof.theory.errors import InputError

FOLDER = committed.FOLDER / "multihop"
WEIGHTS, LENGTHS = "model.safetensors", "lengths"
# The number task is learned hop by hop, and takes longer.
RUNS = (Run("letter"), Run("number", steps=9000))
KEPT: Mapping[str, Mapping[str, str]] = {**TABLES, LENGTHS: LENGTHS_TABLE}
# Accuracy of a hop class at each length is told to so much to either side.
WITHIN = 0.1
DECIMALS = 5


@dataclass(frozen=True)
class Remade:
    """What was made anew, by name."""

    name: str


def read(task: str, root: Path = FOLDER) -> dict[str, pa.Table] | None:
    """The committed tables of a task's run by name; None if there are none. Raises InputError for damaged ones."""
    return committed.read(root / task, KEPT, "multihop")


def model_of(task: str, root: Path = FOLDER, attention: str = "sdpa") -> checkpoints.Loaded:
    """The committed model of a task. Raises InputError for an unknown task, and a missing or damaged file."""
    chosen = next((run for run in RUNS if run.task == task), None)
    if chosen is None:
        raise InputError(f"unknown task {task!r:.60}", f"known: {', '.join(run.task for run in RUNS)}")
    return checkpoints.load_file(root / task / WEIGHTS, chosen, chosen.total, attention=attention)


def remeasure(
    spec: str | None, device: str, progress: Callable[[str, int, int], None], message: Callable[[str], None], root: Path
) -> tuple[Remade, list[Path]]:
    """Train both full runs and measure them; a run that was interrupted goes on. Writes below `root`.

    Raises InputError if a model's file is given: nothing of this measurement is of other models.
    """
    if spec is not None:
        raise InputError(f"--model {spec} for multihop models", "they are trained: leave it out")
    written: list[Path] = []
    for run in RUNS:
        folder = folder_of(run, device)
        message(f"{run.name}: {run.total} steps; kept in {folder}")
        train(run, folder, device, progress)
        written += write(run, folder, device, root, progress)
    return Remade("multihop models"), written


def write(
    run: Run, folder: Path, device: str, root: Path, progress: Callable[[str, int, int], None] = lambda *_: None
) -> list[Path]:
    """Measure a run's folder and write its tables and last weights below `root`; returns their paths."""
    tables = measured([folder], device, progress)
    tables[LENGTHS] = accuracy_at(folder, within=WITHIN, device=device, progress=progress)
    kept = {name: committed.rounded(table, table.column_names, DECIMALS) for name, table in tables.items()}
    weights = checkpoints.weights_path(folder, run.total).read_bytes()
    facts: dict[str, Any] = {
        "command": "headproof remeasure multihop",
        "versions": versions(),
        "device": device,
        "dtype": "float32, weights kept as float16",
        "run": run.to_json(),
        "model": {"name": f"multihop {run.task} model", "sha256": hashlib.sha256(weights).hexdigest()},
        "sequences": json.loads(tables["steps"].schema.metadata[b"headproof"])["sequences"],
    }
    paths = committed.write(kept, facts, root / run.task)
    write_atomic(root / run.task / WEIGHTS, weights)
    return [*paths, root / run.task / WEIGHTS]
