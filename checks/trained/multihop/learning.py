"""When a multihop model has learned a hop class, and when its accuracy is at its peak (dyn.learning)."""

from __future__ import annotations

import numpy as np

from headproof.checks.trained.rows import Columns, rows

# A hop class is learned where its accuracy is this and stays so; accuracy is at its peak within PEAK of the largest.
LEARNED, PEAK = 0.9, 0.01


def learned(steps: Columns, level: float = LEARNED) -> dict[int, int | None]:
    """By hop class (0: all together) the first checkpoint of a run from which accuracy stays at `level` or above."""
    found: dict[int, int | None] = {}
    for hops in np.unique(steps["hops"]).tolist():
        mine = rows(steps, hops=hops)
        order = np.argsort(mine["step"])
        below = np.flatnonzero(~(mine["accuracy"][order] >= level))
        start = int(below[-1]) + 1 if len(below) else 0
        found[hops] = int(mine["step"][order][start]) if start < len(order) else None
    return found


def peaks_of(steps: Columns) -> list[int]:
    """The checkpoints of a run whose accuracy over all classes is within PEAK of the largest, in order."""
    mine = rows(steps, hops=0)
    # Accuracy is a share of some hundreds: what single precision adds is rounded off.
    short = np.round(mine["accuracy"].max() - mine["accuracy"].astype(np.float64), 5)
    return sorted(mine["step"][short <= PEAK].tolist())


def peak_of(steps: Columns) -> int:
    """The first of them."""
    return peaks_of(steps)[0]
