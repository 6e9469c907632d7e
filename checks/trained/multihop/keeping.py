"""What is measured of a run's checkpoints is kept in the cache, so that an interrupted measurement goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch

from headproof.checks.files import sha256_of
from headproof.checks.trained import kept
from headproof.checks.trained.multihop import checkpoints

# The code that measurements of runs go through.
CODE = ("checks/trained", "checks/trained/multihop", "theory", "theory/multihop", "theory/scores")


def tables(
    what: str, folder: Path, steps: Sequence[int], asked: Any, make: Callable[[], dict[str, pa.Table]]
) -> dict[str, pa.Table]:
    """The tables that `make` measures of a run's checkpoints after some steps, or the same as they were kept.

    They depend on these checkpoints' weights and lines of the log, on how many threads compute, and on `asked`, which
    JSON writes. Raises InputError as `checkpoints.run_of`, and for weights that are not there.
    """
    held = [sha256_of(checkpoints.weights_path(folder, step)) for step in steps]
    logged = (folder / checkpoints.LOG).exists()
    lines = [line for line in checkpoints.read_log(folder) if line["step"] in steps] if logged else []
    named = [checkpoints.run_of(folder).to_json(), list(steps), held, lines, torch.get_num_threads(), asked]
    return kept.tables(f"multihop-{what}", named, CODE, make)
