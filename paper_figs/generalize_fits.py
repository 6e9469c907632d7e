"""Figure `additive_fit`: how well position and content add up to the causal logits, by layer, beside the nulls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from headproof.paper_figs.figure import house_style
from headproof.paper_figs.generalize_rows import (
    SMALL,
    band_key,
    banded,
    by_head,
    by_layer,
    depth_bar,
    depth_points,
    left_out,
    model_words,
    null_words,
    quartiles,
    text_words,
    whole,
)
from headproof.paper_figs.groups import NAMES
from headproof.paper_figs.profile_rows import groups_in

PRINTED = 0.95
# Rows: what r is taken over. Columns: logits as they are, and without the token means.
FITS = (
    ("row_correlation", "a  within rows"),
    ("centred_row_correlation", "b  within rows, centred"),
    ("correlation", "c  all entries"),
    ("centred_correlation", "d  all entries, centred"),
)
PARTS = ("content_correlation", "position_correlation")


def additive_fit(fits: pa.Table) -> Any:
    """r of the additive fit by layer, each group's median and quartiles over heads, and of the trained heads the r of
    position alone against that of content alone."""
    from matplotlib.figure import Figure

    groups = groups_in(fits)
    with house_style():
        figure = Figure(figsize=(7.2, 3.9))
        grid = figure.add_gridspec(2, 3, width_ratios=(1, 1, 1.3))
        panels = [figure.add_subplot(grid[number // 2, number % 2]) for number in range(len(FITS))]
        for axes, (name, title) in zip(panels, FITS, strict=True):
            for group in groups:
                heads = by_head(fits, (name,), group)
                banded(axes, *by_layer(heads.layer, heads.values[name]), group)
            printed_line(axes)
            axes.set(ylim=(0, 1), title=title)
            axes.xaxis.set_major_locator(whole())
        for axes in panels[:2]:
            axes.tick_params(labelbottom=False)
        for axes in panels[1::2]:
            axes.tick_params(labelleft=False)
        for axes in panels[2:]:
            axes.set_xlabel("layer")
        for axes in panels[::2]:
            axes.set_ylabel("r of logits and fit")
        _parts(figure, figure.add_subplot(grid[:, 2]), fits)
        handles = panels[0].get_legend_handles_labels()[0]
        figure.legend(
            handles=[*handles, band_key("interquartile range over heads")], loc="outside lower center", ncols=5,
            fontsize=SMALL,
        )  # fmt: skip
    return figure


def printed_line(axes: Any) -> None:
    """The printed 0.95."""
    axes.axhline(PRINTED, color="0.3", linewidth=0.7, zorder=0, label=f"printed: {PRINTED:g}")


def _parts(figure: Any, axes: Any, fits: pa.Table) -> None:
    heads = by_head(fits, PARTS, "trained")
    content, position = (heads.values[name] for name in PARTS)
    points = depth_points(axes, content, position, heads.layer, clip_on=False)
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.7, zorder=0)
    axes.set(
        xlim=(0, 1), ylim=(0, 1), xlabel="r within rows, content only", ylabel="r within rows, position only",
        title="e  the two parts",
    )  # fmt: skip
    depth_bar(figure, points, axes, location="right", aspect=40)


def caption(fits: pa.Table, about: Mapping[str, Any]) -> str:
    """Claim, domain and reading of the figure."""
    heads = {group: by_head(fits, [name for name, _ in FITS], group) for group in groups_in(fits)}
    medians = "; ".join(
        f"{NAMES[group]} " + ", ".join(f"{quartiles(one.values[name])[1]:.3f}" for name, _ in FITS)
        for group, one in heads.items()
    )
    return (
        f"gen.additive. {model_words(about)} on {text_words(fits, about['settings']['tokens'])}; {null_words(fits)}. "
        "r is the correlation of a head's causal logits with their least-squares fit a[i-j] + b[i] + c[j], the mean "
        "over texts. Lines are medians over the heads of a layer (of a null, over those of all its seeds), bands their "
        "interquartile range. (a) Within rows, each less its mean, which is what softmax sees; (b) the same of "
        "centred queries and keys: their mean over tokens is taken off before rotation, so that what a mean query and "
        "a mean key see of distances and contents is gone; (c, d) the same over all visible entries, as printed: there "
        "the mean of each row counts as explained. The thin line is the 0.95 that gen.additive prints for another "
        f"model. Medians over all heads in a, b, c, d: {medians}. (e) Each trained head's r within rows with the fit "
        "of position alone, a[i-j] + b[i], against that of content alone, b[i] + c[j]; above the grey line position "
        "explains more." + left_out(heads, [name for name, _ in FITS])
    )
