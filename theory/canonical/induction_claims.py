"""The claims about what heads over a set of angles, with planes enough, can do for partial induction (dec.toy).

Over one angle, over one beside angle 0, and over angles at which two key places alias. The house's own: the source
prints a head over two angles (dec.thm6) and no such statements.
"""

from __future__ import annotations

from functools import partial

from sympy import pi

from headproof.theory.canonical.alias_claims import SUMMED, TOYS, TWO_SYMBOLS, Rule, aliases
from headproof.theory.canonical.alias_proofs import PROOF_OF_EXCHANGED_PAIRS, exchanged_pairs, phi
from headproof.theory.canonical.beside_proofs import (
    NO_FALL_STILL,
    NO_FALL_STRAIGHT,
    PROOF_OF_ABOVE,
    PROOF_OF_FALLS,
    PROOF_OF_NO_FALL,
    PROOF_OF_NO_FALL_STILL,
    PROOF_OF_NO_FALL_STRAIGHT,
    above,
    falls,
    no_fall,
    no_fall_at,
)
from headproof.theory.canonical.cases import PairToyCase, computes_induction, exchanges_unseen
from headproof.theory.canonical.within_cases import (
    BesideCase,
    PlanesCase,
    computes_induction_against,
    computes_induction_beside,
)
from headproof.theory.canonical.within_claims import (
    ANY_PLANES,
    ATTRIBUTES_TOO,
    HEAD,
    NONE_IS_RIGHT,
    SOFT,
    UP_TO,
    is_within,
    moves,
    reduced_by,
    room_of,
)
from headproof.theory.canonical.within_exact_proofs import PROOF_OF_AGAINST, PROOF_OF_FALLING, against, falling
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailments, at_least, greater
from headproof.theory.expressivity.plane_binding_claims import TWO_ATTRIBUTES
from headproof.theory.expressivity.plane_binding_proofs import T, theta, x
from headproof.theory.expressivity.plane_index_proofs import theta as plane_angle
from headproof.theory.expressivity.plane_limit_claims import COPIES
from headproof.theory.expressivity.plane_limit_proofs import PROOF_OF_STRAIGHT, PROOF_OF_TOO_WIDE, straight, too_wide
from headproof.theory.expressivity.plane_order_proofs import PROOF_OF_AVERAGE, PROOF_OF_STILL, average, still
from headproof.theory.expressivity.plane_reach_proofs import PROOF_OF_TURNED_BACK, turned_back
from headproof.theory.proof import Proof

IN_ORDER_TOO = (
    "So a match is above every key of another symbol at any other place, and, where the keys between it and the query "
    "are of another symbol, above every earlier key of its own."
)

# -- partial induction, wrong keys below 0 -------------------------------------------------------------------------


def _exact(
    less: int = 1,
    ends: bool = False,
    modulo: bool = True,
    still_too: bool = False,
    attributes: int = 2,
    symbols: int = 2,
) -> Statement:
    """Right if and only if T = 1 or `0 < (T - less) theta < pi`."""
    angle = at_least(theta) if still_too else greater(theta)
    room = room_of(T - less, ends)
    form = Entailments(
        (
            falling(room, angle),
            against(room),
            too_wide((T - less) * 2 * x - pi, attributes, reduced_by(modulo)),
            straight(),
            still(symbols),
            average(),
            turned_back(),
        )
    )

    def holds(case: PlanesCase) -> bool:
        keys = case.length - 1
        inside = is_within(case.theta, keys - less, ends, modulo) and (still_too or moves(case.theta))
        return computes_induction_against(case) == (keys == 1 or inside)

    premises = ((TWO_SYMBOLS,) * (symbols == 2)) + ((TWO_ATTRIBUTES,) * (attributes == 2))
    return Statement(PlanesCase, premises, holds, form)


induction_exact = Claim(
    id="dec.toy.induction.exact",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="One angle with a plane for each symbol computes partial induction, for two keys or more, exactly for 0 < "
    "(T - 1) theta below pi",
    source=TOYS,
    latex=r"\lambda_{\mathrm{match}} = \kappa\cos((t - 1)\theta),\ \kappa = \cos\tfrac{(T-1)\theta}{2},\ "
    r"\lambda_{\mathrm{other}} = -\cos\bigl((t - \tfrac{T+1}{2})\theta\bigr):\quad \text{right on every input} \iff "
    r"T = 1\ \text{or}\ 0 < (T - 1)\,|\theta \bmod 2\pi| < \pi",
    sentence=f"{UP_TO} Under hard attention, with two symbols and two attributes or more, the head with {HEAD}, in "
    "which a match t steps back has the logit kappa cos((t - 1) theta), kappa = cos((T - 1) theta / 2), a wrong key "
    "-cos((t - (T + 1) / 2) theta) and the query's own key -1, is right on every partial induction input of T keys if "
    "and only if T = 1, or theta is above 0 and (T - 1) theta < pi. Elsewhere no head over this angle alone is right, "
    "whatever its number of planes and its keys and queries, whose VAL is the identity on one-hot pairs and whose F is "
    "the projection to the attributes.",
    domain="every real angle, every T, two symbols and two attributes or more; hard attention, ties averaged; that no "
    f"other head ({COPIES}) is right elsewhere is part of the proof, not of the search",
    statement=_exact(),
    proof=Proof(
        (
            PROOF_OF_FALLING,
            PROOF_OF_AGAINST,
            PROOF_OF_TOO_WIDE,
            PROOF_OF_STRAIGHT,
            PROOF_OF_STILL,
            PROOF_OF_AVERAGE,
            PROOF_OF_TURNED_BACK,
        )
    ),
    mutants=(
        Mutant("narrower", "T theta < pi", _exact(0)),
        Mutant("wider", "(T - 2) theta < pi", _exact(2)),
        Mutant("the end", "(T - 1) theta <= pi", _exact(ends=True)),
        Mutant("full turns count", "theta itself, not reduced", _exact(modulo=False)),
        Mutant("no angle", "theta >= 0", _exact(still_too=True)),
        Mutant("one symbol", "one symbol or more", _exact(symbols=1)),
        Mutant("one attribute", "one attribute or more", _exact(attributes=1)),
    ),
    remarks=(
        "So with planes enough one angle does for partial induction what it does for Retrieval, but for angle 0. With "
        "one plane it does not: dec.thm6.one-plane.outer. With planes of angle 0 besides it does a little more: "
        "dec.toy.induction.beside.",
        "Everywhere in the range a wrong key is at -kappa or below, and every match above that. The query of a symbol "
        "has, besides its part in the symbol's plane, one of size 1 in each other plane.",
        f"{NONE_IS_RIGHT}{IN_ORDER_TOO} {ATTRIBUTES_TOO}",
        f"{ANY_PLANES} {SOFT}",
    ),
)

# -- beside angle 0 ------------------------------------------------------------------------------------------------


def _beside(
    less: int = 2,
    ends: bool = False,
    modulo: bool = True,
    still_too: bool = False,
    attributes: int = 2,
    symbols: int = 2,
) -> Statement:
    """Right if and only if T = 1 or theta > 0 and `(T - less) theta < pi`."""
    form = Entailments(
        (
            above(),
            falls(room_of(T - less, ends), at_least(theta) if still_too else greater(theta)),
            no_fall((T - less) * 2 * x - pi, symbols, attributes, reduced_by(modulo)),
            no_fall_at(NO_FALL_STRAIGHT, pi / 2, 3),
            no_fall_at(NO_FALL_STILL, 0, 2),
            average(),
            turned_back(),
        )
    )

    def holds(case: BesideCase) -> bool:
        keys = case.length - 1
        inside = is_within(case.theta, keys - less, ends, modulo) and (still_too or moves(case.theta))
        return computes_induction_beside(case) == (keys == 1 or inside)

    premises = ((TWO_SYMBOLS,) * (symbols == 2)) + ((TWO_ATTRIBUTES,) * (attributes == 2))
    return Statement(BesideCase, premises, holds, form)


induction_beside = Claim(
    id="dec.toy.induction.beside",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="One angle beside angle 0 computes partial induction, for two keys or more, exactly for theta above 0 and (T "
    "- 2) theta below pi",
    source=TOYS,
    latex=r"\lambda_{\mathrm{match}} = 1 - \tfrac12 \sin\bigl((t - \tfrac{T+1}{2})\theta\bigr),\ "
    r"\lambda_{\mathrm{other}} = 0:\quad \text{right on every input} \iff T = 1\ \text{or}\ "
    r"|\theta \bmod 2\pi| > 0\ \text{and}\ (T - 2)\,|\theta \bmod 2\pi| < \pi",
    sentence="Let theta be taken up to its sign and full turns, 0 <= theta <= pi, and let each symbol have a plane of "
    "angle 0 and one of the angle theta. Under hard attention, with two symbols and two attributes or more, the head "
    "with the key of a pair a unit vector in either plane of its symbol, the query the former and half the latter "
    "turned, so that a match t steps back has the logit 1 - sin((t - (T + 1) / 2) theta) / 2 and wrong keys and the "
    "query's own have 0, is right on every partial induction input of T keys if and only if T = 1, or theta is above 0 "
    "and (T - 2) theta < pi; with T = 2 every theta above 0 serves, pi included. Elsewhere no head over the angles 0 "
    "and theta is right, whatever its number of planes and its keys and queries, whose VAL is the identity on one-hot "
    "pairs and whose F is the projection to the attributes.",
    domain="every real angle, every T, two symbols and two attributes or more; hard attention, ties averaged; that no "
    f"other head ({COPIES}) is right elsewhere is part of the proof, not of the search",
    statement=_beside(),
    proof=Proof(
        (
            PROOF_OF_ABOVE,
            PROOF_OF_FALLS,
            PROOF_OF_NO_FALL,
            PROOF_OF_NO_FALL_STRAIGHT,
            PROOF_OF_NO_FALL_STILL,
            PROOF_OF_AVERAGE,
            PROOF_OF_TURNED_BACK,
        )
    ),
    mutants=(
        Mutant("narrower", "(T - 1) theta < pi", _beside(1)),
        Mutant("wider", "(T - 3) theta < pi", _beside(3)),
        Mutant("the end", "(T - 2) theta <= pi", _beside(ends=True)),
        Mutant("full turns count", "theta itself, not reduced", _beside(modulo=False)),
        Mutant("no angle", "theta >= 0", _beside(still_too=True)),
        Mutant("one symbol", "one symbol or more", _beside(symbols=1)),
        Mutant("one attribute", "one attribute or more", _beside(attributes=1)),
    ),
    remarks=(
        "The head of dec.thm6.range, whose recency has its top at the query itself, reaches 2 pi / (2T - 1); without "
        "angle 0 planes of one angle reach pi / (T - 1) (dec.toy.induction.exact).",
        f"{NONE_IS_RIGHT}{IN_ORDER_TOO} The order alone is enough here. {ATTRIBUTES_TOO}",
        f"What planes of angle 0 add is the same at every place and drops out of the order. {ANY_PLANES} {SOFT}",
    ),
)

# -- angles at which places alias ----------------------------------------------------------------------------------


def _no_head(last: int = 2, times: int = 1, rule: Rule = all, attributes: int = 2) -> Statement:
    turns = "2 pi" if times == 1 else "pi"
    premises = [
        Premise(
            "aliases",
            f"for some 1 <= t <= n - {last}, t theta is a multiple of {turns} for {rule.__name__} of the angles",
            partial(aliases, last=last, times=times, rule=rule),
        )
    ]
    premises += [TWO_ATTRIBUTES] * (attributes == 2)
    form = exchanged_pairs(last, 2 * pi if times == 1 else pi, attributes, plane_angle if rule is all else phi)
    return Statement(
        PairToyCase,
        tuple(premises),
        lambda case: exchanges_unseen(case) and not computes_induction(case),
        Entailments((form,)),
    )


induction_aliased = Claim(
    id="dec.toy.induction.aliased",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head over angles at which two key places alias computes partial induction",
    source=TOYS,
    latex=r"t\theta \in 2\pi\mathbb{Z}\ \text{for all}\ \theta \in A,\ 1 \le t \le n - 2\ \Rightarrow\ "
    r"\text{no head over}\ A\ \text{is right on every input}",
    sentence="If for some distance 1 <= t <= n - 2 between key places t theta is a multiple of 2 pi for every angle "
    "theta of a set, then no one-layer head over that set, whatever its number of planes, its embeddings, its VAL and "
    "its F, is right on every partial induction input of length n with two attributes or more.",
    domain="every finite set of real angles that aliases, any number of planes an angle, every length and number of "
    "symbols, all key and query vectors, any logit of the query's own key, every VAL and F, softmax at any inverse "
    "temperature or hard attention with ties averaged; the search covers VAL the identity, F the projection and hard "
    "attention, and that both places give every pair the same logit",
    statement=_no_head(),
    proof=Proof((PROOF_OF_EXCHANGED_PAIRS,)),
    mutants=(
        Mutant("one multiple more", "1 <= t <= n - 1: places as far apart as n - 1 may alias", _no_head(1)),
        Mutant("half turns", "t theta a multiple of pi", _no_head(2, 2)),
        Mutant("some angle", "t theta a multiple of 2 pi for some angle of the set", _no_head(rule=any)),
        Mutant("one attribute", "one attribute or more", _no_head(attributes=1)),
    ),
    remarks=(
        "Where the query symbol is bound at the last key place to one attribute and t places before to another, an "
        "exchange of the two pairs changes the right answer and no output. Nothing stands after the last key, so one "
        "symbol is enough.",
        "With t = 1 and three tokens or more it says that no rotation is not enough (dec.cor1.symbolic). Retrieval has "
        "no such limit, for it binds each symbol once: the symbol tells its pairs apart.",
        "That it is sharp is not said: over one angle heads that copy already stop at pi / (T - 1) "
        f"(dec.toy.induction.exact), and of heads with other values beyond nothing is said. {SUMMED}",
    ),
)

INDUCTION_CLAIMS: tuple[Claim, ...] = (induction_exact, induction_beside, induction_aliased)
