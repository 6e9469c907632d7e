"""What the figures of `headproof generalize` share: measures of heads and their quartiles, looks, words of captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from headproof.checks.trained.evidence import cube
from headproof.checks.trained.rows import Columns, columns_of
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
from headproof.paper_figs.profile_rows import Array, groups_in

SMALL = 7
STYLES = {"trained": "-", "fresh": "--", "shuffled": ":"}
BAND = 0.18
TEXTS_NAMED = 8
MANY = 1000  # heads; more are pixels in an SVG


@dataclass(frozen=True, eq=False)
class Heads:
    """Measures of every head of one group, `(heads,)` each: the mean over texts, and over queries where a text has
    several. Of a null, the heads of all its seeds. NaN where a text has no value."""

    layer: Array
    head: Array
    values: dict[str, Array]


def picked(table: pa.Table, names: Sequence[str], **wanted: Any) -> Columns:
    """Columns of the rows in which other columns have the wanted values."""
    mask = pa.scalar(True)
    for name, value in wanted.items():
        mask = pa.compute.and_(mask, pa.compute.equal(table[name], value))
    return columns_of((table.filter(mask) if wanted else table).select(list(names)))


def by_head(table: pa.Table, names: Sequence[str], group: str) -> Heads:
    """Measures of the heads of a group."""
    asked = ["asked"] if "asked" in table.column_names else []
    columns = picked(table, ["text", "null_seed", "layer", "head", *asked, *names], group=group)
    found, code = numbered(columns)
    columns = {**columns, "code": code}
    cubes = {name: cube(columns, name, ("text", *asked, "code")) for name in names}
    values = {name: each.reshape(-1, len(found)).mean(axis=0) for name, each in cubes.items()}
    return Heads(found[:, 1], found[:, 2], values)


def numbered(columns: Columns) -> tuple[Array, Array]:
    """The heads of some rows, `(heads, 3)`: null seed, layer and head; and which of them each row is of, `(rows,)`."""
    found, code = np.unique(
        np.stack([columns[name].astype(np.int64) for name in ("null_seed", "layer", "head")], axis=1),
        axis=0,
        return_inverse=True,
    )
    return found, code.reshape(-1)


def quartiles(values: Array) -> Array:
    """Lower quartile, median and upper quartile of what is no NaN, `(3,)`; NaN of nothing."""
    seen = values[~np.isnan(values)]
    return np.quantile(seen, (0.25, 0.5, 0.75)) if len(seen) else np.full(3, np.nan)


def by_layer(layer: Array, values: Array) -> tuple[Array, Array]:
    """The layers there are, and the quartiles of each, `(3, layers)`."""
    layers = np.unique(layer)
    return layers, np.stack([quartiles(values[layer == one]) for one in layers], axis=1)


# -- looks ---------------------------------------------------------------------------------------------------------


def banded(axes: Any, places: Array, ends: Array, group: str, **look: Any) -> None:
    """A line and its band in a group's look: `ends` `(3, places)` are the band's lower end, the line, the upper end."""
    given = {"color": COLOURS[group], "linestyle": STYLES[group], "label": NAMES[group], **look}
    axes.plot(places, ends[1], marker=None if len(places) > 1 else MARKERS[group], markersize=3, **given)
    axes.fill_between(places, ends[0], ends[2], color=given["color"], alpha=BAND, linewidth=0, zorder=1)


def depth_points(axes: Any, x: Array, y: Array, layer: Array, **look: Any) -> Any:
    """Marks of trained heads coloured by layer; for the colour bar."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    depth = ListedColormap(colormaps["viridis"](np.linspace(0, 0.92, 256)))
    last = max(1, int(layer.max())) if len(layer) else 1
    given = {"s": 9, "linewidths": 0, "alpha": 0.8, "zorder": 3, "marker": MARKERS["trained"]}
    given |= {"rasterized": len(x) > MANY, **look}
    return axes.scatter(x, y, c=layer, cmap=depth, vmin=0, vmax=last, **given)


def depth_bar(figure: Any, points: Any, axes: Any, **look: Any) -> None:
    """The colour bar of `depth_points`."""
    bar = figure.colorbar(points, ax=axes, **{"pad": 0.02, "aspect": 24, **look})
    bar.set_label("layer (trained)")
    bar.locator = whole()
    bar.solids.set_alpha(1)
    bar.outline.set_visible(False)


def whole() -> Any:
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(6, integer=True, min_n_ticks=1)


def plain_logarithmic(axis: Any) -> None:
    """Plain numbers along a logarithmic axis whose data are drawn: the more a decade, the fewer decades there are."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = sorted(axis.get_view_interval())
    decades = np.log10(high / low)
    subs = (1, 1.5, 2, 3, 5, 7) if decades < 1 else (1, 2, 5) if decades < 2 else (1, 3) if decades < 3 else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def band_key(label: str) -> Any:
    """A legend's entry of a band."""
    from matplotlib.patches import Patch

    return Patch(label=label, color="0.5", alpha=2 * BAND, linewidth=0)


# -- words ---------------------------------------------------------------------------------------------------------


def model_words(about: Mapping[str, Any]) -> str:
    """The model, its size and its hash."""
    model = about["model"]
    digest = f"; sha256 {model['sha256'][:12]}" if model["sha256"] else ""
    return f"{model['name']} ({model['layers']} layers of {model['heads']} heads{digest})"


def text_words(table: pa.Table, tokens: int) -> str:
    """The texts of a table."""
    names = sorted(map(str, pa.compute.unique(table["text"]).to_pylist()))
    more = f" and {len(names) - TEXTS_NAMED} more" if len(names) > TEXTS_NAMED else ""
    listed = ", ".join(names[:TEXTS_NAMED]) + more
    return f"{counted(len(names), 'text')} of {tokens} tokens ({listed})"


def null_words(table: pa.Table) -> str:
    """The nulls of a table and their seeds; that there are none, if so."""
    columns = picked(table, ("group", "null_seed"))
    seeds = sorted({int(seed) for seed in columns["null_seed"][columns["group"] != "trained"]})
    if not seeds:
        return "no nulls"
    names = " and ".join(NAMES[group] for group in groups_in(table) if group != "trained")
    return f"nulls ({names}) of seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "text"), counted(2, "text")
    ('1 text', '2 texts')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def left_out(heads: Mapping[str, Heads], names: Sequence[str]) -> str:
    """A sentence about heads that have no value of some measures, by group; nothing if all have."""
    missing = {
        group: int(np.any([np.isnan(one.values[name]) for name in names], axis=0).sum()) for group, one in heads.items()
    }
    said = ", ".join(
        f"{count} of {len(heads[group].layer)} {NAMES[group]}" for group, count in missing.items() if count
    )
    return f" Heads without a value are left out: {said}." if said else ""
