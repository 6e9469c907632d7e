"""What additivity says about exclusion (DEC, theorem 1), and what the interaction costs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

from headproof.theory.averages import Means, MeansRelation
from headproof.theory.cases import TableCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment
from headproof.theory.disentanglement import table_proofs as proofs
from headproof.theory.disentanglement.table_proofs import M, a, b, o
from headproof.theory.disentanglement.tables import mean_square_effect
from headproof.theory.exclusion.claims import (
    BOTH_SQUARES,
    BOUND,
    CHAIN,
    POSITIONAL_SQUARE,
    SLACK_SQUARE,
    TO_PAIRS,
    VARIANCE,
    mutant,
    scaled,
)
from headproof.theory.proof import IN_WORDS, ConcludeMeans, ConcludeRelation, Conjunction, Proof, Square
from headproof.theory.statements import (
    COUNTING,
    EVERY_PERMUTATION,
    IS_ADDITIVE,
    IS_POSITIONAL,
    IS_SYMBOLIC,
    of_relation,
    value,
)
from headproof.theory.sums import ADDITIVE, GENERAL, Family, Relation, Sum, Term, cj, dj, lj, lk, m, mean_of, pjk, pkj

EXCLUSION = Source("GEN", "additivity, in the terms of DEC's theorem 1")
half = sympy.Rational(1, 2)

# -- variance over bound -------------------------------------------------------------------------------------------


def _covariance(factor: int) -> Sum:
    return (Term(factor / m, "keys", (cj - mean_of[cj]) * (dj - mean_of[dj])),)


def _ratio(right: Sum, family: Family = ADDITIVE) -> Relation:
    return Relation(VARIANCE, "==", right, family)


_HALF_BOUND = scaled(BOUND, half)
ratio = Claim(
    id="gen.exclusion.ratio",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Variance over bound of an additive table is one half plus how its parts go together",
    source=EXCLUSION,
    latex=r"M_{ab} = c_a + d_b \ \Rightarrow\ \mathrm{Var}(\lambda) = \tfrac12\,\mathrm{bound} + 2\,\mathrm{Cov}(c,d),"
    r"\qquad \frac{\mathrm{Var}(\lambda)}{\mathrm{bound}} = \frac12 + \frac{\mathrm{Cov}(c,d)}{\mathrm{Var}(c)+"
    r"\mathrm{Var}(d)}\ \text{where the bound is not }0",
    sentence="For an additive table the variance of the logits is half of the bound plus twice the covariance of the "
    "content and the position part.",
    domain="every real additive logit table, n >= 2",
    statement=of_relation(_ratio(_HALF_BOUND + _covariance(2))),
    proof=Proof(
        (
            COUNTING,
            ConcludeRelation(
                "both sides have one normal form",
                (),
                "Var(c + d) = Var(c) + Var(d) + 2 Cov(c, d), and the bound is 2 Var(c) + 2 Var(d).",
            ),
        )
    ),
    mutants=(
        mutant("once", "the covariance once instead of twice", _ratio(_HALF_BOUND + _covariance(1))),
        mutant("uncorrelated", "the covariance left out", _ratio(_HALF_BOUND)),
        mutant("sign", "the covariance subtracted", _ratio(_HALF_BOUND + _covariance(-2))),
        mutant("not additive", "the premise dropped", _ratio(_HALF_BOUND + _covariance(2), GENERAL)),
    ),
    remarks=(
        "Where the bound is not 0, the quotient is between 0 and 1, since 2 |Cov| is at most the sum of the variances: "
        "1/2 where content and position are "
        "uncorrelated, above it where keys of large content part stand at positions of large position part.",
    ),
)

# -- where the bound is attained -----------------------------------------------------------------------------------


def _attained(condition: sympy.Expr, family: Family = ADDITIVE) -> Relation:
    return Relation(VARIANCE, "<=", BOUND, family, (condition,))


attained = Claim(
    id="gen.exclusion.attained",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="An additive table attains the bound exactly if its two parts agree up to a constant",
    source=EXCLUSION,
    latex=r"M_{ab} = c_a + d_b \ \Rightarrow\ \left(\mathrm{Var}(\lambda) = \mathrm{bound} \iff "
    r"c_j - d_j = c_k - d_k\ \forall j,k\right)",
    sentence="Among additive tables, those and only those attain the bound whose content part and position part differ "
    "by a constant; that is, the symmetric ones, for M_jk - M_kj = (c_j - d_j) - (c_k - d_k).",
    domain="every real additive logit table, n >= 2",
    statement=of_relation(_attained(pjk - pkj)),
    proof=Proof(
        (
            COUNTING,
            ConcludeRelation(
                "the slack is a sum of squares",
                (Square(1 / (2 * m**2), pjk - pkj),),
                "The entry c_j + d_k is off the mean of its two logits by half the difference of c - d at j and k.",
            ),
        )
    ),
    mutants=(
        mutant("constant", "attained by constant logits only", _attained(lj - lk)),
        mutant("symbolic", "attained by symbolic tables only", _attained(pjk - lj)),
        mutant("positional", "attained by positional tables only", _attained(pjk - lk)),
        mutant("not additive", "the premise dropped", _attained(pjk - pkj, GENERAL)),
    ),
    remarks=("Which tables attain it at all is dec.thm1.equality; they are additive (gen.exclusion.additive).",),
)

ATTAINS = Premise(
    "attained",
    "the variance of the logits is equal to the bound",
    lambda case: value(VARIANCE, case) == value(BOUND, case),
)


WHERE_ATTAINED = "the bound is attained only where each entry is the mean of its two logits"


def _additive(conclusion: Callable[[TableCase], bool], form: Entailment) -> Statement:
    where = Relation(VARIANCE, "<=", BOUND, equality_conditions=(2 * pjk - lj - lk,))
    parts = Conjunction({WHERE_ATTAINED: where}, (form,))
    return Statement(TableCase, (EVERY_PERMUTATION, ATTAINS), conclusion, parts)


additive = Claim(
    id="gen.exclusion.additive",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="A table that attains the exclusion bound is additive",
    source=EXCLUSION,
    latex=r"\mathrm{Var}(\lambda) = \mathrm{bound} \ \Rightarrow\ M_{ab} = c_a + d_b",
    sentence="Only a head whose position and content add, and agree, can vary its logits as much as its deviations "
    "allow.",
    domain="every real logit table, n >= 2",
    statement=_additive(IS_ADDITIVE.holds, proofs.means_are_additive()),
    proof=Proof(
        (
            *CHAIN,
            ConcludeRelation(WHERE_ATTAINED, (SLACK_SQUARE,), "The slack vanishes term by term; all weights are > 0."),
            proofs.PROOF_OF_MEAN_OF_LOGITS,
        )
    ),
    mutants=(
        Mutant(
            "positional",
            "positional instead of additive",
            _additive(IS_POSITIONAL.holds, proofs.means_are_additive(conclusion=M(a, b) - M(o, b))),
        ),
        Mutant(
            "symbolic",
            "symbolic instead of additive",
            _additive(IS_SYMBOLIC.holds, proofs.means_are_additive(conclusion=M(a, b) - M(a, o))),
        ),
        Mutant(
            "constant",
            "logits that are all equal",
            _additive(
                lambda case: len({case.rows[j][j] for j in range(case.size)}) == 1,
                proofs.means_are_additive(conclusion=M(a, a) - M(b, b)),
            ),
        ),
    ),
    remarks=(
        "By the exclusion identity the slack, a sum of squares, is 0: each entry is the mean of its two logits, and "
        "M[a, b] = u_a + u_b with u = lambda / 2.",
        IN_WORDS,
    ),
)

# -- what the interaction costs ------------------------------------------------------------------------------------


def _remainder(case: TableCase) -> Fraction:
    """Twice the mean squares of the rows' and the columns' means around the grand mean, and of that, for the entries
    less the mean of their two logits."""
    keys, rows = range(case.size), case.rows
    off = [[rows[j][k] - (rows[j][j] + rows[k][k]) / 2 for k in keys] for j in keys]
    contents = [sum(row, Fraction(0)) / case.size for row in off]
    positions = [sum(column, Fraction(0)) / case.size for column in zip(*off, strict=True)]
    grand = sum(contents, Fraction(0)) / case.size
    deviations = [(mean - grand) ** 2 for mean in (*contents, *positions)]
    return 2 * (sum(deviations, Fraction(0)) / case.size + grand**2)


_REST: Means = (proofs.ROWS, proofs.COLUMNS, proofs.GRAND)
WITH_REST = "the bound is the variance, the interaction's part and a rest"
AT_LEAST = "so it exceeds the variance by the interaction's part or more"


def _cost(
    factor: int = 2,
    rest: Means = _REST,
    remainder: Callable[[TableCase], Fraction] = _remainder,
    squares: Any = BOTH_SQUARES,
) -> Statement:
    """`bound = variance + factor * mean square effect + remainder`, and so without the remainder at most the bound."""
    bound: Sum = (Term(BOUND[0].weight, "permutations", squares),)
    whole = proofs.BOUND if squares is BOTH_SQUARES else proofs.BOUND[:1]
    least = (*proofs.VARIANCE, proofs.EFFECT.times(factor))
    form = Conjunction(
        {
            TO_PAIRS.title: Relation(bound, "==", (Term(1 / m**2, "pairs", squares),)),
            WITH_REST: MeansRelation((*least, *rest), "==", whole),
            AT_LEAST: MeansRelation(least, "<=", whole),
        }
    )

    def left(case: TableCase) -> Fraction:
        return value(VARIANCE, case) + factor * mean_square_effect(case)

    def holds(case: TableCase) -> bool:
        return left(case) + remainder(case) == value(bound, case) >= left(case)

    def share(case: TableCase) -> Fraction | None:
        most = value(bound, case)
        return left(case) / most if most else None

    return Statement(TableCase, (EVERY_PERMUTATION,), holds, form, share)


cost = Claim(
    id="gen.exclusion.cost",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The interaction of a table costs twice its mean square of the exclusion bound",
    source=EXCLUSION,
    latex=r"\mathrm{bound} - \mathrm{Var}(\lambda) = \frac{2}{m^2}\sum_{a,b} r_{ab}^2 + 2\left(\mathrm{Var}(\bar E_{a"
    r"\cdot})+\mathrm{Var}(\bar E_{\cdot b})+\bar E^2\right) \ge \frac{2}{m^2}\sum_{a,b} r_{ab}^2,\qquad "
    r"E_{jk} = M_{jk}-\frac{\lambda_j+\lambda_k}{2}",
    sentence="What the variance of the logits falls short of the bound is at least twice the mean square of the "
    "interaction effects, so variance over bound is at most 1 less that over the bound; the rest is twice the scatter "
    "of the row and column means of the entries less the mean of their two logits, and the square of their grand mean.",
    domain="every real logit table, n >= 2",
    statement=_cost(),
    proof=Proof(
        (
            COUNTING,
            ConcludeRelation(TO_PAIRS.title, (), TO_PAIRS.why),
            ConcludeMeans(
                WITH_REST,
                (),
                "The means of two logits are an additive table, so that M and E have the same interaction effects, "
                "orthogonal to E's row means, column means and grand mean, and the slack is 2 mean E^2.",
            ),
            ConcludeMeans(AT_LEAST, _REST, "The rest is a sum of mean squares."),
        )
    ),
    mutants=(
        Mutant("four times", "4 instead of 2", _cost(4)),
        Mutant("once", "1 instead of 2", _cost(1)),
        Mutant("no rest", "the rest left out: always equal", _cost(rest=(), remainder=lambda case: Fraction(0))),
        Mutant("positional only", "the symbolic deviation left out of the bound", _cost(squares=POSITIONAL_SQUARE)),
    ),
    witness=TableCase.of([[0, 2, 1], [0, 2, 4], [3, 2, 4]]),
    remarks=(
        "Equal exactly where every row and every column of M has the mean of (lambda_j + lambda_k) / 2 over it; for "
        "example for a symmetric additive table plus a table with zeros on its diagonal, rows and columns that add up "
        "to 0. So interaction keeps a head from the bound, and additivity alone does not bring it there.",
        IN_WORDS,
    ),
)

EXCLUSION_CLAIMS = (ratio, attained, additive, cost)
