"""The claims about the interaction of a rotary head: its bound and where that is attained (GEN, theorem 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Source, Statement
from headproof.theory.derivation import Entailments
from headproof.theory.disentanglement import plane_proofs as proofs
from headproof.theory.disentanglement import roots
from headproof.theory.disentanglement.cases import InteractionCase, Vector, cross, minus, square, turn, turned
from headproof.theory.disentanglement.plane_proofs import (
    ALL_ATTAIN,
    EACH_ATTAINS,
    PROOF_OF_BOTH,
    PROOF_OF_IF,
    PROOF_OF_LAGRANGE,
    PROOF_OF_MORE,
    PROOF_OF_ONLY,
    PROOF_OF_PLANE,
    PROOF_OF_STEEPEST,
    PROOF_OF_TOGETHER,
    attained_if,
    lagrange,
    one_more,
    one_plane,
    only,
    plane,
    steepest,
)
from headproof.theory.proof import IN_WORDS, Proof

THEOREM_2 = Source("GEN", "theorem 2")
NOT_AT_HAND = "The source's text was not at hand; the statement was reconstructed from an account of its theorem 2."
EVERY_PLANE = "every query and keys, any number of planes, every angle and distances"

Squares = Callable[[InteractionCase], Sequence[Fraction]]

# -- the bound -----------------------------------------------------------------------------------------------------


def _bounded(squares: Squares, *forms: Any) -> Statement:
    """The interaction is at most the sum of the squares' roots in size."""

    def holds(case: InteractionCase) -> bool:
        return roots.compare(abs(case.interaction), squares(case)) <= 0

    def ratio(case: InteractionCase) -> Fraction | None:
        return roots.ratio(abs(case.interaction), squares(case))

    return Statement(InteractionCase, (), holds, Entailments(forms), ratio)


def _bound(factor: Fraction = Fraction(1), times: int = 1) -> Squares:
    """The squares of the planes' bounds; `times` multiplies the half angle."""

    def squares(case: InteractionCase) -> Sequence[Fraction]:
        return [
            factor**2 * 4 * square(query) * square(minus(key, other)) * sine**2
            for (query, key, other), sine in zip(case.vectors, case.half_sines(times), strict=True)
        ]

    return squares


def _key_alone(case: InteractionCase) -> Sequence[Fraction]:
    sines = case.half_sines()
    return [4 * square(q) * square(k) * sine**2 for (q, k, _), sine in zip(case.vectors, sines, strict=True)]


def _largest(case: InteractionCase) -> Sequence[Fraction]:
    return [max(case.bound_squares)]


_full = plane(2 * proofs.HALF_ANGLE)
_alone = plane(keys=proofs.k1**2 + proofs.k2**2)
interaction_bound = Claim(
    id="gen.thm2",
    kind=Kind.THEOREM,
    fidelity=Fidelity.RECONSTRUCTED,
    title="The interaction of position and content is bounded plane by plane",
    source=THEOREM_2,
    latex=r"\left|W(q,k,d)-W(q,k^0,d)-W(q,k,d_0)+W(q,k^0,d_0)\right| \le "
    r"\sum_f 2\,|q_f|\,|k_f-k^0_f|\,\left|\sin\tfrac{\theta_f(d-d_0)}{2}\right|",
    sentence="How far the logits of two keys at two distances are from adding up is at most the sum over planes of "
    "2 |q_f| |k_f - k0_f| |sin(theta_f (d - d0) / 2)|: a plane adds to it only if the keys differ there and it turns.",
    domain=EVERY_PLANE,
    statement=_bounded(_bound(), lagrange(), one_plane(), one_more()),
    proof=Proof((PROOF_OF_LAGRANGE, PROOF_OF_PLANE, PROOF_OF_MORE)),
    mutants=(
        Mutant(
            "halved",
            "the constant halved",
            _bounded(_bound(Fraction(1, 2)), lagrange(1), one_plane(proofs.BOUND / 2), one_more()),
        ),
        Mutant(
            "whole angle",
            "the sine of theta_f (d - d0) instead of half of it",
            _bounded(_bound(times=2), lagrange(known=_full), one_plane(known=_full), one_more()),
        ),
        Mutant(
            "largest plane",
            "the largest plane's bound instead of the sum",
            _bounded(_largest, lagrange(), one_plane(), one_more(proofs.B)),
        ),
        Mutant(
            "one key",
            "|k_f| instead of |k_f - k0_f|",
            _bounded(_key_alone, lagrange(known=_alone), one_plane(known=_alone), one_more()),
        ),
    ),
    witness=InteractionCase.of_json(
        {"tangents": ["1/2"], "query_x": ["1"], "query_y": ["0"], "distance": 1, "other_distance": 0}
        | {"key_x": ["-4"], "key_y": ["-3"], "other_x": ["0"], "other_y": ["0"]}
    ),
    remarks=(
        NOT_AT_HAND,
        "What a plane falls short of its bound is explicit: with J_f the same double difference of the cross product "
        "q_f x R(theta_f d) k_f, I_f^2 + J_f^2 = 4 |q_f|^2 |k_f - k0_f|^2 sin^2(theta_f (d - d0) / 2).",
        "In the terms of the source: planes that turn fast may be found only where keys vary little, and keys may vary "
        "only where planes turn slowly; then position and content add up nearly.",
        IN_WORDS,
    ),
)

# -- equality ------------------------------------------------------------------------------------------------------

Missed = Callable[[InteractionCase], Sequence[Fraction]]
Direction = Callable[[InteractionCase], tuple[Vector, ...]]


def _across(case: InteractionCase) -> Sequence[Fraction]:
    return case.across


def _to_the_query(case: InteractionCase) -> Sequence[Fraction]:
    """0 where the plane's bound is 0 or the keys differ along the query."""
    planes = zip(case.vectors, case.bound_squares, strict=True)
    return [bound * cross(query, minus(key, other)) for (query, key, other), bound in planes]


def _steepest(case: InteractionCase) -> tuple[Vector, ...]:
    return case.steepest


def _turned_once(case: InteractionCase) -> tuple[Vector, ...]:
    pairs = zip(case.tangents, case.vectors, strict=True)
    return tuple(turned(query, turn(tangent, -2 * case.distance)) for tangent, (query, _, _) in pairs)


def _equality(
    forms: tuple[Any, ...], missed: Missed = _across, signs: bool = True, direction: Direction = _steepest
) -> Statement:
    """The interaction is the bound, or minus the bound, exactly where no plane misses anything and the signs of the
    planes' interactions agree; and it is the bound for keys that differ by the direction, times any factors >= 0."""

    def holds(case: InteractionCase) -> bool:
        for sign in (1, -1):
            attained = roots.compare(sign * case.interaction, case.bound_squares) == 0
            each = all(miss == 0 for miss in missed(case)) and (
                not signs or all(sign * part >= 0 for part in case.interactions)
            )
            if attained is not each:
                return False
        for factors in ((1,), (2, 0, 1)):
            vectors = enumerate(direction(case))
            scaled = tuple((x * factors[f % len(factors)], y * factors[f % len(factors)]) for f, (x, y) in vectors)
            best = case.with_differences(scaled)
            if roots.compare(best.interaction, best.bound_squares) != 0:
                return False
        return True

    return Statement(InteractionCase, (), holds, Entailments(forms))


_sums = (ALL_ATTAIN, EACH_ATTAINS)
_parallel = proofs.BOUND * (proofs.q1 * (proofs.k2 - proofs.h2) - proofs.q2 * (proofs.k1 - proofs.h1))
equality = Claim(
    id="gen.thm2.equality",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The interaction's bound is attained, in all planes at once, and exactly where",
    source=THEOREM_2,
    latex=r"I = \sum_f 2|q_f||k_f-k^0_f|\left|\sin\tfrac{\theta_f(d-d_0)}{2}\right| \iff J_f = 0 \le I_f\ \forall f,"
    r"\qquad J_f = q_f \times \left(R(\theta_f d)-R(\theta_f d_0)\right)(k_f-k^0_f)",
    sentence="The interaction equals its bound if and only if in every plane the double difference of the cross "
    "product vanishes and the plane's interaction is not negative (for minus the bound: not positive); for every "
    "query, angles and distances it does so for the keys that differ by any multiples >= 0 of "
    "R(theta_f d)^T q_f - R(theta_f d0)^T q_f.",
    domain=EVERY_PLANE,
    statement=_equality((only(), attained_if(), *_sums, steepest())),
    proof=Proof((PROOF_OF_ONLY, PROOF_OF_IF, PROOF_OF_BOTH, PROOF_OF_TOGETHER, PROOF_OF_STEEPEST)),
    mutants=(
        Mutant(
            "any signs",
            "attained as soon as every J_f vanishes",
            _equality((only(), attained_if(sign=False), *_sums, steepest()), signs=False),
        ),
        Mutant(
            "along the query",
            "attained where k_f - k0_f is along q_f in every plane whose bound is not 0",
            _equality((only(_parallel), attained_if(_parallel), *_sums, steepest()), _to_the_query),
        ),
        Mutant(
            "turned once",
            "attained by keys that differ by R(theta_f d)^T q_f",
            _equality((only(), attained_if(), *_sums, steepest(False)), direction=_turned_once),
        ),
    ),
    remarks=(
        "In one plane with |q|, |k - k0| and the sine not zero: k - k0 must have the direction of R(theta d)^T q - "
        "R(theta d0)^T q, which is the query turned back by the mean of both angles and a quarter of a circle further "
        "where sin(theta (d - d0) / 2) > 0, and opposite to that where it is negative.",
        "So no bound in terms of |q_f|, |k_f - k0_f| and theta_f (d - d0) alone is smaller.",
        IN_WORDS,
    ),
)

PLANE_CLAIMS = (interaction_bound, equality)
