"""The claims about H_SYM and about two angles (DEC, theorems 5 and 6)."""

from __future__ import annotations

from fractions import Fraction

from sympy import cos, pi

from headproof.theory.angles import Angle, between, reduced
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailments, at_least, greater
from headproof.theory.expressivity.plane_angle_proofs import (
    PROOF_OF_LATER_SMALL,
    PROOF_OF_NO_WRONG,
    PROOF_OF_OWN,
    PROOF_OF_SMALL_WRONG,
    PROOF_OF_WRONG,
    no_wrong,
    own_loses,
    small_wrong_loses,
    wrong_loses,
)
from headproof.theory.expressivity.plane_binding_proofs import (
    PROOF_OF_ENOUGH,
    PROOF_OF_FLAT,
    PROOF_OF_LATER,
    PROOF_OF_MATCH,
    PROOF_OF_NO_LATER,
    PROOF_OF_NOT_ENOUGH,
    PROOF_OF_REPEAT,
    REPEATS,
    T,
    b,
    c,
    flat,
    later_wins,
    match_wins,
    no_later,
    soft_enough,
    soft_needed,
    theta,
    w,
    x,
)
from headproof.theory.expressivity.plane_bindings import (
    computes_induction,
    computes_retrieval,
    computes_retrieval_softly,
    match_beats_spread,
)
from headproof.theory.expressivity.plane_heads import InductionCase, PhaseCase, RetrievalCase, SoftmaxCase
from headproof.theory.expressivity.plane_index_claims import HARD, POSITIVE_WEIGHT, TWO_SYMBOLS, WEIGHT_AT_LEAST_0
from headproof.theory.proof import Proof

THEOREM_5 = Source("DEC", "theorem 5")
THEOREM_6 = Source("DEC", "theorem 6")
TWO_ATTRIBUTES = Premise("two attributes", "two attributes at least", lambda case: case.attributes >= 2)

# -- H_SYM ---------------------------------------------------------------------------------------------------------


def _retrieval(
    premise: Premise = POSITIVE_WEIGHT, own: int = 0, swapped: bool = False, repeated: bool = False
) -> Statement:
    weight = greater(c) if premise is POSITIVE_WEIGHT else at_least(c)
    form = Entailments((match_wins(weight, own, swapped, c if repeated else 0),))
    return Statement(RetrievalCase, (premise,), lambda case: computes_retrieval(case, own, swapped, repeated), form)


retrieval = Claim(
    id="dec.thm5",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.PRINTED,
    title="The NoPE head H_SYM computes Retrieval",
    source=THEOREM_5,
    latex=r"\lambda_j = c\,[\text{the symbol of key } j \text{ is the query's}]\ \Rightarrow\ "
    r"H_{SYM}\ \text{is right on every Retrieval input of every length}",
    sentence="Under hard attention, for every two alphabets, every length and every weight c > 0, H_SYM is right on "
    "every Retrieval input: the pair of the query symbol alone has the largest logit, c, wherever it stands; every "
    "other key has 0.",
    domain="every length n with n - 1 symbols or more, every number of attributes, every weight c > 0; hard "
    "attention, ties averaged",
    statement=_retrieval(),
    proof=Proof((PROOF_OF_MATCH,)),
    mutants=(
        Mutant("no weight", "c >= 0", _retrieval(WEIGHT_AT_LEAST_0)),
        Mutant("own key above", "2 c for the query's own key", _retrieval(own=2)),
        Mutant("exchanged", "c for the other pairs", _retrieval(swapped=True)),
        Mutant("repeated symbols", "partial induction instead of Retrieval", _retrieval(repeated=True)),
    ),
    remarks=(
        f"Under {HARD}; dec.thm5.softmax says what softmax needs. No angle is used, so the head is symbolic. With "
        "n = 2 or one attribute nothing can go wrong.",
        "The content is the head's definition: once the logits are c for the match and 0 for all others, the proof has "
        "nothing left to show but c > 0.",
    ),
)


def _softly(step: int = 2, strictly: bool = True, attributes: int = 2) -> Statement:
    def holds(case: SoftmaxCase) -> bool:
        room = case.growth - (case.length - step)
        return computes_retrieval_softly(case) == (room > 0 if strictly else room >= 0)

    form = Entailments((soft_enough(step, strictly), soft_needed(step, attributes)))
    return Statement(SoftmaxCase, (TWO_ATTRIBUTES,) if attributes == 2 else (), holds, form)


softly = Claim(
    id="dec.thm5.softmax",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Under softmax H_SYM computes Retrieval exactly while e^c is above n - 2",
    source=THEOREM_5,
    latex=r"H_{SYM}\ \text{is right under softmax on every Retrieval input of length } n \iff e^{c} > n - 2",
    sentence="Under softmax with inverse temperature 1, with two attributes or more and n - 1 symbols or more, H_SYM "
    "of weight c is right on every Retrieval input of length n if and only if e^c > n - 2.",
    domain="every real weight, every length, every number of symbols from n - 1 on and of attributes from 2 on",
    statement=_softly(),
    proof=Proof((PROOF_OF_ENOUGH, PROOF_OF_NOT_ENOUGH)),
    mutants=(
        Mutant("more", "e^c > n - 1", _softly(1)),
        Mutant("less", "e^c > n - 3", _softly(3)),
        Mutant("tie", "e^c >= n - 2", _softly(strictly=False)),
        Mutant("one attribute", "one attribute or more", _softly(attributes=1)),
    ),
    remarks=(
        "So the printed construction needs a weight that grows like log n, or one head per length; at c = 1 it errs "
        "from n = 5 on. The query's own key, at logit 0, takes weight but carries no attribute.",
    ),
)

# -- two angles ----------------------------------------------------------------------------------------------------


def _not_too_large(symbols_count: bool = True, least: str = ">", first: bool = False, factor: int = 1) -> Statement:
    """Equal weights, `0 < theta` and `S T theta < factor pi`."""

    def small(case: PhaseCase) -> bool:
        scale = (case.symbols if symbols_count else 1) * (case.length - 1)
        return between(case.theta * scale, Fraction(-LARGE), Fraction(factor))

    def positive(case: PhaseCase) -> bool:
        return between(case.theta, Fraction(0), Fraction(LARGE)) or (least == ">=" and case.theta == Angle(Fraction(0)))

    def holds(case: PhaseCase) -> bool:
        head = InductionCase(case.theta, case.symbols, case.attributes, case.length)
        return computes_induction(head, first)

    room = factor * w - T * theta if symbols_count else pi - T * theta
    angle = greater(theta) if least == ">" else at_least(theta)
    text = f"{'S ' if symbols_count else ''}T theta < {'' if factor == 1 else factor}{' ' * (factor > 1)}pi"
    return Statement(
        PhaseCase,
        (
            Premise("an angle", f"theta {least} 0", positive),
            Premise("not too large", f"{text} for T = n - 1 keys and S symbols", small),
        ),
        holds,
        Entailments(
            (
                later_wins(room, angle=angle, sign=-1 if first else 1, symbols=1),
                small_wrong_loses(room, angle),
            )
        ),
    )


LARGE = 10**6

induction = Claim(
    id="dec.thm6",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.PRINTED,
    title="Two angles, 0 and one that is not too large, compute partial induction",
    source=THEOREM_6,
    latex=r"\lambda = \cos p\,\omega + \cos t\theta_2,\ \omega = 2\pi/S,\ 0 < S T \theta_2 < \pi\ \Rightarrow\ "
    r"\text{the head is right on every partial induction input of } T = n - 1 \text{ keys}",
    sentence="Under hard attention, for every number S of symbols and every length n = T + 1 the head with the angles "
    "0 and theta, symbols on the regular polygon and both planes of weight 1, is right on every partial induction "
    "input, for every theta above 0 that is not too large: S T theta < pi is enough. The logit of the symbol number p "
    "from the query's, t steps back, is cos(p omega) + cos(t theta), omega = 2 pi / S; the query's own key has -2.",
    domain="every S and T, every number of attributes, every real theta with 0 < S T theta < pi; hard attention, ties "
    "averaged",
    statement=_not_too_large(),
    proof=Proof((PROOF_OF_LATER_SMALL, PROOF_OF_SMALL_WRONG)),
    mutants=(
        Mutant("whatever the symbols", "T theta < pi", _not_too_large(symbols_count=False)),
        Mutant("three times", "S T theta < 3 pi", _not_too_large(factor=3)),
        Mutant("no angle", "theta >= 0", _not_too_large(least=">=")),
        Mutant("the first match", "the attribute at the first occurrence", _not_too_large(first=True)),
    ),
    remarks=(
        f"Under {HARD}. The print gives no number for `not too large`; this one makes it a statement that can be "
        "checked, and is enough for the theorem. dec.thm6.range has the exact condition on angle and weights.",
    ),
)

POSITIVE_RECENCY = Premise("positive recency", "the second plane's weight is above 0", lambda case: case.recency > 0)
RECENCY_AT_LEAST_0 = Premise("recency not negative", "it is at least 0", lambda case: case.recency >= 0)


def _exact(
    step: int = -1,
    share: Fraction = Fraction(1),
    at_boundary: bool = False,
    recency: Premise = POSITIVE_RECENCY,
    symbols: int = 2,
) -> Statement:
    """Right if and only if T = 1, or `0 < (2T + step) theta < 2 pi` and `share (1 - mu) > spread`."""

    def in_range(case: InductionCase) -> bool:
        keys = case.length - 1
        if keys == 1:
            return True
        angle = between(reduced(case.theta), Fraction(0), Fraction(2, 2 * keys + step))
        return angle and match_beats_spread(case, share, at_boundary)

    weight = greater(b) if recency is POSITIVE_RECENCY else at_least(b)
    room, half_room = 2 * pi - (2 * T + step) * theta, pi - (2 * T + step) * x
    margin = share * (1 - cos(2 * w)) - b * (cos(theta) - cos(theta * T))
    form = Entailments(
        (
            later_wins(room, weight),
            wrong_loses(room, margin, weight, not at_boundary),
            own_loses(weight),
            no_later(half_room, symbols),
            flat(symbols),
            no_wrong(margin, symbols),
            REPEATS,
        )
    )
    premises = (recency, TWO_ATTRIBUTES, *((TWO_SYMBOLS,) if symbols == 2 else ()))
    return Statement(InductionCase, premises, lambda case: computes_induction(case) == in_range(case), form)


two_angles = Claim(
    id="dec.thm6.range",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Exactly how large the second angle and its weight may be for the head on the polygon",
    source=THEOREM_6,
    latex=r"\lambda = \cos p\,\omega + b \cos t\theta,\ \omega = 2\pi/S,\ \lambda_{own} = -1 - b:\quad "
    r"\text{right on every input} \iff T = 1\ \text{or}\ \theta \bmod 2\pi \in \pm(0, \tfrac{2\pi}{2T-1})"
    r"\ \text{and}\ 1 - \cos\tfrac{2\pi}{S} > b\,(\cos\theta - \cos T\theta)",
    sentence="Under hard attention, with S >= 2 symbols on the regular polygon, omega = 2 pi / S, and two attributes "
    "or more, the head with the logit cos(p omega) + b cos(t theta), b > 0, for the symbol number p from the query's, "
    "t steps back, and -1 - b for the query's own key is right on every partial induction input of T keys if and only "
    "if T = 1, or theta, up to its sign and full turns, is above 0 and below 2 pi / (2T - 1) and 1 - cos(2 pi / S) > "
    "b (cos theta - cos(T theta)).",
    domain="every real angle, every weight b > 0, every S >= 2, T and number of attributes from 2 on; hard attention, "
    "ties averaged",
    statement=_exact(),
    proof=Proof(
        (
            PROOF_OF_LATER,
            PROOF_OF_WRONG,
            PROOF_OF_OWN,
            PROOF_OF_NO_LATER,
            PROOF_OF_FLAT,
            PROOF_OF_NO_WRONG,
            PROOF_OF_REPEAT,
        )
    ),
    mutants=(
        Mutant("wider", "theta < 2 pi / (2T - 2)", _exact(-2)),
        Mutant("narrower", "theta < 2 pi / 2T", _exact(0)),
        Mutant("half the margin", "(1 - cos(2 pi / S)) / 2 > spread", _exact(share=Fraction(1, 2))),
        Mutant("tie", "1 - cos(2 pi / S) >= spread", _exact(at_boundary=True)),
        Mutant("no recency", "b >= 0", _exact(recency=RECENCY_AT_LEAST_0)),
        Mutant("one symbol", "S >= 1", _exact(symbols=1)),
    ),
    remarks=(
        "The first condition puts the matches in order, the second the farthest match above a neighbouring symbol "
        "right before the query. Any other directions u_s serve with the largest u_s . u_q in place of "
        "cos(2 pi / S); on the polygon it is smallest. Only the ratio of the two weights counts.",
    ),
)

PLANE_BINDING_CLAIMS = (retrieval, softly, induction, two_angles)
