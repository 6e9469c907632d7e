r"""The positional and the symbolic score of a head (dec.scores), from the logit table.

At one query, attention `D = softmax(logits)` has the means `d_i` over blocks of keys. Swapping the key contents of the
blocks i and j gives `d'`. With the cosine of the angle between two pairs of means,

    s_pos(i, j) = cos((d'_i, d'_j), (d_i, d_j)),     s_sym(i, j) = cos((d'_i, d'_j), (d_j, d_i)),

and the scores are their averages over all swaps with the weights `softmax(|d_i - d_j| / tau)`.

**One table tells all swaps.** Let `L[a, b]` be the logarithm of the summed `exp(logit)` of block content a at block
position b. The normaliser drops out of a cosine, and so do all keys outside the two blocks; what is left are two log
ratios, the one in use and the swapped one:

    u = L[j, j] - L[i, i],       v = L[i, j] - L[j, i],
    s_pos = cos(phi' - phi),     s_sym = sin(phi' + phi),     tan phi = e^u,     tan phi' = e^v.

So swaps cost what the table of block contents against block positions costs: no softmax and no pass of the model is
repeated. The normaliser is needed for the weights alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np
from jaxtyping import Float

from headproof.theory.errors import InputError
from headproof.theory.measures import PerTable, widen
from headproof.theory.scores.blocks import Blocks
from headproof.theory.table import LogitTable

__all__ = [
    "Blocks",
    "Scores",
    "block_log_sums",
    "literal_scores",
    "log_sum",
    "table_scores",
]

PRINTED_TEMPERATURE = 1e-4


@dataclass(frozen=True, eq=False)
class Scores:
    """Positional and symbolic scores, in [0, 1]; shape `(temperatures, *batch)` each."""

    positional: PerTable
    symbolic: PerTable


def require_temperatures(temperatures: Sequence[float]) -> tuple[float, ...]:
    """Temperatures as floats from 0 (the swaps of the largest difference alone) to infinity (all swaps alike).

    Raises InputError for anything else, for none, and for one that repeats.
    """
    try:
        taus = tuple(float(value) for value in temperatures)
    except (TypeError, ValueError) as error:
        raise InputError(f"temperatures are numbers, got {temperatures!r:.60}") from error
    if bad := [tau for tau in taus if not tau >= 0]:
        raise InputError(f"temperature {bad[0]:g}", "a temperature is 0, a positive number or inf")
    if not taus or len(set(taus)) < len(taus):
        raise InputError(f"temperatures {temperatures!r:.60}", "give one or more, all different")
    return taus


@dataclass(frozen=True, eq=False)
class Swaps:
    """All swaps of a batch of tables: scores of each, and the block means `d` in use.

    `positional` and `symbolic` have shape `(*batch, blocks, blocks)` and are symmetric, each swap standing there twice;
    what stands on the diagonal is no swap and has no weight. `means` has shape `(*batch, blocks)`.
    """

    positional: Any
    symbolic: Any
    means: Any

    def weights(self, temperature: float) -> Any:
        """The weights of the swaps, which add up to 1 over the whole matrix."""
        xp, means = array_api_compat.array_namespace(self.means), self.means
        count = int(means.shape[-1])
        others = 1 - xp.eye(count, dtype=means.dtype, device=array_api_compat.device(means))
        if math.isinf(temperature):
            return xp.broadcast_to(others / (count * (count - 1)), self.positional.shape)
        gap = xp.abs(means[..., None, :] - means[..., :, None])
        largest = (xp.max(means, axis=-1) - xp.min(means, axis=-1))[..., None, None]
        if temperature == 0:
            raw = xp.astype(gap == largest, means.dtype) * others
        else:
            raw = xp.exp((gap - largest) / temperature) * others
        return raw / xp.sum(raw, axis=(-2, -1), keepdims=True)

    def averages(self, temperatures: Sequence[float]) -> Scores:
        """Both scores over all swaps at each temperature."""
        xp = array_api_compat.array_namespace(self.means)
        flat = (*self.means.shape[:-1], -1)
        weights = [xp.reshape(self.weights(tau), flat) for tau in require_temperatures(temperatures)]
        scores = (xp.reshape(score, flat) for score in (self.positional, self.symbolic))
        return Scores(*(xp.stack([xp.vecdot(each, score) for each in weights]) for score in scores))


def swaps_of(
    log_sums: Float[Any, "*batch content position"], log_normaliser: Float[Any, "*batch"], length: int
) -> Swaps:
    """All swaps of tables of log sums.

    `log_sums` is `L` above, `log_normaliser` the logarithm of the summed exponentials of *all* logits in use, those
    outside the blocks and the query's own among them; `length` is the number of tokens of a block. O(blocks^2) time
    and memory for each table of the batch. Raises InputError for fewer than two blocks: there is nothing to swap.
    """
    xp = array_api_compat.array_namespace(log_sums)
    (sine, cosine), (other_sine, other_cosine) = _swap_vectors(log_sums)
    means = xp.exp(xp.linalg.diagonal(log_sums) - log_normaliser[..., None]) / length
    # Two products of entries of one sign each: nothing cancels.
    return Swaps(cosine * other_cosine + sine * other_sine, cosine * other_sine + sine * other_cosine, means)


def _swap_vectors(log_sums: Float[Any, "*batch content position"]) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """`(sin phi, cos phi)` in use and `(sin phi', cos phi')` swapped of all swaps: `(*batch, blocks, blocks)` each."""
    _require_two(log_sums)
    xp = array_api_compat.array_namespace(log_sums)
    used = xp.linalg.diagonal(log_sums)
    swapped = log_sums - xp.matrix_transpose(log_sums)
    return _of_ratio(xp, used[..., None, :] - used[..., :, None]), _of_ratio(xp, swapped)


def _of_ratio(xp: Any, ratio: Any) -> tuple[Any, Any]:
    """(sin phi, cos phi) with `tan phi = e^ratio`; nothing overflows."""
    less = xp.exp(-xp.abs(ratio))
    large = 1 / xp.sqrt(1 + less * less)
    small = less * large
    up = ratio > 0
    return xp.where(up, large, small), xp.where(up, small, large)


def swaps_of_sums(sums: Float[Any, "*batch content position"], normaliser: Float[Any, "*batch"], length: int) -> Swaps:
    """The same from the sums of exponentials themselves: no logarithm is taken, so it is faster.

    With `a = sums[i, i]`, `b = sums[j, j]`, `c = sums[i, j]`, `d = sums[j, i]` the scores are `(a d + b c) / h` and
    `(a c + b d) / h` for `h^2 = (a^2 + b^2)(c^2 + d^2)`. For sums between 1e-75 and 1e75, so that `h^2` is a number;
    errors as of `swaps_of`.
    """
    _require_two(sums)
    xp = array_api_compat.array_namespace(sums)
    used = xp.linalg.diagonal(sums)
    squares, of_used = sums * sums, used * used
    both = squares + xp.matrix_transpose(squares)
    scale = 1 / xp.sqrt((of_used[..., :, None] + of_used[..., None, :]) * both)
    ahead, behind = sums * used[..., None, :], sums * used[..., :, None]
    positional = ahead + xp.matrix_transpose(ahead)
    symbolic = behind + xp.matrix_transpose(behind)
    return Swaps(positional * scale, symbolic * scale, used / (normaliser * length)[..., None])


def _require_two(table: Any) -> None:
    if (count := int(table.shape[-1])) < 2:
        raise InputError(f"{count} blocks", "a swap takes two")


# -- from a table of tokens ----------------------------------------------------------------------------------------


def log_sum(values: Any, axis: int = -1) -> Any:
    """The logarithm of the sum of exponentials along one axis, without overflow."""
    xp = array_api_compat.array_namespace(values)
    largest = xp.max(values, axis=axis, keepdims=True)
    return xp.squeeze(largest + xp.log(xp.sum(xp.exp(values - largest), axis=axis, keepdims=True)), axis=axis)


def block_log_sums(table: LogitTable, blocks: Blocks) -> Float[Any, "*batch content position"]:
    """`L[a, b]`: log of the summed `exp(logit)` of block content a at block position b, token by token.

    Blocks count the table's keys. Raises InputError for blocks that leave the table. O(blocks^2 length) time.
    """
    _require_inside(table, blocks)
    starts = np.asarray(blocks.starts)
    logits = widen(table, table.logits)
    rows = [logits[..., starts + t, :][..., starts + t] for t in range(blocks.length)]
    return log_sum(table.xp.stack(rows), axis=0)


def table_scores(
    table: LogitTable, blocks: Blocks, temperatures: Sequence[float] = (PRINTED_TEMPERATURE,), own: Any = None
) -> Scores:
    """Scores of heads from their token tables (float, batched): `own` is the logit of the query's own key, if seen.

    Raises InputError for exact tables (a softmax is not rational) and blocks outside the table.
    """
    if table.exact:
        raise InputError("scores of an exact table are not rational", "give a table of floats")
    logits = widen(table, table.diagonal)
    if own is not None:
        logits = table.xp.concat((logits, own[..., None]), axis=-1)
    return swaps_of(block_log_sums(table, blocks), log_sum(logits), blocks.length).averages(temperatures)


def literal_scores(
    table: LogitTable, blocks: Blocks, temperature: float, own: float | None = None
) -> tuple[float, float]:
    """Both scores of one table (numpy) as printed: each swap is made, and softmax taken anew. O(blocks^2 m) time.

    The yardstick of `table_scores`; temperatures above 0 and below infinity.
    """
    _require_inside(table, blocks)
    keys = np.arange(table.size)
    before = _block_means(table, blocks, keys, own)
    gaps, positional, symbolic = [], [], []
    for i, first in enumerate(blocks.starts):
        for j, second in enumerate(blocks.starts[:i]):
            contents = keys.copy()
            one, other = slice(first, first + blocks.length), slice(second, second + blocks.length)
            contents[one], contents[other] = keys[other], keys[one]
            after = _block_means(table, blocks, contents, own)[[i, j]]
            gaps.append(abs(before[i] - before[j]))
            positional.append(_cosine(after, before[[i, j]]))
            symbolic.append(_cosine(after, before[[j, i]]))
    alpha = np.exp((np.array(gaps) - max(gaps)) / temperature)
    alpha /= alpha.sum()
    return float(alpha @ positional), float(alpha @ symbolic)


def _block_means(table: LogitTable, blocks: Blocks, contents: Any, own: float | None) -> Any:
    logits = np.asarray(table.logits, dtype=np.float64)[contents, np.arange(table.size)]
    every = logits if own is None else np.append(logits, own)
    weights = np.exp(every - every.max())
    weights /= weights.sum()
    return np.array([weights[start : start + blocks.length].mean() for start in blocks.starts])


def _cosine(one: Any, other: Any) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def _require_inside(table: LogitTable, blocks: Blocks) -> None:
    if blocks.stop > table.size:
        raise InputError(f"a block ends at key {blocks.stop} of a table of {table.size} keys")
