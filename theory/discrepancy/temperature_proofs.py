"""Proofs about the temperature that softmax needs (DYN, lemma F.1), as derivations about one key after another.

Sums over keys are built by induction: one entailment adds one key to a partial sum. `b` is the inverse temperature.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, exp, pi, sin

from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Part,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.discrepancy.index_proofs import h, k, n, parts, theta, u, v

b, gamma, x, S, T, D, E, w, r, q, a, K = sympy.symbols("b gamma x S T D E w r q a K", real=True)
count, m = sympy.symbols("count m", real=True)
_half = sympy.Rational(1, 2)

# -- lemma F.1 -----------------------------------------------------------------------------------------------------

LIGHT = "a key below the largest logit weighs at most e^(-beta gamma)"
WEIGHT = Entailment(
    LIGHT, {"b >= 0": at_least(b), "gap": at_least(x, gamma)}, (at_least(exp(-b * gamma), exp(-b * x)),)
)
PROOF_OF_WEIGHT = Derivation(
    LIGHT,
    (
        Derive("logits", at_least(-b * gamma, -b * x), parts({("b >= 0", "gap"): 1})),
        Use("weights", "monotone", (-b * gamma, -b * x), ("logits",)),
    ),
)

ONE_MORE = "one more such key takes at most e^(-beta gamma) D"
STEP = Entailment(
    ONE_MORE,
    {
        "so far": at_least(T, -count * E * D),
        "light": at_least(E, w),
        "weight": at_least(w),
        "D >= 0": at_least(D),
        "difference": at_least(x, -D),
    },
    (at_least(T + w * x, -(count + 1) * E * D),),
)
PROOF_OF_STEP = Derivation(
    ONE_MORE,
    (
        Derive(
            "further",
            STEP.conclusions[0],
            parts({"so far": 1, ("weight", "difference"): 1, ("D >= 0", "light"): 1}),
        ),
    ),
)

RIGHT = "at that temperature the right answer wins"


def wins(share: Any = 1, fewer: Any = 0, strict: bool = True) -> Entailment:
    """`S > 0` is the sum over the largest logits, T that over the `count` others."""
    relation = greater if strict else at_least
    return Entailment(
        RIGHT,
        {
            "others": at_least(T, -count * exp(-b * gamma) * D),
            "temperature": relation(S * exp(share * b * gamma), (count - fewer) * D),
        },
        (greater(S + T),),
    )


PROOF_OF_WINS = Derivation(
    RIGHT,
    (
        Use("E > 0", "exponential", (-b * gamma,)),
        Derive("score", greater(S + T), parts({"others": 1, ("temperature", "E > 0"): 1})),
    ),
)

SOME = "from some temperature on it is enough"


def some_temperature(strict: bool = True, temperature: bool = True) -> Entailment:
    """Every `b >= count D / (gamma S)` will do."""
    return Entailment(
        SOME,
        {
            "gap": greater(gamma),
            "decoding gap": greater(S) if strict else at_least(S),
            "b": at_least(b * gamma * S, count * D) if temperature else equal(b),
        },
        (greater(S * exp(b * gamma), count * D),),
    )


PROOF_OF_SOME = Derivation(
    SOME,
    (
        Use("tangent", "tangent", (b * gamma,)),
        Derive(
            "enough",
            greater(S * exp(b * gamma), count * D),
            parts({("decoding gap", "tangent"): 1, "decoding gap": 1, "b": 1}),
        ),
    ),
)

# -- Index: how cold it must be ------------------------------------------------------------------------------------

BOTH = "the middle query sees a distance on both sides"
BOTH_SIDES = Entailment(
    BOTH,
    {"half": at_least(n, 2 * h + 1), "v <= h": at_least(h, v)},
    (at_least(h, v), at_least(n - 1 - h, v)),
    integers=(n, h, v),
)
PROOF_OF_BOTH = Derivation(
    BOTH,
    (
        Derive("left", at_least(h, v), parts({"v <= h": 1})),
        Derive("right", at_least(n - 1 - h, v), parts({"half": 1, "v <= h": 1})),
    ),
)
COLD = "two keys alone ask for that temperature"


def cold(square: Any = (h + 1) ** 2, rivals: Any = 2, bound: Any = 2 * pi**2) -> Entailment:
    """If two keys at each distance up to h have less weight than the target, then `1 > rivals e^(-b r)`."""
    return Entailment(
        COLD,
        {
            "b >= 0": at_least(b),
            "h >= 1": at_least(h, 1),
            "r": equal(r * square, bound),
            "decodes": Universal(
                (v,), (at_least(v, 1), at_least(h, v)), greater(1, 2 * exp(-b * (1 - cos(v * theta))))
            ),
        },
        (greater(1, rivals * exp(-b * r)),),
        integers=(h, v),
    )


_near = u * theta - 2 * pi * k
_lag = 1 - cos(u * theta)
PROOF_OF_COLD = Derivation(
    COLD,
    (
        Derive("count >= 2", at_least(h + 1, 2), parts({"h >= 1": 1})),
        Use("near", "dirichlet", (u, k, theta, h + 1), ("count >= 2",)),
        Derive("u >= 1", at_least(u, 1), parts({"near.1": 1})),
        Derive("u <= h", at_least(h, u), parts({"near.2": 1})),
        Use("there", "instance", (u,), ("decodes", "u >= 1", "u <= h")),
        Use("parabola", "parabola", (_near,)),
        Derive(
            "lag, times",
            at_least((r - _lag) * (h + 1) ** 2),
            (Part(("r",)), Part(("near.3", "near.4"), _half), Part(("parabola",), 1, (h + 1,))),
        ),
        Derive("count > 0", greater(h + 1), parts({"h >= 1": 1, (): 2})),
        Derive("square > 0", greater((h + 1) ** 2), parts({("count > 0", "count > 0"): 1})),
        Use("lag", "quotient", (r - _lag,), ("lag, times", "square > 0")),
        Derive("logits", at_least(-b * _lag, -b * r), parts({("b >= 0", "lag"): 1})),
        Use("weights", "monotone", (-b * _lag, -b * r), ("logits",)),
        Derive("bound", greater(1, 2 * exp(-b * r)), parts({"there": 1, "weights": 2})),
    ),
    "Dirichlet: some u <= h has 1 - cos(u theta) <= 2 pi^2 / (h + 1)^2, and the middle query sees u and -u.",
)

# -- Index: how cold is enough -------------------------------------------------------------------------------------

FOLD = "distances count from the nearer end"
FOLDED = Entailment(FOLD, {"turn": equal(n * a, pi)}, (equal(cos(2 * a * (n - u)), cos(2 * a * u)),), integers=(n, u))
PI_POSITIVE: tuple[DerivationStep, ...] = (Use("pi", "pi"), Derive("pi > 0", greater(pi), parts({"pi.1": 1, (): 3})))
PROOF_OF_FOLD = Derivation(
    FOLD,
    (
        *PI_POSITIVE,
        Derive("from 0", at_least(n * a), (Part(("turn",)), Part(("pi > 0",)))),
        Derive("to pi", at_least(pi, n * a), (Part(("turn",), -1),)),
        Use("sine", "sine", (n * a,), ("from 0", "to pi")),
        Derive("back from 0", at_least(n * a - pi), (Part(("turn",)),)),
        Derive("back to pi", at_least(2 * pi, n * a), (Part(("turn",), -1), Part(("pi > 0",)))),
        Use("sine back", "sine", (n * a - pi,), ("back from 0", "back to pi")),
        Use("zero", "equality", (), ("sine", "sine back")),
        Derive("same", FOLDED.conclusions[0], (Part(("zero",), -2 * sin(a * (n - 2 * u))),)),
    ),
    "cos(2 pi - x) = cos x, with n a = pi.",
)

INDEX_TERM = "a key at distance u weighs at most e^(-K u^2)"


def index_term(squares: Any = n**2, turn: Any = n * a) -> Entailment:
    """For `theta = 2 a = 2 pi / n` and `8 b >= K squares`."""
    return Entailment(
        INDEX_TERM,
        {
            "turn": equal(turn, pi),
            "a": greater(a),
            "n": greater(n),
            "K >= 0": at_least(K),
            "temperature": at_least(8 * b, K * squares),
            "u >= 0": at_least(u),
            "u <= n / 2": at_least(n, 2 * u),
        },
        (at_least(exp(-K * u**2), exp(-b * (1 - cos(2 * a * u)))),),
        integers=(n, u),
    )


_index_lag = 1 - cos(2 * a * u)
PROOF_OF_INDEX_TERM = Derivation(
    INDEX_TERM,
    (
        Derive("from 0", at_least(a * u), parts({("a", "u >= 0"): 1})),
        Derive("to pi / 2", at_least(pi / 2, a * u), parts({("a", "u <= n / 2"): _half, "turn": -_half})),
        Use("chord", "chord", (a * u,), ("from 0", "to pi / 2")),
        Derive("sine, times", at_least((n * sin(a * u) - 2 * u) * a), (Part(("chord",)), Part(("turn",), sin(a * u)))),
        Use("sine", "quotient", (n * sin(a * u) - 2 * u,), ("sine, times", "a")),
        Derive("sum", at_least(n * sin(a * u) + 2 * u), parts({"sine": 1, "u >= 0": 4})),
        Derive("lag", at_least(n**2 * _index_lag, 8 * u**2), parts({("sine", "sum"): 2})),
        Use("cosine", "cosine", (2 * a * u,)),
        Derive(
            "logits",
            at_least(-K * u**2, -b * _index_lag),
            parts({("K >= 0", "lag"): sympy.Rational(1, 8), ("temperature", "cosine.1"): sympy.Rational(1, 8)}),
        ),
        Use("weights", "monotone", (-K * u**2, -b * _index_lag), ("logits",)),
    ),
    "sin x >= 2 x / pi up to pi / 2, so 1 - cos(2 pi u / n) >= 8 u^2 / n^2.",
)
