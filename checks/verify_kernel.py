"""The part of the independent checker that holds a proof kernel's finding against the formal file that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headproof.theory.claim import Claim
from headproof.theory.formal import meaning_of, theorem_of
from headproof.theory.formal.rules import ALLOWED, CLOSED

Answer = tuple[bool | None, str]
NOT_SHOWN: Answer = (None, "run headproof check to decide it again")


def kernel_answer(claim: Claim, topic: str, finding: Mapping[str, Any]) -> Answer:
    """Whether a proof kernel's finding says what the formal file says; that Coq accepts it, a report cannot show."""
    theorem = theorem_of(topic, claim.id)
    if theorem is None:
        return False, "no formal file states it"
    if finding["details"].get("statement") != theorem.text:
        return False, f"its statement is not the one of {theorem.place}"
    if finding["details"].get("definitions") != meaning_of(theorem.file):
        return False, f"the definitions of {theorem.file}.v are others now"
    if (finding["verdict"] == "REFUTED") != theorem.negated:
        return False, f"{theorem.name} says otherwise"
    rests = finding["domain"].rpartition(" it rests on ")[2].split(", ")
    if foreign := [axiom for axiom in rests if axiom not in (*ALLOWED, CLOSED)]:
        return False, f"it rests on {', '.join(foreign)}"
    ran = [(control["mutant"], control["outcome"], control["passed"]) for control in finding["controls"]]
    if ran != [(edit.name, "rejected", True) for edit in theorem.mutants]:
        return False, f"its controls are {', '.join(edit.name for edit in theorem.mutants)}, all to be rejected"
    return NOT_SHOWN
