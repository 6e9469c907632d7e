"""Times of calls that take turns, for ratios within one run."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

ROUNDS = 7


def seconds(*calls: Callable[[], Any], rounds: int = ROUNDS) -> list[float]:
    """Median seconds of each call; calls take turns, so that a slow moment of the machine meets them all."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(rounds):
        for call, mine in zip(calls, times, strict=True):
            started = perf_counter()
            call()
            mine.append(perf_counter() - started)
    return [median(mine) for mine in times]
