"""Deciding empirical claims: a finding's criterion, applied to its numbers and to those of its controls."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from headproof.checks.engines.decision import Decision, Number
from headproof.checks.trained.committed import MeasuredModel
from headproof.theory.claim import Verdict
from headproof.theory.empirical import Finding

Numbers = Mapping[str, Number]


def not_measured(model: MeasuredModel, topic: str) -> Decision:
    """The decision where no measurement is committed."""
    reason = f"no measurement of {model.name} is committed: headproof remeasure {topic} ({model.obtained})"
    return Decision(Verdict.NOT_RUN, "nothing", summary=reason)


def judge(
    finding: Finding,
    numbers: Numbers,
    controls: Mapping[str, Numbers],
    upheld: Collection[str],
    model: MeasuredModel,
    domain: str,
    about: Mapping[str, Any],
) -> Decision:
    """SUPPORTED if the numbers meet the criterion, and no control does but those named in `upheld`, which must."""
    run = [_control(finding, name, found, name in upheld) for name, found in controls.items()]
    supported = met(finding, numbers) and all(control["passed"] for control in run)
    return Decision(
        Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
        domain,
        summary="; ".join(f"{name} {number.value:.4g}" for name, number in numbers.items()),
        numbers=dict(numbers),
        details={"model": {"name": model.name, "sha256": model.sha256}, "controls": run, "measured": _made(about)},
    )


def _made(about: Mapping[str, Any]) -> str:
    """How the committed tables came to be, as one line."""
    return json.dumps({key: about[key] for key in ("command", "versions", "device", "dtype")}, sort_keys=True)


def met(finding: Finding, numbers: Numbers) -> bool:
    """Whether the numbers meet the finding's criterion."""
    return bool(finding.supported_by({name: number.value for name, number in numbers.items()}))


def _control(finding: Finding, name: str, numbers: Numbers, upheld: bool) -> dict[str, Any]:
    expected = "upheld" if upheld else "refuted"
    outcome = "upheld" if met(finding, numbers) else "refuted"
    return {
        "mutant": name,
        "title": f"{name}, by the same criterion",
        "expected": expected,
        "outcome": outcome,
        "passed": outcome == expected,
        "case": None,
    }


def controls_hold(finding: Finding, controls: Mapping[str, Numbers], upheld: Collection[str]) -> bool:
    """Whether the criterion refuses every control but those in `upheld`, which it must not."""
    return all(met(finding, numbers) == (name in upheld) for name, numbers in controls.items())
