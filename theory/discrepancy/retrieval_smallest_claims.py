"""The claims about the smallest gaps of the Retrieval construction (DYN, theorem 3.2, read as in lemma F.1)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Rational, cos

from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.cosine_sums import ONE, Sum, compare, cosine, minus, ratio
from headproof.theory.derivation import Entailments
from headproof.theory.discrepancy import RetrievalCase, smallest_positive_gap, smallest_wrong_gap
from headproof.theory.discrepancy.index_proofs import n, theta
from headproof.theory.discrepancy.retrieval_gap_claims import (
    ALLOWED,
    DEFINITION,
    NONNEGATIVE,
    POSITIVE,
    THEOREM,
    WITHIN,
    printed_bound,
    spans,
)
from headproof.theory.discrepancy.retrieval_gap_proofs import (
    LEAD_ROOM,
    PROOF_OF_LAST_MATCH,
    PROOF_OF_LEAST,
    PROOF_OF_NEAR_MATCH,
    last_match,
    least,
    near_match,
    omega,
)
from headproof.theory.discrepancy.retrieval_remark_proofs import PROOF_OF_TWO_COPIES, two_copies
from headproof.theory.proof import Proof

LEAD = spans(lambda case: 2 * case.n - 3, "(2 n - 3)")


def _exchange(case: RetrievalCase, match: int, wrong: int) -> Sum:
    """`cos((n - match) theta) - cos(omega - (n - wrong) theta)`."""
    return minus(cosine(case.theta * (case.n - match)), cosine(case.omega - case.theta * (case.n - wrong)))


def _smallest(match: int, wrong: int, room: Premise = LEAD, symbolic_room: Any = LEAD_ROOM) -> Statement:
    symbolic = cos((n - match) * theta) - cos(omega - (n - wrong) * theta)
    parts = (near_match(symbolic, symbolic_room), last_match(symbolic, symbolic_room), least(symbolic))
    return Statement(
        RetrievalCase,
        (NONNEGATIVE, room),
        lambda case: compare(smallest_wrong_gap(case), _exchange(case, match, wrong)) == 0,
        Entailments(parts),
    )


smallest_wrong = Claim(
    id="dyn.def3.1.retrieval.smallest-lead",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval: the smallest lead of the match over a wrong key, exactly",
    source=DEFINITION,
    latex=r"\min (\lambda_{\text{match}} - \lambda_{\text{wrong}}) = \cos((n-2)\theta) - \cos(\omega - (n-1)\theta) = "
    r"2\sin\tfrac{\omega-\theta}{2}\sin\tfrac{\omega-(2n-3)\theta}{2}",
    sentence="With theta >= 0 and (2 n - 3) theta <= omega the smallest difference, over the proper inputs of length "
    "n, between the match's logit and that of a key of a wrong letter is "
    "cos((n - 2) theta) - cos(omega - (n - 1) theta): the match one place before the last, the next letter last.",
    domain="two letters or more, every angle in the range, every length n >= 2, every proper input with a wrong key",
    statement=_smallest(2, 1),
    proof=Proof((PROOF_OF_NEAR_MATCH, PROOF_OF_LAST_MATCH, PROOF_OF_LEAST)),
    mutants=(
        Mutant("exchanged", "the match at the last place", _smallest(1, 2)),
        Mutant("one place", "both at the last place", _smallest(1, 1)),
        Mutant("as printed", "n theta", _smallest(2, 0)),
        Mutant(
            "wider range",
            "2 (n - 2) theta <= omega",
            _smallest(2, 1, spans(lambda case: 2 * (case.n - 2), "2 (n - 2)"), omega - 2 * (n - 2) * theta),
        ),
    ),
    remarks=(
        "The match and the wrong key never share a place, so their places add up to 2 n - 3 at most: at the end of "
        "this range the lead is 0. It holds for n <= n0 + 1 if theta < omega / (2 n0).",
    ),
)
smallest_wrong_printed = Claim(
    id="dyn.thm3.2.retrieval.smallest-lead",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Retrieval: the printed bound, the smallest lead of the match over a wrong key",
    source=THEOREM,
    latex=r"\min (\lambda_{\text{match}} - \lambda_{\text{wrong}}) \le 1 - \cos(\omega - n\theta)",
    sentence="With 0 < theta < omega / (2 n0) and n <= n0 the smallest difference, over the proper inputs of length "
    "n, between the match's logit and that of a key of a wrong letter is at most 1 - cos(omega - n theta).",
    domain="two letters or more, every angle that the print allows, 2 <= n <= n0, every proper input",
    statement=Statement(
        RetrievalCase,
        (POSITIVE, ALLOWED, WITHIN),
        lambda case: compare(smallest_wrong_gap(case), printed_bound(case)) <= 0,
    ),
    repair=smallest_wrong.id,
    survives="the bound with n - 1 in place of n",
    remarks=(
        "By hand: n = n0 = 2, 2 letters, theta = 1/2: the match 0 and the wrong key 1 place back differ by "
        "1 - cos(pi - 1/2) = 1.878, the other way round by cos(1/2) + 1 = 1.878; the printed bound is "
        "1 - cos(pi - 1) = 1.540.",
        "On one input this is the gap of lemma F.1 if only one key has the wanted left letter.",
    ),
)


def _copies(step: int = 0, bound: int = 0, factor: int = 1, strict: bool = False) -> Statement:
    """For `(n + 1 + step) theta <= omega`: factor * gap <= 1 - cos(omega - (n + bound) theta)."""

    def conclusion(case: RetrievalCase) -> bool:
        found = smallest_positive_gap(case)
        right = minus(ONE, cosine(case.omega - case.theta * (case.n + bound)))
        return found is not None and compare(found * factor, right) <= -int(strict)

    right = Rational(1, factor) * (1 - cos(omega - (n + bound) * theta))
    part = two_copies(right, omega - (n + 1 + step) * theta, strict)
    room = spans(lambda case: case.n + 1 + step, f"(n + {1 + step})" if step != -1 else "n")
    return Statement(
        RetrievalCase,
        (POSITIVE, room),
        conclusion,
        Entailments((part,)),
        lambda case: ratio(smallest_positive_gap(case) or (), printed_bound(case)),
    )


smallest_positive = Claim(
    id="dyn.thm3.2.retrieval.smallest-positive.within",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval: the printed bound on the smallest positive gap, within its range",
    source=THEOREM,
    latex=r"0 < (n+1)\theta \le \omega \Rightarrow "
    r"\min_{> 0} (\lambda_{(1)} - \lambda) \le 1 - \cos\theta \le 1 - \cos(\omega - n\theta)",
    sentence="With theta > 0 and (n + 1) theta <= omega, which holds for n <= n0 and theta < omega / (2 n0), the "
    "smallest positive difference between the largest logit and another one, over the proper inputs of length n, is "
    "at most 1 - cos(omega - n theta): copies of one token already differ by 1 - cos theta.",
    domain="two letters or more, every angle in the range, every length n >= 2, every proper input",
    statement=_copies(),
    proof=Proof((PROOF_OF_TWO_COPIES,)),
    mutants=(
        Mutant("further", "(n + 1) theta in the bound", _copies(bound=1)),
        Mutant("halved", "half the bound", _copies(factor=2)),
        Mutant("wider range", "n theta <= omega", _copies(step=-1)),
        Mutant("strict", "below the bound", _copies(strict=True)),
    ),
    witness=RetrievalCase(2, Angle(Fraction(1, 3)), 2, 2),
    remarks=(
        "This gap says nothing about letters: it lies between two copies of one token, which carry the same answer.",
    ),
)
smallest_positive_printed = Claim(
    id="dyn.thm3.2.retrieval.smallest-positive",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Retrieval: the printed bound for every n > 1, the smallest positive gap",
    source=THEOREM,
    latex=r"\min_{> 0} (\lambda_{(1)} - \lambda) \le 1 - \cos(\omega - n\theta)\quad (n > 1)",
    sentence="With 0 < theta < omega / (2 n0), for every length n > 1 as printed, the smallest positive difference "
    "between the largest logit and another one, as in lemma F.1, over the proper inputs of length n, is at most "
    "1 - cos(omega - n theta).",
    domain="two letters or more, every angle that the print allows, every length n >= 2, every proper input",
    statement=Statement(
        RetrievalCase,
        (POSITIVE, ALLOWED),
        lambda case: (found := smallest_positive_gap(case)) is None or compare(found, printed_bound(case)) <= 0,
    ),
    repair=smallest_positive.id,
    survives="the bound for n <= n0",
    remarks=(
        "Where n theta = omega, possible beyond n0, the printed bound is 0. By hand: 2 letters, n0 = 2, n = 5, "
        "theta = pi / 5, below omega / 4: 1 - cos(pi - 5 pi / 5) = 0.",
    ),
)

SMALLEST_CLAIMS = (smallest_wrong, smallest_wrong_printed, smallest_positive_printed, smallest_positive)
