"""A single attention head `H = (L, VAL, F)` (DEC, DYN appendix C) with exact or float weights.

Positions count from 1, as in the papers: array index `t` of a sequence is position `t + 1`. Causal: the query
at position `n` sees the keys at `1 .. n`, its own included; its logit table holds the `m = n - 1` keys before
it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy
from jaxtyping import Shaped

from headproof.constructions import exact
from headproof.constructions.rope import RopeConfig, float_positions, rotate, vector_namespace
from headproof.theory.errors import InputError
from headproof.theory.table import LogitTable

Array = np.ndarray[Any, Any]
OutputMap = Callable[[Any, Any], Any]

# `F(a, x)`, by name: the attention output alone, or added to the residual stream.
OUTPUT_MAPS: Mapping[str, OutputMap] = MappingProxyType({"attention": lambda a, x: a, "residual": lambda a, x: x + a})


def rope_table(
    query: Shaped[Any, "*batch head_dim"],
    keys: Shaped[Any, "*batch content head_dim"],
    config: RopeConfig,
    query_position: Any,
    positions: Shaped[Any, "*positions position"] | None = None,
    *,
    scale: Any = 1,
) -> LogitTable:
    """The logit table `M[a, b] = scale * keys[a]^T R_{n-b} query` of one query, batched over heads.

    `query` (*batch, head_dim) and `keys` (*batch, m, head_dim) are projected and not yet rotated; their batch
    axes broadcast, so grouped queries need no repeated keys. `query_position` is `n`; `positions` are the
    keys' `b`, shape (m,) or (*batch, m), by default 1 .. m. O(m^2 head_dim) time in one product of matrices:
    the query is turned to each position, never each key, so no m x m x head_dim array is made.

    Raises InputError for shapes or dtypes that do not match and for what `rotate` refuses.
    """
    xp = vector_namespace(query, config)
    vector_namespace(keys, config)
    if query.dtype != keys.dtype:
        raise InputError(f"a query of {query.dtype} with keys of {keys.dtype}", "use one dtype")
    count = int(keys.shape[-2]) if keys.ndim >= 2 else 0
    where = np.arange(1, count + 1) if positions is None else positions
    if query.dtype == object:
        offsets = query_position - exact.object_array(where)
    else:
        offsets = exact.to_float(query_position) - float_positions(where)
    if not count or offsets.shape[-1:] != (count,):
        raise InputError(
            f"keys of shape {tuple(keys.shape)} with positions of shape {tuple(np.shape(offsets))}",
            "keys are (..., m, head_dim) with m >= 1, positions (m,) or (..., m)",
        )
    turned = rotate(query[..., None, :], offsets, config)
    try:
        logits = xp.matmul(keys, xp.matrix_transpose(turned))
    except (ValueError, RuntimeError) as error:
        raise InputError(
            f"a query of shape {tuple(query.shape)} does not go with keys of shape {tuple(keys.shape)}"
        ) from error
    return LogitTable(logits * (scale if query.dtype == object else exact.to_float(scale)))


@dataclass(frozen=True, eq=False)
class Head:
    """One causal attention head; `x` below is a sequence of embeddings, shape `(*batch, n, embed)`.

    `w_q`, `w_k` (head_dim, embed) and `w_v` (value, embed) act as `q = w_q x`. They are nested sequences or
    numpy arrays: exact numbers give an exact head (object arrays), floats a float head in their dtype; the
    arrays are copied and read-only. `rope` rotates `q` and `k`, `scale` multiplies the logits. `output` is
    `F`: a name in OUTPUT_MAPS ("attention" is `y = a`, "residual" `y = x + a`) or any function `(a, x) -> y`
    of arrays.

    Raises InputError for entries that are not finite real numbers, shapes that do not match each other or the
    rotary configuration, exact weights beside float ones, and an unknown output map.
    """

    w_q: Shaped[Any, "head_dim embed"]
    w_k: Shaped[Any, "head_dim embed"]
    w_v: Shaped[Any, "value embed"]
    rope: RopeConfig
    scale: Any = 1
    output: str | OutputMap = "attention"

    def __post_init__(self) -> None:
        for name in ("w_q", "w_k", "w_v"):
            object.__setattr__(self, name, _weights(name, getattr(self, name)))
        object.__setattr__(self, "scale", exact.number(self.scale, "scale"))
        shapes = f"w_q {self.w_q.shape}, w_k {self.w_k.shape}, w_v {self.w_v.shape}"
        if self.w_q.shape != self.w_k.shape or self.w_q.shape[1] != self.w_v.shape[1]:
            raise InputError(f"weights of shapes {shapes}", "they are (head_dim, embed) twice and (value, embed)")
        if self.w_q.shape[0] != self.rope.dim:
            raise InputError(f"{shapes} with a rotary configuration of dimension {self.rope.dim}")
        if len(dtypes := {str(w.dtype) for w in (self.w_q, self.w_k, self.w_v)}) > 1:
            raise InputError(
                f"weights of different dtypes {sorted(dtypes)}", "make all of them exact, or one float dtype"
            )
        if self.exact and not (self.rope.exact and exact.is_exact(self.scale)):
            raise InputError(
                f"exact weights with angles {self.rope.angles} and scale {self.scale}",
                "give these exactly too, or float weights",
            )
        if not self.exact:
            object.__setattr__(self, "scale", exact.to_float(self.scale))
        if isinstance(self.output, str) and self.output not in OUTPUT_MAPS:
            raise InputError(f"unknown output map {self.output!r}", f"known: {', '.join(OUTPUT_MAPS)}, or a function")
        if self.output == "residual" and self.w_v.shape[0] != self.w_v.shape[1]:
            raise InputError(f"a residual output needs as many values as embeddings, got w_v {self.w_v.shape}")

    @property
    def exact(self) -> bool:
        """Whether the weights are exact numbers rather than floats."""
        return bool(self.w_q.dtype == object)

    def numeric(self, dtype: Any = np.float64) -> Head:
        """The float copy of this head, each number rounded once to float64 and then to `dtype`.

        Raises InputError where a weight or an angle has free symbols.
        """
        rounded = {
            name: np.vectorize(exact.to_float, otypes=[np.float64])(getattr(self, name)).astype(dtype)
            for name in ("w_q", "w_k", "w_v")
        }
        return replace(self, **rounded, rope=self.rope.numeric(), scale=exact.to_float(self.scale))

    def logit(self, x_i: Shaped[Any, " embed"], i: Any, x_j: Shaped[Any, " embed"], j: Any) -> Any:
        """`L(x_i, i, x_j, j)`: query embedding `x_i` at position `i`, key embedding `x_j` at position `j`."""
        pair = self._embedded([x_i, x_j])
        table = rope_table(pair[0] @ self.w_q.T, pair[1:] @ self.w_k.T, self.rope, i, [j], scale=self.scale)
        return table.logits[0, 0]

    def table(self, x: Shaped[Any, "*batch n embed"], query: int = -1, include_query: bool = False) -> LogitTable:
        """The logit table of the query at array index `query`: key contents and positions before it.

        `M[a, b] = L(x_q, q, x_a, b)` with `m = n - 1` for a query at position `n`; with `include_query` the
        query's own key and position come last, `m = n`. Raises InputError for a query with no key before it.
        """
        x, last = self._located(x, query)
        count = last + int(include_query)
        if count == 0:
            raise InputError("the query at position 1 has no key before it", "use include_query=True")
        return rope_table(
            x[..., last, :] @ self.w_q.T,
            x[..., :count, :] @ self.w_k.T,
            self.rope,
            last + 1,
            scale=self.scale,
        )

    def logits(self, x: Shaped[Any, "*batch n embed"], query: int = -1) -> Shaped[Any, "*batch key"]:
        """The logits `lambda_j` of one query over all keys it sees, its own last; O(n), without the table.

        Raises InputError for a float logit that is not finite.
        """
        x, last = self._located(x, query)
        turned = rotate((x[..., last, :] @ self.w_q.T)[..., None, :], np.arange(last, -1, -1), self.rope)
        with np.errstate(over="ignore", invalid="ignore"):
            logits = (x[..., : last + 1, :] @ self.w_k.T * turned).sum(axis=-1) * self.scale
        if not self.exact and not np.all(np.isfinite(logits)):
            raise InputError(f"logit {logits[~np.isfinite(logits)][0]}", "the embeddings or weights are too large")
        return logits

    def weights(
        self, x: Shaped[Any, "*batch n embed"], query: int = -1, beta: float = 1.0
    ) -> Shaped[Any, "*batch key"]:
        """Attention weights of one query: softmax of `beta` times the logits, its own key's weight last.

        `beta = inf` is average hard attention: equal weights on all maximisers. An exact head decides ties
        exactly and gives Fractions there (SymPy exponentials for a finite beta, the float taken at its exact
        value); a float head takes ties to the bit. Raises InputError for a beta that is negative or NaN, and
        where an exact comparison is undecided.
        """
        return _attend(self.logits(x, query), exact.inverse_temperature(beta))

    def output_at(
        self, x: Shaped[Any, "*batch n embed"], query: int = -1, beta: float = 1.0
    ) -> Shaped[Any, "*batch y"]:
        """`y = F(a, x)` of one query, with `a` the weighted mean of the values `w_v x_j`."""
        x, last = self._located(x, query)
        weights = self.weights(x, last, beta)
        attended = (weights[..., None, :] @ (x[..., : last + 1, :] @ self.w_v.T))[..., 0, :]
        apply = OUTPUT_MAPS[self.output] if isinstance(self.output, str) else self.output
        return apply(attended, x[..., last, :])

    def outputs(self, x: Shaped[Any, "*batch n embed"], beta: float = 1.0) -> Shaped[Any, "*batch n y"]:
        """`y_i = F(a_i, x_i)` of every position, each from the keys up to it; O(n) memory a query."""
        x, last = self._located(x, -1)
        return np.stack([self.output_at(x, query, beta) for query in range(last + 1)], axis=-2)

    def _embedded(self, x: Any) -> Array:
        """Embeddings in the head's own kind of number; exact heads take no floats, others finite ones."""
        if not self.exact:
            floats = np.asarray(x, dtype=self.w_q.dtype)
            if not np.all(np.isfinite(floats)):
                raise InputError(f"embedding entry {floats[~np.isfinite(floats)][0]}", "embeddings are finite")
            return floats
        array = exact.object_array(x)
        if bad := [value for value in array.flat if isinstance(value, (float, np.floating))]:
            raise InputError(f"an exact head got the float {bad[0]}", "use head.numeric(), or exact embeddings")
        return array

    def _located(self, x: Any, query: int) -> tuple[Array, int]:
        """The embeddings as an array, and the array index of the query counted from 0."""
        array = self._embedded(x)
        if array.ndim < 2 or array.shape[-1] != self.w_q.shape[1] or 0 in array.shape:
            raise InputError(
                f"embeddings of shape {array.shape}", f"a sequence is (..., n, {self.w_q.shape[1]}), n >= 1"
            )
        size = array.shape[-2]
        if not -size <= query < size:
            raise InputError(f"query index {query} in a sequence of {size} tokens")
        return array, query % size


def _weights(name: str, value: Any) -> Array:
    try:
        array = np.array(value)
    except ValueError as error:
        raise InputError(f"{name} is a matrix, got rows of different lengths") from error
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"{name} is a matrix, got shape {array.shape}")
    if array.dtype.kind == "f":
        if not np.all(np.isfinite(array)):
            raise InputError(f"{name} has the entry {array[~np.isfinite(array)][0]}", "weights are finite")
    else:
        entries = [exact.number(entry, f"{name} entry") for entry in array.flat]
        kinds = {exact.is_exact(entry) for entry in entries}
        if kinds == {True, False}:
            floats = [entry for entry in entries if not exact.is_exact(entry)]
            raise InputError(f"{name} has the float {floats[0]} among exact entries", "write it as a fraction")
        shape, array = array.shape, np.empty(len(entries), dtype=object if True in kinds else np.float64)
        array[:] = entries
        array = array.reshape(shape)
    array.flags.writeable = False
    return array


def _attend(logits: Array, beta: Any) -> Array:
    hard = isinstance(beta, float) and math.isinf(beta)
    if logits.dtype != object:
        if hard:
            chosen = (logits == logits.max(axis=-1, keepdims=True)).astype(logits.dtype)
        else:
            chosen = np.exp(exact.to_float(beta) * (logits - logits.max(axis=-1, keepdims=True)))
        return np.asarray(chosen / chosen.sum(axis=-1, keepdims=True))
    weights = np.empty(logits.shape, dtype=object)
    factor = beta if hard or isinstance(beta, sympy.Expr) else sympy.Rational(beta)
    for index in np.ndindex(logits.shape[:-1]):
        row = list(logits[index])
        if hard:
            best = exact.maximisers(row)
            weights[index] = [Fraction(int(key in best), len(best)) for key in range(len(row))]
        else:
            powers = [sympy.exp(factor * sympy.sympify(value)) for value in row]
            total = sum(powers)
            weights[index] = [power / total for power in powers]
    return weights
