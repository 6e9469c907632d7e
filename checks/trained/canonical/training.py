"""Training of one batch of cells: Adam with a cosine decay of its rate, all at once, and their accuracy after it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from headproof.checks.trained.canonical.cells import Cell
from headproof.checks.trained.canonical.ensemble import Frame, Parameters, scores, start
from headproof.checks.trained.canonical.sampling import batches, held_out
from headproof.theory.errors import InputError

Array = np.ndarray[Any, Any]
# Test inputs for every place of the answer, and points of the loss curve that are kept.
EACH, POINTS = 64, 32
# Test inputs scored at once.
SLICE = 512


@dataclass(frozen=True, eq=False)
class Trained:
    """One trained toy: float32 `parameters` by name, `accuracy` and `untrained` `(T,)` by place of the answer (share of
    held-out inputs answered rightly, after and before training), `losses` `(points,)` in nats, means over equal
    stretches of the training."""

    cell: Cell
    parameters: Mapping[str, Array]
    accuracy: Array
    untrained: Array
    losses: Array

    @property
    def mean_accuracy(self) -> float:
        """Mean over the places."""
        return float(self.accuracy.mean())


def train(cells: Sequence[Cell], device: str = "cpu", progress: Callable[[int], None] | None = None) -> list[Trained]:
    """Train cells of one shape as one batch; `progress` is told the number of steps done.

    Cells of one seed see the same inputs. Raises InputError for cells of different shapes, a device that is not there,
    and a loss that is no number, naming the cell.
    """
    where = _device(device)
    frame = Frame.of(cells, where)
    parameters = start(cells, where)
    untrained = accuracies(parameters, frame, cells)
    leaves = {name: values.requires_grad_() for name, values in parameters.items()}
    steps, rate = cells[0].steps, cells[0].rate
    optimiser = torch.optim.Adam(leaves.values(), lr=rate, betas=(0.9, 0.99), fused=where.type == "cuda")
    streams, row = _streams(cells)
    chosen = torch.as_tensor(row, device=where)
    losses = torch.zeros(len(cells), POINTS, device=where)
    counts = np.bincount(np.arange(steps) * POINTS // steps, minlength=POINTS)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate * 0.5 * (1 + math.cos(math.pi * step / steps))
        held = [next(stream) for stream in streams]
        tokens, answers = (
            torch.as_tensor(np.stack([getattr(each, what) for each in held]), device=where)[chosen]
            for what in ("tokens", "answers")
        )
        found = scores(leaves, frame, tokens)
        loss = _losses(found, answers)
        optimiser.zero_grad(set_to_none=True)
        loss.sum().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        point = step * POINTS // steps
        losses[:, point] += loss.detach() / counts[point]
        if progress is not None and (step + 1) % 50 == 0:
            progress(step + 1)
    _require_numbers(losses, cells)
    trained = {name: values.detach() for name, values in leaves.items()}
    accuracy = accuracies(trained, frame, cells)
    kept = {name: values.cpu().numpy() for name, values in trained.items()}
    curves = losses.cpu().numpy()[:, counts > 0]
    return [
        Trained(cell, {name: values[at] for name, values in kept.items()}, accuracy[at], untrained[at], curves[at])
        for at, cell in enumerate(cells)
    ]


def accuracies(parameters: Parameters, frame: Frame, cells: Sequence[Cell]) -> Array:
    """Share of held-out inputs that are answered rightly, `(cell, T)` by place of the answer."""
    seeds = sorted({cell.seed for cell in cells})
    tests = [held_out(next(cell for cell in cells if cell.seed == seed), EACH) for seed in seeds]
    row = [seeds.index(cell.seed) for cell in cells]
    tokens, answers = (np.stack([getattr(test, what) for test in tests]) for what in ("tokens", "answers"))
    right = np.zeros((len(cells), tokens.shape[1]), dtype=bool)
    where = parameters["embedding"].device
    with torch.no_grad():
        for begin in range(0, tokens.shape[1], SLICE):
            part = slice(begin, begin + SLICE)
            found = scores(parameters, frame, torch.as_tensor(tokens[:, part][row], device=where))
            right[:, part] = found.argmax(-1).cpu().numpy() == answers[:, part][row]
    share: Array = right.reshape(len(cells), EACH, -1).mean(axis=1)
    return share


def _losses(found: Tensor, answers: Tensor) -> Tensor:
    """Mean cross-entropy of each cell in nats."""
    each = torch.nn.functional.cross_entropy(found.flatten(0, 1), answers.flatten(), reduction="none")
    return each.view(answers.shape).mean(1)


def _streams(cells: Sequence[Cell]) -> tuple[list[Any], list[int]]:
    """One stream of inputs for each kind that the cells need, and which of them each cell reads."""
    kinds = sorted({(cell.seed, cell.answers) for cell in cells})
    first = [next(cell for cell in cells if (cell.seed, cell.answers) == kind) for kind in kinds]
    return [batches(cell) for cell in first], [kinds.index((cell.seed, cell.answers)) for cell in cells]


def _require_numbers(losses: Tensor, cells: Sequence[Cell]) -> None:
    for cell, curve in zip(cells, losses.cpu(), strict=True):
        if not bool(torch.isfinite(curve).all()):
            raise InputError(f"the loss of {cell.name} became {float(curve[~torch.isfinite(curve)][0])}", "lower rate")


def _device(name: str) -> torch.device:
    from headproof.checks.trained.models import require_device

    if name != "cpu":
        require_device(name)
    return torch.device(name)
