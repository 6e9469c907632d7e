"""The geometry that toys are measured by (`mechanism.py`), for every plane of every head of a real model.

A rotary plane is a complex coordinate, `first + i second`: before rotation queries `q` and keys `k`, after it `q~` and
`k~`. Its logit at a causal pair is `Re(q~_i conj(k~_j))`, before scaling, `j <= i`. The first token, the attention
sink, is neither a query nor a key. All sums over pairs go by running sums over keys and by Fourier transforms along
diagonals: O(planes n log n) time a head, no `n x n` array.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from headproof.checks.report import versions
from headproof.checks.trained import kept
from headproof.checks.trained.canonical.mechanism import directions
from headproof.checks.trained.capture import capture
from headproof.checks.trained.conform import CapturedLayer, key_heads, turn
from headproof.checks.trained.corpus import Text
from headproof.checks.trained.disentanglement.assembling import joined, tagged
from headproof.checks.trained.disentanglement.generalize import passage, require_single
from headproof.checks.trained.disentanglement.heads import Passage
from headproof.checks.trained.memory import keeping_memory
from headproof.checks.trained.models import Model, facts_of
from headproof.checks.trained.nulls import fresh, shuffled
from headproof.checks.trained.planes import RotaryPlanes, layer_planes
from headproof.theory.errors import InputError

Array = np.ndarray[Any, Any]
Columns = dict[str, Array]
Progress = Callable[[str, int, int], None]
TABLE = "planes"
NULLS: dict[str, Callable[[Model, int], Model]] = {"fresh": fresh, "shuffled": shuffled}
# Folders of the code that a measurement runs through.
CODE = ("checks/trained", "checks/trained/canonical", "checks/trained/disentanglement")
LEAST_TOKENS = 16
DEFINITIONS = {
    "group": "trained, or the null: fresh (a new initialisation), shuffled (trained matrices, entries permuted)",
    "null_seed": "seed of the null model; -1 for the trained model",
    "text": "name of the text",
    "layer": "0-based layer",
    "head": "0-based query head",
    "plane": "0-based rotary plane in the head's own order",
    "frequency": "angle from a position to the next, radians",
    "wavelength": "tokens a full turn, over the tokens of the text; infinite for an angle of 0",
    "key_resultant": "|mean over tokens of k/|k||, keys before rotation, without the first; 0 if all are 0",
    "query_resultant": "the same of the head's queries",
    "key_share": "|mean key|^2 over mean |key|^2; NaN if all keys are 0",
    "power": "variance of the plane's logits over causal pairs, as a share of its sum over the head's planes",
    "seen_power": "the same of the variance between the keys of one query, the part that softmax sees",
    "position_share": "share of the plane's logit variance over causal pairs that the distance explains; NaN for none",
}
# Kept in double precision: the angles of slow planes are small.
EXACT = ("frequency", "wavelength")


@dataclass(frozen=True, eq=False)
class PlaneLogits:
    """Moments of the logits of planes over causal pairs, arrays (heads, planes), from rotated vectors.

    `variance` is over all pairs, `seen` the part of it between the keys of one query (variance within rows), `distance`
    the part between diagonals. All are of the logits before scaling, squared, and 0 where rounding is all there is.
    """

    variance: Array
    seen: Array
    distance: Array

    @classmethod
    def of(cls, queries: Array, keys: Array, window: int | None = None) -> PlaneLogits:
        """From complex `queries` and `keys` (heads, n, planes) after rotation; query `i` sees the keys
        `i - window < j <= i`, or all `j <= i`."""
        n = keys.shape[1]
        width = n if window is None else min(window, n)
        seen = np.minimum(np.arange(1, n + 1), width)
        pairs = int(seen.sum())

        def running(values: Array) -> Array:
            sums = np.cumsum(values, axis=1)
            sums[:, width:] -= sums[:, : n - width].copy()
            return sums

        # Re(z)^2 = (|z|^2 + Re(z^2)) / 2, so that sums over keys need sums of k, |k|^2 and k^2 alone.
        rows = (queries * running(keys).conj()).real
        squares = (np.abs(queries) ** 2 * running(np.abs(keys) ** 2)).sum(axis=1)
        squares = (squares + (queries**2 * running(keys**2).conj()).real.sum(axis=1)) / 2
        spectrum = np.fft.fft(queries, 2 * n, axis=1) * np.fft.fft(keys, 2 * n, axis=1).conj()
        diagonals = np.fft.ifft(spectrum, axis=1)[:, :width].real
        lengths = np.arange(n, n - width, -1)
        mean = rows.sum(axis=1) / pairs
        of_rows = (rows**2 / seen[:, None]).sum(axis=1)
        of_diagonals = (diagonals**2 / lengths[:, None]).sum(axis=1)
        rounding = 8 * n * np.finfo(float).eps * squares

        def part(sums: Array) -> Array:
            return np.where(sums > rounding, sums, 0) / pairs

        return cls(part(squares - pairs * mean**2), part(squares - of_rows), part(of_diagonals - pairs * mean**2))


def resultants(vectors: Array) -> Array:
    """`|mean over tokens of v/|v||` of complex vectors (heads, tokens, planes): (heads, planes); 1 for equal ones."""
    return np.asarray(np.abs(directions(vectors).mean(axis=1)))


def shares_of_mean(vectors: Array) -> Array:
    """`|mean v|^2 / mean |v|^2` over tokens of complex vectors (heads, tokens, planes); NaN where all are 0."""
    return _ratio(np.abs(vectors.mean(axis=1)) ** 2, (np.abs(vectors) ** 2).mean(axis=1))


def _ratio(part: Array, whole: Array) -> Array:
    missing = np.full(np.broadcast(part, whole).shape, np.nan)
    return np.asarray(np.divide(part, whole, out=missing, where=whole > 0))


def plane_vectors(vectors: torch.Tensor, planes: RotaryPlanes) -> Array:
    """Vectors (heads, tokens, d) as complex numbers by plane: (heads, tokens, planes), without the first token."""
    pairs = vectors[:, 1:].double()[..., planes.pairs.to(vectors.device)].cpu().numpy()
    return np.asarray(pairs[..., 0] + 1j * pairs[..., 1])


def layer_columns(layer: CapturedLayer, planes: RotaryPlanes) -> Columns:
    """One row a head and turning plane of a captured layer, in this order.

    Raises InputError for a layer whose queries see other keys than the last ones before them.
    """
    _require_band(layer)
    read = key_heads(layer, torch.arange(layer.heads)).numpy()
    everything = slice(0, layer.length)
    plain = [plane_vectors(vectors, planes) for vectors in (layer.queries, layer.keys)]
    queries, keys = (plane_vectors(turn(layer, vectors, everything), planes) for vectors in (layer.queries, layer.keys))
    logits = PlaneLogits.of(queries, keys[read], layer.window)
    heads, count = logits.variance.shape
    frequency = np.array(planes.frequencies)
    with np.errstate(divide="ignore"):
        wavelength = 2 * np.pi / frequency / layer.length
    columns = {
        "layer": np.full((heads, count), layer.index),
        "head": np.arange(heads)[:, None],
        "plane": np.arange(count),
        "frequency": frequency,
        "wavelength": wavelength,
        "key_resultant": resultants(plain[1])[read],
        "query_resultant": resultants(plain[0]),
        "key_share": shares_of_mean(plain[1])[read],
        "power": _ratio(logits.variance, logits.variance.sum(axis=1, keepdims=True)),
        "seen_power": _ratio(logits.seen, logits.seen.sum(axis=1, keepdims=True)),
        "position_share": np.minimum(_ratio(logits.distance, logits.variance), 1),
    }
    return {name: np.broadcast_to(values, (heads, count)).reshape(-1) for name, values in columns.items()}


def _require_band(layer: CapturedLayer) -> None:
    places = torch.arange(layer.length, device=layer.visible.device)
    apart = places[:, None] - places
    width = layer.length if layer.window is None else layer.window
    if not torch.equal(layer.visible, (apart >= 0) & (apart < width)):
        raise InputError(
            f"{layer.architecture} layer {layer.index}: its queries do not see just the last keys before them",
            "planes are measured where every distance up to the window is seen from every place",
        )


def measure_passage(model: Model, text: Passage) -> Columns:
    """The columns of all turning planes of a model on one text, from one pass; tags of group, seed and text are left
    to the caller. Raises InputError for fewer than LEAST_TOKENS tokens and models that turn no plane."""
    if len(text.tokens) < LEAST_TOKENS:
        raise InputError(f"planes over {len(text.tokens)} tokens", f"give {LEAST_TOKENS} or more")
    with keeping_memory():
        captured = capture(model, text.tokens)
        layouts = layer_planes(captured)
        turning = [layer for layer in captured.layers if layouts[layer.index].count]
        if not turning:
            raise InputError(f"{model.source.name} has no rotary planes", "planes are those of rotary positions")
        return joined([layer_columns(layer, layouts[layer.index]) for layer in turning])


def measure(
    model: Model,
    texts: Sequence[Text],
    tokens: int,
    null_seeds: Sequence[int],
    progress: Progress = lambda *_: None,
    resume: bool = True,
) -> pa.Table:
    """All planes of a model and its nulls on the first `tokens` tokens of each text; columns are DEFINITIONS.

    Each model's text is a piece that is kept in the cache; `progress(what, done, total)` is called after each. Raises
    InputError for no texts, texts that are too short, nulls, models in half precision or without a tokenizer.
    """
    if model.null:
        raise InputError(f"the model given is a null itself ({model.null})", "give the trained one")
    if not texts:
        raise InputError("no texts are given", "give one or more")
    require_single(model)
    passages = [passage(model, text, tokens) for text in texts]
    groups = [("trained", -1), *((group, seed) for seed in null_seeds for group in NULLS)]
    parts: list[Columns] = []
    for group, seed in groups:
        for text, columns in _measured(model, group, seed, passages, resume):
            parts.append(tagged(columns, group=group, null_seed=seed, text=text))
            what = f"{group}{'' if seed < 0 else f' {seed}'}: {text}"
            progress(what, len(parts), len(groups) * len(passages))
    return as_table(joined(parts), describe(model, texts, tokens, null_seeds))


def _measured(
    model: Model, group: str, seed: int, passages: Sequence[Passage], resume: bool
) -> Iterator[tuple[str, Columns]]:
    """The columns of each text of one model; a null is made when a piece of it is first missing."""
    subject: Model | None = None
    for text in passages:
        place = kept.place_of("geometry", model, [group, seed, text.tokens], CODE)
        if resume and place is not None and (found := kept.take_up(place, (TABLE,))) is not None and found[TABLE]:
            yield text.name, found[TABLE]
            continue
        if subject is None:
            subject = NULLS[group](model, seed) if group in NULLS else model
        columns = measure_passage(subject, text)
        if place is not None:
            kept.keep(place, {TABLE: columns})
        yield text.name, columns


def describe(model: Model, texts: Sequence[Text], tokens: int, null_seeds: Sequence[int]) -> dict[str, Any]:
    """All that one needs to make the table again, but the command."""
    plan = {"tokens": tokens, "null_seeds": list(null_seeds), "texts": {text.name: text.sha256 for text in texts}}
    return {"versions": versions(), **facts_of(model), "plan": plan}


def as_table(columns: Columns, about: dict[str, Any]) -> pa.Table:
    """An Arrow table of the columns of DEFINITIONS, each field with its definition; `about` goes along."""
    fields, arrays = [], []
    for name, meaning in DEFINITIONS.items():
        values = np.asarray(columns[name])
        if values.dtype.kind in "US":
            array = pa.array([str(value) for value in values], pa.string()).dictionary_encode()
        elif values.dtype.kind in "iu":
            array = pa.array(values, pa.int64() if name == "null_seed" else pa.int32())
        else:
            array = pa.array(values.astype(np.float64 if name in EXACT else np.float32))
        arrays.append(array)
        fields.append(pa.field(name, array.type, metadata={"definition": meaning}))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, {b"headproof": json.dumps(about).encode()}))
