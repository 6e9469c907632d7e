"""Measurements as files: tidy tables as Parquet and CSV, and a JSON summary; whole or not at all."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from headproof.checks.files import output_folder, replacing, require_writable
from headproof.theory.errors import InputError

SUMMARY = "summary.json"


def targets(names: Iterable[str], out: Path) -> list[Path]:
    """The files that tables of these names and their summary are written to, in `out`."""
    return [*(out / f"{name}.{kind}" for name in names for kind in ("parquet", "csv")), out / SUMMARY]


def require_room(paths: Sequence[Path], out: Path, tables: Iterable[str]) -> None:
    """Raise InputError now if files could not be written to the folder `out` later, and if they would take the place of
    another command's: its summary tells other tables than these."""
    output_folder(out)
    _require_own(out / SUMMARY, set(tables))
    for path in paths:
        require_writable(path)


def _require_own(summary: Path, tables: set[str]) -> None:
    try:
        held = set(json.loads(summary.read_text("utf-8"))["columns"])
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{summary} is not of this command", "give another folder") from error
    if not held <= tables:
        raise InputError(f"{summary} is another command's, with {', '.join(sorted(held))}", "give another folder")


def write(
    tables: Mapping[str, pa.Table], definitions: Mapping[str, Any], summary: Mapping[str, Any], out: Path
) -> list[Path]:
    """Write tables and summary into `out`; returns the paths. Raises InputError if they cannot be written.

    Parquet files carry what made them as metadata `headproof` and a definition with each column; CSV files have
    neither, so the summary holds the `definitions` under `columns`.
    """
    output_folder(out)
    paths = targets(tables, out)
    with ExitStack() as stack:
        temporary = {path: stack.enter_context(replacing(path)) for path in paths}
        for name, table in tables.items():
            pa.parquet.write_table(table, temporary[out / f"{name}.parquet"], compression="zstd")
            pa.csv.write_csv(as_text(table), temporary[out / f"{name}.csv"])
        whole = {**summary, "columns": {name: definitions[name] for name in tables}}
        temporary[out / SUMMARY].write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return paths


def as_text(table: pa.Table) -> pa.Table:
    """The table with dictionary columns as plain text, for formats that have no dictionaries."""
    fields = [
        pa.field(field.name, pa.string()) if pa.types.is_dictionary(field.type) else field.remove_metadata()
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def plain(value: Any) -> Any:
    """Data that JSON can hold: numpy numbers as Python's, NaN as None, infinity as a word."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
