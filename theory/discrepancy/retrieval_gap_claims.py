"""The claims about the Retrieval construction's discrepancy (DYN, definition 3.1 and theorem 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from string import ascii_lowercase
from typing import Any

from sympy import cos

from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.cosine_sums import ONE, Sum, compare, cosine, minus, ratio
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.discrepancy import (
    RetrievalCase,
    RetrievalInput,
    best_wrong_letter,
    gap,
    retrieval_logits,
)
from headproof.theory.discrepancy.index_proofs import n, theta
from headproof.theory.discrepancy.retrieval_gap_proofs import (
    COPIES,
    FULL_ROOM,
    PROOF_OF_ATTAINED,
    PROOF_OF_BEATS,
    PROOF_OF_COPY,
    PROOF_OF_NO_NEARER,
    attained,
    beats,
    no_nearer,
    omega,
)
from headproof.theory.discrepancy.retrieval_largest_proofs import (
    PROOF_OF_SELF_EVEN,
    PROOF_OF_SELF_ODD,
    PROOF_OF_WORST_EVEN,
    PROOF_OF_WORST_ODD,
    far,
    proof_of_far,
    self_match,
    worst,
)
from headproof.theory.proof import Proof

DEFINITION, THEOREM = Source("DYN", "definition 3.1"), Source("DYN", "theorem 3.2")
AnyCase = RetrievalCase | RetrievalInput

NONNEGATIVE = Premise("not negative", "theta >= 0", lambda case: case.theta.is_nonnegative)
POSITIVE = Premise("positive", "theta > 0", lambda case: case.theta.is_positive)
ALLOWED = Premise(
    "allowed", "theta < omega / (2 n0)", lambda case: (case.omega - case.theta * (2 * case.n0)).is_positive
)
WITHIN = Premise("within n0", "n <= n0", lambda case: case.n <= case.n0)


def spans(times: Callable[[AnyCase], int], words: str) -> Premise:
    """`times(case) theta <= omega`."""
    return Premise(
        "range", f"{words} theta <= omega", lambda case: (case.omega - case.theta * times(case)).is_nonnegative
    )


TWICE = spans(lambda case: 2 * (case.n - 1), "2 (n - 1)")


def printed_bound(case: AnyCase) -> Sum:
    """`1 - cos(omega - n theta)`."""
    return minus(ONE, cosine(case.omega - case.theta * case.n))


# -- the definition as printed -------------------------------------------------------------------------------------


def worst_input(case: RetrievalInput) -> RetrievalInput:
    """A query that attends to itself, every other key as far off as a letter can be."""
    opposite = ascii_lowercase[case.letters // 2]
    tokens = ((opposite, 1),) * (case.n - 1) + (("a", 1),)
    return RetrievalInput(case.letters, case.theta, case.n0, tokens)


def _even(case: RetrievalInput, step: int = -1) -> Sum:
    return (*ONE, *cosine(case.theta * (case.n + step)))


def _odd(case: RetrievalInput, steps: int = 1) -> Sum:
    return (*ONE, *cosine(case.omega * Fraction(1, 2) - case.theta * steps))


def _closed(case: RetrievalInput) -> Sum:
    return _odd(case) if case.letters % 2 else _even(case)


EVEN, ODD = 1 + cos((n - 1) * theta), 1 + cos(omega / 2 - theta)


def _largest(
    value: Callable[[RetrievalInput], Sum],
    even: Any = EVEN,
    odd: Any = ODD,
    room: Premise = TWICE,
    symbolic_room: Any = FULL_ROOM,
) -> Statement:
    """No input has a gap above `value`, and the worst input has it."""

    def conclusion(case: RetrievalInput) -> bool:
        bound = value(case)
        if compare(gap(retrieval_logits(case)), bound) > 0:
            return False
        return compare(gap(retrieval_logits(worst_input(case))), bound) == 0

    parts: tuple[Entailment, ...] = (
        beats(symbolic_room),
        COPIES,
        far(0, even, n - 1, symbolic_room),
        self_match(0, even, symbolic_room),
        worst(0, even, symbolic_room),
        far(1, odd, 1, symbolic_room),
        self_match(1, odd, symbolic_room),
        worst(1, odd, symbolic_room),
    )
    return Statement(
        RetrievalInput,
        (NONNEGATIVE, room),
        conclusion,
        Entailments(parts),
        lambda case: ratio(gap(retrieval_logits(case)), value(case)),
    )


retrieval_largest = Claim(
    id="dyn.def3.1.retrieval.largest",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval: the discrepancy as defined, exactly",
    source=DEFINITION,
    latex=r"\Delta_{\mathrm{Retrieval}}(n) = 1 + \cos((n-1)\theta)\ (|L|\ \text{even}),\quad "
    r"1 + \cos(\omega/2 - \theta)\ (|L|\ \text{odd})",
    sentence="With 0 <= theta <= omega / (2 (n - 1)) the largest gap over the proper inputs of length n is "
    "1 + cos((n - 1) theta) for an even number of letters and 1 + cos(omega / 2 - theta) for an odd one. A query "
    "that attends to itself, beside keys of the letter farthest from its own, has it.",
    domain="two letters or more, every angle in the range, every length n >= 2, every proper input",
    statement=_largest(_closed),
    proof=Proof(
        (
            PROOF_OF_BEATS,
            PROOF_OF_COPY,
            proof_of_far(0),
            PROOF_OF_SELF_EVEN,
            PROOF_OF_WORST_EVEN,
            proof_of_far(1),
            PROOF_OF_SELF_ODD,
            PROOF_OF_WORST_ODD,
        )
    ),
    mutants=(
        Mutant(
            "further",
            "n theta, 2 theta",
            _largest(
                lambda case: _odd(case, 2) if case.letters % 2 else _even(case, 0),
                1 + cos(n * theta),
                1 + cos(omega / 2 - 2 * theta),
            ),
        ),
        Mutant("no parity", "the even value for all", _largest(_even, EVEN, EVEN)),
        Mutant(
            "no phase",
            "2 and 1 + cos(omega / 2)",
            _largest(
                lambda case: _odd(case, 0) if case.letters % 2 else (*ONE, *ONE), 2 + 0 * theta, 1 + cos(omega / 2)
            ),
        ),
        Mutant(
            "wider range",
            "2 (n - 2) theta <= omega",
            _largest(
                _closed, EVEN, ODD, spans(lambda case: 2 * (case.n - 2), "2 (n - 2)"), omega - 2 * (n - 2) * theta
            ),
        ),
    ),
    witness=RetrievalInput(8, Angle(Fraction(1, 64)), 4, (("e", 1), ("e", 1), ("e", 1), ("a", 1))),
    remarks=(
        "A query such as (a, a) attends to itself as a letter-number pair does, so letter-letter queries alone reach "
        "the same value. In this range a match beats every wrong letter, wherever both stand; two keys never share a "
        "place, so (2 n - 3) theta <= omega is enough for that (dyn.def3.1.retrieval.smallest-lead). The range holds "
        "for all n <= n0 if theta < omega / (2 n0).",
    ),
)
retrieval_printed = Claim(
    id="dyn.thm3.2.retrieval",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Retrieval: the printed bound, the discrepancy as defined",
    source=THEOREM,
    latex=r"\Delta_{\mathrm{Retrieval}}(n) \le 1 - \cos(\omega - n\theta)",
    sentence="With 0 < theta < omega / (2 n0) and n <= n0 the gap between the largest and the second-largest logit "
    "of every proper input of length n, and so the largest such gap, is at most 1 - cos(omega - n theta).",
    domain="two letters or more, every angle that the print allows, 2 <= n <= n0, every proper input",
    statement=Statement(
        RetrievalInput,
        (POSITIVE, ALLOWED, WITHIN),
        lambda case: compare(gap(retrieval_logits(case)), printed_bound(case)) <= 0,
    ),
    repair=retrieval_largest.id,
    survives="nothing of the bound under the printed definition: it fails at every alphabet of two letters or more, "
    "every allowed angle and every length n <= n0; the discrepancy lies above 1, near 2 for many letters; with n - 1 "
    "in place of n the printed expression is the value of another quantity, one minus the best wrong letter at any "
    "place (dyn.def3.1.retrieval.best-wrong-letter)",
    remarks=(
        "With 8 letters, n = n0 = 2 and a small theta the input (e,1) (a,1) has the logits 1 and "
        "cos(pi + theta), a gap of nearly 2; the printed bound is below 1 - cos(pi / 4) = 0.293. The print says "
        "n > 1 without a link to n0; here n <= n0 is granted.",
    ),
)

# -- the best wrong letter at any place ----------------------------------------------------------------------------

ONCE = spans(lambda case: case.n - 1, "(n - 1)")


def _wrong(step: int, room: Premise = ONCE, symbolic_room: Any = omega - (n - 1) * theta) -> Statement:
    def conclusion(case: RetrievalCase) -> bool:
        bound = minus(ONE, cosine(case.omega - case.theta * (case.n + step)))
        return compare(best_wrong_letter(case), bound) == 0

    parts = (no_nearer(n + step + 1, symbolic_room), attained(n + step + 1))
    return Statement(RetrievalCase, (NONNEGATIVE, room), conclusion, Entailments(parts))


best_wrong = Claim(
    id="dyn.def3.1.retrieval.best-wrong-letter",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval: one minus the best wrong letter at any place, exactly",
    source=DEFINITION,
    latex=r"1 - \max_{d \ne 0,\ 0 \le t \le n-1} \cos(d\omega + t\theta) = 1 - \cos(\omega - (n-1)\theta)",
    sentence="With 0 <= theta and (n - 1) theta <= omega the largest logit that a wrong letter can have at one of n "
    "places, present or not, lies 1 - cos(omega - (n - 1) theta) below 1.",
    domain="two letters or more, every angle in the range, every length n >= 2",
    statement=_wrong(-1),
    proof=Proof((PROOF_OF_NO_NEARER, PROOF_OF_ATTAINED)),
    mutants=(
        Mutant("as printed", "n theta", _wrong(0)),
        Mutant("one less", "(n - 2) theta", _wrong(-2)),
        Mutant(
            "wider range",
            "(n - 2) theta <= omega",
            _wrong(-1, spans(lambda case: case.n - 2, "(n - 2)"), omega - (n - 2) * theta),
        ),
    ),
    remarks=(
        "The angle may be more than twice as large as the print allows, or n as large as 2 n0 + 1 at the angles that "
        "it allows.",
    ),
)
best_wrong_printed = Claim(
    id="dyn.thm3.2.retrieval.best-wrong-letter",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Retrieval: the printed bound, one minus the best wrong letter at any place",
    source=THEOREM,
    latex=r"1 - \max_{d \ne 0,\ 0 \le t \le n-1} \cos(d\omega + t\theta) \le 1 - \cos(\omega - n\theta)",
    sentence="With 0 < theta < omega / (2 n0) and n <= n0 one minus the largest logit that a wrong letter can have at "
    "one of n places is at most 1 - cos(omega - n theta).",
    domain="two letters or more, every angle that the print allows, 2 <= n <= n0",
    statement=Statement(
        RetrievalCase,
        (POSITIVE, ALLOWED, WITHIN),
        lambda case: compare(best_wrong_letter(case), printed_bound(case)) <= 0,
    ),
    repair=best_wrong.id,
    survives="the same expression with n - 1 in place of n, and then with equality: the last of n places is n - 1 back",
    remarks=(
        "By hand: n = n0 = 2, 2 letters, theta = 1/2: 1 - cos(pi - 1/2) = 1.878, above 1 - cos(pi - 1) = 1.540.",
        "For lengths beyond n0, which the print does not exclude, its right side falls to 0 where n theta = omega and "
        "rises again after it, while the quantity itself never rises with n.",
    ),
)

RETRIEVAL_GAP_CLAIMS = (retrieval_largest, best_wrong, retrieval_printed, best_wrong_printed)
