"""The claims about the mean square of a rotary table's interaction effects: from the keys' scatter and the turning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from sympy import sin

from headproof.theory.cases import RotaryCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.disentanglement import roots
from headproof.theory.disentanglement import scatter_proofs as proofs
from headproof.theory.disentanglement.cases import TurningCase, square, turn
from headproof.theory.disentanglement.heads import resultant_square, scatters
from headproof.theory.disentanglement.plane_claims import THEOREM_2
from headproof.theory.disentanglement.scatter_proofs import (
    ALL_ENTRIES,
    NO_PLANE,
    NO_TURN,
    NO_VECTOR,
    ONE_CONTENT,
    ONE_POSITION,
    ONE_VECTOR,
    TWO_SUMS,
    directions,
    length,
    one_more,
    plane_bound,
)
from headproof.theory.disentanglement.tables import mean_square_effect
from headproof.theory.proof import IN_WORDS, ConcludeRelation, Conjunction, Proof
from headproof.theory.sums import Relation, Term, lj, lk, m, mean_of

EVERY_HEAD = "every query and m >= 1 keys, any number of planes, every angle"

# -- m unit vectors, turned by theta, 2 theta, ... -----------------------------------------------------------------


def _turning(holds: Callable[[TurningCase, Fraction], bool], form: Entailment) -> Statement:
    """A statement about a case and the squared length of its sum of vectors."""
    parts = Entailments((NO_VECTOR, ONE_VECTOR, form))
    return Statement(TurningCase, (), lambda case: holds(case, square(case.total)), parts)


def _sine(case: TurningCase, times: int) -> Fraction:
    """`sin(times theta / 2)^2`."""
    return turn(case.tangent, times)[1] ** 2


_theta, _n = proofs.theta, proofs.n
turning = Claim(
    id="gen.thm2.turning",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The length of a sum of equally spaced unit vectors",
    source=THEOREM_2,
    latex=r"\left(\Big(\sum_{b=1}^m\cos b\theta\Big)^2+\Big(\sum_{b=1}^m\sin b\theta\Big)^2\right)"
    r"\sin^2\tfrac{\theta}{2} = \sin^2\tfrac{m\theta}{2}",
    sentence="The mean of m unit vectors turned by theta, 2 theta, ..., m theta has length D_m(theta) = "
    "|sin(m theta / 2) / (m sin(theta / 2))|.",
    domain="every angle, every m >= 1",
    statement=_turning(lambda case, total: total * _sine(case, 1) == _sine(case, case.count), length()),
    proof=Proof((proofs.PROOF_OF_START, proofs.PROOF_OF_STEP, proofs.PROOF_OF_LENGTH)),
    mutants=(
        Mutant(
            "off by one",
            "m + 1 instead of m on the right",
            _turning(
                lambda case, total: total * _sine(case, 1) == _sine(case, case.count + 1),
                length(sin((_n + 1) * _theta / 2) ** 2),
            ),
        ),
        Mutant(
            "whole angle",
            "theta instead of theta / 2 on both sides",
            _turning(
                lambda case, total: total * _sine(case, 2) == _sine(case, 2 * case.count),
                length(sin(_n * _theta) ** 2, sin(_theta) ** 2),
            ),
        ),
        Mutant(
            "one direction",
            "the length m of vectors that do not turn",
            _turning(
                lambda case, total: total * _sine(case, 1) == case.count**2 * _sine(case, 1),
                length(_n**2 * sin(_theta / 2) ** 2),
            ),
        ),
    ),
    remarks=("At multiples of 2 pi both sides are 0; there the length is m, so D is 1.", IN_WORDS),
)

# -- several planes ------------------------------------------------------------------------------------------------


Squares = Callable[[RotaryCase], Sequence[Fraction]]

AROUND = "a mean square around the mean"
AROUND_MEAN = Relation(
    (Term(1 / m, "keys", (lj - mean_of[lj]) ** 2),),
    "==",
    (Term(1 / m, "keys", lj**2), Term(-1 / m**2, "pairs", lj * lk)),
)
PROOF_OF_AROUND = ConcludeRelation(
    AROUND,
    (),
    "Coordinate by coordinate: the mean of |e|^2 around the mean direction is |q|^2 less that mean's square.",
)


def _terms(step: int = 0, shifted: int = 0, factor: Fraction = Fraction(1)) -> Squares:
    """`|q_f|^2 sigma_f^2 (1 - D_m(theta_f)^2)`, with m + step instead of m or with another plane's sigma."""

    def squares(case: RotaryCase) -> Sequence[Fraction]:
        size, sigmas = len(case.keys) + step, scatters(case)
        return [
            factor * square(query) * sigmas[(f + shifted) % len(sigmas)] * (1 - resultant_square(by, size, size))
            for f, (query, by) in enumerate(zip(case.query, case.turns, strict=True))
        ]

    return squares


def _scattered(squares: Squares, *forms: Entailment, together: bool = True) -> Statement:
    """The mean square of the effects is at most `(sum of the squares' roots)^2`, or at most the sum of the squares."""

    def ratio(case: RotaryCase) -> Fraction | None:
        found, terms = mean_square_effect(case), squares(case)
        if found == 0 or not any(terms):
            return Fraction(0) if any(terms) else None
        if not together:
            return found / sum(terms)
        root = roots.ratio(Fraction(1), [term / found for term in terms])
        return None if root is None else root**2

    def holds(case: RotaryCase) -> bool:
        found, terms = mean_square_effect(case), squares(case)
        if found == 0 or not together:
            return found <= sum(terms)
        return roots.compare(Fraction(1), [term / found for term in terms]) <= 0

    sums = (NO_VECTOR, ONE_VECTOR, length(), NO_TURN)
    means = (ONE_POSITION, ONE_CONTENT, ALL_ENTRIES, TWO_SUMS, NO_PLANE)
    form = Conjunction({AROUND: AROUND_MEAN}, (*sums, *means, *forms))
    return Statement(RotaryCase, (), holds, form, ratio)


anova = Claim(
    id="gen.thm2.anova",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The mean square interaction of a rotary table is bounded by the keys' scatter and the turning",
    source=THEOREM_2,
    latex=r"\frac{1}{m^2}\sum_{a,b} r_{ab}^2 \le \left(\sum_f |q_f|\,\sigma_f\sqrt{1-D_m(\theta_f)^2}\right)^2,\qquad "
    r"D_m(\theta) = \left|\frac{\sin(m\theta/2)}{m\sin(\theta/2)}\right|",
    sentence="Over the table of one query and m keys at successive positions, the root mean square of the interaction "
    "effects is at most the sum over planes of |q_f| times the keys' root mean square deviation sigma_f times that of "
    "the turning directions, sqrt(1 - D_m(theta_f)^2).",
    domain=EVERY_HEAD,
    statement=_scattered(_terms(), directions(), plane_bound(), one_more()),
    proof=Proof(
        (
            proofs.PROOF_OF_START,
            proofs.PROOF_OF_STEP,
            proofs.PROOF_OF_LENGTH,
            PROOF_OF_AROUND,
            proofs.PROOF_OF_DIRECTIONS,
            proofs.PROOF_OF_STILL,
            proofs.PROOF_OF_POSITION,
            proofs.PROOF_OF_CONTENT,
            proofs.PROOF_OF_ENTRIES,
            proofs.PROOF_OF_PLANE_BOUND,
            proofs.PROOF_OF_WEIGHTED,
            proofs.PROOF_OF_MORE,
            proofs.PROOF_OF_NONE,
        )
    ),
    mutants=(
        Mutant(
            "planes apart",
            "the sum of the planes' squares instead of the square of the sum",
            _scattered(_terms(), directions(), plane_bound(), one_more(proofs.A**2 + proofs.B**2), together=False),
        ),
        Mutant(
            "halved",
            "the constant halved",
            _scattered(_terms(factor=Fraction(1, 2)), directions(), plane_bound(factor=proofs.HALF), one_more()),
        ),
        Mutant(
            "off by one",
            "D with m + 1 instead of m",
            _scattered(_terms(1), directions(proofs.m + 1), plane_bound(), one_more()),
        ),
        Mutant(
            "another plane's keys",
            "sigma of the next plane",
            _scattered(_terms(shifted=1), directions(), plane_bound(proofs.U), one_more()),
        ),
    ),
    witness=RotaryCase.of([("0", "1")], [(1, 0)], [[(0, 0)], [(1, 1)]]),
    remarks=(
        "An effect is k . e, of the key's deviation from the mean key and the direction's deviation from the mean "
        "direction, and (k . e)^2 + (k x e)^2 = |k|^2 |e|^2: what a plane falls short of its part is the mean square "
        "of k x e. It is attained for two keys, and at theta = pi for any number of them; else gen.thm2.anova-sharp.",
        "At multiples of 2 pi, where the quotient says nothing, D is 1: a plane that does not turn adds nothing.",
        IN_WORDS,
    ),
)

SCATTER_CLAIMS = (turning, anova)
