"""Proofs about points spread evenly over the quarter circle, as derivations about one point more, and about all.

`2 h` is the arc between neighbours and point k + 1 stands at the angle `(2 k + 1) h`; `C`, `S`, `CC`, `SS`, `CS` are
the sums of cosines, sines, their squares and their products, and `q` is the whole arc, `2 N h`.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi, sin

from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import parts

_half, _fourth, _RHO = sympy.Rational(1, 2), sympy.Rational(1, 4), sympy.Rational(91, 100)
h, k, N, q, C, S, CC, SS, CS = sympy.symbols("h k N q C S CC SS CS", real=True)
SUMS = "sums of cosines and sines, one point more"
EVENLY = "points spread evenly over the quarter circle"


def _telescoped(turn: Any, count: Any, sums: tuple[Any, ...] = (C, S, CC, SS, CS)) -> dict[str, Fact]:
    """The five sums over so many points, where `turn` is the angle `2 count h`."""
    c, s, cc, ss, cs = sums
    return {
        "C": equal(2 * c * sin(h), sin(turn)),
        "S": equal(2 * s * sin(h), 1 - cos(turn)),
        "CC": equal(2 * sin(2 * h) * (2 * cc - count), sin(2 * turn)),
        "SS": equal(2 * sin(2 * h) * (2 * ss - count), -sin(2 * turn)),
        "CS": equal(4 * cs * sin(2 * h), 1 - cos(2 * turn)),
    }


_c, _s = cos((2 * k + 1) * h), sin((2 * k + 1) * h)
_further = _telescoped(2 * (k + 1) * h, k + 1, (C + _c, S + _s, CC + _c**2, SS + _s**2, CS + _c * _s))
POINT = Entailment(SUMS, _telescoped(2 * k * h, k), tuple(_further.values()))
PROOF_OF_POINT = Derivation(
    SUMS,
    tuple(Derive(f"{name} further", fact, parts({name: 1})) for name, fact in _further.items()),
    "Times the sine of half the step the terms telescope; all sums begin at 0.",
)


def evenly(rho: Any = _RHO, arc: Any = 4 * N * h) -> Entailment:
    """Both scores have one mean and one variance, and the covariance is below `-rho` times it."""
    return _evenly({"arc": equal(arc, pi), "q": equal(q, 2 * N * h), **_telescoped(q, N)}, rho)


def with_ends() -> Entailment:
    """The same for points at `2 k h`, k from 0 to N - 1, the last one at the end of the arc."""
    end, double = (2 * N - 1) * h, sin(2 * h)
    sums: dict[str, Fact] = {
        "C": equal(2 * C * sin(h), sin(end) + sin(h)),
        "S": equal(2 * S * sin(h), cos(h) - cos(end)),
        "CC": equal(2 * double * (2 * CC - N), sin(2 * end) + double),
        "SS": equal(2 * double * (2 * SS - N), -sin(2 * end) - double),
        "CS": equal(4 * CS * double, cos(2 * h) - cos(2 * end)),
    }
    return _evenly({"arc": equal(4 * (N - 1) * h, pi), "q": equal(q, 2 * (N - 1) * h), **sums}, _RHO)


def _evenly(known: dict[str, Fact], rho: Any) -> Entailment:
    covariance, variance = N * CS - C * S, N * CC - C**2
    conclusions = (equal(S, C), equal(SS, CC), greater(0, covariance + rho * variance))
    return Entailment(EVENLY, {"N": at_least(N, 2), **known}, conclusions)


_s1, _c1 = sin(h), cos(h)
_third = h / 3
_sigma = sin(_third)
_bend = 1 - 4 * h**2 / 27
_Y = sympy.Rational(11, 14) * _bend
_y = N * _s1
_low = 1 - h**2 / 2
_most = sympy.Rational(11, 28)


def _slack(middle: Any, cosine: Any) -> Any:
    """`(1 + rho) c - y - 2 rho y^2 c`, positive where the correlation is below -rho."""
    return (1 + _RHO) * cosine - middle - 2 * _RHO * middle**2 * cosine


_ANGLES: tuple[DerivationStep, ...] = (
    Use("pi", "pi"),
    Derive("N > 0", greater(N), parts({"N": 1, (): 2})),
    Derive("pi > 0", greater(pi), parts({"pi.1": 1, (): 3})),
    Derive("h, times", greater(h * N), parts({"arc": _fourth, "pi > 0": _fourth})),
    Use("h > 0", "quotient", (h,), ("h, times", "N > 0")),
    Derive(
        "h small",
        greater(_most, h),
        parts({"pi.2": sympy.Rational(1, 8), ("h > 0", "N"): _half, "arc": -sympy.Rational(1, 8)}),
    ),
    Derive("h + most", greater(_most + h), parts({"h > 0": 1, (): _most})),
    Derive("h^2 small", greater(_most**2 - h**2), parts({("h small", "h + most"): 1})),
    Derive("h^2 > 0", greater(h**2), parts({("h > 0", "h > 0"): 1})),
    Derive("third > 0", greater(_third), parts({"h > 0": sympy.Rational(1, 3)})),
    Derive(
        "third < pi",
        greater(pi, _third),
        parts({"pi.1": 1, "h small": sympy.Rational(1, 3), (): 3 - _most / 3}),
    ),
    Use("sigma", "sine", (_third,), ("third > 0", "third < pi")),
    Derive("third >= 0", at_least(_third), parts({"third > 0": 1})),
    Use("sigma <= third", "sine below x", (_third,), ("third >= 0",)),
    Derive(
        "steep",
        greater(3 - 4 * (_third**2 + _third * _sigma + _sigma**2)),
        parts(
            {
                "h^2 small": sympy.Rational(4, 3),
                ("sigma <= third.1", "third > 0"): 8,
                ("sigma <= third.1", "sigma"): 4,
                (): 3 - 4 * _most**2 / 3,
            }
        ),
    ),
    Derive(
        "sine",
        at_least(h * _bend - _s1),
        parts({("sigma <= third.1", "steep"): 1}),
        "sin h = 3 sin(h / 3) - 4 sin(h / 3)^3, which grows in sin(h / 3) <= h / 3",
    ),
    Derive("h < pi", greater(pi, h), parts({"pi.1": 1, "h small": 1, (): 3 - _most})),
    Use("sin h > 0", "sine", (h,), ("h > 0", "h < pi")),
    Use("cosine", "parabola", (h,)),
    Derive("low > 0", greater(_low), parts({"h^2 small": _half, (): 1 - _most**2 / 2})),
    Derive("cos h > 0", greater(_c1), parts({"cosine": 1, "low > 0": 1})),
)
_z = _most**2
_coefficients = sympy.Poly(sympy.expand(_slack(_Y, _low)), h).all_coeffs()[::-1][::2]
_c0, _c2, _c4, _c6 = _coefficients
_BOUND: tuple[DerivationStep, ...] = (
    Derive("bend > 0", greater(_bend), parts({"h^2 small": sympy.Rational(4, 27), (): 1 - 4 * _z / 27})),
    Derive(
        "y <= Y",
        at_least(_Y, _y),
        parts(
            {
                ("N > 0", "sine"): 1,
                ("pi.2", "bend > 0"): _fourth,
                "arc": -_bend / 4,
            }
        ),
    ),
    Derive("y > 0", greater(_y), parts({("N > 0", "sin h > 0"): 1})),
    Derive("Y > 0", greater(_Y), parts({"bend > 0": sympy.Rational(11, 14)})),
    Derive("Y low", at_least(sympy.Rational(11, 14), _Y), parts({"h^2 > 0": sympy.Rational(22, 189)})),
    Derive("Y + 11/14", greater(_Y + sympy.Rational(11, 14)), parts({"Y > 0": 1, (): sympy.Rational(11, 14)})),
    Derive(
        "Y^2",
        greater(1 + _RHO - 2 * _RHO * _Y**2),
        parts({("Y low", "Y + 11/14"): 2 * _RHO, (): 1 + _RHO - 2 * _RHO * sympy.Rational(121, 196)}),
    ),
    Derive(
        "at the edge",
        greater(_slack(_Y, _low)),
        parts(
            {
                (): _c0,
                ("h^2 > 0", "h^2 > 0", "h^2 > 0"): _c6,
                ("h^2 > 0", "h^2 small"): -_c4,
                "h^2 > 0": _c2 + _c4 * _z,
            }
        ),
    ),
    Derive(
        "slack",
        greater(_slack(_y, _c1)),
        parts(
            {
                "at the edge": 1,
                ("cosine", "Y^2"): 1,
                "y <= Y": 1,
                ("y <= Y", "cos h > 0", "Y > 0"): 2 * _RHO,
                ("y <= Y", "cos h > 0", "y > 0"): 2 * _RHO,
            }
        ),
    ),
)
_covariance, _variance = N * CS - C * S, N * CC - C**2
_SUMS_AT_THE_END: tuple[DerivationStep, ...] = (
    Derive("quarter", equal(q, pi / 2), parts({"q": 1, "arc": _half})),
    *(Use(f"{name} end", "replace", (q, pi / 2), (name, "quarter")) for name in ("C", "S", "CC", "SS", "CS")),
    Derive("sin 2h > 0", greater(sin(2 * h)), parts({("sin h > 0", "cos h > 0"): 2})),
    Derive("S - C, times", equal((S - C) * sin(h)), parts({"S end": _half, "C end": -_half})),
    Use("S = C", "quotient", (S - C,), ("S - C, times", "sin h > 0")),
    Derive(
        "SS - CC, times",
        equal((SS - CC) * sin(2 * h)),
        parts({"SS end": _fourth, "CC end": -_fourth}),
    ),
    Use("SS = CC", "quotient", (SS - CC,), ("SS - CC, times", "sin 2h > 0")),
    Derive("CC, times", equal((CC - N / 2) * sin(2 * h)), parts({"CC end": _fourth})),
    Use("CC = N/2", "quotient", (CC - N / 2,), ("CC, times", "sin 2h > 0")),
    Derive("scale", greater(4 * _s1**2 * _c1), parts({("sin h > 0", "sin h > 0", "cos h > 0"): 4})),
    Derive(
        "correlation, times",
        greater(-(_covariance + _RHO * _variance) * 4 * _s1**2 * _c1),
        parts(
            {
                "slack": 1,
                "CS end": -N * _s1 * _half,
                "C end": _c1 * 2 * _s1 * S + _RHO * _c1 * (2 * _s1 * C + 1),
                "S end": _c1,
                "CC = N/2": -4 * _RHO * _s1**2 * _c1 * N,
            }
        ),
    ),
    Use("correlation", "quotient", (-(_covariance + _RHO * _variance),), ("correlation, times", "scale")),
)
PROOF_OF_EVENLY = Derivation(
    EVENLY,
    (*_ANGLES, *_BOUND, *_SUMS_AT_THE_END),
    "With y = N sin h the correlation is below -rho if (1 + rho) cos h > y + 2 rho y^2 cos h; here y <= pi / 4 times "
    "(1 - 4 h^2 / 27) and cos h >= 1 - h^2 / 2.",
)
