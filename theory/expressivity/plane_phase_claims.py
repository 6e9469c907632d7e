"""The claims about one plane that keeps the symbol in the phase (beside DEC, theorems 5 and 6, its table, its toys)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from sympy import Rational, pi

from headproof.theory.angles import Angle, ball, between, lower_decimal, reduced, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.cosine_sums import value
from headproof.theory.derivation import Entailments, at_least
from headproof.theory.expressivity.plane_binding_claims import LARGE, THEOREM_5, TWO_ATTRIBUTES
from headproof.theory.expressivity.plane_binding_proofs import (
    PROOF_OF_FLAT,
    PROOF_OF_NO_LATER,
    PROOF_OF_REPEAT,
    T,
    flat,
    later_wins,
    no_later,
    repeats,
    theta,
    w,
    x,
)
from headproof.theory.expressivity.plane_bindings import (
    computes_induction_by_phase,
    computes_retrieval_by_phase,
    match_margin,
)
from headproof.theory.expressivity.plane_heads import BindingCase, PhaseCase
from headproof.theory.expressivity.plane_index_claims import TWO_KEYS, TWO_SYMBOLS
from headproof.theory.expressivity.plane_phase_proofs import (
    PROOF_OF_LATER_PHASE,
    PROOF_OF_MARGIN,
    PROOF_OF_PHASE_NO_WRONG,
    PROOF_OF_PHASE_WRONG,
    phase_no_wrong,
    phase_wrong_loses,
    small_margin,
)
from headproof.theory.expressivity.plane_polygon_proofs import (
    PROOF_OF_CENTRED,
    PROOF_OF_NO_CENTRED,
    centred_no_wrong,
    centred_wrong_loses,
)
from headproof.theory.proof import Proof

TABLE = Source("DEC", "table of experiments on partial induction, row of one RoPE angle")

# -- partial induction ---------------------------------------------------------------------------------------------


def _exact(step: int = -1, symbols_count: bool = True, full_turns: bool = True, symbols: int = 2) -> Statement:
    """Right if and only if T = 1 or `0 < (2T + step) theta < omega`."""

    def in_range(case: PhaseCase) -> bool:
        keys = case.length - 1
        if keys == 1:
            return True
        angle = reduced(case.theta) if full_turns else case.theta
        end = Fraction(2, 2 * keys + step) / (case.symbols if symbols_count else 1)
        return between(angle, Fraction(0), end)

    width = w if symbols_count else pi
    room, half_room = 2 * width - (2 * T + step) * theta, 2 * width - (2 * T + step) * 2 * x
    form = Entailments(
        (
            later_wins(room, symbols=1),
            phase_wrong_loses(room),
            no_later(pi - (2 * T - 1) * x, symbols),
            flat(symbols),
            phase_no_wrong(half_room, symbols),
            repeats(2 * pi if full_turns else 1),
        )
    )
    premises = (TWO_ATTRIBUTES, *((TWO_SYMBOLS,) if symbols == 2 else ()))
    return Statement(PhaseCase, premises, lambda case: computes_induction_by_phase(case) == in_range(case), form)


phase_range = Claim(
    id="dec.thm6.one-angle.range",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="One angle with the symbol in the phase computes partial induction exactly below omega / (2T - 1)",
    source=TABLE,
    latex=r"\lambda = \cos(t\theta + p\,\omega),\ \omega = 2\pi/S:\quad \text{right on every input} \iff "
    r"T = 1\ \text{or}\ \theta \bmod 2\pi \in \pm(0, \omega / (2T - 1))",
    sentence="Under hard attention, with S >= 2 symbols, omega = 2 pi / S, and two attributes or more, the head of "
    "one plane in which the symbol number p from the query's has the logit cos(t theta + p omega), t steps back, is "
    "right on every partial induction input of T keys if and only if T = 1, or theta, up to its sign and full turns, "
    "is above 0 and below omega / (2T - 1).",
    domain="every real angle, every S >= 2 and T, two attributes or more; the query's own key at -1; hard attention, "
    "ties averaged",
    statement=_exact(),
    proof=Proof(
        (
            PROOF_OF_LATER_PHASE,
            PROOF_OF_PHASE_WRONG,
            PROOF_OF_NO_LATER,
            PROOF_OF_FLAT,
            PROOF_OF_PHASE_NO_WRONG,
            PROOF_OF_REPEAT,
        )
    ),
    mutants=(
        Mutant("wider", "below omega / (2T - 2)", _exact(-2)),
        Mutant("narrower", "below omega / 2T", _exact(0)),
        Mutant("whatever the symbols", "below 2 pi / (2T - 1)", _exact(symbols_count=False)),
        Mutant("one symbol", "S >= 1", _exact(symbols=1)),
        Mutant("full turns count", "theta itself in the range", _exact(full_turns=False)),
    ),
    remarks=(
        "With one symbol the last match always stands right before the query, and only it has to lead.",
        "The construction is DYN's for Retrieval (theorem 3.1). Other phases reach further: "
        "dec.thm6.one-plane.inner and dec.thm6.one-plane.outer.",
    ),
)

one_angle = Claim(
    id="dec.thm6.one-angle",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A head with one RoPE angle does not compute partial induction",
    source=TABLE,
    latex=r"\text{no head of one plane is right on every partial induction input}",
    sentence="The table read as a statement about what heads can compute: with two symbols, two attributes and two "
    "keys or more, no head with one RoPE angle is right on every partial induction input under hard attention; here "
    "for the heads that keep the symbol in the phase, which is enough to refute it.",
    domain="every real angle, two symbols, attributes and keys or more; hard attention, ties averaged",
    statement=Statement(
        PhaseCase,
        (TWO_SYMBOLS, TWO_ATTRIBUTES, TWO_KEYS),
        lambda case: not computes_induction_by_phase(case),
    ),
    repair=phase_range.id,
    survives="such a head has a small range of angles and a lead below 3/2 (omega / (2T - 1))^2 "
    "(dec.thm6.one-angle.margin). That does not explain the table: the lead of the head with two angles falls like 1 "
    "/ (S T)^2 too, and by numeric optimisation two angles gain a factor below 10, with two symbols about 1 or less",
    remarks=(
        "Best leads on the polygon, with logits of at most 1 in size, by numeric optimisation (not proved): one angle "
        "(t theta alone; any common phase) against two angles: .71; 1.00 against .53 at S = T = 2; .39; .41 against "
        ".34 at S = 2, T = 3; .062; .088 against .086 at S = 2, T = 8; .0040; .0061 against .022 at S = T = 8. With "
        "two symbols one angle leads by about as much as two angles, or by more.",
    ),
)


def _margin(constant: Fraction = Fraction(3, 2), reach: int = 1) -> Statement:
    def edge(case: PhaseCase) -> Fraction:  # omega / (2T - 1), in units of pi
        return Fraction(2, case.symbols * (2 * case.length - 3))

    def holds(case: PhaseCase) -> bool:
        lead = match_margin(case)
        return lead is None or sign(lambda: _bound(constant, edge(case)) - value(lead)) > 0

    def ratio(case: PhaseCase) -> Fraction | None:
        lead = match_margin(case)
        return None if lead is None else lower_decimal(lambda: value(lead) / _bound(Fraction(3, 2), edge(case)))

    omegas = "omega" if reach == 1 else f"{reach} omega"
    premise = Premise(
        "in the range",
        f"theta, up to its sign and full turns, is above 0 and below {omegas} / (2T - 1)",
        lambda case: between(reduced(case.theta), Fraction(0), reach * edge(case)),
    )
    form = Entailments((small_margin(Rational(constant.numerator, constant.denominator), reach), repeats()))
    return Statement(PhaseCase, (premise,), holds, form, ratio)


def _bound(constant: Fraction, edge: Fraction) -> arb:
    return ball(constant) * (arb.pi() * ball(edge)) ** 2


margin = Claim(
    id="dec.thm6.one-angle.margin",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="With one angle the last match leads over an earlier one by less than 3/2 (omega / (2T - 1))^2",
    source=TABLE,
    latex=r"0 < \theta < \tfrac{\omega}{2T-1}\ \Rightarrow\ \min_{t < t'} \cos t\theta - \cos t'\theta "
    r"\le \cos\theta - \cos 2\theta < \tfrac32 \Bigl(\tfrac{\omega}{2T-1}\Bigr)^2",
    sentence="For every angle in the range of dec.thm6.one-angle.range the smallest lead of a match over an earlier "
    "match is below 3/2 (omega / (2T - 1))^2, where there are two keys.",
    domain="every angle in the range, every S and T",
    statement=_margin(),
    proof=Proof((PROOF_OF_MARGIN, PROOF_OF_REPEAT)),
    mutants=(
        Mutant("two thirds", "1 in place of 3/2", _margin(Fraction(1))),
        Mutant("half", "3/4 in place of 3/2", _margin(Fraction(3, 4))),
        Mutant("twice the range", "theta below 2 omega / (2T - 1)", _margin(reach=2)),
    ),
    witness=PhaseCase(Angle(Fraction(99, 9600)), 64, 1, 3),
)

# -- Retrieval -----------------------------------------------------------------------------------------------------

REDUCED = Premise(
    "reduced", "|theta| <= pi", lambda case: between(case.theta, Fraction(-1), Fraction(1)) or at_pi(case)
)


def at_pi(case: PhaseCase) -> bool:
    """Whether theta is pi or -pi."""
    return case.theta in (Angle(Fraction(1)), Angle(Fraction(-1)))


def _centred(less: int = 1, factor: int = 1, premises: tuple[Premise, ...] = (TWO_ATTRIBUTES, REDUCED)) -> Statement:
    """Right if and only if `(T - less) |theta| < omega / factor`."""

    def in_range(case: BindingCase) -> bool:
        end = Fraction(2, case.symbols * factor)
        return between(case.theta * (case.length - 1 - less), -end, end)

    room, half_room = 2 * w - factor * (T - less) * theta, 2 * w - factor * (T - less) * 2 * x
    at_most = at_least(pi, 2 * x) if REDUCED in premises else at_least(LARGE, x)
    form = Entailments((centred_wrong_loses(room), centred_no_wrong(half_room, at_most)))
    return Statement(BindingCase, premises, lambda case: computes_retrieval_by_phase(case) == in_range(case), form)


polygon = Claim(
    id="dec.thm5.one-plane.polygon",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="One plane with symbols on the polygon and centred phases computes Retrieval exactly for (T - 1) theta below "
    "omega",
    source=THEOREM_5,
    latex=r"\lambda = \cos\bigl((t - \tfrac{T+1}{2})\theta + p\,\omega\bigr):\quad \text{right on every input} \iff "
    r"(T - 1)\,|\theta| < \omega = 2\pi/S",
    sentence="Under hard attention, with S symbols on the regular polygon, omega = 2 pi / S, two attributes or more "
    "and |theta| <= pi, the head of one plane in which the symbol number p from the query's has the logit cos((t - (T "
    "+ 1) / 2) theta + p omega), t steps back, is right on every Retrieval input of T keys if and only if (T - 1) "
    "|theta| < omega.",
    domain="every real angle of at most pi in size, every T and S >= T, two attributes or more; the query's own key at "
    "-1; hard attention, ties averaged",
    statement=_centred(),
    proof=Proof((PROOF_OF_CENTRED, PROOF_OF_NO_CENTRED)),
    mutants=(
        Mutant("narrower", "T |theta| < omega", _centred(0)),
        Mutant("wider", "(T - 2) |theta| < omega", _centred(2)),
        Mutant("half", "(T - 1) |theta| < omega / 2", _centred(factor=2)),
        Mutant("any angle", "no bound on |theta|", _centred(premises=(TWO_ATTRIBUTES,))),
    ),
    remarks=(
        "For a negative theta exchange the places t and T + 1 - t. Each side of an equality case has a wrong key that "
        "ties. What other heads of one plane with VAL the identity and F the projection can do is bounded by "
        "dec.thm5.one-plane.outer.",
    ),
)

PLANE_PHASE_CLAIMS = (one_angle, phase_range, margin, polygon)
