"""The numbers of each claim about the 1-hop tasks as prompts, and those of its controls, from a table of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import sqrt

from headproof.checks.engines.decision import Number
from headproof.checks.trained.multihop.wilson import wilson
from headproof.checks.trained.rows import Columns, rows
from headproof.theory.errors import InputError
from headproof.theory.multihop.prompt_findings import (
    ANOTHER,
    CONTROLLED,
    EXCHANGED,
    FALLEN,
    FRESH,
    LENGTHS_EXCHANGED,
    LONG,
    NULL_SEEDS,
    NUMBERS_CONTROLLED,
    NUMBERS_INSTEAD,
    PRINTED_LENGTHS,
    QUERIES_EXCHANGED,
    SCREENED,
    SHORT,
)

Numbers = dict[str, Number]
# Numbers, and the numbers of each control by its name.
Result = tuple[Numbers, dict[str, Numbers]]
# By how much a share may differ in a rerun, where sums that are rounded otherwise turn a prompt or two.
RERUN = 0.05
AHEAD = "lengths with letter above"


@dataclass(frozen=True)
class Share:
    """How many of some independent prompts are right; `guessed` is what guessing among the most frequent is right."""

    right: float
    count: int
    chance: float = 0.0
    guessed: float = 0.0

    @property
    def value(self) -> float:
        """The share itself."""
        return self.right / self.count

    @property
    def ends(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        return wilson(self.right, self.count)


def difference(one: Share, other: Share) -> tuple[float, float]:
    """The 95 % interval of the difference of two independent shares, by Newcombe's hybrid of their Wilson intervals
    (Statistics in Medicine 17, 873-890, 1998, method 10).

    >>> tuple(round(end, 4) for end in difference(Share(56, 70), Share(48, 80)))
    (0.0524, 0.3339)
    """
    (low, high), (least, most), found = one.ends, other.ends, one.value - other.value
    down = sqrt((one.value - low) ** 2 + (most - other.value) ** 2)
    up = sqrt((high - one.value) ** 2 + (other.value - least) ** 2)
    return found - down, found + up


@dataclass(frozen=True)
class Answers:
    """A model's answers as one of the groups of a table gives them: `seed` of a null or -1, `control` as asked.

    `written` counts answers that are what the model writes.
    """

    columns: Columns
    seed: int = -1
    control: str = "none"
    written: bool = False

    def at(self, task: str, length: int) -> Share:
        """The share of a task at a length. Raises InputError if the table lacks it."""
        group = "trained" if self.seed < 0 else "fresh"
        wanted = {"group": group, "null_seed": self.seed, "control": self.control, "task": task, "length": length}
        found = rows(self.columns, **wanted)
        if len(found["prompts"]) != 1:
            what = f"{group} {self.seed}, {task} at {length}, {self.control}"
            raise InputError(f"the table has {len(found['prompts'])} rows of {what}", "remeasure multihop")
        count = int(found["prompts"][0])
        # Shares are rounded in the table, counts are not.
        right = round(float(found["greedy"][0]) * count) if self.written else float(found["right"][0])
        return Share(right, count, float(found["chance"][0]), float(found["frequent"][0]))


def _fresh(trained: Answers) -> dict[str, Answers]:
    return {name: replace(trained, seed=seed) for name, seed in zip(FRESH, NULL_SEEDS, strict=True)}


def _another(trained: Answers) -> Answers:
    return replace(trained, control="shuffled")


def _numbers(values: Mapping[str, float]) -> Numbers:
    return {name: Number(float(value), 1.0 if name == AHEAD else RERUN) for name, value in values.items()}


# -- one function a kind of finding --------------------------------------------------------------------------------


def _ahead(
    letters: Answers, numbers: Answers, task: str, lengths: tuple[int, ...], beyond: bool, exchanged: bool = False
) -> Numbers:
    """Letters less numbers at each length; `beyond` takes what guessing the most frequent is right off both."""
    values: dict[str, float] = {}
    lows = []
    for length in lengths:
        one, other = letters.at(task, length), numbers.at("number", length)
        values |= {f"letter at {length}": one.value, f"number at {length}": other.value}
        low, high = difference(one, other)
        if exchanged:
            low, high = -high, -low
        guessed = (one.guessed - other.guessed) * (-1 if exchanged else 1) if beyond else 0.0
        lows.append(low - guessed)
    ahead = sum(low > 0 for low in lows)
    return _numbers({"least letter - number, 2.5 %": min(lows), AHEAD: ahead, **values})


def _aheads(columns: Columns, task: str, written: bool = False, beyond: bool = False) -> Result:
    trained = Answers(columns, written=written)
    controls = {name: _ahead(null, null, task, CONTROLLED, beyond) for name, null in _fresh(trained).items()}
    controls[ANOTHER] = _ahead(_another(trained), trained, task, CONTROLLED, beyond)
    controls[EXCHANGED] = _ahead(trained, trained, task, PRINTED_LENGTHS, beyond, exchanged=True)
    return _ahead(trained, trained, task, PRINTED_LENGTHS, beyond), controls


def _fall(answers: Answers, short: int = SHORT, long: int = FALLEN) -> Numbers:
    one, other = answers.at("number", short), answers.at("number", long)
    low, high = difference(one, other)
    guessed = one.guessed - other.guessed
    return _numbers(
        {
            "number at 12": one.value,
            "number at 12, 2.5 %": one.ends[0],
            "number at 32": other.value,
            "number at 32, 97.5 %": other.ends[1],
            "fall beyond guessing": one.value - other.value - guessed,
            "fall beyond guessing, 2.5 %": low - guessed,
            "fall beyond guessing, 97.5 %": high - guessed,
        }
    )


def _falls(columns: Columns) -> Result:
    trained = Answers(columns)
    controls = {name: _fall(null) for name, null in _fresh(trained).items()}
    controls |= {ANOTHER: _fall(_another(trained)), LENGTHS_EXCHANGED: _fall(trained, FALLEN, SHORT)}
    return _fall(trained), controls


def _stay(answers: Answers, task: str, length: int = LONG) -> Numbers:
    share = answers.at(task, length)
    low, high = share.ends
    return _numbers({"at the longest": share.value, "at the longest, 2.5 %": low, "at the longest, 97.5 %": high})


def _stays(columns: Columns, task: str) -> Result:
    trained, longest = Answers(columns), max(CONTROLLED)
    controls = {name: _stay(null, task, longest) for name, null in _fresh(trained).items()}
    controls |= {ANOTHER: _stay(_another(trained), task, longest), NUMBERS_INSTEAD: _stay(trained, "number")}
    return _stay(trained, task), controls


def _read(plain: Answers, another: Answers, task: str) -> Numbers:
    values: dict[str, float] = {}
    lows = []
    for length in NUMBERS_CONTROLLED if task == "number" else CONTROLLED:
        one, other = plain.at(task, length), another.at(task, length)
        values |= {f"plain at {length}": one.value, f"other query at {length}": other.value}
        lows.append(difference(one, other)[0])
    return _numbers({"least plain - other query, 2.5 %": min(lows), **values})


def _reads(columns: Columns, task: str) -> Result:
    trained = Answers(columns)
    controls = {name: _read(null, _another(null), task) for name, null in _fresh(trained).items()}
    controls[QUERIES_EXCHANGED] = _read(_another(trained), trained, task)
    return _read(trained, _another(trained), task), controls


def _beyond(answers: Answers, task: str) -> Numbers:
    """Against the fresh seeds; a fresh model itself is held against the others."""
    own = answers.at(task, SHORT)
    others = [
        replace(answers, seed=seed, control="none").at(task, SHORT) for seed in NULL_SEEDS if seed != answers.seed
    ]
    return _numbers(
        {
            "accuracy": own.value,
            "accuracy, 2.5 %": own.ends[0],
            "chance": own.chance,
            "frequent": own.guessed,
            "largest of a fresh seed": max(each.value for each in others),
            "least accuracy - fresh seed, 2.5 %": min(difference(own, each)[0] for each in others),
        }
    )


def _beyonds(columns: Columns, task: str) -> Result:
    trained = Answers(columns)
    controls = {name: _beyond(null, task) for name, null in _fresh(trained).items()}
    return _beyond(trained, task), {**controls, ANOTHER: _beyond(_another(trained), task)}


def _screen(answers: Answers) -> Numbers:
    share = answers.at("letter", SCREENED)
    low, high = share.ends
    return _numbers({"letter at 16": share.value, "letter at 16, 2.5 %": low, "letter at 16, 97.5 %": high})


def _screens(columns: Columns, written: bool = False) -> Result:
    trained = Answers(columns, written=written)
    controls = {name: _screen(null) for name, null in _fresh(trained).items()}
    return _screen(trained), {**controls, ANOTHER: _screen(_another(trained))}


VALUE = "letter-value"
MEASURES: Mapping[str, Callable[[Columns], Result]] = {
    "letters-above-numbers": lambda columns: _aheads(columns, "letter"),
    "values-above-numbers": lambda columns: _aheads(columns, VALUE, beyond=True),
    "written-letters-above-numbers": lambda columns: _aheads(columns, "letter", written=True),
    "numbers-fall": _falls,
    "numbers-fade": _falls,
    "letters-stay": lambda columns: _stays(columns, "letter"),
    "values-stay": lambda columns: _stays(columns, VALUE),
    "numbers-read-the-query": lambda columns: _reads(columns, "number"),
    "letters-read-the-query": lambda columns: _reads(columns, "letter"),
    "values-read-the-query": lambda columns: _reads(columns, VALUE),
    "numbers-above-rules": lambda columns: _beyonds(columns, "number"),
    "values-above-rules": lambda columns: _beyonds(columns, VALUE),
    "screen": _screens,
    "screen-written": lambda columns: _screens(columns, written=True),
}
