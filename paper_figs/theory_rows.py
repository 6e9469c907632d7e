"""What the figures of theorems share: tidy rows, the edge where an exact condition turns, heads that are run, looks."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.constructions.heads import Head
from headproof.constructions.tasks import Task
from headproof.theory.claim import Claim, Statement
from headproof.theory.cosine_sums import Sum, value
from headproof.theory.errors import InputError

Row = dict[str, Any]
SMALL = 7
BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
TEXT, WHOLE, NUMBER, TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()
# Bisections of an interval: the edge is then known to more digits than a table keeps.
HALVINGS = 38


def tidy(found: Iterable[Row], columns: Mapping[str, pa.DataType], about: Mapping[str, Any]) -> pa.Table:
    """Rows as a table of just these columns, `about` with it for the caption. A text that is missing is empty, any
    other value null."""
    held = list(found)
    arrays = [
        pa.array([_plain(row.get(name, "" if kind == TEXT else None)) for row in held], kind)
        for name, kind in columns.items()
    ]
    return pa.table(arrays, names=list(columns)).replace_schema_metadata({"headproof": json.dumps(dict(about))})


def _plain(given: Any) -> Any:
    return given.item() if isinstance(given, np.generic) else given


def number(total: Sum) -> float:
    """A sum of multiples of cosines, rounded."""
    return float(value(total).mid())


def edge(holds: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Fraction:
    """Where an exact condition stops to hold between `low`, where it holds, and `high`, where it does not.

    It is taken to turn once; the edge is below the point returned by less than `(high - low) / 2^HALVINGS`. Raises
    InputError unless it holds at the one end alone.
    """
    if not holds(low) or holds(high):
        raise InputError(f"no edge from {low} to {high}", "a condition that holds at the first end alone has one")
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high


def stated(claim: Claim) -> Statement:
    """The statement of a claim; raises InputError for an empirical one, which has none."""
    if claim.statement is None:
        raise InputError(f"{claim.id} is decided by measuring", "only a claim with a statement has exact cases")
    return claim.statement


def least(holds: Callable[[Fraction], bool]) -> float:
    """The number above 0 from which on an exact condition holds, rounded: it is doubled until it does, then halved in.

    Raises InputError for a condition that holds at 0 already.
    """
    high = Fraction(1)
    while not holds(high):
        high *= 2
    return float(edge(lambda each: not holds(each), Fraction(0), high))


# -- constructions, run ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Runs:
    """Every input of a task at one length, embedded (input, n, token), and its answer."""

    task: Task
    embedded: np.ndarray[Any, Any]
    answers: tuple[str, ...]

    @classmethod
    def of(cls, task: Task, length: int) -> Runs:
        """All inputs of `length` tokens, the query counted."""
        inputs = list(task.inputs(length))
        embedded = np.array([task.encode(tokens) for tokens in inputs], dtype=np.float64)
        return cls(task, embedded, tuple(task.solve(tokens) for tokens in inputs))

    def all_right(self, head: Head) -> bool:
        """Whether a float head answers each of them rightly under hard attention."""
        outputs = head.output_at(self.embedded, -1, math.inf)
        return all(self.task.decode(y) == wanted for y, wanted in zip(outputs, self.answers, strict=True))


# -- looks ---------------------------------------------------------------------------------------------------------


def key(label: str, **look: Any) -> Any:
    """A legend's entry of a line or mark."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **{"color": "0.3", "label": label, **look})


def marks(**look: Any) -> dict[str, Any]:
    """The look of marks without a line; hollow ones show what is below them."""
    return {"linestyle": "none", "markersize": 4, "markerfacecolor": "white", "markeredgewidth": 1.0, **look}


def spread(wanted: Sequence[float], apart: float) -> list[float]:
    """Places for labels near the wanted ones, in their order, at least so far apart.

    >>> spread([0.0, 0.1, 5.0], 1.0)
    [-0.45, 0.55, 5.0]
    """
    groups: list[list[int]] = []
    centre: list[float] = []
    for label in sorted(range(len(wanted)), key=lambda each: wanted[each]):
        groups.append([label])
        centre.append(wanted[label])
        while len(groups) > 1 and centre[-1] - centre[-2] < apart * (len(groups[-1]) + len(groups[-2])) / 2:
            joined = groups.pop(-2) + groups.pop()
            groups.append(joined)
            centre[-2:] = [sum(wanted[each] for each in joined) / len(joined)]
    found = [0.0] * len(wanted)
    for middle, group in zip(centre, groups, strict=True):
        for at, label in enumerate(group):
            found[label] = round(middle + apart * (at - (len(group) - 1) / 2), 9)
    return found


def labelled(axes: Any, ends: Sequence[tuple[float, float, str]], x: float) -> None:
    """Names of lines at `x`, each joined to its line's end by a thin line, moved up or down so that none overlap."""
    low, high = axes.get_ylim()
    places = spread([y for _, y, _ in ends], (high - low) / 17)
    for (end, y, words), at in zip(ends, places, strict=True):
        axes.plot([end, x], [y, at], color="0.6", linewidth=0.5, zorder=0)
        axes.text(x, at, f" {words}", fontsize=SMALL, va="center")


def counted_ticks(axes: Any, ticks: Iterable[int], axis: str = "x") -> None:
    """Ticks of a logarithmic axis at whole numbers, in figures, and none between."""
    from matplotlib.ticker import NullLocator

    chosen = list(ticks)
    getattr(axes, f"set_{axis}ticks")(chosen, labels=[str(each) for each in chosen])
    getattr(axes, f"{axis}axis").set_minor_locator(NullLocator())
