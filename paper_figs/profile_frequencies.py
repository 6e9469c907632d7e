"""Figure `frequency_profile` of a profile: the scores of each rotary plane of some heads, by its wavelength."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.evidence import cube, mean_over, median
from headproof.checks.trained.rows import described, rows
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.groups import NAMES
from headproof.paper_figs.profile_rows import Array, groups_in, picked
from headproof.theory.errors import InputError

MOST_HEADS = 24
PANELS_A_ROW = 3
# Colour, marker and name of each score; lines of each group.
SCORES = {"positional": ("#D55E00", "o", "positional score"), "symbolic": ("#0072B2", "s", "symbolic score")}
STYLES = {"trained": "-", "fresh": "--", "shuffled": ":"}
SHARES = (0.01, 0.1, 0.5)  # shown in the legend
TURNING = ("turning_wavelength", "turning_agreement", "turning_constant")
KEYS = ("prompt", "layer", "head", "plane")
SMALL = 7
Columns = dict[str, Array]


@dataclass(frozen=True)
class Axis:
    """The axis of wavelengths, a logarithmic one; what does not turn stands apart at its right end, if there is any."""

    low: float
    high: float
    still: bool

    @property
    def end(self) -> float:
        """Where what does not turn stands."""
        return self.high * math.pow(self.high / self.low, 0.12)

    @property
    def gap(self) -> float:
        """Where the axis is broken."""
        return math.sqrt(self.high * self.end)

    def places(self, wavelengths: Array) -> Array:
        """Where planes of these wavelengths stand."""
        return np.where(np.isfinite(wavelengths), wavelengths, self.end)

    def draw(self, axes: Any) -> None:
        """Scale, limits and ticks: powers of ten, every second one if there are many, and infinity."""
        from matplotlib.ticker import NullLocator

        powers = np.arange(np.ceil(np.log10(self.low)), np.floor(np.log10(self.high)) + 1)
        powers = powers[:: 1 + len(powers) // 6]
        margin = (self.high / self.low) ** 0.04
        axes.set(xscale="log", xlim=(self.low / margin, (self.end if self.still else self.high) * margin))
        ticks, names = 10.0**powers, [f"$10^{{{power:.0f}}}$" for power in powers]
        if self.still:
            ticks, names = np.append(ticks, self.end), [*names, "∞"]
            axes.axvspan(self.gap, self.end * margin, color="0.94", linewidth=0, zorder=0)
        axes.set_xticks(ticks, names)
        axes.xaxis.set_minor_locator(NullLocator())


def frequency_profile(
    planes: pa.Table, heads: pa.Table, chosen: Sequence[tuple[int, int]], asked: str, temperature: float
) -> Any:
    """Scores of each plane of the chosen heads (layer, head) of the trained model, a panel a head: means over prompts.

    Thin lines are medians over all heads of layers with the same wavelengths, of the trained model and of the nulls.
    A head that sees too few blocks has an empty panel that says so. Raises InputError for no or too many heads, and
    for a head or a setting that was not measured.
    """
    from matplotlib.figure import Figure

    if not 0 < len(chosen) <= MOST_HEADS:
        raise InputError(f"{len(chosen)} heads to draw", f"choose 1 to {MOST_HEADS}")
    wanted = {"asked": asked, "temperature": temperature}
    names = (*KEYS, "wavelength", *SCORES, "energy_share")
    groups = {group: picked(planes, names, group=group, **wanted) for group in groups_in(planes)}
    turning = picked(heads, (*KEYS[:3], *TURNING), group="trained", **wanted)
    lengths = [prompt["tokens"] for prompt in described(planes)["prompts"]]
    axis = _axis(groups, lengths)
    medians = Medians(groups)
    down, across = -(-len(chosen) // PANELS_A_ROW), min(PANELS_A_ROW, len(chosen))
    with house_style():
        figure = Figure(figsize=(max(4.8, 2.4 * across), (1.0 if across > 2 else 1.6) + 1.7 * down))
        panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        for number, axes in enumerate(panels.flat):
            axis.draw(axes)
            axes.set(ylim=(0, 1), yticks=np.linspace(0, 1, 6))
            if number >= len(chosen):
                axes.set_axis_off()
                continue
            if number >= len(chosen) - across:
                axes.set_xlabel("wavelength (tokens)")
                axes.tick_params(labelbottom=True)
            if number % across == 0:
                axes.set_ylabel("score")
            layer, head = chosen[number]
            axes.set_title(f"layer {layer}, head {head}")
            mine = rows(turning, layer=layer, head=head)
            if not len(mine["layer"]):
                raise InputError(f"the profile has no head {layer}:{head}", "name heads as LAYER:HEAD, from 0")
            _planes(axes, axis, rows(groups["trained"], layer=layer, head=head), medians.of(layer))
            _marks(axes, lengths, *(mine[name] for name in TURNING))
        handles = _legend(list(groups))
        figure.legend(handles=handles, loc="outside lower center", ncols=4 if across > 2 else 2, fontsize=SMALL)
    return figure


def _axis(groups: dict[str, Columns], lengths: Sequence[int]) -> Axis:
    waves = np.concatenate([columns["wavelength"] for columns in groups.values()])
    finite = np.concatenate((waves[np.isfinite(waves)], lengths))
    low, high = float(finite.min()), float(finite.max())
    return Axis(low, max(high, 2 * low), bool(np.isinf(waves).any()))


class Medians:
    """Medians over heads of the planes' scores, for layers whose planes have the same wavelengths."""

    def __init__(self, groups: dict[str, Columns]) -> None:
        self._groups = groups
        self._known: dict[tuple[int, ...], list[tuple[str, str, Array, Array]]] = {}
        columns = groups["trained"]
        layers, where = np.unique(columns["layer"], return_inverse=True)
        planes, places = np.unique(columns["plane"], return_inverse=True)
        waves = np.full((len(layers), len(planes)), np.nan)
        waves[where, places] = columns["wavelength"]
        self._waves = dict(zip(layers.tolist(), waves, strict=True))

    def of(self, layer: int) -> list[tuple[str, str, Array, Array]]:
        """(group, score, wavelengths, medians over heads of the means over prompts), by wavelength; none for a layer
        that is not there."""
        own = self._waves.get(layer)
        if own is None:
            return []
        alike = tuple(other for other, waves in self._waves.items() if np.array_equal(own, waves, equal_nan=True))
        if alike not in self._known:
            waves = own[~np.isnan(own)]
            order = np.argsort(waves, kind="stable")
            self._known[alike] = [
                (group, score, waves[order], values[order])
                for group, columns in self._groups.items()
                for score, values in self._medians(columns, alike).items()
            ]
        return self._known[alike]

    @staticmethod
    def _medians(columns: Columns, layers: tuple[int, ...]) -> dict[str, Array]:
        inside = np.isin(columns["layer"], layers)
        mine = {name: values[inside] for name, values in columns.items()}
        return {name: np.array([median(one) for one in _by_plane(mine, name)]) for name in SCORES}


def _by_plane(columns: Columns, name: str) -> Array:
    """Means over prompts, `(planes, heads)`."""
    values = mean_over(cube(columns, name, KEYS))
    return values.reshape(-1, values.shape[-1]).T


def _planes(axes: Any, axis: Axis, mine: Columns, medians: Sequence[tuple[str, str, Array, Array]]) -> None:
    """The planes of one head over the medians of all."""
    if not len(mine["plane"]):
        axes.text(0.5, 0.5, "not seen, or no rotary planes", ha="center", transform=axes.transAxes, fontsize=SMALL)
        return
    for group, score, waves, values in medians:
        for part in (np.isfinite(waves), np.isinf(waves)):  # lines do not cross the break
            look = {"linestyle": STYLES[group], "linewidth": 0.9, "alpha": 0.7, "zorder": 1}
            if part.sum() == 1:  # a short dash
                width = axis.end / axis.gap
                axes.plot([axis.places(waves[part])[0] * width**e for e in (-0.6, 0.6)], values[part].repeat(2),
                          color=SCORES[score][0], **look)  # fmt: skip
            else:
                axes.plot(axis.places(waves[part]), values[part], color=SCORES[score][0], **look)
    _, first = np.unique(mine["plane"], return_index=True)
    places = axis.places(mine["wavelength"][first])
    sizes = _size(_by_plane(mine, "energy_share")[:, 0])
    for score, (colour, marker, _) in SCORES.items():
        look = {"facecolor": "none" if score == "symbolic" else colour, "edgecolor": colour, "linewidth": 0.9}
        axes.scatter(
            places, _by_plane(mine, score)[:, 0], s=sizes, marker=marker, alpha=0.8, zorder=3, clip_on=False, **look
        )


def _size(share: Any) -> Any:
    """The area of a marker, in points squared: a least one, and more by the share of energy."""
    return 5 + 190 * np.nan_to_num(share)


def _marks(axes: Any, lengths: Sequence[int], wavelengths: Array, agreement: Array, constant: Array) -> None:
    """The prompts' shortest and longest length; the median turning wavelength, if the head turns in half of them, and
    the mean over prompts of what the turn gains."""
    for length in sorted({min(lengths), max(lengths)}):
        axes.axvline(length, color="0.6", linewidth=0.8, zorder=0)
    if 2 * (~np.isnan(wavelengths)).sum() >= len(wavelengths):
        axes.axvline(median(wavelengths), color="black", linestyle="-.", linewidth=1.0, zorder=2)
    gain = float(mean_over(agreement - constant))
    if not np.isnan(gain):
        text = f"turn gains {100 * gain:.1f} %" if gain >= 0.0005 else "no turn"
        axes.set_title(text, loc="right", fontsize=SMALL, color="0.3")


def _legend(groups: Sequence[str]) -> list[Any]:
    """Four columns of three entries: scores, marks, medians, sizes."""
    from matplotlib.lines import Line2D

    def entry(label: str, **look: Any) -> Any:
        return Line2D([], [], label=label, **{"linestyle": "none", "color": "0.4", "linewidth": 0.9, **look})

    nothing = entry(" ")
    (red, circle, positional), (blue, square, symbolic) = SCORES.values()
    medians = [entry(f"median: {NAMES[group]}", linestyle=STYLES[group]) for group in groups]
    return [
        entry(positional, color=red, marker=circle, markersize=5),
        entry(symbolic, color=blue, marker=square, markersize=5, markerfacecolor="none"),
        nothing,
        entry("turning wavelength", color="black", linestyle="-."),
        entry("prompt length", color="0.6", linestyle="-"),
        nothing,
        *(medians + [nothing] * 3)[:3],
        *(
            entry(
                f"{100 * share:.0f} % of energy", marker="o", markersize=float(_size(share) ** 0.5), markeredgewidth=0
            )
            for share in SHARES
        ),
    ]
