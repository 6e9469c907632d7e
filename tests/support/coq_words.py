"""Coq's words for what the tests of formal files ask, and theorems used by name at points that Python has decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from headproof.checks.engines.kernel import accepted
from headproof.checks.registry import claims
from headproof.theory.claim import Claim, Statement
from headproof.theory.formal import FAILS, identifier, theorems


def real(number: Fraction | int) -> str:
    """A rational number as a real of Coq's."""
    number = Fraction(number)
    return f"(({number.numerator}) / {number.denominator})"


def place(index: int, count: int) -> str:
    """The `index`-th (from 0) of `count` places, as an `'I_count`."""
    return f"(Ordinal (isT : ({index} < {count})%N))"


def rows_of(rows: Iterable[Sequence[str]]) -> str:
    """A table of Coq's words as a sequence of sequences."""
    return "[:: " + "; ".join(f"[:: {'; '.join(row)}]" for row in rows) + "]"


def goal(statement: str, tactics: str) -> str:
    """A goal with its proof, as `kernel.accepted` takes it."""
    return f"Goal {statement}. Proof. {tactics} Qed."


def statement_of(theorem: str) -> Statement[Any]:
    """The statement of the claim that a theorem upholds or denies."""
    bare = theorem.removesuffix(FAILS)
    (statement,) = [claim.statement for claim_id, claim in claims().items() if identifier(claim_id) == bare]
    assert statement is not None
    return statement


def right_ones(file: str, texts: Mapping[str, str]) -> set[str]:
    """The names of those texts that Coq accepts after a file."""
    return {name for name, holds in accepted(file, texts).items() if holds}


@dataclass(frozen=True)
class Instance:
    """What a theorem says at one point: `statement` as Python decides it, `wrong` beside it, which the same tactics
    must not prove. The tactics have to use the theorem by its name, and fail where that name stands for True; `before`
    is Coq text that defines what they need, once for all instances that have the same.
    """

    theorem: str
    statement: str
    wrong: str
    tactics: str
    before: str = ""


def assert_instances(file: str, instances: Sequence[Instance]) -> None:
    """Each instance is accepted after the file, by its theorem; no wrong one is, which has to be a statement too."""
    texts: dict[str, str] = {}
    defined: set[str] = set()
    for number, each in enumerate(instances):
        assert re.search(rf"\b{each.theorem}\b", each.tactics), f"{each.theorem} is not used: {each.tactics}"
        assert each.statement != each.wrong
        before = "" if each.before in defined else each.before
        defined.add(each.before)
        texts[f"{each.theorem} {number}"] = f"{before} {goal(each.statement, each.tactics)}"
        texts[f"{each.theorem} {number}, wrong"] = goal(each.wrong, each.tactics)
        without = f"have {each.theorem} := I. {each.tactics}"
        texts[f"{each.theorem} {number}, without it wrong"] = goal(each.statement, without)
        texts[f"{each.theorem} {number}, wrong and yet a statement"] = goal(f"({each.wrong}) -> True", "by move=> _.")
    found = right_ones(file, texts)
    assert found == {name for name in texts if not name.endswith("wrong")}


def assert_refuted_at(file: str, name: str, claim: Claim, tactics: Callable[[Any], str], other: Any) -> None:
    """What a `_fails` theorem denies is contradicted at its own counterexample, and not at another case.

    `tactics(case)` proves False from a hypothesis that is what the theorem denies, by what that says at the case; of
    the other case Python says that it refutes nothing, and there the same tactics must not succeed.
    """
    theorem = theorems(file)[name]
    assert theorem.case is not None
    assert claim.statement is not None
    assert theorem.text.startswith("~ ")
    denied = theorem.text.removeprefix("~ ")
    case = claim.statement.case_type.of_json(theorem.case)
    assert claim.statement.refuted_by(case)
    assert not claim.statement.refuted_by(other)
    texts = {at: goal(f"({denied}) -> False", tactics(each)) for at, each in (("its own", case), ("other", other))}
    assert right_ones(file, texts) == {"its own"}
