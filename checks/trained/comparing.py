"""A measure of a trained model's heads, or layers, beside that of its nulls: medians, intervals, differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import nan
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Number
from headproof.checks.trained.evidence import expanded_interval, median, resamples

Array = np.ndarray[Any, Any]
Numbers = dict[str, Number]
# Numbers, and the numbers of each control by its name.
Result = tuple[Numbers, dict[str, Numbers]]
# By how much a number may differ where numpy sums or draws otherwise.
RERUN, PER_CENT = 0.002, 1.0


@dataclass(frozen=True, eq=False)
class Measured:
    """One measure of all heads: `trained` `(texts, heads)`, and each null `(seeds, texts, heads)`."""

    trained: Array
    nulls: Mapping[str, Array]
    texts: tuple[str, ...]

    def with_null(self, null: str = "shuffled") -> Measured:
        """A control: a null's first seed in the trained heads' place, against its other seeds and the other null."""
        rest = {name: values[1:] if name == null else values for name, values in self.nulls.items()}
        return Measured(self.nulls[null][0], rest, self.texts)


def typical(values: Array, chosen: Any = slice(None)) -> float:
    """Median over heads of the mean over some texts, for `(texts, heads)`; NaN of no heads."""
    return median(values[chosen].mean(axis=0))


def alone(what: str, values: Array, texts: tuple[str, ...], seed: int) -> dict[str, float]:
    """`typical` of `(texts, heads)` and its 95 % bootstrap interval over texts, by name."""
    low, high = expanded_interval(_resampled(values, texts, seed), len(texts))
    return {f"median {what}": typical(values), f"median {what}, 2.5 %": low, f"median {what}, 97.5 %": high}


def compared(what: str, of: Measured, seed: int) -> Numbers:
    """The trained median with its interval, each null's largest and least, and its differences: for each null the least
    lower and the largest upper end over its seeds; NaN of a null without seeds."""
    found = alone(what, of.trained, of.texts, seed)
    trained, count = _resampled(of.trained, of.texts, seed), len(of.texts)
    for null, values in of.nulls.items():
        medians = [typical(each) for each in values]
        found[f"largest median {what} of a seed, {null}"] = max(medians, default=nan)
        found[f"least median {what} of a seed, {null}"] = min(medians, default=nan)
        ends = [expanded_interval(trained - _resampled(each, of.texts, seed), count) for each in values]
        found[f"median {what}, trained - {null}, 2.5 %"] = min((low for low, _ in ends), default=nan)
        found[f"median {what}, trained - {null}, 97.5 %"] = max((high for _, high in ends), default=nan)
    return numbers_of(found)


def _resampled(values: Array, texts: tuple[str, ...], seed: int) -> Array:
    """`typical` of each of the resamples of texts."""
    drawn, place = _draws(len(texts), seed)
    if not values.shape[1]:
        return np.full(len(place), nan)
    found: Array = np.median(values[drawn].mean(axis=1), axis=1)[place]
    return found


@cache
def _draws(count: int, seed: int) -> tuple[Array, Array]:
    """The different resamples of `count` texts, and which of them each resample is."""
    drawn, place = np.unique(resamples(count, seed), axis=0, return_inverse=True)
    return drawn, place.reshape(-1)


def numbers_of(values: Mapping[str, float]) -> Numbers:
    """Numbers by name with the tolerance of a rerun: of percentages of heads or outputs, a few of them."""
    return {name: Number(float(value), PER_CENT if name.startswith("%") else RERUN) for name, value in values.items()}
