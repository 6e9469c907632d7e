"""Deciding one claim: every check on the statement, on its mutants and with each premise dropped; one record out."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from headproof.checks.engines import property as property_engine
from headproof.checks.engines.decision import Decision, criterion_met
from headproof.checks.registry import Check, Context, Measurement, Topic, claims, topic_of
from headproof.checks.standard import kernel_checks, proof_check
from headproof.theory.claim import Claim, Kind, Mutant, Statement, Tier, Verdict

Record = dict[str, Any]
AUDIT_EXAMPLES = 400
# Of a tier that a run leaves out.
NOT_ASKED = "not asked for"
# How many searches a mutant or a dropped premise gets, each with a seed of its own.
PATIENCE = 20
SEED_STEP = 1_000_003


def decide_claim(claim_id: str, context: Context, topic: Topic | None = None) -> Record:
    """The record of a claim with a statement: findings by tier with their controls, sharpness, premise audit.

    By default the claim is an installed topic's; `topic` is one that need not be installed.
    """
    known = _known(topic)
    topic = topic_of(claim_id) if topic is None else topic
    claim = known[claim_id]
    findings = [_asked(claim, check, context, known, topic.name) for check in topic.checks if check.claim == claim_id]
    record = blank_record(claim) | {"findings": findings}
    record["verdict"] = overall([Verdict(finding["verdict"]) for finding in findings])
    record["sharpness"] = _sharpness(claim, record["verdict"])
    if claim.repair and record["verdict"] is Verdict.HOLDS:
        raise AssertionError(f"{claim_id} holds, and yet {claim.repair} repairs it")
    # A refuted statement needs no premise to fail; its repair is audited.
    if record["verdict"] is not Verdict.REFUTED and context.asks_for(Tier.TESTED):
        record["premises"] = _audit(claim, topic, context)
    return record


def decide_measurement(measurement: Measurement, context: Context, topic: Topic | None = None) -> dict[str, Record]:
    """The records of the empirical claims that one measurement settles; `topic` is theirs if it is not installed."""
    known = _known(topic)
    started = time.perf_counter()
    decisions: Mapping[str, Decision]
    if missing := measurement.missing():
        reason = f"needs {', '.join(missing)}: pip install headproof[models]"
        decisions = dict.fromkeys(measurement.claims, Decision(Verdict.NOT_RUN, "nothing", summary=reason))
    else:
        decisions = measurement.measure(context)
    seconds = time.perf_counter() - started
    records = {}
    for claim_id in measurement.claims:
        decision = _by_criterion(known[claim_id], decisions[claim_id])
        finding = _finding_json(Tier.MEASURED, decision, seconds) | {"controls": decision.details.get("controls", [])}
        records[claim_id] = blank_record(known[claim_id]) | {
            "findings": [finding],
            "verdict": decision.verdict,
        }
    return records


def blank_record(claim: Claim) -> Record:
    """A claim's record with nothing decided yet."""
    return {
        "id": claim.id,
        "kind": claim.kind,
        "fidelity": claim.fidelity,
        "title": claim.title,
        "source": asdict(claim.source),
        "sentence": claim.sentence,
        "domain": claim.domain,
        "verdict": Verdict.NOT_RUN,
        "findings": [],
        "sharpness": None,
        "premises": [],
        "repair": claim.repair,
        "survives": claim.survives,
        "remarks": list(claim.remarks),
    }


def failed_record(claim: Claim, reason: str) -> Record:
    """The record of a claim whose decision ended in an error or ran out of time."""
    tier = Tier.MEASURED if claim.kind is Kind.EMPIRICAL else Tier.TESTED
    finding = _finding_json(tier, Decision(Verdict.ERROR, "nothing", summary=reason), 0.0) | {"controls": []}
    return blank_record(claim) | {"findings": [finding], "verdict": Verdict.ERROR}


def overall(verdicts: list[Verdict]) -> Verdict:
    """One verdict of several: an error shows, a refutation beats everything else, and no doubt passes for HOLDS.

    What was not run says nothing beside what was; where nothing was run, that is the verdict.
    """
    for verdict in (Verdict.ERROR, Verdict.REFUTED, Verdict.VACUOUS, Verdict.UNDECIDED):
        if verdict in verdicts:
            return verdict
    ran = set(verdicts) - {Verdict.NOT_RUN}
    if not ran:
        return Verdict.NOT_RUN if verdicts else Verdict.UNDECIDED
    return Verdict.HOLDS if ran == {Verdict.HOLDS} else Verdict.ERROR


def _by_criterion(claim: Claim, decision: Decision) -> Decision:
    """A measured decision, or an error where its verdict is not what its own numbers and controls say."""
    if decision.verdict in (Verdict.NOT_RUN, Verdict.ERROR):
        return decision
    if claim.supported_by is None:
        summary = f"{claim.id} has no supported_by, its criterion as a predicate on the numbers"
        return replace(decision, verdict=Verdict.ERROR, summary=summary)
    numbers = {name: number.value for name, number in decision.numbers.items()}
    if not_finite := [f"{name} is {value}" for name, value in numbers.items() if not math.isfinite(value)]:
        # No comparison can be trusted with one: it meets no bound, and differs from itself.
        return replace(decision, verdict=Verdict.ERROR, summary=f"a number is not finite: {not_finite[0]}", numbers={})
    ran = sorted(str(control["mutant"]) for control in decision.details.get("controls", []))
    if ran != sorted(claim.controls):
        summary = f"its controls are {', '.join(claim.controls) or 'none'}, and those run {', '.join(ran) or 'none'}"
        return replace(decision, verdict=Verdict.ERROR, summary=summary)
    try:
        met = criterion_met(claim, numbers, decision.details.get("controls", []))
    except KeyError as error:
        return replace(
            decision, verdict=Verdict.ERROR, summary=f"the criterion asks for {error}, which is not reported"
        )
    if decision.verdict is not (Verdict.SUPPORTED if met else Verdict.NOT_SUPPORTED):
        said = "meet" if met else "do not meet"
        summary = f"said to be {decision.verdict}, but numbers and controls {said} the criterion"
        return replace(decision, verdict=Verdict.ERROR, summary=summary)
    return decision


def _known(topic: Topic | None) -> Mapping[str, Claim]:
    """The claims that one may speak of: a given topic's own, else all installed ones."""
    return claims() if topic is None else {claim.id: claim for claim in topic.claims}


def _asked(claim: Claim, check: Check, context: Context, known: Mapping[str, Claim], topic: str) -> Record:
    """The finding of a check, or one that says that the run did not ask for its tier."""
    if not context.asks_for(check.tier):
        left = Decision(Verdict.NOT_RUN, "nothing", summary=NOT_ASKED)
        return _finding_json(check.tier, left, 0.0, check.name) | {"controls": []}
    if check.tier is Tier.KERNEL:
        return _kernel_finding(claim, topic, context)
    return _finding(claim, check, context, known)


def _kernel_finding(claim: Claim, topic: str, context: Context) -> Record:
    """The finding of the proof kernel on the topic's formal file, whatever the topic's check says of it.

    Its controls are edits of its own text; it brings them with its decision.
    """
    assert claim.statement is not None
    started = time.perf_counter()
    stated = kernel_checks(topic, [claim])
    if not stated:
        unstated = Decision(Verdict.ERROR, "nothing", summary=f"no formal file of the topic {topic} states it")
        return _finding_json(Tier.KERNEL, unstated, 0.0) | {"controls": []}
    (check,) = stated
    decision = check.decide(claim.statement, context)
    controls = list(decision.details.get("controls", ()))
    if decision.verdict in (Verdict.HOLDS, Verdict.REFUTED):
        decision = _with_case(claim.statement, decision)
        if problem := _failed_control(controls):
            decision = Decision(Verdict.ERROR, decision.domain, decision.counterexample, problem)
    return _finding_json(check.tier, decision, time.perf_counter() - started, check.name) | {"controls": controls}


def _failed_control(controls: list[Record]) -> str:
    if not controls:
        return "no near miss of it was tried, so that nothing shows that it could have failed"
    failures = [control for control in controls if not control["passed"]]
    return f"control failed: mutant {failures[0]['mutant']!r} came back {failures[0]['outcome']}" if failures else ""


def _with_case(statement: Statement, decision: Decision) -> Decision:
    """The decision, or an error where it refutes without a case that does."""
    case = decision.counterexample
    if decision.verdict is Verdict.REFUTED and (case is None or not statement.refuted_by(case)):
        return Decision(Verdict.ERROR, decision.domain, summary=f"what was found does not refute: {case}")
    return decision


def _finding(claim: Claim, check: Check, context: Context, known: Mapping[str, Claim]) -> Record:
    assert claim.statement is not None  # empirical claims have measurements, not checks
    started = time.perf_counter()
    if check.tier is Tier.PROOF:  # the proof checker's word counts, whatever a topic's check says
        if claim.proof is None:
            unproved = Decision(Verdict.ERROR, "nothing", summary="a check of tier proof, and the claim has no proof")
            return _finding_json(check.tier, unproved, 0.0, check.name) | {"controls": []}
        check = replace(proof_check(claim), name=check.name)
    tried = [_control(check, mutant, context) for mutant in _mutants(claim, known)]
    controls = [control for control, _ in tried]
    # The claim has to survive as many searches as its most elusive mutant took to be found; what is known to fail has
    # to be found as well.
    most = PATIENCE if claim.repair is not None else max((used for _, used in tried), default=1)
    decision, searches = _decide(check, claim.statement, context, most)
    if searches > 1 and decision.verdict is Verdict.HOLDS:
        decision = replace(decision, summary=f"{decision.summary}; {searches} searches, as many as a mutant took")
    if decision.verdict in (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.NOT_RUN):
        summary = f"a check of a statement answered {decision.verdict}, which is no decision"
        decision = Decision(Verdict.ERROR, decision.domain, summary=summary)
    decision = _with_case(claim.statement, decision)
    problem = _failed_control(controls)
    if problem and decision.verdict is not Verdict.VACUOUS:  # where no case was met, controls have met none either
        decision = Decision(Verdict.ERROR, decision.domain, decision.counterexample, problem)
    return _finding_json(check.tier, decision, time.perf_counter() - started, check.name) | {"controls": controls}


def _mutants(claim: Claim, known: Mapping[str, Claim]) -> list[Mutant]:
    """The claim's controls. A refuted claim's are its repair's mutants and, as one to uphold, the repair itself."""
    if claim.repair is None:
        return list(claim.mutants)
    repaired = known[claim.repair]
    assert repaired.statement is not None
    return [*repaired.mutants, Mutant("the repaired statement", repaired.title, repaired.statement, stronger=True)]


def _decide(check: Check, statement: Statement, context: Context, most: int) -> tuple[Decision, int]:
    """The check's decision and how many searches it took: one of tier `tested` that finds nothing is repeated with
    other seeds, up to `most` searches in all; one that meets no case is repeated until some search meets one."""
    decision = check.decide(statement, context)
    used = 1
    while check.tier is Tier.TESTED and used < (most if decision.verdict is Verdict.HOLDS else PATIENCE):
        if decision.verdict not in (Verdict.HOLDS, Verdict.VACUOUS):
            break
        again = check.decide(statement, replace(context, seed=context.seed + SEED_STEP * used))
        used += 1
        if again.verdict is not Verdict.VACUOUS:
            decision = again
    return decision, used


def _control(check: Check, mutant: Mutant, context: Context) -> tuple[Record, int]:
    """The control's record, and how many searches it took to refute the mutant."""
    # A search may miss a near miss by bad luck; a check that cannot find it in many searches is at fault.
    decision, used = _decide(check, mutant.statement, context, 1 if mutant.stronger else PATIENCE)
    case = decision.counterexample
    refuted = decision.verdict is Verdict.REFUTED and case is not None and mutant.statement.refuted_by(case)
    if mutant.stronger:
        passed = decision.verdict is Verdict.HOLDS
    elif check.tier is Tier.PROOF:
        passed = refuted or decision.verdict is Verdict.UNDECIDED  # the checker rejects the proof; others show a case
    else:
        passed = refuted
    outcome = {Verdict.HOLDS: "upheld", Verdict.REFUTED: "refuted"}.get(decision.verdict, "rejected")
    record = {
        "mutant": mutant.name,
        "title": mutant.title,
        "expected": "upheld" if mutant.stronger else "refuted",
        "outcome": outcome,
        "passed": passed,
        "case": decision.counterexample.to_json() if decision.counterexample is not None else None,
    }
    return record, used


def _sharpness(claim: Claim, verdict: Verdict) -> Record | None:
    """The ratio of left to right at the claim's own witness (rounded where it is irrational)."""
    statement = claim.statement
    if statement is None or statement.ratio is None or claim.witness is None:
        return None
    if not statement.meets(claim.witness):
        raise AssertionError(f"the sharpness witness of {claim.id} misses a premise")
    if verdict is Verdict.HOLDS and statement.refuted_by(claim.witness):
        raise AssertionError(f"{claim.id} fails at its own sharpness witness {claim.witness}")
    return {"ratio": str(statement.ratio(claim.witness)), "case": claim.witness.to_json()}


def _audit(claim: Claim, topic: Topic, context: Context) -> list[Record]:
    """Each premise dropped in turn: a counterexample shows that it is needed; silence of the search shows nothing."""
    assert claim.statement is not None
    audited = []
    for premise in claim.statement.premises:
        found = None
        if claim.id in topic.cases:
            cases = topic.cases[claim.id](context)
            dropped = claim.statement.without(premise.name)
            for extra in range(PATIENCE):
                seed = context.seed + SEED_STEP * extra
                found = property_engine.search(dropped, cases, AUDIT_EXAMPLES, seed).found
                if found is not None:
                    break
        audited.append(
            {
                "name": premise.name,
                "sentence": premise.sentence,
                "status": "needed" if found is not None else "not shown to be needed",
                "case": found.to_json() if found is not None else None,
            }
        )
    return audited


def _finding_json(tier: Tier, decision: Decision, seconds: float, name: str = "") -> Record:
    case = decision.counterexample
    return {
        "tier": tier,
        "name": name,
        "verdict": decision.verdict,
        "domain": decision.domain,
        "summary": decision.summary,
        "numbers": {name: number.to_json() for name, number in decision.numbers.items()},
        "counterexample": case.to_json() if case is not None else None,
        "counterexample_text": str(case) if case is not None else "",
        "details": {name: value for name, value in decision.details.items() if name != "controls"},
        "seconds": round(seconds, 3),
    }
