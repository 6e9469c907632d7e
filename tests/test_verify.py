"""The independent checker: it accepts what is true, rejects every forgery, and uses no search code."""

from __future__ import annotations

import ast
import copy
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from headproof.checks import ledger, verify
from headproof.checks.verify import verify_report

Change = Callable[[dict[str, Any]], None]
REFUTED = "dec.definitions.uniform.earlier-keys"


@pytest.fixture(scope="module")
def true_report() -> dict[str, Any]:
    return ledger.require_expected("quick")


def rejected(report: dict[str, Any]) -> list[str]:
    return [f"{item.claim}: {item.what}" for item in verify_report(report) if item.accepted is False]


def forged(report: dict[str, Any], claim: str, change: Change) -> list[str]:
    (record,) = (record for record in report["claims"] if record["id"] == claim)
    other = copy.deepcopy({**report, "claims": [record]})
    change(other["claims"][0])
    return rejected(other)


def control(record: dict[str, Any], tier: str, mutant: str) -> dict[str, Any]:
    (finding,) = (each for each in record["findings"] if each["tier"] == tier and not each["name"])
    (found,) = (each for each in finding["controls"] if each["mutant"] == mutant)
    return found


def by_tier(record: dict[str, Any], tier: str) -> dict[str, Any]:
    return next(each for each in record["findings"] if each["tier"] == tier)


def test_the_ledger_re_verifies(true_report: dict[str, Any]) -> None:
    assert rejected(true_report) == []
    items = verify_report(true_report)
    assert sum(item.accepted is True for item in items) > 100
    # A report cannot show that a search found nothing; that is said and not passed over.
    assert any(item.accepted is None for item in items)


FORGERIES: list[tuple[str, Change, str]] = [
    (REFUTED, lambda r: by_tier(r, "exact").update(counterexample={"rows": [["0"]], "own": "0"}), "exact: REFUTED"),
    (REFUTED, lambda r: by_tier(r, "exact").update(counterexample={"rows": [["0", "1"], ["0", "0"]], "own": "0"}),
     "exact: REFUTED"),
    (REFUTED, lambda r: by_tier(r, "exact").update(counterexample=None), "exact: REFUTED"),
    (REFUTED, lambda r: by_tier(r, "exact").update(counterexample={"rows": [[0.5]]}), "exact: REFUTED"),
    (REFUTED, lambda r: by_tier(r, "exact").update(counterexample={"rows": "no"}), "exact: REFUTED"),
    (REFUTED, lambda r: by_tier(r, "exact").update(counterexample={"own": "1"}), "exact: REFUTED"),
    (REFUTED, lambda r: r.update(verdict="HOLDS"), "verdict follows from the findings"),
    ("dec.thm1", lambda r: r.update(verdict="REFUTED"), "verdict follows from the findings"),
    ("dec.thm1", lambda r: r.update(findings=[]), "verdict follows from the findings"),
    ("dec.thm1", lambda r: r["sharpness"].update(ratio="2"), "sharpness"),
    ("dec.thm1", lambda r: r["sharpness"].update(case={"rows": [["1"]]}), "sharpness"),
    ("dec.thm1", lambda r: r["premises"][0].update(case={"rows": [["0", "0"], ["0", "1"]]}), "premise"),
    ("dec.thm1", lambda r: r["premises"][0].update(name="invented"), "premise"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(case={"rows": [["0"]]}), "mutant 'halved'"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(mutant="invented"), "mutant 'invented'"),
    ("dec.thm1", lambda r: control(r, "proof", "halved").update(outcome="upheld"), "mutant 'halved'"),
    ("dec.thm1", lambda r: control(r, "proof", "cyclic shifts").update(outcome="rejected"), "mutant 'cyclic shifts'"),
    ("dec.thm1", lambda r: by_tier(r, "proof").update(domain="everything there is"), "proof: HOLDS"),
    ("dec.thm7.u-shape.range", lambda r: by_tier(r, "proof").update(domain="complex angles too"), "proof: HOLDS"),
    (REFUTED, lambda r: by_tier(r, "exact").update(tier="proof", verdict="HOLDS"), "findings"),
    (REFUTED, lambda r: by_tier(r, "exact").update(tier="kernel", verdict="HOLDS"), "findings"),
    (REFUTED, lambda r: [f.update(verdict="HOLDS", counterexample=None) for f in r["findings"]]
     and r.update(verdict="HOLDS"), "verdict follows from the findings"),
    (REFUTED, lambda r: by_tier(r, "exact").update(counterexample_text="M = [[7]]"), "exact: REFUTED"),
    ("dec.thm1", lambda r: by_tier(r, "exact").update(tier="certified"), "findings"),
    ("dec.thm1", lambda r: by_tier(r, "exact").update(controls=[]), "exact: controls"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(outcome="upheld", case=None), "mutant 'halved'"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(expected="upheld"), "mutant 'halved'"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(passed=False), "mutant 'halved'"),
    ("dec.thm1", lambda r: r["sharpness"].update(ratio="1/2", case={"rows": [["0", "0"], ["1", "1"]]}), "sharpness"),
    ("dec.thm1", lambda r: r["premises"].clear(), "premises"),
    ("dec.thm1", lambda r: r["premises"][0].update(status="redundant", case=None), "premise"),
    ("dec.thm1", lambda r: r.update(title="Var <= bound / 2"), "its words are the claim's"),
    ("dec.thm1", lambda r: r.update(domain="every complex table"), "its words are the claim's"),
    ("dec.thm1", lambda r: r.update(verdict="SUPPORTED"), "verdict follows from the findings"),
    ("dec.thm1", lambda r: r["premises"][0].update(case={"rows": [["1e300000000"]]}), "premise"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(case={"rows": [["0"] * 12] * 12}), "mutant 'halved'"),
    ("dec.thm1", lambda r: r["premises"].append({**r["premises"][0], "status": "not shown to be needed", "case": None}),
     "premises"),
    ("dec.thm1", lambda r: r["premises"][0].update(sentence="another"), "premises"),
    ("dec.thm1", lambda r: r["premises"][0]["case"].update(chosen=[[0.6, 1.6]]), "premise"),
    ("dec.thm1", lambda r: r["premises"][0]["case"].update(note="hello"), "premise"),
    ("dec.thm1", lambda r: r["premises"][0].update(case={"rows": {"0": "x"}, "chosen": [[0]]}), "premise"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(
        case={"rows": [["0"] * 12] * 12, "chosen": [list(range(12))]}), "mutant 'halved'"),
    ("dec.thm1", lambda r: control(r, "proof", "halved").update(case={"rows": [["0"]]}), "mutant 'halved'"),
    ("dec.thm1", lambda r: control(r, "exact", "halved").update(title="something else"), "mutant 'halved'"),
    ("dec.thm1", lambda r: by_tier(r, "exact").update(counterexample_text="M = [[0]]"), "exact: HOLDS"),
    ("dec.thm1", lambda r: by_tier(r, "exact").update(verdict="SUPPORTED"), "exact: SUPPORTED"),
    ("dec.thm1", lambda r: by_tier(r, "proof").update(verdict="UNDECIDED"), "proof: UNDECIDED"),
    ("dec.thm1", lambda r: r.update(source={"key": "DYN", "place": "theorem 99"}), "its words are the claim's"),
    ("dec.thm1", lambda r: r.update(remarks=["accepted by a kernel"]), "its words are the claim's"),
    ("dec.thm1", lambda r: r.update(sharpness=None), "sharpness"),
    ("dec.thm1", lambda r: r["findings"].pop(0), "findings"),
    ("dec.thm1.ratio-on-heads", lambda r: r["findings"][0]["controls"].clear(), "measured: controls"),
    ("dec.thm1.ratio-on-heads", lambda r: r.update(kind="theorem", verdict="HOLDS"), "its words are the claim's"),
    ("dec.thm1.ratio-on-heads", lambda r: by_tier(r, "measured").update(verdict="REFUTED"), "measured: REFUTED"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "change", "what"), FORGERIES)
def test_a_forgery_is_rejected(true_report: dict[str, Any], claim: str, change: Change, what: str) -> None:
    found = forged(true_report, claim, change)
    assert any(line.startswith(f"{claim}: ") and what in line for line in found), found


def test_a_claim_that_nobody_brings_is_rejected(true_report: dict[str, Any]) -> None:
    assert forged(true_report, "dec.thm1", lambda record: record.update(id="dec.unknown")) == ["dec.unknown: claim"]


def test_a_report_that_says_a_thing_twice_is_rejected(true_report: dict[str, Any]) -> None:
    twice = {**true_report, "claims": [*true_report["claims"], true_report["claims"][0]]}
    assert rejected(twice) == [f"{true_report['claims'][0]['id']}: claim"]


def measured(record: dict[str, Any], number: str, value: float) -> None:
    record["findings"][0]["numbers"][number]["value"] = value


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("dec.thm1.identity-on-heads", lambda r: measured(r, "largest residual over bound", 0.5)),
        ("dec.thm1.identity-on-heads", lambda r: r["findings"][0]["numbers"].clear()),
        ("dec.thm1.ratio-on-heads", lambda r: measured(r, "median ratio, trained - fresh, 2.5 %", 0.01)),
        ("dec.thm1.ratio-on-heads", lambda r: r.update(verdict="SUPPORTED")
         or r["findings"][0].update(verdict="SUPPORTED")),
    ],
)  # fmt: skip
def test_a_verdict_against_its_own_numbers_is_rejected(true_report: dict[str, Any], claim: str, change: Change) -> None:
    assert any("measured: " in line for line in forged(true_report, claim, change))


def test_an_empty_report_is_rejected(true_report: dict[str, Any]) -> None:
    assert rejected({**true_report, "claims": []}) == ["report: claims"]


def test_it_imports_no_search_code() -> None:
    tree = ast.parse(inspect.getsource(verify))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not {name for name in imported if name and "engines" in name} - {
        "headproof.checks.engines.decision",  # what an engine answers, and the criterion of a measurement: no search
        "headproof.checks.engines.symbolic",
    }
    assert "headproof.checks.deciding" not in imported
    assert len(inspect.getsource(verify).splitlines()) <= 200


def test_it_works_from_json_alone(true_report: dict[str, Any]) -> None:
    assert rejected(json.loads(json.dumps(true_report))) == []
