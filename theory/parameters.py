"""Cases given by named parameters: counts, rationals, angles and token sequences, exact, writable and shrinkable.

A statement about a construction is decided at a choice of its parameters. A subclass of `ParameterCase` is a frozen
dataclass whose fields are `int`, `Fraction`, `Angle`, `str`, `Tokens` (letters, integers, pairs) or `Numbers` (a row
of rationals); `validate` refuses values that mean nothing. Reading, writing and shrinking are the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from typing import Any, Self, get_type_hints

from headproof.theory.angles import Angle
from headproof.theory.errors import InputError
from headproof.theory.inputs import Token
from headproof.theory.rational import rational

Tokens = tuple[Token, ...]
Numbers = tuple[Fraction, ...]

# Nothing larger can be checked by hand, nor within a reasonable time.
LARGEST_COUNT = 10**6
SIMPLE_ANGLES = tuple(
    map(Angle.parse, ("0", "pi", "1/2 pi", "1", "2/3 pi", "2/5 pi", "1/2", "1/3 pi", "2", "3", "2 pi"))
)


@dataclass(frozen=True)
class ParameterCase:
    """The base of such cases; see the module's text."""

    def __post_init__(self) -> None:
        for name, kind in _kinds(type(self)).items():
            value = getattr(self, name)
            if not _KINDS[kind].is_one(value):
                raise InputError(f"{name} is {_KINDS[kind].what}, got {value!r:.60}")
        self.validate()

    def validate(self) -> None:
        """Raise InputError, naming the value, where the parameters describe nothing."""

    def to_json(self) -> dict[str, Any]:
        """The parameters by name, exact numbers as text."""
        return {name: _KINDS[kind].encode(getattr(self, name)) for name, kind in _kinds(type(self)).items()}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """The case that `to_json` wrote; raises InputError for anything else."""
        kinds = _kinds(cls)
        if not isinstance(data, Mapping) or set(data) != set(kinds):
            raise InputError(f"a case has the parameters {', '.join(kinds)}, got {data!r:.80}")
        return cls(**{name: _KINDS[kind].decode(data[name]) for name, kind in kinds.items()})

    def __str__(self) -> str:
        return ", ".join(
            f"{name} = {_KINDS[kind].show(getattr(self, name))}" for name, kind in _kinds(type(self)).items()
        )

    @property
    def complexity(self) -> tuple[int, ...]:
        """How much there is to write down: counts and sequence lengths first, then what numbers take."""
        kinds = _kinds(type(self))
        sizes = [getattr(self, name) for name, kind in kinds.items() if kind is int]
        lengths = [len(getattr(self, name)) for name, kind in kinds.items() if kind in (Tokens, Numbers)]
        heights = [_KINDS[kind].height(getattr(self, name)) for name, kind in kinds.items()]
        return (sum(map(abs, sizes)) + sum(lengths), sum(heights))

    def smaller(self) -> Iterator[Self]:
        """Simpler cases to try in its place, one or two parameters changed."""
        own = self.complexity
        for changed in self._changed():
            if changed.complexity < own:
                yield changed
        for once in self._changed():  # parameters that only make sense together, such as a length and a place
            for twice in once._changed(counts_only=True):
                if twice.complexity < own:
                    yield twice

    def _changed(self, counts_only: bool = False) -> Iterator[Self]:
        for name, kind in _kinds(type(self)).items():
            if counts_only and kind is not int:
                continue
            for value in _KINDS[kind].candidates(getattr(self, name)):
                try:
                    yield replace(self, **{name: value})
                except InputError:
                    continue


def _kinds(case_type: Any) -> Mapping[str, Any]:
    return _cached_kinds(case_type)


@cache
def _cached_kinds(case_type: Any) -> Mapping[str, Any]:
    hints = get_type_hints(case_type)
    return {each.name: hints[each.name] for each in fields(case_type)}


class _Count:
    what = f"an integer of at most {LARGEST_COUNT}"

    def is_one(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_COUNT

    def encode(self, value: int) -> Any:
        return value

    decode = show = encode

    def height(self, value: int) -> int:
        return 0

    def candidates(self, value: int) -> list[int]:
        return sorted({0, 1, 2, 3, value // 2, value - 2, value - 1} - {value})


class _Rational:
    what = "an exact rational"

    def is_one(self, value: Any) -> bool:
        return isinstance(value, Fraction)

    def encode(self, value: Fraction) -> Any:
        return str(value)

    show = encode

    def decode(self, data: Any) -> Fraction:
        return rational(data)

    def height(self, value: Fraction) -> int:
        return height(value)

    def candidates(self, value: Fraction) -> list[Fraction]:
        return simpler_rationals(value)


class _Angle:
    what = "an exact angle"

    def encode(self, value: Angle) -> Any:
        return str(value)

    show = encode

    def is_one(self, value: Any) -> bool:
        return isinstance(value, Angle)

    def decode(self, data: Any) -> Angle:
        return Angle.parse(data)

    def height(self, value: Angle) -> int:
        return 2 * height(value.turns) + 3 * height(value.radians)

    def candidates(self, value: Angle) -> list[Angle]:
        parts = [Angle(turns, value.radians) for turns in simpler_rationals(value.turns)]
        parts += [Angle(value.turns, radians) for radians in simpler_rationals(value.radians)]
        return sorted([*SIMPLE_ANGLES, *parts], key=self.height)


class _Text:
    what = "a word"

    def is_one(self, value: Any) -> bool:
        return isinstance(value, str)

    def encode(self, value: str) -> Any:
        return value

    show = encode

    def decode(self, data: Any) -> Any:
        return data

    def height(self, value: str) -> int:
        return len(value)

    def candidates(self, value: str) -> list[str]:
        return []


class _Numbers:
    what = "a row of exact rationals"

    def is_one(self, value: Any) -> bool:
        return isinstance(value, tuple) and all(isinstance(each, Fraction) for each in value)

    def encode(self, value: Numbers) -> Any:
        return [str(each) for each in value]

    def decode(self, data: Any) -> Any:
        if not isinstance(data, list | tuple):
            raise InputError(f"a row of numbers is a list, got {data!r:.40}")
        return tuple(rational(each) for each in data)

    def show(self, value: Numbers) -> str:
        return f"({', '.join(map(str, value))})"

    def height(self, value: Numbers) -> int:
        return sum(map(height, value))

    def candidates(self, value: Numbers) -> list[Numbers]:
        cut = [value[:place] + value[place + 1 :] for place in range(len(value))]
        changed = [
            (*value[:place], simple, *value[place + 1 :])
            for place, each in enumerate(value)
            for simple in simpler_rationals(each)
        ]
        return cut + changed


class _Tokens:
    what = "a sequence of letters, integers and pairs"

    def is_one(self, value: Any) -> bool:
        return isinstance(value, tuple) and all(_is_token(each) for each in value)

    def encode(self, value: Tokens) -> Any:
        return [list(each) if isinstance(each, tuple) else each for each in value]

    def decode(self, data: Any) -> Any:
        if not isinstance(data, list | tuple):
            raise InputError(f"tokens are a list, got {data!r:.40}")
        return tuple(tuple(each) if isinstance(each, list) else each for each in data)

    def show(self, value: Tokens) -> str:
        return " ".join(f"({each[0]},{each[1]})" if isinstance(each, tuple) else str(each) for each in value)

    def height(self, value: Tokens) -> int:
        return sum(_token_height(each) for each in value)

    def candidates(self, value: Tokens) -> list[Tokens]:
        cut = [value[:place] + value[place + 1 :] for place in range(len(value))]
        renamed = [
            tuple(_replaced(each, old, new) for each in value)
            for old in _names(value)
            for new in ("a", "b", "c", "d", 1, 2, 3)
            if type(old) is type(new) and _name_height(new) < _name_height(old)
        ]
        return cut + renamed


_KINDS: Mapping[Any, Any] = {
    int: _Count(),
    Fraction: _Rational(),
    Angle: _Angle(),
    str: _Text(),
    Tokens: _Tokens(),
    Numbers: _Numbers(),
}


def height(value: Fraction | int) -> int:
    """Digits' worth of a number: 0 for 0, 1 for 1, more for what is longer or negative."""
    return abs(value.numerator) + (value.denominator - 1) + (value.numerator < 0)


def simpler_rationals(value: Fraction) -> list[Fraction]:
    """Simpler numbers to try in place of one, the simplest first."""
    rounded = [value.limit_denominator(largest) for largest in (1, 2, 3, 5, 8, 16)]
    found = {*rounded, *map(Fraction, (0, 1, 2)), Fraction(1, 2), -value}
    return sorted((each for each in found if height(each) < height(value)), key=height)


def _is_token(value: Any) -> bool:
    if isinstance(value, tuple):
        return len(value) == 2 and isinstance(value[0], str) and _is_token(value[1]) and not isinstance(value[1], tuple)
    return isinstance(value, str | int) and not isinstance(value, bool)


def _names(tokens: Tokens) -> list[Any]:
    flat = [part for each in tokens for part in (each if isinstance(each, tuple) else (each,))]
    return list(dict.fromkeys(flat))


def _replaced(token: Any, old: Any, new: Any) -> Any:
    if isinstance(token, tuple):
        return tuple(new if part == old else part for part in token)
    return new if token == old else token


def _name_height(name: Any) -> int:
    return abs(name) if isinstance(name, int) else sum(map(ord, name))


def _token_height(token: Any) -> int:
    return sum(map(_name_height, token)) if isinstance(token, tuple) else _name_height(token)
