"""Theorem 7: the definitions against brute force in floats, thresholds, boxes, counterexamples by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headproof.checks.registry import Context
from headproof.checks.shapes import shape_cases
from headproof.checks.shapes.boxes import MATCHED, UPRIGHT, Band, bands, boxes_check, certified
from headproof.constructions.expressivity import h_pos
from headproof.constructions.tasks import index_task
from headproof.theory.angles import Angle, between, reduced
from headproof.theory.claim import Statement, Verdict
from headproof.theory.errors import InputError
from headproof.theory.shapes import (
    ShapeCase,
    falls_then_rises,
    is_inverted_u_shaped,
    is_u_shaped,
    positional_step,
    symbolic_step,
)
from headproof.theory.shapes.claims import (
    inverted_printed,
    inverted_range,
    u_beyond,
    u_printed,
    u_range,
)


def weights(case: ShapeCase) -> list[float]:
    """w(j) of H_POS by softmax, in floats."""
    theta, size, c = float(case.theta), case.keys, float(case.c)
    found = []
    for j in range(1, size + 1):
        powers = [math.exp(c * math.cos(theta * (j - k))) for k in range(1, size + 1)]
        found.append(powers[j - 1] / sum(powers))
    return found


def matched_weights(case: ShapeCase, lower: float = -3.0) -> list[float]:
    """w(j) of the simplified H_SYM, the other keys at one lower logit."""
    theta, size, c = float(case.theta), case.keys, float(case.c)
    logits = [c * math.cos(theta * (j - (size + 1) / 2)) for j in range(1, size + 1)]
    return [math.exp(a) / (math.exp(a) + (size - 1) * math.exp(lower)) for a in logits]


@given(shape_cases())
def test_steps_are_those_of_the_weights(case):
    for exact, measured in ((positional_step, weights(case)), (symbolic_step, matched_weights(case))):
        for j in range(1, case.keys):
            difference = measured[j] - measured[j - 1]
            if abs(difference) > 1e-9:
                assert exact(case, j) == (1 if difference > 0 else -1)


def test_the_logits_are_those_of_the_construction():
    """The head with its exact weights has the logits that the definition of the weight uses."""
    theta = Angle(Fraction(1, 5))
    import sympy

    head, task = h_pos(("a", "b"), 6, sympy.pi / 5), index_task(("a", "b"), 6)
    for target in range(1, 6):
        logits = head.logits(task.encode(("a", "b", "a", "a", "b", target)))
        for k in range(1, 7):
            assert float(logits[k - 1]) == pytest.approx(math.cos(float(theta) * (target - k)))


@pytest.mark.parametrize("keys", range(3, 12))
def test_the_range_of_the_u_is_exact(keys):
    edge, little = Fraction(2, keys), Fraction(1, 10**6)
    assert is_u_shaped(ShapeCase(Angle(edge - little), keys))
    assert is_u_shaped(ShapeCase(Angle(little), keys))
    assert not is_u_shaped(ShapeCase(Angle(edge), keys))
    assert not is_u_shaped(ShapeCase(Angle(edge + little), keys))
    assert all(positional_step(ShapeCase(Angle(edge), keys), j) == 0 for j in range(1, keys))  # level at the edge


@pytest.mark.parametrize("keys", range(4, 12))
def test_the_range_of_the_inverted_u_is_exact(keys):
    edge, little = Fraction(2, keys - 2), Fraction(1, 10**6)
    assert is_inverted_u_shaped(ShapeCase(Angle(edge - little), keys))
    assert not is_inverted_u_shaped(ShapeCase(Angle(edge), keys))
    assert not is_inverted_u_shaped(ShapeCase(Angle(edge + little), keys))


def test_counterexamples_by_hand():
    # N = 3, theta = pi: the ends see logits 1, -1, 1, the middle -1, 1, -1; the middle gets more.
    case = ShapeCase(Angle.of_pi(1), 3)
    ends, middle = math.e / (2 * math.e + 1 / math.e), math.e / (math.e + 2 / math.e)
    assert weights(case) == pytest.approx([ends, middle, ends])
    assert middle > ends
    assert u_printed.statement.refuted_by(case)
    # N = 5, theta = pi: the match at the centre and two places from it have the logit 1, one place from it -1.
    case = ShapeCase(Angle.of_pi(1), 5)
    assert inverted_printed.statement.refuted_by(case)
    assert not u_range.statement.refuted_by(case)
    assert not inverted_range.statement.refuted_by(case)


@given(shape_cases())
def test_repaired_claims_hold_on_every_case(case):
    for claim in (u_range, u_beyond, inverted_range):
        assert not claim.statement.refuted_by(case)


def test_an_even_number_of_keys_counts_two_turns():
    inside = ShapeCase(Angle(Fraction(1, 4)), 6)
    assert is_inverted_u_shaped(inside)
    assert not is_inverted_u_shaped(replace(inside, theta=inside.theta + Angle.of_pi(2)))
    assert is_inverted_u_shaped(replace(inside, theta=inside.theta + Angle.of_pi(4)))
    assert is_inverted_u_shaped(replace(inside, keys=5, theta=inside.theta + Angle.of_pi(2)))


@given(st.integers(-30, 30), st.fractions(0, 1, max_denominator=40), st.booleans())
def test_reduced_angles(turns, share, negative):
    angle = Angle(share)
    shifted = (angle * (-1 if negative else 1)) + Angle.of_pi(2 * turns)
    assert reduced(shifted) == angle
    radian = Angle(Fraction(0), share) + Angle.of_pi(2 * turns)
    assert float(reduced(radian)) == pytest.approx(float(share))


def test_between_is_strict():
    assert between(Angle.of_pi("1/2"), Fraction(0), Fraction(1))
    assert not between(Angle.of_pi(1), Fraction(0), Fraction(1))
    assert between(Angle.of_radians(3), Fraction(0), Fraction(1))
    assert not between(Angle.of_radians(4), Fraction(0), Fraction(1))


def test_halves():
    def shape(steps, keys, **more):
        return falls_then_rises(lambda j: steps[j - 1], keys, **more)

    assert shape([-1, 0, 1], 4)  # the step between the two middle targets belongs to neither half
    assert not shape([0, 0, 1], 4)
    assert shape([0, 0, 1], 4, at_most=0)
    assert shape([-1, 1], 3)
    assert not shape([1, -1], 3)
    assert shape([], 1)


@pytest.mark.parametrize("keys", [0, -1, 4097])
def test_bad_windows_are_refused(keys):
    with pytest.raises(InputError, match=f"keys = {keys}"):
        ShapeCase(Angle.of_pi(1), keys)


# -- boxes ---------------------------------------------------------------------------------------------------------


def test_bands_are_certified_and_verified():
    count, boxes = certified(12, matched=False)
    assert count == sum(len(bands(keys, matched=False)) for keys in range(3, 13))
    assert boxes >= count


def test_a_band_of_the_wrong_shape_is_not_certified(monkeypatch):
    from headproof.checks.shapes import boxes as shape_boxes

    wrong = [Band(5, UPRIGHT, Fraction(1, 2), Fraction(3, 2))]
    monkeypatch.setattr(shape_boxes, "bands", lambda keys, matched: wrong if keys == 5 else [])
    with pytest.raises(AssertionError, match="REFUTED"):
        shape_boxes.certified.__wrapped__(5, False)


def test_the_boxes_refute_what_fails_at_an_end():
    false = Statement(ShapeCase, (), is_u_shaped)
    decision = boxes_check(u_range, matched=False).decide(false, Context())
    assert decision.verdict is Verdict.REFUTED
    assert false.refuted_by(decision.counterexample)
    empty = Statement(ShapeCase, (replace(u_range.statement.premises[0], holds=lambda case: False),), is_u_shaped)
    assert boxes_check(u_range, matched=True).decide(empty, Context()).verdict is Verdict.VACUOUS


def test_matched_bands_leave_no_gap_below_one():
    (inside, *_) = bands(9, matched=True)
    assert inside.shape == MATCHED
    assert (inside.lower, inside.upper) == (Fraction(1, 64), Fraction(63, 64))
