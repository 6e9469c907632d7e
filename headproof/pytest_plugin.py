"""The pytest plugin: the claims of a researcher's own file as tests, decided as `headproof check` decides them.

    pytest --headproof-claims FILE [--headproof-claims FILE2 ...]
    headproof_claims = FILE ...                  # or once, among the pytest settings of a repository

FILE is a Python file that defines topics (headproof.checks.registry.Topic), or a module, either with `:topic` behind
it. Each claim is a test, FILE::topic::claim. It passes if it HOLDS or is SUPPORTED, or if its verdict is the one that
the file's `EXPECTED = {claim id: verdict}` says; with `--headproof-ledger`, if nothing differs from that ledger.

pytest loads this module in every run of every project of an environment: what is heavy is imported only for claims.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from headproof.pytest_telling import ClaimFailed, Record, Shown, details, fault, summary

if TYPE_CHECKING:
    from headproof.checks.places import Given, Place
    from headproof.checks.registry import Context, Topic
    from headproof.checks.runner import Task, Worker
    from headproof.theory.claim import Claim


class PremiseWarning(pytest.PytestWarning):
    """A premise without which no counterexample was found: the claim may hold without it. `-W error` makes it fail."""


# -- settings ------------------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, which are those of `headproof check` with headproof- in front, and the two settings of a file."""
    group = parser.getgroup("headproof", "claims, decided by headproof")
    claims = "a Python file or module with a headproof Topic; FILE:NAME for one of several"
    group.addoption(
        "--headproof-claims", action="append", default=[], metavar="FILE", help=f"Decide the claims of {claims}."
    )
    group.addoption("--headproof-effort", default="quick", metavar="quick|full", help="How many cases are tried.")
    group.addoption("--headproof-seed", default="0", metavar="N", help="Everything random follows from it.")
    group.addoption("--headproof-time-limit", default="600", metavar="SECONDS", help="For each claim.")
    group.addoption(
        "--headproof-ledger", metavar="FILE", help="Fail where a claim differs from this ledger of headproof check."
    )
    parser.addini("headproof_claims", f"Each {claims}.", type="args", default=[])
    parser.addini("headproof_ledger", "The ledger that the claims are compared with.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Take up the claims that were asked for, if any. Raises UsageError for what is not there or makes no sense."""
    config.addinivalue_line("markers", "headproof: a claim, decided by headproof")
    asked = config.getoption("headproof_claims") or config.getini("headproof_claims")
    if not asked:
        return
    from headproof.theory.errors import InputError

    try:
        claims = _claims(config, asked)
    except InputError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(claims, "headproof-claims-of-this-run")
    _add_to_arguments(config, [place.file for place in claims.places])


def _claims(config: pytest.Config, asked: Sequence[str]) -> Claims:
    from headproof import running
    from headproof.checks.places import Place
    from headproof.checks.runner import Worker, default_jobs
    from headproof.theory.errors import InputError

    here, there = config.invocation_params.dir, (config.inipath or config.rootpath / "-").parent
    folder = here if config.getoption("headproof_claims") else there
    places = tuple(dict.fromkeys(Place.of(text, folder) for text in asked))
    said, written = config.getoption("headproof_ledger"), config.getini("headproof_ledger")
    ledger = here / said if said else there / written if written else None
    try:
        option = config.getoption
        context = running.settings(option("headproof_effort"), option("headproof_seed"), "cpu", None)
        limit = running.pace(None, option("headproof_time_limit")).limit
    except InputError as error:
        raise InputError(str(error).replace("--", "--headproof-")) from error
    threads = max(1, default_jobs() // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    return Claims(places, context, Worker(context, limit, threads), _expected(ledger, context))


def _expected(ledger: Path | None, context: Context) -> Mapping[str, Any] | None:
    """The ledger's report for this effort, None without a ledger; raises InputError where there is no such thing."""
    if ledger is None:
        return None
    from headproof.checks.ledger import expected
    from headproof.theory.errors import InputError

    report = expected(context.effort, ledger)
    if report is None:
        what = "has no section" if ledger.exists() else "is not there"
        remedy = f"headproof check --effort {context.effort} --ledger {ledger.name} --update-ledger writes one"
        raise InputError(f"the ledger {ledger.name} {what} for effort {context.effort}", remedy)
    return report


def _add_to_arguments(config: pytest.Config, files: Sequence[Path]) -> None:
    """Let pytest collect the files: alone if the command line names nothing else, beside the tests where the settings
    name them; a file of which the command line picks single claims is left as it is."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if not config.getoption("headproof_claims"):
        if not named:
            config.args = [*config.args, *map(str, files)]
        return
    arguments = list(config.args) if named else []
    here = config.invocation_params.dir
    picked = {Path(os.path.abspath(here / argument.split("::")[0])) for argument in arguments}
    config.args = [*arguments, *(str(file) for file in files if file not in picked)]


# -- collection ----------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Claims:
    """The claims of a run: where they stand, how they are decided, what is expected; and the hooks that need this."""

    places: tuple[Place, ...]
    context: Context
    worker: Worker
    expected: Mapping[str, Any] | None
    measured: dict[Task, list[Record]] = field(default_factory=dict)
    reports: dict[str, pytest.TestReport] = field(default_factory=dict)

    def record(self, task: Task, claim: str) -> Record:
        """The claim's record; a measurement runs once for all of its claims."""
        records = self.measured.get(task) or self.worker.settle(task, print)
        if task.measurement:
            self.measured[task] = records
        (record,) = (each for each in records if each["id"] == claim)
        return record

    def differences(self, record: Record) -> list[str]:
        """How a record differs from the ledger's; none without a ledger."""
        if self.expected is None:
            return []
        from headproof.checks.ledger import differences

        now = self._now(record)
        return [f"{each.what}: {each.before} -> {each.after}" for each in differences(self.expected, now)]

    def compared(self, record: Record) -> bool:
        """Whether the ledger has a verdict on the claim that can be compared: the same device, seed and model, and run
        both times."""
        if self.expected is None or all(record["id"] != each["id"] for each in self.expected["claims"]):
            return False
        from headproof.checks.ledger import not_compared

        written = next(each for each in self.expected["claims"] if each["id"] == record["id"])
        left_out = not_compared(self.expected, self._now(record))
        return written["verdict"] != "NOT RUN" and record["id"] not in left_out

    def _now(self, record: Record) -> dict[str, Any]:
        return {"claims": [record], "device": self.context.device, "seed": self.context.seed}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> ClaimFile | None:
        """A claim file found in a folder; one that is named and no test file comes through the next hook."""
        if self._at(file_path) and (_is_test_file(file_path, parent) or not parent.session.isinitpath(file_path)):
            return self._collector(file_path, parent)
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> ClaimFile | None:
        """A claim file that is named is no module of tests, unless its name says so."""
        if self._at(module_path) and not _is_test_file(module_path, parent):
            return self._collector(module_path, parent)
        return None

    def _collector(self, file: Path, parent: pytest.Collector) -> ClaimFile:
        made: ClaimFile = ClaimFile.from_parent(parent, path=file)
        made.claims, made.places = self, self._at(file)
        return made

    def _at(self, file: Path) -> list[Place]:
        return [place for place in self.places if place.file == file]

    def pytest_report_header(self) -> str:
        """One line of the header."""
        names = ", ".join(dict.fromkeys(map(str, self.places)))
        return f"headproof: claims of {names}; effort {self.context.effort}, seed {self.context.seed}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what the summary tells, which comes from the workers of pytest-xdist as well."""
        if report.when == "call" and any(name == "headproof_claim" for name, _ in report.user_properties):
            self.reports[report.nodeid] = report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table of the claims that were decided; with -q one line, with -v controls and premises as well."""
        summary(terminalreporter, [self.reports[node] for node in sorted(self.reports)], self.context.effort)

    def pytest_unconfigure(self) -> None:
        """End the process that decides."""
        self.worker.stop()


def _is_test_file(path: Path, parent: pytest.Collector) -> bool:
    return any(path.match(pattern) for pattern in parent.config.getini("python_files"))


class ClaimFile(pytest.File):
    """A file of claims: a collector of its topics. It is imported when it is collected."""

    claims: Claims
    places: Sequence[Place]

    def collect(self) -> Iterator[TopicOfClaims]:
        """The topics. Raises CollectError, in one line, if the file does not import or has none."""
        from headproof.checks.places import given
        from headproof.theory.errors import InputError

        for place in self.places:
            try:
                brought = given(place)
            except InputError as error:
                raise self.CollectError(str(error)) from None
            for topic in brought.topics:
                made: TopicOfClaims = TopicOfClaims.from_parent(self, name=topic.name)
                made.claims, made.place, made.brought, made.topic = self.claims, place, brought, topic
                yield made


class TopicOfClaims(pytest.Collector):
    """A topic: a collector of its claims."""

    claims: Claims
    place: Place
    brought: Given
    topic: Topic

    def collect(self) -> Iterator[ClaimItem]:
        """The claims in the topic's order; those of one measurement go to one worker of pytest-xdist, if it groups."""
        from headproof.checks.runner import tasks_for

        tasks = tasks_for([claim.id for claim in self.topic.claims], self.place)
        task_of = {claim: task for task in tasks for claim in task.claims}
        for claim in self.topic.claims:
            made: ClaimItem = ClaimItem.from_parent(self, name=claim.id)
            made.claims, made.claim, made.task = self.claims, claim, task_of[claim.id]
            made.expected = str(self.brought.expected.get(claim.id, ""))
            made.add_marker(pytest.mark.headproof)
            if made.task.measurement and self.config.pluginmanager.hasplugin("xdist"):
                made.add_marker(pytest.mark.xdist_group(f"headproof {made.task.name}"))
            yield made


class ClaimItem(pytest.Item):
    """A claim as a test: decided by all its checks, with their controls and the audit of its premises."""

    claims: Claims
    claim: Claim
    task: Task
    expected: str

    def runtest(self) -> None:
        """Decide the claim. Raises ClaimFailed unless the result is as it should be; skips what cannot run here."""
        from headproof.tabulating import tiers
        from headproof.theory.errors import InputError

        try:
            record = self.claims.record(self.task, self.claim.id)
        except InputError as error:
            self._tell("ERROR", "")
            raise ClaimFailed(f"ERROR: {error}", [f"{self.claim.id}: {error}"]) from None
        self._tell(record["verdict"], ", ".join(tiers(record)), *details(self.claim, record))
        if record["verdict"] == "NOT RUN":
            pytest.skip(f"{self.claim.id}: {record['findings'][0]['summary']}")
        compared = self.claims.compared(record)
        if failed := fault(self.claim, record, self.expected, self.claims.differences(record), compared):
            raise failed
        for premise in record["premises"]:
            if premise["status"] != "needed" and not compared:
                self.warn(PremiseWarning(f"{self.claim.id}: premise {premise['name']!r} is {premise['status']}"))

    def _tell(self, verdict: str, tiers: str, *lines: str) -> None:
        """For the summary, and for reports such as --junit-xml: as properties, which pytest-xdist carries, too."""
        told = [("claim", self.claim.id), ("verdict", str(verdict)), ("tiers", tiers)]
        self.user_properties += [(f"headproof_{name}", value) for name, value in told]
        self.user_properties += [("headproof_detail", line) for line in lines]

    def reportinfo(self) -> tuple[Path, int, str]:
        """File, line (counted from 0) where the claim's id first stands in quotes, and what headings say."""
        lines = self.path.read_text("utf-8", "replace").splitlines()
        named = (number for number, line in enumerate(lines) if re.search(rf"""["']{re.escape(self.name)}["']""", line))
        return self.path, next(named, 0), f"claim {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong with the claim, without a traceback; an error of the plugin's own keeps its traceback."""
        if isinstance(excinfo.value, ClaimFailed):
            return Shown(excinfo.value.headline, excinfo.value.lines, str(self.path))
        if isinstance(excinfo.value, PremiseWarning):
            return Shown(str(excinfo.value), [str(excinfo.value)], str(self.path))
        return super().repr_failure(excinfo, style)
