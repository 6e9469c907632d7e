"""Proofs about the temperature that the Retrieval construction needs, by the kind of query (DYN, lemma F.1).

Letters are those of `temperature_proofs`.
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
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.discrepancy.index_proofs import n, parts, t, theta
from headproof.theory.discrepancy.retrieval_gap_proofs import INTEGERS, LETTERS, L, d, omega
from headproof.theory.discrepancy.retrieval_remark_proofs import ONE_LETTER, PROOF_OF_AT_ZERO
from headproof.theory.discrepancy.temperature_proofs import PI_POSITIVE, K, b, count, r, w

_half = sympy.Rational(1, 2)

TWO = "the two nearest copies alone ask for that temperature"


def two_nearest(factor: Any = 2, rivals: Any = 2, allowed: bool = True) -> Entailment:
    """If the copies at distances 1 and 2 have less weight than the query, then `1 > rivals e^(-b r)`."""
    hypotheses: dict[str, Any] = {
        "b >= 0": at_least(b),
        "theta": at_least(theta),
        "omega": greater(omega),
        "n": greater(n),
        "r": equal(factor * n**2 * r, omega**2),
        "decodes": greater(1, exp(-b * (1 - cos(theta))) + exp(-b * (1 - cos(2 * theta)))),
    }
    if allowed:
        hypotheses["allowed"] = at_least(omega, 2 * n * theta)
    return Entailment(TWO, hypotheses, (greater(1, rivals * exp(-b * r)),), integers=(n,))


def _copy(name: str, distance: int) -> tuple[DerivationStep, ...]:
    lag = 1 - cos(distance * theta)
    return (
        Use(f"{name}, parabola", "parabola", (distance * theta,)),
        Derive(
            f"{name}, logits",
            at_least(-b * lag, -b * r),
            (
                Part(("b >= 0", "room")),
                Part(("b >= 0", f"{name}, parabola")),
                Part(("b >= 0",), 2 - sympy.Rational(distance**2, 2), (theta,)),
            ),
        ),
        Use(name, "monotone", (-b * lag, -b * r), (f"{name}, logits",)),
    )


PROOF_OF_TWO = Derivation(
    TWO,
    (
        Derive("n^2 > 0", greater(n**2), parts({("n", "n"): 1})),
        Derive("sum", at_least(omega + 2 * n * theta), parts({"omega": 1, ("n", "theta"): 2})),
        Derive("room, times", at_least((r - 2 * theta**2) * n**2), parts({"r": _half, ("allowed", "sum"): _half})),
        Use("room", "quotient", (r - 2 * theta**2,), ("room, times", "n^2 > 0")),
        *_copy("first", 1),
        *_copy("second", 2),
        Derive("bound", greater(1, 2 * exp(-b * r)), parts({"decodes": 1, "first": 1, "second": 1})),
    ),
    "1 - cos x <= x^2 / 2, so both lag by at most 2 theta^2 <= omega^2 / (2 n^2).",
)

COPY_TERM = "a copy at distance t weighs at most e^(-K t^2)"


def copy_term(share: Any = 1, allowed: bool = True) -> Entailment:
    """For `2 b theta^2 >= share K pi^2` and distances of at most half a turn."""
    hypotheses: dict[str, Any] = {
        "theta": at_least(theta),
        "b >= 0": at_least(b),
        "temperature": at_least(2 * b * theta**2, share * K * pi**2),
        "t >= 0": at_least(t),
    }
    if allowed:
        hypotheses["within"] = at_least(pi, t * theta)
    return Entailment(COPY_TERM, hypotheses, (at_least(exp(-K * t**2), exp(-b * (1 - cos(t * theta)))),), integers=(t,))


_copy_lag = 1 - cos(t * theta)
_chord = pi * sin(t * theta / 2)
PROOF_OF_COPY_TERM = Derivation(
    COPY_TERM,
    (
        *PI_POSITIVE,
        Derive("pi^2 > 0", greater(pi**2), parts({("pi > 0", "pi > 0"): 1})),
        Derive("from 0", at_least(t * theta / 2), parts({("t >= 0", "theta"): _half})),
        Derive("to pi / 2", at_least(pi / 2, t * theta / 2), parts({"within": _half})),
        Use("chord", "chord", (t * theta / 2,), ("from 0", "to pi / 2")),
        Derive("sum", at_least(_chord + t * theta), parts({"chord": 1, ("t >= 0", "theta"): 2})),
        Derive("lag", at_least(pi**2 * _copy_lag, 2 * t**2 * theta**2), parts({("chord", "sum"): 2})),
        Derive(
            "logits, times",
            at_least((b * _copy_lag - K * t**2) * pi**2),
            (Part(("b >= 0", "lag")), Part(("temperature",), 1, (t,))),
        ),
        Use("lead", "quotient", (b * _copy_lag - K * t**2,), ("logits, times", "pi^2 > 0")),
        Derive("logits", at_least(-K * t**2, -b * _copy_lag), parts({"lead": 1})),
        Use("weights", "monotone", (-K * t**2, -b * _copy_lag), ("logits",)),
    ),
)

SO_COLD = "at that temperature no letter-letter query asks for more"
_V = cos((n - 2) * theta) - cos(omega - (n - 1) * theta)


def so_cold(share: Any = 1, allowed: bool = True, lead: Any = _V) -> Entailment:
    """`2 b theta^2 >= share K pi^2` and `e^(-K) <= 1 / 2` give `e^(b lead) > n - 1`, the smallest lead at length n."""
    hypotheses: dict[str, Any] = {
        "turn": LETTERS["turn"],
        "step": LETTERS["step"],
        "letters": at_least(L, 2),
        "n >= 2": at_least(n, 2),
        "theta": at_least(theta),
        "b >= 0": at_least(b),
        "temperature": at_least(2 * b * theta**2, share * K * pi**2),
        "q": at_least(_half, exp(-K)),
    }
    if allowed:
        hypotheses["allowed"] = at_least(omega, 2 * n * theta)
    return Entailment(SO_COLD, hypotheses, (greater(exp(b * lead), n - 1),), integers=INTEGERS)


_one, _other = (omega - theta) / 2, (omega - (2 * n - 3) * theta) / 2
_right = {"turn": -sympy.Rational(1, 4), ("letters", "step"): sympy.Rational(1, 4)}  # (pi - omega) / 2
PROOF_OF_SO_COLD = Derivation(
    SO_COLD,
    (
        Use("tangent at K", "tangent", (-K,)),
        Derive("K", at_least(K, _half), parts({"tangent at K": 1, "q": 1})),
        Derive("one from 0", at_least(_one), parts({"allowed": _half, ("n >= 2", "theta"): 1, "theta": 3 * _half})),
        Derive("one to pi / 2", at_least(pi / 2, _one), parts({**_right, "theta": _half})),
        Use("one", "chord", (_one,), ("one from 0", "one to pi / 2")),
        Derive("other from 0", at_least(_other), parts({"allowed": _half, "theta": 3 * _half})),
        Derive("other to pi / 2", at_least(pi / 2, _other), parts({**_right, ("n >= 2", "theta"): 1, "theta": _half})),
        Use("other", "chord", (_other,), ("other from 0", "other to pi / 2")),
        Derive(
            "lead",
            at_least(pi**2 * _V, 6 * (2 * n - 1) * theta**2),
            (
                *parts({("one", "other"): 2, ("one from 0", "other"): 4, ("other from 0", "one"): 4}),
                *parts({("allowed", "allowed"): 2, ("allowed", "n >= 2", "theta"): 4, ("allowed", "theta"): 12}),
            ),
        ),
        Derive("2 n - 1", at_least(2 * n - 1), parts({"n >= 2": 2, (): 3})),
        *PI_POSITIVE,
        Derive("pi^2 > 0", greater(pi**2), parts({("pi > 0", "pi > 0"): 1})),
        Derive(
            "logit, times",
            at_least((b * _V - 3 * (2 * n - 1) * K) * pi**2),
            parts({("b >= 0", "lead"): 1, ("temperature", "2 n - 1"): 3}),
        ),
        Use("logit", "quotient", (b * _V - 3 * (2 * n - 1) * K,), ("logit, times", "pi^2 > 0")),
        Use("tangent", "tangent", (b * _V,)),
        Derive(
            "enough",
            greater(exp(b * _V), n - 1),
            parts({"tangent": 1, "logit": 1, ("2 n - 1", "K"): 3, "n >= 2": 2, (): 9 * _half}),
        ),
    ),
    "By sin x >= 2 x / pi the lead is at least 6 (omega - theta) theta / pi^2 >= 6 (2 n - 1) theta^2 / pi^2, so "
    "b times it is at least 3 (2 n - 1) K >= 3 n - 3 / 2.",
)

RIVALS = "at angle 0 no wrong token gets the match's weight"


def rivals(keys: Any = n - 1, lag: Any = ONE_LETTER) -> Entailment:
    """`count` copies of a wrong token, at most n - 1, from `1 > keys e^(-b lag)`."""
    return Entailment(
        RIVALS,
        {
            **LETTERS,
            "b >= 0": at_least(b),
            "copies": at_least(n - 1, count),
            "no fewer": at_least(count),
            "temperature": greater(1, keys * exp(-b * lag)),
        },
        (greater(1, count * exp(-b * (1 - cos(d * omega)))),),
        integers=INTEGERS,
    )


_one_letter = ONE_LETTER
PROOF_OF_RIVALS = Derivation(
    RIVALS,
    (
        *PROOF_OF_AT_ZERO.steps,
        Derive("logits", at_least(-b * _one_letter, -b * (1 - cos(d * omega))), parts({("b >= 0", "lead"): 1})),
        Use("weights", "monotone", (-b * _one_letter, -b * (1 - cos(d * omega))), ("logits",)),
        Use("weight", "exponential", (-b * _one_letter,)),
        Derive(
            "less",
            rivals().conclusions[0],
            parts({"temperature": 1, ("copies", "weight"): 1, ("no fewer", "weights"): 1}),
        ),
    ),
)
NEAREST = "n - 1 copies of the next letter have that weight"


def nearest(keys: Any = n - 1, lag: Any = ONE_LETTER) -> Entailment:
    """What the worst input weighs, `w` each."""
    weight = equal(w, exp(-b * (1 - cos(-omega))))
    return Entailment(NEAREST, {"weight": weight}, (equal((n - 1) * w, keys * exp(-b * lag)),))


PROOF_OF_NEAREST = Derivation(
    NEAREST, (Derive("same", nearest().conclusions[0], (Part(("weight",), n - 1),)),), "The cosine is even."
)
