"""The README is true: its verdicts are the ledger's, its example runs, its picture and its commands exist."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from headproof.checks.ledger import require_expected

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_table_of_verdicts_is_the_ledger() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| ([A-Z ]+) \| ([a-z, ]+) \|", README, flags=re.M)
    expected = {
        record["id"]: (
            record["verdict"],
            ", ".join(dict.fromkeys(f["tier"] for f in record["findings"] if f["verdict"] == record["verdict"])),
        )
        for record in require_expected("full")["claims"]
    }
    assert {claim: (verdict, tiers) for claim, verdict, tiers in rows} == expected


def test_the_example_runs_and_prints_what_it_says() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.S)
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
