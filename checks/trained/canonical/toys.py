"""Trained toys as the house's own transformers, so that tables, bounds and scores are the same functions of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from headproof.checks.trained.canonical.cells import Cell, plane_angles
from headproof.checks.trained.canonical.ensemble import start
from headproof.checks.trained.canonical.training import Trained
from headproof.constructions.heads import Head
from headproof.constructions.rope import RopeConfig
from headproof.constructions.transformers import Transformer


def layer_of(trained: Trained) -> Transformer:
    """The toy as a transformer, its float32 weights in float64.

    The vocabulary is the task's and, after it, answers that are no tokens (attributes), which are written and not read.
    Only answers have an unembedding; other tokens score 0, and the toy's answer is the best of the answers.
    """
    return layer(trained.cell, trained.parameters)


def initial_layer(cell: Cell) -> Transformer:
    """The toy before training: the null of random weights."""
    drawn = start([cell], torch.device("cpu"))
    return layer(cell, {name: values[0].numpy() for name, values in drawn.items()})


def layer(cell: Cell, parameters: Mapping[str, np.ndarray[Any, Any]]) -> Transformer:
    """The transformer of a cell with these parameters, by the names of `ensemble.NAMES`."""
    task = cell.vocabulary_task
    held = {name: np.asarray(values, dtype=np.float64) for name, values in parameters.items()}
    rope = RopeConfig(tuple(float(angle) for angle in plane_angles(cell)), "half")
    scale = 1 / float(np.sqrt(2 * cell.planes))
    head = Head(held["w_q"], held["w_k"], held["w_v"], rope, scale, "residual")
    vocabulary = (*task.vocabulary, *(answer for answer in task.answers if answer not in task.vocabulary))
    embedding, unembedding = np.zeros((len(vocabulary), cell.width)), np.zeros((len(vocabulary), cell.width))
    embedding[: len(task.vocabulary)] = held["embedding"]
    unembedding[[vocabulary.index(answer) for answer in task.answers]] = held["unembedding"]
    return Transformer(vocabulary, embedding, head, unembedding)
