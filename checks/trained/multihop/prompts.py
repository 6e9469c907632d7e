"""dyn.llm on models at hand: the 1-hop tasks as prompts, scored by how likely the answer is among the candidates.

A model is right if the answer has the largest likelihood of all candidates, the different words of the target window:
chance is one in their number. (The source lets models write an answer, and counts that; `greedy` is the like of it.)
The controls are another query, under which the old answer is right by chance at most, and a newly initialised model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from headproof.checks.trained import kept
from headproof.checks.trained.models import Model, facts_of
from headproof.checks.trained.multihop.defined import defined_table
from headproof.checks.trained.multihop.questions import (
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
from headproof.checks.trained.tasks import encode, opened, require_room
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer

Progress = Callable[[str, int, int], None]
Columns = dict[str, np.ndarray[Any, Any]]
LENGTHS = (12, 16, 24, 32, 48, 64, 80, 100, 200, 300)
COUNT = 100
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
    "candidates": "mean number of candidates",
    "probability": "mean of the answer's likelihood over that of all candidates together",
    "other": "share of prompts with the other query's answer as the likeliest candidate: the right one if shuffled",
    "greedy": "share of prompts whose answer is what the model writes, each token its first choice of the vocabulary",
}
# Of one prompt; a kept piece has these.
PROMPT = ("right", "chance", "candidates", "probability", "other", "greedy", "tokens", "place")


@dataclass(frozen=True)
class Plan:
    """What is asked: tasks, lengths, prompts a length, how they are told, the seed, and seeds of null models.

    Raises InputError for unknown tasks, and numbers out of range.
    """

    tasks: tuple[str, ...] = ("number", "letter", "letter-value")
    lengths: tuple[int, ...] = LENGTHS
    count: int = COUNT
    form: Form = TOLD
    seed: int = 0
    controls: bool = True
    null_seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        require_distinct(self.tasks, "the tasks", _task)
        require_distinct(self.lengths, "the lengths", lambda value, what: require_length(value))
        require_integer(self.count, "the number of prompts", 1)
        require_integer(self.seed, "the seed", 0)
        if self.null_seeds:
            require_distinct(self.null_seeds, "the null seeds", lambda value, what: require_integer(value, what, 0))


@dataclass(frozen=True, eq=False)
class Asked:
    """The table PROMPTS_TABLE, and all that one needs to make it again: the model, the plan and the texts' frame."""

    table: pa.Table
    about: dict[str, Any]


def ask(model: Model, plan: Plan | None = None, progress: Progress | None = None, resume: bool = True) -> Asked:
    """Ask a model, and its nulls, all prompts of a plan; each length of a task is kept in the cache when it is done.

    `progress(what, done, total)` counts prompts. Raises InputError for a model without a tokenizer, prompts longer than
    its positions, and candidates that it writes with different numbers of tokens.
    """
    chosen = Plan() if plan is None else plan
    groups = [("trained", -1), *(("fresh", seed) for seed in chosen.null_seeds)]
    # A null is asked the plain questions alone.
    pieces = [
        (group, seed, task, control, length)
        for group, seed in groups
        for task in chosen.tasks
        for control in (CONTROLS if chosen.controls and group == "trained" else CONTROLS[:1])
        for length in chosen.lengths
    ]
    _require_fitting(model, chosen)
    rows, held, which = [], model, ("trained", -1)
    for number, (group, seed, task, control, length) in enumerate(pieces):
        label = f"{group}{'' if seed < 0 else f' {seed}'}: {task} {length}{'' if control == 'none' else f', {control}'}"
        parts = [group, seed, task, control, length, chosen.count, asdict(chosen.form), chosen.seed]
        place = kept.place_of("multihop-prompts", model, parts, CODE)
        found = kept.take_up(place) if resume and place is not None else None
        if found is None or set(found.get("prompts", {})) != set(PROMPT):
            if which != (group, seed):
                held, which = model if group == "trained" else fresh(model, seed), (group, seed)
            done = number * chosen.count
            tell = None if progress is None else _counting(progress, label, done, len(pieces) * chosen.count)
            found = {"prompts": piece(held, task, length, control, chosen, tell)}
            if place is not None:
                kept.keep(place, found)
        rows.append(_row(group, seed, task, control, length, found["prompts"]))
        if progress is not None:
            progress(label, (number + 1) * chosen.count, len(pieces) * chosen.count)
    about = {
        **facts_of(model),
        "settings": asdict(chosen),
        "frames": {task: frame(task, chosen) for task in chosen.tasks},
    }
    return Asked(defined_table(PROMPTS_TABLE, rows), about)


def frame(task: str, plan: Plan) -> str:
    """A whole prompt of the shortest length, exactly as the model reads it, as the metadata tell it."""
    return told(questions(task, min(plan.lengths), 1, plan.seed)[0], plan.form, shown_of(task, plan.form, plan.seed))


def piece(
    model: Model,
    task: str,
    length: int,
    control: str = "none",
    plan: Plan | None = None,
    progress: Callable[[int], None] | None = None,
) -> Columns:
    """What a model answers to the prompts of one task and length: columns PROMPT, a row each. Raises as `ask`."""
    chosen = Plan() if plan is None else plan
    if control not in CONTROLS:
        raise InputError(f"unknown control {control!r:.40}", f"there are {', '.join(CONTROLS)}")
    shown = shown_of(task, chosen.form, chosen.seed)
    rows = []
    for number, plain in enumerate(questions(task, length, chosen.count, chosen.seed)):
        question = plain.shuffled() if control == "shuffled" else plain
        rows.append(_scored(model, question, told(question, chosen.form, shown)))
        if progress is not None:
            progress(number + 1)
    return {name: np.array([row[name] for row in rows]) for name in PROMPT}


def likelihoods(
    model: Model, text: str, texts: Sequence[str]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """Log-likelihoods of continuations of a text, whether each is what the model writes, and the text's tokens.

    The text and its continuations are tokenized apart, and one pass over the text serves all of them. Raises InputError
    for continuations of different numbers of tokens: their likelihoods do not compare.
    """
    prefix, bare = opened(model, text)
    ids = prefix + bare
    ends = encode(model, texts)
    if len(sizes := {len(end) for end in ends}) != 1:
        raise InputError(
            f"{model.source.name} writes the candidates {texts[0]!r} and others with {sorted(sizes)} tokens",
            "their likelihoods do not compare",
        )
    size = sizes.pop()
    require_room(
        model, len(ids) + size, f"a prompt of {len(ids)} tokens", "ask for shorter sequences or fewer examples"
    )
    device = model.device
    follows = torch.tensor(ends, device=device)
    with torch.inference_mode():
        out = model.model(input_ids=torch.tensor([ids], device=device), use_cache=size > 1, logits_to_keep=1)
        logits = out.logits[:, -1:].double().expand(len(ends), 1, -1)
        if size > 1:
            name = _cache_name(model)
            held = getattr(out, name)
            held.batch_repeat_interleave(len(ends))
            more = model.model(input_ids=follows[:, :-1], use_cache=True, **{name: held}).logits.double()
            logits = torch.cat([logits, more], dim=1)
    each = torch.log_softmax(logits, dim=-1).gather(-1, follows[:, :, None])[..., 0]
    written = (logits.argmax(dim=-1) == follows).all(dim=1)
    return each.sum(dim=1).cpu().numpy(), written.cpu().numpy(), len(ids)


def _cache_name(model: Model) -> str:
    """What transformers calls the keys and values of a pass, as argument and in its output."""
    return "cache" if "cache" in inspect.signature(model.model.forward).parameters else "past_key_values"


def _scored(model: Model, question: Question, text: str) -> dict[str, Any]:
    scores, written, tokens = likelihoods(model, text, continuations(question))
    best = scores == scores.max()
    own, other = (question.candidates.index(each) for each in (question.answer, question.other_answer))
    weights = np.exp(scores - scores.max())
    return {
        "right": best[own] / best.sum(),
        "chance": 1 / len(scores),
        "candidates": len(scores),
        "probability": weights[own] / weights.sum(),
        "other": best[other] / best.sum(),
        "greedy": float(written[own]),
        "tokens": tokens,
        "place": question.place,
    }


def _row(group: str, seed: int, task: str, control: str, length: int, found: Columns) -> dict[str, Any]:
    count, right = len(found["right"]), float(found["right"].sum())
    low, high = wilson(right, count)
    means = {name: float(found[name].mean()) for name in PROMPT if name not in ("right", "place")}
    whole = {"group": group, "null_seed": seed, "task": task, "control": control, "length": length, "prompts": count}
    shares = {"right": right, "accuracy": right / count, "low": low, "high": high}
    row = {**whole, **shares, **means}
    return {name: row[name] for name in PROMPTS_TABLE}


def _require_fitting(model: Model, plan: Plan) -> None:
    """Refuse what would stop a long run late: the longest prompts, and candidates of unequal numbers of tokens."""
    for task in plan.tasks:
        question = questions(task, max(plan.lengths), 1, plan.seed)[0]
        ends = encode(model, continuations(question))
        ids = sum(opened(model, told(question, plan.form, shown_of(task, plan.form, plan.seed))), ())
        require_room(model, len(ids) + max(map(len, ends)), f"a prompt of {max(plan.lengths)} items", "ask for fewer")


def _counting(progress: Progress, label: str, before: int, total: int) -> Callable[[int], None]:
    return lambda done: progress(label, before + done, total)


def _task(value: Any, what: str) -> str:
    if value not in TASKS:
        raise InputError(f"unknown task {value!r:.40}", f"there are {', '.join(TASKS)}")
    return str(value)
