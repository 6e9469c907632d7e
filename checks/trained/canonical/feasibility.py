"""What theory says of a cell: whether some head over its angles computes its task on every input.

"no" holds of every one-layer head over the angles, whatever its width, VAL and F, under hard attention or softmax: an
exchange of two key places that are a whole number of turns apart at every angle changes the right answer of Index or
partial induction and no output.

"yes" says that a construction exists, under hard attention and so, since its answers lead strictly, under softmax from
some inverse temperature on. It may want more planes than a toy has: what is said is that such a head exists, not that
one of this width does. Of several claims that prove one the most special is named.

"open" is the rest. Where the set has one angle up to sign and full turns (in partial induction also where it has angle
0 and one other) no head serves that copies pairs, with VAL the identity on one-hot pairs and F the projection to the
attributes (dec.toy.retrieval.within, dec.toy.induction.exact, dec.toy.induction.beside); of other sets not even that
is said. Heads with other values or another F are not excluded: with an arbitrary F even uniform attention over one-hot
pairs does for Retrieval, and with other values one plane goes further at two keys (dec.thm5.one-plane.any-values). An
angle too large to reduce is left out of account, so that its set may be open without any of this.

A plane that a construction does not use has keys 0, so one angle that serves makes its set serve; and an angle counts
up to its sign and full turns, since a plane of the opposite angle is the same plane mirrored.
"""

from __future__ import annotations

from fractions import Fraction

from headproof.checks.trained.canonical.cells import Cell
from headproof.theory.angles import Angle, aliases, reduced
from headproof.theory.errors import InputError

ONE, TWO = Fraction(1), Fraction(2)
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
    if cell.task == "retrieval" and still:
        return FEASIBLE, "dec.thm5"
    if cell.task == "induction" and aliased:
        return INFEASIBLE, "dec.cor1.symbolic" if len(still) == len(angles) else "dec.toy.induction.aliased"
    constructions = _retrieval(cell) if cell.task == "retrieval" else _induction(cell, bool(still))
    moving = _rests(angles)
    for claim, steps, end in constructions:
        if any((Angle(end) - rest * steps).is_positive for rest in moving):
            return FEASIBLE, claim
    return OPEN, ""


Construction = tuple[str, int, Fraction]  # a claim, and of how many steps an angle stays below how many half turns


def _retrieval(cell: Cell) -> tuple[Construction, ...]:
    span = cell.keys - 1
    return ("dec.thm5.one-plane.polygon", span * cell.letters, TWO), ("dec.toy.retrieval.within", span, ONE)


def _induction(cell: Cell, still: bool) -> tuple[Construction, ...]:
    """With a plane at angle 0 besides if `still`."""
    steps = 2 * cell.keys - 1
    polygon: Construction = ("dec.thm6.range", steps, TWO)
    beside: Construction = ("dec.toy.induction.beside", cell.keys - 2, ONE)
    return (
        *((polygon,) if still else ()),
        ("dec.thm6.one-angle.range", steps * cell.letters, TWO),
        ("dec.toy.induction.within", steps - 2, ONE),
        ("dec.toy.induction.exact", cell.keys - 1, ONE),
        *((beside,) if still else ()),
    )


def _rests(angles: tuple[Angle, ...]) -> list[Angle]:
    """The angles up to sign and full turns, above 0 and up to pi, but for those too large to tell."""
    found = []
    for angle in angles:
        try:
            rest = reduced(angle)
        except InputError:
            continue
        if rest.is_positive:
            found.append(rest)
    return found
