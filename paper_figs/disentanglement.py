"""Figure `disentanglement`: how well position and content add up to the causal logits, on the committed models."""

from __future__ import annotations

import json
from collections.abc import Callable
from string import ascii_lowercase
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.registry import Context
from headproof.checks.trained.committed import MODELS
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.paper_figs.figure import Figure
from headproof.paper_figs.generalize_fits import printed_line
from headproof.paper_figs.generalize_rows import SMALL, band_key, banded, by_head, by_layer, whole
from headproof.paper_figs.profile_rows import groups_in
from headproof.theory.errors import InputError

# Measures of `fits`, drawn one below the other, and what they are called.
MEASURES = {
    "correlation": "all entries",
    "row_correlation": "within rows",
    "centred_row_correlation": "within rows, centred",
}


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    """One row a model, group, layer and measure: quartiles over heads of the committed r of the additive fit.

    Raises InputError if the default model has no committed measurement.
    """
    from headproof.checks.trained.disentanglement.measurement import read

    del context, message
    found = {model.name: tables["fits"] for model in MODELS if (tables := read(model)) is not None}
    if MODELS[0].name not in found:
        raise InputError(f"{MODELS[0].name} has no committed measurement", "run headproof remeasure disentanglement")
    return summarised(found)


def summarised(fits: dict[str, pa.Table]) -> pa.Table:
    """Quartiles over the heads of each layer, of a null over those of all its seeds, for `fits` by model."""
    parts = []
    for model, table in fits.items():
        for group in groups_in(table):
            heads = by_head(table, tuple(MEASURES), group)
            for measure in MEASURES:
                layers, (low, middle, high) = by_layer(heads.layer, heads.values[measure])
                counts = [int((heads.layer == layer).sum()) for layer in layers]
                parts.append(
                    {
                        "model": [model] * len(layers), "group": [group] * len(layers),
                        "measure": [measure] * len(layers), "layer": layers, "heads": counts, "lower_quartile": low,
                        "median": middle, "upper_quartile": high,
                    }
                )  # fmt: skip
    about = {model: described(table) for model, table in fits.items()}
    made = pa.concat_tables([pa.table(part) for part in parts])
    return made.replace_schema_metadata({"headproof": json.dumps(about)})


def draw(data: pa.Table) -> Any:
    """A column a model and a row a measure: medians and quartiles over heads by layer, beside the nulls."""
    import matplotlib.pyplot as plt

    columns = columns_of(data)
    models = list(described(data))
    figure = plt.figure(figsize=(max(4.6, 3.6 * len(models)), 5.0))
    panels = figure.subplots(len(MEASURES), len(models), sharex="col", sharey=True, squeeze=False)
    for number, (measure, title) in enumerate(MEASURES.items()):
        for place, model in enumerate(models):
            axes = panels[number, place]
            _panel(axes, rows(columns, model=model, measure=measure))
            axes.set(ylim=(0, 1), title=f"{ascii_lowercase[number * len(models) + place]}  {model}: {title}")
    for axes in panels[-1]:
        axes.set_xlabel("layer")
        axes.xaxis.set_major_locator(whole())
    for axes in panels[:, 0]:
        axes.set_ylabel("r of logits and fit")
    handles = [*panels[0, 0].get_legend_handles_labels()[0], band_key("interquartile range over heads")]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(5, 2 * len(models) + 1), fontsize=SMALL)
    return figure


def _panel(axes: Any, columns: Columns) -> None:
    for group in dict.fromkeys(map(str, columns["group"])):
        mine = rows(columns, group=group)
        ends = np.stack([mine[name] for name in ("lower_quartile", "median", "upper_quartile")])
        banded(axes, mine["layer"], ends, group)
    printed_line(axes)


def caption(data: pa.Table) -> str:
    """Claim, domain and reading of the figure."""
    columns = columns_of(data)
    said = []
    for model, about in described(data).items():
        settings, size = about["settings"], about["model"]
        mine = rows(columns, model=model, measure="correlation", group="trained")
        said.append(
            f"{model} ({size['layers']} layers of {size['heads']} heads) on {settings['count']} texts of "
            f"{settings['tokens']} tokens, null seeds {', '.join(map(str, about['null_seeds']))}, median r over "
            f"all entries from {mine['median'].min():.3f} to {mine['median'].max():.3f} by layer"
        )
    return (
        f"gen.additive, on the committed measurement: {'; '.join(said)}. r is the correlation of a head's causal "
        "logits with their least-squares fit a[i-j] + b[i] + c[j], the mean over texts. Lines are medians over the "
        "heads of a layer (of a null, over those of all its seeds), bands their interquartile range. Top: over all "
        "visible entries, as printed. Middle: within rows, each less its mean, which is what softmax sees. Bottom: the "
        "same of centred queries and keys, their mean over tokens taken off before rotation. The thin line is the 0.95 "
        "that gen.additive prints for another model."
    )


figure = Figure(
    "disentanglement",
    "How well position and content add up on two models",
    compute,
    draw,
    caption,
    (
        "gen.additive.printed",
        *(
            f"gen.additive.{finding}.{model.slug}"
            for finding in ("reached", "everywhere", "random-lacks", "within-rows", "beyond-means", "means-tell")
            for model in MODELS
        ),
    ),
)
