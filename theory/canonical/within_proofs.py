"""Proofs about heads with a plane for each symbol, all of one angle, on Retrieval and partial induction (dec.toy).

A key is `t` steps before the query, `1 <= t <= T`. The angle is `theta`, where it has to be halved `2 x`; the logit of
any query and key over planes of this one angle is `f1 cos(t theta) - f2 sin(t theta)`.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    Part,
    Split,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_binding_proofs import HALF, T, q, t, theta, u, x, y
from headproof.theory.expressivity.plane_limit_proofs import match_at

e = sympy.Symbol("e", real=True)
CENTRE = (T + 1) / 2
PLACE: dict[str, Hypothesis] = {"t": at_least(t, 1), "t, end": at_least(T, t)}
PAIR: dict[str, Hypothesis] = {"first": at_least(t, 1), "apart": at_least(u, t + 1), "last": at_least(T, u)}

# -- Retrieval: about the middle of the places -----------------------------------------------------------------------

CENTRED = "turned to the middle of the places a match is above 0, which wrong keys and the query's own have"


def centred(room: Fact) -> Entailment:
    """`cos((t - (T + 1) / 2) theta) > 0`, `theta >= 0`, where `room` says that `(T - 1) theta < pi`."""
    return Entailment(
        CENTRED,
        {**PLACE, "angle": at_least(theta), "range": room},
        (greater(cos((t - CENTRE) * theta)),),
        integers=(T, t),
    )


_from_low = pi / 2 + (t - CENTRE) * theta
PROOF_OF_CENTRED = Derivation(
    CENTRED,
    (
        Derive("low", greater(_from_low), (Part(("range",), HALF), Part(("t", "angle")))),
        Derive("high", greater(pi, _from_low), (Part(("range",), HALF), Part(("t, end", "angle")))),
        Use("above", "sine", (_from_low,), ("low", "high")),
    ),
)

# -- partial induction: a little ahead of the first two places -------------------------------------------------------

AHEAD = "turned a little ahead of the first two places a match is above 0, which wrong keys and the query's own have"
IN_ORDER = "and a match is above an earlier one"
NO_ORDER = "over a wider angle no query and key have logits that are above 0 and fall with the distance"
NO_ORDER_STRAIGHT = "nor at half a turn"
NO_ORDER_STILL = "nor at angle 0"


_phase, _later = ((each - sympy.Rational(3, 2)) * theta + e for each in (t, u))
_E = {"e": equal(4 * e, pi - (2 * T - 3) * theta)}


def ahead(room: Fact) -> Entailment:
    """`cos((t - 3/2) theta + e) > 0` for `0 <= theta <= pi`, where `room` says that `4 e > 0`."""
    return Entailment(
        AHEAD,
        {**PLACE, **_E, "angle": at_least(theta), "range": room, "reduced": at_least(pi, theta)},
        (greater(cos(_phase)),),
        integers=(T, t),
    )


def in_order(room: Fact, angle: Fact | None = None) -> Entailment:
    """`cos((t - 3/2) theta + e) > cos((u - 3/2) theta + e)` for `t < u <= T`."""
    angle = greater(theta) if angle is None else angle
    return Entailment(
        IN_ORDER,
        {**PAIR, **_E, "angle": angle, "range": room},
        (greater(cos(_phase), cos(_later)),),
        integers=(T, t, u),
    )


_e_above = Derive("e > 0", greater(e), (Part(("range",), HALF / 2), Part(("e",), HALF / 2)))
PROOF_OF_AHEAD = Derivation(
    AHEAD,
    (
        _e_above,
        Derive("low", greater(pi / 2 + _phase), (Part(("reduced",), HALF), Part(("e > 0",)), Part(("t", "angle")))),
        Derive("high", greater(pi / 2, _phase), (Part(("e > 0",)), Part(("t, end", "angle")), Part(("e",), -HALF))),
        Derive("high, from 0", greater(pi, pi / 2 + _phase), (Part(("high",)),)),
        Use("above", "sine", (pi / 2 + _phase,), ("low", "high, from 0")),
    ),
)
_mean, _half = (t + u - 3) * theta / 2 + e, (u - t) * theta / 2
PROOF_OF_IN_ORDER = Derivation(
    IN_ORDER,
    (
        _e_above,
        Derive("sum > 0", greater(_mean), (Part(("e > 0",)), Part(("first", "angle")), Part(("apart", "angle"), HALF))),
        Derive(
            "sum < pi",
            greater(pi, _mean),
            (
                Part(("e > 0",), 3),
                Part(("e",), -1),
                Part(("last", "angle"), 2),
                Part(("apart", "angle"), sympy.Rational(3, 2)),
                Part(("first", "angle")),
                Part(("angle",)),
            ),
        ),
        Use("sine 1", "sine", (_mean,), ("sum > 0", "sum < pi")),
        Derive("difference > 0", greater(_half), (Part(("apart", "angle"), HALF), Part(("angle",), HALF))),
        Derive(
            "difference < pi",
            greater(pi, _half),
            (
                Part(("e > 0",), 4),
                Part(("e",), -1),
                Part(("last", "angle"), 2),
                Part(("apart", "angle"), sympy.Rational(3, 2)),
                Part(("first", "angle"), 2),
                Part(("angle",), HALF),
            ),
        ),
        Use("sine 2", "sine", (_half,), ("difference > 0", "difference < pi")),
        Derive("later", greater(cos(_phase), cos(_later)), (Part(("sine 1", "sine 2"), 2),)),
    ),
)


def _ordered(half: Any) -> dict[str, Hypothesis]:
    """A match above 0 at every place, and above the match a step earlier; half the angle is `half`."""
    positive, fall = match_at(t).subs(x, half), (match_at(t) - match_at(t + 1)).subs(x, half)
    return {
        "keys": at_least(T, 2),
        "positive": Universal((t,), (at_least(t, 1), at_least(T, t)), greater(positive)),
        "order": Universal((t,), (at_least(t, 1), at_least(T - 1, t)), greater(fall)),
    }


def no_order(reach: Fact, reduced: Fact | None = None) -> Entailment:
    """There is no such query and key for `0 < 2 x < pi`, where `reach` says that `(2T - 3) 2 x >= pi`."""
    reduced = greater(pi, 2 * x) if reduced is None else reduced
    return Entailment(
        NO_ORDER,
        {**_ordered(x), "angle": greater(x), "reduced": reduced, "y": equal(x * y, pi), "reach": reach},
        (FALSE,),
        integers=(T, t),
    )


def no_order_at(title: str, half: Any) -> Entailment:
    """The same at half the angle given."""
    return Entailment(title, _ordered(half), (FALSE,), integers=(T, t))


def _sine(name: str, value: Any, above: tuple[Part, ...], below: tuple[Part, ...]) -> tuple[DerivationStep, ...]:
    """`sin value > 0`, or `>= 0` where a bound may be reached: `above` adds up to value, `below` to pi - value."""
    strict = at_least if name == "past" else greater
    return (
        Derive(f"{name}, low", strict(value), above),
        Derive(f"{name}, high", greater(pi, value), below),
        Use(f"sin {name}", "sine", (value,), (f"{name}, low", f"{name}, high")),
    )


_b = -q  # the least integer with b theta >= pi


def surround(
    span: Part, last: Any = T, given: str = "positive", more: tuple[str, ...] = ()
) -> tuple[DerivationStep, ...]:
    """Above 0 at the places 1 to `last`, as the universal `given` says (`more` are facts it asks for besides): not
    where `(last - 1) 2 x >= pi`, half of which less pi `span` gives."""
    return (
        Use("q", "floor", (q, -y / 2 - 1), ()),
        Derive("before", greater(pi, (_b - 1) * 2 * x), (Part(("q.1", "angle"), 2), Part(("y",), -1))),
        Derive("half a turn", at_least(_b * 2 * x, pi), (Part(("q.2", "angle"), 2), Part(("y",)))),
        Derive("(b - 1) x > 0", greater((_b - 1) * x), (Part(("half a turn",), HALF), Part(("reduced",), HALF))),
        Use("b > 1", "quotient", (_b - 1,), ("(b - 1) x > 0", "angle")),
        Derive("(last - b) x > 0", greater((last - _b) * x), (span, Part(("before",), HALF))),
        Use("last > b", "quotient", (last - _b,), ("(last - b) x > 0", "angle")),
        Use("last >= b + 1", "integer", (), ("last > b",)),
        Derive("b >= 1", at_least(_b, 1), (Part(("b > 1",)),)),
        Derive("b + 1 >= 1", at_least(_b + 1, 1), (Part(("b > 1",)), Part())),
        Derive("b <= last", at_least(last, _b), (Part(("last > b",)),)),
        Derive("b + 1 <= last", at_least(last, _b + 1), (Part(("last >= b + 1",)),)),
        Use("at b", "instance", (_b,), (given, "b >= 1", "b <= last", *more)),
        Use("at b + 1", "instance", (_b + 1,), (given, "b + 1 >= 1", "b + 1 <= last", *more)),
        *_sine("step", 2 * x, (Part(("angle",), 2),), (Part(("reduced",)),)),
        *_sine("past", 2 * _b * x - pi, (Part(("half a turn",)),), (Part(("before",)), Part(("reduced",)))),
        *_sine("short", 2 * (_b - 1) * x, (Part(("(b - 1) x > 0",), 2),), (Part(("before",)),)),
        Derive(
            "none",
            FALSE,
            (Part(("at 1", "sin step")), Part(("at b", "sin past")), Part(("at b + 1", "sin short"))),
            "the directions of the places 1, b and b + 1 surround the centre",
        ),
    )


QUARTER: tuple[Part, ...] = (Part(("pi.1",), HALF), Part((), sympy.Rational(3, 2)))
_NARROW: tuple[DerivationStep, ...] = (
    Derive("(T - 2) x > 0", greater((T - 2) * x), (Part(("reach",), HALF / 2), Part(("reduced",), HALF / 2))),
    *_sine("co-x", pi / 2 - x, (Part(("reduced",), HALF),), (Part(("angle",)), *QUARTER)),
    *_sine("x", x, (Part(("angle",)),), (Part(("reduced",), HALF), *QUARTER)),
    *_sine(
        "past",
        (2 * T - 3) * x - pi / 2,
        (Part(("reach",), HALF),),
        (Part(("span",)), Part(("angle",)), *QUARTER),
    ),
    *_sine("short", 2 * (T - 2) * x, (Part(("(T - 2) x > 0",), 2),), (Part(("span",)), Part(("angle",), 2))),
    Derive(
        "none",
        FALSE,
        (Part(("order 1", "sin co-x")), Part(("order T - 1", "sin past")), Part(("at T", "sin short", "sin x"), 2)),
        "the directions of the slopes at 3/2 and T - 1/2 and of the value at T do",
    ),
)
_AT_1: tuple[DerivationStep, ...] = (
    Derive("1 >= 1", at_least(1, 1), ()),
    Derive("1 <= T", at_least(T, 1), (Part(("keys",)), Part())),
    Derive("1 <= T - 1", at_least(T - 1, 1), (Part(("keys",)),)),
    Use("at 1", "instance", (1,), ("positive", "1 >= 1", "1 <= T")),
    Use("order 1", "instance", (1,), ("order", "1 >= 1", "1 <= T - 1")),
)
PROOF_OF_NO_ORDER = Derivation(
    NO_ORDER,
    (
        Use("pi", "pi"),
        *_AT_1,
        Derive("T <= T", at_least(T, T), ()),
        Derive("T - 1 <= T - 1", at_least(T - 1, T - 1), ()),
        Use("at T", "instance", (T,), ("positive", "1 <= T", "T <= T")),
        Use("order T - 1", "instance", (T - 1,), ("order", "1 <= T - 1", "T - 1 <= T - 1")),
        Split(
            "span",
            pi - (T - 1) * 2 * x,
            FALSE,
            positive=_NARROW,
            zero=surround(Part(("span",), -HALF)),
            negative=surround(Part(("span",), HALF)),
        ),
    ),
    "Over half a turn or more no three such places have logits above 0; under it the order fails at the last.",
)
PROOF_OF_NO_ORDER_STRAIGHT = Derivation(
    NO_ORDER_STRAIGHT,
    (
        *_AT_1,
        Derive("2 >= 1", at_least(2, 1), (Part(),)),
        Derive("2 <= T", at_least(T, 2), (Part(("keys",)),)),
        Use("at 2", "instance", (2,), ("positive", "2 >= 1", "2 <= T")),
        Derive("none", FALSE, (Part(("at 1",)), Part(("at 2",)))),
    ),
)
PROOF_OF_NO_ORDER_STILL = Derivation(NO_ORDER_STILL, (*_AT_1, Derive("none", FALSE, (Part(("order 1",)),))))
