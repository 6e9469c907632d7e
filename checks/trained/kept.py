"""Pieces of a measurement that are kept in the cache as they are finished, so that an interrupted one goes on."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa
import pyarrow.feather

from headproof.checks.files import building, cache_folder, cache_lock, replacing
from headproof.checks.report import versions
from headproof.checks.trained.models import Model

Columns = dict[str, np.ndarray[Any, Any]]
KIND = "measurements"


def place_of(kind: str, model: Model, parts: Any, code: Iterable[str]) -> Path | None:
    """Where a piece is kept, named by all that it depends on: the model's file, precision and device, `parts` (what
    JSON writes), library versions, and the code in the folders `code`. None for a model that stands in no file."""
    if not model.source.sha256:
        return None
    where = f"{next(model.model.parameters()).dtype} {model.device.type}"
    return cache_folder(KIND) / f"{_name(kind, [model.source.sha256, where, parts], code)}.npz"


def _name(kind: str, named: Sequence[Any], code: Iterable[str]) -> str:
    """A piece's name: its kind, and a digest of all that it depends on."""
    text = json.dumps([*named, versions(), _digest(tuple(code))], default=str)
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


@cache
def _digest(folders: tuple[str, ...]) -> str:
    """A digest of the code that a measurement runs through."""
    import headproof

    floor = Path(headproof.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(file for folder in folders for file in floor.glob(f"{folder}/*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def keep(path: Path, tables: Mapping[str, Columns]) -> None:
    """Keep a piece: columns by table."""
    arrays: dict[str, Any] = {}
    for table, columns in tables.items():
        arrays |= {f"{table} {name}": values for name, values in columns.items()}
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)


def take_up(path: Path, names: Iterable[str] = ()) -> dict[str, Columns] | None:
    """A kept piece, with empty tables of `names` that have no column; None where there is none, or a damaged one, which
    is then measured anew."""
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            parts: dict[str, Columns] = {table: {} for table in names}
            for key in stored.files:
                table, _, name = key.partition(" ")
                parts.setdefault(table, {})[name] = stored[key]
        return parts
    except (OSError, ValueError, KeyError, TypeError, BadZipFile):
        return None


def tables(
    kind: str, named: Sequence[Any], code: Iterable[str], make: Callable[[], dict[str, pa.Table]]
) -> dict[str, pa.Table]:
    """The tables that `make` measures, or the same as they were kept, with their metadata.

    `named` (what JSON writes) is all that they depend on besides library versions and the code in the folders `code`.
    Damaged ones are measured anew.
    """
    name = _name(kind, named, code)
    folder = cache_folder(KIND) / name
    with cache_lock(name):
        if folder.is_dir():
            try:
                return {path.stem: pa.feather.read_table(path) for path in sorted(folder.glob("*.feather"))}
            except (OSError, pa.ArrowException):
                shutil.rmtree(folder)
        found = make()
        with building(KIND, name) as made:
            for table, rows in found.items():
                pa.feather.write_feather(rows, made / f"{table}.feather", compression="zstd")
    return found
