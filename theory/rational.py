"""Exact rationals as text: the one format in which they enter and leave, short and without exponents."""

from __future__ import annotations

import re
from fractions import Fraction
from numbers import Rational
from typing import Any

from headproof.theory.errors import InputError

# No exponents and no endless digits: "1e300000000" would take all memory.
_TEXT = re.compile(r"[+-]?\d{1,2000}(?:/\d{1,2000}|\.\d{1,2000})?")
REMEDY = "write it as '3' or '-2/5'"


def rational(value: Any) -> Fraction:
    """An exact rational from an integer, a Fraction or a string such as "-2/5".

    Raises InputError for everything else, floats and truth values included.
    """
    if isinstance(value, str):
        if not _TEXT.fullmatch(value):
            raise InputError(f"not a rational number: {value!r:.60}", REMEDY)
        try:
            return Fraction(value)
        except ZeroDivisionError as error:
            raise InputError(f"not a rational number: {value!r:.60}", REMEDY) from error
    if not isinstance(value, bool) and isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    raise InputError(f"not an exact rational: {value!r:.60}", REMEDY)
