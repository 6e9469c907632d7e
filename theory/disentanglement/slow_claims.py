"""The claims about the interaction in terms of the angles: slow planes, and the pattern that GEN describes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from headproof.theory.angles import Angle, ball, lower_decimal, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.cosine_sums import ONE, Sum, compare, ratio, sign_of
from headproof.theory.cosine_sums import value as sum_value
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.disentanglement import slow_proofs as proofs
from headproof.theory.disentanglement.cases import PolarCase
from headproof.theory.disentanglement.plane_claims import EVERY_PLANE, NOT_AT_HAND, THEOREM_2
from headproof.theory.disentanglement.plane_proofs import PROOF_OF_MORE, K, P, d, one_more, theta
from headproof.theory.disentanglement.slow_proofs import (
    PROOF_OF_FAST,
    PROOF_OF_QUIET,
    PROOF_OF_SLOW,
    PROOF_OF_SLOW_PLANE,
    PROOF_OF_STRICT,
    PROOF_OF_STRICT_SUM,
    STRICT_SUM,
    fast,
    quiet_plane,
    slow,
    slow_plane,
    strict,
)
from headproof.theory.proof import IN_WORDS, Proof

# A bound is a number `turns pi + radians`, held as an angle: its order to a sum of cosines can be decided.
Bound = Callable[[PolarCase], Angle]
NOTHING = Angle(Fraction(0))


def _size(case: PolarCase) -> Sum:
    """`|I|` as a sum of cosines."""
    total = case.interaction
    return tuple((-factor, angle) for factor, angle in total) if sign_of(total) < 0 else total


def _rational(bound: Angle) -> Sum:
    """A bound without a part in pi, as a sum of cosines."""
    return ((bound.radians, ONE[0][1]),)


def _compare(case: PolarCase, bound: Angle) -> int:
    """-1, 0 or 1 as `|I|` is below, at or above the bound, exactly: I is algebraic and pi is not, so that a bound with
    a part in pi is never equal to it."""
    size = _size(case)
    if bound.turns == 0:
        return compare(size, _rational(bound))
    return sign(lambda: sum_value(size) - bound.enclosure())


def _ratio(case: PolarCase, bound: Angle) -> Fraction | None:
    """`|I|` over the bound to twelve decimals, rounded down; None where the bound is 0. With a part of the bound in pi
    the quotient is 0 or transcendental, so never such a decimal otherwise; without one algebra decides."""
    if bound == NOTHING:
        return None
    size = _size(case)
    if sign_of(size) == 0:
        return Fraction(0)
    if bound.turns == 0:
        return ratio(size, _rational(bound))
    return lower_decimal(lambda: sum_value(size) / bound.enclosure())


def _is_slow(turns: Fraction) -> bool:
    """Whether an angle of `turns pi` is below 2."""
    return turns == 0 or sign(lambda: ball(2) - Angle(turns).enclosure()) > 0


# -- min(2, theta |d - d0|) ----------------------------------------------------------------------------------------


def _least(most: Fraction = Fraction(2), factor: Fraction = Fraction(1), difference: bool = True) -> Bound:
    """`sum_f |q_f| |k_f - k0_f| min(most, factor theta_f |d - d0|)`."""

    def bound(case: PolarCase) -> Angle:
        total = NOTHING
        for length, angle in zip(case.lengths, case.turns, strict=True):
            arc = Angle(factor * angle * (case.shift if difference else case.distance))
            below = arc == NOTHING or sign(lambda arc=arc: ball(most) - arc.enclosure()) > 0  # type: ignore[misc]
            total = total + length * (arc if below else Angle(Fraction(0), most))
        return total

    return bound


def _slow(bound: Bound, *forms: Entailment, never: bool = False) -> Statement:
    """`|I| <= bound`, and not equal where a plane with `theta |d - d0| < 2` has a positive bound; with `never`, not
    equal wherever the whole bound is positive."""

    def holds(case: PolarCase) -> bool:
        order = _compare(case, bound(case))
        if never:
            return order < 0 or (order == 0 and bound(case) == NOTHING)
        arcs = [angle * case.shift for angle in case.turns]
        turning = any(length > 0 and arc > 0 and _is_slow(arc) for length, arc in zip(case.lengths, arcs, strict=True))
        return order < 0 or (order == 0 and not turning)

    def ratio(case: PolarCase) -> Fraction | None:
        return _ratio(case, bound(case))

    return Statement(PolarCase, (), holds, Entailments(forms), ratio)


_arc = P * K * theta * proofs.D
_sums = (one_more(), STRICT_SUM)
slow_form = Claim(
    id="gen.thm2.slow",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The interaction's bound in terms of the angles",
    source=THEOREM_2,
    latex=r"|I| \le \sum_f |q_f|\,|k_f-k^0_f|\,\min\left(2,\ \theta_f|d-d_0|\right)",
    sentence="A plane adds to the interaction at most |q_f| |k_f - k0_f| times the smaller of 2 and the angle by which "
    "it turns from the one distance to the other; the sum is not attained where a plane with an angle below 2 has a "
    "part of it that is not zero.",
    domain=f"{EVERY_PLANE}, angles not negative",
    statement=_slow(_least(), fast(), slow(), strict(), *_sums),
    proof=Proof((PROOF_OF_FAST, PROOF_OF_SLOW, PROOF_OF_STRICT, PROOF_OF_MORE, PROOF_OF_STRICT_SUM)),
    mutants=(
        Mutant(
            "one",
            "min(1, theta |d - d0|)",
            _slow(_least(Fraction(1)), fast(P * K), slow(), strict(), *_sums),
        ),
        Mutant(
            "half the angle",
            "min(2, theta |d - d0| / 2)",
            _slow(_least(factor=Fraction(1, 2)), fast(), slow(_arc / 2), strict(), *_sums),
        ),
        Mutant(
            "the distance itself",
            "theta d instead of theta |d - d0|",
            _slow(_least(difference=False), fast(), slow(P * K * theta * d), strict(), *_sums),
        ),
        Mutant(
            "never attained",
            "strict wherever the bound is positive",
            _slow(_least(), fast(strictly=True), slow(), strict(), *_sums, never=True),
        ),
    ),
    witness=PolarCase.of_json(
        {"turns": ["1"], "phases": ["0"], "queries": ["1"], "keys": ["1"], "quiet": ["0"]}
        | {"distance": 0, "other_distance": 1, "eps": "0", "eta": "0"}
    ),
    remarks=(
        "Weaker than gen.thm2, since |sin x| <= min(1, |x|), and free of the sine: what counts is by how much a plane "
        "turns between the two distances. A plane that turns by a small angle comes near to its part, for "
        "sin x / x tends to 1.",
        IN_WORDS,
    ),
)

# -- the pattern ---------------------------------------------------------------------------------------------------


def _quiet(case: PolarCase) -> bool:
    return all(key <= case.eps for key, mark in zip(case.keys, case.quiet, strict=True) if mark)


def _within(case: PolarCase) -> bool:
    return all(
        (case.eta - Angle(angle * case.shift)).is_nonnegative
        for angle, mark in zip(case.turns, case.quiet, strict=True)
        if not mark
    )


QUIET = Premise("quiet", "|k_f - k0_f| <= eps in the planes called quiet", _quiet)
SLOW = Premise("slow", "theta_f |d - d0| <= eta in all others", _within)


def _pattern(quiet: Fraction, slowly: Fraction, *forms: Entailment) -> Statement:
    """`|I| <= quiet eps sum_quiet |q_f| + slowly eta sum_slow |q_f| |k_f - k0_f|`."""

    def bound(case: PolarCase) -> Angle:
        total = NOTHING
        for query, length, mark in zip(case.queries, case.lengths, case.quiet, strict=True):
            total = total + (Angle(NOTHING.turns, quiet * case.eps * query) if mark else slowly * length * case.eta)
        return total

    def ratio(case: PolarCase) -> Fraction | None:
        return _ratio(case, bound(case))

    def holds(case: PolarCase) -> bool:
        return _compare(case, bound(case)) <= 0

    return Statement(PolarCase, (QUIET, SLOW), holds, Entailments(forms), ratio)


_two, _one = Fraction(2), Fraction(1)
_quiet_bound, _slow_bound = 2 * proofs.eps * P, proofs.eta * P * K
pattern = Claim(
    id="gen.thm2.pattern",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Where each plane is quiet or slow, position and content nearly add up",
    source=THEOREM_2,
    latex=r"|k_f-k^0_f| \le \varepsilon\ (f \in \mathcal{Q}),\ \theta_f|d-d_0| \le \eta\ (f \notin \mathcal{Q}) "
    r"\ \Rightarrow\ |I| \le 2\varepsilon\sum_{f\in\mathcal{Q}}|q_f| + \eta\sum_{f\notin\mathcal{Q}}|q_f||k_f-k^0_f|",
    sentence="If each plane is either quiet (the keys vary there by at most eps) or slow (it turns by at most eta from "
    "the one distance to the other), the interaction is at most 2 eps times the query's lengths in the quiet planes "
    "plus eta times |q_f| |k_f - k0_f| in the slow ones.",
    domain=f"{EVERY_PLANE}, angles not negative, every eps and eta",
    statement=_pattern(_two, _one, quiet_plane(), slow_plane(), one_more()),
    proof=Proof((PROOF_OF_QUIET, PROOF_OF_SLOW_PLANE, PROOF_OF_MORE)),
    mutants=(
        Mutant(
            "eps once",
            "eps instead of 2 eps",
            _pattern(_one, _one, quiet_plane(_quiet_bound / 2), slow_plane(), one_more()),
        ),
        Mutant(
            "half eta",
            "eta / 2 instead of eta",
            _pattern(_two, Fraction(1, 2), quiet_plane(), slow_plane(_slow_bound / 2), one_more()),
        ),
        Mutant(
            "slow planes alone",
            "the quiet planes' part left out",
            _pattern(Fraction(0), _one, quiet_plane(0 * _quiet_bound), slow_plane(), one_more()),
        ),
        Mutant(
            "quiet planes alone",
            "the slow planes' part left out",
            _pattern(_two, Fraction(0), quiet_plane(), slow_plane(0 * _slow_bound), one_more()),
        ),
    ),
    witness=PolarCase.of_json(
        {"turns": ["1", "0"], "phases": ["0", "0"], "queries": ["1", "1"], "keys": ["1", "1"], "quiet": ["1", "0"]}
        | {"distance": 0, "other_distance": 1, "eps": "1", "eta": "0"}
    ),
    remarks=(
        NOT_AT_HAND + " The pattern is the source's; the constants are not.",
        "Quiet planes may turn at any speed, and keys may vary at will in slow ones. The first part is attained; the "
        "second is not, but approached as eta tends to 0.",
        IN_WORDS,
    ),
)

SLOW_CLAIMS = (slow_form, pattern)
