"""Where the batches of a sweep are trained: in this process, in processes of this machine, or on a Dask cluster.

All three are a `concurrent.futures.Executor`. A batch goes out as JSON and comes back as the bytes of safetensors
files, so workers need no folder in common with the sweep.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from headproof.checks.trained.canonical.cells import Cell
from headproof.theory.errors import InputError

PROCESSES, HERE, DASK = "processes", "here", "dask="


def train_batch(cells: Sequence[dict[str, Any]], device: str, threads: int) -> list[bytes]:
    """Train one batch of cells, given as JSON holds them; the toys as bytes, in the same order."""
    from headproof.checks.trained.canonical.store import packed
    from headproof.checks.trained.canonical.training import train
    from headproof.checks.trained.threads import threads as computing_with

    with computing_with(threads):
        return [packed(trained) for trained in train([Cell.from_json(cell) for cell in cells], device)]


class Here(Executor):
    """Runs each call when it is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The finished future of a call; an interruption is not caught."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def require_executor(spec: str) -> None:
    """Raise InputError for a name that is none of an executor."""
    if spec not in (PROCESSES, HERE) and (not spec.startswith(DASK) or spec == DASK):
        raise InputError(f"unknown executor {spec!r}", f"use {PROCESSES}, {HERE} or {DASK}ADDRESS")


@contextmanager
def executor(spec: str, workers: int) -> Iterator[Executor]:
    """The executor of a name: "processes", "here" or "dask=ADDRESS". What is still running when the block is left by an
    error is not waited for. Raises InputError for another name, and for a cluster that does not answer."""
    if spec == HERE or (spec == PROCESSES and workers == 1):
        yield Here()
        return
    if spec == PROCESSES:
        pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
        try:
            yield pool
        except BaseException:
            _stop(pool)
            raise
        pool.shutdown()
        return
    require_executor(spec)
    with _cluster(spec.removeprefix(DASK)) as client:
        yield client.get_executor()


def default_workers(device: str) -> int:
    """One process a core; one in all on a GPU, which a single batch fills."""
    return 1 if device != "cpu" else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2


def _stop(pool: ProcessPoolExecutor) -> None:
    """End a pool now: its batches would run on for minutes."""
    running = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in running:
        process.terminate()


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError("dask.distributed is not installed", "pip install 'headproof[sweeps]'") from error
    try:
        client: Any = Client(address, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address!r}: {error}", "give its address, host:port") from error
    with client:
        yield client
