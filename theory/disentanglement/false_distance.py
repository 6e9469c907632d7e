r"""What a key's logit does when the key is given a false distance (GEN; claims gen.controlled).

For one query the table `M[a, b]` holds the logit of each key content `a` at each position `b`, so a row of it is the
curve of one key over all distances, true and false. If content and position add, the curves are one curve shifted up
and down:

    M[a, b]  =  g[a]  +  f[b]  +  r[a, b],      g the content component, f the distance component.

Whether the content component *stays* and the distance component *follows* is asked of what the components were not
made from: `f` from every other key, held against the curves of the keys between them; `g` from the farther half of the
positions, held against the logits in the nearer half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxtyping import Float

from headproof.theory.disentanglement.causal_fit import ROUNDING
from headproof.theory.errors import InputError
from headproof.theory.measures import mean, ratio_of, widen
from headproof.theory.table import LogitTable


@dataclass(frozen=True, eq=False)
class Components:
    """The parts of a batch of tables, natural-log logit units, in float64.

    `content` `(*batch, m)` is each key's mean over all positions, `distance` `(*batch, m)` the mean curve less its
    mean, `interaction` `(*batch, m)` the root mean square over keys, at each position, of what the two leave.
    """

    content: Float[Any, "*batch content"]
    distance: Float[Any, "*batch position"]
    interaction: Float[Any, "*batch position"]


def components(table: LogitTable) -> Components:
    """Content, distance and interaction of each table. O(m^2). Raises InputError for exact tables."""
    if table.exact:
        raise InputError("an exact table", "components are those of float tables")
    xp, logits = table.xp, widen(table, table.logits)
    content, position = mean(table, logits), mean(table, logits, axis=-2)
    distance = position - mean(table, position)
    rest = logits - content - distance
    squares = mean(table, rest * rest, axis=-2)
    return Components(content[..., 0], distance[..., 0, :], xp.sqrt(squares[..., 0, :]))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Correlations, -1 to 1 and of shape `(*batch)`, of components with logits that they were not made from.

    `distance`: the curve of every other key, less its own mean, with the mean curve of the keys between. `content`: the
    logits at the nearer half of the positions, less each position's mean, with the keys' content at the farther half.
    NaN where one of the two does not vary.
    """

    distance: Any
    content: Any


def held_out(table: LogitTable) -> HeldOut:
    """Whether each component foretells what it was not made from. O(m^2).

    Raises InputError for exact tables and for fewer than four keys.
    """
    if table.exact or table.size < 4:
        raise InputError(
            f"a table of {table.size} keys", "components are held out of float tables of four keys or more"
        )
    logits = widen(table, table.logits)
    half = table.size // 2
    curves = _pooled(table, logits[..., 1::2, :], logits[..., 0::2, :])
    by_position = table.xp.matrix_transpose(logits)
    levels = _pooled(table, by_position[..., half:, :], by_position[..., :half, :])
    return HeldOut(curves, levels)


def _pooled(table: LogitTable, held: Any, made: Any) -> Any:
    """Correlation of all entries of `held` `(*batch, p, n)`, each row less its mean, with the mean row of `made`."""
    xp = table.xp
    shape = mean(table, made, axis=-2)
    shape = shape - mean(table, shape)
    rows = held - mean(table, held)
    count, size = int(held.shape[-2]), int(held.shape[-2]) * int(held.shape[-1])
    # Equal entries less their rounded mean leave rounding, which would correlate with itself.
    noise = size * (ROUNDING * xp.max(xp.abs(table.logits), axis=(-2, -1))) ** 2
    squares = [xp.sum(rows * rows, axis=(-2, -1)), count * xp.sum(shape * shape, axis=(-2, -1))]
    one, other = (xp.where(value > noise, value, xp.zeros_like(value)) for value in squares)
    return ratio_of(xp.sum(rows * shape, axis=(-2, -1)), xp.sqrt(one * other))
