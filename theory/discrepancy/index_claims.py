"""The claims about the Index construction's discrepancy (DYN, definition 3.1, theorem 3.2 and remark 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from headproof.theory.angles import Angle, ball, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.cosine_sums import ONE, Sum, compare, cosine, largest, minus, ratio, smallest, value
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.discrepancy import (
    IndexCase,
    best_other,
    gap,
    index_gaps,
    index_logits,
)
from headproof.theory.discrepancy.index_bound_proofs import (
    PROOF_OF_ANY_INPUT,
    any_input,
)
from headproof.theory.discrepancy.index_proofs import (
    NONE_BEATS,
    PROOF_OF_AS_GOOD,
    PROOF_OF_EACH_LAGS,
    PROOF_OF_LETTER_QUERY,
    PROOF_OF_NO_BETTER,
    PROOF_OF_TOP,
    as_good,
    each_lags,
    h,
    letter_query,
    n,
    no_better,
)
from headproof.theory.proof import Proof

DEFINITION, THEOREM, REMARK = (Source("DYN", place) for place in ("definition 3.1", "theorem 3.2", "remark 3.2"))
Reading = Callable[[IndexCase], Sum]

# -- the readings --------------------------------------------------------------------------------------------------


def largest_gap(case: IndexCase) -> Sum:
    """As printed: the largest gap over the inputs of the length."""
    return largest(index_gaps(case))


def letter_gap(case: IndexCase) -> Sum:
    """The gap of an input that ends in a letter: 1 less the best other position."""
    return gap(index_logits(case, 0))


def smallest_gap(case: IndexCase) -> Sum:
    """The smallest gap over the inputs of the length."""
    return smallest(index_gaps(case))


def below_square(total: Sum, bound: Fraction, count: int) -> bool:
    """`total <= bound pi^2 / count^2`."""
    return sign(lambda: ball(bound) * arb.pi() ** 2 - count**2 * value(total)) >= 0


def first_other(case: IndexCase) -> Sum:
    """`1 - cos(theta)`: the gap to the place next to the target."""
    return minus(ONE, cosine(case.theta))


def turn_share(count: int) -> Sum:
    """`1 - cos(2 pi / count)`."""
    return minus(ONE, cosine(Angle(Fraction(2, count))))


# -- exact values --------------------------------------------------------------------------------------------------


def _value(reading: Reading, reach: Callable[[IndexCase], int], parts: tuple[Entailment, ...]) -> Statement:
    def conclusion(case: IndexCase) -> bool:
        other = best_other(case, reach(case))
        return other is not None and compare(reading(case), other) == 0

    return Statement(IndexCase, (), conclusion, Entailments((*parts, NONE_BEATS)))


def _largest(reach: Callable[[IndexCase], int], symbol: Any) -> Statement:
    return _value(largest_gap, reach, (no_better(symbol), as_good(symbol)))


def _smallest(reach: Callable[[IndexCase], int], symbol: Any) -> Statement:
    return _value(smallest_gap, reach, (each_lags(symbol), letter_query(symbol)))


index_largest = Claim(
    id="dyn.def3.1.index.largest",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: the discrepancy as defined, exactly",
    source=DEFINITION,
    latex=r"\Delta_{\mathrm{Index}}(n) = 1 - \max_{1 \le u \le \lfloor n/2 \rfloor} \cos u\theta",
    sentence="The largest gap over the inputs of length n between the largest and the second-largest logit of the "
    "Index construction is 1 less the best cosine at the distances up to n / 2; a query that points to the middle "
    "of the input has it.",
    domain="every real angle, every length n >= 2, every valid input",
    statement=_largest(lambda case: case.n // 2, h),
    proof=Proof((PROOF_OF_NO_BETTER, PROOF_OF_AS_GOOD, PROOF_OF_TOP)),
    mutants=(
        Mutant("further", "distances up to n / 2 + 1", _largest(lambda case: case.n // 2 + 1, h + 1)),
        Mutant("nearer", "distances up to n / 2 - 1", _largest(lambda case: case.n // 2 - 1, h - 1)),
        Mutant("as for a letter", "distances up to n - 1", _largest(lambda case: case.n - 1, n - 1)),
    ),
    remarks=("Two keys that tie for the largest logit count twice: their gap is 0.",),
)
index_smallest = Claim(
    id="dyn.def3.1.index.smallest",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: the smallest gap over the inputs, exactly",
    source=DEFINITION,
    latex=r"\min_{\text{inputs}} (\lambda_{(1)} - \lambda_{(2)}) = 1 - \max_{1 \le u \le n-1} \cos u\theta",
    sentence="The smallest gap over the inputs of length n is 1 less the best cosine at the distances up to n - 1; "
    "an input that ends in a letter has it.",
    domain="every real angle, every length n >= 2, every valid input",
    statement=_smallest(lambda case: case.n - 1, n - 1),
    proof=Proof((PROOF_OF_EACH_LAGS, PROOF_OF_LETTER_QUERY, PROOF_OF_TOP)),
    mutants=(
        Mutant("further", "distances up to n", _smallest(lambda case: case.n, n)),
        Mutant("nearer", "distances up to n - 2", _smallest(lambda case: case.n - 2, n - 2)),
        Mutant("as for the middle", "distances up to n / 2", _smallest(lambda case: case.n // 2, h)),
    ),
)

# -- theorem 3.2, the definition as printed ------------------------------------------------------------------------


def sharp_bound(
    reading: Reading, count: Callable[[IndexCase], int], part: Entailment, factor: int = 1, strict: bool = False
) -> Statement:
    """`factor * reading <= 1 - cos(2 pi / count)`, and `reading <= 1 - cos theta`."""

    def conclusion(case: IndexCase) -> bool:
        found = reading(case)
        sign_of_excess = compare(found * factor, turn_share(count(case)))
        return sign_of_excess <= -int(strict) and compare(found, first_other(case)) <= 0

    def attained(case: IndexCase) -> Fraction | None:
        return ratio(reading(case), smallest([turn_share(count(case)), first_other(case)]))

    return Statement(IndexCase, (), conclusion, Entailments((part,)), attained)


def _half(case: IndexCase) -> int:
    return case.n // 2 + 1


HALVED = Fraction(1, 2)
index_sharp = Claim(
    id="dyn.thm3.2.index.sharp",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: the sharp bound on the discrepancy as defined",
    source=THEOREM,
    latex=r"\Delta_{\mathrm{Index}}(n) \le \min\left(1 - \cos\theta,\ "
    r"1 - \cos\frac{2\pi}{\lfloor n/2 \rfloor + 1}\right)",
    sentence="At every angle the largest gap over the inputs of length n is at most 1 - cos theta and at most "
    "1 - cos(2 pi / (floor(n / 2) + 1)); the angle 2 pi / (floor(n / 2) + 1) attains the latter.",
    domain="every real angle, every length n >= 2, every valid input",
    statement=sharp_bound(largest_gap, _half, any_input(h + 1)),
    proof=Proof((PROOF_OF_ANY_INPUT,)),
    mutants=(
        Mutant("next", "2 pi / (n / 2 + 2)", sharp_bound(largest_gap, lambda case: _half(case) + 1, any_input(h + 2))),
        Mutant("as for a letter", "2 pi / n", sharp_bound(largest_gap, lambda case: case.n, any_input(n))),
        Mutant("halved", "half the bound", sharp_bound(largest_gap, _half, any_input(h + 1, HALVED), factor=2)),
        Mutant(
            "strict", "below the bound", sharp_bound(largest_gap, _half, any_input(h + 1, strict=True), strict=True)
        ),
    ),
    witness=IndexCase(Angle(Fraction(2, 5)), 8),
    remarks=(
        "About 8 pi^2 / n^2, four times the printed 2 pi^2 / n^2: a query for the middle sees no key more than "
        "n / 2 away. That theta is irrational, carried over from theorem 3.1, is not needed; with it, in the sense "
        "that theta / pi is irrational, the bound is approached as theta nears that angle.",
    ),
)


def printed(reading: Callable[[IndexCase], Sum | None]) -> Callable[[IndexCase], bool]:
    """`reading <= min(1 - cos theta, 2 pi^2 / n^2)`; true where there is nothing to bound."""

    def conclusion(case: IndexCase) -> bool:
        found = reading(case)
        return found is None or (compare(found, first_other(case)) <= 0 and below_square(found, Fraction(2), case.n))

    return conclusion


CARRIED_OVER = (
    "The premise that theta is irrational is carried over from theorem 3.1; theorem 3.2 does not print it. Without it "
    "the same case refutes the bound."
)
IRRATIONAL = Premise("irrational", "theta is irrational", lambda case: case.theta.is_irrational)
index_printed = Claim(
    id="dyn.thm3.2.index",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Index: the printed bound, the discrepancy as defined",
    source=THEOREM,
    latex=r"\Delta_{\mathrm{Index}}(n) \le \min(1 - \cos\theta,\ 2\pi^2/n^2)",
    sentence="For an irrational angle the largest gap over the inputs of length n between the largest and the "
    "second-largest logit is at most 1 - cos theta and at most 2 pi^2 / n^2.",
    domain="every irrational angle, every length n >= 2, every valid input",
    statement=Statement(IndexCase, (IRRATIONAL,), printed(largest_gap)),
    repair=index_sharp.id,
    survives="1 - cos theta as printed, and a decay as 1 / n^2 with four times the constant; the printed constant "
    "holds for inputs that end in a letter (dyn.thm3.2.index.best-other)",
    remarks=(
        "By hand: n = 4, theta = 2 pi / 3, the query that points 2 back. Its logits are -1/2, -1/2, 1, -1/2, so the "
        "gap is 3/2, above 2 pi^2 / 16 = 1.234. No shorter length fails.",
        "Angles without alias up to n fail at n = 4 as well: 3 pi / 5, gap 1.309; so does 3 pi / 5 + 1/100, irrational "
        "and of no multiple that is a full turn, gap 1.319.",
        CARRIED_OVER,
    ),
)

INDEX_CLAIMS = (index_largest, index_smallest, index_printed, index_sharp)
