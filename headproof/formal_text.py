"""What there is to say of a claim in Coq: its theorem as it stands in the formal file, or what keeps the claim out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Any

from headproof.checks.engines.coq import MISSING
from headproof.checks.standard import edit_title
from headproof.theory.claim import Claim, Kind, Tier
from headproof.theory.formal import Theorem, path_of, reason_outside, theorem_of

RESTS = " it rests on "
UNRECORDED = "no record says what it rests on"


@dataclass(frozen=True)
class Formal:
    """A claim's theorem, or the negation that refutes it: `axioms` is what its proof rests on, by the record.

    `edits` are its near misses, each as title, text and what the text is changed to, on all of which its tactics fail.
    """

    name: str
    file: str
    line: int
    place: str
    says: str
    statement: tuple[str, ...]
    negated: bool
    axioms: str
    edits: tuple[tuple[str, str, str], ...]


def formal_of(claim: Claim, topic: str, record: Mapping[str, Any] | None) -> Formal | None:
    """What the formal files of a topic and the record say of a claim; None where the files do not state it."""
    theorem = theorem_of(topic, claim.id)
    if theorem is None:
        return None
    found = [each for each in (record or {"findings": []})["findings"] if each["tier"] == Tier.KERNEL]
    rests = found[0]["domain"].rpartition(RESTS)[2] if found and RESTS in found[0]["domain"] else UNRECORDED
    return Formal(
        theorem.name,
        theorem.file,
        theorem.line,
        theorem.place,
        _without_id(theorem, claim),
        tuple(indent(dedent(theorem.statement).strip("\n"), "  ").splitlines()),
        theorem.negated,
        rests,
        tuple((edit_title(claim, theorem, each.name), each.old, each.new) for each in theorem.mutants),
    )


def kept_out(claim: Claim) -> str:
    """What keeps a claim out of the tier `kernel`, on one line; "" for one that is empirical, or that nobody asked."""
    return "" if claim.kind is Kind.EMPIRICAL else reason_outside(claim.id) or ""


def formal_lines(claim: Claim, topic: str, record: Mapping[str, Any] | None) -> Iterator[str]:
    """The section of `headproof explain`."""
    formal = formal_of(claim, topic, record)
    if formal is None:
        if reason := kept_out(claim):
            yield "## In Coq"
            yield ""
            yield f"Not stated: {reason}."
        elif any(each["tier"] == Tier.KERNEL for each in (record or {"findings": []})["findings"]):
            yield "## In Coq"
            yield ""
            yield "No theorem now: no formal file states what the ledger says that Coq has accepted."
        return
    yield "## In Coq"
    yield ""
    yield formal.says
    yield ""
    yield f"    Theorem {formal.name} :"
    yield from (f"    {line}" for line in formal.statement)
    yield ""
    yield f"Rests on: {formal.axioms}. Proof and definitions: `{path_of(formal.file)}`, line {formal.line}."
    yield ""
    yield f"`headproof check {claim.id} --tier kernel` has Coq check it; that {MISSING}."
    yield ""
    yield "The same tactics must fail on each of its near misses:"
    yield ""
    yield from (f"- {title}: `{old}` made `{new}`" for title, old, new in formal.edits)


def _without_id(theorem: Theorem, claim: Claim) -> str:
    """The comment above a theorem, less the id with which it begins."""
    return theorem.doc.removeprefix(claim.id).lstrip(".: ")
