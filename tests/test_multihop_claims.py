"""The multihop tasks as printed: verdicts, counterexamples by hand, chains by another way, and counts of data sets."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from other_tiers import decided

from headproof.checks import multihop, registry
from headproof.checks.multihop import every_letter_sequence, every_number_sequence, letter_cases, topic
from headproof.theory.claim import Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.multihop import (
    PRINTED,
    PRINTED_LAST,
    REPAIRED,
    REPAIRED_BY_VALUE,
    TESTED_INDEX,
    letter_outcomes,
    letter_windows,
    number_outcomes,
    number_windows,
)
from headproof.theory.multihop.angle_claims import PRINTED_ANGLES, AngleCase, single
from headproof.theory.multihop.balance import (
    ANSWERS,
    CELLS_NEAR,
    JOINT,
    NEAR,
    SEPARATE,
    SPLITS,
    TARGET,
    TOTAL,
    WHOLE,
    BalanceCase,
    balanced,
    counts,
    different,
    sequence,
)
from headproof.theory.multihop.example_claims import EXAMPLE, path_values
from headproof.theory.sequences import require_proper, solve_letter, solve_number

REFUTED = {
    "dyn.tasks.number.example.moves": "C B A 1 4 1 3 2 1 1",
    "dyn.tasks.number.example.formal": "C B A 1 4 1 3 2 1 1",
    "dyn.tasks.number.formal": "a 1 1",
    "dyn.tasks.number.formal.last-integer": "a 1 1",
    "dyn.tasks.number.formal.tested-index": "a 1 2",
    "dyn.tasks.number.formal.start-by-value": "a b 2 2",
    "dyn.tasks.letter.formal": "(a,1) (b,1) (c,a) (a,b) (a,c)",
    "dyn.tasks.letter.proper-ends": "(a,1) (b,b)",
    "dyn.tasks.balance.jointly": "task = letter, hops = 1, sequences = 120000",
    "dyn.tasks.balance.in-each-split": "task = letter, hops = 1, sequences = 108000",
}


def test_angles_that_are_printed() -> None:
    assert single("1.0") == 0
    assert single("0.0866") == 17
    # 10^(-37/16) = 0.004869...: it rounds to .0049, and is not .0048.
    assert (single("0.0049"), single("0.0048")) == (37, None)
    assert single("0.00487") == 37
    assert all(abs(float(each) - 10 ** (-single(each) / 16)) <= 5.1e-4 for each in PRINTED_ANGLES["number"][1:])
    for text in ("", ".5", "1e-3", "-0.1", "1."):
        with pytest.raises(InputError, match="not a decimal"):
            AngleCase("letter", 0, text)


@pytest.fixture
def this_topic(monkeypatch):
    """The registry with this topic alone."""
    monkeypatch.setattr(registry, "topics", lambda: (topic,))


@pytest.mark.parametrize("claim", multihop.CLAIMS, ids=lambda claim: claim.id)
@pytest.mark.usefixtures("this_topic")
def test_the_record_of_a_claim(claim):
    record = decided(claim.id)
    expected = Verdict.REFUTED if claim.id in REFUTED else Verdict.HOLDS
    assert record["verdict"] is expected, [finding["summary"] for finding in record["findings"]]
    assert {finding["tier"] for finding in record["findings"]} == {Tier.EXACT, Tier.TESTED}
    assert {finding["verdict"] for finding in record["findings"]} == {expected}
    assert all(control["passed"] for finding in record["findings"] for control in finding["controls"])
    assert all(len(finding["controls"]) >= 3 for finding in record["findings"])
    assert {each["status"] for each in record["premises"]} <= {"needed"}
    if claim.id in REFUTED:
        exact = next(finding for finding in record["findings"] if finding["tier"] is Tier.EXACT)
        assert exact["counterexample_text"].removeprefix("tokens = ") == REFUTED[claim.id]


# -- number --------------------------------------------------------------------------------------------------------


def test_the_example_by_hand():
    assert path_values(EXAMPLE) == (1, 1, 2, 1, 4)
    assert number_outcomes(EXAMPLE, REPAIRED) == {("C", 5)}
    # Integers up to 3 may end a printed chain, and all of them name letters 5, 6 and 7 of three.
    assert {letter for letter, _ in number_outcomes(EXAMPLE, PRINTED)} == {None}
    # n1 - j + 1 = 3 - 4 + 1 = 0 where the path ends, so no printed chain has its five places.
    assert 5 not in {hops for _, hops in number_outcomes(EXAMPLE, PRINTED_LAST)}


@pytest.mark.parametrize(
    ("tokens", "definition", "expected"),
    [
        (("a", 1, 1), PRINTED_LAST, {(None, 1), (None, 2)}),
        (("a", "b", 1), PRINTED, {("a", 1)}),
        (("a", "b", 1), TESTED_INDEX, {("b", 1)}),
        (("a", 1, 2), TESTED_INDEX, set()),
        (("a", "b", 2, 2), REPAIRED_BY_VALUE, {("b", 1), ("a", 1)}),
        (("a", "b", 2, 2), REPAIRED, {("b", 1)}),
    ],
)
def test_outcomes_by_hand(tokens, definition, expected):
    assert number_outcomes(tokens, definition) == expected


def chains(integers, ends):
    """Lists of places by brute force: any falling places with the printed steps, the last of which may end."""
    n2 = len(integers)
    for start in range(1, n2 + 1):
        if integers[start - 1] != integers[-1]:
            continue
        chain = [start]
        while chain[-1] >= 1:
            if ends(chain[-1], integers[chain[-1] - 1]):
                yield tuple(chain)
            chain.append(chain[-1] - integers[chain[-1] - 1])


def test_printed_chains_by_brute_force():
    for tokens in every_number_sequence(5):
        letters, integers = number_windows(tokens)
        n1, n2 = len(letters), len(integers)
        expected = set()
        for chain in chains(integers, lambda k, j, n1=n1: 1 <= n1 - j + 1 <= n1):
            index = n2 - integers[chain[-1] - 1] + 1
            expected.add((letters[index - 1] if 1 <= index <= n1 else None, len(chain)))
        assert number_outcomes(tokens, PRINTED) == expected


def test_where_the_printed_index_is_right():
    """Where the path's last integer is the (n2 - n1 + 1)th, as the refuted claim says of what survives."""
    for tokens in every_number_sequence(6):
        letters, integers = number_windows(tokens)
        n1, n2 = len(letters), len(integers)
        k = n2
        while k - integers[k - 1] >= 1:
            k -= integers[k - 1]
        assert ((n2 - integers[k - 1] + 1) == (n1 + k - integers[k - 1])) is (k == n2 - n1 + 1)


def test_every_number_sequence():
    found = list(every_number_sequence(4))
    assert len(found) == len(set(found))
    # letters^n1 times the steps that each place has
    assert len(found) == 2 + (2 * 1 * 2 + 4 * 2) + (2 * 6 + 4 * 2 * 3 + 8 * 3)
    assert all(solve_number(tokens) for tokens in found)


@pytest.mark.parametrize("tokens", [("a",), (1,), ("a", 1, "b"), (1, "a"), (("a", 1), ("b", "a")), ("a", True)])
def test_what_is_no_number_sequence(tokens):
    with pytest.raises(InputError, match="letters and then integers"):
        number_outcomes(tokens, REPAIRED)


def test_an_integer_below_one():
    with pytest.raises(InputError, match="integer 0"):
        number_outcomes(("a", 0), REPAIRED)


# -- letters -------------------------------------------------------------------------------------------------------

FORWARD = (("a", 1), ("b", 1), ("c", "a"), ("a", "b"), ("a", "c"))


def test_the_letter_counterexample_by_hand():
    require_proper(FORWARD)
    assert solve_letter(FORWARD) == (("a", 1), 2)
    # (a,c), (c,a), and then either (a,1) or forward to (a,b) and (b,1).
    assert (("b", 1), 3) in letter_outcomes(FORWARD)
    assert letter_outcomes(FORWARD, ordered=True) == {(("a", 1), 2)}


def test_letter_chains_by_brute_force():
    for tokens in every_letter_sequence(4, 1):
        target, before = letter_windows(tokens)
        n2 = len(before)
        expected = set()
        for size in range(1, 2 * n2 + 1):
            for chain in product(range(n2), repeat=size - 1):
                full = (n2 - 1, *chain)
                if all(before[one][1] == before[two][0] for one, two in pairwise(full)):
                    expected |= {(pair, size) for pair in target if pair[0] == before[full[-1]][1]}
        assert letter_outcomes(tokens) == expected


def test_no_shorter_letter_counterexample():
    statement = next(claim for claim in multihop.CLAIMS if claim.id == "dyn.tasks.letter.formal").statement
    cases = (multihop.SequenceCase(tokens) for tokens in every_letter_sequence(4, 2))
    assert not any(statement.refuted_by(case) for case in cases)


def test_every_letter_sequence_up_to_names():
    found = list(every_letter_sequence(3, 2))
    assert len(found) == len(set(found))
    assert (("a", 2), ("b", "c"), ("c", "a")) in found
    assert all(
        next(iter(part for token in tokens for part in token if isinstance(part, str))) == "a" for tokens in found
    )


@pytest.mark.parametrize(
    "tokens", [(("a", 1),), (("a", "b"),), (("b", "a"), ("a", 1)), (("a", 1), ("b", "a"), ("a", 1)), ("a", 1)]
)
def test_what_is_no_letter_sequence(tokens):
    with pytest.raises(InputError):
        letter_outcomes(tokens)


@given(letter_cases())
def test_drawn_letter_cases_are_readable(case):
    assert case.of_json(case.to_json()) == case


# -- data sets -----------------------------------------------------------------------------------------------------


def test_the_printed_sizes():
    assert WHOLE == 120_000
    assert SPLITS == (108_000, 600, 11_400)
    assert sum(SPLITS) * 4 == TOTAL


@pytest.mark.parametrize(
    ("task", "size", "ways"),
    [
        ("number", WHOLE, {SEPARATE, CELLS_NEAR, JOINT, NEAR}),
        ("letter", WHOLE, {SEPARATE, CELLS_NEAR, NEAR}),
        ("number", 600, {SEPARATE, CELLS_NEAR, NEAR}),
        ("letter", 108_000, {NEAR}),
        ("letter", 600, {NEAR}),
        ("letter", 11_400, {NEAR}),
        ("number", 120_001, set()),
    ],
)
def test_what_can_be_balanced(task, size, ways):
    case = BalanceCase(task, 2, size)
    assert {way for way in (SEPARATE, CELLS_NEAR, JOINT, NEAR) if balanced(case, way)} == ways


@given(st.integers(1, 4000), st.sampled_from([(120, 8), (64, 8), (6, 3)]))
def test_a_table_of_counts_is_the_dealing(size, shape):
    answers, places = shape
    dealt = [[0] * places for _ in range(answers)]
    for number in range(size):
        turn = number % (answers * places)
        dealt[turn % answers][(turn + turn // answers) % places] += 1
    assert counts(size, answers, places) == tuple(map(tuple, dealt))


@pytest.mark.parametrize("hops", range(1, 6))
def test_sequences_of_each_answer_and_place(hops):
    for task, answers in ANSWERS.items():
        assert different(task, hops) >= WHOLE
        for answer in (0, 1, answers - 1):
            for place in (1, TARGET):
                tokens = sequence(task, hops, answer, place)
                solved = solve_number(tokens) if task == "number" else solve_letter(tokens)
                assert solved == (tokens[place - 1], hops)


@pytest.mark.parametrize(
    "arguments", [("words", 1, 1), ("number", 0, 1), ("number", 8, 1), ("letter", 1, 0), ("letter", 1, 1.5)]
)
def test_no_such_class(arguments):
    with pytest.raises(InputError):
        BalanceCase(*arguments)
