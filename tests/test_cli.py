"""The command line as its users meet it: what it prints, writes and returns, and one clear line for bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headproof import __version__
from headproof.checks import ledger
from headproof.theory.claim import Tier

Headproof = Callable[..., Any]
FAST = "dec.definitions.both-constant"


def test_version(headproof: Headproof) -> None:
    assert headproof("--version").out == f"headproof {__version__}\n"


@pytest.mark.parametrize("command", ["", "check", "list", "explain", "verify", "diff", "figures", "doctor", "cache"])
def test_every_command_has_help(headproof: Headproof, command: str) -> None:
    ran = headproof(*command.split(), "--help")
    assert ran.status == 0
    assert "Usage: headproof" in ran.out


def test_the_help_of_check_names_all_tiers(headproof: Headproof) -> None:
    said = headproof("check", "--help").out
    assert all(tier in said for tier in Tier)


def test_check_agrees_with_the_ledger(headproof: Headproof, private_cache: Path, tmp_path: Path) -> None:
    report = tmp_path / "deep" / "er" / "r.json"
    ran = headproof("check", FAST, "dec.definitions.uniform", "--json", report)
    assert ran.status == 0, ran.err
    assert "this run against the ledger: no difference" in ran.out
    assert "is refuted by M = [[0]], logit of the query's own key 1" in ran.out
    assert "repaired: dec.definitions.uniform.repaired" in ran.out
    data = json.loads(report.read_text())
    assert data["claims"][0]["id"] == FAST
    assert data["command"][:2] == ["headproof", "check"]
    assert headproof("verify", report).status == 0
    assert headproof("diff", report, report).status == 0


def test_quiet_says_nothing_in_agreement(headproof: Headproof, private_cache: Path) -> None:
    ran = headproof("check", FAST, "--quiet")
    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_check_differs_from_another_ledger(
    headproof: Headproof, private_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = json.loads(ledger.ledger_path().read_text("utf-8"))
    for record in sections["quick"]["claims"]:
        if record["id"] == FAST:
            record["verdict"] = "REFUTED"
    (tmp_path / "ledger.json").write_text(json.dumps(sections))
    monkeypatch.setattr(ledger, "ledger_path", lambda: tmp_path / "ledger.json")
    ran = headproof("check", FAST, "--quiet")
    assert ran.status == 1
    for word in (FAST, "verdict", "REFUTED", "HOLDS"):
        assert word in ran.out


def test_update_ledger_writes_and_then_agrees(
    headproof: Headproof, private_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "ledger_path", lambda: tmp_path / "ledger.json")
    assert "nothing to compare with" in headproof("check", FAST).out
    assert f"wrote {tmp_path / 'ledger.json'}" in headproof("check", FAST, "--update-ledger").out
    assert "no difference" in headproof("check", FAST).out


def test_errors_are_no_agreement_and_never_enter_the_ledger(
    headproof: Headproof, stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "ledger_path", lambda: tmp_path / "ledger.json")
    ran = headproof("check", "stranger.lie", "--quiet")
    assert ran.status == 1
    assert "stranger.lie (tested): control failed" in ran.err
    ran = headproof("check", "stranger.lie", "--update-ledger")
    assert ran.status == 2
    assert "the ledger is not updated: stranger.lie ended in an error" in ran.err
    assert not (tmp_path / "ledger.json").exists()


def test_a_strangers_claims_go_all_the_way(headproof: Headproof, stranger: Path, tmp_path: Path) -> None:
    assert "stranger.growing" in headproof("list", "stranger").out
    assert "About positive" in headproof("explain", "stranger.positive").out
    ran = headproof("check", "stranger.growing", "stranger.false", "stranger.measured", "--json", tmp_path / "s.json")
    assert ran.status == 1  # not in the committed ledger
    assert "absent" in ran.out
    ran = headproof("verify", tmp_path / "s.json")
    assert ran.status == 0
    assert headproof("figures", "stranger", "--out", tmp_path / "f").status == 0
    assert (tmp_path / "f" / "stranger.csv").read_text().startswith('"n","square"')
    assert headproof("figures", "stranger", "--data", tmp_path / "f", "--out", tmp_path / "again").status == 0
    for path in (tmp_path / "f").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
    assert headproof("report", "stranger", "--data", tmp_path / "f", "--out", tmp_path / "r").status == 0
    assert "About positive" in (tmp_path / "r" / "report.html").read_text()


def test_verdicts_as_latex(headproof: Headproof) -> None:
    said = headproof("list", "shapes", "--latex").out
    assert said.startswith(r"\documentclass")
    assert r"u-\allowbreak{}shape" in said
    assert said.count("REFUTED") == 2


def test_diff_shows_what_differs(headproof: Headproof, stranger: Path, tmp_path: Path) -> None:
    for seed in (0, 0):
        headproof("check", "stranger.measured", "--seed", str(seed), "--json", tmp_path / f"{seed}.json")
    data = json.loads((tmp_path / "0.json").read_text())
    data["claims"][0]["findings"][0]["numbers"]["mean"]["value"] = 9.0
    (tmp_path / "1.json").write_text(json.dumps(data))
    ran = headproof("diff", tmp_path / "0.json", tmp_path / "1.json")
    assert ran.status == 1
    assert "number 'mean' (tolerance 0.1)" in ran.out


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": ' + "1" * 5000 + "}",
        '{"a": Infinity}',
        '{"schema": "headproof-report-1", "claims": [{"id": "\\ud800"}]}',
    ],
)
def test_hostile_reports_get_one_line(headproof: Headproof, tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    for arguments in (("verify", tmp_path / "r.json"), ("diff", tmp_path / "r.json", tmp_path / "r.json")):
        ran = headproof(*arguments)
        assert (ran.status, ran.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("text", ["{bad", "[]", '{"quick": {"claims": 5}}', "[" * 100000])
def test_a_ledger_that_is_none_is_told_before_the_run(
    headproof: Headproof, private_cache: Path, tmp_path: Path, text: str
) -> None:
    (tmp_path / "ledger.json").write_text(text)
    for more in ((), ("-q", "--update-ledger")):
        ran = headproof("check", FAST, "--ledger", tmp_path / "ledger.json", "--json", tmp_path / "r.json", *more)
        assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert (tmp_path / "ledger.json").read_text() == text


@pytest.mark.posix
def test_only_ordinary_files_are_replaced(headproof: Headproof, private_cache: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    ran = headproof("check", FAST, "--json", tmp_path / "pipe")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "no ordinary file" in ran.err
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("path", ["~nosuchuser/x.json", "x" * 300])
def test_paths_that_cannot_be(headproof: Headproof, private_cache: Path, tmp_path: Path, path: str) -> None:
    ran = headproof("check", FAST, "--json", path)
    assert (ran.status, ran.err.count("\n")) == (2, 1)


def test_a_terminal_without_the_characters_still_gets_the_text() -> None:
    command = [sys.executable, "-m", "headproof", "explain", "dec.thm1"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "parallelogram" in ran.stdout


def test_a_forged_report_is_rejected(headproof: Headproof, tmp_path: Path) -> None:
    data = ledger.require_expected("quick")
    data = {**data, "claims": [record for record in data["claims"] if record["id"] == "dec.thm1"]}
    forged = json.loads(json.dumps(data).replace('"ratio": "1"', '"ratio": "2"'))
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    ran = headproof("verify", tmp_path / "forged.json", "--quiet")
    assert ran.status == 1
    assert ran.out.startswith("REJECTED dec.thm1: sharpness")


def test_list_shows_the_ledger(headproof: Headproof) -> None:
    ran = headproof("list")
    for word in ("dec.thm1.identity", "REFUTED", "proof, exact, tested", "NOT SUPPORTED"):
        assert word in ran.out


@pytest.mark.parametrize("arguments", [("explain", "dec.thm1"), ("explain", "dec.thm1", "--markdown")])
def test_explain_gives_a_proof_to_read(headproof: Headproof, arguments: tuple[str, ...]) -> None:
    ran = headproof(*arguments)
    assert ran.status == 0
    for words in ("parallelogram law", "Step 7", "checked", "every permutation", "needed", "Urrutia", "cyclic shifts"):
        assert words in ran.out
    assert "REJECTED" not in ran.out


def test_explain_a_refuted_claim(headproof: Headproof) -> None:
    ran = headproof("explain", "dec.definitions.uniform.earlier-keys", "--markdown")
    assert "M = [[0]], logit of the query's own key 1" in ran.out
    assert "Repaired: `dec.definitions.uniform.repaired`" in ran.out
    assert "What survives" in ran.out


def test_explain_a_compound_claim_lists_its_parts(headproof: Headproof) -> None:
    ran = headproof("explain", "dec.definitions", "--markdown")
    assert ran.status == 0
    assert "- `dec.definitions.both-constant`" in ran.out


def test_doctor(headproof: Headproof, private_cache: Path) -> None:
    ran = headproof("doctor")
    for word in ("python", "sympy", "cache", "ledger", "topics"):
        assert word in ran.out


def test_cache_show_and_clear(headproof: Headproof, private_cache: Path) -> None:
    assert headproof("cache", "show").out == "the cache is empty\n"
    (private_cache / "runs" / "x").mkdir(parents=True)
    (private_cache / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    (private_cache / "runs" / "x" / "y.json").write_text("[]")
    assert str(private_cache / "runs" / "x") in headproof("cache", "show").out
    assert headproof("cache", "clear").out.startswith("deleted 1 entries")
    assert not (private_cache / "runs" / "x").exists()


def test_no_colour_on_a_pipe_or_where_it_is_unwanted(private_cache: Path) -> None:
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
    command = [sys.executable, "-m", "headproof.cli", "list", "dec.thm1"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "\x1b[" not in ran.stdout


def test_a_closed_pipe_is_no_trouble() -> None:
    command = f"{sys.executable} -m headproof.cli explain dec.thm1 --markdown | head -1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert "Traceback" not in ran.stderr


# -- bad input: exit status 2, one line that names the value and the remedy, nothing written --------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "dec.thm2x"), "unknown claim 'dec.thm2x'; did you mean"),
        (("explain", "dec.thm9"), "unknown claim 'dec.thm9'"),
        (("list", "nothing"), "unknown claim 'nothing'"),
        (("figures", "exclusoin"), "unknown figure 'exclusoin'; did you mean exclusion?"),
        (("check", "--effort", "huge"), "unknown effort 'huge'; use quick or full"),
        (("verify", "no-such-report.json"), "cannot read report no-such-report.json: No such file or directory"),
        (("diff", "no-such-report.json", "x"), "cannot read report no-such-report.json: No such file or directory"),
        (("check", FAST, "--json", "/proc/nothing/r.json"), "cannot make the folder /proc/nothing"),
        (("check", FAST, "--json", "/proc/r.json"), "cannot write /proc/r.json"),
        (("check", FAST, "--json", "/proc"), "cannot write /proc: it is a folder"),
        (("check", FAST, "--model", "missing.gguf"), "no model at 'missing.gguf'"),
        (("figures", "--out", "/proc/nothing"), "cannot make the folder /proc/nothing"),
        (("figures", "--out", "/proc"), "cannot write /proc/canonical.csv"),
        (("figures", "shapes", "--data", "nowhere"), "nowhere is no folder; headproof figures --out writes one"),
        (("figures", "shapes", "--data", "."), "cannot read shapes.json"),
        (("list", "--latex", "--markdown"), "--latex with another form of table; ask for one of"),
        (("report", "dec.thm2x", "--out", "r"), "unknown claim 'dec.thm2x'; did you mean"),
        (("report", "--json", "no-such-report.json"), "cannot read report no-such-report.json"),
        (("report", "--data", "nowhere", "--out", "r"), "nowhere is no folder"),
    ],
)
def test_bad_input(
    headproof: Headproof, private_cache: Path, arguments: tuple[str, ...], message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    ran = headproof(*arguments)
    assert ran.status == 2
    assert ran.err.startswith(f"headproof: {message}")
    assert ran.err.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and private_cache not in path.parents]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "--seed", "-1"), "--seed '-1' is not a whole number from 0"),
        (("check", "--seed", "1e3"), "--seed '1e3' is not a whole number from 0"),
        (("check", "--seed", "9" * 30), "--seed '" + "9" * 30),
        (("check", "-j", "0"), "--jobs '0' is not a whole number from 1"),
        (("check", "--time-limit", "0"), "--time-limit '0' is not a number of seconds from 1"),
        (("check", "--time-limit", "nan"), "--time-limit 'nan'"),
        (("check", "--time-limit", "inf"), "--time-limit 'inf'"),
        (("check", "--foo"), "No such option: --foo"),
        (("bogus",), "No such command 'bogus'; see headproof --help"),
        (("diff", "one"), "Missing argument 'after'; see headproof diff --help"),
    ],
)
def test_usage_errors(headproof: Headproof, arguments: tuple[str, ...], message: str) -> None:
    ran = headproof(*arguments)
    assert ran.status == 2
    assert ran.err.startswith(f"headproof: {message}")
    assert ran.err.count("\n") == 1


def test_without_a_command_there_is_help(headproof: Headproof) -> None:
    ran = headproof()
    assert "Usage: headproof" in ran.out


def test_the_report_can_go_to_stdout(headproof: Headproof, private_cache: Path, tmp_path: Path) -> None:
    ran = headproof("check", FAST, "--json", "-")
    assert ran.status == 0
    assert [record["id"] for record in json.loads(ran.out)["claims"]] == [FAST]


def test_a_ledger_of_ones_own(headproof: Headproof, stranger: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    assert headproof("check", "stranger.growing", "--ledger", mine, "--update-ledger", "-q").status == 0
    assert headproof("check", "stranger.growing", "--ledger", mine, "-q").status == 0
    mine.write_text(mine.read_text().replace('"verdict": "HOLDS"', '"verdict": "REFUTED"'))
    assert headproof("check", "stranger.growing", "--ledger", mine, "-q").status == 1
    mine.write_text("[]")
    ran = headproof("check", "stranger.growing", "--ledger", mine, "-q")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "is no ledger" in ran.err


def test_ids_do_not_break(headproof: Headproof, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "headproof", "list"]
    for columns in ("80", "60", ""):
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        environment |= {"COLUMNS": columns} if columns else {}
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert "dec.definitions.equal-keys-positional " in ran.stdout


@pytest.mark.posix
def test_kill_ends_the_workers_too(stranger: Path) -> None:
    environment = {**os.environ, "STRANGER_SLEEP": "60"}
    command = [sys.executable, "-m", "headproof", "check", "stranger.slow"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        time.sleep(4)
        running.terminate()
        running.communicate(timeout=20)  # the pipes close when the last worker has gone
    assert running.returncode == 128 + 15


def test_a_time_limit_is_an_error_and_no_difference(
    headproof: Headproof, stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine.json"
    assert headproof("check", "stranger.slow", "--ledger", mine, "--update-ledger", "-q").status == 0
    monkeypatch.setenv("STRANGER_SLEEP", "60")
    ran = headproof("check", "stranger.slow", "--ledger", mine, "--time-limit", "2", "--fresh")
    assert ran.status == 1
    assert "stopped after the limit of 2 s a claim" in ran.err
    assert "no difference" in ran.out


@pytest.mark.torch
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--device", "cuda:9"), "no device 'cuda:9'"),
        (("--device", "tpu"), "unknown device 'tpu'"),
        (("--model", "missing.gguf"), "no model at 'missing.gguf'"),
        (("--model", "pickled"), ""),
        (("--model", "model.pt"), ""),
        (("--model", "short.gguf"), ""),
        (("--model", "empty"), ""),
    ],
)
def test_bad_models_and_devices(
    headproof: Headproof, private_cache: Path, arguments: tuple[str, ...], message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for folder in ("pickled", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pickled" / "config.json").write_text("{}")
    (tmp_path / "pickled" / "pytorch_model.bin").write_bytes(b"x")
    (tmp_path / "model.pt").write_bytes(b"x")
    (tmp_path / "short.gguf").write_bytes(b"GGUF\x03\x00\x00")
    for command in (("check", "dec.thm1.identity-on-heads"), ("figures", "exclusion")):
        ran = headproof(*command, *arguments)
        assert ran.status == 2, ran.out
        assert ran.err.startswith(f"headproof: {message}")
        assert ran.err.count("\n") == 1
        assert arguments[1].split(".")[0] in ran.err
    assert not (tmp_path / "figures" / "exclusion.png").exists()
