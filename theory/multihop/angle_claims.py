"""The claim about the printed table of weighted mean RoPE angles (dyn.learning): each is the angle of one plane.

With 128 rotary coordinates the angles are `10000^(-k / 64) = 10^(-k / 16)`, `k = 0 .. 63`. A printed number of d
decimals stands for the numbers within half a unit of its last place, and `10^(-k / 16)` is one of them if and only if
`10^-k` is between the 16th powers of the ends, all of which are rational.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.errors import InputError
from headproof.theory.parameters import ParameterCase

# The printed table, layer by layer, radians per position, with the digits that it has.
PRINTED_ANGLES: Mapping[str, tuple[str, ...]] = {
    "number": (
        *("1.0", "0.866", "0.866", "0.866", "0.274", "0.0042"),
        *("0.0049", "0.0049", "0.0049", "0.0056", "0.0056", "0.0049"),
    ),
    "letter": (
        *("0.0866", "0.0115", "0.0027", "0.0056", "0.0037", "0.0049"),
        *("0.0032", "0.0049", "0.0032", "0.0042", "0.0049", "0.0037"),
    ),
}
BASE, PLANES = 10_000, 64


@dataclass(frozen=True)
class AngleCase(ParameterCase):
    """The printed angle of a layer, from 0, of a task's model, as written."""

    task: str
    layer: int
    printed: str

    def validate(self) -> None:
        """Raise InputError for what is no decimal."""
        ends(self.printed)


def ends(printed: str) -> tuple[Fraction, Fraction]:
    """The numbers half a unit of the last place below and above a decimal. Raises InputError for what is none.

    >>> ends("0.25")
    (Fraction(49, 200), Fraction(51, 200))
    """
    whole, dot, digits = printed.partition(".")
    if not (whole.isascii() and whole.isdigit() and (not dot or (digits.isascii() and digits.isdigit()))):
        raise InputError(f"not a decimal: {printed!r:.40}", "write it as 0.866")
    half = Fraction(1, 2 * 10 ** len(digits))
    return Fraction(printed) - half, Fraction(printed) + half


def single(printed: str, base: int = BASE, planes: int = PLANES, times: Fraction = Fraction(1)) -> int | None:
    """The plane `k` whose angle, `base^(-k / planes)`, is printed as so many times the number; None if there is none.

    >>> single("0.0866"), single("0.50")
    (17, None)
    """
    low, high = (times * end for end in ends(printed))
    for plane in range(planes):
        power = Fraction(1, base**plane)
        if low**planes <= power <= high**planes:
            return plane
    return None


PRINTED = Premise(
    "printed",
    "the angle is the one printed for that layer of that task's model",
    lambda case: (
        case.task in PRINTED_ANGLES
        and 0 <= case.layer < len(PRINTED_ANGLES[case.task])
        and PRINTED_ANGLES[case.task][case.layer] == case.printed
    ),
)


def _statement(base: int = BASE, planes: int = PLANES, times: Fraction = Fraction(1)) -> Statement:
    return Statement(AngleCase, (PRINTED,), lambda case: single(case.printed, base, planes, times) is not None)


single_angles = Claim(
    id="dyn.learning.angles.single",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="Every printed weighted mean angle is the angle of a single plane",
    source=Source("DYN", "table of weighted mean RoPE angles, layer by layer"),
    latex=r"\forall l \exists k < 64:\ \bar\theta_l \doteq 10000^{-k/64}",
    sentence="Each of the 24 printed weighted mean angles is, to the digits printed, 10000^(-k/64) for a whole k, the "
    "angle of one of the model's 64 planes.",
    domain="the 24 printed numbers, all real numbers that round to them",
    statement=_statement(),
    mutants=(
        Mutant("32 planes", "the angles of 64 rotary coordinates, 10000^(-k/32)", _statement(planes=32)),
        Mutant("another base", "the angles 100000^(-k/64)", _statement(base=100_000)),
        Mutant("5 per cent more", "1.05 times the printed numbers", _statement(times=Fraction(21, 20))),
    ),
    remarks=(
        "A mean of different angles with positive weights is hardly ever one of them: of the two-digit numbers .0010 "
        "to .0099, 16 are angles of a plane. So the printed numbers are no means over planes that share the weight; "
        "they could be the angle of the plane nearest to a mean number of the planes, a weighted median, or the plane "
        "of the largest weight.",
    ),
)
ANGLE_CLAIMS = (single_angles,)
