"""Speed of certified branch and bound, as ratios within one run: `make bench`.

The predicate is cos(x j) > cos(x (N - j)) for 2 j < N, with x N in a box that ends short of 2 pi: for the nearest
pair j = (N - 1)/2, where it is tightest, and for all pairs at once. Asked of python-flint's balls, by the engine with
its bookkeeping, and of mpmath's iv, by a bare bisection that keeps none. Both arithmetics are asked the same and cut
the same way; the bounds asserted on the ratios are below the values seen.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from statistics import median
from time import perf_counter
from typing import Any

import pytest
from mpmath import iv

from headproof.checks.engines.interval import Answer, Certificate, Root, decided, every, search, verify
from headproof.theory.claim import Verdict

FROM, TO = Fraction(1, 10), Fraction(6)


def nearest(balls: Any, parameters: Any) -> Answer:
    (x,), (size, j) = balls, parameters
    return decided((x * j).cos() - (x * (size - j)).cos())


def nearest_of_iv(x: Any, size: int, j: int) -> Answer:
    return of_iv(iv.cos(x * j) - iv.cos(x * (size - j)))


def pairs(balls: Any, parameters: Any) -> Answer:
    (x,), (size,) = balls, parameters
    cosines = [(x * j).cos() for j in range(size + 1)]
    return every(decided(cosines[j] - cosines[size - j]) for j in range((size + 1) // 2))


def pairs_of_iv(x: Any, size: int) -> Answer:
    cosines = [iv.cos(x * j) for j in range(size + 1)]
    return every(of_iv(cosines[j] - cosines[size - j]) for j in range((size + 1) // 2))


def of_iv(value: Any) -> Answer:
    return True if value.a > 0 else False if value.b <= 0 else None


def bisect(predicate: Callable[..., Answer], roots: list[Root]) -> int:
    """The boxes that mpmath's iv looks at until the predicate is certain on all."""
    boxes = 0
    for root in roots:
        ((lower, upper),) = root.box
        stack = [((iv.mpf(lower.numerator) / lower.denominator).a, (iv.mpf(upper.numerator) / upper.denominator).b)]
        while stack:
            low, high = stack.pop()
            boxes += 1
            if predicate(iv.mpf([low, high]), *root.parameters) is not True:
                middle = (low + high) / 2
                stack += [(middle, high), (low, middle)]
    return boxes


def timed(call: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """What the call gives, and the median of its times."""
    times = []
    for _ in range(repeats):
        started = perf_counter()
        result = call()
        times.append(perf_counter() - started)
    return result, median(times)


def root(size: int, *parameters: int) -> Root:
    return Root.of([(FROM / size, TO / size)], (size, *parameters))


NEAREST = [root(size, (size - 1) // 2) for size in (41, 81, 161, 321)]
PAIRS = [root(size) for size in (4, 8, 12, 16)]


@pytest.mark.parametrize(
    ("predicate", "of_iv", "roots"),
    [(nearest, nearest_of_iv, NEAREST), (pairs, pairs_of_iv, PAIRS)],
    ids=["one", "all"],
)
def test_against_mpmath(benchmark: Any, predicate: Any, of_iv: Any, roots: list[Root]) -> None:
    found: Certificate = benchmark(search, predicate, roots)
    assert found.verdict is Verdict.HOLDS
    rate = found.boxes / benchmark.stats.stats.median
    boxes, time = timed(lambda: bisect(of_iv, roots), 3)
    slow = boxes / time
    benchmark.extra_info["boxes a second"] = round(rate)
    benchmark.extra_info["over mpmath's iv"] = round(rate / slow, 1)
    print(f"\n{rate:,.0f} boxes a second ({found.boxes}) / mpmath's iv {slow:,.0f} ({boxes}): {rate / slow:.1f}")
    assert rate / slow > 20


def test_verification(benchmark: Any) -> None:
    found = search(nearest, NEAREST)
    leaves = sum(1 for _ in found.leaves())
    _, time = timed(lambda: search(nearest, NEAREST), 7)
    assert benchmark(verify, found, nearest, NEAREST) is Verdict.HOLDS
    share = benchmark.stats.stats.median / time
    benchmark.extra_info["leaves a second"] = round(leaves / benchmark.stats.stats.median)
    print(f"\n{leaves / benchmark.stats.stats.median:,.0f} leaves a second; {share:.1f} times the search")
    assert share < 10


def test_two_sides(benchmark: Any) -> None:
    """A narrow valley along a diagonal: many boxes, little to ask."""

    def valley(balls: Any, _: Any) -> Answer:
        x, y = balls
        return decided(400 * (x - y) * (x - y) + 1)

    square = [Root.of([(-1, 1), (-1, 1)])]
    found: Certificate = benchmark(search, valley, square)
    assert found.verdict is Verdict.HOLDS
    rate = found.boxes / benchmark.stats.stats.median
    benchmark.extra_info["boxes a second"] = round(rate)
    print(f"\n{rate:,.0f} boxes a second ({found.boxes})")
