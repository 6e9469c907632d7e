"""Proofs about copies of the match, and about what remark 3.2 of DYN says of the Retrieval construction.

Letters and facts are those of `retrieval_gap_proofs`; `e` is the largest angle that the print allows,
`omega / (2 n0)`.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos

from headproof.theory.derivation import Derivation, Derive, Entailment, Part, at_least, equal, greater
from headproof.theory.discrepancy.index_proofs import n, parts, sine, t, theta, x
from headproof.theory.discrepancy.retrieval_gap_proofs import INTEGERS, LETTERS, L, by_letter, d, omega

_half = sympy.Rational(1, 2)

PRINTED = 1 - cos(omega - n * theta)
ONE_LETTER = 1 - cos(omega)
TWO_COPIES = "copies of one token at every place"


def two_copies(bound: Any = PRINTED, room: Any = omega - (n + 1) * theta, strict: bool = False) -> Entailment:
    """A query that is its own match among copies of it: the next value is cos theta, and the gap at most `bound`."""
    lead = 1 - cos(theta)
    return Entailment(
        TWO_COPIES,
        {"turn": LETTERS["turn"], "step": LETTERS["step"], "letters": at_least(L, 2), "n >= 2": at_least(n, 2),
         "angle": greater(theta), "room": at_least(room), "t >= 1": at_least(t, 1), "t < n": at_least(n - 1, t)},
        (greater(lead), at_least(1 - cos(t * theta), lead), greater(bound, lead) if strict else at_least(bound, lead)),
        integers=INTEGERS,
    )  # fmt: skip


_PI = {"turn": -_half, ("letters", "step"): _half}  # pi - omega
PROOF_OF_TWO_COPIES = Derivation(
    TWO_COPIES,
    (
        *sine("half", theta / 2, {"angle": _half},
              {**_PI, ("step",): _half, "room": _half, ("n >= 2", "angle"): _half, "angle": 1}, strict=True),
        Derive("positive", greater(1 - cos(theta)), parts({("half", "half"): 2})),
        *sine("next 1", (t + 1) * theta / 2, {("t >= 1", "angle"): _half, "angle": 1},
              {**_PI, ("step",): _half, "room": _half, ("t < n", "angle"): _half, "angle": _half}),
        *sine("next 2", (t - 1) * theta / 2, {("t >= 1", "angle"): _half},
              {**_PI, ("step",): _half, "room": _half, ("t < n", "angle"): _half, "angle": sympy.Rational(3, 2)}),
        Derive("next", at_least(1 - cos(t * theta), 1 - cos(theta)), parts({("next 1", "next 2"): 2})),
        *sine("bound 1", (omega - (n - 1) * theta) / 2, {"room": _half, "angle": 1},
              {**_PI, ("step",): _half, ("n >= 2", "angle"): _half, "angle": _half}),
        *sine("bound 2", (omega - (n + 1) * theta) / 2, {"room": _half},
              {**_PI, ("step",): _half, ("n >= 2", "angle"): _half, "angle": sympy.Rational(3, 2)}),
        Derive("bound", at_least(cos(theta), cos(omega - n * theta)), parts({("bound 1", "bound 2"): 2})),
    ),
)  # fmt: skip

# -- angle 0 -------------------------------------------------------------------------------------------------------

AT_ZERO = "at angle 0 a wrong letter lags by that much at every place"


def at_zero(value: Any = ONE_LETTER) -> Entailment:
    """`1 - cos(d omega) >= value` for every wrong letter."""
    return Entailment(AT_ZERO, LETTERS, (at_least(1 - cos(d * omega), value),), integers=INTEGERS)


def _at_zero(sense: int) -> tuple[Any, ...]:
    rest = "d < L" if sense == 1 else "-d < L"
    fact = at_least(cos(omega), cos(d * omega))
    return (
        *sine("first", (sense * d * omega + omega) / 2, {("off", "step"): _half, ("step",): 1},
              {"turn": -_half, (rest, "step"): _half}),
        *sine("second", (sense * d * omega - omega) / 2, {("off", "step"): _half},
              {"turn": -_half, (rest, "step"): _half, ("step",): 1}),
        Derive("lag", fact, parts({("first", "second"): 2})),
    )  # fmt: skip


PROOF_OF_AT_ZERO = Derivation(
    AT_ZERO,
    (
        by_letter(d, at_least(cos(omega), cos(d * omega)), _at_zero(1), _at_zero(-1)),
        Derive("lead", at_least(1 - cos(d * omega), 1 - cos(omega)), parts({"letter": 1})),
    ),
)
NEXT_LETTER = "the next letter lags by that much"


def next_letter(value: Any = ONE_LETTER) -> Entailment:
    """Attained by the letter before the wanted one, of the logit `x`."""
    return Entailment(NEXT_LETTER, {"logit": equal(x, cos(-omega))}, (equal(1 - x, value),))


PROOF_OF_NEXT_LETTER = Derivation(
    NEXT_LETTER, (Derive("even", next_letter().conclusions[0], (Part(("logit",), -1),)),), "The cosine is even."
)

# -- the angles that the print allows ------------------------------------------------------------------------------

e, N = sympy.symbols("e N", real=True)
EDGE = "the smallest lead stays above its value at the edge"
EDGE_VALUE = cos((N - 2) * e) - cos(omega - (N - 1) * e)


def edge(value: Any = EDGE_VALUE, share: Any = 2 * N) -> Entailment:
    """For `theta < e`, `share e = omega` and `n <= N`, the smallest lead at length n is above `value`."""
    return Entailment(
        EDGE,
        {"turn": LETTERS["turn"], "step": LETTERS["step"], "letters": at_least(L, 2), "n >= 2": at_least(n, 2),
         "angle": at_least(theta), "allowed": greater(e, theta), "edge": equal(share * e, omega),
         "n <= N": at_least(N, n)},
        (greater(cos((n - 2) * theta) - cos(omega - (n - 1) * theta), value),),
        integers=(*INTEGERS, N),
    )  # fmt: skip


_full = {"turn": -_half, ("letters", "step"): _half}  # pi - omega


def _grid(*factors: Any) -> dict[Any, Any]:
    """A sum over the products of `N - n`, `n - 2` and 1 with `e - theta` and theta, all of them at least 0."""
    names: list[tuple[str, ...]] = [(count, angle) for count in ("n <= N", "n >= 2") for angle in ("allowed", "angle")]
    names += [("allowed",), ("angle",)]
    return {name: sympy.Rational(factor) for name, factor in zip(names, factors, strict=True) if factor}


PROOF_OF_EDGE = Derivation(
    EDGE,
    (
        *sine("match 1", ((N - 2) * e + (n - 2) * theta) / 2, _grid("1/2", "1/2", "1/2", 1, 0, 0),
              {**_full, "edge": -1, **_grid("3/2", "3/2", "3/2", 1, 4, 4)}),
        *sine("match 2", ((N - 2) * e - (n - 2) * theta) / 2, _grid("1/2", "1/2", "1/2", 0, 0, 0),
              {**_full, "edge": -1, **_grid("3/2", "3/2", "3/2", 2, 4, 4)}),
        *sine("wrong 1", omega - ((N - 1) * e + (n - 1) * theta) / 2,
              {"edge": -1, **_grid("3/2", "3/2", "3/2", 1, "7/2", 3)},
              {**_full, **_grid("1/2", "1/2", "1/2", 1, "1/2", 1)}, strict=True),
        *sine("wrong 2", ((N - 1) * e - (n - 1) * theta) / 2, _grid("1/2", "1/2", "1/2", 0, "1/2", 0),
              {**_full, "edge": -1, **_grid("3/2", "3/2", "3/2", 2, "7/2", 4)}, strict=True),
        Derive("lead", edge().conclusions[0], parts({("match 1", "match 2"): 2, ("wrong 1", "wrong 2"): 2})),
    ),
    "Both cosines fall on the range: the match's as its angle grows, the wrong letter's as its own shrinks.",
)  # fmt: skip
