"""What is right in the multihop tasks without following the path: levels below which nothing has been learned of it.

A rule gives each candidate a score from what is seen of it at once, and guesses among the best. Its accuracy is the
mean chance of the guess, so no draw is in it. Rules named after the query look one move ahead, for they solve one hop.
A model at the level of a rule need not use it; one above all of them has learned more than these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headproof.checks.trained.multihop.tasks import Ids, Sequences, Task, task_of

Accuracy = Mapping[int, float]
Scores = np.ndarray[Any, Any]
# Above every score.
FIRST = 1e6


def baselines(task: Task | str, sequences: Sequences) -> dict[str, Accuracy]:
    """The accuracy of each rule by hops; at 0, of all sequences together."""
    known = task_of(task)
    chances = (_number if known.name == "number" else _letter)(known, sequences)
    order = np.unique(sequences.hops).tolist()
    return {
        name: {0: float(chance.mean()), **{hops: float(chance[sequences.hops == hops].mean()) for hops in order}}
        for name, chance in chances.items()
    }


def _chance(scores: Scores, candidates: Ids, answers: Ids) -> Scores:
    """How likely a guess among the best candidates `(count, choices)` is the answer."""
    held = np.where(candidates, scores, -np.inf)
    best = held == held.max(axis=1, keepdims=True)
    chance: Scores = best[np.arange(len(answers)), answers] / best.sum(axis=1)
    return chance


def _number(task: Task, sequences: Sequences) -> dict[str, Scores]:
    ids, answers = sequences.tokens, sequences.places - 1
    count, n = ids.shape
    letters, places = ids < task.bound, np.arange(n)
    aims = places - (ids - task.bound + 1)
    aims = np.where(letters | (aims < 0), n, aims)  # n: at nothing

    def pointed(by: Ids) -> Scores:
        """How often each place is pointed to by the places that are given."""
        found = np.zeros((count, n + 1))
        np.add.at(found, (np.arange(count)[:, None], aims), by)
        return found[:, :n]

    everywhere = pointed(np.ones_like(ids))
    through = pointed((everywhere > 0) | (places == n - 1))
    own = FIRST * (places == aims[:, -1:])
    return {
        "any letter": _chance(np.zeros((count, n)), letters, answers),
        "the letter pointed to most": _chance(everywhere, letters, answers),
        "the query's own target, else the letter pointed to most": _chance(everywhere + own, letters, answers),
        "the letter pointed to most by integers that are pointed to": _chance(through, letters, answers),
    }


def _letter(task: Task, sequences: Sequences) -> dict[str, Scores]:
    ids = sequences.tokens
    count, rows = len(ids), np.arange(len(ids))[:, None]
    answers = (sequences.answers - task.bound) // task.numbers
    bound = ids >= task.bound
    symbols = np.zeros((count, task.size + 1))
    np.add.at(symbols, (rows, ids), 1.0)
    copies = symbols[:, task.bound : task.size]
    carried = copies.reshape(count, task.letters, task.numbers).sum(axis=2)
    # names[:, a, b]: a pair before the query says that a names b.
    links = np.zeros((count, task.size + 1), dtype=bool)
    np.put_along_axis(links, np.where(bound, task.size, ids)[:, :-1], True, axis=1)
    names: Ids = links[:, : task.bound].reshape(count, task.letters, task.letters)
    query: Ids = np.arange(task.letters) == (ids[:, -1:] % task.letters)

    def named_by(left: Ids) -> Ids:
        """The letters that are named by the letters that are given."""
        found: Ids = np.logical_or.reduce(names & left[:, :, None], axis=1)
        return found

    everyone = np.ones((count, task.letters), dtype=bool)
    named: Ids = named_by(everyone) | query
    through = 1.0 * (named_by(named) | query)
    chain: Ids = named_by(everyone)
    depth = np.zeros((count, task.letters))
    for _ in range(task.letters):
        depth += chain
        chain = named_by(chain)
    candidates, even = named & (carried > 0), np.zeros((count, task.letters))

    def among(scores: Scores) -> Scores:
        return _chance(scores, candidates, answers)

    rules: dict[str, Callable[[], Scores]] = {
        "any pair of the window": lambda: copies[rows[:, 0], sequences.answers - task.bound] / bound.sum(axis=1),
        "any named pair": lambda: among(even),
        "the named pair with fewest copies": lambda: among(-carried),
        "a pair named by a named letter or the query": lambda: among(through),
        "of those the one with fewest copies": lambda: among(FIRST * through - carried),
        "the query's own letter, else any named pair": lambda: among(1.0 * query),
        "the pair at the end of the longest chain of names": lambda: among(depth),
        "the query's own letter, else the end of the longest chain of names": lambda: among(FIRST * query + depth),
        "the rarest pair of the window": lambda: _chance(-copies, copies > 0, sequences.answers - task.bound),
    }
    return {name: rule() for name, rule in rules.items()}
