"""What a figure is, and how it is written: PNG, SVG and the plotted data as CSV, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure as drawn (matplotlib's Figure), its caption, and the plotted data if they are to be kept beside it."""

    name: str
    picture: Any
    caption: str
    data: pa.Table | None = None


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
    with house_style():
        drawn = figure.draw(data)
    try:
        return write([Drawing(figure.name, drawn, figure.caption(data), data)], out)
    finally:
        plt.close(drawn)


@contextmanager
def house_style(**settings: Any) -> Iterator[None]:
    """matplotlib in the style of `house.mplstyle`, with further settings."""
    import matplotlib
    import matplotlib.style

    style = str(files("headproof.paper_figs") / "house.mplstyle")
    with matplotlib.style.context(style), matplotlib.rc_context(settings):
        yield


def write(drawings: Sequence[Drawing], out: Path) -> list[Path]:
    """Write drawings into the folder `out`, all of their files or none; the same drawings give the same files.

    Raises InputError if they cannot be written.
    """
    paths = []
    with ExitStack() as stack:
        for drawing in drawings:
            for path in targets(drawing.name, out):
                if path.suffix == ".csv" and drawing.data is None:
                    continue
                _write(drawing, stack.enter_context(replacing(path)))
                paths.append(path)
    return paths


def _write(drawing: Drawing, path: Path) -> None:
    """One file of a drawing, its kind by the suffix."""
    if path.suffix == ".csv":
        pa.csv.write_csv(drawing.data, path)
    elif path.suffix == ".txt":
        path.write_text(drawing.caption + "\n", "utf-8")
    else:
        # A fixed salt and no date: the same data give the same files.
        with house_style(**{"svg.hashsalt": drawing.name}):
            kept: dict[str, Any] = {"dpi": 200} if path.suffix == ".png" else {"metadata": {"Date": None}}
            drawing.picture.savefig(path, **kept)
