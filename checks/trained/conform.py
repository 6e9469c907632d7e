"""Conform before you interpret: a captured layer counts only if it reproduces the model's own attention.

All captured queries and keys are rotated again in float64 and compared with those that attention received; from
these the weights of all query rows, or of chosen ones, are rebuilt in float64 and compared with those that the
model's eager function returned. A wrong rotary layout fails softly in the text that a model writes, but not here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from headproof.checks.trained.rotary import Rotate
from headproof.theory.errors import InputError

# Rounding is judged by float32 even for a float64 model: models take softmax, and some take angles, in
# float32.
ROUNDOFF = float(torch.finfo(torch.float32).eps) / 2
LARGEST_TOLERANCE = 1e-4
# Entries of a block of weights and of a block of vectors: 16 MiB and 2 MiB in float64.
BLOCK_ENTRIES, VECTOR_ENTRIES = 1 << 21, 1 << 18
HALF = (torch.bfloat16, torch.float16)


class ConformanceError(InputError):
    """What was captured does not reproduce the model's own attention; nothing may be read from it."""


@dataclass(frozen=True, eq=False)
class CapturedLayer:
    """Queries and keys of one layer before rotation, and all that turns them into its logits.

    `queries` `(heads, T, d)` and `keys` `(kv_heads, T, d)` in the model's own precision; query head `h` reads
    key head `h * kv_heads // heads`. `cos` and `sin` `(T, width)` are those that the layer used, with
    whatever factor the model folds into them, and `rotate(x, cos, sin)` is the model's own function for the
    coordinates `rotary`; the other coordinates are not rotated. Where that function returns coordinates in
    another order than it takes them, queries and keys stand in the order that it returns. A layer without
    rotation has an empty `rotary`. `visible[n, j]` says whether query `n` sees key `j`; `window` is the sliding
    window (keys, the query included) or None. Logits are `scaling` times the dot product of rotated vectors;
    where `softcap` is a number `c`, attention uses `c tanh(logit / c)`.

    `error` is the largest absolute difference between the model's attention weights and the rebuilt ones in the
    `rows` query rows that were compared, and `tolerance` what float32 rounding may make it. A model in half
    precision is compared with its own eager function, run in float32 on the queries and keys that attention
    received; `rounding` is how far the weights that it used are from those, and 0 in other precisions. `compared`
    are the numbers of those rows, None for all: nothing may be read of the others (`require_compared`).
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
    rows: int = 0
    rounding: float = 0.0
    compared: frozenset[int] | None = None

    @property
    def heads(self) -> int:
        """Number of query heads."""
        return int(self.queries.shape[0])

    @property
    def length(self) -> int:
        """Number of tokens, `T`."""
        return int(self.queries.shape[1])

    @property
    def rotates(self) -> bool:
        """Whether the layer turns queries and keys by their positions."""
        return bool(self.rotary.stop > self.rotary.start)


@dataclass(frozen=True, eq=False)
class Attended:
    """What one layer's attention received and returned.

    Rotated `query` `(heads, T, d)` and `key` `(kv_heads, T, d)`, and `weights` `(heads, T, T)`. `again(rows)`
    is the model's own eager function on the query rows of these numbers, in float32: `(heads, rows, T)`.
    """

    query: Tensor
    key: Tensor
    weights: Tensor
    again: Callable[[Tensor], Tensor]


def turn(layer: CapturedLayer, vectors: Tensor, positions: slice | list[int], inverse: bool = False) -> Tensor:
    """Rotate vectors `(heads, P, d)` to P positions in float64, or back from them.

    Back means the transpose, by the model's own function with `-sin`. Where the model folds a factor into cos
    and sin (YaRN), both directions carry it, as the logits do. Without rotation these are the vectors.
    """
    wide = vectors.double()
    if not layer.rotates:
        return wide
    sin = layer.sin[positions].double()
    return turned(layer.rotate, layer.rotary, wide, layer.cos[positions].double(), -sin if inverse else sin)


def turned(rotate: Rotate, rotary: slice, vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Vectors `(heads, P, d)` with the coordinates `rotary` rotated by cos and sin `(P, width)`, in their precision."""
    after = rotate(vectors[..., rotary], cos, sin).to(vectors.dtype)
    if after.shape == vectors.shape:
        return after
    mixed = vectors.clone()
    mixed[..., rotary] = after
    return mixed


def key_heads(layer: CapturedLayer, heads: Tensor) -> Tensor:
    """The key head that each query head reads (grouped-query attention)."""
    return heads * layer.keys.shape[0] // layer.heads


def require_compared(layer: CapturedLayer, query: int) -> None:
    """Raise InputError for a query whose attention weights were not compared with the model's own."""
    if layer.compared is not None and query not in layer.compared:
        raise InputError(
            f"the attention of query {query} was not compared with the model's own",
            "capture with this query among the rows",
        )


def check_rows(length: int, queries: Sequence[int] = (), count: int = 32) -> tuple[int, ...]:
    """The query rows to compare when only `queries` of a text of `length` tokens are read.

    Those, and `count` rows evenly spread from the first to the last. Raises InputError for queries that are not
    in the text and for a count below 2.
    """
    if count < 2:
        raise InputError(f"{count} rows cannot reach from the first to the last", "compare at least two rows")
    if bad := [query for query in queries if not 0 <= query < length]:
        raise InputError(f"query {bad[0]} is not in a text of {length} tokens")
    spread = {round(step * (length - 1) / (count - 1)) for step in range(count)} if length else set()
    return tuple(sorted({*spread, *queries}))


# -- the comparison --------------------------------------------------------------------------------------


def conforming(layer: CapturedLayer, attended: Attended, rows: Tensor | None = None) -> CapturedLayer:
    """The layer with what its comparison against its model gave, for all query rows or those of some numbers.

    O(heads rows T d) time, blocks of BLOCK_ENTRIES weights. Raises ConformanceError if rotated vectors or
    weights differ by more than rounding explains.
    """
    norms = _norms(attended.query), _norms(attended.key)
    require_same_rotation(layer, attended, norms)
    tolerance = weight_tolerance(layer, norms)
    half = attended.query.dtype in HALF
    key = attended.key.double().transpose(1, 2)
    chosen = torch.arange(layer.length, device=key.device) if rows is None else rows
    error = rounding = 0.0
    blocks = math.ceil(len(chosen) * layer.heads * layer.length / BLOCK_ENTRIES)
    for block in chosen.chunk(blocks) if blocks > 1 else (chosen,):
        hidden = ~layer.visible.index_select(0, block)
        logits = _logits(layer, attended.query.index_select(1, block), key)
        own = attended.weights.index_select(1, block)
        theirs = attended.again(block) if half else own
        largest = logits.masked_fill(hidden, 0.0).abs_().amax(dim=-1, keepdim=True) if half else None
        rebuilt = torch.softmax(logits.masked_fill_(hidden, -math.inf), dim=-1)
        error = _larger(error, float(rebuilt.sub_(theirs).abs_().max()))
        if not error <= tolerance:
            raise ConformanceError(
                f"{layer.architecture} layer {layer.index}: attention weights rebuilt from the captured queries "
                f"and keys are {error:.2g} away from the model's own (allowed {tolerance:.2g})",
                "use dtype float64 if its logits are very large; otherwise its attention is not supported",
            )
        if largest is not None:
            rounding = _larger(rounding, _half_error(layer, own, theirs, largest, tolerance))
    compared = None if rows is None else frozenset(chosen.tolist())
    return replace(layer, error=error, tolerance=tolerance, rows=len(chosen), rounding=rounding, compared=compared)


def require_same_rotation(layer: CapturedLayer, attended: Attended, norms: tuple[Tensor, Tensor]) -> None:
    """Rotate all captured queries and keys in float64 and compare them with those that attention received.

    `norms` are the lengths of these, `(heads, T)` and `(kv_heads, T)`. A rotated coordinate is a cos + b sin. Its
    products and its sum round by at most two roundoffs of |a cos| + |b sin|, which is at most the norm of its plane
    in the rotated vector; eight of the vector's norm leave room for other orders of the sum and for angles rounded
    in between. In float16, what is too small to be normal rounds by a fixed amount. Raises ConformanceError where
    the two differ by more.
    """
    if not layer.rotates:
        return
    about = torch.finfo(attended.query.dtype)
    share, least = 8 * max(ROUNDOFF, about.eps / 2), 4 * about.smallest_normal * about.eps
    allowed = torch.cat(norms).mul_(share).add_(least)
    heads, width = allowed.shape[0], layer.queries.shape[-1]
    parts = (
        ("queries", slice(layer.heads), layer.queries, attended.query),
        ("keys", slice(layer.heads, heads), layer.keys, attended.key),
    )
    # Queries and keys go through in one call, block by block and through one piece of memory.
    step = max(1, VECTOR_ENTRIES // (heads * width))
    wide = torch.empty(heads, step, width, dtype=torch.float64, device=allowed.device)
    for start in range(0, layer.length, step):
        block = slice(start, min(start + step, layer.length))
        vectors = wide[:, : block.stop - start]
        for _, part, captured, _ in parts:
            vectors[part] = captured[:, block]
        apart = turn(layer, vectors, block)
        for _, part, _, received in parts:
            apart[part].sub_(received[:, block])
        largest = apart.abs_().amax(dim=-1)
        if bool((largest <= allowed[:, block]).all()):  # what is not a number is wrong too
            continue
        wrong = ~(largest <= allowed[:, block]).all(dim=-1)
        name, part, *_ = parts[0 if bool(wrong[: layer.heads].any()) else 1]
        raise ConformanceError(
            f"{layer.architecture} layer {layer.index}: rotating the captured {name} gives vectors "
            f"{float(largest[part].max()):.2g} away from the model's own (allowed "
            f"{float(allowed[part, block].max()):.2g}): a wrong rotary layout"
        )


def _norms(vectors: Tensor) -> Tensor:
    """Norms of vectors, in float32 at least."""
    precision = torch.promote_types(vectors.dtype, torch.float32)
    norms: Tensor = torch.linalg.vector_norm(vectors, dim=-1, dtype=precision)
    return norms


def weight_tolerance(layer: CapturedLayer, norms: tuple[Tensor, Tensor]) -> float:
    """How far float32 rounding may move an attention weight.

    `norms` are the lengths of the rotated queries and keys, `(heads, T)` and `(kv_heads, T)`. With roundoff u, a
    dot product of d terms errs by about sqrt(d) u |q| |k| (Higham and Mary 2019, SIAM J. Sci. Comput. 41,
    probabilistic bound with constant 2), the rotation before it and the scaling, soft-cap and exponential after
    it by a few u |q| |k| more. A logit that errs by e moves a weight by at most 2 e, and the sum of T
    exponentials adds about sqrt(T) u. Never more than 1e-4.
    """
    of_query, of_key = ([float(one) for one in lengths.amax(dim=-1).tolist()] for lengths in norms)
    largest = abs(layer.scaling) * max(
        length * of_key[head * len(of_key) // len(of_query)] for head, length in enumerate(of_query)
    )
    logit_error = ROUNDOFF * largest * (2 * math.sqrt(layer.queries.shape[-1]) + 8)
    return min(LARGEST_TOLERANCE, 2 * logit_error + ROUNDOFF * (math.sqrt(layer.length) + 8))


def _half_error(layer: CapturedLayer, own: Tensor, theirs: Tensor, largest: Tensor, tolerance: float) -> float:
    """How far the half-precision weights `own` are from those in float32, all `(heads, rows, T)`.

    With roundoff u, the model rounds a visible logit of size l after the dot product and after the scaling, and
    one more rounding is allowed for models that order these otherwise: 3 u l. A soft-cap has three steps more;
    what is rounded before the cap comes through it with a factor below one: 6 u l. If the logits of a row err by
    at most e, each weight changes by a factor between exp(-2e) and exp(2e); the weight itself is rounded once or
    twice. So a weight w may be off by w (expm1(2e) + 2u), with `largest` `(heads, rows, 1)` for l; a masked one
    by nothing. To this comes `tolerance` for float32, and in float16 the smallest number.

    Raises ConformanceError if a weight is further off.
    """
    about = torch.finfo(own.dtype)
    roundoff, steps = about.eps / 2, 3 if layer.softcap is None else 6
    factor = torch.expm1(2 * steps * roundoff * largest) + 2 * roundoff
    apart = (own.double() - theirs).abs_()
    over = apart - theirs * (factor + tolerance) - about.smallest_normal * about.eps
    if not float(over.max()) <= 0:
        raise ConformanceError(
            f"{layer.architecture} layer {layer.index}: its attention weights in {own.dtype} are "
            f"{float(apart.max()):.2g} away from those in float32, more than rounding explains",
            "load it in float32",
        )
    return float(apart.max())


def _logits(layer: CapturedLayer, query: Tensor, key: Tensor) -> Tensor:
    """Logits that softmax sees, but for the mask: `(heads, rows, T)` of rotated queries and keys `(kv, d, T)`."""
    heads, rows, width = query.shape
    # The heads that read one key head are neighbours.
    grouped = query.double().mul(layer.scaling).reshape(key.shape[0], -1, width)
    logits = (grouped @ key).reshape(heads, rows, -1)
    return logits if layer.softcap is None else logits.div_(layer.softcap).tanh_().mul_(layer.softcap)


def _larger(worst: float, found: float) -> float:
    return found if math.isnan(found) else max(worst, found)
