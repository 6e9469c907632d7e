"""Cases of statements about what heads compute: a finite instance of a task and a head given as a table of logits.

The table has one entry for each query, key content and key position, and one for the query's own key. An entry is
written as its *factor* `e^logit`, a positive rational, so softmax weights are rational and nothing is rounded; what a
row leaves out is 1, the factor of logit 0. Embeddings are one-hot and `VAL` is the identity, so the attention output
holds the total weight on each token: every other value map is a linear function of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Self

from headproof.theory.errors import InputError
from headproof.theory.expressivity.attention_instances import LETTERS, Entry, Instance, one_input
from headproof.theory.inputs import Token
from headproof.theory.parameters import Numbers, ParameterCase, Tokens, height, simpler_rationals

MOST_SEQUENCES = 6000


@dataclass(frozen=True)
class HeadCase(ParameterCase):
    """The base: sizes of an instance, and the row `factors` in the order of the instance's entries."""

    @property
    def instance(self) -> Instance:
        """The finite instance that the sizes describe."""
        raise NotImplementedError

    @property
    def row(self) -> Numbers:
        """The factors that are written down."""
        return tuple(getattr(self, "factors"))  # noqa: B009 - each subclass has this field, the base has none

    def validate(self) -> None:
        for name in self.sizes:
            if getattr(self, name) < 1:
                raise InputError(f"{name} is at least 1, got {getattr(self, name)}")
            if name in ("symbols", "letters") and getattr(self, name) > len(LETTERS):
                raise InputError(f"{name} is at most {len(LETTERS)}, got {getattr(self, name)}")
        self.require_small()
        if bad := [each for each in self.row if each <= 0]:
            raise InputError(f"a factor e^logit is positive, got {bad[0]}")
        if len(self.row) > len(self.instance.entries):
            raise InputError(f"{len(self.row)} factors for a table of {len(self.instance.entries)} entries")

    def require_small(self) -> None:
        """Raise InputError where there are too many sequences to go through one by one."""

    @property
    def sizes(self) -> list[str]:
        """The names of the parameters that are counts."""
        return [each.name for each in fields(self) if each.type in ("int", int)]

    @cached_property
    def table(self) -> Mapping[Entry, int]:
        """The factors as whole numbers, all multiplied by one number, which changes no weight."""
        scale = lcm(*(each.denominator for each in self.row))
        row = [int(each * scale) for each in self.row]
        entries = self.instance.entries
        return dict(zip(entries, row + [scale] * (len(entries) - len(row)), strict=True))

    def with_factors(self, factor: Mapping[Entry, Fraction]) -> Self:
        """The case with this head; entries left out have the factor 1."""
        row = [factor.get(entry, Fraction(1)) for entry in self.instance.entries]
        return replace(self, factors=_stripped(tuple(row), Fraction(1)))  # type: ignore[call-arg]

    @cached_property
    def _complexity(self) -> tuple[int, ...]:
        sizes = sum(getattr(self, name) for name in self.sizes)
        rows = [(row, Fraction(name == "factors")) for name, row in self._rows()]
        written = [each for row, usual in rows for each in row if each != usual]
        kinds = sum(len(set(row)) for row, _ in rows)
        return (sizes + len(written), kinds, sum(map(height, written)), sum(len(row) for row, _ in rows))

    @property
    def complexity(self) -> tuple[int, ...]:
        """How much there is to write down: sizes and entries, different numbers, their digits."""
        return self._complexity

    def _rows(self) -> list[tuple[str, Numbers]]:
        return [(each.name, getattr(self, each.name)) for each in fields(self) if each.type in ("Numbers", Numbers)]

    def smaller(self) -> Iterator[Self]:
        """Simpler cases to try in its place: one parameter changed, or two sizes."""
        for changed in self._changed():
            if changed.complexity < self.complexity:
                yield changed
        for once in self._changed(counts_only=True):
            for twice in once._changed(counts_only=True):
                if twice.complexity < self.complexity:
                    yield twice

    def _changed(self, counts_only: bool = False) -> Iterator[Self]:
        for name in self.sizes:
            now = getattr(self, name)
            for value in sorted({1, 2, 3, now - 1} - {now}):
                try:
                    yield self._resized(name, value)
                except InputError:
                    continue
        if counts_only:
            return
        for name, row in self._rows():
            usual = Fraction(name == "factors")
            for changed in _simpler_rows(row, usual):
                try:
                    yield replace(self, **{name: _stripped(changed, usual)})
                except InputError:
                    continue

    @property
    def row_keys(self) -> Mapping[str, Sequence[Any]]:
        """What each further row of numbers is about, entry by entry."""
        return {}

    def _resized(self, name: str, value: int) -> Self:
        """The case with another size; what is left of the table and of other rows keeps its numbers."""
        empty: dict[str, Any] = dict.fromkeys(("factors", *self.row_keys), ())
        blank = replace(self, **{name: value, **empty})
        scale = Fraction(1, lcm(*(each.denominator for each in self.row)))
        kept = blank.with_factors({entry: factor * scale for entry, factor in self.table.items()})
        rows = {}
        for row, keys in self.row_keys.items():
            held = dict(zip(keys, getattr(self, row), strict=False))
            number = tuple(held.get(key, Fraction(0)) for key in kept.row_keys[row])
            rows[row] = _stripped(number, Fraction(0))
        return replace(kept, **rows)

    def __str__(self) -> str:
        parts = [f"{name} = {getattr(self, name)}" for name in self.sizes]
        entries = list(zip(self.instance.entries, self.row, strict=False))
        written = [
            f"e^logit = {factor} for {which}"
            for factor in dict.fromkeys(factor for _, factor in entries if factor != 1)
            for which in _together(self.instance.entries, {entry for entry, other in entries if other == factor})
        ]
        return ", ".join(parts) + "; " + ("; ".join([*written, "else logit 0"]) if written else "all logits 0")


@dataclass(frozen=True)
class PermutedCase(HeadCase):
    """One input, its keys `keys` before the query `q`; a head on it, and a number for each token's value.

    `values` goes by distinct token in the order of first occurrence, then the query; what it leaves out is 0.
    """

    keys: Tokens
    factors: Numbers = ()
    values: Numbers = ()

    def require_small(self) -> None:
        if not 1 <= len(self.keys) <= 5 or not all(isinstance(key, str) and key != "q" for key in self.keys):
            raise InputError(f"1 to 5 letters other than q are keys, got {self.keys!r:.60}")
        if len(self.values) > len(self.tokens):
            raise InputError(f"{len(self.values)} values for {len(self.tokens)} different tokens")

    @property
    def instance(self) -> Instance:
        return one_input(self.keys)

    @property
    def tokens(self) -> Tokens:
        """The different tokens, in the order of the row of values."""
        return (*dict.fromkeys(self.keys), "q")

    @cached_property
    def value(self) -> Mapping[Token, Fraction]:
        """The value of each token."""
        padded = (*self.values, *[Fraction(0)] * (len(self.tokens) - len(self.values)))
        return dict(zip(self.tokens, padded, strict=True))

    @property
    def complexity(self) -> tuple[int, ...]:
        first, *rest = super().complexity
        names = sum(ord(str(key)[0]) - ord("a") for key in self.keys)
        return (first + 3 * len(self.keys), *rest, names)

    def _changed(self, counts_only: bool = False) -> Iterator[Self]:
        if not counts_only:
            for place in range(len(self.keys) if len(self.keys) > 1 else 0):
                yield self._without(place)
            yield self._renamed()
            yield from super()._changed()

    def _renamed(self) -> Self:
        """The case with its tokens called a, b, ... in the order of first occurrence."""
        name = dict(zip(dict.fromkeys(self.keys), LETTERS, strict=False))
        return replace(self, keys=tuple(name[key] for key in self.keys))

    def _without(self, place: int) -> Self:
        """The case without one key; later ones move up, with what the table says of their places."""
        blank = replace(self, keys=self.keys[:place] + self.keys[place + 1 :], factors=(), values=())
        scale = Fraction(1, lcm(*(each.denominator for each in self.row)))
        moved = {
            entry._replace(position=entry.position - (entry.position > place)) if entry.position else entry: factor
            for entry, factor in self.table.items()
            if entry.position != place + 1
        }
        kept = blank.with_factors({entry: factor * scale for entry, factor in moved.items()})
        return replace(kept, values=_stripped(tuple(self.value[token] for token in blank.tokens), Fraction(0)))

    def __str__(self) -> str:
        values = ", ".join(f"{token}: {number}" for token, number in self.value.items())
        return f"keys {' '.join(map(str, self.keys))}, query q; {super().__str__()[2:]}; values {values}"


def _together(everything: Sequence[Entry], chosen: set[Entry]) -> Iterator[str]:
    """The chosen entries in words: whole places, whole places of a query, whole contents of a query, single ones."""
    kinds: list[tuple[Callable[[Entry], Any], Callable[[Entry], str]]] = [
        (lambda each: each.position, lambda each: f"each {each.place}"),
        (
            lambda each: each[::2] if each.position else None,
            lambda each: f"{each.asker}, each {each.place}",
        ),
        (lambda each: each[:2] if each.position else None, lambda each: f"{each.asker}, each {each.key}"),
        (lambda each: each, str),
    ]
    left = set(chosen)
    for group, words in kinds:
        members: dict[Any, list[Entry]] = {}
        for each in everything:
            members.setdefault(group(each), []).append(each)
        for name, found in members.items():
            if name is not None and left.issuperset(found):
                left.difference_update(found)
                yield words(found[0])


def _stripped(row: Numbers, usual: Fraction) -> Numbers:
    end = len(row)
    while end and row[end - 1] == usual:
        end -= 1
    return row[:end]


def _simpler_rows(row: Numbers, usual: Fraction) -> Iterator[Numbers]:
    """All entries usual; every entry of one value changed; a single entry changed."""
    if not row:
        return
    yield ()
    for old in dict.fromkeys(each for each in row if each != usual):
        for new in (usual, *simpler_rationals(old)):
            yield tuple(new if each == old else each for each in row)
    for place, old in enumerate(row):
        if old != usual:
            for new in (usual, *simpler_rationals(old)):
                yield (*row[:place], new, *row[place + 1 :])
