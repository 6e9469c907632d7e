"""Speed of the exclusion terms, as ratios within one run: `make bench`.

The numbers that matter are printed in `extra_info`: the closed form against the literal permutation sum at n-1 = 8,
and the exponent fitted to the growth from 256 to 4096 keys. The bounds asserted on them are far from the values seen;
seconds are shown by pytest-benchmark and never asserted.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from headproof.theory.exclusion import exclusion_terms, literal_exclusion_terms
from headproof.theory.table import LogitTable

SIZES = (256, 512, 1024, 2048, 4096)


def table(size: int) -> LogitTable:
    return LogitTable(np.random.default_rng(size).normal(size=(size, size)))


def seconds(call: Callable[[], Any], repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
    return median(times)


def test_closed_form_against_permutations(benchmark: Any) -> None:
    eight = table(8)
    literal = seconds(lambda: literal_exclusion_terms(eight), 1)
    benchmark(exclusion_terms, eight)
    ratio = literal / benchmark.stats.stats.median
    benchmark.extra_info["literal sum over closed form, n-1 = 8"] = round(ratio)
    print(f"\nliteral permutation sum / closed form at n-1 = 8: {ratio:,.0f}")
    assert ratio > 100


def test_growth(benchmark: Any) -> None:
    tables = [table(size) for size in SIZES]
    benchmark(exclusion_terms, tables[-1])
    times = [seconds(lambda chosen=chosen: exclusion_terms(chosen)) for chosen in tables]
    exponent = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
    benchmark.extra_info["fitted exponent, 256 to 4096"] = round(exponent, 2)
    print(f"\nfitted exponent from 256 to 4096 keys: {exponent:.2f}")
    assert exponent <= 2.3


@pytest.mark.parametrize("size", SIZES)
def test_one_table(benchmark: Any, size: int) -> None:
    chosen = table(size)
    tracemalloc.start()
    exclusion_terms(chosen)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    benchmark(exclusion_terms, chosen)
    benchmark.extra_info["memory on top, share of the table"] = round(peak / chosen.logits.nbytes, 3)
    print(f"\nmemory on top of a {size} x {size} table: {peak / chosen.logits.nbytes:.3f} of it")
    assert size < 1024 or peak < chosen.logits.nbytes / 2
