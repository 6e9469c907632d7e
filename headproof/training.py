"""`headproof train`: reads what is asked for, trains with progress, prints the summary and writes the files."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headproof import learning, progressing, showing
from headproof.running import whole_number
from headproof.theory.errors import InputError

if TYPE_CHECKING:
    from headproof.checks.trained.canonical.sweep import Sweep


@dataclass(frozen=True)
class Asked:
    """What is trained, as written on the command line; None where an option was not given."""

    task: str | None = None
    angles: str | None = None
    sweep: str | None = None
    seeds: str | None = None
    length: str | None = None
    steps: str | None = None
    again: bool | None = None
    device: str = "cpu"
    executor: str = "processes"
    workers: str | None = None


def train(asked: Asked, out: Path | None, fresh: bool, quiet: bool) -> None:
    """Train a sweep and show what was found; finished cells are taken up again unless `fresh`."""
    sweep = sweep_of(asked)
    from headproof.checks.trained import writing
    from headproof.checks.trained.canonical import results
    from headproof.checks.trained.canonical.executors import require_executor
    from headproof.checks.trained.canonical.store import Store
    from headproof.checks.trained.canonical.sweep import Place, run
    from headproof.checks.trained.models import require_device

    workers = 0 if asked.workers is None else whole_number("--workers", asked.workers, 1)
    require_executor(asked.executor)
    if asked.device != "cpu":
        require_device(asked.device)
    if out is not None:
        writing.require_room(writing.targets(results.TABLES, out), out, results.TABLES)
    folder = results.folder_of(sweep, asked.device) if out is None else out
    started = time.perf_counter()
    with results.locked(folder):
        store = Store.open(folder, sweep.description(), fresh)
        taken: dict[str, int] = {}
        with progressing.bar(quiet, "training") as bar:

            def stepped(what: str, done: int, total: int) -> None:
                taken.setdefault(what, done)  # a round tells first what it finds finished
                bar.step(what, done, total)

            again = ", and those that fail again" if sweep.again else ""
            bar.message(f"toys to train: {len(sweep.cells())}, of {', '.join(sweep.angles)}{again}; kept in {folder}")
            trained = run(sweep, store, Place(asked.device, asked.executor, workers), stepped)
            found = results.results(trained, sweep, bar.step, showing.command())
    written: list[Path] = []
    if out is not None:
        written = writing.write(found.tables, results.TABLES, found.summary, out)
    if not quiet:
        show(found.summary)
        if written:
            showing.say(f"wrote {len(written)} files to {out}: {', '.join(path.name for path in written)}")
        finished = sum(taken.values())
        before = "all finished before" if finished == len(trained) else f"{finished} of them finished before"
        showing.say(f"toys: {len(trained)}, {before}, in {time.perf_counter() - started:.1f} s")


def sweep_of(asked: Asked) -> Sweep:
    """The sweep from the command line's words. Raises InputError naming the option and the word."""
    from headproof.checks.trained.canonical.cells import AND, TASKS
    from headproof.checks.trained.canonical.grids import BY_NAME, QUICK
    from headproof.checks.trained.canonical.sweep import Sweep, first_seeds

    if asked.task is None and asked.sweep is None:
        raise InputError("nothing to train", f"name a task ({', '.join(TASKS)}), or --sweep quick, committed or a file")
    if asked.task is not None and asked.task not in TASKS:
        raise InputError(f"unknown task {asked.task!r}", f"known: {', '.join((*TASKS, *learning.TASKS))}")
    if asked.sweep is None:
        sweep = QUICK
    elif asked.sweep in BY_NAME:
        sweep = BY_NAME[asked.sweep]
    else:
        sweep = Sweep.read(Path(asked.sweep))
    changes: dict[str, Any] = {}
    if asked.task is not None:
        if asked.task not in sweep.angles:
            raise InputError(f"the sweep {asked.sweep} has no task {asked.task}", f"it has {', '.join(sweep.angles)}")
        changes["angles"] = {asked.task: sweep.angles[asked.task]}
    if asked.angles is not None:
        if asked.task is None:
            raise InputError(f"--angles {asked.angles!r} without a task", "name the task that they are for")
        sets = [tuple(part.strip() for part in word.split(AND)) for word in asked.angles.split(",")]
        changes["angles"] = {asked.task: tuple(sets)}
    if asked.seeds is not None:
        changes["seeds"] = tuple(first_seeds(whole_number("--seeds", asked.seeds, 1), "--seeds"))
    if asked.length is not None:
        lengths = [whole_number("--length", word.strip(), 3) for word in asked.length.split(",")]
        changes["lengths"] = tuple(lengths)
    if asked.steps is not None:
        changes["steps"] = whole_number("--steps", asked.steps, 1)
    if asked.again is not None:
        changes["again"] = asked.again
    return replace(sweep, **changes)


def by_theory(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which claim says what of which angle sets: the column `theory` in words."""
    sets: dict[str, list[str]] = {}
    for row in rows:
        said = f"{row['feasible']} by {row['feasible_by']}" if row["feasible_by"] else row["feasible"]
        sets.setdefault(said, []).append(row["angles"])
    told = (f"{said} ({', '.join(found)})" for said, found in sets.items())
    return f"theory: {'; '.join(told)}."


def show(summary: dict[str, Any]) -> None:
    """Print the summary: one row an angle set."""
    from rich.table import Table

    for task in summary["tasks"]:
        table = Table(title=f"{task['task']}, {task['length']} tokens", title_justify="left")
        nulls = ("untrained", *(("shuffled",) if task["rows"][0]["shuffled"] is not None else ()))
        for column in ("angles", "repeats within", "theory", "solved", "accuracy", "ceiling", *nulls, "shape"):
            table.add_column(column, justify="left" if column in ("angles", "theory", "shape") else "right")
        for row in task["rows"]:
            table.add_row(
                row["angles"],
                f"{row['repeat']:.3g} at {row['repeat_at']}" if row["repeat"] else f"exactly at {row['repeat_at']}",
                row["feasible"],
                f"{row['solved']} of {row['seeds']}",
                f"{row['least']:.3f} .. {row['greatest']:.3f}",
                "" if row["ceiling"] is None else f"{row['ceiling']:.3f}",
                *(f"{row[null]:.3f}" for null in nulls),
                row["shape"],
            )
        showing.console().print(table)
        showing.say(by_theory(task["rows"]))
    for line in summary["notes"]:
        showing.say(line)
