"""Exact cases of statements about a head on one input: its logit table, token by token, and its blocks.

Entries are the factors `e^logit`, positive rationals, so that softmax is rational. Blocks tile the keys and may differ
in length here; a swap of unequal ones moves the tokens between them by the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations
from typing import Self

from headproof.theory.errors import InputError
from headproof.theory.parameters import Numbers, ParameterCase, height, simpler_rationals
from headproof.theory.scores.cases import NOTHING, Pair, squared_scores

MOST_KEYS = 12


@dataclass(frozen=True)
class HeadCase(ParameterCase):
    """`factors` holds `e^logit` of content a at position b, row by row; `lengths` those of the blocks, in order.

    `own` is the factor of the query's own key, 0 where it is not seen.
    """

    lengths: Numbers
    factors: Numbers
    own: Fraction = NOTHING

    def validate(self) -> None:
        if bad := [each for each in self.lengths if each.denominator != 1 or each < 1]:
            raise InputError(f"a block of {bad[0]} tokens", "whole numbers from 1 on")
        if not 1 <= self.keys <= MOST_KEYS or len(self.factors) != self.keys**2:
            raise InputError(
                f"{len(self.factors)} factors for {self.keys} keys", f"one a pair, at most {MOST_KEYS} keys"
            )
        if min(self.factors) <= 0 or self.own < 0:
            raise InputError(f"factors {self.factors}, own {self.own}", "e^logit is positive")

    @classmethod
    def of(cls, rows: list[list[int]], lengths: list[int] | None = None, own: int = 0) -> Self:
        """A case from whole numbers; blocks of one token if no lengths are given."""
        return cls(
            tuple(map(Fraction, lengths or [1] * len(rows))),
            tuple(Fraction(each) for row in rows for each in row),
            Fraction(own),
        )

    @property
    def keys(self) -> int:
        """The number of keys that blocks tile."""
        return int(sum(self.lengths))

    @cached_property
    def rows(self) -> tuple[Numbers, ...]:
        """The table, `rows[content][position]`."""
        return tuple(self.factors[a * self.keys : (a + 1) * self.keys] for a in range(self.keys))

    @property
    def is_positional(self) -> bool:
        """Whether no logit depends on the content."""
        return all(row == self.rows[0] for row in self.rows)

    @property
    def is_symbolic(self) -> bool:
        """Whether no logit depends on the position."""
        return all(each == row[0] for row in self.rows for each in row)

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        """All swaps, as pairs of blocks i < j."""
        return combinations(range(len(self.lengths)), 2)

    def means(self, order: tuple[int, ...]) -> tuple[Fraction, ...]:
        """Mean attention over the blocks when their contents stand in this order, softmax taken anew."""
        lengths = [int(self.lengths[block]) for block in order]
        contents = [token for block in order for token in self._tokens(block)]
        weights = [self.rows[content][position] for position, content in enumerate(contents)]
        normaliser = sum(weights) + self.own
        ends = accumulate(lengths)
        return tuple(
            sum(weights[end - length : end], Fraction(0)) / length / normaliser
            for end, length in zip(ends, lengths, strict=True)
        )

    def _tokens(self, block: int) -> range:
        start = int(sum(self.lengths[:block]))
        return range(start, start + int(self.lengths[block]))

    @cached_property
    def squares(self) -> dict[tuple[int, int], Pair]:
        """`s_pos^2` and `s_sym^2` of every swap, as defined: contents exchanged, positions kept."""
        blocks = tuple(range(len(self.lengths)))
        before = self.means(blocks)
        found = {}
        for i, j in self.pairs:
            order = (*blocks[:i], j, *blocks[i + 1 : j], i, *blocks[j + 1 :])
            after = self.means(order)
            found[i, j] = squared_scores((before[i], before[j]), (after[i], after[j]))
        return found

    @property
    def complexity(self) -> tuple[int, ...]:
        """How much there is to write down: keys, an own key, different numbers, their digits."""
        shown = sum(map(height, self.factors)) + height(self.own)
        return self.keys, int(self.own != 0), len(set(self.factors)), shown

    def _changed(self, counts_only: bool = False) -> Iterator[Self]:
        for block in range(len(self.lengths) if len(self.lengths) > 1 else 0):
            for cut in {len(self._tokens(block)), 1}:
                yield self._shortened(block, cut)
        yield replace(self, own=NOTHING)
        for old in dict.fromkeys(self.factors):
            for new in simpler_rationals(old):
                if new > 0:
                    yield replace(self, factors=tuple(new if each == old else each for each in self.factors))
        for place, old in enumerate(self.factors):
            for new in (Fraction(1), *simpler_rationals(old)):
                if new > 0:
                    yield replace(self, factors=(*self.factors[:place], new, *self.factors[place + 1 :]))

    def _shortened(self, block: int, cut: int) -> Self:
        """The case without the last tokens of a block, so many; without the block if none is left."""
        tokens = self._tokens(block)
        gone = set(tokens[len(tokens) - cut :])
        kept = [token for token in range(self.keys) if token not in gone]
        left = len(tokens) - cut
        lengths = (*self.lengths[:block], *([Fraction(left)] if left else []), *self.lengths[block + 1 :])
        return replace(self, lengths=lengths, factors=tuple(self.rows[a][b] for a in kept for b in kept))

    def smaller(self) -> Iterator[Self]:
        """Simpler cases to try in its place."""
        return (changed for changed in self._changed() if changed.complexity < self.complexity)

    def __str__(self) -> str:
        table = ", ".join("[" + ", ".join(map(str, row)) + "]" for row in self.rows)
        text = f"e^M = [{table}]"
        if set(self.lengths) != {1}:
            text += f", blocks of {', '.join(map(str, self.lengths))} tokens"
        return text + (f", e^logit of the query's own key {self.own}" if self.own else "")
