"""Figure `multihop_mechanism`: where the layers of trained models look, what each class needs, at which angles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.multihop.learning import LEARNED
from headproof.checks.trained.multihop.trained import Trained
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.multihop import MARKERS, STYLES, haloed, hop_keys
from headproof.paper_figs.multihop_rows import (
    HOPS,
    MARKED,
    SMALL,
    Row,
    Tables,
    bar_of,
    by_size,
    committed,
    grid_of,
    heat,
    joined,
    key,
    mark,
    run_words,
    tidy,
)

COLUMNS = ("kind", "task", "state", "layer", "hops", "query", "value", "moved")
PRINTED = "printed_angle"
# The readings of a mean angle that are drawn, and how.
READINGS = {
    "index_angle": ("#56B4E9", "-", "o", "plane nearest to the mean number"),
    "median_angle": ("black", "--", "s", "weighted median"),
    "top_angle": ("#D55E00", ":", "D", "plane of the largest weight"),
}


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a mark of the full models, by `kind`; raises InputError if no models are committed.

    Attention weight on later places of the path after the last step, accuracy with the attention of a layer and of all
    after it replaced, each class's depth, and the layers' angles; the last but one and these before training, too.
    """
    del context, message
    return gathered(committed())


def gathered(tables: Tables) -> pa.Table:
    """The rows of the figure from the tables of both tasks."""
    found: list[Row] = []
    for task, runs in by_size(tables)["full"].items():
        run = runs[0]
        found += [{"task": task, "state": "trained", **row} for row in (*_path(run), *_depths(run))]
        for state, step in (("trained", run.last), ("untrained", run.first)):
            found += [{"task": task, "state": state, **row} for row in (*_onward(run, step), *_angles(run, step))]
    return tidy(found, COLUMNS, tables)


def _path(run: Trained) -> Iterator[Row]:
    """Of every layer, hop class and place of its path, but the answer's, from which there is no later one."""
    mine = rows(run["roles"], step=run.last)
    weight = mine["next"] + mine["further"]
    for at in np.flatnonzero(mine["query"] < mine["hops"]):
        named = {name: mine[name][at] for name in ("layer", "hops", "query")}
        yield {"kind": "path", **named, "value": weight[at], "moved": int(mine["role"][at] == "move")}


def _onward(run: Trained, step: int) -> Iterator[Row]:
    """At the layer after the last one nothing is replaced."""
    mine = rows(run["ablations"], step=step, places="every")
    onward, whole = rows(mine, kind="mean", layers="onward"), rows(mine, kind="none")
    beyond = int(onward["layer"].max()) + 1
    for held, layers in ((onward, onward["layer"]), (whole, np.full(len(whole["layer"]), beyond))):
        for layer, hops, value in zip(layers, held["hops"], held["accuracy"], strict=True):
            if hops:
                yield {"kind": "onward", "layer": layer, "hops": hops, "value": value}


def _depths(run: Trained) -> Iterator[Row]:
    """Only those of classes that are solved at all."""
    whole = {(row["layer"], row["hops"]): row["value"] for row in _onward(run, run.last)}
    classes = sorted({hops for _, hops in whole})
    for hops, depth in zip(classes, run.depths(run.last), strict=True):
        if (depth, hops) in whole:
            yield {"kind": "depth", "layer": depth, "hops": hops, "value": whole[depth, hops]}


def _angles(run: Trained, step: int) -> Iterator[Row]:
    mine = run.heads_at(step)
    for name in (*READINGS, *((PRINTED,) if step == run.last else ())):
        for layer, value in zip(mine["layer"], mine[name].astype(float), strict=True):
            if np.isfinite(value):
                yield {"kind": name, "layer": layer, "value": value}


def draw(data: pa.Table) -> Any:
    """A row a task: attention along the path, accuracy without later layers' attention, angles by layer."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    tasks = list(described(data))
    figure = plt.figure(figsize=(7.2, 1.0 + 2.5 * len(tasks)))
    panels = figure.subplots(len(tasks), 3, squeeze=False, width_ratios=(1.15, 1, 1))
    image = None
    for number, task in enumerate(tasks):
        mine = rows(columns, task=task)
        image = _map(panels[number, 0], rows(mine, kind="path"))
        _ablated(panels[number, 1], mine)
        _planes(panels[number, 2], mine)
        for side, what in enumerate(("weight on the path", "attention off from L", "angles")):
            panels[number, side].set_title(f"{ascii_lowercase[3 * number + side]}  {task}: {what}")
        panels[number, 0].set_ylabel("layer")
        panels[number, 1].set_ylabel("share of right answers")
        panels[number, 2].set_ylabel("radians per position")
    panels[-1, 0].set_xlabel("place of the path; below, hops", labelpad=16)
    panels[-1, 1].set_xlabel("first layer replaced, L")
    panels[-1, 2].set_xlabel("layer")
    bar_of(figure, image, panels[:, 0], "weight on later places")
    hops = np.unique(rows(columns, kind="onward")["hops"]).astype(int).tolist()
    figure.legend(handles=[*hop_keys(hops), *_keys()], loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def _map(axes: Any, mine: Columns) -> Any:
    from matplotlib.patches import Rectangle

    hops, query = mine["hops"].astype(int), mine["query"].astype(int)
    # One number a column, in order of classes, and of places within a class.
    column = hops * (hops.max() + 1) + query
    image = heat(axes, grid_of(mine["layer"], column, mine["value"]))
    layers, columns = np.unique(mine["layer"]), np.unique(column)
    for at in np.flatnonzero(mine["moved"] == 1):
        # A little smaller than the cell: neighbours would hide each other's edges.
        left, low = np.searchsorted(columns, column[at]) - 0.44, np.searchsorted(layers, mine["layer"][at]) - 0.44
        look: dict[str, Any] = {"fill": False, "edgecolor": MARKED, "linewidth": 1.0, "path_effects": haloed(2.2)}
        axes.add_patch(Rectangle((left, low), 0.88, 0.88, **look))
    classes = columns // (hops.max() + 1)
    axes.set_xticks(range(len(columns)), labels=[str(each) for each in columns % (hops.max() + 1)])
    axes.tick_params(axis="x", length=0, pad=1)
    for each in np.unique(classes):
        there = np.flatnonzero(classes == each)
        axes.axvline(there[-1] + 0.5, color="white", linewidth=2)
        axes.annotate(
            str(each), (there.mean(), 0), xycoords=("data", "axes fraction"), xytext=(0, -13),
            textcoords="offset points", ha="center", va="top", color=HOPS[int(each)], weight="bold",
        )  # fmt: skip
    return image


def _ablated(axes: Any, mine: Columns) -> None:
    for hops, colour in HOPS.items():
        untrained = {"linestyle": ":", "linewidth": 0.9, "marker": MARKERS[hops], "markersize": 1.5}
        for state, look in (("untrained", untrained), ("trained", {"linewidth": 1.4, "linestyle": STYLES[hops]})):
            held = rows(mine, kind="onward", hops=hops, state=state)
            order = np.argsort(held["layer"])
            axes.plot(held["layer"][order], held["value"][order], color=colour, **look)
        at = rows(mine, kind="depth", hops=hops)
        if len(at["layer"]):
            # Unclipped marks of nothing would lie in the figure's corner and take up the layout.
            axes.plot(at["layer"], at["value"], MARKERS[hops], zorder=4, clip_on=False, **mark(color=colour))
    axes.axhline(LEARNED, color="0.8", linewidth=0.6, zorder=0)
    last = int(rows(mine, kind="onward")["layer"].max())
    axes.set(xlim=(-0.3, last + 0.3), ylim=(-0.02, 1.04), xticks=range(0, last + 1, 3 if last > 6 else 1))


def _planes(axes: Any, mine: Columns) -> None:
    for name, (colour, style, marker, _) in READINGS.items():
        trained = {"color": colour, "marker": marker, "markersize": 2.4}
        for state, look in (("untrained", {"color": "0.65", "linewidth": 0.7}), ("trained", trained)):
            held = rows(mine, kind=name, state=state)
            axes.plot(held["layer"], held["value"], linestyle=style, **look)
    held = rows(mine, kind=PRINTED)
    axes.plot(held["layer"], held["value"], "x", **mark(color="0.35", markersize=4))
    last = int(rows(mine, kind="onward")["layer"].max()) - 1
    axes.set(yscale="log", xlim=(-0.3, last + 0.3), xticks=range(0, last + 1, 3 if last > 6 else 1))


def _keys() -> list[Any]:
    return [
        *(
            key(label, color=colour, linestyle=style, marker=marker, markersize=3)
            for colour, style, marker, label in READINGS.values()
        ),
        key("printed", marker="x", **mark(color="0.35", markersize=4)),
        key("cell: the layer moves the place", marker="s", **mark(color=MARKED, markerfacecolor="none")),
        key("depth of a class", marker="o", **mark()),
        key("before training: dotted, angles grey", linestyle=":", linewidth=0.9),
    ]


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns, told = columns_of(data), []
    for task in described(data):
        mine = rows(columns, task=task)
        at, path = rows(mine, kind="depth"), rows(mine, kind="path")
        depth = dict(zip(at["hops"].astype(int).tolist(), at["layer"].astype(int).tolist(), strict=True))
        classes = np.unique(path["hops"]).astype(int).tolist()
        by_class = joined(f"{hops}: {depth.get(hops, 'not solved')}" for hops in classes)
        pairs = set(zip(path["hops"], path["query"], strict=True))
        held = rows(path, moved=1)
        moved = set(zip(held["hops"], held["query"], strict=True))
        top = rows(mine, kind="top_angle", state="trained")["value"]
        told.append(
            f"{task}, depth by hops {by_class}; {len(moved)} of {len(pairs)} places moved in some layer; angle of the "
            f"plane of the largest weight {top.min():.2g} to {top.max():.2g}"
        )
    return (
        f"dyn.learning.mechanism and dyn.learning: the full models after the last step ({run_words(data, ('full',))}). "
        "Left: attention weight on later places of the path, mean over sequences, by layer (counted from 0) and, from "
        "left to right, by class of hops and by place of its path, in moves from the last token; the answer's place, "
        "the end, is left out. A cell is outlined if the largest weight is on one later place of the path in more than "
        "half of the sequences. Middle: accuracy by hops with the attention of layer L and of all after it replaced by "
        "its mean at every place; at the right end nothing is replaced. Hollow: the depth, the least L at which it "
        f"is {LEARNED:g} (thin line) or above. Dotted: the untrained model. Right: three readings of each layer's "
        "weighted mean RoPE angle at the last query, before training in grey in the same styles, and the angles that "
        f"the source prints. {'. '.join(told)}."
    )


figure = Figure(
    "multihop_mechanism",
    "Where layers look, what each hop class needs, and at which angles",
    compute,
    draw,
    caption,
    (
        "dyn.learning.mechanism.path-attended.full",
        "dyn.learning.mechanism.number-deeper.full",
        "dyn.learning.mechanism.letter-deeper.full",
        "dyn.learning.angles.single",
        "dyn.learning.number-angles.full",
        "dyn.learning.letter-angles.full",
    ),
)
