"""Toys as one batch: the parameters of many cells stacked on a leading axis, and the scores of all of them at once.

Each cell's scores depend on its own parameters and inputs alone, so the sum of all losses trains every cell as it would
train by itself, up to rounding.

A step costs little because the logits of a toy are few: the logit of token `v`, `t` places before the query `u`, is

    L(u, v, t) = sum over angles g of  cos(theta_g t) A_g(u, v) + sin(theta_g t) B_g(u, v),
    A_g = sum over the planes f of angle g of  q1 k1 + q2 k2,      B_g = sum of  q1 k2 - q2 k1,

since `k^T R_t q = (q1 c - q2 s) k1 + (q1 s + q2 c) k2` in each plane. `A` and `B` are tables over the vocabulary, and
the logits of an input are read off them; no query or key is ever rotated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from headproof.checks.trained.canonical.cells import Cell, dealt, shape_of
from headproof.checks.trained.canonical.sampling import START
from headproof.theory.errors import InputError

NAMES = ("embedding", "w_q", "w_k", "w_v", "unembedding")
# Standard deviation of initial embeddings. Small, so that keys and queries are learned and not picked from chance: at
# 1, Retrieval stays at 0.8 to 0.9 even without rotation, some symbols for ever confused.
SPREAD = 0.2
Parameters = dict[str, Tensor]


@dataclass(frozen=True, eq=False)
class Frame:
    """What the cells of one batch have in common, and their rotations.

    `data` is the number of tokens before the query tokens in the vocabulary; `cos`, `sin` `(cell, group, n)` at the
    distances `n - 1, ..., 0`; `mask` `(cell, group, planes)` says which planes turn by the angle of a group.
    """

    data: int
    tokens: int
    cos: Tensor
    sin: Tensor
    mask: Tensor
    scale: float

    @classmethod
    def of(cls, cells: Sequence[Cell], device: torch.device, dtype: torch.dtype = torch.float32) -> Frame:
        """The frame of cells that train in one batch; InputError for cells of different shapes."""
        if len({shape_of(cell) for cell in cells}) != 1:
            raise InputError(f"{len(cells)} cells of different shapes", "cells of one task and size train in one batch")
        one = cells[0]
        task = one.vocabulary_task
        data = sum(answer is not None for answer in task.carried)
        groups = max(len(cell.angles) for cell in cells)
        angles, mask = np.zeros((len(cells), groups)), np.zeros((len(cells), groups, one.planes))
        for place, cell in enumerate(cells):
            for group, angle in enumerate(cell.radians):
                angles[place, group] = angle
                mask[place, group] = dealt(cell) == group
        phases = angles[..., None] * np.arange(one.length - 1, -1, -1)
        cos, sin, shared = (
            torch.as_tensor(values, dtype=dtype, device=device) for values in (np.cos(phases), np.sin(phases), mask)
        )
        return cls(data, len(task.vocabulary), cos, sin, shared, 1 / math.sqrt(2 * one.planes))


def shapes(cell: Cell) -> dict[str, tuple[int, int]]:
    """The shapes of a cell's parameters by name, embeddings a row a token and answers a row each."""
    task, width = cell.vocabulary_task, cell.width
    return {
        "embedding": (len(task.vocabulary), width),
        "w_q": (2 * cell.planes, width),
        "w_k": (2 * cell.planes, width),
        "w_v": (width, width),
        "unembedding": (len(task.answers), width),
    }


def start(cells: Sequence[Cell], device: torch.device) -> Parameters:
    """Initial parameters, float32, a cell a row: independent normal entries, of standard deviation SPREAD for
    embeddings and of variance one over the number of inputs for matrices. A draw depends on seed and sizes, not on the
    angles.
    """
    drawn: dict[str, list[np.ndarray]] = {name: [] for name in NAMES}
    for cell in cells:
        source = np.random.default_rng(
            [cell.seed, START, cell.width, cell.planes, len(cell.vocabulary_task.vocabulary)]
        )
        for name, shape in shapes(cell).items():
            spread = SPREAD if name == "embedding" else 1 / math.sqrt(cell.width)
            drawn[name].append(spread * source.standard_normal(shape))
    return {name: torch.as_tensor(np.stack(rows), dtype=torch.float32, device=device) for name, rows in drawn.items()}


def scores(parameters: Mapping[str, Tensor], frame: Frame, tokens: Tensor) -> Tensor:
    """The scores of all answers at the query, `(cell, batch, answer)`, for token ids `(cell, batch, n)`."""
    cells, batch, n = tokens.shape
    embedding = parameters["embedding"]
    queries = embedding[:, frame.data :] @ parameters["w_q"].mT * frame.scale
    keys = embedding @ parameters["w_k"].mT
    tables = _tables(queries, keys, frame)
    asked = tokens[..., -1:] - frame.data
    where = (asked * frame.tokens + tokens).view(cells, 1, batch * n)
    read = tables.gather(2, where.expand(-1, tables.shape[1], -1)).view(cells, 2, -1, batch, n)
    logits = (read[:, 0] * frame.cos[:, :, None] + read[:, 1] * frame.sin[:, :, None]).sum(1)
    weights = logits.softmax(-1)
    # What each token adds to each answer: its value, unembedded.
    unembedded = parameters["unembedding"].mT
    carried = embedding @ parameters["w_v"].mT @ unembedded
    attended = _weighed(weights, carried, tokens)
    residual = embedding[:, frame.data :] @ unembedded
    own = residual.gather(1, asked.expand(-1, -1, residual.shape[-1]))
    return attended + own


def _tables(queries: Tensor, keys: Tensor, frame: Frame) -> Tensor:
    """`A` and `B` of every query token and token, `(cell, 2 groups, queries * tokens)`."""
    planes = frame.mask.shape[-1]
    first, second = queries[..., :planes], queries[..., planes:]
    mask = frame.mask[:, :, None]  # (cell, group, 1, planes)
    same = torch.cat([first[:, None] * mask, second[:, None] * mask], -1)
    crossed = torch.cat([-second[:, None] * mask, first[:, None] * mask], -1)
    both = torch.stack([same, crossed], 1)  # (cell, 2, group, query, coordinate)
    return (both.flatten(1, 3) @ keys.mT).view(len(keys), 2 * mask.shape[1], -1)


def _weighed(weights: Tensor, carried: Tensor, tokens: Tensor) -> Tensor:
    """The weighted sum of what the tokens carry. With few tokens by adding up each token's weight first."""
    cells, batch, n = tokens.shape
    if carried.shape[1] <= 2 * n:
        counted = torch.zeros(cells, batch, carried.shape[1], dtype=weights.dtype, device=weights.device)
        return counted.scatter_add(2, tokens, weights) @ carried
    answers = carried.shape[-1]
    flat = (tokens + torch.arange(cells, device=tokens.device)[:, None, None] * carried.shape[1]).view(-1)
    rows = torch.nn.functional.embedding(flat, carried.reshape(-1, answers)).view(cells, batch, n, answers)
    return (weights[..., None, :] @ rows)[..., 0, :]
