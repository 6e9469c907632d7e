"""From pieces to tables: rows of all pieces one after the other, with the names of the models and texts they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.disentanglement.columns import TABLES, as_table
from headproof.checks.trained.disentanglement.length import Piece, outside

Columns = dict[str, np.ndarray[Any, Any]]
Tables = dict[str, Columns]
CONTEXT = "context"
_NUMBERS = ("seed", "length", "extra", "repeats", "predictions", "nll_inside")


def stored(piece: Piece) -> Tables:
    """A piece of the part `length` as arrays by name, under the table name CONTEXT."""
    columns = {name: np.array(getattr(piece, name)) for name in (*_NUMBERS, "layers", "inside")}
    columns |= {f"beyond {mode}": values for mode, values in piece.beyond.items()}
    columns |= {f"nll {mode}": np.array(value) for mode, value in piece.nll_beyond.items()}
    return {CONTEXT: columns}


def restored(columns: Mapping[str, np.ndarray[Any, Any]]) -> Piece:
    """The piece that `stored` made these arrays of."""
    modes = [name.removeprefix("beyond ") for name in columns if name.startswith("beyond ")]
    return Piece(
        **{name: columns[name].item() for name in _NUMBERS},
        layers=tuple(int(layer) for layer in columns["layers"]),
        inside=columns["inside"],
        beyond={mode: columns[f"beyond {mode}"] for mode in modes},
        nll_beyond={mode: float(columns[f"nll {mode}"]) for mode in modes},
    )


def assembled(
    parts: Iterable[tuple[str, int, str, Tables]], about: Mapping[str, Any], windows: Mapping[int, int]
) -> dict[str, pa.Table]:
    """Arrow tables by name of pieces (group, null seed, text, tables), those that have rows; `windows` are the layers'
    own, 0 for none."""
    rows: dict[str, list[Columns]] = {}
    contexts: list[tuple[str, int, Piece]] = []
    for group, seed, text, tables in parts:
        for name, columns in tables.items():
            if name == CONTEXT:
                contexts.append((group, seed, restored(columns)))
            elif columns:
                named = {} if "text" in columns else {"text": text}
                rows.setdefault(name, []).append(tagged(columns, group=group, null_seed=seed, **named))
    if contexts:
        group, seed, _ = contexts[0]
        for name, columns in zip(("outputs", "contexts"), outside([piece for *_, piece in contexts]), strict=True):
            if "layer" in columns:
                columns["window"] = np.array([windows[int(layer)] for layer in columns["layer"]])
            rows[name] = [tagged(columns, group=group, null_seed=seed)]
    return {name: as_table(name, joined(rows[name]), about) for name in TABLES if name in rows}


def tagged(columns: Columns, **tags: Any) -> Columns:
    """Columns with further ones that have one value in all rows."""
    count = len(next(iter(columns.values())))
    return {**{name: np.full(count, value) for name, value in tags.items()}, **columns}


def joined(parts: Sequence[Columns]) -> Columns:
    """Columns of several parts one after the other; none of no parts."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}
