"""The claims about one swap of two blocks: what its two scores depend on, and how they are tied to each other."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Source, Statement
from headproof.theory.derivation import Entailment, Entailments, equal, greater
from headproof.theory.proof import Proof
from headproof.theory.scores.cases import Pair, SwapCase
from headproof.theory.scores.swap_proofs import (
    IN_TABLE,
    PROOF_OF_CIRCLE,
    PROOF_OF_DIFFERENCE,
    PROOF_OF_MOVES,
    PROOF_OF_STAYS,
    PROOF_OF_TABLE,
    STEEP,
    TABLE_PRODUCTS,
    circle,
    d_i,
    d_j,
    difference,
    e_i,
    e_j,
    ii,
    ij,
    ji,
    jj,
    moves,
    of_the_table,
    read_off,
    rest,
    s,
    stays,
    t,
)

SCORES = Source("DEC", "the positional and the symbolic score")
UNIFORM = SwapCase(Fraction(1), Fraction(1), Fraction(1), Fraction(1))
EVERY_SWAP = "every real logit table, every block length, every swap, any attention to other keys"
Holds = Callable[[SwapCase], bool]


def on_swaps(conclusion: Holds, *forms: Entailment, ratio: Any = None) -> Statement:
    """A statement about every swap, without premises."""
    return Statement(SwapCase, (), conclusion, Entailments(forms), ratio)


# -- the normaliser ------------------------------------------------------------------------------------------------


def _from_table(case: SwapCase, further: Fraction = Fraction(0)) -> Pair:
    """The squares of the scores from the four sums, each with something added."""
    own, other = (case.ii + further, case.jj + further), (case.ji + further, case.ij + further)
    sizes = (own[0] ** 2 + own[1] ** 2) * (other[0] ** 2 + other[1] ** 2)
    return (
        (other[0] * own[0] + other[1] * own[1]) ** 2 / sizes,
        (other[0] * own[1] + other[1] * own[0]) ** 2 / sizes,
    )


def _with_rest(letter: Any) -> Any:
    put = {each: each + rest for each in (ii, jj, ij, ji)}
    return equal(letter**2 * IN_TABLE.subs(put), TABLE_PRODUCTS[letter].subs(put) ** 2)


def _gap_without_rest(case: SwapCase) -> bool:
    gap = case.before[1] - case.before[0]
    return case.squares == _from_table(case) and gap == (case.jj - case.ii) / (case.ii + case.jj) / case.length


normaliser = Claim(
    id="dec.scores.normaliser",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="All swaps are read off one table: the normalisers and all other keys drop out of the two scores",
    source=SCORES,
    latex=r"s_{pos}^2 = \frac{(E_{ji}E_{ii}+E_{ij}E_{jj})^2}{(E_{ii}^2+E_{jj}^2)(E_{ij}^2+E_{ji}^2)},\quad "
    r"s_{sym}^2 = \frac{(E_{ji}E_{jj}+E_{ij}E_{ii})^2}{(E_{ii}^2+E_{jj}^2)(E_{ij}^2+E_{ji}^2)}",
    sentence="Let E_ab be the sum of e^logit over the tokens of block content a at block position b. The two scores of "
    "a swap of blocks i and j, non-negative, have the squares given by the four numbers E_ii, E_jj, E_ij, E_ji; they "
    "depend neither on the block length nor on any key outside the two blocks.",
    domain=EVERY_SWAP,
    statement=on_swaps(lambda case: case.squares == _from_table(case), of_the_table()),
    proof=Proof((PROOF_OF_TABLE,)),
    mutants=(
        Mutant(
            "exchanged",
            "the positional score is the symbolic one",
            on_swaps(
                lambda case: case.squares[::-1] == _from_table(case),
                of_the_table(
                    (
                        equal(t**2 * IN_TABLE, TABLE_PRODUCTS[s] ** 2),
                        equal(s**2 * IN_TABLE, TABLE_PRODUCTS[t] ** 2),
                    )
                ),
            ),
        ),
        Mutant(
            "other keys",
            "with the attention to other keys added to each sum",
            on_swaps(
                lambda case: case.squares == _from_table(case, case.rest), of_the_table((_with_rest(s), _with_rest(t)))
            ),
        ),
        Mutant(
            "weights too",
            "the differences that weigh the swaps need no normaliser either",
            on_swaps(
                _gap_without_rest, of_the_table((read_off(s), read_off(t), equal((d_j - d_i) * (ii + jj), jj - ii)))
            ),
        ),
        Mutant(
            "no swap",
            "E_ii and E_jj in place of E_ji and E_ij",
            on_swaps(lambda case: case.squares[0] == 1, of_the_table((equal(s, 1),))),
        ),
    ),
    remarks=(
        "So the scores of all swaps cost what the table of block contents against block positions costs: no pass of "
        "the model and no softmax is repeated. DYN reports 10 GPU-hours for re-running each layer once a swap.",
        "The weights of the swaps, softmax of |d_i - d_j| over tau, do need a normaliser, that of the logits in use.",
        "With the logs L_ab of the sums: s_pos = cos(phi' - phi) and s_sym = sin(phi' + phi), where tan phi = "
        "e^(L_jj - L_ii) and tan phi' = e^(L_ij - L_ji).",
    ),
)

# -- the circle ----------------------------------------------------------------------------------------------------


def _four_means(case: SwapCase) -> Fraction:
    """`d_i d_j d'_i d'_j` over the squared sizes of both pairs."""
    (a, b), (c, d) = case.before, case.after
    return a * b * c * d / ((a * a + b * b) * (c * c + d * d))


def _round(factor: int = 4, sign: int = 1, most: Fraction = Fraction(2)) -> Holds:
    def holds(case: SwapCase) -> bool:
        return case.excess == sign * factor * _four_means(case) and 1 < sum(case.squares) <= most

    return holds


def _of_two(case: SwapCase) -> Fraction:
    return (case.excess + 1) / 2


circle_of_swap = Claim(
    id="dec.scores.circle",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The two scores of a swap lie outside the unit circle, near it wherever one block gets little",
    source=SCORES,
    latex=r"s_{pos}^2 + s_{sym}^2 = 1 + \frac{4\,d_i d_j d'_i d'_j}{(d_i^2+d_j^2)(d_i'^2+d_j'^2)} \in (1, 2]",
    sentence="For a swap of blocks with means d before and d' after, the squares of the two scores add up to 1 plus "
    "4 d_i d_j d'_i d'_j / ((d_i^2 + d_j^2) (d'_i^2 + d'_j^2)): more than 1, and at most 2.",
    domain=EVERY_SWAP,
    statement=on_swaps(_round(), circle(), ratio=_of_two),
    proof=Proof((PROOF_OF_CIRCLE,)),
    witness=UNIFORM,
    mutants=(
        Mutant("halved", "2 in place of 4", on_swaps(_round(2), circle(factor=2))),
        Mutant("inside", "1 minus that term", on_swaps(_round(sign=-1), circle(factor=-4))),
        Mutant(
            "on the circle",
            "the squares add up to 1",
            on_swaps(lambda case: case.excess == 0, circle(further=(equal(s**2 + t**2, 1),))),
        ),
        Mutant("three halves", "at most 3/2", on_swaps(_round(most=Fraction(3, 2)), circle(most=Fraction(3, 2)))),
    ),
    remarks=(
        "Where one of the two blocks gets almost no attention, before the swap or after it, the point lies almost on "
        "the circle, whatever the head does: s_sym is then sqrt(1 - s_pos^2). Two scores, one number.",
        "The two are low together for no swap: s_pos < 0.7 forces s_sym > 0.7. What excludes a head from being low on "
        "both is the definition of the scores, not the head.",
        "2 is attained where both means agree before the swap and after it, as under uniform attention.",
        "With the log ratios u = ln(d_j / d_i) and v = ln(d'_j / d'_i) the excess is 1 / (cosh u cosh v).",
    ),
)

# -- which of the two is larger ------------------------------------------------------------------------------------


def _steep(case: SwapCase, sign: int = 1, across: bool = False) -> bool:
    (a, b), (c, d) = case.before, case.after
    x, y = case.squares
    right = (b * b - a * a) * (d * d - c * c) if not across else (d * d - a * a) * (b * b - c * c)
    return (x - y) * (a * a + b * b) * (c * c + d * d) == sign * right


def _ordered(case: SwapCase) -> Fraction:
    (a, b), (c, d) = case.before, case.after
    return (b - a) * (d - c)


def _larger(order: Callable[[SwapCase], bool], sign: int = 1, across: bool = False) -> Holds:
    return lambda case: _steep(case, sign, across) and (case.squares[0] > case.squares[1]) == order(case)


_across = (e_j**2 - d_i**2) * (d_j**2 - e_i**2)
difference_of_scores = Claim(
    id="dec.scores.difference",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The positional score of a swap is the larger one exactly where the larger mean stays in place",
    source=SCORES,
    latex=r"s_{pos}^2 - s_{sym}^2 = \frac{(d_j^2-d_i^2)(d_j'^2-d_i'^2)}{(d_i^2+d_j^2)(d_i'^2+d_j'^2)}",
    sentence="The squares of the two scores of a swap differ by (d_j^2 - d_i^2) (d'_j^2 - d'_i^2) over the product of "
    "the two sums of squares; so s_pos > s_sym if and only if the same position has the larger mean before the swap "
    "and after it, strictly.",
    domain=EVERY_SWAP,
    statement=on_swaps(_larger(lambda case: _ordered(case) > 0), difference(), stays(), moves()),
    proof=Proof((PROOF_OF_DIFFERENCE, PROOF_OF_STAYS, PROOF_OF_MOVES)),
    mutants=(
        Mutant(
            "reversed",
            "the other sign",
            on_swaps(
                _larger(lambda case: _ordered(case) < 0, sign=-1),
                difference(-STEEP),
                stays(-(d_j - d_i) * (e_j - e_i)),
                moves(-(d_j - d_i) * (e_j - e_i)),
            ),
        ),
        Mutant(
            "ties",
            "equal means count as staying in place",
            on_swaps(_larger(lambda case: _ordered(case) >= 0), difference(), stays(strict=False), moves()),
        ),
        Mutant(
            "contents",
            "the larger mean goes with its content",
            on_swaps(_larger(lambda case: _ordered(case) > 0, across=True), difference(_across), stays(), moves()),
        ),
        Mutant(
            "larger content",
            "whenever block j has the larger mean before",
            on_swaps(
                _larger(lambda case: case.before[1] > case.before[0]),
                difference(),
                stays(d_j - d_i, greater(s, t)),
                moves(d_j - d_i),
            ),
        ),
    ),
    remarks=(
        "So which of the two is larger is a question of order alone: does the attention's larger mean stay where it "
        "was, or go with the content? How far apart they are is a question of how peaked both are: with the log ratios "
        "u = ln(d_j / d_i) and v = ln(d'_j / d'_i) the squares differ by tanh u tanh v.",
    ),
)

SWAP_CLAIMS = (normaliser, circle_of_swap, difference_of_scores)
