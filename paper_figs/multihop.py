"""Figure `multihop`: accuracy by hops while models learn, and both scores of every layer at every checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.multihop.learning import LEARNED, PEAK, learned
from headproof.checks.trained.multihop.trained import LOSS, Trained
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.multihop_rows import (
    HOPS,
    MARKED,
    SMALL,
    Row,
    Tables,
    bar_of,
    by_size,
    committed,
    counted,
    grid_of,
    heat,
    joined,
    key,
    mark,
    nowhere,
    run_words,
    tidy,
)

COLUMNS = ("kind", "task", "size", "seed", "step", "hops", "layer", "value")
SCORES = ("positional", "symbolic")
# Marker and line of each class of hops, besides its colour.
MARKERS = dict(zip(HOPS, "osD^", strict=True))
STYLES = dict(zip(HOPS, ("-", "--", "-.", (0, (4, 1, 1, 1, 1, 1))), strict=True))
# Every how many checkpoints the full model's line has a marker.
SPARSE = 12
# Up to here the axis of steps is linear, so that the untrained model has a place on it.
LINEAR = 10


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a mark, by `kind`; raises InputError if no models are committed.

    Accuracy by hop class and checkpoint of every run; of the full ones when a class is learned, the level of the best
    rule that follows no path, both scores of every layer and checkpoint, the layers that suffice, the peak's step.
    """
    del context, message
    return gathered(committed())


def gathered(tables: Tables) -> pa.Table:
    """The rows of the figure from the tables of both tasks."""
    runs = by_size(tables)
    found: list[Row] = []
    for task in tables:
        for size, held in runs.items():
            for run in held[task]:
                about = {"task": task, "size": size, "seed": run.seed}
                found += [{**about, **row} for row in _accuracy(run)]
        full = runs["full"][task][0]
        found += [{"task": task, "size": "full", "seed": full.seed, **row} for row in _of_full(full)]
    return tidy(found, COLUMNS, tables)


def _accuracy(run: Trained) -> Iterator[Row]:
    steps = run["steps"]
    for step, hops, value in zip(steps["step"], steps["hops"], steps["accuracy"], strict=True):
        if hops:
            yield {"kind": "accuracy", "step": step, "hops": hops, "value": value}


def _of_full(run: Trained) -> Iterator[Row]:
    steps, rules = run["steps"], run["baselines"]
    for hops, step in learned(steps).items():
        if hops and step is not None:
            value = rows(steps, hops=hops, step=step)["accuracy"][0]
            yield {"kind": "learned", "step": step, "hops": hops, "value": value}
    own = rows(rules, length=rules["length"].min())
    for hops in np.unique(own["hops"][own["hops"] > 0]):
        yield {"kind": "rule", "hops": hops, "value": rows(own, hops=hops)["accuracy"].max()}
    for step in run.kept:
        heads = run.heads_at(step)
        for name in SCORES:
            for layer, value in zip(heads["layer"], heads[name], strict=True):
                yield {"kind": name, "step": step, "layer": layer, "value": value}
    for layer in run.suffice(run.last):
        yield {"kind": "suffices", "step": run.last, "layer": layer}
    yield {"kind": "peak", "step": run.peak}


def draw(data: pa.Table) -> Any:
    """A row a task: accuracy by hops against the step, and maps of both scores by layer and checkpoint."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    tasks = list(described(data))
    figure = plt.figure(figsize=(7.2, 0.8 + 2.35 * len(tasks)))
    panels = figure.subplots(len(tasks), 3, squeeze=False, width_ratios=(1.3, 1, 1))
    image = None
    for number, task in enumerate(tasks):
        mine = rows(columns, task=task)
        _curves(panels[number, 0], mine)
        for axes, name in zip(panels[number, 1:], SCORES, strict=True):
            image = _map(axes, mine, name)
        for side, what in enumerate(("accuracy", "positional score", "symbolic score")):
            panels[number, side].set_title(f"{ascii_lowercase[3 * number + side]}  {task}: {what}")
        panels[number, 0].set_ylabel("share of right answers")
        panels[number, 1].set_ylabel("layer")
    for axes in panels[-1]:
        axes.set_xlabel("training steps")
    bar_of(figure, image, panels[:, 1:], "score at the last query")
    hops = [each for each in HOPS if len(rows(columns, kind="accuracy", hops=each)["hops"])]
    figure.legend(handles=[*hop_keys(hops), *_keys()], loc="outside lower center", ncols=5, fontsize=SMALL)
    return figure


def hop_keys(hops: Iterable[int]) -> list[Any]:
    """Legend entries of classes of hops."""
    looks = {each: {"color": HOPS[each], "linestyle": STYLES[each], "marker": MARKERS[each]} for each in hops}
    return [key(counted(each, "hop"), markersize=3, **look) for each, look in looks.items()]


def _curves(axes: Any, mine: Columns) -> None:
    for hops, colour in HOPS.items():
        held = rows(mine, kind="accuracy", hops=hops)
        given = {"color": colour, "linestyle": STYLES[hops]}
        full = {"linewidth": 1.4, "marker": MARKERS[hops], "markersize": 2.8, "markevery": (hops, SPARSE), "zorder": 3}
        for size, look in (("small", {"linewidth": 0.5, "alpha": 0.7, "zorder": 2}), ("full", full)):
            for seed in np.unique(rows(held, size=size)["seed"]):
                one = rows(held, size=size, seed=seed)
                axes.plot(one["step"], one["value"], **given, **look)
        for level in rows(mine, kind="rule", hops=hops)["value"]:
            axes.axhline(level, color=colour, linestyle=":", linewidth=0.9, zorder=1)
            # Side by side: levels of two classes may be one.
            where = {"transform": axes.get_yaxis_transform(), "markersize": 3.5, "zorder": 2}
            axes.plot([0.02 + 0.05 * hops], [level], MARKERS[hops], **mark(color=colour, **where))
        at = rows(mine, kind="learned", hops=hops)
        axes.plot(at["step"], at["value"], MARKERS[hops], zorder=4, **mark(color=colour))
    last = rows(mine, kind="accuracy")["step"].max()
    axes.set_xscale("symlog", linthresh=LINEAR, linscale=0.4)
    axes.set(xlim=(-0.6, 1.15 * last), ylim=(-0.02, 1.04))
    ticks = [0, *(10**power for power in range(1, 8) if 10**power <= last)]
    axes.set_xticks(ticks, labels=[f"{each:,}" for each in ticks])
    axes.xaxis.set_minor_locator(nowhere())


def _map(axes: Any, mine: Columns, name: str) -> Any:
    held = rows(mine, kind=name)
    steps, layers = np.unique(held["step"]).astype(int), np.unique(held["layer"])
    image = heat(axes, grid_of(held["layer"], held["step"], held["value"]))
    # Checkpoints are drawn side by side: their steps are close together first, and far apart after.
    ticks = np.unique(np.linspace(0, len(steps) - 1, 4).round().astype(int))
    axes.set_xticks(ticks, labels=[f"{steps[each]:,}" for each in ticks])
    peak = np.searchsorted(steps, rows(mine, kind="peak")["step"][0])
    axes.axvline(peak, color=MARKED, linewidth=1.1, path_effects=haloed(2.4))
    places = np.searchsorted(layers, rows(mine, kind="suffices")["layer"])
    if len(places):
        # Unclipped marks of nothing would lie in the figure's corner and take up the layout.
        beside = {"transform": axes.get_yaxis_transform(), "clip_on": False, "markersize": 3.5}
        axes.plot(np.full(len(places), 1.035), places, "<", **mark(color="black", markerfacecolor="black", **beside))
    return image


def haloed(width: float) -> list[Any]:
    """A white edge, in points: what is drawn on a map is told apart from it without colours, too."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width, foreground="white")]


def _keys() -> list[Any]:
    return [
        key("full model", linewidth=1.4),
        key("small models, one a seed", linewidth=0.5),
        key("best rule that follows no path", linestyle=":", linewidth=0.9),
        key("class learned", marker="o", **mark(color="0.3")),
        key("accuracy at its peak", color=MARKED, linewidth=1.1),
        key(
            "layers that suffice after training", marker="<", **mark(markerfacecolor="0.1", color="0.1", markersize=3.5)
        ),
    ]


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns, told = columns_of(data), []
    for task, about in described(data).items():
        mine = rows(columns, task=task)
        at = rows(mine, kind="learned")
        steps = dict(zip(at["hops"].astype(int).tolist(), at["step"].astype(int).tolist(), strict=True))
        classes = np.unique(rows(mine, kind="rule")["hops"]).astype(int).tolist()
        when = joined(f"{hops}: {steps.get(hops, 'not learned')}" for hops in classes)
        suffice = joined(rows(mine, kind="suffices")["layer"].astype(int).tolist())
        seen = about["sequences"]
        told.append(
            f"{task}, step from which each class of hops is learned {when}; peak at {_peak(mine)}; layers that suffice "
            f"{suffice} ({seen['accuracy']} held-out sequences for accuracy, {seen['heads']} for scores)"
        )
    return (
        f"dyn.learning: models of one head a layer while they learn ({run_words(data)}). Left: accuracy by hops, moves "
        f"from the last token to the answer, against the step (linear up to {LINEAR}; 0 is the untrained model); thick "
        f"the full model, thin small ones, which have fewer classes. Hollow: the full model's class is at {LEARNED:g} "
        "or above from there on. Dotted, the best of the rules that follow no path, by class, whose marker stands on "
        "the left: a rule that looks one move ahead is right on 1 hop. Middle and right: mean positional and symbolic "
        "score of each layer, counted from 0, of the full model at each checkpoint (side by side, not to scale), at "
        f"the last query, all classes together. Line: the first checkpoint whose accuracy is within {PEAK:g} of the "
        f"largest. Triangles: layers without whose attention accuracy falls by {LOSS:g} or more after the last step. "
        f"{'. '.join(told)}."
    )


def _peak(mine: Columns) -> int:
    return int(rows(mine, kind="peak")["step"][0])


figure = Figure(
    "multihop",
    "Accuracy by hops, and both scores of every layer, while models learn",
    compute,
    draw,
    caption,
    tuple(
        f"dyn.learning.{finding}.full"
        for finding in (
            "start-high",
            "number-hop-by-hop",
            "letter-hop-by-hop",
            "letter-at-once",
            "pure-at-peak",
            "some-pure-at-peak",
            "needed-pure",
            "sufficing-pure",
            "number-without-symbolic",
            "letter-without-positional",
            "letter-symbolic-suffices",
        )
    ),
)
