r"""Least-squares fits of causal logits by a position part and a content part (GEN; claims gen.additive).

Over the entries that a causal matrix shows, `L[i, j]` with query position `i` and key position `j <= i`, three parts
add:

    L[i, j]  ~  a[i - j]  +  b[i]  +  c[j]
                distance     query    key

**Gauge.** Adding a constant to one part and taking it off another changes nothing, and neither does
`a[d] + s d, b[i] - s i, c[j] + s j` for any slope `s`: the sums are determined, the parts only up to three numbers.
They are fixed by: `a` has mean zero over the distances seen, `c` has mean zero and no linear trend over the keys seen,
so that `b` carries the level and `a` every trend.

**What softmax does not see.** Softmax forgets a constant in each row, so `b` is invisible, and a correlation that
counts it counts what the model cannot use. All fits are therefore made of rows less their mean (over the visible
keys): with `b` free this is the same least-squares fit, and the correlation *within rows* is
`sqrt(1 - residual / within)`.

**One factorisation for all heads.** The normal equations of `(a, c)` with `b` eliminated depend on which entries are
visible and not on the logits:

    N = D^T (1 - P) D,     P the projection onto constants in each row, D the 0/1 matrix of distances and keys,

so their inverse (on the complement of the gauge) is computed once, and each head costs sums along diagonals and
columns. By the normal equations the fit's sum of squares is `x . (D^T y)` for centred rows `y`, so no residual is
formed; a residual below some 1e-12 of the rows' own sum of squares is therefore rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np
from jaxtyping import Bool, Float

from headproof.theory.errors import InputError
from headproof.theory.measures import ratio_of

# A pivot this small beside the mean diagonal is rounding: those of a text of T tokens are about 2 / T.
SINGULAR = 1e-10
# By how much a mean of logits may be rounded, relative to the largest of them: pairwise sums of up to 2^16 numbers.
ROUNDING = 16 * float(np.finfo(np.float64).eps)
# What may stand beside the query part b[i], which every fit has.
PARTS = {"additive": (True, True), "position": (True, False), "content": (False, True)}


@dataclass(frozen=True, eq=False)
class CausalFit:
    """Sums of squares of one fit, or of several at once: shape `(*batch)` each, squared logit units.

    `total` is around the grand mean of all visible entries, `within` around each row's mean, and the three residuals
    are what is left by the fits with both parts, with `a[i - j]` alone, and with `c[j]` alone (each with `b[i]`).
    `distance` and `key` `(*batch, T)` are the parts of the additive fit in the gauge of this module, NaN for what no
    entry shows.
    """

    total: Any
    within: Any
    residual: Any
    position_residual: Any
    content_residual: Any
    distance: Float[Any, "*batch token"]
    key: Float[Any, "*batch token"]

    @property
    def correlation(self) -> Any:
        """Pearson correlation of logits and additive fit over all visible entries, as GEN prints it; 0 to 1, NaN for
        constant logits."""
        return _root_of_explained(self.residual, self.total)

    @property
    def row_correlation(self) -> Any:
        """The same of rows less their means: of what softmax sees. NaN where no row varies."""
        return _root_of_explained(self.residual, self.within)

    @property
    def position_correlation(self) -> Any:
        """Within rows, of the fit by distance alone."""
        return _root_of_explained(self.position_residual, self.within)

    @property
    def content_correlation(self) -> Any:
        """Within rows, of the fit by key alone."""
        return _root_of_explained(self.content_residual, self.within)


@dataclass(frozen=True, eq=False)
class CausalDesign:
    """The factorised normal equations for one pattern of visible entries, to be shared by all heads that see it.

    `visible` `(T, T)`: whether query `i` (row) sees key `j <= i`. `inverses` hold, for each of PARTS, the inverse of
    its normal matrix on the complement of its gauge, `(2 T, 2 T)` with distances first; zeros for what is not shown.
    """

    visible: Bool[Any, "query key"]
    inverses: dict[str, Float[Any, "both both"]]

    @classmethod
    def of(cls, visible: Any) -> CausalDesign:
        """Factorise once: O(T^3) time, O(T^2) memory.

        Raises InputError for a pattern that is not square or not causal, and for one in which a part is not determined
        up to the gauge, such as a window of one key.
        """
        seen = np.asarray(visible)
        if seen.dtype != bool or seen.ndim != 2 or seen.shape[0] != seen.shape[1]:
            raise InputError(f"visible entries are a square array of bool, got {seen.dtype} of shape {seen.shape}")
        if not seen.any():
            raise InputError("a pattern without a visible entry", "a query sees itself, or keys before it")
        if np.triu(seen, 1).any():
            raise InputError("a query sees a key after it", "visible entries are causal: key j <= query i")
        return cls(seen, {name: _inverse(seen, *parts) for name, parts in PARTS.items()})

    @property
    def length(self) -> int:
        """Number of tokens, `T`."""
        return int(self.visible.shape[0])

    def fit(self, logits: Float[Any, "*batch query key"]) -> CausalFit:
        """Fit logits `(*batch, T, T)` in float64, numpy or torch; entries that are not visible are not read.

        O(T^2) time and memory a matrix. Raises InputError for another shape or precision.
        """
        xp = array_api_compat.array_namespace(logits)
        if tuple(logits.shape[-2:]) != self.visible.shape or logits.dtype != xp.float64:
            raise InputError(
                f"logits of shape {tuple(logits.shape)} and {logits.dtype} for a pattern of {self.length} tokens",
                "give float64 of shape (..., T, T)",
            )
        seen = xp.asarray(self.visible, device=array_api_compat.device(logits))
        counts = xp.asarray(self.visible.sum(axis=1).astype(np.float64), device=array_api_compat.device(logits))
        kept = xp.where(seen, logits, xp.zeros_like(logits))
        means = xp.sum(kept, axis=-1) / xp.where(counts > 0, counts, xp.ones_like(counts))
        rows = xp.where(seen, kept - means[..., None], xp.zeros_like(kept))
        grand = xp.sum(means * counts, axis=-1, keepdims=True) / xp.sum(counts)
        # Equal entries less their rounded mean leave rounding, which would correlate with itself.
        noise = xp.sum(counts) * (ROUNDING * xp.max(xp.abs(kept), axis=(-2, -1))) ** 2
        within = _beyond(xp, xp.sum(xp.vecdot(rows, rows), axis=-1), noise)
        right = xp.concat([diagonal_sums(rows), xp.sum(rows, axis=-2)], axis=-1)
        solved = {
            name: right @ xp.asarray(inverse, device=array_api_compat.device(logits))
            for name, inverse in self.inverses.items()
        }
        residuals = {name: _beyond(xp, within - xp.vecdot(x, right), 0.0) for name, x in solved.items()}
        distance, key = self._parts(xp, solved["additive"])
        return CausalFit(
            within + _beyond(xp, xp.sum(counts * (means - grand) ** 2, axis=-1), noise),
            within,
            residuals["additive"],
            residuals["position"],
            residuals["content"],
            distance,
            key,
        )

    def _parts(self, xp: Any, solved: Any) -> tuple[Any, Any]:
        shown = np.concatenate(_shown(self.visible))
        found = xp.where(
            xp.asarray(shown, device=array_api_compat.device(solved)), solved, xp.nan * xp.ones_like(solved)
        )
        return found[..., : self.length], found[..., self.length :]


def diagonal_sums(rows: Float[Any, "*batch query key"]) -> Float[Any, "*batch token"]:
    """Sums over each distance `d = i - j >= 0`: shape `(*batch, T)`.

    The matrix, its columns reversed, is written into rows of length 2 T and read in rows of length 2 T - 1: each row is
    then shifted by one more place, and a distance is a column.
    """
    xp = array_api_compat.array_namespace(rows)
    length, batch = int(rows.shape[-1]), tuple(rows.shape[:-2])
    padded = xp.concat([xp.flip(rows, axis=-1), xp.zeros_like(rows)], axis=-1)
    flat = xp.reshape(padded, (*batch, 2 * length * length))[..., : length * (2 * length - 1)]
    sheared = xp.reshape(flat, (*batch, length, 2 * length - 1))
    return xp.sum(sheared, axis=-2)[..., length - 1 :]


def _shown(seen: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Which distances and which keys an entry shows."""
    return np.asarray(diagonal_sums(seen.astype(np.float64)) > 0), np.asarray(seen.any(axis=0))


def _inverse(seen: np.ndarray[Any, Any], position: bool, content: bool) -> np.ndarray[Any, Any]:
    length = len(seen)
    place = np.arange(length)
    by_key = seen.astype(np.float64)
    gap = place[:, None] - place
    by_distance = np.where(gap >= 0, np.take_along_axis(by_key, np.maximum(gap, 0), axis=1), 0.0)  # [i, d]: key i - d
    row = np.divide(1.0, by_key.sum(axis=1), out=np.zeros(length), where=by_key.any(axis=1))[:, None]
    distances, keys = _shown(seen)
    later = place[:, None] + place  # [d, j]: query d + j
    across = np.where(later < length, by_key[np.minimum(later, length - 1), place], 0.0)
    normal = np.block(
        [
            [
                np.diag(by_distance.sum(axis=0)) - by_distance.T @ (row * by_distance),
                across - by_distance.T @ (row * by_key),
            ],
            [across.T - by_key.T @ (row * by_distance), np.diag(by_key.sum(axis=0)) - by_key.T @ (row * by_key)],
        ]
    )
    used = np.flatnonzero(np.concatenate([distances & position, keys & content]))
    gauge = _gauge(distances, keys, position, content)[used]
    # Adding the gauge's own square makes the matrix regular, and leaves solutions in the gauge: see the module's text.
    scale = max(1.0, float(np.diag(normal)[used].mean()))
    regular = normal[np.ix_(used, used)] + scale * gauge @ gauge.T
    if not _is_regular(regular, scale):
        raise InputError(
            f"a pattern of {int(seen.sum())} visible entries on {length} tokens does not determine the parts",
            "use a longer text, or a wider window",
        )
    inverse = np.zeros((2 * length, 2 * length))
    inverse[np.ix_(used, used)] = np.linalg.inv(regular)
    return inverse


def _is_regular(matrix: np.ndarray[Any, Any], scale: float) -> bool:
    """Whether a positive semidefinite matrix has no pivot that is zero but for rounding."""
    try:
        pivots = np.diag(np.linalg.cholesky(matrix)) ** 2
    except np.linalg.LinAlgError:
        return False
    return bool(len(pivots)) and bool(pivots.min() > SINGULAR * scale)


def _gauge(distances: Any, keys: Any, position: bool, content: bool) -> np.ndarray[Any, Any]:
    """Directions, of norm 1, that are held at zero: means of both parts, and the trend of the keys where both vary."""
    length = len(keys)
    nothing = np.zeros(length)
    trend = np.where(keys, np.arange(length) - np.arange(length)[keys].mean(), 0.0)
    columns = []
    if position:
        columns.append(np.concatenate([distances.astype(float), nothing]))
    if content:
        columns.append(np.concatenate([nothing, keys.astype(float)]))
    if position and content:
        columns.append(np.concatenate([nothing, trend]))
    norms = [float(np.linalg.norm(column)) or 1.0 for column in columns]
    return np.stack([column / norm for column, norm in zip(columns, norms, strict=True)], axis=1)


def _beyond(xp: Any, values: Any, least: Any) -> Any:
    """The values above `least`, and zero for the others."""
    return xp.where(values > least, values, xp.zeros_like(values))


def _root_of_explained(residual: Any, whole: Any) -> Any:
    xp = array_api_compat.array_namespace(whole)
    explained = 1 - ratio_of(residual, whole)
    return xp.sqrt(
        xp.where(explained > 0, explained, xp.where(explained == explained, xp.zeros_like(explained), explained))
    )
