"""RoPE: exact turns, configurations, rotations by numpy, torch and exact arrays."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.constructions.exact import Turn, maximisers, number, sign, to_float, turned
from headproof.constructions.rope import RopeConfig, cos_sin, exact_cos_sin, rotate
from headproof.theory.errors import InputError

LAYOUTS = ("half", "adjacent")
small = st.fractions(min_value=-3, max_value=3, max_denominator=5)
turns = small.map(Turn.of_half_tangent)
steps = st.integers(-6, 6)
angles = st.floats(-4, 4)


def config_of(angle_list, layout="half", rest=0):
    return RopeConfig(tuple(angle_list), layout, 2 * len(angle_list) + rest)


configs = st.builds(config_of, st.lists(angles, min_size=1, max_size=3), st.sampled_from(LAYOUTS), st.integers(0, 2))


def vectors(config, count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, config.dim))


# -- exact numbers and turns ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (True, "True"),
        ("1/2", "'1/2'"),
        (1j, "1j"),
        (sympy.nan, "nan"),
        (sympy.oo, "oo"),
        (sympy.I, "I"),
        (sympy.Float(0.5) * sympy.Symbol("t"), "mixes a float"),
    ],
)
def test_numbers_that_are_refused(value, match):
    with pytest.raises(InputError, match=match):
        number(value, "angle")


def test_numbers_are_normalised():
    assert number(sympy.Rational(3, 2), "x") == Fraction(3, 2)
    assert type(number(sympy.Integer(3), "x")) is int
    assert type(number(np.int32(3), "x")) is int
    assert type(number(sympy.Float(0.5) * sympy.pi, "x")) is float
    assert number(sympy.pi, "x") is sympy.pi


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (Fraction(-1, 3), -1),
        (0.5, 1),
        (sympy.cos(1) - sympy.cos(2), 1),
        (sympy.cos(1) * sympy.cos(3) + sympy.sin(1) * sympy.sin(3) - sympy.cos(2), 0),
        (sympy.cos(sympy.pi / 5) - sympy.cos(2 * sympy.pi / 5) - sympy.Rational(1, 2), 0),
        (-sympy.Symbol("c", positive=True), -1),
    ],
)
def test_signs(value, expected):
    assert sign(value) == expected


def test_undecided_sign_and_free_symbol_raise():
    with pytest.raises(InputError, match="sign of t"):
        sign(sympy.Symbol("t"))
    with pytest.raises(InputError, match="t has no numeric value"):
        to_float(sympy.Symbol("t"))


def test_maximisers_keep_ties():
    assert maximisers([1, Fraction(2), sympy.Integer(2), -5]) == [1, 2]


@given(turns, steps, steps)
@settings(deadline=None)
def test_powers_of_turns_are_exact_rotations(turn, a, b):
    (ca, sa), (cb, sb) = turn.power(a), turn.power(b)
    assert turn.power(a + b) == (ca * cb - sa * sb, ca * sb + sa * cb)
    assert ca**2 + sa**2 == 1
    assert math.isclose(float(ca), math.cos(a * float(turn)), abs_tol=2**-52 * (2 + abs(a) * 4))


@pytest.mark.parametrize(
    ("point", "match"),
    [
        ((Fraction(1, 2), Fraction(1, 2)), "square norm is 1/2"),
        ((0.6, 0.8), "0.6"),
        ((sympy.sqrt(2) / 2,) * 2, "sqrt"),
    ],
)
def test_points_that_are_no_turn(point, match):
    with pytest.raises(InputError, match=match):
        Turn(*point)


def test_turned_refuses_a_part_of_a_turn():
    with pytest.raises(InputError, match="1/2"):
        turned(Turn(0, 1), Fraction(1, 2))
    assert turned(sympy.pi / 3, 2) == (Fraction(-1, 2), sympy.sqrt(3) / 2)
    assert turned(0.5, 2) == (math.cos(1), math.sin(1))


# -- configurations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: RopeConfig((math.nan,)), "nan"),
        (lambda: RopeConfig((0.1, math.inf)), "inf"),
        (lambda: RopeConfig(("x",)), "'x'"),
        (lambda: RopeConfig(0.5), "0.5"),
        (lambda: RopeConfig((0.1,), "spiral"), "'spiral'.*half, adjacent"),
        (lambda: RopeConfig((0.1, 0.2), head_dim=3), "head_dim 3 .* 4 coordinates"),
        (lambda: RopeConfig((0.1,), head_dim=2.0), "2.0"),
        (lambda: RopeConfig(()), "no angles"),
        (lambda: RopeConfig.nope(0), "head_dim 0"),
        (lambda: RopeConfig.of_base(10000, 5), "rotary_dim 5"),
        (lambda: RopeConfig.of_base(10000, 0), "rotary_dim 0"),
        (lambda: RopeConfig.of_base(-2, 4), "base -2"),
        (lambda: RopeConfig.of_base(100, 4, head_dim=2), "head_dim 2"),
        (
            lambda: RopeConfig.of_base(100, 4, scaling={"rope_type": "yarn", "factor": 2}),
            "yarn.*supported: default",
        ),
        (lambda: RopeConfig.of_base(100, 4, scaling={"rope_type": "linear", "type": "dynamic"}), "dynamic"),
        (lambda: RopeConfig.of_base(100, 4, scaling={"type": "linear"}), "needs a factor"),
        (lambda: RopeConfig.of_base(100, 4, scaling={"rope_type": "default", "factor": 2}), "needs a factor"),
        (lambda: RopeConfig.of_base(100, 4, scaling={"rope_type": "linear", "factor": 0}), "factor 0"),
        (lambda: RopeConfig.of_base(100, 4, scaling={"rope_theta": 50}), "50.*100"),
        (lambda: RopeConfig.of_base(100, 4, scaling={"partial_rotary_factor": 0.5}), "0.5 of 4"),
        (lambda: RopeConfig.of_base(100, 4, scaling={"beta_fast": 32}), "beta_fast"),
    ],
)
def test_configurations_that_are_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_of_base_is_the_geometric_sequence():
    config = RopeConfig.of_base(10000, 8, head_dim=10)
    assert config.angles == pytest.approx([10000 ** (-2 * k / 8) for k in range(4)], rel=2**-50)
    assert (config.rotary_dim, config.dim, config.exact) == (8, 10, False)
    assert RopeConfig.of_base(sympy.Integer(16), 4).angles == (1, Fraction(1, 4))


def test_scalings():
    plain = RopeConfig.of_base(100, 4)
    whole = {"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 1.0, "factor": None}
    assert RopeConfig.of_base(100, 4, scaling=whole) == plain
    linear = RopeConfig.of_base(100, 4, scaling={"type": "linear", "factor": 8.0})
    assert linear.angles == tuple(angle / 8 for angle in plain.angles)


def test_plane_and_pairs():
    config = RopeConfig((1, Fraction(1, 3)), "half", 5)
    assert config.pairs == ((0, 2), (1, 3))
    assert RopeConfig((1, 2), "adjacent").pairs == ((0, 1), (2, 3))
    x = vectors(config, 4)
    for index, pair in enumerate(config.pairs):
        own = rotate(x[:, list(pair)], np.arange(4), config.plane(index))
        assert np.array_equal(own, rotate(x, np.arange(4), config)[:, list(pair)])


def test_numeric_configuration():
    exact = RopeConfig((sympy.pi / 5, Turn(Fraction(3, 5), Fraction(4, 5))), "adjacent", 6)
    assert exact.exact
    assert not exact.numeric().exact
    assert exact.numeric().angles == (math.pi / 5, math.atan2(0.8, 0.6))
    assert exact.numeric().numeric() == exact.numeric()


# -- rotations --------------------------------------------------------------------------------------------


@given(configs, steps, steps)
@settings(deadline=None)
def test_rotations_add_up_and_keep_lengths(config, a, b):
    x = vectors(config, 3)
    # Each coordinate: two products and a sum on both sides, and a phase error of eps |angle position|.
    tolerance = 2**-52 * (8 + 4 * (abs(a) + abs(b))) * np.abs(x).sum()
    once, twice = rotate(x, a + b, config), rotate(rotate(x, a, config), b, config)
    assert np.allclose(once, twice, rtol=0, atol=4 * tolerance)
    assert np.allclose(np.linalg.norm(once, axis=-1), np.linalg.norm(x, axis=-1), rtol=2**-48)
    assert np.array_equal(once[:, config.rotary_dim :], x[:, config.rotary_dim :])


@given(configs, steps)
@settings(deadline=None)
def test_only_the_difference_of_positions_matters(config, shift):
    q, k = vectors(config, 2)
    near = rotate(k, 2, config) @ rotate(q, 5, config)
    far = rotate(k, 2 + shift, config) @ rotate(q, 5 + shift, config)
    relative = k @ rotate(q, 3, config)
    tolerance = 2**-52 * 64 * np.linalg.norm(q) * np.linalg.norm(k) * (1 + config.dim)
    assert abs(near - far) <= 4 * tolerance
    assert abs(near - relative) <= 4 * tolerance


def test_the_phase_of_the_claim_sheet():
    """Per plane the logit is |q| |k| cos(theta (i - j) + phase), phase the angle from k to q."""
    config = RopeConfig((0.7,))
    q, k = 2 * np.array([math.cos(1.1), math.sin(1.1)]), 3 * np.array([math.cos(0.4), math.sin(0.4)])
    logit = rotate(k, 4, config) @ rotate(q, 9, config)
    assert logit == pytest.approx(6 * math.cos(0.7 * 5 + 1.1 - 0.4), abs=2**-46)


@given(st.lists(angles, min_size=1, max_size=4), st.integers(0, 2))
@settings(deadline=None)
def test_layouts_agree_up_to_the_order_of_coordinates(angle_list, rest):
    half, adjacent = config_of(angle_list, "half", rest), config_of(angle_list, "adjacent", rest)
    planes = len(angle_list)
    order = [f + part * planes for f in range(planes) for part in (0, 1)] + list(range(2 * planes, half.dim))
    x, where = vectors(half, 5), np.arange(5)
    assert np.array_equal(rotate(x, where, half)[:, order], rotate(x[:, order], where, adjacent))


@given(st.lists(turns, min_size=1, max_size=2), st.sampled_from(LAYOUTS), st.integers(0, 1))
@settings(deadline=None)
def test_exact_rotation_is_what_floats_round(turn_list, layout, rest):
    config = config_of(turn_list, layout, rest)
    x = np.arange(1, 3 * config.dim + 1).reshape(3, config.dim)
    exact = rotate(x.astype(object), [1, -2, 7], config)
    assert all(isinstance(value, (int, Fraction)) for value in exact.flat)
    floats = rotate(x.astype(float), [1, -2, 7], config)
    assert np.allclose(exact.astype(float), floats, rtol=0, atol=2**-52 * (8 + 7 * 4) * x.max() * 2)


def test_exact_rotation_by_symbols():
    t, p = sympy.Symbol("t", real=True), sympy.Symbol("p", integer=True)
    config = RopeConfig((t,))
    one = np.array([1, 0], dtype=object)
    assert list(rotate(one, [p], config)[0] - np.array([sympy.cos(t * p), sympy.sin(t * p)])) == [0, 0]
    cos, sin = exact_cos_sin(RopeConfig((sympy.pi / 2, 0)), [0, 1, 2])
    assert cos.tolist() == [[1, 1], [0, 1], [-1, 1]]
    assert sin.tolist() == [[0, 0], [1, 0], [0, 0]]


@given(configs, st.integers(0, 5000))
@settings(deadline=None)
def test_torch_and_float32_follow_numpy_float64(config, position):
    torch = pytest.importorskip("torch")
    x = vectors(config, 3)
    by_numpy = rotate(x, position, config)
    by_torch = rotate(torch.from_numpy(x), torch.tensor(position), config)
    assert by_torch.dtype == torch.float64
    # The same operations; torch may fuse a product into the sum, which saves one rounding.
    size = np.abs(x).sum()
    assert np.allclose(by_torch.numpy(), by_numpy, rtol=0, atol=2**-52 * size)
    single = x.astype(np.float32)
    wide = rotate(single.astype(np.float64), position, config)
    for narrow in (
        rotate(single, position, config),
        rotate(torch.from_numpy(single), position, config).numpy(),
    ):
        assert narrow.dtype == np.float32
        # cos and sin rounded once from float64, two products, one sum: three roundings of 2^-24 each.
        assert np.allclose(narrow, wide, rtol=0, atol=4 * 2**-24 * size)


def test_gradients_flow_and_inputs_stay():
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 4, requires_grad=True)
    rotate(x, [1, 2], RopeConfig((0.3, 0.1))).sum().backward()
    assert x.grad is not None
    y = np.ones((2, 4))
    rotate(y, [1, 2], RopeConfig((0.3, 0.1)))
    assert np.array_equal(y, np.ones((2, 4)))


def test_batches_broadcast():
    config = RopeConfig((0.3, 0.1), head_dim=5)
    x = vectors(config, 6).reshape(2, 3, 5)
    each = rotate(x[:, :, None, :], np.arange(4), config)
    assert each.shape == (2, 3, 4, 5)
    assert np.array_equal(each[1, 2, 3], rotate(x[1, 2], 3, config))


def test_bases_in_one_process_do_not_mix():
    few, many = RopeConfig.of_base(10000, 8), RopeConfig.of_base(1000000, 8)
    x, where = vectors(few, 7), np.arange(7)
    first = rotate(x, where, few)
    second = rotate(x, where, many)
    assert not np.allclose(first, second)
    assert np.array_equal(first, rotate(x, where, few))
    assert np.array_equal(second, rotate(x, where, many))
    assert len({few, many, RopeConfig.of_base(10000, 8)}) == 2


@pytest.mark.parametrize(
    ("x", "positions", "config", "match"),
    [
        (np.ones(2), math.nan, RopeConfig((0.1,)), "nan"),
        (np.ones(2), sympy.Symbol("p"), RopeConfig((0.1,)), "p has no numeric value"),
        (np.ones(2), 1, RopeConfig((sympy.Symbol("t"),)), "t has no numeric value"),
        (np.ones(3), 1, RopeConfig((0.1,)), r"\(3,\) in a head of dimension 2"),
        (np.ones((2, 2)), [1, 2, 3], RopeConfig((0.1,)), r"\(3,\) do not broadcast to vectors \(2, 2\)"),
        (np.ones(2, dtype=np.float16), 1, RopeConfig((0.1,)), "float16"),
        (np.ones(2, dtype=int), 1, RopeConfig((0.1,)), "int64"),
        ([1.0, 2.0], 1, RopeConfig((0.1,)), "list"),
        (np.ones(2, dtype=object), 1, RopeConfig((0.1,)), "exact angles.*0.1"),
        (np.ones(2, dtype=object), 1.5, RopeConfig((1,)), "1.5"),
    ],
)
def test_rotations_that_are_refused(x, positions, config, match):
    with pytest.raises(InputError, match=match):
        rotate(x, positions, config)


def test_cos_sin_shapes():
    cos, sin = cos_sin(RopeConfig((0.1, 0.2), head_dim=9), [[1, 2, 3]])
    assert cos.shape == sin.shape == (1, 3, 2)
    assert cos[0, 2, 1] == math.cos(3 * 0.2)
    assert cos_sin(RopeConfig.nope(3), 4)[0].shape == (0,)
