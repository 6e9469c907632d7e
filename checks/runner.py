"""Running many claims: in worker processes, each with a time limit, resumable after an interruption."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import asdict, dataclass
from pathlib import Path

import headproof
from headproof.checks.deciding import Record, decide_claim, decide_measurement, failed_record
from headproof.checks.files import cache_folder, write_atomic
from headproof.checks.registry import Context, Measurement, claims, select, topics
from headproof.theory.claim import Kind
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Task:
    """A unit of work: one claim with a statement, or one measurement, which settles several claims."""

    name: str
    claims: tuple[str, ...]
    measurement: bool


def tasks_for(chosen: list[str]) -> list[Task]:
    """The tasks that settle the chosen claims; measurements first, since they take longest."""
    known = claims()
    measured = [
        Task(each.name, each.claims, True)
        for topic in topics()
        for each in topic.measurements
        if set(each.claims) & set(chosen)
    ]
    stated = [Task(claim, (claim,), False) for claim in chosen if known[claim].kind is not Kind.EMPIRICAL]
    return measured + stated


def run(
    names: list[str],
    context: Context,
    jobs: int,
    limit: float,
    resume: bool = True,
    on_done: Callable[[Task, int, int, bool], None] | None = None,
    message: Callable[[str], None] = print,
) -> list[Record]:
    """Decide the named claims and return their records in the order of the registry.

    Every finished task is kept until the whole run has finished; a run with the same settings and the same code
    takes them up again, unless `resume` is false. `on_done(task, done, total, resumed)` is told of each,
    `message` of what is done once before the tasks start.
    `limit` seconds are given to each claim; one that takes longer is stopped and its record says so.

    Raises InputError for an unknown claim, and whatever InputError a task met (no such model, no such device).
    """
    chosen = select(names)
    tasks = tasks_for(chosen)
    for measurement in _measurements(tasks):
        if measurement.prepare is not None and not measurement.missing():
            measurement.prepare(context, message)
    journal = cache_folder("runs") / _key(context)
    results: dict[str, list[Record]] = {}

    def finished(task: Task, records: list[Record], resumed: bool) -> None:
        results[task.name] = records
        if on_done is not None:
            on_done(task, len(results), len(tasks), resumed)

    waiting = []
    for task in tasks:
        kept = _kept(journal, task) if resume else None
        if kept is None:
            waiting.append(task)
        else:
            finished(task, kept, True)
    for task, records, failed in _settle(waiting, context, jobs, limit):
        if not failed:  # an error or a time limit is not worth keeping: the next run tries again
            write_atomic(journal / _file_name(task), json.dumps(records))
        finished(task, records, False)
    _forget(journal, tasks)
    by_claim = {record["id"]: record for records in results.values() for record in records}
    return [by_claim[claim] for claim in claims() if claim in chosen]


def run_task(task: Task, context: Context) -> list[Record]:
    """Settle one task in this process."""
    if not task.measurement:
        return [decide_claim(task.claims[0], context)]
    (measurement,) = _measurements([task])
    return list(decide_measurement(measurement, context).values())


def _measurements(tasks: list[Task]) -> list[Measurement]:
    named = {task.name for task in tasks if task.measurement}
    return [each for topic in topics() for each in topic.measurements if each.name in named]


def _settle(tasks: list[Task], context: Context, jobs: int, limit: float) -> Iterator[tuple[Task, list[Record], bool]]:
    """Records of each task as it ends, and whether they only say that it failed."""
    if not tasks:
        return
    from pebble import ProcessExpired, ProcessPool

    # Spawned, not forked: a fork of a process with threads (progress bar, BLAS, torch) can hang.
    workers = min(jobs, len(tasks))
    threads = max(1, default_jobs() // workers)
    spawned = multiprocessing.get_context("spawn")
    with ProcessPool(max_workers=workers, context=spawned, initializer=_share, initargs=(threads,)) as pool:
        running: dict[Future[list[Record]], Task] = {
            pool.schedule(run_task, args=(task, context), timeout=limit): task for task in tasks
        }
        try:
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    task = running.pop(future)
                    try:
                        yield task, future.result(), False
                    except FutureTimeout:
                        yield task, _failed(task, f"stopped after the limit of {limit:g} s a claim"), True
                    except ProcessExpired as error:
                        yield task, _failed(task, f"the worker process died: {error}"), True
                    except (InputError, CancelledError):
                        raise
                    except Exception as error:
                        yield task, _failed(task, f"{type(error).__name__}: {error}"), True
        except BaseException:
            pool.stop()
            raise


def _share(threads: int) -> None:
    """In a worker, before torch is loaded: no more threads than its share of the cores, unless the user says how many.

    Threads that wait for a core spin, and take it from the other workers.
    """
    import os

    os.environ.setdefault("OMP_NUM_THREADS", str(threads))


def _failed(task: Task, reason: str) -> list[Record]:
    return [failed_record(claims()[claim], reason) for claim in task.claims]


# -- the journal of a run ------------------------------------------------------------------------------------------


def _key(context: Context) -> str:
    """Names everything that a record depends on: the settings, the model's file and every line of code."""
    digest = hashlib.sha256(json.dumps(asdict(context), sort_keys=True).encode())
    if context.model is not None and Path(context.model).is_file():
        stat = Path(context.model).stat()
        digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())
    for topic in topics():
        digest.update(topic.name.encode())
    for source in sorted(Path(headproof.__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:24]


def _file_name(task: Task) -> str:
    return f"{'measured' if task.measurement else 'claim'} {task.name}.json".replace(" ", "-")


def _kept(journal: Path, task: Task) -> list[Record] | None:
    try:
        records: list[Record] = json.loads((journal / _file_name(task)).read_text("utf-8"))
    except (OSError, json.JSONDecodeError):
        return None
    return records if {record["id"] for record in records} == set(task.claims) else None


def _forget(journal: Path, tasks: list[Task]) -> None:
    for task in tasks:
        (journal / _file_name(task)).unlink(missing_ok=True)
    if journal.is_dir() and not any(journal.iterdir()):
        journal.rmdir()


def default_jobs() -> int:
    """As many workers as this process may use cores."""
    import os

    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1))
