"""Whether a data set of the multihop tasks can be as balanced as the source prints (dyn.tasks), by counting.

480,000 sequences of 8 target tokens, 8 pre-target tokens and the query, in four hop classes of equal parts, split into
90, 0.5 and 9.5 %. A class is balanced if every answer and every place of it come equally often. What is printed leaves
open whether answers and places are balanced each by itself or as pairs, and whether in all or in each split. Counts
are integers, so a share that is none rules a balance out; where it is one, a table of counts is written down and
summed, and no count in it is above the number of different sequences with that answer and place.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from math import perm

from headproof.theory.errors import InputError
from headproof.theory.inputs import Token
from headproof.theory.parameters import ParameterCase
from headproof.theory.sequences import (
    letter_path,
    number_path,
    require_proper,
    require_unambiguous,
    require_valid_index,
)

TOTAL, CLASSES = 480_000, 4
SHARES = {"train": Fraction(9, 10), "validation": Fraction(1, 200), "test": Fraction(19, 200)}
TARGET, BEFORE = 8, 8
LETTERS, INTEGERS = 120, 16  # of the number task
PAIR_LETTERS, PAIR_NUMBERS = 8, 8  # of the letter task
ANSWERS = {"number": LETTERS, "letter": PAIR_LETTERS * PAIR_NUMBERS}
MOST_HOPS = 7
WHOLE = TOTAL // CLASSES
SPLITS = tuple(int(TOTAL * share / CLASSES) for share in SHARES.values())
# Ways to be balanced; in `near` answers, and pairs of an answer and a place, differ by one at most.
SEPARATE, JOINT, NEAR, CELLS_NEAR = "separately", "jointly", "nearly", "jointly but for one"
Counts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class BalanceCase(ParameterCase):
    """A hop class: the task, the moves from the query to the answer, and the number of sequences."""

    task: str
    hops: int
    sequences: int

    def validate(self) -> None:
        if self.task not in ANSWERS:
            raise InputError(f"task {self.task!r:.40}", f"there are {', '.join(ANSWERS)}")
        if not 1 <= self.hops <= MOST_HOPS or self.sequences < 1:
            raise InputError(f"{self.hops} hops, {self.sequences} sequences", f"1 to {MOST_HOPS} hops, 1 or more")


def balanced(case: BalanceCase, way: str, more_answers: int = 0, more_places: int = 0) -> bool:
    """Whether a class of this size can be balanced in a way; `more_answers` and `more_places` than there are, for
    controls. O(answers * places) for the table of counts."""
    answers, places = ANSWERS[case.task] + more_answers, TARGET + more_places
    whole = {SEPARATE: (answers, places), CELLS_NEAR: (answers, places), JOINT: (answers * places,), NEAR: (places,)}
    if any(case.sequences % parts for parts in whole[way]):
        return False
    table = counts(case.sequences, answers, places)
    cells = [count for row in table for count in row]
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    if sum(cells) != case.sequences or max(cells) > different(case.task, case.hops):
        return False
    spread = {SEPARATE: 0, CELLS_NEAR: 0, JOINT: 0, NEAR: 1}[way]
    even = max(rows) - min(rows) <= spread and max(columns) == min(columns)
    return even and max(cells) - min(cells) <= (0 if way == JOINT else 1)


@lru_cache(maxsize=256)
def counts(sequences: int, answers: int, places: int) -> Counts:
    """So many sequences dealt to answers in turn, and to places in turn, one further on in each round of answers."""
    table = [[0] * places for _ in range(answers)]
    rounds, rest = divmod(sequences, answers * places)
    for number in range(rest):
        table[number % answers][(number + number // answers) % places] += 1
    # A full turn of all pairs gives each of them one where the places divide the answers; where they do not, the rounds
    # of answers repeat pairs, and the table says so.
    once = [[0] * places for _ in range(answers)]
    for number in range(answers * places):
        once[number % answers][(number + number // answers) % places] += 1
    return tuple(
        tuple(count + rounds * each for count, each in zip(row, full, strict=True))
        for row, full in zip(table, once, strict=True)
    )


@cache
def different(task: str, hops: int) -> int:
    """A number of different sequences of so many moves that there are at least for each answer and place.

    One is written down for each and solved; the others put other letters, or other numbers, into the places of the
    target window that its path does not visit.
    """
    for answer in range(ANSWERS[task]):
        for place in range(1, TARGET + 1):
            tokens = sequence(task, hops, answer, place)
            if task == "number":
                path = number_path(require_valid_index(tokens))
                wanted: Token = tokens[place - 1]
            else:
                path = letter_path(require_unambiguous(require_proper(tokens)))
                wanted = (f"a{answer // PAIR_NUMBERS + 1}", answer % PAIR_NUMBERS + 1)
            if path[-1] != place or len(path) != hops + 1 or tokens[place - 1] != wanted:
                raise InputError(f"the sequence of {hops} hops to place {place} has the path {path}")
            if len(tokens) != TARGET + BEFORE + 1 or tokens.count(wanted) > 1:
                raise InputError(f"the sequence of {hops} hops to place {place} is {tokens!r:.60}")
    return perm(LETTERS - 1, TARGET - 1) if task == "number" else int(PAIR_NUMBERS ** (TARGET - 1))


def sequence(task: str, hops: int, answer: int, place: int) -> tuple[Token, ...]:
    """A sequence of the source's form whose answer, by number from 0, stands at a place, so many moves from the query.

    Number task: the path visits the last places, one after the other, and then the answer's. Letter task: the pairs of
    the path stand last, before them copies of the first of them, or pairs that nothing names.
    """
    length = TARGET + BEFORE + 1
    if task == "number":
        letters = [f"a{(answer + other) % LETTERS + 1}" for other in range(TARGET)]
        letters = letters[1:place] + letters[:1] + letters[place:]
        last = length - hops + 1  # the place whose integer leads to the answer
        steps = [last - place if at == last else 1 for at in range(TARGET + 1, length + 1)]
        if max(steps) > INTEGERS:
            raise InputError(f"a step of {max(steps)}", f"there are integers up to {INTEGERS}")
        return (*letters, *steps)
    names = [f"a{(answer // PAIR_NUMBERS + other) % PAIR_LETTERS + 1}" for other in range(PAIR_LETTERS)]
    own, unnamed, *path = names
    target: list[Token] = [(unnamed, 1)] * TARGET
    target[place - 1] = (own, answer % PAIR_NUMBERS + 1)
    chain = [own, *path[: hops - 1]]
    links: list[Token] = [(left, right) for right, left in pairwise(chain)]
    filled: list[Token] = [(unnamed, own)] * (BEFORE - len(links))
    return (*target, *filled, *links, (unnamed, chain[-1]))
