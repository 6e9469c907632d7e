"""What a claim is: a statement with premises, where it is printed, and the mutants that must not survive its checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol, Self, runtime_checkable

from headproof.theory.errors import InputError
from headproof.theory.proof import Proof


class Kind(StrEnum):
    """What sort of sentence a claim is."""

    DEFINITION = "definition"
    THEOREM = "theorem"
    CONSTRUCTION = "construction"
    EMPIRICAL = "empirical"


class Fidelity(StrEnum):
    """How close the statement is to a source's print."""

    PRINTED = "printed"
    RECONSTRUCTED = "reconstructed"
    OURS = "ours"


class Tier(StrEnum):
    """How a verdict is known, strongest first."""

    KERNEL = "kernel"  # a proof kernel accepted it
    PROOF = "proof"  # general, every step checked by an exact normal form
    EXACT = "exact"  # a finite or finite-dimensional domain decided in exact arithmetic
    CERTIFIED = "certified"  # outward-rounded intervals on a stated box
    TESTED = "tested"  # property-based search found nothing
    MEASURED = "measured"  # heads of real models


class Verdict(StrEnum):
    """About the statement as given; the last three are for empirical claims."""

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    VACUOUS = "VACUOUS"
    ERROR = "ERROR"
    SUPPORTED = "SUPPORTED"
    NOT_SUPPORTED = "NOT SUPPORTED"
    NOT_RUN = "NOT RUN"


SOURCES: Mapping[str, str] = {
    "DEC": "Urrutia, Salas, Kozachinskiy, Buc Calderon, Pasten, Rojas. Decoupling Positional and Symbolic "
    "Attention (Behavior) in Transformers. ICLR 2026, arXiv:2511.11579",
    "DYN": "Urrutia, Alegría, Sanchez Macias, Salas, Calderon, Rojas. Positional versus Symbolic Attention Heads: "
    "Learning Dynamics, RoPE Geometry, and Length Generalization. arXiv:2605.31558",
    "GEN": "Han, Ji. Computation Mechanism Behind LLM Position Generalization. ACL 2025, arXiv:2503.13305",
}


@dataclass(frozen=True)
class Source:
    """Where a claim comes from: a key of SOURCES (or a full citation) and the place in it."""

    key: str
    place: str

    def __str__(self) -> str:
        return f"{SOURCES.get(self.key, self.key)}; {self.place}"


@runtime_checkable
class Case(Protocol):
    """One exact instance of a claim's variables. It travels through JSON without loss."""

    def to_json(self) -> dict[str, Any]:
        """A JSON object from which `of_json` makes an equal case."""

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """The case that `data` describes; raises InputError where it describes none."""

    def __str__(self) -> str:
        """The case as one would write it by hand."""


@dataclass(frozen=True)
class Premise:
    """A named hypothesis and the predicate that decides it on an exact case."""

    name: str
    sentence: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Statement:
    """For every case that meets the premises, the conclusion holds.

    `conclusion` decides one exact case. `form` is the same sentence as symbolic data, for the proof checker and
    the exact engine (`theory.sums.Relation`, `theory.proof.Implication`, ...). `ratio` is left over right of a
    bound on one case (None where both sides are zero).
    """

    case_type: type[Any]
    premises: tuple[Premise, ...]
    conclusion: Callable[[Any], bool]
    form: Any = None
    ratio: Callable[[Any], Fraction | None] | None = None

    def meets(self, case: Any) -> bool:
        """Whether the case meets every premise."""
        return all(premise.holds(case) for premise in self.premises)

    def refuted_by(self, case: Any) -> bool:
        """Whether the case meets every premise and violates the conclusion: exact arithmetic only."""
        return self.meets(case) and not self.conclusion(case)

    def without(self, name: str) -> Statement:
        """The statement with one premise dropped. It has no form: what is left is decided case by case."""
        if name not in {premise.name for premise in self.premises}:
            raise InputError(f"no premise named {name!r}")
        kept = tuple(premise for premise in self.premises if premise.name != name)
        return replace(self, premises=kept, form=None)


@dataclass(frozen=True)
class Mutant:
    """A near miss of a claim. Every check of the claim must refute it.

    With `stronger=True` the mutant is true and says more than the claim: then every check must uphold it, and the
    ledger records that the claim was not sharp.
    """

    name: str
    title: str
    statement: Statement
    stronger: bool = False


_ID = re.compile(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*")


@dataclass(frozen=True)
class Claim:
    """One claim of the ledger. `latex` is the statement, `sentence` says it plainly, `survives` says what remains
    of the source's conclusion when the statement as given is refuted, `repair` is the id of the repaired claim.
    Empirical claims have a `criterion`, fixed before the run, instead of a statement; `supported_by` is the same
    sentence as a predicate on the reported numbers, `controls` names the controls that the measurement runs."""

    id: str
    kind: Kind
    fidelity: Fidelity
    title: str
    source: Source
    latex: str
    sentence: str
    domain: str
    statement: Statement | None = None
    proof: Proof | None = None
    mutants: tuple[Mutant, ...] = ()
    witness: Any = None
    repair: str | None = None
    survives: str = ""
    criterion: str = ""
    controls: tuple[str, ...] = ()
    supported_by: Callable[[Mapping[str, float]], bool] | None = None
    remarks: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise InputError(f"claim id {self.id!r}", "use words and digits joined by dots and hyphens")
        if (self.statement is None) == (not self.criterion):
            raise InputError(
                f"claim {self.id} needs either a statement or, if it is empirical, a criterion fixed before the run"
            )
        names = [mutant.name for mutant in self.mutants]
        if len(set(names)) != len(names):
            raise InputError(f"claim {self.id} has two mutants of one name in {names}")
        if self.repair and not self.survives:
            raise InputError(f"claim {self.id} is repaired by {self.repair}", "say in `survives` what remains of it")

    def mutant(self, name: str) -> Mutant:
        """The mutant of a name; raises InputError if there is none."""
        for mutant in self.mutants:
            if mutant.name == name:
                return mutant
        raise InputError(f"claim {self.id} has no mutant named {name!r}")
