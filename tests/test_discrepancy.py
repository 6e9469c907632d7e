"""The topic discrepancy: claims and controls, counterexamples by hand, closed forms by brute force, real weights."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from other_tiers import decided

from headproof.checks import deciding
from headproof.checks.discrepancy import (
    bound_cases,
    decoding_cases,
    index_cases,
    retrieval_cases,
    retrieval_inputs,
    temperature_cases,
    topic,
)
from headproof.checks.engines.derivation import Unproved, verify_derivation
from headproof.checks.engines.symbolic import verify_proof
from headproof.constructions.feasibility import index_transformer, retrieval_transformer
from headproof.theory import cosine_sums
from headproof.theory.angles import Angle, precision
from headproof.theory.claim import Verdict
from headproof.theory.derivation import Derivation, Entailment, Use, at_least
from headproof.theory.discrepancy import (
    BoundCase,
    IndexCase,
    RetrievalCase,
    RetrievalInput,
    best_wrong_letter,
    gap,
    index_gaps,
    index_logits,
    largest_gap,
    letter_offsets,
    retrieval_logits,
    smallest_gap_with_ties,
    smallest_positive_gap,
    smallest_wrong_gap,
    temperature,
)
from headproof.theory.discrepancy.temperature import DecodingCase, TemperatureCase, decodes, smallest_beta
from headproof.theory.errors import InputError
from headproof.theory.sequences import (
    index_function,
    proper_inputs,
    require_proper,
    retrieval_function,
    valid_index_inputs,
)

CLAIMS = {claim.id: claim for claim in topic.claims}
X = sympy.Symbol("x", real=True)
REFUTED = {
    "dyn.thm3.2.index": IndexCase(Angle.of_pi("2/3"), 4),
    "dyn.thm3.2.index.smallest-positive": IndexCase(Angle.of_pi(1), 4),
    "dyn.thm3.2.retrieval": RetrievalInput(2, Angle.of_radians("1/2"), 2, (("a", 1), ("b", 1))),
    "dyn.thm3.2.retrieval.best-wrong-letter": RetrievalCase(2, Angle.of_radians("1/2"), 2, 2),
    "dyn.thm3.2.retrieval.smallest-lead": RetrievalCase(2, Angle.of_radians("1/2"), 2, 2),
    "dyn.thm3.2.retrieval.smallest-positive": RetrievalCase(2, Angle.of_pi("6/25"), 2, 4),
    "dyn.thm3.2.symbolic-stays.every-input": RetrievalCase(2, Angle.of_pi(0), 2, 2),
    "dyn.thm3.2.symbolic-stays.allowed-angles": BoundCase(3, Angle.of_pi("1/10"), 3, 3, Fraction(1)),
    "dyn.thm3.2.symbolic-stays.allowed-angles.smallest-positive": BoundCase(
        2, Angle.of_radians("1/2"), 2, 2, Fraction(1)
    ),
}
PROVED = [claim for claim in topic.claims if claim.proof is not None]


@pytest.fixture(autouse=True)
def _only_this_topic(monkeypatch):
    """Decide by this topic's own claims, whether or not it is registered."""
    monkeypatch.setattr(deciding, "topic_of", lambda _: topic)
    monkeypatch.setattr(deciding, "claims", lambda: CLAIMS)


# -- claims, controls, proofs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", topic.claims, ids=lambda claim: claim.id)
def test_the_record_of_a_claim(claim):
    record = decided(claim.id)
    expected = Verdict.REFUTED if claim.id in REFUTED else Verdict.HOLDS
    assert {finding["verdict"] for finding in record["findings"]} == {expected}, record["findings"]
    for finding in record["findings"]:
        assert len(finding["controls"]) >= 3
        assert all(control["passed"] for control in finding["controls"]), finding["controls"]
    assert {premise["status"] for premise in record["premises"]} <= {"needed"}


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_proofs_prove_their_claim_and_no_mutant(claim):
    assert all(result.accepted for result in verify_proof(claim.proof, claim.statement))
    for mutant in claim.mutants:
        assert not all(result.accepted for result in verify_proof(claim.proof, mutant.statement)), mutant.name


def test_every_claim_is_proved_or_refuted():
    assert {claim.id for claim in PROVED} | set(REFUTED) == set(CLAIMS)
    assert all(CLAIMS[name].repair in CLAIMS for name in REFUTED)


# -- counterexamples by hand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REFUTED)
def test_the_counterexamples_refute(name):
    assert CLAIMS[name].statement.refuted_by(REFUTED[name])


@pytest.mark.parametrize("theta", [2 * math.pi / 3, 3 * math.pi / 5, 3 * math.pi / 5 + 0.01])
def test_index_at_length_four_by_hand(theta):
    """The query that points 2 back sees distances 2, 1, 0, -1: a gap above 2 pi^2 / 16."""
    logits = sorted(math.cos((t - 2) * theta) for t in range(4))
    assert logits[-1] - logits[-2] > 2 * math.pi**2 / 16 + 0.07
    assert logits[-1] - logits[-2] <= 1 - math.cos(2 * math.pi / 3) + 1e-12


def test_no_shorter_length_refutes_the_index_bound():
    assert 2 * math.pi**2 / 9 >= 2  # n = 3, and 2 is the most that a gap can be


def test_retrieval_by_hand():
    """Eight letters, (e,1) (a,1): the query attends to itself, and the other key is opposite to it."""
    theta, omega = 0.01, math.pi / 4
    assert 1 - math.cos(4 * omega + theta) > 1.99
    assert 1 - math.cos(omega - 2 * theta) < 0.3
    case = RetrievalInput(8, Angle.of_radians("1/100"), 2, (("e", 1), ("a", 1)))
    assert CLAIMS["dyn.thm3.2.retrieval"].statement.refuted_by(case)
    # Two letters, n = n0 = 2: a wrong letter one place back is pi - theta off, not pi - 2 theta.
    assert 1 - math.cos(math.pi - 0.5) == pytest.approx(1.878, abs=1e-3)
    assert 1 - math.cos(math.pi - 1) == pytest.approx(1.540, abs=1e-3)


@pytest.mark.parametrize("letters", range(2, 12))
@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
def test_the_printed_retrieval_bound_fails_everywhere(letters, share):
    """Every alphabet, allowed angle and length n <= n0: the exact discrepancy is above the bound, and above 1."""
    omega = 2 * math.pi / letters
    for n0 in (2, 3, 5, 40):
        theta = share * omega / (2 * n0)
        for n in range(2, n0 + 1):
            exact = 1 + math.cos(omega / 2 - theta if letters % 2 else (n - 1) * theta)
            assert exact > max(1, 1 - math.cos(omega - n * theta))


def test_copies_and_lengths_beyond_n0_by_hand():
    require_proper((("a", 1), ("a", 1)))
    require_proper((("x", 6), ("x", 6), ("x", 5)))
    # n0 = 2, n = 4, omega = pi, theta = 6 pi / 25 < omega / 4: the logits of all inputs are cos of these angles.
    theta = 0.24 * math.pi
    logits = {round(math.cos(d * math.pi + t * theta), 12) for d in (0, 1) for t in range(4)}
    gaps = [abs(x - y) for x, y in product(logits, repeat=2) if x != y]
    assert min(gaps) > 1 - math.cos(math.pi - 4 * theta)


def test_the_lead_at_the_edge_of_the_allowed_angles():
    """Three letters, n0 = 3, theta = pi / 10: the lead is below 1, and it goes on falling as 1 / n0."""
    omega, theta = 2 * math.pi / 3, math.pi / 10
    assert theta < omega / 6
    assert math.cos(theta) - math.cos(omega - 2 * theta) == pytest.approx(0.847, abs=1e-3)
    for n0 in (10, 100, 1000):
        edge = omega / (2 * n0)
        lead = math.cos((n0 - 2) * edge) - math.cos(omega - (n0 - 1) * edge)
        assert lead == pytest.approx(2 * math.sin(omega / 2 - omega / (4 * n0)) * math.sin(3 * omega / (4 * n0)))
        assert lead * n0 == pytest.approx(1.5 * omega * math.sin(omega / 2), rel=1 / n0)


@pytest.mark.parametrize("bound", [1.0, 0.1, 1e-3])
def test_every_candidate_for_a_constant_fails(bound):
    """At theta = omega / (2 n0 + 1), n = n0 >= 2 omega / bound, and far sooner for the smallest positive gap."""
    for letters in (2, 3, 8):
        omega = 2 * math.pi / letters
        n0 = max(2, math.ceil(2 * omega / bound))
        theta = omega / (2 * n0 + 1)
        assert math.cos((n0 - 2) * theta) - math.cos(omega - (n0 - 1) * theta) < bound
        n0 = max(1, math.ceil(omega / math.sqrt(8 * bound)))
        assert 1 - math.cos(0.999 * omega / (2 * n0)) < bound
    assert 1 - math.cos(0.5) == pytest.approx(0.122, abs=1e-3)  # 2 letters, n = n0 = 2, (a,1) (a,1)


def test_the_readings_that_stay_away_from_zero():
    """Near omega / (2 n0), n = n0, two letters: the definition near 1, the best wrong letter near half a letter."""
    omega, n0 = math.pi, 10**6
    theta = 0.999999 * omega / (2 * n0)
    assert 1 < 1 + math.cos((n0 - 1) * theta) < 1 + 1e-5
    assert 0 < (1 - math.cos(omega - (n0 - 1) * theta)) - (1 - math.cos(omega / 2)) < 1e-5


# -- definitions against floats and real weights -------------------------------------------------------------------


def number(total):
    return sum(times * math.cos(float(angle)) for times, angle in total)


@given(index_cases())
@settings(max_examples=60)
def test_index_gaps_are_those_of_the_logits(case):
    for i, found in enumerate(index_gaps(case)):
        logits = sorted(math.cos((t - i) * float(case.theta)) for t in range(case.n))
        assert number(found) == pytest.approx(logits[-1] - logits[-2], abs=1e-9)


@given(retrieval_cases())
@settings(max_examples=60)
def test_retrieval_gaps_are_those_of_the_inputs(case):
    theta, omega = float(case.theta), 2 * math.pi / case.letters
    ties, positive, leads = [], [], []
    for offsets in letter_offsets(case):
        logits = [math.cos(offset * omega + t * theta) for t, offset in enumerate(offsets)]
        best = sorted(logits)
        ties.append(best[-1] - best[-2])
        positive += [best[-1] - x for x in best if best[-1] - x > 1e-9]
        wrong = [x for x, offset in zip(logits, offsets, strict=True) if offset]
        if wrong:
            leads.append(max(x for x, offset in zip(logits, offsets, strict=True) if not offset) - max(wrong))
    assert number(smallest_gap_with_ties(case)) == pytest.approx(min(ties), abs=1e-9)
    assert number(largest_gap(case)) == pytest.approx(max(ties), abs=1e-9)
    assert number(smallest_wrong_gap(case)) == pytest.approx(min(leads), abs=1e-9)
    assert number(smallest_positive_gap(case) or ()) == pytest.approx(min(positive, default=0), abs=1e-9)
    wrong = max(math.cos(d * omega + t * theta) for d in range(1, case.letters) for t in range(case.n))
    assert number(best_wrong_letter(case)) == pytest.approx(1 - wrong, abs=1e-9)


@pytest.mark.parametrize(("letters", "n"), [(2, 2), (2, 4), (3, 3), (4, 3), (5, 2)])
def test_the_largest_retrieval_gap_over_all_proper_inputs(letters, n):
    """Every proper input over these letters and two numbers, against the closed form."""
    theta, omega = Angle.of_pi(Fraction(2, letters * 2 * (n - 1))) * Fraction(2, 3), 2 * math.pi / letters
    inputs = proper_inputs("abcde"[:letters], [1, 2], n)
    some = [tokens for place, tokens in enumerate(inputs) if place % (1 if letters < 4 else 7) == 0]
    gaps = {gap(retrieval_logits(RetrievalInput(letters, theta, n, tokens))) for tokens in some}
    phase = omega / 2 - float(theta) if letters % 2 else (n - 1) * float(theta)
    bound = 1 + math.cos(phase)
    assert max(map(number, gaps)) <= bound + 1e-9
    opposite = "abcde"[letters // 2]
    worst = RetrievalInput(letters, theta, n, ((opposite, 1),) * (n - 1) + (("a", 1),))
    assert number(gap(retrieval_logits(worst))) == pytest.approx(bound, abs=1e-9)


def test_logits_are_those_of_the_weights():
    theta = sympy.pi * 3 / 25
    index = index_transformer("ab", 4, 5, theta)
    for tokens, i in ((("a", "b", "a", "b", 3), 3), (("a", "a", "b"), 0)):
        case = IndexCase(Angle.of_pi("3/25"), len(tokens))
        expected = [math.cos(float(angle)) for angle in index_logits(case, i)]
        assert list(map(float, index.logits(tokens)))[::-1] == pytest.approx(expected)
    tokens = (("c", 5), ("b", "c"), ("a", 5), ("a", "b"))
    retrieval = retrieval_transformer("abc", [5], 4, theta)
    case = RetrievalInput(3, Angle.of_pi("3/25"), 4, tokens)
    expected = [math.cos(float(angle)) for angle in retrieval_logits(case)]
    assert list(map(float, retrieval.logits(tokens)))[::-1] == pytest.approx(expected)


@pytest.mark.parametrize("theta", [2 * math.pi / 5, 0.8])
def test_the_smallest_beta_of_index_on_every_valid_input(theta):
    """Right on all inputs just above it, wrong on one just below."""
    head = index_transformer("ab", 4, 5, theta).numeric()
    inputs = [tokens for n in range(1, 6) for tokens in valid_index_inputs("ab", 4, n)]
    beta = smallest_beta("index", 5, theta)
    assert all(head.apply(tokens, beta * 1.001) == index_function(tokens) for tokens in inputs)
    assert any(head.apply(tokens, beta * 0.999) != index_function(tokens) for tokens in inputs)


@pytest.mark.parametrize("share", [0.3, 0.99])
def test_the_smallest_beta_of_retrieval_on_every_proper_input(share):
    """Over all proper inputs the letter-number queries decide, over letter-letter ones alone far less is enough."""
    theta = share * 2 * math.pi / 3 / 6
    head = retrieval_transformer("xyz", [5, 6], 3, theta).numeric()
    inputs = [tokens for n in range(1, 4) for tokens in proper_inputs("xyz", [5, 6], n)]
    numbers, letters = (smallest_beta(kind, 3, theta, letters=3) for kind in ("numbers", "letters"))
    last = {kind: [t for t in inputs if isinstance(t[-1][1], kind)] for kind in (int, str)}
    for kind, beta in ((int, numbers), (str, letters)):
        right = {
            scale: [head.apply(tokens, beta * scale)[-1] == retrieval_function(tokens)[-1] for tokens in last[kind]]
            for scale in (1.001, 0.999)
        }
        assert all(right[1.001])
        assert not all(right[0.999])
    assert letters < numbers


# -- temperature ---------------------------------------------------------------------------------------------------


@given(decoding_cases())
@settings(max_examples=60)
def test_decoding_is_that_of_softmax(case):
    logits = -np.array(case.gaps, dtype=float) * math.log(2)
    weights = np.exp(case.beta * logits)
    score = float(weights @ np.array(case.differences, dtype=float))
    if abs(score) > 1e-9:
        assert decodes(case, case.beta) == (score > 0)


def test_lemma_f1_is_sharp():
    """One best key, two others at gap ln 2 that take 1 each: right from beta ln 2 > ln 2 on, not at equality."""
    case = DecodingCase(tuple(map(Fraction, (0, 1, 1))), tuple(map(Fraction, (1, -1, -1))), 1)
    assert not decodes(case, 1)
    assert decodes(case, 2)
    assert CLAIMS["dyn.lemmaF.1.explicit"].statement.meets(case) is False


def test_below_temperature_zero_lemma_f1_fails():
    """Lags 0, 1, 30, differences 10, 0, -1, beta = -1: the condition holds, the last key has almost all weight."""
    case = DecodingCase(tuple(map(Fraction, (0, 1, 30))), tuple(map(Fraction, (10, 0, -1))), -1)
    assert 10 * Fraction(1, 2) > 2
    assert 10 - 2**30 < 0
    assert not decodes(case, -1)
    statement = CLAIMS["dyn.lemmaF.1.explicit"].statement
    assert statement.without("not negative").refuted_by(case)
    assert not statement.refuted_by(case)


def test_the_smallest_lead_up_to_the_end_of_its_range():
    """(2 n - 3) theta = omega: the lead is 0, on every input that has it."""
    for letters, n in ((2, 2), (2, 4), (3, 3), (4, 3), (5, 2)):
        theta = Angle.of_pi(Fraction(2, letters * (2 * n - 3)))
        assert cosine_sums.sign_of(smallest_wrong_gap(RetrievalCase(letters, theta, n, n))) == 0


@pytest.mark.parametrize("n0", [2, 3, 8, 60])
def test_the_temperature_of_number_queries_serves_letter_queries(n0):
    """beta V >= 3 ln 2 (2 n0 - 1) at beta = pi^2 ln 2 / (2 theta^2), which is above ln(n0 - 1)."""
    for letters, share in product((2, 3, 8), (0.1, 0.5, 1.0)):
        omega = 2 * math.pi / letters
        theta = share * omega / (2 * n0)
        beta = math.pi**2 * math.log(2) / (2 * theta**2)
        lead = math.cos((n0 - 2) * theta) - math.cos(omega - (n0 - 1) * theta)
        assert beta * lead >= 3 * math.log(2) * (2 * n0 - 1) > math.log(n0 - 1)
        if n0 > 2:
            assert beta > max(smallest_beta(kind, n0, theta, letters) for kind in ("numbers", "letters"))


@pytest.mark.parametrize("theta", [2 * math.pi / 7, 1.0, 2.0, 0.3])
def test_index_at_any_angle(theta):
    for n0 in (3, 4, 6):
        least = min(1 - math.cos(u * theta) for u in range(1, n0))
        assert smallest_beta("index", n0, theta) <= math.log(n0 - 1) / least + 1e-9
    # n0 = 3: the middle query has both other keys at the least lag, so equality is the threshold
    assert smallest_beta("index", 3, 0.3) == pytest.approx(math.log(2) / (1 - math.cos(0.3)))


def _agrees(exact, kind, case, letters=8):
    smallest = smallest_beta(kind, case.n0, float(case.theta), letters)
    if abs(float(case.beta) - smallest) > 1e-6 * (1 + smallest):
        assert exact(case) == (float(case.beta) > smallest)


@given(temperature_cases())
@settings(max_examples=60)
def test_exact_and_floating_thresholds_agree(case):
    if case.n0 >= 3:
        _agrees(temperature.index_decodes, "index", case)
        _agrees(temperature.numbers_decode, "numbers", case)
    within = case.theta * (2 * case.n0)
    if case.n0 >= 3 and case.theta.is_nonnegative and (case.omega - within).is_nonnegative:
        _agrees(temperature.letters_decode, "letters", case, case.letters)


@cache
def betas(kind, share):
    """The smallest beta for n0 = 8, 16, ..., 4096: at 2 pi / n0 for Index, at a share of omega / n0 for Retrieval."""
    angle = 2 * math.pi if kind == "index" else share * math.pi / 4
    return {2**k: float(smallest_beta(kind, 2**k, angle / 2**k)) for k in range(3, 13)}


def test_the_growth_of_the_smallest_beta():
    index, numbers = betas("index", 1), betas("numbers", 0.5)
    assert index[4096] / 4096**2 == pytest.approx(0.0398, abs=1e-4)
    assert numbers[4096] / 4096**2 == pytest.approx(4.527, abs=1e-3)
    assert math.log2(index[4096] / index[2048]) == pytest.approx(2, abs=0.001)
    edge, inside = betas("letters", 0.5), betas("letters", 1 / 16)
    assert all(2.0 < beta / n0 < 2.6 for n0, beta in edge.items())
    assert all(3.38 < beta / math.log(n0) < 3.7 for n0, beta in inside.items())
    for n0, beta in index.items():
        least = math.log(2) / (2 * math.pi**2) * ((n0 + 1) // 2) ** 2
        assert least < beta < math.log(8 / 3) / 8 * n0**2
    for n0, beta in numbers.items():
        assert (
            2 * math.log(2) * n0**2 / (math.pi / 4) ** 2
            < beta
            < 2 * math.pi**2 * math.log(2) * n0**2 / (math.pi / 4) ** 2
        )


def test_angle_zero_needs_the_logarithm():
    for n0 in (3, 10, 1000):
        expected = math.log(n0 - 1) / (1 - math.cos(math.pi / 4))
        assert smallest_beta("letters", n0, 0.0) == pytest.approx(expected)
    assert smallest_beta("numbers", 5, 0.0) == math.inf


def test_an_unknown_construction_is_refused():
    with pytest.raises(InputError, match="'both'"):
        smallest_beta("both", 4, 0.1)


# -- the rules that these proofs brought ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "low", "high", "wanted"),
    [
        ("chord", at_least(X), at_least(sympy.pi / 2, X), at_least(sympy.pi * sympy.sin(X), 2 * X)),
        ("chord", at_least(X), at_least(sympy.pi, X), None),
        ("chord", at_least(X, -1), at_least(sympy.pi / 2, X), None),
        ("tangent", None, None, at_least(sympy.exp(X), 1 + X)),
        ("tangent", at_least(X), None, None),
    ],
)
def test_chord_and_tangent(rule, low, high, wanted):
    facts = {name: fact for name, fact in (("low", low), ("high", high)) if fact is not None}
    proof = Derivation("rule", (Use("found", rule, (X,), tuple(facts)),))
    statement = Entailment("rule", facts, (wanted or at_least(1),))
    if wanted is None:
        with pytest.raises(Unproved):
            verify_derivation(statement, proof)
    else:
        verify_derivation(statement, proof)
        assert all(float(wanted.expression.subs(X, x)) >= -1e-12 for x in np.linspace(0, math.pi / 2, 20))


# -- signs of sums of cosines --------------------------------------------------------------------------------------

TURNS = st.fractions(-2, 2, max_denominator=12).map(Angle)
RADIANS = st.fractions(-3, 3, max_denominator=4).map(Angle.of_radians)


@given(st.lists(st.tuples(st.integers(-2, 2), st.one_of(TURNS, RADIANS)), max_size=5))
@settings(max_examples=200)
def test_signs_agree_with_floats(terms):
    total = tuple(terms)
    with precision(200):
        enclosed = cosine_sums.value(total)
    found = cosine_sums.sign_of(total)
    assert (enclosed > 0) == (found > 0) or found == 0
    if found == 0:
        assert abs(float(enclosed.mid())) < 1e-40


@pytest.mark.parametrize(
    "total",
    [
        "2 1/5 pi, -2 2/5 pi, -1 0",  # cos 36 - cos 72 = 1/2
        "1 1, 1 2/3 pi + 1, 1 4/3 pi + 1",
        "1 1/7 pi, 1 3/7 pi, 1 5/7 pi, -1 1/3 pi",
        "1 3, -1 -3",
    ],
)
def test_hidden_zeros_are_found(total):
    terms = [term.strip().split(" ", 1) for term in total.split(",")]
    assert cosine_sums.sign_of(tuple((int(times), Angle.parse(angle)) for times, angle in terms)) == 0


# -- cases -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cases", [index_cases(), retrieval_cases(), bound_cases(), retrieval_inputs(), temperature_cases()]
)
def test_cases_travel_through_json(cases):
    @given(cases)
    @settings(max_examples=20)
    def there_and_back(case):
        assert type(case).of_json(case.to_json()) == case

    there_and_back()


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda: IndexCase(Angle.of_pi(1), 1), "n = 1"),
        (lambda: RetrievalCase(1, Angle.of_pi(1), 2, 2), "letters = 1"),
        (lambda: RetrievalCase(2, Angle.of_pi(1), 0, 2), "n0 = 0"),
        (lambda: RetrievalInput(2, Angle.of_pi(1), 2, (("c", 1), ("a", 1))), "'c'"),
        (lambda: RetrievalInput(2, Angle.of_pi(1), 2, (("b", 1), ("b", "a"))), "names no pair"),
        (lambda: RetrievalInput(2, Angle.of_pi(1), 2, (("b", 1),)), "1 tokens"),
        (lambda: letter_offsets(RetrievalCase(26, Angle.of_pi(1), 2, 9)), "26\\^9"),
        (lambda: gap([Angle.of_pi(1)]), "one logit"),
        (lambda: DecodingCase((Fraction(1),), (Fraction(1),), 1), "gaps"),
        (lambda: DecodingCase((Fraction(0),), (), 1), "0 differences"),
        (lambda: DecodingCase((Fraction(0),), (Fraction(1),), -65), "beta = -65"),
        (lambda: TemperatureCase(Angle.of_pi(1), 1, 2, Fraction(1)), "n0 = 1"),
    ],
)
def test_what_means_nothing_is_refused(make, value):
    with pytest.raises(InputError, match=value):
        make()


def test_signs_of_angles():
    assert Angle.of_radians("1/9").is_positive
    assert not Angle.of_pi(0).is_positive
    assert Angle.of_pi(0).is_nonnegative
    assert not Angle.of_pi("-1/9").is_nonnegative
    assert (Angle(Fraction(1), Fraction(-3))).is_positive
