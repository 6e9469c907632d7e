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


@pytest.mark.parametrize("file", DENIED)
def test_each_near_miss_is_false(file):
    """Its negation is proved."""
    proofs, denied = proofs_of(file), DENIED[file]
    assert {*proofs} == {*denied}
    texts = {", ".join(at): goal(f"~ ({statement})", proofs[at]) for at, statement in denied.items()}
    assert right_ones(file, texts) == {*texts}
