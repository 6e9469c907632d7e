"""The head of a report: where its records come from, what it counts, and how verdicts and tiers are to be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headproof import __version__
from headproof.checks import ledger
from headproof.checks.deciding import overall
from headproof.checks.registry import claims, select
from headproof.checks.report import read
from headproof.explaining import HOW_CHECKED
from headproof.reporting.content import Records, changed_words, cited, models
from headproof.reporting.entries import Entry, Section, counts
from headproof.theory.claim import Kind, Tier, Verdict
from headproof.theory.errors import InputError
from headproof.theory.formal import needed_by, source_of

VERDICTS = {
    Verdict.HOLDS: "the statement as given is true on the stated domain",
    Verdict.REFUTED: "the statement as given fails: a counterexample stands beside it, decided exactly, and so does a "
    "repaired statement",
    Verdict.UNDECIDED: "no check decided it",
    Verdict.VACUOUS: "no case met the premises, so nothing was said",
    Verdict.SUPPORTED: "an empirical claim whose criterion the measurement meets",
    Verdict.NOT_SUPPORTED: "an empirical claim whose criterion the measurement does not meet",
    Verdict.NOT_RUN: "not measured here, with the reason",
    Verdict.ERROR: "a check failed: no verdict",
}
TIERS = {
    Tier.KERNEL: "a theorem in Coq, accepted by its kernel; it rests on the axioms named beside it",
    Tier.PROOF: "a general proof, every step checked by elementary rules and exact normal forms",
    Tier.EXACT: "a finite or finite-dimensional domain decided completely in exact arithmetic",
    Tier.CERTIFIED: "outward-rounded intervals on a stated box",
    Tier.TESTED: "a search: it found nothing, or a counterexample that was then decided exactly",
    Tier.MEASURED: "heads of real or of trained models",
}


@dataclass(frozen=True)
class Run:
    """The run behind some of the records: what it ran on, and how many of the records shown are its."""

    effort: str
    count: int
    headproof: str
    schema: str
    seed: int
    device: str
    model: str
    versions: tuple[tuple[str, str], ...]
    command: str


@dataclass(frozen=True)
class Chosen:
    """The records that a report is about, by claim, with the effort of each; `origin` says where they come from."""

    names: list[str]
    records: Records
    efforts: Mapping[str, str]
    origin: str
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Front:
    """The head: counts by verdict, what verdicts and tiers mean, what was measured (SHA-256 by name), and claims whose
    words have changed since, or whose proof does not check now. `formal` are Coq files by name, with their text."""

    version: str
    command: str
    origin: str
    runs: tuple[Run, ...]
    models: tuple[tuple[str, str], ...]
    counts: tuple[tuple[str, int], ...]
    verdicts: tuple[tuple[str, str], ...]
    tiers: tuple[tuple[str, str], ...]
    how_checked: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    changed: tuple[str, ...]
    unproved: tuple[str, ...]
    formal: tuple[tuple[str, str], ...]


def of_ledger(names: list[str]) -> Chosen:
    """The committed ledger's records of the named claims (all for none), of the larger effort that has each.

    Raises InputError for an unknown name.
    """
    chosen = select(names)
    recorded = {name: record for name, record in ledger.records().items() if name in set(chosen)}
    efforts = {name: str(record["effort"]) for name, record in recorded.items()}
    reports = [(effort, ledger.expected(effort)) for effort in dict.fromkeys(efforts.values())]
    runs = tuple(_run(report, list(efforts.values()).count(effort)) for effort, report in reports if report is not None)
    return Chosen(chosen, recorded, efforts, "the committed ledger", runs)


def of_report(path: Path, names: list[str]) -> Chosen:
    """The records of a report file of the named claims (all that it has for none).

    Raises InputError for a file that is no report, a claim that no installed topic brings, and an unknown name.
    """
    report = read(path)
    recorded = {record["id"]: record for record in report["claims"]}
    if stray := sorted(set(recorded) - set(claims())):
        raise InputError(f"{path} has the claim {stray[0]}, which no installed topic brings", "install its package")
    chosen = [name for name in (select(names) if names else claims()) if name in recorded]
    if missing := [name for name in names if not set(select([name])) & set(recorded)]:
        raise InputError(f"{path} has no claim {missing[0]}", f"it has {len(recorded)}; name none to report them all")
    if not chosen:
        raise InputError(f"{path} has no claims", "write it with headproof check --json")
    for record in recorded.values():
        said = [Verdict(finding["verdict"]) for finding in record["findings"]]
        borne = said[0] if record["kind"] == Kind.EMPIRICAL and said else overall(said)
        if record["verdict"] != borne:
            what = f"{path} says {record['verdict']} of {record['id']}, but its findings say {borne}"
            raise InputError(what, "headproof verify tells more")
    kept = {name: recorded[name] for name in chosen}
    efforts = dict.fromkeys(kept, str(report["effort"]))
    return Chosen(chosen, kept, efforts, f"the report {path.name}", (_run(report, len(kept)),))


def front(chosen: Chosen, made: tuple[Section, ...], command: str) -> Front:
    """The head of a report on these records, made by `command`."""
    entries = [entry for section in made for entry in section.entries]
    counted = counts(entries)
    how_checked = tuple(HOW_CHECKED[in_parts].replace("\n", " ") for in_parts in (False, True))
    seen = {verdict for verdict, _ in counted}
    return Front(
        version=__version__,
        command=command,
        origin=chosen.origin,
        runs=chosen.runs,
        models=tuple(models(chosen.records).items()),
        counts=counted,
        verdicts=tuple((str(verdict), said) for verdict, said in VERDICTS.items() if verdict in seen),
        tiers=tuple((str(tier), said) for tier, said in TIERS.items() if any(tier in entry.tiers for entry in entries)),
        how_checked=how_checked if any(entry.steps for entry in entries) else (),
        sources=tuple(cited(made).items()),
        changed=tuple(changed_words(chosen.records)),
        unproved=tuple(entry.id for entry in entries if not all(step.accepted for step in entry.steps)),
        formal=tuple((name, source_of(name)) for name in _formal_files(entries)),
    )


def _formal_files(entries: list[Entry]) -> list[str]:
    """The formal files that state some of the entries, each after the files that it needs."""
    stated = dict.fromkeys(entry.formal.file for entry in entries if entry.formal is not None)
    return list(dict.fromkeys(name for file in stated for name in (*needed_by(file), file)))


def _run(report: Mapping[str, Any], count: int) -> Run:
    model = report["model"]
    return Run(
        effort=report["effort"],
        count=count,
        headproof=report["headproof"],
        schema=report["schema"],
        seed=report["seed"],
        device=report["device"],
        model=f"{model['name']} ({model['sha256']})" if model else "none measured",
        versions=tuple(report["versions"].items()),
        command=" ".join(report["command"]),
    )
