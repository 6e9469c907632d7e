"""The claims about the printed example of the number task, read in each way (dyn.tasks)."""

from __future__ import annotations

from typing import Any

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.expressivity.function_claims import SequenceCase
from headproof.theory.multihop import (
    PRINTED,
    REPAIRED,
    REPAIRED_BY_VALUE,
    TESTED_INDEX,
    NumberDefinition,
    number_outcomes,
)
from headproof.theory.multihop.defined import DEFINITION, Conclusion, defined
from headproof.theory.parameters import Tokens
from headproof.theory.sequences import number_path, solve_number

EXAMPLE: Tokens = ("C", "B", "A", 1, 4, 1, 3, 2, 1, 1)
IN_EXAMPLE = Source("DYN", "example of the number task")
IS_EXAMPLE = Premise("the example", "the sequence is C B A 1 4 1 3 2 1 1", lambda case: bool(case.tokens == EXAMPLE))


def _example(conclusion: Conclusion) -> Statement:
    return Statement(SequenceCase, (IS_EXAMPLE,), defined(conclusion))


def path_values(tokens: Tokens) -> tuple[Any, ...]:
    """The integers on the path from the last token, the query's first."""
    return tuple(tokens[place - 1] for place in number_path(tokens)[:-1])


def _answers(letter: str) -> Statement:
    return _example(lambda case: solve_number(case.tokens).answer == letter)


def _steps(values: tuple[int, ...], skipped: int = 0) -> Statement:
    """The path's integers after the first `skipped` ones, and the answer C."""
    return _example(
        lambda case: path_values(case.tokens)[skipped:] == values and solve_number(case.tokens).answer == "C"
    )


def _longer(case: SequenceCase) -> bool:
    """Whether steps of one place more lead to C."""
    place = len(case.tokens)
    while isinstance(step := case.tokens[place - 1], int):
        place -= step + 1
        if place < 1:
            return False
    return bool(case.tokens[place - 1] == "C")


ONE = "the printed example alone"
answer = Claim(
    id="dyn.tasks.number.example.answer",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed example of the number task has the answer C",
    source=IN_EXAMPLE,
    latex=r"\text{C B A 1 4 1 3 2 1 1} \mapsto \text{C}",
    sentence="From the last token of C B A 1 4 1 3 2 1 1, stepping back as many places as each integer says leads to "
    "the letter C.",
    domain=ONE,
    statement=_answers("C"),
    mutants=(
        Mutant("B", "the answer B", _answers("B")),
        Mutant("A", "the answer A", _answers("A")),
        Mutant("one place more", "steps of v + 1 places lead to C", _example(_longer)),
    ),
    remarks=("Places 10, 9, 8, 6, 5, 1; integers 1, 1, 2, 1, 4.",),
)

moves_repaired = Claim(
    id="dyn.tasks.number.example.moves.repaired",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="The printed example makes five moves",
    source=IN_EXAMPLE,
    latex=r"\text{C B A 1 4 1 3 2 1 1}:\ (1, 1, 2, 1, 4),\ \text{answer C}",
    sentence="The path from the last token of C B A 1 4 1 3 2 1 1 makes five moves, by the integers 1, 1, 2, 1 and 4, "
    "and ends at C.",
    domain=ONE,
    statement=_steps((1, 1, 2, 1, 4)),
    mutants=(
        Mutant("four", "four moves, 1, 2, 1 and 4", _steps((1, 2, 1, 4))),
        Mutant("from the end", "the moves in the opposite order", _steps((4, 1, 2, 1, 1))),
        Mutant("six", "six moves, 1, 1, 1, 2, 1 and 4", _steps((1, 1, 1, 2, 1, 4))),
    ),
)

moves = Claim(
    id="dyn.tasks.number.example.moves",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed example has four hops, every move a hop",
    source=IN_EXAMPLE,
    latex=r"\text{C B A 1 4 1 3 2 1 1}:\ \text{four hops}\ (1, 2, 1, 4)",
    sentence="If every move from the last token to the answer is a hop, the path of C B A 1 4 1 3 2 1 1 has four hops, "
    "1, 2, 1 and 4, and ends at C.",
    domain=ONE,
    statement=_steps((1, 2, 1, 4)),
    repair=moves_repaired.id,
    survives="the answer, and the four values as those of the moves after the query's own",
)

without_query = Claim(
    id="dyn.tasks.number.example.without-query",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed example has four hops, the query's own move left out",
    source=IN_EXAMPLE,
    latex=r"\text{C B A 1 4 1 3 2 1 1}:\ 1, (1, 2, 1, 4),\ \text{answer C}",
    sentence="After the move of the last token, the query, the path of C B A 1 4 1 3 2 1 1 makes four moves, by the "
    "integers 1, 2, 1 and 4, and ends at C.",
    domain=ONE,
    statement=_steps((1, 2, 1, 4), 1),
    mutants=(
        Mutant("three", "three moves, 2, 1 and 4", _steps((2, 1, 4), 1)),
        Mutant("from the end", "the moves in the opposite order", _steps((4, 1, 2, 1), 1)),
        Mutant("five", "five moves, 1, 1, 2, 1 and 4", _steps((1, 1, 2, 1, 4), 1)),
    ),
    remarks=(
        "By this count a model needs one layer more than there are hops (dyn.functions.number.hops-of-the-example), "
        "and a query that points to a letter is 0 hops from its answer. The headproof data sets count moves.",
    ),
)


def _defines(definition: NumberDefinition, hops: int | None) -> Statement:
    """The definition gives the example the answer C in so many hops, in any number for None, and nothing else."""

    def holds(case: SequenceCase) -> bool:
        found = number_outcomes(case.tokens, definition)
        return {letter for letter, _ in found} == {"C"} and (hops is None or {many for _, many in found} == {hops})

    return _example(holds)


formal_repaired = Claim(
    id="dyn.tasks.number.example.formal.repaired",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="The repaired formal definition gives the printed example its answer, in five hops",
    source=DEFINITION,
    latex=r"k = (7, 6, 5, 3, 2),\ n_1 + k_5 - j_{k_5} = 3 + 2 - 4 = 1,\ s_1 = \text{C}",
    sentence="On C B A 1 4 1 3 2 1 1 the repaired definition (dyn.tasks.number.formal.repaired) has one chain, of five "
    "places, and its answer is C.",
    domain=ONE,
    statement=_defines(REPAIRED, 5),
    mutants=(
        Mutant("four", "four places", _defines(REPAIRED, 4)),
        Mutant("by value", "j_k1 = j_n2 for any such k_1", _defines(REPAIRED_BY_VALUE, None)),
        Mutant("tested index", "the answer at n1 - j_kHL + 1", _defines(TESTED_INDEX, None)),
    ),
)

formal = Claim(
    id="dyn.tasks.number.example.formal",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed formal definition gives the printed example its answer",
    source=DEFINITION,
    latex=r"n_1 - j_{k_{HL}} + 1 \in \{1..n_1\},\ s_{n_2 - j_{k_{HL}} + 1} = \text{C}",
    sentence="On C B A 1 4 1 3 2 1 1 the chains of definition B.1, whatever the number of their hops, give the answer "
    "C and no other.",
    domain=ONE,
    statement=_defines(PRINTED, None),
    repair=formal_repaired.id,
    survives="the chain 7, 6, 5, 3, 2, which is the path; but its last condition fails, 3 - 4 + 1 = 0, and the other "
    "chains, which may end earlier, name letters 7 - j + 1 > 3 that are not there",
)

EXAMPLE_CLAIMS = (
    answer,
    moves,
    moves_repaired,
    without_query,
    formal,
    formal_repaired,
)
