"""The pytest plugin: what passes, fails and is skipped, how that is said, and how claims are named and compared."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from with_plugin import PLUGIN

from headproof import pytest_plugin, pytest_telling
from headproof.checks import ledger
from headproof.checks import report as reports
from headproof.checks.deciding import decide_claim, decide_measurement
from headproof.checks.places import Place, given
from headproof.checks.registry import Context, Topic
from headproof.checks.runner import Worker
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError

pytest_plugins = ["pytester"]
CLAIMS = Path(__file__).parent / "support" / "plugin_claims.py"
NODE = "claims.py::whole::whole."
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """pytest with the plugin in a process of its own, in a folder with the claims as claims.py."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("CLAIMS_LOG", str(pytester.path / "log"))
    for name in ("PYTEST_ADDOPTS", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    (pytester.path / "claims.py").write_text(CLAIMS.read_text("utf-8"))

    def pytest_with_plugin(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess(*PLUGIN, *arguments, timeout=280)

    return pytest_with_plugin


def log(pytester: pytest.Pytester) -> list[str]:
    file = pytester.path / "log"
    return file.read_text().splitlines() if file.exists() else []


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """What -v says of each claim."""
    found = re.findall(r"claims\.py::whole::whole\.(\S+) ([A-Z]+)", "\n".join(result.outlines))
    return dict(found)


# -- what passes ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_way_in_which_a_claim_ends(run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("--headproof-claims", "claims.py", "-v", "-rfs", "--headproof-time-limit", "120")
    assert outcomes(result) == {
        "holds": "PASSED",
        "needed": "PASSED",
        "redundant": "PASSED",
        "false": "FAILED",
        "known-false": "PASSED",
        "vacuous": "FAILED",
        "open": "FAILED",
        "survivor": "FAILED",
        "raises": "FAILED",
        "refuses": "FAILED",
        "slow": "PASSED",
        "there": "PASSED",
        "not-there": "FAILED",
        "absent": "SKIPPED",
    }
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = "\n".join(result.outlines)
    assert "Traceback" not in text
    assert "Error" not in text.replace("RuntimeError: no luck (claims.py, line ", "")
    for lines in (
        # refuted without being expected: the counterexample, and what to write if it is right
        ["whole.false: REFUTED. A case that meets every premise violates it.", "  counterexample: n = 7"],
        ['  If this is the right answer, say so in the file: EXPECTED = {"whole.false": "REFUTED"}'],
        ["FAILED claims.py::whole::whole.false - REFUTED: n = 7"],
        # a mutant that survives is named
        ["    mutant 'negative' (n is negative) should come back refuted, and came back upheld"],
        # errors say why and where
        ["  tested: ERROR: RuntimeError: no luck (claims.py, line *)"],
        ["whole.refuses: there is no device 'abacus'; use cpu"],
        ["whole.vacuous: VACUOUS. No case that was tried meets its premises, so nothing was tested."],
        ["whole.open: UNDECIDED. No check could decide it."],
        ["whole.not-there: NOT SUPPORTED. What was measured does not meet its criterion."],
        ["  criterion: SUPPORTED if it is there"],
        ["SKIPPED * whole.absent: needs no_such_module*"],
        # the audit of premises
        ["    premise 'positive' is needed: without it n = *"],
        ["*PremiseWarning: whole.redundant: premise 'positive' is not shown to be needed"],
        # the table
        ["claim              verdict        known by"],
        ["whole.known-false  REFUTED        tested (as expected)"],
        ["whole.holds        HOLDS          tested", "    tested: 1 of 1 controls came back as they should"],
        ["whole.refuses      ERROR           (failed)"],
        ["headproof: 14 claims (quick): 3 ERROR, 4 HOLDS, 1 NOT RUN, *; 7 failed"],
    ):
        result.stdout.fnmatch_lines([line.replace("[", "[[]") for line in lines])
    assert log(pytester).count("measured") == 1  # one measurement for its two claims


def test_a_redundant_premise_fails_where_warnings_are_errors(run: Run) -> None:
    strict = "error::headproof.pytest_plugin.PremiseWarning"
    result = run("-W", strict, "--headproof-claims", "claims.py", f"{NODE}redundant", f"{NODE}needed")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["whole.redundant: premise 'positive' is not shown to be needed"])
    assert "Traceback" not in result.stdout.str()


def test_what_takes_too_long_is_stopped(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMS_SLEEP", "250")
    result = run("--headproof-claims", "claims.py", "--headproof-time-limit", "1.5", "-q", f"{NODE}slow")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  tested: ERROR: stopped after the limit of 1.5 s a claim"])


# -- how claims are named and chosen -------------------------------------------------------------------------------


def test_choosing_claims_and_one_line_with_q(run: Run) -> None:
    result = run("--headproof-claims", "claims.py", "-q", "-k", "known or holds")
    assert result.parseoutcomes() == {"passed": 2, "deselected": 12}
    lines = [line for line in result.outlines if "headproof" in line or "claim" in line]
    assert lines == ["headproof: 2 claims (quick): 1 HOLDS, 1 REFUTED; 0 failed"]


def test_collecting_decides_nothing(run: Run, pytester: pytest.Pytester) -> None:
    result = run("--headproof-claims", "claims.py", "--collect-only", "-q")
    nodes = [line for line in result.outlines if "::" in line]
    assert nodes[0] == f"{NODE}holds"
    assert len(nodes) == 14
    assert log(pytester) == []
    assert "headproof:" not in result.stdout.str()


@pytest.mark.slow
def test_the_settings_name_claims_once(run: Run, pytester: pytest.Pytester) -> None:
    """`pytest` runs tests and claims, a named test alone; -m tells them apart; the command line has the last word."""
    pytester.makefile(".ini", pytest="[pytest]\nheadproof_claims = claims.py\ntestpaths = tests\n")
    tests = pytester.mkdir("tests")
    (tests / "test_a.py").write_text("def test_a():\n    pass\n")
    (pytester.path / "other.py").write_text("from claims import topic\n")

    def collected(*arguments: str) -> list[str]:
        return [line for line in run("--collect-only", "-q", *arguments).outlines if "::" in line]

    assert collected()[:2] == ["tests/test_a.py::test_a", f"{NODE}holds"]
    assert collected("tests/test_a.py") == ["tests/test_a.py::test_a"]
    assert collected("-m", "not headproof") == ["tests/test_a.py::test_a"]
    assert collected(f"{NODE}open") == [f"{NODE}open"]
    assert {line.split("::")[0] for line in collected("--headproof-claims", "other.py")} == {"other.py"}
    beside = collected("--headproof-claims", "other.py", "tests")
    assert {line.split("::")[0] for line in beside} == {"tests/test_a.py", "other.py"}


def test_a_test_file_can_hold_claims_too(run: Run, pytester: pytest.Pytester) -> None:
    text = CLAIMS.read_text("utf-8") + "\n\ndef test_beside():\n    assert topic.name == 'whole'\n"
    (pytester.path / "test_both.py").write_text(text)
    nodes = [
        line for line in run("--headproof-claims", "test_both.py", "--collect-only", "-q").outlines if "::" in line
    ]
    assert sorted(nodes)[0] == "test_both.py::test_beside"
    assert len(nodes) == 15


@pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
@pytest.mark.slow
def test_workers_of_xdist_share_the_claims(run: Run) -> None:
    chosen = [f"{NODE}{name}" for name in ("holds", "false", "known-false", "absent")]
    result = run("--headproof-claims", "claims.py", "-n", "2", *chosen)
    result.assert_outcomes(passed=2, failed=1, skipped=1)
    lines = result.outlines
    start = lines.index("claim              verdict        known by")
    assert [line.split()[0] for line in lines[start + 1 : start + 5]] == [
        f"whole.{name}" for name in ("absent", "false", "holds", "known-false")
    ]
    result.stdout.fnmatch_lines(["  counterexample: n = 7"])


# -- bad input -----------------------------------------------------------------------------------------------------

FAULTY = {
    "broken.py": ("x = 1\nimport no_such_package\n", "does not import: ModuleNotFoundError: * (line 2)"),
    "syntax.py": ("def (:\n", "does not import: SyntaxError: *"),
    "leaves.py": ("import sys\nsys.exit(3)\n", "does not import: SystemExit: 3 (line 2)"),
    "empty.py": ("x = 1\n", "defines no Topic*"),
    "idle.py": (
        "from dataclasses import replace\nfrom claims import topic\ntopic = replace(topic, checks=())\n",
        "does not import: topic whole has no check for its claim whole.* (line 3)",
    ),
    "astray.py": (
        "from claims import topic\nEXPECTED = {'whole.hold': 'HOLDS'}\n",
        ": 'whole.hold'; did you mean whole.holds[?]",
    ),
    "wished.py": (
        "from claims import topic\nEXPECTED = {'whole.holds': 'ERROR'}\n",
        "EXPECTED has 'ERROR' for whole.holds; use HOLDS, *",
    ),
    "listed.py": ("from claims import topic\nEXPECTED = ['whole.holds']\n", "EXPECTED is a list; *"),
    "below/decimal.py": ("", "cannot be imported as decimal, which is *; rename the file*"),
    "two-words.py": ("", "is no name to import; use letters*"),
}


def test_a_file_that_brings_nothing_gets_one_line(run: Run, pytester: pytest.Pytester) -> None:
    for name, (text, _) in FAULTY.items():
        (pytester.path / name).parent.mkdir(exist_ok=True)
        (pytester.path / name).write_text(text)
    named = [word for name in FAULTY for word in ("--headproof-claims", name)]
    result = run(*named, "--headproof-claims", "claims.py:nothing", "--collect-only")
    result.assert_outcomes(errors=len(FAULTY) + 1)
    for name, (_, line) in FAULTY.items():
        result.stdout.fnmatch_lines([f"*ERROR collecting {name}*", f"*{Path(name).name}*{line}"])
    result.stdout.fnmatch_lines(["claims.py has no Topic named nothing"])
    assert "Traceback" not in result.stdout.str()


def configured(folder: Path, **said: Any) -> pytest.Config:
    """As much of pytest's configuration as the plugin asks for."""
    options: dict[str, Any] = {
        "headproof_claims": ["claims.py"],
        "headproof_effort": "quick",
        "headproof_seed": "0",
        "headproof_time_limit": "600",
        "headproof_ledger": None,
    }
    config: Any = SimpleNamespace(
        getoption=(options | said).__getitem__,
        getini=lambda name: "",
        invocation_params=SimpleNamespace(dir=folder),
        inipath=None,
        rootpath=folder,
        addinivalue_line=lambda *_: None,
    )
    return config  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("claims", ["nowhere.py"], "there is no file 'nowhere.py'"),
        ("claims", ["no_such.module"], "there is no module 'no_such.module'"),
        ("claims", ["a folder"], "there is no file 'a folder'"),
        ("effort", "half", "unknown effort 'half'; use quick or full"),
        ("seed", "-1", "--headproof-seed '-1' is not a whole number from 0"),
        ("time_limit", "soon", "--headproof-time-limit 'soon' is not a number of seconds from 1"),
        ("time_limit", "0.5", "--headproof-time-limit '0.5' is not a number of seconds from 1"),
        ("ledger", "no.json", "the ledger no.json is not there for effort quick; headproof check "),
        ("ledger", "claims.py", "cannot read the ledger "),
        ("ledger", "full.json", "the ledger full.json has no section for effort quick; headproof check "),
    ],
)
def test_bad_settings_are_told_before_anything_runs(option: str, value: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "claims.py").write_text("")
    (tmp_path / "full.json").write_text("{}")
    with pytest.raises(pytest.UsageError, match=f"^.*{re.escape(message)}"):
        pytest_plugin.pytest_configure(configured(tmp_path, **{f"headproof_{option}": value}))


def test_a_bad_setting_ends_pytest_with_one_line(run: Run) -> None:
    result = run("--headproof-claims", "claims.py", "--headproof-seed", "many")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == "ERROR: --headproof-seed 'many' is not a whole number from 0"
    assert "Traceback" not in result.stderr.str()


# -- expected results ----------------------------------------------------------------------------------------------


def whole_topic() -> Topic:
    return given(Place.of(str(CLAIMS), CLAIMS.parent)).topics[0]


@pytest.fixture
def expected() -> dict[str, Any]:
    """A report of three claims, as `headproof check --ledger` keeps it."""
    chosen = [f"whole.{name}" for name in ("holds", "false", "redundant")]
    return reports.assemble([decide_claim(name, Context(), whole_topic()) for name in chosen], Context(), [], None)


@pytest.mark.slow
def test_a_ledger_says_what_is_expected(run: Run, pytester: pytest.Pytester, expected: dict[str, Any]) -> None:
    """What agrees passes, a refutation and a premise that the ledger knows among it; what differs is printed."""
    chosen = [f"{NODE}{name}" for name in ("holds", "false", "redundant", "known-false")]
    ledger.write(expected, pytester.path / "mine.json")
    result = run("--headproof-claims", "claims.py", "--headproof-ledger", "mine.json", *chosen)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["  claim: absent -> REFUTED"])
    assert "PremiseWarning" not in result.stdout.str()

    other = json.loads(json.dumps(expected))
    holds, false, redundant = other["claims"]
    holds["findings"][0]["tier"] = "exact"
    false["verdict"] = false["findings"][0]["verdict"] = "HOLDS"
    redundant["findings"][0]["controls"][0]["outcome"] = "upheld"
    ledger.write(other, pytester.path / "other.json")
    pytester.makefile(".ini", pytest="[pytest]\nheadproof_ledger = other.json\n")
    result = run("--headproof-claims", "claims.py", *chosen[:3])
    result.assert_outcomes(failed=3)
    for line in (
        "  tier exact: HOLDS -> absent",
        "whole.false: REFUTED, but differs from the ledger",
        "  verdict: HOLDS -> REFUTED",
        "  control, tested: 'negative': upheld -> refuted",
        "FAILED claims.py::whole::whole.false - REFUTED, verdict: HOLDS -> REFUTED (ledger -> this run)",
    ):
        result.stdout.fnmatch_lines([line])


@pytest.mark.parametrize("change", [{"seed": 1}, {"device": "cuda"}, {"verdict": "NOT RUN"}, {"id": "whole.other"}])
def test_a_ledger_excuses_only_what_it_was_compared_with(change: dict[str, Any], expected: dict[str, Any]) -> None:
    """Measured with another seed or device, not run, or not in it: then the verdict must be good by itself."""
    whole = whole_topic()
    (record, _) = decide_measurement(whole.measurements[0], Context(), whole).values()
    written = {**expected, "claims": [{**record, "verdict": "NOT SUPPORTED"}]}
    assert claims_with(written).compared(record)
    for key, value in change.items():
        if key in ("seed", "device"):
            written[key] = value
        else:
            written["claims"][0][key] = value
    assert not claims_with(written).compared(record)
    assert not claims_with(None).compared(record)


def claims_with(report: dict[str, Any] | None) -> pytest_plugin.Claims:
    return pytest_plugin.Claims((), Context(), Worker(Context(), 1, 1), report)


def test_a_verdict_that_is_not_the_expected_one_fails() -> None:
    (claim, *_) = whole_topic().claims
    record = decide_claim(claim.id, Context(), whole_topic())
    assert pytest_telling.fault(claim, record, "", [], False) is None
    assert pytest_telling.fault(claim, record, "HOLDS", [], False) is None
    failed = pytest_telling.fault(claim, record, "REFUTED", [], False)
    assert failed is not None
    assert failed.headline == "HOLDS (EXPECTED REFUTED)"
    assert failed.lines[0] == "whole.holds: HOLDS, EXPECTED REFUTED"


def test_an_expected_error_is_still_an_error() -> None:
    """A mutant that survives is never as it should be, whatever is expected of the claim."""
    claim = next(each for each in whole_topic().claims if each.id == "whole.survivor")
    record = decide_claim(claim.id, Context(), whole_topic())
    assert record["verdict"] == Verdict.ERROR
    assert pytest_telling.fault(claim, record, "HOLDS", [], True) is not None


# -- topics that are not installed ---------------------------------------------------------------------------------


def test_a_topic_can_be_decided_that_is_not_installed() -> None:
    topic = whole_topic()
    record = decide_claim("whole.false", Context(), topic)
    assert record["findings"][0]["counterexample"] == {"n": 7}
    with pytest.raises(InputError, match=r"unknown claim 'whole\.false'"):
        decide_claim("whole.false", Context())


@pytest.mark.parametrize(("text", "name"), [("package/claims.py", ""), ("package.claims:topic", "topic")])
def test_files_and_modules_of_a_package(text: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a package is imported as its module, so that it can import its neighbours."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "neighbour.py").write_text("SAID = 'HOLDS'\n")
    (package / "claims.py").write_text(
        CLAIMS.read_text("utf-8") + "\n\nfrom .neighbour import SAID\nEXPECTED = {'whole.holds': SAID}\n"
    )
    for module in ("package", "package.claims", "package.neighbour"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys, "path", [*([str(tmp_path)] if name else []), *sys.path])
    place = Place.of(text, tmp_path)
    assert (place.file, place.name) == (package / "claims.py", name)
    brought = given(place)
    assert [topic.name for topic in brought.topics] == ["whole"]
    assert brought.expected == {"whole.holds": Verdict.HOLDS}
    assert sys.modules["package.claims"].topic is brought.topics[0]
    for module in ("package", "package.claims", "package.neighbour"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def test_a_claim_of_two_topics_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from plugin_claims import topic\nimport copy\nother = copy.copy(topic)\n"
    (tmp_path / "twice_the_same.py").write_text(text)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(InputError, match=r"claim whole\.holds is brought by two topics"):
        given(Place.of("twice_the_same.py", tmp_path))
    assert [topic.name for topic in given(Place.of("twice_the_same.py:other", tmp_path)).topics] == ["whole"]


# -- cost ----------------------------------------------------------------------------------------------------------

HEAVY = ("numpy", "sympy", "hypothesis.core", "rich", "headproof.theory", "headproof.checks", "headproof.running")


def test_loading_the_plugin_imports_nothing_heavy(tmp_path: Path) -> None:
    """pytest loads it in every run of every project, so also in one that has no claims."""
    code = f"import sys, headproof.pytest_plugin; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    (tmp_path / "test_a.py").write_text(
        f"import sys\n\ndef test_a():\n    assert [m for m in {HEAVY} if m in sys.modules] == []\n"
    )
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "headproof.pytest_plugin"]
    done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_given_report_is_left_as_it_is(expected: dict[str, Any]) -> None:
    """Comparing changes neither side."""
    before = copy.deepcopy(expected)
    claims = pytest_plugin.Claims((), Context(), SimpleNamespace(), expected)  # type: ignore[arg-type]
    assert claims.differences(expected["claims"][0]) == []
    assert expected == before
