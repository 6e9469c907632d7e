"""Figures `scores_plane` and `layer_maps` of a profile: all heads by their two scores, and by layer and number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.evidence import mean_over
from headproof.checks.trained.pairing import pearson
from headproof.checks.trained.rows import described
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
from headproof.paper_figs.profile_rows import Array, Heads, by_head, groups_in, picked
from headproof.theory.scores.reading import kinds

BOTH = ("positional", "symbolic")
UNREACHED, HATCHED = "0.93", "0.85"
SMALL = 7
MANY = 1000  # heads; more are drawn smaller, and as pixels in an SVG


def scores_plane(heads: pa.Table, asked: str, temperature: float, correlations: pa.Table | None = None) -> Any:
    """The positional-symbolic plane, a panel for each group: one point a head, its mean over prompts.

    Trained heads are coloured by layer. Beside Pearson's r over heads stands, if `correlations` are given, that of
    the surrogates: what the geometry of the scores alone gives. Raises InputError for a setting not measured.
    """
    from matplotlib.figure import Figure

    groups = groups_in(heads)
    with house_style():
        figure = Figure(figsize=(0.9 + 2.1 * len(groups), 2.85), layout="compressed")
        panels = figure.subplots(1, len(groups), sharex=True, sharey=True, squeeze=False)[0]
        gamma = described(heads)["settings"]["gamma"]
        for letter, group, axes in zip("abc", groups, panels, strict=False):
            found = by_head(heads, BOTH, group, asked, temperature)
            _regions(axes, gamma, *(found.mean(name) for name in BOTH))
            _points(figure, panels, axes, group, found)
            geometry = None if correlations is None else _surrogate_r(correlations, group, asked, temperature)
            _numbers(axes, found, geometry)
            axes.set(
                xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="symbolic score $s_{\\mathrm{sym}}$",
                xticks=np.linspace(0, 1, 6),
            )  # fmt: skip
            axes.set_title(f"{letter}  {NAMES[group]}", pad=14)
        panels[0].set_ylabel("positional score $s_{\\mathrm{pos}}$")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def _regions(axes: Any, gamma: float, positional: Array, symbolic: Array) -> None:
    """Where points can lie, the margins, and the percentage of heads that lie in each region beyond them."""
    angle = np.linspace(0, np.pi / 2, 181)
    axes.fill_between([0, 1], [1, 0], color=UNREACHED, linewidth=0, zorder=0)
    axes.plot([0, 1], [1, 0], color="0.3", linewidth=1, zorder=4, label="chord: no average of swaps lies below it")
    axes.plot(
        np.sin(angle), np.cos(angle), color="0.3", linestyle="--", linewidth=1, zorder=4,
        label="unit circle: no single swap lies inside it",
    )  # fmt: skip
    axes.axhline(1 - gamma, color="0.3", linestyle=":", linewidth=0.8, zorder=4, label=f"margin $\\gamma$ = {gamma:g}")
    axes.axvline(1 - gamma, color="0.3", linestyle=":", linewidth=0.8, zorder=4)
    kind = kinds(positional, symbolic, gamma)
    share = {name: 100 * np.mean(kind == name) for name in ("positional", "symbolic", "both")}
    middle, corner = (1 - gamma) / 2, 1 - gamma / 2
    text = {"transform": axes.transAxes, "fontsize": SMALL, "color": "0.3"}
    axes.text(middle, 1.02, f"positional {share['positional']:.0f} %", ha="center", va="bottom", **text)
    axes.text(corner, 1.02, f"both {share['both']:.0f} %", ha="center", va="bottom", **text)
    axes.text(1.02, middle, f"symbolic {share['symbolic']:.0f} %", ha="left", va="center", rotation=-90, **text)


def _points(figure: Any, panels: Any, axes: Any, group: str, found: Heads) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    many = len(found.layer) > MANY
    look: dict[str, Any] = {"marker": MARKERS[group], "s": 3 if many else 9, "linewidths": 0, "zorder": 3}
    look |= {"clip_on": False, "rasterized": many}
    places = found.mean("symbolic"), found.mean("positional")
    if group != "trained":
        axes.scatter(*places, color=COLOURS[group], alpha=0.6, **look)
        return
    depth = ListedColormap(colormaps["viridis"](np.linspace(0, 0.92, 256)))
    last = max(1, found.layer.max())
    points = axes.scatter(*places, c=found.layer, cmap=depth, vmin=0, vmax=last, alpha=0.8, **look)
    bar = figure.colorbar(points, ax=list(panels), location="right", pad=0.02, aspect=24)
    bar.set_label("layer (trained)")
    bar.locator = _whole()
    bar.solids.set_alpha(1)
    bar.outline.set_visible(False)


def _whole() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(6, integer=True, min_n_ticks=1)


def _numbers(axes: Any, found: Heads, geometry: float | None) -> None:
    """Pearson's r over heads, the mean over prompts, in the corner that no average reaches."""
    pairs = zip(*(found.values[name] for name in BOTH), strict=True)
    r = [pearson(one[~np.isnan(one)], other[~np.isnan(other)]) for one, other in pairs]
    unseen = int(np.isnan(found.mean("positional")).sum())
    own = float(mean_over(np.array(r)))
    lines = ["r undefined" if np.isnan(own) else f"r = {_signed(own)}"]
    lines += [] if geometry is None or np.isnan(geometry) else [f"surrogates {_signed(geometry)}"]
    seen = len(found.layer) - unseen
    lines += [f"{seen} head{'' if seen == 1 else 's'}"]
    lines += [f"{unseen} unseen"] if unseen else []
    axes.text(0.04, 0.04, "\n".join(lines), fontsize=SMALL, va="bottom", zorder=4)


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _surrogate_r(correlations: pa.Table, group: str, asked: str, temperature: float) -> float:
    columns = picked(correlations, ("surrogate", "r"), group=group, asked=asked, temperature=temperature)
    return float(mean_over(columns["r"][columns["surrogate"] >= 0]))


# -- maps ----------------------------------------------------------------------------------------------------------


def layer_maps(heads: pa.Table, asked: str, temperature: float) -> Any:
    """Maps of both scores and of the purity of the trained model, a row a layer and a column a head: means over
    prompts. Raises InputError for a setting not measured."""
    from matplotlib.figure import Figure

    found = by_head(heads, (*BOTH, "purity"), "trained", asked, temperature)
    layers, columns = 1 + int(found.layer.max()), 1 + int(found.head.max())
    with house_style():
        figure = Figure(figsize=(7.2, float(np.clip(1.5 + 0.085 * layers, 2.4, 6.0))))
        panels = figure.subplots(1, 3, sharey=True)
        names = (*BOTH, "purity")
        titles = ("a  positional score", "b  symbolic score", "c  purity: positional − symbolic")
        images = []
        for axes, name, title in zip(panels, names, titles, strict=True):
            grid = np.full((layers, columns), np.nan)
            grid[found.layer, found.head] = found.mean(name)
            there = np.zeros_like(grid, dtype=bool)
            there[found.layer, found.head] = True
            images.append(_map(axes, grid, there, name == "purity"))
            axes.set(title=title, xlabel="head")
        panels[0].set_ylabel("layer")
        for image, axes in ((images[0], list(panels[:2])), (images[2], panels[2])):
            bar = figure.colorbar(image, ax=axes, location="right", pad=0.02, aspect=30)
            bar.outline.set_visible(False)
            bar.set_ticks(np.linspace(image.norm.vmin, 1, 5).tolist())
        if keys := _unmeasured(found, layers * columns):
            figure.legend(handles=keys, loc="outside lower center", ncols=2, fontsize=SMALL)
    return figure


def _ground() -> dict[str, Any]:
    """How what is not seen looks."""
    return {"facecolor": HATCHED, "edgecolor": "0.5", "hatch": "/" * 7, "linewidth": 0}


def _map(axes: Any, grid: Array, there: Array, signed: bool) -> Any:
    """One map; cells without a number show the hatched ground, cells without a head nothing."""
    from matplotlib.colors import ListedColormap

    cells = {"aspect": "auto", "interpolation": "nearest", "origin": "lower"}
    if np.isnan(grid[there]).any():
        axes.fill_between([-0.5, grid.shape[1] - 0.5], -0.5, grid.shape[0] - 0.5, zorder=0, **_ground())
    if not there.all():
        blank = np.ma.masked_where(there, np.zeros(grid.shape))
        axes.imshow(blank, cmap=ListedColormap(["white"]), zorder=1, **cells)
    look = {"cmap": "RdBu_r", "vmin": -1, "vmax": 1} if signed else {"cmap": "viridis", "vmin": 0, "vmax": 1}
    image = axes.imshow(np.ma.masked_invalid(grid), zorder=2, **cells, **look)
    axes.xaxis.set_major_locator(_whole())
    axes.yaxis.set_major_locator(_whole())
    return image


def _unmeasured(found: Heads, cells: int) -> list[Any]:
    from matplotlib.patches import Patch

    keys = []
    if np.isnan(found.mean("positional")).any():
        keys.append(Patch(label="not seen: fewer than two blocks inside the layer's window", **_ground()))
    if len(found.layer) < cells:
        keys.append(Patch(label="no attention head here", facecolor="white", edgecolor="0.6", linewidth=0.5))
    return keys
