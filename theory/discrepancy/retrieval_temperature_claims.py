"""The claims about the temperature that the Retrieval construction needs, by the kind of query (DYN, lemma F.1)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from headproof.theory.angles import Angle, ball
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailment, Entailments
from headproof.theory.discrepancy.index_proofs import n, theta
from headproof.theory.discrepancy.retrieval_gap_proofs import (
    PROOF_OF_BEATS,
    PROOF_OF_LAST_MATCH,
    PROOF_OF_NEAR_MATCH,
    beats,
    last_match,
    near_match,
    omega,
)
from headproof.theory.discrepancy.retrieval_temperature_proofs import (
    PROOF_OF_COPY_TERM,
    PROOF_OF_NEAREST,
    PROOF_OF_RIVALS,
    PROOF_OF_SO_COLD,
    PROOF_OF_TWO,
    copy_term,
    nearest,
    rivals,
    so_cold,
    two_nearest,
)
from headproof.theory.discrepancy.temperature import TemperatureCase, letters_decode, numbers_decode
from headproof.theory.discrepancy.temperature_claims import LEMMA, THREE, exceeds, log
from headproof.theory.discrepancy.temperature_proofs import (
    PROOF_OF_STEP,
    PROOF_OF_WEIGHT,
    PROOF_OF_WINS,
    STEP,
    WEIGHT,
    wins,
)
from headproof.theory.discrepancy.temperature_sums import NEXT, PROOF_OF_NEXT, proof_of_total, total
from headproof.theory.proof import Proof

ANGLE = Premise("angle", "theta > 0", lambda case: case.theta.is_positive)
ALLOWED = Premise(
    "allowed", "theta <= omega / (2 n0)", lambda case: (case.omega - case.theta * (2 * case.n0)).is_nonnegative
)
NONNEGATIVE_ANGLE = Premise("angle", "theta >= 0", lambda case: case.theta.is_nonnegative)
NUMBERS_RIGHT = Premise("decodes", "every letter-number query of up to n0 tokens is decoded right", numbers_decode)


def _omega(case: TemperatureCase) -> arb:
    return 2 * arb.pi() / case.letters


def _numbers_need(
    factor: int, part: Entailment, least: Premise = THREE, rivals: int = 2, allowed: bool = True
) -> Statement:
    """`beta omega^2 / (factor n0^2) > ln rivals`."""

    def conclusion(case: TemperatureCase) -> bool:
        return exceeds(lambda: ball(case.beta) * _omega(case) ** 2 / (factor * case.n0**2), lambda: log(rivals))

    premises = (NONNEGATIVE_ANGLE, *((ALLOWED,) if allowed else ()), least, NUMBERS_RIGHT)
    return Statement(TemperatureCase, premises, conclusion, Entailments((part,)))


numbers_need = Claim(
    id="dyn.lemmaF.1.retrieval.necessary",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval over all proper inputs: beta grows at least as n0^2 too",
    source=LEMMA,
    latex=r"0 \le \theta \le \omega/(2n_0),\ \text{Retrieval right on all proper inputs up to } n_0 \ge 3 "
    r"\Rightarrow \beta > 2\ln 2\, n_0^2/\omega^2",
    sentence="If softmax at inverse temperature beta lets the Retrieval construction keep every letter-number query "
    "of all proper inputs of up to n0 >= 3 tokens, at an angle that the print allows, then "
    "beta > 2 ln 2 n0^2 / omega^2: the query competes with copies of another pair of the same left letter, told "
    "apart by their places alone.",
    domain="two letters or more, 0 <= theta <= omega / (2 n0), every n0 >= 3, every beta >= 0",
    statement=_numbers_need(2, two_nearest()),
    proof=Proof((PROOF_OF_TWO,)),
    mutants=(
        Mutant("a quarter of the angle", "8 n0^2", _numbers_need(8, two_nearest(8))),
        Mutant("sixteen rivals", "ln 16", _numbers_need(2, two_nearest(rivals=16), rivals=16)),
        Mutant("any angle", "no bound on theta", _numbers_need(2, two_nearest(allowed=False), allowed=False)),
    ),
    remarks=(
        "The answer of a letter-number query is the query itself; (x,5) after copies of (x,6) is proper, since no "
        "pair of letters names x. With 8 letters the smallest beta at theta = omega / (2 n0) is 4.53 n0^2 for large "
        "n0, a hundred times that of Index at 2 pi / n0. So over all proper inputs both constructions need beta of "
        "order n0^2; the contrast between them appears only for letter-letter queries "
        "(dyn.lemmaF.1.retrieval.letter-queries), or if no input may hold two pairs of one left letter.",
    ),
)


def _numbers_have(share: Fraction, part: Entailment, allowed: bool = True) -> Statement:
    """`2 beta theta^2 >= share ln 2 pi^2` is enough."""

    def cold_enough(case: TemperatureCase) -> bool:
        return not exceeds(
            lambda: ball(share) * arb(2).log() * arb.pi() ** 2,
            lambda: 2 * ball(case.beta) * case.theta.enclosure() ** 2,
        )

    words = f"2 beta theta^2 >= {'' if share == 1 else f'{share} '}ln 2 pi^2"
    premises = (ANGLE, *((ALLOWED,) if allowed else ()), Premise("temperature", words, cold_enough))
    parts = (beats(), part, NEXT, total(1, sympy.Rational(1, 2)))
    return Statement(TemperatureCase, premises, numbers_decode, Entailments(parts))


numbers_have = Claim(
    id="dyn.lemmaF.1.retrieval.sufficient",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval's letter-number queries: beta of order 1 / theta^2 is enough",
    source=LEMMA,
    latex=r"0 < \theta \le \omega/(2n_0),\ \beta \ge \frac{\pi^2 \ln 2}{2\theta^2} \Rightarrow "
    r"\text{every letter-number query right up to } n_0",
    sentence="At an angle that the print allows every inverse temperature from pi^2 ln 2 / (2 theta^2) on lets the "
    "Retrieval construction keep every letter-number query of all proper inputs of up to n0 tokens; at "
    "theta = omega / (2 n0) that is 2 pi^2 ln 2 n0^2 / omega^2.",
    domain="two letters or more, 0 < theta <= omega / (2 n0), every n0 >= 2",
    statement=_numbers_have(Fraction(1), copy_term()),
    proof=Proof((PROOF_OF_BEATS, PROOF_OF_COPY_TERM, PROOF_OF_NEXT, proof_of_total(1, sympy.Rational(1, 2)))),
    mutants=(
        Mutant("a seventh", "pi^2 ln 2 / (14 theta^2)", _numbers_have(Fraction(1, 7), copy_term(sympy.Rational(1, 7)))),
        Mutant("a ninth", "pi^2 ln 2 / (18 theta^2)", _numbers_have(Fraction(1, 9), copy_term(sympy.Rational(1, 9)))),
        Mutant("any angle", "no bound on theta", _numbers_have(Fraction(1), copy_term(allowed=False), allowed=False)),
    ),
    remarks=(
        "A query that attends to itself is a match at place 0; a key of a wrong letter is never nearer than a copy at "
        "the same place, so copies of another pair of the same left letter are the worst.",
        "Letter-letter queries need less: their smallest lead is of order 1 / n0 at least "
        "(dyn.lemmaF.1.retrieval.all-queries.sufficient).",
    ),
)

NO_ANGLE = Premise("no angle", "theta = 0", lambda case: case.theta == Angle(Fraction(0)))


def _letters(
    step: int, part: tuple[Entailment, Entailment], lag: Callable[[TemperatureCase], arb] | None = None
) -> Statement:
    """Right if and only if `e^(beta lag) > n0 + step`."""

    def closed(case: TemperatureCase) -> bool:
        keys = case.n0 + step
        if keys <= 0:
            return True
        return exceeds(lambda: ball(case.beta) * (lag(case) if lag else 1 - case.omega.cos()), lambda: arb(keys).log())

    return Statement(
        TemperatureCase,
        (NO_ANGLE,),
        lambda case: letters_decode(case) == closed(case),
        Entailments(part),
    )


def _two_letters(case: TemperatureCase) -> arb:
    return 1 - (case.omega * 2).cos()


_TWO_OFF: Any = 1 - sympy.cos(2 * omega)
letters = Claim(
    id="dyn.lemmaF.1.retrieval.letter-queries",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval's letter-letter queries at theta = 0: beta grows as ln n0, exactly",
    source=LEMMA,
    latex=r"\theta = 0:\ \text{every letter-letter query right up to } n_0 \iff "
    r"\beta > \frac{\ln(n_0 - 1)}{1 - \cos\omega}",
    sentence="At theta = 0 softmax lets the Retrieval construction decode every letter-letter query of all proper "
    "inputs of up to n0 tokens if and only if e^(beta (1 - cos omega)) > n0 - 1: one match among copies of the "
    "query's own pair, whose left letter is next to the wanted one.",
    domain="two letters or more, every n0 >= 2, every beta >= 0",
    statement=_letters(-1, (rivals(), nearest())),
    proof=Proof((PROOF_OF_RIVALS, PROOF_OF_NEAREST)),
    mutants=(
        Mutant("one key more", "n0", _letters(0, (rivals(n), nearest(n)))),
        Mutant("one key less", "n0 - 2", _letters(-2, (rivals(n - 2), nearest(n - 2)))),
        Mutant(
            "two letters off",
            "1 - cos(2 omega)",
            _letters(-1, (rivals(lag=_TWO_OFF), nearest(lag=_TWO_OFF)), _two_letters),
        ),
    ),
    remarks=(
        "In floating point for 8 letters and n0 from 8 to 4096: at theta = omega / (16 n0) the smallest beta is 3.4 to "
        "3.7 times ln n0; at omega / (2 n0), the edge of what the print allows, it is 2.1 to 2.6 times n0.",
    ),
)


def _letters_have(
    times: int = 1, fewer: int = 1, allowed: bool = True, parts: tuple[Entailment, ...] = (near_match(), last_match())
) -> Statement:
    """`e^(times beta V) > n0 - fewer` is enough, V the smallest lead at length n0."""

    def cold_enough(case: TemperatureCase) -> bool:
        def left() -> arb:
            last = case.omega - case.theta * (case.n0 - 1)
            return times * ball(case.beta) * ((case.theta * (case.n0 - 2)).cos() - last.cos())

        return case.n0 <= fewer or exceeds(left, lambda: log(case.n0 - fewer))

    premise = Premise("temperature", "e^(beta V) > n0 - 1", cold_enough)
    premises = (NONNEGATIVE_ANGLE, *((ALLOWED,) if allowed else ()), premise)
    return Statement(
        TemperatureCase, premises, letters_decode, Entailments((*parts, WEIGHT, STEP, wins(times, fewer - 1)))
    )


_WIDE = 4 * omega - 2 * (n - 1) * theta
letters_have = Claim(
    id="dyn.lemmaF.1.retrieval.letter-queries.sufficient",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval's letter-letter queries at every allowed angle: beta of order ln n0 over the smallest lead",
    source=LEMMA,
    latex=r"0 \le \theta \le \omega/(2n_0),\ \beta > \frac{\ln(n_0-1)}{V} \Rightarrow "
    r"\text{every letter-letter query right up to } n_0,\ V = \cos((n_0-2)\theta) - \cos(\omega-(n_0-1)\theta)",
    sentence="With V = cos((n0 - 2) theta) - cos(omega - (n0 - 1) theta), the smallest lead, e^(beta V) > n0 - 1 lets "
    "the Retrieval construction decode every letter-letter query of all proper inputs of up to n0 tokens.",
    domain="two letters or more, 0 <= theta <= omega / (2 n0), every n0 >= 2, every beta >= 0",
    statement=_letters_have(),
    proof=Proof((PROOF_OF_NEAR_MATCH, PROOF_OF_LAST_MATCH, PROOF_OF_WEIGHT, PROOF_OF_STEP, PROOF_OF_WINS)),
    mutants=(
        Mutant("half", "beta V > ln(n0 - 1) / 2", _letters_have(times=2)),
        Mutant("one key less", "n0 - 2", _letters_have(fewer=2)),
        Mutant(
            "any angle",
            "no bound on theta",
            _letters_have(allowed=False, parts=(near_match(room=_WIDE), last_match(room=_WIDE))),
        ),
    ),
    remarks=(
        "For any fixed share of omega / (2 n0) below 1 the lead V has a positive limit, so beta of order ln n0 is "
        "enough. At the largest angle V is about (3 omega / 2) sin(omega / 2) / n0, and the smallest beta is of "
        "order n0 as measured, without the logarithm: only the last few places come near.",
    ),
)


def _all_have(share: Fraction, part: Entailment, letters_part: Entailment, allowed: bool = True) -> Statement:
    """Both kinds of query, at the temperature of the letter-number queries."""
    numbers = _numbers_have(share, part, allowed)
    parts = (*numbers.form.parts, letters_part, near_match(), last_match(), WEIGHT, STEP, wins())
    return Statement(
        TemperatureCase,
        numbers.premises,
        lambda case: numbers_decode(case) and letters_decode(case),
        Entailments(parts),
    )


def _shared(share: Fraction) -> Statement:
    symbol = sympy.Rational(share)
    return _all_have(share, copy_term(symbol), so_cold(symbol))


all_have = Claim(
    id="dyn.lemmaF.1.retrieval.all-queries.sufficient",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Retrieval over all proper inputs: beta of order 1 / theta^2 is enough",
    source=LEMMA,
    latex=r"0 < \theta \le \omega/(2n_0),\ \beta \ge \frac{\pi^2 \ln 2}{2\theta^2} \Rightarrow "
    r"\text{Retrieval right on all proper inputs up to } n_0",
    sentence="At an angle that the print allows every inverse temperature from pi^2 ln 2 / (2 theta^2) on lets the "
    "Retrieval construction decode every query, letter-number and letter-letter, of all proper inputs of up to n0 "
    "tokens; at theta = omega / (2 n0) that is 2 pi^2 ln 2 n0^2 / omega^2.",
    domain="two letters or more, 0 < theta <= omega / (2 n0), every n0 >= 2",
    statement=_all_have(Fraction(1), copy_term(), so_cold()),
    proof=Proof(
        (
            *(PROOF_OF_BEATS, PROOF_OF_COPY_TERM, PROOF_OF_NEXT, proof_of_total(1, sympy.Rational(1, 2))),
            *(PROOF_OF_SO_COLD, PROOF_OF_NEAR_MATCH, PROOF_OF_LAST_MATCH),
            *(PROOF_OF_WEIGHT, PROOF_OF_STEP, PROOF_OF_WINS),
        )
    ),
    mutants=(
        Mutant("a seventh", "pi^2 ln 2 / (14 theta^2)", _shared(Fraction(1, 7))),
        Mutant("a ninth", "pi^2 ln 2 / (18 theta^2)", _shared(Fraction(1, 9))),
        Mutant(
            "any angle",
            "no bound on theta",
            _all_have(Fraction(1), copy_term(allowed=False), so_cold(allowed=False), allowed=False),
        ),
    ),
    remarks=(
        "With dyn.lemmaF.1.retrieval.necessary the smallest beta over all proper inputs is of the exact order n0^2 at "
        "any fixed share of the largest angle omega / (2 n0), as that of Index at its best angle is.",
    ),
)

RETRIEVAL_TEMPERATURE_CLAIMS = (numbers_need, numbers_have, all_have, letters, letters_have)
