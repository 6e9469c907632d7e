"""dyn.llm on models at hand: the 1-hop tasks as prompts, scored by how likely the answer is among the candidates.

A model is right if the answer has the largest likelihood of all candidates, the different words of the target window:
chance is one in their number. (The source lets models write an answer, and counts that; `greedy` is the like of it.)
The controls are another query, under which the old answer is right by chance at most, and newly initialised models.
Each group of prompts has sequences of its own, so that shares are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.report import versions
from headproof.checks.trained import kept
from headproof.checks.trained.models import Model, facts_of
from headproof.checks.trained.multihop.defined import defined_table
from headproof.checks.trained.multihop.likelihoods import Read, likelihoods, opening_of, quick, require_one_size
from headproof.checks.trained.multihop.questions import (
    ASKED,
    SHOWN,
    TASKS,
    Form,
    Question,
    continuations,
    questions,
    require_length,
    shown_of,
    told,
)
from headproof.checks.trained.multihop.wilson import wilson
from headproof.checks.trained.nulls import fresh
from headproof.checks.trained.tasks import Ids, encode, opened, require_room
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer
from headproof.theory.multihop.prompt_findings import CONTROLLED, NULL_SEEDS, PRINTED_LENGTHS

Progress = Callable[[str, int, int], None]
Columns = dict[str, np.ndarray[Any, Any]]
# The printed lengths, and a shorter one, which no claim is about.
LENGTHS = (8, *PRINTED_LENGTHS)
# Prompts a length; fewer of a control, and of long sequences, from FAR tokens on: they take longest.
COUNT, FEW, FAR = 80, 40, 200
CONTROLS = ("none", "shuffled")
TOLD = Form()
# What a kept piece depends on, for it to be measured anew when that changes.
CODE = ("checks/trained", "checks/trained/multihop")
PROMPTS_TABLE = {
    "group": "trained, or the null: fresh, a new initialisation",
    "null_seed": "seed of the null model; -1 for the trained one",
    "task": "number; letter, scored by the whole pair; letter-value, by its digit with its letter given",
    "control": "none, or shuffled: another query is asked, and the old answer is still the one that counts",
    "length": "tokens of the sequence, query included, as the task counts them",
    "tokens": "mean number of the model's own tokens in a prompt",
    "prompts": "number of prompts",
    "right": "how many have the answer as the likeliest candidate; a tie counts as its share",
    "accuracy": "right over prompts",
    "low": "lower end of accuracy's 95 % interval (Wilson)",
    "high": "its upper end",
    "chance": "mean of one over the number of candidates",
    "frequent": "mean share that is right in guessing evenly among the window's most frequent words, or digits",
    "candidates": "mean number of candidates",
    "probability": "mean of the answer's likelihood over that of all candidates together",
    "other": "share of prompts with the other query's answer as the likeliest candidate: the right one if shuffled",
    "greedy": "share of prompts whose answer is what the model writes, each token its first choice of the vocabulary",
}
# Of one prompt; a kept piece has these.
PROMPT = ("right", "chance", "frequent", "candidates", "probability", "other", "greedy", "tokens", "place")


@dataclass(frozen=True)
class Plan:
    """What is asked: tasks, lengths, prompts a length, how told, the seed; and the controls, another query and null
    models by seed, at those lengths that are `control_lengths`. Controls and long sequences have `few` prompts.

    Raises InputError for unknown tasks, and numbers out of range.
    """

    tasks: tuple[str, ...] = TASKS
    lengths: tuple[int, ...] = LENGTHS
    count: int = COUNT
    few: int = FEW
    form: Form = TOLD
    seed: int = 0
    control_lengths: tuple[int, ...] = CONTROLLED
    null_seeds: tuple[int, ...] = NULL_SEEDS

    def __post_init__(self) -> None:
        require_distinct(self.tasks, "the tasks", _task)
        require_distinct(self.lengths, "the lengths", lambda value, what: require_length(value))
        require_integer(self.count, "the number of prompts", 1)
        require_integer(self.few, "the number of prompts of a control", 1)
        require_integer(self.seed, "the seed", 0)
        if self.control_lengths:
            require_distinct(self.control_lengths, "the controls' lengths", lambda value, what: require_length(value))
        if self.null_seeds:
            require_distinct(self.null_seeds, "the null seeds", lambda value, what: require_integer(value, what, 0))

    def parts(self) -> list[Part]:
        """All that is asked, model by model; tasks that one pass serves stand together."""
        passes = (tuple(task for task in self.tasks if (task == "number") == alone) for alone in (True, False))
        groups = [("trained", -1, "none"), ("trained", -1, "shuffled")]
        groups += [("fresh", seed, control) for seed in self.null_seeds for control in CONTROLS]
        parts = []
        for (number, (group, seed, control)), tasks in product(enumerate(groups), filter(None, passes)):
            for length in self.lengths:
                if number == 0 or length in self.control_lengths:
                    many = self.count if number == 0 and length < FAR else min(self.count, self.few)
                    stream = ASKED if number == 0 else SHOWN + number
                    parts.append(Part(group, seed, tasks, control, length, many, stream))
        return parts


@dataclass(frozen=True)
class Part:
    """Prompts of one length: of which model, for which tasks, with which query, how many, and their stream."""

    group: str
    null_seed: int
    tasks: tuple[str, ...]
    control: str
    length: int
    count: int
    stream: int = ASKED

    @property
    def label(self) -> str:
        """The part in a few words."""
        seed = "" if self.null_seed < 0 else f" {self.null_seed}"
        control = "" if self.control == "none" else f", {self.control}"
        return f"{self.group}{seed}: {self.tasks[0]} {self.length}{control}"


@dataclass(frozen=True, eq=False)
class Asked:
    """The table PROMPTS_TABLE, and all that one needs to make it again: the model, the plan and the texts' frame."""

    table: pa.Table
    about: dict[str, Any]


def ask(model: Model, plan: Plan | None = None, progress: Progress | None = None, resume: bool = True) -> Asked:
    """Ask a model, and its nulls, all prompts of a plan; each part is kept in the cache when it is done.

    `progress(what, done, total)` counts prompts. Raises InputError for a model without a tokenizer, prompts longer than
    its positions, and candidates that it writes with different numbers of tokens.
    """
    chosen = Plan() if plan is None else plan
    _require_fitting(model, chosen)
    parts = chosen.parts()
    total, done = sum(part.count for part in parts), 0
    rows, held, which = [], model, -1
    for part in parts:
        named = [*asdict(part).values(), asdict(chosen.form), chosen.seed]
        place = kept.place_of("multihop-prompts", model, named, CODE)
        found = kept.take_up(place) if resume and place is not None else None
        if found is None or found.keys() != set(part.tasks) or any(set(each) != set(PROMPT) for each in found.values()):
            if which != part.null_seed:
                held, which = model if part.null_seed < 0 else fresh(model, part.null_seed), part.null_seed
            tell = None if progress is None else _counting(progress, part.label, done, total)
            found = piece(held, part, chosen.form, chosen.seed, tell)
            if place is not None:
                kept.keep(place, found)
        rows += [_row(part, task, found[task]) for task in part.tasks]
        done += part.count
        if progress is not None:
            progress(part.label, done, total)
    about = {
        **facts_of(model),
        "versions": versions(),
        "settings": asdict(chosen),
        "frames": {task: frame(task, chosen) for task in chosen.tasks},
    }
    return Asked(defined_table(PROMPTS_TABLE, rows), about)


def frame(task: str, plan: Plan) -> str:
    """A whole prompt of the shortest length, exactly as the model reads it, as the metadata tell it."""
    return told(questions(task, min(plan.lengths), 1, plan.seed)[0], plan.form, shown_of(task, plan.form, plan.seed))


@dataclass(frozen=True, eq=False)
class Prompt:
    """A question as a model reads it: the tokens of its text, and those of each candidate after it."""

    question: Question
    ids: Ids
    ends: tuple[Ids, ...]

    @classmethod
    def of(cls, model: Model, question: Question, form: Form, shown: Sequence[Question]) -> Prompt:
        """Tokenizes text and candidates apart. Raises InputError as `encode`."""
        ids = sum(opened(model, told(question, form, shown)), ())
        return cls(question, ids, tuple(encode(model, continuations(question))))


def piece(
    model: Model, part: Part, form: Form = TOLD, seed: int = 0, progress: Callable[[int], None] | None = None
) -> dict[str, Columns]:
    """What a model answers to the prompts of a part, by task: columns PROMPT, a row each. Raises as `ask`.

    `letter-value` comes from the pass of `letter` wherever the two are the same tokens.
    """
    if part.control not in CONTROLS:
        raise InputError(f"unknown control {part.control!r:.40}", f"there are {', '.join(CONTROLS)}")
    asked = {task: _prompts(model, task, part, form, seed) for task in part.tasks}
    rows: dict[str, list[dict[str, Any]]] = {task: [] for task in part.tasks}
    with quick(model):
        opening = opening_of(model, [prompt.ids for prompt in asked[part.tasks[0]]])
        for number in range(part.count):
            before: tuple[Prompt, Read] | None = None
            for task in part.tasks:
                prompt = asked[task][number]
                read = None if before is None else _follows(prompt, *before)
                if read is None:
                    read = likelihoods(model, prompt.ids, prompt.ends, opening)
                rows[task].append(_scored(prompt, read))
                before = (prompt, read)
            if progress is not None:
                progress(number + 1)
    return {task: {name: np.array([row[name] for row in rows[task]]) for name in PROMPT} for task in part.tasks}


def _prompts(model: Model, task: str, part: Part, form: Form, seed: int) -> list[Prompt]:
    shown = shown_of(task, form, seed)
    plain = questions(task, part.length, part.count, seed, part.stream)
    chosen = (question.shuffled() if part.control == "shuffled" else question for question in plain)
    return [Prompt.of(model, question, form, shown) for question in chosen]


def _follows(prompt: Prompt, before: Prompt, read: Read) -> Read | None:
    """What a pass over `before` tells of a prompt that goes on with the first token of one of its candidates, and asks
    for single tokens; None if it does not."""
    ends = [end[0] for end in prompt.ends if len(end) == 1]
    for row, end in enumerate(before.ends):
        if len(end) == 2 and prompt.ids == (*before.ids, end[0]) and len(ends) == len(prompt.ends):
            return read.after(row, ends)
    return None


def _scored(prompt: Prompt, read: Read) -> dict[str, Any]:
    question, scores = prompt.question, read.scores()
    best = scores == scores.max()
    own, other = (question.candidates.index(each) for each in (question.answer, question.other_answer))
    weights = np.exp(scores - scores.max())
    return {
        "right": best[own] / best.sum(),
        "chance": 1 / len(scores),
        "frequent": question.frequent(),
        "candidates": len(scores),
        "probability": weights[own] / weights.sum(),
        "other": best[other] / best.sum(),
        "greedy": float(read.written()[own]),
        "tokens": len(prompt.ids),
        "place": question.place,
    }


def _row(part: Part, task: str, found: Columns) -> dict[str, Any]:
    right = float(found["right"].sum())
    low, high = wilson(right, part.count)
    means = {name: float(found[name].mean()) for name in PROMPT if name not in ("right", "place")}
    whole = {"group": part.group, "null_seed": part.null_seed, "task": task, "control": part.control}
    shares = {"right": right, "accuracy": right / part.count, "low": low, "high": high}
    row = {**whole, "length": part.length, "prompts": part.count, **shares, **means}
    return {name: row[name] for name in PROMPTS_TABLE}


def _require_fitting(model: Model, plan: Plan) -> None:
    """Refuse what would stop a long run late: the longest prompts, and candidates of unequal numbers of tokens."""
    for task in plan.tasks:
        question = questions(task, max(plan.lengths), 1, plan.seed)[0]
        longest = Prompt.of(model, question, plan.form, shown_of(task, plan.form, plan.seed))
        size = len(longest.ids) + require_one_size(model, longest.ends)
        require_room(model, size, f"a prompt of {max(plan.lengths)} items", "ask for fewer")


def _counting(progress: Progress, label: str, before: int, total: int) -> Callable[[int], None]:
    return lambda done: progress(label, before + done, total)


def _task(value: Any, what: str) -> str:
    if value not in TASKS:
        raise InputError(f"unknown task {value!r:.40}", f"there are {', '.join(TASKS)}")
    return str(value)
