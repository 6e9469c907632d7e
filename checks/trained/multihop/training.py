"""Training of one run: AdamW on fresh sequences, the loss at the last token alone (dyn.learning).

Sequences are drawn from the seed and the step, and so is dropout: an interrupted run goes on from its latest checkpoint
to the weights of an uninterrupted one, on the CPU bit for bit. Training and held-out sequences come from streams that
differ; nothing compares them, for the tasks have so many sequences that two drawn alike would be a rare accident
(`datasets.dataset` makes splits that are disjoint by construction).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock, Timeout

from headproof.checks.trained.multihop import checkpoints
from headproof.checks.trained.multihop.data import batch
from headproof.checks.trained.multihop.model import accuracy, build, by_hops, config, last_logits
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tasks import NAMES, SIZES, Sequences
from headproof.theory.errors import InputError

Progress = Callable[[str, int, int], None]
BETAS, CLIP = (0.9, 0.98), 1.0
# Held-out sequences of each hop class that accuracy is taken on at every checkpoint.
EACH = 256
# Streams of one seed that must not meet.
TRAIN, TEST = range(2)
# AdamW's own state of a parameter.
MOMENTS = ("exp_avg", "exp_avg_sq", "step")
TOLD_EVERY = 20  # steps


def sequences(run: Run, step: int) -> Sequences:
    """The run's batch of step `step`, from 0."""
    return _drawn(run, run.batch, TRAIN, step)


def held_out(run: Run, each: int | None = None) -> Sequences:
    """`each` sequences (`EACH`) of every hop class from a stream that training does not use; the same for all seeds."""
    return _drawn(run, (each or EACH) * len(run.windows.hops), TEST, 0)


def train(run: Run, folder: str | Path, device: str = "cpu", progress: Progress | None = None) -> Path:
    """Train a run in its folder, or go on with it; returns the folder. `progress(what, done, total)` counts steps.

    Interrupted, the folder holds everything up to the latest checkpoint and the same call goes on from there. A
    complete run is left as it is. Raises InputError for the folder of another run, one in which another process trains,
    a device that is not there, damaged files, and a loss that is no number.
    """
    from headproof.checks.trained.models import require_device

    where, home = require_device(device), Path(folder).expanduser()
    checkpoints.open_folder(home, run)
    with _alone(home), torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
        if run.total not in checkpoints.kept_steps(home) or (home / checkpoints.LATEST).exists():
            _Training(run, home, where).finish(progress)
    return home


class _Training:
    """A run in progress: the model, its optimiser, the log, and how many steps are done."""

    def __init__(self, run: Run, folder: Path, where: torch.device) -> None:
        self.run, self.folder, self.where = run, folder, where
        self.model = build(config(run.vocabulary, run.size, run.dropout), run.seed).to(where).train()
        self.parameters: dict[str, Any] = dict(self.model.named_parameters())
        matrices = [value for value in self.parameters.values() if value.ndim > 1]
        vectors = [value for value in self.parameters.values() if value.ndim <= 1]
        groups = [{"params": matrices, "weight_decay": run.decay}, {"params": vectors, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=run.rate, betas=BETAS, fused=where.type == "cuda")
        self.test = held_out(run)
        self.log: list[dict[str, Any]] = []
        self.step, self.seconds = 0, 0.0
        self.losses: list[torch.Tensor] = []
        if (state := checkpoints.read_state(folder, run)) is not None:
            self._restore(*state)

    def finish(self, progress: Progress | None) -> None:
        """Take the steps that are left, and keep weights, log and state after those of the run's checkpoints."""
        self.seconds = time.perf_counter() - (self.log[-1]["seconds"] if self.log else 0.0)
        what = f"train {self.run.name}"
        if not self.log:
            self._keep()
        while self.step < self.run.total:
            self._advance()
            if self.step in self.run.kept:
                self._keep()
            if progress is not None and (self.step % TOLD_EVERY == 0 or self.step == self.run.total):
                progress(what, self.step, self.run.total)
        checkpoints.drop_state(self.folder)

    def _advance(self) -> None:
        held = sequences(self.run, self.step)
        for group in self.optimiser.param_groups:
            group["lr"] = self.run.rate_at(self.step)
        # Dropout of this step, whatever was drawn before it.
        torch.manual_seed(int(np.random.SeedSequence([self.run.seed, self.step]).generate_state(1)[0]))
        tokens, answers = (torch.as_tensor(array).to(self.where) for array in (held.tokens, held.answers))
        loss = torch.nn.functional.cross_entropy(last_logits(self.model, tokens), answers)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimiser.step()
        self.losses.append(loss.detach())
        self.step += 1

    def _keep(self) -> None:
        """Keep a checkpoint. The state comes last: until it stands, the run goes on from the one before."""
        loss = float(torch.stack(self.losses).mean()) if self.losses else None
        if loss is not None and not np.isfinite(loss):
            raise InputError(f"the loss of {self.run.name} became {loss} by step {self.step}", "lower the rate")
        hops = self.run.windows.hops
        right = accuracy(self.model, self.run.vocabulary, self.test)
        line = {
            "step": self.step,
            "loss": loss,
            "accuracy": dict(zip(map(str, hops), by_hops(right, self.test, hops), strict=True)),
            "rate": self.run.rate_at(self.step),
            "seconds": round(time.perf_counter() - self.seconds, 3),
        }
        self.log.append(line)
        self.losses = []
        if self.step in self.run.kept:
            checkpoints.keep_weights(self.folder, self.run, self.step, self.model)
        checkpoints.keep_log(self.folder, self.log)
        checkpoints.keep_state(self.folder, self.run, self.step, self._state())

    def _state(self) -> checkpoints.Tensors:
        tensors: checkpoints.Tensors = dict(self.parameters)
        for name, value in self.parameters.items():
            for moment, held in self.optimiser.state[value].items():
                tensors[f"{moment}/{name}"] = held
        return tensors

    def _restore(self, tensors: checkpoints.Tensors, step: int) -> None:
        path = self.folder / checkpoints.LATEST
        weights = {name: value for name, value in tensors.items() if "/" not in name}
        checkpoints.fill(self.model, weights, path)
        wanted = {f"{moment}/{name}" for moment in MOMENTS for name in weights} if step else set()
        if set(tensors) - set(weights) != wanted:
            raise InputError(f"{path} lacks moments of the optimiser", "delete it; the run then starts again")
        for name in weights if step else ():
            value = self.parameters[name]
            # On a CUDA device the fused optimiser counts its steps there.
            self.optimiser.state[value] = {moment: tensors[f"{moment}/{name}"].to(self.where) for moment in MOMENTS}
        self.log = [line for line in checkpoints.read_log(self.folder) if line["step"] <= step]
        self.step = step


def _drawn(run: Run, count: int, stream: int, step: int) -> Sequences:
    windows = run.windows
    # The test's stream leaves the seed out, so that runs of one kind are measured on the same sequences.
    seed = run.seed if stream == TRAIN else 0
    source = np.random.default_rng([seed, stream, NAMES.index(run.task), SIZES.index(run.size), step])
    return batch(run.vocabulary, count, source, windows.target, windows.before, windows.hops)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder, so that no other process trains in it meanwhile."""
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout as error:
        raise InputError(f"another process trains in {folder}", "wait for it, or give another folder") from error
