"""Whether a curve over places is a U or an inverted U: a statistic over seeds, not a look.

For each seed the mean over the first quarter of the places and that over the last are each compared with the mean over
the middle half. A U has both above the middle, an inverted U both below. Each comparison is a one-sided t test over
seeds, and both have to succeed: the larger of the two p-values is the p-value of the shape (an intersection-union
test), so that a slope alone is no U. Several curves are corrected for by Holm's method (`evidence.holm`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from headproof.theory.errors import InputError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Shape:
    """Means over seeds of first quarter less middle half, `left`, and of last quarter less middle half, `right`, with
    their 95 % t-intervals, and the p-values of a U and of an inverted U."""

    left: float
    right: float
    left_interval: tuple[float, float]
    right_interval: tuple[float, float]
    u: float
    inverted: float


def shape_of(curves: Array) -> Shape:
    """The shape of one curve measured with several seeds, `(seed, place)`.

    Raises InputError for fewer than 2 seeds or 4 places.
    """
    curves = np.asarray(curves, dtype=float)
    if curves.ndim != 2 or curves.shape[0] < 2 or curves.shape[1] < 4:
        raise InputError(f"curves of shape {curves.shape}", "a shape needs 2 seeds and 4 places at least")
    quarter = max(1, curves.shape[1] // 4)
    middle = curves[:, quarter:-quarter].mean(axis=1)
    left, right = curves[:, :quarter].mean(axis=1) - middle, curves[:, -quarter:].mean(axis=1) - middle
    above = [_above(arm) for arm in (left, right)]
    below = [_above(-arm) for arm in (left, right)]
    return Shape(float(left.mean()), float(right.mean()), interval(left), interval(right), max(above), max(below))


def interval(values: Array) -> tuple[float, float]:
    """The 95 % t-interval of a mean over seeds; the point itself where all are equal."""
    mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
    reach = float(stats.t.ppf(0.975, len(values) - 1)) * spread / len(values) ** 0.5
    return mean - reach, mean + reach


def _above(arm: Array) -> float:
    """One-sided p of a mean above 0. Equal values have no spread: p is then 0 above 0, and 1 otherwise."""
    if np.ptp(arm) == 0:
        return 0.0 if arm[0] > 0 else 1.0
    return float(stats.ttest_1samp(arm, 0, alternative="greater").pvalue)
