"""The README is true: its verdicts are the ledger's, its example runs, its picture and its commands exist."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from headproof.checks.ledger import require_expected
from headproof.checks.registry import topics
from headproof.tabulating import documents, with_table
from headproof.theory.errors import InputError

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_verdicts_told_are_the_ledger_s() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| ([A-Z ]+) \| (.+) \|$", README, flags=re.M)
    recorded = {record["id"]: record["verdict"] for record in require_expected("full")["claims"]}
    assert len(rows) >= 8
    assert {claim: recorded.get(claim) for claim, _, _ in rows} == {claim: verdict for claim, verdict, _ in rows}
    assert f"{len(recorded)} claims in {len(topics())} topics" in README.replace("eight", str(len(topics())))


def test_the_document_of_verdicts_is_current() -> None:
    for name, table in documents().items():
        text = (ROOT / name).read_text("utf-8")
        assert with_table(text, table) == text, f"write {name} anew: python -m headproof.tabulating"
    with pytest.raises(InputError, match="once each"):
        with_table("no markers", "table")


def test_the_example_runs_and_prints_what_it_says() -> None:
    profiled, example = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    compile(profiled, "README.md", "exec")
    for module, names in re.findall(r"^from (headproof\.\S+) import (.+)$", profiled, flags=re.M):
        assert all(hasattr(pytest.importorskip(module), name.strip()) for name in names.split(","))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(example, "README.md", "exec"), {})
    assert said.getvalue().splitlines()[-1] == "1/2"
    assert said.getvalue().splitlines()[0] == "7/25 4/5 1 4/5"


def test_pictures_and_files_exist() -> None:
    for path in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"`((?:tests|checks|theory|constructions|paper_figs|benchmarks)/[\w./-]*)`", README):
        assert (ROOT / path).exists(), path


def test_every_command_is_told() -> None:
    from headproof import cli

    commands = {command.name or command.callback.__name__ for command in cli.app.registered_commands}  # type: ignore[union-attr]
    assert commands <= set(re.findall(r"headproof (\w+)", README))


def test_the_project_speaks_only_of_itself() -> None:
    """No machine's paths and no registries' hosts in code or documents."""
    words = re.compile(r"/wor" + r"k/|/roo" + r"t/|pypi\." + r"org|/tm" + r"p/")
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and path.suffix in (".py", ".md", ".toml", ".txt", ".json") and not parts[0].startswith("."):
            assert not words.search(path.read_text("utf-8")), path
