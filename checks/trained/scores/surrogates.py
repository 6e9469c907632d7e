"""The correlation of the two scores over heads, and what the geometry of the scores gives by itself.

Each swap's two scores lie outside the unit circle (dec.scores.circle), near it wherever attention is peaked, so they
are bound to each other whatever the heads do. By dec.scores.difference `s_pos^2 - s_sym^2 = tanh u tanh v`: the sizes
of the log ratios u and v say how peaked attention is before and after the swap, and the sign of their product alone
says whether position or content decided. A surrogate keeps the sizes and draws the signs: each swap of each head has
its two scores exchanged with probability 1/2, independently. Weights, sizes and the distance to the circle stay; what
is lost is that a head's swaps agree with each other. For tables of exchangeable entries nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from headproof.checks.trained.pairing import pearson
from headproof.theory.scores import Swaps

Pair = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
# Signs that are drawn at once: 64 MiB in float64.
CHUNK_SIGNS = 1 << 23


def exchanged(swaps: Swaps, temperatures: Sequence[float], count: int, seed: int) -> tuple[Any, Any]:
    """Both scores of the heads of one layer in `count` surrogates: numpy `(temperatures, heads, count)`.

    O(blocks^2 heads count) time. The signs are drawn on the CPU, so they do not depend on the device. Within one
    surrogate every head has signs of its own, as long as there are no more heads than surrogates.
    """
    heads, blocks = swaps.positional.shape[0], swaps.positional.shape[-1]
    rows, columns = torch.triu_indices(blocks, blocks, 1)
    half = (swaps.positional - swaps.symbolic)[:, rows, columns]
    middle, moved = [], []
    for temperature in temperatures:
        weights = swaps.weights(temperature)
        middle.append((weights * (swaps.positional + swaps.symbolic)).sum((-2, -1)) / 2)
        moved.append(weights[:, rows, columns] * half)  # twice the weight of a swap, half the difference
    found = torch.cat([torch.stack(moved) @ signs for signs in _signs(len(rows), count, seed, half)], dim=-1)
    for head in range(heads):
        found[:, head] = found[:, head].roll(head * max(1, count // heads), dims=-1)
    centre = torch.stack(middle)[..., None]
    return (centre + found).cpu().numpy(), (centre - found).cpu().numpy()


def _signs(swaps: int, count: int, seed: int, like: Tensor) -> Iterator[Tensor]:
    """Random signs `(swaps, count)` in parts, of the dtype and on the device of `like`."""
    generator = torch.Generator().manual_seed(seed)
    step = max(1, CHUNK_SIGNS // swaps)
    sizes = [min(step, count - start) for start in range(0, count, step)]
    for size in sizes:
        drawn = torch.randint(0, 2, (size, swaps), generator=generator, dtype=torch.int8)
        yield (2 * drawn - 1).to(like.device, like.dtype).T


def correlations(
    own: Sequence[Pair], surrogates: Sequence[Pair], temperatures: Sequence[float], keys: dict[str, Any]
) -> dict[str, np.ndarray[Any, Any]]:
    """Rows of CORRELATIONS at one query: the heads' own r at each temperature, then each surrogate's.

    `own` and `surrogates` hold for each layer both scores, `(temperatures, heads)` and `(temperatures, heads, count)`.
    """
    rows: dict[str, list[Any]] = {"temperature": [], "surrogate": [], "heads": [], "r": []}
    # One axis of numbers, the heads as they are first: (temperatures, heads, 1 + surrogates).
    layers = (
        [
            [np.concatenate([score[..., None], drawn[which]], axis=-1) for which, score in enumerate(pair)]
            for pair, drawn in zip(own, surrogates, strict=True)
        ]
        if surrogates
        else [[score[..., None] for score in pair] for pair in own]
    )
    whole = [np.concatenate([layer[which] for layer in layers], axis=1) for which in (0, 1)] if layers else None
    for place, temperature in enumerate(temperatures):
        for number in range(whole[0].shape[-1] if whole else 1):
            one, other = [score[place, :, number] for score in whole] if whole else [np.empty(0)] * 2
            rows["temperature"].append(temperature)
            rows["surrogate"].append(number - 1)
            rows["heads"].append(len(one))
            rows["r"].append(pearson(one, other))
    columns = {name: np.array(values) for name, values in rows.items()}
    return {**{name: np.full(len(rows["r"]), value) for name, value in keys.items()}, **columns}
