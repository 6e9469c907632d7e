"""The checks that most claims share: the proof checker on a claim's proof, a property-based search over its cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headproof.checks.engines import property as property_engine
from headproof.checks.engines.decision import Decision
from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.registry import Check, Context
from headproof.theory.claim import Claim, Statement, Tier, Verdict

Cases = Callable[[Context], Any]


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
