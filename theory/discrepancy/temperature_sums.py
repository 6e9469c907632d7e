"""Proofs that `e^(-K) + e^(-4 K) + e^(-9 K) + ...` stays below what softmax can bear, for the claims on temperature.

The partial sum T of m terms stays below the geometric one, `T (1 - q^3) <= q (1 - q^(3 m))` with `q = e^(-K)`.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import exp

from headproof.theory.derivation import Derivation, Derive, Entailment, Use, at_least, greater
from headproof.theory.discrepancy.index_proofs import parts
from headproof.theory.discrepancy.temperature_proofs import K, T, m

NEXT_TERM = "one more distance in the sum of e^(-K u^2)"
_q, _rest = exp(-K), exp(-3 * K * m)
NEXT = Entailment(
    NEXT_TERM,
    {
        "K >= 0": at_least(K),
        "m": at_least(m * (m - 1)),
        "so far": at_least(_q * (1 - _rest), T * (1 - _q**3)),
        "q <= 1": at_least(1, _q),
    },
    (at_least(_q * (1 - exp(-3 * K * (m + 1))), (T + exp(-K * (m + 1) ** 2)) * (1 - _q**3)),),
)
PROOF_OF_NEXT = Derivation(
    NEXT_TERM,
    (
        Derive("exponents", at_least(-K - 3 * K * m, -K * (m + 1) ** 2), parts({("K >= 0", "m"): 1})),
        Use("term", "monotone", (-K - 3 * K * m, -K * (m + 1) ** 2), ("exponents",)),
        Use("q > 0", "exponential", (-K,)),
        Derive(
            "1 - q^3",
            at_least(1, _q**3),
            parts({("q <= 1", "q > 0", "q > 0"): 1, ("q <= 1", "q > 0"): 1, "q <= 1": 1}),
        ),
        Derive("sum", NEXT.conclusions[0], parts({"so far": 1, ("term", "1 - q^3"): 1})),
    ),
    "(m + 1)^2 >= 1 + 3 m for integers m, so the sum is below the geometric one q + q^4 + q^7 + ...",
)

TOTAL = "the whole sum stays below 1"


def total(sides: int, largest: Any) -> Entailment:
    """`sides T < 1` from the bound on the sum, `q = e^(-K) <= largest`."""
    return Entailment(
        TOTAL,
        {"sum": at_least(_q * (1 - _rest), T * (1 - _q**3)), "q": at_least(largest, _q)},
        (greater(1, sides * T),),
    )


def proof_of_total(sides: int, largest: Any) -> Derivation:
    """`1 - q^3 - sides q > 0` at the largest q, and it falls with q."""
    top = sympy.Rational(largest)
    one = 1 - top**3
    room = 1 - sides * top - top**3
    # 1 - top^3 + (top - q) (q^2 + q top + top^2) = 1 - q^3
    cube = {("q", "q > 0", "q > 0"): 1, ("q", "q > 0"): top, "q": top**2}
    return Derivation(
        TOTAL,
        (
            Use("q > 0", "exponential", (-K,)),
            Use("rest", "exponential", (-3 * K * m,)),
            Derive("1 - q^3", greater(1, _q**3), parts({(): one, **cube})),
            Derive("room", greater(1 - sides * _q - _q**3), parts({(): room, **cube, "q": top**2 + sides})),
            Derive(
                "times",
                greater((1 - sides * T) * (1 - _q**3)),
                parts({"room": 1, "sum": sides, ("q > 0", "rest"): sides}),
            ),
            Use("below", "quotient", (1 - sides * T,), ("times", "1 - q^3")),
        ),
    )
