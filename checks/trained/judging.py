"""Deciding empirical claims: a finding's criterion, applied to its numbers and to those of its controls."""

from __future__ import annotations

import json
import math
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
    supported = bool(met(finding, numbers)) and all(control["passed"] for control in run)
    failed = [f"control {control['mutant']} is {control['outcome']}" for control in run if not control["passed"]]
    return Decision(
        Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED,
        domain,
        summary="; ".join([*failed, *(f"{name} {number.value:.4g}" for name, number in numbers.items())]),
        numbers=dict(numbers),
        details={"model": {"name": model.name, "sha256": model.sha256}, "controls": run, "measured": _made(about)},
    )


def _made(about: Mapping[str, Any]) -> str:
    """How the committed tables came to be, as one line."""
    return json.dumps({key: about[key] for key in ("command", "versions", "device", "dtype")}, sort_keys=True)


def met(finding: Finding, numbers: Numbers) -> bool | None:
    """Whether the numbers meet the finding's criterion; None if one of them is NaN and they do not: it may be why."""
    found = bool(finding.supported_by({name: number.value for name, number in numbers.items()}))
    return None if not found and any(math.isnan(number.value) for number in numbers.values()) else found


def _control(finding: Finding, name: str, numbers: Numbers, upheld: bool) -> dict[str, Any]:
    expected = "upheld" if upheld else "refuted"
    outcome = {True: "upheld", False: "refuted", None: "undecided: a number is missing"}[met(finding, numbers)]
    return {
        "mutant": name,
        "title": f"{name}, by the same criterion",
        "expected": expected,
        "outcome": outcome,
        "passed": outcome == expected,
        "case": None,
    }


def controls_hold(finding: Finding, controls: Mapping[str, Numbers], upheld: Collection[str]) -> bool | None:
    """Whether the criterion refuses every control but those in `upheld`, which it must not; None if a control cannot be
    judged, such as that of a null with a single seed."""
    outcomes = {name: met(finding, numbers) for name, numbers in controls.items()}
    if any(found is not None and found != (name in upheld) for name, found in outcomes.items()):
        return False
    return None if None in outcomes.values() else True
