"""Toys that differ in nothing but their seed, as one angle set at one length, and numbers of a claim at each length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Number
from headproof.checks.trained.canonical.results import best_by_seed
from headproof.checks.trained.canonical.sweep import SOLVED
from headproof.checks.trained.comparing import Numbers
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.canonical.toy_findings import LENGTHS

Array = np.ndarray[Any, Any]
Tables = Mapping[str, Columns]
Found = dict[str, float]
# Of the seeds of a set, how many must solve the task for the set to count as learned.
ENOUGH = 0.8
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


def learned_toys(tables: Tables, task: str, length: int) -> Columns:
    """The cells that have learned a task, one an angle set and seed: that of the first round that solves it."""
    mine = rows(tables["cells"], task=task, length=length, answers="true")
    solved = {name: values[mine["accuracy"] >= SOLVED] for name, values in mine.items()}
    order = np.lexsort((solved["round"], solved["seed"], solved["angles"]))
    toys = np.char.add(np.char.add(solved["angles"][order], " "), solved["seed"][order].astype(str))
    kept = order[np.unique(toys, return_index=True)[1]]
    return {name: values[kept] for name, values in solved.items()}


def by_length(found: Callable[[int], Found]) -> Numbers:
    """What is found at each length, its length in the name."""
    return {
        f"{name}, {length} tokens": Number(float(value), RERUN)
        for length in LENGTHS
        for name, value in found(length).items()
    }


def dealt_order(count: int, seed: int) -> Array:
    """A random order, for a control in which values are dealt to others."""
    return np.random.default_rng(seed).permutation(count)
