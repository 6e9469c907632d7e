"""Positional and symbolic: the two definitions (dec.definitions), what follows from them, and what does not.

On one input, with M the logit table of the query at position n over its m = n - 1 earlier keys:

    positional   L(x_n, n, x_pi(j), j) = L(x_n, n, x_j, j) for every permutation pi and every j
    symbolic     L(x_n, n, x_j, pi(j)) = L(x_n, n, x_j, j) for every permutation pi and every j

Every pair of keys occurs in some permutation, so positional says that each column of M is constant (M does not
depend on the content), and symbolic that each row is (M does not depend on the position).
"""

from __future__ import annotations

from typing import Any

import sympy

from headproof.theory.cases import RotaryCase, TableCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.proof import ConcludeImplication, ConcludeRelation, Expansion, Implication, Proof, Square
from headproof.theory.statements import COUNTING, IS_POSITIONAL, IS_SYMBOLIC, of_relation
from headproof.theory.sums import Relation, Term, lj, lk, m, own, pjk, pkj
from headproof.theory.table import LogitTable

DEFINITIONS = Source("DEC", "definitions of positional and symbolic attention, and the remarks after them")


def is_positional(table: LogitTable) -> Any:
    """Whether each column of the table is constant: logits depend on positions only. Exact comparison, batched."""
    diagonal = table.diagonal
    return (table.logits == diagonal[..., None, :]).all(axis=-1).all(axis=-1)


def is_symbolic(table: LogitTable) -> Any:
    """Whether each row of the table is constant: logits depend on contents only. Exact comparison, batched."""
    diagonal = table.diagonal
    return (table.logits == diagonal[..., :, None]).all(axis=-1).all(axis=-1)


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

# -- uniform attention, in its two readings --------------------------------------------------------------------

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
        "First of two readings: 'the keys' are all keys j <= n that the query at position n sees.",
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
        "Second of two readings: theorem 1 permutes the keys j < n, yet the softmax also runs over the query's own key "
        "j = n, which no permutation touches.",
    ),
)

uniform_repaired = Claim(
    id="dec.definitions.uniform.repaired",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Positional and symbolic on an input: the earlier keys share one weight",
    source=DEFINITIONS,
    latex=r"\text{positional and symbolic under } S_{n-1} \ \Rightarrow\ w_1=\dots=w_{n-1}",
    sentence="The earlier keys get equal weights; the weight of the query's own key may be any number between 0 and 1.",
    domain="every real logit table over the n - 1 earlier keys, and every logit of the query's own key",
    statement=Statement(TableCase, (IS_POSITIONAL, IS_SYMBOLIC), _uniform_earlier, BOTH),
    proof=Proof((SOFTMAX, CHAIN)),
    mutants=(*_SHARED_MUTANTS, Mutant("own key too", "the query's own key included", uniform_earlier.statement)),  # type: ignore[arg-type]
)

# -- which rotary heads are which ------------------------------------------------------------------------------

# One rotary plane: q . R(-phi) k with cos phi = c and sin phi = s is c (q . k) + s (q x k).
Q1, Q2, K1, K2, H1, H2 = sympy.symbols("q_1 q_2 k_1 k_2 h_1 h_2", real=True)
C1, S1, C2, S2 = sympy.symbols("c s c' s'", real=True)


def _plane(k1: Any, k2: Any, c: Any, s: Any) -> Any:
    return c * (Q1 * k1 + Q2 * k2) + s * (Q1 * k2 - Q2 * k1)


DOT, CROSS = Q1 * K1 + Q2 * K2, Q1 * K2 - Q2 * K1
_by_position = _plane(K1, K2, C1, S1) - _plane(K1, K2, C2, S2)
_by_content = _plane(K1, K2, C1, S1) - _plane(H1, H2, C1, S1)
_still = (C1 - 1, S1, C2 - 1, S2)
_same_key = (K1 - H1, K2 - H2)


def _at_rest(case: RotaryCase, planes: slice = slice(None)) -> bool:
    return all(cosine == 1 and sine == 0 for cosine, sine in case.turns[planes])


def _equal_keys(case: RotaryCase, keys: slice = slice(None)) -> bool:
    return len(set(case.keys[keys])) <= 1


NO_ANGLES = Premise("no angles", "every rotary angle is 0", _at_rest)
EQUAL_KEYS = Premise("equal keys", "the projected keys of the input are all equal", _equal_keys)


def _rotary(premise: Premise, symbolic: bool, hypotheses: tuple[Any, ...], conclusion: Any) -> Statement:
    def concludes(case: RotaryCase) -> bool:
        return (IS_SYMBOLIC if symbolic else IS_POSITIONAL).holds(case.table)

    return Statement(RotaryCase, (premise,), concludes, Implication(hypotheses, (conclusion,)))


nope_symbolic = Claim(
    id="dec.definitions.nope-symbolic",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A NoPE head is symbolic on every input",
    source=DEFINITIONS,
    latex=r"\theta_f = 0\ \forall f \ \Rightarrow\ M_{ab} = k_a^\top q\ \text{does not depend on } b",
    sentence="Without rotation the logit of a key does not depend on where the key stands.",
    domain="every real query and keys, any number of planes and keys",
    statement=_rotary(NO_ANGLES, True, _still, _by_position),
    proof=Proof(
        (
            ConcludeImplication(
                "plane by plane, the position drops out",
                ({0: DOT, 1: CROSS, 2: -DOT, 3: -CROSS},),
                "A plane's logit is c (q . k) + s (q x k) with (c, s) = (cos, sin) of angle times distance, and (1, 0) "
                "at both positions; a head's logit is the sum over its planes.",
            ),
        )
    ),
    mutants=(
        Mutant("positional", "positional instead of symbolic", _rotary(NO_ANGLES, False, _still, _by_content)),
        Mutant(
            "one plane turns",
            "all angles but the last are 0",
            _rotary(
                Premise(
                    "no angle but the last", "all rotary angles but the last are 0", lambda c: _at_rest(c, slice(-1))
                ),
                True,
                (),
                _by_position,
            ),
        ),
        Mutant(
            "half turns",
            "angles 0 or pi",
            _rotary(
                Premise("half turns", "every rotary angle is 0 or pi", lambda c: all(t[1] == 0 for t in c.turns)),
                True,
                (S1, S2, C1**2 - 1, C2**2 - 1),
                _by_position,
            ),
        ),
    ),
)

equal_keys_positional = Claim(
    id="dec.definitions.equal-keys-positional",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A RoPE head whose projected keys are all equal is positional",
    source=DEFINITIONS,
    latex=r"k_1=\dots=k_{n-1} \ \Rightarrow\ M_{ab} = k^\top R_{n-b}\,q\ \text{does not depend on } a",
    sentence="If all keys are one vector, only their distance to the query can make a difference.",
    domain="every real query and key, any angles, any number of planes and keys",
    statement=_rotary(EQUAL_KEYS, False, _same_key, _by_content),
    proof=Proof(
        (
            ConcludeImplication(
                "plane by plane, the content drops out",
                ({0: C1 * Q1 - S1 * Q2, 1: C1 * Q2 + S1 * Q1},),
                "A plane's logit is linear in the key, and the two contents have the same key.",
            ),
        )
    ),
    mutants=(
        Mutant("symbolic", "symbolic instead of positional", _rotary(EQUAL_KEYS, True, _same_key, _by_position)),
        Mutant(
            "all keys but one",
            "all keys but the last are equal",
            _rotary(
                Premise("equal but the last", "all keys but the last are equal", lambda c: _equal_keys(c, slice(-1))),
                False,
                (),
                _by_content,
            ),
        ),
        Mutant(
            "equal lengths",
            "keys of equal length only",
            _rotary(
                Premise(
                    "equal lengths",
                    "the keys are equally long in every plane",
                    lambda c: len({tuple(x * x + y * y for x, y in key) for key in c.keys}) == 1,
                ),
                False,
                (K1**2 + K2**2 - H1**2 - H2**2,),
                _by_content,
            ),
        ),
    ),
)

DEFINITION_CLAIMS = (
    positional,
    symbolic,
    both_constant,
    uniform_visible,
    uniform_earlier,
    uniform_repaired,
    nope_symbolic,
    equal_keys_positional,
)
