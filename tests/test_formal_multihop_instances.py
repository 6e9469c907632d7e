"""The theorems of multihop.v used by name at single sequences and hop classes, against what Python decides there."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
from coq_words import Instance, assert_instances, goal, right_ones, statement_of

from headproof.checks.engines import coq
from headproof.theory.expressivity.function_claims import SequenceCase
from headproof.theory.formal import theorems
from headproof.theory.inputs import Token
from headproof.theory.multihop import PRINTED, REPAIRED, letter_outcomes, letter_windows, number_outcomes
from headproof.theory.multihop.example_claims import EXAMPLE, path_values
from headproof.theory.parameters import Tokens
from headproof.theory.sequences import solve_letter, solve_number

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

TOPIC = "multihop"
Tactics = Callable[[SequenceCase], str]


def letter(name: Token | None) -> str:
    """A letter as a number, A as 0."""
    return str(ord(str(name).upper()) - ord("A"))


def listed(words: Sequence[str], of: str = "nat") -> str:
    return f"([:: {'; '.join(words)}] : seq {of})"


def pair(token: Token) -> str:
    """A pair of two letters, or of a letter and a number, among pairs of its kind."""
    first, second = token
    return f"({letter(first)}, {letter(second) if isinstance(second, str) else second})"


def pairs(tokens: Sequence[Token]) -> str:
    return listed([pair(each) for each in tokens], "(nat * nat)")


def number_words(tokens: Tokens) -> tuple[str, str]:
    """The letters of a sequence and its integers."""
    letters = [letter(each) for each in tokens if isinstance(each, str)]
    return listed(letters), listed([str(each) for each in tokens if isinstance(each, int)])


def letter_words(tokens: Tokens) -> tuple[str, str]:
    """The pairs of a letter and a number, and those of two letters."""
    target = [each for each in tokens if isinstance(each[1], int)]
    return pairs(target), pairs([each for each in tokens if isinstance(each[1], str)])


def assert_refuted_alone(tactics: Mapping[str, Tactics], others: Mapping[str, Sequence[SequenceCase]]) -> None:
    """What each `_fails` theorem denies is contradicted at its own counterexample, and at none of its other cases.

    As `coq_words.assert_refuted_at` says it, in one session for several theorems and cases.
    """
    texts, expected = {}, set()
    for name, of in tactics.items():
        theorem, said = theorems(TOPIC)[name], statement_of(name)
        for case in (said.case_type.of_json(theorem.case), *others[name]):
            texts[f"{name} {case}"] = goal(f"({theorem.text[2:]}) -> False", of(case))
            expected |= {f"{name} {case}"} if said.refuted_by(case) else set()
        assert theorem.text.startswith("~ ")
    assert len(expected) == len(tactics)
    assert right_ones(TOPIC, texts) == expected


# -- the number task -----------------------------------------------------------------------------------------------

NUMBER_DEFINITIONS = (
    "dyn_tasks_number_formal_fails",
    "dyn_tasks_number_formal_last_integer_fails",
    "dyn_tasks_number_formal_tested_index_fails",
    "dyn_tasks_number_formal_start_by_value_fails",
)


def of_number(case: SequenceCase) -> str:
    """False from what such a theorem denies, by what it says of this sequence."""
    s, j = number_words(case.tokens)
    return f"move=> printed; have [//|//|//|a [d []]] := printed nat_eqType {s} {j}; by vm_compute."


def number_cases() -> Iterator[SequenceCase]:
    draw = random.Random(1)
    while True:
        letters = [draw.choice("ABC") for _ in range(draw.randint(1, 3))]
        yield SequenceCase((*letters, *(draw.randint(1, 3) for _ in range(draw.randint(2, 4)))))


def test_printed_number_definitions_are_refuted_at_their_counterexamples() -> None:
    """And not at a sequence on which they agree with stepping back, nor where a premise is false."""
    others = {}
    for name in NUMBER_DEFINITIONS:
        said = statement_of(name)
        right = next(case for case in number_cases() if said.meets(case) and said.conclusion(case))
        others[name] = [right, SequenceCase(("A", 2)), SequenceCase(("A",))]
        assert not any(said.conclusion(case) for case in others[name][1:])
    assert_refuted_alone(dict.fromkeys(NUMBER_DEFINITIONS, of_number), others)


# -- the printed example -------------------------------------------------------------------------------------------


def test_the_example_has_the_answer_and_the_moves_of_python() -> None:
    """The theorems about the printed example say of its tokens what Python finds, and nothing beside it."""
    s, j = number_words(EXAMPLE)
    x, answer, values = f"(number_tokens {s} {j})", solve_number(EXAMPLE).answer, path_values(EXAMPLE)
    (outcome,) = number_outcomes(EXAMPLE, REPAIRED)

    def answered(name: str) -> str:
        return f"number_answer {x} = Some {letter(name)}"

    def moves(steps: Sequence[Token], left_out: str = "path_values {}", name: Token = answer) -> str:
        return f"{left_out.format(x)} = Some {listed([str(each) for each in steps])} /\\ {answered(name)}"

    def outcomes(name: Token | None, hops: int) -> str:
        return f"number_outcomes reached_index reached_index false {s} {j} = [:: (Some {letter(name)}, {hops})]"

    without = "omap behead (path_values {})"
    five, four = "dyn_tasks_number_example_moves_repaired", "dyn_tasks_number_example_without_query"
    upheld = [
        *(("dyn_tasks_number_example_answer", answered(answer), answered(other)) for other in "AB"),
        *((five, moves(values), moves(other)) for other in (values[1:], values[::-1])),
        (five, moves(values), moves(values, name="B")),
        *((four, moves(values[1:], without), moves(other, without)) for other in (values, values[2:])),
        (four, moves(values[1:], without), moves(values[1:], without, "A")),
        ("dyn_tasks_number_example_formal_repaired", outcomes(*outcome), outcomes(outcome[0], outcome[1] - 1)),
        ("dyn_tasks_number_example_formal_repaired", outcomes(*outcome), outcomes("B", outcome[1])),
    ]
    assert all(statement_of(name).conclusion(SequenceCase(EXAMPLE)) for name, _, _ in upheld)
    assert_instances(TOPIC, [Instance(name, right, wrong, f"exact {name}.") for name, right, wrong in upheld])


EXAMPLE_WORDS = {
    "dyn_tasks_number_example_moves_fails": ("example", "number_tokens {} {}", "move=> [steps _]; discriminate steps"),
    "dyn_tasks_number_example_formal_fails": (
        "(example_letters, example_integers)",
        "({}, {})",
        "move=> only; discriminate only",
    ),
}


def test_printed_readings_of_the_example_are_refuted_at_the_example() -> None:
    """The sequence that Coq's theorems speak of is that of the counterexample; of another they say nothing."""

    def of_example(name: str) -> Tactics:
        named, words, contradiction = EXAMPLE_WORDS[name]
        return lambda case: (
            f"have same : {named} = {words.format(*number_words(case.tokens))} by [reflexivity]; "
            f"vm_compute; {contradiction}."
        )

    other = [SequenceCase((*EXAMPLE[:-1], 2))]
    assert_refuted_alone({name: of_example(name) for name in EXAMPLE_WORDS}, dict.fromkeys(EXAMPLE_WORDS, other))


def test_what_is_denied_of_the_example_is_what_was_printed() -> None:
    """Four moves after the query's own as all moves, and the answer C of B.1's chains, are not what the path gives."""
    s, j = number_words(EXAMPLE)
    values, answer = path_values(EXAMPLE), solve_number(EXAMPLE).answer

    def steps(numbers: Sequence[Token]) -> str:
        return f"path_values (number_tokens {s} {j}) <> Some {listed([str(each) for each in numbers])}"

    def answers(only: str) -> str:
        return f"number_answers tested_index answer_index true {s} {j} <> [:: {only}]"

    assert {name for name, _ in number_outcomes(EXAMPLE, PRINTED)} == {None}
    moves, formal = EXAMPLE_WORDS
    by_moves = f"move=> four; apply {moves}; split; [exact four | reflexivity]."
    by_formal = f"move=> only; apply {formal}; exact only."
    assert_instances(
        TOPIC,
        [
            Instance(moves, steps(values[1:]), steps(values), by_moves),
            Instance(moves, steps(values[1:]), steps(values[2:]), by_moves),
            Instance(formal, answers(f"Some {letter(answer)}"), answers("None"), by_formal),
            Instance(formal, answers(f"Some {letter(answer)}"), answers(f"Some {letter('B')}"), by_formal),
        ],
    )


# -- the letter task -----------------------------------------------------------------------------------------------

UNAMBIGUOUS = "dyn_tasks_letter_formal_unambiguous"
LETTER_FORMAL, PROPER_ENDS = "dyn_tasks_letter_formal_fails", "dyn_tasks_letter_proper_ends_fails"
FORWARD: Tokens = (("a", 1), ("b", 1), ("c", "a"), ("a", "b"), ("a", "c"))


def letter_cases() -> Iterator[SequenceCase]:
    draw = random.Random(2)
    while True:
        target = [(draw.choice("abcd"), draw.randint(1, 2)) for _ in range(draw.randint(2, 3))]
        before = [(draw.choice("abcd"), draw.choice("abcd")) for _ in range(draw.randint(2, 4))]
        yield SequenceCase((*target, *before))


def chain(tokens: Tokens, last: Token, steps: int) -> str:
    target, before = letter_words(tokens)
    return f"({pair(last)} \\in letter_answers false {target} {before} {steps})"


# Whether the theorem puts the goal's pair among the answers or not.
BY_UNAMBIGUOUS = (
    "match goal with |- context [letter_answers false ?target ?before] => "
    f"have said := @{UNAMBIGUOUS} _ _ target before _ _ isT isT isT erefl end; "
    "by [apply/said | move/said => -[]]."
)


def test_chains_of_unambiguous_sequences_end_where_python_says() -> None:
    """For each pair of the target window and each length; of ambiguous sequences the theorem says nothing."""
    said = statement_of(UNAMBIGUOUS)
    drawn = [
        next(each.tokens for each in filter(said.meets, letter_cases()) if solve_letter(each.tokens).hops == hops)
        for hops in (1, 2, 3)
    ]
    instances = []
    for tokens in drawn:
        found, (target, _) = letter_outcomes(tokens), letter_windows(tokens)
        for last in dict.fromkeys(target):
            for steps in (solve_letter(tokens).hops - 1, solve_letter(tokens).hops):
                ends = chain(tokens, last, steps)
                right, wrong = (ends, f"~ {ends}") if (last, steps + 1) in found else (f"~ {ends}", ends)
                instances.append(Instance(UNAMBIGUOUS, right, wrong, BY_UNAMBIGUOUS))
    assert {each.statement.startswith("~") for each in instances} == {True, False}
    ambiguous = SequenceCase(FORWARD)
    assert [premise.name for premise in said.premises if not premise.holds(ambiguous)] == ["unambiguous"]
    answer = solve_letter(FORWARD).answer
    last, hops = min((each for each in letter_outcomes(FORWARD) if each[0] != answer), key=lambda each: each[1])
    instances.append(replace(instances[0], wrong=f"~ {chain(FORWARD, last, hops - 1)}"))
    assert_instances(TOPIC, instances)


def of_letter(case: SequenceCase) -> str:
    """False from what is denied, by a chain of this sequence to another pair than the path's, if there is one."""
    (target, before), (answer, _) = letter_words(case.tokens), solve_letter(case.tokens)
    other, hops = max(letter_outcomes(case.tokens), key=lambda each: (each[0] != answer, -each[1]))
    solved = f"({letter(answer[0])}, inr {answer[1]}) {solve_letter(case.tokens).hops}"
    return (
        f"move=> said; have [] := @said nat_eqType nat_eqType {target} {before} {solved} isT isT isT erefl "
        f"{pair(other)}; "
        f"move=> forward _; have /forward : exists steps, {chain(case.tokens, other, 0)[:-3]} steps) by "
        f"[exists {hops - 1}]; by []."
    )


def of_ends(case: SequenceCase) -> str:
    """False from what is denied, by a path of this sequence that does not end."""
    target, before = letter_words(case.tokens)
    return (
        f"move=> said; have [//|//|//|p [d [solved _]]] := said nat_eqType nat_eqType {target} {before}; "
        "by move: solved; vm_compute."
    )


def test_printed_sentences_about_letters_are_refuted_at_their_counterexamples() -> None:
    """And not at a proper sequence of which they are right, nor where a premise is false."""
    tactics = {LETTER_FORMAL: of_letter, PROPER_ENDS: of_ends}
    improper = ("d", "e")
    without = {
        LETTER_FORMAL: [(*FORWARD[:2], improper, *FORWARD[2:])],
        PROPER_ENDS: [(("a", 1), ("b", "c")), (("a", 1),)],
    }
    others = {}
    for name, sequences in without.items():
        said = statement_of(name)
        right = next(case for case in letter_cases() if said.meets(case) and said.conclusion(case))
        others[name] = [right, *map(SequenceCase, sequences)]
    assert not any(statement_of(name).conclusion(case) for name in others for case in others[name][1:])
    assert_refuted_alone(tactics, others)
