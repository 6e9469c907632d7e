"""The functions and tasks of DYN on whole sequences: examples, what is refused, what a layer keeps."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headproof.theory.errors import InputError
from headproof.theory.sequences import (
    Solution,
    index_function,
    letter_path,
    number_path,
    proper_inputs,
    reflexive,
    require_proper,
    require_unambiguous,
    require_valid_index,
    retrieval_function,
    solve_letter,
    solve_number,
    valid_index_inputs,
)

EXAMPLE = ("C", "B", "A", 1, 4, 1, 3, 2, 1, 1)
NOT_KEPT = (("z", 5), ("y", "z"), ("z", 6), ("x", "y"))


def layers(function, tokens, count):
    for _ in range(count):
        tokens = function(tokens)
    return tokens


def accepted(check, tokens):
    try:
        check(tokens)
    except InputError:
        return False
    return True


@st.composite
def number_sequences(draw, size=40):
    tokens = [draw(st.sampled_from("abcd"))]
    for place in range(2, draw(st.integers(1, size)) + 1):
        tokens.append(draw(st.sampled_from("abcd") | st.integers(1, min(place - 1, 9))))
    return tuple(tokens)


@st.composite
def letter_sequences(draw, size=20):
    """Proper sequences: a pair is drawn again until the sequence is proper, or a pair of a number ends the search."""
    tokens = []
    for _ in range(draw(st.integers(1, size))):
        pair = (draw(st.sampled_from("stuvwxyz")), draw(st.sampled_from("stuvwxyz")))
        kept = accepted(require_proper, (*tokens, pair))
        tokens.append(pair if kept else (pair[0], draw(st.integers(1, 4))))
    return tuple(tokens)


# -- the tasks --------------------------------------------------------------------------------------------


def test_the_printed_example_has_five_moves():
    """The source says four hops, the values 1, 2, 1, 4; the query's own move, of value 1, is the fifth."""
    assert number_path(EXAMPLE) == (10, 9, 8, 6, 5, 1)
    assert [EXAMPLE[place - 1] for place in number_path(EXAMPLE)] == [1, 1, 2, 1, 4, "C"]
    assert solve_number(EXAMPLE) == Solution("C", 5)
    assert layers(index_function, EXAMPLE, 4)[-2:] == ("C", 1)
    assert layers(index_function, EXAMPLE, 5)[-1] == "C"
    assert solve_number(EXAMPLE[:-1]) == Solution("C", 4)


def test_an_answer_is_no_hop_away():
    assert solve_number(["a", 1, "b"]) == Solution("b", 0)
    assert solve_letter([("a", "a"), ("b", 2)]) == Solution(("b", 2), 0)


def test_the_letter_task_takes_the_latest_of_equal_symbols():
    tokens = [("a", 1), ("a", 1), ("b", "a"), ("a", 1), ("b", "a"), ("c", "b")]
    assert letter_path(tokens) == (6, 5, 4)
    assert solve_letter(tokens) == Solution(("a", 1), 2)


def test_tokens_off_the_path_are_free():
    assert solve_number(["a", 7, 2]) == Solution("a", 1)
    assert solve_letter([("q", "r"), ("a", 1), ("a", 1), ("b", "a")]) == Solution(("a", 1), 1)


@given(number_sequences())
def test_number_layers_solve_the_number_task(tokens):
    answer, hops = solve_number(tokens)
    for count in range(hops + 3):
        moved = layers(index_function, tokens, count)
        assert moved[-1] == (answer if count >= hops else tokens[-1])
        assert require_valid_index(moved) == moved


@given(letter_sequences())
def test_letter_layers_solve_the_letter_task_of_unambiguous_sequences(tokens):
    if not accepted(require_unambiguous, tokens) or not accepted(letter_path, tokens):
        return
    answer, hops = solve_letter(tokens)
    for count in range(hops + 3):
        moved = layers(retrieval_function, tokens, count)
        assert (moved[-1] == answer) == (count >= hops)
        assert require_proper(moved) == require_unambiguous(moved) == moved


# -- what a layer keeps ------------------------------------------------------------------------------------


def test_every_valid_number_sequence_stays_valid_and_keeps_its_answers():
    for n in range(1, 6):
        inputs = list(valid_index_inputs("ab", 4, n))
        assert len(inputs) == len(set(inputs)) == [2, 6, 24, 120, 720][n - 1]
        for tokens in inputs:
            moved = index_function(tokens)
            assert require_valid_index(moved) == moved
            assert solve_number(moved).answer == solve_number(tokens).answer
            assert reflexive(tokens) == tokens


def test_proper_sequences_need_not_stay_proper():
    assert require_proper(NOT_KEPT) == NOT_KEPT
    moved = retrieval_function(NOT_KEPT)
    assert moved == (("z", 5), ("z", 5), ("z", 6), ("y", "z"))
    with pytest.raises(InputError, match=r"\('y', 'z'\) at place 4 names two symbols, \('z', 5\) and \('z', 6\)"):
        require_proper(moved)
    with pytest.raises(InputError, match=r"\('y', 'z'\) at place 2 names two symbols"):
        require_unambiguous(NOT_KEPT)
    assert solve_letter(NOT_KEPT) == Solution(("z", 5), 2)


def test_four_tokens_are_the_fewest_that_do_not_stay_proper():
    """Counted on two letters and two numbers; uniqueness is what fails, never existence."""
    broken = []
    for n in range(1, 6):
        lost = 0
        for tokens in proper_inputs("yz", [5, 6], n):
            moved = retrieval_function(tokens)
            if not accepted(require_proper, moved):
                with pytest.raises(InputError, match="names two symbols"):
                    require_proper(moved)
                lost += 1
            if accepted(require_unambiguous, tokens):
                assert require_proper(moved) == require_unambiguous(moved) == moved
        broken.append(lost)
    assert broken == [0, 0, 0, 8, 88]


def test_proper_inputs_are_all_the_proper_ones():
    pairs = [("y", "y"), ("y", "z"), ("z", "y"), ("z", "z"), ("y", 5), ("z", 5)]
    for n in (1, 2, 3):
        listed = list(proper_inputs("yz", [5], n))
        assert len(listed) == len(set(listed))
        assert set(listed) == {tokens for tokens in product(pairs, repeat=n) if accepted(require_proper, tokens)}


def test_integers_of_numpy_are_integers():
    assert index_function(["a", np.int64(1)]) == ("a", "a")
    for found in (
        reflexive(np.array([1, 2])),
        require_valid_index(["a", np.int64(1)])[1:],
        require_proper([("a", np.int8(1))])[0][1:],
        solve_letter([("a", np.int64(1))]).answer[1:],
    ):
        assert {type(token) for token in found} == {int}
    assert list(valid_index_inputs("a", np.int64(1), np.int64(2))) == [("a", "a"), ("a", 1)]


ALL = (
    reflexive,
    index_function,
    retrieval_function,
    require_valid_index,
    require_proper,
    require_unambiguous,
    number_path,
    letter_path,
    solve_number,
    solve_letter,
)

# -- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: index_function(["a", 2]), "integer 2 at place 2 points to place 0"),
        (lambda: index_function([1]), "integer 1 at place 1 points to place 0"),
        (lambda: index_function(["a", 0]), "integer 0 at place 2 points to place 2"),
        (lambda: index_function(["a", -1]), "integer -1"),
        (lambda: index_function(["a", True]), "got True"),
        (lambda: index_function(["a", 1.0]), r"got 1\.0"),
        (lambda: index_function([]), r"at least one token, got \[\]"),
        (lambda: require_valid_index([("a", 1)]), r"got \('a', 1\)"),
        (lambda: solve_number(["a", 1, 3]), "integer 3 at place 3 points to place 0"),
        (lambda: solve_number([]), "at least one token"),
        (lambda: retrieval_function([("a", "b")]), r"\('a', 'b'\) at place 1 names no pair up to there; put one.*'b'"),
        (lambda: retrieval_function([("a", "b"), ("b", 1)]), r"\('a', 'b'\) at place 1 names no pair"),
        (lambda: retrieval_function([("a", 1), ("a", 2), ("b", "a")]), r"names two symbols, \('a', 1\) and \('a', 2\)"),
        (lambda: retrieval_function([("a", 1), ("a", "a")]), r"two symbols, \('a', 1\) and \('a', 'a'\)"),
        (lambda: retrieval_function(["a"]), "got 'a'"),
        (lambda: retrieval_function([("a", 1, 2)]), r"got \('a', 1, 2\)"),
        (lambda: retrieval_function([(1, "a")]), r"got \(1, 'a'\)"),
        (lambda: retrieval_function([("a", 1.5)]), r"got 1\.5"),
        (lambda: retrieval_function([("a", True)]), "got True"),
        (lambda: require_proper([]), "at least one token"),
        (lambda: require_unambiguous([]), "at least one token"),
        (lambda: solve_letter([("a", 1), ("a", 2), ("b", "a")]), "two symbols"),
        (lambda: solve_letter([("a", "a")]), r"\('a', 'a'\) at place 1 names itself"),
        (lambda: solve_letter([("b", "a")]), "names no pair"),
        (lambda: solve_letter([]), "at least one token"),
        *[(lambda f=f, x=x: f(x), "a sequence of tokens is a tuple") for f in ALL for x in (None, 5, iter("a"), {"a"})],
        (lambda: reflexive([1.0]), r"got 1\.0"),
        (lambda: valid_index_inputs("ab", 2, 2.5), r"tokens is an integer, 1 or more, got 2\.5"),
        (lambda: valid_index_inputs("ab", "2", 2), "got '2'"),
        (lambda: valid_index_inputs(None, 2, 2), "got None"),
        (lambda: proper_inputs("yy", [1], 2), "repeats 'y'"),
        (lambda: proper_inputs("y", 5, 2), "got 5"),
        (lambda: proper_inputs("y", [5], 0), "1 or more, got 0"),
    ],
)
def test_bad_sequences_are_refused_with_their_value(call, match):
    with pytest.raises(InputError, match=match):
        call()
