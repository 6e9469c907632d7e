"""`headproof train number|letter`: trains multihop models with progress, measures what they learn, writes the files."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headproof import progressing, showing
from headproof.running import whole_number
from headproof.theory.errors import InputError

if TYPE_CHECKING:
    from headproof.checks.trained.multihop.runs import Run

TASKS = ("number", "letter")


@dataclass(frozen=True)
class Asked:
    """What is trained, as written on the command line; None where an option was not given."""

    task: str
    size: str | None = None
    seeds: str | None = None
    steps: str | None = None
    device: str = "cpu"


def learn(asked: Asked, out: Path | None, fresh: bool, quiet: bool) -> None:
    """Train the runs asked for and show what was found; an interrupted run goes on, a finished one is taken up."""
    runs = runs_of(asked)
    from headproof.checks.trained import writing
    from headproof.checks.trained.models import require_device
    from headproof.checks.trained.multihop.checkpoints import clear
    from headproof.checks.trained.multihop.results import folder_of, measured
    from headproof.checks.trained.multihop.tables import TABLES
    from headproof.checks.trained.multihop.training import train

    require_device(asked.device)
    if out is not None:
        writing.require_room(writing.targets(TABLES, out), out, TABLES)
        _require_same_task(out / writing.SUMMARY, asked.task)
    started = time.perf_counter()
    with progressing.bar(quiet, "training") as bar:
        folders = []
        for run in runs:
            folder = folder_of(run, asked.device) if out is None else out / run.name
            if fresh:
                clear(folder)
            bar.message(f"{run.name}: {run.total} steps; kept in {folder}")
            folders.append(train(run, folder, asked.device, bar.step))
        tables = measured(folders, asked.device, bar.step)
    if out is not None:
        about = {"command": showing.command(), **_about(tables)}
        written = writing.write(tables, TABLES, about, out)
    if not quiet:
        show(tables)
        if out is not None:
            showing.say(f"wrote {len(written)} files to {out}: {', '.join(path.name for path in written)}")
        showing.say(f"models: {len(runs)}, in {time.perf_counter() - started:.1f} s")


def runs_of(asked: Asked) -> list[Run]:
    """The runs from the command line's words. Raises InputError naming the option and the word."""
    from headproof.checks.trained.multihop.runs import Run

    seeds = 1 if asked.seeds is None else whole_number("--seeds", asked.seeds, 1)
    given: dict[str, Any] = {} if asked.steps is None else {"steps": whole_number("--steps", asked.steps, 1)}
    return [Run(asked.task, asked.size or "full", seed=seed, **given) for seed in range(seeds)]


def show(tables: Mapping[str, Any]) -> None:
    """Print accuracy by hops at every checkpoint, and each layer's head at the last one; seeds one after the other."""
    from rich.table import Table

    from headproof.checks.trained.rows import columns_of, rows

    steps, heads = (columns_of(tables[name]) for name in ("steps", "heads"))
    hops = sorted(set(steps["hops"].tolist()))
    for seed in sorted(set(steps["seed"].tolist())):
        mine = rows(steps, seed=seed)
        learned = Table(title=f"accuracy by hops, seed {seed}", title_justify="left")
        for column in ("step", *(str(number) if number else "all" for number in hops)):
            learned.add_column(column, justify="right")
        for step in sorted(set(mine["step"].tolist())):
            at = rows(mine, step=step)
            learned.add_row(str(step), *(f"{rows(at, hops=number)['accuracy'][0]:.3f}" for number in hops))
        showing.console().print(learned)
        last = rows(heads, seed=seed, step=max(mine["step"].tolist()), query=0, hops=0)
        layers = Table(title=f"heads at the last query, seed {seed}, last checkpoint", title_justify="left")
        names = {
            "layer": "layer",
            "positional": "positional",
            "symbolic": "symbolic",
            "positional_target": "positional in target window",
            "symbolic_target": "symbolic in target window",
            "pure_10": "pure, 0.1",
            "entropy_share": "entropy / log n",
            "median_angle": "median angle",
        }
        for title in names.values():
            layers.add_column(title, justify="right")
        for at in last["layer"].argsort():
            values = (last[name][at] for name in names)
            layers.add_row(*(f"{value:.3g}" if not isinstance(value, str) else str(value) for value in values))
        showing.console().print(layers)


def _require_same_task(summary: Path, task: str) -> None:
    """Raise InputError if a folder holds the tables of the other task, which would be lost."""
    if not summary.exists():
        return
    held = json.loads(summary.read_text("utf-8")).get("steps", {}).get("run", {}).get("task", task)
    if held != task:
        raise InputError(f"{summary} is of the {held} task", "give another folder")


def _about(tables: Mapping[str, Any]) -> dict[str, Any]:
    from headproof.checks.trained.rows import described

    return {name: described(table) for name, table in tables.items()}
