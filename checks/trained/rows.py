"""Rows and columns of a profile's tables as numpy arrays."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from headproof.checks.trained.evidence import cube, unit_of

Columns = dict[str, np.ndarray[Any, Any]]


def columns_of(table: pa.Table) -> Columns:
    """A table's columns as numpy arrays; text as Python strings."""
    return {
        name: _text(table[name]) if _is_text(table, name) else np.asarray(table[name]) for name in table.column_names
    }


def _text(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    encoded = column.combine_chunks()
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    found: np.ndarray[Any, Any] = np.array(encoded.dictionary.to_pylist(), dtype=str)[np.asarray(encoded.indices)]
    return found


def _is_text(table: pa.Table, name: str) -> bool:
    kind = table.schema.field(name).type
    return bool(pa.types.is_dictionary(kind) or pa.types.is_string(kind))


def described(table: pa.Table) -> dict[str, Any]:
    """What a profile was made of, from a table's metadata."""
    about: dict[str, Any] = json.loads(table.schema.metadata[b"headproof"])
    return about


def shown(heads: pa.Table) -> tuple[str, float]:
    """The query and the temperature that findings about single heads, and figures, are about: the last query
    measured, the first temperature."""
    settings = described(heads)["settings"]
    measured = set(pa.compute.unique(heads["asked"]).to_pylist())
    asked = [str(query) for query in settings["queries"] if str(query) in measured]
    return asked[-1], float(settings["temperatures"][0])


def rows(columns: Columns, **wanted: Any) -> Columns:
    """The rows in which the named columns have the wanted values."""
    mask = np.ones(len(next(iter(columns.values()))), dtype=bool)
    for name, value in wanted.items():
        mask &= columns[name] == value
    return {name: values[mask] for name, values in columns.items()}


def own_and_drawn(pairs: Columns, group: str, **at: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """r of the heads `(prompts,)` and of their surrogates `(prompts, surrogates)` in rows of correlations, null seeds
    averaged; one NaN and no surrogates where there are no rows."""
    mine = rows(pairs, group=group, **at)
    if not len(mine["r"]):
        return np.full(1, np.nan), np.empty((1, 0))
    r = cube(mine, "r", ("prompt", "surrogate", "null_seed")).mean(axis=2)
    return r[:, 0], r[:, 1:]


def units_of(columns: Columns) -> list[str]:
    """The unit of each prompt among some rows, in the order of `cube`."""
    return [unit_of(str(prompt)) for prompt in np.unique(columns["prompt"])]


def scores_of(columns: Columns, name: str, **wanted: Any) -> tuple[Any, Any]:
    """A column as `(prompts, heads)`, and each head's layer."""
    mine = rows(columns, **wanted)
    values = cube(mine, name, ("prompt", "layer", "head"))
    layers = np.repeat(np.unique(mine["layer"]), values.shape[2])
    return values.reshape(len(values), -1), layers
