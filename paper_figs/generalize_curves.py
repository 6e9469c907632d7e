"""Figure `false_distance`: the logits of keys that are given false distances, less their content component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.rows import Columns, rows
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.generalize_rows import (
    BAND,
    SMALL,
    band_key,
    counted,
    model_words,
    picked,
)
from headproof.paper_figs.groups import COLOURS, NAMES
from headproof.paper_figs.profile_rows import groups_in

SHARED = -1
MOST_PANELS = 24
PANELS_A_ROW = 4
KEY_COLOUR = "0.15"
NAMES_SHORT = {"trained": "", "fresh": "fresh ", "shuffled": "shuffled "}


@dataclass(frozen=True, eq=False)
class Panel:
    """One head: its group and place, the interaction's share of its table, and its rows of `curves`."""

    group: str
    layer: int
    head: int
    share: float
    curves: Columns

    @property
    def name(self) -> str:
        """Layer and number.

        >>> Panel("trained", 3, 1, 0.1, {}).name
        '3:1'
        """
        return f"{self.layer}:{self.head}"


def panels_of(curves: pa.Table, queries: pa.Table) -> list[Panel]:
    """The trained heads of the first text by the share of their interaction, least first, at most MOST_PANELS with the
    nulls; then one head of each null, at the place of one of them if its curves are there, and else at the middle of
    the null's own order."""
    text = first_text(curves)
    groups = {group: _ordered(curves, queries, text, group) for group in groups_in(curves)}
    trained = groups.get("trained", [])[: MOST_PANELS - max(0, len(groups) - 1)]
    places = [panel.name for panel in trained]
    controls = []
    for group, found in groups.items():
        if group != "trained" and found:
            same = [panel for panel in found if panel.name in places]
            controls.append(same[0] if same else found[len(found) // 2])
    return trained + controls


def first_text(curves: pa.Table) -> str:
    """The first text by name of which trained heads have curves."""
    return str(min(picked(curves, ("text",), group="trained")["text"]))


def _ordered(curves: pa.Table, queries: pa.Table, text: str, group: str) -> list[Panel]:
    """The heads of a group that have curves, of its first seed, by their interaction's share at the last query."""
    names = ("null_seed", "layer", "head", "key", "distance", "component", "error")
    mine = picked(curves, names, group=group, text=text)
    asked = picked(queries, ("null_seed", "asked", "layer", "head", "interaction_share"), group=group, text=text)
    if not len(mine["layer"]):
        return []
    mine = rows(mine, null_seed=mine["null_seed"].min())
    asked = rows(asked, null_seed=mine["null_seed"][0], asked=asked["asked"].max())
    found = []
    for layer, head in sorted(set(zip(mine["layer"].tolist(), mine["head"].tolist(), strict=True))):
        share = float(rows(asked, layer=layer, head=head)["interaction_share"][0])
        found.append(Panel(group, layer, head, share, rows(mine, layer=layer, head=head)))
    return sorted(found, key=lambda panel: (np.isnan(panel.share), panel.share))


def false_distance(curves: pa.Table, queries: pa.Table) -> Any:
    """A panel a head of `panels_of`: the distance component with its error, and chosen keys' own curves."""
    from matplotlib.figure import Figure

    panels = panels_of(curves, queries)
    across = min(PANELS_A_ROW, len(panels))
    down = -(-len(panels) // across)
    with house_style():
        figure = Figure(figsize=(max(4.8, 1.8 * across), 0.75 + 1.7 * down))
        grid = figure.subplots(down, across, sharex=True, squeeze=False)
        for number, axes in enumerate(grid.flat):
            if number >= len(panels):
                axes.set_axis_off()
                continue
            _panel(axes, panels[number])
            if number >= len(panels) - across:
                axes.set_xlabel("distance (tokens)")
                axes.tick_params(labelbottom=True)
            if number % across == 0:
                axes.set_ylabel("logit less content")
        figure.legend(handles=_legend(panels), loc="outside lower center", ncols=min(3, across), fontsize=SMALL)
    return figure


def _panel(axes: Any, panel: Panel) -> None:
    shared = rows(panel.curves, key=SHARED)
    colour = COLOURS[panel.group]
    middle, error = shared["component"], shared["error"]
    axes.fill_between(shared["distance"], middle - error, middle + error, color=colour, alpha=1.6 * BAND, linewidth=0)
    for key in np.unique(panel.curves["key"][panel.curves["key"] != SHARED]):
        own = rows(panel.curves, key=key)
        style = "--" if key == 0 else "-"
        axes.plot(own["distance"], own["component"], style, color=KEY_COLOUR, linewidth=0.6, alpha=0.8, zorder=2)
    axes.plot(shared["distance"], middle, color=colour, linewidth=1.4, zorder=3)
    axes.set_xlim(1, max(2, int(shared["distance"].max())))
    axes.set_title(f"{NAMES_SHORT[panel.group]}{panel.name}\ninteraction {percent(panel.share)}", fontsize=8)


def percent(share: float) -> str:
    """A share in two significant digits.

    >>> percent(0.00213), percent(0.2774), percent(0.00002)
    ('0.21 %', '28 %', '0.002 %')
    """
    return f"{100 * share:.2g} %"


def _legend(panels: Sequence[Panel]) -> list[Any]:
    from matplotlib.lines import Line2D

    groups = dict.fromkeys(panel.group for panel in panels)
    handles = [
        Line2D([], [], color=COLOURS[group], linewidth=1.4, label=f"distance component, {NAMES[group]}")
        for group in groups
    ]
    handles.append(band_key("± rms error over keys"))
    handles.append(Line2D([], [], color=KEY_COLOUR, linewidth=0.8, label="one key at every distance"))
    if any((panel.curves["key"] == 0).any() for panel in panels):
        handles.append(Line2D([], [], color=KEY_COLOUR, linewidth=0.8, linestyle="--", label="the first token's key"))
    return handles


def caption(curves: pa.Table, queries: pa.Table, about: Mapping[str, Any]) -> str:
    """Claim, domain and reading of the figure."""
    panels = panels_of(curves, queries)
    text = first_text(curves)
    trained = [panel for panel in panels if panel.group == "trained"]
    controls = [panel for panel in panels if panel.group != "trained"]
    measured = picked(curves, ("layer", "head"), group="trained", text=text)
    there = len(set(zip(measured["layer"].tolist(), measured["head"].tolist(), strict=True)))
    keys = counted(len(np.unique(trained[0].curves["key"])) - 1, "key")
    some = f" of the {there} measured" if there > len(trained) else ""
    return (
        f"gen.controlled. {model_words(about)} at the last of {about['settings']['tokens']} tokens of the text {text}; "
        f"{counted(len(trained), 'trained head')}{some}, by the share of the interaction in their logit table, the "
        "least first. A title names layer:head and that share. Each key of the table is given every distance: its "
        "logit is a content component, the key's mean, plus the distance component (thick line), the mean over keys, "
        "plus what interacts. The band is the root mean square, over all keys, of what the two components leave at "
        f"that distance (+-). Thin lines are the logits of {keys} less their content component, from low to high "
        "content; where position and content add they lie on the thick line. The first token's key, if it is among "
        "them, is dashed. "
        f"{_controls(trained, controls)}"
    )


def _controls(trained: Sequence[Panel], controls: Sequence[Panel]) -> str:
    if not controls:
        return "There are no curves of nulls for this text."
    places = [panel.name for panel in trained]
    said = [
        f"{NAMES[panel.group]} {panel.name} "
        + ("(the place of a trained head shown)" if panel.name in places else "(the middle head of those measured)")
        for panel in controls
    ]
    return f"Controls, from the first seed of the nulls: {', '.join(said)}."
