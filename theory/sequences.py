"""The two multihop tasks and the functions that a layer computes for them, on whole sequences (DYN, tasks, appendix B).

Number sequences hold letters (strings) and integers. From an integer `v` the number task goes `v` places back, until
it stands on a letter, the answer. Letter sequences hold pairs of two letters or of a letter and a number. From a pair
of letters the letter task goes to the pair whose left letter is its right one, until it stands on a letter-number
pair, the answer. Places count from 1. Both tasks start at the last token, and a *hop* is one move: a token that is
itself an answer is 0 hops away from it.

One layer moves every token by one hop, `index_function` and `retrieval_function`. With at least as many layers as
hops the last token holds the answer: always for valid number sequences, and for proper letter sequences if they are
unambiguous as well. Proper alone is not enough, see `require_unambiguous`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from numbers import Integral
from typing import Any, NamedTuple

from headproof.theory.errors import InputError
from headproof.theory.inputs import (
    NumberToken,
    PairToken,
    Token,
    require_distinct,
    require_integer,
    require_letter,
    require_sequence,
    require_token,
    short,
)


class Solution(NamedTuple):
    """The token that answers a task, and the number of moves from the last token to it."""

    answer: Token
    hops: int


def reflexive(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """`Reflexive` (DYN, appendix B): the identity. A layer that is not needed computes it.

    Raises InputError for what is no sequence of tokens.
    """
    return tuple(require_token(token) for token in require_sequence(tokens))


def index_function(tokens: Sequence[Token]) -> tuple[NumberToken, ...]:
    """`Index` (DYN, appendix B): an integer `i` at place `j` becomes the token at `j - i` where that is a letter.

    All other tokens stay, an integer whose target is an integer too. A valid sequence stays valid. Raises InputError
    for what `require_valid_index` refuses.
    """
    valid = require_valid_index(tokens)
    moved: list[NumberToken] = []
    for place, token in enumerate(valid):
        target = valid[place - token] if isinstance(token, int) else token
        moved.append(target if isinstance(target, str) else token)
    return tuple(moved)


def retrieval_function(tokens: Sequence[Token]) -> tuple[PairToken, ...]:
    """`Retrieval` (DYN, appendix B): a pair of letters becomes the earlier or equal pair that its right letter names.

    Letter-number pairs stay. The pairs of the result are pairs of the input, so an unambiguous sequence stays
    unambiguous and proper; a proper sequence alone need not stay proper. Raises InputError for what `require_proper`
    refuses.
    """
    proper = require_proper(tokens)
    named: dict[str, PairToken] = {}
    moved: list[PairToken] = []
    for pair in proper:
        named[pair[0]] = pair
        moved.append(named[pair[1]] if isinstance(pair[1], str) else pair)
    return tuple(moved)


def require_valid_index(tokens: Sequence[Token]) -> tuple[NumberToken, ...]:
    """The number sequence, if each integer `i` at a place `j` has `i >= 1` and `j - i >= 1`; InputError otherwise.

    Raises InputError as well for an empty sequence and for a token that is neither a letter nor an integer.
    """
    checked = _numbers(tokens)
    for place, token in enumerate(checked, start=1):
        if isinstance(token, int):
            _target(place, token)
    return checked


def require_proper(tokens: Sequence[Token]) -> tuple[PairToken, ...]:
    """The letter sequence, if it is proper; InputError otherwise.

    Proper: for each pair of letters there is a pair, at its own place or before, whose left letter is its right
    letter, and all such pairs are the same symbol (which may stand at several places). A pair `(x, x)` is its own
    target then. Raises InputError as well for an empty sequence and for a token that is no such pair.
    """
    checked = _pairs(tokens)
    held: dict[str, list[PairToken]] = {}
    for place, pair in enumerate(checked, start=1):
        symbols = held.setdefault(pair[0], [])
        if pair not in symbols:
            symbols.append(pair)
        if isinstance(pair[1], str):
            _named(pair, place, held.get(pair[1], []))
    return checked


def require_unambiguous(tokens: Sequence[Token]) -> tuple[PairToken, ...]:
    """The letter sequence, if each letter that is a pair's right letter is the left letter of one symbol at most.

    Proper asks for this among the tokens up to the pair; here it is asked of the whole sequence, and this is what
    layers need. `(z, 5) (y, z) (z, 6) (x, y)` is proper, but `Retrieval` turns it into `(z, 5) (z, 5) (z, 6) (y, z)`,
    which is not: the last pair now stands behind a second pair of `z`. A proper and unambiguous sequence stays both,
    since `Retrieval` brings no new symbols, and the target of a pair's target moves to the place of that target.

    Raises InputError for an ambiguous letter, and for an empty sequence or a token that is no pair.
    """
    checked = _pairs(tokens)
    held: dict[str, list[PairToken]] = {}
    for symbol in dict.fromkeys(checked):
        held.setdefault(symbol[0], []).append(symbol)
    for place, pair in enumerate(checked, start=1):
        if isinstance(pair[1], str):
            _named(pair, place, held.get(pair[1], []), missing=True)
    return checked


def number_path(tokens: Sequence[Token]) -> tuple[int, ...]:
    """The places (from 1) that the number task visits, from the last one to the answer's.

    Tokens off the path are free: an integer there may point before the first token. Raises InputError for an empty
    sequence, a token that is neither letter nor integer, and an integer on the path without a target.
    """
    checked = _numbers(tokens)
    places = [len(checked)]
    while isinstance(step := checked[places[-1] - 1], int):
        places.append(_target(places[-1], step))
    return tuple(places)


def letter_path(tokens: Sequence[Token]) -> tuple[int, ...]:
    """The places (from 1) that the letter task visits, from the last one to the answer's.

    From a pair of letters the path goes to the latest place, its own or before, whose left letter is its right one.
    Tokens off the path are free. Raises InputError for an empty sequence, a token that is no pair, and a pair on the
    path that has no target, or two different ones, or itself alone (the path would never end).
    """
    checked = _pairs(tokens)
    places = [len(checked)]
    while isinstance(wanted := checked[places[-1] - 1][1], str):
        place = places[-1]
        found = [other for other in range(place, 0, -1) if checked[other - 1][0] == wanted]
        _named(checked[place - 1], place, list(dict.fromkeys(checked[other - 1] for other in found)))
        if checked[found[0] - 1] == checked[place - 1]:
            raise InputError(f"pair {checked[place - 1]!r} at place {place} names itself", "no path leaves it")
        places.append(found[0])
    return tuple(places)


def solve_number(tokens: Sequence[Token]) -> Solution:
    """The number task: the letter at the end of `number_path`, and the moves to it. InputError as there.

    The source calls its example four hops, the values 1, 2, 1 and 4; the move of the last token, the query, is not
    among them. All moves count here, for each needs a layer:

    >>> solve_number(["C", "B", "A", 1, 4, 1, 3, 2, 1, 1])
    Solution(answer='C', hops=5)
    """
    checked = _numbers(tokens)
    places = number_path(checked)
    return Solution(checked[places[-1] - 1], len(places) - 1)


def solve_letter(tokens: Sequence[Token]) -> Solution:
    """The letter task: the letter-number pair at the end of `letter_path`, and the moves to it. InputError as there.

    >>> solve_letter([("c", 7), ("b", "c"), ("a", "b")])
    Solution(answer=('c', 7), hops=2)
    """
    checked = _pairs(tokens)
    places = letter_path(checked)
    return Solution(checked[places[-1] - 1], len(places) - 1)


def valid_index_inputs(letters: Sequence[str], largest_integer: int, n: int) -> Iterator[tuple[NumberToken, ...]]:
    """Every valid number sequence of `n` tokens over these letters and the integers `1 .. largest_integer`.

    Raises InputError, before the first one is asked for, for a bad alphabet, `largest_integer < 0` and `n < 1`.
    """
    names = require_distinct(letters, "the alphabet of letters", require_letter)
    largest = require_integer(largest_integer, "the largest integer", 0)
    count = require_integer(n, "the number of tokens", 1)
    return product(*([*names, *range(1, min(largest, place) + 1)] for place in range(count)))


def proper_inputs(letters: Sequence[str], numbers: Sequence[int], n: int) -> Iterator[tuple[PairToken, ...]]:
    """Every proper letter sequence of `n >= 1` tokens; a prefix of a proper sequence is proper.

    Raises InputError, before the first one is asked for, for a bad alphabet and `n < 1`.
    """
    names = require_distinct(letters, "the alphabet of letters", require_letter)
    values = require_distinct(numbers, "the alphabet of numbers", require_integer)
    pairs: list[PairToken] = [*product(names, names), *product(names, values)]
    return _proper(pairs, require_integer(n, "the number of tokens", 1))


def _proper(pairs: Sequence[PairToken], n: int) -> Iterator[tuple[PairToken, ...]]:
    for start in _proper(pairs, n - 1) if n > 1 else [()]:
        for pair in pairs:
            try:
                yield require_proper((*start, pair))
            except InputError:
                continue


def _target(place: int, step: int) -> int:
    """The place `step` before `place`."""
    if not 1 <= step < place:
        raise InputError(
            f"integer {step} at place {place} points to place {place - step}", f"its targets are 1 .. {place - 1}"
        )
    return place - step


def _named(pair: PairToken, place: int, symbols: Sequence[PairToken], missing: bool = False) -> None:
    """Refuse a pair whose right letter is the left one of several symbols, or of none unless that may be `missing`."""
    if len(symbols) > 1:
        raise InputError(
            f"pair {pair!r} at place {place} names two symbols, {symbols[0]!r} and {symbols[1]!r}",
            f"give the letter {pair[1]!r} one pair",
        )
    if not symbols and not missing:
        raise InputError(
            f"pair {pair!r} at place {place} names no pair up to there", f"put one with left letter {pair[1]!r} before"
        )


def _numbers(tokens: Sequence[Token]) -> tuple[NumberToken, ...]:
    checked: list[NumberToken] = []
    for token in _some(tokens):
        if isinstance(token, bool) or not isinstance(token, (str, Integral)):
            raise InputError(f"a number sequence has letters and integers, got {short(token)}")
        checked.append(str(token) if isinstance(token, str) else int(token))
    return tuple(checked)


def _pairs(tokens: Sequence[Token]) -> tuple[PairToken, ...]:
    checked: list[PairToken] = []
    for token in _some(tokens):
        if not isinstance(token, tuple) or len(token) != 2 or not isinstance(token[0], str):
            raise InputError(f"a letter sequence has pairs (letter, letter) and (letter, number), got {short(token)}")
        left, right = token
        if isinstance(right, bool) or not isinstance(right, (str, Integral)):
            raise InputError(f"the right half of a pair is a letter or an integer, got {right!r} in {token!r}")
        checked.append((str(left), str(right)) if isinstance(right, str) else (str(left), int(right)))
    return tuple(checked)


def _some(tokens: Sequence[Token]) -> Sequence[Any]:
    given = require_sequence(tokens)
    if not given:
        raise InputError(f"a sequence has at least one token, got {tokens!r}")
    return given
