"""How long sequences of the multihop tasks are, and what is asked of each (dyn.tasks)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headproof.checks.trained.multihop.tasks import Ids, Task
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer

HOPS = (1, 2, 3, 4)
# The number of letters bound to numbers and named: the answer's and one to mistake it for.
NAMED = 2


@dataclass(frozen=True)
class Windows:
    """How long a task's sequences are: `target` and `before` (pre-target) tokens and the query, and the hops asked for.

    Raises InputError for windows in which the task has no such sequences, naming what would do.
    """

    task: Task
    target: int
    before: int
    hops: tuple[int, ...]

    def __post_init__(self) -> None:
        for name, least in (("target", 1), ("before", 0)):
            object.__setattr__(self, name, require_integer(getattr(self, name), name, least))
        hops = require_distinct(self.hops, "the hops", lambda value, what: require_integer(value, what, 1))
        object.__setattr__(self, "hops", hops)
        if max(hops) > self.before + 1:
            raise InputError(f"{max(hops)} hops with {self.before} pre-target tokens", f"take {max(hops) - 1} or more")
        if self.task.name == "number" and self.before + self.core > self.task.numbers:
            raise InputError(
                f"{self.before} pre-target tokens before {self.core} places of answers",
                f"the query reaches {self.task.numbers} places back: take {self.task.numbers - self.core} or fewer",
            )
        if self.task.name == "letter" and (self.task.letters < max(hops) + NAMED or self.core < NAMED):
            raise InputError(
                f"{max(hops)} hops with {self.task.letters} letters and {self.target} target tokens",
                f"take {max(hops) + NAMED} letters and {NAMED} tokens, or more",
            )

    @property
    def core(self) -> int:
        """The places that an answer may have, the last ones of the target window."""
        return min(self.target, self.task.window)

    @property
    def length(self) -> int:
        """Tokens in a sequence."""
        return self.target + self.before + 1


@dataclass(frozen=True, eq=False)
class Labels:
    """What is asked of sequences, `(count,)` each: hops, the answer's index in `Task.answers`, and its place in the
    core, from 0."""

    hops: Ids
    values: Ids
    places: Ids

    def __getitem__(self, rows: Any) -> Labels:
        return Labels(self.hops[rows], self.values[rows], self.places[rows])
