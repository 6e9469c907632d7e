"""Heads and their logit tables: shapes, exactness, invariances, attention and outputs."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from headproof.constructions.exact import Turn
from headproof.constructions.heads import Head, rope_table
from headproof.constructions.rope import RopeConfig, rotate
from headproof.theory.errors import InputError

EYE = np.eye(2, dtype=int)
TURN = Turn(Fraction(4, 5), Fraction(3, 5))
entries = st.integers(-6, 6).map(lambda third: Fraction(third, 3))


def matrices(rows, columns):
    return st.lists(st.lists(entries, min_size=columns, max_size=columns), min_size=rows, max_size=rows).map(
        lambda m: np.array(m, dtype=object).reshape(rows, columns)
    )


@st.composite
def heads(draw, config=None, embed=2):
    """Exact heads with one or two planes, rational rotations, and NoPE coordinates or none."""
    if config is None:
        planes = draw(st.lists(entries.map(Turn.of_half_tangent), min_size=1, max_size=2))
        layout = draw(st.sampled_from(["half", "adjacent"]))
        config = RopeConfig(tuple(planes), layout, 2 * len(planes) + draw(st.integers(0, 1)))
    w_q, w_k = (draw(matrices(config.dim, embed)) for _ in range(2))
    return Head(w_q, w_k, draw(matrices(embed, embed)), config, draw(entries))


sequences = st.integers(1, 4).flatmap(lambda n: matrices(n, 2))


def float_batch(shape, config, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*shape, config.dim)), rng.normal(size=(*shape, 5, config.dim))


def table_tolerance(query, keys, epsilon):
    """What a table entry errs by: a rotation, `head_dim` products and their sum, relative to |k|_1 |q|_1."""
    size = np.abs(query).sum(axis=-1).max() * np.abs(keys).sum(axis=-1).max()
    return epsilon * (8 + query.shape[-1]) * size


# -- rope_table -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["half", "adjacent"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_rope_table_is_the_definition(layout, shape):
    config = RopeConfig((0.7, 0.1), layout, 6)
    query, keys = float_batch(shape, config)
    table = rope_table(query, keys, config, 9, [2, 3, 5, 6, 8], scale=0.5).logits
    assert table.shape == (*shape, 5, 5)
    for a in range(5):
        for b, position in enumerate([2, 3, 5, 6, 8]):
            rotated_key = rotate(keys[..., a, :], position, config)
            expected = 0.5 * (rotated_key * rotate(query, 9, config)).sum(axis=-1)
            tolerance = table_tolerance(query, keys, 2**-52) + 9 * 2**-52 * np.abs(expected).max()
            assert np.allclose(table[..., a, b], expected, rtol=0, atol=4 * tolerance)


def test_default_positions_are_one_to_m_and_only_differences_matter():
    config = RopeConfig((TURN,))
    query = np.array([1, 2], dtype=object)
    keys = np.array([[1, 0], [0, 1], [3, 1]], dtype=object)
    table = rope_table(query, keys, config, 4).logits
    assert np.array_equal(table, rope_table(query, keys, config, 4, [1, 2, 3]).logits)
    assert np.array_equal(table, rope_table(query, keys, config, 104, [101, 102, 103]).logits)
    assert all(isinstance(value, (int, Fraction)) for value in table.flat)


def test_a_rope_table_is_the_sum_of_its_planes():
    config = RopeConfig((TURN, Turn(0, 1)), "half", 5)
    rng = np.random.default_rng(1)
    query, keys = rng.integers(-3, 4, 5).astype(object), rng.integers(-3, 4, (4, 5)).astype(object)
    whole = rope_table(query, keys, config, 5).logits
    parts = [
        rope_table(query[list(pair)], keys[:, list(pair)], config.plane(index), 5).logits
        for index, pair in enumerate(config.pairs)
    ]
    rest = rope_table(query[4:], keys[:, 4:], RopeConfig.nope(1), 5).logits
    assert np.array_equal(whole, sum(parts) + rest)


def test_grouped_queries_share_keys():
    config = RopeConfig((0.4,), head_dim=3)
    query, keys = float_batch((2, 4), config)
    shared = keys[:, :1]
    table = rope_table(query, shared, config, 6).logits
    assert table.shape == (2, 4, 5, 5)
    assert np.allclose(table[1, 2], rope_table(query[1, 2], shared[1, 0], config, 6).logits, rtol=2**-45)


def test_positions_may_differ_in_a_batch():
    config = RopeConfig((0.4,))
    query, keys = float_batch((2,), config)
    where = np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
    table = rope_table(query, keys, config, 6, where).logits
    assert np.allclose(table[1], rope_table(query[1], keys[1], config, 6, where[1]).logits, rtol=2**-45)


@given(st.integers(0, 10**6), st.sampled_from(["half", "adjacent"]))
@settings(deadline=None, max_examples=25)
def test_torch_and_float32_tables_follow_numpy_float64(seed, layout):
    torch = pytest.importorskip("torch")
    config = RopeConfig.of_base(10000, 4, layout=layout, head_dim=6)
    query, keys = (part.astype(np.float32) for part in float_batch((2,), config, seed))
    wide = rope_table(query.astype(np.float64), keys.astype(np.float64), config, 900, range(800, 805)).logits
    by_torch = rope_table(
        torch.from_numpy(query).double(), torch.from_numpy(keys).double(), config, 900, range(800, 805)
    ).logits
    assert np.allclose(by_torch.numpy(), wide, rtol=0, atol=table_tolerance(query, keys, 2**-52))
    for narrow in (
        rope_table(query, keys, config, 900, range(800, 805)).logits,
        rope_table(torch.from_numpy(query), torch.from_numpy(keys), config, 900, range(800, 805)).logits.numpy(),
    ):
        assert narrow.dtype == np.float32
        assert np.allclose(narrow, wide, rtol=0, atol=table_tolerance(query, keys, 2**-23))


@pytest.mark.parametrize(
    ("query", "keys", "positions", "match"),
    [
        (np.ones(2), np.ones((3, 2), dtype=np.float32), None, "float64 with keys of float32"),
        (np.ones(2), np.ones(2), None, r"\(2,\)"),
        (np.ones(2), np.ones((3, 2)), [1, 2], r"\(3, 2\) with positions of shape \(2,\)"),
        (np.ones(2), np.ones((0, 2)), None, r"\(0, 2\)"),
        (np.ones(3), np.ones((3, 2)), None, r"\(3,\) in a head of dimension 2"),
        (np.ones((2, 2)), np.ones((3, 4, 2)), None, r"\(2, 2\) does not go with keys of shape \(3, 4, 2\)"),
    ],
)
def test_tables_that_are_refused(query, keys, positions, match):
    with pytest.raises(InputError, match=match):
        rope_table(query, keys, RopeConfig((0.1,)), 4, positions)


# -- invariances of a head's table ------------------------------------------------------------------------


@given(heads(), sequences)
@settings(deadline=None)
def test_the_diagonal_of_the_table_is_what_the_head_uses(head, x):
    logits = head.logits(x)
    assert np.array_equal(head.table(x, include_query=True).diagonal, logits)
    n = len(x)
    if n > 1:
        table = head.table(x)
        assert table.exact
        assert np.array_equal(table.diagonal, logits[:-1])
        # Positions count from 1: array index b is position b + 1, the query stands at n.
        assert table.logits[0, n - 2] == head.logit(x[-1], n, x[0], n - 1)
    assert logits[0] == head.logit(x[-1], n, x[0], 1)


@given(heads(), sequences, st.integers(-4, 4))
@settings(deadline=None)
def test_logits_depend_on_differences_of_positions(head, x, shift):
    assert head.logit(x[0], 3, x[-1], 1) == head.logit(x[0], 3 + shift, x[-1], 1 + shift)


@given(heads(config=RopeConfig.nope(3)), sequences.filter(lambda x: len(x) > 1))
@settings(deadline=None)
def test_nope_tables_are_symbolic(head, x):
    table = head.table(x).logits
    assert all(len(set(row)) == 1 for row in table)


@given(heads(), sequences.filter(lambda x: len(x) > 1))
@settings(deadline=None)
def test_equal_keys_make_a_table_positional(head, x):
    same = Head(head.w_q, np.zeros_like(head.w_k) + head.w_k[:, :1], head.w_v, head.rope, head.scale)
    # With one key direction for both coordinates, tokens of equal coordinate sum have equal keys.
    x = np.stack([x[:, 0], 1 - x[:, 0]], axis=-1)
    assert all(len(set(column)) == 1 for column in same.table(x).logits.T)


@given(heads(), sequences.filter(lambda x: len(x) > 1))
@settings(deadline=None)
def test_layouts_give_one_table_for_permuted_weights(head, x):
    other = "adjacent" if head.rope.layout == "half" else "half"
    config = RopeConfig(head.rope.angles, other, head.rope.dim)
    order = np.arange(head.rope.dim)
    for here, there in zip(head.rope.pairs, config.pairs, strict=True):
        order[list(there)] = here
    moved = Head(head.w_q[order], head.w_k[order], head.w_v, config, head.scale)
    assert np.array_equal(moved.table(x).logits, head.table(x).logits)


@given(heads(), sequences)
@settings(deadline=None)
def test_the_numeric_copy_follows_the_exact_head(head, x):
    numeric = head.numeric()
    exact_logits = head.logits(x).astype(float)
    # Entries are at most 2, embed 2: |q|, |k| <= 8 a coordinate, scale <= 2; phases are at most 4 pi.
    tolerance = 2**-52 * (16 + 4 * math.pi) * 2 * (8 * head.rope.dim) ** 2
    assert np.allclose(numeric.logits(x.astype(float)), exact_logits, rtol=0, atol=tolerance)
    single = head.numeric(np.float32)
    assert single.logits(x).dtype == np.float32
    assert np.allclose(single.logits(x), exact_logits, rtol=0, atol=tolerance * 2**29)


# -- attention and outputs --------------------------------------------------------------------------------


def head_of_logits():
    """A NoPE head whose query is the first coordinate 1 and whose logits are the keys' second coordinate."""
    return Head([[1, 0]], [[0, 1]], EYE, RopeConfig.nope(1))


X = np.array([[1, 2], [1, 5], [1, 5], [1, 3]], dtype=object)


def test_hard_attention_averages_over_maximisers():
    head = head_of_logits()
    half = Fraction(1, 2)
    assert list(head.weights(X, beta=math.inf)) == [0, half, half, 0]
    assert list(head.output_at(X, beta=math.inf)) == [1, 5]
    assert head.numeric().weights(X, beta=math.inf).tolist() == [0, 0.5, 0.5, 0]
    assert list(head.weights(X, query=0, beta=math.inf)) == [1]


def test_exact_ties_of_expressions_are_ties():
    """Logits cos(3 theta - theta) and cos(2 theta) tie by the addition theorem only."""
    theta = sympy.pi / 7
    q = [[sympy.cos(theta), 0], [sympy.sin(theta), 0]]
    head = Head(q, [[1, 1], [0, 0]], EYE, RopeConfig((theta,)))
    x = np.array([[0, 1], [0, 1], [0, 1], [1, 0]], dtype=object)
    # The query's own phase is theta, so the phase of a key t steps back is (t + 1) theta.
    assert head.weights(x, beta=math.inf).tolist() == [0, 0, 0, 1]
    far = np.concatenate([np.array([[0, 1]] * 9, dtype=object), x], axis=0)
    # Distance 12 has phase 13 theta = 2 pi - theta, which ties with the query's own key.
    assert head.weights(far, beta=math.inf).tolist() == [Fraction(1, 2), *[0] * 11, Fraction(1, 2)]


def test_softmax():
    head = head_of_logits()
    exact = head.weights(X, beta=1)
    assert exact[0] == sympy.exp(2) / (sympy.exp(2) + 2 * sympy.exp(5) + sympy.exp(3))
    assert np.allclose(head.numeric().weights(X), exact.astype(float), rtol=2**-48)
    assert list(head.weights(X, beta=0)) == [Fraction(1, 4)] * 4
    huge = head.numeric().weights(np.array([1, 1e300]) * X)
    assert huge.tolist() == [0, 0.5, 0.5, 0]


def test_batches_attend_each_for_itself():
    head = Head(np.eye(3), np.ones((3, 3)), np.eye(3), RopeConfig((0.3,), head_dim=3), output="residual")
    x = np.random.default_rng(0).normal(size=(2, 4, 3))
    for beta in (1.5, math.inf):
        assert np.allclose(head.outputs(x, beta)[1], head.outputs(x[1], beta), rtol=2**-45)
    exact = head_of_logits()
    both = np.stack([X, X[::-1]])
    assert np.array_equal(exact.outputs(both, math.inf)[1], exact.outputs(X[::-1], math.inf))


@given(heads(), sequences)
@settings(deadline=None)
def test_outputs_are_causal_and_the_residual_adds_the_input(head, x):
    residual = Head(head.w_q, head.w_k, head.w_v, head.rope, head.scale, "residual")
    doubled = Head(head.w_q, head.w_k, head.w_v, head.rope, head.scale, lambda a, x: 2 * a)
    outputs = head.outputs(x, math.inf)
    for t in range(len(x)):
        assert np.array_equal(outputs[t], head.output_at(x[: t + 1], beta=math.inf))
    assert np.array_equal(residual.outputs(x, math.inf), outputs + x)
    assert np.array_equal(doubled.outputs(x, math.inf), 2 * outputs)
    weights = head.weights(x, beta=math.inf)
    assert sum(weights) == 1
    assert abs(head.numeric().weights(x).sum() - 1) <= len(x) * 2**-52


# -- what a head refuses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Head([[1, math.nan]], [[1.0, 0]], np.eye(2), RopeConfig.nope(1)), "w_q has the entry nan"),
        (lambda: Head([[1.0, 0]], [[1, -math.inf]], np.eye(2), RopeConfig.nope(1)), "w_k has the entry -inf"),
        (lambda: Head([[sympy.oo, 0]], EYE[:1], EYE, RopeConfig.nope(1)), "w_q entry oo"),
        (lambda: Head([["a", "b"]], EYE[:1], EYE, RopeConfig.nope(1)), "w_q entry"),
        (lambda: Head([[1, 0], [1]], EYE, EYE, RopeConfig((1,))), "w_q is a matrix"),
        (lambda: Head([1, 0], EYE, EYE, RopeConfig((1,))), r"w_q is a matrix, got shape \(2,\)"),
        (lambda: Head([[Fraction(1), 0.5]], EYE[:1], EYE, RopeConfig.nope(1)), "float 0.5 among exact"),
        (lambda: Head(EYE, EYE[:1], EYE, RopeConfig((1,))), r"w_q \(2, 2\), w_k \(1, 2\)"),
        (lambda: Head(EYE, EYE, EYE[:, :1], RopeConfig((1,))), r"w_v \(2, 1\)"),
        (lambda: Head(EYE, EYE, EYE, RopeConfig((1, 2))), "dimension 4"),
        (lambda: Head(EYE, EYE, np.eye(2), RopeConfig((1,))), "float64.*object"),
        (lambda: Head(EYE, EYE, EYE, RopeConfig((0.25,))), "0.25"),
        (lambda: Head(EYE, EYE, EYE, RopeConfig((1,)), 0.5), "scale 0.5"),
        (lambda: Head(EYE, EYE, EYE, RopeConfig((1,)), math.nan), "scale nan"),
        (lambda: Head(EYE, EYE, EYE, RopeConfig((1,)), output="mlp"), "'mlp'.*attention, residual"),
        (lambda: Head(EYE, EYE, EYE[:1], RopeConfig((1,)), output="residual"), r"\(1, 2\)"),
        (lambda: head_of_logits().table(X, 0), "position 1 has no key"),
        (lambda: head_of_logits().logits(X, 4), "query index 4 in a sequence of 4"),
        (lambda: head_of_logits().logits(X[:0]), r"\(0, 2\)"),
        (lambda: head_of_logits().logits(X[:, :1]), r"\(4, 1\)"),
        (lambda: head_of_logits().logits(X.astype(float)), "float 1.0"),
        (lambda: head_of_logits().numeric().logits(X * np.inf), "embedding entry inf"),
        (lambda: head_of_logits().numeric().logits(1e200 * X), "logit inf"),
        (lambda: head_of_logits().weights(X, beta=-1), "-1"),
        (lambda: head_of_logits().weights(X, beta=math.nan), "nan"),
        (lambda: Head([[sympy.Symbol("w"), 0]], EYE[:1], EYE, RopeConfig.nope(1)).numeric(), "w has no"),
    ],
)
def test_heads_that_are_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_weights_are_copied_and_read_only():
    source = np.eye(2)
    head = Head(source, source, source, RopeConfig((0.5,)))
    source[0, 0] = 7
    assert head.w_q[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        head.w_q[0, 0] = 2
