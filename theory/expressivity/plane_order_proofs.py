"""Proofs of what no head of one plane can do on partial induction: keep its matches in order over a wide angle.

Letters as in `plane_limit_proofs`. Keys may depend on the attribute; `f` and `g` then belong to the average of a
symbol's keys over two attributes, for which the inequalities hold as well.
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
    Fact,
    Part,
    Split,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_binding_proofs import HALF, S, T, q, t, u, x, y
from headproof.theory.expressivity.plane_limit_proofs import WINS, f1, f2, g1, g2, match_at, v, wrong_at

TURN = "in order over a quarter turn or more, the other symbol's key must be turned one way"
BOTH_WAYS = "the two symbols' keys cannot each be turned that way from the other"
STILL = "at angle 0 the matches are not in order"
AVERAGE = "what holds for keys of two attributes holds for their average"

ORDER_PLACES = (at_least(t, 1), at_least(T - 1, t), at_least(v, 2), at_least(S, 2))
ORDER = Universal((t,), ORDER_PLACES, greater(match_at(t), match_at(t + 1)))


def turn(reach: Any, symbols: int = 2, attributes: int = 2, reduced: Fact | None = None) -> Entailment:
    """For `0 < 2 x < pi` and `reach = (T - 2) 2 x - pi / 2 >= 0`, order and matches give `Im(conj(f) g) > 0`."""
    return Entailment(
        TURN,
        {
            "symbols": at_least(S, symbols),
            "attributes": at_least(v, attributes),
            "keys": at_least(T, 3),
            "angle": greater(x),
            "reduced": greater(pi, 2 * x) if reduced is None else reduced,
            "y": equal(x * y, pi),
            "reach": at_least(reach),
            "order": ORDER,
            "wins": WINS,
        },
        (greater(f1 * g2 - f2 * g1),),
        integers=(T, S, v, t, u),
    )


_d = -q  # the least distance with d theta >= pi / 2; W = d theta
_W = 2 * _d * x
_slope0, _slope1 = (f1 * sin(a * x) + f2 * cos(a * x) for a in (3, 2 * _d + 3))
_first, _last = (sympy.Rational(3, 2), _d + sympy.Rational(3, 2))
_INSTANCES = (
    # name, match, its facts, other place, its facts, why they differ
    ("near 1", _d + 1, ("d + 1 >= 1", "d + 1 <= T"), sympy.Integer(1), ("1 >= 1", "1 <= T"), "d"),
    ("near 2", _d + 2, ("d + 2 >= 1", "d + 2 <= T"), sympy.Integer(2), ("2 >= 1", "2 <= T"), "d"),
    ("far 1", _d + 1, ("d + 1 >= 1", "d + 1 <= T"), _d + 2, ("d + 2 >= 1", "d + 2 <= T"), "one"),
    ("far 2", _d + 2, ("d + 2 >= 1", "d + 2 <= T"), _d + 1, ("d + 1 >= 1", "d + 1 <= T"), "one"),
)
_apart = {"d": (Part(("d > 0", "d > 0")),), "one": (Part(),)}
_UNDER_PI = greater(pi, _W)

PROOF_OF_TURN = Derivation(
    TURN,
    (
        Use("pi", "pi"),
        Use("q", "floor", (q, -y / 4 - 1), ()),
        Derive("before", greater(pi / 2, (_d - 1) * 2 * x), (Part(("q.1", "angle"), 2), Part(("y",), -HALF))),
        Derive("quarter", at_least(_W, pi / 2), (Part(("q.2", "angle"), 2), Part(("y",), HALF))),
        Derive(
            "d x > 0", greater(_d * x), (Part(("quarter",), HALF), Part(("pi.1",), HALF / 2), Part((), 3 * HALF / 2))
        ),
        Use("d > 0", "quotient", (_d,), ("d x > 0", "angle")),
        Derive("(T - 1 - d) x > 0", greater((T - 1 - _d) * x), (Part(("reach",), HALF), Part(("before",), HALF))),
        Use("d < T - 1", "quotient", (T - 1 - _d,), ("(T - 1 - d) x > 0", "angle")),
        Use("d <= T - 2", "integer", (), ("d < T - 1",)),
        Split(
            "step",
            pi / 2 - 2 * x,
            _UNDER_PI,
            positive=(Derive("W < pi", _UNDER_PI, (Part(("before",)), Part(("step",)))),),
            zero=(Derive("W < pi", _UNDER_PI, (Part(("before",)), Part(("step",)))),),
            negative=(
                Derive("(2 - d) x > 0", greater((2 - _d) * x), (Part(("before",), HALF), Part(("step",), HALF))),
                Use("d < 2", "quotient", (2 - _d,), ("(2 - d) x > 0", "angle")),
                Use("d <= 1", "integer", (), ("d < 2",)),
                Derive("W < pi", _UNDER_PI, (Part(("d <= 1", "angle"), 2), Part(("reduced",)))),
            ),
        ),
        Derive("W > 0", greater(_W), (Part(("d x > 0",), 2),)),
        Use("sin W", "sine", (_W,), ("W > 0", "step")),
        Derive("past", at_least(_W - pi / 2), (Part(("quarter",)),)),
        Derive(
            "past, end",
            at_least(pi, _W - pi / 2),
            (Part(("step",)), Part(("pi.1",), HALF), Part((), sympy.Rational(3, 2))),
        ),
        Use("-cos W", "sine", (_W - pi / 2,), ("past", "past, end")),
        Derive(
            "x < pi",
            greater(pi, x),
            (Part(("reduced",), HALF), Part(("pi.1",), HALF), Part((), sympy.Rational(3, 2))),
        ),
        Use("sin x", "sine", (x,), ("angle", "x < pi")),
        Derive("co-x", greater(pi / 2, x), (Part(("reduced",), HALF),)),
        Derive(
            "co-x, end",
            greater(pi, pi / 2 - x),
            (Part(("angle",)), Part(("pi.1",), HALF), Part((), sympy.Rational(3, 2))),
        ),
        Use("cos x", "sine", (pi / 2 - x,), ("co-x", "co-x, end")),
        Derive("1 >= 1", at_least(1, 1), ()),
        Derive("1 <= T", at_least(T, 1), (Part(("keys",)), Part((), 2))),
        Derive("1 <= T - 1", at_least(T - 1, 1), (Part(("keys",)), Part((), 1))),
        Derive("2 >= 1", at_least(2, 1), (Part(),)),
        Derive("2 <= T", at_least(T, 2), (Part(("keys",)), Part())),
        Derive("d + 1 >= 1", at_least(_d + 1, 1), (Part(("d > 0",)),)),
        Derive("d + 1 <= T - 1", at_least(T - 1, _d + 1), (Part(("d <= T - 2",)),)),
        Derive("d + 1 <= T", at_least(T, _d + 1), (Part(("d <= T - 2",)), Part())),
        Derive("d + 2 >= 1", at_least(_d + 2, 1), (Part(("d > 0",)), Part())),
        Derive("d + 2 <= T", at_least(T, _d + 2), (Part(("d <= T - 2",)),)),
        Use("order 1", "instance", (1,), ("order", "1 >= 1", "1 <= T - 1", "attributes", "symbols")),
        Use("order d + 1", "instance", (_d + 1,), ("order", "d + 1 >= 1", "d + 1 <= T - 1", "attributes", "symbols")),
        Derive("slope at 3/2, times", greater(_slope0 * sin(x)), (Part(("order 1",), HALF),)),
        Use("slope at 3/2", "quotient", (_slope0,), ("slope at 3/2, times", "sin x")),
        Derive("slope at d + 3/2, times", greater(_slope1 * sin(x)), (Part(("order d + 1",), HALF),)),
        Use("slope at d + 3/2", "quotient", (_slope1,), ("slope at d + 3/2, times", "sin x")),
        Derive(
            "first, times",
            greater(match_at(_first) * sin(_W)),
            (Part(("slope at d + 3/2",)), Part(("slope at 3/2", "-cos W"))),
        ),
        Use("first", "quotient", (match_at(_first),), ("first, times", "sin W"), "the match at 3/2 is above 0"),
        Derive(
            "last, times",
            greater(-match_at(_last) * sin(_W)),
            (Part(("slope at 3/2",)), Part(("slope at d + 3/2", "-cos W"))),
        ),
        Use("last", "quotient", (-match_at(_last),), ("last, times", "sin W"), "and at d + 3/2 below 0"),
        *(
            step
            for name, match, ends, other, other_ends, why in _INSTANCES
            for step in (
                Derive(f"{name} apart", greater((match - other) ** 2), _apart[why]),
                Use(
                    name,
                    "instance",
                    (match, other),
                    ("wins", *ends, *other_ends, f"{name} apart", "symbols", "attributes"),
                ),
            )
        ),
        Derive(
            "near, times",
            greater((match_at(_last) - wrong_at(_first)) * cos(x)),
            (Part(("near 1",), HALF), Part(("near 2",), HALF)),
        ),
        Use("near", "quotient", (match_at(_last) - wrong_at(_first),), ("near, times", "cos x")),
        Derive(
            "far, times",
            greater((match_at(_last) - wrong_at(_last)) * cos(x)),
            (Part(("far 1",), HALF), Part(("far 2",), HALF)),
        ),
        Use("far", "quotient", (match_at(_last) - wrong_at(_last),), ("far, times", "cos x")),
        Derive(
            "turned, times",
            greater((f1 * g2 - f2 * g1) * sin(_W)),
            (Part(("last", "last")), Part(("last", "near")), Part(("first", "last")), Part(("first", "far"))),
            "the last match times the first other key, less the first match times the last other key",
        ),
        Use("turned", "quotient", (f1 * g2 - f2 * g1,), ("turned, times", "sin W")),
    ),
    "Halfway between two places the order of the matches is the slope; over a quarter turn the match falls below 0.",
)

# -- both symbols --------------------------------------------------------------------------------------------------

p1, p2, r1, r2, m1, m2, n1, n2 = sympy.symbols("p1 p2 r1 r2 m1 m2 n1 n2", real=True)


def _turned(query: tuple[Any, Any], key: tuple[Any, Any], other: tuple[Any, Any]) -> Any:
    """`Im(conj(f) g)` for `f = conj(query) key`, `g = conj(query) other`."""
    (a, b), (k1, k2), (o1, o2) = query, key, other
    return (a * k1 + b * k2) * (a * o2 - b * o1) - (a * k2 - b * k1) * (a * o1 + b * o2)


def both_ways(swapped: bool = True) -> Entailment:
    """The keys p and r of two symbols, the queries m and n for them: r from p and p from r cannot both be turned so."""
    second = _turned((n1, n2), (r1, r2), (p1, p2)) if swapped else _turned((n1, n2), (p1, p2), (r1, r2))
    return Entailment(
        BOTH_WAYS,
        {"one": greater(_turned((m1, m2), (p1, p2), (r1, r2))), "other": greater(second)},
        (FALSE,),
    )


_area = p1 * r2 - p2 * r1
PROOF_OF_BOTH_WAYS = Derivation(
    BOTH_WAYS,
    (
        Derive(
            "none",
            FALSE,
            (Part(("one", "other")), *(Part((), 1, (a, b, _area)) for a in (m1, m2) for b in (n1, n2))),
            "one is |m|^2 times the area that the keys span, the other -|n|^2 times it",
        ),
    ),
)


def still(symbols: int = 2) -> Entailment:
    """At angle 0 the matches at 1 and 2 tie."""
    there = {x: 0}
    flat = Universal((t,), ORDER_PLACES, greater(match_at(t).subs(there), match_at(t + 1).subs(there)))
    return Entailment(
        STILL,
        {"keys": at_least(T, 2), "symbols": at_least(S, symbols), "attributes": at_least(v, 2), "order": flat},
        (FALSE,),
        integers=(T, S, t, v),
    )


PROOF_OF_STILL = Derivation(
    STILL,
    (
        Derive("1 >= 1", at_least(1, 1), ()),
        Derive("1 <= T - 1", at_least(T - 1, 1), (Part(("keys",)),)),
        Use("order 1", "instance", (1,), ("order", "1 >= 1", "1 <= T - 1", "attributes", "symbols")),
        Derive("none", FALSE, (Part(("order 1",)),)),
    ),
)


def average() -> Entailment:
    """Of the keys with attributes 1 and 2 of both symbols: matches f, others g, each above the other attribute's."""
    a1, a2, b1, b2 = sympy.symbols("a1 a2 b1 b2", real=True)
    return Entailment(
        AVERAGE, {"one": greater(a1, b2), "two": greater(a2, b1)}, (greater((a1 + a2) / 2, (b1 + b2) / 2),)
    )


PROOF_OF_AVERAGE = Derivation(
    AVERAGE,
    (Derive("average", average().conclusions[0], (Part(("one",), HALF), Part(("two",), HALF))),),
)
