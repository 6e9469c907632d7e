"""What the heads of a multihop model do on many sequences at once: queries and keys before rotation, weights, tables.

`checks.trained.capture` takes any model and one text a pass. Checkpoints of one known architecture and a hundred short
sequences ask for one pass over all of them: hooks on the projections show queries and keys, the model's own rotary
function turns them in float64, and the weights that follow must be those that its eager attention returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from headproof.checks.trained.capture import capture
from headproof.checks.trained.conform import LARGEST_TOLERANCE, ROUNDOFF, ConformanceError
from headproof.checks.trained.models import in_memory
from headproof.checks.trained.multihop.tasks import Ids
from headproof.checks.trained.planes import RotaryPlanes, layer_planes
from headproof.checks.trained.rotary import namespace_of
from headproof.theory.errors import InputError


@dataclass(frozen=True, eq=False)
class Heads:
    """One head a layer, on `count` sequences of `n` tokens; float64 on the model's device.

    `queries` and `keys` `(layers, count, n, d)` are those before rotation and `weights` `(layers, count, n, n)` the
    attention weights rebuilt from them. `cos` and `sin` `(n, d / 2)` are the model's, and `rotate(x, sin, cos)` is its
    own function. Logits are `scaling` times the product of rotated vectors. `error` is the largest difference of a
    weight from the model's own, `tolerance` what float32 rounding may make it.
    """

    queries: Tensor
    keys: Tensor
    weights: Tensor
    cos: Tensor
    sin: Tensor
    rotate: Callable[..., Tensor]
    scaling: float
    error: float
    tolerance: float

    @property
    def length(self) -> int:
        """Tokens in a sequence, `n`."""
        return int(self.queries.shape[2])

    def tables(self, place: int, rows: Ids | None = None) -> Tensor:
        """Logit tables of the queries at a place, from 1, of some sequences (by default all).

        `M[layer, row, a, b]` is the logit of key content `a` at position `b`, over the `place` keys that the query
        sees, its own the last: `(layers, rows, place, place)`. O(layers rows place (place + d)) memory. Raises
        InputError for a place outside the sequences, and ConformanceError if turning the query back from every
        position does not give the logits in use.
        """
        if not 1 <= place <= self.length:
            raise InputError(f"place {place} is not in sequences of {self.length} tokens", "places count from 1")
        chosen = torch.arange(self.queries.shape[1]) if rows is None else torch.as_tensor(rows)
        chosen = chosen.to(self.queries.device)
        here, before = slice(place - 1, place), slice(0, place)
        query, keys = self.queries[:, chosen, here], self.keys[:, chosen, before]
        turned = self._turn(query, here)
        back = self._turn(turned.expand(-1, -1, place, -1), before, inverse=True)
        logits = self.scaling * (keys @ back.transpose(-1, -2))
        used = self.scaling * (self._turn(keys, before) @ turned.transpose(-1, -2))[..., 0]
        apart = (torch.diagonal(logits, dim1=-2, dim2=-1) - used).abs()
        reach = self.scaling * query.norm(dim=-1).amax() * keys.norm(dim=-1).amax()
        if not bool(apart.amax() <= 32 * ROUNDOFF * reach):
            raise ConformanceError(
                f"un-rotating the queries at place {place} gives logits {float(apart.max()):.2g} away from those in use"
            )
        return logits

    def plane_sizes(self, planes: RotaryPlanes, place: int, rows: Ids | None = None) -> Tensor:
        """How much of the logits each plane may make up: `scaling |q_f| |k_f|`, mean over the keys that the query sees,
        `(layers, rows, planes)` in logit units."""
        chosen = torch.arange(self.queries.shape[1]) if rows is None else torch.as_tensor(rows)
        chosen, pairs = chosen.to(self.queries.device), planes.pairs.to(self.queries.device)
        query = self.queries[:, chosen, place - 1][..., pairs].norm(dim=-1)
        keys = self.keys[:, chosen, :place][..., pairs].norm(dim=-1).mean(dim=2)
        sizes: Tensor = self.scaling * query * keys
        return sizes

    def _turn(self, vectors: Tensor, positions: slice, inverse: bool = False) -> Tensor:
        """Vectors `(..., P, d)` rotated to P positions, or back from them."""
        sin = self.sin[positions][None]
        flat = vectors.reshape(-1, *vectors.shape[-2:])[:, :, None]
        turned: Tensor = self.rotate(flat, -sin if inverse else sin, self.cos[positions][None])
        return turned.reshape(vectors.shape)


def observe(model: Any, tokens: Ids) -> Heads:
    """The heads of a GPT-J with one head a layer, in one pass over ids `(count, n)`.

    Raises InputError for a model with more heads, in training mode, or without eager attention, and ConformanceError
    where rebuilt weights are not the model's own.
    """
    _require_kind(model)
    device = next(model.parameters()).device
    with torch.no_grad(), _watched(model) as seen:
        model.transformer(input_ids=torch.as_tensor(tokens, device=device), use_cache=False)
    if any(part is None for part in seen["weights"]):
        raise InputError("its attention does not show its weights", 'load it with attention="eager"')
    queries, keys = (torch.stack(seen[name]).double() for name in ("queries", "keys"))
    first, n = model.transformer.h[0].attn, int(queries.shape[2])
    sin, cos = model.transformer.rotary_emb.embed_positions[:n].to(device).double().chunk(2, dim=-1)
    rotate = namespace_of(first)["apply_rotary_pos_emb"]
    heads = Heads(queries, keys, torch.empty(0), cos, sin, rotate, float(first.scaling), math.nan, math.nan)
    return _conforming(heads, torch.stack(seen["weights"])[:, :, 0].double())


def planes_of(model: Any, tokens: Ids) -> RotaryPlanes:
    """The rotary planes of a model's layers, which are the same in all of them, as its own rotary function shows them.

    `tokens` is one row of ids.
    """
    found = layer_planes(capture(in_memory(model, "multihop"), tokens.tolist()))
    return next(iter(found.values()))


def _require_kind(model: Any) -> None:
    config = model.config
    if config.n_head != 1 or config.rotary_dim != config.n_embd:
        raise InputError(
            f"a model of {config.n_head} heads a layer that turns {config.rotary_dim} of {config.n_embd} coordinates",
            "these measurements are for one head a layer, all of which turns",
        )
    if model.training:
        raise InputError("the model is in training mode", "call its eval() first")


@contextmanager
def _watched(model: Any) -> Iterator[dict[str, list[Any]]]:
    """What projections and attention return in passes made meanwhile, by layer."""
    seen: dict[str, list[Any]] = {"queries": [], "keys": [], "weights": []}

    def keep(name: str) -> Callable[..., None]:
        return lambda module, given, result: seen[name].append(result[1] if name == "weights" else result)

    handles = []
    try:
        for block in model.transformer.h:
            for name, module in (("queries", block.attn.q_proj), ("keys", block.attn.k_proj), ("weights", block.attn)):
                handles.append(module.register_forward_hook(keep(name)))
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def _conforming(heads: Heads, own: Tensor) -> Heads:
    """The heads with their weights, which are compared with the model's own, `(layers, count, n, n)`."""
    every = slice(0, heads.length)
    turned = heads._turn(heads.queries, every), heads._turn(heads.keys, every)
    logits = heads.scaling * (turned[0] @ turned[1].transpose(-1, -2))
    hidden = torch.ones(heads.length, heads.length, dtype=torch.bool, device=logits.device).triu(1)
    weights = torch.softmax(logits.masked_fill(hidden, -math.inf), dim=-1)
    # As `conform.weight_tolerance` derives it.
    reach = heads.scaling * (turned[0].norm(dim=-1).amax((1, 2)) * turned[1].norm(dim=-1).amax((1, 2)))
    logit_error = ROUNDOFF * reach * (2 * math.sqrt(heads.queries.shape[-1]) + 8)
    allowed = (2 * logit_error + ROUNDOFF * (math.sqrt(heads.length) + 8)).clamp(max=LARGEST_TOLERANCE)
    apart = (weights - own).abs().amax((1, 2, 3))
    if wrong := np.flatnonzero((~(apart <= allowed)).cpu().numpy()).tolist():
        raise ConformanceError(
            f"layer {wrong[0]}: attention weights rebuilt from the captured queries and keys are "
            f"{float(apart[wrong[0]]):.2g} away from the model's own (allowed {float(allowed[wrong[0]]):.2g})"
        )
    return Heads(
        heads.queries,
        heads.keys,
        weights,
        heads.cos,
        heads.sin,
        heads.rotate,
        heads.scaling,
        float(apart.max()),
        float(allowed.max()),
    )
