"""What symbolic and positional heads cannot compute: verdicts, counterexamples by hand, proofs and their mutants."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from other_tiers import decided

from headproof.checks import deciding
from headproof.checks.engines import attention, inequalities
from headproof.checks.engines.derivation import Unproved, verify_derivation
from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.expressivity.impossibility import CASES, CHECKS, CLAIMS, instances
from headproof.checks.registry import Context, Topic
from headproof.constructions import tasks
from headproof.theory.claim import Fidelity, Statement, Tier, Verdict
from headproof.theory.derivation import Entailment, Rearranged, Universal, at_least, equal
from headproof.theory.errors import InputError
from headproof.theory.expressivity import invariance_proofs as proofs
from headproof.theory.expressivity.attention_cases import PermutedCase
from headproof.theory.expressivity.attention_instances import OWN, Entry
from headproof.theory.expressivity.invariance import Impossible, Invariance, computes, output_is_invariant
from headproof.theory.expressivity.task_cases import (
    AffineCase,
    IndexCase,
    InductionCase,
    LetterCase,
    NumberCase,
    RetrievalCase,
)
from headproof.theory.sequences import index_function, retrieval_function

TOPIC = Topic("impossibility", "what heads cannot compute", CLAIMS, CHECKS, cases=CASES)
BY_ID = {claim.id: claim for claim in CLAIMS}
QUICK = Context()
REFUTED = {
    "dec.thm2.any-alphabet": IndexCase(1, 2),
    "dec.thm4.any-alphabet": RetrievalCase(1, 1, 2),
    "dec.thm4.any-output-map": AffineCase(2, 2, 3),
    "dec.cor1.symbolic.any-alphabet": InductionCase(1, 1, 2),
    "dec.cor1.positional.any-alphabet": InductionCase(1, 1, 2),
    "dec.cor1.positional.any-output-map": InductionCase(2, 2, 3, tuple(map(Fraction, [1, 1, 1, 1, 2, 2, 2, 2] * 2))),
    "dyn.rem3.1.index.any-alphabet": NumberCase(1, 2),
    "dyn.rem3.1.retrieval.any-alphabet": None,
    "dyn.rem3.1.retrieval.any-output-map": LetterCase(2, 1, 3),
    "dyn.rem3.1.retrieval.any-value-map": None,
}
PRINTED = (
    "dec.thm2",
    "dec.thm4",
    "dec.cor1.symbolic",
    "dec.cor1.positional",
    "dyn.rem3.1.index",
    "dyn.rem3.1.retrieval",
)
PROVED = [claim for claim in CLAIMS if claim.proof is not None]


@pytest.fixture
def decide(monkeypatch):
    monkeypatch.setattr(deciding, "topic_of", lambda claim_id: TOPIC)
    monkeypatch.setattr(deciding, "claims", lambda: BY_ID)
    return lambda claim_id: decided(claim_id)


# -- every claim ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_record_of_a_claim(claim, decide):
    record = decide(claim.id)
    expected = Verdict.REFUTED if claim.id in REFUTED else Verdict.HOLDS
    assert {finding["verdict"] for finding in record["findings"]} == {record["verdict"]} == {expected}
    tiers = {finding["tier"] for finding in record["findings"]}
    assert tiers == {Tier.EXACT, Tier.TESTED} | ({Tier.PROOF} if claim.proof is not None else set())
    for finding in record["findings"]:
        assert len(finding["controls"]) >= 4
        assert all(control["passed"] for control in finding["controls"])
        if expected is Verdict.REFUTED:
            case = claim.statement.case_type.of_json(finding["counterexample"])
            assert claim.statement.refuted_by(case)
            assert REFUTED[claim.id] in (case, None)
    for premise in record["premises"]:
        assert premise["status"] == "needed"
        case = claim.statement.case_type.of_json(premise["case"])
        assert [each.name for each in claim.statement.premises if not each.holds(case)] == [premise["name"]]
    assert (claim.repair is not None) == (claim.id in REFUTED)


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_the_proof_is_accepted_and_no_mutants_form(claim):
    assert all(result.accepted for result in verify_proof(claim.proof, claim.statement))
    for mutant in claim.mutants:
        assert not all(result.accepted for result in verify_proof(claim.proof, mutant.statement)), mutant.name


@pytest.mark.parametrize("claim_id", PRINTED)
def test_the_print_holds_and_its_literal_reading_is_repaired_by_it(claim_id):
    claim, literal = BY_ID[claim_id], BY_ID[f"{claim_id}.any-alphabet"]
    assert claim.fidelity is literal.fidelity is Fidelity.PRINTED
    assert (claim.repair, literal.repair) == (None, claim_id)
    assert literal.title.startswith("Read literally")
    assert "print leaves it tacit" in claim.remarks[0]
    if claim.statement.conclusion.output == "projection":
        for text in (claim.latex, literal.latex, claim.sentence, literal.sentence):
            assert "VAL" in text
            assert "F " in text


@pytest.mark.parametrize("claim_id", PRINTED)
def test_the_tacit_premises_are_exactly_what_is_needed(claim_id):
    """On every small instance that misses one of them a head computes the task."""
    claim, literal = BY_ID[claim_id], BY_ID[f"{claim_id}.any-alphabet"]
    missed = [
        blank
        for blank in instances(claim.statement.case_type, "quick")
        if blank.instance.inputs and not claim.statement.meets(blank)
    ]
    assert len(missed) >= 3
    for blank in missed:
        decision = attention.decide(literal.statement, [blank], "one instance")
        assert decision.verdict is Verdict.REFUTED


def exact_details(claim_id):
    check = next(check for check in CHECKS if check.claim == claim_id and check.tier is Tier.EXACT)
    return check.decide(BY_ID[claim_id].statement, QUICK).details


@pytest.mark.parametrize("claim_id", ["dec.thm2", "dec.cor1.symbolic", "dyn.rem3.1.index"])
def test_each_pair_is_a_swap_with_two_answers(claim_id):
    pairs = exact_details(claim_id)["pairs"]
    assert pairs
    for pair in pairs:
        one, other = (text.split() for text in pair["inputs"])
        assert one[-1] == other[-1]
        assert Counter(one) == Counter(other)
        assert one != other
        assert len(set(pair["answers"])) == 2
        assert pair["output of both"].count("e^l") == len(one)


def test_the_certificates_are_the_inequalities_of_the_proofs():
    found = exact_details("dec.thm4")["certificates"][0]
    assert [each["inequality"] for each in found["of"]] == ["(a,1) (b,2) a: 1 above 2", "(b,1) (a,2) a: 2 above 1"]
    found = exact_details("dec.thm4.affine")["certificates"][0]
    assert [each["times"] for each in found["of"]] == ["1/4"] * 4
    found = exact_details("dyn.rem3.1.retrieval")["certificates"][0]
    assert len(found["of"]) == 2


# -- counterexamples by hand ---------------------------------------------------------------------------------------


def test_uniform_attention_and_a_look_up_compute_retrieval():
    """Two pairs, weight 1/3 each, the query too: the output shows the pairs, the look-up takes the query's."""
    seen = {}
    for attributes in product((1, 2), repeat=2):
        for order in permutations(zip("ab", attributes, strict=True)):
            for query in "ab":
                output = frozenset((*order, query))  # all tokens differ, each has weight 1/3
                assert seen.setdefault((output, query), dict(order)[query]) == dict(order)[query]
    assert len(seen) == 8


def test_weights_one_and_two_tell_all_sequences_apart():
    pairs = list(product("ab", (1, 2)))
    outputs = {frozenset((Counter({x: 1}) + Counter({y: 2})).items()) for x, y in product(pairs, repeat=2)}
    assert len(outputs) == 16


def test_one_linear_layer_computes_dyn_retrieval():
    """Own weight 9, others 1. Each token raises itself by 1; a pair of two letters what its right letter names by 2."""
    tokens = [*product("ab", "ab"), *product("ab", [1])]

    def value(token, out):
        return int(out == token) + 2 * int(out[0] == token[1] and token[0] != token[1])

    inputs = LetterCase(2, 1, 3).instance.inputs
    for keys, query, answer in inputs:
        score = {out: 9 * value(query, out) + sum(value(key, out) for key in keys) for out in tokens}
        assert max(score, key=score.get) == answer
        assert sorted(score.values())[-1] > sorted(score.values())[-2]
    values = tuple(Fraction(value(token, out)) for token in tokens for out in tokens)
    blank = LetterCase(2, 1, 3)
    entries = blank.instance.entries
    case = blank.with_factors({entry: Fraction(9) for entry in entries if entry.position == OWN})
    case = LetterCase(2, 1, 3, case.factors, values)
    assert BY_ID["dyn.rem3.1.retrieval.any-value-map"].statement.refuted_by(case)


@pytest.mark.parametrize("length", [3, 4, 5])
def test_own_key_values_work_at_every_length(length):
    blank = LetterCase(2, 1, length) if length < 5 else LetterCase(1, 2, length)
    entries = blank.instance.entries
    case = blank.with_factors({entry: Fraction(3 * length) for entry in entries if entry.position == OWN})
    case = type(blank)(blank.letters, blank.numbers, length, case.factors, attention.own_key_values(blank.tokens))
    assert Invariance("positional")(case)
    assert computes(case, "linear", hard=False)


# -- cases, instances and definitions against independent ones -----------------------------------------------------


def names(count):
    return "abc"[:count]


@pytest.mark.parametrize(("symbols", "attributes", "length"), [(1, 2, 2), (2, 2, 3), (3, 2, 3), (3, 2, 4)])
def test_instances_are_the_tasks(symbols, attributes, length):
    for case, task in [
        (RetrievalCase(symbols, attributes, length), tasks.retrieval_task(names(symbols), "123"[:attributes])),
        (InductionCase(symbols, attributes, length), tasks.partial_induction_task(names(symbols), "123"[:attributes])),
    ]:
        as_text = {
            (*((s, str(y)) for s, y in each.keys), each.query): str(each.answer) for each in case.instance.inputs
        }
        assert as_text == {tokens: task.solve(tokens) for tokens in task.inputs(length)}
    index = tasks.index_task(names(symbols), length)
    found = {(*each.keys, each.query): each.answer for each in IndexCase(symbols, length).instance.inputs}
    assert found == {tokens: index.solve(tokens) for tokens in index.inputs(length)}


def test_whole_sequences_are_read_at_the_last_token():
    for keys, query, answer in NumberCase(2, 4).instance.inputs:
        assert index_function((*keys, query))[-1] == answer
    for keys, query, answer in LetterCase(2, 1, 3).instance.inputs:
        assert retrieval_function((*keys, query))[-1] == answer
    assert ("a", "a") in LetterCase(1, 1, 2).instance.answers


def drawn(claim_id):
    return CASES[claim_id](QUICK)


def test_one_letter_is_enough_for_index_on_whole_sequences_from_four_tokens_on():
    for more in range(3):
        one, other = (("a",) * more + last for last in (("a", 1, "a", 1), ("a", "a", 1, 1)))
        assert Counter(one[:-1]) == Counter(other[:-1])
        assert (index_function(one)[-1], index_function(other)[-1]) == ("a", 1)


def test_lemma_1_asks_for_symbolic_on_its_own_input_only():
    (premise,) = BY_ID["dec.lemma1"].statement.premises
    assert "on the input x" in premise.sentence
    assert "every valid input" not in premise.sentence
    assert len(PermutedCase(("a", "b", "a")).instance.inputs) == 1


def literally_invariant(case, kind):
    """The definition, straight from the paper, with logits compared through their exponentials."""
    for keys, query, _ in case.instance.inputs:
        for order in permutations(range(len(keys))):
            for j, moved in enumerate(order):
                there = (keys[j], moved) if kind == "symbolic" else (keys[moved], j)
                one = case.table[Entry(query, there[0], there[1] + 1)]
                if one != case.table[Entry(query, keys[j], j + 1)]:
                    return False
    return True


def literally_computes(case):
    """Softmax weights as fractions, one-hot values, and a map from (output, query) to answers if there is one."""
    seen = {}
    for keys, query, answer in case.instance.inputs:
        places = [*enumerate(keys, start=1), (OWN, query)]
        total = sum(case.table[Entry(query, key, place)] for place, key in places)
        output = Counter()
        for place, key in places:
            output[key] += Fraction(case.table[Entry(query, key, place)], total)
        if seen.setdefault((query, frozenset(output.items())), answer) != answer:
            return False
    return True


@given(st.one_of(*(drawn(each) for each in ("dec.thm2", "dec.thm4", "dec.cor1.symbolic", "dyn.rem3.1.index"))))
def test_predicates_against_the_definitions(case):
    for kind in ("symbolic", "positional"):
        assert Invariance(kind)(case) == literally_invariant(case, kind)
    assert computes(case, "any", hard=False) == literally_computes(case)
    assert type(case).of_json(case.to_json()) == case
    assert str(case)
    for smaller in case.smaller():
        assert smaller.complexity < case.complexity


def test_hard_attention_averages_ties():
    case = PermutedCase(("a", "b"), tuple(map(Fraction, [2, 1, 1, 2, 1])), tuple(map(Fraction, [0, 1, 5])))
    assert not Invariance("symbolic")(case)
    assert not output_is_invariant(case)
    tie = PermutedCase(("a", "b"), tuple(map(Fraction, [2, 2, 2, 2, 1])), tuple(map(Fraction, [0, 1, 5])))
    assert output_is_invariant(tie)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: IndexCase(0, 2), "symbols is at least 1, got 0"),
        (lambda: IndexCase(2, 1), "length 2 or more, got 1"),
        (lambda: IndexCase(9, 2), "symbols is at most 8, got 9"),
        (lambda: IndexCase(8, 8), "8 tokens at 7 places make more than 6000 sequences"),
        (lambda: RetrievalCase(2, 2, 4), "3 pairs need as many symbols, got 2"),
        (lambda: IndexCase(1, 2, (Fraction(0),)), "a factor e^logit is positive, got 0"),
        (lambda: IndexCase(1, 2, (Fraction(1),) * 3), "3 factors for a table of 2 entries"),
        (lambda: AffineCase(1, 1, 2, (), (Fraction(1),) * 3), "3 values for 2 tokens"),
        (lambda: LetterCase(1, 1, 2, (), (Fraction(1),) * 5), "5 values for 2 tokens"),
        (lambda: PermutedCase(("q",)), "letters other than q"),
    ],
)
def test_cases_that_mean_nothing_are_refused(make, said):
    with pytest.raises(InputError, match="(?i)" + said.replace("^", r"\^")):
        make()


# -- engines -------------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32))
def test_strict_inequalities_are_decided_with_a_certificate(seed):
    chance = random.Random(seed)
    rows = [[chance.randint(-2, 2) for _ in range(3)] for _ in range(chance.randint(1, 7))]
    solution, factors = inequalities.decide(rows)
    assert (solution is None) != (factors is None)
    if solution is not None:
        assert all(sum(a * b for a, b in zip(row, solution, strict=True)) > 0 for row in rows)
        assert not inequalities.is_refutation(rows, [Fraction(1)] * len(rows))
    else:
        assert all(sum(f * row[k] for f, row in zip(factors, rows, strict=True)) == 0 for k in range(3))
        assert not any(inequalities.is_solution(rows, x) for x in product((-1, 0, 1), repeat=3))


@given(st.integers(0, 2**32))
def test_no_drawn_head_does_what_the_exact_check_rules_out(seed):
    """Factors that a class leaves free, drawn anew: the forced pairs stay forced."""
    chance = random.Random(seed)
    for blank, kind, output in [
        (IndexCase(2, 3), "symbolic", "any"),
        (RetrievalCase(2, 2, 3), "positional", "projection"),
        (LetterCase(2, 1, 3), "positional", "projection"),
    ]:
        groups = attention._groups(blank.instance, Invariance(kind).links(blank.instance))
        factor = [Fraction(chance.randint(1, 9)) for _ in range(max(groups.values()) + 1)]
        case = blank.with_factors({entry: factor[group] for entry, group in groups.items()})
        assert Invariance(kind)(case)
        assert Impossible(output)(case)


def test_the_exact_engine_refuses_other_conclusions():
    with pytest.raises(InputError, match="nothing else"):
        attention.decide(Statement(IndexCase, (), lambda case: True), instances(IndexCase, "quick"), "nowhere")
    none = attention.decide(Statement(IndexCase, (), Impossible()), (), "nowhere")
    assert none.verdict is Verdict.VACUOUS


# -- the rule for rearranged sums ----------------------------------------------------------------------------------


def rearranged(known, summand):
    a, b, m = proofs.a, proofs.b, proofs.m
    before, after = sympy.symbols("left_sum right_sum", real=True)
    sums = Rearranged(before, after, a, b, summand, m)
    part = Entailment("sums", {"known": known}, (equal(before, after),), integers=(a, b, m), rearranged=(sums,))
    step = proofs.Use("same", "rearrange", (before,), ("known",))
    verify_derivation(part, proofs.Derivation("sums", (step,)))


def test_the_rule_for_rearranged_sums():
    a, b, m, entry, value = proofs.a, proofs.b, proofs.m, proofs.M, proofs.v
    by_content = Universal((a, b), proofs.IN_RANGE, equal(entry(a, b), entry(a, a)))
    rearranged(by_content, entry(a, b) ** 2 * value(a))
    rearranged(Universal((b, a), (), equal(entry(a, b), entry(a, a))), sympy.exp(entry(a, b)) + m * a)
    for known, summand in [
        (by_content, entry(a, b) * value(b)),  # a term with its place
        (by_content, entry(b, a)),
        (proofs.ALL_POSITIONAL, entry(a, b)),
        (Universal((b,), (), equal(entry(1, b), entry(1, 1))), entry(a, b)),  # one key alone
        (Universal((a, b), (at_least(a, 2),), equal(entry(a, b), entry(a, a))), entry(a, b)),  # not every key
        (Universal((a, b), (at_least(m, 2 * a),), equal(entry(a, b), entry(a, a))), entry(a, b)),
        (Universal((a, b), (), at_least(entry(a, b), entry(a, a))), entry(a, b)),  # no equation
        (Universal((a, b), (), equal(entry(a, b) ** 2, entry(a, a) ** 2)), entry(a, b)),  # not the entry itself
        (equal(a, a), entry(a, b)),
    ]:
        with pytest.raises(Unproved):
            rearranged(known, summand)
