"""Where runs are kept, and the tables of trained ones together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from headproof.checks.files import cache_folder
from headproof.checks.trained.multihop import checkpoints, keeping
from headproof.checks.trained.multihop.dynamics import ANSWERED, LOOKED_AT, dynamics, together
from headproof.checks.trained.multihop.mechanism import mechanism
from headproof.checks.trained.multihop.runs import Run


def folder_of(run: Run, device: str) -> Path:
    """Where a run is kept if no folder is named: in the cache."""
    text = json.dumps([run.to_json(), device], sort_keys=True)
    return cache_folder("multihop") / f"{run.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def measured(
    folders: Sequence[Path],
    device: str = "cpu",
    progress: Callable[[str, int, int], None] = lambda *_: None,
    looked_at: int = LOOKED_AT,
    answered: int = ANSWERED,
) -> dict[str, pa.Table]:
    """The tables of all runs, one below the other: accuracy and heads at every checkpoint, the mechanism at the first
    and the last one. The metadata are the first run's. What is measured of a checkpoint is kept in the cache, so that
    an interrupted measurement goes on. Raises InputError as `dynamics` and `mechanism`."""
    parts = [_of_run(folder, device, progress, looked_at, answered) for folder in folders]
    return {name: pa.concat_tables([part[name] for part in parts]) for name in parts[0]}


def _of_run(
    folder: Path, device: str, progress: Callable[[str, int, int], None], looked_at: int, answered: int
) -> dict[str, pa.Table]:
    run, steps = checkpoints.run_of(folder), checkpoints.kept_steps(folder)
    asked = (device, looked_at, answered)
    seen = []
    for done, step in enumerate(steps):
        progress(f"measure {run.name}", done, len(steps))
        make = partial(dynamics, folder, (step,), device, looked_at=looked_at, answered=answered)
        seen.append(keeping.tables("dynamics", folder, (step,), asked, make))
    progress(f"measure {run.name}", len(steps), len(steps))
    ends = sorted({*steps[:1], *steps[-1:]})
    make = partial(mechanism, folder, ends, device, progress, looked_at, answered)
    return together(seen) | keeping.tables("mechanism", folder, ends, asked, make)
