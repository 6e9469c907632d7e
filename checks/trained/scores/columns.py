"""The columns of a profile's tables: what each means, and its unit. They go into the files' metadata."""

from __future__ import annotations

import pyarrow as pa

KEYS = {
    "group": "trained, or the null: fresh (a new initialisation), shuffled (trained matrices, entries permuted)",
    "null_seed": "seed of the null model; -1 for the trained model",
    "prompt": "name of the prompt",
    "asked": "the query as it was asked for: last, a position, or a fraction of the prompt",
    "query": "0-based position of the query token",
    "temperature": "tau of the swaps' weights softmax(|d_i - d_j| / tau); 0: the largest alone; inf: all alike",
    "layer": "0-based layer",
    "head": "0-based query head",
}
SCORES = {
    "blocks": "number of blocks scored: those before the query and inside the layer's window",
    "positional": "positional score s_pos (dec.scores), 0 to 1; NaN where fewer than two blocks are seen",
    "symbolic": "symbolic score s_sym (dec.scores), 0 to 1",
    "purity": "s_pos - s_sym, -1 (symbolic) to 1 (positional)",
    "position_share": "share of the position in the sum of squares of the table of block tokens; independent of tau",
    "content_share": "share of the content in it",
    "interaction_share": "share of the interaction of both in it",
    "energy": "mean square of that table around its mean, squared logit units (natural log)",
    "exclusion": "variance of the logits in use over the bound of dec.thm1, same table; 0 to 1",
    "entropy": "entropy of the attention over all visible keys, as a fraction of uniform attention's",
}
HEADS = {
    **KEYS,
    **SCORES,
    "least_gamma": "1 - max(s_pos, s_sym): the least margin gamma at which the head counts as pure",
    "kind": "at the profile's margin: positional, symbolic, both (as uniform attention), neither, or unseen",
    "window": "sliding window of the layer in keys, 0 for none",
    "turning_wavelength": "tokens: the wavelength that best parts positional (shorter) from symbolic planes (longer)",
    "turning_agreement": "share of the planes on the right side of it, each weighing its energy times |s_pos - s_sym|",
    "turning_constant": "the largest such share that needs no turn: all planes positional, or all symbolic",
    "conformance": "largest error of the layer's rebuilt attention weights",
}
PLANES = {
    **KEYS,
    "plane": "0-based rotary plane in the head's own order; -1: the coordinates that do not turn, together",
    "frequency": "angle from a position to the next, radians a token",
    "wavelength": "tokens a full turn; inf for the plane -1",
    **SCORES,
    "energy_share": "share of the plane's energy in the sum of all planes' energies of its head",
}
CORRELATIONS = {
    **{name: KEYS[name] for name in ("group", "null_seed", "prompt", "asked", "query", "temperature")},
    "surrogate": "-1: the heads as they are; 0, 1, ...: both scores of each swap exchanged at random",
    "heads": "number of heads scored",
    "r": "Pearson correlation of s_pos and s_sym over the heads of all layers",
}
TEXT = ("group", "prompt", "asked", "kind")
WHOLE = ("null_seed", "query", "layer", "head", "blocks", "window", "plane", "surrogate", "heads")
# Scores are known to about 1e-6 (the model's own rounding), so half the bits of float64 hold them.
EXACT = ("temperature", "frequency", "wavelength", "energy", "conformance", "r")


def schema(columns: dict[str, str], metadata: dict[bytes, bytes] | None = None) -> pa.Schema:
    """The Arrow schema of a table; each field carries its definition."""
    return pa.schema(
        [pa.field(name, _kind(name), metadata={"definition": meaning}) for name, meaning in columns.items()], metadata
    )


def _kind(name: str) -> pa.DataType:
    if name in TEXT:
        return pa.dictionary(pa.int32(), pa.string())
    if name in WHOLE:
        return pa.int32() if name != "null_seed" else pa.int64()
    return pa.float64() if name in EXACT else pa.float32()
