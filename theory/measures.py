"""Measures on any logit table: its variance and its two-way analysis of variance.

All are pure functions of the table, batched over leading axes, and accumulate in float64 whatever the table's
own precision, so a float32 table gives what its exact float64 copy gives. Exact tables stay exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import array_api_compat
import numpy as np
from jaxtyping import Shaped

from headproof.theory.errors import InputError
from headproof.theory.table import LogitTable, row_blocks

# One number for each table of a batch: an array of shape (*batch). For a single exact table, the number itself.
PerTable: TypeAlias = Any


def widen(table: LogitTable, values: Any) -> Any:
    """`values` in float64; exact values as they are."""
    return values if table.exact else table.xp.astype(values, table.xp.float64)


def sum_of_squares(table: LogitTable, values: Shaped[Any, "*batch row column"]) -> Any:
    """Sum of squares over the last two axes."""
    if table.exact:
        return (values * values).sum(axis=(-2, -1))
    return table.xp.sum(table.xp.vecdot(values, values), axis=-1)


def mean(table: LogitTable, values: Any, axis: int = -1) -> Any:
    """Mean along one axis, which stays as an axis of length one; exact for exact tables."""
    if table.exact:
        return values.sum(axis=axis, keepdims=True) * Fraction(1, int(values.shape[axis]))
    return table.xp.mean(values, axis=axis, keepdims=True)


def ratio_of(part: Any, whole: Any) -> Any:
    """`part / whole`; where the whole is zero NaN (floating arrays and scalars) or None (one exact number)."""
    if not array_api_compat.is_array_api_obj(whole):
        return part / whole if whole != 0 else None
    if whole.dtype == object:
        return np.vectorize(ratio_of, otypes=[object])(part, whole)
    xp = array_api_compat.array_namespace(whole)
    zero = whole == 0
    return xp.where(zero, xp.nan, part / xp.where(zero, xp.ones_like(whole), whole))


def require_no_overflow(table: LogitTable, values: PerTable) -> None:
    """Raise InputError if a sum of squares has left the range of float64."""
    if not table.exact and not bool(table.xp.all(table.xp.isfinite(values))):
        raise InputError(
            "logits so far apart that their squares overflow float64", "divide the table by a power of two first"
        )


def logit_variance(table: LogitTable) -> PerTable:
    """`Var(lambda) = (1/m) sum_j (lambda_j - mu)^2` of the logits in use (DEC, theorem 1); squared logit units.

    Differences to the first logit are taken before the mean, so an offset common to all logits costs no digits.
    Raises InputError if the squares overflow float64.
    """
    logits = widen(table, table.diagonal)
    with np.errstate(over="ignore", invalid="ignore"):
        shifted = logits - logits[..., :1]
        centred = shifted - mean(table, shifted)
        variance = mean(table, centred * centred)[..., 0][()]
    require_no_overflow(table, variance)
    return variance


@dataclass(frozen=True, eq=False)
class VarianceShares:
    """Two-way analysis of variance `M[a, b] = grand + content_a + position_b + interaction_ab`.

    The three fields are sums of squares over all `m^2` entries (squared logit units, shape `(*batch)`); they add
    up to the total sum of squares around the grand mean.
    """

    position: PerTable
    content: PerTable
    interaction: PerTable

    @property
    def total(self) -> Any:
        """The sum of squares of all entries around their grand mean."""
        return self.position + self.content + self.interaction

    @property
    def shares(self) -> tuple[Any, Any, Any]:
        """(position, content, interaction) as fractions of the total.

        A constant table has no variance to share: NaN for floats, None for an exact table.
        """
        total = self.total
        return ratio_of(self.position, total), ratio_of(self.content, total), ratio_of(self.interaction, total)


def analysis_of_variance(table: LogitTable) -> VarianceShares:
    """Position, content and interaction sums of squares of a table. O(m^2) time, O(m) memory on top.

    Raises InputError if the squares overflow float64.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        shares = _sums_of_squares(table)
    require_no_overflow(table, shares.total)
    return shares


def _sums_of_squares(table: LogitTable) -> VarianceShares:
    xp, m = table.xp, table.size
    first = widen(table, table.logits[..., :1, :1])
    content_means, position_sum = [], 0
    for rows in row_blocks(table):
        block = widen(table, table.logits[..., rows, :]) - first
        content_means.append(mean(table, block)[..., 0])
        position_sum = position_sum + block.sum(axis=-2)
    content = xp.concat(content_means, axis=-1) if len(content_means) > 1 else content_means[0]
    position = position_sum * (Fraction(1, m) if table.exact else 1 / m)
    grand = mean(table, content)
    content, position = content - grand, position - grand
    interaction: Any = 0
    for rows in row_blocks(table):
        block = widen(table, table.logits[..., rows, :]) - first - grand[..., None]
        residual = block - content[..., rows, None] - position[..., None, :]
        interaction = interaction + sum_of_squares(table, residual)
    return VarianceShares(
        position=m * (position * position).sum(axis=-1),
        content=m * (content * content).sum(axis=-1),
        interaction=interaction,
    )
