"""The long commands: deciding claims and drawing figures, with progress, and the comparison with the ledger."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, cast

from headproof import showing
from headproof.checks import ledger
from headproof.checks import report as reports
from headproof.checks.files import output_folder, write_atomic
from headproof.checks.registry import Context, Effort, claims, figure_points, unknown
from headproof.checks.runner import default_jobs, run
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError


def settings(effort: str, seed: int, device: str, model: str | None) -> Context:
    """The run's settings; raises InputError for an unknown effort or a device that is not there."""
    if effort not in ("quick", "full"):
        raise InputError(f"unknown effort {effort!r}", "use quick or full")
    if device != "cpu":
        from headproof.checks.trained.models import require_device

        require_device(device)
    return Context(cast(Effort, effort), seed, device, model)


def check(
    names: list[str],
    context: Context,
    json_file: Path | None,
    jobs: int | None,
    limit: float,
    resume: bool,
    update: bool,
    quiet: bool,
) -> int:
    """Decide claims, show what was found, write what was asked for; returns the exit status."""
    started = time.perf_counter()
    if json_file is not None:
        output_folder(json_file.parent)  # told now rather than after the run
    with showing.progress(quiet, "deciding") as bar:
        records = run(names, context, jobs or default_jobs(), limit, resume, bar.task_done, bar.message)
    model = next((m for record in records if (m := _measured_model(record))), None)
    report = reports.assemble(records, context, ["headproof", *sys.argv[1:]], model)
    reports.validate(report, "this run's report")
    if json_file is not None:
        write_atomic(json_file, reports.to_text(report))
    if not quiet:
        showing.records(records)
    broken = [record for record in records if record["verdict"] == Verdict.ERROR]
    showing.errors(broken)
    if update:
        if broken:
            raise InputError(f"the ledger is not updated: {broken[0]['id']} ended in an error", "mend it first")
        showing.say(f"wrote {ledger.write(report)}")
    status = _compare(report, quiet)
    if not quiet:
        showing.say(f"{len(records)} of {len(claims())} claims in {time.perf_counter() - started:.1f} s")
    return 1 if broken else status


def figures(names: list[str], out: Path, context: Context, quiet: bool) -> None:
    """Compute and draw the named figures, or all."""
    points = figure_points()
    for name in names:
        if name not in points:
            raise unknown("figure", name, points)
    output_folder(out)
    from headproof.paper_figs.figure import load, save

    with showing.progress(quiet, "drawing") as bar:
        for number, name in enumerate(names or list(points), 1):
            files = save(load(points[name]), out, context, bar.message)
            bar.step(name, number, len(names or points))
            if not quiet:
                for file in files:
                    bar.message(f"wrote {file}")


def _measured_model(record: dict[str, Any]) -> Any:
    return next((f["details"]["model"] for f in record["findings"] if "model" in f["details"]), None)


def _compare(report: reports.Report, quiet: bool) -> int:
    expected = ledger.expected(report["effort"])
    if expected is None:
        showing.say(f"no ledger for effort {report['effort']}: nothing to compare with; --update-ledger writes one")
        return 0
    found = ledger.differences(expected, report)
    if found or not quiet:
        asked = {record["id"] for record in report["claims"]}
        skipped = [claim for claim in ledger.not_compared(expected, report) if claim in asked]
        showing.differences(found, skipped, "this run against the ledger")
    return 1 if found else 0
