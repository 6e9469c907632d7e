"""The 1-hop tasks as prompts (dyn.llm): seeded, balanced, tokens written apart by spaces, and what is told to a model.

*Number task*: letters, then one integer v, the query; the answer is the letter v places before it. Letters are A to Z,
in turn from shuffled alphabets, so that each stands as often as any other up to one; in sequences of 28 tokens or more
some repeat. *Letter task*: pairs of a letter and a digit such as `k7`, then a query of two letters; the answer is the
pair whose letter is the query's second one. Each letter has one digit, so copies of a pair are alike (*proper* and
unambiguous). `letter-value` is the letter task with the answer's letter already written: its digit is asked. For in the
letter task the answer begins with a letter that the query shows, and copying that is nearly enough.

The answer's place is balanced over the places of the target window. A question can be asked with another query, whose
answer is another one: the control.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase, ascii_uppercase, digits

import numpy as np

from headproof.checks.trained.multihop.data import deal
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

TASKS = ("number", "letter", "letter-value")
INSTRUCTIONS = {
    "number": "The last item of a list is a number. It says how many places before it the answer stands.",
    "letter": "The last item of a list is two letters. The answer is the item that begins with the second of them.",
}
INSTRUCTIONS["letter-value"] = INSTRUCTIONS["letter"]
LIST, ANSWER = "List:", "Answer:"
SHORTEST, LONGEST = 4, 1000
MOST_SHOTS = 16
# Streams of questions and of few-shot examples; any further one has questions of its own.
ASKED, SHOWN = range(2)


@dataclass(frozen=True)
class Form:
    """How questions are told: with the task's instruction or without, after `shots` solved ones of `shot_length`
    tokens each, the same before every question of a seed."""

    instruction: bool = True
    shots: int = 2
    shot_length: int = 12

    def __post_init__(self) -> None:
        object.__setattr__(self, "instruction", bool(self.instruction))
        if require_integer(self.shots, "the number of examples", 0) > MOST_SHOTS:
            raise InputError(f"{self.shots} examples", f"give up to {MOST_SHOTS}")
        require_length(self.shot_length)


@dataclass(frozen=True)
class Question:
    """A sequence, as words, with its query last; another query; the answer, that of the other query, and all
    candidates, the different words of the target window (digits for `letter-value`); the answer's place, from 1."""

    task: str
    words: tuple[str, ...]
    other_query: str
    answer: str
    other_answer: str
    candidates: tuple[str, ...]
    place: int

    def shuffled(self) -> Question:
        """The control: the other query is asked, and the answer is still the first one's."""
        return Question(
            self.task,
            (*self.words[:-1], self.other_query),
            self.words[-1],
            self.answer,
            self.other_answer,
            self.candidates,
            self.place,
        )

    def frequent(self) -> float:
        """How often guessing evenly among the most frequent words of the window (digits for `letter-value`) is right:
        a rule that reads no query.

        >>> Question("number", ("A", "B", "A", "1"), "2", "A", "B", ("A", "B"), 3).frequent()
        1.0
        """
        often = Counter(word[1] if self.task == "letter-value" else word for word in self.words[:-1])
        most = max(often.values())
        guessed = [word for word, times in often.items() if times == most]
        return (self.answer in guessed) / len(guessed)

    def valued(self) -> Question:
        """Of a letter question, the same with the answer's letter given: its digit is asked."""
        digits_of = tuple(sorted({candidate[1] for candidate in self.candidates}))
        answer, other = self.answer[1], self.other_answer[1]
        return replace(self, task="letter-value", answer=answer, other_answer=other, candidates=digits_of)


def require_length(length: int) -> int:
    """A number of tokens of a question; InputError for what is none or out of range."""
    if require_integer(length, "a length", SHORTEST) > LONGEST:
        raise InputError(f"a length of {length}", f"take {SHORTEST} to {LONGEST}")
    return length


def questions(task: str, length: int, count: int, seed: int = 0, stream: int = ASKED) -> tuple[Question, ...]:
    """`count` questions of `length` tokens, query included. The same for all models.

    Raises InputError for an unknown task, and a length or count out of range.
    """
    if task not in TASKS:
        raise InputError(f"unknown task {task!r:.60}", f"there are {', '.join(TASKS)}")
    require_length(length)
    many = require_integer(count, "the number of questions", 1)
    # letter and letter-value ask the same.
    kind = 0 if task == "number" else 1
    source = np.random.default_rng([require_integer(seed, "the seed", 0), stream, kind, length])
    places = deal(many, length - 1, source)
    make = _number if task == "number" else _letter
    made = (make(length - 1, int(place), source) for place in places)
    return tuple(question.valued() if task == "letter-value" else question for question in made)


def told(question: Question, form: Form, shown: Sequence[Question] = ()) -> str:
    """The text that a model reads; the answer follows after a space.

    >>> form = Form(instruction=False, shots=0)
    >>> told(Question("number", ("A", "B", "1"), "2", "B", "A", ("A", "B"), 2), form)
    'List: A B 1\\nAnswer:'
    """
    lines = [INSTRUCTIONS[question.task], ""] if form.instruction else []
    for one in shown:
        lines += [_asked(one), f"{ANSWER}{_given(one)}{_follows(one, one.answer)}", ""]
    return "\n".join([*lines, _asked(question), f"{ANSWER}{_given(question)}"])


def continuations(question: Question) -> list[str]:
    """The candidates as they follow the text: after a space, or right after the letter."""
    return [_follows(question, candidate) for candidate in question.candidates]


def shown_of(task: str, form: Form, seed: int) -> tuple[Question, ...]:
    """The solved examples of a form. Raises InputError as `questions`."""
    return questions(task, form.shot_length, form.shots, seed, SHOWN) if form.shots else ()


def _asked(question: Question) -> str:
    return f"{LIST} {' '.join(question.words)}"


def _given(question: Question) -> str:
    """What of the answer is written already."""
    return f" {question.words[-1][1]}" if question.task == "letter-value" else ""


def _follows(question: Question, word: str) -> str:
    return word if _given(question) else f" {word}"


def _number(window: int, place: int, source: np.random.Generator) -> Question:
    letters = [ascii_uppercase[each] for each in source.permutation(deal(window, len(ascii_uppercase), source))]
    answer = letters[place]
    others = [at for at in range(window) if letters[at] != answer]
    other = int(source.choice(others))
    words = (*letters, str(window - place))
    candidates = tuple(sorted(set(letters)))
    return Question("number", words, str(window - other), answer, letters[other], candidates, place + 1)


def _letter(window: int, place: int, source: np.random.Generator) -> Question:
    names = source.permutation(list(ascii_lowercase))
    # Each letter has one digit, each digit as many letters as any other up to one.
    values = deal(len(names), len(digits), source)
    bound = min(window, len(names) - 1)  # one letter at least is left for the query's first half
    drawn = source.permutation(deal(window, bound, source))
    pairs = [f"{names[each]}{digits[values[each]]}" for each in drawn]
    own = drawn[place]
    # The first ten letters have all ten digits, so there are others.
    other = int(source.choice([each for each in sorted(set(drawn.tolist())) if values[each] != values[own]]))
    first = names[int(source.integers(bound, len(names)))]
    found = {each: f"{names[each]}{digits[values[each]]}" for each in set(drawn)}
    return Question(
        "letter",
        (*pairs, f"{first}{names[own]}"),
        f"{first}{names[other]}",
        found[own],
        found[other],
        tuple(sorted(set(found.values()))),
        place + 1,
    )
