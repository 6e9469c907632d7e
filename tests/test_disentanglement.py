"""The measures of disentanglement against their definitions, by brute force and in exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.theory.angles import ball, precision
from headproof.theory.disentanglement import (
    interaction,
    interaction_bound,
    mean_resultant,
    sharp_interaction_bound,
    turning_bound,
    turning_spread,
)
from headproof.theory.errors import InputError
from headproof.theory.exclusion import exclusion_terms
from headproof.theory.measures import analysis_of_variance
from headproof.theory.table import LogitTable

ANGLE = st.one_of(
    st.floats(-7, 7),
    st.floats(1e-9, 1e-2),
    st.sampled_from([0.0, math.pi, -math.pi, 2 * math.pi, math.pi / 2, 6 * math.pi, 1e-5, 2 * math.pi + 1e-7]),
)
COUNT = st.integers(1, 40)


def head(seed, planes, m):
    """Query, keys (m, planes, 2), angles and the rotary table of the keys at positions 1 .. m, the query at m + 1."""
    rng = np.random.default_rng(seed)
    query, keys = rng.normal(size=(planes, 2)), rng.normal(size=(m, planes, 2))
    angles = rng.choice([0.0, math.pi, math.pi / 2, 2 * math.pi, *rng.uniform(0, 3, size=4), 1e-3], size=planes)
    q = query[:, 0] + 1j * query[:, 1]
    k = keys[..., 0] + 1j * keys[..., 1]
    distances = m + 1 - np.arange(1, m + 1)
    # q^T R(theta d) k plane by plane
    logits = np.einsum("f,af,bf->ab", q.conj(), k, np.exp(1j * distances[:, None] * angles)).real
    return q, k, angles, LogitTable(logits)


# -- the double difference -----------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_the_interaction_is_the_double_difference(seed, m):
    rng = np.random.default_rng(seed)
    logits = rng.integers(-9, 9, size=(2, m, m)).astype(float)
    a, a0, b, b0 = rng.integers(0, m, size=(4, 7))
    found = interaction(LogitTable(logits), a, a0, b, b0)
    assert found.shape == (2, 7)
    for batch in range(2):
        for i in range(7):
            rows = logits[batch]
            expected = rows[a[i], b[i]] - rows[a0[i], b[i]] - rows[a[i], b0[i]] + rows[a0[i], b0[i]]
            assert found[batch, i] == expected
    assert interaction(LogitTable(logits), int(a[0]), int(a0[0]), int(b[0]), int(b0[0])).shape == (2,)


def test_the_interaction_of_an_exact_table():
    table = LogitTable.of_rows([["1/3", 2], [0, "-1/2"]])
    assert interaction(table, 0, 1, 0, 1) == Fraction(1, 3) - 0 - 2 - Fraction(1, 2)
    assert interaction(table, 0, 0, 0, 1) == 0


def test_an_additive_table_has_none():
    content, position = np.arange(4) * 3.0, np.array([1.0, -2.0, 5.0, 0.5])
    table = LogitTable(content[:, None] + position)
    places = np.indices((4, 4, 4, 4)).reshape(4, -1)
    assert (interaction(table, *places) == 0).all()


# -- the bound plane by plane --------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(2, 6))
def test_no_interaction_is_above_its_bound(seed, planes, m):
    q, k, angles, table = head(seed, planes, m)
    a, a0, b, b0 = np.indices((m, m, m, m)).reshape(4, -1)
    found = np.abs(interaction(table, a, a0, b, b0))
    bound = turning_bound(np.abs(q), np.abs(k[a] - k[a0]), angles, b - b0)
    assert bound.shape == found.shape
    assert (found <= bound + 1e-12).all()
    for i in (0, len(a) // 2, len(a) - 1):
        plain = sum(
            2 * abs(q[f]) * abs(k[a[i], f] - k[a0[i], f]) * abs(math.sin(angles[f] * (b[i] - b0[i]) / 2))
            for f in range(planes)
        )
        assert bound[i] == pytest.approx(plain, abs=1e-14)


def test_keys_that_attain_the_bound():
    rng = np.random.default_rng(3)
    angles, q = np.array([0.7, 0.01, 3.0]), rng.normal(size=3) + 1j * rng.normal(size=3)
    d, d0 = 5, 2
    # q^T (R(theta d) - R(theta d0)) v is Re(conj(q) (e^{i theta d} - e^{i theta d0}) v)
    steep = (q.conj() * (np.exp(1j * angles * d) - np.exp(1j * angles * d0))).conj() * np.array([1, 4, 0.5])
    value = (q.conj() * (np.exp(1j * angles * d) - np.exp(1j * angles * d0)) * steep).real.sum()
    assert value == pytest.approx(turning_bound(np.abs(q), np.abs(steep), angles, d - d0))


# -- the resultant -------------------------------------------------------------------------------------------------


@given(ANGLE, COUNT)
def test_the_resultant_is_the_length_of_the_mean(angle, m):
    mean = abs(np.exp(1j * angle * np.arange(1, m + 1)).mean())
    found = mean_resultant(np.array([angle]), m)[0]
    assert 0 <= found <= 1
    assert found == pytest.approx(mean, abs=1e-12)
    assert turning_spread(np.array([angle]), m)[0] == pytest.approx(1 - mean**2, abs=1e-12)


@given(st.floats(1e-12, 3.1), COUNT)
def test_the_spread_keeps_its_digits(angle, m):
    """Against 1 - sin(m x)^2 / (m sin x)^2 in 400 bits."""
    found = turning_spread(np.array([angle]), m)[0]
    with precision(400):
        x = ball(Fraction(angle)) / 2
        exact = 1 - ((m * x).sin() / (arb(m) * x.sin())) ** 2
        expected = float(exact.mid())
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-300)


def test_whole_turns():
    angles = np.array([0.0, 2 * math.pi, -4 * math.pi])
    np.testing.assert_allclose(mean_resultant(angles, 9), 1, atol=1e-14)
    np.testing.assert_allclose(turning_spread(angles, 9), 0, atol=1e-28)
    assert (mean_resultant(np.linspace(-9, 9, 50), 1) == 1).all()
    assert (turning_spread(np.linspace(-9, 9, 50), 1) == 0).all()


@pytest.mark.parametrize("measure", [mean_resultant, turning_spread])
def test_no_keys(measure):
    with pytest.raises(InputError, match="number of keys, is an integer, 1 or more, got 0"):
        measure(np.array([1.0]), 0)


# -- the mean square -----------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 9))
def test_the_mean_square_interaction_is_below_its_bound(seed, planes, m):
    q, k, angles, table = head(seed, planes, m)
    found = analysis_of_variance(table).interaction / m**2
    sigma = np.sqrt((np.abs(k - k.mean(axis=0)) ** 2).mean(axis=0))
    bound = interaction_bound(np.abs(q), sigma, angles, m)
    resultants = np.abs(np.exp(1j * np.outer(np.arange(1, m + 1), angles)).mean(axis=0))
    plain = (np.abs(q) * sigma * np.sqrt(np.maximum(0, 1 - resultants**2))).sum() ** 2
    assert found <= bound * (1 + 1e-12) + 1e-12
    assert bound == pytest.approx(plain, abs=1e-6)
    if planes == 1:
        sharp = sharp_interaction_bound(np.abs(q), sigma, angles, m)[0]
        assert found <= sharp * (1 + 1e-12) + 1e-12
        assert sharp <= bound * (1 + 1e-12) + 1e-12


@given(ANGLE, COUNT)
def test_the_sharp_bound_is_the_largest_eigenvalue(angle, m):
    directions = np.exp(1j * angle * np.arange(1, m + 1))
    centred = directions - directions.mean()
    scatter = np.cov(np.array([centred.real, centred.imag]), bias=True) if m > 1 else np.zeros((2, 2))
    expected = 3.0**2 * 0.5**2 * np.linalg.eigvalsh(scatter)[-1]
    found = sharp_interaction_bound(np.array(3.0), np.array(0.5), np.array(angle), m)
    assert float(found) == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_what_the_interaction_costs(seed, m):
    rng = np.random.default_rng(seed)
    table = LogitTable(rng.normal(size=(m, m)))
    terms = exclusion_terms(table)
    assert terms.variance + 2 * analysis_of_variance(table).interaction / m**2 <= terms.bound + 1e-12


# -- large angles --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [12345.678, 1e8 + 0.5, 1e17, -1e17, 3e200, 2 * math.pi * 1e6])
@pytest.mark.parametrize("m", [2, 5, 12])
def test_large_angles_lose_nothing(angle, m):
    """Against 1 - D^2 and C in 1200 bits: multiples of a float 2 pi would be off by 1e-16 a turn."""
    with precision(1200):
        x = ball(Fraction(angle)) / 2
        resultant = (m * x).sin() / (arb(m) * x.sin())
        cosine = (2 * m * x).sin() / (arb(m) * (2 * x).sin())
        spread = float((1 - resultant**2).mid())
        sharp = max(float(((1 + cosine) / 2 - resultant**2).mid()), float(((1 - cosine) / 2).mid()))
    assert turning_spread(angle, m) == pytest.approx(spread, rel=1e-9, abs=1e-30)
    assert mean_resultant(angle, m) == pytest.approx(abs(float(resultant.mid())), rel=1e-12)
    assert interaction_bound([1.0], [1.0], [angle], m) == pytest.approx(spread, rel=1e-9, abs=1e-30)
    assert sharp_interaction_bound(1.0, 1.0, angle, m) == pytest.approx(sharp, rel=1e-9, abs=1e-30)


def test_a_head_that_turns_fast_is_below_its_bound():
    angle, m, rng = 1e17, 6, np.random.default_rng(1)
    keys = rng.normal(size=m) + 1j * rng.normal(size=m)
    table = LogitTable(np.array([[(k * np.exp(1j * angle * b)).real for b in range(1, m + 1)] for k in keys]))
    found = analysis_of_variance(table).interaction / m**2
    assert 0.1 < found <= interaction_bound([1.0], [keys.std()], [angle], m) * (1 + 1e-12)


def test_nothing_is_no_negative_zero():
    for found in (
        turning_spread(np.array([0.0, -0.0, 2 * math.pi]), 9),
        turning_spread(0.0, 1),
        sharp_interaction_bound(1.0, 1.0, np.array([0.0, -0.0]), 9),
        interaction_bound([1.0], [1.0], [0.0], 4),
    ):
        assert (np.copysign(1, found) == 1).all()


# -- arrays --------------------------------------------------------------------------------------------------------


def test_batches_and_lists():
    bound = turning_bound([1.0, 2.0], np.ones((3, 4, 2)), [0.1, 0.2], np.arange(4))
    assert bound.shape == (3, 4)
    assert interaction_bound([1.0, 2.0], np.ones((5, 2)), [0.1, 0.2], 7).shape == (5,)
    assert turning_bound(np.float32([1]), np.float32([1]), np.float32([1]), 1).dtype == np.float64


@pytest.mark.parametrize("m", [0, -1, 2.5, 3.0, True, "3", None])
@pytest.mark.parametrize("count", [1, 3])
def test_the_number_of_keys_is_an_integer(m, count):
    measures = {1: (mean_resultant, turning_spread), 3: (interaction_bound, sharp_interaction_bound)}[count]
    for measure in measures:
        with pytest.raises(InputError, match="number of keys"):
            measure(*[np.array([1.0])] * count, m)
        assert measure(*[np.array([1.0])] * count, np.int64(3)).shape in ((1,), ())


@pytest.mark.parametrize("measure", [turning_bound, interaction_bound, sharp_interaction_bound])
@pytest.mark.parametrize("place", [0, 1])
def test_a_negative_norm_is_refused(measure, place):
    arguments = [[1.0, 0.0], [1.0, 2.0], [0.1, 0.2], 3]
    measure(*arguments)
    arguments[place] = [1.0, -0.25]
    with pytest.raises(InputError, match=r"length of -0\.25"):
        measure(*arguments)


@pytest.mark.torch
def test_mixed_arguments():
    torch = pytest.importorskip("torch")
    norms, deviations, angles = [1.0, 2.0], [0.5, 3.0], [0.1, 0.2]
    for measure, last in ((turning_bound, 3), (interaction_bound, 5), (sharp_interaction_bound, 5)):
        expected = measure(norms, deviations, angles, last)
        for tensors in range(1, 8):
            given_as = [
                torch.tensor(each, dtype=torch.float32 if place == 0 else torch.float64)
                if tensors >> place & 1
                else each
                for place, each in enumerate((norms, deviations, angles))
            ]
            found = measure(*given_as, last)
            assert isinstance(found, torch.Tensor)
            assert found.dtype == torch.float64
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-15)
            arrays = [each if isinstance(each, torch.Tensor) else np.array(each) for each in given_as]
            np.testing.assert_allclose(measure(*arrays, last).numpy(), expected, rtol=1e-15)
    assert isinstance(turning_bound(norms, deviations, angles, torch.tensor([1, 2])), torch.Tensor)
    one = sharp_interaction_bound(torch.tensor(1.0), torch.tensor(2.0), 0.1, 5)
    assert float(one) == pytest.approx(sharp_interaction_bound(1.0, 2.0, 0.1, 5))
    with pytest.raises(InputError, match="length of -1"):
        sharp_interaction_bound(torch.tensor(-1.0), 2.0, 0.1, 5)
    with pytest.raises(InputError, match="cpu, meta together"):
        turning_bound(torch.ones(2), torch.ones(2, device="meta"), angles, 3)


@pytest.mark.torch
def test_torch_gives_the_same():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    query, keys, angles = rng.uniform(0, 2, size=(3, 4, 6))
    shift = np.arange(4)
    one = turning_bound(query, keys, angles, shift)
    other = turning_bound(*map(torch.asarray, (query, keys, angles, shift)))
    np.testing.assert_allclose(other.numpy(), one, rtol=1e-13)
    for measure in (interaction_bound, sharp_interaction_bound):
        one = measure(query, keys, angles, 5)
        other = measure(*map(torch.asarray, (query, keys, angles)), 5)
        np.testing.assert_allclose(other.numpy(), one, rtol=1e-12)
    logits = rng.normal(size=(4, 4))
    places = np.array([0, 1]), np.array([2, 2]), np.array([3, 0]), np.array([1, 1])
    other = interaction(LogitTable(torch.asarray(logits)), *map(torch.asarray, places))
    np.testing.assert_allclose(other.numpy(), interaction(LogitTable(logits), *places))
