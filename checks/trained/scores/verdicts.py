"""What the committed measurement of the scores decides: the empirical claims dec.emp, by criterion and controls.

Nothing here needs torch: the tables are read, and every number is computed from them anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context
from headproof.checks.trained.committed import MeasuredModel
from headproof.checks.trained.judging import judge, not_measured
from headproof.checks.trained.rows import Columns, columns_of, described
from headproof.checks.trained.scores import measurement
from headproof.checks.trained.scores.numbers import MEASURES, READ
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
                not_measured(model, "scores")
                if tables is None
                else _decide(finding, columns, described(tables["heads"]), model, context.seed)
            )
    return decisions


def _decide(
    finding: Finding, columns: Mapping[str, Columns], about: Mapping[str, Any], model: MeasuredModel, seed: int
) -> Decision:
    numbers, controls = MEASURES[finding.name](columns, seed)
    table, task = READ[finding.name]
    prompts = [str(name) for name in np.unique(columns[table]["prompt"]) if str(name).startswith(task)]
    domain = (
        f"{model.name}, {about['model']['layers']} x {about['model']['heads']} heads, {len(prompts)} prompts "
        f"({', '.join(prompts)}), {len(about['null_seeds'])} seeds of each null"
    )
    return judge(finding, numbers, controls, UPHELD, model, domain, about)
