"""The claims about U and inverted U (DEC, theorem 7): as reconstructed, and with their exact ranges."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from sympy import cos, pi

from headproof.theory.angles import between, reduced
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments, equal
from headproof.theory.proof import Proof
from headproof.theory.shapes import ShapeCase, is_inverted, is_inverted_u_shaped, is_u_shaped
from headproof.theory.shapes.inverted_proofs import (
    NO_RISE_EVEN_PART,
    PROOF_OF_FLAT_MATCH,
    PROOF_OF_NO_RISE,
    PROOF_OF_NO_RISE_EVEN,
    PROOF_OF_REPEAT_HALF,
    PROOF_OF_RISE,
    REPEATS_HALF,
    flat_match,
    no_rise,
    rise,
)
from headproof.theory.shapes.u_proofs import (
    PROOF_OF_FALL,
    PROOF_OF_FLAT,
    PROOF_OF_NO_FALL,
    PROOF_OF_REPEAT,
    PROOF_OF_TURNED,
    REPEATS,
    N,
    fall,
    flat,
    j,
    k,
    no_fall,
    theta,
    turned,
    x,
)

THEOREM_7 = Source("DEC", "theorem 7")
POSITIVE_WEIGHT = Premise("positive weight", "c > 0", lambda case: case.c > 0)
THREE_KEYS = Premise("three keys", "N >= 3: fewer keys have no step in either half", lambda case: case.keys >= 3)


AT_LEAST_TWO = Premise("two keys", "N >= 2", lambda case: case.keys >= 2)
Test = Callable[[ShapeCase], bool]


def _equivalent(shape: Test, in_range: Test, parts: tuple[Entailment, ...], keys: Premise = THREE_KEYS) -> Statement:
    """`shape` if and only if `in_range`, for c > 0 and at least three keys."""
    return Statement(ShapeCase, (POSITIVE_WEIGHT, keys), lambda case: shape(case) == in_range(case), Entailments(parts))


def _below(step: int, even_period: int = 2) -> Test:
    """Whether the reduced angle lies strictly between 0 and `2 pi / (N + step)`: without end where N + step <= 0.

    `even_period` is the angle's period in units of pi where the number of keys is even.
    """

    def holds(case: ShapeCase) -> bool:
        angle = reduced(case.theta, 2 if case.keys % 2 else even_period)
        keys = case.keys + step
        return between(angle, Fraction(0), Fraction(2, keys) if keys > 0 else NO_END)

    return holds


def _above(step: int) -> Test:
    """Whether the reduced angle lies strictly above `2 pi / (N + step)`."""
    return lambda case: between(reduced(case.theta), Fraction(2, case.keys + step), NO_END)


NO_END = Fraction(3)  # a reduced angle is at most 2 pi

# -- U: H_POS ------------------------------------------------------------------------------------------------------


def _u(step: int = 0, keys: int = 3) -> tuple[Entailment, ...]:
    return fall(2 * pi - (N + step) * theta), no_fall(pi - (N + step) * x, keys), flat(keys), REPEATS


def _as_given(case: ShapeCase) -> bool:
    return between(case.theta, Fraction(0), Fraction(2, case.keys))


u_range = Claim(
    id="dec.thm7.u-shape.range",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="H_POS has a strict U exactly for N theta below a full turn",
    source=THEOREM_7,
    latex=r"w_{\max}\ \text{strictly falls to the middle and rises after it} \iff "
    r"\theta \bmod 2\pi \in \pm(0, 2\pi/N)",
    sentence="For N >= 3 keys and c > 0 the weight on the target is strictly U-shaped in the target's place if and "
    "only if theta, up to its sign and full turns, lies strictly between 0 and 2 pi / N.",
    domain="every real angle, every N >= 3, every weight c > 0",
    statement=_equivalent(is_u_shaped, _below(0), _u()),
    proof=Proof((PROOF_OF_FALL, PROOF_OF_NO_FALL, PROOF_OF_FLAT, PROOF_OF_REPEAT)),
    mutants=(
        Mutant("narrower", "below 2 pi / (N + 1)", _equivalent(is_u_shaped, _below(1), _u(1))),
        Mutant("wider", "below 2 pi / (N - 1)", _equivalent(is_u_shaped, _below(-1), _u(-1))),
        Mutant("two keys", "N >= 2 instead of N >= 3", _equivalent(is_u_shaped, _below(0), _u(0, 2), AT_LEAST_TWO)),
        Mutant("inverted", "an inverted U", _equivalent(is_inverted, _below(0), (turned(2 * pi - N * theta), REPEATS))),
        Mutant(
            "full turns count",
            "theta itself between 0 and 2 pi / N",
            _equivalent(
                is_u_shaped,
                _as_given,
                (*_u()[:3], Entailment(REPEATS.title, {}, (equal(cos(theta * N), cos(theta * N + 1)),))),
            ),
        ),
    ),
    remarks=(
        "At every multiple of 2 pi / N all targets have the same weight; between 2 pi / N and 2 pi / (N - 2) the U "
        "stands on its head (dec.thm7.u-shape.beyond); further out, but for those multiples, the weight goes up and "
        "down.",
    ),
)

u_printed = Claim(
    id="dec.thm7.u-shape",
    kind=Kind.THEOREM,
    fidelity=Fidelity.RECONSTRUCTED,
    title="H_POS: the weight on the target is U-shaped in the target's place",
    source=THEOREM_7,
    latex=r"w_{\max}(1) \ge \dots \ge w_{\max}(\text{middle}) \le \dots \le w_{\max}(N)",
    sentence="The attention weight of H_POS on its target falls as the target moves to the middle, then rises, "
    "whatever the angle; level steps count for the claim.",
    domain="every real angle, every N, every weight c > 0",
    statement=Statement(ShapeCase, (POSITIVE_WEIGHT,), partial(is_u_shaped, at_most=0)),
    repair=u_range.id,
    survives="the U itself, strict, for every N theta below a full turn; beyond it only level, where all weights are "
    "equal: at the multiples of 2 pi / N",
    remarks=(
        "The reconstruction names no angle; if the source limits N theta, this verdict is about the version without "
        "the limit. By hand: for N = 3 and theta = pi the ends see the logits c, -c, c and the middle -c, c, -c.",
    ),
)


def _beyond(shape: Test, below: Test, above: Test, words: str, parts: tuple[Entailment, ...]) -> Statement:
    premise = Premise("just beyond", words, lambda case: below(case) and above(case))
    return Statement(ShapeCase, (POSITIVE_WEIGHT, premise), shape, Entailments((*parts, REPEATS)))


JUST_BEYOND = "2 pi < N theta and (N - 2) theta < 2 pi for the reduced theta"
u_beyond = Claim(
    id="dec.thm7.u-shape.beyond",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Just beyond that range the U of H_POS stands on its head",
    source=THEOREM_7,
    latex=r"|\theta \bmod 2\pi| \in (2\pi/N, 2\pi/(N-2)) \cap (0, \pi] \Rightarrow w_{\max}\ \text{rises, then falls}",
    sentence="Let N >= 3 and let theta, reduced by its sign and full turns to [0, pi], lie strictly between 2 pi / N "
    "and 2 pi / (N - 2). Then the weight on the target strictly rises to the middle and falls after it.",
    domain="every real angle in the range, every N >= 3, every weight c > 0",
    statement=_beyond(is_inverted, _below(-2), _above(0), JUST_BEYOND, (turned(2 * pi - (N - 2) * theta),)),
    proof=Proof((PROOF_OF_TURNED, PROOF_OF_REPEAT)),
    mutants=(
        Mutant(
            "further",
            "up to 2 pi / (N - 3)",
            _beyond(
                is_inverted,
                _below(-3),
                _above(0),
                "2 pi / N < theta < 2 pi / (N - 3)",
                (turned(2 * pi - (N - 3) * theta),),
            ),
        ),
        Mutant(
            "sooner",
            "from 2 pi / (N + 1) on",
            _beyond(
                is_inverted,
                _below(-2),
                _above(1),
                "2 pi / (N + 1) < theta < 2 pi / (N - 2)",
                (turned(2 * pi - (N - 2) * theta, (N + 1) * theta - 2 * pi),),
            ),
        ),
        Mutant(
            "upright",
            "a U",
            _beyond(is_u_shaped, _below(-2), _above(0), JUST_BEYOND, (fall(2 * pi - (N - 2) * theta),)),
        ),
    ),
)

# -- inverted U: the simplified H_SYM ------------------------------------------------------------------------------


def _inverted(step: int = -2, keys: int = 3, repeats: Entailment = REPEATS_HALF) -> tuple[Entailment, ...]:
    room, half_room = 2 * pi - (N + step) * theta, pi - (N + step) * x
    return rise(room), no_rise(half_room), flat_match(keys), NO_RISE_EVEN_PART, REPEATS, repeats


_one_turn = Entailment(
    REPEATS_HALF.title,
    {},
    (
        equal(cos((theta + 2 * pi * k) * (2 * j + 1) / 2), cos(theta * (2 * j + 1) / 2)),
        REPEATS_HALF.conclusions[1],
    ),
    integers=(k, j),
)

inverted_range = Claim(
    id="dec.thm7.inverted-u.range",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The simplified H_SYM has a strict inverted U exactly for (N - 2) theta below a full turn",
    source=THEOREM_7,
    latex=r"w_{\max}\ \text{strictly rises to the centre and falls after it} \iff "
    r"\theta \in \pm(0, 2\pi/(N-2)) \bmod 2\pi\ (N\ \text{odd}),\ \bmod 4\pi\ (N\ \text{even})",
    sentence="For N >= 3 keys and c > 0 the weight on the matched key, its logit c cos(theta (j - (N + 1) / 2)), is "
    "strictly an inverted U in its place j if and only if theta lies strictly between 0 and 2 pi / (N - 2), up to "
    "its sign and full turns (two full turns where N is even, since the centre then lies between two places).",
    domain="every real angle, every N >= 3, every weight c > 0, every logit of the other keys",
    statement=_equivalent(is_inverted_u_shaped, _below(-2, 4), _inverted()),
    proof=Proof(
        (
            PROOF_OF_RISE,
            PROOF_OF_NO_RISE,
            PROOF_OF_FLAT_MATCH,
            PROOF_OF_NO_RISE_EVEN,
            PROOF_OF_REPEAT,
            PROOF_OF_REPEAT_HALF,
        )
    ),
    mutants=(
        Mutant("narrower", "below 2 pi / (N - 1)", _equivalent(is_inverted_u_shaped, _below(-1, 4), _inverted(-1))),
        Mutant("wider", "below 2 pi / (N - 3)", _equivalent(is_inverted_u_shaped, _below(-3, 4), _inverted(-3))),
        Mutant("as the U", "below 2 pi / N", _equivalent(is_inverted_u_shaped, _below(0, 4), _inverted(0))),
        Mutant(
            "two keys",
            "N >= 2 instead of N >= 3",
            _equivalent(is_inverted_u_shaped, _below(-2, 4), _inverted(-2, 2), AT_LEAST_TWO),
        ),
        Mutant(
            "one turn",
            "up to one full turn where N is even",
            _equivalent(is_inverted_u_shaped, _below(-2, 2), _inverted(-2, 3, _one_turn)),
        ),
    ),
    remarks=("With N = 3 every angle that is no multiple of 2 pi will do: the centre and two equal ends.",),
)

inverted_printed = Claim(
    id="dec.thm7.inverted-u",
    kind=Kind.THEOREM,
    fidelity=Fidelity.RECONSTRUCTED,
    title="Simplified H_SYM: the weight on the match is an inverted U in its place",
    source=THEOREM_7,
    latex=r"w_{\max}(1) \le \dots \le w_{\max}(\text{centre}) \ge \dots \ge w_{\max}(N)",
    sentence="The attention weight of the simplified H_SYM on its matched key rises as that key moves to the centre, "
    "then falls, whatever the angle; level steps count for the claim.",
    domain="every real angle, every N, every weight c > 0",
    statement=Statement(ShapeCase, (POSITIVE_WEIGHT,), partial(is_inverted_u_shaped, at_most=0)),
    repair=inverted_range.id,
    survives="the inverted U itself, strict, for every (N - 2) theta below a full turn; beyond it only level, in steps "
    "that are equal",
    remarks=(
        "The reconstruction names no angle; if the source limits N theta, this verdict is about the version without "
        "the limit. By hand: for N = 5 and theta = pi the match has the logit c at the centre, -c one place from it, "
        "and c again two places from it.",
    ),
)

SHAPE_CLAIMS = (u_printed, u_range, u_beyond, inverted_printed, inverted_range)
