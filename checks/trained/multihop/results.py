"""Where runs are kept, and the tables of trained ones together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from headproof.checks.files import cache_folder
from headproof.checks.trained.multihop.dynamics import ANSWERED, LOOKED_AT, dynamics
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
    and the last one. The metadata are the first run's. Raises InputError as `dynamics` and `mechanism`."""
    parts = [
        {
            **dynamics(folder, None, device, progress, looked_at, answered),
            **mechanism(folder, None, device, progress, looked_at, answered),
        }
        for folder in folders
    ]
    return {name: pa.concat_tables([part[name] for part in parts]) for name in parts[0]}
