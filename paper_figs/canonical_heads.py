"""Figure `canonical_heads`: what trained Index toys do, beside the construction H_POS and the bounds."""

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

LENGTH, SEED = 32, 0
# Angles whose query line and weight on the target are drawn: learned ones, high and low.
SHOWN = ("1", "1/2", "1/10")
COLOURS = dict(zip(SHOWN, ("#0072B2", "#E69F00", "#009E73"), strict=True))
MARKERS = dict(zip(SHOWN, "os^", strict=True))
STYLES = dict(zip(SHOWN, ("-", "--", ":"), strict=True))


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """Rows of four kinds: query phases and weights by place (seed 0), and each learned toy's lead and key gathering.

    Raises InputError if no sweep is committed.
    """
    from headproof.checks.trained.canonical.measurement import require, toys

    del context, message
    tables = require()
    columns = {name: columns_of(table) for name, table in tables.items()}
    found = [*_by_toy(columns), *_lines(toys("index"), columns["places"])]
    names = ("kind", "angles", "angle", "state", "x", "y", "other")
    table = pa.Table.from_pylist([{name: _plain(row.get(name)) for name in names} for row in found])
    return table.replace_schema_metadata({"headproof": json.dumps(described(tables["cells"]))})


def _by_toy(columns: dict[str, Columns]) -> list[dict[str, Any]]:
    """Each learned toy: its least lead and the bound by its angle; keys and queries before and after training."""
    from headproof.checks.trained.canonical.grouping import learned_toys

    cells = learned_toys(columns, "index", LENGTH)
    found = []
    for name, angles, angle in zip(cells["name"], cells["angles"], cells["angle"], strict=True):
        for state in ("trained", "untrained"):
            head = {key: values[0] for key, values in rows(columns["heads"], name=name, state=state).items()}
            about = {"angles": angles, "angle": angle, "state": state}
            found.append({**about, "kind": "gathering", "x": head["keys_resultant"], "y": head["query_resultant"]})
            if state == "trained":
                found.append(
                    {**about, "kind": "lead", "x": angle, "y": head["mean_lead"], "other": head["angle_bound"]}
                )
    return found


def _lines(kept: dict[Any, Any], places: Columns) -> list[dict[str, Any]]:
    """The phase of each target's query against the mean key, and the weight on the target, by its place."""
    from headproof.checks.trained.canonical.mechanism import query_line

    found = []
    # A file of tensors keeps no order of its own.
    shown = sorted((cell.name, cell) for cell in kept if cell.angle_set in SHOWN)
    for _, cell in shown:
        layer = kept[cell]
        line = query_line(layer, cell.vocabulary_task)
        about = {"angles": cell.angle_set, "angle": line.angle, "state": "trained"}
        # From the line's own slope one sees nothing at high angles: what is drawn is the rest, in places.
        rest = np.angle(line.products * np.exp(1j * line.angle * np.arange(cell.keys, 0, -1)))
        mine = rows(places, name=cell.name)
        for at in range(cell.keys):
            found.append({**about, "kind": "phase", "x": at + 1, "y": rest[at]})
            found.append(
                {**about, "kind": "weight", "x": at + 1, "y": mine["weight"][at], "other": mine["construction"][at]}
            )
    return found


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return float(value) if isinstance(value, int) else value


def draw(data: pa.Table) -> Any:
    """Four panels: query phases, weight on the target, leads under the bound, gathering before and after training."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    figure = plt.figure(figsize=(7.2, 5.6))
    panels = figure.subplots(2, 2)
    titles = ("query angle less H_POS's", "weight on the target", "lead of the target", "keys and queries")
    for at, (axes, title) in enumerate(zip(panels.flat, titles, strict=True)):
        axes.set_title(f"{ascii_lowercase[at]}  {title}")
    for number, angles in enumerate(SHOWN):
        phase, weight = (rows(columns, kind=kind, angles=angles) for kind in ("phase", "weight"))
        look = {"color": COLOURS[angles], "marker": MARKERS[angles], "markersize": 3.5, "label": angles}
        # Side by side: the curves lie on each other.
        panels[0, 0].plot(phase["x"], phase["y"], linestyle=STYLES[angles], markevery=(number, len(SHOWN)), **look)
        panels[0, 1].plot(weight["x"], weight["y"], linestyle="none", **look)
        panels[0, 1].plot(weight["x"], weight["other"], linestyle=STYLES[angles], color=COLOURS[angles], alpha=0.7)
    panels[0, 0].set(xlabel="target's place", ylabel="radians", ylim=(-1.6, 1.6))
    panels[0, 0].legend(title="angle")
    panels[0, 1].set(xlabel="target's place", ylabel="attention weight", ylim=(0, 1.02))
    panels[0, 1].legend(title="points toys, lines H_POS", ncols=3)
    lead = rows(columns, kind="lead")
    order = np.argsort(lead["x"])
    panels[1, 0].plot(lead["x"], lead["y"], "o", markersize=3, label="toys, mean lead")
    panels[1, 0].plot(lead["x"][order], lead["other"][order], "k-", linewidth=0.8, label="1 - cos θ")
    panels[1, 0].set(
        xscale="log", yscale="log", xlabel="angle, radians per position", ylabel="lead / largest mean logit"
    )
    panels[1, 0].legend()
    for state, marker, colour in (("untrained", "^", "#E69F00"), ("trained", "o", "#0072B2")):
        mine = rows(columns, kind="gathering", state=state)
        panels[1, 1].plot(mine["x"], mine["y"], marker, markersize=4, color=colour, alpha=0.6, label=state)
    panels[1, 1].set(xlim=(0, 1.03), ylim=(0, 1.03), xlabel="keys in one direction", ylabel="queries on H_POS's line")
    panels[1, 1].legend(loc="center left")
    return figure


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns = columns_of(data)
    toys = len(rows(columns, kind="gathering", state="trained")["x"])
    return (
        f"dec.toy: Index toys of {LENGTH} tokens that have learned the task ({toys} toys; a, b: seed {SEED}, angles as "
        "named). a: the angle of the query for each target against the mean key, less theta j: 0 in H_POS. b: points "
        "the toys' mean attention weight on the target, lines H_POS's at the toy's own amplitude. c: mean lead of the "
        "target over the best other place, in units of the largest mean logit; the line is 1 - cos theta, which bounds "
        "it from above for H_POS (dyn.thm3.2), and not for heads whose queries turn further than H_POS's. d: how far "
        "keys point in one direction and query angles follow the line, before and after training."
    )


figure = Figure(
    "canonical_heads",
    "What trained Index toys do, beside the construction",
    compute,
    draw,
    caption,
    ("dec.toy.index-keys", "dec.toy.index-queries", "dyn.thm3.2.index.best-other.sharp"),
)
