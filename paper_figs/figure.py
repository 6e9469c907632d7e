"""What a figure is, and how it is written: PNG, SVG and the plotted data as CSV, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from headproof.checks.files import replacing
from headproof.checks.registry import Context
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Figure:
    """A figure by name. `compute(context, message)` returns the data that is plotted, one row a mark (reusing
    cached measurements); `draw(data)` returns the matplotlib figure; `caption(data)` states claim and domain."""

    name: str
    title: str
    compute: Callable[[Context, Callable[[str], None]], pa.Table]
    draw: Callable[[pa.Table], Any]
    caption: Callable[[pa.Table], str]


def load(point: Any) -> Figure:
    """The figure of an entry point; raises InputError naming the package whose entry point does not load."""
    try:
        figure = point.load()
    except ImportError as error:
        raise InputError(f"figure {point.name} = {point.value} does not load: {error}") from error
    if not isinstance(figure, Figure):
        raise InputError(f"entry point {point.name} = {point.value} is a {type(figure).__name__}, not a Figure")
    return figure


def targets(name: str, out: Path) -> list[Path]:
    """The files that a figure of this name is written to: data, picture twice, caption."""
    return [out / f"{name}.{kind}" for kind in ("csv", "png", "svg", "txt")]


def save(figure: Figure, out: Path, context: Context, message: Callable[[str], None]) -> list[Path]:
    """Compute and draw a figure into `out`: NAME.csv, NAME.png, NAME.svg and NAME.txt, the caption.

    The files are moved into place together at the end. Raises InputError if they cannot be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    data = figure.compute(context, message)
    paths = targets(figure.name, out)
    # A fixed salt and no date: the same data give the same files.
    settings = {"svg.hashsalt": figure.name}
    with plt.style.context(str(files("headproof.paper_figs") / "house.mplstyle")), plt.rc_context(settings):
        drawn = figure.draw(data)
        with ExitStack() as stack:
            temporary = [stack.enter_context(replacing(path)) for path in paths]
            temporary[3].write_text(figure.caption(data) + "\n", "utf-8")
            pa.csv.write_csv(data, temporary[0])
            drawn.savefig(temporary[1], dpi=200)
            drawn.savefig(temporary[2], metadata={"Date": None})
        plt.close(drawn)
    return paths
