"""The Coq definitions of multihop.v compute what those of theory/multihop compute, on sequences drawn at random, and
the theorems give at single sequences what Python finds there."""

import random

import pytest

from headproof.checks.engines import coq, kernel
from headproof.checks.engines.kernel import accepted
from headproof.checks.registry import claims
from headproof.theory.errors import InputError
from headproof.theory.multihop import (
    PRINTED,
    PRINTED_LAST,
    REPAIRED,
    REPAIRED_BY_VALUE,
    TESTED_INDEX,
    letter_outcomes,
    letter_windows,
    number_outcomes,
    number_windows,
)
from headproof.theory.multihop.balance import ANSWERS, LETTERS, PAIR_NUMBERS, SPLITS, WHOLE, sequence
from headproof.theory.multihop.example_claims import EXAMPLE, path_values
from headproof.theory.sequences import require_valid_index, solve_letter

pytestmark = pytest.mark.skipif(coq.coqc() is None, reason=coq.MISSING)

TOPIC = "multihop"
DEFINITIONS = {
    "tested_index answer_index true": PRINTED,
    "tested_index answer_index false": PRINTED_LAST,
    "tested_index tested_index false": TESTED_INDEX,
    "reached_index reached_index false": REPAIRED,
    "reached_index reached_index true": REPAIRED_BY_VALUE,
}
FORWARD = (("a", 1), ("b", 1), ("c", "a"), ("a", "b"), ("a", "c"))
LONG = (("a", 1), ("b", "a"), ("c", "b"), ("d", "c"))


def letter(name):
    """A letter as a number, by its place in the alphabet."""
    return str("ABCDabcd".index(name) % 4)


def listed(values, shown=str, of="nat"):
    return f"([:: {'; '.join(map(shown, values))}] : seq {of})"


def outcomes(found):
    def shown(each):
        answer, hops = each
        return f"({'None' if answer is None else f'Some {letter(answer)}'}, {hops})"

    return listed(sorted(found, key=str), shown, "(option nat * nat)")


def pair(each):
    return f"({', '.join(letter(half) if isinstance(half, str) else str(half) for half in each)})"


def pairs(values):
    return listed(values, pair, "(nat * nat)")


def computed(left, right):
    return f"Goal {left} = {right}. Proof. vm_compute; reflexivity. Qed."


def numbers_drawn(count, seed):
    """Letters and then integers, some of them without a target."""
    rng = random.Random(seed)
    found = [EXAMPLE, ("A", 1, 1), ("A", 1, 2), ("A", "B", 2, 2)]
    while len(found) < count:
        letters = [rng.choice("ABCD") for _ in range(rng.randint(1, 4))]
        most = rng.choice((0, 0, 0, 2))
        integers = [rng.randint(1, len(letters) + place + most) for place in range(rng.randint(1, 6))]
        found.append((*letters, *integers))
    return found


def letters_drawn(count, seed):
    rng = random.Random(seed)
    found = [FORWARD, LONG, (("a", 1), ("b", "b"))]
    while len(found) < count:
        target = [(rng.choice("abcd"), rng.randint(1, 3)) for _ in range(rng.randint(1, 4))]
        before = [(rng.choice("abcd"), rng.choice("abcd")) for _ in range(rng.randint(1, 4))]
        found.append((*target, *before))
    return found


def of_numbers(tokens, definition):
    """A set of outcomes in Coq, asked whether it is the set given."""
    letters, integers = number_windows(tokens)
    return f"undup (number_outcomes {definition} {listed(letters, letter)} {listed(integers)})"


def valid(tokens):
    try:
        return bool(require_valid_index(tokens))
    except InputError:
        return False


@pytest.mark.parametrize(
    ("definition", "python"), DEFINITIONS.items(), ids=["-".join(each.split()) for each in DEFINITIONS]
)
def test_the_outcomes_of_a_number_definition_are_those_of_python(definition, python):
    draws = numbers_drawn(40, 3)
    assert {valid(tokens) for tokens in draws} == {True, False}
    right, wrong = {}, {}
    for number, tokens in enumerate(draws):
        found = number_outcomes(tokens, python)
        other = found ^ {("A", 1)}
        right[f"{number}"] = computed(f"perm_eq ({of_numbers(tokens, definition)}) {outcomes(found)}", "true")
        wrong[f"{number}, other"] = computed(f"perm_eq ({of_numbers(tokens, definition)}) {outcomes(other)}", "true")
    stands = accepted(TOPIC, right | wrong)
    assert {name for name, each in stands.items() if each} == set(right)


@pytest.mark.parametrize("ordered", [False, True])
def test_the_chains_of_the_letter_definition_are_those_of_python(ordered):
    right, wrong, lengths = {}, {}, set()
    for number, tokens in enumerate(letters_drawn(40, 4)):
        target, before = letter_windows(tokens)
        found = letter_outcomes(tokens, ordered)
        lengths |= {hops for _, hops in found}
        steps = 2 * len(before)
        given = f"{str(ordered).lower()} {pairs(target)} {pairs(before)}"
        left = f"[seq letter_answers {given} steps | steps <- iota 0 {steps}]"

        def answers(found, target=target, steps=steps):
            rows = ([each for each in target if (each, step + 1) in found] for step in range(steps))
            return listed(rows, pairs, "(seq (nat * nat))")

        right[f"{number}"] = computed(left, answers(found))
        wrong[f"{number}, other"] = computed(left, answers(found ^ {(target[0], 1)}))
    assert {1, 2, 3} <= lengths
    stands = accepted(TOPIC, right | wrong)
    assert {name for name, each in stands.items() if each} == set(right)


def test_the_example_is_the_printed_one():
    letters, integers = number_windows(EXAMPLE)
    values = path_values(EXAMPLE)
    right = {
        "tokens": computed("example", f"number_tokens {listed(letters, letter)} {listed(integers)}"),
        "values": computed("path_values example", f"Some {listed(values)}"),
    }
    wrong = {
        "tokens, other": computed("example", f"number_tokens {listed(letters, letter)} {listed(integers[::-1])}"),
        "values, other": computed("path_values example", f"Some {listed(values[1:])}"),
    }
    stands = accepted(TOPIC, right | wrong)
    assert {name for name, each in stands.items() if each} == set(right)


def test_the_letter_theorems_give_what_python_finds():
    """On a sequence with a chain that goes forward the theorem gives Python's answers with the order alone; a path of
    n2 moves has no bound of n2 - 1."""
    target, before = letter_windows(FORWARD)
    answer, hops = solve_letter(FORWARD)
    assert letter_outcomes(FORWARD, ordered=True) == {(answer, hops)} < letter_outcomes(FORWARD)
    window, links = letter_windows(LONG)
    assert solve_letter(LONG).hops == len(links)
    given = f"{pairs(target)} {pairs(before)}"
    solved = f"({letter(answer[0])}, inr {answer[1]}) {hops}"

    def chain(ordered, steps, each):
        return (
            f"Goal {pair(each)} \\in letter_answers {ordered} {given} {steps}. Proof. "
            f"apply/(@dyn_tasks_letter_formal_repaired _ _ {given} {solved} isT isT erefl); split; reflexivity. Qed."
        )

    def bound(most):
        tokens = f"(letter_tokens {pairs(window)} {pairs(links)})"
        return (
            f"Goal exists p d, solve_letter {tokens} = Some (p, d) /\\ d <= {most}. Proof. "
            f"exact: (@dyn_tasks_letter_proper_ends_repaired _ _ {pairs(window)} {pairs(links)} isT isT isT isT). Qed."
        )

    right = {"the answer": chain("true", hops - 1, answer), "n2 moves": bound(len(links))}
    wrong = {
        "another answer": chain("true", hops - 1, target[1]),
        "another length": chain("true", hops, answer),
        "one move fewer": bound(len(links) - 1),
    }
    stands = accepted(TOPIC, right | wrong)
    assert {name for name, each in stands.items() if each} == set(right)


def test_the_number_theorem_gives_what_python_finds():
    letters, integers = number_windows(EXAMPLE)
    ((answer, hops),) = number_outcomes(EXAMPLE, REPAIRED)

    def given(answer, hops):
        s, j = listed(letters, letter), listed(integers)
        return (
            f"Goal number_outcomes reached_index reached_index false {s} {j} = [:: (Some {letter(answer)}, {hops})]. "
            f"Proof. have [a [d []]] := @dyn_tasks_number_formal_repaired _ {s} {j} isT isT isT; "
            f"have -> : solve_number (number_tokens {s} {j}) = Some ({letter(answer)}, {hops}) by [vm_compute]; "
            "move=> [<- <-] only; exact: only. Qed."
        )

    stands = accepted(TOPIC, {"right": given(answer, hops), "B": given("B", hops), "four": given(answer, hops - 1)})
    assert stands == {"right": True, "B": False, "four": False}


@pytest.mark.parametrize("task", ANSWERS)
def test_the_form_of_the_data_is_that_of_python(task):
    """Sequences that Python writes down for an answer and a place have both in Coq too, and the form of the data."""
    rng = random.Random(5)

    def index(name):
        return (int(name[1:]) - 1) % LETTERS

    def half(each):
        return f"inl {index(each)}" if isinstance(each, str) else f"inr {each - (task == 'letter')}"

    def token(each):
        return f"({index(each[0])}, {half(each[1])})" if isinstance(each, tuple) else half(each)

    of = "(nat + nat)" if task == "number" else "(nat * (nat + nat))"
    right, wrong = {}, {}
    for _ in range(12):
        hops, answer, place = rng.randint(1, 7), rng.randrange(ANSWERS[task]), rng.randint(1, 8)
        x = listed(sequence(task, hops, answer, place), token, of)
        shown = answer if task == "number" else f"({answer // PAIR_NUMBERS}, inr {answer % PAIR_NUMBERS})"
        left = f"({task}_class {{}} [:: {x}], {task}_answer {x}, {task}_place {x})"
        right[f"{hops} {answer} {place}"] = computed(left.format(hops), f"(true, Some {shown}, Some {place})")
        wrong[f"{hops} {answer} {place}, hops"] = computed(left.format(hops + 1), f"(true, Some {shown}, Some {place})")
        wrong[f"{hops} {answer} {place}, place"] = computed(
            left.format(hops), f"(true, Some {shown}, Some {9 - place})"
        )
    stands = accepted(TOPIC, right | wrong)
    assert {name for name, each in stands.items() if each} == set(right)


def test_the_numbers_of_the_data_are_those_of_python():
    train, validation, test = SPLITS
    right = {
        "whole": computed(f"(120 * 1000 == {WHOLE // 100} * 100)", "true"),
        "splits": computed(
            f"[&& 108 * 1000 == {train // 100} * 100, 600 == {validation} & 114 * 100 == {test // 100} * 100]", "true"
        ),
        "values": computed("(size number_values, size letter_values)", f"({ANSWERS['number']}, {ANSWERS['letter']})"),
    }
    wrong = {"values, other": computed("(size number_values, size letter_values)", f"({ANSWERS['number']}, 63)")}
    assert WHOLE % 100 == train % 100 == test % 100 == 0
    stands = accepted(TOPIC, right | wrong)
    assert {name for name, each in stands.items() if each} == set(right)


def test_every_claim_of_the_file_is_one_of_the_topic():
    known = {each.replace(".", "_").replace("-", "_") for each in claims()}
    assert {name.removesuffix("_fails") for name in kernel.results(TOPIC)} <= known
