"""Proofs about the interaction in one rotary plane, as derivations, and about sums over planes, one after another.

Letters of a plane: the query `q`, the keys `k` and `h` (the other key), the angle theta, the distances `d` and `d_0`.
`I` is the plane's interaction and `J` the same double difference of the cross product; `P >= 0` and `K >= 0` are the
lengths of q and k - h, `s >= 0` is the size of `sin(theta (d - d_0) / 2)`. In a sum over planes, `T` and `A` are the
interaction and the bound of some planes, `x` and `B` those of one plane more.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, sin

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Hypothesis,
    Part,
    Split,
    Suppose,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import parts

q1, q2, k1, k2, h1, h2 = sympy.symbols("q_1 q_2 k_1 k_2 h_1 h_2", real=True)
theta, d, d0 = sympy.symbols("theta d d_0", real=True)
I, J, P, K, s = sympy.symbols("I J P K s", real=True)  # noqa: E741
A, B, T, x = sympy.symbols("A B T x", real=True)


def dot(one: Any, other: Any, phase: Any) -> Any:
    """`q . R(phase) k`."""
    return cos(phase) * (q1 * one + q2 * other) + sin(phase) * (q2 * one - q1 * other)


def cross(one: Any, other: Any, phase: Any) -> Any:
    """`q x R(phase) k`."""
    return cos(phase) * (q1 * other - q2 * one) + sin(phase) * (q1 * one + q2 * other)


def double(product: Any) -> Any:
    """The double difference of a product, from its four terms."""
    here, there = (product(k1, k2, theta * each) - product(h1, h2, theta * each) for each in (d, d0))
    return here - there


INTERACTION, ACROSS = double(dot), double(cross)
HALF_ANGLE = theta * (d - d0) / 2
QUERY, KEYS = q1**2 + q2**2, (k1 - h1) ** 2 + (k2 - h2) ** 2


def plane(sine: Any = None, keys: Any = KEYS) -> dict[str, Hypothesis]:
    """The definitions; a near miss can have another sine's argument or another length of keys."""
    return {
        "I": equal(I, INTERACTION),
        "J": equal(J, ACROSS),
        "P": at_least(P),
        "P^2": equal(P**2, QUERY),
        "K": at_least(K),
        "K^2": equal(K**2, keys),
        "s": at_least(s),
        "s^2": equal(s**2, sin(HALF_ANGLE if sine is None else sine) ** 2),
    }


def below(name: str, value: Any, bound: Any, nonnegative: str, squares: str) -> Suppose:
    """`value <= bound` from the facts `bound >= 0` and `bound^2 - value^2 >= 0`."""
    none = Derive(f"{name}, none", FALSE, parts({squares: 1, (name, name): 1, (nonnegative, name): 2}))
    return Suppose(name, greater(value, bound), (none,))


# -- one plane -----------------------------------------------------------------------------------------------------

LAGRANGE = "the interaction's square and what it misses"
ONE_PLANE = "the interaction of one plane"
BOUND = 2 * s * P * K


def lagrange(factor: Any = 4, known: dict[str, Hypothesis] | None = None) -> Entailment:
    """`I^2 + J^2 = 4 s^2 |q|^2 |k - h|^2`."""
    return Entailment(LAGRANGE, known or plane(), (equal(I**2 + J**2, factor * s**2 * P**2 * K**2),))


def one_plane(bound: Any = BOUND, known: dict[str, Hypothesis] | None = None) -> Entailment:
    """`|I| <= 2 s |q| |k - h|`."""
    return Entailment(ONE_PLANE, known or plane(), (at_least(bound, I), at_least(bound, -I)))


_sine = sin(HALF_ANGLE) ** 2
IDENTITY = Derive(
    "identity",
    equal(I**2 + J**2, 4 * s**2 * P**2 * K**2),
    parts(
        {"I": I + INTERACTION, "J": J + ACROSS, "s^2": -4 * P**2 * K**2}
        | {"P^2": -4 * _sine * K**2, "K^2": -4 * _sine * QUERY}
    ),
    "R(theta d) - R(theta d_0) is a turn stretched by 2 sin(theta (d - d_0) / 2); then Lagrange",
)
BOUNDED: tuple[DerivationStep, ...] = (
    IDENTITY,
    Derive("bound >= 0", at_least(BOUND), parts({("s", "P", "K"): 2})),
    Derive("squares", at_least(BOUND**2 - I**2), (Part(("identity",), -1), Part((), 1, (J,)))),
    below("above", I, BOUND, "bound >= 0", "squares"),
    below("below", -I, BOUND, "bound >= 0", "squares"),
)
PROOF_OF_LAGRANGE = Derivation(LAGRANGE, (IDENTITY,))
PROOF_OF_PLANE = Derivation(ONE_PLANE, BOUNDED)

# -- sums over planes ----------------------------------------------------------------------------------------------

MORE = "one plane more"
SO_FAR: dict[str, Hypothesis] = {"so far, above": at_least(A, T), "so far, below": at_least(A, -T)}
FURTHER: dict[str, Hypothesis] = {"plane, above": at_least(B, x), "plane, below": at_least(B, -x)}


def one_more(bound: Any = A + B) -> Entailment:
    """Bounds of sizes add up."""
    return Entailment(MORE, SO_FAR | FURTHER, (at_least(bound, T + x), at_least(bound, -T - x)))


PROOF_OF_MORE = Derivation(
    MORE,
    (
        Derive("above", at_least(A + B, T + x), parts({"so far, above": 1, "plane, above": 1})),
        Derive("below", at_least(A + B, -T - x), parts({"so far, below": 1, "plane, below": 1})),
    ),
)

# -- where the bound is attained -----------------------------------------------------------------------------------

ONLY = "a plane that attains its bound misses nothing"
IF = "a plane that misses nothing attains its bound"
BOTH = "planes that attain their bounds together do so one by one"
TOGETHER = "and together if one by one"
STEEPEST = "keys that attain it"
lam = sympy.Symbol("lambda", real=True)


def only(missed: Any = J) -> Entailment:
    """`I = 2 s |q| |k - h|` gives `J = 0` and `I >= 0`."""
    return Entailment(ONLY, plane() | {"attained": equal(I, BOUND)}, (equal(missed), at_least(I)))


def attained_if(missed: Any = J, sign: bool = True) -> Entailment:
    """`J = 0` and `I >= 0` give `I = 2 s |q| |k - h|`."""
    known: dict[str, Hypothesis] = {"missed": equal(missed)}
    if sign:
        known["sign"] = at_least(I)
    return Entailment(IF, plane() | known, (equal(I, BOUND),))


def _zero(letter: Any, name: str, squared: str) -> Split:
    """`letter = 0` from `letter^2 = 0`."""
    none = Derive(f"{name}, none", FALSE, parts({(name, name): 1, squared: -1}))
    return Split(name, letter, equal(letter), positive=(none,), zero=(), negative=(none,))


PROOF_OF_ONLY = Derivation(
    ONLY,
    (
        IDENTITY,
        Derive("J^2", equal(J**2), parts({"identity": 1, "attained": -I - BOUND})),
        _zero(J, "nothing missed", "J^2"),
        Derive("sign", at_least(I), parts({"attained": 1, ("s", "P", "K"): 2})),
    ),
)
_ATTAINED: tuple[DerivationStep, ...] = (
    *BOUNDED,
    Derive("product", equal((BOUND - I) * (BOUND + I)), parts({"identity": -1, "missed": J})),
    Suppose(
        "not below",
        greater(BOUND, I),
        (
            Derive("sum > 0", greater(BOUND + I), parts({"not below": 1, "sign": 2})),
            Derive("no", FALSE, parts({("not below", "sum > 0"): 1, "product": -1})),
        ),
    ),
    Use("attained", "equality", (), ("not below", "above")),
)
PROOF_OF_IF = Derivation(IF, _ATTAINED)

_one_by_one: dict[str, Hypothesis] = {"so far": at_least(A, T), "plane": at_least(B, x)}
ALL_ATTAIN = Entailment(BOTH, _one_by_one | {"together": equal(T + x, A + B)}, (equal(T, A), equal(x, B)))
PROOF_OF_BOTH = Derivation(
    BOTH,
    (
        Derive("T back", at_least(T, A), parts({"plane": 1, "together": 1})),
        Derive("x back", at_least(x, B), parts({"so far": 1, "together": 1})),
        Use("T", "equality", (), ("T back", "so far")),
        Use("x", "equality", (), ("x back", "plane")),
    ),
)
EACH_ATTAINS = Entailment(TOGETHER, {"so far": equal(T, A), "plane": equal(x, B)}, (equal(T + x, A + B),))
PROOF_OF_TOGETHER = Derivation(TOGETHER, (Derive("sum", equal(T + x, A + B), parts({"so far": 1, "plane": 1})),))

# q turned back by both distances, R(theta d)^T q - R(theta d_0)^T q
_DIRECTION = (
    q1 * (cos(theta * d) - cos(theta * d0)) + q2 * (sin(theta * d) - sin(theta * d0)),
    q2 * (cos(theta * d) - cos(theta * d0)) - q1 * (sin(theta * d) - sin(theta * d0)),
)
# q turned back by the one distance alone, for a near miss
_ONE_TURN = (q1 * cos(theta * d) + q2 * sin(theta * d), q2 * cos(theta * d) - q1 * sin(theta * d))


def steepest(of_both: bool = True) -> Entailment:
    """`k - h = lambda (R(theta d)^T q - R(theta d_0)^T q)` with `lambda >= 0` attains the bound."""
    one, other = _DIRECTION if of_both else _ONE_TURN
    keys: dict[str, Hypothesis] = {
        "first": equal(k1, h1 + lam * one),
        "second": equal(k2, h2 + lam * other),
        "lambda": at_least(lam),
    }
    return Entailment(STEEPEST, plane() | keys, (equal(I, BOUND),))


def _put_in(fact: str, coefficients: tuple[Any, Any]) -> dict[Any, Any]:
    """The parts by which an expression linear in k becomes one in lambda."""
    return {fact: 1, "first": coefficients[0], "second": coefficients[1]}


def _coefficients(expression: Any) -> tuple[Any, Any]:
    expanded = sympy.expand(expression)
    return expanded.coeff(k1), expanded.coeff(k2)


PROOF_OF_STEEPEST = Derivation(
    STEEPEST,
    (
        Derive(
            "I is",
            equal(I, 4 * lam * _sine * QUERY),
            parts(_put_in("I", _coefficients(INTERACTION))),
            "the interaction is the inner product of k - h with that direction, whose square is 4 s^2 |q|^2",
        ),
        Derive("missed", equal(J), parts(_put_in("J", _coefficients(ACROSS)))),
        Derive("sign", at_least(I), (Part(("I is",)), *(Part(("lambda",), 4, (sin(HALF_ANGLE), q)) for q in (q1, q2)))),
        *_ATTAINED,
    ),
)
