"""The columns of the tables of `headproof generalize`: what each means and its unit, as the files' metadata say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from headproof.checks.trained.disentanglement import length, tolerance

GROUPS = {
    "group": "trained, or the null: fresh (a new initialisation), shuffled (trained matrices, entries permuted)",
    "null_seed": "seed of the null model; -1 for the trained model",
}
TEXT = {**GROUPS, "text": "name of the text"}
HEAD = {"layer": "0-based layer", "head": "0-based query head"}
FITS = {
    **TEXT,
    **HEAD,
    "window": "sliding window of the layer in keys, 0 for none",
    "correlation": "r of causal logits and fit a[i-j] + b[i] + c[j] over all visible entries",
    "row_correlation": "the same of rows less their means, which is what softmax sees",
    "position_correlation": "within rows, of the fit a[i-j] + b[i]",
    "content_correlation": "within rows, of the fit b[i] + c[j]",
    "spread": "root mean square of the logits around their row's mean, logit units (natural log)",
    "correlation_without_first": "r without the first token as key and as query",
    "row_correlation_without_first": "the same within rows",
    "centred_correlation": "r of logits of queries and keys less their mean over tokens",
    "centred_row_correlation": "the same within rows",
    "centred_spread": "root mean square of those logits around their row's mean, logit units",
    "conformance": "largest error of the layer's rebuilt attention weights",
}
QUERIES = {
    **TEXT,
    "asked": "the query, as a fraction of the text",
    "query": "0-based position of the query token",
    "keys": "number m of keys before it that it sees",
    **HEAD,
    "energy": "mean square of the logit table around its mean, squared logit units",
    "position_share": "share of the position in the table's sum of squares",
    "content_share": "share of the content",
    "interaction_share": "share of the interaction; the two-axis form f(q, d) + g(q, k) has r = sqrt(1 - share)",
    "distance_held_out": "r of every other key's curve over all distances with the mean curve of the keys between",
    "content_held_out": "r of logits at the nearer half of the distances with the content at the farther half",
    "interaction": "root mean square of the interaction over the table, logit units",
    "bound": "its bound by norms, deviations and angles (gen.thm2.anova), logit units",
    "tightness_5": "5 % quantile of |double difference| over the bound of gen.thm2, of 500 draws for a layer",
    "tightness_25": "25 % quantile",
    "tightness_50": "median",
    "tightness_75": "75 % quantile",
    "tightness_95": "95 % quantile",
    "tightness_largest": "largest of the pairs drawn",
    "tightness_proven": "largest, with what rounding of the model's angles may add taken off",
    "interaction_share_reordered": "the interaction's share with angles dealt to planes at random, mean of 10 deals",
    "pattern": "Spearman correlation over the turning planes of angle and key deviation",
    "pattern_relative": "the same, of the key deviation over the keys' root mean square",
}
PLANES = {
    **TEXT,
    **HEAD,
    "plane": "0-based rotary plane in the head's own order",
    "frequency": "angle from a position to the next, radians",
    "key_mean": "norm of the mean key in the plane",
    "key_deviation": "root mean square distance of the keys from their mean",
    "query_norm": "norm of the last query in the plane, times the scaling",
    "turning": "root mean square distance of the turned query from its mean over the keys' positions, as a share of it",
    "bound_share": "share of the plane in the bound of the head's interaction",
}
CURVES = {
    **TEXT,
    **HEAD,
    "key": "position of the key that is given false distances; -1 for the distance component, shared by all keys",
    "content": "the key's content component: its mean logit over all distances; NaN for key -1",
    "distance": "distance from the last query, tokens",
    "component": "logit at that distance less the content component; for key -1 the distance component",
    "error": "root mean square over all keys of what the two components leave at that distance; NaN for single keys",
}
TOLERANCE = {**GROUPS, **tolerance.COLUMNS}
OUTPUTS = {**GROUPS, "window": FITS["window"], **length.HEADS}
CONTEXTS = {**GROUPS, **length.TEXTS}
TABLES: Mapping[str, Mapping[str, str]] = {
    "fits": FITS,
    "queries": QUERIES,
    "planes": PLANES,
    "curves": CURVES,
    "tolerance": TOLERANCE,
    "outputs": OUTPUTS,
    "contexts": CONTEXTS,
}
# Kept in double precision: what is small, or compared with a bound.
EXACT = (
    "asked",
    "frequency",
    "interaction_share",
    "interaction_share_reordered",
    "tightness_proven",
    "conformance",
    "nll",
    "nll_still",
    "nll_inside",
    "nll_beyond",
)


def as_table(name: str, columns: Mapping[str, np.ndarray[Any, Any]], about: Mapping[str, Any]) -> pa.Table:
    """An Arrow table of those columns of TABLES that are given, each field with its definition; `about` goes along."""
    fields, arrays = [], []
    for column, meaning in TABLES[name].items():
        if column not in columns:
            continue
        values = np.asarray(columns[column])
        if values.dtype.kind in "US":
            array = pa.array([str(value) for value in values], pa.string()).dictionary_encode()
        elif values.dtype.kind in "iu":
            array = pa.array(values, pa.int64() if column in ("null_seed", "seed") else pa.int32())
        else:
            array = pa.array(values.astype(np.float64 if column in EXACT else np.float32))
        arrays.append(array)
        fields.append(pa.field(column, array.type, metadata={"definition": meaning}))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, {b"headproof": json.dumps(about).encode()}))
