"""Where a sweep keeps its cells: a folder with the sweep's own description and one safetensors file a finished cell.

A file appears whole or not at all, so an interrupted sweep loses nothing that was finished. A folder that holds another
sweep is refused: its cells would be taken for this one's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from headproof.checks.files import output_folder, write_atomic
from headproof.checks.trained.canonical.cells import AND, Cell
from headproof.checks.trained.canonical.ensemble import NAMES, shapes
from headproof.checks.trained.canonical.training import Trained
from headproof.theory.errors import InputError

DESCRIPTION, CELLS = "sweep.json", "cells"
CURVES = ("accuracy", "untrained", "losses")


def training_code() -> str:
    """A digest of the code that a toy's weights depend on."""
    digest = hashlib.sha256()
    for name in ("cells", "ensemble", "sampling", "training"):
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


def packed(trained: Trained) -> bytes:
    """A trained toy as the bytes of a safetensors file, with its cell in the metadata."""
    arrays = {name: np.ascontiguousarray(values, dtype=np.float32) for name, values in trained.parameters.items()}
    curves = {name: np.ascontiguousarray(getattr(trained, name), dtype=np.float32) for name in CURVES}
    held = {**arrays, **curves}
    about = {"cell": trained.cell.to_json(), "sha256": digest_of(held)}
    # In one entry: safetensors writes several in any order, and files of one toy would differ.
    return save(held, metadata={"toy": json.dumps(about, sort_keys=True)})


def digest_of(arrays: Mapping[str, np.ndarray[Any, Any]]) -> str:
    """Of the numbers themselves: a file with a flipped bit is one that can be read."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def read_cell(path: Path) -> Trained:
    """A trained toy from its file. Raises InputError for a file that is damaged or no toy, naming it."""
    try:
        with safe_open(path, framework="numpy") as stored:
            about = json.loads((stored.metadata() or {})["toy"])
            cell = Cell.from_json(about["cell"])
            found = {name: stored.get_tensor(name) for name in (*NAMES, *CURVES)}
            if digest_of(found) != about["sha256"]:
                raise InputError("its numbers are not those that were written")
    except (OSError, KeyError, TypeError, ValueError, SafetensorError, InputError) as error:
        raise InputError(f"cannot read the toy {path}: {error}", "delete the file; it is then trained again") from error
    wanted = {**shapes(cell), "accuracy": (cell.keys,), "untrained": (cell.keys,)}
    if wrong := [name for name, shape in wanted.items() if found[name].shape != shape]:
        raise InputError(
            f"cannot read the toy {path}: {wrong[0]} has the shape {found[wrong[0]].shape}, not {wanted[wrong[0]]}",
            "delete the file; it is then trained again",
        )
    return Trained(cell, {name: found[name] for name in NAMES}, *(found[name].astype(float) for name in CURVES))


@dataclass(frozen=True)
class Store:
    """A sweep's folder."""

    folder: Path

    @classmethod
    def open(cls, folder: Path, description: dict[str, Any], fresh: bool = False) -> Store:
        """The folder of a sweep, made if absent; with `fresh` its finished cells are deleted.

        Raises InputError if it holds another sweep's toys, naming what differs, and without `fresh` if other code
        trained them. A folder without toys is free for any sweep.
        """
        output_folder(folder)
        path, wanted = folder / DESCRIPTION, {"sweep": description, "training code": training_code()}
        if any((cells := folder / CELLS).glob("*.safetensors")):
            if not path.exists():
                raise InputError(f"{cells} holds toys of no known sweep", "give another folder, or delete all of it")
            _require_same(path, wanted, fresh)
        if fresh:  # before the description: interrupted here, toys of other code must not stand below this one's
            for cell in cells.glob("*.safetensors"):
                cell.unlink()
        write_atomic(path, json.dumps(wanted, indent=1) + "\n")
        return cls(folder)

    def path(self, cell: Cell) -> Path:
        """Where a cell stands."""
        return self.folder / CELLS / f"{cell.digest}.safetensors"

    def keep(self, data: bytes, cell: Cell) -> None:
        """Keep a finished cell."""
        write_atomic(self.path(cell), data)

    def missing(self, cells: Iterable[Cell]) -> list[Cell]:
        """The cells that are not finished, those among them whose file is damaged."""
        return [cell for cell in cells if not self._held(cell)]

    def _held(self, cell: Cell) -> bool:
        try:
            return self.path(cell).is_file() and read_cell(self.path(cell)).cell == cell
        except InputError:
            return False

    def read(self, cell: Cell) -> Trained:
        """A finished cell. Raises InputError for a damaged file, and one that holds another cell."""
        found = read_cell(self.path(cell))
        if found.cell != cell:
            raise InputError(f"{self.path(cell)} holds the toy {found.cell.name}, not {cell.name}", "delete it")
        return found


def _require_same(path: Path, wanted: dict[str, Any], fresh: bool) -> None:
    """Refuse a description of another sweep, or of toys that were trained by other code unless they go anyhow."""
    remedy = "give another folder, or the sweep that it was made by"
    try:
        held = json.loads(path.read_text("utf-8"))
        sweep = held["sweep"]
        names = [name for name in {**sweep, **wanted["sweep"]} if sweep.get(name) != wanted["sweep"].get(name)]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "give another folder") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is damaged, or not of a sweep", "give another folder, or delete all of it") from error
    if names:
        told = "; ".join(_differing(name, sweep.get(name), wanted["sweep"].get(name)) for name in names[:2])
        more = "" if len(names) <= 2 else f"; and {len(names) - 2} more"
        raise InputError(f"{path.parent} holds the results of another sweep: {told}{more}", remedy)
    if held != wanted and not fresh:
        raise InputError(f"{path.parent} holds toys that were trained by other code", "give another folder, or --fresh")


def _differing(name: str, there: Any, here: Any) -> str:
    """How a setting differs, in short: of lists and tables what one of both alone has."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        one, other = (
            [f"{key} {AND.join(each) if isinstance(each, list) else each}" for key in held for each in held[key]]
            for held in (there, here)
        )
        gone, added = (
            ", ".join(each for each in mine if each not in others) for mine, others in ((one, other), (other, one))
        )
        if gone or added:
            return f"{name} {gone or 'nothing':.60}, here {added or 'nothing':.60} instead"
    return f"{name} {there!r:.60}, here {here!r:.60}"
