"""What a profile is evidence of: correlations and trends with permutation p-values, intervals over prompts, and
corrections for asking of hundreds of heads at once.

Every function is deterministic in its seed. A unit that is permuted or resampled is one whose members are not
independent of each other: whole prompts, whole layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from headproof.theory.errors import InputError

PERMUTATIONS = 9999
BOOTSTRAPS = 2000
Array = np.ndarray[Any, Any]


def correlation_test(one: Array, other: Array, layers: Array, seed: int) -> tuple[float, float]:
    """(r, p) of scores `(prompts, heads)` and each head's layer: r is the mean over prompts of Pearson's r over heads.

    p is two-sided, against pairing the scores of whole layers with those of other layers, and of their heads with other
    heads, the same in every prompt: heads of one layer read the same input and are not independent. The least p is
    1 / (PERMUTATIONS + 1). NaN where fewer than three heads are scored or a score does not vary.
    """
    generator = np.random.default_rng(seed)
    x, y = _standardised(one), _standardised(other)
    layers = layers[~np.isnan(one).any(axis=0)]
    if x is None or y is None:
        return float("nan"), float("nan")
    found = float(np.mean(np.sum(x * y, axis=-1)))
    # Permuting heads alike in all prompts turns the mean of dot products into entries of one heads x heads matrix.
    products = (x.T @ y) / len(x)
    heads = np.arange(products.shape[0])
    drawn = np.array([products[heads, order].sum() for order in _block_permutations(generator, layers)])
    return found, _share(drawn, found)


def _block_permutations(generator: np.random.Generator, layers: Array) -> Iterator[Array]:
    """PERMUTATIONS random orders of heads that move layers as wholes, heads within them at random.

    Layers of unequal numbers of heads follow each other in a random order, so few of their heads keep together.
    """
    names = np.unique(layers)
    members = [np.flatnonzero(layers == name) for name in names]
    if len({len(each) for each in members}) == 1:  # a call for all layers draws what a call for each would, and faster
        of_layer = np.array(members)
        for _ in range(PERMUTATIONS):
            yield generator.permuted(of_layer[generator.permutation(len(names))], axis=1).reshape(-1)
        return
    for _ in range(PERMUTATIONS):
        yield np.concatenate([generator.permutation(members[place]) for place in generator.permutation(len(names))])


def _permutations(generator: np.random.Generator, size: int) -> Array:
    """PERMUTATIONS random orders, one a row."""
    return generator.permuted(np.tile(np.arange(size), (PERMUTATIONS, 1)), axis=1)


def _share(drawn: Array, found: float) -> float:
    """Two-sided p of a statistic among drawn ones, itself counted; ties in all but rounding count as reached."""
    return float(1 + (np.abs(drawn) >= abs(found) - 1e-12).sum()) / (1 + len(drawn))


def _standardised(values: Array) -> Array | None:
    """Rows of mean 0 and norm 1; heads that are not scored in every prompt are left out."""
    kept = values[:, ~np.isnan(values).any(axis=0)]
    if kept.shape[1] < 3:
        return None
    centred = kept - kept.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    return centred / norms if bool((norms > 0).all()) else None


def depth_trend(scores: Array, layers: Array, seed: int) -> tuple[float, float]:
    """(rho, p) of a score with depth, for scores `(prompts, heads)` and each head's layer.

    rho is Spearman's correlation of layer and median score over the layer's heads (of the mean over prompts); p is
    two-sided, against permuting the layers, since heads of a layer are not independent. NaN for fewer than three
    layers.
    """
    generator = np.random.default_rng(seed)
    of_head = mean_over(scores)
    names = np.unique(layers)
    medians = np.array([median(of_head[layers == layer]) for layer in names])
    seen = ~np.isnan(medians)
    if seen.sum() < 3 or not np.ptp(medians[seen]) > 0:
        return float("nan"), float("nan")
    ranks = _standardised(stats.rankdata(medians[seen])[None])
    depth = _standardised(np.arange(seen.sum(), dtype=float)[None])
    assert ranks is not None
    assert depth is not None
    rho = float(ranks[0] @ depth[0])
    drawn = ranks[0][_permutations(generator, len(ranks[0]))] @ depth[0]
    return rho, _share(drawn, rho)


def depth_drop(scores: Array, layers: Array) -> float:
    """Median over heads of the first half of the layers less that of the second, of the mean over prompts."""
    names = np.unique(layers)
    of_head = mean_over(scores)
    early = layers < names[len(names) // 2]
    seen = ~np.isnan(of_head)
    if not (seen & early).any() or not (seen & ~early).any():
        return float("nan")
    return float(np.median(of_head[seen & early]) - np.median(of_head[seen & ~early]))


def mean_over(values: Array) -> Array:
    """Mean over the first axis of what is no NaN; NaN where nothing is."""
    seen = ~np.isnan(values)
    total = np.where(seen, values, 0).sum(axis=0)
    found: Array = np.divide(total, seen.sum(axis=0), out=np.full(total.shape, np.nan), where=seen.any(axis=0))
    return found


def median(values: Array) -> float:
    """The median of what is no NaN; NaN of nothing, without a warning."""
    seen = values[~np.isnan(values)]
    return float(np.median(seen)) if len(seen) else float("nan")


def over_prompts(statistic: Callable[[Array], float], units: Sequence[Any], seed: int) -> tuple[float, float]:
    """95 % bootstrap interval of a statistic of prompt numbers, whole units resampled with replacement.

    `units` names the unit of each prompt: prompts that share their facts or tokens are one, for they are not
    independent. The statistic must not depend on the order of the prompts: it is computed once for all resamples that
    differ in nothing else. Percentiles are expanded as for a mean of n values (Hesterberg 2015, The American
    Statistician 69, section 3.4.3: the normal quantile of `sqrt(n / (n - 1)) t`), for with few units plain percentiles
    are too narrow. NaN for fewer than three units: there is nothing to resample.
    """
    names, which = np.unique(np.asarray(units), return_inverse=True)
    count = len(names)
    if count < 3:
        return float("nan"), float("nan")
    members = [np.flatnonzero(which == unit) for unit in range(count)]
    known: dict[tuple[int, ...], float] = {}
    found = []
    for row in resamples(count, seed):
        drawn = tuple(row.tolist())
        if drawn not in known:
            known[drawn] = statistic(np.concatenate([members[unit] for unit in drawn]))
        found.append(known[drawn])
    return expanded_interval(np.array(found), count)


def resamples(count: int, seed: int) -> Array:
    """BOOTSTRAPS draws of `count` units with replacement, each in rising order: `(BOOTSTRAPS, count)`."""
    generator = np.random.default_rng(seed)
    return np.sort(generator.integers(count, size=(BOOTSTRAPS, count)), axis=1)


def expanded_interval(found: Array, count: int) -> tuple[float, float]:
    """The expanded percentiles (`over_prompts`) of a statistic's values over resamples of `count` units; NaN is left
    out, and is all there is for fewer than three units."""
    if count < 3 or np.isnan(found).all():
        return float("nan"), float("nan")
    tail = float(stats.norm.cdf(math.sqrt(count / (count - 1)) * stats.t.ppf(0.025, count - 1)))
    low, high = np.nanquantile(found, [tail, 1 - tail])
    return float(low), float(high)


def surrogate_p(own: Array, drawn: Array) -> float:
    """One-sided p of the mean of `own` `(prompts,)` among the surrogates' means, `drawn` `(prompts, surrogates)`: the
    share of those that are as low or lower, the heads themselves counted. NaN without surrogates."""
    if not drawn.size or np.isnan(own).any():
        return float("nan")
    as_low = int((drawn.mean(axis=0) <= own.mean() + 1e-12).sum())
    return (1 + as_low) / (1 + int(drawn.shape[1]))


def area(one: Array, other: Array) -> float:
    """The probability that a head of `one` exceeds a head of `other` (ties half): the area under the curve."""
    one, ordered = one[~np.isnan(one)], np.sort(other[~np.isnan(other)])
    if not len(one) or not len(ordered):
        return float("nan")
    below = np.searchsorted(ordered, one, "left") + np.searchsorted(ordered, one, "right")
    return float(below.mean() / (2 * len(ordered)))


def unit_of(prompt: str) -> str:
    """The unit of a prompt by its name: its task, its size and its seed, not what is asked of it.

    >>> unit_of("binding-48-first-s3") == unit_of("binding-48-last-s3") != unit_of("binding-48-last-s4")
    True
    """
    parts = prompt.split("-")
    return "-".join((*parts[:2], *parts[3:])) if len(parts) > 3 else prompt


def against_null(purity: Array, null: Array) -> Array:
    """Two-sided p of each head's purity against the purities of all heads of a null model; NaN stays NaN.

    p is twice the smaller share of null heads that are at least as positional, or at least as symbolic, each counted
    with the head itself.
    """
    reference = np.sort(null[~np.isnan(null)])
    if not len(reference):
        return np.full(len(purity), np.nan)
    above = len(reference) - np.searchsorted(reference, purity, "left")
    below = np.searchsorted(reference, purity, "right")
    p = np.minimum(1, 2 * (1 + np.minimum(above, below)) / (1 + len(reference)))
    return np.where(np.isnan(purity), np.nan, p)


def false_discovery(p: Array) -> Array:
    """Benjamini and Hochberg's adjusted p-values (q) over all heads asked; NaN is left out and stays NaN."""
    found = np.full(len(p), np.nan)
    asked = ~np.isnan(p)
    if asked.any():
        found[asked] = stats.false_discovery_control(p[asked], method="bh")
    return found


def holm(p: Array) -> Array:
    """Holm's adjusted p-values over one family of tests; NaN is left out and stays NaN."""
    found = np.full(len(p), np.nan)
    asked = np.flatnonzero(~np.isnan(p))
    order = asked[np.argsort(p[asked], kind="stable")]
    scaled = p[order] * np.arange(len(order), 0, -1)
    found[order] = np.minimum(1, np.maximum.accumulate(scaled)) if len(order) else scaled
    return found


def cube(columns: dict[str, Array], name: str, keys: tuple[str, ...]) -> Array:
    """A column as an array with one axis a key; NaN where a combination has no row.

    Raises InputError if two rows share a combination.
    """
    return Placing.of(columns, keys).cube(columns[name])


@dataclass(frozen=True, eq=False)
class Placing:
    """Where rows stand in an array with one axis a key, found once for all columns: each row's `places`, counted
    through the array's `shape`."""

    places: Array
    shape: tuple[int, ...]

    @classmethod
    def of(cls, columns: dict[str, Array], keys: tuple[str, ...]) -> Placing:
        """By the rows' values of the keys. Raises InputError if two rows share a combination."""
        axes = [np.unique(columns[key], return_inverse=True) for key in keys]
        shape = tuple(len(values) for values, _ in axes)
        places = np.ravel_multi_index(tuple(index for _, index in axes), shape)
        if np.bincount(places, minlength=1).max() > 1:
            raise InputError(f"two rows of a profile share one {', '.join(keys)}")
        return cls(places, shape)

    def cube(self, values: Array) -> Array:
        """A column as that array; NaN where a combination has no row."""
        made = np.full(math.prod(self.shape), np.nan)
        made[self.places] = values
        return made.reshape(self.shape)
