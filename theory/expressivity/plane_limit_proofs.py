"""Proofs of what no head of one plane can do on Retrieval and partial induction (beside DEC, theorems 5 and 6).

For a query and a key t steps before it, the logit is `Re(z exp(i t theta)) = z1 cos(t theta) - z2 sin(t theta)`, where
the complex number z is made of the query's and the key's vector: `f` for a pair of the query symbol, `g` for one of
another symbol with another attribute. The places are `t = 1 .. T`; `x = theta / 2`.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import cos, pi, sin

from headproof.theory.derivation import (
    FALSE,
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Fact,
    Part,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.expressivity.plane_binding_proofs import HALF, S, T, q, t, u, x, y

f1, f2, g1, g2, v = sympy.symbols("f1 f2 g1 g2 v", real=True)


def match_at(place: Any) -> Any:
    """The logit of a match so many steps (halves allowed) before the query."""
    return f1 * cos(2 * x * place) - f2 * sin(2 * x * place)


def wrong_at(place: Any) -> Any:
    """The logit of the other key there."""
    return g1 * cos(2 * x * place) - g2 * sin(2 * x * place)


PLACES = (at_least(t, 1), at_least(T, t), at_least(u, 1), at_least(T, u), greater((t - u) ** 2))
WINS = Universal((t, u), (*PLACES, at_least(S, 2), at_least(v, 2)), greater(match_at(t), wrong_at(u)))

# -- Retrieval -----------------------------------------------------------------------------------------------------

TOO_WIDE = "with its places spread over half a turn or more, a plane cannot hold two symbols apart"
STRAIGHT = "at half a turn it cannot either"


def too_wide(reach: Any, attributes: int = 2, reduced: Fact | None = None) -> Entailment:
    """For `0 < 2 x < pi` and `reach = (T - 1) 2 x - pi >= 0` not every match is above every other key elsewhere."""
    return Entailment(
        TOO_WIDE,
        {
            "symbols": at_least(S, 2),
            "attributes": at_least(v, attributes),
            "angle": greater(x),
            "reduced": greater(pi, 2 * x) if reduced is None else reduced,
            "y": equal(x * y, pi),
            "reach": at_least(reach),
            "wins": WINS,
        },
        (FALSE,),
        integers=(T, S, v, t, u),
    )


_b = -q  # the least integer with b theta >= pi; the three places are 1, b and b + 1
_names = {"1": sympy.Integer(1), "b": _b, "b+1": _b + 1}


def _pair(one: str, other: str, apart: tuple[Part, ...]) -> tuple[DerivationStep, ...]:
    """The match at one place above the other key at the second, and the other way round."""
    steps: list[DerivationStep] = []
    for first, second in ((one, other), (other, one)):
        name = f"{first}, {second}"
        ends = (f"{first} >= 1", f"{first} <= T", f"{second} >= 1", f"{second} <= T")
        steps.append(Derive(f"{name} apart", greater((_names[first] - _names[second]) ** 2), apart))
        arguments = (_names[first], _names[second])
        steps.append(Use(name, "instance", arguments, ("wins", *ends, f"{name} apart", "symbols", "attributes")))
    return tuple(steps)


_HALF_PI = (Part(("pi.1",), HALF), Part((), sympy.Rational(3, 2)))


def _acute(name: str, value: Any, above: tuple[Part, ...], below: tuple[Part, ...]) -> tuple[DerivationStep, ...]:
    """Sine and cosine of an angle from 0 to pi / 2: `above` gives value > 0, `below` gives pi / 2 - value >= 0, strict
    where a part of it is."""
    strict = greater if name in ("X", "Z") else at_least
    return (
        Derive(f"{name} > 0", greater(value), above),
        Derive(f"{name} < pi / 2", strict(pi / 2, value), below),
        Derive(f"{name} < pi", greater(pi, value), (Part((f"{name} < pi / 2",)), *_HALF_PI)),
        Use(f"sin {name}", "sine", (value,), (f"{name} > 0", f"{name} < pi")),
        Derive(f"co-{name} < pi", greater(pi, pi / 2 - value), (Part((f"{name} > 0",)), *_HALF_PI)),
        Use(f"cos {name}", "sine", (pi / 2 - value,), (f"{name} < pi / 2", f"co-{name} < pi")),
    )


PROOF_OF_TOO_WIDE = Derivation(
    TOO_WIDE,
    (
        Use("pi", "pi"),
        Use("q", "floor", (q, -y / 2 - 1), ()),
        Derive("before", greater(pi, (_b - 1) * 2 * x), (Part(("q.1", "angle"), 2), Part(("y",), -1))),
        Derive("half a turn", at_least(_b * 2 * x, pi), (Part(("q.2", "angle"), 2), Part(("y",)))),
        Derive("(b - 1) x > 0", greater((_b - 1) * x), (Part(("half a turn",), HALF), Part(("reduced",), HALF))),
        Use("b > 1", "quotient", (_b - 1,), ("(b - 1) x > 0", "angle")),
        Derive("(T - b) x > 0", greater((T - _b) * x), (Part(("reach",), HALF), Part(("before",), HALF))),
        Use("T > b", "quotient", (T - _b,), ("(T - b) x > 0", "angle")),
        Use("T >= b + 1", "integer", (), ("T > b",)),
        Derive("1 >= 1", at_least(1, 1), ()),
        Derive("b >= 1", at_least(_b, 1), (Part(("b > 1",)),)),
        Derive("b+1 >= 1", at_least(_b + 1, 1), (Part(("b > 1",)), Part())),
        Derive("1 <= T", at_least(T, 1), (Part(("T > b",)), Part(("b > 1",)))),
        Derive("b <= T", at_least(T, _b), (Part(("T > b",)),)),
        Derive("b+1 <= T", at_least(T, _b + 1), (Part(("T >= b + 1",)),)),
        *_pair("1", "b", (Part(("b > 1", "b > 1")),)),
        *_pair("1", "b+1", (Part(("b > 1", "b > 1")), Part(("b > 1",), 2), Part())),
        *_pair("b", "b+1", (Part(),)),
        *_acute("X", x, (Part(("angle",)),), (Part(("reduced",), HALF),)),
        *_acute("Y", pi - _b * x, (Part(("before",), HALF), Part(("reduced",), HALF)), (Part(("half a turn",), HALF),)),
        *_acute("Z", (_b - 1) * x, (Part(("(b - 1) x > 0",)),), (Part(("before",), HALF),)),
        Derive(
            "none",
            FALSE,
            (
                *(Part((name, "sin Z", "cos X", "cos Y")) for name in ("1, b", "b, 1")),
                *(Part((name, "sin Y", "cos X", "cos Z")) for name in ("1, b+1", "b+1, 1")),
                *(Part((name, "sin X", "cos Y", "cos Z")) for name in ("b, b+1", "b+1, b")),
            ),
            "X + Y + Z = pi: with these weights every place weighs as much for one key as for the other, and the "
            "three directions balance, so the sum is 0",
        ),
    ),
    "Three places whose directions surround the centre: 1, b and b + 1, where b theta first reaches half a turn.",
)


def straight(keys: int = 2) -> Entailment:
    """At `theta = pi` the places 1 and 2 are opposite."""
    half = {x: pi / 2}
    wins = Universal(WINS.letters, WINS.conditions, greater(match_at(t).subs(half), wrong_at(u).subs(half)))
    return Entailment(
        STRAIGHT,
        {"symbols": at_least(S, 2), "attributes": at_least(v, 2), "keys": at_least(T, keys), "wins": wins},
        (FALSE,),
        integers=(T, S, v, t, u),
    )


PROOF_OF_STRAIGHT = Derivation(
    STRAIGHT,
    (
        Derive("1 >= 1", at_least(1, 1), ()),
        Derive("2 >= 1", at_least(2, 1), (Part(),)),
        Derive("1 <= T", at_least(T, 1), (Part(("keys",)), Part())),
        Derive("2 <= T", at_least(T, 2), (Part(("keys",)),)),
        Derive("apart", greater(1), (Part(),)),
        Use(
            "1, 2",
            "instance",
            (1, 2),
            ("wins", "1 >= 1", "1 <= T", "2 >= 1", "2 <= T", "apart", "symbols", "attributes"),
        ),
        Use(
            "2, 1",
            "instance",
            (2, 1),
            ("wins", "2 >= 1", "2 <= T", "1 >= 1", "1 <= T", "apart", "symbols", "attributes"),
        ),
        Derive("none", FALSE, (Part(("1, 2",)), Part(("2, 1",)))),
    ),
)
