"""Reading a model's own rotary function: what it was given, what it returned, and how to call it again.

Models differ in how they pair coordinates (halves or neighbours), in how many coordinates they rotate, in the
order of the axes, in whether queries and keys go through one call or two, and in the shape of cos and sin.
None of that is guessed here: a layer keeps its model's own function, and the pass shows how it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from headproof.theory.errors import InputError

ROTARY, EAGER = "apply_rotary_pos_emb", "eager_attention_forward"
CHOOSE = "choose a model with rotary positions, such as a Llama, Qwen, Gemma, Mistral or GPT-J"
# Names that transformers gives to the tensors to be rotated: both at once, or one a call.
BOTH, ONE = ("q", "k"), ("x", "tensor")

Rotate = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class AttentionLayer:
    """One attention module: its layer index, and the globals that its forward looks names up in."""

    index: int
    module: Any
    namespace: dict[str, Any]


def namespace_of(module: Any) -> dict[str, Any]:
    """The globals in which an attention module's forward looks up its rotary and its eager function."""
    names: dict[str, Any] = inspect.unwrap(type(module).forward).__globals__
    return names


def attention_layers(model: Any) -> tuple[AttentionLayer, ...]:
    """The attention layers of a transformers model in order.

    Raises InputError, naming the model's class, unless each has a rotary function and an eager attention
    function in its Python module: without them its heads are not captured.
    """
    architecture = type(model).__name__
    found = []
    for module in model.modules():
        if "Attention" not in type(module).__name__ or not isinstance(getattr(module, "layer_idx", None), int):
            continue
        names = namespace_of(module)
        for needed, meaning in ((ROTARY, "rotary positions"), (EAGER, "eager attention function")):
            if needed not in names:
                raise InputError(f"{architecture} is not supported: {type(module).__name__} has no {meaning}", CHOOSE)
        found.append(AttentionLayer(module.layer_idx, module, names))
    if not found:
        raise InputError(f"{architecture} is not supported: it has no attention layers with an index", CHOOSE)
    indices = [layer.index for layer in found]
    if len(set(indices)) < len(indices):
        raise InputError(f"{architecture} is not supported: several attentions share one layer index", CHOOSE)
    return tuple(sorted(found, key=lambda layer: layer.index))


@dataclass(frozen=True, eq=False)
class Rotated:
    """One tensor that the rotary function rotated in a pass, before and after, and the call."""

    raw: Tensor
    rotated: Tensor
    function: Callable[..., Any]
    call: inspect.BoundArguments
    cos: Tensor
    sin: Tensor


def read_call(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], result: Any
) -> tuple[Rotated, ...]:
    """What one call of a rotary function rotated. Raises InputError for an unknown way of calling."""
    call = inspect.signature(function).bind(*args, **kwargs)
    call.apply_defaults()
    given = {name for name, value in call.arguments.items() if isinstance(value, Tensor)}
    names = BOTH if given >= set(BOTH) else tuple(name for name in ONE if name in given)
    results = result if isinstance(result, tuple) else (result,)
    if given != {*names, "cos", "sin"} or not names or len(results) != len(names):
        raise InputError(f"a rotary function that takes {', '.join(call.arguments)} is not supported", CHOOSE)
    cos, sin = call.arguments["cos"], call.arguments["sin"]
    return tuple(
        Rotated(call.arguments[name], after, function, call, cos, sin)
        for name, after in zip(names, results, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Place:
    """Where a rotated tensor, with heads on `heads_axis`, stands in what attention received."""

    rotated: Rotated
    heads_axis: int
    start: int
    stop: int

    def unrotated(self, received: Tensor) -> Tensor:
        """What attention would get without rotation: `(heads, T, d)` for `received` `(1, heads, T, d)`."""
        raw = self.rotated.raw if self.heads_axis == 1 else self.rotated.raw.transpose(1, 2)
        whole = self.stop - self.start == received.shape[-1] and raw.shape == received.shape
        if whole:
            return raw[0]
        mixed = received[0].clone()
        mixed[..., self.start : self.stop] = raw[0]
        return mixed


def find_place(received: Tensor, candidates: Sequence[Rotated]) -> Place | None:
    """The rotated tensor that attention received, bit for bit, as all or as the first or last coordinates.

    `received` has shape `(1, heads, T, d)`; one rotated head may serve all heads. None if there is no such
    tensor.
    """
    for rotated in candidates:
        if rotated.rotated.ndim != 4:
            continue
        for heads_axis in (1, 2):
            after = rotated.rotated if heads_axis == 1 else rotated.rotated.transpose(1, 2)
            width, spare = after.shape[-1], received.shape[-1] - after.shape[-1]
            if spare < 0 or after.shape[2] != received.shape[2] or after.shape[1] not in (1, received.shape[1]):
                continue
            for start in sorted({0, spare}):
                part = received[..., start : start + width]
                if torch.equal(part, after.expand_as(part)):
                    return Place(rotated, heads_axis, start, start + width)
    return None


def same_rotation(one: Place, other: Place) -> bool:
    """Whether two tensors were rotated by the same cos and sin in the same coordinates."""
    return (
        (one.start, one.stop) == (other.start, other.stop)
        and torch.equal(one.rotated.cos, other.rotated.cos)
        and torch.equal(one.rotated.sin, other.rotated.sin)
    )


def angle_rows(angles: Tensor, length: int) -> tuple[Tensor, int]:
    """cos or sin as `(T, width)`, and the axis on which the call had the positions. Raises InputError."""
    axes = [axis for axis, size in enumerate(angles.shape[:-1]) if size != 1]
    if len(axes) != 1 or angles.shape[axes[0]] != length:
        raise InputError(f"a rotary function with cos of shape {tuple(angles.shape)} is not supported", CHOOSE)
    return angles.reshape(length, angles.shape[-1]), axes[0]


def rotation(place: Place, axis: int) -> Rotate:
    """The model's own rotation: `rotate(x, cos, sin)` with `x` `(heads, P, width)` and cos `(P, ...)`.

    `axis` is where the call had the positions in cos and sin. The function is called as the model called it.
    """
    # Only these are kept with the function: the pass's tensors must not live as long as it does.
    function, call, rank = place.rotated.function, place.rotated.call, place.rotated.cos.ndim
    heads_axis = place.heads_axis
    arguments = {name: value for name, value in call.arguments.items() if not isinstance(value, Tensor)}
    first, *second = [name for name in (*BOTH, *ONE) if isinstance(call.arguments.get(name), Tensor)]
    signature = call.signature

    def rotate(vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        shape = [1] * (rank - 1) + [cos.shape[-1]]
        shape[axis] = cos.shape[0]
        batch = vectors[None] if heads_axis == 1 else vectors[None].transpose(1, 2)
        filled = {**arguments, first: batch, "cos": cos.reshape(shape), "sin": sin.reshape(shape)}
        if second:  # rotated along with the first and dropped: one head is enough
            filled[second[0]] = batch.narrow(heads_axis, 0, 1)
        bound = inspect.BoundArguments(signature, _ordered(signature, filled))
        result = function(*bound.args, **bound.kwargs)
        turned: Tensor = result[0] if isinstance(result, tuple) else result
        return turned[0] if heads_axis == 1 else turned.transpose(1, 2)[0]

    return rotate


def _ordered(signature: inspect.Signature, filled: dict[str, Any]) -> Any:
    return {name: filled[name] for name in signature.parameters if name in filled}
