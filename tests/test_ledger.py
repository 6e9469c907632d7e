"""Reports, their comparison and the committed ledger: every kind of difference is found, and nothing else is one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headproof.checks import ledger, report
from headproof.checks.deciding import decide_claim
from headproof.checks.ledger import differences, not_compared
from headproof.checks.registry import Context, claims
from headproof.theory.errors import InputError

Change = Callable[[dict[str, Any]], None]


def base(*names: str) -> dict[str, Any]:
    records = [decide_claim(name, Context()) for name in names or ("dec.definitions.both-constant", "dec.thm1")]
    return json.loads(report.to_text(report.assemble(records, Context(), ["headproof"], None)))


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    return base()


SOME = {"name": "some model", "sha256": "aa"}


def measured(value: float = 0.5, tolerance: float = 0.1, model: Any = SOME) -> dict[str, Any]:
    """A report of one measured number."""
    made = base("dec.definitions.both-constant")
    record = made["claims"][0]
    record |= {"kind": "empirical", "verdict": "SUPPORTED", "premises": []}
    record["findings"] = [
        {**record["findings"][0], "tier": "measured", "verdict": "SUPPORTED", "controls": []}
        | {"numbers": {"median": {"value": value, "tolerance": tolerance}}, "details": {"model": model}}
    ]
    made["model"] = model
    report.validate(made, "the test's report")
    return made


def changed(of: dict[str, Any], change: Change) -> dict[str, Any]:
    other = copy.deepcopy(of)
    change(other)
    return other


def finding(data: dict[str, Any], claim: int = 1, place: int = 1) -> dict[str, Any]:
    """A finding of dec.thm1, by default that of the proof checker; the kernel's comes first."""
    return data["claims"][claim]["findings"][place]


def test_a_report_does_not_differ_from_itself(committed: dict[str, Any]) -> None:
    assert differences(committed, committed) == []


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda r: r["claims"][1].update(verdict="REFUTED"), "verdict"),
        (lambda r: finding(r).update(verdict="UNDECIDED"), "verdict, proof"),
        (lambda r: finding(r).update(domain="n = 2 only"), "domain, proof"),
        (lambda r: r["claims"][1]["findings"].pop(1), "tier proof"),
        (lambda r: r["claims"][1].update(sharpness=None), "sharpness"),
        (lambda r: r["claims"][1]["sharpness"].update(ratio="1/2"), "sharpness"),
        (lambda r: r["claims"][1]["premises"][0].update(status="redundant"), "premise every permutation"),
        (lambda r: r["claims"][1]["premises"].clear(), "premise every permutation"),
        (lambda r: finding(r, 1, 2)["controls"][0].update(outcome="upheld"), "control, exact: 'halved'"),
        (lambda r: finding(r, 1, 2)["controls"].pop(0), "control, exact: 'halved'"),
        (lambda r: finding(r)["numbers"].update(n={"value": 1, "tolerance": 0}), "number 'n'"),
    ],
)
def test_every_kind_of_difference_is_found(committed: dict[str, Any], change: Change, what: str) -> None:
    found = differences(committed, changed(committed, change))
    assert [each.what for each in found] == [what]
    assert found[0].claim == "dec.thm1"
    back = differences(changed(committed, change), committed)
    assert [each.what for each in back] == [what]


@pytest.mark.parametrize(
    "change",
    [
        lambda r: finding(r).update(seconds=99.0),
        lambda r: r["claims"].pop(0),
        lambda r: r["claims"][0].update(verdict="NOT RUN"),
        lambda r: r["versions"].update(numpy="0"),
        lambda r: r.update(command=["another"], headproof="9"),
        lambda r: finding(r, 1, 1).update(counterexample={"rows": [["1"]]}, summary="other words"),
    ],
)
def test_what_is_no_difference(committed: dict[str, Any], change: Change) -> None:
    assert differences(committed, changed(committed, change)) == []


def test_a_claim_that_the_ledger_lacks_is_a_difference(committed: dict[str, Any]) -> None:
    before = changed(committed, lambda r: r["claims"].pop(1))
    assert [str(each) for each in differences(before, committed)] == ["dec.thm1: claim: absent -> HOLDS"]


def test_numbers_are_compared_within_their_tolerance() -> None:
    assert differences(measured(0.5), measured(0.59)) == []
    (found,) = differences(measured(0.5), measured(0.61))
    assert found.what == "number 'median' (tolerance 0.1)"
    assert (found.before, found.after) == ("0.5", "0.61")


@pytest.mark.parametrize(
    "other",
    [
        measured(0.9) | {"seed": 1},
        measured(0.9) | {"device": "cuda"},
        measured(0.9, model={"name": "other", "sha256": "bb"}),
    ],
)
def test_measurements_in_another_setting_are_not_compared(other: dict[str, Any]) -> None:
    assert differences(measured(0.5), other) == []
    assert not_compared(measured(0.5), other) == ["dec.definitions.both-constant"]
    assert not_compared(measured(0.5), measured(0.9)) == []


def test_claims_that_measured_no_model_are_compared_whatever_the_others_measured() -> None:
    """Toys are trained: a run that asks for them alone names no model."""
    alone = changed(measured(0.9), lambda report: finding(report, 0, 0).update(details={})) | {"model": None}
    assert len(differences(measured(0.5), alone)) == 1
    assert not_compared(measured(0.5), alone) == []


# -- the committed ledger ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("effort", ["quick", "full"])
def test_the_ledger_is_valid_and_whole(effort: str) -> None:
    expected = ledger.require_expected(effort)
    ours = {name for name in claims() if not name.startswith("stranger")}
    assert {record["id"] for record in expected["claims"]} == ours
    for record in expected["claims"]:
        assert record["verdict"] not in ("ERROR", "UNDECIDED", "VACUOUS")
        # What is printed for a model that is not at hand is not run, and nothing else.
        assert (record["verdict"] == "NOT RUN") is record["id"].endswith(".printed")
        # A null that meets a measured claim's criterion, too, is a reason why it is not supported.
        if record["verdict"] != "NOT SUPPORTED":
            assert all(control["passed"] for each in record["findings"] for control in each["controls"])
        assert all(each["seconds"] == 0 for each in record["findings"])
        claim = claims()[record["id"]]
        assert (record["title"], record["domain"]) == (claim.title, claim.domain), "make ledger"
        assert record["repair"] == claim.repair


def test_a_refuted_claim_points_to_a_repair_that_holds() -> None:
    verdicts = {record["id"]: record for record in ledger.require_expected("quick")["claims"]}
    refuted = [record for record in verdicts.values() if record["verdict"] == "REFUTED"]
    assert refuted
    for record in refuted:
        assert verdicts[record["repair"]]["verdict"] == "HOLDS"
        assert record["survives"]


def test_updating_keeps_what_was_not_run(
    committed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "ledger_path", lambda: tmp_path / "ledger.json")
    assert ledger.expected("quick") is None
    with pytest.raises(InputError, match="no section for effort 'quick'"):
        ledger.require_expected("quick")
    ledger.write(committed)
    partial = changed(committed, lambda r: r["claims"].pop(0))
    partial["claims"][0]["verdict"] = "NOT RUN"
    ledger.write(partial)
    kept = ledger.require_expected("quick")
    assert [record["verdict"] for record in kept["claims"]] == ["HOLDS", "HOLDS"]
    assert differences(kept, committed) == []
    assert ledger.expected("full") is None


# -- reading reports -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100000, "is not JSON"),
        ("[]", "declares schema None"),
        ('{"schema": "headproof-report-99"}', "declares schema 'headproof-report-99'"),
        ('{"schema": "headproof-report-1"}', "is not a report: at \\$"),
    ],
)
def test_what_is_no_report_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(InputError, match=message):
        report.read(tmp_path / "r.json")


def test_a_missing_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read report .*nothing\.json: No such file"):
        report.read(tmp_path / "nothing.json")


def test_reports_hold_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        report.to_text(measured(float("nan")))


@pytest.mark.parametrize("field", ["schema", "effort", "seed", "claims", "model"])
def test_the_schema_asks_for_every_field(committed: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError):
        report.validate(changed(committed, lambda r: r.pop(field)), "test")
