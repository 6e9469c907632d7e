"""The claims about disentanglement: cases against floats, verdicts and controls, examples by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from other_tiers import decided

from headproof.checks.disentanglement import (
    CASE_SOURCES,
    CLAIMS,
    interaction_cases,
    interaction_tables,
    polar_cases,
    scattered,
)
from headproof.checks.registry import Context
from headproof.theory.angles import Angle
from headproof.theory.averages import evaluate
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.claim import Fidelity, Tier, Verdict
from headproof.theory.cosine_sums import value as sum_value
from headproof.theory.disentanglement import roots, table_proofs
from headproof.theory.disentanglement.additive_claims import interaction, largest
from headproof.theory.disentanglement.cases import InteractionCase, PolarCase, TurningCase
from headproof.theory.disentanglement.exclusion_claims import additive, attained, cost, ratio
from headproof.theory.disentanglement.heads import along_axis, axes, resultant_square, scatters
from headproof.theory.disentanglement.plane_claims import equality, interaction_bound
from headproof.theory.disentanglement.scatter_claims import anova
from headproof.theory.disentanglement.sharp_claims import sharp
from headproof.theory.disentanglement.slow_claims import pattern, slow_form
from headproof.theory.disentanglement.tables import double_differences, effects, mean_square, mean_square_effect
from headproof.theory.errors import InputError
from headproof.theory.measures import analysis_of_variance
from headproof.theory.table import LogitTable

F = Fraction
PREMISES = {
    pattern.id: {"quiet", "slow"},
    sharp.id: {"one plane"},
    ratio.id: {"every permutation", "additive"},
    attained.id: {"every permutation", "additive"},
    additive.id: {"every permutation", "attained"},
    cost.id: {"every permutation"},
}
ATTAINED = {interaction_bound.id, slow_form.id, pattern.id, anova.id, sharp.id, cost.id, largest.id}
BY_FORM = {ratio.id, attained.id}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_record_of_a_claim(claim):
    record = decided(claim.id)
    assert record["verdict"] is Verdict.HOLDS, [finding["summary"] for finding in record["findings"]]
    tiers = {Tier.PROOF, Tier.TESTED} | ({Tier.EXACT} if claim.id in BY_FORM else set())
    assert {finding["tier"] for finding in record["findings"]} == tiers
    assert all(control["passed"] for finding in record["findings"] for control in finding["controls"])
    assert {each["name"] for each in record["premises"]} == PREMISES.get(claim.id, set())
    assert {each["status"] for each in record["premises"]} <= {"needed"}
    assert (record["sharpness"] or {"ratio": None})["ratio"] == ("1" if claim.id in ATTAINED else None)


def test_what_was_reconstructed_says_so():
    assert [claim.id for claim in CLAIMS if claim.fidelity is not Fidelity.OURS] == ["gen.thm2"]
    assert interaction_bound.fidelity is Fidelity.RECONSTRUCTED
    assert "not at hand" in interaction_bound.remarks[0]


# -- sums of square roots ------------------------------------------------------------------------------------------

RATIONAL = st.fractions(0, 9, max_denominator=12)


@given(RATIONAL, st.lists(RATIONAL, max_size=4))
def test_roots_are_compared_as_in_floats(value, squares):
    total = sum(math.sqrt(each) for each in squares)
    if abs(total - value) > 1e-9:
        assert roots.compare(value, squares) == (1 if value > total else -1)
        if total:
            assert float(roots.ratio(value, squares)) == pytest.approx(float(value) / total)
    assert roots.compare(F(sum(squares)), [each**2 for each in squares]) == 0


def test_roots_by_hand():
    assert roots.compare(F(5), [F(4), F(9)]) == 0
    assert roots.compare(F(3), [F(2), F(2)]) == 1  # 2 sqrt 2 = 2.828...
    assert roots.compare(F(14142, 10000), [F(2)]) == -1
    assert roots.compare(F(0), []) == 0
    assert roots.ratio(F(0), [F(0)]) is None
    assert roots.ratio(F(2), [F(9), F(1)]) == F(1, 2)
    assert roots.exact_root(F(2)) is None
    with pytest.raises(InputError, match="root of -1"):
        roots.compare(F(0), [F(-1)])


# -- planes --------------------------------------------------------------------------------------------------------


def complex_of(xs, ys):
    return np.array(xs, float) + 1j * np.array(ys, float)


@settings(max_examples=150)
@given(interaction_cases(3))
def test_an_interaction_case_is_the_definition(case):
    q, k, h = (
        complex_of(*pair)
        for pair in ((case.query_x, case.query_y), (case.key_x, case.key_y), (case.other_x, case.other_y))
    )
    angles = 4 * np.arctan(np.array(case.tangents, float))

    def logit(key, distance):
        return (q.conj() * np.exp(1j * angles * distance) * key).real.sum()

    d, d0 = case.distance, case.other_distance
    expected = logit(k, d) - logit(h, d) - logit(k, d0) + logit(h, d0)
    assert float(case.interaction) == pytest.approx(expected, abs=1e-9)
    bounds = 2 * np.abs(q) * np.abs(k - h) * np.abs(np.sin(angles * (d - d0) / 2))
    assert [float(each) for each in case.bound_squares] == pytest.approx(bounds**2, abs=1e-9)
    missed = (q.conj() * (np.exp(1j * angles * d) - np.exp(1j * angles * d0)) * (k - h)).imag
    assert [float(each) for each in case.across] == pytest.approx(missed, abs=1e-9)
    for part, miss, square in zip(case.interactions, case.across, case.bound_squares, strict=True):
        assert part**2 + miss**2 == square


@settings(max_examples=150)
@given(polar_cases(3))
def test_a_polar_case_is_the_definition(case):
    d, d0 = case.distance, case.other_distance
    angles, phases = (np.pi * np.array(each, float) for each in (case.turns, case.phases))
    lengths = np.array(case.queries, float) * np.array(case.keys, float)
    expected = (lengths * (np.cos(angles * d + phases) - np.cos(angles * d0 + phases))).sum()
    assert float(sum_value(case.interaction).mid()) == pytest.approx(expected, abs=1e-9)
    assert abs(expected) <= (lengths * np.minimum(2, angles * abs(d - d0))).sum() + 1e-9
    if pattern.statement.meets(case):
        quiet = np.array(case.quiet, float)
        most = 2 * float(case.eps) * (quiet * np.array(case.queries, float)).sum()
        assert abs(expected) <= most + float(case.eta) * ((1 - quiet) * lengths).sum() + 1e-9


def test_one_plane_by_hand():
    # A quarter turn a step, from a step away to the query's own place: q = (1, 0), k - k0 = (-1, -1) sqrt 2 long.
    case = InteractionCase(*(tuple(map(F, row)) for row in ([1], [1], [0], [-1], [-1], [0], [0])), 1, 0)
    assert case.half_sines() == (1,)  # tangent 1 is a half turn of 90 degrees: theta = pi
    assert (case.interaction, case.across) == (2, (2,))
    assert roots.compare(case.interaction, case.bound_squares) == -1  # 2 sqrt 2
    assert not equality.statement.refuted_by(case)
    best = case.with_differences(case.steepest)
    assert best.key_x == (-2,)
    assert best.interaction == 4
    assert interaction_bound.statement.ratio(best) == 1
    assert interaction_bound.statement.ratio(case) == pytest.approx(1 / math.sqrt(2))


def test_opposite_signs_do_not_attain_the_bound():
    rows = ([1, 1], [1, 1], [0, 0], [-1, 1], [0, 0], [0, 0], [0, 0])
    case = InteractionCase(*(tuple(map(F, row)) for row in rows), 1, 0)
    assert case.interactions == (2, -2)
    assert case.across == (0, 0)
    assert roots.compare(case.interaction, case.bound_squares) == -1
    assert equality.mutant("any signs").statement.refuted_by(case)
    assert not equality.statement.refuted_by(case)


def polar(turns, phases, queries, keys, quiet, d, d0, eps=0, eta="0"):
    rows = (tuple(map(F, each)) for each in (turns, phases, queries, keys, quiet))
    return PolarCase(*rows, d, d0, F(eps), Angle.parse(eta))


def test_slow_planes_by_hand():
    tenth = polar([F(1, 10)], [F(1, 2)], [1], [1], [0], 1, 0)
    assert 0.98 < slow_form.statement.ratio(tenth) < 1  # sin(pi / 10) / (pi / 10)
    fast = polar([1], [0], [1], [1], [0], 1, 0)
    assert slow_form.statement.ratio(fast) == 1
    assert slow_form.statement.conclusion(fast)
    still = polar([0], [0], [1], [1], [0], 3, 0)
    assert slow_form.statement.ratio(still) is None
    assert slow_form.statement.conclusion(still)
    both = polar([1, 0], [0, 0], [2, 1], [1, 5], [1, 0], 1, 0, eps=1)
    assert pattern.statement.meets(both)
    assert pattern.statement.ratio(both) == 1
    assert not pattern.statement.meets(polar([1, 0], [0, 0], [2, 1], [2, 5], [1, 0], 1, 0, eps=1))
    assert not pattern.statement.meets(polar([1, F(1, 9)], [0, 0], [2, 1], [1, 5], [1, 0], 1, 0, eps=1))


# -- tables --------------------------------------------------------------------------------------------------------


@given(interaction_tables())
def test_effects_are_those_of_the_analysis_of_variance(case):
    exact = analysis_of_variance(LogitTable(case.array)).interaction
    assert mean_square_effect(case) == F(exact) / case.size**2
    assert evaluate((table_proofs.EFFECT,), case.rows) == mean_square_effect(case)


@given(interaction_tables(3))
def test_double_differences_are_those_of_the_form(case):
    assert evaluate((table_proofs.DOUBLE,), case.rows) == mean_square(double_differences(case.rows))
    whole = (*table_proofs.VARIANCE, table_proofs.EFFECT.times(2))
    rest = evaluate((table_proofs.ROWS, table_proofs.COLUMNS, table_proofs.GRAND), case.rows)
    assert evaluate(whole, case.rows) + rest == evaluate(table_proofs.BOUND, case.rows)


def test_tables_by_hand():
    antisymmetric = TableCase.of([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert interaction.mutant("pairs of keys").statement.refuted_by(antisymmetric)
    assert effects(antisymmetric.rows) == [list(row) for row in antisymmetric.rows]
    assert cost.statement.ratio(antisymmetric) == 1  # no variance, and all of the bound is interaction
    spike = TableCase.of([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert largest.statement.ratio(spike) == 1
    symmetric = TableCase.of([[0, "1/2"], ["1/2", 1]])
    for claim in (attained, additive):
        assert claim.statement.meets(symmetric)
        assert claim.statement.conclusion(symmetric)
    assert ratio.statement.conclusion(TableCase.of([[1, 2], [3, 4]]))


# -- heads ---------------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(scattered(4))
def test_scatter_and_turning_in_floats(case):
    size = len(case.keys)
    keys = np.array([[float(x) + 1j * float(y) for x, y in key] for key in case.keys])
    assert [float(each) for each in scatters(case)] == pytest.approx(keys.var(axis=0))
    for cosine, sine in case.turns:
        angle = math.atan2(sine, cosine)
        mean = abs(np.exp(1j * angle * np.arange(1, size + 1)).mean())
        assert float(resultant_square((cosine, sine), size, size)) == pytest.approx(mean**2)
        middle = np.exp(1j * angle * (np.arange(1, size + 1) - (size + 1) / 2))
        along, across = axes((cosine, sine), size)
        assert (float(along), float(across)) == pytest.approx((middle.real.var(), middle.imag.var()), abs=1e-12)


@given(scattered(4).filter(lambda case: len(case.turns) == 1))
def test_keys_along_the_axis_attain_the_sharp_bound(case):
    best = along_axis(case)
    assert sharp.statement.meets(best)
    assert sharp.statement.conclusion(best)
    assert sharp.statement.ratio(best) in (1, None)
    assert anova.statement.conclusion(best)


def test_heads_by_hand():
    # Two keys and a quarter turn: the directions are a quarter turn apart, and D^2 = 1/2.
    two = RotaryCase.of([("0", "1")], [(1, 0)], [[(0, 0)], [(1, 1)]])
    assert resultant_square((F(0), F(1)), 2, 2) == F(1, 2)
    assert scatters(two) == [F(1, 2)]
    assert mean_square_effect(two) == F(1, 4)
    assert anova.statement.ratio(two) == 1
    # Three keys at theta = pi: the directions are +, -, +; along the query, with C = 1 and D^2 = 1/9.
    assert axes((F(-1), F(0)), 3) == (F(8, 9), 0)
    assert axes((F(-1), F(0)), 2) == (0, 1)
    assert axes((F(1), F(0)), 5) == (0, 0)
    assert anova.statement.ratio(RotaryCase.of([(1, 0)], [(1, 0)], [[(0, 0)], [(1, 1)]])) is None


# -- cases ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CASE_SOURCES, ids=lambda kind: kind.__name__)
def test_cases_travel_through_json_and_shrink(kind):
    @settings(max_examples=30)
    @given(CASE_SOURCES[kind].cases(Context()))
    def travel(case):
        assert kind.of_json(case.to_json()) == case
        assert str(case)
        for simpler in list(case.smaller())[:20]:
            assert simpler.complexity < case.complexity

    travel()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: InteractionCase((F(1),), (F(1),), (), *[(F(1),)] * 4, 1, 0), "rows of"),
        (lambda: InteractionCase(*[()] * 7, 1, 0), "rows of"),
        (lambda: InteractionCase(*[(F(1),)] * 7, 65, 0), "distance of 65"),
        (lambda: InteractionCase(*[(F(1),)] * 7, 0, -1), "distance of -1"),
        (lambda: polar([-1], [0], [1], [1], [0], 1, 0), "-1 as a length or an angle"),
        (lambda: polar([1], [0], [1], [-2], [0], 1, 0), "-2 as a length"),
        (lambda: polar([1], [0], [1], [1], [2], 1, 0), "marks 2"),
        (lambda: polar([1], [0], [1], [1], [0], 1, 0, eta="-1"), "eta = -1"),
        (lambda: TurningCase(F(1), 0), "0 vectors"),
        (lambda: TurningCase(F(1), 65), "65 vectors"),
    ],
)
def test_what_is_no_case_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
