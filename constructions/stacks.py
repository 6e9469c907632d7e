"""Layers in a row: the number task and the letter task by one transformer a hop (DYN, section 3 and appendix B).

Each layer reads the tokens that the layer below decoded. A hop is a move, see `theory.sequences`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.constructions.feasibility import index_transformer, retrieval_transformer
from headproof.constructions.transformers import Transformer, reflexive_layer
from headproof.theory.errors import InputError
from headproof.theory.sequences import Token

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

    Raises InputError for no layers and for a layer with another vocabulary.
    """

    layers: tuple[Transformer, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        if not self.layers:
            raise InputError(f"a stack has at least one layer, got {self.layers}")
        for number, layer in enumerate(self.layers, start=1):
            if layer.vocabulary != self.layers[0].vocabulary:
                raise InputError(
                    f"layer {number} has the vocabulary {layer.vocabulary}, layer 1 {self.layers[0].vocabulary}"
                )

    def numeric(self, dtype: Any = np.float64) -> Stack:
        """The float copy, layers that stand several times still shared. InputError as `Transformer.numeric`."""
        copies = {id(layer): layer.numeric(dtype) for layer in self.layers}
        return Stack(tuple(copies[id(layer)] for layer in self.layers))

    def apply(self, tokens: Sequence[Token], beta: float = math.inf) -> tuple[Token | None, ...]:
        """The output of the last layer, None where it is tied. InputError as `trace`."""
        return self.trace(tokens, beta).sequences[-1]

    def trace(self, tokens: Sequence[Token], beta: float = math.inf) -> Trace:
        """All layers' outputs and margins, each layer at the inverse temperature `beta`.

        Raises InputError as `Transformer.scores`, and where a layer below the last one decodes no token somewhere,
        so that the next has nothing to read.
        """
        sequences: list[tuple[Token | None, ...]] = [tuple(tokens)]
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
    fewer. With one move more it is still an integer. Valid inputs stay valid. Raises InputError for `hops` not in `1
    .. layers`, and for what `index_transformer` refuses.
    """
    _require_layers(hops, layers)
    index = index_transformer(letters, largest_integer, n0, theta)
    return _stacked(index, hops, layers)


def letter_stack(letters: Sequence[str], numbers: Sequence[int], n0: int, hops: int, layers: int, theta: Any) -> Stack:
    """`Reflexive^(layers - hops) . Retrieval^hops`: solves the letter task at the last token of up to `n0` tokens.

    For inputs that are proper and unambiguous (`theory.sequences`) and paths of `hops` or fewer moves. A layer moves
    every pair of letters to the symbol that it names, and the named symbol to the one that it names in turn, so each
    pair still finds its target, one move nearer the answer. An input that is proper alone may be answered otherwise
    than the letter task says: a second pair of a letter on the path, behind the one that the path takes, wins in the
    later layers. Raises InputError for `hops` not in `1 .. layers`, and for what `retrieval_transformer` refuses.
    """
    _require_layers(hops, layers)
    retrieval = retrieval_transformer(letters, numbers, n0, theta)
    return _stacked(retrieval, hops, layers)


def _stacked(layer: Transformer, hops: int, layers: int) -> Stack:
    identity = reflexive_layer(layer.vocabulary)
    return Stack((layer,) * hops + (identity if layer.exact else identity.numeric(),) * (layers - hops))


def _require_layers(hops: int, layers: int) -> None:
    if not 1 <= hops <= layers:
        raise InputError(f"{hops} hops with {layers} layers", "1 <= hops <= layers is needed, a layer a hop")
