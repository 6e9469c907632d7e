"""How attention is steered: at which positions queries and keys stand, and which keys a query sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Steering:
    """What attention is told that differs from the text's own order; by default nothing.

    `queries` and `keys` are positions, one a token from the first: token `t` asks as if it stood at `queries[t]` and
    is seen as if it stood at `keys[t]`. Which keys a query sees goes by the order of the tokens all the same.

    With a `window` each query sees the last `window` keys, itself included, and the first `sink` tokens. With a `cap`
    the keys that are more than `cap` tokens before a query (a sink's too) have the logit of the distance `cap`.
    Layers with a sliding window of their own keep to it in every mode.

    Raises InputError for negative positions, a window below 1, a negative sink or cap, a sink without a window, and
    a cap together with positions.
    """

    queries: tuple[int, ...] | None = None
    keys: tuple[int, ...] | None = None
    window: int | None = None
    sink: int = 0
    cap: int | None = None

    def __post_init__(self) -> None:
        for name, given in (("query", self.queries), ("key", self.keys)):
            if given is not None and (least := min(given, default=0)) < 0:
                raise InputError(f"a {name} at position {least}", "positions are whole numbers from 0")
        if self.window is not None and self.window < 1:
            raise InputError(f"a window of {self.window} keys", "a query sees itself at least: give 1 or more")
        if self.sink < 0 or (self.sink and self.window is None):
            raise InputError(f"a sink of {self.sink} tokens", "give 0 or more, and more than 0 only with a window")
        if self.cap is not None and self.cap < 0:
            raise InputError(f"distances capped at {self.cap}", "give 0 or more")
        if self.cap is not None and self.moves:
            raise InputError("distances cannot be capped where tokens stand at false positions", "steer by one of both")

    @classmethod
    def indices(cls, positions: Sequence[int]) -> Steering:
        """False position indices: queries and keys of each token stand at the position given for it."""
        given = tuple(map(int, positions))
        return cls(queries=given, keys=given)

    @classmethod
    def features(cls, positions: Sequence[int]) -> Steering:
        """Feature level: only keys stand at the positions given; queries stand where their tokens are."""
        return cls(keys=tuple(map(int, positions)))

    @property
    def moves(self) -> bool:
        """Whether positions are given."""
        return self.queries is not None or self.keys is not None

    @property
    def reach(self) -> int:
        """One more than the largest position that is named: as many rows of cos and sin are needed."""
        return 1 + max(*(self.queries or ()), *(self.keys or ()), self.cap or 0, 0, 0)

    def positions(self, start: int, stop: int) -> tuple[Tensor, Tensor]:
        """Positions of the queries and of the keys of the tokens from `start` to before `stop`, int64.

        Raises InputError where none is given for a token.
        """
        here = torch.arange(start, stop)
        found = []
        for given in (self.queries, self.keys):
            if given is not None and len(given) < stop:
                raise InputError(f"positions of {len(given)} tokens for a text of {stop}", "give one for each token")
            found.append(here if given is None else torch.tensor(given[start:stop]))
        return found[0], found[1]

    def seen(self, visible: Tensor, start: int) -> Tensor:
        """`visible` `(P, T)`, which of T keys a model lets queries from `start` on see, as far as the window goes."""
        if self.window is None:
            return visible
        keys = torch.arange(visible.shape[1], device=visible.device)
        queries = torch.arange(start, start + visible.shape[0], device=visible.device)
        near = queries[:, None] - keys < self.window
        return visible & (near | (keys < self.sink))
