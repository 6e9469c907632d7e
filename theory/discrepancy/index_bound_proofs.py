"""Proofs of bounds on the gaps of the Index construction for every angle, by Dirichlet's theorem.

Letters and facts are those of `discrepancy_proofs`; `w` is `2 pi` divided by a count of keys.
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
    NotMultiple,
    Part,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.discrepancy.index_proofs import (
    HALF,
    OTHERS,
    QUERY,
    SIDES,
    g,
    h,
    i,
    in_range,
    k,
    n,
    parts,
    sine,
    theta,
    u,
    v,
    w,
)

_half = sympy.Rational(1, 2)

CLOSE = "some key is close: the bound"
# Dirichlet's u and k; the letter u of the statements above is not used below.
_near = u * theta - 2 * pi * k


def _dirichlet(count: Any) -> tuple[DerivationStep, ...]:
    """u in 1 .. count - 1 and k with `count |u theta - 2 pi k| <= 2 pi`; needs the fact "count >= 2"."""
    return (
        Use("near", "dirichlet", (u, k, theta, count), ("count >= 2",)),
        Derive("u >= 1", at_least(u, 1), parts({"near.1": 1})),
        Derive("u in reach", at_least(count - 1, u), parts({"near.2": 1})),
    )


def _closer(count: Any) -> tuple[DerivationStep, ...]:
    """`cos(u theta) >= cos w`, where `count w = 2 pi`."""
    return (
        Derive("count > 0", greater(count), parts({"count >= 2": 1, (): 2})),
        Derive("w above, times", at_least((w - _near) * count), parts({"near.3": 1, "w": 1})),
        Use("w above", "quotient", (w - _near,), ("w above, times", "count > 0")),
        Derive("w below, times", at_least((w + _near) * count), parts({"near.4": 1, "w": 1})),
        Use("w below", "quotient", (w + _near,), ("w below, times", "count > 0")),
        Use("pi", "pi"),
        Derive("pi >= 0", at_least(pi), parts({"pi.1": 1, (): 3})),
        Derive("w <= pi, times", at_least((pi - w) * count), parts({("count >= 2", "pi >= 0"): 1, "w": -1})),
        Use("w <= pi", "quotient", (pi - w,), ("w <= pi, times", "count > 0")),
        *sine("sine 1", (w + _near) / 2, {"w below": _half}, {"w <= pi": 1, "w above": _half}),
        *sine("sine 2", (w - _near) / 2, {"w above": _half}, {"w <= pi": 1, "w below": _half}),
        Derive("closer", at_least(cos(u * theta), cos(w)), parts({("sine 1", "sine 2"): 2})),
    )


def _squared(count: Any) -> tuple[DerivationStep, ...]:
    """`g count^2 <= 2 pi^2`, from "there", `g <= 1 - cos(u theta)`."""
    return (
        Use("parabola", "parabola", (_near,)),
        Derive(
            "squared",
            at_least(2 * pi**2, g * count**2),
            (
                Part(("there",), 1, (count,)),
                Part(("parabola",), 1, (count,)),
                Part(("near.3", "near.4"), _half),
            ),
        ),
    )


def any_input(count: Any, factor: Any = 1, strict: bool = False) -> Entailment:
    """The gap of any query is at most `1 - cos theta` and `1 - cos(2 pi / count)`."""
    bound = factor * (1 - cos(w))
    return Entailment(
        CLOSE,
        {**QUERY, **HALF, **SIDES, "h >= 1": at_least(h, 1), "w": equal(w * count, 2 * pi)},
        (greater(bound, g) if strict else at_least(bound, g), at_least(1 - cos(theta), g)),
        integers=(n, h, i, v),
    )


_ANY_U: tuple[DerivationStep, ...] = (
    Derive("count >= 2", at_least(h + 1, 2), parts({"h >= 1": 1})),
    *_dirichlet(h + 1),
    in_range("there", u, "u >= 1", "u in reach"),
)
_FIRST: tuple[DerivationStep, ...] = (
    Derive("1 >= 1", at_least(1, 1), ()),
    Derive("1 in reach", at_least(h, 1), parts({"h >= 1": 1})),
    in_range("first", sympy.Integer(1), "1 >= 1", "1 in reach"),
)


PROOF_OF_ANY_INPUT = Derivation(
    CLOSE,
    (
        *_ANY_U,
        *_closer(h + 1),
        Derive("bound", at_least(1 - cos(w), g), parts({"there, side": 1, "closer": 1})),
        *_FIRST,
    ),
    "Dirichlet: some u <= h has u theta within 2 pi / (h + 1) of a full turn, and one of u, -u is in the window.",
)


def letter_input(count: Any, factor: Any = 1, strict: bool = False) -> Entailment:
    """The gap of a letter query is at most `1 - cos theta` and `1 - cos(2 pi / count)`."""
    bound = factor * (1 - cos(w))
    return Entailment(
        CLOSE,
        {**OTHERS, "count >= 2": at_least(n, 2), "w": equal(w * count, 2 * pi)},
        (greater(bound, g) if strict else at_least(bound, g), at_least(1 - cos(theta), g)),
        integers=(n, v),
    )


_LETTER_U: tuple[DerivationStep, ...] = (
    *_dirichlet(n),
    Use("there", "instance", (u,), ("others", "u >= 1", "u in reach")),
)
_LETTER_FIRST: tuple[DerivationStep, ...] = (
    Derive("1 >= 1", at_least(1, 1), ()),
    Derive("1 in reach", at_least(n - 1, 1), parts({"count >= 2": 1})),
    Use("first", "instance", (1,), ("others", "1 >= 1", "1 in reach")),
)
PROOF_OF_LETTER_INPUT = Derivation(
    CLOSE,
    (
        *_LETTER_U,
        *_closer(n),
        Derive("bound", at_least(1 - cos(w), g), parts({"there": 1, "closer": 1})),
        *_LETTER_FIRST,
    ),
)


def letter_squared(bound: Any, count: Any = n) -> Entailment:
    """The gap of a letter query is at most `1 - cos theta` and `bound / count^2`."""
    return Entailment(
        CLOSE,
        {**OTHERS, "count >= 2": at_least(n, 2)},
        (at_least(bound, g * count**2), at_least(1 - cos(theta), g)),
        integers=(n, v),
    )


PROOF_OF_LETTER_SQUARED = Derivation(
    CLOSE,
    (*_LETTER_U, *_squared(n), *_LETTER_FIRST),
    "Dirichlet, then 1 - cos x <= x^2 / 2.",
)


def positive_squared(bound: Any, conditions: Any = n - 1, count: Any = n) -> Entailment:
    """The same for the smallest positive gap, where no multiple of theta up to `conditions` is a full turn."""
    positive: tuple[Fact, ...] = (at_least(v, 1), at_least(n - 1, v), greater(1 - cos(v * theta)))
    return Entailment(
        CLOSE,
        {
            "others": Universal((v,), positive, at_least(1 - cos(v * theta), g)),
            "no alias": Universal((v,), (at_least(v, 1), at_least(conditions, v)), NotMultiple(v * theta)),
            "count >= 2": at_least(n, 2),
        },
        (at_least(bound, g * count**2), at_least(1 - cos(theta), g)),
        integers=(n, v),
    )


def _positive(name: str, distance: Any, one: str, reach: str) -> tuple[DerivationStep, ...]:
    return (
        Use(f"{name}, no turn", "instance", (distance,), ("no alias", one, reach)),
        Use(f"{name}, below 1", "cosine off turns", (distance * theta,), (f"{name}, no turn",)),
        Use(name, "instance", (distance,), ("others", one, reach, f"{name}, below 1")),
    )


PROOF_OF_POSITIVE_SQUARED = Derivation(
    CLOSE,
    (
        *_dirichlet(n),
        *_positive("there", u, "u >= 1", "u in reach"),
        *_squared(n),
        *_LETTER_FIRST[:2],
        *_positive("first", sympy.Integer(1), "1 >= 1", "1 in reach"),
    ),
)


def decay(bound: Any, count: Any = n + 1) -> Entailment:
    """The gap of any query is at most `bound / count^2`."""
    return Entailment(
        CLOSE,
        {**QUERY, **HALF, **SIDES, "h >= 1": at_least(h, 1), "half, up": at_least(2 * h + 1, n), "g >= 0": at_least(g)},
        (at_least(bound, g * count**2),),
        integers=(n, h, i, v),
    )


PROOF_OF_DECAY = Derivation(
    CLOSE,
    (
        *_ANY_U,
        Derive("there", at_least(1 - cos(u * theta), g), parts({"there, side": 1})),
        *_squared(h + 1),
        Derive("both", at_least(2 * (h + 1) + n + 1), parts({"half": 1, "h >= 1": 4, (): 7})),
        Derive(
            "decay",
            at_least(8 * pi**2, g * (n + 1) ** 2),
            parts({"squared": 4, ("g >= 0", "half, up", "both"): 1}),
            "n + 1 <= 2 (h + 1)",
        ),
    ),
)
