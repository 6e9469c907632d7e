"""Figure `discrepancy_heads`: leads and scales of trained toy heads beside the bounds of theorem 3.2 (DYN)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.discrepancy import length_bound
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.theory_rows import (
    BLUE,
    GREEN,
    NUMBER,
    ORANGE,
    SMALL,
    TEXT,
    TRUTH,
    WHOLE,
    Row,
    key,
    marks,
    number,
    tidy,
)
from headproof.theory.angles import Angle
from headproof.theory.discrepancy import IndexCase
from headproof.theory.discrepancy.index_claims import first_other, letter_gap
from headproof.theory.discrepancy.temperature import smallest_beta

CLAIMS = (
    "dyn.thm3.2.index",
    "dyn.thm3.2.retrieval.smallest-lead",
    "dyn.lemmaF.1.index.necessary",
)
COLUMNS = {
    "kind": TEXT,
    "task": TEXT,
    "length": WHOLE,
    "angles": TEXT,
    "angle": NUMBER,
    "seed": WHOLE,
    "state": TEXT,
    "learned": TRUTH,
    "lead": NUMBER,
    "gap": NUMBER,
    "scale": NUMBER,
    "printed": NUMBER,
}
LENGTHS = (16, 32)
LONG, SHORT = 32, 16
TASKS = ("index", "retrieval")
# Angles at which the theory is drawn, evenly spaced in their logarithm, as rational numbers of radians.
FINEST, DRAWN, ROUNDED = 0.008, 90, 2000
STATES: dict[str, tuple[str, dict[str, Any]]] = {
    "trained": ("toys", {"color": BLUE, "marker": "o"}),
    "untrained": ("the same before training", {"color": ORANGE, "marker": "^"}),
    "shuffled": ("toys with shuffled answers", {"color": GREEN, "marker": "s"}),
}
# Points, not a line: between any two of them the lead may touch 0.
POINTS = {"color": "0.35", "linestyle": "none", "marker": ".", "markersize": 2.5}
# Below these sizes the axes are linear, so that 0 and what is negative can be drawn.
LINEAR_LEAD, LINEAR_ANGLE = 1e-3, 1e-2


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a toy and state, from the committed sweep, and one an angle with what theory says there of H_POS.

    Leads, gaps and bounds are in units of the head's largest mean logit (`scale`, in logits). Raises InputError if no
    sweep is committed.
    """
    from headproof.checks.trained.canonical.measurement import require

    del context, message
    tables = require()
    columns = {name: columns_of(table) for name, table in tables.items()}
    about = described(tables["cells"])
    return tidy([*toy_rows(columns), *_theory()], COLUMNS, {"sweep": about["sweep"]})


def toy_rows(columns: dict[str, Columns]) -> Iterator[Row]:
    """The toys of one angle: each seed's first round that learns the task, or its last; the same head before training;
    and, as a second null, those whose answers were shuffled."""
    from headproof.checks.trained.canonical.grouping import learned_toys

    heads = columns["heads"]
    place = {(name, state): at for at, (name, state) in enumerate(zip(heads["name"], heads["state"], strict=True))}
    for task in TASKS:
        for length in LENGTHS:
            held = rows(columns["cells"], task=task, length=length)
            learned = learned_toys(columns, task, length)["name"]
            for cell in _chosen(held, set(learned.tolist())):
                for state in ("trained", "untrained") if cell["answers"] == "true" else ("trained",):
                    shown = state if cell["answers"] == "true" else "shuffled"
                    head = {name: values[place[cell["name"], state]] for name, values in heads.items()}
                    yield _toy_row(cell, head, shown, cell["name"] in learned)


def _chosen(held: Columns, learned: set[str]) -> Iterator[dict[str, Any]]:
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    order = np.argsort(held["round"], kind="stable")
    for at in order:
        cell = {name: values[at].item() for name, values in held.items()}
        toy = (cell["answers"], cell["angles"], cell["seed"])
        if toy not in found or found[toy]["name"] not in learned:
            found[toy] = cell
    yield from found.values()


def _toy_row(cell: dict[str, Any], head: dict[str, Any], state: str, learned: bool) -> Row:
    # Nothing is printed of angle 0: Index's angle is irrational, Retrieval's positive.
    named = ("angle_bound", "length_bound") if cell["angle"] > 0 else ()
    bounds = [float(head[name]) for name in named if not math.isnan(head[name])]
    about = {name: cell[name] for name in ("task", "length", "angles", "angle", "seed")}
    found = {"lead": head["least_lead"], "gap": head["gap"], "scale": head["unit"]}
    return {
        **about, **{name: float(value) for name, value in found.items()}, "kind": "toy", "state": state,
        "learned": learned and state == "trained", "printed": min(bounds, default=None),
    }  # fmt: skip


def _theory() -> Iterator[Row]:
    """H_POS on T = n - 1 key places: its least lead, exact, the printed bound, and the scale that it needs."""
    angles = {Fraction(float(each)).limit_denominator(ROUNDED) for each in np.geomspace(FINEST, math.pi, DRAWN)}
    for length in LENGTHS:
        for radians in sorted(angles):
            theta = Angle.of_radians(radians)
            needed = smallest_beta("index", length, float(theta))
            yield {
                "kind": "theory", "task": "index", "length": length, "angles": str(theta), "angle": float(theta),
                "lead": number(letter_gap(IndexCase(theta, length - 1))),
                "scale": needed if math.isfinite(needed) else None,
                "printed": min(number(first_other(IndexCase(theta, length))), length_bound(length)),
            }  # fmt: skip


def draw(data: pa.Table) -> Any:
    """Least leads of Index toys at both lengths, their scales, and least leads of Retrieval toys."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    figure = plt.figure(figsize=(7.2, 5.4))
    panels = figure.subplots(2, 2)
    for axes, length, letter in zip(panels[0], LENGTHS, "ab", strict=True):
        _leads(axes, rows(columns, task="index", length=length))
        axes.set_title(f"{letter}  Index, {length} tokens: least lead")
    _scales(panels[1, 0], rows(columns, task="index", length=LONG))
    panels[1, 0].set_title(f"c  Index, {LONG} tokens: scale")
    _leads(panels[1, 1], rows(columns, task="retrieval", length=SHORT))
    panels[1, 1].set_title(f"d  Retrieval, {SHORT} tokens: least lead")
    for axes in panels.flat:
        axes.set_xscale("symlog", linthresh=LINEAR_ANGLE)
        ticks = (0, 0.01, 0.1, 1)
        axes.set_xticks(ticks, labels=[f"{each:g}" for each in ticks])
        axes.set(xlabel="angle, radians per position", xlim=(-0.002, 4.5))
    for axes in (panels[0, 0], panels[1, 1]):
        axes.set_ylabel("lead / largest mean logit")
    panels[1, 0].set_ylabel("largest mean logit")
    keys = [
        key("toys that learned the task", **marks(color=BLUE, marker="o", markerfacecolor=BLUE)),
        key("toys that did not", **marks(color=BLUE, marker="o")),
        *(key(words, **marks(**look)) for words, look in list(STATES.values())[1:]),
        key("printed bound", color="black", linewidth=1.5),
        key("H_POS at sampled angles: its lead; the scale it needs (c)", **POINTS),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def _toys(axes: Any, mine: Columns, name: str) -> None:
    for state in reversed(STATES):
        _, look = STATES[state]
        held = rows(mine, kind="toy", state=state)
        for learned in (False, True):
            one = rows(held, learned=learned)
            face = look["color"] if learned else "white"
            axes.plot(one["angle"], one[name], **marks(**look, markersize=3.4, markerfacecolor=face, alpha=0.85))


def _leads(axes: Any, mine: Columns) -> None:
    axes.axhline(0, color="0.7", linewidth=0.7, zorder=0)
    theory = rows(mine, kind="theory")
    axes.plot(theory["angle"], theory["lead"], zorder=1, **POINTS)
    _toys(axes, mine, "lead")
    if len(theory["angle"]):
        axes.plot(theory["angle"], theory["printed"], color="black", linewidth=1.5, zorder=3)
    else:
        toys = rows(mine, state="trained")
        for angle in np.unique(toys["angle"][np.isfinite(toys["printed"])]):
            bound = rows(toys, angle=angle)["printed"][0]
            axes.plot(
                [angle * 0.75 - 0.001, angle * 1.3 + 0.001], [bound, bound], color="black", linewidth=1.5, zorder=5
            )
    axes.set_yscale("symlog", linthresh=LINEAR_LEAD)
    axes.set_yticks(
        [-10, -1, -0.1, -0.01, 0, 0.01, 0.1, 1], labels=["-10", "-1", "-0.1", "-0.01", "0", "0.01", "0.1", "1"]
    )


def _scales(axes: Any, mine: Columns) -> None:
    theory = rows(mine, kind="theory")
    axes.plot(theory["angle"], theory["scale"], zorder=1, **POINTS)
    _toys(axes, mine, "scale")
    axes.set(yscale="log", ylim=(1e-4, 1e6))


def caption(data: pa.Table) -> str:
    """Claims, domain and reading of the figure."""
    columns, sweep = columns_of(data), described(data)["sweep"]
    toys = rows(columns, kind="toy")
    told = []
    for length in LENGTHS:
        mine = rows(toys, task="index", length=length, state="trained", learned=True)
        over = mine["gap"] / mine["printed"]
        told.append(
            f"at {length} tokens {int((mine['lead'] > 0).sum())} of {len(over)} lead on every input asked, "
            f"{int((mine['lead'] <= mine['printed']).sum())} by no more than the printed bound, and the largest gap of "
            f"{int((over > 1).sum())} exceeds it (median {np.median(over):.2g} times)"
        )
    nulls = rows(toys, task="index", state="untrained"), rows(toys, task="index", state="shuffled")
    behind = [f"{int((each['lead'] < 0).sum())} of {len(each['lead'])}" for each in nulls]
    kept = rows(toys, task="retrieval", length=SHORT, state="trained", learned=True)
    printed = np.isfinite(kept["printed"])
    drawn = len(rows(columns, kind="theory", length=LONG)["angle"])
    return (
        "dyn.thm3.2.index and dyn.thm3.2.retrieval.smallest-lead beside trained heads: one-layer toys of one rotary "
        f"angle from the committed sweep, seeds {', '.join(map(str, sweep['seeds']))}; {sweep['steps']} steps, more "
        "where that did not do. a, b, d: the least lead of the target's logit over another key place's on sampled "
        "inputs, in units of the head's largest mean logit; below 0 hard attention looks elsewhere. Black: what the "
        "print bounds the discrepancy by, min(1 - cos theta, 2 pi^2 / n^2) for Index and 1 - cos(omega - n theta) for "
        "Retrieval, short lines where its angle is allowed (above 0, below omega / (2 n)); it is about the "
        "constructions, and toys have eight planes of one angle and queries that may turn further. Grey points: the "
        f"least lead of H_POS over its key places, exactly, at {drawn} angles; between them it falls to 0 wherever two "
        f"places lie whole turns apart. Index toys that learned the task: {'; '.join(told)}. Of the nulls {behind[0]} "
        f"toys before training and {behind[1]} with shuffled answers are behind. Of the {int(printed.sum())} Retrieval "
        f"toys at allowed angles {_above(kept, printed)} lead by more than is printed, as heads with more than one "
        f"plane can. {_behind(kept)} c: the largest mean logit, beside the inverse temperature that H_POS, its largest "
        "logit 1, needs to answer every input of that length by softmax (grey points; theory.discrepancy.temperature, "
        "floating point; dyn.lemmaF.1.index.necessary says that it grows as n^2). Both axes of a, b, d are linear near "
        "0. Measured and sampled, not exact, but for the lines."
    )


def _behind(kept: Columns) -> str:
    """How many toys that learned the task are behind on some input, and of which seeds: toys of a seed are alike."""
    behind = kept["lead"] < 0
    told = f"{int(behind.sum())} of the {len(behind)} that learned the task are behind on some input asked"
    if not behind.any():
        return f"{told}."
    seeds = "; ".join(
        f"seed {seed:g} at {int(behind[of_seed].sum())} of its {int(of_seed.sum())} angles"
        for seed in np.unique(kept["seed"][behind])
        for of_seed in [kept["seed"] == seed]
    )
    return f"{told} ({seeds}), and answer 0.99 of the inputs rightly all the same."


def _above(kept: Columns, printed: Any) -> int:
    return int((kept["lead"][printed] > kept["printed"][printed]).sum())


figure = Figure("discrepancy_heads", "Leads of trained toys beside the printed bounds", compute, draw, caption, CLAIMS)
