"""Proofs about the interaction's bound in terms of the angles themselves: `sin x <= x`, and strictly so.

Letters as in `plane_proofs`; `D = |d - d_0|`. A plane is quiet if its keys vary by at most `eps`, and slow if it turns
by at most `eta` between the two distances.
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
    Hypothesis,
    Part,
    Split,
    Suppose,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.disentanglement.plane_proofs import (
    BOUNDED,
    HALF_ANGLE,
    SO_FAR,
    A,
    B,
    I,
    K,
    P,
    T,
    below,
    d,
    d0,
    plane,
    s,
    theta,
    x,
)
from headproof.theory.scores.swap_proofs import parts

D, eps, eta = sympy.symbols("D eps eta", real=True)
SHIFT: dict[str, Hypothesis] = {
    "theta": at_least(theta),
    "D": at_least(D),
    "D^2": equal(D**2, (d - d0) ** 2),
}


def _sizes(bound: Any, relation: Any = at_least) -> tuple[Fact, ...]:
    return relation(bound, I), relation(bound, -I)


# -- sin x is at most 1, and at most x -----------------------------------------------------------------------------

FAST = "a plane of any speed"
SLOW = "a plane that turns slowly"
STRICT = "a slow plane that turns does not attain its bound"


def fast(bound: Any = 2 * P * K, strictly: bool = False) -> Entailment:
    """`|I| <= 2 |q| |k - h|`; a near miss has "below" where that is positive."""
    if strictly:
        return Entailment(FAST, plane() | {"P > 0": greater(P), "K > 0": greater(K)}, _sizes(bound, greater))
    return Entailment(FAST, plane(), _sizes(bound))


def slow(bound: Any = P * K * theta * D) -> Entailment:
    """`|I| <= |q| |k - h| theta |d - d_0|`."""
    return Entailment(SLOW, plane() | SHIFT, _sizes(bound))


_POSITIVE: dict[str, Hypothesis] = {
    "P > 0": greater(P),
    "K > 0": greater(K),
    "theta > 0": greater(theta),
    "D > 0": greater(D),
    "slow": greater(2, theta * D),
}


def strict() -> Entailment:
    """`|I| < |q| |k - h| theta |d - d_0|` where that is positive and `theta |d - d_0| < 2`."""
    return Entailment(STRICT, plane() | SHIFT | _POSITIVE, _sizes(P * K * theta * D, greater))


_AT_MOST_ONE: tuple[DerivationStep, ...] = (
    Derive("one", at_least(1), (Part(),)),
    Derive("1 - s^2", at_least(1 - s**2), (Part(("s^2",), -1), Part((), 1, (cos(HALF_ANGLE),)))),
    below("s <= 1", s, sympy.Integer(1), "one", "1 - s^2"),
)
_OF_SPEED = {("P", "K", "s <= 1"): 2}
_FAST: tuple[DerivationStep, ...] = (
    *BOUNDED,
    *_AT_MOST_ONE,
    Derive("fast, above", at_least(2 * P * K, I), parts({"above": 1} | _OF_SPEED)),
    Derive("fast, below", at_least(2 * P * K, -I), parts({"below": 1} | _OF_SPEED)),
)
_ARC = theta * D / 2
_AT_MOST_ARC: tuple[DerivationStep, ...] = (
    Derive("arc >= 0", at_least(_ARC), parts({("theta", "D"): sympy.Rational(1, 2)})),
    Use("parabola", "parabola", (2 * HALF_ANGLE,)),
    Derive(
        "arc^2 - s^2",
        at_least(_ARC**2 - s**2),
        parts({"parabola": sympy.Rational(1, 2), "D^2": theta**2 / 4, "s^2": -1}),
        "1 - cos x = 2 sin(x / 2)^2",
    ),
    below("s <= arc", s, _ARC, "arc >= 0", "arc^2 - s^2"),
)
_OF_ARC = {("P", "K", "s <= arc"): 2}
_SLOW: tuple[DerivationStep, ...] = (
    *BOUNDED,
    *_AT_MOST_ARC,
    Derive("slow, above", at_least(2 * P * K * _ARC, I), parts({"above": 1} | _OF_ARC)),
    Derive("slow, below", at_least(2 * P * K * _ARC, -I), parts({"below": 1} | _OF_ARC)),
)
PROOF_OF_FAST = Derivation(FAST, _FAST)
PROOF_OF_SLOW = Derivation(SLOW, _SLOW)

_QUARTER = HALF_ANGLE / 2


def _sine(sign: int) -> tuple[DerivationStep, ...]:
    """`sin(theta (d - d_0) / 4)^2 > 0` where `sign (d - d_0) > 0`: the angle lies between 0 and 1/2."""
    ahead = sign * (d - d0)
    return (
        Derive("sum > 0", greater(D + ahead), parts({"D > 0": 1, "sine": 1})),
        Derive("product", equal((D - ahead) * (D + ahead)), parts({"D^2": 1})),
        Use("D is", "quotient", (D - ahead,), ("product", "sum > 0")),
        Derive("quarter > 0", greater(sign * _QUARTER), parts({("theta > 0", "sine"): sympy.Rational(1, 4)})),
        Use("pi", "pi"),
        Derive(
            "quarter < pi",
            greater(pi, sign * _QUARTER),
            parts({"slow": sympy.Rational(1, 4), "D is": theta / 4, "pi.1": 1, (): sympy.Rational(5, 2)}),
        ),
        Use("its sine", "sine", (sign * _QUARTER,), ("quarter > 0", "quarter < pi")),
        Derive("its sine^2", greater(sin(_QUARTER) ** 2), parts({("its sine", "its sine"): 1})),
    )


PROOF_OF_STRICT = Derivation(
    STRICT,
    (
        *BOUNDED,
        Split(
            "sine",
            d - d0,
            greater(sin(_QUARTER) ** 2),
            positive=_sine(1),
            zero=(Derive("no", FALSE, parts({("D > 0", "D > 0"): 1, "D^2": -1, "sine": -(d - d0)})),),
            negative=_sine(-1),
        ),
        Use("parabola", "parabola", (HALF_ANGLE,)),
        Derive(
            "arc^2 - s^2",
            greater(_ARC**2 - s**2),
            parts({"parabola": 2, ("sine", "sine"): 4, "D^2": theta**2 / 4, "s^2": -1}),
            "sin(2 y)^2 = 4 sin(y)^2 - 4 sin(y)^4 and sin(y)^2 <= y^2",
        ),
        Derive("arc >= 0", at_least(_ARC), parts({("theta", "D"): sympy.Rational(1, 2)})),
        Suppose(
            "s < arc",
            at_least(s, _ARC),
            (Derive("no", FALSE, parts({"arc^2 - s^2": 1, ("s < arc", "s < arc"): 1, ("arc >= 0", "s < arc"): 2})),),
        ),
        Derive("strictly above", greater(2 * P * K * _ARC, I), parts({"above": 1, ("P > 0", "K > 0", "s < arc"): 2})),
        Derive("strictly below", greater(2 * P * K * _ARC, -I), parts({"below": 1, ("P > 0", "K > 0", "s < arc"): 2})),
    ),
)

STRICTLY_MORE = "a plane below its bound keeps the sum below"
STRICT_SUM = Entailment(
    STRICTLY_MORE,
    SO_FAR | {"plane, above": greater(B, x), "plane, below": greater(B, -x)},
    (greater(A + B, T + x), greater(A + B, -T - x)),
)
PROOF_OF_STRICT_SUM = Derivation(
    STRICTLY_MORE,
    (
        Derive("above", greater(A + B, T + x), parts({"so far, above": 1, "plane, above": 1})),
        Derive("below", greater(A + B, -T - x), parts({"so far, below": 1, "plane, below": 1})),
    ),
)

# -- quiet planes and slow ones ------------------------------------------------------------------------------------

QUIET_PLANE = "a quiet plane"
SLOW_PLANE = "a slow plane"


def quiet_plane(bound: Any = 2 * eps * P) -> Entailment:
    """`|k - h| <= eps` gives `|I| <= 2 eps |q|`."""
    return Entailment(QUIET_PLANE, plane() | {"quiet": at_least(eps, K)}, _sizes(bound))


def slow_plane(bound: Any = eta * P * K) -> Entailment:
    """`theta |d - d_0| <= eta` gives `|I| <= eta |q| |k - h|`."""
    return Entailment(SLOW_PLANE, plane() | SHIFT | {"slow": at_least(eta, theta * D)}, _sizes(bound))


_OF_EPS, _OF_ETA = {("P", "quiet"): 2}, {("P", "K", "slow"): 1}
PROOF_OF_QUIET = Derivation(
    QUIET_PLANE,
    (
        *_FAST,
        Derive("quiet, above", at_least(2 * eps * P, I), parts({"fast, above": 1} | _OF_EPS)),
        Derive("quiet, below", at_least(2 * eps * P, -I), parts({"fast, below": 1} | _OF_EPS)),
    ),
)
PROOF_OF_SLOW_PLANE = Derivation(
    SLOW_PLANE,
    (
        *_SLOW,
        Derive("within eta, above", at_least(eta * P * K, I), parts({"slow, above": 1} | _OF_ETA)),
        Derive("within eta, below", at_least(eta * P * K, -I), parts({"slow, below": 1} | _OF_ETA)),
    ),
)
