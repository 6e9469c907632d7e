"""Profiling a model: scores and shares of every head and plane, on prompts with blocks, beside two null models.

One forward pass a prompt and model; everything else is table work on what the pass captured (`scoring.py`). The
pieces, one a model and prompt, are kept in the cache as they are finished, so an interrupted profile goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from headproof.checks.trained.capture import Capture, capture, check_rows
from headproof.checks.trained.memory import keeping_memory
from headproof.checks.trained.models import Model
from headproof.checks.trained.planes import STILL, RotaryPlanes, layer_planes
from headproof.checks.trained.scores.columns import CORRELATIONS, HEADS, PLANES, SCORES
from headproof.checks.trained.scores.scoring import (
    Measures,
    head_measures,
    plane_measures,
    scored_blocks,
)
from headproof.checks.trained.scores.surrogates import correlations, exchanged
from headproof.checks.trained.tasks import BlockPrompt
from headproof.checks.trained.views import query_view
from headproof.theory.errors import InputError
from headproof.theory.scores import PRINTED_TEMPERATURE, Blocks, require_temperatures
from headproof.theory.scores.reading import kinds, turning_point

Columns = dict[str, np.ndarray[Any, Any]]
Pair = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
LAST = "last"


@dataclass(frozen=True)
class Settings:
    """What is measured on each prompt.

    `queries` are token positions: "last", integers (negative ones from the end) or fractions of the prompt between 0
    and 1. `planes` asks for rotary planes too, at the last of the queries. `surrogates` is the number of times that
    the signs of all swaps are drawn (`surrogates.py`). Raises InputError for values out of range.
    """

    queries: tuple[str | int | float, ...] = (0.5, LAST)
    temperatures: tuple[float, ...] = (PRINTED_TEMPERATURE, 1e-2, float("inf"))
    planes: bool = True
    gamma: float = 0.1
    surrogates: int = 99

    def __post_init__(self) -> None:
        object.__setattr__(self, "temperatures", require_temperatures(self.temperatures))
        if not self.queries:
            raise InputError("no query is given", f"give {LAST}, a position or a fraction")
        if not 0 < self.gamma < 0.5:
            raise InputError(f"margin {self.gamma:g}", "a margin gamma lies between 0 and 0.5, such as 0.1")
        if self.surrogates < 0:
            raise InputError(f"{self.surrogates} surrogates", "give 0 or more")


@dataclass(frozen=True, eq=False)
class Piece:
    """Columns of the heads', the planes' and the correlations' tables, for one model on one prompt."""

    heads: Columns
    planes: Columns
    correlations: Columns


def resolve_queries(prompt: BlockPrompt, settings: Settings) -> dict[str, int]:
    """The token position in a prompt of each of the settings' queries, by the query as asked; each position once.

    Raises InputError for a query outside the prompt, or with fewer than two blocks before it.
    """
    length = len(prompt.tokens)
    found: dict[str, int] = {}
    for given in settings.queries:
        place = _position(given, length)
        if place is None or not 0 <= place < length:
            raise InputError(
                f"query {given} is outside the prompt {prompt.name} of {length} tokens",
                f"give {LAST}, a position from 0 to {length - 1} or a fraction between 0 and 1",
            )
        if place not in found.values():
            before = prompt.blocks.within(range(place))
            if before.count < 2:
                raise InputError(
                    f"query {given} of the prompt {prompt.name} (position {place}) has {before.count} blocks before it",
                    "choose a later query or shorter blocks: a swap takes two",
                )
            found[str(given)] = place
    return found


def _position(given: str | int | float, length: int) -> int | None:
    if given == LAST:
        return length - 1
    if isinstance(given, int) and not isinstance(given, bool):
        return given if given >= 0 else length + given
    if isinstance(given, (float, Fraction)) and 0 < given < 1:
        return round(float(given) * (length - 1))
    return None


def measure_prompt(model: Model, prompt: BlockPrompt, settings: Settings, planes: bool, tag: dict[str, Any]) -> Piece:
    """All tables of one model on one prompt: a pass, then table work. `tag` names group and null seed.

    Raises InputError, or ConformanceError, before anything is measured if a layer is not understood.
    """
    queries = resolve_queries(prompt, settings)
    with keeping_memory():
        captured = capture(model, prompt.tokens, rows=check_rows(len(prompt.tokens), tuple(queries.values())))
        return measure_capture(captured, prompt, settings, planes, tag)


def measure_capture(
    captured: Capture, prompt: BlockPrompt, settings: Settings, planes: bool, tag: dict[str, Any]
) -> Piece:
    """The tables of a captured pass over `prompt`."""
    queries = resolve_queries(prompt, settings)
    layouts = layer_planes(captured) if planes else {}
    heads, of_planes, pairs = [], [], []
    last = list(queries)[-1]
    for asked, query in queries.items():
        keys = {**tag, "prompt": prompt.name, "asked": asked, "query": query}
        with_planes = planes and asked == last
        blocks = prompt.blocks
        measured, plane_rows, own, drawn = _measure_query(
            captured, query, blocks, settings, layouts if with_planes else {}
        )
        heads.append({**_constant(keys, measured), **measured})
        of_planes += [{**_constant(keys, plane_rows), **plane_rows}] if with_planes and plane_rows else []
        pairs.append(correlations(own, drawn, settings.temperatures, keys))
    return Piece(joined(heads, HEADS), joined(of_planes, PLANES), joined(pairs, CORRELATIONS))


def _measure_query(
    captured: Capture, query: int, blocks: Blocks, settings: Settings, layouts: dict[int, RotaryPlanes]
) -> tuple[Columns, Columns, list[Pair], list[Pair]]:
    """Columns of heads and of planes at one query, rows by layer, head, (plane,) temperature; and, layer by layer, both
    scores of the heads and of their surrogates."""
    heads, planes, own, drawn = [], [], [], []
    for layer in captured.layers:
        scored = scored_blocks(layer, query, blocks)
        shape = (layer.heads, len(settings.temperatures))
        base = {
            "layer": np.full(shape, layer.index),
            "head": np.broadcast_to(np.arange(layer.heads)[:, None], shape),
            "temperature": np.broadcast_to(np.array(settings.temperatures), shape),
            "blocks": np.full(shape, scored.count),
            "window": np.full(shape, layer.window or 0),
            "conformance": np.full(shape, layer.error),
            "turning_wavelength": np.full(shape, np.nan),
            "turning_agreement": np.full(shape, np.nan),
            "turning_constant": np.full(shape, np.nan),
        }
        if scored.count < 2:
            base |= {name: np.full(shape, np.nan) for name in SCORES if name != "blocks"}
            heads.append(base)
            continue
        view = query_view(layer, query, scored)
        measures, swaps = head_measures(view, settings.temperatures)
        own.append((measures.positional.cpu().numpy(), measures.symbolic.cpu().numpy()))
        if settings.surrogates:
            drawn.append(exchanged(swaps, settings.temperatures, settings.surrogates, layer.index))
        base |= _columns(measures)
        if layer.rotates and (layout := layouts.get(layer.index)):
            rows = _plane_rows(layout, plane_measures(view, layout, settings.temperatures), base)
            base |= _turning(rows)
            planes.append(rows)
        heads.append(base)
    flat = [{name: values.reshape(-1) for name, values in one.items()} for one in (*heads, *planes)]
    table = joined(flat[: len(heads)])
    table["least_gamma"] = 1 - np.fmax(table["positional"], table["symbolic"])
    table["kind"] = kinds(table["positional"], table["symbolic"], settings.gamma)
    return table, joined(flat[len(heads) :]), own, drawn


def _columns(measures: Measures) -> Columns:
    """Measures with batch (heads,) or (heads, planes) as arrays with the temperature as last axis."""
    host = {name: value.cpu().numpy() for name, value in vars(measures).items()}
    scores = {name: np.moveaxis(host.pop(name), 0, -1) for name in ("positional", "symbolic")}
    shape = scores["positional"].shape
    rest = {name: np.broadcast_to(value[..., None], shape) for name, value in host.items()}
    return {**scores, "purity": scores["positional"] - scores["symbolic"], **rest}


def _plane_rows(layout: RotaryPlanes, measures: Measures, base: Columns) -> Columns:
    """Columns `(heads, planes, temperatures)` of one layer's planes."""
    rows = _columns(measures)
    shape = rows["positional"].shape
    still = bool(layout.still)
    frequency = np.array([*layout.frequencies, *([0.0] if still else [])])
    wavelength = np.array([*layout.wavelengths, *([np.inf] if still else [])])
    plane = np.array([*range(layout.count), *([STILL] if still else [])])
    total = rows["energy"].sum(axis=1, keepdims=True)
    rows["energy_share"] = np.divide(rows["energy"], total, out=np.full(shape, np.nan), where=total > 0)
    for name, values in (("plane", plane), ("frequency", frequency), ("wavelength", wavelength)):
        rows[name] = np.broadcast_to(values[None, :, None], shape)
    for name in ("layer", "head", "temperature", "blocks"):
        rows[name] = np.broadcast_to(base[name][:, None], shape)
    return rows


def _turning(rows: Columns) -> Columns:
    """Turning points of each head at each temperature."""
    shape = rows["positional"].shape
    found = np.array(
        [
            [
                turning_point(rows["wavelength"][h, :, t], rows["purity"][h, :, t], rows["energy"][h, :, t])
                for t in range(shape[2])
            ]
            for h in range(shape[0])
        ]
    )
    return {f"turning_{name}": found[..., k] for k, name in enumerate(("wavelength", "agreement", "constant"))}


# -- columns -------------------------------------------------------------------------------------------------------


def _constant(keys: dict[str, Any], columns: Columns) -> Columns:
    length = len(next(iter(columns.values()), ()))
    return {name: np.full(length, value) for name, value in keys.items()}


def joined(parts: Sequence[Columns], columns: dict[str, str] | None = None) -> Columns:
    """Columns of several parts one after the other; in the order of `columns`, empty ones if there are no parts."""
    if not parts:
        return {name: np.empty(0) for name in columns or {}}
    return {name: np.concatenate([part[name] for part in parts]) for name in columns or parts[0]}
