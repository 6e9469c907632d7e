"""The Coq definitions of sequences.v are those of theory/sequences.py: they compute what Python computes, drawn at
random, and what the theorems say at single sequences is what Python says there."""

import random

import pytest

from headproof.checks.engines import coq
from headproof.checks.engines.kernel import accepted
from headproof.theory.errors import InputError
from headproof.theory.expressivity.function_claims import iterated
from headproof.theory.sequences import (
    index_function,
    letter_path,
    number_path,
    require_proper,
    require_unambiguous,
    require_valid_index,
    retrieval_function,
    solve_letter,
    solve_number,
)

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

TOPIC = "expressivity_functions"
EXAMPLE = ("C", "B", "A", 1, 4, 1, 3, 2, 1, 1)
# Proper and not unambiguous; unambiguous and not proper; both; a pair that names itself.
PAIRS = (
    (("z", 5), ("y", "z"), ("z", 6), ("x", "y")),
    (("y", "z"), ("z", 5)),
    (("c", 7), ("b", "c"), ("a", "b")),
    (("c", 7), ("b", "b")),
)


def half(part):
    """A letter as a number by its place in the alphabet; integers stay."""
    return f"inl {ord(part) - ord('A')}" if isinstance(part, str) else f"inr {part}"


def token(value):
    """The Coq term of a token."""
    if isinstance(value, tuple):
        return f"({ord(value[0]) - ord('A')}, {half(value[1])})"
    return half(value)


def sequence(tokens):
    """The Coq term of a sequence of tokens."""
    of = "(nat * (nat + nat))" if any(isinstance(each, tuple) for each in tokens) else "(nat + nat)"
    return f"([:: {'; '.join(map(token, tokens))}]%N : seq {of})"


def attempt(function, *given):
    try:
        return function(*given)
    except InputError:
        return None


def some(value, shown):
    return "None" if value is None else f"Some {shown(value)}"


def answer(solution):
    given = solution.answer
    shown = token(given) if isinstance(given, tuple) else f"{ord(given) - ord('A')}"
    return f"({shown}, {solution.hops})%N"


def places(found):
    return f"[:: {'; '.join(map(str, found))}]%N"


def same(left, right):
    return f"Goal {left} = {right}. Proof. vm_compute; reflexivity. Qed."


def truth(value):
    return "true" if value else "false"


def drawn_numbers(count, seed):
    """Letters and integers, some of them without a target."""
    rng = random.Random(seed)
    found = [EXAMPLE, (1,), ("A", 0), ("A", 2)]
    for _ in range(count):
        size = rng.randint(1, 9)
        most = rng.choice((0, 0, 1))
        found.append(
            tuple(
                rng.choice("ABC") if place == 0 or rng.random() < 0.3 else rng.randint(1, place + most)
                for place in range(size)
            )
        )
    return found


def drawn_pairs(count, seed):
    rng = random.Random(seed)
    found = list(PAIRS)
    for _ in range(count):
        right = [*"ABCD", 1, 2] if rng.random() < 0.5 else [*"AB", 1, 2]
        pairs = [(rng.choice("ABCD"), rng.choice(right)) for _ in range(rng.randint(1, 7))]
        if rng.random() < 0.7:  # let pairs in only where what stands before them is proper
            kept = []
            for pair in pairs:
                kept.append(pair if attempt(require_proper, (*kept, pair)) else (pair[0], 1))
            pairs = kept
        found.append(tuple(pairs))
    return found


def of_numbers(tokens):
    x = sequence(tokens)
    yield f"valid_index {x}", truth(attempt(require_valid_index, tokens))
    yield f"index_function {x}", some(attempt(index_function, tokens), sequence)
    yield f"number_path {x}", some(attempt(number_path, tokens), places)
    yield f"solve_number {x}", some(attempt(solve_number, tokens), answer)
    yield f"power index_function 2 {x}", some(iterated(index_function, tokens, 2), sequence)


def of_pairs(tokens):
    x = sequence(tokens)
    yield f"is_proper {x}", truth(attempt(require_proper, tokens))
    yield f"is_unambiguous {x}", truth(attempt(require_unambiguous, tokens))
    yield f"retrieval_function {x}", some(attempt(retrieval_function, tokens), sequence)
    yield f"letter_path {x}", some(attempt(letter_path, tokens), places)
    yield f"solve_letter {x}", some(attempt(solve_letter, tokens), answer)
    yield f"power retrieval_function 2 {x}", some(iterated(retrieval_function, tokens, 2), sequence)


@pytest.mark.parametrize(
    ("draws", "values"),
    [(drawn_numbers(30, 1), of_numbers), (drawn_pairs(60, 2), of_pairs)],
    ids=["numbers", "pairs"],
)
def test_the_definitions_compute_what_python_computes(draws, values):
    computed = [pair for tokens in draws for pair in values(tokens)]
    answers = {}
    for name, value in computed:
        answers.setdefault(name.split("(")[0], set()).add(value)
    # Every definition is asked where it holds and where it does not, or is defined and is not.
    assert all(len(found) > 1 for found in answers.values())
    goals = {f"{name} {number}": same(name, value) for number, (name, value) in enumerate(computed)}
    assert [name for name, stands in accepted(TOPIC, goals).items() if not stands] == []


def test_other_values_than_those_of_python_are_not_accepted():
    x, y = sequence(EXAMPLE), sequence(PAIRS[2])
    changed = sequence((*index_function(EXAMPLE)[:-1], "B"))
    wrong = {
        "index": same(f"index_function {x}", f"Some {changed}"),
        "moves": same(f"solve_number {x}", "Some (2, 4)%N"),
        "answer": same(f"solve_number {x}", "Some (1, 5)%N"),
        "proper": same(f"is_proper {sequence(PAIRS[1])}", "true"),
        "unambiguous": same(f"is_unambiguous {sequence(PAIRS[0])}", "true"),
        "retrieval": same(f"retrieval_function {y}", f"Some {y}"),
        "letter": same(f"solve_letter {sequence(PAIRS[3])}", f"Some ({token(('b', 'b'))}, 0)%N"),
        "empty": same("valid_index ([::] : seq (nat + nat))", "true"),
    }
    assert not any(accepted(TOPIC, wrong).values())


def test_the_theorems_give_what_python_finds_after_layers():
    """Each theorem at one sequence; with a layer too few, and with another answer, it gives nothing."""
    number, letters = EXAMPLE, PAIRS[2]
    x, y = sequence(number), sequence(letters)
    moves, hops = solve_number(number).hops, solve_letter(letters).hops
    assert iterated(index_function, number, moves)[-1] == solve_number(number).answer == "C"
    assert iterated(index_function, number, moves - 1)[-1] != "C"
    assert iterated(retrieval_function, letters, hops)[-1] == solve_letter(letters).answer == ("c", 7)
    assert iterated(retrieval_function, letters, hops - 1)[-1] != ("c", 7)

    def read(function, tokens, layers, all_layers, value):
        return (
            f"Goal last_token (obind (power reflexive_function ({all_layers} - {layers})) "
            f"(power {function} {layers} {tokens})) = Some ({value})%N. Proof. "
        )

    def by_number(layers, value="inl 2"):
        return read("index_function", x, layers, 12, value) + (
            f"have [s [d []]] := @dyn_functions_number _ {x} isT; "
            f"have -> : solve_number {x} = Some (2, {moves})%N by [vm_compute]; "
            f"move=> [<- <-] reads; exact: (reads {layers}%N 12%N isT isT). Qed."
        )

    def by_letter(layers, value="(34, inr 7)"):
        return read("retrieval_function", y, layers, 12, value) + (
            f"exact: (@dyn_functions_letter_repaired _ _ {y} ({value})%N {hops}%N isT isT erefl {layers}%N 12%N "
            "isT isT). Qed."
        )

    goals = {
        "number": by_number(moves),
        "number, more layers": by_number(moves + 4),
        "letter": by_letter(hops),
        "letter, more layers": by_letter(hops + 3),
    }
    wrong = {
        "number, a layer less": by_number(moves - 1),
        "number, another answer": by_number(moves, "inl 1"),
        "letter, a layer less": by_letter(hops - 1),
        "letter, another answer": by_letter(hops, token(("b", "c"))),
    }
    found = accepted(TOPIC, goals | wrong)
    assert {name for name, stands in found.items() if stands} == set(goals)
