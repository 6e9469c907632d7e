"""H_POS fitted to an Index toy: the conventions are those of `mechanism`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headproof.checks.trained.canonical.mechanism import Array, positional_logits, query_line, ratio
from headproof.constructions.tasks import Task
from headproof.constructions.transformers import Transformer


@dataclass(frozen=True, eq=False)
class PositionalFit:
    """H_POS fitted to an Index toy: `amplitude` is the least-squares c of `L[j, k] ~ c cos(theta (j - k)) + const_j`.

    Softmax does not see the constants. `explained` is the share of the squared deviations from them that c accounts
    for. `weight` (T,) is H_POS's attention weight on target `j` at this c, its own key counted (`positional_weight`).
    """

    angle: float
    amplitude: float
    explained: float
    weight: Array


def positional_fit(layer: Transformer, task: Task) -> PositionalFit:
    """The fit at the angle of `query_line`. InputError for another task."""
    logits, angle = positional_logits(layer, task), query_line(layer, task).angle
    most = len(logits)
    places = np.arange(most)
    cosines = np.cos(angle * (places[:, None] - places))
    seen, shape = (x - x.mean(axis=1, keepdims=True) for x in (logits, cosines))
    amplitude = ratio((seen * shape).sum(), (shape * shape).sum())
    explained = ratio(amplitude * (seen * shape).sum(), (seen * seen).sum())
    return PositionalFit(angle, amplitude, explained, positional_weight(angle, most + 1, amplitude))


def positional_weight(theta: float, length: int, amplitude: float) -> Array:
    """H_POS's weight on target `j = 1 .. T`, (T,): `w(j) = 1 / sum_k exp(c (cos(theta (j - k)) - 1))` (dec.thm7).

    The sum is over `k = 1 .. n`: the query's own key is the same vector as all others. `T = n - 1`.
    """
    places = np.arange(1, length + 1)
    cosines = np.cos(theta * (places[:-1, None] - places))
    return np.asarray(1 / np.exp(amplitude * (cosines - 1)).sum(axis=1))
