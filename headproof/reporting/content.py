"""What the report says of each claim, from the claim, its record and the proof checker: sections of entries."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from headproof.checks.deciding import blank_record
from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.registry import Topic, claims, topics
from headproof.checks.report import WORDS
from headproof.explaining import (
    FIDELITY,
    MOST_EXHIBITS,
    case_text,
    exhibit,
    form_blocks,
    related,
    step_lines,
)
from headproof.formal_text import formal_of, kept_out
from headproof.reporting.entries import UNRECORDED, Control, Entry, Finding, Premise, Section, Step
from headproof.reporting.numbers import only_lists, ratio_text, rows
from headproof.tabulating import shortest_counterexample, tiers
from headproof.theory.claim import SOURCES, Claim

Records = Mapping[str, Mapping[str, Any]]
# A remark that so many claims of a topic share stands once, at the topic's head.
SHARED_BY = 3
MOST_RELATED = 8


def sections(
    chosen: list[str], records: Records, efforts: Mapping[str, str], step: Callable[[str, int, int], None]
) -> tuple[Section, ...]:
    """A section for each topic of the chosen claims. Proofs are checked now; `step` is told of each claim.

    `efforts[claim]` says at which effort its record was made.
    """
    wanted = set(chosen)
    repairs: dict[str, list[str]] = {}
    for claim in claims().values():
        if claim.repair:
            repairs.setdefault(claim.repair, []).append(claim.id)
    made = []
    done = 0
    for topic in topics():
        mine = [claim for claim in topic.claims if claim.id in wanted]
        notes = _shared(mine)
        entries = []
        for claim in mine:
            done += 1
            entries.append(
                _entry(claim, topic, records.get(claim.id), efforts.get(claim.id, ""), repairs.get(claim.id, []), notes)
            )
            step(claim.id, done, len(wanted))
        if entries:
            made.append(Section(topic.name, topic.title, tuple(notes), tuple(entries)))
    return tuple(made)


def changed_words(records: Records) -> list[str]:
    """Ids of the records that say their claim in other words than the installed topics do."""
    known = claims()
    return [
        name
        for name, record in records.items()
        if any(record.get(word) != blank_record(known[name])[word] for word in WORDS)
    ]


def models(records: Records) -> dict[str, str]:
    """SHA-256 of what was measured, by its name."""
    found: dict[str, str] = {}
    for record in records.values():
        for finding in record["findings"]:
            found |= {each["name"]: each["sha256"] for each in _measured_things(finding)}
    return found


def _shared(mine: list[Claim]) -> list[str]:
    counted = Counter(remark for claim in mine for remark in claim.remarks)
    return [remark for remark, times in counted.items() if times >= SHARED_BY]


def _entry(
    claim: Claim, topic: Topic, record: Mapping[str, Any] | None, effort: str, repairs: list[str], notes: list[str]
) -> Entry:
    found = list(record["findings"]) if record is not None else []
    sharp = record["sharpness"] if record is not None else None
    return Entry(
        id=claim.id,
        topic=topic.name,
        title=claim.title,
        kind=str(claim.kind),
        fidelity=FIDELITY[claim.fidelity],
        source=claim.source.key,
        place=claim.source.place,
        sentence=claim.sentence,
        latex=claim.latex,
        domain=claim.domain,
        criterion=claim.criterion,
        premises=_premises(claim, record),
        form=tuple(
            (intro, tuple(lines)) for intro, lines in form_blocks(claim.statement.form if claim.statement else None)
        ),
        remarks=tuple(remark for remark in claim.remarks if remark not in notes),
        notes=tuple(number for number, note in enumerate(notes, 1) if note in claim.remarks),
        steps=_steps(claim),
        formal=formal_of(claim, topic.name, record),
        kept_out=kept_out(claim),
        verdict=str(record["verdict"]) if record is not None else UNRECORDED,
        effort=effort,
        tiers=tuple(tiers(dict(record))) if record is not None else (),
        findings=tuple(map(_finding, found)),
        controls=_controls(found),
        counterexample=shortest_counterexample(found),
        repair=claim.repair or "",
        repair_title=claims()[claim.repair].title if claim.repair else "",
        survives=claim.survives,
        repairs=tuple(repairs),
        sharpness=ratio_text(sharp["ratio"]) if sharp else "",
        sharp_at=case_text(claim, sharp["case"]) if sharp else "",
        related=_nearest(claim.id),
        measured=_measured_by(found),
        models=tuple(dict.fromkeys(str(each["name"]) for finding in found for each in _measured_things(finding))),
    )


def _form(claim: Claim) -> tuple[tuple[str, tuple[str, ...]], ...]:
    form = claim.statement.form if claim.statement is not None else None
    return tuple((intro, tuple(lines)) for intro, lines in form_blocks(form))


def _premises(claim: Claim, record: Mapping[str, Any] | None) -> tuple[Premise, ...]:
    audited = {each["name"]: each for each in (record["premises"] if record is not None else [])}
    made = []
    for premise in claim.statement.premises if claim.statement is not None else ():
        audit = audited.get(premise.name, {"status": "", "case": None})
        fails = case_text(claim, audit["case"]) if audit["case"] else ""
        made.append(Premise(premise.name, premise.sentence, audit["status"], fails))
    return tuple(made)


def _steps(claim: Claim) -> tuple[Step, ...]:
    """The proof, checked now; what the checker misses in it comes as a step that is not accepted."""
    if claim.proof is None or claim.statement is None:
        return ()
    results = verify_proof(claim.proof, claim.statement)
    steps = [
        Step(step.title, step.why, tuple(step_lines(step)), result.accepted, result.reason)
        for step, result in zip(claim.proof.steps, results, strict=False)
    ]
    missing = results[len(steps) :]
    return tuple(steps) + tuple(Step(each.title, "", (), each.accepted, each.reason) for each in missing)


def _finding(finding: Mapping[str, Any]) -> Finding:
    numbers = finding["numbers"]
    exhibits = [
        (label, [exhibit(each) for each in listed])
        for label, listed in finding.get("details", {}).items()
        if isinstance(listed, list)
    ]
    return Finding(
        tier=finding["tier"],
        name=finding["name"],
        verdict=finding["verdict"],
        domain=finding["domain"],
        summary="" if only_lists(finding["summary"], numbers) else finding["summary"],
        numbers=rows(numbers, finding["summary"]),
        exhibits=tuple((label, text) for label, texts in exhibits for text in texts[:MOST_EXHIBITS]),
        left_out=sum(max(0, len(texts) - MOST_EXHIBITS) for _, texts in exhibits),
    )


def _controls(findings: list[Mapping[str, Any]]) -> tuple[Control, ...]:
    ran = [(finding, control) for finding in findings for control in finding["controls"]]
    made = []
    for title in dict.fromkeys(_control_title(control) for _, control in ran):
        mine = [(finding, control) for finding, control in ran if _control_title(control) == title]
        outcomes = tuple((_check_name(finding), str(control["outcome"])) for finding, control in mine)
        passed = all(control["passed"] for _, control in mine)
        made.append(Control(title, str(mine[0][1]["expected"]), outcomes, passed))
    return tuple(made)


def _control_title(control: Mapping[str, Any]) -> str:
    return str(control.get("title") or control["mutant"])


def _check_name(finding: Mapping[str, Any]) -> str:
    return f"{finding['tier']}, {finding['name']}" if finding["name"] else str(finding["tier"])


def _nearest(claim_id: str) -> tuple[str, ...]:
    """Of the claims of the same group those whose ids share most with this one's."""
    mine = claim_id.split(".")

    def shared(other: str) -> int:
        pairs = zip(mine, other.split("."), strict=False)
        return next((index for index, (one, two) in enumerate(pairs) if one != two), len(mine))

    return tuple(sorted(related(claim_id), key=lambda other: -shared(other))[:MOST_RELATED])


def _measured_things(finding: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a finding measured, each with name and hash."""
    held = finding.get("details", {}).values()
    return [each for each in held if isinstance(each, dict) and {"name", "sha256"} <= set(each)]


def _measured_by(findings: list[Mapping[str, Any]]) -> str:
    """The command that made the committed measurement which a record replays, if it does."""
    for finding in findings:
        kept = finding.get("details", {}).get("measured")
        if isinstance(kept, str):
            return str(json.loads(kept).get("command", ""))
    return ""


def cited(made: tuple[Section, ...]) -> dict[str, str]:
    """The sources that the entries cite, in full, by their keys."""
    return {entry.source: SOURCES[entry.source] for each in made for entry in each.entries if entry.source in SOURCES}
