"""Cells of a sweep: everything that the training of one toy depends on, and nothing else.

A toy is a one-layer, one-head, attention-only transformer: learned embeddings of `width` coordinates, a head of
`planes` rotary planes to each of which one of the chosen angles is dealt, a residual stream and an unembedding; the
loss is read at the last token. The angles are written as the house writes them ("2/5 pi", "1/10"), so that they are
exact.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from headproof.constructions.tasks import Task, index_task, partial_induction_task, retrieval_task
from headproof.theory.angles import Angle
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

TASKS = ("index", "retrieval", "induction")
ANSWERS = ("true", "shuffled")
# What each task's alphabets are by default: Retrieval binds each symbol once, so it needs one for every key.
SYMBOLS = {"index": 8, "retrieval": None, "induction": 8}
ATTRIBUTES = 4
AND = "&"  # between the angles of a set: "+" is in angles, "," between sets
MOST_LENGTH, MOST_LETTERS, MOST_RATE = 512, 4096, 1e30


@dataclass(frozen=True)
class Cell:
    """One toy to train. `length` counts the query; `answers` "shuffled" deals each batch's answers out at random, the
    control that has nothing to learn.

    Raises InputError for an unknown task, angles that cannot be read or shared out evenly among the planes, a length
    that the alphabet does not allow, and numbers out of range.
    """

    task: str
    angles: tuple[str, ...]
    seed: int = 0
    length: int = 32
    symbols: int | None = None
    attributes: int = ATTRIBUTES
    planes: int = 8
    width: int = 32
    steps: int = 2000
    batch: int = 128
    rate: float = 0.01
    answers: str = "true"

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"unknown task {self.task!r}", f"known: {', '.join(TASKS)}")
        if self.answers not in ANSWERS:
            raise InputError(f"unknown answers {self.answers!r}", f"known: {', '.join(ANSWERS)}")
        set_ = object.__setattr__
        if not isinstance(self.angles, (tuple, list)):
            raise InputError(f"angles {self.angles!r:.60}", "give a tuple or a list of them")
        set_(self, "angles", tuple(str(parsed(text)) for text in self.angles))
        for name, least in (("seed", 0), ("length", 3), ("planes", 1), ("width", 1), ("steps", 1), ("batch", 1)):
            set_(self, name, require_integer(getattr(self, name), name, least))
        if self.length > MOST_LENGTH:
            raise InputError(f"length {self.length}", f"toys have up to {MOST_LENGTH} tokens")
        if self.symbols is None:
            set_(self, "symbols", SYMBOLS[self.task] or self.length - 1)
        for name in ("symbols", "attributes"):
            set_(self, name, require_integer(getattr(self, name), name, 2))
            if getattr(self, name) > MOST_LETTERS:
                raise InputError(f"{name} {getattr(self, name)}", f"an alphabet has up to {MOST_LETTERS} letters")
        if self.task == "retrieval" and self.letters < self.length - 1:
            raise InputError(
                f"length {self.length} with {self.symbols} symbols",
                f"Retrieval binds each symbol once: take {self.length - 1} symbols or more, or a shorter length",
            )
        if not self.angles or len(set(self.angles)) < len(self.angles):
            raise InputError(f"angles {', '.join(self.angles) or 'none'}", "give one or more, each once")
        if self.planes % len(self.angles):
            raise InputError(
                f"{len(self.angles)} angles in a set, {self.angle_set}, for a head of {self.planes} planes",
                "give each angle as many planes: another number of angles, or another entry planes of a sweep's file",
            )
        if isinstance(self.rate, bool) or not isinstance(self.rate, (int, float)) or not 0 < self.rate <= MOST_RATE:
            raise InputError(f"rate {self.rate!r:.60}", f"a learning rate is a number above 0, up to {MOST_RATE:g}")
        set_(self, "rate", float(self.rate))

    @property
    def letters(self) -> int:
        """The number of symbols, an int for type checkers."""
        return int(self.symbols or 0)

    @property
    def keys(self) -> int:
        """Key places before the query."""
        return self.length - 1

    @property
    def exact_angles(self) -> tuple[Angle, ...]:
        """The angles as exact numbers."""
        return tuple(map(Angle.parse, self.angles))

    @property
    def radians(self) -> tuple[float, ...]:
        """The angles in radians per position."""
        return tuple(map(float, self.exact_angles))

    @property
    def vocabulary_task(self) -> Task:
        """The task with its vocabulary: the toy's tokens, in the order of their ids."""
        return task_of(self.task, self.letters, self.attributes, self.length)

    @property
    def angle_set(self) -> str:
        """The angles as one word, as `headproof train --angles` reads them.

        >>> Cell("induction", ("0", "1/10")).angle_set
        '0&1/10'
        """
        return AND.join(self.angles)

    @property
    def name(self) -> str:
        """A short name: the cell's task, angles and seed, and the start of its digest.

        >>> Cell("index", ("2/5 pi",), seed=3).name
        'index-2_5pi-s3-783e4d'
        """
        angles = self.angle_set.replace(" ", "").replace("/", "_")
        return f"{self.task}-{angles}-s{self.seed}-{self.digest[:6]}"

    @property
    def digest(self) -> str:
        """What the cell is, as 24 hexadecimal digits."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:24]

    def to_json(self) -> dict[str, Any]:
        """The cell as JSON holds it."""
        return {**asdict(self), "angles": list(self.angles)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Cell:
        """A cell from JSON. Raises InputError for an entry that a cell does not have, and as the class."""
        known = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping):
            raise InputError(f"not a cell: {data!r:.60}", "a cell has a task and angles at least")
        if stray := sorted(set(data) - known):
            raise InputError(f"a cell has no {stray[0]!r}", f"it has {', '.join(sorted(known))}")
        try:
            return cls(**{**data, "angles": tuple(data["angles"])})
        except (TypeError, KeyError) as error:
            raise InputError(f"not a cell: {error}", "a cell has a task and angles at least") from error


def parsed(text: Any) -> Angle:
    """An angle as the house writes it, or a finite number; InputError otherwise, naming it."""
    remedy = "write radians per position, such as '1/10', 1 or '2/5 pi'"
    if str(text).strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise InputError(f"not a finite angle: {text!r:.60}", remedy)
    try:
        if isinstance(text, bool) or not isinstance(text, (str, int, float)):
            raise InputError("not a number")
        angle = Angle.parse(str(text))
    except InputError as error:
        raise InputError(f"not an angle that can be read: {text!r:.60}", remedy) from error
    if not math.isfinite(float(angle)):
        raise InputError(f"not a finite angle: {text!r:.60}", remedy)
    return angle


@cache
def task_of(name: str, symbols: int, attributes: int, length: int) -> Task:
    """The house's task of a name, with alphabets of these sizes: a1, a2, ... and the attributes b1, b2, ..."""
    letters = [f"a{number}" for number in range(1, symbols + 1)]
    bound = [f"b{number}" for number in range(1, attributes + 1)]
    if name == "index":
        return index_task(letters, length)
    return (retrieval_task if name == "retrieval" else partial_induction_task)(letters, bound)


def shape_of(cell: Cell) -> tuple[Any, ...]:
    """What cells that train in one batch have in common."""
    sizes = (cell.length, cell.letters, cell.attributes, cell.planes, cell.width)
    return (cell.task, *sizes, cell.steps, cell.batch, cell.rate)


def grouped(cells: Sequence[Cell], most: int) -> list[tuple[Cell, ...]]:
    """Cells in batches that can train at once, up to `most` in each, in the order given."""
    batches: dict[Any, list[list[Cell]]] = {}
    for cell in cells:
        held = batches.setdefault(shape_of(cell), [[]])
        if len(held[-1]) == most:
            held.append([])
        held[-1].append(cell)
    return [tuple(batch) for held in batches.values() for batch in held if batch]


def dealt(cell: Cell) -> np.ndarray[Any, Any]:
    """Which of the cell's angles each plane has, `(planes,)`: each angle for as many planes in a row."""
    return np.repeat(np.arange(len(cell.angles)), cell.planes // len(cell.angles))


def plane_angles(cell: Cell) -> np.ndarray[Any, Any]:
    """The angle of each plane `(planes,)` in radians."""
    return np.take(np.array(cell.radians, dtype=np.float64), dealt(cell))
