"""How the weight on the target depends on where the target stands: U and inverted U (DEC, theorem 7).

`w(j)` is the attention weight on target `j` of `N` key positions.

H_POS: the key at position `k` has the logit `c cos(theta (j - k))`, so `1 / w(j) = D(j) e^{-c}` with the sum
`D(j) = sum_k e^{c cos(theta (j - k))}`. Simplified H_SYM: the matched key at position `j` has the logit
`c cos(theta (j - j0))`, `j0 = (N + 1) / 2`, and the other `N - 1` keys share one logit; `w(j)` rises with the former.

Everything here follows the definitions key by key; the closed forms are proved in `shape_claims`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb

from headproof.theory.angles import Angle, ball, compare_cosines, sign
from headproof.theory.errors import InputError
from headproof.theory.parameters import ParameterCase

MOST_KEYS = 4096


@dataclass(frozen=True)
class ShapeCase(ParameterCase):
    """An angle, a number of key positions and a weight `c`."""

    theta: Angle
    keys: int
    c: Fraction = Fraction(1)

    def validate(self) -> None:
        if not 1 <= self.keys <= MOST_KEYS:
            raise InputError(f"keys = {self.keys}", f"a window has 1 to {MOST_KEYS} keys")


def positional_step(case: ShapeCase, j: int) -> int:
    """The sign of `w(j+1) - w(j)` for H_POS, that is, of `D(j) - D(j+1)`; exact."""
    here = Counter(abs(j - k) for k in range(1, case.keys + 1))
    next_to_it = Counter(abs(j + 1 - k) for k in range(1, case.keys + 1))
    only_here, only_next = here - next_to_it, next_to_it - here
    left, right = list(only_here.elements()), list(only_next.elements())
    if len(left) == len(right) == 1:
        weight = (case.c > 0) - (case.c < 0)
        return weight * compare_cosines(case.theta * left[0], case.theta * right[0])
    if not left and not right:
        return 0
    c = case.c

    def difference() -> arb:
        def total(distances: list[int]) -> arb:
            return sum(((ball(c) * (case.theta * d).cos()).exp() for d in distances), arb(0))

        return total(left) - total(right)

    return sign(difference)


def symbolic_step(case: ShapeCase, j: int) -> int:
    """The sign of `w(j+1) - w(j)` for the simplified H_SYM; exact."""
    if case.keys == 1:
        return 0
    weight = (case.c > 0) - (case.c < 0)
    from_centre = [case.theta * (Fraction(2 * place - case.keys - 1, 2)) for place in (j, j + 1)]
    return weight * compare_cosines(from_centre[1], from_centre[0])


def falls_then_rises(step: Callable[[int], int], keys: int, at_most: int = -1) -> bool:
    """Whether `w` strictly falls on the first half of the targets and strictly rises on the second.

    `step(j)` is the sign of `w(j+1) - w(j)`; with `at_most=0` a step may also be level. With an even number of keys
    the step between the two middle targets belongs to neither half.
    """
    halves = ((step(j), 2 * j - keys) for j in range(1, keys) if 2 * j != keys)
    return all(sign <= at_most if half < 0 else sign >= -at_most for sign, half in halves)


def is_u_shaped(case: ShapeCase, at_most: int = -1) -> bool:
    """Whether `w` of H_POS is a strict U in the target; with `at_most=0`, one with level steps allowed."""
    return falls_then_rises(partial(positional_step, case), case.keys, at_most)


def is_inverted(case: ShapeCase) -> bool:
    """Whether `w` of H_POS is a strict inverted U."""
    return falls_then_rises(lambda j: -positional_step(case, j), case.keys)


def is_inverted_u_shaped(case: ShapeCase, at_most: int = -1) -> bool:
    """Whether `w` of the simplified H_SYM is a strict inverted U; with `at_most=0`, with level steps allowed."""
    return falls_then_rises(lambda j: -symbolic_step(case, j), case.keys, at_most)
