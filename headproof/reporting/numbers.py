"""Measured numbers as a reader wants them: rounded, with their interval on one line, with a unit where it is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

DIGITS = 4
LOW, HIGH = "2.5 %", "97.5 %"
# Units by the label's beginning; a share in per cent says so itself.
UNITS = {
    r"% ": "%",
    r"(turning wavelength|training length|tokens beyond|(least|largest) reach\b)": "tokens",
    r"latest step": "steps",
    r"nll ": "nats/token",
    r"(median frequency of the plane|largest (mean|median|index|top) angle)": "rad/token",
}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Row:
    """One number under its label. `low` and `high` are its 95 per cent interval; empty where a record has none."""

    label: str
    value: str
    low: str = ""
    high: str = ""
    unit: str = ""


def number_text(value: float) -> str:
    """A number to four significant digits; whole numbers in full.

    >>> [number_text(each) for each in (0.45227, 30.0, 120000, 1463.41, 9.14e-06, -0.5)]
    ['0.4523', '30', '120,000', '1463', '9.14 × 10⁻⁶', '−0.5']
    """
    if value == round(value) and abs(value) < 1e15:
        text = f"{round(value):,}"
    else:
        text = f"{value:.{DIGITS}g}"
        if "e" in text:
            mantissa, exponent = text.split("e")
            text = f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def ratio_text(ratio: str) -> str:
    """A ratio as the ledger has it, with its decimal value where it is no whole number; a rounded one by that alone.

    >>> ratio_text("1"), ratio_text("49152/49153"), ratio_text("999197067539/1000000000000")
    ('1', '49152/49153 (0.99998)', 'about 0.9992')
    """
    value = Fraction(ratio)
    if value.denominator >= 10**6 and 10**12 % value.denominator == 0:  # irrational: it was rounded to decimals
        return f"about {float(value):.5g}"
    return ratio if value.denominator == 1 else f"{ratio} ({float(value):.5g})"


def rows(numbers: Mapping[str, Mapping[str, Any]], summary: str) -> tuple[Row, ...]:
    """The numbers of a finding, an interval beside its number; in the order in which the summary names them."""
    order = sorted(numbers, key=lambda label: (summary.find(label) < 0, summary.find(label), label))
    ends = {end for label in order if (both := _interval(label, numbers)) for end in both[1:]}
    intervals = {both[0]: both[1:] for label in order if (both := _interval(label, numbers))}
    made: dict[str, Row] = {}
    for label in order:
        if label not in ends:
            made[label] = _row(label, number_text(numbers[label]["value"]), intervals.get(label), numbers)
        else:  # an interval whose middle is not among the numbers
            both = _interval(label, numbers)
            if both is not None and both[0] not in numbers:
                made.setdefault(both[0], _row(both[0], "", both[1:], numbers))
    return tuple(made.values())


def only_lists(summary: str, numbers: Mapping[str, Any]) -> bool:
    """Whether a summary says no more than the numbers themselves, label by label."""
    return bool(numbers) and all(label in summary for label in numbers)


def _row(label: str, value: str, ends: tuple[str, ...] | None, numbers: Mapping[str, Mapping[str, Any]]) -> Row:
    low, high = (number_text(numbers[end]["value"]) for end in ends) if ends else ("", "")
    unit = next((unit for start, unit in UNITS.items() if re.match(start, label)), "")
    return Row(label, value, low, high, unit)


def _interval(label: str, numbers: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """(what it is the interval of, label of the lower end, label of the upper end) if `label` is such an end."""
    parts = label.split(", ")
    for index, part in enumerate(parts):
        if part in (LOW, HIGH):
            low, high = (", ".join([*parts[:index], end, *parts[index + 1 :]]) for end in (LOW, HIGH))
            if low in numbers and high in numbers:
                return ", ".join([*parts[:index], *parts[index + 1 :]]), low, high
    return None
