"""What the committed measurement of the scores decides: the empirical claims dec.emp, by criterion and controls.

Nothing here needs torch: the tables are read, and every number is computed from them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Decision, Number
from headproof.checks.registry import Context
from headproof.checks.trained.scores import measurement
from headproof.checks.trained.scores.evidence import (
    correlation_test,
    cube,
    depth_drop,
    depth_trend,
    median,
    over_prompts,
)
from headproof.checks.trained.scores.pairing import derangement, pearson
from headproof.checks.trained.scores.rows import Columns, columns_of, rows, scores_of
from headproof.theory.claim import Verdict
from headproof.theory.scores.empirical_claims import FINDINGS, NULLS, PRINTED, Finding, claim_id

# By how much a number may differ where numpy draws or sums otherwise.
RERUN, RERUN_P = 0.002, 0.01
PLANTED = (200, 300)  # heads, swaps
FACTS_256, FACTS_48 = "binding-256", "binding-48"
BANDS = {"low-frequency": (4096.0, np.inf), "high-frequency": (8.0, 128.0), "highest-frequency": (0.0, 8.0)}

Numbers = dict[str, Number]
# Numbers, and the numbers of each control by its name: the criterion must refute a control, except for those of UPHELD.
Result = tuple[Numbers, dict[str, Numbers]]
UPHELD = ("planted pure heads",)


def decide_empirical(context: Context) -> Mapping[str, Decision]:
    """All empirical claims of the scores, from the committed measurements."""
    absent = Decision(Verdict.NOT_RUN, "nothing", summary="gemma-2-2b-it is not at hand")
    decisions = {claim.id: absent for claim in PRINTED}
    for model in measurement.MODELS:
        tables = measurement.read(model)
        columns = {name: columns_of(table) for name, table in (tables or {}).items()}
        for finding in FINDINGS:
            decisions[claim_id(finding, model.slug)] = (
                _not_measured(model)
                if tables is None
                else _decide(finding, columns, measurement.about(tables), model, context.seed)
            )
    return decisions


def _not_measured(model: measurement.MeasuredModel) -> Decision:
    reason = f"no measurement of {model.name} is committed: headproof remeasure scores ({model.obtained})"
    return Decision(Verdict.NOT_RUN, "nothing", summary=reason)


def _decide(
    finding: Finding,
    columns: Mapping[str, Columns],
    about: Mapping[str, Any],
    model: measurement.MeasuredModel,
    seed: int,
) -> Decision:
    numbers, controls = MEASURES[finding.name](columns, seed)
    run = [_control(finding, name, found) for name, found in controls.items()]
    met = _met(finding, numbers) and all(control["passed"] for control in run)
    prompts = sorted({str(p["name"]) for p in about["prompts"] if p["name"].startswith(_facts(finding))})
    return Decision(
        Verdict.SUPPORTED if met else Verdict.NOT_SUPPORTED,
        f"{model.name}, {about['model']['layers']} x {about['model']['heads']} heads, {len(prompts)} prompts "
        f"({', '.join(prompts)}), {len(about['null_seeds'])} seeds of each null",
        summary="; ".join(f"{name} {number.value:.4g}" for name, number in numbers.items()),
        numbers=numbers,
        details={"model": {"name": model.name, "sha256": model.sha256}, "controls": run, "measured": _made(about)},
    )


def _made(about: Mapping[str, Any]) -> str:
    """How the committed tables came to be, as one line."""
    return json.dumps({key: about[key] for key in ("command", "versions", "device", "dtype")}, sort_keys=True)


def _facts(finding: Finding) -> str:
    return FACTS_256 if "256" in finding.domain else FACTS_48


def _met(finding: Finding, numbers: Numbers) -> bool:
    return bool(finding.supported_by({name: number.value for name, number in numbers.items()}))


def _control(finding: Finding, name: str, numbers: Numbers) -> dict[str, Any]:
    expected = "upheld" if name in UPHELD else "refuted"
    outcome = "upheld" if _met(finding, numbers) else "refuted"
    return {
        "mutant": name,
        "title": f"{name}, by the same criterion",
        "expected": expected,
        "outcome": outcome,
        "passed": outcome == expected,
        "case": None,
    }


# -- correlations --------------------------------------------------------------------------------------------------


def _correlation(columns: Mapping[str, Columns], seed: int) -> Result:
    heads = columns["heads"]
    found: Numbers = {}
    controls: dict[str, Numbers] = {}
    for prefix, task in (("", FACTS_256), ("48 facts: ", FACTS_48), ("induction: ", "induction")):
        pair = [_trained(heads, name, task, measurement.TEMPERATURES[0]) for name in ("positional", "symbolic")]
        found |= {f"{prefix}{name}": number for name, number in _r(pair[0], pair[1], seed).items()}
        if not prefix:
            order = np.random.default_rng(seed).permutation(pair[0].shape[1])
            controls["heads paired at random"] = _r(pair[0], pair[1][:, order], seed)
    return found, controls


def _r(positional: Any, symbolic: Any, seed: int) -> Numbers:
    r, p = correlation_test(positional, symbolic, seed)
    each = np.array([pearson(*pair) for pair in zip(positional, symbolic, strict=True)])
    low, high = over_prompts(lambda chosen: float(each[chosen].mean()), len(each), seed)
    return {
        "r": Number(r, RERUN),
        "r, 2.5 %": Number(low, RERUN),
        "r, 97.5 %": Number(high, RERUN),
        "p": Number(p, RERUN_P),
    }


def _beyond(columns: Mapping[str, Columns], seed: int, temperature: float) -> Result:
    pairs = rows(columns["correlations"], temperature=temperature)
    own, drawn = _surrogates(pairs, "trained")
    numbers = _excess(own, drawn, seed)
    for null in NULLS:
        of_null, of_drawn = _surrogates(pairs, null)
        numbers |= {
            f"r, {null}": Number(float(of_null.mean()), RERUN),
            f"surrogates' r, {null}": Number(float(of_drawn.mean()), RERUN),
        }
    controls = {
        "a surrogate for the heads": _excess(drawn[:, 0], drawn[:, 1:], seed),
        "planted pure heads": _planted(seed),
    }
    return numbers, controls


def _surrogates(pairs: Columns, group: str) -> tuple[Any, Any]:
    """r of the heads `(prompts,)` and of their surrogates `(prompts, surrogates)`, null seeds averaged."""
    mine = rows(_of_task(pairs, FACTS_256), group=group)
    r = cube(mine, "r", ("prompt", "surrogate", "null_seed")).mean(axis=2)
    return r[:, 0], r[:, 1:]


def _excess(own: Any, drawn: Any, seed: int) -> Numbers:
    excess = own - drawn.mean(axis=1)
    low, high = over_prompts(lambda chosen: float(excess[chosen].mean()), len(excess), seed)
    return {
        "r": Number(float(own.mean()), RERUN),
        "surrogates' mean r": Number(float(drawn.mean()), RERUN),
        "excess": Number(float(excess.mean()), RERUN),
        "excess, 2.5 %": Number(low, RERUN),
        "excess, 97.5 %": Number(high, RERUN),
    }


def _planted(seed: int) -> Numbers:
    """Heads that are pure, half of them positional and half symbolic, with log ratios of order one: the criterion must
    see that their swapped logits belong to their attention."""
    generator = np.random.default_rng(seed)
    heads, swaps = PLANTED
    own, drawn = [], []
    for _ in range(6):
        used = generator.normal(size=(heads, swaps)) * generator.uniform(0.2, 2, size=(heads, 1))
        swapped = np.where(np.arange(heads)[:, None] % 2 == 0, used, -used)
        phi, other = np.arctan(np.exp(used)), np.arctan(np.exp(swapped))

        def r(order: Any, phi: Any = phi, other: Any = other) -> float:
            return pearson(np.cos(other[order] - phi).mean(axis=1), np.sin(other[order] + phi).mean(axis=1))

        own.append(r(np.arange(heads)))
        drawn.append([r(derangement(heads, generator)) for _ in range(20)])
    return _excess(np.array(own), np.array(drawn), seed)


# -- depth ---------------------------------------------------------------------------------------------------------


def _depth(columns: Mapping[str, Columns], seed: int) -> Result:
    heads = rows(_of_task(columns["heads"], FACTS_256), temperature=measurement.TEMPERATURES[0])
    values, layers = scores_of(heads, "positional", group="trained")
    numbers = _drop(values, layers, seed)
    nulls: Numbers = {}
    for null in NULLS:
        drops = [
            depth_drop(*scores_of(heads, "positional", group=null, null_seed=number))
            for number in np.unique(rows(heads, group=null)["null_seed"])
        ]
        nulls[f"drop, {null}, largest"] = Number(max(drops), RERUN)
    names = np.unique(layers)
    order = np.random.default_rng(seed).permutation(len(names))
    return numbers | nulls, {"layers permuted": _drop(values, order[np.searchsorted(names, layers)], seed) | nulls}


def _drop(values: Any, layers: Any, seed: int) -> Numbers:
    rho, p = depth_trend(values, layers, seed)
    low, high = over_prompts(lambda chosen: depth_drop(values[chosen], layers), len(values), seed)
    of_head = values.mean(axis=0)
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
        numbers = _in_band(planes, name)
        if name == "highest-frequency":
            mine = rows(planes, group="trained")
            strongest = _strongest(mine)
            return numbers, {"each head's plane of most energy": numbers | _of_planes(mine, strongest, "trained")}
        mirrored = {**planes, "wavelength": _mirrored(planes["wavelength"])}
        return numbers, {"wavelengths reversed": _in_band(mirrored, name)}

    return measure


def _mirrored(wavelengths: Any) -> Any:
    """Each plane with the wavelength of the plane as far from the other end."""
    values, place = np.unique(wavelengths, return_inverse=True)
    return values[::-1][place]


def _in_band(planes: Columns, name: str) -> Numbers:
    numbers: Numbers = {}
    for group in ("trained", *NULLS):
        mine = rows(planes, group=group)
        numbers |= _of_planes(mine, _between(mine, *BANDS[name]), group)
    mine = rows(planes, group="trained")
    inside = _between(mine, *BANDS["high-frequency"])
    both = 100 * float(np.mean(np.minimum(mine["positional"][inside], mine["symbolic"][inside]) >= 0.9))
    return numbers | {"% high on both, 8 to 128 tokens": Number(both, 100 * RERUN)}


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
    heads = rows(_of_task(columns["heads"], FACTS_48), temperature=measurement.TEMPERATURES[0])
    trained = scores_of(heads, "turning_agreement", group="trained")[0]
    nulls = {
        null: [
            scores_of(heads, "turning_agreement", group=null, null_seed=number)[0]
            for number in np.unique(rows(heads, group=null)["null_seed"])
            if not np.isnan(rows(heads, group=null, null_seed=number)["turning_agreement"]).all()
        ]
        for null in NULLS
    }
    numbers = _agreement(trained, nulls, seed)
    waves = {group: rows(heads, group=group)["turning_wavelength"] for group in ("trained", *NULLS)}
    numbers |= {f"turning wavelength, {group}": Number(median(values), 1.0) for group, values in waves.items()}
    return numbers, {"a null for the trained heads": _agreement(nulls["fresh"][0], nulls, seed)}


def _agreement(trained: Any, nulls: Mapping[str, list[Any]], seed: int) -> Numbers:
    numbers = {"median agreement, trained": Number(median(trained), RERUN)}
    for null, seeds in nulls.items():
        of_null = np.concatenate(seeds, axis=1)
        low, high = over_prompts(partial(_gap, trained, of_null), len(trained), seed)
        numbers |= {
            f"median agreement, {null}": Number(median(of_null), RERUN),
            f"agreement, trained - {null}, 2.5 %": Number(low, RERUN),
            f"agreement, trained - {null}, 97.5 %": Number(high, RERUN),
        }
    return numbers


def _gap(trained: Any, null: Any, chosen: Any) -> float:
    return median(trained[chosen]) - median(null[chosen])


def _of_task(columns: Columns, task: str) -> Columns:
    mine = np.char.startswith(columns["prompt"], task)
    return {name: values[mine] for name, values in columns.items()}


def _trained(heads: Columns, name: str, task: str, temperature: float) -> Any:
    return scores_of(_of_task(heads, task), name, group="trained", temperature=temperature)[0]


MEASURES: dict[str, Callable[[Mapping[str, Columns], int], Result]] = {
    "correlation": _correlation,
    "beyond-geometry": lambda columns, seed: _beyond(columns, seed, measurement.TEMPERATURES[0]),
    "beyond-geometry-at-all-swaps": lambda columns, seed: _beyond(columns, seed, measurement.TEMPERATURES[-1]),
    "depth": _depth,
    **{name: _band(name) for name in BANDS},
    "frequency-learned": _learned,
}
