"""The claims about one plane on partial induction with its phases set ahead (beside DEC, theorem 6, its table)."""

from __future__ import annotations

from fractions import Fraction

from sympy import pi

from headproof.theory.angles import Angle, between
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailments, at_least, greater
from headproof.theory.expressivity.plane_ahead_proofs import (
    PROOF_OF_AHEAD_LATER,
    PROOF_OF_AHEAD_WRONG,
    PROOF_OF_WIDTH,
    ahead_later,
    ahead_wrong_loses,
    width,
)
from headproof.theory.expressivity.plane_binding_claims import LARGE
from headproof.theory.expressivity.plane_binding_proofs import T, theta, w, x
from headproof.theory.expressivity.plane_bindings import (
    computes_induction_ahead,
)
from headproof.theory.expressivity.plane_heads import PhaseCase
from headproof.theory.expressivity.plane_limit_claims import COPIES, ONE_PLANE
from headproof.theory.expressivity.plane_limit_proofs import PROOF_OF_STRAIGHT, straight
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
    sentence="Under hard attention, with S symbols, omega = 2 pi / S, and e a quarter of omega - (2T - 4) theta, the "
    "head of one plane in which the symbol number p from the query's has the logit cos((t - 3/2) theta + e + p "
    "omega), t steps back, is right on every partial induction input of T keys if theta is above 0 and (2T - 4) theta "
    "and (T - 1) theta are below omega.",
    domain="every angle above 0 in the range, every S and T, every number of attributes; the query's own key at -1; "
    "hard attention, ties averaged",
    statement=_ahead(),
    proof=Proof((PROOF_OF_AHEAD_LATER, PROOF_OF_AHEAD_WRONG)),
    mutants=(
        Mutant("wider", "(2T - 5) theta < omega", _ahead(order=5)),
        Mutant("fewer places", "(T - 2) theta < omega", _ahead(width=2)),
        Mutant("no angle", "theta >= 0", _ahead(least=">=")),
    ),
    remarks=(
        "The first phases lie as near to the top as their order allows. The second condition bites at T = 2 alone. "
        "With two symbols the range is all that any head of one plane can have whose VAL is the identity and F the "
        "projection (dec.thm6.one-plane.outer).",
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
    title="With two symbols, exactly the angles at which one plane that copies pairs can compute partial induction",
    source=ONE_PLANE,
    latex=r"S = 2,\ 0 \le \theta \le \pi:\quad \text{right on every input} \iff T = 1\ \text{or}\ "
    r"0 < \max(2T - 4, T - 1)\,\theta < \pi",
    sentence="Under hard attention, with two symbols, two attributes or more and 0 <= theta <= pi, the head of "
    "dec.thm6.one-plane.inner is right on every partial induction input of T keys if and only if T = 1, or theta is "
    "above 0 and (2T - 4) theta and (T - 1) theta are below pi; and at no other angle from 0 to pi is any head of one "
    "plane right whose VAL is the identity on one-hot pairs and whose F is the projection to the attributes.",
    domain="every real theta from 0 to pi, every T, two attributes or more; hard attention, ties averaged; that no "
    f"other head ({COPIES}) is right elsewhere is part of the proof, not of the search",
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

PLANE_AHEAD_CLAIMS = (inner_induction, two_symbols)
