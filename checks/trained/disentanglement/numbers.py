"""The numbers of each empirical claim about heads, and those of its controls, from the committed tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from math import nan
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Number
from headproof.checks.trained.evidence import area, cube, expanded_interval, median, over_prompts, resamples
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.disentanglement.causal_fit import CausalDesign
from headproof.theory.disentanglement.fit_claims import NOISE, NULL, PRINTED_CORRELATION
from headproof.theory.empirical import NULLS

Array = np.ndarray[Any, Any]
Numbers = dict[str, Number]
Tables = Mapping[str, Columns]
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


def measured(columns: Columns, value: Callable[[Columns], Array], **at: Any) -> Measured:
    """A measure made of the columns of each row, mean over the queries of a text."""
    held = rows(columns, **at) if at else columns
    found = np.asarray(value(held), dtype=float)
    if "bound" in held:  # a head whose planes do not turn has no interaction to speak of
        found = np.where(held["bound"] > 0, found, np.nan)
    held = {**held, "value": found}
    keys = ["null_seed", "text", *(["asked"] if "asked" in held else []), "layer", "head"]

    def of(group: str) -> Array:
        values = cube(rows(held, group=group), "value", tuple(keys))
        if "asked" in held:
            values = values.mean(axis=2)
        return values.reshape(*values.shape[:2], -1)

    trained, nulls = of("trained")[0], {null: of(null) for null in NULLS}
    # A head without a value somewhere is left out everywhere, so that all medians are over the same heads.
    kept = ~np.isnan(trained).any(axis=0)
    for values in nulls.values():
        kept &= ~np.isnan(values).any(axis=(0, 1))
    texts = tuple(str(text) for text in np.unique(held["text"]))
    return Measured(trained[:, kept], {null: values[..., kept] for null, values in nulls.items()}, texts)


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
    for null, values in of.nulls.items():
        medians = [typical(each) for each in values]
        found[f"largest median {what} of a seed, {null}"] = max(medians, default=nan)
        found[f"least median {what} of a seed, {null}"] = min(medians, default=nan)
        ends = [_apart(of.trained, each, of.texts, seed) for each in values]
        found[f"median {what}, trained - {null}, 2.5 %"] = min((low for low, _ in ends), default=nan)
        found[f"median {what}, trained - {null}, 97.5 %"] = max((high for _, high in ends), default=nan)
    return numbers_of(found)


def _apart(one: Array, other: Array, texts: tuple[str, ...], seed: int) -> tuple[float, float]:
    return expanded_interval(_resampled(one, texts, seed) - _resampled(other, texts, seed), len(texts))


def _resampled(values: Array, texts: tuple[str, ...], seed: int) -> Array:
    """`typical` of each of the resamples of texts."""
    drawn, place = np.unique(resamples(len(texts), seed), axis=0, return_inverse=True)
    if not values.shape[1]:
        return np.full(len(place), nan)
    found: Array = np.median(values[drawn].mean(axis=1), axis=1)[place.reshape(-1)]
    return found


def numbers_of(values: Mapping[str, float]) -> Numbers:
    """Numbers by name with the tolerance of a rerun: of percentages of heads or outputs, a few of them."""
    return {name: Number(float(value), PER_CENT if name.startswith("%") else RERUN) for name, value in values.items()}


def _column(name: str) -> Callable[[Columns], Array]:
    return lambda columns: columns[name]


# -- fits ----------------------------------------------------------------------------------------------------------

_OF = {
    "r": ("fits", _column("correlation")),
    "row r": ("fits", _column("row_correlation")),
    "centred row r": ("fits", _column("centred_row_correlation")),
    "two-axis r": ("queries", lambda columns: np.sqrt(np.maximum(1 - columns["interaction_share"], 0))),
    "distance r": ("queries", _column("distance_held_out")),
    "content r": ("queries", _column("content_held_out")),
}


def _of(tables: Tables, what: str) -> Measured:
    table, value = _OF[what]
    return measured(tables[table], value)


def _fit(what: str, extra: tuple[str, ...], noise: bool, tables: Tables, seed: int) -> Result:
    of = _of(tables, what)
    numbers = compared(what, of, seed)
    for name in extra:
        numbers |= numbers_of({f"median {name}": typical(measured(tables["fits"], _column(name)).trained)})
    controls = {NULL: compared(what, of.with_null(), seed)}
    if noise:
        made = _noisy(seed)["correlation" if what == "r" else "row_correlation"]
        controls[NOISE] = numbers | numbers_of(alone(what, made, tuple(map(str, range(len(made)))), seed))
    return numbers, controls


def _everywhere(tables: Tables, seed: int) -> Result:
    of = _of(tables, "r")

    def share(values: Array) -> Numbers:
        heads = values.mean(axis=0)
        found = {"% of heads at 0.95": 100 * np.mean(heads >= PRINTED_CORRELATION), "least r": np.min(heads)}
        return numbers_of({**found, "largest r": np.max(heads)})

    numbers = share(of.trained)
    for null in NULLS:
        numbers |= {f"{name}, {null}": number for name, number in share(of.nulls[null][0]).items()}
    return numbers, {NULL: share(of.nulls["shuffled"][0]), NOISE: share(_noisy(seed)["correlation"])}


@cache
def _noisy(seed: int) -> dict[str, Array]:
    """Fits of logits that are additive but for noise of a fifth of their spread: `(texts, heads)` of 8 and 20."""
    generator = np.random.default_rng(seed)
    length = 64
    place = np.arange(length)
    gap = np.maximum(place[:, None] - place, 0)
    a, b, c = (generator.normal(size=(8, 20, length)) for _ in range(3))
    logits = a[..., gap] + b[..., :, None] + c[..., None, :]
    logits += 0.2 * np.sqrt(2) * generator.normal(size=logits.shape)
    fit = CausalDesign.of(gap == place[:, None] - place).fit(logits)
    return {"correlation": fit.correlation, "row_correlation": fit.row_correlation}


# Statistics that might tell a trained head from a random one; the first is claimed.
_STATISTICS: Mapping[str, Callable[[Columns], Array]] = {
    "gain": lambda columns: columns["row_correlation"] - columns["centred_row_correlation"],
    "r": _column("correlation"),
    "row r": _column("row_correlation"),
    "centred row r": _column("centred_row_correlation"),
    "position r": _column("position_correlation"),
    "content r": _column("content_correlation"),
    "spread": _column("spread"),
    "additive spread": lambda columns: columns["row_correlation"] * columns["spread"],
}


def _tells(tables: Tables, seed: int) -> Result:
    numbers: Numbers = {}
    for what, value in _STATISTICS.items():
        of = measured(tables["fits"], value)
        for null in NULLS:
            least = min(area(of.trained.mean(axis=0), each.mean(axis=0)) for each in of.nulls[null])
            numbers |= numbers_of({f"AUC {what}, least of a seed, {null}": least})
    of = measured(tables["fits"], _STATISTICS["gain"])
    return numbers | _areas(of, seed), {NULL: numbers | _areas(of.with_null(), seed)}


def _area_of(one: Array, other: Array, chosen: Any) -> float:
    return area(one[chosen].mean(axis=0), other[chosen].mean(axis=0))


def _areas(of: Measured, seed: int) -> Numbers:
    found = {}
    for null, values in of.nulls.items():
        ends = [over_prompts(partial(_area_of, of.trained, each), of.texts, seed) for each in values]
        found[f"AUC gain, least of a seed, {null}, 2.5 %"] = min((low for low, _ in ends), default=nan)
    return numbers_of(found)


# -- planes --------------------------------------------------------------------------------------------------------


def _bound(tables: Tables, seed: int) -> Result:
    queries = tables["queries"]
    found: dict[str, float] = {}
    for group in ("trained", *NULLS):
        mine = rows(queries, group=group)
        found |= {f"tightness, {level} %, {group}": median(mine[f"tightness_{level}"]) for level in (5, 50, 95)}
        with np.errstate(invalid="ignore", divide="ignore"):
            found[f"root mean square over its bound, {group}"] = median(mine["interaction"] / mine["bound"])
    ratios = queries["tightness_proven"]
    largest = float(np.max(ratios[~np.isnan(ratios)])) if not np.isnan(ratios).all() else nan
    numbers = numbers_of(found)
    return (
        numbers | numbers_of({"largest ratio": largest}),
        {"bound halved": numbers | numbers_of({"largest ratio": 2 * largest})},
    )


def _pattern(what: str, tables: Tables, seed: int) -> Result:
    asked = float(np.max(tables["queries"]["asked"]))
    of = measured(tables["queries"], _column(what.replace("-", "_")), asked=asked)
    return compared(what, of, seed), {NULL: compared(what, of.with_null("fresh"), seed)}


def _growth(columns: Columns) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        grown: Array = np.log2(columns["interaction_share_reordered"] / columns["interaction_share"])
    return grown


def _matters(tables: Tables, seed: int) -> Result:
    of = measured(tables["queries"], _growth)
    return compared("growth", of, seed), {NULL: compared("growth", of.with_null("fresh"), seed)}


ON_HEADS: Mapping[str, Callable[[Tables, int], Result]] = {
    "additive.reached": partial(
        _fit, "r", ("correlation_without_first", "position_correlation", "content_correlation"), True
    ),
    "additive.everywhere": _everywhere,
    "additive.random-lacks": partial(_fit, "r", (), False),
    "additive.within-rows": partial(_fit, "row r", ("row_correlation_without_first",), True),
    "additive.single-query": partial(_fit, "two-axis r", (), False),
    "additive.single-query-random-lacks": partial(_fit, "two-axis r", (), False),
    "additive.beyond-means": partial(_fit, "centred row r", (), False),
    "additive.means-tell": _tells,
    "controlled.distance": partial(_fit, "distance r", (), False),
    "controlled.content": partial(_fit, "content r", (), False),
    "thm2.bound-on-heads": _bound,
    "thm2.pattern": partial(_pattern, "pattern"),
    "thm2.pattern-relative": partial(_pattern, "pattern-relative"),
    "thm2.pattern-matters": _matters,
}
