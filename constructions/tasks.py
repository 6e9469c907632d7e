"""The three tasks of DEC as plain functions on token sequences: Index, Retrieval, partial induction.

A sequence is data tokens followed by one query token. An Index token is a symbol (a string), its query an
integer; a Retrieval or partial induction token is a pair `(symbol, attribute)`, atomic, its query a symbol.
Tokens are embedded one-hot, so a query token has coordinates of its own that carry no answer: a head that
looks at the query's own key gains nothing, and loses no answer by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product
from typing import Any, Literal

import numpy as np
from jaxtyping import Shaped

from headproof.constructions import exact
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer, require_letter

Token = str | int | tuple[str, str]
Names = Literal["position", "offset"]


@dataclass(frozen=True)
class Task:
    """A task: its vocabulary in the order of the one-hot coordinates, and how outputs become answers.

    `answers` are what can be asked for; `carried[t]` is the index of the answer that token `t` carries, None
    for query tokens. `solve` is the reference solver, `inputs(n)` yields every valid input of `n` tokens.
    """

    name: str
    vocabulary: tuple[Token, ...]
    answers: tuple[str, ...]
    carried: tuple[int | None, ...]
    solve: Callable[[Sequence[Token]], str]
    inputs: Callable[[int], Iterator[tuple[Token, ...]]]

    @property
    def readout(self) -> Shaped[np.ndarray[Any, Any], "answer token"]:
        """The 0/1 matrix that adds up the coordinates of the tokens carrying each answer, dtype object.

        This is the projection `F` under which DEC states theorems 4 and 5.
        """
        matrix = np.zeros((len(self.answers), len(self.vocabulary)), dtype=object)
        for token, answer in enumerate(self.carried):
            if answer is not None:
                matrix[answer, token] = 1
        return matrix

    def encode(self, tokens: Sequence[Token]) -> Shaped[np.ndarray[Any, Any], "n token"]:
        """One-hot embeddings of a sequence, dtype object (exact). Raises InputError for an unknown token."""
        place = {token: index for index, token in enumerate(self.vocabulary)}
        if unknown := [token for token in tokens if token not in place]:
            raise InputError(f"token {unknown[0]!r} is not in the vocabulary of {self.name}")
        x = np.zeros((len(tokens), len(self.vocabulary)), dtype=object)
        x[np.arange(len(tokens)), [place[token] for token in tokens]] = 1
        return x

    def decode(self, y: Shaped[np.ndarray[Any, Any], " token"]) -> str | None:
        """The answer whose tokens have the largest sum in an output vector, None where two answers tie."""
        scores = list(self.readout.astype(y.dtype) @ y)
        best = exact.maximisers(scores)
        return self.answers[best[0]] if len(best) == 1 else None


def symbol_of(token: Token) -> str:
    """The symbol of a pair, or the symbol that a query asks for."""
    return token[0] if isinstance(token, tuple) else str(token)


def solve_index(tokens: Sequence[Token], names: Names = "position") -> str:
    """Index, `f_POS` (DEC, theorem 2): the symbol at the place that the last token names.

    `names`: the query is the "position" of the target, counted from 1, or its "offset", steps back from the
    query. Raises InputError where that is no earlier token, or not a symbol.
    """
    query, n = tokens[-1], len(tokens)
    if not isinstance(query, int):
        raise InputError(f"the query of Index is an integer, got {query!r}")
    target = query if names == "position" else n - query
    if not 1 <= target < n or not isinstance(tokens[target - 1], str):
        raise InputError(f"{names} {query} names no symbol in the {n} tokens {tuple(tokens)}")
    return str(tokens[target - 1])


def solve_retrieval(tokens: Sequence[Token]) -> str:
    """Retrieval, `f_SYM` (DEC, theorem 4): the attribute in the one pair of the query symbol.

    Raises InputError where a symbol has two pairs, or the query symbol none.
    """
    symbols = [symbol for symbol, _ in _pairs(tokens)]
    if repeated := [symbol for symbol in symbols if symbols.count(symbol) > 1]:
        raise InputError(f"Retrieval binds a symbol once, got {repeated[0]!r} repeatedly in {tuple(tokens)}")
    return solve_partial_induction(tokens)


def solve_partial_induction(tokens: Sequence[Token]) -> str:
    """Partial induction, `f_MIX` (DEC, corollary 1): the attribute in the last pair of the query symbol.

    Raises InputError where the query symbol has no pair.
    """
    bound = [attribute for symbol, attribute in _pairs(tokens) if symbol == tokens[-1]]
    if not bound:
        raise InputError(f"the query symbol {tokens[-1]!r} has no pair in {tuple(tokens)}")
    return bound[-1]


def index_task(symbols: Sequence[str], length: int, names: Names = "position") -> Task:
    """Index over an alphabet. `length` counts the query.

    With `names="position"` inputs have exactly this length; with "offset" this length or less, from 2. Raises
    InputError for an empty alphabet, a repeated symbol, a length below 2 and an unknown `names`.
    """
    alphabet = _alphabet(symbols, "symbols")
    count = require_integer(length, "the length of an input, its query included,", 2)
    if names not in ("position", "offset"):
        raise InputError(f"an Index query names a 'position' or an 'offset', got {names!r}")

    def inputs(n: int) -> Iterator[tuple[Token, ...]]:
        if n == count or (names == "offset" and 2 <= n < count):
            for body in product(alphabet, repeat=n - 1):
                for place in range(1, n):
                    yield (*body, place)

    return Task(
        name=f"Index by {names}",
        vocabulary=(*alphabet, *range(1, count)),
        answers=alphabet,
        carried=(*range(len(alphabet)), *[None] * (count - 1)),
        solve=partial(solve_index, names=names),
        inputs=inputs,
    )


def retrieval_task(symbols: Sequence[str], attributes: Sequence[str]) -> Task:
    """Retrieval over two alphabets; the symbols in one input differ. Raises InputError for a bad alphabet."""
    keys, answers = _alphabet(symbols, "symbols"), _alphabet(attributes, "attributes")

    def inputs(n: int) -> Iterator[tuple[Token, ...]]:
        for chosen in permutations(keys, n - 1):
            for bound in product(answers, repeat=n - 1):
                for query in chosen:
                    yield (*zip(chosen, bound, strict=True), query)

    return _pair_task("Retrieval", keys, answers, solve_retrieval, inputs)


def partial_induction_task(symbols: Sequence[str], attributes: Sequence[str]) -> Task:
    """Partial induction over two alphabets; symbols may repeat. Raises InputError for a bad alphabet."""
    keys, answers = _alphabet(symbols, "symbols"), _alphabet(attributes, "attributes")

    def inputs(n: int) -> Iterator[tuple[Token, ...]]:
        for body in product(product(keys, answers), repeat=n - 1):
            for query in keys:
                if any(symbol == query for symbol, _ in body):
                    yield (*body, query)

    return _pair_task("partial induction", keys, answers, solve_partial_induction, inputs)


def _pair_task(
    name: str,
    keys: tuple[str, ...],
    answers: tuple[str, ...],
    solve: Callable[[Sequence[Token]], str],
    inputs: Callable[[int], Iterator[tuple[Token, ...]]],
) -> Task:
    pairs = tuple(product(keys, answers))
    carried = [answers.index(attribute) for _, attribute in pairs]
    return Task(name, (*pairs, *keys), answers, (*carried, *[None] * len(keys)), solve, inputs)


def _pairs(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    pairs = [token for token in tokens[:-1] if isinstance(token, tuple)]
    if not tokens or len(pairs) != len(tokens) - 1 or not isinstance(tokens[-1], str):
        raise InputError(f"pairs followed by a query symbol are needed, got {tuple(tokens)}")
    return pairs


def _alphabet(names: Sequence[str], what: str) -> tuple[str, ...]:
    return require_distinct(names, f"the alphabet of {what}", require_letter)
