"""Watching one forward pass: the rotary function and attention are wrapped, and record."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from headproof.checks.trained.conform import CapturedLayer, conforming
from headproof.checks.trained.rotary import (
    CHOOSE,
    EAGER,
    ROTARY,
    AttentionLayer,
    Place,
    Rotated,
    angle_rows,
    find_place,
    namespace_of,
    read_call,
    rotation,
    same_rotation,
)
from headproof.theory.errors import InputError

IMPLEMENTATION = "headproof_capture"
# A rotary function is wrapped for one pass at a time, and only the thread of that pass records.
_LOCK = threading.Lock()
_ACTIVE = threading.local()


@contextmanager
def watching(model: Any, layers: Sequence[AttentionLayer], recorder: Recorder) -> Iterator[None]:
    """Let `recorder` see every attention of this thread's passes through `model`; undone when the block ends.

    One block at a time runs in a process. Other threads may go on using the model: they attend as ever.
    """
    with _LOCK, _wrapped(layers), _implementation(model), _recording(recorder):
        yield


@dataclass(eq=False)
class Recorder:
    """What one pass has shown so far. `pending` are rotary calls that no attention has used yet."""

    architecture: str
    length: int
    pending: list[Rotated] = field(default_factory=list)
    layers: dict[int, CapturedLayer] = field(default_factory=dict)
    masks: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)

    def refusal(self, index: int, problem: str) -> InputError:
        """The error that names the architecture and the layer that is not understood."""
        return InputError(f"{self.architecture} is not supported: layer {index} {problem}", CHOOSE)

    def attention(
        self,
        module: Any,
        query: Tensor,
        key: Tensor,
        mask: Tensor | None,
        weights: Tensor | None,
        given: dict[str, Any],
    ) -> None:
        """Record one layer's attention, and compare it with the model's own `weights`."""
        index, pending, self.pending = module.layer_idx, self.pending, []
        if index in self.layers:
            raise self.refusal(index, "attends more than once in a pass")
        if not pending:
            raise self.refusal(index, f"attends without {ROTARY}")
        if given.get("s_aux") is not None:
            raise self.refusal(index, "has attention sinks as extra logits")
        scaling = given.get("scaling", getattr(module, "scaling", None))
        if weights is None or scaling is None:
            raise self.refusal(index, "does not tell its attention weights or its scaling")
        of_query, of_key = self.places(index, query, key, pending)
        cos, axis = angle_rows(of_query.rotated.cos, self.length)
        sin, _ = angle_rows(of_query.rotated.sin, self.length)
        layer = CapturedLayer(
            index=index,
            architecture=self.architecture,
            queries=of_query.unrotated(query),
            keys=of_key.unrotated(key),
            cos=cos,
            sin=sin,
            rotary=slice(of_query.start, of_query.stop),
            rotate=rotation(of_query, axis),
            scaling=float(scaling),
            visible=self.visible(index, mask),
            window=given.get("sliding_window"),
            softcap=given.get("softcap"),
        )
        if layer.heads % layer.keys.shape[0]:
            raise self.refusal(index, f"has {layer.heads} query heads for {layer.keys.shape[0]} key heads")
        error, tolerance = conforming(layer, query[0], key[0], weights[0])
        self.layers[index] = replace(layer, error=error, tolerance=tolerance)

    def places(self, index: int, query: Tensor, key: Tensor, pending: Sequence[Rotated]) -> tuple[Place, Place]:
        """Where the two rotated tensors stand in the query and the key that attention received."""
        of_query = find_place(query, pending)
        of_key = find_place(key, [one for one in pending if of_query is None or one is not of_query.rotated])
        if of_query is None or of_key is None or len(pending) != 2:
            raise self.refusal(index, "does not attend to what its rotary function returned")
        if not same_rotation(of_query, of_key):
            raise self.refusal(index, "rotates queries and keys differently")
        return of_query, of_key

    def visible(self, index: int, mask: Tensor | None) -> Tensor:
        """Which keys each query sees, `(T, T)`; layers with one mask share one answer."""
        if mask is None:
            raise self.refusal(index, "attends without a causal mask")
        if id(mask) not in self.masks:
            self.masks[id(mask)] = (mask, self._read_mask(index, mask))  # the mask is kept, and so is its id
        return self.masks[id(mask)][1]

    def _read_mask(self, index: int, mask: Tensor) -> Tensor:
        rows = mask[0, 0]
        visible = rows == 0
        if mask.shape[:2] != (1, 1) or bool((~visible & (rows > torch.finfo(rows.dtype).min / 2)).any()):
            raise self.refusal(index, "adds a bias to its logits")
        own = torch.diagonal(visible)
        if rows.shape != (self.length, self.length) or bool(visible.triu(1).any()) or not bool(own.all()):
            raise self.refusal(index, "is not causal")
        return visible


def _attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **given: Any
) -> tuple[Tensor, Tensor | None]:
    """Stands in for eager attention: the model's own eager function, and a look at what went through it."""
    output, weights = namespace_of(module)[EAGER](module, query, key, value, attention_mask, **given)
    if (recorder := getattr(_ACTIVE, "recorder", None)) is not None:
        recorder.attention(module, query, key, attention_mask, weights, given)
    return output, weights


def _watched(function: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if (recorder := getattr(_ACTIVE, "recorder", None)) is not None:
            recorder.pending.extend(read_call(function, args, kwargs, result))
        return result

    return watched


@contextmanager
def _recording(recorder: Recorder) -> Iterator[None]:
    _ACTIVE.recorder = recorder
    try:
        yield
    finally:
        _ACTIVE.recorder = None


@contextmanager
def _wrapped(layers: Sequence[AttentionLayer]) -> Iterator[None]:
    """Watch the rotary function of every Python module that the layers' code stands in."""
    namespaces = {id(layer.namespace): layer.namespace for layer in layers}.values()
    originals = [(names, names[ROTARY]) for names in namespaces]
    try:
        for names, function in originals:
            names[ROTARY] = _watched(function)
        yield
    finally:
        for names, function in originals:
            names[ROTARY] = function


@contextmanager
def _implementation(module: Any) -> Iterator[None]:
    """Let the model attend through `_attention` and mask as eager attention does."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(IMPLEMENTATION, _attention)
    AttentionMaskInterface.register(IMPLEMENTATION, eager_mask)
    configs = {id(part.config): part.config for part in module.modules() if hasattr(part, "config")}.values()
    before = [(config, config._attn_implementation) for config in configs]
    try:
        for config in configs:
            config._attn_implementation = IMPLEMENTATION
        yield
    finally:
        for config, implementation in before:
            config._attn_implementation = implementation
