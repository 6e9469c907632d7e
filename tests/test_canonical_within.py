"""Heads with a plane for each symbol, of one angle or beside angle 0: at the edges, by vectors, what none can do."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.checks.canonical import beside_cases, binding_cases, induction_cases
from headproof.checks.engines.symbolic import verify_proof
from headproof.constructions.tasks import partial_induction_task, retrieval_task
from headproof.theory.angles import Angle, reduced, same_cosine
from headproof.theory.canonical.induction_claims import INDUCTION_CLAIMS, induction_beside, induction_exact
from headproof.theory.canonical.within_cases import (
    BesideCase,
    PlanesBindingCase,
    PlanesCase,
    computes_induction_against,
    computes_induction_beside,
    computes_induction_in_order,
    computes_retrieval_centred,
    is_positive_and_falls,
    turned,
)
from headproof.theory.canonical.within_claims import WITHIN_CLAIMS, induction_within, retrieval_within

F = Fraction
MUTANTS = [(claim, mutant) for claim in (*WITHIN_CLAIMS, *INDUCTION_CLAIMS) for mutant in claim.mutants]


def parsed(text):
    return Angle.parse(text)


# -- at the edges --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [2, 3, 4, 5])
@pytest.mark.parametrize("turns", [0, 2, -2])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_ends_of_the_ranges_are_out(keys, turns, sign):
    for step, below, at in (
        (keys - 1, computes_retrieval_centred, PlanesBindingCase),
        (keys - 1, computes_induction_against, PlanesCase),
        (2 * keys - 3, is_positive_and_falls, PlanesCase),
    ):
        symbols = keys if at is PlanesBindingCase else 2
        for share, expected in ((F(1), False), (F(999, 1000), True), (F(1001, 1000), False)):
            if share > 1 and step == 1:  # past half a turn the rest is below it again
                expected = True
            angle = Angle(sign * share / step + turns)
            assert below(at(angle, symbols, 2, keys + 1)) is expected, (step, share)


@pytest.mark.parametrize("text", ["0", "2 pi", "-4 pi"])
def test_without_a_turn_there_is_no_order(text):
    for keys in (2, 3):
        assert not is_positive_and_falls(PlanesCase(parsed(text), 2, 2, keys + 1))
        assert not computes_induction_against(PlanesCase(parsed(text), 2, 2, keys + 1))
        assert not computes_induction_beside(BesideCase(parsed(text), 2, 2, keys + 1))
        assert computes_retrieval_centred(PlanesBindingCase(parsed(text), keys, 2, keys + 1))


@pytest.mark.parametrize("text", ["0", "pi", "-3 pi", "1", "7/5", "2/3 pi + 1"])
def test_with_one_key_every_angle_serves(text):
    assert computes_retrieval_centred(PlanesBindingCase(parsed(text), 1, 2, 2))
    for compute in (is_positive_and_falls, computes_induction_in_order, computes_induction_against):
        assert compute(PlanesCase(parsed(text), 3, 2, 2))
    assert computes_induction_beside(BesideCase(parsed(text), 3, 2, 2))


def test_wrong_keys_below_0_reach_further():
    case = PlanesCase(Angle(F(1, 4)), 2, 2, 5)  # T = 4: (T - 1) theta = 3/4 pi, (2T - 3) theta = 5/4 pi
    assert computes_induction_against(case)
    assert not is_positive_and_falls(case)
    assert not computes_induction_in_order(case)


@pytest.mark.parametrize("keys", [3, 4, 5])
@pytest.mark.parametrize("turns", [0, 2, -2])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_end_beside_angle_0(keys, turns, sign):
    for share, expected in ((F(1), False), (F(999, 1000), True), (F(1001, 1000), keys == 3)):  # past half a turn
        angle = Angle(sign * share / (keys - 2) + turns)
        assert computes_induction_beside(BesideCase(angle, 2, 2, keys + 1)) is expected, share


@pytest.mark.parametrize("text", ["pi", "-3 pi", "1/1000", "3", "-22", "2/3 pi + 1"])
def test_with_two_keys_every_angle_serves_beside_0(text):
    assert computes_induction_beside(BesideCase(parsed(text), 3, 2, 3))


def test_angle_0_besides_reaches_further():
    angle = Angle(F(2, 5))  # T = 4: (T - 2) theta = 4/5 pi, (T - 1) theta = 6/5 pi
    assert computes_induction_beside(BesideCase(angle, 2, 2, 5))
    assert not computes_induction_against(PlanesCase(angle, 2, 2, 5))


@given(induction_cases(), st.integers(1, 6), st.fractions(-3, 3, max_denominator=4))
def test_a_query_turned_back_has_the_phase_of_the_rest(case, t, centre):
    ahead = Angle(F(1, 5))
    assert same_cosine(turned(case.theta, t, centre, ahead), reduced(case.theta) * (t - centre) + ahead)


# -- controls ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "mutant"), MUTANTS, ids=[f"{c.id} {m.name}" for c, m in MUTANTS])
def test_the_proof_does_not_prove_a_mutant(claim, mutant):
    assert not all(result.accepted for result in verify_proof(claim.proof, mutant.statement))


@pytest.mark.parametrize(
    ("claim", "mutant", "case"),
    [
        (retrieval_within, "the end", PlanesBindingCase(Angle(F(1, 2)), 3, 2, 4)),
        (retrieval_within, "wider", PlanesBindingCase(Angle(F(1, 2)), 3, 2, 4)),
        (retrieval_within, "narrower", PlanesBindingCase(Angle(F(1, 3)), 3, 2, 4)),
        (retrieval_within, "full turns count", PlanesBindingCase(Angle(F(2)), 2, 2, 3)),
        (retrieval_within, "one attribute", PlanesBindingCase(Angle(F(1)), 2, 1, 3)),
        (induction_within, "the end", PlanesCase(Angle(F(1, 3)), 2, 2, 4)),
        (induction_within, "wider", PlanesCase(Angle(F(1, 3)), 2, 2, 4)),
        (induction_within, "narrower", PlanesCase(Angle(F(1, 4)), 2, 2, 4)),
        (induction_within, "no angle", PlanesCase(Angle(F(0)), 2, 2, 3)),
        (induction_exact, "the end", PlanesCase(Angle(F(1, 2)), 2, 2, 4)),
        (induction_exact, "no angle", PlanesCase(Angle(F(0)), 2, 2, 3)),
        (induction_exact, "one symbol", PlanesCase(Angle(F(5, 6)), 1, 2, 6)),
        (induction_exact, "one attribute", PlanesCase(Angle(F(0)), 2, 1, 3)),
        (induction_beside, "the end", BesideCase(Angle(F(1)), 2, 2, 4)),
        (induction_beside, "wider", BesideCase(Angle(F(1)), 2, 2, 4)),
        (induction_beside, "narrower", BesideCase(Angle(F(1)), 2, 2, 3)),
        (induction_beside, "full turns count", BesideCase(Angle(F(5, 2)), 2, 2, 4)),
        (induction_beside, "no angle", BesideCase(Angle(F(0)), 2, 2, 3)),
        (induction_beside, "one symbol", BesideCase(Angle(F(5, 6)), 1, 2, 8)),
        (induction_beside, "one attribute", BesideCase(Angle(F(0)), 2, 1, 3)),
    ],
)
def test_near_misses_by_hand(claim, mutant, case):
    assert claim.mutant(mutant).statement.refuted_by(case)
    assert not claim.statement.refuted_by(case)


# -- by vectors ----------------------------------------------------------------------------------------------------


def head_logits(case, tokens, query, of_match, of_wrong, own, still=0):
    """Logits of keys that are unit vectors of their symbols' planes, rotated by how far they are from the query; keys
    and queries have `still` in common at angle 0 besides."""
    angle, planes = float(case.theta), case.symbols
    queries = np.full(planes, of_wrong, dtype=complex)
    queries[query] = of_match
    logits = []
    for t, symbol in enumerate(reversed(tokens), 1):
        key = np.zeros(planes, dtype=complex)
        key[symbol] = np.exp(1j * angle * t)
        logits.append(np.vdot(queries, key).real + still * (symbol == query))
    return np.array([*reversed(logits), own])


def turns_of(case, kind):
    """What the query has in its symbol's plane and in the others, and the logit of its own key."""
    rest, keys = float(reduced(case.theta)), case.length - 1
    mirrored = not (case.theta - reduced(case.theta)).is_multiple_of_full_turn
    ahead = (math.pi - (2 * keys - 3) * rest) / 4
    middle = np.exp(1j * rest * (keys + 1) / 2)
    match, wrong, own, *still = {
        "centred": (middle, 0, 0),
        "in order": (np.exp(1j * (1.5 * rest - ahead)), 0, 0),
        "against": (math.cos((keys - 1) * rest / 2) * np.exp(1j * rest), -middle, -1),
        "beside": (middle * -1j / 2, 0, 0, 1),
    }[kind]
    return (np.conj(match), np.conj(wrong), own, *still) if mirrored else (match, wrong, own, *still)


def is_right(case, kind, repeated):
    """By the tasks' own solvers, with a margin for rounding; None where a logit is too near to another to tell."""
    symbols, attributes = "abcdef"[: case.symbols], "xyz"[: case.attributes]
    keys = case.length - 1
    task = (partial_induction_task if repeated else retrieval_task)(symbols, attributes)
    bodies = product(range(case.symbols), repeat=keys) if repeated else permutations(range(case.symbols), keys)
    for body in bodies:
        for query in set(body):
            logits = head_logits(case, body, query, *turns_of(case, kind))
            first, second = np.sort(logits)[::-1][:2]
            place = int(np.argmax(logits))
            if first - second < 1e-9:
                return None
            for carried in product(attributes, repeat=keys):
                tokens = (*((symbols[s], a) for s, a in zip(body, carried, strict=True)), symbols[query])
                answer = tokens[place][1] if place < keys else None
                if answer != task.solve(tokens):
                    return False
    return True


@settings(max_examples=60)
@given(binding_cases(3))
def test_retrieval_by_vectors(case):
    found = is_right(case, "centred", repeated=False)
    if found is not None:
        assert found is computes_retrieval_centred(case)


@settings(max_examples=60)
@given(induction_cases(4), st.sampled_from(["in order", "against"]))
def test_induction_by_vectors(case, kind):
    found = is_right(case, kind, repeated=True)
    if found is not None:
        exact = computes_induction_in_order if kind == "in order" else computes_induction_against
        assert found is exact(case)


@settings(max_examples=60)
@given(beside_cases(4))
def test_induction_beside_by_vectors(case):
    found = is_right(case, "beside", repeated=True)
    if found is not None:
        assert found is computes_induction_beside(case)


# -- no query and key at all ---------------------------------------------------------------------------------------


def has_open_half_plane(directions):
    """Whether some vector has a positive product with all directions: whether they leave a gap above half a turn."""
    turns = np.sort(np.mod(directions, 2 * math.pi))
    gaps = np.diff(np.append(turns, turns[0] + 2 * math.pi))
    return float(gaps.max()) - math.pi


@given(st.fractions(F(1, 50), 1, max_denominator=60), st.integers(2, 7))
def test_where_some_query_and_key_serve(share, keys):
    """Logits above 0 at all places, that fall as well, or that fall: directions of the places and of the slopes."""
    theta, places = float(share) * math.pi, np.arange(1, keys + 1)
    for steps, directions in (
        (keys - 1, theta * places),
        (2 * keys - 3, np.append(theta * (places[:-1] + 0.5) - math.pi / 2, theta * keys)),
        (keys - 2, theta * (places[:-1] + 0.5) - math.pi / 2),  # with angle 0 besides the slopes alone count
    ):
        room = has_open_half_plane(directions)
        if abs(room) > 1e-9:
            assert (room > 0) == (steps * share < 1)
