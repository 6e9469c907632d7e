"""Claims about whole numbers, one for each way in which a claim can end: tests of the pytest plugin copy this file.

Each decision is noted in the file that CLAIMS_LOG names.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from hypothesis import strategies as st

from headproof.checks.engines import property as property_engine
from headproof.checks.engines.decision import Decision, Number
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Premise, Source, Statement, Tier, Verdict
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Whole:
    """One whole number."""

    n: int

    def to_json(self) -> dict[str, Any]:
        return {"n": self.n}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(data["n"])

    def __str__(self) -> str:
        return f"n = {self.n}"


SOURCE = Source("A book of small numbers", "page 1")
POSITIVE = Premise("positive", "n is at least 1", lambda case: case.n >= 1)
NEVER = Premise("never", "n is not n", lambda case: False)


def note(name: str) -> None:
    if log := os.environ.get("CLAIMS_LOG"):
        with Path(log).open("a") as file:
            file.write(f"{name}\n")


def numbers(context: Context) -> Any:
    return st.integers(-9, 9).map(Whole)


def says(conclusion: Callable[[Any], bool], *premises: Premise) -> Statement:
    return Statement(Whole, premises, conclusion)


def searched(statement: Statement, context: Context) -> Decision:
    note("searched")
    return property_engine.decide(statement, numbers(context), 40, context.seed, "|n| <= 9")


def always(statement: Statement, context: Context) -> Decision:
    return Decision(Verdict.HOLDS, "everything")


def undecided(statement: Statement, context: Context) -> Decision:
    decision = searched(statement, context)
    return decision if decision.verdict is Verdict.REFUTED else Decision(Verdict.UNDECIDED, "nothing", summary="hard")


def sleeps(statement: Statement, context: Context) -> Decision:
    time.sleep(float(os.environ.get("CLAIMS_SLEEP", "0")))
    return searched(statement, context)


def raises(statement: Statement, context: Context) -> Decision:
    raise RuntimeError("no luck")


def refuses(statement: Statement, context: Context) -> Decision:
    raise InputError("there is no device 'abacus'", "use cpu")


SQUARE, NEGATIVE = says(lambda case: case.n**2 >= case.n), says(lambda case: case.n < 0)
CHECKS: dict[str, tuple[Statement, Callable[[Statement, Context], Decision]]] = {
    "holds": (SQUARE, searched),
    "needed": (says(lambda case: case.n * 3 > case.n, POSITIVE), searched),
    "redundant": (says(lambda case: case.n**2 >= case.n, POSITIVE), searched),
    "false": (says(lambda case: case.n != 7), searched),
    "known-false": (says(lambda case: case.n != 5), searched),
    "vacuous": (says(lambda case: True, NEVER), searched),
    "open": (SQUARE, undecided),
    "survivor": (SQUARE, always),
    "raises": (SQUARE, raises),
    "refuses": (SQUARE, refuses),
    "slow": (SQUARE, sleeps),
}
MEASURED = {
    "there": Verdict.SUPPORTED,
    "not-there": Verdict.NOT_SUPPORTED,
    "absent": Verdict.SUPPORTED,
}


def measure(context: Context) -> Mapping[str, Decision]:
    note("measured")
    seen = {name: {"seen": Number(float(verdict is Verdict.SUPPORTED))} for name, verdict in MEASURED.items()}
    return {
        f"whole.{name}": Decision(verdict, "one number", summary="seen", numbers=seen[name])
        for name, verdict in MEASURED.items()
    }


def claim(name: str, **more: Any) -> Claim:
    empirical = name in MEASURED
    return Claim(
        id=f"whole.{name}", kind=Kind.EMPIRICAL if empirical else Kind.THEOREM, fidelity=Fidelity.OURS,
        title=f"About {name}", source=SOURCE, latex="n", sentence=f"Something about {name}.", domain="whole numbers",
        criterion="SUPPORTED if it is there" if empirical else "",
        supported_by=(lambda numbers: numbers["seen"] > 0) if empirical else None, **more,
    )  # fmt: skip


topic = Topic(
    name="whole",
    title="Whole numbers",
    claims=(
        *(
            claim(name, statement=statement, mutants=(Mutant("negative", "n is negative", NEGATIVE),))
            for name, (statement, _) in CHECKS.items()
        ),
        *map(claim, MEASURED),
    ),
    checks=tuple(Check(f"whole.{name}", Tier.TESTED, decide) for name, (_, decide) in CHECKS.items()),
    measurements=(
        Measurement("number", ("whole.there", "whole.not-there"), measure, needs=()),
        Measurement("absent", ("whole.absent",), measure, needs=("no_such_module",)),
    ),
    cases={"whole.needed": numbers, "whole.redundant": numbers},
)
EXPECTED = {"whole.known-false": "REFUTED"}
