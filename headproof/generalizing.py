"""`headproof generalize`: reads what is asked for, measures with progress, prints the summary and writes the files."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headproof import generalize_summary, showing
from headproof.profiling import heads_of, require_heads
from headproof.running import whole_number
from headproof.theory.errors import InputError

if TYPE_CHECKING:
    from headproof.checks.trained.corpus import Text
    from headproof.checks.trained.disentanglement.generalize import Plan


# From this training length on, the user is told what the part `length` costs.
LONG = 8192


@dataclass(frozen=True)
class Asked:
    """What is measured, as written on the command line; None where an option was not given."""

    parts: str | None = None
    files: tuple[Path, ...] = ()
    texts: str = "6"
    tokens: str = "400"
    heads: str | None = None
    null_seeds: str = "2"
    shares: str = "2.5,5,10,20"
    draws: str = "3"
    length: str | None = None
    extra: str | None = None
    orders: str = "3"
    seed: str = "0"
    device: str = "cpu"
    dtype: str = "float32"


def generalize(model: str | None, asked: Asked, out: Path | None, fresh: bool, quiet: bool) -> None:
    """Measure a model by what is asked and show what was found."""
    plan = plan_of(asked)
    seed = whole_number("--seed", asked.seed, 0)
    from headproof.checks.trained import writing
    from headproof.checks.trained.disentanglement.columns import TABLES
    from headproof.checks.trained.disentanglement.generalize import generalize as run
    from headproof.checks.trained.disentanglement.length import training_length
    from headproof.checks.trained.disentanglement.summary import summarise
    from headproof.checks.trained.models import find_model, load_model

    if out is not None:
        from headproof.paper_figs.generalize_plots import targets

        writing.require_room([*writing.targets(TABLES, out), *targets(out)], out)
    started = time.perf_counter()
    source = find_model(model)
    with showing.progress(quiet, "measuring") as bar:
        loaded = load_model(source, asked.device, asked.dtype, bar.message)
        require_heads(loaded, plan.heads)
        if "length" in plan.parts and (tokens := plan.length or training_length(loaded)) >= LONG:
            bar.message(f"contexts of {tokens} tokens take many minutes on a CPU; --parts heads,tolerance goes without")
        found = run(loaded, plan, bar.step, resume=not fresh)
    summary = summarise(found, seed)
    written = []
    if out is not None:
        from headproof.paper_figs.generalize_plots import write_plots

        written = [*writing.write(found.tables, TABLES, summary, out), *write_plots(found.tables, found.about, out)]
    if not quiet:
        generalize_summary.show(summary)
        if written:
            showing.say(f"wrote {len(written)} files to {out}: {', '.join(path.name for path in written)}")
    if not quiet:
        showing.say(f"{', '.join(plan.parts)} in {time.perf_counter() - started:.1f} s")


def plan_of(asked: Asked) -> Plan:
    """The plan from the command line's words. Raises InputError naming the option and the word."""
    texts, tokens = whole_number("--texts", asked.texts, 1), whole_number("--tokens", asked.tokens, 64)
    extra = None if asked.extra is None else whole_number("--extra", asked.extra, 2)
    nulls, draws = whole_number("--null-seeds", asked.null_seeds, 1), whole_number("--draws", asked.draws, 1)
    orders = whole_number("--orders", asked.orders, 2)
    first = whole_number("--seed", asked.seed, 0)
    length = None if asked.length is None else whole_number("--length", asked.length, 16)
    shares = tuple(_share(word) for word in asked.shares.split(","))
    parts = None if asked.parts is None else tuple(word.strip() for word in asked.parts.split(","))
    heads = tuple(heads_of(asked.heads))
    from headproof.checks.trained.disentanglement.generalize import PARTS, Plan

    return Plan(
        parts=PARTS if parts is None else parts,
        texts=tuple(_text(file) for file in asked.files),
        count=texts,
        tokens=tokens,
        heads=heads,
        null_seeds=tuple(range(nulls)),
        tolerance_texts=texts,
        tolerance_null_texts=min(3, texts),
        shares=tuple(sorted(set(shares))),
        seeds=tuple(range(first, first + draws)),
        length=length,
        length_seeds=tuple(range(first, first + orders)),
        extra=extra,
    )


def _share(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 < value <= 100:
        raise InputError(f"--shares {word!r} is no share of the words", "give per cent above 0, such as 2.5,5,10,20")
    return value / 100


def _text(file: Path) -> Text:
    from headproof.checks.trained.corpus import Text
    from headproof.checks.trained.tasks import text_file

    return Text(file.stem, text_file(file))
