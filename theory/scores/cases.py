"""Exact cases of statements about scores: one swap, several swaps with weights, points of a quarter circle.

Logits enter as their exponentials, positive rationals, so that softmax, means and the squares of cosines are rational.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import combinations
from typing import Self

from headproof.theory.errors import InputError
from headproof.theory.parameters import Numbers, ParameterCase

Pair = tuple[Fraction, Fraction]
MOST_GAP = 64
MOST_POINTS = 512
NOTHING = Fraction(0)


def dot(one: Pair, other: Pair) -> Fraction:
    """The inner product of two vectors of the plane."""
    return one[0] * other[0] + one[1] * other[1]


def exchanged(pair: Pair) -> Pair:
    """The two entries in the other order."""
    return pair[1], pair[0]


def cosine_squared(one: Pair, other: Pair) -> Fraction:
    """The squared cosine of the angle between two vectors; for vectors of positive entries it tells the cosine."""
    return dot(one, other) ** 2 / (dot(one, one) * dot(other, other))


def squared_scores(before: Pair, after: Pair) -> Pair:
    """`s_pos^2` and `s_sym^2` of a swap, from the two blocks' means before and after it."""
    return cosine_squared(after, before), cosine_squared(after, exchanged(before))


@dataclass(frozen=True)
class SwapCase(ParameterCase):
    """One swap of the blocks i and j, `length` tokens each.

    `ij` is the sum of `e^logit` over the tokens of block i's content at block j's position, and so on; `rest` is that
    sum over all keys outside the two blocks, the query's own among them, which the swap leaves alone.
    """

    ii: Fraction
    jj: Fraction
    ij: Fraction
    ji: Fraction
    rest: Fraction = NOTHING
    length: int = 1

    def validate(self) -> None:
        if min(self.ii, self.jj, self.ij, self.ji) <= 0 or self.rest < 0 or self.length < 1:
            raise InputError(f"no swap: {self}", "sums of exponentials are positive, rest >= 0 and length >= 1")

    @property
    def before(self) -> Pair:
        """The mean attention of the two blocks as they stand."""
        return self._means(self.ii, self.jj)

    @property
    def after(self) -> Pair:
        """The mean attention at the two positions with the contents swapped."""
        return self._means(self.ji, self.ij)

    def _means(self, first: Fraction, second: Fraction) -> Pair:
        normaliser = first + second + self.rest
        return first / normaliser / self.length, second / normaliser / self.length

    @property
    def squares(self) -> Pair:
        """`s_pos^2` and `s_sym^2`."""
        return squared_scores(self.before, self.after)

    @property
    def excess(self) -> Fraction:
        """`s_pos^2 + s_sym^2 - 1`: how far the swap's point lies outside the unit circle."""
        positional, symbolic = self.squares
        return positional + symbolic - 1


@dataclass(frozen=True)
class _RowsCase(ParameterCase):
    """Rows of numbers of one length, an item a place; simpler cases leave out whole items."""

    @property
    def rows(self) -> tuple[Numbers, ...]:
        """All rows, in the order of the fields."""
        return tuple(getattr(self, each.name) for each in fields(self))

    def _require_rows(self, least: int) -> None:
        lengths = [len(row) for row in self.rows]
        if len(set(lengths)) > 1 or lengths[0] < least:
            raise InputError(f"rows of {lengths} numbers", f"give rows of one length, {least} or more")

    def _changed(self, counts_only: bool = False) -> Iterator[Self]:
        names = [each.name for each in fields(self)]
        for place in range(len(self.rows[0])):
            cut = [(*row[:place], *row[place + 1 :]) for row in self.rows]
            try:
                yield replace(self, **dict(zip(names, cut, strict=True)))
            except InputError:
                continue
        yield from super()._changed(counts_only)


@dataclass(frozen=True)
class AverageCase(_RowsCase):
    """Several swaps and their weights, with rational scores.

    The means of swap k are proportional to `(1 - t^2, 2 t)` with `t = before[k]`, which is to say at the angle
    `2 arctan t`, and after the swap likewise with `after[k]`: Pythagorean vectors, so that cosines are rational.
    """

    before: Numbers
    after: Numbers
    weights: Numbers

    def validate(self) -> None:
        self._require_rows(1)
        if bad := [t for t in (*self.before, *self.after) if not 0 < t < 1]:
            raise InputError(f"tan(phi / 2) = {bad[0]}", "means are positive, so 0 < phi < pi / 2")

    @property
    def scores(self) -> tuple[Pair, ...]:
        """`(s_pos, s_sym)` of each swap."""
        return tuple(_scores(t, u) for t, u in zip(self.before, self.after, strict=True))

    @property
    def average(self) -> Pair:
        """The two scores of the head: the sums of weight times score."""
        pairs = list(zip(self.weights, self.scores, strict=True))
        return (
            sum((weight * pos for weight, (pos, _) in pairs), Fraction(0)),
            sum((weight * sym for weight, (_, sym) in pairs), Fraction(0)),
        )


def _scores(t: Fraction, u: Fraction) -> Pair:
    before, after = SwapCase(1 - t * t, 2 * t, 2 * u, 1 - u * u), (1 + t * t) * (1 + u * u)
    size = (before.ii + before.jj) * (before.ij + before.ji)  # the means are the sums over these normalisers
    return (
        dot(before.after, before.before) * size / after,
        dot(before.after, exchanged(before.before)) * size / after,
    )


@dataclass(frozen=True)
class ColdCase(_RowsCase):
    """Two or more swaps: `|d_i - d_j|` in units of `tau ln 2`, so that the weights are powers of 2, and one score each.

    The differences are whole numbers; what they count from does not matter.
    """

    differences: Numbers
    scores: Numbers

    def validate(self) -> None:
        self._require_rows(2)
        if bad := [each for each in self.differences if each.denominator != 1 or not 0 <= each <= MOST_GAP]:
            raise InputError(f"a difference of {bad[0]} units", f"whole numbers from 0 to {MOST_GAP}")

    @property
    def count(self) -> int:
        """The number of swaps."""
        return len(self.scores)

    @property
    def largest(self) -> int:
        """The place of the (first) largest difference."""
        return self.differences.index(max(self.differences))

    def gap(self, rank: int = 1) -> int:
        """How far the largest difference lies above the one of this rank; 1 is the second largest, -1 the least."""
        return int(max(self.differences) - sorted(self.differences, reverse=True)[rank])

    @property
    def score(self) -> Fraction:
        """The head's score, the average with the softmax of differences over tau as weights."""
        weights = [Fraction(2) ** int(each) for each in self.differences]
        total = sum((w * score for w, score in zip(weights, self.scores, strict=True)), Fraction(0))
        return total / sum(weights)


@dataclass(frozen=True)
class PeakCase(_RowsCase):
    """The mean attention of three or more blocks, in units of `tau ln 2` and whole numbers, counted from anywhere."""

    means: Numbers

    def validate(self) -> None:
        self._require_rows(3)
        if bad := [each for each in self.means if each.denominator != 1 or not 0 <= each <= MOST_GAP]:
            raise InputError(f"a mean of {bad[0]} units", f"whole numbers from 0 to {MOST_GAP}")

    def lead(self, rank: int = 1) -> int:
        """How far the largest mean lies above the one of this rank; 1 is the second largest."""
        return int(max(self.means) - sorted(self.means, reverse=True)[rank])

    @property
    def share_of_others(self) -> Fraction:
        """The weight of the swaps without the (first) block of the largest mean, of that of all swaps."""
        peak = self.means.index(max(self.means))
        weights = {
            (i, j): Fraction(2) ** abs(int(self.means[i] - self.means[j]))
            for i, j in combinations(range(len(self.means)), 2)
        }
        return sum((w for pair, w in weights.items() if peak not in pair), Fraction(0)) / sum(weights.values())


@dataclass(frozen=True)
class PointsCase(_RowsCase):
    """The two scores of each head of a finite set of heads."""

    positional: Numbers
    symbolic: Numbers

    def validate(self) -> None:
        self._require_rows(1)

    @property
    def covariance(self) -> Fraction:
        """The covariance of the two scores over the heads."""
        count = len(self.positional)
        products = sum((x * y for x, y in zip(*self.rows, strict=True)), Fraction(0))
        sums = [sum(row, Fraction(0)) for row in self.rows]
        return products / count - sums[0] * sums[1] / count**2


@dataclass(frozen=True)
class SpreadCase(ParameterCase):
    """So many points, two or more, spread evenly over an arc."""

    points: int

    def validate(self) -> None:
        if not 2 <= self.points <= MOST_POINTS:
            raise InputError(f"{self.points} points", f"2 to {MOST_POINTS}")
