"""The checks that need a GPU, as one table: `make gpu`. Without one it says so and ends well.

The same profile (48 facts, all heads and planes) on the CPU in float32 and on the GPU in float32 and bfloat16: how far
the scores are apart, what was moved from the GPU to the host, and how long each took. Exit status 1 if the float32
scores differ by more than 1e-4, the bfloat16 ones by more than 1e-2, or more than results was moved.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from headproof.checks.trained.binding import binding_prompts
from headproof.checks.trained.capture import capture, check_rows
from headproof.checks.trained.models import find_model, load_model
from headproof.checks.trained.scores.pieces import Piece, Settings, measure_capture

ALLOWED = {"float32": 1e-4, "bfloat16": 1e-2}
SETTINGS = Settings(("last",), (1e-4, 1e-2, float("inf")), surrogates=0)
TAG = {"group": "trained", "null_seed": -1}


@dataclass
class Moved(TorchDispatchMode):
    """Counts the bytes that leave a device for the host: copies, and single numbers."""

    bytes: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        source = next((arg for arg in args if isinstance(arg, torch.Tensor)), None)
        if source is not None and source.device.type != "cpu":
            if func is torch.ops.aten._local_scalar_dense.default:
                self.bytes += source.element_size()
            elif isinstance(result, torch.Tensor) and result.device.type == "cpu":
                self.bytes += result.numel() * result.element_size()
        return result


@dataclass(frozen=True)
class Run:
    """One profile: its columns, the seconds of its second run, bytes moved to the host, and those of its tables."""

    device: str
    dtype: str
    piece: Piece
    seconds: float
    moved: int

    @property
    def results(self) -> int:
        """Bytes of the numbers in its tables, in float64."""
        return sum(values.nbytes for part in (self.piece.heads, self.piece.planes) for values in part.values())


def run(device: str, dtype: str) -> Run:
    """Profile the default model on a device."""
    model = load_model(find_model(), device, dtype)
    prompt = binding_prompts(model, 48, "middle", 0)[0]
    for _ in range(2):  # the first one warms up
        _synchronise(device)
        started = perf_counter()
        with counting() as moved:
            captured = capture(model, prompt.tokens, rows=check_rows(len(prompt.tokens), [prompt.query]))
            piece = measure_capture(captured, prompt, SETTINGS, True, TAG)
        _synchronise(device)
    return Run(device, dtype, piece, perf_counter() - started, moved.bytes)


@contextmanager
def counting() -> Iterator[Moved]:
    """What the block moves to the host."""
    moved = Moved()
    with moved:
        yield moved


def _synchronise(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()


def apart(one: Piece, other: Piece) -> dict[str, tuple[float, float]]:
    """(largest, 99 % quantile) of the differences of each score, heads and planes, at each temperature."""
    found = {}
    for table in ("heads", "planes"):
        mine, theirs = getattr(one, table), getattr(other, table)
        for tau in SETTINGS.temperatures:
            at = mine["temperature"] == tau
            gaps = np.concatenate([np.abs(mine[name][at] - theirs[name][at]) for name in ("positional", "symbolic")])
            found[f"{table}, tau {tau:g}"] = float(gaps.max()), float(np.quantile(gaps, 0.99))
    return found


def main(device: str = "cuda") -> int:
    """Run all checks on a device; 0 if they pass, or if there is no such device."""
    if device == "cuda" and not torch.cuda.is_available():
        print("gpu checks skipped: this machine has no CUDA device")
        return 0
    if device == "cuda":
        print(torch.cuda.get_device_name(0))
    base = run("cpu", "float32")
    print(f"cpu float32: {base.seconds:.2f} s")
    failed = False
    for dtype, allowed in ALLOWED.items():
        found = run(device, dtype)
        print(f"{device} {dtype}: {found.seconds:.2f} s; moved {found.moved:,} bytes, results {found.results:,}")
        for what, (largest, most) in apart(base.piece, found.piece).items():
            good = largest <= allowed
            failed |= not good
            print(
                f"  {what:22} largest {largest:.1e}, 99 % {most:.1e}, allowed {allowed:g}: {'ok' if good else 'FAILED'}"
            )
        failed |= found.moved > 2 * found.results
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
