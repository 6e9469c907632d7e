"""The results of a sweep as tidy tables: cells, places of the answer, heads and premises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from headproof.checks.trained.canonical.feasibility import feasibility
from headproof.checks.trained.canonical.mechanism_row import HEAD, PREMISE, mechanism
from headproof.checks.trained.canonical.sweep import Sweep
from headproof.checks.trained.canonical.training import Trained
from headproof.theory.canonical import ceiling, nearest_repeat

CELL: Mapping[str, str] = {
    "name": "short name, the same for no two cells",
    "task": "index, retrieval or induction",
    "angles": "the allowed angles, exact, in radians per position, with & between",
    "angle": "the largest of them as a number",
    "sets": "number of angles",
    "length": "tokens of an input, the query counted",
    "seed": "seed of inputs and initial weights",
    "answers": "true, or shuffled: the null whose answers are dealt out at random",
    "round": "1: first training; 2: a failed cell at four times the steps; 3: the same at twice the width",
    "steps": "training steps",
    "width": "coordinates of an embedding",
    "planes": "rotary planes of the head",
    "accuracy": "share of held-out inputs answered rightly, mean over places",
    "untrained": "the same before training",
    "loss": "cross-entropy at the end of training, nats",
    "repeat": "least distance of t times all angles to whole numbers of turns over distances t between keys, radians",
    "repeat_at": "the distance t at which that is reached",
    "feasible": "whether theory has a head over these angles that computes the task: yes, no or open",
    "feasible_by": "the claim that says so",
    "ceiling": "the largest accuracy of any head over these angles, where a theorem gives it (Index)",
}
PLACE: Mapping[str, str] = {
    "name": "short name of the cell",
    "place": "place of the answer, from 1",
    "accuracy": "share of held-out inputs with the answer there that are answered rightly",
    "untrained": "the same before training",
    "weight": "mean attention weight on the target there",
    "construction": "H_POS's weight on the target there, at the head's own amplitude (Index)",
}
TABLES: Mapping[str, Mapping[str, str]] = {"cells": CELL, "places": PLACE, "heads": HEAD, "premises": PREMISE}


def tables(
    trained: Sequence[Trained], sweep: Sweep, progress: Callable[[str, int, int], None] = lambda *_: None
) -> dict[str, pa.Table]:
    """All tables of a finished sweep."""
    cells, places, heads, audited = [], [], [], []
    for done, each in enumerate(trained):
        progress("looking at heads", done, len(trained))
        found, premises, weights = mechanism(each)
        heads += found
        audited += premises
        cells.append(_cell_row(each, sweep))
        for place in range(each.cell.keys):
            places.append(
                {
                    "name": each.cell.name,
                    "place": place + 1,
                    "accuracy": float(each.accuracy[place]),
                    "untrained": float(each.untrained[place]),
                    **{name: float(values[place]) for name, values in weights.items()},
                }
            )
    progress("looking at heads", len(trained), len(trained))
    rows = {"cells": cells, "places": places, "heads": heads, "premises": audited}
    return {name: _table(rows[name], definitions) for name, definitions in TABLES.items()}


def _cell_row(trained: Trained, sweep: Sweep) -> dict[str, Any]:
    cell = trained.cell
    repeat, at = nearest_repeat(cell.radians, cell.keys - 1)
    if all((angle * at).is_multiple_of_full_turn for angle in cell.exact_angles):
        repeat = 0.0  # exactly, whatever floats say
    feasible, by = feasibility(cell)
    highest = float(ceiling(cell.exact_angles, cell.keys, cell.letters)) if cell.task == "index" else None
    return {
        "name": cell.name,
        "task": cell.task,
        "angles": cell.angle_set,
        "angle": max(map(abs, cell.radians)),
        "sets": len(cell.angles),
        "length": cell.length,
        "seed": cell.seed,
        "answers": cell.answers,
        "round": sweep.round_of(cell),
        "steps": cell.steps,
        "width": cell.width,
        "planes": cell.planes,
        "accuracy": trained.mean_accuracy,
        "untrained": float(trained.untrained.mean()),
        "loss": float(trained.losses[-1]),
        "repeat": repeat,
        "repeat_at": at,
        "feasible": feasible,
        "feasible_by": by,
        "ceiling": highest,
    }


def _table(rows: Sequence[Mapping[str, Any]], definitions: Mapping[str, str]) -> pa.Table:
    whole = {"sets", "length", "seed", "round", "steps", "width", "planes", "repeat_at", "place"}
    given = {"angle", "repeat", "ceiling"}  # by the grid, not measured
    text = {"name", "task", "angles", "answers", "feasible", "feasible_by", "state", "theorem", "premise"}
    fields = [
        pa.field(
            name,
            pa.int32()
            if name in whole
            else pa.string()
            if name in text
            else pa.float64()
            if name in given
            else pa.float32(),
            metadata={"definition": meaning},
        )
        for name, meaning in definitions.items()
    ]
    # What a table does not know is absent, never NaN: CSV files tell the two apart.
    columns = [pa.array([row.get(field.name) for row in rows], field.type, from_pandas=True) for field in fields]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))
