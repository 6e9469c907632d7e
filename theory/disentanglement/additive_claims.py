"""The claims about additivity: a table without interaction, and the two ways to measure the interaction of one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from sympy import Rational

from headproof.theory.averages import MeanSquare, MeansRelation
from headproof.theory.cases import TableCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Source, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.disentanglement.table_proofs import (
    PROOF_OF_MEAN_OF_SIZES,
    PROOF_OF_MORE_PLACES,
    PROOF_OF_NONE,
    PROOF_OF_PARTS,
    Content,
    M,
    Position,
    a,
    additive_if,
    b,
    m,
    mean_of_sizes,
    mean_squares,
    more_places,
    no_interaction,
    o,
    s,
    t,
    v,
)
from headproof.theory.disentanglement.table_proofs import (
    p as share,
)
from headproof.theory.disentanglement.tables import double_differences, effects, mean_square, mean_square_effect
from headproof.theory.proof import IN_WORDS, ConcludeMeans, Proof

ADDITIVITY = Source("GEN", "additivity of position and content for a single query")
EVERY_TABLE = "every real logit table, n >= 2"

Test = Callable[[TableCase], bool]

# -- no interaction ------------------------------------------------------------------------------------------------


def _sums(case: TableCase) -> bool:
    """Whether the table is the sum of its row means and of its column means less the grand mean."""
    return all(value == 0 for row in effects(case.rows) for value in row)


def _none(case: TableCase) -> bool:
    return all(value == 0 for value in double_differences(case.rows))


def _of_pairs(case: TableCase) -> bool:
    keys = range(case.size)
    rows = case.rows
    return all(rows[j][k] + rows[k][j] == rows[j][j] + rows[k][k] for j, k in product(keys, repeat=2))


def _rows_constant(case: TableCase) -> bool:
    return all(len(set(row)) == 1 for row in case.rows)


def _products(case: TableCase) -> bool:
    keys, rows = range(case.size), case.rows
    return all(rows[x][y] * rows[p][q] == rows[p][y] * rows[x][q] for x, y, p, q in product(keys, repeat=4))


def _equivalent(one: Test, other: Test, *forms: Entailment) -> Statement:
    return Statement(TableCase, (), lambda case: one(case) == other(case), Entailments(forms))


interaction = Claim(
    id="gen.additive.interaction",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="A table is additive exactly if it has no interaction",
    source=ADDITIVITY,
    latex=r"M_{ab}-M_{a_0b}-M_{ab_0}+M_{a_0b_0} = 0\ \forall a,a_0,b,b_0 \iff M_{ab} = c_a + d_b",
    sentence="Content and position add up in a table if and only if all its double differences vanish.",
    domain=EVERY_TABLE,
    statement=_equivalent(_none, _sums, no_interaction(), additive_if()),
    proof=Proof((PROOF_OF_NONE, PROOF_OF_PARTS)),
    mutants=(
        Mutant(
            "pairs of keys",
            "the double differences at two keys and their own two positions alone",
            _equivalent(_of_pairs, _sums, no_interaction(), additive_if(M(s, t) + M(t, s) - M(s, s) - M(t, t))),
        ),
        Mutant(
            "content alone",
            "M[a, b] = c_a",
            _equivalent(_none, _rows_constant, no_interaction(Content(s)), additive_if(conclusion=M(a, b) - M(a, o))),
        ),
        Mutant(
            "product",
            "M[a, b] = c_a d_b",
            _equivalent(
                _none,
                _products,
                no_interaction(Content(s) * Position(t)),
                additive_if(conclusion=M(a, b) * M(o, o) - M(a, o) * M(o, b)),
            ),
        ),
    ),
    remarks=("The parts are c_a = M[a, b0] and d_b = M[a0, b] - M[a0, b0] for any a0, b0, unique up to a constant.",),
)

# -- the mean square -----------------------------------------------------------------------------------------------


def _mean_squares(factor: int, form: MeansRelation, effect: Callable[[TableCase], Fraction]) -> Statement:
    def holds(case: TableCase) -> bool:
        return mean_square(double_differences(case.rows)) == factor * effect(case)

    return Statement(TableCase, (), holds, form)


def _around_rows(case: TableCase) -> Fraction:
    """The mean square of the entries less their row's mean."""
    means = [sum(row, Fraction(0)) / case.size for row in case.rows]
    return mean_square([value - mean for row, mean in zip(case.rows, means, strict=True) for value in row])


mean = Claim(
    id="gen.additive.mean",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The mean square of the double differences is four times that of the interaction effects",
    source=ADDITIVITY,
    latex=r"\frac{1}{m^4}\sum_{a,a_0,b,b_0} I(a,a_0,b,b_0)^2 = \frac{4}{m^2}\sum_{a,b} r_{ab}^2,\qquad "
    r"r_{ab} = M_{ab}-\bar M_{a\cdot}-\bar M_{\cdot b}+\bar M = \frac{1}{m^2}\sum_{a_0,b_0} I(a,a_0,b,b_0)",
    sentence="The interaction effect of the analysis of variance is the mean of the double differences over the other "
    "content and the other position, and the mean of all squared double differences is 4 times the mean of its square.",
    domain=EVERY_TABLE,
    statement=_mean_squares(4, mean_squares(), mean_square_effect),
    proof=Proof(
        (
            ConcludeMeans(
                "both sides have one normal form",
                (),
                "I(a, a0, b, b0) = r_ab - r_a0b - r_ab0 + r_a0b0, and r has mean 0 along each row and column: the four "
                "squares have one mean, and the products have mean 0.",
            ),
        )
    ),
    mutants=(
        Mutant("twice", "2 instead of 4", _mean_squares(2, mean_squares(2), mean_square_effect)),
        Mutant("once", "1 instead of 4", _mean_squares(1, mean_squares(1), mean_square_effect)),
        Mutant(
            "around rows",
            "the entries less their row's mean instead of the interaction effects",
            _mean_squares(4, mean_squares(4, MeanSquare(M(a, b) - M(a, v), (a, b))), _around_rows),
        ),
    ),
    remarks=(
        "In the normal form every letter runs over all keys by itself; a0 = a and b0 = b are among the m^4 terms.",
    ),
)

# -- the largest ---------------------------------------------------------------------------------------------------

Share = Callable[[int], Fraction]


def _mean_of_doubles(case: TableCase, elsewhere: bool) -> bool:
    """Whether each effect is the mean of its double differences, over all places or over those in another row and
    column."""
    keys, rows = range(case.size), case.rows
    for x, y in product(keys, repeat=2):
        places = [(p, q) for p, q in product(keys, repeat=2) if not elsewhere or (p != x and q != y)]
        found = [rows[x][y] - rows[p][y] - rows[x][q] + rows[p][q] for p, q in places]
        if found and sum(found, Fraction(0)) / len(found) != effects(rows)[x][y]:
            return False
    return True


def _sizes(case: TableCase, share: Share) -> tuple[Fraction, Fraction]:
    effect = max(abs(value) for row in effects(case.rows) for value in row)
    return effect, share(case.size) * max(abs(value) for value in double_differences(case.rows))


def _largest(share: Share, *forms: Entailment, elsewhere: bool = False) -> Statement:
    def holds(case: TableCase) -> bool:
        effect, bound = _sizes(case, share)
        return effect <= bound and _mean_of_doubles(case, elsewhere)

    def ratio(case: TableCase) -> Fraction | None:
        effect, bound = _sizes(case, share)
        return effect / bound if bound else None

    return Statement(TableCase, (), holds, Entailments(forms), ratio)


def _square_of(offset: int, power: int = 2) -> Share:
    return lambda size: Fraction(max(size - offset, 0), size) ** power


largest = Claim(
    id="gen.additive.largest",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The largest interaction effect against the largest double difference",
    source=ADDITIVITY,
    latex=r"r_{ab} = \frac{1}{m^2}\sum_{a_0,b_0} I(a,a_0,b,b_0),\qquad "
    r"\max_{a,b}|r_{ab}| \le \left(\frac{m-1}{m}\right)^2\max_{a,a_0,b,b_0}|I(a,a_0,b,b_0)|",
    sentence="Each interaction effect is the mean of the m^2 double differences of its place with all places, of which "
    "2 m - 1 vanish; so it is at most (1 - 1/m)^2 times the largest of them.",
    domain=EVERY_TABLE,
    statement=_largest(_square_of(1), more_places(), mean_of_sizes()),
    proof=Proof((PROOF_OF_MORE_PLACES, PROOF_OF_MEAN_OF_SIZES)),
    mutants=(
        Mutant(
            "a quarter",
            "at most a quarter of the largest double difference",
            _largest(lambda size: Fraction(1, 4), more_places(), mean_of_sizes(Rational(1, 4))),
        ),
        Mutant(
            "cubed",
            "(1 - 1/m)^3 instead of its square",
            _largest(_square_of(1, 3), more_places(), mean_of_sizes(share**3)),
        ),
        Mutant(
            "elsewhere",
            "the mean over the (m - 1)^2 places in another row and column",
            _largest(_square_of(1), more_places(), mean_of_sizes(places=(m - 1) ** 2), elsewhere=True),
        ),
    ),
    witness=TableCase.of([[1, 0], [0, 0]]),
    remarks=("Attained by a table with one entry that is not 0, at every m.", IN_WORDS),
)

ADDITIVE_CLAIMS = (interaction, mean, largest)
