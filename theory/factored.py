r"""Tables that are products of two thin factors, as every rotary head's and every rotary plane's is.

A rotary head's logit of content a at position b is `k_a . e_b`: of the key `k_a` and the direction `e_b`, the query
turned back from position b. With `d` coordinates, the sums over all `m^2` entries that the analysis of variance and the
exclusion terms ask for follow from sums over the `m` keys, `O(m d^2)` instead of `O(m^2 d)`: with means `k`, `e` and
deviations `k'_a = k_a - k`, `e'_b = e_b - e`,

    M[a, b] = k.e  +  k'_a.e  +  k.e'_b  +  k'_a.e'_b
              grand   content    position   interaction

and the interaction's sum of squares is `tr(K' E')` for the `d x d` matrices `K' = sum k'_a k'_a^T`, `E'` likewise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import array_api_compat
from jaxtyping import Float

from headproof.theory.errors import InputError
from headproof.theory.exclusion import ExclusionTerms
from headproof.theory.measures import VarianceShares
from headproof.theory.table import LogitTable


@dataclass(frozen=True, eq=False)
class FactoredTable:
    """Tables `M[a, b] = contents[a] . directions[b]` in float64, batched over leading axes.

    Both arrays have shape `(*batch, m, d)`; their products are in natural-log units. Raises InputError for shapes
    that do not match and for entries that are not finite.
    """

    contents: Float[Any, "*batch key dim"]
    directions: Float[Any, "*batch key dim"]

    def __post_init__(self) -> None:
        one, other = self.contents, self.directions
        if one.shape != other.shape or one.ndim < 2 or 0 in one.shape:
            raise InputError(f"contents of shape {tuple(one.shape)} and directions of {tuple(other.shape)}")
        xp = array_api_compat.array_namespace(one, other)
        if not bool(xp.isfinite(xp.sum(one) + xp.sum(other))):
            raise InputError("contents or directions that are NaN or infinite", "check the model's weights")
        object.__setattr__(self, "contents", xp.astype(one, xp.float64, copy=False))
        object.__setattr__(self, "directions", xp.astype(other, xp.float64, copy=False))

    @property
    def xp(self) -> Any:
        """The array namespace of the factors."""
        return array_api_compat.array_namespace(self.contents)

    @property
    def dense(self) -> LogitTable:
        """The table itself, `(*batch, m, m)`."""
        return LogitTable(self.contents @ self.xp.matrix_transpose(self.directions))

    def measures(self) -> tuple[VarianceShares, ExclusionTerms]:
        """The analysis of variance and the exclusion terms, as of the dense table; O(m d^2) time, O(m d) memory.

        Every term is a sum of squares (the interaction a trace of a product of two positive matrices), formed from
        deviations from means. Keys with a common offset of s times their spread lose about s eps, for means round.
        """
        xp, m = self.xp, int(self.contents.shape[-2])
        key, direction = (xp.mean(part, axis=-2, keepdims=True) for part in (self.contents, self.directions))
        keys, directions = self.contents - key, self.directions - direction
        content, position = xp.vecdot(keys, direction), xp.vecdot(directions, key)
        interaction = xp.sum(_gram(xp, keys) * _gram(xp, directions), axis=(-2, -1))
        shares = VarianceShares(m * _squares(xp, position), m * _squares(xp, content), interaction)
        # A logit in use less its position's mean is `k'_b . e_b`, content and interaction of its own entry; less its
        # content's mean it is position and interaction. The sums of the other terms of (M_ab - lambda_b)^2 and
        # (M_ab - lambda_a)^2 vanish, for deviations add up to zero.
        own = xp.vecdot(keys, directions)
        positional = shares.content + interaction + m * _squares(xp, own + content)
        symbolic = shares.position + interaction + m * _squares(xp, own + position)
        # lambda_j less its mean, from deviations: content_j + position_j + (k'_j . e'_j less its mean).
        shift = xp.mean(own, axis=-1, keepdims=True)
        logits = content + position + own - shift
        slack = (
            m * m * shift[..., 0] ** 2
            + m * _squares(xp, content - logits / 2)
            + m * _squares(xp, position - logits / 2)
            + interaction
        )
        scale = 1 / (m * m)
        variance = _squares(xp, logits) / m
        return shares, ExclusionTerms(positional * scale, symbolic * scale, variance, 2 * slack * scale)


def _gram(xp: Any, vectors: Any) -> Any:
    return xp.matrix_transpose(vectors) @ vectors


def _squares(xp: Any, values: Any) -> Any:
    return xp.vecdot(values, values)
