"""The claims about a head's score at a low temperature: that of one swap, or of the swaps of one block."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import exp

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.proof import Proof
from headproof.theory.scores.cases import ColdCase, PeakCase
from headproof.theory.scores.cold_proofs import (
    OFF_BY,
    OTHER_SWAPS,
    PROOF_OF_BELOW,
    PROOF_OF_COLD,
    PROOF_OF_LIGHT,
    PROOF_OF_OFF,
    PROOF_OF_OTHERS,
    PROOF_OF_SHARE,
    WEIGHT_OF_SWAP,
    E,
    b,
    below,
    cold,
    gap,
    n,
    share,
    third,
    top,
    y,
)
from headproof.theory.scores.swap_claims import SCORES

# -- one swap ------------------------------------------------------------------------------------------------------

BETWEEN = Premise("scores", "the scores lie between 0 and 1", lambda case: all(0 <= each <= 1 for each in case.scores))


def _bound(count: int, gap: int) -> Fraction:
    weight = count * Fraction(2) ** -gap
    return weight / (1 + weight)


def _distance(case: ColdCase) -> Fraction:
    return abs(case.score - case.scores[case.largest])


def _near(fewer: int = 1, share: int = 1, rank: int = 1) -> Callable[[ColdCase], bool]:
    return lambda case: _distance(case) <= _bound(case.count - fewer, share * case.gap(rank))


def _cold(holds: Callable[[ColdCase], bool], form: Entailment, ratio: Any = None) -> Statement:
    return Statement(ColdCase, (BETWEEN,), holds, Entailments((WEIGHT_OF_SWAP, OTHER_SWAPS, OFF_BY, form)), ratio)


cold_scores = Claim(
    id="dec.scores.cold",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="At a low temperature a head's score is that of one swap, if one stands out",
    source=SCORES,
    latex=r"|s - s_{\max}| \le \frac{N-1}{e^{g/\tau} + N - 1}",
    sentence="Of N >= 2 swaps let one have the largest |d_i - d_j|, and let g be how far it lies above the second "
    "largest. Then the head's score at temperature tau differs from that swap's by at most (N - 1) / (e^(g / tau) + N "
    "- 1).",
    domain="every number of swaps, all differences, all scores between 0 and 1, every tau > 0",
    statement=_cold(_near(), cold(), lambda case: _distance(case) / _bound(case.count - 1, case.gap())),
    proof=Proof((PROOF_OF_LIGHT, PROOF_OF_OTHERS, PROOF_OF_OFF, PROOF_OF_COLD)),
    witness=ColdCase((Fraction(1), Fraction(0), Fraction(0)), (Fraction(1), Fraction(0), Fraction(0))),
    mutants=(
        Mutant("one swap fewer", "N - 2", _cold(_near(fewer=2), cold(others=n - 1))),
        Mutant("twice the gap", "e^(2 g / tau)", _cold(_near(share=2), cold(weight=exp(-2 * b * gap)))),
        Mutant(
            "gap to the least",
            "g counts from the smallest difference",
            _cold(_near(rank=-1), cold(weight=E * exp(-b * y))),
        ),
    ),
    remarks=(
        "DYN takes tau = 1e-4. Then a score is that of ONE swap to within 1e-3 as soon as g > 1e-4 ln(1e3 (N - 1)), "
        "which is 0.0015 for 3,160 swaps (80 blocks).",
        "The largest difference is that of the largest and the smallest mean, the second largest that with the second "
        "smallest mean (or of the second largest mean): where many means are small, g is far below tau, and "
        "dec.scores.cold.peak is the claim that applies.",
        "Sharp: attained where all other swaps lie g below, the largest scores 1 and the others 0; a swap's scores "
        "come as near to 1 and 0 as one likes.",
        "The cases have differences in units of tau ln 2, so that all weights are rational.",
    ),
)

# -- one block -----------------------------------------------------------------------------------------------------


def _others(case: PeakCase, fewer: int = 1) -> int:
    """The number of swaps among all blocks but so many."""
    blocks = len(case.means) - fewer
    return blocks * (blocks - 1) // 2


def _small(fewer: int = 1, times: int = 1, rank: int = 1) -> Callable[[PeakCase], bool]:
    return lambda case: case.share_of_others <= _bound(_others(case, fewer), times * case.lead(rank))


def _peak(holds: Callable[[PeakCase], bool], *forms: Entailment, ratio: Any = None) -> Statement:
    return Statement(PeakCase, (), holds, Entailments((WEIGHT_OF_SWAP, OTHER_SWAPS, *forms)), ratio)


peak = Claim(
    id="dec.scores.cold.peak",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="At a low temperature a head's scores are about the swaps of one block, the one with the largest mean",
    source=SCORES,
    latex=r"\sum_{1 \notin \{i,j\}} \alpha_{ij} \le \frac{K}{e^{h/\tau} + K},\quad K = \binom{m-1}{2},\ "
    r"h = d_1 - d_2,\ d_1 \ge d_2 \ge \dots \ge d_m",
    sentence="Of m >= 3 blocks let one have the largest mean, by a lead of h over the second largest. Then the swaps "
    "that leave this block alone, K = (m - 1) (m - 2) / 2 of them, have a total weight of at most K / (e^(h / tau) + "
    "K).",
    domain="every number of blocks, all means, every tau > 0",
    statement=_peak(
        _small(),
        below(),
        share(),
        ratio=lambda case: case.share_of_others / _bound(_others(case), case.lead()),
    ),
    proof=Proof((PROOF_OF_LIGHT, PROOF_OF_OTHERS, PROOF_OF_BELOW, PROOF_OF_SHARE)),
    witness=PeakCase((Fraction(16), Fraction(15), Fraction(0))),
    mutants=(
        Mutant("one block fewer", "K = (m - 2) (m - 3) / 2", _peak(_small(fewer=2), below(), share(others=n - 1))),
        Mutant("twice the lead", "e^(2 h / tau)", _peak(_small(times=2), below(), share(weight=exp(-2 * b * gap)))),
        Mutant(
            "lead over the third",
            "h counts from the third largest mean",
            _peak(_small(rank=2), below(top - third), share()),
        ),
    ),
    remarks=(
        "At DYN's tau = 1e-4 the swaps without the most attended block have a weight below 1e-3 together as soon as it "
        "leads by more than 1e-4 ln(1e3 K): 0.0015 of the attention for 80 blocks. Such a score tells what becomes of "
        "one block's attention, and nothing of how the head treats the others.",
        "Approached where the second mean is far above the third, in units of tau, and the lead is not.",
        "The cases have means in units of tau ln 2, so that all weights are rational.",
    ),
)

COLD_CLAIMS = (cold_scores, peak)
