"""The numbers of the claims about long inputs (dyn.length), worst over a size's runs, and those of their controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import Result, numbers_of
from headproof.checks.trained.multihop.tables import ANGLES
from headproof.checks.trained.multihop.trained import (
    Array,
    Runs,
    Step,
    Trained,
    exact,
    favourable,
    first,
    largest,
    last,
    least,
)
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


def reach(run: Trained, at: Step = last, variant: str = "plain") -> int:
    """The greatest length up to which accuracy is at GOOD or above at every length asked for; 1 if there is none."""
    mine = asked(run, at(run), variant)
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
    for hops in np.unique(held[0]["lengths"]["hops"]).tolist():
        if hops:
            own[f"least accuracy at 850, {hops} hops, letter"] = least(held, _of_hops, hops)
    return numbers_of(own), {
        UNTRAINED: numbers_of({name: largest(held, _least_end, first)}),
        named.RULE: numbers_of({name: largest(held, lambda run: best_rule(run)[1:].min())}),
    }


def _of_hops(run: Trained, hops: int) -> float:
    """Accuracy of a hop class at the greatest length."""
    mine = rows(run["lengths"], step=run.last, variant="plain", hops=hops)
    return float(mine["accuracy"][mine["length"].argmax()])


def _has(run: Trained, variant: str) -> bool:
    return len(asked(run, variant=variant)["length"]) > 0


def letter_far(runs: Runs) -> Result:
    """dyn.length.letter-far."""
    name, held = "least lower end up to 850, answer far, letter", runs["letter"]

    def far_end(run: Trained) -> float:
        return float(asked(run, variant="far")["low"].min()) if _has(run, "far") else 0.0

    def far_last(run: Trained) -> float:
        return float(asked(run, variant="far")["accuracy"][-1]) if _has(run, "far") else 0.0

    own = {
        name: least(held, far_end),
        "least accuracy at 850, answer far, letter": least(held, far_last),
        "least reach, answer far, letter": least(held, reach, last, "far"),
        "largest reach, answer far, letter": largest(held, reach, last, "far"),
    }
    # The untrained model is asked with the answer near: it is no better off with it far.
    return numbers_of(own), {UNTRAINED: numbers_of({name: largest(held, _least_end, first)})}


def _losses(run: Trained, variants: tuple[str, ...]) -> float:
    """The largest loss of accuracy by one of the variants at the lengths that the null is asked at; 1 if one lacks.

    What is lost is counted against plain sequences of as many hops: another query may ask for fewer moves.
    """
    found = []
    for variant in variants:
        for length in asked(run, run.first)["length"]:
            plain, varied = (
                rows(run["lengths"], step=run.last, variant=name, length=length) for name in ("plain", variant)
            )
            if not len(varied["hops"]):
                return 1.0
            share = dict(zip(plain["hops"].tolist(), plain["accuracy"].tolist(), strict=True))
            by = {name: values[varied["hops"] > 0] for name, values in varied.items()}
            as_many = np.average([share[hops] for hops in by["hops"].tolist()], weights=by["sequences"])
            found.append(as_many - varied["accuracy"][varied["hops"] == 0][0])
    return float(exact(np.array(found)).max())


def _lead(run: Trained, at: Step) -> float:
    """How far accuracy is above the best rule's at least, at the lengths that the null is asked at."""
    mine, wanted = asked(run, at(run)), asked(run, run.first)["length"]
    rules = best_rule(run)[np.isin(asked(run)["length"], wanted)]
    return float(exact(mine["accuracy"][np.isin(mine["length"], wanted)] - rules).min())


def follows(runs: Runs) -> Result:
    """dyn.length.letter-follows."""
    held, lead, loss = runs["letter"], "least lead over the best rule, letter", "largest loss by a variant, letter"
    own = {lead: least(held, _lead, last), loss: largest(held, _losses, VARIED)}
    own |= {f"largest loss if {each}, letter": largest(held, _losses, (each,)) for each in VARIED}
    # The variants are not asked of the untrained model: that they cost it nothing is in its favour.
    untrained = {lead: largest(held, _lead, first), loss: 0.0}
    return numbers_of(own), {UNTRAINED: numbers_of(untrained)}


def number_short(runs: Runs) -> Result:
    """dyn.length.number-hardly."""

    def beyond(run: Trained, at: Step) -> float:
        mine = asked(run, at(run))
        return float(mine["high"][mine["length"] >= 2 * mine["length"][0]].max())

    def found(held: Runs, at: Step) -> Found:
        return {
            "lower end at the length of training, number": least(held["number"], _value, at, "low"),
            "largest upper end from twice the length, number": largest(held["number"], beyond, at),
        }

    own = found(runs, last)
    own["largest reach, number"] = largest(runs["number"], reach)
    own["largest accuracy at 850, number"] = largest(runs["number"], _value, last, "accuracy", -1)
    untrained = favourable(named.NUMBER_SHORT, runs, lambda held: found(held, first), ("number",))
    return numbers_of(own), {UNTRAINED: untrained}


def further(runs: Runs) -> Result:
    """dyn.length.letter-further."""

    def found(held: Runs, at: Step) -> Found:
        return {
            "least reach, letter": least(held["letter"], reach, at),
            "least reach, number": least(held["number"], reach, last),
            "largest reach, number": largest(held["number"], reach, last),
        }

    untrained = favourable(named.FURTHER, runs, lambda held: found(held, first), ("letter",))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


def theory_reach(run: Trained, at: Step, reading: str, which: str) -> float:
    """The least or largest reach of the needed layers' constructions by one reading, up to the longest input asked."""
    mine = rows(run["reaches"], step=at(run), reading=reading)
    values = mine[CONSTRUCTION[run.task]][np.argsort(mine["layer"])][run.needed(run.last)]
    most = int(asked(run)["length"].max())
    return float(min(ENDS[which](values), most)) if len(values) else 1.0


def predicted(runs: Runs) -> Result:
    """dyn.length.reach-predicted."""

    def factor(held: Runs, at: Step, reading: str, which: str, exchanged: bool) -> float:
        """The largest factor of a run's own reach; if exchanged, the least of those of runs of the other task."""
        found = []
        for task, mine in held.items():
            for run in mine:
                others = [run] if not exchanged else [each for name in held if name != task for each in held[name]]
                theory = theory_reach(run, at, reading, which)
                found.append(min(max(theory / reach(each), reach(each) / theory) for each in others))
        return max(found)

    def found(held: Runs, at: Step, exchanged: bool = False) -> Found:
        each = {
            f"largest factor, {which} reach, {reading.replace('_', ' ')}": factor(held, at, reading, which, exchanged)
            for reading in ANGLES
            for which in ENDS
        }
        reaches = {f"least reach of the model, {task}": least(mine, reach) for task, mine in held.items()}
        return {"largest factor between theory and model by the best reading": min(each.values()), **reaches, **each}

    numbers = found(runs, last)
    for task, mine in runs.items():
        numbers[f"needed layers, {task}"] = least(mine, lambda run: run.needed(run.last).sum())
        for which in ENDS:
            name = f"{which} reach by theory, top angle, {task}"
            numbers[name] = least(mine, theory_reach, last, "top_angle", which)
    return numbers_of(numbers), {
        UNTRAINED: favourable(named.THEORY, runs, lambda held: found(held, first)),
        named.SWAPPED: numbers_of(found(runs, last, exchanged=True)),
    }


def reach_of(runs: Runs, task: str) -> Result:
    """dyn.length.number-reach-predicted and letter-reach-predicted."""
    other = next(each for each in CONSTRUCTION.values() if each != CONSTRUCTION[task])

    def factor(run: Trained, at: Step, name: str, reading: str, which: str) -> float:
        mine = rows(run["reaches"], step=at(run), reading=reading)
        values = mine[name][np.argsort(mine["layer"])][list(run.suffice(run.last))]
        theory = min(ENDS[which](values), int(asked(run)["length"].max())) if len(values) else 1
        return float(max(theory / reach(run), reach(run) / theory))

    def found(held: Runs, at: Step, name: str) -> Found:
        each = {
            f"largest factor, {which} reach, {reading.replace('_', ' ')}, {task}": largest(
                held[task], factor, at, name, reading, which
            )
            for reading in ANGLES
            for which in ENDS
        }
        best = f"largest factor by the best reading, {task}"
        return {best: min(each.values()), f"least reach, {task}": least(held[task], reach), **each}

    def guessed(mine: tuple[Trained, ...]) -> Found:
        """As if the theory gave the length of training."""
        factors = [reach(run) / asked(run)["length"][0] for run in mine]
        worst = max(max(each, 1 / each) for each in factors)
        return {f"largest factor by the best reading, {task}": worst, f"least reach, {task}": least(mine, reach)}

    def null(at: Step, name: str) -> Any:
        return favourable(named.REACHES[task], runs, lambda held: found(held, at, name), (task,))

    return numbers_of(found(runs, last, CONSTRUCTION[task])), {
        UNTRAINED: null(first, CONSTRUCTION[task]),
        named.OTHER: null(last, other),
        named.GUESS: favourable(named.REACHES[task], runs, lambda held: guessed(held[task]), (task,)),
    }


MEASURES: Mapping[str, Callable[[Runs], Any]] = {
    named.LETTER_LONG.name: letter_long,
    named.LETTER_FAR.name: letter_far,
    named.FOLLOWS.name: follows,
    named.NUMBER_SHORT.name: number_short,
    named.FURTHER.name: further,
    named.THEORY.name: predicted,
    **{finding.name: partial(reach_of, task=task) for task, finding in named.REACHES.items()},
}
