"""Certified branch and bound (tier `certified`): a predicate decided on whole boxes, with python-flint's balls.

`search` bisects boxes until the predicate is certain on each; `verify` replays the bisection from the certificate and
asks again, without trust in the search. Boxes have exact rational endpoints and are cut at rational midpoints; only
for the predicate are they enclosed in balls, rounded outward. A predicate answers True or False where it is certain
on all of a box, else None; it says so through `decided`, `every`, `some` and `negated`, never by comparing balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from headproof.checks.engines.balls import (
    Answer,
    ball,
    checked,
    decided,
    enclosing,
    every,
    exact,
    fraction,
    negated,
    some,
)
from headproof.checks.engines.boxes import (
    CERTAIN,
    FALSE,
    SKIPPED,
    SPLIT,
    UNDECIDED,
    Box,
    Certificate,
    Limits,
    Point,
    Refutation,
    Rejected,
    Root,
    Tree,
    leaves,
    simplest,
)
from headproof.theory.angles import precision
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_sequence, short

__all__ = [
    "Answer",
    "Box",
    "Certificate",
    "Limits",
    "Point",
    "Predicate",
    "Refutation",
    "Rejected",
    "Root",
    "Tree",
    "ball",
    "decided",
    "every",
    "negated",
    "precision",
    "search",
    "some",
    "verify",
]

Predicate = Callable[[tuple[arb, ...], tuple[int, ...]], Answer]
Progress = Callable[[int, int], None]
DEFAULT = Limits()
PROBED = 8  # levels between two closer looks at undecided boxes
TOLD = 1 << 14  # boxes between two calls of the progress callback


# -- search --------------------------------------------------------------------------------------------------------


def search(
    predicate: Predicate, roots: Sequence[Root], limits: Limits = DEFAULT, progress: Progress | None = None
) -> Certificate:
    """Bisect the roots, in their order and depth first, until the predicate is certain on every box.

    Ends at the first box or midpoint where it is certainly false, with a rational point, or where a limit is met.
    The same arguments give the same certificate. A box is cut across its widest side, the first of equals. Where the
    midpoint of an undecided box is undecided too, rounding is to blame: what is cut from it goes on at the least
    precision that decides the midpoint. Time is linear in the boxes, memory is a letter a box. `progress(boxes,
    roots done)` is called now and then. Raises InputError if an answer is not True, False or None, and for
    arguments of other types.
    """
    _require_types(predicate, roots)
    if not isinstance(limits, Limits):
        raise InputError(f"the limits of a search are Limits, got {short(limits)}")
    trees: list[Tree] = []
    boxes, refutation = 0, None
    with precision(limits.precisions[0]):
        for place, root in enumerate(roots):
            codes, point = SKIPPED, None
            if refutation is None and boxes < limits.boxes:
                codes, point, boxes = _bisect(predicate, root, limits, boxes, place, progress)
            trees.append(Tree(root, codes))
            if point is not None:
                refutation = Refutation(place, point)
    return Certificate(limits.precisions, tuple(trees), boxes, refutation)


class _Level(NamedTuple):
    """What all boxes at one depth share: half the lengths of their sides, the side to cut (-1: too narrow), half the
    length of its halves, exactly and as a ball."""

    halves: tuple[fmpq, ...]
    axis: int
    quarter: fmpq
    radius: arb

    @classmethod
    def of(cls, halves: tuple[fmpq, ...], least: fmpq) -> _Level:
        axis = max(range(len(halves)), key=halves.__getitem__) if len(halves) > 1 else len(halves) - 1
        if axis < 0 or halves[axis] <= least:
            return cls(halves, -1, fmpq(0), arb(0))
        quarter = halves[axis] / 2
        return cls(halves, axis, quarter, arb(quarter))

    def below(self, least: fmpq) -> _Level:
        return _Level.of((*self.halves[: self.axis], self.quarter, *self.halves[self.axis + 1 :]), least)


def _bisect(
    predicate: Predicate, root: Root, limits: Limits, boxes: int, place: int, progress: Progress | None
) -> tuple[str, Point | None, int]:
    """One root's tree, the refuting point if any, and the boxes looked at so far; it leaves another precision.

    In the inner loop a box is its depth, its precision, and its midpoints, exactly, with the balls around them.
    """
    codes: list[str] = []
    bits, parameters, most, least = limits.precisions, root.parameters, limits.boxes, exact(limits.width / 2)
    sides = [(exact(lower), exact(upper)) for lower, upper in root.box]
    levels = [_Level.of(tuple([(upper - lower) / 2 for lower, upper in sides]), least)]
    middle = tuple([(lower + upper) / 2 for lower, upper in sides])
    single = len(middle) == 1
    point: Point | None = None
    ctx.prec, at = bits[0], 0
    stack = [(0, 0, middle, _around(middle, levels[0].halves))]
    while stack:
        depth, chosen, middle, balls = stack.pop()
        if boxes >= most or point is not None:
            codes.append(SKIPPED)
            continue
        if chosen != at:
            ctx.prec, at = bits[chosen], chosen
        boxes += 1
        if progress is not None and not boxes % TOLD:
            progress(boxes, place)
        answer = predicate(balls, parameters)
        if answer is True:
            codes.append(CERTAIN[chosen])
            continue
        level = levels[depth]
        axis = level.axis
        if checked(answer) is None and (axis < 0 or not depth % PROBED):
            answer, closer = _look_closer(predicate, middle, level, parameters, bits, chosen)
            ctx.prec = bits[at]
            if closer > chosen:
                ctx.prec, at = bits[closer], closer
                chosen, balls = closer, _around(middle, level.halves)
            if answer is True:
                codes.append(CERTAIN[chosen])
                continue
        if answer is False:
            point = _false_point(predicate, middle, level.halves, parameters, bits)
            ctx.prec = bits[at]
            codes.append(UNDECIDED if point is None else FALSE)
        elif axis < 0:
            codes.append(UNDECIDED)
        else:
            codes.append(SPLIT[axis])
            depth += 1
            if depth == len(levels):
                levels.append(level.below(least))
            for cut in (middle[axis] + level.quarter, middle[axis] - level.quarter):  # the lower half comes next
                half = arb(cut, level.radius)
                if single:
                    stack.append((depth, chosen, (cut,), (half,)))
                else:
                    middles = (*middle[:axis], cut, *middle[axis + 1 :])
                    stack.append((depth, chosen, middles, (*balls[:axis], half, *balls[axis + 1 :])))
    return "".join(codes), point, boxes


def _look_closer(
    predicate: Predicate,
    middle: tuple[fmpq, ...],
    level: _Level,
    parameters: tuple[int, ...],
    bits: tuple[int, ...],
    chosen: int,
) -> tuple[Answer, int]:
    """The answer on an undecided box, False if so at its midpoint, and the precision to go on at: the least one that
    decides the midpoint. A box too narrow to cut gets every precision."""
    answer, finer = _at_point(predicate, middle, parameters, bits, chosen)
    if answer is False:
        return False, chosen
    last = len(bits) if level.axis < 0 else finer + 1
    for place in range(max(finer, chosen + 1), last):
        ctx.prec = bits[place]
        answer = checked(predicate(_around(middle, level.halves), parameters))
        if answer is not None:
            return answer, place
    return None, finer


def _around(middle: Sequence[fmpq], halves: Sequence[fmpq]) -> tuple[arb, ...]:
    return tuple(arb(centre, half) for centre, half in zip(middle, halves, strict=True))


def _at_point(
    predicate: Predicate, point: Sequence[fmpq], parameters: tuple[int, ...], bits: tuple[int, ...], first: int = 0
) -> tuple[Answer, int]:
    """The predicate at one exact point, at the least precision (from the first one on) that decides it, and which
    that is; None where none does. Leaves the precision to the caller to restore."""
    for place in range(first, len(bits)):
        ctx.prec = bits[place]
        answer = checked(predicate(tuple(map(arb, point)), parameters))
        if answer is not None:
            return answer, place
    return None, first


def _false_point(
    predicate: Predicate,
    middle: Sequence[fmpq],
    halves: Sequence[fmpq],
    parameters: tuple[int, ...],
    bits: tuple[int, ...],
) -> Point | None:
    """A point of a box that is certainly false: the simplest, or the midpoint; None if neither is certain itself."""
    sides = [(fraction(centre - half), fraction(centre + half)) for centre, half in zip(middle, halves, strict=True)]
    for point in (tuple(simplest(*side) for side in sides), tuple(map(fraction, middle))):
        if _at_point(predicate, tuple(map(exact, point)), parameters, bits)[0] is False:
            return point
    return None


def _require_types(predicate: Any, roots: Any) -> None:
    if not callable(predicate):
        raise InputError(f"a predicate is a function of balls and parameters, got {short(predicate)}")
    for root in require_sequence(roots, "the roots of a search"):
        if not isinstance(root, Root):
            raise InputError(f"the roots of a search are Roots, got {short(root)}", "Root.of makes one from a box")


# -- check ---------------------------------------------------------------------------------------------------------


def verify(certificate: Certificate, predicate: Predicate, roots: Sequence[Root]) -> Verdict:
    """What the certificate proves about the predicate on these roots, by asking the predicate again.

    HOLDS: the leaves cover every root, endpoints are exact, and the predicate is certain on each leaf. REFUTED: it is
    certainly false at the certificate's point, which lies in its root; nothing else is asked then. UNDECIDED: leaves
    are left open, and it is certain on the others. VACUOUS: there are no roots. Raises Rejected, which says what is
    wrong, where the certificate is for other roots, a tree is not complete, or the predicate is not certain where it
    is said to be; InputError for arguments of other types. Time is linear in the leaves; the search's balls are not
    used.
    """
    _require_types(predicate, roots)
    if not isinstance(certificate, Certificate):
        raise InputError(f"a certificate is what a search returns, got {short(certificate)}")
    if len(roots) != len(certificate.trees):
        raise Rejected(f"a certificate of {len(certificate.trees)} roots for {len(roots)}", "search again")
    for tree, root in zip(certificate.trees, roots, strict=True):
        if tree.root != root:
            raise Rejected(f"a certificate for {tree.root}, not for {root}", "search again")
    if certificate.refutation is not None:
        return _verify_refutation(certificate, certificate.refutation, predicate)
    bits = certificate.precisions
    for tree in certificate.trees:
        with precision(bits[0]):
            for code, box in leaves(tree):
                place = CERTAIN.find(code)
                if place < 0:
                    continue
                if place >= len(bits):
                    raise Rejected(f"a leaf at precision {code} of {len(bits)}", "search again")
                ctx.prec = bits[place]
                balls = tuple(enclosing(exact(lower), exact(upper)) for lower, upper in box)
                if predicate(balls, tree.root.parameters) is not True:
                    where = Root(box, tree.root.parameters)
                    raise Rejected(f"the predicate is not certain on {where} at {bits[place]} bits", "search again")
    return certificate.verdict


def _verify_refutation(certificate: Certificate, found: Refutation, predicate: Predicate) -> Verdict:
    root = certificate.trees[found.tree].root
    inside = len(found.point) == len(root.box) and all(
        lower <= value <= upper for value, (lower, upper) in zip(found.point, root.box, strict=True)
    )
    text = f"({', '.join(map(str, found.point))})"
    if not inside:
        raise Rejected(f"the point {text} is not in {root}", "search again")
    bits = certificate.precisions
    with precision(bits[0]):
        answer, _ = _at_point(predicate, tuple(map(exact, found.point)), root.parameters, bits)
    if answer is not False:
        raise Rejected(f"the predicate is not certainly false at {text} in {root}", "search again")
    return Verdict.REFUTED
