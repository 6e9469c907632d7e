"""What the lessons share: the committed ledger's words as Markdown, exact numbers and tables, pictures in house style.

Cards, verdicts and numbers are read from the committed ledger each time a lesson runs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import marimo as mo
import numpy as np

from headproof.checks.ledger import records
from headproof.checks.registry import claims, unknown
from headproof.paper_figs.figure import house_style
from headproof.tabulating import tiers
from headproof.theory.errors import InputError
from headproof.theory.rational import rational
from headproof.theory.table import LogitTable

BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
KINDS = {"HOLDS": "success", "SUPPORTED": "success", "REFUTED": "danger", "NOT SUPPORTED": "warn"}
DOTS_AN_INCH = 170


# -- the ledger ----------------------------------------------------------------------------------------------------


def record_of(claim_id: str) -> dict[str, Any]:
    """The committed ledger's record of a claim; InputError for a claim that is not in it."""
    found = records()
    if claim_id not in found:
        raise unknown("claim", claim_id, found)
    return found[claim_id]


def verdict_of(claim_id: str) -> str:
    """The verdict that the ledger has of a claim; InputError for a claim that is not in it."""
    return str(record_of(claim_id)["verdict"])


def said(claim_id: str) -> str:
    """One line of Markdown: a claim, its verdict, how it is known, and its title."""
    record = record_of(claim_id)
    return f"`{claim_id}` **{record['verdict']}** ({', '.join(tiers(record))}): {record['title']}"


def counterexample_of(claim_id: str) -> str:
    """The shortest counterexample that the ledger has of a claim, as text; empty if it has none."""
    texts = [finding["counterexample_text"] for finding in record_of(claim_id)["findings"]]
    return min(filter(None, texts), key=len, default="")


def number_of(claim_id: str, name: str) -> float:
    """A measured number of an empirical claim, from the ledger; InputError if it has no such number."""
    for finding in record_of(claim_id)["findings"]:
        if name in finding["numbers"]:
            return float(finding["numbers"][name]["value"])
    raise InputError(f"claim {claim_id} reports no number {name!r}")


def card(claim_id: str, formula: bool = True) -> mo.Html:
    """A claim as the ledger has it: verdict, tiers, statement; if refuted the counterexample and what survives."""
    record = record_of(claim_id)
    lines = [f"**{record['verdict']}** · {', '.join(tiers(record))} · `{claim_id}`", f"**{record['title']}**"]
    if formula:
        lines.append(f"$$\n{claims()[claim_id].latex}\n$$")
    lines.append(record["sentence"])
    if case := counterexample_of(claim_id):
        lines.append(f"*Fails at* {case}.")
    if record["survives"]:
        lines.append(f"*What survives* (`{record['repair']}`): {record['survives']}.")
    return mo.callout(mo.md("\n\n".join(lines)), kind=KINDS.get(record["verdict"], "neutral"))


# -- numbers and tables --------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A number as a reader takes it in: an exact one in full if it is short, anything else to three decimals."""
    exactly = isinstance(value, int | Fraction) and not isinstance(value, bool)
    if exactly and len(str(value)) <= 8:
        return str(value).replace("-", "−")
    return f"{float(value):.3f}".replace("-", "−")


def tex(value: Fraction | int) -> str:
    """An exact number in LaTeX."""
    number = Fraction(value)
    sign = "-" if number < 0 else ""
    if number.denominator == 1:
        return f"{sign}{abs(number.numerator)}"
    return rf"{sign}\tfrac{{{abs(number.numerator)}}}{{{number.denominator}}}"


def table_of(rows: Sequence[Sequence[Any]]) -> LogitTable:
    """An exact table from what a reader typed: whole numbers and decimals, as they are written."""
    return LogitTable.of_rows([[rational(f"{value:g}") for value in row] for row in rows])


def grid(rows: Sequence[Sequence[Any]], contents: Sequence[str], positions: Sequence[str], bold: bool = True) -> str:
    """A table in Markdown, one row a content and one column a position; the diagonal, in use, in bold type."""
    lines = [f"| | {' | '.join(positions)} |", f"| --- |{' :-: |' * len(positions)}"]
    for a, (name, row) in enumerate(zip(contents, rows, strict=True)):
        cells = [f"**{shown(value)}**" if bold and a == b else shown(value) for b, value in enumerate(row)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def parsed_table(text: str) -> LogitTable:
    """A table typed as text: rows parted by semicolons or line breaks, rationals parted by spaces or commas.

    Raises InputError for what is no square table of rationals.
    """
    rows = [row.replace(",", " ").split() for row in text.replace("\n", ";").split(";") if row.strip()]
    if not rows:
        raise InputError("an empty table", "write rows such as '0 1/2; 1/2 1'")
    return LogitTable.of_rows([[rational(each) for each in row] for row in rows])


# -- pictures ------------------------------------------------------------------------------------------------------


@contextmanager
def drawing(size: tuple[float, float], *panels: int, **more: Any) -> Iterator[tuple[Any, Any]]:
    """A figure of a size in inches and its axes, the house style in force while the block draws.

    `with drawing((7, 3), 1, 2) as (figure, axes)` has two panels side by side; `more` goes to `subplots`.
    """
    from matplotlib.figure import Figure

    with house_style():
        figure = Figure(figsize=size)
        yield figure, figure.subplots(*(panels or (1, 1)), **more)


def image(figure: Any, alt: str) -> mo.Html:
    """A figure as an image with a text for those who do not see it."""
    held = io.BytesIO()
    with house_style():
        figure.savefig(held, format="png", dpi=DOTS_AN_INCH)
    return mo.image(
        held.getvalue(), alt=alt, width=f"{round(100 * figure.get_figwidth())}px", style={"max-width": "100%"}
    )


def heat(axes: Any, rows: Any, title: str, contents: Sequence[str], positions: Sequence[str]) -> None:
    """A table as colours with its numbers; a frame around each logit in use."""
    from matplotlib.patches import Rectangle

    values = np.array([[float(value) for value in row] for row in rows])
    reach = max(1e-9, float(np.abs(values).max()))
    axes.imshow(values, cmap="RdBu_r", vmin=-1.4 * reach, vmax=1.4 * reach)
    for a, b in np.ndindex(values.shape):
        axes.text(b, a, shown(rows[a][b]), ha="center", va="center", fontsize=8)
        if a == b:
            axes.add_patch(Rectangle((b - 0.5, a - 0.5), 1, 1, fill=False, linewidth=1.6))
    axes.set(xlabel="position", ylabel="content", title=title)
    axes.set_xticks(range(len(positions)), positions)
    axes.set_yticks(range(len(contents)), contents)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
