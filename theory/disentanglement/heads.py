"""What the table of a rotary head is made of, exactly: the keys' scatter and that of the turning directions."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from headproof.theory.cases import RotaryCase
from headproof.theory.disentanglement.cases import Vector, cross, minus, square, turned


def resultant_square(cosine_sine: Vector, positions: int, size: int) -> Fraction:
    """`D^2 = sin(m theta / 2)^2 / (m sin(theta / 2))^2` for m = `size`, 1 at whole turns; `positions` is another m that
    a near miss has."""
    cosine, _ = cosine_sine
    if cosine == 1:
        return Fraction(1)
    return (1 - power(cosine_sine, positions)[0]) / (size * size * (1 - cosine))


def power(by: Vector, times: int) -> Vector:
    """The turn `by = (cos, sin)`, made so many times, as (cos, sin)."""
    found = Fraction(1), Fraction(0)
    for _ in range(times):
        found = turned(found, by)
    return found


def scatters(case: RotaryCase) -> list[Fraction]:
    """`sigma_f^2`, the mean squared distance of the keys' plane f from its mean, for each plane."""
    size = len(case.keys)
    found = []
    for vectors in zip(*case.keys, strict=True):
        mean = sum((x for x, _ in vectors), Fraction(0)) / size, sum((y for _, y in vectors), Fraction(0)) / size
        found.append(sum((square(minus(vector, mean)) for vector in vectors), Fraction(0)) / size)
    return found


def axes(by: Vector, size: int, step: int = 0) -> Vector:
    """Mean squares of the directions' deviations along and across the middle one, for |q| = 1."""
    cosines = [power(by, abs(2 * b - size - step - 1))[0] for b in range(1, size + step + 1)]  # cos is even
    cosine = sum(cosines, Fraction(0)) / (size + step)
    return (1 + cosine) / 2 - resultant_square(by, size, size), (1 - cosine) / 2


def directions(case: RotaryCase) -> list[Vector]:
    """The query of the first plane turned by the angle of each distance, as the keys at each position meet it."""
    size = len(case.keys)
    by, query = case.turns[0], case.query[0]
    return [turned(query, power(by, size + 1 - b)) for b in range(1, size + 1)]


def axis(case: RotaryCase) -> Vector:
    """A vector along the axis of the larger scatter, in the smallest whole numbers. The sum of the first and the last
    direction is along the middle one, and their difference across it."""
    along, across = axes(case.turns[0], len(case.keys))
    found = directions(case)
    first, last = found[0], found[-1]
    middle = first[0] + last[0], first[1] + last[1]
    if not any(middle):
        difference = minus(first, last)
        middle = -difference[1], difference[0]
    x, y = middle if along >= across else (-middle[1], middle[0])
    whole = lcm(x.denominator, y.denominator)
    shared = gcd(int(x * whole), int(y * whole)) or 1
    return x * whole / shared, y * whole / shared


def is_along_axis(case: RotaryCase) -> bool:
    """Whether the keys of the first plane differ along that axis alone."""
    vectors = [key[0] for key in case.keys]
    return all(cross(axis(case), minus(vector, vectors[0])) == 0 for vector in vectors)


def along_axis(case: RotaryCase) -> RotaryCase:
    """The same head with its keys moved along one axis, by 0, 1, 4, 9, ..."""
    x, y = axis(case)
    return RotaryCase.of(case.turns, case.query, [[(x * a * a, y * a * a)] for a in range(len(case.keys))])
