"""Reading scores: what kind of head a pair of scores makes, and at which wavelength a head's planes turn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headproof.theory.errors import InputError

KINDS = ("unseen", "neither", "positional", "symbolic", "both")


def kinds(positional: Any, symbolic: Any, gamma: float) -> Any:
    """Names from KINDS for pairs of scores (numpy arrays), at the margin `gamma` between 0 and 1/2.

    A head is *pure* if one score is at least `1 - gamma` and the other below it: positional or symbolic. Both scores
    at least `1 - gamma` say that swaps hardly matter, as under uniform attention; NaN is unseen.
    """
    if not 0 < gamma < 0.5:
        raise InputError(f"margin {gamma:g}", "a margin gamma lies between 0 and 0.5, such as 0.1")
    high, other = positional >= 1 - gamma, symbolic >= 1 - gamma
    code = 1 + high + 2 * other
    return np.asarray(KINDS)[np.where(np.isnan(positional), 0, code)]


def agreements(votes: Any) -> Any:
    """The share of votes that each boundary parts into positive ones before and negative ones after it.

    `votes` `(heads, planes)`, the fastest plane first, give `(heads, planes + 1)`: boundary k has k planes before it.
    NaN where no plane votes.
    """
    up, down = np.maximum(votes, 0), np.maximum(-votes, 0)
    nothing = np.zeros((len(votes), 1))
    before = np.concatenate([nothing, np.cumsum(up, axis=1)], axis=1)
    after = np.concatenate([np.cumsum(down[:, ::-1], axis=1)[:, ::-1], nothing], axis=1)
    total = np.abs(votes).sum(axis=1, keepdims=True)
    return np.divide(before + after, total, out=np.full(before.shape, np.nan), where=total > 0)


def turning_point(wavelengths: Any, purity: Any, energy: Any) -> tuple[float, float, float]:
    """(wavelength, agreement, constant): where the planes of one head turn from positional to symbolic.

    Planes agree with a wavelength if the shorter ones have positive purity and the longer ones negative purity. Each
    plane weighs its energy times the size of its purity: one that hardly moves the logits, or scores alike on both,
    tells little. `agreement` is the share of that weight that agrees, at the best of all boundaries between
    neighbouring planes, and `constant` the larger share that either end reaches, all positional or all symbolic. The
    wavelength is the geometric mean of its two neighbours, NaN if a boundary does no better than none.
    One-dimensional numpy arrays; a plane that does not turn has wavelength infinity.
    """
    order = np.argsort(wavelengths, kind="stable")
    waves = np.asarray(wavelengths, float)[order]
    agreement = agreements((np.asarray(energy, float) * np.asarray(purity, float))[order][None])[0]
    if np.isnan(agreement).any():  # a NaN, or nothing that tells
        return math.nan, math.nan, math.nan
    constant = float(max(agreement[0], agreement[-1]))
    inner = agreement[1:-1]
    inner = np.where(waves[1:] > waves[:-1], inner, 0.0)
    best = int(np.argmax(inner)) if len(inner) else 0
    if not len(inner) or not inner[best] > constant + 1e-12:
        return math.nan, constant, constant
    upper = waves[best + 1]
    place = math.sqrt(waves[best] * upper) if math.isfinite(upper) else float(waves[best])
    return place, float(inner[best]), constant
