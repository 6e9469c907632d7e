"""Proofs about the scatter of m equally spaced directions along and across their middle one, and what it bounds.

With `z_b = (b - (m + 1) / 2) theta` the direction b stands at the angle z_b to the middle one. Sums over b = 1 .. p:

    C, Z       of cos 2 z_b and sin 2 z_b;  in `a sum of centred angles` of cos and sin of (2 b - m - 1) y, for any y
    U, Y, N    of cos(z_b)^2, of sin(z_b)^2 and of cos z_b sin z_b
    W, O       of cos z_b and sin z_b

`F`, `G`, `H` are the mean squares of the directions' deviations along and across, and the mean of their product;
`c` and `D` are the means C / m and W / m. `Kf`, `Kg`, `Kh` are the same means of the keys' deviations, and `S` is the
mean square of the interaction effects `x = l (f u + g v)`, of a key's deviation `(f, g)` and a direction's `l (u, v)`
along and across, `Q = l^2 = |q|^2`. Sums so far are `R` of one content's x^2, `T` of all x^2; `A_f`, `A_g`, `A_h` of
`u^2`, `v^2`, `u v` over positions, and `B_f`, `B_g`, `B_h` of `f^2`, `g^2`, `f g` over contents.
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
NO_SINES, NO_SINE = "their sines add up to 0", "where the closed form says nothing, one more"
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

ALL_SINES = Entailment(NO_SINES, {"sines": equal(Z * sin(y)), "turns": greater(sin(y) ** 2)}, (equal(Z),))
PROOF_OF_SINES = Derivation(
    NO_SINES,
    (
        Derive("times", equal(Z * sin(y) ** 2), parts({"sines": sin(y)})),
        Use("none", "quotient", (Z,), ("times", "turns")),
    ),
    "Where sin y is not 0.",
)
k = sympy.Symbol("k", real=True)
_term = sin((2 * p + 1 - m) * k * sympy.pi)
HALF_TURNS = Entailment(NO_SINE, {"so far": equal(Z)}, (equal(Z + _term),), integers=(p, m, k))
PROOF_OF_HALF_TURNS = Derivation(
    NO_SINE,
    (Derive("no sine", equal(Z + _term), parts({"so far": 1})),),
    "Where sin y is 0, y is k pi for an integer k, and the sum of sines is 0 term by term.",
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

# -- the mean square of the effects --------------------------------------------------------------------------------

POSITION, CONTENT, TABLE = "one position more", "one content more", "the mean square over the table"
R, T, f, g, u, v, l, x = sympy.symbols("R T f g u v l x", real=True)  # noqa: E741
Af, Ag, Ah, Bf, Bg, Bh = sympy.symbols("A_f A_g A_h B_f B_g B_h", real=True)


def _form(keys: tuple[Any, Any, Any], directions: tuple[Any, Any, Any]) -> Any:
    """`Q (one f other f + 2 one h other h + one g other g)`."""
    (one_f, one_g, one_h), (other_f, other_g, other_h) = keys, directions
    return Q * (one_f * other_f + 2 * one_h * other_h + one_g * other_g)


_key, _positions, _contents = (f**2, g**2, f * g), (Af, Ag, Ah), (Bf, Bg, Bh)
_row_more = equal(R + x**2, _form(_key, (Af + u**2, Ag + v**2, Ah + u * v)))
_table_more = equal(T + R, _form((Bf + f**2, Bg + g**2, Bh + f * g), _positions))
ONE_POSITION = Entailment(
    POSITION,
    {"so far": equal(R, _form(_key, _positions)), "x": equal(x, l * (f * u + g * v)), "Q": equal(Q, l**2)},
    (_row_more,),
)
PROOF_OF_POSITION = Derivation(
    POSITION,
    (Derive("row", _row_more, parts({"so far": 1, "x": x + l * (f * u + g * v), "Q": -((f * u + g * v) ** 2)})),),
)
ONE_CONTENT = Entailment(
    CONTENT,
    {"so far": equal(T, _form(_contents, _positions)), "its row": equal(R, _form(_key, _positions))},
    (_table_more,),
)
PROOF_OF_CONTENT = Derivation(CONTENT, (Derive("sum", _table_more, parts({"so far": 1, "its row": 1})),))
_effects = equal(S, _form((Kf, Kg, Kh), (F, G, H)))
_of_positions = {"F": (F, Af), "G": (G, Ag), "H": (H, Ah)}
_of_contents = {"K_f": (Kf, Bf), "K_g": (Kg, Bg), "K_h": (Kh, Bh)}
ALL_ENTRIES = Entailment(
    TABLE,
    {
        "m": greater(m),
        "all": equal(T, _form(_contents, _positions)),
        "S": equal(m**2 * S, T),
        **{name: equal(m * each, total) for name, (each, total) in (_of_positions | _of_contents).items()},
    },
    (_effects,),
)
PROOF_OF_ENTRIES = Derivation(
    TABLE,
    (
        Derive("m^2", greater(m**2), parts({("m", "m"): 1})),
        Derive(
            "times",
            equal(_effects.expression * m**2),
            parts(
                {"S": 1, "all": 1}
                | {"K_f": -Q * Af, "K_g": -Q * Ag, "K_h": -2 * Q * Ah}
                | {"F": -Q * m * Kf, "G": -Q * m * Kg, "H": -2 * Q * m * Kh}
            ),
        ),
        Use("effects", "quotient", (_effects.expression,), ("times", "m^2")),
    ),
)

_MEAN: dict[str, Hypothesis] = {
    "S": _effects,
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
