"""What an engine answers about one statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headproof.theory.claim import Case, Verdict


@dataclass(frozen=True)
class Number:
    """A measured number: its value, and by how much a rerun may differ before it counts as another result."""

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
    """

    verdict: Verdict
    domain: str
    counterexample: Case | None = None
    summary: str = ""
    numbers: Mapping[str, Number] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
