"""Figure `canonical`: which angles learn which task, and where in the context toys that fail still answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure

LENGTH = 32
NAMES = {"index": "Index", "retrieval": "Retrieval", "induction": "partial induction"}
# Angle sets whose accuracy is drawn by the answer's place: learned, failing low or high, repeating.
SHOWN = {
    "index": ("1", "1/15", "1/30", "3/10", "2/5 pi"),
    "retrieval": ("1/30", "1/10", "3/20", "1/5", "1"),
    "induction": ("1/30", "1/10", "0&1/10", "0&1/5", "0&1"),
}
# Line and marker of the curves by place, besides their colours.
LOOKS: tuple[dict[str, Any], ...] = tuple(
    {"linestyle": line, "marker": marker}
    for line, marker in zip(("-", "--", ":", "-.", (0, (3, 1, 1, 1, 1, 1))), "os^Dv", strict=True)
)


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row an angle set (place 0: mean over places) and one a set and place, at 32 tokens, over seeds.

    Raises InputError if no sweep is committed.
    """
    from headproof.checks.trained.canonical.measurement import require

    del context, message
    tables = require()
    found = summarised(columns_of(tables["cells"]), columns_of(tables["places"]))
    return found.replace_schema_metadata({"headproof": json.dumps(described(tables["cells"]))})


def summarised(cells: Columns, places: Columns, length: int = LENGTH) -> pa.Table:
    """The rows of `compute` from the tables of a sweep."""
    from headproof.checks.trained.canonical.results import curves_of
    from headproof.checks.trained.canonical.results import summarised as by_set

    found: list[dict[str, Any]] = []
    for task in dict.fromkeys(map(str, cells["task"])):
        for row in by_set(cells, places, task, length):
            kept = ("angles", "feasible", "ceiling", "solved", "seeds", "untrained", "least", "greatest", "first")
            about = {"task": task, **{name: row[name] for name in kept}}
            found.append({**about, "place": 0, "accuracy": (row["least"] + row["greatest"]) / 2})
            if row["angles"] not in SHOWN.get(task, ()):
                continue
            mine = rows(cells, task=task, length=length, answers="true", angles=row["angles"], round=1)
            curve = curves_of(places, mine["name"]).mean(axis=0)
            found += [{**about, "place": at + 1, "accuracy": value} for at, value in enumerate(curve)]
    return pa.Table.from_pylist([{name: _plain(value) for name, value in row.items()} for row in found])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def draw(data: pa.Table) -> Any:
    """A row a task: accuracy of each angle set, least to greatest seed, and accuracy by the answer's place."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    tasks = list(dict.fromkeys(map(str, columns["task"])))
    figure = plt.figure(figsize=(7.0, 0.6 + 2.0 * len(tasks)))
    panels = figure.subplots(len(tasks), 2, squeeze=False, width_ratios=(1.25, 1))
    for number, task in enumerate(tasks):
        mine = rows(columns, task=task)
        _by_set(panels[number, 0], rows(mine, place=0))
        _by_place(panels[number, 1], mine)
        for side, what in enumerate(("by allowed angles", "by the answer's place")):
            title = f"{ascii_lowercase[2 * number + side]}  {NAMES.get(task, task)}, {what}"
            panels[number, side].set(title=title, ylim=(0, 1.05))
        panels[number, 0].set_ylabel("accuracy")
    panels[-1, 0].set_xlabel("allowed angles, radians per position, not to scale")
    panels[-1, 1].set_xlabel("place of the answer")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def _by_set(axes: Any, mine: Columns) -> None:
    x = np.arange(len(mine["angles"]))
    axes.vlines(x, mine["least"], mine["greatest"], color="#0072B2", linewidth=5, alpha=0.6)
    axes.plot(x, mine["greatest"], "_", color="#0072B2", markersize=9, label="best round, seeds' range")
    axes.plot(x, mine["first"], "o", color="#E69F00", markersize=4, label="first round, mean")
    axes.plot(x, mine["untrained"], ":", color="0.5", label="untrained")
    top = np.array([np.nan if value is None else value for value in mine["ceiling"]], dtype=float)
    if (top < 1).any():
        axes.plot(x[top < 1], top[top < 1], "x", color="#D55E00", markersize=6, label="ceiling of any head")
    names = [str(each).replace(" pi", "π").replace("pi", "π") for each in mine["angles"]]
    axes.set_xticks(x, names, rotation=60)


def _by_place(axes: Any, mine: Columns) -> None:
    curves = {name: values[mine["place"] > 0] for name, values in mine.items()}
    for number, each in enumerate(dict.fromkeys(map(str, curves["angles"]))):
        held = rows(curves, angles=each)
        # Marks of different curves stand at different places: curves that coincide are all seen.
        look = {**LOOKS[number % len(LOOKS)], "markersize": 3.5, "markevery": (number, len(LOOKS))}
        axes.plot(held["place"], held["accuracy"], label=each.replace(" pi", "π"), **look)
    axes.legend(title="angles", loc="center left", bbox_to_anchor=(1, 0.5))


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    sweep = described(data)["sweep"]
    columns = rows(columns_of(data), place=0)
    solved = [f"{NAMES[task]} {_learned(columns, task)}" for task in dict.fromkeys(map(str, columns["task"]))]
    return (
        f"dec.toy: one-layer, one-head, attention-only transformers of {LENGTH} tokens, trained from scratch with the "
        f"angles named (radians per position), seeds {', '.join(map(str, sweep['seeds']))}. Left: accuracy on held-out "
        "inputs after the first round (mean over seeds) and at each seed's best round (bars from the least to the "
        "greatest seed); a toy below 0.99 was trained again at four times the steps and at twice the width. A cross is "
        "the accuracy that no head over repeating angles exceeds (dec.toy.index.ceiling); dotted, the toys before "
        "training. Right: the first round's accuracy by the answer's place, mean over seeds. Learned, by at least four "
        f"of five seeds: {'; '.join(solved)}."
    )


def _learned(columns: Columns, task: str) -> str:
    from headproof.checks.trained.canonical.grouping import ENOUGH

    mine = rows(columns, task=task)
    names = mine["angles"][mine["solved"] >= ENOUGH * mine["seeds"]].tolist()
    return ", ".join(names) or "none"


figure = Figure(
    "canonical",
    "Which angles learn which task",
    compute,
    draw,
    caption,
    (
        "dec.toy.index.ceiling",
        "dec.toy.index-frequency",
        "dec.toy.index-low-fails",
        "dec.toy.index-ceiling",
        "dec.toy.index-ceiling-reached",
        "dec.toy.index-u",
        "dec.toy.retrieval-frequency",
        "dec.toy.retrieval-high-fails",
        "dec.toy.retrieval-half-turn",
        "dec.toy.retrieval-inverted-u",
        "dec.toy.induction-two-angles",
        "dec.toy.induction-threshold",
        "dec.toy.induction-beside",
        "dec.toy.found",
    ),
)
