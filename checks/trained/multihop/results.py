"""The tables of trained runs, together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from headproof.checks.trained.multihop.dynamics import ANSWERED, LOOKED_AT, dynamics
from headproof.checks.trained.multihop.mechanism import mechanism


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
