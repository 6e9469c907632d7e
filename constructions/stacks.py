"""Layers in a row: the number task and the letter task by one transformer a hop (DYN, section 3 and appendix B).

Each layer reads the tokens that the layer below decoded. A hop is a move, see `theory.sequences`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from headproof.constructions.feasibility import index_transformer, retrieval_transformer
from headproof.constructions.transformers import Transformer, reflexive_layer
from headproof.theory.errors import InputError
from headproof.theory.inputs import Token, require_integer, require_sequence, short
from headproof.theory.sequences import (
    require_proper,
    require_unambiguous,
    require_valid_index,
    solve_letter,
    solve_number,
)

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Trace:
    """What a stack did: the input and each layer's output, and each layer's decoding margins, shape (n,)."""

    sequences: tuple[tuple[Token | None, ...], ...]
    margins: tuple[Array, ...]

    @property
    def answer(self) -> Token | None:
        """The last token of the last sequence, None where it was tied."""
        return self.sequences[-1][-1]


@dataclass(frozen=True)
class Stack:
    """Transformers applied one after the other, the first of `layers` first; all have one vocabulary.

    What `solve` refuses: sequences of more than `longest` tokens, and those for which `valid` raises InputError.

    Raises InputError for no layers, for what is no transformer, for a layer with another vocabulary, and a `longest`
    below 1.
    """

    layers: tuple[Transformer, ...]
    longest: int | None = None
    valid: Callable[[Sequence[Token]], object] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(require_sequence(self.layers, "the layers of a stack")))
        if not self.layers:
            raise InputError(f"a stack has at least one layer, got {self.layers}")
        if bad := [layer for layer in self.layers if not isinstance(layer, Transformer)]:
            raise InputError(f"the layers of a stack are Transformers, got {short(bad[0])}")
        if self.longest is not None:
            object.__setattr__(self, "longest", require_integer(self.longest, "the longest length", 1))
        if self.valid is not None and not callable(self.valid):
            raise InputError(f"the validity check is a function of tokens, got {short(self.valid)}")
        for number, layer in enumerate(self.layers, start=1):
            if layer.vocabulary != self.layers[0].vocabulary:
                raise InputError(
                    f"layer {number} has the vocabulary {layer.vocabulary}, layer 1 {self.layers[0].vocabulary}"
                )

    def numeric(self, dtype: Any = np.float64) -> Stack:
        """The float copy, layers that stand several times still shared. InputError as `Transformer.numeric`."""
        copies = {id(layer): layer.numeric(dtype) for layer in self.layers}
        return replace(self, layers=tuple(copies[id(layer)] for layer in self.layers))

    def solve(self, tokens: Sequence[Token], beta: float = math.inf) -> Token:
        """The last token of the output, for an input that the stack is made for.

        Raises InputError for a longer one than `longest`, for what `valid` refuses, as `trace`, and in a tie. Under
        hard attention the answer is right; with a finite beta that is too small it need not be.
        """
        given = require_sequence(tokens)
        if self.longest is not None and len(given) > self.longest:
            raise InputError(
                f"{len(given)} tokens for a stack made for up to {self.longest}", "build it with a larger n0"
            )
        if self.valid is not None:
            self.valid(given)
        answer = self.trace(given, beta).answer
        if answer is None:
            raise InputError(f"the last layer decodes no token at place {len(given)}: its best scores are tied")
        return answer

    def apply(self, tokens: Sequence[Token], beta: float = math.inf) -> tuple[Token | None, ...]:
        """The output of the last layer, None where it is tied. InputError as `trace`.

        Lenient: sequences that are too long, or that no task defines, are answered as well, and the answers mean
        nothing. `solve` refuses them.
        """
        return self.trace(tokens, beta).sequences[-1]

    def trace(self, tokens: Sequence[Token], beta: float = math.inf) -> Trace:
        """All layers' outputs and margins, each layer at the inverse temperature `beta`.

        Raises InputError as `Transformer.scores`, and where a layer below the last one decodes no token somewhere,
        so that the next has nothing to read.
        """
        sequences: list[tuple[Token | None, ...]] = [tuple(require_sequence(tokens))]
        margins = []
        for number, layer in enumerate(self.layers, start=1):
            below: list[Token] = []
            for place, token in enumerate(sequences[-1], start=1):
                if token is None:
                    raise InputError(f"layer {number - 1} decodes no token at place {place}: its best scores are tied")
                below.append(token)
            scores = layer.scores(below, beta)
            sequences.append(layer.decode(scores))
            margins.append(layer.margins_of(scores))
        return Trace(tuple(sequences), tuple(margins))


def number_stack(letters: Sequence[str], largest_integer: int, n0: int, hops: int, layers: int, theta: Any) -> Stack:
    """`Reflexive^(layers - hops) . Index^hops`: solves the number task at the last token of up to `n0` tokens.

    A layer turns an integer into a letter only where its target already is a letter, so the letter comes one place
    nearer a layer along the path, and the last token holds it after as many layers as the path has moves: `hops` or
    fewer. With one move more it is still an integer. Valid inputs stay valid. `solve` refuses sequences that are
    longer, not valid, or need more hops. Raises InputError for `hops` not in `1 .. layers`, and for what
    `index_transformer` refuses.
    """
    hops, layers = _require_layers(hops, layers)
    index = index_transformer(letters, largest_integer, n0, theta)
    return _stacked(index, hops, layers, n0, partial(_require_number_input, hops=hops))


def letter_stack(letters: Sequence[str], numbers: Sequence[int], n0: int, hops: int, layers: int, theta: Any) -> Stack:
    """`Reflexive^(layers - hops) . Retrieval^hops`: solves the letter task at the last token of up to `n0` tokens.

    For inputs that are proper and unambiguous (`theory.sequences`) and paths of `hops` or fewer moves. A layer moves
    every pair of letters to the symbol that it names, and the named symbol to the one that it names in turn, so each
    pair still finds its target, one move nearer the answer. An input that is proper alone may be answered otherwise
    than the letter task says: a second pair of a letter on the path, behind the one that the path takes, wins in the
    later layers. `solve` refuses sequences that are longer, not proper, ambiguous, or need more hops.

    Raises InputError for `hops` not in `1 .. layers`, and for what `retrieval_transformer` refuses.
    """
    hops, layers = _require_layers(hops, layers)
    retrieval = retrieval_transformer(letters, numbers, n0, theta)
    return _stacked(retrieval, hops, layers, n0, partial(_require_letter_input, hops=hops))


def _stacked(
    layer: Transformer, hops: int, layers: int, longest: int, valid: Callable[[Sequence[Token]], object]
) -> Stack:
    identity = reflexive_layer(layer.vocabulary)
    rest = identity if layer.exact else identity.numeric()
    return Stack((layer,) * hops + (rest,) * (layers - hops), longest, valid)


def _require_number_input(tokens: Sequence[Token], hops: int) -> None:
    require_valid_index(tokens)
    _require_hops(solve_number(tokens).hops, hops)


def _require_letter_input(tokens: Sequence[Token], hops: int) -> None:
    require_proper(tokens)
    require_unambiguous(tokens)
    _require_hops(solve_letter(tokens).hops, hops)


def _require_hops(needed: int, hops: int) -> None:
    if needed > hops:
        raise InputError(f"the answer is {needed} hops away, and this stack moves {hops}", "build it with more hops")


def _require_layers(hops: int, layers: int) -> tuple[int, int]:
    hops, layers = require_integer(hops, "the number of hops"), require_integer(layers, "the number of layers")
    if not 1 <= hops <= layers:
        raise InputError(
            f"{short(hops)} hops with {short(layers)} layers", "1 <= hops <= layers is needed, a layer a hop"
        )
    return hops, layers
