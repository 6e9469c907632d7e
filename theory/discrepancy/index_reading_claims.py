"""The claims about other readings of the Index construction's discrepancy, and about its decay (DYN, theorem 3.2)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from sympy import pi

from headproof.theory.angles import Angle, aliases, lower_decimal
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.cosine_sums import Sum, compare, smallest, value
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.discrepancy import IndexCase, index_positive_gaps
from headproof.theory.discrepancy.index_bound_proofs import (
    PROOF_OF_DECAY,
    PROOF_OF_LETTER_INPUT,
    PROOF_OF_LETTER_SQUARED,
    PROOF_OF_POSITIVE_SQUARED,
    decay,
    letter_input,
    letter_squared,
    positive_squared,
)
from headproof.theory.discrepancy.index_claims import (
    CARRIED_OVER,
    HALVED,
    IRRATIONAL,
    THEOREM,
    Reading,
    below_square,
    first_other,
    largest_gap,
    letter_gap,
    printed,
    sharp_bound,
)
from headproof.theory.discrepancy.index_proofs import n
from headproof.theory.proof import Proof

REMARK = Source("DYN", "remark 3.2")


def _letter(bound: int, step: int, part: Entailment, reading: Reading = letter_gap) -> Statement:
    """`reading <= min(1 - cos theta, bound pi^2 / (n + step)^2)`."""

    def conclusion(case: IndexCase) -> bool:
        found = reading(case)
        return compare(found, first_other(case)) <= 0 and below_square(found, Fraction(bound), case.n + step)

    def attained(case: IndexCase) -> Fraction | None:
        return lower_decimal(lambda: value(reading(case)) * (case.n + step) ** 2 / (bound * arb.pi() ** 2))

    return Statement(IndexCase, (), conclusion, Entailments((part,)), attained)


index_best_other = Claim(
    id="dyn.thm3.2.index.best-other",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Index: the printed bound, one minus the best other position",
    source=THEOREM,
    latex=r"1 - \max_{1 \le u \le n-1} \cos u\theta \le \min(1 - \cos\theta,\ 2\pi^2/n^2)",
    sentence="The gap of an input of length n that ends in a letter, the smallest over all inputs, is at most "
    "1 - cos theta and at most 2 pi^2 / n^2, at every angle.",
    domain="every real angle, every length n >= 2",
    statement=_letter(2, 0, letter_squared(2 * pi**2)),
    proof=Proof((PROOF_OF_LETTER_SQUARED,)),
    mutants=(
        Mutant("halved", "pi^2 / n^2", _letter(1, 0, letter_squared(pi**2))),
        Mutant("next", "2 pi^2 / (n + 1)^2", _letter(2, 1, letter_squared(2 * pi**2, n + 1))),
        Mutant("any query", "the largest gap", _letter(2, 0, decay(2 * pi**2, n), largest_gap)),
    ),
    witness=IndexCase(Angle(Fraction(2, 64)), 64),
    remarks=("That theta is irrational, carried over from theorem 3.1, is not needed.",),
)


def _length(case: IndexCase) -> int:
    return case.n


index_best_other_sharp = Claim(
    id="dyn.thm3.2.index.best-other.sharp",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: the sharp bound on one minus the best other position",
    source=THEOREM,
    latex=r"1 - \max_{1 \le u \le n-1} \cos u\theta \le \min(1 - \cos\theta,\ 1 - \cos(2\pi/n))",
    sentence="The gap of an input of length n that ends in a letter is at most 1 - cos theta and at most "
    "1 - cos(2 pi / n); the angle 2 pi / n attains the latter.",
    domain="every real angle, every length n >= 2",
    statement=sharp_bound(letter_gap, _length, letter_input(n)),
    proof=Proof((PROOF_OF_LETTER_INPUT,)),
    mutants=(
        Mutant("next", "2 pi / (n + 1)", sharp_bound(letter_gap, lambda case: case.n + 1, letter_input(n + 1))),
        Mutant("halved", "half", sharp_bound(letter_gap, _length, letter_input(n, HALVED), factor=2)),
        Mutant("strict", "below", sharp_bound(letter_gap, _length, letter_input(n, strict=True), strict=True)),
    ),
    witness=IndexCase(Angle(Fraction(2, 7)), 7),
)


def _no_alias(step: int) -> Premise:
    def holds(case: IndexCase) -> bool:
        return not aliases(case.theta, case.n + step - 1)

    where = {0: "n - 1", -1: "n - 2"}[step]
    return Premise("no alias", f"no multiple of theta up to the {where}-th is a number of full turns", holds)


def _positive(case: IndexCase) -> Sum | None:
    """The smallest positive gap over the inputs of the length."""
    found = index_positive_gaps(case)
    return smallest(found) if found else None


def _smallest_positive(bound: int, step: int, part: Entailment, alias: int = 0) -> Statement:
    def conclusion(case: IndexCase) -> bool:
        found = _positive(case)
        if found is None:
            return True
        return compare(found, first_other(case)) <= 0 and below_square(found, Fraction(bound), case.n + step)

    return Statement(IndexCase, (_no_alias(alias),), conclusion, Entailments((part,)))


_SQUARE = 2 * pi**2
index_positive = Claim(
    id="dyn.thm3.2.index.smallest-positive.no-alias",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: the printed bound on the smallest positive gap where no two places alias",
    source=THEOREM,
    latex=r"u\theta \notin 2\pi\mathbb{Z}\ (1 \le u < n) \Rightarrow "
    r"\min_{> 0} (\lambda_{(1)} - \lambda) \le \min(1 - \cos\theta,\ 2\pi^2/n^2)",
    sentence="If no multiple of theta up to the (n - 1)-th is a number of full turns, the smallest positive "
    "difference between the largest logit and another one, over the inputs of length n, is at most 1 - cos theta and "
    "at most 2 pi^2 / n^2.",
    domain="every real angle without alias, every length n >= 2",
    statement=_smallest_positive(2, 0, positive_squared(_SQUARE)),
    proof=Proof((PROOF_OF_POSITIVE_SQUARED,)),
    mutants=(
        Mutant("halved", "pi^2 / n^2", _smallest_positive(1, 0, positive_squared(pi**2))),
        Mutant("next", "2 pi^2 / (n + 1)^2", _smallest_positive(2, 1, positive_squared(_SQUARE, count=n + 1))),
        Mutant("one alias", "no alias up to n - 2", _smallest_positive(2, 0, positive_squared(_SQUARE, n - 2), -1)),
    ),
)
index_positive_printed = Claim(
    id="dyn.thm3.2.index.smallest-positive",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Index: the printed bound, the smallest positive gap",
    source=THEOREM,
    latex=r"\min_{> 0} (\lambda_{(1)} - \lambda) \le \min(1 - \cos\theta,\ 2\pi^2/n^2)",
    sentence="For an irrational angle the smallest positive difference between the largest logit and another one, as "
    "in lemma F.1, over the inputs of length n, is at most 1 - cos theta and at most 2 pi^2 / n^2.",
    domain="every irrational angle, every length n >= 2",
    statement=Statement(IndexCase, (IRRATIONAL,), printed(_positive)),
    repair=index_positive.id,
    survives="the bound as printed where theta / pi, not theta, is irrational, or no multiple below n aliases",
    remarks=(
        "By hand: theta = pi, an irrational number, and n = 4: all logits are 1 or -1, so the only positive gap is 2, "
        "above 2 pi^2 / 16 = 1.234.",
        CARRIED_OVER,
    ),
)

# -- remark 3.2 ----------------------------------------------------------------------------------------------------

index_decay = Claim(
    id="dyn.thm3.2.positional-decay",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Remark 3.2: positional discrepancy decays as 1 / n^2",
    source=REMARK,
    latex=r"\Delta_{\mathrm{Index}}(n) \le 8\pi^2/(n+1)^2",
    sentence="The largest gap over the inputs of length n, and with it the gap of an input that ends in a letter, the "
    "smallest one, is at most 8 pi^2 / (n + 1)^2 at every angle.",
    domain="every real angle, every length n >= 2, every valid input",
    statement=_letter(8, 1, decay(8 * pi**2), largest_gap),
    proof=Proof((PROOF_OF_DECAY,)),
    mutants=(
        Mutant("halved", "4 pi^2 / (n + 1)^2", _letter(4, 1, decay(4 * pi**2), largest_gap)),
        Mutant("next", "8 pi^2 / (n + 2)^2", _letter(8, 2, decay(8 * pi**2, n + 2), largest_gap)),
        Mutant("as for a letter", "2 pi^2 / (n + 1)^2", _letter(2, 1, decay(2 * pi**2), largest_gap)),
    ),
    witness=IndexCase(Angle(Fraction(2, 32)), 63),
    remarks=(
        "The remark is printed in words; the constant is ours, and no smaller one will do for large odd n.",
        "The smallest positive gap need not decay where places alias: at theta = pi it is 2 at every length "
        "(dyn.thm3.2.index.smallest-positive).",
    ),
)

READING_CLAIMS = (
    index_best_other,
    index_best_other_sharp,
    index_positive_printed,
    index_positive,
    index_decay,
)
