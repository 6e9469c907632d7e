"""The claims about the temperature that the Index construction needs (DYN, lemma F.1)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from headproof.theory.angles import Angle, ball, sign
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.cosine_sums import value
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.discrepancy import IndexCase, best_other
from headproof.theory.discrepancy.index_proofs import PROOF_OF_EACH_LAGS, each_lags, h, n
from headproof.theory.discrepancy.temperature import (
    TemperatureCase,
    index_decodes,
)
from headproof.theory.discrepancy.temperature_claims import LEMMA, THREE, exceeds, log
from headproof.theory.discrepancy.temperature_proofs import (
    BOTH_SIDES,
    FOLDED,
    PROOF_OF_BOTH,
    PROOF_OF_COLD,
    PROOF_OF_FOLD,
    PROOF_OF_INDEX_TERM,
    PROOF_OF_STEP,
    PROOF_OF_WEIGHT,
    PROOF_OF_WINS,
    STEP,
    WEIGHT,
    a,
    cold,
    index_term,
    wins,
)
from headproof.theory.discrepancy.temperature_sums import NEXT, PROOF_OF_NEXT, proof_of_total, total
from headproof.theory.proof import Proof

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
    domain="every real angle, every n0 >= 3, every beta >= 0; two letters or more, integers up to n0 - 1",
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
    domain="every n0 >= 2; two letters or more, integers up to n0 - 1; letter queries are right at less",
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


def _nearest_lag(
    reach: int = -1, share: int = 1, fewer: int = 0, strict: bool = True, symbolic_reach: Any = n - 1
) -> Statement:
    """`e^(share beta gamma) > n0 - 1 - fewer` is enough, gamma the least `1 - cos(u theta)`, `1 <= u <= n0 + reach`."""

    def cold_enough(case: TemperatureCase) -> bool:
        lag = best_other(IndexCase(case.theta, case.n0), case.n0 + reach)
        keys = case.n0 - 1 - fewer
        if lag is None or keys <= 0:
            return True
        excess = sign(lambda: share * ball(case.beta) * value(lag) - log(keys))
        return excess > 0 if strict else excess >= 0

    premise = Premise("temperature", "e^(beta gamma) > n0 - 1", cold_enough)
    parts = (each_lags(symbolic_reach), WEIGHT, STEP, wins(share, fewer, strict))
    return Statement(TemperatureCase, (premise,), index_decodes, Entailments(parts))


index_any = Claim(
    id="dyn.lemmaF.1.index.any-angle",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Index: at any angle beta above ln(n0 - 1) over the smallest gap is enough",
    source=LEMMA,
    latex=r"\beta > \frac{\ln(n_0-1)}{\gamma},\ \gamma = 1 - \max_{1 \le u < n_0} \cos u\theta > 0 \Rightarrow "
    r"\text{Index right up to } n_0",
    sentence="With gamma the least 1 - cos(u theta) over 1 <= u < n0, e^(beta gamma) > n0 - 1 lets the Index "
    "construction decode every integer query of all inputs of up to n0 tokens.",
    domain="every real angle, where places alias (gamma = 0) nothing is said, every n0 >= 2, every beta >= 0; two "
    "letters or more, integers up to n0 - 1; letter queries are right at less",
    statement=_nearest_lag(),
    proof=Proof((PROOF_OF_EACH_LAGS, PROOF_OF_WEIGHT, PROOF_OF_STEP, PROOF_OF_WINS)),
    mutants=(
        Mutant("not strict", "at least", _nearest_lag(strict=False)),
        Mutant("twice the gap", "2 gamma", _nearest_lag(share=2)),
        Mutant("one key less", "n0 - 2", _nearest_lag(fewer=1)),
        Mutant("nearer", "u < n0 - 1", _nearest_lag(reach=-2, symbolic_reach=n - 2)),
    ),
    remarks=(
        "gamma is at most 2 pi^2 / n0^2 (dyn.thm3.2.index.best-other). At equality softmax fails for n0 = 2, and for "
        "n0 = 3 where cos theta >= cos 2 theta: the middle query has both other keys at gamma. From n0 = 4 on equality "
        "is enough: all other keys at gamma would make cos theta = cos 2 theta and 3 theta a full turn.",
    ),
)

INDEX_TEMPERATURE_CLAIMS = (index_needs, index_has, index_any)
