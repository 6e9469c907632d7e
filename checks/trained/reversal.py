"""Layers that are believed only after a test: their attention is run once more, on the tokens in reversed order.

No rotary function is seen in a layer that has none, and none in a layer that turns its queries and keys by a
function of an unknown name. And some layers norm queries and keys after rotating them, which may or may not undo
what the rotation makes of a position. In both, the vectors that attention receives are turned back as far as a
rotation was seen; if those of the reversed text are the same ones reversed, they do not depend on the position.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from headproof.checks.trained.conform import HALF, ROUNDOFF, CapturedLayer, turn


@dataclass(frozen=True, eq=False)
class Call:
    """How an attention module was called in the pass."""

    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def reversed(self) -> Call | None:
        """The same call with the hidden states in reversed order wherever they are given; None if there are none."""
        hidden = self.hidden
        if hidden is None:
            return None
        backwards = hidden.flip(1)
        args = tuple(backwards if one is hidden else one for one in self.args)
        kwargs = {name: backwards if one is hidden else one for name, one in self.kwargs.items()}
        return Call(self.module, args, kwargs)

    @property
    def hidden(self) -> Tensor | None:
        """The hidden states `(1, T, width)`: the argument of that name, or the first one."""
        hidden = self.kwargs.get("hidden_states", self.args[0] if self.args else None)
        return hidden if isinstance(hidden, Tensor) and hidden.ndim == 3 and hidden.shape[0] == 1 else None


class Received(BaseException):
    """Ends a repeated call where attention begins; no `except Exception` of the model stops it."""

    def __init__(self, query: Tensor, key: Tensor) -> None:
        super().__init__()
        self.query, self.key = query, key


def still(vectors: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """The rotation of a layer without rotation."""
    return vectors


def _wide(given: Any) -> Any:
    if isinstance(given, Tensor):
        return given.float() if given.dtype in HALF else given
    if isinstance(given, dict):
        return {name: _wide(one) for name, one in given.items()}
    return type(given)(map(_wide, given)) if type(given) in (tuple, list) else given


def depends_on_position(call: Call, layer: CapturedLayer, exact: bool = False) -> bool | None:
    """Whether the captured queries and keys of a layer's call change if its tokens are reversed.

    `exact` says that they were captured before the rotation, and not turned back from what attention received.

    Half precision would hide small differences, so the module is then tried in float32. None if the call has no
    hidden states or does not attend. May raise what the model's code raises.
    """
    backwards, hidden = call.reversed(), call.hidden
    if backwards is None or hidden is None:
        return None
    first: tuple[Tensor, Tensor] | None = (layer.queries, layer.keys)
    if exact:  # there and back again, so that a factor folded into the rotation stands in both
        query, key = (back(layer, turn(layer, part, slice(None))) for part in (layer.queries, layer.keys))
        first = query, key
    if hidden.dtype in HALF:
        module = copy.deepcopy(call.module).float()
        call, backwards = (Call(module, _wide(one.args), _wide(one.kwargs)) for one in (call, backwards))
        first = run_again(call, layer)
    again = run_again(backwards, layer)
    if first is None or again is None:
        return None
    return any(moves(one, other, hidden.shape[-1]) for one, other in zip(first, again, strict=True))


def moves(first: Tensor, again: Tensor, width: int) -> bool:
    """Whether vectors `(heads, T, d)` differ by more than rounding from those of the reversed text, reversed.

    Their products with hidden states of `width` n may be summed in another order, which with roundoff u of
    float32 moves a sum by about sqrt(n) u |w| |h|; for d coordinates that point anywhere, sqrt(n) |vector| is
    about sqrt(d) |w| |h|. Up to 16 roundings come to it.
    """
    if first.shape != again.shape:
        return True
    share = (4 * width / math.sqrt(first.shape[-1]) + 16) * ROUNDOFF
    before, after = first.double(), again.flip(1).double()
    apart = (before - after).norm(dim=-1).amax(dim=-1)
    return not bool((apart <= share * before.norm(dim=-1).amax(dim=-1)).all())


def run_again(call: Call, layer: CapturedLayer) -> tuple[Tensor, Tensor] | None:
    """Queries and keys `(heads, T, d)` that a call gives to attention, turned back; None if it does not attend."""
    run: Callable[..., Any] = call.module.forward  # not the module itself: hooks belong to the pass
    try:
        run(*call.args, **call.kwargs)
    except Received as received:
        return back(layer, received.query[0]), back(layer, received.key[0])
    return None


def back(layer: CapturedLayer, vectors: Tensor) -> Tensor:
    """Vectors `(heads, T, d)` that attention received in all positions, before the rotation that was seen: float64."""
    return turn(layer, vectors, slice(None), inverse=True)
