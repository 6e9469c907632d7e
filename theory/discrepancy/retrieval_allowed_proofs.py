"""Proofs of what remark 3.2 of DYN says under each reading, for the angles that the print allows.

Letters and facts are those of `retrieval_gap_proofs`; `N` is the length `n0` that the angle is tied to, `c` a positive
number that a gap is compared with.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi

from headproof.theory.derivation import Derivation, Derive, Entailment, Part, Use, at_least, equal, greater
from headproof.theory.discrepancy.index_proofs import n, parts, sine, theta, x
from headproof.theory.discrepancy.retrieval_gap_proofs import (
    ANGLE,
    INTEGERS,
    LETTERS,
    ROOM,
    L,
    d,
    j,
    no_wrong_letter,
    omega,
)
from headproof.theory.discrepancy.retrieval_largest_proofs import half_letters
from headproof.theory.discrepancy.retrieval_remark_proofs import N

c = sympy.Symbol("c", real=True)
_half, _quarter = sympy.Rational(1, 2), sympy.Rational(1, 4)
_full = {"turn": -_half, ("letters", "step"): _half}  # pi - omega


def allowed(further: Any = 0, share: Any = 2) -> dict[str, Any]:
    """`0 <= theta < omega / (share N)`, `2 <= n <= N + further`."""
    return {
        **ANGLE,
        "n >= 2": at_least(n, 2),
        "n <= N": at_least(N + further, n),
        "allowed": greater(omega, share * N * theta),
    }


# -- the definition as printed -------------------------------------------------------------------------------------

RANGE = "the allowed angles are in the range of the exact value"


def in_range(further: Any = 0, share: Any = 2) -> Entailment:
    """`2 (n - 1) theta < omega`."""
    return Entailment(RANGE, allowed(further, share), (greater(omega, 2 * (n - 1) * theta),), integers=(*INTEGERS, N))


PROOF_OF_RANGE = Derivation(
    RANGE, (Derive("range", in_range().conclusions[0], parts({"allowed": 1, ("n <= N", "angle"): 2, "angle": 2})),)
)
_ABOVE = ("the gap is above 1, even number of letters", "the gap is above 1, odd number of letters")


def above(odd: int, value: Any, least: Any = 1) -> Entailment:
    """The worst input's gap is above `least`."""
    facts = half_letters(odd)
    return Entailment(
        _ABOVE[odd],
        {
            **{name: facts[name] for name in ("turn", "step", "m >= 1")},
            **ANGLE,
            "n >= 2": at_least(n, 2),
            "range": greater(omega, 2 * (n - 1) * theta),
        },
        (greater(value, least),),
        integers=INTEGERS,
    )


_quarter_turn = {"turn": -_quarter, ("m >= 1", "step"): _half}  # pi / 2 less omega / 2 or 3 omega / 4
PROOF_OF_ABOVE_EVEN = Derivation(
    _ABOVE[0],
    (
        *sine("cosine", pi / 2 - (n - 1) * theta, {**_quarter_turn, "range": _half},
              {**_quarter_turn, ("step",): _half, ("n >= 2", "angle"): 1, "angle": 1}, strict=True),
        Derive("above", greater(1 + cos((n - 1) * theta), 1), parts({"cosine": 1})),
    ),
)  # fmt: skip
PROOF_OF_ABOVE_ODD = Derivation(
    _ABOVE[1],
    (
        *sine("cosine", pi / 2 - omega / 2 + theta, {**_quarter_turn, ("step",): _quarter, "angle": 1},
              {**_quarter_turn, ("step",): 3 * _quarter, "range": _half, ("n >= 2", "angle"): 1}, strict=True),
        Derive("above", greater(1 + cos(omega / 2 - theta), 1), parts({"cosine": 1})),
    ),
)  # fmt: skip

# -- the best wrong letter -----------------------------------------------------------------------------------------

HALF_LETTER = "a wrong letter at any place stays half a letter away"


_HALF_LETTER = 1 - cos(omega / 2)


def half_letter(value: Any = _HALF_LETTER, further: Any = 0, share: Any = 2) -> Entailment:
    """`1 - cos(d omega + j theta) > value` for every wrong letter at every one of n places."""
    return Entailment(
        HALF_LETTER,
        {**LETTERS, "letters": at_least(L, 2), **allowed(further, share), "place >= 0": at_least(j),
         "in place": at_least(n - 1, j)},
        (greater(1 - cos(d * omega + j * theta), value),),
        integers=(*INTEGERS, N),
    )  # fmt: skip


PROOF_OF_HALF_LETTER = Derivation(
    HALF_LETTER,
    (
        Derive("half", greater(omega / 2, (n - 1) * theta),
               parts({"allowed": _half, ("n <= N", "angle"): 1, "angle": 1})),
        Derive("room", at_least(ROOM), parts({"half": 1, "step": _half})),
        Derive("count >= 1", at_least(n, 1), parts({"n >= 2": 1, (): 1})),
        no_wrong_letter(n, j),
        *sine("nearer 1", (3 * omega / 2 - (n - 1) * theta) / 2, {"half": _half, "step": _half},
              {**_full, ("step",): _quarter, ("n >= 2", "angle"): _half, "angle": _half}, strict=True),
        *sine("nearer 2", (omega / 2 - (n - 1) * theta) / 2, {"half": _half},
              {**_full, ("step",): 3 * _quarter, ("n >= 2", "angle"): _half, "angle": _half}, strict=True),
        Derive("lag", half_letter().conclusions[0], parts({"letter": 1, ("nearer 1", "nearer 2"): 2})),
    ),
    "(n - 1) theta < omega / 2, so the next letter at the last place is more than omega / 2 away.",
)  # fmt: skip

# -- the lead of the match -----------------------------------------------------------------------------------------

VANISHES = "near the edge of the allowed angles the lead falls below the number"


def vanishes(times: Any = 2, edge: Any = (2 * n + 1) * theta, length: Any = n) -> Entailment:
    """The match at `length - 2` leads the next letter at `length - 1` by `x`, which is below `c >= times omega / n`."""
    lead = cos((length - 2) * theta) - cos(-omega + (length - 1) * theta)
    return Entailment(
        VANISHES,
        {"turn": LETTERS["turn"], "step": LETTERS["step"], "letters": at_least(L, 2), "n >= 2": at_least(n, 2),
         "near the edge": at_least(edge, omega), "allowed": greater(omega, 2 * n * theta),
         "bound": at_least(c * n, times * omega), "lead": equal(x, lead)},
        (greater(c, x),),
        integers=INTEGERS,
    )  # fmt: skip


_small = (omega - (2 * n - 3) * theta) / 2
PROOF_OF_VANISHES = Derivation(
    VANISHES,
    (
        Derive("n > 0", greater(n), parts({"n >= 2": 1, (): 2})),
        Derive("odd > 0", greater(2 * n + 1), parts({"n >= 2": 2, (): 5})),
        Derive("angle, times", greater((2 * n + 1) * theta), parts({"near the edge": 1, "step": 1})),
        Use("angle", "quotient", (theta,), ("angle, times", "odd > 0")),
        *sine("small", _small, {"allowed": _half, "angle": 3 * _half},
              {**_full, ("step",): _half, ("n >= 2", "angle"): 1, "angle": _half}),
        Use("below", "sine below x", (_small,), ("small from 0",)),
        Use("top", "sine at most one", ((omega - theta) / 2,)),
        Derive(
            "bound, times",
            greater((c - x) * n),
            (
                *parts({"bound": 1, ("n > 0", "small", "top.1"): 2, ("n > 0", "below.1"): 2, "allowed": 2,
                        ("n > 0", "near the edge"): 1}),
                Part(("lead",), -n),
            ),
        ),
        Use("bound met", "quotient", (c - x,), ("bound, times", "n > 0")),
    ),
    "x = 2 sin((omega - theta) / 2) sin((omega - (2 n - 3) theta) / 2) <= omega - (2 n - 3) theta <= 4 theta.",
)  # fmt: skip

# -- the smallest positive gap -------------------------------------------------------------------------------------

SMALL = "two copies of one token differ by less than the number"


def small(times: Any = 8, square: Any = N**2, strict: bool = True, share: Any = 2) -> Entailment:
    """`0 < 1 - cos theta < c` for `times c square >= omega^2`."""
    return Entailment(
        SMALL,
        {"turn": LETTERS["turn"], "step": LETTERS["step"], "letters": at_least(L, 2), "N >= 1": at_least(N, 1),
         "angle": greater(theta) if strict else at_least(theta), "allowed": greater(omega, share * N * theta),
         "bound": at_least(times * c * square, omega**2)},
        (greater(1 - cos(theta)), greater(c, 1 - cos(theta))),
        integers=(*INTEGERS, N),
    )  # fmt: skip


PROOF_OF_SMALL = Derivation(
    SMALL,
    (
        *sine("half", theta / 2, {"angle": _half},
              {**_full, "allowed": 1, ("N >= 1", "angle"): 2, "angle": 3 * _half}, strict=True),
        Derive("positive", greater(1 - cos(theta)), parts({("half", "half"): 2})),
        Derive("N > 0", greater(N), parts({"N >= 1": 1, (): 1})),
        Derive("square > 0", greater(8 * N**2), parts({("N > 0", "N > 0"): 8})),
        Derive("sum", greater(omega + 2 * N * theta), parts({"step": 1, ("N > 0", "angle"): 2})),
        Use("parabola", "parabola", (theta,)),
        Derive("below, times", greater((c - 1 + cos(theta)) * 8 * N**2),
               parts({"bound": 1, ("allowed", "sum"): 1, ("square > 0", "parabola"): 1})),
        Use("below", "quotient", (c - 1 + cos(theta),), ("below, times", "square > 0")),
    ),
    "1 - cos theta <= theta^2 / 2 < omega^2 / (8 N^2).",
)  # fmt: skip
