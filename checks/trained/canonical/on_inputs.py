"""What the head of a toy does on given inputs: its weight on the target, its discrepancies, its exclusion ratio.

Inputs are token ids `(count, n)`, the query last. The query's own key takes its part of the softmax, and enters nothing
else. The conventions are those of `mechanism`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from headproof.checks.trained.canonical.mechanism import (
    Array,
    is_index,
    key_places,
    positional_logits,
    query_line,
    ratio,
    spaces,
    symbol_code,
)
from headproof.constructions.tasks import Task, symbol_of
from headproof.constructions.transformers import Transformer
from headproof.theory.errors import InputError
from headproof.theory.exclusion import exclusion_terms, variance_ratio
from headproof.theory.measures import analysis_of_variance

# Inputs are taken in blocks of about this many numbers: 32 MiB in float64.
BLOCK_ENTRIES = 1 << 22


def target_places(task: Task, inputs: Array) -> Array:
    """The place of each input's target from 1, (count,): what an Index query names, else the symbol's last pair.

    `inputs` (count, n) are ids. InputError where an input has none.
    """
    asked = inputs[:, -1]
    if is_index(task):
        return np.asarray(asked - np.flatnonzero([answer is None for answer in task.carried])[0] + 1)
    names = np.array([symbol_of(token) for token in task.vocabulary])
    held = names[inputs[:, :-1]] == names[asked][:, None]
    if not held.any(axis=1).all():
        raise InputError(f"input {inputs[~held.any(axis=1)][0].tolist()}", "the query's symbol has no pair in it")
    return np.asarray(inputs.shape[1] - 1 - held[:, ::-1].argmax(axis=1))


def input_logits(layer: Transformer, inputs: Array) -> Iterator[Array]:
    """The logits (block, n) of the last token over all keys, its own last, of blocks of inputs (count, n) in turn."""
    for x in _embedded(layer, inputs, layer.embedding.shape[1] + layer.head.rope.dim):
        yield layer.head.logits(x)


def _embedded(layer: Transformer, inputs: Array, numbers: int) -> Iterator[Array]:
    """The embeddings of blocks of inputs, (block, n, embed), for `numbers` entries a token."""
    if inputs.ndim != 2 or inputs.shape[1] < 3 or not len(inputs):
        raise InputError(f"inputs of shape {inputs.shape}", "they are (count, n) with two key places or more")
    step = max(1, BLOCK_ENTRIES // (inputs.shape[1] * numbers))
    for start in range(0, len(inputs), step):
        yield layer.embedding[inputs[start : start + step]]


def target_weight(layer: Transformer, inputs: Array, places: Array) -> Array:
    """Mean attention weight on the target by its place 1 .. T, (T,); NaN for a place that no input asks for.

    `inputs` (count, n) are ids, `places` (count,) the targets' places from 1. All n keys take part in the softmax. For
    Index, `positional_fit(layer, task).weight` is H_POS's beside it.
    """
    logits = np.concatenate(list(input_logits(layer, inputs)))
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    weights = shares[np.arange(len(places)), places - 1] / shares.sum(axis=1)
    counts = np.bincount(places - 1, minlength=inputs.shape[1] - 1)
    sums = np.bincount(places - 1, weights, minlength=len(counts))
    return np.asarray(np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0))


@dataclass(frozen=True)
class Discrepancy:
    """Gaps between the logits of the key places, over the head's `amplitude`.

    `gap` is the largest less the second-largest logit, at most over the inputs (DYN, definition 3.1). `least_lead` and
    `mean_lead` are the target's logit less the best other place's. `amplitude` is the largest `|L[j, k]|` of
    `positional_logits`, or of a data token's logits where symbols are matched (`SymbolCode.largest`); logit units.
    `angle_bound` and `length_bound` are what dyn.thm3.2 prints: `1 - cos theta` and `2 pi^2 / n^2` for Index at the
    angle of its query line; for Retrieval with one angle `1 - cos(omega - n theta)` alone. NaN: nothing is printed.
    """

    gap: float
    least_lead: float
    mean_lead: float
    amplitude: float
    angle_bound: float
    length_bound: float


def discrepancy(layer: Transformer, task: Task, inputs: Array) -> Discrepancy:
    """The discrepancy on given inputs (count, n). InputError as `target_places`."""
    n = inputs.shape[1]
    key_places(layer, task, n)
    places = target_places(task, inputs)[:, None] == np.arange(1, n)
    logits = np.concatenate(list(input_logits(layer, inputs)))[:, :-1]
    second, first = np.partition(logits, -2, axis=1)[:, -2:].T
    leads = logits[places] - np.where(places, -np.inf, logits).max(axis=1)
    angle_bound = length_bound = math.nan
    if is_index(task):
        amplitude = float(np.abs(positional_logits(layer, task)).max())
        angle_bound, length_bound = 1 - math.cos(query_line(layer, task).angle), 2 * math.pi**2 / n**2
    else:
        code, found = symbol_code(layer, task, n), spaces(layer)
        amplitude = code.largest
        if task.name == "Retrieval" and len(found) == 1:
            omega = 2 * math.pi / len(code.match)
            if abs(found[0].angle) < omega / (2 * n):
                angle_bound = 1 - math.cos(omega - n * found[0].angle)
    gap, least, mean = (ratio(value, amplitude) for value in ((first - second).max(), leads.min(), leads.mean()))
    return Discrepancy(gap, least, mean, amplitude, angle_bound, length_bound)


@dataclass(frozen=True)
class Exclusion:
    """Means over inputs: `ratio` is variance over bound of dec.thm1, 1/2 for a purely positional or symbolic head; and
    the shares of position, content and interaction in the logit table's variance. Constant tables are left out, and NaN
    says that there are no others."""

    ratio: float
    position: float
    content: float
    interaction: float


def exclusion(layer: Transformer, inputs: Array) -> Exclusion:
    """The exclusion terms and the variance shares of the tables of inputs (count, n), the query's own key left out."""
    columns: list[Array] = []
    for x in _embedded(layer, inputs, inputs.shape[1] + layer.embedding.shape[1] + 2 * layer.head.rope.dim):
        table = layer.head.table(x)
        columns.append(np.stack([variance_ratio(exclusion_terms(table)), *analysis_of_variance(table).shares]))
    found = (part[~np.isnan(part)] for part in np.concatenate(columns, axis=1))
    return Exclusion(*(float(part.mean()) if len(part) else math.nan for part in found))
