"""Heads over angles at which key places alias, on partial induction: by hand, in floats, and what changes nothing."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.checks.canonical import pair_toy_cases
from headproof.constructions.tasks import partial_induction_task
from headproof.theory.canonical.cases import PairToyCase, aliased_pairs, computes_induction, exchanges_unseen
from headproof.theory.canonical.induction_claims import induction_aliased
from headproof.theory.errors import InputError

F = Fraction
ONE = (F(1), F(0))


def recent(*of_pi, keys, symbols=1, attributes=2):
    """A head whose keys and queries are all one vector, turned to the last key place."""
    one = ONE * len(of_pi)
    return PairToyCase(tuple(map(F, of_pi)), (), keys, attributes, one * symbols * attributes, one * symbols, one)


# -- by hand -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "right"),
    [
        (recent(0, keys=1), True),
        (recent(0, keys=2), False),
        (recent(1, keys=2), True),  # the first key is half a turn from the last
        (recent(1, keys=3), False),  # the first of three is a whole turn from the last
        (recent("2/3", keys=3), True),
        (recent("2/3", keys=4), False),
        (recent(1, "2/3", keys=6), True),  # each repeats where the other does not
        (recent(1, "2/3", keys=7), False),
        (recent(0, keys=3, attributes=1), True),
        (recent(1, keys=2, symbols=2), False),  # nothing tells the symbols apart
    ],
)
def test_heads_by_hand(case, right):
    assert computes_induction(case) is right
    assert exchanges_unseen(case)


def test_two_symbols_beside_angle_0():
    """dec.toy.induction.beside at T = 2, theta = pi, times 2: symbols apart at angle 0, each one's order at pi."""
    keys = [(1, 0, 0, 0, 1, 0, 0, 0), (0, 0, 1, 0, 0, 0, 1, 0)]
    queries = [(2, 0, 0, 0, 1, 0, 0, 0), (0, 0, 2, 0, 0, 0, 1, 0)]
    vectors = tuple(F(each) for key in keys for each in key * 2)
    flat = tuple(F(each) for query in queries for each in query)
    head = PairToyCase((F(0), F(0), F(1), F(1)), (), 2, 2, vectors, flat, (F(0),) * 8)
    assert computes_induction(head)


@pytest.mark.parametrize(
    ("mutant", "case"),
    [
        ("one multiple more", recent(0, keys=1)),
        ("one multiple more", recent(1, keys=2)),
        ("half turns", recent(1, keys=2)),
        ("some angle", recent(0, 1, keys=2)),
        ("one attribute", recent(0, keys=2, attributes=1)),
    ],
)
def test_near_misses_by_hand(mutant, case):
    assert induction_aliased.mutant(mutant).statement.refuted_by(case)
    assert not induction_aliased.statement.refuted_by(case)


def test_cases_refuse_what_is_none():
    for wrong in (
        lambda: PairToyCase((), (), 2, 2, ONE, ONE, ONE),
        lambda: PairToyCase((F(1),), (), 2, 2, ONE, ONE, ONE),
        lambda: PairToyCase((F(1),), (), 2, 0, ONE, ONE, ONE),
        lambda: PairToyCase((F(1),), (), 2, 1, ONE, ONE, ONE * 2),
        lambda: PairToyCase((F(1),), (), 2, 1, (), (), ONE),
    ):
        with pytest.raises(InputError, match=r"coordinates|angles"):
            wrong()


@given(pair_toy_cases())
def test_cases_travel_through_json(case):
    assert PairToyCase.of_json(case.to_json()) == case


# -- in floats -----------------------------------------------------------------------------------------------------


def logits_of(case, query, body):
    """Of the pairs at places 1, 2, ... and the query's own key, by rotations of complex numbers."""
    size = len(case.own)

    def plane(row):
        return np.array([float(each) for each in row[::2]]) + 1j * np.array([float(each) for each in row[1::2]])

    angles = np.array([float(angle) for angle in case.angles])
    turned = plane(case.queries[query * size : (query + 1) * size]) * np.exp(1j * angles * case.keys)
    keys = [case.vectors[pair * size : (pair + 1) * size] for pair in body] + [case.own]
    return np.array(
        [np.vdot(turned, plane(key) * np.exp(1j * angles * place)).real for place, key in enumerate(keys, 1)]
    )


@settings(max_examples=60)
@given(pair_toy_cases(), st.integers(0, 2**32 - 1))
def test_an_exchange_of_aliased_places_changes_no_output(case, seed):
    """Any values, softmax; but the right answer changes, where it can."""
    rng = np.random.default_rng(seed)
    pairs = case.symbols * case.attributes
    values = rng.normal(size=(pairs + case.symbols, 3))

    def output(query, body):
        logits = logits_of(case, query, body)
        weights = np.exp(logits - logits.max())
        return weights @ values[[*body, pairs + query]] / weights.sum()

    body = list(rng.integers(pairs, size=case.keys))
    for k, other in aliased_pairs(case.angles, case.keys):
        moved = list(body)
        moved[k - 1], moved[other - 1] = moved[other - 1], moved[k - 1]
        for query in range(case.symbols):
            assert output(query, body) == pytest.approx(output(query, moved))


@pytest.mark.parametrize("keys", [2, 3, 5])
def test_the_exchange_changes_the_right_answer(keys):
    task = partial_induction_task("a", "xy")
    for t in range(1, keys):
        body = [("a", "x")] * keys
        body[-1] = ("a", "y")
        moved = list(body)
        moved[-1], moved[-1 - t] = moved[-1 - t], moved[-1]
        assert task.solve((*body, "a")) == "y"
        assert task.solve((*moved, "a")) == "x"


@settings(max_examples=60)
@given(pair_toy_cases())
def test_answers_by_the_task(case):
    """Hard attention in floats against the exact decision, where no two logits are near to a tie by chance."""
    names, letters = "abc"[: case.symbols], "xyz"[: case.attributes]
    task = partial_induction_task(names, letters)
    right = True
    for query, body in product(range(case.symbols), product(range(case.symbols * case.attributes), repeat=case.keys)):
        tokens = tuple((names[pair // case.attributes], letters[pair % case.attributes]) for pair in body)
        if names[query] not in {symbol for symbol, _ in tokens}:
            continue
        logits = logits_of(case, query, body)
        attended = np.flatnonzero(logits >= logits.max() - 1e-9)
        counts = Counter(tokens[place][1] for place in attended if place < case.keys).most_common(2)
        unique = len(counts) == 1 or (len(counts) == 2 and counts[0][1] > counts[1][1])
        right = right and unique and counts[0][0] == task.solve((*tokens, names[query]))
    assert computes_induction(case) is right
    assert math.isfinite(float(logits.max()))
