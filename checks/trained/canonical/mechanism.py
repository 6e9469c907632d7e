"""What the head of a one-layer toy does, beside the constructions: gathered keys, a line of queries, a code of symbols.

All planes of a head that turn by one angle make one complex space: a coordinate a plane, `first + i second`. With the
convention of `constructions.rope`, `L = k^T R_{n-k} q`, the logit of a key of token `v`, `t = n - k` places before the
query `u`, is

    L(u, v, t) = scale * sum over angles of  Re( e^{i theta t} <q_u, k_v> ),      <q, k> = sum of q conj(k).

A unitary map of such a space, one for queries and keys alike, changes no logit: a direction of it serves as well as a
plane. Places count from 1, the query stands at place `n`, and the `T = n - 1` places before it are the key places. The
query's own key, at place `n`, takes its part of the softmax, and enters nothing else here.

A ratio whose denominator is 0 is NaN; a zero vector has no direction, and adds 0 to a mean of directions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.constructions.tasks import Task
from headproof.constructions.transformers import Transformer
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Space:
    """The `m` planes of one angle, in radians per position, of all tokens of the vocabulary.

    `queries` and `keys` are complex (token, m); the head's scale stands in `queries`, so that products are logits.
    """

    angle: float
    queries: Array
    keys: Array

    def products(self, queries: Array, keys: Array) -> Array:
        """`<q, k>` of vectors (query, m) and (key, m) of this space: complex (query, key), in logit units."""
        return np.asarray(queries @ keys.conj().T)

    def power(self, queries: Array, keys: Array, most: int) -> float:
        """Variance of the logits over keys and the distances 1 .. `most`, averaged over the queries; squared logits.

        A part that all keys of a query share at every distance is not counted: softmax does not see it. O(query key).
        """
        # Re(e z)^2 = (|z|^2 + Re(e^2 z^2)) / 2, so that only the means of e and e^2 over the distances are needed.
        once, twice = (np.exp(1j * turns * self.angle * np.arange(1, most + 1)).mean() for turns in (1, 2))
        z = self.products(queries, keys)
        squares = (np.abs(z) ** 2 + (twice * z * z).real).mean(axis=1) / 2
        return float(np.maximum(squares - (once * z).real.mean(axis=1) ** 2, 0).mean())


def spaces(layer: Transformer) -> tuple[Space, ...]:
    """The spaces of a float layer's head, in the order in which its planes name their angles.

    Coordinates that are never rotated belong to the angle 0, with imaginary part 0. InputError for exact weights.
    """
    head = layer.head
    if head.exact:
        raise InputError("a mechanism is measured on float weights", "use layer.numeric()")
    queries, keys = head.scale * (layer.embedding @ head.w_q.T), layer.embedding @ head.w_k.T
    columns: dict[float, list[tuple[int, int | None]]] = {}
    for angle, pair in zip(head.rope.angles, head.rope.pairs, strict=True):
        columns.setdefault(float(angle), []).append(pair)
    for still in range(head.rope.rotary_dim, head.rope.dim):
        columns.setdefault(0.0, []).append((still, None))

    def joined(x: Array, pairs: list[tuple[int, int | None]]) -> Array:
        return np.stack([x[:, one] + (0j if other is None else 1j * x[:, other]) for one, other in pairs], axis=-1)

    return tuple(Space(angle, joined(queries, pairs), joined(keys, pairs)) for angle, pairs in columns.items())


def data_ids(task: Task) -> Array:
    """The ids of the tokens that carry an answer, (data,)."""
    return np.flatnonzero([answer is not None for answer in task.carried])


def query_ids(layer: Transformer, task: Task) -> Array:
    """The ids of the query tokens, (query,): of Index in the order of the targets 1 .. T, else of the symbols.

    InputError for a layer whose vocabulary does not begin with the task's.
    """
    if layer.vocabulary[: len(task.vocabulary)] != task.vocabulary:
        raise InputError(f"a layer whose first tokens are not those of {task.name}", "ids follow the task's vocabulary")
    return np.flatnonzero([answer is None for answer in task.carried])


def is_index(task: Task) -> bool:
    """Whether queries name a place. InputError for Index by offset, whose targets depend on the length."""
    if task.name == "Index by offset":
        raise InputError("Index by offset", "a query by position names one target at the task's length")
    return task.name == "Index by position"


def key_places(layer: Transformer, task: Task, length: int | None = None) -> int:
    """`T`: of Index from the task, which has one length; InputError for another one, and for less than 2 places."""
    fixed = len(query_ids(layer, task)) + 1 if is_index(task) else None
    found = require_integer(fixed if length is None else length, "the length of an input, its query included,", 3)
    if fixed is not None and found != fixed:
        raise InputError(f"length {found}", f"this Index task has inputs of {fixed} tokens")
    return found - 1


def mean_keys(space: Space, ids: Array) -> Array:
    """The keys of ids (key,), or the mean key of each row of ids (key, token); complex (key, m)."""
    chosen = space.keys[ids]
    return np.asarray(chosen.mean(axis=1) if chosen.ndim == 3 else chosen)


def dominant(found: tuple[Space, ...], queries: Array, keys: Array, most: int) -> Space:
    """The space of the largest power, for query ids and key ids as `mean_keys` takes them."""
    return max(found, key=lambda space: space.power(space.queries[queries], mean_keys(space, keys), most))


def directions(vectors: Array) -> Array:
    """Vectors, or complex numbers, divided by their length; zeros stay."""
    lengths = np.abs(vectors) if np.iscomplexobj(vectors) else np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def ratio(part: Any, whole: Any) -> float:
    """`part / whole`, NaN where the whole is 0."""
    return float(part / whole) if whole else math.nan


def squared(vectors: Array) -> Array:
    """Squared lengths of vectors (..., coordinate), real or complex; (...)."""
    return np.asarray((np.abs(vectors) ** 2).sum(axis=-1))


@dataclass(frozen=True)
class Gathering:
    """How far keys gather in one direction: `resultant` is `|mean of k/|k||`, `share` is `|mean k|^2 / mean |k|^2`.

    Both are in [0, 1], and 1 for equal keys.
    """

    resultant: float
    share: float


def key_gathering(layer: Transformer, task: Task) -> Gathering:
    """The gathering of the keys of the data tokens, as vectors of the head's coordinates."""
    query_ids(layer, task)
    keys = layer.embedding[data_ids(task)] @ layer.head.w_k.T
    resultant = float(np.linalg.norm(directions(keys).mean(axis=0)))
    return Gathering(resultant, ratio(squared(keys.mean(axis=0)), squared(keys).mean()))


@dataclass(frozen=True, eq=False)
class QueryLine:
    """Whether the queries of Index turn with their targets as in H_POS: `arg z_j = theta (j - n)`, nothing fitted.

    `products` (T,) are `z_j = <q_j, mean key>` in logit units, in the space of angle `angle` (radians) that moves the
    logits most. `resultant` is `|mean of exp(i (arg z_j - theta j))|`, in [0, 1]; `phase` the argument of that mean
    after the offset `theta n` is taken off, in radians: 0 for H_POS, else the largest logit stands `phase / theta`
    places after the target. `variation` is standard deviation over mean of `|z_j|`. Beside them `chance = 1/sqrt(T)`:
    with independent uniform phases the mean square of the resultant is 1/T.
    """

    angle: float
    products: Array
    resultant: float
    phase: float
    variation: float
    chance: float


def query_line(layer: Transformer, task: Task) -> QueryLine:
    """The line of an Index toy's queries. InputError for another task."""
    most, queries, symbols = _index_parts(layer, task)
    space = dominant(spaces(layer), queries, symbols, most)
    z = space.products(space.queries[queries], mean_keys(space, symbols))[:, 0]
    # n - j for the targets j = 1 .. T, so that the products of H_POS become positive numbers.
    mean = (directions(z) * np.exp(1j * space.angle * np.arange(most, 0, -1))).mean()
    variation = ratio(np.abs(z).std(), np.abs(z).mean())
    return QueryLine(space.angle, z, abs(mean), float(np.angle(mean)), variation, 1 / math.sqrt(most))


def positional_logits(layer: Transformer, task: Task) -> Array:
    """`L[j, k]` (T, T): the logit at place `k` of the query for target `j`, averaged over symbols there. Index only."""
    most, queries, symbols = _index_parts(layer, task)
    logits = np.zeros((most, most))
    for space in spaces(layer):
        z = space.products(space.queries[queries], mean_keys(space, symbols))
        logits += (z * np.exp(1j * space.angle * np.arange(most, 0, -1))).real
    return logits


def _index_parts(layer: Transformer, task: Task) -> tuple[int, Array, Array]:
    """`T`, the ids of the queries by target, and those of the symbols as one group; InputError for another task."""
    if not is_index(task):
        raise InputError(f"{task.name}", "queries that name a place are those of Index")
    return key_places(layer, task), query_ids(layer, task), data_ids(task)[None]


@dataclass(frozen=True, eq=False)
class SymbolCode:
    """How a toy that matches symbols tells them apart; logit units unless a share is said.

    `match` (S, S) is `C[s_q, s_k]`, the logit of the query for one symbol at a key of another, averaged over attributes
    and the distances 1 .. T. `key_share` is the share of the data keys' variance between symbols. `leads` (S,) is the
    own symbol's `C` less the best wrong one's, over the standard deviation of all of `C`; `positive` is the share of
    symbols that lead. `worst_lead` is the least, over symbols, attributes and two different distances, of a match's
    logit at one less the best wrong key's at the other: above 0, every wrong key loses to every match on every input.
    `largest` is the largest `|logit|` of a data token at these distances.
    """

    match: Array
    key_share: float
    leads: Array
    positive: float
    worst_lead: float
    largest: float

    @property
    def worst_share(self) -> float:
        """`worst_lead` over `largest`, in [-2, 2]."""
        return ratio(self.worst_lead, self.largest)


def symbol_code(layer: Transformer, task: Task, length: int) -> SymbolCode:
    """The code of a Retrieval or partial induction toy at a length. O(T S^2 attributes) time, no such memory."""
    queries, pairs = symbol_ids(layer, task)
    most, found = key_places(layer, task, length), spaces(layer)
    products = [space.products(space.queries[queries], space.keys[pairs.ravel()]) for space in found]
    match = np.zeros((len(queries), len(queries)))
    for space, z in zip(found, products, strict=True):
        mean = np.exp(1j * space.angle * np.arange(1, most + 1)).mean()
        match += (mean * z).real.reshape(len(queries), *pairs.shape).mean(axis=2)
    own = np.eye(len(queries), dtype=bool)
    least, best, largest = np.empty((most, len(queries))), np.empty((most, len(queries))), 0.0
    for t in range(1, most + 1):
        parts = ((np.exp(1j * space.angle * t) * z).real for space, z in zip(found, products, strict=True))
        logits = np.asarray(sum(parts)).reshape(len(queries), *pairs.shape)
        least[t - 1] = logits[own].min(axis=1)
        best[t - 1] = np.where(own, -np.inf, logits.max(axis=2)).max(axis=1)
        largest = max(largest, float(np.abs(logits).max()))
    # The best wrong key at any other distance than t: the best of all, or the second where the best stands at t itself.
    first, second = -np.sort(-best, axis=0)[:2]
    others = np.where(np.arange(most)[:, None] == best.argmax(axis=0), second, first)
    worst = float((least - others).min())
    leads = match.diagonal() - np.where(own, -np.inf, match).max(axis=1)
    spread = match.std()
    over = leads / spread if spread else np.full(len(leads), np.nan)
    share = symbol_share(layer.embedding @ layer.head.w_k.T, pairs)
    return SymbolCode(match, share, over, float((leads > 0).mean()), worst, largest)


def symbol_ids(layer: Transformer, task: Task) -> tuple[Array, Array]:
    """The ids of each symbol's query, (S,), and of its pairs, (S, attribute). InputError for Index, or one symbol."""
    queries = query_ids(layer, task)
    if is_index(task) or len(queries) < 2:
        raise InputError(f"{task.name} with {len(queries)} queries", "symbols are matched where there are two or more")
    # The vocabulary is the product of symbols and attributes, and after it the symbols in the same order.
    return queries, data_ids(task).reshape(len(queries), -1)


def symbol_share(keys: Array, pairs: Array) -> float:
    """The share between symbols of the variance of keys (token, coordinate), at ids (S, attribute); NaN for none."""
    held = keys[pairs]
    within = squared(held - held.mean(axis=1, keepdims=True)).mean()
    between = squared(held.mean(axis=1) - held.mean(axis=(0, 1))).mean()
    return ratio(between, within + between)
