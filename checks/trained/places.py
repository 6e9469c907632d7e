"""Where rotated tensors stand in the queries and keys that attention received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from headproof.checks.trained.rotary import Rotated


@dataclass(frozen=True, eq=False)
class Place:
    """Where a rotated tensor, with heads on `heads_axis`, stands in what attention received.

    Not `exact` if attention received something made of it, of the same shape.
    """

    rotated: Rotated
    heads_axis: int
    start: int
    stop: int
    exact: bool = True

    def unrotated(self, received: Tensor, order: Tensor | None = None) -> Tensor:
        """What attention would get without rotation: `(heads, T, d)` for `received` `(1, heads, T, d)`.

        `order` is the order in which the rotary function returns coordinates (`output_order`).
        """
        raw = self.rotated.raw if self.heads_axis == 1 else self.rotated.raw.transpose(1, 2)
        raw = raw if order is None else raw[..., order]
        if raw.shape == received.shape:
            return compact(raw[0])
        mixed = received[0].clone()
        mixed[..., self.start : self.stop] = _for_heads(raw, received.shape[1])[0]
        return mixed


def compact(vectors: Tensor) -> Tensor:
    """The vectors, copied if they are a part of a larger tensor, which they would keep alive."""
    return vectors.clone() if vectors.untyped_storage().nbytes() > vectors.nbytes else vectors


def find_place(received: Tensor, candidates: Sequence[Rotated]) -> Place | None:
    """The rotated tensor that attention received, bit for bit, as all or as the first or last coordinates.

    `received` has shape `(1, heads, T, d)`; rotated heads may stand there several times over, all of them in
    turn. None if there is no such tensor.
    """
    for rotated in candidates:
        if rotated.rotated is received:
            return Place(rotated, 1, 0, received.shape[-1])
    for rotated in candidates:
        if rotated.rotated.ndim != 4:
            continue
        for heads_axis in (1, 2):
            after = rotated.rotated if heads_axis == 1 else rotated.rotated.transpose(1, 2)
            width, spare = after.shape[-1], received.shape[-1] - after.shape[-1]
            if spare < 0 or after.shape[2] != received.shape[2] or received.shape[1] % after.shape[1]:
                continue
            for start in sorted({0, spare}):
                part = received[..., start : start + width]
                if torch.equal(part, _for_heads(after, part.shape[1])):
                    return Place(rotated, heads_axis, start, start + width)
    return None


def similar_place(received: Tensor, rotated: Rotated) -> Place | None:
    """The place of a rotated tensor of which attention received something of the same shape; None for another."""
    for heads_axis in (1, 2):
        after = rotated.rotated if heads_axis == 1 else rotated.rotated.transpose(1, 2)
        if after.shape == received.shape:
            return Place(rotated, heads_axis, 0, received.shape[-1], exact=False)
    return None


def _for_heads(vectors: Tensor, heads: int) -> Tensor:
    """Vectors `(1, h, T, d)` as `(1, heads, T, d)`: all h in turn, as often as they go into `heads`."""
    copies = heads // vectors.shape[1]
    return vectors if copies == 1 else vectors[:, None].expand(-1, copies, -1, -1, -1).flatten(1, 2)


def same_rotation(one: Place, other: Place) -> bool:
    """Whether two tensors were rotated by the same function, cos and sin in the same coordinates."""
    return (
        (one.start, one.stop) == (other.start, other.stop)
        and one.rotated.function is other.rotated.function
        and _same(one.rotated.cos, other.rotated.cos)
        and _same(one.rotated.sin, other.rotated.sin)
    )


def _same(one: Tensor, other: Tensor) -> bool:
    return one is other or torch.equal(one, other)
