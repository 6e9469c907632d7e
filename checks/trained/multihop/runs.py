"""One training run: everything that its weights depend on, and nothing else (dyn.learning)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from headproof.checks.trained.multihop.model import POSITIONS, shape_of
from headproof.checks.trained.multihop.tasks import Task, task_of
from headproof.checks.trained.multihop.windows import Windows
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer

# How many checkpoints a run keeps by default; and the share of the steps that the log-spaced ones cover.
CHECKPOINTS, EARLY = 30, 0.25
MOST_STEPS, MOST_SEED = 10**7, 2**32 - 1


def spaced(steps: int, many: int = CHECKPOINTS) -> tuple[int, ...]:
    """About `many` steps at which to keep the weights: 0, log-spaced ones up to a quarter, evenly spaced ones after.

    >>> spaced(100, 8)
    (0, 1, 3, 9, 25, 50, 75, 100)
    """
    early = max(1, round(steps * EARLY))
    half = max(2, many // 2)
    start = np.geomspace(max(1, steps / 600), early, half)
    rest = np.linspace(early, steps, max(2, many - half))
    return (0, *sorted({round(float(step)) for step in (*start, *rest)}))


@dataclass(frozen=True)
class Run:
    """A run of `steps` steps of AdamW on fresh sequences. `rate` is the highest learning rate, reached after `warmup`
    steps and then brought to 0 along a cosine; `checkpoints` are the steps after which weights are kept.

    What is None is taken from the size, the steps among it, or from the steps (`spaced`; a warm-up of a twentieth).
    Raises InputError for unknown names, windows that the task does not have, and numbers out of range.
    """

    task: str
    size: str = "full"
    seed: int = 0
    steps: int | None = None
    batch: int = 64
    rate: float = 1e-3
    warmup: int | None = None
    dropout: float = 0.1
    decay: float = 0.01
    target: int | None = None
    before: int | None = None
    hops: tuple[int, ...] | None = None
    checkpoints: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        shape, _ = shape_of(self.size), self.vocabulary
        if self.steps is None:
            set_(self, "steps", shape.steps)
        for name, least in (("seed", 0), ("steps", 1), ("batch", 1)):
            set_(self, name, require_integer(getattr(self, name), name, least))
        if self.total > MOST_STEPS or self.seed > MOST_SEED:
            raise InputError(f"{self.steps} steps, seed {self.seed}", f"up to {MOST_STEPS} and {MOST_SEED}")
        given = {
            "warmup": self.total // 20,
            "target": shape.target,
            "before": shape.before,
            "hops": shape.hops,
            "checkpoints": spaced(self.total),
        }
        for name, default in given.items():
            if getattr(self, name) is None:
                set_(self, name, default)
        set_(self, "warmup", require_integer(self.warmup, "warmup", 0))
        windows = self.windows
        for name in ("target", "before", "hops"):
            set_(self, name, getattr(windows, name))
        if windows.length > POSITIONS:
            raise InputError(f"sequences of {windows.length} tokens", f"a model takes up to {POSITIONS}")
        steps = require_distinct(
            self.checkpoints, "the checkpoints", lambda value, what: require_integer(value, what, 0)
        )
        if max(steps) > self.total:
            raise InputError(f"a checkpoint after {max(steps)} of {self.total} steps", "take steps of the run")
        set_(self, "checkpoints", tuple(sorted({*steps, self.total})))
        set_(self, "rate", _below(self.rate, "rate", 1e3, zero=False))
        set_(self, "dropout", _below(self.dropout, "dropout", 1.0))
        set_(self, "decay", _below(self.decay, "decay", 1e3))

    @property
    def vocabulary(self) -> Task:
        """The task with its vocabulary."""
        return task_of(self.task, self.size)

    @property
    def total(self) -> int:
        """How many updates there are."""
        return self.steps or 0

    @property
    def windows(self) -> Windows:
        """The windows and hops of the run's sequences."""
        return Windows(self.vocabulary, self.target, self.before, self.hops)  # type: ignore[arg-type]

    @property
    def kept(self) -> tuple[int, ...]:
        """The steps after which weights are kept, in order; the last one among them."""
        return self.checkpoints or ()

    @property
    def name(self) -> str:
        """The run in a few words.

        >>> Run("letter", "small", seed=2).name
        'letter-small-s2'
        """
        return f"{self.task}-{self.size}-s{self.seed}"

    def rate_at(self, step: int) -> float:
        """The learning rate of the update after `step` steps."""
        warmup = int(self.warmup or 0)
        if step < warmup:
            return self.rate * (step + 1) / warmup
        return self.rate * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, self.total - warmup)))

    def to_json(self) -> dict[str, Any]:
        """The run as JSON holds it."""
        held: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return held

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Run:
        """A run from JSON. Raises InputError for what is no run, and as the class."""
        known = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping) or "task" not in data:
            raise InputError(f"not a run: {data!r:.60}", "a run has a task at least")
        if stray := sorted(set(data) - known):
            raise InputError(f"a run has no {stray[0]!r}", f"it has {', '.join(sorted(known))}")
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**given)


def _below(value: Any, name: str, most: float, zero: bool = True) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value < most or (value == 0 and not zero):
        raise InputError(f"{name} {value!r:.60}", f"give a number {'from' if zero else 'above'} 0 to {most:g}")
    return float(value)
