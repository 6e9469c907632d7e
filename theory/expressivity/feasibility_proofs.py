"""Proofs about DYN's Index construction (theorem 3.1): which angles leave the largest logit unique; what a tie does.

Letters: `theta` the angle, `n` the length, `t` and `u` distances, `U` the largest of them.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi, sin

from headproof.theory.derivation import (
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

theta, x, y = sympy.symbols("theta x y", real=True)
n, t, s, u, k, U = sympy.symbols("n t s u k U", real=True)
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


NO_TIE_EVER = "no other key ever ties with the target"
no_tie_ever = Entailment(
    NO_TIE_EVER,
    {
        "irrational": Universal((t,), (at_least(t, 1),), NotMultiple(t * theta)),
        "u >= 1": at_least(u, 1),
    },
    (greater(1, cos(u * theta)),),
    integers=(t, u),
)
PROOF_OF_NO_TIE_EVER = Derivation(
    NO_TIE_EVER,
    (
        Use("u theta", "instance", (u,), ("irrational", "u >= 1")),
        Use("below", "cosine off turns", (u * theta,), ("u theta",)),
    ),
    "If theta / pi is irrational, t theta = 2 pi k would make it 2 k / t.",
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

COUNTED_BACK = "and fail to where the counts do"


def counted_back(value: int = 2, residual: int = 1) -> Entailment:
    """The same comparisons from the other side: where a count fails, so does the score."""
    kappa, b, c = _counts
    return Entailment(
        COUNTED_BACK,
        {
            "ties": greater(kappa),
            "under a letter": at_least(2 * b, kappa + 2 * c),
            "under an integer": at_least(kappa, 2 * c),
            "integer kept": at_least(2 * b, kappa),
            "1 / kappa": equal(kappa * y, 1),
            "y": greater(y),
        },
        (
            at_least(value * b * y, residual + value * c * y),
            at_least(residual, value * c * y),
            at_least(value * b * y, residual),
        ),
    )


PROOF_OF_COUNTED_BACK = Derivation(
    COUNTED_BACK,
    tuple(
        Derive(f"{name}, divided", conclusion, (Part((name, "y")), Part(("1 / kappa",), sign)))
        for name, conclusion, sign in zip(
            ("under a letter", "under an integer", "integer kept"), counted_back().conclusions, (1, -1, 1), strict=True
        )
    ),
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
