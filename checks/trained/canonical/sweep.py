"""A sweep: a grid of cells (angles x seeds x lengths, a task at a time), its rounds, and how they are run.

Round one trains every cell of the grid. A cell that fails (mean accuracy below `SOLVED`) is trained again at four times
the steps, at its own width and at twice that, before it counts as a failure. Beside the grid stand its null cells,
whose answers are dealt out at random.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, as_completed
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from headproof.checks.trained.canonical import executors
from headproof.checks.trained.canonical.cells import AND, ATTRIBUTES, TASKS, Cell, grouped, parsed
from headproof.checks.trained.canonical.store import Store
from headproof.checks.trained.canonical.training import Trained
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

SOLVED = 0.99
AGAIN, WIDER = 4, 2
# A batch's cells on a CPU: more bring nothing, and fewer batches of finished cells are lost in an interruption.
MOST = {"cpu": 30}
MOST_ON_GPU = 4096
MOST_CELLS = 100_000
Angles = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Sweep:
    """A grid. `angles[task]` are the angle sets of a task; `seeds` and `lengths` apply to all; `null_seeds` are the
    seeds of the null cells. `again` is whether failing cells get their second round.

    Raises InputError for an unknown task, an empty axis, too many cells, and whatever a cell refuses.
    """

    angles: Mapping[str, Angles]
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    lengths: tuple[int, ...] = (32,)
    null_seeds: tuple[int, ...] = ()
    again: bool = True
    symbols: int | None = None
    attributes: int = ATTRIBUTES
    planes: int = 8
    width: int = 32
    steps: int = 2000
    batch: int = 128
    rate: float = 0.01

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.angles) - set(TASKS)):
            raise InputError(f"unknown task {unknown[0]!r}", f"known: {', '.join(TASKS)}")
        axes = {"angles": self.angles, **{f"angles.{task}": sets for task, sets in self.angles.items()}}
        for name, axis in {**axes, "seeds": self.seeds, "lengths": self.lengths}.items():
            if not axis:
                raise InputError(f"a sweep without cells: {name} is empty", "give tasks with angles, seeds and lengths")
        size = sum(map(len, self.angles.values())) * len(self.lengths) * (len(self.seeds) + len(self.null_seeds))
        if size > MOST_CELLS:
            raise InputError(f"a sweep of {size} cells", f"up to {MOST_CELLS} are allowed")
        sets = {task: tuple(_normal(each) for each in sets) for task, sets in self.angles.items()}
        object.__setattr__(self, "angles", sets)
        for name, values in (("seeds", self.seeds), ("null_seeds", self.null_seeds), ("lengths", self.lengths)):
            for value in values:
                require_integer(value, f"each of {name}", 0)
            _once(values, name)
        for task, each in sets.items():
            _once([tuple(sorted(one)) for one in each], f"the angles of {task}")
        self.cells()

    def cells(self) -> list[Cell]:
        """The cells of the first round, null cells last."""
        return [self._cell(*at, "true") for at in self._grid(self.seeds)] + [
            self._cell(*at, "shuffled") for at in self._grid(self.null_seeds)
        ]

    def _grid(self, seeds: Sequence[int]) -> list[tuple[str, int, int, tuple[str, ...]]]:
        return [
            (task, length, seed, angles)
            for task, sets in self.angles.items()
            for length in self.lengths
            for seed in seeds
            for angles in sets
        ]

    def _cell(self, task: str, length: int, seed: int, angles: tuple[str, ...], answers: str) -> Cell:
        sizes = (self.symbols, self.attributes, self.planes, self.width, self.steps, self.batch, self.rate)
        return Cell(task, angles, seed, length, *sizes, answers)

    def round_of(self, cell: Cell) -> int:
        """1 for a cell of the grid, 2 for one that was trained longer, 3 for one that was made wider, too."""
        return 1 if cell.steps == self.steps else 2 if cell.width == self.width else 3

    def description(self) -> dict[str, Any]:
        """The sweep as JSON holds it."""
        held = asdict(self)
        held["angles"] = {task: [list(each) for each in sets] for task, sets in self.angles.items()}
        return {**held, **{name: list(held[name]) for name in ("seeds", "lengths", "null_seeds")}}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Sweep:
        """A sweep from the data of a TOML or JSON file; angles are text, numbers, or lists of these (a set)."""
        known = {field.name for field in fields(cls)}
        if stray := sorted(set(data) - known):
            raise InputError(f"a sweep has no entry {stray[0]!r}", f"it has {', '.join(sorted(known))}")
        held: dict[str, Any] = dict(data)
        angles = held.get("angles")
        if not isinstance(angles, Mapping) or not all(isinstance(sets, list) for sets in angles.values()):
            raise InputError(f"angles {angles!r:.60}", 'write [angles] and below it, such as index = ["1", "2/5 pi"]')
        held["angles"] = {
            task: tuple(tuple(map(str, each)) if isinstance(each, list) else (str(each),) for each in sets)
            for task, sets in angles.items()
        }
        for name in ("seeds", "null_seeds"):
            if isinstance(held.get(name), int) and not isinstance(held[name], bool):
                held[name] = list(first_seeds(held[name], name))
        for name in ("seeds", "null_seeds", "lengths"):
            if name in held:
                if not isinstance(held[name], list):
                    raise InputError(f"{name} = {held[name]!r:.60}", "give a list of whole numbers")
                held[name] = tuple(held[name])
        if not isinstance(held.get("again", True), bool):
            raise InputError(f"again = {held['again']!r:.60}", "give true or false")
        return cls(**held)

    @classmethod
    def read(cls, path: Path) -> Sweep:
        """A sweep from a TOML file. Raises InputError for a file that cannot be read, and as the class."""
        try:
            return cls.of(tomllib.loads(path.read_text("utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"cannot read the sweep {path}: {error}", "give a TOML file") from error


def _normal(angles: Any) -> tuple[str, ...]:
    """An angle set with its angles as the house writes them."""
    if not isinstance(angles, (tuple, list)):
        raise InputError(f"angles {angles!r:.60}", "a set of angles is a tuple")
    return tuple(str(parsed(angle)) for angle in angles)


def _once(values: Sequence[Any], what: str) -> None:
    """Refuse an entry that stands twice."""
    for value, count in Counter(values).items():
        if count > 1:
            shown = AND.join(value) if isinstance(value, tuple) else value
            raise InputError(f"{what} have {shown} twice", "give each once")


def first_seeds(count: int, what: str) -> range:
    """The seeds 0 to `count - 1`; InputError for more than any sweep may have."""
    if count > MOST_CELLS:
        raise InputError(f"{what} {count}", f"a sweep has up to {MOST_CELLS} cells")
    return range(count)


def second_round(trained: Sequence[Trained]) -> list[Cell]:
    """The cells that failing ones are trained again as: four times the steps, at their width and at twice it."""
    failed = [each.cell for each in trained if each.cell.answers == "true" and each.mean_accuracy < SOLVED]
    longer = [replace(cell, steps=AGAIN * cell.steps) for cell in failed]
    return longer + [replace(cell, width=WIDER * cell.width, planes=WIDER * cell.planes) for cell in longer]


@dataclass(frozen=True)
class Place:
    """Where a sweep is trained: device, executor, and how many batches at once."""

    device: str = "cpu"
    executor: str = executors.PROCESSES
    workers: int = 0


def run(
    sweep: Sweep, store: Store, place: Place = Place(), progress: Callable[[str, int, int], None] = lambda *_: None
) -> list[Trained]:
    """Train what is not finished, keep each batch as it ends, and return all cells, those of the second round last.

    `progress` is told the cells done of each round. Raises InputError as `train`, and for a cluster or device that is
    not there.
    """
    first = sweep.cells()
    _train(first, store, place, "training", progress)
    trained = [store.read(cell) for cell in first]
    if sweep.again:
        again = second_round(trained)
        _train(again, store, place, "training failed cells again", progress)
        trained += [store.read(cell) for cell in again]
    return trained


def _train(
    cells: Sequence[Cell], store: Store, place: Place, what: str, progress: Callable[[str, int, int], None]
) -> None:
    left = store.missing(cells)
    done = len(cells) - len(left)
    progress(what, done, len(cells))
    if not left:
        return
    workers = place.workers or executors.default_workers(place.device)
    most = MOST.get(place.device, MOST_ON_GPU)
    # The longest first, so that no worker is left alone with one at the end.
    order = sorted(grouped(left, most), key=lambda batch: -cost(batch))
    remote = place.executor.startswith(executors.DASK)
    threads = 0 if remote or workers == 1 else 1
    with executors.executor(place.executor, workers) as pool:
        futures = {}
        for batch in order:
            future = pool.submit(executors.train_batch, [cell.to_json() for cell in batch], place.device, threads)
            if future.done():  # trained here, at once: kept before the next one begins
                done += _keep(_result(future), batch, store)
                progress(what, done, len(cells))
            else:
                futures[future] = batch
        for future in as_completed(futures):
            done += _keep(_result(future), futures[future], store)
            progress(what, done, len(cells))


def _result(future: Future[list[bytes]]) -> list[bytes]:
    """A batch's toys. InputError where the worker died, of too little memory as a rule."""
    try:
        return future.result()
    except BrokenExecutor as error:
        raise InputError(
            f"a worker died while it trained: {error}", "take fewer --workers; finished toys are kept"
        ) from error


def _keep(packed: list[bytes], batch: Sequence[Cell], store: Store) -> int:
    for data, cell in zip(packed, batch, strict=True):
        store.keep(data, cell)
    return len(batch)


def cost(batch: Sequence[Cell]) -> float:
    """What a batch costs, about: logits read and table entries made in all steps."""
    one = batch[0]
    tokens = len(one.vocabulary_task.vocabulary)
    return len(batch) * one.steps * (one.batch * one.length + tokens * one.letters * one.planes / 8)
