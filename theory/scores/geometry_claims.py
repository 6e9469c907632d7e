"""The claims about the correlation of the two scores over heads whose points lie on the unit circle (dec.emp)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from headproof.theory.angles import Angle, ball, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments, Hypothesis, at_least
from headproof.theory.proof import Proof
from headproof.theory.scores.cases import PointsCase, SpreadCase
from headproof.theory.scores.geometry_proofs import (
    BY_PAIRS,
    CIRCLE,
    FLAT,
    PROOF_OF_PAIR,
    PROOF_OF_SAME,
    PROOF_OF_SUM_OF_PAIRS,
    PROOF_OF_VANISHING,
    QUARTER,
    SUM_OF_PAIRS,
    SUM_VANISHES,
    pair,
    same,
    u,
    v,
    x,
    y,
)
from headproof.theory.scores.spread_proofs import POINT, PROOF_OF_EVENLY, PROOF_OF_POINT, N, evenly, h, with_ends

OVER_HEADS = Source("DEC", "the correlation of the two scores over the heads of a model")

# -- any points ----------------------------------------------------------------------------------------------------


def _every(holds: Callable[[Fraction, Fraction], bool]) -> Callable[[PointsCase], bool]:
    return lambda case: all(holds(x, y) for x, y in zip(*case.rows, strict=True))


ON_CIRCLE = Premise("on the circle", "x^2 + y^2 = 1 for each head", _every(lambda x, y: x * x + y * y == 1))
NOT_NEGATIVE = Premise("not negative", "no score is negative", _every(lambda x, y: x >= 0 and y >= 0))
OUTSIDE = Premise(
    "outside the circle",
    "x^2 + y^2 >= 1 and no score above 1",
    _every(lambda x, y: x * x + y * y >= 1 and max(x, y) <= 1),
)


def _agree(case: PointsCase) -> bool:
    return len(set(zip(*case.rows, strict=True))) == 1


def _falls(case: PointsCase) -> bool:
    return case.covariance <= 0 and (case.covariance == 0) == _agree(case)


def _points(
    premises: tuple[Premise, ...],
    known: dict[str, Hypothesis],
    conclusion: Callable[[PointsCase], bool] = _falls,
    further: dict[str, Hypothesis] = FLAT,
) -> Statement:
    forms = (pair(known), same(known, further), SUM_OF_PAIRS, SUM_VANISHES)
    return Statement(PointsCase, premises, conclusion, Entailments(forms))


_outside: dict[str, Hypothesis] = {
    "one": at_least(x**2 + y**2, 1),
    "other": at_least(u**2 + v**2, 1),
    **{f"{letter} <= 1": at_least(1, letter) for letter in (x, y, u, v)},
}
geometry = Claim(
    id="dec.emp.geometry",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Heads whose points lie on the unit circle have scores of negative covariance, whatever they do",
    source=OVER_HEADS,
    latex=r"x_a^2 + y_a^2 = 1,\ x_a, y_a \ge 0\ \forall a \ \Rightarrow\ \mathrm{Cov}(x, y) \le 0,\ "
    r"= 0 \iff \text{all points agree}",
    sentence="If the two scores of each head of a finite set are not negative and their squares add up to 1, their "
    "covariance over the heads is at most 0, and it is 0 only if all heads have the same scores.",
    domain="every finite set of points of the quarter circle",
    statement=_points((ON_CIRCLE, NOT_NEGATIVE), CIRCLE | QUARTER),
    proof=Proof((BY_PAIRS, PROOF_OF_PAIR, PROOF_OF_SAME, PROOF_OF_SUM_OF_PAIRS, PROOF_OF_VANISHING)),
    mutants=(
        Mutant("anywhere", "any points with scores that are not negative", _points((NOT_NEGATIVE,), QUARTER)),
        Mutant("whole circle", "scores of either sign", _points((ON_CIRCLE,), CIRCLE)),
        Mutant("outside", "points on the circle or outside it", _points((OUTSIDE, NOT_NEGATIVE), _outside | QUARTER)),
        Mutant(
            "never 0",
            "the covariance is below 0",
            _points((ON_CIRCLE, NOT_NEGATIVE), CIRCLE | QUARTER, lambda case: case.covariance < 0, {}),
        ),
    ),
    remarks=(
        "A swap's point lies near the circle wherever one of its blocks gets little attention beside the other, before "
        "or after (dec.scores.circle.near), trained or not. Where the points of a model's heads lie near the circle, a "
        "negative correlation such as the printed r = -0.91 says nothing of what training did: the heads differ, no "
        "more. What does say something is how the points spread along the circle, and how far from it they lie.",
        "Points outside the circle need not comply: heads of uniform attention stand at (1, 1).",
    ),
)

# -- points spread evenly ------------------------------------------------------------------------------------------


def _correlates(
    angle: Callable[[int, int], Fraction], most: Fraction = Fraction(-91, 100)
) -> Callable[[SpreadCase], bool]:
    """Whether the correlation is below `most`, for points k = 0, ..., N - 1 at `angle(k, N)` in units of pi."""

    def below(case: SpreadCase) -> arb:
        angles = [Angle(angle(place, case.points)) for place in range(case.points)]
        cosines, sines = [each.cos() for each in angles], [each.sin() for each in angles]
        spread = (_covariance(cosines, cosines) * _covariance(sines, sines)).sqrt()
        return ball(most) * spread - _covariance(cosines, sines)

    return lambda case: sign(lambda: below(case)) > 0


def _covariance(one: list[arb], other: list[arb]) -> arb:
    count = len(one)
    return sum((a * b for a, b in zip(one, other, strict=True)), arb(0)) / count - sum(one, arb(0)) * sum(
        other, arb(0)
    ) / (count * count)


def _middle(k: int, points: int) -> Fraction:
    return Fraction(2 * k + 1, 4 * points)


def _spread(holds: Callable[[SpreadCase], bool], form: Entailment) -> Statement:
    forms: tuple[Any, ...] = (POINT, form)
    return Statement(SpreadCase, (), holds, Entailments(forms))


uniform = Claim(
    id="dec.emp.geometry.uniform",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Points spread evenly over the quarter circle have a correlation below -0.91",
    source=OVER_HEADS,
    latex=r"(x_k, y_k) = (\cos\phi_k, \sin\phi_k),\ \phi_k = \frac{(2k-1)\pi}{4N},\ k = 1, \dots, N \ \Rightarrow\ "
    r"r < -0.91",
    sentence="N >= 2 points in the middles of N equal arcs of the quarter circle have a correlation of their two "
    "coordinates below -0.91.",
    domain="every N >= 2",
    statement=_spread(_correlates(_middle), evenly()),
    proof=Proof((PROOF_OF_POINT, PROOF_OF_EVENLY)),
    mutants=(
        Mutant(
            "0.92", "below -0.92", _spread(_correlates(_middle, Fraction(-92, 100)), evenly(sympy.Rational(92, 100)))
        ),
        Mutant(
            "third of a circle",
            "spread evenly over an arc of 120 degrees",
            _spread(_correlates(lambda k, points: Fraction(4, 3) * _middle(k, points)), evenly(arc=3 * N * h)),
        ),
        Mutant(
            "with both ends",
            "at equal distances from one end of the quarter circle to the other",
            _spread(_correlates(lambda k, points: Fraction(k, 2 * (points - 1))), with_ends()),
        ),
    ),
    remarks=(
        "With h = pi / 4N the mean of either score is 1 / (2 N sin h), that of the squares 1/2, that of the products "
        "1 / (2 N sin 2h); so r = -1 at N = 2, and r tends to (2 pi - 8) / (pi^2 - 8) = -0.918, the correlation of a "
        "uniform angle.",
        "The printed r = -0.91 for gemma-2-2b-it is what heads show that fill the quarter circle evenly, whatever made "
        "them so. Other spreads along the circle have other correlations, all negative (dec.emp.geometry).",
    ),
)

GEOMETRY_CLAIMS = (geometry, uniform)
