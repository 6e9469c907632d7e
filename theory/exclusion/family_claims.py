"""What the exclusion bound is for special tables: additive ones, and those of purely positional or symbolic heads."""

from __future__ import annotations

import sympy

from headproof.theory.claim import Claim, Fidelity, Kind
from headproof.theory.exclusion.claims import BOUND, SLACK, THEOREM_1, VARIANCE, mutant, scaled
from headproof.theory.proof import ConcludeRelation, Proof
from headproof.theory.statements import COUNTING, of_relation
from headproof.theory.sums import (
    ADDITIVE,
    GENERAL,
    POSITIONAL,
    SYMBOLIC,
    Family,
    Relation,
    Sum,
    Term,
    cj,
    dj,
    m,
    mean_of,
)

_VAR_C: Sum = (Term(1 / m, "keys", (cj - mean_of[cj]) ** 2),)
_VAR_D: Sum = (Term(1 / m, "keys", (dj - mean_of[dj]) ** 2),)


def _additive(right: Sum) -> Relation:
    return Relation(BOUND, "==", right, ADDITIVE)


additive = Claim(
    id="dec.thm1.additive",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The bound of a table in which content and position add",
    source=THEOREM_1,
    latex=r"M_{ab} = c_a + d_b \ \Rightarrow\ \mathrm{bound} = 2\,\mathrm{Var}(c) + 2\,\mathrm{Var}(d)",
    sentence="For an additive table the bound is twice the sum of the two parts' variances, so variance over bound is "
    "one half plus the covariance of the parts over the sum of their variances.",
    domain="every real additive logit table, n >= 2",
    statement=of_relation(_additive(scaled(_VAR_C, sympy.Integer(2)) + scaled(_VAR_D, sympy.Integer(2)))),
    proof=Proof(
        (
            COUNTING,
            ConcludeRelation("both sides have one normal form", (), "Var(c + d) + Var(c - d) = 2 Var(c) + 2 Var(d)."),
        )
    ),
    mutants=(
        mutant("once", "the constant halved", _additive(_VAR_C + _VAR_D)),
        mutant("content only", "the position part left out", _additive(scaled(_VAR_C, sympy.Integer(2)))),
        mutant("the variance itself", "the slack left out", _additive(VARIANCE)),
        mutant(
            "not additive",
            "the premise dropped, with c and d the table's row and column means",
            Relation(BOUND, "==", scaled(_VAR_C + _VAR_D, sympy.Integer(2))),
        ),
    ),
    remarks=(
        "The ratio takes every value from 0 (parts that cancel) to 1 (parts that agree); it is one half where the "
        "parts are uncorrelated, and so for purely positional and purely symbolic heads. In the terms of GEN: "
        "additivity alone says nothing about how near the bound a head is.",
    ),
)

_DIFFERENCE: Sum = (Term(1 / m, "keys", (cj - dj - mean_of[cj] + mean_of[dj]) ** 2),)


def _slack(right: Sum, family: Family = ADDITIVE) -> Relation:
    return Relation(SLACK, "==", right, family)


additive_slack = Claim(
    id="dec.thm1.additive-slack",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The slack of a table in which content and position add",
    source=THEOREM_1,
    latex=r"M_{ab} = c_a + d_b \ \Rightarrow\ \mathrm{slack} = \mathrm{Var}(c-d)",
    sentence="What an additive table is short of the bound is the variance of the difference of its parts.",
    domain="every real additive logit table, n >= 2",
    statement=of_relation(_slack(_DIFFERENCE)),
    proof=Proof(
        (
            ConcludeRelation(
                "both sides have one normal form",
                (),
                "The entry c_j + d_k is off the mean of its two logits by half the difference of c - d at j and k.",
            ),
        )
    ),
    mutants=(
        mutant("halved", "the constant halved", _slack(scaled(_DIFFERENCE, sympy.Rational(1, 2)))),
        mutant("sum", "the variance of the sum of the parts", _slack(VARIANCE)),
        mutant("no cross term", "the sum of the parts' variances", _slack(_VAR_C + _VAR_D)),
        mutant("not additive", "the premise dropped, with row and column means", _slack(_DIFFERENCE, GENERAL)),
    ),
)


def _pure(name: str, family: Family) -> Claim:
    def relation(factor: sympy.Expr, of: Family = family) -> Relation:
        return Relation(BOUND, "==", scaled(VARIANCE, factor), of)

    two = sympy.Integer(2)
    return Claim(
        id=f"dec.thm1.{name}",
        kind=Kind.THEOREM,
        fidelity=Fidelity.OURS,
        title=f"The bound of a purely {name} head is twice the variance",
        source=THEOREM_1,
        latex=rf"\delta_{{{'pos' if name == 'positional' else 'sym'}}} = 0 \ \Rightarrow\ "
        r"\mathrm{bound} = 2\,\mathrm{Var}(\lambda)",
        sentence=f"On an input on which a head is {name}, the whole bound is the other deviation, and it is twice the "
        "variance.",
        domain=f"every real logit table on which the head is {name}, n >= 2",
        statement=of_relation(relation(two)),
        proof=Proof(
            (
                COUNTING,
                ConcludeRelation(
                    "both sides have one normal form",
                    (),
                    "The other deviation's square at j and k is (lambda_j - lambda_k)^2.",
                ),
            )
        ),
        mutants=(
            mutant("once", "the constant halved", relation(sympy.Integer(1))),
            mutant("thrice", "3 instead of 2", relation(sympy.Integer(3))),
            mutant(f"not {name}", "the premise dropped", relation(two, GENERAL)),
        ),
        remarks=(f"So the mixed table of dec.thm1's equality case is twice as tight as any {name} head.",),
    )


positional = _pure("positional", POSITIONAL)
symbolic = _pure("symbolic", SYMBOLIC)

FAMILY_CLAIMS = (additive, additive_slack, positional, symbolic)
