"""gen.length: what attention hands out beyond the length that a model was trained on, in several modes.

A long text, the corpus in a random order, runs through the model up to the training length L once, and from there on in
every mode:

* `full`: each query sees all keys at their own distances, some of which were never trained;
* `windowed`: the last L keys;
* `windowed+sink`: the first 4 tokens and the last L - 4, the first ones no further away than L - 1;
* `capped`: all keys, those further away than L - 1 at the distance L - 1.

Layers with a sliding window of their own keep it. Whether the attention outputs of a head beyond L are like those
inside is decided against the outputs inside of the same texts in other orders (`outside`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.checks.trained.corpus import Text, corpus, long_text
from headproof.checks.trained.models import Model
from headproof.checks.trained.steering import CHUNK, LONGEST_CHECK, Steerer, Steering, require_conforming
from headproof.theory.errors import InputError

Columns = dict[str, np.ndarray[Any, Any]]
Floats = np.ndarray[Any, np.dtype[np.float32]]
Wide = np.ndarray[Any, np.dtype[np.float64]]
Progress = Callable[[str, int, int], None]
SINK, EXTRA, QUERIES = 4, 2048, 256
MODES = ("full", "windowed", "windowed+sink", "capped")
VARIANCE, COMPONENTS, REGION = 0.95, 16, 0.95
HEADS = {
    "seed": "seed of the text's order",
    "layer": "0-based layer",
    "head": "0-based query head",
    "mode": "how the queries beyond the training length attend",
    "components": "number of leading principal components of the reference, the outputs inside of the other orders",
    "outside_inside": "share of the seed's own outputs inside the training length that lie outside the region",
    "outside_late": "share of its outputs in the last `extra` tokens before the training length that lie outside it",
    "outside_beyond": "share of its outputs beyond the training length that lie outside it",
    "outside_other_head": "the control: share of the next head's outputs inside that lie outside this head's region",
}
TEXTS = {
    "seed": "seed of the text's order",
    "mode": "how the queries beyond the training length attend",
    "length": "training length L, tokens",
    "extra": "tokens after it",
    "repeats": "how often the corpus had to come again to be as long as that",
    "predictions": "number of predicted tokens in each of the two means",
    "nll_inside": "mean negative log-likelihood of the last tokens before L, nats",
    "nll_beyond": "mean negative log-likelihood of the tokens after L, nats",
}


@dataclass(frozen=True, eq=False)
class Piece:
    """What one seed's text gave.

    Attention outputs of all heads, float32 `(layers, heads, Q, d)`: `inside` at queries evenly spread over the second
    half of the training length, `beyond` at queries evenly spread over what follows, by mode; `layers` are the layers'
    numbers. Mean negative log-likelihoods in nats of `predictions` tokens, likewise.
    """

    seed: int
    length: int
    extra: int
    repeats: int
    layers: tuple[int, ...]
    inside: Floats
    beyond: dict[str, Floats]
    predictions: int
    nll_inside: float
    nll_beyond: dict[str, float]


def training_length(model: Model) -> int:
    """The number of positions that a model was made for, as its config says. Raises InputError if it does not say."""
    if (said := getattr(model.config, "max_position_embeddings", None)) is None:
        raise InputError(f"the config of {model.source.name} names no training length", "give one (--length)")
    return int(said)


def require_extra(extra: int, length: int) -> None:
    """Raise InputError for fewer than 2 tokens beyond the training length, and for more than half of it."""
    if not 2 <= extra <= length // 2:
        raise InputError(f"{extra} tokens beyond a training length of {length}", f"give 2 to {length // 2}")


def steering_of(mode: str, length: int) -> Steering:
    """How a mode steers beyond the training length. Raises InputError for an unknown mode or a length too short."""
    if length <= SINK:
        raise InputError(f"a training length of {length}", f"give more than {SINK} tokens")
    ways = {
        "full": Steering(),
        "windowed": Steering(window=length),
        "windowed+sink": Steering(window=length - SINK, sink=SINK, cap=length - 1),
        "capped": Steering(cap=length - 1),
    }
    if mode not in ways:
        raise InputError(f"no mode {mode!r}", f"there are {', '.join(MODES)}")
    return ways[mode]


def spread(start: int, stop: int, count: int) -> tuple[int, ...]:
    """At most `count` positions evenly spread from `start` to before `stop`."""
    return tuple(sorted({start + step * (stop - start) // count for step in range(count)}))


def measure_seed(
    steerer: Steerer,
    texts: Sequence[Text],
    seed: int,
    length: int | None = None,
    extra: int = EXTRA,
    modes: Sequence[str] = MODES,
    chunk: int = CHUNK,
    progress: Progress | None = None,
) -> Piece:
    """One seed's piece: a pass over `length` tokens (by default the model's), and one over `extra` from there per mode.

    `progress(what, done, total)` is told the tokens. Raises InputError for `extra` below 2 or above half the length,
    unknown modes, and what `Steerer.run` raises.
    """
    model = steerer.model
    length = training_length(model) if length is None else length
    ways = {mode: steering_of(mode, length) for mode in modes}
    if not ways:
        raise InputError("no mode is given", f"give some of {', '.join(MODES)}")
    require_extra(extra, length)
    tokens, repeats = long_text(model, texts, seed, length + extra)
    total = length + len(ways) * extra

    def told(what: str, before: int) -> Callable[[int, int], None]:
        return lambda done, _: None if progress is None else progress(f"seed {seed} {what}", before + done, total)

    prefix = steerer.run(
        tokens[:length],
        predict=range(length - extra, length - 1),
        outputs=spread(length // 2, length, QUERIES),
        chunk=chunk,
        progress=told("inside", 0),
    )
    beyond, nll = {}, {}
    for number, (mode, steering) in enumerate(ways.items()):
        ran = steerer.run(
            tokens[length:],
            steering,
            prefix.past,
            predict=range(length, length + extra - 1),
            outputs=spread(length, length + extra, QUERIES),
            chunk=chunk,
            progress=told(mode, length + number * extra),
        )
        beyond[mode], nll[mode] = _stacked(ran.outputs), float(ran.nll.mean())
        del ran  # and with it the keys and values of what follows, before the next mode makes its own
    return Piece(
        seed=seed,
        length=length,
        extra=extra,
        repeats=repeats,
        layers=tuple(prefix.outputs),
        inside=_stacked(prefix.outputs),
        beyond=beyond,
        predictions=len(prefix.nll),
        nll_inside=float(prefix.nll.mean()),
        nll_beyond=nll,
    )


def _stacked(outputs: dict[int, Floats]) -> Floats:
    """Outputs by layer as one array; narrower layers are filled up with zeros, which change no distance."""
    width = max(part.shape[-1] for part in outputs.values())
    filled = [np.pad(part, ((0, 0), (0, 0), (0, width - part.shape[-1]))) for part in outputs.values()]
    stacked: Floats = np.stack(filled)
    return stacked


# -- the statistic -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Region:
    """Where REGION of a reference lies: near its `mean` `(d,)` both within its leading components and beside them.

    Within: at Mahalanobis distances of at most `radius`, by the `axes` `(d, components)`, directions divided by their
    standard deviation. Beside: at most `beside` away from the span of these `directions` `(d, components)`.
    """

    mean: Wide
    axes: Wide
    directions: Wide
    radius: float
    beside: float

    def outside(self, vectors: np.ndarray[Any, Any]) -> float:
        """The share of vectors `(n, d)` that lie further out, within the components or beside them."""
        within, beside = _distances(vectors - self.mean, self.axes, self.directions)
        return float(np.mean((within > self.radius) | (beside > self.beside)))


def _distances(apart: Wide, axes: Wide, directions: Wide) -> tuple[Wide, Wide]:
    """Mahalanobis distances along axes, and distances from the span of directions, of vectors `(n, d)` from a mean."""
    rest = apart - (apart @ directions) @ directions.T
    return np.linalg.norm(apart @ axes, axis=-1), np.linalg.norm(rest, axis=-1)


def region(reference: np.ndarray[Any, Any]) -> Region:
    """The region of vectors `(n, d)`, in as few components as hold VARIANCE of the variance, COMPONENTS at most.

    `radius` and `beside` are empirical quantiles of the reference's own distances, each left out by half of what the
    region leaves out; `beside` is no smaller than what float32 rounding of the outputs makes.
    """
    wide = reference.astype(np.float64)
    mean = wide.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(wide - mean, rowvar=False, bias=True).reshape(wide.shape[1], -1))
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    # What rounding leaves of a direction without variance is none.
    varied = int(np.sum(values > values[0] * len(values) * np.finfo(np.float64).eps)) if values[0] > 0 else 0
    enough = 1 + int(np.searchsorted(np.cumsum(values), VARIANCE * values.sum()))
    count = min(varied, enough, COMPONENTS)
    directions = vectors[:, :count]
    axes = directions / np.sqrt(values[:count])
    within, beside = (np.quantile(each, (1 + REGION) / 2) for each in _distances(wide - mean, axes, directions))
    rounding = 16 * float(np.finfo(np.float32).eps) * float(np.linalg.norm(wide, axis=-1).max())
    return Region(mean, axes, directions, float(within), max(float(beside), rounding))


def outside(pieces: Sequence[Piece]) -> tuple[Columns, Columns]:
    """Columns of heads (`HEADS`) and of texts (`TEXTS`) of several seeds' pieces.

    For each seed and head the reference is what the texts gave inside the training length in the *other* seeds' orders.
    So `outside_inside` is what another order makes; were all outputs alike it would be about 1 - REGION. Raises
    InputError for fewer than two seeds, seeds that come twice, and pieces of different lengths, layers or modes.
    """
    _require_alike(pieces)
    heads: list[tuple[Any, ...]] = []
    for number, piece in enumerate(pieces):
        others = [one.inside for place, one in enumerate(pieces) if place != number]
        count = piece.inside.shape[1]
        for place, layer in enumerate(piece.layers):
            for head in range(count):
                own = region(np.concatenate([one[place, head] for one in others]))
                inside = own.outside(piece.inside[place, head])
                late = own.outside(piece.inside[place, head, _late(piece)])
                other = own.outside(piece.inside[place, (head + 1) % count]) if count > 1 else np.nan
                for mode, outputs in piece.beyond.items():
                    beyond = own.outside(outputs[place, head])
                    heads.append((piece.seed, layer, head, mode, own.axes.shape[1], inside, late, beyond, other))
    texts = [
        (one.seed, mode, one.length, one.extra, one.repeats, one.predictions, one.nll_inside, nll)
        for one in pieces
        for mode, nll in one.nll_beyond.items()
    ]
    return _columns(HEADS, heads), _columns(TEXTS, texts)


def _late(piece: Piece) -> slice:
    """Those of a piece's queries inside that stand in its last `extra` tokens."""
    places = spread(piece.length // 2, piece.length, QUERIES)
    return slice(sum(place < piece.length - piece.extra for place in places), None)


def measure(
    model: Model,
    seeds: Sequence[int],
    length: int | None = None,
    extra: int = EXTRA,
    modes: Sequence[str] = MODES,
    chunk: int = CHUNK,
    progress: Progress | None = None,
    texts: Sequence[Text] | None = None,
) -> tuple[Columns, Columns]:
    """Columns of heads (`HEADS`) and of texts (`TEXTS`) for two seeds or more, on the corpus or on other `texts`.

    Raises what `require_conforming`, `measure_seed` and `outside` raise.
    """
    if len(set(seeds)) < max(2, len(seeds)):
        raise InputError(f"seeds {tuple(seeds)}", "give two or more, all different: one text is held against others")
    read = corpus() if texts is None else tuple(texts)
    steerer = require_conforming(model, long_text(model, read, seeds[0], LONGEST_CHECK)[0])
    return outside([measure_seed(steerer, read, seed, length, extra, modes, chunk, progress) for seed in seeds])


def _require_alike(pieces: Sequence[Piece]) -> None:
    seeds = [piece.seed for piece in pieces]
    if len(set(seeds)) < max(2, len(seeds)):
        raise InputError(f"pieces of the seeds {seeds}", "give two or more, all different")
    kinds = {(one.length, one.extra, one.layers, one.inside.shape, tuple(one.beyond)) for one in pieces}
    if len(kinds) > 1:
        raise InputError("pieces of different lengths, layers or modes", "measure all seeds in the same way")


def _columns(names: dict[str, str], rows: Sequence[tuple[Any, ...]]) -> Columns:
    return {name: np.array(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}
