"""Which premise of a theorem a trained toy breaks, and by how much.

A theorem of DEC or DYN about a construction presupposes things of its queries, keys and angles. Here each is a number
for a toy: 0 where it holds, else the relative size of what breaks it. No tolerance is put anywhere: what counts as
nearly is for the reader. A construction in float64 has rounding errors and no more.

Several planes of one angle are one complex space (`mechanism`), and "one plane" is read as one complex direction of it:
a unitary map of the space makes that direction a plane, and changes no logit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.checks.trained.canonical.mechanism import (
    Array,
    Space,
    data_ids,
    directions,
    dominant,
    is_index,
    key_places,
    mean_keys,
    query_ids,
    query_line,
    spaces,
    squared,
    symbol_code,
    symbol_ids,
)
from headproof.constructions.tasks import Task
from headproof.constructions.transformers import Transformer
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Premise:
    """A premise of a theorem, and the relative size of its violation: 0 where it holds exactly.

    Of a strict inequality the violation is the excess over the bound, 0 at the bound itself. Infinite where nothing is
    left to compare with. Raises InputError for a negative violation and for NaN.
    """

    theorem: str
    name: str
    violation: float

    def __post_init__(self) -> None:
        if not self.violation >= 0:
            raise InputError(f"{self.theorem}, {self.name}: violation {self.violation}", "a size is 0 or more")


def premises(layer: Transformer, task: Task, length: int) -> tuple[Premise, ...]:
    """The premises of the theorems about the task at inputs of `length` tokens, the query included.

    Index: dec.thm3, and dec.thm7's own beside them. Retrieval: dec.thm5, and the phase code of dyn.thm3.1. Partial
    induction: dec.thm6, and the phase code in the range that one angle needs there (dec.thm6.one-angle.range). Raises
    InputError as `mechanism.key_places` and `mechanism.symbol_ids`.
    """
    key_places(layer, task, length)
    if is_index(task):
        found = [*_positional(layer, task, length)]
    elif task.name == "Retrieval":
        limit = math.pi / (len(query_ids(layer, task)) * length)  # omega / (2 n0)
        code = _phase_code(layer, task, length, "theta below omega / (2 n0)", limit, least=0)
        found = [*_symbolic(layer, task, length), *(("dyn.thm3.1", *rest) for rest in code)]
    else:
        limit = 2 * math.pi / (len(query_ids(layer, task)) * (2 * length - 3))  # omega / (2T - 1)
        code = _phase_code(layer, task, length, "0 < theta < omega / (2T - 1)", limit, least=1)
        found = [*_mixed(layer, task, length), *(("dec.thm6.one-angle.range", *rest) for rest in code)]
    return tuple(Premise(theorem, name, float(violation)) for theorem, name, violation in found)


Found = Iterator[tuple[str, str, float]]


def _positional(layer: Transformer, task: Task, length: int) -> Found:
    """H_POS: all keys are one vector, the query of target `j` turned back by `(n - j) theta` from it."""
    symbols, queries, line = data_ids(task), query_ids(layer, task), query_line(layer, task)
    keys = layer.embedding @ layer.head.w_k.T
    yield "dec.thm3", "all keys are one vector", _spread(keys[symbols])
    aimed = line.products * np.exp(1j * line.angle * np.arange(length - 1, 0, -1))
    yield "dec.thm3", "query phases on the line", _chord(aimed)
    yield "dec.thm3", "equal query amplitudes", _relative(np.abs(aimed).std(), np.abs(aimed).mean())
    yield "dec.thm3", "one angle", _outside(spaces(layer), (line.angle,), queries, symbols[None], length - 1)
    turns = np.arange(1, length) * line.angle
    # As refuse_aliasing: a cosine of t theta in float64 cannot be told from 1 below this.
    whole = 1 - np.cos(turns) <= 8 * np.finfo(float).eps * (1 + np.abs(turns))
    yield "dec.thm3", "no t theta, t < n, a whole number of turns (share of the t)", whole.mean()
    own = math.sqrt(squared(keys[queries] - keys[symbols].mean(axis=0)).mean())
    yield "dec.thm7", "the query's own key is that vector", _relative(own, _size(keys[symbols]))
    yield "dec.thm7", "0 < n theta < a full turn", _excess(line.angle, 2 * math.pi / length, least=1)


def _symbolic(layer: Transformer, task: Task, length: int) -> Found:
    """H_SYM: no rotation, one logit for a match and one for all others."""
    code, (_, pairs) = symbol_code(layer, task, length), symbol_ids(layer, task)
    own = np.eye(len(code.match), dtype=bool)
    contrast = abs(code.match[own].mean() - code.match[~own].mean())
    yield "dec.thm5", "no rotation (largest |theta| in radians)", max(_turn(space.angle) for space in spaces(layer))
    yield "dec.thm5", "keys depend on the symbol alone", _within(layer.embedding @ layer.head.w_k.T, pairs)
    yield "dec.thm5", "one match logit", _relative(code.match[own].std(), contrast)
    yield "dec.thm5", "one logit for wrong symbols", _relative(code.match[~own].std(), contrast)
    yield "dec.thm5", "the own symbol first (share of symbols where it is not)", 1 - code.positive


def _phase_code(
    layer: Transformer, task: Task, length: int, name: str, limit: float, least: float
) -> Iterator[tuple[str, float]]:
    """DYN's Retrieval: the symbol is the phase of a key of one length on one plane, `omega` from one to the next.

    The source numbers the symbols; here any order of them round the circle will do.
    """
    queries, pairs = symbol_ids(layer, task)
    found = spaces(layer)
    space = dominant(found, queries, pairs.ravel(), length - 1)
    keys = space.keys[pairs.ravel()]
    yield "one angle", _outside(found, (space.angle,), queries, pairs.ravel(), length - 1)
    yield "keys depend on the symbol alone", _within(space.keys, pairs)
    _, sizes, rows = np.linalg.svd(keys, full_matrices=False)
    yield "keys on one plane", _relative(np.linalg.norm(sizes[1:]), np.linalg.norm(sizes))
    lengths = np.sqrt(squared(keys))
    yield "keys of one length", _relative(lengths.std(), lengths.mean())
    omega = 2 * math.pi / len(queries)
    phases = np.sort(np.angle(mean_keys(space, pairs) @ rows[0].conj()))
    gaps = np.diff(phases, append=phases[0] + 2 * math.pi)
    yield "phases omega apart", math.sqrt(((gaps - omega) ** 2).mean()) / omega
    yield (
        "queries in phase with their keys",
        _chord((space.queries[queries] * mean_keys(space, pairs).conj()).sum(axis=1)),
    )
    yield name, _excess(space.angle, limit, least)


def _mixed(layer: Transformer, task: Task, length: int) -> Found:
    """Two planes: the first, of angle 0, matches the symbol, the second prefers the recent."""
    queries, pairs = symbol_ids(layer, task)
    found, most = spaces(layer), length - 1
    slow = min(found, key=lambda space: _turn(space.angle))
    rest = tuple(space for space in found if space is not slow)
    yield "dec.thm6", "one angle is 0 (its size in radians)", _turn(slow.angle)
    yield "dec.thm6", "the first plane's keys depend on the symbol alone", _within(slow.keys, pairs)
    yield "dec.thm6", "the query's own key is the smallest", _own_key(found, queries, pairs.ravel(), most)
    yield "dec.thm6", "a second angle", 0 if rest else 1
    if not rest:
        return
    fast = dominant(rest, queries, pairs.ravel(), most)
    outside = _outside(found, (slow.angle, fast.angle), queries, pairs.ravel(), most)
    yield "dec.thm6", "no third angle", outside
    yield "dec.thm6", "the second plane's keys are one vector", _spread(fast.keys[pairs.ravel()])
    turns = np.exp(1j * fast.angle * np.arange(1, most + 1))
    recency = (fast.products(fast.queries[queries], mean_keys(fast, pairs.reshape(1, -1))) * turns).real
    falls = np.diff(recency, axis=1) < 0
    yield "dec.thm6", "the second plane prefers the recent (share of steps where it does not)", 1 - falls.mean()
    match = slow.products(slow.queries[queries], mean_keys(slow, pairs)).real
    own = np.eye(len(match), dtype=bool)
    leads, spread = match[own] - np.where(own, -np.inf, match).max(axis=1), np.ptp(recency, axis=1)
    yield "dec.thm6", "a match outweighs recency", _relative(max(0.0, (spread - leads).max()), spread.max())


def _own_key(found: tuple[Space, ...], queries: Array, keys: Array, most: int) -> float:
    """By how much a query's own key exceeds its smallest key before it, over the range of the logits before it."""
    own, lowest, highest = np.zeros(len(queries)), np.full(len(queries), np.inf), np.full(len(queries), -np.inf)
    for space in found:
        own += (space.queries[queries] * space.keys[queries].conj()).sum(axis=1).real
    for t in range(1, most + 1):
        logits = np.zeros((len(queries), len(keys)))
        for space in found:
            logits += (np.exp(1j * space.angle * t) * space.products(space.queries[queries], space.keys[keys])).real
        lowest, highest = np.minimum(lowest, logits.min(axis=1)), np.maximum(highest, logits.max(axis=1))
    return _relative(np.maximum(own - lowest, 0).max(), (highest - lowest).max())


def _outside(found: tuple[Space, ...], angles: tuple[float, ...], queries: Array, keys: Array, most: int) -> float:
    """The share of the logits' power in spaces of other angles than these."""
    powers = {space.angle: space.power(space.queries[queries], mean_keys(space, keys), most) for space in found}
    return _relative(sum(power for angle, power in powers.items() if angle not in angles), sum(powers.values()))


def _size(vectors: Array) -> float:
    """Root mean square length."""
    return math.sqrt(squared(vectors).mean())


def _spread(vectors: Array) -> float:
    """Root mean square distance from the mean, over the root mean square length; 0 for equal vectors."""
    return _relative(_size(vectors - vectors.mean(axis=0)), _size(vectors))


def _within(keys: Array, pairs: Array) -> float:
    """Root mean square distance of keys from their symbol's mean, over that from the mean of all."""
    held = keys[pairs]
    apart = held - held.mean(axis=1, keepdims=True)
    return _relative(
        _size(apart.reshape(pairs.size, -1)), _size((held - held.mean(axis=(0, 1))).reshape(pairs.size, -1))
    )


def _chord(z: Array) -> float:
    """Root mean square of `|z/|z| - 1|`: the distance of phases from 0, in [0, 2]; a zero counts as 1."""
    return math.sqrt((np.abs(directions(z) - 1) ** 2).mean())


def _excess(angle: float, limit: float, least: float) -> float:
    """By what part of it an angle, up to its sign and full turns, exceeds a limit; `least` for an angle of 0."""
    size = _turn(angle)
    return max(0.0, size / limit - 1) if size else least


def _turn(angle: float) -> float:
    """The size of an angle in radians, up to full turns: at whole places no logit tells them apart."""
    return abs(math.remainder(angle, 2 * math.pi))


def _relative(size: Any, whole: Any) -> float:
    """`size / whole`; 0 for no size, infinite for a size beside nothing."""
    if not size:
        return 0.0
    return float(size / whole) if whole else math.inf
