"""How long sequences may be by the discrepancy theory: the leads of the two constructions at a trained head's angle.

A trained head is taken for a construction of DYN, theorem 3.1: one plane of its weighted mean RoPE angle, and a scale,
by which the logits are that many times the construction's cosines (lemma F.1's inverse temperature). The *lead* is the
smallest distance, over the inputs up to a length, of the right key's logit from the best other one's, before the scale:

* Index, all keys one vector: `1 - max cos(u theta)`, u = 1 .. n - 1 (`theory.discrepancy.best_other`), each cosine an
  enclosure of arb;
* Retrieval, keys at the angle of their left letter: the least `cos(t theta)` of a match, less the largest cosine of a
  wrong letter at another place (`theory.discrepancy.smallest_wrong_gap`), in floating point.

Attention on the target is above 1/2 on every input up to the length if and only if the scale is above `needed`, which
grows with the length: the target must outweigh all other keys together, each of them the worst that it can be. For
Index this is what the construction needs to decode (`theory.discrepancy.temperature`); for Retrieval, whose answer wins
with less where wrong letters differ, it is what it needs at angles so small that one wrong letter is the nearest at
every place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, log, pi
from typing import Any

import numpy as np

from headproof.theory.angles import Angle
from headproof.theory.discrepancy.temperature import smallest_beta
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

CONSTRUCTIONS = ("index", "retrieval")
LONGEST = 4096
SHORTEST = 3
HALVINGS = 60
PREDICTED = {
    "construction": "index: all keys one vector; retrieval: keys at the angle of their left letter",
    "angle": "RoPE angle of the one plane, radians per position",
    "scale": "logit scale: the logits are so many times the construction's cosines",
    "length": "longest input, tokens",
    "lead": "smallest lead of the right key over the best other one, over all inputs up to the length, at scale 1",
    "enough": "scale at which that lead alone is enough for a weight above 1/2: ln(length - 1) / lead",
    "weight": "smallest attention weight on the target over all inputs up to the length, at that scale",
    "needed": "smallest scale at which the weight is above 1/2 on all inputs up to the length; inf if there is none",
    "suffices": "whether the head's scale is above it",
}


@dataclass(frozen=True)
class Prediction:
    """One row of PREDICTED."""

    construction: str
    angle: float
    scale: float
    length: int
    lead: float
    enough: float
    weight: float
    needed: float
    suffices: bool


def predicted(
    angle: float, scale: float, lengths: Iterable[int], letters: int = 8, constructions: Iterable[str] = CONSTRUCTIONS
) -> list[Prediction]:
    """Leads and the scales that they need, for each construction and length; `letters` of the Retrieval construction.

    O(largest length * lengths * 80). Raises InputError for angles and scales that are no numbers, lengths out of range,
    fewer than two letters and unknown constructions.
    """
    _require(angle, "the angle")
    _require_scale(scale)
    sizes = [_length(length) for length in lengths]
    rows = []
    for construction in constructions:
        for length in sizes:
            lead = smallest_lead(construction, angle, length, letters)
            needed = needed_scale(construction, angle, length, letters)
            enough = log(length - 1) / lead if lead > 0 else float("inf")
            weight = smallest_weight(construction, angle, scale, length, letters)
            rows.append(Prediction(construction, angle, scale, length, lead, enough, weight, needed, scale > needed))
    return rows


def longest(construction: str, angle: float, scale: float, letters: int = 8, most: int = 1024) -> int:
    """The greatest length, up to `most`, on all inputs up to which a head of this scale has a weight above 1/2 on its
    target; 2 if already 3 tokens are too many. O(most log most). Raises InputError as `predicted`."""
    _require_scale(scale)
    low, high = SHORTEST - 1, _length(most) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if scale > needed_scale(construction, angle, middle, letters):
            low = middle
        else:
            high = middle
    return low


def needed_scale(construction: str, angle: float, length: int, letters: int = 8) -> float:
    """The smallest scale at which a construction's weight on the target is above 1/2 on all inputs up to the length;
    infinite if there is none. Raises InputError as `predicted`."""
    _known(construction, letters)
    _require(angle, "the angle")
    n = _length(length)
    if construction == "index":
        return smallest_beta("index", n, abs(angle))
    if (lead := smallest_lead(construction, angle, n, letters)) <= 0:
        return float("inf")
    low, high = 0.0, log(n - 1) / lead  # n - 1 rivals, none of them nearer than the lead
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if smallest_weight(construction, angle, middle, n, letters) > 0.5 else (middle, high)
    return high


def smallest_weight(construction: str, angle: float, scale: float, length: int, letters: int = 8) -> float:
    """The smallest attention weight on the target over all inputs up to a length. Raises InputError as `predicted`."""
    _known(construction, letters)
    _require(angle, "the angle")
    _require_scale(scale)
    n = _length(length)
    places = np.arange(n)
    if construction == "index":
        # Keys before the target and after it, as far as the query's place lets them be.
        sums = np.concatenate([[0.0], np.cumsum(np.exp(-2 * scale * np.sin(places[1:] * angle / 2) ** 2))])
        return float(1 / (1 + (sums + sums[::-1]).max()))
    # Logarithms, for at a large scale the rivals of one target are nothing beside those of another.
    wrong = scale * _wrong(angle, n, letters)
    before = np.concatenate([[-np.inf], np.logaddexp.accumulate(wrong)[:-1]])
    after = np.concatenate([np.logaddexp.accumulate(wrong[::-1])[-2::-1], [-np.inf]])
    rest = (np.logaddexp(before, after) - scale * np.cos(places * angle)).max()
    return float(np.exp(-np.logaddexp(0.0, rest)))


def smallest_lead(construction: str, angle: float, length: int, letters: int = 8) -> float:
    """The smallest lead at scale 1 over all inputs up to a length; negative where another key leads.

    Raises InputError as `predicted`.
    """
    _known(construction, letters)
    _require(angle, "the angle")
    n = _length(length)
    if construction == "index":
        theta = Angle(Fraction(0), Fraction(angle))
        return min(float((1 - (theta * u).cos()).mid()) for u in range(1, n))
    wrong, places = _wrong(angle, n, letters), np.arange(n)
    second, best = wrong.argsort()[-2:]
    # The wrong letter stands at another place than the match.
    rivals = np.where(places == best, wrong[second], wrong[best])
    return float((np.cos(places * angle) - rivals).min())


def _wrong(angle: float, n: int, letters: int) -> Any:
    """The largest cosine that a key of a wrong letter can have at each distance."""
    offsets = 2 * pi / letters * np.arange(1, letters)
    return np.cos(offsets[:, None] + np.arange(n) * angle).max(axis=0)


def _known(construction: str, letters: int) -> None:
    if construction not in CONSTRUCTIONS:
        raise InputError(f"unknown construction {construction!r:.40}", f"there are {', '.join(CONSTRUCTIONS)}")
    require_integer(letters, "the number of letters", 2)


def _length(length: int) -> int:
    size = require_integer(length, "a length", SHORTEST)
    if size > LONGEST:
        raise InputError(f"a length of {size}", f"take up to {LONGEST}")
    return size


def _require(value: float, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not isfinite(value):
        raise InputError(f"{what} is {value!r:.40}", "give a finite number")


def _require_scale(scale: float) -> None:
    _require(scale, "the scale")
    if scale < 0:
        raise InputError(f"the scale is {scale!r:.40}", "give 0 or more")
