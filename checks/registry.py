"""How claims come into headproof: topics, found through the entry-point group `headproof.topics`.

headproof's own topics come in by the same door as those of any other installed package:

    [project.entry-points."headproof.topics"]
    mytopic = "mypackage.checks:topic"          # a Topic

    [project.entry-points."headproof.figures"]
    myfigure = "mypackage.figures:figure"       # a Figure (headproof.paper_figs.figure)

A topic that no entry point names is found by its place (headproof.checks.places).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, Literal

from headproof.checks.engines.decision import Decision
from headproof.theory.claim import Claim, Kind, Statement, Tier
from headproof.theory.errors import InputError

Effort = Literal["quick", "full"]
TOPICS = "headproof.topics"
FIGURES = "headproof.figures"
MOST_NAMED = 20  # names that an error lists


@dataclass(frozen=True)
class Context:
    """The settings of a run; everything random follows from `seed`. `tiers` are those asked for; none for all."""

    effort: Effort = "quick"
    seed: int = 0
    device: str = "cpu"
    model: str | None = None
    tiers: tuple[str, ...] = ()

    def asks_for(self, tier: str) -> bool:
        """Whether the run asks for what is known by this tier."""
        return not self.tiers or tier in self.tiers

    def examples(self, quick: int, full: int) -> int:
        """A number of examples by effort."""
        return quick if self.effort == "quick" else full


@dataclass(frozen=True)
class Check:
    """One way, of one tier, to decide a claim's statement. It is run on the claim and on each of its mutants.

    `name` tells two checks of one claim and tier apart.
    """

    claim: str
    tier: Tier
    decide: Callable[[Statement, Context], Decision]
    name: str = ""


@dataclass(frozen=True)
class Measurement:
    """One run on trained heads that settles empirical claims: `measure(context)` maps claim ids to decisions.

    `needs` names the modules it imports; where one is missing the claims are NOT RUN, and the reason is said.
    `prepare(context, message)` runs first, in the main process: it tells bad settings before anything long begins,
    and does what is done once (a model's conversion), announced through `message`.
    """

    name: str
    claims: tuple[str, ...]
    measure: Callable[[Context], Mapping[str, Decision]]
    prepare: Callable[[Context, Callable[[str], None]], None] | None = None
    needs: tuple[str, ...] = ("torch", "transformers")

    def missing(self) -> list[str]:
        """The needed modules that are not installed."""
        return [module for module in self.needs if find_spec(module) is None]


@dataclass(frozen=True)
class Topic:
    """What a module brings: claims, the checks and measurements that decide them, and where cases are drawn from.

    `cases[claim id](context)` is a Hypothesis strategy of exact cases that also draws cases which miss each
    premise: the premise audit searches there.
    """

    name: str
    title: str
    claims: tuple[Claim, ...]
    checks: tuple[Check, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    cases: Mapping[str, Callable[[Context], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {claim.id: claim for claim in self.claims}
        if len(known) != len(self.claims):
            ids = [claim.id for claim in self.claims]
            raise InputError(f"topic {self.name} has two claims of one id, {max(ids, key=ids.count)}")
        named = [check.claim for check in self.checks] + [c for each in self.measurements for c in each.claims]
        keys = [(check.claim, check.tier, check.name) for check in self.checks]
        if len(set(keys)) != len(keys):
            raise InputError(f"topic {self.name} has two checks of one claim, tier and name", "name one of them")
        if stray := sorted(({*named, *self.cases}) - set(known)):
            raise InputError(f"topic {self.name} has checks or cases for {stray[0]}, which is none of its claims")
        if idle := sorted(set(known) - set(named)):
            raise InputError(f"topic {self.name} has no check for its claim {idle[0]}")
        by_predicate = {check.claim for check in self.checks if check.tier is Tier.TESTED}
        for claim in self.claims:
            if claim.statement is not None and claim.statement.form is not None and claim.id not in by_predicate:
                raise InputError(
                    f"claim {claim.id} is decided by its form alone",
                    "add a check of tier tested, which ties the form to the premises and the conclusion",
                )
            to_refute = [mutant for mutant in claim.mutants if not mutant.stronger]
            if claim.kind is not Kind.EMPIRICAL and not to_refute and not claim.repair:
                what = "mutants that are to be refuted" if claim.mutants else "mutants"
                raise InputError(f"claim {claim.id} has no {what}", "a check that cannot fail shows nothing")
            if claim.repair and claim.repair not in known:
                raise InputError(f"claim {claim.id} is repaired by {claim.repair}, which topic {self.name} lacks")


@cache
def topics() -> tuple[Topic, ...]:
    """All installed topics, by name. Raises InputError naming the package whose entry point does not load."""
    return with_one_owner_each(_load(point, Topic) for point in _points(TOPICS))


def claims() -> dict[str, Claim]:
    """All claims by id, in the order of their topics."""
    return {claim.id: claim for topic in topics() for claim in topic.claims}


def topic_of(claim_id: str) -> Topic:
    """The topic that brings a claim; raises InputError for an unknown claim."""
    for topic in topics():
        if any(claim.id == claim_id for claim in topic.claims):
            return topic
    raise unknown("claim", claim_id, claims())


def select(names: list[str]) -> list[str]:
    """Claim ids for the given ids, prefixes such as `dec.thm1` (with all below it) or topic names; all for none."""
    everything = claims()
    if not names:
        return list(everything)
    chosen: list[str] = []
    for given in names:
        name = given.removesuffix("*").removesuffix(".")
        below = [claim for claim in everything if claim == name or claim.startswith(f"{name}.")]
        of_topic = [claim.id for topic in topics() if topic.name == name for claim in topic.claims]
        if not below and not of_topic:
            raise unknown("claim", given, everything)
        chosen += [claim for claim in (below or of_topic) if claim not in chosen]
    return chosen


def figure_points() -> dict[str, Any]:
    """Entry points of all installed figures by name; nothing is imported."""
    return {point.name: point for point in _points(FIGURES)}


def topic_points() -> tuple[Any, ...]:
    """Entry points of all installed topics; nothing is imported."""
    return tuple(_points(TOPICS))


def unknown(what: str, name: str, known: Any) -> InputError:
    """The error for a name that does not exist, with the nearest one that does."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1, cutoff=0.4)
    names = sorted(known)
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    listed = f"known: {', '.join(names[:MOST_NAMED])}{more}"
    return InputError(f"unknown {what} {name!r}", f"did you mean {near[0]}?" if near else listed)


def with_one_owner_each(found: Iterable[Topic]) -> tuple[Topic, ...]:
    """The topics; raises InputError for a claim that two of them bring."""
    known = tuple(found)
    owners: dict[str, str] = {}
    for topic in known:
        for claim in topic.claims:
            if claim.id in owners:
                raise InputError(f"claim {claim.id} is brought by two topics, {owners[claim.id]} and {topic.name}")
            owners[claim.id] = topic.name
    return known


def _points(group: str) -> list[Any]:
    # An editable install can list one entry point twice; one name is one entry.
    return [point for _, point in sorted({point.name: point for point in entry_points(group=group)}.items())]


def _load(point: Any, kind: type[Any]) -> Any:
    try:
        loaded = point.load()
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"entry point {point.name} = {point.value} does not load: {type(error).__name__}: {error}",
            "repair or uninstall the package that brings it",
        ) from error
    if not isinstance(loaded, kind):
        raise InputError(
            f"entry point {point.name} = {point.value} is a {type(loaded).__name__}, not a {kind.__name__}"
        )
    return loaded
