"""Random sequences of the two multihop tasks: seeded, balanced, many at once (dyn.tasks).

A sequence is a target window, a pre-target window and the query. Hop classes have equal parts, and within each class
the answer's value and its place do: values, places and classes are dealt in turn from shuffled blocks, so that their
counts differ by one at most, whatever the number of sequences. Values and places are dealt independently.

*Number task.* The path visits distinct places of the pre-target window and then one of the last `Task.window` places
of the target window; integers off the path are uniform over the valid steps. Letters of the target window differ.

*Letter task.* All sequences are proper and unambiguous. A letter that some pair names (as its right letter) has one
symbol, the condition of `theory.sequences.require_unambiguous`. Letters that no pair names, the query's left letter
among them, may have several, with numbers and with letters: they are the decoys. Pairs of the path stand once in the
pre-target window, all other places hold pairs off the path. So a guess among the pairs of the target window that some
pair names is right in two cases of five to a half, nearly alike in all hop classes; with one symbol for every letter,
and the path's pairs repeated, it would be in seven of ten at four hops, for the path uses up five letters of eight.
The share of the letters that are bound to numbers is drawn alike for all hop classes.

*Longer target windows* (dyn.length) put their further tokens first, so that the path and the last places stay what they
are in training, integers stay within the vocabulary, and the path never visits the further tokens. They are letters,
drawn with replacement, or letter-number pairs; never the answer's, so that more copies of it cannot help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.checks.trained.multihop.tasks import Ids, Sequences, Task, follow, task_of
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer

HOPS = (1, 2, 3, 4)
# The least number of letters bound to numbers and open to be named: the answer's and one to mistake it for.
LEAST_BOUND = 2


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
        if self.task.name == "letter" and self.most_bound < LEAST_BOUND:
            raise InputError(
                f"{max(hops)} hops with {self.task.letters} letters and {self.target} target tokens",
                f"take {max(hops) + LEAST_BOUND} letters and {LEAST_BOUND} tokens, or more",
            )

    @property
    def core(self) -> int:
        """The places that an answer may have, the last ones of the target window."""
        return min(self.target, self.task.window)

    @property
    def most_bound(self) -> int:
        """The most letters of the letter task that are bound to numbers and may be named."""
        return min(self.core, self.task.letters - max(self.hops))

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


def batch(
    task: Task | str,
    count: int,
    source: np.random.Generator,
    target: int = 8,
    before: int = 8,
    hops: Sequence[int] = HOPS,
) -> Sequences:
    """`count` balanced sequences of `target + before + 1` tokens with 1, 2, ... moves from the query to the answer.

    Raises InputError for windows and hops that the task does not have.
    """
    windows = Windows(task_of(task), target, before, tuple(hops))
    return draw(windows, labels(windows, require_integer(count, "the number of sequences", 1), source), source)


def deal(count: int, kinds: int, source: np.random.Generator) -> Ids:
    """`count` numbers below `kinds`, each of them equally often up to one, in blocks that are shuffled."""
    blocks = np.tile(np.arange(kinds), (-(-count // kinds), 1))
    return source.permuted(blocks, axis=1).ravel()[:count]


def labels(windows: Windows, count: int, source: np.random.Generator) -> Labels:
    """Balanced labels for `count` sequences."""
    classes = deal(count, len(windows.hops), source)
    values, places = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for number in range(len(windows.hops)):
        rows = np.flatnonzero(classes == number)
        values[rows] = deal(len(rows), len(windows.task.answers), source)
        places[rows] = deal(len(rows), windows.core, source)
    return Labels(np.array(windows.hops)[classes], values, places)


def draw(windows: Windows, wanted: Labels, source: np.random.Generator) -> Sequences:
    """Random sequences with the labels that are wanted."""
    task = windows.task
    tokens = (_numbers if task.name == "number" else _letters)(windows, wanted, source)
    answers = np.array(task.answers)[wanted.values]
    return Sequences(
        tokens, answers, wanted.hops, wanted.places + 1 + windows.target - windows.core, follow(task, tokens)
    )


def _numbers(windows: Windows, wanted: Labels, source: np.random.Generator) -> Ids:
    task, core, count = windows.task, windows.core, len(wanted.hops)
    others = source.random((count, task.letters - 1)).argsort(axis=1)[:, : core - 1]
    others += others >= wanted.values[:, None]
    # The answer's letter goes to its place, the others fill the places before and after it.
    pool, here, at = np.concatenate([wanted.values[:, None], others], axis=1), np.arange(core), wanted.places[:, None]
    letters = np.take_along_axis(pool, np.where(here == at, 0, here + (here < at)), axis=1)
    # From here on places count from 0: that is how many steps a place has before it.
    place = np.arange(core, core + windows.before + 1)
    visited = np.concatenate([_visited(windows, wanted, source), np.ones((count, 1), dtype=bool)], axis=1)
    # Where the path goes from a place: to the last visited one before it, or to the answer.
    latest = np.maximum.accumulate(np.where(visited, place, -1), axis=1)
    earlier = np.concatenate([np.full((count, 1), -1), latest[:, :-1]], axis=1)
    onward = place - np.maximum(earlier, wanted.places[:, None])
    free = source.integers(1, np.minimum(place, task.numbers) + 1, size=(count, len(place)))
    steps = np.where(visited, onward, free)
    further = source.integers(task.letters - 1, size=(count, windows.target - core))
    further += further >= wanted.values[:, None]
    return np.concatenate([further, letters, task.bound + steps - 1], axis=1)


def _letters(windows: Windows, wanted: Labels, source: np.random.Generator) -> Ids:
    """Letters are dealt roles. Role 0 is the answer's letter; roles below `bound` have a number each; then come those
    with a letter each: first the path's, from the answer to the query, then others; roles from `leaf` on are named by
    no pair, and the last role of all is the query's left letter."""
    task, core, hops = windows.task, windows.core, wanted.hops
    count, rows, roles = len(hops), np.arange(len(hops)), np.arange(task.letters)
    names = source.random((count, task.letters - 1)).argsort(axis=1)
    names += names >= (wanted.values // task.numbers)[:, None]
    names = np.concatenate([wanted.values[:, None] // task.numbers, names], axis=1)
    numbers = source.integers(task.numbers, size=(count, task.letters))
    numbers[:, 0] = wanted.values % task.numbers
    bound = source.integers(LEAST_BOUND, windows.most_bound + 1, size=count)
    leaf = source.integers(bound + hops - 1, task.letters, size=count)

    # The role that each role's pair names: the one before it on the path, any earlier one for the others.
    onward = source.integers(0, np.maximum(roles, 1), size=(count, task.letters))
    path = (roles >= bound[:, None]) & (roles < (bound + hops - 1)[:, None])
    onward = np.where(path, np.where(roles == bound[:, None], 0, roles - 1), onward)

    target = _target(windows, wanted, bound, leaf, source)
    far = _unvisited(bound, leaf, task.letters, windows.target - core, source)
    drawn = np.concatenate([far, target], axis=1)
    values = source.integers(task.numbers, size=drawn.shape)
    values = np.where(drawn < leaf[:, None], np.take_along_axis(numbers, drawn, axis=1), values)
    pairs = [task.bound + np.take_along_axis(names, drawn, axis=1) * task.numbers + values]

    # Place by place, for a pair may only name what stands before it.
    visited = _visited(windows, wanted, source)
    nth = np.cumsum(visited, axis=1) - 1
    present = roles < bound[:, None]
    keys = source.random((2, windows.before, count, task.letters))
    for place in range(windows.before):
        ready = np.take_along_axis(present, onward, axis=1) | (roles >= leaf[:, None])
        ready &= (roles >= bound[:, None]) & ~path
        free = np.where(ready, keys[0, place], -1).argmax(axis=1)
        left = np.where(visited[:, place], bound + nth[:, place], free)
        named = np.where(present, keys[1, place], -1).argmax(axis=1)
        right = np.where(left < leaf, onward[rows, left], named)
        pairs.append((names[rows, left] * task.letters + names[rows, right])[:, None])
        present[rows, left] |= left < leaf
    last = np.where(hops == 1, 0, bound + hops - 2)
    query = names[:, -1] * task.letters + names[rows, last]
    return np.concatenate([*pairs, query[:, None]], axis=1)


def _target(windows: Windows, wanted: Labels, bound: Ids, leaf: Ids, source: np.random.Generator) -> Ids:
    """Roles of the core: each bound one at a random place at least, the answer's at its own and never after it."""
    core, count = windows.core, len(bound)
    keys = source.random((count, core))
    keys[np.arange(count), wanted.places] = -1
    rank = keys.argsort(axis=1).argsort(axis=1)
    return np.where(rank < bound[:, None], rank, _unvisited(bound, leaf, windows.task.letters, core, source))


def _unvisited(bound: Ids, leaf: Ids, letters: int, places: int, source: np.random.Generator) -> Ids:
    """Random roles `(count, places)` for letter-number pairs that no path visits: other bound ones, and leaves."""
    others = bound - 1
    drawn = source.integers(0, (others + letters - leaf)[:, None], size=(len(bound), places))
    return np.where(drawn < others[:, None], 1 + drawn, leaf[:, None] + drawn - others[:, None])


def _visited(windows: Windows, wanted: Labels, source: np.random.Generator) -> Ids:
    """Which places of the pre-target window `(count, before)` the path visits: `hops - 1` of them, any as likely."""
    rank = source.random((len(wanted.hops), windows.before)).argsort(axis=1).argsort(axis=1)
    return rank < wanted.hops[:, None] - 1
