"""Figure `multihop_prompts`: accuracy on the 1-hop tasks as prompts against length, on the committed models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.committed import MODELS
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.theory.errors import InputError
from headproof.theory.multihop.prompt_findings import PRINTED_LENGTHS, PRINTED_MEANS

NAMES = {"number": "number", "letter": "letter", "letter-value": "digit, letter given"}
COLOURS = {"number": "#0072B2", "letter": "#E69F00", "letter-value": "#009E73"}
# Of marks at one length, so that they do not cover each other; the axis is logarithmic.
ASIDE = {"number": 0.94, "letter": 1.0, "letter-value": 1.06}
# Of each task, besides its colour; of each control, how the task's marker is filled.
MARKERS = {"number": "o", "letter": "s", "letter-value": "D"}
FILLS = {"other query": "left", "fresh": "none"}
GUESSES = {"chance": ":", "frequent": "--"}
PRINTED, GREY = "printed", {"number": "-.", "letter": "-"}
TICKS = (8, 12, 16, 24, 32, 48, 64, 100, 200, 300)
Row = dict[str, Any]


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a model, kind of answer, task and length: the share of right answers and its 95 % interval.

    Kinds are the trained model's plain answers, those to another query, those of fresh models (all seeds together), two
    ways of guessing, and the printed means. Raises InputError if no answers are committed.
    """
    from headproof.checks.trained.multihop.measurement import read_prompts

    del context, message
    found = {model.name: table for model in MODELS if (table := read_prompts(model)) is not None}
    if not found:
        raise InputError("no answers to prompts are committed", "run headproof remeasure multihop --model default")
    return gathered(found)


def gathered(tables: dict[str, pa.Table]) -> pa.Table:
    """The rows of the figure from tables of answers by model."""
    made = [row for model, table in tables.items() for row in _rows_of(model, columns_of(table))]
    made += [
        _row(f"model {number}", PRINTED, task, length, mean, mean, mean)
        for number, means in enumerate(PRINTED_MEANS, 1)
        for task, values in zip(GREY, means, strict=True)
        for length, mean in zip(PRINTED_LENGTHS, values, strict=True)
    ]
    about = {model: described(table) for model, table in tables.items()}
    return pa.Table.from_pylist(made).replace_schema_metadata({"headproof": json.dumps(about)})


def _row(model: str, kind: str, task: str, length: int, share: float, low: float, high: float) -> Row:
    return {"model": model, "kind": kind, "task": task, "length": length, "share": share, "low": low, "high": high}


def _rows_of(model: str, columns: Columns) -> Iterator[Row]:
    from headproof.checks.trained.multihop.wilson import wilson

    chosen = {
        "trained": {"group": "trained", "control": "none"},
        "other query": {"group": "trained", "control": "shuffled"},
        "fresh": {"group": "fresh", "control": "none"},
    }
    for kind, wanted in chosen.items():
        mine = rows(columns, **wanted)
        for task in NAMES:
            for length in np.unique(mine["length"]):
                here = rows(mine, task=task, length=length)
                if not len(here["right"]):
                    continue
                right, count = float(here["right"].sum()), int(here["prompts"].sum())
                yield _row(model, kind, task, int(length), right / count, *wilson(right, count))
                for guess in GUESSES if kind == "trained" else ():
                    mean = float(here[guess].mean())
                    yield _row(model, guess, task, int(length), mean, mean, mean)


def draw(data: pa.Table) -> Any:
    """A panel a model: each task's accuracy with its interval, guessing, the controls, and the printed means."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    models = list(described(data))
    figure = plt.figure(figsize=(max(4.6, 3.6 * len(models)), 3.9))
    panels = figure.subplots(1, len(models), sharey=True, squeeze=False)[0]
    for place, (axes, model) in enumerate(zip(panels, models, strict=True)):
        _printed(axes, rows(columns, kind=PRINTED))
        for task, colour in COLOURS.items():
            _task(axes, rows(columns, model=model, task=task), task, colour)
        axes.set_xscale("log")
        axes.set(title=f"{ascii_lowercase[place]}  {model}", ylim=(-0.02, 1.02), xlabel="tokens of the sequence")
        axes.set_xticks(TICKS, labels=[str(each) for each in TICKS])
        axes.minorticks_off()
    panels[0].set_ylabel("share of right answers")
    figure.legend(handles=_keys(), loc="outside lower center", ncols=min(4, 2 * len(models)), fontsize=7.5)
    return figure


def _printed(axes: Any, columns: Columns) -> None:
    for model in np.unique(columns["model"]):
        for task, style in GREY.items():
            mine = rows(columns, model=model, task=task)
            axes.plot(mine["length"], mine["share"], color="0.8", linewidth=0.8, linestyle=style, zorder=0)


def _task(axes: Any, columns: Columns, task: str, colour: str) -> None:
    mine = rows(columns, kind="trained")
    axes.fill_between(mine["length"], mine["low"], mine["high"], color=colour, alpha=0.18, linewidth=0)
    marker = MARKERS[task]
    axes.plot(mine["length"], mine["share"], color=colour, marker=marker, markersize=3)
    for guess, style in GUESSES.items():
        guessed = rows(columns, kind=guess)
        ends = {"marker": marker, "markersize": 2, "markevery": [0, -1]}
        axes.plot(guessed["length"], guessed["share"], color=colour, linewidth=0.6, linestyle=style, **ends)
    for kind, fill in FILLS.items():
        marked = rows(columns, kind=kind)
        axes.plot(marked["length"] * ASIDE[task], marked["share"], color=colour, **_control(marker, fill))


def _control(marker: str, fill: str) -> dict[str, Any]:
    look = {"marker": marker, "fillstyle": fill, "markerfacecoloralt": "white"}
    return {**look, "markersize": 4.5, "markeredgewidth": 0.8, "linestyle": "none"}


def _keys() -> list[Any]:
    """What the legend shows: tasks by colour, and in grey what lines and marks are."""
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], color=COLOURS[task], marker=MARKERS[task], markersize=3, label=name)
        for task, name in NAMES.items()
    ]
    names = {"chance": "chance", "frequent": "the most frequent"}
    keys += [
        Line2D([], [], color="0.3", linewidth=0.6, linestyle=style, label=names[guess])
        for guess, style in GUESSES.items()
    ]
    keys += [Line2D([], [], color="0.3", label=kind, **_control("o", fill)) for kind, fill in FILLS.items()]
    keys += [
        Line2D([], [], color="0.7", linewidth=0.8, linestyle=style, label=f"printed, {task}")
        for task, style in GREY.items()
    ]
    return keys


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns, told = columns_of(data), []
    abouts = described(data)
    plan = next(iter(abouts.values()))["settings"]
    for model in abouts:
        said = []
        for task, name in NAMES.items():
            mine = rows(columns, model=model, kind="trained", task=task)
            said.append(f"{name} {mine['share'][0]:.2f} to {mine['share'][-1]:.2f}")
        told.append(f"{model}, at {mine['length'][0]} and {mine['length'][-1]} tokens: {', '.join(said)}")
    form = plan["form"]
    return (
        f"dyn.llm on models at hand: 1-hop tasks as prompts with {form['shots']} solved examples, {plan['count']} "
        f"prompts a length ({plan['few']} from 200 tokens on and of controls). Right is an answer that is likelier "
        "than all other words of the target window; bands: Wilson's 95 % intervals. The letter task's query shows the "
        "letter that the answer begins with, so copying it is enough; green diamonds: the letter is given and its "
        "digit counts. Thin lines: guessing among all candidates, and among the most frequent. Half-filled: another "
        f"query is asked and the old answer counted; hollow: newly initialised models, {len(plan['null_seeds'])} seeds "
        "together; marks of the three tasks stand side by side. Grey: the printed means of three API models chosen by "
        f"a screen, which write their answers. {'; '.join(told)}."
    )


figure = Figure(
    "multihop_prompts",
    "The 1-hop tasks as prompts on two models",
    compute,
    draw,
    caption,
    (
        "dyn.llm.printed",
        *(
            f"dyn.llm.{finding}.{model.slug}"
            for finding in (
                "letters-above-numbers",
                "numbers-fall",
                "letters-stay",
                "values-stay",
                "numbers-read-the-query",
                "letters-read-the-query",
                "values-read-the-query",
                "numbers-above-rules",
                "values-above-rules",
                "screen",
            )
            for model in MODELS
        ),
    ),
)
