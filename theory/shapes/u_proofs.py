"""Proofs of the exact range of the U (DEC, theorem 7), as derivations about one step of the target.

`D(j)` is the sum over the keys whose inverse is the target's weight, `room > 0` the range in question; mutants put
another one in its place.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, exp, pi, sin

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Part,
    Split,
    Suppose,
    Universal,
    Use,
    Window,
    at_least,
    equal,
    greater,
)

theta, c, x, y = sympy.symbols("theta c x y", real=True)
N, j, k, r = sympy.symbols("N j k r", real=True)
D = sympy.Function("D")
d = sympy.Symbol("d", real=True)

# -- the range of the U --------------------------------------------------------------------------------------------

FALL = "within the range the weight falls towards the middle"
NO_FALL = "outside the range it does not fall at every step"
REPEAT = "the angle counts up to its sign and full turns"
GAP = cos(theta * j) - cos(theta * (N - j))


def fall(room: Any) -> Entailment:
    """`D(j+1) > D(j)` on the first half of the targets; `room > 0` is the range."""
    return Entailment(
        FALL,
        {
            "angle": greater(theta),
            "range": greater(room),
            "weight": greater(c),
            "target": at_least(j, 1),
            "first half": at_least(N - 1, 2 * j),
        },
        (greater(D(j + 1), D(j)),),
        integers=(N, j),
        windows=(Window(D, d, exp(c * cos(theta * d)), N),),
    )


def no_fall(room: Any, keys: int = 3) -> Entailment:
    """If `D` rises at every step of the first half and `0 < theta <= pi`, then `room > 0`; here `theta = 2 x`."""
    return Entailment(
        NO_FALL,
        {
            "angle": greater(x),
            "reduced": at_least(pi, 2 * x),
            "y": equal(x * y, pi),
            "keys": at_least(N, keys),
            "weight": greater(c),
            "falls": Universal((j,), (at_least(j, 1), at_least(N - 1, 2 * j)), greater(D(j + 1), D(j))),
        },
        (greater(room),),
        integers=(N, j),
        windows=(Window(D, d, exp(c * cos(2 * x * d)), N),),
    )


FLAT = "at angle 0 it does not fall at all"


def flat(keys: int) -> Entailment:
    """At angle 0 and with so many keys the first step is none."""
    return Entailment(
        FLAT,
        {
            "keys": at_least(N, keys),
            "falls": Universal((j,), (at_least(j, 1), at_least(N - 1, 2 * j)), greater(D(j + 1), D(j))),
        },
        (FALSE,),
        integers=(N, j),
        windows=(Window(D, d, exp(c), N),),
    )


PROOF_OF_FLAT = Derivation(
    FLAT,
    (
        Derive("one is a target", at_least(1, 1), ()),
        Derive("of the first half", at_least(N - 1, 2), (Part(("keys",)),)),
        Use("falls at 1", "instance", (1,), ("falls", "one is a target", "of the first half")),
        Derive("N >= 0", at_least(N), (Part(("keys",)), Part((), 3))),
        Use("shift", "window", (1,), ("N >= 0",)),
        Derive("flat", FALSE, (Part(("falls at 1",)), Part(("shift",), -1))),
    ),
)


REPEATS = Entailment(
    REPEAT,
    {},
    (equal(cos((theta + 2 * pi * k) * j), cos(theta * j)), equal(cos((2 * pi * k - theta) * j), cos(theta * j))),
    integers=(k, j),
)

PROOF_OF_REPEAT = Derivation(
    REPEAT,
    (
        Derive("full turns", REPEATS.conclusions[0], ()),
        Derive("sign", REPEATS.conclusions[1], ()),
    ),
    "The cosine has the period 2 pi and is even.",
)

PROOF_OF_FALL = Derivation(
    FALL,
    (
        Derive("N > 0", greater(N), (Part(("first half",)), Part(("target",), 2), Part((), 3)), "N >= 1 + 2 j >= 3"),
        Derive("N theta > 0", greater(N * theta / 2), (Part(("N > 0", "angle"), sympy.Rational(1, 2)),)),
        Derive("N theta < 2 pi", greater(pi, N * theta / 2), (Part(("range",), sympy.Rational(1, 2)),)),
        Use("sine 1", "sine", (N * theta / 2,), ("N theta > 0", "N theta < 2 pi")),
        Derive(
            "distance > 0",
            greater((N - 2 * j) * theta / 2),
            (Part(("first half", "angle"), sympy.Rational(1, 2)), Part(("angle",), sympy.Rational(1, 2))),
        ),
        Derive(
            "distance < pi",
            greater(pi, (N - 2 * j) * theta / 2),
            (
                Part(("range",), sympy.Rational(1, 2)),
                Part(("target", "angle")),
                Part(("angle",)),
            ),
        ),
        Use("sine 2", "sine", ((N - 2 * j) * theta / 2,), ("distance > 0", "distance < pi")),
        Derive(
            "cosines",
            greater(GAP),
            (Part(("sine 1", "sine 2"), 2),),
            "cos(theta j) - cos(theta (N - j)) = 2 sin(theta N / 2) sin(theta (N - 2 j) / 2)",
        ),
        Derive("logits", greater(c * cos(theta * j), c * cos(theta * (N - j))), (Part(("weight", "cosines")),)),
        Use(
            "terms",
            "monotone",
            (c * cos(theta * j), c * cos(theta * (N - j))),
            ("logits",),
        ),
        Derive("N >= 0", at_least(N), (Part(("N > 0",)),)),
        Use(
            "shift",
            "window",
            (j,),
            ("N >= 0",),
            "from target j to j + 1 the sum gains the term at distance j and loses the one at distance N - j",
        ),
        Derive("D rises", greater(D(j + 1), D(j)), (Part(("shift",), 1), Part(("terms",)))),
    ),
    "w(j) = e^c / D(j), so it falls where D rises; by the symmetry j -> N + 1 - j it rises on the second half.",
)

_odd = N - 2 * k  # the last of N - 2, N - 4, ... below y = pi / x
_half = sympy.Rational(1, 2)


def _cosines(name: str, place: Any, fall: str) -> tuple[DerivationStep, ...]:
    """From `D(place + 1) > D(place)`, the fact `fall`, to the cosines: exp and c > 0 keep the order."""
    near, far = c * cos(2 * x * place), c * cos(2 * x * (N - place))
    steps = (
        Derive("logits", at_least(far, near), (Part(("weight", name)),)),
        Use("terms", "monotone", (far, near), ("logits",)),
        Use("shift", "window", (place,), ("N >= 0",)),
        Derive("no fall", FALSE, (Part((fall,)), Part(("terms",)), Part(("shift",), -1))),
    )
    return (Suppose(name, at_least(cos(2 * x * (N - place)), cos(2 * x * place)), steps),)


PROOF_OF_NO_FALL = Derivation(
    NO_FALL,
    (
        Suppose(
            "beyond",
            at_least(N * x, pi),
            (
                # k is the integer with N - 2k < y <= N - 2k + 2, so that (N - 2k) x < pi <= (N - 2k + 2) x.
                Derive("N >= 0", at_least(N), (Part(("keys",)), Part((), 3))),
                Use("k", "floor", (k, (N - y) / 2)),
                Derive("N >= y, times x", at_least((N - y) * x), (Part(("beyond",)), Part(("y",), -1))),
                Use("N >= y", "quotient", (N - y,), ("N >= y, times x", "angle")),
                Derive("k > 0", greater(k), (Part(("k.1",)), Part(("N >= y",), _half))),
                Use("k >= 1", "integer", (), ("k > 0",)),
                Derive("below", greater(pi, _odd * x), (Part(("k.1", "angle"), 2), Part(("y",), -1))),
                Derive(
                    "above",
                    at_least((_odd + 2) * x, pi),
                    (Part(("k.2", "angle"), 2), Part(("y",), 1)),
                ),
                Derive(
                    "below, next",
                    at_least(2 * pi, (_odd + 2) * x),
                    (Part(("below",)), Part(("reduced",))),
                ),
                Derive("sine argument", at_least((_odd + 2) * x - pi), (Part(("above",)),)),
                Derive("sine argument, end", at_least(pi - ((_odd + 2) * x - pi)), (Part(("below, next",)),)),
                Use(
                    "sine next",
                    "sine",
                    ((_odd + 2) * x - pi,),
                    ("sine argument", "sine argument, end"),
                    "so sin((N - 2k + 2) x) <= 0",
                ),
                Split(
                    "room",
                    _odd,
                    FALSE,
                    positive=(
                        Use("room >= 1", "integer", (), ("room",)),
                        Derive("j = k", at_least(N - 1, 2 * k), (Part(("room >= 1",)),)),
                        Use("D falls at k", "instance", (k,), ("falls", "k >= 1", "j = k")),
                        *_cosines("falls at k", k, "D falls at k"),
                        Derive("argument", at_least(_odd * x), (Part(("room", "angle")),)),
                        Derive("argument, end", at_least(pi, _odd * x), (Part(("below",)),)),
                        Use("sine last", "sine", (_odd * x,), ("argument", "argument, end")),
                        Split(
                            "first",
                            k - 1,
                            FALSE,
                            positive=(
                                Use("k >= 2", "integer", (), ("first",)),
                                Derive("j = k - 1", at_least(N - 1, 2 * (k - 1)), (Part(("j = k",)), Part((), 2))),
                                Derive("j >= 1", at_least(k - 1, 1), (Part(("k >= 2",)),)),
                                Use("D falls at k - 1", "instance", (k - 1,), ("falls", "j >= 1", "j = k - 1")),
                                *_cosines("falls at k - 1", k - 1, "D falls at k - 1"),
                                Derive(
                                    "both",
                                    FALSE,
                                    (
                                        Part(("falls at k", "falls at k - 1")),
                                        Part(("sine last", "sine next"), 4, (sin(N * x),)),
                                    ),
                                    "the two products are 4 sin(N x)^2 sin((N - 2k) x) sin((N - 2k + 2) x) <= 0",
                                ),
                            ),
                            zero=(
                                Use("falls at 1", "replace", (k, 1), ("falls at k", "first")),
                                Use("sine last, 1", "replace", (k, 1), ("sine last", "first")),
                                Use("sine next, 1", "replace", (k, 1), ("sine next", "first")),
                                Derive(
                                    "N itself",
                                    FALSE,
                                    (Part(("falls at 1",)), Part(("sine last, 1", "sine next, 1"), 2)),
                                    "sin(N x) is itself the first one beyond",
                                ),
                            ),
                            negative=(Derive("no k", FALSE, (Part(("k >= 1",)), Part(("first",)))),),
                        ),
                    ),
                    zero=(
                        Use("2 x >= pi", "replace", (N, 2 * k), ("above", "room")),
                        Use("2 x = pi", "equality", (), ("2 x >= pi", "reduced")),
                        Derive("x = pi / 2", equal(x, pi / 2), (Part(("2 x = pi",), _half),)),
                        Derive(
                            "k > 1", greater(k, 1), (Part(("keys",), _half), Part(("room",), -_half), Part((), _half))
                        ),
                        Use("k >= 2", "integer", (), ("k > 1",)),
                        Derive("one is a target", at_least(1, 1), ()),
                        Derive(
                            "of the first half", at_least(N - 1, 2), (Part(("room",)), Part(("k >= 2",), 2), Part())
                        ),
                        Use("D falls at 1", "instance", (1,), ("falls", "one is a target", "of the first half")),
                        *_cosines("falls at 1", 1, "D falls at 1"),
                        Use("falls at 1, N", "replace", (N, 2 * k), ("falls at 1", "room")),
                        Use("falls at 1, x", "replace", (x, pi / 2), ("falls at 1, N", "x = pi / 2")),
                        Derive("flat", FALSE, (Part(("falls at 1, x",)),), "at theta = pi and even N all are equal"),
                    ),
                    negative=(
                        Use("at most 1", "integer", (), ("room",)),
                        Derive(
                            "x too large",
                            FALSE,
                            (Part(("above",)), Part(("at most 1", "angle")), Part(("reduced",)), Part(("angle",))),
                        ),
                    ),
                ),
            ),
        ),
    ),
)

# -- beyond the range of the U -------------------------------------------------------------------------------------

TURNED = "just beyond the range the weight rises towards the middle"


def turned(room: Any, beyond: Any = N * theta - 2 * pi) -> Entailment:
    """`D(j+1) < D(j)` on the first half where `2 pi < N theta` and `(N - 2) theta < 2 pi` (`room > 0`)."""
    return Entailment(
        TURNED,
        {
            "angle": greater(theta),
            "beyond": greater(beyond),
            "range": greater(room),
            "weight": greater(c),
            "target": at_least(j, 1),
            "first half": at_least(N - 1, 2 * j),
            "reduced": at_least(pi, theta),
        },
        (greater(D(j), D(j + 1)),),
        integers=(N, j),
        windows=(Window(D, d, exp(c * cos(theta * d)), N),),
    )


PROOF_OF_TURNED = Derivation(
    TURNED,
    (
        Derive("first > 0", greater(N * theta / 2 - pi), (Part(("beyond",), _half),)),
        Derive(
            "first < pi",
            greater(pi - (N * theta / 2 - pi)),
            (Part(("range",), _half), Part(("reduced",))),
            "N theta / 2 = (N - 2) theta / 2 + theta < 2 pi",
        ),
        Use("sine 1", "sine", (N * theta / 2 - pi,), ("first > 0", "first < pi"), "so sin(N theta / 2) < 0"),
        Derive(
            "distance > 0",
            greater((N - 2 * j) * theta / 2),
            (Part(("first half", "angle"), _half), Part(("angle",), _half)),
        ),
        Derive(
            "distance < pi",
            greater(pi, (N - 2 * j) * theta / 2),
            (Part(("range",), _half), Part(("target", "angle"))),
        ),
        Use("sine 2", "sine", ((N - 2 * j) * theta / 2,), ("distance > 0", "distance < pi")),
        Derive("cosines", greater(-GAP), (Part(("sine 1", "sine 2"), 2),)),
        Derive("logits", greater(c * cos(theta * (N - j)), c * cos(theta * j)), (Part(("weight", "cosines")),)),
        Use("terms", "monotone", (c * cos(theta * (N - j)), c * cos(theta * j)), ("logits",)),
        Derive("N >= 0", at_least(N), (Part(("first half",)), Part(("target",), 2), Part((), 3))),
        Use("shift", "window", (j,), ("N >= 0",)),
        Derive("D falls", greater(D(j), D(j + 1)), (Part(("shift",), -1), Part(("terms",)))),
    ),
)
