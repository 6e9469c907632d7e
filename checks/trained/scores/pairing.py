"""Correlations over heads, and heads paired with other heads."""

from __future__ import annotations

from typing import Any

import numpy as np


def pearson(one: Any, other: Any) -> float:
    """Pearson's correlation of two rows; NaN for fewer than three, and where one does not vary."""
    if len(one) < 3 or not np.ptp(one) > 0 or not np.ptp(other) > 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def derangement(count: int, generator: np.random.Generator) -> Any:
    """Each head's other head: a uniformly random cycle through all of them (Sattolo), so that none keeps its own."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        chosen = int(generator.integers(last))
        order[last], order[chosen] = order[chosen], order[last]
    return np.array(order)
