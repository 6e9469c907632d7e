"""The claims about every head of one plane on Retrieval and partial induction (beside DEC, theorems 5 and 6)."""

from __future__ import annotations

from fractions import Fraction

from sympy import Rational, pi

from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailments, at_least, greater
from headproof.theory.expressivity.plane_ahead_proofs import (
    PROOF_OF_AHEAD_LATER,
    PROOF_OF_AHEAD_WRONG,
    PROOF_OF_WIDTH,
    ahead_later,
    ahead_wrong_loses,
    width,
)
from headproof.theory.expressivity.plane_binding_claims import LARGE, THEOREM_5, TWO_ATTRIBUTES
from headproof.theory.expressivity.plane_binding_proofs import T, theta, w, x
from headproof.theory.expressivity.plane_bindings import (
    PlaneBindingCase,
    PlanePairCase,
    computes_induction_ahead,
    computes_pairs_anyhow,
)
from headproof.theory.expressivity.plane_heads import PhaseCase
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
from headproof.theory.proof import Proof
from headproof.theory.shapes import between, reduced

ONE_PLANE = Source("DEC", "table of experiments on partial induction, row of one RoPE angle")


def _reaches(theta: Angle, steps: int, end: Fraction) -> bool:
    """Whether `steps |theta| >= end pi`."""
    return steps > 0 and not between(theta * steps, -end, end)


# -- Retrieval -----------------------------------------------------------------------------------------------------


def _too_wide(less: int = 1, end: Fraction = Fraction(1), modulo: bool = True, attributes: int = 2) -> Statement:
    """No head is right where `(T - less) |theta| >= end pi`, theta reduced if `modulo`."""

    def wide(case: PlanePairCase) -> bool:
        return _reaches(reduced(case.theta) if modulo else case.theta, case.length - 1 - less, end)

    premises = [Premise("too wide", f"(T - {less}) |theta| >= {end} pi{' for the reduced theta' * modulo}", wide)]
    premises += [TWO_ATTRIBUTES] * (attributes == 2)
    turns = Rational(end.numerator, end.denominator)
    at_most = greater(pi, 2 * x) if modulo else greater(LARGE, x)
    form = Entailments((too_wide((T - less) * 2 * x - turns * pi, attributes, at_most), straight(), average()))
    return Statement(
        PlaneBindingCase, tuple(premises), lambda case: not computes_pairs_anyhow(case, repeated=False), form
    )


outer_retrieval = Claim(
    id="dec.thm5.one-plane.outer",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head of one plane computes Retrieval once its places span half a turn",
    source=THEOREM_5,
    latex=r"(T - 1)\,|\theta| \ge \pi,\ |\theta| \le \pi\ \Rightarrow\ "
    r"\text{no choice of keys and queries is right on every Retrieval input}",
    sentence="Let theta be reduced to |theta| <= pi. If (T - 1) |theta| >= pi, then no head of one plane with this "
    "angle, whatever its key vector for each pair and its query vector for each symbol, is right on every Retrieval "
    "input of T keys with two attributes or more.",
    domain="every real angle, every T and S >= T, all key and query vectors, any logit of the query's own key; the "
    "search draws rational vectors in the frame of the middle of the places",
    statement=_too_wide(),
    proof=Proof((PROOF_OF_TOO_WIDE, PROOF_OF_STRAIGHT, PROOF_OF_AVERAGE)),
    mutants=(
        Mutant("one place more", "T |theta| >= pi", _too_wide(0)),
        Mutant("a quarter turn", "(T - 1) |theta| >= pi / 2", _too_wide(end=Fraction(1, 2))),
        Mutant("any turn", "theta itself, not reduced", _too_wide(modulo=False)),
        Mutant("one attribute", "one attribute or more", _too_wide(attributes=1)),
    ),
    remarks=(
        "With two symbols this is sharp: dec.thm5.one-plane.polygon is right for (T - 1) |theta| < pi. For S >= 3 "
        "symbols the polygon reaches 2 pi / S and this bound pi; between the two the claims here say nothing.",
        "At theta = 1, RoPE's highest frequency, no head of one plane computes Retrieval at n = 6 or longer.",
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
            f"T >= 2, and the reduced theta is 0 or pi or (2T - {less}) |theta| >= {end} pi",
            wide,
        )
    ]
    premises += [TWO_ATTRIBUTES] * (attributes == 2)
    premises += [TWO_SYMBOLS] * (symbols == 2)
    turns = Rational(end.numerator, end.denominator)
    reach = ((2 * T - less) * 2 * x - turns * pi) / 2
    form = Entailments((turn(reach, symbols, attributes), both_ways(), straight(), still(symbols), average()))
    return Statement(PlanePairCase, tuple(premises), lambda case: not computes_pairs_anyhow(case, repeated=True), form)


outer_induction = Claim(
    id="dec.thm6.one-plane.outer",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head of one plane computes partial induction once its places but two span a quarter turn",
    source=ONE_PLANE,
    latex=r"T \ge 2,\ \theta = 0\ \text{or}\ |\theta| = \pi\ \text{or}\ (T - 2)\,|\theta| \ge \pi/2\ \Rightarrow\ "
    r"\text{no choice of keys and queries is right on every input}",
    sentence="Let theta be reduced to |theta| <= pi, and let there be two keys, symbols and attributes or more. If "
    "theta is 0 or pi in size, or (T - 2) |theta| >= pi / 2, then no head of one plane with this angle is right on "
    "every partial induction input of T keys, whatever its key vector for each pair and its query vector for each "
    "symbol.",
    domain="every real angle, every T >= 2 and S >= 2, all key and query vectors, any logit of the query's own key; "
    "the search draws rational vectors in the frame of the middle of the places",
    statement=_out_of_order(),
    proof=Proof((PROOF_OF_TURN, PROOF_OF_BOTH_WAYS, PROOF_OF_STRAIGHT, PROOF_OF_STILL, PROOF_OF_AVERAGE)),
    mutants=(
        Mutant("half a place more", "(2T - 3) |theta| >= pi", _out_of_order(3)),
        Mutant("an eighth of a turn", "(2T - 4) |theta| >= pi / 2", _out_of_order(end=Fraction(1, 2))),
        Mutant("one symbol", "one symbol or more", _out_of_order(symbols=1)),
        Mutant("one attribute", "one attribute or more", _out_of_order(attributes=1)),
    ),
    remarks=(
        "With two symbols this is sharp: dec.thm6.one-plane.inner is right everywhere else. For S >= 3 symbols the "
        "construction there reaches omega / (2T - 4) = 2 pi / (S (2T - 4)), and between the two nothing is claimed; "
        "other heads do reach further than the polygon.",
    ),
)


def _ahead(order: int = 4, width: int = 1, least: str = ">") -> Statement:
    """Right where theta is above 0 and `(2T - order) theta` and `(T - width) theta` are below omega."""

    def ahead(case: PhaseCase) -> bool:
        keys, omega = case.length - 1, Fraction(2, case.symbols)
        return all(between(case.theta * steps, Fraction(-LARGE), omega) for steps in (2 * keys - order, keys - width))

    def positive(case: PhaseCase) -> bool:
        return between(case.theta, Fraction(0), Fraction(LARGE)) or (least == ">=" and case.theta == Angle(Fraction(0)))

    angle = greater(theta) if least == ">" else at_least(theta)
    rooms = 2 * w - (2 * T - order) * theta, 2 * w - (T - width) * theta
    return Statement(
        PhaseCase,
        (
            Premise("an angle", f"theta {least} 0", positive),
            Premise("in the range", f"(2T - {order}) theta and (T - {width}) theta are below omega", ahead),
        ),
        computes_induction_ahead,
        Entailments((ahead_later(*rooms, angle), ahead_wrong_loses(*rooms))),
    )


inner_induction = Claim(
    id="dec.thm6.one-plane.inner",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.OURS,
    title="With phases set ahead one angle computes partial induction up to omega / (2T - 4)",
    source=ONE_PLANE,
    latex=r"\lambda = \cos\bigl((t - \tfrac32)\theta + e + p\,\omega\bigr),\ 4e = \omega - (2T - 4)\theta,\ "
    r"0 < \theta,\ \max(2T - 4, T - 1)\,\theta < \omega\ \Rightarrow\ \text{right on every input}",
    sentence="With S symbols, omega = 2 pi / S, and e a quarter of omega - (2T - 4) theta, the head of one plane in "
    "which the symbol number p from the query's has the logit cos((t - 3/2) theta + e + p omega), t steps back, is "
    "right on every partial induction input of T keys if theta is above 0 and (2T - 4) theta and (T - 1) theta are "
    "below omega.",
    domain="every angle above 0 in the range, every S and T, every number of attributes; the query's own key at -1",
    statement=_ahead(),
    proof=Proof((PROOF_OF_AHEAD_LATER, PROOF_OF_AHEAD_WRONG)),
    mutants=(
        Mutant("wider", "(2T - 5) theta < omega", _ahead(order=5)),
        Mutant("fewer places", "(T - 2) theta < omega", _ahead(width=2)),
        Mutant("no angle", "theta >= 0", _ahead(least=">=")),
    ),
    remarks=(
        "The first phases lie as near to the top as their order allows. The second condition bites at T = 2 alone. "
        "With two symbols the range is all that any head of one plane can have (dec.thm6.one-plane.outer).",
    ),
)


def _within_half_a_turn(theta: Angle) -> bool:
    return between(theta, Fraction(0), Fraction(1)) or theta in (Angle(Fraction(0)), Angle(Fraction(1)))


def _two_symbols(less: int = 4, symbols: int = 2, small: bool = True, attributes: int = 2) -> Statement:
    """Right if and only if T = 1, or theta is above 0 and (2T - less) theta and (T - 1) theta are below pi."""

    def in_range(case: PhaseCase) -> bool:
        keys = case.length - 1
        steps = max(2 * keys - less, keys - 1)
        return keys == 1 or between(case.theta * steps, Fraction(0), Fraction(1))

    premises = [
        Premise("two symbols", f"there are {symbols} symbols", lambda case: case.symbols == symbols),
        Premise("two attributes", f"{attributes} or more", lambda case: case.attributes >= attributes),
    ]
    premises += [Premise("reduced", "0 <= theta <= pi", lambda case: _within_half_a_turn(case.theta))] * small
    rooms = 2 * w - (2 * T - less) * theta, 2 * w - (T - 1) * theta
    reach = ((2 * T - less) * 2 * x - pi) / 2
    form = Entailments(
        (
            ahead_later(*rooms),
            ahead_wrong_loses(*rooms),
            width(symbols),
            turn(reach, attributes=attributes, reduced=None if small else greater(LARGE, x)),
            both_ways(),
            straight(),
            still(),
            average(),
        )
    )
    return Statement(PhaseCase, tuple(premises), lambda case: computes_induction_ahead(case) == in_range(case), form)


two_symbols = Claim(
    id="dec.thm6.one-plane.two-symbols",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="With two symbols, exactly the angles at which one plane can compute partial induction",
    source=ONE_PLANE,
    latex=r"S = 2,\ 0 \le \theta \le \pi:\quad \text{right on every input} \iff T = 1\ \text{or}\ "
    r"0 < \max(2T - 4, T - 1)\,\theta < \pi",
    sentence="With two symbols, two attributes or more and 0 <= theta <= pi, the head of dec.thm6.one-plane.inner is "
    "right on every partial induction input of T keys if and only if T = 1, or theta is above 0 and (2T - 4) theta and "
    "(T - 1) theta are below pi; and at no other angle from 0 to pi any head of one plane is.",
    domain="every real theta from 0 to pi, every T, two attributes or more; that no other head is right elsewhere is "
    "part of the proof, not of the search",
    statement=_two_symbols(),
    proof=Proof(
        (
            PROOF_OF_AHEAD_LATER,
            PROOF_OF_AHEAD_WRONG,
            PROOF_OF_WIDTH,
            PROOF_OF_TURN,
            PROOF_OF_BOTH_WAYS,
            PROOF_OF_STRAIGHT,
            PROOF_OF_STILL,
            PROOF_OF_AVERAGE,
        )
    ),
    mutants=(
        Mutant("wider", "(2T - 5) theta < pi", _two_symbols(5)),
        Mutant("narrower", "(2T - 3) theta < pi", _two_symbols(3)),
        Mutant("three symbols", "the same with three symbols", _two_symbols(symbols=3)),
        Mutant("any angle", "no bounds on theta", _two_symbols(small=False)),
        Mutant("one attribute", "one attribute or more", _two_symbols(attributes=1)),
    ),
    remarks=(
        "Negative angles mirror positive ones with the phases mirrored. So the table's one angle is enough, and its "
        "range shrinks like pi / 2T.",
    ),
)

PLANE_LIMIT_CLAIMS = (outer_retrieval, outer_induction, inner_induction, two_symbols)
