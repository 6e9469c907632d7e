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


def answering(verdict: Any, tier: Tier = Tier.EXACT) -> Check:
    return Check("w.claim", tier, lambda statement, context: Decision(verdict, "d", summary="as always"), "other")


# -- checks of statements ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, Verdict.NOT_RUN])
def test_what_is_no_decision_on_a_statement_is_an_error(verdict: Verdict) -> None:
    """A check that answers so would otherwise shed its controls, and another one's word would be all."""
    record = decided(answering(verdict), RIGHT)
    assert record["verdict"] == Verdict.ERROR
    summary = record["findings"][0]["summary"]
    assert "no decision" in summary or "control failed" in summary


@pytest.mark.parametrize("tier", [Tier.PROOF, Tier.KERNEL])
def test_a_check_does_not_speak_for_the_proof_checker_or_the_kernel(tier: Tier) -> None:
    """What a topic's own check says under these tiers is not asked for: the claim's proof is, and its formal file."""

    def decide(statement: Statement, context: Context) -> Decision:
        control = {
            "mutant": "m",
            "title": "",
            "expected": "refuted",
            "outcome": "rejected",
            "passed": True,
            "case": None,
        }
        verdict = Verdict.HOLDS if statement is SQUARE else Verdict.UNDECIDED
        return Decision(verdict, "d", details={"controls": [control]})

    record = decided(Check("w.claim", tier, decide), RIGHT)
    assert record["verdict"] == Verdict.ERROR
    assert ("no proof" if tier is Tier.PROOF else "no formal file") in record["findings"][0]["summary"]


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
    declared = tuple(f"m{number}" for number in range(len(controls)))
    empirical = {"kind": Kind.EMPIRICAL, "mutants": (), "criterion": "r below -0.5", "controls": declared}
    claim = a_claim(None, **(empirical | {"supported_by": lambda numbers: numbers["r"] < -0.5} | more))

    def measure(context: Context) -> Mapping[str, Decision]:
        seen = [
            {"mutant": f"m{number}", "expected": "refuted", "outcome": "?", "passed": each}
            for number, each in enumerate(controls)
        ]
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


def test_the_controls_of_a_measurement_are_those_of_its_claim() -> None:
    claim = a_claim(
        None, kind=Kind.EMPIRICAL, mutants=(), criterion="r < 0", controls=("shuffled",), supported_by=lambda n: True
    )
    without = Measurement("m", ("w.claim",), lambda context: {"w.claim": Decision(Verdict.SUPPORTED, "d")}, needs=())
    record = decide_measurement(without, Context(), Topic("w", "W", (claim,), (), (without,)))["w.claim"]
    assert record["verdict"] == Verdict.ERROR
    assert "its controls are shuffled, and those run none" in record["findings"][0]["summary"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_claim_is_decided_by_a_number_that_is_not_finite(value: float) -> None:
    record = measured(Verdict.NOT_SUPPORTED, value)  # which is what the criterion says of NaN
    assert record["verdict"] == Verdict.ERROR
    assert f"a number is not finite: r is {value}" in record["findings"][0]["summary"]
    assert not record["findings"][0]["numbers"]


def test_a_criterion_is_a_predicate() -> None:
    record = measured(Verdict.SUPPORTED, -0.9, supported_by=None)
    assert record["verdict"] == Verdict.ERROR
    assert "no supported_by" in record["findings"][0]["summary"]
