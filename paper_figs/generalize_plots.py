"""The plots of `headproof generalize`: additive fits, false distances, planes, moved words, and long contexts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from headproof.paper_figs import (
    generalize_curves,
    generalize_fits,
    generalize_length,
    generalize_planes,
    generalize_tolerance,
)
from headproof.paper_figs.figure import DATA, Drawing, write
from headproof.paper_figs.figure import targets as figure_targets

__all__ = ["FIGURES", "Plot", "captions", "targets", "write_plots"]

Tables = Mapping[str, pa.Table]
About = Mapping[str, Any]


@dataclass(frozen=True)
class Plot:
    """A figure of the topic: the tables it is drawn from, how, and its caption of the same tables and `about`."""

    tables: tuple[str, ...]
    draw: Callable[..., Any]
    caption: Callable[..., str]

    def given(self, tables: Tables) -> tuple[pa.Table, ...] | None:
        """Its tables; None if one of them is absent or has no rows."""
        found = tuple(tables[name] for name in self.tables if name in tables and tables[name].num_rows)
        return found if len(found) == len(self.tables) else None


FIGURES: Mapping[str, Plot] = {
    "additive_fit": Plot(("fits",), generalize_fits.additive_fit, generalize_fits.caption),
    "false_distance": Plot(("curves", "queries"), generalize_curves.false_distance, generalize_curves.caption),
    "turning_pattern": Plot(("planes", "queries"), generalize_planes.turning_pattern, generalize_planes.caption),
    "order_tolerance": Plot(("tolerance",), generalize_tolerance.order_tolerance, generalize_tolerance.caption),
    "long_context": Plot(("outputs", "contexts"), generalize_length.long_context, generalize_length.caption),
}


def targets(out: Path) -> list[Path]:
    """All files that `write_plots` may write into `out`."""
    return [path for name in FIGURES for path in figure_targets(name, out) if path.suffix not in DATA]


def write_plots(tables: Tables, about: About, out: Path) -> list[Path]:
    """Draw tables by name (those of `headproof generalize`; `about` says what made them) into the folder `out`, each
    figure as PNG and SVG with its caption as text: all files or none.

    Figures whose tables are absent or empty are left out. The same tables give the same files. Raises InputError if
    they cannot be written.
    """
    texts = captions(tables, about)
    drawings = [
        Drawing(name, plot.draw(*given), texts[name])
        for name, plot in FIGURES.items()
        if (given := plot.given(tables)) is not None
    ]
    return write(drawings, out)


def captions(tables: Tables, about: About) -> dict[str, str]:
    """Claims, domain, reading and error of each figure that there is, by name."""
    return {
        name: plot.caption(*given, about) for name, plot in FIGURES.items() if (given := plot.given(tables)) is not None
    }
