"""The claims about heads with a plane for each symbol, all of one angle and wrong keys at 0, on Retrieval and partial
induction (dec.toy).

The house's own: the source prints no such heads. What one plane can do is dec.thm5.one-plane and dec.thm6.one-plane.
"""

from __future__ import annotations

from fractions import Fraction

from sympy import pi

from headproof.theory.angles import Angle, between, reduced
from headproof.theory.canonical.alias_claims import SUMMED, TOYS
from headproof.theory.canonical.within_cases import (
    PlanesBindingCase,
    PlanesCase,
    computes_induction_in_order,
    computes_retrieval_centred,
    is_positive_and_falls,
)
from headproof.theory.canonical.within_proofs import (
    NO_ORDER_STILL,
    NO_ORDER_STRAIGHT,
    PROOF_OF_AHEAD,
    PROOF_OF_CENTRED,
    PROOF_OF_IN_ORDER,
    PROOF_OF_NO_ORDER,
    PROOF_OF_NO_ORDER_STILL,
    PROOF_OF_NO_ORDER_STRAIGHT,
    ahead,
    centred,
    in_order,
    no_order,
    no_order_at,
)
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Statement
from headproof.theory.derivation import Entailments, Fact, at_least, greater
from headproof.theory.expressivity.plane_binding_claims import LARGE, TWO_ATTRIBUTES
from headproof.theory.expressivity.plane_binding_proofs import T, theta, x
from headproof.theory.expressivity.plane_limit_claims import COPIES
from headproof.theory.expressivity.plane_limit_proofs import PROOF_OF_STRAIGHT, PROOF_OF_TOO_WIDE, straight, too_wide
from headproof.theory.expressivity.plane_order_proofs import PROOF_OF_AVERAGE, average
from headproof.theory.expressivity.plane_reach_proofs import PROOF_OF_TURNED_BACK, turned_back
from headproof.theory.proof import Proof

UP_TO = "Let theta be taken up to its sign and full turns, 0 <= theta <= pi, and let all planes have this angle."
HEAD = "the key of a pair the unit vector in the plane of its symbol"
ANY_PLANES = (
    "In planes of one angle the parts of a logit sum up to one multiple of a cosine of t theta plus a phase, so what "
    "is shown of one such multiple for each query and key holds for any number of planes. " + SUMMED
)
SOFT = "As the match leads strictly, the head is right under softmax as well, from some inverse temperature on."
NONE_IS_RIGHT = (
    "Why no head elsewhere is right, from the inputs: give one key an attribute that no other key has, and all others "
    "one and the same other attribute. If the first is the match, its weight must exceed that of all the others "
    "together, so its logit is above each of theirs, under hard attention and under softmax at any inverse "
    "temperature: the impossibility is one of both. "
)
ATTRIBUTES_TOO = (
    "Keys may depend on the attribute, for what holds of two attributes holds of their average, and the query's own "
    "key may have any logit."
)


def is_within(theta: Angle, steps: int, ends: bool = False, modulo: bool = True) -> bool:
    """Whether `steps |theta| < pi` (or `<=` with the `ends`), theta reduced if `modulo`; so it is for no steps."""
    angle = (reduced(theta) if modulo else theta) * max(steps, 0)
    return between(angle, Fraction(-1), Fraction(1)) or (ends and angle in (Angle(Fraction(1)), Angle(Fraction(-1))))


def moves(theta: Angle) -> bool:
    """Whether theta is no whole number of turns."""
    return not theta.is_multiple_of_full_turn


def room_of(steps: object, ends: bool) -> Fact:
    """`steps theta < pi` (or `<=` with the `ends`), as a fact."""
    room = pi - steps * theta
    return at_least(room) if ends else greater(room)


def reduced_by(modulo: bool) -> Fact:
    """That the angle is below half a turn, or, not reduced, below a large number."""
    return greater(pi if modulo else LARGE, 2 * x)


# -- Retrieval -----------------------------------------------------------------------------------------------------


def _retrieval(less: int = 1, ends: bool = False, modulo: bool = True, attributes: int = 2) -> Statement:
    """Right if and only if `(T - less) theta < pi`."""
    form = Entailments(
        (
            centred(room_of(T - less, ends)),
            too_wide((T - less) * 2 * x - pi, attributes, reduced_by(modulo)),
            straight(),
            average(),
            turned_back(),
        )
    )

    def holds(case: PlanesBindingCase) -> bool:
        in_range = is_within(case.theta, case.length - 1 - less, ends, modulo)
        return computes_retrieval_centred(case) == in_range

    return Statement(PlanesBindingCase, (TWO_ATTRIBUTES,) * (attributes == 2), holds, form)


retrieval_within = Claim(
    id="dec.toy.retrieval.within",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="One angle with a plane for each symbol computes Retrieval exactly for (T - 1) theta below pi",
    source=TOYS,
    latex=r"\lambda_{\mathrm{match}} = \cos\bigl((t - \tfrac{T+1}{2})\theta\bigr),\ \lambda_{\mathrm{other}} = 0:\quad "
    r"\text{right on every input} \iff (T - 1)\,|\theta \bmod 2\pi| < \pi",
    sentence=f"{UP_TO} Under hard attention, with two attributes or more, the head with {HEAD}, the query that vector "
    "turned by (T + 1) / 2 theta, so that a match t steps back has the logit cos((t - (T + 1) / 2) theta) and wrong "
    "keys and the query's own have 0, is right on every Retrieval input of T keys if and only if (T - 1) theta < pi: "
    "then every match is above 0. Elsewhere no head over this angle alone is right, whatever its number of planes and "
    "its keys and queries, whose VAL is the identity on one-hot pairs and whose F is the projection to the attributes.",
    domain="every real angle, every T and S >= T symbols, two attributes or more; hard attention, ties averaged; that "
    f"no other head ({COPIES}) is right elsewhere is part of the proof, not of the search",
    statement=_retrieval(),
    proof=Proof((PROOF_OF_CENTRED, PROOF_OF_TOO_WIDE, PROOF_OF_STRAIGHT, PROOF_OF_AVERAGE, PROOF_OF_TURNED_BACK)),
    mutants=(
        Mutant("narrower", "T theta < pi", _retrieval(0)),
        Mutant("wider", "(T - 2) theta < pi", _retrieval(2)),
        Mutant("the end", "(T - 1) theta <= pi", _retrieval(ends=True)),
        Mutant("full turns count", "theta itself, not reduced", _retrieval(modulo=False)),
        Mutant("one attribute", "one attribute or more", _retrieval(attributes=1)),
    ),
    remarks=(
        "One plane holds its symbols apart by their phases and reaches 2 pi / S on the polygon "
        "(dec.thm5.one-plane.polygon); a plane for each symbol reaches pi whatever S. With T = 1 every angle serves.",
        "In particular no query and key over one angle have logits above 0 at all places 1 to T, two or more, where "
        "(T - 1) theta >= pi: with wrong keys at 0 they would compute Retrieval. At (T - 1) theta = pi itself the head "
        "here has 0 at both ends.",
        f"{NONE_IS_RIGHT}So every match is above every key of another symbol at any other place. {ATTRIBUTES_TOO}",
        ANY_PLANES,
        "Nothing is said of heads elsewhere with other values or another F (dec.thm5.one-plane.any-values). A head "
        f"with further angles besides can hold its keys at 0 in their planes. {SOFT}",
    ),
)

# -- partial induction, wrong keys at 0 ----------------------------------------------------------------------------


def _in_order(step: int = 3, ends: bool = False, modulo: bool = True, still_too: bool = False) -> Statement:
    """Above 0 and falling if and only if T = 1 or `0 < (2T - step) theta < pi`; then right on every input."""
    angle = at_least(theta) if still_too else greater(theta)
    room = room_of(2 * T - step, ends)
    form = Entailments(
        (
            ahead(room),
            in_order(room, angle),
            no_order(at_least((2 * T - step) * 2 * x, pi), reduced_by(modulo)),
            no_order_at(NO_ORDER_STRAIGHT, pi / 2),
            no_order_at(NO_ORDER_STILL, 0),
            turned_back(),
        )
    )

    def holds(case: PlanesCase) -> bool:
        keys = case.length - 1
        inside = is_within(case.theta, 2 * keys - step, ends, modulo) and (still_too or moves(case.theta))
        if not (inside or keys == 1):
            return not is_positive_and_falls(case)
        return is_positive_and_falls(case) and computes_induction_in_order(case)

    return Statement(PlanesCase, (), holds, form)


induction_within = Claim(
    id="dec.toy.induction.within",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="One angle has match logits that are above 0 and fall with the distance, for two keys or more, exactly for "
    "0 < (2T - 3) theta below pi",
    source=TOYS,
    latex=r"\lambda_{\mathrm{match}} = \cos\bigl((t - \tfrac32)\theta + e\bigr),\ 4e = \pi - (2T - 3)\theta,\ "
    r"\lambda_{\mathrm{other}} = 0:\quad 0 < \lambda_T < \dots < \lambda_1 \iff T = 1\ \text{or}\ "
    r"0 < (2T - 3)\,|\theta \bmod 2\pi| < \pi",
    sentence=f"{UP_TO} Take the head with {HEAD}, the query that vector turned so that a match t steps back has the "
    "logit cos((t - 3/2) theta + e), e a quarter of pi - (2T - 3) theta, while wrong keys and the query's own have 0. "
    "If T = 1, or theta is above 0 and (2T - 3) theta < pi, then the logit of a match is above 0 and falls strictly "
    "from t = 1 to T, and the head is right on every partial induction input of T keys, under hard attention, with any "
    "number of symbols and attributes. Elsewhere no query and key over this angle alone, whatever the number of "
    "planes, have logits that are above 0 and fall strictly from t = 1 to T.",
    domain="every real angle, every T, S and number of attributes; hard attention, ties averaged; that no other query "
    "and key serve elsewhere is part of the proof, not of the search",
    statement=_in_order(),
    proof=Proof(
        (
            PROOF_OF_AHEAD,
            PROOF_OF_IN_ORDER,
            PROOF_OF_NO_ORDER,
            PROOF_OF_NO_ORDER_STRAIGHT,
            PROOF_OF_NO_ORDER_STILL,
            PROOF_OF_TURNED_BACK,
        )
    ),
    mutants=(
        Mutant("narrower", "(2T - 2) theta < pi", _in_order(2)),
        Mutant("wider", "(2T - 4) theta < pi", _in_order(4)),
        Mutant("the end", "(2T - 3) theta <= pi", _in_order(ends=True)),
        Mutant("full turns count", "theta itself, not reduced", _in_order(modulo=False)),
        Mutant("no angle", "theta >= 0", _in_order(still_too=True)),
    ),
    remarks=(
        "The middle of the first two places is as far as the top may move if the first match is to lead; at (2T - 3) "
        "theta = pi it stands there, the first two matches tie and the last has 0.",
        "With wrong keys below 0 the same planes reach up to twice as far, (2T - 3) / (T - 1) times: "
        "dec.toy.induction.exact.",
        f"{ANY_PLANES} {SOFT}",
    ),
)

WITHIN_CLAIMS: tuple[Claim, ...] = (retrieval_within, induction_within)
