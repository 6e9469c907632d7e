"""Proofs about the gaps of the Retrieval construction, as derivations about a match and one other key.

The match is `t` places back, its logit `cos(t theta)`; another key, `j` places back and `d` letters off, has
`cos(d omega + j theta)`; `L omega = 2 pi`, `|d| < L`. All signs come from sines between 0 and pi.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Part,
    Split,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.discrepancy.index_proofs import n, parts, sine, t, theta, x

omega = sympy.Symbol("omega", real=True)
L, d, j, m = sympy.symbols("L d j m", real=True)
INTEGERS = (n, L, d, j, t, m)
_half = sympy.Rational(1, 2)

LETTERS = {
    "turn": equal(L * omega, 2 * pi),
    "step": greater(omega),
    "d < L": at_least(L - 1, d),
    "-d < L": at_least(L - 1, -d),
    "wrong": at_least(d**2, 1),
}
ANGLE = {"angle": at_least(theta)}
PLACES = {
    "t >= 0": at_least(t),
    "t < n": at_least(n - 1, t),
    "j >= 0": at_least(j),
    "j < n": at_least(n - 1, j),
    "n >= 2": at_least(n, 2),
}


def roomy(room: Any) -> dict[str, Fact]:
    """`room >= 0`, the range of the angle."""
    return {"range": at_least(room)}


FULL_ROOM = omega - 2 * (n - 1) * theta
LEAD_ROOM = omega - (2 * n - 3) * theta  # two keys never share a place: n - 1 and n - 2 is the most


def by_letter(on: Any, fact: Fact, above: tuple[DerivationStep, ...], below: tuple[DerivationStep, ...]) -> Split:
    """By the sign of `d`, which is not 0: "off" says that `d - 1 >= 0` or `-d - 1 >= 0`."""
    whole = Use("off", "integer", (), ("letter",))
    none = Derive("none", FALSE, (Part(("wrong",)), Part(("letter",), -on), Part()))
    return Split("letter", on, fact, positive=(whole, *above), zero=(none,), negative=(whole, *below))


# -- the match has the largest logit -------------------------------------------------------------------------------

BEATS = "a match beats every wrong letter"


def beats(room: Any = FULL_ROOM) -> Entailment:
    """The logit of the match is at least that of any key of a wrong letter."""
    return Entailment(
        BEATS,
        {**LETTERS, **ANGLE, **PLACES, **roomy(room)},
        (at_least(cos(t * theta), cos(d * omega + j * theta)),),
        integers=INTEGERS,
    )


def _beats_steps(sense: int) -> tuple[DerivationStep, ...]:
    off = sense * d * omega
    rest = "d < L" if sense == 1 else "-d < L"
    both = {("t >= 0", "angle"): _half, ("j >= 0", "angle"): _half}
    low = {("off", "step"): _half, "range": _half}
    high = {"turn": -_half, (rest, "step"): _half}
    near_t, near_j, spare = ("t < n", "angle"), ("j < n", "angle"), {"range": _half}
    less_one, sine_1 = ("step",), (off + sense * (j + t) * theta) / 2
    if sense == 1:
        first = sine("sine 1", sine_1, {("off", "step"): _half, less_one: _half, **both},
                     {**high, **spare, near_j: _half, near_t: _half})  # fmt: skip
        second = sine(
            "sine 2", (off + (j - t) * theta) / 2, {**low, near_t: 1, **both}, {**high, **spare, near_j: 1, **both}
        )
    else:
        first = sine("sine 1", sine_1, {**low, near_j: _half, near_t: _half}, {**high, less_one: _half, **both})
        second = sine(
            "sine 2", (off - (j - t) * theta) / 2, {**low, near_j: 1, **both}, {**high, **spare, near_t: 1, **both}
        )
    fact = at_least(cos(t * theta), cos(d * omega + j * theta))
    return (*first, *second, Derive("lead", fact, parts({("sine 1", "sine 2"): 2})))


PROOF_OF_BEATS = Derivation(
    BEATS,
    (by_letter(d, at_least(cos(t * theta), cos(d * omega + j * theta)), _beats_steps(1), _beats_steps(-1)),),
    "cos(t theta) - cos(d omega + j theta) = 2 sin((d omega + (j + t) theta) / 2) sin((d omega + (j - t) theta) / 2)",
)

COPY = "the nearest of several copies leads"
COPIES = Entailment(
    COPY,
    {
        **{name: LETTERS[name] for name in ("turn", "step")},
        **ANGLE,
        **PLACES,
        **roomy(FULL_ROOM),
        "letters": at_least(L, 2),
        "nearer": at_least(j, t),
    },
    (at_least(cos(t * theta), cos(j * theta)),),
    integers=INTEGERS,
)
_TURN = {"turn": -_half, ("letters", "step"): _half}  # of pi = L omega / 2, what is left above omega
PROOF_OF_COPY = Derivation(
    COPY,
    (
        *sine(
            "sine 1",
            (j + t) * theta / 2,
            {("t >= 0", "angle"): _half, ("j >= 0", "angle"): _half},
            {**_TURN, ("step",): _half, "range": _half, ("t < n", "angle"): _half, ("j < n", "angle"): _half},
        ),
        *sine(
            "sine 2",
            (j - t) * theta / 2,
            {("nearer", "angle"): _half},
            {**_TURN, ("step",): _half, "range": _half, ("t >= 0", "angle"): 1, ("t < n", "angle"): _half,
             ("j < n", "angle"): _half},
        ),
        Derive("lead", at_least(cos(t * theta), cos(j * theta)), parts({("sine 1", "sine 2"): 2})),
    ),
)  # fmt: skip

# -- wrong letters at any place ------------------------------------------------------------------------------------

NO_NEARER = "no wrong letter at any place does better"
ATTAINED = "the next letter at the last place does that"
ROOM = omega - (n - 1) * theta


def no_wrong_letter(count: Any, place: Any) -> Split:
    """`cos(omega - (count - 1) theta) >= cos(d omega + place theta)`, from "room", "in place" and "count >= 1"."""
    fact = at_least(cos(omega - (count - 1) * theta), cos(d * omega + place * theta))
    step, last, here = ("step",), ("in place", "angle"), ("place >= 0", "angle")

    def steps(sense: int) -> tuple[DerivationStep, ...]:
        off, rest = sense * d * omega, "d < L" if sense == 1 else "-d < L"
        low: dict[Any, Any] = {("off", "step"): _half}
        high: dict[Any, Any] = {"turn": -_half, (rest, "step"): _half}
        one: dict[Any, Any] = {step: _half}
        first: tuple[dict[Any, Any], dict[Any, Any]]
        second: tuple[dict[Any, Any], dict[Any, Any]]
        phase = sense * place * theta
        if sense == 1:
            first = ({**low, **one, "room": _half, here: _half}, {**high, last: _half})
            second = (
                {**low, here: _half, ("count >= 1", "angle"): _half},
                {**high, "room": 1, last: _half},
            )
        else:
            first = ({**low, "room": 1, last: _half}, {**high, here: _half, ("count >= 1", "angle"): _half})
            second = ({**low, last: _half}, {**high, **one, "room": _half, here: _half})
        y1, y2 = off + omega + phase - (count - 1) * theta, off - omega + phase + (count - 1) * theta
        return (
            *sine("first", y1 / 2, *first),
            *sine("second", y2 / 2, *second),
            Derive("lag", fact, parts({("first", "second"): 2})),
        )

    return by_letter(d, fact, steps(1), steps(-1))


def no_nearer(places: Any, room: Any = ROOM) -> Entailment:
    """No wrong letter has a logit above `cos(omega - (places - 1) theta)`, at any of the n places."""
    return Entailment(
        NO_NEARER,
        {**LETTERS, **ANGLE, "n >= 2": at_least(n, 2), "place >= 0": at_least(j), "in place": at_least(n - 1, j),
         "room": at_least(room)},
        (at_least(cos(omega - (places - 1) * theta), cos(d * omega + j * theta)),),
        integers=INTEGERS,
    )  # fmt: skip


PROOF_OF_NO_NEARER = Derivation(
    NO_NEARER,
    (Derive("count >= 1", at_least(n, 1), parts({"n >= 2": 1, (): 1})), no_wrong_letter(n, j)),
    "The next letter falls back by theta a place, so it is nearest to the match at the last one.",
)


def attained(places: Any) -> Entailment:
    """The letter before the wanted one, at the last place, has that logit, `x`."""
    logit = equal(x, cos(-omega + (n - 1) * theta))
    return Entailment(ATTAINED, {"logit": logit}, (equal(x, cos(omega - (places - 1) * theta)),))


PROOF_OF_ATTAINED = Derivation(
    ATTAINED, (Derive("same", attained(n).conclusions[0], parts({"logit": 1})),), "The cosine is even."
)

# -- the smallest lead over a wrong key ----------------------------------------------------------------------------

NEAR_MATCH = "a match before the last place leads by that much"
LAST_MATCH = "so does a match at the last place"
LEAST = "it is the lead of a match one place before the last over the next letter at the last"
SMALLEST = cos((n - 2) * theta) - cos(omega - (n - 1) * theta)


def _lead(title: str, value: Any, place: Any, others: Any, room: Any) -> Entailment:
    facts = {
        "n >= 2": at_least(n, 2),
        "place >= 0": at_least(j),
        "in place": at_least(others, j),
        "letters": at_least(L, 2),
    }
    if place is t:
        facts |= {"t >= 0": at_least(t), "t < n - 1": at_least(n - 2, t)}
    lead = cos(place * theta) - cos(d * omega + j * theta)
    return Entailment(title, {**LETTERS, **ANGLE, **facts, **roomy(room)}, (at_least(lead, value),), integers=INTEGERS)


def near_match(value: Any = SMALLEST, room: Any = LEAD_ROOM) -> Entailment:
    """A match at one of the first n - 1 places leads any wrong key by `value` at least."""
    return _lead(NEAR_MATCH, value, t, n - 1, room)


def last_match(value: Any = SMALLEST, room: Any = LEAD_ROOM) -> Entailment:
    """A match at the last place leads any wrong key, which then is not there, by `value` at least."""
    return _lead(LAST_MATCH, value, n - 1, n - 2, room)


_TWICE = {"turn": -_half, ("letters", "step"): _half, "range": _half}  # pi = L omega / 2 less (n - 3/2) theta
PROOF_OF_NEAR_MATCH = Derivation(
    NEAR_MATCH,
    (
        Derive("count >= 1", at_least(n, 1), parts({"n >= 2": 1, (): 1})),
        Derive("room", at_least(ROOM), parts({"range": 1, ("n >= 2", "angle"): 1})),
        no_wrong_letter(n, j),
        *sine("nearer 1", (n - 2 + t) * theta / 2, {("n >= 2", "angle"): _half, ("t >= 0", "angle"): _half},
              {**_TWICE, ("step",): _half, ("t < n - 1", "angle"): _half, "angle": _half}),
        *sine("nearer 2", (n - 2 - t) * theta / 2, {("t < n - 1", "angle"): _half},
              {**_TWICE, ("step",): _half, ("t < n - 1", "angle"): _half, "angle": _half, ("t >= 0", "angle"): 1}),
        Derive("lead", at_least(cos(t * theta) - cos(d * omega + j * theta), SMALLEST),
               parts({"letter": 1, ("nearer 1", "nearer 2"): 2})),
    ),
)  # fmt: skip
_quarter = sympy.Rational(1, 4)
PROOF_OF_LAST_MATCH = Derivation(
    LAST_MATCH,
    (
        Derive("count >= 1", at_least(n - 1, 1), parts({"n >= 2": 1})),
        Derive("room", at_least(omega - (n - 2) * theta), parts({"range": 1, ("n >= 2", "angle"): 1, "angle": 1})),
        no_wrong_letter(n - 1, j),
        *sine("sum", (omega - (2 * n - 3) * theta) / 2, {"range": _half},
              {"turn": -_half, ("letters", "step"): _half, ("step",): _half, ("n >= 2", "angle"): 1, "angle": _half}),
        *sine("half step", omega / 2 + pi / 2, {"turn": -_quarter, ("letters", "step"): _quarter, ("step",): 1},
              {"turn": -_quarter, ("letters", "step"): _quarter}),
        *sine("half angle", theta / 2, {"angle": _half},
              {"turn": -_half, ("letters", "step"): _half, ("step",): _half, "range": _half, ("n >= 2", "angle"): 1}),
        Derive("lead", at_least(cos((n - 1) * theta) - cos(d * omega + j * theta), SMALLEST),
               parts({"letter": 1, ("sum", "half step", "half angle"): 4})),
    ),
    "The two leads differ by 4 sin((omega - (2 n - 3) theta) / 2) cos(omega / 2) sin(theta / 2).",
)  # fmt: skip


def least(value: Any = SMALLEST) -> Entailment:
    """The lead `x` of the match at n - 2 over the letter before the wanted one at n - 1, as a product of sines too."""
    lead = equal(x, cos((n - 2) * theta) - cos(-omega + (n - 1) * theta))
    product = 2 * sympy.sin((omega - theta) / 2) * sympy.sin((omega - (2 * n - 3) * theta) / 2)
    return Entailment(LEAST, {"lead": lead}, (equal(x, value), equal(x, product)))


PROOF_OF_LEAST = Derivation(
    LEAST,
    tuple(Derive(f"same {place}", fact, parts({"lead": 1})) for place, fact in enumerate(least().conclusions)),
)
