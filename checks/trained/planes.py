"""The rotary planes of a layer: which two coordinates turn together, and how fast.

Models pair coordinates differently (halves, neighbours, a part of the head). The pairs are not guessed: the layer's own
rotary function is applied to unit vectors, with cosine and sine in turn switched off, and shows them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from headproof.checks.trained.capture import Capture
from headproof.checks.trained.conform import CapturedLayer
from headproof.theory.errors import InputError

# The index by which tables name the coordinates that do not turn, taken together: a plane of frequency 0.
STILL = -1


@dataclass(frozen=True, eq=False)
class RotaryPlanes:
    """The planes of one layer, fastest first as a rule (the order of the head's coordinates).

    `pairs` `(P, 2)` are coordinates of the head's vectors, `frequencies` `(P,)` the angles between neighbouring
    positions in radians, at least 0; `still` are the coordinates that the layer does not turn.
    """

    pairs: Tensor
    frequencies: tuple[float, ...]
    still: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of planes that turn."""
        return len(self.frequencies)

    @property
    def wavelengths(self) -> tuple[float, ...]:
        """Tokens a full turn; infinite for an angle of 0."""
        return tuple(2 * math.pi / f if f else math.inf for f in self.frequencies)


def layer_planes(captured: Capture) -> dict[int, RotaryPlanes]:
    """The planes of each layer by its index; layers of one rotation share one answer."""
    known: list[tuple[CapturedLayer, RotaryPlanes]] = []
    found = {}
    for layer in captured.layers:
        same = next((planes for one, planes in known if one.cos is layer.cos and one.rotary == layer.rotary), None)
        if same is None:
            same = rotary_planes(layer)
            known.append((layer, same))
        found[layer.index] = same
    return found


def rotary_planes(layer: CapturedLayer) -> RotaryPlanes:
    """The planes of a captured layer. O(d^2) time; nothing of the text is used but cos and sin at two positions.

    Raises InputError, naming architecture and layer, for a rotary function that does not turn pairs of coordinates.
    """
    dim = int(layer.keys.shape[-1])
    columns = list(range(dim))[layer.rotary]
    width = len(columns)
    if width == 0:
        return RotaryPlanes(torch.empty(0, 2, dtype=torch.int64), (), tuple(range(dim)))
    unit = torch.eye(width, dtype=torch.float64, device=layer.keys.device)
    off, on = torch.zeros_like(layer.cos[:1]).double(), torch.ones_like(layer.cos[:1]).double()

    def turned(cos: Tensor, sin: Tensor) -> Tensor:
        return layer.rotate(unit[None], cos.expand(width, -1), sin.expand(width, -1))[0].double()

    passing = turned(off, off)
    straight, across = turned(on, off) - passing, turned(off, on) - passing
    moving = [c for c in range(width) if not bool(passing[c, c])]
    partner = across.abs().argmax(dim=1).tolist()
    expected = torch.zeros_like(unit)
    expected[moving, moving] = 1
    pairs = [(c, partner[c]) for c in moving if bool(across[c, partner[c]] > 0)]
    crossing = torch.zeros_like(unit)
    for c, other in pairs:
        crossing[c, other], crossing[other, c] = 1, -1
    if 2 * len(pairs) != len(moving) or not torch.equal(straight, expected) or not torch.equal(across, crossing):
        raise InputError(
            f"{layer.architecture} layer {layer.index}: its rotary function does not turn pairs of coordinates",
            "profile it without planes",
        )
    frequencies = _frequencies(layer, pairs, turned)
    still = sorted(set(range(dim)) - {columns[c] for pair in pairs for c in pair})
    places = torch.tensor([[columns[c] for c in pair] for pair in pairs], device=layer.keys.device)
    return RotaryPlanes(places, frequencies, tuple(still))


def _frequencies(layer: CapturedLayer, pairs: list[tuple[int, int]], turned: object) -> tuple[float, ...]:
    """Angle from each position to the next, from the layer's own cos and sin at the first two positions."""
    assert callable(turned)
    nothing = torch.zeros_like(layer.cos[:1]).double()
    angles = []
    for position in (0, 1):
        cos, sin = layer.cos[position : position + 1].double(), layer.sin[position : position + 1].double()
        along, across = turned(cos, nothing), turned(nothing, sin)
        angles.append([math.atan2(float(across[c, other]), float(along[c, c])) for c, other in pairs])
    gaps = (after - before for before, after in zip(*angles, strict=True))
    return tuple(abs(math.remainder(gap, 2 * math.pi)) for gap in gaps)
