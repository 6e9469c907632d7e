"""What the tables of `headproof generalize` say: medians beside those of the nulls, and each claim's criterion.

Plain data (dicts, lists, numbers, strings), as written to `summary.json`. Numbers that do not exist are None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headproof.checks.trained.disentanglement.context_numbers import increases
from headproof.checks.trained.disentanglement.generalize import Generalization
from headproof.checks.trained.disentanglement.length import MODES
from headproof.checks.trained.disentanglement.numbers import Array, Tables, measured, typical
from headproof.checks.trained.disentanglement.tolerance import LEVELS, READINGS
from headproof.checks.trained.disentanglement.verdicts import MEASURES, UPHELD
from headproof.checks.trained.evidence import median
from headproof.checks.trained.judging import controls_hold, met
from headproof.checks.trained.rows import Columns, columns_of, rows
from headproof.checks.trained.writing import plain
from headproof.theory.disentanglement.empirical_claims import FINDINGS
from headproof.theory.empirical import NULLS

LEAST_TEXTS = 3


def _root(columns: Columns) -> Array:
    found: Array = np.sqrt(np.maximum(1 - columns["interaction_share"], 0))
    return found


def _tightness(columns: Columns) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = columns["interaction"] / columns["bound"]
    return found


# What is shown of heads: the words, the table, and the column or what is made of columns.
SHOWN: tuple[tuple[str, str, str | Callable[[Columns], Array]], ...] = (
    ("r of a[i-j] + b[i] + c[j]", "fits", "correlation"),
    ("  without the first token", "fits", "correlation_without_first"),
    ("  within rows (what softmax sees)", "fits", "row_correlation"),
    ("  within rows, position alone", "fits", "position_correlation"),
    ("  within rows, content alone", "fits", "content_correlation"),
    ("  within rows, token means taken off", "fits", "centred_row_correlation"),
    ("logits' spread within rows", "fits", "spread"),
    ("single query: r of f(q, d) + g(q, k)", "queries", _root),
    ("  interaction's share", "queries", "interaction_share"),
    ("  its share, angles dealt at random", "queries", "interaction_share_reordered"),
    ("false distance: r of distance parts", "queries", "distance_held_out"),
    ("false distance: r of content parts", "queries", "content_held_out"),
    ("double differences over their bound, median", "queries", "tightness_50"),
    ("  95 % quantile", "queries", "tightness_95"),
    ("rms interaction over its bound", "queries", _tightness),
    ("Spearman of angle and key deviation", "queries", "pattern"),
    ("  of relative key deviation", "queries", "pattern_relative"),
)


def summarise(found: Generalization, seed: int = 0) -> dict[str, Any]:
    """All that a run found; `seed` draws the resamples."""
    columns = {name: columns_of(table) for name, table in found.tables.items()}
    summary: dict[str, Any] = {"about": found.about, "claims": _claims(columns, seed)}
    if "fits" in columns:
        summary["conformance"] = float(np.max(columns["fits"]["conformance"]))
        summary["heads"] = [_line(columns, *shown) for shown in SHOWN]
        summary["largest_ratio"] = float(np.nanmax(columns["queries"]["tightness_proven"]))
    if "tolerance" in columns:
        summary["tolerance"] = _tolerance(columns["tolerance"])
    if "outputs" in columns:
        summary["length"] = [_mode(columns, mode) for mode in MODES]
    result: dict[str, Any] = plain(summary)
    return result


def _line(tables: Tables, words: str, table: str, column: str | Callable[[Columns], Array]) -> dict[str, Any]:
    """Median over heads of the mean over texts, for the trained model and each null (seeds averaged)."""
    value = column if callable(column) else lambda columns: columns[column]
    of = measured(tables[table], value)
    nulls = {null: float(np.mean([typical(each) for each in values])) for null, values in of.nulls.items()}
    quartiles = (
        np.nanquantile(of.trained.mean(axis=0), [0.25, 0.75]) if not np.isnan(of.trained).all() else (None, None)
    )
    return {"measure": words.strip(), "indented": words.startswith(" "), "trained": typical(of.trained), **nulls,
            "quartiles": list(quartiles)}  # fmt: skip


def _claims(tables: Tables, seed: int) -> list[dict[str, Any]]:
    """Each criterion whose tables are there, applied to this model: what `headproof check` decides for the two measured
    ones. `met` is None where fewer than LEAST_TEXTS texts (or seeds) leave no interval."""
    found = []
    for finding in FINDINGS:
        part = finding.name.split(".")[0]
        needed = {"tolerance": "tolerance", "length": "outputs"}.get(part, "fits")
        if needed not in tables:
            continue
        unit = "seed" if part == "length" else "text"
        enough = len(np.unique(tables[needed][unit])) >= LEAST_TEXTS
        numbers, controls = MEASURES[finding.name](tables, seed)
        entry = {
            "claim": f"gen.{finding.name}",
            "title": finding.title,
            "criterion": finding.criterion,
            "met": met(finding, numbers) if enough else None,
            "controls_hold": controls_hold(finding, controls, UPHELD) if enough else None,
            "numbers": {name: number.value for name, number in numbers.items()},
        }
        found.append(entry)
    return found


def _tolerance(moved: Columns) -> list[dict[str, Any]]:
    """Perplexity over that of the texts as they are, by reading and share."""
    found = []
    shares = sorted({float(share) for share in moved["asked"][np.isin(moved["reading"], READINGS)]})
    for reading, share in [(reading, share) for reading in READINGS for share in shares] + [("shuffled", 1.0)]:
        entry: dict[str, Any] = {"reading": reading, "share": share}
        mine = rows(moved, group="trained", reading=reading, asked=share)
        entry["reached"] = float(np.mean(mine["reached"]))
        for level in LEVELS:
            entry[level] = float(np.exp(increases(moved, "trained", level, reading, share)[0].mean()))
        for null in NULLS:
            rises = increases(moved, null, "words", reading, share)[0]
            entry[null] = float(np.exp(rises.mean())) if len(rises) else None
        found.append(entry)
    return found


def _mode(tables: Tables, mode: str) -> dict[str, Any]:
    outputs, contexts = rows(tables["outputs"], mode=mode), rows(tables["contexts"], mode=mode)
    shares: Mapping[str, float] = {
        name: 100 * float(np.nanmean(outputs[f"outside_{name}"])) for name in ("inside", "late", "beyond", "other_head")
    }
    nll = {name: median(contexts[name]) for name in ("nll_inside", "nll_beyond")}
    lengths = {name: int(contexts[name][0]) for name in ("length", "extra", "repeats")}
    return {"mode": mode, **lengths, **{f"outside_{name}": value for name, value in shares.items()}, **nll}
