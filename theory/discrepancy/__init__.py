"""Discrepancies of the Index and the Retrieval construction (DYN, definition 3.1), from the definitions.

The *gap* of an input is the largest logit of its last token less the second-largest, counted with multiplicity: two
keys that tie for the largest leave the gap 0. DYN's discrepancy at length `n` is the largest gap over the inputs of
that length. The paper computes with other quantities under the same name; each has its own function here.

Index (DYN, theorem 3.1): all keys are one vector, the query of integer `i` is turned back by `i theta`, that of a
letter not at all: a key `t` places back has the logit `cos((t - i) theta)`, `i = 0` for a letter, `1 <= i <= n - 1`.
The logits do not depend on the other tokens, so a query stands for all inputs that end in it.

Retrieval: with `L` letters numbered from 0 and `omega = 2 pi / L`, a key of left letter `p`, `t` places back, has the
logit `cos((p - r) omega + t theta)`, `r` the query's right letter, or its left one if the right half is a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from itertools import product
from string import ascii_lowercase

from headproof.theory.angles import Angle, compare_cosines
from headproof.theory.cosine_sums import ONE, Sum, cosine, largest, minus, smallest
from headproof.theory.errors import InputError
from headproof.theory.parameters import ParameterCase, Tokens
from headproof.theory.sequences import require_proper

LONGEST = 512
MOST_INPUTS = 5000  # inputs up to what the logits can tell apart


@dataclass(frozen=True)
class IndexCase(ParameterCase):
    """An angle and a length."""

    theta: Angle
    n: int

    def validate(self) -> None:
        if not 2 <= self.n <= LONGEST:
            raise InputError(f"n = {self.n}", f"a second-largest logit takes 2 keys, and {LONGEST} is the most here")


@dataclass(frozen=True)
class RetrievalCase(ParameterCase):
    """Letters, an angle, the length `n0` that the angle is tied to, and a length."""

    letters: int
    theta: Angle
    n0: int
    n: int

    def validate(self) -> None:
        _require_alphabet(self.letters)
        if not (2 <= self.n <= LONGEST and self.n0 >= 2):
            raise InputError(f"n = {self.n}, n0 = {self.n0}", f"2 to {LONGEST} keys, n0 at least 2")

    @property
    def omega(self) -> Angle:
        """The angle between neighbouring letters."""
        return Angle(Fraction(2, self.letters))


@dataclass(frozen=True)
class BoundCase(RetrievalCase):
    """The same, and a candidate for a number that a gap never falls below."""

    bound: Fraction


@dataclass(frozen=True)
class RetrievalInput(ParameterCase):
    """Letters, an angle, the length `n0` that it is tied to, and a proper input over the letters a, b, c, ..."""

    letters: int
    theta: Angle
    n0: int
    tokens: Tokens

    def validate(self) -> None:
        _require_alphabet(self.letters)
        pairs = require_proper(self.tokens)
        if len(pairs) < 2 or self.n0 < 2:
            raise InputError(f"{len(pairs)} tokens, n0 = {self.n0}", "2 tokens or more, n0 at least 2")
        used = {part for pair in pairs for part in pair if isinstance(part, str)}
        if strange := sorted(used - set(ascii_lowercase[: self.letters])):
            raise InputError(f"letter {strange[0]!r}", f"the letters are {ascii_lowercase[: self.letters]}")

    @property
    def omega(self) -> Angle:
        """The angle between neighbouring letters."""
        return Angle(Fraction(2, self.letters))

    @property
    def n(self) -> int:
        """The length of the input."""
        return len(self.tokens)


def _require_alphabet(letters: int) -> None:
    if not 2 <= letters <= len(ascii_lowercase):
        raise InputError(
            f"letters = {letters}", f"a wrong letter takes 2 letters, and {len(ascii_lowercase)} have names"
        )


# -- gaps ----------------------------------------------------------------------------------------------------------


def gap(angles: list[Angle]) -> Sum:
    """The largest less the second-largest of the logits `cos angle`, with multiplicity; two at least."""
    top, second = angles[0], None
    for angle in angles[1:]:
        if compare_cosines(angle, top) > 0:
            top, second = angle, top
        elif second is None or compare_cosines(angle, second) > 0:
            second = angle
    if second is None:
        raise InputError("a gap of one logit", "two are needed")
    return minus(cosine(top), cosine(second))


def positive_gap(angles: list[Angle]) -> Sum | None:
    """The largest logit less the largest one that is smaller; None where all are equal."""
    top = angles[0]
    for angle in angles[1:]:
        if compare_cosines(angle, top) > 0:
            top = angle
    below = [angle for angle in angles if compare_cosines(angle, top) < 0]
    return gap([top, *below]) if below else None


def index_logits(case: IndexCase, i: int) -> list[Angle]:
    """The angles whose cosines are the logits of the integer query `i`, of a letter for `i = 0`; nearest key first."""
    return [case.theta * (t - i) for t in range(case.n)]


@lru_cache(maxsize=4096)
def index_gaps(case: IndexCase) -> tuple[Sum, ...]:
    """The gaps of all queries, a letter's first."""
    return tuple(gap(index_logits(case, i)) for i in range(case.n))


def index_positive_gaps(case: IndexCase) -> list[Sum]:
    """The positive gaps of those queries that have one."""
    found = (positive_gap(index_logits(case, i)) for i in range(case.n))
    return [each for each in found if each is not None]


def best_other(case: IndexCase, reach: int) -> Sum | None:
    """`1 - max cos(u theta)` over `1 <= u <= reach`; None where there is no such u."""
    found = [minus(ONE, cosine(case.theta * u)) for u in range(1, reach + 1)]
    return smallest(found) if found else None


def retrieval_logits(case: RetrievalInput) -> list[Angle]:
    """The angles whose cosines are the logits of the last token, nearest key first."""
    places = ascii_lowercase.index
    pairs = require_proper(case.tokens)
    left, right = pairs[-1]
    wanted = places(right if isinstance(right, str) else left)
    return [case.omega * (places(pair[0]) - wanted) + case.theta * t for t, pair in enumerate(reversed(pairs))]


def letter_offsets(case: RetrievalCase) -> Iterator[tuple[int, ...]]:
    """What proper inputs look like to the logits: each key's left letter less the wanted one, nearest key first.

    A match, offset 0, must be there; everything else is free: letter-number pairs may have any left letter, and the
    matches can be copies of one symbol. Raises InputError where there are too many to go through.
    """
    if case.letters**case.n > MOST_INPUTS:
        raise InputError(f"{case.letters}^{case.n} inputs", f"at most {MOST_INPUTS} are gone through")
    return (offsets for offsets in product(range(case.letters), repeat=case.n) if 0 in offsets)


def key_angles(case: RetrievalCase, offsets: tuple[int, ...]) -> list[Angle]:
    """The angles of such an input's logits."""
    return [case.omega * offset + case.theta * t for t, offset in enumerate(offsets)]


@lru_cache(maxsize=4096)
def smallest_positive_gap(case: RetrievalCase) -> Sum | None:
    """The smallest positive difference between the largest logit and the next value, over all proper inputs."""
    angles, ranks = _ranked(case)
    closest: dict[int, int] = {}
    for offsets in letter_offsets(case):
        seen = sorted({ranks[t][offset] for t, offset in enumerate(offsets)})
        if len(seen) > 1:
            closest[seen[-1]] = max(seen[-2], closest.get(seen[-1], -1))
    gaps = [minus(cosine(angles[top]), cosine(angles[below])) for top, below in closest.items()]
    return smallest(gaps) if gaps else None


@lru_cache(maxsize=4096)
def smallest_wrong_gap(case: RetrievalCase) -> Sum:
    """The smallest lead of the best match over the best key of a wrong letter, over all proper inputs that have one."""
    angles, ranks = _ranked(case)
    closest: dict[int, int] = {}
    for offsets in letter_offsets(case):
        match = max(ranks[t][0] for t, offset in enumerate(offsets) if offset == 0)
        wrong = max((ranks[t][offset] for t, offset in enumerate(offsets) if offset != 0), default=-1)
        closest[match] = max(wrong, closest.get(match, -1))
    return smallest(minus(cosine(angles[top]), cosine(angles[below])) for top, below in closest.items() if below >= 0)


@lru_cache(maxsize=4096)
def largest_gap(case: RetrievalCase) -> Sum:
    """The discrepancy as defined: the largest gap, 0 where two keys tie for the largest logit, over all proper ones."""
    angles, ranks = _ranked(case)
    furthest: dict[int, int] = {}
    for offsets in letter_offsets(case):
        second, top = sorted(ranks[t][offset] for t, offset in enumerate(offsets))[-2:]
        furthest[top] = min(second, furthest.get(top, second))
    return largest(minus(cosine(angles[top]), cosine(angles[second])) for top, second in furthest.items())


@lru_cache(maxsize=4096)
def smallest_gap_with_ties(case: RetrievalCase) -> Sum:
    """The smallest gap, 0 where two keys tie for the largest logit, over all proper inputs."""
    angles, ranks = _ranked(case)
    closest: dict[int, int] = {}
    for offsets in letter_offsets(case):
        second, top = sorted(ranks[t][offset] for t, offset in enumerate(offsets))[-2:]
        closest[top] = max(second, closest.get(top, -1))
    return smallest(minus(cosine(angles[top]), cosine(angles[second])) for top, second in closest.items())


def _ranked(case: RetrievalCase) -> tuple[list[Angle], list[list[int]]]:
    """All logits that a key can have, as angles, the smallest cosine first; and the rank of each place and offset."""
    table = [[case.omega * offset + case.theta * t for offset in range(case.letters)] for t in range(case.n)]
    flat = sorted({angle for row in table for angle in row}, key=cmp_to_key(compare_cosines))
    rank, place = {}, -1
    for before, angle in zip([None, *flat], flat, strict=False):
        place += before is None or compare_cosines(before, angle) < 0
        rank[angle] = place
    angles = list({rank[angle]: angle for angle in flat}.values())
    return angles, [[rank[angle] for angle in row] for row in table]


@lru_cache(maxsize=4096)
def best_wrong_letter(case: RetrievalCase) -> Sum:
    """One minus the largest logit that a wrong letter has at any of the `n` places, present or not."""
    everywhere = product(range(1, case.letters), range(case.n))
    wrong = largest(cosine(case.omega * offset + case.theta * t) for offset, t in everywhere)
    return minus(ONE, wrong)
