"""Which keys each query sees, read from the mask that a model adds to its logits."""

from __future__ import annotations

import torch
from torch import Tensor


class UnreadMaskError(Exception):
    """Says, after "layer N", why a mask is not understood."""


def read_mask(mask: Tensor, length: int) -> Tensor:
    """Which keys each query sees, bool `(T, T)`, from a mask `(1, 1, T, T)` of zeros and very low numbers.

    Raises UnreadMaskError for another shape, a bias, and a mask that is not causal.
    """
    if mask.ndim != 4 or not mask.is_floating_point():
        raise UnreadMaskError(f"has a mask of shape {tuple(mask.shape)} and {mask.dtype}")
    rows = mask[0, 0]
    visible = rows == 0
    if mask.shape[:2] != (1, 1) or bool((~visible & (rows > torch.finfo(rows.dtype).min / 2)).any()):
        raise UnreadMaskError("adds a bias to its logits")
    own = torch.diagonal(visible)
    if rows.shape != (length, length) or bool(visible.triu(1).any()) or not bool(own.all()):
        raise UnreadMaskError("is not causal")
    return visible
