"""Exported torch modules against scores in 50 digits, and the bound on their difference."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from headproof.constructions.exact import Turn
from headproof.constructions.export import export_error_bound, to_torch
from headproof.constructions.feasibility import index_transformer, positional_retrieval, retrieval_transformer
from headproof.constructions.heads import Head
from headproof.constructions.rope import RopeConfig
from headproof.constructions.stacks import Stack
from headproof.constructions.transformers import Transformer, reflexive_layer
from headproof.theory.errors import InputError
from headproof.theory.sequences import index_function, retrieval_function

torch = pytest.importorskip("torch")

TURN = Turn.of_half_tangent(Fraction(1, 300))  # about 0.0067


def dense(seed=0):
    """A transformer with nothing special: two planes, one coordinate without rotation, a scale, dense weights."""
    generator = np.random.default_rng(seed)
    rope = RopeConfig((0.7, sympy.pi / 11), "adjacent", 5).numeric()
    head = Head(*(generator.normal(size=(5, 4)) for _ in range(2)), generator.normal(size=(3, 4)), rope, scale=0.5)
    return Transformer(tuple("abcdef"), generator.normal(size=(6, 4)), head, generator.normal(size=(6, 3)))


# name, transformer: exact weights, floats, algebraic ones.
CASES = [
    ("index-turn", index_transformer("abcde", 6, 64, Turn.of_half_tangent(Fraction(1, 5)))),
    ("index-radians", index_transformer("abc", 3, 64, 1)),
    ("index-floats", index_transformer("abc", 3, 64, 2.399963)),
    ("retrieval-turn", retrieval_transformer("wxyz", [5, 6], 64, TURN)),
    ("retrieval-of-pi", retrieval_transformer("uvwxyz", [5], 64, sympy.pi / 400)),
    ("reflexive", reflexive_layer("abc")),
    ("dense", dense()),
]
cases = pytest.mark.parametrize("transformer", [case[1] for case in CASES], ids=[case[0] for case in CASES])


def drawn(transformer, n, seed=0):
    """Ids of any tokens: scores do not ask for valid sequences."""
    return np.random.default_rng(seed).integers(0, len(transformer.vocabulary), n)


def precise_scores(transformer, ids, beta):
    """Scores of all places in 50 digits, from the definitions: `k^T R_{i-j} q`, softmax, F, unembedding."""

    def number(value):
        if isinstance(value, sympy.Expr):
            return mpmath.mpmathify(sympy.N(value, 60))
        numerator, denominator = value.as_integer_ratio()
        return mpmath.mpf(numerator) / denominator

    def matrix(value):
        return np.array([[number(entry) for entry in row] for row in value], dtype=object)

    with mpmath.workdps(50):
        head = transformer.head
        e, w_q, w_k, w_v = (matrix(m) for m in (transformer.embedding, head.w_q, head.w_k, head.w_v))
        queries, keys, values = (e @ w.T for w in (w_q, w_k, w_v))
        angles = [
            mpmath.atan2(number(a.sin), number(a.cos)) if isinstance(a, Turn) else number(a) for a in head.rope.angles
        ]
        known = {}
        rows = []
        for i, query in enumerate(ids):
            logits = []
            for j, key in enumerate(ids[: i + 1]):
                if (query, key, i - j) not in known:
                    q, k = queries[query], keys[key]
                    logit = sum(q[c] * k[c] for c in range(head.rope.rotary_dim, head.rope.dim))
                    for angle, (first, second) in zip(angles, head.rope.pairs, strict=True):
                        cos, sin = mpmath.cos((i - j) * angle), mpmath.sin((i - j) * angle)
                        logit += k[first] * (cos * q[first] - sin * q[second])
                        logit += k[second] * (sin * q[first] + cos * q[second])
                    known[query, key, i - j] = number(head.scale) * logit
                logits.append(known[query, key, i - j])
            powers = [mpmath.exp(mpmath.mpf(beta) * logit) for logit in logits]
            total = sum(powers)
            a = sum(power / total * values[key] for power, key in zip(powers, ids, strict=False))
            rows.append(matrix(transformer.unembedding) @ (a + e[query] if head.output == "residual" else a))
        return np.array(rows)


@cases
@pytest.mark.parametrize(("n", "beta"), [(1, 3.0), (5, 0.0), (16, 1.0), (16, 3e4)])
def test_scores_in_torch_are_within_the_bound(transformer, n, beta):
    ids = drawn(transformer, n)
    precise = precise_scores(transformer, ids, beta)
    for dtype, sane in ((torch.float64, 1e-5), (torch.float32, 40.0)):
        scores = to_torch(transformer, dtype)(torch.tensor(ids), beta)
        assert scores.dtype == dtype
        error = max(abs(mpmath.mpf(float(s)) - p) for s, p in zip(scores.flatten().tolist(), precise.flat, strict=True))
        bound = export_error_bound(transformer, n, beta, dtype)
        assert error <= bound < sane
    assert np.allclose(transformer.numeric().scores(list_of(transformer, ids), beta), precise.astype(float), atol=1e-9)


def list_of(transformer, ids):
    return [transformer.vocabulary[token] for token in ids]


@pytest.mark.parametrize("name", ["index-turn", "retrieval-turn", "dense"])
def test_the_bound_at_64_tokens(name):
    transformer = dict(CASES)[name]
    ids, beta = drawn(transformer, 64), 100.0
    precise = precise_scores(transformer, ids, beta)
    error = np.abs(to_torch(transformer)(torch.tensor(ids), beta).numpy() - precise).max()
    bound = export_error_bound(transformer, 64, beta)
    assert error <= bound < 1e-6
    if name != "dense":
        assert bound < 2e4 * error


def test_the_bound_notices_a_wrong_weight():
    """A weight changed by 1e-9 leaves the bound: the comparison can fail."""
    transformer = retrieval_transformer("wxyz", [5, 6], 64, TURN)
    module = to_torch(transformer)
    module.w_q += 1e-9
    ids = drawn(transformer, 16)
    error = np.abs(module(torch.tensor(ids), 100.0).numpy() - precise_scores(transformer, ids, 100.0)).max()
    assert error > export_error_bound(transformer, 16, 100.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_huge_beta_leaves_a_bound_of_the_size_of_the_scores(dtype):
    transformer = index_transformer("ab", 3, 8, TURN)
    bound = export_error_bound(transformer, 8, 1e30, dtype)
    assert 3 < bound < 7
    assert torch.isfinite(to_torch(transformer, dtype)(torch.tensor([0, 2, 1, 3]), 1e30)).all()


def test_batches_one_hot_rows_and_gradients():
    transformer = retrieval_transformer("yz", [5, 6], 16, TURN)
    module = to_torch(transformer)
    ids = torch.tensor(np.stack([drawn(transformer, 6, seed) for seed in range(3)]))
    scores = module(ids, beta=7.0)
    assert scores.shape == (3, 6, len(transformer.vocabulary))
    one_hot = torch.nn.functional.one_hot(ids, len(transformer.vocabulary)).double().requires_grad_()
    assert torch.allclose(module(one_hot, beta=7.0), scores, rtol=0, atol=1e-14)
    for row in range(3):
        assert torch.allclose(module(ids[row], beta=7.0), scores[row], rtol=0, atol=1e-14)
    module(one_hot, beta=7.0).sum().backward()
    assert one_hot.grad is not None
    assert {name for name, _ in module.named_buffers()} == {"embedding", "w_q", "w_k", "w_v", "unembedding"}
    assert not list(module.parameters())


@pytest.mark.parametrize(
    ("transformer", "function", "tokens"),
    [
        (index_transformer("abc", 4, 12, 1), index_function, ["a", "b", 2, "c", 4, 1, 3, "b", 2, 4]),
        (
            retrieval_transformer("xyz", [5, 6], 12, TURN),
            retrieval_function,
            [("x", 5), ("y", 6), ("z", "y"), ("x", 5), ("z", "y"), ("z", "x")],
        ),
    ],
)
def test_what_was_exported_still_computes_the_function(transformer, function, tokens):
    """With a bound below half the margin, the decoded tokens cannot differ."""
    beta, expected = 1e5, function(tokens)
    margin = transformer.numeric().margins(tokens, beta, expected).min()
    assert export_error_bound(transformer, len(tokens), beta) < margin / 2
    scores = to_torch(transformer)(torch.tensor(transformer.ids(tokens)), beta)
    assert transformer.decode(scores.numpy()) == expected


INDEX = index_transformer("ab", 3, 8, TURN)
RETRIEVAL_MLP = positional_retrieval("ab", "x", 3)
HUGE = Transformer("ab", np.eye(2), Head(np.eye(2), np.eye(2), 1e300 * np.eye(2), RopeConfig.nope(2)), np.eye(2))
FUNCTION = Transformer(tuple("abcd"), np.eye(4, dtype=int), RETRIEVAL_MLP, np.eye(4, dtype=int))


def test_a_dtype_may_be_named_and_beta_a_fraction():
    tokens = torch.tensor([0, 2, 1])
    assert to_torch(INDEX, "float32")(tokens).dtype == torch.float32
    assert export_error_bound(INDEX, 3, 1, "float32") == export_error_bound(INDEX, 3, 1.0, torch.float32)
    assert torch.equal(to_torch(INDEX)(tokens, Fraction(1, 2)), to_torch(INDEX)(tokens, 0.5))
    assert export_error_bound(INDEX, np.int64(3), Fraction(1, 2)) == export_error_bound(INDEX, 3, 0.5)
    assert math.isfinite(export_error_bound(INDEX, 2**23 - 1, 1.0, "float32"))


def test_an_angle_without_accuracy_leaves_a_bound():
    assert math.isfinite(export_error_bound(index_transformer("ab", 3, 8, 1e300, allow_aliasing=True), 8, 1.0))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: to_torch(INDEX, torch.float16), r"cannot export to torch\.float16"),
        (lambda: to_torch(INDEX, torch.int64), r"cannot export to torch\.int64"),
        (lambda: to_torch(FUNCTION), "is a function; export knows attention, residual"),
        (lambda: to_torch(INDEX)(torch.tensor([0, 1]), math.inf), "got inf"),
        (lambda: to_torch(INDEX)(torch.tensor([0, 1]), -1), "got -1"),
        (lambda: to_torch(INDEX)(torch.tensor([0, 9])), "token ids from 0 to 9 for 5 tokens"),
        (lambda: to_torch(INDEX)(torch.tensor([-1, 0])), "token ids from -1 to 0"),
        (lambda: to_torch(INDEX)(torch.zeros(2, 5)), r"tokens of torch\.float32 and shape \(2, 5\)"),
        (lambda: to_torch(INDEX)(torch.zeros(2, 4).double()), r"shape \(2, 4\); give"),
        (lambda: export_error_bound(INDEX, 0, 1.0), "more, got 0"),
        (lambda: export_error_bound(INDEX, 3, math.inf), "got inf"),
        (lambda: export_error_bound(INDEX, 3, math.nan), "got nan"),
        (lambda: export_error_bound(INDEX, 3, 1e38, torch.float32), r"beta 1e\+38 .*overflows"),
        (lambda: export_error_bound(INDEX, 3, 1.0, torch.bfloat16), r"torch\.bfloat16"),
        (lambda: export_error_bound(FUNCTION, 3, 1.0), "is a function"),
        (
            lambda: to_torch(INDEX, torch.float32)(torch.tensor([0, 2]), 1e39),
            r"beta 1e\+39 .*overflows in torch.float32",
        ),
        (lambda: to_torch(INDEX)(torch.tensor([0, 2]), 10**400), "too large for a float"),
        (lambda: to_torch(INDEX)(torch.full((2, 5), math.nan).double()), "one-hot rows hold nan"),
        (lambda: to_torch(INDEX)(torch.full((2, 5), math.inf).double()), "one-hot rows hold inf"),
        (lambda: to_torch(INDEX)(torch.full((2, 5), 1e200, dtype=torch.float64)), "overflow"),
        (lambda: to_torch(HUGE, torch.float32), r"w_v has entries of up to 1e\+300, which overflow in torch.float32"),
        (lambda: to_torch(INDEX)([0, 1]), r"a torch tensor, got \[0, 1\]"),
        *[(lambda b=b: to_torch(INDEX)(torch.tensor([0]), b), "inverse temperature") for b in ("1", None, 1j, True)],
        *[(lambda b=b: export_error_bound(INDEX, 3, b), "inverse temperature") for b in ("1", None, 1j, True)],
        *[(lambda n=n: export_error_bound(INDEX, n, 1.0), "number of tokens") for n in (math.nan, math.inf, 2.5, True)],
        *[
            (lambda n=n, d=d: export_error_bound(INDEX, n, 1.0, d), f"n = {n} tokens in {d} leave no bound")
            for n, d in ((2**23, "float32"), (10**16, "float64"), (2**52, "float64"))
        ],
        *[
            (lambda call=call, x=x: call(x), "export takes a Transformer, got a")
            for call in (to_torch, lambda x: export_error_bound(x, 3, 1.0))
            for x in (Stack((INDEX,)), INDEX.head, None)
        ],
        (lambda: to_torch(index_transformer("ab", 3, 8, sympy.Symbol("t", real=True))), "no numeric value"),
    ],
)
def test_what_export_refuses(call, match):
    with pytest.raises(InputError, match=match):
        call()
