"""What `headproof generalize` measures: parts, texts, lengths, shares and seeds."""

from __future__ import annotations

from dataclasses import dataclass

from headproof.checks.trained.corpus import Text, names, read
from headproof.theory.errors import InputError

PARTS = ("heads", "tolerance", "length")
SHARES = (0.025, 0.05, 0.1, 0.2)
# A fit has three numbers a token: on shorter texts it follows noise. Fewer texts have no orders to compare.
LEAST_TOKENS, LEAST_TEXTS = 64, 5


@dataclass(frozen=True)
class Plan:
    """What is measured. Texts are `count` of the corpus, in alphabetical order, or those given.

    For the part `heads`: `tokens` and `fractions`, the length of a text and where its queries stand, and `heads`, those
    whose curves are drawn. For `tolerance`: texts, tokens, `shares` and `seeds` of moved words (a null has
    `tolerance_null_texts` texts and one seed). For `length`: the training length, by default the config's, and `extra`
    tokens after it, by default 2048 or half the training length, for each of `length_seeds`. Raises InputError for
    values out of range.
    """

    parts: tuple[str, ...] = PARTS
    texts: tuple[Text, ...] = ()
    count: int = 6
    tokens: int = 400
    fractions: tuple[float, ...] = (0.5, 1.0)
    heads: tuple[tuple[int, int], ...] = ()
    null_seeds: tuple[int, ...] = (0, 1)
    tolerance_texts: int = 6
    tolerance_null_texts: int = 3
    tolerance_tokens: int = 256
    shares: tuple[float, ...] = SHARES
    seeds: tuple[int, ...] = (0, 1, 2)
    length: int | None = None
    extra: int | None = None
    length_seeds: tuple[int, ...] = (0, 1, 2)

    def __post_init__(self) -> None:
        if wrong := [part for part in self.parts if part not in PARTS]:
            raise InputError(f"unknown part {wrong[0]!r}", f"there are {', '.join(PARTS)}")
        if len(set(self.parts)) < len(self.parts):
            raise InputError(f"parts {', '.join(self.parts)}", "name each once")
        if not self.parts:
            raise InputError("no part is chosen", f"choose some of {', '.join(PARTS)}")
        for name, values in (("null seeds", self.null_seeds), ("seeds", self.seeds), ("seeds", self.length_seeds)):
            if not values or len(set(values)) < len(values):
                raise InputError(f"{name} {values}", "give one or more, all different")
        if wrong_shares := [share for share in self.shares if not 0 < share <= 1]:
            raise InputError(f"a share of {wrong_shares[0]:g} of the words", "give shares above 0 and at most 1")
        if "length" in self.parts and len(self.length_seeds) < 2:
            raise InputError("one seed of long contexts", "give two or more: one text is held against others")
        if not self.shares:
            raise InputError("no shares of words are given", "give some, such as 0.05")
        least = {
            "count": 1,
            "tokens": LEAST_TOKENS,
            "tolerance_texts": 1,
            "tolerance_null_texts": 1,
            "tolerance_tokens": 16,
        }
        for number, text in enumerate(self.texts):
            for other in self.texts[:number]:
                if other.name == text.name:
                    raise InputError(f"two texts have the name {text.name!r}", "name them apart")
                if other.text == text.text:
                    raise InputError(f"the texts {other.name!r} and {text.name!r} are the same", "give each once")
        if "length" in self.parts and 0 < len(self.texts) < LEAST_TEXTS:
            raise InputError(
                f"{len(self.texts)} texts for long contexts in several orders",
                f"give {LEAST_TEXTS} or more, or choose other parts (--parts heads,tolerance)",
            )
        if self.extra is not None and self.extra < 2:
            raise InputError(f"extra {self.extra}", "give 2 or more")
        for name, smallest in least.items():
            if getattr(self, name) < smallest:
                raise InputError(f"{name.replace('_', ' ')} {getattr(self, name)}", f"give {smallest} or more")

    def chosen(self, count: int) -> tuple[Text, ...]:
        """The texts measured: those given, or the first `count` of the corpus."""
        if self.texts:
            return self.texts[:count]
        if count > len(known := names()):
            raise InputError(f"{count} texts", f"the corpus has {len(known)}")
        return tuple(read(name) for name in known[:count])
