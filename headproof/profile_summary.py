"""The summary of a profile on the terminal."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from headproof.showing import console, say

GROUPS = ("trained", "fresh", "shuffled")


def show(summary: dict[str, Any]) -> None:
    """Print what a profile found: kinds of heads, the purest ones, frequencies, dependence, correlations."""
    about = summary["about"]
    model, prompts = about["model"], about["prompts"]
    say(
        f"{model['name']} ({model['architecture']}, {model['layers']} layers x {model['heads']} heads, "
        f"{about['dtype']}, {about['device']})"
    )
    for prompt in prompts:
        say(f"  {prompt['name']}: {prompt['tokens']} tokens, {prompt['blocks']} blocks of {prompt['block_length']}")
    say(
        f"nulls: fresh initialisation, shuffled entries, {_count(len(about['null_seeds']), 'seed')} each; every layer "
        f"conforms (weights rebuilt to {summary['conformance']['trained']:.1e})"
    )
    if summary["unseen"]:
        say(
            f"fewer than two blocks lie inside the sliding window of layers {_list(summary['unseen'])}: "
            "their heads have no scores"
        )
    _print(kinds(summary))
    _heads(summary["heads"])
    if summary["frequencies"]:
        _print(frequencies(summary))
        _turning(summary["turning"])
    else:
        say(
            "no rotary planes were measured: head-level scores only. Where no layer turns its keys all heads are "
            "symbolic by these scores: position, if embeddings carry it, stands in the contents that are swapped"
        )
    _print(dependence(summary))
    _print(correlation(summary))
    _print(depth(summary))
    if summary["correlation"] and summary["correlation"][0]["r_interval"][0] is None:
        say("no 95 % intervals: they take three prompts that share nothing (other seeds)")


def _print(table: Table) -> None:
    console().print()
    console().print(table)


def kinds(summary: dict[str, Any]) -> Table:
    """Percentages of heads by kind, trained (fresh, shuffled in brackets)."""
    gamma = summary["about"]["settings"]["gamma"]
    table = _table(
        f"heads by kind at margin {gamma:g}: % trained (fresh, shuffled)",
        "query", "tau", "positional", "symbolic", "both", "neither",
    )  # fmt: skip
    for entry in summary["kinds"]:
        cells = [
            f"{entry['trained'][kind]:.0f} ({entry['fresh'][kind]:.0f}, {entry['shuffled'][kind]:.0f})"
            for kind in ("positional", "symbolic", "both", "neither")
        ]
        table.add_row(entry["asked"], _tau(entry), *cells)
    return table


def _heads(found: dict[str, Any]) -> None:
    console().print()
    say(
        f"query {found['asked']}, tau {_tau(found)}: of {found['asked_of']} heads, {found['positional_beyond_nulls']} "
        f"are more positional and {found['symbolic_beyond_nulls']} more symbolic than both nulls allow "
        f"(false discovery rate {found['false_discovery_rate']:g})"
    )
    for what in ("most_positional", "most_symbolic"):
        listed = ", ".join(
            f"{h['layer']}:{h['head']} ({_number(h['positional'])}, {_number(h['symbolic'])}; "
            f"moves {_number(h['range_over_prompts'])}, q {_number(h['q'])})"
            for h in found[what]
        )
        say(f"{what.replace('_', ' ')}, layer:head (s_pos, s_sym): {listed}")
    say("  (moves: range of s_pos - s_sym over prompts; q: false discovery rate against both nulls)")


def frequencies(summary: dict[str, Any]) -> Table:
    """Planes by band of wavelength."""
    table = _table(
        f"rotary planes by wavelength, tau {_tau(summary['heads'])}: trained (fresh, shuffled)",
        "wavelength", "planes", "s_pos", "s_sym", "% more positional", "% high on both", "% of energy",
    )  # fmt: skip
    for entry in summary["frequencies"]:
        low, high = entry["from"], entry["to"]
        band = f"from {low:g}" if high == "inf" else f"{low:g} to {high:g}"
        cells = [
            _groups(entry, name, digits)
            for name, digits in (
                ("positional", 2),
                ("symbolic", 2),
                ("more_positional", 0),
                ("both_high", 0),
                ("energy_share", 0),
            )
        ]
        table.add_row(band, str(entry["trained"]["planes"]), *cells)
    return table


def _turning(found: dict[str, Any]) -> None:
    def one(group: str) -> str:
        entry = found[group]
        if entry["wavelength_quartiles"] is None:
            return "none"
        low, middle, high = entry["wavelength_quartiles"]
        return f"{entry['heads_that_turn']:.0f} % at {middle:.0f} tokens (quartiles {low:.0f} to {high:.0f})"

    say(f"heads that turn from positional to symbolic planes: {'; '.join(f'{g}: {one(g)}' for g in GROUPS)}")


def dependence(summary: dict[str, Any]) -> Table:
    """How much a head's purity depends on what was varied."""
    table = _table(
        "what a head's purity s_pos - s_sym depends on", "varied", "values", "median range", "% of heads that turn sign"
    )
    names = {"temperature": "temperature", "asked": "query position", "prompt": "prompt"}
    for varied, entry in summary["dependence"].items():
        table.add_row(
            names[varied],
            str(entry["values"]),
            _number(entry["median_range"]),
            f"{entry['heads_that_turn_sign']:.0f}",
        )
    return table


def correlation(summary: dict[str, Any]) -> Table:
    """Correlation of both scores over heads, beside what geometry and nulls give."""
    table = _table(
        "correlation of s_pos and s_sym over heads (surrogates: both scores of each swap exchanged at random)",
        "query", "tau", "r", "95 %", "p (Holm)", "surrogates", "r - surrogates", "95 %", "p", "fresh", "shuffled",
    )  # fmt: skip
    for entry in summary["correlation"]:
        table.add_row(
            entry["asked"], _tau(entry), _number(entry["r"]), _interval(entry["r_interval"]),
            _number(entry["p_holm"], 4), _number(entry["surrogate_r"]), _number(entry["excess"]),
            _interval(entry["excess_interval"]),
            _number(entry["surrogate_p"]), _number(entry["fresh_r"]), _number(entry["shuffled_r"]),
        )  # fmt: skip
    return table


def depth(summary: dict[str, Any]) -> Table:
    """The trend of the positional score with depth."""
    table = _table(
        "positional score with depth (drop: median of the first half of the layers less the second)",
        "query", "tau", "Spearman", "p (Holm)", "drop", "95 %", "fresh drop", "shuffled drop",
    )  # fmt: skip
    for entry in summary["depth"]:
        table.add_row(
            entry["asked"], _tau(entry), _number(entry["rho"]), _number(entry["p_holm"], 4), _number(entry["drop"]),
            _interval(entry["drop_interval"]), _number(entry["fresh_drop"]), _number(entry["shuffled_drop"]),
        )  # fmt: skip
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False, title_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("query", "varied", "wavelength") else "right")
    return table


def _groups(entry: dict[str, Any], name: str, digits: int) -> str:
    trained, *nulls = (_number(entry.get(group, {}).get(name), digits) for group in GROUPS)
    return f"{trained} ({', '.join(nulls)})"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _tau(entry: dict[str, Any]) -> str:
    tau = entry["temperature"]
    return tau if isinstance(tau, str) else f"{tau:g}"


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _interval(pair: list[float | None]) -> str:
    low, high = pair
    return "-" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def _list(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
