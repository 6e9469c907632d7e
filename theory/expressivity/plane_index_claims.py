"""The claims about heads of one plane on Index (DEC, theorem 3, and what its toys say of low frequencies)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sympy import pi

from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailments, at_least, greater
from headproof.theory.expressivity.plane_heads import (
    IndexCase,
    Names,
    PlaneCase,
    SizeCase,
    computes_index,
    computes_index_anyhow,
)
from headproof.theory.expressivity.plane_index_proofs import (
    PROOF_OF_ALIASED,
    PROOF_OF_EXCHANGED,
    PROOF_OF_HALF_TURN,
    PROOF_OF_NO_TIE,
    PROOF_OF_TIE,
    aliased,
    c,
    exchanged,
    half_turn,
    n,
    no_tie,
    theta,
    tie,
)
from headproof.theory.proof import Proof

THEOREM_3 = Source("DEC", "theorem 3")
HARD = "hard attention, ties averaged"
KINDS: tuple[Names, ...] = ("position", "offset")


# -- H_POS computes Index ------------------------------------------------------------------------------------------


def _at_angle(
    names: Names, angle: Callable[[int], Fraction], form: Entailments, weight: int = 1, shift: int = 0
) -> Statement:
    """H_POS at this multiple of pi for the length is right on every input."""

    def holds(case: SizeCase) -> bool:
        head = IndexCase(Angle(angle(case.length)), case.symbols, case.length, Fraction(weight))
        return computes_index(head, names, shift)

    return Statement(SizeCase, (), holds, form)


def _existence(claim_id: str, names: Names, title: str, sentence: str, domain: str) -> Claim:
    def pi_over_n(length: int) -> Fraction:
        return Fraction(1, length)

    def form(**changes: object) -> Entailments:
        return Entailments((half_turn(**changes),))  # type: ignore[arg-type]

    return Claim(
        id=claim_id,
        kind=Kind.CONSTRUCTION,
        fidelity=Fidelity.PRINTED,
        title=title,
        source=THEOREM_3,
        latex=r"\lambda_k = c \cos(\theta (j - k)),\ \theta = \pi/n\ \Rightarrow\ "
        r"\arg\max_{k \le n} \lambda_k = \{j\}\ \text{for every target } j < n",
        sentence=sentence,
        domain=domain,
        statement=_at_angle(names, pi_over_n, form()),
        proof=Proof((PROOF_OF_HALF_TURN,)),
        mutants=(
            Mutant(
                "aliasing",
                "theta = 2 pi / (n - 2), at which two places tie",
                _at_angle(names, lambda length: Fraction(2, max(1, length - 2)), form(angle=(n - 2) * theta - 2 * pi)),
            ),
            Mutant("no angle", "theta = 0", _at_angle(names, lambda length: Fraction(0), form(angle=theta))),
            Mutant("turned away", "c = -1", _at_angle(names, pi_over_n, form(weight=greater(-c)), weight=-1)),
            Mutant("next place", "the query of target j + 1", _at_angle(names, pi_over_n, form(shift=1), shift=1)),
        ),
        remarks=(
            f"Right is meant under {HARD}; softmax agrees where the weight c is large enough for the length. The "
            "print asks for one angle; pi / n is one that always works, dec.thm3.angles has all that do.",
        ),
    )


position = _existence(
    "dec.thm3.position",
    "position",
    "A positional head of one plane computes Index at a fixed length",
    "Under hard attention, for every alphabet and every length n the head H_POS with the angle pi / n is right on "
    "every Index input of length n whose query names a position: the target's key alone has the largest logit.",
    "every alphabet, every length n >= 2, queries that name a position; hard attention, ties averaged",
)
offset = _existence(
    "dec.thm3.offset",
    "offset",
    "A positional head of one plane computes Index at several lengths if the query names an offset",
    "Under hard attention, for every alphabet and every n the head H_POS with the angle pi / n is right on every Index "
    "input of length n or less whose query names the target's offset.",
    "every alphabet, every n >= 2, all lengths from 2 to n, queries that name an offset; hard attention, ties averaged",
)

# -- exactly which angles ------------------------------------------------------------------------------------------

POSITIVE_WEIGHT = Premise("positive weight", "c > 0", lambda case: case.c > 0)
TWO_KEYS = Premise("two keys", "n >= 3", lambda case: case.length >= 3)
WEIGHT_AT_LEAST_0 = Premise("weight not negative", "c >= 0", lambda case: case.c >= 0)
TWO_SYMBOLS = Premise("two symbols", "the alphabet has two symbols at least", lambda case: case.symbols >= 2)


def aliases(case: IndexCase | PlaneCase, last: int = 2, times: int = 1) -> bool:
    """Whether `times t theta` is a whole number of turns for a t from 1 to `n - last`."""
    return any((case.theta * (times * t)).is_multiple_of_full_turn for t in range(1, case.length - last + 1))


def _exact_angles(
    last: int = 2, times: int = 1, premises: tuple[Premise, ...] = (POSITIVE_WEIGHT, TWO_SYMBOLS), symbols: int = 2
) -> Statement:
    weight = at_least(c) if WEIGHT_AT_LEAST_0 in premises else greater(c)
    turn = 2 * pi if times == 1 else pi

    def holds(case: IndexCase) -> bool:
        right = not aliases(case, last, times)
        return all(computes_index(case, names) == right for names in KINDS)

    form = Entailments((no_tie(last, weight, times), tie(last, turn, symbols)))
    return Statement(IndexCase, premises, holds, form)


angles = Claim(
    id="dec.thm3.angles",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="H_POS computes Index exactly at the angles of which no multiple up to n - 2 is a whole number of turns",
    source=THEOREM_3,
    latex=r"H_{POS}\ \text{is right on every input of length } n \iff t \theta \notin 2\pi\mathbb{Z}\ "
    r"\text{for } 1 \le t \le n - 2",
    sentence="Under hard attention, with two symbols or more and c > 0, H_POS is right on every Index input of length "
    "n (or, if queries name offsets, of every length up to n) if and only if no t theta with 1 <= t <= n - 2 is a "
    "multiple of 2 pi.",
    domain="every real angle, every length, every alphabet of two symbols or more, every weight c > 0, both kinds of "
    "query; hard attention, ties averaged",
    statement=_exact_angles(),
    proof=Proof((PROOF_OF_NO_TIE, PROOF_OF_TIE)),
    mutants=(
        Mutant("one multiple more", "1 <= t <= n - 1", _exact_angles(1)),
        Mutant("one multiple fewer", "1 <= t <= n - 3", _exact_angles(3)),
        Mutant("half turns", "no t theta is a multiple of pi", _exact_angles(2, 2)),
        Mutant("one symbol", "one symbol or more", _exact_angles(premises=(POSITIVE_WEIGHT,), symbols=1)),
        Mutant("no weight", "c >= 0", _exact_angles(premises=(WEIGHT_AT_LEAST_0, TWO_SYMBOLS))),
    ),
    remarks=(
        "Where (n - 1) theta is a multiple of 2 pi the first key ties with the query's own. That key carries no "
        "answer, so the head stays right; its output is only half as large. For theta an irrational number of turns, "
        "the printed hypothesis of DYN, nothing aliases at any length.",
    ),
)


def _any_head(last: int = 2, times: int = 1, least: int = 2) -> Statement:
    premises = [
        Premise(
            "aliases",
            f"some t theta with 1 <= t <= n - {last} is a multiple of {'2 pi' if times == 1 else 'pi'}",
            lambda case: aliases(case, last, times),
        )
    ]
    premises += [TWO_SYMBOLS] * (least == 2)
    turn = 2 * pi if times == 1 else pi
    form = Entailments((aliased(last, turn, least), exchanged(last, turn, least)))
    return Statement(PlaneCase, tuple(premises), lambda case: not computes_index_anyhow(case), form)


one_plane = Claim(
    id="dec.thm3.one-plane",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head of one plane, whatever its values, computes Index at an angle at which H_POS does not",
    source=THEOREM_3,
    latex=r"t\theta \in 2\pi\mathbb{Z},\ 1 \le t \le n - 2\ \Rightarrow\ "
    r"\text{no choice of keys, queries, VAL and F is right on every input}",
    sentence="If t theta is a multiple of 2 pi for some 1 <= t <= n - 2, then no head of one plane with the angle "
    "theta, whatever its key vector for each symbol, its query vector for each target, its VAL and its F, is right on "
    "every Index input of length n with two symbols or more: not under hard attention, nor under softmax.",
    domain="every real angle that aliases, every length, all key and query vectors, any logit of the query's own key, "
    "every VAL and F, hard attention or softmax; the search covers VAL the identity, F the projection and hard "
    "attention, the rest is the part of the proof about exchanged symbols",
    statement=_any_head(),
    proof=Proof((PROOF_OF_ALIASED, PROOF_OF_EXCHANGED)),
    mutants=(
        Mutant("one multiple more", "1 <= t <= n - 1", _any_head(1)),
        Mutant("half turns", "t theta a multiple of pi", _any_head(2, 2)),
        Mutant("one symbol", "one symbol or more", _any_head(least=1)),
    ),
    remarks=(
        "So H_POS attains the exact set of angles of the whole class. For any VAL and F: exchange the symbols at the "
        "places 1 and 1 + t. Both have at either place the logit they have at the other, so the head's output is the "
        "same, but for the target 1 + t the answer is not. For VAL the identity, the first part of the proof uses one "
        "input with one other symbol everywhere but at the target, and the input with the two symbols exchanged.",
    ),
)

PLANE_INDEX_CLAIMS = (position, offset, angles, one_plane)
