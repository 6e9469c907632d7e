"""The numbers of the claims about learning (dyn.learning), worst over a size's runs, and those of their controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import Result, numbers_of
from headproof.checks.trained.multihop.learning import learned, peaks_of
from headproof.checks.trained.multihop.tables import MARGINS
from headproof.checks.trained.multihop.trained import (
    Array,
    Runs,
    Step,
    Trained,
    favourable,
    first,
    largest,
    last,
    least,
    peak,
)
from headproof.checks.trained.rows import rows
from headproof.theory.empirical import Finding
from headproof.theory.multihop import learning_findings as named
from headproof.theory.multihop.measured import UNTRAINED

PURE = ("positional", "symbolic")
# Number by name; `after` tells for a run the step that is asked about.
Found = dict[str, float]


def _per_cent(mask: Array) -> float:
    """Of none, 0."""
    return 100 * float(mask.mean()) if len(mask) else 0.0


def _pure(run: Trained, at: Step, margin: float = MARGINS["10"], scores: str = "") -> Array:
    return np.isin(run.kinds_at(at(run), scores, margin), PURE)


# -- purity -----------------------------------------------------------------------------------------------------------


def _start(runs: Runs, at: Step) -> Found:
    return {
        f"least {name} at the start, {task}": least(held, _least_of, at, columns)
        for task, held in runs.items()
        for name, columns in (("score", PURE), ("entropy share", ("entropy_share",)))
    }


def _least_of(run: Trained, at: Step, columns: tuple[str, ...]) -> float:
    mine = run.heads_at(at(run))
    return min(float(mine[name].min()) for name in columns)


def start(runs: Runs) -> Result:
    """dyn.learning.start-high."""
    after = favourable(named.START, runs, lambda held: _start(held, last))
    return numbers_of(_start(runs, first)), {named.AFTER: after}


def _peaks(runs: Runs) -> Found:
    """The largest accuracy of all classes together, least over runs: a model that learns nothing has a peak, too."""
    return {f"accuracy at the peak, {task}": least(held, _highest) for task, held in runs.items()}


def _highest(run: Trained) -> float:
    return float(rows(run["steps"], hops=0)["accuracy"].max())


def _every(runs: Runs, at: Step) -> Found:
    return _peaks(runs) | {
        f"% of layers pure at the peak{'' if name == '10' else f', margin {margin:g}'}, {task}": least(
            held, _per_cent_of, _pure, at, margin
        )
        for task, held in runs.items()
        for name, margin in MARGINS.items()
    }


def _per_cent_of(run: Trained, of: Callable[..., Array], *about: Any) -> float:
    return _per_cent(of(run, *about))


def every_pure(runs: Runs) -> Result:
    """dyn.learning.pure-at-peak."""
    untrained = favourable(named.EVERY_PURE, runs, lambda held: _every(held, first))
    return numbers_of(_every(runs, peak)), {UNTRAINED: untrained}


def _some(runs: Runs, at: Callable[[Trained], list[int]]) -> Found:
    return _peaks(runs) | {
        f"{kind} layers at a peak, {task}": least(held, _fewest, kind, at)
        for task, held in runs.items()
        for kind in PURE
    }


def _fewest(run: Trained, kind: str, at: Callable[[Trained], list[int]]) -> int:
    return min(int((run.kinds_at(step) == kind).sum()) for step in at(run))


def some_pure(runs: Runs) -> Result:
    """dyn.learning.some-pure-at-peak."""
    found = _some(runs, lambda run: peaks_of(run["steps"]))
    untrained = favourable(named.SOME_PURE, runs, lambda held: _some(held, lambda run: [run.first]))
    return numbers_of(found), {UNTRAINED: untrained}


def many_needed(run: Trained) -> int:
    """How many layers are needed at the last checkpoint."""
    return int(run.needed(run.last).sum())


def needed_are(run: Trained, of: Callable[..., Array], *about: Any) -> float:
    """The percentage of needed layers that are so."""
    return _per_cent(of(run, *about)[run.needed(run.last)])


def _needed(runs: Runs, at: Step, scores: str) -> Found:
    found = {}
    for task, held in runs.items():
        found[f"needed layers, {task}"] = least(held, many_needed)
        found[f"% of needed layers pure, {task}"] = least(held, needed_are, _pure, at, MARGINS["10"], scores)
    return found


def needed_pure(runs: Runs, finding: Finding = named.NEEDED_PURE, scores: str = "") -> Result:
    """dyn.learning.needed-pure, and with the scores `_target` its like within the target window."""
    untrained = favourable(finding, runs, lambda held: _needed(held, first, scores))
    return numbers_of(_needed(runs, peak, scores)), {UNTRAINED: untrained}


def _suffice(runs: Runs, at: Step, scores: str) -> Found:
    found = {}
    for task, held in runs.items():
        found[f"layers that suffice, {task}"] = least(held, lambda run: len(run.suffice(run.last)))
        found[f"% of layers that suffice pure, {task}"] = least(held, _sufficing_are, at, scores)
    return found


def _sufficing_are(run: Trained, at: Step, scores: str) -> float:
    return _per_cent(_pure(run, at, scores=scores)[list(run.suffice(run.last))])


def sufficing_pure(runs: Runs, finding: Finding = named.SUFFICING, scores: str = "") -> Result:
    """dyn.learning.sufficing-pure, and with the scores `_target` its like within the target window."""
    untrained = favourable(finding, runs, lambda held: _suffice(held, first, scores))
    return numbers_of(_suffice(runs, peak, scores)), {UNTRAINED: untrained}


# -- when classes are learned -----------------------------------------------------------------------------------------


def _when(run: Trained) -> list[int]:
    """The step after which each hop class is learned, in order of hops; -1 if it is not."""
    found = learned(run["steps"])
    return [-1 if step is None else step for hops, step in sorted(found.items()) if hops]


def _gap(run: Trained, when: Callable[[Trained], list[int]]) -> int:
    """The least number of checkpoints from one class to the next; -1 if one is not learned."""
    found = when(run)
    if -1 in found:
        return -1
    return min(run.kept.index(after) - run.kept.index(before) for before, after in pairwise(found))


def _reversed(run: Trained) -> list[int]:
    return _when(run)[::-1]


def hop_by_hop(runs: Runs, task: str) -> Result:
    """dyn.learning.number-hop-by-hop and letter-hop-by-hop."""
    name, held = f"least checkpoints from class to class, {task}", runs[task]
    ratio = f"last class learned over first, {task}"

    def found(when: Callable[[Trained], list[int]]) -> Found:
        return {name: least(held, _gap, when), ratio: least(held, _ratio, when)}

    own = found(_when)
    for number in range(len(_when(held[0]))):
        steps = [_when(run)[number] for run in held]
        own[f"latest step at which {number + 1} hops are learned, {task}"] = -1 if -1 in steps else max(steps)
    return numbers_of(own), {named.REVERSED: numbers_of(found(_reversed))}


def _ratio(run: Trained, when: Callable[[Trained], Sequence[float]]) -> float:
    """The last class's steps over the first one's; beyond all bounds if one is not learned."""
    found = when(run)
    return max(found) / max(min(found), 1) if -1 not in found else 1e6


def at_once(runs: Runs) -> Result:
    """dyn.learning.letter-at-once."""
    letter = "last class learned over first, letter"
    own = {f"last class learned over first, {task}": largest(held, _ratio, _when) for task, held in runs.items()}
    return numbers_of(own), {
        named.DELAYED: numbers_of({letter: least(runs["letter"], _ratio, _delayed)}),
    }


def _delayed(run: Trained) -> list[float]:
    """As if each class took half as many steps again as the one before, up to the last step."""
    found = _when(run)
    if -1 in found:
        return [-1]
    return [min(min(found) * 1.5**number, run.last) for number in range(len(found))]


MEASURES: Mapping[str, Callable[[Runs], Any]] = {
    named.START.name: start,
    named.EVERY_PURE.name: every_pure,
    named.SOME_PURE.name: some_pure,
    named.NEEDED_PURE.name: needed_pure,
    named.NEEDED_IN_WINDOW.name: partial(needed_pure, finding=named.NEEDED_IN_WINDOW, scores="_target"),
    named.SUFFICING.name: sufficing_pure,
    named.SUFFICING_IN_WINDOW.name: partial(sufficing_pure, finding=named.SUFFICING_IN_WINDOW, scores="_target"),
    named.HOP_BY_HOP.name: partial(hop_by_hop, task="number"),
    named.LETTER_HOP_BY_HOP.name: partial(hop_by_hop, task="letter"),
    named.AT_ONCE.name: at_once,
}
