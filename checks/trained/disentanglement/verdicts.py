"""What the committed measurement of this topic decides: the empirical claims of GEN, by criterion and controls.

Every number is computed from the committed tables anew; no model is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context
from headproof.checks.trained.comparing import Result
from headproof.checks.trained.disentanglement import measurement
from headproof.checks.trained.disentanglement.context_numbers import ON_CONTEXTS
from headproof.checks.trained.disentanglement.numbers import ON_HEADS, Tables
from headproof.checks.trained.judging import judge, not_measured
from headproof.checks.trained.rows import columns_of, described
from headproof.theory.claim import Verdict
from headproof.theory.disentanglement.empirical_claims import FINDINGS, PRINTED
from headproof.theory.disentanglement.fit_claims import NOISE

MEASURES: Mapping[str, Callable[[Tables, int], Result]] = {**ON_HEADS, **ON_CONTEXTS}
# The criterion must refuse a control, except for these, which it must uphold.
UPHELD = (NOISE,)


def decide_empirical(context: Context) -> Mapping[str, Decision]:
    """All empirical claims of the topic, from the committed measurements."""
    absent = Decision(Verdict.NOT_RUN, "nothing", summary="the source's models are not at hand")
    decisions = {claim.id: absent for claim in PRINTED}
    for model in measurement.MODELS:
        tables = measurement.read(model)
        columns = {name: columns_of(table) for name, table in (tables or {}).items()}
        for finding in FINDINGS:
            name = f"gen.{finding.name}.{model.slug}"
            if tables is None:
                decisions[name] = not_measured(model, "disentanglement")
                continue
            about = described(tables["fits"])
            domain = (
                f"{model.name}, {about['model']['layers']} x {about['model']['heads']} heads, "
                f"{_read(finding.name, columns)}"
            )
            numbers, controls = MEASURES[finding.name](columns, context.seed)
            decisions[name] = judge(finding, numbers, controls, UPHELD, model, domain, about)
    return decisions


def _read(name: str, columns: Tables) -> str:
    """Which texts and seeds a finding was read from."""
    part = name.split(".")[0]
    if part == "length":
        seeds = np.unique(columns["contexts"]["seed"])
        return f"the corpus in {len(seeds)} orders (seeds {', '.join(map(str, seeds))})"
    mine = columns["tolerance" if part == "tolerance" else "fits"]
    texts = ", ".join(np.unique(mine["text"]).tolist())
    nulls = len(np.unique(mine["null_seed"])) - 1
    draws = f", {len(np.unique(mine['seed'])) - 1} draws of words" if part == "tolerance" else ""
    return f"texts {texts}{draws}, {nulls} {'seed' if nulls == 1 else 'seeds'} of each null"
