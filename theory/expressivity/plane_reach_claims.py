"""What the bounds on one plane leave open and what follows from them: other values, and high frequencies."""

from __future__ import annotations

from sympy import pi

from headproof.theory.angles import Angle
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.derivation import Entailments, greater
from headproof.theory.expressivity.plane_binding_claims import LARGE, THEOREM_5, TWO_ATTRIBUTES
from headproof.theory.expressivity.plane_binding_proofs import HALF, T, x
from headproof.theory.expressivity.plane_bindings import computes_retrieval_by_phase
from headproof.theory.expressivity.plane_heads import BindingCase
from headproof.theory.expressivity.plane_index_claims import TWO_KEYS
from headproof.theory.expressivity.plane_limit_claims import COPIES, copies, outer_retrieval
from headproof.theory.expressivity.plane_limit_proofs import PROOF_OF_TOO_WIDE, too_wide
from headproof.theory.expressivity.plane_low_claims import TOYS
from headproof.theory.expressivity.plane_order_proofs import PROOF_OF_AVERAGE, average
from headproof.theory.expressivity.plane_pairs import LongBindingCase, PlanePairCase, computes_retrieval_pairwise
from headproof.theory.expressivity.plane_phase_claims import polygon
from headproof.theory.expressivity.plane_reach_proofs import (
    PROOF_OF_SPANS,
    PROOF_OF_TURNED_BACK,
    spans,
    turned_back,
)
from headproof.theory.proof import Proof

assert outer_retrieval.statement is not None

any_values = Claim(
    id="dec.thm5.one-plane.any-values",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="No head of one plane, whatever its values, computes Retrieval once its places span half a turn",
    source=THEOREM_5,
    latex=r"(T - 1)\,|\theta| \ge \pi,\ |\theta| \le \pi\ \Rightarrow\ "
    r"\text{no choice of keys, queries, VAL and F is right on every Retrieval input}",
    sentence="Let theta be reduced to |theta| <= pi. If (T - 1) |theta| >= pi, then no head of one plane with this "
    "angle, whatever its key, query and value vectors and its F, is right on every Retrieval input of T keys with two "
    "attributes or more, under hard attention or softmax.",
    domain="every real angle, every T and S >= T, all key, query and value vectors; here, which is enough to refute "
    f"it, {COPIES} under hard attention, and values that are numbers under softmax at theta = pi and the like, where "
    "all weights are powers of 2",
    statement=outer_retrieval.statement.without(copies.name),
    repair=outer_retrieval.id,
    survives=f"it holds with {COPIES} under hard attention (dec.thm5.one-plane.outer)",
    remarks=(
        "The head of the case is linear in its values: a pair adds its weight times its number, the query's own key "
        "its number, and the answer is the first attribute if the sum is above 0. The weights are 2^(k . q), so k . q "
        "stands in units of log 2. With three tokens and two symbols there are 16 inputs, done by hand.",
        "With a network for F no keys are needed at all: the counterexample to theorem 4 under softmax has keys 0, and "
        "so may have one plane of any angle.",
    ),
)


def size_is_between(angle: Angle, least: str, most: str) -> bool:
    """Whether `least <= |angle| <= most`, both rational numbers of radians."""

    def not_negative(difference: Angle) -> bool:
        return difference.is_nonnegative

    size = angle if not_negative(angle) else -angle
    return not_negative(size - Angle.of_radians(least)) and not_negative(Angle.of_radians(most) - size)


needs_low = Claim(
    id="dec.toy.retrieval-needs-low",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="A head with a high frequency alone must fail on Retrieval, at every length",
    source=TOYS,
    latex=r"1/2 \le |\theta| \le 1,\ n \ge 3\ \Rightarrow\ "
    r"\text{no head of one plane is right on every Retrieval input of length } n",
    sentence="Read as a statement about what heads can compute at every length n >= 3: with a high frequency, 1/2 <= "
    "|theta| <= 1 (1 is RoPE's highest), with two attributes and two keys or more, no head of one plane is right on "
    "every Retrieval input of length n under hard attention; here for the centred head on the polygon, which is "
    "enough to refute it.",
    domain="angles from 1/2 to 1 in size, every length n >= 3, S >= n - 1 symbols, two attributes or more; hard "
    "attention, ties averaged",
    statement=Statement(
        BindingCase,
        (
            TWO_ATTRIBUTES,
            TWO_KEYS,
            Premise("high frequency", "1/2 <= |theta| <= 1", lambda case: size_is_between(case.theta, "1/2", "1")),
        ),
        lambda case: not computes_retrieval_by_phase(case),
    ),
    repair=polygon.id,
    survives="with VAL the identity on one-hot pairs and F the projection, a plane can bind only over "
    "(T - 1) |theta| < pi (dec.thm5.one-plane.outer): with the frequency 1 never at n >= 6, with one from 1/2 on never "
    "at n >= 9 (dec.toy.retrieval-needs-low.from-some-length), whatever the keys and queries; with few keys it can, at "
    "n = 3 and theta = 1 for any number of symbols at least up to 6, where the polygon ends",
    remarks=(
        "The source prints no number for high; RoPE's highest frequency, 1, is among the angles that refute it.",
        "The other reading, from some length on, is dec.toy.retrieval-needs-low.from-some-length: it holds.",
    ),
)


def _high(length: int = 9, least: str = "1/2", most: str = "1", attributes: int = 2) -> Statement:
    """No head is right where n is at least `length` and |theta| between the bounds (no upper one where it is "")."""
    top = most or str(LARGE)
    premises = [
        Premise("long enough", f"n >= {length}", lambda case: case.length >= length),
        Premise(
            "high frequency",
            f"{least} <= |theta|{f' <= {most}' * bool(most)}",
            lambda case: size_is_between(case.theta, least, top),
        ),
    ]
    premises += [TWO_ATTRIBUTES] * (attributes == 2)
    form = Entailments(
        (
            spans(length, HALF if least == "1/2" else HALF / 10, 1 if most else LARGE),
            too_wide((T - 1) * 2 * x - pi, attributes, greater(pi, 2 * x)),
            average(),
            turned_back(),
        )
    )

    def holds(case: PlanePairCase) -> bool:
        return not computes_retrieval_pairwise(case)

    return Statement(LongBindingCase, tuple(premises), holds, form)


from_some_length = Claim(
    id="dec.toy.retrieval-needs-low.from-some-length",
    kind=Kind.THEOREM,
    fidelity=Fidelity.RECONSTRUCTED,
    title="A head that copies pairs with a high frequency alone must fail on Retrieval from some length on",
    source=TOYS,
    latex=r"1/2 \le |\theta| \le 1,\ n \ge 9\ \Rightarrow\ "
    r"\text{with VAL the identity, F the projection, no head of one plane is right on every Retrieval input}",
    sentence="Read as a statement about what heads can compute from some length on: with a high frequency, "
    "1/2 <= |theta| <= 1, two attributes or more, VAL the identity on one-hot pairs and F the projection to the "
    "attributes, no head of one plane, whatever its key and query vectors, is right under hard attention on every "
    "Retrieval input of a length n >= 9.",
    domain="every real angle from 1/2 to 1 in size, every n >= 9, S >= n - 1 symbols, two attributes or more, all key "
    f"and query vectors, any logit of the query's own key, {COPIES}; hard attention, ties averaged",
    statement=_high(),
    proof=Proof((PROOF_OF_SPANS, PROOF_OF_TOO_WIDE, PROOF_OF_AVERAGE, PROOF_OF_TURNED_BACK)),
    mutants=(
        Mutant("five tokens", "n >= 5", _high(length=5)),
        Mutant("lower", "1/20 <= |theta| <= 1", _high(least="1/20")),
        Mutant("no upper bound", "1/2 <= |theta|", _high(most="")),
        Mutant("one attribute", "one attribute or more", _high(attributes=1)),
    ),
    remarks=(
        "The source prints neither a number for high nor a length nor, at this place, what VAL and F are; those here "
        "are one choice, and 9 is not said to be the least length that serves. The other reading, at every length, is "
        "refuted: dec.toy.retrieval-needs-low.",
    ),
)

PLANE_REACH_CLAIMS = (any_values, needs_low, from_some_length)
