"""Heads over a set of angles on Index: the ceiling by other ways, heads in floats, verdicts and controls."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from other_tiers import decided

from headproof.checks.canonical import CLAIMS, set_cases, toy_cases
from headproof.theory.angles import Angle
from headproof.theory.canonical import alias_classes, ceiling, mean_largest_multiplicity, nearest_repeat, period
from headproof.theory.canonical.alias_claims import aliased, highest, together
from headproof.theory.canonical.cases import SetCase, ToyCase, aliased_pairs, computes_index
from headproof.theory.canonical.induction_claims import induction_aliased, induction_beside, induction_exact
from headproof.theory.canonical.within_claims import induction_within, retrieval_within
from headproof.theory.claim import Tier, Verdict
from headproof.theory.errors import InputError

F = Fraction
TIERS = {
    aliased.id: {Tier.PROOF, Tier.TESTED},
    together.id: {Tier.PROOF, Tier.TESTED},
    highest.id: {Tier.EXACT, Tier.TESTED},
    retrieval_within.id: {Tier.PROOF, Tier.TESTED},
    induction_within.id: {Tier.PROOF, Tier.TESTED},
    induction_exact.id: {Tier.PROOF, Tier.TESTED},
    induction_beside.id: {Tier.PROOF, Tier.TESTED},
    induction_aliased.id: {Tier.PROOF, Tier.TESTED},
}
PREMISES = {
    aliased.id: {"aliases", "two symbols"},
    together.id: {"two symbols"},
    highest.id: set(),
    retrieval_within.id: {"two attributes"},
    induction_within.id: set(),
    induction_exact.id: {"two symbols", "two attributes"},
    induction_beside.id: {"two symbols", "two attributes"},
    induction_aliased.id: {"aliases", "two attributes"},
}


def angles(*texts):
    return [Angle.parse(text) for text in texts]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_record_of_a_claim(claim):
    record = decided(claim.id)
    assert record["verdict"] is Verdict.HOLDS, [finding["summary"] for finding in record["findings"]]
    assert {finding["tier"] for finding in record["findings"]} == TIERS[claim.id]
    assert all(control["passed"] for finding in record["findings"] for control in finding["controls"])
    assert {each["name"]: each["status"] for each in record["premises"]} == dict.fromkeys(PREMISES[claim.id], "needed")


def test_the_bound_is_attained():
    assert highest.statement.ratio(highest.witness) == 1


# -- classes and periods -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("0",), 1),
        (("2 pi",), 1),
        (("2/5 pi",), 5),
        (("4/5 pi",), 5),
        (("-2/5 pi",), 5),
        (("pi", "2/3 pi"), 6),
        (("pi", "1"), None),
        (("1/97 pi",), None),
        (("2/5 pi", "0"), 5),
    ],
)
def test_the_period_of_a_set(texts, expected):
    assert period(angles(*texts), 31) == expected
    assert len(alias_classes(angles(*texts), 31)) == (expected or 31)


@given(set_cases())
def test_classes_are_those_of_the_definition(case):
    classes = alias_classes(case.angles, case.keys)
    assert sorted(place for each in classes for place in each) == list(range(1, case.keys + 1))
    together = {(k, other) for each in classes for k in each for other in each if k < other}
    assert together == aliased_pairs(case.angles, case.keys)


@pytest.mark.parametrize("wrong", [0, -1, True, 2.0])
def test_sizes_are_integers_above_zero(wrong):
    for make in (
        lambda: alias_classes(angles("pi"), wrong),
        lambda: ceiling(angles("pi"), wrong, 2),
        lambda: ceiling(angles("pi"), 2, wrong),
        lambda: nearest_repeat([1.0], wrong),
    ):
        with pytest.raises(InputError, match=str(wrong)):
            make()


# -- the ceiling ---------------------------------------------------------------------------------------------------


def by_partitions(letters, symbols):
    """The mean from how often each symbol occurs, in descending order, and how many words have these numbers."""
    total = weights = F(0)

    def visit(rest, slots, largest, counts):
        nonlocal total, weights
        if not rest:
            weight = F(math.factorial(letters), math.prod(map(math.factorial, counts)))
            zeros = symbols - len(counts)
            repeated = math.prod(map(math.factorial, Counter(counts).values())) * math.factorial(zeros)
            weight *= F(math.factorial(symbols), repeated)
            weights += weight
            total += weight * max(counts, default=0)
            return
        for count in range(min(rest, largest), 0, -1):
            if slots:
                visit(rest - count, slots - 1, count, (*counts, count))

    visit(letters, symbols, letters, ())
    assert weights == symbols**letters
    return total / weights


@pytest.mark.parametrize(("letters", "symbols"), [(1, 1), (4, 1), (3, 5), (7, 3), (11, 2), (12, 8), (31, 8)])
def test_the_mean_multiplicity_by_partitions(letters, symbols):
    assert mean_largest_multiplicity(letters, symbols) == by_partitions(letters, symbols)


@pytest.mark.parametrize(("letters", "symbols"), [(0, 2), (1, 3), (4, 2), (5, 3)])
def test_the_mean_multiplicity_by_all_words(letters, symbols):
    words = list(product(range(symbols), repeat=letters))
    assert mean_largest_multiplicity(letters, symbols) == F(
        sum(max(Counter(word).values(), default=0) for word in words), len(words)
    )


@pytest.mark.parametrize(
    ("texts", "keys", "symbols", "expected"),
    [
        (("0",), 2, 2, F(3, 4)),  # equal in half of the inputs, otherwise one of two targets
        (("0",), 3, 2, F(3, 4)),  # one more than half of three, or all: (3 / 4) (2 / 3) + (1 / 4)
        (("pi",), 3, 2, F(5, 6)),  # places 1 and 3 together: (2 (3 / 4) + 1) / 3
        (("pi", "2/3 pi"), 6, 8, F(1)),
        (("2/31 pi",), 31, 8, F(1)),
        (("2/30 pi",), 31, 8, (29 + (2 - F(7, 8))) / 31),  # one pair of places together
        (("1/10",), 31, 8, F(1)),
        (("0",), 5, 1, F(1)),
    ],
)
def test_ceilings_by_hand(texts, keys, symbols, expected):
    assert ceiling(angles(*texts), keys, symbols) == expected


def test_a_longer_period_has_no_lower_ceiling():
    found = [ceiling([Angle(F(2, span))], 31, 8) for span in range(1, 33)]
    assert found == sorted(found)
    assert found[-2:] == [1, 1]
    assert found[0] > F(1, 8)


# -- in floats -----------------------------------------------------------------------------------------------------


def softmax_output(case, target, body, values):
    """A head's output by rotations of vectors: softmax at the last place, `values` for symbols and the query."""
    size = len(case.own)
    start = (target - 1) * size % len(case.queries)
    query = np.array([float(each) for each in case.queries[start : start + size]]).reshape(-1, 2)
    keys = [case.vectors[symbol * size : (symbol + 1) * size] for symbol in body] + [case.own]
    logits = []
    for place, key in enumerate(keys, 1):
        total = 0.0
        for vector, turned, angle in zip(np.array(key, dtype=float).reshape(-1, 2), query, case.angles, strict=True):
            x = float(angle) * (target - place)
            rotation = np.array([[math.cos(x), -math.sin(x)], [math.sin(x), math.cos(x)]])
            total += vector @ rotation @ turned
        logits.append(total)
    weights = np.exp(np.array(logits) - max(logits))
    return weights @ values[[*body, -1]] / weights.sum()


@settings(max_examples=60)
@given(toy_cases(), st.integers(0, 2**32 - 1))
def test_an_exchange_of_aliased_places_changes_no_output(case, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(case.symbols + 1, 3))
    body = list(rng.integers(case.symbols, size=case.keys))
    for k, other in aliased_pairs(case.angles, case.keys):
        moved = list(body)
        moved[k - 1], moved[other - 1] = moved[other - 1], moved[k - 1]
        for target in range(1, case.keys + 1):
            one, two = (softmax_output(case, target, each, values) for each in (body, moved))
            assert one == pytest.approx(two)


@settings(max_examples=60)
@given(toy_cases())
def test_no_softmax_head_with_majority_output_beats_the_ceiling(case):
    values = np.vstack([np.eye(case.symbols), np.zeros(case.symbols)])
    right = 0
    for body in product(range(case.symbols), repeat=case.keys):
        for target in range(1, case.keys + 1):
            output = softmax_output(case, target, body, values)
            right += int(np.flatnonzero(output >= output.max() - 1e-9)[0]) == body[target - 1]
    share = F(right, case.keys * case.symbols**case.keys)
    assert share <= ceiling(case.angles, case.keys, case.symbols)
    if computes_index(case):
        assert ceiling(case.angles, case.keys, case.symbols) == 1


def test_two_angles_together():
    """Six places are told apart by the periods 2 and 3, by neither alone; the query's own key, the seventh, ties."""
    one = (F(1), F(0))
    head = ToyCase((F(1), F(2, 3)), (), 6, one * 2 * 2, one * 2, one * 2)
    assert computes_index(head)
    assert not computes_index(ToyCase((F(1),), (), 6, one * 2, one, one))
    assert not computes_index(ToyCase((F(2, 3),), (), 6, one * 2, one, one))


# -- how nearly a set repeats --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_angles", "up_to", "distance", "at"),
    [
        ([0.0], 31, 0, 1),
        ([2 * math.pi / 5], 31, 0, 5),
        ([2 * math.pi / 3, math.pi], 31, 0, 6),
        ([2 * math.pi / 3, math.pi], 5, 2 * math.pi / 3, 2),
        ([0.1], 31, 0.1, 1),
        ([-0.1], 31, 0.1, 1),
        ([1.0], 31, 8 * math.pi - 25, 25),
        ([1.0], 6, 2 * math.pi - 6, 6),
    ],
)
def test_nearest_repeat(given_angles, up_to, distance, at):
    found, place = nearest_repeat(given_angles, up_to)
    assert found == pytest.approx(distance, abs=1e-13)
    assert place == at


@given(st.integers(1, 60), st.integers(1, 60))
def test_exact_repeats_are_found_in_floats(span, up_to):
    found, at = nearest_repeat([2 * math.pi / span], up_to)
    if span <= up_to:
        assert at == span
        assert found == pytest.approx(0, abs=1e-12)
    else:
        assert found == pytest.approx(2 * math.pi / span)


@pytest.mark.parametrize("wrong", [[], [math.nan], [1.0, math.inf]])
def test_angles_to_repeat_are_finite(wrong):
    with pytest.raises(InputError, match="finite"):
        nearest_repeat(wrong, 31)


# -- cases ---------------------------------------------------------------------------------------------------------


@given(st.one_of(set_cases(), toy_cases()))
def test_cases_travel_through_json(case):
    assert type(case).of_json(case.to_json()) == case


def test_cases_refuse_what_is_none():
    with pytest.raises(InputError, match="no angles"):
        SetCase((), (), 2, 2)
    with pytest.raises(InputError, match="2 coordinates"):
        ToyCase((F(1),), (), 2, (F(1),), (F(1), F(0)), (F(1), F(0)))
