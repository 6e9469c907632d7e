"""What an engine answers about one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headproof.theory.claim import Case, Claim, Verdict


@dataclass(frozen=True)
class Number:
    """A measured number: its value, and by how much a rerun may differ before it counts as another result.

    NaN is one that a model has not got (an interval of a single text); no claim is decided by one.
    """

    value: float
    tolerance: float = 0.0

    def to_json(self) -> dict[str, float]:
        """The JSON object of the report's schema."""
        return {"value": self.value, "tolerance": self.tolerance}


@dataclass(frozen=True)
class Decision:
    """A verdict on a statement over a domain.

    `domain` says exactly what was covered. A refutation carries a `counterexample` where the claim's variables can
    be written down. `numbers` are measured; `details` is anything else that belongs in the report (JSON values).
    Raises ValueError for what is no verdict.
    """

    verdict: Verdict
    domain: str
    counterexample: Case | None = None
    summary: str = ""
    numbers: Mapping[str, Number] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", Verdict(self.verdict))  # its name as text is as good


def criterion_met(claim: Claim, numbers: Mapping[str, float], controls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether measured numbers meet an empirical claim's criterion and every control came back as it should.

    Raises KeyError for a number that the criterion asks for and that was not reported.
    """
    met = claim.supported_by is not None and claim.supported_by(numbers)
    return met and all(control["passed"] for control in controls)
