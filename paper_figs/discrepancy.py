"""Figure `discrepancy`: the printed bounds of theorem 3.2 (DYN) against exact values, a reading at a time."""

from __future__ import annotations

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
    TRUTH,
    WHOLE,
    Row,
    counted_ticks,
    key,
    marks,
    number,
    stated,
    tidy,
)
from headproof.theory.angles import Angle
from headproof.theory.cosine_sums import Sum, compare, smallest
from headproof.theory.discrepancy import (
    IndexCase,
    RetrievalCase,
    best_wrong_letter,
    index_positive_gaps,
    largest_gap,
    smallest_positive_gap,
    smallest_wrong_gap,
)
from headproof.theory.discrepancy.index_claims import first_other, index_printed, letter_gap, turn_share
from headproof.theory.discrepancy.index_claims import largest_gap as largest_index_gap
from headproof.theory.discrepancy.index_reading_claims import index_best_other, index_positive_printed
from headproof.theory.discrepancy.retrieval_gap_claims import best_wrong_printed, printed_bound, retrieval_printed
from headproof.theory.discrepancy.retrieval_smallest_claims import smallest_positive_printed, smallest_wrong_printed
from headproof.theory.errors import InputError

CLAIMS = (
    "dyn.def3.1",
    "dyn.thm3.2.index",
    "dyn.thm3.2.positional-decay",
    "dyn.thm3.2.retrieval",
    "dyn.thm3.2.symbolic-stays.allowed-angles",
)
COLUMNS = {
    "kind": TEXT,
    "reading": TEXT,
    "letters": WHOLE,
    "angle": TEXT,
    "turns": NUMBER,
    "n0": WHOLE,
    "n": WHOLE,
    "value": NUMBER,
    "printed": NUMBER,
    "sharp": NUMBER,
    "within": TRUTH,
    "asked": TRUTH,
}
LENGTHS = (*range(2, 17), 20, 24, 32, 48, 64)
# One length for the panel over angles, and how many angles up to half a turn.
LENGTH, ANGLES = 12, 180
# Letters, n0 and the greatest length of the panel over lengths; letters and lengths of the one along n = n0.
LETTERS, N0, LONGEST = 3, 3, 7
FEW, EDGES = 2, range(2, 13)
# Readings of the discrepancy: what they are called, and how they look.
READINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "largest": ("largest gap, as defined", {"color": ORANGE, "marker": "o", "markersize": 6}),
    "letter": ("Index: best other position", {"color": BLUE, "marker": "s"}),
    "wrong letter": ("Retrieval: best wrong letter at any place", {"color": BLUE, "marker": "s"}),
    "lead": ("Retrieval: smallest lead over a wrong key", {"color": GREEN, "marker": "^"}),
    "positive": ("smallest positive gap", {"color": PINK, "marker": "D"}),
}
# The lines between a reading's marks.
DASHES = {"largest": (0, (4, 1)), "letter": ":", "wrong letter": ":", "lead": "-.", "positive": (0, (1, 3))}
PRINTED = {"color": "black", "linestyle": "-", "linewidth": 1.6}
SHARP = {"color": "0.45", "linestyle": "--", "linewidth": 1.0}


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a reading, angle and length: its exact value, the printed bound beside it, and for Index the sharp one.
    `within` says whether the printed statement, decided exactly, is true of the case; `asked` whether its premises
    meet it."""
    del context, message
    about = {"length": LENGTH, "letters": LETTERS, "few": FEW, "n0": N0, "lengths": [min(LENGTHS), max(LENGTHS)]}
    return tidy((row for part in (_index_lengths, _index_angles, _retrieval, _edges) for row in part()), COLUMNS, about)


def _positive(case: IndexCase) -> Sum | None:
    found = index_positive_gaps(case)
    return smallest(found) if found else None


INDEX: dict[str, tuple[Callable[[IndexCase], Sum | None], Any, Callable[[int], int]]] = {
    "largest": (largest_index_gap, index_printed, lambda n: n // 2 + 1),
    "letter": (letter_gap, index_best_other, lambda n: n),
    "positive": (_positive, index_positive_printed, lambda n: n),
}


def length_bound(n: int) -> float:
    """What the print bounds Index's discrepancy by at a length, whatever the angle: read off its claim's ratio."""
    case = IndexCase(Angle(Fraction(2, n)), n)
    ratio = stated(index_best_other).ratio
    share = ratio(case) if ratio is not None else None
    if not share:
        raise InputError(f"{index_best_other.id} states no ratio at n = {n}", "the bound is read off it")
    return number(letter_gap(case)) / float(share)


def index_row(kind: str, reading: str, case: IndexCase) -> Row:
    """The exact value of a reading of Index's discrepancy beside its printed and its sharp bound."""
    value_of, claim, turn = INDEX[reading]
    found = value_of(case)
    statement = stated(claim)
    sharp = smallest([first_other(case), turn_share(turn(case.n))])
    return {
        "kind": kind, "reading": reading, "angle": str(case.theta), "turns": float(case.theta.turns), "n": case.n,
        "value": None if found is None else number(found),
        "printed": min(number(first_other(case)), length_bound(case.n)),
        "sharp": None if reading == "positive" else number(sharp), "within": statement.conclusion(case),
        "asked": statement.meets(case),
    }  # fmt: skip


def _index_lengths() -> Iterator[Row]:
    """Each reading at the angle at which it is worst for the printed bound; half a turn for the smallest positive."""
    for n in LENGTHS:
        for reading, (_, _, turn) in INDEX.items():
            angle = Angle(Fraction(1)) if reading == "positive" else Angle(Fraction(2, turn(n)))
            yield index_row("index by length", reading, IndexCase(angle, n))


def _index_angles() -> Iterator[Row]:
    for step in range(1, ANGLES + 1):
        for reading in INDEX:
            yield index_row("index by angle", reading, IndexCase(Angle(Fraction(step, ANGLES)), LENGTH))


RETRIEVAL: dict[str, tuple[Callable[[RetrievalCase], Sum | None], Any]] = {
    "largest": (largest_gap, None),
    "wrong letter": (best_wrong_letter, best_wrong_printed),
    "lead": (smallest_wrong_gap, smallest_wrong_printed),
    "positive": (smallest_positive_gap, smallest_positive_printed),
}


def retrieval_row(kind: str, reading: str, case: RetrievalCase) -> Row:
    """The exact value of a reading of Retrieval's discrepancy, over all proper inputs, beside the printed bound."""
    value_of, claim = RETRIEVAL[reading]
    found, bound = value_of(case), printed_bound(case)
    about = {"angle": str(case.theta), "turns": float(case.theta.turns), "letters": case.letters}
    about |= {"kind": kind, "reading": reading, "n0": case.n0, "n": case.n, "printed": number(bound)}
    value = None if found is None else number(found)
    if claim is None:  # its statement is about one input at a time; the largest gap belongs to one of them
        within, asked = compare(found or (), bound) <= 0, stated(retrieval_printed).meets(case)
    else:
        within, asked = stated(claim).conclusion(case), stated(claim).meets(case)
    return {**about, "value": value, "within": within, "asked": asked}


def _edge_case(letters: int, n0: int, n: int) -> RetrievalCase:
    """At the angle omega / (2 n0 + 1), near the largest that the print allows."""
    return RetrievalCase(letters, Angle(Fraction(2, letters * (2 * n0 + 1))), n0, n)


def _retrieval() -> Iterator[Row]:
    for n in range(2, LONGEST + 1):
        for reading in RETRIEVAL:
            yield retrieval_row("retrieval by length", reading, _edge_case(LETTERS, N0, n))


def _edges() -> Iterator[Row]:
    for n0 in EDGES:
        for reading in RETRIEVAL:
            yield retrieval_row("retrieval at n0", reading, _edge_case(FEW, n0, n0))


def draw(data: pa.Table) -> Any:
    """Four panels: Index over lengths and over angles, Retrieval over lengths and along n = n0."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    about = described(data)
    figure = plt.figure(figsize=(7.2, 5.6))
    panels = figure.subplots(2, 2)
    _index_over_lengths(panels[0, 0], rows(columns, kind="index by length"))
    _index_over_angles(panels[0, 1], rows(columns, kind="index by angle"), about["length"])
    _retrieval_over_lengths(panels[1, 0], rows(columns, kind="retrieval by length"), about["n0"])
    _retrieval_at_n0(panels[1, 1], rows(columns, kind="retrieval at n0"))
    keys = [key("printed bound", **PRINTED), key("sharp bound (Index)", **SHARP)]
    keys += [key(words, **{**marks(), "markeredgecolor": look["color"], **look}) for words, look in READINGS.values()]
    keys.append(key("filled: above the printed bound", linestyle="none", marker="o", markersize=4))
    figure.legend(handles=keys, loc="outside lower center", ncols=3, fontsize=SMALL)
    return figure


def _points(axes: Any, mine: Columns, x: str, joined: bool = False) -> None:
    """The values of each reading; filled where they exceed the printed bound."""
    for reading, (_, look) in READINGS.items():
        held = rows(mine, reading=reading)
        for within in (True, False):
            one = rows(held, within=within)
            axes.plot(one[x], one["value"], **marks(**look, markerfacecolor="white" if within else look["color"]))
        if joined:
            axes.plot(held[x], held["value"], color=look["color"], linestyle=DASHES[reading], linewidth=0.7)


def _index_over_lengths(axes: Any, mine: Columns) -> None:
    for reading in ("largest", "letter"):
        held = rows(mine, reading=reading)
        axes.plot(held["n"], held["sharp"], zorder=1, **SHARP)
    held = rows(mine, reading="largest")
    axes.plot(held["n"], held["printed"], zorder=2, **PRINTED)
    _points(axes, mine, "n")
    axes.set(xscale="log", yscale="log", xlabel="length n", ylabel="discrepancy", title="a  Index, at its worst angles")
    counted_ticks(axes, (2, 4, 8, 16, 32, 64))


def _index_over_angles(axes: Any, mine: Columns, length: int) -> None:
    for reading, (_, look) in READINGS.items():
        held = rows(mine, reading=reading)
        if reading != "positive":
            axes.plot(held["turns"], held["value"], color=look["color"], linewidth=1.0, linestyle=DASHES[reading])
        over = rows(held, within=False)
        axes.plot(over["turns"], over["value"], **marks(**{**look, "markersize": 2.5}, markerfacecolor=look["color"]))
    held = rows(mine, reading="largest")
    axes.plot(held["turns"], held["printed"], zorder=3, **PRINTED)
    axes.plot(held["turns"], held["sharp"], zorder=2, **SHARP)
    axes.set(xlabel=r"angle $\theta / \pi$", xlim=(0, 1.01), title=f"b  Index at n = {length}", yscale="log")
    axes.set_ylim(0.009, 2.6)


def _retrieval_over_lengths(axes: Any, mine: Columns, n0: int) -> None:
    held = rows(mine, reading="largest")
    axes.plot(held["n"], held["printed"], **PRINTED)
    _points(axes, mine, "n", joined=True)
    axes.axvspan(n0 + 0.5, held["n"].max() + 0.5, color="0.94", linewidth=0, zorder=0)
    axes.text(n0 + 0.6, 2.05, "beyond $n_0$", fontsize=SMALL, va="bottom")
    axes.set(xlabel="length n", ylabel="discrepancy", title=rf"c  Retrieval, $n_0 = {n0}$")
    axes.axhline(0, color="0.7", linewidth=0.7, zorder=0)
    axes.set_ylim(min(0.0, np.nanmin(mine["value"])) - 0.15, 2.25)
    axes.set_xlim(1.5, held["n"].max() + 0.5)


def _retrieval_at_n0(axes: Any, mine: Columns) -> None:
    held = rows(mine, reading="largest")
    axes.plot(held["n0"], held["printed"], **PRINTED)
    _points(axes, mine, "n0", joined=True)
    axes.set(xscale="log", yscale="log", xlabel="length $n = n_0$", title=r"d  Retrieval at $\theta = \omega/(2n_0+1)$")
    counted_ticks(axes, (2, 3, 4, 6, 8, 12))


def caption(data: pa.Table) -> str:
    """Claims, domain and reading of the figure."""
    columns, about = columns_of(data), described(data)
    over = rows(columns, asked=True, within=False)
    worst = {reading: _worst(rows(over, reading=reading)) for reading in READINGS}
    at, (low, high) = about["length"], about["lengths"]
    return (
        "dyn.thm3.2 and dyn.def3.1: what the printed bounds on the discrepancy of DYN's constructions (black) say of "
        "each quantity that goes by that name. All values are exact sums of cosines, over every input of the length, "
        "and whether one exceeds the bound is decided exactly: filled marks lie above it, hollow ones do not. a: "
        f"Index, {low} to {high} tokens, each reading at an angle at which it is largest: 2 pi / (floor(n / 2) + 1) "
        "for the largest gap over the inputs, which is the definition (dyn.thm3.2.index; dashed the sharp bound "
        "dyn.thm3.2.index.sharp), 2 pi / n for one less the best other position, the gap of an input that ends in a "
        "letter (dyn.thm3.2.index.best-other), and pi, where places alias, for the smallest positive gap "
        "(dyn.thm3.2.index.smallest-positive). The black line of a is the printed bound at the angle of the largest "
        f"gap; whether a mark is filled is decided by the bound at the mark's own angle. b: Index at n = {at} against "
        "the angle (multiples of pi / 180); of the smallest positive gap only what exceeds the bound is drawn. c: "
        f"Retrieval with {about['letters']} letters at theta = omega / (2 n0 + 1), n0 = {about['n0']}, over all proper "
        "inputs of each length: up to n0, to which the print ties its angle, the definition and the best wrong letter "
        "lie above 1 - cos(omega - n theta), and the smallest lead does at short lengths; the last two, since n stands "
        "where n - 1 is exact or enough. Beyond n0 that bound falls to 0, below the smallest positive gap too. d: the "
        f"same along n = n0, with {about['few']} letters, for remark 3.2: the largest gap stays above 1 and the best "
        "wrong letter, here equal to it, above 1 - cos(omega / 2), but the smallest lead falls as 1 / n0 and the "
        "smallest positive gap, between copies of one token, as 1 / n0^2. Largest value over printed bound among the "
        f"cases drawn that the print covers: largest gap {worst['largest']}, best wrong letter "
        f"{worst['wrong letter']}, smallest lead {worst['lead']}, smallest positive gap {worst['positive']}."
    )


def _worst(over: Columns) -> str:
    """The largest value over the printed bound among cases that exceed it; those over a bound of 0 have no ratio and
    are named."""
    bounded = over["printed"] > 0
    if not len(bounded):
        return "none above"
    told = []
    if bounded.any():
        told.append(f"{(over['value'] / np.where(bounded, over['printed'], np.inf)).max():.3g}")
    if not bounded.all():
        lengths = ", ".join(f"n = {n:g}" for n in np.unique(over["n"][~bounded]))
        told.append(f"{'where the bound is not 0; also ' if told else ''}positive over a bound of 0 at {lengths}")
    return " ".join(told)


figure = Figure("discrepancy", "Printed bounds on the discrepancy against exact values", compute, draw, caption, CLAIMS)
