"""The numbers of each empirical claim about moved words and long contexts, and those of its controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.engines.decision import Number
from headproof.checks.trained.disentanglement.tolerance import LEVELS, NONE, READINGS, SHUFFLED
from headproof.checks.trained.evidence import cube, over_prompts
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.disentanglement.tolerance_claims import (
    ALL_SHUFFLED,
    AS_IT_IS,
    NEXT_HEAD,
    NULL_MODEL,
    ratio,
)
from headproof.theory.empirical import NULLS

Array = np.ndarray[Any, Any]
Numbers = dict[str, Number]
Tables = Mapping[str, Columns]
Result = tuple[Numbers, dict[str, Numbers]]
RERUN = 0.002
POOLED = (0.05, 0.1, 0.2)


def _numbers(values: Mapping[str, float]) -> Numbers:
    return {name: Number(float(value), RERUN) for name, value in values.items()}


# -- moved words ---------------------------------------------------------------------------------------------------


def increases(moved: Columns, group: str, level: str, reading: str, share: float) -> tuple[Array, tuple[str, ...]]:
    """How much the mean negative log-likelihood rises, `(texts,)`, mean over seeds (nats a token), and the texts."""
    mine = rows(moved, group=group)
    plain = rows(mine, reading=NONE)
    base = dict(zip(plain["text"].tolist(), plain["nll"].tolist(), strict=True))
    found = rows(mine, level=level, reading=reading, asked=share)
    texts = tuple(sorted(set(found["text"].tolist())))
    each = [float(np.mean(found["nll"][found["text"] == text])) - base[text] for text in texts]
    return np.array(each), texts


def _ratio(rises: Array, texts: tuple[str, ...], name: str, seed: int) -> dict[str, float]:
    """The ratio of perplexities, and its 95 % bootstrap interval over texts."""
    low, high = over_prompts(lambda chosen: float(np.exp(rises[chosen].mean())), texts, seed)
    return {name: float(np.exp(rises.mean())), f"{name}, 2.5 %": low, f"{name}, 97.5 %": high}


def _shares(moved: Columns) -> list[float]:
    asked = moved["asked"][np.isin(moved["reading"], READINGS)]
    return sorted({float(share) for share in asked})


def _words(reading: str, tables: Tables, seed: int) -> Result:
    moved = tables["tolerance"]
    found: dict[str, float] = {}
    as_null: dict[str, float] = {}
    as_shuffled: dict[str, float] = {}
    shuffled = increases(moved, "trained", "words", SHUFFLED, 1.0)
    for share in _shares(moved):
        name = ratio("words", reading, 100 * share)
        found |= _ratio(*increases(moved, "trained", "words", reading, share), name, seed)
        as_shuffled |= _ratio(*shuffled, name, seed)
        for null in NULLS:
            rises, texts = increases(moved, null, "words", reading, share)
            found[f"{name}, {null}"] = float(np.exp(rises.mean()))
            if null == "fresh":
                as_null |= _ratio(rises, texts, name, seed)
    found["ppl ratio, all words shuffled"] = float(np.exp(shuffled[0].mean()))
    numbers = _numbers(found)
    return numbers, {
        ALL_SHUFFLED: numbers | _numbers(as_shuffled),
        NULL_MODEL: numbers | _numbers(as_null),
    }


def _few(reading: str, tables: Tables, seed: int) -> Result:
    numbers, controls = _words(reading, tables, seed)
    return numbers, {ALL_SHUFFLED: controls[ALL_SHUFFLED]}


def _many(reading: str, tables: Tables, seed: int) -> Result:
    numbers, controls = _words(reading, tables, seed)
    return numbers, {NULL_MODEL: controls[NULL_MODEL]}


def _pooled(moved: Columns, level: str, reading: str) -> tuple[Array, tuple[str, ...]]:
    each = [increases(moved, "trained", level, reading, share) for share in POOLED]
    return np.mean([rises for rises, _ in each], axis=0), each[0][1]


def _quotient(top: Array, bottom: Array, chosen: Any) -> float:
    return float(top[chosen].mean() / bottom[chosen].mean())


def _alike(one: str, other: str, tables: Tables, seed: int) -> Result:
    moved = tables["tolerance"]
    found: dict[str, float] = {}
    nothing: dict[str, float] = {}
    for reading in READINGS:
        (top, texts), (bottom, _) = (_pooled(moved, level, reading) for level in (one, other))
        name = f"cost of {one} / {other}, {reading}"
        low, high = over_prompts(partial(_quotient, top, bottom), texts, seed)
        found |= {name: float(top.mean() / bottom.mean()), f"{name}, 2.5 %": low, f"{name}, 97.5 %": high}
        nothing |= dict.fromkeys((name, f"{name}, 2.5 %", f"{name}, 97.5 %"), 0.0)
    for level in LEVELS:
        for reading in READINGS:
            for share in _shares(moved):
                name = ratio(level, reading, 100 * share)
                found |= _ratio(*increases(moved, "trained", level, reading, share), name, seed)
    numbers = _numbers(found)
    return numbers, {AS_IT_IS: numbers | _numbers(nothing)}


# -- long contexts -------------------------------------------------------------------------------------------------


def _length(mode: str, tables: Tables, seed: int) -> Result:
    mine = rows(tables["outputs"], mode=mode)
    shares = {
        name: cube(mine, name, ("seed", "layer", "head")).reshape(len(np.unique(mine["seed"])), -1)
        for name in ("outside_inside", "outside_late", "outside_beyond", "outside_other_head")
    }
    seeds = [str(each) for each in np.unique(mine["seed"])]
    found = {f"% {name.replace('_', ' ')}": 100 * float(np.nanmean(values)) for name, values in shares.items()}
    excess = np.nanmean(shares["outside_beyond"] - shares["outside_late"], axis=0)
    found["% of heads with an excess above 0.05"] = 100 * float(np.mean(excess > 0.05))
    texts = rows(tables["contexts"], mode=mode)
    found |= {
        "nll inside": float(texts["nll_inside"].mean()),
        "nll beyond": float(texts["nll_beyond"].mean()),
        "training length": float(texts["length"][0]),
        "tokens beyond": float(texts["extra"][0]),
    }
    numbers = _numbers(found) | _excess(shares["outside_beyond"], shares["outside_late"], seeds, seed)
    control = _excess(shares["outside_other_head"], shares["outside_late"], seeds, seed)
    return numbers, {NEXT_HEAD: numbers | control}


def _excess(beyond: Array, late: Array, seeds: list[str], seed: int) -> Numbers:
    each = np.nanmean(beyond - late, axis=1)
    low, high = over_prompts(lambda chosen: float(each[chosen].mean()), seeds, seed)
    return _numbers(
        {"excess outside": float(each.mean()), "excess outside, 2.5 %": low, "excess outside, 97.5 %": high}
    )


ON_CONTEXTS: Mapping[str, Callable[[Tables, int], Result]] = {
    **{f"tolerance.few-{reading}": partial(_few, reading) for reading in READINGS},
    **{f"tolerance.many-{reading}": partial(_many, reading) for reading in READINGS},
    "tolerance.indices-like-features": partial(_alike, "indices", "keys"),
    "tolerance.words-like-indices": partial(_alike, "words", "indices"),
    **{
        f"length.{mode.replace('+', '-')}": partial(_length, mode)
        for mode in ("full", "windowed", "windowed+sink", "capped")
    },
}
