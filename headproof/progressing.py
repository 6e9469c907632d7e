"""Progress of long work on stderr: a bar on a terminal; on a pipe or in a file a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from headproof.showing import console

# Seconds between two lines where there is no terminal.
EVERY = 30.0


class Bar:
    """Progress as it is shown; messages appear on a terminal and on a pipe unless quiet."""

    def __init__(self, shown: Progress | None, quiet: bool, what: str = "") -> None:
        self._shown = shown
        self._quiet = quiet
        self._what = what
        self._task = shown.add_task("", total=None) if shown is not None else None
        self._begun = self._told = time.monotonic()

    def step(self, name: str, done: int, total: int) -> None:
        """`done` of `total` things are finished, `name` the last of them."""
        if self._shown is not None and self._task is not None:
            self._shown.update(self._task, description=name, completed=done, total=total)
        elif time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            minutes, seconds = divmod(round(self._told - self._begun), 60)
            self.message(f"{self._what} {done}/{total} after {minutes}:{seconds:02d}: {name}")

    def task_done(self, task: Any, done: int, total: int, resumed: bool) -> None:
        """A claim or measurement of a run is finished, or was taken up from an interrupted one."""
        self.step(task.name, done, total)
        if resumed:
            self.message(f"{task.name}: taken up from an interrupted run")

    def message(self, text: str) -> None:
        """One line beside the bar."""
        if self._quiet:
            return
        if self._shown is not None:
            self._shown.console.print(Text(text), soft_wrap=True)
        else:
            print(text, file=sys.stderr, flush=True)


@contextmanager
def bar(quiet: bool, what: str) -> Iterator[Bar]:
    """Progress of `what`, a word like "measuring", while the block runs."""
    errors = console(stderr=True)
    if quiet or not errors.is_terminal:
        yield Bar(None, quiet, what)
        return
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=errors, transient=True) as shown:
        yield Bar(shown, quiet)
