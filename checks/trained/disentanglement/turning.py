"""How a head's planes turn and vary at one query, and what that leaves to interact (claims gen.thm2, gen.controlled).

Everything is read from the factors of the query's tables (`views.query_view`): contents `k_a`, and directions `e_b`,
the query turned back from each position `b`, times the scaling. In plane `f`,
`|e_b - e_b'| = 2 |q_f| |sin(theta_f (b - b')/2)|`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy import stats
from torch import Tensor

from headproof.checks.trained.capture import visible_keys
from headproof.checks.trained.conform import ROUNDOFF, CapturedLayer, ConformanceError
from headproof.checks.trained.pairing import pearson
from headproof.checks.trained.planes import RotaryPlanes
from headproof.checks.trained.views import QueryView, query_view
from headproof.theory.disentanglement import interaction_bound, turning_bound, turning_spread
from headproof.theory.disentanglement.false_distance import held_out
from headproof.theory.factored import FactoredTable
from headproof.theory.scores import Blocks
from headproof.theory.table import LogitTable

Columns = dict[str, np.ndarray[Any, Any]]
QUADRUPLES = 500
ORDERS = 10
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class PlaneView:
    """A query's factors by rotary plane: `contents`, `directions` `(heads, m, planes, 2)`, float64.

    `turns` are the planes' angles a position in radians, `(planes,)`; coordinates that do not turn make planes of angle
    0, by twos. `lengths` `(heads, planes)` are the query's norms times the scaling.
    """

    contents: Tensor
    directions: Tensor
    turns: Tensor

    @property
    def lengths(self) -> Tensor:
        """Norm of the scaled query in each plane; turning does not change it, so it is the mean over positions."""
        lengths: Tensor = self.directions.norm(dim=-1).mean(dim=1)
        return lengths

    @property
    def keys(self) -> int:
        """Number of keys."""
        return int(self.contents.shape[1])


def all_keys(layer: CapturedLayer, query: int) -> QueryView:
    """The view of a query on all keys before it that it sees, each a block of its own."""
    return query_view(layer, query, Blocks(visible_keys(layer, query), 1))


def plane_view(view: QueryView, planes: RotaryPlanes) -> PlaneView:
    """The factors of a view by plane; a last still coordinate without a partner is joined by a zero."""
    still = list(planes.still)
    pairs = planes.pairs.to(view.contents.device)
    width = int(view.contents.shape[-1])
    if len(still) % 2:
        still.append(width)
    joined = torch.cat([pairs.reshape(-1), torch.tensor(still, dtype=torch.int64, device=pairs.device)]).reshape(-1, 2)
    padded = [torch.nn.functional.pad(part, (0, 1)) for part in (view.contents, view.directions)]
    turns = [*planes.frequencies, *([0.0] * (len(still) // 2))]
    return PlaneView(
        padded[0][..., joined], padded[1][..., joined], torch.tensor(turns, dtype=torch.float64, device=pairs.device)
    )


@dataclass(frozen=True, eq=False)
class Turner:
    """A query's planes before they are turned, to be turned by any angles: complex `(heads, 1, planes)`.

    `sense` is 1 or -1: in which sense the model turns directions back with growing distance.
    """

    query: Tensor
    distances: Tensor
    sense: int

    @classmethod
    def of(cls, view: PlaneView) -> Turner:
        """From the directions: the last key is one position before the query. Raises ConformanceError if the directions
        do not turn by one angle a position."""
        directions = torch.view_as_complex(view.directions.contiguous())
        step = torch.exp(1j * view.turns)
        apart = [float((directions[:, :-1] - directions[:, 1:] * step**-sign).abs().max()) for sign in (1, -1)]
        if min(apart) > float(directions.abs().max()) * rounding(view, float(view.turns.max())):
            problem = "the planes of a layer do not turn by one angle a position"
            raise ConformanceError(problem, "its rotation is not supported here; headproof profile takes it")
        sense = 1 if apart[0] <= apart[1] else -1
        distances = torch.arange(view.keys, 0, -1, dtype=torch.float64, device=view.turns.device)
        return cls(directions[:, -1:] * step**sense, distances, sense)

    def directions(self, turns: Tensor) -> Tensor:
        """Directions `(heads, m, planes, 2)` of planes that turn by these angles a position."""
        return torch.view_as_real(self.query * torch.exp(-1j * self.sense * (self.distances[:, None] * turns)))


def rounding(view: PlaneView, angle: float) -> float:
    """By how much, relative to its length, float32 may move a direction that was turned by up to `keys` angles: angles
    are products of position and frequency, rounded, and cos and sin of them are rounded once more."""
    return ROUNDOFF * (8 + 4 * (view.keys + 1) * angle)


# -- columns -------------------------------------------------------------------------------------------------------


def head_columns(view: QueryView, by_plane: PlaneView, seed: int) -> Columns:
    """One row a head: two-axis shares, components held out, interaction beside its bounds, and planes reordered."""
    shares, _ = FactoredTable(view.contents, view.directions).measures()
    total = shares.total / by_plane.keys**2
    position, content, rest = shares.shares
    out = held_out(LogitTable(view.contents @ view.directions.transpose(1, 2)))
    turns = by_plane.turns.expand(len(by_plane.lengths), -1)
    measured = torch.sqrt(shares.interaction) / by_plane.keys
    bound = torch.sqrt(interaction_bound(by_plane.lengths, key_deviations(by_plane), turns, by_plane.keys))
    found: dict[str, Tensor] = {
        "energy": total,
        "position_share": position,
        "content_share": content,
        "interaction_share": rest,
        "distance_held_out": out.distance,
        "content_held_out": out.content,
        "interaction": measured,
        "bound": bound,
        **_patterns(by_plane),
        **_quadruples(by_plane, seed),
        **_reordered(by_plane, seed),
    }
    return {name: values.cpu().numpy() for name, values in found.items()}


def key_deviations(view: PlaneView) -> Tensor:
    """Root mean square distance of the keys from their mean in each plane, `(heads, planes)`."""
    apart = view.contents - view.contents.mean(dim=1, keepdim=True)
    found: Tensor = apart.square().sum(dim=-1).mean(dim=1).sqrt()
    return found


def plane_columns(view: PlaneView, count: int) -> Columns:
    """One row a head and plane: key mean and deviation, query, turning over the keys, part in the bound.

    The `count` turning planes come first; those that do not turn, if any, are left out.
    """
    deviation = key_deviations(view)
    mean = view.contents.mean(dim=1).norm(dim=-1)
    turning = torch.sqrt(turning_spread(view.turns, view.keys)).expand_as(deviation)
    part = view.lengths * deviation * turning
    heads, planes = deviation.shape
    columns = {
        "head": torch.arange(heads)[:, None].expand(heads, planes),
        "plane": torch.arange(planes).expand(heads, planes),
        "frequency": view.turns.expand(heads, planes),
        "key_mean": mean,
        "key_deviation": deviation,
        "query_norm": view.lengths,
        "turning": turning,
        "bound_share": part / part.sum(dim=1, keepdim=True),
    }
    return {name: values[:, :count].reshape(-1).cpu().numpy() for name, values in columns.items()}


def _patterns(view: PlaneView) -> dict[str, Tensor]:
    """Spearman's correlation over the turning planes of their angles and their keys' deviations, `(heads,)`: as they
    are, and over the root mean square of the plane's keys. NaN for fewer than three turning planes."""
    rotating = view.turns > 0
    deviation = key_deviations(view)[:, rotating]
    size = view.contents[:, :, rotating].square().sum(dim=-1).mean(dim=1).sqrt()
    relative = torch.where(size > 0, deviation / size, torch.zeros_like(size))
    ranked = stats.rankdata(view.turns[rotating].cpu().numpy())
    found = {}
    for name, values in (("pattern", deviation), ("pattern_relative", relative)):
        ranks = stats.rankdata(values.cpu().numpy(), axis=1) if len(ranked) else np.empty((len(values), 0))
        found[name] = torch.tensor([pearson(ranked, row) for row in ranks], dtype=torch.float64)
    return found


def _quadruples(view: PlaneView, seed: int) -> dict[str, Tensor]:
    """Quantiles of |interaction| over the bound of gen.thm2, over random pairs of keys and of positions, the largest,
    and the largest with what rounding of the model's angles may add taken off the interaction.

    Pairs whose bound is zero, such as one token's keys in a first layer, tell nothing and are left out; NaN for a head
    that has no others.
    """
    generator = np.random.default_rng(seed)
    drawn = generator.integers(view.keys, size=(4, QUADRUPLES))
    apart = (drawn[0] != drawn[1]) & (drawn[2] != drawn[3])
    draw = torch.from_numpy(drawn[:, apart]).to(view.contents.device)
    keys = view.contents[:, draw[0]] - view.contents[:, draw[1]]
    directions = view.directions[:, draw[2]] - view.directions[:, draw[3]]
    interaction = (keys * directions).sum(dim=(-2, -1)).abs()
    lengths, norms = view.lengths[:, None], keys.norm(dim=-1)
    bound = turning_bound(lengths, norms, view.turns, (draw[2] - draw[3]).double())
    allowed = (lengths * norms * (ROUNDOFF * (16 + 8 * (view.keys + 1) * view.turns))).sum(-1)
    told = bound > 0
    ratio = torch.where(told, interaction / bound, torch.nan)
    quantiles = torch.nanquantile(ratio, torch.tensor(QUANTILES, dtype=ratio.dtype, device=ratio.device), dim=1)
    names = (f"tightness_{round(100 * level)}" for level in QUANTILES)
    proven = torch.where(told, (interaction - allowed) / bound, torch.nan)
    return {
        **dict(zip(names, quantiles, strict=True)),
        "tightness_largest": _largest(ratio),
        "tightness_proven": _largest(proven),
    }


def _largest(values: Tensor) -> Tensor:
    """The largest of each row that is a number; NaN for a row of none."""
    missing = values.isnan()
    largest = values.masked_fill(missing, -torch.inf).amax(dim=1)
    return largest.masked_fill(missing.all(dim=1), torch.nan)


def _reordered(view: PlaneView, seed: int) -> dict[str, Tensor]:
    """The interaction's share if the angles of turning planes were dealt to them at random, mean over ORDERS deals."""
    generator = np.random.default_rng(seed + 1)
    rotating = np.flatnonzero(view.turns.cpu().numpy() > 0)
    contents, turner = view.contents.flatten(2), Turner.of(view)
    shares = []
    for _ in range(ORDERS):
        turns = view.turns.clone()
        turns[rotating] = view.turns[generator.permutation(rotating)]
        measured, _ = FactoredTable(contents, turner.directions(turns).flatten(2)).measures()
        shares.append(measured.shares[2])
    return {"interaction_share_reordered": torch.stack(shares).mean(dim=0)}
