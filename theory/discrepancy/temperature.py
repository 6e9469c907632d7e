"""The temperature at which softmax attention decodes like average hard attention (DYN, lemma F.1), exactly.

One input and two answers: `gaps` are what the keys' logits lie below the largest one, in units of ln 2, so that at an
integer inverse temperature the weights are powers of 2; `differences` are what each key would give to the right
answer's score more than to the other one's. An attention decodes right if the weighted sum of these is positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb

from headproof.theory.angles import Angle, ball, sign
from headproof.theory.errors import InputError
from headproof.theory.parameters import Numbers, ParameterCase

MOST_BETA = 64


@dataclass(frozen=True)
class DecodingCase(ParameterCase):
    """Gaps, score differences and an inverse temperature."""

    gaps: Numbers
    differences: Numbers
    beta: int

    def validate(self) -> None:
        if not self.gaps or len(self.gaps) != len(self.differences):
            raise InputError(f"{len(self.gaps)} gaps, {len(self.differences)} differences", "one of each for every key")
        if min(self.gaps) != 0 or any(gap.denominator != 1 or gap > MOST_BETA for gap in self.gaps):
            raise InputError(f"gaps {self.gaps}", f"integers up to {MOST_BETA}, 0 for the largest logit")
        if not -MOST_BETA <= self.beta <= MOST_BETA:
            raise InputError(f"beta = {self.beta}", f"-{MOST_BETA} to {MOST_BETA}")

    @property
    def best(self) -> Numbers:
        """The differences of the keys with the largest logit."""
        return tuple(each for gap, each in zip(self.gaps, self.differences, strict=True) if gap == 0)

    @property
    def others(self) -> Numbers:
        """The differences of the other keys."""
        return tuple(each for gap, each in zip(self.gaps, self.differences, strict=True) if gap != 0)

    @property
    def gap(self) -> Fraction:
        """The smallest positive gap; 0 if there is no other key, when it does not matter."""
        return min((gap for gap in self.gaps if gap != 0), default=Fraction(0))

    @property
    def worst(self) -> Fraction:
        """How much another key can take from the right answer, 0 at least."""
        return (
            max((-each for each in self.others), default=Fraction(0))
            if min(self.others, default=1) < 0
            else Fraction(0)
        )


def decodes(case: DecodingCase, beta: int) -> bool:
    """Whether softmax attention at this inverse temperature gives the right answer the larger score."""
    powers = (Fraction(2) ** (-beta * int(gap)) for gap in case.gaps)
    return sum((power * each for power, each in zip(powers, case.differences, strict=True)), Fraction(0)) > 0


def decodes_from_some_beta_on(case: DecodingCase) -> bool:
    """Whether softmax decodes right at every large enough inverse temperature: the largest logits whose keys'
    differences do not cancel decide."""
    for gap in sorted(set(case.gaps)):
        total = sum(each for other, each in zip(case.gaps, case.differences, strict=True) if other == gap)
        if total:
            return total > 0
    return False


# -- the two constructions -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TemperatureCase(ParameterCase):
    """An angle, the longest length `n0`, the number of letters (for Retrieval) and an inverse temperature."""

    theta: Angle
    n0: int
    letters: int
    beta: Fraction

    def validate(self) -> None:
        if not 2 <= self.n0 <= 512 or self.letters < 2 or self.beta < 0:
            raise InputError(f"n0 = {self.n0}, letters = {self.letters}, beta = {self.beta}", "n0 >= 2, letters >= 2")

    @property
    def omega(self) -> Angle:
        """The angle between neighbouring letters."""
        return Angle(Fraction(2, self.letters))


def index_decodes(case: TemperatureCase) -> bool:
    """Whether the Index construction gives every integer query of an input of up to `n0` tokens its answer.

    The residual `x + a` holds 1 for the query's own token, and `a` holds twice the weight on each letter. The answer
    wins on every input if and only if its key has more than half of the weight, for each place that it can have: all
    other keys may be one wrong letter. (A target that is no letter leaves the query as it is under the same
    condition, and a letter query needs less, a quarter.) The longest input has every distance of the shorter ones.
    """
    return all(_sums_below_one(case, tuple(t - i for t in range(case.n0) if t != i)) for i in range(1, case.n0))


def numbers_decode(case: TemperatureCase) -> bool:
    """Whether Retrieval gives every letter-number query of an input of up to `n0` tokens its answer, itself.

    Worst: all other keys are copies of one other token with the same left letter, as near in angle as a key can be;
    the query's own weight must exceed theirs together.
    """
    return _sums_below_one(case, tuple(range(1, case.n0)))


@lru_cache(maxsize=4096)
def letters_decode(case: TemperatureCase) -> bool:
    """Whether Retrieval gives every letter-letter query of an input of up to `n0` tokens its answer.

    Worst: one match, all other keys copies of one wrong token, as is the query if it does not name itself. For every
    place of the match and every wrong letter the match's weight must exceed theirs together; a second match only helps,
    and the longest input has the most rivals. That is enough at every place. That it is needed, too, is plain of the
    first place only: copies before the match would want a match of their own.
    """
    places, b = range(case.n0), case.beta
    return all(
        _outweighs(tuple(case.omega * off + case.theta * t for t in places if t != match), case.theta * match, b)
        for match in places
        for off in range(1, case.letters)
    )


def _outweighs(rivals: tuple[Angle, ...], match: Angle, beta: Fraction) -> bool:
    """Whether `sum exp(-beta (cos match - cos rival)) < 1`."""

    def rest() -> arb:
        top, b = match.cos(), ball(beta)
        return 1 - sum(((b * (rival.cos() - top)).exp() for rival in rivals), arb(0))

    return sign(rest) > 0


@lru_cache(maxsize=4096)
def _sums_below_one(case: TemperatureCase, distances: tuple[int, ...]) -> bool:
    """Whether `sum exp(-beta (1 - cos(u theta)))` over the distances is below 1."""
    return sign(lambda: 1 - rivals(case.theta, distances, case.beta)) > 0


def rivals(theta: Angle, distances: tuple[int, ...], beta: Fraction) -> arb:
    """The other keys' weight together, relative to the target's."""
    b = ball(beta)
    return sum(((b * ((theta * u).cos() - 1)).exp() for u in distances), arb(0))


def smallest_beta(construction: str, n0: int, theta: float, letters: int = 8) -> float:
    """The smallest inverse temperature at which a construction decodes all inputs of up to `n0 >= 3` tokens, in
    floating point, by bisection: `index`, `numbers` (Retrieval's letter-number queries) or `letters` (its
    letter-letter queries). Infinite where no temperature will do.
    """
    u = np.arange(1, n0)
    if construction == "index":
        lags = 1 - np.cos(u * theta)

        def excess(beta: float) -> float:
            terms = np.concatenate([[0.0], np.cumsum(np.exp(-beta * lags))])
            return float((terms[1:] + terms[::-1][1:]).max() - 1 if n0 > 1 else -1)

    elif construction == "numbers":
        lags = 1 - np.cos(u * theta)

        def excess(beta: float) -> float:
            return float(np.exp(-beta * lags).sum() - 1)

    elif construction == "letters":
        omega = 2 * np.pi / letters
        wrong = np.cos(omega - np.arange(n0) * theta)
        match = np.cos(np.arange(n0) * theta)

        def excess(beta: float) -> float:
            powers = np.exp(beta * (wrong - wrong.max()))
            rest = powers.sum() - powers
            return float((rest * np.exp(beta * (wrong.max() - match))).max() - 1)

    else:
        raise InputError(f"construction {construction!r}", "index, numbers or letters")
    return _bisect(excess)


def _bisect(excess: Any) -> float:
    low, high = 0.0, 1.0
    while excess(high) >= 0:
        low, high = high, 2 * high
        if high > 1e15:
            return float("inf")
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) < 0 else (middle, high)
    return high
