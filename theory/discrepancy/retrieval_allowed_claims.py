"""The claims about remark 3.2 of DYN for the angles that theorem 3.2 allows, one for each reading of the discrepancy.

"Stays away from 0" says that there is a positive number, the same for all `n0`, below which the discrepancy never
falls. A case carries the candidate, `bound`; that no candidate will do is a claim of its own, with a proof.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import cos

from headproof.theory.angles import ball, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.cosine_sums import ONE, ZERO, Sum, compare, cosine, minus
from headproof.theory.derivation import Entailments
from headproof.theory.discrepancy import (
    BoundCase,
    RetrievalCase,
    best_wrong_letter,
    largest_gap,
    smallest_wrong_gap,
)
from headproof.theory.discrepancy.index_proofs import n, theta
from headproof.theory.discrepancy.retrieval_allowed_proofs import (
    PROOF_OF_ABOVE_EVEN,
    PROOF_OF_ABOVE_ODD,
    PROOF_OF_HALF_LETTER,
    PROOF_OF_RANGE,
    PROOF_OF_VANISHES,
    above,
    half_letter,
    in_range,
    vanishes,
)
from headproof.theory.discrepancy.retrieval_gap_claims import ALLOWED, EVEN, NONNEGATIVE, ODD, POSITIVE, WITHIN
from headproof.theory.discrepancy.retrieval_gap_proofs import omega
from headproof.theory.discrepancy.retrieval_largest_proofs import PROOF_OF_WORST_EVEN, PROOF_OF_WORST_ODD, worst
from headproof.theory.discrepancy.retrieval_remark_claims import REMARK, infimum
from headproof.theory.discrepancy.retrieval_remark_proofs import N
from headproof.theory.proof import Proof

TWICE_ALLOWED = Premise("allowed", "theta < omega / n0", lambda case: (case.omega - case.theta * case.n0).is_positive)
FURTHER = Premise("within n0", "n <= 2 n0 + 1", lambda case: case.n <= 2 * case.n0 + 1)


def constant(number: Fraction) -> Sum:
    """A rational number."""
    return ((number, ZERO),)


# -- the definition as printed -------------------------------------------------------------------------------------


def _defined(least: Fraction = Fraction(1), length: Premise = WITHIN, angle: Premise = ALLOWED) -> Statement:
    range_part = in_range(N + 1 if length is FURTHER else 0, 2 if angle is ALLOWED else 1)
    parts = (range_part, worst(0, EVEN), worst(1, ODD), above(0, EVEN, least), above(1, ODD, least))
    return Statement(
        RetrievalCase,
        (NONNEGATIVE, angle, length),
        lambda case: compare(largest_gap(case), constant(least)) > 0,
        Entailments(parts),
    )


definition = Claim(
    id="dyn.thm3.2.symbolic-stays.allowed-angles.definition",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Remark 3.2 for the allowed angles and 0, the discrepancy as defined",
    source=REMARK,
    latex=r"0 \le \theta < \omega/(2n_0),\ n \le n_0 \Rightarrow \Delta_{\mathrm{Retrieval}}(n) > 1",
    sentence="For every n0, 0 <= theta < omega / (2 n0) and n <= n0 the largest gap over the proper inputs of length n "
    "between the largest and the second-largest logit is above 1.",
    domain="two letters or more, 0 and every angle that the print allows, 2 <= n <= n0, every proper input",
    statement=_defined(),
    proof=Proof((PROOF_OF_RANGE, PROOF_OF_WORST_EVEN, PROOF_OF_WORST_ODD, PROOF_OF_ABOVE_EVEN, PROOF_OF_ABOVE_ODD)),
    mutants=(
        Mutant("more", "above 3/2", _defined(Fraction(3, 2))),
        Mutant("further", "n <= 2 n0 + 1", _defined(length=FURTHER)),
        Mutant("twice the angle", "theta < omega / n0", _defined(angle=TWICE_ALLOWED)),
    ),
    remarks=(
        "The remark is printed in words, without a number. The exact value is 1 + cos((n - 1) theta) for an even "
        "number of letters and 1 + cos(omega / 2 - theta) for an odd one (dyn.def3.1.retrieval.largest); at theta = 0 "
        "that is 2 and 1 + cos(omega / 2), at every length.",
        "For 2 letters, n = n0 and theta near omega / (2 n0) the value is near 1 for large n0, so no larger number "
        "will do. It says little about the answer: the input that has it is one whose query attends to itself.",
    ),
)

# -- the best wrong letter -----------------------------------------------------------------------------------------


def _half_letter(share: Fraction = Fraction(1, 2), length: Premise = WITHIN, angle: Premise = ALLOWED) -> Statement:
    part = half_letter(
        1 - cos(omega * share.numerator / share.denominator),
        N + 1 if length is FURTHER else 0,
        2 if angle is ALLOWED else 1,
    )
    return Statement(
        RetrievalCase,
        (NONNEGATIVE, angle, length),
        lambda case: compare(best_wrong_letter(case), minus(ONE, cosine(case.omega * share))) > 0,
        Entailments((part,)),
    )


wrong_letter = Claim(
    id="dyn.thm3.2.symbolic-stays.allowed-angles.best-wrong-letter",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Remark 3.2 for the allowed angles and 0, one minus the best wrong letter at any place",
    source=REMARK,
    latex=r"0 \le \theta < \omega/(2n_0),\ n \le n_0 \Rightarrow "
    r"1 - \max_{d \ne 0,\ 0 \le t \le n-1} \cos(d\omega + t\theta) > 1 - \cos(\omega/2)",
    sentence="For every n0, 0 <= theta < omega / (2 n0) and n <= n0 one minus the largest logit that a wrong letter "
    "can have at one of n places, present or not, is above 1 - cos(omega / 2).",
    domain="two letters or more, 0 and every angle that the print allows, 2 <= n <= n0",
    statement=_half_letter(),
    proof=Proof((PROOF_OF_HALF_LETTER,)),
    mutants=(
        Mutant("a letter", "1 - cos omega", _half_letter(Fraction(1))),
        Mutant("further", "n <= 2 n0 + 1", _half_letter(length=FURTHER)),
        Mutant("twice the angle", "theta < omega / n0", _half_letter(angle=TWICE_ALLOWED)),
    ),
    remarks=(
        "The exact value is 1 - cos(omega - (n - 1) theta) (dyn.def3.1.retrieval.best-wrong-letter). The bound depends "
        "on the letters alone; it is the limit as theta nears omega / (2 n0) at n = n0 for large n0.",
    ),
)

# -- the lead of the match -----------------------------------------------------------------------------------------

CANDIDATE = Premise(
    "candidate",
    "0 < bound < 1 - cos omega",
    lambda case: case.bound > 0 and compare(minus(ONE, cosine(case.omega)), constant(case.bound)) > 0,
)
FULL_LENGTH = Premise("length", "n = n0", lambda case: case.n == case.n0)


def _at_edge(case: BoundCase) -> bool:
    beyond = (case.theta * (2 * case.n0 + 1) - case.omega).is_nonnegative
    return beyond and (case.omega - case.theta * (2 * case.n0)).is_positive


EDGE = Premise("edge", "omega / (2 n0 + 1) <= theta < omega / (2 n0)", _at_edge)


def _large(times: int) -> Premise:
    def holds(case: BoundCase) -> bool:
        return sign(lambda: ball(case.bound) * case.n0 - times * case.omega.enclosure()) >= 0

    return Premise("bound", f"bound n0 >= {'' if times == 1 else f'{times} '}omega", holds)


def _falls_below(
    times: int = 2,
    angle: Premise = EDGE,
    edge: Any = (2 * n + 1) * theta,
    length: Premise = FULL_LENGTH,
    place: Any = n,
) -> Statement:
    return Statement(
        BoundCase,
        (length, angle, _large(times)),
        lambda case: compare(smallest_wrong_gap(case), constant(case.bound)) < 0,
        Entailments((vanishes(times, edge, place),)),
    )


no_constant = Claim(
    id="dyn.thm3.2.symbolic-stays.allowed-angles.no-constant",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval: no positive number bounds the lead of the match for all n0",
    source=REMARK,
    latex=r"n = n_0,\ \omega/(2n_0+1) \le \theta < \omega/(2n_0) \Rightarrow "
    r"\min(\lambda_{\text{match}} - \lambda_{\text{wrong}}) < 2\omega/n_0",
    sentence="For n = n0 and omega / (2 n0 + 1) <= theta < omega / (2 n0) the smallest lead of a match over a key of a "
    "wrong letter is below every number from 2 omega / n0 on. So whatever positive number one names, the lead falls "
    "below it at an angle that the print allows, as soon as n0 is at least 2 omega over that number.",
    domain="two letters or more, every n0 >= 2, every angle in that range, every bound, every proper input",
    statement=_falls_below(),
    proof=Proof((PROOF_OF_VANISHES,)),
    mutants=(
        Mutant("halved", "omega / n0", _falls_below(1)),
        Mutant("any angle", "0 <= theta < omega / (2 n0)",
               _falls_below(angle=Premise("edge", "0 <= theta < omega / (2 n0)",
                                          lambda case: NONNEGATIVE.holds(case) and ALLOWED.holds(case)),
                            edge=omega + theta)),
        Mutant("one place less", "n = n0 - 1",
               _falls_below(length=Premise("length", "n = n0 - 1", lambda case: case.n == case.n0 - 1), place=n - 1)),
    ),
    remarks=(
        "The angle omega / (2 n0 + 1) is allowed at every n0. The rate 1 / n0 is exact "
        "(dyn.thm3.2.symbolic-stays.allowed-angles.infimum).",
    ),
)  # fmt: skip
lead = Claim(
    id="dyn.thm3.2.symbolic-stays.allowed-angles",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Remark 3.2 for the allowed angles, read as the lead of the match",
    source=REMARK,
    latex=r"\exists c > 0\ \forall n_0,\ 0 < \theta < \omega/(2n_0),\ n \le n_0:\ "
    r"\min(\lambda_{\text{match}} - \lambda_{\text{wrong}}) \ge c",
    sentence="There is a positive number, the same for all n0, that the smallest lead of a match over a key of a wrong "
    "letter never falls below, at any 0 < theta < omega / (2 n0) and n <= n0.",
    domain="two letters or more, every angle that the print allows, 2 <= n <= n0, every proper input; a case carries "
    f"one candidate for the number, and {no_constant.id} has a counterexample for every one",
    statement=Statement(
        BoundCase,
        (CANDIDATE, POSITIVE, ALLOWED, WITHIN),
        lambda case: compare(smallest_wrong_gap(case), constant(case.bound)) >= 0,
    ),
    repair=no_constant.id,
    survives="a positive lead at each n0, above the value of "
    f"{infimum.id}, which falls as 1 / n0; and the remark under the printed definition and for the best wrong letter "
    "(dyn.thm3.2.symbolic-stays.allowed-angles.definition, .best-wrong-letter)",
    remarks=(
        "A candidate is below 1 - cos omega, which the lead nears from below as theta nears 0. One case refutes its "
        f"own candidate alone; {no_constant.id} refutes every one, at n = n0 from 2 omega / bound on and "
        "theta = omega / (2 n0 + 1).",
        "By hand: 3 letters, bound = 1, n = n0 = 3, theta = pi / 10: cos(pi / 10) - cos(2 pi / 3 - pi / 5) = 0.847.",
    ),
)

ALLOWED_CLAIMS = (definition, wrong_letter, lead, no_constant)
