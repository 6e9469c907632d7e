"""Exclusion: a head cannot vary its logits and be both positional and symbolic (DEC, theorem 1).

With `m = n - 1` keys before the query, the deviations of a logit table M over all permutations pi of the keys are

    delta_pos(pi, j) = M[pi(j), j] - M[j, j],        delta_sym(pi, j) = M[j, pi(j)] - M[j, j],

and the printed bound is `Var(lambda) <= (||delta_pos||^2 + ||delta_sym||^2) / (m! m)`.

Each pair (j, k) occurs in (m-1)! permutations, so both norms are (m-1)! times a sum over the m^2 entries. For an
entry x off the diagonal, standing between lambda_j and lambda_k, the parallelogram law says

    (x - lambda_j)^2 + (x - lambda_k)^2 = (lambda_j - lambda_k)^2 / 2 + 2 (x - (lambda_j + lambda_k)/2)^2,

and summed over all entries this is the identity behind the bound:

    bound = Var(lambda) + slack,     slack = (2/m^2) sum_{j != k} (M[j, k] - (lambda_j + lambda_k)/2)^2.

The claims and their proofs stand in `theory.exclusion_claims`; here are the measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np

from headproof.theory.errors import InputError
from headproof.theory.measures import PerTable, logit_variance, ratio_of, require_no_overflow, sum_of_squares, widen
from headproof.theory.table import LogitTable, row_blocks

# Below it, squares of single differences may be subnormal and have lost digits: 2^-1022 / 2^-53.
SMALLEST_BOUND = 2.0**-969


@dataclass(frozen=True, eq=False)
class ExclusionTerms:
    """The terms of `positional + symbolic = variance + slack`; squared logit units, shape `(*batch)` each.

    `positional` is `||delta_pos||^2 / (m! m)`: how far the table is from positional. `symbolic` likewise.
    The four are computed apart from each other, so the identity between them is a check and not a definition.
    """

    positional: PerTable
    symbolic: PerTable
    variance: PerTable
    slack: PerTable

    @property
    def bound(self) -> Any:
        """The right side of DEC, theorem 1."""
        return self.positional + self.symbolic

    @property
    def residual(self) -> Any:
        """`bound - variance - slack`, zero in exact arithmetic."""
        return self.bound - self.variance - self.slack


def exclusion_terms(table: LogitTable) -> ExclusionTerms:
    """All terms of the exclusion identity, for a batch of tables. O(m^2) time, O(m) memory on top.

    Every difference is taken to a logit in use before anything is squared, and the slack is formed from those
    differences, `x - (lambda_j + lambda_k)/2 = ((x - lambda_j) + (x - lambda_k))/2`: so each term's rounding error
    is a small multiple of eps times the bound, whatever offset all logits share (`residual_tolerance`).

    Raises InputError if the squares leave the range of float64, above or below.
    """
    m = table.size
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # judged below, where it can be told
        positional, symbolic, slack = _sums_over_entries(table)
        share = Fraction(1, m * m) if table.exact else 1 / (m * m)
        terms = ExclusionTerms(positional * share, symbolic * share, logit_variance(table), slack * (share / 2))
    if not table.exact:
        _require_in_range(table, terms)
    return terms


def _sums_over_entries(table: LogitTable) -> tuple[Any, Any, Any]:
    """Sums over all pairs of `(M_kj - lambda_j)^2`, `(M_jk - lambda_j)^2` and `(2 M_jk - lambda_j - lambda_k)^2`."""
    logits = widen(table, table.diagonal)
    positional: Any = 0
    symbolic: Any = 0
    slack: Any = 0
    for rows in row_blocks(table):
        block = widen(table, table.logits[..., rows, :])
        moved = block - logits[..., rows, None]  # content of the row at each position, less its own logit
        replaced = block - logits[..., None, :]  # each content at the column's position, less that one's logit
        symbolic = symbolic + sum_of_squares(table, moved)
        positional = positional + sum_of_squares(table, replaced)
        moved += replaced
        slack = slack + sum_of_squares(table, moved)
    return positional, symbolic, slack


def _require_in_range(table: LogitTable, terms: ExclusionTerms) -> None:
    """Refuse terms that have overflowed, and a bound whose squares have lost digits to underflow."""
    bound = terms.bound
    require_no_overflow(table, bound + terms.slack)
    xp = table.xp
    lost = bound < SMALLEST_BOUND
    if bool(xp.any(lost)):
        constant = xp.all(xp.all(table.logits == table.diagonal[..., None, :1], axis=-1), axis=-1)
        if not bool(xp.all(constant | ~lost)):
            raise InputError(
                "logits so close together that their squares underflow float64",
                "multiply the table by a power of two first",
            )


def variance_ratio(terms: ExclusionTerms) -> Any:
    """`Var(lambda) / bound`, in [0, 1] up to rounding; NaN where both are zero (floats), None for such an exact table.

    References: 1 where every entry is the mean of its two logits; 1/2 for a purely positional or purely symbolic
    head, and for position and content parts that add without correlation; 1/4 is the ratio of the expectations
    `E Var = (1 - 1/m) s^2` and `E bound = 4 (1 - 1/m) s^2` for independent entries of variance `s^2`.
    """
    return ratio_of(terms.variance, terms.bound)


def residual_tolerance(size: int) -> float:
    """A bound on `|residual| / bound` in float64 for tables of `size` keys.

    With u = 2^-53: each difference has relative error u, its square 3u, and a sum of m terms adds at most
    (m + B) u along a row and over the B rows of a block or the blocks. `symbolic`, `positional` are sums of such
    squares: relative error (2m + 4) u. The slack's base errs by at most 3u (|x - lambda_j| + |x - lambda_k|), so
    its square by 6u times a quantity whose sum is at most twice the bound. In the variance, rounding the differences
    to the first logit costs at most 2 sqrt(m) u, and the centring errs at second order. All four together stay
    below (8m + 64) u bound. Pairwise and blocked summation do far better.
    """
    return (8 * size + 64) * 2.0**-53


def literal_exclusion_terms(table: LogitTable) -> tuple[Any, Any]:
    """`(||delta_pos||^2, ||delta_sym||^2) / (m! m)` by adding up all `m!` permutations, as printed. O(m! m)."""
    m = table.size
    logits, diagonal = table.logits, table.diagonal
    positional: Any = 0
    symbolic: Any = 0
    keys = list(range(m))
    for image in permutations(keys):
        to = list(image)
        positional = positional + ((logits[..., to, keys] - diagonal) ** 2).sum(axis=-1)
        symbolic = symbolic + ((logits[..., keys, to] - diagonal) ** 2).sum(axis=-1)
    share = Fraction(1, factorial(m) * m) if table.exact else 1 / (factorial(m) * m)
    return positional * share, symbolic * share
