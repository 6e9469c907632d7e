"""What the committed measurement of the scores decides: the empirical claims dec.emp, by criterion and controls.

Nothing here needs torch: the tables are read, and every number is computed from them anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context
from headproof.checks.trained.committed import MeasuredModel
from headproof.checks.trained.rows import Columns, columns_of, described
from headproof.checks.trained.scores import measurement
from headproof.checks.trained.scores.numbers import MEASURES, READ, Numbers
from headproof.theory.claim import Verdict
from headproof.theory.scores.empirical_claims import FINDINGS, PRINTED, Finding, claim_id

# The criterion must refute a control, except for these, which it must uphold.
UPHELD = ("pure heads", "pure heads of peaked attention")


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
                else _decide(finding, columns, described(tables["heads"]), model, context.seed)
            )
    return decisions


def _not_measured(model: MeasuredModel) -> Decision:
    reason = f"no measurement of {model.name} is committed: headproof remeasure scores ({model.obtained})"
    return Decision(Verdict.NOT_RUN, "nothing", summary=reason)


def _decide(
    finding: Finding,
    columns: Mapping[str, Columns],
    about: Mapping[str, Any],
    model: MeasuredModel,
    seed: int,
) -> Decision:
    numbers, controls = MEASURES[finding.name](columns, seed)
    run = [_control(finding, name, found) for name, found in controls.items()]
    met = _met(finding, numbers) and all(control["passed"] for control in run)
    table, task = READ[finding.name]
    prompts = [str(name) for name in np.unique(columns[table]["prompt"]) if str(name).startswith(task)]
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
