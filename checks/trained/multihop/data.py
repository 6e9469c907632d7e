"""Random sequences of the two multihop tasks: seeded, balanced, many at once (dyn.tasks).

A sequence is a target window, a pre-target window and the query. Hop classes have equal parts, and within each class
the answer's value and its place do: values, places and classes are dealt in turn from shuffled blocks, so that their
counts differ by one at most, whatever the number of sequences. Values and places are dealt independently.

*Number task.* The path visits distinct places of the pre-target window and then one of the last `Task.window` places
of the target window; integers off the path are uniform over the valid steps. Letters of the target window differ.

*Letter task* (`letters`). All sequences are proper and unambiguous. Two chains of names end at letter-number pairs,
and the query enters one of them at the depth that is wanted; what stands before the query tells neither which chain it
is nor at which depth. Pairs of the path have copies as others do; the place of the answer is that of its last copy.

*Longer target windows* (dyn.length) put their further tokens first, so that the path and the last places stay what they
are in training, integers stay within the vocabulary, and the path never visits the further tokens. They are letters,
drawn with replacement, or pairs of letters that nobody names. They are never the answer's, so that more copies of it
cannot help; so the answer is among the rarest tokens of a long window, in the letter task one of two such pairs
(`controls.recopied` gives it more copies, and `controls.redirected` asks for another answer in the same window).

*What is right without following the path* (`baselines`, 17 tokens; by hops 1, 2, 3, 4). Accuracy at these levels is not
yet a path learned, and a curve of a hop class is to be read against its own level.

* number: any letter of the window .125; the letter pointed to most .37 (.35, .36, .38, .40); the query's own target,
  else the letter pointed to most, .54 (1, .36, .38, .40); the letter pointed to most by integers that are pointed to
  .64 (.53, .59, .67, .76). The last level rises with the hops: a long path leaves fewer places free.
* letter: any pair of the window .20; any pair that is named .50, in every class, and no more by copies, by how its
  names are named, or by all of these together; the query's own letter, else any named pair, .63 (1, .50, .50, .50).
  The end of the longest chain of names is right in .50 of all, but by class in .27, .27, .47 and 1: four hops need
  five of the eight letters, and no other chain can be as long. With the query's own letter before it, where that has a
  number, .68 (1, .27, .45, 1), and in longer windows .75 (1, 0, 1, 1). This takes as many moves as the path does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headproof.checks.trained.multihop.letters import letter_tokens
from headproof.checks.trained.multihop.tasks import Ids, Sequences, Task, follow, task_of
from headproof.checks.trained.multihop.windows import HOPS, Labels, Windows
from headproof.theory.inputs import require_integer


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
    tokens = (_numbers if task.name == "number" else letter_tokens)(windows, wanted, source)
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


def _visited(windows: Windows, wanted: Labels, source: np.random.Generator) -> Ids:
    """Which places of the pre-target window `(count, before)` the path visits: `hops - 1` of them, any as likely."""
    rank = source.random((len(wanted.hops), windows.before)).argsort(axis=1).argsort(axis=1)
    return rank < wanted.hops[:, None] - 1
