"""One rotary plane's mean square interaction, with the bound that is attained for every number of keys."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy

from headproof.theory.cases import RotaryCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailment
from headproof.theory.disentanglement.cases import Vector, square
from headproof.theory.disentanglement.heads import along_axis, axes, is_along_axis, scatters
from headproof.theory.disentanglement.plane_claims import THEOREM_2
from headproof.theory.disentanglement.scatter_claims import AROUND, AROUND_MEAN, PROOF_OF_AROUND
from headproof.theory.disentanglement.sharp_proofs import (
    ALL_ANGLES,
    ALL_ENTRIES,
    ALL_SINES,
    HALF_TURNS,
    NO_ANGLE,
    ONE_ANGLE,
    ONE_CONTENT,
    ONE_POSITION,
    ONE_SQUARE,
    PROOF_OF_ATTAINED,
    PROOF_OF_CONTENT,
    PROOF_OF_END,
    PROOF_OF_ENTRIES,
    PROOF_OF_HALF_TURNS,
    PROOF_OF_LARGEST,
    PROOF_OF_MOMENTS,
    PROOF_OF_POSITION,
    PROOF_OF_SCATTER,
    PROOF_OF_SINES,
    F,
    G,
    attained,
    largest,
    scatter,
)
from headproof.theory.disentanglement.sharp_proofs import PROOF_OF_START as PROOF_OF_NO_ANGLE
from headproof.theory.disentanglement.sharp_proofs import PROOF_OF_STEP as PROOF_OF_ONE_ANGLE
from headproof.theory.disentanglement.sharp_proofs import m as keys
from headproof.theory.disentanglement.tables import mean_square_effect
from headproof.theory.proof import IN_WORDS, ConcludeRelation, Conjunction, Proof
from headproof.theory.sums import Relation, Term, cj, dj, dk, m, mean_of

ONE_PLANE = Premise("one plane", "the head has one plane", lambda case: len(case.turns) == 1)
Factor = Callable[[Vector, int], Fraction]

AROUND_BOTH = "a mean product around the means"
AROUND_MEANS = Relation(
    (Term(1 / m, "keys", (cj - mean_of[cj]) * (dj - mean_of[dj])),),
    "==",
    (Term(1 / m, "keys", cj * dj), Term(-1 / m**2, "pairs", cj * dk)),
)
PROOF_OF_BOTH = ConcludeRelation(AROUND_BOTH, (), "For any numbers c and d of the keys or of the positions.")


def _sharp(factor: Factor, *forms: Entailment) -> Statement:
    """The mean square is at most `|q|^2 sigma^2 factor`, and equal to it for keys that vary along the axis alone."""

    def bound(case: RotaryCase) -> Fraction:
        return square(case.query[0]) * scatters(case)[0] * factor(case.turns[0], len(case.keys))

    def holds(case: RotaryCase) -> bool:
        found, most = mean_square_effect(case), bound(case)
        return found == most if len(case.turns) == 1 and is_along_axis(case) else found <= most

    def ratio(case: RotaryCase) -> Fraction | None:
        most = bound(case)
        return mean_square_effect(case) / most if most else None

    sums = (NO_ANGLE, ONE_ANGLE, ALL_ANGLES, ALL_SINES, HALF_TURNS, ONE_SQUARE)
    means = (ONE_POSITION, ONE_CONTENT, ALL_ENTRIES)
    form = Conjunction({AROUND: AROUND_MEAN, AROUND_BOTH: AROUND_MEANS}, (*sums, *means, *forms))
    return Statement(RotaryCase, (ONE_PLANE,), holds, form, ratio)


_half = sympy.Rational(1, 2)
sharp = Claim(
    id="gen.thm2.anova-sharp",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="One plane's mean square interaction, with a bound that is attained for every number of keys",
    source=THEOREM_2,
    latex=r"\frac{1}{m^2}\sum_{a,b} r_{ab}^2 \le |q|^2\sigma^2\max\left(\frac{1+C}{2}-D^2,\ \frac{1-C}{2}\right),"
    r"\qquad C = \frac{\sin m\theta}{m\sin\theta},\ D = \frac{\sin(m\theta/2)}{m\sin(\theta/2)}",
    sentence="In one plane the mean square of the interaction effects is at most |q|^2 sigma^2 times the larger mean "
    "square of the directions' deviations, along their middle direction or across it, and it is that for keys that "
    "vary along this axis alone.",
    domain="every query and m >= 1 keys in one plane, every angle",
    statement=_sharp(lambda by, size: max(axes(by, size)), scatter(), largest(), attained()),
    proof=Proof(
        (
            PROOF_OF_NO_ANGLE,
            PROOF_OF_ONE_ANGLE,
            PROOF_OF_END,
            PROOF_OF_SINES,
            PROOF_OF_HALF_TURNS,
            PROOF_OF_MOMENTS,
            PROOF_OF_AROUND,
            PROOF_OF_BOTH,
            PROOF_OF_SCATTER,
            PROOF_OF_POSITION,
            PROOF_OF_CONTENT,
            PROOF_OF_ENTRIES,
            PROOF_OF_LARGEST,
            PROOF_OF_ATTAINED,
        )
    ),
    mutants=(
        Mutant(
            "along alone",
            "the mean square along the middle direction alone",
            _sharp(lambda by, size: axes(by, size)[0], scatter(), largest(either=False), attained()),
        ),
        Mutant(
            "across alone",
            "the mean square across the middle direction alone",
            _sharp(lambda by, size: axes(by, size)[1], scatter(), largest(either=False), attained(G)),
        ),
        Mutant(
            "off by one",
            "C with m + 1 instead of m",
            _sharp(lambda by, size: max(axes(by, size, 1)), scatter(keys + 1), largest(), attained()),
        ),
        Mutant(
            "both axes",
            "the sum of both mean squares, 1 - D^2",
            _sharp(lambda by, size: sum(axes(by, size), Fraction(0)), scatter(), largest(), attained(F + G)),
        ),
        Mutant(
            "halved",
            "the constant halved",
            _sharp(lambda by, size: max(axes(by, size)) / 2, scatter(), largest(_half), attained(F / 2)),
        ),
    ),
    witness=along_axis(RotaryCase.of([("3/5", "4/5")], [(1, 0)], [[(0, 0)]] * 3)),
    remarks=(
        "C is the mean of cos((2 b - m - 1) theta), so +1 or -1 at multiples of pi; D is that of cos((2 b - m - 1) "
        "theta / 2), so |D| = 1 at multiples of 2 pi. The two mean squares add up to 1 - D^2, the factor of "
        "gen.thm2.anova; for small angles nearly all of it is across the middle direction.",
        IN_WORDS,
    ),
)

SHARP_CLAIMS = (sharp,)
