"""`headproof list --markdown`: the committed ledger as tables; `python -m headproof.tabulating` puts them into the
documents of a checkout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headproof.checks.files import write_atomic
from headproof.checks.ledger import records
from headproof.checks.registry import claims, select, topics
from headproof.theory.errors import InputError


def verdicts_markdown(names: list[str]) -> str:
    """What the committed ledger says of the named claims (all for none), a table a topic.

    The larger effort's record counts. Raises InputError for an unknown name.
    """
    chosen = set(select(names))
    recorded = records()
    lines: list[str] = []
    for topic in topics():
        known = [claim for claim in topic.claims if claim.id in chosen]
        if known:
            lines += ["", f"## {topic.title} (`{topic.name}`)", ""]
            lines += ["| claim | verdict | known by | what it says |", "| --- | --- | --- | --- |"]
            for claim in known:
                lines.append(f"| `{claim.id}` | {_verdict(recorded.get(claim.id))} | {_cell(claim.title)} |")
    return "\n".join(lines[1:])


def documents() -> dict[str, str]:
    """The generated tables by the document that carries them, between its two markers."""
    return {"VERDICTS.md": f"## What fails as given\n\n{refuted_markdown([])}\n\n{verdicts_markdown([])}"}


def with_table(text: str, table: str) -> str:
    """A document with the table put between its markers; raises InputError for one without them."""
    start, end = "<!-- generated: headproof list -->", "<!-- end -->"
    if text.count(start) != 1 or text.count(end) != 1:
        raise InputError(f"a document needs the lines {start} and {end} once each")
    before, rest = text.split(start)
    return f"{before}{start}\n{table}\n{end}{rest.split(end)[1]}"


def main(root: Path) -> None:
    """Write the generated tables into the documents of a checkout."""
    for name, table in documents().items():
        path = root / name
        write_atomic(path, with_table(path.read_text("utf-8"), table))


def refuted_markdown(names: list[str]) -> str:
    """Of the named claims (all for none) those that fail as given: the counterexample, and what survives of each.

    Raises InputError for an unknown name.
    """
    lines = ["| claim | fails at | what survives |", "| --- | --- | --- |"]
    recorded = records()
    for name in select(names):
        claim = claims()[name]
        if name in recorded and recorded[name]["verdict"] == "REFUTED":
            cells = (f"`{name}`: {claim.title}", _shortest(recorded[name]), claim.survives)
            lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines)


def tiers(record: dict[str, Any]) -> list[str]:
    """The tiers whose finding bears the verdict; one that did not reach it is seen in the report, not here."""
    bearing = [finding for finding in record["findings"] if finding["verdict"] == record["verdict"]]
    return list(dict.fromkeys(str(finding["tier"]) for finding in bearing))


def _verdict(record: dict[str, Any] | None) -> str:
    return "not in the ledger | " if record is None else f"{record['verdict']} | {', '.join(tiers(record))}"


def _shortest(record: dict[str, Any]) -> str:
    return min(_counterexamples(record), key=len)


def _counterexamples(record: dict[str, Any]) -> Iterator[str]:
    return (f["counterexample_text"] for f in record["findings"] if f["counterexample_text"])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main(Path.cwd())
