"""What an argument must be: integers, letters, tokens, sequences; each refusal names the value.

numpy's integers count as integers and are made Python's; truth values and floats do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from headproof.theory.errors import InputError

NumberToken = str | int
PairToken = tuple[str, str] | tuple[str, int]
Token = NumberToken | PairToken
T = TypeVar("T")

LONG = 100  # bits of an integer that a message does not write out


def require_integer(value: Any, what: str, least: int | None = None) -> int:
    """`value` as an int, numpy's integers among them; InputError for booleans, floats, others, and below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or (least is not None and value < least):
        wanted = "an integer" if least is None else f"an integer, {least} or more"
        raise InputError(f"{what} is {wanted}, got {short(value)}")
    return int(value)


def require_letter(value: Any, what: str) -> str:
    """`value` as a str, numpy's strings among them; InputError for anything else."""
    if not isinstance(value, str):
        raise InputError(f"{what} is a string, got {short(value)}")
    return str(value)


def require_token(value: Any, what: str = "a token") -> Token:
    """`value` as a token of either task, with integers as `require_integer`; InputError for anything else."""
    if isinstance(value, str):
        return str(value)
    if not isinstance(value, bool) and isinstance(value, Integral):
        return int(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        right = value[1]
        if isinstance(right, str):
            return str(value[0]), str(right)
        return str(value[0]), require_integer(right, "the right half of a pair that is no letter")
    raise InputError(f"{what} is a letter, an integer, or a pair of a letter and one of these, got {short(value)}")


def require_sequence(values: Any, what: str = "a sequence of tokens") -> Sequence[Any]:
    """`values` as a sequence; InputError for anything without an order or a length, such as a set or an iterator."""
    if isinstance(values, np.ndarray) and values.ndim:
        return tuple(values)
    if not isinstance(values, Sequence):
        raise InputError(f"{what} is a tuple, a list or another sequence, got {short(values)}")
    return values


def require_distinct(values: Any, what: str, entry: Callable[[Any, str], T]) -> tuple[T, ...]:
    """`values` as a tuple of entries, each as `entry(value, name)` gives it; InputError if none, or if one repeats."""
    found = tuple(entry(value, f"an entry of {what}") for value in require_sequence(values, what))
    if not found:
        raise InputError(f"{what} is empty: {values!r}")
    if len(set(found)) < len(found):
        repeated = next(value for index, value in enumerate(found) if value in found[:index])
        raise InputError(f"{what} repeats {repeated!r}: {found!r:.80}")
    return found


def short(value: Any) -> str:
    """A value for an error message; of a large integer the size alone, for Python refuses to write out some."""
    if isinstance(value, Integral) and int(value).bit_length() > LONG:
        return f"an integer near {'-' if value < 0 else ''}2^{int(value).bit_length() - 1}"
    try:
        return f"{value!r:.60}"
    except ValueError:
        return f"a {type(value).__name__} with very long numbers"
