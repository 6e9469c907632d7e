"""Proofs of the largest gap that the Retrieval construction has (DYN, definition 3.1), for even and odd alphabets.

Letters and facts are those of `retrieval_gap_proofs`.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi

from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Split,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.discrepancy.index_proofs import g, n, parts, sine, t, theta
from headproof.theory.discrepancy.retrieval_gap_proofs import ANGLE, FULL_ROOM, INTEGERS, d, j, m, omega, roomy

_half = sympy.Rational(1, 2)

FAR = "another key can lag by that much at most"
SELF = "where that key is the match itself, another one does"
WORST = "in one input all keys lag by that much"


def _lowest(x: Any, odd: int) -> tuple[DerivationStep, ...]:
    """`cos(d omega + x) >= -cos(odd omega / 2 - x)` with `L = 2 m + odd`, from "x >= 0" and "2 x <= omega".

    The sum of the two is `2 cos(y1) cos(y2)`, `y1 = (2 d + odd) omega / 4`, `y2 = y1 + x - odd omega / 2`, and both
    factors are at least 0 for `-m <= d < m + odd`, both at most 0 otherwise.
    """
    y1 = d * omega / 2 + odd * omega / 4
    y2 = d * omega / 2 + x - odd * omega / 4
    step, spare, quarter = ("step",), {"2 x <= omega": _half}, sympy.Rational(1, 4)
    fact = at_least(cos(d * omega + x) + cos(odd * omega / 2 - x))

    def done(first: Any, second: Any, lows: tuple[Any, Any], highs: tuple[Any, Any]) -> tuple[DerivationStep, ...]:
        return (
            *sine("sine 1", first, lows[0], highs[0]),
            *sine("sine 2", second, lows[1], highs[1]),
            Derive("lowest", fact, parts({("sine 1", "sine 2"): 2})),
        )

    up, down = {"turn": quarter}, {"turn": -quarter}  # pi / 2 = L omega / 4, to and fro
    thrice_down = {"turn": -3 * quarter}
    middle = done(
        y1 + pi / 2,
        y2 + pi / 2,
        (
            {**down, ("d + m >= 0", "step"): _half, step: odd * _half},
            {**down, ("d + m >= 0", "step"): _half, "x >= 0": 1},
        ),
        (
            {**down, ("inside", "step"): _half, step: (1 - odd) * _half},
            {**down, ("inside", "step"): _half, **spare},
        ),
    )
    low = done(
        -y1 - pi / 2,
        -y2 - pi / 2,
        (
            {**up, ("outside", "step"): _half, step: (1 - odd) * _half},
            {**up, ("outside", "step"): _half, **spare},
        ),
        (
            {**thrice_down, ("-d < L", "step"): _half, ("m >= 1", "step"): _half, step: (2 + odd) * _half},
            {**thrice_down, ("-d < L", "step"): _half, ("m >= 1", "step"): _half, step: 1, "x >= 0": 1},
        ),
    )
    above = done(
        y1 - pi / 2,
        y2 - pi / 2,
        (
            {**up, ("beyond", "step"): _half, step: odd * _half},
            {**up, ("beyond", "step"): _half, "x >= 0": 1},
        ),
        (
            {**thrice_down, ("d < L", "step"): _half, ("m >= 1", "step"): _half, step: 1},
            {**thrice_down, ("d < L", "step"): _half, ("m >= 1", "step"): _half, step: (1 + odd) * _half, **spare},
        ),
    )
    same = Derive("d + m >= 0", at_least(d + m), parts({"lower side": 1}))
    lower = Split(
        "lower side",
        d + m,
        fact,
        positive=(same, *middle),
        zero=(same, *middle),
        negative=(Use("outside", "integer", (), ("lower side",)), *low),
    )
    past = Derive("beyond", at_least(d - m, odd), parts({"upper side": 1}))
    past_zero = Derive("beyond", at_least(d - m, odd), parts({"upper side": -1}))
    upper = Split(
        "upper side",
        m - d + odd,
        fact,
        positive=(Use("inside", "integer", (), ("upper side",)), lower),
        zero=(past_zero, *above),
        negative=(past, *above),
    )
    return (upper,)


def half_letters(odd: int) -> dict[str, Fact]:
    """`L = 2 m + odd` letters, `m >= 1`; differences of letters are below L in size."""
    letters = 2 * m + odd
    return {
        "turn": equal(letters * omega, 2 * pi),
        "step": greater(omega),
        "m >= 1": at_least(m, 1),
        "d < L": at_least(letters - 1, d),
        "-d < L": at_least(letters - 1, -d),
    }


def far(odd: int, value: Any, place: Any, room: Any = FULL_ROOM) -> Entailment:
    """The gap is at most `value`: if the key at `place` is not the match, then because of that key."""
    lag = cos(t * theta) - cos(d * omega + place * theta)
    return Entailment(
        f"{FAR}, {_parity(odd)}",
        {**half_letters(odd), **ANGLE, "n >= 2": at_least(n, 2), **roomy(room), "gap": at_least(lag, g)},
        (at_least(value, g),),
        integers=INTEGERS,
    )


def _parity(odd: int) -> str:
    return "odd number of letters" if odd else "even number of letters"


def proof_of_far(odd: int) -> Derivation:
    """The lowest logit that any letter reaches at the last place (even) or at place 1 (odd)."""
    x = theta if odd else (n - 1) * theta
    value = 1 + cos(omega / 2 - theta) if odd else 1 + cos((n - 1) * theta)
    small = {"range": 1, ("n >= 2", "angle"): 2} if odd else {"range": 1}
    return Derivation(
        f"{FAR}, {_parity(odd)}",
        (
            Derive("x >= 0", at_least(x), parts({"angle": 1} if odd else {("n >= 2", "angle"): 1, "angle": 1})),
            Derive("2 x <= omega", at_least(omega, 2 * x), parts(small)),
            Use("match", "cosine", (t * theta,)),
            *_lowest(x, odd),
            Derive("bound", at_least(value, g), parts({"gap": 1, "match.1": 1, "upper side": 1})),
        ),
    )


def self_match(odd: int, value: Any, room: Any = FULL_ROOM) -> Entailment:
    """The same where the match stands at that place: the last one (even), place 1 (odd, then by the query's key)."""
    lag = cos(theta) - cos(d * omega) if odd else cos((n - 1) * theta) - cos(d * omega + j * theta)
    return Entailment(
        f"{SELF}, {_parity(odd)}",
        {**half_letters(odd), **ANGLE, "n >= 2": at_least(n, 2), **roomy(room), "gap": at_least(lag, g)},
        (at_least(value, g),),
        integers=INTEGERS,
    )


PROOF_OF_SELF_EVEN = Derivation(
    f"{SELF}, {_parity(0)}",
    (
        Use("other", "cosine", (d * omega + j * theta,)),
        Derive("bound", at_least(1 + cos((n - 1) * theta), g), parts({"gap": 1, "other.2": 1})),
    ),
)
PROOF_OF_SELF_ODD = Derivation(
    f"{SELF}, {_parity(1)}",
    (
        Derive("x >= 0", at_least(0), ()),
        Derive("2 x <= omega", at_least(omega), parts({"step": 1})),
        Use("match", "cosine", (theta,)),
        *_lowest(sympy.Integer(0), 1),
        *sine(
            "nearer 1",
            (omega - theta) / 2,
            {"range": _half, ("n >= 2", "angle"): 1, "angle": _half},
            {"turn": -_half, ("m >= 1", "step"): 1, ("step",): 1, "angle": _half},
        ),
        *sine(
            "nearer 2",
            theta / 2,
            {"angle": _half},
            {
                "turn": -_half,
                "range": _half,
                ("n >= 2", "angle"): 1,
                "angle": _half,
                ("m >= 1", "step"): 1,
                ("step",): 1,
            },
        ),
        Derive(
            "bound",
            at_least(1 + cos(omega / 2 - theta), g),
            parts({"gap": 1, "match.1": 1, "upper side": 1, ("nearer 1", "nearer 2"): 2}),
        ),
    ),
)


def worst(odd: int, value: Any, room: Any = FULL_ROOM) -> Entailment:
    """A query that attends to itself, all other keys `m` letters off: each lags by `value` at least."""
    facts = half_letters(odd)
    return Entailment(
        f"{WORST}, {_parity(odd)}",
        {
            **{name: facts[name] for name in ("turn", "step", "m >= 1")},
            **ANGLE,
            **roomy(room),
            "t >= 1": at_least(t, 1),
            "t < n": at_least(n - 1, t),
        },
        (at_least(1 - cos(m * omega + t * theta), value),),
        integers=INTEGERS,
    )


PROOF_OF_WORST_EVEN = Derivation(
    f"{WORST}, {_parity(0)}",
    (
        *sine(
            "sine 1",
            (m * omega + (t + n - 1) * theta - pi) / 2,
            {"turn": sympy.Rational(1, 4), ("t >= 1", "angle"): 1, "angle": 1, ("t < n", "angle"): _half},
            {"turn": -sympy.Rational(3, 4), ("m >= 1", "step"): 1, ("step",): _half, "range": _half,
             ("t < n", "angle"): _half},
        ),
        *sine(
            "sine 2",
            (m * omega - (n - 1 - t) * theta + pi) / 2,
            {"turn": -sympy.Rational(1, 4), ("m >= 1", "step"): 1, ("step",): _half, "range": _half,
             ("t < n", "angle"): _half, ("t >= 1", "angle"): 1, "angle": 1},
            {"turn": -sympy.Rational(1, 4), ("t < n", "angle"): _half},
        ),
        Derive("lag", at_least(1 - cos(m * omega + t * theta), 1 + cos((n - 1) * theta)),
               parts({("sine 1", "sine 2"): 2})),
    ),
)  # fmt: skip
PROOF_OF_WORST_ODD = Derivation(
    f"{WORST}, {_parity(1)}",
    (
        *sine(
            "sine 1",
            (m * omega + omega / 2 + (t - 1) * theta - pi) / 2,
            {"turn": sympy.Rational(1, 4), ("t >= 1", "angle"): _half},
            {"turn": -sympy.Rational(3, 4), ("m >= 1", "step"): 1, ("step",): sympy.Rational(5, 4),
             "range": sympy.Rational(1, 4), ("t < n", "angle"): _half, "angle": _half},
        ),
        *sine(
            "sine 2",
            (m * omega - omega / 2 + (t + 1) * theta + pi) / 2,
            {"turn": -sympy.Rational(1, 4), ("m >= 1", "step"): 1, ("step",): 1, ("t >= 1", "angle"): _half,
             "angle": 1},
            {"turn": -sympy.Rational(1, 4), "range": _half, ("t < n", "angle"): 1, ("t >= 1", "angle"): _half},
        ),
        Derive("lag", at_least(1 - cos(m * omega + t * theta), 1 + cos(omega / 2 - theta)),
               parts({("sine 1", "sine 2"): 2})),
    ),
)  # fmt: skip
