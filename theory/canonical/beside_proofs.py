"""Proofs about heads with planes of angle 0 beside planes of one other angle on partial induction (dec.toy).

Letters as in `within_proofs`. The parts of a logit in the planes of angle 0 sum up to `h`, the same at every place; the
rest is `f1 cos(t theta) - f2 sin(t theta)`, `theta = 2 x`.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import pi, sin

from headproof.theory.canonical.within_proofs import CENTRE, PAIR, QUARTER, surround
from headproof.theory.derivation import (
    FALSE,
    Derivation,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    Part,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_binding_proofs import HALF, S, T, t, theta, u, x, y
from headproof.theory.expressivity.plane_limit_proofs import match_at, v
from headproof.theory.expressivity.plane_order_proofs import ORDER_PLACES

h = sympy.Symbol("h", real=True)

ABOVE = "with half as much at the other angle as at angle 0 a match is above wrong keys and the query's own"
FALLS = "about the middle of the places a match is above an earlier one"
NO_FALL = "over a wider angle no match logits fall with the distance, whatever angle 0 adds"
NO_FALL_STRAIGHT = "nor do they at half a turn, with three keys or more"
NO_FALL_STILL = "nor at angle 0 alone"


def _match(place: Any) -> Any:
    return 1 - HALF * sin((place - CENTRE) * theta)


def above() -> Entailment:
    """`1 - sin((t - (T + 1) / 2) theta) / 2 > 0`, which wrong keys and the query's own have."""
    return Entailment(ABOVE, {}, (greater(_match(t)),))


PROOF_OF_ABOVE = Derivation(
    ABOVE,
    (
        Use("bound", "cosine", (pi / 2 - (t - CENTRE) * theta,)),
        Derive("above", greater(_match(t)), (Part(("bound.1",), HALF), Part((), HALF))),
    ),
)


def falls(room: Fact, angle: Fact | None = None) -> Entailment:
    """The match `t` steps back is above that `u > t` steps back for `0 < theta <= pi`, where `room` says that
    `(T - 2) theta < pi`."""
    angle = greater(theta) if angle is None else angle
    return Entailment(
        FALLS,
        {**PAIR, "angle": angle, "range": room, "reduced": at_least(pi, theta)},
        (greater(_match(t), _match(u)),),
        integers=(T, t, u),
    )


_mean, _half = pi / 2 + (t + u - T - 1) * theta / 2, (u - t) * theta / 2
_first, _apart, _last = (("first", "angle"), ("apart", "angle"), ("last", "angle"))
PROOF_OF_FALLS = Derivation(
    FALLS,
    (
        Derive("mean > 0", greater(_mean), (Part(("range",), HALF), Part(_first), Part(_apart, HALF))),
        Derive("mean < pi", greater(pi, _mean), (Part(("range",), HALF), Part(_last), Part(_apart, HALF))),
        Use("cosine of the mean", "sine", (_mean,), ("mean > 0", "mean < pi")),
        Derive("half > 0", greater(_half), (Part(_apart, HALF), Part(("angle",), HALF))),
        Derive(
            "half < pi",
            greater(pi, _half),
            (Part(("range",), HALF), Part(("reduced",), HALF), Part(_first, HALF), Part(_last, HALF)),
        ),
        Use("sine of half", "sine", (_half,), ("half > 0", "half < pi")),
        Derive("later", greater(_match(t), _match(u)), (Part(("cosine of the mean", "sine of half")),)),
    ),
    "The difference of two sines is twice the cosine of their mean times the sine of half their distance.",
)

# -- no other head ---------------------------------------------------------------------------------------------------


def _falling(half: Any, symbols: int, attributes: int) -> dict[str, Hypothesis]:
    """A match above that a step earlier, at half the angle given."""
    one, other = (h + match_at(place).subs(x, half) for place in (t, t + 1))
    return {
        "symbols": at_least(S, symbols),
        "attributes": at_least(v, attributes),
        "order": Universal((t,), ORDER_PLACES, greater(one, other)),
    }


def no_fall(reach: Any, symbols: int = 2, attributes: int = 2, reduced: Fact | None = None) -> Entailment:
    """There are no such matches for `0 < 2 x < pi` and `reach = (T - 2) 2 x - pi >= 0`."""
    return Entailment(
        NO_FALL,
        {
            **_falling(x, symbols, attributes),
            "angle": greater(x),
            "reduced": greater(pi, 2 * x) if reduced is None else reduced,
            "y": equal(x * y, pi),
            "reach": at_least(reach),
        },
        (FALSE,),
        integers=(T, S, v, t),
    )


def no_fall_at(title: str, half: Any, keys: int) -> Entailment:
    """The same at half the angle given, with so many keys at least."""
    return Entailment(title, {**_falling(half, 2, 2), "keys": at_least(T, keys)}, (FALSE,), integers=(T, S, v, t))


_MORE = ("attributes", "symbols")


def _at_1(*bound: Part) -> tuple[Derive | Use, ...]:
    """The matches 1 and 2 steps back, where the parts add up to `T - 2`."""
    return (
        Derive("1 >= 1", at_least(1, 1), ()),
        Derive("1 <= T - 1", at_least(T - 1, 1), bound),
        Use("at 1", "instance", (1,), ("order", "1 >= 1", "1 <= T - 1", *_MORE)),
    )


PROOF_OF_NO_FALL = Derivation(
    NO_FALL,
    (
        Use("pi", "pi"),
        Derive("(T - 2) x > 0", greater((T - 2) * x), (Part(("reach",), HALF), *QUARTER)),
        Use("T > 2", "quotient", (T - 2,), ("(T - 2) x > 0", "angle")),
        *_at_1(Part(("T > 2",))),
        *surround(Part(("reach",), HALF), T - 1, "order", _MORE),
    ),
    "The lead of a match over that a step earlier is again a multiple of a cosine of t theta and a phase, for T - 1 "
    "places; over half a turn or more it is not above 0 at all of them.",
)
PROOF_OF_NO_FALL_STRAIGHT = Derivation(
    NO_FALL_STRAIGHT,
    (
        *_at_1(Part(("keys",)), Part()),
        Derive("2 >= 1", at_least(2, 1), (Part(),)),
        Derive("2 <= T - 1", at_least(T - 1, 2), (Part(("keys",)),)),
        Use("at 2", "instance", (2,), ("order", "2 >= 1", "2 <= T - 1", *_MORE)),
        Derive("none", FALSE, (Part(("at 1",)), Part(("at 2",)))),
    ),
    "The matches 1 and 3 steps back tie.",
)
PROOF_OF_NO_FALL_STILL = Derivation(
    NO_FALL_STILL, (*_at_1(Part(("keys",))), Derive("none", FALSE, (Part(("at 1",)),))), "All matches tie."
)
