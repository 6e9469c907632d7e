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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from with_plugin import PLUGIN

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
