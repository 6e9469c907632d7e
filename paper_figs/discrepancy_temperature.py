"""Figure `discrepancy_temperature`: the inverse temperature that softmax needs, against length (DYN, lemma F.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

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
    least,
    marks,
    stated,
    tidy,
)
from headproof.theory.angles import Angle
from headproof.theory.claim import Claim
from headproof.theory.discrepancy.index_temperature_claims import index_any, index_has, index_needs
from headproof.theory.discrepancy.retrieval_temperature_claims import letters_have, numbers_have, numbers_need
from headproof.theory.discrepancy.temperature import (
    TemperatureCase,
    index_decodes,
    letters_decode,
    numbers_decode,
    smallest_beta,
)

CLAIMS = ("dyn.lemmaF.1",)
COLUMNS = {
    "queries": TEXT,
    "angle": TEXT,
    "turns": NUMBER,
    "n0": WHOLE,
    "what": TEXT,
    "claim": TEXT,
    "beta": NUMBER,
    "confirmed": TRUTH,
}
LETTERS = 8
LENGTHS = (3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
# Up to this length the smallest inverse temperature is confirmed by the exact predicate, just above and just below.
CONFIRMED, NEARNESS = 16, Fraction(1, 10**6)
# Which part of a statement says that an inverse temperature is large enough.
ENOUGH, FOLLOWS = "premise", "conclusion"
DECODES: dict[str, Callable[[TemperatureCase], bool]] = {
    "index": index_decodes,
    "numbers": numbers_decode,
    "letters": letters_decode,
}
# Queries, how the angle is named, the angle at a length, and the claims whose bounds are drawn beside.
Panel = tuple[str, str, Callable[[int], Angle], tuple[tuple[str, Claim, str], ...]]


def _share(part: int) -> Callable[[int], Angle]:
    """`omega / (part n0)`."""
    return lambda n0: Angle(Fraction(2, LETTERS * part * n0))


PANELS: tuple[Panel, ...] = (
    ("index", "2 pi / n0", lambda n0: Angle(Fraction(2, n0)),
     (("necessary", index_needs, FOLLOWS), ("sufficient", index_has, ENOUGH),
      ("sufficient, any angle", index_any, ENOUGH))),
    ("numbers", "omega / (2 n0)", _share(2),
     (("necessary", numbers_need, FOLLOWS), ("sufficient", numbers_have, ENOUGH))),
    ("letters", "omega / (2 n0)", _share(2), (("sufficient", letters_have, ENOUGH),)),
    ("letters", "omega / (16 n0)", _share(16), (("sufficient", letters_have, ENOUGH),)),
    ("letters", "0", lambda n0: Angle(Fraction(0)), (("sufficient", letters_have, ENOUGH),)),
)  # fmt: skip
NAMES = {
    "index": "Index, integer queries",
    "numbers": "Retrieval, letter-number queries",
    "letters": "Retrieval, letter-letter queries",
}
LOOKS = {
    ("index", "2 pi / n0"): {"color": BLUE, "marker": "o"},
    ("numbers", "omega / (2 n0)"): {"color": ORANGE, "marker": "s"},
    ("letters", "omega / (2 n0)"): {"color": GREEN, "marker": "^"},
    ("letters", "omega / (16 n0)"): {"color": PINK, "marker": "D"},
    ("letters", "0"): {"color": "0.3", "marker": "v"},
}
# Dashes of the lines of bounds, and how much longer they are for some queries: colour never tells alone.
DOT = 1.0
LINES = {"necessary": (DOT, 1.7), "sufficient": (3.7, 1.6), "sufficient, any angle": (6.4, 1.6, DOT, 1.6)}
# None below 1, for a short dash looks like a dot; dots stay as they are.
LONGER = {("numbers", "omega / (2 n0)"): 1.8, ("letters", "omega / (16 n0)"): 1.6, ("letters", "0"): 2.6}


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a kind of query, angle, length and number: the smallest inverse temperature (floating point, confirmed
    exactly at short lengths), and where the claims' own conditions turn, found by bisecting them."""
    del context, message
    found = (row for panel in PANELS for n0 in LENGTHS for row in _at(panel, n0))
    return tidy(found, COLUMNS, {"letters": LETTERS, "confirmed": CONFIRMED})


def _at(panel: Panel, n0: int) -> Iterator[Row]:
    queries, named, angle_at, bounds = panel
    angle = angle_at(n0)
    about = {"queries": queries, "angle": named, "turns": float(angle.turns), "n0": n0}
    beta = smallest_beta(queries, n0, float(angle), LETTERS)
    yield {**about, "what": "smallest", "beta": beta, "confirmed": _confirmed(queries, angle, n0, beta)}
    for what, claim, part in bounds:
        yield {**about, "what": what, "claim": claim.id, "beta": _turns(claim, part, angle, n0)}


def _case(angle: Angle, n0: int, beta: Fraction) -> TemperatureCase:
    return TemperatureCase(angle, n0, LETTERS, beta)


def _confirmed(queries: str, angle: Angle, n0: int, beta: float) -> bool | None:
    """Whether the exact predicate holds a little above and fails a little below; None where that is not asked."""
    if n0 > CONFIRMED:
        return None
    found, decodes = Fraction(beta), DECODES[queries]
    above, below = (_case(angle, n0, found * (1 + nudge)) for nudge in (NEARNESS, -NEARNESS))
    return decodes(above) and not decodes(below)


def _turns(claim: Claim, part: str, angle: Angle, n0: int) -> float:
    """The inverse temperature from which on a statement's premise on it, or its conclusion, is true."""
    if part == FOLLOWS:
        return least(lambda beta: stated(claim).conclusion(_case(angle, n0, beta)))
    (premise,) = (each for each in stated(claim).premises if each.name == "temperature")
    return least(lambda beta: premise.holds(_case(angle, n0, beta)))


def draw(data: pa.Table) -> Any:
    """Index and Retrieval's letter-number queries at the left, letter-letter queries at the right."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    figure = plt.figure(figsize=(7.2, 4.2))
    panels = figure.subplots(1, 2, sharey=True)
    for (queries, angle), look in LOOKS.items():
        mine = rows(columns, queries=queries, angle=angle)
        _lines(panels[int(queries == "letters")], mine, look, LONGER.get((queries, angle), 1.0))
    for axes, title in zip(panels, ("a  queries that need order $n_0^2$", "b  letter-letter queries"), strict=True):
        axes.set(xscale="log", yscale="log", xlabel="longest input $n_0$", title=title)
        counted_ticks(axes, (4, 8, 16, 32, 64, 128, 256, 512))
    panels[0].set_ylabel(r"inverse temperature $\beta$")
    keys = [
        key(f"{NAMES[queries]}, {_shown(angle)}", **{**marks(), **look, "markeredgecolor": look["color"]})
        for (queries, angle), look in LOOKS.items()
    ]
    keys += [key(what, linestyle=(0, dashes)) for what, dashes in LINES.items()]
    figure.legend(handles=keys, loc="outside lower center", ncols=2, fontsize=SMALL)
    return figure


def _lines(axes: Any, mine: Columns, look: dict[str, Any], longer: float) -> None:
    for what, dashes in LINES.items():
        held = rows(mine, what=what)
        style = (0, tuple(each if each == DOT else longer * each for each in dashes))
        axes.plot(held["n0"], held["beta"], color=look["color"], linestyle=style, linewidth=1.0)
    held = rows(mine, what="smallest")
    axes.plot(held["n0"], held["beta"], **marks(**look))


def _shown(angle: str) -> str:
    words = angle.replace("2 pi", r"2\pi").replace("omega", r"\omega").replace("n0", "n_0").replace(" ", "")
    return rf"$\theta = {words}$"


def caption(data: pa.Table) -> str:
    """Claims, domain and reading of the figure."""
    columns, about = columns_of(data), described(data)
    longest = int(columns["n0"].max())
    at = rows(columns, n0=longest, what="smallest")
    told = [
        f"{NAMES[str(queries)]} at theta = {angle}: {beta:.3g}"
        for queries, angle, beta in zip(at["queries"], at["angle"], at["beta"], strict=True)
    ]
    return (
        "dyn.lemmaF.1: how large an inverse temperature must be for softmax attention to decode every input of up to "
        f"n0 tokens as hard attention does, for DYN's two constructions ({about['letters']} letters). Marks: the "
        "smallest one that is enough, by bisection in floating point over the worst inputs; up to "
        f"{about['confirmed']} tokens exact predicates confirm it to one part in a million. Lines: where the claims' "
        "own conditions turn, in exact arithmetic: dotted, what is necessary (dyn.lemmaF.1.index.necessary at every "
        "angle, .retrieval.necessary), dashed, what is sufficient (.index.sufficient, .retrieval.sufficient, "
        ".retrieval.letter-queries.sufficient), dash-dotted, what is at any angle (.index.any-angle). The lemma itself "
        "prints that some inverse temperature will do, and no number. a: Index at its angle 2 pi / n0 and Retrieval's "
        "letter-number queries, at the edge of the angles that the print allows, both need order n0^2; so Retrieval "
        "does over all proper inputs. b: letter-letter queries, where the printed contrast appears: order ln n0 at "
        "theta = 0 (.retrieval.letter-queries, exactly where the dashed line is) and at any fixed share of the "
        "largest allowed angle, order n0 at that angle itself. "
        f"Smallest at n0 = {longest}: {'; '.join(told)}."
    )


figure = Figure(
    "discrepancy_temperature", "Inverse temperature that softmax needs against length", compute, draw, caption, CLAIMS
)
