"""What one-layer heads over a set of rotary angles can answer on Index, whatever their widths (dec.toy).

An input has `keys` symbols at the places 1, 2, ..., a query after them names the target's place. A logit of a head
knows how far a key is from the query by that distance times each angle, up to full turns. So two places *alias* if
their distance times every angle is a whole number of turns: exchanging what stands there changes no output.

The distances that alias are the multiples of one of them, the period of the set: with t and u, t - u aliases as well.
So the classes of aliased places are the places equal modulo the period.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import factorial, isfinite, pi

import numpy as np
from flint import fmpq, fmpq_poly

from headproof.theory.angles import Angle
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

Classes = tuple[tuple[int, ...], ...]


def period(angles: Sequence[Angle], up_to: int) -> int | None:
    """The least distance `1 <= t <= up_to` for which every `t theta` is a whole number of turns; None if there is none.

    Without angles every distance is one. O(up_to * len(angles)).

    >>> period([Angle.parse("2/3 pi"), Angle.parse("pi")], 31)
    6
    """
    distances = range(1, up_to + 1)
    return next((t for t in distances if all((angle * t).is_multiple_of_full_turn for angle in angles)), None)


def alias_classes(angles: Sequence[Angle], keys: int) -> Classes:
    """The classes of places 1 to `keys` that no head over these angles tells apart, each in ascending order.

    Raises InputError unless there is a key. O(keys * len(angles)).

    >>> alias_classes([Angle.parse("2/3 pi")], 5)
    ((1, 4), (2, 5), (3,))
    """
    keys = require_integer(keys, "keys", 1)
    return places_modulo(period(angles, keys - 1) or keys, keys)


def places_modulo(step: int, keys: int) -> Classes:
    """The places 1 to `keys` by their rest modulo `step`."""
    return tuple(tuple(range(first, keys + 1, step)) for first in range(1, min(step, keys) + 1))


@lru_cache(maxsize=1 << 12)
def mean_largest_multiplicity(letters: int, symbols: int) -> Fraction:
    """The mean of how often the most frequent symbol occurs among `letters` iid uniform letters out of `symbols`.

    It is the sum over r >= 0 of the probability that some symbol occurs more than r times. That none does has the
    probability `letters! / symbols^letters` times the coefficient of `x^letters` in `(sum_{i <= r} x^i / i!)^symbols`.

    >>> mean_largest_multiplicity(2, 2)
    Fraction(3, 2)
    """
    total = Fraction(letters)
    for most in range(letters):
        power = fmpq_poly([fmpq(1, factorial(i)) for i in range(most + 1)]).pow_trunc(symbols, letters + 1)
        found = power[letters]
        total -= Fraction(int(found.p), int(found.q)) * factorial(letters) / symbols**letters
    return total


def ceiling(angles: Sequence[Angle], keys: int, symbols: int) -> Fraction:
    """The largest share of Index inputs that any head over these angles answers rightly (dec.toy.index.ceiling).

    The `keys` symbols are iid uniform over `symbols` letters, the target is uniform over the places. Exact: one
    `keys`-th of the sum over classes of aliased places of `mean_largest_multiplicity`; 1 where no two places alias.
    Raises InputError unless there is a key and a symbol.

    >>> ceiling([Angle.parse("0")], 2, 2)
    Fraction(3, 4)
    """
    symbols = require_integer(symbols, "symbols", 1)
    return share_of(alias_classes(angles, keys), symbols)


def share_of(classes: Classes, symbols: int) -> Fraction:
    """The same for classes of places that are given."""
    sizes = [len(each) for each in classes]
    return sum((mean_largest_multiplicity(size, symbols) for size in sizes), Fraction(0)) / sum(sizes)


def nearest_repeat(angles: Sequence[float], up_to: int) -> tuple[float, int]:
    """How nearly the set repeats within `up_to` places: the distance in radians, and the number of places t.

    The least over `1 <= t <= up_to` of the largest distance over the angles (radians) of `t angle` to a multiple of
    2 pi, and the first t that reaches it, up to what floats round. Raises InputError for no or infinite angles, or
    `up_to` below 1. The exact question, whether it is 0, is that of `period`.

    >>> nearest_repeat([0.0], 31)
    (0.0, 1)
    """
    up_to = require_integer(up_to, "up_to", 1)
    if not len(angles) or not all(map(isfinite, angles)):
        raise InputError(f"angles {angles!r:.60}", "give one or more finite numbers of radians")
    turned = np.outer(np.arange(1, up_to + 1), np.asarray(angles, dtype=np.float64))
    distances = np.abs(turned - 2 * pi * np.rint(turned / (2 * pi))).max(axis=1)
    # A product, a quotient and a multiple of 2 pi are rounded, and so is 2 pi: four half units in the last place.
    rounding = 2 * np.finfo(np.float64).eps * float(np.abs(turned).max())
    first = int(np.flatnonzero(distances <= distances.min() + rounding)[0])
    return float(distances[first]), first + 1
