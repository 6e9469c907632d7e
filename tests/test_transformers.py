"""Transformers, and those of DYN, theorem 3.1: logits as printed, all small inputs, exact premises, softmax, sizes."""

import math
import tracemalloc
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.constructions.exact import Turn
from headproof.constructions.expressivity import answer, h_pos, h_sym, one_angle, two_angle
from headproof.constructions.feasibility import (
    Mlp,
    index_transformer,
    positional_retrieval,
    retrieval_limit,
    retrieval_transformer,
)
from headproof.constructions.heads import Head
from headproof.constructions.rope import RopeConfig
from headproof.constructions.tasks import index_task, partial_induction_task, retrieval_task
from headproof.constructions.transformers import Transformer, reflexive_layer, transformer_of
from headproof.theory.errors import InputError
from headproof.theory.exclusion.definitions import is_positional, is_symbolic
from headproof.theory.sequences import index_function, proper_inputs, reflexive, retrieval_function, valid_index_inputs

TURN = Turn.of_half_tangent(Fraction(1, 5))  # about 0.39
THETA = sympy.Symbol("theta", real=True)


def up_to(inputs, n0):
    return [tokens for n in range(1, n0 + 1) for tokens in inputs(n)]


def index_gap(n0, theta):
    """The smallest lead of the key that Index looks for over another one."""
    return min(1 - math.cos(t * float(theta)) for t in range(1, n0))


def retrieval_gap(count, n0, theta):
    """As `index_gap`, for Retrieval: over an earlier pair of the same letter, and over a wrong letter."""
    theta, omega = float(theta), 2 * math.pi / count
    wrong = math.cos((n0 - 1) * theta) - math.cos(omega - (n0 - 2) * theta) if count > 1 else 2
    return min(1 - math.cos(theta), wrong)


INDEX = up_to(lambda n: valid_index_inputs("ab", 4, n), 5)
RETRIEVAL = up_to(lambda n: proper_inputs("yz", [5, 6], n), 4)
THREE = up_to(lambda n: proper_inputs("xyz", [5, 6], n), 3)

# name, transformer, its function, all its inputs, the smallest gap between logits.
CASES = [
    ("index-turn", index_transformer("ab", 4, 5, TURN), index_function, INDEX, index_gap(5, TURN)),
    (
        "index-large-angle",
        index_transformer("ab", 4, 5, Turn(Fraction(-3, 5), Fraction(4, 5))),
        index_function,
        INDEX,
        index_gap(5, math.acos(-0.6)),
    ),
    (
        "index-multiple-of-pi",
        index_transformer("a", 2, 4, 2 * sympy.pi / 7),
        index_function,
        up_to(lambda n: valid_index_inputs("a", 2, n), 4),
        index_gap(4, 2 * math.pi / 7),
    ),
    (
        "retrieval-two",
        retrieval_transformer("yz", [5, 6], 4, TURN),
        retrieval_function,
        RETRIEVAL,
        retrieval_gap(2, 4, TURN),
    ),
    (
        "retrieval-three",
        retrieval_transformer("xyz", [5], 3, sympy.pi / 9),
        retrieval_function,
        up_to(lambda n: proper_inputs("xyz", [5], n), 2),
        retrieval_gap(3, 3, math.pi / 9),
    ),
    (
        "retrieval-one",
        retrieval_transformer("y", [5, 6], 5, TURN),
        retrieval_function,
        up_to(lambda n: proper_inputs("y", [5, 6], n), 5),
        retrieval_gap(1, 5, TURN),
    ),
    ("reflexive", reflexive_layer(["a", "b", 1, 2, 3, 4]), reflexive, INDEX[:200], 1.0),
]
cases = pytest.mark.parametrize(
    ("transformer", "function", "inputs", "gap"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)


# -- theorem 3.1 -------------------------------------------------------------------------------------------


@cases
def test_exact_transformers_compute_their_function_under_hard_attention(transformer, function, inputs, gap):
    assert transformer.exact
    assert len(inputs) > 5
    for tokens in inputs:
        assert transformer.apply(tokens) == function(tokens)


@cases
def test_softmax_and_float_hard_attention_agree_with_the_function(transformer, function, inputs, gap):
    """With weight above 3/4 on the key looked for both decode right: `beta > log(3 (n-1)) / gap`."""
    numeric, beta = transformer.numeric(), math.log(3 * 5) / gap
    for tokens in inputs:
        assert numeric.apply(tokens) == numeric.apply(tokens, beta) == function(tokens)
        assert (numeric.margins(tokens, beta, function(tokens)) > 0).all()


@pytest.mark.parametrize("theta", [0.3, 0.39479])
def test_float_angles_make_float_transformers(theta):
    for transformer, function, inputs in (
        (index_transformer("ab", 4, 5, theta), index_function, INDEX),
        (retrieval_transformer("yz", [5, 6], 4, theta), retrieval_function, RETRIEVAL),
        (retrieval_transformer("xyz", [5, 6], 3, theta), retrieval_function, THREE),
    ):
        assert not transformer.exact
        assert all(transformer.apply(tokens) == function(tokens) for tokens in inputs)


@pytest.mark.parametrize("query", ["a", 1, 3])
def test_the_logits_of_index_are_the_printed_cosines(query):
    transformer = index_transformer("ab", 3, 5, THETA)
    tokens = ["a", 1, "b", 2, query]
    back = query if isinstance(query, int) else 0
    for j, logit in enumerate(transformer.logits(tokens), start=1):
        assert sympy.expand((logit - sympy.cos((5 - j - back) * THETA)).rewrite(sympy.exp)) == 0


@pytest.mark.parametrize("query", [("w", "z"), ("y", "x"), ("x", "x"), ("z", 5)])
def test_the_logits_of_retrieval_are_the_printed_cosines(query):
    letters = "wxyz"
    transformer = retrieval_transformer(letters, [5], 4, THETA, allow_any_theta=True)
    tokens = [("w", 5), ("z", "w"), ("x", "x"), query]
    wanted = query[1] if isinstance(query[1], str) else query[0]
    for j, logit in enumerate(transformer.logits(tokens), start=1):
        turns = letters.index(tokens[j - 1][0]) - letters.index(wanted)
        expected = sympy.cos(turns * sympy.pi / 2 + (4 - j) * THETA)
        assert sympy.expand((logit - expected).rewrite(sympy.exp)) == 0


def test_margins_of_index_are_three_one_and_one():
    transformer = index_transformer("ab", 3, 5, TURN)
    tokens = ["a", 1, 1, "b", 3]
    assert transformer.apply(tokens) == ("a", "a", 1, "b", 3)
    assert transformer.margins(tokens).tolist() == [3, 1, 1, 3, 1]
    assert transformer.margins(tokens, expected=["a", "b", 1, "b", 3]).tolist() == [3, -2, 1, 3, 1]


def test_index_is_positional_and_retrieval_is_neither():
    index = index_transformer("ab", 3, 5, TURN)
    assert is_positional(index.head.table(index.encode(["a", "b", "a", 2])))
    retrieval = retrieval_transformer("yz", [5], 4, TURN)
    table = retrieval.head.table(retrieval.encode([("z", 5), ("y", 5), ("z", "y")]))
    assert not is_symbolic(table)
    assert not is_positional(table)


@given(st.data())
@settings(max_examples=40)
def test_larger_vocabularies_and_longer_inputs(data):
    n0 = data.draw(st.integers(2, 30))
    letters = [f"l{k}" for k in range(data.draw(st.integers(1, 9)))]
    theta = data.draw(st.floats(0.05, 0.95)) * float(retrieval_limit(len(letters), n0))
    tokens = [data.draw(st.sampled_from(letters))]
    for place in range(2, n0 + 1):
        tokens.append(data.draw(st.sampled_from(letters) | st.integers(1, min(place - 1, 12))))
    index = index_transformer(letters, 12, n0, theta)
    assert index.apply(tokens) == index_function(tokens)
    assert index.apply(tokens, math.log(4 * n0) / index_gap(n0, theta)) == index_function(tokens)
    pairs = []
    for _ in range(n0):
        left, right = (data.draw(st.sampled_from(letters)) for _ in range(2))
        named = {pair for pair in [*pairs, (left, right)] if pair[0] == right}
        pairs.append((left, right) if len(named) == 1 else (left, data.draw(st.integers(0, 5))))
    retrieval = retrieval_transformer(letters, range(6), n0, theta)
    assert retrieval.apply(pairs) == retrieval_function(pairs)
    beta = math.log(4 * n0) / retrieval_gap(len(letters), n0, theta)
    assert retrieval.apply(pairs, beta) == retrieval_function(pairs)


# -- premises ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n0", [2, 3, 4, 5])
def test_each_alias_spoils_index_and_the_smallest_is_named(n0):
    for t in range(1, n0):
        theta = 2 * sympy.pi / t
        with pytest.raises(InputError, match=rf"at length {n0}: {t} theta is a multiple of 2 pi"):
            index_transformer("ab", n0 - 1, n0, theta)
        aliased = index_transformer("ab", n0 - 1, n0, theta, allow_aliasing=True)
        # The query and its target tie, t places apart, at length t + 1.
        tokens = [*("ab" * n0)[:t], t]
        assert index_function(tokens)[-1] == "a"
        assert aliased.logits(tokens)[0] == aliased.logits(tokens)[-1]
        assert aliased.apply(tokens)[-1] is None
    index_transformer("ab", n0 - 1, n0, 2 * sympy.pi / n0)


def test_an_irrational_angle_is_not_enough():
    """The printed premise: 2 pi/5 is irrational, and Index fails at 7 tokens, on two letters that both are seen."""
    assert (2 * sympy.pi / 5).is_irrational
    tokens = ["b", "a", "a", "a", "a", "a", 1]
    aliased = index_transformer("ab", 1, 7, 2 * sympy.pi / 5, allow_aliasing=True)
    assert index_function(tokens)[-1] == "a"
    assert aliased.apply(tokens)[-1] is None


@pytest.mark.parametrize(("letters", "n0"), [("yz", 2), ("yz", 3), ("yz", 4), ("xyz", 2), ("xyz", 3), ("wxyz", 3)])
def test_the_range_of_retrieval_is_exact(letters, n0):
    limit = retrieval_limit(len(letters), n0)
    near = limit * (1 - sympy.Rational(1, 10**6))
    retrieval_transformer(letters, [5], n0, near)
    inputs = list(proper_inputs(letters, [5], n0))[:: 1 if n0 < 4 else 5]
    right = retrieval_transformer(letters, [5], n0, near).numeric()
    assert all(right.apply(tokens) == retrieval_function(tokens) for tokens in inputs)
    for theta in (limit, limit * (1 + sympy.Rational(1, 10**6))):
        with pytest.raises(InputError, match=rf"0 < theta < omega / {2 * n0 - 3} = {float(limit):.6g}"):
            retrieval_transformer(letters, [5], n0, theta)
    # At n0 - 1 steps a match, before it the neighbour that comes nearest, then the query. At n0 = 2 the query is it.
    first, other = letters[0], letters[-1]
    tokens = [(first, 5), *[(other, 5)] * (n0 - 2), (other, first)]
    tied = retrieval_transformer(letters, [5], n0, limit, allow_any_theta=True)
    assert retrieval_function(tokens)[-1] == (first, 5)
    match, rival, *others = tied.logits(tokens)
    assert abs(sympy.N(match - rival, 40)) < 1e-38
    if (letters, n0) != ("xyz", 3):  # there SymPy does not see the tie, and refuses to decide
        assert tied.apply(tokens)[-1] is None
    assert all(sympy.N(other) < sympy.N(rival) for other in others)
    if n0 > 2:
        beyond = retrieval_transformer(letters, [5], n0, limit * sympy.Rational(101, 100), allow_any_theta=True)
        assert beyond.numeric().apply(tokens)[-1] != (first, 5)


def test_retrieval_needs_an_angle_above_zero():
    """At theta = 0 the head is symbolic, and a pair of a number cannot tell itself from another of its letter."""
    still = retrieval_transformer("yz", [5, 6], 4, 0, allow_any_theta=True)
    tokens = [("y", 5), ("y", 6)]
    assert is_symbolic(still.head.table(still.encode([("y", 5), ("z", "y"), ("y", 6), ("z", "z")])))
    assert still.apply(tokens) == (("y", 5), None)
    assert still.numeric().apply(tokens) == (("y", 5), None)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: index_transformer("", 3, 4, TURN), "letters is empty: ''"),
        (lambda: index_transformer("aba", 3, 4, TURN), "letters repeats 'a'"),
        (lambda: index_transformer(["a", 1], 3, 4, TURN), "letters is a string, got 1"),
        (lambda: index_transformer("ab", 0, 4, TURN), "got 0"),
        (lambda: index_transformer("ab", True, 4, TURN), "got True"),
        (lambda: index_transformer("ab", 3, 1, TURN), "2 or more, got 1"),
        (lambda: index_transformer("ab", 3, 4, math.nan), "theta nan"),
        (lambda: index_transformer("ab", 3, 4, sympy.oo), "theta oo"),
        (lambda: index_transformer("ab", 3, 4, "x"), "'x'"),
        (lambda: index_transformer("ab", 3, 4, 0), "theta 0 aliases at length 4: 1 theta"),
        (lambda: index_transformer("ab", 3, 4, 2 * math.pi / 3), "3 theta is within rounding of a multiple of 2 pi"),
        (lambda: retrieval_transformer("", [1], 4, 0.1), "letters is empty"),
        (lambda: retrieval_transformer("yy", [1], 4, 0.1), "letters repeats 'y'"),
        (lambda: retrieval_transformer("yz", [], 4, 0.1), r"numbers is empty: \[\]"),
        (lambda: retrieval_transformer("yz", [1, 1], 4, 0.1), "numbers repeats 1"),
        (lambda: retrieval_transformer("yz", ["1"], 4, 0.1), "integer, got '1'"),
        (lambda: retrieval_transformer("yz", [True], 4, 0.1), "integer, got True"),
        (lambda: retrieval_transformer("yz", [1], 2.5, 0.1), r"got 2\.5"),
        (lambda: retrieval_transformer("yz", [1], 4, math.inf), "theta inf"),
        (lambda: retrieval_transformer("yz", [1], 4, 0), "theta 0 is not inside"),
        (lambda: retrieval_transformer("yz", [1], 4, -0.1), r"theta -0\.1 is not inside"),
        (lambda: retrieval_transformer("yz", [1], 4, Turn(Fraction(3, 5), Fraction(4, 5))), "is not inside"),
        (lambda: retrieval_transformer("yz", [1], 4, 1e-9), "theta 1e-09 .*by more than rounding"),
        (lambda: retrieval_transformer("yz", [1], 4, math.pi / 5), "by more than rounding"),
        (lambda: retrieval_transformer("yz", [1], 4, THETA), "undecided; give theta a value, or pass allow_any_theta"),
        (lambda: retrieval_transformer("y", [1], 4, THETA), "undecided"),
        (lambda: retrieval_transformer("y", [1], 4, 2 * sympy.pi / 3), "3 theta is a multiple of 2 pi"),
        (lambda: retrieval_transformer(iter("yz"), [1], 4, 0.1), "letters is a tuple, a list"),
        (lambda: retrieval_transformer("yz", None, 4, 0.1), "numbers is a tuple, a list .* got None"),
        (lambda: retrieval_transformer(5, [1], 4, 0.1), "got 5"),
        (lambda: index_transformer("ab", 3, 4, 1e-300), "1 theta is within rounding of a multiple of 2 pi"),
        (lambda: index_transformer("ab", 3, 4, 10**400), r"^an integer near 2\^1328 is too large for a float"),
        (lambda: index_transformer("ab", 3, 4, 10**5000), "too large for a float"),
        (lambda: index_transformer("ab", 3, 4, sympy.pi * 10**400), "too large for a float"),
        (lambda: index_transformer("ab", -(10**5000), 4, TURN), r"got an integer near -2\^"),
        (lambda: index_transformer("ab", np.float64(3), 4, TURN), "got np.float64"),
        (lambda: retrieval_limit(0, 4), "letters is an integer, 1 or more, got 0"),
        (lambda: retrieval_limit(2, 1), "2 or more, got 1"),
        (lambda: retrieval_limit("a", 3), "got 'a'"),
    ],
)
def test_bad_parameters_are_refused_with_their_value(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_numpy_integers_and_strings_are_integers_and_strings():
    index = index_transformer(np.array(["a", "b"]), np.int64(3), np.int64(4), TURN)
    assert index.vocabulary == ("a", "b", 1, 2, 3)
    assert {type(token) for token in index.vocabulary} == {str, int}
    assert index.apply(["a", "b", np.int32(2)]) == ("a", "b", "a")
    retrieval = retrieval_transformer("yz", np.array([1, 2]), np.int64(4), TURN)
    assert {type(right) for _, right in retrieval.vocabulary} == {str, int}
    assert retrieval.apply([("y", np.int64(2))]) == (("y", 2),)
    assert retrieval_limit(np.int64(2), np.int64(3)) == sympy.pi / 3
    assert positional_retrieval(np.array(["a", "b"]), "xy", np.int64(3)).exact
    task, head = index_task("ab", np.int64(4)), h_pos("ab", np.int64(4), TURN)
    assert {type(token) for token in task.vocabulary} == {str, int}
    assert answer(head, task, ["a", "b", "b", 1]) == "a"


def test_one_letter_needs_no_more_than_places_that_differ():
    for theta in (3, Turn(-1, 0), -0.5, 2 * sympy.pi / 5):
        n0 = 2 if theta == Turn(-1, 0) else 5
        layer = retrieval_transformer("y", [5, 6], n0, theta)
        for tokens in proper_inputs("y", [5, 6], n0):
            assert layer.apply(tokens) == retrieval_function(tokens)


@pytest.mark.parametrize("beta", [Fraction(1, 2), np.float32(0.5), sympy.Rational(1, 2)])
def test_an_inverse_temperature_is_any_number(beta):
    layer = index_transformer("ab", 1, 3, TURN)
    assert np.array_equal(layer.scores(["a", 1], beta), layer.scores(["a", 1], 0.5))
    assert np.array_equal(layer.numeric().scores(["a", 1], beta), layer.numeric().scores(["a", 1], 0.5))


# -- the class ---------------------------------------------------------------------------------------------


@cases
def test_scores_are_the_unembedded_outputs_of_the_head(transformer, function, inputs, gap):
    numeric = transformer.numeric()
    for tokens in inputs[:: len(inputs) // 20 + 1]:
        exactly = transformer.head.outputs(transformer.encode(tokens), math.inf) @ transformer.unembedding.T
        assert np.array_equal(transformer.scores(tokens), exactly)
        for beta in (0, 1.5, 40, math.inf):
            floats = numeric.head.outputs(numeric.encode(tokens), beta) @ numeric.unembedding.T
            assert np.allclose(numeric.scores(tokens, beta), floats, rtol=0, atol=1e-12)


def test_a_finite_beta_keeps_an_exact_transformer_exact():
    transformer = index_transformer("ab", 1, 3, TURN)
    tokens = ["a", "b", 1]
    scores = transformer.scores(tokens, 2)
    assert all(isinstance(score, (int, sympy.Expr)) for score in scores.flat)
    assert np.allclose(scores.astype(float), transformer.numeric().scores(tokens, 2), rtol=0, atol=1e-14)
    assert sympy.simplify(scores[2, 1] - 2 / (1 + 2 * sympy.exp(2 * (sympy.Rational(12, 13) - 1)))) == 0
    assert transformer.apply(tokens, 40) == ("a", "b", "b")


def test_many_tokens_and_a_large_vocabulary_take_little_memory():
    letters = [f"l{k}" for k in range(180)]
    transformer = index_transformer(letters, 20, 1000, (math.sqrt(5) - 1) * math.pi)
    generator = np.random.default_rng(0)
    tokens = [letters[k] for k in generator.integers(0, 180, 900)] + [int(k) for k in generator.integers(1, 21, 100)]
    tracemalloc.start()
    moved = transformer.apply(tokens)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert moved == index_function(tokens)
    assert peak < 100 * 2**20  # an array of places, places and tokens would take 1.5 GiB


def test_blocks_do_not_change_scores(monkeypatch):
    transformer = retrieval_transformer("xyz", [5, 6], 6, 0.2)
    tokens = [("x", 5), ("y", "x"), ("z", 6), ("z", "y"), ("x", "z"), ("y", 5)]
    whole = [transformer.scores(tokens, beta) for beta in (1.0, math.inf)]
    monkeypatch.setattr("headproof.constructions.transformers.BLOCK_ENTRIES", 7)
    for scores, beta in zip(whole, (1.0, math.inf), strict=True):
        assert np.allclose(transformer.scores(tokens, beta), scores, rtol=0, atol=1e-15)


def test_reflexive_is_the_identity_at_every_beta():
    layer = reflexive_layer([("a", "b"), "a", 3])
    tokens = ["a", 3, 3, ("a", "b")]
    for beta in (0, 1, math.inf):
        assert layer.apply(tokens, beta) == layer.numeric().apply(tokens, beta) == tuple(tokens)
        assert set(layer.margins(tokens, beta)) == {1}


def test_weights_are_copied_and_read_only():
    layer = reflexive_layer("ab")
    with pytest.raises(ValueError, match="read-only"):
        layer.embedding[0, 0] = 2


EYE, NOPE = np.eye(2, dtype=int), RopeConfig.nope(2)
HEAD = Head(EYE, EYE, EYE, NOPE)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: Transformer((), EYE, HEAD, EYE), r"vocabulary is empty: \(\)"),
        (lambda: Transformer(("a", "a"), EYE, HEAD, EYE), "vocabulary repeats 'a'"),
        (lambda: Transformer(("a", "b", "c"), EYE, HEAD, EYE), r"embedding of shape \(2, 2\) for 3 tokens"),
        (lambda: Transformer(("a", "b"), EYE, HEAD, [[1], [1]]), r"unembedding of shape \(2, 1\).*2 columns"),
        (lambda: Transformer(("a", "b"), [1, 2], HEAD, EYE), r"embedding is a matrix, got shape \(2,\)"),
        (lambda: Transformer(("a", "b"), [[1], [1, 2]], HEAD, EYE), "embedding"),
        (lambda: Transformer(("a", "b"), [[1, 0], [0.5, 1]], HEAD, EYE), r"float 0\.5 beside an exact head"),
        (lambda: Transformer(("a", "b"), EYE * 1.0, HEAD.numeric(), [[1, 0], [math.inf, 1]]), "unembedding entry inf"),
        (lambda: reflexive_layer([]), "vocabulary is empty"),
        (lambda: reflexive_layer("aa"), "vocabulary repeats 'a'"),
        (lambda: reflexive_layer("ab").apply([]), r"at least one token, got \[\]"),
        (lambda: reflexive_layer("ab").apply(["a", "c"]), "token 'c' is not in the vocabulary of 2"),
        (lambda: reflexive_layer("ab").apply([["a"]]), r"got \['a'\]"),
        (lambda: reflexive_layer("ab").apply("ab", -1), "got -1"),
        (lambda: reflexive_layer("ab").apply("ab", math.nan), "got nan"),
        *[
            (partial(layer.apply, "ab", beta), "an inverse temperature")
            for layer in (reflexive_layer("ab"), reflexive_layer("ab").numeric())
            for beta in ("1", None, 1j, True, -math.inf)
        ],
        (lambda: reflexive_layer("ab").apply(None), "sequence of tokens .* got None"),
        (lambda: reflexive_layer(["a", 1]).apply(["a", True]), "got True"),
        (lambda: reflexive_layer(["a", 1]).apply(["a", 1.0]), r"got 1\.0"),
        (lambda: reflexive_layer(["a", 1]).apply(["a", ("a", 1.0)]), r"got 1\.0"),
        (lambda: reflexive_layer(["a", 1.0]), r"got 1\.0"),
        (lambda: reflexive_layer("a").margins("a"), r"needs two tokens, the vocabulary is \('a',\)"),
        (lambda: reflexive_layer("ab").margins("ab", expected="a"), "1 expected tokens for 2 places"),
        (
            lambda: Transformer(("a", "b"), EYE, Head(1e200 * EYE, 1e200 * EYE, 1.0 * EYE, NOPE), EYE).apply("ab"),
            "logit inf",
        ),
    ],
)
def test_what_a_transformer_refuses(call, match):
    with pytest.raises(InputError, match=match):
        call()


# -- against theorem 4 of DEC ------------------------------------------------------------------------------

TASK = retrieval_task("abc", "xy")
LOOKUPS = [tokens for n in (2, 3, 4) for tokens in TASK.inputs(n)]


def test_uniform_attention_and_an_mlp_compute_retrieval_at_every_length():
    head = positional_retrieval("abc", "xy", 3)
    assert head.exact
    for tokens in LOOKUPS:
        assert answer(head, TASK, tokens) == TASK.solve(tokens)
        assert set(head.logits(TASK.encode(tokens))) == {0}
        assert is_positional(head.table(TASK.encode(tokens)))
        scores = TASK.readout @ head.output_at(TASK.encode(tokens), -1, math.inf)
        assert sorted(scores) == [0, Fraction(3, len(tokens))]
    numeric = head.numeric()
    assert all(answer(numeric, TASK, tokens, beta) == TASK.solve(tokens) for tokens in LOOKUPS for beta in (0, 1, 9))


def test_it_is_right_far_beyond_its_length():
    symbols = [f"s{k}" for k in range(60)]
    task, head = retrieval_task(symbols, "xyz"), positional_retrieval(symbols, "xyz", 2).numeric()
    tokens = [(symbol, "xyz"[k % 3]) for k, symbol in enumerate(symbols)]
    assert all(answer(head, task, [*tokens, symbol], 1) == attribute for symbol, attribute in tokens)


def test_distinct_positional_weights_do_as_well_under_softmax():
    head = positional_retrieval("abc", "xy", 4, theta=TURN)
    assert head.exact
    for tokens in LOOKUPS:
        weights = head.numeric().weights(TASK.encode(tokens), beta=2)
        assert (np.diff(weights) > 0).all()
        assert is_positional(head.table(TASK.encode(tokens)))
        assert answer(head.numeric(), TASK, tokens, 2) == TASK.solve(tokens)
        assert answer(head, TASK, tokens) is None  # hard attention sees the query alone
    assert answer(head, TASK, LOOKUPS[-1], 1) == TASK.solve(LOOKUPS[-1])


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: positional_retrieval("", "xy", 3), "symbols is empty"),
        (lambda: positional_retrieval("ab", "xx", 3), "attributes repeat"),
        (lambda: positional_retrieval("ab", "xy", 1), "got 1"),
        (lambda: positional_retrieval("ab", "xy", 3, theta=0), r"theta 0 is outside 0 < theta <= pi / 2 = 1\.5708"),
        (lambda: positional_retrieval("ab", "xy", 3, theta=1.6), r"theta 1\.6"),
        (lambda: positional_retrieval("ab", "xy", 3, theta=math.nan), "theta nan"),
        (lambda: positional_retrieval("ab", "xy", 3, theta=1e-300), "theta 1e-300 leaves logits equal within rounding"),
        (lambda: positional_retrieval("ab", "xy", 3, theta=THETA), "undecided; give theta a value$"),
        *[
            (partial(positional_retrieval, "ab", "xy", n), "integer, 2 or more, got")
            for n in ("4", None, math.inf, 2.0)
        ],
        (lambda: positional_retrieval("ab", 5, 3), "attributes is a tuple, .* got 5"),
        (lambda: positional_retrieval(None, "xy", 3), "symbols .* got None"),
        (lambda: Mlp(EYE, [0], EYE, [0, 0]), "MLP"),
        (lambda: Mlp(EYE, [0, 0], EYE, [0]), "MLP"),
        (lambda: Mlp([[1, 0]], [0, 0], EYE, [0, 0]), r"w1 \(1, 2\) and b1 \(2,\)"),
        (lambda: Mlp(EYE, [0, 0], EYE, [0, 0])(np.ones(2), np.ones(2)), "4 inputs for an MLP of 2"),
    ],
)
def test_what_the_counterexample_refuses(make, match):
    with pytest.raises(InputError, match=match):
        make()


# -- DEC's heads as transformers -----------------------------------------------------------------------------------

DEC_HEADS = [
    (h_pos("ab", 4, sympy.pi / 7), index_task("ab", 4), 4),
    (h_pos("ab", 4, sympy.pi / 7, names="offset"), index_task("ab", 4, "offset"), 3),
    (h_sym("abc", "xy"), retrieval_task("abc", "xy"), 4),
    (two_angle("ab", "xy", 3, sympy.pi / 9), partial_induction_task("ab", "xy"), 3),
    (one_angle("ab", "xy", 3, sympy.pi / 9), partial_induction_task("ab", "xy"), 3),
]


@pytest.mark.parametrize(("head", "task", "n"), DEC_HEADS)
def test_a_head_of_dec_is_a_transformer_whose_last_token_is_the_answer(head, task, n):
    layer = transformer_of(head, task)
    rounded = layer.numeric()
    for tokens in list(task.inputs(n))[::3]:
        assert layer.apply(tokens)[-1] == task.solve(tokens)
        assert rounded.apply(tokens, beta=1e6)[-1] == task.solve(tokens)


def test_a_head_with_another_output_is_no_such_transformer():
    task = retrieval_task("ab", "xy")
    with pytest.raises(InputError, match="attention output over its own tokens"):
        transformer_of(positional_retrieval("ab", "xy", 3), task)
