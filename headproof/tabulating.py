"""`headproof list --markdown` and `--latex`: verdicts as tables; `python -m headproof.tabulating` puts those of the
committed ledger into the documents of a checkout."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from headproof.checks.files import write_atomic
from headproof.checks.ledger import records
from headproof.checks.registry import claims, select, topics
from headproof.theory.claim import Verdict
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


def counts_markdown() -> str:
    """How many claims of each topic have which verdict in the committed ledger, and how many of them Coq's kernel has
    accepted."""
    recorded = records()
    accepted = {
        f"`{topic.name}`": sum("kernel" in tiers(recorded[claim.id]) for claim in topic.claims if claim.id in recorded)
        for topic in topics()
    }
    accepted["all"] = sum(accepted.values())
    by_topic = {
        f"`{topic.name}`": Counter(str(recorded[claim.id]["verdict"]) for claim in topic.claims if claim.id in recorded)
        for topic in topics()
    }
    total: Counter[str] = sum(by_topic.values(), Counter())
    shown = [verdict.value for verdict in Verdict if total[verdict.value]]
    lines = [
        f"| topic | claims | {' | '.join(shown)} | in Coq |",
        f"| --- | {' | '.join(['---:'] * (len(shown) + 2))} |",
    ]
    for name, counts in (*by_topic.items(), ("all", total)):
        cells = [counts.total(), *(counts[verdict] or "" for verdict in shown), accepted[name] or ""]
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def documents() -> dict[str, str]:
    """The generated tables by the document that carries them, between its two markers."""
    return {
        "README.md": counts_markdown(),
        "VERDICTS.md": f"## What fails as given\n\n{refuted_markdown([])}\n\n{verdicts_markdown([])}",
    }


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
            cells = (f"`{name}`: {claim.title}", shortest_counterexample(recorded[name]["findings"]), claim.survives)
            lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines)


# A whole document, so that it compiles by itself; the table between the two comments goes into a paper as it is.
_DOCUMENT = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[margin=2cm]{geometry}
\usepackage{longtable}
\begin{document}
% -- begin of the table; it needs the package longtable --
%s
% -- end of the table --
\end{document}
"""
_HEADING = r"Claim & Verdict & Known by & What it says \\"
# What TeX reads as commands, and signs that its standard fonts have in mathematics only.
_TEX = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': "''",
    "\u2212": r"\ensuremath{-}",
    "\u00d7": r"\ensuremath{\times}",
    "\u00b7": r"\ensuremath{\cdot}",
    "\u2264": r"\ensuremath{\le}",
    "\u2265": r"\ensuremath{\ge}",
    "\u2260": r"\ensuremath{\ne}",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\dots{}",
}
_CAPITALS = ("GAMMA", "DELTA", "THETA", "LAMBDA", "XI", "PI", "SIGMA", "UPSILON", "PHI", "PSI", "OMEGA")


def verdicts_latex(names: list[str], recorded: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """The verdicts of the named claims (all for none) as a LaTeX document of one longtable, by default the ledger's.

    `recorded` gives the records of another run by claim. Raises InputError for an unknown name.
    """
    chosen = set(select(names))
    found: Mapping[str, Mapping[str, Any]] = records() if recorded is None else recorded
    lines = [
        r"\begin{longtable}{@{}p{0.27\linewidth}p{0.13\linewidth}p{0.13\linewidth}p{0.39\linewidth}@{}}",
        *(rf"\hline {_HEADING} \hline {ends}" for ends in (r"\endfirsthead", r"\endhead")),
    ]
    for topic in topics():
        known = [claim for claim in topic.claims if claim.id in chosen]
        if known:
            lines.append(rf"\multicolumn{{4}}{{@{{}}l}}{{\textbf{{{latex_text(topic.title)}}}}} \\")
        for claim in known:
            record = found.get(claim.id)
            verdict = "not recorded" if record is None else str(record["verdict"])
            by = "" if record is None else ", ".join(tiers(dict(record)))
            # An id has no spaces: it may break after its dots and hyphens.
            breaking = re.sub(r"([.-])", r"\1\\allowbreak{}", latex_text(claim.id))
            cells = (rf"\raggedright\texttt{{{breaking}}}", verdict, by, latex_text(claim.title))
            lines.append(rf"{' & '.join(cells)} \\")
    lines.append(r"\hline \end{longtable}")
    return _DOCUMENT.replace("%s", "\n".join(lines))


def latex_text(text: str) -> str:
    """Text as LaTeX sets it as it stands: letters by `inputenc`, Greek ones as mathematics, other signs by name.

    >>> print(latex_text("50 % of M_jk <= θ"))
    50 \\% of M\\_jk \\ensuremath{<}= \\ensuremath{\\theta}
    """
    return "".join(map(_tex, text))


def _tex(sign: str) -> str:
    if sign in _TEX:
        return _TEX[sign]
    name = unicodedata.name(sign, f"U+{ord(sign):04X}")
    if sign.isascii() or name.startswith("LATIN "):
        return sign
    if greek := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name):
        case, letter = greek.groups()
        letter = {"LAMDA": "LAMBDA"}.get(letter, letter)
        # TeX has no commands for those that look as Latin letters do.
        if case == "SMALL" and letter != "OMICRON":
            return rf"\ensuremath{{\{letter.lower()}}}"
        if letter in _CAPITALS:
            return rf"\ensuremath{{\{letter.capitalize()}}}"
    return f"[{name.lower()}]"


def tiers(record: dict[str, Any]) -> list[str]:
    """The tiers whose finding bears the verdict; one that did not reach it is seen in the report, not here."""
    if record["verdict"] == Verdict.NOT_RUN:
        return []
    bearing = [finding for finding in record["findings"] if finding["verdict"] == record["verdict"]]
    return list(dict.fromkeys(str(finding["tier"]) for finding in bearing))


def _verdict(record: dict[str, Any] | None) -> str:
    return "not in the ledger | " if record is None else f"{record['verdict']} | {', '.join(tiers(record))}"


def shortest_counterexample(findings: Iterable[Mapping[str, Any]]) -> str:
    """Of the counterexamples that the findings exhibit the one that is written shortest; empty if there is none."""
    texts = (finding["counterexample_text"] for finding in findings)
    return min((text for text in texts if text), key=len, default="")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main(Path.cwd())
