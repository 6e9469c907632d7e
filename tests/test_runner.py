"""Runs: verdicts of every kind, time limits, dying workers, and resuming without losing or repeating work."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from headproof.checks import runner
from headproof.checks.deciding import overall
from headproof.checks.registry import Context
from headproof.checks.runner import Task, run, tasks_for
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError


def quiet(text: str) -> None:
    del text


def decide(*names: str, limit: float = 60, resume: bool = True, seed: int = 0, **more: Any) -> dict[str, Any]:
    records = run(list(names), Context(seed=seed), 2, limit, resume, message=quiet, **more)
    return {record["id"].removeprefix("stranger."): record for record in records}


def test_verdicts_of_every_kind(stranger: Path) -> None:
    found = decide("stranger", limit=30)
    assert {name: str(record["verdict"]) for name, record in found.items()} == {
        "growing": "HOLDS",
        "positive": "HOLDS",
        "slow": "HOLDS",
        "false": "REFUTED",
        "never": "VACUOUS",
        "lie": "ERROR",
        "dies": "ERROR",
        "raises": "ERROR",
        "measured": "SUPPORTED",
        "unmeasured": "NOT RUN",
    }
    summaries = {name: record["findings"][0]["summary"] for name, record in found.items()}
    assert "mutant 'mutant 0' came back upheld" in summaries["lie"]
    assert "RuntimeError: no luck" in summaries["raises"]
    assert "worker process died" in summaries["dies"]
    assert "needs no_such_module" in summaries["unmeasured"]
    assert found["false"]["findings"][0]["counterexample"] == {"n": 7}
    (premise,) = found["positive"]["premises"]
    assert premise["status"] == "needed"
    assert premise["case"]["n"] <= 0
    # The refuted claim's controls are those of its repair, and the repair itself must be upheld.
    assert [c["mutant"] for c in found["false"]["findings"][0]["controls"]] == ["mutant 0", "the repaired statement"]
    assert not list((stranger / "runs").glob("*"))


def test_a_time_limit_stops_one_claim_only(stranger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Room enough for the quick claim on a machine that is busy with other things.
    monkeypatch.setenv("STRANGER_SLEEP", "240")
    started = time.monotonic()
    found = decide("stranger.slow", "stranger.growing", limit=12)
    assert time.monotonic() - started < 120
    assert found["slow"]["verdict"] == Verdict.ERROR
    assert "limit of 12 s" in found["slow"]["findings"][0]["summary"]
    assert found["growing"]["verdict"] == Verdict.HOLDS


def test_an_interrupted_run_is_taken_up_again(stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow claim is done, the next one fails to end; the second run takes up the first and runs only the rest."""
    log = tmp_path / "log"
    monkeypatch.setenv("STRANGER_LOG", str(log))
    seen: list[tuple[str, bool]] = []

    class Stop(Exception):
        pass

    def stop(task: Task, done: int, total: int, resumed: bool) -> None:
        raise Stop

    with pytest.raises(Stop):
        decide("stranger.slow", "stranger.growing", on_done=stop)
    assert list((stranger / "runs").glob("*/*.json"))
    ran_before = log.read_text() if log.exists() else ""

    def note(task: Task, done: int, total: int, resumed: bool) -> None:
        seen.append((task.name, resumed))

    found = decide("stranger.slow", "stranger.growing", on_done=note)
    assert {record["verdict"] for record in found.values()} == {Verdict.HOLDS}
    assert [resumed for _, resumed in seen].count(True) >= 1
    if ("stranger.slow", True) in seen:
        assert log.read_text() == ran_before
    assert not list((stranger / "runs").glob("*"))


def test_a_run_with_other_settings_takes_up_nothing(stranger: Path) -> None:
    class Stop(Exception):
        pass

    def stop(*_: Any) -> None:
        raise Stop

    with pytest.raises(Stop):
        decide("stranger.growing", on_done=stop)
    resumed: list[bool] = []
    decide("stranger.growing", seed=1, on_done=lambda *done: resumed.append(done[-1]))
    decide("stranger.growing", resume=False, on_done=lambda *done: resumed.append(done[-1]))
    assert resumed == [False, False]


def test_errors_are_not_kept(stranger: Path) -> None:
    decide("stranger.raises")
    assert not list((stranger / "runs").glob("*/*"))


def test_what_other_code_may_have_found_is_not_kept(
    stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of ours that is saved during a run leaves what is decided from then on out of the journal."""
    mine = tmp_path / "mine.py"
    mine.write_text("one = 1")
    monkeypatch.setattr(runner, "code_of_topics", lambda: [mine])
    kept: list[int] = []

    def save(task: Task, done: int, total: int, resumed: bool) -> None:
        kept.append(len(list((stranger / "runs").glob("*/*.json"))))
        mine.write_text(mine.read_text() * 2)

    decide("stranger.growing", "stranger.slow", on_done=save)
    assert kept == [1, 1]


def test_a_damaged_journal_is_ignored(stranger: Path) -> None:
    class Stop(Exception):
        pass

    def stop(*_: Any) -> None:
        raise Stop

    with pytest.raises(Stop):
        decide("stranger.growing", on_done=stop)
    (kept,) = (stranger / "runs").glob("*/*.json")
    kept.write_text('{"half')
    assert decide("stranger.growing")["growing"]["verdict"] == Verdict.HOLDS


@pytest.mark.posix
def test_ctrl_c_ends_the_command_and_keeps_what_was_done(stranger: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "STRANGER_SLEEP": "60", "STRANGER_LOG": str(tmp_path / "log")}
    command = [sys.executable, "-m", "headproof.cli", "check", "stranger.slow", "stranger.growing", "-j", "2"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a suite in the background ignores it
    ) as running:  # fmt: skip
        for _ in range(300):
            if list((stranger / "runs").glob("*/claim*growing*")):
                break
            time.sleep(0.1)
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "interrupted; the same command takes up the finished claims again" in err
    assert "Traceback" not in err
    assert list((stranger / "runs").glob("*/claim*growing*"))
    assert not [child for child in multiprocessing.active_children() if child.pid == running.pid]


def test_tasks_put_measurements_first(stranger: Path) -> None:
    tasks = tasks_for(["stranger.growing", "stranger.measured"])
    assert [(task.name, task.measurement) for task in tasks] == [("number", True), ("stranger.growing", False)]


def test_an_unknown_claim_stops_before_anything_runs(stranger: Path) -> None:
    with pytest.raises(InputError, match="unknown claim 'nope'"):
        decide("nope")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["HOLDS"], "HOLDS"),
        (["HOLDS", "REFUTED"], "REFUTED"),
        (["REFUTED", "ERROR"], "ERROR"),
        (["HOLDS", "UNDECIDED"], "UNDECIDED"),
        (["HOLDS", "VACUOUS"], "VACUOUS"),
        (["UNDECIDED"], "UNDECIDED"),
        ([], "UNDECIDED"),
    ],
)
def test_one_verdict_of_several(said: list[str], expected: str) -> None:
    assert overall([Verdict(each) for each in said]) == expected


def test_a_worker_takes_its_share_of_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    runner._share(3)
    assert os.environ["OMP_NUM_THREADS"] == "3"
    runner._share(5)  # what the user said stays
    assert os.environ["OMP_NUM_THREADS"] == "3"
    monkeypatch.delenv("OMP_NUM_THREADS")


def test_what_is_kept_hangs_on_every_line_of_code(stranger: Path) -> None:
    """Of the folders that a checkout links to, too, and of the packages that bring topics."""
    found = runner.code_of_topics()
    names = {path.name for path in found}
    assert {"deciding.py", "claim.py", "rope.py", "figure.py", "cli.py", "stranger_claims.py"} <= names
    assert len(found) == len(set(found)) > 300
