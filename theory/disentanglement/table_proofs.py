"""Proofs about the interaction of any table: where it vanishes, its mean square, and how it bears on exclusion."""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.averages import Means, MeanSquare, MeansRelation, entry
from headproof.theory.derivation import (
    Derivation,
    Derive,
    Entailment,
    Hypothesis,
    Universal,
    Use,
    at_least,
    equal,
    greater,
)
from headproof.theory.scores.swap_proofs import parts

a, b, o, u, v, s, t = sympy.symbols("a b o u v s t", real=True)
M, Content, Position = entry, sympy.Function("c"), sympy.Function("d")


def double(x: Any, x0: Any, y: Any, y0: Any) -> Any:
    """`M[x, y] - M[x0, y] - M[x, y0] + M[x0, y0]`."""
    return M(x, y) - M(x0, y) - M(x, y0) + M(x0, y0)


# -- no interaction ------------------------------------------------------------------------------------------------

NONE, PARTS = "an additive table has no interaction", "a table without interaction is additive"


def no_interaction(sum_of_parts: Any = None, conclusion: Any = None) -> Entailment:
    """`M[a, b] = c_a + d_b` everywhere gives a double difference of 0."""
    value = Content(s) + Position(t) if sum_of_parts is None else sum_of_parts
    conclusion = double(a, o, b, u) if conclusion is None else conclusion
    return Entailment(NONE, {"additive": Universal((s, t), (), equal(M(s, t), value))}, (equal(conclusion),))


_at = {"a b": (a, b), "o b": (o, b), "a u": (a, u), "o u": (o, u)}
PROOF_OF_NONE = Derivation(
    NONE,
    (
        *(Use(name, "instance", places, ("additive",)) for name, places in _at.items()),
        Derive("none", equal(double(a, o, b, u)), parts({"a b": 1, "o b": -1, "a u": -1, "o u": 1})),
    ),
)


def additive_if(vanishing: Any = None, conclusion: Any = None) -> Entailment:
    """If all double differences vanish, then `M[a, b] = c_a + d_b` with `c_a = M[a, o]`, `d_b = M[o, b] - M[o, o]`.

    For all contents s and u, positions t and v; a near miss need not speak of all four.
    """
    vanishing = double(s, u, t, v) if vanishing is None else vanishing
    conclusion = M(a, b) - M(a, o) - (M(o, b) - M(o, o)) if conclusion is None else conclusion
    return Entailment(PARTS, {"none": Universal((s, t, u, v), (), equal(vanishing))}, (equal(conclusion),))


PROOF_OF_PARTS = Derivation(PARTS, (Use("parts", "instance", (a, b, o, o), ("none",)),))

# -- the mean square -----------------------------------------------------------------------------------------------

LARGEST, MORE_PLACES = "a mean of sizes", "one double difference more"
T, x, r, w, m, p, most = sympy.symbols("T x r w m p most", real=True)

EFFECT = MeanSquare(double(a, u, b, v), (a, b))
DOUBLE = MeanSquare(double(a, u, b, v), (a, u, b, v))


def mean_squares(factor: Any = 4, right: MeanSquare = EFFECT) -> MeansRelation:
    """The mean square of all double differences is four times that of the interaction effects."""
    return MeansRelation((DOUBLE,), "==", (right.times(factor),))


def more_places(bound: Any = most * (w + 1)) -> Entailment:
    """A sum T of w numbers of size at most `most`, and one number more."""
    known: dict[str, Hypothesis] = {
        "so far, above": at_least(most * w, T),
        "so far, below": at_least(most * w, -T),
        "above": at_least(most, x),
        "below": at_least(most, -x),
    }
    return Entailment(MORE_PLACES, known, (at_least(bound, T + x), at_least(bound, -T - x)))


PROOF_OF_MORE_PLACES = Derivation(
    MORE_PLACES,
    (
        Derive("sum, above", at_least(most * (w + 1), T + x), parts({"so far, above": 1, "above": 1})),
        Derive("sum, below", at_least(most * (w + 1), -T - x), parts({"so far, below": 1, "below": 1})),
    ),
)


def mean_of_sizes(share: Any = p**2, places: Any = m**2) -> Entailment:
    """The mean `r = T / m^2` of m^2 numbers, (m - 1)^2 of size at most `most` and the others 0; p is 1 - 1/m.

    A near miss has another share than `p^2`, or a mean over other places.
    """
    known: dict[str, Hypothesis] = {
        "m": greater(m),
        "p": equal(p * m, m - 1),
        "r": equal(places * r, T),
        "above": at_least(most * (m - 1) ** 2, T),
        "below": at_least(most * (m - 1) ** 2, -T),
    }
    return Entailment(LARGEST, known, (at_least(share * most, r), at_least(share * most, -r)))


_share = {"p": most * (p * m + m - 1)}
PROOF_OF_MEAN_OF_SIZES = Derivation(
    LARGEST,
    (
        Derive("m^2", greater(m**2), parts({("m", "m"): 1})),
        Derive("above, times", at_least((most * p**2 - r) * m**2), parts({"above": 1, "r": -1} | _share)),
        Derive("below, times", at_least((most * p**2 + r) * m**2), parts({"below": 1, "r": 1} | _share)),
        Use("r at most", "quotient", (most * p**2 - r,), ("above, times", "m^2")),
        Use("r at least", "quotient", (most * p**2 + r,), ("below, times", "m^2")),
    ),
)

# -- exclusion -----------------------------------------------------------------------------------------------------

OFF = M(a, b) - (M(a, a) + M(b, b)) / 2  # an entry less the mean of its two logits
BOUND: Means = (MeanSquare(M(a, b) - M(b, b), (a, b)), MeanSquare(M(a, b) - M(a, a), (a, b)))
VARIANCE: Means = (MeanSquare(M(a, a) - M(b, b), (a,)),)
# Row means of OFF less its grand mean, column means likewise, and the grand mean.
ROWS = MeanSquare(OFF - (M(u, v) - (M(u, u) + M(v, v)) / 2), (a,), 2)
COLUMNS = MeanSquare(OFF - (M(u, v) - (M(u, u) + M(v, v)) / 2), (b,), 2)
GRAND = MeanSquare(OFF, (), 2)


MEAN_OF_LOGITS = "entries that are means of their logits"


def means_are_additive(hypothesis: Any = None, conclusion: Any = None) -> Entailment:
    """`M[a, b] = (M[a, a] + M[b, b]) / 2` everywhere gives a double difference of 0."""
    value = (M(s, s) + M(t, t)) / 2 if hypothesis is None else hypothesis
    conclusion = double(a, o, b, u) if conclusion is None else conclusion
    known: dict[str, Hypothesis] = {"means": Universal((s, t), (), equal(M(s, t), value))}
    return Entailment(MEAN_OF_LOGITS, known, (equal(conclusion),))


PROOF_OF_MEAN_OF_LOGITS = Derivation(
    MEAN_OF_LOGITS,
    (
        *(Use(name, "instance", places, ("means",)) for name, places in _at.items()),
        Derive("none", equal(double(a, o, b, u)), parts({"a b": 1, "o b": -1, "a u": -1, "o u": 1})),
    ),
)
