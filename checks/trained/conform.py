"""Conform before you interpret: a captured layer counts only if it reproduces the model's own attention.

The weights are rebuilt in float64 from the unrotated queries and keys, for every query and head, and compared
with the weights that the model's eager function returned. A wrong rotary layout fails softly in the text that
a model writes, but not here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from headproof.checks.trained.rotary import Rotate
from headproof.theory.errors import InputError

# Rounding is judged by float32 even for a float64 model: models take softmax, and some take angles, in
# float32.
ROUNDOFF = float(torch.finfo(torch.float32).eps) / 2
LARGEST_TOLERANCE = 1e-4
# Entries of a block of weights: 16 MiB in float64.
BLOCK_ENTRIES = 1 << 21


class ConformanceError(InputError):
    """What was captured does not reproduce the model's own attention; nothing may be read from it."""


@dataclass(frozen=True, eq=False)
class CapturedLayer:
    """Queries and keys of one layer before rotation, and all that turns them into its logits.

    `queries` `(heads, T, d)` and `keys` `(kv_heads, T, d)` in the model's own precision; query head `h` reads
    key head `h * kv_heads // heads`. `cos` and `sin` `(T, width)` are those that the layer used, with
    whatever factor the model folds into them, and `rotate(x, cos, sin)` is the model's own function for the
    coordinates `rotary`; the other coordinates are not rotated. `visible[n, j]` says whether query `n` sees
    key `j`; `window` is the sliding window (keys, the query included) or None. Logits are `scaling` times the
    dot product of rotated vectors; where `softcap` is a number `c`, attention uses `c tanh(logit / c)`.

    `error` is the largest absolute difference between the model's attention weights and the rebuilt ones, and
    `tolerance` what rounding may make it.
    """

    index: int
    architecture: str
    queries: Tensor
    keys: Tensor
    cos: Tensor
    sin: Tensor
    rotary: slice
    rotate: Rotate
    scaling: float
    visible: Tensor
    window: int | None = None
    softcap: float | None = None
    error: float = math.nan
    tolerance: float = math.nan

    @property
    def heads(self) -> int:
        """Number of query heads."""
        return int(self.queries.shape[0])

    @property
    def length(self) -> int:
        """Number of tokens, `T`."""
        return int(self.queries.shape[1])


def turn(layer: CapturedLayer, vectors: Tensor, positions: slice | list[int], inverse: bool = False) -> Tensor:
    """Rotate vectors `(heads, P, d)` to P positions in float64, or back from them.

    Back means the transpose, by the model's own function with `-sin`. Where the model folds a factor into cos
    and sin (YaRN), both directions carry it, as the logits do.
    """
    wide = vectors.double()
    sin = layer.sin[positions].double()
    turned = layer.rotate(wide[..., layer.rotary], layer.cos[positions].double(), -sin if inverse else sin)
    if turned.shape == wide.shape:
        return turned.double()
    mixed = wide.clone()
    mixed[..., layer.rotary] = turned.double()
    return mixed


def key_heads(layer: CapturedLayer, heads: Tensor) -> Tensor:
    """The key head that each query head reads (grouped-query attention)."""
    return heads * layer.keys.shape[0] // layer.heads


def conforming(layer: CapturedLayer, query: Tensor, key: Tensor, weights: Tensor) -> tuple[float, float]:
    """(error, tolerance) of a layer against what its model computed.

    `query` and `key` `(heads, T, d)` are the rotated vectors that attention received, `weights` `(heads, T,
    T)` the ones it returned. O(heads T^2 d) time, blocks of BLOCK_ENTRIES weights. Raises ConformanceError if
    the vectors or the weights differ by more than rounding explains.
    """
    everywhere = slice(0, layer.length)
    turned_query, turned_key = (turn(layer, vectors, everywhere) for vectors in (layer.queries, layer.keys))
    for name, ours, theirs in (("queries", turned_query, query), ("keys", turned_key, key)):
        # A rotated coordinate is two products and one sum of entries of at most the vector's norm.
        allowed = 16 * ROUNDOFF * float(ours.norm(dim=-1).max())
        if not (apart := float((ours - theirs).abs().max())) <= allowed:
            raise ConformanceError(
                f"{layer.architecture} layer {layer.index}: rotating the captured {name} gives vectors "
                f"{apart:.2g} away from the model's own (allowed {allowed:.2g}): a wrong rotary layout"
            )
    error = _weight_error(layer, turned_query, turned_key, weights)
    tolerance = weight_tolerance(layer, turned_query, turned_key)
    if not error <= tolerance:
        raise ConformanceError(
            f"{layer.architecture} layer {layer.index}: attention weights rebuilt from the captured queries "
            f"and keys are {error:.2g} away from the model's own (allowed {tolerance:.2g})",
            "use dtype float64 if its logits are very large; otherwise its attention is not supported",
        )
    return error, tolerance


def weight_tolerance(layer: CapturedLayer, query: Tensor, key: Tensor) -> float:
    """How far float32 rounding may move an attention weight.

    With roundoff u, a dot product of d terms errs by about sqrt(d) u |q| |k| (Higham and Mary 2019, SIAM J.
    Sci. Comput. 41, probabilistic bound with constant 2), the rotation before it and the scaling, soft-cap
    and exponential after it by a few u |q| |k| more. A logit that errs by e moves a weight by at most 2 e,
    and the sum of T exponentials adds about sqrt(T) u. Never more than 1e-4.
    """
    reached = query.norm(dim=-1).amax(dim=-1)
    heads = torch.arange(layer.heads, device=key.device)
    largest = abs(layer.scaling) * float((reached * key.norm(dim=-1).amax(dim=-1)[key_heads(layer, heads)]).max())
    logit_error = ROUNDOFF * largest * (2 * math.sqrt(query.shape[-1]) + 8)
    return min(LARGEST_TOLERANCE, 2 * logit_error + ROUNDOFF * (math.sqrt(layer.length) + 8))


def _weight_error(layer: CapturedLayer, query: Tensor, key: Tensor, weights: Tensor) -> float:
    heads = torch.arange(layer.heads, device=key.device)
    keys = key[key_heads(layer, heads)].transpose(1, 2)
    step = max(1, BLOCK_ENTRIES // (layer.heads * layer.length))
    worst = 0.0
    for start in range(0, layer.length, step):
        rows = slice(start, start + step)
        logits = layer.scaling * (query[:, rows] @ keys)
        if layer.softcap is not None:
            logits = layer.softcap * torch.tanh(logits / layer.softcap)
        rebuilt = torch.softmax(logits.masked_fill(~layer.visible[rows], -math.inf), dim=-1)
        apart = float((rebuilt - weights[:, rows].double()).abs().max())
        worst = apart if math.isnan(apart) else max(worst, apart)
        if math.isnan(worst):
            break
    return worst
