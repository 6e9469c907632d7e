"""Finite instances of tasks, input by input, and the entries of a head's logit table on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product
from typing import NamedTuple, Self

from headproof.theory.inputs import Token
from headproof.theory.parameters import Tokens
from headproof.theory.sequences import index_function, proper_inputs, retrieval_function, valid_index_inputs

OWN = 0  # the place under which the query's own key stands in a table
LETTERS = "abcdefgh"


class Input(NamedTuple):
    """The tokens before the query, the query, and the right answer."""

    keys: Tokens
    query: Token
    answer: Token


class Entry(NamedTuple):
    """A place in a head's table: the logit of this key content at this position, for this query."""

    query: Token
    content: Token
    position: int

    @property
    def asker(self) -> str:
        """The query in words."""
        return f"query {shown(self.query)}"

    @property
    def key(self) -> str:
        """The key in words."""
        return "own key" if self.position == OWN else f"key {shown(self.content)}"

    @property
    def place(self) -> str:
        """Its place in words."""
        return self.key if self.position == OWN else f"key at {self.position}"

    def __str__(self) -> str:
        where = "" if self.position == OWN else f" at {self.position}"
        return f"{self.asker}, {self.key}{where}"


@dataclass(frozen=True, eq=False)
class Instance:
    """A task over finite alphabets at one length: its valid inputs, and the entries that a head's table has."""

    inputs: tuple[Input, ...]
    entries: tuple[Entry, ...]
    answers: Tokens

    @classmethod
    def of(cls, inputs: Iterable[Input], answers: Iterable[Token] = ()) -> Self:
        """The instance with these inputs, all of one length, and all that an answer is chosen from (by default what
        is an answer at all)."""
        found = tuple(inputs)
        queries = dict.fromkeys(each.query for each in found)
        contents = dict.fromkeys(key for each in found for key in each.keys)
        places = range(1, 1 + max((len(each.keys) for each in found), default=0))
        entries = [Entry(query, content, place) for query in queries for place in places for content in contents]
        chosen = tuple(answers) or tuple(dict.fromkeys(each.answer for each in found))
        return cls(found, (*entries, *(Entry(query, query, OWN) for query in queries)), chosen)

    @cached_property
    def index(self) -> Mapping[Entry, int]:
        """The number of each entry in a row of factors."""
        return {entry: number for number, entry in enumerate(self.entries)}


def shown(token: Token) -> str:
    """A token as one writes it by hand."""
    return f"({token[0]},{token[1]})" if isinstance(token, tuple) else str(token)


# -- every valid input, literally ----------------------------------------------------------------------------------


@cache
def index_instance(symbols: int, length: int) -> Instance:
    bodies = product(LETTERS[:symbols], repeat=length - 1)
    return Instance.of(Input(body, place, body[place - 1]) for body in bodies for place in range(1, length))


@cache
def pair_instance(symbols: int, attributes: int, length: int, once: bool) -> Instance:
    """Retrieval if each symbol occurs `once` at most, else partial induction: the last pair of the query counts."""
    pairs = list(product(LETTERS[:symbols], range(1, attributes + 1)))
    bodies = permutations(pairs, length - 1) if once else product(pairs, repeat=length - 1)
    return Instance.of(
        Input(body, query, dict(body)[query])
        for body in bodies
        if not once or len(dict(body)) == len(body)
        for query in dict(body)
    )


@cache
def number_instance(letters: int, length: int) -> Instance:
    sequences = valid_index_inputs(LETTERS[:letters], length - 1, length)
    return Instance.of(Input(each[:-1], each[-1], index_function(each)[-1]) for each in sequences)


@cache
def letter_instance(letters: int, numbers: int, length: int) -> Instance:
    """The output is a token, so every token is there to choose from."""
    sequences = proper_inputs(LETTERS[:letters], range(1, numbers + 1), length)
    inputs = (Input(each[:-1], each[-1], retrieval_function(each)[-1]) for each in sequences)
    return Instance.of(inputs, letter_tokens(letters, numbers))


def letter_tokens(letters: int, numbers: int) -> Tokens:
    """The letter-letter pairs, then the letter-number pairs."""
    names = LETTERS[:letters]
    return (*product(names, names), *product(names, range(1, numbers + 1)))


@cache
def one_input(keys: Tokens) -> Instance:
    return Instance.of((Input(keys, "q", "q"),))
