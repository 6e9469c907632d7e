"""Checks of the topic `discrepancy`: how far the largest logit leads (DYN, definition 3.1, theorem 3.2, lemma F.1)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from string import ascii_lowercase
from typing import Any

from hypothesis import strategies as st

from headproof.checks.drawing import rationals
from headproof.checks.registry import Context, Topic
from headproof.checks.standard import kernel_checks, proof_check, search_check
from headproof.theory.angles import Angle
from headproof.theory.claim import Claim
from headproof.theory.discrepancy import BoundCase, IndexCase, RetrievalCase, RetrievalInput
from headproof.theory.discrepancy.index_claims import INDEX_CLAIMS
from headproof.theory.discrepancy.index_reading_claims import READING_CLAIMS
from headproof.theory.discrepancy.index_temperature_claims import INDEX_TEMPERATURE_CLAIMS
from headproof.theory.discrepancy.retrieval_allowed_claims import ALLOWED_CLAIMS, definition
from headproof.theory.discrepancy.retrieval_decay_claims import DECAY_CLAIMS
from headproof.theory.discrepancy.retrieval_gap_claims import RETRIEVAL_GAP_CLAIMS
from headproof.theory.discrepancy.retrieval_remark_claims import REMARK_CLAIMS
from headproof.theory.discrepancy.retrieval_smallest_claims import SMALLEST_CLAIMS
from headproof.theory.discrepancy.retrieval_temperature_claims import RETRIEVAL_TEMPERATURE_CLAIMS
from headproof.theory.discrepancy.temperature import DecodingCase, TemperatureCase
from headproof.theory.discrepancy.temperature_claims import TEMPERATURE_CLAIMS
from headproof.theory.inputs import Token

CLAIMS: tuple[Claim, ...] = (
    *INDEX_CLAIMS,
    *READING_CLAIMS,
    *RETRIEVAL_GAP_CLAIMS,
    *SMALLEST_CLAIMS,
    *REMARK_CLAIMS,
    *ALLOWED_CLAIMS,
    *DECAY_CLAIMS,
    *TEMPERATURE_CLAIMS,
    *INDEX_TEMPERATURE_CLAIMS,
    *RETRIEVAL_TEMPERATURE_CLAIMS,
)
NUDGES = [Fraction(0)] * 3 + [Fraction(1, 97), Fraction(-1, 97), Fraction(1, 7)]


@st.composite
def index_cases(draw: st.DrawFn, longest: int = 8) -> IndexCase:
    """Lengths of 2 to `longest`, sometimes 11 or 15; angles where some distance is a full turn, beside them, simple
    multiples of pi and rational numbers of radians, of either sign."""
    n = draw(st.sampled_from([*range(2, longest + 1), *range(2, longest + 1), 11, 15]))
    turns = Fraction(2, draw(st.sampled_from([n, n + 1, n // 2 + 1, n // 2 + 2, max(1, n - 1)])))
    near = Angle(turns + draw(st.sampled_from(NUDGES)))
    share = Angle(draw(rationals(0, 2, 12)))
    radians = Angle(Fraction(0), draw(rationals(-7, 7, 10)))
    theta = draw(st.sampled_from([near, near, share, radians, share + radians]))
    if n > 8:  # the longest ones cost most and tell only where some distance is exactly a full turn
        theta = Angle(Fraction(2, n // 2 + 1))
    return IndexCase(theta * draw(st.sampled_from([1, 1, -1])), n)


SIZES = [(2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (5, 2), (6, 2), (8, 2)]
FEW_LETTERS = [(2, 3), (2, 3), (2, 4), (2, 4), (2, 5), (2, 6), (2, 2), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (8, 2)]
LARGER = [(2, 8), (3, 5), (4, 4), (5, 3), (6, 3), (8, 3), (12, 2)]


def _angle(draw: st.DrawFn, letters: int, n: int, n0: int) -> Angle:
    """Angles at which a place's phase meets a letter's, beside them, any share of those, and radians; often the edge of
    what the print allows and a little less."""
    counts = [2 * (n - 1), 2 * (n - 1), 2 * (n - 2), n - 1, n - 2, n, n + 1, n + 2, 2 * n0, 2 * n0, 2 * n0]
    edge = Fraction(2, letters * draw(st.sampled_from([count for count in counts if count > 0])))
    shares = [Fraction(1), Fraction(1), Fraction(9, 10), Fraction(9, 10), Fraction(0), Fraction(1, 2), Fraction(11, 10)]
    theta = Angle(edge * draw(st.sampled_from(shares)))
    any_share = Angle(edge * draw(rationals(0, 1, 8)))
    radians = Angle(Fraction(0), draw(rationals(0, 1, 20)))
    return draw(st.sampled_from([theta, theta, theta, any_share, radians])) * draw(st.sampled_from([1, 1, 1, 1, -1]))


@st.composite
def retrieval_cases(draw: st.DrawFn, sizes: tuple[tuple[int, int], ...] = tuple(SIZES)) -> RetrievalCase:
    """Alphabets and lengths with few enough inputs to go through all of them."""
    letters, n = draw(st.sampled_from(sizes))
    if draw(st.integers(0, 3)) == 0:  # just below, or at, the largest angle that the print allows
        share = draw(st.sampled_from([Fraction(99, 100), Fraction(99, 100), Fraction(9, 10), Fraction(1)]))
        return RetrievalCase(letters, Angle(Fraction(1, letters * n) * share), n, n)
    n0 = max(2, draw(st.sampled_from([n, n, n - 1, n + 1, 2 * n, n - 2, (n - 1) // 2])))
    return RetrievalCase(letters, _angle(draw, letters, n, n0), n0, n)


@st.composite
def bound_cases(draw: st.DrawFn, sizes: tuple[tuple[int, int], ...] = tuple(SIZES)) -> BoundCase:
    """Such cases with a candidate for a bound: simple ones, and ones on the scales of the leads and gaps at `n0`."""
    case = draw(retrieval_cases(sizes))
    letters, theta, n0, n = case.letters, case.theta, case.n0, case.n
    if draw(st.integers(0, 4)) > 0:  # near the edge of what the print allows, the other premises missed now and then
        n0 = draw(st.sampled_from([n, n, n, n + 1, n + 1, n + 2]))
        counts = [2 * n0 + Fraction(1, 2)] * 4 + [Fraction(2 * n0 + 1)] * 2 + [Fraction(2 * n0), Fraction(n0 + 1)]
        theta = Angle(Fraction(2, letters) / draw(st.sampled_from(counts)) * draw(st.sampled_from([1] * 7 + [0])))
    omega = Fraction(44, 7 * letters)  # a little above
    leads, gaps = [2 * omega / n0, 2 * omega / n0, omega / n0], [omega**2 / (8 * n0**2), omega**2 / (8 * (n0 + 1) ** 2)]
    bound = draw(st.sampled_from(draw(st.sampled_from([leads, leads, gaps, [Fraction(1)]]))))
    bound *= draw(st.sampled_from([Fraction(1)] * 6 + [Fraction(1, 2), Fraction(3, 2), Fraction(1, 50), Fraction(0)]))
    return BoundCase(letters, theta, n0, n, (bound * 500).__ceil__() * Fraction(1, 500))


@st.composite
def retrieval_inputs(draw: st.DrawFn, most_letters: int = 8, longest: int = 6) -> RetrievalInput:
    """Proper inputs: pairs of a letter and a number before a query of either kind, which may name itself."""
    letters, n = draw(st.integers(2, most_letters)), draw(st.integers(2, longest))
    n0 = max(2, draw(st.sampled_from([n, n, n - 1, n + 1, 2 * n])))
    names = st.sampled_from(ascii_lowercase[:letters])
    left = [draw(names) for _ in range(n - 1)]
    own = draw(names)
    named = draw(st.sampled_from(left))
    query: Token = (own, named) if draw(st.booleans()) else (own, 1)
    own_symbol: Token = (own, own) if query == (own, own) else (own, 1)
    before: list[Token] = [own_symbol if name == own else (name, 1) for name in left]
    tokens = (*before, query)
    return RetrievalInput(letters, _angle(draw, letters, n, n0), n0, tokens)


@st.composite
def decoding_cases(draw: st.DrawFn, most: int = 5) -> DecodingCase:
    """Up to `most` keys with small integer gaps and score differences, ties and cancellations among them."""
    if draw(st.integers(0, 7)) == 0:  # hotter than no temperature: the keys furthest below weigh most
        far, lead = Fraction(draw(st.integers(2, 4))), Fraction(draw(st.integers(4, 8)))
        middle = Fraction(draw(st.sampled_from([0, 0, 1, -1])))
        return DecodingCase((Fraction(0), Fraction(1), far), (lead, middle, Fraction(-1)), -1)
    size = draw(st.integers(1, most))
    gap_values = st.sampled_from(draw(st.sampled_from([(0, 1), (1,), (0, 1, 2, 3)])))
    gaps = draw(st.lists(gap_values, min_size=size - 1, max_size=size - 1))
    best = draw(st.sampled_from([1, 1, 2, 0, -1]))
    scores = st.sampled_from(draw(st.sampled_from([(-1,), (-2,), (1, -1), (4, 2, 1, 0, -1, -2, -4)])))
    differences = [best, *draw(st.lists(scores, min_size=size - 1, max_size=size - 1))]
    beta = draw(st.integers(0, 4))
    return DecodingCase(tuple(map(Fraction, (0, *gaps))), tuple(map(Fraction, differences)), beta)


@st.composite
def temperature_cases(draw: st.DrawFn, longest: int = 7) -> TemperatureCase:
    """Lengths of 2 to `longest`, the angles that the claims name and others, and temperatures on the scales at which
    one construction or the other begins to decode."""
    n0, letters = draw(st.integers(2, longest)), draw(st.integers(2, 6))
    edge = Fraction(1, letters * n0)
    square = Fraction(n0**2)
    many, few = [*range(25), 50, 80], [*range(2, 12), *[36, 40, 50] * 4]
    regimes = [
        ([Fraction(2, n0), Fraction(2, n0), Fraction(2, n0 - 1)], [square, square / 2], many),  # Index
        ([edge, edge, edge, edge / 2, 4 * edge], [square * letters**2], few),  # letter-number queries
        ([Fraction(0), edge, edge / 2, 4 * edge], [Fraction(1), Fraction(16), square], many),  # letter-letter queries
        ([Fraction(0), Fraction(1)], [Fraction(1), square], many),
    ]
    turns, scales, steps = draw(st.sampled_from([*regimes, *regimes[:2]]))
    theta = Angle(draw(st.sampled_from(turns))) * draw(st.sampled_from([1, 1, 1, 1, 1, -1]))
    theta = draw(st.sampled_from([theta] * 7 + [Angle(Fraction(0), Fraction(1))]))
    step = Fraction(draw(st.sampled_from(steps)), 100)
    scale = draw(st.sampled_from(scales))
    return TemperatureCase(theta, n0, letters, step * scale)


def _decoding(context: Context) -> Any:
    return decoding_cases(context.examples(5, 8))


def _temperature(context: Context) -> Any:
    return temperature_cases(context.examples(7, 10))


def _index(context: Context) -> Any:
    return index_cases(context.examples(8, 12))


def _retrieval(context: Context) -> Any:
    return retrieval_cases(tuple(SIZES if context.effort == "quick" else [*SIZES, *LARGER]))


def _bounds(context: Context) -> Any:
    return bound_cases(tuple(FEW_LETTERS if context.effort == "quick" else [*FEW_LETTERS, *LARGER]))


def _inputs(context: Context) -> Any:
    return retrieval_inputs(8, context.examples(6, 9))


def _domain(claim: Claim, context: Context) -> str:
    texts = {
        IndexCase: f"lengths up to {'8, 11' if context.effort == 'quick' else '12,'} and 15, exact angles, every query",
        RetrievalCase: "alphabets and lengths with few inputs, all proper ones up to equal logits, exact angles",
        BoundCase: "alphabets and lengths with few inputs, all of them gone through, exact angles, rational bounds",
        RetrievalInput: f"proper inputs of up to {context.examples(6, 9)} tokens over up to 8 letters, exact angles",
        DecodingCase: f"up to {context.examples(5, 8)} keys, gaps in units of ln 2, rational scores",
        TemperatureCase: f"n0 up to {context.examples(7, 10)}, up to 6 letters, exact angles, rational beta",
    }
    return texts[_type(claim)]


def _type(claim: Claim) -> Any:
    assert claim.statement is not None
    return claim.statement.case_type


CASES = {
    IndexCase: _index,
    RetrievalCase: _retrieval,
    BoundCase: _bounds,
    RetrievalInput: _inputs,
    DecodingCase: _decoding,
    TemperatureCase: _temperature,
}


def _few_letters(context: Context) -> Any:
    return retrieval_cases(tuple(FEW_LETTERS if context.effort == "quick" else [*FEW_LETTERS, *LARGER]))


def _own_cases(claim: Claim) -> Any:
    if claim.id == definition.id:  # near 1 for two letters alone
        return _few_letters
    return CASES[_type(claim)]


topic = Topic(
    name="discrepancy",
    title="How far the largest logit leads, and the temperature that softmax needs",
    claims=CLAIMS,
    checks=(
        *kernel_checks("discrepancy", CLAIMS),
        *(proof_check(claim) for claim in CLAIMS if claim.proof is not None),
        *(search_check(claim, _own_cases(claim), partial(_domain, claim), 100, 2000) for claim in CLAIMS),
    ),
    cases={claim.id: _own_cases(claim) for claim in CLAIMS},
)
