"""Proofs about one plane on partial induction with its phases set ahead: `(t - 3/2) theta + e` with a small `e > 0`.

Letters as in `plane_binding_proofs`; `4 e` is what is left of the range `2 w - (2T - 4) theta > 0`.
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
    Fact,
    Part,
    Split,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_angle_proofs import WRONG, places
from headproof.theory.expressivity.plane_binding_proofs import HALF, LATER, S, T, p, polygon, t, theta, u, w

e = sympy.Symbol("e", real=True)
AHEAD = 2 * w - (2 * T - 4) * theta
WIDE = 2 * w - (T - 1) * theta
_phase = (t - sympy.Rational(3, 2)) * theta + e, (u - sympy.Rational(3, 2)) * theta + e


def ahead_later(ahead: Any, wide: Any, angle: Fact | None = None, symbols: int = 1) -> Entailment:
    """`cos x_t > cos x_u` for `t < u <= T`; `4 e` is what is left of the range, `ahead > 0`."""
    return Entailment(
        LATER,
        {
            **polygon(symbols),
            "angle": greater(theta) if angle is None else angle,
            "ahead": greater(ahead),
            "wide": greater(wide),
            "e": Fact(4 * e - ahead, "=="),
            "first": at_least(t, 1),
            "apart": at_least(u, t + 1),
            "last": at_least(T, u),
        },
        (greater(cos(_phase[0]), cos(_phase[1])),),
        integers=(T, S, t, u),
    )


def ahead_wrong_loses(ahead: Any, wide: Any, symbols: int = 1) -> Entailment:
    """`cos x_t > cos(x_u + 2 p w)` for `t != u`."""
    return Entailment(
        WRONG,
        {
            **polygon(symbols),
            **places(),
            "angle": greater(theta),
            "ahead": greater(ahead),
            "wide": greater(wide),
            "e": Fact(4 * e - ahead, "=="),
        },
        (greater(cos(_phase[0]), cos(_phase[1] + 2 * p * w)),),
        integers=(T, S, t, u, p),
    )


_mean = (t + u - 3) * theta / 2 + e  # half of x_t + x_u
PROOF_OF_AHEAD_LATER = Derivation(
    LATER,
    (
        Derive("e > 0", greater(e), (Part(("ahead",), HALF / 2), Part(("e",), HALF / 2))),
        Derive(
            "sum > 0",
            greater(_mean),
            (Part(("e > 0",)), Part(("first", "angle")), Part(("apart", "angle"), HALF)),
        ),
        Derive(
            "sum < pi",
            greater(pi, _mean),
            (
                Part(("symbols", "w > 0")),
                Part(("w",), -1),
                Part(("ahead",), HALF / 2),
                Part(("e",), -HALF / 2),
                Part(("last", "angle")),
                Part(("apart", "angle"), HALF),
            ),
        ),
        Use("sine 1", "sine", (_mean,), ("sum > 0", "sum < pi")),
        Derive(
            "difference > 0", greater((u - t) * theta / 2), (Part(("apart", "angle"), HALF), Part(("angle",), HALF))
        ),
        Derive(
            "difference < pi",
            greater(pi, (u - t) * theta / 2),
            (
                Part(("symbols", "w > 0")),
                Part(("w",), -1),
                Part(("wide",), HALF),
                Part(("last", "angle"), HALF),
                Part(("first", "angle"), HALF),
            ),
        ),
        Use("sine 2", "sine", ((u - t) * theta / 2,), ("difference > 0", "difference < pi")),
        Derive("later", greater(cos(_phase[0]), cos(_phase[1])), (Part(("sine 1", "sine 2"), 2),)),
    ),
)
_low, _high = greater(_mean), greater(w, _mean)
PROOF_OF_AHEAD_WRONG = Derivation(
    WRONG,
    (
        Derive("e > 0", greater(e), (Part(("ahead",), HALF / 2), Part(("e",), HALF / 2))),
        *(
            Split(
                name,
                t - u,
                fact,
                positive=(Use("one", "integer", (), (name,)), Derive("mean", fact, parts("u", "t, end"))),
                zero=(
                    Use("same", "replace", (t, u), ("apart", name)),
                    Derive("one place", FALSE, (Part(("same",)),)),
                ),
                negative=(Use("one", "integer", (), (name,)), Derive("mean", fact, parts("t", "u, end"))),
                why="two places add up to 3 at least and to 2T - 1 at most",
            )
            for name, fact, parts in (
                (
                    "mean > 0",
                    _low,
                    lambda low, high: (Part(("e > 0",)), Part((low, "angle")), Part(("one", "angle"), HALF)),
                ),
                (
                    "mean < w",
                    _high,
                    lambda low, high: (
                        Part(("ahead",), HALF / 2),
                        Part(("e",), -HALF / 2),
                        Part((high, "angle")),
                        Part(("one", "angle"), HALF),
                    ),
                ),
            )
        ),
        Derive(
            "sum > 0",
            greater(_mean + p * w),
            (Part(("mean > 0",)), Part(("p", "w > 0")), Part(("w > 0",))),
        ),
        Derive(
            "sum < pi", greater(pi, _mean + p * w), (Part(("p, end", "w > 0")), Part(("w",), -1), Part(("mean < w",)))
        ),
        Use("sine 1", "sine", (_mean + p * w,), ("sum > 0", "sum < pi")),
        *(
            Derive(name, greater(value), parts)
            for name, value, parts in (
                (
                    "difference > 0",
                    (u - t) * theta / 2 + p * w,
                    (
                        Part(("p", "w > 0")),
                        Part(("wide",), HALF),
                        Part(("t, end", "angle"), HALF),
                        Part(("u", "angle"), HALF),
                    ),
                ),
                (
                    "difference < pi",
                    pi - (u - t) * theta / 2 - p * w,
                    (
                        Part(("p, end", "w > 0")),
                        Part(("w",), -1),
                        Part(("wide",), HALF),
                        Part(("u, end", "angle"), HALF),
                        Part(("t", "angle"), HALF),
                    ),
                ),
            )
        ),
        Use("sine 2", "sine", ((u - t) * theta / 2 + p * w,), ("difference > 0", "difference < pi")),
        Derive("above", greater(cos(_phase[0]), cos(_phase[1] + 2 * p * w)), (Part(("sine 1", "sine 2"), 2),)),
    ),
)


WIDTH = "with two symbols 2 w is half a turn"


def width(symbols: int = 2) -> Entailment:
    """`2 w = pi` where so many symbols share a turn."""
    return Entailment(WIDTH, {"w": equal(w * S, pi), "symbols": equal(S, symbols)}, (equal(2 * w, pi),))


PROOF_OF_WIDTH = Derivation(WIDTH, (Use("half a turn", "replace", (S, 2), ("w", "symbols")),))
