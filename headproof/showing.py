"""What the command line prints: tables, differences. Colours follow the terminal and NO_COLOR."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from headproof.checks.files import CacheEntry
    from headproof.checks.ledger import Difference
    from headproof.checks.verify import Item
    from headproof.diagnosing import Line

VERDICT_WIDTH = 13  # of the longest verdict
STYLES = {
    "HOLDS": "green",
    "SUPPORTED": "green",
    "REFUTED": "bold magenta",
    "NOT SUPPORTED": "magenta",
    "ERROR": "bold red",
    "NOT RUN": "dim",
    "UNDECIDED": "yellow",
    "VACUOUS": "yellow",
}


def console(stderr: bool = False) -> Console:
    """A console for results (stdout) or for progress and trouble (stderr). Made anew, so redirection is respected.

    A pipe or a file has no width to keep to, and ids must not break there.
    """
    made = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made = Console(stderr=stderr, highlight=False, soft_wrap=False, width=160)
    return made


def say(text: str) -> None:
    """One plain line on stdout."""
    console().print(Text(text), soft_wrap=True)


def command() -> str:
    """The command that runs, for the record of what it makes."""
    return shlex.join(("headproof", *sys.argv[1:]))


# -- results -------------------------------------------------------------------------------------------------------


def records(found: Sequence[dict[str, Any]], elsewhere: Mapping[str, str]) -> None:
    """The table of a run, then what was refuted and what was measured.

    `elsewhere[claim]` is what the ledger says at the other effort, shown where it is another verdict.
    """
    table = _claims_table([record["id"] for record in found])
    for record in found:
        other = elsewhere.get(record["id"], "")
        note = other if other and not other.endswith(f": {record['verdict']}") else ""
        _add_claim(table, record["id"], record["title"], record, note)
    out = console()
    out.print(table)
    for record in found:
        if record["verdict"] == "REFUTED":
            _print_refuted(out, record)
        if record["kind"] == "empirical":
            summary = record["findings"][0]["summary"]
            out.print(Text.assemble("\n", (record["id"], "bold"), f": {summary}"), soft_wrap=True)
    out.print()


def _claims_table(names: Sequence[str]) -> Table:
    """Titles and tiers wrap; ids keep to one line, so that they can be copied, as far as the width allows."""
    widest = min(max(map(len, names), default=0), console().width - VERDICT_WIDTH - 1)
    table = Table(box=None, pad_edge=False)
    table.add_column("claim", overflow="fold", ratio=1, min_width=widest)
    table.add_column("verdict, known by", min_width=VERDICT_WIDTH)
    return table


def _add_claim(table: Table, name: str, title: str, record: dict[str, Any] | None, note: str) -> None:
    from headproof.tabulating import tiers

    verdict = _styled(record["verdict"] if record else "-")
    verdict.append(f"\n{', '.join(tiers(record)) if record else 'not in the ledger'}", style="dim")
    if note:
        verdict.append(f"\n{note}", style="dim")
    table.add_row(Text.assemble((name, "bold"), f"\n{title}\n"), verdict)


def _print_refuted(out: Console, record: dict[str, Any]) -> None:
    from headproof.tabulating import shortest_counterexample

    case = shortest_counterexample(record["findings"])
    out.print(Text.assemble("\n", (record["id"], "bold"), f" is refuted by {case}"), soft_wrap=True)
    if record["repair"]:
        out.print(Text(f"  repaired: {record['repair']}"), soft_wrap=True)
        out.print(Text(f"  what survives: {record['survives']}"), soft_wrap=True)


def errors(broken: Sequence[dict[str, Any]]) -> None:
    """Claims that ended in an error, with the reason, on stderr."""
    for record in broken:
        for finding in record["findings"]:
            if finding["verdict"] == "ERROR":
                print(f"headproof: {record['id']} ({finding['tier']}): {finding['summary']}", file=sys.stderr)


def not_run(found: Sequence[dict[str, Any]]) -> set[str]:
    """Of theorems and what else has a statement: which tiers a run was to ask and could not, with the reason, on
    stderr. Returns the tiers that nothing was asked of."""
    from headproof.checks.deciding import NOT_ASKED

    reasons = Counter(
        (finding["tier"], finding["summary"])
        for record in found
        for finding in record["findings"]
        if record["kind"] != "empirical" and finding["verdict"] == "NOT RUN" and finding["summary"] != NOT_ASKED
    )
    for (tier, reason), count in reasons.items():
        print(f"headproof: tier {tier} not run, of {count} claims: {reason}", file=sys.stderr)
    ran = {each["tier"] for record in found for each in record["findings"] if each["verdict"] != "NOT RUN"}
    return {tier for tier, _ in reasons} - ran


def differences(found: Sequence[Difference], skipped: Sequence[str], what: str) -> None:
    """How two reports differ, and which claims were not compared."""
    out = console()
    if found:
        table = Table(title=f"{what}: {len(found)} differences", title_justify="left", box=None, pad_edge=False)
        for heading in ("claim", "what", "expected", "found"):
            table.add_column(heading, overflow="fold")
        for each in found:
            table.add_row(each.claim, Text(each.what), Text(each.before), Text(each.after, style="bold"))
        out.print(table)
    else:
        out.print(Text(f"{what}: no difference"), soft_wrap=True)
    if skipped:
        out.print(
            Text(f"not run or measured in another setting, so not compared: {', '.join(skipped)}"), soft_wrap=True
        )


def list_claims(names: list[str]) -> None:
    """All claims with what the committed ledger says of them."""
    from headproof.checks.ledger import expected
    from headproof.checks.registry import claims, select

    known = claims()
    quick, full = (
        {record["id"]: record for record in (expected(effort) or {"claims": []})["claims"]}
        for effort in ("quick", "full")
    )
    table = _claims_table(select(names))
    for name in select(names):
        record = full.get(name) or quick.get(name)
        note = ""
        if record and name in quick and quick[name]["verdict"] != record["verdict"]:
            note = f"quick: {quick[name]['verdict']}"
        claim = known[name]
        _add_claim(table, name, f"{claim.title} ({claim.kind}, {claim.fidelity})", record, note)
    console().print(table)


def verified(items: Sequence[Item], quiet: bool) -> bool:
    """The outcome of a verification; returns whether anything was rejected."""
    rejected = [item for item in items if item.accepted is False]
    accepted = sum(item.accepted is True for item in items)
    open_items = [item for item in items if item.accepted is None]
    out = console()
    for item in rejected:
        out.print(Text(f"REJECTED {item.claim}: {item.what}: {item.reason}", style="bold red"), soft_wrap=True)
    if not quiet:
        for claim in dict.fromkeys(item.claim for item in items):
            mine = [item for item in items if item.claim == claim]
            counts = [sum(item.accepted is value for item in mine) for value in (True, False, None)]
            text = f"{claim}: {counts[0]} re-verified, {counts[1]} rejected, {counts[2]} not shown by a report"
            out.print(Text(text), soft_wrap=True)
        text = (
            f"{accepted} items re-verified, {len(rejected)} rejected; {len(open_items)} (searches that found "
            "nothing, exhaustive decisions, measurements) need a new run of headproof check"
        )
        out.print(Text(text), soft_wrap=True)
    return bool(rejected)


def markdown(text: str, as_source: bool) -> None:
    """Markdown as it is, or laid out for the terminal."""
    if as_source:
        print(text)
        return
    from rich.markdown import Markdown

    console().print(Markdown(text))


def diagnosis(lines: Sequence[Line]) -> bool:
    """The doctor's table; returns whether something would not run."""
    table = Table(box=None, pad_edge=False)
    for heading in ("", "what", "found", "remedy"):
        table.add_column(heading, overflow="fold")
    marks = {True: Text("ok", style="green"), False: Text("no", style="bold red"), None: Text("-", style="dim")}
    for line in lines:
        table.add_row(marks[line.good], line.what, line.found, line.remedy)
    console().print(table)
    return any(line.good is False for line in lines)


def cache(entries: Sequence[CacheEntry]) -> None:
    """What the cache holds."""
    if not entries:
        say("the cache is empty")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("kind", "size", "path"):
        table.add_column(heading, overflow="fold")
    for entry in entries:
        table.add_row(entry.kind, _megabytes(entry.size), f"{entry.path}{' (unfinished)' if entry.unfinished else ''}")
    console().print(table)
    say(f"{_megabytes(sum(entry.size for entry in entries))} in {len(entries)} entries")


def cleared(deleted: Sequence[CacheEntry], in_use: Sequence[CacheEntry]) -> None:
    """What `cache clear` did."""
    say(f"deleted {len(deleted)} entries, {_megabytes(sum(entry.size for entry in deleted))}")
    for entry in in_use:
        say(f"left {entry.path}: in use")


def _styled(verdict: str) -> Text:
    return Text(str(verdict), style=STYLES.get(verdict, ""))


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
