"""Exact angles and parameter cases: parsing, order of cosines, JSON without loss, shrinking."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from headproof.theory.angles import (
    Angle,
    UndecidedSign,
    ball,
    compare_cosines,
    lower_decimal,
    precision,
    same_cosine,
    sign,
)
from headproof.theory.errors import InputError
from headproof.theory.parameters import Numbers, ParameterCase, Tokens

RATIONAL = st.fractions(-6, 6, max_denominator=30)
ANGLE = st.builds(Angle, RATIONAL, st.one_of(st.just(Fraction(0)), RATIONAL))


@given(ANGLE)
def test_text_is_lossless(angle):
    assert Angle.parse(str(angle)) == angle


@pytest.mark.parametrize(
    ("text", "angle"),
    [
        ("pi", Angle(Fraction(1))),
        ("-pi", Angle(Fraction(-1))),
        ("2/5 pi", Angle(Fraction(2, 5))),
        ("1/2", Angle(Fraction(0), Fraction(1, 2))),
        ("1/3 pi + 1/2", Angle(Fraction(1, 3), Fraction(1, 2))),
    ],
)
def test_parsing(text, angle):
    assert Angle.parse(text) == angle


@pytest.mark.parametrize("bad", ["", "two pi", "1e3", "pi pi", "1 + 2 + 3", "nan", "inf", 3, None])
def test_what_is_no_angle_is_refused_with_its_value(bad):
    with pytest.raises(InputError, match=r"not an? "):
        Angle.parse(bad)


@given(ANGLE, ANGLE)
def test_the_order_of_cosines(x, y):
    order = compare_cosines(x, y)
    difference = math.cos(float(x)) - math.cos(float(y))
    if abs(difference) > 1e-9:
        assert order == (1 if difference > 0 else -1)
    assert compare_cosines(y, x) == -order
    assert (order == 0) == same_cosine(x, y)


def test_exact_ties_and_near_ties():
    fifth = Angle.parse("2/5 pi")
    assert compare_cosines(fifth * 5, Angle.of_pi(0)) == 0
    assert compare_cosines(fifth, Angle.parse("8/5 pi")) == 0
    near = fifth + Angle.of_radians(Fraction(1, 10**40))
    assert compare_cosines(fifth, near) == 1  # far below what floats tell apart
    assert compare_cosines(Angle.of_radians(Fraction(355, 113)), Angle.of_pi(1)) == 1


def test_multiples_of_a_full_turn():
    assert (Angle.parse("2/5 pi") * 5).is_multiple_of_full_turn
    assert not (Angle.parse("2/5 pi") * 4).is_multiple_of_full_turn
    assert not Angle.of_radians(6).is_multiple_of_full_turn
    assert Angle.parse("2/5 pi").is_irrational
    assert not Angle.of_radians(2).is_irrational
    assert Angle.of_radians(2).is_incommensurable


def test_signs_get_as_many_bits_as_they_need():
    tiny = Fraction(1, 10**200)
    assert sign(lambda: arb.pi() - arb.pi() + ball(tiny)) == 1
    assert sign(lambda: ball(-tiny)) == -1
    assert sign(lambda: arb(0)) == 0
    with pytest.raises(UndecidedSign, match="undecided"):
        sign(lambda: arb(2).sqrt() * arb(2).sqrt() - 2)


def test_the_precision_comes_back():
    before = ctx.prec
    with precision(1000):
        assert ctx.prec == 1000
    assert ctx.prec == before

    def fails() -> None:
        with precision(1000):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert ctx.prec == before


def test_decimals_are_below():
    assert lower_decimal(arb.pi, 5) == Fraction(314159, 100000)
    assert lower_decimal(lambda: -arb.pi(), 3) == Fraction(-3142, 1000)


# -- cases ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example(ParameterCase):
    """A case with a parameter of every kind."""

    theta: Angle
    n: int
    ratio: Fraction
    tokens: Tokens
    row: Numbers
    word: str = "softmax"

    def validate(self) -> None:
        if self.n < 2:
            raise InputError(f"n = {self.n}", "at least 2")


TOKEN = st.one_of(
    st.sampled_from(["a", "q"]),
    st.integers(1, 9),
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc")),
    st.tuples(st.sampled_from("abc"), st.integers(1, 3)),
)
EXAMPLES = st.builds(
    Example,
    ANGLE,
    st.integers(2, 9),
    RATIONAL,
    st.lists(TOKEN, max_size=4).map(tuple),
    st.lists(RATIONAL, max_size=3).map(tuple),
)


@given(EXAMPLES)
def test_cases_travel_through_json(case):
    assert Example.of_json(json.loads(json.dumps(case.to_json()))) == case


@given(EXAMPLES)
def test_smaller_cases_are_smaller_and_valid(case):
    for place, simpler in enumerate(case.smaller()):
        assert simpler.complexity < case.complexity
        assert simpler.n >= 2
        if place > 40:
            break


def test_cases_are_written_as_by_hand():
    case = Example(Angle.parse("2/5 pi"), 6, Fraction(1, 2), ("a", 3, ("b", "c")), (Fraction(1), Fraction(-1, 2)))
    assert str(case) == ("theta = 2/5 pi, n = 6, ratio = 1/2, tokens = a 3 (b,c), row = (1, -1/2), word = softmax")


GOOD = {"theta": "pi", "n": 2, "ratio": "1", "tokens": ["a"], "row": ["1"], "word": "x"}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"n": 1}, "n = 1"),
        ({"n": "2"}, "n is an integer"),
        ({"n": True}, "n is an integer"),
        ({"n": 10**7}, "at most 1000000"),
        ({"theta": "nan"}, "not a rational"),
        ({"theta": 1.5}, "not an angle"),
        ({"ratio": 0.5}, "not an exact rational"),
        ({"tokens": "ab"}, "tokens are a list"),
        ({"tokens": [["a", "b", "c"]]}, "tokens is a sequence"),
        ({"tokens": [None]}, "tokens is a sequence"),
        ({"row": "1"}, "a row of numbers is a list"),
        ({"word": 3}, "word is a word"),
        ({"more": 1}, "has the parameters"),
    ],
)
def test_bad_cases_are_refused_with_the_value(change, match):
    with pytest.raises(InputError, match=match):
        Example.of_json({**GOOD, **change})


def test_a_missing_parameter_is_refused():
    with pytest.raises(InputError, match="has the parameters"):
        Example.of_json({"n": 2})
