"""The numbers of each empirical claim about toys, and those of its controls, from the committed tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Number
from headproof.checks.trained.canonical.results import best_by_seed, curves_of
from headproof.checks.trained.canonical.shape import interval, shape_of
from headproof.checks.trained.canonical.sweep import SOLVED
from headproof.checks.trained.canonical.training import EACH
from headproof.checks.trained.evidence import area, holm, resamples
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.canonical.empirical_claims import DEALT, LENGTHS, SHUFFLED, UNTRAINED

Array = np.ndarray[Any, Any]
Tables = Mapping[str, Columns]
Found = dict[str, float]
Result = tuple[dict[str, Number], dict[str, dict[str, Number]]]
# Of the seeds of a set, how many must solve the task for the set to count as learned.
ENOUGH = 0.8
LEVEL = 0.05
# By how much a set must exceed the angle 0 to have learned something.
LEARNS = 0.05
# Numbers are computed from committed tables: a rerun reproduces them up to what numpy rounds and draws.
RERUN = 1e-6


@dataclass(frozen=True, eq=False)
class Group:
    """One angle set at one length: its first row, the cells of all rounds, and the best accuracy of each seed."""

    one: Mapping[str, Any]
    cells: Columns
    best: Array

    @property
    def learned(self) -> bool:
        """Whether enough seeds solve the task in some round."""
        return bool((self.best >= SOLVED).mean() >= ENOUGH)

    @property
    def angle(self) -> float:
        """The largest allowed angle, in radians."""
        return float(self.one["angle"])

    @property
    def keys(self) -> int:
        """Key places."""
        return int(self.one["length"]) - 1


def groups(tables: Tables, task: str, length: int, answers: str = "true") -> list[Group]:
    """The angle sets of a task and length."""
    mine = rows(tables["cells"], task=task, length=length, answers=answers)
    found = []
    for each in dict.fromkeys(mine["angles"].tolist()):
        held = rows(mine, angles=each)
        first = rows(held, round=1)
        found.append(Group({name: values[0] for name, values in first.items()}, held, best_by_seed(held)))
    return found


def _by_length(found: Callable[[int], Found]) -> dict[str, Number]:
    return {
        f"{name}, {length} tokens": Number(float(value), RERUN)
        for length in LENGTHS
        for name, value in found(length).items()
    }


def _extreme(values: Iterable[float], largest: bool) -> float:
    held = list(values)
    return (max(held) if largest else min(held)) if held else math.nan


# -- which angles learn ---------------------------------------------------------------------------------------------


def _ordered(sets: list[Group], angles: Array, high: bool) -> Found:
    """How many pairs of a learned and a failed set stand in the wrong order; both ranges' ends if there are any."""
    learned = np.array([each.learned for each in sets])
    one, other = angles[learned][:, None], angles[~learned]
    found: Found = {
        "learned sets": len(one),
        "failed sets": len(other),
        "misordered pairs": int(((one <= other) if high else (one >= other)).sum()),
    }
    low = angles <= 1
    few, rest = angles[learned & low][:, None], angles[~learned & low]
    found["misordered pairs, angles up to 1"] = int(((few <= rest) if high else (few >= rest)).sum())
    if len(one) and len(other):
        found |= {"smallest learned": one.min(), "largest learned": one.max()}
        found |= {"smallest failed": other.min(), "largest failed": other.max()}
    return found


def _dealt(count: int, seed: int) -> Array:
    return np.random.default_rng(seed).permutation(count)


def _frequency(task: str, high: bool, tables: Tables, seed: int) -> Result:
    def at(length: int, answers: str = "true", dealt: bool = False) -> Found:
        sets = groups(tables, task, length, answers)
        angles = np.array([each.angle for each in sets])
        return _ordered(sets, angles[_dealt(len(sets), seed)] if dealt else angles, high)

    controls = {SHUFFLED: _by_length(partial(at, answers="shuffled")), DEALT: _by_length(partial(at, dealt=True))}
    return _by_length(at), controls


def _repeats(tables: Tables, seed: int) -> Result:
    def at(length: int, dealt: bool = False) -> Found:
        every = groups(tables, "index", length)
        sets = [each for each in every if not _aliased(each)]
        order = _dealt(len(sets), seed) if dealt else np.arange(len(sets))
        count = len(sets[0].best)
        own = _areas([sets[place] for place in order], sets, np.arange(count))
        leads = [
            one - other for one, other in (_areas([sets[p] for p in order], sets, s) for s in resamples(count, seed))
        ]
        ends = np.quantile(leads, [0.025, 0.975]) if not np.isnan(leads).any() else (math.nan, math.nan)
        all_sets = _areas(every, every, np.arange(count))
        return {
            "AUC repeat": own[0],
            "AUC angle": own[1],
            "AUC lead, 2.5 %": float(ends[0]),
            "AUC lead, 97.5 %": float(ends[1]),
            "AUC repeat, all sets": all_sets[0],
            "AUC angle, all sets": all_sets[1],
        }

    return _by_length(at), {DEALT: _by_length(partial(at, dealt=True))}


def _areas(of: list[Group], judged: list[Group], seeds: Array) -> tuple[float, float]:
    """The areas under the curve of the repeat distance and of the angle of some sets, telling which toys are solved."""
    solved = np.concatenate([(each.best >= SOLVED)[seeds] for each in judged])
    values = ([each.one["repeat"] for each in of], [each.angle for each in of])
    repeat, angle = (np.repeat(np.array(each, dtype=float), len(seeds)) for each in values)
    return area(repeat[solved], repeat[~solved]), area(angle[solved], angle[~solved])


def _fails(task: str, what: str, asked: Callable[[Group], bool], instead: str, control: str) -> Any:
    """Whether the sets that are asked for are never learned; the control asks for one that is."""

    def of(tables: Tables, seed: int) -> Result:
        def at(length: int, chosen: Callable[[Group], bool] = asked) -> Found:
            sets = [each for each in groups(tables, task, length) if chosen(each)]
            return {f"{what} sets": len(sets), f"learned {what} sets": sum(each.learned for each in sets)}

        return _by_length(at), {control: _by_length(partial(at, chosen=lambda each: each.one["angles"] == instead))}

    return of


def _split(
    task: str,
    names: tuple[str, str],
    inside: Callable[[Group, float], bool],
    among: Callable[[Group], bool],
    dealt_too: bool,
) -> Any:
    """Whether exactly the sets inside a bound are learned; controls move the bound, or deal the angles."""

    def of(tables: Tables, seed: int) -> Result:
        def at(length: int, answers: str = "true", factor: float = 1, dealt: bool = False) -> Found:
            sets = [each for each in groups(tables, task, length, answers) if among(each)]
            order = _dealt(len(sets), seed) if dealt else np.arange(len(sets))
            within = np.array([inside(sets[place], factor) for place in order], dtype=bool)
            learned = np.array([each.learned for each in sets], dtype=bool)
            return {
                names[0]: int(within.sum()),
                names[1]: int((~within).sum()),
                f"failed {names[0]}": int((within & ~learned).sum()),
                f"learned {names[1]}": int((~within & learned).sum()),
            }

        controls = {
            SHUFFLED: _by_length(partial(at, answers="shuffled")),
            "half the bound": _by_length(partial(at, factor=0.5)),
            "twice the bound": _by_length(partial(at, factor=2)),
        }
        if dealt_too:
            controls[DEALT] = _by_length(partial(at, dealt=True))
        return _by_length(at), controls

    return of


def _two_angles(tables: Tables, seed: int) -> Result:
    def at(length: int, answers: str = "true") -> Found:
        sets = groups(tables, "induction", length, answers)
        learned = [[each.learned for each in sets if bool(each.one["sets"] == 1) is single] for single in (True, False)]
        return {"learned single angles": sum(learned[0]), "learned pairs": sum(learned[1])}

    return _by_length(at), {SHUFFLED: _by_length(partial(at, answers="shuffled"))}


def _found(tables: Tables, seed: int) -> Result:
    def at(length: int, answers: str = "true") -> Found:
        sets = [
            each
            for task in ("index", "retrieval", "induction")
            for each in groups(tables, task, length, answers)
            if each.one["feasible"] == "yes"
        ]
        return {"feasible sets": len(sets), "feasible sets not learned": sum(not each.learned for each in sets)}

    return _by_length(at), {SHUFFLED: _by_length(partial(at, answers="shuffled"))}


# -- the ceiling ----------------------------------------------------------------------------------------------------


def _aliased(each: Group) -> bool:
    return bool(each.one["ceiling"] < 1)


def _ceiling(tables: Tables, seed: int) -> Result:
    def at(length: int, learned: bool = False) -> Found:
        sets = [*groups(tables, "index", length), *groups(tables, "index", length, "shuffled")]
        lowest = min(float(each.one["ceiling"]) for each in sets)
        chosen = [each for each in sets if (each.learned if learned else _aliased(each))]
        excess = []
        for each in chosen:
            top = lowest if learned else float(each.one["ceiling"])
            error = math.sqrt(top * (1 - top) / (EACH * each.keys))
            excess += list((each.cells["accuracy"] - top) / error)
        return {"cells": len(excess), "largest excess, standard errors": _extreme(excess, True)}

    return _by_length(at), {"learned toys under the ceiling of pi": _by_length(partial(at, learned=True))}


def _reached(tables: Tables, seed: int) -> Result:
    def at(length: int, value: str = "best", answers: str = "true") -> Found:
        sets = [each for each in groups(tables, "index", length, answers) if _aliased(each)]
        short = [
            float(each.one["ceiling"]) - float((each.best if value == "best" else each.cells[value]).mean())
            for each in sets
        ]
        return {"sets": len(sets), "largest shortfall": _extreme(short, True)}

    controls = {
        UNTRAINED: _by_length(partial(at, value="untrained")),
        SHUFFLED: _by_length(partial(at, answers="shuffled")),
    }
    return _by_length(at), controls


# -- shapes ---------------------------------------------------------------------------------------------------------


def _shapes(task: str, shape: str, tables: Tables, seed: int) -> Result:
    def at(length: int, value: str = "accuracy", dealt: bool = False) -> Found:
        sets = groups(tables, task, length)
        first = {each.one["angles"]: rows(each.cells, round=1) for each in sets}
        nothing = float(first["0"]["accuracy"].mean()) if task == "index" else float(first["0"]["untrained"].mean())
        asked = [
            each
            for each in sets
            if 0 < each.angle * each.keys < 2 * math.pi
            and nothing + LEARNS < first[each.one["angles"]]["accuracy"].mean() < SOLVED
        ]
        source = np.random.default_rng(seed)
        shapes = []
        for each in asked:
            curves = curves_of(tables["places"], first[each.one["angles"]]["name"], value)
            shapes.append(shape_of(source.permuted(curves, axis=1) if dealt else curves))
        p = holm(np.array([each.u if shape == "U" else each.inverted for each in shapes], dtype=float))
        found: Found = {"sets asked": len(asked), shape: int((p < LEVEL).sum())}
        for each, held in zip(asked, shapes, strict=True):
            found[f"left arm at {each.one['angles']}"], found[f"right arm at {each.one['angles']}"] = (
                held.left,
                held.right,
            )
        return found

    controls = {
        UNTRAINED: _by_length(partial(at, value="untrained")),
        "places dealt at random": _by_length(partial(at, dealt=True)),
    }
    return _by_length(at), controls


# -- mechanism ------------------------------------------------------------------------------------------------------


def _heads(task: str, column: str, extra: Mapping[str, str], tables: Tables, seed: int) -> Result:
    def at(length: int, state: str = "trained") -> Found:
        solved = rows(tables["cells"], task=task, length=length, answers="true")
        solved = {name: values[solved["accuracy"] >= SOLVED] for name, values in solved.items()}
        # One toy a set and seed: the first round that solves.
        first = np.lexsort((solved["round"], solved["seed"], solved["angles"]))
        toys = np.char.add(np.char.add(solved["angles"][first], " "), solved["seed"][first].astype(str))
        kept = first[np.unique(toys, return_index=True)[1]]
        solved = {name: values[kept] for name, values in solved.items()}
        of = rows(tables["heads"], state=state)
        place = {name: at for at, name in enumerate(of["name"].tolist())}
        chosen = np.array([place[name] for name in solved["name"].tolist()], dtype=int)
        values = of[column][chosen]
        medians = np.array([np.median(values[solved["seed"] == s]) for s in np.unique(solved["seed"])])
        low, high = interval(medians) if len(medians) > 1 else (math.nan, math.nan)
        found = {"toys": len(values), "median": float(np.median(values)) if len(values) else math.nan}
        found |= {"median, 2.5 %": low, "median, 97.5 %": high}
        return found | {name: float(np.median(of[other][chosen])) for name, other in extra.items() if len(values)}

    return _by_length(at), {UNTRAINED: _by_length(partial(at, state="untrained"))}


def _below_half_turn(each: Group, factor: float) -> bool:
    return (each.keys - 1) * each.angle < factor * math.pi


def _below_threshold(each: Group, factor: float) -> bool:
    return each.angle < factor * 2 * math.pi / (2 * each.keys - 1)


MEASURES: Mapping[str, Callable[[Tables, int], Result]] = {
    "index-frequency": partial(_frequency, "index", True),
    "index-repeats": _repeats,
    "index-low-fails": _fails(
        "index", "low", lambda each: 0 < (each.keys - 1) * each.angle < math.pi, "1", "the angle 1 as a low one"
    ),
    "index-ceiling": _ceiling,
    "index-ceiling-reached": _reached,
    "retrieval-frequency": partial(_frequency, "retrieval", False),
    "retrieval-high-fails": _fails(
        "retrieval", "high", lambda each: (each.keys - 1) * each.angle >= 2 * math.pi, "0", "the angle 0 as a high one"
    ),
    "retrieval-half-turn": _split("retrieval", ("within", "beyond"), _below_half_turn, lambda _: True, True),
    "induction-two-angles": _two_angles,
    "induction-threshold": _split(
        "induction", ("below", "above"), _below_threshold, lambda each: each.one["sets"] == 2, False
    ),
    "found": _found,
    "index-u": partial(_shapes, "index", "U"),
    "retrieval-inverted-u": partial(_shapes, "retrieval", "inverted U"),
    "index-keys": partial(_heads, "index", "keys_resultant", {"median share": "keys_share"}),
    "index-queries": partial(
        _heads,
        "index",
        "query_resultant",
        {"median explained": "explained", "chance": "query_chance", "median of a constant query": "query_constant"},
    ),
    "retrieval-code": partial(
        _heads,
        "retrieval",
        "symbol_share",
        {"median share of symbols that lead": "symbol_leads", "median worst lead": "worst_lead"},
    ),
}
