"""Checks of the topic `scores`: what the positional and the symbolic score of a head can be (dec.scores, dec.emp)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context, Measurement, Topic
from headproof.checks.standard import CaseSource, cases_of, domain_of, kernel_checks, proof_check, search_check
from headproof.theory.claim import Claim
from headproof.theory.scores.average_claims import AVERAGE_CLAIMS
from headproof.theory.scores.cases import AverageCase, ColdCase, PeakCase, PointsCase, SpreadCase, SwapCase
from headproof.theory.scores.cold_claims import COLD_CLAIMS
from headproof.theory.scores.effect_claims import EFFECT_CLAIMS
from headproof.theory.scores.empirical_claims import EMPIRICAL
from headproof.theory.scores.exact_claims import EXACT_CLAIMS
from headproof.theory.scores.faithful_claims import FAITHFUL_CLAIMS
from headproof.theory.scores.geometry_claims import GEOMETRY_CLAIMS
from headproof.theory.scores.head_cases import HeadCase
from headproof.theory.scores.swap_claims import SWAP_CLAIMS

CLAIMS: tuple[Claim, ...] = (
    *SWAP_CLAIMS,
    *EFFECT_CLAIMS,
    *FAITHFUL_CLAIMS,
    *EXACT_CLAIMS,
    *AVERAGE_CLAIMS,
    *COLD_CLAIMS,
    *GEOMETRY_CLAIMS,
)

# -- where cases are drawn from ------------------------------------------------------------------------------------

SUM = st.sampled_from([*map(Fraction, (1, 1, 1, 2, 3, 5, 20)), Fraction(1, 2), Fraction(1, 3), Fraction(1, 50)])
FACTOR = st.sampled_from([*map(Fraction, (1, 1, 1, 2, 2, 3)), Fraction(1, 2)])
TANGENT = st.sampled_from([Fraction(*each) for each in ((1, 2), (1, 2), (1, 3), (2, 3), (1, 50), (49, 50), (2, 5))])


@st.composite
def swap_cases(draw: st.DrawFn) -> SwapCase:
    """Swaps of any four sums, of positional, symbolic and additive tables, and of tables that are all interaction."""
    a, b, c, d = (draw(SUM) for _ in range(4))
    kinds = [(a, b, c, d)] * 4 + [(a, b, b, a), (a, b, a, b), (a * c, b * d, a * d, b * c), (a, a, b, b)]
    rest = draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(7)]))
    return SwapCase(*draw(st.sampled_from(kinds)), rest, draw(st.integers(1, 3)))


LENGTHS = [[1], [1, 1], [1, 1], [1, 1, 1], [1, 1, 1], [2, 2], [2, 2], [1, 2], [2, 1], [1, 1, 2]]
LENGTHS += [[1] * 5, [2, 2, 2], [3, 3], [2, 1, 2], [1, 4]]
SHARED = ("columns", "rows", "symmetric", "level")
TABLES = ("any", "level in use", "positional", "symbolic", "constant", *SHARED)


@st.composite
def head_cases(draw: st.DrawFn, most: int = 4) -> HeadCase:
    """Heads with up to `most` keys in few blocks, of one length or not: positional, symbolic, either but for the last
    content, with a symmetric table times a factor for each column or row, and any."""
    chosen = draw(st.sampled_from([lengths for lengths in LENGTHS if sum(lengths) <= most]))
    keys = range(sum(chosen))
    kind = draw(st.sampled_from(TABLES))
    one, other = ([draw(FACTOR) for _ in keys] for _ in range(2))
    shared = {frozenset(pair): draw(FACTOR) for pair in combinations(keys, 2)} if kind in SHARED else {}

    def entry(a: int, b: int) -> Fraction:
        if kind in SHARED:
            scale = {"columns": one[b], "rows": one[a], "symmetric": one[a] if a == b else Fraction(1)}
            return scale.get(kind, Fraction(1)) * shared.get(frozenset((a, b)), Fraction(1))
        fixed = {"positional": one[b], "symbolic": one[a], "constant": one[0]}
        level = kind == "level in use" and a == b
        return Fraction(1) if level else fixed[kind] if kind in fixed else draw(FACTOR)

    rows = [[entry(a, b) for b in keys] for a in keys]
    if kind in ("positional", "symbolic") and draw(st.integers(0, 3)) == 0:
        rows[-1] = other
    own = draw(st.sampled_from([Fraction(0), Fraction(1)]))
    return HeadCase(tuple(map(Fraction, chosen)), tuple(each for row in rows for each in row), own)


@st.composite
def average_cases(draw: st.DrawFn, most: int = 3) -> AverageCase:
    """Up to `most` swaps, scores of 1 among them; weights that add up to 1 or not, some 0, some negative."""
    count = draw(st.integers(1, most))
    tangents = draw(st.sampled_from([TANGENT, TANGENT, st.just(Fraction(1, 50))]))
    before = [draw(tangents) for _ in range(count)]
    kept = draw(st.sampled_from(["any", "same", "other", "mixed"]))
    after = []
    for t in before:
        choices = {"same": [t], "other": [(1 - t) / (1 + t)], "mixed": [t, (1 - t) / (1 + t)]}.get(kept)
        after.append(draw(TANGENT if choices is None else st.sampled_from(choices)))
    weights = [Fraction(draw(st.sampled_from([1, 1, 2, 3, 0, -1]))) for _ in range(count)]
    total = sum(weights)
    if total and draw(st.integers(0, 3)) > 0:
        weights = [weight / total for weight in weights]
    return AverageCase(tuple(before), tuple(after), tuple(weights))


@st.composite
def cold_cases(draw: st.DrawFn, most: int = 4) -> ColdCase:
    """Two to `most` swaps, differences close together, extreme scores and others, now and then one beyond 1."""
    count = draw(st.integers(2, most))
    differences = st.lists(st.integers(0, draw(st.sampled_from([1, 2, 4]))), min_size=count, max_size=count)
    score = st.sampled_from([*map(Fraction, (0, 0, 1, 1)), Fraction(1, 2)] + [Fraction(3)] * draw(st.integers(0, 1)))
    return ColdCase(tuple(map(Fraction, draw(differences))), tuple(draw(score) for _ in range(count)))


@st.composite
def peak_cases(draw: st.DrawFn, most: int = 5) -> PeakCase:
    """Three to `most` blocks, means near the largest and far from it."""
    count = draw(st.integers(3, most))
    mean = st.sampled_from([0, 0, 0, 1, 2, 3, 7, 8, 9, 10])
    return PeakCase(tuple(Fraction(draw(mean)) for _ in range(count)))


@st.composite
def points_cases(draw: st.DrawFn, most: int = 4) -> PointsCase:
    """One to `most` Pythagorean points of the quarter circle, its ends among them, some turned out of it or off it."""
    count = draw(st.integers(1, most))
    tangents = st.sampled_from([Fraction(*each) for each in ((0, 1), (1, 3), (1, 2), (1, 1), (1, 5), (2, 3))])
    signs, scale = draw(st.sampled_from([(1, 1)] * 3 + [(-1, -1), (1, -1)])), st.sampled_from([1, 1, 2])
    grown = draw(st.integers(0, 2)) == 0
    points = []
    for _ in range(count):
        t = draw(tangents)
        x, y = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        if grown:
            factor = draw(scale)
            x, y = min(Fraction(1), factor * x), min(Fraction(1), factor * y)
        turned = draw(st.booleans())
        points.append((x * signs[0], y * signs[1]) if turned else (x, y))
    return PointsCase(*(tuple(row) for row in zip(*points, strict=True)))


CASE_SOURCES: dict[Any, CaseSource] = {
    SwapCase: CaseSource(lambda _: swap_cases(), (2, 2), "swaps of two blocks, rational sums of e^logit"),
    HeadCase: CaseSource(head_cases, (4, 6), "rational tables of e^logit, up to {} keys, blocks of one length or not"),
    AverageCase: CaseSource(average_cases, (3, 5), "up to {} swaps of Pythagorean means"),
    ColdCase: CaseSource(cold_cases, (4, 6), "up to {} swaps, differences in units of tau ln 2"),
    PeakCase: CaseSource(peak_cases, (5, 7), "up to {} blocks, means in units of tau ln 2"),
    PointsCase: CaseSource(points_cases, (4, 6), "up to {} rational points"),
    SpreadCase: CaseSource(
        lambda most: st.builds(SpreadCase, st.integers(2, most)), (24, 200), "up to {} points, enclosed correlations"
    ),
}


def _measured(context: Context) -> Mapping[str, Decision]:
    """Decide the empirical claims from the committed measurements, which are read and not measured anew."""
    from headproof.checks.trained.scores.verdicts import decide_empirical

    return decide_empirical(context)


topic = Topic(
    name="scores",
    title="The positional and the symbolic score of a head",
    claims=(*CLAIMS, *EMPIRICAL),
    checks=(
        *kernel_checks("scores", CLAIMS),
        *(proof_check(claim) for claim in CLAIMS if claim.proof is not None),
        *(
            search_check(claim, partial(cases_of, CASE_SOURCES, claim), partial(domain_of, CASE_SOURCES, claim))
            for claim in CLAIMS
        ),
    ),
    measurements=(Measurement("scores on heads", tuple(claim.id for claim in EMPIRICAL), _measured, needs=()),),
    cases={claim.id: partial(cases_of, CASE_SOURCES, claim) for claim in CLAIMS},
)
