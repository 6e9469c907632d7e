"""Stacks of layers solve the whole number task and letter task, and fail where they must."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.constructions.exact import Turn
from headproof.constructions.feasibility import index_transformer, retrieval_limit, retrieval_transformer
from headproof.constructions.stacks import Stack, letter_stack, number_stack
from headproof.constructions.transformers import Transformer, reflexive_layer
from headproof.theory.errors import InputError
from headproof.theory.sequences import (
    index_function,
    letter_path,
    proper_inputs,
    require_proper,
    require_unambiguous,
    retrieval_function,
    solve_letter,
    solve_number,
    valid_index_inputs,
)

TURN = Turn.of_half_tangent(Fraction(1, 5))
LETTERS = [f"l{k}" for k in range(120)]
GOLDEN = (math.sqrt(5) - 1) * math.pi  # its multiples stay as far from those of 2 pi as can be


def index_beta(n0, theta):
    return math.log(4 * n0) / min(1 - math.cos(t * theta) for t in range(1, n0))


def retrieval_beta(count, n0, theta):
    wrong = math.cos((n0 - 1) * theta) - math.cos(2 * math.pi / count - (n0 - 2) * theta)
    return math.log(4 * n0) / min(1 - math.cos(theta), wrong)


def number_sequence(hops, target, integers, seed, largest=16):
    """Letters, integers, and a path of exactly so many hops from the last token; integers point anywhere valid."""
    generator = np.random.default_rng(seed)
    while True:
        n = target + integers
        tokens = [LETTERS[k] for k in generator.integers(0, len(LETTERS), target)]
        tokens += [int(generator.integers(1, min(largest, place) + 1)) for place in range(target, n)]
        # The path's places, last to first: integers, and then a letter in reach.
        places = [n - 1, *sorted(generator.choice(np.arange(target, n - 1), hops - 1, replace=False))[::-1]]
        places.append(int(generator.integers(max(0, target - largest), target)))
        steps = [int(here - there) for here, there in pairwise(places)]
        if max(steps) <= largest:
            for here, step in zip(places[:-1], steps, strict=True):
                tokens[here] = step
            return tokens


def letter_sequence(hops, target, pairs, seed, letters="abcdefgh"):
    """Pairs of a number, pairs of letters, unambiguous and proper, with a path of exactly so many hops.

    The path takes `hops + 1` letters; the first names the answer, and the others have one pair each. The rest of the
    letters fill up pairs that the path does not visit.
    """
    generator = np.random.default_rng(seed)
    order = list(generator.permutation(list(letters)))
    chain, spare = order[: hops + 1], order[hops + 1 :]
    tokens = [(str(generator.choice(spare)), int(generator.integers(1, 9))) for _ in range(target)]
    tokens[int(generator.integers(0, target))] = (str(chain[0]), int(generator.integers(1, 9)))
    links = [(str(left), str(right)) for right, left in pairwise(chain)]
    tail = links[:-1]
    while len(tail) < pairs - 1:  # repeat what stands there already, so that nothing gets a second symbol
        tail.insert(int(generator.integers(0, len(tail) + 1)), (str(generator.choice(spare)), 1))
    return [*tokens, *tail, links[-1]]


# -- the number task ---------------------------------------------------------------------------------------


def test_every_small_number_input_is_solved_by_as_many_layers_as_hops():
    stacks = {hops: number_stack("ab", 3, 5, hops, hops + 1, TURN).numeric() for hops in (1, 2, 3)}
    for n in range(1, 6):
        for tokens in valid_index_inputs("ab", 3, n):
            answer, needed = solve_number(tokens)
            for hops, stack in stacks.items():
                out = stack.apply(tokens)
                assert out[-1] == (answer if needed <= hops else tokens[-1])


def test_an_exact_stack_and_its_trace():
    stack = number_stack("ABC", 4, 10, 5, 6, TURN)
    tokens = ("C", "B", "A", 1, 4, 1, 3, 2, 1, 1)
    trace = stack.trace(tokens)
    assert trace.answer == "C"
    assert [row[-1] for row in trace.sequences] == [1, 1, 1, 1, 1, "C", "C"]
    assert trace.sequences[0] == tokens
    assert trace.sequences[1] == index_function(tokens)
    assert len(trace.margins) == 6
    assert trace.margins[0].tolist() == [3, 3, 3, 1, 1, 1, 1, 1, 1, 1]
    assert trace.margins[4].tolist() == [3] * 9 + [1]
    assert trace.margins[5].tolist() == [1] * 10
    # The source calls this example four hops. Four layers do not reach the query, five moves away.
    assert number_stack("ABC", 4, 10, 4, 6, TURN).apply(tokens)[-1] == 1


@pytest.mark.parametrize("hops", [1, 2, 3, 4, 6])
def test_seventeen_tokens_of_the_number_task(hops):
    """The source's format: 8 letters, 8 integers, 1 query; 120 letters and 16 integers; 12 layers."""
    stack, fewer = (number_stack(LETTERS, 16, 17, h, 12, 1.3) for h in (hops, max(1, hops - 1)))
    beta = index_beta(17, 1.3)
    for seed in range(15):
        tokens = number_sequence(hops, 8, 9, seed)
        assert len(tokens) == 17
        answer, moves = solve_number(tokens)
        assert moves == hops
        for temperature in (math.inf, beta):
            trace = stack.trace(tokens, temperature)
            assert trace.answer == answer
            assert all((margins > 0.4).all() for margins in trace.margins)
            assert hops == 1 or fewer.apply(tokens, temperature)[-1] == tokens[-1]


@pytest.mark.parametrize("hops", [1, 4, 12])
def test_hundreds_of_tokens_of_the_number_task(hops):
    stack = number_stack(LETTERS, 16, 400, hops, 12, GOLDEN)
    for seed in range(2):
        tokens = number_sequence(hops, 400 - 5 * hops, 5 * hops, seed)
        answer, moves = solve_number(tokens)
        assert moves == hops
        assert stack.apply(tokens)[-1] == stack.apply(tokens, index_beta(400, GOLDEN))[-1] == answer


# -- the letter task ---------------------------------------------------------------------------------------


def test_every_small_unambiguous_letter_input_is_solved_by_as_many_layers_as_hops():
    stacks = {hops: letter_stack("yz", [5, 6], 4, hops, hops + 1, 0.4) for hops in (1, 2, 3)}
    solved = 0
    for n in range(1, 5):
        for tokens in proper_inputs("yz", [5, 6], n):
            try:
                require_unambiguous(tokens)
                answer, needed = solve_letter(tokens)
            except InputError:
                continue
            for hops, stack in stacks.items():
                assert (stack.apply(tokens)[-1] == answer) == (needed <= hops)
                solved += needed <= hops
    assert solved > 1000


def test_proper_alone_is_not_enough():
    """The path takes z's first pair; after one layer the query stands behind the second, which is later."""
    tokens = (("z", 5), ("y", "z"), ("z", 6), ("x", "y"))
    assert require_proper(tokens) == tokens
    assert letter_path(tokens) == (4, 2, 1)
    stack = letter_stack("xyz", [5, 6], 4, 2, 2, 0.3)
    trace = stack.trace(tokens)
    assert trace.sequences[1] == retrieval_function(tokens)
    assert trace.answer == ("z", 6)
    assert solve_letter(tokens).answer == ("z", 5)
    assert stack.apply(tokens, retrieval_beta(3, 4, 0.3))[-1] == ("z", 6)


@pytest.mark.parametrize("hops", [1, 2, 3, 4, 6])
def test_seventeen_tokens_of_the_letter_task(hops):
    """The source's format: 8 pairs of a number, 8 pairs, 1 query; 8 letters and 8 numbers; 12 layers."""
    theta = float(retrieval_limit(8, 17)) * 0.6
    stack, fewer = (letter_stack("abcdefgh", range(1, 9), 17, h, 12, theta) for h in (hops, max(1, hops - 1)))
    beta = retrieval_beta(8, 17, theta)
    for seed in range(15):
        tokens = letter_sequence(hops, 8, 9, seed)
        assert len(tokens) == 17
        require_proper(tokens)
        require_unambiguous(tokens)
        answer, moves = solve_letter(tokens)
        assert moves == hops
        for temperature in (math.inf, beta):
            trace = stack.trace(tokens, temperature)
            assert trace.answer == answer
            assert all((margins > 0.4).all() for margins in trace.margins)
            assert hops == 1 or isinstance(fewer.apply(tokens, temperature)[-1][1], str)  # still a pair of letters


@pytest.mark.parametrize("hops", [1, 4, 6])
def test_hundreds_of_tokens_of_the_letter_task(hops):
    theta = float(retrieval_limit(8, 400)) / 2
    stack = letter_stack("abcdefgh", range(1, 9), 400, hops, 12, theta)
    for seed in range(2):
        tokens = letter_sequence(hops, 390, 10, seed)
        answer, moves = solve_letter(tokens)
        assert (len(tokens), moves) == (400, hops)
        assert stack.apply(tokens)[-1] == stack.apply(tokens, retrieval_beta(8, 400, theta))[-1] == answer


@given(st.integers(1, 6), st.integers(1, 30), st.integers(0, 10**6))
@settings(max_examples=15)
def test_letter_stacks_on_drawn_sequences(hops, target, seed):
    tokens = letter_sequence(hops, target, 9, seed)
    answer, moves = solve_letter(tokens)
    theta = float(retrieval_limit(8, len(tokens))) * 0.9
    assert moves == hops
    assert letter_stack("abcdefgh", range(1, 9), len(tokens), hops, hops, theta).apply(tokens)[-1] == answer


# -- what stacks accept ------------------------------------------------------------------------------------

NUMBERS = number_stack("ab", 3, np.int64(5), np.int64(2), 3, TURN)
PAIRS = letter_stack("xyz", np.array([5, 6]), 4, 2, 2, 0.3)


def test_solve_answers_what_the_stack_is_made_for():
    assert NUMBERS.longest == 5
    assert NUMBERS.solve(["a", "b", 1, np.int64(1)]) == NUMBERS.numeric().solve(["a", "b", 1, 1], 50) == "b"
    assert PAIRS.solve([("x", 5), ("y", "x"), ("z", "y")]) == ("x", 5)
    assert NUMBERS.apply(["a", 3, 1])[0] == "a"  # lenient
    assert Stack((reflexive_layer("ab"),)).solve("ab" * 9) == "b"


# -- the class ---------------------------------------------------------------------------------------------


def test_a_float_copy_shares_its_layers():
    stack = number_stack("ab", 3, 5, 2, 4, TURN)
    copy = stack.numeric()
    assert stack.layers[0].exact
    assert not copy.layers[0].exact
    assert copy.layers[0] is copy.layers[1]
    assert copy.layers[2] is copy.layers[3]


def test_a_tie_below_the_last_layer_is_refused():
    tied = index_transformer("ab", 1, 3, Turn(1, 0), allow_aliasing=True)
    tokens = ["a", 1, 1]
    assert tied.apply(tokens) == ("a", None, 1)
    assert Stack((tied,)).apply(tokens) == ("a", None, 1)
    with pytest.raises(InputError, match="layer 1 decodes no token at place 2: its best scores are tied"):
        Stack((tied, tied)).apply(tokens)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Stack(()), r"at least one layer, got \(\)"),
        (lambda: Stack((reflexive_layer("ab"), reflexive_layer("ba"))), r"layer 2 has the vocabulary \('b', 'a'\)"),
        (lambda: number_stack("ab", 3, 5, 3, 2, TURN), "3 hops with 2 layers"),
        (lambda: number_stack("ab", 3, 5, 0, 2, TURN), "0 hops"),
        (lambda: letter_stack("ab", [1], 5, 0, 2, 0.1), "0 hops"),
        (lambda: letter_stack("ab", [1], 5, 1, 2, 1), "theta 1 is not inside"),
        (lambda: number_stack("ab", 3, 5, 1, 2, 0), "theta 0 aliases"),
        (lambda: number_stack("ab", 3, 5, 1, 2, TURN).apply(["a", "c"]), "token 'c'"),
        (lambda: Stack(None), "layers of a stack .* got None"),
        (lambda: Stack([1]), "Transformers, got 1"),
        (lambda: Stack((reflexive_layer("ab"),), longest=2.5), r"got 2\.5"),
        (lambda: Stack((reflexive_layer("ab"),), valid=3), "got 3"),
        *[(lambda hops=h: number_stack("ab", 3, 5, hops, 2, TURN), "hops is an integer") for h in (1.0, "1", None)],
        *[(lambda n=n: letter_stack("ab", [1], 5, 1, n, 0.1), "layers is an integer") for n in (None, 2.5, math.inf)],
        *[(lambda x=x: number_stack(x, 3, 5, 1, 2, TURN), "letters is a tuple") for x in (None, 5)],
        (lambda: letter_stack("ab", None, 5, 1, 2, 0.1), "numbers is a tuple"),
        (lambda: NUMBERS.solve(["a", 1, 1, 1, 1, 1]), "6 tokens for a stack made for up to 5"),
        (lambda: NUMBERS.numeric().solve(["a", 1, 1, 1, 1, 1]), "6 tokens for a stack made for up to 5"),
        (lambda: NUMBERS.solve(["a", 3, 1]), "integer 3 at place 2 points to place -1"),
        (lambda: NUMBERS.solve(["a", 1, 1, 1]), "3 hops away, and this stack moves 2"),
        (lambda: NUMBERS.solve([]), "at least one token"),
        (lambda: NUMBERS.solve(None), "got None"),
        (lambda: NUMBERS.solve(["a", 1], 0), "tied"),
        (lambda: PAIRS.solve([("a", "b")]), "names no pair"),
        (lambda: PAIRS.solve([("z", 5), ("y", "z"), ("z", 6), ("x", "y")]), "names two symbols"),
        (lambda: PAIRS.solve([("x", "x")]), "names itself"),
    ],
)
def test_what_stacks_refuse(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_layers_of_another_kind_may_be_mixed():
    retrieval = retrieval_transformer("yz", [5], 4, TURN)
    assert isinstance(retrieval, Transformer)
    stack = Stack((retrieval.numeric(), reflexive_layer(retrieval.vocabulary), retrieval))
    assert stack.apply([("z", 5), ("y", "z"), ("y", 5), ("z", "z")][:3]) == (("z", 5), ("z", 5), ("y", 5))
