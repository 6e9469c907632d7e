"""The checks that most claims share: the proof kernel on its theorem, the proof checker on its proof, a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headproof.checks.engines import coq, kernel
from headproof.checks.engines import property as property_engine
from headproof.checks.engines.decision import Decision
from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.registry import Check, Context
from headproof.theory.claim import Claim, Statement, Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.formal import Theorem, theorem_of

Cases = Callable[[Context], Any]


def kernel_checks(topic: str, claims: Iterable[Claim]) -> tuple[Check, ...]:
    """Tier `kernel`, for each claim of a topic that has a theorem in the topic's formal files."""
    stated = ((claim, theorem_of(topic, claim.id)) for claim in claims)
    return tuple(_kernel_check(claim, theorem) for claim, theorem in stated if theorem is not None)


def _kernel_check(claim: Claim, theorem: Theorem) -> Check:
    def decide(statement: Statement, context: Context) -> Decision:
        if statement is not claim.statement:
            raise InputError(f"{theorem.name} is about {claim.id} as it stands, and about no other statement")
        if coq.coqc() is None:
            return Decision(Verdict.NOT_RUN, "nothing", summary=coq.MISSING)
        try:
            found = kernel.results(theorem.file).get(theorem.name, {})
        except InputError as error:  # a file that does not compile says nothing of its theorems
            return Decision(Verdict.ERROR, "nothing", summary=str(error))
        if found.get("statement") != theorem.text:
            changed = f"theory/formal/{theorem.file}.v was changed during this run"
            return Decision(Verdict.ERROR, "nothing", summary=f"{changed}; run it again")
        axioms = kernel.text_of_axioms(found["axioms"])
        domain = f"all that {theorem.name} says in theory/formal/{theorem.file}.v; it rests on {axioms}"
        if reason := kernel.unfit(theorem, found):
            return Decision(Verdict.ERROR, domain, summary=reason)
        details = {
            "statement": theorem.text,
            "definitions": found["definitions"],
            "place": theorem.place,
            "controls": [_edited(claim, theorem, name, outcome) for name, outcome in found["mutants"].items()],
        }
        if not theorem.negated:
            return Decision(Verdict.HOLDS, domain, summary="accepted by Coq", details=details)
        if theorem.case is None:
            return Decision(Verdict.ERROR, domain, summary=f"{theorem.name} does not name its counterexample")
        case = statement.case_type.of_json(theorem.case)
        return Decision(Verdict.REFUTED, domain, case, summary="its negation is accepted by Coq", details=details)

    return Check(claim.id, Tier.KERNEL, decide)


def edit_title(claim: Claim, theorem: Theorem, name: str) -> str:
    """What a near miss of a theorem says: the words of the claim's mutant of that name; of a negation its name."""
    return name if theorem.negated else claim.mutant(name).title


def _edited(claim: Claim, theorem: Theorem, name: str, outcome: str) -> dict[str, Any]:
    """The record of a control: a near miss of the Coq statement, which its tactics must not prove."""
    refused = outcome == "rejected"
    return {
        "mutant": name,
        "title": edit_title(claim, theorem, name),
        "expected": "refuted",
        "outcome": "rejected" if refused else "upheld",
        "passed": refused,
        "case": None,
    }


def proof_check(claim: Claim) -> Check:
    """Tier `proof`: every step of the claim's proof, against the statement."""

    def decide(statement: Statement, context: Context) -> Decision:
        assert claim.proof is not None
        results = verify_proof(claim.proof, statement)
        failed = [result for result in results if not result.accepted]
        if failed:
            return Decision(Verdict.UNDECIDED, claim.domain, summary=f"{failed[0].title}: {failed[0].reason}")
        return Decision(Verdict.HOLDS, claim.domain, summary=f"{_steps(len(results))}, checked")

    return Check(claim.id, Tier.PROOF, decide)


def search_check(
    claim: Claim, cases: Cases, domain: Callable[[Context], str], quick: int = 120, full: int = 1000
) -> Check:
    """Tier `tested`: a search for a counterexample among the claim's cases, `quick` or `full` of them by effort."""

    def decide(statement: Statement, context: Context) -> Decision:
        examples = context.examples(quick, full)
        return property_engine.decide(statement, cases(context), examples, context.seed, domain(context))

    return Check(claim.id, Tier.TESTED, decide)


@dataclass(frozen=True)
class CaseSource:
    """Where the cases of one type come from: a strategy for a largest size, by effort, and the domain in words."""

    draw: Callable[[int], Any]
    sizes: tuple[int, int]
    text: str

    def cases(self, context: Context) -> Any:
        """The strategy at this effort."""
        return self.draw(context.examples(*self.sizes))

    def domain(self, context: Context) -> str:
        """What it covers at this effort."""
        return self.text.format(context.examples(*self.sizes))


def cases_of(sources: Mapping[Any, CaseSource], claim: Claim, context: Context) -> Any:
    """The strategy for the cases that a claim's statement is about."""
    return _source(sources, claim).cases(context)


def domain_of(sources: Mapping[Any, CaseSource], claim: Claim, context: Context) -> str:
    """What that strategy covers, in words."""
    return _source(sources, claim).domain(context)


def _source(sources: Mapping[Any, CaseSource], claim: Claim) -> CaseSource:
    assert claim.statement is not None
    return sources[claim.statement.case_type]


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"
