"""Strategies that the searches of several topics draw from."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from hypothesis import strategies as st


@cache
def rationals(low: int, high: int, most: int) -> st.SearchStrategy[Fraction]:
    """What `st.fractions(low, high, max_denominator=most)` draws, in much less time: that one makes and validates a
    strategy of numerators at every draw, here there is one for each denominator."""

    def over(denominator: int) -> st.SearchStrategy[Fraction]:
        return _over(low, high, denominator)

    return st.integers(1, most).flatmap(over).map(lambda drawn: drawn.limit_denominator(most))


@cache
def _over(low: int, high: int, denominator: int) -> st.SearchStrategy[Fraction]:
    return st.builds(Fraction, st.integers(low * denominator, high * denominator), st.just(denominator))
