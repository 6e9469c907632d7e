"""The claims about the temperature that softmax needs (DYN, lemma F.1), in general."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from headproof.theory.angles import sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.discrepancy.temperature import (
    DecodingCase,
    decodes,
    decodes_from_some_beta_on,
)
from headproof.theory.discrepancy.temperature_proofs import (
    PROOF_OF_SOME,
    PROOF_OF_STEP,
    PROOF_OF_WEIGHT,
    PROOF_OF_WINS,
    STEP,
    WEIGHT,
    some_temperature,
    wins,
)
from headproof.theory.proof import Proof

LEMMA = Source("DYN", "lemma F.1")

# -- the lemma -----------------------------------------------------------------------------------------------------


NOT_HOT = Premise("not negative", "beta >= 0", lambda case: case.beta >= 0)


def _beta_is_enough(share: int = 1, fewer: int = 0, strict: bool = True) -> Statement:
    """`k delta 2^(share beta gamma) > (n - k - fewer) D` implies that softmax decodes right."""

    def enough(case: DecodingCase) -> bool:
        left: Fraction = sum(case.best, Fraction(0)) * Fraction(2) ** (share * case.beta * int(case.gap))
        right = (len(case.others) - fewer) * case.worst
        return left > right if strict else left >= right

    premise = Premise("temperature", "k delta e^(beta gamma) > (n - k) D", enough)
    parts = (WEIGHT, STEP, wins(share, fewer, strict))
    return Statement(DecodingCase, (NOT_HOT, premise), lambda case: decodes(case, case.beta), Entailments(parts))


explicit = Claim(
    id="dyn.lemmaF.1.explicit",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Lemma F.1 with its inverse temperature",
    source=LEMMA,
    latex=r"\beta \ge 0,\ k\,\delta\, e^{\beta\gamma} > (n-k) D \Rightarrow "
    r"\text{softmax at } \beta \text{ decodes like average hard attention}",
    sentence="Let k of n keys share the largest logit, gamma be the gap below it, delta > 0 the lead of the right "
    "answer under average hard attention, and D >= 0 the most that another key can take from it. If "
    "k delta e^(beta gamma) > (n - k) D, softmax attention at an inverse temperature beta >= 0 decodes right.",
    domain="every number of keys, all logits and scores, every beta >= 0; the output affine in the attention weights",
    statement=_beta_is_enough(),
    proof=Proof((PROOF_OF_WEIGHT, PROOF_OF_STEP, PROOF_OF_WINS)),
    mutants=(
        Mutant("not strict", "at least", _beta_is_enough(strict=False)),
        Mutant("twice the gap", "2 gamma", _beta_is_enough(share=2)),
        Mutant("one key less", "n - k - 1", _beta_is_enough(fewer=1)),
    ),
    remarks=(
        "Sharp: if the other keys all lie gamma below the largest logit and each takes D, softmax fails at equality. "
        "The cases have logits in units of ln 2, so that all weights are rational. Where D > 0 and k < n the condition "
        "reads beta > ln((n - k) D / (k delta)) / gamma.",
        "The scores are affine in the attention weights, as they are before the next layer's activation: the right "
        "answer's lead is the weighted mean of what the keys give.",
        "Over all inputs up to n0 take the smallest gamma, k delta and the largest D, n: finitely many inputs.",
    ),
)


def _exists(
    premise: Premise, part: Entailment, conclusion: Callable[[DecodingCase], bool] = decodes_from_some_beta_on
) -> Statement:
    return Statement(DecodingCase, (premise,), conclusion, Entailments((part, WEIGHT, STEP, wins())))


DECODING_GAP = Premise("decoding gap", "delta > 0", lambda case: sum(case.best) > 0)
lemma = Claim(
    id="dyn.lemmaF.1",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="Lemma F.1: where hard attention decodes with a gap, softmax does at some temperature",
    source=LEMMA,
    latex=r"\delta > 0 \Rightarrow \exists \beta_0\ \forall \beta \ge \beta_0:\ \text{softmax decodes the same}",
    sentence="If the decoding gap under average hard attention is positive, softmax attention decodes the same from "
    "some inverse temperature on.",
    domain="every number of keys, all logits and scores, the output affine in the attention weights; over finitely "
    "many inputs the largest beta serves all",
    statement=_exists(DECODING_GAP, some_temperature()),
    proof=Proof((PROOF_OF_SOME, PROOF_OF_WEIGHT, PROOF_OF_STEP, PROOF_OF_WINS)),
    mutants=(
        Mutant(
            "no gap",
            "delta >= 0",
            _exists(Premise("decoding gap", "delta >= 0", lambda case: sum(case.best) >= 0), some_temperature(False)),
        ),
        Mutant(
            "one of the best",
            "one key with the largest logit is for the answer",
            _exists(Premise("decoding gap", "max D_j > 0", lambda case: max(case.best) > 0), some_temperature(False)),
        ),
        Mutant(
            "every temperature",
            "beta = 0 will do",
            _exists(DECODING_GAP, some_temperature(True, False), lambda case: decodes(case, 0)),
        ),
    ),
    remarks=("The print's proof was not at hand; the steps here are ours.",),
)

# -- what the claims on the constructions share --------------------------------------------------------------------


def log(times: int) -> arb:
    """The natural logarithm at the working precision."""
    return arb(times).log()


def exceeds(left: Callable[[], arb], right: Callable[[], arb]) -> bool:
    """Whether one real number is above another, exactly."""
    return sign(lambda: left() - right()) > 0


THREE = Premise("three tokens", "n0 >= 3", lambda case: case.n0 >= 3)

TEMPERATURE_CLAIMS = (lemma, explicit)
