"""The long commands: deciding claims and drawing figures, with progress, and the comparison with the ledger."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from headproof import progressing, showing
from headproof.checks import ledger
from headproof.checks import report as reports
from headproof.checks.files import output_folder, require_writable, write_atomic
from headproof.checks.registry import Context, Effort, claims, figure_points, select, unknown
from headproof.checks.runner import default_jobs, run
from headproof.theory.claim import Tier, Verdict
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Options:
    """What `check` is asked for besides the claims: where the report goes, which ledger, and how much is said."""

    json_file: Path | None = None
    ledger: Path | None = None
    update: bool = False
    resume: bool = True
    quiet: bool = False

    @property
    def to_stdout(self) -> bool:
        """Whether the report goes to stdout, which then holds nothing else."""
        return str(self.json_file) == "-"


@dataclass(frozen=True)
class Pace:
    """Worker processes, and seconds for each claim."""

    jobs: int
    limit: float


def settings(effort: str, seed: str, device: str, model: str | None, tiers: tuple[str, ...] = ()) -> Context:
    """The run's settings; raises InputError for a bad effort, seed or tier, and for a device or model that is not
    there."""
    for tier in tiers:
        if "," in tier:
            raise InputError(f"--tier {tier!r} is more than one", "repeat the option: --tier kernel --tier proof")
        if tier not in list(Tier):
            raise unknown("tier", tier, list(Tier))
    if effort not in ("quick", "full"):
        raise InputError(f"unknown effort {effort!r}", "use quick or full")
    number = _number("--seed", seed, int, 0)
    if device != "cpu":
        from headproof.checks.trained.models import require_device

        require_device(device)
    if model is not None:
        from headproof.checks.trained.sources import find_model

        find_model(model)
    return Context(cast(Effort, effort), number, device, model, tiers)


def pace(jobs: str | None, limit: str) -> Pace:
    """Workers (by default one for each core) and seconds; raises InputError for what is no such number."""
    count = default_jobs() if jobs is None else _number("--jobs", jobs, int, 1)
    return Pace(count, _number("--time-limit", limit, float, 1))


def whole_number(option: str, text: str, least: int) -> int:
    """The whole number that an option was given; InputError for what is none, or is below `least`."""
    return int(_number(option, text, int, least))


def _number(option: str, text: str, kind: type[Any], least: int) -> Any:
    what = "a whole number" if kind is int else "a number of seconds"
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not least <= value < 1 << 63:
        upper = " to 2^63" if value is not None and value >= least else ""
        raise InputError(f"{option} {text!r:.40} is not {what} from {least}{upper}")
    return value


def check(names: list[str], context: Context, pace: Pace, options: Options) -> int:
    """Decide claims, show what was found, write what was asked for; returns the exit status."""
    started = time.perf_counter()
    quiet = options.quiet or options.to_stdout
    if options.json_file is not None and not options.to_stdout:
        require_writable(options.json_file)  # told now rather than after the run
    for effort in ("quick", "full"):
        ledger.expected(effort, options.ledger)  # a ledger that cannot be read is told now as well
    if options.ledger is not None and not options.update and not options.ledger.exists():
        raise InputError(f"there is no ledger {options.ledger}", "write it with --update-ledger")
    _end_on_sigterm()
    with progressing.bar(quiet, "deciding") as bar:
        records = run(names, context, pace.jobs, pace.limit, options.resume, bar.task_done, bar.message)
    model = next((m for record in records if (m := _measured_model(record))), None)
    report = reports.assemble(records, context, ["headproof", *sys.argv[1:]], model)
    reports.validate(report, "this run's report")
    if not quiet:
        showing.records(records, _other_effort(context, options.ledger))
    if options.to_stdout:
        sys.stdout.write(reports.to_text(report))
    elif options.json_file is not None:
        write_atomic(options.json_file, reports.to_text(report))
    broken = [record for record in records if record["verdict"] == Verdict.ERROR]
    showing.errors(broken)
    if options.update:
        if broken:
            raise InputError(f"the ledger is not updated: {broken[0]['id']} ended in an error", "mend it first")
        written = ledger.write(report, options.ledger)
        if not quiet:
            showing.say(f"wrote {written}")
    status = _compare(report, options, quiet, select(names), context.tiers)
    if (context.tiers or not quiet) and showing.not_run(records) & {*context.tiers}:  # asked for by name
        status = 1
    if not quiet:
        showing.say(f"{len(records)} of {len(claims())} claims in {time.perf_counter() - started:.1f} s")
    return 1 if broken else status


def _end_on_sigterm() -> None:
    """Let `kill` end the workers too, as Ctrl-C does."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def _other_effort(context: Context, path: Path | None) -> dict[str, str]:
    """What the ledger says of each claim at the other effort, for those where it matters to a reader."""
    other = "full" if context.effort == "quick" else "quick"
    report = ledger.expected(other, path)
    return {record["id"]: f"{other}: {record['verdict']}" for record in (report or {"claims": []})["claims"]}


def figures(names: list[str], out: Path, data: Path | None, context: Context, quiet: bool) -> None:
    """Compute and draw the named figures, or all; with `data`, draw them from the data in that folder instead."""
    points = figure_points()
    for name in names:
        if name not in points:
            raise unknown("figure", name, points)
    output_folder(out)
    from headproof.paper_figs.figure import load, redraw, save, targets

    wanted = list(dict.fromkeys(names)) or list(points)
    if data is not None and not data.is_dir():
        raise InputError(f"{data} is no folder", "headproof figures --out writes one")
    for name in wanted:
        for path in targets(name, out):
            require_writable(path)
    with progressing.bar(quiet, "drawing") as bar:
        for number, name in enumerate(wanted, 1):
            figure = load(points[name])
            files = save(figure, out, context, bar.message) if data is None else redraw(figure, data, out)
            bar.step(name, number, len(wanted))
            if not quiet:
                for file in files:
                    bar.message(f"wrote {file}")


def _measured_model(record: dict[str, Any]) -> Any:
    return next((f["details"]["model"] for f in record["findings"] if "model" in f["details"]), None)


def _compare(
    report: reports.Report, options: Options, quiet: bool, asked: Collection[str], tiers: Collection[str]
) -> int:
    expected = ledger.expected(report["effort"], options.ledger)
    if expected is None:
        if not quiet:
            showing.say(f"no ledger for effort {report['effort']}: nothing to compare with; --update-ledger writes one")
        return 0
    # Errors speak for themselves and are no verdict to compare.
    decided = [record for record in report["claims"] if record["verdict"] != Verdict.ERROR]
    found = ledger.differences(expected, {**report, "claims": decided})
    if tiers:
        found += ledger.unanswered(expected, report, asked, tiers)
    if options.to_stdout:
        return 1 if found else 0
    if found or not quiet:
        ran = {record["id"] for record in decided}
        skipped = [claim for claim in ledger.not_compared(expected, {**report, "claims": decided}) if claim in ran]
        aside = ", errors aside" if len(decided) < len(report["claims"]) else ""
        showing.differences(found, skipped, f"this run against the ledger{aside}")
    return 1 if found else 0
