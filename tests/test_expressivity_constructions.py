"""H_POS, H_SYM and the heads for partial induction against the reference solvers, on whole small domains."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.constructions import expressivity
from headproof.constructions.exact import Turn, turned
from headproof.constructions.expressivity import answer, h_pos, h_sym, one_angle, two_angle
from headproof.constructions.tasks import (
    index_task,
    partial_induction_task,
    retrieval_task,
    solve_index,
    solve_partial_induction,
    solve_retrieval,
)
from headproof.theory.errors import InputError

THETA, C = sympy.Symbol("theta", real=True), sympy.Symbol("c", positive=True)
TURN = Turn.of_half_tangent(Fraction(1, 5))  # about 0.39
THREE = [Turn(1, 0), Turn(Fraction(-3, 5), Fraction(4, 5)), Turn(Fraction(-5, 13), Fraction(-12, 13))]

# name, head, task, lengths: one table for hard attention, softmax, and the query's own key.
CASES = [
    ("index-turn", h_pos("abc", 4, TURN), index_task("abc", 4), [4]),
    ("index-large-angle", h_pos("ab", 5, 2 * sympy.pi / 5 + 4 * sympy.pi / 7), index_task("ab", 5), [5]),
    ("index-radian", h_pos("ab", 4, 1, weight=3), index_task("ab", 4), [4]),
    ("index-shortest", h_pos("ab", 2, TURN), index_task("ab", 2), [2]),
    ("index-offset", h_pos("ab", 5, TURN, names="offset"), index_task("ab", 5, "offset"), [2, 3, 4, 5]),
    ("retrieval", h_sym("abc", "xy"), retrieval_task("abc", "xy"), [2, 3, 4]),
    ("retrieval-one-symbol", h_sym("a", "xy"), retrieval_task("a", "xy"), [2]),
    ("two-angle-rational", two_angle("ab", "xy", 4, TURN), partial_induction_task("ab", "xy"), [2, 3, 4]),
    (
        "two-angle-three-directions",
        two_angle("abc", "xy", 4, TURN, recency=Fraction(3, 2), directions=THREE),
        partial_induction_task("abc", "xy"),
        [2, 3],
    ),
    (
        "two-angle-polygon",
        two_angle("abc", "xy", 3, Fraction(1, 2)),
        partial_induction_task("abc", "xy"),
        [2, 3],
    ),
    ("two-angle-one-symbol", two_angle("a", "xy", 4, TURN), partial_induction_task("a", "xy"), [2, 3, 4]),
    ("one-angle", one_angle("ab", "xy", 4, TURN), partial_induction_task("ab", "xy"), [2, 3, 4]),
    (
        "one-angle-three",
        one_angle("abc", "xy", 3, Fraction(2, 3)),
        partial_induction_task("abc", "xy"),
        [2, 3],
    ),
]
cases = pytest.mark.parametrize(
    ("head", "task", "lengths"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)


def every_input(task, lengths):
    return [tokens for length in lengths for tokens in task.inputs(length)]


@cases
def test_exact_heads_compute_their_task_under_hard_attention(head, task, lengths):
    inputs = every_input(task, lengths)
    assert inputs
    assert head.exact
    for tokens in inputs:
        assert answer(head, task, tokens) == task.solve(tokens), tokens
        x = task.encode(tokens)
        assert head.weights(x, beta=math.inf)[-1] == 0, "the query's own key is no maximiser"


@cases
def test_float_heads_compute_their_task_under_softmax(head, task, lengths):
    """With a gap g between the right key and the others, beta > log(m - 1) / g gives the right answer."""
    head, inputs = head.numeric(), every_input(task, lengths)
    gap = math.inf
    for tokens in inputs:
        logits = np.sort(head.logits(task.encode(tokens))[:-1])
        gap = min([gap, *(logits[-1:] - logits[-2:-1])])
    beta = 1.0 if math.isinf(gap) else math.log(max(lengths)) / gap
    for tokens in inputs:
        assert answer(head, task, tokens, beta) == task.solve(tokens), tokens
        assert answer(head, task, tokens) == task.solve(tokens), tokens


def test_a_float_parameter_makes_a_float_head():
    for head in (h_pos("ab", 4, 0.5), h_sym("ab", "xy", weight=2.5), two_angle("ab", "xy", 3, 0.5)):
        assert not head.exact
    task = partial_induction_task("ab", "xy")
    head = one_angle("ab", "xy", 3, -0.5)
    assert all(answer(head, task, tokens) == task.solve(tokens) for tokens in every_input(task, [2, 3]))


# -- H_POS and H_SYM --------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", ["position", "offset"])
@pytest.mark.parametrize("n", [2, 5])
def test_the_logits_of_h_pos_are_exactly_cosines(names, n):
    task = index_task("ab", n, names)
    head = h_pos("ab", n, THETA, names=names, weight=C)
    for j in range(1, n):
        tokens = ["ab"[k % 2] for k in range(n - 1)] + [j if names == "position" else n - j]
        for k, logit in enumerate(head.logits(task.encode(tokens)), start=1):
            difference = logit - C * sympy.cos(THETA * (j - k))
            assert sympy.expand(difference.rewrite(sympy.exp)) == 0
        assert all(len(set(column)) == 1 for column in head.table(task.encode(tokens)).logits.T) or n == 2


def test_h_sym_tables_do_not_depend_on_position():
    task = retrieval_task("abc", "xy")
    table = h_sym("abc", "xy", weight=C).table(task.encode([("b", "x"), ("a", "y"), ("c", "y"), "a"]))
    assert table.logits.tolist() == [[0] * 3, [C] * 3, [0] * 3]


@pytest.mark.parametrize(
    ("theta", "length", "t"),
    [
        (0, 2, 1),
        (2 * sympy.pi, 2, 1),
        (2 * sympy.pi / 5, 6, 5),
        (-4 * sympy.pi / 7, 8, 7),
        (Turn(0, 1), 5, 4),
        (Turn(-1, 0), 3, 2),
        (2 * math.pi / 3, 4, 3),
        (1e-9, 2, 1),
    ],
)
def test_h_pos_refuses_aliases_and_names_them(theta, length, t):
    with pytest.raises(InputError, match=rf": {t} theta is (within rounding of )?a multiple of 2 pi"):
        h_pos("ab", length, theta)
    if t > 1:
        h_pos("ab", length - 1, theta)  # one token less, and nothing aliases


def test_an_aliased_head_is_wrong(monkeypatch):
    monkeypatch.setattr(expressivity, "refuse_aliasing", lambda angle, length: None)
    task = index_task("ab", 6)
    wrong = h_pos("ab", 6, Turn(0, 1))
    assert answer(wrong, task, ["a", "b", "b", "b", "b", 1]) is None
    # t = length - 1 ties with the query's own key alone: the answer stands, at half the weight.
    task, tied = index_task("ab", 5), h_pos("ab", 5, Turn(0, 1))
    assert all(answer(tied, task, tokens) == task.solve(tokens) for tokens in task.inputs(5))
    assert tied.weights(task.encode(["a", "b", "b", "b", 1]), beta=math.inf)[-1] == Fraction(1, 2)


def test_a_head_for_positions_is_bound_to_its_length():
    task = index_task("ab", 5)
    assert answer(h_pos("ab", 5, TURN), task, ["a", "b", "b", 2]) == "a"


# -- partial induction ------------------------------------------------------------------------------------

TASK = partial_induction_task("ab", "xy")
INPUTS = every_input(TASK, [2, 3, 4])
tangents = st.fractions(min_value=-3, max_value=3, max_denominator=12)


def accepts(make):
    try:
        make()
    except InputError:
        return False
    return True


def solves(make, monkeypatch):
    """Whether the head, built with its conditions off, is right under hard attention; and its float copy."""
    for name in ("_require_recency", "_require_margin", "_require_phase"):
        monkeypatch.setattr(expressivity, name, lambda *_: None)
    head = make()
    return all(answer(head, TASK, tokens) == TASK.solve(tokens) for tokens in INPUTS), head.numeric()


@given(tangents, st.fractions(min_value=Fraction(1, 4), max_value=4, max_denominator=4))
@settings(deadline=None, max_examples=60)
def test_the_conditions_of_two_angle_are_exact(tangent, recency):
    def make():
        return two_angle("ab", "xy", 4, Turn.of_half_tangent(tangent), recency=recency)

    check_exactness(make)


@given(tangents)
@settings(deadline=None, max_examples=60)
def test_the_condition_of_one_angle_is_exact(tangent):
    check_exactness(lambda: one_angle("ab", "xy", 4, Turn.of_half_tangent(tangent)))


def check_exactness(make):
    accepted = accepts(make)
    with pytest.MonkeyPatch.context() as patch:
        solved, numeric = solves(make, patch)
    assert accepted == solved
    if not accepted:
        for beta in (0.5, 4, 64):
            assert any(answer(numeric, TASK, tokens, beta) != TASK.solve(tokens) for tokens in INPUTS)


@pytest.mark.parametrize("length", [3, 4, 6, 10])
def test_the_closed_forms_of_the_angles(length):
    steps, near = length - 1, Fraction(1, 10**6)
    for bound, make in (
        (
            2 * sympy.pi / (2 * steps - 1),
            lambda theta: two_angle("ab", "xy", length, theta, recency=Fraction(1, 9)),
        ),
        (sympy.pi / (2 * steps - 1), lambda theta: one_angle("ab", "xy", length, theta)),
    ):
        assert accepts(lambda: make(bound * (1 - near)))  # noqa: B023
        assert accepts(lambda: make(2 * sympy.pi - bound * (1 - near)))  # noqa: B023
        assert not accepts(lambda: make(bound))  # noqa: B023
        assert not accepts(lambda: make(bound * (1 + near)))  # noqa: B023


def test_the_weight_of_two_angle_is_bounded_exactly():
    """match (1 - mu) = recency (cos theta - cos(T theta)) is a tie, and refused; any less recency passes."""
    tie = 2 / (TURN.power(1)[0] - TURN.power(3)[0])
    two_angle("ab", "xy", 4, TURN, recency=tie * Fraction(999, 1000))
    with pytest.raises(InputError, match=r"match \(1 - mu\) = 2 is not above"):
        two_angle("ab", "xy", 4, TURN, recency=tie)
    two_angle("ab", "xy", 2, TURN, recency=1000 * tie)  # a single key has no rival


def test_the_query_s_own_key_has_the_smallest_logit():
    for head in (
        two_angle("ab", "xy", 4, TURN, match=2, recency=3),
        one_angle("ab", "xy", 4, TURN, weight=5),
    ):
        for tokens in INPUTS:
            logits = head.logits(TASK.encode(tokens))
            assert logits[-1] == -5
            assert all(logit > logits[-1] for logit in logits[:-1])


@pytest.mark.parametrize(("match", "right"), [(Fraction(79, 100), False), (Fraction(80, 100), True)])
def test_a_query_token_with_the_key_zero_needs_one_condition_more(match, right):
    """match + recency cos(T theta) >= 0, for hard attention alone; here cos(2 theta) = -0.7909..."""
    head = two_angle("ab", "xy", 3, Fraction(19, 10), match=match)
    assert match + math.cos(3.8) > 0 or not right
    w_k = head.w_k.copy()
    w_k[:, -2:] = 0
    zero = replace(head, w_k=w_k)
    inputs = every_input(TASK, [2, 3])
    assert all(answer(head, TASK, tokens) == TASK.solve(tokens) for tokens in inputs)
    assert all(answer(zero, TASK, tokens) == TASK.solve(tokens) for tokens in inputs) == right
    numeric = zero.numeric()
    assert all(answer(numeric, TASK, tokens, 50) == TASK.solve(tokens) for tokens in inputs)


def test_the_regular_polygon_is_the_default():
    head = two_angle("abcde", "x", 3, Fraction(1, 4))
    cos, sin = turned(2 * sympy.pi / 5, 2)
    assert head.w_k[:2, 2].tolist() == [cos, sin]


# -- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: h_pos("", 4, 1), "symbols is empty: ''"),
        (lambda: h_pos("aa", 4, 1), "symbols repeats 'a'"),
        (lambda: h_pos([1, 2], 4, 1), "string, got 1"),
        (lambda: h_pos("ab", 1, 1), "2 or more, got 1"),
        (lambda: h_pos("ab", 4, math.nan), "theta nan"),
        (lambda: h_pos("ab", 4, sympy.oo), "theta oo"),
        (lambda: h_pos("ab", 4, 1, names="place"), "'place'"),
        (lambda: h_pos("ab", 4, 1, weight=0), "weight 0"),
        (lambda: h_sym("ab", ""), "attributes is empty"),
        (lambda: h_sym("ab", "xy", weight=-1), "weight -1"),
        (lambda: two_angle("", "xy", 3, TURN), "symbols is empty"),
        (lambda: two_angle("ab", "xy", 1, TURN), "got 1"),
        (lambda: two_angle("ab", "xy", 3, math.inf), "theta inf"),
        (lambda: two_angle("ab", "xy", 3, TURN, match=0), "match 0"),
        (lambda: two_angle("ab", "xy", 3, TURN, recency=Fraction(-1, 2)), "recency -1/2"),
        (lambda: two_angle("ab", "xy", 3, 0), r"theta 0: cos\(1 theta\) is not above cos\(2 theta\)"),
        (lambda: two_angle("ab", "xy", 3, 3), "2 keys need 0 < theta < 2 pi / 3"),
        (lambda: two_angle("ab", "xy", 3, THETA), "undecided; give theta a value$"),
        (lambda: two_angle("ab", "xy", 2.5, TURN), r"got 2\.5"),
        (lambda: h_pos("ab", None, 1), "got None"),
        (lambda: h_pos("ab", 4, 1e-300), "within rounding of a multiple of 2 pi"),
        (lambda: h_sym(5, "xy"), "symbols .* got 5"),
        (lambda: two_angle("ab", "xy", 3, TURN, directions=THREE), "2 symbols"),
        (lambda: two_angle("ab", "xy", 3, TURN, directions=[TURN, TURN]), "distinct"),
        (lambda: two_angle("ab", "xy", 3, TURN, directions=[0, 1]), "Turns"),
        (lambda: one_angle("abc", "xy", 4, Fraction(21, 50)), r"21/50: a match 3 steps back.*0\.418879"),
        (lambda: one_angle("ab", "xy", 4, TURN, weight=0), "weight 0"),
        (lambda: index_task("ab", 4).encode(["z", 1]), "'z'"),
        (lambda: solve_index(["a", "b"]), "'b'"),
        (lambda: solve_index(["a", 2]), "position 2"),
        (lambda: solve_index(["a", 2], "offset"), "offset 2"),
        (lambda: solve_index([1, 1]), "names no symbol"),
        (lambda: solve_retrieval([("a", "x"), ("a", "y"), "a"]), "'a' repeatedly"),
        (lambda: solve_retrieval([("a", "x"), "b"]), "'b' has no pair"),
        (lambda: solve_partial_induction([("a", "x"), 3]), "query symbol"),
        (lambda: solve_partial_induction([]), "query symbol"),
    ],
)
def test_what_is_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()


# -- tasks ------------------------------------------------------------------------------------------------


def test_reference_solvers():
    assert solve_index(["a", "b", "c", 2]) == "b"
    assert solve_index(["a", "b", "c", 1], "offset") == "c"
    assert solve_retrieval([("a", "x"), ("b", "y"), "a"]) == "x"
    assert solve_partial_induction([("a", "x"), ("a", "y"), ("b", "x"), "a"]) == "y"


def test_inputs_cover_each_task_once():
    sizes = {
        "index": [len(list(index_task("abc", 4).inputs(n))) for n in (3, 4, 5)],
        "offset": [len(list(index_task("abc", 4, "offset").inputs(n))) for n in (1, 2, 3, 4, 5)],
        "retrieval": [len(list(retrieval_task("abc", "xy").inputs(n))) for n in (2, 3, 4, 5)],
        "induction": [len(list(TASK.inputs(n))) for n in (2, 3)],
    }
    assert sizes == {
        "index": [0, 27 * 3, 0],
        "offset": [0, 3, 9 * 2, 27 * 3, 0],
        "retrieval": [3 * 2, 6 * 4 * 2, 6 * 8 * 3, 0],
        "induction": [2 * 2, 16 * 2 - 2 * 4],
    }


def test_codes_are_one_hot_and_ties_decode_to_none():
    task = retrieval_task("ab", "xy")
    x = task.encode([("a", "y"), "b"])
    assert x.sum(axis=-1).tolist() == [1, 1]
    assert task.decode(x[0]) == "y"
    assert task.decode(x[1]) is None
    assert task.readout.sum(axis=0).tolist() == [1, 1, 1, 1, 0, 0]
