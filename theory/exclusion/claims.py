"""The claims about exclusion (dec.thm1): statements, mutants and proofs."""

from __future__ import annotations

import sympy

from headproof.theory.cases import TableCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Source
from headproof.theory.proof import ConcludeRelation, Expansion, Proof, Rewrite, Square
from headproof.theory.statements import COUNTING, of_relation
from headproof.theory.sums import (
    Relation,
    Sum,
    Term,
    lj,
    lk,
    m,
    mean_of,
    pjk,
    pkj,
)

THEOREM_1 = Source("DEC", "theorem 1")
factorial = sympy.factorial
half = sympy.Rational(1, 2)

# delta_sym: content j at the position of k.   delta_pos: content k = pi(j) at position j.
SYMBOLIC_SQUARE = (pjk - lj) ** 2
POSITIONAL_SQUARE = (pkj - lj) ** 2
BOTH_SQUARES = POSITIONAL_SQUARE + SYMBOLIC_SQUARE
BOUND: Sum = (Term(1 / (factorial(m) * m), "permutations", BOTH_SQUARES),)
VARIANCE: Sum = (Term(1 / m, "keys", (lj - mean_of[lj]) ** 2),)
SLACK: Sum = (Term(2 / m**2, "unequal pairs", (pjk - (lj + lk) / 2) ** 2),)


def scaled(total: Sum, factor: sympy.Expr) -> Sum:
    """A sum with all its weights multiplied."""
    return tuple(Term(term.weight * factor, term.over, term.summand) for term in total)


def _bound(summand: sympy.Expr) -> Sum:
    return (Term(1 / (factorial(m) * m), "permutations", summand),)


# -- dec.thm1 as printed ---------------------------------------------------------------------------------------

TO_PAIRS = Rewrite(
    "the bound is a sum over pairs of keys",
    BOUND,
    (Term(1 / m**2, "pairs", BOTH_SQUARES),),
    "By the counting, a sum over permutations and keys is (m-1)! times the sum over pairs (j, k), and "
    "(m-1)! / (m! m) = 1/m^2. This is the closed form: it costs O(m^2).",
)
BY_ENTRY = Rewrite(
    "each entry off the diagonal is compared with both of its logits",
    TO_PAIRS.right,
    (Term(1 / m**2, "unequal pairs", (pjk - lj) ** 2 + (pjk - lk) ** 2),),
    "The diagonal contributes nothing, and exchanging the names j and k turns (M_kj - lambda_j)^2 into "
    "(M_jk - lambda_k)^2.",
)
PARALLELOGRAM = Expansion(
    "parallelogram law",
    (pjk - lj) ** 2 + (pjk - lk) ** 2,
    half * (lj - lk) ** 2 + 2 * (pjk - (lj + lk) / 2) ** 2,
    "The squared distances of a number to two others are half their squared distance from each other plus twice "
    "the squared distance to their mean.",
)
VARIANCE_BY_PAIRS = Rewrite(
    "the variance is a sum over pairs",
    VARIANCE,
    (Term(1 / (2 * m**2), "unequal pairs", (lj - lk) ** 2),),
    "Expand the square around the mean; the square of a sum is the sum over all pairs of products.",
)
IDENTITY = Rewrite(
    "the exclusion identity: bound = variance + slack",
    BOUND,
    VARIANCE + SLACK,
    "Sum the parallelogram law over all entries off the diagonal, with weight 1/m^2.",
)
SLACK_SQUARE = Square(2 / m**2, pjk - (lj + lk) / 2)
CHAIN = (COUNTING, TO_PAIRS, BY_ENTRY, PARALLELOGRAM, VARIANCE_BY_PAIRS, IDENTITY)

# Smallest table on which both sides agree and are not zero; it is 2 x 2 with logits 0 and 1.
ATTAINED = TableCase.of([["0", "1/2"], ["1/2", "1"]])


def mutant(name: str, title: str, relation: Relation, stronger: bool = False) -> Mutant:
    """A mutant that is a relation between sums."""
    return Mutant(name, title, of_relation(relation), stronger)


theorem_1 = Claim(
    id="dec.thm1",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Exclusion: the variance of the logits is at most the sum of the two deviations",
    source=THEOREM_1,
    latex=r"\mathrm{Var}(\lambda) = \frac{1}{n-1}\sum_{j<n}(\lambda_j-\mu)^2 \le "
    r"\frac{\|\delta_{pos}\|^2+\|\delta_{sym}\|^2}{(n-1)!\,(n-1)}",
    sentence="A head whose logits vary deviates from positional and from symbolic behaviour, taken together, by at "
    "least as much.",
    domain="every real logit table, n >= 2",
    statement=of_relation(Relation(VARIANCE, "<=", BOUND)),
    proof=Proof((*CHAIN, ConcludeRelation("the slack is a sum of squares", (SLACK_SQUARE,), "It is never negative."))),
    mutants=(
        mutant("halved", "the constant halved", Relation(VARIANCE, "<=", scaled(BOUND, half))),
        mutant("reversed", "the inequality reversed", Relation(BOUND, "<=", VARIANCE)),
        mutant(
            "positional only", "the symbolic deviation left out", Relation(VARIANCE, "<=", _bound(POSITIONAL_SQUARE))
        ),
        mutant("symbolic only", "the positional deviation left out", Relation(VARIANCE, "<=", _bound(SYMBOLIC_SQUARE))),
        mutant(
            "off by one",
            "divided by (n-1)! n instead of (n-1)! (n-1)",
            Relation(VARIANCE, "<=", scaled(BOUND, m / (m + 1))),
        ),
        mutant(
            "n factorial",
            "divided by n! (n-1) instead of (n-1)! (n-1)",
            Relation(VARIANCE, "<=", scaled(BOUND, 1 / (m + 1))),
        ),
        mutant(
            "cyclic shifts",
            "the n-1 cyclic shifts of the keys instead of all (n-1)! permutations",
            Relation(VARIANCE, "<=", (Term(1 / m**2, "shifts", BOTH_SQUARES),)),
            stronger=True,
        ),
    ),
    witness=ATTAINED,
    remarks=(
        "Nothing about heads is used: the theorem is about any square table of real numbers.",
        "Any set of permutations in which each key meets each position equally often, divided by its number, gives the "
        "same right side; the n-1 cyclic shifts are such a set, and none has fewer members.",
    ),
)


def _closed(weight: sympy.Expr, summand: sympy.Expr) -> Relation:
    literal = (Term(sympy.Integer(1), "permutations", BOTH_SQUARES),)
    return Relation(literal, "==", (Term(weight, "pairs", summand),))


closed_form = Claim(
    id="dec.thm1.closed-form",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The sum over permutations in closed form",
    source=THEOREM_1,
    latex=r"\|\delta_{pos}\|^2+\|\delta_{sym}\|^2 = (n-2)!\sum_{j,k<n}"
    r"\left[(M_{kj}-\lambda_j)^2+(M_{jk}-\lambda_j)^2\right]",
    sentence="The (n-1)! permutations collapse to one pass over the table, in time O(n^2).",
    domain="every real logit table, n >= 2",
    statement=of_relation(_closed(factorial(m - 1), BOTH_SQUARES)),
    proof=Proof((COUNTING, ConcludeRelation("both sides have one normal form", (), "By the counting."))),
    mutants=(
        mutant("m factorial", "(n-1)! instead of (n-2)!", _closed(factorial(m), BOTH_SQUARES)),
        mutant("halved", "the constant halved", _closed(factorial(m - 1) / 2, BOTH_SQUARES)),
        mutant(
            "one deviation twice",
            "the positional deviation counted twice",
            _closed(factorial(m - 1), 2 * POSITIONAL_SQUARE),
        ),
    ),
)

identity = Claim(
    id="dec.thm1.identity",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The exclusion identity: the bound is the variance plus an explicit slack",
    source=THEOREM_1,
    latex=r"\frac{\|\delta_{pos}\|^2+\|\delta_{sym}\|^2}{(n-1)!\,(n-1)} = \mathrm{Var}(\lambda) + "
    r"\frac{2}{(n-1)^2}\sum_{j \ne k}\left(M_{jk}-\frac{\lambda_j+\lambda_k}{2}\right)^2",
    sentence="What the two deviations exceed the variance by is how far the other entries of the table are from the "
    "mean of their two logits.",
    domain="every real logit table, n >= 2",
    statement=of_relation(Relation(BOUND, "==", VARIANCE + SLACK)),
    proof=Proof((*CHAIN, ConcludeRelation("both sides have one normal form", (), "By the steps above."))),
    mutants=(
        mutant("slack halved", "the slack halved", Relation(BOUND, "==", VARIANCE + scaled(SLACK, half))),
        mutant(
            "one logit",
            "the entries compared with lambda_j instead of the mean",
            Relation(BOUND, "==", (*VARIANCE, Term(2 / m**2, "unequal pairs", SYMBOLIC_SQUARE))),
        ),
        mutant("sign", "the slack subtracted", Relation(BOUND, "==", VARIANCE + scaled(SLACK, -sympy.Integer(1)))),
        mutant(
            "off by one",
            "the slack divided by (n-1) n instead of (n-1)^2",
            Relation(BOUND, "==", VARIANCE + scaled(SLACK, m / (m + 1))),
        ),
    ),
)


def _equality(*conditions: sympy.Expr) -> Relation:
    return Relation(VARIANCE, "<=", BOUND, equality_conditions=conditions)


equality = Claim(
    id="dec.thm1.equality",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="When the bound is attained",
    source=THEOREM_1,
    latex=r"\mathrm{Var}(\lambda) = \mathrm{bound} \iff M_{jk} = \tfrac12(\lambda_j+\lambda_k)\ \text{for all } j\ne k",
    sentence="The bound is attained exactly by tables that add a content part and an equal position part.",
    domain="every real logit table, n >= 2",
    statement=of_relation(_equality(2 * pjk - lj - lk)),
    proof=Proof(
        (*CHAIN, ConcludeRelation("a sum of squares vanishes term by term", (SLACK_SQUARE,), "All weights are > 0."))
    ),
    mutants=(
        mutant("symbolic", "attained exactly by symbolic tables", _equality(pjk - lj)),
        mutant("symmetric", "attained exactly by symmetric tables", _equality(pjk - pkj)),
        mutant("balanced", "attained as soon as M_jk + M_kj = lambda_j + lambda_k", _equality(pjk + pkj - lj - lk)),
        mutant("constant", "attained by constant logits only", _equality(lj - lk)),
    ),
    remarks=(
        "Such a table is M[a, b] = u_a + u_b with u = lambda/2. In the terms of GEN: additivity is necessary for "
        "equality and not sufficient, since the content part and the position part must also agree up to a constant.",
    ),
)
THEOREMS = (theorem_1, closed_form, identity, equality)

# Of the bound, in float64; `residual_tolerance` derives less for the sizes of the prompts.
IDENTITY_TOLERANCE = 1e-12

ON_HEADS = (
    Claim(
        id="dec.thm1.identity-on-heads",
        kind=Kind.EMPIRICAL,
        fidelity=Fidelity.OURS,
        title="The exclusion identity, computed on the tables of a real model's heads",
        source=THEOREM_1,
        latex=r"\left|\mathrm{bound}-\mathrm{Var}(\lambda)-\mathrm{slack}\right| \le 10^{-12}\,\mathrm{bound}",
        sentence="On every head of the model, at several prompts and query positions, the terms add up. The identity "
        "holds for any table, noise included, so this checks the arithmetic of the code; it says nothing about the "
        "model. That the tables are the model's own is checked before, by conformance.",
        domain="all heads of one model, several prompts and query positions, float64",
        criterion="SUPPORTED if |bound - variance - slack| <= 1e-12 bound for every head, query position and prompt, "
        "and the identity with its slack halved fails by more than that on every head with a positive slack",
        controls=("slack halved",),
        supported_by=lambda numbers: 0 <= numbers["largest residual over bound"] <= IDENTITY_TOLERANCE,
    ),
    Claim(
        id="dec.thm1.ratio-on-heads",
        kind=Kind.EMPIRICAL,
        fidelity=Fidelity.OURS,
        title="Variance over bound tells a trained model from two random ones",
        source=THEOREM_1,
        latex=r"\mathrm{median}_{\mathrm{heads}}\ \mathrm{Var}(\lambda)/\mathrm{bound}",
        sentence="The median over heads of variance over bound differs between the trained model and both a fresh "
        "initialisation and the trained matrices with their entries shuffled.",
        domain="all heads of one model against two nulls of several seeds, several prompts and query positions",
        criterion="SUPPORTED if for each of the two nulls the 95 % bootstrap interval (layers, prompts and null seeds "
        "resampled) of the difference of the medians leaves out 0; NOT SUPPORTED otherwise",
        controls=("fresh against itself", "shuffled against itself"),
        supported_by=lambda numbers: all(
            numbers[f"median ratio, trained - {null}, 2.5 %"] > 0
            or numbers[f"median ratio, trained - {null}, 97.5 %"] < 0
            for null in ("fresh", "shuffled")
        ),
        remarks=(
            "A quick run measures a part of the full run's prompts and null seeds; where their verdicts differ, the "
            "full run's is the one to cite. (The criterion came before any run, this sentence after both.)",
            "Control, added later: one seed of a null must not be told from its other seeds, or nothing is SUPPORTED.",
            "The difference from each null is also reported for each query position by itself.",
            "A difference of medians is no classifier: the figure `exclusion` shows how far the distributions overlap.",
        ),
    ),
)
