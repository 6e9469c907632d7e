"""Transformers as torch modules with the same weights, and a bound on what rounding can do to their scores.

torch is imported when a module is made, not before; the bound needs none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from headproof.constructions import exact
from headproof.constructions.heads import OUTPUT_MAPS, Head
from headproof.constructions.rope import rotate
from headproof.constructions.transformers import Transformer
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer, short

if TYPE_CHECKING:
    import torch

Array = np.ndarray[Any, Any]


def to_torch(transformer: Transformer, dtype: torch.dtype | None = None) -> torch.nn.Module:
    """A torch module that computes the transformer's scores under softmax; `dtype` is float64 unless given.

    `module(tokens, beta=1.0)` maps token ids (integers, shape `(*batch, n)`, see `Transformer.ids`) or one-hot rows
    `(*batch, n, token)` of the module's dtype to scores `(*batch, n, token)`, at the inverse temperature `beta`. The
    weights are buffers and follow `module.to(device)`; angles and scale are constants of the module. Scores
    differ from the exact ones by `export_error_bound` at most.

    Raises InputError for what is no transformer, a dtype other than float32 and float64 (or its name), an output map
    that is a function, and weights that overflow in the dtype; the module for a beta that is negative or not finite,
    for tokens of another dtype or shape, for rows that are not finite, and where logits or scores overflow.
    """
    import torch

    _require_transformer(transformer)

    class Exported(torch.nn.Module):
        """One layer, one head, RoPE, softmax."""

        embedding: torch.Tensor
        w_q: torch.Tensor
        w_k: torch.Tensor
        w_v: torch.Tensor
        unembedding: torch.Tensor

        def forward(self, tokens: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
            factor = _finite(beta)
            x = self._embedded(tokens)
            places = np.arange(1, x.shape[-2] + 1)
            queries, keys = (rotate(x @ w.T, places, head.rope) for w in (self.w_q, self.w_k))
            logits = queries @ keys.transpose(-1, -2) * head.scale
            future = torch.ones(logits.shape[-2:], dtype=torch.bool, device=logits.device).triu(1)
            scaled = factor * logits
            if not (torch.isfinite(scaled) | future).all():
                raise InputError(f"beta {beta} times the logits overflows in {logits.dtype}", "lower beta")
            weights = torch.softmax(scaled.masked_fill(future, -math.inf), dim=-1)
            attended = weights @ (x @ self.w_v.T)
            output: torch.Tensor = OUTPUT_MAPS[name](attended, x)
            scores = output @ self.unembedding.T
            if not torch.isfinite(scores).all():
                raise InputError(f"scores overflow in {scores.dtype}", "the weights or the one-hot rows are too large")
            return scores

        def _embedded(self, tokens: torch.Tensor) -> torch.Tensor:
            size = len(self.embedding)
            if not isinstance(tokens, torch.Tensor):
                raise InputError(f"tokens are a torch tensor, got {short(tokens)}", "wrap them in torch.tensor(...)")
            if tokens.dtype == self.embedding.dtype and tokens.ndim >= 2 and tokens.shape[-1] == size:
                if not (finite := torch.isfinite(tokens)).all():
                    raise InputError(f"one-hot rows hold {tokens[~finite][0].item()}", "give finite ones")
                return tokens @ self.embedding
            if tokens.dtype in (torch.int32, torch.int64) and tokens.ndim >= 1:
                if tokens.numel() and not 0 <= int(tokens.min()) <= int(tokens.max()) < size:
                    raise InputError(f"token ids from {int(tokens.min())} to {int(tokens.max())} for {size} tokens")
                return self.embedding[tokens]
            raise InputError(
                f"tokens of {tokens.dtype} and shape {tuple(tokens.shape)}",
                f"give integer ids, or one-hot rows of {self.embedding.dtype} with {size} entries",
            )

    wanted = getattr(torch, str(_format(dtype).dtype))
    rounded = transformer.numeric()
    head, name = rounded.head, _output_name(rounded.head)
    module = Exported()
    for key, matrix in (
        ("embedding", rounded.embedding),
        ("w_q", head.w_q),
        ("w_k", head.w_k),
        ("w_v", head.w_v),
        ("unembedding", rounded.unembedding),
    ):
        buffer = torch.tensor(matrix, dtype=wanted)
        if not torch.isfinite(buffer).all():
            raise InputError(f"{key} has entries of up to {np.abs(matrix).max():.6g}, which overflow in {wanted}")
        module.register_buffer(key, buffer)
    return module


def export_error_bound(transformer: Transformer, n: int, beta: float, dtype: torch.dtype | None = None) -> float:
    """The largest difference there can be between a score of `to_torch(transformer, dtype)` and the exact one.

    Over all sequences of `n` tokens at the inverse temperature `beta`; the exact score is that of the transformer's
    weights, floats among them at their exact values. Derived from three numbers: the unit roundoff `u` of the dtype,
    `u64 = 2^-53` of the weights and rotations, which are rounded from float64, and `gamma(k) = k u / (1 - k u)`, the
    relative error of a sum of k products in any order, fused or not (Higham, *Accuracy and Stability*, section 3).
    All relative errors below refer to sums of absolute values, so cancellation is covered:

    1. Each weight has the relative error 2u. A projection errs by `gamma(d + 4)`, with `d` the most products in it that
       are not zero (zeros are added without error): 1 for one-hot embeddings.
    2. A phase `p theta` errs by at most `6 u64 n |theta|` (theta, of a Turn with its arc tangent, and the product);
       its cosine by `8 u64` more (4 units in the last place), by 2 at most, and by u in the dtype. A rotated coordinate
       has two products: together `eta = (1 + gamma(d + 4)) (1 + rotation) (1 + gamma(2)) - 1` of `|x| + |y|` of the
       pair.
    3. A logit: `kappa = (1 + eta)^2 (1 + gamma(h + 4)) - 1` of `A`, the largest `|scale| sum |q| |k|` over pairs of
       tokens, for `h` coordinates and the scale.
    4. `beta logit` minus the row's largest one: `tau = beta A ((1 + kappa) (1 + gamma(2)) (1 + 2u) - 1)`.
    5. A weight is `e^z / sum e^z`: `e^(2 tau)` from the exponents, `(1 + 8u) / (1 - 8u)` from exp (4 units in the last
       place), `(1 + u) / (1 - gamma(n))` from sum and quotient. The weights add up to 1, so this factor less 1 bounds
       the sum of their errors, and so does 2 with the rounding of the sum, however large tau is. A weight that
       underflows adds the smallest normal number.
    6. `a = sum w v`, then `F`, then the unembedding, of at most `y` entries a token that are not zero: each multiplies
       its factors `1 + gamma`, and the whole error is relative to `max_t sum_c |U_tc| Y_c`, with `Y_c` the largest
       `|W_V| |x|`, plus `|x|` for a residual.

    The bound's own rounding is covered by its last factor. It is not for products in reduced precision (tf32).
    Raises InputError for n < 1, an n so large that `gamma(n)` is not below 1, a beta that is negative, not finite, or
    so large that `beta logit` overflows, what is no transformer, another dtype and another output map.
    """
    _require_transformer(transformer)
    beta = _finite(beta)
    n = require_integer(n, "n, the number of tokens,", 1)
    residual = _output_name(transformer.head) == "residual"
    floats = _format(dtype)
    u, u64 = float(floats.eps) / 2, 2.0**-53
    if n >= 1 / (2 * u):
        raise InputError(
            f"n = {short(n)} tokens in {floats.dtype} leave no bound, for gamma(n) is not below 1",
            f"give fewer than {int(1 / (2 * u))}",
        )
    rounded = transformer.numeric()
    head = rounded.head
    sizes = np.abs(rounded.embedding)
    h = len(head.w_q)
    d = max(_terms(sizes, weights) for weights in (head.w_q, head.w_k, head.w_v))
    y = int((rounded.unembedding != 0).sum(axis=1).max())

    def log_gamma(k: int) -> float:
        """log(1 + gamma(k))."""
        return math.log1p(k * u / (1 - k * u))

    # 1 to 4, as logarithms of the factors 1 + error.
    theta = max((abs(float(angle)) for angle in head.rope.angles), default=0.0)
    rotation = min(6 * u64 * n * theta + 8 * u64, 2.0) + u
    log_eta = log_gamma(d + 4) + math.log1p(rotation) + log_gamma(2)
    log_kappa = 2 * log_eta + log_gamma(h + 4)
    largest = abs(head.scale) * float((_paired(sizes, head.w_q, head) @ _paired(sizes, head.w_k, head).T).max())
    tau = beta * largest * math.expm1(log_kappa + log_gamma(2) + math.log1p(2 * u))
    if not beta * largest < floats.max / 4:
        raise InputError(f"beta {beta} times logits of up to {largest:.6g} overflows", "lower beta")
    # 5
    log_sum = math.log1p(u) - math.log1p(-n * u / (1 - n * u))
    log_weights = 2 * tau + math.log1p(8 * u) - math.log1p(-8 * u) + log_sum
    weights = min(math.expm1(min(log_weights, 2.0)), 1 + math.exp(log_sum)) + 4 * n * float(floats.tiny)
    # 6
    log_output = math.log1p(weights) + log_gamma(d + 4) + log_gamma(n) + (math.log1p(u) if residual else 0.0)
    values = (sizes @ np.abs(head.w_v).T).max(axis=0) + (sizes.max(axis=0) if residual else 0.0)
    size = float((np.abs(rounded.unembedding) @ values).max())
    return size * math.expm1(log_output + log_gamma(y + 2)) * (1 + 2.0**-20)


def _terms(sizes: Float[Array, "token embed"], weights: Array) -> int:
    """The most products in an entry of `W x`, over tokens, that are not zero."""
    return int(((sizes != 0).astype(int) @ (weights != 0).astype(int).T).max())


def _paired(sizes: Float[Array, "token embed"], weights: Array, head: Head) -> Float[Array, "token head_dim"]:
    """`|W| |x|` of each token, a rotated coordinate replaced by the sum of its pair, which bounds it at any angle."""
    projected = sizes @ np.abs(weights).T
    bounds = projected.copy()
    for first, second in head.rope.pairs:
        bounds[:, first] = bounds[:, second] = projected[:, first] + projected[:, second]
    return bounds


def _output_name(head: Head) -> str:
    if not isinstance(head.output, str):
        raise InputError(f"the output map {head.output!r} is a function", f"export knows {', '.join(OUTPUT_MAPS)}")
    return head.output


def _require_transformer(transformer: Any) -> None:
    if not isinstance(transformer, Transformer):
        raise InputError(
            f"export takes a Transformer, got a {type(transformer).__name__}",
            "the layers of a Stack are exported one by one",
        )


def _finite(beta: Any) -> float:
    factor = exact.to_float(exact.inverse_temperature(beta))
    if math.isinf(factor):
        raise InputError(f"a torch module needs a finite inverse temperature, 0 or more, got {beta}")
    return factor


def _format(dtype: Any) -> np.finfo[Any]:
    """What numpy knows of a torch dtype or of its name, None for float64."""
    name = "float64" if dtype is None else str(dtype).removeprefix("torch.")
    if name not in ("float32", "float64"):
        raise InputError(f"cannot export to {dtype}", "use torch.float32 or torch.float64")
    return np.finfo(name)
