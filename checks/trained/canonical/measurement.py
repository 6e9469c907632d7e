"""The committed sweep: how it is trained anew, and how its tables are read back.

`headproof check` replays the tables below `checks/measured/canonical/toys/`; `headproof remeasure canonical` makes
them, and beside them the trained toys of seed 0, one safetensors file a task. With `--model` it measures the planes of
a real model, which stand in a folder of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from headproof.checks.files import write_atomic
from headproof.checks.trained import committed
from headproof.checks.trained.canonical import real_heads, results
from headproof.checks.trained.canonical.cells import Cell
from headproof.checks.trained.canonical.ensemble import NAMES
from headproof.checks.trained.canonical.grids import COMMITTED
from headproof.checks.trained.canonical.store import Store
from headproof.checks.trained.canonical.sweep import Place, run
from headproof.checks.trained.canonical.tables import TABLES
from headproof.checks.trained.canonical.toys import layer
from headproof.checks.trained.canonical.training import Trained
from headproof.checks.trained.committed import MeasuredModel
from headproof.checks.trained.corpus import corpus
from headproof.checks.trained.rows import described
from headproof.constructions.transformers import Transformer
from headproof.theory.errors import InputError

FOLDER = committed.FOLDER / "canonical"
SLUG, KEPT_SEED = "toys", 0
# Of the planes of real models: texts of the corpus, tokens of each, seeds of the nulls; `--model default`.
PLANES, TEXTS, TOKENS, NULL_SEEDS, DEFAULT = "planes", 4, 256, (0, 1, 2, 3), "default"
DECIMALS = 5
TOYS = MeasuredModel(
    SLUG,
    "one-layer toys",
    hashlib.sha256(json.dumps(COMMITTED.description(), sort_keys=True).encode()).hexdigest(),
    "headproof remeasure canonical",
)


def read(root: Path = FOLDER) -> dict[str, pa.Table] | None:
    """The committed tables by name; None if there are none. Raises InputError for damaged ones."""
    return committed.read(root / SLUG, TABLES, "canonical")


def require(root: Path = FOLDER) -> dict[str, pa.Table]:
    """As `read`, for those who have nothing to show without: raises InputError if there are no tables, too."""
    tables = read(root)
    if tables is None:
        raise InputError("no sweep of toys is committed", f"run {TOYS.obtained}")
    return tables


def toys(task: str, root: Path = FOLDER) -> dict[Cell, Transformer]:
    """The kept toys of a task by cell. Raises InputError for a file that is missing or damaged."""
    path = root / SLUG / f"{task}.safetensors"
    try:
        with safe_open(path, framework="numpy") as stored:
            cells = {name: Cell.from_json(json.loads(text)) for name, text in (stored.metadata() or {}).items()}
            return {
                cell: layer(cell, {each: stored.get_tensor(f"{name}.{each}") for each in NAMES})
                for name, cell in cells.items()
            }
    except (OSError, KeyError, ValueError, SafetensorError) as error:
        raise InputError(f"cannot read the toys {path}: {error}", "restore it, or remeasure canonical") from error


def read_planes(model: MeasuredModel, root: Path = FOLDER) -> pa.Table | None:
    """The committed planes of a real model; None if there are none. Raises InputError for a damaged table."""
    tables = committed.read(root / model.slug, (PLANES,), "canonical")
    return None if tables is None else tables[PLANES]


def remeasure(
    spec: str | None, device: str, progress: Callable[[str, int, int], None], message: Callable[[str], None], root: Path
) -> tuple[MeasuredModel, list[Path]]:
    """Train the committed sweep; or, with a model's file, or DEFAULT for the installed one, measure its planes.

    Writes tables below `root`; finished toys and pieces are taken up again. Raises InputError for a model that is not
    one of MODELS.
    """
    from headproof.checks.trained.models import find_model, load_model

    if spec is None:
        folder = results.folder_of(COMMITTED, device)
        message(f"toys to train: {len(COMMITTED.cells())}, and those that fail again; kept in {folder}")
        with results.locked(folder):
            trained = run(COMMITTED, Store.open(folder, COMMITTED.description()), Place(device), progress)
        return TOYS, write(trained, device, root, progress)
    source = find_model(None if spec == DEFAULT else spec)
    model = committed.known(source.sha256, source.name, "train")
    loaded = load_model(source, device, message=message)
    found = real_heads.measure(loaded, corpus()[:TEXTS], TOKENS, NULL_SEEDS, progress)
    named = DEFAULT if spec == DEFAULT else source.file
    facts = {"command": f"headproof remeasure canonical --model {named}", **described(found)}
    tables = {PLANES: committed.rounded(found, found.column_names, DECIMALS)}
    return model, committed.write(tables, facts, root / model.slug)


def write(
    trained: Sequence[Trained], device: str, root: Path, progress: Callable[[str, int, int], None] = lambda *_: None
) -> list[Path]:
    """Write the tables of the committed sweep and the toys that are kept; returns their paths."""
    found = results.results(trained, COMMITTED, progress)
    tables = {name: committed.rounded(table, table.column_names, DECIMALS) for name, table in found.tables.items()}
    facts: dict[str, Any] = {
        "command": "headproof remeasure canonical",
        "versions": found.summary["versions"],
        "device": device,
        "dtype": "float32",
        "sweep": COMMITTED.description(),
    }
    return [*committed.write(tables, facts, root / SLUG), *_keep(trained, root / SLUG)]


def _keep(trained: Sequence[Trained], folder: Path) -> list[Path]:
    """One file a task with the toys of one seed that were trained once, at the longer length."""
    length, written = max(COMMITTED.lengths), []
    for task in COMMITTED.angles:
        chosen = [
            each
            for each in trained
            if (each.cell.task, each.cell.length, each.cell.seed, each.cell.answers, COMMITTED.round_of(each.cell))
            == (task, length, KEPT_SEED, "true", 1)
        ]
        arrays = {
            f"{each.cell.name}.{name}": np.ascontiguousarray(values)
            for each in chosen
            for name, values in each.parameters.items()
        }
        cells = {each.cell.name: json.dumps(each.cell.to_json(), sort_keys=True) for each in chosen}
        path = folder / f"{task}.safetensors"
        write_atomic(path, save(arrays, metadata=cells))
        written.append(path)
    return written
