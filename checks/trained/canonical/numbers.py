"""The numbers of each empirical claim about toys, and those of its controls, from the committed tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.trained.canonical.grouping import Found, Group, Tables, by_length, dealt_order, groups
from headproof.checks.trained.canonical.head_numbers import ON_HEADS, ON_PLACES
from headproof.checks.trained.canonical.sweep import SOLVED
from headproof.checks.trained.canonical.training import EACH
from headproof.checks.trained.comparing import Result
from headproof.checks.trained.evidence import area, resamples
from headproof.theory.canonical.toy_findings import DEALT, SHUFFLED, UNTRAINED

Array = np.ndarray[Any, Any]


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


def _frequency(task: str, high: bool, tables: Tables, seed: int) -> Result:
    def at(length: int, answers: str = "true", dealt: bool = False) -> Found:
        sets = groups(tables, task, length, answers)
        angles = np.array([each.angle for each in sets])
        return _ordered(sets, angles[dealt_order(len(sets), seed)] if dealt else angles, high)

    controls = {SHUFFLED: by_length(partial(at, answers="shuffled")), DEALT: by_length(partial(at, dealt=True))}
    return by_length(at), controls


def _repeats(tables: Tables, seed: int) -> Result:
    def at(length: int, dealt: bool = False) -> Found:
        every = groups(tables, "index", length)
        sets = [each for each in every if not _aliased(each)]
        order = dealt_order(len(sets), seed) if dealt else np.arange(len(sets))
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

    return by_length(at), {DEALT: by_length(partial(at, dealt=True))}


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

        return by_length(at), {control: by_length(partial(at, chosen=lambda each: each.one["angles"] == instead))}

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
            order = dealt_order(len(sets), seed) if dealt else np.arange(len(sets))
            within = np.array([inside(sets[place], factor) for place in order], dtype=bool)
            learned = np.array([each.learned for each in sets], dtype=bool)
            return {
                names[0]: int(within.sum()),
                names[1]: int((~within).sum()),
                f"failed {names[0]}": int((within & ~learned).sum()),
                f"learned {names[1]}": int((~within & learned).sum()),
            }

        controls = {
            SHUFFLED: by_length(partial(at, answers="shuffled")),
            "half the bound": by_length(partial(at, factor=0.5)),
            "twice the bound": by_length(partial(at, factor=2)),
        }
        if dealt_too:
            controls[DEALT] = by_length(partial(at, dealt=True))
        return by_length(at), controls

    return of


def _two_angles(tables: Tables, seed: int) -> Result:
    def at(length: int, answers: str = "true") -> Found:
        sets = groups(tables, "induction", length, answers)
        learned = [[each.learned for each in sets if bool(each.one["sets"] == 1) is single] for single in (True, False)]
        return {"learned single angles": sum(learned[0]), "learned pairs": sum(learned[1])}

    return by_length(at), {SHUFFLED: by_length(partial(at, answers="shuffled"))}


def _found(tables: Tables, seed: int) -> Result:
    def at(length: int, answers: str = "true") -> Found:
        sets = [
            each
            for task in ("index", "retrieval", "induction")
            for each in groups(tables, task, length, answers)
            if each.one["feasible"] == "yes"
        ]
        return {"feasible sets": len(sets), "feasible sets not learned": sum(not each.learned for each in sets)}

    return by_length(at), {SHUFFLED: by_length(partial(at, answers="shuffled"))}


# -- the ceiling ----------------------------------------------------------------------------------------------------


def _aliased(each: Group) -> bool:
    return bool(each.one["ceiling"] < 1)


def _extreme(values: Iterable[float], largest: bool) -> float:
    held = list(values)
    return (max(held) if largest else min(held)) if held else math.nan


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

    return by_length(at), {"learned toys under the ceiling of angle 0": by_length(partial(at, learned=True))}


def _reached(tables: Tables, seed: int) -> Result:
    def at(length: int, value: str = "best", answers: str = "true") -> Found:
        sets = [each for each in groups(tables, "index", length, answers) if _aliased(each)]
        short = [
            float(each.one["ceiling"]) - float((each.best if value == "best" else each.cells[value]).mean())
            for each in sets
        ]
        return {"sets": len(sets), "largest shortfall": _extreme(short, True)}

    controls = {
        UNTRAINED: by_length(partial(at, value="untrained")),
        SHUFFLED: by_length(partial(at, answers="shuffled")),
    }
    return by_length(at), controls


def _below_half_turn(each: Group, factor: float) -> bool:
    return (each.keys - 1) * each.angle < factor * math.pi


def _below_threshold(each: Group, factor: float) -> bool:
    return each.angle < factor * 2 * math.pi / (2 * each.keys - 1)


def _below_exact(each: Group, factor: float) -> bool:
    return (each.keys - 2) * each.angle < factor * math.pi


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
    "induction-beside": _split(
        "induction", ("inside", "outside"), _below_exact, lambda each: each.one["sets"] == 2, False
    ),
    "found": _found,
    **ON_PLACES,
    **ON_HEADS,
}
