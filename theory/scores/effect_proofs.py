"""Proofs about how near a swap's point lies to the unit circle, and about what the scores see of a table.

`P = e^(4F)` and `Q = e^(4G)` are the main effects of position and content on the 2 x 2 table of a swap's logits, `P_`
and `Q_` their inverses. `lo`, `hi` are the smaller and the larger mean before the swap, `LO`, `HI` after it.
"""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.derivation import (
    Derivation,
    DerivationStep,
    Derive,
    Entailment,
    Hypothesis,
    Part,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import (
    POSITIVE_IN_TABLE,
    from_table,
    ii,
    ij,
    ji,
    jj,
    parts,
    s,
    t,
)

# -- near the circle -----------------------------------------------------------------------------------------------

NEAR = "the excess lies between r r' and 4 r r'"
lo, hi, LO, HI, r, R, x = sympy.symbols("lo hi LO HI r R x", real=True)
RATIOS: dict[str, Hypothesis] = {
    "lo > 0": greater(lo),
    "lo <= hi": at_least(hi, lo),
    "LO > 0": greater(LO),
    "LO <= HI": at_least(HI, LO),
    "r": equal(r * hi, lo),
    "R": equal(R * HI, LO),
}


def near(lower: Any = 1, upper: Any = 4, ratio: Any = R) -> Entailment:
    """`r R <= x <= 4 r R` for the excess `x` of `circle`, which names the means by size instead of by block."""
    sizes = (lo**2 + hi**2) * (LO**2 + HI**2)
    excess = {"excess": equal(x * sizes, 4 * lo * hi * LO * HI)}
    return Entailment(NEAR, RATIOS | excess, (at_least(x, lower * r * ratio), at_least(upper * r * ratio, x)))


def _ratio(ratio: Any, small: str, large: str) -> tuple[DerivationStep, ...]:
    name = str(ratio)
    top = sympy.Symbol(large, real=True)
    return (
        Derive(f"{large} > 0", greater(top), parts({f"{small} <= {large}": 1, f"{small} > 0": 1})),
        Derive(f"{name}, times", greater(ratio * top), parts({name: 1, f"{small} > 0": 1})),
        Use(f"{name} > 0", "quotient", (ratio,), (f"{name}, times", f"{large} > 0")),
        Derive(f"1 - {name}, times", at_least((1 - ratio) * top), parts({f"{small} <= {large}": 1, name: -1})),
        Use(f"{name} <= 1", "quotient", (1 - ratio,), (f"1 - {name}, times", f"{large} > 0")),
        Derive(f"1 + {name}", greater(1 + ratio), parts({f"{name} > 0": 1, (): 1})),
        Derive(f"{name}^2 <= 1", at_least(1 - ratio**2), parts({(f"{name} <= 1", f"1 + {name}"): 1})),
    )


_scaled = x * (1 + r**2) * (1 + R**2) - 4 * r * R
_put_in: tuple[DerivationStep, ...] = (
    Derive("lo put in", equal(lo, r * hi), parts({"r": -1})),
    Derive("LO put in", equal(LO, R * HI), parts({"R": -1})),
    Use("excess, lo", "replace", (lo, r * hi), ("excess", "lo put in")),
    Use("excess, LO", "replace", (LO, R * HI), ("excess, lo", "LO put in")),
    Derive("larger means", greater(hi**2 * HI**2), parts({("hi > 0", "hi > 0", "HI > 0", "HI > 0"): 1})),
    Derive("excess, scaled", equal(_scaled * hi**2 * HI**2), parts({"excess, LO": 1})),
    Use("ratios alone", "quotient", (_scaled,), ("excess, scaled", "larger means")),
)
PROOF_OF_NEAR = Derivation(
    NEAR,
    (
        *_ratio(r, "lo", "hi"),
        *_ratio(R, "LO", "HI"),
        *_put_in,
        Derive(
            "x, times",
            greater(x * (1 + r**2) * (1 + R**2)),
            parts({"ratios alone": 1, ("r > 0", "R > 0"): 4}),
        ),
        Derive("grown", greater((1 + r**2) * (1 + R**2)), (Part(), *(Part((), 1, (z,)) for z in (r, R, r * R)))),
        Use("x > 0", "quotient", (x,), ("x, times", "grown")),
        Derive(
            "lower",
            at_least(x, r * R),
            (
                Part(("ratios alone",), sympy.Rational(1, 4)),
                Part(("x > 0", "R^2 <= 1"), sympy.Rational(1, 2)),
                Part(("x > 0", "r^2 <= 1"), sympy.Rational(1, 4)),
                Part(("x > 0", "r^2 <= 1"), sympy.Rational(1, 4), (R,)),
            ),
            "4 - (1 + r^2) (1 + R^2) = 2 (1 - R^2) + (1 - r^2) (1 + R^2)",
        ),
        Derive(
            "upper",
            at_least(4 * r * R, x),
            (Part(("ratios alone",), -1), *(Part(("x > 0",), 1, (z,)) for z in (r, R, r * R))),
        ),
    ),
    "With lo = r hi the excess times (1 + r^2) (1 + R^2) is 4 r R, and the factor lies between 1 and 4.",
)

# -- main effects --------------------------------------------------------------------------------------------------

EFFECTS = "both scores from the two main effects"
P, P_, Q, Q_ = sympy.symbols("P P_ Q Q_", real=True)
MAIN: dict[str, Hypothesis] = {
    "F": equal(P * ii * ji, jj * ij),
    "G": equal(Q * ii * ij, jj * ji),
    "1/F": equal(P * P_, 1),
    "1/G": equal(Q * Q_, 1),
}
SPAN = P + P_ + Q + Q_


def effects(positional: Any = 2 + P + P_, symbolic: Any = 2 + Q + Q_, span: Any = SPAN) -> Entailment:
    """`s_pos^2 (P + 1/P + Q + 1/Q) = 2 + P + 1/P`, and so for `s_sym` and Q."""
    return from_table(EFFECTS, (equal(s**2 * span, positional), equal(t**2 * span, symbolic)), MAIN)


_K = ii * jj * ij * ji
_all_sums: tuple[DerivationStep, ...] = (Derive("K > 0", greater(_K), parts({("E_ii", "E_jj", "E_ij", "E_ji"): 1})),)


def _effect(score: Any, own: Any) -> tuple[DerivationStep, ...]:
    """`(score^2 (P + P_ + Q + Q_) - 2 - own - 1/own) K`, with K the product of the four sums, from the table."""
    name, square = str(score), score**2
    # P K = (E_jj E_ij)^2 and P_ K = (E_ii E_ji)^2, from F and 1/F; so for Q, with E_ij and E_ji exchanged.
    first, second = (square - 1, square) if own == P else (square, square - 1)
    inverse = P_ if own == P else Q_
    fact = equal(square * SPAN, 2 + own + inverse)
    return (
        Derive(
            f"{name}, times",
            equal(fact.expression * _K),
            parts(
                {
                    f"{name} of the table": 1,
                    "F": first * (ij * jj - ii * ji * P_),
                    "1/F": first * (ii * ji) ** 2,
                    "G": second * (ji * jj - ii * ij * Q_),
                    "1/G": second * (ii * ij) ** 2,
                }
            ),
        ),
        Use(f"{name} by effects", "quotient", (fact.expression,), (f"{name}, times", "K > 0")),
    )


_BOTH_EFFECTS = (*_all_sums, *_effect(s, P), *_effect(t, Q))
PROOF_OF_EFFECTS = Derivation(EFFECTS, _BOTH_EFFECTS, "Both sides times the product of the four sums.")

LARGER = "the larger effect has the larger score"
NOT_LARGER = "and an effect that is not larger has not"
COSH = "P + 1/P grows with the size of F"
f, f_, g, g_ = sympy.symbols("f f_ g g_", real=True)


def larger(order: Any = P + P_ - Q - Q_, strict: bool = True) -> Entailment:
    """If `P + 1/P > Q + 1/Q`, then `s_pos > s_sym`."""
    return from_table(LARGER, (greater(s, t),), MAIN | {"order": greater(order) if strict else at_least(order)})


def not_larger(order: Any = Q + Q_ - P - P_) -> Entailment:
    """If not, `s_pos <= s_sym`."""
    return from_table(NOT_LARGER, (at_least(t, s),), MAIN | {"order": at_least(order)})


def _by_effects(sign: int, relation: Any) -> tuple[DerivationStep, ...]:
    return (
        *_BOTH_EFFECTS,
        *POSITIVE_IN_TABLE,
        Derive("span, times", greater(SPAN * _K), (*_squares_of_span(), *_of_hypotheses())),
        Use("span", "quotient", (SPAN,), ("span, times", "K > 0")),
        Derive(
            "apart, times",
            relation(sign * (s**2 - t**2) * SPAN),
            parts({"s_pos by effects": sign, "s_sym by effects": -sign, "order": 1}),
        ),
        Use("apart", "quotient", (sign * (s**2 - t**2),), ("apart, times", "span")),
        Derive("factors", relation(sign * (s - t) * (s + t)), parts({"apart": 1})),
        Derive("s + t > 0", greater(s + t), parts({"s_pos > 0": 1, "s_sym > 0": 1})),
        Use("order of the scores", "quotient", (sign * (s - t),), ("factors", "s + t > 0")),
    )


def _squares_of_span() -> tuple[Part, ...]:
    """`SPAN K = (E_ii^2 + E_jj^2) (E_ij^2 + E_ji^2)` where the hypotheses hold."""
    return parts({(a, a, b, b): 1 for a in ("E_ii", "E_jj") for b in ("E_ij", "E_ji")})


def _of_hypotheses() -> tuple[Part, ...]:
    return parts(
        {
            "F": ij * jj - ii * ji * P_,
            "1/F": (ii * ji) ** 2,
            "G": ji * jj - ii * ij * Q_,
            "1/G": (ii * ij) ** 2,
        }
    )


PROOF_OF_LARGER = Derivation(LARGER, _by_effects(1, greater))
PROOF_OF_NOT_LARGER = Derivation(NOT_LARGER, _by_effects(-1, at_least))

GROWS = Entailment(
    COSH,
    {
        "g >= 1": at_least(g, 1),
        "f > g": greater(f, g),
        "1/f": equal(f * f_, 1),
        "1/g": equal(g * g_, 1),
    },
    (greater(f + f_, g + g_),),
)
PROOF_OF_GROWS = Derivation(
    COSH,
    (
        Derive("g > 0", greater(g), parts({"g >= 1": 1, (): 1})),
        Derive("f > 0", greater(f), parts({"f > g": 1, "g > 0": 1})),
        Derive("f g > 0", greater(f * g), parts({("f > 0", "g > 0"): 1})),
        Derive("g + 1 > 0", greater(g + 1), parts({"g > 0": 1, (): 1})),
        Derive("f g > 1", greater(f * g, 1), parts({("f > g", "g > 0"): 1, ("g >= 1", "g + 1 > 0"): 1})),
        Derive(
            "times f g",
            greater((f + f_ - g - g_) * f * g),
            parts({("f > g", "f g > 1"): 1, "1/f": g, "1/g": -f}),
        ),
        Use("grows", "quotient", (f + f_ - g - g_,), ("times f g", "f g > 0")),
    ),
)
