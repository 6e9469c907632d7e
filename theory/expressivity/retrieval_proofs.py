"""Proofs about DYN's Retrieval construction (theorem 3.1): the exact range of its angle, and how far logits drift.

Letters: `theta` the angle, `n` the length, `t` and `s` distances, `omega = 2 pi / L` for `L` letters, `p` the letter
number of a key less that of the one asked for.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    Derive,
    Entailment,
    Part,
    Suppose,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.feasibility_proofs import HALF, k, n, s, t, theta, y

omega, phi = sympy.symbols("omega phi", real=True)
p, L = sympy.symbols("p L", real=True)

MATCH_WINS = "the match beats every key of another letter"
OWN_WINS = "a letter-number pair beats the earlier pairs of its letter"
TOO_WIDE = "beyond the range the farthest matches lose"
AT_ZERO = "at angle 0 pairs of one letter tie"
PLACES = "two keys stand at different places"
TURNS = "the angle counts up to its sign and full turns"
SHARP = omega - (2 * n - 3) * theta


def match_wins(room: Any, places: Any = 2 * n - 3) -> Entailment:
    """`cos(t theta) > cos(p omega + s theta)` for distances with `t + s <= places`, if `room > 0`."""
    return Entailment(
        MATCH_WINS,
        {
            "angle": greater(theta),
            "range": greater(room),
            "letters": equal(L * omega, 2 * pi),
            "omega": greater(omega),
            "n": at_least(n, 2),
            "t >= 0": at_least(t),
            "t < n": at_least(n - 1, t),
            "s >= 0": at_least(s),
            "s < n": at_least(n - 1, s),
            "places": at_least(places, t + s),
            "p >= 1": at_least(p, 1),
            "p < L": at_least(L - 1, p),
        },
        (greater(cos(t * theta), cos(p * omega + s * theta)),),
        integers=(n, t, s, p, L),
    )


def proof_of_match_wins(*sharp: Part) -> Derivation:
    """The parts make the sharp room `omega - (2n - 3) theta` of the range."""
    far, near = (p * omega + (s + t) * theta) / 2, (p * omega + (s - t) * theta) / 2
    return Derivation(
        MATCH_WINS,
        (
            Derive("sharp", greater(SHARP), sharp),
            Derive(
                "far > 0",
                greater(far),
                (
                    Part(("p >= 1", "omega"), HALF),
                    Part(("omega",), HALF),
                    Part(("s >= 0", "angle"), HALF),
                    Part(("t >= 0", "angle"), HALF),
                ),
            ),
            Derive(
                "far < pi",
                greater(pi, far),
                (
                    Part(("p < L", "omega"), HALF),
                    Part(("sharp",), HALF),
                    Part(("places", "angle"), HALF),
                    Part(("letters",), -HALF),
                ),
            ),
            Use("sine far", "sine", (far,), ("far > 0", "far < pi")),
            Derive(
                "near > 0",
                greater(near),
                (
                    Part(("p >= 1", "omega"), HALF),
                    Part(("sharp",), HALF),
                    Part(("t < n", "angle"), HALF),
                    Part(("n", "angle"), HALF),
                    Part(("s >= 0", "angle"), HALF),
                ),
            ),
            Derive(
                "near < pi",
                greater(pi, near),
                (
                    Part(("p < L", "omega"), HALF),
                    Part(("sharp",), HALF),
                    Part(("s < n", "angle"), HALF),
                    Part(("n", "angle"), HALF),
                    Part(("t >= 0", "angle"), HALF),
                    Part(("letters",), -HALF),
                ),
            ),
            Use("sine near", "sine", (near,), ("near > 0", "near < pi")),
            Derive(
                "match",
                greater(cos(t * theta), cos(p * omega + s * theta)),
                (Part(("sine far", "sine near"), 2),),
                "cos a - cos b = 2 sin((a + b) / 2) sin((b - a) / 2)",
            ),
        ),
    )


def own_wins(room: Any) -> Entailment:
    """`cos(t theta) < 1` for `1 <= t <= n - 1`, if `room > 0`."""
    return Entailment(
        OWN_WINS,
        {
            "angle": greater(theta),
            "range": greater(room),
            "letters": equal(L * omega, 2 * pi),
            "omega": greater(omega),
            "one letter": at_least(L, 1),
            "t >= 1": at_least(t, 1),
            "t < n": at_least(n - 1, t),
        },
        (greater(1, cos(t * theta)),),
        integers=(n, t, L),
    )


def proof_of_own_wins(*sharp: Part) -> Derivation:
    """The parts make the sharp room `omega - (2n - 3) theta` of the range."""
    return Derivation(
        OWN_WINS,
        (
            Derive("sharp", greater(SHARP), sharp),
            Derive("two places", at_least(n, 2), (Part(("t >= 1",)), Part(("t < n",)))),
            Derive("half > 0", greater(t * theta / 2), (Part(("t >= 1", "angle"), HALF), Part(("angle",), HALF))),
            Derive(
                "half < pi",
                greater(pi, t * theta / 2),
                (
                    Part(("t < n", "angle"), HALF),
                    Part(("two places", "angle"), HALF),
                    Part(("sharp",), HALF),
                    Part(("one letter", "omega"), HALF),
                    Part(("letters",), -HALF),
                ),
            ),
            Use("sine", "sine", (t * theta / 2,), ("half > 0", "half < pi")),
            Derive("below", greater(1, cos(t * theta)), (Part(("sine", "sine"), 2),), "1 - cos x = 2 sin(x / 2)^2"),
        ),
    )


places = Entailment(
    PLACES,
    {"apart": greater(t, s), "t < n": at_least(n - 1, t)},
    (at_least(2 * n - 3, t + s),),
    integers=(n, t, s),
)
PROOF_OF_PLACES = Derivation(
    PLACES,
    (
        Use("by one", "integer", (), ("apart",)),
        Derive("sum", at_least(2 * n - 3, t + s), (Part(("by one",)), Part(("t < n",), 2))),
    ),
    "So distances t != s up to n - 1 add up to 2n - 3 at most, attained by n - 1 and n - 2.",
)


def too_wide(room: Any) -> Entailment:
    """If the match at distance `s` beats the next letter's key at `s - 1` for all `1 <= s <= n - 1`, `room > 0`."""
    return Entailment(
        TOO_WIDE,
        {
            "angle": greater(theta),
            "reduced": at_least(pi, theta),
            "omega": greater(omega),
            "two letters": at_least(pi, omega),
            "y": equal(y * theta, omega),
            "wins": Universal(
                (s,), (at_least(s, 1), at_least(n - 1, s)), greater(cos(s * theta), cos((s - 1) * theta - omega))
            ),
        },
        (greater(room),),
        integers=(n, s),
    )


_s = 1 - k  # the least integer with (2s - 1) theta >= omega
PROOF_OF_TOO_WIDE = Derivation(
    TOO_WIDE,
    (
        Suppose(
            "beyond",
            at_least(-SHARP),
            (
                Use("k", "floor", (k, -(y + 1) / 2)),
                Derive("reaches", at_least((2 * _s - 1) * theta, omega), (Part(("k.2", "angle"), 2), Part(("y",)))),
                Derive("just", greater(omega, (2 * _s - 3) * theta), (Part(("k.1", "angle"), 2), Part(("y",), -1))),
                Derive("y theta > 0", greater(y * theta), (Part(("y",)), Part(("omega",)))),
                Use("y > 0", "quotient", (y,), ("y theta > 0", "angle")),
                Derive("s > 0", greater(_s), (Part(("k.2",)), Part(("y > 0",), HALF), Part((), HALF))),
                Use("s >= 1", "integer", (), ("s > 0",)),
                Derive("enough", at_least((2 * n - 3 - y) * theta), (Part(("beyond",)), Part(("y",), -1))),
                Use("y <= 2n - 3", "quotient", (2 * n - 3 - y,), ("enough", "angle")),
                Derive("s < n", greater(n, _s), (Part(("k.1",)), Part(("y <= 2n - 3",), HALF))),
                Use("s <= n - 1", "integer", (), ("s < n",)),
                Use("wins at s", "instance", (_s,), ("wins", "s >= 1", "s <= n - 1")),
                Derive("first >= 0", at_least(((2 * _s - 1) * theta - omega) / 2), (Part(("reaches",), HALF),)),
                Derive(
                    "first <= pi",
                    at_least(pi, ((2 * _s - 1) * theta - omega) / 2),
                    (Part(("just",), HALF), Part(("reduced",))),
                ),
                Use("sine first", "sine", (((2 * _s - 1) * theta - omega) / 2,), ("first >= 0", "first <= pi")),
                Derive("second >= 0", at_least((theta + omega) / 2), (Part(("angle",), HALF), Part(("omega",), HALF))),
                Derive(
                    "second <= pi",
                    at_least(pi, (theta + omega) / 2),
                    (Part(("reduced",), HALF), Part(("two letters",), HALF)),
                ),
                Use("sine second", "sine", ((theta + omega) / 2,), ("second >= 0", "second <= pi")),
                Derive("no", FALSE, (Part(("wins at s",)), Part(("sine first", "sine second"), 2))),
            ),
        ),
    ),
)


def at_zero(least: int = 2) -> Entailment:
    """At angle 0 the pair of a letter and a number ties with an earlier pair of its letter, if there are two places."""
    return Entailment(
        AT_ZERO,
        {
            "n": at_least(n, least),
            "wins": Universal((t,), (at_least(t, 1), at_least(n - 1, t)), greater(1, cos(t * theta))),
            "zero": equal(theta),
        },
        (FALSE,),
        integers=(n, t),
    )


PROOF_OF_AT_ZERO = Derivation(
    AT_ZERO,
    (
        Derive("one", at_least(1, 1), ()),
        Derive("fits", at_least(n - 1, 1), (Part(("n",)),)),
        Use("wins at 1", "instance", (1,), ("wins", "one", "fits")),
        Use("at 0", "replace", (theta, 0), ("wins at 1", "zero")),
    ),
)

turns = Entailment(
    TURNS,
    {},
    (
        equal(cos(p * omega + t * (theta + 2 * pi * k)), cos(p * omega + t * theta)),
        equal(cos(p * omega + t * (2 * pi * k - theta)), cos(-p * omega + t * theta)),
    ),
    integers=(p, t, k),
)
PROOF_OF_TURNS = Derivation(
    TURNS, (Derive("turns", turns.conclusions[0], ()), Derive("sign", turns.conclusions[1], ()))
)

DRIFT = "moving a key changes its logit by at most theta a place"


def drift(limit: Any) -> Entailment:
    """Between distances `1 <= s <= t <= n - 1` a logit changes by at most `limit * theta`."""
    change = cos(phi + s * theta) - cos(phi + t * theta)
    return Entailment(
        DRIFT,
        {
            "angle": at_least(theta),
            "order": at_least(t, s),
            "s >= 1": at_least(s, 1),
            "t < n": at_least(n - 1, t),
        },
        (at_least(limit * theta, change), at_least(limit * theta, -change)),
        integers=(n, s, t),
    )


_turn = (t - s) * theta / 2
_middle = phi + (s + t) * theta / 2
PROOF_OF_DRIFT = Derivation(
    DRIFT,
    (
        Derive("turn", at_least(_turn), (Part(("order", "angle"), HALF),)),
        Use("small", "sine below x", (_turn,), ("turn",)),
        Use("middle", "sine at most one", (_middle,)),
        Derive(
            "room", at_least((n - 2) * theta, (t - s) * theta), (Part(("t < n", "angle")), Part(("s >= 1", "angle")))
        ),
        Derive(
            "up",
            drift(n - 2).conclusions[0],
            (Part(("room",)), Part(("small.1", "middle.2")), Part(("small.2", "middle.1"))),
            "cos a - cos b = 2 sin((a + b) / 2) sin((b - a) / 2), and |sin| is at most 1 and at most its argument",
        ),
        Derive(
            "down",
            drift(n - 2).conclusions[1],
            (Part(("room",)), Part(("small.1", "middle.1")), Part(("small.2", "middle.2"))),
        ),
    ),
)
