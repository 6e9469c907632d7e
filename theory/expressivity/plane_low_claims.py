"""The claims about low frequencies on Index (what DEC says of its trained toys, read as what heads can compute)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from headproof.theory.angles import Angle, ball, lower_decimal, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.cosine_sums import compare, value
from headproof.theory.derivation import Entailments, at_least, greater
from headproof.theory.expressivity.plane_heads import IndexCase, computes_index, computes_index_softly, index_margin
from headproof.theory.expressivity.plane_index_claims import (
    POSITIVE_WEIGHT,
    TWO_KEYS,
    TWO_SYMBOLS,
    WEIGHT_AT_LEAST_0,
    aliases,
)
from headproof.theory.expressivity.plane_index_proofs import PROOF_OF_NO_TIE, c, no_tie
from headproof.theory.expressivity.plane_low_proofs import PROOF_OF_SMALL_LEAD, PROOF_OF_SOFT, small_lead, soft
from headproof.theory.proof import Proof

TOYS = Source("DEC", "section on trained toys, figure of accuracies by frequency")


def _lead(constant: Fraction = Fraction(1, 2), last: int = 2, weight: Premise = POSITIVE_WEIGHT) -> Statement:
    """Where no multiple up to `n - last` aliases, H_POS is right and leads by at most `constant c theta^2`."""

    def holds(case: IndexCase) -> bool:
        if not computes_index(case):
            return False
        margin = index_margin(case)
        if margin is None:
            return True
        return compare(margin, ()) > 0 and sign(lambda: _square(case, constant) - value(margin)) > 0

    off = Premise(
        "no alias",
        f"no t theta with 1 <= t <= n - {last} is a multiple of 2 pi",
        lambda case: not aliases(case, last),
    )
    strict = greater(c) if weight is POSITIVE_WEIGHT else at_least(c)
    form = Entailments((no_tie(last, strict), small_lead(constant)))
    return Statement(IndexCase, (weight, off), holds, form, _lead_ratio)


def _square(case: IndexCase, constant: Fraction) -> arb:
    return ball(case.c * constant) * case.theta.enclosure() ** 2


def _lead_ratio(case: IndexCase) -> Fraction | None:
    margin = index_margin(case)
    if margin is None:
        return None
    return lower_decimal(lambda: value(margin) / _square(case, Fraction(1, 2)))


small_margin = Claim(
    id="dec.toy.index-needs-high.margin",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Every frequency that does not alias computes Index, a low one with a lead of at most theta^2 / 2",
    source=TOYS,
    latex=r"0 < \min_{j \ne k} \lambda_j - \lambda_k \le c (1 - \cos\theta) \le c\,\theta^2/2",
    sentence="If no t theta with 1 <= t <= n - 2 is a multiple of 2 pi and c > 0, H_POS is right on every Index input "
    "of length n; where there are two keys, its smallest lead of the target over another key is above 0 and at most "
    "c theta^2 / 2.",
    domain="every real angle that does not alias, however small, every length, every weight c > 0",
    statement=_lead(),
    proof=Proof((PROOF_OF_NO_TIE, PROOF_OF_SMALL_LEAD)),
    mutants=(
        Mutant("half the bound", "c theta^2 / 4", _lead(Fraction(1, 4))),
        Mutant("a third", "c theta^2 / 3", _lead(Fraction(1, 3))),
        Mutant("one multiple fewer", "no alias up to n - 3", _lead(last=3)),
        Mutant("no weight", "c >= 0", _lead(weight=WEIGHT_AT_LEAST_0)),
    ),
    witness=IndexCase(Angle.of_radians("1/1000"), 2, 3),
)

needs_high = Claim(
    id="dec.toy.index-needs-high",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A head with a low frequency alone must fail on Index",
    source=TOYS,
    latex=r"0 < |\theta| \le 1/100,\ n \ge 3\ \Rightarrow\ \text{no head of one plane is right on every Index input}",
    sentence="Read as a statement about what heads can compute: with a low frequency, 0 < |theta| <= 1/100, with two "
    "symbols and two keys or more, a head of one plane errs on some Index input under hard attention; here for the "
    "head H_POS, whatever its weight c > 0, which is enough to refute it.",
    domain="angles of at most 1/100 in size, every length n >= 3, two symbols or more, every weight c > 0; hard "
    "attention, ties averaged",
    statement=Statement(
        IndexCase,
        (
            POSITIVE_WEIGHT,
            TWO_SYMBOLS,
            TWO_KEYS,
            Premise("low frequency", "0 < |theta| <= 1/100", lambda case: _is_low(case.theta)),
        ),
        lambda case: not computes_index(case),
    ),
    repair=small_margin.id,
    survives="the lead shrinks with the square of the frequency, so under softmax the weight has to grow like "
    "1 / theta^2 (dec.toy.index-needs-high.softmax): a bound on what a trained head of bounded weight can do, none on "
    "what the frequency can",
    remarks=("The source prints no number for low; any other bound above 0 is refuted by the same head.",),
)


def _is_low(angle: Angle) -> bool:
    bound = Angle.of_radians("1/100")
    if angle.turns == 0:
        return 0 < abs(angle.radians) <= bound.radians
    return (bound - angle).is_positive and (bound + angle).is_positive


def _softly(keys: int = 4, constant: Fraction = Fraction(1, 2), least: int = 2, symbols: int = 2) -> Statement:
    premises = [
        Premise("long enough", f"n >= {keys}", lambda case: case.length >= keys),
        Premise("right under softmax", "H_POS is right on every input under softmax", computes_index_softly),
    ]
    premises += [TWO_SYMBOLS] * (symbols == 2)
    return Statement(
        IndexCase,
        tuple(premises),
        lambda case: sign(lambda: _square(case, constant).exp() - least) > 0,
        Entailments((soft(keys, constant, least, symbols),)),
    )


softmax = Claim(
    id="dec.toy.index-needs-high.softmax",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Under softmax a low frequency needs a weight of at least 2 log 2 / theta^2",
    source=TOYS,
    latex=r"H_{POS}\ \text{right under softmax at } n \ge 4\ \Rightarrow\ c\,\theta^2 / 2 > \log 2",
    sentence="If H_POS with weight c (times the inverse temperature) is right on every Index input of length n >= 4 "
    "under softmax, with two symbols or more, then c theta^2 > 2 log 2.",
    domain="every real angle, every real weight, every length n >= 4, two symbols or more",
    statement=_softly(),
    proof=Proof((PROOF_OF_SOFT,)),
    mutants=(
        Mutant("three tokens", "n >= 3", _softly(keys=3)),
        Mutant("half of it", "c theta^2 / 4 > log 2", _softly(constant=Fraction(1, 4))),
        Mutant("three", "c theta^2 / 2 > log 3", _softly(least=3)),
        Mutant("one symbol", "one symbol or more", _softly(symbols=1)),
    ),
    remarks=("A target between two others is outweighed unless each of the two has less than half its weight.",),
)

PLANE_LOW_CLAIMS = (needs_high, small_margin, softmax)
