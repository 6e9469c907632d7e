"""`generalize(model, plan)`: all that this topic measures on one model and its nulls, piece by piece.

Three parts: `heads` (additive fits, single queries, planes, curves of false distances), `tolerance` (moved words and
positions) and `length` (contexts beyond the training length). Each piece is kept in the cache as soon as it is
finished, and the same call takes it up again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.report import versions
from headproof.checks.trained import kept
from headproof.checks.trained.conform import HALF
from headproof.checks.trained.corpus import Text, long_text, names, read, word_tokens
from headproof.checks.trained.disentanglement import length, tolerance
from headproof.checks.trained.disentanglement.assembling import assembled, stored
from headproof.checks.trained.disentanglement.heads import Passage, measure_passage
from headproof.checks.trained.disentanglement.length import EXTRA
from headproof.checks.trained.disentanglement.plan import PARTS, Plan
from headproof.checks.trained.models import Model, facts_of, find_model, load_model
from headproof.checks.trained.nulls import fresh, shuffled
from headproof.checks.trained.steering import LONGEST_CHECK, Steerer, require_conforming
from headproof.theory.errors import InputError

__all__ = ["PARTS", "Generalization", "Plan", "describe", "generalize", "passage"]

SCHEMA = "headproof-generalize-1"
NULLS: dict[str, Callable[[Model, int], Model]] = {"fresh": fresh, "shuffled": shuffled}
# Folders of the code that a measurement runs through.
CODE = ("theory", "theory/disentanglement", "checks/trained", "checks/trained/disentanglement")
Columns = dict[str, np.ndarray[Any, Any]]
Tables = dict[str, Columns]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Generalization:
    """The tables by name (`columns.TABLES`; absent where a part was not measured), and what made them."""

    tables: Mapping[str, pa.Table]
    about: dict[str, Any]


@dataclass(eq=False)
class Subject:
    """A model or a null of it, with its steerer, which is made and shown to conform when first asked for."""

    model: Model
    check: Sequence[int]
    _steerer: list[Steerer] = field(default_factory=list)

    def steerer(self) -> Steerer:
        """The steerer of the model. Raises ConformanceError if it does not do what the model does."""
        if not self._steerer:
            self._steerer.append(require_conforming(self.model, self.check))
        return self._steerer[0]


@dataclass(frozen=True)
class Task:
    """One piece: its label, the group and seed of its model, its text, what it depends on, and how it is measured."""

    label: str
    group: str
    seed: int
    text: str
    depends: Any
    run: Callable[[Subject], Tables]


def generalize(
    model: Model | str | Path | None,
    plan: Plan | None = None,
    progress: Progress | None = None,
    resume: bool = True,
) -> Generalization:
    """Measure a model (loaded, or what `find_model` takes; None for the default one) beside its nulls by a plan.

    `progress(what, done, total)` is called after each piece. Raises InputError before the first piece for texts that
    are too short and models without a tokenizer, and ConformanceError where a layer is not understood.
    """
    chosen = plan or Plan()
    loaded = model if isinstance(model, Model) else load_model(find_model(model))
    if loaded.null:
        raise InputError(f"the model given is a null itself ({loaded.null})", "give the trained one")
    require_single(loaded)
    tasks = [task for part in chosen.parts for task in MADE[part](loaded, chosen)]
    groups = list(dict.fromkeys((task.group, task.seed) for task in tasks))
    tasks.sort(key=lambda task: groups.index((task.group, task.seed)))  # one null at a time in memory
    parts: list[tuple[str, int, str, Tables]] = []
    own = Subject(loaded, _checked(loaded, chosen))
    if chosen.parts != ("heads",):
        _require_steerable(own)  # told before the first piece, not after many minutes
    for task, tables in _measured(own, tasks, resume):
        parts.append((task.group, task.seed, task.text, tables))
        if progress is not None:
            progress(task.label, len(parts), len(tasks))
    about = describe(loaded, chosen)
    windows = own.steerer().windows if "length" in chosen.parts else {}
    return Generalization(assembled(parts, about, windows), about)


def require_single(model: Model) -> None:
    """Raise InputError for a model in half precision: its angles are rounded too much to tell how its planes turn."""
    if model.model.dtype in HALF:
        kind = str(model.model.dtype).removeprefix("torch.")
        raise InputError(f"{model.source.name} is in {kind}", "load it in float32 or float64 (--dtype)")


def _checked(model: Model, plan: Plan) -> tuple[int, ...]:
    """The tokens on which a model's steering is compared with itself."""
    longest = min(LONGEST_CHECK, int(getattr(model.config, "max_position_embeddings", LONGEST_CHECK)))
    return long_text(model, plan.chosen(1), 0, longest)[0]


def _measured(own: Subject, tasks: Sequence[Task], resume: bool) -> Iterator[tuple[Task, Tables]]:
    model = own.model
    subject: Subject | None = own
    which = ("trained", -1)
    for task in tasks:
        place = kept.place_of("generalize", model, [task.group, task.seed, task.depends], CODE)
        if resume and place is not None and (found := kept.take_up(place)) is not None:
            yield task, found
            continue
        if which != (task.group, task.seed):
            subject = None  # let go of the last null before the next is made
            made = NULLS[task.group](model, task.seed) if task.group in NULLS else model
            subject, which = Subject(made, own.check), (task.group, task.seed)
        assert subject is not None
        tables = task.run(subject)
        if place is not None:
            kept.keep(place, tables)
        yield task, tables


def _require_steerable(subject: Subject) -> None:
    try:
        subject.steerer()
    except InputError as problem:
        raise type(problem)(str(problem), "or measure the part heads alone (--parts heads)") from problem


# -- tasks ---------------------------------------------------------------------------------------------------------


def _groups(plan: Plan) -> list[tuple[str, int]]:
    return [("trained", -1), *((group, seed) for group in NULLS for seed in plan.null_seeds)]


def _label(group: str, seed: int, what: str) -> str:
    return f"{group}{'' if seed < 0 else f' {seed}'}: {what}"


def passage(model: Model, text: Text, tokens: int) -> Passage:
    """The first `tokens` tokens of a text, a start of text included. Raises InputError if it has fewer."""
    ids, repeats = long_text(model, (text,), 0, tokens)
    if repeats:
        raise InputError(f"the text {text.name} has fewer than {tokens} tokens", "ask for fewer, or lengthen it")
    return Passage(text.name, ids)


def _head_tasks(model: Model, plan: Plan) -> list[Task]:
    passages = [passage(model, text, plan.tokens) for text in plan.chosen(plan.count)]
    tasks = []
    for group, seed in _groups(plan):
        detailed = seed in (-1, plan.null_seeds[0])
        for one in passages:
            depends = ["heads", one.tokens, plan.fractions, plan.heads, detailed]

            def run(subject: Subject, one: Passage = one, detailed: bool = detailed) -> Tables:
                return measure_passage(subject.model, one, plan.fractions, 0, detailed, plan.heads or None)

            tasks.append(Task(_label(group, seed, one.name), group, seed, one.name, depends, run))
    return tasks


def _tolerance_tasks(model: Model, plan: Plan) -> list[Task]:
    tasks = []
    for group, seed in _groups(plan):
        if seed not in (-1, plan.null_seeds[0]):
            continue
        trained = group == "trained"
        for text in plan.chosen(plan.tolerance_texts if trained else plan.tolerance_null_texts):
            ids = word_tokens(model, text, plan.tolerance_tokens).tokens
            for draw in plan.seeds if trained else plan.seeds[:1]:
                depends = ["tolerance", ids, draw, plan.tolerance_tokens, plan.shares]

                def run(subject: Subject, text: Text = text, draw: int = draw) -> Tables:
                    steerer = subject.steerer()
                    moved = tolerance.measure_text(steerer, text, draw, plan.shares, plan.tolerance_tokens)
                    if draw != plan.seeds[0]:
                        return {"tolerance": moved}
                    plain = tolerance.measure_plain(steerer, text, plan.tolerance_tokens)
                    return {"tolerance": {name: np.concatenate([plain[name], moved[name]]) for name in moved}}

                label = _label(group, seed, f"words of {text.name} moved, seed {draw}")
                tasks.append(Task(label, group, seed, text.name, [*depends, draw == plan.seeds[0]], run))
    return tasks


def _length_tasks(model: Model, plan: Plan) -> list[Task]:
    texts = plan.texts or tuple(read(name) for name in names())
    own = getattr(model.config, "max_position_embeddings", None)
    given = length.training_length(model) if plan.length is None else plan.length
    if own is not None and given > int(own):
        raise InputError(f"a training length of {given}", f"the config of {model.source.name} has {own} positions")
    extra = min(EXTRA, given // 2) if plan.extra is None else plan.extra
    length.require_extra(extra, given)
    tasks = []
    for draw in plan.length_seeds:

        def run(subject: Subject, draw: int = draw) -> Tables:
            return stored(length.measure_seed(subject.steerer(), texts, draw, given, extra))

        depends = ["length", draw, long_text(model, texts, draw, given + extra)[0], given, extra]
        tasks.append(Task(f"trained: {given} + {extra} tokens, seed {draw}", "trained", -1, "", depends, run))
    return tasks


MADE: Mapping[str, Callable[[Model, Plan], list[Task]]] = {
    "heads": _head_tasks,
    "tolerance": _tolerance_tasks,
    "length": _length_tasks,
}


# -- what a run was made of ----------------------------------------------------------------------------------------


def describe(model: Model, plan: Plan) -> dict[str, Any]:
    """All that one needs to make the tables again."""
    from headproof import __version__

    texts = plan.texts or tuple(read(name) for name in names())
    settings = {name: value for name, value in asdict(plan).items() if name != "texts"}
    return {
        "schema": SCHEMA,
        "headproof": __version__,
        "versions": versions(),
        **facts_of(model),
        "settings": settings,
        "null_seeds": list(plan.null_seeds),
        "texts": {text.name: text.sha256 for text in texts},
    }
