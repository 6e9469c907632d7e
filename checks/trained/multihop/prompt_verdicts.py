"""What the committed answers to prompts decide (dyn.llm): by criterion and controls, from tables alone."""

from __future__ import annotations

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context
from headproof.checks.trained import committed
from headproof.checks.trained.judging import judge, not_measured
from headproof.checks.trained.multihop import measurement
from headproof.checks.trained.multihop.prompt_numbers import MEASURES
from headproof.checks.trained.rows import columns_of, described
from headproof.theory.claim import Verdict
from headproof.theory.multihop.prompt_findings import PROMPT_FINDINGS, PROMPT_PRINTED


def decide_prompts(context: Context) -> dict[str, Decision]:
    """All claims of dyn.llm, on each measured model. Raises InputError for damaged tables."""
    del context  # nothing is drawn
    absent = Decision(Verdict.NOT_RUN, "nothing", summary="the source's models are not at hand")
    decisions = {claim.id: absent for claim in PROMPT_PRINTED}
    for model in committed.MODELS:
        table = measurement.read_prompts(model)
        for finding in PROMPT_FINDINGS:
            name = f"dyn.llm.{finding.name}.{model.slug}"
            if table is None:
                decisions[name] = not_measured(model, "multihop")
                continue
            about = described(table)
            plan = about["settings"]
            domain = (
                f"{model.name}, {plan['count']} prompts a length, {plan['few']} of controls and of long sequences, "
                f"lengths {', '.join(map(str, plan['lengths']))}, controls at "
                f"{', '.join(map(str, plan['control_lengths']))}, null seeds {', '.join(map(str, plan['null_seeds']))}"
            )
            numbers, controls = MEASURES[finding.name](columns_of(table))
            decisions[name] = judge(finding, numbers, controls, (), model, domain, about)
    return decisions
