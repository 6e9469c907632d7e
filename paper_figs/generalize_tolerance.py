"""Figure `order_tolerance`: what a share of words in wrong places costs, by reading and by the level that is moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.evidence import cube, over_prompts
from headproof.checks.trained.rows import Columns, columns_of, rows
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.generalize_rows import (
    BAND,
    SMALL,
    STYLES,
    band_key,
    counted,
    model_words,
    null_words,
    plain_logarithmic,
    text_words,
)
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
from headproof.paper_figs.profile_rows import Array, groups_in

READINGS = {"neighbours": "a  a word and the next one", "anywhere": "b  any two words"}
SHUFFLED, NONE, WORDS = "shuffled", "none", "words"
# Colour, marker and name of each level, trained model.
LEVELS = {
    "words": ("#0072B2", "o", "words of the text"),
    "indices": ("#CC79A7", "D", "position indices"),
    "keys": ("#D55E00", "v", "keys' positions"),
}
HARDLY = 1.1
SEED = 0
FEWEST = 3  # texts that a bootstrap needs


@dataclass(frozen=True, eq=False)
class Cost:
    """Perplexity over that of the unmoved text at each share asked: `reached` is the mean share of moved words, `ratio`
    exp of the mean over texts of the difference of negative log-likelihoods, its seeds averaged within a text; `low`,
    `high` a 95 % bootstrap interval over texts, NaN for fewer than FEWEST."""

    reached: Array
    ratio: Array
    low: Array
    high: Array
    texts: int


def cost(columns: Columns, group: str, reading: str, level: str) -> Cost | None:
    """The cost of a reading and level in a group; None if it was not measured."""
    moved = rows(columns, group=group, reading=reading, level=level)
    if not len(moved["nll"]):
        return None
    plain = rows(columns, group=group, reading=NONE)
    keys = ("null_seed", "text", "seed", "asked")
    nll, reached = (cube(moved, name, keys).mean(axis=(0, 2)) for name in ("nll", "reached"))
    apart = nll - cube(plain, "nll", ("null_seed", "text")).mean(axis=0)[:, None]
    texts = np.unique(moved["text"])

    def interval(of: Array) -> tuple[float, float]:
        statistic: Callable[[Array], float] = lambda chosen: float(np.exp(of[chosen].mean()))  # noqa: E731
        return over_prompts(statistic, texts.tolist(), SEED)

    ends = np.array([interval(column) for column in apart.T])
    return Cost(reached.mean(axis=0), np.exp(apart.mean(axis=0)), ends[:, 0], ends[:, 1], len(texts))


def order_tolerance(tolerance: pa.Table) -> Any:
    """Perplexity ratio against the share of moved words, a panel a reading, with the shuffled control at its end."""
    from matplotlib.figure import Figure

    columns = columns_of(tolerance)
    readings = [name for name in READINGS if (columns["reading"] == name).any()]
    with house_style():
        figure = Figure(figsize=(max(4.6, 3.6 * len(readings)), 3.7))
        panels = figure.subplots(1, len(readings), sharex=True, sharey=True, squeeze=False)[0]
        moved = columns["reached"][np.isin(columns["reading"], readings)]
        end = 100 * float(moved.max()) * 1.2
        for axes, reading in zip(panels, readings, strict=True):
            _strip(axes, columns, end)
            for group in groups_in(tolerance):
                for level in LEVELS if group == "trained" else (WORDS,):
                    _line(axes, columns, group, reading, level, end)
            axes.axhline(HARDLY, color="0.3", linewidth=0.7, zorder=0, label=f"ratio {HARDLY:g}")
            axes.set(yscale="log", title=READINGS[reading], xlabel="moved words (% of the text)")
        panels[0].set_ylabel("perplexity / unmoved text's")
        plain_logarithmic(panels[0].yaxis)
        found = dict(zip(*reversed(panels[0].get_legend_handles_labels()), strict=True))
        handles = [*found.values(), band_key("95 % interval over texts")]
        figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure


def _strip(axes: Any, columns: Columns, end: float) -> None:
    """The right end of the axis, where the shuffled control stands, and the ticks of the rest."""
    from matplotlib.ticker import MaxNLocator

    ticks = [float(tick) for tick in MaxNLocator(5).tick_values(0, end / 1.2) if 0 <= tick < end / 1.1]
    names = [f"{tick:g}" for tick in ticks]
    control = rows(columns, reading=SHUFFLED, group="trained")
    if len(control["reached"]):
        axes.axvspan(end * 0.92, end * 1.1, color="0.94", linewidth=0, zorder=0)
        ticks, names = [*ticks, end], [*names, f"shuffled\n({100 * control['reached'].mean():.0f})"]
    axes.set_xlim(0, end * 1.1 if len(control["reached"]) else end / 1.15)
    axes.set_xticks(ticks, names)


def _line(axes: Any, columns: Columns, group: str, reading: str, level: str, end: float) -> None:
    if group == "trained":
        colour, marker, name = LEVELS[level]
        look = {"color": colour, "marker": marker, "label": f"{name}, trained"}
    else:
        look = {"color": COLOURS[group], "marker": MARKERS[group], "label": f"words, {NAMES[group]}"}
    style = STYLES[group]
    if found := cost(columns, group, reading, level):
        places, ratio, low, high = (
            np.insert(values, 0, first)
            for values, first in ((100 * found.reached, 0), (found.ratio, 1), (found.low, 1), (found.high, 1))
        )
        axes.plot(places, ratio, linestyle=style, markersize=3.5, linewidth=1.1, clip_on=False, zorder=3, **look)
        axes.fill_between(places, low, high, color=look["color"], alpha=BAND, linewidth=0, zorder=1)
    if control := cost(columns, group, SHUFFLED, level):
        mark = {name: value for name, value in look.items() if name != "label"}
        place = end * (1 + 0.025 * (list(LEVELS).index(level) - 1 if group == "trained" else 0))
        bar = np.nan_to_num([control.ratio - control.low, control.high - control.ratio])
        axes.errorbar(place, control.ratio, bar, linestyle="none", markersize=3.5, elinewidth=0.9, zorder=3, **mark)


def caption(tolerance: pa.Table, about: Mapping[str, Any]) -> str:
    """Claim, domain and reading of the figure."""
    columns = columns_of(tolerance)
    counts = {group: len(np.unique(rows(columns, group=group)["text"])) for group in groups_in(tolerance)}
    seeds = np.unique(columns["seed"][(columns["group"] == "trained") & (columns["reading"] != NONE)])
    few = [f"{NAMES[group]} ({counted(count, 'text')})" for group, count in counts.items() if count < FEWEST]
    nulls = ", ".join(
        f"{counted(count, 'text')} for {NAMES[group]}" for group, count in counts.items() if group != "trained"
    )
    return (
        f"gen.tolerance. {model_words(about)} on {text_words(tolerance, about['settings']['tolerance_tokens'])}, "
        f"{counted(len(seeds), 'seed')} of exchanges a text; {null_words(tolerance)}{f', {nulls}' if nulls else ''}. "
        "Perplexity over that of the same text unmoved: exp of the mean over texts of the difference of mean negative "
        "log-likelihoods, seeds averaged within a text; across, the share of words that stand in another's place as "
        "it was reached, the mean over texts and seeds. Pairs of words change places: (a) a word and the next one, "
        "(b) any two. The same exchange is made in the text, in the position indices of its tokens, and in those of "
        "their keys alone; of the nulls (dashed, dotted) in the text. At the grey end stands the control in which all "
        "words are shuffled. Bands and bars are 95 % bootstrap intervals over texts, each point's own"
        + (f"; none for {', '.join(few)}: fewer than {FEWEST} have no interval" if few else "")
        + f". The thin line is a ratio of {HARDLY:g}. gen.tolerance prints that up to 5 % of the words hardly change "
        "perplexity and more than 10 % clearly do, and that perturbing indices and features acts alike."
    )
