"""What the committed runs of both tasks decide, size by size: by criterion and controls.

Every number is computed from the committed tables anew; nothing is trained and no model is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context
from headproof.checks.trained.committed import MeasuredModel
from headproof.checks.trained.judging import judge, not_measured
from headproof.checks.trained.multihop import (
    kind_numbers,
    learning_numbers,
    length_numbers,
    measurement,
    mechanism_numbers,
)
from headproof.checks.trained.multihop.prompt_verdicts import decide_prompts
from headproof.checks.trained.multihop.trained import runs_of
from headproof.checks.trained.rows import described
from headproof.theory.multihop import learning_findings, length_findings, mechanism_findings
from headproof.theory.multihop.measured import SIZES, TASKS

LEARNING = {**learning_numbers.MEASURES, **kind_numbers.MEASURES}
PARTS = (
    ("dyn.learning", learning_findings.FINDINGS, LEARNING, tuple(SIZES)),
    ("dyn.learning", learning_findings.FULL_FINDINGS, LEARNING, ("full",)),
    ("dyn.learning.mechanism", mechanism_findings.FINDINGS, mechanism_numbers.MEASURES, tuple(SIZES)),
    ("dyn.length", length_findings.FINDINGS, length_numbers.MEASURES, tuple(SIZES)),
)


def decide_empirical(context: Context) -> Mapping[str, Decision]:
    """All empirical claims of the topic."""
    return {**decide_prompts(context), **_on_runs()}


def _on_runs() -> dict[str, Decision]:
    """The claims about trained models, from the committed runs."""
    tables = {task: measurement.read(task) for task in TASKS}
    names = [
        (f"{prefix}.{each.name}.{size}", each, size, measures)
        for prefix, findings, measures, sizes in PARTS
        for size in sizes
        for each in findings
    ]
    held = {task: each for task, each in tables.items() if each is not None}
    if len(held) < len(TASKS):
        missing = MeasuredModel("multihop", "multihop models", "", "headproof remeasure multihop")
        return {name: not_measured(missing, "multihop") for name, *_ in names}
    about = {task: described(each["steps"]) for task, each in held.items()}
    model = MeasuredModel(
        "multihop",
        " and ".join(about[task]["model"]["name"] for task in TASKS),
        " ".join(about[task]["model"]["sha256"] for task in TASKS),
        "headproof remeasure multihop",
    )
    runs = {size: runs_of(held, size) for size in SIZES}
    decisions = {}
    for name, finding, size, measures in names:
        numbers, controls = measures[finding.name](runs[size])
        decided = judge(finding, numbers, controls, (), model, SIZES[size], about[TASKS[0]])
        # They are trained here, not loaded: they are not the model that a report speaks of.
        details = {("trained" if key == "model" else key): value for key, value in decided.details.items()}
        decisions[name] = replace(decided, details=details)
    return decisions
