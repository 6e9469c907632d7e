"""What a theorem denies is denied for a reason: each near miss of a negation is proved false in Coq.

A theorem that denies a claim has near misses that deny it mended in one place. That its tactics fail on them would say
little if the mended claim were no truer than the printed one; so each near miss has a proof of its own negation, mostly
from the theorem that upholds the mended claim. The proofs stand in `near_misses`, a file for each formal file, below
lines that name theorem and near miss; what they prove is read from the formal file.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from coq_words import goal, right_ones

from headproof.checks.engines import coq
from headproof.checks.registry import topics
from headproof.theory import formal
from headproof.theory.formal import rules

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
PROOFS = Path(__file__).with_name("near_misses")
NAMED = re.compile(r"^\(\*\* (\w+), near miss: (.+) \*\)$", re.M)
DENIED = {
    file: {(each.name, edit.name): edit.statement for each in denied for edit in each.mutants}
    for topic in topics()
    for file in formal.files_of(topic.name)
    if (denied := [theorem for theorem in formal.theorems(file).values() if theorem.negated])
}


def proofs_of(file: str) -> dict[tuple[str, str], str]:
    """Tactics by theorem and near miss."""
    before, *rest = NAMED.split((PROOFS / f"{file}.v").read_text("utf-8"))
    assert before == "", "tactics for no near miss"
    found = {(name, miss): tactics for name, miss, tactics in zip(*[iter(rest)] * 3, strict=True)}
    assert len(found) * 3 == len(rest), "two proofs for one near miss"
    return found


def test_each_file_with_negations_has_proofs():
    assert {path.stem for path in PROOFS.glob("*.v")} == {*DENIED}


def leaves_its_proof(tactics: str) -> bool:
    """Whether a text is more than tactics: it could close the goal, or declare what it needs, and prove another one."""
    words = [*rules.FORBIDDEN, "Qed"]
    bare = rules.without_comments(tactics)
    return rules.NOT_IN_SCRIPTS.search(bare) is not None or any(re.search(rf"\b{word}\b", bare) for word in words)


@pytest.mark.parametrize(
    "tactics", ["Abort. Goal True. Proof. exact I.", "Axiom x : False. by case: x.", "by []. Qed. Goal True. exact I."]
)
def test_what_is_more_than_tactics_is_no_proof(tactics):
    assert leaves_its_proof(tactics)


@pytest.mark.parametrize("file", DENIED)
def test_each_near_miss_is_false(file):
    """Its negation is proved, by tactics alone, so that what is proved is what stands in the goal."""
    proofs, denied = proofs_of(file), DENIED[file]
    assert {*proofs} == {*denied}
    assert [at for at, tactics in proofs.items() if leaves_its_proof(tactics)] == []
    texts = {", ".join(at): goal(f"~ ({statement})", proofs[at]) for at, statement in denied.items()}
    assert right_ones(file, texts) == {*texts}
