"""The Coq theorems about DYN's Retrieval construction at sequences and angles that Python decides."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest
from coq_angles import angle, cosine
from coq_tokens import all_of, conjunction, sequence, token
from coq_words import Instance, assert_instances, assert_refuted_at, place, real

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.angles import Angle
from headproof.theory.claim import Statement
from headproof.theory.expressivity import retrieval_claims
from headproof.theory.expressivity.feasibility import (
    PairCase,
    computes_retrieval,
    omega,
    pair_angle,
    retrieval_output,
)
from headproof.theory.sequences import retrieval_function

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "expressivity_planes"


def proper(n: int) -> str:
    """Tactics that a sequence of up to four tokens is proper, place by place."""
    p, j, k = ("[|" * n + name + "]" * n for name in "pjk")
    found = " | ".join(f"by exists {place}%N" for place in range(n))
    one = f"by move=> {j} {k} //= _ _ /(congr1 val) // _ /(congr1 val)"
    return f"move=> {p} b //= _ [<-]; (split; [first [{found}] | {one}])"


# -- Retrieval -----------------------------------------------------------------------------------------------------


def writes_pairs(case: PairCase, outputs: Iterable[Any]) -> str:
    """That the construction writes these tokens at the places of a sequence."""
    head = f"plane_pair_output {angle(case.theta)} {sequence(case.tokens, case.letters)}"
    return all_of(f"plane_writes ({head} {p}) {token(each, case.letters)}" for p, each in enumerate(outputs))


def by_retrieval(case: PairCase, n0: int) -> str:
    """Tactics that take what is written at each place from the theorem for up to n0 tokens, proving its premises."""
    proofs, wanted = [], retrieval_function(case.tokens)
    for p, each in enumerate(wanted):
        j = case.tokens.index(each) if isinstance(case.tokens[p][1], str) else p
        proofs.append(f"(right {p}%N {j}%N isT isT erefl)")
    end = omega(case.letters).turns / (2 * n0)
    bound = (
        f"rewrite (_ : 2 * PI / INR {case.letters} / (2 * INR {n0}) = {real(end)} * PI); last (by rewrite /=; field)"
    )
    return (
        "have pi0 := PI_RGT_0; lazymatch goal with |- context [plane_pair_output ?theta _ _] => "
        f"have right := @dyn_thm3_1_retrieval {case.letters} {n0} theta ltac:(lra) ltac:({bound}; lra) "
        f"{case.n} {sequence(case.tokens, case.letters)} isT ltac:({proper(case.n)}) end; exact: {conjunction(proofs)}."
    )


def retrieval_case(letters: int, tokens: tuple[Any, ...], share: Fraction, n0: int) -> PairCase:
    """The sequence at this share of the printed bound for up to n0 tokens."""
    return PairCase(letters, omega(letters) * (share / (2 * n0)), tokens)


def test_retrieval_is_written_in_the_printed_range():
    """Just below the bound and well within, also for sequences shorter than n0; wrong are another output, an angle of
    0, where a pair ties with one of its letter, and twice the bound, where a neighbouring letter ties with the match.
    """
    theorem, found, near = "dyn_thm3_1_retrieval", [], Fraction(99, 100)
    wrongs = {
        (("b", 2), ("c", "b"), ("a", "c")): None,
        (("a", 1), ("a", 2)): Fraction(0),
        (("b", 1), ("a", "b"), ("a", "b")): Fraction(2),
    }
    for tokens, share in wrongs.items():
        n0 = len(tokens) + (share is None)
        case = retrieval_case(3, tokens, near if share is None else near / 2, n0)
        assert claims()["dyn.thm3.1.retrieval"].statement.meets(case)
        outputs = [retrieval_output(case, p) for p in range(1, case.n + 1)]
        if share is None:
            wrong = writes_pairs(case, [*outputs[:-1], case.tokens[-1]])
        else:
            beside = retrieval_case(3, tokens, share, n0)
            assert not computes_retrieval(beside)
            wrong = writes_pairs(beside, outputs)
        found.append(Instance(theorem, writes_pairs(case, outputs), wrong, by_retrieval(case, n0)))
    assert_instances(FILE, found)


def moves(case: PairCase) -> str:
    """Tactics that prove False from logits that do not change, by the exchange of the first two places."""
    theta, x, n = angle(case.theta), sequence(case.tokens, case.letters), case.n
    end = omega(case.letters).turns
    bound = f"rewrite (_ : 2 * PI / INR {case.letters} = {real(end)} * PI); last (by rewrite /=; field)"
    near, far = (f"cos (INR {n - 1 - j} * {theta})" for j in (1, 0))
    return (
        "have pi3 := PI2_3_2. "
        f"have lt : {far} < {near} by apply: plane_cos_lt; rewrite /=; lra. move=> symbolic. "
        f"have := symbolic {case.letters}%N {n}%N {theta} {x} (tperm {place(0, n - 1)} {place(1, n - 1)}) "
        f"{place(0, n - 1)} ltac:(lra) ltac:({bound}; rewrite /=; lra) ltac:({proper(case.n)}). "
        "rewrite !plane_pair_logitE tpermL plane_turn_self !Rplus_0_r => same. "
        f"have {{}}same : {near} = {far} := same. lra."
    )


def test_the_printed_range_does_not_make_the_construction_symbolic():
    """At the counterexample; not at an angle outside the printed range, though logits do change there."""
    claim = claims()["dyn.thm3.1.purely-symbolic"]
    other = PairCase(1, Angle.of_radians(Fraction(21, 20)), (("a", 1), ("a", 1), ("a", 1)))
    assert not claim.statement.conclusion(other)
    assert_refuted_at(FILE, "dyn_thm3_1_purely_symbolic_fails", claim, moves, other)


# -- how far a logit moves -----------------------------------------------------------------------------------------


def limit_of(statement: Statement, case: PairCase, monkeypatch: pytest.MonkeyPatch) -> Fraction:
    """How many angles a statement lets a logit move by."""
    asked: list[Fraction] = []
    with monkeypatch.context() as patch:
        patch.setattr(retrieval_claims, "changes_at_most", lambda case, steps: asked.append(steps(case.n)) or True)
        statement.conclusion(case)
    return asked[0]


def test_logits_move_by_no_more_than_the_bound(monkeypatch):
    """Two logits of a key, by Python's angles, are within the claim's bound; by its mutants' bounds they are not."""
    claim, found = claims()["dyn.thm3.1.purely-symbolic.repaired"], []
    theorem = "dyn_thm3_1_purely_symbolic_repaired"
    for letters, theta, places, mutant in [
        (2, "1/3", (0, 2), "one less"),
        (2, "-1/2", (0, 1), "half"),
        (4, "1/2", (1, 0), "none"),
    ]:
        tokens = (("b", 1), ("a", 2), ("a", 1), ("b", 2))[: 4 if mutant == "one less" else 3]
        case = PairCase(letters, Angle.of_pi(theta), tokens)
        j, k = places
        angles = [pair_angle(case, tokens[-1], tokens[j], case.n - 1 - at) for at in (k, j)]
        values = [cosine(FILE, each.turns, "/plane_turn") for each in angles]
        beside = claim.mutant(mutant).statement
        assert claim.statement.conclusion(case)
        assert not beside.conclusion(case)
        x, n = sequence(tokens, letters), case.n
        turn = f"plane_turn (plane_asked ({x} {n}.-1)) ({x} {place(j, n - 1)}).1"
        facts = "".join(
            f"rewrite (_ : cos (INR ({n}.-1 - {place(at, n - 1)}) * {angle(case.theta)} + {turn}) = {real(value)}); "
            f"last ({proof}). "
            for at, (value, proof) in zip((k, j), values, strict=True)
        )
        tactics = (
            f"have pi0 := PI_RGT_0. have := @{theorem} {letters} {n} {angle(case.theta)} {x} "
            f"(tperm {place(j, n - 1)} {place(k, n - 1)}) {place(j, n - 1)}. "
            f"rewrite tpermL !plane_pair_logitE. {facts} rewrite /=; split_Rabs; lra."
        )
        change = f"Rabs ({real(values[0][0])} - {real(values[1][0])})"
        right, wrong = (
            f"{change} <= {real(limit_of(each, case, monkeypatch))} * Rabs {angle(case.theta)}"
            for each in (claim.statement, beside)
        )
        found.append(Instance(theorem, right, wrong, tactics))
    assert_instances(FILE, found)
