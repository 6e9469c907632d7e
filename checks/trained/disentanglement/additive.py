"""The additive fit of all heads of a captured pass: how much of the causal logits position and content explain.

Three fits a head: of its logits; of its logits without the first token, the attention sink; and of its logits after the
mean over tokens has been taken off its queries and its keys (before rotation), which removes what a mean query and a
mean key would see of distances and of contents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from headproof.checks.trained.capture import Capture
from headproof.checks.trained.conform import CapturedLayer, key_heads, turn
from headproof.theory.disentanglement.causal_fit import CausalDesign, CausalFit
from headproof.theory.errors import InputError

# Entries of a block of logits: 32 MiB in float64. The fit holds some eight such blocks.
BLOCK_ENTRIES = 1 << 22
LEAST_TOKENS, MOST_TOKENS = 16, 4096
Columns = dict[str, np.ndarray[Any, Any]]


@dataclass
class Designs:
    """The factorised fits that the heads of a pass share, by what their layers see; made when first asked for."""

    made: dict[tuple[bytes, bool], CausalDesign] = field(default_factory=dict)

    def of(self, layer: CapturedLayer, without_first: bool = False) -> CausalDesign:
        """The fit for what a layer's queries see, the first token and its query left out or not."""
        visible = layer.visible.cpu().numpy()
        if without_first:
            visible = visible.copy()
            visible[:, 0] = False
        key = (np.packbits(visible).tobytes(), without_first)
        if key not in self.made:
            self.made[key] = CausalDesign.of(visible)
        return self.made[key]


def require_length(length: int) -> None:
    """Raise InputError for a text too short to fit, or too long for the memory that a fit may take."""
    if not LEAST_TOKENS <= length <= MOST_TOKENS:
        raise InputError(
            f"an additive fit of {length} tokens", f"use {LEAST_TOKENS} to {MOST_TOKENS}: a head has tokens^2 logits"
        )


def causal_logits(layer: CapturedLayer, heads: slice, centred: bool = False) -> Tensor:
    """Logits before soft-capping of some heads, float64 `(heads, T, T)`; entries after the query mean nothing.

    With `centred`, queries and keys are taken less their mean over all tokens, before rotation.
    """
    everything = slice(0, layer.length)
    queries = layer.queries[heads].double()
    keys = layer.keys.double()
    if centred:
        queries, keys = (vectors - vectors.mean(dim=1, keepdim=True) for vectors in (queries, keys))
    chosen = key_heads(layer, torch.arange(layer.heads, device=keys.device)[heads])
    read, which = torch.unique(chosen, return_inverse=True)
    turned = turn(layer, queries, everything).mul_(layer.scaling)
    logits: Tensor = turned @ turn(layer, keys[read], everything)[which].transpose(1, 2)
    return logits


def additive_fits(
    layer: CapturedLayer, design: CausalDesign, centred: bool = False
) -> Iterator[tuple[slice, CausalFit]]:
    """The fits of a layer's heads, some heads at a time."""
    step = max(1, BLOCK_ENTRIES // layer.length**2)
    for start in range(0, layer.heads, step):
        heads = slice(start, min(start + step, layer.heads))
        yield heads, design.fit(causal_logits(layer, heads, centred))


def fit_columns(captured: Capture, designs: Designs | None = None, variants: bool = True) -> Columns:
    """One row a head: correlations of the additive fit and its parts; with `variants`, of the other two fits too.

    Raises InputError for a text of fewer than LEAST_TOKENS or more than MOST_TOKENS tokens.
    """
    require_length(len(captured.tokens))
    designs = designs or Designs()
    found: dict[str, list[Any]] = {}

    def add(name: str, values: Any) -> None:
        found.setdefault(name, []).append(np.asarray(values))

    for layer in captured.layers:
        add("layer", np.full(layer.heads, layer.index))
        add("head", np.arange(layer.heads))
        add("window", np.full(layer.heads, layer.window or 0))
        add("conformance", np.full(layer.heads, layer.error))
        entries = int(layer.visible.sum())
        for _, fit in additive_fits(layer, designs.of(layer)):
            add("correlation", fit.correlation.cpu())
            add("row_correlation", fit.row_correlation.cpu())
            add("position_correlation", fit.position_correlation.cpu())
            add("content_correlation", fit.content_correlation.cpu())
            add("spread", torch.sqrt(fit.within / entries).cpu())
        if variants:
            for _, fit in additive_fits(layer, designs.of(layer, without_first=True)):
                add("correlation_without_first", fit.correlation.cpu())
                add("row_correlation_without_first", fit.row_correlation.cpu())
            for _, fit in additive_fits(layer, designs.of(layer), centred=True):
                add("centred_correlation", fit.correlation.cpu())
                add("centred_row_correlation", fit.row_correlation.cpu())
                add("centred_spread", torch.sqrt(fit.within / entries).cpu())
    return {name: np.concatenate(parts) for name, parts in found.items()}
