"""The printed formal definitions of the multihop tasks (DYN, B.1 and B.2) as what they define, chains and answers.

Number task, B.1: the input is `s_1 .. s_n1 j_1 .. j_n2`, letters and then integers. A chain `k_1, .., k_HL` of places
among the integers begins with `j_k1 = j_n2`, goes on by `k_i - k_(i+1) = j_ki`, and ends where
`n1 - j_kHL + 1` is one of `1 .. n1`; the answer is `s` at `n2 - j_kHL + 1`. Letter task, B.2: pairs of a letter and a
number, then pairs of letters `(x_k, y_k)`; a chain from the last pair goes on by `y_ki = x_k(i+1)` and ends where
`y_kHL` is the left letter of a pair of the target window, which is the answer. `HL` is the number of hops.

A definition of this kind may give an input no answer, one, or several: the functions here return all outcomes, each an
answer (None where there is no such letter) and a number of hops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headproof.theory.errors import InputError
from headproof.theory.inputs import Token

Outcomes = frozenset[tuple[Token | None, int]]
# The index of a letter, from 1, by n1, n2, the chain's last place k and the integer j there.
LetterIndex = Callable[[int, int, int, int], int]


@dataclass(frozen=True)
class NumberDefinition:
    """A definition in the manner of B.1: a chain may end where `tested` is one of `1 .. n1`, its answer is the letter
    at `answer`, and it begins at the last integer, or at any equal one (`by_value`)."""

    tested: LetterIndex
    answer: LetterIndex
    by_value: bool = False


def _tested(n1: int, n2: int, k: int, j: int) -> int:
    return n1 - j + 1


def _answered(n1: int, n2: int, k: int, j: int) -> int:
    return n2 - j + 1


def _reached(n1: int, n2: int, k: int, j: int) -> int:
    return n1 + k - j


PRINTED = NumberDefinition(_tested, _answered, by_value=True)
PRINTED_LAST = NumberDefinition(_tested, _answered)
TESTED_INDEX = NumberDefinition(_tested, _tested)
REPAIRED = NumberDefinition(_reached, _reached)
REPAIRED_BY_VALUE = NumberDefinition(_reached, _reached, by_value=True)


def number_windows(tokens: Sequence[Token]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The letters and the integers of a sequence that has letters first, then integers, and some of each.

    Raises InputError for any other sequence.
    """
    letters = tuple(token for token in tokens if isinstance(token, str))
    integers = tuple(token for token in tokens if isinstance(token, int) and not isinstance(token, bool))
    if not letters or not integers or tuple(tokens) != (*letters, *integers):
        raise InputError(f"{tuple(tokens)!r:.60} is not letters and then integers", "give one of each at least")
    return letters, integers


def letter_windows(
    tokens: Sequence[Token],
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, str], ...]]:
    """The letter-number and the letter-letter pairs of a sequence that has them in this order, and some of each.

    Raises InputError for any other sequence.
    """
    target: list[tuple[str, int]] = []
    before: list[tuple[str, str]] = []
    for token in tokens:
        if not isinstance(token, tuple) or (before and isinstance(token[1], int)):
            raise InputError(f"{token!r:.60} among pairs with numbers and then pairs of letters")
        if isinstance(token[1], str):
            before.append((token[0], token[1]))
        else:
            target.append((token[0], token[1]))
    if not target or not before:
        raise InputError(f"{len(target)} letter-number and {len(before)} letter-letter pairs", "give one of each")
    return tuple(target), tuple(before)


def number_outcomes(tokens: Sequence[Token], definition: NumberDefinition) -> Outcomes:
    """All outcomes of the chains that a definition allows on a number sequence. O(n2^2).

    Raises InputError for a sequence that is not letters and then integers, and for an integer below 1.
    """
    letters, integers = number_windows(tokens)
    if min(integers) < 1:
        raise InputError(f"integer {min(integers)}", "steps go back: 1 or more")
    n1, n2 = len(letters), len(integers)
    starts = [k for k in range(1, n2 + 1) if k == n2 or (definition.by_value and integers[k - 1] == integers[-1])]
    found: set[tuple[Token | None, int]] = set()
    for start in starts:
        k, hops = start, 1
        while k >= 1:
            j = integers[k - 1]
            if 1 <= definition.tested(n1, n2, k, j) <= n1:
                index = definition.answer(n1, n2, k, j)
                found.add((letters[index - 1] if 1 <= index <= n1 else None, hops))
            k, hops = k - j, hops + 1
    return frozenset(found)


def letter_outcomes(tokens: Sequence[Token], ordered: bool = False, backwards: bool = False) -> Outcomes:
    """All outcomes of the chains of B.2 on a letter sequence, with `ordered` of those whose places fall.

    Chains may go in circles; those of up to twice as many pairs as there are are followed, which shows whether some
    circle leads to an answer. `backwards` confuses left and right, as a control: `x_ki = y_k(i+1)`. Raises InputError
    for a sequence that is not letter-number pairs and then letter-letter pairs.
    """
    target, before = letter_windows(tokens)
    n2 = len(before)
    here, found = {n2}, set[tuple[Token | None, int]]()
    for hops in range(1, 2 * n2 + 1):
        wanted = {k: before[k - 1][0 if backwards else 1] for k in here}
        found |= {(pair, hops) for pair in target if pair[0] in wanted.values()}
        here = {
            there
            for k, letter in wanted.items()
            for there in range(1, k if ordered else n2 + 1)
            if before[there - 1][1 if backwards else 0] == letter
        }
    return frozenset(found)
