"""The numbers of each empirical claim about the planes of real heads, and those of its controls, from their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import stats

from headproof.checks.trained.comparing import Measured, Numbers, Result, compared, numbers_of, typical
from headproof.checks.trained.evidence import Placing, median
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
        if name not in self._made:
            self._made[name] = self._placing.cube(self.columns[name])
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, Array]:
        return {}

    @cached_property
    def _placing(self) -> Placing:
        return Placing.of(self.columns, KEYS)

    def at_most(self, by: str, name: str) -> Array:
        """A column at each head's plane of the largest `by`, mean over texts: (seeds, texts, heads).

        NaN for heads no plane of which has a value of `by` in all texts.
        """
        chosen, unknown = self._most(by)
        found = np.where(unknown, np.nan, self[name])
        return _heads(np.take_along_axis(found, np.broadcast_to(chosen, (*found.shape[:-1], 1)), axis=-1)[..., 0])

    def at_most_positional(self, name: str) -> Array:
        """A column at each head's plane of the largest position share."""
        return self.at_most("position_share", name)

    def largest(self, name: str) -> Array:
        """The largest of a column over a head's planes in each text: (seeds, texts, heads)."""
        values = self[name]
        found = np.where(np.isnan(values), -1, values).max(axis=-1)
        return _heads(np.where(np.isnan(values).all(axis=-1), np.nan, found))

    def others(self, name: str) -> Array:
        """The median of a column over a head's planes, all but the most positional one: (seeds, texts, heads)."""
        chosen, unknown = self._most("position_share")
        values = self[name]
        others = np.where(np.arange(values.shape[-1]) == chosen, np.nan, values)
        empty = np.isnan(others).all(axis=-1, keepdims=True)
        found = np.nanmedian(np.where(empty, 0, others), axis=-1, keepdims=True)
        return _heads(np.where(empty | unknown, np.nan, found)[..., 0])

    def _most(self, by: str) -> tuple[Array, Array]:
        """The plane (seeds, 1, layers, heads, 1), and where there is none."""
        values = self[by].mean(axis=1, keepdims=True)
        unknown = np.isnan(values).all(axis=-1, keepdims=True)
        return np.where(np.isnan(values), -1, values).argmax(axis=-1, keepdims=True), unknown

    def correlation(self, name: str, other: str = "position_share", dealt: int | None = None) -> Array:
        """Spearman's correlation of two columns over the planes of all heads of a layer: (seeds, texts, layers). With
        the seed `dealt` the other column is dealt to the layer's planes at random."""
        values, others = (each.reshape(*each.shape[:3], -1) for each in (self[name], self[other]))
        generator = None if dealt is None else np.random.default_rng(dealt)
        known = ~np.isnan(values) & ~np.isnan(others)
        # Ranked together, which is much faster than each layer by itself; what is not known comes last.
        own, across = (stats.rankdata(np.where(known, each, np.inf), axis=-1) for each in (values, others))
        found = np.empty(values.shape[:3])
        for place in np.ndindex(found.shape):
            ranks = across[place][known[place]]
            if generator is not None:
                ranks = generator.permutation(ranks)
            found[place] = pearson(own[place][known[place]], ranks)
        return found

    def at_one_frequency(self) -> Array:
        """The partial rank correlation of key resultant and position share given the frequency: (seeds, texts,
        layers); NaN where one follows the frequency without exception."""
        both, keys = self.correlation("key_resultant"), self.correlation("key_resultant", "frequency")
        shares = self.correlation("position_share", "frequency")
        rest = np.sqrt(np.maximum((1 - keys**2) * (1 - shares**2), 0))
        return np.asarray(np.divide(both - keys * shares, rest, out=np.full(both.shape, np.nan), where=rest > 0))


def _heads(values: Array) -> Array:
    """(seeds, texts, layers, heads) with all heads on one axis."""
    return values.reshape(*values.shape[:2], -1)


@dataclass(frozen=True, eq=False)
class Geometry:
    """The planes of a trained model and of its nulls, from the columns of one table."""

    columns: Columns

    @cached_property
    def groups(self) -> dict[str, Planes]:
        """The planes of each group; arrays are made once and kept."""
        return {group: Planes(rows(self.columns, group=group)) for group in ("trained", *NULLS)}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts by name."""
        return tuple(map(str, np.unique(self.columns["text"])))


def _measured(of_model: Geometry, measure: Measure) -> Measured:
    """A measure of all groups; a unit without a value somewhere is left out everywhere."""
    found = {name: measure(planes) for name, planes in of_model.groups.items()}
    kept = np.all([~np.isnan(values).any(axis=(0, 1)) for values in found.values()], axis=0)
    return Measured(found["trained"][0][:, kept], {null: found[null][..., kept] for null in NULLS}, of_model.texts)


def _trained(of_model: Geometry, measure: Measure) -> Array:
    """The trained model's values of a measure, mean over texts: (units,)."""
    return _mean_of(measure(of_model.groups["trained"]))


def _mean_of(values: Array) -> Array:
    """The first seed's values (units,), mean over texts, of (seeds, texts, units)."""
    return np.asarray(values[0].mean(axis=0))


def _nulls(what: str, of: Measured, seed: int) -> dict[str, Numbers]:
    return {AS_TRAINED[null]: compared(what, of.with_null(null), seed) for null in NULLS}


def _share_at(values: Array, least: float) -> float:
    """Per cent of the units with a value that reach `least`."""
    known = values[~np.isnan(values)]
    return float(100 * (known >= least).mean()) if len(known) else float("nan")


def _gathered(of_model: Geometry, seed: int) -> Result:
    of = _measured(of_model, lambda planes: planes.at_most_positional("key_resultant"))
    numbers = compared("key resultant", of, seed)
    beside = {
        f"median {name.replace('_', ' ')} of the plane": median(
            _trained(of_model, partial(Planes.at_most_positional, name=name))
        )
        for name in ("position_share", "query_resultant", "key_share", "power", "seen_power", "frequency")
    }
    shares = _trained(of_model, lambda planes: planes.at_most_positional("position_share"))
    keys = _trained(of_model, lambda planes: planes.at_most_positional("key_resultant"))
    beside["% of heads with a strongly positional plane"] = _share_at(shares, HALF)
    beside["% of those whose keys gather there"] = _share_at(keys[shares >= HALF], GATHERED)
    beside["median key resultant of strongly positional planes"] = _of_strong(of_model)
    beside["median key resultant of the other planes"] = median(
        _trained(of_model, lambda planes: planes.others("key_resultant"))
    )
    for null, values in _measured(of_model, lambda planes: planes.at_most_positional("position_share")).nulls.items():
        beside[f"median position share of the plane, {null}"] = typical(values[0])
    return numbers | numbers_of(beside), _nulls("key resultant", of, seed)


def _of_strong(of_model: Geometry) -> float:
    """Median over all strongly positional planes of the trained model of their key resultant, means over texts."""
    planes = of_model.groups["trained"]
    share, keys = (planes[name][0].mean(axis=0) for name in ("position_share", "key_resultant"))
    return median(keys[share >= HALF])


def _together(of_model: Geometry, seed: int) -> Result:
    of = _measured(of_model, lambda planes: planes.correlation("key_resultant"))
    numbers = compared("rho", of, seed)
    for name in ("query_resultant", "frequency"):
        rho = median(_trained(of_model, partial(Planes.correlation, name=name)))
        numbers |= numbers_of({f"median rho of {name.replace('_', ' ')}": rho})
    numbers |= numbers_of({"median rho at one frequency": median(_trained(of_model, Planes.at_one_frequency))})
    dealt = of_model.groups["trained"].correlation("key_resultant", dealt=seed)[0]
    deal = Measured(dealt[:, ~np.isnan(dealt).any(axis=0)], of.nulls, of.texts)
    return numbers, {**_nulls("rho", of, seed), DEALT: compared("rho", deal, seed)}


def _dominant(of_model: Geometry, seed: int) -> Result:
    of = _measured(of_model, lambda planes: planes.largest("power"))
    numbers = compared("largest power", of, seed)
    planes = of_model.groups["trained"]
    power = planes["power"]
    several = _heads(1 / np.where(np.isnan(power), 0, power**2).sum(axis=-1).clip(1e-9))
    seen = _mean_of(planes.largest("seen_power"))
    beside = {
        "% of heads with a dominant plane": _share_at(of.trained.mean(axis=0), HALF),
        "% of heads with a plane dominant to softmax": _share_at(seen, HALF),
        "median largest power that softmax sees": median(seen),
        "median number of planes, 1 over the sum of squared powers": median(_mean_of(several)),
    }
    for name in ("position_share", "key_resultant", "query_resultant", "frequency"):
        at = median(_mean_of(planes.at_most("power", name)))
        beside[f"median {name.replace('_', ' ')} of the plane of most power"] = at
    return numbers | numbers_of(beside), _nulls("largest power", of, seed)


MEASURES: Mapping[str, Callable[[Geometry, int], Result]] = {
    "gathered": _gathered,
    "positional-gather": _together,
    "dominant": _dominant,
}
