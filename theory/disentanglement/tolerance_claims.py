"""Empirical claims about moved words, moved positions and long contexts (gen.tolerance, gen.length), by criterion.

The printed words have no numbers, so each criterion says which it takes: "hardly" is a perplexity at most 10 % higher,
"clearly" one more than 10 % higher. These were written before anything was measured; remarks say what was added.
"""

from __future__ import annotations

from headproof.theory.claim import Fidelity
from headproof.theory.empirical import Finding, Numbers

HARDLY = 1.1
LARGEST_SHARE, LARGER_SHARES = 5, (20,)
ALIKE = 2.0
MOST_HEADS = 10.0  # per cent
ALL_SHUFFLED = "all words shuffled"
NULL_MODELS = {"fresh": "a fresh null for the trained model", "shuffled": "a shuffled null for the trained model"}
OTHER_SHARE, NEXT_HEAD = "20 % against 5 % of the words, both of one kind", "the next head's outputs"
WITHIN = 0.05
READINGS = {"neighbours": "a word and the next one", "anywhere": "any two words"}
BEFORE = "Criterion and threshold were written before anything was measured; the source prints no threshold."
SHARPENED = (
    "The threshold was written before anything was measured. That every order counts, how many heads may exceed it, "
    "and which layers are asked, was added while the measurement ran, before its tables were read, and after a trial "
    "at 256 tokens."
)
FLOOR = "That both costs must lie above 0 was added while the measurement ran, before its tables were read."
NULLS_TOO = (
    "The nulls' ratios are in the numbers: a model that has learned no order cannot lose by it, so that perplexity "
    "hardly changes is no evidence of learning by itself."
)
DOMAIN = "texts of 256 tokens, several seeds; fresh and shuffled nulls; float32"


def ratio(level: str, reading: str, share: float) -> str:
    """The name of a perplexity ratio among the numbers: level, reading, per cent of the words."""
    return f"ppl ratio, {level}, {reading}, {share:g} %"


def _few(reading: str) -> Finding:
    name = ratio("words", reading, LARGEST_SHARE)
    return Finding(
        f"tolerance.few-{reading}",
        Fidelity.PRINTED,
        f"Swapping at most 5 % of the words hardly changes perplexity ({READINGS[reading]} change places)",
        r"\mathrm{ppl}(5\,\%) \le 1.1\, \mathrm{ppl}(0)",
        "With 5 % of the words in each other's place the perplexity is at most 10 % higher.",
        DOMAIN,
        "SUPPORTED if the 97.5 % point of the bootstrap (over texts) of the perplexity with 5 % of the words moved "
        f"over that of the text as it is, is at most {HARDLY:g}",
        (ALL_SHUFFLED,),
        lambda n: n[f"{name}, 97.5 %"] <= HARDLY,
        (BEFORE, NULLS_TOO),
    )


def _many(reading: str) -> Finding:
    names = [ratio("words", reading, share) for share in LARGER_SHARES]
    return Finding(
        f"tolerance.many-{reading}",
        Fidelity.PRINTED,
        f"Swapping more than 10 % of the words clearly raises perplexity ({READINGS[reading]} change places)",
        r"\mathrm{ppl}(20\,\%) > 1.1\, \mathrm{ppl}(0)",
        "With 20 % of the words in each other's place the perplexity is more than 10 % higher.",
        DOMAIN,
        "SUPPORTED if the 2.5 % point of the bootstrap (over texts) of the perplexity with 20 % of the words moved "
        f"over that of the text as it is, is above {HARDLY:g}",
        tuple(NULL_MODELS.values()),
        lambda n: all(n[f"{each}, 2.5 %"] > HARDLY for each in names),
        (BEFORE, "10 % itself is measured too and in the numbers."),
    )


def _alike(numbers: Numbers, one: str, other: str) -> bool:
    return all(
        numbers[f"cost of {level}, {reading}, 2.5 %"] > 0 for level in (one, other) for reading in READINGS
    ) and all(
        1 / ALIKE <= numbers[f"cost of {one} / {other}, {reading}, {end}"] <= ALIKE
        for reading in READINGS
        for end in ("2.5 %", "97.5 %")
    )


def _pair(name: str, one: str, other: str, what: str, fidelity: Fidelity) -> Finding:
    return Finding(
        f"tolerance.{name}",
        fidelity,
        f"Perturbing {what} act alike",
        rf"\tfrac12 \le \Delta_{{\text{{{one}}}}} / \Delta_{{\text{{{other}}}}} \le 2",
        f"Perturbing {what}, of the same words, raises log perplexity by amounts within a factor of 2.",
        f"5, 10 and 20 % of the words together, {DOMAIN}",
        "SUPPORTED if for both ways of pairing words both mean increases of the log perplexity have a 95 % "
        f"bootstrap interval (over texts) above 0, and that of their ratio lies within [1/{ALIKE:g}, {ALIKE:g}]",
        (OTHER_SHARE,),
        lambda n: _alike(n, one, other),
        (
            BEFORE,
            FLOOR,
            "An exchange of words and one of indices are the same permutation, but for two things: with indices a "
            "query may see keys that stand after it, at negative distances that were never trained, and its target "
            "is the next token of the text and not of the scrambled one.",
            "What 'feature level' is in the source was reconstructed: keys before rotation stand at each other's "
            "positions in every layer, while queries keep theirs.",
        ),
    )


TOLERANCE_FINDINGS = (
    *(_few(reading) for reading in READINGS),
    *(_many(reading) for reading in READINGS),
    _pair("indices-like-features", "indices", "keys", "position indices and perturbing features", Fidelity.PRINTED),
    _pair("words-like-indices", "words", "indices", "words and perturbing position indices", Fidelity.RECONSTRUCTED),
)

_MODES = {
    "full": ("full", "all keys at their true distances"),
    "windowed": ("windowed", "the last keys of a training length"),
    "windowed-sink": ("windowed+sink", "the last keys of a training length and the first four tokens"),
    "capped": ("capped", "all keys, distances beyond the training length capped"),
}


def _length(name: str) -> Finding:
    mode, words = _MODES[name]
    return Finding(
        f"length.{name}",
        Fidelity.OURS if name == "full" else Fidelity.PRINTED,
        f"Beyond the training length attention outputs stay within its distribution: {mode}",
        r"P(a \notin \mathrm{region} \mid i > L) \le P(a \notin \mathrm{region} \mid i \le L) + 0.05",
        f"Beyond the training length, seeing {words}, a head's outputs lie outside the region that the same texts in "
        "other orders span inside it hardly more often than its last outputs inside do.",
        "heads of layers that see beyond the training length, several orders of the corpus; float32",
        "SUPPORTED if in every order the mean over heads of the excess (the share of outputs outside the head's 95 "
        "% region, beyond the training length less in the last stretch of equal length before it) is at most "
        f"{WITHIN:g}, and at most {MOST_HEADS:g} % of the heads have a mean excess above {WITHIN:g}",
        (NEXT_HEAD,),
        lambda n: n["largest excess of an order"] <= WITHIN and n["% of heads with an excess above 0.05"] <= MOST_HEADS,
        (
            SHARPENED,
            "The training length is the config's number of positions. Layers with a sliding window of their own see "
            "no distance they were not trained on and are left out.",
            "Few orders, and of one corpus, give no interval: the criterion is about each of them. The texts beyond "
            "stand inside in other orders, and so do those of the last stretch before.",
            "No null model: a net without training has no training length. The control shows that the measure finds "
            "outputs of another head outside; that outputs gather in the middle of the region it would not find.",
        ),
    )


LENGTH_FINDINGS = tuple(_length(name) for name in _MODES)
