"""The correlation of the two scores over heads, and what their geometry alone gives.

Each swap's two scores lie outside the unit circle (dec.scores.circle), near it wherever attention is peaked, so they
correlate negatively whatever the heads do. A surrogate keeps every head's attention, and with it the weights of the
swaps, and takes the *swapped* logits from another head: what relation a head's own swapped logits have to its
attention, the very thing that the scores are to measure, is lost. A correlation that surrogates show too is geometry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headproof.checks.trained.scores.pairing import derangement, pearson
from headproof.checks.trained.scores.scoring import Swapped
from headproof.theory.scores import Blocks, swap_vectors, swaps_of

# Surrogates keep all heads' swapped logits at once; more blocks than this are thinned out evenly for them.
MOST_BLOCKS = 64


def correlations(
    swapped: Sequence[Swapped], temperatures: Sequence[float], surrogates: int, keys: dict[str, Any]
) -> dict[str, np.ndarray[Any, Any]]:
    """Rows of CORRELATIONS at one query, from its layers' swaps: the heads' own r at each temperature, then each
    surrogate's. Layers whose window hides some of the blocks have other swaps than the rest; surrogates pair heads
    that see the same blocks.
    """
    groups = _groups(swapped)
    rows: dict[str, list[Any]] = {"temperature": [], "surrogate": [], "heads": [], "r": []}
    for temperature in temperatures:
        found = [pairings(group, temperature) for group in groups]
        generator = np.random.default_rng(0)
        for number in range(-1, surrogates):
            scores = []
            for positional, symbolic in found:
                heads = np.arange(len(positional))
                other = heads if number < 0 else derangement(len(heads), generator)
                scores.append((positional[heads, other], symbolic[heads, other]))
            one, second = (np.concatenate([pair[k] for pair in scores]) if scores else np.empty(0) for k in (0, 1))
            rows["temperature"].append(temperature)
            rows["surrogate"].append(number)
            rows["heads"].append(len(one))
            rows["r"].append(pearson(one, second))
    columns = {name: np.array(values) for name, values in rows.items()}
    return {**{name: np.full(len(rows["r"]), value) for name, value in keys.items()}, **columns}


def _groups(swapped: Sequence[Swapped]) -> list[Swapped]:
    """All heads that see the same blocks, together: one entry a set of blocks."""
    found: dict[Blocks, list[Swapped]] = {}
    for layer in swapped:
        thin = layer.thinned(MOST_BLOCKS)
        found.setdefault(thin.blocks, []).append(thin)
    return [
        Swapped(torch.cat([one.sums for one in same]), torch.cat([one.normaliser for one in same]), blocks)
        for blocks, same in found.items()
    ]


def pairings(swapped: Swapped, temperature: float) -> tuple[Any, Any]:
    """Both scores of each head `a` with the swapped logits of each head `b`, numpy `(heads, heads)`.

    The heads' own scores stand on the diagonal. A score is bilinear in the vectors in use and swapped, so each is two
    matrix products.
    """
    weights = swaps_of(swapped.sums, swapped.normaliser, swapped.blocks.length).weights(temperature)
    used, other = swap_vectors(swapped.sums)
    sine, cosine = ((weights * part).flatten(1) for part in used)
    other_sine, other_cosine = (part.flatten(1) for part in other)
    positional = cosine @ other_cosine.T + sine @ other_sine.T
    symbolic = cosine @ other_sine.T + sine @ other_cosine.T
    return positional.cpu().numpy(), symbolic.cpu().numpy()
