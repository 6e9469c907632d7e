"""Deciding: no check, measurement or witness passes for what it does not show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from plugin_claims import SOURCE, Whole, says, searched

from headproof.checks.deciding import decide_claim, decide_measurement
from headproof.checks.engines.decision import Decision, Number
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Statement, Tier, Verdict
from headproof.theory.errors import InputError

SQUARE = says(lambda case: case.n**2 >= case.n)
NEGATIVE = Mutant("negative", "n is negative", says(lambda case: case.n < 0))
RIGHT = Check("w.claim", Tier.TESTED, searched)


def a_claim(statement: Statement | None = SQUARE, **more: Any) -> Claim:
    given = {"kind": Kind.THEOREM, "mutants": (NEGATIVE,)} | more
    return Claim(
        id="w.claim", fidelity=Fidelity.OURS, title="t", source=SOURCE, latex="n", sentence="s", domain="d",
        statement=statement, **given,
    )  # fmt: skip


def decided(*checks: Check, claim: Claim | None = None) -> dict[str, Any]:
    topic = Topic("w", "W", (claim or a_claim(),), checks)
    return decide_claim("w.claim", Context(), topic)


def answering(verdict: Any, tier: Tier = Tier.PROOF) -> Check:
    return Check("w.claim", tier, lambda statement, context: Decision(verdict, "d", summary="as always"), "other")


# -- checks of statements ------------------------------------------------------------------------------------------


def test_a_check_that_was_not_run_decides_nothing() -> None:
    record = decided(answering(Verdict.NOT_RUN))
    assert record["verdict"] == Verdict.NOT_RUN
    assert record["findings"][0]["controls"] == []
    both = decided(answering(Verdict.NOT_RUN), RIGHT)
    assert both["verdict"] == Verdict.HOLDS
    assert [finding["verdict"] for finding in both["findings"]] == [Verdict.NOT_RUN, Verdict.HOLDS]


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED])
def test_a_statement_is_not_supported_but_holds(verdict: Verdict) -> None:
    record = decided(answering(verdict))
    assert record["verdict"] == Verdict.ERROR
    assert (
        "about measurements" in record["findings"][0]["summary"] or "control failed" in record["findings"][0]["summary"]
    )


@pytest.mark.parametrize("on_mutants", [Verdict.NOT_RUN, Verdict.VACUOUS, Verdict.SUPPORTED, Verdict.HOLDS])
def test_a_proof_must_be_rejected_for_its_mutants(on_mutants: Verdict) -> None:
    def decide(statement: Statement, context: Context) -> Decision:
        return Decision(Verdict.HOLDS if statement is SQUARE else on_mutants, "d")

    record = decided(Check("w.claim", Tier.PROOF, decide))
    assert record["verdict"] == Verdict.ERROR
    assert "control failed: mutant 'negative'" in record["findings"][0]["summary"]


def test_a_rejected_proof_of_a_mutant_is_a_control_met() -> None:
    def decide(statement: Statement, context: Context) -> Decision:
        return Decision(Verdict.HOLDS if statement is SQUARE else Verdict.UNDECIDED, "d")

    assert decided(Check("w.claim", Tier.PROOF, decide))["verdict"] == Verdict.HOLDS


def test_a_verdict_as_text_is_checked_all_the_same() -> None:
    def decide(statement: Statement, context: Context) -> Decision:
        if statement is SQUARE:
            return Decision("REFUTED", "d", Whole(3))  # type: ignore[arg-type]
        return searched(statement, context)

    record = decided(Check("w.claim", Tier.TESTED, decide))
    assert record["verdict"] == Verdict.ERROR
    assert "does not refute" in record["findings"][0]["summary"]
    with pytest.raises(ValueError, match="MAYBE"):
        Decision("MAYBE", "d")  # type: ignore[arg-type]


def test_a_witness_that_refutes_its_claim_is_told() -> None:
    blind = Statement(Whole, (), lambda case: case.n <= 9, ratio=lambda case: Fraction(case.n, 9))
    large = a_claim(blind, witness=Whole(12))
    with pytest.raises(AssertionError, match="fails at its own sharpness witness n = 12"):
        decided(RIGHT, claim=large)
    assert decided(RIGHT, claim=replace(large, witness=Whole(9)))["sharpness"]["ratio"] == "1"


def test_a_repaired_claim_must_fail() -> None:
    repaired = replace(a_claim(), id="w.repaired")
    claim = a_claim(repair="w.repaired", survives="all", mutants=())
    topic = Topic("w", "W", (claim, repaired), (RIGHT, Check("w.repaired", Tier.TESTED, searched)))
    with pytest.raises(AssertionError, match="holds, and yet"):
        decide_claim("w.claim", Context(), topic)


def test_a_mutant_that_is_to_be_refuted_is_asked_for() -> None:
    stronger = replace(NEGATIVE, stronger=True)
    with pytest.raises(InputError, match="no mutants that are to be refuted"):
        Topic("w", "W", (a_claim(mutants=(stronger,)),), (RIGHT,))


# -- measurements --------------------------------------------------------------------------------------------------


def measured(verdict: Verdict, value: float, controls: tuple[bool, ...] = (True,), name: str = "r", **more: Any) -> Any:
    empirical = {"kind": Kind.EMPIRICAL, "mutants": (), "criterion": "r below -0.5"}
    claim = a_claim(None, **(empirical | {"supported_by": lambda numbers: numbers["r"] < -0.5} | more))

    def measure(context: Context) -> Mapping[str, Decision]:
        seen = [{"mutant": "m", "expected": "refuted", "outcome": "?", "passed": each} for each in controls]
        return {"w.claim": Decision(verdict, "d", numbers={name: Number(value)}, details={"controls": seen})}

    measurement = Measurement("m", ("w.claim",), measure, needs=())
    topic = Topic("w", "W", (claim,), (), (measurement,))
    return decide_measurement(measurement, Context(), topic)["w.claim"]


def test_a_measurement_that_says_what_its_numbers_say() -> None:
    assert measured(Verdict.SUPPORTED, -0.9)["verdict"] == Verdict.SUPPORTED
    assert measured(Verdict.NOT_SUPPORTED, 0.9)["verdict"] == Verdict.NOT_SUPPORTED
    assert measured(Verdict.NOT_SUPPORTED, -0.9, (True, False))["verdict"] == Verdict.NOT_SUPPORTED
    assert measured(Verdict.NOT_RUN, 0.0)["verdict"] == Verdict.NOT_RUN


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((Verdict.SUPPORTED, 0.9), "do not meet the criterion"),
        ((Verdict.SUPPORTED, -0.9, (True, False)), "do not meet the criterion"),
        ((Verdict.NOT_SUPPORTED, -0.9), "meet the criterion"),
        ((Verdict.HOLDS, -0.9), "said to be HOLDS"),
        ((Verdict.SUPPORTED, -0.9, (), "s"), "asks for 'r', which is not reported"),
    ],
)
def test_a_verdict_that_the_numbers_do_not_bear_is_an_error(given: Any, said: str) -> None:
    record = measured(*given)
    assert record["verdict"] == Verdict.ERROR
    assert said in record["findings"][0]["summary"]


def test_a_criterion_is_a_predicate() -> None:
    record = measured(Verdict.SUPPORTED, -0.9, supported_by=None)
    assert record["verdict"] == Verdict.ERROR
    assert "no supported_by" in record["findings"][0]["summary"]
