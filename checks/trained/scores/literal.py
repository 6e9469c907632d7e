"""The scores as they are printed, swap by swap: the yardstick of the fast way in tests and benchmarks.

Keys change places before rotation, all keys are rotated anew, and softmax is taken over all that the query sees.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import torch
from torch import Tensor

from headproof.checks.trained.capture import visible_keys
from headproof.checks.trained.conform import CapturedLayer, key_heads, turn
from headproof.theory.scores import Blocks


def literal_layer_scores(layer: CapturedLayer, query: int, blocks: Blocks, temperature: float) -> tuple[Tensor, Tensor]:
    """(s_pos, s_sym) of each head of a layer, float64 `(heads,)`, one swap at a time; O(swaps keys d) time a head."""
    before = _block_means(layer, query, blocks)
    gaps, positional, symbolic = [], [], []
    for i, j in combinations(range(blocks.count), 2):
        after = _block_means(swapped(layer, blocks, i, j), query, blocks)[:, [i, j]]
        gaps.append((before[:, i] - before[:, j]).abs())
        positional.append(torch.cosine_similarity(after, before[:, [i, j]], dim=1, eps=0))
        symbolic.append(torch.cosine_similarity(after, before[:, [j, i]], dim=1, eps=0))
    weights = torch.softmax(torch.stack(gaps) / temperature, dim=0)
    return (weights * torch.stack(positional)).sum(0), (weights * torch.stack(symbolic)).sum(0)


def swapped(layer: CapturedLayer, blocks: Blocks, first: int, second: int) -> CapturedLayer:
    """The layer with the key contents of two blocks exchanged; positions stay."""
    keys = layer.keys.clone()
    one, other = (slice(start, start + blocks.length) for start in (blocks.starts[first], blocks.starts[second]))
    keys[:, one], keys[:, other] = layer.keys[:, other], layer.keys[:, one]
    return replace(layer, keys=keys)


def in_plane(layer: CapturedLayer, coordinates: list[int]) -> CapturedLayer:
    """The layer as a head of its own of some coordinates: all others of its queries and keys are 0, and no soft-cap."""
    mask = torch.zeros(layer.keys.shape[-1], dtype=layer.keys.dtype, device=layer.keys.device)
    mask[coordinates] = 1
    return replace(layer, queries=layer.queries * mask, keys=layer.keys * mask, softcap=None)


def attention(layer: CapturedLayer, query: int) -> tuple[list[int], Tensor]:
    """(positions seen, attention weights `(heads, positions)`) of a query, from rotated queries and keys."""
    seen = [*visible_keys(layer, query), query]
    heads = key_heads(layer, torch.arange(layer.heads, device=layer.keys.device))
    turned = turn(layer, layer.queries[:, query : query + 1], slice(query, query + 1))
    logits = layer.scaling * (turn(layer, layer.keys[:, seen], seen)[heads] @ turned.transpose(1, 2))[..., 0]
    if layer.softcap is not None:
        logits = layer.softcap * torch.tanh(logits / layer.softcap)
    return seen, torch.softmax(logits, dim=-1)


def _block_means(layer: CapturedLayer, query: int, blocks: Blocks) -> Tensor:
    seen, weights = attention(layer, query)
    place = {position: number for number, position in enumerate(seen)}
    chosen = [[place[start + t] for t in range(blocks.length)] for start in blocks.starts]
    return weights[:, chosen].mean(-1)


def batched_layer_scores(
    layer: CapturedLayer, query: int, blocks: Blocks, temperature: float, at_once: int = 64
) -> tuple[Tensor, Tensor]:
    """The same with `at_once` swaps in one batch: every swap's keys are still rotated and its softmax taken."""
    seen = [*visible_keys(layer, query), query]
    heads = key_heads(layer, torch.arange(layer.heads, device=layer.keys.device))
    turned = layer.scaling * turn(layer, layer.queries[:, query : query + 1], slice(query, query + 1))[:, 0]
    place = {position: number for number, position in enumerate(seen)}
    rows = torch.tensor([[place[start + t] for t in range(blocks.length)] for start in blocks.starts])
    before = _block_means(layer, query, blocks)
    found = []
    pairs = list(combinations(range(blocks.count), 2))
    for start in range(0, len(pairs), at_once):
        part = pairs[start : start + at_once]
        order = torch.arange(len(seen)).repeat(len(part), 1)
        for number, (i, j) in enumerate(part):
            order[number, rows[i]], order[number, rows[j]] = rows[j], rows[i]
        keys = layer.keys[:, seen][:, order].flatten(0, 1)  # (kv heads x swaps, keys, dim)
        again = turn(layer, keys, seen).reshape(layer.keys.shape[0], len(part), *keys.shape[1:])[heads]
        logits = torch.einsum("hskd,hd->hsk", again, turned)
        if layer.softcap is not None:
            logits = layer.softcap * torch.tanh(logits / layer.softcap)
        means = torch.softmax(logits, dim=-1)[..., rows].mean(-1)
        for number, (i, j) in enumerate(part):
            pair = means[:, number, [i, j]]
            found.append(
                (
                    (before[:, i] - before[:, j]).abs(),
                    torch.cosine_similarity(pair, before[:, [i, j]], dim=1, eps=0),
                    torch.cosine_similarity(pair, before[:, [j, i]], dim=1, eps=0),
                )
            )
    gaps, positional, symbolic = (torch.stack(values) for values in zip(*found, strict=True))
    weights = torch.softmax(gaps / temperature, dim=0)
    return (weights * positional).sum(0), (weights * symbolic).sum(0)
