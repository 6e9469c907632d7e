"""A tokenizer of letters for tiny models, and texts in which it has a token for everything."""

import re
import types

import numpy as np
from zoo import GROUPED, tiny

from headproof.checks.trained.corpus import Text
from headproof.checks.trained.models import Model

WORDS = ["moss", "fern", "stone", "water", "bridge", "lantern", "harbour", "winter", "garden", "clock"]


class Letters:
    """A token a letter, and other ones for letters after a space; the start of a text is token 1."""

    symbols = (*"abcdefghijklmnopqrstuvwxyz", *(f" {one}" for one in "abcdefghijklmnopqrstuvwxyz"), *",;.\n")

    def __init__(self, start=(1,), end=(), spelling=None):
        self.start, self.end, self.spelling = list(start), list(end), spelling

    def __call__(self, text, add_special_tokens=True):
        ids = [3 + self.symbols.index(one) for one in re.findall(r" ?[^ ]", text)]
        return types.SimpleNamespace(input_ids=[*self.start, *ids, *self.end] if add_special_tokens else ids)

    def decode(self, ids, **_):
        return self.spelling or "".join(self.symbols[number - 3] for number in ids)


def lettered(kind="llama", **sizes):
    """A tiny model that reads letters."""
    model = tiny(kind, **{**GROUPED, **sizes})
    return Model(model.model, Letters(), model.source)


def texts_of(count, words=12):
    """Texts of random words, by name."""
    return [
        Text(f"text{number}", " ".join(np.random.default_rng(number).choice(WORDS, words))) for number in range(count)
    ]
