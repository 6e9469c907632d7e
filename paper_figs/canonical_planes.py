"""Figure `canonical_planes`: keys of trained Index toys and of real heads, side by side, beside random ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.generalize_rows import STYLES
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
from headproof.theory.canonical.geometry_claims import GATHERED
from headproof.theory.errors import InputError

LENGTH = 32
TOYS, ALIGNED = "Index toys", "keys in one direction"
Row = dict[str, Any]


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a head: how far its keys gather, and what share of its logits' variance position explains.

    Of a toy all planes turn by one angle, and the whole head is taken; of a real head the plane of the largest position
    share. Raises InputError if no sweep, or no planes of a real model, are committed.
    """
    from headproof.checks.trained.canonical.measurement import read_planes, require
    from headproof.checks.trained.canonical.real_numbers import Geometry
    from headproof.checks.trained.committed import MODELS

    del context, message
    tables = require()
    found = [(model, planes) for model in MODELS if (planes := read_planes(model)) is not None]
    if not found:
        raise InputError("no planes of a real model are committed", "run headproof remeasure canonical --model default")
    heads = [*_toys({name: columns_of(table) for name, table in tables.items()})]
    about: dict[str, Any] = {"sweep": described(tables["cells"])["sweep"], "plans": {}}
    for model, planes in found:
        heads += _real(model.name, Geometry(columns_of(planes)))
        about["plans"][model.name] = described(planes)["plan"]
    return pa.Table.from_pylist(heads).replace_schema_metadata({"headproof": json.dumps(about)})


def _toys(tables: dict[str, Columns]) -> Iterator[Row]:
    """The toys that have learned Index, after training and before; "fresh" is the same null as a real model's."""
    from headproof.checks.trained.canonical.grouping import learned_toys

    learned = learned_toys(tables, "index", LENGTH)["name"]
    for state, group in (("trained", "trained"), ("untrained", "fresh")):
        held = rows(tables["heads"], state=state)
        chosen = np.isin(held["name"], learned)
        for keys, position in zip(held["keys_resultant"][chosen], held["position"][chosen], strict=True):
            yield {"of": TOYS, "group": group, "keys": float(keys), "position": float(position)}


def _real(name: str, geometry: Any) -> Iterator[Row]:
    """The heads of a model and of the first seed of each null, means over texts; heads without a value left out."""
    for group, planes in geometry.groups.items():
        keys, position = (
            planes.at_most_positional(column)[0].mean(axis=0) for column in ("key_resultant", "position_share")
        )
        for one, other in zip(keys, position, strict=True):
            if not (np.isnan(one) or np.isnan(other)):
                yield {"of": name, "group": group, "keys": float(one), "position": float(other)}


def draw(data: pa.Table) -> Any:
    """A column for the toys and for each model: how far keys gather, as a distribution, and beside position's share."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    kinds = list(dict.fromkeys(map(str, columns["of"])))
    figure = plt.figure(figsize=(7.2, 4.8))
    panels = figure.subplots(2, len(kinds), squeeze=False, sharex="row", sharey="row")
    for at, kind in enumerate(kinds):
        upper, lower = panels[:, at]
        for axes, number, what in ((upper, at, ALIGNED), (lower, at + len(kinds), "variance explained by position")):
            axes.set(title=f"{ascii_lowercase[number]}  {kind}", xlim=(-0.02, 1.02), ylim=(0, 1.02), xlabel=what)
        for group, colour in COLOURS.items():
            mine = rows(columns, of=kind, group=group)
            if not len(mine["keys"]):
                continue
            upper.ecdf(mine["keys"], color=colour, linestyle=STYLES[group])
            lower.plot(
                mine["position"], mine["keys"], MARKERS[group], color=colour, markersize=2.5, alpha=0.5, linewidth=0
            )
        for line in (upper.axvline, lower.axhline):
            line(GATHERED, color="0.5", linewidth=0.8, linestyle="-.")
    panels[0, 0].set_ylabel("share of heads")
    panels[1, 0].set_ylabel(ALIGNED)
    figure.legend(handles=_keys(), loc="outside lower center", ncols=4)
    return figure


def _keys() -> list[Any]:
    from matplotlib.lines import Line2D

    groups = [
        Line2D([], [], color=colour, linestyle=STYLES[group], marker=MARKERS[group], markersize=4, label=NAMES[group])
        for group, colour in COLOURS.items()
    ]
    return [*groups, Line2D([], [], color="0.5", linewidth=0.8, linestyle="-.", label=f"{GATHERED}")]


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns, told = columns_of(data), []
    plan = next(iter(described(data)["plans"].values()))
    for kind in dict.fromkeys(map(str, columns["of"])):
        medians = [
            f"{NAMES[group]} {np.median(rows(columns, of=kind, group=group)['keys']):.2f}"
            for group in COLOURS
            if len(rows(columns, of=kind, group=group)["keys"])
        ]
        told.append(f"{kind} {', '.join(medians)}")
    return (
        "dec.geometry and dec.toy.index-keys: |mean of key directions| (1: all keys in one direction; dash-dotted, "
        f"{GATHERED}) of toys that have learned Index at {LENGTH} tokens, whole head, and of all heads of real models, "
        f"each in the rotary plane whose logits the distance explains best, mean over {len(plan['texts'])} texts of "
        f"{plan['tokens']} tokens; nulls: a fresh initialisation (for toys, their own) and, of real models, matrices "
        "with entries shuffled, one seed. a to c: share of heads up to a value. d to f: against the share of the "
        "logits' variance that position explains (toys: the place, given the query; real heads: the distance, over all "
        f"causal pairs, so that queries must gather, too). Medians: {'; '.join(told)}. Where the keys of a fresh model "
        "share a direction, gathering alone is no sign of training."
    )


figure = Figure(
    "canonical_planes",
    "Keys of toys and of real heads, side by side",
    compute,
    draw,
    caption,
    ("dec.toy.index-keys", "dec.geometry"),
)
