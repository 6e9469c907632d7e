"""The two multihop tasks as token ids: vocabularies, labelled sequences, and the solver that audits them (dyn.tasks).

Ids of the number task: the letters, then the integers from 1. Ids of the letter task: the letter-letter pairs, then the
letter-number pairs, each by left half and then by right half. Places count from 1, and hops are moves from the last
token, as `theory.sequences` counts them: the query's own move is one of them. The source's printed example leaves that
one out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from headproof.theory.errors import InputError
from headproof.theory.inputs import PairToken, Token, require_integer
from headproof.theory.sequences import (
    letter_path,
    number_path,
    require_proper,
    require_unambiguous,
    require_valid_index,
)

Ids = np.ndarray[Any, Any]
NAMES = ("number", "letter")
SIZES = ("full", "small")


@dataclass(frozen=True)
class Task:
    """A task and its vocabulary: `letters` letters a1, a2, ... and the integers 1 .. `numbers`.

    `window` is how many places an answer may have, counted from the end of the target window; a longer target window
    has its further tokens before them. Raises InputError for an unknown name and for sizes out of range.
    """

    name: str
    letters: int
    numbers: int
    window: int

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise InputError(f"unknown task {self.name!r:.60}", f"known: {', '.join(NAMES)}")
        for name, least in (("letters", 2), ("numbers", 1), ("window", 1)):
            object.__setattr__(self, name, require_integer(getattr(self, name), name, least))
        if self.name == "number" and self.letters < self.window:
            raise InputError(f"{self.letters} letters for {self.window} places", "they are distinct: take more letters")

    @property
    def bound(self) -> int:
        """The id of the first letter-number pair of the letter task, of the first integer of the number task."""
        return self.letters if self.name == "number" else self.letters**2

    @property
    def size(self) -> int:
        """The number of ids."""
        return self.bound + (self.numbers if self.name == "number" else self.letters * self.numbers)

    @property
    def answers(self) -> range:
        """The ids that answer: letters, or letter-number pairs."""
        return range(self.letters) if self.name == "number" else range(self.bound, self.size)

    @property
    def vocabulary(self) -> tuple[Token, ...]:
        """The tokens by id.

        >>> Task("number", letters=2, numbers=2, window=1).vocabulary
        ('a1', 'a2', 1, 2)
        >>> Task("letter", letters=2, numbers=1, window=1).vocabulary[2:]
        (('a2', 'a1'), ('a2', 'a2'), ('a1', 1), ('a2', 1))
        """
        names = [f"a{number}" for number in range(1, self.letters + 1)]
        values = range(1, self.numbers + 1)
        if self.name == "number":
            return (*names, *values)
        pairs: list[PairToken] = [(left, right) for left in names for right in names]
        return (*pairs, *((left, value) for left in names for value in values))


# The source's vocabularies (136 and 128 ids), and small ones for laptops.
KNOWN = {
    ("number", "full"): Task("number", letters=120, numbers=16, window=8),
    ("letter", "full"): Task("letter", letters=8, numbers=8, window=8),
    ("number", "small"): Task("number", letters=16, numbers=12, window=6),
    ("letter", "small"): Task("letter", letters=6, numbers=6, window=6),
}


def task_of(task: Task | str, size: str = "full") -> Task:
    """The task of a name, "number" or "letter", in a size, "full" (the source's) or "small"; a task stays itself.

    Raises InputError for an unknown name or size.
    """
    if isinstance(task, Task):
        return task
    if task not in NAMES:
        raise InputError(f"unknown task {task!r:.60}", f"known: {', '.join(NAMES)}")
    if size not in SIZES:
        raise InputError(f"unknown size {size!r:.60}", f"known: {', '.join(SIZES)}")
    return KNOWN[task, size]


@dataclass(frozen=True, eq=False)
class Sequences:
    """Labelled sequences of one length: `tokens` `(count, n)`, `answers` `(count,)` ids, `hops` `(count,)`, `places`
    `(count,)` of the answers, and `paths` `(count, most hops + 1)`, the places visited from the last token to the
    answer, -1 after it. All int64. Raises InputError for arrays that do not fit together.
    """

    tokens: Ids
    answers: Ids
    hops: Ids
    places: Ids
    paths: Ids

    def __post_init__(self) -> None:
        for field in fields(self):
            array = np.asarray(getattr(self, field.name))
            wanted = 2 if field.name in ("tokens", "paths") else 1
            if array.dtype.kind not in "iu" or array.ndim != wanted or len(array) != len(self.tokens):
                raise InputError(
                    f"{field.name} of {array.dtype} and shape {array.shape}",
                    f"give integers with {wanted} axes, a row for each of {len(self.tokens)} sequences",
                )
            object.__setattr__(self, field.name, array.astype(np.int64, copy=False))

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, rows: Any) -> Sequences:
        """The sequences of a slice, of an array of indices or of a mask."""
        return Sequences(*(getattr(self, field.name)[rows] for field in fields(self)))


def decode(task: Task | str, tokens: Any) -> list[tuple[Token, ...]]:
    """Rows of ids `(count, n)` as the sequences of `theory.sequences`: letters and integers, or pairs.

    Raises InputError for ids that the task does not have.
    """
    known = task_of(task)
    ids = _rows(known, tokens)
    vocabulary = known.vocabulary
    return [tuple(vocabulary[entry] for entry in row) for row in ids.tolist()]


def follow(task: Task | str, tokens: Any) -> Ids:
    """The places `(count, most moves + 1)` that each row's path visits, -1 after its answer; all rows at once.

    Places of the letter task are those of `theory.sequences.letter_path`: the latest one whose left letter is named.
    Raises InputError for unknown ids, and for a path that leaves the sequence, finds no pair or does not end.
    """
    known = task_of(task)
    ids = _rows(known, tokens)
    count, n = ids.shape
    rows = np.arange(count)
    left = np.where(ids < known.bound, ids // known.letters, (ids - known.bound) // known.numbers)
    here, running = np.full(count, n), np.ones(count, dtype=bool)
    path = [here]
    while True:
        held = ids[rows, here - 1]
        running = running & ((held < known.bound) == (known.name == "letter"))
        if not running.any():
            return np.stack(path, axis=1)
        if known.name == "number":
            there = here - (held - known.bound + 1)
        else:
            named = (left == (held % known.letters)[:, None]) & (np.arange(1, n + 1) <= here[:, None])
            there = np.where(named.any(axis=1), n - named[:, ::-1].argmax(axis=1), 0)
        if (wrong := np.flatnonzero(running & ((there < 1) | (there == here)))).size:
            row = int(wrong[0])
            raise InputError(f"the path of sequence {row} ends at place {here[row]}, before an answer")
        path.append(np.where(running, there, -1))
        here = np.where(running, there, here)


def labelled(task: Task | str, tokens: Any) -> Sequences:
    """Sequences with the labels that their tokens have. Raises InputError as `follow`."""
    if not len(tokens):
        ids, empty = np.asarray(tokens, dtype=np.int64), np.empty(0, dtype=np.int64)
        return Sequences(ids, empty, empty, empty, np.empty((0, 1), dtype=np.int64))
    ids, paths = np.asarray(tokens), follow(task, tokens)
    hops, rows = (paths >= 0).sum(axis=1) - 1, np.arange(len(ids))
    places = paths[rows, hops]
    return Sequences(ids, ids[rows, places - 1], hops, places, paths)


def check(task: Task | str, sequences: Sequences) -> None:
    """Solve every row with `theory.sequences` and compare its labels; returns if all agree.

    Number sequences must be valid for Index, letter sequences proper and unambiguous. Raises InputError naming the
    first row that is not, or the first wrong label.
    """
    known = task_of(task)
    vocabulary = known.vocabulary
    for row, tokens in enumerate(decode(known, sequences.tokens)):
        try:
            if known.name == "number":
                path = number_path(require_valid_index(tokens))
            else:
                path = letter_path(require_unambiguous(require_proper(tokens)))
        except InputError as error:
            raise InputError(f"sequence {row}: {error}") from error
        answer = int(sequences.answers[row])
        found = {
            "hops": (int(sequences.hops[row]), len(path) - 1),
            "place": (int(sequences.places[row]), path[-1]),
            "answer": (vocabulary[answer] if 0 <= answer < known.size else answer, tokens[path[-1] - 1]),
            "path": (tuple(int(place) for place in sequences.paths[row] if place != -1), path),
        }
        for label, (given, solved) in found.items():
            if given != solved:
                raise InputError(f"sequence {row}: its {label} is {solved!r}, labelled {given!r}")


def _rows(task: Task, tokens: Any) -> Ids:
    ids = np.asarray(tokens)
    if ids.ndim != 2 or ids.shape[1] < 1 or ids.dtype.kind not in "iu":
        raise InputError(f"tokens of {ids.dtype} and shape {ids.shape}", "give integer ids in rows, (count, n)")
    if (wrong := ids[(ids < 0) | (ids >= task.size)]).size:
        raise InputError(f"no token {int(wrong[0])}", f"the {task.name} task has the ids 0 .. {task.size - 1}")
    return ids.astype(np.int64, copy=False)
