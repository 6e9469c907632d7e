"""Property-based search for a counterexample (tier `tested`): Hypothesis draws exact cases and shrinks its finds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.strategies import SearchStrategy

from headproof.checks.engines.decision import Decision
from headproof.theory.claim import Statement, Verdict


class _Falsified(Exception):
    """Raised inside a search when a case refutes the statement."""


@dataclass(frozen=True)
class Search:
    """What a search saw: cases drawn, cases that met the premises, and the simplest refuting case if any."""

    drawn: int
    met: int
    found: Any = None


def search(statement: Statement, cases: SearchStrategy[Any], examples: int, seed: int) -> Search:
    """Look for a case that meets the premises and violates the conclusion; the same seed draws the same cases."""
    drawn = met = 0
    found = None
    # A case that knows simpler cases is shrunk by `shrink`, in far fewer steps than its draws could be.
    phases = (Phase.generate,) if hasattr(statement.case_type, "smaller") else (Phase.generate, Phase.shrink)

    @hypothesis.seed(seed)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(cases)
    def attempt(case: Any) -> None:
        nonlocal drawn, met, found
        if found is None:
            drawn += 1
        if not statement.meets(case):
            return
        if found is None:
            met += 1
        if not statement.conclusion(case):
            found = case  # Hypothesis ends by replaying the simplest failing case, so the last one stays
            raise _Falsified

    with suppress(_Falsified):
        attempt()
    return Search(drawn, met, None if found is None else shrink(statement, found))


def shrink(statement: Statement, case: Any) -> Any:
    """The case after every simplification it offers (`case.smaller()`) that still refutes the statement.

    Hypothesis shrinks what was drawn; this shrinks what the claim is about. Ends since each step is simpler.
    """
    if not hasattr(case, "smaller"):
        return case
    while True:
        simpler = next((each for each in case.smaller() if statement.refuted_by(each)), None)
        if simpler is None:
            return case
        case = simpler


def decide(statement: Statement, cases: SearchStrategy[Any], examples: int, seed: int, domain: str) -> Decision:
    """Search, and say what was found: REFUTED, VACUOUS if no case met the premises, or HOLDS as far as tested."""
    seen = search(statement, cases, examples, seed)
    if seen.found is not None:
        return Decision(Verdict.REFUTED, domain, seen.found, f"case {seen.drawn} of the search refutes it")
    if seen.met == 0:
        return Decision(Verdict.VACUOUS, domain, summary=f"none of {seen.drawn} cases met the premises")
    return Decision(
        Verdict.HOLDS, f"{domain}; {examples} cases drawn", summary=f"{seen.met} of {seen.drawn} cases met the premises"
    )
