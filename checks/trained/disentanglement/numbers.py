"""The numbers of each empirical claim about heads, and those of its controls, from the committed tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import nan
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import Measured, Numbers, Result, alone, compared, numbers_of, typical
from headproof.checks.trained.evidence import area, cube, median, over_prompts
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.disentanglement.causal_fit import CausalDesign
from headproof.theory.disentanglement.fit_claims import NOISE, NULL, PRINTED_CORRELATION
from headproof.theory.empirical import NULLS

Array = np.ndarray[Any, Any]
Tables = Mapping[str, Columns]


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
