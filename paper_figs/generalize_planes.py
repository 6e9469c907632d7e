"""Figure `turning_pattern`: where keys vary, how tight the bound of gen.thm2 is, and whether order matters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.evidence import cube
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.generalize_rows import (
    MANY,
    SMALL,
    STYLES,
    Heads,
    band_key,
    banded,
    by_head,
    depth_bar,
    depth_points,
    left_out,
    model_words,
    null_words,
    numbered,
    picked,
    plain_logarithmic,
    quartiles,
    text_words,
)
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
from headproof.paper_figs.profile_rows import Array, groups_in

TIGHTNESS = {
    "tightness_50": "c  double difference, median",
    "tightness_95": "d  double difference, 95 %",
    "over_bound": "e  root mean square",
}
SHARES = ("interaction_share_reordered", "interaction_share")


def deviations(planes: pa.Table, group: str) -> list[tuple[Array, Array]]:
    """Key deviation over its median over the head's planes, the mean over texts, of all heads of a group.

    One (angles `(planes,)` rising, deviations `(heads, planes)`) for each set of angles that layers have.
    """
    names = ("text", "null_seed", "layer", "head", "plane", "frequency", "key_deviation")
    columns = picked(planes, names, group=group)
    columns["code"] = numbered(columns)[1]
    values, angles = (cube(columns, name, ("text", "code", "plane")) for name in ("key_deviation", "frequency"))
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = (values / _median_over_planes(values)).mean(axis=0)
    relative[~np.isfinite(relative)] = np.nan
    of_head = np.nan_to_num(angles[0], nan=-1.0)
    kinds, which = np.unique(of_head, axis=0, return_inverse=True)
    found = []
    for number, kind in enumerate(kinds):
        order = np.argsort(kind, kind="stable")
        order = order[kind[order] > 0]
        found.append((kind[order], relative[which.reshape(-1) == number][:, order]))
    return found


def _median_over_planes(values: Array) -> Array:
    """The median over planes of each text and head, `(texts, heads, 1)`; of what is no NaN."""
    flat = values.reshape(-1, values.shape[-1])
    medians = np.array([quartiles(row)[1] for row in flat])
    return medians.reshape(*values.shape[:-1], 1)


def of_queries(queries: pa.Table, group: str) -> Heads:
    """The measures drawn of single queries, with `over_bound`: mean over texts and queries of each head."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.asarray(queries["interaction"]) / np.asarray(queries["bound"])
    given = queries.append_column("over_bound", pa.array(ratio))
    return by_head(given, (*TIGHTNESS, *SHARES), group)


def turning_pattern(planes: pa.Table, queries: pa.Table) -> Any:
    """Above: key deviation by the plane's angle, and interaction shares as they are against angles dealt at random.
    Below: the distribution over heads of what the interaction reaches of its bounds."""
    from matplotlib.figure import Figure

    heads = {group: of_queries(queries, group) for group in groups_in(queries)}
    with house_style():
        figure = Figure(figsize=(7.2, 5.1))
        grid = figure.add_gridspec(2, 1, height_ratios=(1.6, 1))
        upper, lower = grid[0].subgridspec(1, 2, width_ratios=(1.25, 1)), grid[1].subgridspec(1, 3)
        first = figure.add_subplot(upper[0])
        _deviations(first, planes)
        _dealt(figure, figure.add_subplot(upper[1]), heads)
        panels = [figure.add_subplot(lower[number]) for number in range(len(TIGHTNESS))]
        for number, (axes, (name, title)) in enumerate(zip(panels, TIGHTNESS.items(), strict=True)):
            _distribution(axes, heads, name)
            axes.set(title=title, xlabel="share of its bound")
            if number:
                axes.tick_params(labelleft=False)
        panels[0].set_ylabel("heads (%)")
        handles = first.get_legend_handles_labels()[0]
        figure.legend(
            handles=[*handles, band_key("interquartile range over heads")], loc="outside lower center", ncols=4,
            fontsize=SMALL,
        )  # fmt: skip
    return figure


def _deviations(axes: Any, planes: pa.Table) -> None:
    for group in groups_in(planes):
        for number, (angles, values) in enumerate(deviations(planes, group)):
            ends = np.stack([quartiles(column) for column in values.T], axis=1)
            banded(axes, angles, ends, group, linewidth=1.4 - 0.5 * min(number, 1), label="_" * number + NAMES[group])
    axes.axhline(1, color="0.6", linewidth=0.7, zorder=0)
    axes.set(
        xscale="log", yscale="log", xlabel="angle of the plane (radians a position)",
        ylabel="key deviation / median plane's", title="a  where keys vary",
    )  # fmt: skip
    plain_logarithmic(axes.yaxis)


def _dealt(figure: Any, axes: Any, heads: Mapping[str, Heads]) -> None:
    """Interaction share as it is, up, against with angles dealt at random, across."""
    from matplotlib.lines import Line2D

    for group, found in reversed(list(heads.items())):
        x, y = (np.where(found.values[name] > 0, found.values[name], np.nan) for name in SHARES)
        if group == "trained":
            points = depth_points(axes, x, y, found.layer)
            depth_bar(figure, points, axes, location="right")
        else:
            look = {"s": 6, "linewidths": 0, "alpha": 0.45, "color": COLOURS[group], "rasterized": len(x) > MANY}
            axes.scatter(x, y, marker=MARKERS[group], zorder=2, **look)
    axes.set(
        xscale="log", yscale="log", xlabel="angles dealt at random", ylabel="own angles", title="b  interaction's share"
    )
    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())
    plain_logarithmic(axes.xaxis)
    plain_logarithmic(axes.yaxis)
    axes.axline((0.1, 0.1), (1, 1), color="0.3", linewidth=0.8, zorder=1)
    axes.legend(
        handles=[
            Line2D([], [], linestyle="none", marker=MARKERS[group], color=COLOURS[group], markersize=3, label=group)
            for group in heads
            if group != "trained"
        ],
        loc="upper left", fontsize=SMALL, handletextpad=0.1, borderaxespad=0.1,
    )  # fmt: skip


def _distribution(axes: Any, heads: Mapping[str, Heads], name: str) -> None:
    """The share of a group's heads up to each value."""
    for group, found in heads.items():
        seen = np.sort(found.values[name][~np.isnan(found.values[name])])
        if len(seen):
            steps = 100 * np.arange(len(seen) + 1) / len(seen)
            places = np.concatenate([seen[:1], seen])
            axes.step(places, steps, where="post", color=COLOURS[group], linestyle=STYLES[group], label=NAMES[group])
    axes.axvline(1, color="0.3", linewidth=0.8)
    axes.set(xlim=(0, 1.03), ylim=(0, 100))


def caption(planes: pa.Table, queries: pa.Table, about: Mapping[str, Any]) -> str:
    """Claim, domain and reading of the figure."""
    heads = {group: of_queries(queries, group) for group in groups_in(queries)}
    tokens = about["settings"]["tokens"]
    asked = ", ".join(f"{fraction:g}" for fraction in sorted(set(queries["asked"].to_pylist())))
    below = ", ".join(
        f"{NAMES[group]} {100 * np.mean(found.values[SHARES[1]] < found.values[SHARES[0]]):.0f} %"
        for group, found in heads.items()
    )
    largest = float(np.nanmax(np.append(np.asarray(queries["tightness_proven"]), 0.0)))
    own, drawn = ((text_words(table, tokens), null_words(table)) for table in (planes, queries))
    same = "" if own == drawn else f" of {', '.join(own)}"
    several = any(len(deviations(planes, group)) > 1 for group in groups_in(planes))
    return (
        f"gen.thm2. {model_words(about)} on {text_words(queries, tokens)}, queries at {asked} of a text; "
        f"{null_words(queries)}. (a) At the last query{same}: the root mean square distance of a head's keys from "
        "their mean in each rotary plane, over the same in the head's median plane, the mean over texts, by the "
        "plane's angle; lines are medians over heads, bands their interquartile range. gen.thm2 (reconstructed) says "
        "that keys vary little in fast planes (right). "
        + ("Layers with other angles have thinner lines of their own. " if several else "")
        + "(b) Share of the interaction in the sum of squares of a head's logit table, as it is against the mean of 10 "
        "random deals of the angles to the planes; one mark a head, mean over texts and queries. Below the diagonal "
        f"the order of the angles lessens the interaction: {below} of heads. (c-e) Distribution over heads of what "
        "the interaction reaches of its bound: the median and the 95 % quantile of the double differences of gen.thm2 "
        "over random pairs of keys and positions, and the root mean square over the table against the bound that "
        "follows for it. At 1 the bound is attained; the largest ratio of any pair drawn, less what rounding may add, "
        f"is {largest:.2f}." + left_out(heads, tuple(TIGHTNESS))
    )
