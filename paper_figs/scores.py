"""Figure `scores`: every head of the committed models by its two scores, what correlates, and what depth changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from headproof.checks.registry import Context
from headproof.checks.trained.evidence import depth_drop, mean_over, over_prompts
from headproof.checks.trained.rows import Columns, columns_of, described, own_and_drawn, rows, scores_of, units_of
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.generalize_rows import SMALL, STYLES, banded, by_layer, whole
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
from headproof.theory.errors import InputError

Row = dict[str, Any]
Tables = Mapping[str, Mapping[str, pa.Table]]
COLUMNS = ("kind", "model", "group", "layer", "head", "positional", "symbolic", "value", "low", "high")
TEXT, WHOLE = ("kind", "model", "group"), ("layer", "head")
# The source's correlation over the heads of another model.
PRINTED = -0.91
BOOTSTRAP_SEED = 0


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a mark, by `kind`, of the binding task of 256 facts at the printed temperature.

    head: both scores, means over prompts (of a null, its first seed). r, surrogates: a group's correlation over heads
    and that of its surrogates, means over prompts and seeds with their 95 % intervals over prompts. excess: r less the
    surrogates'; of a null, the trained heads' excess less the null's. layer: quartiles over a layer's heads of the
    positional score (of a null, of all its seeds). drop: how far its median falls from the first half of the layers to
    the second; of a null, the largest of its seeds. Raises InputError if the default model has no committed
    measurement.
    """
    del context, message
    return gathered(committed())


def committed() -> Tables:
    """The committed tables by model. Raises InputError if the default model has none."""
    from headproof.checks.trained.scores.measurement import MODELS, read

    found = {model.name: tables for model in MODELS if (tables := read(model)) is not None}
    if MODELS[0].name not in found:
        raise InputError(f"{MODELS[0].name} has no committed measurement", "run headproof remeasure scores")
    return found


def gathered(tables: Tables) -> pa.Table:
    """The rows of the figure from the tables of each model."""
    from headproof.checks.trained.scores.numbers import FACTS_256, TAU

    made: list[Row] = []
    for model, held in tables.items():
        heads, pairs = (asked(held[name], FACTS_256, TAU) for name in ("heads", "correlations"))
        found = (*_heads(heads), *_correlations(pairs), *_depth(heads))
        made += [{"model": model, **row} for row in found]
    kinds = {**dict.fromkeys(TEXT, pa.string()), **dict.fromkeys(WHOLE, pa.int64())}
    columns = [pa.array([row.get(name) for row in made], kinds.get(name, pa.float64())) for name in COLUMNS]
    about = abouts(tables, "heads", FACTS_256)
    return pa.table(columns, names=list(COLUMNS)).replace_schema_metadata({"headproof": json.dumps(about)})


def asked(table: pa.Table, task: str, temperature: float) -> Columns:
    """The rows of a task's prompts at a temperature, as arrays."""
    chosen = pa.compute.and_(
        pa.compute.starts_with(table["prompt"], task), pa.compute.equal(table["temperature"], temperature)
    )
    return columns_of(table.filter(chosen))


def abouts(tables: Tables, kind: str, task: str) -> dict[str, Any]:
    """What made the tables, by model, with the prompts of a task that the tables of a kind have rows of; without their
    texts, which are long."""
    found = {}
    for model, held in tables.items():
        about, there = described(held[kind]), set(pa.compute.unique(held[kind]["prompt"]).to_pylist())
        used = [each for each in about["prompts"] if each["name"].startswith(task) and each["name"] in there]
        prompts = [{name: value for name, value in each.items() if name != "text"} for each in used]
        found[model] = {**about, "prompts": prompts}
    return found


def seeds_of(columns: Columns, group: str) -> list[int]:
    """The seeds of a group's models, in order; -1 for the trained one."""
    return [int(seed) for seed in np.unique(rows(columns, group=group)["null_seed"])]


def _heads(heads: Columns) -> Iterator[Row]:
    for group in COLOURS:
        first = {"group": group, "null_seed": seeds_of(heads, group)[0]}
        (positional, layers), (symbolic, _) = (scores_of(heads, name, **first) for name in ("positional", "symbolic"))
        number = np.arange(len(layers)) - np.searchsorted(layers, layers)
        for layer, head, one, other in zip(layers, number, mean_over(positional), mean_over(symbolic), strict=True):
            about = {"kind": "head", "group": group, "layer": int(layer), "head": int(head)}
            yield {**about, "positional": float(one), "symbolic": float(other)}


def _correlations(pairs: Columns) -> Iterator[Row]:
    units, excess = units_of(pairs), {}
    for group in COLOURS:
        own, drawn = own_and_drawn(pairs, group)
        of_surrogates = mean_over(drawn.T)
        excess[group] = own - of_surrogates
        yield {"kind": "r", "group": group, **_mean(own, units)}
        yield {"kind": "surrogates", "group": group, **_mean(of_surrogates, units)}
    for group, values in excess.items():
        apart = values if group == "trained" else excess["trained"] - values
        yield {"kind": "excess", "group": group, **_mean(apart, units)}


def _mean(values: Any, units: list[str]) -> Row:
    """The mean over prompts and its interval over units of prompts."""
    low, high = over_prompts(lambda chosen: float(values[chosen].mean()), units, BOOTSTRAP_SEED)
    return {"value": float(values.mean()), "low": low, "high": high}


def _depth(heads: Columns) -> Iterator[Row]:
    units = units_of(heads)
    for group in COLOURS:
        found = [scores_of(heads, "positional", group=group, null_seed=seed) for seed in seeds_of(heads, group)]
        layers = np.concatenate([each for _, each in found])
        names, ends = by_layer(layers, np.concatenate([mean_over(values) for values, _ in found]))
        for layer, (low, middle, high) in zip(names, ends.T, strict=True):
            about = {"kind": "layer", "group": group, "layer": int(layer)}
            yield {**about, "value": float(middle), "low": float(low), "high": float(high)}
        drop: Row = {"kind": "drop", "group": group, "value": max(depth_drop(*each) for each in found)}
        if group == "trained":
            drop["low"], drop["high"] = over_prompts(partial(_drop, *found[0]), units, BOOTSTRAP_SEED)
        yield drop


def _drop(values: Any, layers: Any, chosen: Any) -> float:
    return depth_drop(values[chosen], layers)


# -- drawing -------------------------------------------------------------------------------------------------------


def draw(data: pa.Table) -> Any:
    """A row a model: the plane of the two scores, a panel a group. Below, correlations, and scores by layer."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    models = list(described(data))
    letters = iter(ascii_lowercase)
    figure = plt.figure(figsize=(6.8, 2.3 + 1.75 * len(models)))
    upper, lower = figure.subfigures(2, 1, height_ratios=(1.75 * len(models), 1.9))
    panels = upper.subplots(len(models), len(COLOURS), squeeze=False, sharex=True, sharey=True)
    for row, model in zip(panels, models, strict=True):
        for axes, (group, name) in zip(row, NAMES.items(), strict=True):
            _plane(axes, rows(columns, model=model, group=group), group)
            axes.set_title(f"{next(letters)}  {name}")
        row[0].set_ylabel(f"{model}\npositional score")
    for axes in panels[-1]:
        axes.set_xlabel("symbolic score")
    first, *rest = lower.subplots(1, 1 + len(models), squeeze=False, width_ratios=(1.2, *[1] * len(models)))[0]
    _r(first, columns, models)
    first.set_title(f"{next(letters)}  correlation of the scores")
    for axes, model in zip(rest, models, strict=True):
        _layers(axes, rows(columns, model=model, kind="layer"))
        axes.set_title(f"{next(letters)}  {model}")
        axes.set_ylabel("positional score")
    lower.legend(handles=_keys(), loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure


def _plane(axes: Any, mine: Columns, group: str) -> None:
    """Where heads lie; no average of swaps lies in the grey triangle, no single swap inside the circle."""
    angle = np.linspace(0, np.pi / 2, 91)
    axes.fill_between([0, 1], [1, 0], color="0.93", linewidth=0, zorder=0)
    axes.plot([0, 1], [1, 0], color="0.3", linewidth=0.9, zorder=1)
    axes.plot(np.sin(angle), np.cos(angle), color="0.3", linestyle="--", linewidth=0.9, zorder=4)
    heads = rows(mine, kind="head")
    look = {"color": COLOURS[group], "markersize": 2.6, "markeredgewidth": 0, "alpha": 0.7, "linestyle": "none"}
    axes.plot(heads["symbolic"], heads["positional"], MARKERS[group], zorder=3, clip_on=False, **look)
    own, drawn = (rows(mine, kind=kind)["value"][0] for kind in ("r", "surrogates"))
    said = f"mean r {_signed(own)}\nsurrogates {_signed(drawn)}\n{len(heads['layer'])} heads"
    axes.text(0.04, 0.04, said, fontsize=SMALL, va="bottom")
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=np.linspace(0, 1, 3), yticks=np.linspace(0, 1, 3))


def _r(axes: Any, columns: Columns, models: list[str]) -> None:
    """r of each group, filled, and of its surrogates, hollow, with intervals over prompts; the first at the top."""
    places, names = [], []
    for number, model in enumerate(models):
        top = -number * (len(COLOURS) + 1.6)
        axes.text(1, top + 1, model, fontsize=SMALL, ha="right", va="center")
        for row, (group, colour) in enumerate(COLOURS.items()):
            at = top - row
            places.append(at)
            names.append(group)
            for kind, face in (("surrogates", "white"), ("r", colour)):
                mine = rows(columns, model=model, group=group, kind=kind)
                axes.hlines(at, mine["low"], mine["high"], color=colour, linewidth=1.2, zorder=2)
                look = {"color": colour, "markerfacecolor": face, "markersize": 4.5, "markeredgewidth": 1.1}
                axes.plot(mine["value"], [at], MARKERS[group], linestyle="none", zorder=3, clip_on=False, **look)
    axes.axvline(PRINTED, color="0.3", linestyle=":", linewidth=0.9, zorder=0)
    axes.set(xlim=(-1.02, 1.02), ylim=(min(places) - 0.7, 1.6), xlabel="Pearson's r over heads", xticks=(-1, 0, 1))
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)


def _layers(axes: Any, mine: Columns) -> None:
    for group in COLOURS:
        held = rows(mine, group=group)
        banded(axes, held["layer"], np.stack([held[name] for name in ("low", "value", "high")]), group)
    axes.set(ylim=(0, 1.02), xlabel="layer", yticks=np.linspace(0, 1, 3))
    axes.xaxis.set_major_locator(whole())


def _keys() -> list[Any]:
    from matplotlib.lines import Line2D

    def entry(label: str, **look: Any) -> Any:
        return Line2D([], [], label=label, **{"color": "0.3", "linewidth": 0.9, **look})

    mark = {"linestyle": "none", "marker": "o", "markersize": 4.5}
    return [
        *(
            entry(NAMES[group], color=colour, marker=MARKERS[group], linestyle=STYLES[group], markersize=4)
            for group, colour in COLOURS.items()
        ),
        entry("unit circle: no swap inside", linestyle="--"),
        entry("chord: no average below"),
        entry("mean r over heads", **mark),
        entry("mean r of surrogates", markerfacecolor="white", **mark),
        entry("printed r", linestyle=":"),
    ]


def _signed(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


# -- words ---------------------------------------------------------------------------------------------------------


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns, told = columns_of(data), []
    about = described(data)
    for model in about:
        mine = rows(columns, model=model)
        beyond = ", ".join(
            f"{between(rows(mine, kind='excess', group=group))} {'its own' if group == 'trained' else f'less {group}'}"
            for group in COLOURS
        )
        drops = {group: rows(mine, kind="drop", group=group) for group in COLOURS}
        nulls = ", ".join(f"{group} {_signed(each['value'][0])}" for group, each in drops.items() if group != "trained")
        told.append(
            f"{model}: excess (r less the surrogates') {beyond}; fall of the median positional score from the first "
            f"half of the layers to the second {between(drops['trained'])}, of nulls at most {nulls}"
        )
    return (
        f"dec.emp and dec.scores. {domain_words(about)}. Top: one point a head, the mean over prompts (of a null, its "
        "first seed). Every single swap of two blocks scores outside the unit circle, dashed (dec.scores.circle), and "
        "near it where one of the blocks gets little attention beside the other, before or after: there, a high score "
        "leaves the other low (dec.scores.circle.near). A head's weighted average of swaps may lie inside the circle, "
        "but not below the chord, in the grey triangle (dec.scores.average). The r in each panel, as in the bottom "
        "left, is the mean of the r of every prompt and seed, not that of the points drawn, which are means "
        "themselves. Bottom left: Pearson's r of the two scores over heads, mean over prompts and seeds with 95 % "
        "intervals over prompts, filled; hollow, that of surrogates, in which both scores of each swap are exchanged "
        "at random: the geometry of the scores alone. The gap between both is the excess. Dotted: the "
        f"{_signed(PRINTED)} printed for another model. Bottom right: median and quartiles over the heads of a layer "
        f"(of a null, of all its seeds). {'. '.join(told)}. What the nulls show as well is no evidence of training."
    )


def domain_words(about: Mapping[str, Any]) -> str:
    """The models, the prompts on which they were measured, the temperature and the nulls' seeds."""
    models = " and ".join(
        f"{model} ({each['model']['layers']} layers of {each['model']['heads']} heads)" for model, each in about.items()
    )
    first = next(iter(about.values()))
    prompts, settings, seeds = first["prompts"], first["settings"], ", ".join(map(str, first["null_seeds"]))
    return (
        f"{models} on {len(prompts)} prompts of the binding task of {prompts[0]['blocks']} facts, at the last token, "
        f"temperature {float(settings['temperatures'][0]):g}, seeds of each null {seeds}"
    )


def between(mine: Columns, digits: int = 2) -> str:
    """A value and its interval.

    >>> between({"value": np.array([-0.25]), "low": np.array([-0.3]), "high": np.array([0.1])})
    '−0.25 [−0.30, 0.10]'
    """
    value, low, high = (_signed(float(mine[name][0]), digits) for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


figure = Figure(
    "scores",
    "Every head by its two scores, their correlation, and depth, on two models and their nulls",
    compute,
    draw,
    caption,
    (
        *("dec.scores.circle", "dec.scores.average", "dec.emp.correlation", "dec.emp.beyond-geometry"),
        *("dec.emp.correlation-learned", "dec.emp.depth"),
    ),
)
