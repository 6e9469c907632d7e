"""Tokens and sequences of DYN's tasks in Coq's words; proofs of several statements at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coq_words import place

from headproof.theory.expressivity.feasibility import LETTERS

# No multiple of p pi / q is a whole number of turns.
NO_WHOLE = """
Lemma no_whole (t : nat) (p q z : Z) :
  (0 < q)%Z -> (Z.of_nat t * p mod (2 * q) <> 0)%Z -> INR t * (IZR p / IZR q * PI) <> 2 * IZR z * PI.
Proof.
move=> /IZR_lt q0 rest e; apply: rest; have pi0 := PI_RGT_0.
have /eq_IZR -> : IZR (Z.of_nat t * p) = IZR (z * (2 * q)); last exact: Z_mod_mult.
rewrite !mult_IZR -INR_IZR_INZ; apply: (Rmult_eq_reg_r (PI / IZR q)).
  by transitivity (INR t * (IZR p / IZR q * PI)); [|rewrite e]; field; lra.
by apply: Rgt_not_eq; apply: Rdiv_lt_0_compat; lra.
Qed.
"""


def letter(name: str, letters: int) -> str:
    return place(LETTERS.index(name), letters)


def half(part: Any, letters: int) -> str:
    """A letter or an integer, as `'I_letters + nat`."""
    kind = f"'I_{letters} + nat"
    return f"(inl {letter(part, letters)} : {kind})" if isinstance(part, str) else f"(inr {part}%N : {kind})"


def token(given: Any, letters: int) -> str:
    if isinstance(given, tuple):
        return f"({letter(given[0], letters)}, {half(given[1], letters)})"
    return half(given, letters)


def sequence(tokens: Iterable[Any], letters: int = 3) -> str:
    """Tokens as a function of the place, which is the first one beyond the end."""
    words = [token(each, letters) for each in tokens]
    return f"(nth {words[0]} [:: {'; '.join(words)}])"


def all_of(parts: Iterable[str]) -> str:
    return " /\\ ".join(parts)


def conjunction(proofs: Iterable[str]) -> str:
    """The proof of all, from proofs of each."""
    first, *rest = proofs
    return f"(conj {first} {conjunction(rest)})" if rest else first
