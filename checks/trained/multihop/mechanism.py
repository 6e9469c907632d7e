"""Which layer of a multihop model does what on which hop: where places of the path look, and what breaks without it.

A stack of constructions moves every place of the path by one hop a layer (`constructions.stacks`). In the number task's
a place that holds an integer attends to the next one of its path, until that holds a letter. A model may walk instead,
the last token alone, which attends to the next place in one layer and to the one after it in the next. Or it may leap:
a place that has moved two hops lets the one before it move three. The table `targets` tells where places look, and
the label of `roles` whether a layer moves a place (Index, Retrieval), keeps it (Reflexive), or does neither.

Attention is not all that a layer does, and layers stand in for each other. With the attention of a layer and of all
after it replaced, what is still solved tells how far the model has come; replaced at all places but the last, it tells
whether those have to move. The same on the untrained model is the null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from headproof.checks.trained.multihop import checkpoints
from headproof.checks.trained.multihop.dynamics import (
    ANSWERED,
    LOOKED_AT,
    about_of,
    by_class,
    measured_on,
    named_by,
)
from headproof.checks.trained.multihop.heads import observe
from headproof.checks.trained.multihop.model import accuracy, predictions
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tables import table_of
from headproof.checks.trained.multihop.tasks import Ids, Sequences
from headproof.theory.errors import InputError

Progress = Callable[[str, int, int], None]
Array = np.ndarray[Any, Any]
PLACES = {"every": slice(None), "last": slice(-1, None), "others": slice(0, -1)}
# A target off the path, and no layer.
OFF = -1
# What is replaced by what, in which layers, at which places.
CASES = (
    ("mean", "one", "every"),
    ("zero", "one", "every"),
    ("mean", "onward", "every"),
    ("mean", "one", "last"),
    ("mean", "onward", "others"),
)


def mechanism(
    folder: str | Path,
    steps: Sequence[int] | None = None,
    device: str = "cpu",
    progress: Progress = lambda *_: None,
    looked_at: int = LOOKED_AT,
    answered: int = ANSWERED,
) -> dict[str, pa.Table]:
    """The tables `targets`, `roles` and `ablations` of checkpoints, by default the last one and the untrained model.

    `looked_at` sequences of each hop class are looked at. Raises InputError for a folder without a run or without those
    checkpoints.
    """
    home = Path(folder).expanduser()
    run, held = checkpoints.run_of(home), checkpoints.kept_steps(home)
    chosen = sorted({*held[:1], *held[-1:]}) if steps is None else list(steps)
    seen, test = measured_on(run, looked_at * len(run.windows.hops)), measured_on(run, answered)
    rows: dict[str, list[dict[str, Any]]] = {"targets": [], "roles": [], "ablations": []}
    for step in chosen:
        named = named_by(run, step)
        weights = observe(checkpoints.load(home, step, device, "eager").model, seen.tokens).weights.cpu().numpy()
        found = list(target_rows(weights, seen))
        rows["targets"] += [{**named, **row} for row in found]
        rows["roles"] += [{**named, **row} for row in role_rows(found)]
        model = checkpoints.load(home, step, device).model
        rows["ablations"] += [{**named, **row} for row in ablation_rows(model, run, test, step, progress)]
    about = about_of(run, {"attention": looked_at * len(run.windows.hops), "accuracy": answered})
    return {name: table_of(name, held_rows).replace_schema_metadata(about) for name, held_rows in rows.items()}


# -- attention along the path ----------------------------------------------------------------------------


def target_rows(weights: Array, seen: Sequences) -> Iterator[dict[str, Any]]:
    """Rows of `targets` for attention weights `(layers, count, n, n)`: each layer, hop class, query and target."""
    for hops in np.unique(seen.hops).tolist():
        rows = np.flatnonzero(seen.hops == hops)
        for query in range(hops + 1):
            here = seen.paths[rows, query]
            held = weights[:, rows, here - 1]  # (layers, rows, n)
            highest = held.argmax(axis=-1) + 1
            off, off_top, uniform_off = np.ones(held.shape[:2]), np.ones(held.shape[:2], dtype=bool), np.ones(len(rows))
            for target in range(query, hops + 1):
                there = seen.paths[rows, target]
                weight, top = held[:, np.arange(len(rows)), there - 1], highest == there
                off, off_top, uniform_off = off - weight, off_top & ~top, uniform_off - 1 / here
                yield from _targets(hops, query, target, weight, top, 1 / here)
            yield from _targets(hops, query, OFF, np.maximum(off, 0), off_top, uniform_off)


def _targets(hops: int, query: int, target: int, weight: Array, top: Array, uniform: Array) -> Iterator[dict[str, Any]]:
    for layer in range(len(weight)):
        yield {
            "layer": layer,
            "hops": hops,
            "query": query,
            "target": target,
            "sequences": weight.shape[1],
            "weight": float(weight[layer].mean()),
            "uniform": float(uniform.mean()),
            "top": float(top[layer].mean()),
        }


def role_rows(targets: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows of `roles` from those of `targets`."""
    keys = ("layer", "hops", "query")
    grouped: dict[tuple[int, ...], list[Mapping[str, Any]]] = {}
    for row in targets:
        grouped.setdefault(tuple(row[name] for name in keys), []).append(row)
    for key, rows in sorted(grouped.items()):
        parts = {"next": 0.0, "further": 0.0, "own": 0.0, "off": 0.0}
        tops = dict(parts)
        for row in rows:
            ahead = row["target"] - row["query"]
            part = "off" if row["target"] == OFF else ("own", "next")[ahead] if ahead < 2 else "further"
            parts[part] += row["weight"]
            tops[part] += row["top"]
        most = next((part for part, share in tops.items() if share > 0.5), "spread")
        role = {"next": "move", "further": "move", "own": "Reflexive"}.get(most, "none")
        yield {**dict(zip(keys, key, strict=True)), **parts, "most": most, "role": role}


# -- ablations -------------------------------------------------------------------------------------------


def ablation_rows(
    model: Any, run: Run, test: Sequences, step: int, progress: Progress = lambda *_: None
) -> Iterator[dict[str, Any]]:
    """Rows of `ablations`: nothing replaced, each layer, and each layer with all after it."""
    what, means = f"ablate {run.name} after {step} steps", mean_outputs(model, test.tokens)
    outputs = {"mean": means, "zero": torch.zeros_like(means)}
    cases = [("none", "one", "every", OFF), *((*case, layer) for case in CASES for layer in range(len(means)))]
    for done, (kind, layers, places, layer) in enumerate(cases):
        progress(what, done, len(cases))
        chosen = range(0) if kind == "none" else range(layer, layer + 1 if layers == "one" else len(means))
        with replaced(model, {number: outputs[kind][number] for number in chosen}, places):
            right = accuracy(model, run.vocabulary, test)
        named = {"layer": layer, "kind": kind, "layers": layers, "places": places}
        yield from ({**named, **row} for row in by_class(right, test, run.windows.hops))
    progress(what, len(cases), len(cases))


def mean_outputs(model: Any, tokens: Ids) -> Tensor:
    """What each layer's attention adds to the residual stream, mean over sequences: `(layers, n, width)`."""
    sums: dict[int, Tensor] = {}

    def add(module: Any, given: Any, result: Any) -> None:
        total = result[0].sum(dim=0)
        sums[module.layer_idx] = sums[module.layer_idx] + total if module.layer_idx in sums else total

    with _hooked(model, range(len(model.transformer.h)), add):
        predictions(model, tokens)
    return torch.stack([sums[layer] for layer in sorted(sums)]) / len(tokens)


@contextmanager
def replaced(model: Any, outputs: Mapping[int, Tensor], places: str = "every") -> Iterator[None]:
    """Put `outputs[layer]`, `(n, width)`, in place of the attention output of these layers, at some of the PLACES.

    Raises InputError for layers that the model does not have and unknown places.
    """
    layers = len(model.transformer.h)
    if bad := [layer for layer in outputs if layer not in range(layers)]:
        raise InputError(f"the model has no layer {bad[0]}", f"it has 0 to {layers - 1}")
    if places not in PLACES:
        raise InputError(f"unknown places {places!r:.60}", f"known: {', '.join(PLACES)}")
    at = PLACES[places]

    def put(module: Any, given: Any, result: Any) -> Any:
        changed = result[0].clone()
        changed[:, at] = outputs[module.layer_idx][at]
        return (changed, *result[1:])

    with _hooked(model, outputs, put):
        yield


@contextmanager
def _hooked(model: Any, layers: Any, hook: Callable[..., Any]) -> Iterator[None]:
    handles = []
    try:
        for layer in layers:
            handles.append(model.transformer.h[layer].attn.register_forward_hook(hook))
        yield
    finally:
        for handle in handles:
            handle.remove()
