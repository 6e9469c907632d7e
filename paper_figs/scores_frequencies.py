"""Figure `scores_frequencies`: the two scores of rotary planes by wavelength, on two models and their nulls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.evidence import cube, mean_over, unit_of
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.generalize_rows import BAND, SMALL, quartiles
from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
from headproof.paper_figs.profile_frequencies import SCORES, STYLES, Axis
from headproof.paper_figs.profile_rows import Array
from headproof.paper_figs.scores import Row, Tables, abouts, asked, between, committed, domain_words
from headproof.theory.scores.empirical_claims import MOSTLY

COLUMNS = ("kind", "model", "group", "rotation", "wavelength", "value", "low", "high")
TEXT, WHOLE = ("kind", "model", "group"), ("rotation",)
KEYS = ("null_seed", "layer", "head", "plane")
# What dec.emp prints of a band of frequencies, beside the band's name in checks.trained.scores.numbers.BANDS.
SAID = {"highest-frequency": "both", "high-frequency": "pos.", "low-frequency": "sym."}
# What the claim of a band asks of the share of its planes, of all wavelengths together: at least 90 % more positional,
# or more symbolic, so at most 10 % more positional.
ASKED = {"high-frequency": MOSTLY, "low-frequency": 100 - MOSTLY}
MORE = "more positional"
# Of up to so many prompts a 95 % interval reaches from the least to the largest value over resamples.
FEW = 4
# Scores are drawn by their distance from 1, down to this; the tables hold five decimals.
NEAREST = 1e-4
SHADES = {"highest-frequency": "0.9", "high-frequency": "0.95", "low-frequency": "0.9"}


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a mark, by `kind`, of the binding task of 48 facts at the printed temperature.

    positional, symbolic: quartiles over heads of a plane's score, means over prompts. more positional: the percentage
    of planes (of heads, prompts and seeds) whose positional score is the higher. Layers of the same wavelengths count
    together, as one `rotation`, those of the most layers first. gain: of a null, how much more the order of wavelengths
    helps the trained heads' planes to part than it helps the null's, with its interval over prompts. Raises
    InputError if the default model has no committed measurement.
    """
    del context, message
    return gathered(committed())


def gathered(tables: Tables) -> pa.Table:
    """The rows of the figure from the tables of each model."""
    from headproof.checks.trained.scores.numbers import FACTS_48, TAU

    made: list[Row] = []
    for model, held in tables.items():
        planes = asked(held["planes"], FACTS_48, TAU)
        heads = asked(held["heads"], FACTS_48, TAU)
        made += [{"model": model, **row} for row in (*_planes(planes), *_gains({"planes": planes, "heads": heads}))]
    kinds = {**dict.fromkeys(TEXT, pa.string()), **dict.fromkeys(WHOLE, pa.int64())}
    columns = [pa.array([row.get(name) for row in made], kinds.get(name, pa.float64())) for name in COLUMNS]
    about = abouts(tables, "planes", FACTS_48)
    return pa.table(columns, names=list(COLUMNS)).replace_schema_metadata({"headproof": json.dumps(about)})


def _planes(planes: Columns) -> Iterator[Row]:
    for group in COLOURS:
        mine = rows(planes, group=group)
        scores = {name: cube(mine, name, ("prompt", *KEYS)) for name in SCORES}
        # (layers, planes): all seeds and heads of a layer turn alike.
        waves = cube(mine, "wavelength", ("prompt", *KEYS))[0, 0, :, 0, :]
        for number, layers in enumerate(rotations(waves)):
            one = {name: values[:, :, layers] for name, values in scores.items()}
            more = 100 * np.mean(one["positional"] > one["symbolic"], axis=(0, 1, 2, 3))
            ends = {name: np.stack([quartiles(each) for each in _by_plane(values)]) for name, values in one.items()}
            for plane in np.argsort(waves[layers[0]], kind="stable"):
                wave = float(waves[layers[0], plane])
                about = {"group": group, "rotation": number, "wavelength": wave}
                for name in SCORES:
                    low, middle, high = map(float, ends[name][plane])
                    yield {"kind": name, **about, "value": middle, "low": low, "high": high}
                yield {"kind": MORE, **about, "value": float(more[plane])}


def _by_plane(values: Array) -> Array:
    """Scores `(prompts, seeds, layers, heads, planes)` as means over prompts, `(planes, heads)`."""
    found = mean_over(values)
    return found.reshape(-1, found.shape[-1]).T


def rotations(waves: Array) -> list[Array]:
    """Layers whose planes turn by the same wavelengths, `waves` being `(layers, planes)`: the most layers first.

    >>> [each.tolist() for each in rotations(np.array([[9.0, 99.0], [6.0, 60.0], [6.0, 60.0]]))]
    [[1, 2], [0]]
    """
    _, which = np.unique(waves, axis=0, return_inverse=True)
    found = [np.flatnonzero(which.reshape(-1) == each) for each in np.unique(which)]
    return sorted(found, key=lambda layers: (-len(layers), int(layers[0])))


def _gains(columns: Mapping[str, Columns]) -> Iterator[Row]:
    from headproof.checks.trained.scores.numbers import MEASURES

    numbers = {name: number.value for name, number in MEASURES["frequency-learned"](columns, 0)[0].items()}
    for null in list(COLOURS)[1:]:
        own, other = (numbers[f"median gain by order, {group}"] for group in ("trained", null))
        low, high = (numbers[f"gain, trained - {null}, {end} %"] for end in ("2.5", "97.5"))
        yield {"kind": "gain", "group": null, "value": own - other, "low": low, "high": high}


# -- drawing -------------------------------------------------------------------------------------------------------


def draw(data: pa.Table) -> Any:
    """A row a model: both scores by wavelength, a panel a group. Below, which planes are more positional, and gains."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    models = list(described(data))
    letters = iter(ascii_lowercase)
    figure = plt.figure(figsize=(6.8, 2.3 + 1.7 * len(models)))
    upper, lower = figure.subfigures(2, 1, height_ratios=(1.7 * len(models), 2.1))
    panels = upper.subplots(len(models), len(COLOURS), squeeze=False)
    first, *rest = lower.subplots(1, 1 + len(models), squeeze=False, width_ratios=(0.8, *[1] * len(models)))[0]
    axis = _axis(columns)
    for row, model in zip(panels, models, strict=True):
        for axes, (group, name) in zip(row, NAMES.items(), strict=True):
            _ground(axes, axis, named=group == "trained")
            _scores(axes, rows(columns, model=model, group=group))
            axes.set_title(f"{next(letters)}  {name}")
            _nearness(axes)
        row[0].set_ylabel(f"{model}\nscore")
    for axes in panels[:-1].flat:
        axes.tick_params(labelbottom=False)
    for axes in panels[:, 1:].flat:
        axes.tick_params(labelleft=False)
    for axes in panels[-1]:
        axes.set_xlabel("wavelength (tokens)")
    _gain(first, columns, models)
    first.set_title(f"{next(letters)}  gain by order")
    for axes, model in zip(rest, models, strict=True):
        _ground(axes, axis, named=axes is rest[0])
        _shares(axes, rows(columns, model=model, kind=MORE))
        axes.set(ylim=(0, 102), xlabel="wavelength (tokens)", ylabel="% positional")
        axes.set_title(f"{next(letters)}  {model}")
    lower.legend(handles=_keys(), loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure


def _axis(columns: Columns) -> Axis:
    waves = columns["wavelength"][~np.isnan(columns["wavelength"])]
    finite = waves[np.isfinite(waves)]
    return Axis(float(finite.min()), float(finite.max()), bool(np.isinf(waves).any()))


def _ground(axes: Any, axis: Axis, named: bool) -> None:
    """The axis of wavelengths, and the bands that claims are about, with what is printed of them."""
    from headproof.checks.trained.scores.numbers import BANDS

    axis.draw(axes)
    left, right = axes.get_xlim()
    for name, (low, high) in BANDS.items():
        low, high = max(low, left), min(high, right)
        axes.axvspan(low, high, color=SHADES[name], linewidth=0, zorder=0)
        if named:
            look = {"fontsize": SMALL, "color": "0.35", "rotation": 90, "ha": "center", "va": "bottom", "zorder": 1}
            axes.text(np.sqrt(low * high), 0.04, SAID[name], transform=axes.get_xaxis_transform(), **look)


def _nearness(axes: Any) -> None:
    """Up goes towards a score of 1, logarithmically in the distance from it."""
    from matplotlib.ticker import NullLocator

    axes.set_yscale("log")
    powers = np.arange(round(np.log10(NEAREST)), 1)
    names = ["0", *(f"{1 - 10.0**power:g}" for power in powers[-2::-1])]
    axes.set_yticks(10.0 ** powers[::-1], names)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(1, NEAREST / 1.4)


def _scores(axes: Any, mine: Columns) -> None:
    for score, (colour, marker, _) in SCORES.items():
        for rotation, held in _turning(mine, score):
            face = {"markerfacecolor": "white" if score == "symbolic" else colour, "markeredgewidth": 0.7}
            look: dict[str, Any] = {"marker": marker, "markersize": 2.6, **face}
            if rotation:
                look = {"linewidth": 0.8, "linestyle": (0, (5, 1.5)) if score == "positional" else (0, (1, 1))}
            low, middle, high = (np.maximum(1 - held[name], NEAREST) for name in ("low", "value", "high"))
            axes.plot(held["wavelength"], middle, color=colour, zorder=3, markevery=_sparse(held), **look)
            if not rotation:
                axes.fill_between(held["wavelength"], low, high, color=colour, alpha=BAND, linewidth=0, zorder=2)


def _shares(axes: Any, mine: Columns) -> None:
    from headproof.checks.trained.scores.numbers import BANDS

    for group, colour in COLOURS.items():
        for rotation, held in _turning(rows(mine, group=group), MORE):
            look: dict[str, Any] = {"linewidth": 0.8} if rotation else {"marker": MARKERS[group], "markersize": 3}
            look |= {"color": colour, "linestyle": STYLES[group], "zorder": 3}
            axes.plot(held["wavelength"], held["value"], markevery=_sparse(held), **look)
    left, right = axes.get_xlim()
    for name, share in ASKED.items():
        low, high = BANDS[name]
        axes.hlines(share, max(low, left), min(high, right), color="black", linewidth=1.0, zorder=4)


def _turning(mine: Columns, kind: str) -> Iterator[tuple[int, Columns]]:
    """The rotations of a kind, each by wavelength; what does not turn is left out."""
    held = rows(mine, kind=kind)
    finite = np.isfinite(held["wavelength"])
    held = {name: values[finite] for name, values in held.items()}
    for rotation in np.unique(held["rotation"]).astype(int):
        yield int(rotation), rows(held, rotation=rotation)


def _sparse(held: Columns) -> int:
    """Every how many planes a marker stands, so that some thirty do."""
    return max(1, len(held["wavelength"]) // 30)


def _gain(axes: Any, columns: Columns, models: list[str]) -> None:
    """The trained heads' gain less each null's, with its interval over prompts."""
    nulls = list(COLOURS)[1:]
    places, names = [], []
    for number, model in enumerate(models):
        top = -number * (len(nulls) + 1.3)
        look = {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1}, "transform": axes.get_yaxis_transform()}
        axes.text(0.98, top + 0.8, model, fontsize=SMALL, ha="right", va="center", **look)
        for row, group in enumerate(nulls):
            mine, at = rows(columns, model=model, group=group, kind="gain"), top - row
            axes.hlines(at, mine["low"], mine["high"], color=COLOURS[group], linewidth=2, zorder=2)
            axes.plot(mine["value"], [at], MARKERS[group], color=COLOURS[group], markersize=4.5, zorder=3)
            places.append(at)
            names.append(f"− {group}")
    axes.axvline(0, color="0.3", linewidth=0.8, zorder=0)
    axes.set(ylim=(min(places) - 0.6, 1.3), xlabel="trained − null")
    axes.margins(x=0.12)
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)


def _keys() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def entry(label: str, **look: Any) -> Any:
        return Line2D([], [], label=label, **{"color": "0.3", "linewidth": 1.2, **look})

    scores = [
        entry(name, color=colour, marker=marker, markersize=3.5,
              markerfacecolor="white" if score == "symbolic" else colour)
        for score, (colour, marker, name) in SCORES.items()
    ]  # fmt: skip
    groups = [
        entry(NAMES[group], color=colour, marker=MARKERS[group], markersize=3.5, linestyle=STYLES[group])
        for group, colour in COLOURS.items()
    ]
    return [
        *scores,
        Patch(label="quartiles over heads", color="0.5", alpha=2 * BAND, linewidth=0),
        *groups,
        entry("thin: layers of another base", linewidth=0.8),
        Patch(label="band of a claim, line: its share", facecolor="0.9"),
    ]


# -- words ---------------------------------------------------------------------------------------------------------


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    from headproof.checks.trained.scores.numbers import BANDS

    columns, told = columns_of(data), []
    about = described(data)
    for model in about:
        mine = rows(columns, model=model)
        gains = ", ".join(
            f"less {group} {between(rows(mine, kind='gain', group=group), 3)}" for group in list(COLOURS)[1:]
        )
        told.append(f"{model}, trained {gains}")
    (_, fast), (_, medium), (slow, _) = (BANDS[name] for name in SAID)
    return (
        f"dec.emp. {domain_words(about)}: every rotary plane of every head, scored as a head of its own. Top: median "
        "and quartiles over heads of the positional and the symbolic score, means over prompts (of a null, over the "
        "heads of all its seeds), by the plane's wavelength, in tokens a full turn; upwards by their distance from 1, "
        f"at the top {NEAREST:g} or less. Thin, without a band: layers that turn by another base. Shaded are the bands "
        f"that claims are about: below {fast:g} tokens (printed: high on both), from {fast:g} to {medium:g} "
        f"(positional) and from {slow:,.0f} on (symbolic). Bottom left: gain by order, the share of a head's planes, "
        "weighing energy times the scores' difference, that one wavelength parts rightly, less its mean over random "
        f"orders of the same planes; the median over trained heads less a null's, with {_interval(about)}. That "
        "training made the order would take gaps to the right of 0 against both nulls (dec.emp.frequency-learned). "
        "Bottom right: the percentage of planes whose positional score is the higher, wavelength by wavelength; black "
        f"lines: what two claims ask of the trained planes of a whole band taken together, at least {MOSTLY:g} % more "
        f"positional (dec.emp.high-frequency) or at least {MOSTLY:g} % more symbolic, so at most {100 - MOSTLY:g} % "
        f"more positional (dec.emp.low-frequency). Gain by order, {'; '.join(told)}. What the nulls show as well is "
        "geometry of the rotation."
    )


def _interval(about: Mapping[str, Any]) -> str:
    """What an interval over prompts is: over so few units that the expanded percentiles are clipped, a range."""
    units = max(len({unit_of(prompt["name"]) for prompt in each["prompts"]}) for each in about.values())
    if units > FEW:
        return "95 % intervals over prompts"
    return (
        f"the range over resamples of the {units} prompts, which is that over the prompts or little more (of so few, a "
        "95 % interval is all of it)"
    )


figure = Figure(
    "scores_frequencies",
    "The two scores of rotary planes by wavelength, on two models and their nulls",
    compute,
    draw,
    caption,
    tuple(f"dec.emp.{name}" for name in ("low-frequency", "high-frequency", "highest-frequency", "frequency-learned")),
)
