"""Checks of the topic `disentanglement`: how position and content add up in rotary heads (gen.additive, gen.thm2)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from headproof.checks.engines import exact
from headproof.checks.engines.decision import Decision
from headproof.checks.exclusion import ENTRY, UNIT, tables
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.checks.standard import CaseSource, cases_of, domain_of, kernel_checks, proof_check, search_check
from headproof.theory.angles import Angle
from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.claim import Claim, Tier
from headproof.theory.disentanglement.additive_claims import ADDITIVE_CLAIMS
from headproof.theory.disentanglement.cases import InteractionCase, PolarCase, TurningCase
from headproof.theory.disentanglement.empirical_claims import EMPIRICAL
from headproof.theory.disentanglement.exclusion_claims import EXCLUSION_CLAIMS
from headproof.theory.disentanglement.heads import along_axis
from headproof.theory.disentanglement.plane_claims import PLANE_CLAIMS
from headproof.theory.disentanglement.scatter_claims import SCATTER_CLAIMS
from headproof.theory.disentanglement.sharp_claims import SHARP_CLAIMS
from headproof.theory.disentanglement.slow_claims import SLOW_CLAIMS
from headproof.theory.sums import Relation

CLAIMS: tuple[Claim, ...] = (
    *ADDITIVE_CLAIMS,
    *PLANE_CLAIMS,
    *SLOW_CLAIMS,
    *SCATTER_CLAIMS,
    *SHARP_CLAIMS,
    *EXCLUSION_CLAIMS,
)

# -- where cases are drawn from ------------------------------------------------------------------------------------


@st.composite
def interaction_tables(draw: st.DrawFn, largest: int = 4) -> TableCase:
    """Tables of 1 to `largest` keys as the topic `exclusion` draws them, and products, antisymmetric ones, ones with
    no row, column or grand mean, ones with one entry, and ones of equal logits with no permutation but the identity."""
    kinds = ["other", "other", "other", "product", "antisymmetric", "centred", "one entry", "still"]
    kind = draw(st.sampled_from(kinds))
    if kind == "other":
        return draw(tables(largest))
    size = draw(st.integers(1, largest))
    keys = range(size)
    one, other = (draw(st.lists(ENTRY, min_size=size, max_size=size)) for _ in range(2))
    if kind == "product":
        return TableCase.of([[x * y for y in other] for x in one])
    if kind == "one entry":
        place = draw(st.sampled_from(keys)), draw(st.sampled_from(keys))
        return TableCase.of([[Fraction((a, b) == place) for b in keys] for a in keys])
    if kind == "centred":  # a cyclic difference: zeros on the diagonal, no row, column or grand mean, and more
        return TableCase.of(
            [[one[a] + one[b] + ((b - a) % size == 1) - ((a - b) % size == 1) for b in keys] for a in keys]
        )
    free = [[draw(ENTRY) for _ in keys] for _ in keys]
    if kind == "still":
        return TableCase.of([[one[0] if a == b else free[a][b] for b in keys] for a in keys], None, [list(keys)])
    return TableCase.of([[free[a][b] - free[b][a] for b in keys] for a in keys])


TANGENT = st.sampled_from([Fraction(*each) for each in ((0, 1), (1, 1), (-1, 1), (1, 2), (1, 3), (-1, 2), (2, 1))])
SMALL = st.sampled_from([*map(Fraction, (0, 0, 1, -1, 2, -2, 3))])
VECTOR = st.tuples(SMALL, SMALL)


@st.composite
def interaction_cases(draw: st.DrawFn, most: int = 2) -> InteractionCase:
    """One to `most` planes: any keys, equal ones, keys that differ along the query or as they must to attain the
    bound, with one sign or with both."""
    count = draw(st.integers(1, most))
    tangents = tuple(draw(TANGENT) for _ in range(count))
    query, key, other = (tuple(draw(VECTOR) for _ in range(count)) for _ in range(3))
    distances = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    (qx, qy), (kx, ky), (hx, hy) = (tuple(zip(*vectors, strict=True)) for vectors in (query, key, other))
    case = InteractionCase(tangents, qx, qy, kx, ky, hx, hy, *distances)
    kind = draw(st.sampled_from(["any", "any", "equal", "along", "attaining", "attaining", "mixed"]))
    if kind == "any":
        return case
    factors = [Fraction(draw(st.sampled_from([1, 1, 2, 0]))) for _ in range(count)]
    if kind == "mixed":
        factors = [-factor if f % 2 else factor for f, factor in enumerate(factors)]
    base = {"along": query, "equal": ((Fraction(0), Fraction(0)),) * count}.get(kind, case.steepest)
    sign = draw(st.sampled_from([1, -1]))
    return case.with_differences(
        tuple((sign * factor * x, sign * factor * y) for factor, (x, y) in zip(factors, base, strict=True))
    )


TURNS = st.sampled_from([Fraction(*each) for each in ((0, 1), (1, 1), (1, 2), (1, 3), (1, 6), (1, 10), (2, 1))])
PHASE = st.sampled_from([Fraction(*each) for each in ((0, 1), (1, 2), (-1, 2), (1, 1), (1, 3))])
LENGTH = st.sampled_from([*map(Fraction, (0, 1, 1, 1, 2)), Fraction(1, 2)])


@st.composite
def polar_cases(draw: st.DrawFn, most: int = 2) -> PolarCase:
    """One to `most` planes, quiet or slow; eps and eta the least that will do, or any."""
    count = draw(st.integers(1, most))
    turns, phases, queries, keys = (tuple(draw(each) for _ in range(count)) for each in (TURNS, PHASE, LENGTH, LENGTH))
    quiet = tuple(Fraction(draw(st.integers(0, 1))) for _ in range(count))
    distance, other = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    eps = max([key for key, mark in zip(keys, quiet, strict=True) if mark], default=Fraction(0))
    arcs = [angle * abs(distance - other) for angle, mark in zip(turns, quiet, strict=True) if not mark]
    eta = Angle(max(arcs, default=Fraction(0)))
    if draw(st.integers(0, 2)) == 0:
        eps = draw(LENGTH)
        eta = draw(st.sampled_from([eta, Angle(Fraction(0)), Angle(Fraction(1, 2)), Angle.of_radians(1)]))
    return PolarCase(turns, phases, queries, keys, quiet, distance, other, eps, eta)


@st.composite
def scattered(draw: st.DrawFn, largest: int = 3) -> RotaryCase:
    """Rotary heads of 1 to `largest` keys in one plane, in two, in one plane twice, or with keys along the axis of the
    directions' larger scatter; angles 0, pi, right angles and Pythagorean ones."""
    kind = draw(st.sampled_from(["one", "two", "twice", "axis"]))
    size, planes = draw(st.integers(1, largest)), 2 if kind == "two" else 1
    vector = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=planes, max_size=planes)
    turns = draw(st.lists(st.sampled_from(UNIT), min_size=planes, max_size=planes))
    query, keys = draw(vector), [draw(vector) for _ in range(size)]
    if kind == "twice":
        return RotaryCase.of(turns * 2, query * 2, [key * 2 for key in keys])
    case = RotaryCase.of(turns, query, keys)
    return along_axis(case) if kind == "axis" else case


CASE_SOURCES: dict[Any, CaseSource] = {
    TableCase: CaseSource(interaction_tables, (4, 5), "rational tables, n - 1 <= {}"),
    InteractionCase: CaseSource(interaction_cases, (2, 4), "up to {} planes, rational vectors and half turns"),
    PolarCase: CaseSource(polar_cases, (2, 4), "up to {} planes, rational lengths, angles in units of pi"),
    TurningCase: CaseSource(
        lambda most: st.builds(TurningCase, TANGENT, st.integers(1, most)), (8, 24), "up to {} vectors, rational turns"
    ),
    RotaryCase: CaseSource(scattered, (3, 5), "rotary heads at rational turns, n - 1 <= {}"),
}


def _exact(claim: Claim) -> Check:
    return Check(claim.id, Tier.EXACT, lambda statement, context: exact.decide(statement))


def _has_relation(claim: Claim) -> bool:
    return claim.statement is not None and isinstance(claim.statement.form, Relation)


def _measured(context: Context) -> Mapping[str, Decision]:
    """Decide the empirical claims from the committed measurements, which are read and not measured anew."""
    from headproof.checks.trained.disentanglement.verdicts import decide_empirical

    return decide_empirical(context)


topic = Topic(
    name="disentanglement",
    title="Position and content add up in a rotary head, nearly",
    claims=(*CLAIMS, *EMPIRICAL),
    checks=(
        *kernel_checks("disentanglement", CLAIMS),
        *(proof_check(claim) for claim in CLAIMS if claim.proof is not None),
        *(_exact(claim) for claim in CLAIMS if _has_relation(claim)),
        *(
            search_check(claim, partial(cases_of, CASE_SOURCES, claim), partial(domain_of, CASE_SOURCES, claim))
            for claim in CLAIMS
        ),
    ),
    measurements=(Measurement("generalization of heads", tuple(claim.id for claim in EMPIRICAL), _measured, needs=()),),
    cases={claim.id: partial(cases_of, CASE_SOURCES, claim) for claim in CLAIMS},
)
