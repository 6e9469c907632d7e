"""A profile as files: tidy tables as Parquet and CSV, and a JSON summary; whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from headproof.checks.files import output_folder, replacing, require_writable
from headproof.checks.trained.scores.profile import TABLES, Profile

SUMMARY = "summary.json"


def targets(out: Path) -> list[Path]:
    """The files that a profile is written to, in `out`."""
    return [*(out / f"{name}.{kind}" for name in TABLES for kind in ("parquet", "csv")), out / SUMMARY]


def require_room(out: Path, others: Sequence[Path] = ()) -> None:
    """Raise InputError now if a profile, and other files, could not be written to the folder `out` later."""
    output_folder(out)
    for path in (*targets(out), *others):
        require_writable(path)


def write(profile: Profile, summary: dict[str, Any], out: Path) -> list[Path]:
    """Write tables and summary into `out`; returns the paths. Raises InputError if they cannot be written.

    Parquet files carry `about` as metadata `headproof` and a definition with each column; CSV files have none, so the
    summary holds both under `about` and `columns`.
    """
    output_folder(out)
    paths = targets(out)
    with ExitStack() as stack:
        temporary = {path: stack.enter_context(replacing(path)) for path in paths}
        for name in TABLES:
            table = getattr(profile, name)
            pa.parquet.write_table(table, temporary[out / f"{name}.parquet"], compression="zstd")
            pa.csv.write_csv(as_text(table), temporary[out / f"{name}.csv"])
        whole = {**summary, "columns": TABLES}
        temporary[out / SUMMARY].write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return paths


def as_text(table: pa.Table) -> pa.Table:
    """The table with dictionary columns as plain text, for formats that have no dictionaries."""
    fields = [
        pa.field(field.name, pa.string()) if pa.types.is_dictionary(field.type) else field.remove_metadata()
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
