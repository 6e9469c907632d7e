"""The claims about every head of one plane on Retrieval and partial induction (beside DEC, theorems 5 and 6)."""

from __future__ import annotations

from fractions import Fraction

from sympy import Rational, pi

from headproof.theory.angles import Angle, between, reduced
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailments, greater
from headproof.theory.expressivity.plane_binding_claims import LARGE, THEOREM_5, TWO_ATTRIBUTES
from headproof.theory.expressivity.plane_binding_proofs import T, x
from headproof.theory.expressivity.plane_index_claims import TWO_SYMBOLS
from headproof.theory.expressivity.plane_limit_proofs import PROOF_OF_STRAIGHT, PROOF_OF_TOO_WIDE, straight, too_wide
from headproof.theory.expressivity.plane_order_proofs import (
    PROOF_OF_AVERAGE,
    PROOF_OF_BOTH_WAYS,
    PROOF_OF_STILL,
    PROOF_OF_TURN,
    average,
    both_ways,
    still,
    turn,
)
from headproof.theory.expressivity.plane_pairs import (
    PlaneBindingCase,
    PlanePairCase,
    computes_pairs_anyhow,
    computes_retrieval_with_values,
)
from headproof.theory.expressivity.plane_reach_proofs import PROOF_OF_TURNED_BACK, turned_back
from headproof.theory.proof import Proof

# What a head writes down, where theorems 4 and 5 fix it: the printed conditions on values and output.
COPIES = "VAL the identity on one-hot pairs and F the projection to attributes"
ONE_PLANE = Source("DEC", "table of experiments on partial induction, row of one RoPE angle")


def _reaches(theta: Angle, steps: int, end: Fraction) -> bool:
    """Whether `steps |theta| >= end pi`."""
    return steps > 0 and not between(theta * steps, -end, end)


def _of_pi(share: Fraction) -> str:
    return "pi" if share == 1 else f"{share} pi"


copies = Premise("copies", f"{COPIES}, under hard attention", lambda case: not case.values)

# -- Retrieval -----------------------------------------------------------------------------------------------------


def _too_wide(less: int = 1, end: Fraction = Fraction(1), modulo: bool = True, attributes: int = 2) -> Statement:
    """No head is right where `(T - less) |theta| >= end pi`, theta reduced if `modulo`."""

    def wide(case: PlanePairCase) -> bool:
        return _reaches(reduced(case.theta) if modulo else case.theta, case.length - 1 - less, end)

    premises = [Premise("too wide", f"(T - {less}) |theta| >= {_of_pi(end)}{' for the reduced theta' * modulo}", wide)]
    premises += [TWO_ATTRIBUTES] * (attributes == 2) + [copies]
    turns = Rational(end.numerator, end.denominator)
    at_most = greater(pi, 2 * x) if modulo else greater(LARGE, x)
    reach = (T - less) * 2 * x - turns * pi
    form = Entailments((too_wide(reach, attributes, at_most), straight(), average(), turned_back()))
    return Statement(PlaneBindingCase, tuple(premises), lambda case: not computes_retrieval_with_values(case), form)


outer_retrieval = Claim(
    id="dec.thm5.one-plane.outer",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head of one plane that copies pairs computes Retrieval once its places span half a turn",
    source=THEOREM_5,
    latex=r"(T - 1)\,|\theta| \ge \pi,\ |\theta| \le \pi\ \Rightarrow\ "
    r"\text{with VAL the identity, F the projection, no keys and queries are right on every Retrieval input}",
    sentence="Let theta be reduced to |theta| <= pi, let VAL be the identity on one-hot pairs and F the projection to "
    "the attributes, with hard attention. If (T - 1) |theta| >= pi, then no such head of one plane with this angle, "
    "whatever its key vector for each pair and its query vector for each symbol, is right on every Retrieval input of "
    "T keys with two attributes or more.",
    domain=f"every real angle, every T and S >= T, all key and query vectors, any logit of the query's own key, "
    f"{COPIES}; hard attention, ties averaged",
    statement=_too_wide(),
    proof=Proof((PROOF_OF_TOO_WIDE, PROOF_OF_STRAIGHT, PROOF_OF_AVERAGE, PROOF_OF_TURNED_BACK)),
    mutants=(
        Mutant("one place more", "T |theta| >= pi", _too_wide(0)),
        Mutant("a quarter turn", "(T - 1) |theta| >= pi / 2", _too_wide(end=Fraction(1, 2))),
        Mutant("any turn", "theta itself, not reduced", _too_wide(modulo=False)),
        Mutant("one attribute", "one attribute or more", _too_wide(attributes=1)),
    ),
    remarks=(
        "With two symbols this is sharp: dec.thm5.one-plane.polygon is right for (T - 1) |theta| < pi; as T <= S, that "
        "is T = 2 (or 1) alone. For S >= 3 symbols the polygon reaches 2 pi / S and this bound pi; between the two the "
        "claims here say nothing.",
        "The conditions on VAL and F cannot be left out (dec.thm5.one-plane.any-values).",
        "At theta = 1, RoPE's highest frequency, no head of one plane with such VAL and F computes Retrieval at n = 6 "
        "or longer.",
    ),
)

# -- partial induction ---------------------------------------------------------------------------------------------


def _out_of_order(less: int = 4, end: Fraction = Fraction(1), attributes: int = 2, symbols: int = 2) -> Statement:
    """No head is right where the reduced theta is 0 (T >= 2), `(2T - less) |theta| >= end pi` or (T = 2) pi."""

    def wide(case: PlanePairCase) -> bool:
        angle, keys = reduced(case.theta), case.length - 1
        if keys < 2:
            return False
        if angle == Angle(Fraction(0)):
            return True
        return angle == Angle(Fraction(1)) or _reaches(angle, 2 * keys - less, end)

    premises = [
        Premise(
            "too wide or still",
            f"T >= 2, and the reduced theta is 0 or pi or (2T - {less}) |theta| >= {_of_pi(end)}",
            wide,
        )
    ]
    premises += [TWO_ATTRIBUTES] * (attributes == 2)
    premises += [TWO_SYMBOLS] * (symbols == 2)
    turns = Rational(end.numerator, end.denominator)
    reach = ((2 * T - less) * 2 * x - turns * pi) / 2
    form = Entailments(
        (turn(reach, symbols, attributes), both_ways(), straight(), still(symbols), average(), turned_back())
    )
    return Statement(PlanePairCase, tuple(premises), lambda case: not computes_pairs_anyhow(case, repeated=True), form)


outer_induction = Claim(
    id="dec.thm6.one-plane.outer",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head of one plane that copies pairs computes partial induction once its places but two span "
    "a quarter turn",
    source=ONE_PLANE,
    latex=r"T \ge 2,\ \theta = 0\ \text{or}\ |\theta| = \pi\ \text{or}\ (T - 2)\,|\theta| \ge \pi/2\ \Rightarrow\ "
    r"\text{with VAL the identity, F the projection, no keys and queries are right on every input}",
    sentence="Let theta be reduced to |theta| <= pi, let there be two keys, symbols and attributes or more, and let "
    "VAL be the identity on one-hot pairs and F the projection to the attributes, with hard attention. If theta is 0 "
    "or pi in size, or (T - 2) |theta| >= pi / 2, then no such head of one plane with this angle is right on every "
    "partial induction input of T keys, whatever its key vector for each pair and its query vector for each symbol.",
    domain=f"every real angle, every T >= 2 and S >= 2, all key and query vectors, any logit of the query's own key, "
    f"{COPIES}; hard attention, ties averaged",
    statement=_out_of_order(),
    proof=Proof(
        (
            PROOF_OF_TURN,
            PROOF_OF_BOTH_WAYS,
            PROOF_OF_STRAIGHT,
            PROOF_OF_STILL,
            PROOF_OF_AVERAGE,
            PROOF_OF_TURNED_BACK,
        )
    ),
    mutants=(
        Mutant("half a place more", "(2T - 3) |theta| >= pi", _out_of_order(3)),
        Mutant("an eighth of a turn", "(2T - 4) |theta| >= pi / 2", _out_of_order(end=Fraction(1, 2))),
        Mutant("one symbol", "one symbol or more", _out_of_order(symbols=1)),
        Mutant("one attribute", "one attribute or more", _out_of_order(attributes=1)),
    ),
    remarks=(
        "With two symbols this is sharp up to the sign and full turns: dec.thm6.one-plane.inner is right everywhere "
        "else. For S >= 3 symbols the "
        "construction there reaches omega / (2T - 4) = 2 pi / (S (2T - 4)), and between the two nothing is claimed; "
        "other heads do reach further than the polygon.",
        "Nothing is said of heads with other values or another F: with those one plane reaches further already on "
        "Retrieval (dec.thm5.one-plane.any-values).",
    ),
)


PLANE_LIMIT_CLAIMS = (outer_retrieval, outer_induction)
