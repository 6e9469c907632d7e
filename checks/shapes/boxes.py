"""Tier `certified` for the topic `shapes`: the shape of the weight on whole boxes of angles, in ball arithmetic.

For each number of keys N the angle runs through boxes of `x = theta N / 2 pi` (for the inverted U: `theta (N - 2) /
2 pi`) that keep `1 / MARGIN` away from the integers, where all steps are level and no enclosure can tell. On each
box the order of the two cosines that decide a step is enclosed directly, without the product formula of the proofs.
The range that a statement names is an interval, so that it holds on all of a box if it does at both ends; the ends are
exact cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from flint import arb

from headproof.checks.engines.decision import Decision
from headproof.checks.engines.interval import Answer, Limits, Root, decided, every, search, some, verify
from headproof.checks.registry import Check, Context
from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Statement, Tier, Verdict
from headproof.theory.shapes import ShapeCase

MARGIN = 64
UPRIGHT, FLIPPED, NEITHER, MATCHED, UNMATCHED = range(5)
Balls = tuple[arb, ...]


@dataclass(frozen=True)
class Band:
    """Boxes of `x` for one number of keys, and which shape the weight has there."""

    keys: int
    shape: int
    lower: Fraction
    upper: Fraction

    @property
    def unit(self) -> Fraction:
        """The angle at x = 1, in units of pi."""
        return Fraction(2, self.keys if self.shape < MATCHED else self.keys - 2)

    def ends(self) -> Iterator[ShapeCase]:
        """The exact cases at both ends, and the same a full turn (or two) and a sign further."""
        for x in (self.lower, self.upper):
            for theta in (Angle(x * self.unit), Angle(x * self.unit + 2), Angle(-x * self.unit - 4)):
                yield ShapeCase(theta, self.keys)


def _shape(balls: Balls, parameters: tuple[int, ...]) -> Answer:
    """Whether the weight has the band's shape on the whole box."""
    (x,), (keys, shape) = balls, parameters
    if shape < MATCHED:
        turn = x * 2 / keys  # theta over pi
        steps = ((turn * (keys - j)).cos_pi() - (turn * j).cos_pi() for j in range((keys - 1) // 2, 0, -1))
    else:
        turn = x * 2 / (keys - 2)
        places = range(keys - 1, keys // 2, -1)
        steps = (
            (turn * (2 * j + 1 - keys) / 2).cos_pi() - (turn * (2 * j - keys - 1) / 2).cos_pi()
            for j in places
            if 2 * j >= keys + 1
        )
    if shape in (UPRIGHT, MATCHED):
        return every(decided(-step) for step in steps)
    if shape == FLIPPED:
        return every(decided(step) for step in steps)
    return some(decided(step) for step in steps)


def bands(keys: int, matched: bool) -> list[Band]:
    """All bands of one number of keys, up to the angle pi (2 pi for a matched key among an even number)."""
    edge, gap = Fraction(1), Fraction(1, MARGIN)
    if matched:
        found = [Band(keys, MATCHED, gap, 1 - gap)] if keys > 3 else [Band(keys, MATCHED, gap, Fraction(1, 2))]
        last = Fraction(keys - 2, 2)
        if keys > 3 and last > 1 + gap:
            found.append(Band(keys, UNMATCHED, edge + gap, min(last, 2 - gap)))
        return found
    found = [Band(keys, UPRIGHT, gap, 1 - gap)]
    flipped = Fraction(keys, keys - 2)
    last = Fraction(keys, 2)
    inner = (flipped - 1) / MARGIN
    found.append(Band(keys, FLIPPED, 1 + inner, min(flipped - inner, last)))
    k = 1
    while k + gap < last:
        found.append(Band(keys, NEITHER, k + gap, min(k + 1 - gap, last)))
        k += 1
    return found


def _root(band: Band) -> Root:
    return Root.of([(band.lower, band.upper)], (band.keys, band.shape))


@cache
def certified(largest: int, matched: bool) -> tuple[int, int]:
    """Certify every band of 3 to `largest` keys: how many bands, and how many boxes it took.

    Raises AssertionError naming the band if a shape is not certain on all of it.
    """
    found = [band for keys in range(3, largest + 1) for band in bands(keys, matched)]
    roots = [_root(band) for band in found]
    certificate = search(_shape, roots, Limits(boxes=5_000_000))
    verdict = verify(certificate, _shape, roots)
    if verdict is not Verdict.HOLDS:
        raise AssertionError(f"the shapes of up to {largest} keys are {verdict}")
    return len(found), certificate.boxes


def boxes_check(claim: Claim, matched: bool) -> Check:
    """Tier `certified`: the shape on every band, then the statement at the exact ends of every band."""

    def decide(statement: Statement, context: Context) -> Decision:
        largest = context.examples(32, 64)
        count, boxes = certified(largest, matched)
        where = "theta (N - 2) / 2 pi" if matched else "theta N / 2 pi"
        beyond = "up to 2" if matched else "up to the angle pi"
        domain = (
            f"3 <= N <= {largest}, c = 1, {where} at least 1/{MARGIN} away from integers, {beyond}, "
            f"and full turns further"
        )
        met = 0
        for keys in range(1, largest + 1):
            cases = [case for band in bands(keys, matched) for case in band.ends()] if keys >= 3 else _few(keys)
            for case in cases:
                if statement.meets(case):
                    met += 1
                    if not statement.conclusion(case):
                        return Decision(Verdict.REFUTED, domain, case, "at the end of a box of one shape")
        if met == 0:
            return Decision(Verdict.VACUOUS, domain)
        return Decision(Verdict.HOLDS, domain, summary=f"{count} bands in {boxes} boxes, verified; {met} exact ends")

    return Check(claim.id, Tier.CERTIFIED, decide)


def _few(keys: int) -> list[ShapeCase]:
    return [ShapeCase(Angle(share), keys) for share in map(Fraction, ("0", "1/2", "1", "3/2"))]
