"""Which rotary heads are positional or symbolic on every input (dec.definitions): statements plane by plane."""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.cases import RotaryCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.proof import ConcludeImplication, Implication, Proof
from headproof.theory.statements import IS_POSITIONAL, IS_SYMBOLIC

DEFINITIONS = Source("DEC", "remarks after the definitions of positional and symbolic attention")

# One rotary plane: q . R(-phi) k with cos phi = c and sin phi = s is c (q . k) + s (q x k).
Q1, Q2, K1, K2, H1, H2 = sympy.symbols("q_1 q_2 k_1 k_2 h_1 h_2", real=True)
C1, S1, C2, S2 = sympy.symbols("c s c' s'", real=True)


def _plane(k1: Any, k2: Any, c: Any, s: Any) -> Any:
    return c * (Q1 * k1 + Q2 * k2) + s * (Q1 * k2 - Q2 * k1)


DOT, CROSS = Q1 * K1 + Q2 * K2, Q1 * K2 - Q2 * K1
_by_position = _plane(K1, K2, C1, S1) - _plane(K1, K2, C2, S2)
_by_content = _plane(K1, K2, C1, S1) - _plane(H1, H2, C1, S1)
_still = (C1 - 1, S1, C2 - 1, S2)
_same_key = (K1 - H1, K2 - H2)


def _at_rest(case: RotaryCase, planes: slice = slice(None)) -> bool:
    return all(cosine == 1 and sine == 0 for cosine, sine in case.turns[planes])


def _equal_keys(case: RotaryCase, keys: slice = slice(None)) -> bool:
    return len(set(case.keys[keys])) <= 1


NO_ANGLES = Premise("no angles", "every rotary angle is 0", _at_rest)
EQUAL_KEYS = Premise("equal keys", "the projected keys of the input are all equal", _equal_keys)


def _rotary(premise: Premise, symbolic: bool, hypotheses: tuple[Any, ...], conclusion: Any) -> Statement:
    def concludes(case: RotaryCase) -> bool:
        return (IS_SYMBOLIC if symbolic else IS_POSITIONAL).holds(case.table)

    return Statement(RotaryCase, (premise,), concludes, Implication(hypotheses, (conclusion,)))


nope_symbolic = Claim(
    id="dec.definitions.nope-symbolic",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A NoPE head is symbolic on every input",
    source=DEFINITIONS,
    latex=r"\theta_f = 0\ \forall f \ \Rightarrow\ M_{ab} = k_a^\top q\ \text{does not depend on } b",
    sentence="Without rotation the logit of a key does not depend on where the key stands.",
    domain="every real query and keys, any number of planes and keys",
    statement=_rotary(NO_ANGLES, True, _still, _by_position),
    proof=Proof(
        (
            ConcludeImplication(
                "plane by plane, the position drops out",
                ({0: DOT, 1: CROSS, 2: -DOT, 3: -CROSS},),
                "A plane's logit is c (q . k) + s (q x k) with (c, s) = (cos, sin) of angle times distance, and (1, 0) "
                "at both positions; a head's logit is the sum over its planes.",
            ),
        )
    ),
    mutants=(
        Mutant("positional", "positional instead of symbolic", _rotary(NO_ANGLES, False, _still, _by_content)),
        Mutant(
            "one plane turns",
            "all angles but the last are 0",
            _rotary(
                Premise(
                    "no angle but the last", "all rotary angles but the last are 0", lambda c: _at_rest(c, slice(-1))
                ),
                True,
                (),
                _by_position,
            ),
        ),
        Mutant(
            "half turns",
            "angles 0 or pi",
            _rotary(
                Premise("half turns", "every rotary angle is 0 or pi", lambda c: all(t[1] == 0 for t in c.turns)),
                True,
                (S1, S2, C1**2 - 1, C2**2 - 1),
                _by_position,
            ),
        ),
    ),
)

equal_keys_positional = Claim(
    id="dec.definitions.equal-keys-positional",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A RoPE head whose projected keys are all equal is positional",
    source=DEFINITIONS,
    latex=r"k_1=\dots=k_{n-1} \ \Rightarrow\ M_{ab} = k^\top R_{n-b}\,q\ \text{does not depend on } a",
    sentence="If all keys are one vector, only their distance to the query can make a difference.",
    domain="every real query and key, any angles, any number of planes and keys",
    statement=_rotary(EQUAL_KEYS, False, _same_key, _by_content),
    proof=Proof(
        (
            ConcludeImplication(
                "plane by plane, the content drops out",
                ({0: C1 * Q1 - S1 * Q2, 1: C1 * Q2 + S1 * Q1},),
                "A plane's logit is linear in the key, and the two contents have the same key.",
            ),
        )
    ),
    mutants=(
        Mutant("symbolic", "symbolic instead of positional", _rotary(EQUAL_KEYS, True, _same_key, _by_position)),
        Mutant(
            "all keys but one",
            "all keys but the last are equal",
            _rotary(
                Premise("equal but the last", "all keys but the last are equal", lambda c: _equal_keys(c, slice(-1))),
                False,
                (),
                _by_content,
            ),
        ),
        Mutant(
            "equal lengths",
            "keys of equal length only",
            _rotary(
                Premise(
                    "equal lengths",
                    "the keys are equally long in every plane",
                    lambda c: len({tuple(x * x + y * y for x, y in key) for key in c.keys}) == 1,
                ),
                False,
                (K1**2 + K2**2 - H1**2 - H2**2,),
                _by_content,
            ),
        ),
    ),
)

ROTARY_CLAIMS = (nope_symbolic, equal_keys_positional)
