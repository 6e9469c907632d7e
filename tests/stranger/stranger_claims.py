"""A package of somebody else's: claims about whole numbers, brought to headproof through its entry points alone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
from hypothesis import strategies as st

from headproof.checks.engines import property as property_engine
from headproof.checks.engines.decision import Decision, Number
from headproof.checks.registry import Check, Context, Measurement, Topic
from headproof.paper_figs.figure import Figure
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
        if not isinstance(data.get("n"), int):
            raise InputError(f"a case without a whole number n: {data!r}")
        return cls(data["n"])

    def __str__(self) -> str:
        return f"n = {self.n}"


SOURCE = Source("Nobody. A book of small numbers. 2020", "page 1")
POSITIVE = Premise("positive", "n is at least 1", lambda case: case.n >= 1)


def statement(conclusion: Callable[[Any], bool], premises: tuple[Premise, ...] = ()) -> Statement:
    return Statement(Whole, premises, conclusion)


def claim(name: str, said: Statement, *wrong: Statement, **more: Any) -> Claim:
    mutants = tuple(Mutant(f"mutant {number}", f"near miss {number}", each) for number, each in enumerate(wrong))
    return Claim(
        id=f"stranger.{name}", kind=Kind.THEOREM, fidelity=Fidelity.PRINTED, title=f"About {name}", source=SOURCE,
        latex="n", sentence=f"Something about {name}.", domain="whole numbers", statement=said, mutants=mutants, **more,
    )  # fmt: skip


def tested(statement: Statement, context: Context) -> Decision:
    return property_engine.decide(statement, st.integers(-30, 30).map(Whole), 100, context.seed, "|n| <= 30")


def always(statement: Statement, context: Context) -> Decision:
    return Decision(Verdict.HOLDS, "everything")


def sleeps(statement: Statement, context: Context) -> Decision:
    """Notes that it ran in the file that STRANGER_LOG names, and sleeps for STRANGER_SLEEP seconds."""
    if log := os.environ.get("STRANGER_LOG"):
        with Path(log).open("a") as file:
            file.write("ran\n")
    time.sleep(float(os.environ.get("STRANGER_SLEEP", "0")))
    return tested(statement, context)


def dies(statement: Statement, context: Context) -> Decision:
    os._exit(3)


def raises(statement: Statement, context: Context) -> Decision:
    raise RuntimeError("no luck")


def measured(context: Context) -> Mapping[str, Decision]:
    number = {"mean": Number(1.5 + context.seed, 0.1)}
    return {"stranger.measured": Decision(Verdict.SUPPORTED, "one number", numbers=number, summary="it is there")}


square = statement(lambda case: case.n**2 >= case.n)
negative = statement(lambda case: case.n < 0)
growing = claim("growing", square, negative)
TRUE = (growing, tested)
CHECKS = {
    "growing": (growing, tested),
    "positive": (claim("positive", statement(lambda c: c.n * 3 > c.n, (POSITIVE,)), negative), tested),
    "slow": (claim("slow", square, negative), sleeps),
    "false": (claim("false", statement(lambda c: c.n != 7), repair="stranger.growing", survives="nearly all"), tested),
    "never": (claim("never", statement(lambda c: True, (Premise("none", "no", lambda c: False),)), negative), tested),
    "lie": (claim("lie", negative, square), always),
    "dies": (claim("dies", square, negative), dies),
    "raises": (claim("raises", square, negative), raises),
}
EMPIRICAL = tuple(
    Claim(
        id=f"stranger.{name}",
        kind=Kind.EMPIRICAL,
        fidelity=Fidelity.OURS,
        title=name,
        source=SOURCE,
        latex="n",
        sentence=name,
        domain="one number",
        criterion="SUPPORTED if the mean is above 0",
        supported_by=lambda numbers: numbers["mean"] > 0,
    )
    for name in ("measured", "unmeasured")
)

topic = Topic(
    name="stranger",
    title="Whole numbers",
    claims=(*(each for each, _ in CHECKS.values()), *EMPIRICAL),
    checks=tuple(Check(each.id, Tier.TESTED, decide) for each, decide in CHECKS.values()),
    measurements=(
        Measurement("number", ("stranger.measured",), measured, needs=()),
        Measurement("absent", ("stranger.unmeasured",), measured, needs=("no_such_module",)),
    ),
    cases={"stranger.positive": lambda context: st.integers(-30, 30).map(Whole)},
)


def draw(data: pa.Table) -> Any:
    import matplotlib.pyplot as plt

    drawn, axes = plt.subplots()
    axes.plot(data["n"].to_numpy(), data["square"].to_numpy())
    return drawn


def compute(context: Context, message: Callable[[str], None]) -> pa.Table:
    message("computing squares")
    return pa.table({"n": list(range(5)), "square": [n * n for n in range(5)]})


figure = Figure("stranger", "Squares", compute, draw, lambda data: f"{len(data)} squares")
