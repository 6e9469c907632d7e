"""What one pass tells of all heads: additive fits, tables of single queries, planes, and curves of false distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.checks.trained.capture import Capture, capture, visible_keys
from headproof.checks.trained.disentanglement.additive import Designs, fit_columns, require_length
from headproof.checks.trained.disentanglement.assembling import joined, tagged
from headproof.checks.trained.disentanglement.curves import chosen_heads, curve_columns
from headproof.checks.trained.disentanglement.turning import all_keys, head_columns, plane_columns, plane_view
from headproof.checks.trained.memory import keeping_memory
from headproof.checks.trained.models import Model
from headproof.checks.trained.planes import RotaryPlanes, layer_planes
from headproof.theory.errors import InputError

Columns = dict[str, np.ndarray[Any, Any]]
LEAST_KEYS = 8


@dataclass(frozen=True)
class Passage:
    """A text as a model's tokens, by its name."""

    name: str
    tokens: tuple[int, ...]


def query_places(length: int, fractions: Sequence[float]) -> dict[float, int]:
    """Positions of queries at fractions of a text, increasing, each once. Raises InputError for one with fewer than
    LEAST_KEYS keys before it."""
    places: dict[float, int] = {}
    for fraction in sorted(fractions):
        place = round(fraction * (length - 1))
        if place not in places.values():
            places[fraction] = place
    found = list(places.values())
    if not found or not LEAST_KEYS <= found[0] <= found[-1] < length:
        raise InputError(
            f"queries at {', '.join(map(str, fractions))} of {length} tokens",
            f"choose fractions up to 1, with at least {LEAST_KEYS} keys before the first",
        )
    return places


def measure_passage(
    model: Model,
    passage: Passage,
    fractions: Sequence[float],
    seed: int,
    planes: bool,
    heads: Sequence[tuple[int, int]] | None = None,
) -> dict[str, Columns]:
    """Tables `fits`, `queries`, `planes` and `curves` of one model on one passage: a pass, then table work.

    With `planes`, the planes of the last query too, and curves of `heads`, by default of some that stand at even steps
    of the interaction's share. Raises InputError for a text that is too short or too long, ConformanceError where a
    layer is not understood.
    """
    length = len(passage.tokens)
    require_length(length)
    places = query_places(length, fractions)
    with keeping_memory():
        captured = capture(model, passage.tokens)
        fits = fit_columns(captured, Designs())
        layouts = layer_planes(captured)
        each = [tagged(_query(captured, query, seed, layouts), asked=fraction) for fraction, query in places.items()]
        queries, last = joined(each), each[-1]
        detail = _detail(captured, last, layouts, heads) if planes else {"planes": {}, "curves": {}}
    return {"fits": fits, "queries": queries, **detail}


def _query(captured: Capture, query: int, seed: int, layouts: Mapping[int, RotaryPlanes]) -> Columns:
    parts = []
    for layer in captured.layers:
        view = all_keys(layer, query)
        measured = head_columns(view, plane_view(view, layouts[layer.index]), seed + layer.index)
        base = {"layer": layer.index, "query": query, "keys": len(view.blocks.positions)}
        columns = {name: np.full(layer.heads, value) for name, value in base.items()}
        parts.append({**columns, "head": np.arange(layer.heads), **measured})
    return joined(parts)


def _detail(
    captured: Capture,
    last: Columns,
    layouts: Mapping[int, RotaryPlanes],
    heads: Sequence[tuple[int, int]] | None,
) -> dict[str, Columns]:
    query = int(last["query"][0])
    if heads is None:
        chosen = chosen_heads(last["interaction_share"])
        heads = [(int(last["layer"][k]), int(last["head"][k])) for k in chosen]
    planes, curves = [], []
    for layer in captured.layers:
        view, layout = all_keys(layer, query), layouts[layer.index]
        rows = plane_columns(plane_view(view, layout), layout.count)
        planes.append({"layer": np.full(len(rows["plane"]), layer.index), **rows})
        for head in (head for index, head in heads if index == layer.index):
            drawn = curve_columns(view, visible_keys(layer, query), head)
            size = len(drawn["key"])
            curves.append({"layer": np.full(size, layer.index), "head": np.full(size, head), **drawn})
    return {"planes": joined(planes), "curves": joined(curves)}
