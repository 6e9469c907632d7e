"""Balls of real numbers (python-flint's `arb`), and answers that say "undecided" where a ball does not tell.

Arithmetic on balls rounds outward, so what is certain for a ball is certain for every number in it. A comparison of
balls is False both where it fails and where it is open; only `decided` makes one, and it asks for the negation too.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import arb, fmpq

from headproof.theory.angles import precision
from headproof.theory.errors import InputError

Answer = bool | None


# -- answers -------------------------------------------------------------------------------------------------------


def decided(value: arb, strict: bool = True) -> Answer:
    """Whether `value > 0` (`>= 0` if not strict): True if so for every number in the ball, False if for none.

    None where the ball holds numbers of both kinds, or is not a number. Raises InputError for anything but a ball.
    """
    if not isinstance(value, arb):
        raise InputError(f"decided() of {value!r:.60}, a {type(value).__name__}", "pass a ball (flint.arb)")
    if value > 0 if strict else value >= 0:
        return True
    if value <= 0 if strict else value < 0:
        return False
    return None


def every(answers: Iterable[Answer]) -> Answer:
    """The conjunction: False if any is, else None if any is; a generator is asked no further than the first False."""
    total: Answer = True
    for answer in answers:
        if checked(answer) is False:
            return False
        if answer is None:
            total = None
    return total


def some(answers: Iterable[Answer]) -> Answer:
    """The disjunction: True if any is, else None if any is; a generator is asked no further than the first True."""
    return negated(every(negated(answer) for answer in answers))


def negated(answer: Answer) -> Answer:
    """The negation; None stays None."""
    return None if checked(answer) is None else not answer


def checked(answer: Answer) -> Answer:
    """The same answer; raises InputError unless it is True, False or None itself (NumPy's truth values are none)."""
    if answer is True or answer is False or answer is None:
        return answer
    raise InputError(f"a predicate answered {answer!r:.40}", "True, False or None, as decided() gives it")


# -- balls ---------------------------------------------------------------------------------------------------------


def ball(lower: Fraction, upper: Fraction, bits: int) -> arb:
    """A ball that contains [lower, upper], its midpoint rounded to so many bits and the error added to its radius.

    Raises InputError if lower > upper.
    """
    if lower > upper:
        raise InputError(f"no interval: [{lower}, {upper}]", "the lower end comes first")
    with precision(bits):
        return enclosing(exact(lower), exact(upper))


def enclosing(lower: fmpq, upper: fmpq) -> arb:
    """A ball that contains [lower, upper], at the working precision."""
    return arb((lower + upper) / 2, (upper - lower) / 2)


def exact(value: Fraction) -> fmpq:
    """The same rational number for flint."""
    return fmpq(value.numerator, value.denominator)


def fraction(value: fmpq) -> Fraction:
    """The same rational number for Python."""
    return Fraction(int(value.p), int(value.q))
