"""Checks of the topic `canonical`: what heads over a set of angles can answer, and what training finds (dec.toy)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from headproof.checks.engines.decision import Decision
from headproof.checks.expressivity.plane_heads import ATTRIBUTES, angles_near
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.checks.standard import CaseSource, cases_of, domain_of, kernel_checks, proof_check, search_check
from headproof.theory.canonical.alias_claims import ALIAS_CLAIMS, highest
from headproof.theory.canonical.cases import PairToyCase, SetCase, ToyCase
from headproof.theory.canonical.empirical_claims import MEASURED
from headproof.theory.canonical.geometry_claims import GEOMETRY_PRINTED, on_real_heads
from headproof.theory.canonical.induction_claims import INDUCTION_CLAIMS
from headproof.theory.canonical.within_cases import BesideCase, PlanesBindingCase, PlanesCase
from headproof.theory.canonical.within_claims import WITHIN_CLAIMS
from headproof.theory.claim import Statement, Tier, Verdict

CLAIMS = (*ALIAS_CLAIMS, *WITHIN_CLAIMS, *INDUCTION_CLAIMS)
EMPIRICAL = (*MEASURED, *GEOMETRY_PRINTED, *on_real_heads())

# -- where cases are drawn from ------------------------------------------------------------------------------------

NUDGE = st.sampled_from([Fraction(0)] * 6 + [Fraction(1, 97), Fraction(-1, 97)])
COORDINATE = st.sampled_from([Fraction(each) for each in ("0", "0", "1", "1", "-1", "-1", "1/2", "-1/2", "2", "7/8")])
Angles = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


@st.composite
def angle_sets(draw: st.DrawFn, keys: int, most: int = 3) -> Angles:
    """One to `most` angles, multiples of pi and numbers of radians: periods about the number of keys or its divisors,
    with either sign and full turns added; nearly such angles, and 0."""
    of_pi: list[Fraction] = []
    in_radians: list[Fraction] = []
    for _ in range(draw(st.integers(1, most))):
        if draw(st.integers(0, 9)) == 0:
            in_radians.append(draw(st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(0), Fraction(-2)])))
            continue
        span = draw(st.integers(1, keys + 1))
        turns = Fraction(2 * draw(st.sampled_from([1, 1, 1, 2, -1])), span)
        of_pi.append(turns + draw(NUDGE) + 2 * draw(st.sampled_from([0, 0, 0, 1])))
    return tuple(of_pi), tuple(in_radians)


@st.composite
def set_cases(draw: st.DrawFn, most: int = 5) -> SetCase:
    """Sets of angles with 1 to `most` keys and few symbols."""
    keys = draw(st.integers(1, most))
    return SetCase(*draw(angle_sets(keys)), keys, draw(st.sampled_from([1, 2, 2, 2, 3])))


@st.composite
def toy_cases(draw: st.DrawFn, most: int = 4) -> ToyCase:
    """Heads of one to three planes with 1 to `most` keys: keys and queries all one vector, or any."""
    keys = draw(st.integers(1, most))
    of_pi, in_radians = draw(angle_sets(keys))
    planes = len(of_pi) + len(in_radians)
    symbols = draw(st.sampled_from([1, 2, 2, 2, 3]))
    one = (Fraction(1), Fraction(0)) * planes

    def rows(count: int) -> tuple[Fraction, ...]:
        return tuple(draw(st.lists(COORDINATE, min_size=2 * planes * count, max_size=2 * planes * count)))

    same, own = draw(st.booleans()), draw(st.booleans())
    vectors = one * symbols if same else rows(symbols)
    queries = one if same else rows(draw(st.integers(1, keys)))
    return ToyCase(of_pi, in_radians, keys, vectors, queries, one if own else rows(1))


@st.composite
def pair_toy_cases(draw: st.DrawFn, most: int = 3) -> PairToyCase:
    """The same on partial induction: keys and queries all one vector, with which one symbol is enough, or any."""
    keys = draw(st.integers(1, most))
    of_pi, in_radians = draw(angle_sets(keys, 2))
    size = 2 * (len(of_pi) + len(in_radians))
    symbols, attributes = draw(st.sampled_from([1, 1, 1, 2])), draw(st.sampled_from([1, 2, 2, 2, 3]))
    one = (Fraction(1), Fraction(0)) * (size // 2)

    def rows(count: int) -> tuple[Fraction, ...]:
        return tuple(draw(st.lists(COORDINATE, min_size=size * count, max_size=size * count)))

    same, own = draw(st.sampled_from([True, True, False])), draw(st.booleans())
    vectors = one * symbols * attributes if same else rows(symbols * attributes)
    queries = one * symbols if same else rows(symbols)
    return PairToyCase(of_pi, in_radians, keys, attributes, vectors, queries, one if own else rows(1))


def _edges(*counts: int) -> tuple[Fraction, ...]:
    """The angles, in units of pi, of which so many steps are half a turn; half a turn itself, and one near it."""
    return (*(Fraction(1, count) for count in counts if count > 0), Fraction(1), Fraction(5, 6))


@st.composite
def binding_cases(draw: st.DrawFn, most: int = 4) -> PlanesBindingCase:
    """A plane for each symbol on Retrieval: angles about pi / (T - 1) and its like, with either sign and full turns."""
    keys = draw(st.integers(1, most))
    angle = draw(angles_near(_edges(keys - 1, keys - 1, keys - 1, keys, keys - 2)))
    return PlanesBindingCase(angle, draw(st.integers(keys, most)), draw(ATTRIBUTES), keys + 1)


@st.composite
def induction_cases(draw: st.DrawFn, most: int = 5) -> PlanesCase:
    """The same on partial induction: angles about pi / (T - 1) and pi / (2T - 3) as well."""
    keys = draw(st.integers(1, most))
    counts = (keys - 1, keys - 1, keys, keys - 2, 2 * keys - 3, 2 * keys - 3, 2 * keys - 2, 2 * keys - 4)
    return PlanesCase(
        draw(angles_near(_edges(*counts))), draw(st.sampled_from([1, 2, 2, 3])), draw(ATTRIBUTES), keys + 1
    )


@st.composite
def beside_cases(draw: st.DrawFn, most: int = 5) -> BesideCase:
    """With planes of angle 0 besides: angles about pi / (T - 2) and its like. One symbol alone has seven keys now and
    then, with which its order is not needed, but that the last key leads."""
    symbols = draw(st.sampled_from([1, 2, 2, 3]))
    keys = draw(st.sampled_from([1, 2, 3, 7, 7])) if symbols == 1 else draw(st.integers(1, most))
    edges = _edges(keys - 2, keys - 2, keys - 2, keys - 1, keys - 3) if keys < 7 else (Fraction(5, 6), Fraction(1, 5))
    return BesideCase(draw(angles_near(edges)), symbols, draw(ATTRIBUTES), keys + 1)


CASE_SOURCES: dict[Any, CaseSource] = {
    SetCase: CaseSource(set_cases, (5, 6), "sets of up to 3 exact angles, up to {} keys and 3 symbols"),
    ToyCase: CaseSource(toy_cases, (4, 5), "heads of up to 3 planes, exact angles, up to {} keys and 3 symbols"),
    PairToyCase: CaseSource(pair_toy_cases, (3, 4), "heads of up to 2 planes, exact angles, up to {} keys, 2 symbols"),
    PlanesBindingCase: CaseSource(binding_cases, (4, 5), "exact angles, up to {} keys and as many symbols"),
    PlanesCase: CaseSource(induction_cases, (5, 6), "exact angles, up to {} keys and 3 symbols"),
    BesideCase: CaseSource(beside_cases, (5, 6), "exact angles, up to {} keys and 3 symbols, 7 keys with one"),
}


# -- exhaustive ----------------------------------------------------------------------------------------------------

MOST_KEYS = 6
MOST_SYMBOLS = 4


def every_set(keys: int) -> Iterator[Angles]:
    """The angles of period 1 to `keys + 1` and one without a period, and the pairs of them."""
    alone: list[Angles] = [((Fraction(2, span),), ()) for span in range(1, keys + 2)]
    alone.append(((), (Fraction(1),)))
    yield from alone
    yield from ((one[0] + two[0], one[1] + two[1]) for one, two in combinations(alone, 2))


def _decide(statement: Statement, context: Context) -> Decision:
    """Tier `exact`: every set of one or two angles of small period with every small number of keys and symbols."""
    domain = (
        f"all sets of one or two angles 2 pi / p, p <= n, or 1 radian, and so every least common period: n - 1 <= "
        f"{MOST_KEYS} keys, up to {MOST_SYMBOLS} symbols, every input"
    )
    count = 0
    for keys in range(1, MOST_KEYS + 1):
        for of_pi, in_radians in every_set(keys):
            for symbols in range(1, MOST_SYMBOLS + 1):
                case = SetCase(of_pi, in_radians, keys, symbols)
                count += 1
                if not statement.conclusion(case):
                    return Decision(Verdict.REFUTED, domain, case, "the first that fails")
    return Decision(Verdict.HOLDS, domain, summary=f"{count} cases, one after the other")


def _measured(context: Context) -> Mapping[str, Decision]:
    """Decide the empirical claims from committed tables, which are read and not made anew."""
    from headproof.checks.trained.canonical.verdicts import decide_empirical

    return decide_empirical(context)


topic = Topic(
    name="canonical",
    title="Heads trained under frequency control",
    claims=(*CLAIMS, *EMPIRICAL),
    checks=(
        *kernel_checks("canonical", CLAIMS),
        *(proof_check(claim) for claim in CLAIMS if claim.proof is not None),
        Check(highest.id, Tier.EXACT, _decide),
        *(
            search_check(claim, partial(cases_of, CASE_SOURCES, claim), partial(domain_of, CASE_SOURCES, claim))
            for claim in CLAIMS
        ),
    ),
    measurements=(
        Measurement(
            "toys and real heads", tuple(claim.id for claim in EMPIRICAL), _measured, needs=("torch", "safetensors")
        ),
    ),
    cases={claim.id: partial(cases_of, CASE_SOURCES, claim) for claim in CLAIMS},
)
