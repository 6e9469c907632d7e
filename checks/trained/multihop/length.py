"""dyn.length: how often a trained model is right on sequences longer than those of its training.

The target window gets further tokens in front of it that the path never visits (`data.batch`, `target`); the path, the
pre-target window and the last places of the target window stay what they are in training. The answer is the model's
first choice among its whole vocabulary. The null is the run's untrained checkpoint, on the same sequences.

Further tokens are never the answer, so a long letter sequence could be solved by what is rare in it. The variants
`recopied` and `redirected` (`controls`) are the same sequences without that: a model that follows the path is as often
right on them. The further tokens stand in front of what is left as it was, so that the answer stays near the query; in
the variant `far` it is at the front. What other rules come to is in the table BASELINES_TABLE (`baselines`).

`window_share` tells errors apart: a wrong answer that is a token of the target window is one that the model found in
the wrong place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.multihop import checkpoints, keeping
from headproof.checks.trained.multihop.baselines import baselines
from headproof.checks.trained.multihop.controls import far, recopied, redirected
from headproof.checks.trained.multihop.data import batch
from headproof.checks.trained.multihop.defined import defined_table
from headproof.checks.trained.multihop.model import POSITIONS, predictions, shape_of
from headproof.checks.trained.multihop.reach import CONSTRUCTIONS, longest
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tables import ANGLES, RUN
from headproof.checks.trained.multihop.tasks import NAMES, SIZES, Sequences
from headproof.checks.trained.multihop.wilson import sample_size, wilson
from headproof.checks.trained.rows import columns_of, rows
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_distinct, require_integer

Progress = Callable[[str, int, int], None]
Within = float | Callable[[int], float]
LENGTHS = (17, 20, 24, 32, 48, 64, 100, 150, 200, 300, 500, 850)
# By default each hop class has as many sequences as tell its accuracy to 5 per cent to either side.
WITHIN = 0.05
# The streams of these sequences and of their copies; training, its tests and the dynamics have 0, 1 and 2.
LONGER, RECOPIED = 3, 4
VARIANTS = ("plain", "recopied", "redirected", "far")
# The places of answers, which are measured at every length.
PLACES = ("plain", "far")
# Bytes that a batch may take.
MEMORY = 1 << 29
LENGTHS_TABLE = {
    **RUN,
    "variant": "plain; recopied: with 1 to 3 more copies of the answer's pair; redirected: asked for another "
    "answer; far: with the answer's part of the target window at its front",
    "length": "tokens of a sequence: target window, pre-target window and query",
    "times": "the same, over the length in training",
    "hops": "moves from the last token to the answer, the query's own among them; 0: all classes together",
    "sequences": "sequences, each other than the others but for chance",
    "right": "how many of them are answered rightly, the first choice among the whole vocabulary",
    "accuracy": "right over sequences",
    "low": "lower end of accuracy's 95 % interval (Wilson)",
    "high": "its upper end",
    "window_share": "share of sequences whose answer, right or not, is a token of their target window",
}
BASELINES_TABLE = {
    **{name: RUN[name] for name in ("task", "size")},
    "length": "tokens of a sequence",
    "hops": "moves from the last token to the answer; 0: all classes together",
    "rule": "what is guessed without following the path",
    "accuracy": "mean chance that the guess is right",
}
REACHES_TABLE = {
    **RUN,
    "layer": "0-based layer, taken for a construction of one plane",
    "reading": "which column of `heads` is taken for the plane's angle",
    "angle": "that angle, radians per position",
    "scale": "the layer's logit scale, taken for the construction's",
    **{
        each: f"longest input, tokens, on all inputs up to which the {each.capitalize()} construction of this angle "
        "and scale has a weight above 1/2 on its target; 2: not even on 3"
        for each in CONSTRUCTIONS
    },
}


def lengths_of(run: Run, lengths: Iterable[int] = LENGTHS) -> tuple[int, ...]:
    """A run's own length and those of `lengths` that are longer, in order. InputError for lengths that are none, and
    for those that the models do not take."""
    given = require_distinct(tuple(lengths), "the lengths", lambda value, what: require_integer(value, what, 1))
    if max(given) > POSITIONS:
        raise InputError(f"a length of {max(given)}", f"the models take up to {POSITIONS} tokens")
    own = run.windows.length
    return (own, *sorted(length for length in given if length > own))


def longer(run: Run, length: int, each: int) -> Sequences:
    """`each` sequences of every hop class, of `length` tokens; the same for all seeds and steps of a kind of run.

    Raises InputError for lengths below that of the run's training.
    """
    windows = run.windows
    further = require_integer(length, "the length", windows.length) - windows.length
    key = [0, LONGER, NAMES.index(run.task), SIZES.index(run.size), length]
    count = require_integer(each, "the number of sequences", 1) * len(windows.hops)
    source = np.random.default_rng(key)
    return batch(run.vocabulary, count, source, windows.target + further, windows.before, windows.hops)


def at_once(run: Run, length: int, memory: int = MEMORY) -> int:
    """How many sequences of a length fit into so many bytes in one pass, 1 at least: all in float32."""
    shape = shape_of(run.size)
    # Scores, weights and mask of one layer's one head; a dozen vectors of a token, two of the inner layer among them.
    return max(1, memory // (4 * (3 * length**2 + length * (12 * shape.width + 2 * shape.inner))))


def accuracy_at(
    folder: str | Path,
    step: int | None = None,
    lengths: Iterable[int] = LENGTHS,
    within: Within = WITHIN,
    device: str = "cpu",
    null: bool = True,
    memory: int = MEMORY,
    progress: Progress | None = None,
    checked: Iterable[int] | None = None,
    keep: bool = False,
) -> pa.Table:
    """The table LENGTHS_TABLE of a run's checkpoint (by default the last) and, with `null`, of its untrained one.

    Each hop class has the least number of sequences whose Wilson interval is no wider than `within`, which may depend
    on the length, to either side.
    The null and the letter task's variants but `far` are asked at those of the run's lengths that are in `checked`, by
    default all. `progress(what, done, total)` counts tokens. With `keep` each part is kept in the cache when it is
    done, and taken up if it is there. Raises InputError as `checkpoints.load`, `lengths_of` and `wilson.sample_size`.
    """
    chosen = checkpoints.load(Path(folder), step, device)
    run, sizes = chosen.run, lengths_of(chosen.run, lengths)
    each = _sizes(within, sizes)
    asked = set(sizes if checked is None else lengths_of(run, checked))
    untrained = checkpoints.load(Path(folder), 0, device) if null and chosen.step != 0 else None
    names = {length: _names(run, length in asked) for length in sizes}
    passes = {length: len(names[length]) + (untrained is not None and length in asked) for length in sizes}
    total = sum(length * passes[length] * each[length] for length in sizes) * len(run.windows.hops)
    done, rows = 0, []
    for length in sizes:
        plain = longer(run, length, each[length])
        held = [(chosen, name) for name in names[length]]
        if untrained is not None and length in asked:
            held.insert(0, (untrained, VARIANTS[0]))
        for loaded, variant in held:
            make = partial(_asked, loaded, plain, variant, memory)
            what = (device, length, each[length], variant)
            found = keeping.tables("lengths", Path(folder), (loaded.step,), what, make) if keep else make()
            rows += found["lengths"].to_pylist()
            done += plain.tokens.size
            if progress is not None:
                progress(f"{run.name}, step {loaded.step}, {length} tokens", done, total)
    rows.sort(key=lambda row: (row["step"], VARIANTS.index(row["variant"]), row["length"], row["hops"]))
    return defined_table(LENGTHS_TABLE, rows)


def _asked(loaded: checkpoints.Loaded, plain: Sequences, variant: str, memory: int) -> dict[str, pa.Table]:
    """The rows of a checkpoint that is asked a variant of sequences; none where none of them has it."""
    run, length = loaded.run, plain.tokens.shape[1]
    sequences = _varied(run, plain, variant)
    rows = []
    if len(sequences):
        found = predictions(loaded.model, sequences.tokens, at_once(run, length, memory))
        rows = _rows(loaded, sequences, found, length, variant)
    return {"lengths": defined_table(LENGTHS_TABLE, rows)}


def _sizes(within: Within, lengths: Iterable[int]) -> dict[int, int]:
    """How many sequences a hop class has at each length."""
    return {length: sample_size(within(length) if callable(within) else within) for length in lengths}


def _names(run: Run, checked: bool) -> tuple[str, ...]:
    """The variants that are asked at a length."""
    return (VARIANTS if checked else PLACES) if run.task == "letter" else VARIANTS[:1]


def _varied(run: Run, plain: Sequences, variant: str) -> Sequences:
    """The variant of sequences, without those that have none."""
    if variant == "recopied":
        key = [0, RECOPIED, NAMES.index(run.task), SIZES.index(run.size), plain.tokens.shape[1]]
        return recopied(run.vocabulary, plain, np.random.default_rng(key))[1]
    if variant == "far":
        windows = run.windows
        target = plain.tokens.shape[1] - windows.before - 1
        return far(run.vocabulary, plain, target, windows.core)
    return redirected(run.vocabulary, plain) if variant == "redirected" else plain


def baselines_at(run: Run, lengths: Iterable[int] = LENGTHS, within: Within = WITHIN) -> pa.Table:
    """The table BASELINES_TABLE on the sequences of `accuracy_at`. Raises InputError as it does."""
    sizes = lengths_of(run, lengths)
    each = _sizes(within, sizes)
    rows = [
        {
            "task": run.task,
            "size": run.size,
            "length": length,
            "hops": hops,
            "rule": rule,
            "accuracy": accuracy,
        }
        for length in sizes
        for rule, found in baselines(run.vocabulary, longer(run, length, each[length])).items()
        for hops, accuracy in found.items()
    ]
    return defined_table(BASELINES_TABLE, rows)


def reaches_of(heads: pa.Table, letters: int, most: int = POSITIONS) -> pa.Table:
    """The table REACHES_TABLE of every layer in a `heads` table: each reading of its angle, at its logit scale.

    Taken at the last query, all hop classes together; `letters` are the Retrieval construction's. Raises InputError as
    `reach.longest`.
    """
    mine = rows(columns_of(heads), query=0, hops=0)
    about = [{name: mine[name][at].item() for name in (*RUN, "layer")} for at in range(len(mine["layer"]))]
    found = []
    for at, named in enumerate(about):
        scale = float(mine["logit_scale"][at])
        for reading in ANGLES:
            angle = float(mine[reading][at])
            reach = {each: longest(each, angle, scale, letters, most) for each in CONSTRUCTIONS}
            found.append({**named, "reading": reading, "angle": angle, "scale": scale, **reach})
    return defined_table(REACHES_TABLE, found)


def _rows(
    loaded: checkpoints.Loaded, held: Sequences, found: np.ndarray[Any, Any], length: int, variant: str
) -> list[dict[str, Any]]:
    run = loaded.run
    windows = run.windows
    target = held.tokens[:, : length - windows.before - 1]
    right, inside = found == held.answers, (target == found[:, None]).any(axis=1)
    rows = []
    for hops in (0, *windows.hops):
        mine = held.hops == hops if hops else np.ones(len(held), dtype=bool)
        count, correct = int(mine.sum()), int(right[mine].sum())
        if not count:
            continue
        low, high = wilson(correct, count)
        about = (run.task, run.size, run.seed, loaded.step, variant, length, length / windows.length)
        row = (*about, hops, count, correct, correct / count, low, high, float(inside[mine].mean()))
        rows.append(dict(zip(LENGTHS_TABLE, row, strict=True)))
    return rows
