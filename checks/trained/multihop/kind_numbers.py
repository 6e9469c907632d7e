"""The numbers of the claims about which heads and angles a task takes (dyn.learning), worst over a size's runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import Result, numbers_of
from headproof.checks.trained.multihop.learning_numbers import PURE, Found, many_needed, needed_are
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
from headproof.theory.empirical import Finding
from headproof.theory.multihop import learning_findings as named
from headproof.theory.multihop.measured import UNTRAINED

# Suffixes of the scores by all swaps and by those within the target window.
SCORES = ("", "_target")
# The readings of a mean angle that give a plane's.
OF_PLANES = tuple(name for name in ANGLES if name != "mean_angle")


def _many_of(run: Trained, kind: str, of: Callable[[Trained], Array]) -> int:
    return int((of(run)[run.needed(run.last)] == kind).sum())


def both_kinds(runs: Runs) -> Result:
    """dyn.learning.number-both-kinds."""

    def found(held: Runs, at: Step) -> Found:
        return {
            f"needed {kind} layers, number": least(held["number"], _many_of, kind, lambda run: run.kinds_at(at(run)))
            for kind in PURE
        }

    untrained = favourable(named.BOTH_KINDS, runs, lambda held: found(held, first), ("number",))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


def symbolic(runs: Runs) -> Result:
    """dyn.learning.letter-symbolic."""

    def found(held: Runs, at: Step) -> Found:
        mine = held["letter"]
        share = least(mine, needed_are, lambda run: run.kinds_at(at(run)) == "symbolic")
        return {"needed layers, letter": least(mine, many_needed), "% of needed layers symbolic, letter": share}

    untrained = favourable(named.SYMBOLIC_ONLY, runs, lambda held: found(held, first), ("letter",))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


def symbolic_larger(runs: Runs) -> Result:
    """dyn.learning.letter-symbolic-larger."""

    def lead(run: Trained, at: Step) -> float:
        mine = run.heads_at(at(run))
        apart = exact(mine["symbolic"] - mine["positional"])[run.needed(run.last)]
        return float(apart.min()) if len(apart) else -1.0

    def found(held: Runs, at: Step) -> Found:
        mine = held["letter"]
        apart = least(mine, lead, at)
        return {"needed layers, letter": least(mine, many_needed), "least symbolic - positional, letter": apart}

    untrained = favourable(named.SYMBOLIC_LARGER, runs, lambda held: found(held, first), ("letter",))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


def suffices(runs: Runs) -> Result:
    """dyn.learning.letter-symbolic-suffices."""

    def share(run: Trained, at: Step) -> float:
        kinds = run.kinds_at(at(run))[list(run.suffice(run.last))]
        return 100 * float((kinds == "symbolic").mean()) if len(kinds) else 0.0

    def found(held: Runs, at: Step) -> Found:
        mine = held["letter"]
        return {
            "runs not solved, letter": float(sum(_unsolved(run, last) for run in mine)),
            "% of layers that suffice symbolic, letter": least(mine, share, at),
        }

    untrained = favourable(named.LETTER_SUFFICES, runs, lambda held: found(held, first), ("letter",))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


def _unsolved(run: Trained, at: Step) -> bool:
    return max(run.depths(at(run))) > len(run.needed(run.last))


def _sufficing(run: Trained, at: Step, kind: str, scores: tuple[str, ...]) -> int:
    """How many of the layers that suffice after the last step are of a kind, by any of the scores."""
    found = [run.kinds_at(at(run), each) == kind for each in scores]
    return int(np.logical_or.reduce(found)[list(run.suffice(run.last))].sum())


def without(runs: Runs, task: str, kind: str, finding: Finding) -> Result:
    """dyn.learning.number-without-symbolic and letter-without-positional."""

    def found(held: Runs, at: Step) -> Found:
        mine = held[task]
        return {
            f"runs not solved, {task}": float(sum(_unsolved(run, at) for run in mine)),
            f"{kind} layers that suffice, {task}": largest(mine, _sufficing, at, kind, SCORES),
        }

    own = found(runs, last)
    own[f"most layers that suffice, {task}"] = largest(runs[task], lambda run: len(run.suffice(run.last)))
    other = next(each for each in PURE if each != kind)
    for name, scores in (("by all swaps", ""), ("within the target window", "_target")):
        own[f"least {other} layers that suffice {name}, {task}"] = least(runs[task], _sufficing, last, other, (scores,))
    untrained = favourable(finding, runs, lambda held: found(held, first), (task,))
    return numbers_of(own), {UNTRAINED: untrained}


# -- angles -----------------------------------------------------------------------------------------------------------


def letter_angles(runs: Runs) -> Result:
    """dyn.learning.letter-angles."""

    def highest(run: Trained, at: Step, readings: tuple[str, ...]) -> float:
        """The largest angle of a layer by the reading by which it is least."""
        return min(float(run.heads_at(at(run))[name].max()) for name in readings)

    def found(held: Runs, at: Step) -> Found:
        mine = held["letter"]
        each = {f"largest {name.replace('_', ' ')}, letter": largest(mine, highest, at, (name,)) for name in ANGLES}
        return {"largest angle of a layer by the best reading, letter": largest(mine, highest, at, OF_PLANES), **each}

    untrained = favourable(named.LETTER_ANGLES, runs, lambda held: found(held, first), ("letter",))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


HIGH, HIGH_LAYERS = 0.1, 5


def number_angles(runs: Runs) -> Result:
    """dyn.learning.number-angles."""

    def layers(run: Trained, at: Step) -> int:
        """How many layers are on the printed side, by the reading by which most are."""
        highs = [run.heads_at(at(run))[name] >= HIGH for name in OF_PLANES]
        return max(int((high == (np.arange(len(high)) < HIGH_LAYERS)).sum()) for high in highs)

    def found(held: Runs, at: Step) -> Found:
        return {"most layers as printed by one reading, number": least(held["number"], layers, at)}

    untrained = favourable(named.NUMBER_ANGLES, runs, lambda held: found(held, first), ("number",))
    return numbers_of(found(runs, last)), {UNTRAINED: untrained}


MEASURES: Mapping[str, Callable[[Runs], Any]] = {
    named.BOTH_KINDS.name: both_kinds,
    named.SYMBOLIC_ONLY.name: symbolic,
    named.SYMBOLIC_LARGER.name: symbolic_larger,
    named.NUMBER_WITHOUT.name: partial(without, task="number", kind="symbolic", finding=named.NUMBER_WITHOUT),
    named.LETTER_WITHOUT.name: partial(without, task="letter", kind="positional", finding=named.LETTER_WITHOUT),
    named.LETTER_SUFFICES.name: suffices,
    named.LETTER_ANGLES.name: letter_angles,
    named.NUMBER_ANGLES.name: number_angles,
}
