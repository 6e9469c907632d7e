"""Likelihoods of continuations of a text: one pass over the text for all of them, and over what texts share once."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
import torch

from headproof.checks.trained.models import Model
from headproof.checks.trained.tasks import Ids, require_room
from headproof.theory.errors import InputError

Array = np.ndarray[Any, Any]
# Types of models that compute the same with torch's own attention as step by step, which takes twice the time.
QUICK = ("llama", "gemma3_text")


@dataclass(frozen=True, eq=False)
class Opening:
    """The tokens that texts begin with, and the keys and values that a model has after reading them."""

    ids: Ids
    held: Any


@dataclass(frozen=True, eq=False)
class Read:
    """What a model makes of a text and of continuations `ends`, all of one size: its logits after the text `(tokens,)`
    and after each continuation's tokens but the last `(continuations, size - 1, tokens)`."""

    ends: torch.Tensor
    first: torch.Tensor
    then: torch.Tensor

    def scores(self) -> Array:
        """The log-likelihood of each continuation `(continuations,)`."""
        first, then = self.first.double(), self.then.double()
        start = first[self.ends[:, 0]] - first.logsumexp(dim=-1)
        more = then.gather(-1, self.ends[:, 1:, None])[..., 0] - then.logsumexp(dim=-1)
        return np.asarray((start + more.sum(dim=1)).cpu())

    def written(self) -> Array:
        """Whether each continuation is what the model writes, every token its first choice `(continuations,)`."""
        start = self.first.argmax() == self.ends[:, 0]
        return np.asarray((start & (self.then.argmax(dim=-1) == self.ends[:, 1:]).all(dim=1)).cpu())

    def after(self, row: int, tokens: Sequence[int]) -> Read:
        """Single tokens that follow the text with a continuation's first token: no further pass."""
        ends = torch.tensor(tokens, device=self.ends.device)[:, None]
        return Read(ends, self.then[row, 0], self.then.new_zeros((len(tokens), 0, self.then.shape[-1])))


def likelihoods(model: Model, ids: Ids, ends: Sequence[Ids], opening: Opening | None = None) -> Read:
    """Read a text and its continuations, all given as tokens. An `opening` is used if the text begins with it.

    Raises InputError for continuations of different numbers of tokens, whose likelihoods do not compare, and for more
    tokens than the model has positions for.
    """
    size = require_one_size(model, ends)
    remedy = "ask for shorter sequences or fewer examples"
    require_room(model, len(ids) + size, f"a prompt of {len(ids)} tokens", remedy)
    device, name = model.device, cache_name(model)
    follows = torch.tensor(ends, device=device)
    given: dict[str, Any] = {"use_cache": True}
    if opening is not None and len(opening.ids) < len(ids) and ids[: len(opening.ids)] == opening.ids:
        # A pass writes into the cache that it is given.
        given[name] = copy.deepcopy(opening.held)
        ids = ids[len(opening.ids) :]
    with torch.inference_mode():
        out = model.model(input_ids=torch.tensor([ids], device=device), logits_to_keep=1, **given)
        first = out.logits[0, -1].float()
        then = first.new_zeros((len(ends), 0, len(first)))
        if size > 1:
            held = getattr(out, name)
            held.batch_repeat_interleave(len(ends))
            then = model.model(input_ids=follows[:, :-1], use_cache=True, **{name: held}).logits.float()
    return Read(follows, first, then)


def require_one_size(model: Model, ends: Sequence[Ids]) -> int:
    """The number of tokens of all continuations; InputError if they differ or have none."""
    sizes = sorted({len(end) for end in ends})
    if len(sizes) != 1 or sizes[0] == 0:
        raise InputError(f"{model.source.name} writes candidates with {sizes} tokens: their likelihoods do not compare")
    return sizes[0]


def opening_of(model: Model, texts: Sequence[Ids]) -> Opening | None:
    """What all texts begin with, read once; None where that is nothing, or all of a text."""
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    common = tuple(column[0] for column in alike)[: min(map(len, texts)) - 1]
    if len(texts) < 2 or not common:
        return None
    with torch.inference_mode():
        ids = torch.tensor([common], device=model.device)
        return Opening(common, getattr(model.model(input_ids=ids, use_cache=True, logits_to_keep=1), cache_name(model)))


@contextmanager
def quick(model: Model) -> Iterator[None]:
    """With torch's own attention for the block's time, where the model's type is one of QUICK."""
    config, module = model.config, model.model
    if config.model_type not in QUICK:
        yield
        return
    before = config._attn_implementation
    module.set_attn_implementation("sdpa")
    try:
        yield
    finally:
        module.set_attn_implementation(before)


def cache_name(model: Model) -> str:
    """What transformers calls the keys and values of a pass, as argument and in its output."""
    return "cache" if "cache" in inspect.signature(model.model.forward).parameters else "past_key_values"
