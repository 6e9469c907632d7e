"""The committed multihop models: what is said of them is what the stored files do, and every claim is decided."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import pytest

pytest.importorskip("torch")

from headproof.checks.registry import Context
from headproof.checks.trained.multihop import measurement
from headproof.checks.trained.multihop.dynamics import by_class, head_rows, measured_on
from headproof.checks.trained.multihop.heads import observe, planes_of
from headproof.checks.trained.multihop.length import longer
from headproof.checks.trained.multihop.model import accuracy
from headproof.checks.trained.multihop.trained import Trained, runs_of
from headproof.checks.trained.multihop.verdicts import decide_empirical
from headproof.checks.trained.multihop.wilson import sample_size, wilson
from headproof.checks.trained.rows import columns_of, described, rows
from headproof.theory.multihop.learning_findings import LEARNING_CLAIMS
from headproof.theory.multihop.length_findings import LENGTH_CLAIMS
from headproof.theory.multihop.measured import TASKS
from headproof.theory.multihop.mechanism_findings import MECHANISM_CLAIMS

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]
LARGEST = 6_000_000  # bytes of a file of weights


@cache
def held(task: str) -> dict[str, Any]:
    tables = measurement.read(task)
    assert tables is not None
    return tables


def full(task: str) -> Trained:
    (run,) = runs_of({task: held(task)}, "full")[task]
    return run


@pytest.mark.parametrize("task", TASKS)
def test_the_file_of_weights_is_the_one_measured(task: str) -> None:
    stored = (measurement.FOLDER / task / measurement.WEIGHTS).read_bytes()
    assert len(stored) <= LARGEST
    about = described(held(task)["steps"])
    assert hashlib.sha256(stored).hexdigest() == about["model"]["sha256"]
    assert [run["size"] for run in about["runs"]] == ["full", *["small"] * len(measurement.SMALL_SEEDS)]
    assert about["runs"][0] == measurement.RUNS[task][0].to_json()


@pytest.mark.parametrize("task", TASKS)
def test_the_stored_model_is_right_at_the_length_of_its_training(task: str) -> None:
    loaded = measurement.model_of(task)
    test = measured_on(loaded.run, 1000)
    right = accuracy(loaded.model, loaded.run.vocabulary, test)
    mine = rows(full(task)["steps"], step=loaded.step)
    told = dict(zip(mine["hops"].tolist(), mine["accuracy"].tolist(), strict=True))
    found = {row["hops"]: row["accuracy"] for row in by_class(right, test, loaded.run.windows.hops)}
    # Float32 sums in another order may turn an answer between two tokens of nearly equal logits.
    assert found == pytest.approx(told, abs=0.003)
    assert wilson(right.sum(), len(right))[0] >= 0.99


@pytest.mark.parametrize("task", TASKS)
def test_the_lengths_are_those_of_the_stored_model(task: str) -> None:
    loaded = measurement.model_of(task)
    sequences = longer(loaded.run, 20, sample_size(measurement.within(20)))
    right = accuracy(loaded.model, loaded.run.vocabulary, sequences)
    (told,) = rows(full(task)["lengths"], step=loaded.step, variant="plain", length=20, hops=0)["right"]
    assert len(right) == 4 * 381
    assert abs(int(right.sum()) - int(told)) <= 4


@pytest.mark.parametrize("task", TASKS)
def test_the_scores_are_those_of_the_stored_model(task: str) -> None:
    loaded = measurement.model_of(task, attention="eager")
    seen = measured_on(loaded.run, 100)
    planes = planes_of(loaded.model, seen.tokens[0])
    mine = rows(full(task)["heads"], step=loaded.step)
    told = {
        (layer, hops, query): (positional, symbolic)
        for layer, hops, query, positional, symbolic in zip(
            *(mine[name].tolist() for name in ("layer", "hops", "query", "positional", "symbolic")), strict=True
        )
    }
    found = {
        (row["layer"], row["hops"], row["query"]): (row["positional"], row["symbolic"])
        for row in head_rows(observe(loaded.model, seen.tokens), planes, seen, loaded.run)
    }
    assert found.keys() == told.keys()
    assert all(found[key] == pytest.approx(told[key], abs=2e-3) for key in told)


def test_every_claim_is_decided() -> None:
    decisions = decide_empirical(Context())
    wanted = {claim.id: claim for claim in (*LEARNING_CLAIMS, *MECHANISM_CLAIMS, *LENGTH_CLAIMS)}
    assert wanted.keys() <= decisions.keys()
    for name, claim in wanted.items():
        decided = decisions[name]
        assert decided.verdict in ("SUPPORTED", "NOT SUPPORTED")
        assert {each["mutant"] for each in decided.details["controls"]} == set(claim.controls)
        assert decided.numbers


def test_tables_hold_every_run_and_null() -> None:
    for task in TASKS:
        steps = columns_of(held(task)["steps"])
        assert sorted({*zip(steps["size"].tolist(), steps["seed"].tolist(), strict=True)}) == [
            ("full", 0),
            *(("small", seed) for seed in measurement.SMALL_SEEDS),
        ]
        for name in ("heads", "targets", "roles", "ablations", "lengths"):
            assert 0 in columns_of(held(task)[name])["step"]
