"""Exact instances on which statements are decided: small enough to write down, lossless in JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import factorial
from typing import Any, Self

import numpy as np

from headproof.theory.errors import InputError
from headproof.theory.parameters import height
from headproof.theory.rational import rational
from headproof.theory.table import LogitTable

# More keys than this are not to be checked by hand, nor within a reasonable time.
MOST_KEYS = 64

Rows = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class TableCase:
    """A table of rational logits, `rows[content][position]`; keys are counted from 1 when it is written out.

    `own` is the logit of the query's own key, where a statement speaks of it. `chosen` is a set of permutations of
    the keys (images counted from 0) that stands in for the whole symmetric group; None is the whole group.
    """

    rows: Rows
    own: Fraction | None = None
    chosen: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        size = len(self.rows)
        if size == 0 or {len(row) for row in self.rows} != {size}:
            raise InputError(f"a case needs a square table, got rows of lengths {[len(row) for row in self.rows]}")
        if size > MOST_KEYS:
            raise InputError(f"a case of {size} keys", f"a case to check by hand has at most {MOST_KEYS}")
        for image in self.chosen or ():
            if sorted(image) != list(range(size)):
                raise InputError(f"{image} is not a permutation of 0..{size - 1}")
        if self.chosen == ():
            raise InputError("an empty set of permutations", "leave it out to mean all of them")

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]], own: Any = None, chosen: Any = None) -> Self:
        """A case from integers, Fractions or strings such as "1/2"."""
        return cls(
            tuple(tuple(rational(value) for value in row) for row in rows),
            None if own is None else rational(own),
            None if chosen is None else tuple(tuple(_key(image) for image in each) for each in chosen),
        )

    @property
    def size(self) -> int:
        """The number of keys."""
        return len(self.rows)

    @cached_property
    def array(self) -> np.ndarray[Any, Any]:
        """The rows as an object array of Fractions, shape (m, m)."""
        return LogitTable.of_rows(self.rows).logits  # type: ignore[no-any-return]

    @property
    def all_permutations(self) -> bool:
        """Whether sums over permutations run over the whole symmetric group, each permutation once."""
        if self.chosen is None:
            return True
        return len(self.chosen) == factorial(self.size) and len(set(self.chosen)) == len(self.chosen)

    @property
    def complexity(self) -> tuple[int, ...]:
        """How much there is to write down; a simpler case has less."""
        extras = (self.own is not None) + (0 if self.chosen is None else len(self.chosen))
        return self.size, extras, sum(height(value) for row in self.rows for value in (*row, self.own or 0))

    def smaller(self) -> Iterator[TableCase]:
        """Simpler cases to try in its place: without a key or an extra, shifted or scaled, a value or entry changed."""
        return (case for case in self._candidates() if case.complexity < self.complexity)

    def _candidates(self) -> Iterator[TableCase]:
        for key in range(self.size if self.size > 1 else 0):
            kept = [k for k in range(self.size) if k != key]
            images = None
            if self.chosen is not None:
                fixed = all(image[key] == key for image in self.chosen)
                still = self.chosen if fixed else (tuple(range(self.size)),)
                images = tuple(tuple(image[k] - (image[k] > key) for k in kept) for image in still)
            yield TableCase(tuple(tuple(self.rows[a][b] for b in kept) for a in kept), self.own, images)
        yield TableCase(self.rows, None, self.chosen)
        yield TableCase(self.rows, self.own, None)
        for place in range(len(self.chosen or ()) if len(self.chosen or ()) > 1 else 0):
            yield TableCase(self.rows, self.own, (self.chosen or ())[:place] + (self.chosen or ())[place + 1 :])
        if self.chosen is not None:
            yield TableCase(self.rows, self.own, (tuple(range(self.size)),))
        values = sorted({value for row in self.rows for value in row})
        for value in values:  # affine changes keep what is additive additive
            yield self._mapped(lambda entry, by=value: entry - by)  # type: ignore[misc]
            if value != 0:
                yield self._mapped(lambda entry, by=value: entry / by)  # type: ignore[misc]
        for old in values:  # one value for another keeps what is constant constant
            for new in map(Fraction, (0, 1, -1, 2)):
                yield self._mapped(lambda entry, old=old, new=new: new if entry == old else entry)  # type: ignore[misc]
        for simple in (Fraction(0), Fraction(1)):
            for a, row in enumerate(self.rows):
                for b in range(self.size):
                    changed = (*row[:b], simple, *row[b + 1 :])
                    yield TableCase((*self.rows[:a], changed, *self.rows[a + 1 :]), self.own, self.chosen)

    def _mapped(self, change: Callable[[Fraction], Fraction]) -> TableCase:
        rows = tuple(tuple(change(entry) for entry in row) for row in self.rows)
        return TableCase(rows, None if self.own is None else change(self.own), self.chosen)

    def to_json(self) -> dict[str, Any]:
        """The table's rows as exact texts, with the own logit and the chosen permutations where there are some."""
        data: dict[str, Any] = {"rows": [[str(value) for value in row] for row in self.rows]}
        if self.own is not None:
            data["own"] = str(self.own)
        if self.chosen is not None:
            data["chosen"] = [list(image) for image in self.chosen]
        return data

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """The table that `to_json` wrote; raises InputError for anything else."""
        rows = _lists(_field(data, "rows", ("rows", "own", "chosen")), 2)
        chosen = data.get("chosen")
        return cls.of(rows, data.get("own"), None if chosen is None else _lists(chosen, 2))

    def __str__(self) -> str:
        text = "M = [" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in self.rows) + "]"
        if self.own is not None:
            text += f", logit of the query's own key {self.own}"
        if self.chosen is not None:
            images = ", ".join("(" + " ".join(str(k + 1) for k in image) + ")" for image in self.chosen)
            text += f", permutations (images of 1..{self.size}) {images}"
        return text


@dataclass(frozen=True)
class RotaryCase:
    """A rotary head's query and keys in exact numbers.

    Plane `f` turns by the angle whose cosine and sine are `turns[f]`, a rational point of the unit circle, so all
    rotated vectors are rational. `query` has shape (planes, 2), `keys` (m, planes, 2); the keys stand at positions
    1..m and the query at n = m + 1. A turn of (1, 0) is the angle 0.
    """

    turns: tuple[tuple[Fraction, Fraction], ...]
    query: tuple[tuple[Fraction, Fraction], ...]
    keys: tuple[tuple[tuple[Fraction, Fraction], ...], ...]

    def __post_init__(self) -> None:
        if len(self.keys) > MOST_KEYS or len(self.turns) > MOST_KEYS:
            raise InputError(
                f"a case of {len(self.keys)} keys and {len(self.turns)} planes", f"at most {MOST_KEYS} each"
            )
        for cosine, sine in self.turns:
            if cosine.denominator > 10**40:
                raise InputError("a turn of more than 40 digits", "its powers are too long to check by hand")
            if cosine * cosine + sine * sine != 1:
                raise InputError(f"turn ({cosine}, {sine}) is not on the unit circle")
        if {len(self.query), *map(len, self.keys)} != {len(self.turns)} or not self.keys:
            raise InputError(f"a rotary case needs keys, and {len(self.turns)} planes in the query and in each key")

    @classmethod
    def of(cls, turns: Any, query: Any, keys: Any) -> Self:
        """A case from nested sequences of integers, Fractions or strings."""
        return cls(_pairs(turns), _pairs(query), tuple(_pairs(key) for key in keys))

    @cached_property
    def table(self) -> TableCase:
        """`M[a, b] = sum_f (R_b k_a)_f . (R_n q)_f` for the keys before the query (claim sheet, Setting)."""
        size = len(self.keys)
        columns = []
        for position in range(1, size + 1):
            turned = [
                _turn(plane, _power(turn, size + 1 - position))
                for plane, turn in zip(self.query, self.turns, strict=True)
            ]
            columns.append([_dot(key, turned) for key in self.keys])
        return TableCase(tuple(zip(*columns, strict=True)))

    @property
    def complexity(self) -> tuple[int, ...]:
        """How much there is to write down; a simpler case has less."""
        vectors = [*self.turns, *self.query, *(vector for key in self.keys for vector in key)]
        return len(self.keys), len(self.turns), sum(height(x) + height(y) for x, y in vectors)

    def smaller(self) -> Iterator[RotaryCase]:
        """Simpler cases to try in its place: without a key or a plane, or with a vector or turn changed everywhere."""
        return (case for case in self._candidates() if case.complexity < self.complexity)

    def _candidates(self) -> Iterator[RotaryCase]:
        for place in range(len(self.keys) if len(self.keys) > 1 else 0):
            yield RotaryCase(self.turns, self.query, self.keys[:place] + self.keys[place + 1 :])
        for f in range(len(self.turns) if len(self.turns) > 1 else 0):
            cut = [vectors[:f] + vectors[f + 1 :] for vectors in (self.turns, self.query, *self.keys)]
            yield RotaryCase(cut[0], cut[1], tuple(cut[2:]))
        zero, one, right = (_pairs([each])[0] for each in ((0, 0), (1, 0), (0, 1)))
        for f in range(len(self.turns)):
            for turn in (one, right):
                yield RotaryCase((*self.turns[:f], turn, *self.turns[f + 1 :]), self.query, self.keys)
            for vector in {self.query[f], *(key[f] for key in self.keys)}:
                for simple in (zero, one, right):
                    yield self._replaced(f, vector, simple)

    def _replaced(self, plane: int, vector: Any, simple: Any) -> RotaryCase:
        def change(vectors: Any) -> Any:
            new = simple if vectors[plane] == vector else vectors[plane]
            return (*vectors[:plane], new, *vectors[plane + 1 :])

        return RotaryCase(self.turns, change(self.query), tuple(change(key) for key in self.keys))

    def to_json(self) -> dict[str, Any]:
        """Turns, query and keys, plane by plane, as exact texts."""

        def text(pairs: Any) -> list[list[str]]:
            return [[str(x), str(y)] for x, y in pairs]

        return {"turns": text(self.turns), "query": text(self.query), "keys": [text(key) for key in self.keys]}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """The head and keys that `to_json` wrote; raises InputError for anything else."""
        fields = ("turns", "query", "keys")
        turns, query, keys = (_lists(_field(data, name, fields), 3 if name == "keys" else 2) for name in fields)
        return cls.of(turns, query, keys)

    def __str__(self) -> str:
        def text(pairs: Any) -> str:
            return " + ".join(f"({x}, {y})" for x, y in pairs)

        return (
            f"turns {text(self.turns)}, query {text(self.query)} at position {len(self.keys) + 1}, keys "
            f"{', '.join(text(key) for key in self.keys)}; so {self.table}"
        )


def _field(data: Mapping[str, Any], name: str, fields: tuple[str, ...]) -> Any:
    if not isinstance(data, Mapping) or name not in data:
        raise InputError(f"a case without {name!r}: {data!r:.80}")
    if extra := sorted(set(data) - set(fields)):
        raise InputError(f"a case with an unknown field {extra[0]!r:.40}", f"it has {', '.join(fields)}")
    return data[name]


def _lists(value: Any, depth: int) -> Any:
    """The value if it is lists of lists, so deep, and not something else that can be iterated over."""
    if depth == 0:
        return value
    if not isinstance(value, list | tuple):
        raise InputError(f"a case is made of lists, got {value!r:.40}")
    return [_lists(each, depth - 1) for each in value]


def _key(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"a permutation maps keys to keys, got {value!r:.40}")
    return value


def _pairs(values: Any) -> tuple[tuple[Fraction, Fraction], ...]:
    return tuple((rational(x), rational(y)) for x, y in values)


def _power(turn: tuple[Fraction, Fraction], exponent: int) -> tuple[Fraction, Fraction]:
    cosine, sine = Fraction(1), Fraction(0)
    for _ in range(exponent):
        cosine, sine = cosine * turn[0] - sine * turn[1], cosine * turn[1] + sine * turn[0]
    return cosine, sine


def _turn(vector: tuple[Fraction, Fraction], turn: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    return vector[0] * turn[0] - vector[1] * turn[1], vector[0] * turn[1] + vector[1] * turn[0]


def _dot(left: Any, right: Any) -> Fraction:
    return sum((a * c + b * d for (a, b), (c, d) in zip(left, right, strict=True)), Fraction(0))
