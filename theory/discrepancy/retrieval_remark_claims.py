"""The claims about remark 3.2 of DYN: symbolic discrepancy stays away from 0."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Rational, cos

from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.cosine_sums import ONE, Sum, compare, cosine, minus, sign_of
from headproof.theory.derivation import Entailments
from headproof.theory.discrepancy import (
    RetrievalCase,
    best_wrong_letter,
    smallest_gap_with_ties,
    smallest_wrong_gap,
)
from headproof.theory.discrepancy.retrieval_gap_claims import ALLOWED, NONNEGATIVE, WITHIN
from headproof.theory.discrepancy.retrieval_gap_proofs import omega
from headproof.theory.discrepancy.retrieval_remark_proofs import (
    EDGE_VALUE,
    ONE_LETTER,
    PROOF_OF_AT_ZERO,
    PROOF_OF_EDGE,
    PROOF_OF_NEXT_LETTER,
    N,
    at_zero,
    e,
    edge,
    next_letter,
)
from headproof.theory.proof import Proof

REMARK = Source("DYN", "remark 3.2")
NO_ANGLE = Premise("no angle", "theta = 0", lambda case: case.theta == Angle(Fraction(0)))


def _one_letter(case: RetrievalCase, share: Fraction = Fraction(1)) -> Sum:
    """`1 - cos(share omega)`."""
    return minus(ONE, cosine(case.omega * share))


def _stays(symbolic: Any = ONE_LETTER, share: Fraction = Fraction(1)) -> Statement:
    def conclusion(case: RetrievalCase) -> bool:
        value = _one_letter(case, share)
        return compare(smallest_wrong_gap(case), value) == 0 == compare(best_wrong_letter(case), value)

    return Statement(RetrievalCase, (NO_ANGLE,), conclusion, Entailments((at_zero(symbolic), next_letter(symbolic))))


stays = Claim(
    id="dyn.thm3.2.symbolic-stays",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Remark 3.2: symbolic discrepancy stays away from 0, over wrong letters",
    source=REMARK,
    latex=r"\theta = 0 \Rightarrow \min (\lambda_{\text{match}} - \lambda_{\text{wrong}}) = 1 - \cos\omega\ "
    r"\text{at every length}",
    sentence="For theta = 0 the smallest lead of a match over a key of a wrong letter, and one minus the best wrong "
    "letter at any place, are 1 - cos omega at every length.",
    domain="two letters or more, every length n >= 2, every proper input with a wrong key",
    statement=_stays(),
    proof=Proof((PROOF_OF_AT_ZERO, PROOF_OF_NEXT_LETTER)),
    mutants=(
        Mutant("two letters off", "1 - cos(2 omega)", _stays(1 - cos(2 * omega), Fraction(2))),
        Mutant("half a letter off", "1 - cos(omega / 2)", _stays(1 - cos(omega / 2), Fraction(1, 2))),
        Mutant("three halves", "1 - cos(3 omega / 2)", _stays(1 - cos(3 * omega / 2), Fraction(3, 2))),
    ),
    remarks=(
        "The largest gap, the discrepancy as defined, is 2 or 1 + cos(omega / 2) at theta = 0, at every length too "
        "(dyn.def3.1.retrieval.largest). With |L| letters 1 - cos omega is about 2 pi^2 / |L|^2: it falls with the "
        "alphabet as the positional one does with the length.",
    ),
)
every_input = Claim(
    id="dyn.thm3.2.symbolic-stays.every-input",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Remark 3.2, a reading it does not name: for theta = 0 the two largest logits of every input stay apart",
    source=REMARK,
    latex=r"\theta = 0 \Rightarrow \min_{\text{inputs}} (\lambda_{(1)} - \lambda_{(2)}) > 0",
    sentence="For theta = 0 the largest logit of every proper input lies above the second-largest one.",
    domain="two letters or more, every length n >= 2, every proper input",
    statement=Statement(RetrievalCase, (NO_ANGLE,), lambda case: sign_of(smallest_gap_with_ties(case)) > 0),
    repair=stays.id,
    survives="the lead over keys of a wrong letter; copies of one token tie, which does no harm to the answer",
    remarks=(
        "By hand: the input (a,1) (a,1) is proper, and both its logits are 1.",
        "The paper names no such reading, the smallest gap over the inputs with ties counted; it is decided here so "
        "that nobody takes the remark for it.",
    ),
)


def _infimum(value: Any, symbolic: Any = EDGE_VALUE, share: Any = 2 * N) -> Statement:
    return Statement(
        RetrievalCase,
        (NONNEGATIVE, ALLOWED, WITHIN),
        lambda case: compare(smallest_wrong_gap(case), value(case)) > 0,
        Entailments((edge(symbolic, share),)),
    )


def _edge(case: RetrievalCase, step: int = 0, more: int = 0) -> Sum:
    """The smallest lead at length `n0 - step` and angle `omega / (2 n0 + more)`."""
    edge_angle = case.omega * Fraction(1, 2 * case.n0 + more)
    match, wrong = edge_angle * (case.n0 - 2 - step), case.omega - edge_angle * (case.n0 - 1 - step)
    return minus(cosine(match), cosine(wrong))


infimum = Claim(
    id="dyn.thm3.2.symbolic-stays.allowed-angles.infimum",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval: how small the lead over a wrong letter gets for the angles that the print allows",
    source=REMARK,
    latex=r"0 \le \theta < \omega/(2n_0),\ n \le n_0 \Rightarrow "
    r"\min(\lambda_{\text{match}} - \lambda_{\text{wrong}}) > "
    r"2\sin\left(\tfrac{\omega}{2} - \tfrac{\omega}{4n_0}\right)\sin\tfrac{3\omega}{4n_0}",
    sentence="For 0 <= theta < omega / (2 n0) and n <= n0 the smallest lead of a match over a key of a wrong letter "
    "is above 2 sin(omega / 2 - omega / (4 n0)) sin(3 omega / (4 n0)), its limit as theta nears omega / (2 n0) at "
    "n = n0.",
    domain="two letters or more, 0 and every angle that the print allows, 2 <= n <= n0, every proper input",
    statement=_infimum(_edge),
    proof=Proof((PROOF_OF_EDGE,)),
    mutants=(
        Mutant(
            "one place less",
            "the value at length n0 - 1",
            _infimum(lambda case: _edge(case, 1), cos((N - 3) * e) - cos(omega - (N - 2) * e)),
        ),
        Mutant(
            "smaller angle", "the edge omega / (2 n0 + 1)", _infimum(lambda case: _edge(case, 0, 1), share=2 * N + 1)
        ),
        Mutant(
            "half of what theta = 0 gives",
            "(1 - cos omega) / 2",
            Statement(
                RetrievalCase,
                (NONNEGATIVE, ALLOWED, WITHIN),
                lambda case: compare(smallest_wrong_gap(case) * 2, _one_letter(case)) > 0,
                Entailments((edge(Rational(1, 2) * ONE_LETTER),)),
            ),
        ),
    ),
    remarks=(
        "The value compared is that of dyn.def3.1.retrieval.smallest-lead, at length n and at n0.",
        "The limit is about (3 omega / 2) sin(omega / 2) / n0 for large n0: it falls as 1 / n0. A bound that stays "
        "away from 0 for all n0 needs an angle below a fixed smaller share of omega / (2 n0) "
        "(dyn.thm3.2.symbolic-stays.allowed-angles.no-constant).",
    ),
)
REMARK_CLAIMS = (stays, every_input, infimum)
