"""Angles in Coq's words, and cosines that are rational, with their proofs."""

from __future__ import annotations

from fractions import Fraction

from coq_words import real

from headproof.theory.angles import Angle

# The cosine of so many times pi, Coq's words for that angle, and the lemma that says so.
COSINES = {
    Fraction(0): (Fraction(1), "0", "cos_0"),
    Fraction(1, 3): (Fraction(1, 2), "PI / 3", "cos_PI3"),
    Fraction(1, 2): (Fraction(0), "PI / 2", "cos_PI2"),
    Fraction(2, 3): (Fraction(-1, 2), "2 * (PI / 3)", "cos_2PI3"),
    Fraction(1): (Fraction(-1), "PI", "cos_PI"),
}
# The lemma by which a file leaves out whole turns, and how it writes an angle with `whole` of them.
TURNS = {
    "shapes": ("cos_turns", "IZR ({whole}) * (2 * PI) + {angle}"),
    "expressivity_planes": ("plane_cos_turns", "{angle} + 2 * IZR ({whole}) * PI"),
}


def angle(theta: Angle) -> str:
    """An angle as a real of Coq's."""
    if theta.radians == 0:
        return f"({real(theta.turns)} * PI)"
    return real(theta.radians) if theta.turns == 0 else f"({real(theta.turns)} * PI + {real(theta.radians)})"


def folded(turns: Fraction) -> tuple[int, int, Fraction]:
    """`turns = 2 z + s f` with `0 <= f <= 1` and `s = 1` or `-1`."""
    z = round(turns / 2)
    rest = turns - 2 * z
    return z, (1 if rest >= 0 else -1), abs(rest)


def cosine(file: str, turns: Fraction, unfold: str = "") -> tuple[Fraction, str]:
    """The cosine of so many times pi, and tactics that prove `cos X` to be it: X is this angle by field arithmetic
    when the words `unfold` are unfolded."""
    whole, sign, rest = folded(turns)
    value, shown, lemma = COSINES[rest]
    signed, even = (shown, "") if sign > 0 else (f"- ({shown})", " cos_neg")
    left_out, turned = TURNS[file]
    tactics = (
        f"transitivity (cos ({turned.format(whole=whole, angle=signed)})); "
        f"[congr cos; rewrite {unfold} /=; field | rewrite {left_out}{even} {lemma}; lra]"
    )
    return value, tactics
