"""The guide "Add a claim in 30 minutes", followed to the letter: its files are written, its commands run, and what
they print is what it promises."""

from __future__ import annotations

import configparser
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from with_plugin import PLUGIN

from headproof.checks.deciding import decide_claim, decide_measurement, failed_record
from headproof.checks.engines.decision import Decision, Number
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.pytest_telling import fault
from headproof.theory.cases import TableCase
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Source, Statement, Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.sums import Term, cj, ck, dj, dk, evaluate, lj, pjk

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "add-a-claim.md"
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.M | re.S)
# `...` in a promise stands for anything; line breaks and widths depend on the terminal.
HOW = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class File:
    """A file to write."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command to run, and what it is promised to print; "" promises nothing."""

    words: tuple[str, ...]
    promised: str

    @property
    def status(self) -> int:
        """1 where a claim is promised to fail."""
        return 1 if re.search(r"; [1-9]\d* failed", self.promised) else 0


def steps(text: str) -> Iterator[File | Command]:
    """Files and commands in the guide's order; raises AssertionError for a block that is neither."""
    for kind, title, body in FENCE.findall(text):
        if title:
            yield File(title, body)
            continue
        assert kind == "console", f"a block of kind {kind} that is neither a file nor commands"
        _, *commands = re.split(r"^\$ ", body, flags=re.M)
        for command in commands:
            line, _, promised = command.partition("\n")
            yield Command(tuple(shlex.split(line)), promised)


def run(command: Command, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Exit status and all that a command prints. The two programs run as modules of this Python; nothing else may."""
    program, *arguments = command.words
    module = {"pytest": ["pytest", *PLUGIN], "headproof": ["headproof"]}[program]
    done = subprocess.run(
        [sys.executable, "-m", *module, *arguments],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def followed(text: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Follow a guide; what does not come out as promised, a message each."""
    for step in steps(text):
        if isinstance(step, File):
            file = folder / step.name
            file.parent.mkdir(exist_ok=True)
            file.write_text(step.text, "utf-8")
        elif step.words[0] == "export":
            name, _, value = step.words[1].partition("=")
            environment[name] = value
        else:
            status, said = run(step, folder, environment)
            promised = step.promised or "..."
            if not doctest.OutputChecker().check_output(promised, said, HOW) or status != step.status:
                yield f"{shlex.join(step.words)} ended with {status} and printed\n{said}\ninstead of\n{promised}"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A terminal of 80 columns, with a cache of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
    return clean | {"COLUMNS": "80", "HEADPROOF_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_the_guide_comes_out_as_it_promises(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "spread"
    folder.mkdir()
    assert list(followed(GUIDE.read_text("utf-8"), folder, environment)) == []
    assert (folder / "figs" / "spread.png").stat().st_size > 10_000


def test_a_broken_promise_is_noticed(tmp_path: Path, environment: dict[str, str]) -> None:
    """Words, files and exit statuses that differ from the guide's."""
    guide = '```text title="here/a.txt"\na\n```\n\n```console\n$ headproof --version\nheadproof {}\n```\n'
    assert list(followed(guide.format("..."), tmp_path, environment)) == []
    assert (tmp_path / "here" / "a.txt").read_text() == "a\n"
    (wrong,) = followed(guide.format("0.0.0.0"), tmp_path, environment)
    assert "headproof --version ended with 0 and printed" in wrong
    (wrong,) = followed(guide.format("...; 1 failed"), tmp_path, environment)
    assert "instead of\nheadproof ...; 1 failed" in wrong
    with pytest.raises(AssertionError, match="a block of kind python"):
        list(steps("```python\npass\n```\n"))
    with pytest.raises(KeyError, match="rm"):
        list(followed("```console\n$ rm -r everything\n```\n", tmp_path, environment))


def test_pip_would_install_what_the_guide_writes(tmp_path: Path) -> None:
    """The entry points that a build makes of the guide's pyproject.toml are those of its hand-written files."""
    pytest.importorskip("setuptools")
    files = {step.name: step.text for step in steps(GUIDE.read_text("utf-8")) if isinstance(step, File)}
    for name, text in files.items():
        if "/" not in name:
            (tmp_path / name).write_text(text)
    code = "from setuptools.build_meta import prepare_metadata_for_build_wheel as make; make('.')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    made = (tmp_path / "spread-1.0.dist-info" / "entry_points.txt").read_text()
    written = files["spread-1.0.dist-info/entry_points.txt"]
    parsed = []
    for text in (made, written):
        parser = configparser.ConfigParser()
        parser.read_string(text)
        parsed.append({section: dict(parser[section]) for section in parser.sections()})
    assert parsed[0] == parsed[1]


def test_its_files_are_as_tidy_as_ours_and_its_links_lead_somewhere() -> None:
    text = GUIDE.read_text("utf-8")
    for step in steps(text):
        if isinstance(step, File) and step.name.endswith(".py"):
            compile(step.text, step.name, "exec")
            assert max(map(len, step.text.splitlines())) <= 120
    assert max(map(len, text.splitlines())) <= 120
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert link.startswith("https://") or (GUIDE.parent / link).exists(), link


def said(words: str) -> bool:
    """Whether the guide has these words, whatever its line breaks."""
    return " ".join(words.split()) in " ".join(GUIDE.read_text("utf-8").split())


def test_its_letters_mean_what_it_says() -> None:
    """`cj` and `dk` by their literal meaning, on tables that are not additive and have a mean."""
    assert said("`cj` is the mean of content j's row, `dk` the mean of position k's column less the mean of the whole")
    assert said("where content and position add, `pjk` is `cj + dk`")

    def total(summand: sympy.Expr, table: np.ndarray) -> Fraction:  # type: ignore[type-arg]
        over = "pairs" if summand.free_symbols & {ck, dk, pjk} else "keys"
        return Fraction(evaluate((Term(sympy.Integer(1), over, summand),), table)[()])

    for seed in range(3):
        table = np.random.default_rng(seed).integers(-5, 9, size=(4, 4))
        grand = Fraction(int(table.sum()), 16)
        row = [Fraction(int(each.sum()), 4) for each in table]
        column = [Fraction(int(each.sum()), 4) - grand for each in table.T]
        used = [Fraction(int(table[j, j])) for j in range(4)]
        assert grand != 0
        for letter, values in ((cj, row), (dj, column)):
            assert total(letter, table) == sum(values)
            assert total(letter**2, table) == sum(value**2 for value in values)
            assert total(lj * letter, table) == sum(one * other for one, other in zip(used, values, strict=True))
        assert total(dj, table) == 0  # the columns' means alone add up to four grand means
        left = [(int(table[j, k]) - row[j] - column[k]) ** 2 for j in range(4) for k in range(4)]
        assert total((pjk - cj - dk) ** 2, table) == sum(left)
        adding = np.add.outer(table[0], table[1])
        assert total((pjk - cj - dk) ** 2, adding) == 0


def test_its_table_has_every_verdict_once() -> None:
    table = GUIDE.read_text("utf-8").partition("| verdict | the item |\n| --- | --- |\n")[2].partition("\n\n")[0]
    named = [name for line in table.splitlines() for name in line.split("|")[1].strip().split(", ")]
    assert sorted(named) == sorted(str(verdict) for verdict in Verdict)


ALWAYS, NEVER = (Statement(TableCase, (), lambda case, held=held: held) for held in (True, False))
REFUTABLE = Mutant("never", "never", NEVER)


def claim(name: str, *mutants: Mutant, **more: Any) -> Claim:
    """A claim that holds always; with a criterion, an empirical one."""
    kind = Kind.EMPIRICAL if "criterion" in more else Kind.THEOREM
    statement = None if kind is Kind.EMPIRICAL else ALWAYS
    source, words = Source("A notebook", "page 1"), "Always."
    return Claim(
        name, kind, Fidelity.OURS, words, source, "1", words, words, statement=statement, mutants=mutants, **more
    )


def topic(*claims: Claim, answers: Mapping[str, Verdict] | None = None) -> Topic:
    """A topic whose checks refute what is refutable and answer as told, by tier, otherwise HOLDS."""

    def check(name: str, tier: str, answer: Verdict) -> Check:
        def decide(statement: Statement, context: Context) -> Decision:
            if statement is NEVER:
                return Decision(Verdict.REFUTED, "one case", TableCase.of([[1]]))
            return Decision(answer, "one case")

        return Check(name, Tier(tier), decide)

    told = {"tested": Verdict.HOLDS} | dict(answers or {})
    checks = tuple(check(each.id, tier, answer) for each in claims for tier, answer in told.items())
    return Topic(name="mine", title="Mine", claims=claims, checks=checks)


def test_a_claim_that_no_mutant_could_refute_is_refused() -> None:
    assert said("a claim without any is refused. (A mutant with `stronger=True` is one to uphold, and does not count.)")
    topic(claim("my.claim", REFUTABLE))
    for mutants in ((), (Mutant("as well", "as well", ALWAYS, stronger=True),)):
        with pytest.raises(InputError, match="a check that cannot fail shows nothing"):
            topic(claim("my.claim", *mutants))


def test_what_is_an_error_and_what_is_left_out() -> None:
    """The guide's list of errors, and of what was not run, by the function that decides."""

    def verdict(**answers: Verdict) -> Verdict:
        brought = topic(claim("my.claim", REFUTABLE), answers=answers)
        return Verdict(decide_claim("my.claim", Context(), brought)["verdict"])

    assert said("what a run with `--tier` did not ask for")
    brought = topic(claim("my.claim", REFUTABLE), answers={"exact": Verdict.HOLDS})
    exact_only = decide_claim("my.claim", Context(tiers=("exact",)), brought)
    assert {finding["verdict"] for finding in exact_only["findings"]} == {"HOLDS", "NOT RUN"}
    assert exact_only["verdict"] == "HOLDS"
    assert said("a check of a statement that answers SUPPORTED, NOT SUPPORTED or NOT RUN")
    for answer in (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.NOT_RUN):
        assert verdict(exact=answer) is Verdict.ERROR
    assert said("a counterexample that does not refute")
    assert verdict(exact=Verdict.REFUTED) is Verdict.ERROR
    assert said("a claim with a `repair` that comes back HOLDS")
    with_repair = topic(claim("my.claim", REFUTABLE, repair="my.repair", survives="all"), claim("my.repair", REFUTABLE))
    with pytest.raises(AssertionError, match=r"my\.claim holds, and yet my\.repair repairs it"):
        decide_claim("my.claim", Context(), with_repair)


def test_a_measurement_is_held_to_its_criterion_and_controls() -> None:
    assert said("a measurement whose verdict is not what its criterion (`supported_by`) and its controls say")
    measured = claim(
        "my.measured", criterion="r < 0", supported_by=lambda numbers: numbers["r"] < 0, controls=("shuffled",)
    )

    def verdict(answer: Verdict, r: float, passed: bool = True) -> Verdict:
        decision = Decision(
            answer,
            "one model",
            numbers={"r": Number(r, 0.1)},
            details={"controls": [{"mutant": "shuffled", "passed": passed}]},
        )
        measurement = Measurement("one", ("my.measured",), lambda context: {"my.measured": decision}, needs=())
        brought = Topic(name="mine", title="Mine", claims=(measured,), measurements=(measurement,))
        return Verdict(decide_measurement(measurement, Context(), brought)["my.measured"]["verdict"])

    assert verdict(Verdict.SUPPORTED, -1) is Verdict.SUPPORTED
    assert verdict(Verdict.NOT_SUPPORTED, 1) is Verdict.NOT_SUPPORTED
    wrong = ((Verdict.SUPPORTED, 1, True), (Verdict.NOT_SUPPORTED, -1, True), (Verdict.SUPPORTED, -1, False))
    assert [verdict(*each) for each in wrong] == [Verdict.ERROR] * 3


@pytest.mark.parametrize(
    ("verdict", "expected", "compared", "differences", "passes"),
    [
        ("HOLDS", "", False, (), True),
        ("HOLDS", "REFUTED", False, (), False),
        ("HOLDS", "", True, ("verdict: REFUTED -> HOLDS",), False),
        ("NOT SUPPORTED", "", False, (), False),
        ("NOT SUPPORTED", "NOT SUPPORTED", False, (), True),
        ("NOT SUPPORTED", "", True, (), True),
        ("UNDECIDED", "UNDECIDED", True, ("tier: proof -> exact",), False),
        ("ERROR", "ERROR", True, (), False),
    ],
)
def test_what_passes_and_what_does_not(
    verdict: str, expected: str, compared: bool, differences: tuple[str, ...], passes: bool
) -> None:
    """The guide's table, by the function that lets an item fail; `compared`: the ledger states a like verdict."""
    mine = claim("my.claim", REFUTABLE)
    record = failed_record(mine, "no reason") | {"verdict": verdict}
    assert (fault(mine, record, expected, differences, compared) is None) == passes


class Options(list[str]):
    """A parser, and its group, that only notes names."""

    def getgroup(self, *_: str) -> Options:
        return self

    def addoption(self, name: str, **_: object) -> None:
        self.append(name)

    def addini(self, name: str, *_: object, **__: object) -> None:
        self.append(name)


def test_the_options_it_lists_are_the_plugin_s() -> None:
    from headproof import pytest_plugin

    known = Options()
    pytest_plugin.pytest_addoption(known)  # type: ignore[arg-type]
    rows = re.findall(r"^\| `(--headproof-[\w-]+)[^|]*\|(?: `(\w+)`)? \|", GUIDE.read_text("utf-8"), flags=re.M)
    assert sorted(known) == sorted(name for row in rows for name in row if name)
