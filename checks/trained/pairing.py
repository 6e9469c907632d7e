"""Correlations over heads."""

from __future__ import annotations

from typing import Any

import numpy as np


def pearson(one: Any, other: Any) -> float:
    """Pearson's correlation of two rows; NaN for fewer than three, and where one does not vary."""
    if len(one) < 3 or not np.ptp(one) > 0 or not np.ptp(other) > 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])
