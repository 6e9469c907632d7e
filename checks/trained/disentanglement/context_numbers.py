"""The numbers of each empirical claim about moved words and long contexts, and those of its controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from headproof.checks.trained.comparing import Result, numbers_of
from headproof.checks.trained.disentanglement.tolerance import LEVELS, NONE, READINGS, SHUFFLED
from headproof.checks.trained.evidence import cube, over_prompts
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.disentanglement.tolerance_claims import (
    ALL_SHUFFLED,
    NEXT_HEAD,
    NULL_MODELS,
    OTHER_SHARE,
    WITHIN,
    ratio,
)

Array = np.ndarray[Any, Any]
Tables = Mapping[str, Columns]
POOLED = (0.05, 0.1, 0.2)


# -- moved words ---------------------------------------------------------------------------------------------------


def increases(
    moved: Columns, group: str, level: str, reading: str, share: float, still: bool = False
) -> tuple[Array, tuple[str, ...]]:
    """How much the mean negative log-likelihood rises, `(texts,)`, mean over seeds (nats a token), and the texts.

    With `still`, of the predictions alone whose target and last token did not move.
    """
    mine = rows(moved, group=group)
    found = rows(mine, level=level, reading=reading, asked=share)
    texts = tuple(sorted(set(found["text"].tolist())))
    if still:
        rises = found["nll_still"] - found["plain_still"]
    else:
        plain = rows(mine, reading=NONE)
        base = dict(zip(plain["text"].tolist(), plain["nll"].tolist(), strict=True))
        rises = found["nll"] - np.array([base[text] for text in found["text"].tolist()])
    return np.array([float(np.nanmean(rises[found["text"] == text])) for text in texts]), texts


def _ratio(rises: Array, texts: tuple[str, ...], name: str, seed: int) -> dict[str, float]:
    """The ratio of perplexities, and its 95 % bootstrap interval over texts."""
    low, high = over_prompts(lambda chosen: float(np.exp(rises[chosen].mean())), texts, seed)
    return {name: float(np.exp(rises.mean())), f"{name}, 2.5 %": low, f"{name}, 97.5 %": high}


def shares_of(moved: Columns) -> list[float]:
    """The shares of words that were asked to move, rising."""
    asked = moved["asked"][np.isin(moved["reading"], READINGS)]
    return sorted({float(share) for share in asked})


def _words(reading: str, tables: Tables, seed: int) -> Result:
    moved = tables["tolerance"]
    found: dict[str, float] = {}
    controls: dict[str, dict[str, float]] = {name: {} for name in (ALL_SHUFFLED, *NULL_MODELS.values())}
    shuffled = increases(moved, "trained", "words", SHUFFLED, 1.0)
    for share in shares_of(moved):
        name = ratio("words", reading, 100 * share)
        found |= _ratio(*increases(moved, "trained", "words", reading, share), name, seed)
        still, _ = increases(moved, "trained", "words", reading, share, still=True)
        found[f"{name}, unmoved tokens after unmoved ones"] = float(np.exp(still.mean()))
        mine = rows(moved, group="trained", reading=reading, asked=share, level="words")
        found[f"% moved, {reading}, {100 * share:g} % asked"] = 100 * float(np.mean(mine["reached"]))
        controls[ALL_SHUFFLED] |= _ratio(*shuffled, name, seed)
        for null, control in NULL_MODELS.items():
            rises, texts = increases(moved, null, "words", reading, share)
            found[f"{name}, {null}"] = float(np.exp(rises.mean()))
            controls[control] |= _ratio(rises, texts, name, seed)
    found["ppl ratio, all words shuffled"] = float(np.exp(shuffled[0].mean()))
    numbers = numbers_of(found)
    return numbers, {name: numbers | numbers_of(values) for name, values in controls.items()}


def _few(reading: str, tables: Tables, seed: int) -> Result:
    numbers, controls = _words(reading, tables, seed)
    return numbers, {ALL_SHUFFLED: controls[ALL_SHUFFLED]}


def _many(reading: str, tables: Tables, seed: int) -> Result:
    numbers, controls = _words(reading, tables, seed)
    return numbers, {name: controls[name] for name in NULL_MODELS.values()}


def _pooled(moved: Columns, level: str, reading: str) -> tuple[Array, tuple[str, ...]]:
    each = [increases(moved, "trained", level, reading, share) for share in POOLED]
    return np.mean([rises for rises, _ in each], axis=0), each[0][1]


def _quotient(top: Array, bottom: Array, chosen: Any = slice(None)) -> float:
    """Ratio of two mean increases; NaN where there is none to divide by."""
    below = float(bottom[chosen].mean())
    return float(top[chosen].mean()) / below if below else float("nan")


def _compared(top: Array, bottom: Array, texts: tuple[str, ...], name: str, seed: int) -> dict[str, float]:
    low, high = over_prompts(partial(_quotient, top, bottom), texts, seed)
    return {name: _quotient(top, bottom), f"{name}, 2.5 %": low, f"{name}, 97.5 %": high}


def _alike(one: str, other: str, tables: Tables, seed: int) -> Result:
    moved = tables["tolerance"]
    found: dict[str, float] = {}
    control: dict[str, float] = {}
    for reading in READINGS:
        for level in (one, other):
            rises, texts = _pooled(moved, level, reading)
            low, _ = over_prompts(partial(_mean, rises), texts, seed)
            found |= {f"cost of {level}, {reading}": float(rises.mean()), f"cost of {level}, {reading}, 2.5 %": low}
        (top, texts), (bottom, _) = (_pooled(moved, level, reading) for level in (one, other))
        name = f"cost of {one} / {other}, {reading}"
        found |= _compared(top, bottom, texts, name, seed)
        most, least = (increases(moved, "trained", one, reading, share)[0] for share in (POOLED[-1], POOLED[0]))
        control |= _compared(most, least, texts, name, seed)
    for level in LEVELS:
        for reading in READINGS:
            for share in shares_of(moved):
                name = ratio(level, reading, 100 * share)
                found |= _ratio(*increases(moved, "trained", level, reading, share), name, seed)
    numbers = numbers_of(found)
    return numbers, {OTHER_SHARE: numbers | numbers_of(control)}


def _mean(values: Array, chosen: Any) -> float:
    return float(values[chosen].mean())


# -- long contexts -------------------------------------------------------------------------------------------------


def _length(mode: str, tables: Tables, seed: int) -> Result:
    del seed  # nothing is drawn
    mine = _seeing_beyond(rows(tables["outputs"], mode=mode), int(tables["contexts"]["length"][0]))
    orders = len(np.unique(mine["seed"]))
    shares = {
        name: cube(mine, name, ("seed", "layer", "head")).reshape(orders, -1)
        for name in ("outside_inside", "outside_late", "outside_beyond", "outside_other_head")
    }
    texts = rows(tables["contexts"], mode=mode)
    found = {f"% {name.replace('_', ' ')}": 100 * float(np.mean(values)) for name, values in shares.items()}
    found |= {
        "heads": float(shares["outside_beyond"].shape[1]),
        "nll inside": float(texts["nll_inside"].mean()),
        "nll beyond": float(texts["nll_beyond"].mean()),
        "training length": float(texts["length"][0]),
        "tokens beyond": float(texts["extra"][0]),
    }
    numbers = numbers_of(found | _excess(shares["outside_beyond"], shares["outside_late"]))
    return numbers, {NEXT_HEAD: numbers | numbers_of(_excess(shares["outside_other_head"], shares["outside_late"]))}


def _seeing_beyond(outputs: Columns, length: int) -> Columns:
    """The rows of layers without a window of their own, or with one beyond the training length."""
    kept = (outputs["window"] == 0) | (outputs["window"] > length)
    return {name: values[kept] for name, values in outputs.items()}


def _excess(beyond: Array, late: Array) -> dict[str, float]:
    """Of shares `(orders, heads)`: mean over heads in the worst and the best order, and heads beyond WITHIN."""
    each = (beyond - late).mean(axis=1)
    heads = (beyond - late).mean(axis=0)
    return {
        "largest excess of an order": float(each.max()),
        "least excess of an order": float(each.min()),
        "% of heads with an excess above 0.05": 100 * float(np.mean(heads > WITHIN)),
    }


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
