"""Attention computed here, in the place of a model's own, at the positions that a `Steering` names.

A text goes through the model in chunks of tokens. Of each chunk the model's rotary function shows queries and keys
before rotation; keys and values are stored, layer by layer, as far as later queries may see them, so that attention
over the whole text needs no buffer of T x T weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from headproof.checks.trained.conform import turned
from headproof.checks.trained.modes import Steering
from headproof.checks.trained.recorder import Recorder
from headproof.checks.trained.reversal import Call
from headproof.checks.trained.rotary import Rotate, Rotated

# Weights computed at once: 8 MiB in float32, which a processor's cache holds.
BLOCK_ENTRIES = 1 << 21
MASKING = "has a mask that does not come from transformers' mask interface"


@dataclass(frozen=True, eq=False)
class Stored:
    """What a layer keeps of the tokens from `first` on, each `(kv_heads, tokens, d)`.

    `raw` are keys before rotation, `turned` the same rotated to their positions.
    """

    first: int
    raw: Tensor
    turned: Tensor
    values: Tensor

    def extended(self, newer: Stored) -> Stored:
        """These tokens and the `newer` ones, which follow."""
        parts = ((getattr(self, name), getattr(newer, name)) for name in ("raw", "turned", "values"))
        return Stored(self.first, *(torch.cat(pair, dim=1) for pair in parts))

    def since(self, first: int) -> Stored:
        """The tokens from `first` on, in memory of their own."""
        if first <= self.first:
            return self
        parts = (getattr(self, name) for name in ("raw", "turned", "values"))
        return Stored(first, *(part[:, first - self.first :].clone() for part in parts))


@dataclass(eq=False)
class Angles:
    """cos and sin of the positions 0, 1, ..., as far as they were seen; layers of one rotation share them."""

    cos: Tensor | None = None
    sin: Tensor | None = None

    @property
    def length(self) -> int:
        """The number of positions that were seen."""
        return 0 if self.cos is None else len(self.cos)

    def add(self, start: int, cos: Tensor, sin: Tensor) -> None:
        """Note the rows of the positions from `start` on, as far as they follow those that were seen."""
        known = self.length - start
        if 0 <= known < len(cos):
            self.cos = cos.clone() if self.cos is None else torch.cat((self.cos, cos[known:]))
            self.sin = sin.clone() if self.sin is None else torch.cat((self.sin, sin[known:]))

    def rows(self, positions: Tensor | list[int]) -> tuple[Tensor, Tensor]:
        """cos and sin of some positions."""
        assert self.cos is not None
        assert self.sin is not None
        return self.cos[positions], self.sin[positions]


@dataclass(frozen=True, eq=False)
class Far:
    """Keys more than `cap` tokens before a query: `queries` and all `keys` rotated so that they stand `cap` apart."""

    cap: int
    queries: Tensor
    keys: Tensor


def attention(
    queries: Tensor,
    stored: Stored,
    visible: Tensor,
    start: int,
    scaling: float,
    softcap: float | None,
    far: Far | None = None,
) -> Tensor:
    """Attention outputs `(heads, P, d)` of rotated queries `(heads, P, d)` at `start` and after.

    `visible` `(P, T)` says which of all T tokens each query sees. Blocks of BLOCK_ENTRIES weights, each over the keys
    between the first and the last that its queries see: O(P T d heads) time, O(BLOCK_ENTRIES) memory.
    """
    heads, count, width = queries.shape
    groups = stored.turned.shape[0]
    each = heads // groups
    rows = max(1, BLOCK_ENTRIES // (each * max(1, visible.shape[1] - stored.first)))
    made = queries.new_empty(heads, count, stored.values.shape[-1])
    for begin in range(0, count, rows):
        end = min(begin + rows, count)
        columns = torch.nonzero(visible[begin:end].any(dim=0)).flatten()
        low, high = int(columns[0]), int(columns[-1]) + 1
        hidden = ~visible[begin:end, low:high]
        some = torch.nonzero(hidden.any(dim=0)).flatten()  # most columns are seen by all queries of the block
        blocked = slice(int(some[0]), int(some[-1]) + 1) if len(some) else slice(0, 0)
        keys = slice(low - stored.first, high - stored.first)
        beyond = 0 if far is None else max(0, start + end - 1 - far.cap - low)  # columns with a far key of some query
        if beyond:
            places = torch.arange(start + begin, start + end, device=queries.device)[:, None]
            distant = places - torch.arange(low, low + beyond, device=queries.device) > (0 if far is None else far.cap)
        for group in range(groups):
            of_group = slice(group * each, (group + 1) * each)
            asked = queries[of_group, begin:end].reshape(-1, width)
            logits = (asked @ stored.turned[group, keys].T).view(each, end - begin, -1)
            if far is not None and beyond:
                capped = far.queries[of_group, begin:end].reshape(-1, width) @ far.keys[group, keys][:beyond].T
                near = logits[..., :beyond]
                logits[..., :beyond] = torch.where(distant, capped.view(each, end - begin, -1), near)
            logits.mul_(scaling)
            if softcap is not None:
                logits.div_(softcap).tanh_().mul_(softcap)
            logits[..., blocked].masked_fill_(hidden[:, blocked], -math.inf)
            weights = torch.softmax(logits, dim=-1)
            summed = weights.view(-1, high - low) @ stored.values[group, keys]
            made[of_group, begin:end] = summed.view(each, end - begin, -1)
    return made


@dataclass(eq=False)
class Attending:
    """Stands in for the attention of one chunk after another of a text (a `Watcher`).

    `reader` reads what the rotary function was given, `angles` are the positions' cos and sin by layer, `stored` the
    tokens so far by layer, and `outputs` what attention gave the `wanted` queries of this chunk. Where `probing`, only
    angles are noted. The chunk holds the tokens from `start` to before `stop`.
    """

    reader: Recorder
    angles: dict[int, Angles]
    steering: Steering
    stored: dict[int, Stored] = field(default_factory=dict)
    wanted: Tensor | None = None
    outputs: dict[int, Tensor] = field(default_factory=dict)
    probing: bool = False
    start: int = 0
    stop: int = 0
    pending: list[Rotated] = field(default_factory=list)
    call: Call | None = None
    needed: dict[int, tuple[Tensor, int]] = field(default_factory=dict)

    def chunk(self, start: int, stop: int, wanted: Tensor | None = None) -> None:
        """Begin a chunk; `wanted` numbers the queries in it whose outputs are handed out."""
        self.start, self.stop, self.wanted = start, stop, wanted
        self.reader.length = stop - start
        self.outputs, self.needed, self.pending = {}, {}, []

    def mask(self, eager: Callable[..., Any], given: dict[str, Any]) -> Tensor | None:
        """Which of all tokens the chunk's queries see, bool `(1, 1, P, T)`, by the model's own rule."""
        device = torch.device(given.get("device", "cpu"))
        keys, none = torch.arange(self.stop, device=device), torch.zeros((), dtype=torch.int64, device=device)
        sees = given["mask_function"]
        own = sees(none, none, keys[self.start :, None], keys[None])
        visible = self.steering.seen(own & (keys <= keys[self.start :, None]), self.start)
        # The first key that the next token would see: later ones see none before it, except for a sink.
        after = sees(none, none, keys[-1:, None] + 1, keys[None])[0]
        seen = torch.nonzero(after).flatten()
        mask = visible[None, None]
        self.needed[mask.data_ptr()] = (mask, int(seen[0]) if len(seen) else self.stop)
        return mask

    def attend(
        self, module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, given: dict[str, Any]
    ) -> tuple[Tensor, Tensor | None]:
        """The output of one layer's attention for the chunk, `(1, P, heads, d)`.

        Raises InputError where the mask is not the one that `mask` made, and what `Recorder.turned` raises.
        """
        index, pending, self.pending = module.layer_idx, self.pending, []
        exact, parts = self.reader.turned(index, query, key, pending) if pending else self.reader.not_turned(query, key)
        if pending:
            self.angles[index].add(self.start, parts["cos"], parts["sin"])
        if self.probing:
            return query.new_zeros(1, query.shape[2], query.shape[1], value.shape[-1]), None
        if mask is None or (held := self.needed.get(mask.data_ptr())) is None:
            raise self.reader.refusal(index, MASKING)
        queries, keys = parts["queries"], parts["keys"]
        turn = _turner(parts["rotate"], parts["rotary"], self.angles[index]) if pending else _still
        if pending and not exact:
            # What was made of rotated vectors is turned back, which the pass before has shown to undo the rotation.
            way = parts["rotate"], parts["rotary"]
            queries, keys = (turned(*way, one, parts["cos"], -parts["sin"]) for one in (queries, keys))
        of_queries, of_keys = self.steering.positions(self.start, self.stop)
        newer = Stored(self.start, keys, turn(keys, of_keys), value[0])
        stored = self.stored[index].extended(newer) if index in self.stored else newer
        far = None
        if pending and (cap := self.steering.cap) is not None and cap < self.stop - 1 - stored.first:
            far = Far(cap, turn(queries, torch.full_like(of_queries, cap)), turn(stored.raw, _zeros(stored.raw)))
        scaling = float(given.get("scaling", getattr(module, "scaling", math.nan)))
        made = attention(
            turn(queries, of_queries), stored, held[0][0, 0], self.start, scaling, given.get("softcap"), far
        )
        self.stored[index] = stored.since(held[1])
        if self.wanted is not None and len(self.wanted):
            self.outputs[index] = made[:, self.wanted]
        return made.transpose(0, 1)[None].contiguous(), None


Turn = Callable[[Tensor, Tensor], Tensor]


def _turner(rotate: Rotate, rotary: slice, angles: Angles) -> Turn:
    def turn(vectors: Tensor, positions: Tensor) -> Tensor:
        return turned(rotate, rotary, vectors, *angles.rows(positions.to(vectors.device)))

    return turn


def _still(vectors: Tensor, positions: Tensor) -> Tensor:
    return vectors


def _zeros(vectors: Tensor) -> Tensor:
    return torch.zeros(vectors.shape[1], dtype=torch.int64)
