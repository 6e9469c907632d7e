"""The committed tables run by run, and what several findings read off them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.comparing import Numbers, numbers_of
from headproof.checks.trained.multihop.learning import LEARNED, peak_of
from headproof.checks.trained.multihop.tables import MARGINS
from headproof.checks.trained.rows import Columns, columns_of, rows
from headproof.theory.empirical import Finding
from headproof.theory.multihop.measured import TASKS
from headproof.theory.scores.reading import kinds

Array = np.ndarray[Any, Any]
# A layer is needed if accuracy falls by so much without its attention.
LOSS = 0.1
DECIMALS = 5


@dataclass(frozen=True, eq=False)
class Trained:
    """One run's rows of every table; `first` and `last` are its first and last checkpoint."""

    task: str
    seed: int
    tables: Mapping[str, Columns]

    def __getitem__(self, name: str) -> Columns:
        return self.tables[name]

    @property
    def first(self) -> int:
        """The untrained model's step."""
        return int(self["steps"]["step"].min())

    @property
    def last(self) -> int:
        """The step of the last checkpoint."""
        return int(self["steps"]["step"].max())

    @property
    def peak(self) -> int:
        """The first checkpoint at which accuracy is at its peak."""
        return peak_of(self["steps"])

    @property
    def kept(self) -> list[int]:
        """The steps of all checkpoints, in order."""
        found: list[int] = np.unique(self["steps"]["step"]).tolist()
        return found

    def heads_at(self, step: int) -> Columns:
        """The rows of `heads` of a checkpoint at the last query, all classes together, in order of layers."""
        mine = rows(self["heads"], step=step, query=0, hops=0)
        order = np.argsort(mine["layer"])
        return {name: values[order] for name, values in mine.items()}

    def kinds_at(self, step: int, scores: str = "", margin: float = MARGINS["10"]) -> Array:
        """What kind of head each layer is, by KINDS; `scores` is the suffix of the scores' columns."""
        mine = self.heads_at(step)
        found: Array = kinds(mine[f"positional{scores}"], mine[f"symbolic{scores}"], margin)
        return found

    def lost(self, step: int) -> Array:
        """How much accuracy `(layers, hop classes)` each class loses without each layer's attention."""
        mine = rows(self["ablations"], step=step, places="every")
        whole = by_hops(rows(mine, kind="none"))
        one = rows(mine, kind="mean", layers="one")
        layers = np.unique(one["layer"])
        return exact(np.array([whole - by_hops(rows(one, layer=layer)) for layer in layers]))

    def depths(self, step: int) -> list[int]:
        """How many layers' attention each hop class takes, by hops; one more than there are if it is unsolved."""
        mine = rows(self["ablations"], step=step, places="every")
        whole = by_hops(rows(mine, kind="none"))
        onward = rows(mine, kind="mean", layers="onward")
        layers = np.unique(onward["layer"]).tolist()
        solved = np.array([by_hops(rows(onward, layer=layer)) for layer in layers] + [whole]) >= LEARNED
        return [int(column.argmax()) if column.any() else len(layers) + 1 for column in solved.T]

    def suffice(self, step: int) -> range:
        """The first layers whose attention alone leaves every hop class solved; none if there is an unsolved one."""
        most, layers = max(self.depths(step)), len(np.unique(self["ablations"]["layer"])) - 1
        return range(most if most <= layers else 0)

    def needed(self, step: int) -> Array:
        """Which layers are needed at a checkpoint, all classes together."""
        mine = rows(self["ablations"], step=step, places="every", hops=0)
        whole = rows(mine, kind="none")["accuracy"][0]
        one = rows(mine, kind="mean", layers="one")
        found: Array = exact(whole - one["accuracy"][np.argsort(one["layer"])]) >= LOSS
        return found


Runs = Mapping[str, tuple[Trained, ...]]
# Which checkpoint of a run is asked about.
Step = Callable[[Trained], int]


def first(run: Trained) -> int:
    """The untrained model, the null."""
    return run.first


def last(run: Trained) -> int:
    """The last checkpoint."""
    return run.last


def peak(run: Trained) -> int:
    """The first checkpoint at which accuracy is at its peak."""
    return run.peak


def exact(values: Array) -> Array:
    """Values as they were before rounding to single precision or in a difference: shares of up to 100,000, scores."""
    found: Array = np.round(values.astype(np.float64), DECIMALS) if values.dtype.kind == "f" else values
    return found


def by_hops(columns: Columns, name: str = "accuracy") -> Array:
    """A column of one row a hop class, in order of hops, without that of all together."""
    order = np.argsort(columns["hops"])
    values: Array = columns[name][order]
    return values[columns["hops"][order] > 0]


def runs_of(tables: Mapping[str, Mapping[str, pa.Table]], size: str) -> dict[str, tuple[Trained, ...]]:
    """Every run of a size, by task, from each task's tables; `baselines`, of no run, stands with each of its size."""
    found = {}
    for task, held in tables.items():
        mine = {
            name: {column: exact(values) for column, values in rows(columns_of(table), size=size).items()}
            for name, table in held.items()
        }
        seeds = np.unique(mine["steps"]["seed"]).tolist()
        found[task] = tuple(
            Trained(
                task,
                seed,
                {name: rows(each, seed=seed) if "seed" in each else each for name, each in mine.items()},
            )
            for seed in seeds
        )
    return found


def least(runs: tuple[Trained, ...], of: Callable[..., Any], *about: Any) -> float:
    """The least over runs of a number, `of(run, *about)`."""
    return min(float(of(run, *about)) for run in runs)


def favourable(
    finding: Finding, runs: Runs, of: Callable[[Runs], Mapping[str, float]], tasks: tuple[str, ...] = TASKS
) -> Numbers:
    """A control's numbers: those of the first run that meets the criterion, standing alone for all of `tasks`, if one
    does. So a control is upheld by what one untrained model shows, and not refuted by what another does not."""
    found: Numbers = {}
    for task in tasks:
        for run in runs[task]:
            values = of({**runs, **dict.fromkeys(tasks, (run,))})
            found = numbers_of(values)
            if finding.supported_by(values):
                return found
    return found


def largest(runs: tuple[Trained, ...], of: Callable[..., Any], *about: Any) -> float:
    """The largest over runs of a number, `of(run, *about)`."""
    return max(float(of(run, *about)) for run in runs)
