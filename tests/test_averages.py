"""Mean squares over a table: the normal form against the definition, and what the proof checker makes of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from headproof.checks.engines import averages
from headproof.checks.engines.symbolic import verify_proof
from headproof.theory.averages import MeanSquare, MeansRelation, entry, evaluate, linear_form
from headproof.theory.cases import TableCase
from headproof.theory.claim import Statement
from headproof.theory.derivation import Derivation, Derive, Entailment, Part, at_least
from headproof.theory.disentanglement import table_proofs
from headproof.theory.errors import InputError
from headproof.theory.exclusion.claims import BOUND, VARIANCE
from headproof.theory.proof import ConcludeImplication, ConcludeMeans, ConcludeRelation, Conjunction, Proof
from headproof.theory.statements import value

a, b, c, d = LETTERS = sympy.symbols("a b c d", real=True)
M = entry
ROWS = st.integers(1, 3).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(-3, 3).map(Fraction), min_size=size, max_size=size), min_size=size, max_size=size
    )
)
PLACE = st.tuples(st.sampled_from(LETTERS), st.sampled_from(LETTERS))


@st.composite
def squares(draw):
    """A mean square of a base of one to three entries at four letters, with any outer letters."""
    places = draw(st.lists(PLACE, min_size=1, max_size=3))
    base = sum((draw(st.sampled_from([1, -1, 2])) * M(x, y) for x, y in places), sympy.Integer(0))
    there = [letter for letter in LETTERS if base.has(letter)]
    outer = tuple(letter for letter in there if draw(st.booleans()))
    return MeanSquare(base, outer, draw(st.sampled_from([1, -1, sympy.Rational(1, 2), 3])))


def by_form(form, rows):
    """The value of a normal form: each pattern's mean, all letters over all keys."""
    keys = range(len(rows))
    total = Fraction(0)
    for pattern, factor in form.items():
        count = max(pattern) + 1
        places = [()]
        for _ in range(count):
            places = [(*each, key) for each in places for key in keys]
        products = [rows[p[pattern[0]]][p[pattern[1]]] * rows[p[pattern[2]]][p[pattern[3]]] for p in places]
        total += factor * sum(products) / len(products)
    return total


@given(st.lists(squares(), max_size=2), ROWS)
def test_the_normal_form_is_the_definition(means, rows):
    assert by_form(averages.normal_form(tuple(means)), rows) == evaluate(tuple(means), rows)


@given(squares(), squares(), ROWS)
def test_what_agrees_in_normal_form_agrees_on_tables(one, other, rows):
    if not averages.difference((one,), (other,)):
        assert evaluate((one,), rows) == evaluate((other,), rows)


def test_names_do_not_matter():
    assert averages.difference((MeanSquare(M(a, b), (a,)),), (MeanSquare(M(c, d), (c,)),)) == {}
    assert averages.difference((MeanSquare(M(a, b), (a,)),), (MeanSquare(M(a, b), (b,)),)) != {}
    # The copy of an inner letter is not an outer letter of the same name with something attached.
    odd = sympy.Symbol("a'", real=True)
    form = averages.normal_form((MeanSquare(M(a, odd), (odd,)),))
    assert form == averages.normal_form((MeanSquare(M(a, b), (b,)),))


@given(ROWS)
def test_the_exclusion_terms_as_mean_squares(rows):
    case = TableCase.of(rows)
    assert evaluate(table_proofs.BOUND, rows) == value(BOUND, case)
    assert evaluate(table_proofs.VARIANCE, rows) == value(VARIANCE, case)


# -- statements that say several things -----------------------------------------------------------------------------

BOTH = Conjunction(
    {"whole": MeansRelation((MeanSquare(M(a, b), ()),), "<=", (MeanSquare(M(a, b), (a, b)),))},
    (Entailment("one", {"x": at_least(a)}, (at_least(2 * a),)),),
)
SQUARES = ConcludeMeans("whole", (MeanSquare(M(a, b) - M(c, d), (a, b)),), "")
TWICE = Derivation("one", (Derive("twice", at_least(2 * a), (Part(("x",), 2),)),))


@pytest.mark.parametrize(
    ("steps", "reasons"),
    [
        ((SQUARES, TWICE), []),
        ((TWICE, SQUARES), []),
        ((SQUARES,), ["no step proves it"]),
        ((TWICE,), ["no step proves it"]),
        ((), ["no step proves it"] * 2),
        ((ConcludeMeans("whole", (), ""), TWICE), ["the sides differ by"]),
        ((ConcludeMeans("other", SQUARES.squares, ""), TWICE), ["no relation named 'other'", "no step proves it"]),
        ((ConcludeMeans("one", SQUARES.squares, ""), SQUARES), ["no relation named 'one'"]),
        ((SQUARES, Derivation("whole", TWICE.steps)), ["0 parts named 'whole'", "no step proves it"]),
        ((SQUARES, TWICE, ConcludeRelation("whole", (), "")), ["not a relation between sums"]),
        ((SQUARES, TWICE, ConcludeImplication("whole", (), "")), ["not an implication"]),
    ],
)
def test_each_part_of_a_statement_has_its_step(steps, reasons):
    statement = Statement(TableCase, (), lambda case: True, BOTH)
    found = [result.reason for result in verify_proof(Proof(steps), statement) if not result.accepted]
    assert len(found) == len(reasons)
    assert all(part in reason for part, reason in zip(reasons, found, strict=True))


def test_parts_have_distinct_titles():
    for wrong in ({}, {"one": BOTH.relations["whole"]}):
        with pytest.raises(InputError, match="distinct titles"):
            Conjunction(wrong, BOTH.entailments if wrong else ())


# -- the proof checker ---------------------------------------------------------------------------------------------

WHOLE, MEAN = MeanSquare(M(a, b), (a, b)), MeanSquare(M(a, b), ())
AROUND = MeanSquare(M(a, b) - M(c, d), (a, b))


def verdict(relation, squares, *before):
    proof = Proof((*before, ConcludeMeans("by normal form", squares, "")))
    return [result.reason for result in verify_proof(proof, Statement(TableCase, (), lambda case: True, relation))]


def test_a_mean_square_is_the_mean_and_what_is_around_it():
    assert verdict(MeansRelation((MEAN, AROUND), "==", (WHOLE,)), ()) == [""]
    assert verdict(MeansRelation((MEAN,), "<=", (WHOLE,)), (AROUND,)) == [""]


def test_what_is_refused():
    assert "differ by" in verdict(MeansRelation((MEAN,), "==", (WHOLE,)), ())[0]
    assert "differ by" in verdict(MeansRelation((MEAN,), "<=", (WHOLE,)), (AROUND.times(2),))[0]
    assert "negative" in verdict(MeansRelation((WHOLE,), "<=", (MEAN,)), (AROUND.times(-1),))[0]
    assert "leaves no squares" in verdict(MeansRelation((MEAN, AROUND), "==", (WHOLE,)), (AROUND.times(0),))[0]
    assert "not a relation between mean squares" in verdict(None, ())[0]
    assert "not made of entailments" in verdict(
        MeansRelation((MEAN, AROUND), "==", (WHOLE,)), (), Derivation("something", ())
    )[0]  # fmt: skip
    results = verify_proof(Proof(()), Statement(TableCase, (), lambda case: True, MeansRelation((), "==", ())))
    assert not all(result.accepted for result in results)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (M(a, b) ** 2, "left over"),
        (M(a, b) * M(b, a), "no rational number"),
        (M(a, b) + 1, "left over"),
        (sympy.pi * M(a, b), "no rational number"),
        (M(a, 2 * b), "no entry"),
        (M(a, b, c), "no entry"),
        (sympy.Function("N")(a, b), "no entry"),
        (sympy.Float(0.5) * M(a, b), "float"),
        (a * M(a, b), "no rational number"),
    ],
)
def test_what_is_no_base(base, message):
    with pytest.raises(InputError, match=message):
        linear_form(base)
    with pytest.raises(InputError, match=message):
        MeanSquare(base, ())


def test_what_is_no_mean_square():
    with pytest.raises(InputError, match="outer letter c"):
        MeanSquare(M(a, b), (c,))
    with pytest.raises(InputError, match="coefficient"):
        MeanSquare(M(a, b), (a,), sympy.pi)
    with pytest.raises(InputError, match="relation"):
        MeansRelation((), "<", ())


def test_a_coefficient_is_kept_exact():
    half = MeanSquare(M(a, b), (a,), "1/2")
    assert half == MeanSquare(M(a, b), (a,), sympy.Rational(1, 2)) == MeanSquare(M(a, b), (a,), Fraction(1, 2))
    assert half.times(2).weight == half.times("2").weight == 1
    assert half.times(sympy.Rational(2, 3)) == MeanSquare(M(a, b), (a,), "1/3")
    assert str(half.times(3)).startswith("3/2 mean_{a}")
    for wrong in ("half", "1/0", 0.5, True, None, sympy.Symbol("t")):
        with pytest.raises(InputError, match="coefficient"):
            MeanSquare(M(a, b), (a,), wrong)
    with pytest.raises(InputError, match="not an exact rational"):
        half.times(0.5)


def test_as_text():
    relation = MeansRelation((MEAN,), "<=", (WHOLE.times(2),))
    assert str(relation) == "(mean_{a,b} [M(a, b)])^2  <=  2 mean_{a,b} ([M(a, b)])^2"
    assert str(MeansRelation((), "==", ())) == "0  ==  0"
