"""`headproof generalize`: reads what is asked for, measures with progress, prints the summary and writes the files."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headproof import generalize_summary, progressing, showing
from headproof.profiling import heads_of, require_heads
from headproof.running import whole_number
from headproof.theory.errors import InputError

if TYPE_CHECKING:
    from headproof.checks.trained.corpus import Text
    from headproof.checks.trained.disentanglement.generalize import Plan

# From this training length on, the user is told what the part `length` costs.
LONG = 8192
SINGLE = ("float32", "float64")
# Options that only some parts have, and which.
ONLY = {
    "--texts": ("heads", "tolerance"),
    "--tokens": ("heads", "tolerance"),
    "--null-seeds": ("heads", "tolerance"),
    "--heads": ("heads",),
    "--shares": ("tolerance",),
    "--draws": ("tolerance",),
    "--length": ("length",),
    "--extra": ("length",),
    "--orders": ("length",),
}
MOVED_TOKENS = 256


@dataclass(frozen=True)
class Asked:
    """What is measured, as written on the command line; None where an option was not given."""

    parts: str | None = None
    files: tuple[Path, ...] = ()
    texts: str | None = None
    tokens: str | None = None
    heads: str | None = None
    null_seeds: str | None = None
    shares: str | None = None
    draws: str | None = None
    length: str | None = None
    extra: str | None = None
    orders: str | None = None
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

        possible = [*writing.targets(TABLES, out), *targets(out)]
        writing.require_room(possible, out, TABLES)
    started = time.perf_counter()
    source = find_model(model)
    with progressing.bar(quiet, "measuring") as bar:
        loaded = load_model(source, asked.device, asked.dtype, bar.message)
        require_heads(loaded, plan.heads)
        if "length" in plan.parts and (tokens := plan.length or training_length(loaded)) >= LONG:
            bar.message(f"contexts of {tokens} tokens take many minutes on a CPU; --parts heads,tolerance goes without")
        bar.message(f"{source.name}: measuring {', '.join(plan.parts)}")
        found = run(loaded, plan, bar.step, resume=not fresh)
    summary = summarise(found, seed)
    written = []
    if out is not None:
        from headproof.paper_figs.generalize_plots import write_plots

        written = [*writing.write(found.tables, TABLES, summary, out), *write_plots(found.tables, found.about, out)]
    if not quiet:
        generalize_summary.show(summary)
        if written and out is not None:
            showing.say(f"wrote {len(written)} files to {out}: {', '.join(path.name for path in written)}")
            if left := [path.name for path in possible if path.exists() and path not in written]:
                showing.say(f"left there by another run, and not of this one: {', '.join(left)}")
    if not quiet:
        showing.say(f"{', '.join(plan.parts)} in {time.perf_counter() - started:.1f} s")


def plan_of(asked: Asked) -> Plan:
    """The plan from the command line's words. Raises InputError naming the option and the word."""
    first = whole_number("--seed", asked.seed, 0)
    texts, tokens = _count("--texts", asked.texts, 6, 1), _count("--tokens", asked.tokens, 400, 64)
    nulls, draws = _count("--null-seeds", asked.null_seeds, 2, 1), _count("--draws", asked.draws, 3, 1)
    orders = _count("--orders", asked.orders, 3, 2)
    length = None if asked.length is None else whole_number("--length", asked.length, 16)
    extra = None if asked.extra is None else whole_number("--extra", asked.extra, 2)
    shares = None if asked.shares is None else {_share(word) for word in asked.shares.split(",")}
    heads = tuple(dict.fromkeys(heads_of(asked.heads)))
    if asked.dtype not in SINGLE:
        raise InputError(f"--dtype {asked.dtype!r}", f"generalize measures in {' or '.join(SINGLE)}")
    from headproof.checks.trained.disentanglement.plan import PARTS, SHARES, Plan

    parts = PARTS if asked.parts is None else tuple(word.strip() for word in asked.parts.split(","))
    plan = Plan(
        parts=parts,
        texts=tuple(_text(file) for file in asked.files),
        count=texts,
        tokens=tokens,
        heads=heads,
        null_seeds=tuple(range(nulls)),
        tolerance_texts=texts,
        tolerance_null_texts=min(3, texts),
        tolerance_tokens=min(MOVED_TOKENS, tokens),
        shares=SHARES if shares is None else tuple(sorted(shares)),
        seeds=tuple(range(first, first + draws)),
        length=length,
        extra=extra,
        length_seeds=tuple(range(first, first + orders)),
    )
    _require_used(asked, parts)
    return plan


def _count(option: str, written: str | None, otherwise: int, least: int) -> int:
    return otherwise if written is None else whole_number(option, written, least)


def _require_used(asked: Asked, parts: Sequence[str]) -> None:
    """Refuse an option that none of the parts has."""
    for option, of in ONLY.items():
        if getattr(asked, option.removeprefix("--").replace("-", "_")) is not None and not set(of) & set(parts):
            raise InputError(
                f"{option} is no option of the parts {', '.join(parts)}", f"it belongs to {' and '.join(of)}"
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
