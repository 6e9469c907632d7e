"""Proofs about DYN's constructions (theorem 3.1): which angles leave the largest logit unique and the outputs right.

Letters: `theta` the angle, `n` the length, `t` and `s` distances, `omega = 2 pi / L` for `L` letters, `p` the letter
number of a key less that of the one asked for.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi, sin

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    Derive,
    Entailment,
    NotMultiple,
    Part,
    Suppose,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)

theta, omega, x, y, phi = sympy.symbols("theta omega x y phi", real=True)
n, t, s, u, k, p, L, U = sympy.symbols("n t s u k p L U", real=True)
HALF = sympy.Rational(1, 2)

# -- Index ---------------------------------------------------------------------------------------------------------

NO_TIE = "no other key ties with the target"
TIE = "a key that aliases with the target ties"
NO_TIE_SHORT = "below a full turn no key ties with the target"
LETTER_WINS = "the copied letter beats the query's own coordinate"


def no_tie(up_to: Any) -> Entailment:
    """A key `u` places from the target, `1 <= u <= U`, has a smaller logit if no `t theta`, `t <= up_to`, aliases."""
    return Entailment(
        NO_TIE,
        {
            "no aliasing": Universal((t,), (at_least(t, 1), at_least(up_to, t)), NotMultiple(t * theta)),
            "u >= 1": at_least(u, 1),
            "u <= U": at_least(U, u),
        },
        (greater(1, cos(u * theta)),),
        integers=(t, u, U),
    )


PROOF_OF_NO_TIE = Derivation(
    NO_TIE,
    (
        Use("u theta", "instance", (u,), ("no aliasing", "u >= 1", "u <= U")),
        Use("below", "cosine off turns", (u * theta,), ("u theta",)),
    ),
    "The target's logit is cos 0 = 1, another key's cos(u theta) with u its distance from the target.",
)


def tie(up_to: Any) -> Entailment:
    """A key `u` places from the target, `1 <= u <= up_to`, with `u theta = x = 2 pi k`: it is there, and it ties."""
    return Entailment(
        TIE,
        {
            "multiple": equal(x, 2 * pi * k),
            "distance": equal(x, u * theta),
            "u >= 1": at_least(u, 1),
            "u": at_least(up_to, u),
        },
        (equal(1, cos(x)), at_least(U, u)),
        integers=(k, u, U),
    )


PROOF_OF_TIE = Derivation(
    TIE,
    (
        Suppose("no tie", greater(1, cos(x)), (Use("at 2 pi k", "replace", (x, 2 * pi * k), ("no tie", "multiple")),)),
        Use("at most", "cosine", (x,)),
        Use("tie", "equality", (), ("at most.1", "no tie")),
    ),
)


def no_tie_short(room: Any) -> Entailment:
    """`cos(t theta) < 1` for `1 <= t <= n - 1` if `theta > 0` and `room > 0`."""
    return Entailment(
        NO_TIE_SHORT,
        {
            "angle": greater(theta),
            "range": greater(room),
            "t >= 1": at_least(t, 1),
            "t < n": at_least(n - 1, t),
        },
        (greater(1, cos(t * theta)),),
        integers=(t, n),
    )


def proof_of_no_tie_short(*parts: Part) -> Derivation:
    """The parts make `2 pi - t theta` of the range."""
    return Derivation(
        NO_TIE_SHORT,
        (
            Derive(
                "half > 0",
                greater(t * theta / 2),
                (Part(("t >= 1", "angle"), HALF), Part(("angle",), HALF)),
            ),
            Derive("half < pi", greater(pi, t * theta / 2), parts),
            Use("sine", "sine", (t * theta / 2,), ("half > 0", "half < pi")),
            Derive("below", greater(1, cos(t * theta)), (Part(("sine", "sine"), 2),), "1 - cos x = 2 sin(x / 2)^2"),
        ),
    )


_value, _own = sympy.symbols("value residual", real=True)


def letter_wins(value: int, residual: int) -> Entailment:
    """With the maximum unique the target's letter has the score `value`, the query's own token `residual`."""
    return Entailment(
        LETTER_WINS,
        {"W_V": equal(_value, value), "F": equal(_own, residual)},
        (greater(_value, _own), greater(_own)),
    )


PROOF_OF_LETTER_WINS = Derivation(
    LETTER_WINS,
    (
        Derive("letter", greater(_value, _own), (Part(("W_V",)), Part(("F",), -1), Part())),
        Derive("own", greater(_own), (Part(("F",)), Part())),
    ),
    "Under an integer whose target is a letter, 2 against 1; under one whose target is an integer, 1 against 0; under "
    "a letter, 1 + 2 against 0.",
)

COUNTED = "scores are counts"
_counts = sympy.symbols("kappa b c", real=True)


def counted(value: int = 2, residual: int = 1) -> Entailment:
    """With `kappa` tied keys, `c` of the right letter and `b` of another: the scores times kappa compare as counted."""
    kappa, b, c = _counts
    return Entailment(
        COUNTED,
        {
            "ties": greater(kappa),
            "under a letter": greater(kappa + 2 * c, 2 * b),
            "under an integer": greater(2 * c, kappa),
            "integer kept": greater(kappa, 2 * b),
            "1 / kappa": equal(kappa * y, 1),
            "y": greater(y),
        },
        (
            greater(residual + value * c * y, value * b * y),
            greater(value * c * y, residual),
            greater(residual, value * b * y),
        ),
    )


PROOF_OF_COUNTED = Derivation(
    COUNTED,
    tuple(
        Derive(
            f"{name}, divided",
            conclusion,
            (Part((name, "y")), Part(("1 / kappa",), sign)),
        )
        for name, conclusion, sign in zip(
            ("under a letter", "under an integer", "integer kept"), counted().conclusions, (-1, 1, -1), strict=True
        )
    ),
)

# -- Retrieval -----------------------------------------------------------------------------------------------------

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

# -- positional and symbolic ---------------------------------------------------------------------------------------

SAME_KEY = "equal keys have equal logits"
_a1, _a2, _b1, _b2, _q1, _q2 = sympy.symbols("a_1 a_2 b_1 b_2 q_1 q_2", real=True)


def _logit(first: Any, second: Any) -> Any:
    """A key at distance `t` under the query: the query turned by `t theta`, times the key."""
    return first * (_q1 * cos(t * theta) - _q2 * sin(t * theta)) + second * (
        _q1 * sin(t * theta) + _q2 * cos(t * theta)
    )


def same_key(second_too: bool = True) -> Entailment:
    """Two contents whose projected keys agree have the same logit at every distance."""
    hypotheses = {"first": equal(_a1, _b1)} | ({"second": equal(_a2, _b2)} if second_too else {})
    return Entailment(SAME_KEY, hypotheses, (equal(_logit(_a1, _a2), _logit(_b1, _b2)),))


PROOF_OF_SAME_KEY = Derivation(
    SAME_KEY,
    (
        Derive(
            "equal",
            same_key().conclusions[0],
            (
                Part(("first",), _q1 * cos(t * theta) - _q2 * sin(t * theta)),
                Part(("second",), _q1 * sin(t * theta) + _q2 * cos(t * theta)),
            ),
        ),
    ),
    "W_K maps every token to the one vector v.",
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
