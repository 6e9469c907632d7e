"""What the tables of a run say of dyn.learning: when each hop class is learned, and which heads are pure when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.multihop.tables import ANGLES, MARGINS
from headproof.checks.trained.rows import columns_of, rows

# A hop class is learned where its accuracy is this and stays so; accuracy is at its peak within PEAK of the largest.
LEARNED, PEAK = 0.9, 0.01


def learned(steps: pa.Table, level: float = LEARNED) -> dict[int, int | None]:
    """By hop class (0: all together) the first checkpoint from which accuracy stays at `level` or above, if any."""
    columns = columns_of(steps)
    found: dict[int, int | None] = {}
    for hops in np.unique(columns["hops"]).tolist():
        mine = rows(columns, hops=hops)
        order = np.argsort(mine["step"])
        below = np.flatnonzero(mine["accuracy"][order] < level)
        start = int(below[-1]) + 1 if len(below) else 0
        found[hops] = int(mine["step"][order][start]) if start < len(order) else None
    return found


def peak(steps: pa.Table) -> int:
    """The first checkpoint whose accuracy over all classes is within PEAK of the largest."""
    mine = rows(columns_of(steps), hops=0)
    reached = mine["step"][mine["accuracy"] >= mine["accuracy"].max() - PEAK]
    return int(reached.min())


def summary(tables: Mapping[str, pa.Table]) -> dict[str, Any]:
    """What `steps` and `heads` say: about the last query, all classes together, where nothing else is said.

    `start` is the least of both scores over all layers of the first checkpoint; `learned` as the function; `pure_10`
    and so on name the kind of each layer at the peak, and `last` at the last checkpoint; `pure_before` is the largest
    number of layers that are pure at a checkpoint before the peak.
    """
    steps, heads = tables["steps"], rows(columns_of(tables["heads"]), query=0, hops=0)
    top = peak(steps)
    at = {step: _in_layers(rows(heads, step=step)) for step in np.unique(heads["step"]).tolist()}
    names = [f"{kind}_{name}" for kind in ("kind", "pure") for name in MARGINS]
    first = at[min(at)]
    return {
        "start": float(min(first["positional"].min(), first["symbolic"].min())),
        "learned": learned(steps),
        "peak": top,
        "pure_before": max(
            (int((each["pure_10"] != "none").sum()) for step, each in at.items() if step < top), default=0
        ),
        **{name: at[top][name].tolist() for name in names},
        "last": {name: at[max(at)][name].tolist() for name in names},
        "angles": {name: at[max(at)][name].tolist() for name in ANGLES},
    }


def _in_layers(columns: Mapping[str, Any]) -> dict[str, Any]:
    order = np.argsort(columns["layer"])
    return {name: values[order] for name, values in columns.items()}
