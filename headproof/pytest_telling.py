"""What the pytest plugin says of claims: why one fails, and the table at the end of a run. Imports nothing heavy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from headproof.theory.claim import Claim

Record = dict[str, Any]
GOOD = ("HOLDS", "SUPPORTED")
SENTENCES = {
    "REFUTED": "A case that meets every premise violates it.",
    "NOT SUPPORTED": "What was measured does not meet its criterion.",
    "UNDECIDED": "No check could decide it.",
    "VACUOUS": "No case that was tried meets its premises, so nothing was tested.",
}


class ClaimFailed(Exception):
    """A claim is not what it should be: in one line, and what there is to know about it."""

    def __init__(self, headline: str, lines: Sequence[str]) -> None:
        super().__init__(headline)
        self.headline = headline
        self.lines = tuple(lines)


@dataclass(frozen=True)
class Crash:
    """Where and in one line, for pytest's short summary."""

    path: str
    message: str
    lineno: int = 1

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class Shown:
    """A failure as pytest shows it: `reprcrash` in the short summary, the lines in full."""

    def __init__(self, headline: str, lines: Sequence[str], path: str) -> None:
        self.reprcrash = Crash(path, headline)
        self._lines = tuple(lines)

    def __str__(self) -> str:
        return "\n".join(self._lines)

    def toterminal(self, tw: Any) -> None:
        """Write the lines."""
        for line in self._lines:
            tw.line(line)


def fault(
    claim: Claim, record: Record, expected: str, differences: Sequence[str], compared: bool
) -> ClaimFailed | None:
    """What keeps a record from passing: an error, an unexpected verdict or a difference from the ledger.

    `compared` says that the ledger states a verdict which this one can be compared with; else it excuses nothing.
    """
    verdict, case = str(record["verdict"]), _counterexample(record)
    if verdict == "ERROR":
        headline = next(finding["summary"] for finding in record["findings"] if finding["verdict"] == "ERROR")
        return ClaimFailed(f"ERROR: {headline}", _story(claim, record, "ERROR"))
    said = f"{verdict}: {case}" if case else verdict
    if expected and verdict != expected:
        return ClaimFailed(f"{said} (EXPECTED {expected})", _story(claim, record, f"{verdict}, EXPECTED {expected}"))
    if differences:
        lines = [*_story(claim, record, f"{verdict}, but differs from the ledger"), *(f"  {d}" for d in differences)]
        return ClaimFailed(f"{verdict}, {differences[0]} (ledger -> this run)", lines)
    if not expected and not compared and verdict not in GOOD:
        remedy = f'  If this is the right answer, say so in the file: EXPECTED = {{"{claim.id}": "{verdict}"}}'
        return ClaimFailed(said, [*_story(claim, record, f"{verdict}. {SENTENCES[verdict]}"), remedy])
    return None


def _story(claim: Claim, record: Record, headline: str) -> list[str]:
    """The claim, what each check found, where it fails, and which mutants came back wrong."""
    lines = [f"{claim.id}: {headline}", f"  {claim.title}"]
    if case := _counterexample(record):
        lines.append(f"  counterexample: {case}")
    if claim.criterion:
        lines.append(f"  criterion: {claim.criterion}")
    for finding in record["findings"]:
        label = " ".join(part for part in (finding["tier"], finding["name"]) if part)
        where = "" if finding["domain"] == "nothing" else f" on {finding['domain']}"
        lines.append(f"  {label}: {finding['verdict']}{where}: {finding['summary']}".rstrip(": "))
        for control in finding["controls"]:
            if not control["passed"]:
                named = f"mutant {control['mutant']!r} ({control.get('title', '')})"
                lines.append(f"    {named} should come back {control['expected']}, and came back {control['outcome']}")
    return lines


def _counterexample(record: Record) -> str:
    found = [f["counterexample_text"] for f in record["findings"] if f["counterexample_text"]]
    return min(found, key=len) if found else ""


def details(claim: Claim, record: Record) -> Iterator[str]:
    """Controls, premises and sharpness of a claim, a line each."""
    from headproof.explaining import case_text

    for finding in record["findings"]:
        controls = finding["controls"]
        if controls:
            passed = sum(control["passed"] for control in controls)
            yield f"{finding['tier']}: {passed} of {len(controls)} controls came back as they should"
    for premise in record["premises"]:
        case = f": without it {case_text(claim, premise['case'])}" if premise["case"] else ""
        yield f"premise {premise['name']!r} is {premise['status']}{case}"
    if record["sharpness"]:
        sharp = record["sharpness"]
        yield f"ratio of left to right side: {sharp['ratio']} at {case_text(claim, sharp['case'])}"


def summary(terminal: Any, reports: Sequence[pytest.TestReport], effort: str) -> None:
    """The section at the end of a run; nothing if no claim was decided."""
    if not reports:
        return
    told = [dict(report.user_properties) for report in reports]
    counts = Counter(str(each["headproof_verdict"]) for each in told)
    failed = sum(report.failed for report in reports)
    total = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    line = f"headproof: {len(told)} {'claim' if len(told) == 1 else 'claims'} ({effort}): {total}; {failed} failed"
    if terminal.verbosity < 0:
        terminal.write_line(line)
        return
    terminal.write_sep("=", "claims")
    width = max(len("claim"), *(len(str(each["headproof_claim"])) for each in told))
    terminal.write_line(f"{'claim':{width}}  {'verdict':13}  known by")
    for report, each in zip(reports, told, strict=True):
        colour = {"red": report.failed, "green": report.passed, "yellow": report.skipped}
        terminal.write(f"{each['headproof_claim']:{width}}  ")
        terminal.write(f"{each['headproof_verdict']:13}", **colour)
        terminal.write_line(f"  {each['headproof_tiers']} {_note(report, str(each['headproof_verdict']))}".rstrip())
        if terminal.verbosity > 0:
            for name, detail in report.user_properties:
                if name == "headproof_detail":
                    terminal.write_line(f"    {detail}")
    terminal.write_line(line)


def _note(report: pytest.TestReport, verdict: str) -> str:
    if report.failed:
        return "(failed)"
    return "(as expected)" if report.passed and verdict not in GOOD else ""
