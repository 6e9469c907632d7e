"""One-layer, one-head transformers from token sequences to token sequences (DYN, section 3 and appendix F).

A token is embedded, the head attends causally, and the unembedding scores every token of the vocabulary at every
place. The token with the largest score is the output there. No layer norm, no feed-forward layer, no activation
function, unless the head's output map `F` brings one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from headproof.constructions import exact
from headproof.constructions.heads import OUTPUT_MAPS, Head
from headproof.constructions.rope import RopeConfig, rotate
from headproof.constructions.tasks import Task
from headproof.theory.errors import InputError
from headproof.theory.inputs import Token, require_distinct, require_sequence, require_token, short

Array = np.ndarray[Any, Any]

# Queries are taken in blocks with about this many logits: 2 MiB of float64 a coordinate of the head.
BLOCK_ENTRIES = 1 << 18


@dataclass(frozen=True, eq=False)
class Transformer:
    """A vocabulary, its embeddings, one head, and an unembedding; everything exact or everything float.

    `embedding` is (token, embed) and `unembedding` (token, y), in the order of the vocabulary: the scores at a place
    are `unembedding F(a, x)`. `beta` below is the inverse temperature; `math.inf` is average hard attention.

    Raises InputError for an empty vocabulary or one that repeats a token, for shapes that do not match, for entries
    that are not finite real numbers, and for floats beside an exact head.
    """

    vocabulary: tuple[Token, ...]
    embedding: Shaped[Any, "token embed"]
    head: Head
    unembedding: Shaped[Any, "token y"]

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", require_distinct(self.vocabulary, "the vocabulary", require_token))
        width = self.head.w_v.shape[0] if isinstance(self.head.output, str) else None
        for name, columns in (("embedding", self.head.w_q.shape[1]), ("unembedding", width)):
            matrix = _matrix(name, getattr(self, name), self.head)
            if matrix.shape[0] != len(self.vocabulary) or columns not in (None, matrix.shape[1]):
                raise InputError(
                    f"{name} of shape {matrix.shape} for {len(self.vocabulary)} tokens",
                    f"it has a row a token{'' if columns is None else f' and {columns} columns'}",
                )
            object.__setattr__(self, name, matrix)

    @property
    def exact(self) -> bool:
        """Whether the weights are exact numbers rather than floats."""
        return self.head.exact

    def numeric(self, dtype: Any = np.float64) -> Transformer:
        """The float copy, each number rounded once to float64 and then to `dtype`; InputError for free symbols."""
        rounded = {
            name: np.vectorize(exact.to_float, otypes=[np.float64])(getattr(self, name)).astype(dtype)
            for name in ("embedding", "unembedding")
        }
        return replace(self, **rounded, head=self.head.numeric(dtype))

    def ids(self, tokens: Sequence[Token]) -> Int[Array, " n"]:
        """The tokens' places in the vocabulary. Raises InputError for an empty sequence and an unknown token."""
        found = []
        for token in map(require_token, require_sequence(tokens)):
            if token not in self._place:
                raise InputError(f"token {short(token)} is not in the vocabulary of {len(self.vocabulary)}")
            found.append(self._place[token])
        if not found:
            raise InputError(f"a sequence has at least one token, got {tokens!r}")
        return np.array(found)

    def encode(self, tokens: Sequence[Token]) -> Shaped[Array, "n embed"]:
        """The embeddings of a sequence. InputError as `ids`."""
        return np.asarray(self.embedding[self.ids(tokens)])

    def logits(self, tokens: Sequence[Token], query: int = -1) -> Shaped[Array, " key"]:
        """The logits of the query at array index `query` over all keys it sees, its own last. InputError as `ids`."""
        logits: Array = self.head.logits(self.encode(tokens), query)
        return logits

    def scores(self, tokens: Sequence[Token], beta: float = math.inf) -> Shaped[Array, "n token"]:
        """The unembedded score of each token of the vocabulary at each place.

        An exact transformer gives Fractions or SymPy expressions under hard attention, SymPy exponentials under a
        finite beta, and takes O(n^2 embed) exact operations. A float one takes ties between logits to the bit, and
        O(n^2) memory is never needed: queries go in blocks. Raises InputError as `ids`, for a beta that is negative
        or NaN, where an exact comparison is undecided, and for a float logit that is not finite.
        """
        beta = exact.inverse_temperature(beta)
        ids = self.ids(tokens)
        attended = np.concatenate(list(self._exactly(ids, beta) if self.exact else self._in_blocks(ids, beta)))
        output = self.head.output
        y = (OUTPUT_MAPS[output] if isinstance(output, str) else output)(attended, self.embedding[ids])
        return np.asarray(y @ self.unembedding.T)

    def apply(self, tokens: Sequence[Token], beta: float = math.inf) -> tuple[Token | None, ...]:
        """The output sequence, a token a place; None where no score is largest. InputError as `scores`."""
        return self.decode(self.scores(tokens, beta))

    def decode(self, scores: Shaped[Array, "n token"]) -> tuple[Token | None, ...]:
        """The token of the largest score in each row, None in a tie (of floats: to the bit)."""
        if scores.dtype == object:
            best = [exact.maximisers(list(row)) for row in scores]
            return tuple(self.vocabulary[row[0]] if len(row) == 1 else None for row in best)
        single = (scores == scores.max(axis=-1, keepdims=True)).sum(axis=-1) == 1
        largest = scores.argmax(axis=-1)
        return tuple(self.vocabulary[token] if sure else None for token, sure in zip(largest, single, strict=True))

    def margins(
        self, tokens: Sequence[Token], beta: float = math.inf, expected: Sequence[Token] | None = None
    ) -> Shaped[Array, " n"]:
        """The decoding margin at each place: best minus second-best score, zero in a tie.

        With `expected`, a token a place: its score minus the best other one, negative where the output is wrong.
        Raises InputError as `scores`, for a vocabulary of one token, and for `expected` of another length.
        """
        return self.margins_of(self.scores(tokens, beta), expected)

    def margins_of(
        self, scores: Shaped[Array, "n token"], expected: Sequence[Token] | None = None
    ) -> Shaped[Array, " n"]:
        """`margins` from scores that are at hand."""
        if len(self.vocabulary) < 2:
            raise InputError(f"a margin needs two tokens, the vocabulary is {self.vocabulary}")
        if expected is not None and len(require_sequence(expected)) != len(scores):
            raise InputError(f"{len(expected)} expected tokens for {len(scores)} places")
        if expected is not None:
            chosen = list(self.ids(expected))
        elif scores.dtype == object:
            chosen = [exact.maximisers(list(row))[0] for row in scores]
        else:
            chosen = list(scores.argmax(axis=-1))
        margins = np.empty(len(scores), dtype=scores.dtype)
        for place, (row, token) in enumerate(zip(scores, chosen, strict=True)):
            rest = np.delete(row, token)
            margins[place] = row[token] - (rest[exact.maximisers(list(rest))[0]] if row.dtype == object else rest.max())
        return margins

    @cached_property
    def _place(self) -> dict[Token, int]:
        return {token: index for index, token in enumerate(self.vocabulary)}

    @cached_property
    def _projected(self) -> tuple[Array, Array, Array]:
        """Query, key and value of each token of the vocabulary, one a row."""
        queries, keys, values = (self.embedding @ w.T for w in (self.head.w_q, self.head.w_k, self.head.w_v))
        return queries, keys, values

    def _exactly(self, ids: Int[Array, " n"], beta: float) -> Iterator[Shaped[Array, "one value"]]:
        """The attention output of each query in turn; only keys with a weight are added up."""
        values = self._projected[2]
        x = self.embedding[ids]
        for query in range(len(ids)):
            weights = self.head.weights(x, query, beta)
            used = [key for key, weight in enumerate(weights) if weight != 0]
            yield (weights[used] @ values[ids[used]])[None]

    def _in_blocks(self, ids: Int[Array, " n"], beta: float) -> Iterator[Float[Array, "block value"]]:
        """The attention outputs of blocks of queries; as `Head.output_at`, up to the rounding of the projections."""
        queries, keys, values = self._projected
        beta = exact.to_float(beta)
        step = max(1, BLOCK_ENTRIES // len(ids))
        for start in range(0, len(ids), step):
            rows = np.arange(start, min(start + step, len(ids)))
            seen = ids[: rows[-1] + 1]
            offsets = rows[:, None] - np.arange(len(seen))
            turned = rotate(queries[ids[rows], None, :], offsets, self.head.rope)
            with np.errstate(over="ignore", invalid="ignore"):
                logits = (keys[seen] * turned).sum(axis=-1) * self.head.scale
            if not np.all(np.isfinite(logits)):
                raise InputError(f"logit {logits[~np.isfinite(logits)][0]}", "the weights are too large")
            top = np.where(offsets >= 0, logits, -np.inf).max(axis=-1, keepdims=True)
            below = np.where(offsets >= 0, logits - top, 0)
            weights = (below == 0).astype(logits.dtype) if math.isinf(beta) else np.exp(beta * below)
            weights = np.where(offsets >= 0, weights, 0)
            yield (weights / weights.sum(axis=-1, keepdims=True)) @ values[seen]


def reflexive_layer(vocabulary: Sequence[Token]) -> Transformer:
    """`Reflexive` (DYN, appendix B): a transformer that computes the identity on sequences of any length, exactly.

    One-hot embeddings, `W_V = 0` and `F = x + a`, so `F = x` whatever the attention: the scores are the one-hot
    vector of the token itself, with margin 1 at every beta. `W_Q = W_K = 0` makes the attention uniform, so the head
    is positional and symbolic at once. Raises InputError for a bad vocabulary.
    """
    tokens = require_distinct(vocabulary, "the vocabulary", require_token)
    one_hot = np.eye(len(tokens), dtype=int)
    nothing = np.zeros((1, len(tokens)), dtype=int)
    head = Head(nothing, nothing, 0 * one_hot, RopeConfig.nope(1), output="residual")
    return Transformer(tokens, one_hot, head, one_hot)


def transformer_of(head: Head, task: Task) -> Transformer:
    """A head of DEC's (theorems 3, 5 and 6; its task's one-hot tokens) as a transformer whose last token is the answer.

    The vocabulary is the task's and, after it, those answers that are no tokens of the task, such as the attributes of
    Retrieval; they are written, not read. The unembedding is the task's projection `F`: the score of an answer is the
    attention on the tokens that carry it, and other tokens score 0. Outputs before the query mean nothing.

    Raises InputError for a head that does not return the attention output over the task's tokens.
    """
    count = len(task.vocabulary)
    if head.output != "attention" or head.w_v.shape != (count, count):
        raise InputError(
            f"a head with F = {head.output!r} and values of shape {head.w_v.shape} for {count} tokens",
            "the task's projection reads the attention output over its own tokens",
        )
    vocabulary = (*task.vocabulary, *(answer for answer in task.answers if answer not in task.vocabulary))
    embedding = np.zeros((len(vocabulary), count), dtype=int)
    embedding[:count] = np.eye(count, dtype=int)
    unembedding = np.zeros((len(vocabulary), count), dtype=int)
    for answer, row in zip(task.answers, task.readout, strict=True):
        unembedding[vocabulary.index(answer)] = row.astype(int)
    return Transformer(vocabulary, embedding, head, unembedding)


def _matrix(name: str, value: Any, head: Head) -> Array:
    """`value` as a read-only matrix in the head's own kind of number."""
    try:
        given = np.array(value)
    except ValueError as error:
        raise InputError(f"{name} is a matrix, got rows of different lengths") from error
    if given.ndim != 2:
        raise InputError(f"{name} is a matrix, got shape {given.shape}")
    array = given.astype(object)
    if given.dtype.kind not in "iu":
        array = exact.object_array(value).copy()
        for index in np.ndindex(array.shape):
            array[index] = exact.number(array[index], f"{name} entry")
            if head.exact and not exact.is_exact(array[index]):
                raise InputError(f"{name} has the float {array[index]} beside an exact head", "write it as a fraction")
    if not head.exact:
        array = np.vectorize(exact.to_float, otypes=[np.float64])(array).astype(head.w_q.dtype)
    array.flags.writeable = False
    return array
