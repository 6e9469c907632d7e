"""Figure `exclusion`: the bound of dec.thm1 against the variance, for every head of a model and of two nulls."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.generalize_rows import STYLES
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES

# Variance over bound of reference tables (theory.exclusion.variance_ratio).
REFERENCES = ((1.0, "bound attained, slack 0"), (0.5, "purely positional or symbolic"), (0.25, "independent entries"))


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a head: terms and ratio at the last query of each prompt, the nulls' first seed; from the cache if it
    is there. Raises InputError for a model that is missing or does not conform."""
    from headproof.checks.trained.exclusion import measure, prepare

    prepare(context, message)
    table = measure(context, reuse=True)
    keys, prompts = table["query"].to_numpy(), table["prompt"].to_numpy()
    last = np.array([keys[prompts == name].max() for name in prompts])
    seeds = table["null_seed"].to_numpy()
    first = seeds == np.where(seeds < 0, -1, seeds[seeds >= 0].min())
    return table.filter(pa.array((keys == last) & first))


def draw(data: pa.Table) -> Any:
    """Left: bound against variance, the vertical distance to the diagonal being the slack. Right: the distribution
    of their ratio over heads, and by layer below."""
    import matplotlib.pyplot as plt

    columns = {name: data[name].to_numpy() for name in data.column_names}
    columns["bound"] = columns["positional"] + columns["symbolic"]
    figure = plt.figure(figsize=(7.2, 4.2))
    left, right = figure.subfigures(1, 2, width_ratios=(1.15, 1))
    _scatter(left.subplots(), columns)
    upper, lower = right.subplots(2, 1, height_ratios=(1, 1))
    _distribution(upper, columns)
    _layers(lower, columns)
    return figure


def _scatter(axes: Any, columns: dict[str, Any]) -> None:
    span = np.array([columns["variance"].min() / 2, columns["bound"].max() * 2])
    axes.fill_between(span, span, span[1] * 10, color="0.94", linewidth=0, zorder=0)
    for (ratio, label), style in zip(REFERENCES, ("-", "--", ":"), strict=True):
        axes.plot(span, span / ratio, color="0.3", linestyle=style, linewidth=1, zorder=1, label=label)
    for group, colour in COLOURS.items():
        mine = columns["group"] == group
        axes.plot(
            columns["variance"][mine], columns["bound"][mine], MARKERS[group], color=colour, markersize=2.2, alpha=0.55,
            markeredgewidth=0, linestyle="none", label=NAMES[group], rasterized=True, zorder=2,
        )  # fmt: skip
    axes.set(
        xscale="log", yscale="log", xlim=span, ylim=span, xlabel="variance of the logits (logit²)",
        ylabel="bound: positional + symbolic deviation (logit²)", title="a  bound = variance + slack, every head",
    )  # fmt: skip
    _mark_slack(axes, columns)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles, labels, loc="upper left", handlelength=1.8)
    axes.text(
        0.97, 0.04, "no table lies\nbelow the diagonal", transform=axes.transAxes, ha="right", fontsize=7.5, color="0.3"
    )


def _mark_slack(axes: Any, columns: dict[str, Any]) -> None:
    """An arrow from the diagonal up to one trained head: what the bound exceeds the variance by."""
    trained = np.flatnonzero(columns["group"] == "trained")
    if not len(trained):
        return
    order = trained[np.argsort(columns["variance"][trained])]
    shown = order[len(order) // 50]  # near the low end, where the cloud is thin
    variance, bound = columns["variance"][shown], columns["bound"][shown]
    arrow = {"arrowstyle": "<->", "color": "black", "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=(variance, bound), xytext=(variance, variance), arrowprops=arrow, zorder=3)
    label = "slack of one head"
    axes.annotate(
        label, xy=(variance, (variance * bound) ** 0.5), xytext=(6, -6), textcoords="offset points", fontsize=7.5
    )


def _distribution(axes: Any, columns: dict[str, Any]) -> None:
    bins = np.linspace(0, 1, 41)
    for group, colour in COLOURS.items():
        values = columns["ratio"][columns["group"] == group]
        weights = np.full(len(values), 100 / max(1, len(values)))
        look = {"color": colour, "linestyle": STYLES[group], "linewidth": 1.4, "label": NAMES[group]}
        axes.hist(values, bins=bins, weights=weights, histtype="step", **look)
    _reference_lines(axes.axvline)
    axes.set(xlim=(0, 1), xlabel="variance / bound", ylabel="heads (%)", title="b  distribution over heads")
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 1.04), handlelength=1.0, fontsize=7, borderaxespad=0.2)


def _layers(axes: Any, columns: dict[str, Any]) -> None:
    for group, colour in COLOURS.items():
        mine = columns["group"] == group
        layers = np.unique(columns["layer"][mine])
        ratios = [columns["ratio"][mine & (columns["layer"] == layer)] for layer in layers]
        low, middle, high = (np.array([np.nanquantile(r, q) for r in ratios]) for q in (0.25, 0.5, 0.75))
        look = {"color": colour, "linestyle": STYLES[group], "marker": MARKERS[group], "markersize": 2.5}
        axes.plot(layers, middle, label=NAMES[group], **look)
        axes.fill_between(layers, low, high, color=colour, alpha=0.15, linewidth=0)
    _reference_lines(axes.axhline)
    axes.set(ylim=(0, 1), xlabel="layer", ylabel="variance / bound", title="c  median and quartiles by layer")


def _reference_lines(line: Any) -> None:
    for (ratio, _), style in zip(REFERENCES, ("-", "--", ":"), strict=True):
        line(ratio, color="0.3", linestyle=style, linewidth=0.8, zorder=0)


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    about = json.loads(data.schema.metadata[b"headproof"])
    ratio, group = data["ratio"].to_numpy(), data["group"].to_numpy()
    medians = ", ".join(f"{NAMES[name]} {np.nanmedian(ratio[group == name]):.3f}" for name in COLOURS)
    seed = about["plan"]["null_seeds"][0]
    return (
        "dec.thm1 (exclusion) and the identity behind it, bound = variance + slack, on the logit tables of all "
        f"{about['layers']} x {about['heads']} heads of {about['model']['name']}: one point a head and prompt, at the "
        f"last query of the prompts {', '.join(about['plan']['prompts'])}; nulls with seed {seed}. The inequality is a "
        "theorem (HOLDS) and the identity holds for any table, so all points lie in the grey region above the diagonal "
        "(a); the vertical distance to the diagonal is the slack. A purely positional or purely symbolic head lies on "
        "the dashed line (a head on the line need be neither), tables of independent entries scatter around the dotted "
        "one, and the solid line at ratio 1 is the bound attained. (b) Distribution of variance / bound over heads and "
        "prompts. (c) Its median (line) and quartiles (band) in each layer. The small cloud of shuffled heads at low "
        f"variance is {_low_cloud(data)}. Medians here: {medians}; headproof check reports them over all queries and "
        "null seeds."
    )


def _low_cloud(data: pa.Table) -> str:
    """Which layers hold the shuffled heads whose variance is far below the others'."""
    mine = data["group"].to_numpy() == "shuffled"
    variance, layer = data["variance"].to_numpy()[mine], data["layer"].to_numpy()[mine]
    low = np.unique(layer[variance < np.median(variance) / 20])
    return f"layer {', '.join(map(str, low))}" if len(low) else "absent"


figure = Figure(
    "exclusion",
    "Bound against variance on every head of a model",
    compute,
    draw,
    caption,
    ("dec.thm1",),
)
