"""Proofs of the exact range of the inverted U (DEC, theorem 7), as derivations about one step of the target.

`w(j) = e^a / (e^a + E)` with the matched key's logit `a = c cos(theta (j - (N + 1) / 2))`; `room > 0` is the range in
question; mutants put another one in its place.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, exp, pi

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Part,
    Split,
    Suppose,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.shapes.u_proofs import N, c, j, k, theta, x, y

_half = sympy.Rational(1, 2)
RISE = "within the range the weight falls away from the centre"
NO_RISE = "outside the range it does not fall at every step"
NO_RISE_EVEN = "with an even number of keys it does not either between pi and 2 pi"
REPEAT_HALF = "with an even number of keys the angle counts up to its sign and two full turns"
E = sympy.Symbol("E", real=True)
p = sympy.Symbol("p", real=True)


def _matched(place: Any, angle: Any) -> Any:
    """The matched key's logit over c, `cos(theta (place - (N + 1) / 2))`."""
    return cos(angle * (2 * place - N - 1) / 2)


def _weights_fall(place: Any, angle: Any) -> Fact:
    """`w(place) > w(place + 1)` with `w = e^a / (e^a + E)`, cleared of denominators."""
    here, there = exp(c * _matched(place, angle)), exp(c * _matched(place + 1, angle))
    return greater(here * (there + E), there * (here + E))


def _falls_away(angle: Any) -> Universal:
    return Universal((j,), (at_least(2 * j, N + 1), at_least(N - 1, j)), _weights_fall(j, angle))


def _matched_cosines(name: str, place: Any, fall: str) -> tuple[DerivationStep, ...]:
    """From `w(place) > w(place + 1)`, the fact `fall`, to the cosines."""
    near, far = c * _matched(place, 2 * x), c * _matched(place + 1, 2 * x)
    steps = (
        Derive("logits", at_least(far, near), (Part(("weight", name)),)),
        Use("terms", "monotone", (far, near), ("logits",)),
        Derive("no fall", FALSE, (Part((fall,)), Part(("others", "terms")))),
    )
    return (Suppose(name, at_least(_matched(place + 1, 2 * x), _matched(place, 2 * x)), steps),)


def rise(room: Any) -> Entailment:
    """`w(j) > w(j+1)` on the second half; `E` is the sum of the other keys' exponentials, the same for all targets."""
    return Entailment(
        RISE,
        {
            "angle": greater(theta),
            "reduced": greater(2 * pi, theta),
            "range": greater(room),
            "weight": greater(c),
            "others": greater(E),
            "second half": at_least(2 * j, N + 1),
            "target": at_least(N - 1, j),
        },
        (_weights_fall(j, theta),),
        integers=(N, j),
    )


def no_rise(room: Any) -> Entailment:
    """Where the weight falls at every step of the second half, at the angle `2 x`, there is room: `room > 0`."""
    return Entailment(
        NO_RISE,
        {
            "angle": greater(x),
            "reduced": at_least(pi, 2 * x),
            "y": equal(x * y, pi),
            "weight": greater(c),
            "others": greater(E),
            "falls": _falls_away(2 * x),
        },
        (greater(room),),
        integers=(N, j),
    )


FLAT_MATCH = "at angle 0 it does not fall at all"


def flat_match(keys: int) -> Entailment:
    """At angle 0 and with so many keys the last step is none."""
    return Entailment(
        FLAT_MATCH,
        {"keys": at_least(N, keys), "falls": _falls_away(0)},
        (FALSE,),
        integers=(N, j),
    )


PROOF_OF_FLAT_MATCH = Derivation(
    FLAT_MATCH,
    (
        Derive("half", at_least(2 * (N - 1), N + 1), (Part(("keys",)),)),
        Derive("target", at_least(N - 1, N - 1), ()),
        Use("falls there", "instance", (N - 1,), ("falls", "half", "target")),
        Derive("flat", FALSE, (Part(("falls there",)),)),
    ),
)

NO_RISE_EVEN_PART = Entailment(
    NO_RISE_EVEN,
    {
        "above": greater(2 * x, pi),
        "reduced": at_least(pi, x),
        "even": equal(N, 2 * p),
        "keys": at_least(p, 2),
        "weight": greater(c),
        "others": greater(E),
        "falls": _falls_away(2 * x),
    },
    (FALSE,),
    integers=(N, j, p),
)
REPEATS_HALF = Entailment(
    REPEAT_HALF,
    {},
    (
        equal(cos((theta + 4 * pi * k) * (2 * j + 1) / 2), cos(theta * (2 * j + 1) / 2)),
        equal(cos((4 * pi * k - theta) * (2 * j + 1) / 2), cos(theta * (2 * j + 1) / 2)),
    ),
    integers=(k, j),
)

_beside = 2 * j - N
PROOF_OF_RISE = Derivation(
    RISE,
    (
        Derive("half > 0", greater(theta / 2), (Part(("angle",), _half),)),
        Derive("half < pi", greater(pi, theta / 2), (Part(("reduced",), _half),)),
        Use("sine 1", "sine", (theta / 2,), ("half > 0", "half < pi")),
        Derive(
            "step > 0",
            greater(_beside * theta / 2),
            (Part(("second half", "angle"), _half), Part(("angle",), _half)),
        ),
        Derive(
            "step < pi",
            greater(pi, _beside * theta / 2),
            (Part(("range",), _half), Part(("target", "angle"))),
            "2 j - N <= N - 2",
        ),
        Use("sine 2", "sine", (_beside * theta / 2,), ("step > 0", "step < pi")),
        Derive(
            "cosines",
            greater(_matched(j, theta), _matched(j + 1, theta)),
            (Part(("sine 1", "sine 2"), 2),),
            "the difference is 2 sin(theta / 2) sin(theta (2 j - N) / 2)",
        ),
        Derive("logits", greater(c * _matched(j, theta), c * _matched(j + 1, theta)), (Part(("weight", "cosines")),)),
        Use("terms", "monotone", (c * _matched(j, theta), c * _matched(j + 1, theta)), ("logits",)),
        Derive("weights", rise(0).conclusions[0], (Part(("others", "terms")),), "w = e^a / (e^a + E) rises with a"),
    ),
    "By the symmetry j -> N + 1 - j it rises towards the centre on the first half.",
)

_next = N - 2 * k + 2  # the first of 1 or 2, 3 or 4, ... that is at least y = pi / x
PROOF_OF_NO_RISE = Derivation(
    NO_RISE,
    (
        Suppose(
            "beyond",
            at_least((N - 2) * x, pi),
            (
                Use("k", "floor", (k, (N - y) / 2)),
                Derive("times x", at_least((N - 2 - y) * x), (Part(("beyond",)), Part(("y",), -1))),
                Use("N - 2 >= y", "quotient", (N - 2 - y,), ("times x", "angle")),
                Derive("k > 1", greater(k - 1), (Part(("k.1",)), Part(("N - 2 >= y",), _half))),
                Use("k >= 2", "integer", (), ("k > 1",)),
                Derive("above", at_least(_next * x, pi), (Part(("k.2", "angle"), 2), Part(("y",), 1))),
                Derive("below", greater(pi, (_next - 2) * x), (Part(("k.1", "angle"), 2), Part(("y",), -1))),
                Derive("argument", at_least(_next * x - pi), (Part(("above",)),)),
                Derive("argument, end", at_least(2 * pi, _next * x), (Part(("below",)), Part(("reduced",)))),
                Use("sine next", "sine", (_next * x - pi,), ("argument", "argument, end"), "sin((N - 2k + 2) x) <= 0"),
                Derive("x >= 0", at_least(x), (Part(("angle",)),)),
                Derive("x <= pi", at_least(pi, x), (Part(("reduced",)), Part(("angle",)))),
                Use("sine x", "sine", (x,), ("x >= 0", "x <= pi")),
                Split(
                    "room",
                    _next,
                    FALSE,
                    positive=(
                        Use("room >= 1", "integer", (), ("room",)),
                        Derive("half", at_least(2 * (N - k + 1), N + 1), (Part(("room >= 1",)),)),
                        Derive("target", at_least(N - 1, N - k + 1), (Part(("k >= 2",)),)),
                        Use("w falls there", "instance", (N - k + 1,), ("falls", "half", "target")),
                        *_matched_cosines("falls there", N - k + 1, "w falls there"),
                        Derive("both", FALSE, (Part(("falls there",)), Part(("sine next", "sine x"), 2))),
                    ),
                    zero=(
                        Use("zero", "replace", (N, 2 * k - 2), ("above", "room")),
                        Derive("no", FALSE, (Part(("zero",)), Part(("reduced",)), Part(("angle",), 2))),
                    ),
                    negative=(
                        Derive(
                            "no",
                            FALSE,
                            (Part(("above",)), Part(("room", "angle")), Part(("reduced",)), Part(("angle",), 2)),
                        ),
                    ),
                ),
            ),
        ),
    ),
)

PROOF_OF_NO_RISE_EVEN = Derivation(
    NO_RISE_EVEN,
    (
        Derive("half", at_least(2 * (p + 1), N + 1), (Part(("even",), -1), Part())),
        Derive("target", at_least(N - 1, p + 1), (Part(("even",), 1), Part(("keys",)))),
        Use("w falls there", "instance", (p + 1,), ("falls", "half", "target")),
        *_matched_cosines("falls there", p + 1, "w falls there"),
        Use("falls, even", "replace", (N, 2 * p), ("falls there", "even")),
        Derive("argument", at_least(2 * x - pi), (Part(("above",)),)),
        Derive("argument, end", at_least(2 * pi, 2 * x), (Part(("reduced",), 2),)),
        Use("sine 2 x", "sine", (2 * x - pi,), ("argument", "argument, end"), "sin(2 x) <= 0"),
        Derive("x <= pi", at_least(pi, x), (Part(("reduced",)),)),
        Use("pi", "pi"),
        Derive(
            "x >= 0", at_least(x), (Part(("above",), _half), Part(("pi.1",), _half), Part((), sympy.Rational(3, 2)))
        ),
        Use("sine x", "sine", (x,), ("x >= 0", "x <= pi")),
        Derive("both", FALSE, (Part(("falls, even",)), Part(("sine 2 x", "sine x"), 2))),
    ),
)
PROOF_OF_REPEAT_HALF = Derivation(
    REPEAT_HALF,
    (
        Derive("two full turns", REPEATS_HALF.conclusions[0], ()),
        Derive("sign", REPEATS_HALF.conclusions[1], ()),
    ),
    "Half-integer multiples change sign with one full turn and come back with two.",
)
