"""Running many claims: in worker processes, each with a time limit, resumable after an interruption."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path
from traceback import extract_tb
from typing import Any

import headproof
from headproof.checks.deciding import Record, decide_claim, decide_measurement, failed_record
from headproof.checks.engines import coq, kernel
from headproof.checks.files import cache_folder, write_atomic
from headproof.checks.places import Place, given
from headproof.checks.registry import Context, Measurement, Topic, claims, select, topic_points, topics
from headproof.checks.report import versions
from headproof.theory.claim import Kind, Tier
from headproof.theory.errors import InputError
from headproof.theory.formal import files_of, reason_outside

# Code, formal files, committed measurements and texts.
KEYED = (".py", ".v", ".toml", ".parquet", ".safetensors", ".txt")


@dataclass(frozen=True)
class Task:
    """A unit of work: one claim with a statement, or one measurement, which settles several claims.

    They are those of the installed topics or, with a place, of the topics there.
    """

    name: str
    claims: tuple[str, ...]
    measurement: bool
    place: Place | None = None


def tasks_for(chosen: list[str], place: Place | None = None) -> list[Task]:
    """The tasks that settle the chosen claims; measurements first, since they take longest."""
    brought = _topics(place)
    measured = [
        Task(each.name, each.claims, True, place)
        for topic in brought
        for each in topic.measurements
        if set(each.claims) & set(chosen)
    ]
    known = {claim.id: claim for topic in brought for claim in topic.claims}
    stated = [Task(claim, (claim,), False, place) for claim in chosen if known[claim].kind is not Kind.EMPIRICAL]
    return measured + stated


def _with_tier(chosen: list[str], context: Context) -> list[str]:
    """Those of the chosen claims of which something is known by a tier that the run asks for.

    Raises InputError where there is none.
    """
    if not context.tiers:
        return chosen
    brought = {check.claim for topic in topics() for check in topic.checks if context.asks_for(check.tier)}
    if context.asks_for(Tier.MEASURED):
        brought |= {claim for topic in topics() for each in topic.measurements for claim in each.claims}
    if not brought & set(chosen):
        out = reason_outside(chosen[0]) if context.asks_for(Tier.KERNEL) and len(chosen) == 1 else None
        why = f"; not stated in Coq: {out}" if out else ""
        tiers = " or ".join(context.tiers)
        raise InputError(f"no claim asked for has the tier {tiers}{why}", "headproof list shows tiers")
    return [claim for claim in chosen if claim in brought]


def _topics(place: Place | None) -> tuple[Topic, ...]:
    return topics() if place is None else given(place).topics


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
    chosen = _with_tier(select(names), context)
    tasks = tasks_for(chosen)
    _prepare(tasks, context, message)
    journal, code = cache_folder("runs") / _key(context), code_of_topics()
    times = _times(code)
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
        # An error or a time limit is not worth keeping: the next run tries again. Nor is what may have been found by
        # other code than the journal is named by.
        if not failed and _times(code) == times:
            write_atomic(journal / _file_name(task), json.dumps(records))
        finished(task, records, False)
    _forget(journal, tasks)
    by_claim = {record["id"]: record for records in results.values() for record in records}
    return [by_claim[claim] for claim in claims() if claim in chosen]


class Worker:
    """Settles one task after another in a process of its own, as `run` does; the process starts with the first.

    `threads` is its share of the cores. Call `stop` at the end.
    """

    def __init__(self, context: Context, limit: float, threads: int) -> None:
        self._context = context
        self._limit = limit
        self._threads = threads
        self._pool: Any = None

    def settle(self, task: Task, message: Callable[[str], None]) -> list[Record]:
        """The records of the task's claims; raises InputError where the task met one."""
        _prepare([task], self._context, message)
        if self._pool is None:
            self._pool = _pool(1, self._threads)
        future = self._pool.schedule(run_task, args=(task, self._context), timeout=self._limit)
        return _outcome(task, future, self._limit)[0]

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._pool is not None:
            self._pool.stop()
            self._pool.join()
            self._pool = None


def run_task(task: Task, context: Context) -> list[Record]:
    """Settle one task in this process."""
    topic = None if task.place is None else _owner(task)
    try:
        if not task.measurement:
            return [decide_claim(task.claims[0], context, topic)]
        (measurement,) = _measurements([task])
        return list(decide_measurement(measurement, context, topic).values())
    except Exception as error:
        error.add_note(_where(error))
        raise


def _owner(task: Task) -> Topic:
    (topic,) = (each for each in _topics(task.place) if set(task.claims) <= {claim.id for claim in each.claims})
    return topic


def _measurements(tasks: list[Task]) -> list[Measurement]:
    return [
        each
        for task in tasks
        if task.measurement
        for topic in _topics(task.place)
        for each in topic.measurements
        if (each.name, each.claims) == (task.name, task.claims)
    ]


def _where(error: Exception) -> str:
    """The innermost line that is neither headproof's nor a library's: where a check's author looks; "" for none."""
    libraries = [Path(headproof.__file__).parent, *(Path(get_path(name)) for name in ("stdlib", "purelib", "platlib"))]
    frames = [(Path(frame.filename), frame.lineno) for frame in extract_tb(error.__traceback__)]
    others = [each for each in frames if not any(each[0].is_relative_to(library) for library in libraries)]
    return f" ({others[-1][0].name}, line {others[-1][1]})" if others else ""


def _prepare(tasks: list[Task], context: Context, message: Callable[[str], None]) -> None:
    """What is done once, in the main process, before any task begins: by measurements, and for the proof kernel."""
    if coq.coqc() is not None and context.asks_for(Tier.KERNEL):
        asked = {claim for task in tasks for claim in task.claims}
        stated = [file for topic in topics() if _asks_kernel(topic, asked) for file in files_of(topic.name)]
        changed = [file for file in stated if not kernel.is_current(file)]
        if changed:
            message(f"compiling the formal files {', '.join(changed)}, which takes some minutes the first time")
            _examine(changed)
    for measurement in _measurements(tasks):
        if measurement.prepare is not None and not measurement.missing():
            measurement.prepare(context, message)


def _examine(changed: list[str]) -> None:
    """Have Coq compile and examine formal files, as many at a time as there are cores; each is a process of its own.

    A file that fails is told by the claims that it states.
    """
    with ThreadPoolExecutor(default_jobs()) as pool:
        for each in [pool.submit(kernel.results, file) for file in changed]:
            with suppress(InputError):
                each.result()


def _asks_kernel(topic: Topic, asked: set[str]) -> bool:
    return any(check.tier is Tier.KERNEL and check.claim in asked for check in topic.checks)


def _settle(tasks: list[Task], context: Context, jobs: int, limit: float) -> Iterator[tuple[Task, list[Record], bool]]:
    """Records of each task as it ends, and whether they only say that it failed."""
    if not tasks:
        return
    workers = min(jobs, len(tasks))
    with _pool(workers, max(1, default_jobs() // workers)) as pool:
        running: dict[Future[list[Record]], Task] = {
            pool.schedule(run_task, args=(task, context), timeout=limit): task for task in tasks
        }
        try:
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    task = running.pop(future)
                    yield task, *_outcome(task, future, limit)
        except BaseException:
            pool.stop()
            raise


def _pool(workers: int, threads: int) -> Any:
    """A pool of processes, each with so many threads."""
    from pebble import ProcessPool

    # Spawned, not forked: a fork of a process with threads (progress bar, BLAS, torch) can hang.
    spawned = multiprocessing.get_context("spawn")
    return ProcessPool(max_workers=workers, context=spawned, initializer=_share, initargs=(threads,))


def _outcome(task: Task, future: Future[list[Record]], limit: float) -> tuple[list[Record], bool]:
    """The task's records when it ends, and whether they only say that it failed."""
    from pebble import ProcessExpired

    try:
        return future.result(), False
    except FutureTimeout:
        return _failed(task, f"stopped after the limit of {limit:g} s a claim"), True
    except ProcessExpired as error:
        return _failed(task, f"the worker process died: {error}"), True
    except (InputError, CancelledError):
        raise
    except Exception as error:
        where = "".join(getattr(error, "__notes__", []))
        return _failed(task, f"{type(error).__name__}: {error}{where}"), True


def _share(threads: int) -> None:
    """In a worker, before torch is loaded: no more threads than its share of the cores, unless the user says how many.

    Threads that wait for a core spin, and take it from the other workers.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))


def _failed(task: Task, reason: str) -> list[Record]:
    known = {claim.id: claim for topic in _topics(task.place) for claim in topic.claims}
    return [failed_record(known[claim], reason) for claim in task.claims]


# -- the journal of a run ------------------------------------------------------------------------------------------


def _key(context: Context) -> str:
    """Names everything that a record depends on: the settings, the model's file, versions, and every file of ours."""
    digest = hashlib.sha256(json.dumps([asdict(context), versions(), coq.coqc()], sort_keys=True).encode())
    if context.model is not None and Path(context.model).is_file():
        stat = Path(context.model).stat()
        digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())
    for topic in topics():
        digest.update(topic.name.encode())
    for source in code_of_topics():
        digest.update(source.read_bytes())
    return digest.hexdigest()[:24]


def _times(code: Iterable[Path]) -> list[int]:
    """When each file was last written; 0 for one that is gone."""
    return [path.stat().st_mtime_ns if path.is_file() else 0 for path in code]


def code_of_topics() -> list[Path]:
    """Every file of headproof, and of the packages that bring topics, on which a record can depend.

    Folders of a checkout are links, which `Path.rglob` does not follow.
    """
    packages = {"headproof", *(point.module.split(".")[0] for point in topic_points())}
    found = set()
    for name in packages:
        spec = find_spec(name)
        folders = [] if spec is None else list(spec.submodule_search_locations or [])
        if spec is not None and not folders and spec.origin is not None:
            found.add(Path(spec.origin))
        for folder in folders:
            for at, _, names in os.walk(folder, followlinks=True):
                found |= {Path(at, each).resolve() for each in names if each.endswith(KEYED)}
    return sorted(found)


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
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1))
