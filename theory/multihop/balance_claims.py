"""The claims about the printed data sets: what of 480,000 sequences can be balanced exactly, and what cannot."""

from __future__ import annotations

from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement
from headproof.theory.multihop.balance import (
    CELLS_NEAR,
    JOINT,
    NEAR,
    SEPARATE,
    SPLITS,
    WHOLE,
    BalanceCase,
    balanced,
)

DATA = Source("DYN", "data sets of the number and the letter task")
WHOLE_CLASS = Premise(
    "a class of the whole", f"the class has {WHOLE} sequences, a quarter of all", lambda case: case.sequences == WHOLE
)
SPLIT_CLASS = Premise(
    "a class of a split",
    f"the class has {', '.join(map(str, SPLITS))} sequences, a quarter of 90, 0.5 or 9.5 % of all",
    lambda case: case.sequences in SPLITS,
)
NUMBER_TASK = Premise("number task", "the task is the number task", lambda case: case.task == "number")


def _statement(way: str, *premises: Premise, more_answers: int = 0, more_places: int = 0) -> Statement:
    return Statement(BalanceCase, premises, lambda case: balanced(case, way, more_answers, more_places))


def _sized(way: str, size: Premise, *premises: Premise) -> Statement:
    """The statement about classes of one sequence more than a premise asks for."""
    more = Premise(f"{size.name}, and one", "one sequence more", lambda case: case.sequences - 1 in (WHOLE, *SPLITS))
    return _statement(way, more, *premises)


def _mutants(way: str, size: Premise, *premises: Premise) -> tuple[Mutant, ...]:
    return (
        Mutant("one sequence more", "classes of one sequence more", _sized(way, size, *premises)),
        Mutant("nine places", "nine places of answers", _statement(way, size, *premises, more_places=1)),
    )


def _one_answer(way: str, size: Premise, *premises: Premise) -> Mutant:
    return Mutant("one answer more", "one answer more than there are", _statement(way, size, *premises, more_answers=1))


FORM = "sequences of 8 + 8 + 1 tokens, 1 to 5 moves (1 to 4 hops, the query's own move counted or not)"
LATEX = r"480\,000 = 4 \cdot 120\,000"
separately = Claim(
    id="dyn.tasks.balance",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.PRINTED,
    title="Data sets as balanced as printed exist for both tasks, answers and places each by themselves",
    source=DATA,
    latex=LATEX + r",\quad 120\,000 = 120 \cdot 1000 = 64 \cdot 1875 = 8 \cdot 15\,000",
    sentence="For both tasks there are 480,000 sequences, a quarter of them in each hop class, in each of which every "
    "answer (120 letters; 64 pairs) comes equally often, and every place of it (8).",
    domain=f"both tasks, {FORM}",
    statement=_statement(SEPARATE, WHOLE_CLASS),
    mutants=(*_mutants(SEPARATE, WHOLE_CLASS), _one_answer(SEPARATE, WHOLE_CLASS)),
    remarks=(
        "Each letter of the number task 1,000 times in a class, each pair of the letter task 1,875 times, each place "
        "15,000 times. There are enough different sequences for each answer and place: 119! / 112! choices of the "
        "other letters, and 8^7 of the numbers of pairs that nothing names.",
        "For the letter task an answer is a pair, an atomic token; its letter, and its number, by themselves are "
        "balanced with it.",
    ),
)

jointly_number = Claim(
    id="dyn.tasks.balance.jointly.number",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.RECONSTRUCTED,
    title="For the number task every letter can come equally often at every place",
    source=DATA,
    latex=LATEX + r",\quad 120\,000 = 120 \cdot 8 \cdot 125",
    sentence="For the number task there are 480,000 sequences, a quarter of them in each hop class, in each of which "
    "every answer comes equally often at every place, 125 times.",
    domain=f"the number task, {FORM}",
    statement=_statement(JOINT, NUMBER_TASK, WHOLE_CLASS),
    mutants=(*_mutants(JOINT, WHOLE_CLASS, NUMBER_TASK), _one_answer(JOINT, WHOLE_CLASS, NUMBER_TASK)),
    remarks=("Not in each split as well: 108,000, 600 and 11,400 are no multiples of 960.",),
)

jointly_repaired = Claim(
    id="dyn.tasks.balance.jointly.repaired",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="In both tasks answers at places can be balanced but for one sequence, answers and places exactly",
    source=DATA,
    latex=r"120\,000 = 64 \cdot 8 \cdot 234 + 192",
    sentence="For both tasks there are 480,000 sequences, a quarter of them in each hop class, in each of which every "
    "answer comes equally often, every place too, and every answer at every place up to one.",
    domain=f"both tasks, {FORM}",
    statement=_statement(CELLS_NEAR, WHOLE_CLASS),
    mutants=(
        *_mutants(CELLS_NEAR, WHOLE_CLASS),
        _one_answer(CELLS_NEAR, WHOLE_CLASS),
        Mutant("exactly", "every answer at every place equally often", _statement(JOINT, WHOLE_CLASS)),
    ),
)

jointly = Claim(
    id="dyn.tasks.balance.jointly",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.RECONSTRUCTED,
    title="In both tasks every answer can come equally often at every place",
    source=DATA,
    latex=r"8 \cdot 120 \mid 120\,000,\quad 8 \cdot 64 \mid 120\,000",
    sentence="For both tasks there are 480,000 sequences, a quarter of them in each hop class, in each of which every "
    "answer comes equally often at every place.",
    domain=f"both tasks, {FORM}",
    statement=_statement(JOINT, WHOLE_CLASS),
    repair=jointly_repaired.id,
    survives="the number task, 125 sequences for each letter and place; for the letter task 120,000 / 512 is no "
    "integer, and the 512 counts are 234 and 235. If the value of the letter task is read as the number alone, of "
    "which there are 8, every value can come equally often at every place: 120,000 = 8 * 8 * 1,875",
    remarks=("The print says that value and position are balanced, not whether each by itself or as pairs.",),
)

in_splits_number = Claim(
    id="dyn.tasks.balance.in-each-split.number",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.RECONSTRUCTED,
    title="For the number task answers and places can be balanced in each split",
    source=DATA,
    latex=r"108\,000 = 120 \cdot 900,\ 600 = 120 \cdot 5,\ 11\,400 = 120 \cdot 95",
    sentence="For the number task there are data sets of 480,000 sequences whose splits of 90, 0.5 and 9.5 % have four "
    "hop classes of equal parts each, in each of which every answer comes equally often, and every place.",
    domain=f"the number task, {FORM}",
    statement=_statement(SEPARATE, NUMBER_TASK, SPLIT_CLASS),
    mutants=(*_mutants(SEPARATE, SPLIT_CLASS, NUMBER_TASK), _one_answer(SEPARATE, SPLIT_CLASS, NUMBER_TASK)),
)

in_splits_repaired = Claim(
    id="dyn.tasks.balance.in-each-split.repaired",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.OURS,
    title="In each split of both tasks answers can be balanced but for one sequence, and places exactly",
    source=DATA,
    latex=r"108\,000 = 64 \cdot 1687 + 32,\ 600 = 64 \cdot 9 + 24,\ 11\,400 = 64 \cdot 178 + 8",
    sentence="For both tasks there are data sets of 480,000 sequences whose splits have four hop classes of equal "
    "parts each, in each of which every place comes equally often, and every answer, and every answer at every place, "
    "up to one.",
    domain=f"both tasks, {FORM}",
    statement=_statement(NEAR, SPLIT_CLASS),
    mutants=(
        *_mutants(NEAR, SPLIT_CLASS),
        Mutant("exactly", "every answer equally often", _statement(SEPARATE, SPLIT_CLASS)),
        Mutant("jointly", "every answer equally often at every place", _statement(JOINT, SPLIT_CLASS)),
    ),
)

in_splits = Claim(
    id="dyn.tasks.balance.in-each-split",
    kind=Kind.DEFINITION,
    fidelity=Fidelity.RECONSTRUCTED,
    title="In both tasks answers and places can be balanced in each split",
    source=DATA,
    latex=r"64 \mid 108\,000,\ 64 \mid 600,\ 64 \mid 11\,400",
    sentence="For both tasks there are data sets of 480,000 sequences whose splits of 90, 0.5 and 9.5 % have four hop "
    "classes of equal parts each, in each of which every answer comes equally often, and every place.",
    domain=f"both tasks, {FORM}",
    statement=_statement(SEPARATE, SPLIT_CLASS),
    repair=in_splits_repaired.id,
    survives="the number task; for the letter task, whose answers are 64 pairs, no class of a split is a multiple of "
    "64, and places alone are balanced there. If the value of the letter task is read as the number alone, of which "
    "there are 8, values are balanced in each split too: 108,000, 600 and 11,400 are multiples of 8",
    remarks=("The print says that the data are balanced and how they are split, not whether each split is balanced.",),
)

BALANCE_CLAIMS = (
    separately,
    jointly,
    jointly_number,
    jointly_repaired,
    in_splits,
    in_splits_number,
    in_splits_repaired,
)
