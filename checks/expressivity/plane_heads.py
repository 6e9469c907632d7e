"""Checks of heads of one and two planes (DEC, theorems 3, 5 and 6): the part of the topic `expressivity` about what
constructions compute. `CLAIMS`, `CHECKS` and `CASES` are joined into the topic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from headproof.checks.registry import Check, Context
from headproof.checks.standard import Cases, proof_check, search_check
from headproof.theory.angles import Angle
from headproof.theory.expressivity.plane_claims import PLANE_CLAIMS
from headproof.theory.expressivity.plane_heads import (
    BindingCase,
    IndexCase,
    InductionCase,
    PhaseCase,
    PlaneCase,
    RetrievalCase,
    SizeCase,
    SoftmaxCase,
)
from headproof.theory.expressivity.plane_pairs import LongBindingCase, PlaneBindingCase, PlanePairCase

LENGTHS = st.integers(2, 5)
WEIGHTS = st.sampled_from(
    [Fraction(1), Fraction(1), Fraction(1), Fraction(1, 2), Fraction(3), Fraction(0), Fraction(-1)]
)
NUDGES = st.sampled_from(
    [Fraction(0), Fraction(0), Fraction(1, 97), Fraction(-1, 97), Fraction(1, 20), Fraction(-1, 20)]
)
SIGNS = st.sampled_from([1, 1, 1, -1])
TURNS = st.sampled_from([0, 0, 0, 0, 1, -1])
# Often twice as many as needed: two symbols and two attributes decide most, one of either is what premises exclude.
FEW = st.sampled_from([1, 2, 2, 2, 3, 4])
ATTRIBUTES = st.sampled_from([1, 2, 2, 2, 3])
COORDINATES = st.sampled_from([Fraction(each) for each in ("0", "0", "1", "1", "-1", "-1", "1/2", "-1/2", "2", "7/8")])


@st.composite
def aliasing_angles(draw: st.DrawFn, length: int) -> Angle:
    """Angles of which a small multiple is, or nearly is, a whole number of half turns; small and rational ones."""
    t = draw(st.integers(1, length + 1))
    near = Angle(Fraction(draw(st.integers(0, 2 * t)), t) + draw(NUDGES))
    small = Angle.of_radians(draw(st.sampled_from(["1/1000", "1/100", "1/10", "1/2", "1", "2", "-1/300"])))
    return draw(st.sampled_from([near, near, small]))


@st.composite
def angles_near(draw: st.DrawFn, edges: tuple[Fraction, ...], turns: bool = True) -> Angle:
    """Angles at, just below, just above and well inside one of the edges (in units of pi), perhaps negative or with
    full turns added; 0 and rational numbers of radians now and then."""
    edge = draw(st.sampled_from(edges))
    share = draw(st.sampled_from([Fraction(each) for each in ("1", "1", "97/100", "103/100", "9/10", "1/2", "1/10")]))
    radians = Angle.of_radians(draw(st.sampled_from(["0", "1/10", "1/2", "1", "1", "2"])))
    angle = draw(st.sampled_from([Angle(edge * share)] * 4 + [Angle(edge + draw(NUDGES)), radians]))
    return angle * draw(SIGNS) + Angle(Fraction(2 * draw(TURNS) if turns else 0))


@st.composite
def index_cases(draw: st.DrawFn) -> IndexCase:
    """H_POS with angles that alias and ones that do not."""
    length = draw(st.integers(2, 6))
    return IndexCase(draw(aliasing_angles(length)), draw(st.integers(1, 3)), length, draw(WEIGHTS))


@st.composite
def softmax_index_cases(draw: st.DrawFn) -> IndexCase:
    """H_POS with weights about those that softmax needs."""
    length = draw(st.integers(2, 6))
    step = Fraction(1, draw(st.integers(1, 8)))
    scale = draw(st.sampled_from([Fraction(k, 20) for k in (-20, 0, 5, 20, 27, 28, 29, 30, 31, 33, 40, 60, 100)]))
    return IndexCase(Angle(Fraction(0), step * draw(SIGNS)), draw(FEW), length, scale / step**2)


@st.composite
def plane_cases(draw: st.DrawFn) -> PlaneCase:
    """Heads of one plane: those whose keys and queries are all one vector, small changes of them, and any others."""
    length = draw(st.integers(2, 5))
    symbols = draw(st.sampled_from([1, 2, 2, 2, 3]))
    same = draw(st.booleans())
    keys = (Fraction(1), Fraction(0)) * symbols if same else _row(draw, 2 * symbols)
    queries = (Fraction(1), Fraction(0)) if same else _row(draw, 2 * draw(st.integers(1, length - 1)))
    own = (Fraction(1), Fraction(0)) if draw(st.booleans()) else _row(draw, 2)
    return PlaneCase(draw(aliasing_angles(length)), length, keys, queries, own)


def _row(draw: st.DrawFn, count: int) -> tuple[Fraction, ...]:
    return tuple(draw(st.lists(COORDINATES, min_size=count, max_size=count)))


@st.composite
def retrieval_cases(draw: st.DrawFn, soft: bool = False) -> RetrievalCase | SoftmaxCase:
    """H_SYM with few symbols; under softmax e^c at and around n - 2."""
    length = draw(LENGTHS)
    symbols, attributes = draw(st.integers(length - 1, 5)), draw(ATTRIBUTES)
    if not soft:
        return RetrievalCase(symbols, attributes, length, draw(WEIGHTS))
    growth = length + draw(st.sampled_from([Fraction(each) for each in ("-3", "-5/2", "-2", "-3/2", "-1", "0", "1/3")]))
    return SoftmaxCase(symbols, attributes, length, max(growth, Fraction(1, 7)))


@st.composite
def small_angle_cases(draw: st.DrawFn) -> PhaseCase:
    """Two planes of equal weight, angles around the bound that says not too large, with and without the symbols."""
    length, symbols = draw(LENGTHS), draw(st.integers(1, 5))
    edges = (Fraction(1, (length - 1) * symbols), Fraction(1, length - 1), Fraction(3, (length - 1) * symbols))
    return PhaseCase(draw(angles_near(edges)), symbols, draw(ATTRIBUTES), length)


@st.composite
def induction_cases(draw: st.DrawFn) -> InductionCase:
    """Two planes: angles around 2 pi / (2T - 1), weights around the margin's, exact ties among them."""
    length, symbols = draw(LENGTHS), draw(st.integers(1, 4))
    keys = length - 1
    edges = tuple(Fraction(2, 2 * keys + step) for step in (-1, -1, 0, -2) if 2 * keys + step > 0)
    recency = draw(st.sampled_from([Fraction(each) for each in ("1", "1/2", "1/10", "2", "3", "0", "0", "-1", "-2")]))
    tie = draw(st.sampled_from([None] * 12 + list(_TIES)))
    if tie is not None:
        return InductionCase(Angle(tie[0]), tie[1], draw(ATTRIBUTES), tie[2], tie[3])
    return InductionCase(draw(angles_near(edges)), symbols, draw(ATTRIBUTES), length, recency)


# angle / pi, symbols, length, recency with 1 - cos(2 pi / symbols) = recency (cos theta - cos T theta)
_TIES = (
    (Fraction(1, 3), 2, 4, Fraction(4, 3)),
    (Fraction(1, 3), 2, 3, Fraction(2)),
    (Fraction(1, 3), 4, 3, Fraction(1)),
    (Fraction(1, 2), 3, 3, Fraction(3, 2)),
)


@st.composite
def phase_cases(draw: st.DrawFn) -> PhaseCase:
    """One plane with the symbol in the phase on partial induction: angles around omega / (2T - 1) and its like."""
    length, symbols = draw(LENGTHS), draw(st.sampled_from([1, 2, 2, 3, 4, 5]))
    keys = length - 1
    edges = tuple(Fraction(2, symbols * (2 * keys + step)) for step in (-1, -1, 0, -2) if 2 * keys + step > 0)
    return PhaseCase(draw(angles_near((*edges, Fraction(2, 2 * keys - 1)))), symbols, draw(ATTRIBUTES), length)


@st.composite
def ahead_cases(draw: st.DrawFn) -> PhaseCase:
    """The same with phases set ahead: angles around omega / (2T - 4) and omega / (T - 1)."""
    length, symbols = draw(LENGTHS), draw(st.sampled_from([1, 2, 2, 3, 4]))
    keys = length - 1
    counts = [count for count in (2 * keys - 4, 2 * keys - 3, 2 * keys - 5, keys - 1, keys - 2) if count > 0]
    edges = tuple(Fraction(2, symbols * count) for count in counts or [1])
    return PhaseCase(draw(angles_near(edges)), symbols, draw(ATTRIBUTES), length)


@st.composite
def binding_cases(draw: st.DrawFn) -> BindingCase:
    """One plane with centred phases on Retrieval: angles around omega / (T - 1) and its like."""
    length = draw(LENGTHS)
    symbols, keys = draw(st.integers(length - 1, 5)), length - 1
    edges = tuple(Fraction(2, symbols * count) for count in (keys - 1, keys, keys - 2, 2 * keys) if count > 0)
    return BindingCase(draw(angles_near((*edges, Fraction(1)))), symbols, draw(ATTRIBUTES), length)


# Tangents of the angle by which queries are turned ahead, so that matches come in order.
_TURNED = [Fraction(each) for each in ("1", "1", "1", "1/2", "1/4", "1/20", "2", "20", "0")]
# Symbols nearly on a regular polygon: two, three and four of them.
_CIRCLE = {
    1: (Fraction(1), Fraction(0)),
    2: (Fraction(1), Fraction(0), Fraction(-1), Fraction(0)),
    3: (Fraction(1), Fraction(0), Fraction(-1, 2), Fraction(7, 8), Fraction(-1, 2), Fraction(-7, 8)),
}


@st.composite
def _nearly_wide(draw: st.DrawFn) -> PlanePairCase:
    """Heads of one plane that are right on partial induction at angles near the last that allow it."""
    turn, symbols = draw(st.sampled_from([(Fraction(1), 2), (Fraction(1), 2), (Fraction(20), 1)]))
    theta = Angle(draw(st.sampled_from([Fraction(each) for each in ("1/3", "2/5", "9/20", "1/2", "1/4", "3/4")])))
    vectors = _CIRCLE[symbols]
    queries = tuple(each for x, y in zip(vectors[::2], vectors[1::2], strict=True) for each in (x, x * turn + y))
    return PlanePairCase(theta, symbols, draw(st.integers(1, 2)), 4, vectors, queries, Fraction(-30))


@st.composite
def plane_pair_cases(draw: st.DrawFn, repeated: bool) -> PlanePairCase:
    """Any heads of one plane on pairs, half of them with symbols on a polygon and all queries turned a little."""
    case_type = PlanePairCase if repeated else PlaneBindingCase
    if repeated and draw(st.sampled_from([True, False, False])):
        return draw(_nearly_wide())
    length = draw(st.sampled_from([2, 3, 4, 4] if repeated else [2, 3, 3, 4]))
    symbols = draw(st.sampled_from([1, 2, 2, 3])) if repeated else draw(st.integers(length - 1, 3))
    attributes = draw(st.sampled_from([1, 2, 2, 2]))
    keys = length - 1
    counts = [count for count in ((2 * keys - 4, 2 * keys - 3) if repeated else (keys - 1, keys)) if count > 0]
    edges = (*(Fraction(1, count) for count in counts or [1]), Fraction(1, 2 * keys))
    theta = draw(angles_near(edges))
    if draw(st.sampled_from([True, True, True, False])):
        vectors = _CIRCLE[symbols]
        turn = draw(st.sampled_from(_TURNED)) if repeated else Fraction(0)
        turn, sign = turn if theta.turns >= 0 else -turn, draw(SIGNS) if not repeated else 1
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        queries = tuple(sign * each for x, y in pairs for each in (x - turn * y, y + turn * x))
        return case_type(theta, symbols, attributes, length, vectors, queries, Fraction(-30))
    per = symbols * attributes if draw(st.booleans()) else symbols
    own = draw(st.sampled_from([Fraction(-3), Fraction(0), Fraction(3)]))
    return case_type(theta, symbols, attributes, length, _row(draw, 2 * per), _row(draw, 2 * symbols), own)


# The head with values that computes Retrieval at theta = pi: 2^(k . q) is 2, 1/8, 2 and 4 two steps back.
WITH_VALUES = PlaneBindingCase(
    Angle(Fraction(1)),
    2,
    2,
    3,
    tuple(map(Fraction, (0, 1, 0, -3, 0, 1, 0, 2))),
    tuple(map(Fraction, (1, 0, 0, 0))),
    Fraction(0),
    tuple(map(Fraction, (4, -3, 12, 2, -7, -8))),
)


@st.composite
def value_cases(draw: st.DrawFn) -> PlaneBindingCase:
    """That head, its values changed a little or not at all; full turns more; now and then a shorter input."""
    change = draw(st.lists(st.sampled_from([0, 0, 0, 0, 0, 1, -1]), min_size=6, max_size=6))
    values = tuple(value + each for value, each in zip(WITH_VALUES.values, change, strict=True))
    theta = draw(st.sampled_from([1, 1, 1, -1, 3, 2, 0]))
    return replace(WITH_VALUES, theta=Angle(Fraction(theta)), values=values, length=draw(st.sampled_from([3, 3, 3, 2])))


def binding_plane_cases(values: int = 1) -> st.SearchStrategy[PlanePairCase]:
    """Any heads of one plane on Retrieval; so many in six have values."""
    return st.integers(0, 5).flatmap(lambda k: value_cases() if k < values else plane_pair_cases(False))


@st.composite
def long_cases(draw: st.DrawFn) -> LongBindingCase:
    """Any heads of one plane on Retrieval at lengths up to 9, most with the symbols nearly on a regular polygon."""
    length = draw(st.sampled_from([3, 4, 5, 5, 9, 9, 9, 9]))
    symbols = draw(st.integers(length - 1, max(length - 1, 4)))
    attributes = draw(st.sampled_from([1, 2, 2, 2]))
    sizes = draw(st.sampled_from(["1/2", "1/2", "1", "7/8", "1/20", "1/20", "44/7", "44/7"]))
    theta = draw(st.sampled_from([Angle.of_radians(sizes)] * 4 + [Angle(Fraction(1, 4)), Angle(Fraction(2))]))
    if draw(st.sampled_from([True, True, True, False])):
        turns = [2 * math.pi * k / symbols for k in range(symbols)]
        vectors = tuple(Fraction(round(10 * f(x)), 10) for x in turns for f in (math.cos, math.sin))
        # A full turn more turns the frame of the middle by half a turn where n is odd.
        sign = -1 if theta.enclosure() > 6 and length % 2 else 1
        queries = tuple(sign * each for each in vectors)
    else:
        vectors, queries = _row(draw, 2 * symbols), _row(draw, 2 * symbols)
    return LongBindingCase(theta * draw(SIGNS), symbols, attributes, length, vectors, queries, Fraction(-30))


def _sizes(context: Context) -> Any:
    return st.builds(SizeCase, st.integers(1, 3), st.integers(2, context.examples(6, 8)))


_STRATEGIES: Mapping[str, tuple[Any, str]] = {
    "dec.thm3.angles": (index_cases(), "lengths up to 6, up to 3 symbols"),
    "dec.thm3.one-plane": (
        plane_cases(),
        "lengths up to 5, up to 3 symbols, small rational vectors, the queries' in the frame turned back to their "
        "target; VAL the identity, F the projection, hard attention",
    ),
    "dec.thm5": (retrieval_cases(), "lengths up to 5, up to 5 symbols and 3 attributes"),
    "dec.thm5.softmax": (retrieval_cases(True), "lengths up to 5, up to 5 symbols and 3 attributes, rational e^c"),
    "dec.thm5.one-plane.outer": (
        binding_plane_cases(),
        "lengths up to 4, up to 3 symbols, small rational vectors in the frame of the middle of the places",
    ),
    "dec.thm5.one-plane.any-values": (
        binding_plane_cases(3),
        "lengths up to 4, up to 3 symbols, small rational vectors in the frame of the middle of the places; with "
        "values two symbols and theta a multiple of pi",
    ),
    "dec.thm5.one-plane.polygon": (binding_cases(), "lengths up to 5, up to 5 symbols"),
    "dec.thm6": (small_angle_cases(), "lengths and numbers of symbols up to 5"),
    "dec.thm6.range": (induction_cases(), "lengths up to 5, up to 4 symbols, ties among them"),
    "dec.thm6.one-plane.outer": (
        plane_pair_cases(True),
        "lengths up to 4, up to 3 symbols, small rational vectors in the frame of the middle of the places",
    ),
    "dec.thm6.one-plane.inner": (ahead_cases(), "lengths up to 5, up to 4 symbols"),
    "dec.thm6.one-plane.two-symbols": (ahead_cases(), "lengths up to 5"),
    "dec.thm6.one-angle": (phase_cases(), "lengths and numbers of symbols up to 5"),
    "dec.toy.index-needs-high": (index_cases(), "lengths up to 6, up to 3 symbols"),
    "dec.toy.index-needs-high.softmax": (softmax_index_cases(), "lengths up to 6, weights about the bound"),
    "dec.toy.retrieval-needs-low.from-some-length": (
        long_cases(),
        "lengths up to 9, n - 1 symbols (up to 4 at n <= 4), rational vectors in the frame of the middle of the "
        "places, decided by pairs of keys",
    ),
    "dec.toy.retrieval-needs-low": (binding_cases(), "lengths up to 5, up to 5 symbols"),
}


def _strategy(claim_id: str, context: Context) -> Any:
    if claim_id in ("dec.thm3.position", "dec.thm3.offset"):
        return _sizes(context)
    return _STRATEGIES[_known(claim_id)][0]


def _known(claim_id: str) -> str:
    """The longest id of the table that the claim's id begins with."""
    return max((each for each in _STRATEGIES if claim_id == each or claim_id.startswith(f"{each}.")), key=len)


def _domain(claim_id: str, context: Context) -> str:
    if claim_id in ("dec.thm3.position", "dec.thm3.offset"):
        return f"lengths up to {context.examples(6, 8)}, up to 3 symbols"
    return f"{_STRATEGIES[_known(claim_id)][1]}, exact angles"


CLAIMS = PLANE_CLAIMS
CASES: dict[str, Cases] = {claim.id: partial(_strategy, claim.id) for claim in CLAIMS}
CHECKS: tuple[Check, ...] = (
    *(proof_check(claim) for claim in CLAIMS if claim.proof is not None),
    *(search_check(claim, CASES[claim.id], partial(_domain, claim.id), 80, 1500) for claim in CLAIMS),
)
