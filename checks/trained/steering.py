"""Forward passes in which queries and keys stand at chosen positions, and see chosen keys.

The model runs with its own code; only its attention is computed here (`attending.py`), from the queries and keys that
its rotary function was given and rotated by that same function to the positions that a `Steering` names. The model
itself is always told the text's own positions: transformers takes others for several texts in one row, and cuts the
mask. A `Steerer` comes from `require_conforming` alone, which compares it with the model's own attention first.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from headproof.checks.trained.attending import Angles, Attending, Stored
from headproof.checks.trained.capture import Capture, capture, check_rows
from headproof.checks.trained.conform import HALF, ROUNDOFF, ConformanceError
from headproof.checks.trained.models import Model
from headproof.checks.trained.modes import Steering
from headproof.checks.trained.recorder import Recorder
from headproof.checks.trained.rotary import CHOOSE, AttentionLayer, UnknownRotaryError, attention_layers
from headproof.checks.trained.watching import watching
from headproof.theory.errors import InputError

__all__ = ["Past", "Ran", "Steerer", "Steering", "require_conforming"]

Floats = np.ndarray[Any, np.dtype[np.float32]]
Progress = Callable[[int, int], None]
ORDER = Steering()
CHUNK = 512
# Logits over the vocabulary that are made at once: 128 MiB in float32.
LOGITS = 1 << 25
LONGEST_CHECK = 128
# Rotations that change with the length of the text: the keys of earlier chunks would have to be turned again.
GROWING = ("dynamic", "longrope")


@dataclass(frozen=True, eq=False)
class Past:
    """What a text's first `length` tokens leave behind for those that follow: keys and values of every layer.

    Never changed: any number of continuations may start from it. `keys` are the positions of its keys, None for their
    order.
    """

    length: int
    layers: dict[int, Stored]
    keys: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Ran:
    """What a pass gave.

    `past` for continuations; `nll` `(P,)` float64: the negative log-likelihood in nats of the token after each of the
    positions that were to predict; `outputs`: by layer, attention's sums of weighted values at the chosen queries,
    before the output projection, float32 `(heads, Q, d)`.
    """

    past: Past
    nll: np.ndarray[Any, np.dtype[np.float64]]
    outputs: dict[int, Floats]


@dataclass(frozen=True, eq=False)
class Steerer:
    """A model that was compared with itself (`require_conforming`), ready for passes in any mode.

    `windows` are the layers' own sliding windows in keys, 0 for none. `error` is the largest difference of a
    log-likelihood in that comparison, nats, and `tolerance` what was allowed.
    """

    model: Model
    layers: tuple[AttentionLayer, ...]
    angles: dict[int, Angles] = field(repr=False)
    windows: dict[int, int] = field(default_factory=dict)
    error: float = math.nan
    tolerance: float = math.nan

    @property
    def chunks(self) -> bool:
        """Whether a text may go through in chunks: every layer attends, so no other state passes between tokens."""
        return len(self.layers) == self.model.layers

    def run(
        self,
        tokens: Sequence[int] | Tensor,
        steering: Steering = ORDER,
        past: Past | None = None,
        *,
        predict: Sequence[int] = (),
        outputs: Sequence[int] = (),
        chunk: int = CHUNK,
        progress: Progress | None = None,
    ) -> Ran:
        """Run tokens, as a text of their own or after a `past`, and tell what they predict and attend to.

        `predict` and `outputs` are token positions counted from the start of the text, in rising order, among
        these tokens; the last of them predicts nothing. `chunk` tokens go through the model at once, which changes
        nothing but time and memory. The language-model head runs for `predict` alone. `progress(done, total)` is told
        the tokens.

        Raises InputError for positions that are not there, a past whose keys stand elsewhere than the steering says,
        a past for a model that carries more than attention from token to token (its texts run whole, whatever the
        chunk), and tokens or positions that the model does not take.
        """
        ids = torch.as_tensor(tokens).to(torch.int64)
        start = 0 if past is None else past.length
        stop = start + len(ids)
        _require_places("predict", predict, start, stop - 1)
        _require_places("outputs", outputs, start, stop)
        if not self.chunks and past is not None:
            raise InputError(f"{self.model.architecture} has layers without attention", "run the whole text at once")
        if min(chunk, len(ids)) < 2:  # with one position nobody can tell which axis of cos and sin is that of positions
            raise InputError(f"{len(ids)} tokens in chunks of {chunk}", "give at least two of both")
        _require_same_keys(past, steering)
        steering.positions(start, stop)
        self._reach(steering.reach)
        nll: list[Tensor] = []
        kept: dict[int, list[Tensor]] = {layer.index: [] for layer in self.layers}
        attending = self._attending(steering, past)
        for begin, end, logits in self._chunks(ids, attending, start, predict, outputs, chunk):
            if logits is not None:
                rows = [place for place in predict if begin <= place < end]
                targets = ids[torch.tensor(rows) + 1 - start].to(logits.device)
                nll.append(torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none"))
            for index, part in attending.outputs.items():
                kept[index].append(part)
            if progress is not None:
                progress(end - start, stop - start)
        keys = None if steering.keys is None else steering.keys[:stop]
        return Ran(
            Past(stop, attending.stored, keys),
            torch.cat(nll).double().cpu().numpy() if nll else np.empty(0),
            {index: torch.cat(parts, dim=1).float().cpu().numpy() for index, parts in kept.items() if parts},
        )

    def _attending(self, steering: Steering, past: Past | None = None) -> Attending:
        stored = {} if past is None else dict(past.layers)
        return Attending(Recorder(self.model.architecture, 0), self.angles, steering, stored)

    def _chunks(
        self, ids: Tensor, attending: Attending, start: int, predict: Sequence[int], outputs: Sequence[int], chunk: int
    ) -> Iterator[tuple[int, int, Tensor | None]]:
        """Chunk after chunk: where it begins and ends, and the logits `(P, vocabulary)` of its rows of `predict`."""
        module, stop = self.model.model, start + len(ids)
        small = max(2, LOGITS // int(module.get_input_embeddings().weight.shape[0]))
        begin = start
        while begin < stop:
            end = min(begin + chunk, stop) if self.chunks else stop
            if self.chunks and any(begin <= place < end for place in predict):
                end = min(end, begin + small)
            end = stop if stop - end == 1 else end
            rows = torch.tensor([place - begin for place in predict if begin <= place < end], dtype=torch.int64)
            wanted = torch.tensor([place - begin for place in outputs if begin <= place < end], dtype=torch.int64)
            given = {
                "input_ids": ids[None, begin - start : end - start].to(self.model.device),
                "position_ids": torch.arange(begin, end, device=self.model.device)[None],
                "use_cache": False,
            }
            attending.chunk(begin, end, wanted.to(self.model.device))
            try:
                with torch.no_grad(), watching(module, self.layers, attending):
                    logits = _logits(module, given, rows.to(self.model.device)) if len(rows) else None
                    if logits is None:
                        module.base_model(**given)
            except InputError:
                raise
            except (IndexError, NotImplementedError, RuntimeError, TypeError, ValueError, UnknownRotaryError) as error:
                said = (str(error).strip() or type(error).__name__).splitlines()[0]
                where = f"cannot be steered from token {begin} to {end - 1}"
                raise InputError(f"{self.model.architecture} {where}: {said}", CHOOSE) from error
            yield begin, end, logits
            begin = end

    def _reach(self, positions: int) -> None:
        """See the angles of the first `positions` positions, by passes that do not attend."""
        seen = min(angles.length for angles in self.angles.values())
        if seen < positions:
            nothing = torch.zeros(max(2, positions - seen), dtype=torch.int64)
            attending = replace(self._attending(ORDER), probing=True)
            for _ in self._chunks(nothing, attending, seen, (), (), CHUNK):
                pass


def _logits(module: Any, given: dict[str, Any], rows: Tensor) -> Tensor:
    """The model's logits of some rows of a chunk, `(rows, vocabulary)`."""
    if "logits_to_keep" in inspect.signature(module.forward).parameters:
        logits: Tensor = module(**given, logits_to_keep=rows).logits[0]
        return logits
    whole: Tensor = module(**given).logits[0, rows]
    return whole


def _require_places(name: str, places: Sequence[int], start: int, stop: int) -> None:
    for before, place in zip((start - 1, *places), places, strict=False):
        if not before < place < stop:
            raise InputError(f"{name} at position {place}", f"positions rise, from {start} to {stop - 1}")


def _require_same_keys(past: Past | None, steering: Steering) -> None:
    if past is None:
        return
    order = tuple(range(past.length))
    asked = order if steering.keys is None else steering.keys[: past.length]
    if asked != (past.keys or order):
        raise InputError("the past's keys stand at other positions than this steering says", "run the text anew")


# -- the comparison ------------------------------------------------------------------------------------------------


def require_conforming(model: Model, tokens: Sequence[int] | Tensor) -> Steerer:
    """The steerer of a model, after its unsteered pass over a short text has reproduced the model's own predictions.

    The text's first LONGEST_CHECK tokens are captured, which compares every layer's attention weights (`capture`),
    and run through by the model's own eager attention and by ours, in two chunks. Raises InputError for what `capture`
    refuses, half precision, models without rotation, rotations that change with the text's length, and models that do
    not take positions; ConformanceError where log-likelihoods differ by more than float32 rounding explains.
    """
    module = model.model
    captured = capture(model, tokens[:LONGEST_CHECK], rows=check_rows(min(len(tokens), LONGEST_CHECK)))
    _require_steerable(model, captured)
    windows = {layer.index: layer.window or 0 for layer in captured.layers}
    steerer = Steerer(model, attention_layers(module), _shared_angles(captured), windows)
    ids = torch.tensor(captured.tokens)
    every = range(len(ids))
    with torch.no_grad():
        own = module(input_ids=ids[None].to(model.device), use_cache=False).logits[0].double()
    chunks = steerer._chunks(ids, steerer._attending(ORDER), 0, every, (), max(2, math.ceil(len(ids) / 2)))
    ours = torch.cat([logits for *_, logits in chunks if logits is not None]).double()
    apart = float((torch.log_softmax(own, -1) - torch.log_softmax(ours, -1)).abs().max())
    tolerance = likelihood_tolerance(model, float(own.abs().max()))
    if not apart <= tolerance:
        raise ConformanceError(
            f"{model.architecture}: without any steering its log-likelihoods are {apart:.2g} nats away from its own "
            f"(allowed {tolerance:.2g})",
            "its attention is not supported",
        )
    return replace(steerer, error=apart, tolerance=tolerance)


def likelihood_tolerance(model: Model, largest: float) -> float:
    """How far float32 rounding may move a log-likelihood of a model whose logits are at most `largest`, nats.

    Two orders of the same sums of `width` products differ by about sqrt(width) roundoffs of their size, once for
    each of about eight products a layer, of which the squares add up: sqrt(8 layers width) roundoffs. Norms and softmax
    pass errors on with factors of order one; 16 is allowed for them.
    """
    width = int(model.config.hidden_size)
    return 16 * ROUNDOFF * math.sqrt(8 * model.layers * width) * max(1.0, largest)


def _require_steerable(model: Model, captured: Capture) -> None:
    if model.model.dtype in HALF:
        raise InputError(f"{model.architecture} is in {model.model.dtype}", "load it in float32 to steer it")
    if not any(layer.rotates for layer in captured.layers):
        raise InputError(f"{model.architecture} does not rotate queries and keys by positions", CHOOSE)
    if growing := [kind for kind in _rope_types(model.config.to_dict()) if kind in GROWING]:
        raise InputError(
            f"{model.architecture} is not supported: its angles change with the text ({growing[0]})", CHOOSE
        )
    if "position_ids" not in inspect.signature(model.model.base_model.forward).parameters:
        raise InputError(f"{model.architecture} is not supported: it takes no positions", CHOOSE)


def _rope_types(config: dict[str, Any]) -> Iterator[str]:
    for name, value in config.items():
        if isinstance(value, dict):
            yield from _rope_types(value)
        elif name == "rope_type" and isinstance(value, str):
            yield value


def _shared_angles(captured: Capture) -> dict[int, Angles]:
    """Where each rotating layer's cos and sin are noted; layers with the same share one place."""
    found: dict[int, Angles] = {}
    kinds: list[tuple[Tensor, Tensor, Angles]] = []
    for layer in captured.layers:
        if not layer.rotates:
            continue
        same = [kind for cos, sin, kind in kinds if torch.equal(cos, layer.cos) and torch.equal(sin, layer.sin)]
        if not same:
            same = [Angles()]
            kinds.append((layer.cos, layer.sin, same[0]))
        found[layer.index] = same[0]
    return found
