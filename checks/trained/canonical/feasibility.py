"""What theory says of a cell: whether some head over its angles computes its task on every input.

"no" holds whatever the widths, values and output map: two key places that are a whole number of turns apart at every
angle cannot be told apart, and an exchange of their contents changes the right answer of Index; without any rotation
partial induction falls to dec.cor1. "yes" names the claim that proves a construction, some of which want more planes
than a toy has: what is said is that such a head exists, not that one of this width does. "open" is the rest.
"""

from __future__ import annotations

from fractions import Fraction

from headproof.checks.trained.canonical.cells import Cell
from headproof.theory.angles import aliases, between

ZERO, TWO = Fraction(0), Fraction(2)
FEASIBLE, INFEASIBLE, OPEN = "yes", "no", "open"


def feasibility(cell: Cell) -> tuple[str, str]:
    """The answer for a cell and the claim that gives it ("" where open)."""
    angles = cell.exact_angles
    keys = cell.keys
    still = [angle for angle in angles if angle.is_multiple_of_full_turn]
    aliased = any(all((angle * t).is_multiple_of_full_turn for angle in angles) for t in range(1, keys))
    if cell.task == "index":
        if aliased:
            return INFEASIBLE, "dec.toy.index.aliased"
        alone = any(not aliases(angle, keys - 1) for angle in angles)
        return FEASIBLE, "dec.thm3.angles" if alone else "dec.toy.index.together"
    if cell.task == "retrieval":
        if still:
            return FEASIBLE, "dec.thm5"
        spans = any(between(angle * ((keys - 1) * cell.letters), ZERO, TWO) for angle in angles)
        return (FEASIBLE, "dec.thm5.one-plane.polygon") if spans else (OPEN, "")
    if len(still) == len(angles):
        return INFEASIBLE, "dec.cor1.symbolic"
    steps = 2 * keys - 1
    if still and any(between(angle * steps, ZERO, TWO) for angle in angles):
        return FEASIBLE, "dec.thm6.range"
    if any(between(angle * (steps * cell.letters), ZERO, TWO) for angle in angles):
        return FEASIBLE, "dec.thm6.one-angle.range"
    return OPEN, ""
