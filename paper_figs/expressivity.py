"""Figure `expressivity`: which second angle and weight compute partial induction, and how far one angle reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.constructions.expressivity import one_angle, two_angle
from headproof.constructions.tasks import partial_induction_task
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.theory_rows import (
    BLUE,
    GREEN,
    NUMBER,
    ORANGE,
    PINK,
    RED,
    SMALL,
    TEXT,
    TRUTH,
    WHOLE,
    Row,
    Runs,
    edge,
    key,
    marks,
    stated,
    tidy,
)
from headproof.theory.angles import Angle
from headproof.theory.expressivity.plane_ahead_claims import inner_induction
from headproof.theory.expressivity.plane_binding_claims import induction, two_angles
from headproof.theory.expressivity.plane_bindings import (
    computes_induction,
    computes_induction_ahead,
    computes_induction_by_phase,
    match_beats_spread,
)
from headproof.theory.expressivity.plane_heads import InductionCase, PhaseCase
from headproof.theory.expressivity.plane_limit_claims import outer_induction
from headproof.theory.expressivity.plane_pairs import PlanePairCase
from headproof.theory.expressivity.plane_phase_claims import phase_range

CLAIMS = ("dec.thm6",)
COLUMNS = {
    "kind": TEXT,
    "head": TEXT,
    "keys": WHOLE,
    "turns": NUMBER,
    "weight": NUMBER,
    "right": TRUTH,
    "agrees": TRUTH,
    "ran": TRUTH,
    "inputs": WHOLE,
}
SYMBOLS, ATTRIBUTES, KEYS = ("a", "b", "c"), ("x", "y"), 4
S, A = len(SYMBOLS), len(ATTRIBUTES)
# The grid: angles in steps of pi / STEPS, and weights that double every other time.
STEPS, LAST = 48, 19
WEIGHTS = tuple(Fraction(2) ** k * more for k in range(-2, 6) for more in (Fraction(1), Fraction(3, 2)))
# Every so many points of the grid are answered by the construction itself, on every input.
EVERY = (5, 3)
MOST_KEYS = 6
# An angle over pi below all edges.
TINY = Fraction(1, 1000)
ONE = {
    "phase": "c: symbol in the phase",
    "ahead": "c: phases set ahead",
    "outer": "c: no head of one plane from here",
    "two": "c: two angles, largest second",
}
LOOKS: dict[str, dict[str, Any]] = {
    "phase": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "ahead": {"color": GREEN, "marker": "s", "linestyle": "-"},
    "outer": {"color": RED, "marker": "_", "linestyle": "--"},
    "two": {"color": "0.35", "marker": "D", "linestyle": ":"},
}

# Around what was run as a head.
SQUARE = marks(color="black", marker="s", markersize=7, markerfacecolor="none")


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a point of the grid of second angles and weights, a point of the edges, and an angle of one plane.

    `right` is decided exactly, over every input; of `outer`, which stands for any head of one plane, it says whether
    the claim that rules all of them out does not apply. `agrees` says whether the claim's condition says the same;
    `ran`, where it is not null, whether the head with these weights is right on every input when it is run.
    """
    del context, message
    found = [*_grid(), *_edges(), *_printed(), *_one_plane(), *_reaches()]
    return tidy(found, COLUMNS, {"symbols": S, "attributes": A, "keys": KEYS, "steps": STEPS, "most": MOST_KEYS})


# -- two angles ----------------------------------------------------------------------------------------------------


def _pair(turns: Fraction, weight: Fraction, keys: int = KEYS) -> InductionCase:
    return InductionCase(Angle(turns), S, A, keys + 1, weight)


def _grid() -> Iterator[Row]:
    task = partial_induction_task(SYMBOLS, ATTRIBUTES)
    runs = Runs.of(task, KEYS + 1)
    for step in range(1, LAST + 1):
        for number, weight in enumerate(WEIGHTS):
            case = _pair(Fraction(step, STEPS), weight)
            row: Row = {"kind": "grid", "head": "two", "keys": KEYS, "turns": step / STEPS, "weight": float(weight)}
            row |= {"right": computes_induction(case), "agrees": stated(two_angles).conclusion(case)}
            if step % EVERY[0] == 1 and number % EVERY[1] == 1:
                # Built for one key, for which there are no conditions: the same weights serve every length.
                head = two_angle(SYMBOLS, ATTRIBUTES, 2, float(case.theta), recency=float(weight))
                row |= {"ran": runs.all_right(head), "inputs": len(runs.answers)}
            yield row


def _edges() -> Iterator[Row]:
    """How large the weight may be at each angle below the one from which on matches are out of order."""
    last = _two_edge(KEYS)
    for step in range(1, 2 * LAST + 1):
        turns = Fraction(step, 2 * STEPS)
        if turns >= last:
            break
        weight = edge(partial(_beats, turns), Fraction(0), Fraction(2**12))
        yield {"kind": "edge", "head": "two", "keys": KEYS, "turns": float(turns), "weight": float(weight)}


def _beats(turns: Fraction, weight: Fraction) -> bool:
    return match_beats_spread(_pair(turns, weight))


def _two_edge(keys: int) -> Fraction:
    """The largest second angle at any weight, over pi: at a small weight nothing else limits it."""
    return edge(lambda turns: computes_induction(_pair(turns, Fraction(1, 1000), keys)), TINY, Fraction(1))


def _printed() -> Iterator[Row]:
    """Equal weights: up to where the printed statement's own premises hold, and up to where the head is right."""
    for kind, end in (
        ("printed", edge(lambda turns: stated(induction).meets(_phase(turns, KEYS)), TINY, Fraction(1))),
        ("equal weights", edge(lambda turns: computes_induction(_pair(turns, Fraction(1))), TINY, Fraction(1))),
    ):
        yield {"kind": kind, "head": "two", "keys": KEYS, "turns": float(end), "weight": 1.0}


# -- one angle -----------------------------------------------------------------------------------------------------


def _phase(turns: Fraction, keys: int) -> PhaseCase:
    return PhaseCase(Angle(turns), S, A, keys + 1)


def barred(turns: Fraction, keys: int) -> bool:
    """Whether dec.thm6.one-plane.outer rules out every head of one plane that copies pairs, at this angle."""
    # Its premises are about the angle and the keys alone, given two symbols and attributes; the vectors are free.
    vectors = (Fraction(0),) * 4
    return stated(outer_induction).meets(PlanePairCase(Angle(turns), 2, 2, keys + 1, vectors, vectors, Fraction(0)))


RIGHT: dict[str, Callable[[int, Fraction], bool]] = {
    "phase": lambda keys, turns: computes_induction_by_phase(_phase(turns, keys)),
    "ahead": lambda keys, turns: computes_induction_ahead(_phase(turns, keys)),
    "outer": lambda keys, turns: not barred(turns, keys),
}


def _one_plane() -> Iterator[Row]:
    """At the angles of the grid: whether each head of one plane is right, and whether any may be."""
    runs = Runs.of(partial_induction_task(SYMBOLS, ATTRIBUTES), KEYS + 1)
    for step in range(1, LAST + 1):
        turns = Fraction(step, STEPS)
        for head, right in RIGHT.items():
            row: Row = {"kind": "one plane", "head": head, "keys": KEYS, "turns": float(turns)}
            row["right"] = right(KEYS, turns)
            if head == "phase":
                row["agrees"] = stated(phase_range).conclusion(_phase(turns, KEYS))
                if step % EVERY[0] == 1:
                    built = one_angle(SYMBOLS, ATTRIBUTES, 2, float(Angle(turns)))
                    row |= {"ran": runs.all_right(built), "inputs": len(runs.answers)}
            elif head == "ahead":  # the claim says where this head is right, not that it is wrong elsewhere
                row["agrees"] = not stated(inner_induction).refuted_by(_phase(turns, KEYS))
            yield row


def _reaches() -> Iterator[Row]:
    """The largest angle of each head at each number of keys, found by bisecting what decides it."""
    for keys in range(2, MOST_KEYS + 1):
        for head, right in RIGHT.items():
            # One plane at half a turn sees two directions only, which no head can use.
            end = edge(partial(right, keys), TINY, Fraction(1))
            yield {"kind": "reach", "head": head, "keys": keys, "turns": float(end)}
        yield {"kind": "reach", "head": "two", "keys": keys, "turns": float(_two_edge(keys))}


def draw(data: pa.Table) -> Any:
    """The region of second angles and weights, the angles of one plane beside it, and reaches against keys."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    figure = plt.figure(figsize=(7.2, 4.4))
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.5, 0.8, 1.1))
    middle.sharey(left)
    _draw_region(left, columns)
    _draw_axis(middle, rows(columns, kind="one plane"))
    _draw_reaches(right, rows(columns, kind="reach"))
    keys = [
        key("right on every input", **marks(color=BLUE, marker="o", markerfacecolor=BLUE)),
        key("wrong on some input", **marks(color=ORANGE, marker="x")),
        key("not ruled out (any head)", **marks(color=BLUE, marker="o", markersize=3)),
        key("the same, run as a head", **SQUARE),
        key("edge by the exact condition", color="black", linewidth=1.4),
        key("printed condition, equal weights", color=PINK, linewidth=3.5),
        *(key(words, **{"markersize": 4, **LOOKS[head]}) for head, words in ONE.items()),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def _dots(axes: Any, x: Any, mine: Columns, right: Any, face: str = BLUE) -> None:
    axes.plot(x[right], mine["turns"][right], **marks(color=BLUE, marker="o", markerfacecolor=face, markersize=3))
    axes.plot(x[~right], mine["turns"][~right], **marks(color=ORANGE, marker="x", markersize=3.5))


def _ran(mine: Columns) -> Any:
    return mine["inputs"] > 0


def _draw_region(axes: Any, columns: Columns) -> None:
    grid = rows(columns, kind="grid")
    _dots(axes, grid["weight"], grid, grid["right"].astype(bool))
    at = _ran(grid)
    axes.plot(grid["weight"][at], grid["turns"][at], **SQUARE)
    line = rows(columns, kind="edge")
    top = rows(rows(columns, kind="reach", head="two"), keys=grid["keys"][0])["turns"][0]
    x = [*line["weight"], line["weight"][-1], grid["weight"].min() / 1.3]
    y = [*line["turns"], top, top]
    axes.plot(x, y, color="black", linewidth=1.4, zorder=1)
    printed = rows(columns, kind="printed")
    axes.plot(printed["weight"].repeat(2), [0, printed["turns"][0]], color=PINK, linewidth=3.5, zorder=0)
    axes.set(xscale="log", xlim=(grid["weight"].min() / 1.3, grid["weight"].max() * 1.3), ylim=(0, 0.41))
    axes.set(xlabel="weight b of the second plane", ylabel=r"second angle $\theta / \pi$")
    axes.set_title(f"a  two angles, T = {int(grid['keys'][0])}")


def _draw_axis(axes: Any, mine: Columns) -> None:
    for at, head in enumerate(RIGHT):
        held = rows(mine, head=head)
        right, x = held["right"].astype(bool), np.full(len(held["right"]), float(at))
        _dots(axes, x, held, right, "white" if head == "outer" else BLUE)
        ran = _ran(held)
        axes.plot(
            np.full(ran.sum(), at),
            held["turns"][ran],
            **SQUARE,
        )
    axes.set_xticks(range(len(RIGHT)), labels=["symbol\nin the\nphase", "phases\nahead", "any\nhead"], fontsize=SMALL)
    axes.set(xlim=(-0.6, 2.6), title="b  one angle")


def _draw_reaches(axes: Any, mine: Columns) -> None:
    for head, look in LOOKS.items():
        held = rows(mine, head=head)
        axes.plot(held["keys"], held["turns"], **{"markersize": 4, **look})
    axes.set(yscale="log", xlabel="keys T", ylabel=r"largest angle $\theta / \pi$", title="c  reach")
    ticks = (0.06, 0.1, 0.2, 0.4, 1)
    axes.set_yticks(ticks, labels=[f"{each:g}" for each in ticks])
    axes.minorticks_off()


def caption(data: pa.Table) -> str:
    """Claims, domain and reading of the figure."""
    columns, about = columns_of(data), described(data)
    grid, edges = (
        rows(columns, kind="grid"),
        {kind: rows(columns, kind=kind)["turns"][0] for kind in ("printed", "equal weights")},
    )
    ran = [rows(columns, kind=kind) for kind in ("grid", "one plane")]
    counts = [int(_ran(each).sum()) for each in ran]
    same = sum(int((each["ran"] == each["right"])[_ran(each)].sum()) for each in ran)
    inputs = int(np.nanmax(grid["inputs"]))
    return (
        f"dec.thm6: partial induction with {about['symbols']} symbols, {about['attributes']} attributes and T = "
        f"{about['keys']} keys under hard attention. Every mark of a and of the first two columns of b is decided "
        "exactly, over all inputs; the third column of b evaluates the premises of a claim. At the marks in squares "
        f"({counts[0]} in a, {counts[1]} in b) the head with these weights was run on all {inputs} inputs in floating "
        f"point, at {same} of them with the same outcome. a: two planes, the first of angle 0 and weight 1, against "
        "the second's weight and angle. The black line is the exact edge (dec.thm6.range): an angle below 2 pi / (2T - "
        "1), and a weight at which the farthest match still beats a wrong key next to the query. The thick line is "
        "what the printed theorem (dec.thm6), equal weights and an angle that is not too large, is taken to say: S T "
        f"theta < pi, up to {edges['printed']:.4f} pi; the head is right up to {edges['equal weights']:.4f} pi. b, on "
        "the same axis: one plane alone, with the symbol in the phase (dec.thm6.one-angle.range), with phases set "
        "ahead (dec.thm6.one-plane.inner), and whether any head of one plane that copies pairs may be right "
        "(dec.thm6.one-plane.outer rules out the crosses; of the hollow marks it says nothing). That one angle does "
        f"not do is what the print says (dec.thm6.one-angle). c: the same edges for 2 to {about['most']} keys, found "
        "by bisecting what decides them; by their formulas all fall like 1 / T as T grows."
    )


figure = Figure("expressivity", "Which angles compute partial induction", compute, draw, caption, CLAIMS)
