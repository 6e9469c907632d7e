"""What the proofs about disentanglement demand and what they leave to words; near misses to check by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from other_tiers import decided

from headproof.checks.disentanglement import CLAIMS, polar_cases
from headproof.checks.engines.symbolic import verify_proof
from headproof.explaining import explain
from headproof.theory.angles import Angle, UndecidedSign
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.claim import Tier
from headproof.theory.cosine_sums import ONE, cosine
from headproof.theory.cosine_sums import ratio as ratio_of
from headproof.theory.cosine_sums import value as sum_value
from headproof.theory.derivation import Derivation
from headproof.theory.disentanglement.additive_claims import interaction, largest
from headproof.theory.disentanglement.cases import InteractionCase, PolarCase
from headproof.theory.disentanglement.exclusion_claims import additive, cost, ratio
from headproof.theory.disentanglement.heads import axis, is_along_axis
from headproof.theory.disentanglement.plane_claims import equality, interaction_bound
from headproof.theory.disentanglement.scatter_claims import anova, turning
from headproof.theory.disentanglement.sharp_claims import sharp
from headproof.theory.disentanglement.slow_claims import pattern, slow_form
from headproof.theory.disentanglement.tables import mean_square_effect
from headproof.theory.exclusion.claims import CHAIN
from headproof.theory.proof import IN_WORDS, ConcludeMeans, ConcludeRelation, Conjunction, Proof

F = Fraction


def rejected(steps, claim):
    return [result.title for result in verify_proof(Proof(tuple(steps)), claim.statement) if not result.accepted]


# -- what a proof must have ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_no_part_of_a_proof_can_be_left_out(claim):
    """Conclusions and derivations are demanded by the statement's form; other steps say why."""
    steps = claim.proof.steps
    assert rejected(steps, claim) == []
    for step in steps:
        if isinstance(step, ConcludeRelation | ConcludeMeans | Derivation):
            assert rejected([each for each in steps if each is not step], claim), step.title


def test_the_way_to_additivity_is_demanded():
    assert rejected([step for step in additive.proof.steps if step in CHAIN], additive)
    assert rejected([additive.proof.steps[-1]], additive) == [
        "the bound is attained only where each entry is the mean of its two logits"
    ]
    (condition,) = next(iter(additive.statement.form.relations.values())).equality_conditions
    assert str(condition) == "2*M_jk - lambda_j - lambda_k"


def test_the_cost_says_all_that_is_printed():
    pairs, equal, least = cost.statement.form.relations.values()
    assert {term.over for term in pairs.left} == {"permutations"}
    assert (equal.relation, least.relation) == ("==", "<=")
    assert equal.right == least.right
    assert rejected(cost.proof.steps[:-1], cost) == [list(cost.statement.form.relations)[-1]]


def test_the_sharp_bound_starts_from_the_definition():
    form = sharp.statement.form
    assert isinstance(form, Conjunction)
    titles = set(form.titles)
    assert {"a mean square around the mean", "a mean product around the means"} <= titles
    assert {"their sines add up to 0", "where the closed form says nothing, one more"} <= titles
    assert {"one position more", "one content more", "the mean square over the table"} <= titles
    assert "one entry" not in titles
    assert {"one position more", "one content more", "the mean square over the table"} <= set(
        anova.statement.form.titles
    )


def test_what_is_said_in_words_is_said():
    concerned = (interaction_bound, equality, slow_form, pattern, turning, anova, sharp, largest, additive, cost)
    assert [claim.id for claim in CLAIMS if IN_WORDS in claim.remarks] == [
        claim.id for claim in CLAIMS if claim in concerned
    ]


def test_a_conjunction_is_explained():
    text = explain("gen.exclusion.cost")
    assert "Part, the bound is a sum over pairs of keys." in text
    assert "REJECTED" not in text
    assert text.count("As data") == 3
    assert "then R + x^2" in explain("gen.thm2.anova-sharp")


def test_what_is_0_over_0_is_said():
    assert "where the bound is not" in ratio.latex
    assert ratio.remarks[0].startswith("Where the bound is not 0")
    assert ratio.statement.ratio is None
    assert ratio.statement.conclusion(TableCase.of([[2, 2], [2, 2]]))
    assert ratio.statement.conclusion(TableCase.of([[2]]))
    assert "At multiples of 2 pi" in " ".join(anova.remarks)
    assert "|D| = 1 at multiples of 2 pi" in sharp.remarks[0]
    assert "odd multiples" not in InteractionCase.__doc__


@pytest.mark.parametrize(("d", "d0"), [(3, 1), (1, 3), (5, 2), (2, 9)])
@pytest.mark.parametrize("angle", [0.3, 1.1, 2.0])
def test_the_direction_that_attains_the_bound(angle, d, d0):
    """The query turned back by the mean angle and a quarter more where the sine is positive, opposite elsewhere."""
    q = 2 - 1j
    steep = q * (np.exp(-1j * angle * d) - np.exp(-1j * angle * d0))
    turned = q * np.exp(-1j * angle * (d + d0) / 2) * np.exp(-1j * np.pi / 2)
    sine = np.sin(angle * (d - d0) / 2)
    assert steep == pytest.approx(2 * sine * turned)
    assert "opposite to that where it is negative" in " ".join(equality.remarks)


# -- ratios that are decimals --------------------------------------------------------------------------------------


def polar(turns, phases, quiet, d, d0, eps=0, eta="0"):
    rows = (tuple(map(F, each)) for each in (turns, phases, [1] * len(turns), [1] * len(turns), quiet))
    return PolarCase(*rows, d, d0, F(eps), Angle.parse(eta))


def test_ratios_that_an_enclosure_cannot_tell():
    nothing = polar([F(1, 6)], [F(-1, 2)], [0], 2, 4, eta="1/3 pi")
    assert slow_form.statement.ratio(nothing) == pattern.statement.ratio(nothing) == 0
    quarter = polar([F(1, 10)], [0], [1], 2, 4, eps=1)  # cos(pi / 5) - cos(2 pi / 5) = 1/2
    assert pattern.statement.ratio(quarter) == F(1, 4)
    back = polar([F(1, 10)], [0], [1], 4, 2, eps=1)
    assert pattern.statement.ratio(back) == F(1, 4)
    assert pattern.statement.ratio(polar([F(1, 10)], [0], [1], 2, 4, eps=3)) == F(83333333333, 10**12)


@settings(max_examples=200)
@given(polar_cases(3))
def test_every_polar_case_has_its_ratios(case):
    size = abs(float(sum_value(case.interaction).mid()))
    for claim in (slow_form, pattern):
        found = claim.statement.ratio(case)
        if found is not None and claim.statement.meets(case):
            assert 0 <= found <= 1
    lengths = np.array(case.lengths, float)
    most = float((lengths * np.minimum(2, np.pi * np.array(case.turns, float) * case.shift)).sum())
    found = slow_form.statement.ratio(case)
    assert (found is None) == (most == 0)
    if found is not None:
        assert float(found) == pytest.approx(size / most, abs=1e-9)


def test_ratios_of_sums_of_cosines():
    third, fifth = cosine(Angle(F(1, 3))), ((1, Angle(F(1, 5))), (-1, Angle(F(2, 5))))
    assert ratio_of(fifth, third) == 1
    assert ratio_of(fifth, ONE) == F(1, 2)
    assert ratio_of(ONE, fifth) == 2
    assert ratio_of(cosine(Angle(F(1, 2))), third) == 0
    assert ratio_of((*fifth, (F(-1, 2), ONE[0][1])), third) == 0
    assert ratio_of(((-1, ONE[0][1]),), fifth) == -2
    assert ratio_of(ONE, ((-1, ONE[0][1]), *cosine(Angle(F(1, 2))))) == -1
    assert ratio_of(fifth, ((3, ONE[0][1]),)) == F(166666666666, 10**12)
    assert ratio_of(((1 - F(1, 10**40), Angle(F(1, 5))), (-1, Angle(F(2, 5)))), ONE) == F(499999999999, 10**12)
    assert ratio_of(((1 + F(1, 10**40), Angle(F(1, 5))), (-1, Angle(F(2, 5)))), ONE) == F(1, 2)
    assert ratio_of(fifth, ()) is None
    with pytest.raises(UndecidedSign, match="too large"):
        ratio_of(((10**60, Angle(F(1, 5))),), ONE)


# -- near misses by hand -------------------------------------------------------------------------------------------


def counterexample(claim, mutant):
    record = decided(claim.id)
    (finding,) = [each for each in record["findings"] if each["tier"] is Tier.TESTED]
    (control,) = [each for each in finding["controls"] if each["mutant"] == mutant]
    assert control["passed"]
    return claim.statement.case_type.of_json(control["case"])


def test_a_near_miss_that_is_attained_elsewhere():
    case = counterexample(equality, "along the query")
    assert case.distance != case.other_distance
    assert any(case.bound_squares)
    # Where the bound is 0, keys along the query or not, nothing is refuted.
    still = InteractionCase(*[(F(each),) for each in (1, 1, 0, 1, 1, 0, 0)], 2, 2)
    assert not equality.mutant("along the query").statement.refuted_by(still)


def test_a_near_miss_with_a_positive_bound():
    case = counterexample(slow_form, "never attained")
    assert case.shift > 0
    assert slow_form.statement.ratio(case) == 1
    still = polar([0], [0], [0], 0, 0)
    assert not slow_form.mutant("never attained").statement.refuted_by(still)


@pytest.mark.parametrize("mutant", [each.name for each in sharp.mutants])
def test_near_misses_of_the_sharp_bound_are_about_the_head_itself(mutant):
    case = counterexample(sharp, mutant)
    assert mean_square_effect(case) > 0
    assert len(set(case.keys)) > 1
    assert all(value.denominator == 1 for value in axis(case))


def test_keys_along_the_axis():
    quarter = [("0", "1")], [(1, 0)]  # directions (-1, 0) and (0, 1): the middle is (-1, 1), and all scatter across
    assert is_along_axis(RotaryCase.of(*quarter, [[(0, 0)], [(1, 1)]]))
    assert not is_along_axis(RotaryCase.of(*quarter, [[(0, 0)], [(1, 0)]]))
    assert is_along_axis(RotaryCase.of(*quarter, [[(5, 0)], [(3, -2)]]))
    assert not sharp.statement.refuted_by(RotaryCase.of(*quarter, [[(5, 0)], [(3, -2)]]))


def test_a_near_miss_is_rejected_for_what_it_says():
    mutant = interaction.mutant("pairs of keys").statement
    results = verify_proof(interaction.proof, mutant)
    assert next(result.reason for result in results if not result.accepted).startswith("the steps do not reach")
