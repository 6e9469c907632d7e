"""The Coq theorems about DEC's heads of one plane at sizes, angles and inputs that Python decides."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy
from coq_angles import angle, cosine
from coq_tokens import NO_WHOLE
from coq_words import Instance, assert_instances, assert_refuted_at, goal, place, real, right_ones

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.constructions.expressivity import h_pos
from headproof.constructions.tasks import index_task
from headproof.theory.angles import Angle
from headproof.theory.claim import Statement
from headproof.theory.expressivity import plane_bindings, plane_index_claims, plane_low_claims
from headproof.theory.expressivity.plane_heads import IndexCase, PhaseCase, SizeCase, computes_index, index_margin
from headproof.theory.formal import identifier

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "expressivity_planes"

# For theta = p pi / q: that no multiple is a whole number of turns, for lengths up to six.
FREE = "case=> [|[|[|[|[|t]]]]] t_in [z]; first [by [] | by apply: no_whole; [lia | vm_compute; discriminate]]"


AT_PI_OVER_N = {"position": "dec_thm3_position", "offset": "dec_thm3_offset"}


# -- Index at pi / n -----------------------------------------------------------------------------------------------


def head_of(statement: Statement, size: SizeCase, monkeypatch: pytest.MonkeyPatch) -> tuple[IndexCase, str, int]:
    """The head of which a statement says at a size that it computes Index, and in which way."""
    asked: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(plane_index_claims, "computes_index", lambda *args: asked.append(args) or True)
        statement.conclusion(size)
    return asked[0]


def right(head: IndexCase, names: str) -> str:
    predicate = "plane_index" if names == "position" else "plane_index_by_offset"
    return f"{predicate} {head.symbols} {head.length - 1} {real(head.c)} {angle(head.theta)}"


@pytest.mark.parametrize("names", AT_PI_OVER_N)
def test_the_head_at_the_claims_angle_is_right(names, monkeypatch):
    """The theorem gives the head of which the claim speaks; those of its mutants, which err, it does not."""
    claim, theorem, found = claims()[f"dec.thm3.{names}"], AT_PI_OVER_N[names], []
    for size in (SizeCase(2, 3), SizeCase(3, 4), SizeCase(2, 6)):
        head, asked, shift = head_of(claim.statement, size, monkeypatch)
        assert (asked, shift, computes_index(head, names)) == (names, 0, True)
        tactics = (
            f"rewrite (_ : {angle(head.theta)} = PI / INR {head.length}); last (by rewrite /=; field). "
            f"by apply: (@{theorem} {head.symbols} {head.length} {real(head.c)}); lra."
        )
        for mutant in claim.mutants:
            wrong, _, shift = head_of(mutant.statement, size, monkeypatch)
            if shift == 0:
                assert not computes_index(wrong, names)
                found.append(Instance(theorem, right(head, names), right(wrong, names), tactics))
    assert_instances(FILE, found)


def answer(names: str, x: tuple[int, ...], said: int, logits: list[Fraction], symbols: int) -> str:
    """That a head with these logits answers the symbol `said` on the keys `x`."""
    held = f"(fun j : 'I_{len(x)} => nth {place(0, symbols)} [:: {'; '.join(place(s, symbols) for s in x)}] j)"
    shown = f"(fun k : option 'I_{len(x)} => nth 0 [:: {'; '.join(map(real, logits))}] (plane_place k))"
    return f"plane_right (plane_hard {shown}) {held} {place(said, symbols)}"


@pytest.mark.parametrize("names", AT_PI_OVER_N)
def test_the_head_answers_as_in_python(names):
    """With the weights of the construction: its logits and its answers, at length 3 and, by offsets, also at 2."""
    theorem, found, length, letters = AT_PI_OVER_N[names], [], 3, "abc"
    head, task = h_pos(letters, length, sympy.pi / length, names=names), index_task(letters, length, names)
    for keys, x in [(2, (0, 2)), (2, (1, 0)), (1, (2,))][: 2 if names == "position" else 3]:
        for target in range(keys):
            tokens = (*(letters[s] for s in x), target + 1 if names == "position" else keys - target)
            logits = [Fraction(str(each)) for each in head.logits(task.encode(tokens))]
            said = letters.index(task.solve(tokens))
            at = f"{'isT ' if names == 'offset' else ''}(fun j : 'I_{keys} => nth {place(0, 3)} "
            at += f"[:: {'; '.join(place(s, 3) for s in x)}] j) {place(target, keys)}"
            offset = f"{keys}%N " if names == "offset" else ""
            steps = "".join(f"|{cosine(FILE, Fraction(target - k, length))[1]}" for k in range(keys + 1))[1:]
            tactics = (
                f"apply: (plane_right_ext _ (@{theorem} 3 {length} 1 Rlt_0_1 {offset}{at})); "
                f"case=> [[{'[|' * keys}k{']' * keys} lk] //|]; rewrite /plane_place /= Rmult_1_l; [{steps}]."
            )
            right_one = answer(names, x, said, logits, 3)
            for wrong in (
                answer(names, x, (said + 1) % 3, logits, 3),
                answer(names, x, said, [*logits[:-1], logits[-1] + Fraction(1, 7)], 3),
            ):
                found.append(Instance(theorem, right_one, wrong, tactics))
    assert_instances(FILE, found[::2] + found[1::4])


# -- Index at low frequencies --------------------------------------------------------------------------------------


def constant_of(statement: Statement, case: IndexCase, monkeypatch: pytest.MonkeyPatch) -> Fraction:
    """The constant of c theta^2 in the bound that a statement puts on the lead."""
    asked: list[Fraction] = []
    square = plane_low_claims._square
    with monkeypatch.context() as patch:
        patch.setattr(
            plane_low_claims, "_square", lambda case, constant: asked.append(constant) or square(case, constant)
        )
        statement.conclusion(case)
    return asked[0]


def test_the_lead_is_bounded_where_nothing_aliases(monkeypatch):
    """The smallest lead that Python finds is above 0 and below the claim's bound; of the mutants' bounds it is not."""
    claim, found = claims()["dec.toy.index-needs-high.margin"], []
    theorem = identifier(claim.id)
    for share, n, c in [("1/3", 3, "3/2"), ("2/3", 4, 2), ("1/2", 4, "1/5")]:
        case = IndexCase(Angle.of_pi(share), 2, n, Fraction(c))
        assert claim.statement.meets(case)
        assert claim.statement.conclusion(case)
        lead = sum(weight * cosine(FILE, each.turns)[0] for weight, each in index_margin(case))
        theta = angle(case.theta)
        steps = " | ".join(
            f"rewrite (_ : cos _ = {real(value)}); [lra | {proof}]"
            for value, proof in (cosine(FILE, case.theta.turns * d) for d in range(2 - n, n - 1))
        )
        pattern = f"[{'[|' * (n - 1)}k{']' * (n - 1)} lk] //"
        value, proof = cosine(FILE, -case.theta.turns)
        tactics = (
            f"have pi0 := PI_RGT_0; have pos : 0 < {real(c)} by lra. "
            f"have [_ [lead low]] := @{theorem} 2 {n} {real(c)} {theta} pos ltac:({FREE}). "
            f"have least (i k : 'I_{n}.-1) : k <> i -> "
            f"{real(lead)} <= {real(c)} - {real(c)} * cos ({theta} * (INR i - INR k)). "
            f"{{ case: i => {pattern.replace('k', 'i')}; case: k => {pattern}; move=> ne; "
            f"first [by case: ne; apply: val_inj | {steps}]. }} "
            f"split; last by have [i [k [ne le]]] := low isT; have := least i k ne; lra. "
            f"have := lead {place(0, n - 1)} {place(1, n - 1)} ltac:(by move/(congr1 val)); "
            f"rewrite (_ : cos _ = {real(value)}); [lra | {proof}]."
        )

        def bounded(constant: Fraction, lead: Fraction = lead, c: Any = c, theta: str = theta) -> str:
            return f"0 < {real(lead)} /\\ {real(lead)} <= {real(constant)} * {real(c)} * {theta} ^ 2"

        said = bounded(constant_of(claim.statement, case, monkeypatch))
        beside = claim.mutant("a third").statement
        assert not beside.conclusion(case) or share == "1/2"
        found.append(Instance(theorem, said, bounded(constant_of(beside, case, monkeypatch)), tactics, NO_WHOLE))
    assert_instances(FILE, found)


def test_low_frequencies_that_do_not_alias_are_right():
    """Just where Python's premises hold: not where two keys alias, nor without a weight."""
    claim, theorem = claims()["dec.toy.index-needs-high.margin"], "dec_toy_index_needs_high_margin"
    cases = [("2/3", 4, 1), ("1", 3, 1), ("1/100", 5, 2), ("1", 4, 1), ("2/3", 5, 1), ("1/2", 4, 0), ("1/2", 4, -1)]
    texts, expected = {}, set()
    for number, (share, n, c) in enumerate(cases):
        case = IndexCase(Angle.of_pi(share), 2, n, Fraction(c))
        tactics = f"by have [] := @{theorem} 2 {n} {real(c)} {angle(case.theta)} ltac:(lra) ltac:({FREE})."
        texts[str(case)] = f"{'' if number else NO_WHOLE} {goal(right(case, 'position'), tactics)}"
        if claim.statement.meets(case):
            expected.add(str(case))
        assert computes_index(case) == claim.statement.meets(case)
    assert right_ones(FILE, texts) == expected
    assert len(expected) == 3


def low_is_right(case: IndexCase) -> str:
    """Tactics that prove False from heads of low frequency that all err."""
    theta = angle(case.theta)
    return (
        "move=> needs; have pi3 := PI2_3_2; "
        f"apply: (needs {case.symbols}%N {case.length}%N {real(case.c)} {theta}) => //; [lra | by split_Rabs; lra | "
        f"apply/(@dec_thm3_angles {case.symbols} {case.length} {real(case.c)} {theta} isT ltac:(lra)).1]. "
        "case=> [|[|[|t]]] //= _ [z] e; case: (Z_le_gt_dec 1 z) => [/IZR_le|/Z.gt_lt less]; first (by nra). "
        "have /IZR_le : (z <= 0)%Z by lia. nra."
    )


def test_a_low_frequency_computes_index():
    """At the counterexample; not at twice its angle, which the claim does not call low."""
    claim = claims()["dec.toy.index-needs-high"]
    other = IndexCase(Angle.of_radians("1/50"), 2, 3)
    assert not claim.statement.conclusion(other)
    assert_refuted_at(FILE, "dec_toy_index_needs_high_fails", claim, low_is_right, other)


# -- partial induction ---------------------------------------------------------------------------------------------


def ahead(case: PhaseCase) -> str:
    keys = case.length - 1
    head = f"(plane_ahead {case.symbols} {keys} {angle(case.theta)})"
    return f"plane_induction {case.attributes} {keys} plane_hard {head} (-1)"


def by_inner(case: PhaseCase) -> str:
    """Tactics that have the head be right, at the angle of the goal, by the theorem alone."""
    keys, omega = case.length - 1, Fraction(2, case.symbols)
    bound = f"rewrite (_ : 2 * PI / INR {case.symbols} = {real(omega)} * PI); last (by rewrite /=; field)"
    return (
        "have pi0 := PI_RGT_0; "
        f"apply: (@dec_thm6_one_plane_inner {case.symbols} {case.attributes} {keys}); [lra | | ]; "
        f"{bound}; rewrite /=; lra."
    )


def test_phases_set_ahead_are_right_up_to_the_end_of_the_range():
    """Just below the end, but not at the end, where with two symbols Python's head errs, nor at the angle 0."""
    claim, found = claims()["dec.thm6.one-plane.inner"], []
    for symbols, attributes, keys in [(2, 2, 4), (2, 3, 2), (2, 2, 3), (3, 2, 4)]:
        end = Fraction(2, symbols) / max(2 * keys - 4, keys - 1)
        inside, beside = (
            PhaseCase(Angle(share), symbols, attributes, keys + 1)
            for share in (end * Fraction(99, 100), end if symbols == 2 else Fraction(0))
        )
        assert claim.statement.meets(inside)
        assert claim.statement.conclusion(inside)
        assert not claim.statement.meets(beside)
        assert not claim.statement.conclusion(beside)
        found.append(Instance(identifier(claim.id), ahead(inside), ahead(beside), by_inner(inside)))
    assert_instances(FILE, found)


def logit_of(case: PhaseCase, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], Any]:
    """The logits of the head of which the claim speaks, by a symbol's number and the steps before the query."""
    asked: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(plane_bindings, "right_on_pairs", lambda *args, **named: asked.append(args) or True)
        plane_bindings.computes_induction_ahead(case)
    return asked[0][3]


def test_phases_set_ahead_keep_the_match_above(monkeypatch):
    """The match is above each other key by Python's angles: not below it, nor by an angle beside."""
    theorem, found = "dec_thm6_one_plane_inner", []
    for symbols, keys, share, body in [(2, 3, "12/25", (0, 1, 0)), (3, 4, "1/7", (2, 0, 0, 1))]:
        case = PhaseCase(Angle.of_pi(share), symbols, 2, keys + 1)
        logit = logit_of(case, monkeypatch)
        i = max(place for place, symbol in enumerate(body) if symbol == 0)
        sym = f"(fun j : 'I_{keys} => nth {place(0, symbols)} [:: {'; '.join(place(s, symbols) for s in body)}] j)"
        ((_, match),) = logit(0, keys - i)
        last = f"ltac:(move=> {'[' + '[|' * keys}k{']' * keys} lk] //= _)"
        for j in (j for j in range(keys) if j != i):
            ((_, other),) = logit(body[j], keys - j)
            tactics = (
                f"have right : {ahead(case)}. {{ {by_inner(case)} }} "
                f"have lt := @plane_induction_leads {symbols} 2 {keys} _ _ {sym} {place(i, keys)} {place(j, keys)} "
                f"isT right {last} ltac:(by move/(congr1 val)). "
                "apply: (Rle_lt_trans _ _ _ _ (Rlt_le_trans _ _ _ lt _)); apply: Req_le; "
                "rewrite /plane_ahead /plane_turn; congr cos; rewrite /=; field."
            )
            right_one = f"cos {angle(other)} < cos {angle(match)}"
            wrong = f"cos {angle(match)} < cos {angle(other)}" if j else f"cos {angle(other + Angle.of_pi('1/7'))} < "
            wrong += "" if j else f"cos {angle(match)}"
            found.append(Instance(theorem, right_one, wrong, tactics))
    assert_instances(FILE, found)


def one_angle_is_right(case: PhaseCase) -> str:
    """Tactics that prove False from heads of one angle that all err."""
    keys, theta = case.length - 1, angle(case.theta)
    end = Fraction(2, case.symbols * (2 * keys - 1))
    bound = f"2 * PI / INR {case.symbols} / (2 * INR {keys} - 1)"
    return (
        f"move=> no_head; apply: (no_head {case.symbols}%N {case.attributes}%N {keys}%N {theta}) => //; "
        "apply/dec_thm6_one_angle_range => //; right; have := PI2_3_2; "
        f"rewrite (_ : {bound} = {real(end)} * PI); last (by rewrite /=; field); exists 0%Z; split_Rabs; lra."
    )


def test_one_angle_computes_partial_induction():
    """At the counterexample; not at an angle beyond the range, where such a head does err."""
    claim = claims()["dec.thm6.one-angle"]
    other = PhaseCase(Angle.of_radians(Fraction(8, 5)), 2, 2, 3)
    assert claim.statement.conclusion(other)
    assert_refuted_at(FILE, "dec_thm6_one_angle_fails", claim, one_angle_is_right, other)
