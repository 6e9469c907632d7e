"""Proofs about the scatter of m equally spaced directions along and across their middle one, and what it bounds.

With `z_b = (b - (m + 1) / 2) theta` the direction b stands at the angle z_b to the middle one. Sums over b = 1 .. p:

    C, Z       of cos 2 z_b and sin 2 z_b;  in `a sum of centred angles` of cos and sin of (2 b - m - 1) y, for any y
    U, Y, N    of cos(z_b)^2, of sin(z_b)^2 and of cos z_b sin z_b
    W, O       of cos z_b and sin z_b

`F`, `G`, `H` are the mean squares of the directions' deviations along and across, and the mean of their product;
`c` and `D` are the means C / m and W / m. `Kf`, `Kg`, `Kh` are the same means of the keys' deviations, and `S` is the
mean square of the interaction effects.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, sin

from headproof.theory.derivation import (
    Derivation,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    Part,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import parts

theta, y, z, m, p = sympy.symbols("theta y z m p", real=True)
C, Z, U, Y, N, W, O = sympy.symbols("C Z U Y N W O", real=True)  # noqa: E741
HALF = sympy.Rational(1, 2)

# -- sums ----------------------------------------------------------------------------------------------------------

START, STEP, END = "no centred angle", "a sum of centred angles, one more", "all m of them"
NO_SINE = "where the closed form says nothing"
MOMENTS = "squares and products, one more"


def _closed(cosines: Any, sines: Any, count: Any) -> dict[str, Fact]:
    far = (2 * count - m) * y
    return {
        "cosines": equal(cosines * sin(y), HALF * (sin(far) + sin(m * y))),
        "sines": equal(sines * sin(y), HALF * (cos(m * y) - cos(far))),
    }


_start = _closed(sympy.Integer(0), sympy.Integer(0), sympy.Integer(0))
_next = _closed(C + cos((2 * p + 1 - m) * y), Z + sin((2 * p + 1 - m) * y), p + 1)
_all: tuple[Any, ...] = (equal(C * sin(y), sin(m * y)), equal(Z * sin(y)))
NO_ANGLE = Entailment(START, {}, tuple(_start.values()))
PROOF_OF_START = Derivation(START, tuple(Derive(name, fact, ()) for name, fact in _start.items()))
ONE_ANGLE = Entailment(STEP, _closed(C, Z, p), tuple(_next.values()))
PROOF_OF_STEP = Derivation(STEP, tuple(Derive(f"next {name}", fact, parts({name: 1})) for name, fact in _next.items()))
ALL_ANGLES = Entailment(END, _closed(C, Z, m), _all)
PROOF_OF_END = Derivation(
    END,
    tuple(Derive(f"all {name}", fact, parts({name: 1})) for name, fact in zip(_closed(C, Z, m), _all, strict=True)),
    "With y = theta the sums C and Z, with y = theta / 2 the sums W and O.",
)

k, b = sympy.symbols("k b", real=True)
HALF_TURNS = Entailment(NO_SINE, {}, (equal(sin((2 * b - m - 1) * k * sympy.pi)),), integers=(b, m, k))
PROOF_OF_HALF_TURNS = Derivation(
    NO_SINE,
    (Derive("no sine", equal(sin((2 * b - m - 1) * k * sympy.pi)), ()),),
    "So where sin y = 0 the sum of sines is 0 term by term, and elsewhere it is 0 by its closed form.",
)


def _squares(squares: tuple[Any, Any, Any], count: Any, cosines: Any, sines: Any) -> dict[str, Fact]:
    along, across, product = squares
    return {
        "along": equal(along, HALF * (count + cosines)),
        "across": equal(across, HALF * (count - cosines)),
        "product": equal(product, HALF * sines),
    }


_more = _squares((U + cos(z) ** 2, Y + sin(z) ** 2, N + cos(z) * sin(z)), p + 1, C + cos(2 * z), Z + sin(2 * z))
ONE_SQUARE = Entailment(MOMENTS, _squares((U, Y, N), p, C, Z), tuple(_more.values()))
PROOF_OF_MOMENTS = Derivation(
    MOMENTS, tuple(Derive(f"next {name}", fact, parts({name: 1})) for name, fact in _more.items())
)

# -- deviations ----------------------------------------------------------------------------------------------------

SCATTER, LARGEST, ATTAINED = "along and across", "no more than the larger", "keys along one axis"
F, G, H, c, D, L, Q, S = sympy.symbols("F G H c D L Q S", real=True)
Kf, Kg, Kh = sympy.symbols("K_f K_g K_h", real=True)
ALONG, ACROSS = HALF * (1 + c) - D**2, HALF * (1 - c)


def scatter(count: Any = m, along: Any = ALONG, across: Any = ACROSS) -> Entailment:
    """`F = (1 + c) / 2 - D^2`, `G = (1 - c) / 2`, `H = 0` from the sums; `count` is the m in the definition of c."""
    known: dict[str, Hypothesis] = {
        "m": greater(m),
        "c": equal(c * count, C),
        "D": equal(D * m, W),
        "Z": equal(Z),
        "O": equal(O),
        **_squares((U, Y, N), m, C, Z),
        "F": equal(m**2 * F, m * U - W**2),
        "G": equal(m**2 * G, m * Y - O**2),
        "H": equal(m**2 * H, m * N - W * O),
    }
    return Entailment(SCATTER, known, (equal(F, along), equal(G, across), equal(H)))


PROOF_OF_SCATTER = Derivation(
    SCATTER,
    (
        Derive("m^2", greater(m**2), parts({("m", "m"): 1})),
        Derive("F, times", equal((F - ALONG) * m**2), parts({"F": 1, "along": m, "c": -m / 2, "D": D * m + W})),
        Derive("G, times", equal((G - ACROSS) * m**2), parts({"G": 1, "across": m, "c": m / 2, "O": -O})),
        Derive("H, times", equal(H * m**2), parts({"H": 1, "product": m, "Z": m / 2, "O": -W})),
        Use("along, mean", "quotient", (F - ALONG,), ("F, times", "m^2")),
        Use("across, mean", "quotient", (G - ACROSS,), ("G, times", "m^2")),
        Use("product, mean", "quotient", (H,), ("H, times", "m^2")),
    ),
)

_MEAN: dict[str, Hypothesis] = {
    "S": equal(S, Q * (Kf * F + 2 * Kh * H + Kg * G)),
    "Q": at_least(Q),
    "H": equal(H),
    "K_f": at_least(Kf),
    "K_g": at_least(Kg),
}


def largest(factor: Any = 1, either: bool = True) -> Entailment:
    """`S <= |q|^2 L (K_f + K_g)` for an L that is at least F and at least G."""
    known: dict[str, Hypothesis] = {"F": at_least(L, F)}
    if either:
        known["G"] = at_least(L, G)
    return Entailment(LARGEST, _MEAN | known, (at_least(factor * Q * L * (Kf + Kg), S),))


PROOF_OF_LARGEST = Derivation(
    LARGEST,
    (
        Derive(
            "bound",
            at_least(Q * L * (Kf + Kg), S),
            (Part(("S",), -1), Part(("H",), -2 * Q * Kh), Part(("Q", "K_f", "F")), Part(("Q", "K_g", "G"))),
        ),
    ),
)


def attained(larger: Any = F) -> Entailment:
    """Keys that vary along the first axis alone have `S = |q|^2 F (K_f + K_g)`."""
    known: dict[str, Hypothesis] = {"no K_g": equal(Kg), "no K_h": equal(Kh)}
    return Entailment(ATTAINED, _MEAN | known, (equal(S, Q * larger * (Kf + Kg)),))


PROOF_OF_ATTAINED = Derivation(
    ATTAINED,
    (
        Derive(
            "attained",
            equal(S, Q * F * (Kf + Kg)),
            parts({"S": 1, "no K_g": Q * (G - F), "H": 2 * Q * Kh}),
        ),
    ),
    "With the two axes exchanged, likewise for G.",
)
