"""The committed measurement of disentanglement: read back, judged by criteria that can fail, made anew by its plan."""

import dataclasses

import numpy as np
import pytest

from headproof.checks.registry import Context
from headproof.checks.trained import committed
from headproof.checks.trained.rows import columns_of, described, rows
from headproof.theory.claim import Verdict
from headproof.theory.disentanglement.empirical_claims import EMPIRICAL, FINDINGS, MEASURED, PRINTED
from headproof.theory.disentanglement.tolerance_claims import READINGS, ratio
from headproof.theory.empirical import NULLS, ON_MODELS
from headproof.theory.errors import InputError

pytest.importorskip("torch")

from headproof.checks.trained.disentanglement import measurement, verdicts
from headproof.checks.trained.disentanglement.columns import TABLES

MODELS = {model.slug: model for model in measurement.MODELS}
SEEDS = len(measurement.PLAN.null_seeds)


@pytest.fixture(scope="module", params=MODELS)
def tables(request):
    found = measurement.read(MODELS[request.param])
    assert found is not None
    return found


@pytest.fixture(scope="module")
def columns(tables):
    return {name: columns_of(table) for name, table in tables.items()}


@pytest.fixture(scope="module")
def decided():
    return verdicts.decide_empirical(Context())


# -- what is committed ---------------------------------------------------------------------------------------------


def test_the_measured_models_are_those_that_claims_name():
    assert {slug: model.name for slug, model in MODELS.items()} == ON_MODELS


def test_tables_say_what_made_them(tables):
    about = described(tables["fits"])
    assert about["model"]["sha256"] in {model.sha256 for model in measurement.MODELS}
    assert about["command"].startswith("headproof remeasure disentanglement")
    assert {"torch", "transformers", "numpy"} <= set(about["versions"])
    assert about["null_seeds"] == list(measurement.PLAN.null_seeds)
    for name, table in tables.items():
        assert set(table.column_names) == set(TABLES[name])


def test_every_group_seed_text_and_head_is_there(tables, columns):
    about = described(tables["fits"])
    heads = about["model"]["layers"] * about["model"]["heads"]
    plan = measurement.PLAN
    assert len(columns["fits"]["head"]) == heads * plan.count * (1 + 2 * SEEDS)
    assert len(columns["queries"]["head"]) == heads * plan.count * (1 + 2 * SEEDS) * len(plan.fractions)
    assert len(columns["outputs"]["head"]) == heads * len(plan.length_seeds) * 4
    moved = rows(columns["tolerance"], group="trained")
    each = 3 * (2 * len(plan.shares) + 1)
    assert len(moved["nll"]) == plan.tolerance_texts * (1 + len(plan.seeds) * each)
    assert float(columns["fits"]["conformance"].max()) <= 1e-4


def test_correlations_and_shares_are_in_range(columns):
    fits, queries = columns["fits"], columns["queries"]
    for name in [name for name in fits if name.endswith("correlation")]:
        assert ((fits[name] >= 0) & (fits[name] <= 1)).all(), name
    assert (fits["row_correlation"] <= fits["correlation"] + 1e-5).all()
    for part in ("position_correlation", "content_correlation"):
        assert (fits[part] <= fits["row_correlation"] + 1e-5).all()
    shares = sum(queries[f"{name}_share"] for name in ("position", "content", "interaction"))
    assert np.allclose(shares, 1, atol=1e-4)
    assert (queries["interaction"] <= queries["bound"] + 1e-4).all()
    assert np.isfinite(queries["tightness_largest"]).all()


# -- verdicts ------------------------------------------------------------------------------------------------------


def test_every_empirical_claim_is_decided(decided):
    assert set(decided) == {claim.id for claim in EMPIRICAL}
    assert {decided[claim.id].verdict for claim in PRINTED} == {Verdict.NOT_RUN}
    assert {decided[claim.id].verdict for claim in MEASURED} <= {Verdict.SUPPORTED, Verdict.NOT_SUPPORTED}


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.id)
def test_controls_are_those_named_and_came_back_as_they_must(claim, decided):
    controls = decided[claim.id].details["controls"]
    assert {control["mutant"] for control in controls} == set(claim.controls)
    assert all(control["passed"] for control in controls), controls


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.id)
def test_no_number_is_missing(claim, decided):
    assert not [name for name, number in decided[claim.id].numbers.items() if np.isnan(number.value)]


def test_a_verdict_names_the_texts_that_it_was_read_from(decided):
    for slug in MODELS:
        assert "texts astronomy, bees, bread" in decided[f"gen.additive.reached.{slug}"].domain
        assert "3 seeds of each null" in decided[f"gen.additive.reached.{slug}"].domain
        assert "3 draws of words, 1 seed of each null" in decided[f"gen.tolerance.few-anywhere.{slug}"].domain
        assert "the corpus in 3 orders" in decided[f"gen.length.capped.{slug}"].domain


def test_without_a_measurement_nothing_is_decided(monkeypatch):
    monkeypatch.setattr(measurement, "read", lambda model: None)
    found = verdicts.decide_empirical(Context())
    assert {decision.verdict for decision in found.values()} == {Verdict.NOT_RUN}
    assert "headproof remeasure disentanglement" in found["gen.additive.reached.gemma-3-270m"].summary


def all_nulls(pattern, value):
    return {pattern.format(null): value for null in NULLS}


def above(what, low=0.01):
    """The numbers by which a trained median lies above both nulls."""
    return all_nulls(f"median {what}, trained - {{}}, 2.5 %", low)


def reached(what, low):
    return {f"median {what}": 0.97, f"median {what}, 2.5 %": low}


def lacks(what, largest):
    return above(what) | all_nulls(f"largest median {what} of a seed, {{}}", largest)


def falls(name, high):
    return {f"median {name}, 97.5 %": high} | all_nulls(f"median {name}, trained - {{}}, 97.5 %", -0.01)


def words(reading, share, end, value):
    return {f"{ratio('words', reading, share)}, {end}": value}


def costs(one, other, high):
    names = [f"cost of {one} / {other}, {reading}" for reading in READINGS]
    found = {f"{name}, 2.5 %": 0.6 for name in names} | {f"{name}, 97.5 %": high for name in names}
    return found | {f"cost of {level}, {reading}, 2.5 %": 0.1 for level in (one, other) for reading in READINGS}


def held(what, low):
    return {f"median {what}": 0.97, f"median {what}, 2.5 %": low} | above(what)


def stays(excess, heads):
    return {"largest excess of an order": excess, "% of heads with an excess above 0.05": heads}


# For each finding numbers that meet its criterion, and numbers that just do not.
PLANTED = {
    "additive.reached": (reached("r", 0.95), reached("r", 0.949)),
    "additive.everywhere": ({"% of heads at 0.95": 90.0}, {"% of heads at 0.95": 89.9}),
    "additive.random-lacks": (lacks("r", 0.94), lacks("r", 0.95)),
    "additive.within-rows": (reached("row r", 0.95), reached("row r", 0.949)),
    "additive.single-query": (reached("two-axis r", 0.95), reached("two-axis r", 0.949)),
    "additive.single-query-random-lacks": (
        lacks("two-axis r", 0.94),
        lacks("two-axis r", 0.94) | above("two-axis r", 0.0),
    ),
    "additive.beyond-means": (above("centred row r"), above("centred row r", 0.0)),
    "additive.means-tell": tuple(all_nulls("AUC gain, least of a seed, {}, 2.5 %", low) for low in (0.9, 0.89)),
    "controlled.distance": (held("distance r", 0.9), held("distance r", 0.89)),
    "controlled.content": (held("content r", 0.9), held("content r", 0.89)),
    "thm2.bound-on-heads": ({"largest ratio": 1.0}, {"largest ratio": 1.0001}),
    "thm2.pattern": (falls("pattern", -0.01), falls("pattern", 0.0)),
    "thm2.pattern-relative": (falls("pattern-relative", -0.01), falls("pattern-relative", 0.0)),
    "thm2.pattern-matters": (
        {"median growth, 2.5 %": 0.01, **above("growth")},
        {"median growth, 2.5 %": 0.01, **above("growth", 0.0)},
    ),
    **{
        f"tolerance.few-{reading}": tuple(words(reading, 5, "97.5 %", value) for value in (1.1, 1.11))
        for reading in READINGS
    },
    **{
        f"tolerance.many-{reading}": tuple(words(reading, 20, "2.5 %", value) for value in (1.11, 1.1))
        for reading in READINGS
    },
    "tolerance.indices-like-features": (costs("indices", "keys", 2.0), costs("indices", "keys", 2.1)),
    "tolerance.words-like-indices": (costs("words", "indices", 2.0), costs("words", "indices", 2.1)),
    **{
        f"length.{mode}": (stays(0.05, 10.0), bad)
        for mode, bad in (
            ("full", stays(0.051, 10.0)),
            ("windowed", stays(0.0, 10.1)),
            ("windowed-sink", stays(0.051, 10.0)),
            ("capped", stays(0.0, 10.1)),
        )
    },
}


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.name)
def test_a_criterion_is_met_by_planted_numbers_and_not_by_their_opposite(finding, decided):
    found = decided[f"gen.{finding.name}.smollm2-135m"].numbers
    for meets, planted in zip((True, False), PLANTED[finding.name], strict=True):
        values = {name: number.value for name, number in found.items()}
        assert not set(planted) - set(values), "a planted number is none that is measured"
        assert bool(finding.supported_by(values | planted)) is meets


# -- made anew -----------------------------------------------------------------------------------------------------


def test_a_damaged_measurement_is_refused_by_name(tmp_path):
    model = measurement.MODELS[0]
    assert measurement.read(model, tmp_path) is None
    folder = measurement.folder_of(model, tmp_path)
    folder.mkdir()
    (folder / "fits.parquet").write_bytes(b"rubbish")
    with pytest.raises(InputError, match="restore it, or remeasure disentanglement"):
        measurement.read(model, tmp_path)


def test_the_plan_is_measured_and_written_as_it_is_read(monkeypatch, tmp_path):
    """The whole way on a tiny model, with a smaller plan."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from letters import lettered, texts_of

    from headproof.checks.trained import models

    torch.set_num_threads(1)
    made = lettered()
    known = committed.MeasuredModel("tiny", "tiny llama", "f" * 64, "nowhere")
    source = dataclasses.replace(made.source, sha256="f" * 64, file="tiny.gguf")
    plan = dataclasses.replace(
        measurement.PLAN, texts=tuple(texts_of(5, words=40)), count=3, tokens=64, tolerance_texts=1,
        tolerance_null_texts=1, tolerance_tokens=64, null_seeds=(0,), seeds=(0,), length=64, extra=16,
    )  # fmt: skip
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(committed, "MODELS", (known,))
    monkeypatch.setattr(models, "find_model", lambda spec: source)
    monkeypatch.setattr(models, "load_model", lambda *_, **__: dataclasses.replace(made, source=source))
    monkeypatch.setattr(measurement, "PLAN", plan)
    model, written = measurement.remeasure("tiny.gguf", "cpu", lambda *_: None, print, tmp_path / "out")
    assert model is known
    assert [path.stem for path in written] == list(TABLES)
    tables = measurement.read(known, tmp_path / "out")
    assert described(tables["fits"])["command"] == "headproof remeasure disentanglement --model tiny.gguf"
    assert set(columns_of(tables["planes"])["text"]) == {"text0"}
    assert set(columns_of(tables["fits"])["text"]) == {"text0", "text1", "text2"}
