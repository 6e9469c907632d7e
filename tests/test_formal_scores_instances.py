"""The theorems of scores.v used by name at single heads, swaps and averages, against what Python decides there."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from coq_words import Instance, assert_instances, goal, place, real, right_ones, rows_of

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.claim import Statement
from headproof.theory.formal import theorems
from headproof.theory.scores.cases import Pair, SwapCase
from headproof.theory.scores.head_cases import HeadCase

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

TOPIC = "scores"
BESIDE = Fraction(1, 97)
SWAP_CLAIMS = ("circle", "circle.near", "difference")


def statement_of(claim: str) -> Statement:
    statement = claims()[claim].statement
    assert statement is not None
    return statement


def pair(numbers: Pair) -> str:
    return f"({real(numbers[0])}, {real(numbers[1])})"


def table(case: HeadCase) -> str:
    """Its logits, the logarithms of Python's factors."""
    rows = rows_of([[real(each) for each in row] for row in case.rows])
    return f"(fun a b : nat => ln (nth 0 (nth [::] {rows} a) b))"


def lengths(case: HeadCase) -> str:
    """The lengths of its blocks, in the words of the theorems about blocks of one length where they have one."""
    count = len(case.lengths)
    if len(set(case.lengths)) == 1:
        return f"(fun _ : 'I_{count} => {case.lengths[0]}%N)"
    return f"(fun i : 'I_{count} => nth 0%N [:: {'; '.join(f'{each}%N' for each in case.lengths)}] i)"


def head(case: HeadCase) -> str:
    return f"{table(case)} {real(case.own)} {lengths(case)}"


def score(which: str, case: HeadCase) -> str:
    """A score of the swap of the first two blocks."""
    count = len(case.lengths)
    return f"{which} {head(case)} {place(0, count)} {place(1, count)}"


def swapped(case: HeadCase) -> tuple[Pair, Pair]:
    """The means of the two blocks before their swap and after it."""
    before, after = case.means((0, 1)), case.means((1, 0))
    return (before[0], before[1]), (after[0], after[1])


def as_swap(case: HeadCase) -> SwapCase:
    """A head of two tokens as a case of the claims about one swap."""
    (ii, ij), (ji, jj) = case.rows
    return SwapCase(ii, jj, ij, ji, case.own)


# -- one swap ------------------------------------------------------------------------------------------------------

# Two means are the rationals that Python finds.
MEANS = (
    "rewrite /before /after; congr (_, _); rewrite /mean /block_sum ?big_ord_recl ?big_ord0 /token_sum /start ?permE "
    "/=; rewrite ?[(\\sum_(l < _ | (l < _)%N) _)%N]big_mkcond /=; do 4? rewrite ?big_ord_recl ?big_ord0 ?permE /=; "
    "rewrite ?exp_ln; lra"
)
LONG = "have others : 0 <= o by [lra]; have long : forall l, (0 < len l)%N by [move=> [[|[|[|l]]] ?]]"


def heads() -> list[HeadCase]:
    """Two blocks each: uniform attention, equal means before the swap, and some drawn, with unequal blocks too."""
    draw = random.Random(4)
    drawn = [
        HeadCase.of([[draw.randrange(1, 6) for _ in range(sum(each))] for _ in range(sum(each))], each, own)
        for each, own in (([1, 1], 2), ([1, 2], 0))
    ]
    return [HeadCase.of([[1, 1], [1, 1]]), HeadCase.of([[2, 1], [3, 2]], own=1), *drawn]


def lemmas(number: int, case: HeadCase) -> str:
    """The means of a head's two blocks before the swap and after it, by name."""
    blocks = f"{head(case)} {place(0, 2)} {place(1, 2)}"
    return " ".join(
        f"Lemma {when}{number} : {when} {blocks} = {pair(means)}. Proof. {MEANS}. Qed."
        for when, means in zip(("before", "after"), swapped(case), strict=True)
    )


def at_swap(theorem: str, number: int, then: str) -> str:
    """What a theorem says of the swap that the goal speaks of, its four means as rationals, as `said`."""
    return (
        f"match goal with |- context [s_pos ?M ?o ?len ?i ?j] => {LONG}; have differ : i <> j by [discriminate]; "
        f"pose proof (@{theorem} _ M o len i j others long differ) as said end; "
        f"rewrite before{number} after{number} in said; {then}."
    )


def of_circle(number: int, case: HeadCase) -> list[Instance]:
    """The sum of the squares is Python's, and by the bounds alone it is above 1 and at most 2."""
    theorem, squares = "dec_scores_circle", f"{score('s_pos', case)} ^ 2 + {score('s_sym', case)} ^ 2"
    value = sum(case.squares[0, 1], Fraction(0))
    exactly = at_swap(theorem, number, "move: said => [sum _]; rewrite sum; lra")
    bounded = at_swap(theorem, number, "move: said => [_ bounds]; lra")
    return [
        Instance(theorem, f"{squares} = {real(value)}", f"{squares} = {real(value + BESIDE)}", exactly),
        Instance(theorem, f"1 < {squares} <= 2", f"1 < {squares} <= {real(2 - BESIDE)}", bounded),
        Instance(theorem, f"1 < {squares} <= 2", f"{real(1 + BESIDE)} < {squares} <= 2", bounded),
    ]


def of_near(number: int, case: HeadCase) -> list[Instance]:
    """The excess over 1 lies between Python's r r' and 4 r r', and by the theorem alone no nearer."""
    theorem, excess = "dec_scores_circle_near", f"{score('s_pos', case)} ^ 2 + {score('s_sym', case)} ^ 2 - 1"
    before, after = swapped(case)
    product = min(before) / max(before) * min(after) / max(after)
    assert product <= sum(case.squares[0, 1]) - 1 <= 4 * product
    tactics = at_swap(theorem, number, "move: said; rewrite /Rmin /Rmax; do 4? case: Rle_dec => ?; rewrite /=; lra")
    right = f"{real(product)} <= {excess} <= {real(4 * product)}"
    beside = ((product + BESIDE, 4 * product), (product, 4 * product - BESIDE))
    return [Instance(theorem, right, f"{real(low)} <= {excess} <= {real(high)}", tactics) for low, high in beside]


def of_difference(number: int, case: HeadCase) -> list[Instance]:
    """The difference of the squares is Python's, and so is the order of the scores."""
    theorem, s_pos, s_sym = "dec_scores_difference", score("s_pos", case), score("s_sym", case)
    positional, symbolic = case.squares[0, 1]
    value, difference = positional - symbolic, f"{s_pos} ^ 2 - {s_sym} ^ 2"
    exactly = at_swap(theorem, number, "move: said => [value _]; rewrite value; lra")
    larger = [f"{s_sym} < {s_pos}", f"~ ({s_sym} < {s_pos})"]
    ordered = at_swap(theorem, number, "move: said => [_ order]; rewrite order /=; lra")
    return [
        Instance(theorem, f"{difference} = {real(value)}", f"{difference} = {real(value + BESIDE)}", exactly),
        Instance(theorem, *(larger if value > 0 else larger[::-1]), ordered),
    ]


def test_single_swaps_are_as_python_decides() -> None:
    """At uniform attention the bound 2 and the bound r r' are attained; of equal means no score is the larger one."""
    cases = heads()
    for case in cases:
        if set(case.lengths) == {1}:
            assert as_swap(case).squares == case.squares[0, 1]
            assert all(statement_of(f"dec.scores.{each}").conclusion(as_swap(case)) for each in SWAP_CLAIMS)
    assert sum(cases[0].squares[0, 1]) == 2
    assert {positional > symbolic for positional, symbolic in (case.squares[0, 1] for case in cases)} == {True, False}
    first, *rest = [
        each
        for number, case in enumerate(cases)
        for of in (of_circle, of_near, of_difference)
        for each in of(number, case)
    ]
    # One session reads them all, so that what the first one defines is there for the rest.
    named = " ".join(lemmas(number, case) for number, case in enumerate(cases))
    assert_instances(TOPIC, [replace(first, before=named), *rest])


# -- heads with a score of 1 ---------------------------------------------------------------------------------------

SCORES = {"positional": "s_pos", "symbolic": "s_sym"}
THEOREMS = {"positional": "dec_scores_faithful_positional", "symbolic": "dec_scores_faithful_symbolic"}


def nested(count: int, name: str) -> str:
    """The pattern of a natural number below so many, and the others as one more."""
    return "[|" * count + name + "]" * count


def is_faithful(name: str, count: int) -> str:
    """That `M` with blocks `len` is positional, or symbolic, by its table of so many keys."""
    return (
        f"is_{name} M len by [rewrite /is_{name} /keys ?big_ord_recl ?big_ord0 /M /len /= => "
        f"-{nested(count, 'a')} // {nested(count, 'b')} //]"
    )


def faithful(name: str, case: HeadCase, which: str, of_head: bool) -> str:
    """That a score of the first swap, or of the head at temperature 1/2, is 1."""
    count = len(case.lengths)
    given = f"M {real(case.own)} len"
    said = f"{which} {given} {place(0, count)} {place(1, count)} = 1"
    if of_head:
        said = f"head_score {given} (1 / 2) (fun i j => {which} {given} i j) = 1"
    return f"let M := {table(case)} in let len := {lengths(case)} in {said}"


def by_faithful(name: str, case: HeadCase, of_head: bool) -> str:
    # Only the positional theorem takes the one length of the blocks, in place of the lengths.
    blocks, count = f"{case.lengths[0]}%N M" if name == "positional" else "len M", len(case.lengths)
    long = "isT" if name == "positional" else "long"
    then = "exact (average isT _ half)" if of_head else "exact (ones _ _ differ)"
    return (
        f"move=> M len; have others : 0 <= {real(case.own)} by [lra]; have half : 0 < 1 / 2 by [lra]; "
        f"have long : forall l, (0 < len l)%N by [move=> [{nested(count, 'l')} ?]]; "
        f"have differ : {place(0, count)} <> {place(1, count)} by [discriminate]; "
        f"have alike : {is_faithful(name, case.keys)}; "
        f"have [ones average] := @{THEOREMS[name]} {count} {blocks} _ others {long} alike; "
        f"{then}."
    )


FAITHFUL = {
    "positional": [HeadCase.of([[2, 3, 5]] * 3), HeadCase.of([[1, 2, 3, 5]] * 4, [2, 2], 1)],
    "symbolic": [HeadCase.of([[2] * 3, [3] * 3, [5] * 3], own=1), HeadCase.of([[1] * 3, [2] * 3, [4] * 3], [1, 2])],
}


def spoilt(case: HeadCase) -> HeadCase:
    """The head with another logit of content 0, where the swap of the first two blocks puts it."""
    at = int(case.lengths[1])
    return replace(case, factors=(*case.factors[:at], case.factors[at] + 6, *case.factors[at + 1 :]))


@pytest.mark.parametrize("name", FAITHFUL)
def test_faithful_heads_have_the_score_of_python(name: str) -> None:
    """1, the score of their own kind; the other score is another number, and so is that of a head with one change."""
    theorem, said, instances = THEOREMS[name], statement_of(f"dec.scores.faithful.{name}"), []
    which = [*SCORES].index(name)
    own, other = SCORES[name], [*SCORES.values()][1 - which]
    for case in FAITHFUL[name]:
        assert said.meets(case)
        assert said.conclusion(case)
        assert case.squares[0, 1][1 - which] != 1
        assert not said.meets(spoilt(case))
        assert spoilt(case).squares[0, 1][which] != 1
        for of_head in (False, True):
            right, tactics = faithful(name, case, own, of_head), by_faithful(name, case, of_head)
            for wrong in (faithful(name, case, other, of_head), faithful(name, spoilt(case), own, of_head)):
                instances.append(Instance(theorem, right, wrong, tactics))
    assert_instances(TOPIC, instances)


# -- claims that are refuted ---------------------------------------------------------------------------------------


def of_converse(name: str) -> Callable[[HeadCase], str]:
    """False from what is denied, by two logits of this head that would have to agree."""

    def tactics(case: HeadCase) -> str:
        count, rows = case.keys, case.rows
        in_use = (lambda a, b: rows[b][b]) if name == "positional" else (lambda a, b: rows[a][a])
        at = [(a, b) for a in range(count) for b in range(count)]
        a, b = next((each for each in at if rows[each[0]][each[1]] != in_use(*each)), at[1])
        each = f"[{nested(count, 'i')} li] // [{nested(count, 'j')} lj] //"
        return (
            f"move=> converse; pose M := {table(case)}; have others : 0 <= {real(case.own)} by [lra]; "
            f"have alike := converse {count}%N M _ others; "
            f"have : is_{name} M (fun _ : 'I_{count} => 1%N) by [apply: alike => -{each} _; "
            f"apply/({name}_one_token _ _ _ others); rewrite /M /=; lra]; "
            f"move=> /(_ {a}%N {b}%N); rewrite keys_equal /M /= => /(_ isT isT) /ln_inv; lra."
        )

    return tactics


def of_unequal(case: HeadCase) -> str:
    """False from what is denied, by the four means of this head's swap."""
    count, (before, after) = len(case.lengths), swapped(case)
    blocks = f"{place(0, count)} {place(1, count)}"
    return (
        f"move=> one; pose M := {table(case)}; pose len := {lengths(case)}; "
        f"have others : 0 <= {real(case.own)} by [lra]; "
        f"have long : forall l, (0 < len l)%N by [move=> [{nested(count, 'l')} ?]]; "
        f"have alike : {is_faithful('positional', case.keys)}; "
        f"have := one {count}%N len M _ others long alike {blocks} ltac:(discriminate); "
        f"have first : before M {real(case.own)} len {blocks} = {pair(before)} by [rewrite /M /len; {MEANS}]; "
        f"have then_ : after M {real(case.own)} len {blocks} = {pair(after)} by [rewrite /M /len; {MEANS}]; "
        f"rewrite /s_pos first then_ /positional_score => /cosine_one; rewrite /positive /=; lra."
    )


def test_refuted_claims_are_refuted_at_their_counterexamples() -> None:
    """And neither where the conclusion is true nor where a premise is false."""
    positional, symbolic = HeadCase.of([[1, 2], [1, 2]]), HeadCase.of([[1, 1], [2, 2]])
    neither = HeadCase.of([[1, 2], [3, 1]])
    uneven = HeadCase.of([[1, 2, 1], [1, 2, 1], [3, 2, 1]], [1, 2])
    tactics: dict[str, tuple[str, Callable[[Any], str], Sequence[Any]]] = {
        "dec_scores_faithful_positional_converse_fails": (
            "dec.scores.faithful.positional.converse", of_converse("positional"), [positional, neither],
        ),
        "dec_scores_faithful_symbolic_converse_fails": (
            "dec.scores.faithful.symbolic.converse", of_converse("symbolic"), [symbolic, neither],
        ),
        "dec_scores_unequal_fails": ("dec.scores.unequal", of_unequal, [positional, uneven]),
    }  # fmt: skip
    texts, expected = {}, set()
    for name, (claim, of, others) in tactics.items():
        theorem, said = theorems(TOPIC)[name], statement_of(claim)
        right, wrong = others
        assert (said.meets(right), said.conclusion(right)) == (True, True)
        assert (said.meets(wrong), said.conclusion(wrong)) == (False, False)
        assert theorem.text.startswith("~ ")
        for case in (said.case_type.of_json(theorem.case), *others):
            texts[f"{name} {case}"] = goal(f"({theorem.text[2:]}) -> False", of(case))
            expected |= {f"{name} {case}"} if said.refuted_by(case) else set()
    assert len(expected) == len(tactics)
    assert right_ones(TOPIC, texts) == expected
