"""Null models: what a measure gives on the same architecture without what training put there.

`fresh` forgets the weights altogether; `shuffled` keeps every matrix's values, and so its norm and its
distribution of entries, and forgets only where they stand. Both are seeded, leave the original as it is, and
do not disturb torch's global random state.
"""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from headproof.checks.trained.models import Model
from headproof.theory.errors import InputError

THREADS = 2
BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def fresh(model: Model, seed: int) -> Model:
    """A newly initialised model of the same architecture, precision and device, by transformers' own rule.

    The numbers depend on the config, the seed and torch's version, not on the device. Raises InputError for a
    negative seed.
    """
    _require_seed(seed)
    config = copy.deepcopy(model.model.config)
    with torch.random.fork_rng(devices=[]), torch.device("cpu"):
        torch.default_generator.manual_seed(seed)
        made = type(model.model)._from_config(config, attn_implementation="eager", dtype=model.model.dtype)
    return replace(model, model=made.eval().to(model.device), null=f"fresh {seed}")


def shuffled(model: Model, seed: int) -> Model:
    """A copy in which every parameter of two or more axes has its entries permuted within itself.

    All permutations of a parameter are equally likely, and those of different parameters independent; vectors
    (biases, norm weights) stay. A parameter that stands in several places (tied embeddings) is shuffled once
    and stays tied. O(parameters) time. Raises InputError for a negative seed.
    """
    _require_seed(seed)
    made = copy.deepcopy(model.model)
    numbered = enumerate(made.parameters())  # gives a tied parameter once
    matrices = [(number, values) for number, values in numbered if values.ndim >= 2]
    # Largest first, so that the threads finish together; each parameter has a seed of its own, so the order
    # and the number of threads do not change the result.
    matrices.sort(key=lambda item: -item[1].numel())
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda item: _shuffle(item[1], np.random.SeedSequence([seed, item[0]])), matrices))
    return replace(model, model=made, null=f"shuffled {seed}")


def _shuffle(values: torch.Tensor, seed: np.random.SeedSequence) -> None:
    flat = values.detach().cpu().contiguous().reshape(-1)
    # numpy has no bfloat16: what is permuted are the bits.
    entries: np.ndarray[Any, Any] = flat.view(BITS[flat.itemsize]).numpy()
    np.random.Generator(np.random.PCG64(seed)).shuffle(entries)
    with torch.no_grad():
        values.copy_(flat.view_as(values))


def _require_seed(seed: int) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 63:
        raise InputError(f"a seed is a whole number from 0, got {seed!r}")
