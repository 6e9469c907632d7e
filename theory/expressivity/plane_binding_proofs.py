"""Proofs about heads that bind: H_SYM, two angles (DEC, theorems 5 and 6), and the symbol in the phase of one plane.

A key is `t` steps before the query, `1 <= t <= T`; `w = pi / |symbols|`, so the symbol number p from the query's own
is turned by `2 p w`; the angle is `theta`, where it has to be halved `2 x`.
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
    Hypothesis,
    Part,
    Suppose,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)

theta, c, x, y, w, b = sympy.symbols("theta c x y w b", real=True)
T, S, t, u, p, k, q, a, m = sympy.symbols("T S t u p k q a m", real=True)
HALF = sympy.Rational(1, 2)

# -- H_SYM ---------------------------------------------------------------------------------------------------------

MATCH = "the pair of the query symbol is above every other key"


def match_wins(weight: Fact | None = None, own: int = 0, swapped: bool = False, other: Any = 0) -> Entailment:
    """Of the logits c (the match), 0 (another pair) and `own c` (the query's own key) the first is the largest."""
    match, other = (0, c) if swapped else (c, other)
    return Entailment(
        MATCH,
        {"weight": greater(c) if weight is None else weight},
        (greater(match, other), greater(match, own * c)),
    )


PROOF_OF_MATCH = Derivation(MATCH, (Derive("match", greater(c), (Part(("weight",)),)),))

ENOUGH = "above n - 2, e^c outweighs whatever else one attribute can have"
NOT_ENOUGH = "the input with one other attribute everywhere needs e^c above n - 2"


def soft_enough(step: int = 2, strictly: bool = True) -> Entailment:
    """With `a` further keys of the answer and `m` of another attribute among the n - 2 others (here n = T + 1)."""
    room = exp(c) - (T + 1 - step)
    return Entailment(
        ENOUGH,
        {
            "growth": greater(room) if strictly else at_least(room),
            "of the answer": at_least(a),
            "of another": at_least(T - 1, a + m),
        },
        (greater(exp(c) + a * exp(0), m * exp(0)),),
    )


def soft_needed(step: int = 2, attributes: int = 2) -> Entailment:
    """If the answer wins for every other attribute (there is one where m >= 2), then `e^c > n - 2`."""
    return Entailment(
        NOT_ENOUGH,
        {
            "attributes": at_least(m, attributes),
            "wins": Universal((), (at_least(m, 2),), greater(exp(c), (T - 1) * exp(0))),
        },
        (greater(exp(c), T + 1 - step),),
    )


PROOF_OF_ENOUGH = Derivation(
    ENOUGH,
    (
        Derive(
            "wins",
            greater(exp(c) + a * exp(0), m * exp(0)),
            (Part(("growth",)), Part(("of the answer",), 2), Part(("of another",))),
        ),
    ),
)
PROOF_OF_NOT_ENOUGH = Derivation(
    NOT_ENOUGH,
    (
        Use("here", "instance", (), ("wins", "attributes")),
        Derive("growth", greater(exp(c), T - 1), (Part(("here",)),)),
    ),
)

# -- recency -------------------------------------------------------------------------------------------------------

LATER = "a later match is above an earlier one"
OWN = "the query's own key is below every match"
NO_LATER = "if each match is above the one a step earlier, the angle is in the range"
FLAT = "at angle 0 no match is above an earlier one"
REPEAT = "the angle counts up to its sign and full turns"


def polygon(symbols: int = 2) -> dict[str, Hypothesis]:
    """`w = pi / S` for so many symbols at least."""
    return {"symbols": at_least(S, symbols), "w": equal(w * S, pi), "w > 0": greater(w)}


def later_wins(
    room: Any, weight: Fact | None = None, angle: Fact | None = None, sign: int = 1, symbols: int = 2
) -> Entailment:
    """`b cos(t theta) > b cos(u theta)` for `t < u <= T` in the range `room > 0`."""
    return Entailment(
        LATER,
        {
            **polygon(symbols),
            "angle": greater(theta) if angle is None else angle,
            "range": greater(room),
            "weight": greater(b) if weight is None else weight,
            "first": at_least(t, 1),
            "apart": at_least(u, t + 1),
            "last": at_least(T, u),
        },
        (greater(1 + sign * b * cos(theta * t), 1 + sign * b * cos(theta * u)),),
        integers=(T, t, u),
    )


def proof_of_later(below: tuple[Part, ...], before: tuple[DerivationStep, ...] = ()) -> Derivation:
    """`below` are the parts that give `pi - (t + u) theta / 2 > 0`, after the steps `before`."""
    return Derivation(
        LATER,
        (
            *before,
            Derive("t + u > 0", greater(t + u), (Part(("first",), 2), Part(("apart",)), Part((), 3))),
            Derive("u - t > 0", greater(u - t), (Part(("apart",)), Part())),
            Derive("sum > 0", greater((t + u) * theta / 2), (Part(("t + u > 0", "angle"), HALF),)),
            Derive("sum < pi", greater(pi, (t + u) * theta / 2), below),
            Use("sine 1", "sine", ((t + u) * theta / 2,), ("sum > 0", "sum < pi")),
            Derive("difference > 0", greater((u - t) * theta / 2), (Part(("u - t > 0", "angle"), HALF),)),
            Derive(
                "difference < pi",
                greater(pi, (u - t) * theta / 2),
                (Part(("sum < pi",)), Part(("first", "angle")), Part(("angle",))),
            ),
            Use("sine 2", "sine", ((u - t) * theta / 2,), ("difference > 0", "difference < pi")),
            Derive(
                "later",
                greater(1 + b * cos(theta * t), 1 + b * cos(theta * u)),
                (Part(("weight", "sine 1", "sine 2"), 2),),
                "cos(t theta) - cos(u theta) = 2 sin((t + u) theta / 2) sin((u - t) theta / 2)",
            ),
        ),
    )


# t + u <= 2T - 1 and (2T - 1) theta < 2 pi
PROOF_OF_LATER = proof_of_later(
    (
        Part(("range",), HALF),
        Part(("last", "angle")),
        Part(("apart", "angle"), HALF),
    )
)


def order(weight: Any = b) -> Universal:
    """Each match is above the one a step earlier, for keys of another symbol may follow it; here `theta = 2 x`."""
    return Universal(
        (t,),
        (at_least(t, 1), at_least(T - 1, t), at_least(S, 2)),
        greater(1 + weight * cos(2 * x * t), 1 + weight * cos(2 * x * (t + 1))),
    )


def no_later(room: Any, symbols: int = 2) -> Entailment:
    """If the matches are in order and `0 < theta <= pi`, then `room > 0`; here `theta = 2 x`."""
    return Entailment(
        NO_LATER,
        {
            "angle": greater(x),
            "reduced": at_least(pi, 2 * x),
            "y": equal(x * y, pi),
            "symbols": at_least(S, symbols),
            "keys": at_least(T, 2),
            "weight": greater(b),
            "order": order(),
        },
        (greater(room),),
        integers=(T, S, t),
    )


_place = -q  # the integer with (2k - 1) x < pi <= (2k + 1) x
TOO_FAR: tuple[DerivationStep, ...] = (
    Use("q", "floor", (q, -(y + 1) / 2)),
    Derive("below", greater(pi, (2 * _place - 1) * x), (Part(("q.1", "angle"), 2), Part(("y",), -1))),
    Derive("above", at_least((2 * _place + 1) * x, pi), (Part(("q.2", "angle"), 2), Part(("y",)))),
    Derive("k x > 0", at_least((2 * _place - 1) * x), (Part(("above",)), Part(("reduced",)))),
    Use("k", "quotient", (2 * _place - 1,), ("k x > 0", "angle")),
    Derive("k > 0", greater(_place), (Part(("k",), HALF), Part((), HALF))),
    Use("k >= 1", "integer", (), ("k > 0",)),
    Derive("(T - k) x > 0", greater((T - _place) * x), (Part(("beyond",), HALF), Part(("below",), HALF))),
    Use("T > k", "quotient", (T - _place,), ("(T - k) x > 0", "angle")),
    Use("k <= T - 1", "integer", (), ("T > k",)),
    Derive("k, end", at_least(T - 1, _place), (Part(("k <= T - 1",)),)),
    Use("in order", "instance", (_place,), ("order", "k >= 1", "k, end", "symbols")),
    Derive("past", at_least((2 * _place + 1) * x - pi), (Part(("above",)),)),
    Derive("past, end", at_least(2 * pi - (2 * _place + 1) * x), (Part(("below",)), Part(("reduced",)))),
    Use("sine 1", "sine", ((2 * _place + 1) * x - pi,), ("past", "past, end")),
    Derive("x < pi", at_least(pi - x), (Part(("reduced",)), Part(("angle",)))),
    Use("sine 2", "sine", (x,), ("angle", "x < pi")),
    Derive(
        "no order",
        FALSE,
        (Part(("in order",)), Part(("weight", "sine 1", "sine 2"), 2)),
        "cos(2 k x) - cos(2 (k + 1) x) = 2 sin((2k + 1) x) sin(x), the first sine not above 0",
    ),
)
PROOF_OF_NO_LATER = Derivation(NO_LATER, (Suppose("beyond", at_least((2 * T - 1) * x, pi), TOO_FAR),))


def flat(symbols: int = 2) -> Entailment:
    """With two keys and angle 0 the first match ties with the second."""
    places = (at_least(t, 1), at_least(T - 1, t), at_least(S, 2))
    still = Universal((t,), places, greater(1 + b * cos(0 * t), 1 + b * cos(0 * (t + 1))))
    return Entailment(
        FLAT, {"keys": at_least(T, 2), "symbols": at_least(S, symbols), "order": still}, (FALSE,), integers=(T, S, t)
    )


PROOF_OF_FLAT = Derivation(
    FLAT,
    (
        Derive("one", at_least(1, 1), ()),
        Derive("one, end", at_least(T - 1, 1), (Part(("keys",)),)),
        Use("in order", "instance", (1,), ("order", "one", "one, end", "symbols")),
        Derive("tie", FALSE, (Part(("in order",)),)),
    ),
)


def repeats(turns: Any = 2 * pi) -> Entailment:
    """A full turn more changes no logit; the other sign (here with full turns) turns the symbols' numbers round."""
    phase = 2 * p * w
    return Entailment(
        REPEAT,
        {},
        (
            equal(cos((theta + turns * k) * t + phase), cos(theta * t + phase)),
            equal(cos((turns * k - theta) * t + phase), cos(theta * t - phase)),
        ),
        integers=(k, t, p),
    )


REPEATS = repeats()
PROOF_OF_REPEAT = Derivation(
    REPEAT,
    (Derive("full turns", REPEATS.conclusions[0], ()), Derive("sign", REPEATS.conclusions[1], ())),
    "The cosine has the period 2 pi and is even, and with a symbol's number p its negative occurs.",
)
