"""The independent checker: takes a report and re-verifies what it exhibits, without the searches that found it.

It knows neither the engines that find a case nor how. For every counterexample, refuted mutant and needed premise it
decides the statement, by the definitions of theory/, on the exact case from the report; it recomputes the sharpness
ratio; it runs the proof checker over every claimed proof; and it compares every verdict, control and word with the
claim as it is registered. What a report alone cannot show (a search that found nothing, a measurement) it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from headproof.checks.engines.decision import criterion_met
from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.registry import claims, topic_of
from headproof.checks.report import WORDS
from headproof.checks.verify_kernel import NOT_SHOWN, Answer, kernel_answer
from headproof.theory.claim import Claim, Kind, Mutant, Statement, Tier
from headproof.theory.errors import InputError

OF_STATEMENTS = ("HOLDS", "REFUTED", "UNDECIDED", "VACUOUS", "ERROR")
OF_MEASUREMENTS = ("SUPPORTED", "NOT SUPPORTED", "NOT RUN", "ERROR")
REPAIRED = "the repaired statement"


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
        name = record["id"]
        twice = any(item.claim == name for item in items)
        if twice or name not in known:
            said = "it stands in the report twice" if twice else "no installed topic brings it; install its package"
            items.append(Item(name, "claim", False, said))
        else:
            items += (Item(name, what, *answer) for what, answer in _verify_record(known[name], record))
    return items or [Item("report", "claims", False, "the report has none")]


def _verify_record(claim: Claim, record: Mapping[str, Any]) -> Iterator[tuple[str, Answer]]:
    yield "its words are the claim's", _words(claim, record)
    yield "verdict follows from the findings", _verdict(claim, record)
    for finding in record["findings"]:
        label = f"{finding['tier']} {finding['name']}".strip()
        yield f"{label}: {finding['verdict']}", _finding(claim, finding)
        if finding["verdict"] in ("ERROR", "NOT RUN"):
            continue
        if finding["tier"] == Tier.KERNEL:
            yield f"{label}: statement, axioms and controls", kernel_answer(claim, topic_of(claim.id).name, finding)
            continue
        mutants = {mutant.name: mutant for mutant in _mutants(claim)}
        ran = [control["mutant"] for control in finding["controls"]]
        if sorted(ran) != sorted([*mutants, *claim.controls]):
            yield f"{label}: controls", (False, f"those run are {', '.join(ran) or 'none'}")
        if claim.statement is not None:
            for control in finding["controls"]:
                what = f"mutant {control['mutant']!r} {control['outcome']} ({label})"
                yield what, _control(claim, finding, control, mutants.get(control["mutant"]))
    checks = [(str(c.tier), c.name) for c in topic_of(claim.id).checks if c.claim == claim.id] or [(Tier.MEASURED, "")]
    if record["verdict"] != "ERROR" and sorted(checks) != sorted((f["tier"], f["name"]) for f in record["findings"]):
        yield "findings", (False, f"the claim's checks are {', '.join(tier for tier, _ in checks)}")
    searched = any(f["tier"] == Tier.TESTED and f["verdict"] != "NOT RUN" for f in record["findings"])
    if claim.statement is not None and record["verdict"] == "HOLDS" and searched:
        asked = sorted((premise.name, premise.sentence) for premise in claim.statement.premises)
        if asked != sorted((premise["name"], premise.get("sentence")) for premise in record["premises"]):
            yield "premises", (False, f"the claim's premises are {', '.join(name for name, _ in asked) or 'none'}")
        if (record["sharpness"] is None) != (claim.witness is None):
            yield "sharpness", (False, "the claim's witness is left out")
    for premise in record["premises"]:
        yield f"premise {premise['name']!r} is {premise['status']}", _premise(claim, premise)
    if record["sharpness"] is not None:
        yield "sharpness", _sharpness(claim, record["sharpness"])


def _words(claim: Claim, record: Mapping[str, Any]) -> Answer:
    own: dict[str, Any] = {name: getattr(claim, name) for name in WORDS}
    own |= {"source": asdict(claim.source), "remarks": list(claim.remarks)}
    for name in WORDS:
        if record.get(name) != own[name]:
            return False, f"its {name} is {record.get(name)!s:.80}, not {own[name]!s:.80}"
    return True, ""


def _verdict(claim: Claim, record: Mapping[str, Any]) -> Answer:
    """A verdict needs a finding that says so and none that outweighs it."""
    said = [finding["verdict"] for finding in record["findings"]]
    verdict = record["verdict"]
    if verdict == "HOLDS" and claim.repair is not None:
        return False, f"the claim is known to fail: it is repaired by {claim.repair}"
    if claim.kind is not Kind.EMPIRICAL and not all(c["passed"] for f in record["findings"] for c in f["controls"]):
        return verdict == "ERROR", "a control failed"
    outweighing = [each for each in ("ERROR", "REFUTED", "VACUOUS", "UNDECIDED") if each in said]
    borne = verdict in said and verdict == (outweighing[0] if outweighing else verdict)
    return borne, f"findings say {', '.join(said) or 'nothing'}"


def _finding(claim: Claim, finding: Mapping[str, Any]) -> Answer:
    if finding["verdict"] == "ERROR" or (finding["verdict"] == "NOT RUN" and claim.kind is not Kind.EMPIRICAL):
        return None, finding["summary"]
    if finding["verdict"] not in (OF_MEASUREMENTS if claim.kind is Kind.EMPIRICAL else OF_STATEMENTS):
        return False, f"{finding['verdict']} is no verdict on a claim of kind {claim.kind}"
    if finding["verdict"] == "REFUTED":
        return _refutes(claim.statement, finding["counterexample"], finding.get("counterexample_text"))
    if finding["counterexample"] is not None or finding.get("counterexample_text"):
        return False, f"{finding['verdict']} with a counterexample"
    if claim.supported_by is not None and finding["verdict"] in ("SUPPORTED", "NOT SUPPORTED"):
        return _criterion(claim, finding)
    if finding["tier"] == "proof" and claim.statement is not None and claim.proof is not None:
        failed = [step for step in verify_proof(claim.proof, claim.statement) if not step.accepted]
        if finding["domain"] != claim.domain:
            return False, f"a proof covers {claim.domain}, not {finding['domain']!s:.80}"
        return (finding["verdict"] == "HOLDS") == (not failed), failed[0].reason if failed else "the proof checks"
    return NOT_SHOWN


def _criterion(claim: Claim, finding: Mapping[str, Any]) -> Answer:
    """Whether the reported numbers meet the claim's criterion, as the verdict says; the numbers are not measured."""
    numbers = {name: number["value"] for name, number in finding["numbers"].items()}
    try:
        met = criterion_met(claim, numbers, finding["controls"])
    except KeyError as error:
        return False, f"the number {error} is not reported"
    if met != (finding["verdict"] == "SUPPORTED"):
        return False, "by its criterion the numbers in the report say otherwise"
    return None, "it follows from the reported numbers; run headproof check to measure them"


def _mutants(claim: Claim) -> list[Mutant]:
    if claim.repair is None:
        return list(claim.mutants)
    repair = claims()[claim.repair]
    whole = [Mutant(REPAIRED, repair.title, repair.statement, stronger=True)] if repair.statement is not None else []
    return [*repair.mutants, *whole]


def _control(claim: Claim, finding: Mapping[str, Any], control: Mapping[str, Any], mutant: Mutant | None) -> Answer:
    if mutant is None:
        return False, "the claim has no such mutant"
    wanted = "upheld" if mutant.stronger else "refuted"
    if control["expected"] != wanted:
        return False, f"it should be {wanted}"
    fits = [wanted, "rejected"] if finding["tier"] == "proof" and not mutant.stronger else [wanted]
    met = control["outcome"] in fits
    if control["passed"] != met:
        return False, f"passed is {control['passed']}, but it came back {control['outcome']}"
    if control.get("title") != mutant.title:
        return False, f"its title is not {mutant.title!r}"
    if control["outcome"] == "refuted":
        return _refutes(mutant.statement, control["case"])
    if control["case"] is not None:
        return False, "a case that refutes nothing"
    if finding["tier"] == "proof" and claim.proof is not None:
        upheld = all(step.accepted for step in verify_proof(claim.proof, mutant.statement))
        return upheld == (control["outcome"] == "upheld"), "checked with the claim's proof"
    return NOT_SHOWN


def _premise(claim: Claim, premise: Mapping[str, Any]) -> Answer:
    if claim.statement is None or premise["name"] not in {each.name for each in claim.statement.premises}:
        return False, "the claim has no such premise"
    if premise["status"] == "needed":
        return _refutes(claim.statement.without(premise["name"]), premise["case"])
    if premise["status"] == "redundant" or premise["case"] is not None:
        return False, "nothing shows it"
    return None, "a search that found nothing"


def _refutes(statement: Statement | None, data: Mapping[str, Any] | None, text: str | None = None) -> Answer:
    if statement is None or data is None:
        return False, "no case is given"
    try:
        case = statement.case_type.of_json(data)
        if text is not None and text != str(case):
            return False, f"counterexample and its text disagree: {case} / {text:.80}"
        return statement.refuted_by(case), f"at {case}"
    except (InputError, TypeError, ValueError, KeyError) as error:
        return False, f"not a case of this claim: {error}"


def _sharpness(claim: Claim, sharpness: Mapping[str, Any]) -> Answer:
    """The ratio at the claim's own witness; another case may have a smaller one."""
    statement, witness = claim.statement, claim.witness
    if statement is None or statement.ratio is None or witness is None:
        return False, "the claim is no bound with a witness"
    ratio = statement.ratio(witness)
    same = sharpness["case"] == witness.to_json() and sharpness["ratio"] == str(ratio)
    return statement.meets(witness) and same, f"ratio {ratio} at {witness}"
