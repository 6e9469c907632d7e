"""The claims about what the scores of a swap see of a logit table, and how near the unit circle its point lies."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant
from headproof.theory.derivation import equal
from headproof.theory.proof import Proof
from headproof.theory.scores.cases import Pair, SwapCase
from headproof.theory.scores.effect_proofs import (
    EFFECTS,
    GROWS,
    MAIN,
    P_,
    PROOF_OF_EFFECTS,
    PROOF_OF_GROWS,
    PROOF_OF_LARGER,
    PROOF_OF_NEAR,
    PROOF_OF_NOT_LARGER,
    Q_,
    SPAN,
    P,
    Q,
    effects,
    larger,
    near,
    not_larger,
    r,
)
from headproof.theory.scores.swap_claims import EVERY_SWAP, SCORES, UNIFORM, Holds, on_swaps
from headproof.theory.scores.swap_proofs import PROOF_OF_TABLE, from_table, ii, ij, ji, jj, of_the_table, s, t

# -- main effects --------------------------------------------------------------------------------------------------


def powers(case: SwapCase) -> Pair:
    """`P = e^(4F)` and `Q = e^(4G)`."""
    return case.jj * case.ij / (case.ii * case.ji), case.jj * case.ji / (case.ii * case.ij)


def _doubled(power: Fraction) -> Fraction:
    """`P + 1/P = 2 cosh 4F`."""
    return power + 1 / power


def _size(power: Fraction) -> Fraction:
    """`e^(4|F|)`."""
    return max(power, 1 / power)


def _closed(case: SwapCase) -> Pair:
    first, second = map(_doubled, powers(case))
    return (2 + first) / (first + second), (2 + second) / (first + second)


Order = Callable[[Fraction, Fraction], bool]


def _effects(squares: Callable[[SwapCase], Pair] = _closed, order: Order = lambda p, q: _size(p) > _size(q)) -> Holds:
    return lambda case: case.squares == squares(case) and (case.squares[0] > case.squares[1]) == order(*powers(case))


def _with_interaction(case: SwapCase) -> Pair:
    """As if the swapped contents' interaction, `e^(4I)`, counted with the content."""
    interaction = case.ii * case.jj / (case.ij * case.ji)
    first, second = map(_doubled, powers(case))
    return (2 + first) / (first + second), (2 + second) * interaction / (first + second)


_forms = (larger(), not_larger(), GROWS, of_the_table())
_interacting = from_table(
    EFFECTS,
    (equal(s**2 * SPAN, 2 + P + P_), equal(t**2 * SPAN * ij * ji, (2 + Q + Q_) * ii * jj)),
    MAIN,
)
main_effects = Claim(
    id="dec.scores.main-effects",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The two scores of a swap see the main effects of position and content, not their interaction",
    source=SCORES,
    latex=r"L = \mu \pm F \pm G \pm I:\quad s_{pos}^2 = \frac{c^2}{c^2+d^2-1},\ s_{sym}^2 = \frac{d^2}{c^2+d^2-1},"
    r"\quad c = \cosh 2F,\ d = \cosh 2G",
    sentence="Write the logs of the four sums of a swap as mu plus or minus F by position, G by content and I by both "
    "(I where content and position belong together, -I where not). Then s_pos = c / sqrt(c^2 + d^2 - 1) and s_sym = "
    "d / sqrt(c^2 + d^2 - 1) with c = cosh 2F and d = cosh 2G, whatever mu and I are; s_pos > s_sym if and only if "
    "|F| > |G|.",
    domain=EVERY_SWAP,
    statement=on_swaps(_effects(), effects(), *_forms),
    proof=Proof((PROOF_OF_EFFECTS, PROOF_OF_LARGER, PROOF_OF_NOT_LARGER, PROOF_OF_GROWS, PROOF_OF_TABLE)),
    mutants=(
        Mutant(
            "exchanged",
            "F and G exchanged",
            on_swaps(
                _effects(lambda case: _closed(case)[::-1], lambda p, q: _size(p) < _size(q)),
                effects(2 + Q + Q_, 2 + P + P_),
                larger(Q + Q_ - P - P_),
                not_larger(P + P_ - Q - Q_),
                GROWS,
                of_the_table(),
            ),
        ),
        Mutant(
            "interaction",
            "the symbolic score also depends on I",
            on_swaps(_effects(_with_interaction), _interacting, *_forms),
        ),
        Mutant(
            "position alone",
            "s_pos depends on F alone",
            on_swaps(
                _effects(lambda case: (Fraction(1), _closed(case)[1])), effects(positional=P + P_ + Q + Q_), *_forms
            ),
        ),
        Mutant(
            "ties",
            "s_pos > s_sym if |F| = |G|",
            on_swaps(_effects(order=lambda p, q: _size(p) >= _size(q)), effects(), larger(strict=False), *_forms[1:]),
        ),
        Mutant(
            "signed",
            "s_pos > s_sym if and only if F > G",
            on_swaps(_effects(order=lambda p, q: p > q), effects(), larger(P - Q), not_larger(Q - P), GROWS),
        ),
    ),
    remarks=(
        "P = e^(4F) = E_jj E_ij / (E_ii E_ji) and Q = e^(4G) = E_jj E_ji / (E_ii E_ij) are what is computed; I enters "
        "neither. P + 1/P = 2 cosh 4F = 4 c^2 - 2 grows with |F|.",
        "So one swap cannot tell logits that add up from position and content (GEN, the additive fit) from logits in "
        "which these interact; exclusion (dec.thm1) can. All swaps together tell some interaction: in a table that "
        "adds up F_ij + F_jk = F_ik; and I enters the weights.",
        "The distance to the circle, 1 / (c^2 + d^2 - 1), tells how large the main effects are together, the direction "
        "which of them is larger: s_pos / s_sym = cosh 2F / cosh 2G.",
        "For blocks of one token L is the 2 x 2 table of logits itself.",
    ),
)

# -- near the circle -----------------------------------------------------------------------------------------------


def _ratio(pair: Pair) -> Fraction:
    return min(pair) / max(pair)


def _shares(case: SwapCase) -> Pair:
    return _ratio(case.before), _ratio(case.after)


def _between(lower: Fraction, upper: Fraction, second: Callable[[Pair], Fraction] = lambda shares: shares[1]) -> Holds:
    def holds(case: SwapCase) -> bool:
        shares = _shares(case)
        product = shares[0] * second(shares)
        return lower * product <= case.excess <= upper * product

    return holds


_ONE, _FOUR = Fraction(1), Fraction(4)
near_the_circle = Claim(
    id="dec.scores.circle.near",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="How near to the circle: the smaller over the larger mean, before times after the swap",
    source=SCORES,
    latex=r"r\,r' \le s_{pos}^2 + s_{sym}^2 - 1 \le 4\,r\,r',\quad r = \frac{\min(d_i,d_j)}{\max(d_i,d_j)},\ "
    r"r' = \frac{\min(d'_i,d'_j)}{\max(d'_i,d'_j)}",
    sentence="Let r be the smaller over the larger of the two means before a swap and r' the same after it. Then "
    "s_pos^2 + s_sym^2 - 1 lies between r r' and 4 r r'.",
    domain=EVERY_SWAP,
    statement=on_swaps(
        _between(_ONE, _FOUR), near(), ratio=lambda case: _shares(case)[0] * _shares(case)[1] / case.excess
    ),
    proof=Proof((PROOF_OF_NEAR,)),
    witness=UNIFORM,
    mutants=(
        Mutant("twice", "at least 2 r r'", on_swaps(_between(Fraction(2), _FOUR), near(lower=2))),
        Mutant("three", "at most 3 r r'", on_swaps(_between(_ONE, Fraction(3)), near(upper=3))),
        Mutant(
            "before alone",
            "r^2 in place of r r'",
            on_swaps(_between(_ONE, _FOUR, lambda shares: shares[0]), near(ratio=r)),
        ),
    ),
    remarks=(
        "Both constants are the best: r r' is attained where all four means agree, 4 r r' is approached as r and r' "
        "go to 0.",
        "One of the two blocks gets little attention, compared with the other, before or after: that is all that a "
        "point near the circle says. At a temperature such as 1e-4 the swaps with the largest |d_i - d_j| count: where "
        "attention has a peak, they pair it with a block that gets little.",
    ),
)

EFFECT_CLAIMS = (main_effects, near_the_circle)
