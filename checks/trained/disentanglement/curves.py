"""Curves of chosen keys that are given false distances: the content component stays, the distance component follows.

For a head and its last query, one row a distance of the shared curve with its error, and of each chosen key's own curve
less its content component: where content and position add, they lie on one another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headproof.checks.trained.views import QueryView
from headproof.theory.disentanglement.false_distance import components
from headproof.theory.table import LogitTable

Columns = dict[str, np.ndarray[Any, Any]]
DISTANCES = 96
# The keys drawn stand at these quantiles of the head's content component.
LEVELS = (0.02, 0.25, 0.5, 0.75, 0.98)
SHARED = -1


def chosen_heads(interaction_share: np.ndarray[Any, Any], count: int = 6) -> np.ndarray[Any, Any]:
    """Indices of `count` heads at even steps of their rank by a measure, least first; NaN is left out."""
    order = np.argsort(interaction_share, kind="stable")
    order = order[~np.isnan(interaction_share[order])]
    steps = np.round(np.linspace(0, len(order) - 1, min(count, len(order)))).astype(int)
    chosen: np.ndarray[Any, Any] = order[steps]
    return chosen


def distances_shown(keys: int) -> np.ndarray[Any, Any]:
    """Distances from 1 to `keys`, at most DISTANCES of them, evenly spread."""
    return np.unique(np.round(np.linspace(1, keys, min(keys, DISTANCES))).astype(int))


def curve_columns(view: QueryView, positions: tuple[int, ...], head: int) -> Columns:
    """The curves of one head of a view whose keys stand at `positions`: `key` SHARED for the distance component.

    `error` is the root mean square over all keys, at that distance, of what the two components leave (logit units);
    of a key's own curve it is NaN.
    """
    table = LogitTable(view.contents[head] @ view.directions[head].T)
    parts = components(table)
    keys = table.size
    distances = distances_shown(keys)
    column = torch.from_numpy(keys - distances).to(table.logits.device)
    rank = torch.argsort(parts.content, stable=True)
    chosen = [int(rank[round(level * (keys - 1))]) for level in LEVELS]
    found: dict[str, list[np.ndarray[Any, Any]]] = {}

    def add(key: int, content: float, curve: Any, error: Any) -> None:
        row = {"key": key, "content": content, "distance": distances, "component": curve, "error": error}
        for name, values in row.items():
            found.setdefault(name, []).append(np.broadcast_to(values, len(distances)))

    add(SHARED, float("nan"), parts.distance[column].cpu().numpy(), parts.interaction[column].cpu().numpy())
    for key in chosen:
        content = float(parts.content[key])
        add(positions[key], content, table.logits[key, column].cpu().numpy() - content, np.nan)
    return {name: np.concatenate(values) for name, values in found.items()}
