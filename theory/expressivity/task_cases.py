"""Heads for the tasks of DEC and DYN on their finite instances, as cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from headproof.theory.errors import InputError
from headproof.theory.expressivity.attention_cases import MOST_SEQUENCES, HeadCase
from headproof.theory.expressivity.attention_instances import (
    LETTERS,
    Instance,
    index_instance,
    letter_instance,
    letter_tokens,
    number_instance,
    pair_instance,
    shown,
)
from headproof.theory.inputs import Token
from headproof.theory.parameters import Numbers, Tokens


@dataclass(frozen=True)
class IndexCase(HeadCase):
    """DEC's Index: `length - 1` symbols, then a query that names one of their places; a head for it."""

    symbols: int
    length: int
    factors: Numbers = ()

    def require_small(self) -> None:
        _require_keys(self.length)
        _require_few(self.symbols, self.length - 1)

    @property
    def instance(self) -> Instance:
        return index_instance(self.symbols, self.length)


@dataclass(frozen=True)
class RetrievalCase(HeadCase):
    """DEC's Retrieval: `length - 1` pairs with different symbols, then one of the symbols; a head for it."""

    symbols: int
    attributes: int
    length: int
    factors: Numbers = ()

    def require_small(self) -> None:
        _require_keys(self.length)
        if self.length > self.symbols + 1:
            raise InputError(f"{self.length - 1} pairs need as many symbols, got {self.symbols}")
        _require_few(self.symbols * self.attributes, self.length - 1)

    @property
    def instance(self) -> Instance:
        return pair_instance(self.symbols, self.attributes, self.length, once=True)


@dataclass(frozen=True)
class AffineCase(HeadCase):
    """Retrieval and a head with an affine output map: the score of attribute `y` is the attention-weighted sum of
    `values` `u_y(token)` plus `biases` `b_y(query)`. Rows: by token (pairs, then queries), then by attribute; what
    they leave out is 0."""

    symbols: int
    attributes: int
    length: int
    factors: Numbers = ()
    values: Numbers = ()
    biases: Numbers = ()

    def require_small(self) -> None:
        RetrievalCase.require_small(self)  # type: ignore[arg-type]
        if len(self.values) > len(self.tokens) * self.attributes:
            raise InputError(f"{len(self.values)} values for {len(self.tokens)} tokens, {self.attributes} attributes")
        if len(self.biases) > self.symbols * self.attributes:
            raise InputError(f"{len(self.biases)} biases for {self.symbols} queries, {self.attributes} attributes")

    @property
    def instance(self) -> Instance:
        return pair_instance(self.symbols, self.attributes, self.length, once=True)

    @property
    def tokens(self) -> Tokens:
        """The tokens in the order of the row of values: pairs, then queries."""
        symbols = LETTERS[: self.symbols]
        return (*product(symbols, range(1, self.attributes + 1)), *symbols)

    def score(self, attribute: int, weights: Mapping[Token, int], query: Token) -> Fraction:
        """The score of an attribute for a query under these (unnormalised) weights on tokens."""
        value = _lookup(self.values, self.tokens, self.attributes)
        bias = _lookup(self.biases, tuple(LETTERS[: self.symbols]), self.attributes)
        total = sum((weight * value(token, attribute) for token, weight in weights.items()), Fraction(0))
        return total / sum(weights.values()) + bias(query, attribute)

    @property
    def row_keys(self) -> Mapping[str, Sequence[Any]]:
        answers = range(1, self.attributes + 1)
        queries = LETTERS[: self.symbols]
        return {"values": list(product(self.tokens, answers)), "biases": list(product(queries, answers))}

    def __str__(self) -> str:
        said = [super().__str__()]
        for name, row in (("values", self.values), ("biases", self.biases)):
            owners = zip(self.row_keys[name], row, strict=False)
            said += [f"{name[0]}_{y}({shown(owner).strip('()')}) = {number}" for (owner, y), number in owners if number]
        return "; ".join(said).replace("v_", "u_")


@dataclass(frozen=True)
class InductionCase(HeadCase):
    """DEC's partial induction: `length - 1` pairs, then a symbol that occurs in them; a head for it."""

    symbols: int
    attributes: int
    length: int
    factors: Numbers = ()

    def require_small(self) -> None:
        _require_keys(self.length)
        _require_few(self.symbols * self.attributes, self.length - 1)

    @property
    def instance(self) -> Instance:
        return pair_instance(self.symbols, self.attributes, self.length, once=False)


@dataclass(frozen=True)
class NumberCase(HeadCase):
    """DYN's Index at the last token: letters and integers up to `length - 1`, each with a target; a head for it."""

    letters: int
    length: int
    factors: Numbers = ()

    def require_small(self) -> None:
        _require_keys(self.length)
        _require_few(self.letters + self.length - 1, self.length)

    @property
    def instance(self) -> Instance:
        return number_instance(self.letters, self.length)


@dataclass(frozen=True)
class LetterCase(HeadCase):
    """DYN's Retrieval at the last token: proper sequences of letter-letter and letter-number pairs; a head for it.

    `values` is a value map, used where a statement leaves it free: by token, then by output token, what it leaves out
    is 0. The output is the token with the largest entry of the attention output.
    """

    letters: int
    numbers: int
    length: int
    factors: Numbers = ()
    values: Numbers = ()

    def require_small(self) -> None:
        _require_keys(self.length)
        _require_few(self.letters * (self.letters + self.numbers), self.length)
        if len(self.values) > len(self.tokens) ** 2:
            raise InputError(f"{len(self.values)} values for {len(self.tokens)} tokens")

    @property
    def tokens(self) -> Tokens:
        """All tokens, in the order of the row of values."""
        return letter_tokens(self.letters, self.numbers)

    def score(self, answer: Token, weights: Mapping[Token, int], query: Token) -> Fraction:
        """The entry of the attention output for a token, up to the sum of the weights."""
        place = {token: number for number, token in enumerate(self.tokens)}
        at = {token: place[token] * len(place) + place[answer] for token in weights}
        held = [(weight, self.values[at[token]]) for token, weight in weights.items() if at[token] < len(self.values)]
        return sum((weight * value for weight, value in held), Fraction(0))

    @property
    def row_keys(self) -> Mapping[str, Sequence[Any]]:
        return {"values": list(product(self.tokens, self.tokens))}

    def __str__(self) -> str:
        held = [
            f"VAL({shown(token)[1:-1]}) at {shown(other)} = {value}"
            for (token, other), value in zip(self.row_keys["values"], self.values, strict=False)
            if value
        ]
        return "; ".join([super().__str__(), *held])

    @property
    def instance(self) -> Instance:
        return letter_instance(self.letters, self.numbers, self.length)


def _require_keys(length: int) -> None:
    if length < 2:
        raise InputError(f"an input has a key and a query, length 2 or more, got {length}")


def _require_few(tokens: int, places: int) -> None:
    if places > 12 or tokens**places > MOST_SEQUENCES:
        raise InputError(f"{tokens} tokens at {places} places make more than {MOST_SEQUENCES} sequences")


def _lookup(row: Numbers, owners: Tokens, attributes: int) -> Callable[[Token, int], Fraction]:
    place = {owner: number for number, owner in enumerate(owners)}

    def value(owner: Token, attribute: int) -> Fraction:
        number = place[owner] * attributes + attribute - 1
        return row[number] if number < len(row) else Fraction(0)

    return value
