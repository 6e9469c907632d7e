"""The claims about the temperature that softmax needs (DYN, lemma F.1), in general and for both constructions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy
from flint import arb

from headproof.theory.angles import Angle, ball, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.discrepancy.index_proofs import h, n
from headproof.theory.discrepancy.temperature import (
    DecodingCase,
    TemperatureCase,
    decodes,
    decodes_from_some_beta_on,
    index_decodes,
)
from headproof.theory.discrepancy.temperature_proofs import (
    BOTH_SIDES,
    FOLDED,
    PROOF_OF_BOTH,
    PROOF_OF_COLD,
    PROOF_OF_FOLD,
    PROOF_OF_INDEX_TERM,
    PROOF_OF_SOME,
    PROOF_OF_STEP,
    PROOF_OF_WEIGHT,
    PROOF_OF_WINS,
    STEP,
    WEIGHT,
    a,
    cold,
    index_term,
    some_temperature,
    wins,
)
from headproof.theory.discrepancy.temperature_sums import NEXT, PROOF_OF_NEXT, proof_of_total, total
from headproof.theory.proof import Proof

LEMMA = Source("DYN", "lemma F.1")

# -- the lemma -----------------------------------------------------------------------------------------------------


def _beta_is_enough(share: int = 1, fewer: int = 0, strict: bool = True) -> Statement:
    """`k delta 2^(share beta gamma) > (n - k - fewer) D` implies that softmax decodes right."""

    def enough(case: DecodingCase) -> bool:
        left: Fraction = sum(case.best, Fraction(0)) * 2 ** (share * case.beta * int(case.gap))
        right = (len(case.others) - fewer) * case.worst
        return left > right if strict else left >= right

    premise = Premise("temperature", "k delta e^(beta gamma) > (n - k) D", enough)
    parts = (WEIGHT, STEP, wins(share, fewer, strict))
    return Statement(DecodingCase, (premise,), lambda case: decodes(case, case.beta), Entailments(parts))


explicit = Claim(
    id="dyn.lemmaF.1.explicit",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Lemma F.1 with its inverse temperature",
    source=LEMMA,
    latex=r"\beta > \frac{1}{\gamma} \ln\frac{(n-k) D}{k\,\delta} \Rightarrow "
    r"\text{softmax at } \beta \text{ decodes like average hard attention}",
    sentence="Let k of n keys share the largest logit, gamma be the gap below it, delta > 0 the lead of the right "
    "answer under average hard attention, and D >= 0 the most that another key can take from it. If "
    "k delta e^(beta gamma) > (n - k) D, softmax attention at the inverse temperature beta decodes right.",
    domain="every number of keys, all logits and scores",
    statement=_beta_is_enough(),
    proof=Proof((PROOF_OF_WEIGHT, PROOF_OF_STEP, PROOF_OF_WINS)),
    mutants=(
        Mutant("not strict", "at least", _beta_is_enough(strict=False)),
        Mutant("twice the gap", "2 gamma", _beta_is_enough(share=2)),
        Mutant("one key less", "n - k - 1", _beta_is_enough(fewer=1)),
    ),
    remarks=(
        "Sharp: if the other keys all lie gamma below the largest logit and each takes D, softmax fails at equality. "
        "The cases have logits in units of ln 2, so that all weights are rational.",
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
    domain="every number of keys, all logits and scores; over finitely many inputs the largest beta serves all",
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

# -- Index ---------------------------------------------------------------------------------------------------------


def log(times: int) -> arb:
    """The natural logarithm at the working precision."""
    return arb(times).log()


def exceeds(left: Callable[[], arb], right: Callable[[], arb]) -> bool:
    """Whether one real number is above another, exactly."""
    return sign(lambda: left() - right()) > 0


THREE = Premise("three tokens", "n0 >= 3", lambda case: case.n0 >= 3)
INDEX_RIGHT = Premise("decodes", "every integer query of up to n0 tokens is decoded right", index_decodes)


def _index_needs(
    square: Callable[[int], int], bound: Callable[[], arb], rivals: int, part: Entailment, least: Premise = THREE
) -> Statement:
    """`beta bound / square(h) > ln rivals`, with `h = floor((n0 - 1) / 2)`."""

    def conclusion(case: TemperatureCase) -> bool:
        squared = square((case.n0 - 1) // 2)
        return exceeds(lambda: ball(case.beta) * bound() / squared, lambda: log(rivals))

    return Statement(TemperatureCase, (least, INDEX_RIGHT), conclusion, Entailments((part, BOTH_SIDES)))


def _two_pi_squared() -> arb:
    return 2 * arb.pi() ** 2


index_needs = Claim(
    id="dyn.lemmaF.1.index.necessary",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: at every angle beta grows at least as n0^2",
    source=LEMMA,
    latex=r"\text{Index right up to } n_0 \ge 3 \Rightarrow "
    r"\beta > \frac{\ln 2}{2\pi^2} \left\lfloor\tfrac{n_0+1}{2}\right\rfloor^2",
    sentence="If softmax at inverse temperature beta lets the Index construction decode every integer query of all "
    "inputs of up to n0 >= 3 tokens, then beta > ln 2 / (2 pi^2) floor((n0 + 1) / 2)^2, whatever the angle.",
    domain="every real angle, every n0 >= 3, every beta >= 0",
    statement=_index_needs(lambda half: (half + 1) ** 2, _two_pi_squared, 2, cold()),
    proof=Proof((PROOF_OF_COLD, PROOF_OF_BOTH)),
    mutants=(
        Mutant(
            "as for a letter",
            "(2 floor((n0 + 1) / 2))^2",
            _index_needs(lambda half: (2 * half + 2) ** 2, _two_pi_squared, 2, cold((2 * h + 2) ** 2)),
        ),
        Mutant(
            "sixteen rivals",
            "ln 16",
            _index_needs(lambda half: (half + 1) ** 2, _two_pi_squared, 16, cold(rivals=16)),
        ),
        Mutant(
            "no pi",
            "2 instead of 2 pi^2",
            _index_needs(lambda half: (half + 1) ** 2, lambda: arb(2), 2, cold(bound=2)),
        ),
    ),
    remarks=("At theta = 2 pi / n0 the smallest beta is 0.0398 n0^2 for large n0; the bound is 0.0088 n0^2.",),
)


def _at_turn(step: int = 0) -> Premise:
    def holds(case: TemperatureCase) -> bool:
        return case.theta * (case.n0 + step) == Angle(Fraction(2))

    return Premise("angle", "theta = 2 pi / n0" if step == 0 else "theta = 2 pi / (n0 - 1)", holds)


def _index_has(
    squares: Callable[[int], Fraction], part: Entailment, angle: Premise, words: str = "8 beta >= ln(8/3) n0^2"
) -> Statement:
    def cold_enough(case: TemperatureCase) -> bool:
        return not exceeds(lambda: (arb(8) / 3).log() * ball(squares(case.n0)), lambda: 8 * ball(case.beta))

    parts = (part, FOLDED, NEXT, total(2, sympy.Rational(3, 8)))
    return Statement(
        TemperatureCase, (angle, Premise("temperature", words, cold_enough)), index_decodes, Entailments(parts)
    )


index_has = Claim(
    id="dyn.lemmaF.1.index.sufficient",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: an angle at which beta of order n0^2 is enough",
    source=LEMMA,
    latex=r"\theta = 2\pi/n_0,\ \beta \ge \tfrac{\ln(8/3)}{8} n_0^2 \Rightarrow \text{Index right up to } n_0",
    sentence="At theta = 2 pi / n0 every inverse temperature from ln(8/3) / 8 n0^2 on lets the Index construction "
    "decode every integer query of all inputs of up to n0 tokens. No logarithm of n0 enters.",
    domain="every n0 >= 2",
    statement=_index_has(lambda size: Fraction(size**2), index_term(), _at_turn()),
    proof=Proof((PROOF_OF_INDEX_TERM, PROOF_OF_FOLD, PROOF_OF_NEXT, proof_of_total(2, sympy.Rational(3, 8)))),
    mutants=(
        Mutant(
            "a quarter",
            "n0^2 / 4",
            _index_has(lambda size: Fraction(size**2, 4), index_term(n**2 / 4), _at_turn(), "32 beta >= ln(8/3) n0^2"),
        ),
        Mutant(
            "linear", "n0", _index_has(lambda size: Fraction(size), index_term(n), _at_turn(), "8 beta >= ln(8/3) n0")
        ),
        Mutant(
            "alias",
            "theta = 2 pi / (n0 - 1)",
            _index_has(lambda size: Fraction(size**2), index_term(turn=(n - 1) * a), _at_turn(-1)),
        ),
    ),
    remarks=(
        "A window of n0 tokens has every distance modulo n0 once, so all integer queries are equally hard. With "
        "dyn.lemmaF.1.index.necessary the smallest beta at the best angle is of the exact order n0^2.",
    ),
)

TEMPERATURE_CLAIMS = (lemma, explicit, index_needs, index_has)
