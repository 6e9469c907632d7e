"""dec.definitions: positional and symbolic by the letter, what both at once force, and which heads are which."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headproof.checks.registry import claims
from headproof.constructions.exact import Turn
from headproof.constructions.expressivity import h_pos, h_sym
from headproof.constructions.heads import Head, rope_table
from headproof.constructions.rope import RopeConfig
from headproof.constructions.tasks import index_task, retrieval_task
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.errors import InputError
from headproof.theory.exclusion.definition_claims import DEFINITION_CLAIMS
from headproof.theory.exclusion.definitions import is_positional, is_symbolic
from headproof.theory.table import LogitTable

entries = st.integers(-1, 1).map(Fraction)
UNIFORM_EARLIER = "dec.definitions.uniform.earlier-keys"


def squares(size, entry=entries):
    return st.lists(st.lists(entry, min_size=size, max_size=size), min_size=size, max_size=size)


@st.composite
def tables(draw, largest=4):
    """Any small table, or one with equal rows or equal columns, or such a one with a single entry changed."""
    size = draw(st.integers(1, largest))
    rows = draw(squares(size))
    kind = draw(st.sampled_from(["any", "rows", "columns", "constant"]))
    if kind in ("rows", "constant"):
        rows = [list(rows[0]) for _ in rows]
    if kind in ("columns", "constant"):
        rows = [[row[0]] * size for row in rows]
    if draw(st.booleans()):
        rows[draw(st.integers(0, size - 1))][draw(st.integers(0, size - 1))] = draw(entries)
    return rows


# -- the definitions by the letter ------------------------------------------------------------------------


def literally_positional(rows):
    """L(x_n, n, x_pi(j), j) = L(x_n, n, x_j, j) for every permutation pi and every j."""
    keys = range(len(rows))
    return all(rows[pi[j]][j] == rows[j][j] for pi in permutations(keys) for j in keys)


def literally_symbolic(rows):
    """L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j) for every permutation pi and every j."""
    keys = range(len(rows))
    return all(rows[j][pi[j]] == rows[j][j] for pi in permutations(keys) for j in keys)


def premise(claim, name):
    return next(each for each in claims()[claim].statement.premises if each.name == name)


def every_refuting_table(test):
    """As explicit examples: the tables on which an engine refuted a mutant of a definition's claim."""
    for rows in (
        [[0, 0], [1, 1]],
        [[0, 1], [0, 1]],
        [[0, 0], [1, 0]],
        [[0, 1], [0, 0]],
        [[0, 0], [0, 1]],
        [[1]],
        [[0]],
    ):
        test = example([[Fraction(x) for x in row] for row in rows])(test)
    return test


@every_refuting_table
@given(tables())
def test_constant_columns_and_rows_are_the_definitions(rows):
    table = LogitTable.of_rows(rows)
    assert bool(is_positional(table)) == literally_positional(rows)
    assert bool(is_symbolic(table)) == literally_symbolic(rows)
    # In words: M does not depend on the content, or on the position.
    assert literally_positional(rows) == all(len(set(column)) == 1 for column in zip(*rows, strict=True))
    assert literally_symbolic(rows) == all(len(set(row)) == 1 for row in rows)


@every_refuting_table
@given(tables())
def test_the_premises_of_the_claims_are_the_definitions(rows):
    case = TableCase.of(rows)
    assert premise("dec.definitions.both-constant", "positional").holds(case) == literally_positional(rows)
    assert premise("dec.definitions.both-constant", "symbolic").holds(case) == literally_symbolic(rows)


@every_refuting_table
@given(tables())
@settings(max_examples=50)
def test_the_two_claims_about_definitions_hold_case_by_case(rows):
    case = TableCase.of(rows)
    keys = range(len(rows))
    positional = sum((rows[pi[j]][j] - rows[j][j]) ** 2 for pi in permutations(keys) for j in keys)
    symbolic = sum((rows[j][pi[j]] - rows[j][j]) ** 2 for pi in permutations(keys) for j in keys)
    assert (positional == 0) == literally_positional(rows)
    assert (symbolic == 0) == literally_symbolic(rows)
    for name in ("positional", "symbolic"):
        assert not claims()[f"dec.definitions.{name}"].statement.refuted_by(case)


@pytest.mark.parametrize("kind", ["numpy", "torch"])
def test_definitions_in_batches(kind):
    rows = np.stack([np.tile([1.0, 2.0], (2, 1)), np.tile([[1.0], [2.0]], (1, 2)), np.ones((2, 2)), np.eye(2)])
    if kind == "torch":
        rows = pytest.importorskip("torch").from_numpy(rows)
    table = LogitTable(rows)
    assert is_positional(table).tolist() == [True, False, True, False]
    assert is_symbolic(table).tolist() == [False, True, True, False]


def test_comparison_is_exact():
    array = np.zeros((2, 2))
    array[0, 1] = 5e-324
    assert not is_positional(LogitTable(array))
    assert not is_symbolic(LogitTable(array))
    general = LogitTable.symbolic(2)
    assert not is_positional(general)
    assert is_positional(general.keys([1]))


# -- both at once -----------------------------------------------------------------------------------------


@every_refuting_table
@given(tables())
def test_both_at_once_force_constant_logits_and_equal_weights(rows):
    """M_jj = M_kj (positional) = M_kk (symbolic)."""
    if literally_positional(rows) and literally_symbolic(rows):
        assert len({row[j] for j, row in enumerate(rows)}) == 1
        assert len({x for row in rows for x in row}) == 1
    case = TableCase.of(rows)
    for claim in ("both-constant", "uniform.visible-keys"):
        assert not claims()[f"dec.definitions.{claim}"].statement.refuted_by(case)


@pytest.mark.parametrize(
    ("rows", "positional", "symbolic"),
    [([[0, 1], [0, 1]], True, False), ([[0, 0], [1, 1]], False, True), ([[0, 0], [0, 1]], False, False)],
)
def test_one_alone_does_not(rows, positional, symbolic):
    assert (literally_positional(rows), literally_symbolic(rows)) == (positional, symbolic)
    assert rows[0][0] != rows[1][1]


# -- the refuted claim: uniform attention over all that the query sees -----------------------------------


def test_two_tokens_refute_uniform_attention():
    """n = 2: one earlier key of logit 0, the query's own of logit 1. S_1 has the identity alone, so the head is
    positional and symbolic on the input; the weights are 1/(1 + e) and e/(1 + e), and e > 1."""
    rows, own = [[Fraction(0)]], Fraction(1)
    assert literally_positional(rows)
    assert literally_symbolic(rows)
    total = sympy.exp(0) + sympy.exp(1)
    weights = [sympy.exp(logit) / total for logit in (rows[0][0], own)]
    assert sympy.simplify(sum(weights)) == 1
    assert (weights[0] < sympy.Rational(1, 2)) == sympy.true
    # e > 1 + 1 + 1/2 by its series, so the own key has more than 5/7 of the attention.
    assert sum(Fraction(1, math.factorial(k)) for k in range(3)) == Fraction(5, 2)
    assert (weights[1] > sympy.Rational(5, 7)) == sympy.true
    claim = claims()[UNIFORM_EARLIER]
    assert claim.statement.refuted_by(TableCase.of([[0]], own=1))
    assert not claim.statement.refuted_by(TableCase.of([[1]], own=1))
    assert not claims()[claim.repair].statement.refuted_by(TableCase.of([[0]], own=1))


def test_a_real_head_refutes_it_by_its_softmax():
    """A NoPE head of one coordinate, key = x and query = x, on the sequence 0, 1: logits 0 and 1 at n = 2."""
    one = [[1]]
    head = Head(one, one, one, RopeConfig.nope(1))
    table = head.table([[0], [1]])
    assert is_positional(table)
    assert is_symbolic(table)
    assert head.weights([[0], [1]]).tolist() == [1 / (1 + sympy.E), sympy.E / (1 + sympy.E)]
    floats = head.numeric().weights([[0.0], [1.0]])
    assert floats == pytest.approx([0.2689414213699951, 0.7310585786300049], rel=1e-15)
    # With the query's own key among the permuted ones the same head is not positional: content 1 differs from 0.
    visible = head.table([[0], [1]], include_query=True)
    assert is_symbolic(visible)
    assert not is_positional(visible)


def test_equal_keys_and_another_own_key_at_any_length():
    """What survives: the n - 1 earlier keys share one weight; their own sum can be anything."""
    one = [[1.0]]
    head = Head(one, one, one, RopeConfig.nope(1))
    for n in (2, 3, 6):
        x = [[0.0]] * (n - 1) + [[1.0]]
        table = head.table(x)
        assert is_positional(table)
        assert is_symbolic(table)
        weights = head.weights(x)
        assert len(set(weights[:-1])) == 1
        assert weights[-1] == pytest.approx(math.e / (n - 1 + math.e), rel=1e-15)


@every_refuting_table
@given(tables())
def test_the_repaired_claim_holds_whatever_the_own_logit(rows):
    claim = claims()[claims()[UNIFORM_EARLIER].repair]
    for own in (None, 0, 1, Fraction(-5, 3)):
        assert not claim.statement.refuted_by(TableCase.of(rows, own=own))


# -- which rotary heads are which -------------------------------------------------------------------------

# cosine and sine of rational turns
TURNS = [(1, 0), (0, 1), (-1, 0), (0, -1), ("3/5", "4/5"), ("-5/13", "12/13")]
coordinates = st.integers(-2, 2)
planes = st.tuples(coordinates, coordinates)


@st.composite
def rotary_cases(draw, turns=TURNS, equal=False):
    count = draw(st.integers(1, 2))
    vector = st.lists(planes, min_size=count, max_size=count)
    chosen = draw(st.lists(st.sampled_from(turns), min_size=count, max_size=count))
    keys = draw(st.lists(vector, min_size=1, max_size=4))
    if equal:
        keys = [keys[0]] * len(keys)
    return RotaryCase.of(chosen, draw(vector), keys)


def by_complex_numbers(case):
    """M[a, b]: per plane the real part of q conj(k) turned n - b times, by Gaussian rationals."""
    size = len(case.keys)
    rows = [[Fraction(0)] * size for _ in range(size)]
    for a, key in enumerate(case.keys):
        for b in range(size):
            for (cos, sin), (qx, qy), (kx, ky) in zip(case.turns, case.query, key, strict=True):
                real, imaginary = qx * kx + qy * ky, qy * kx - qx * ky
                for _ in range(size + 1 - (b + 1)):
                    real, imaginary = real * cos - imaginary * sin, real * sin + imaginary * cos
                rows[a][b] += real
    return rows


@given(rotary_cases())
def test_the_table_of_a_rotary_case(case):
    rows = by_complex_numbers(case)
    assert case.table.rows == tuple(map(tuple, rows))
    config = RopeConfig(tuple(Turn(Fraction(c), Fraction(s)) for c, s in case.turns), "adjacent")
    flat = [np.array([x for plane in vectors for x in plane], dtype=object) for vectors in (case.query, *case.keys)]
    table = rope_table(flat[0], np.stack(flat[1:]), config, len(case.keys) + 1)
    assert table.logits.tolist() == rows


HEADS = (
    RotaryCase.of([(1, 0)], [(1, 0)], [[(0, 0)], [(1, 0)]]),
    RotaryCase.of([(0, 1)], [(0, 1)], [[(0, 0)], [(1, 0)]]),
    RotaryCase.of([(-1, 0)], [(0, 1)], [[(0, 0)], [(0, 1)]]),
    RotaryCase.of([(0, 1)], [(0, 1)], [[(0, 1)], [(0, 1)]]),
    RotaryCase.of([(1, 0)], [(0, 1)], [[(1, 0)], [(0, -1)]]),
)


def every_refuting_head(test):
    for case in HEADS:
        test = example(case)(test)
    return test


@every_refuting_head
@given(st.one_of(rotary_cases(), rotary_cases(turns=[(1, 0)]), rotary_cases(equal=True)))
def test_nope_is_symbolic_and_equal_keys_are_positional(case):
    rows = by_complex_numbers(case)
    if all(turn == (1, 0) for turn in case.turns):
        assert literally_symbolic(rows)
    if len(set(case.keys)) == 1:
        assert literally_positional(rows)
    for name in ("nope-symbolic", "equal-keys-positional"):
        assert not claims()[f"dec.definitions.{name}"].statement.refuted_by(case)


@pytest.mark.parametrize(
    ("claim", "mutant", "case", "said"),
    [
        ("nope-symbolic", "positional", HEADS[0], literally_positional),
        ("nope-symbolic", "one plane turns", HEADS[1], literally_symbolic),
        ("nope-symbolic", "half turns", HEADS[2], literally_symbolic),
        ("equal-keys-positional", "symbolic", HEADS[3], literally_symbolic),
        ("equal-keys-positional", "all keys but one", HEADS[0], literally_positional),
        ("equal-keys-positional", "equal lengths", HEADS[4], literally_positional),
    ],
)
def test_the_mutants_of_the_rotary_claims_are_false(claim, mutant, case, said):
    statement = claims()[f"dec.definitions.{claim}"].mutant(mutant).statement
    assert statement.refuted_by(case)
    assert not said(by_complex_numbers(case))


@given(st.lists(st.lists(coordinates, min_size=3, max_size=3), min_size=2, max_size=4))
@settings(max_examples=30)
def test_nope_heads_of_any_embeddings_are_symbolic(x):
    head = Head([[1, 0, 2], [0, 1, -1]], [[1, 1, 0], [0, -1, 1]], [[1, 0, 0]], RopeConfig.nope(2))
    assert is_symbolic(head.table(x))


def test_the_constructed_heads():
    positional = h_pos("ab", 4, Turn(Fraction(3, 5), Fraction(4, 5)))
    assert is_positional(positional.table(index_task("ab", 4).encode(["a", "b", "a", 2])))
    assert not is_symbolic(positional.table(index_task("ab", 4).encode(["a", "b", "a", 2])))
    symbolic = h_sym("rs", "xy")
    table = symbolic.table(retrieval_task("rs", "xy").encode([("r", "x"), ("s", "y"), "r"]))
    assert is_symbolic(table)
    assert not is_positional(table)


# -- cases ------------------------------------------------------------------------------------------------


def test_each_permutation_once_is_not_one_of_them_twice():
    """A sum over (1 2), (1 2), (2 1) is no sum over the group, though every element occurs."""
    group = [(0, 1), (1, 0)]
    assert TableCase.of([[0, 0], [0, 1]], chosen=group).all_permutations
    assert TableCase.of([[0, 0], [0, 1]]).all_permutations
    assert not TableCase.of([[0, 0], [0, 1]], chosen=[(0, 1)]).all_permutations
    assert not TableCase.of([[0, 0], [0, 1]], chosen=[*group, (0, 1)]).all_permutations


def test_no_true_claim_is_refuted_by_a_permutation_counted_twice():
    case = TableCase.of([[0, 0], [0, 1]], chosen=[(0, 1), (0, 1), (1, 0)])
    additive = TableCase.of([[0, 1], [1, 2]], chosen=[(0, 1), (0, 1), (1, 0)])
    for claim in ("dec.thm1", "dec.thm1.identity", "dec.thm1.closed-form", "dec.thm1.equality", "dec.thm1.additive"):
        for each in (case, additive):
            assert not claims()[claim].statement.refuted_by(each), claim


@given(tables(3), st.one_of(st.none(), entries), st.booleans())
@settings(max_examples=40)
def test_cases_travel_through_json_and_shrink(rows, own, some):
    case = TableCase.of(rows, own, [tuple(range(len(rows)))] if some else None)
    assert TableCase.of_json(case.to_json()) == case
    assert case not in set(case.smaller())
    assert all(isinstance(each, TableCase) for each in case.smaller())


@given(rotary_cases())
@settings(max_examples=40)
def test_rotary_cases_travel_through_json(case):
    assert RotaryCase.of_json(case.to_json()) == case
    assert case not in set(case.smaller())


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: TableCase.of([]), "square"),
        (lambda: TableCase.of([[1, 2]]), r"\[2\]"),
        (lambda: TableCase.of([[0.5]]), "0.5"),
        (lambda: TableCase.of([[True]]), "True"),
        (lambda: TableCase.of([["x"]]), "'x'"),
        (lambda: TableCase.of([["1/0"]]), "'1/0'"),
        (lambda: TableCase.of([[1]], own=0.5), "0.5"),
        (lambda: TableCase.of([[1]], chosen=[]), "empty"),
        (lambda: TableCase.of([[1]], chosen=[(1,)]), r"\(1,\)"),
        (lambda: TableCase.of_json({}), "rows"),
        (lambda: RotaryCase.of([(1, 1)], [(1, 0)], [[(1, 0)]]), r"\(1, 1\)"),
        (lambda: RotaryCase.of([(1, 0)], [(1, 0)], []), "keys"),
        (lambda: RotaryCase.of([(1, 0)], [(1, 0), (0, 1)], [[(1, 0)]]), "1 planes"),
        (lambda: RotaryCase.of([(1, 0)], [(0.5, 0)], [[(1, 0)]]), "0.5"),
    ],
)
def test_cases_that_are_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_the_definitions_are_all_there():
    assert {claim.id for claim in DEFINITION_CLAIMS} <= set(claims())
    assert len(DEFINITION_CLAIMS) == 8


# -- the symbolic form of a rotary claim speaks of the tables that its cases have --------------------------

small = st.integers(-2, 2)
vectors = st.tuples(small, small)
turns = st.sampled_from([(1, 0), (0, 1), (-1, 0), ("3/5", "4/5"), ("-5/13", "12/13")])


@given(st.lists(st.tuples(turns, vectors, vectors, vectors), min_size=1, max_size=3))
def test_the_planes_of_a_rotary_form_add_up_to_the_table(planes):
    """M[a, 1] - M[a, 2] and M[1, b] - M[2, b] are sums over planes of the polynomials that are proved to vanish."""
    from headproof.theory.cases import _power
    from headproof.theory.exclusion.rotary_claims import C1, C2, H1, H2, K1, K2, Q1, Q2, S1, S2

    case = RotaryCase.of(
        [turn for turn, _, _, _ in planes],
        [query for _, query, _, _ in planes],
        [[key for _, _, key, _ in planes], [other for _, _, _, other in planes]],
    )
    by_position, by_content = 0, 0
    (position_form,) = claims()["dec.definitions.nope-symbolic"].statement.form.conclusions
    (content_form,) = claims()["dec.definitions.equal-keys-positional"].statement.form.conclusions
    for turn, query, key, other in zip(case.turns, case.query, *case.keys, strict=True):
        # The query stands at position 3: the first position is two turns away, the second one.
        (c1, s1), (c2, s2) = _power(turn, 2), _power(turn, 1)
        letters = dict(zip((Q1, Q2, K1, K2, H1, H2), (*query, *key, *other), strict=True))
        letters |= dict(zip((C1, S1, C2, S2), (c1, s1, c2, s2), strict=True))
        by_position += position_form.subs(letters)
        by_content += content_form.subs(letters)
    rows = case.table.rows
    assert by_position == rows[0][0] - rows[0][1]
    assert by_content == rows[0][0] - rows[1][0]
