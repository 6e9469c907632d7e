"""The mechanism of one trained toy as rows of tables: beside it the same head before training, the null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headproof.checks.trained.canonical import mechanism as measures
from headproof.checks.trained.canonical import on_inputs
from headproof.checks.trained.canonical.positional_fit import positional_fit
from headproof.checks.trained.canonical.premises import premises
from headproof.checks.trained.canonical.sampling import held_out
from headproof.checks.trained.canonical.toys import initial_layer, layer_of
from headproof.checks.trained.canonical.training import Trained
from headproof.constructions.transformers import Transformer

# Inputs for every place of the answer that discrepancies and exclusion ratios are read from.
EACH = 4

HEAD: Mapping[str, str] = {
    "name": "short name of the cell",
    "state": "trained, or untrained: the same head's random initial weights",
    "keys_resultant": "|mean of key directions|, 1 for keys in one direction (Index)",
    "keys_share": "|mean key|^2 / mean |key|^2 (Index)",
    "query_resultant": "|mean of exp(i (arg z_j - theta j))|, 1 if the query's angle is the target's place (Index)",
    "query_chance": "what random angles give there, 1 / sqrt(T)",
    "query_constant": "what one angle for all places gives there, |sin(T theta / 2) / (T sin(theta / 2))|",
    "query_variation": "standard deviation over mean of |z_j| (Index)",
    "unit": "largest |mean logit|, over which gaps and leads are given; of a data token where symbols match",
    "amplitude": "c of the H_POS that fits the mean logits best, logits (Index)",
    "explained": "share of those logits' squared deviations that it accounts for (Index)",
    "symbol_share": "share of the keys' variance between symbols (Retrieval, induction)",
    "symbol_leads": "share of symbols whose own key leads the mean match matrix (Retrieval, induction)",
    "worst_lead": "least lead of a match over a wrong key at another place, over the largest |logit|",
    "gap": "largest over inputs of largest less second-largest logit, over the unit (dyn.def3.1)",
    "least_lead": "least lead of the target over another place, over the unit",
    "mean_lead": "mean lead of the target over the best other place, over the unit",
    "angle_bound": "dyn.thm3.2's bound for one plane: 1 - cos theta, or 1 - cos(omega - n theta) in its range",
    "length_bound": "2 pi^2 / n^2, its second (Index)",
    "ratio": "variance over bound of dec.thm1, mean over inputs",
    "position": "share of the table's variance by position",
    "content": "share by content",
    "interaction": "share that is neither",
}
PREMISE: Mapping[str, str] = {
    "name": "short name of the cell",
    "state": "trained or untrained",
    "theorem": "whose premise it is",
    "premise": "the premise",
    "violation": "by how much it fails, relative; 0 if it holds",
}


def mechanism(trained: Trained) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, np.ndarray[Any, Any]]]:
    """Rows of the head and of its premises, and by place of the answer the weight on the target: the toy's `weight`,
    and for Index that of H_POS at the toy's amplitude, `construction`."""
    cell = trained.cell
    layers = {"trained": layer_of(trained), "untrained": initial_layer(cell)}
    inputs = held_out(cell, EACH)
    heads, audited = [], []
    for state, layer in layers.items():
        heads.append({"name": cell.name, "state": state, **_head(layer, trained, inputs.tokens)})
        audited += [
            {
                "name": cell.name,
                "state": state,
                "theorem": each.theorem,
                "premise": each.name,
                "violation": each.violation,
            }
            for each in premises(layer, cell.vocabulary_task, cell.length)
        ]
    weights = {"weight": on_inputs.target_weight(layers["trained"], inputs.tokens, inputs.places)}
    if cell.task == "index":
        weights["construction"] = positional_fit(layers["trained"], cell.vocabulary_task).weight
    return heads, audited, weights


def _head(layer: Transformer, trained: Trained, tokens: np.ndarray[Any, Any]) -> dict[str, float]:
    cell, task = trained.cell, trained.cell.vocabulary_task
    apart = on_inputs.discrepancy(layer, task, tokens)
    parts = on_inputs.exclusion(layer, tokens)
    found = {
        "gap": apart.gap,
        "unit": apart.amplitude,
        "least_lead": apart.least_lead,
        "mean_lead": apart.mean_lead,
        "angle_bound": apart.angle_bound,
        "length_bound": apart.length_bound,
        "ratio": parts.ratio,
        "position": parts.position,
        "content": parts.content,
        "interaction": parts.interaction,
    }
    if cell.task != "index":
        code = measures.symbol_code(layer, task, cell.length)
        return {
            **found,
            "symbol_share": code.key_share,
            "symbol_leads": code.positive,
            "worst_lead": code.worst_share,
        }
    keys, line = measures.key_gathering(layer, task), measures.query_line(layer, task)
    fit = positional_fit(layer, task)
    return {
        **found,
        "keys_resultant": keys.resultant,
        "keys_share": keys.share,
        "query_resultant": line.resultant,
        "query_chance": line.chance,
        "query_constant": float(abs(np.exp(1j * line.angle * np.arange(cell.keys)).mean())),
        "query_variation": line.variation,
        "amplitude": fit.amplitude,
        "explained": fit.explained,
    }
