"""The summary of a profile: what its tables say, with intervals, p-values and what the nulls say of the same.

Plain data (dicts, lists, numbers, strings), as written to `summary.json`. Numbers that do not exist are None.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from headproof.checks.trained.evidence import (
    against_null,
    correlation_test,
    cube,
    depth_drop,
    depth_trend,
    false_discovery,
    holm,
    mean_over,
    median,
    over_prompts,
    surrogate_p,
)
from headproof.checks.trained.rows import Columns, columns_of, own_and_drawn, rows, scores_of, shown, units_of
from headproof.checks.trained.scores.profile import NULLS, Profile
from headproof.checks.trained.writing import plain
from headproof.theory.scores.reading import KINDS

FALSE_DISCOVERIES = 0.05
SHOWN = 5
# Bounds of bands of wavelength, in tokens.
BANDS = (0.0, 8.0, 32.0, 128.0, 512.0, 4096.0, math.inf)


def summarise(profile: Profile, seed: int = 0) -> dict[str, Any]:
    """All findings of a profile. `seed` draws permutations and resamples."""
    heads, pairs = columns_of(profile.heads), columns_of(profile.correlations)
    settings = list(_settings(rows(heads, group="trained")))
    correlation = [_correlation(heads, pairs, asked, tau, seed) for asked, tau in settings]
    depth = [_depth(heads, asked, tau, seed) for asked, tau in settings]
    for family in (correlation, depth):
        for entry, adjusted in zip(family, holm(np.array([entry["p"] for entry in family])), strict=True):
            entry["p_holm"] = float(adjusted)
    asked, tau = shown(profile.heads)
    # One temperature is read of the planes, the longest table by far.
    planes = columns_of(profile.planes.filter(pa.compute.equal(profile.planes["temperature"], tau)))
    found: dict[str, Any] = plain(
        {
            "about": profile.about,
            "correlation": correlation,
            "depth": depth,
            "kinds": [_kinds(heads, asked, tau) for asked, tau in settings],
            "heads": _heads(heads, asked, tau),
            "dependence": _dependence(heads, asked, tau),
            "frequencies": _frequencies(planes, tau) if len(planes["plane"]) else [],
            "turning": _turning(heads, asked, tau),
            "conformance": {
                group: float(np.nanmax(rows(heads, group=group)["conformance"])) for group in ("trained", *NULLS)
            },
            "unseen": sorted({int(layer) for layer in heads["layer"][heads["blocks"] < 2]}),
        }
    )
    return found


def _settings(trained: Columns) -> Iterator[tuple[str, float]]:
    for asked in dict.fromkeys(trained["asked"].tolist()):
        for tau in dict.fromkeys(trained["temperature"].tolist()):
            yield asked, tau


# -- findings ------------------------------------------------------------------------------------------------------


def _correlation(heads: Columns, pairs: Columns, asked: str, tau: float, seed: int) -> dict[str, Any]:
    """r over heads, against permuted heads, against the nulls and against surrogates (`surrogates.py`)."""
    at = {"asked": asked, "temperature": tau}
    trained = {"group": "trained", "null_seed": -1, **at}
    (positional, layers), (symbolic, _) = (scores_of(heads, name, **trained) for name in ("positional", "symbolic"))
    r, p = correlation_test(positional, symbolic, layers, seed)
    units = units_of(rows(heads, **trained))
    each = {group: own_and_drawn(pairs, group, **at) for group in ("trained", *NULLS)}
    own, drawn = each["trained"]
    excess = own - mean_over(drawn.T) if drawn.size else np.full(len(own), np.nan)
    found = {
        **at,
        "r": r,
        "p": p,
        "r_interval": over_prompts(lambda chosen: float(np.mean(own[chosen])), units, seed),
        "surrogate_r": mean(drawn),
        "surrogate_range": quantiles(drawn, [0.025, 0.975]),
        "surrogate_p": surrogate_p(own, drawn),
        "excess": float(np.mean(excess)),
        "excess_interval": over_prompts(lambda chosen: float(np.mean(excess[chosen])), units, seed),
    }
    for group in NULLS:
        null, of_null = each[group]
        found[f"{group}_r"] = float(np.mean(null))
        found[f"{group}_surrogate_r"] = mean(of_null)
    return found


def _depth(heads: Columns, asked: str, tau: float, seed: int) -> dict[str, Any]:
    """The trend of the positional score with depth, and the nulls'."""
    at = {"asked": asked, "temperature": tau}
    values, layers = scores_of(heads, "positional", group="trained", null_seed=-1, **at)
    rho, p = depth_trend(values, layers, seed)
    interval = over_prompts(
        lambda chosen: depth_drop(values[chosen], layers),
        units_of(rows(heads, group="trained", null_seed=-1, **at)),
        seed,
    )
    found: dict[str, Any] = {**at, "rho": rho, "p": p, "drop": depth_drop(values, layers), "drop_interval": interval}
    for group in NULLS:
        of_null = [
            depth_drop(*scores_of(heads, "positional", group=group, null_seed=number, **at))
            for number in np.unique(rows(heads, group=group)["null_seed"])
        ]
        found[f"{group}_drop"] = float(np.mean(of_null))
    return found


def _kinds(heads: Columns, asked: str, tau: float) -> dict[str, Any]:
    """Percentages of heads of each kind, over prompts (and null seeds), by group."""
    found: dict[str, Any] = {"asked": asked, "temperature": tau}
    for group in ("trained", *NULLS):
        kind = rows(heads, group=group, asked=asked, temperature=tau)["kind"]
        found[group] = {name: float(np.mean(kind == name) * 100) for name in KINDS}
    return found


def _heads(heads: Columns, asked: str, tau: float) -> dict[str, Any]:
    """Heads whose purity no null shows, after the correction for asking of all heads, and the purest ones."""
    at = {"asked": asked, "temperature": tau}
    mine = rows(heads, group="trained", **at)
    values = cube(mine, "purity", ("prompt", "layer", "head"))
    purity = mean_over(values).reshape(-1)
    each = []
    for group in NULLS:
        null = rows(heads, group=group, **at)
        of_null = mean_over(cube(null, "purity", ("prompt", "null_seed", "layer", "head")))
        each.append(false_discovery(against_null(purity, of_null.reshape(-1))))
    q = np.fmax(*each)
    place = [(int(layer), int(head)) for layer in np.unique(mine["layer"]) for head in np.unique(mine["head"])]
    scores = {
        name: mean_over(cube(mine, name, ("prompt", "layer", "head"))).reshape(-1)
        for name in ("positional", "symbolic")
    }
    order = [k for k in np.argsort(-purity) if not np.isnan(purity[k])]
    spread = np.ptp(values, axis=0).reshape(-1)

    def entry(k: int) -> dict[str, Any]:
        found = {"layer": place[k][0], "head": place[k][1], **{name: values[k] for name, values in scores.items()}}
        return {**found, "purity": purity[k], "range_over_prompts": spread[k], "q": q[k]}

    return {
        **at,
        "asked_of": int((~np.isnan(purity)).sum()),
        "positional_beyond_nulls": int(((q <= FALSE_DISCOVERIES) & (purity > 0)).sum()),
        "symbolic_beyond_nulls": int(((q <= FALSE_DISCOVERIES) & (purity < 0)).sum()),
        "false_discovery_rate": FALSE_DISCOVERIES,
        "most_positional": [entry(k) for k in order[:SHOWN]],
        "most_symbolic": [entry(k) for k in order[::-1][:SHOWN]],
        "all": [entry(k) for k in range(len(place))],
    }


def _dependence(heads: Columns, asked: str, tau: float) -> dict[str, Any]:
    """How much a head's purity moves with temperature, query position and prompt: medians of ranges over heads."""
    trained = rows(heads, group="trained")
    fixed = {
        "temperature": rows(trained, asked=asked),
        "asked": rows(trained, temperature=tau),
        "prompt": rows(trained, asked=asked, temperature=tau),
    }
    found = {}
    for varied, mine in fixed.items():
        rest = [name for name in ("prompt", "asked", "temperature") if name != varied]
        values = cube(mine, "purity", (varied, *rest, "layer", "head"))
        values = values.reshape(len(values), -1)
        values = values[:, ~np.isnan(values).any(axis=0)]
        ranges, turned = np.ptp(values, axis=0), np.ptp(np.sign(values), axis=0) > 0
        found[varied] = {
            "values": len(values),
            "median_range": median(ranges),
            "heads_that_turn_sign": float(np.mean(turned) * 100) if len(turned) else math.nan,
        }
    return found


def _frequencies(planes: Columns, tau: float) -> list[dict[str, Any]]:
    """Planes by band of wavelength: scores, how much of the heads' energy, and how many score high on both."""
    found = []
    for low, high in pairwise(BANDS):
        entry: dict[str, Any] = {"from": low, "to": high}
        for group in ("trained", *NULLS):
            mine = rows(planes, group=group, temperature=tau)
            inside = (mine["wavelength"] >= low) & (mine["wavelength"] < high)
            inside |= (mine["wavelength"] == math.inf) & (high == math.inf)
            if not inside.any():
                continue
            positional, symbolic, share = (mine[name][inside] for name in ("positional", "symbolic", "energy_share"))
            count = len(np.unique(mine["plane"][inside]))
            heads = inside.sum() / count
            entry[group] = {
                "planes": count,
                "positional": median(positional),
                "symbolic": median(symbolic),
                "more_positional": float(np.nanmean(positional > symbolic) * 100),
                "both_high": float(np.nanmean(np.fmin(positional, symbolic) >= 0.9) * 100),
                "energy_share": float(np.nansum(share) / heads * 100),
            }
        found += [entry] if "trained" in entry else []
    return found


def _turning(heads: Columns, asked: str, tau: float) -> dict[str, Any]:
    """The wavelength at which heads turn from positional to symbolic planes, where they do."""
    found: dict[str, Any] = {}
    for group in ("trained", *NULLS):
        mine = rows(heads, group=group, asked=asked, temperature=tau)
        waves = mine["turning_wavelength"]
        turns = ~np.isnan(waves)
        asked_of = ~np.isnan(mine["turning_agreement"])
        gain = (mine["turning_agreement"] - mine["turning_constant"])[turns]
        found[group] = {
            "heads_that_turn": float(turns.sum() / asked_of.sum() * 100) if asked_of.any() else math.nan,
            "wavelength_quartiles": quantiles(waves[turns], [0.25, 0.5, 0.75]) if turns.any() else None,
            "median_gain": float(np.median(gain)) if turns.any() else math.nan,
        }
    return found


def mean(values: Any) -> float:
    """The mean of what is no NaN; NaN of nothing."""
    return float(mean_over(values.reshape(-1)))


def quantiles(values: Any, at: list[float]) -> list[float]:
    """Quantiles of what is no NaN; NaN of nothing."""
    seen = values[~np.isnan(values)]
    return [float(value) for value in np.quantile(seen, at)] if len(seen) else [math.nan] * len(at)
