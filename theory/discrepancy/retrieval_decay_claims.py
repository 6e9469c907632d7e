"""The claims about remark 3.2 of DYN for the allowed angles, read as the smallest positive gap of lemma F.1.

A case carries a candidate for the number that the gap never falls below, as in `retrieval_allowed_claims`.
"""

from __future__ import annotations

from flint import arb

from headproof.theory.angles import ball, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.cosine_sums import ONE, compare, cosine, minus
from headproof.theory.derivation import Entailments
from headproof.theory.discrepancy import (
    BoundCase,
    smallest_positive_gap,
)
from headproof.theory.discrepancy.retrieval_allowed_claims import CANDIDATE, TWICE_ALLOWED, constant
from headproof.theory.discrepancy.retrieval_allowed_proofs import (
    PROOF_OF_SMALL,
    small,
)
from headproof.theory.discrepancy.retrieval_gap_claims import ALLOWED, NONNEGATIVE, POSITIVE, WITHIN
from headproof.theory.discrepancy.retrieval_remark_claims import REMARK
from headproof.theory.discrepancy.retrieval_remark_proofs import N
from headproof.theory.proof import Proof


def _square_bound(times: int, more: int) -> Premise:
    def holds(case: BoundCase) -> bool:
        def excess() -> arb:
            return times * ball(case.bound) * (case.n0 + more) ** 2 - case.omega.enclosure() ** 2

        return sign(excess) >= 0

    size = f"(n0 + {more})^2" if more else "n0^2"
    return Premise("bound", f"{times} bound {size} >= omega^2", holds)


def _small(times: int = 8, more: int = 0, angle: Premise = POSITIVE, range_: Premise = ALLOWED) -> Statement:
    def conclusion(case: BoundCase) -> bool:
        found = smallest_positive_gap(case)
        copies = minus(ONE, cosine(case.theta))
        return found is not None and compare(found, copies) <= 0 and compare(found, constant(case.bound)) < 0

    part = small(times, (N + more) ** 2, angle is POSITIVE, 2 if range_ is ALLOWED else 1)
    return Statement(BoundCase, (angle, range_, _square_bound(times, more)), conclusion, Entailments((part,)))


positive_decay = Claim(
    id="dyn.thm3.2.symbolic-stays.allowed-angles.smallest-positive.decay",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval: the smallest positive gap decays as 1 / n0^2 for the allowed angles",
    source=REMARK,
    latex=r"0 < \theta < \omega/(2n_0) \Rightarrow "
    r"\min_{> 0} (\lambda_{(1)} - \lambda) \le 1 - \cos\theta < \omega^2/(8n_0^2)",
    sentence="For 0 < theta < omega / (2 n0) the smallest positive difference between the largest logit and another "
    "one, over the proper inputs of any length n >= 2, is at most 1 - cos theta and below every number from "
    "omega^2 / (8 n0^2) on: the same rate as that of Index.",
    domain="two letters or more, every angle that the print allows, every length n >= 2, every bound and proper input",
    statement=_small(),
    proof=Proof((PROOF_OF_SMALL,)),
    mutants=(
        Mutant("halved", "omega^2 / (16 n0^2)", _small(16)),
        Mutant("next", "omega^2 / (8 (n0 + 1)^2)", _small(more=1)),
        Mutant("no angle", "theta >= 0", _small(angle=NONNEGATIVE)),
        Mutant("twice the angle", "theta < omega / n0", _small(range_=TWICE_ALLOWED)),
    ),
    remarks=(
        "A query that attends to itself beside copies of it has the logits 1 and cos theta. Such a gap says nothing "
        "about the answer, which copies share.",
    ),
)
positive = Claim(
    id="dyn.thm3.2.symbolic-stays.allowed-angles.smallest-positive",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Remark 3.2 for the allowed angles, read as the smallest positive gap",
    source=REMARK,
    latex=r"\exists c > 0\ \forall n_0,\ 0 < \theta < \omega/(2n_0),\ n \le n_0:\ "
    r"\min_{> 0} (\lambda_{(1)} - \lambda) \ge c",
    sentence="There is a positive number, the same for all n0, that the smallest positive difference between the "
    "largest logit and another one, as in lemma F.1, over the proper inputs of length n, never falls below, at any "
    "0 < theta < omega / (2 n0) and n <= n0.",
    domain="two letters or more, every angle that the print allows, 2 <= n <= n0, every proper input, copies of one "
    f"token allowed; a case carries one candidate for the number, and {positive_decay.id} has a counterexample for "
    "every one",
    statement=Statement(
        BoundCase,
        (CANDIDATE, POSITIVE, ALLOWED, WITHIN),
        lambda case: (found := smallest_positive_gap(case)) is None or compare(found, constant(case.bound)) >= 0,
    ),
    repair=positive_decay.id,
    survives="at theta = 0 the gap over keys of a wrong letter, 1 - cos omega; for the allowed angles nothing: the gap "
    "falls as 1 / n0^2 at least, like the positional one",
    remarks=(
        "By hand: 2 letters, n = n0 = 2, theta = 1/2, below pi / 4: (a,1) (a,1) has the logits 1 and cos(1/2), a gap "
        f"of 0.122, below bound = 1; {positive_decay.id} refutes every other bound, at n = n0 with "
        "8 bound n0^2 >= omega^2.",
    ),
)

DECAY_CLAIMS = (positive, positive_decay)
