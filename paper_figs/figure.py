"""What a figure is, and how it is written: PNG, SVG, the plotted data as CSV and what they are, whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa

from headproof.checks.files import replacing
from headproof.checks.registry import Context
from headproof.paper_figs.captions import verdicts_sentence
from headproof.paper_figs.data import as_written, description, read_data, write_csv
from headproof.theory.errors import InputError

KINDS = ("csv", "json", "png", "svg", "txt")
DATA = (".csv", ".json")  # not beside a drawing whose data stand elsewhere
# Colours of a PNG: none of these figures shows more that an eye tells apart, and the file is a third of the size.
COLOURS = 256
DPI = 200
_CLIP = re.compile(r"(?<=[#\"])p[0-9a-f]{10}(?=[)\"])")


@dataclass(frozen=True)
class Figure:
    """A figure by name. `compute(context, message)` returns the data that is plotted, one row a mark (reusing
    cached measurements); `draw(data)` returns the matplotlib figure; `caption(data)` states claim and domain.
    `claims` are the claims that it shows, by id or prefix: their verdicts are added to the caption."""

    name: str
    title: str
    compute: Callable[[Context, Callable[[str], None]], pa.Table]
    draw: Callable[[pa.Table], Any]
    caption: Callable[[pa.Table], str]
    claims: tuple[str, ...] = ()


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
    """The files that a figure of this name is written to: data and what they are, picture twice, caption."""
    return [out / f"{name}.{kind}" for kind in KINDS]


def captioned(figure: Figure, data: pa.Table) -> str:
    """The caption with the verdicts of the committed ledger on what the figure shows.

    Raises InputError if the figure names a claim that no topic brings.
    """
    said = verdicts_sentence(figure.claims)
    return f"{figure.caption(data)} {said}".rstrip()


def drawing(figure: Figure, data: pa.Table) -> Drawing:
    """The figure drawn from its data, in the house style; the caller closes the picture."""
    import matplotlib

    matplotlib.use("Agg")
    with house_style():
        drawn = figure.draw(data)
    return Drawing(figure.name, drawn, captioned(figure, data), data)


def save(figure: Figure, out: Path, context: Context, message: Callable[[str], None]) -> list[Path]:
    """Compute and draw a figure into `out`: NAME.csv, NAME.json (what the columns are, and where the data come from),
    NAME.png, NAME.svg and NAME.txt, the caption.

    It is drawn from the data as they are written, so that `redraw` gives the same picture. The files are moved into
    place together at the end. Raises InputError if they cannot be written.
    """
    return _saved(figure, as_written(figure.compute(context, message)), out)


def redraw(figure: Figure, folder: Path, out: Path) -> list[Path]:
    """Draw a figure from the NAME.csv and NAME.json in a folder, computing nothing; the same files, in `out`.

    Raises InputError if the data are not there or are another figure's.
    """
    return _saved(figure, read_data(folder, figure.name), out)


def _saved(figure: Figure, data: pa.Table, out: Path) -> list[Path]:
    import matplotlib.pyplot as plt

    made = drawing(figure, data)
    try:
        return write([made], out)
    finally:
        plt.close(made.picture)


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
                if path.suffix in DATA and drawing.data is None:
                    continue
                _write(drawing, stack.enter_context(replacing(path)))
                paths.append(path)
    return paths


def _write(drawing: Drawing, path: Path) -> None:
    """One file of a drawing, its kind by the suffix."""
    if path.suffix == ".csv":
        write_csv(drawing.data, path)
    elif path.suffix == ".json":
        path.write_text(description(drawing.data, drawing.name), "utf-8")
    elif path.suffix == ".txt":
        path.write_text(drawing.caption + "\n", "utf-8")
    elif path.suffix == ".png":
        path.write_bytes(palette_png(drawing.picture, DPI))
    else:
        # A fixed salt and no date: the same data give the same files.
        with house_style(**{"svg.hashsalt": drawing.name}):
            drawing.picture.savefig(path, metadata={"Date": None})
        path.write_text(named_in_order(path.read_text("utf-8"), drawing.name), "utf-8")


def palette_png(picture: Any, dpi: int) -> bytes:
    """A matplotlib figure as a PNG of few colours, in the house style; the same picture gives the same bytes."""
    from PIL import Image

    full, few = BytesIO(), BytesIO()
    with house_style():
        picture.savefig(full, format="png", dpi=dpi)
    with Image.open(full) as image:
        quantized = image.convert("RGB").quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    quantized.save(few, "PNG", optimize=True, dpi=(dpi, dpi))
    return few.getvalue()


def named_in_order(svg: str, name: str) -> str:
    """An SVG with its clip paths named by their order.

    matplotlib names them by their place to the last bit, which its layouts do not repeat.
    """
    named = {clip: f"{name}-clip-{number}" for number, clip in enumerate(dict.fromkeys(_CLIP.findall(svg)))}
    return _CLIP.sub(lambda match: named[match[0]], svg)
