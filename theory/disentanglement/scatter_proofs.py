"""Proofs about the mean square of a table's interaction effects, one plane and then one plane more.

In one plane the effect of content a at position b is `x = k . e`, of the key's deviation `k` from the mean key and the
direction's deviation `e` from the mean direction; the directions are one vector `q`, turned by b theta.

    S            mean of x^2 over all contents and positions
    V, E         mean of |k|^2 over the contents, of |e|^2 over the positions
    R, T         sum of x^2 over one content's positions so far, over all contents so far
    v, a         sum of |k|^2 over the contents so far, of |e|^2 over the positions so far
    C, Z         sums of cos(b theta) and sin(b theta) over b = 1 .. n
    D            the mean resultant, (D m sin(theta / 2))^2 = sin(m theta / 2)^2
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, sin

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    Part,
    Split,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import parts

theta, m, n, C, Z = sympy.symbols("theta m n C Z", real=True)
HALF = sympy.Rational(1, 2)

# -- m unit vectors, turned by theta, 2 theta, ... -----------------------------------------------------------------

START, STEP, SQUARE = "no vector", "one vector more", "the length of the sum"


def _closed(cosines: Any, sines: Any, count: Any) -> dict[str, Fact]:
    """The sums in closed form, times `sin(theta / 2)`."""
    far = (count + HALF) * theta
    return {
        "cosines": equal(cosines * sin(theta / 2), HALF * (sin(far) - sin(theta / 2))),
        "sines": equal(sines * sin(theta / 2), HALF * (cos(theta / 2) - cos(far))),
    }


_start = _closed(sympy.Integer(0), sympy.Integer(0), sympy.Integer(0))
_next = _closed(C + cos((n + 1) * theta), Z + sin((n + 1) * theta), n + 1)
NO_VECTOR = Entailment(START, {}, tuple(_start.values()))
PROOF_OF_START = Derivation(START, tuple(Derive(name, fact, ()) for name, fact in _start.items()))
ONE_VECTOR = Entailment(STEP, _closed(C, Z, n), tuple(_next.values()))
PROOF_OF_STEP = Derivation(
    STEP,
    tuple(Derive(f"next {name}", fact, parts({name: 1})) for name, fact in _next.items()),
    "2 sin(theta / 2) cos((n + 1) theta) = sin((n + 3/2) theta) - sin((n + 1/2) theta), and likewise for sines.",
)


def length(right: Any = None, factor: Any = None) -> Entailment:
    """`(C^2 + Z^2) sin(theta / 2)^2 = sin(n theta / 2)^2`."""
    right = sin(n * theta / 2) ** 2 if right is None else right
    factor = sin(theta / 2) ** 2 if factor is None else factor
    return Entailment(SQUARE, _closed(C, Z, n), (equal((C**2 + Z**2) * factor, right),))


_far = (n + HALF) * theta
PROOF_OF_LENGTH = Derivation(
    SQUARE,
    (
        Derive(
            "length",
            equal((C**2 + Z**2) * sin(theta / 2) ** 2, sin(n * theta / 2) ** 2),
            parts(
                {
                    "cosines": C * sin(theta / 2) + HALF * (sin(_far) - sin(theta / 2)),
                    "sines": Z * sin(theta / 2) + HALF * (cos(theta / 2) - cos(_far)),
                }
            ),
        ),
    ),
)

# -- one plane -----------------------------------------------------------------------------------------------------

POSITION, CONTENT, TABLE, DIRECTIONS, STILL, PLANE = (
    "one position more",
    "one content more",
    "the mean square over the table",
    "the scatter of the directions",
    "a plane that does not turn",
    "one plane's mean square",
)
k1, k2, e1, e2, q1, q2, c1, c2 = sympy.symbols("k_1 k_2 e_1 e_2 q_1 q_2 c_1 c_2", real=True)
x, X, S, s, V, E, D, Q, U = sympy.symbols("x X S s V E D Q U", real=True)
R, T, v, a = sympy.symbols("R T v a", real=True)
QUERY, KEY, DIRECTION = q1**2 + q2**2, k1**2 + k2**2, e1**2 + e2**2

ONE_POSITION = Entailment(
    POSITION,
    {"so far": at_least(KEY * a, R), "x": equal(x, k1 * e1 + k2 * e2)},
    (at_least(KEY * (a + DIRECTION), R + x**2),),
)
PROOF_OF_POSITION = Derivation(
    POSITION,
    (
        Derive(
            "entry",
            at_least(KEY * (a + DIRECTION), R + x**2),
            (Part(("so far",)), Part(("x",), -(x + k1 * e1 + k2 * e2)), Part((), 1, (k1 * e2 - k2 * e1,))),
        ),
    ),
    "Lagrange.",
)
ONE_CONTENT = Entailment(
    CONTENT,
    {"so far": at_least(v * a, T), "its row": at_least(KEY * a, R)},
    (at_least((v + KEY) * a, T + R),),
)
PROOF_OF_CONTENT = Derivation(
    CONTENT, (Derive("sum", at_least((v + KEY) * a, T + R), parts({"so far": 1, "its row": 1})),)
)
ALL_ENTRIES = Entailment(
    TABLE,
    {
        "m": greater(m),
        "all": at_least(v * a, T),
        "V": equal(m * V, v),
        "E": equal(m * E, a),
        "S": equal(m**2 * S, T),
    },
    (at_least(V * E, S),),
)
PROOF_OF_ENTRIES = Derivation(
    TABLE,
    (
        Derive("m^2", greater(m**2), parts({("m", "m"): 1})),
        Derive("times", at_least((V * E - S) * m**2), parts({"all": 1, "V": m * E, "E": v, "S": -1})),
        Use("mean", "quotient", (V * E - S,), ("times", "m^2")),
    ),
)


def _means(cosines: Any, sines: Any) -> dict[str, Hypothesis]:
    """The mean direction, and the mean square of the directions around it."""
    return {
        "m": greater(m),
        "first": equal(m * c1, q1 * cosines - q2 * sines),
        "second": equal(m * c2, q1 * sines + q2 * cosines),
        "E": equal(E, QUERY - c1**2 - c2**2),
    }


def directions(count: Any = m, spread: Any = 1 - D**2) -> Entailment:
    """`E = |q|^2 (1 - D^2)` where theta is no multiple of a full turn; `count` is the m in D's definition."""
    known: dict[str, Hypothesis] = {
        "turns": greater(sin(theta / 2) ** 2),
        "length": equal((C**2 + Z**2) * sin(theta / 2) ** 2, sin(m * theta / 2) ** 2),
        "D": equal(D**2 * count**2 * sin(theta / 2) ** 2, sin(count * theta / 2) ** 2),
    }
    return Entailment(DIRECTIONS, _means(C, Z) | known, (equal(E, QUERY * spread),))


_s2 = sin(theta / 2) ** 2
PROOF_OF_DIRECTIONS = Derivation(
    DIRECTIONS,
    (
        Derive("m^2 sin^2", greater(m**2 * _s2), parts({("m", "m", "turns"): 1})),
        Derive(
            "times",
            equal((E - QUERY * (1 - D**2)) * m**2 * _s2),
            parts(
                {
                    "E": m**2 * _s2,
                    "first": -(m * c1 + q1 * C - q2 * Z) * _s2,
                    "second": -(m * c2 + q1 * Z + q2 * C) * _s2,
                    "length": -QUERY,
                    "D": QUERY,
                }
            ),
        ),
        Use("E is", "quotient", (E - QUERY * (1 - D**2),), ("times", "m^2 sin^2")),
    ),
)
NO_TURN = Entailment(STILL, _means(m, sympy.Integer(0)), (equal(E),))
PROOF_OF_STILL = Derivation(
    STILL,
    (
        Derive("first, times", equal(m * (c1 - q1)), parts({"first": 1})),
        Derive("second, times", equal(m * (c2 - q2)), parts({"second": 1})),
        Use("c_1", "quotient", (c1 - q1,), ("first, times", "m")),
        Use("c_2", "quotient", (c2 - q2,), ("second, times", "m")),
        Derive("nothing", equal(E), parts({"E": 1, "c_1": -(c1 + q1), "c_2": -(c2 + q2)})),
    ),
)


def plane_bound(variance: Any = V, factor: Any = 1) -> Entailment:
    """`S <= |q|^2 V (1 - D^2)`."""
    known: dict[str, Hypothesis] = {"entries": at_least(V * E, S), "E": equal(E, Q * (1 - D**2))}
    return Entailment(PLANE, known, (at_least(factor * variance * Q * (1 - D**2), S),))


PROOF_OF_PLANE_BOUND = Derivation(
    PLANE, (Derive("bound", at_least(V * Q * (1 - D**2), S), parts({"entries": 1, "E": -V})),)
)

# -- one plane more ------------------------------------------------------------------------------------------------

WEIGHTED, MORE, NONE = "one entry more of two sums", "one plane more", "planes whose bound is 0"
A, B, w = sympy.symbols("A B w", real=True)
_SIDES: dict[str, Hypothesis] = {"A": greater(A), "B": greater(B)}


def _weighted(so_far: Any, plane: Any, together: Any) -> Any:
    return B * (A + B) * so_far + A * (A + B) * plane - A * B * together


_more = at_least(_weighted(S + X**2, s + x**2, T + (X + x) ** 2))
TWO_SUMS = Entailment(WEIGHTED, _SIDES | {"so far": at_least(_weighted(S, s, T))}, (_more,))
PROOF_OF_WEIGHTED = Derivation(
    WEIGHTED,
    (Derive("entry", _more, (Part(("so far",)), Part((), 1, (B * X - A * x,)))),),
    "Here S, s and T are sums over the entries so far: of the planes so far, of one plane more, of both together.",
)


def one_more(bound: Any = (A + B) ** 2) -> Entailment:
    """Mean squares at most `A^2` and `B^2` give one of the sum at most `(A + B)^2` (Minkowski)."""
    known: dict[str, Hypothesis] = {
        "entries": at_least(_weighted(S, s, T)),
        "so far": at_least(A**2, S),
        "plane": at_least(B**2, s),
    }
    return Entailment(MORE, _SIDES | known, (at_least(bound, T),))


PROOF_OF_MORE = Derivation(
    MORE,
    (
        Derive("A B", greater(A * B), parts({("A", "B"): 1})),
        Derive(
            "times",
            at_least(((A + B) ** 2 - T) * A * B),
            parts(
                {"entries": 1, ("B", "B", "so far"): 1, ("A", "B", "so far"): 1}
                | {("A", "A", "plane"): 1, ("A", "B", "plane"): 1}
            ),
        ),
        Use("sum", "quotient", ((A + B) ** 2 - T,), ("times", "A B")),
    ),
)
NO_PLANE = Entailment(NONE, {"none": at_least(-S), "entry": at_least(S, w * X**2), "w": greater(w)}, (equal(X),))
_no = Derive("no", FALSE, parts({("w", "X", "X"): 1, "entry": 1, "none": 1}))
PROOF_OF_NONE = Derivation(
    NONE,
    (Split("X", X, equal(X), positive=(_no,), zero=(), negative=(_no,)),),
    "A mean of squares is at least each of them times its weight w; so where the bound is 0 nothing is added.",
)
