"""The Coq theorems on inverse temperatures (lemma F.1) used by name at points that Python decides."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from coq_words import Instance, assert_instances, real

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.angles import Angle
from headproof.theory.claim import Statement
from headproof.theory.discrepancy.temperature import (
    DecodingCase,
    TemperatureCase,
    index_decodes,
    letters_decode,
    numbers_decode,
)
from headproof.theory.formal import identifier

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "discrepancy_temperature"


def statement_of(theorem: str) -> Statement:
    """Python's statement of a theorem."""
    found = next(claim.statement for each, claim in claims().items() if identifier(each) == theorem)
    assert found is not None
    return found


# -- one input and two answers -------------------------------------------------------------------------------------


def decoding(gaps: tuple[int, ...], differences: tuple[int, ...], beta: int) -> DecodingCase:
    return DecodingCase(tuple(map(Fraction, gaps)), tuple(map(Fraction, differences)), beta)


def keys(case: DecodingCase) -> tuple[str, str]:
    """The logits, in units of ln 2, and what the keys give to the right answer, nothing to the other one."""
    n = len(case.gaps)
    logits = "; ".join(f"- ({gap} * ln 2)" for gap in case.gaps)
    gifts = "; ".join(map(real, case.differences))
    return (
        f"(fun t : 'I_{n} => nth 0 [:: {logits}] t)",
        f"(fun (t : 'I_{n}) (s : bool) => if s then nth 0 [:: {gifts}] t else 0)",
    )


def tops(case: DecodingCase) -> str:
    """Facts T and C about the keys with the largest logit and their number."""
    n, (logits, _) = len(case.gaps), keys(case)
    largest = "; ".join("false" if gap else "true" for gap in case.gaps)
    best = f"(Ordinal (isT : ({case.gaps.index(0)} < {n})%N))"
    return (
        "have pos : 0 < ln 2; first (rewrite -ln_1; apply: ln_increasing; lra). "
        f"have T t : temperature_top {logits} t = nth false [:: {largest}] t; first (by "
        "case: t => [[|[|[|m]]] lt] //=; first [apply/temperature_topP => [[[|[|[|j]]] lj]] //=; lra "
        f"| apply/negbTE/negP => /temperature_topP /(_ {best}) /=; lra]). "
        f"have C : temperature_tops {logits} = {len(case.best)}%N; first (by rewrite /temperature_tops -sum1_card "
        "big_mkcond !big_ord_recl big_ord0 /= !inE !T /=). "
    )


SCORES = "rewrite /temperature_score /temperature_hard !big_ord_recl !big_ord0 !C !T /= /bump /=; lra"
POWERS = " | ".join(f"rewrite (_ : exp _ = 2 ^ {k}); [|rewrite (_ : _ * _ = INR {k} * ln 2); "
                    f"[rewrite temperature_exp_power exp_ln; lra | rewrite /=; lra]]" for k in (2, 4, 1))  # fmt: skip


def by_explicit(case: DecodingCase) -> str:
    """The theorem with the case's gap, lead and largest loss; the temperature is the goal's."""
    (logits, gifts), n = keys(case), len(case.gaps)
    numbers = f"({case.gap} * ln 2) {real(sum(case.best, Fraction(0)) / len(case.best))} {real(case.worst)}"
    return (
        f"{tops(case)}apply: (@dyn_lemmaF_1_explicit {n} bool {logits} {gifts} true _ {numbers}); "
        "[by [] | lra | lra "
        "| move=> [[|[|[|?]]] ?] [[|[|[|?]]] ?] //; rewrite !T //= => *; lra "
        f"| move=> [] // _; {SCORES} "
        "| move=> [[|[|[|?]]] ?] [] //; rewrite T //= => *; lra "
        f"| rewrite C; first [{POWERS}]; rewrite /=; lra]."
    )


def test_explicit_temperature():
    """At the temperature from which Python's premise holds the theorem decodes; one step below, at equality, not."""
    theorem, instances = "dyn_lemmaF_1_explicit", []
    statement = statement_of(theorem)
    for gaps, differences, beta in (((0, 1), (1, -2), 2), ((0, 2, 2), (1, -2, -2), 2), ((0, 0, 1), (2, -1, -2), 2)):
        case, below = (decoding(gaps, differences, each) for each in (beta, beta - 1))
        assert (statement.meets(case), statement.conclusion(case)) == (True, True)
        assert (statement.meets(below), statement.conclusion(below)) == (False, False)
        logits, gifts = keys(case)
        said = f"temperature_decodes (temperature_score (temperature_soft {{}} {logits}) {gifts}) true"
        instances.append(Instance(theorem, said.format(beta), said.format(beta - 1), by_explicit(case)))
    assert_instances(FILE, instances)


def from_some_temperature_on(first: DecodingCase, second: DecodingCase) -> str:
    """On both inputs at once the right answer is decoded from some inverse temperature on."""
    parts = [
        f"temperature_decodes (temperature_score (temperature_soft beta {logits}) {gifts}) true"
        for logits, gifts in map(keys, (first, second))
    ]
    return f"exists beta0, forall beta, beta0 <= beta -> {parts[0]} /\\ {parts[1]}"


def by_lemma(first: DecodingCase, second: DecodingCase) -> str:
    """The lemma for two inputs of one length, told apart by a bool; what the keys give is read from the goal."""
    n, logits = len(first.gaps), [keys(case)[0] for case in (first, second)]
    return (
        f"{tops(first).replace('T t', 'T1 t').replace('!T', '!T1').replace('C :', 'C1 :')}"
        f"{tops(second).replace('pos :', 'again :').replace('T t', 'T2 t').replace('!T', '!T2').replace('C :', 'C2 :')}"
        f"match goal with |- exists b, forall c, _ -> temperature_decodes (temperature_score _ ?g1) _ /\\ "
        "temperature_decodes (temperature_score _ ?g2) _ => "
        f"have := @dyn_lemmaF_1 bool_finType bool_finType (fun=> {n}%N) "
        f"(fun x => if x then {logits[0]} else {logits[1]}) "
        "(fun x => if x then g1 else g2) (fun=> true) end; case. "
        "{ move=> [] [] // _; rewrite /temperature_score /temperature_hard !big_ord_recl !big_ord0 "
        "?C1 ?C2 ?T1 ?T2 /= /bump /=; lra. } "
        "by move=> b0 on; exists b0 => b le; split; [exact: (on b le true) | exact: (on b le false)]."
    )


def test_some_temperature_serves_both_inputs():
    """Where hard attention decodes both inputs, one temperature serves both; a tie that others decide has none."""
    theorem, statement, instances = "dyn_lemmaF_1", statement_of("dyn_lemmaF_1"), []
    for one, other, tie in (
        (decoding((0, 1), (1, -5), 0), decoding((3, 0), (-9, 2), 0), decoding((3, 0), (-9, 0), 0)),
        (decoding((0, 0, 2), (3, -2, -7), 0), decoding((1, 0, 4), (0, 1, -8), 0), decoding((1, 0, 4), (0, -1, 8), 0)),
    ):
        assert all(statement.meets(case) and statement.conclusion(case) for case in (one, other))
        assert (statement.meets(tie), statement.conclusion(tie)) == (False, False)
        right, wrong = (from_some_temperature_on(one, each) for each in (other, tie))
        instances.append(Instance(theorem, right, wrong, by_lemma(one, other)))
    assert_instances(FILE, instances)


# -- the two constructions -----------------------------------------------------------------------------------------


def logarithm(name: str, number: str, high: Fraction) -> str:
    """A fact `ln number < high`, from 1 + x <= exp x at an eighth of it."""
    x, bound = real(high / 8), real(high)
    return (
        f"have {name} : ln ({number}) < {bound}; first (rewrite -(ln_exp {bound}); apply: ln_increasing; "
        f"[lra | apply: (Rlt_le_trans _ ((1 + {x}) ^ 8)); [rewrite /=; lra | rewrite (_ : {bound} = INR 8 * {x}); "
        f"[rewrite temperature_exp_power; apply: pow_incr; have := temperature_exp_tangent {x}; lra "
        "| rewrite /=; lra]]]). "
    )


HIGH = logarithm("high", "2", Fraction(3, 4))
LOW = f"{logarithm('low', '/ 2', Fraction(-65, 100))}rewrite (ln_Rinv 2) in low; last lra. "
SQUARE = "have pi : 3 < PI < 16 / 5; first (have := PI_2_3_7_ineq 1; rewrite /tg_alt /PI_2_3_7_tg /Ratan_seq /=; lra). "
SQUARE += "have square : 9 < PI ^ 2 < 52 / 5; first (split; nra). "
ROOT = "have root : 17 / 10 < sqrt 3; first (have := sqrt_sqrt 3 ltac:(lra); have := sqrt_pos 3; nra). "
GROWS = "have grows y : 9 / 10 < y -> 2 < exp y; first (move=> large; have := temperature_exp_tangent (y / 2); "
GROWS += "have := temperature_exp_power (y / 2) 2; rewrite (_ : INR 2 * (y / 2) = y); "
GROWS += "[move=> -> /= ?; nra | rewrite /=; lra]). "
OMEGA = "rewrite /temperature_omega /=; lra"
GOAL = "match goal with |- context [{0} ?L ?n0 ?theta ?beta] => "


def said(what: str, case: TemperatureCase) -> str:
    """That softmax decodes the queries of a kind at the case."""
    angle = f"({real(case.theta.turns)} * PI)"
    return f"temperature_{what}_right {case.letters} {case.n0} {angle} {real(case.beta)}"


def temperature(turns: str, n0: int, beta: str, letters: int = 2) -> TemperatureCase:
    return TemperatureCase(Angle(Fraction(turns)), n0, letters, Fraction(beta))


# Of each theorem the tactics, which read the numbers from the goal, the kinds of query, a case at which it decides, and
# cases at which it must not: there the answer is the other one, for want of a premise or beyond the bound.
NEEDS: dict[str, tuple[str, str, TemperatureCase, list[TemperatureCase]]] = {
    "dyn_lemmaF_1_index_necessary": (
        f"{SQUARE}{LOW}move=> right; move: (right); {GOAL.format('temperature_index_right')}"
        "move=> _; have := @dyn_lemmaF_1_index_necessary L n0 theta beta isT isT ltac:(lra) right end; "
        "have share : ln 2 / (2 * PI ^ 2) * (2 * PI ^ 2) = ln 2; first (field; lra); move: share square; "
        "rewrite /=; set X := ln 2 / _; set S := PI * _ => share square; have : 1 / 32 < X; [nra | lra].",
        "index", temperature("2/9", 9, "3/4"), [temperature("2/9", 9, "20"), temperature("1", 2, "1/100")],
    ),
    "dyn_lemmaF_1_retrieval_necessary": (
        f"{SQUARE}{LOW}move=> right; move: (right); {GOAL.format('temperature_numbers_right')}"
        "move=> _; have := @dyn_lemmaF_1_retrieval_necessary L n0 theta beta isT isT ltac:(lra) ltac:(lra) "
        f"ltac:({OMEGA}) right end; "
        "rewrite /temperature_omega (_ : 2 * PI / INR 2 = PI); last (rewrite /=; lra); "
        "have share : 2 * ln 2 * INR 3 ^ 2 / PI ^ 2 * PI ^ 2 = 18 * ln 2; first (rewrite /=; field; lra); "
        "move: share square; set X := _ / _; set S := PI ^ 2 => share square; "
        "have : 11 / 10 < X; [nra | lra].",
        "numbers", temperature("1/6", 3, "11/10"), [temperature("1/6", 3, "18"), temperature("1/2", 3, "1/2")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("theorem", NEEDS)
def test_what_decoding_needs(theorem: str):
    """At a temperature that is not above the bound Coq has no right answers; above it, or without a premise, it may."""
    tactics, kind, case, others = NEEDS[theorem]
    statement, decodes = statement_of(theorem), {"index": index_decodes, "numbers": numbers_decode}[kind]
    assert (statement.conclusion(case), decodes(case)) == (False, False)
    assert all(map(decodes, others))
    statements = [f"~ {said(kind, each)}" for each in (case, *others)]
    assert_instances(FILE, [Instance(theorem, statements[0], wrong, tactics) for wrong in statements[1:]])


EIGHT_THIRDS = logarithm("high", "8 / 3", Fraction(11, 10))
# Of each theorem the tactics, which fit any temperature, the kinds of query, a case, and cases that Python refutes.
SUFFICES: dict[str, tuple[str, tuple[str, ...], TemperatureCase, list[TemperatureCase]]] = {
    "dyn_lemmaF_1_index_sufficient": (
        f"{EIGHT_THIRDS}apply: dyn_lemmaF_1_index_sufficient; [by [] | rewrite /=; lra | rewrite /=; lra].",
        ("index",), temperature("1/2", 4, "9/4"), [temperature("1/2", 4, "1/4"), temperature("2/3", 4, "9/4")],
    ),
    "dyn_lemmaF_1_retrieval_letter_queries_sufficient": (
        f"{SQUARE}{ROOT}{GROWS}apply: dyn_lemmaF_1_retrieval_letter_queries_sufficient; "
        f"[by [] | by [] | lra | lra | {OMEGA} | "
        "rewrite /temperature_omega (_ : (INR 3 - 2) * _ = PI / 6); [|rewrite /=; lra]; "
        "rewrite (_ : _ / _ - _ = PI - PI / 3); [|rewrite /=; lra]; "
        "rewrite Rtrigo_facts.cos_pi_minus cos_PI6 cos_PI3; apply: Rlt_gt; apply: (Rle_lt_trans _ 2); "
        "[rewrite /=; lra | apply: grows; lra]].",
        ("letters",), temperature("1/6", 3, "7/10"), [temperature("1/6", 3, "1/5")],
    ),
    "dyn_lemmaF_1_retrieval_all_queries_sufficient": (
        f"{SQUARE}{HIGH}apply: dyn_lemmaF_1_retrieval_all_queries_sufficient; [by [] | by [] | lra | {OMEGA} | "
        "rewrite (_ : PI ^ 2 * ln 2 / _ = 18 * ln 2); [lra | field; lra]].",
        ("numbers", "letters"), temperature("1/6", 3, "27/2"),
        [temperature("1/6", 3, "1/4"), temperature("1", 3, "27/2")],
    ),
}  # fmt: skip
DECODES: dict[str, Any] = {"index": index_decodes, "numbers": numbers_decode, "letters": letters_decode}


@pytest.mark.parametrize("theorem", SUFFICES)
def test_what_suffices_to_decode(theorem: str):
    """At a case with Python's premises the theorem gives right answers; hotter, or at another angle, it cannot."""
    tactics, kinds, case, others = SUFFICES[theorem]
    statement = statement_of(theorem)
    for each in (case, *others):
        right = all(DECODES[kind](each) for kind in kinds)
        assert (statement.meets(each), right) == ((each is case), (each is case))
    statements = [" /\\ ".join(said(kind, each) for kind in kinds) for each in (case, *others)]
    assert_instances(FILE, [Instance(theorem, statements[0], wrong, tactics) for wrong in statements[1:]])
