"""Proofs about heads of one angle on partial induction whose wrong keys lie below 0 (dec.toy).

Letters as in `within_proofs`; `kappa = cos((T - 1) theta / 2)` is what the two ends have about the middle.
"""

from __future__ import annotations

from sympy import cos, pi

from headproof.theory.canonical.within_proofs import CENTRE, PAIR, PLACE, QUARTER
from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Hypothesis,
    Part,
    Use,
    at_least,
    greater,
)
from headproof.theory.expressivity.plane_binding_proofs import HALF, T, t, theta, u

KAPPA = cos((T - 1) * theta / 2)
_OTHER: dict[str, Hypothesis] = {"u": at_least(u, 1), "u, end": at_least(T, u)}
FALLING = "a match is above an earlier one"
AGAINST = "a match is above every wrong key, at whatever places, and above the query's own key"


def falling(room: Fact, angle: Fact | None = None) -> Entailment:
    """`kappa cos((t - 1) theta) > kappa cos((u - 1) theta)` for `t < u <= T`, `kappa = cos((T - 1) theta / 2)`."""
    return Entailment(
        FALLING,
        {**PAIR, "angle": greater(theta) if angle is None else angle, "range": room},
        (greater(KAPPA * cos((t - 1) * theta), KAPPA * cos((u - 1) * theta)),),
        integers=(T, t, u),
    )


def against(room: Fact) -> Entailment:
    """`kappa cos((t - 1) theta)` is above the wrong keys' `-cos((u - (T + 1) / 2) theta)` and the own key's -1."""
    match = KAPPA * cos((t - 1) * theta)
    return Entailment(
        AGAINST,
        {**PLACE, **_OTHER, "angle": at_least(theta), "range": room},
        (greater(match, -cos((u - CENTRE) * theta)), greater(match, -1)),
        integers=(T, t, u),
    )


def _kappa(low: tuple[str, ...], strictly: str) -> tuple[DerivationStep, ...]:
    """`kappa > 0`; `low` are facts that add up to `T - 1 >= 0`, `strictly` is `theta > 0` or `theta >= 0`."""
    span = (T - 1) * theta / 2
    return (
        Use("pi", "pi"),
        Derive("co-span > 0", greater(pi / 2 - span), (Part(("range",), HALF),)),
        Derive(
            "co-span < pi",
            greater(pi, pi / 2 - span),
            (*QUARTER, *(Part((each, "angle"), HALF) for each in low), *((Part((strictly,), HALF),) * bool(strictly))),
        ),
        Use("kappa", "sine", (pi / 2 - span,), ("co-span > 0", "co-span < pi")),
    )


_sum, _half = (t + u - 2) * theta / 2, (u - t) * theta / 2
PROOF_OF_FALLING = Derivation(
    FALLING,
    (
        *_kappa(("first", "apart", "last"), "angle"),
        Derive(
            "sum > 0",
            greater(_sum),
            (Part(("first", "angle")), Part(("apart", "angle"), HALF), Part(("angle",), HALF)),
        ),
        Derive(
            "sum < pi",
            greater(pi, _sum),
            (
                Part(("range",)),
                Part(("last", "angle")),
                Part(("apart", "angle"), HALF),
                Part(("angle",), HALF),
            ),
        ),
        Use("sine 1", "sine", (_sum,), ("sum > 0", "sum < pi")),
        Derive("difference > 0", greater(_half), (Part(("apart", "angle"), HALF), Part(("angle",), HALF))),
        Derive("difference < pi", greater(pi, _half), (Part(("sum < pi",)), Part(("first", "angle")))),
        Use("sine 2", "sine", (_half,), ("difference > 0", "difference < pi")),
        Derive(
            "later",
            greater(KAPPA * cos((t - 1) * theta), KAPPA * cos((u - 1) * theta)),
            (Part(("kappa", "sine 1", "sine 2"), 2),),
        ),
    ),
)
_near, _far = (u - 1) * theta / 2, (T - u) * theta / 2
_turn = pi / 2 - (t - 1) * theta / 2
PROOF_OF_AGAINST = Derivation(
    AGAINST,
    (
        *_kappa(("t", "t, end"), ""),
        Derive("co-turn > 0", greater(_turn), (Part(("range",), HALF), Part(("t, end", "angle"), HALF))),
        Derive("co-turn < pi", greater(pi, _turn), (*QUARTER, Part(("t", "angle"), HALF))),
        Use("cosine of half", "sine", (_turn,), ("co-turn > 0", "co-turn < pi")),
        Derive(
            "above -kappa",
            greater(KAPPA * cos((t - 1) * theta), -KAPPA),
            (Part(("kappa", "cosine of half", "cosine of half"), 2),),
            "1 + cos y = 2 cos(y / 2)^2",
        ),
        *(
            step
            for name, value, low, high in (("near", _near, "u", "u, end"), ("far", _far, "u, end", "u"))
            for step in (
                Derive(f"{name} >= 0", at_least(value), (Part((low, "angle"), HALF),)),
                Derive(
                    f"{name} <= pi",
                    at_least(pi, value),
                    (Part(("range",), HALF), Part((high, "angle"), HALF), *QUARTER),
                ),
                Use(f"sine of {name}", "sine", (value,), (f"{name} >= 0", f"{name} <= pi")),
            )
        ),
        Derive(
            "above the wrong key",
            greater(KAPPA * cos((t - 1) * theta), -cos((u - CENTRE) * theta)),
            (Part(("above -kappa",)), Part(("sine of near", "sine of far"), 2)),
        ),
        Use("at most one", "cosine", ((T - 1) * theta / 2,)),
        Derive(
            "above the own key",
            greater(KAPPA * cos((t - 1) * theta), -1),
            (Part(("above -kappa",)), Part(("at most one.1",))),
        ),
    ),
)
