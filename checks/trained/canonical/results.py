"""What a sweep found: its tables, and a summary with one row an angle set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from filelock import Timeout

from headproof import __version__
from headproof.checks.files import cache_folder, cache_lock
from headproof.checks.report import versions
from headproof.checks.trained.canonical import tables as made
from headproof.checks.trained.canonical.shape import shape_of
from headproof.checks.trained.canonical.store import training_code
from headproof.checks.trained.canonical.sweep import SOLVED, Sweep
from headproof.checks.trained.canonical.training import EACH, Trained
from headproof.checks.trained.evidence import holm
from headproof.checks.trained.rows import Columns, columns_of, rows
from headproof.checks.trained.writing import plain
from headproof.theory.errors import InputError

TABLES = made.TABLES
LEVEL = 0.05
ROW = {
    "angles": "an angle set, as in the table cells",
    "repeat": "least distance of t times all angles to whole turns over distances t between keys, radians; 0 exactly",
    "repeat_at": "the distance t at which that is reached",
    "feasible": "whether theory has a head over these angles that computes the task: yes, no or open",
    "feasible_by": "the claim that says so; empty where open",
    "ceiling": "the largest accuracy of any head over these angles, where a theorem gives it (Index), else null",
    "seeds": "seeds trained",
    "solved": f"seeds whose best round answers {SOLVED} of held-out inputs or more",
    "least": "accuracy at the best round, least seed",
    "greatest": "the same, greatest seed",
    "first": "accuracy after the first round, mean over seeds",
    "untrained": "accuracy before training, mean over seeds",
    "shuffled": "accuracy of the toys with shuffled answers, mean over null seeds; null without null seeds",
    "shape": "of accuracy against the answer's place, first round: U, inverted U, empty for neither, or - where there "
    "are too few seeds or places to tell",
}
SETTINGS = {
    "angles": "the angle sets of each task, radians per position, exact",
    "seeds": "seeds of inputs and initial weights",
    "lengths": "tokens of an input, the query counted",
    "null_seeds": "seeds of the toys whose answers are dealt out at random",
    "again": "whether failed toys are trained again, at four times the steps and two widths",
    "symbols": "size of the alphabet; null: 8, and of Retrieval one symbol a key",
    "attributes": "answers of Retrieval and partial induction",
    "planes": "rotary planes of the head",
    "width": "coordinates of an embedding",
    "steps": "steps of the first round",
    "batch": "inputs a step",
    "rate": "Adam's learning rate at the first step; it falls to 0 as a cosine",
}
NOTES = (
    f"accuracy and ceiling: over {EACH} held-out inputs a place, so give or take 1 / sqrt({EACH} x places) at most.",
    f"solved: {SOLVED} of held-out inputs or more, in any round; accuracy: seeds' least and largest, each at its best.",
    "repeats within: how nearly the angles repeat, the least distance of t times all of them to whole turns.",
    "theory: yes, some head over these angles computes the task, of whatever width; no, none does; open, neither is",
    "  known (with one angle, none that copies: dec.toy.retrieval.within, dec.toy.induction.exact).",
    "shape: of accuracy against the answer's place, first round, by t tests over seeds, corrected (Holm); - untested.",
    "ceiling: the accuracy that no head over repeating angles exceeds (Index); shuffled: toys with shuffled answers.",
)


@dataclass(frozen=True, eq=False)
class Results:
    """Tables by name, and a summary that JSON can hold."""

    tables: dict[str, pa.Table]
    summary: dict[str, Any]


def results(
    trained: Sequence[Trained],
    sweep: Sweep,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    command: str = "headproof train",
) -> Results:
    """Tables and summary of a finished sweep; `command` is what made it, for the record."""
    tables = made.tables(trained, sweep, progress)
    cells, places = (columns_of(tables[name]) for name in ("cells", "places"))
    about = {
        "command": command,
        "sweep": sweep.description(),
        "headproof": __version__,
        "versions": versions(),
        "held-out inputs a place": EACH,
        "training code": training_code(),
    }
    tasks = [
        {"task": task, "length": length, "rows": summarised(cells, places, task, length)}
        for task in sweep.angles
        for length in sweep.lengths
    ]
    stamped = {name: table.replace_schema_metadata({"headproof": json.dumps(about)}) for name, table in tables.items()}
    definitions = {"sweep": SETTINGS, "rows": ROW}
    return Results(stamped, plain({**about, "tasks": tasks, "definitions": definitions, "notes": list(NOTES)}))


def summarised(cells: Columns, places: Columns, task: str, length: int) -> list[dict[str, Any]]:
    """One row an angle set of a task and length, true answers."""
    mine = rows(cells, task=task, length=length, answers="true")
    null = rows(cells, task=task, length=length, answers="shuffled")
    first = rows(mine, round=1)
    sets = list(dict.fromkeys(first["angles"].tolist()))
    shapes = shape_words({each: curves_of(places, rows(first, angles=each)["name"]) for each in sets})
    found = []
    for each in sets:
        held = rows(mine, angles=each)
        best = best_by_seed(held)
        one = {name: values[0] for name, values in rows(first, angles=each).items()}
        found.append(
            {
                "angles": each,
                "repeat": one["repeat"],
                "repeat_at": one["repeat_at"],
                "feasible": one["feasible"],
                "feasible_by": one["feasible_by"],
                "ceiling": one["ceiling"],
                "seeds": len(best),
                "solved": int((best >= SOLVED).sum()),
                "least": best.min(),
                "greatest": best.max(),
                "first": rows(first, angles=each)["accuracy"].mean(),
                "untrained": rows(first, angles=each)["untrained"].mean(),
                "shuffled": of_null.mean() if len(of_null := rows(null, angles=each)["accuracy"]) else None,
                "shape": shapes[each],
            }
        )
    return found


def best_by_seed(held: Columns) -> np.ndarray[Any, Any]:
    """The best accuracy of each seed over its rounds."""
    return np.array([held["accuracy"][held["seed"] == seed].max() for seed in np.unique(held["seed"])])


def curves_of(places: Columns, names: Iterable[str], value: str = "accuracy") -> np.ndarray[Any, Any]:
    """A column of some cells by place, `(cell, T)`."""
    return np.array([places[value][places["name"] == name] for name in names])


def shape_words(curves: dict[str, np.ndarray[Any, Any]]) -> dict[str, str]:
    """ "U", "inverted U" or "" for each curve set, all corrected as one family; "-" where 2 seeds and 4 places lack."""
    asked = [name for name, held in curves.items() if held.shape[0] >= 2 and held.shape[1] >= 4]
    shapes = [shape_of(curves[name]) for name in asked]
    p = holm(np.array([each.u for each in shapes] + [each.inverted for each in shapes], dtype=float))
    words = dict.fromkeys(curves, "-")
    for at, name in enumerate(asked):
        words[name] = "U" if p[at] < LEVEL else "inverted U" if p[at + len(asked)] < LEVEL else ""
    return words


def folder_of(sweep: Sweep, device: str) -> Path:
    """Where a sweep's cells are kept if no folder is named."""
    text = json.dumps([sweep.description(), device, training_code()], sort_keys=True)
    return cache_folder("toys") / hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One run at a time in a folder. Raises InputError if another one is at work there."""
    name = f"toys-{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}"
    try:
        with cache_lock(name, timeout=0):
            yield
    except Timeout as error:
        raise InputError(f"another run is at work in {folder}", "wait for it, or give another folder") from error
