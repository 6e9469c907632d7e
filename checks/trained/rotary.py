"""Reading a model's own rotary function: what it was given, what it returned, and how to call it again.

Models differ in how they pair coordinates (halves or neighbours), in how many coordinates they rotate, in the
order of the axes, in whether queries and keys go through one call or two, in whether they are turned by cos and
sin or by complex numbers, and in the shape of those. None of that is guessed here: a layer keeps its model's own
function, and the pass shows how it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from headproof.theory.errors import InputError

if TYPE_CHECKING:
    from headproof.checks.trained.places import Place

# The names that transformers gives to functions that rotate queries and keys; their calls are watched.
ROTARY = ("apply_rotary_pos_emb", "apply_rotary_pos_emb_interleave", "apply_rotary_emb")
EAGER = "eager_attention_forward"
CHOOSE = "choose another model, such as a Llama, Qwen, Gemma, Mistral, GPT-J or GPT-2"
# Names of the tensors to be rotated, both at once or one a call, and of what they are rotated by.
VECTORS = (("q", "k"), ("xq", "xk"), ("q",), ("x",), ("tensor",))
ANGLES, COMPLEX = ("cos", "sin"), ("freqs_cis",)

Rotate = Callable[[Tensor, Tensor, Tensor], Tensor]


class UnknownRotaryError(Exception):
    """A rotary function is called, or rotates, in a way that is not understood; the message says how."""


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

    Raises InputError, naming the model's class, unless each attends through an eager attention function of its
    Python module and without sinks: otherwise its heads are not captured.
    """
    found = []
    for module in model.modules():
        # What holds another attention is a block around it.
        if not _attends(module) or any(_attends(part) for part in module.modules() if part is not module):
            continue
        names = namespace_of(module)
        if EAGER not in names or EAGER not in inspect.unwrap(type(module).forward).__code__.co_names:
            raise _refusal(model, f"{type(module).__name__} has no eager attention function")
        if getattr(module, "sinks", None) is not None:
            raise _refusal(model, f"{type(module).__name__} has attention sinks as extra logits")
        found.append(AttentionLayer(module.layer_idx, module, names))
    if not found:
        raise _refusal(model, "it has no attention layers with an index")
    indices = [layer.index for layer in found]
    if len(set(indices)) < len(indices):
        raise _refusal(model, "several attentions share one layer index")
    return tuple(sorted(found, key=lambda layer: layer.index))


def _attends(module: Any) -> bool:
    return "Attention" in type(module).__name__ and isinstance(getattr(module, "layer_idx", None), int)


def _refusal(model: Any, problem: str) -> InputError:
    return InputError(f"{type(model).__name__} is not supported: {problem}", CHOOSE)


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
    function: Callable[..., Any], signature: inspect.Signature, args: Sequence[Any], kwargs: dict[str, Any], result: Any
) -> tuple[Rotated, ...]:
    """What one call of a rotary function rotated. Raises UnknownRotaryError for an unknown way of calling."""
    call = signature.bind(*args, **kwargs)
    given = {name for name, value in call.arguments.items() if isinstance(value, Tensor)}
    names, angles = vectors_of(call), COMPLEX if COMPLEX[0] in given else ANGLES
    results = [one for one in (result if isinstance(result, tuple) else (result,)) if one is not None]
    if given != {*names, *angles} or not names or len(results) != len(names):
        raise UnknownRotaryError(f"its rotary function takes {', '.join(call.arguments)}")
    cos, sin = (call.arguments[name] for name in ANGLES) if angles == ANGLES else _parts(call.arguments[angles[0]])
    return tuple(
        Rotated(call.arguments[name], after, function, call, cos, sin)
        for name, after in zip(names, results, strict=True)
    )


def _parts(turns: Tensor) -> tuple[Tensor, Tensor]:
    """cos and sin of complex numbers."""
    if not turns.is_complex():
        raise UnknownRotaryError(f"its rotary function turns by {turns.dtype}")
    return turns.real, turns.imag


def vectors_of(call: inspect.BoundArguments) -> tuple[str, ...]:
    """The names of the tensors that a call rotates; none if they are not known."""
    tensors = {name for name, value in call.arguments.items() if isinstance(value, Tensor)}
    return next((names for names in VECTORS if tensors >= set(names)), ())


def angle_rows(angles: Tensor, length: int) -> tuple[Tensor, int]:
    """cos or sin as `(T, width)`, and the axis on which the call had the positions. Raises UnknownRotaryError."""
    axes = [axis for axis, size in enumerate(angles.shape[:-1]) if size != 1]
    if len(axes) != 1 or angles.shape[axes[0]] != length:
        raise UnknownRotaryError(f"its rotary function takes cos of shape {tuple(angles.shape)}")
    return angles.reshape(length, angles.shape[-1]), axes[0]


def rotation(place: Place, axis: int) -> Rotate:
    """The model's own rotation: `rotate(x, cos, sin)` with `x` `(heads, P, width)` and cos `(P, ...)`.

    `axis` is where the call had the positions in cos and sin. The function is called as the model called it.
    """
    # Only these are kept with the function: the pass's tensors must not live as long as it does.
    function, call, rank = place.rotated.function, place.rotated.call, place.rotated.cos.ndim
    heads_axis = place.heads_axis
    arguments = {name: value for name, value in call.arguments.items() if not isinstance(value, Tensor)}
    first, *second = vectors_of(call)
    is_complex = COMPLEX[0] in call.arguments

    def rotate(vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        shape = [1] * (rank - 1) + [cos.shape[-1]]
        shape[axis] = cos.shape[0]
        batch = vectors[None] if heads_axis == 1 else vectors[None].transpose(1, 2)
        filled = {**arguments, first: batch}
        if is_complex:
            filled[COMPLEX[0]] = torch.complex(cos, sin).reshape(shape)
        else:
            filled |= {"cos": cos.reshape(shape), "sin": sin.reshape(shape)}
        if second:  # rotated along with the first and dropped: one head is enough
            filled[second[0]] = batch.narrow(heads_axis, 0, 1)
        result = function(**filled)
        turned: Tensor = result[0] if isinstance(result, tuple) else result
        return turned[0] if heads_axis == 1 else turned.transpose(1, 2)[0]

    return rotate


def output_order(rotate: Rotate, width: int, angles: int, device: torch.device) -> Tensor | None:
    """Which coordinate a rotation by nothing puts in each place, `(width,)`; None if it leaves all in theirs.

    Some rotary functions return the neighbours that they rotate as halves. `angles` is the width of cos. Raises
    UnknownRotaryError if a rotation by nothing is no reordering.
    """
    numbers = torch.arange(width, dtype=torch.float64, device=device)
    nothing = torch.ones(1, angles, dtype=torch.float64, device=device)
    moved = rotate(numbers[None, None], nothing, torch.zeros_like(nothing))[0, 0].double()
    if torch.equal(moved, numbers):
        return None
    if not torch.equal(moved.sort().values, numbers):
        raise UnknownRotaryError("its rotary function changes vectors at angle zero")
    return moved.long()


def in_output_order(rotate: Rotate, order: Tensor) -> Rotate:
    """The rotation of vectors whose coordinates stand as `output_order` says, so that they stay in their places."""
    back = torch.argsort(order)
    return lambda vectors, cos, sin: rotate(vectors[..., back], cos, sin)
