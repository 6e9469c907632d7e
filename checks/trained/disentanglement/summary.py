"""What the tables of `headproof generalize` say: medians beside those of the nulls, and each claim's criterion.

Plain data (dicts, lists, numbers, strings), as written to `summary.json`. Numbers that do not exist are None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import typical
from headproof.checks.trained.disentanglement.context_numbers import POOLED, increases, shares_of
from headproof.checks.trained.disentanglement.generalize import Generalization
from headproof.checks.trained.disentanglement.length import MODES
from headproof.checks.trained.disentanglement.numbers import Array, Tables, measured
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
        found: Array = np.where(columns["bound"] > 0, columns["interaction"] / columns["bound"], np.nan)
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
        ratios = columns["queries"]["tightness_proven"]
        summary["largest_ratio"] = float(np.nanmax(ratios)) if not np.isnan(ratios).all() else None
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
    quartiles = np.quantile(of.trained.mean(axis=0), [0.25, 0.75]) if of.trained.size else (None, None)
    return {"measure": words.strip(), "indented": words.startswith(" "), "trained": typical(of.trained), **nulls,
            "quartiles": list(quartiles)}  # fmt: skip


def _claims(tables: Tables, seed: int) -> list[dict[str, Any]]:
    """Each criterion whose tables are there, applied to this model: what `headproof check` decides for the two measured
    ones. `met` is None where there are fewer than LEAST_TEXTS texts or orders, where texts come again, where the shares
    of words that a criterion names were not measured, and where a number that it needs does not exist."""
    found = []
    for finding in FINDINGS:
        part = finding.name.split(".")[0]
        needed = {"tolerance": "tolerance", "length": "outputs"}.get(part, "fits")
        if needed not in tables:
            continue
        entry: dict[str, Any] = {
            "claim": f"gen.{finding.name}",
            "title": finding.title,
            "criterion": finding.criterion,
            "met": None,
            "controls_hold": None,
            "numbers": {},
        }
        if part != "tolerance" or set(POOLED) <= set(shares_of(tables["tolerance"])):
            numbers, controls = MEASURES[finding.name](tables, seed)
            entry["numbers"] = {name: number.value for name, number in numbers.items()}
            if _enough(part, tables):
                entry["met"] = met(finding, numbers)
                entry["controls_hold"] = controls_hold(finding, controls, UPHELD)
        found.append(entry)
    return found


def _enough(part: str, tables: Tables) -> bool:
    """Whether there are texts enough for intervals, or orders of texts none of which comes twice."""
    if part == "length":
        return len(np.unique(tables["contexts"]["seed"])) >= LEAST_TEXTS and not tables["contexts"]["repeats"].any()
    return len(np.unique(tables["tolerance" if part == "tolerance" else "fits"]["text"])) >= LEAST_TEXTS


def _tolerance(moved: Columns) -> list[dict[str, Any]]:
    """Perplexity over that of the texts as they are, by reading and share."""
    found = []
    plain = rows(moved, group="trained", reading="none")
    about = {
        "texts": len(plain["nll"]),
        "tokens": int(plain["tokens"].max()),
        "perplexity": float(np.exp(plain["nll"].mean())),
    }
    for reading, share in [(reading, share) for reading in READINGS for share in shares_of(moved)] + [
        ("shuffled", 1.0)
    ]:
        entry: dict[str, Any] = {"reading": reading, "share": share, **about}
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
        name: 100 * _mean(outputs[f"outside_{name}"]) for name in ("inside", "late", "beyond", "other_head")
    }
    nll = {name: median(contexts[name]) for name in ("nll_inside", "nll_beyond")}
    lengths = {name: int(contexts[name][0]) for name in ("length", "extra", "repeats")}
    excess = shares["beyond"] - shares["late"]
    return {"mode": mode, **lengths, "excess": excess, **{f"outside_{n}": share for n, share in shares.items()}, **nll}


def _mean(values: Array) -> float:
    """The mean of what is no NaN; NaN of nothing."""
    seen = values[~np.isnan(values)]
    return float(seen.mean()) if len(seen) else float("nan")
