"""The Coq theorems about DYN's two constructions at sequences and angles that Python decides, output by output."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from inspect import signature
from random import Random
from typing import Any

import pytest
from coq_angles import angle
from coq_tokens import NO_WHOLE, all_of, conjunction, half, sequence
from coq_words import Instance, assert_instances, assert_refuted_at, goal, place, real, right_ones

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.angles import Angle, aliases
from headproof.theory.expressivity.feasibility import (
    NumberCase,
    computes_index,
    index_angles,
    index_is_positional,
    index_output,
    largest,
    maximum_is_unique,
    reach,
)
from headproof.theory.formal import identifier, theorems
from headproof.theory.sequences import index_function, valid_index_inputs

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "expressivity_planes"
VALUE, RESIDUAL = (signature(index_output).parameters[name].default for name in ("value", "residual"))

# No multiple of p pi / q, or of a / b, is a whole number of turns; a / b is no rational multiple of pi.
LEMMAS = (
    NO_WHOLE
    + """
Lemma PI_quotient (m n : Z) : n <> 0%Z -> PI <> IZR m / IZR n.
Proof.
move=> n0; case: (Z_lt_le_dec n 0) => sgn e.
  apply: (@plane_PI_irrational (- m)%Z (Z.to_nat (- n)%Z)); first by apply/ltP; lia.
  by rewrite INR_IZR_INZ Z2Nat.id ?opp_IZR; [rewrite e; field; apply: not_0_IZR | lia].
by apply: (@plane_PI_irrational m (Z.to_nat n)); [apply/ltP; lia | rewrite INR_IZR_INZ Z2Nat.id].
Qed.
Lemma radians (a b : Z) : a <> 0%Z -> b <> 0%Z -> plane_irrational (IZR a / IZR b / PI).
Proof.
move=> a0 b0 p q q0 e; have pi0 := PI_RGT_0; have a1 := not_0_IZR _ a0; have b1 := not_0_IZR _ b0.
have q1 : INR q <> 0 by apply: not_0_INR => q_e; rewrite q_e in q0.
have e2 : IZR a * INR q = IZR b * IZR p * PI.
  transitivity (IZR a / IZR b / PI * PI * IZR b * INR q); [field; lra | rewrite e; field; lra].
have p0 : p <> 0%Z by move=> p_e; move: e2; rewrite p_e Rmult_0_r Rmult_0_l => /Rmult_integral[].
have p1 := not_0_IZR _ p0.
apply: (@PI_quotient (a * Z.of_nat q)%Z (b * p)%Z); first by lia.
by rewrite !mult_IZR -INR_IZR_INZ e2; field.
Qed.
Lemma half_turns (a b : Z) : a <> 0%Z -> b <> 0%Z -> plane_irrational (IZR a / IZR b * PI).
Proof.
move=> a0 b0 p q q0 e; have a1 := not_0_IZR _ a0; have b1 := not_0_IZR _ b0.
have q1 : INR q <> 0 by apply: not_0_INR => q_e; rewrite q_e in q0.
apply: (@PI_quotient (p * b)%Z (Z.of_nat q * a)%Z); first by move: q0 => /ltP; lia.
rewrite !mult_IZR -INR_IZR_INZ.
by have -> : PI = IZR a / IZR b * PI * IZR b / IZR a; [field; lra | rewrite e; field; lra].
Qed.
"""
)
# For theta = p pi / q: that no multiple counts, and that it is irrational. For sequences of up to six tokens.
FREE = "case=> [|[|[|[|[|[|t]]]]]] t1 tn [z]; first [by [] | by apply: no_whole; [lia | vm_compute; discriminate]]"
VALID = "case=> [|[|[|[|[|[|p]]]]]] i //= _ [<-]; by []"
SMALL = "have := PI2_3_2; rewrite /=; lra"


# -- Index ---------------------------------------------------------------------------------------------------------


def writes_numbers(case: NumberCase, outputs: Iterable[Any], value: int = VALUE, residual: int = RESIDUAL) -> str:
    """That the construction writes these tokens at the places of a sequence."""
    x = sequence(case.tokens)
    head = f"plane_number_output {value} {residual} {angle(case.theta)} {x}"
    return all_of(f"plane_writes ({head} {p}) {half(each, 3)}" for p, each in enumerate(outputs))


def by_index(theorem: str, case: NumberCase, premise: str) -> str:
    """Tactics that take what is written at each place from a theorem, whose premise on the angle they prove."""
    return (
        "lazymatch goal with |- context [plane_number_output _ _ ?theta _ _] => "
        f"have right := @{theorem} 3 {case.n} theta {sequence(case.tokens)} ltac:({VALID}) ltac:({premise}) end; "
        f"exact: {conjunction(f'(right {p}%N isT)' for p in range(case.n))}."
    )


def sequences(draw: Random, count: int) -> list[tuple[Any, ...]]:
    """Valid sequences of four or five tokens, an integer last."""
    found = []
    while len(found) < count:
        tokens = draw.choice([*valid_index_inputs("abc", 4, draw.choice((4, 5)))])
        if isinstance(tokens[-1], int):
            found.append(tokens)
    return found


def moved(outputs: tuple[Any, ...], tokens: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs with another one at the last place."""
    return (*outputs[:-1], tokens[-1] if outputs[-1] != tokens[-1] else "c")


def number_instances(theorem: str, cases: list[NumberCase], tied: NumberCase, premise: str) -> list[Instance]:
    """The outputs at each case; wrong are another output, other values, and a case whose outputs are not Index's."""
    claim = next(each for each in claims().values() if theorem == identifier(each.id))
    assert not claim.statement.meets(tied)
    assert not computes_index(tied)
    found = []
    for number, case in enumerate(cases):
        assert claim.statement.meets(case)
        outputs = tuple(index_output(case, p) for p in range(1, case.n + 1))
        wrong = [
            writes_numbers(case, moved(outputs, case.tokens)),
            writes_numbers(case, outputs, value=RESIDUAL),
            writes_numbers(case, outputs, residual=0),
            writes_numbers(tied, index_function(tied.tokens)),
        ][number]
        before = "" if number else LEMMAS
        found.append(Instance(theorem, writes_numbers(case, outputs), wrong, by_index(theorem, case, premise), before))
    return found


TIED = NumberCase(Angle.of_pi(Fraction(1, 2)), ("a", "b", "b", "c", 4))


def test_index_is_written_where_nothing_aliases():
    """2 pi / n is the last angle of the premise: 2 pi / (n - 1) turns a key to where the target is."""
    draw, cases = Random(3), []
    for tokens in sequences(draw, 3):
        while aliases(theta := Angle(Fraction(draw.randrange(1, 12), draw.randrange(3, 9))), len(tokens) - 1):
            pass
        cases.append(NumberCase(theta, tokens))
    tied = NumberCase(Angle(Fraction(1, 2)), ("a", "b", "b", "c", 4))
    cases.append(NumberCase(Angle(Fraction(2, 5)), tied.tokens))
    assert_instances(FILE, number_instances("dyn_thm3_1_index_repaired", cases, tied, FREE))


def test_index_is_written_at_irrational_multiples():
    draw = Random(4)
    cases = [NumberCase(Angle.of_radians(Fraction(draw.randrange(-9, 9), 7)), s) for s in sequences(draw, 3)]
    tied = NumberCase(Angle.of_pi(1), ("a", "a", 2))
    assert tied.theta.is_irrational
    cases.append(NumberCase(Angle.of_radians(1), tied.tokens))
    premise = "by apply: radians; discriminate"
    assert_instances(FILE, number_instances("dyn_thm3_1_index_irrational_multiple", cases, tied, premise))


def leads(case: NumberCase) -> str:
    p = f"(p := {case.n}.-1)"
    return f"exists j, leads (plane_number_logits {angle(case.theta)} {sequence(case.tokens)} {p}) j"


def test_the_largest_logit_is_unique_where_python_says():
    """At the least angle of which `reach` multiples fill a turn, and at that of one more: an exact end of the range."""
    theorem, found = "dyn_thm3_1_index_unique_maximum_repaired", []
    for tokens in [("a", "b", "c", "a"), ("a", "b", "c", 1), ("a", "b", 1, 3)]:
        far = reach(NumberCase(Angle.of_pi(0), tokens))
        tied, single = (NumberCase(Angle(Fraction(2, far + more)), tokens) for more in (0, 1))
        assert [maximum_is_unique(case) for case in (tied, single)] == [False, True]
        at = f"@{theorem} 3 {len(tokens)} _ {sequence(tokens)} isT ltac:({VALID})"
        found.append(Instance(theorem, leads(single), leads(tied), f"apply/({at}); {FREE}.", "" if found else LEMMAS))
        no = f"move/({at}) => free; apply: (free {far}%N isT isT); exists 1%Z; rewrite /=; field."
        found.append(Instance(theorem, f"~ ({leads(tied)})", f"~ ({leads(single)})", no))
    assert_instances(FILE, found)


def permuted(tokens: tuple[Any, ...], j: int, k: int, steps: Fraction) -> str:
    """The logit at place `j` of the content of place `k`, as the cosine of so many angles."""
    n = len(tokens)
    logit = f"plane_number_logit theta {half(tokens[-1], 3)} {half(tokens[k], 3)} {n - 1 - j}"
    return f"forall theta, {logit} = cos ({real(steps)} * theta)"


def test_permuted_contents_have_the_logits_of_the_place():
    """Whatever content another place gives, the logit is the one that Python finds for the place; one step on is not.

    Permutations are exchanges of two places, and the content comes from the place that the exchange names.
    """
    theorem, found = "dyn_thm3_1_purely_positional", []
    for tokens in sequences(Random(5), 2):
        n = len(tokens)
        case = NumberCase(Angle.of_radians(1), tokens)
        assert index_is_positional(case)
        steps = [each.radians for each in index_angles(case.theta, tokens[-1], n)]
        for j, k in [(0, n - 2), (1, 2), (2, 0)]:
            at = f"(tperm {place(j, n - 1)} {place(k, n - 1)}) {place(j, n - 1)}"
            tactics = (
                f"move=> theta; have := @{theorem} 3 {n} theta {sequence(tokens)} {at}; rewrite tpermL /= => ->. "
                "by rewrite plane_number_logitE /=; congr cos; lra."
            )
            found.append(
                Instance(theorem, permuted(tokens, j, k, steps[j]), permuted(tokens, j, k, steps[j] + 1), tactics)
            )
    assert_instances(FILE, found)


def tied_keys(case: NumberCase) -> str:
    """Tactics that prove False from a unique largest logit at the angle pi, of which two multiples are a whole turn."""
    assert case.theta == Angle.of_pi(1)
    x = sequence(case.tokens)
    t = next((t for t in range(1, reach(case) + 1) if aliases(case.theta, t)), 1)
    return (
        f"move=> unique; have := unique 3%N {case.n}%N PI {x} isT ltac:({VALID}) plane_PI_irrational; "
        f"move/(@dyn_thm3_1_index_unique_maximum_repaired 3 {case.n} PI {x} isT ltac:({VALID}))/(_ {t}%N isT isT); "
        f"apply; exists ({case.theta.turns * t // 2})%Z; rewrite /=; field."
    )


def test_an_irrational_angle_does_not_make_the_largest_logit_unique():
    """At pi, with three letters but not with two: the key before the query is turned away, the one before it is not."""
    claim = claims()["dyn.thm3.1.index.unique-maximum"]
    other = NumberCase(Angle.of_pi(1), ("a", "a"))
    assert_refuted_at(FILE, "dyn_thm3_1_index_unique_maximum_fails", claim, tied_keys, other)


SHARE = """
have share (K : finType) (l : K -> R) (S : pred K) : (forall k, S k -> forall j, l j <= l k) ->
  (forall k, ~~ S k -> exists j, l k < l j) -> forall k, plane_hard l k = if S k then / INR #|S| else 0.
{ move=> top out k; have same : plane_attended l =1 S.
  { move=> j; case s : (S j); first by apply/plane_attendedP; apply: top.
    by apply/negbTE/negP => /plane_attendedP le; have [i lt] := out j (negbT s); have := le i; lra. }
  by rewrite /plane_hard same (eq_card same). }
"""


def tied_output(case: NumberCase) -> str:
    """Tactics that prove False, at the angle pi, from the right output at a place, the last one if all are right.

    The keys that Python attends to share the weight; by them the query's own token has as much as the right one.
    """
    wanted = index_function(case.tokens)
    p = next((p for p in range(case.n) if index_output(case, p + 1) != wanted[p]), case.n - 1)
    angles = index_angles(case.theta, case.tokens[p], p + 1)
    chosen = largest(angles)
    own = half(case.tokens[p], 3)
    facts = ""
    for k, each in enumerate(angles):
        l_k, turns = f"l {place(k, p + 1)}", each.turns
        if k in chosen:
            facts += (
                f"have l{k} : {l_k} = 1. {{ apply: (@plane_number_alias _ _ _ _ _ ({turns // 2})); rewrite /=; lra. }} "
            )
        else:
            turned = f"(_ : PI * _ = PI + 2 * IZR ({(turns - 1) // 2}) * PI); last by rewrite /=; lra"
            facts += (
                f"have l{k} : {l_k} < 1. {{ rewrite /l /plane_number_logits plane_number_logitE [plane_named _]/=. "
                f"rewrite {turned}. rewrite plane_cos_turns cos_PI; lra. }} "
            )
    held = f"[:: {'; '.join(f'{k}%N' for k in chosen)}]"
    keys = f"[{'[|' * (p + 1)}k{']' * (p + 1)} lk]"
    least = place(chosen[0], p + 1)
    each_top = " | ".join(f"rewrite (l{k} : l (Ordinal lk) = 1)" for k in chosen)
    each_out = " | ".join(f"exact: (l{k} : l (Ordinal lk) < 1)" for k in range(p + 1) if k not in chosen)
    return (
        f"{SHARE} move=> right; have := right 3%N {case.n}%N PI {sequence(case.tokens)} ltac:({VALID}) "
        f"plane_PI_irrational {p}%N isT {own} ltac:(by []). rewrite /plane_number_output. "
        f"set l := plane_number_logits PI _ (p := {p}). {facts}"
        f"have w := @share _ l (fun k => (k : nat) \\in {held}) "
        f"ltac:(move=> {keys} //= _ j; first [{each_top}]; exact: plane_number_le1) "
        f"ltac:(move=> {keys} //= _; exists {least}; rewrite l{chosen[0]}; first [{each_out}]). "
        f"have card : #|[pred k : 'I_{p + 1} | (k : nat) \\in {held}]| = {len(chosen)}%N "
        "by rewrite -sum1_card big_mkcond !big_ord_recl big_ord0. "
        "rewrite [#|_|]card in w. rewrite !(big_mkcond (fun k => _ == _)) !big_ord_recl !big_ord0 /= !w /=. lra."
    )


def test_an_irrational_angle_does_not_make_the_output_right():
    claim = claims()["dyn.thm3.1.index.irrational"]
    other = NumberCase(Angle.of_pi(1), ("a", "b", 1))
    assert_refuted_at(FILE, "dyn_thm3_1_index_irrational_fails", claim, tied_output, other)


def test_outputs_at_pi_are_wrong_where_python_says():
    """What the theorem denies is contradicted at just those sequences: a second key of the target's letter helps."""
    name, claim = "dyn_thm3_1_index_irrational_fails", claims()["dyn.thm3.1.index.irrational"]
    denied = theorems(FILE)[name].statement.strip().removeprefix("~ ")
    sequences = [("a", 1, 2), ("a", "b", "a", 2), ("a", "b", "a", "b", 2)]
    cases = [NumberCase(Angle.of_pi(1), tokens) for tokens in sequences]
    texts = {str(case): goal(f"({denied}) -> False", tied_output(case)) for case in cases}
    expected = {str(case) for case in cases if claim.statement.refuted_by(case)}
    assert right_ones(FILE, texts) == expected
    assert len(expected) == 2
