"""`headproof profile`: reads what is asked for, profiles with progress, prints the summary and writes the files."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headproof import profile_summary, progressing, showing
from headproof.running import whole_number
from headproof.theory.errors import InputError

if TYPE_CHECKING:
    from headproof.checks.trained.models import Model
    from headproof.checks.trained.scores.pieces import Settings
    from headproof.checks.trained.tasks import BlockPrompt

SEEDS = 6
TASKS = ("binding", "induction", "text", "prompt")
# Options that only some tasks have, and which.
ONLY = {
    "--facts": ("binding",),
    "--length": ("induction",),
    "--asked": ("binding", "induction"),
    "--seeds": ("binding", "induction"),
    "--blocks": ("text", "prompt"),
    "--block-length": ("text", "prompt"),
    "--file": ("text",),
    "--prompt": ("prompt",),
}


@dataclass(frozen=True)
class Input:
    """What the heads are shown, as written on the command line; None where an option was not given."""

    task: str | None = None
    file: Path | None = None
    prompt: str | None = None
    facts: str | None = None
    length: str | None = None
    asked: str | None = None
    blocks: str | None = None
    block_length: str | None = None
    seed: str = "0"
    seeds: str | None = None
    with_sink: bool = False


@dataclass(frozen=True)
class Asked:
    """How it is measured, as written on the command line."""

    queries: str = "0.5,last"
    temperatures: str = "1e-4,0.01,inf"
    gamma: str = "0.1"
    null_seeds: str = "2"
    planes: bool = True
    heads: str | None = None
    device: str = "cpu"
    dtype: str = "float32"


def profile(model: str | None, given: Input, asked: Asked, out: Path | None, fresh: bool, quiet: bool) -> None:
    """Profile a model and show what was found; nothing is printed before every layer has conformed."""
    task = task_of(given)
    settings, nulls = settings_of(asked), whole_number("--null-seeds", asked.null_seeds, 1)
    shown = heads_of(asked.heads)
    _require_drawn(shown, asked.planes, out)
    _check_numbers(given)
    from headproof.checks.trained import writing
    from headproof.checks.trained.models import find_model, load_model
    from headproof.checks.trained.scores.profile import TABLES
    from headproof.checks.trained.scores.profile import profile as run
    from headproof.checks.trained.scores.summary import summarise

    if out is not None:
        from headproof.paper_figs.profile_plots import targets

        writing.require_room([*writing.targets(TABLES, out), *targets(out)], out, TABLES)
    started = time.perf_counter()
    source = find_model(model)
    with progressing.bar(quiet, "profiling") as bar:
        loaded = load_model(source, asked.device, asked.dtype, bar.message)
        require_heads(loaded, shown)
        prompts = prompts_of(loaded, task, given)
        result = run(loaded, prompts, settings, range(nulls), bar.step, resume=not fresh)
    summary = summarise(result, whole_number("--seed", given.seed, 0))
    if not quiet:
        profile_summary.show(summary)
    if out is not None:
        from headproof.paper_figs.profile_plots import write_plots

        tables = {name: getattr(result, name) for name in TABLES}
        written = [*writing.write(tables, TABLES, summary, out), *write_plots(result, out, shown or None)]
        if not quiet:
            showing.say(f"wrote {len(written)} files to {out}: {', '.join(path.name for path in written)}")
    if not quiet:
        showing.say(f"{len(prompts)} prompts, {1 + 2 * nulls} models in {time.perf_counter() - started:.1f} s")


# -- reading what was asked ----------------------------------------------------------------------------------------


def task_of(given: Input) -> str:
    """The task: the one named, or the one that `--file` or `--prompt` implies; InputError for options of another."""
    implied = "text" if given.file is not None else "prompt" if given.prompt is not None else "binding"
    task = given.task if given.task is not None else implied
    if task not in TASKS:
        raise InputError(f"unknown task {task!r}", f"there are {', '.join(TASKS)}")
    values = {
        "--facts": given.facts, "--length": given.length, "--asked": given.asked, "--seeds": given.seeds,
        "--blocks": given.blocks, "--block-length": given.block_length, "--file": given.file, "--prompt": given.prompt,
    }  # fmt: skip
    for option, tasks in ONLY.items():
        if values[option] is not None and task not in tasks:
            raise InputError(f"{option} is no option of the task {task}", f"it belongs to {' and '.join(tasks)}")
    if task == "text" and given.file is None:
        raise InputError("the task text needs a file", "add --file FILE")
    if task == "prompt" and not (given.prompt or "").strip():
        raise InputError("the task prompt needs a text", "add --prompt TEXT")
    return task


def _check_numbers(given: Input) -> None:
    """Refuse bad numbers before a model is loaded."""
    least = {"facts": 2, "length": 2, "blocks": 2, "block_length": 1, "seeds": 1, "seed": 0}
    for name, value in least.items():
        written = getattr(given, name)
        if written is not None:
            whole_number(f"--{name.replace('_', '-')}", written, value)


def settings_of(asked: Asked) -> Settings:
    """Settings from the command line's words. Raises InputError naming the option and the word."""
    from headproof.checks.trained.scores.pieces import Settings

    temperatures = [_decimal("--temperatures", word) for word in _words("--temperatures", asked.temperatures)]
    queries = tuple(_query(word) for word in _words("--query", asked.queries))
    return Settings(queries, tuple(temperatures), asked.planes, _decimal("--gamma", asked.gamma))


def heads_of(text: str | None) -> list[tuple[int, int]]:
    """Heads written LAYER:HEAD, with commas between them."""
    found = []
    for word in _words("--heads", text) if text is not None else []:
        layer, colon, head = word.partition(":")
        if not (colon and layer.isdecimal() and head.isdecimal()):
            raise InputError(f"--heads {word!r} is no head", "write LAYER:HEAD, such as 12:0,3:4")
        found.append((int(layer), int(head)))
    return found


def _require_drawn(heads: Sequence[tuple[int, int]], planes: bool, out: Path | None) -> None:
    """Refuse heads to draw where nothing is drawn, and more than a figure holds."""
    if not heads:
        return
    if out is None or not planes:
        raise InputError(
            "--heads chooses whose planes are drawn, and none are",
            "add --out DIR" if out is None else "leave out --no-planes",
        )
    from headproof.paper_figs.profile_plots import MOST_HEADS

    if len(heads) > MOST_HEADS:
        raise InputError(f"--heads names {len(heads)} heads", f"a figure holds {MOST_HEADS}")


def require_heads(model: Model, heads: Sequence[tuple[int, int]]) -> None:
    """Raise InputError for a head that the model does not have."""
    for layer, head in heads:
        if layer >= model.layers or head >= model.heads:
            raise InputError(
                f"{model.source.name} has no head {layer}:{head}",
                f"it has layers 0 to {model.layers - 1} and heads 0 to {model.heads - 1}",
            )


def prompts_of(model: Model, task: str, given: Input) -> tuple[BlockPrompt, ...]:
    """The prompts of a task. Raises InputError for what this model's tokenizer or length does not allow."""
    from headproof.checks.trained.binding import binding_prompts
    from headproof.checks.trained.tasks import ASKED, induction_prompts, text_file, text_prompt

    def number(written: str | None) -> int | None:
        return None if written is None else int(written)

    if task in ("text", "prompt"):
        text = text_file(given.file) if given.file is not None else str(given.prompt)
        name = f"text-{given.file.name}" if given.file is not None else "prompt"
        blocks, length = number(given.blocks), number(given.block_length)
        return (text_prompt(model, text, blocks, length, task, name, given.with_sink),)
    first = int(given.seed)
    binding = task == "binding"
    make = binding_prompts if binding else induction_prompts
    size = number(given.facts if binding else given.length) or (48 if binding else 64)
    found: list[BlockPrompt] = []
    for place in range(number(given.seeds) or SEEDS):
        # Without a word on it each seed is asked something else, so that all prompts are independent.
        asked = _words("--asked", given.asked) if given.asked is not None else [ASKED[place % len(ASKED)]]
        found += make(model, size, asked, first + place, given.with_sink)
    return tuple(found)


def _words(option: str, text: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise InputError(f"{option} {text!r} has an empty entry", "put one comma between entries")
    return words


def _decimal(option: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(f"{option} {word!r} is not a number")
    return value


def _query(word: str) -> str | int | float:
    if word == "last":
        return word
    try:
        return int(word)
    except ValueError:
        pass
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        raise InputError(f"--query {word!r}", "give last, a position, or a fraction between 0 and 1")
    return value
