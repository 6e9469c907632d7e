"""DYN's one-layer transformers for Index and Retrieval (theorem 3.1) as the source prints them: logits and outputs.

Everything is decided token by token under average hard attention: the keys of the largest logit share the weight.
Distances are `t = n - j` between the query at place `n` and the key at place `j`.

Index: logits `cos(t theta)` for a letter, `cos((t - i) theta)` for an integer `i`; output `x + a` with the values 2 on
letters and 0 on integers. Retrieval: logits `cos((phi(left_j) - phi(right_n)) omega + t theta)`, the query's left
letter where its right one is a number, `omega = 2 pi / |letters|`; output `a`, the values one-hot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from headproof.theory.angles import Angle, ball, compare_cosines, sign
from headproof.theory.errors import InputError
from headproof.theory.parameters import ParameterCase, Tokens
from headproof.theory.sequences import index_function, require_proper, require_valid_index, retrieval_function

MOST_TOKENS = 400
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class NumberCase(ParameterCase):
    """An angle and a valid sequence of letters and integers, the query last."""

    theta: Angle
    tokens: Tokens

    def validate(self) -> None:
        if len(self.tokens) > MOST_TOKENS:
            raise InputError(f"{len(self.tokens)} tokens", f"a case has at most {MOST_TOKENS}")
        require_valid_index(self.tokens)

    @property
    def n(self) -> int:
        """The number of tokens, which is the query's place."""
        return len(self.tokens)


@dataclass(frozen=True)
class PairCase(ParameterCase):
    """A number of letters (a, b, c, ...), an angle and a proper sequence of pairs, the query last."""

    letters: int
    theta: Angle
    tokens: Tokens

    def validate(self) -> None:
        if not 1 <= self.letters <= len(LETTERS):
            raise InputError(f"letters = {self.letters}", f"an alphabet has 1 to {len(LETTERS)} letters")
        if len(self.tokens) > MOST_TOKENS:
            raise InputError(f"{len(self.tokens)} tokens", f"a case has at most {MOST_TOKENS}")
        require_proper(self.tokens)
        used = {part for pair in self.tokens if isinstance(pair, tuple) for part in pair if isinstance(part, str)}
        if strange := sorted(used - set(LETTERS[: self.letters])):
            raise InputError(f"the letter {strange[0]!r} is not among the first {self.letters}")

    @property
    def n(self) -> int:
        """The number of tokens, which is the query's place."""
        return len(self.tokens)


@dataclass(frozen=True)
class RangeCase(ParameterCase):
    """A number of letters, a length and an angle: all inputs of that length at once."""

    letters: int
    n: int
    theta: Angle

    def validate(self) -> None:
        if not 1 <= self.letters <= 64 or not 1 <= self.n <= 64:
            raise InputError(f"letters = {self.letters}, n = {self.n}", "both are from 1 to 64")


# -- Index ---------------------------------------------------------------------------------------------------------


def index_angles(theta: Angle, token: Any, place: int) -> list[Angle]:
    """The angles whose cosines are the logits of the query `token` at `place`, over the keys at 1 .. place."""
    offset = token if isinstance(token, int) else 0
    return [theta * (place - j - offset) for j in range(1, place + 1)]


def largest(angles: Sequence[Angle]) -> list[int]:
    """The indices of the largest cosines, ties included; exact."""
    best = [0]
    for index in range(1, len(angles)):
        order = compare_cosines(angles[index], angles[best[0]])
        if order > 0:
            best = [index]
        elif order == 0:
            best.append(index)
    return best


def index_output(case: NumberCase, place: int, value: int = 2, residual: int = 1) -> Any:
    """The token that the Index transformer writes at a place, None where two tokens tie; `value` is the letters' value
    and `residual` the weight of the query's own embedding."""
    token = case.tokens[place - 1]
    chosen = largest(index_angles(case.theta, token, place))
    scores: Counter[Any] = Counter({token: residual * len(chosen)})
    for index in chosen:
        if isinstance(case.tokens[index], str):
            scores[case.tokens[index]] += value
    return _unique_largest(scores)


def computes_index(case: NumberCase, value: int = 2, residual: int = 1) -> bool:
    """Whether the transformer's outputs are those of `Index` at every place."""
    wanted = index_function(case.tokens)
    return all(index_output(case, place, value, residual) == wanted[place - 1] for place in range(1, case.n + 1))


def maximum_is_unique(case: NumberCase) -> bool:
    """Whether one key alone has the largest logit of the last token."""
    return len(largest(index_angles(case.theta, case.tokens[-1], case.n))) == 1


def reach(case: NumberCase) -> int:
    """The largest distance between the target of the last token and another key."""
    offset = case.tokens[-1] if isinstance(case.tokens[-1], int) else 0
    return max(offset, case.n - 1 - offset)


def right_by_counting(case: NumberCase) -> bool:
    """Whether the last output is right, told from how many of the keys that alias with the target hold which letter.

    Of `k` such keys, `c` hold the target's letter and `b` another one. Right if and only if, for each other letter,
    `2 b < k + 2 c` under a letter (itself the target), `2 c > k` under an integer whose target is a letter, `2 b < k`
    under one whose target is an integer.
    """
    token, n = case.tokens[-1], case.n
    target = n - (token if isinstance(token, int) else 0)
    near = [j for j in range(1, n + 1) if (case.theta * (j - target)).is_multiple_of_full_turn]
    held = Counter(case.tokens[j - 1] for j in near if isinstance(case.tokens[j - 1], str))
    wanted, k = case.tokens[target - 1], len(near)
    others = [count for letter, count in held.items() if letter != wanted]
    if isinstance(token, str):
        return all(2 * b < k + 2 * held[token] for b in others)
    if isinstance(wanted, str):
        return 2 * held[wanted] > k
    return all(2 * b < k for b in others)


def index_is_positional(case: NumberCase) -> bool:
    """Whether permuting the contents of the earlier keys changes no logit of the last token (theorem 1's sense)."""
    contents = case.tokens[:-1]
    logits = {(content, j): _index_logit(case, j) for content in contents for j in range(1, case.n)}
    return all(
        compare_cosines(logits[contents[image], j + 1], logits[contents[j], j + 1]) == 0
        for image in range(len(contents))
        for j in range(len(contents))
    )


def _index_logit(case: NumberCase, j: int) -> Angle:
    return index_angles(case.theta, case.tokens[-1], case.n)[j - 1]


# -- Retrieval -----------------------------------------------------------------------------------------------------


def omega(letters: int) -> Angle:
    """`2 pi / |letters|`."""
    return Angle(Fraction(2, letters))


def pair_angle(case: PairCase, query: Any, key: Any, distance: int) -> Angle:
    """The angle whose cosine is the logit of a key at a distance from the query."""
    asked = query[1] if isinstance(query[1], str) else query[0]
    step = LETTERS.index(key[0]) - LETTERS.index(asked)
    return omega(case.letters) * step + case.theta * distance


def retrieval_output(case: PairCase, place: int) -> Any:
    """The token that the Retrieval transformer writes at a place, None where two tokens tie."""
    query = case.tokens[place - 1]
    angles = [pair_angle(case, query, case.tokens[j - 1], place - j) for j in range(1, place + 1)]
    return _unique_largest(Counter(case.tokens[index] for index in largest(angles)))


def computes_retrieval(case: PairCase) -> bool:
    """Whether the transformer's outputs are those of `Retrieval` at every place."""
    wanted = retrieval_function(case.tokens)
    return all(retrieval_output(case, place) == wanted[place - 1] for place in range(1, case.n + 1))


def right_on_all_pairs(case: RangeCase) -> bool:
    """Whether the Retrieval transformer is right on every proper input of `n` tokens, by all pairs of keys.

    Two keys decide: the match at distance `t` against a key of another left letter at `t' != t`, for each of which
    there is a proper input (the rest letter-number pairs, which ask nothing of others); and, under a letter-number
    pair, which attends to itself, an earlier pair of its own left letter at `t >= 1`.
    """
    turn, theta = omega(case.letters), case.theta
    distances = range(case.n)
    own = all(compare_cosines(Angle(Fraction(0)), theta * t) > 0 for t in distances if t >= 1)
    return own and all(
        compare_cosines(theta * t, turn * step + theta * other) > 0
        for step in range(1, case.letters)
        for t in distances
        for other in distances
        if t != other
    )


def pair_is_symbolic(case: PairCase) -> bool:
    """Whether permuting the positions of the earlier keys changes no logit of the last token (theorem 1's sense)."""
    return all(order == 0 for order in _moved(case, lambda here, there: compare_cosines(here, there)))


def _moved(case: PairCase, compare: Callable[[Angle, Angle], Any]) -> list[Any]:
    query, n = case.tokens[-1], case.n
    compared = []
    for image in permutations(range(1, n)) if n <= 5 else [tuple(range(n - 1, 0, -1))]:
        for j in range(1, n):
            key = case.tokens[j - 1]
            here, there = (pair_angle(case, query, key, n - place) for place in (j, image[j - 1]))
            compared.append(compare(here, there))
    return compared


def changes_at_most(case: PairCase, steps: Callable[[int], Fraction]) -> bool:
    """Whether moving the earlier keys changes each logit by at most `steps(n)` times theta."""
    limit = steps(case.n)

    def within(here: Angle, there: Angle) -> bool:
        if compare_cosines(here, there) == 0:
            return True
        if limit <= 0:
            return False
        return sign(lambda: ball(limit) * abs(case.theta.enclosure()) - abs(here.cos() - there.cos())) >= 0

    return all(_moved(case, within))


def _unique_largest(scores: Counter[Any]) -> Any:
    """The token with the largest score; None in a tie. Tokens that are not named have the score 0."""
    ranked = [*scores.most_common(2), (None, 0)]
    return ranked[0][0] if ranked[0][1] > ranked[1][1] else None
