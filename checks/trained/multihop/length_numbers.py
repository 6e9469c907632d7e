"""The numbers of the claims about long inputs (dyn.length), worst over a size's runs, and those of their controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import Result, numbers_of
from headproof.checks.trained.multihop.tables import ANGLES
from headproof.checks.trained.multihop.trained import Array, Runs, Step, Trained, first, largest, last, least
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.multihop import length_findings as named
from headproof.theory.multihop.measured import UNTRAINED

CONSTRUCTION = {"number": "index", "letter": "retrieval"}
ENDS: Mapping[str, Callable[[Array], Any]] = {"least": np.min, "largest": np.max}
VARIED = ("recopied", "redirected")
Found = dict[str, float]


def asked(run: Trained, step: int | None = None, variant: str = "plain") -> Columns:
    """The rows of `lengths` of a checkpoint, by default the last, all hop classes together, in order of lengths."""
    mine = rows(run["lengths"], step=run.last if step is None else step, variant=variant, hops=0)
    order = np.argsort(mine["length"])
    return {name: values[order] for name, values in mine.items()}


def reach(run: Trained) -> int:
    """The greatest length up to which accuracy is at GOOD or above at every length asked for; 1 if there is none."""
    mine = asked(run)
    good = np.logical_and.accumulate(mine["accuracy"] >= named.GOOD)
    return int(mine["length"][good].max()) if good.any() else 1


def best_rule(run: Trained) -> Array:
    """The accuracy of the best rule that follows no path at each length, in order."""
    mine = rows(run["baselines"], hops=0)
    return np.array([rows(mine, length=length)["accuracy"].max() for length in np.unique(mine["length"])])


def _value(run: Trained, at: Step, name: str, place: int = 0) -> float:
    """A column at one of the lengths, in order."""
    return float(asked(run, at(run))[name][place])


def _least_end(run: Trained, at: Step) -> float:
    return float(asked(run, at(run))["low"].min())


def letter_long(runs: Runs) -> Result:
    """dyn.length.letter-850."""
    name, held = "least lower end up to 850, letter", runs["letter"]
    own = {
        name: least(held, _least_end, last),
        "least accuracy at 850, letter": least(held, _value, last, "accuracy", -1),
        "least lower end at the length of training, letter": least(held, _value, last, "low"),
        "least reach, letter": least(held, reach),
    }
    return numbers_of(own), {
        UNTRAINED: numbers_of({name: largest(held, _least_end, first)}),
        named.RULE: numbers_of({name: largest(held, lambda run: best_rule(run).min())}),
    }


def _loss(run: Trained, variants: tuple[str, ...]) -> float:
    """The largest loss of accuracy by one of the variants, at the lengths at which they are asked for."""
    plain, found = asked(run), []
    for variant in variants:
        varied = asked(run, variant=variant)
        at = np.isin(plain["length"], varied["length"])
        found.append(float((plain["accuracy"][at] - varied["accuracy"]).max()))
    return max(found)


def follows(runs: Runs) -> Result:
    """dyn.length.letter-follows."""
    held, start, loss = (
        runs["letter"],
        "accuracy at the length of training, letter",
        "largest loss by a variant, letter",
    )
    trained = least(held, _value, last, "accuracy")
    own = {start: trained, loss: largest(held, _loss, VARIED)}
    own |= {f"largest loss if {each}, letter": largest(held, _loss, (each,)) for each in VARIED}
    # A model that does not read the query gives the old answer, which is wrong under another query.
    ignores = {start: trained, loss: largest(held, _value, last, "accuracy")}
    untrained = {start: least(held, _value, first, "accuracy"), loss: 0.0}
    return numbers_of(own), {named.IGNORES: numbers_of(ignores), UNTRAINED: numbers_of(untrained)}


def number_short(runs: Runs) -> Result:
    """dyn.length.number-hardly."""
    held = runs["number"]

    def beyond(run: Trained, at: Step) -> float:
        mine = asked(run, at(run))
        return float(mine["high"][mine["length"] >= 2 * mine["length"][0]].max())

    def found(at: Step, end: float) -> Found:
        return {
            "lower end at the length of training, number": least(held, _value, at, "low"),
            "largest upper end from twice the length, number": end,
        }

    own = found(last, largest(held, beyond, last))
    own["largest reach, number"] = largest(held, reach)
    own["largest accuracy at 850, number"] = largest(held, _value, last, "accuracy", -1)
    return numbers_of(own), {
        UNTRAINED: numbers_of(found(first, largest(held, beyond, first))),
        named.TRAINED_LENGTH: numbers_of(found(last, largest(held, _value, last, "high"))),
    }


def further(runs: Runs) -> Result:
    """dyn.length.letter-further."""
    ends = {task: (least(held, reach), largest(held, reach)) for task, held in runs.items()}

    def found(letter: str, number: str) -> Any:
        return numbers_of({"least reach, letter": ends[letter][0], "largest reach, number": ends[number][1]})

    return found("letter", "number"), {named.SWAPPED: found("number", "letter")}


def theory_reach(run: Trained, at: Step, reading: str, which: str) -> float:
    """The least or largest reach of the needed layers' constructions by one reading, up to the longest input asked."""
    mine = rows(run["reaches"], step=at(run), reading=reading)
    values = mine[CONSTRUCTION[run.task]][np.argsort(mine["layer"])][run.needed(run.last)]
    most = int(asked(run)["length"].max())
    return float(min(ENDS[which](values), most)) if len(values) else 1.0


def predicted(runs: Runs) -> Result:
    """dyn.length.reach-predicted."""
    best = "largest factor between theory and model by the best reading"

    def factor(at: Step, reading: str, which: str, exchanged: bool) -> float:
        """The largest factor of a run's own reach; if exchanged, the least of those of runs of the other task."""
        found = []
        for task, held in runs.items():
            for run in held:
                others = [run] if not exchanged else [each for name in runs if name != task for each in runs[name]]
                theory = theory_reach(run, at, reading, which)
                found.append(min(max(theory / reach(each), reach(each) / theory) for each in others))
        return max(found)

    def found(at: Step, exchanged: bool = False) -> Found:
        each = {
            f"largest factor, {which} reach, {reading.replace('_', ' ')}": factor(at, reading, which, exchanged)
            for reading in ANGLES
            for which in ENDS
        }
        return {best: min(each.values()), **each}

    numbers = found(last)
    for task, held in runs.items():
        numbers[f"least reach of the model, {task}"] = least(held, reach)
        for which in ENDS:
            name = f"{which} reach by theory, top angle, {task}"
            numbers[name] = least(held, theory_reach, last, "top_angle", which)
    return numbers_of(numbers), {
        UNTRAINED: numbers_of(found(first)),
        named.SWAPPED: numbers_of(found(last, exchanged=True)),
    }


MEASURES: Mapping[str, Callable[[Runs], Any]] = {
    named.LETTER_LONG.name: letter_long,
    named.FOLLOWS.name: follows,
    named.NUMBER_SHORT.name: number_short,
    named.FURTHER.name: further,
    named.THEORY.name: predicted,
}
