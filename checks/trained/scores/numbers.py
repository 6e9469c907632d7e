"""The numbers of each empirical claim about scores, and those of its controls, from the committed tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Number
from headproof.checks.trained.evidence import (
    correlation_test,
    cube,
    depth_drop,
    depth_trend,
    mean_over,
    median,
    over_prompts,
    surrogate_p,
)
from headproof.checks.trained.pairing import pearson
from headproof.checks.trained.rows import Columns, own_and_drawn, rows, scores_of, units_of
from headproof.checks.trained.scores import measurement
from headproof.checks.trained.scores.worlds import WORLDS, world
from headproof.theory.scores.empirical_claims import NULLS
from headproof.theory.scores.reading import agreements

# By how much a number may differ where numpy draws or sums otherwise.
RERUN, RERUN_P = 0.002, 0.01
ORDERS = 20
TAU = measurement.TEMPERATURES[0]
FACTS_256, FACTS_48 = "binding-256", "binding-48"
BANDS = {"low-frequency": (4096.0, np.inf), "high-frequency": (8.0, 128.0), "highest-frequency": (0.0, 8.0)}

Numbers = dict[str, Number]
# Numbers, and the numbers of each control by its name.
Result = tuple[Numbers, dict[str, Numbers]]


# -- correlations --------------------------------------------------------------------------------------------------


def _correlation(columns: Mapping[str, Columns], seed: int) -> Result:
    heads = columns["heads"]
    found: Numbers = {}
    controls: dict[str, Numbers] = {}
    for prefix, task in (("", FACTS_256), ("48 facts: ", FACTS_48), ("induction: ", "induction")):
        mine = rows(_of_task(heads, task), group="trained", temperature=TAU)
        (positional, layers), (symbolic, _) = (scores_of(mine, name) for name in ("positional", "symbolic"))
        found |= {f"{prefix}{name}": number for name, number in _r(positional, symbolic, layers, mine, seed).items()}
        if prefix:
            continue
        squares = positional**2 + symbolic**2
        found["% of heads inside the circle"] = Number(100 * float(np.nanmean(squares < 1)), 100 * RERUN)
        pairs = rows(_of_task(columns["correlations"], task), temperature=TAU, surrogate=-1)
        for null in NULLS:
            each = cube(rows(pairs, group=null), "r", ("null_seed", "prompt")).mean(axis=1)
            found[f"least r of a seed, {null}"] = Number(float(each.min()), RERUN)
        order = np.random.default_rng(seed).permutation(positional.shape[1])
        controls["heads paired at random"] = found | _r(positional, symbolic[:, order], layers, mine, seed)
        of_null = rows(_of_task(heads, task), group="shuffled", null_seed=0, temperature=TAU)
        both = [scores_of(of_null, name)[0] for name in ("positional", "symbolic")]
        controls["a null for the trained heads"] = found | _r(both[0], both[1], layers, of_null, seed)
    return found, controls


def _r(positional: Any, symbolic: Any, layers: Any, mine: Columns, seed: int) -> Numbers:
    r, p = correlation_test(positional, symbolic, layers, seed)
    seen = ~np.isnan(positional).any(axis=0)
    each = np.array([pearson(*pair) for pair in zip(positional[:, seen], symbolic[:, seen], strict=True)])
    low, high = over_prompts(lambda chosen: float(each[chosen].mean()), units_of(mine), seed)
    interval = {"r, 2.5 %": Number(low, RERUN), "r, 97.5 %": Number(high, RERUN)}
    return {"r": Number(r, RERUN), **interval, "p": Number(p, RERUN_P)}


def _beyond(columns: Mapping[str, Columns], seed: int) -> Result:
    pairs = rows(_of_task(columns["correlations"], FACTS_256), temperature=TAU)
    own, drawn = own_and_drawn(pairs, "trained")
    numbers = _excess(own, drawn, units_of(pairs), seed)
    for null in NULLS:
        of_null, of_drawn = own_and_drawn(pairs, null)
        numbers |= {
            f"r, {null}": Number(float(of_null.mean()), RERUN),
            f"surrogates' r, {null}": Number(float(of_drawn.mean()), RERUN),
        }
    controls = {"a surrogate for the heads": _excess(drawn[:, 0], drawn[:, 1:], units_of(pairs), seed)}
    for name, kind in WORLDS.items():
        own, drawn = world(kind, seed)
        controls[name] = _excess(own, drawn, [str(number) for number in range(len(own))], seed)
    return numbers, controls


def _learned_correlation(columns: Mapping[str, Columns], seed: int) -> Result:
    pairs = rows(_of_task(columns["correlations"], FACTS_256), temperature=TAU)
    each = {}
    for group in ("trained", *NULLS):
        own, drawn = own_and_drawn(pairs, group)
        each[group] = own - drawn.mean(axis=1)
    units = units_of(pairs)
    control = _against_nulls({**each, "trained": each["shuffled"]}, units, seed)
    return _against_nulls(each, units, seed), {"a null for the trained heads": control}


def _against_nulls(excess: Mapping[str, Any], units: list[str], seed: int) -> Numbers:
    numbers = {f"excess, {group}": Number(float(values.mean()), RERUN) for group, values in excess.items()}
    for null in NULLS:
        apart = excess["trained"] - excess[null]
        low, high = over_prompts(partial(_mean, apart), units, seed)
        numbers |= {
            f"excess, trained - {null}, 2.5 %": Number(low, RERUN),
            f"excess, trained - {null}, 97.5 %": Number(high, RERUN),
        }
    return numbers


def _excess(own: Any, drawn: Any, units: list[str], seed: int) -> Numbers:
    excess = own - drawn.mean(axis=1)
    low, high = over_prompts(partial(_mean, excess), units, seed)
    return {
        "r": Number(float(own.mean()), RERUN),
        "surrogates' mean r": Number(float(drawn.mean()), RERUN),
        "excess": Number(float(excess.mean()), RERUN),
        "excess, 2.5 %": Number(low, RERUN),
        "excess, 97.5 %": Number(high, RERUN),
        "p": Number(surrogate_p(own, drawn), RERUN_P),
    }


def _mean(values: Any, chosen: Any) -> float:
    return float(values[chosen].mean())


# -- depth ---------------------------------------------------------------------------------------------------------


def _depth(columns: Mapping[str, Columns], seed: int) -> Result:
    heads = rows(_of_task(columns["heads"], FACTS_256), temperature=TAU)
    values, layers = scores_of(heads, "positional", group="trained")
    numbers = _drop(values, layers, units_of(heads), seed)
    nulls: Numbers = {}
    for null in NULLS:
        drops = [
            depth_drop(*scores_of(heads, "positional", group=null, null_seed=number))
            for number in np.unique(rows(heads, group=null)["null_seed"])
        ]
        nulls[f"drop, {null}, largest"] = Number(max(drops), RERUN)
    names = np.unique(layers)
    order = np.random.default_rng(seed).permutation(len(names))
    permuted = _drop(values, order[np.searchsorted(names, layers)], units_of(heads), seed)
    return numbers | nulls, {"layers permuted": permuted | nulls}


def _drop(values: Any, layers: Any, units: list[str], seed: int) -> Numbers:
    rho, p = depth_trend(values, layers, seed)
    low, high = over_prompts(lambda chosen: depth_drop(values[chosen], layers), units, seed)
    of_head = mean_over(values)
    early = layers < np.unique(layers)[len(np.unique(layers)) // 2]
    return {
        "median, first half": Number(median(of_head[early]), RERUN),
        "median, second half": Number(median(of_head[~early]), RERUN),
        "drop": Number(depth_drop(values, layers), RERUN),
        "drop, 2.5 %": Number(low, RERUN),
        "drop, 97.5 %": Number(high, RERUN),
        "Spearman": Number(rho, RERUN),
        "p": Number(p, RERUN_P),
    }


# -- frequencies ---------------------------------------------------------------------------------------------------


def _band(name: str) -> Callable[[Mapping[str, Columns], int], Result]:
    def measure(columns: Mapping[str, Columns], seed: int) -> Result:
        planes = _of_task(columns["planes"], FACTS_48)
        mine = rows(planes, group="trained")
        numbers: Numbers = {}
        for group in ("trained", *NULLS):
            of_group = rows(planes, group=group)
            numbers |= _of_planes(of_group, _between(of_group, *BANDS[name]), group)
        inside = _between(mine, *BANDS["high-frequency"])
        both = 100 * float(np.nanmean(np.minimum(mine["positional"][inside], mine["symbolic"][inside]) >= 0.9))
        numbers["% high on both, 8 to 128 tokens"] = Number(both, 100 * RERUN)
        if name == "highest-frequency":
            others = {"each head's plane of most energy": _strongest(mine)}
        else:
            others = {"planes of 512 to 4096 tokens": _between(mine, 512.0, 4096.0)}
        return numbers, {other: numbers | _of_planes(mine, chosen, "trained") for other, chosen in others.items()}

    return measure


def _of_planes(planes: Columns, chosen: Any, group: str) -> Numbers:
    """What some planes score, and their share of the energy of their heads."""
    seen = chosen & ~np.isnan(planes["positional"])
    positional, symbolic = planes["positional"][seen], planes["symbolic"][seen]
    heads = len(planes["plane"]) / len(np.unique(planes["plane"]))
    values = {
        "% more positional": 100 * float(np.mean(positional > symbolic)),
        "% more symbolic": 100 * float(np.mean(positional < symbolic)),
        "% high on both": 100 * float(np.mean(np.minimum(positional, symbolic) >= 0.9)),
        "median s_pos": median(positional),
        "median s_sym": median(symbolic),
        "% of energy": 100 * float(planes["energy_share"][seen].sum() / heads),
    }
    return {f"{what}, {group}": Number(value, 100 * RERUN if "%" in what else RERUN) for what, value in values.items()}


def _strongest(planes: Columns) -> Any:
    """Which planes have the most energy of their head on their prompt."""
    keys = ("prompt", "layer", "head")
    energy = cube(planes, "energy_share", (*keys, "plane"))
    place = tuple(np.unique(planes[key], return_inverse=True)[1] for key in (*keys, "plane"))
    best = energy == np.nanmax(energy, axis=-1, keepdims=True)
    return best[place]


def _between(planes: Columns, low: float, high: float) -> Any:
    waves = planes["wavelength"]
    return (waves >= low) & ((waves < high) | (high == np.inf))


def _learned(columns: Mapping[str, Columns], seed: int) -> Result:
    planes = _of_task(columns["planes"], FACTS_48)
    gains = {group: _order_gains(rows(planes, group=group), seed) for group in ("trained", *NULLS)}
    units = units_of(planes)
    heads = rows(_of_task(columns["heads"], FACTS_48), temperature=TAU)
    waves = {group: rows(heads, group=group)["turning_wavelength"] for group in ("trained", *NULLS)}
    numbers = _gain(gains, units, seed)
    numbers |= {f"turning wavelength, {group}": Number(median(values), 1.0) for group, values in waves.items()}
    return numbers, {"a null for the trained heads": _gain({**gains, "trained": gains["shuffled"]}, units, seed)}


def _order_gains(planes: Columns, seed: int) -> Any:
    """By how much the order of wavelengths helps each head's planes to agree with one turn: `(prompts, heads)`.

    The agreement less its mean over ORDERS random orders of the same planes: what energy held by few planes gives by
    itself drops out. Seeds of a null stand side by side as further heads.
    """
    keys = ("prompt", "null_seed", "layer", "head", "plane")
    purity = cube({**planes, "purity": planes["positional"] - planes["symbolic"]}, "purity", keys)
    weight = purity * cube(planes, "energy_share", keys)
    fastest_first = np.argsort(cube(planes, "wavelength", keys), axis=-1, kind="stable")
    flat = np.take_along_axis(weight, fastest_first, axis=-1).reshape(-1, weight.shape[-1])
    generator = np.random.default_rng(seed)
    chance = np.mean([agreements(generator.permuted(flat, axis=1)).max(axis=1) for _ in range(ORDERS)], axis=0)
    return (agreements(flat).max(axis=1) - chance).reshape(len(weight), -1)


def _gain(gains: Mapping[str, Any], units: list[str], seed: int) -> Numbers:
    numbers = {f"median gain by order, {group}": Number(median(values), RERUN) for group, values in gains.items()}
    for null in NULLS:
        low, high = over_prompts(partial(_gap, gains["trained"], gains[null]), units, seed)
        numbers |= {
            f"gain, trained - {null}, 2.5 %": Number(low, RERUN),
            f"gain, trained - {null}, 97.5 %": Number(high, RERUN),
        }
    return numbers


def _gap(trained: Any, null: Any, chosen: Any) -> float:
    return median(trained[chosen]) - median(null[chosen])


def _of_task(columns: Columns, task: str) -> Columns:
    mine = np.char.startswith(columns["prompt"], task)
    return {name: values[mine] for name, values in columns.items()}


MEASURES: dict[str, Callable[[Mapping[str, Columns], int], Result]] = {
    "correlation": _correlation,
    "beyond-geometry": _beyond,
    "correlation-learned": _learned_correlation,
    "depth": _depth,
    **{name: _band(name) for name in BANDS},
    "frequency-learned": _learned,
}
# The table and the task whose prompts each finding is about.
READ = {
    **dict.fromkeys(("correlation", "beyond-geometry", "correlation-learned", "depth"), ("heads", FACTS_256)),
    **dict.fromkeys((*BANDS, "frequency-learned"), ("planes", FACTS_48)),
}
