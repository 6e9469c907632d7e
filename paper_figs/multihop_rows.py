"""What the figures of trained multihop models share: the committed runs, tidy rows, looks, words of captions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.multihop.trained import Array, Runs, runs_of
from headproof.checks.trained.rows import described
from headproof.theory.errors import InputError
from headproof.theory.multihop.measured import SIZES, TASKS

Row = dict[str, Any]
Tables = Mapping[str, Mapping[str, pa.Table]]
SMALL = 7
COLOURS = {"number": "#0072B2", "letter": "#E69F00"}
HOPS = {1: "#0072B2", 2: "#E69F00", 3: "#009E73", 4: "#CC79A7"}
MARKED = "#D55E00"
# Columns of text and of fractions; all others hold whole numbers.
TEXT, FRACTIONS = ("kind", "task", "size", "state"), ("value", "low", "high")


def committed() -> Tables:
    """The committed tables of both tasks. Raises InputError if there are none."""
    from headproof.checks.trained.multihop import measurement

    found = {task: tables for task in TASKS if (tables := measurement.read(task)) is not None}
    if len(found) < len(TASKS):
        raise InputError("no multihop models are committed", "run headproof remeasure multihop")
    return found


def by_size(tables: Tables) -> dict[str, Runs]:
    """The runs of both tasks by size. Raises InputError if a task has no full one."""
    found: dict[str, Runs] = {size: runs_of(tables, size) for size in SIZES}
    if missing := [task for task, runs in found["full"].items() if not runs]:
        raise InputError(f"no full run of the {missing[0]} task is committed", "run headproof remeasure multihop")
    return found


def tidy(found: Iterable[Row], names: Sequence[str], tables: Tables) -> pa.Table:
    """Rows as a table of just these columns, null where a row has none; what the runs are stands with it by task."""
    held = [{name: _plain(row.get(name)) for name in names} for row in found]
    kinds = {**dict.fromkeys(TEXT, pa.string()), **dict.fromkeys(FRACTIONS, pa.float64())}
    columns = [pa.array([row[name] for row in held], kinds.get(name, pa.int64())) for name in names]
    about = {task: described(each["steps"]) for task, each in tables.items()}
    return pa.table(columns, names=list(names)).replace_schema_metadata({"headproof": json.dumps(about)})


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# -- looks ---------------------------------------------------------------------------------------------------------


def grid_of(down: Array, across: Array, values: Array) -> Array:
    """Values by row and column, each in its place among the distinct ones; NaN where there is none."""
    (rows, at_row), (columns, at_column) = (np.unique(each, return_inverse=True) for each in (down, across))
    found = np.full((len(rows), len(columns)), np.nan)
    found[at_row, at_column] = values
    return found


def heat(axes: Any, grid: Array) -> Any:
    """A map of numbers from 0 to 1, the first layer at the bottom."""
    look = {"aspect": "auto", "interpolation": "nearest", "origin": "lower", "cmap": "viridis"}
    image = axes.imshow(np.ma.masked_invalid(grid), vmin=0, vmax=1, **look)
    axes.yaxis.set_major_locator(whole())
    return image


def whole() -> Any:
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(6, integer=True, min_n_ticks=1)


def nowhere() -> Any:
    """No ticks."""
    from matplotlib.ticker import NullLocator

    return NullLocator()


def bar_of(figure: Any, image: Any, axes: Any, label: str) -> None:
    """The colour bar of maps, beside all of their axes."""
    bar = figure.colorbar(image, ax=axes, location="right", pad=0.02, aspect=35)
    bar.outline.set_visible(False)
    bar.set_label(label)


def layer_colours(layers: int) -> Any:
    """A colour a layer, from the first, dark, to the last."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["viridis"](np.linspace(0, 0.92, layers)))


def layer_bar(figure: Any, axes: Any, layers: int, label: str) -> None:
    """The colour bar of `layer_colours`."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm

    norm = BoundaryNorm(np.arange(layers + 1) - 0.5, layers)
    bar = figure.colorbar(ScalarMappable(norm, layer_colours(layers)), ax=axes, pad=0.02, aspect=24)
    bar.set_ticks(list(range(0, layers, 2 if layers > 6 else 1)))
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    bar.set_label(label)


def key(label: str, **look: Any) -> Any:
    """A legend's entry of a line or mark."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **{"color": "0.3", "label": label, **look})


def mark(**look: Any) -> dict[str, Any]:
    """The look of marks without a line; hollow ones show what is below them."""
    return {"linestyle": "none", "markersize": 4.5, "markerfacecolor": "white", "markeredgewidth": 1.1, **look}


# -- words ---------------------------------------------------------------------------------------------------------


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "hop"), counted(2, "hop")
    ('1 hop', '2 hops')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def joined(parts: Iterable[Any]) -> str:
    """Parts in one line, or the word none.

    >>> joined([1, 2]), joined([])
    ('1, 2', 'none')
    """
    return ", ".join(map(str, parts)) or "none"


def run_words(data: pa.Table, sizes: Sequence[str] = tuple(SIZES)) -> str:
    """What was trained, from the metadata: steps, tokens and seeds of each task, size by size."""
    said = []
    for size in sizes:
        for task, about in described(data).items():
            held = [run for run in about["runs"] if run["size"] == size]
            if held:
                first, seeds = held[0], [run["seed"] for run in held]
                tokens = first["target"] + first["before"] + 1
                named = f"seed{'' if len(seeds) == 1 else 's'} {joined(seeds)}"
                said.append(f"{size} {task}: {first['steps']} steps at {tokens} tokens, {named}")
    return "; ".join(said)
