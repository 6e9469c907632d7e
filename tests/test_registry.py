"""Claims come in through entry points: ours and a stranger's by the same door; faulty topics are refused by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headproof.checks import registry
from headproof.checks.registry import Check, Topic, claims, figure_points, select, topic_of
from headproof.theory.claim import Claim, Statement, Tier
from headproof.theory.errors import InputError


def test_our_topic_is_found() -> None:
    assert "exclusion" in {topic.name for topic in registry.topics()}
    assert "exclusion" in figure_points()
    assert "dec.thm1" in claims()


def test_a_strangers_topic_is_found(stranger: Path) -> None:
    assert {topic.name for topic in registry.topics()} >= {"exclusion", "stranger"}
    assert topic_of("stranger.growing").title == "Whole numbers"
    assert "stranger" in figure_points()


def test_select() -> None:
    assert select([]) == list(claims())
    assert select(["dec.thm1.identity"]) == ["dec.thm1.identity", "dec.thm1.identity-on-heads"][:1]
    assert set(select(["dec.thm1"])) == {name for name in claims() if name.startswith("dec.thm1")}
    assert select(["dec.thm1.*"]) == select(["dec.thm1."]) == select(["dec.thm1"])
    assert set(select(["exclusion"])) == {claim.id for claim in topic_of("dec.thm1").claims}
    assert select(["dec.thm1.additive", "dec.thm1.additive"]) == ["dec.thm1.additive"]


@pytest.mark.parametrize("name", ["dec.thm", "dec.thm11", "", "nonsense"])
def test_an_unknown_claim_is_named(name: str) -> None:
    with pytest.raises(InputError, match=f"unknown claim {name!r}"):
        select([name])


def test_an_unknown_claim_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"did you mean dec\.thm1\.identity"):
        select(["dec.thm1.identiti"])


def exclusion_topic() -> Topic:
    return topic_of("dec.thm1")


def test_topics_are_checked_when_they_are_made() -> None:
    topic = exclusion_topic()
    with pytest.raises(InputError, match="no check for its claim"):
        replace(topic, checks=())
    with pytest.raises(InputError, match=r"none of its claims"):
        replace(topic, checks=(*topic.checks, Check("dec.nothing", Tier.TESTED, topic.checks[0].decide)))
    with pytest.raises(InputError, match="two claims of one id"):
        replace(topic, claims=(*topic.claims, topic.claims[0]))
    with pytest.raises(InputError, match="two checks of one claim"):
        replace(topic, checks=(*topic.checks, topic.checks[0]))
    with pytest.raises(InputError, match="decided by its form alone"):
        replace(topic, checks=tuple(check for check in topic.checks if check.tier is not Tier.TESTED))
    with pytest.raises(InputError, match="no mutants"):
        replace(topic, claims=tuple(replace(claim, mutants=()) for claim in topic.claims))


def test_claims_are_checked_when_they_are_made() -> None:
    claim = claims()["dec.thm1"]
    with pytest.raises(InputError, match="claim id 'Dec thm'"):
        replace(claim, id="Dec thm")
    with pytest.raises(InputError, match="either a statement"):
        replace(claim, statement=None)
    with pytest.raises(InputError, match="either a statement"):
        replace(claim, criterion="something")
    with pytest.raises(InputError, match="two mutants of one name"):
        replace(claim, mutants=(*claim.mutants, claim.mutants[0]))
    with pytest.raises(InputError, match="say in `survives`"):
        replace(claim, repair="dec.thm1.identity", survives="")
    with pytest.raises(InputError, match="no mutant named 'x'"):
        claim.mutant("x")
    assert isinstance(claim, Claim)
    assert isinstance(claim.statement, Statement)
    with pytest.raises(InputError, match="no premise named 'x'"):
        claim.statement.without("x")


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ("broken = no_such_package:topic", "does not load: ModuleNotFoundError"),
        ("wrong = json:dumps", "is a function, not a Topic"),
    ],
)
def test_a_faulty_entry_point_is_named(
    points: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "faulty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[headproof.topics]\n{points}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.topics.cache_clear()
    try:
        with pytest.raises(InputError, match=message):
            registry.topics()
    finally:
        monkeypatch.undo()
        registry.topics.cache_clear()
