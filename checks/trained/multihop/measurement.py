"""The committed multihop models: how they are trained and measured anew, and how their tables are read back.

Below `checks/measured/multihop/` stands a folder a task with the tables of one full run and of small ones, and the full
run's weights after its last step as float16 safetensors. `headproof remeasure multihop` makes them. With `--model` it
asks a real model the 1-hop tasks as prompts; that table stands in a folder of the model's own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute

from headproof.checks.files import write_atomic
from headproof.checks.report import versions
from headproof.checks.trained import committed
from headproof.checks.trained.models import find_model, load_model, require_device
from headproof.checks.trained.multihop import checkpoints
from headproof.checks.trained.multihop import prompts as asked_prompts
from headproof.checks.trained.multihop.length import (
    BASELINES_TABLE,
    LENGTHS_TABLE,
    REACHES_TABLE,
    accuracy_at,
    baselines_at,
    reaches_of,
)
from headproof.checks.trained.multihop.results import folder_of, measured
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tables import TABLES
from headproof.checks.trained.multihop.training import train
from headproof.checks.trained.rows import described
from headproof.checks.trained.threads import threads
from headproof.theory.errors import InputError

FOLDER = committed.FOLDER / "multihop"
WEIGHTS = "model.safetensors"
SMALL_SEEDS = (0, 1, 2)


def dense(task: str, size: str, seed: int = 0, steps: int | None = None) -> Run:
    """A run with checkpoints `EVERY` so many steps besides where its hop classes are learned, which is within few of
    the usual ones."""
    plain = Run(task, size, seed, steps)
    first, until, every = EVERY[size]
    return replace(plain, checkpoints=tuple(sorted({*plain.kept, *range(first, until + 1, every)})))


# By size: from which step to which, and how often.
EVERY = {"full": (400, 2000, 50), "small": (150, 900, 25)}
# A task's runs, the full one first. The number task is given longer.
RUNS: Mapping[str, tuple[Run, ...]] = {
    "letter": (dense("letter", "full"), *(dense("letter", "small", seed) for seed in SMALL_SEEDS)),
    "number": (
        dense("number", "full", steps=9000),
        *(dense("number", "small", seed) for seed in SMALL_SEEDS),
    ),
}
KEPT: Mapping[str, Mapping[str, str]] = {
    **TABLES,
    "lengths": LENGTHS_TABLE,
    "baselines": BASELINES_TABLE,
    "reaches": REACHES_TABLE,
}
# Where the null and the variants of letter sequences are asked too, and at the length of training.
CHECKED = (100, 850)
DECIMALS = 5
# Any fixed number would do; it is part of what the weights depend on.
THREADS = 1
# Of prompts to real models: the table's name, and `--model default`.
PROMPTS, DEFAULT = "prompts", "default"


def within(length: int) -> float:
    """To how much to either side the accuracy of a hop class is told at a length: a long one takes its time."""
    return 0.05 if length <= 100 else 0.1


@dataclass(frozen=True)
class Remade:
    """What was made anew, by name."""

    name: str


def read(task: str, root: Path = FOLDER) -> dict[str, pa.Table] | None:
    """The committed tables of a task's runs by name; None if there are none. Raises InputError for damaged ones."""
    return committed.read(root / task, KEPT, "multihop")


def model_of(task: str, root: Path = FOLDER, attention: str = "sdpa") -> checkpoints.Loaded:
    """The committed model of a task. Raises InputError for an unknown task, and a missing or damaged file."""
    if task not in RUNS:
        raise InputError(f"unknown task {task!r:.60}", f"known: {', '.join(RUNS)}")
    chosen = RUNS[task][0]
    return checkpoints.load_file(root / task / WEIGHTS, chosen, chosen.total, attention=attention)


def remeasure(
    spec: str | None, device: str, progress: Callable[[str, int, int], None], message: Callable[[str], None], root: Path
) -> tuple[Remade, list[Path]]:
    """Train all runs and measure them; what was interrupted goes on. Writes below `root`.

    With a model's file, or DEFAULT for the installed one, that model is asked the prompts instead. Raises InputError
    for a model that is not one of those committed.
    """
    if spec is not None:
        return _remeasure_prompts(spec, device, progress, message, root)
    require_device(device)
    written: list[Path] = []
    with threads(THREADS):
        for runs in RUNS.values():
            folders = []
            for run in runs:
                folder = folder_of(run, device)
                message(f"{run.name}: {run.total} steps; kept in {folder}")
                folders.append(train(run, folder, device, progress))
            written += write(runs, folders, device, root, progress)
    return Remade("multihop models"), written


def write(
    runs: Sequence[Run],
    folders: Sequence[Path],
    device: str,
    root: Path,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[Path]:
    """Measure a task's runs and write their tables, and the first one's last weights, below `root`; returns paths."""
    tables = measured(folders, device, progress)
    sequences = described(tables["steps"])["sequences"]
    tables |= lengths_of_runs(runs, folders, device, progress)
    sizes = {run.size: run.vocabulary.letters for run in runs}
    heads = tables["heads"]
    parts = [reaches_of(heads.filter(pa.compute.equal(heads["size"], size)), many) for size, many in sizes.items()]
    tables["reaches"] = pa.concat_tables(parts)
    kept = {name: committed.rounded(table, table.column_names, DECIMALS) for name, table in tables.items()}
    full = runs[0]
    weights = checkpoints.weights_path(folders[0], full.total).read_bytes()
    facts: dict[str, Any] = {
        "command": "headproof remeasure multihop",
        "versions": versions(),
        "device": device,
        "dtype": "float32, weights kept as float16",
        "threads": THREADS,
        "runs": [run.to_json() for run in runs],
        "model": {"name": f"multihop {full.task} model", "sha256": hashlib.sha256(weights).hexdigest()},
        "sequences": sequences,
    }
    paths = committed.write(kept, facts, root / full.task)
    write_atomic(root / full.task / WEIGHTS, weights)
    return [*paths, root / full.task / WEIGHTS]


def lengths_of_runs(
    runs: Sequence[Run], folders: Sequence[Path], device: str, progress: Callable[[str, int, int], None]
) -> dict[str, pa.Table]:
    """The tables `lengths` and `baselines` of runs."""
    found = [
        accuracy_at(folder, within=within, device=device, progress=progress, checked=CHECKED, keep=True)
        for folder in folders
    ]
    kinds = {run.size: run for run in runs}
    guessed = [baselines_at(run, within=within) for run in kinds.values()]
    return {"lengths": pa.concat_tables(found), "baselines": pa.concat_tables(guessed)}


# -- prompts -------------------------------------------------------------------------------------------------------


def read_prompts(model: committed.MeasuredModel, root: Path = FOLDER) -> pa.Table | None:
    """A real model's committed answers to prompts; None if there are none. Raises InputError for a damaged table."""
    tables = committed.read(root / model.slug, (PROMPTS,), "multihop")
    return None if tables is None else tables[PROMPTS]


def _remeasure_prompts(
    spec: str, device: str, progress: Callable[[str, int, int], None], message: Callable[[str], None], root: Path
) -> tuple[Remade, list[Path]]:
    source = find_model(None if spec == DEFAULT else spec)
    model = committed.known(source.sha256, source.name, "profile")
    found = asked_prompts.ask(load_model(source, device, message=message), progress=progress)
    named = DEFAULT if spec == DEFAULT else source.file
    facts = {"command": f"headproof remeasure multihop --model {named}", **found.about}
    return Remade(model.name), committed.write({PROMPTS: _rounded(found.table)}, facts, root / model.slug)


def _rounded(table: pa.Table) -> pa.Table:
    """The same columns, with their definitions, doubles rounded."""
    columns = [
        pa.compute.round(table[field.name], DECIMALS) if pa.types.is_float64(field.type) else table[field.name]
        for field in table.schema
    ]
    return pa.table(columns, schema=table.schema)
