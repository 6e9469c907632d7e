"""Heads of one and two planes: the predicates against real weights, closed forms against brute force, the claims."""

from __future__ import annotations

import cmath
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.checks.engines import property as property_engine
from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.expressivity import plane_heads as checks
from headproof.checks.registry import Context
from headproof.constructions import exact, expressivity
from headproof.constructions.expressivity import answer, h_pos, h_sym, one_angle, two_angle
from headproof.constructions.heads import Head
from headproof.constructions.tasks import Task, index_task, partial_induction_task, retrieval_task
from headproof.theory.angles import Angle
from headproof.theory.cosine_sums import collected, compare, value, vanishes
from headproof.theory.errors import InputError
from headproof.theory.expressivity.plane_bindings import (
    computes_induction,
    computes_induction_ahead,
    computes_induction_by_phase,
    computes_retrieval,
    computes_retrieval_by_phase,
    computes_retrieval_softly,
    match_margin,
)
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
    computes_index,
    computes_index_anyhow,
    computes_index_softly,
    index_margin,
)
from headproof.theory.expressivity.plane_pairs import (
    LongBindingCase,
    PlaneBindingCase,
    PlanePairCase,
    computes_pairs_anyhow,
    computes_retrieval_pairwise,
    computes_retrieval_with_values,
)
from headproof.theory.expressivity.plane_reach_claims import size_is_between

BY_ID = {claim.id: claim for claim in PLANE_CLAIMS}
REFUTED = {
    "dec.thm5.one-plane.any-values",
    "dec.thm6.one-angle",
    "dec.toy.index-needs-high",
    "dec.toy.retrieval-needs-low",
}
PROVED = [claim for claim in PLANE_CLAIMS if claim.id not in REFUTED]


def turns(text: Any) -> Angle:
    return Angle.of_pi(text)


def radians(text: Any) -> Angle:
    return Angle.of_radians(text)


def as_sympy(angle: Angle) -> Any:
    return sympy.Rational(angle.turns) * sympy.pi + sympy.Rational(angle.radians)


# -- the actual weights --------------------------------------------------------------------------------------------


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The constructions build their weights outside the stated conditions too."""
    for name in ("refuse_aliasing", "_require_recency", "_require_margin", "_require_phase"):
        monkeypatch.setattr(expressivity, name, lambda *arguments: None)


def always_answers(head: Head, task: Task, length: int) -> bool:
    return all(answer(head, task, tokens) == task.solve(tokens) for tokens in task.inputs(length))


def same_logits(head: Head, task: Task, tokens: Any, expected: list[Any]) -> None:
    found = head.logits(task.encode(tokens))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert exact.sign(one - other) == 0


@pytest.mark.parametrize("theta", [turns("2/3"), turns("1/2"), radians("1/2")], ids=str)
@pytest.mark.parametrize("length", [2, 3, 4])
def test_h_pos_has_the_weights_of_the_construction(theta: Angle, length: int, unchecked: None) -> None:
    task = index_task("ab", length)
    head = h_pos("ab", length, as_sympy(theta), weight=2)
    for tokens in task.inputs(length):
        j = tokens[-1]
        assert isinstance(j, int)
        same_logits(head, task, tokens, [2 * sympy.cos(as_sympy(theta) * (j - k)) for k in range(1, length + 1)])
    assert always_answers(head, task, length) == computes_index(IndexCase(theta, 2, length, Fraction(2)))
    task = index_task("ab", length, "offset")
    head = h_pos("ab", length, as_sympy(theta), names="offset")
    right = all(always_answers(head, task, n) for n in range(2, length + 1))
    assert right == computes_index(IndexCase(theta, 2, length), "offset")


def test_aliasing_shows_in_the_weights(unchecked: None) -> None:
    for length in (4, 5):  # 3 theta is a full turn: at n = 4 the first key and the query's own tie, at n = 5 keys do
        head, task = h_pos("ab", length, 2 * sympy.pi / 3), index_task("ab", length)
        right = computes_index(IndexCase(turns("2/3"), 2, length))
        assert always_answers(head, task, length) == right == (length == 4)


def test_h_sym_has_the_weights_of_the_construction() -> None:
    task, head = retrieval_task("abc", "xy"), h_sym("abc", "xy", weight=3)
    for length in (2, 3, 4):
        for tokens in task.inputs(length):
            same_logits(head, task, tokens, [3 * (pair[0] == tokens[-1]) for pair in tokens[:-1]] + [0])
        assert always_answers(head, task, length)
        assert computes_retrieval(RetrievalCase(3, 2, length, Fraction(3)))


@pytest.mark.parametrize(
    ("theta", "symbols", "length", "recency"),
    [
        (turns("1/5"), 2, 4, Fraction(1)),
        (turns("1/3"), 2, 4, Fraction(4, 3)),  # the tie
        (turns("1/3"), 2, 4, Fraction(5, 4)),
        (turns("2/5"), 2, 4, Fraction(1, 9)),  # the end of the range
        (radians("1/2"), 3, 3, Fraction(3)),
    ],
)
def test_two_angles_have_the_weights_of_the_construction(
    theta: Angle, symbols: int, length: int, recency: Fraction, unchecked: None
) -> None:
    names = "abc"[:symbols]
    task = partial_induction_task(names, "xy")
    head = two_angle(names, "xy", length, as_sympy(theta), recency=recency)
    turn, weight = as_sympy(theta), sympy.Rational(recency)
    for tokens in list(task.inputs(length))[::7]:
        expected = [
            sympy.cos(2 * sympy.pi * (names.index(pair[0]) - names.index(str(tokens[-1]))) / symbols)
            + weight * sympy.cos(turn * (length - 1 - place))
            for place, pair in enumerate(tokens[:-1])
        ]
        same_logits(head, task, tokens, [*expected, -1 - weight])
    right = computes_induction(InductionCase(theta, symbols, 2, length, recency))
    assert always_answers(head, task, length) == right


@pytest.mark.parametrize(
    ("theta", "symbols", "length"),
    [(radians(1), 2, 3), (turns("1/3"), 2, 3), (turns("1/6"), 2, 4), (turns("1/10"), 3, 3), (turns("1/4"), 3, 3)],
)
def test_one_angle_has_the_weights_of_the_construction(
    theta: Angle, symbols: int, length: int, unchecked: None
) -> None:
    names = "abc"[:symbols]
    task, head = partial_induction_task(names, "xy"), one_angle(names, "xy", length, as_sympy(theta))
    for tokens in list(task.inputs(length))[::5]:
        expected = [
            sympy.cos(
                as_sympy(theta) * (length - 1 - place)
                + 2 * sympy.pi * (names.index(pair[0]) - names.index(str(tokens[-1]))) / symbols
            )
            for place, pair in enumerate(tokens[:-1])
        ]
        same_logits(head, task, tokens, [*expected, -1])
    assert always_answers(head, task, length) == computes_induction_by_phase(PhaseCase(theta, symbols, 2, length))


# -- closed forms against brute force in floats --------------------------------------------------------------------


def right_by_floats(logit: Any, own: float, symbols: int, keys: int, repeated: bool) -> bool:
    """Two attributes, the worst ones: the answer's key alone may be attended to. No ties near."""
    for body in product(range(symbols), repeat=keys):
        if 0 not in body or (not repeated and len(set(body)) < keys):
            continue
        logits = [logit(symbol, place + 1) for place, symbol in enumerate(body)]
        if max(logits) <= own + 1e-12 or logits.index(max(logits)) != body.index(0):
            return False
        if sorted(logits)[-1] - ([-9.0, *sorted(logits)])[-2] < 1e-12:
            return False
    return True


@settings(max_examples=60)
@given(st.fractions("1/40", 3, max_denominator=40), st.integers(2, 4), st.integers(1, 4), st.booleans())
def test_predicates_on_pairs_agree_with_floats(theta: Fraction, symbols: int, keys: int, centred: bool) -> None:
    x, omega = float(theta), 2 * math.pi / symbols
    if centred:
        if keys > symbols:
            return
        right = right_by_floats(lambda p, t: math.cos((t - (keys + 1) / 2) * x + p * omega), -1.0, symbols, keys, False)
        assert right == computes_retrieval_by_phase(BindingCase(radians(theta), symbols, 2, keys + 1))
        assert right == ((keys - 1) * x < omega) or keys == 1
    else:
        right = right_by_floats(lambda p, t: math.cos(t * x + p * omega), -1.0, symbols, keys, True)
        assert right == computes_induction_by_phase(PhaseCase(radians(theta), symbols, 2, keys + 1))
        assert right == (keys == 1 or x < omega / (2 * keys - 1))
        two = right_by_floats(lambda p, t: math.cos(p * omega) + math.cos(t * x) / 2, -1.5, symbols, keys, True)
        assert two == computes_induction(InductionCase(radians(theta), symbols, 2, keys + 1, Fraction(1, 2)))


@given(st.fractions(-3, 3, max_denominator=12), st.integers(2, 5), st.integers(1, 3))
def test_exact_angles_of_h_pos(turn: Fraction, length: int, symbols: int) -> None:
    right = symbols == 1 or all((turn * t) % 2 for t in range(1, length - 1))
    for names in ("position", "offset"):
        assert computes_index(IndexCase(Angle(turn), symbols, length), names) == right


def test_softmax_by_hand() -> None:
    # weights e^c : 1 : ... ; at n = 5 three other keys may share one attribute, and e < 3 < e^2
    assert not computes_retrieval_softly(SoftmaxCase(4, 2, 5, Fraction(271, 100)))
    assert not computes_retrieval_softly(SoftmaxCase(4, 2, 5, Fraction(3)))
    assert computes_retrieval_softly(SoftmaxCase(4, 2, 5, Fraction(301, 100)))
    head, task = h_sym("abcd", "xy"), retrieval_task("abcd", "xy")
    worst = (("a", "x"), ("b", "y"), ("c", "y"), ("d", "y"), "a")
    assert answer(head, task, worst, beta=1) == "y"
    assert answer(head, task, worst, beta=math.log(3.01)) == "x"
    # H_POS at n = 4 and theta = 1/2: 2 exp(c (cos(1/2) - 1)) = 1 at c = log 2 / (1 - cos(1/2)) = 5.662...
    assert not computes_index_softly(IndexCase(radians("1/2"), 2, 4, Fraction(566, 100)))
    assert computes_index_softly(IndexCase(radians("1/2"), 2, 4, Fraction(567, 100)))
    assert not computes_index_softly(IndexCase(turns(2), 2, 3, Fraction(1)))
    assert not computes_index_softly(IndexCase(radians(1), 2, 3, Fraction(0)))
    assert computes_index_softly(IndexCase(radians(1), 2, 2, Fraction(0)))


def test_exact_zero_of_sums_of_cosines() -> None:
    golden = ((Fraction(1), turns("1/5")), (Fraction(-1), turns("2/5")), (Fraction(-1, 2), turns(0)))
    assert vanishes(golden)
    assert compare(golden, ()) == 0
    shifted = tuple((factor, angle + radians("1/3")) for factor, angle in golden)
    assert not vanishes(shifted)
    assert compare(shifted, ()) == 1  # sin(1/3) (sin 72 - sin 36)
    third = tuple((Fraction(1), turns(Fraction(2 * k, 3)) + radians("1/7")) for k in range(3))
    assert compare(third, ()) == 0  # three directions a third of a turn apart
    assert collected(((Fraction(1), turns("1/3")), (Fraction(-1), turns("5/3")))) == ()
    near = ((Fraction(10**30), turns("1/3")), (Fraction(-5 * 10**29 - 1), turns(0)))
    assert compare(near, ()) == -1


# -- counterexamples by hand ---------------------------------------------------------------------------------------


def test_one_angle_computes_partial_induction_by_hand() -> None:
    # two symbols, two keys, theta = 1: a match has cos 1 = 0.54 or cos 2 = -0.42, the other symbol the negative
    match, other = (math.cos(1), math.cos(2)), (-math.cos(1), -math.cos(2))
    assert match[0] > match[1] > -1  # the later of two matches
    assert match[0] > other[1]
    assert match[1] > other[0]
    assert BY_ID["dec.thm6.one-angle"].statement.refuted_by(PhaseCase(radians(1), 2, 2, 3))


def test_a_low_frequency_computes_index_by_hand() -> None:
    # n = 3, theta = 1/1000: targets 1 and 2 have logit 1, the other key cos(1/1000) < 1, the query's own less
    assert 1 > math.cos(0.001) > math.cos(0.002)
    case = IndexCase(radians("1/1000"), 2, 3)
    assert BY_ID["dec.toy.index-needs-high"].statement.refuted_by(case)
    lead = index_margin(case)
    assert lead is not None
    assert 0 < float(value(lead).mid()) < 0.001**2 / 2


def test_a_high_frequency_computes_retrieval_by_hand() -> None:
    # theta = 1, two symbols, two keys: phases -1/2 and 1/2, the match at cos(1/2), the other symbol at -cos(1/2)
    assert math.cos(0.5) > 0 > -math.cos(0.5)
    case = BindingCase(radians(1), 2, 2, 3)
    assert BY_ID["dec.toy.retrieval-needs-low"].statement.refuted_by(case)
    assert all(computes_retrieval_by_phase(BindingCase(radians(1), symbols, 2, 3)) for symbols in (3, 4, 5, 6))
    assert not computes_retrieval_by_phase(BindingCase(radians(1), 7, 2, 3))


def test_one_symbol_needs_less_order() -> None:
    # the last match is always the nearest key, so cos(2 theta) = cos(3 theta) does no harm at theta = 2 pi / 5
    assert computes_induction_by_phase(PhaseCase(turns("2/5"), 1, 2, 4))
    assert not computes_induction_by_phase(PhaseCase(turns("1/5"), 2, 2, 4))


# -- any head of one plane -----------------------------------------------------------------------------------------

PAIR = (Fraction(1), Fraction(0), Fraction(-1), Fraction(0))


def ahead(tangent: Fraction) -> tuple[Fraction, ...]:
    return (Fraction(1), tangent, Fraction(-1), -tangent)


@given(st.fractions("1/50", "49/50", max_denominator=50))
def test_two_symbols_reach_half_a_turn_on_retrieval(turn: Fraction) -> None:
    for theta, right in ((turn, True), (1 + turn, None), (Fraction(1), False)):
        case = PlaneBindingCase(Angle(theta), 2, 2, 3, PAIR, PAIR, Fraction(-3))
        if right is not None:
            assert computes_pairs_anyhow(case, repeated=False) == right


@pytest.mark.parametrize(("theta", "right"), [("49/100", True), ("1/3", True), ("1/2", False), ("51/100", False)])
def test_two_symbols_reach_their_bound_on_partial_induction(theta: str, right: bool) -> None:
    # three keys: the exact range is 0 < theta < pi / 2, reached with the phases turned by an eighth of a turn
    case = PlanePairCase(turns(theta), 2, 2, 4, PAIR, ahead(Fraction(1)), Fraction(-3))
    assert computes_pairs_anyhow(case, repeated=True) == right
    assert computes_induction_ahead(PhaseCase(turns(theta), 2, 2, 4)) == right


def test_other_values_compute_retrieval_by_hand() -> None:
    """Two symbols, two keys, theta = pi: the 16 inputs, the weights e^(k . q) and e^(-k . q) two and one steps back."""
    weight = {("s", 1): Fraction(2), ("s", 2): Fraction(1, 8), ("t", 1): Fraction(2), ("t", 2): Fraction(4)}
    number = {("s", 1): 4, ("s", 2): -3, ("t", 1): 12, ("t", 2): 2}
    sums = []
    for one, other in product((1, 2), repeat=2):
        s, t = ("s", one), ("t", other)
        sums += [(one, weight[s] * number[s] + number[t] / weight[t] - 7)]  # s, t, query s
        sums += [(one, weight[t] * number[t] + number[s] / weight[s] - 7)]  # t, s, query s
        sums += [(other, Fraction(number[s] + number[t] - 8))] * 2  # query t: all weights 1
    assert len(sums) == 16
    assert all((total > 0) == (answer == 1) and total != 0 for answer, total in sums)
    case = checks.WITH_VALUES
    assert computes_retrieval_with_values(case)
    assert BY_ID["dec.thm5.one-plane.any-values"].statement.refuted_by(case)
    assert not BY_ID["dec.thm5.one-plane.outer"].statement.meets(case)
    for place in range(6):  # values matter: the own key's at the least
        values = [value * (-1 if each == place else 1) for each, value in enumerate(case.values)]
        assert not computes_retrieval_with_values(replace(case, values=tuple(values)))


@settings(max_examples=60)
@given(checks.value_cases())
def test_heads_with_values_agree_with_floats(case: PlaneBindingCase) -> None:
    def logit(pair: tuple[int, int], query: int, t: int) -> float:
        key, q = complex(*map(float, case.key(*pair))), complex(*map(float, case.queries[2 * query : 2 * query + 2]))
        return (key.conjugate() * q * cmath.exp(1j * float(case.theta) * (t - case.length / 2))).real

    def right() -> bool:
        for body in product(product(range(2), range(2)), repeat=case.length - 1):
            symbols = [symbol for symbol, _ in body]
            for query in symbols if len(set(symbols)) == len(symbols) else ():
                total = 2 ** float(case.own) * float(case.values[4 + query])
                for t, (symbol, attribute) in enumerate(body, 1):
                    total += 2 ** logit((symbol, attribute), query, t) * float(case.values[2 * symbol + attribute])
                if abs(total) < 1e-9 or (total > 0) != (body[symbols.index(query)][1] == 0):
                    return False
        return True

    assert computes_retrieval_with_values(case) == right(), case


@settings(max_examples=60)
@given(checks.plane_pair_cases(False))
def test_pairs_of_keys_decide_retrieval(case: PlaneBindingCase) -> None:
    own = Fraction(-30) if case.attributes == 1 else case.own
    fields = (case.theta, case.symbols, case.attributes, case.length, case.keys, case.queries, own)
    right = computes_retrieval_with_values(PlaneBindingCase(*fields))
    assert computes_retrieval_pairwise(LongBindingCase(*fields)) == right


def test_high_frequencies_and_lengths_by_hand() -> None:
    assert 7 * 0.5 > math.pi > 6 * 0.5  # T - 1 = 7 at n = 9
    square = tuple(map(Fraction, (1, 0, 0, 1, -1, 0, 0, -1)))  # four keys: 3 theta < omega = pi / 2
    assert math.pi / 2 > 3 * 0.5
    case = LongBindingCase(radians("1/2"), 4, 2, 5, square, square, Fraction(-3))
    assert computes_retrieval_pairwise(case)
    claim = BY_ID["dec.toy.retrieval-needs-low.from-some-length"]
    assert claim.mutant("five tokens").statement.refuted_by(case)
    assert not claim.statement.meets(case)
    assert size_is_between(turns("-1/4"), "1/2", "1")
    assert not size_is_between(turns("1/3"), "1/2", "1")
    assert size_is_between(radians("-1/2"), "1/2", "1")


def brute_pairs(case: PlanePairCase, repeated: bool) -> bool:
    """The same in complex floats, input by input."""
    keys = case.length - 1
    pairs = list(product(range(case.symbols), range(case.attributes)))
    vector = {pair: complex(*map(float, case.key(*pair))) for pair in pairs}
    for query in range(case.symbols):
        q = complex(*map(float, case.queries[2 * query : 2 * query + 2]))
        for body in product(pairs, repeat=keys):
            symbols = [symbol for symbol, _ in body]
            if query not in symbols or (not repeated and len(set(symbols)) < keys):
                continue
            logits = [
                (vector[pair].conjugate() * q * cmath.exp(1j * float(case.theta) * (t + 1 - case.length / 2))).real
                for t, pair in enumerate(body)
            ]
            top = max(*logits, float(case.own))
            counts = Counter(body[t][1] for t in range(keys) if logits[t] > top - 1e-9)
            wanted = counts.pop(body[symbols.index(query)][1], 0)
            if not wanted or any(count >= wanted for count in counts.values()):
                return False
    return True


@settings(max_examples=60)
@given(st.booleans(), st.data())
def test_any_head_on_pairs_agrees_with_floats(repeated: bool, data: st.DataObject) -> None:
    case = data.draw(checks.plane_pair_cases(repeated))
    assert computes_pairs_anyhow(case, repeated) == brute_pairs(case, repeated), case


@settings(max_examples=60)
@given(checks.plane_cases())
def test_any_head_on_index_agrees_with_floats(case: PlaneCase) -> None:
    def key(symbol: int) -> complex:
        return complex(*map(float, case.keys[2 * symbol : 2 * symbol + 2]))

    def right() -> bool:
        for j in range(1, case.length):
            place = (j - 1) % (len(case.queries) // 2)
            q = complex(*map(float, case.queries[2 * place : 2 * place + 2]))
            own = complex(*map(float, case.own))
            for body in product(range(case.symbols), repeat=case.length - 1):
                values = [
                    (vector.conjugate() * q * cmath.exp(1j * float(case.theta) * (j - p))).real
                    for p, vector in enumerate([*map(key, body), own], 1)
                ]
                counts = Counter(body[p] for p in range(len(body)) if values[p] > max(values) - 1e-9)
                wanted = counts.pop(body[j - 1], 0)
                if not wanted or any(count >= wanted for count in counts.values()):
                    return False
        return True

    assert computes_index_anyhow(case) == right(), case


def test_h_pos_is_one_of_the_heads_of_one_plane() -> None:
    vector = (Fraction(1), Fraction(0))
    for length, turn in ((4, "2/3"), (5, "2/3"), (5, "1/5")):
        case = PlaneCase(turns(turn), length, vector * 2, vector, vector)
        assert computes_index_anyhow(case) == computes_index(IndexCase(turns(turn), 2, length))


# -- margins -------------------------------------------------------------------------------------------------------


@given(st.fractions("1/100", "99/100", max_denominator=100), st.integers(1, 4), st.integers(2, 5))
def test_the_margin_between_matches(share: Fraction, symbols: int, keys: int) -> None:
    theta = Angle(Fraction(2, symbols * (2 * keys - 1)) * share)
    lead = match_margin(PhaseCase(theta, symbols, 1, keys + 1))
    assert lead is not None
    expected = math.cos(float(theta)) - math.cos(2 * float(theta))
    if symbols > 1:  # with one symbol the farthest two matches may be nearer
        assert float(value(lead).mid()) == pytest.approx(expected, rel=1e-9)
    assert float(value(lead).mid()) <= expected + 1e-12


# -- claims, mutants, cases ----------------------------------------------------------------------------------------


def test_ids_verdicts_and_repairs() -> None:
    assert len(BY_ID) == len(PLANE_CLAIMS) == 22
    for claim in PLANE_CLAIMS:
        assert (claim.id in REFUTED) == (claim.proof is None) == bool(claim.repair)
        assert claim.repair is None or BY_ID[claim.repair].statement.case_type is claim.statement.case_type
        assert claim.id in REFUTED or len(claim.mutants) >= 3
        assert claim.id in checks.CASES
        assert any(check.claim == claim.id for check in checks.CHECKS)


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_the_proof_is_accepted_and_proves_no_mutant(claim: Any) -> None:
    results = verify_proof(claim.proof, claim.statement)
    assert all(result.accepted for result in results), [result.reason for result in results if not result.accepted]
    for mutant in claim.mutants:
        assert not all(result.accepted for result in verify_proof(claim.proof, mutant.statement)), mutant.name


@pytest.mark.parametrize("claim", PLANE_CLAIMS, ids=lambda claim: claim.id)
def test_cases_travel_and_the_search_decides(claim: Any) -> None:
    cases = checks.CASES[claim.id](Context())
    found = property_engine.search(claim.statement, cases, 100, 5)
    assert (found.found is not None) == (claim.id in REFUTED)
    assert found.met > 0
    if found.found is not None:
        case = found.found
        assert type(case).of_json(case.to_json()) == case
        assert claim.statement.refuted_by(case)
        assert not BY_ID[claim.repair].statement.refuted_by(case)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SizeCase(0, 3),
        lambda: SizeCase(2, 1),
        lambda: SizeCase(9, 9),
        lambda: RetrievalCase(2, 2, 4),
        lambda: BindingCase(radians(1), 2, 2, 4),
        lambda: SoftmaxCase(2, 2, 3, Fraction(0)),
        lambda: PhaseCase(radians(1), 2, 0, 3),
        lambda: PlaneCase(radians(1), 3, (Fraction(1),), (Fraction(1), Fraction(0)), (Fraction(1), Fraction(0))),
        lambda: PlanePairCase(radians(1), 2, 2, 3, PAIR[:2], PAIR, Fraction(0)),
        lambda: PlanePairCase(radians(1), 2, 2, 3, PAIR, PAIR[:2], Fraction(0)),
        lambda: replace(checks.WITH_VALUES, values=PAIR),
        lambda: replace(checks.WITH_VALUES, theta=radians(1)),
        lambda: replace(checks.WITH_VALUES, own=Fraction(1, 2)),
        lambda: replace(checks.WITH_VALUES, queries=(Fraction(1, 2), *PAIR[1:])),
        lambda: LongBindingCase(radians(1), 2, 2, 4, PAIR, PAIR, Fraction(0)),
        lambda: LongBindingCase(radians(1), 2, 1, 3, PAIR, PAIR, Fraction(-1)),
        lambda: LongBindingCase(radians(1), 2, 4, 3, PAIR, PAIR, Fraction(-9)),
    ],
)
def test_cases_that_describe_nothing(make: Any) -> None:
    with pytest.raises(InputError):
        make()


def test_bodies_are_all_inputs_up_to_renaming() -> None:
    """The numbers of symbols from the query's on cover every input: a renaming turns it into one of them."""
    names = "abc"
    task = partial_induction_task(names, "x")
    seen = {
        tuple((names.index(pair[0]) - names.index(str(tokens[-1]))) % 3 for pair in tokens[-2::-1])
        for tokens in task.inputs(4)
    }
    assert seen == {body for body in product(range(3), repeat=3) if 0 in body}
    assert len({body for body in permutations(range(3), 2) if 0 in body}) == 4
