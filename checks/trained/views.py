"""What the query at one position sees of a captured layer, as factors of its logit tables (`theory.factored`)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from headproof.checks.trained.capture import visible_keys
from headproof.checks.trained.conform import (
    ROUNDOFF,
    CapturedLayer,
    ConformanceError,
    key_heads,
    require_compared,
    turn,
)
from headproof.theory.scores import Blocks


@dataclass(frozen=True, eq=False)
class QueryView:
    """What a query at one position sees of a layer: keys and directions as `(heads, ..., dim)` in float64.

    `contents[h, k]` is the key (before rotation) of the k-th token in the blocks and `directions[h, k]` the query
    turned back from its position, times the scaling: their products are the table's logits. `used[h, j]` and
    `query[h]` are rotated, so that their product is the logit in use of each visible key, the query's own last.
    """

    contents: Tensor
    directions: Tensor
    used: Tensor
    query: Tensor
    blocks: Blocks
    softcap: float | None


def query_view(layer: CapturedLayer, query: int, blocks: Blocks) -> QueryView:
    """Keys, directions and logits in use of a query; `blocks` as `scored_blocks` gives them.

    Raises ConformanceError if the directions do not give the logits in use: then the rotary function with `-sin` is
    not its inverse.
    """
    require_compared(layer, query)
    heads = key_heads(layer, torch.arange(layer.heads, device=layer.keys.device))
    here = slice(query, query + 1)
    rotated = layer.scaling * turn(layer, layer.queries[:, here], here)
    places = list(blocks.positions)
    directions = turn(layer, rotated.expand(-1, len(places), -1), places, inverse=True)
    contents = layer.keys[:, places].double()[heads]
    visible = [*visible_keys(layer, query), query]
    used = turn(layer, layer.keys[:, visible], visible)[heads]
    logits = (contents * directions).sum(-1)
    first = {position: number for number, position in enumerate(visible)}
    apart = (used[:, [first[place] for place in places]] @ rotated[:, 0, :, None])[..., 0] - logits
    # Some rotary functions compute in float32, so its roundoff of the largest possible logit is allowed.
    reach = float((contents.norm(dim=-1) * directions.norm(dim=-1)).max())
    if not float(apart.abs().max()) <= 32 * ROUNDOFF * reach:
        raise ConformanceError(
            f"{layer.architecture} layer {layer.index}: un-rotating query {query} gives logits "
            f"{float(apart.abs().max()):.2g} away from those in use; its rotary function with -sin is not the inverse "
            "rotation"
        )
    return QueryView(contents, directions, used, rotated[:, 0], blocks, layer.softcap)
