"""Training a sweep's cells as one batch against training them one after another, in one run."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from headproof.checks.trained.canonical.cells import Cell  # noqa: E402
from headproof.checks.trained.canonical.executors import default_workers, executor, train_batch  # noqa: E402
from headproof.checks.trained.canonical.grids import QUICK  # noqa: E402
from headproof.checks.trained.canonical.sweep import MOST, MOST_ON_GPU, grouped  # noqa: E402

STEPS = 40
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]


def _cells() -> list[Cell]:
    """The quick sweep with few steps: what a step costs does not depend on how many there are."""
    return [Cell.from_json({**cell.to_json(), "steps": STEPS}) for cell in QUICK.cells()]


def _one_after_another(cells: list[Cell], device: str) -> None:
    """Each cell alone, with all threads, as a plain loop over a grid would."""
    for cell in cells:
        train_batch([cell.to_json()], device, 0)


def _at_once(cells: list[Cell], device: str, pool: Any, workers: int) -> None:
    most = MOST.get(device, MOST_ON_GPU)
    batches = [[cell.to_json() for cell in batch] for batch in grouped(cells, most)]
    futures = [pool.submit(train_batch, batch, device, 1 if workers > 1 else 0) for batch in batches]
    for future in futures:
        future.result()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("how", ["one after another", "as a sweep"])
def test_cells_a_second(benchmark: Any, how: str, device: str) -> None:
    """The ratio of the two medians is the gain; processes are started before the clock runs."""
    cells, workers = _cells(), default_workers(device)
    with executor("processes", workers) as pool:
        if how == "as a sweep":
            warm = [pool.submit(train_batch, [cells[0].to_json()], device, 1) for _ in range(2 * workers)]
            for future in warm:
                future.result()
            benchmark.pedantic(_at_once, (cells, device, pool, workers), rounds=2)
        else:
            benchmark.pedantic(_one_after_another, (cells, device), rounds=1)
    benchmark.extra_info["cells"] = len(cells)
