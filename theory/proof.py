"""Proofs as data: a list of small steps, each of a kind that an exact normal form can verify.

A proof only states what is to be checked and why it is true. `checks.engines.symbolic` verifies it; nothing here
simplifies, searches or decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from headproof.theory.averages import Means, MeansRelation
from headproof.theory.derivation import Derivation, Entailment
from headproof.theory.errors import InputError
from headproof.theory.sums import Relation, Sum, require_exact

# What a proof made of parts leaves to the reader; a remark of the claims concerned.
IN_WORDS = (
    "Each part of the statement as data has its proof; that the parts make up the statement, with sums and means over "
    "planes, contents, positions or places taken one term after another, and one part's conclusion as another's "
    "hypothesis, is said in words."
)


@dataclass(frozen=True)
class Implication:
    """Wherever all `hypotheses` vanish, all `conclusions` vanish: polynomials over the rationals in letters that
    range over all reals. Letters of the table range over all pairs of keys j != k."""

    hypotheses: tuple[sympy.Expr, ...]
    conclusions: tuple[sympy.Expr, ...]

    def __post_init__(self) -> None:
        for expression in (*self.hypotheses, *self.conclusions):
            require_exact(expression)


@dataclass(frozen=True)
class Conjunction:
    """The form of a statement that says several things: a proof has a step for each, of the same title.

    `relations`, between sums or between mean squares, have conclusions (`ConcludeRelation`, `ConcludeMeans`), and
    `entailments` have derivations.
    """

    relations: Mapping[str, Relation | MeansRelation]
    entailments: tuple[Entailment, ...] = ()

    def __post_init__(self) -> None:
        if not self.titles or len(set(self.titles)) < len(self.titles):
            raise InputError(f"the parts of a statement have distinct titles, got {list(self.titles)}")

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of all parts."""
        return (*self.relations, *(part.title for part in self.entailments))


@dataclass(frozen=True)
class Rewrite:
    """Two sums over a table are equal, for every table of every size."""

    title: str
    left: Sum
    right: Sum
    why: str


@dataclass(frozen=True)
class Expansion:
    """A polynomial identity."""

    title: str
    left: sympy.Expr
    right: sympy.Expr
    why: str


@dataclass(frozen=True)
class Counting:
    """Of the `m!` permutations, exactly `count` map a given key to a given position."""

    title: str
    why: str
    count: sympy.Expr


@dataclass(frozen=True)
class Square:
    """`coefficient * sum_{j != k} base^2`, with the coefficient a rational function of `m`."""

    coefficient: sympy.Expr
    base: sympy.Expr

    def __post_init__(self) -> None:
        require_exact(self.coefficient)
        require_exact(self.base)


@dataclass(frozen=True)
class ConcludeRelation:
    """The statement's right side less its left side equals this sum of squares with non-negative coefficients.

    With no squares it is zero: the two sides are identical. For an equality case, the squares' bases must also be
    the conditions that the statement names, with strictly positive coefficients.
    """

    title: str
    squares: tuple[Square, ...]
    why: str


@dataclass(frozen=True)
class ConcludeImplication:
    """Each conclusion of the statement is the combination `sum multiplier * hypothesis`, identically.

    `multipliers[i]` maps the index of a hypothesis to its polynomial multiplier in conclusion `i`.
    """

    title: str
    multipliers: tuple[Mapping[int, Any], ...]
    why: str

    def __post_init__(self) -> None:
        for combination in self.multipliers:
            for multiplier in combination.values():
                require_exact(multiplier)


@dataclass(frozen=True)
class ConcludeMeans:
    """The statement's right side less its left side equals these mean squares, with non-negative coefficients.

    With none it is zero: the two sides are identical.
    """

    title: str
    squares: Means
    why: str


Step = Rewrite | Expansion | Counting | ConcludeRelation | ConcludeImplication | ConcludeMeans | Derivation


@dataclass(frozen=True)
class Proof:
    """Steps in reading order; the last one concludes the statement, or each part of it has a step of its title."""

    steps: tuple[Step, ...]
