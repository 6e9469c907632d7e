"""The claims about the formal definition of the number task as printed, B.1, read in each way (dyn.tasks)."""

from __future__ import annotations

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Statement
from headproof.theory.expressivity.function_claims import VALID, SequenceCase, accepted
from headproof.theory.multihop import (
    PRINTED,
    PRINTED_LAST,
    REPAIRED,
    REPAIRED_BY_VALUE,
    TESTED_INDEX,
    NumberDefinition,
    number_outcomes,
    number_windows,
)
from headproof.theory.multihop.defined import DEFINITION, defined
from headproof.theory.sequences import solve_number

WINDOWS = Premise(
    "two windows",
    "the sequence is letters and then integers, one of each at least",
    lambda case: accepted(number_windows, case.tokens),
)


def _agrees(definition: NumberDefinition, hops: bool = False, fewer: int = 0) -> Statement:
    """The definition's answer is that of stepping, and its only one; with `hops` its hops are the moves too."""

    def holds(case: SequenceCase) -> bool:
        found, solution = number_outcomes(case.tokens, definition), solve_number(case.tokens)
        if hops:
            return found == {(solution.answer, solution.hops - fewer)}
        return {letter for letter, _ in found} == {solution.answer}

    return Statement(SequenceCase, (WINDOWS, VALID), defined(holds))


def _further(n1: int, n2: int, k: int, j: int) -> int:
    return n1 + k - j + 1


EVERY = "every valid sequence of letters and then integers"
formal_repaired = Claim(
    id="dyn.tasks.number.formal.repaired",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="A formal definition of the number task that agrees with stepping back",
    source=DEFINITION,
    latex=r"k_1 = n_2,\ k_i - k_{i+1} = j_{k_i},\ n_1 + k_{HL} - j_{k_{HL}} \in \{1..n_1\}:\ "
    r"\text{answer } s_{n_1 + k_{HL} - j_{k_{HL}}}",
    sentence="On a valid sequence s_1 .. s_n1 j_1 .. j_n2 there is one chain with k_1 = n2, k_i - k_(i+1) = j_ki and "
    "n1 + k_HL - j_kHL in 1 .. n1; the letter at that place is where stepping back from the last token ends, and HL is "
    "the number of its moves.",
    domain=EVERY,
    statement=_agrees(REPAIRED, hops=True),
    mutants=(
        Mutant("by value", "j_k1 = j_n2 for any such k_1", _agrees(REPAIRED_BY_VALUE)),
        Mutant(
            "printed condition",
            "the chain ends where n1 - j_kHL + 1 is in 1 .. n1",
            _agrees(NumberDefinition(PRINTED.tested, REPAIRED.answer)),
        ),
        Mutant(
            "printed index",
            "the answer at n2 - j_kHL + 1",
            _agrees(NumberDefinition(REPAIRED.tested, PRINTED.answer)),
        ),
        Mutant(
            "one place further",
            "n1 + k_HL - j_kHL + 1 in both places",
            _agrees(NumberDefinition(_further, _further)),
        ),
        Mutant("without the query's move", "HL is one less than the moves", _agrees(REPAIRED, True, 1)),
    ),
    remarks=(
        "Proof. The integer j_k stands at place n1 + k of the sequence, so a step from it leads to place n1 + k - j_k, "
        "which is at least 1 on a valid sequence. Either it is at most n1, then it is a letter's and k_HL = k; or it "
        "is the place of the integer at k - j_k >= 1, and the chain goes on there. So each place has one "
        "continuation, of one kind; the places fall, so the chain ends, and it is the path.",
    ),
)

SURVIVES = (
    "the steps k_i - k_(i+1) = j_ki; the number tested is the answer's index where k_HL = 1 alone, and the printed "
    "index is where k_HL = n2 - n1 + 1 alone, for both leave out where the last integer stands"
)
formal = Claim(
    id="dyn.tasks.number.formal",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed formal definition of the number task agrees with stepping back",
    source=DEFINITION,
    latex=r"j_{k_1} = j_{n_2},\ k_i - k_{i+1} = j_{k_i},\ n_1 - j_{k_{HL}} + 1 \in \{1..n_1\}:\ "
    r"\text{answer } s_{n_2 - j_{k_{HL}} + 1}",
    sentence="On a valid sequence s_1 .. s_n1 j_1 .. j_n2 the chains with j_k1 = j_n2, k_i - k_(i+1) = j_ki and "
    "n1 - j_kHL + 1 in 1 .. n1 all give the answer s at n2 - j_kHL + 1 at which stepping back ends.",
    domain=EVERY,
    statement=_agrees(PRINTED),
    repair=formal_repaired.id,
    survives=SURVIVES,
)

last_integer = Claim(
    id="dyn.tasks.number.formal.last-integer",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed formal definition, its chain read to begin at the last integer, agrees with stepping back",
    source=DEFINITION,
    latex=r"k_1 = n_2,\ k_i - k_{i+1} = j_{k_i},\ n_1 - j_{k_{HL}} + 1 \in \{1..n_1\}:\ "
    r"\text{answer } s_{n_2 - j_{k_{HL}} + 1}",
    sentence="On a valid sequence s_1 .. s_n1 j_1 .. j_n2 the chains with k_1 = n2, k_i - k_(i+1) = j_ki and "
    "n1 - j_kHL + 1 in 1 .. n1 all give the answer s at n2 - j_kHL + 1 at which stepping back ends.",
    domain=EVERY,
    statement=_agrees(PRINTED_LAST),
    repair=formal_repaired.id,
    survives=SURVIVES,
)

tested_index = Claim(
    id="dyn.tasks.number.formal.tested-index",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="The printed formal definition, its answer read to stand at the tested place, agrees with stepping back",
    source=DEFINITION,
    latex=r"k_1 = n_2,\ k_i - k_{i+1} = j_{k_i},\ n_1 - j_{k_{HL}} + 1 \in \{1..n_1\}:\ "
    r"\text{answer } s_{n_1 - j_{k_{HL}} + 1}",
    sentence="On a valid sequence s_1 .. s_n1 j_1 .. j_n2 the chains with k_1 = n2, k_i - k_(i+1) = j_ki and "
    "n1 - j_kHL + 1 in 1 .. n1 all give the answer at that number, s at n1 - j_kHL + 1, at which stepping back ends.",
    domain=EVERY,
    statement=_agrees(TESTED_INDEX),
    repair=formal_repaired.id,
    survives="the answer where the last integer of the path is the first of all, k_HL = 1",
)

by_value = Claim(
    id="dyn.tasks.number.formal.start-by-value",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="A chain that begins at any integer equal to the last one has the same answer",
    source=DEFINITION,
    latex=r"j_{k_1} = j_{n_2},\ k_i - k_{i+1} = j_{k_i},\ n_1 + k_{HL} - j_{k_{HL}} \in \{1..n_1\}:\ "
    r"\text{answer } s_{n_1 + k_{HL} - j_{k_{HL}}}",
    sentence="On a valid sequence s_1 .. s_n1 j_1 .. j_n2 the chains with j_k1 = j_n2 as printed, k_1 any place with "
    "that integer, k_i - k_(i+1) = j_ki and, as repaired, n1 + k_HL - j_kHL in 1 .. n1, all give the answer at that "
    "place, at which stepping back ends.",
    domain=EVERY,
    statement=_agrees(REPAIRED_BY_VALUE),
    repair=formal_repaired.id,
    survives="all of it with k_1 = n2, the place and not the value",
)

NUMBER_CLAIMS = (
    formal,
    last_integer,
    tested_index,
    by_value,
    formal_repaired,
)
