"""`profile(model, prompts)`: the tables of a whole profile, trained model and nulls, with what made them.

Each model's piece on each prompt is kept in the cache as soon as it is finished; the same call takes them up again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.report import versions
from headproof.checks.trained import kept
from headproof.checks.trained.models import Model, facts_of, find_model, load_model
from headproof.checks.trained.nulls import fresh, shuffled
from headproof.checks.trained.scores.columns import CORRELATIONS, HEADS, PLANES, schema
from headproof.checks.trained.scores.pieces import Piece, Settings, joined, measure_prompt, resolve_queries
from headproof.checks.trained.tasks import BlockPrompt
from headproof.theory.errors import InputError

SCHEMA = "headproof-profile-1"
NULLS: dict[str, Callable[[Model, int], Model]] = {"fresh": fresh, "shuffled": shuffled}
# Folders of the code that a profile runs through.
CODE = ("theory", "theory/scores", "theory/exclusion", "checks/trained", "checks/trained/scores")
TABLES = {"heads": HEADS, "planes": PLANES, "correlations": CORRELATIONS}
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Profile:
    """Tidy tables, one row a measurement (`columns.py` defines the columns), and what made them."""

    heads: pa.Table
    planes: pa.Table
    correlations: pa.Table
    about: dict[str, Any]


@dataclass(frozen=True)
class _Task:
    group: str
    seed: int
    prompt: BlockPrompt

    @property
    def label(self) -> str:
        return f"{self.group}{'' if self.seed < 0 else f' {self.seed}'}: {self.prompt.name}"

    @property
    def tag(self) -> dict[str, Any]:
        return {"group": self.group, "null_seed": self.seed}


def profile(
    model: Model | str | Path | None,
    prompts: Sequence[BlockPrompt],
    settings: Settings | None = None,
    null_seeds: Sequence[int] = (0, 1),
    progress: Progress | None = None,
    resume: bool = True,
    plane_seeds: int = 1,
) -> Profile:
    """Profile a model (loaded, or what `find_model` takes; None for the default one) on prompts, beside its nulls.

    Nulls are always measured: one fresh initialisation and one shuffled copy a seed; planes for the first
    `plane_seeds` of them. `progress(what, done, total)` is called after each piece. Raises InputError before the first
    pass for prompts of one name, none, or without blocks before a query, and for no null seed; ConformanceError where a
    layer is not understood.
    """
    chosen = settings or Settings()
    seeds = _require_seeds(null_seeds)
    _require_prompts(prompts, chosen)
    loaded = model if isinstance(model, Model) else load_model(find_model(model))
    if loaded.null:
        raise InputError(f"the model given is a null itself ({loaded.null})", "give the trained one")
    groups = [("trained", -1), *((group, seed) for group in NULLS for seed in seeds)]
    tasks = [_Task(group, seed, prompt) for group, seed in groups for prompt in prompts]
    pieces = []
    for done, piece in enumerate(_pieces(loaded, tasks, chosen, (-1, *seeds[:plane_seeds]), resume)):
        pieces.append(piece)
        if progress is not None:
            progress(tasks[done].label, done + 1, len(tasks))
    about = describe(loaded, prompts, chosen, seeds)
    return _assemble(pieces, about)


def _require_seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    chosen = tuple(seeds)
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(
            f"null seeds {chosen}", "give one or more, all different: a profile without controls says little"
        )
    return chosen


def _require_prompts(prompts: Sequence[BlockPrompt], settings: Settings) -> None:
    if not prompts:
        raise InputError("no prompt is given", "give one or more")
    names = [prompt.name for prompt in prompts]
    if len(set(names)) < len(names):
        raise InputError(f"two prompts have the name {max(names, key=names.count)!r}", "name them apart")
    for prompt in prompts:
        resolve_queries(prompt, settings)


def _pieces(
    model: Model, tasks: Sequence[_Task], settings: Settings, planed: Sequence[int], resume: bool
) -> Iterator[Piece]:
    made: Model | None = None
    which: tuple[str, int] | None = None
    for task in tasks:
        planes = settings.planes and task.seed in planed
        place = _kept(model, task, settings, planes)
        if resume and place is not None and (found := kept.take_up(place, TABLES)) is not None:
            yield Piece(**found)
            continue
        if which != (task.group, task.seed):
            made = None  # one null at a time in memory
            made = NULLS[task.group](model, task.seed) if task.group in NULLS else model
            which = (task.group, task.seed)
        assert made is not None
        piece = measure_prompt(made, task.prompt, settings, planes, task.tag)
        if place is not None:
            kept.keep(place, vars(piece))
        yield piece


# -- pieces in the cache -------------------------------------------------------------------------------------------


def _kept(model: Model, task: _Task, settings: Settings, planes: bool) -> Path | None:
    prompt = {"tokens": task.prompt.tokens, "blocks": asdict(task.prompt.blocks), "name": task.prompt.name}
    return kept.place_of("profile", model, [task.tag, prompt, asdict(settings), planes], CODE)


# -- tables --------------------------------------------------------------------------------------------------------


def describe(model: Model, prompts: Sequence[BlockPrompt], settings: Settings, seeds: Sequence[int]) -> dict[str, Any]:
    """What a profile was made of: everything that one needs to make it again."""
    from headproof import __version__

    return {
        "schema": SCHEMA,
        "headproof": __version__,
        "versions": versions(),
        **facts_of(model),
        "settings": {**asdict(settings), "temperatures": [str(tau) for tau in settings.temperatures]},
        "null_seeds": list(seeds),
        "prompts": [
            {
                "name": prompt.name,
                "task": prompt.task,
                "seed": prompt.seed,
                "tokens": len(prompt.tokens),
                "sha256": hashlib.sha256(json.dumps(prompt.tokens).encode()).hexdigest(),
                "blocks": prompt.blocks.count,
                "block_length": prompt.blocks.length,
                "first_block": prompt.blocks.starts[0],
                "target": prompt.target,
                "answer": prompt.answer,
                "text": prompt.text,
            }
            for prompt in prompts
        ],
    }


def _assemble(pieces: Sequence[Piece], about: dict[str, Any]) -> Profile:
    tables = {}
    for name, columns in TABLES.items():
        whole = joined([part for piece in pieces if len(next(iter((part := getattr(piece, name)).values())))], columns)
        metadata = {b"headproof": json.dumps(about).encode()}
        kinds = schema(columns, metadata)
        arrays = [_array(whole[field.name], field.type) for field in kinds]
        tables[name] = pa.Table.from_arrays(arrays, schema=kinds)
    return Profile(tables["heads"], tables["planes"], tables["correlations"], about)


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array([str(value) for value in values], pa.string()).dictionary_encode().cast(kind)
    return pa.array(np.asarray(values).astype(kind.to_pandas_dtype()), kind)
