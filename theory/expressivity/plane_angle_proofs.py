"""Proofs about partial induction with two angles (DEC, theorem 6): what the second may be.

Letters as in `plane_binding_proofs`. The range of two angles is `0 < (2T - 1) theta < 2 pi` together with the margin
`1 - cos 2w > b (cos theta - cos T theta)`.
"""

from __future__ import annotations

from typing import Any

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
    greater,
)
from headproof.theory.expressivity.plane_binding_proofs import (
    HALF,
    OWN,
    S,
    T,
    b,
    p,
    polygon,
    proof_of_later,
    t,
    theta,
    u,
    w,
)

WRONG = "a match is above every key of another symbol"
NO_WRONG = "if every match is above every key of another symbol, the angle is in the range"


def places(apart: bool = True) -> dict[str, Hypothesis]:
    """A match at t, a key of the symbol number p at u, elsewhere unless `apart` is false."""
    either: dict[str, Hypothesis] = {
        "p": at_least(p, 1),
        "p, end": at_least(S - 1, p),
        "t": at_least(t, 1),
        "t, end": at_least(T, t),
        "u": at_least(u, 1),
        "u, end": at_least(T, u),
    }
    return {**either, "apart": greater((t - u) ** 2)} if apart else either


IN_RANGE = (at_least(t, 1), at_least(T, t), at_least(u, 1), at_least(T, u), greater((t - u) ** 2), at_least(S, 2))

# -- two angles ----------------------------------------------------------------------------------------------------


def wrong_loses(
    room: Any, margin: Any, weight: Fact | None = None, strictly: bool = True, symbols: int = 2
) -> Entailment:
    """Two planes: a match is above a wrong key if `margin > 0`, `room > 0`."""
    return Entailment(
        WRONG,
        {
            **polygon(symbols),
            **places(False),
            "keys": at_least(T, 2),
            "angle": greater(theta),
            "range": greater(room),
            "weight": greater(b) if weight is None else weight,
            "margin": greater(margin) if strictly else at_least(margin),
        },
        (greater(1 + b * cos(theta * t), cos(2 * p * w) + b * cos(theta * u)),),
        integers=(T, S, t, u, p),
    )


def own_loses(weight: Fact | None = None) -> Entailment:
    """Every match is above the query's own key, `-1 - b`."""
    return Entailment(
        OWN,
        {"weight": greater(b) if weight is None else weight},
        (greater(1 + b * cos(theta * t), -1 - b),),
    )


PROOF_OF_OWN = Derivation(
    OWN,
    (
        Use("cosine", "cosine", (theta * t,), ()),
        Derive("own", greater(1 + b * cos(theta * t), -1 - b), (Part((), 2), Part(("weight", "cosine.2")))),
    ),
)


MARGIN = 1 - cos(2 * w) - b * (cos(theta) - cos(theta * T))
_margin_at_t = greater(1 - cos(2 * w), b * (cos(theta) - cos(theta * t)))

PROOF_OF_WRONG = Derivation(
    WRONG,
    (
        Split(
            "farther",
            T - t,
            _margin_at_t,
            positive=(
                Use("one farther", "integer", (), ("farther",)),
                Derive(
                    "sum > 0",
                    greater((t + T) * theta / 2),
                    (Part(("t", "angle")), Part(("angle",)), Part(("farther", "angle"), HALF)),
                ),
                Derive(
                    "sum < pi",
                    greater(pi, (t + T) * theta / 2),
                    (Part(("range",), HALF), Part(("one farther", "angle"), HALF)),
                ),
                Use("sine 1", "sine", ((t + T) * theta / 2,), ("sum > 0", "sum < pi")),
                Derive("difference > 0", greater((T - t) * theta / 2), (Part(("farther", "angle"), HALF),)),
                Derive(
                    "difference < pi",
                    greater(pi, (T - t) * theta / 2),
                    (Part(("sum < pi",)), Part(("t", "angle")), Part(("angle",))),
                ),
                Use("sine 2", "sine", ((T - t) * theta / 2,), ("difference > 0", "difference < pi")),
                Derive("margin at t", _margin_at_t, (Part(("margin",)), Part(("weight", "sine 1", "sine 2"), 2))),
            ),
            zero=(Use("margin at t", "replace", (T, t), ("margin", "farther")),),
            negative=(Derive("no key", FALSE, (Part(("farther",)), Part(("t, end",)))),),
            why="of all matches the farthest is the lowest",
        ),
        Derive("near > 0", at_least((u + 1) * theta / 2), (Part(("u", "angle"), HALF), Part(("angle",)))),
        Derive(
            "near < pi",
            at_least(pi, (u + 1) * theta / 2),
            (Part(("range",), HALF), Part(("u, end", "angle"), HALF), Part(("keys", "angle"), HALF)),
        ),
        Use("sine 3", "sine", ((u + 1) * theta / 2,), ("near > 0", "near < pi")),
        Derive("off > 0", at_least((u - 1) * theta / 2), (Part(("u", "angle"), HALF),)),
        Derive("off < pi", at_least(pi, (u - 1) * theta / 2), (Part(("near < pi",)), Part(("angle",)))),
        Use("sine 4", "sine", ((u - 1) * theta / 2,), ("off > 0", "off < pi"), "so cos(u theta) <= cos(theta)"),
        Derive("vertex > 0", at_least((p + 1) * w), (Part(("p", "w > 0")), Part(("w > 0",), 2))),
        Derive("vertex < pi", at_least(pi, (p + 1) * w), (Part(("p, end", "w > 0")), Part(("w",), -1))),
        Use("sine 5", "sine", ((p + 1) * w,), ("vertex > 0", "vertex < pi")),
        Derive("side > 0", at_least((p - 1) * w), (Part(("p", "w > 0")),)),
        Derive("side < pi", at_least(pi, (p - 1) * w), (Part(("vertex < pi",)), Part(("w > 0",), 2))),
        Use("sine 6", "sine", ((p - 1) * w,), ("side > 0", "side < pi"), "so cos(2 p w) <= cos(2 w)"),
        Derive(
            "above",
            greater(1 + b * cos(theta * t), cos(2 * p * w) + b * cos(theta * u)),
            (Part(("farther",)), Part(("weight", "sine 3", "sine 4"), 2), Part(("sine 5", "sine 6"), 2)),
        ),
    ),
)


def no_wrong(margin: Any, symbols: int = 2) -> Entailment:
    """If the farthest match is above the nearest symbol right before the query, then `margin > 0`."""
    return Entailment(
        NO_WRONG,
        {
            "symbols": at_least(S, symbols),
            "keys": at_least(T, 2),
            "wins": Universal((t, u), IN_RANGE, greater(1 + b * cos(theta * t), cos(2 * w) + b * cos(theta * u))),
        },
        (greater(margin),),
        integers=(T, S, t, u),
    )


FARTHEST: tuple[DerivationStep, ...] = (
    Derive("T", at_least(T, 1), (Part(("keys",)), Part())),
    Derive("T, end", at_least(T, T), ()),
    Derive("one", at_least(1, 1), ()),
    Derive("T - 1 > 0", greater(T - 1), (Part(("keys",)), Part())),
    Derive("T is not 1", greater((T - 1) ** 2), (Part(("T - 1 > 0", "T - 1 > 0")),)),
)
PROOF_OF_NO_WRONG = Derivation(
    NO_WRONG,
    (
        *FARTHEST,
        Use("farthest", "instance", (T, 1), ("wins", "T", "T, end", "one", "T", "T is not 1", "symbols")),
        Derive("margin", greater(MARGIN), (Part(("farthest",)),)),
    ),
)

# -- two angles of equal weight, the second small ------------------------------------------------------------------

NOT_TOO_LARGE = w - T * theta
_width = Derive("width", at_least(pi, w), (Part(("symbols", "w > 0")), Part(("w",), -1)), "w = pi / S <= pi")
PROOF_OF_LATER_SMALL = proof_of_later(
    (
        Part(("width",)),
        Part(("range",)),
        Part(("last", "angle")),
        Part(("apart", "angle"), HALF),
        Part(("angle",), HALF),
    ),
    (_width,),
)


def small_wrong_loses(room: Any, angle: Fact | None = None, first: Any = 0) -> Entailment:
    """With equal weights and `room > 0`; `first` is the first plane's angle."""
    return Entailment(
        WRONG,
        {
            **polygon(1),
            **places(False),
            "angle": greater(theta) if angle is None else angle,
            "range": greater(room),
        },
        (
            greater(cos(first * t) + cos(theta * t), cos(2 * p * w + first * u) + cos(theta * u)),
            greater(cos(first * t) + cos(theta * t), -2),
        ),
        integers=(T, S, t, u, p),
    )


_rest = (Part(("range",)), Part(("t, end", "angle")), Part(("t", "angle"), HALF), Part(("angle",), HALF))
PROOF_OF_SMALL_WRONG = Derivation(
    WRONG,
    (
        Derive("w > t theta / 2", greater(w, theta * t / 2), _rest),
        Derive(
            "sum > 0",
            greater((2 * p * w + t * theta) / 2),
            (Part(("p", "w > 0")), Part(("w > 0",)), Part(("t", "angle"), HALF), Part(("angle",), HALF)),
        ),
        Derive(
            "sum < pi",
            greater(pi, (2 * p * w + t * theta) / 2),
            (Part(("p, end", "w > 0")), Part(("w",), -1), Part(("w > t theta / 2",))),
        ),
        Use("sine 1", "sine", ((2 * p * w + t * theta) / 2,), ("sum > 0", "sum < pi")),
        Derive(
            "difference > 0", greater((2 * p * w - t * theta) / 2), (Part(("p", "w > 0")), Part(("w > t theta / 2",)))
        ),
        Derive(
            "difference < pi",
            greater(pi, (2 * p * w - t * theta) / 2),
            (Part(("sum < pi",)), Part(("t", "angle")), Part(("angle",))),
        ),
        Use("sine 2", "sine", ((2 * p * w - t * theta) / 2,), ("difference > 0", "difference < pi")),
        Use("cosine", "cosine", (theta * u,), ()),
        Derive(
            "above",
            greater(1 + cos(theta * t), cos(2 * p * w) + cos(theta * u)),
            (Part(("cosine.1",)), Part(("sine 1", "sine 2"), 2)),
            "cos(t theta) > cos(2 p w), for t theta < w",
        ),
        Use("cosine of t", "cosine", (theta * t,), ()),
        Derive("own", greater(1 + cos(theta * t), -2), (Part((), 2), Part(("cosine of t.2",)))),
    ),
)
