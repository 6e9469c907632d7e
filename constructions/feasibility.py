"""The transformers of DYN, theorem 3.1, that compute Index and Retrieval, and the counterexample beside DEC, theorem 4.

Both transformers have one layer, one head, one RoPE angle and no activation function. They are right under average
hard attention on every valid input up to their length; softmax agrees from some inverse temperature on (lemma F.1).
Weights are exact where theta is, floats where it is a float.

With the convention of `rope`, `L = k^T R_{n-j} q`, a key `rho(a) v` and a query `rho(b) v` on the unit circle have the
logit `cos((n-j) theta + b - a)`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy
from jaxtyping import Shaped

from headproof.constructions import exact
from headproof.constructions.exact import Turn
from headproof.constructions.expressivity import refuse_aliasing
from headproof.constructions.heads import Head
from headproof.constructions.rope import RopeConfig
from headproof.constructions.tasks import retrieval_task
from headproof.constructions.transformers import Transformer
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer, require_letter

Array = np.ndarray[Any, Any]
Rows = Sequence[Sequence[Any]]


def index_transformer(
    letters: Sequence[str], largest_integer: int, n0: int, theta: Any, *, allow_aliasing: bool = False
) -> Transformer:
    """`Index` (DYN, theorem 3.1) on all valid inputs of up to `n0` letters and integers `1 .. largest_integer`.

    At position `n` the logit of the key at `j` is `cos((n-j) theta)` for a letter and `cos((n-j-i) theta)` for an
    integer `i`, whatever stands at `j`. So a letter attends to itself, and an integer to its target. Hard attention
    gives the scores: 3 for a letter against 0; 2 for the letter at an integer's target against 1 for the integer; 1
    for an integer whose target is an integer, against 0. The margins are 3, 1 and 1, and under softmax the output is
    right as soon as the weight on the target exceeds 1/2 everywhere.

    The source asks for an irrational theta, and 2 pi/5 is irrational. What is needed is that no `t theta` with `1 <=
    t < n0` is a multiple of 2 pi, and InputError names the smallest such t (if `largest_integer >= n0 - 1`, each of
    them spoils an input). `allow_aliasing` builds the transformer nevertheless. A theta with free symbols gives the
    family of transformers, and the premise stays with the caller.

    Raises InputError as well for a bad alphabet, `largest_integer < 1`, `n0 < 2` and a theta that is not finite.
    """
    names = require_distinct(letters, "the alphabet of letters", require_letter)
    largest_integer = require_integer(largest_integer, "the largest integer", 1)
    n0 = require_integer(n0, "the largest length", 2)
    angle = exact.angle_of(theta)
    if not allow_aliasing:  # the premise of H_POS
        refuse_aliasing(angle, n0)
    count, size = len(names), len(names) + largest_integer
    # Coordinates of the embedding: letters, integers, and last the bias, which is 1 for every token.
    embedding = [[int(token == column) for column in range(size)] + [1] for token in range(size)]
    # W_K reads the bias alone, so W_K E = v = (1, 0) for every token.
    keys = [[0, 0]] * size + [[1, 0]]
    # W_Q reads v from the bias; integer i adds rho(-i theta) v - v, so that W_Q E = rho(-i theta) v:
    # the logit is v^T rho((n-j) theta) rho(-i theta) v = cos((n-j-i) theta).
    turns = [exact.turned(angle, -integer) for integer in range(1, largest_integer + 1)]
    queries = [[0, 0]] * count + [[cos - 1, sin] for cos, sin in turns] + [[1, 0]]
    # W_V doubles letters and forgets the rest, so that in x + a a letter at the target outweighs the integer, and
    # an integer at the target, or the bias, adds nothing. The unembedding drops the bias.
    values = np.diag([2] * count + [0] * (size - count + 1))
    unembedding = np.eye(size, size + 1, dtype=int)
    vocabulary = (*names, *range(1, largest_integer + 1))
    return _transformer(vocabulary, embedding, queries, keys, values, unembedding, angle, "residual")


def retrieval_transformer(
    letters: Sequence[str], numbers: Sequence[int], n0: int, theta: Any, *, allow_any_theta: bool = False
) -> Transformer:
    """`Retrieval` (DYN, theorem 3.1) on all proper inputs of up to `n0` tokens.

    The vocabulary is all pairs of two letters, then all of a letter and a number, as atomic tokens, one-hot. With
    `phi` the number of a letter and `omega = 2 pi / |letters|`, the logit at position `n` of the key at `j` is
    `cos((phi(left_j) - phi(right_n)) omega + (n-j) theta)`, and with `left_n` for `right_n` where the right half of
    the query is a number. W_V is the identity and F = a, so the scores are the attention weights, added up by token.

    Right on every proper input if (with two letters or more, and up to the sign of theta and multiples of 2 pi, only
    if) `0 < theta` and `(2 n0 - 3) theta < omega`, a weaker premise than the printed `theta < omega / (2 n0)`:

    * a letter-number pair has to beat an earlier pair of the same letter by `1 - cos(t theta)`, so theta = 0 fails;
    * a match `t` steps back has the phase `t theta`, and the nearest wrong key, `t'` steps back, `omega - t' theta`.
      Two keys never share a place, so `t + t'` is at most `(n0-1) + (n0-2) = 2 n0 - 3`.

    With a single letter there are no wrong keys, and any theta will do of which no `t theta` with `1 <= t < n0` is a
    multiple of 2 pi: then a pair leads every earlier one by `1 - cos(t theta) > 0`.

    Of several places that hold the same matching symbol the latest wins. A pair of letters that is ambiguous, so that
    the input is not proper, gets the latest match too.

    Raises InputError for a theta outside this range, with the range, and for one with free symbols; `allow_any_theta`
    builds the transformer nevertheless. A float theta is refused also where a margin is within rounding. Raises
    InputError as well for a bad alphabet of letters or of numbers, `n0 < 2` and a theta that is not finite.
    """
    names = require_distinct(letters, "the alphabet of letters", require_letter)
    values = require_distinct(numbers, "the alphabet of numbers", require_integer)
    n0 = require_integer(n0, "the largest length", 2)
    angle = exact.angle_of(theta)
    if not allow_any_theta:
        _require_range(angle, len(names), n0)
    vocabulary = (*product(names, names), *product(names, values))
    # rho(-phi omega) v for each letter, v = (1, 0).
    directions = {name: exact.turned(2 * sympy.pi / len(names), -phi) for phi, name in enumerate(names)}
    # Key -phi(left) omega, query -phi(right) omega: (n-j) theta + b - a = (n-j) theta + (phi(left) - phi(right)) omega.
    keys = [directions[left] for left, _ in vocabulary]
    queries = [directions[right if isinstance(right, str) else left] for left, right in vocabulary]
    one_hot = np.eye(len(vocabulary), dtype=int)
    return _transformer(vocabulary, one_hot, queries, keys, one_hot, one_hot, angle, "attention")


def retrieval_limit(count: int, n0: int) -> Any:
    """The exact bound, not attained, on theta for Retrieval: `omega / (2 n0 - 3)` with `omega = 2 pi / count`.

    Of a single letter it is sufficient only. Raises InputError for `count < 1` and `n0 < 2`.
    """
    count = require_integer(count, "the number of letters", 1)
    n0 = require_integer(n0, "the largest length", 2)
    return 2 * sympy.pi / (count * (2 * n0 - 3))


@dataclass(frozen=True, eq=False)
class Mlp:
    """One hidden layer: `(a, x) -> w2 ReLU(w1 [a; x] + b1) + b2`, an output map for `Head`, batched over axes.

    `w1` (hidden, value + embed), `b1` (hidden), `w2` (y, hidden), `b2` (y). Integers and Fractions stay exact on
    exact `a` and `x`, and are rounded to the dtype of float ones. Raises InputError for shapes that do not match.
    """

    w1: Shaped[Any, "hidden value+embed"]
    b1: Shaped[Any, " hidden"]
    w2: Shaped[Any, "y hidden"]
    b2: Shaped[Any, " y"]

    def __post_init__(self) -> None:
        for name in ("w1", "b1", "w2", "b2"):
            object.__setattr__(self, name, exact.object_array(getattr(self, name)))
        shapes = (self.w1.shape, self.b1.shape, self.w2.shape, self.b2.shape)
        if self.w1.ndim != 2 or self.w2.ndim != 2 or shapes[1::2] != (self.w2.shape[1:], self.w2.shape[:1]):
            raise InputError(f"an MLP of shapes {shapes}", "they are (hidden, input), (hidden), (y, hidden), (y)")
        if self.w1.shape[:1] != self.b1.shape:
            raise InputError(f"an MLP with w1 {self.w1.shape} and b1 {self.b1.shape}", "one bias a hidden unit")

    def __call__(self, a: Shaped[Any, "*batch value"], x: Shaped[Any, "*batch embed"]) -> Shaped[Any, "*batch y"]:
        """The output; InputError where `a` and `x` together are not `w1`'s input."""
        joined = np.concatenate([a, x], axis=-1)
        if joined.shape[-1] != self.w1.shape[1]:
            raise InputError(f"{joined.shape[-1]} inputs for an MLP of {self.w1.shape[1]}")
        w1, b1, w2, b2 = (weight.astype(joined.dtype) for weight in (self.w1, self.b1, self.w2, self.b2))
        return np.maximum(joined @ w1.T + b1, 0) @ w2.T + b2


def positional_retrieval(symbols: Sequence[str], attributes: Sequence[str], length: int, *, theta: Any = None) -> Head:
    """A positional head that computes Retrieval, `retrieval_task(symbols, attributes)`; against DEC, theorem 4.

    Theorem 4 says that no positional head does, and needs a projection for `F`. Here `F` is a general MLP. All
    logits are 0, so the attention is uniform, whatever the input, and `a_(s,y)` is `1/n` for each pair in the input.
    The MLP gates it with the query `x_n`, one-hot:

        score_y = length sum_s ReLU(a_(s,y) + x_n[s] - 1) = length a_(q,y)     for the query symbol q,

    for the hidden units of other symbols see `a - 1 <= 0`. So the answer is right at every length `n`, with the
    margin `length / n`: at least 1 up to `length`, which does no more than scale `w2`. The output has the coordinates
    of the pairs, and `Task.readout` adds them up over `s`.

    With a `theta` the places get different weights, equal for all inputs: keys and queries are all `(1, 0)`, so the
    logit is `cos((n-j) theta)`. The head is as positional, and under softmax as right. `0 < (length - 1) theta <= pi`
    makes the weights strictly decrease into the past, up to `length`. (Under hard attention it sees its query alone.)

    Raises InputError for a bad alphabet, a length below 2, and a theta out of that range; a float theta is refused also
    where the logits are equal within rounding.
    """
    task = retrieval_task(symbols, attributes)
    length = require_integer(length, "the length of an input, its query included,", 2)
    angle: Any = 0
    if theta is not None:
        angle = exact.angle_of(theta)
        exact.require_value(angle)
        span = (length - 1) * _radians(angle)
        if exact.sign(exact.number(span, "span")) <= 0 or exact.sign(exact.number(sympy.pi - span, "span")) < 0:
            raise InputError(
                f"theta {exact.shown(angle)} is outside 0 < theta <= pi / {length - 1} = {math.pi / (length - 1):.6g}",
                "or leave it out for uniform attention",
            )
        # Of two neighbouring places within pi, the query's own and the one before it are closest.
        if isinstance(angle, float) and 1 - math.cos(angle) <= _rounding(length * angle):
            raise InputError(
                f"theta {angle} leaves logits equal within rounding", "give a larger one, or leave it out for uniform"
            )
    size = len(task.vocabulary)
    pairs = [(unit, token) for unit, token in enumerate(task.vocabulary) if isinstance(token, tuple)]
    w1 = np.zeros((len(pairs), 2 * size), dtype=int)
    w2 = np.zeros((size, len(pairs)), dtype=int)
    for unit, (symbol, _) in pairs:
        w1[unit, unit] = 1  # a_(s,y)
        w1[unit, size + task.vocabulary.index(symbol)] = 1  # x_n[s]
        w2[unit, unit] = length
    mlp = Mlp(w1, [-1] * len(pairs), w2, [0] * size)
    one = [[int(theta is not None)] * size, [0] * size]
    rope = RopeConfig((angle,))
    dtype = int if rope.exact else float
    return Head(np.array(one, dtype), np.array(one, dtype), np.eye(size, dtype=dtype), rope, output=mlp)


def _transformer(
    vocabulary: tuple[Any, ...],
    embedding: Any,
    queries: Rows,
    keys: Rows,
    values: Any,
    unembedding: Any,
    angle: Any,
    output: str,
) -> Transformer:
    """The transformer with these columns of W_Q and W_K, one an embedding coordinate; float if any number is."""
    numbers = [entry for rows in (queries, keys) for row in rows for entry in row]
    rope = RopeConfig((angle,))
    if not rope.exact or not all(exact.is_exact(entry) for entry in numbers):
        queries, keys = ([[exact.to_float(entry) for entry in row] for row in rows] for rows in (queries, keys))
        values, rope = np.asarray(values, dtype=float), rope.numeric()
    head = Head(np.array(queries).T, np.array(keys).T, values, rope, output=output)
    return Transformer(vocabulary, embedding, head, unembedding)


def _rounding(largest: float) -> float:
    """What weights and logits lose, each of which rounds a cosine of an angle up to the largest one."""
    return 8 * sys.float_info.epsilon * (1 + largest)


def _radians(angle: Any) -> Any:
    """An angle as a number: of a Turn the exact arc, which is no rational multiple of pi unless a quarter turn."""
    return sympy.atan2(angle.sin, angle.cos) if isinstance(angle, Turn) else angle


def _require_range(angle: Any, count: int, n0: int) -> None:
    """Refuse unless `0 < angle` and `(2 n0 - 3) angle < omega`, of floats unless by more than rounding.

    For a single letter refuse what ties two places.
    """
    exact.require_value(angle, "give theta a value, or pass allow_any_theta=True")
    if count == 1:
        refuse_aliasing(angle, n0)
        return
    radians, omega = _radians(angle), 2 * sympy.pi / count
    excess = exact.number(omega - (2 * n0 - 3) * radians, "omega - (2 n0 - 3) theta")
    inside = exact.sign(exact.number(radians, "theta")) > 0 and exact.sign(excess) > 0
    rounded = ""
    if inside and isinstance(angle, float):
        farthest = 2 * math.sin((2 * math.pi / count + angle) / 2) * math.sin(excess / 2)
        inside = min(farthest, 1 - math.cos(angle)) > _rounding(2 * math.pi + n0 * angle)
        rounded = " by more than rounding"
    if not inside:
        limit = retrieval_limit(count, n0)
        raise InputError(
            f"theta {exact.shown(angle)} is not inside 0 < theta < omega / {2 * n0 - 3} = {float(limit):.6g}{rounded}",
            f"omega = 2 pi / {count} for {count} letters; inputs of {n0} tokens need this range",
        )
