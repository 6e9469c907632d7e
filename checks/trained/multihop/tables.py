"""The tables of the multihop measurements: their columns, and what each means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

# The margins gamma of a pure head (dyn.learning), and how columns name them.
MARGINS = {"10": 0.1, "05": 0.05}
# The readings of a layer's weighted mean angle.
ANGLES = ("mean_angle", "index_angle", "median_angle", "top_angle")

RUN: Mapping[str, str] = {
    "task": "number or letter",
    "size": "full, the source's model, or small",
    "seed": "seed of initial weights, sequences and dropout",
    "step": "training steps done; 0: the untrained model, the null",
}
STEP: Mapping[str, str] = {
    **RUN,
    "hops": "moves from the last token to the answer; 0: all classes together",
    "sequences": "held-out sequences",
    "accuracy": "share answered rightly, over the whole vocabulary",
    "loss": "cross-entropy in training, nats, mean over the steps since the checkpoint before; null at step 0",
}
QUERY = "moves from the last token to the query's place on the path: 0 is the last token itself"
HEAD: Mapping[str, str] = {
    **RUN,
    "layer": "0-based layer, of one head",
    "hops": "moves from the last token to the answer; 0: all classes together",
    "query": QUERY,
    "sequences": "held-out sequences, those whose path goes on from there",
    "positional": "positional score s_pos (dec.scores), blocks of one token, all pairs of the key places that the "
    "query sees, its own among them, tau = 1e-4; mean over sequences",
    "symbolic": "symbolic score s_sym, likewise",
    "positional_earlier": "positional score over the pairs of key places before the query's own, as a profile has it",
    "symbolic_earlier": "symbolic score, likewise",
    "positional_target": "positional score over the pairs of key places in the target window, which hold tokens of one "
    "kind: letters, or letter-number pairs",
    "symbolic_target": "symbolic score, likewise",
    "positional_larger": "share of sequences in which the positional score is the larger one",
    "pure_sequences": "share of sequences in which one score is at most 0.1",
    "null_purity": "standard deviation of positional - symbolic if each swap's two scores were exchanged at random",
    **{
        f"kind_{name}": f"one mean score at least {1 - gamma:g} and the other below it: positional or symbolic; both "
        "at least that: both (as uniform attention); else neither"
        for name, gamma in MARGINS.items()
    },
    **{
        f"pure_{name}": f"one mean score at most {gamma:g}, so that the other is above {1 - gamma:g} "
        "(dec.scores.average): positional, symbolic or none"
        for name, gamma in MARGINS.items()
    },
    "entropy": "entropy of the attention over the keys that the query sees, nats, mean over sequences",
    "entropy_share": "the same over the logarithm of their number",
    "largest": "largest attention weight, mean over sequences",
    "mean_angle": "mean angle of the planes, radians per position, each weighing mean |q_f| |k_f| over keys, sequences",
    "index_angle": "angle of the plane nearest to the weighted mean of the planes' numbers, same weights",
    "median_angle": "weighted median of the planes' angles, same weights",
    "top_angle": "angle of the plane of the largest weight",
    "top_share": "that plane's share of all weight",
    "logit_scale": "the weights' sum times the model's scaling: how far all planes together move a logit, logit units",
    "printed_angle": "what the source prints for this layer of its trained model; null for other sizes",
}
TARGET: Mapping[str, str] = {
    **RUN,
    "layer": "0-based layer, of one head",
    "hops": "moves from the last token to the answer",
    "query": QUERY + "; as many as hops: the answer",
    "target": "the same of the place attended to; equal to query: itself; -1: all places off the path, and those of "
    "the path that the query does not see have none",
    "sequences": "held-out sequences",
    "weight": "attention weight there, mean over sequences",
    "uniform": "what uniform attention gives there",
    "top": "share of sequences in which the largest weight is there",
}
ROLE: Mapping[str, str] = {
    **RUN,
    "layer": "0-based layer, of one head",
    "hops": "moves from the last token to the answer",
    "query": QUERY + "; as many as hops: the answer",
    "next": "attention weight on the next place of the path, mean over sequences; 0 at the answer",
    "further": "attention weight on later places of the path",
    "own": "attention weight on the query's own place",
    "off": "attention weight on places off the path",
    "most": "next, further, own or off: where the largest weight is in more than half of the sequences; else spread",
    "role": "move where that is next or further (Index or Retrieval), Reflexive where it is own, none otherwise",
}
ABLATION: Mapping[str, str] = {
    **RUN,
    "layer": "0-based layer whose attention output is replaced; -1 for the kind none",
    "kind": "mean: by its mean over the sequences, place by place; zero: by 0; none: nothing is replaced",
    "layers": "one: this layer alone; onward: this one and all after it, so from layer 0 all of them",
    "places": "every: at all places of the sequence; last: at the last place alone; others: at all but the last",
    "hops": "moves from the last token to the answer; 0: all classes together",
    "sequences": "held-out sequences",
    "accuracy": "share answered rightly",
}
TABLES: Mapping[str, Mapping[str, str]] = {
    "steps": STEP,
    "heads": HEAD,
    "targets": TARGET,
    "roles": ROLE,
    "ablations": ABLATION,
}

WHOLE = {"seed", "step", "hops", "sequences", "layer", "query", "target"}
TEXT = {"task", "size", "most", "role", "kind", "layers", "places"} | {
    f"{kind}_{name}" for kind in ("kind", "pure") for name in MARGINS
}


def table_of(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as the table of a name; what a row does not have is null, never NaN. Definitions stand with the columns."""
    fields = [
        pa.field(
            column,
            pa.int32() if column in WHOLE else pa.string() if column in TEXT else pa.float32(),
            metadata={"definition": meaning},
        )
        for column, meaning in TABLES[name].items()
    ]
    columns = [pa.array([row.get(field.name) for row in rows], field.type, from_pandas=True) for field in fields]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))
