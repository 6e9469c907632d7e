"""The claims about DYN's Retrieval construction (theorem 3.1, feasibility): range of the angle, symbolic or not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from headproof.theory.angles import reduced
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.derivation import Entailment, Entailments, Part
from headproof.theory.expressivity.feasibility import (
    PairCase,
    RangeCase,
    changes_at_most,
    computes_retrieval,
    omega,
    pair_is_symbolic,
    right_on_all_pairs,
)
from headproof.theory.expressivity.feasibility_proofs import n, theta
from headproof.theory.expressivity.retrieval_proofs import (
    PROOF_OF_AT_ZERO,
    PROOF_OF_DRIFT,
    PROOF_OF_PLACES,
    PROOF_OF_TOO_WIDE,
    PROOF_OF_TURNS,
    SHARP,
    at_zero,
    drift,
    match_wins,
    own_wins,
    places,
    proof_of_match_wins,
    proof_of_own_wins,
    too_wide,
    turns,
)
from headproof.theory.expressivity.retrieval_proofs import omega as OMEGA
from headproof.theory.proof import Proof

RETRIEVAL = Source("DYN", "theorem 3.1 and its proof, Retrieval construction")

# -- the printed range, and the exact one --------------------------------------------------------------------------


def _range(what: str, limit: Callable[[int], int], least: bool = True) -> Premise:
    """`0 < theta` (or `0 <= theta`) and `limit(n) theta < omega`."""

    def holds(case: PairCase) -> bool:
        above = case.theta.is_positive if least else case.theta.is_nonnegative
        return above and (omega(case.letters) - case.theta * limit(case.n)).is_positive

    return Premise("small angle", f"0 {'<' if least else '<='} theta and {what} theta < omega, n <= n0", holds)


def _right(premise: Premise, *parts: Entailment) -> Statement:
    return Statement(PairCase, (premise,), computes_retrieval, Entailments(parts))


_printed_parts = (match_wins(OMEGA - 2 * n * theta), own_wins(OMEGA - 2 * n * theta), places)
retrieval_printed = Claim(
    id="dyn.thm3.1.retrieval",
    kind=Kind.CONSTRUCTION,
    fidelity=Fidelity.PRINTED,
    title="With 0 < theta < omega / (2 n0) the construction computes Retrieval up to n0",
    source=RETRIEVAL,
    latex=r"0 < \theta < \omega / (2 n_0) \Rightarrow \text{Retrieval on all proper inputs of length} \le n_0",
    sentence="With omega = 2 pi / |letters| and 0 < theta < omega / (2 n0) the transformer's output is that of "
    "Retrieval at every token of every proper input of n <= n0 tokens, under hard attention.",
    domain="every alphabet, every real angle in the range, every proper sequence of any length n <= n0",
    statement=_right(_range("2 n", lambda n0: 2 * n0), *_printed_parts),
    proof=Proof(
        (
            proof_of_match_wins(Part(("range",)), Part(("angle",), 3)),
            proof_of_own_wins(Part(("range",)), Part(("angle",), 3)),
            PROOF_OF_PLACES,
        )
    ),
    mutants=(
        Mutant(
            "twice",
            "theta < omega / n0",
            _right(_range("n", lambda n0: n0), match_wins(OMEGA - n * theta), *_printed_parts[1:]),
        ),
        Mutant(
            "angle 0 too",
            "0 <= theta",
            _right(_range("2 n", lambda n0: 2 * n0, False), *_printed_parts[:2], at_zero(1)),
        ),
        Mutant(
            "one letter's angle",
            "theta < omega",
            _right(_range("1", lambda n0: 1), match_wins(OMEGA - theta), *_printed_parts[1:]),
        ),
    ),
    remarks=(
        "The theorem for Retrieval follows: for every n0 such an angle exists. The range is not sharp, see "
        "dyn.thm3.1.retrieval.range.",
    ),
)

TWO_LETTERS = Premise("two letters", "at least two letters", lambda case: case.letters >= 2)
TWO_PLACES = Premise("two places", "n >= 2", lambda case: case.n >= 2)


def _exactly(limit: Callable[[int], int], parts: tuple[Entailment, ...], *premises: Premise) -> Statement:
    def agrees(case: RangeCase) -> bool:
        angle = reduced(case.theta)
        within = angle.is_positive and (omega(case.letters) - angle * limit(case.n)).is_positive
        return right_on_all_pairs(case) == within

    return Statement(RangeCase, premises or (TWO_LETTERS, TWO_PLACES), agrees, Entailments(parts))


def _parts(room: Entailment, wide: Entailment, zero: Entailment | None = None) -> tuple[Entailment, ...]:
    return room, own_wins(SHARP), places, wide, zero or at_zero(), turns


retrieval_range = Claim(
    id="dyn.thm3.1.retrieval.range",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="The construction computes Retrieval at length n exactly for 0 < (2 n - 3) theta < omega",
    source=RETRIEVAL,
    latex=r"\text{right on all proper inputs of length } n \iff 0 < (2n-3)\,|\theta \bmod 2\pi| < \omega",
    sentence="For n >= 2 and two letters or more the construction is right on every proper input of n tokens if and "
    "only if theta, up to its sign and full turns, is above 0 and (2 n - 3) theta is below omega.",
    domain="every alphabet of two letters or more, every n >= 2, every real angle; all proper inputs, through the "
    "pairs of places and letters that can meet in one",
    statement=_exactly(lambda length: 2 * length - 3, _parts(match_wins(SHARP), too_wide(SHARP))),
    proof=Proof(
        (
            proof_of_match_wins(Part(("range",))),
            proof_of_own_wins(Part(("range",))),
            PROOF_OF_PLACES,
            PROOF_OF_TOO_WIDE,
            PROOF_OF_AT_ZERO,
            PROOF_OF_TURNS,
        )
    ),
    mutants=(
        Mutant(
            "as printed",
            "2 n theta < omega is necessary",
            _exactly(
                lambda length: 2 * length,
                _parts(match_wins(OMEGA - 2 * n * theta), too_wide(OMEGA - 2 * n * theta)),
            ),
        ),
        Mutant(
            "one place more",
            "(2 n - 4) theta < omega",
            _exactly(
                lambda length: 2 * length - 4,
                _parts(match_wins(OMEGA - (2 * n - 4) * theta), too_wide(OMEGA - (2 * n - 4) * theta)),
            ),
        ),
        Mutant(
            "keys share places",
            "(2 n - 2) theta < omega",
            _exactly(
                lambda length: 2 * length - 2,
                _parts(match_wins(OMEGA - (2 * n - 2) * theta), too_wide(OMEGA - (2 * n - 2) * theta)),
            ),
        ),
        Mutant(
            "one place",
            "n >= 1 instead of n >= 2",
            _exactly(
                lambda length: 2 * length - 3,
                _parts(match_wins(SHARP), too_wide(SHARP), at_zero(1)),
                TWO_LETTERS,
                Premise("one place", "n >= 1", lambda case: case.n >= 1),
            ),
        ),
    ),
    remarks=(
        "At angle 0 only pairs of a letter and a number fail: such a pair ties with an earlier pair of its letter.",
        "With another phase of the queries the range grows: what counts is then the spread (n - 1) theta alone.",
    ),
)

# -- purely symbolic? ----------------------------------------------------------------------------------------------


def _drifts(limit: Callable[[int], int], part: Entailment) -> Statement:
    return Statement(
        PairCase,
        (),
        lambda case: changes_at_most(case, lambda length: Fraction(limit(length))),
        Entailments((part, turns)),
    )


almost_symbolic = Claim(
    id="dyn.thm3.1.purely-symbolic.repaired",
    kind=Kind.THEOREM,
    fidelity=Fidelity.OURS,
    title="Moving the earlier tokens changes a logit of the Retrieval construction by at most (n - 2) theta",
    source=Source("DYN", "remark after theorem 3.1"),
    latex=r"|L(x_n,n,x_j,\pi(j)) - L(x_n,n,x_j,j)| \le (n-2)\,|\theta|",
    sentence="Permuting the positions of the earlier keys changes each logit by at most (n - 2) |theta|, which is "
    "below omega / 2 in the printed range.",
    domain="every alphabet, every real angle, every input of n >= 2 tokens",
    statement=_drifts(lambda length: max(0, length - 2), drift(n - 2)),
    proof=Proof((PROOF_OF_DRIFT, PROOF_OF_TURNS)),
    mutants=(
        Mutant("none", "no change at all", _drifts(lambda length: 0, drift(0))),
        Mutant("one less", "at most (n - 3) |theta|", _drifts(lambda length: max(0, length - 3), drift(n - 3))),
        Mutant(
            "half",
            "at most (n - 2) |theta| / 2",
            Statement(
                PairCase,
                (),
                lambda case: changes_at_most(case, lambda length: Fraction(max(0, length - 2), 2)),
                Entailments((drift((n - 2) / 2), turns)),
            ),
        ),
    ),
)

symbolic_printed = Claim(
    id="dyn.thm3.1.purely-symbolic",
    kind=Kind.THEOREM,
    fidelity=Fidelity.PRINTED,
    title="The Retrieval construction is purely symbolic",
    source=Source("DYN", "remark after theorem 3.1"),
    latex=r"0 < \theta < \omega/(2 n_0) \Rightarrow L(x_n,n,x_j,\pi(j)) = L(x_n,n,x_j,j)",
    sentence="In the printed range of theta no permutation of the earlier keys' positions changes a logit of the "
    "Retrieval construction.",
    domain="every alphabet, every angle in the printed range, every input",
    statement=Statement(PairCase, (_range("2 n", lambda n0: 2 * n0),), pair_is_symbolic),
    repair=almost_symbolic.id,
    survives="approximately: logits move by at most (n - 2) theta, and hard attention keeps its choice; of the angles "
    "from 0 to the printed bound exactly only at 0, which the print excludes and where pairs of one letter tie",
    remarks=(
        "By hand: two letters, theta = 1/2, (a,1) (b,1) (b,a): the first key has the logit cos 1 at its place and "
        "cos 1/2 one place nearer.",
        "Decided by the definition, which is exact. In the sense of scores with a margin (a head counts as pure if one "
        "score is high and the other low) it is a question of degree, and of the inputs measured on.",
    ),
)

RETRIEVAL_CLAIMS = (retrieval_printed, retrieval_range, symbolic_printed, almost_symbolic)
