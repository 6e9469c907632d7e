"""A corpus of plain texts of our own, and its tokens: word by word, or all texts after one another."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headproof.checks.trained.models import Model
from headproof.theory.errors import InputError

FOLDER = Path(__file__).resolve().parent / "texts"
SEPARATOR = "\n\n"


@dataclass(frozen=True)
class Text:
    """A text and the name of its file."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        """The hash of its UTF-8 bytes, 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def number(self) -> int:
        """A whole number made of the hash, for seeds."""
        return int(self.sha256[:16], 16)


@dataclass(frozen=True)
class Words:
    """A text tokenised word by word, words being what stands between white space, punctuation included.

    Word `n` has the tokens from `spans[n][0]` to before `spans[n][1]`; what stands before the first word is what the
    tokenizer puts at the start of a text.
    """

    text: Text
    tokens: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


def names(folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of the corpus's texts in alphabetical order. Raises InputError if there are none."""
    found = tuple(sorted(path.stem for path in folder.glob("*.txt")))
    if not found:
        raise InputError(f"no texts in {folder}", "a corpus is a folder of files that end in .txt")
    return found


def read(name: str, folder: Path = FOLDER) -> Text:
    """The text of a name. Raises InputError for unknown names and for files that are empty or not UTF-8."""
    if name not in (known := names(folder)):
        raise InputError(f"no text {name!r}", f"there are {', '.join(known)}")
    try:
        text = (folder / f"{name}.txt").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the text {name}: {error}") from error
    if not text:
        raise InputError(f"the text {name} is empty")
    return Text(name, text)


def corpus(folder: Path = FOLDER) -> tuple[Text, ...]:
    """All texts in alphabetical order. Raises what `read` raises."""
    return tuple(read(name, folder) for name in names(folder))


# -- tokens --------------------------------------------------------------------------------------------------------


def word_tokens(model: Model, text: Text, tokens: int) -> Words:
    """The words of a text that fit into `tokens` tokens, each tokenised by itself after one space.

    White space of all kinds counts as one space. Raises InputError for a text that is shorter than that, fewer than
    two words, and tokenizers whose tokens of the words do not spell the text.
    """
    ids = list(_start(model))
    spans: list[tuple[int, int]] = []
    words = text.text.split()
    for word in words:
        made = _ids(model, f" {word}" if spans else word)
        if len(ids) + len(made) > tokens:
            break
        spans.append((len(ids), len(ids) + len(made)))
        ids += made
    else:
        raise InputError(f"the text {text.name} has {len(ids)} tokens", f"ask for fewer than {tokens}, or lengthen it")
    if len(spans) < 2:
        raise InputError(f"{tokens} tokens hold {len(spans)} words of the text {text.name}", "ask for more tokens")
    spelt = model.tokenizer.decode(ids[spans[0][0] :], clean_up_tokenization_spaces=False)
    if spelt.strip() != " ".join(words[: len(spans)]):
        raise InputError(f"the tokens of {model.source.name} for single words do not spell the text {text.name}")
    return Words(text, tuple(ids), tuple(spans))


def long_text(model: Model, texts: Sequence[Text], seed: int, tokens: int) -> tuple[tuple[int, ...], int]:
    """The first `tokens` tokens of all texts after one another in a random order, and how often they had to come again.

    A blank line stands between texts. Where they are too short together they come again in another order; 0 repeats
    means that none came twice. Deterministic in the seed. Raises InputError if there is no text.
    """
    if not texts:
        raise InputError("no texts are given", "give one or more")
    generator = np.random.default_rng(np.random.SeedSequence([seed, len(texts)]))
    made = [_ids(model, f"{text.text}{SEPARATOR}") for text in sorted(texts, key=lambda text: text.name)]
    if not any(made):
        raise InputError(f"the texts have no tokens for {model.source.name}")
    ids = list(_start(model))
    rounds = 0
    while len(ids) < tokens:
        rounds += 1
        for number in generator.permutation(len(made)):
            ids += made[number]
    return tuple(ids[:tokens]), max(0, rounds - 1)


def _ids(model: Model, text: str) -> list[int]:
    if model.tokenizer is None:
        raise InputError(f"{model.source.name} has no tokenizer", "its texts cannot be tokenised")
    return [int(number) for number in model.tokenizer(text, add_special_tokens=False).input_ids]


def _start(model: Model) -> list[int]:
    """What the tokenizer puts before a text. Raises InputError for tokenizers that put anything after it."""
    plain: list[int] = _ids(model, "word")
    whole: list[Any] = list(model.tokenizer("word").input_ids)
    if whole[len(whole) - len(plain) :] != plain:
        raise InputError(f"the tokenizer of {model.source.name} adds tokens after a text")
    return [int(number) for number in whole[: len(whole) - len(plain)]]
