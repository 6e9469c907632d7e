"""Proofs about heads of one plane on Index (DEC, theorem 3), as derivations about a target `j` and another key `k`.

That the target alone is attended to makes the head right; that another key with another symbol ties with it makes it
wrong. What is proved is which of the two happens. Each entailment takes the constants that mutants change.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    Hypothesis,
    NotMultiple,
    Part,
    Split,
    Suppose,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)

theta, c = sympy.symbols("theta c", real=True)
n, m, t, j, k, p, r = sympy.symbols("n m t j k p r", real=True)
HALF = sympy.Rational(1, 2)

ANOTHER: Mapping[str, Hypothesis] = {
    "target": at_least(j, 1),
    "target, end": at_least(n - 1, j),
    "key": at_least(k, 1),
    "another": greater((j - k) ** 2),
}


def _by_side(name: str, fact: Fact, after: tuple[DerivationStep, ...], before: tuple[DerivationStep, ...]) -> Split:
    """By the side of the target on which the key stands: `after` where it is earlier (j > k), `before` where later."""
    same = (
        Use("same", "replace", (j, k), ("another", name)),
        Derive("no other", FALSE, (Part(("same",)),)),
    )
    return Split(name, j - k, fact, positive=after, zero=same, negative=before)


# -- the angle pi / n ----------------------------------------------------------------------------------------------

HALF_TURN = "at theta = pi / n no other key ties, the query's own included"


def half_turn(angle: Any = n * theta - pi, weight: Fact | None = None, shift: int = 0) -> Entailment:
    """The target's logit is above every other key's, where `angle = 0`."""
    return Entailment(
        HALF_TURN,
        {
            **ANOTHER,
            "key, end": at_least(n, k),
            "angle": Fact(angle, "=="),
            "weight": greater(c) if weight is None else weight,
        },
        (greater(c * cos(theta * shift), c * cos(theta * (j + shift - k))),),
        integers=(n, j, k),
    )


def _side(far: Any, end: tuple[Part, ...]) -> tuple[DerivationStep, ...]:
    """`c > c cos(theta far)` for a distance `far > 0` of at most n: `end` are the parts that give `n - far >= 0`."""
    x = theta * far / 2
    distance = greater(far)
    return (
        Derive("apart", distance, (Part(("side",)),)),
        Derive("x > 0", greater(x), (Part(("apart", "theta > 0"), HALF),)),
        Derive("near", at_least(n - far), end),
        Derive(
            "x < pi",
            greater(pi, x),
            (
                Part(("near", "theta > 0"), HALF),
                Part(("angle",), -HALF),
                Part(("pi.1",), HALF),
                Part((), sympy.Rational(3, 2)),
            ),
        ),
        Use("sine", "sine", (x,), ("x > 0", "x < pi")),
        Derive(
            "lead",
            greater(c, c * cos(theta * (j - k))),
            (Part(("weight", "sine", "sine"), 2),),
            "1 - cos x = 2 sin(x / 2)^2",
        ),
    )


PROOF_OF_HALF_TURN = Derivation(
    HALF_TURN,
    (
        Use("pi", "pi"),
        Derive("theta n > 0", greater(theta * n), (Part(("angle",)), Part(("pi.1",)), Part((), 3))),
        Derive("n > 0", greater(n), (Part(("target",)), Part(("target, end",)), Part((), 2))),
        Use("theta > 0", "quotient", (theta,), ("theta n > 0", "n > 0")),
        _by_side(
            "side",
            greater(c, c * cos(theta * (j - k))),
            _side(j - k, (Part(("target, end",)), Part(("key",)), Part((), 2))),
            _side(k - j, (Part(("key, end",)), Part(("target",)), Part((), 1))),
        ),
    ),
    "All distances are below n, so theta times half of one is below a quarter turn.",
)

# -- the exact set of angles ---------------------------------------------------------------------------------------

NO_TIE = "if no t theta, 1 <= t <= n - 2, is a whole number of turns, no other key with an answer ties"
TIE = "if t theta is a whole number of turns for one of them, the keys at 1 and 1 + t tie"


def no_tie(last: int = 2, weight: Fact | None = None, turn: Any = 1) -> Entailment:
    """The target leads over every key at 1 to n - 1, where `turn t theta` is off full turns up to `t = n - last`."""
    return Entailment(
        NO_TIE,
        {
            **ANOTHER,
            "key, end": at_least(n - 1, k),
            "weight": greater(c) if weight is None else weight,
            "no alias": Universal((t,), (at_least(t, 1), at_least(n - last, t)), NotMultiple(turn * theta * t)),
        },
        (greater(c, c * cos(theta * (j - k))),),
        integers=(n, j, k, t),
    )


def aliasing(last: int = 2, turn: Any = 2 * pi, symbols: int = 2) -> dict[str, Hypothesis]:
    """`t theta` is a whole number of turns for a `t` from 1 to `n - last`; there are so many symbols."""
    return {
        "t": at_least(t, 1),
        "t, end": at_least(n - last, t),
        "alias": equal(theta * t, turn * r),
        "symbols": at_least(m, symbols),
    }


def tie(last: int = 2, turn: Any = 2 * pi, symbols: int = 2) -> Entailment:
    """The key t places after the first target is there, ties with it, and there is another symbol to hold."""
    return Entailment(
        TIE,
        aliasing(last, turn, symbols),
        (equal(c * cos(theta * (1 - (1 + t))), c), at_least(n - 1, 1 + t), at_least(m, 2)),
        integers=(n, m, t, r),
    )


def _off(far: Any, end: tuple[Part, ...]) -> tuple[DerivationStep, ...]:
    return (
        Derive("apart", greater(far), (Part(("side",)),)),
        Use("apart by one", "integer", (), ("apart",)),
        Derive("near", at_least(n - 2, far), end),
        Use("off turns", "instance", (far,), ("no alias", "apart by one", "near")),
        Use("below one", "cosine off turns", (theta * far,), ("off turns",)),
        Derive("lead", greater(c, c * cos(theta * (j - k))), (Part(("weight", "below one")),)),
    )


PROOF_OF_NO_TIE = Derivation(
    NO_TIE,
    (
        _by_side(
            "side",
            greater(c, c * cos(theta * (j - k))),
            _off(j - k, (Part(("target, end",)), Part(("key",)))),
            _off(k - j, (Part(("key, end",)), Part(("target",)))),
        ),
    ),
)


def full_turn(x: Any, turns: Any, name: str = "turn", alias: str = "alias") -> tuple[DerivationStep, ...]:
    """From `x = turns` (a fact `alias`, `turns` a whole number of turns) to `cos x = 1`, under the given name."""
    rest = x - turns
    return (
        Use(f"{name} parabola", "parabola", (rest,), ()),
        Derive(f"{name} above", at_least(cos(x), 1), (Part((f"{name} parabola",)), Part((alias,), -rest / 2))),
        Use(f"{name} bound", "cosine", (x,), ()),
        Use(name, "equality", (), (f"{name} above", f"{name} bound.1")),
    )


PROOF_OF_TIE = Derivation(
    TIE,
    (
        *full_turn(theta * t, 2 * pi * r),
        Derive("tie", equal(c * cos(theta * (1 - (1 + t))), c), (Part(("turn",), c),)),
        Derive("a key", at_least(n - 1, 1 + t), (Part(("t, end",)),)),
    ),
    "With another symbol at every place but the target's, that symbol has as many attended keys at least.",
)

# -- any head of one plane -----------------------------------------------------------------------------------------

A, B, C, D = (sympy.Function(name) for name in "ABCD")
ALIASED = "no head of one plane tells two places apart whose distance is a whole number of turns"


def aliased(last: int = 2, turn: Any = 2 * pi, symbols: int = 2) -> Entailment:
    """The logits of two symbols at place p are `A(j) cos + B(j) sin` and `C(j) cos + D(j) sin` of theta (j - p): both
    symbols cannot win at every target over the other at every other place."""
    turned = theta * (j - p)
    places = (
        at_least(j, 1),
        at_least(n - 1, j),
        at_least(p, 1),
        at_least(n - 1, p),
        greater((j - p) ** 2),
        at_least(m, 2),
    )
    return Entailment(
        ALIASED,
        {
            **aliasing(last, turn, symbols),
            "one wins": Universal((j, p), places, greater(A(j), C(j) * cos(turned) + D(j) * sin(turned))),
            "the other wins": Universal((j, p), places, greater(C(j), A(j) * cos(turned) + B(j) * sin(turned))),
        },
        (FALSE,),
        integers=(n, m, t, r, j, p),
    )


EXCHANGED = "exchanging two symbols at such a distance changes no logit that a value goes with"


def exchanged(last: int = 2, turn: Any = 2 * pi, symbols: int = 2) -> Entailment:
    """For the target 1 + t, both symbols have the same logit at the places 1 and 1 + t; letters as in `aliased`."""
    turned = theta * (1 + t - 1)
    return Entailment(
        EXCHANGED,
        aliasing(last, turn, symbols),
        (
            *(equal(one(1 + t) * cos(turned) + two(1 + t) * sin(turned), one(1 + t)) for one, two in ((A, B), (C, D))),
            at_least(n - 1, 1 + t),
            at_least(m, 2),
        ),
        integers=(n, m, t, r),
    )


_conditions = ("j", "j, end", "one", "one, end", "apart", "symbols")
WHOLE_TURN: tuple[DerivationStep, ...] = (
    *full_turn(theta * t, 2 * pi * r),
    Suppose(
        "sine not above",
        greater(sin(theta * t)),
        (Derive("nothing", FALSE, (Part(("sine not above", "sine not above")), Part(("turn",), 1 + cos(theta * t)))),),
    ),
    Suppose(
        "sine not below",
        greater(-sin(theta * t)),
        (Derive("nothing", FALSE, (Part(("sine not below", "sine not below")), Part(("turn",), 1 + cos(theta * t)))),),
    ),
    Use("sine", "equality", (), ("sine not above", "sine not below")),
)
PROOF_OF_EXCHANGED = Derivation(
    EXCHANGED,
    (
        *WHOLE_TURN,
        *(
            Derive(name, fact, (Part(("turn",), one(1 + t)), Part(("sine",), -two(1 + t))))
            for name, fact, (one, two) in zip(
                ("first symbol", "second symbol"), exchanged().conclusions[:2], ((A, B), (C, D)), strict=True
            )
        ),
        Derive("a key", at_least(n - 1, 1 + t), (Part(("t, end",)),)),
    ),
    "So two inputs that differ in this exchange have the same output, whatever VAL and F, hard attention or softmax; "
    "the answers for the target 1 + t differ.",
)
PROOF_OF_ALIASED = Derivation(
    ALIASED,
    (
        *WHOLE_TURN,
        # The target is at j = 1 + t, its alias at place 1.
        Derive("j", at_least(1 + t, 1), (Part(("t",)), Part())),
        Derive("j, end", at_least(n - 1, 1 + t), (Part(("t, end",)),)),
        Derive("one", at_least(1, 1), ()),
        Derive("one, end", at_least(n - 1, 1), (Part(("t, end",)), Part(("t",)), Part())),
        Derive("t > 0", greater(t), (Part(("t",)), Part())),
        Derive("apart", greater((1 + t - 1) ** 2), (Part(("t > 0", "t > 0")),)),
        Use("first", "instance", (1 + t, 1), ("one wins", *_conditions)),
        Use("second", "instance", (1 + t, 1), ("the other wins", *_conditions)),
        Derive(
            "both",
            FALSE,
            (
                Part(("first",)),
                Part(("second",)),
                Part(("turn",), A(1 + t) + C(1 + t)),
                Part(("sine",), -(B(1 + t) + D(1 + t))),
            ),
        ),
    ),
    "At such a distance both symbols have the logits that they have at the target: each would have to win.",
)
