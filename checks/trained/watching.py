"""Watching a model's forward passes: its rotary functions and its attention are wrapped, and go by a watcher."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from torch import Tensor

from headproof.checks.trained.reversal import Call
from headproof.checks.trained.rotary import EAGER, ROTARY, AttentionLayer, Rotated, namespace_of, read_call

IMPLEMENTATION = "headproof_capture"
# A rotary function is wrapped for one pass at a time, and only the thread of that pass is watched.
_LOCK = threading.Lock()
_ACTIVE = threading.local()


class Watcher(Protocol):
    """What stands in for a model's attention while it is watched.

    `pending` gets what every call of a rotary function rotated, until `attend` takes it, and `call` how the attention
    module that runs was called.
    """

    pending: list[Rotated]
    call: Call | None

    def attend(
        self, module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, given: dict[str, Any]
    ) -> tuple[Tensor, Tensor | None]:
        """The output `(1, T, heads, d)` of one attention and its weights, in the place of the eager function."""

    def mask(self, eager: Callable[..., Any], given: dict[str, Any]) -> Tensor | None:
        """The mask that is handed to attention; `eager(**given)` is that of eager attention."""


@contextmanager
def watching(model: Any, layers: Sequence[AttentionLayer], watcher: Watcher) -> Iterator[None]:
    """Let `watcher` see every attention of this thread's passes through `model`; undone when the block ends.

    One block at a time runs in a process. Other threads may go on using the model: they attend as ever.
    """
    with _LOCK, _wrapped(layers), _hooked(layers), _implementation(model), _active(watcher):
        yield


def _watcher() -> Watcher | None:
    return getattr(_ACTIVE, "watcher", None)


def _attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **given: Any
) -> tuple[Tensor, Tensor | None]:
    """Stands in for eager attention: the watcher's, or the model's own eager function where nobody watches."""
    if (watcher := _watcher()) is not None:
        return watcher.attend(module, query, key, value, attention_mask, given)
    output, weights = namespace_of(module)[EAGER](module, query, key, value, attention_mask, **given)
    return output, weights


def _mask(**given: Any) -> Tensor | None:
    from transformers.masking_utils import eager_mask

    if (watcher := _watcher()) is not None:
        return watcher.mask(eager_mask, given)
    made: Tensor | None = eager_mask(**given)
    return made


def _watched(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    def watched(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if (watcher := _watcher()) is not None:
            watcher.pending.extend(read_call(function, signature, args, kwargs, result))
        return result

    return watched


def _called(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
    if (watcher := _watcher()) is not None:
        watcher.call = Call(module, args, kwargs or {})


@contextmanager
def _active(watcher: Watcher) -> Iterator[None]:
    _ACTIVE.watcher = watcher
    try:
        yield
    finally:
        _ACTIVE.watcher = None


@contextmanager
def _wrapped(layers: Sequence[AttentionLayer]) -> Iterator[None]:
    """Watch the rotary functions of every Python module that the layers' code stands in."""
    namespaces = {id(layer.namespace): layer.namespace for layer in layers}.values()
    originals = [(names, name, names[name]) for names in namespaces for name in ROTARY if name in names]
    try:
        for names, name, function in originals:
            names[name] = _watched(function)
        yield
    finally:
        for names, name, function in originals:
            names[name] = function


@contextmanager
def _hooked(layers: Sequence[AttentionLayer]) -> Iterator[None]:
    """Note how each attention module is called."""
    with ExitStack() as stack:
        for layer in layers:
            stack.callback(layer.module.register_forward_pre_hook(_called, with_kwargs=True).remove)
        yield


@contextmanager
def _implementation(module: Any) -> Iterator[None]:
    """Let the model attend through `_attention` and mask as eager attention does."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(IMPLEMENTATION, _attention)
    AttentionMaskInterface.register(IMPLEMENTATION, _mask)
    configs = {id(part.config): part.config for part in module.modules() if hasattr(part, "config")}.values()
    before = [(config, config._attn_implementation) for config in configs]
    try:
        for config in configs:
            config._attn_implementation = IMPLEMENTATION
        yield
    finally:
        for config, implementation in before:
            config._attn_implementation = implementation
