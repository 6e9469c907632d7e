"""The numbers of the claims about what layers do, worst over a size's runs, and those of their controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import Result, numbers_of
from headproof.checks.trained.multihop.learning_numbers import PURE
from headproof.checks.trained.multihop.trained import (
    LOSS,
    Array,
    Runs,
    Step,
    Trained,
    favourable,
    first,
    last,
    least,
)
from headproof.checks.trained.rows import rows
from headproof.theory.multihop import mechanism_findings as named
from headproof.theory.multihop.measured import TASKS, UNTRAINED


def moved(run: Trained, step: int) -> Array:
    """Which hop classes `(layers, classes)` have a place on their path that a layer moves."""
    mine = rows(run["roles"], step=step)
    layers, hops = np.unique(mine["layer"]), np.unique(mine["hops"])
    return np.array(
        [[(rows(mine, layer=layer, hops=each)["role"] == "move").any() for each in hops] for layer in layers]
    )


def _made(run: Trained, at: Step) -> float:
    """Of the places of every class's path before the answer's, the percentage that some layer moves to the next."""
    mine = rows(run["roles"], step=at(run))
    pairs = {(hops, query) for hops, query in zip(mine["hops"].tolist(), mine["query"].tolist(), strict=True)}
    asked = [(hops, query) for hops, query in sorted(pairs) if query < hops]
    made = [(rows(mine, hops=hops, query=query)["most"] == "next").any() for hops, query in asked]
    return 100 * float(np.mean(made))


def path_attended(runs: Runs) -> Result:
    """dyn.learning.mechanism.path-attended."""

    def found(held: Runs, at: Step) -> dict[str, float]:
        name = "% of moves with a layer that makes them"
        return {f"{name}, {task}": least(mine, _made, at) for task, mine in held.items()}

    untrained = favourable(named.PATH, runs, lambda held: found(held, first))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


def deeper(runs: Runs, task: str) -> Result:
    """dyn.learning.mechanism.number-deeper and letter-deeper."""
    held = runs[task]

    def layers(run: Trained, at: Step) -> int:
        """From class to class; -1 if one is unsolved."""
        found = run.depths(at(run))
        most = len(run.needed(run.last))
        return min(after - before for before, after in pairwise(found)) if max(found) <= most else -1

    def found(mine: Runs, at: Step) -> dict[str, float]:
        return {f"least layers from class to class, {task}": least(mine[task], layers, at)}

    own = found(runs, last)
    for number in range(len(held[0].depths(held[0].last))):
        each = [run.depths(run.last)[number] for run in held]
        own |= {
            f"{what} depth of {number + 1} hops, {task}": of(each) for what, of in (("least", min), ("largest", max))
        }
    return numbers_of(own), {
        UNTRAINED: favourable(named.DEEPER[task], runs, lambda mine: found(mine, first), (task,)),
    }


AGREEMENT = (
    "broken classes of pure layers",
    "% of broken classes that are moved",
    "% of moved classes that break",
    "moved classes of pure layers",
)


def breaks(runs: Runs) -> Result:
    """dyn.learning.mechanism.pure-breaks-its-moves."""

    def found(held: Runs, at: Step, turn: int = 1) -> dict[str, float]:
        return {
            f"{name}, {task}": min(values)
            for task, mine in held.items()
            for name, values in zip(
                AGREEMENT, zip(*(_agreement(run, at(run), turn) for run in mine), strict=True), strict=True
            )
        }

    return numbers_of(found(runs, last)), {
        UNTRAINED: favourable(named.BREAKS, runs, lambda held: found(held, first)),
        named.UPSIDE_DOWN: favourable(named.BREAKS, runs, lambda held: found(held, last, -1)),
    }


def _agreement(run: Trained, step: int, turn: int) -> tuple[float, ...]:
    """AGREEMENT of a run; percentages of none are 0."""
    pure = np.isin(run.kinds_at(step), PURE)
    broken, walked = run.lost(step)[pure] >= LOSS, moved(run, step)[::turn][pure]
    both, lost, walks = (float(each.sum()) for each in (broken & walked, broken, walked))
    return lost, 100 * both / max(1, lost), 100 * both / max(1, walks), walks


MEASURES: Mapping[str, Callable[[Runs], Any]] = {
    named.PATH.name: path_attended,
    **{f"{task}-deeper": partial(deeper, task=task) for task in TASKS},
    named.BREAKS.name: breaks,
}
