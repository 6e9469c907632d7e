"""Exclusion on trained heads: the terms of dec.thm1 for every head of a model and of two nulls, measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from headproof.checks.files import cache_folder, replacing
from headproof.checks.registry import Context
from headproof.checks.trained.prompts import PROMPTS
from headproof.checks.trained.sources import ModelSource, find_model
from headproof.theory.errors import InputError

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
    source = source_of(context)
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
    from headproof.theory.measures import ratio_of

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
                    "residual": ratio_of(abs(terms.residual), terms.bound),
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


def source_of(context: Context) -> ModelSource | None:
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
