"""The claims that follow from the two definitions (dec.definitions) on one logit table, and the one that does not."""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.cases import TableCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.exclusion.rotary_claims import ROTARY_CLAIMS
from headproof.theory.proof import ConcludeImplication, ConcludeRelation, Expansion, Implication, Proof, Square
from headproof.theory.statements import COUNTING, IS_POSITIONAL, IS_SYMBOLIC, of_relation
from headproof.theory.sums import Relation, Term, lj, lk, m, own, pjk, pkj

DEFINITIONS = Source("DEC", "definitions of positional and symbolic attention, and the remarks after them")


def _first(case: TableCase, keys: int) -> TableCase:
    """The case's table of its first keys; with none, one key, about which nothing is asked."""
    count = max(1, keys)
    return TableCase(tuple(row[:count] for row in case.rows[:count]))


def _logits(case: TableCase) -> set[Any]:
    return {case.rows[j][j] for j in range(case.size)}


# -- the definitions, read off the table ---------------------------------------------------------------------------


def _vanishing_deviation(square: Any, condition: Any) -> Statement:
    deviation = (Term(sympy.Integer(1), "permutations", square),)
    return of_relation(Relation((), "<=", deviation, equality_conditions=(condition,)))


def _definition(name: str, reading: str, base: Any, others: tuple[tuple[str, str, Any], ...]) -> Claim:
    return Claim(
        id=f"dec.definitions.{name}",
        kind=Kind.DEFINITION,
        fidelity=Fidelity.PRINTED,
        title=f"{name.capitalize()} on an input means that {reading}",
        source=DEFINITIONS,
        latex=rf"\delta_{{{name[:3]}}}(\pi, j) = 0\ \forall \pi \in S_{{n-1}}, j<n \iff "
        rf"{sympy.latex(base)} = 0\ \forall j \ne k",
        sentence=f"The definition over all permutations of the keys says that {reading}.",
        domain="every real logit table, n >= 2",
        statement=_vanishing_deviation(base**2, base),
        proof=Proof(
            (
                COUNTING,
                ConcludeRelation(
                    "a sum of squares vanishes term by term",
                    (Square(sympy.factorial(m - 1), base),),
                    "Each pair of keys occurs in (m-1)! > 0 permutations.",
                ),
            )
        ),
        mutants=tuple(
            Mutant(label, title, _vanishing_deviation(base**2, condition)) for label, title, condition in others
        ),
    )


positional = _definition(
    "positional",
    "each column of the table is constant: the logit does not depend on the content",
    pkj - lj,
    (
        ("rows", "each row is constant", pjk - lj),
        ("logits", "the logits in use are constant", lj - lk),
        ("symmetric", "the table is symmetric", pjk - pkj),
    ),
)
symbolic = _definition(
    "symbolic",
    "each row of the table is constant: the logit does not depend on the position",
    pjk - lj,
    (
        ("columns", "each column is constant", pkj - lj),
        ("logits", "the logits in use are constant", lj - lk),
        ("symmetric", "the table is symmetric", pjk - pkj),
    ),
)

# -- both at once ----------------------------------------------------------------------------------------------

# Columns constant: M_kj = lambda_j. Rows constant: M_kj = lambda_k.
BOTH = Implication(hypotheses=(pkj - lj, pkj - lk), conclusions=(lj - lk,))
CHAIN = ConcludeImplication(
    "lambda_j = M_kj = lambda_k",
    ({0: -1, 1: 1},),
    "Content k at position j has the logit of j's position (positional) and of k's content (symbolic).",
)


def _table_statement(
    premises: tuple[Premise, ...], conclusion: Any, hypotheses: tuple[Any, ...], conclusions: tuple[Any, ...]
) -> Statement:
    return Statement(TableCase, premises, conclusion, Implication(hypotheses, conclusions))


def _constant(case: TableCase) -> bool:
    return len(_logits(case)) == 1


_positional_only = _table_statement((IS_POSITIONAL,), _constant, (pkj - lj,), (lj - lk,))
_symbolic_only = _table_statement((IS_SYMBOLIC,), _constant, (pkj - lk,), (lj - lk,))
_both = _table_statement((IS_POSITIONAL, IS_SYMBOLIC), _constant, BOTH.hypotheses, BOTH.conclusions)
_all_but_last = _table_statement(
    (
        Premise(
            "positional but one",
            "positional among all keys but the last",
            lambda c: IS_POSITIONAL.holds(_first(c, c.size - 1)),
        ),
        Premise(
            "symbolic but one",
            "symbolic among all keys but the last",
            lambda c: IS_SYMBOLIC.holds(_first(c, c.size - 1)),
        ),
    ),
    _constant,
    (),
    (lj - lk,),
)
_zero = _table_statement((IS_POSITIONAL, IS_SYMBOLIC), lambda c: _logits(c) == {0}, BOTH.hypotheses, (lj,))

_SHARED_MUTANTS = (
    Mutant("positional only", "the symbolic premise dropped", _positional_only),
    Mutant("symbolic only", "the positional premise dropped", _symbolic_only),
    Mutant("all keys but one", "the premises asked of all keys but the last", _all_but_last),
)

both_constant = Claim(
    id="dec.definitions.both-constant",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A head that is positional and symbolic on an input has constant logits there",
    source=DEFINITIONS,
    latex=r"M_{kj}=\lambda_j \ \text{and}\ M_{jk}=\lambda_j\ \forall j,k \ \Rightarrow\ \lambda_j=\lambda_k",
    sentence="Both properties together leave no room for the logits to vary.",
    domain="every real logit table",
    statement=_both,
    proof=Proof((CHAIN,)),
    mutants=(*_SHARED_MUTANTS, Mutant("zero", "the logits are not only constant but zero", _zero)),
)

# -- uniform attention, in its three readings -------------------------------------------------------------------

E_J, E_K, Z = sympy.symbols("e_j e_k z", real=True)  # exponentials of two logits, and the inverse of their sum
SOFTMAX = Expansion(
    "equal logits have equal weights",
    (E_J * Z - E_K * Z),
    Z * (E_J - E_K),
    "The weights are w_j = e_j z with e_j = exp(lambda_j) and one z = 1 / sum e; exp is injective, so weights are "
    "equal exactly where logits are.",
)

uniform_visible = Claim(
    id="dec.definitions.uniform.visible-keys",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Positional and symbolic on an input forces uniform attention: all visible keys permuted",
    source=DEFINITIONS,
    latex=r"\text{positional and symbolic under } S_n \ \Rightarrow\ w_1=\dots=w_n=1/n",
    sentence="If the permutations also move the query's own key, all n visible keys get the same weight.",
    domain="every real logit table over the n visible keys",
    statement=_both,
    proof=Proof((SOFTMAX, CHAIN)),
    mutants=_SHARED_MUTANTS,
    remarks=(
        "First of three readings: 'the keys' are all keys j <= n that the query at position n sees.",
        "Weights are equal exactly where logits are, since exp is injective; the checks decide the logits.",
    ),
)


def _uniform(case: TableCase) -> bool:
    return len(_logits(case) | ({case.own} if case.own is not None else set())) == 1


def _uniform_earlier(case: TableCase) -> bool:
    return len(_logits(case)) == 1


uniform_earlier = Claim(
    id="dec.definitions.uniform.earlier-keys",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Positional and symbolic on an input forces uniform attention: the earlier keys permuted",
    source=DEFINITIONS,
    latex=r"\text{positional and symbolic under } S_{n-1} \ \Rightarrow\ w_1=\dots=w_n=1/n",
    sentence="With permutations of the n-1 earlier keys, as in theorem 1, attention is claimed to be uniform over all "
    "keys that the query sees.",
    domain="every real logit table over the n - 1 earlier keys, and every logit of the query's own key",
    statement=Statement(
        TableCase, (IS_POSITIONAL, IS_SYMBOLIC), _uniform, Implication(BOTH.hypotheses, (lj - lk, own - lj))
    ),
    repair="dec.definitions.uniform.repaired",
    survives="The n - 1 earlier keys share one weight; only the weight of the query's own key is free. If the "
    "permutations move the query's own key as well, attention is uniform.",
    remarks=(
        "The smallest case has one earlier key, on which every head is both; two earlier keys of logit 0 and an own "
        "key of logit 1 show the same.",
        "Weights are equal exactly where logits are, since exp is injective; the checks decide the logits.",
        "Second of three readings: theorem 1 permutes the keys j < n, yet the softmax also runs over the query's own "
        "key j = n, which no permutation touches.",
    ),
)

uniform_repaired = Claim(
    id="dec.definitions.uniform.repaired",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Positional and symbolic on an input: the earlier keys share one weight",
    source=DEFINITIONS,
    latex=r"\text{positional and symbolic under } S_{n-1} \ \Rightarrow\ w_1=\dots=w_{n-1}",
    sentence="The earlier keys get equal weights; the weight of the query's own key is whatever its logit makes it.",
    domain="every real logit table over the n - 1 earlier keys, and every logit of the query's own key",
    statement=Statement(TableCase, (IS_POSITIONAL, IS_SYMBOLIC), _uniform_earlier, BOTH),
    proof=Proof((SOFTMAX, CHAIN)),
    remarks=(
        "Third of three readings: uniform over the keys that are permuted.",
        "Weights are equal exactly where logits are, since exp is injective; the checks decide the logits.",
    ),
    mutants=(*_SHARED_MUTANTS, Mutant("own key too", "the query's own key included", uniform_earlier.statement)),  # type: ignore[arg-type]
)

DEFINITION_CLAIMS = (
    positional,
    symbolic,
    both_constant,
    uniform_visible,
    uniform_earlier,
    uniform_repaired,
    *ROTARY_CLAIMS,
)
