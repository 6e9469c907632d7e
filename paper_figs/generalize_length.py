"""Figure `long_context`: what attention hands out beyond the training length, in each mode, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.evidence import cube, mean_over
from headproof.checks.trained.rows import Columns, columns_of, rows
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.generalize_rows import BAND, SMALL, band_key, counted, model_words, whole
from headproof.paper_figs.profile_rows import Array

# Colour and marker of each mode; others take what is left.
MODES = {
    "full": ("#0072B2", "o"),
    "windowed": ("#D55E00", "s"),
    "windowed+sink": ("#009E73", "^"),
    "capped": ("#CC79A7", "D"),
}
BEYOND = "outside_beyond"
# What stands beside it: style, colour, name.
BESIDE = {
    "outside_inside": ("-", "0.55", "inside the training length"),
    "outside_late": ("--", "0.35", "just before the training length"),
    "outside_other_head": (":", "black", "control: the next head's, inside"),
}
PANELS_A_ROW = 2


def modes_of(columns: Columns) -> list[str]:
    """The modes there are, in the order of MODES."""
    there = dict.fromkeys(map(str, columns["mode"]))
    return [mode for mode in MODES if mode in there]


def shares(columns: Columns, name: str, mode: str) -> tuple[Array, Array]:
    """The layers, and each seed's mean over heads of a share outside the region, `(seeds, layers)`."""
    mine = rows(columns, mode=mode)
    values = cube(mine, name, ("seed", "layer", "head"))
    return np.unique(mine["layer"]), mean_over(np.moveaxis(values, 2, 0))


def long_context(outputs: pa.Table, contexts: pa.Table) -> Any:
    """By layer and mode, the share of attention outputs outside the 95 % region of those inside the training length;
    and the mean negative log-likelihood of each seed inside and in each mode beyond it."""
    from matplotlib.figure import Figure

    columns = columns_of(outputs)
    modes = modes_of(columns)
    beside = [name for name in BESIDE if name in columns]
    down = -(-len(modes) // PANELS_A_ROW)
    with house_style():
        figure = Figure(figsize=(7.2, 1.3 + 1.45 * down))
        grid = figure.add_gridspec(1, 2, width_ratios=(1.75, 1))
        left = grid[0].subgridspec(down, PANELS_A_ROW)
        panels: list[Any] = []
        for number, mode in enumerate(modes):
            axes = figure.add_subplot(left[number // PANELS_A_ROW, number % PANELS_A_ROW])
            panels.append(axes)
            for name in (*beside, BEYOND):
                _share(axes, columns, name, mode)
            axes.axhline(0.05, color="0.8", linewidth=0.6, zorder=0)
            axes.set(ylim=(0, 1), title=f"{'abcd'[number]}  {mode}")
            axes.xaxis.set_major_locator(whole())
            axes.tick_params(labelbottom=number >= len(modes) - PANELS_A_ROW, labelleft=number % PANELS_A_ROW == 0)
            if number >= len(modes) - PANELS_A_ROW:
                axes.set_xlabel("layer")
            if number % PANELS_A_ROW == 0:
                axes.set_ylabel("outside the region")
        last = figure.add_subplot(grid[1])
        _likelihoods(last, columns_of(contexts))
        last.set_title(f"{'abcde'[len(modes)]}  predictions")
        figure.legend(handles=_legend(beside), loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def _share(axes: Any, columns: Columns, name: str, mode: str) -> None:
    layers, values = shares(columns, name, mode)
    style, colour = ("-", MODES[mode][0]) if name == BEYOND else BESIDE[name][:2]
    if np.isnan(values).all():
        return
    width = 1.4 if name == BEYOND else 1.0
    axes.plot(layers, values.mean(axis=0), color=colour, linestyle=style, linewidth=width, zorder=3)
    axes.fill_between(layers, values.min(axis=0), values.max(axis=0), color=colour, alpha=BAND, linewidth=0, zorder=1)


def _likelihoods(axes: Any, columns: Columns) -> None:
    """One mark a seed and mode, the marks of a seed joined."""
    modes = modes_of(columns)
    inside = cube(columns, "nll_inside", ("seed", "mode")).mean(axis=1)
    beyond = [cube(rows(columns, mode=mode), "nll_beyond", ("seed",)) for mode in modes]
    axes.plot(range(len(modes) + 1), [inside, *beyond], color="0.75", linewidth=0.8, zorder=1)
    look = {"linestyle": "none", "markersize": 4, "zorder": 3}
    axes.plot(np.zeros(len(inside)), inside, marker="o", markerfacecolor="white", color="0.4", **look)
    for place, (mode, values) in enumerate(zip(modes, beyond, strict=True), 1):
        colour, marker = MODES[mode]
        axes.plot(np.full(len(values), place), values, marker=marker, color=colour, **look)
    names = ["inside", *(mode.replace("+", "\n+ ") for mode in modes)]
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set(xlim=(-0.4, len(modes) + 0.4), ylabel="mean negative log-likelihood (nats)")


def _legend(beside: list[str]) -> list[Any]:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color="0.2", linewidth=1.4, label="beyond the training length (colour: the mode)")]
    for name in beside:
        style, colour, label = BESIDE[name]
        handles.append(Line2D([], [], color=colour, linestyle=style, linewidth=1.0, label=label))
    return [*handles, band_key("least to largest seed")]


def caption(outputs: pa.Table, contexts: pa.Table, about: Mapping[str, Any]) -> str:
    """Claim, domain and reading of the figure."""
    columns, texts = columns_of(outputs), columns_of(contexts)
    modes = modes_of(columns)
    seeds = np.unique(columns["seed"])
    said = ", ".join(f"{mode} {np.nanmean(shares(columns, BEYOND, mode)[1]):.3f}" for mode in modes)
    inside = float(np.nanmean(shares(columns, "outside_inside", modes[0])[1]))
    length, extra = int(texts["length"].max()), int(texts["extra"].max())
    repeats = int(texts["repeats"].max())
    last = "abcde"[len(modes)]
    return (
        f"gen.length. {model_words(about)}, trained model only (no nulls), on {counted(len(seeds), 'text')} of "
        f"{length} + {extra} tokens, the corpus in the random order of seeds {', '.join(map(str, seeds))}"
        + (f", repeated up to {counted(repeats, 'time')} to be as long" if repeats else "")
        + f"; training length {length}. (a-{'abcd'[len(modes) - 1]}) For each mode and layer, the share of a head's "
        "attention outputs beyond the training length that lie outside its region: 95 % of the outputs inside that "
        "the texts gave in the other seeds' orders, within and beside their leading principal components. Lines are "
        "means over heads and seeds, bands reach from the least to the largest seed's mean. Grey: the same of the "
        "seed's own outputs inside, what another order of the texts makes"
        + (" (dashed: of those just before the training length)" if "outside_late" in columns else "")
        + "; dotted, the control: of the next head's outputs inside. The thin line is 0.05. Means over layers: "
        f"{said}; inside {inside:.3f}. ({last}) Mean negative log-likelihood of {int(texts['predictions'].max())} "
        "tokens before the training length (inside) and after it in each mode, one mark a seed, those of a seed "
        "joined; marks are single values and have no error of their own."
    )
