"""Proofs about partial induction with one angle, the symbol in the phase (beside DEC, theorem 6).

Letters as in `plane_binding_proofs`. The range is `0 < (2T - 1) theta < 2 w`, up to full turns and the sign.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi, sin

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
    greater,
)
from headproof.theory.expressivity.plane_angle_proofs import FARTHEST, IN_RANGE, NO_WRONG, WRONG, places
from headproof.theory.expressivity.plane_binding_proofs import HALF, S, T, p, polygon, proof_of_later, t, theta, u, w, x

r = sympy.Symbol("r", real=True)
ONE_AND_A_HALF = sympy.Rational(3, 2)
PHASE_RANGE = 2 * w - (2 * T - 1) * theta
PROOF_OF_LATER_PHASE = proof_of_later(
    (
        Part(("symbols", "w > 0")),
        Part(("w",), -1),
        Part(("range",), HALF),
        Part(("last", "angle")),
        Part(("apart", "angle"), HALF),
    ),
)


def phase_wrong_loses(room: Any) -> Entailment:
    """One plane, the symbol number p turned by `2 p w`: a match is above a wrong key elsewhere if `room > 0`."""
    return Entailment(
        WRONG,
        {**polygon(), **places(), "angle": greater(theta), "range": greater(room)},
        (greater(cos(theta * t), cos(theta * u + 2 * p * w)),),
        integers=(T, S, t, u, p),
    )


_far = greater(w, (t + u) * theta / 2)
PROOF_OF_PHASE_WRONG = Derivation(
    WRONG,
    (
        Split(
            "side",
            t - u,
            _far,
            positive=(
                Use("one", "integer", (), ("side",)),
                Derive("far", _far, (Part(("range",), HALF), Part(("t, end", "angle")), Part(("one", "angle"), HALF))),
            ),
            zero=(
                Use("same", "replace", (t, u), ("apart", "side")),
                Derive("one place", FALSE, (Part(("same",)),)),
            ),
            negative=(
                Use("one", "integer", (), ("side",)),
                Derive("far", _far, (Part(("range",), HALF), Part(("u, end", "angle")), Part(("one", "angle"), HALF))),
            ),
            why="two places up to T add up to 2T - 1 at most",
        ),
        Derive(
            "sum > 0",
            greater((t + u) * theta / 2 + p * w),
            (
                Part(("t", "angle"), HALF),
                Part(("u", "angle"), HALF),
                Part(("angle",)),
                Part(("p", "w > 0")),
                Part(("w > 0",)),
            ),
        ),
        Derive(
            "sum < pi",
            greater(pi, (t + u) * theta / 2 + p * w),
            (Part(("p, end", "w > 0")), Part(("w",), -1), Part(("side",))),
        ),
        Use("sine 1", "sine", ((t + u) * theta / 2 + p * w,), ("sum > 0", "sum < pi")),
        Derive(
            "difference > 0",
            greater((u - t) * theta / 2 + p * w),
            (Part(("p", "w > 0")), Part(("side",)), Part(("u", "angle")), Part(("angle",))),
        ),
        Derive(
            "difference < pi",
            greater(pi, (u - t) * theta / 2 + p * w),
            (Part(("sum < pi",)), Part(("t", "angle")), Part(("angle",))),
        ),
        Use("sine 2", "sine", ((u - t) * theta / 2 + p * w,), ("difference > 0", "difference < pi")),
        Derive("above", greater(cos(theta * t), cos(theta * u + 2 * p * w)), (Part(("sine 1", "sine 2"), 2),)),
    ),
)


def phase_no_wrong(room: Any, symbols: int = 2) -> Entailment:
    """If the farthest match is above the neighbouring symbol a step nearer, then `room > 0`; here `theta = 2 x`.

    "order" is what the order of the matches gives (`no_later`)."""
    return Entailment(
        NO_WRONG,
        {
            **polygon(symbols),
            "keys": at_least(T, 2),
            "angle": greater(x),
            "reduced": at_least(pi, 2 * x),
            "order": greater(pi, (2 * T - 1) * x),
            "wins": Universal((t, u), IN_RANGE, greater(cos(2 * x * t), cos(2 * x * u - 2 * w))),
        },
        (greater(room),),
        integers=(T, S, t, u),
    )


_BEYOND: tuple[DerivationStep, ...] = (
    Derive("past", at_least((2 * T - 1) * x - w), (Part(("beyond",)),)),
    Derive("past, end", at_least(pi, (2 * T - 1) * x - w), (Part(("order",)), Part(("w > 0",)))),
    Use("sine 1", "sine", ((2 * T - 1) * x - w,), ("past", "past, end")),
    Derive("half > 0", at_least(x + w), (Part(("angle",)), Part(("w > 0",)))),
    Derive(
        "half < pi",
        at_least(pi, x + w),
        (Part(("reduced",), HALF), Part(("symbols", "w > 0"), HALF), Part(("w",), -HALF)),
    ),
    Use("sine 2", "sine", (x + w,), ("half > 0", "half < pi")),
    Derive(
        "no match",
        FALSE,
        (Part(("farthest",)), Part(("sine 1", "sine 2"), 2)),
        "cos(2 x T) - cos(2 x (T - 1) - 2 w) = 2 sin(w + x) sin(w - (2T - 1) x)",
    ),
)
PROOF_OF_PHASE_NO_WRONG = Derivation(
    NO_WRONG,
    (
        *FARTHEST[:2],
        Derive("T - 1", at_least(T - 1, 1), (Part(("keys",)),)),
        Derive("T - 1, end", at_least(T, T - 1), (Part(),)),
        Derive("not T", greater((T - (T - 1)) ** 2), (Part(),)),
        Use("farthest", "instance", (T, T - 1), ("wins", "T", "T, end", "T - 1", "T - 1, end", "not T", "symbols")),
        Suppose("beyond", at_least((2 * T - 1) * x, w), _BEYOND),
        Derive("in range", greater(2 * w, (2 * T - 1) * 2 * x), (Part(("beyond",), 2),)),
    ),
)

MARGIN_BETWEEN = "the lead of the last match over the one before it is small"


def small_margin(constant: Any = ONE_AND_A_HALF, reach: int = 1) -> Entailment:
    """`cos theta - cos 2 theta < constant r^2` for `0 < theta < reach r`, `r = 2 w / (2T - 1)`."""
    return Entailment(
        MARGIN_BETWEEN,
        {
            "angle": greater(theta),
            "range": greater(reach * r, theta),
            "r": Fact(r * (2 * T - 1) - 2 * w, "=="),
        },
        (greater(constant * r**2, cos(theta) - cos(2 * theta)),),
        integers=(T,),
    )


PROOF_OF_MARGIN = Derivation(
    MARGIN_BETWEEN,
    (
        Use("at 3 theta", "parabola", (3 * theta,), ()),
        Use("at theta", "parabola", (theta,), ()),
        Derive("r + theta > 0", greater(r + theta), (Part(("range",)), Part(("angle",), 2))),
        Derive(
            "bound",
            greater(ONE_AND_A_HALF * r**2, cos(theta) - cos(2 * theta)),
            (
                Part(("range", "r + theta > 0"), ONE_AND_A_HALF),
                Part(("at 3 theta",), sympy.Rational(1, 6)),
                Part(("at theta",), ONE_AND_A_HALF),
                Part((), sympy.Rational(1, 3), (sin(3 * theta / 2) - 3 * sin(theta / 2),)),
            ),
            "2 sin(3 theta / 2) sin(theta / 2) <= sin(3 theta / 2)^2 / 3 + 3 sin(theta / 2)^2 <= (3 / 2) theta^2",
        ),
    ),
)
