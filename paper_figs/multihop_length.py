"""Figure `multihop_length`: accuracy beyond the length of training, and what one-plane constructions would need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.multihop.length_numbers import CONSTRUCTION, VARIED, asked, best_rule, reach
from headproof.checks.trained.multihop.reach import SHORTEST, needed_scale
from headproof.checks.trained.multihop.tasks import task_of
from headproof.checks.trained.multihop.trained import Trained
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.generalize_rows import plain_logarithmic
from headproof.paper_figs.multihop_rows import (
    COLOURS,
    SMALL,
    Row,
    Tables,
    by_size,
    committed,
    joined,
    key,
    layer_bar,
    layer_colours,
    mark,
    nowhere,
    run_words,
    tidy,
)
from headproof.theory.multihop.length_findings import GOOD

COLUMNS = ("kind", "task", "size", "seed", "layer", "length", "value", "low", "high")
# The source's statement about the letter model.
PRINTED = (850, 0.9)
# How many lengths the theory is drawn at, besides those asked for.
DRAWN = 40
FAR = "far"
# Of each task, besides its colour.
TASKS = {"number": "o", "letter": "s"}
MARKERS = {"recopied": "x", "redirected": "+"}
# Of marks at one length, so that they do not cover each other; the axis is logarithmic.
ASIDE = {"recopied": 0.96, "redirected": 1.04}
TICKS = (13, 17, 24, 32, 48, 64, 100, 200, 300, 500, 850)


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a mark, by `kind`; raises InputError if no models are committed.

    Accuracy and its 95 % interval at each length, of every run and of the full ones before training; the full letter
    model's on the variants; the best rule that follows no path; reach and length of training; and of each
    layer that suffices in the full models the scale that its construction needs, over the trained one.
    """
    del context, message
    return gathered(committed())


def gathered(tables: Tables) -> pa.Table:
    """The rows of the figure from the tables of both tasks."""
    found: list[Row] = []
    for size, runs in by_size(tables).items():
        for task, held in runs.items():
            for number, run in enumerate(held):
                about = {"task": task, "size": size, "seed": run.seed}
                found += [{**about, **row} for row in _shares("plain", asked(run))]
                if size == "full" and not number:
                    found += [{**about, **row} for row in _of_full(run)]
    return tidy(found, COLUMNS, tables)


def _shares(kind: str, mine: Columns) -> Iterator[Row]:
    names = ("length", "accuracy", "low", "high")
    for length, value, low, high in zip(*(mine[name] for name in names), strict=True):
        yield {"kind": kind, "length": length, "value": value, "low": low, "high": high}


def _of_full(run: Trained) -> Iterator[Row]:
    plain = asked(run)
    yield from _shares("untrained", asked(run, run.first))
    for variant in (*VARIED, FAR):
        yield from _shares(variant, asked(run, variant=variant))
    for length, value in zip(np.unique(run["baselines"]["length"]), best_rule(run), strict=True):
        yield {"kind": "rule", "length": length, "value": value}
    yield {"kind": "training", "length": plain["length"].min()}
    yield {"kind": "reach", "length": reach(run)}
    letters, heads = task_of(run.task).letters, run.heads_at(run.last)
    most = int(plain["length"].max())
    spaced = np.geomspace(SHORTEST, most, DRAWN).round().astype(int).tolist()
    lengths = sorted({*spaced, *plain["length"].tolist()})
    for layer in run.suffice(run.last):
        angle, scale = (float(heads[name][layer]) for name in ("top_angle", "logit_scale"))
        for length in lengths:
            needed = needed_scale(CONSTRUCTION[run.task], angle, length, letters)
            yield {"kind": "theory", "layer": layer, "length": length, "value": needed / scale}


def draw(data: pa.Table) -> Any:
    """Above, accuracy against length; below, a panel a task, the theory's scale over the trained one."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    tasks = list(described(data))
    figure = plt.figure(figsize=(7.2, 6.0))
    grid = figure.add_gridspec(2, len(tasks), height_ratios=(1.25, 1))
    top = figure.add_subplot(grid[0, :])
    for task in tasks:
        _task(top, rows(columns, task=task), COLOURS[task], TASKS[task])
    top.plot(*PRINTED, "*", color="black", markersize=8, zorder=5)
    top.axhline(GOOD, color="0.8", linewidth=0.6, zorder=0)
    top.axvline(PRINTED[0], color="0.8", linewidth=0.6, zorder=0)
    _lengths(top, rows(columns, kind="plain")["length"])
    top.set(title="a  accuracy on longer inputs", ylim=(-0.02, 1.04), ylabel="share of right answers")
    theory = rows(columns, kind="theory")
    layers = int(theory["layer"].max()) + 1 if len(theory["layer"]) else 1
    below = []
    for number, task in enumerate(tasks):
        axes = figure.add_subplot(grid[1, number])
        below.append(axes)
        _theory(axes, rows(columns, task=task), layers)
        axes.set_title(f"{'bc'[number]}  {task}: layers as {CONSTRUCTION[task].capitalize()}")
        axes.set_xlabel("tokens of the input")
    below[0].set_ylabel("needed scale / trained scale")
    layer_bar(figure, below, layers, "layer")
    figure.legend(handles=_keys(), loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure


def _task(axes: Any, mine: Columns, colour: str, marker: str) -> None:
    for seed in np.unique(rows(mine, kind="plain", size="small")["seed"]):
        held = rows(mine, kind="plain", size="small", seed=seed)
        axes.plot(held["length"], held["value"], color=colour, linewidth=0.5, alpha=0.7, marker=marker, markersize=1.8)
    full = rows(mine, size="full")
    first = rows(full, kind="training")["length"][0]
    plain = rows(rows(full, kind="plain"), seed=rows(full, kind="training")["seed"][0])
    axes.fill_between(plain["length"], plain["low"], plain["high"], color=colour, alpha=0.2, linewidth=0)
    axes.plot(plain["length"], plain["value"], color=colour, linewidth=1.6, marker=marker, markersize=3.5, zorder=3)
    for kind, style in (("rule", "--"), ("untrained", ":"), (FAR, "-.")):
        held = rows(full, kind=kind)
        # A marker at the last length alone.
        look = {"marker": marker, "markersize": 3, "markerfacecolor": "white", "markevery": [-1], "linewidth": 0.9}
        axes.plot(held["length"], held["value"], color=colour, linestyle=style, **look)
    for variant, sign in MARKERS.items():
        held = rows(full, kind=variant)
        axes.plot(held["length"] * ASIDE[variant], held["value"], sign, zorder=4, **mark(color="0.1", markersize=5.5))
    axes.axvline(first, color="0.6", linestyle=(0, (1, 2)), linewidth=0.9, zorder=0)


def _lengths(axes: Any, lengths: Any) -> None:
    """A logarithmic axis with the lengths asked for."""
    axes.set_xscale("log")
    shown = [each for each in TICKS if lengths.min() <= each <= lengths.max()]
    axes.set_xticks(shown, labels=[str(each) for each in shown])
    axes.minorticks_off()
    axes.set_xlabel("tokens of the input")


def _theory(axes: Any, mine: Columns, layers: int) -> None:
    held = rows(mine, kind="theory")
    for number, layer in enumerate(np.unique(held["layer"])):
        one = rows(held, layer=layer)
        finite = np.isfinite(one["value"])
        colour = layer_colours(layers)(int(layer))
        axes.plot(one["length"][finite], one["value"][finite], color=colour)
        # Its number stands on the line; of lines that lie on each other, side by side.
        places = np.flatnonzero(finite)
        shown = places[3 + 4 * number :: 4 * layers] if len(places) > 8 else places[:1]
        for name, colour_of, size in (("o", "white", 7.5), (f"${int(layer)}$", "black", 5)):
            look = {"marker": name, "color": colour_of, "markersize": size, "markeredgewidth": 0}
            axes.plot(one["length"][shown], one["value"][shown], linestyle="none", zorder=4, **look)
        if finite.any() and not finite.all():
            # Longer inputs have no scale that is enough.
            axes.plot(one["length"][finite][-1], one["value"][finite][-1], "x", **mark(color=colour, markersize=5))
    axes.set(xscale="log", yscale="log")
    axes.axhline(1, color="0.2", linewidth=0.8)
    seen = [1.0, *held["value"][np.isfinite(held["value"])]]
    axes.set_ylim(min(seen) / 1.5, max(seen) * 1.5)
    axes.axhspan(1, max(seen) * 1.5, color="0.94", linewidth=0, zorder=0)
    axes.axvline(rows(mine, kind="training")["length"][0], color="0.6", linestyle=(0, (1, 2)), linewidth=0.9)
    if (end := rows(mine, kind="reach")["length"][0]) > 1:
        axes.axvline(end, color=COLOURS[str(mine["task"][0])], linewidth=1.6, alpha=0.8)
    if not len(held["layer"]):
        axes.text(0.5, 0.5, "no first layers suffice", transform=axes.transAxes, ha="center", va="center")
    axes.set_xlim(SHORTEST / 1.15, PRINTED[0] * 1.1)
    ticks = (3, 10, 30, 100, 300, 850)
    axes.set_xticks(ticks, labels=[str(each) for each in ticks])
    axes.xaxis.set_minor_locator(nowhere())
    plain_logarithmic(axes.yaxis)


def _keys() -> list[Any]:
    from matplotlib.patches import Patch

    return [
        *(
            key(task, color=colour, marker=TASKS[task], markersize=3.5, linewidth=1.6)
            for task, colour in COLOURS.items()
        ),
        Patch(color="0.5", alpha=0.4, linewidth=0, label="95 % interval"),
        key("small models, one a seed", linewidth=0.5),
        key("best rule that follows no path", linestyle="--", linewidth=0.9),
        key("before training", linestyle=":", linewidth=0.9),
        key("letter, answer far", linestyle="-.", linewidth=0.9),
        *(key(f"letter, {each}", marker=marker, **mark(markersize=5.5)) for each, marker in MARKERS.items()),
        key("printed of letter", marker="*", color="black", markersize=8, linestyle="none"),
        key("length of training", color="0.6", linestyle=(0, (1, 2)), linewidth=0.9),
        key("reach, b and c", linewidth=1.6),
    ]


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns, told = columns_of(data), []
    for task in described(data):
        mine = rows(columns, task=task, size="full")
        plain, end = rows(mine, kind="plain"), int(rows(mine, kind="reach")["length"][0])
        theory = rows(mine, kind="theory")
        layers = np.unique(theory["layer"]).astype(int).tolist()
        start = int(plain["length"][0])
        enough = sum(rows(theory, length=start)["value"] < 1)
        said = (
            f"{task}: accuracy {plain['value'][0]:.3f} at {start} tokens, {plain['value'][-1]:.3f} at "
            f"{int(plain['length'][-1])}, reach {end if end > 1 else 'none'}; layers that suffice {joined(layers)}, of "
            f"which {enough} have the scale that {CONSTRUCTION[task].capitalize()} needs at {start} tokens"
        )
        there = rows(theory, length=end)["value"]
        told.append(said + (f", needed over trained at the reach {_span(there)}" if len(there) else ""))
    return (
        f"dyn.length: models on inputs longer than those of their training, lengthened by tokens that the path never "
        f"visits ({run_words(data)}). a: accuracy, all hop classes together, with Wilson's 95 % intervals; thick the "
        "full models, thin small ones. Dashed: the best of the rules that follow no path; dotted: full models before "
        "training. Crosses: the full letter model with more copies of the answer's pair (recopied) or another answer "
        "asked for (redirected); dash-dotted, with the answer at the front of the window instead of its end. Star: the "
        f"source prints more than {PRINTED[1]:g} up to {PRINTED[0]} tokens for the letter task. b, c: each of the "
        "first layers of the full models that suffice (with the attention of all others replaced by its mean every "
        "class of hops is still solved), taken for one plane, at the angle of its plane of the largest weight and at "
        "its logit scale: the smallest scale at which the construction's weight on its target is above 1/2 on all "
        "inputs up to the length, over the trained one. Above 1 (shaded) the construction fails; a cross ends a line "
        "where no scale is enough. The coloured line is the model's reach, the greatest length asked "
        f"for up to which its accuracy is at {GOOD:g} or above. {'. '.join(told)}."
    )


def _span(values: Any) -> str:
    """From the least to the largest; where no scale is enough, it is infinite."""
    ends = [f"{each:.2g}" if np.isfinite(each) else "infinite" for each in (values.min(), values.max())]
    return " to ".join(dict.fromkeys(ends))


figure = Figure(
    "multihop_length",
    "Accuracy beyond the length of training, and what theory needs",
    compute,
    draw,
    caption,
    tuple(
        f"dyn.length.{finding}.{size}"
        for size in ("full", "small")
        for finding in (
            "letter-850",
            "letter-far",
            "letter-follows",
            "number-hardly",
            "letter-further",
            "reach-predicted",
            "number-reach-predicted",
            "letter-reach-predicted",
        )
        # Of small models the plain lengths alone are drawn.
        if size == "full" or finding in ("letter-850", "number-hardly", "letter-further")
    ),
)
