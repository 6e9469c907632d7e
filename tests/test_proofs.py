"""The proof checker: it accepts every proof, and no wrong step; its normal form means what `evaluate` adds up."""

import math
import signal
import threading
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.checks.engines import symbolic
from headproof.checks.engines.symbolic import LETTERS, normal_form, verify_proof
from headproof.checks.registry import claims
from headproof.theory.cases import TableCase
from headproof.theory.claim import Statement
from headproof.theory.derivation import Entailments
from headproof.theory.errors import InputError
from headproof.theory.proof import (
    ConcludeImplication,
    ConcludeRelation,
    Counting,
    Expansion,
    Implication,
    Proof,
    Rewrite,
    Square,
)
from headproof.theory.statements import of_relation
from headproof.theory.sums import (
    ADDITIVE,
    GENERAL,
    POSITIONAL,
    SYMBOLIC,
    Relation,
    Term,
    cj,
    ck,
    dj,
    dk,
    evaluate,
    lj,
    lk,
    m,
    mean_of,
    own,
    pjk,
    pkj,
)

PROVED = [claim for claim in claims().values() if claim.proof is not None]
ONE = sympy.Integer(1)
factorial = sympy.factorial

# Theorem 1 once more, written for these tests.
BOUND = (Term(1 / (factorial(m) * m), "permutations", (pkj - lj) ** 2 + (pjk - lj) ** 2),)
VARIANCE = (Term(1 / m, "keys", (lj - mean_of[lj]) ** 2),)
MIDDLE = pjk - (lj + lk) / 2
THEOREM = of_relation(Relation(VARIANCE, "<=", BOUND))
IMPLIES = Statement(TableCase, (), lambda case: True, Implication((pkj - lj, pkj - lk), (lj - lk,)))


def accepted(steps, statement=THEOREM):
    return all(result.accepted for result in verify_proof(Proof(tuple(steps)), statement))


def reasons(steps, statement=THEOREM):
    return [result.reason for result in verify_proof(Proof(tuple(steps)), statement) if not result.accepted]


def conclude(*squares):
    return ConcludeRelation("so", tuple(Square(sympy.sympify(c), sympy.sympify(base)) for c, base in squares), "")


def combine(*multipliers):
    return ConcludeImplication("so", multipliers, "")


def rewrite(left, right):
    return Rewrite("so", left, right, "")


def at_most(left, right, **more):
    return of_relation(Relation(left, "<=", right, **more))


GOOD = conclude((2 / m**2, MIDDLE))


# -- every proof, and every mutant of its claim -----------------------------------------------------------


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_the_proof_is_accepted_and_proves_no_mutant(claim):
    results = verify_proof(claim.proof, claim.statement)
    assert [result.reason for result in results if not result.accepted] == []
    assert len(results) == len(claim.proof.steps)
    for mutant in claim.mutants:
        assert accepted(claim.proof.steps, mutant.statement) == mutant.stronger, mutant.name


def spoiled(step):
    """A step and its near misses, each of which says something false or says too little."""
    match step:
        case Rewrite(right=right):
            first, rest = right[0], right[1:]
            yield replace(step, right=(replace(first, weight=first.weight * sympy.Rational(8, 7)), *rest))
            yield replace(step, right=(replace(first, weight=first.weight * m / (m + 1)), *rest))
            yield replace(step, right=(replace(first, weight=-first.weight), *rest))
            yield replace(step, right=(replace(first, summand=first.summand + lj**2), *rest))
            yield replace(step, right=right[:-1])
            yield replace(step, left=step.left[:-1])
            yield replace(step, right=(*right, Term(ONE, "keys", lj**2)))
        case Expansion():
            yield replace(step, right=2 * step.right)
            yield replace(step, right=step.right + lj * lk)
            yield replace(step, right=step.right + sympy.Rational(1, 10**9))
            yield replace(step, right=sympy.Integer(0))
        case ConcludeRelation(squares=()):
            yield replace(step, squares=(Square(1 / m**2, pjk - lj),))
        case ConcludeRelation(squares=squares):
            yield replace(step, squares=())
            yield replace(step, squares=squares * 2)
            for each in squares:
                yield replace(step, squares=(replace(each, coefficient=each.coefficient / 2),))
                yield replace(step, squares=(replace(each, coefficient=each.coefficient * m / (m + 1)),))
                yield replace(step, squares=(replace(each, coefficient=-each.coefficient),))
                yield replace(step, squares=(replace(each, base=each.base + lj),))
                yield replace(step, squares=(replace(each, base=2 * each.base),))
        case ConcludeImplication(multipliers=(first, *rest)):
            yield replace(step, multipliers=({}, *rest))
            yield replace(step, multipliers=())
            yield replace(step, multipliers=(first, first, *rest))
            for index, value in first.items():
                yield replace(step, multipliers=({**first, index: value + 1}, *rest))
                yield replace(step, multipliers=({**first, index: -value}, *rest))
                yield replace(step, multipliers=({**first, index: 2 * value}, *rest))
                yield replace(step, multipliers=({key: x for key, x in first.items() if key != index}, *rest))
                yield replace(step, multipliers=({**first, 99: value}, *rest))
                yield replace(step, multipliers=({**first, -1: value}, *rest))
        case Counting():
            return


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_every_step_is_looked_at(claim):
    steps = claim.proof.steps
    for place, step in enumerate(steps):
        for wrong in spoiled(step):
            results = verify_proof(Proof((*steps[:place], wrong, *steps[place + 1 :])), claim.statement)
            assert [result.accepted for result in results] == [at != place for at in range(len(steps))], wrong
            assert results[place].reason
            assert results[place].title == step.title


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_a_proof_has_to_end_in_its_conclusion(claim):
    steps = claim.proof.steps
    assert not accepted(steps[:-1], claim.statement)
    if not isinstance(claim.statement.form, Entailments):  # parts of a statement are proved in any order
        assert not accepted((steps[-1], Expansion("after", lj, lj, "")), claim.statement)
    assert not accepted((), claim.statement)


# -- sabotage ---------------------------------------------------------------------------------------------


def test_the_good_proof_is_good():
    assert accepted([GOOD])
    assert accepted([combine({0: -1, 1: 1})], IMPLIES)


@pytest.mark.parametrize(
    ("step", "statement"),
    [
        (conclude((1 / m**2, MIDDLE)), THEOREM),
        (conclude(), THEOREM),
        (conclude((2 / m**2, MIDDLE), (1 / m**2, pjk - lj)), THEOREM),
        (conclude((2 / m**2, pjk - lj)), THEOREM),
        (conclude((2 / (m * (m + 1)), MIDDLE)), THEOREM),
        (conclude((-2 / m**2, MIDDLE)), at_most(BOUND, VARIANCE)),
        (GOOD, at_most(BOUND, VARIANCE)),
        (GOOD, of_relation(Relation(VARIANCE, "==", BOUND))),
        (GOOD, IMPLIES),
        (combine({0: -1, 1: 1}), THEOREM),
        (combine({0: 1, 1: 1}), IMPLIES),
        (combine({0: -1, 1: 2}), IMPLIES),
        (combine({0: -1}), IMPLIES),
        (combine({0: -1, 2: 1}), IMPLIES),
        (combine({0: -1, -1: 1}), IMPLIES),
        (combine(), IMPLIES),
        (combine({0: -1, 1: 1}, {0: -1, 1: 1}), IMPLIES),
    ],
)
def test_conclusions_that_do_not_follow(step, statement):
    assert not accepted([step], statement)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # factorials off by one
        ((Term(ONE, "permutations", pjk**2),), (Term(factorial(m), "pairs", pjk**2),)),
        ((Term(ONE, "permutations", pjk**2),), (Term(factorial(m - 1) / 2, "pairs", pjk**2),)),
        ((Term(ONE, "permutations", pjk**2),), (Term(ONE, "pairs", pjk**2),)),
        ((Term(1 / factorial(m), "permutations", pjk**2),), (Term(1 / (m + 1), "pairs", pjk**2),)),
        # sums over other places
        ((Term(ONE, "pairs", pjk**2),), (Term(ONE, "unequal pairs", pjk**2),)),
        ((Term(ONE, "pairs", lj**2),), (Term(m - 1, "keys", lj**2),)),
        ((Term(ONE, "unequal pairs", lj**2),), (Term(m, "keys", lj**2),)),
        ((Term(ONE, "shifts", pjk**2),), (Term(m, "pairs", pjk**2),)),
        # letters that are not each other
        ((Term(ONE, "unequal pairs", pjk * lj),), (Term(ONE, "unequal pairs", pkj * lj),)),
        ((Term(ONE, "pairs", pjk * pkj),), (Term(ONE, "pairs", pjk**2),)),
        ((Term(ONE, "pairs", pjk),), (Term(ONE, "pairs", lj),)),
        # means
        ((Term(ONE, "keys", lj * mean_of[lj]),), (Term(ONE, "keys", lj**2),)),
        ((Term(ONE, "keys", mean_of[lj] ** 2),), (Term(1 / m**2, "pairs", lj * lk),)),
        # a dropped term
        (BOUND, VARIANCE),
        ((Term(ONE, "keys", (lj - lj) ** 2 + lj),), ()),
        # a constant
        ((Term(ONE, "pairs", ONE),), (Term(m - 1, "keys", ONE),)),
    ],
)
def test_sums_that_are_not_equal(left, right):
    assert not accepted([rewrite(left, right), GOOD])
    assert not accepted([rewrite(right, left), GOOD])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((Term(ONE, "permutations", pjk**2),), (Term(factorial(m - 1), "pairs", pjk**2),)),
        ((Term(ONE, "permutations", pjk**2),), (Term(factorial(m) / m, "shifts", pkj**2),)),
        ((Term(ONE, "unequal pairs", lj**2),), (Term(m - 1, "keys", lj**2),)),
        ((Term(ONE, "keys", mean_of[lj] ** 2),), (Term(1 / m, "pairs", lj * lk),)),
        ((Term(ONE, "pairs", ONE),), (Term(m, "keys", ONE),)),
        ((Term(ONE, "pairs", pjk**3 * lj),), (Term(ONE, "pairs", pkj**3 * lk),)),
    ],
)
def test_sums_that_are_equal(left, right):
    assert accepted([rewrite(left, right), GOOD])


@pytest.mark.parametrize(
    "term",
    [
        Term(ONE, "pairs", lj - mean_of[lj]),
        Term(ONE, "permutations", lj * mean_of[cj]),
        Term(ONE, "keys", lj * lk),
        Term(ONE, "keys", pjk),
        Term(ONE, "keys", own),
        Term(ONE, "pairs", own * lj),
        Term(ONE, "pairs", m * lj),
        Term(ONE, "pairs", sympy.Symbol("x") * lj),
        Term(ONE, "keys", lj * cj * mean_of[lj]),
        Term(ONE, "keys", 1 / lj),
        Term(ONE, "pairs", sympy.sqrt(lj)),
        Term(ONE, "pairs", sympy.Abs(lj)),
        Term(factorial(2 * m), "keys", lj),
        Term(factorial(m**2), "keys", lj),
        Term(ONE, "keys", sympy.sqrt(2) * lj),
        Term(ONE, "keys", sympy.pi * lj),
        Term(2**m, "pairs", lj),
    ],
    ids=str,
)
def test_what_has_no_normal_form_is_rejected_and_not_raised(term):
    """Also where the two sides are letter by letter the same: the checker does not know what it cannot read."""
    assert reasons([rewrite((term,), ()), GOOD])
    assert reasons([rewrite((term,), (term,)), GOOD])


@pytest.mark.parametrize(
    "weight", [sympy.sqrt(2), sympy.sqrt(m), lj, sympy.pi, factorial(m + sympy.Rational(1, 2)), sympy.oo, sympy.nan]
)
def test_a_weight_that_is_no_rational_number_is_refused(weight):
    with pytest.raises(InputError, match="has no rational value for m = "):
        Term(weight, "keys", lj)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((lj + lk) ** 2, lj**2 + lk**2),
        (lj * lk, lj * pjk),
        (lj, lj + sympy.Rational(1, 10**12)),
        (sympy.Integer(1), sympy.Integer(2)),
        (sympy.nan, sympy.nan),
        (sympy.oo, sympy.oo),
        (sympy.sqrt(lj**2), lj),
        (1 / lj, lj),
        (sympy.sqrt(2) * lj, lj),
        (sympy.sin(lj) ** 2 + sympy.cos(lj) ** 2, sympy.Integer(0)),
    ],
)
def test_expansions_that_are_no_polynomial_identity(left, right):
    assert reasons([Expansion("so", left, right, ""), GOOD])


# A square is a square of a real number, with a weight that is positive at every size.


def test_the_square_of_an_imaginary_base_is_no_square():
    """2/m^2 sum (i b)^2 = -slack: it would prove the theorem with its sides exchanged."""
    assert not accepted([conclude((2 / m**2, sympy.I * MIDDLE))], at_most(BOUND, VARIANCE))


def test_the_square_of_a_root_is_no_square():
    """(sqrt(lambda_j))^2 = lambda_j: it would prove that every logit is at least 0; [[-1, 0], [0, 0]] refutes."""
    statement = at_most((), (Term(ONE, "unequal pairs", lj),))
    assert statement.refuted_by(TableCase.of([[-1, 0], [0, 0]]))
    assert not accepted([conclude((1, sympy.sqrt(lj)))], statement)


@pytest.mark.parametrize(
    "weight",
    [-1, -1 / m, 1 - m, m - 3, 2 - m, sympy.Integer(0), m - 2, (m - 2) ** 2, (m - 2) * (m - 5)],
)
def test_weights_that_are_not_positive_at_every_size(weight):
    """At m = 2 the weight m - 2 is 0, so there the sides agree whatever the square's base."""
    weight = sympy.sympify(weight)
    right = (Term(weight, "unequal pairs", (pjk - pkj) ** 2),)
    statement = at_most((), right, equality_conditions=(pjk - pkj,))
    assert not accepted([conclude((weight, pjk - pkj))], statement)


@pytest.mark.parametrize("weight", [1 / (m - 7), 1 / (m - 7) ** 2, m / ((m - 7) * (m - 8) + 1) / (m - 7)])
def test_weights_that_are_infinite_at_some_size(weight):
    right = (Term(weight, "unequal pairs", (pjk - pkj) ** 2),)
    assert not accepted([conclude((weight, pjk - pkj))], at_most((), right))


@pytest.mark.parametrize(
    "weight", [1, m - 1, 1 / (m + 1), m, factorial(m), 1 / factorial(m - 1), m**2 - m, (m - 1) / m]
)
def test_weights_that_are_positive_at_every_size(weight):
    weight = sympy.sympify(weight)
    right = (Term(weight, "unequal pairs", (pjk - pkj) ** 2),)
    assert accepted([conclude((weight, pjk - pkj))], at_most((), right, equality_conditions=(pjk - pkj,)))


@pytest.mark.parametrize(
    "conditions",
    [(pjk - lj,), (pjk - lk,), (lj - lk,), (pjk - pkj,), (2 * pjk - lj - lk, lj - lk), (pjk - lj, pjk - lk)],
)
def test_equality_conditions_that_the_squares_do_not_give(conditions):
    assert not accepted([GOOD], at_most(VARIANCE, BOUND, equality_conditions=conditions))
    assert accepted([GOOD], at_most(VARIANCE, BOUND, equality_conditions=(lj + lk - 2 * pjk,)))


def test_a_multiplier_is_a_polynomial():
    """(lambda_j - lambda_k) M_jk = 0 does not give lambda_j = lambda_k, though 1/M_jk times it is the difference."""
    statement = replace(IMPLIES, form=Implication(((lj - lk) * pjk,), (lj - lk,)))
    assert not accepted([combine({0: 1 / pjk})], statement)
    assert not accepted([combine({0: 1 / lj})], replace(IMPLIES, form=Implication((lj * lk,), (lk,))))
    assert accepted([combine({0: lj})], replace(IMPLIES, form=Implication((lj,), (lj**2,))))


# What is accepted about a family of tables holds, term by term, on the tables of the family.


@pytest.mark.parametrize(
    ("family", "rows"),
    [
        (SYMBOLIC, [[1, 1], [3, 3]]),
        (POSITIONAL, [[1, 3], [1, 3]]),
        (POSITIONAL, [[1]]),
        (ADDITIVE, [[1, 3], [2, 4]]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
@pytest.mark.parametrize("letter", [lj, cj, dj, cj + dj])
@pytest.mark.parametrize("other", [lj, cj, dj, cj + dj])
def test_what_is_proved_of_a_family_holds_on_its_tables(family, rows, letter, other):
    relation = Relation((Term(ONE, "keys", letter**2),), "==", (Term(ONE, "keys", other**2),), family)
    statement = of_relation(relation)
    case = TableCase.of(rows)
    assert statement.meets(case)
    if accepted([conclude()], statement):
        assert not statement.refuted_by(case)


@pytest.mark.parametrize("family", [SYMBOLIC, POSITIONAL])
def test_the_premises_of_a_statement_are_its_family(family):
    """Of a symbolic table sum M_jk^2 = m sum lambda_j^2; of an additive one it is false."""
    relation = Relation((Term(ONE, "pairs", pjk**2),), "==", (Term(m, "keys", lj**2),), family)
    statement = of_relation(relation)
    assert accepted([conclude()], statement)
    assert not statement.refuted_by(TableCase.of([[0, 1], [1, 2]]))


# -- time, and what is left behind ------------------------------------------------------------------------


def test_algebra_that_runs_away_is_stopped(monkeypatch):
    monkeypatch.setattr(symbolic, "SECONDS_PER_STEP", 0.2)
    monster = sum(LETTERS, ONE) ** 80
    started = time.perf_counter()
    results = verify_proof(Proof((Expansion("monster", monster, sympy.Integer(0), ""), GOOD)), THEOREM)
    assert time.perf_counter() - started < 10
    assert [result.accepted for result in results] == [False, True]
    assert "0.2 s" in results[0].reason
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_the_signal_handler_is_put_back():
    before = signal.getsignal(signal.SIGALRM)
    verify_proof(Proof((GOOD,)), THEOREM)
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_thread_rejects_what_the_main_thread_rejects():
    found = []
    steps = (Expansion("so", 1 / lj, lj, ""), rewrite((Term(ONE, "keys", lj * lk),), ()), GOOD)

    def check():
        try:
            found.append([result.accepted for result in verify_proof(Proof(steps), THEOREM)])
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=check)
    thread.start()
    thread.join()
    assert found == [[False, False, True]]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_each_pair_of_keys_is_in_as_many_permutations_as_the_normal_form_says(size):
    """The coefficient of the sum over pairs at this size against a count of permutations."""
    form = normal_form((Term(ONE, "permutations", pjk),))
    counts = {sum(1 for pi in permutations(range(size)) if pi[j] == k) for j in range(size) for k in range(size)}
    assert counts == {math.factorial(size - 1)}
    assert {at_size(coefficient, size) for coefficient in form.values()} == counts


# -- the normal form means what the sum adds up to --------------------------------------------------------


def at_size(coefficient, size):
    """A coefficient, a rational function of m and F = (m-1)!, at one size."""
    value = coefficient.as_expr().subs({m: size, symbolic.F: math.factorial(size - 1)})
    return Fraction(int(value.p), int(value.q))


def letters_at(rows, j, k):
    size = len(rows)
    content = [sum(row, Fraction(0)) / size for row in rows]
    grand = sum(content, Fraction(0)) / size
    position = [sum((row[b] for row in rows), Fraction(0)) / size - grand for b in range(size)]
    return {
        lj: rows[j][j],
        lk: rows[k][k],
        pjk: rows[j][k],
        pkj: rows[k][j],
        cj: content[j],
        ck: content[k],
        dj: position[j],
        dk: position[k],
    }


def value_of_form(form, rows):
    size, total = len(rows), Fraction(0)
    for (kind, powers), coefficient in form.items():
        for j in range(size):
            for k in range(size):
                if (kind == "pair") != (j != k):
                    continue
                at = letters_at(rows, j, k)
                total += at_size(coefficient, size) * math.prod(
                    at[letter] ** power for letter, power in zip(LETTERS, powers, strict=True)
                )
    return total


def value_by_loops(total, rows):
    """The sum as its docstring says, summand by summand, with no shared code."""
    size, value = len(rows), Fraction(0)
    means = {}
    for letter, bar in mean_of.items():
        means[bar] = sum((letters_at(rows, j, j)[letter] for j in range(size)), Fraction(0)) / size
    for term in total:
        pairs = {
            "permutations": [(j, pi[j]) for pi in permutations(range(size)) for j in range(size)],
            "shifts": [(j, (j + s) % size) for s in range(size) for j in range(size)],
            "pairs": [(j, k) for j in range(size) for k in range(size)],
            "unequal pairs": [(j, k) for j in range(size) for k in range(size) if j != k],
            "keys": [(j, j) for j in range(size)],
        }[term.over]
        weight = sympy.Rational(term.weight.subs(m, size))
        polynomial = sympy.Poly(term.summand, *LETTERS, *means, domain="QQ")
        for j, k in pairs:
            at = letters_at(rows, j, k) | means
            for powers, factor in polynomial.terms():
                value += (
                    Fraction(int(weight.p), int(weight.q))
                    * Fraction(int(factor.p), int(factor.q))
                    * math.prod(at[letter] ** power for letter, power in zip(polynomial.gens, powers, strict=True))
                )
    return value


WEIGHTS = [
    ONE,
    sympy.Rational(-2, 3),
    1 / m,
    1 / m**2,
    (m - 1) / (m + 1),
    factorial(m - 1),
    1 / (factorial(m) * m),
    factorial(m + 1) / m,
]
coefficients = st.sampled_from([ONE, -ONE, sympy.Rational(1, 2), sympy.Integer(3)])
OF_KEYS = (lj, cj, dj, *mean_of.values())


@st.composite
def sums(draw):
    terms = []
    for _ in range(draw(st.integers(1, 3))):
        over = draw(st.sampled_from(["permutations", "shifts", "pairs", "unequal pairs", "keys"]))
        letter = st.sampled_from(OF_KEYS if over == "keys" else LETTERS)
        summand = sum(
            (draw(coefficients) * draw(letter) * draw(letter) for _ in range(draw(st.integers(1, 2)))), sympy.Integer(0)
        )
        terms.append(Term(draw(st.sampled_from(WEIGHTS)), over, summand))
    return tuple(terms)


entries = st.fractions(min_value=-2, max_value=2, max_denominator=3)


def tables(largest):
    return st.integers(1, largest).flatmap(
        lambda size: st.lists(st.lists(entries, min_size=size, max_size=size), min_size=size, max_size=size)
    )


@given(sums(), tables(4))
@settings(max_examples=60)
def test_normal_form_and_literal_value_agree(total, rows):
    literal = evaluate(total, TableCase.of(rows).array).item()
    assert literal == value_of_form(normal_form(total), rows)


@given(sums(), tables(3))
@settings(max_examples=25)
def test_the_literal_value_is_what_loops_add_up(total, rows):
    assert evaluate(total, TableCase.of(rows).array).item() == value_by_loops(total, rows)


@given(
    sums(), st.integers(1, 3).flatmap(lambda size: st.tuples(*[st.lists(entries, min_size=size, max_size=size)] * 2))
)
@settings(max_examples=25)
def test_the_normal_form_of_an_additive_family_agrees(total, parts):
    content, position = parts
    mean = sum(position, Fraction(0)) / len(position)
    rows = [[c + d for d in position] for c in content]
    form = normal_form(total, ADDITIVE)
    assert evaluate(total, TableCase.of(rows).array).item() == value_of_form(form, rows)
    assert all(not power for _, powers in form for power in powers[:4])
    assert letters_at(rows, 0, 0)[dj] == position[0] - mean


@given(sums(), sums())
@settings(max_examples=15)
def test_normal_forms_add(one, other):
    together, apart = normal_form((*one, *other)), normal_form(one)
    for key, value in normal_form(other).items():
        apart[key] = apart.get(key, 0 * value) + value
    assert together == {key: value for key, value in apart.items() if value != 0}
    assert normal_form(one, GENERAL) == normal_form(one)


# -- evaluate ---------------------------------------------------------------------------------------------


def test_values_keep_the_shape_of_a_batch():
    batch = np.arange(12).reshape(3, 2, 2)
    single = np.ones((3, 1, 1), dtype=np.int64)
    assert evaluate(BOUND, batch).shape == (3,)
    assert evaluate((), batch).shape == (3,)
    assert evaluate((Term(ONE, "unequal pairs", pjk**2),), single).shape == (3,)


@pytest.mark.parametrize("largest", [1, 2**15, 2**20, 2**31, 4 * 10**9])
@pytest.mark.parametrize("power", [1, 2, 4])
def test_integers_do_not_wrap(largest, power):
    array = np.array([[largest, 0], [0, -largest]])
    total = (Term(ONE, "permutations", (lj - pjk) ** power),)
    assert evaluate(total, array).item() == largest**power + (-largest) ** power


def test_a_mean_is_not_taken_for_zero_where_it_has_no_meaning():
    with pytest.raises(InputError):
        evaluate((Term(ONE, "pairs", lj - mean_of[lj]),), TableCase.of([[1, 0], [0, 3]]).array)


def test_chosen_permutations_stand_in_for_the_group():
    array = TableCase.of([[0, 1], [2, 5]]).array
    total = (Term(ONE, "permutations", (pjk - lj) ** 2),)
    identity, swap = (0, 1), (1, 0)
    assert evaluate(total, array, [identity]).item() == 0
    assert evaluate(total, array, [swap]).item() == 2 * (1 + 9)
    assert evaluate(total, array, [identity, swap]).item() == evaluate(total, array).item() == 10
    with pytest.raises(InputError, match="no permutations"):
        evaluate(total, array, [])


# -- what a contributor might write, and must not get away with ---------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: Term(ONE, "pairs", sympy.Float("0.999999999999999") * lj**2),
        lambda: Term(sympy.Float(1 / 3), "pairs", lj**2),
        lambda: Term(0.1, "pairs", lj**2),
        lambda: Square(sympy.Float(0.5), lj - lk),
        lambda: Square(ONE, lj - 0.5 * lk),
        lambda: Implication((pjk - sympy.Float("1.000000000000001") * lj,), (lj - lk,)),
        lambda: ConcludeImplication("so", ({0: 0.5},), ""),
        lambda: Relation((), "<=", (), equality_conditions=(lj - 0.5 * lk,)),
    ],
)
def test_a_float_is_refused_where_it_stands(make):
    with pytest.raises(InputError, match=r"the float in .* is not exact"):
        make()


@pytest.mark.parametrize("relation", ["=", "<", ">=", "\u2264", ""])
def test_an_unknown_relation_is_refused(relation):
    with pytest.raises(InputError, match="unknown relation"):
        Relation((), relation, ())


@pytest.mark.parametrize("over", ["permutation", "unequal_pairs", "keys "])
def test_an_unknown_range_is_refused(over):
    with pytest.raises(InputError, match="unknown sum over"):
        Term(ONE, over, lj**2)


def test_the_factorial_of_the_checker_cannot_be_named():
    """The checker writes (m - 1)! as a letter; a statement that has one of that name is about something else."""
    named = sympy.Symbol("F", positive=True)
    with pytest.raises(InputError, match="no rational value"):
        Term(named, "pairs", lj**2)
    claimed = Relation((Term(ONE, "permutations", lj**2),), "==", (Term(ONE, "pairs", named * lj**2),))
    assert not accepted([conclude()], of_relation(claimed))


UNEVALUATED = sympy.Mul(m - 1, sympy.Pow(m - 1, -1, evaluate=False), evaluate=False)


@pytest.mark.parametrize("weight", [1 / (m - 1), 1 / (m - 3), 1 / (2 - m), factorial(m - 2) * (m - 1), UNEVALUATED])
def test_a_weight_with_a_pole_at_a_small_size_is_refused(weight):
    with pytest.raises(InputError, match="has no rational value for m = "):
        Term(weight, "pairs", lj**2)


def test_a_weight_with_a_pole_at_a_large_size_is_rejected():
    claimed = Relation((Term(1 / (m - 9), "pairs", lj**2),), "==", (Term(1 / (m - 9), "pairs", lk**2),))
    assert not accepted([conclude()], of_relation(claimed))


HIDDEN_ZEROS = [sympy.cos(1) ** 2 + sympy.sin(1) ** 2 - 1, sympy.Add(1, -1, evaluate=False)]


@pytest.mark.parametrize("zero", HIDDEN_ZEROS)
def test_a_hidden_zero_does_not_cancel(zero):
    form = Implication((zero * (lj - lk),), (lj - lk,))
    try:
        inverse = 1 / zero
    except ZeroDivisionError:
        inverse = sympy.Integer(1)
    assert not accepted([combine({0: inverse})], replace(IMPLIES, form=form))


def test_one_key_is_no_pair():
    """With one key the hypotheses about pairs ask nothing, so they cannot force its logit to be 0."""
    form = Implication((pjk - lj, pjk), (lj,))
    assert not accepted([combine({0: -1, 1: 1})], replace(IMPLIES, form=form))


def test_an_identity_has_no_equality_case():
    with pytest.raises(InputError, match="belongs to a bound"):
        Relation((), "==", (), equality_conditions=(lj - lk,))


def test_a_step_of_an_unknown_kind_is_rejected():
    @dataclass
    class Trust:
        title: str = "trust me"

    (result, *_) = verify_proof(Proof((Trust(), GOOD)), THEOREM)
    assert not result.accepted
    assert "unknown kind" in result.reason


def test_large_coefficients_do_not_wrap_around():
    statement = of_relation(Relation((Term(ONE, "unequal pairs", 4537214063901175426 * lj**2),), "<=", ()))
    assert statement.refuted_by(TableCase.of([[1, 0], [0, 0]]))
    from headproof.checks.engines.exact import decide

    assert decide(statement, 6).verdict == "REFUTED"
