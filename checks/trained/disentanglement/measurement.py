"""The committed measurement of this topic: its plan, how it is made anew, and how it is read back.

`headproof check` replays the tables below `checks/measured/disentanglement/`, and every verdict is computed from them;
`headproof remeasure disentanglement` makes them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute

from headproof.checks.trained import committed
from headproof.checks.trained.committed import MODELS, MeasuredModel
from headproof.checks.trained.disentanglement.columns import TABLES
from headproof.checks.trained.disentanglement.generalize import Plan, generalize

__all__ = ["FOLDER", "MODELS", "PLAN", "folder_of", "read", "remeasure"]

FOLDER = committed.FOLDER / "disentanglement"
PLAN = Plan(null_seeds=(0, 1, 2))
# Decimals kept: the model's own float32 rounding moves the fifth.
DECIMALS = 5
# Planes are many: those of one text are kept.
PLANES_OF = 1


def folder_of(model: MeasuredModel, root: Path = FOLDER) -> Path:
    """Where the measurement of a model stands."""
    return root / model.slug


def read(model: MeasuredModel, root: Path = FOLDER) -> dict[str, pa.Table] | None:
    """The committed tables of a model by name; None if there are none. Raises InputError for damaged ones."""
    return committed.read(folder_of(model, root), TABLES, "disentanglement")


def remeasure(
    spec: str | None, device: str, progress: Callable[[str, int, int], None], message: Callable[[str], None], root: Path
) -> tuple[MeasuredModel, list[Path]]:
    """Measure a model by the plan, and write its tables below `root`; an interrupted run is taken up again.

    Raises InputError for a model that is not one of MODELS.
    """
    from headproof.checks.trained.models import find_model, load_model

    source = find_model(spec)
    model = committed.known(source.sha256, source.name, "generalize")
    found = generalize(load_model(source, device, message=message), PLAN, progress)
    tables = {name: _compact(name, table) for name, table in found.tables.items()}
    facts: dict[str, Any] = found.about | {
        "command": "headproof remeasure disentanglement" + (f" --model {source.file}" if spec else "")
    }
    return model, committed.write(tables, facts, folder_of(model, root))


def _compact(name: str, table: pa.Table) -> pa.Table:
    if name == "planes":
        texts = pa.array(sorted(set(table["text"].to_pylist()))[:PLANES_OF])
        table = table.filter(pa.compute.is_in(table["text"].cast(pa.string()), texts))
    return committed.rounded(table, table.column_names, DECIMALS)
