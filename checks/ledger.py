"""The committed ledger: what a run is expected to find, one section for each effort, and how two reports differ."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from headproof.checks.deciding import overall
from headproof.checks.files import write_atomic
from headproof.checks.registry import topic_of
from headproof.checks.report import WORDS, Report, parse, validate
from headproof.theory.claim import Kind, Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.formal import meaning_of, theorem_of

# What a proof kernel's finding is about, among its details.
STATED = ("statement", "definitions")


@dataclass(frozen=True)
class Difference:
    """One thing on which two reports disagree: where, and what each says."""

    claim: str
    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.claim}: {self.what}: {self.before} -> {self.after}"


def ledger_path() -> Path:
    """Where the committed ledger lies."""
    return Path(str(files("headproof.checks") / "ledger.json"))


def expected(effort: str, path: Path | None = None) -> Report | None:
    """The committed report of an effort, or None if none was committed; `path` names another ledger file.

    Raises InputError for a file that is no ledger.
    """
    path = ledger_path() if path is None else path
    sections = _sections(path)
    report: Report | None = sections.get(effort)
    if report is not None:
        validate(report, f"{path.name}, {effort}")
    return report


def records() -> dict[str, dict[str, Any]]:
    """The committed ledger's records by claim, from the larger effort that has the claim; `effort` says which.

    Raises InputError for a ledger that is none.
    """
    path = ledger_path()
    return dict(_records(path, path.stat().st_mtime_ns))


@cache
def _records(path: Path, written: int) -> dict[str, dict[str, Any]]:
    """Read and validated once for each time the file is written: a caption asks for it as often as a report."""
    del written
    found: dict[str, dict[str, Any]] = {}
    for effort in ("quick", "full"):
        report = expected(effort, path)
        found |= {record["id"]: {**record, "effort": effort} for record in (report or {"claims": []})["claims"]}
    return found


def _sections(path: Path) -> dict[str, Any]:
    """The ledger's sections by effort; none for a file that is not there."""
    try:
        sections = parse(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot read the ledger {path}: {error}", "write one with --update-ledger") from error
    if not isinstance(sections, dict) or set(sections) - {"quick", "full"}:
        raise InputError(f"{path} is no ledger", "write one with --update-ledger")
    return sections


def updated(report: Report, path: Path) -> str:
    """The ledger's text with the report's claims put in place of what its effort's section said of them.

    Times and the command do not belong in a ledger; claims that the run did not touch, or that it could not run,
    keep their records. Of a claim that it did touch, what it did not run (a tier that was not asked for, a proof kernel
    that is not installed) keeps its finding, and the verdict is that of all.
    """
    sections = _sections(path)
    old = expected(report["effort"], path)
    merged = {record["id"]: record for record in (old or {"claims": []})["claims"]}
    for record in report["claims"]:
        if record["verdict"] != Verdict.NOT_RUN or record["id"] not in merged:
            merged[record["id"]] = _without_times(_with_kept(record, merged.get(record["id"])))
    model = report["model"] or (old or {}).get("model")
    sections[report["effort"]] = {
        **report,
        "command": [],
        "model": model,
        "claims": [merged[claim] for claim in sorted(merged)],
    }
    return json.dumps(sections, indent=1, ensure_ascii=False, allow_nan=False, sort_keys=True) + "\n"


def write(report: Report, path: Path | None = None) -> Path:
    """Write the updated ledger, by default the one beside the code; raises InputError where it cannot be written."""
    path = ledger_path() if path is None else path
    write_atomic(path, updated(report, path))
    return path


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """How `after` differs from `before`, on the claims that both ran.

    Words, verdicts, tiers, domains, controls, premises and sharpness are compared exactly, as are statements in Coq and
    the axioms that their proofs rest on; numbers within the tolerance that `before` states, times never. Measured
    claims are compared only if both runs measured them on the same model, on the same device with the same seed; what
    was not run on either side is no difference.
    """
    old = {record["id"]: record for record in before["claims"]}
    found: list[Difference] = []
    for record in after["claims"]:
        if record["id"] not in old:
            if record["verdict"] != Verdict.NOT_RUN:
                found.append(Difference(record["id"], "claim", "absent", record["verdict"]))
            continue
        if _same_setting(before, after, old[record["id"]], record):
            found += _record_differences(old[record["id"]], record)
    return found


def unanswered(
    before: Mapping[str, Any], after: Mapping[str, Any], asked: Collection[str], tiers: Collection[str]
) -> list[Difference]:
    """Of the asked claims that a run of some tiers left out: the tiers of these by which the ledger knows them."""
    ran = {record["id"] for record in after["claims"]}
    return [
        Difference(record["id"], f"tier {finding['tier']}", finding["verdict"], "absent")
        for record in before["claims"]
        if record["id"] in asked and record["id"] not in ran
        for finding in record["findings"]
        if finding["tier"] in tiers and finding["verdict"] != Verdict.NOT_RUN
    ]


def not_compared(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Ids of claims of `before` that `after` did not run, or measured in another setting."""
    ran = {record["id"]: record for record in after["claims"] if record["verdict"] != Verdict.NOT_RUN}
    return [
        record["id"]
        for record in before["claims"]
        if record["id"] not in ran or not _same_setting(before, after, record, ran[record["id"]])
    ]


def _same_setting(before: Mapping[str, Any], after: Mapping[str, Any], old: Any, new: Any) -> bool:
    """Whether two records of a claim can be compared: empirical ones unless device, seed or measured model differ."""
    if old["kind"] != "empirical":
        return True
    one, other = (
        [model for finding in record["findings"] if (model := finding["details"].get("model"))] for record in (old, new)
    )
    same_model = not one or not other or one == other
    return same_model and all(before[name] == after[name] for name in ("device", "seed"))


def _record_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    name = new["id"]
    decided_now = old["verdict"] == Verdict.NOT_RUN and new["kind"] != Kind.EMPIRICAL
    if Verdict.NOT_RUN in (old["verdict"], new["verdict"]):
        if decided_now and new["verdict"] != Verdict.NOT_RUN:  # nothing measured: another machine decides it as well
            yield Difference(name, "verdict", old["verdict"], new["verdict"])
        return
    if old["verdict"] != new["verdict"]:
        yield Difference(name, "verdict", old["verdict"], new["verdict"])
    for word in WORDS:
        if old.get(word) != new.get(word):
            yield Difference(name, word, f"{old.get(word)!s:.60}", f"{new.get(word)!s:.60}")
    if old["sharpness"] != new["sharpness"]:
        yield Difference(name, "sharpness", _short(old["sharpness"]), _short(new["sharpness"]))
    if not (_unsearched(old) or _unsearched(new)):
        yield from _named_differences(name, "premise", _premises(old), _premises(new))
    yield from _finding_differences(name, old, new)


def _finding_differences(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    before = {(each["tier"], each["name"]): each for each in old["findings"]}
    after = {(each["tier"], each["name"]): each for each in new["findings"]}
    for key in sorted({*before, *after}):
        label = " ".join(part for part in key if part)
        if key not in before or key not in after:
            there = before.get(key) or after[key]
            said = ("absent", there["verdict"]) if key in after else (there["verdict"], "absent")
            yield Difference(name, f"tier {label}", *said)
            continue
        if Verdict.NOT_RUN in (before[key]["verdict"], after[key]["verdict"]):
            continue
        for word in STATED:
            if before[key]["details"].get(word) != after[key]["details"].get(word):
                yield Difference(name, f"{word}, {label}", "as the ledger says", "another")
        for part in ("verdict", "domain"):
            if before[key][part] != after[key][part]:
                yield Difference(name, f"{part}, {label}", before[key][part], after[key][part])
        yield from _named_differences(name, f"control, {label}:", _controls(before[key]), _controls(after[key]))
        numbers, others = before[key]["numbers"], after[key]["numbers"]
        for number in sorted({*numbers, *others}):
            if number not in numbers or number not in others:
                said = ("absent", "present") if number in others else ("present", "absent")
                yield Difference(name, f"number {number!r}", *said)
                continue
            value, tolerance = numbers[number]["value"], numbers[number]["tolerance"]
            if abs(others[number]["value"] - value) > tolerance:
                yield Difference(
                    name,
                    f"number {number!r} (tolerance {tolerance:g})",
                    f"{value:.6g}",
                    f"{others[number]['value']:.6g}",
                )


def _unsearched(record: Mapping[str, Any]) -> bool:
    """Whether no search was asked for, by which premises are audited."""
    searches = [each["verdict"] for each in record["findings"] if each["tier"] == Tier.TESTED]
    return bool(searches) and set(searches) == {Verdict.NOT_RUN}


def _premises(record: Mapping[str, Any]) -> dict[str, str]:
    return {each["name"]: each["status"] for each in record["premises"]}


def _controls(finding: Mapping[str, Any]) -> dict[str, str]:
    return {repr(each["mutant"]): each["outcome"] for each in finding["controls"]}


def _named_differences(
    name: str, what: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Difference]:
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            yield Difference(name, f"{what} {key}", before.get(key, "absent"), after.get(key, "absent"))


def _with_kept(record: Mapping[str, Any], old: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The record with the old findings in place of those of the same checks that were not run, and their verdict.

    An old finding on another statement, in words or in Coq, is not kept.
    """
    ran = {each["verdict"] for each in record["findings"]}
    if old is None or Verdict.NOT_RUN not in ran or any(old.get(word) != record.get(word) for word in WORDS):
        return record
    kept = {(each["tier"], each["name"]): each for each in old["findings"] if _is_stated(record["id"], each)}
    findings = [
        kept.get((each["tier"], each["name"]), each) if each["verdict"] == Verdict.NOT_RUN else each
        for each in record["findings"]
    ]
    whole = {**record, "findings": findings}
    if record["kind"] != Kind.EMPIRICAL:
        whole["verdict"] = overall([Verdict(each["verdict"]) for each in findings])
    return whole | ({"premises": old["premises"]} if _unsearched(record) else {})


def _is_stated(claim_id: str, finding: Mapping[str, Any]) -> bool:
    """Whether a proof kernel's finding is on the statement, and made of the definitions, that stand in the formal file
    now; true of all others."""
    if finding["tier"] != Tier.KERNEL:
        return True
    theorem = theorem_of(topic_of(claim_id).name, claim_id)
    if theorem is None:
        return False
    said = tuple(finding["details"].get(word) for word in STATED)
    return said == (theorem.text, meaning_of(theorem.file))


def _without_times(record: Mapping[str, Any]) -> dict[str, Any]:
    return {**record, "findings": [{**finding, "seconds": 0} for finding in record["findings"]]}


def _short(value: Any) -> str:
    return "none" if value is None else str(value.get("ratio", value))


def require_expected(effort: str) -> Report:
    """The committed report of an effort; raises InputError if there is none."""
    report = expected(effort)
    if report is None:
        raise InputError(f"the ledger has no section for effort {effort!r}", "write one with --update-ledger")
    return report
