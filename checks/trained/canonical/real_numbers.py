"""The numbers of each empirical claim about the planes of real heads, and those of its controls, from their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from headproof.checks.trained.disentanglement.numbers import Measured, Numbers, Result, compared, numbers_of, typical
from headproof.checks.trained.evidence import cube, median
from headproof.checks.trained.pairing import pearson
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.canonical.geometry_claims import DEALT, FRESH, GATHERED, HALF, SHUFFLED
from headproof.theory.empirical import NULLS

Array = np.ndarray[Any, Any]
# What a measure makes of the planes of one group: an array (seeds, texts, units), units being heads or layers.
Measure = Callable[["Planes"], Array]
KEYS = ("null_seed", "text", "layer", "head", "plane")
AS_TRAINED = {"fresh": FRESH, "shuffled": SHUFFLED}


@dataclass(frozen=True, eq=False)
class Planes:
    """The columns of one group as arrays (seeds, texts, layers, heads, planes); NaN where a layer has fewer planes."""

    columns: Columns

    def __getitem__(self, name: str) -> Array:
        return cube(self.columns, name, KEYS)

    def at_most_positional(self, name: str) -> Array:
        """A column at each head's plane of the largest position share, mean over texts: (seeds, texts, heads).

        NaN for heads no plane of which has a position share.
        """
        share = self["position_share"].mean(axis=1, keepdims=True)
        chosen = np.where(np.isnan(share), -1, share).argmax(axis=-1, keepdims=True)
        found = np.where(np.isnan(share).all(axis=-1, keepdims=True), np.nan, self[name])
        chosen = np.broadcast_to(chosen, (*found.shape[:-1], 1))
        return _heads(np.take_along_axis(found, chosen, axis=-1)[..., 0])

    def largest(self, name: str) -> Array:
        """The largest of a column over a head's planes in each text: (seeds, texts, heads)."""
        values = self[name]
        found = np.where(np.isnan(values), -1, values).max(axis=-1)
        return _heads(np.where(np.isnan(values).all(axis=-1), np.nan, found))

    def others(self, name: str) -> Array:
        """The median of a column over a head's planes, all but the most positional one: (seeds, texts, heads)."""
        share = self["position_share"].mean(axis=1, keepdims=True)
        chosen = np.where(np.isnan(share), -1, share).argmax(axis=-1, keepdims=True)
        other = np.arange(share.shape[-1]) != chosen
        values = np.where(other, self[name], np.nan)
        values = np.where(np.isnan(values).all(axis=-1, keepdims=True), -1, values)
        found = np.nanmedian(values, axis=-1)
        return _heads(np.where(found < 0, np.nan, found))

    def correlation(self, name: str, dealt: int | None = None) -> Array:
        """Spearman's correlation of a column and the position share over the planes of all heads of a layer:
        (seeds, texts, layers). With the seed `dealt` position shares are dealt to the layer's planes at random."""
        values, shares = (each.reshape(*each.shape[:3], -1) for each in (self[name], self["position_share"]))
        generator = None if dealt is None else np.random.default_rng(dealt)
        found = np.empty(values.shape[:3])
        for place in np.ndindex(found.shape):
            known = ~np.isnan(values[place]) & ~np.isnan(shares[place])
            one, other = values[place][known], shares[place][known]
            if generator is not None:
                other = generator.permutation(other)
            found[place] = pearson(stats.rankdata(one), stats.rankdata(other))
        return found


def _heads(values: Array) -> Array:
    """(seeds, texts, layers, heads) with all heads on one axis."""
    return values.reshape(*values.shape[:2], -1)


def _groups(columns: Columns) -> dict[str, Planes]:
    return {group: Planes(rows(columns, group=group)) for group in ("trained", *NULLS)}


def _measured(columns: Columns, measure: Measure) -> Measured:
    """A measure of all groups; a unit without a value somewhere is left out everywhere."""
    found = {name: measure(planes) for name, planes in _groups(columns).items()}
    kept = np.all([~np.isnan(values).any(axis=(0, 1)) for values in found.values()], axis=0)
    texts = tuple(str(text) for text in np.unique(columns["text"]))
    return Measured(found["trained"][0][:, kept], {null: found[null][..., kept] for null in NULLS}, texts)


def _trained(columns: Columns, measure: Measure) -> Array:
    """The trained model's values of a measure, mean over texts: (units,)."""
    return np.asarray(measure(_groups(columns)["trained"])[0].mean(axis=0))


def _nulls(what: str, of: Measured, seed: int) -> dict[str, Numbers]:
    return {AS_TRAINED[null]: compared(what, of.with_null(null), seed) for null in NULLS}


def _share_at(values: Array, least: float) -> float:
    """Per cent of the units with a value that reach `least`."""
    known = values[~np.isnan(values)]
    return float(100 * (known >= least).mean()) if len(known) else float("nan")


def _gathered(columns: Columns, seed: int) -> Result:
    of = _measured(columns, lambda planes: planes.at_most_positional("key_resultant"))
    numbers = compared("key resultant", of, seed)
    beside = {
        f"median {name.replace('_', ' ')} of the plane": median(
            _trained(columns, partial(Planes.at_most_positional, name=name))
        )
        for name in ("position_share", "query_resultant", "key_share", "power", "seen_power", "frequency")
    }
    shares = _trained(columns, lambda planes: planes.at_most_positional("position_share"))
    keys = _trained(columns, lambda planes: planes.at_most_positional("key_resultant"))
    beside["% of heads with a strongly positional plane"] = _share_at(shares, HALF)
    beside["% of those whose keys gather there"] = _share_at(keys[shares >= HALF], GATHERED)
    beside["median key resultant of strongly positional planes"] = _of_strong(columns)
    beside["median key resultant of the other planes"] = median(
        _trained(columns, lambda planes: planes.others("key_resultant"))
    )
    for null, values in _measured(columns, lambda planes: planes.at_most_positional("position_share")).nulls.items():
        beside[f"median position share of the plane, {null}"] = typical(values[0])
    return numbers | numbers_of(beside), _nulls("key resultant", of, seed)


def _of_strong(columns: Columns) -> float:
    """Median over all strongly positional planes of the trained model of their key resultant, means over texts."""
    planes = _groups(columns)["trained"]
    share, keys = (planes[name][0].mean(axis=0) for name in ("position_share", "key_resultant"))
    return median(keys[share >= HALF])


def _together(columns: Columns, seed: int) -> Result:
    of = _measured(columns, lambda planes: planes.correlation("key_resultant"))
    numbers = compared("rho", of, seed)
    for name in ("query_resultant", "frequency"):
        rho = median(_trained(columns, partial(Planes.correlation, name=name)))
        numbers |= numbers_of({f"median rho of {name.replace('_', ' ')}": rho})
    dealt = _groups(columns)["trained"].correlation("key_resultant", seed)[0]
    deal = Measured(dealt[:, ~np.isnan(dealt).any(axis=0)], of.nulls, of.texts)
    return numbers, {**_nulls("rho", of, seed), DEALT: compared("rho", deal, seed)}


def _dominant(columns: Columns, seed: int) -> Result:
    of = _measured(columns, lambda planes: planes.largest("power"))
    numbers = compared("largest power", of, seed)
    planes = _groups(columns)["trained"]
    power = planes["power"]
    several = _heads(1 / np.where(np.isnan(power), 0, power**2).sum(axis=-1).clip(1e-9))[0].mean(axis=0)
    seen = planes.largest("seen_power")[0].mean(axis=0)
    beside = {
        "% of heads with a dominant plane": _share_at(of.trained.mean(axis=0), HALF),
        "% of heads with a plane dominant to softmax": _share_at(seen, HALF),
        "median largest power that softmax sees": median(seen),
        "median number of planes, 1 over the sum of squared powers": median(several),
    }
    return numbers | numbers_of(beside), _nulls("largest power", of, seed)


MEASURES: Mapping[str, Callable[[Columns, int], Result]] = {
    "gathered": _gathered,
    "positional-gather": _together,
    "dominant": _dominant,
}
