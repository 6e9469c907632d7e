"""Heads of known kinds, against which the surrogates are judged: what they must find, and what they must not."""

from __future__ import annotations

from typing import Any

import numpy as np

from headproof.checks.trained.pairing import pearson
from headproof.theory.scores import PRINTED_TEMPERATURE, swaps_of

HEADS, BLOCKS, PROMPTS, SURROGATES = 100, 24, 8, 99
# By the names of the controls.
WORLDS = {
    "random tables of unequal sharpness": "random",
    "pure heads": "pure",
    "pure heads of peaked attention": "peaked",
}


def world(kind: str, seed: int) -> tuple[Any, Any]:
    """r of the heads `(prompts,)` and of their surrogates `(prompts, surrogates)` in a world of HEADS heads.

    `random`: independent normal logits times a scale of each head, so that nothing is positional or symbolic. `pure`:
    every other head positional, the others symbolic, logits of order one. `peaked`: the same with logits of order four.
    """
    generator = np.random.default_rng(seed)
    own, drawn = [], []
    for _ in range(PROMPTS):
        swaps = swaps_of(*_tables(kind, generator), 1)
        weights = swaps.weights(PRINTED_TEMPERATURE)
        middle = (weights * (swaps.positional + swaps.symbolic)).sum(axis=(1, 2)) / 2
        half = _upper(weights * (swaps.positional - swaps.symbolic))
        moved = [half.sum(axis=1)]
        moved += [(half * generator.choice((-1.0, 1.0), half.shape)).sum(axis=1) for _ in range(SURROGATES)]
        r = [pearson(middle + each, middle - each) for each in moved]
        own.append(r[0])
        drawn.append(r[1:])
    return np.array(own), np.array(drawn)


def _tables(kind: str, generator: np.random.Generator) -> tuple[Any, Any]:
    """Logit tables `(heads, blocks, blocks)` of one-token blocks, and their normalisers."""
    logits = generator.normal(size=(HEADS, BLOCKS, BLOCKS))
    if kind == "random":
        logits *= np.exp(-2 + 1.5 * generator.normal(size=(HEADS, 1, 1)))
    else:
        row = generator.normal(size=(HEADS, BLOCKS)) * (4.0 if kind == "peaked" else 1.0)
        row *= generator.uniform(0.5, 1.5, size=(HEADS, 1))
        positional = np.arange(HEADS)[:, None, None] % 2 == 0
        logits = np.where(positional, row[:, None, :], row[:, :, None]) + 0.1 * logits
    used = np.diagonal(logits, axis1=1, axis2=2)
    return logits, np.log(np.exp(used).sum(axis=1))


def _upper(values: Any) -> Any:
    """One of the two entries of each swap."""
    rows, columns = np.triu_indices(values.shape[-1], 1)
    return values[:, rows, columns]
