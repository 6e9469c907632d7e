"""Proofs about one plane on Retrieval with its symbols on the regular polygon and its phases centred.

Letters as in `plane_binding_proofs`; the phase at t steps is `(t - (T + 1) / 2) theta`, the range
`2 w - (T - 1) theta > 0`.
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
    Part,
    Suppose,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_angle_proofs import IN_RANGE, NO_WRONG, WRONG, places
from headproof.theory.expressivity.plane_binding_proofs import HALF, S, T, p, polygon, q, t, theta, u, w, x, y

h = sympy.Symbol("h", real=True)


def centred_wrong_loses(room: Any) -> Entailment:
    """A match at t is above a key of the symbol number p at u, if `room > 0`, `theta >= 0`."""
    centre = (T + 1) / 2
    return Entailment(
        WRONG,
        {
            **polygon(1),
            **places(),
            "angle": at_least(theta),
            "range": greater(room),
        },
        (greater(cos((t - centre) * theta), cos((u - centre) * theta + 2 * p * w)),),
        integers=(T, S, t, u, p),
    )


def _between(name: str, phase: Any, low: tuple[str, str], high: tuple[str, str]) -> tuple[DerivationStep, ...]:
    """`sin(phase theta / 2 + p w) > 0`: `low` are facts that add up to `T - 1 + phase >= 0`, `high` to the mirror."""
    x_ = phase * theta / 2 + p * w
    start = (Part(("p", "w > 0")), Part(("range",), HALF))
    end = (Part(("p, end", "w > 0")), Part(("w",), -1), Part(("range",), HALF))
    return (
        Derive(f"{name} > 0", greater(x_), (*start, *(Part((each, "angle"), HALF) for each in low))),
        Derive(f"{name} < pi", greater(pi, x_), (*end, *(Part((each, "angle"), HALF) for each in high))),
        Use(f"sine of {name}", "sine", (x_,), (f"{name} > 0", f"{name} < pi")),
    )


PROOF_OF_CENTRED = Derivation(
    WRONG,
    (
        *_between("sum", t + u - T - 1, ("t", "u"), ("t, end", "u, end")),
        *_between("difference", u - t, ("t, end", "u"), ("t", "u, end")),
        Derive(
            "above",
            greater(cos((t - (T + 1) / 2) * theta), cos((u - (T + 1) / 2) * theta + 2 * p * w)),
            (Part(("sine of sum", "sine of difference"), 2),),
        ),
    ),
    "Half of the sum and half of the difference of the two phases lie strictly between 0 and pi.",
)


def centred_no_wrong(room: Any, at_most: Fact | None = None) -> Entailment:
    """If every match is above the next symbol at every other place, then `room > 0`; here `0 < theta = 2 x <= pi`."""
    centre = (T + 1) / 2
    return Entailment(
        NO_WRONG,
        {
            **polygon(),
            "keys": at_least(T, 2),
            "angle": greater(x),
            "reduced": at_least(pi, 2 * x) if at_most is None else at_most,
            "y": equal(x * y, w),
            "wins": Universal((t, u), IN_RANGE, greater(cos(2 * x * (t - centre)), cos(2 * x * (u - centre) + 2 * w))),
        },
        (greater(room),),
        integers=(T, S, t, u),
    )


# d is the least distance with d x >= w, and the two places h + d and h lie as near to the centre as they can
_d, _t = -q, h - q
_PAIR: tuple[DerivationStep, ...] = (
    Use("q", "floor", (q, -y - 1), ()),
    Derive("d x < w + x", greater(w, (_d - 1) * x), (Part(("q.1", "angle")), Part(("y",), -1))),
    Derive("d x >= w", at_least(_d * x, w), (Part(("q.2", "angle")), Part(("y",)))),
    Derive("d x > 0", greater(_d * x), (Part(("d x >= w",)), Part(("w > 0",)))),
    Use("d > 0", "quotient", (_d,), ("d x > 0", "angle")),
    Use("d >= 1", "integer", (), ("d > 0",)),
    Derive("room for d, times x", greater((T - _d) * x), (Part(("beyond",)), Part(("d x < w + x",)))),
    Use("room for d", "quotient", (T - _d,), ("room for d, times x", "angle")),
    Use("d <= T - 1", "integer", (), ("room for d",)),
    Use("h", "floor", (h, (T - _d) / 2), ()),
    Derive("2 h > T - d", greater(2 * h, T - _d), (Part(("h.1",), 2),)),
    Use("2 h >= T - d + 1", "integer", (), ("2 h > T - d",)),
    Derive("h > 0", greater(h), (Part(("2 h >= T - d + 1",), HALF), Part(("room for d",), HALF), Part((), HALF))),
    Use("h >= 1", "integer", (), ("h > 0",)),
    Derive("t >= 1", at_least(_t, 1), (Part(("h >= 1",)), Part(("d > 0",)))),
    Derive("t < T + 1", greater(T + 1, _t), (Part(("h.2",)), Part(("d <= T - 1",), HALF), Part((), HALF))),
    Use("t at most", "integer", (), ("t < T + 1",)),
    Derive("t <= T", at_least(T, _t), (Part(("t at most",)),)),
    Derive("h <= T", at_least(T, h), (Part(("t <= T",)), Part(("d > 0",)))),
    Derive("apart", greater((_t - h) ** 2), (Part(("d > 0", "d > 0")),)),
    Use("match", "instance", (_t, h), ("wins", "t >= 1", "t <= T", "h >= 1", "h <= T", "apart", "symbols")),
    Derive("past", at_least(_d * x - w), (Part(("d x >= w",)),)),
    Derive("past, end", at_least(pi, _d * x - w), (Part(("d x < w + x",)), Part(("reduced",)), Part(("angle",)))),
    Use("sine 1", "sine", (_d * x - w,), ("past", "past, end")),
    Derive("shifted", at_least(w + x * (_t + h - T - 1)), (Part(("w > 0",)), Part(("2 h >= T - d + 1", "angle")))),
    Derive(
        "shifted, end",
        at_least(pi, w + x * (_t + h - T - 1)),
        (
            Part(("symbols", "w > 0"), HALF),
            Part(("w",), -HALF),
            Part(("reduced",), HALF),
            Part(("h.2", "angle"), 2),
        ),
    ),
    Use("sine 2", "sine", (w + x * (_t + h - T - 1),), ("shifted", "shifted, end")),
    Derive("no match", FALSE, (Part(("match",)), Part(("sine 1", "sine 2"), 2))),
)
PROOF_OF_NO_CENTRED = Derivation(
    NO_WRONG,
    (
        Suppose("beyond", at_least((T - 1) * x, w), _PAIR),
        Derive("in range", greater(2 * w, (T - 1) * 2 * x), (Part(("beyond",), 2),)),
    ),
    "At theta = 0 there is nothing to show: (T - 1) theta = 0 is below 2 w.",
)
