"""Inputs of the three tasks in batches: token ids, seeded, balanced over the answer's place.

Ids follow the task's vocabulary (`constructions.tasks`), the query token stands last, and places count from 1. Place by
place the answers come round in turn: over any `T` consecutive inputs each of the `T` key places is asked for once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.checks.trained.canonical.cells import TASKS, Cell

Ids = np.ndarray[Any, Any]
# Inputs drawn at once; batches are cut from them.
BLOCK = 64
# Streams of one seed that must not meet: training, the test, shuffling, initial weights.
TRAIN, TEST, SHUFFLE, START = range(4)


@dataclass(frozen=True, eq=False)
class Inputs:
    """`tokens` `(count, n)` are ids, `answers` `(count,)` places in `Task.answers`, `places` `(count,)` from 1."""

    tokens: Ids
    answers: Ids
    places: Ids


def generator(cell: Cell, stream: int) -> np.random.Generator:
    """The source of a cell's inputs. It depends on task, sizes and seed alone: cells that differ in their angles, width
    or number of steps see the same inputs in the same order."""
    return np.random.default_rng(
        [cell.seed, stream, TASKS.index(cell.task), cell.length, cell.letters, cell.attributes]
    )


def draw(cell: Cell, count: int, source: np.random.Generator, first: int = 0) -> Inputs:
    """`count` inputs; the answer of input `i` stands at place `(first + i) mod T + 1`."""
    places = (first + np.arange(count)) % cell.keys
    rows = np.arange(count)
    if cell.task == "index":
        symbols = source.integers(cell.letters, size=(count, cell.keys))
        queries = cell.letters + places
        answers, data = symbols[rows, places], symbols
    else:
        symbols = _distinct(cell, count, source) if cell.task == "retrieval" else _repeating(cell, places, source)
        bound = source.integers(cell.attributes, size=(count, cell.keys))
        data = symbols * cell.attributes + bound
        queries = cell.letters * cell.attributes + symbols[rows, places]
        answers = bound[rows, places]
    return Inputs(np.concatenate([data, queries[:, None]], axis=1), answers, places + 1)


def _distinct(cell: Cell, count: int, source: np.random.Generator) -> Ids:
    """Symbols in random order, no two alike."""
    return source.random((count, cell.letters)).argsort(axis=1)[:, : cell.keys]


def _repeating(cell: Cell, places: Ids, source: np.random.Generator) -> Ids:
    """Any symbols, but after the target only other ones than its own: the target is the last of its symbol."""
    count = len(places)
    symbols = source.integers(cell.letters, size=(count, cell.keys))
    target = symbols[np.arange(count), places][:, None]
    others = source.integers(cell.letters - 1, size=(count, cell.keys))
    others += others >= target
    return np.where(np.arange(cell.keys) > places[:, None], others, symbols)


def batches(cell: Cell) -> Iterator[Inputs]:
    """The cell's training inputs, `steps` batches of `batch`; a shuffled cell's answers are dealt out at random."""
    source, deal = generator(cell, TRAIN), generator(cell, SHUFFLE)
    for start in range(0, cell.steps, BLOCK):
        count = min(BLOCK, cell.steps - start)
        # Whole blocks are drawn, whatever is used of the last: what a batch holds does not depend on how many follow.
        held = draw(cell, BLOCK * cell.batch, source, start * cell.batch)
        for cut in range(count):
            part = slice(cut * cell.batch, (cut + 1) * cell.batch)
            answers = held.answers[part]
            if cell.answers == "shuffled":
                answers = deal.permutation(answers)
            yield Inputs(held.tokens[part], answers, held.places[part])


def held_out(cell: Cell, each: int) -> Inputs:
    """`each` inputs for every place of the answer, from a stream that training never sees; true answers always."""
    return draw(cell, each * cell.keys, generator(cell, TEST))
