"""The theorems of scores.v on averages of scores used by name at single averages, against what Python decides there."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from coq_words import Instance, assert_instances, assert_refuted_at, place, real

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.claim import Statement
from headproof.theory.scores.cases import AverageCase

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

TOPIC = "scores"
SCORES = ("positional", "symbolic")
BESIDE = Fraction(1, 97)


def statement_of(claim: str) -> Statement:
    statement = claims()[claim].statement
    assert statement is not None
    return statement


def nested(count: int, name: str) -> str:
    """The pattern of a natural number below so many, and the others as one more."""
    return "[|" * count + name + "]" * count


def average(case: AverageCase, said: str) -> str:
    """What is said of the averages `pos` and `sym`, as a goal."""
    rows = [f"[:: {'; '.join(map(real, row))}]" for row in case.rows]
    t, u, w = (f"let {name} (k : nat) := nth 0 {row} k in" for name, row in zip("tuw", rows, strict=True))
    scores = "(w k * {}_score (1 - t k ^ 2, 2 * t k) (1 - u k ^ 2, 2 * u k))"
    means = (f"(sum_(k < {len(case.weights)}) {scores.format(each)})" for each in SCORES)
    return f"{t} {u} {w} " + said.replace("pos", next(means)).replace("sym", next(means))


def premises(count: int, sign: str) -> str:
    """What the theorems on averages ask for."""
    each = f"move=> [{nested(count, 'k')} lk] //; rewrite /positive /t /u /w /=; try split; lra"
    return (
        f"have pd : forall k : 'I_{count}, positive (1 - t k ^ 2, 2 * t k) by [{each}]; "
        f"have pe : forall k : 'I_{count}, positive (1 - u k ^ 2, 2 * u k) by [{each}]; "
        f"have weights : forall k : 'I_{count}, 0 {sign} w k by [{each}]; "
        f"have total : sum_(k < {count}) w k = 1 by [rewrite /w !big_ord_recl big_ord0 /=; lra]"
    )


# The value of the averages, or of one score, at rational points.
VALUES = (
    "rewrite ?big_ord_recl ?big_ord0 /positional_score /symbolic_score ?pythagorean ?pythagorean_exchanged /t /u /w"
)
HALVES = (Fraction(1, 2), Fraction(1, 2))


def averages() -> list[AverageCase]:
    """Points of one swap near (1, 0), of two at (1/2, 1/2) nearly, and drawn ones."""
    draw, small = random.Random(6), Fraction(1, 50)
    drawn = [tuple(Fraction(draw.randrange(1, 9), 9) for _ in range(3)) for _ in range(2)]
    return [
        AverageCase((small,), (small,), (Fraction(1),)),
        AverageCase((HALVES[0], small), (Fraction(49, 51), small), HALVES),
        AverageCase(*drawn, (Fraction(1, 2), Fraction(0), Fraction(1, 2))),
    ]


def test_averages_add_up_to_what_python_finds() -> None:
    """Their sum is Python's and above 1; with weights that a premise rules out it may be less."""
    theorem, said, instances = "dec_scores_average", statement_of("dec.scores.average"), []
    for case in averages():
        count, value = len(case.weights), sum(case.average, Fraction(0))
        assert said.meets(case)
        assert said.conclusion(case)
        tactics = (
            f"move=> t u w; {premises(count, '<=')}; split; [{VALUES} /=; lra | "
            f"exact (@{theorem} {count} _ _ w pd pe weights total)]."
        )
        right = f"pos + sym = {real(value)} /\\ 1 < pos + sym"
        halved = replace(case, weights=tuple(each / 2 for each in case.weights))
        negative = replace(case, weights=tuple(-each for each in case.weights))
        wrong = [
            average(case, f"pos + sym = {real(value + BESIDE)} /\\ 1 < pos + sym"),
            average(case, f"pos + sym = {real(value)} /\\ {real(1 + BESIDE)} < pos + sym"),
        ]
        for other in (halved, negative):
            assert not said.meets(other)
            assert not said.conclusion(other)
            wrong.append(average(other, f"pos + sym = {real(sum(other.average))} /\\ 1 < pos + sym"))
        instances += [Instance(theorem, average(case, right), each, tactics) for each in wrong]
    assert_instances(TOPIC, instances)


def test_an_average_is_one_where_python_finds_it() -> None:
    """By the theorem alone, in both directions; with a weight of 0 it says nothing."""
    theorem, said, instances = "dec_scores_average_one", statement_of("dec.scores.average.one"), []
    t = (Fraction(1, 2), Fraction(1, 3))
    turned = tuple((1 - each) / (1 + each) for each in t)
    cases = [AverageCase(t, u, HALVES) for u in (t, turned, (t[0], turned[1]))]
    decided = []
    for case in cases:
        assert said.meets(case)
        assert said.conclusion(case)
        for which, name in enumerate(("pos", "sym")):
            off = next((k for k, each in enumerate(case.scores) if each[which] != 1), 0)
            tactics = (
                f"move=> t u w; {premises(2, '<')}; have [pos sym] := @{theorem} 2 _ _ w pd pe weights total; "
                f"first [apply/{name} => -[{nested(2, 'k')} lk] //; {VALUES} /=; lra | "
                f"move/{name} => /(_ {place(off, 2)}); {VALUES} /=; lra]."
            )
            goals = [average(case, f"{name} = 1"), average(case, f"~ ({name} = 1)")]
            decided.append(case.average[which] == 1)
            instances.append(Instance(theorem, *(goals if decided[-1] else goals[::-1]), tactics))
    assert set(decided) == {True, False}
    idle = replace(cases[2], weights=(Fraction(1), Fraction(0)))
    assert not said.meets(idle)
    assert not said.conclusion(idle)
    at = next(each for each in instances if each.statement == average(cases[2], "~ (pos = 1)"))
    assert_instances(TOPIC, [*instances, replace(at, wrong=average(idle, "~ (pos = 1)"))])


def of_circle_of_averages(case: AverageCase) -> str:
    """False from what is denied, by the squares of this case's averages."""
    (t, u, w), count = ([f"[:: {'; '.join(map(real, row))}]" for row in case.rows], len(case.weights))
    points = (f"(fun k : 'I_{count} => (1 - {name} k ^ 2, 2 * {name} k))" for name in "tu")
    named = "; ".join(f"pose {name} (k : nat) := nth 0 {row} k" for name, row in zip("tuw", (t, u, w), strict=True))
    return (
        f"move=> outside; {named}; {premises(count, '<=')}; "
        f"have := outside {count}%N {' '.join(points)} (fun k => w k) pd pe weights total; {VALUES} /=; lra."
    )


@pytest.mark.parametrize("met", [True, False])
def test_the_circle_of_averages_is_refuted_at_its_counterexample(met: bool) -> None:
    """And neither where the conclusion is true nor where the weights do not add up to 1."""
    claim = claims()["dec.scores.average.circle"]
    one_swap, short = averages()[0], replace(averages()[1], weights=(Fraction(1, 2), Fraction(1, 4)))
    other, said = one_swap if met else short, statement_of("dec.scores.average.circle")
    assert (said.meets(other), said.conclusion(other)) == (met, met)
    assert_refuted_at(TOPIC, "dec_scores_average_circle_fails", claim, of_circle_of_averages, other)
