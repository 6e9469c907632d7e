"""The summary of `headproof generalize` on the terminal."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from headproof.showing import console, say

GROUPS = ("trained", "fresh", "shuffled")


def show(summary: dict[str, Any]) -> None:
    """Print what a run found: heads, moved words, long contexts, and which criteria are met."""
    about = summary["about"]
    model, settings = about["model"], about["settings"]
    say(
        f"{model['name']} ({model['architecture']}, {model['layers']} layers x {model['heads']} heads, "
        f"{about['dtype']}, {about['device']})"
    )
    if "heads" in summary:
        say(
            f"heads: texts of {settings['tokens']} tokens; nulls: fresh initialisation, shuffled entries, "
            f"{len(about['null_seeds'])} seed(s) each; every layer conforms (weights rebuilt to "
            f"{summary['conformance']:.1e})"
        )
        _print(heads(summary))
        say("  double differences, bound: gen.thm2; angles dealt at random: to the head's own planes; see the README")
        if (largest := summary["largest_ratio"]) is not None:
            verdict = "no double difference exceeds" if largest <= 1 else "a double difference EXCEEDS"
            say(f"{verdict} the bound of gen.thm2: the largest ratio is {largest:.3f}")
    if "tolerance" in summary:
        _print(tolerance(summary))
    if "length" in summary:
        _print(length(summary))
        say(
            "  excess: beyond less late inside (the last stretch before the training length); next head's: a control; "
            "nll in nats. The region is one of few outputs: what it misses inside is no excess"
        )
    _print(claims(summary))
    say("at this run's settings: headproof list gen has the verdicts on two models at the claims' own")
    if any(entry["met"] is None for entry in summary["claims"]):
        say("- : too few texts for intervals (three), texts that come again, shares not measured, or a number missing")
    if any(entry["repeats"] for entry in summary.get("length", ())):
        say("the texts are shorter than the contexts and come again in them: nothing is decided of long contexts")


def _print(table: Table) -> None:
    console().print()
    console().print(table)


def heads(summary: dict[str, Any]) -> Table:
    """Medians over heads, trained and nulls."""
    table = _table("median over heads (quartiles) of the mean over texts", "measure", *GROUPS)
    for entry in summary["heads"]:
        low, high = entry["quartiles"]
        own = f"{_number(entry['trained'])} ({_number(low)} to {_number(high)})"
        name = ("  " if entry["indented"] else "") + entry["measure"]
        table.add_row(Text(name), own, _number(entry["fresh"]), _number(entry["shuffled"]))
    return table


def tolerance(summary: dict[str, Any]) -> Table:
    """Perplexity over that of the text as it is."""
    first = summary["tolerance"][0]
    table = _table(
        f"{first['texts']} texts of {first['tokens']} tokens: perplexity with words in each other's place over that of "
        f"the text as it is (trained: {first['perplexity']:.1f})",
        "change places", "% asked", "% moved", "words", "indices", "keys", "words, fresh null", "words, shuffled null",
    )  # fmt: skip
    for entry in summary["tolerance"]:
        table.add_row(
            "all words" if entry["reading"] == "shuffled" else entry["reading"],
            f"{100 * entry['share']:g}", f"{100 * entry['reached']:.1f}",
            *(_number(entry[name]) for name in ("words", "indices", "keys", "fresh", "shuffled")),
        )  # fmt: skip
    return table


def length(summary: dict[str, Any]) -> Table:
    """Attention outputs and likelihoods beyond the training length."""
    first = summary["length"][0]
    table = _table(
        f"{first['extra']} tokens beyond {first['length']}: % of attention outputs outside other orders' 95 % region",
        "mode", "excess", "beyond", "late inside", "inside", "next head's", "nll inside", "nll beyond",
    )  # fmt: skip
    for entry in summary["length"]:
        table.add_row(
            entry["mode"],
            _number(entry["excess"], 1),
            *(_number(entry[f"outside_{name}"], 1) for name in ("beyond", "late", "inside", "other_head")),
            _number(entry["nll_inside"], 3), _number(entry["nll_beyond"], 3),
        )  # fmt: skip
    return table


def claims(summary: dict[str, Any]) -> Table:
    """Which criteria of the topic's empirical claims this model meets."""
    table = _table("criteria of the claims (headproof explain CLAIM.smollm2-135m states them)", "claim", "met", "title")
    words = {True: "yes", False: "no", None: "-"}
    for entry in summary["claims"]:
        verdict = words[entry["met"]]
        if entry["met"] is not None and entry["controls_hold"] is not True:
            failed = entry["controls_hold"] is False
            verdict = f"{verdict}, but a control {'fails' if failed else 'needs two null seeds'}"
        table.add_row(entry["claim"], verdict, Text(entry["title"]))
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False, title_style="bold")
    for heading in headings:
        left = heading in ("measure", "change places", "mode", "claim", "met", "title")
        table.add_column(heading, justify="left" if left else "right")
    return table


def _number(value: float | str | None, digits: int = 3) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.{digits}f}"
