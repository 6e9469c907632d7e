"""The Coq theorems about DYN's functions on whole sequences, by name, at sequences that Python has decided."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from coq_words import assert_refuted_at, goal, right_ones

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.claim import Statement
from headproof.theory.expressivity.function_claims import SequenceCase, iterated
from headproof.theory.formal import identifier
from headproof.theory.sequences import index_function, retrieval_function, solve_letter, solve_number

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

FILE = "expressivity_functions"
Tokens = tuple[Any, ...]
# The printed example; the letter at the end of the largest step there is; nothing moves; integers that stay.
NUMBERS: tuple[Tokens, ...] = (("C", "B", "A", 1, 4, 1, 3, 2, 1, 1), ("A", "B", 2), ("A",), ("B", 1, 1, 1))
# A chain; a pair that names itself; one symbol twice; nothing is named.
PAIRS: tuple[Tokens, ...] = (
    (("c", 7), ("b", "c"), ("a", "b")),
    (("c", 7), ("b", "b")),
    (("a", 1), ("b", "a"), ("c", "a"), ("b", "a")),
    (("a", 2),),
)


def statement_of(claim_id: str) -> Statement:
    statement = claims()[claim_id].statement
    assert statement is not None
    return statement


# -- Coq's words for sequences -------------------------------------------------------------------------------------


def number_of(letter: str) -> int:
    """A letter by its place in the alphabet."""
    return ord(letter.lower()) - ord("a")


def half(part: str | int) -> str:
    return f"inl {number_of(part)}" if isinstance(part, str) else f"inr {part}"


def token(value: Any) -> str:
    return f"({number_of(value[0])}, {half(value[1])})" if isinstance(value, tuple) else half(value)


def sequence(tokens: Tokens) -> str:
    of = "(nat * (nat + nat))" if any(isinstance(each, tuple) for each in tokens) else "(nat + nat)"
    return f"([:: {'; '.join(map(token, tokens))}]%N : seq {of})"


# -- images that are valid, proper and unambiguous -----------------------------------------------------------------

CLOSED = {
    "dyn.functions.index-closed": (index_function, ("valid_index",), NUMBERS),
    "dyn.functions.retrieval-closed.repaired": (retrieval_function, ("is_proper", "is_unambiguous"), PAIRS),
}


def drawn(claim_id: str, meets: bool, count: int) -> list[Tokens]:
    """Sequences of three tokens or more that meet the claim's premises, or violate the claim without meeting them."""
    draw, statement = random.Random(21), statement_of(claim_id)
    found: list[Tokens] = []
    while len(found) < count:
        size = draw.randint(3, 7)
        tokens: Tokens = tuple(draw.choice(("A", "B", 1, 2, place)) for place in range(1, size + 1))
        if "retrieval" in claim_id:
            tokens = tuple((draw.choice("abcd"), draw.choice(("a", "b", "c", 1, 2))) for _ in range(size))
        case = SequenceCase(tokens)
        if statement.meets(case) is meets and statement.conclusion(case) is meets and tokens not in found:
            found.append(tokens)
    return found


def closed(claim_id: str, tokens: Tokens, image: Tokens) -> tuple[str, str]:
    """The goal that this is the image and has the properties, and tactics that take the properties from the theorem."""
    function, properties, _ = CLOSED[claim_id]
    x, y = sequence(tokens), sequence(image)
    is_image = f"{function.__name__} {x} = Some {y}"
    given = f"{'_ ' * len(properties)} {x} {'isT ' * len(properties)}"
    tactics = (
        f"have [y [image good]] := @{identifier(claim_id)} {given}. have is_y : {is_image} by vm_compute. "
        "by move: image good; rewrite is_y => -[<-]."
    )
    return " /\\ ".join([is_image, *(f"{each} {y}" for each in properties)]), tactics


@pytest.mark.parametrize("claim_id", CLOSED)
def test_an_image_has_what_its_sequence_has(claim_id: str):
    """The theorem gives the properties to the image that Python finds, and to no other sequence; the same tactics do
    not show them where Python finds the premises, and what they lead to, wrong."""
    function, properties, chosen = CLOSED[claim_id]
    statement, texts, right = statement_of(claim_id), {}, set()
    for tokens in (*chosen, *drawn(claim_id, True, 5)):
        assert statement.meets(SequenceCase(tokens))
        assert statement.conclusion(SequenceCase(tokens))
        image = tuple(function(tokens))
        beside = (*image[:-1], ("z", 9) if len(properties) == 2 else "Z")
        texts[f"{tokens}"], texts[f"{tokens}, beside"] = (
            goal(*closed(claim_id, tokens, each)) for each in (image, beside)
        )
        right.add(f"{tokens}")
    for tokens in drawn(claim_id, False, 3):
        image = iterated(function, tokens, 1) or tokens
        texts[f"{tokens}"] = goal(*closed(claim_id, tokens, image))
    assert right_ones(FILE, texts) == right


# -- refuted claims at their counterexamples -----------------------------------------------------------------------


def no_last_hop(case: SequenceCase) -> str:
    """With `hops - 1` applications of Index, as many as the example counts."""
    letter, hops = solve_number(case.tokens)
    return (
        f"move=> printed; have := printed nat {sequence(case.tokens)} {number_of(letter)}%N {hops - 1}%N isT erefl "
        "isT; by vm_compute."
    )


def no_proper_image(case: SequenceCase) -> str:
    return (
        f"move=> printed; have [] := printed nat_eqType nat_eqType {sequence(case.tokens)} isT; "
        "by vm_compute => y [[<-]]."
    )


def no_answer(case: SequenceCase) -> str:
    """With as many applications of Retrieval as the path has moves."""
    pair, hops = solve_letter(case.tokens)
    return (
        f"move=> printed; have := printed nat_eqType nat_eqType {sequence(case.tokens)} {token(pair)}%N {hops}%N isT "
        "erefl; by vm_compute."
    )


@pytest.mark.parametrize(
    ("claim_id", "tactics", "other"),
    [
        ("dyn.functions.number.hops-of-the-example", no_last_hop, ("A", 1)),
        ("dyn.functions.retrieval-closed", no_proper_image, PAIRS[0]),
        ("dyn.functions.letter", no_answer, PAIRS[0]),
    ],
)
def test_a_refuted_claim_fails_at_its_counterexample(
    claim_id: str, tactics: Callable[[SequenceCase], str], other: Tokens
):
    """What is denied leads to a contradiction at the theorem's own sequence, with Python's answer and moves; where
    Python finds a premise wrong, or the conclusion right, it leads to none."""
    assert_refuted_at(FILE, f"{identifier(claim_id)}_fails", claims()[claim_id], tactics, SequenceCase(other))
