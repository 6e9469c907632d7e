"""Sequences of the letter task changed in one respect: controls for what a model's answers depend on (dyn.length)."""

from __future__ import annotations

import numpy as np

from headproof.checks.trained.multihop.tasks import Ids, Sequences, Task, labelled, task_of
from headproof.theory.errors import InputError

MOST_MORE = 3


def recopied(task: Task | str, sequences: Sequences, source: np.random.Generator) -> tuple[Ids, Sequences]:
    """The sequences with 1 to 3 more copies of the answer's pair before its place, and which rows they are.

    Copies take the places of pairs of letters that nobody names. Path, answer and place stay. A row without such a
    place before the answer's is left out. Raises InputError for the number task.
    """
    known = _letter_task(task)
    ids, rows = sequences.tokens, np.arange(len(sequences))
    left = np.where(ids < known.bound, ids // known.letters, (ids - known.bound) // known.numbers)
    named = np.zeros((len(ids), known.letters + 1), dtype=bool)
    np.put_along_axis(named, np.where(ids < known.bound, ids % known.letters, known.letters), True, axis=1)
    room = (ids >= known.bound) & ~np.take_along_axis(named, left, axis=1)
    room &= np.arange(ids.shape[1]) < (sequences.places - 1)[:, None]
    many = np.minimum(room.sum(axis=1), source.integers(1, MOST_MORE + 1, size=len(ids)))
    rank = np.where(room, source.random(ids.shape), 2.0).argsort(axis=1).argsort(axis=1)
    tokens = np.where(rank < many[:, None], sequences.answers[:, None], ids)
    kept = rows[many > 0]
    return kept, labelled(known, tokens[kept])


def redirected(task: Task | str, sequences: Sequences) -> Sequences:
    """The same sequences with a query that names another letter, and the answer that it has then, another one.

    Of the letters that lead to another answer it is one that some pair names, where there is one, and whose number of
    hops is nearest to what it was. Raises InputError for the number task, and for a row without such a letter.
    """
    known = _letter_task(task)
    ids, letters = sequences.tokens, known.letters
    left = np.where(ids < known.bound, ids // letters, (ids - known.bound) // known.numbers)
    # The symbol of each letter: a letter with none, or with several, cannot be named.
    mine = left[:, :, None] == np.arange(letters)
    low = np.where(mine, ids[:, :, None], known.size).min(axis=1)
    symbol = np.where(low == np.where(mine, ids[:, :, None], -1).max(axis=1), low, -1)
    hops, end = np.ones_like(symbol), symbol
    for _ in range(letters):
        onward = np.take_along_axis(symbol, np.where(end >= 0, end, 0) % letters, axis=1)
        moves = (end >= 0) & (end < known.bound)
        hops, end = hops + moves, np.where(moves, onward, end)
    named = np.zeros((len(ids), letters + 1), dtype=bool)
    before = np.where(ids < known.bound, ids % letters, letters)[:, :-1]
    np.put_along_axis(named, before, True, axis=1)
    other = (end >= known.bound) & (end != sequences.answers[:, None]) & (np.arange(letters) != left[:, -1:])
    if (none := np.flatnonzero(~other.any(axis=1))).size:
        raise InputError(f"sequence {int(none[0])} has one answer, whatever letter is named", "leave it out")
    cost = abs(hops - sequences.hops[:, None]) + 2 * letters * ~named[:, :letters]
    chosen = np.where(other, cost, 9 * letters).argmin(axis=1)
    tokens = ids.copy()
    tokens[:, -1] = left[:, -1] * letters + chosen
    return labelled(known, tokens)


def far(task: Task | str, sequences: Sequences, target: int, core: int) -> Sequences:
    """The same sequences with the last `core` tokens of their target window, where the answer is, moved to its front.

    `target` is the window's length. In the letter task path and answer stay what they are, and the answer stands far
    from the query. Raises InputError for the number task, whose steps count places, and windows that are none.
    """
    known, ids = _letter_task(task), sequences.tokens
    if not 1 <= core <= target < ids.shape[1]:
        raise InputError(f"{core} of {target} target tokens", f"sequences of {ids.shape[1]} tokens have fewer")
    return labelled(known, np.concatenate([np.roll(ids[:, :target], core, axis=1), ids[:, target:]], axis=1))


def _letter_task(task: Task | str) -> Task:
    known = task_of(task)
    if known.name != "letter":
        raise InputError("the number task has no pairs", "take sequences of the letter task")
    return known
