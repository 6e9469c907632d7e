"""gen.tolerance: what a share of words in wrong places costs, in the text, in the position indices, and in the keys.

The words of a text are paired at random and each pair changes places, in two readings: a word and the next one
(`neighbours`), or any two (`anywhere`). The two words of a pair have equally many tokens, and not the same ones, so
that the exchange is one and the same permutation of token places at three levels:

* `words`: the text itself is rewritten; its tokens move;
* `indices`: the tokens stay, and the exchanged ones get each other's position indices, as queries and as keys;
* `keys`: the tokens stay, and only their keys stand at each other's positions.

At the last two levels each query sees the keys that come before it in the text. A text's first word never moves: it
has no space before it, and a model without a beginning-of-text token makes it a place that all heads look to. The
control, `shuffled`, permutes all words among those of equally many tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headproof.checks.trained.corpus import Text, Words, word_tokens
from headproof.checks.trained.models import Model
from headproof.checks.trained.steering import Steerer, Steering, require_conforming
from headproof.theory.errors import InputError

Columns = dict[str, np.ndarray[Any, Any]]
Whole = np.ndarray[Any, np.dtype[np.int64]]
Wide = np.ndarray[Any, np.dtype[np.float64]]
Progress = Callable[[str, int, int], None]
NEIGHBOURS, ANYWHERE, SHUFFLED, NONE = "neighbours", "anywhere", "shuffled", "none"
READINGS = (NEIGHBOURS, ANYWHERE)
LEVELS = ("words", "indices", "keys")
TOKENS = 256
COLUMNS = {
    "text": "name of the text",
    "seed": "seed of the exchanges; -1 for the text as it is",
    "reading": "which words changed places: neighbours, anywhere, shuffled (the control), or none",
    "level": "what moved: words, indices or keys; none for the text as it is",
    "asked": "share of the text's words that should move",
    "reached": "share of the text's words that stand in another's place",
    "words": "number of words in the text's tokens",
    "tokens": "number of tokens",
    "nll": "mean negative log-likelihood of all predicted tokens, nats",
    "still": "number of predictions whose target and the token before it did not move",
    "nll_still": "mean negative log-likelihood of those, nats; NaN if there are none",
    "plain_still": "mean negative log-likelihood of the same predictions in the text as it is, nats",
}


@dataclass(frozen=True, eq=False)
class Exchange:
    """Which token stands in each place, `(T,)`, and the share of words that stand in another's place."""

    tokens: Whole
    reached: float

    @property
    def positions(self) -> Whole:
        """The place of each token, `(T,)`: the inverse."""
        found: Whole = np.argsort(self.tokens)
        return found

    @property
    def still(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether the prediction made in each place but the last has a target and a last token that did not move."""
        stays = self.tokens == np.arange(len(self.tokens))
        found: np.ndarray[Any, np.dtype[np.bool_]] = stays[:-1] & stays[1:]
        return found


def exchange(words: Words, share: float, reading: str, seed: int) -> Exchange:
    """An exchange of about `share` of a text's words, deterministic in the text, the seed and the reading.

    The pairs of a smaller share are among those of a larger one. Where there are not enough pairs whose words have
    equally many tokens, all that were found are exchanged, and `reached` says how many. Raises InputError for an
    unknown reading and a share that is not above 0 and at most 1.
    """
    if reading not in (*READINGS, SHUFFLED):
        raise InputError(f"no reading {reading!r}", f"there are {', '.join((*READINGS, SHUFFLED))}")
    if not 0 < share <= 1:
        raise InputError(f"a share of {share:g} of the words", "give one above 0 and at most 1")
    number = (*READINGS, SHUFFLED).index(reading)
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([words.text.number, seed, number])))
    places = np.arange(len(words.spans))
    if reading == SHUFFLED:
        for same in _by_length(words):
            places[same] = generator.permutation(same)
    else:
        found = _neighbours(words, generator) if reading == NEIGHBOURS else _anywhere(words, generator)
        for one, other in found[: math.floor(share * len(places) / 2 + 0.5)]:
            places[[one, other]] = other, one
    tokens = np.arange(len(words.tokens))
    for place, word in enumerate(places):
        tokens[slice(*words.spans[place])] = np.arange(*words.spans[word])
    return Exchange(tokens, float(np.mean(places != np.arange(len(places)))))


def _by_length(words: Words) -> list[Whole]:
    """The words but the first, those of equally many tokens together."""
    lengths = np.array([stop - start for start, stop in words.spans])
    return [1 + np.flatnonzero(lengths[1:] == length) for length in np.unique(lengths[1:])]


def _differ(words: Words, one: int, other: int) -> bool:
    return words.tokens[slice(*words.spans[one])] != words.tokens[slice(*words.spans[other])]


def _neighbours(words: Words, generator: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs of a word and the next one without overlap, in random order, until no further one fits."""
    taken: set[int] = set()
    found = []
    for one in 1 + generator.permutation(len(words.spans) - 2):
        pair = int(one), int(one) + 1
        lengths = {stop - start for start, stop in (words.spans[word] for word in pair)}
        if len(lengths) == 1 and not taken.intersection(pair) and _differ(words, *pair):
            taken.update(pair)
            found.append(pair)
    return found


def _anywhere(words: Words, generator: np.random.Generator) -> list[tuple[int, int]]:
    """Random pairs of words of equally many tokens without overlap, in random order."""
    found = []
    for same in _by_length(words):
        drawn = generator.permutation(same)
        half = len(drawn) // 2
        found += [(int(one), int(other)) for one, other in zip(drawn[:half], drawn[half : 2 * half], strict=True)]
    found = [pair for pair in found if _differ(words, *pair)]
    return [found[number] for number in generator.permutation(len(found))]


# -- measuring -----------------------------------------------------------------------------------------------------


def measure_plain(steerer: Steerer, text: Text, tokens: int = TOKENS) -> Columns:
    """The row of a text as it is (`COLUMNS`). One pass. Raises what `word_tokens` raises."""
    words = word_tokens(steerer.model, text, tokens)
    nothing = Exchange(np.arange(len(words.tokens)), 0.0)
    nll = likelihoods(steerer, words, nothing, NONE)
    return _columns([_row(words, nothing, nll, nll, level=NONE, seed=-1, reading=NONE, asked=0.0)])


def measure_text(
    steerer: Steerer,
    text: Text,
    seed: int,
    shares: Sequence[float],
    tokens: int = TOKENS,
    readings: Sequence[str] = READINGS,
) -> Columns:
    """The rows (`COLUMNS`) of one text and seed: three levels for each reading and share, and for the control.

    3 (readings shares + 1) passes and one more over `tokens` tokens. Raises what `word_tokens` and `exchange` raise.
    """
    words = word_tokens(steerer.model, text, tokens)
    wanted = [(reading, share) for reading in readings for share in shares] + [(SHUFFLED, 1.0)]
    made = [(reading, share, exchange(words, share, reading, seed)) for reading, share in wanted]
    plain = likelihoods(steerer, words, made[0][-1], NONE)
    rows = []
    for reading, share, moved in made:
        for level in LEVELS:
            nll = likelihoods(steerer, words, moved, level)
            rows.append(_row(words, moved, nll, plain, level=level, seed=seed, reading=reading, asked=share))
    return _columns(rows)


def measure(
    model: Model,
    texts: Sequence[Text],
    shares: Sequence[float],
    seeds: Sequence[int],
    tokens: int = TOKENS,
    readings: Sequence[str] = READINGS,
    progress: Progress | None = None,
) -> Columns:
    """All rows (`COLUMNS`): each text as it is once, and for each seed what `measure_text` measures.

    `progress(what, done, total)` is told each text and seed. Raises InputError if there is no text or seed, and what
    `require_conforming` (on the first text) and `measure_text` raise.
    """
    if not texts or not seeds:
        raise InputError(f"{len(texts)} texts and {len(seeds)} seeds", "give one or more of both")
    steerer = require_conforming(model, word_tokens(model, texts[0], tokens).tokens)
    parts = []
    for number, text in enumerate(texts):
        parts.append(measure_plain(steerer, text, tokens))
        for count, seed in enumerate(seeds):
            parts.append(measure_text(steerer, text, seed, shares, tokens, readings))
            if progress is not None:
                progress(f"{text.name} {seed}", number * len(seeds) + count + 1, len(texts) * len(seeds))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def likelihoods(steerer: Steerer, words: Words, moved: Exchange, level: str) -> Wide:
    """Negative log-likelihoods in nats of the predictions in all places but the last, `(T - 1,)`.

    `level` is one of LEVELS, or NONE for the text as it is.
    """
    tokens, steering = np.array(words.tokens), Steering()
    if level == "words":
        tokens = tokens[moved.tokens]
    elif level == "indices":
        steering = Steering.indices(moved.positions.tolist())
    elif level == "keys":
        steering = Steering.features(moved.positions.tolist())
    return steerer.run(tokens.tolist(), steering, predict=range(len(tokens) - 1)).nll


def _row(words: Words, moved: Exchange, nll: Wide, plain: Wide, **keys: Any) -> dict[str, Any]:
    """A row of predictions `nll` `(T - 1,)`, beside those of the text as it is."""
    still = moved.still
    return {
        **keys,
        "text": words.text.name,
        "reached": moved.reached,
        "words": len(words.spans),
        "tokens": len(words.tokens),
        "nll": float(nll.mean()),
        "still": int(still.sum()),
        "nll_still": float(nll[still].mean()) if still.any() else math.nan,
        "plain_still": float(plain[still].mean()) if still.any() else math.nan,
    }


def _columns(rows: Sequence[dict[str, Any]]) -> Columns:
    return {name: np.array([row[name] for row in rows]) for name in COLUMNS}
