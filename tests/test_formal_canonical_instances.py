"""The Coq theorems on heads over angles that alias (dec.toy), used on concrete heads whose answers Python decides."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from coq_words import goal, place, real, right_ones

from headproof.checks.engines import coq
from headproof.checks.registry import claims
from headproof.theory.canonical import period
from headproof.theory.canonical.cases import PairToyCase, ToyCase

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)
FILE = "canonical"


def vectors(numbers: tuple[Fraction, ...], planes: int) -> list[list[tuple[Fraction, Fraction]]]:
    """Rows of coordinates as vectors, by token and plane."""
    size = 2 * planes
    rows = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return [[(row[2 * f], row[2 * f + 1]) for f in range(planes)] for row in rows]


def table(numbers: tuple[Fraction, ...], planes: int) -> str:
    """The same in Coq, as a function of the plane's and the token's number."""
    rows = "; ".join(f"[:: {'; '.join(f'({real(x)}, {real(y)})' for x, y in row)}]" for row in vectors(numbers, planes))
    return f"(fun f s : nat => nth (0, 0) (nth [::] [:: {rows}] s) f)"


def angles(case: ToyCase | PairToyCase) -> str:
    shown = "; ".join(f"{real(each)} * PI" for each in case.of_pi)
    return f"(fun f : 'I_{len(case.of_pi)} => nth 0 [:: {shown}] f)"


def turned_back(case: ToyCase | PairToyCase, vector: str, places: str) -> str:
    """A query vector that the rotation by so many places takes to the given one, in the plane `f`."""
    angle = f"({angles(case)} f * {places})"
    x, y = f"({vector}).1", f"({vector}).2"
    return f"({x} * cos {angle} + {y} * sin {angle}, {y} * cos {angle} - {x} * sin {angle})"


def head(case: ToyCase | PairToyCase) -> str:
    """The head of a case with two answers: VAL is one-hot, and F says 1 where that has more weight, else 0.

    Python gives a query vector as it is for the target's place, which is so many places before the query, and a key
    vector for the query's own key, which no place separates from it.
    """
    planes = len(case.of_pi)
    keys, queries, own = (table(each, planes) for each in (case.vectors, case.queries, case.own))
    if isinstance(case, ToyCase):
        kind, token, carried = f"'I_2 'I_{case.keys} 'I_2", "s", "s"
        alone = len(vectors(case.queries, planes)) == 1
        query, back = f"({queries} f {'0%N' if alone else 'q'})", f"(INR {case.keys} - INR q)"
    else:
        kind, token, carried = f"('I_{case.symbols} * 'I_2) 'I_{case.symbols} 'I_2", "(s.1 * 2 + s.2)%N", "s.2"
        query, back = f"({queries} f q)", "1"
    turned = turned_back(case, query, back)
    return (
        f"(@Head {kind} {planes} {angles(case)} (fun f s => {keys} f {token}) (fun f q => {turned}) "
        f"(fun q => sum_(f < {planes}) canonical_part ({angles(case)} f) 0 ({own} f 0%N) {turned}) "
        f"2 (fun s c => if c == {carried} then 1 else 0) (fun q c => 0) "
        f"(fun v q => if Rlt_dec (v {place(0, 2)}) (v {place(1, 2)}) then {place(1, 2)} else {place(0, 2)}))"
    )


def whole_turns(case: ToyCase | PairToyCase) -> tuple[int, str]:
    """The first distance between keys at which all angles alias, else 1, and tactics that they do there."""
    t = period(case.angles, case.keys - 1) or 1
    turns = " | ".join(f"exists ({each * t // 2})%Z; rewrite /=; field" for each in case.of_pi)
    planes = len(case.of_pi)
    return t, f"case=> [{'[|' * planes}f{']' * planes} lf] //; [{turns}]"


def numbers(draw: Random, count: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(draw.randint(-4, 4), draw.randint(1, 3)) for _ in range(count))


ANGLES = [  # multiples of pi, keys
    ((Fraction(2, 3),), 4),
    ((Fraction(2, 3),), 3),
    ((Fraction(1),), 3),
    ((Fraction(2, 3), Fraction(4, 3)), 4),
    ((Fraction(2, 3), Fraction(1)), 4),
    ((Fraction(1, 2), Fraction(5, 2)), 5),
]
KINDS = ["canonical_hard", f"(canonical_soft {real(3)})"]


def index_cases(draw: Random) -> list[ToyCase]:
    found = []
    for turns, keys in ANGLES:
        size = 2 * len(turns)
        rows = (numbers(draw, count * size) for count in (2, draw.choice((1, keys)), 1))
        found.append(ToyCase(turns, (), keys, *rows))
    return found


def induction_cases(draw: Random) -> list[PairToyCase]:
    found = []
    for (turns, keys), symbols in zip(ANGLES, (1, 2, 1, 2, 1, 1), strict=True):
        size = 2 * len(turns)
        rows = (numbers(draw, count * size) for count in (2 * symbols, symbols, 1))
        found.append(PairToyCase(turns, (), keys, 2, *rows))
    return found


def by_index(case: ToyCase) -> str:
    t, alias = whole_turns(case)
    return f"apply: (@dec_toy_index_aliased _ 2 {case.keys} {t}) => //; {alias}."


def by_induction(case: PairToyCase) -> str:
    t, alias = whole_turns(case)
    return f"apply: (@dec_toy_induction_aliased _ {case.symbols} 2 {case.keys} {t}) => //; {alias}."


def right(case: ToyCase | PairToyCase, kind: str) -> str:
    if isinstance(case, ToyCase):
        return f"canonical_computes_index {kind} {head(case)}"
    return f"canonical_computes_induction {kind} {case.keys} {head(case)}"


BOTH = {
    "dec.toy.index.aliased": (index_cases, by_index),
    "dec.toy.induction.aliased": (induction_cases, by_induction),
}


@pytest.mark.parametrize("claim_id", BOTH)
def test_heads_whose_places_alias_err(claim_id: str):
    """By the theorem alone, for heads with vectors at random, just where Python's premises hold: then the head errs."""
    cases, tactics = BOTH[claim_id]
    statement = claims()[claim_id].statement
    texts, expected = {}, set()
    for number, case in enumerate(cases(Random(1))):
        kind = KINDS[number % 2]
        texts[str(case)] = goal(f"~ {right(case, kind)}", tactics(case))
        if statement.meets(case):
            assert statement.conclusion(case)
            expected.add(str(case))
    assert right_ones(FILE, texts) == expected
    assert len(expected) == 4
