"""The claims about a head's scores as averages over swaps, at any temperature and at low ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.proof import Proof
from headproof.theory.scores.average_proofs import (
    ALL_ONE,
    AT_MOST,
    NO_MORE,
    PROOF_OF_ALL_ONE,
    PROOF_OF_AT_MOST,
    PROOF_OF_AVERAGE,
    PROOF_OF_NO_MORE,
    PROOF_OF_ONE_MORE,
    PROOF_OF_ONLY,
    PROOF_OF_SUM,
    average_above,
    one_more,
    only,
    sum_above,
    y,
)
from headproof.theory.scores.cases import AverageCase
from headproof.theory.scores.swap_claims import SCORES

NOT_NEGATIVE = Premise("weights", "no weight is negative", lambda case: min(case.weights) >= 0)
POSITIVE = Premise("positive weights", "every weight is positive", lambda case: min(case.weights) > 0)
NORMAL = Premise("sum 1", "the weights add up to 1", lambda case: sum(case.weights) == 1)
EVERY_AVERAGE = "every number of swaps, every weights, every logit table"


def _on_averages(
    premises: tuple[Premise, ...], conclusion: Callable[[AverageCase], bool], *forms: Entailment
) -> Statement:
    return Statement(AverageCase, premises, conclusion, Entailments(forms) if forms else None)


# -- the line and the circle ---------------------------------------------------------------------------------------


def _above(least: Fraction = Fraction(1)) -> Callable[[AverageCase], bool]:
    return lambda case: sum(case.average) > least


def _outside(case: AverageCase) -> bool:
    x, y = case.average
    return x * x + y * y >= 1


def _share(case: AverageCase) -> Fraction:
    positional, symbolic = case.average
    return 1 / (positional + symbolic)


_ELEVEN_TENTHS = Fraction(11, 10)
average = Claim(
    id="dec.scores.average",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The two scores of a head add up to more than 1",
    source=SCORES,
    latex=r"\alpha \ge 0,\ \sum\alpha = 1 \ \Rightarrow\ \sum \alpha\, s_{pos} + \sum \alpha\, s_{sym} > 1",
    sentence="Averaged over swaps with any weights that are not negative and add up to 1, the positional and the "
    "symbolic score add up to more than 1.",
    domain=EVERY_AVERAGE,
    statement=Statement(
        AverageCase,
        (NOT_NEGATIVE, NORMAL),
        _above(),
        Entailments((sum_above(), one_more(), average_above())),
        ratio=_share,
    ),
    proof=Proof((PROOF_OF_SUM, PROOF_OF_ONE_MORE, PROOF_OF_AVERAGE)),
    witness=AverageCase((Fraction(1, 1000),), (Fraction(1, 1000),), (Fraction(1),)),
    mutants=(
        Mutant(
            "more",
            "more than 11/10",
            _on_averages(
                (NOT_NEGATIVE, NORMAL),
                _above(_ELEVEN_TENTHS),
                sum_above(_ELEVEN_TENTHS),
                one_more(),
                average_above(_ELEVEN_TENTHS),
            ),
        ),
        Mutant(
            "any weights",
            "negative weights too",
            _on_averages((NORMAL,), _above(), sum_above(), one_more(weighed=False), average_above()),
        ),
        Mutant(
            "any sum",
            "weights that do not add up to 1",
            _on_averages((NOT_NEGATIVE,), _above(), sum_above(), one_more(), average_above(normal=False)),
        ),
    ),
    remarks=(
        "1 is the best constant, for one swap too: a swap that leaves a block with all attention and another with "
        "almost none has scores near (1, 0). And each point (x, y) in (0, 1] x (0, 1] with x + y > 1 is an average of "
        "the swaps' points (1, x + y - 1) and (x + y - 1, 1), so nothing more can be said of averages "
        "with any weights; whether the softmax weights of one table reach every point is left open.",
        "A head cannot score below 1/2 on both, whatever it does. What excludes it is the definition of the scores.",
    ),
)

average_circle = Claim(
    id="dec.scores.average.circle",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The two scores of a head lie on the unit circle or outside it, as those of a swap do",
    source=SCORES,
    latex=r"\alpha \ge 0,\ \sum\alpha = 1 \ \Rightarrow\ "
    r"\left(\sum \alpha\, s_{pos}\right)^2 + \left(\sum \alpha\, s_{sym}\right)^2 \ge 1",
    sentence="Averaged over swaps with any weights that are not negative and add up to 1, the squares of the two "
    "scores add up to 1 or more.",
    domain=EVERY_AVERAGE,
    statement=_on_averages((NOT_NEGATIVE, NORMAL), _outside),
    repair=average.id,
    survives="the sum of the two scores, instead of their squares, is above 1, so the squares add up to more than 1/2; "
    "and where one swap has almost all weight (dec.scores.cold) the head's point is nearly that swap's",
    remarks=(
        "By hand: one swap near (1, 0) and one near (0, 1) average near (1/2, 1/2). So a head inside the circle mixes "
        "swaps of both kinds: that, unlike a point on the circle, does say something about it.",
    ),
)

# -- an average of 1 -----------------------------------------------------------------------------------------------


def _one_means(which: int, scored: int) -> Callable[[AverageCase], bool]:
    def holds(case: AverageCase) -> bool:
        return (case.average[which] == 1) == all(pair[scored] == 1 for pair in case.scores)

    return holds


def _both_of(holds: Callable[[int, int], Callable[[AverageCase], bool]], turn: int) -> Callable[[AverageCase], bool]:
    return lambda case: all(holds(which, which ^ turn)(case) for which in (0, 1))


_one = _both_of(_one_means, 0)
average_one = Claim(
    id="dec.scores.average.one",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="A head's score is 1 exactly where it is 1 on every swap",
    source=SCORES,
    latex=r"\alpha > 0,\ \sum\alpha = 1 \ \Rightarrow\ \left(\sum \alpha\, s = 1 \iff s(i,j) = 1\ \forall i,j\right)",
    sentence="Averaged over swaps with positive weights that add up to 1, such as those of any temperature above 0, a "
    "score is 1 if and only if it is 1 on every swap.",
    domain=EVERY_AVERAGE,
    statement=_on_averages((POSITIVE, NORMAL), _one, NO_MORE, AT_MOST, only(), ALL_ONE),
    proof=Proof((PROOF_OF_NO_MORE, PROOF_OF_AT_MOST, PROOF_OF_ONLY, PROOF_OF_ALL_ONE)),
    mutants=(
        Mutant(
            "weights of 0",
            "weights that are not negative",
            _on_averages((NOT_NEGATIVE, NORMAL), _one, NO_MORE, AT_MOST, only(positive=False), ALL_ONE),
        ),
        Mutant(
            "any sum",
            "weights that do not add up to 1",
            _on_averages((POSITIVE,), _one, NO_MORE, AT_MOST, only(normal=False), ALL_ONE),
        ),
        Mutant(
            "exchanged",
            "exactly where the other score is 1 on every swap",
            _on_averages((POSITIVE, NORMAL), _both_of(_one_means, 1), NO_MORE, AT_MOST, only(one=y), ALL_ONE),
        ),
    ),
    remarks=(
        "So dec.scores.faithful.positional.exactly and .symbolic.exactly are about heads at any temperature above 0.",
    ),
)

AVERAGE_CLAIMS = (average, average_circle, average_one)
