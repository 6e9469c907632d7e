"""Boxes with exact rational endpoints and the certificates that cover them; `interval` finds and verifies these.

A certificate holds a bisection tree for each root: one letter a node, parents first and lower halves before upper
ones. So whatever complete tree the letters describe, its leaves cover the root without gap or overlap, and every
endpoint follows exactly from those of the root.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from string import ascii_lowercase, digits
from typing import Any, Self

from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer, require_sequence, short
from headproof.theory.rational import rational

Box = tuple[tuple[Fraction, Fraction], ...]
Point = tuple[Fraction, ...]

SPLIT = ascii_lowercase  # cut in the middle, across the axis of that place
CERTAIN = digits  # the predicate is certain here, at the precision of that place
UNDECIDED, FALSE, SKIPPED = "?!-"  # too narrow to cut; certainly false here; never looked at
_CODES = re.compile(r"[a-z0-9?!-]+")


class Rejected(InputError):
    """A certificate that does not check, and why."""


@dataclass(frozen=True)
class Root:
    """A box to be covered, a tuple of (lower, upper), and the integers that the predicate gets with it.

    Sides may have no length, and the box no sides. Raises InputError for a side whose lower end comes last.
    """

    box: Box
    parameters: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        sides = [require_side(side) for side in require_sequence(self.box, "a box")]
        for lower, upper in sides:
            if not (isinstance(lower, Fraction) and isinstance(upper, Fraction) and lower <= upper):
                raise InputError(f"no side of a box: ({lower!s:.40}, {upper!s:.40})", "give Fractions, the lower first")
        if len(sides) > len(SPLIT):
            raise InputError(f"a box with {len(sides)} sides", f"at most {len(SPLIT)}")
        given = require_sequence(self.parameters, "the parameters of a root")
        parameters = tuple(require_integer(value, "a parameter of a root") for value in given)
        object.__setattr__(self, "box", tuple(sides))
        object.__setattr__(self, "parameters", parameters)

    @classmethod
    def of(cls, box: Sequence[Sequence[Any]], parameters: Sequence[int] = ()) -> Self:
        """The root with endpoints given as integers, Fractions or text such as "1/2"; raises InputError for others."""
        sides = [require_side(side) for side in require_sequence(box, "a box")]
        return cls(
            tuple((rational(lower), rational(upper)) for lower, upper in sides),
            tuple(require_sequence(parameters, "parameters")),
        )

    def __str__(self) -> str:
        sides = " x ".join(f"[{lower}, {upper}]" for lower, upper in self.box) or "no sides"
        return f"{sides} with {', '.join(map(str, self.parameters))}" if self.parameters else sides


@dataclass(frozen=True)
class Limits:
    """How long a search goes on: boxes looked at in all roots together, the width below which no side is cut, and
    the precisions (in bits) to try, the least first. Raises InputError for limits that leave nothing to do."""

    boxes: int = 1_000_000
    width: Fraction = Fraction(1, 1 << 30)
    precisions: tuple[int, ...] = (53, 128, 512)

    def __post_init__(self) -> None:
        object.__setattr__(self, "boxes", require_integer(self.boxes, "the number of boxes", 1))
        object.__setattr__(self, "width", rational(self.width))
        if self.width <= 0:
            raise InputError(f"the least width {short(self.width)}", "it must be positive")
        require_precisions(self.precisions)


@dataclass(frozen=True)
class Tree:
    """A root and its bisection as letters. Raises InputError for letters that mean nothing."""

    root: Root
    codes: str

    def __post_init__(self) -> None:
        if not _CODES.fullmatch(self.codes):
            raise InputError(f"no bisection tree: {self.codes!r:.40}", "search again")


@dataclass(frozen=True)
class Refutation:
    """A point at which the predicate is certainly false, in the root of that place."""

    tree: int
    point: Point


@dataclass(frozen=True)
class Certificate:
    """What a search found; it proves nothing before `interval.verify` has replayed it.

    `boxes` counts what the search looked at. Raises InputError for precisions, a count or a refutation that cannot be.
    """

    precisions: tuple[int, ...]
    trees: tuple[Tree, ...]
    boxes: int
    refutation: Refutation | None = None

    def __post_init__(self) -> None:
        require_precisions(self.precisions)
        if type(self.boxes) is not int or self.boxes < 0:
            raise InputError(f"{self.boxes!r:.40} boxes looked at", "search again")
        if self.refutation is not None and not 0 <= self.refutation.tree < len(self.trees):
            raise InputError(f"a refutation in root {self.refutation.tree} of {len(self.trees)}", "search again")

    @property
    def verdict(self) -> Verdict:
        """REFUTED with a point, UNDECIDED with leaves that are not certain, VACUOUS without roots, or HOLDS."""
        if self.refutation is not None:
            return Verdict.REFUTED
        if not self.trees:
            return Verdict.VACUOUS
        return Verdict.UNDECIDED if self.count(UNDECIDED + SKIPPED + FALSE) else Verdict.HOLDS

    def count(self, codes: str) -> int:
        """How many nodes have one of these codes."""
        return sum(tree.codes.count(code) for tree in self.trees for code in codes)

    def leaves(self, codes: str = CERTAIN) -> Iterator[tuple[Root, Box]]:
        """The leaves with one of these codes, with exact endpoints. Raises Rejected where a tree is not complete."""
        for tree in self.trees:
            for code, box in leaves(tree):
                if code in codes:
                    yield tree.root, box

    def to_json(self) -> dict[str, Any]:
        """A JSON object from which `of_json` makes an equal certificate: about two letters a box."""
        found = self.refutation
        return {
            "precisions": list(self.precisions),
            "boxes": self.boxes,
            "trees": [
                {
                    "box": [[str(lower), str(upper)] for lower, upper in tree.root.box],
                    "parameters": list(tree.root.parameters),
                    "codes": tree.codes,
                }
                for tree in self.trees
            ],
            "refutation": found and {"tree": found.tree, "point": [str(value) for value in found.point]},
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """The certificate that `data` describes; raises InputError where it describes none."""
        try:
            trees = tuple(Tree(Root.of(each["box"], each["parameters"]), each["codes"]) for each in data["trees"])
            found = data["refutation"]
            point = found and Refutation(found["tree"], tuple(rational(value) for value in found["point"]))
            return cls(tuple(data["precisions"]), trees, data["boxes"], point)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"no certificate: {type(error).__name__}: {error}", "search again") from error


def require_side(side: Any) -> tuple[Any, Any]:
    """A side of a box as a pair; raises InputError for anything else."""
    if len(pair := require_sequence(side, "a side of a box")) != 2:
        raise InputError(f"no side of a box: {short(side)}", "give pairs (lower, upper)")
    return pair[0], pair[1]


def require_precisions(precisions: tuple[int, ...]) -> None:
    """Raises InputError unless the precisions are one to ten rising numbers of bits."""
    require_sequence(precisions, "the precisions of a search")
    rising = all(type(bits) is int for bits in precisions) and list(precisions) == sorted(set(precisions))
    if not (rising and 1 <= len(precisions) <= len(CERTAIN) and precisions[0] >= 2 and precisions[-1] <= 1 << 20):
        raise InputError(f"precisions {precisions!r:.60}", "give up to ten rising numbers of bits, such as (53, 128)")


def leaves(tree: Tree) -> Iterator[tuple[str, Box]]:
    """The leaves of a tree: code and box. Raises Rejected where the letters are not one complete tree."""
    stack = [tree.root.box]
    for code in tree.codes:
        if not stack:
            raise Rejected(f"a tree with letters after its end: {tree.codes!r:.40}", "search again")
        box = stack.pop()
        axis = SPLIT.find(code)
        if axis < 0:
            yield code, box
            continue
        if axis >= len(box):
            raise Rejected(f"a cut across side {axis + 1} of a box with {len(box)}", "search again")
        lower, upper = box[axis]
        middle = (lower + upper) / 2
        stack.append((*box[:axis], (middle, upper), *box[axis + 1 :]))
        stack.append((*box[:axis], (lower, middle), *box[axis + 1 :]))
    if stack:
        raise Rejected(f"a tree without {len(stack)} of its boxes: {tree.codes!r:.40}", "search again")


def simplest(lower: Fraction, upper: Fraction) -> Fraction:
    """The rational number of least denominator in [lower, upper], of those the nearest to zero."""
    if lower <= 0 <= upper:
        return Fraction(0)
    if upper < 0:
        return -simplest(-upper, -lower)
    if ceil(lower) <= upper:
        return Fraction(ceil(lower))
    whole = floor(lower)
    return whole + 1 / simplest(1 / (upper - whole), 1 / (lower - whole))
