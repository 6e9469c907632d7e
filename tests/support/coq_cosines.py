"""Sums of cosines in Coq's words, with their values where they are rational and rational bounds elsewhere."""

from __future__ import annotations

from fractions import Fraction

from coq_angles import angle
from coq_words import real

from headproof.theory.angles import Angle, reduced
from headproof.theory.cosine_sums import Sum, collected

EXACT = {
    Fraction(0): ("1", "cos_0", "0"),
    Fraction(1, 3): ("1 / 2", "cos_PI3", "PI / 3"),
    Fraction(1, 2): ("0", "cos_PI2", "PI / 2"),
}
PI_LOW, PI_HIGH = Fraction(31415, 10000), Fraction(31416, 10000)
PI = f"have pi : {real(PI_LOW)} < PI < {real(PI_HIGH)}; first (have := PI_2_3_7_ineq 2; "
PI += "rewrite /tg_alt /PI_2_3_7_tg /Ratan_seq /=; lra). "
HALF_TURN = Angle(Fraction(1, 2))


def total(value: Sum) -> str:
    """A sum of cosines."""
    return "(" + " + ".join(f"{real(factor)} * cos {angle(each)}" for factor, each in value) + ")"


def taylor(x: Fraction) -> str:
    """The cosine of a rational number between polynomials."""
    return (
        f"have := @cos_bound {real(x)} 1 ltac:(lra) ltac:(lra); rewrite /cos_approx /cos_term; "
        "cbn [sum_f_R0 Nat.mul Nat.add]; rewrite !INR_IZR_INZ; "
        "do 5? match goal with |- context [Z.of_nat (fact ?k)] => "
        "let v := eval vm_compute in (Z.of_nat (fact k)) in rewrite (_ : Z.of_nat (fact k) = v); "
        "last by vm_compute end"
    )


def enclosed(acute: Angle) -> tuple[str, str]:
    """Rational bounds on the cosine of an acute angle, as `{low} <= ... <= {high}`, and their proof."""
    value, room = Fraction(str(round(float(acute.cos().mid()), 6))), Fraction(1, 500)
    ends = [acute.turns * (PI_LOW if low == (acute.turns > 0) else PI_HIGH) + acute.radians for low in (True, False)]
    falls = " ".join(["ltac:(lra)"] * 5)
    proof = (
        f"have := @cos_decr_1 {real(ends[0])} {angle(acute)} {falls}; "
        f"have := @cos_decr_1 {angle(acute)} {real(ends[1])} {falls}; {taylor(ends[1])}; {taylor(ends[0])}; lra"
    )
    return f"{real(value - room)} <= {{}} <= {real(value + room)}", proof


def cosine(name: str, argument: str, theta: Angle, subject: str = "") -> str:
    """A fact about `cos argument`, an angle that Python knows as `theta`: its value, or rational bounds on it.

    `subject` is a word for the same cosine that unfolds to it.
    """
    folded = reduced(theta)
    blunt = (folded - HALF_TURN).is_positive
    acute = Angle(Fraction(1)) - folded if blunt else folded
    back = -1 if folded.radians != theta.radians or (folded.turns - theta.turns) % 2 else 1
    turns = (folded * back - theta).turns / 2
    assert turns.denominator == 1
    moved = f"({argument}) + 2 * PI * ({turns})"
    unfold = "/omega /left_back /wanted /x" if subject else "/omega"
    fold = (
        f"rewrite -(cos_turns ({argument}) ({turns})) {f'-(cos_neg ({moved}))' if back < 0 else ''} "
        f"{'-Rtrigo_facts.cos_pi_minus' if blunt else ''}; congr cos; rewrite {unfold} /=; "
        "first [lra | field; lra | field]"
    )
    same = f"have e : cos ({argument}) = {'-' if blunt else ''} cos {angle(acute)}; first ({fold})"
    if acute.radians == 0 and acute.turns in EXACT:
        value, lemma, argument_of = EXACT[acute.turns]
        bounds, proof = f"{{}} = {value}", f"rewrite (_ : {angle(acute)} = {argument_of}) ?{lemma}; lra"
        form = f"{{}} = - ({value})" if blunt else bounds
    else:
        bounds, proof = enclosed(acute)
        low, high = bounds.split(" <= {} <= ")
        form = f"- {high} <= {{}} <= - {low}" if blunt else bounds
    value_of = f"have b : {bounds.format(f'cos {angle(acute)}')}; first ({proof})"
    to_show = form.format(f"cos ({argument})")
    stated = form.format(subject or f"cos ({argument})")
    return f"have {name} : {stated}; first (change ({to_show}); {same}; {value_of}; lra). "


def terms(value: Sum) -> str:
    """A fact about each cosine of a sum."""
    return "".join(cosine(f"v{number}", angle(each), each) for number, (_, each) in enumerate(value))


def exact(value: Sum) -> Fraction | None:
    """The value where every cosine is rational."""
    found = Fraction(0)
    for factor, each in collected(value):
        turns = reduced(each).turns
        acute = min(turns, 1 - turns)
        if each.radians or acute not in EXACT:
            return None
        found += factor * Fraction(EXACT[acute][0].replace(" ", "")) * (-1 if turns > acute else 1)
    return found
