"""Sums over a logit table, as data with a literal meaning.

A summand is a homogeneous polynomial in letters that stand for the table's entries at a pair of keys `(j, k)`:

    lambda_j, lambda_k   the logits in use
    M_jk                 content j at position k        M_kj    content k at position j

For a family of tables with fewer unknowns there are further letters: `c_j, c_k` (content parts) and `d_j, d_k`
(position parts) of an additive table; on any table their values are its row means and its column means less the
grand mean. A letter with a bar is the mean over all keys. `m` is the number of keys.

`evaluate` is the definition: it adds up term by term, over all permutations where the sum says so. The symbolic
engine has its own, general way to the same value; the tests hold the two against each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any, Literal, get_args

import numpy as np
import sympy

from headproof.theory.errors import InputError
from headproof.theory.rational import rational

m = sympy.Symbol("m", positive=True, integer=True)
lj, lk, pjk, pkj = sympy.symbols("lambda_j lambda_k M_jk M_kj", real=True)
own = sympy.Symbol("lambda_n", real=True)  # the logit of the query's own key
cj, ck, dj, dk = sympy.symbols("c_j c_k d_j d_k", real=True)
mean_of = {
    lj: sympy.Symbol("lambda_bar", real=True),
    cj: sympy.Symbol("c_bar", real=True),
    dj: sympy.Symbol("d_bar", real=True),
}
# What a letter becomes when j and k change names, and what it is where j = k.
swapped = {lj: lk, lk: lj, pjk: pkj, pkj: pjk, cj: ck, ck: cj, dj: dk, dk: dj}
on_diagonal = {lj: lj, lk: lj, pjk: lj, pkj: lj, cj: cj, ck: cj, dj: dj, dk: dj}

# Sums over all permutations are added up for at most so many keys.
LARGEST = 8

Over = Literal["permutations", "shifts", "pairs", "unequal pairs", "keys"]
Permutation = tuple[int, ...]


@dataclass(frozen=True)
class Term:
    """`weight * sum over ... of summand`.

    permutations   over all pi in S_m and all keys j, with k = pi(j)
    shifts         over the m cyclic shifts pi and all keys j, with k = pi(j)
    pairs          over all j and k;   unequal pairs: j != k;   keys: over all j
    """

    weight: sympy.Expr
    over: Over
    summand: sympy.Expr

    def __post_init__(self) -> None:
        require_exact(self.weight)
        require_exact(self.summand)
        if self.over not in get_args(Over):
            raise InputError(f"unknown sum over {self.over!r}", f"use one of {', '.join(get_args(Over))}")
        for size in (1, 2, 3):
            if not sympy.sympify(self.weight).subs(m, size).is_Rational:
                raise InputError(f"the weight {self.weight} has no rational value for m = {size}")


Sum = tuple[Term, ...]


@dataclass(frozen=True)
class Family:
    """A linear family of tables: its unknowns, and the table's letters in terms of them.

    `basis(m)` lists tables that span the family at size m, as integer arrays.
    """

    name: str
    substitution: tuple[tuple[sympy.Expr, sympy.Expr], ...]
    basis: Callable[[int], np.ndarray[Any, Any]]

    def apply(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression in the family's own unknowns."""
        return expression.subs(dict(self.substitution), simultaneous=True) if self.substitution else expression


def _all_units(size: int) -> np.ndarray[Any, Any]:
    return np.eye(size * size, dtype=np.int64).reshape(-1, size, size)


def _rows(size: int) -> np.ndarray[Any, Any]:
    return np.repeat(np.eye(size, dtype=np.int64)[:, :, None], size, axis=2)


def _columns(size: int) -> np.ndarray[Any, Any]:
    return np.repeat(np.eye(size, dtype=np.int64)[:, None, :], size, axis=1)


GENERAL = Family("any table", (), _all_units)
# A symbolic table's rows are constant, M_jk = lambda_j; a positional table's columns, M_jk = lambda_k.
SYMBOLIC = Family("symbolic", ((pjk, lj), (pkj, lk)), _rows)
POSITIONAL = Family("positional", ((pjk, lk), (pkj, lj)), _columns)
ADDITIVE = Family(
    "additive",
    ((lj, cj + dj), (lk, ck + dk), (pjk, cj + dk), (pkj, ck + dj)),
    lambda size: np.concatenate([_rows(size), _columns(size)]),
)


@dataclass(frozen=True)
class Relation:
    """`left <= right` or `left == right` for every table of a family. With `equality_conditions`, also: the two
    sides are equal exactly for the tables on which every condition vanishes for all j != k."""

    left: Sum
    relation: Literal["<=", "=="]
    right: Sum
    family: Family = GENERAL
    equality_conditions: tuple[sympy.Expr, ...] = ()

    def __post_init__(self) -> None:
        if self.relation not in ("<=", "=="):
            raise InputError(f"unknown relation {self.relation!r}", "use <= or ==")
        if self.equality_conditions and self.relation == "==":
            raise InputError("an equality case belongs to a bound", "use <= with equality_conditions")
        for condition in self.equality_conditions:
            require_exact(condition)
            if condition.free_symbols - {lj, lk, pjk, pkj} or not of_two_keys(condition):
                raise InputError(f"the condition {condition} is not about the entries at a pair of keys")


def of_two_keys(expression: sympy.Expr) -> bool:
    """Whether an expression speaks of a pair of keys rather than of one."""
    return bool(expression.free_symbols & {lk, pjk, pkj, ck, dk})


def require_exact(expression: Any) -> None:
    """Raise InputError if an expression holds a float: SymPy would round it to a rational near by."""
    if isinstance(expression, float) or sympy.sympify(expression).has(sympy.Float):
        raise InputError(f"the float in {expression} is not exact", "write a rational, such as Rational(1, 10)")


# -- the literal meaning ---------------------------------------------------------------------------------------


def evaluate(
    total: Sum, tables: np.ndarray[Any, Any], chosen: Iterable[Permutation] | None = None
) -> np.ndarray[Any, Any]:
    """The value of a sum on exact tables of shape (..., m, m), integers or Fractions, by adding every term.

    `chosen` replaces the group of all permutations by the given ones, weighted to the same total count `m!`.
    O(m! m) per table for sums over permutations. Returns an object array of Fractions, shape (...).
    """
    whole, scale = _whole_numbers(tables)
    value = np.full(tables.shape[:-2], Fraction(0), dtype=object)
    for term in total:
        if term.over != "keys" and term.summand.free_symbols & set(mean_of.values()):
            raise InputError(f"the summand {term.summand} has a mean over keys", "means belong in sums over keys")
        factor, degree, height, summand = _compiled(term.summand)
        # The position part of a table, a mean less a mean, can be twice its largest entry.
        if whole.dtype != object and height * (2 * _largest(whole)) ** degree * _count(term.over, whole) >= 1 << 62:
            whole = whole.astype(object)  # else int64 would wrap around
        factor *= _weight(term.weight, tables.shape[-1]) / scale**degree
        value = value + factor * _term(term, summand, whole, chosen)
    return np.asarray(value, dtype=object)


def _whole_numbers(tables: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int]:
    """The tables times a whole number that makes their entries, and the means over keys, whole: much faster to add."""
    size = tables.shape[-1]
    if tables.dtype != object:
        if not np.issubdtype(tables.dtype, np.integer):
            raise InputError(f"exact sums need integers or Fractions, got {tables.dtype}")
        large = _largest(tables) >= 1 << 40
        return (tables.astype(object) if large else tables.astype(np.int64)) * size**2, size**2
    values = [rational(value) for value in tables.flat]
    scale = size**2 * math.lcm(*(value.denominator for value in values))
    whole = np.empty(tables.size, dtype=object)
    whole[:] = [int(value * scale) for value in values]
    return whole.reshape(tables.shape), scale


def _largest(tables: np.ndarray[Any, Any]) -> int:
    sizes: list[int] = [1, abs(int(tables.max(initial=0))), abs(int(tables.min(initial=0)))]
    return max(sizes)


def _count(over: Over, tables: np.ndarray[Any, Any]) -> int:
    """How many summands are added up for one table, at the most."""
    size = int(tables.shape[-1])
    return size * (math.factorial(size) if over == "permutations" else size)


def _term(
    term: Term, summand: Callable[..., Any], tables: np.ndarray[Any, Any], chosen: Iterable[Permutation] | None
) -> Any:
    """The sum of a homogeneous summand over integer tables whose means are integers, without the weight."""
    size = tables.shape[-1]
    keys = np.arange(size)
    of_key = _letters_of_key(tables, term.summand)
    if term.over == "keys":
        averages = [letter.sum(axis=-1, keepdims=True) // size for letter in of_key]
        values = summand(of_key, of_key, of_key[0], of_key[0], averages)
        return _exact((values + 0 * of_key[0]).sum(axis=-1))
    images, repeats = _images(term.over, size, chosen)
    sums: Any = 0 * of_key[0].sum(axis=-1)
    for image in images:
        to = np.asarray(image)
        partner = [letter[..., to] for letter in of_key]
        values = summand(of_key, partner, tables[..., keys, to], tables[..., to, keys], (0, 0, 0))
        sums = sums + (values + 0 * of_key[0]).sum(axis=-1)
    return _exact(sums) * repeats


def _images(over: Over, size: int, chosen: Iterable[Permutation] | None) -> tuple[Iterable[Permutation], Fraction]:
    """The maps j -> k that a sum runs over, and how often each counts."""
    if over == "permutations":
        if chosen is None:
            if size > LARGEST:
                raise InputError(f"{size}! permutations are too many to add up", f"give at most {LARGEST} keys")
            return permutations(range(size)), Fraction(1)
        images = list(chosen)
        if not images:
            raise InputError("a sum over no permutations")
        return images, Fraction(math.factorial(size), len(images))
    first = 1 if over == "unequal pairs" else 0  # all pairs (j, k) are the m shifts k = j + s of all j
    shifts = [tuple((j + shift) % size for j in range(size)) for shift in range(first, size)]
    return shifts, Fraction(1)


def _letters_of_key(tables: np.ndarray[Any, Any], summand: sympy.Expr) -> list[Any]:
    """lambda_j, and where the summand asks for them c_j and d_j: row means, and column means less the grand mean."""
    size = tables.shape[-1]
    keys = np.arange(size)
    diagonal = tables[..., keys, keys]
    if not summand.free_symbols & {cj, ck, dj, dk, mean_of[cj], mean_of[dj]}:
        return [diagonal, 0 * diagonal, 0 * diagonal]
    content = tables.sum(axis=-1) // size  # no remainder: see _whole_numbers
    position = tables.sum(axis=-2) // size - content.sum(axis=-1, keepdims=True) // size
    return [diagonal, content, position]


def _exact(values: Any) -> Any:
    """numpy integers as exact Python numbers."""
    if isinstance(values, np.ndarray):
        return values.astype(object) * Fraction(1)
    return values if isinstance(values, Fraction) else Fraction(int(values))


@cache
def _compiled(summand: sympy.Expr) -> tuple[Fraction, int, int, Callable[..., Any]]:
    """A homogeneous summand as (rational factor, degree, sum of the coefficients' sizes, function of integers)."""
    of_key, partner, means = (lj, cj, dj), (lk, ck, dk), tuple(mean_of.values())
    polynomial = sympy.Poly(summand, *of_key, *partner, pjk, pkj, *means, domain="QQ")
    degrees = {sum(powers) for powers in polynomial.monoms()}
    if len(degrees) > 1:
        raise InputError(f"the summand {summand} mixes degrees {sorted(degrees)}", "split it into homogeneous terms")
    denominator, primitive = polynomial.clear_denoms(convert=True)
    function = sympy.lambdify((of_key, partner, pjk, pkj, means), primitive.as_expr(), modules=[{}])
    height = sum(abs(int(value)) for value in primitive.coeffs())
    return Fraction(1, int(denominator)), degrees.pop(), height, function


@cache
def _weight(weight: sympy.Expr, size: int) -> Fraction:
    value = sympy.Rational(weight.subs(m, size))
    return Fraction(int(value.p), int(value.q))
