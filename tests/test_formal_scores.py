"""The Coq statements about the scores against the Python ones: means, scores of a swap, heads with a score of 1."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest
from coq_words import goal, place, real, right_ones, rows_of

from headproof.checks.engines import coq
from headproof.theory.scores.cases import AverageCase, SwapCase
from headproof.theory.scores.exact_claims import SYMMETRIC
from headproof.theory.scores.faithful_claims import POSITIONAL, SYMBOLIC, has_one
from headproof.theory.scores.head_cases import HeadCase

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)


def pair(numbers: tuple[Fraction, Fraction]) -> str:
    return f"({real(numbers[0])}, {real(numbers[1])})"


# -- means ---------------------------------------------------------------------------------------------------------


def mean_text(case: HeadCase, order: str, place_: int, value: Fraction) -> str:
    """The mean attention at a place, the contents in this order; logits are the logarithms of Python's factors."""
    count = len(case.lengths)
    rows = rows_of([[real(each) for each in row] for row in case.rows])
    lengths = "; ".join(f"{each}%N" for each in case.lengths)
    mean = (
        f"mean (fun a b => ln (nth 0 (nth [::] {rows} a) b)) {real(case.own)} "
        f"(fun i : 'I_{count} => nth 0%N [:: {lengths}] i) {order} {place(place_, count)}"
    )
    return goal(
        f"{mean} = {real(value)}",
        "rewrite /mean /block_sum ?big_ord_recl ?big_ord0 /token_sum /start ?permE /=. "
        "rewrite ?[(\\sum_(l < _ | (l < _)%N) _)%N]big_mkcond /=. do 4? rewrite ?big_ord_recl ?big_ord0 ?permE /=. "
        "rewrite ?exp_ln; lra.",
    )


def test_means_of_blocks():
    """The means before and after a swap, also of blocks of unequal length, are those of Python; others are not."""
    draw, texts, expected = random.Random(5), {}, set()
    for lengths in ([1, 2], [2, 1], [1, 1, 1]):
        size = sum(lengths)
        case = HeadCase.of(
            [[draw.randrange(1, 5) for _ in range(size)] for _ in range(size)], lengths, draw.randrange(3)
        )
        count = len(lengths)
        first, second = sorted(draw.sample(range(count), 2))
        swapped = [*range(count)]
        swapped[first], swapped[second] = second, first
        orders = {"1%g": tuple(range(count)), f"(tperm {place(first, count)} {place(second, count)})": tuple(swapped)}
        for order, contents in orders.items():
            for where in (first, second):
                value = case.means(contents)[where]
                name = f"{case}, {contents}, {where}"
                texts[name] = mean_text(case, order, where, value)
                texts[f"{name}, beside"] = mean_text(case, order, where, value + Fraction(1, 7))
                expected.add(name)
    assert right_ones("scores", texts) == expected


# -- scores of a swap ----------------------------------------------------------------------------------------------


def test_squared_scores_of_a_swap():
    """The squares of a swap's scores are those that Python finds from its means."""
    draw, texts, expected = random.Random(6), {}, set()
    for number in range(6):
        case = SwapCase(
            *(Fraction(draw.randrange(1, 9), draw.randrange(1, 5)) for _ in range(4)), Fraction(number, 2), 2
        )
        for which, score in enumerate(("positional", "symbolic")):
            for beside in (0, Fraction(1, 97)):
                name = f"{case} {score} {beside}"
                texts[name] = goal(
                    f"{score}_score {pair(case.before)} {pair(case.after)} ^ 2 = {real(case.squares[which] + beside)}",
                    f"have d : positive {pair(case.before)} by split; rewrite /=; lra. "
                    f"have e : positive {pair(case.after)} by split; rewrite /=; lra. "
                    f"rewrite (score_squares d e).{which + 1} /=. lra.",
                )
                if beside == 0:
                    expected.add(name)
    assert right_ones("scores", texts) == expected


def test_scores_with_rational_values():
    """Where Python's cosines are rational, Coq's scores have the same values, whose sum is above 1."""
    draw, texts, expected = random.Random(8), {}, set()
    for _ in range(5):
        t, u = (Fraction(draw.randrange(1, 9), 9) for _ in range(2))
        values = AverageCase((t,), (u,), (Fraction(1),)).scores[0]
        assert sum(values) > 1
        means = [pair((1 - each * each, 2 * each)) for each in (t, u)]
        for score, value in zip(("positional", "symbolic"), values, strict=True):
            lemma = "pythagorean" if score == "positional" else "pythagorean_exchanged"
            for beside in (0, Fraction(1, 97)):
                name = f"{t} {u} {score} {beside}"
                texts[name] = goal(
                    f"{score}_score {means[0]} {means[1]} = {real(value + beside)}",
                    f"transitivity ({score}_score (1 - {real(t)} ^ 2, 2 * {real(t)}) "
                    f"(1 - {real(u)} ^ 2, 2 * {real(u)})); "
                    f"[by congr ({score}_score (_, _) (_, _)); lra | rewrite /{score}_score {lemma}; lra].",
                )
                if beside == 0:
                    expected.add(name)
    assert right_ones("scores", texts) == expected


def test_scores_of_a_table():
    """The theorem on the normaliser gives the squares that Python finds by making each swap, whatever the own key."""
    draw, texts, expected = random.Random(10), {}, set()
    for own in (0, 3):
        case = HeadCase.of([[draw.randrange(1, 6) for _ in range(3)] for _ in range(3)], own=own)
        rows = rows_of([[real(each) for each in row] for row in case.rows])
        for (i, j), values in case.squares.items():
            for score, value in zip(("s_pos", "s_sym"), values, strict=True):
                for beside in (0, Fraction(1, 97)):
                    name = f"{case} {i} {j} {score} {beside}"
                    table = f"(fun a b => ln (nth 0 (nth [::] {rows} a) b))"
                    at = f"{place(i, 3)} {place(j, 3)}"
                    texts[name] = goal(
                        f"{score} {table} {own} (fun=> 1%N) {at} ^ 2 = {real(value + beside)}",
                        f"have own : 0 <= {own} by lra. "
                        f"have [_ [_ [pos sym]]] := @dec_scores_normaliser 3 1 {table} {own} {at} own isT "
                        "(fun e => ltac:(discriminate e)). "
                        f"rewrite {'pos' if score == 's_pos' else 'sym'} !E_one /= !exp_ln; lra.",
                    )
                    if beside == 0:
                        expected.add(name)
    assert right_ones("scores", texts) == expected


def test_which_score_is_larger():
    """The theorem on main effects orders the two scores as Python does; logits in units of ln 2 there, of 1 here."""
    draw, texts, expected = random.Random(12), {}, set()
    drawn = [[draw.randrange(-2, 3) for _ in range(4)] for _ in range(5)]
    for numbers in [[0, 1, -1, 0], [0, -1, 0, 2], [1, 0, 0, 1], *drawn]:
        f, g, both, middle = numbers
        ii, jj, ij, ji = middle - f - g + both, middle + f + g + both, middle + f - g - both, middle - f + g - both
        case = SwapCase(*(Fraction(2) ** each for each in (ii, jj, ij, ji)))
        rows, at = rows_of([[f"({ii})", f"({ij})"], [f"({ji})", f"({jj})"]]), f"{place(0, 2)} {place(1, 2)}"
        table = f"(fun a b => nth 0 (nth [::] {rows} a) b)"
        larger = f"s_sym {table} 0 (fun=> 1%N) {at} < s_pos {table} 0 (fun=> 1%N) {at}"
        letters = " ".join(f"({each})" for each in (middle, f, g, both))
        by_theorem = (
            f"have [| | | | _ [_ order]] := @dec_scores_main_effects 2 1 {table} 0 {at} {letters} (Rle_refl 0) isT "
            "(fun e => ltac:(discriminate e)); rewrite ?E_one ?ln_exp /=; try lra. "
            "move: order; rewrite /Rabs; case: Rcase_abs; case: Rcase_abs; lra."
        )
        texts[f"{numbers} True"] = goal(larger, by_theorem)
        texts[f"{numbers} False"] = goal(f"~ {larger}", by_theorem)
        expected.add(f"{numbers} {case.squares[0] > case.squares[1]}")
    assert right_ones("scores", texts) == expected
    assert {name.rpartition(" ")[2] for name in expected} == {"True", "False"}


# -- heads with a score of 1 ---------------------------------------------------------------------------------------


def tables(draw: random.Random) -> list[list[list[int]]]:
    """Logits in units of ln 2, by content and position: some at random, others with an equation in every swap."""
    found = [[[0, 1], [1, 0]], [[2, 5], [2, 5]], [[1, 1], [3, 3]], [[0, 0], [0, 0]]]
    for _ in range(4):
        size = draw.randrange(2, 4)
        table = [[draw.randrange(-1, 2) for _ in range(size)] for _ in range(size)]
        found.append([row[:] for row in table])
        for i, j in combinations(range(size), 2):
            table[i][j] = table[j][i] - table[i][i] + table[j][j]
        found.append(table)
    return found


EXACTLY = {
    "s_pos": ("dec_scores_faithful_positional_exactly", has_one(POSITIONAL), "s_pos M 0 (fun=> 1%N) i j = 1"),
    "s_sym": ("dec_scores_faithful_symbolic_exactly", has_one(SYMBOLIC), "s_sym M 0 (fun=> 1%N) i j = 1"),
    "both": (
        "dec_scores_blind",
        lambda case: has_one(POSITIONAL)(case) and has_one(SYMBOLIC)(case),
        "s_pos M 0 (fun=> 1%N) i j = 1 /\\ s_sym M 0 (fun=> 1%N) i j = 1",
    ),
}


@pytest.mark.parametrize("which", EXACTLY)
def test_heads_with_a_score_of_one(which):
    """By the theorem alone: all swaps have the score 1 in Coq exactly where Python, making each swap, finds that."""
    theorem, holds, one = EXACTLY[which]
    texts, expected = {}, set()
    for table in tables(random.Random(9)):
        size = len(table)
        case = HeadCase(
            (Fraction(1),) * size, tuple(Fraction(2) ** each for row in table for each in row), Fraction(0)
        )  # fmt: skip
        rows = rows_of([[f"({each})" for each in row] for row in table])
        said = f"forall i j : 'I_{size}, i <> j -> {one.replace('M', 'table')}"
        opening = f"Goal let table (a b : nat) := nth 0 (nth [::] {rows} a) b in "
        every = (
            f"move=> table; apply/({theorem} _ _ (Rle_refl 0)); rewrite /table. "
            "move=> [i li] [j lj]; do 3? [case: i li => [|i] // li]; do 3? [case: j lj => [|j] // lj]; rewrite /=; lra."
        )
        steps = "".join(
            f"have := all {place(i, size)} {place(j, size)}; rewrite /table /=. move=> e{i}{j}. "
            for i, j in combinations(range(size), 2)
        )
        some = f"move=> table /({theorem} _ _ (Rle_refl 0)) all. {steps} lra."
        texts[f"{table} True"] = f"{opening}{said}. Proof. {every} Qed."
        texts[f"{table} False"] = f"{opening}~ ({said}). Proof. {some} Qed."
        expected.add(f"{table} {holds(case)}")
        if which != "both":
            assert holds(case) == SYMMETRIC[POSITIONAL if which == "s_pos" else SYMBOLIC](case)
    assert right_ones("scores", texts) == expected
    assert {name.rpartition(" ")[2] for name in expected} == {"True", "False"}
