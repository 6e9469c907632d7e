"""What is measured of each head of a captured layer at one query: scores, shares, exclusion ratio, entropy.

Nothing of the size heads x m x m is formed: swaps ask for the table of block contents against block positions
(`theory.scores`), the analysis of variance and the exclusion terms for sums over keys (`theory.factored`). All is
computed in float64 on the layer's own device.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from headproof.checks.trained.capture import visible_keys
from headproof.checks.trained.conform import CapturedLayer
from headproof.checks.trained.planes import RotaryPlanes
from headproof.checks.trained.views import QueryView
from headproof.theory.exclusion import variance_ratio
from headproof.theory.factored import FactoredTable
from headproof.theory.scores import Blocks, Swaps, log_sum, swaps_of, swaps_of_sums

# Entries of a block of logits: 8 MiB in float64, which stays in a processor's cache.
CHUNK_ENTRIES = 1 << 20
# Sums of exponentials of logits no larger than this, and products of four of them, are numbers in float64.
LARGEST_LOGIT = 150.0


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures of the heads of one layer, or of their planes, at one query: float64 tensors on the layer's device.

    `positional` and `symbolic` have shape `(temperatures, *batch)`, the others `(*batch)`; the batch is `(heads,)` or
    `(heads, planes)`. Shares are fractions of the table's sum of squares, `energy` its mean square around its mean
    (squared logit units), both over the keys in the blocks and before soft-capping; `exclusion` is variance over bound
    (dec.thm1) of the same table; `entropy` is that of the attention over all visible keys and the query's own, as a
    fraction of the entropy of uniform attention.
    """

    positional: Tensor
    symbolic: Tensor
    position_share: Tensor
    content_share: Tensor
    interaction_share: Tensor
    energy: Tensor
    exclusion: Tensor
    entropy: Tensor


def scored_blocks(layer: CapturedLayer, query: int, blocks: Blocks) -> Blocks:
    """The blocks before the query all of whose keys this layer lets the query see."""
    return blocks.within(visible_keys(layer, query))


def head_measures(view: QueryView, temperatures: Sequence[float]) -> tuple[Measures, Swaps]:
    """Measures of whole heads with the layer's soft-cap, batch `(heads,)`, and all their swaps."""
    used = (view.used @ view.query[..., None])[..., 0]
    parts = view.contents[:, None], view.directions[:, None]
    table = _table_measures(*parts, used[:, None], view.softcap)
    blocked = _by_blocks(*parts, view.blocks)
    entries = view.blocks.count**2 * view.blocks.length
    sums = torch.cat(
        [
            factored_log_sums(blocked[0][heads], blocked[1][heads], view.softcap)[:, 0]
            for heads, _ in _chunks(len(used), 1, entries)
        ]
    )
    swaps = swaps_of(sums, table.normaliser[:, 0], view.blocks.length)
    scores = swaps.averages(temperatures)
    return Measures(scores.positional, scores.symbolic, *(value[:, 0] for value in table.values)), swaps


def plane_measures(view: QueryView, planes: RotaryPlanes, temperatures: Sequence[float]) -> Measures:
    """Measures of each rotary plane as a head of its own, batch `(heads, planes)`; the coordinates that do not turn,
    if there are any, come last as one plane of frequency 0.

    A plane's logit is its part of the head's sum before soft-capping, and its attention the softmax of that part.
    """
    found = []
    if planes.count:
        pairs = planes.pairs
        contents, directions = (part[..., pairs].transpose(1, 2) for part in (view.contents, view.directions))
        used = (view.used[..., pairs] * view.query[:, None][..., pairs]).sum(-1).transpose(1, 2)
        found.append(_plane_measures(contents, directions, used, view.blocks, temperatures))
    if planes.still:
        still = list(planes.still)
        contents, directions = (part[..., still][:, None] for part in (view.contents, view.directions))
        used = (view.used[..., still] @ view.query[..., still, None])[..., 0][:, None]
        found.append(_plane_measures(contents, directions, used, view.blocks, temperatures))
    return Measures(*(torch.cat([getattr(one, f.name) for one in found], dim=-1) for f in fields(Measures)))


def _plane_measures(
    contents: Tensor, directions: Tensor, used: Tensor, blocks: Blocks, temperatures: Sequence[float]
) -> Measures:
    """Measures for contents and directions `(heads, planes, m, dim)` and logits in use `(heads, planes, keys)`."""
    table = _table_measures(contents, directions, used, None)
    blocked = _by_blocks(contents, directions, blocks)
    both = torch.empty(2, len(temperatures), *used.shape[:2], dtype=torch.float64, device=used.device)
    for chosen in _chunks(used.shape[0], used.shape[1], blocks.count**2 * blocks.length):
        swaps = _factored_swaps(blocked[0][chosen], blocked[1][chosen], table.normaliser[chosen], blocks.length)
        scores = swaps.averages(temperatures)
        both[(0, slice(None), *chosen)], both[(1, slice(None), *chosen)] = scores.positional, scores.symbolic
    return Measures(both[0], both[1], *table.values)


@dataclass(frozen=True, eq=False)
class _TableMeasures:
    """Normalisers, and the measures that do not depend on blocks, in the order of Measures: `(heads, planes)` each."""

    normaliser: Tensor
    values: tuple[Tensor, ...]


def _table_measures(contents: Tensor, directions: Tensor, used: Tensor, softcap: float | None) -> _TableMeasures:
    shares, terms = FactoredTable(contents, directions).measures()
    used = _capped(used, softcap)
    normaliser = torch.logsumexp(used, dim=-1)
    attention = torch.exp(used - normaliser[..., None])
    entropy = (normaliser - (attention * used).sum(-1)) / math.log(used.shape[-1])
    energy = shares.total / contents.shape[-2] ** 2
    return _TableMeasures(normaliser, (*shares.shares, energy, variance_ratio(terms), entropy))


def factored_log_sums(contents: Tensor, directions: Tensor, softcap: float | None = None) -> Tensor:
    """Log of the summed exp(logit) of each block content at each block position: `(heads, planes, blocks, blocks)`
    for factors `(heads, planes, length, blocks, dim)`."""
    logits = _capped(contents @ directions.transpose(-1, -2), softcap)
    sums: Tensor = log_sum(logits, 2) if logits.shape[2] > 1 else logits[:, :, 0]
    return sums


def _factored_swaps(contents: Tensor, directions: Tensor, normaliser: Tensor, length: int) -> Swaps:
    """All swaps of factored tables without a soft-cap, by sums of exponentials where their range allows."""
    reach = float((contents.norm(dim=-1).amax((2, 3)) * directions.norm(dim=-1).amax((2, 3))).max())
    if max(reach, float(normaliser.abs().max())) > LARGEST_LOGIT:
        return swaps_of(factored_log_sums(contents, directions), normaliser, length)
    return swaps_of_sums((contents @ directions.transpose(-1, -2)).exp_().sum(2), normaliser.exp(), length)


def _by_blocks(contents: Tensor, directions: Tensor, blocks: Blocks) -> tuple[Tensor, Tensor]:
    """Factors `(heads, planes, m, dim)` as `(heads, planes, length, blocks, dim)`."""
    shape = (blocks.count, blocks.length)
    first, second = (
        part.reshape(*part.shape[:2], *shape, part.shape[-1]).transpose(2, 3) for part in (contents, directions)
    )
    return first, second


def _capped(logits: Tensor, softcap: float | None) -> Tensor:
    return logits if softcap is None else softcap * torch.tanh(logits / softcap)


def _chunks(heads: int, planes: int, entries: int) -> Iterator[tuple[slice, slice]]:
    """Slices over heads and planes, of about CHUNK_ENTRIES entries each."""
    at_once = max(1, CHUNK_ENTRIES // entries)
    if at_once >= planes:
        step = at_once // planes
        for start in range(0, heads, step):
            yield slice(start, start + step), slice(0, planes)
        return
    for head in range(heads):
        for start in range(0, planes, at_once):
            yield slice(head, head + 1), slice(start, start + at_once)
