"""The models of dyn.learning: GPT-J with one head a layer, every coordinate of which is rotary.

With 128 rotary coordinates the angles are `10000^(-k / 64)`, `k = 0 .. 63`, in radians per position: 1, .866, ... as
the source's table of mean angles has them. `full` has the source's sizes; `small` trains on a laptop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, GPTJConfig

from headproof.checks.trained.multihop.tasks import SIZES, Ids, Sequences, Task, task_of
from headproof.theory.errors import InputError

# The longest sequence that a model takes, in tokens.
POSITIONS = 1024
ATTENTION = ("sdpa", "eager")


@dataclass(frozen=True)
class Size:
    """Layers, width and inner width of a size, the windows and hops that it is trained on, and for how many steps."""

    layers: int
    width: int
    inner: int
    target: int
    before: int
    hops: tuple[int, ...]
    steps: int


SHAPES = {
    "full": Size(layers=12, width=128, inner=512, target=8, before=8, hops=(1, 2, 3, 4), steps=6000),
    "small": Size(layers=6, width=64, inner=256, target=6, before=6, hops=(1, 2, 3), steps=1500),
}


def shape_of(size: str) -> Size:
    """The shape of a size. Raises InputError for an unknown one."""
    if size not in SHAPES:
        raise InputError(f"unknown size {size!r:.60}", f"known: {', '.join(SIZES)}")
    return SHAPES[size]


def config(task: Task | str, size: str = "full", dropout: float = 0.1) -> Any:
    """The GPTJConfig of a task in a size; `dropout` acts on embeddings, attention weights and residual branches.

    Raises InputError for an unknown task or size.
    """
    shape = shape_of(size)
    return GPTJConfig(
        vocab_size=task_of(task, size).size,
        n_positions=POSITIONS,
        n_embd=shape.width,
        n_layer=shape.layers,
        n_head=1,
        rotary_dim=shape.width,
        n_inner=shape.inner,
        activation_function="gelu_new",
        resid_pdrop=dropout,
        embd_pdrop=dropout,
        attn_pdrop=dropout,
        use_cache=False,
        bos_token_id=None,
        eos_token_id=None,
        tie_word_embeddings=False,
    )


def build(settings: Any, seed: int, attention: str = "sdpa") -> Any:
    """A GPTJForCausalLM in float32 with initial weights from the seed, in evaluation mode, on the CPU.

    `attention` is "sdpa" (quick) or "eager" (shows its weights). The caller's random state stays as it was. Raises
    InputError for another attention.
    """
    if attention not in ATTENTION:
        raise InputError(f"unknown attention {attention!r:.60}", f"known: {', '.join(ATTENTION)}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return AutoModelForCausalLM.from_config(settings, attn_implementation=attention).eval()


def last_logits(model: Any, tokens: torch.Tensor) -> torch.Tensor:
    """Logits `(count, vocabulary)` at the last place of `(count, n)` ids; the unembedding is applied there alone."""
    hidden = model.transformer(input_ids=tokens, use_cache=False).last_hidden_state
    logits: torch.Tensor = model.lm_head(hidden[:, -1])
    return logits


def predictions(model: Any, tokens: Ids, batch: int = 256) -> Ids:
    """The id `(count,)` that a model answers to each row of ids `(count, n)`, over the whole vocabulary.

    Raises InputError for sequences longer than the model takes.
    """
    if tokens.shape[1] > model.config.n_positions:
        raise InputError(f"sequences of {tokens.shape[1]} tokens", f"the model takes up to {model.config.n_positions}")
    where, training = next(model.parameters()).device, model.training
    model.eval()
    try:
        with torch.inference_mode():
            parts = [
                last_logits(model, torch.as_tensor(tokens[start : start + batch], device=where)).argmax(-1).cpu()
                for start in range(0, len(tokens), batch)
            ]
    finally:
        model.train(training)
    return np.asarray(torch.cat(parts).numpy()) if parts else np.empty(0, dtype=np.int64)


def accuracy(model: Any, task: Task | str, sequences: Sequences, batch: int = 256) -> Ids:
    """Whether the model answers each sequence rightly, bool `(count,)`, `batch` of them at a time.

    Raises InputError for a model of another vocabulary, and for sequences longer than it takes.
    """
    known = task_of(task)
    if model.config.vocab_size != known.size:
        raise InputError(f"a model of {model.config.vocab_size} tokens", f"the {known.name} task has {known.size}")
    right: Ids = predictions(model, sequences.tokens, batch) == sequences.answers
    return right


def by_hops(right: Ids, sequences: Sequences, hops: Sequence[int]) -> list[float]:
    """The share that is right in each hop class, in the order of `hops`."""
    return [float(right[sequences.hops == number].mean()) for number in hops]
