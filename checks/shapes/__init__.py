"""Checks of the topic `shapes`: where the weight on the target is a U or an inverted U (DEC, theorem 7)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from headproof.checks.drawing import rationals
from headproof.checks.registry import Context, Topic
from headproof.checks.shapes.boxes import boxes_check
from headproof.checks.standard import kernel_checks, proof_check, search_check
from headproof.theory.angles import Angle
from headproof.theory.shapes import ShapeCase
from headproof.theory.shapes.claims import SHAPE_CLAIMS, inverted_range, u_beyond, u_range

NUDGE = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 97), Fraction(-1, 97), Fraction(1, 7)])
WEIGHT = st.sampled_from(
    [Fraction(1), Fraction(1), Fraction(1), Fraction(1, 2), Fraction(3), Fraction(0), Fraction(-1)]
)


@st.composite
def shape_cases(draw: st.DrawFn, largest: int = 9) -> ShapeCase:
    """Windows of 1 to `largest` keys; angles at, between and beyond the thresholds, with full turns and signs added,
    some of them rational in radians; weights of either sign."""
    keys = draw(st.integers(1, largest))
    step = draw(st.integers(-3, 2))
    edge = Fraction(2, max(1, keys + step))
    near = edge + draw(NUDGE)
    share = draw(rationals(0, 2, 12))
    radians = draw(rationals(-7, 7, 10))
    theta = draw(st.sampled_from([Angle(near), Angle(edge * share), Angle(share), Angle(Fraction(0), radians)]))
    theta = theta + Angle(Fraction(2 * draw(st.sampled_from([0, 0, 0, 1, -1, 2]))))
    theta = theta * draw(st.sampled_from([1, -1]))
    return ShapeCase(theta, keys, draw(WEIGHT))


def _cases(context: Context) -> Any:
    return shape_cases(context.examples(9, 16))


def _domain(context: Context) -> str:
    return f"windows of up to {context.examples(9, 16)} keys, exact angles"


topic = Topic(
    name="shapes",
    title="U and inverted U of the weight on the target",
    claims=SHAPE_CLAIMS,
    checks=(
        *kernel_checks("shapes", SHAPE_CLAIMS),
        *(proof_check(claim) for claim in SHAPE_CLAIMS if claim.proof is not None),
        *(boxes_check(claim, claim is inverted_range) for claim in (u_range, u_beyond, inverted_range)),
        *(search_check(claim, _cases, _domain, 100, 3000) for claim in SHAPE_CLAIMS),
    ),
    cases={claim.id: partial(_cases) for claim in SHAPE_CLAIMS},
)
