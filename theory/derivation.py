"""Derivations: proofs about real and integer letters, as data that a checker replays step by step.

An `Entailment` says: for all values of the letters, if the hypotheses hold then the conclusions do. Expressions are
polynomials over the rationals in the letters, pi, and cosines, sines and exponentials of such. A derivation adds one
fact after another, each by a rule of `checks.engines.derivation`; nothing here computes or decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import sympy

from headproof.theory.errors import InputError

Relation = Literal[">", ">=", "=="]


@dataclass(frozen=True)
class Fact:
    """`expression > 0`, `>= 0` or `== 0`."""

    expression: Any
    relation: Relation

    def negated(self) -> Fact:
        """What holds if this inequality does not; an equation has no single fact for its negation."""
        if self.relation == "==":
            raise InputError(f"the negation of {self.expression} = 0 is a disjunction", "split by its sign instead")
        return Fact(-self.expression, ">=" if self.relation == ">" else ">")


def greater(left: Any, right: Any = 0) -> Fact:
    """`left > right`."""
    return Fact(sympy.sympify(left) - right, ">")


def at_least(left: Any, right: Any = 0) -> Fact:
    """`left >= right`."""
    return Fact(sympy.sympify(left) - right, ">=")


def equal(left: Any, right: Any = 0) -> Fact:
    """`left = right`."""
    return Fact(sympy.sympify(left) - right, "==")


FALSE = Fact(sympy.Integer(0), ">")


@dataclass(frozen=True)
class NotMultiple:
    """The argument, an angle in radians, is no integer multiple of 2 pi."""

    argument: Any


@dataclass(frozen=True)
class Universal:
    """A hypothesis for all values of `letters` that meet the conditions."""

    letters: tuple[Any, ...]
    conditions: tuple[Fact, ...]
    conclusion: Fact | NotMultiple


Hypothesis = Fact | NotMultiple | Universal


@dataclass(frozen=True)
class Window:
    """The sum `total(j) = sum_{k=1}^{length} summand(j - k)`, the summand an expression in `letter`."""

    total: Any
    letter: Any
    summand: Any
    length: Any


@dataclass(frozen=True)
class Rearranged:
    """Two sums over the places `1 .. length`: `before = sum_b summand(b, b)`, `after = sum_b summand(p(b), b)`.

    `summand` is an expression in the letters `content` and `place`; `p` is a permutation of the places, any one, but
    the same for all sums of a statement.
    """

    before: Any
    after: Any
    content: Any
    place: Any
    summand: Any
    length: Any


@dataclass(frozen=True)
class Entailment:
    """For all real letters, those in `integers` integer: if all hypotheses hold, all conclusions do."""

    title: str
    hypotheses: Mapping[str, Hypothesis]
    conclusions: tuple[Fact, ...]
    integers: tuple[Any, ...] = ()
    windows: tuple[Window, ...] = ()
    rearranged: tuple[Rearranged, ...] = ()


@dataclass(frozen=True)
class Entailments:
    """The form of a statement that is a conjunction of entailments, such as the two directions of an equivalence."""

    parts: tuple[Entailment, ...]

    def __post_init__(self) -> None:
        titles = [part.title for part in self.parts]
        if not titles or len(set(titles)) < len(titles):
            raise InputError(f"entailments have distinct titles, got {titles}")


@dataclass(frozen=True)
class Part:
    """`times * (product of the named facts' expressions) * (product of squares)`.

    `times` is a non-negative rational, unless one of the facts is an equation: then it is any expression.
    """

    facts: tuple[str, ...] = ()
    times: Any = 1
    squares: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Derive:
    """The fact's expression is identically the sum of the parts, each of which is non-negative or zero."""

    name: str
    fact: Fact
    parts: tuple[Part, ...]
    why: str = ""


@dataclass(frozen=True)
class Use:
    """Apply a rule by name; the checker itself makes the resulting facts, named `name` (or `name.1`, `name.2`, ...)."""

    name: str
    rule: str
    arguments: tuple[Any, ...] = ()
    given: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Suppose:
    """Suppose a fact; the steps reach a contradiction; so its negation holds, under the same name."""

    name: str
    fact: Fact
    steps: tuple[Any, ...]
    why: str = ""


@dataclass(frozen=True)
class Split:
    """By the sign of an expression: in each case the steps derive `fact` (the case's hypothesis has the given name)."""

    name: str
    on: Any
    fact: Fact
    positive: tuple[Any, ...]
    zero: tuple[Any, ...]
    negative: tuple[Any, ...]
    why: str = ""


DerivationStep = Derive | Use | Suppose | Split


@dataclass(frozen=True)
class Derivation:
    """A proof of the entailment of that title."""

    title: str
    steps: tuple[DerivationStep, ...]
    why: str = field(default="")
