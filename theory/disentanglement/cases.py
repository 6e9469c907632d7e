"""Exact cases of statements about the interaction of rotary planes: rational vectors, and polar ones.

Rational half turns keep a plane's logit rational at every whole distance; lengths are then square roots of rationals
(`theory.disentanglement.roots`). Polar planes have rational lengths and angles that are rational multiples of pi; their
logits are sums of cosines, compared exactly by `theory.cosine_sums`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from headproof.theory.angles import Angle
from headproof.theory.cosine_sums import Sum
from headproof.theory.errors import InputError
from headproof.theory.parameters import Numbers, ParameterCase

Vector = tuple[Fraction, Fraction]
MOST = 64
STILL = Angle(Fraction(0))


def turn(tangent: Fraction, times: int) -> Vector:
    """Cosine and sine of `times` half turns, `tangent` the tangent of a quarter of the plane's angle."""
    square = tangent * tangent
    cosine, sine = (1 - square) / (1 + square), 2 * tangent / (1 + square)
    found = Fraction(1), Fraction(0)
    for _ in range(abs(times)):
        found = found[0] * cosine - found[1] * sine, found[0] * sine + found[1] * cosine
    return found if times >= 0 else (found[0], -found[1])


def turned(vector: Vector, by: Vector) -> Vector:
    """The vector turned by the angle of that cosine and sine."""
    return vector[0] * by[0] - vector[1] * by[1], vector[0] * by[1] + vector[1] * by[0]


def dot(one: Vector, other: Vector) -> Fraction:
    """The inner product."""
    return one[0] * other[0] + one[1] * other[1]


def cross(one: Vector, other: Vector) -> Fraction:
    """The determinant: the inner product with the other vector turned back by a quarter of a circle."""
    return one[0] * other[1] - one[1] * other[0]


def minus(one: Vector, other: Vector) -> Vector:
    """The difference."""
    return one[0] - other[0], one[1] - other[1]


def square(vector: Vector) -> Fraction:
    """The squared length."""
    return dot(vector, vector)


@dataclass(frozen=True)
class _PlanesCase(ParameterCase):
    """Rows of numbers, a plane a place, and two distances; simpler cases leave out whole planes."""

    def _require(self, distances: tuple[int, ...]) -> None:
        lengths = [len(row) for row in self._rows().values()]
        if len(set(lengths)) > 1 or lengths[0] < 1:
            raise InputError(f"rows of {lengths} numbers", "give one for each plane, in rows of one length")
        if bad := [each for each in distances if not 0 <= each <= MOST]:
            raise InputError(f"a distance of {bad[0]}", f"distances run from 0 to {MOST}")

    def _rows(self) -> dict[str, Numbers]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, tuple)}

    def _changed(self, counts_only: bool = False) -> Iterator[Self]:
        rows = self._rows()
        for place in range(len(next(iter(rows.values())))):
            cut: dict[str, Any] = {name: (*row[:place], *row[place + 1 :]) for name, row in rows.items()}
            try:
                yield replace(self, **cut)
            except InputError:
                continue
        yield from super()._changed(counts_only)


@dataclass(frozen=True)
class InteractionCase(_PlanesCase):
    """A query and two keys, plane by plane, and two distances.

    Plane f turns by `theta_f = 4 arctan(tangents[f])` a step, so that the cosine and sine of half of it are rational:
    the angles whose quarter has a rational tangent. They are dense among all angles.
    """

    tangents: Numbers
    query_x: Numbers
    query_y: Numbers
    key_x: Numbers
    key_y: Numbers
    other_x: Numbers
    other_y: Numbers
    distance: int
    other_distance: int

    def validate(self) -> None:
        self._require((self.distance, self.other_distance))

    @cached_property
    def vectors(self) -> tuple[tuple[Vector, Vector, Vector], ...]:
        """Query, key and other key of each plane."""
        pairs = ((self.query_x, self.query_y), (self.key_x, self.key_y), (self.other_x, self.other_y))
        return tuple(zip(*(zip(*pair, strict=True) for pair in pairs), strict=True))

    def _double(self, product: Any) -> tuple[Fraction, ...]:
        """The double difference of `product(q_f, R(theta_f d) k_f)`, plane by plane, from its four terms."""
        found = []
        for tangent, (query, key, other) in zip(self.tangents, self.vectors, strict=True):
            here, there = (turn(tangent, 2 * each) for each in (self.distance, self.other_distance))
            terms = [product(query, turned(k, by)) for by in (here, there) for k in (key, other)]
            found.append(terms[0] - terms[1] - terms[2] + terms[3])
        return tuple(found)

    @cached_property
    def interactions(self) -> tuple[Fraction, ...]:
        """Each plane's part of the interaction."""
        return self._double(dot)

    @cached_property
    def across(self) -> tuple[Fraction, ...]:
        """The double difference of the cross product `q_f x R(theta_f d) k_f`, plane by plane: what is missed."""
        return self._double(cross)

    @property
    def interaction(self) -> Fraction:
        """`W(q, k, d) - W(q, k0, d) - W(q, k, d0) + W(q, k0, d0)`."""
        return sum(self.interactions, Fraction(0))

    def half_sines(self, times: int = 1) -> tuple[Fraction, ...]:
        """`sin(times theta_f (d - d0) / 2)` of each plane."""
        return tuple(turn(tangent, times * (self.distance - self.other_distance))[1] for tangent in self.tangents)

    @property
    def bound_squares(self) -> tuple[Fraction, ...]:
        """`(2 |q_f| |k_f - k0_f| sin(theta_f (d - d0) / 2))^2` of each plane."""
        return tuple(
            4 * square(query) * square(minus(key, other)) * sine**2
            for (query, key, other), sine in zip(self.vectors, self.half_sines(), strict=True)
        )

    def with_differences(self, differences: tuple[Vector, ...]) -> InteractionCase:
        """The same but for the key, which differs from the other key by these vectors."""
        keys = [(x + v[0], y + v[1]) for x, y, v in zip(self.other_x, self.other_y, differences, strict=True)]
        xs, ys = (tuple(each) for each in zip(*keys, strict=True))
        return replace(self, key_x=xs, key_y=ys)

    @property
    def steepest(self) -> tuple[Vector, ...]:
        """`R(theta_f d)^T q_f - R(theta_f d0)^T q_f`: the interaction is its inner product with `k_f - k0_f`."""
        found = []
        for tangent, (query, _, _) in zip(self.tangents, self.vectors, strict=True):
            here, there = (turn(tangent, -2 * each) for each in (self.distance, self.other_distance))
            found.append(minus(turned(query, here), turned(query, there)))
        return tuple(found)


@dataclass(frozen=True)
class PolarCase(_PlanesCase):
    """Planes in polar form, and two distances: `turns` are theta_f in units of pi, not negative.

    `queries` are the lengths `|q_f|`, `keys` the lengths `|k_f - k0_f|` and `phases` the angles from the one to the
    other in units of pi; so `W(q, k, d) - W(q, k0, d) = sum_f |q_f| |k_f - k0_f| cos(theta_f d + phase_f)`. A plane
    marked 1 in `quiet` is meant to have keys that vary by at most `eps`, any other to turn by at most `eta` between
    the two distances.
    """

    turns: Numbers
    phases: Numbers
    queries: Numbers
    keys: Numbers
    quiet: Numbers
    distance: int
    other_distance: int
    eps: Fraction = Fraction(0)
    eta: Angle = STILL

    def validate(self) -> None:
        self._require((self.distance, self.other_distance))
        if bad := [each for each in (*self.turns, *self.queries, *self.keys, self.eps) if each < 0]:
            raise InputError(f"{bad[0]} as a length or an angle", "they are not negative")
        if not self.eta.is_nonnegative or not set(self.quiet) <= {Fraction(0), Fraction(1)}:
            raise InputError(f"eta = {self.eta}, marks {', '.join(map(str, self.quiet))}", "eta >= 0, marks 0 or 1")

    @property
    def shift(self) -> int:
        """`|d - d0|`."""
        return abs(self.distance - self.other_distance)

    @property
    def lengths(self) -> tuple[Fraction, ...]:
        """`|q_f| |k_f - k0_f|` of each plane."""
        return tuple(query * key for query, key in zip(self.queries, self.keys, strict=True))

    @property
    def interaction(self) -> Sum:
        """The interaction as a sum of cosines."""
        return tuple(
            (sign * length, Angle(angle * distance + phase))
            for length, angle, phase in zip(self.lengths, self.turns, self.phases, strict=True)
            for sign, distance in ((1, self.distance), (-1, self.other_distance))
        )


@dataclass(frozen=True)
class TurningCase(ParameterCase):
    """So many unit vectors, turned by theta, 2 theta, ...; theta is four times the arc whose tangent is given."""

    tangent: Fraction
    count: int

    def validate(self) -> None:
        if not 1 <= self.count <= MOST:
            raise InputError(f"{self.count} vectors", f"1 to {MOST}")

    @property
    def total(self) -> Vector:
        """Their sum, added up."""
        each = [turn(self.tangent, 2 * place) for place in range(1, self.count + 1)]
        return sum((x for x, _ in each), Fraction(0)), sum((y for _, y in each), Fraction(0))
