"""Blocks of tokens whose key contents are swapped: contiguous, of one length, apart from each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer


@dataclass(frozen=True)
class Blocks:
    """`count` blocks of `length` tokens each; block `i` is the token positions `starts[i] .. starts[i] + length - 1`.

    Positions count from 0 and `starts` increase. Blocks need not touch: tokens between them keep their places. All
    are of one length, since a swap of a longer with a shorter block would shift all tokens that lie between them,
    and would so measure more than the swap. Raises InputError for blocks that overlap, are out of order, negative
    or empty.
    """

    starts: tuple[int, ...]
    length: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", tuple(require_integer(start, "a block's start", 0) for start in self.starts))
        object.__setattr__(self, "length", require_integer(self.length, "the length of a block", 1))
        for before, after in zip(self.starts, self.starts[1:], strict=False):
            if after < before + self.length:
                raise InputError(
                    f"blocks of {self.length} tokens at {before} and {after} overlap or are out of order",
                    "give starts that increase by at least the length",
                )

    @classmethod
    def of_spans(cls, spans: Iterable[tuple[int, int]]) -> Blocks:
        """Blocks from (start, stop) pairs, stop excluded. Raises InputError for blocks of unequal length.

        >>> Blocks.of_spans([(1, 4), (4, 7)])
        Blocks(starts=(1, 4), length=3)
        """
        given = [(require_integer(start, "a start"), require_integer(stop, "a stop")) for start, stop in spans]
        if not given:
            raise InputError("no blocks are given", "give two or more")
        length = given[0][1] - given[0][0]
        for number, (start, stop) in enumerate(given):
            if stop - start != length:
                raise InputError(
                    f"block {number} has {stop - start} tokens and block 0 has {length}: a swap of blocks of unequal "
                    "length would shift all that lies between them",
                    "pad or cut the blocks to one length",
                )
        return cls(tuple(start for start, _ in given), length)

    @classmethod
    def tiling(cls, first: int, stop: int, length: int) -> Blocks:
        """As many blocks as fit side by side into positions `first .. stop - 1`; a remainder is left out.

        >>> Blocks.tiling(1, 8, 3).starts
        (1, 4)
        """
        width = require_integer(length, "the length of a block", 1)
        return cls(tuple(range(first, stop - width + 1, width)), width)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.starts)

    @property
    def swaps(self) -> int:
        """Number of unordered pairs of blocks."""
        return self.count * (self.count - 1) // 2

    @property
    def stop(self) -> int:
        """The position after the last block; 0 if there is none."""
        return self.starts[-1] + self.length if self.starts else 0

    @property
    def positions(self) -> tuple[int, ...]:
        """All token positions in blocks, in order."""
        return tuple(position for start in self.starts for position in range(start, start + self.length))

    def within(self, positions: Sequence[int]) -> Blocks:
        """The blocks all of whose tokens are among `positions`, such as the keys in a sliding window."""
        seen = set(positions)
        kept = tuple(s for s in self.starts if all(p in seen for p in range(s, s + self.length)))
        return Blocks(kept, self.length)
