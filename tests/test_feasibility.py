"""DYN's theorem 3.1 and its functions: definitions against the weights, counterexamples by hand, exact ranges."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from headproof.checks.expressivity.feasibility import number_cases, pair_cases, range_cases
from headproof.constructions.feasibility import index_transformer, retrieval_transformer
from headproof.theory.angles import Angle
from headproof.theory.errors import InputError
from headproof.theory.expressivity.feasibility import (
    LETTERS,
    NumberCase,
    PairCase,
    RangeCase,
    computes_index,
    computes_retrieval,
    index_output,
    maximum_is_unique,
    pair_angle,
    retrieval_output,
    right_on_all_pairs,
)
from headproof.theory.expressivity.feasibility_claims import (
    INDEX_CLAIMS,
    feasible,
    index_printed,
    index_repaired,
    unique_printed,
    unique_repaired,
    wrong_outputs,
)
from headproof.theory.expressivity.function_claims import (
    SequenceCase,
    closed_printed,
    letter_printed,
    number,
    number_in_example,
)
from headproof.theory.expressivity.retrieval_claims import RETRIEVAL_CLAIMS, retrieval_range, symbolic_printed
from headproof.theory.sequences import proper_inputs, retrieval_function, solve_number

FIFTH = Angle.parse("2/5 pi")


def of_sympy(angle: Angle) -> sympy.Expr:
    return sympy.pi * sympy.Rational(str(angle.turns)) + sympy.Rational(str(angle.radians))


# -- definitions against exact weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [FIFTH, Angle.parse("1/7 pi"), Angle.parse("2/3 pi")])
@pytest.mark.parametrize(
    "tokens", [("a", "b", 1, 2, "b", 3), ("a", 1, 2, 3), ("b", "a", "b", 2), ("a", "a", 1, "b", 4)]
)
def test_index_outputs_are_those_of_the_weights(theta, tokens):
    layer = index_transformer("ab", 6, 8, of_sympy(theta), allow_aliasing=True)
    case = NumberCase(theta, tokens)
    assert list(layer.apply(tokens, math.inf)) == [index_output(case, place) for place in range(1, case.n + 1)]


@pytest.mark.parametrize("letters", [2, 3])
def test_retrieval_outputs_are_those_of_the_weights(letters):
    theta = Angle(Fraction(2, letters) * Fraction(1, 9))
    layer = retrieval_transformer(LETTERS[:letters], (1, 2), 4, of_sympy(theta))
    for tokens in list(proper_inputs(LETTERS[:letters], (1, 2), 3))[::7]:
        case = PairCase(letters, theta, tuple(tokens))
        assert list(layer.apply(tokens, math.inf)) == [retrieval_output(case, place) for place in range(1, 4)]


# -- counterexamples by hand ---------------------------------------------------------------------------------------


def test_an_irrational_angle_that_aliases():
    """theta = 2 pi / 5 is irrational; a letter at place 6 has logits cos(t theta), t = 5 .. 0, and cos(5 theta) = 1."""
    case = NumberCase(FIFTH, ("a",) * 6)
    assert FIFTH.is_irrational
    assert not maximum_is_unique(case)
    assert unique_printed.statement.refuted_by(case)
    assert not unique_printed.statement.refuted_by(NumberCase(FIFTH, ("a",) * 5))
    assert math.cos(5 * float(FIFTH)) == pytest.approx(1)


def test_the_output_is_then_wrong_for_an_integer_at_once_and_for_a_letter_much_later():
    integer = NumberCase(FIFTH, ("a", "b", "b", "b", "b", 5))  # its own key ties: letter 2 / 2 against integer 1
    assert index_output(integer, 6) is None
    assert index_printed.statement.refuted_by(integer)
    for size in range(6, 16):  # a letter keeps 1 + 2 / k against at most 2 (k - 1) / k, k = 2 or 3
        tokens = tuple("b" if (size - place) % 5 == 0 and place < size else "a" for place in range(1, size + 1))
        assert index_output(NumberCase(FIFTH, tokens), size) == "a"
    tokens = tuple("b" if place in (1, 6, 11) else "a" for place in range(1, 17))
    assert index_output(NumberCase(FIFTH, tokens), 16) is None  # 1 + 2 / 4 against 6 / 4


def test_rational_radians_do_not_alias():
    case = NumberCase(Angle.of_radians(1), ("a", "b", 1, 2, 3, 5, "b", 7))
    assert computes_index(case)
    assert maximum_is_unique(case)


def test_retrieval_depends_on_the_place():
    case = PairCase(4, Angle.parse("1/16 pi"), (("b", 1), ("a", 1), ("c", "a")))
    query, key = case.tokens[-1], case.tokens[0]
    assert math.cos(float(pair_angle(case, query, key, 2))) != pytest.approx(
        math.cos(float(pair_angle(case, query, key, 1)))
    )
    assert symbolic_printed.statement.refuted_by(case)
    assert computes_retrieval(case)


def test_the_source_s_example_makes_five_moves():
    tokens = ("C", "B", "A", 1, 4, 1, 3, 2, 1, 1)
    assert solve_number(tokens) == ("C", 5)
    case = SequenceCase(tokens)
    assert number_in_example.statement.refuted_by(case)
    assert not number.statement.refuted_by(case)


def test_retrieval_of_a_proper_sequence_need_not_be_proper():
    tokens = (("z", 5), ("y", "z"), ("z", 6), ("x", "y"))
    assert retrieval_function(tokens) == (("z", 5), ("z", 5), ("z", 6), ("y", "z"))
    assert closed_printed.statement.refuted_by(SequenceCase(tokens))
    assert letter_printed.statement.refuted_by(SequenceCase(tokens))


# -- repaired claims, on everything drawn --------------------------------------------------------------------------


@given(number_cases())
def test_index_claims_that_hold(case):
    for claim in INDEX_CLAIMS:
        if claim.repair is None:
            assert not claim.statement.refuted_by(case), claim.id


@given(pair_cases())
def test_retrieval_claims_that_hold(case):
    for claim in RETRIEVAL_CLAIMS:
        if claim.repair is None and claim.statement.case_type is PairCase:
            assert not claim.statement.refuted_by(case), claim.id


@given(range_cases())
def test_the_exact_range(case):
    assert not retrieval_range.statement.refuted_by(case)


@pytest.mark.parametrize(("letters", "size"), [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4)])
@pytest.mark.parametrize("share", ["99/100", "1", "101/100", "0", "1/2"])
def test_all_pairs_of_keys_stand_for_all_inputs(letters, size, share):
    """The decision by pairs of keys agrees with every proper input of that length, one by one."""
    theta = Angle(Fraction(2, letters) * Fraction(share) / (2 * size - 3))
    every = all(
        retrieval_output(case, size) == retrieval_function(case.tokens)[-1]
        for case in (PairCase(letters, theta, tokens) for tokens in proper_inputs(LETTERS[:letters], (1, 2), size))
    )
    assert right_on_all_pairs(RangeCase(letters, size, theta)) is every
    turned = min(theta.turns % 2, 2 - theta.turns % 2)
    assert every is (0 < turned * (2 * size - 3) < Fraction(2, letters))


def test_conditions_are_needed():
    assert {premise.name for premise in index_repaired.statement.premises} == {"no aliasing"}
    alias = NumberCase(Angle.parse("2 pi"), ("a", 1))
    assert index_repaired.statement.without("no aliasing").refuted_by(alias)
    assert feasible.statement.without("short").refuted_by(alias)
    assert not unique_repaired.statement.refuted_by(alias)
    assert not wrong_outputs.statement.refuted_by(alias)


# -- bad parameters ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: NumberCase(FIFTH, ("a", 2)), "integer 2 at place 2"),
        (lambda: NumberCase(FIFTH, ()), "at least one token"),
        (lambda: NumberCase(FIFTH, ("a",) * 401), "401 tokens"),
        (lambda: PairCase(2, FIFTH, (("a", "b"),)), "'b'"),
        (lambda: PairCase(2, FIFTH, (("c", 1),)), "'c' is not among"),
        (lambda: PairCase(0, FIFTH, (("a", 1),)), "letters = 0"),
        (lambda: PairCase(27, FIFTH, (("a", 1),)), "letters = 27"),
        (lambda: RangeCase(0, 2, FIFTH), "letters = 0"),
        (lambda: RangeCase(2, 0, FIFTH), "n = 0"),
        (lambda: SequenceCase(()), "0 tokens"),
    ],
)
def test_bad_cases_are_refused_with_the_value(make, match):
    with pytest.raises(InputError, match=match):
        make()


@given(st.sampled_from(["nan", "oo", "-oo", "zoo"]))
def test_an_angle_is_finite(name):
    with pytest.raises(ValueError, match="finite"):
        index_transformer("ab", 3, 4, sympy.sympify(name))
