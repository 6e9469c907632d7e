"""Data sets of the multihop tasks in the source's form: fixed splits that share no sequence, kept as one file.

Each split is balanced by itself (`data.labels`). A sequence that was drawn before, in whatever split, is drawn again
with its labels, so that splits are disjoint and balanced at once. Everything follows from the seed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from headproof.checks.files import replacing
from headproof.checks.trained.multihop.data import draw, labels
from headproof.checks.trained.multihop.tasks import NAMES, Ids, Sequences, Task, labelled, task_of
from headproof.checks.trained.multihop.windows import HOPS, Labels, Windows
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

SPLITS = ("train", "validation", "test")
SHARES = (0.9, 0.005, 0.095)
MOST = 10**7
# Rounds of drawing again what was drawn before; a task with enough sequences needs one or two.
ROUNDS = 50
METADATA = b"headproof.multihop"
# By task; raised when a seed no longer gives the sequences that it gave before, or the file's columns change.
FORMAT = {"number": 1, "letter": 2}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Sequences by split, the windows that they were drawn for, and the seed."""

    windows: Windows
    seed: int
    splits: Mapping[str, Sequences]


def dataset(
    task: Task | str,
    count: int,
    seed: int,
    shares: Sequence[float] = SHARES,
    target: int = 8,
    before: int = 8,
    hops: Sequence[int] = HOPS,
) -> Dataset:
    """`count` sequences, all different, in the splits train, validation and test; the source has 480,000 of a task.

    Raises InputError for shares that are not three parts of 1, windows that the task does not have, and more sequences
    than it has.
    """
    windows = Windows(task_of(task), target, before, tuple(hops))
    total = require_integer(count, "the number of sequences", 1)
    if total > MOST:
        raise InputError(f"{total} sequences", f"take up to {MOST}")
    sizes = _sizes(total, shares)
    known = windows.task
    key = [require_integer(seed, "the seed", 0), NAMES.index(known.name), target, before]
    source = np.random.default_rng([*key, *windows.hops])
    asked = [labels(windows, size, source) for size in sizes]
    wanted = Labels(*(np.concatenate([getattr(part, name) for part in asked]) for name in ("hops", "values", "places")))
    tokens = _different(windows, wanted, source)
    splits, start = {}, 0
    for name, size in zip(SPLITS, sizes, strict=True):
        splits[name] = labelled(known, tokens[start : start + size])
        start += size
    return Dataset(windows, seed, splits)


def write_dataset(path: str | Path, held: Dataset) -> Path:
    """Write a data set as one Parquet file with checksums; returns its path. Raises InputError where it cannot be."""
    parts = [(name, held.splits[name]) for name in SPLITS]
    tokens = np.concatenate([part.tokens for _, part in parts]).astype(np.int16)
    table = pa.table(
        {
            "split": pa.array(np.repeat(SPLITS, [len(part) for _, part in parts])).dictionary_encode(),
            "tokens": pa.FixedSizeListArray.from_arrays(pa.array(tokens.ravel()), tokens.shape[1]),
            **{
                name: pa.array(np.concatenate([getattr(part, name) for _, part in parts]).astype(np.int16))
                for name in ("answers", "hops", "places")
            },
        }
    )
    told = {"format": FORMAT[held.windows.task.name], "seed": held.seed, **asdict(held.windows)}
    stamped = table.replace_schema_metadata({METADATA: json.dumps(told, sort_keys=True)})
    with replacing(path) as temporary:
        pa.parquet.write_table(stamped, temporary, compression="zstd", write_page_checksum=True)
    return Path(path)


def read_dataset(path: str | Path) -> Dataset:
    """A data set from its file. Every label is compared with the path that its sequence's tokens describe.

    Raises InputError for a file that is missing, damaged, of another format, or no data set of these tasks.
    """
    try:
        # Opened here, for a memory-mapped file could change under the reader.
        with Path(path).open("rb") as file:
            table = pa.parquet.read_table(file, page_checksum_verification=True)
        told = json.loads((table.schema.metadata or {})[METADATA])
        task = Task(**told["task"])
        if told["format"] != FORMAT[task.name]:
            raise InputError(f"format {told['format']}, not {FORMAT[task.name]}")
        windows = Windows(task, told["target"], told["before"], tuple(told["hops"]))
        column = table["tokens"].combine_chunks()
        tokens = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, windows.length)
        split = np.array(table["split"].to_pylist(), dtype=str)
        found = {name: labelled(task, tokens[split == name]) for name in SPLITS}
        for name in ("answers", "hops", "places"):
            given = table[name].to_numpy()
            for part, sequences in found.items():
                if not np.array_equal(given[split == part], getattr(sequences, name)):
                    raise InputError(f"the {name} of {part} are not those of its tokens")
        if sum(map(len, found.values())) != len(table):
            raise InputError("sequences of an unknown split")
        return Dataset(windows, told["seed"], found)
    except FileNotFoundError as error:
        raise InputError(f"no data set {path}", "write one with write_dataset") from error
    except (OSError, KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise InputError(f"cannot read the data set {path}: {error}", "write it again") from error


def _sizes(count: int, shares: Sequence[float]) -> list[int]:
    given = np.asarray(shares, dtype=np.float64)
    if given.shape != (len(SPLITS),) or not (given >= 0).all() or abs(given.sum() - 1) > 1e-9:
        raise InputError(f"shares {shares!r:.60}", f"give one for each of {', '.join(SPLITS)}, 1 in all")
    ends = [round(float(end) * count) for end in np.cumsum(given)]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def _different(windows: Windows, wanted: Labels, source: np.random.Generator) -> Ids:
    """Tokens with the labels that are wanted, no two rows alike."""
    tokens = draw(windows, wanted, source).tokens.astype(np.int16)
    for _ in range(ROUNDS):
        rows = np.ascontiguousarray(tokens).view(np.dtype((np.void, tokens.dtype.itemsize * tokens.shape[1]))).ravel()
        again = np.ones(len(rows), dtype=bool)
        again[np.unique(rows, return_index=True)[1]] = False
        if not again.any():
            return tokens
        tokens[again] = draw(windows, wanted[again], source).tokens
    raise InputError(
        f"after {ROUNDS} rounds {int(again.sum())} of {len(tokens)} sequences are not new",
        "ask for fewer sequences, or for longer windows",
    )
