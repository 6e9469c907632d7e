"""The independent checker: takes a report and re-verifies, with the predicates of theory/ alone, what it exhibits.

It shares no code with the searches: it knows neither the engines that found a case nor how. For every
counterexample, refuted mutant and needed premise it decides the statement on the exact case from the report; it
recomputes the sharpness ratio; it checks every step of the claimed proofs; and it compares each verdict with the
evidence. What cannot be re-verified from a report (a search that found nothing, a measurement) it counts and names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.registry import claims
from headproof.theory.claim import Claim, Statement
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Item:
    """One thing re-verified: `accepted` is None where a report alone cannot show it."""

    claim: str
    what: str
    accepted: bool | None
    reason: str = ""


def verify_report(report: Mapping[str, Any]) -> list[Item]:
    """Re-verify a validated report. Postcondition: an item for every finding, control, premise and sharpness."""
    known = claims()
    items: list[Item] = []
    for record in report["claims"]:
        claim = known.get(record["id"])
        if claim is None:
            items.append(Item(record["id"], "claim", False, "no installed topic brings this claim"))
            continue
        items += _verify_record(claim, record)
    return items


def _verify_record(claim: Claim, record: Mapping[str, Any]) -> Iterator[Item]:
    yield Item(claim.id, "verdict follows from the findings", *_verdict(record))
    for finding in record["findings"]:
        yield _verify_finding(claim, finding)
        for control in finding["controls"]:
            if claim.statement is not None:
                yield _verify_control(claim, finding, control)
    for premise in record["premises"]:
        what = f"premise {premise['name']!r} is {premise['status']}"
        if premise["status"] == "needed" and claim.statement is not None:
            yield Item(claim.id, what, *_without_premise(claim.statement, premise))
        else:
            yield Item(claim.id, what, None, "a search that found nothing")
    if record["sharpness"] is not None:
        yield Item(claim.id, "sharpness", *_sharpness(claim, record["sharpness"]))


def _verdict(record: Mapping[str, Any]) -> tuple[bool, str]:
    """A verdict needs a finding that says so, and none that says the opposite."""
    said = [finding["verdict"] for finding in record["findings"]]
    verdict = record["verdict"]
    if any(not control["passed"] for finding in record["findings"] for control in finding["controls"]):
        return verdict == "ERROR", "a control failed"
    stronger = [each for each in ("ERROR", "REFUTED", "VACUOUS", "UNDECIDED") if each in said]
    expected = stronger[0] if stronger else verdict
    return verdict in said and verdict == expected, f"findings say {', '.join(said) or 'nothing'}"


def _verify_finding(claim: Claim, finding: Mapping[str, Any]) -> Item:
    what = f"{finding['tier']} {finding['name']}".strip() + f": {finding['verdict']}"
    if finding["verdict"] == "REFUTED":
        if claim.statement is None:
            return Item(claim.id, what, False, "an empirical claim has no counterexample")
        return Item(claim.id, what, *_refutes(claim.statement, finding["counterexample"]))
    if finding["verdict"] == "HOLDS" and finding["tier"] == "proof":
        if claim.proof is None or claim.statement is None:
            return Item(claim.id, what, False, "the claim has no proof")
        failed = [step for step in verify_proof(claim.proof, claim.statement) if not step.accepted]
        return Item(claim.id, what, not failed, f"{failed[0].title}: {failed[0].reason}" if failed else "")
    return Item(claim.id, what, None, "run headproof check to decide it again")


def _verify_control(claim: Claim, finding: Mapping[str, Any], control: Mapping[str, Any]) -> Item:
    what = f"mutant {control['mutant']!r} {control['outcome']} ({finding['tier']})"
    try:
        statement = _mutated(claim, control["mutant"])
    except InputError as error:
        return Item(claim.id, what, False, str(error))
    if control["outcome"] == "refuted":
        return Item(claim.id, what, *_refutes(statement, control["case"]))
    if finding["tier"] == "proof" and claim.proof is not None:
        upheld = all(step.accepted for step in verify_proof(claim.proof, statement))
        return Item(claim.id, what, upheld == (control["outcome"] == "upheld"), "checked with the claim's proof")
    return Item(claim.id, what, None, "run headproof check to decide it again")


def _mutated(claim: Claim, name: str) -> Statement:
    owner = claims()[claim.repair] if claim.repair else claim
    if claim.repair and name == "the repaired statement" and owner.statement is not None:
        return owner.statement
    return owner.mutant(name).statement


def _without_premise(statement: Statement, premise: Mapping[str, Any]) -> tuple[bool, str]:
    try:
        return _refutes(statement.without(premise["name"]), premise["case"])
    except InputError as error:
        return False, str(error)


def _refutes(statement: Statement, data: Mapping[str, Any] | None) -> tuple[bool, str]:
    if data is None:
        return False, "no case is given"
    try:
        case = statement.case_type.of_json(data)
        return statement.refuted_by(case), f"at {case}"
    except (InputError, TypeError, ValueError, KeyError) as error:
        return False, f"not a case of this claim: {error}"


def _sharpness(claim: Claim, sharpness: Mapping[str, Any]) -> tuple[bool, str]:
    statement = claim.statement
    if statement is None or statement.ratio is None:
        return False, "the claim is no bound"
    try:
        case = statement.case_type.of_json(sharpness["case"])
    except (InputError, TypeError, ValueError, KeyError) as error:
        return False, f"not a case of this claim: {error}"
    ratio = statement.ratio(case)
    return statement.meets(case) and str(ratio) == sharpness["ratio"], f"ratio {ratio} at {case}"
