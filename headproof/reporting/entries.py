"""What an entry of the report holds: a claim with all that is known of it, as frozen data without markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from headproof.formal_text import Formal
from headproof.reporting.numbers import Row
from headproof.theory.claim import Verdict

# In place of the verdict of a claim that the records do not have.
UNRECORDED = "no record"


@dataclass(frozen=True)
class Step:
    """A step of a proof, with what the checker says of it now."""

    title: str
    why: str
    lines: tuple[str, ...]
    accepted: bool
    reason: str


@dataclass(frozen=True)
class Premise:
    """A premise, and what the audit found on dropping it ("" where no audit was made)."""

    name: str
    sentence: str
    status: str
    fails_at: str


@dataclass(frozen=True)
class Finding:
    """What one check or measurement found. `exhibits` are label and text; `left_out` counts those not shown."""

    tier: str
    name: str
    verdict: str
    domain: str
    summary: str
    numbers: tuple[Row, ...]
    exhibits: tuple[tuple[str, str], ...]
    left_out: int


@dataclass(frozen=True)
class Control:
    """A near miss and how each tier answered to it; `expected` is what it should be, `passed` whether all did."""

    title: str
    expected: str
    outcomes: tuple[tuple[str, str], ...]
    passed: bool


@dataclass(frozen=True)
class Entry:
    """A claim with everything that is known of it. `notes` are numbers of the topic's shared remarks.

    `formal` is its theorem in Coq; where there is none, `kept_out` says why.
    """

    id: str
    topic: str
    title: str
    kind: str
    fidelity: str
    source: str
    place: str
    sentence: str
    latex: str
    domain: str
    criterion: str
    premises: tuple[Premise, ...]
    form: tuple[tuple[str, tuple[str, ...]], ...]
    remarks: tuple[str, ...]
    notes: tuple[int, ...]
    steps: tuple[Step, ...]
    formal: Formal | None
    kept_out: str
    verdict: str
    effort: str
    tiers: tuple[str, ...]
    findings: tuple[Finding, ...]
    controls: tuple[Control, ...]
    counterexample: str
    repair: str
    repair_title: str
    survives: str
    repairs: tuple[str, ...]
    sharpness: str
    sharp_at: str
    related: tuple[str, ...]
    measured: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A topic: its claims, and the remarks that several of them share."""

    name: str
    title: str
    notes: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """How many claims have each verdict."""
        return counts(self.entries)


def counts(entries: Iterable[Entry]) -> tuple[tuple[str, int], ...]:
    """How many entries have each verdict, in the order of the verdicts."""
    counted = Counter(entry.verdict for entry in entries)
    return tuple((verdict, counted[verdict]) for verdict in (*map(str, Verdict), UNRECORDED) if counted[verdict])
