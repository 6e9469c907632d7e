"""One rotary plane's mean square interaction, with the bound that is attained for every number of keys."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy

from headproof.theory.cases import RotaryCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.disentanglement.cases import Vector, square
from headproof.theory.disentanglement.heads import along_axis, axes, scatters
from headproof.theory.disentanglement.plane_claims import THEOREM_2
from headproof.theory.disentanglement.scatter_claims import AROUND_MEAN
from headproof.theory.disentanglement.scatter_proofs import ONE_ENTRY, PROOF_OF_ENTRY
from headproof.theory.disentanglement.sharp_proofs import (
    ALL_ANGLES,
    HALF_TURNS,
    NO_ANGLE,
    ONE_ANGLE,
    ONE_SQUARE,
    PROOF_OF_ATTAINED,
    PROOF_OF_END,
    PROOF_OF_HALF_TURNS,
    PROOF_OF_LARGEST,
    PROOF_OF_MOMENTS,
    PROOF_OF_SCATTER,
    F,
    G,
    attained,
    largest,
    scatter,
)
from headproof.theory.disentanglement.sharp_proofs import PROOF_OF_START as PROOF_OF_NO_ANGLE
from headproof.theory.disentanglement.sharp_proofs import PROOF_OF_STEP as PROOF_OF_ONE_ANGLE
from headproof.theory.disentanglement.sharp_proofs import m as count
from headproof.theory.disentanglement.tables import mean_square_effect
from headproof.theory.proof import Proof

ONE_PLANE = Premise("one plane", "the head has one plane", lambda case: len(case.turns) == 1)
Factor = Callable[[Vector, int], Fraction]


def _sharp(factor: Factor, *forms: Entailment) -> Statement:
    """The mean square is at most `|q|^2 sigma^2 factor`, and equal to it for keys along the axis."""

    def bound(case: RotaryCase) -> Fraction:
        return square(case.query[0]) * scatters(case)[0] * factor(case.turns[0], len(case.keys))

    def holds(case: RotaryCase) -> bool:
        if mean_square_effect(case) > bound(case):
            return False
        if len(case.turns) > 1:
            return True
        best = along_axis(case)
        return mean_square_effect(best) == bound(best)

    def ratio(case: RotaryCase) -> Fraction | None:
        most = bound(case)
        return mean_square_effect(case) / most if most else None

    parts = (NO_ANGLE, ONE_ANGLE, ALL_ANGLES, HALF_TURNS, ONE_SQUARE, ONE_ENTRY, *forms)
    return Statement(RotaryCase, (ONE_PLANE,), holds, Entailments(parts), ratio)


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
            PROOF_OF_HALF_TURNS,
            PROOF_OF_MOMENTS,
            AROUND_MEAN,
            PROOF_OF_ENTRY,
            PROOF_OF_SCATTER,
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
            _sharp(lambda by, size: max(axes(by, size, 1)), scatter(count + 1), largest(), attained()),
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
        "C is the mean of cos((2 b - m - 1) theta), so +1 or -1 at multiples of pi. The two mean squares add up to "
        "1 - D^2, the factor of gen.thm2.anova; for small angles nearly all of it is across the middle direction.",
    ),
)

SHARP_CLAIMS = (sharp,)
