"""The queries and keys of every layer before rotation, from one forward pass, and logit tables made of them.

During the pass the model's own rotary function is wrapped, which shows queries, keys, cos and sin, and a
function registered with transformers' attention interface stands in for eager attention: it calls the model's
own eager function, and compares its weights with those rebuilt from what was captured (`conform.py`). A layer
that does not conform stops the pass. Weights are dropped layer by layer. A layer in which no rotation is seen is
believed to have none only after a test (`reversal.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from headproof.checks.trained.conform import (
    HALF,
    ROUNDOFF,
    CapturedLayer,
    ConformanceError,
    check_rows,
    key_heads,
    require_compared,
    turn,
)
from headproof.checks.trained.models import Model, ModelSource
from headproof.checks.trained.recorder import Recorder
from headproof.checks.trained.rotary import CHOOSE, UnknownRotaryError, attention_layers
from headproof.checks.trained.watching import watching
from headproof.theory.errors import InputError
from headproof.theory.table import LogitTable

__all__ = [
    "Capture",
    "CapturedLayer",
    "ConformanceError",
    "HeadTables",
    "capture",
    "check_rows",
    "layer_tables",
    "visible_keys",
]

PRECISIONS = (torch.float64, torch.float32, *HALF)


@dataclass(frozen=True, eq=False)
class HeadTables:
    """Logit tables of one layer for one query: batch axis `heads`, rows and columns `keys`.

    `query` and `keys` are 0-based token positions. The logits are those before soft-capping.
    """

    layer: int
    query: int
    heads: tuple[int, ...]
    keys: tuple[int, ...]
    table: LogitTable


@dataclass(frozen=True, eq=False)
class Capture:
    """One forward pass over `tokens`: its attention layers, each of which conforms to the model."""

    source: ModelSource
    null: str
    architecture: str
    tokens: tuple[int, ...]
    layers: tuple[CapturedLayer, ...]

    @property
    def error(self) -> float:
        """The largest conformance error of all layers, an absolute difference of attention weights."""
        return max(layer.error for layer in self.layers)

    @property
    def rows(self) -> int:
        """The number of query rows whose attention weights were compared in each layer."""
        return min(layer.rows for layer in self.layers)

    def tables(self, query: int | None = None, heads: Sequence[int] | None = None) -> Iterator[HeadTables]:
        """The tables of all layers for one query (by default the last token), one layer at a time."""
        query = len(self.tokens) - 1 if query is None else query
        for layer in self.layers:
            table = layer_tables(layer, query, heads)
            chosen = tuple(range(layer.heads)) if heads is None else tuple(heads)
            yield HeadTables(layer.index, query, chosen, visible_keys(layer, query), table)


# -- tables ----------------------------------------------------------------------------------------------


def visible_keys(layer: CapturedLayer, query: int) -> tuple[int, ...]:
    """The 0-based positions before `query` that it sees: all of them, or those in its sliding window.

    Raises InputError if there are none.
    """
    if not 0 <= query < layer.length:
        raise InputError(f"query {query} is not in a text of {layer.length} tokens")
    keys = tuple(torch.nonzero(layer.visible[query, :query]).flatten().tolist())
    if not keys:
        raise InputError(f"the query at position {query} sees no key before it", "choose a later query")
    return keys


def used_logits(layer: CapturedLayer, query: int, keys: Sequence[int], heads: Sequence[int] | None = None) -> Tensor:
    """Logits before soft-capping that the layer uses for a query and some keys: float64 `(heads, keys)`."""
    chosen = _chosen_heads(layer, heads)
    turned = turn(layer, layer.queries[chosen, query : query + 1], slice(query, query + 1))
    every = turn(layer, layer.keys[:, list(keys)], list(keys))
    return layer.scaling * (every[key_heads(layer, chosen)] @ turned.transpose(1, 2))[..., 0]


def layer_tables(layer: CapturedLayer, query: int, heads: Sequence[int] | None = None) -> LogitTable:
    """Logit tables of a layer's heads for the 0-based `query`: float64, shape `(heads, m, m)`.

    `M[h, a, b]` is the logit before soft-capping of key content `a` placed at position `b`, over the `m` keys
    that `visible_keys` lists: `scaling k_a . R_b^T R_n q`. The rotated query is turned back from every
    position `b` by the model's own function, O(heads m (m + d)) memory and O(heads m^2 d) time. In a layer without
    rotation all positions are alike, to the last bit.

    Raises InputError for a query or a head that is not there, and ConformanceError if the tables' diagonal is
    not the logits in use: then the rotary function with `-sin` does not undo it.
    """
    require_compared(layer, query)
    chosen = _chosen_heads(layer, heads)
    keys = list(visible_keys(layer, query))
    used = used_logits(layer, query, keys, heads)
    if not layer.rotates:  # every position has the column in use, to the last bit
        return LogitTable(used[..., None].expand(-1, -1, len(keys)).contiguous())
    turned = turn(layer, layer.queries[chosen, query : query + 1], slice(query, query + 1))
    back = turn(layer, turned.expand(-1, len(keys), -1), keys, inverse=True)
    contents = layer.keys[:, keys].double()[key_heads(layer, chosen)]
    logits = layer.scaling * (contents @ back.transpose(1, 2))
    # Some rotary functions compute in float32, so its roundoff of the largest possible logit is allowed.
    reach = abs(layer.scaling) * float((back.norm(dim=-1) * contents.norm(dim=-1)).max())
    apart = float((torch.diagonal(logits, dim1=-2, dim2=-1) - used).abs().max())
    if not apart <= 32 * ROUNDOFF * reach:
        raise ConformanceError(
            f"{layer.architecture} layer {layer.index}: un-rotating query {query} gives logits {apart:.2g} "
            f"away from those in use; its rotary function with -sin is not the inverse rotation"
        )
    return LogitTable(logits)


def _chosen_heads(layer: CapturedLayer, heads: Sequence[int] | None) -> Tensor:
    chosen = list(range(layer.heads)) if heads is None else list(heads)
    if bad := [head for head in chosen if not 0 <= head < layer.heads]:
        raise InputError(f"layer {layer.index} has no head {bad[0]}", f"it has heads 0 to {layer.heads - 1}")
    if not chosen:
        raise InputError("no heads are chosen", f"layer {layer.index} has heads 0 to {layer.heads - 1}")
    return torch.tensor(chosen, device=layer.queries.device)


# -- the pass --------------------------------------------------------------------------------------------


def capture(model: Model, token_ids: Sequence[int] | Tensor, *, rows: Sequence[int] | None = None) -> Capture:
    """Capture every attention layer in one forward pass over one text of at least two tokens.

    Runs without gradients and without the language-model head; the model is as before afterwards, also after
    an error. Layers that do not attend (convolutions, state spaces) are not in the capture. The weights of the
    query `rows` are rebuilt and compared with the model's own, by default of all; `check_rows` chooses some for
    the queries that are to be read. The rotation of all queries and keys is compared in any case.

    Raises InputError for tokens that are no ids of the model, rows that are not in the text, training mode,
    precisions other than float64, float32, bfloat16 and float16, and architectures whose attention is not
    understood (named), and ConformanceError where a layer's rebuilt weights are not the model's own.
    """
    module = model.model
    ids = _token_ids(model, token_ids)
    chosen = _chosen_rows(rows, len(ids))
    layers = attention_layers(module)
    if module.training:
        raise InputError(f"{model.architecture} is in training mode", "call its eval() first")
    if (dtype := next(module.parameters()).dtype) not in PRECISIONS:
        raise InputError(f"{model.architecture} is in {dtype}", "load it in float32")
    recorder = Recorder(model.architecture, len(ids), None if chosen is None else chosen.to(model.device))
    try:
        with torch.no_grad(), watching(module, layers, recorder):
            _run(model, ids)
            recorder.require_proven()
    except InputError:
        raise
    except UnknownRotaryError as problem:
        raise InputError(f"{model.architecture} is not supported: {problem}", CHOOSE) from problem
    except Exception:
        _require_running(model, ids)
        raise
    if missed := [layer.index for layer in layers if layer.index not in recorder.layers]:
        raise InputError(
            f"{model.architecture} is not supported: its layer {missed[0]} has no attention interface",
            CHOOSE,
        )
    captured = tuple(recorder.layers[layer.index] for layer in layers)
    return Capture(model.source, model.null, model.architecture, tuple(ids.tolist()), captured)


def _run(model: Model, ids: Tensor) -> None:
    model.model.base_model(input_ids=ids[None].to(model.device), use_cache=False)


def _require_running(model: Model, ids: Tensor) -> None:
    """Tell in one line what a model says of the tokens that it does not take, watched or not."""
    try:
        with torch.no_grad():
            _run(model, ids)
    except Exception as error:  # a model's code may raise anything
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        longest = int(getattr(model.config, "max_position_embeddings", len(ids)))
        remedy = "shorten the text" if len(ids) > longest else "it fails in the same way when it is not captured"
        raise InputError(f"{model.architecture} cannot take {len(ids)} tokens: {said}", remedy) from error


def _chosen_rows(rows: Sequence[int] | None, length: int) -> Tensor | None:
    if rows is None:
        return None
    numbers = sorted({int(row) for row in rows})
    if not numbers:
        raise InputError("no rows are chosen", "compare at least one row, or all with rows=None")
    if bad := [row for row in numbers if not 0 <= row < length]:
        raise InputError(f"row {bad[0]} is not in a text of {length} tokens", f"rows are 0 to {length - 1}")
    return torch.tensor(numbers)


def _token_ids(model: Model, token_ids: Sequence[int] | Tensor) -> Tensor:
    try:
        ids = torch.as_tensor(token_ids)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"token ids are integers, got {token_ids!r:.60}") from error
    if ids.ndim == 1 and len(ids) < 2:
        raise InputError(f"a text of {len(ids)} tokens has no query with a key before it", "give at least two tokens")
    if ids.ndim != 1 or ids.dtype not in (torch.int64, torch.int32, torch.int16, torch.uint8):
        raise InputError(f"token ids are one row of integers, got {ids.dtype} of shape {tuple(ids.shape)}")
    vocabulary = int(model.model.get_input_embeddings().weight.shape[0])
    if len(bad := ids[(ids < 0) | (ids >= vocabulary)]):
        raise InputError(
            f"token id {int(bad[0])} is not in the vocabulary of {vocabulary} tokens of {model.source.name}",
            "the tokenizer beside the weights is not this model's",
        )
    return ids.to(torch.int64)
