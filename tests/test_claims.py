"""What every claim of every topic must have: near misses, a proof or a stated domain, words a referee can read."""

from __future__ import annotations

import pytest

from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.registry import claims, topic_of
from headproof.theory.claim import Fidelity, Kind, Tier

CLAIMS = {name: claim for name, claim in claims().items() if claim.kind is not Kind.EMPIRICAL}
PROVED = {name: claim for name, claim in CLAIMS.items() if claim.proof is not None}
# The claim sheet's ids that are decided so far; compound claims stand below their id.
SHEET = (
    "dec.definitions",
    "dec.thm1",
    "dec.lemma1",
    "dec.thm2",
    "dec.thm3",
    "dec.thm4",
    "dec.thm5",
    "dec.cor1",
    "dec.thm6",
    "dec.thm7",
    "dec.scores",
    "dec.emp",
    "dec.toy",
    "dyn.tasks",
    "dyn.functions",
    "dyn.thm3.1",
    "dyn.lemmaF.1",
    "dyn.rem3.1",
    "dyn.def3.1",
    "dyn.thm3.2",
    "gen.additive",
    "gen.thm2",
)


@pytest.mark.parametrize("printed", SHEET)
def test_every_id_of_the_claim_sheet_is_there(printed):
    assert [name for name in CLAIMS if name == printed or name.startswith(f"{printed}.")]


@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_has_at_least_three_mutants(name):
    claim = CLAIMS[name]
    mutants = claim.mutants if claim.repair is None else claims()[claim.repair].mutants
    assert len(mutants) >= 3
    assert all(mutant.title for mutant in mutants)


@pytest.mark.parametrize("name", PROVED)
def test_every_proof_is_accepted(name):
    claim = PROVED[name]
    assert [result.reason for result in verify_proof(claim.proof, claim.statement) if not result.accepted] == []


@pytest.mark.parametrize(
    ("name", "mutant"), [(name, mutant.name) for name, claim in PROVED.items() for mutant in claim.mutants]
)
def test_a_proof_proves_a_mutant_only_if_that_is_true(name, mutant):
    claim = PROVED[name]
    found = claim.mutant(mutant)
    accepted = all(result.accepted for result in verify_proof(claim.proof, found.statement))
    assert accepted is found.stronger


@pytest.mark.parametrize("name", CLAIMS)
def test_what_is_not_proved_is_decided_on_a_stated_domain(name):
    claim = CLAIMS[name]
    tiers = {check.tier for check in topic_of(name).checks if check.claim == name}
    assert Tier.TESTED in tiers
    if claim.repair is None:
        assert tiers & {Tier.PROOF, Tier.EXACT, Tier.CERTIFIED}


@pytest.mark.parametrize("name", CLAIMS)
def test_words(name):
    claim = CLAIMS[name]
    assert claim.sentence.endswith(".")
    assert claim.domain
    assert not claim.domain.endswith(".")
    assert claim.latex
    if claim.repair is not None:
        repair = claims()[claim.repair]
        assert repair.fidelity is Fidelity.OURS or repair.repair is None
        assert claim.survives


@pytest.mark.parametrize("name", CLAIMS)
def test_the_witness_of_a_bound_meets_its_premises(name):
    claim = CLAIMS[name]
    if claim.witness is not None:
        assert claim.statement.meets(claim.witness)
        assert 0 < claim.statement.ratio(claim.witness) <= 1
