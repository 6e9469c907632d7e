"""How a multihop model learns: accuracy by hops, and what kind of head each layer has, checkpoint by checkpoint.

Scores are those of dec.scores as DYN's runs have them: blocks of one token, all pairs, `tau = 1e-4`, at the last query.
The source's attention is split into blocks as a whole, so the query's own key is swapped too; the columns `_earlier`
leave it in its place. A head that is positional among letters, and prefers letters to integers, scores in between: a
swap of its letter with another one leaves the weight in its place, a swap with an integer takes it along. The columns
`_target` have swaps within the target window alone, whose tokens are of one kind. Queries at the other places of the
path are measured likewise, for a stack of constructions moves all of them (`constructions.stacks`).

*Pure* has two readings here. By `kind_` one score is high and the other not so, as `theory.scores.reading.kinds` has
it. By `pure_` the other is low: at most gamma. The two scores of a head add up to more than 1 (dec.scores.average), and
so do their means over sequences, so that a low one makes the other high by itself. A swap's point lies outside the unit
circle (dec.scores.circle), which (0, 1) and (1, 0) are on: the margins can be reached, by peaked attention alone. For a
swap below 0.1 the two weights have to be about ten to one, before it and after it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from headproof import __version__
from headproof.checks.report import versions
from headproof.checks.trained.multihop import checkpoints
from headproof.checks.trained.multihop.data import batch
from headproof.checks.trained.multihop.heads import Heads, observe, planes_of
from headproof.checks.trained.multihop.model import accuracy
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tables import MARGINS, table_of
from headproof.checks.trained.multihop.tasks import NAMES, SIZES, Sequences
from headproof.checks.trained.planes import RotaryPlanes
from headproof.checks.trained.rows import described
from headproof.theory.multihop.angle_claims import PRINTED_ANGLES
from headproof.theory.scores import PRINTED_TEMPERATURE, Swaps, log_sum, swaps_of
from headproof.theory.scores.reading import kinds

Progress = Callable[[str, int, int], None]
Array = np.ndarray[Any, Any]
# Sequences whose heads are looked at, and those that accuracy is taken on.
LOOKED_AT, ANSWERED = 100, 1000
# The stream of these sequences; `training` has the streams 0 and 1.
MEASURED = 2


def measured_on(run: Run, count: int) -> Sequences:
    """`count` held-out sequences, balanced over the run's hops; the same for all seeds and checkpoints."""
    key = [0, MEASURED, NAMES.index(run.task), SIZES.index(run.size), count]
    windows = run.windows
    return batch(run.vocabulary, count, np.random.default_rng(key), windows.target, windows.before, windows.hops)


def dynamics(
    folder: str | Path,
    steps: Sequence[int] | None = None,
    device: str = "cpu",
    progress: Progress = lambda *_: None,
    looked_at: int = LOOKED_AT,
    answered: int = ANSWERED,
) -> dict[str, pa.Table]:
    """The tables `steps` and `heads` of a run's folder: all checkpoints that it holds, or those after some steps.

    Raises InputError for a folder without a run or without those checkpoints.
    """
    home = Path(folder).expanduser()
    run = checkpoints.run_of(home)
    chosen = checkpoints.kept_steps(home) if steps is None else list(steps)
    test, seen = measured_on(run, answered), measured_on(run, looked_at)
    losses = _losses(home)
    rows: list[dict[str, Any]] = []
    of_heads: list[dict[str, Any]] = []
    planes, error = None, 0.0
    for done, step in enumerate(chosen):
        progress(f"measure {run.name}", done, len(chosen))
        model = checkpoints.load(home, step, device, attention="eager").model
        planes = planes or planes_of(model, seen.tokens[0])
        named = named_by(run, step)
        right = accuracy(model, run.vocabulary, test)
        rows += [{**named, **row, "loss": losses.get(step)} for row in by_class(right, test, run.windows.hops)]
        heads = observe(model, seen.tokens)
        error = max(error, heads.error)
        of_heads += [{**named, **row} for row in head_rows(heads, planes, seen, run)]
    progress(f"measure {run.name}", len(chosen), len(chosen))
    about = about_of(run, {"heads": looked_at, "accuracy": answered, "conformance error": error})
    tables = {"steps": table_of("steps", rows), "heads": table_of("heads", of_heads)}
    return {name: table.replace_schema_metadata(about) for name, table in tables.items()}


def together(parts: Sequence[Mapping[str, pa.Table]]) -> dict[str, pa.Table]:
    """The tables `steps` and `heads` of one run's checkpoints, measured one by one, as of all of them: one below the
    other, with the largest conformance error."""
    about = [described(part["steps"]) for part in parts]
    sequences = about[0]["sequences"]
    error = max(each["sequences"]["conformance error"] for each in about)
    whole = {"headproof": json.dumps({**about[0], "sequences": {**sequences, "conformance error": error}})}
    joined = {name: pa.concat_tables([part[name] for part in parts]) for name in parts[0]}
    return {name: table.replace_schema_metadata(whole) for name, table in joined.items()}


def named_by(run: Run, step: int) -> dict[str, Any]:
    """The columns that name a checkpoint."""
    return {"task": run.task, "size": run.size, "seed": run.seed, "step": step}


def about_of(run: Run, measured: dict[str, Any]) -> dict[str, str]:
    """What a table was made of, as its metadata holds it."""
    about = {
        "headproof": __version__,
        "versions": versions(),
        "run": run.to_json(),
        "sequences": {"stream": MEASURED, "seed": 0, **measured},
        "temperature": PRINTED_TEMPERATURE,
        "angle weights": "mean over keys and sequences of |q_f| |k_f|, each plane's share of their sum",
    }
    return {"headproof": json.dumps(about)}


def by_class(right: Array, test: Sequences, hops: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Accuracy of all sequences, hops 0, and of each class."""
    for number in (0, *hops):
        mine = right if number == 0 else right[test.hops == number]
        yield {"hops": number, "sequences": len(mine), "accuracy": float(mine.mean()) if len(mine) else None}


def _losses(folder: Path) -> dict[int, Any]:
    if not (folder / checkpoints.LOG).exists():
        return {}
    return {line["step"]: line.get("loss") for line in checkpoints.read_log(folder)}


# -- heads -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures of tables, `(*batch)` each; `spread` is the variance of positional - symbolic where each swap's two
    scores are exchanged with probability 1/2."""

    positional: Array
    symbolic: Array
    positional_earlier: Array
    symbolic_earlier: Array
    positional_target: Array
    symbolic_target: Array
    spread: Array
    entropy: Array
    entropy_share: Array
    largest: Array


def measures(logits: Tensor, target: int) -> Measures:
    """Measures of logit tables `(*batch, keys, keys)` in float64, the query's own key the last; the target window has
    the first `target` keys, two or more and fewer than all."""
    used = torch.diagonal(logits, dim1=-2, dim2=-1)
    normaliser = log_sum(used)
    every = swaps_of(logits, normaliser, 1)
    earlier, inside = (swaps_of(logits[..., :stop, :stop], normaliser, 1) for stop in (-1, target))
    scores = [swaps.averages([PRINTED_TEMPERATURE]) for swaps in (every, earlier, inside)]
    attention = torch.exp(used - normaliser[..., None])
    entropy = normaliser - (attention * used).sum(-1)
    found = (
        *(part[0] for each in scores for part in (each.positional, each.symbolic)),
        _spread(every),
        entropy,
        entropy / np.log(used.shape[-1]),
        attention.amax(-1),
    )
    return Measures(*(value.cpu().numpy() for value in found))


def _spread(swaps: Swaps) -> Tensor:
    """The variance of the purity if signs of the swaps' differences are drawn: each stands twice in the matrix."""
    weighed = swaps.weights(PRINTED_TEMPERATURE) * (swaps.positional - swaps.symbolic)
    spread: Tensor = 2 * (weighed**2).sum((-2, -1))
    return spread


def pure(positional: Array, symbolic: Array, gamma: float) -> Array:
    """positional, symbolic or none: whose other score is at most gamma, below 1/2."""
    return np.where(symbolic <= gamma, "positional", np.where(positional <= gamma, "symbolic", "none"))


def head_rows(heads: Heads, planes: RotaryPlanes, seen: Sequences, run: Run) -> Iterator[dict[str, Any]]:
    """A row for each layer, each query on the path from which it goes on, and each hop class with such queries."""
    for moves in range(max(run.windows.hops)):
        found = _looked_at(heads, planes, seen, moves, run.windows.target)
        if found is None:
            continue
        rows, joined, sizes = found
        for hops in (0, *run.windows.hops):
            mine = np.ones(len(rows), dtype=bool) if hops == 0 else seen.hops[rows] == hops
            if mine.any():
                part = {name: values[:, mine] for name, values in joined.items()}
                named = {"hops": hops, "query": moves, "sequences": int(mine.sum())}
                for row in _layer_rows(part, sizes[:, mine].mean(axis=1), planes):
                    printed = PRINTED_ANGLES[run.task] if run.size == "full" and (moves, hops) == (0, 0) else ()
                    angle = [float(each) for each in printed[row["layer"] :]]
                    yield {**named, **row, **dict(zip(["printed_angle"], angle, strict=False))}


def _looked_at(
    heads: Heads, planes: RotaryPlanes, seen: Sequences, moves: int, target: int
) -> tuple[Array, dict[str, Array], Array] | None:
    """The sequences whose path goes on after some moves, the measures `(layers, sequences)` of the queries there and
    the sizes of their planes `(layers, sequences, planes)`; None if there are none. All of these places come after the
    target window."""
    here = np.flatnonzero(seen.hops > moves)
    if not len(here):
        return None
    places = seen.paths[here, moves]
    order, parts, sizes = [], [], []
    for place in np.unique(places).tolist():
        rows = here[places == place]
        order.append(rows)
        parts.append(measures(heads.tables(place, rows), target))
        sizes.append(heads.plane_sizes(planes, place, rows).cpu().numpy())
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts], axis=1) for field in fields(Measures)
    }
    return np.concatenate(order), joined, np.concatenate(sizes, axis=1)


def _layer_rows(values: dict[str, Array], weights: Array, planes: RotaryPlanes) -> Iterator[dict[str, Any]]:
    """Means over sequences of measures `(layers, sequences)`, and angles of weights `(layers, planes)`."""
    lower = np.minimum(values["positional"], values["symbolic"])
    count = lower.shape[1]
    for layer, angles in enumerate(_angles(weights, np.array(planes.frequencies))):
        mean = {name: float(held[layer].mean()) for name, held in values.items()}
        yield {
            **mean,
            "layer": layer,
            "positional_larger": float((values["positional"] > values["symbolic"])[layer].mean()),
            "pure_sequences": float((lower[layer] <= max(MARGINS.values())).mean()),
            "null_purity": (mean["spread"] / count) ** 0.5,
            **_words(mean["positional"], mean["symbolic"]),
            **angles,
        }


def _words(positional: float, symbolic: float) -> dict[str, str]:
    scores = np.array(positional), np.array(symbolic)
    return {
        f"{column}_{name}": str(called(*scores, gamma))
        for column, called in (("kind", kinds), ("pure", pure))
        for name, gamma in MARGINS.items()
    }


def _angles(weights: Array, frequencies: Array) -> Iterator[dict[str, float]]:
    """Angles of each layer from the weights of its planes, `(layers, planes)`."""
    order = np.argsort(frequencies)
    sums = weights.sum(axis=1, keepdims=True)
    for mine, scale in zip(weights / sums, sums[:, 0], strict=True):
        half = int(np.searchsorted(np.cumsum(mine[order]), 0.5))
        top = int(mine.argmax())
        yield {
            "mean_angle": float(mine @ frequencies),
            "index_angle": float(frequencies[round(float(mine @ np.arange(len(mine))))]),
            "median_angle": float(frequencies[order][min(half, len(order) - 1)]),
            "top_angle": float(frequencies[top]),
            "top_share": float(mine[top]),
            "logit_scale": float(scale),
        }
