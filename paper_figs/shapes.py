"""Figure `shapes`: where the weight on the target is a U or an inverted U in the target's place (DEC, theorem 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.theory_rows import (
    BLUE,
    GREEN,
    NUMBER,
    ORANGE,
    PINK,
    SMALL,
    TEXT,
    WHOLE,
    Row,
    key,
    labelled,
    tidy,
)
from headproof.theory.angles import Angle
from headproof.theory.shapes import (
    ShapeCase,
    is_inverted,
    is_inverted_u_shaped,
    is_u_shaped,
    positional_step,
    symbolic_step,
)

CLAIMS = (
    "dec.thm7.u-shape",
    "dec.thm7.u-shape.range",
    "dec.thm7.u-shape.beyond",
    "dec.thm7.inverted-u",
    "dec.thm7.inverted-u.range",
)
COLUMNS = {
    "kind": TEXT,
    "head": TEXT,
    "angle": TEXT,
    "turns": NUMBER,
    "keys": WHOLE,
    "share": NUMBER,
    "place": WHOLE,
    "weight": NUMBER,
    "shape": TEXT,
    "before": TEXT,
    "beyond": TEXT,
}
KEYS, WEIGHT = 9, Fraction(2)
HEADS = {"positional": "H_POS", "symbolic": "simplified H_SYM"}
# Multiples of the threshold at which the weight is drawn.
SHARES = tuple(map(Fraction, ("1/2", "9/10", "1", "8/7", "8/5")))
# The counterexamples that one can check by hand.
BY_HAND = {"positional": ShapeCase(Angle(Fraction(1)), 3, WEIGHT), "symbolic": ShapeCase(Angle(Fraction(1)), 5, WEIGHT)}
FEWEST, MOST, STEPS = 3, 14, 24
LITTLE = Fraction(1, 10**6)
# How each shape looks: colour, line and mark.
LOOKS: dict[str, dict[str, Any]] = {
    "U": {"color": BLUE, "linestyle": "-", "marker": "v"},
    "inverted U": {"color": ORANGE, "linestyle": "-.", "marker": "^"},
    "level": {"color": "black", "linestyle": "--", "marker": "_"},
    "inverted U with level steps": {"color": GREEN, "linestyle": (0, (8, 2)), "marker": "s"},
    "neither": {"color": PINK, "linestyle": ":", "marker": "x"},
}


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """Rows of three kinds: the weight on the target by its place, the shape at each point of a grid of key numbers
    and angles, and the thresholds with the shapes just before and beyond. Shapes are decided in exact arithmetic."""
    del context, message
    found = [row for head in HEADS for part in (_curves, _map, _thresholds) for row in part(head)]
    return tidy(found, COLUMNS, {"keys": KEYS, "weight": str(WEIGHT), "steps": STEPS, "most": MOST})


def shape_of(head: str, case: ShapeCase) -> str:
    """The shape of the weight on the target, exact: one of LOOKS."""
    if head == "positional":
        if all(positional_step(case, j) == 0 for j in range(1, case.keys)):
            return "level"
        return "U" if is_u_shaped(case) else "inverted U" if is_inverted(case) else "neither"
    if all(symbolic_step(case, j) == 0 for j in range(1, case.keys)):
        return "level"
    if is_inverted_u_shaped(case):
        return "inverted U"
    return "inverted U with level steps" if is_inverted_u_shaped(case, at_most=0) else "neither"


def weights(head: str, case: ShapeCase) -> list[float]:
    """The attention weight on each target, key by key as `theory.shapes` defines it; other keys of H_SYM at 0."""
    c, places = float(case.c), range(1, case.keys + 1)

    def logit(steps: Fraction) -> float:
        return c * float((case.theta * steps).cos().mid())

    found = []
    for j in places:
        if head == "positional":
            others = sum(math.exp(logit(Fraction(j - k))) for k in places if k != j)
            mine = logit(Fraction(0))
        else:
            others, mine = float(case.keys - 1), logit(Fraction(2 * j - case.keys - 1, 2))
        found.append(1 / (1 + others * math.exp(-mine)))
    return found


def threshold(head: str, keys: int) -> Angle:
    """The angle up to which the shape holds: N theta, or (N - 2) theta, is a full turn."""
    return Angle(Fraction(2, keys if head == "positional" else keys - 2))


def _curves(head: str) -> Iterator[Row]:
    drawn = [(share, ShapeCase(threshold(head, KEYS) * share, KEYS, WEIGHT)) for share in SHARES]
    by_hand = BY_HAND[head]
    drawn.append((by_hand.theta.turns / threshold(head, by_hand.keys).turns, by_hand))
    for share, case in drawn:
        about: Row = {"kind": "by hand" if case is by_hand else "curve", "head": head, "angle": str(case.theta)}
        about |= {"turns": float(case.theta.turns), "keys": case.keys, "share": float(share)}
        shape = shape_of(head, case)
        for place, weight in enumerate(weights(head, case)):
            yield {**about, "place": place + 1, "weight": weight, "shape": shape}


def _map(head: str) -> Iterator[Row]:
    for keys in range(FEWEST, MOST + 1):
        for step in range(1, STEPS + 1):
            case = ShapeCase(Angle(Fraction(step, STEPS)), keys)
            about = {"angle": str(case.theta), "turns": step / STEPS, "keys": keys, "shape": shape_of(head, case)}
            yield {"kind": "map", "head": head, **about}


def _thresholds(head: str) -> Iterator[Row]:
    for keys in range(FEWEST, MOST + 1):
        at = threshold(head, keys)
        if at.turns > 1:  # every angle up to half a turn lies before it
            continue
        shapes = [shape_of(head, ShapeCase(at * share, keys)) for share in (1, 1 - LITTLE, 1 + LITTLE)]
        if at.turns == 1:  # and beyond half a turn the cosines repeat backwards
            shapes[2] = ""
        named = dict(zip(("shape", "before", "beyond"), shapes, strict=True))
        yield {"kind": "threshold", "head": head, "angle": str(at), "turns": float(at.turns), "keys": keys, **named}


def draw(data: pa.Table) -> Any:
    """A row a head: the weight on the target by its place, and the map of shapes with the threshold."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    figure = plt.figure(figsize=(7.2, 4.8))
    panels = figure.subplots(2, 2, width_ratios=(1.15, 1))
    for number, head in enumerate(HEADS):
        mine = rows(columns, head=head)
        _draw_curves(panels[number, 0], mine)
        _draw_map(panels[number, 1], mine)
        for side, what in enumerate(("weight on the target", "its shape")):
            panels[number, side].set_title(f"{'abcd'[2 * number + side]}  {HEADS[head]}: {what}")
    shown = [each for each in LOOKS if each in set(columns["shape"].tolist())]
    keys = [key(each, **{**LOOKS[each], "markersize": 4}) for each in shown]
    keys += [
        key("counterexample by hand", marker="D", markersize=5, markerfacecolor="white", linewidth=0.8),
        key(r"$N\theta = 2\pi$ (b), $(N-2)\theta = 2\pi$ (d)", color="black", linewidth=1.4),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure


def _draw_curves(axes: Any, mine: Columns) -> None:
    ends = []
    for kind in ("curve", "by hand"):
        held = rows(mine, kind=kind)
        for share in np.unique(held["share"]):
            one = rows(held, share=share)
            count, look = int(one["keys"][0]), LOOKS[str(one["shape"][0])]
            x = (one["place"] - 1) / (count - 1)
            if kind == "by hand":
                look = {**look, "marker": "D", "markerfacecolor": "white", "linewidth": 0.8, "markersize": 5}
            axes.plot(x, one["weight"], **{"markersize": 4, **look})
            words = _share_words(str(one["head"][0]), count, float(share), kind == "by hand")
            ends.append((float(x[-1]) + 0.02, float(one["weight"][-1]), words))
    axes.set(xlabel="place of the target, first to last", ylabel="attention weight", xlim=(-0.04, 1.42))
    axes.set_xticks([0, 0.5, 1], labels=["first", "middle", "last"])
    top = mine["weight"][mine["place"] > 0].max()
    axes.set_ylim(-0.1 * top, 1.06 * top)
    labelled(axes, ends, 1.09)


def _share_words(head: str, keys: int, share: float, by_hand: bool) -> str:
    if by_hand:
        return rf"$N = {keys},\ \theta = \pi$"
    steps = keys if head == "positional" else keys - 2
    shown = Fraction(share).limit_denominator(20)
    return rf"${steps}\theta = {shown} \cdot 2\pi$" if shown != 1 else rf"${steps}\theta = 2\pi$"


def _draw_map(axes: Any, mine: Columns) -> None:
    points = rows(mine, kind="map")
    for shape, look in LOOKS.items():
        held = rows(points, shape=shape)
        look = {**look, "linestyle": "none", "markersize": 3.2}
        axes.plot(held["keys"], held["turns"], **look)
    edge = rows(mine, kind="threshold")
    axes.plot(edge["keys"], edge["turns"], color="black", linewidth=1.4, zorder=1)
    at = rows(mine, kind="by hand")
    axes.plot(at["keys"][:1], at["turns"][:1], "D", color="0.1", markersize=7, markerfacecolor="none", zorder=4)
    axes.set(xlabel="keys N", ylabel=r"angle $\theta / \pi$", ylim=(0, 1.04))


def caption(data: pa.Table) -> str:
    """Claims, domain and reading of the figure."""
    columns, about = columns_of(data), described(data)
    points = rows(columns, kind="map")
    by_hand = {head: int(rows(columns, kind="by hand", head=head)["keys"][0]) for head in HEADS}
    told = []
    for head, shape in (("positional", "U"), ("symbolic", "inverted U")):
        mine = rows(points, head=head)
        told.append(
            f"a strict {shape} at {int((mine['shape'] == shape).sum())} of {len(mine['shape'])} ({HEADS[head]})"
        )
    return (
        f"dec.thm7. a, c, for {about['keys']} keys and weight c = {about['weight']}: the attention weight on the "
        "target against its place, by definition, in floating point; (a) H_POS, (c) the simplified H_SYM, its other "
        "keys at logit 0. Each line is one angle theta, named by N theta (a) or (N - 2) theta (c) in full turns; "
        "colour, line and mark say its shape. Below the threshold, N theta (H_SYM: (N - 2) theta) less than a full "
        "turn, H_POS has a strict U (dec.thm7.u-shape.range) and H_SYM a strict inverted U "
        "(dec.thm7.inverted-u.range); at N theta = 2 pi all weights of H_POS are equal; just beyond, up to (N - 2) "
        "theta = 2 pi, its U stands on its head (dec.thm7.u-shape.beyond). Diamonds: the counterexamples to the shapes "
        f"at any angle (dec.thm7.u-shape, dec.thm7.inverted-u), theta = pi with {by_hand['positional']} keys (H_POS) "
        f"and with {by_hand['symbolic']} (H_SYM). b, d: the shape at every angle k pi / {about['steps']} for 3 to "
        f"{about['most']} keys, decided in exact arithmetic (no weight c > 0 changes it): {' and '.join(told)}; the "
        "black line is the threshold. Beyond it level weights come back at whole multiples of it (H_POS)."
    )


figure = Figure("shapes", "Where the weight on the target is a U or an inverted U", compute, draw, caption, CLAIMS)
