"""The committed measurement of the scores: read back, judged by criteria that can fail, made anew by its plan."""

import dataclasses
import json

import numpy as np
import pyarrow as pa
import pytest

from headproof.checks.registry import Context
from headproof.checks.trained import committed
from headproof.checks.trained.rows import columns_of, described
from headproof.checks.trained.scores import measurement, numbers, verdicts
from headproof.theory.claim import Verdict
from headproof.theory.errors import InputError
from headproof.theory.scores.empirical_claims import EMPIRICAL, FINDINGS, MEASURED, ON_MODELS, PRINTED, claim_id
from headproof.theory.scores.reading import agreements

MODELS = {model.slug: model for model in measurement.MODELS}


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
    about = described(tables["heads"])
    assert about["model"]["sha256"] in {model.sha256 for model in measurement.MODELS}
    assert about["command"].startswith("headproof remeasure scores")
    assert {"torch", "transformers", "numpy"} <= set(about["versions"])
    assert about["null_seeds"] == list(measurement.NULL_SEEDS)
    names = [prompt["name"] for prompt in about["prompts"]]
    assert len(set(names)) == len(names) == 3 * measurement.SEEDS
    for name, table in tables.items():
        assert tuple(table.column_names) == measurement.KEPT[name]


def test_every_group_seed_and_head_is_there(tables, columns):
    about = described(tables["heads"])
    heads = columns["heads"]
    per_setting = about["model"]["layers"] * about["model"]["heads"]
    assert len(heads["head"]) == 3 * measurement.SEEDS * 7 * 3 * per_setting
    assert set(columns["planes"]["null_seed"]) == {-1, *measurement.NULL_SEEDS}
    assert float(heads["conformance"].max()) <= 1e-4
    scored = heads["blocks"] >= 2
    for name in ("positional", "symbolic"):
        assert np.isnan(heads[name][~scored]).all()
        assert ((heads[name][scored] >= 0) & (heads[name][scored] <= 1)).all()


# -- verdicts ------------------------------------------------------------------------------------------------------


def test_every_empirical_claim_is_decided(decided):
    assert set(decided) == {claim.id for claim in EMPIRICAL}
    assert {decided[claim.id].verdict for claim in PRINTED} == {Verdict.NOT_RUN}
    assert {decided[claim.id].verdict for claim in MEASURED} <= {Verdict.SUPPORTED, Verdict.NOT_SUPPORTED}


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.id)
def test_controls_are_those_named_and_came_back_as_they_must(claim, decided):
    controls = decided[claim.id].details["controls"]
    assert [control["mutant"] for control in controls] == list(claim.controls)
    assert all(control["passed"] for control in controls), controls


def test_a_verdict_names_the_prompts_that_it_was_read_from(decided):
    """Planes are kept of three prompts, heads of all."""
    for slug in MODELS:
        assert "8 prompts (binding-256-first-s0" in decided[f"dec.emp.correlation.{slug}"].domain
        for name in ("low-frequency", "frequency-learned"):
            said = decided[f"dec.emp.{name}.{slug}"].domain
            assert "3 prompts (binding-48-first-s0, binding-48-last-s2, binding-48-middle-s1)" in said


def test_without_a_measurement_nothing_is_decided(monkeypatch):
    monkeypatch.setattr(measurement, "read", lambda model: None)
    found = verdicts.decide_empirical(Context())
    assert {decision.verdict for decision in found.values()} == {Verdict.NOT_RUN}
    assert "headproof remeasure scores" in found[claim_id(FINDINGS[0], "gemma-3-270m")].summary


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.name)
def test_a_criterion_tells_the_trained_heads_from_a_planted_opposite(finding, columns):
    """Each criterion is met by numbers planted to meet it, and not by numbers planted against it."""
    found, _ = numbers.MEASURES[finding.name](columns, 0)
    for meets, planted in ((True, PLANTED[finding.name][0]), (False, PLANTED[finding.name][1])):
        values = {name: number.value for name, number in found.items()} | planted
        assert bool(finding.supported_by(values)) is meets


DROPS = {"drop": 0.3, "drop, 2.5 %": 0.1, "drop, fresh, largest": 0.0, "drop, shuffled, largest": 0.1}
BELOW = {f"least r of a seed, {null}": -0.4 for null in ("fresh", "shuffled")}
FOUND = {**BELOW, "r": -0.5, "p": 1e-4, "r, 97.5 %": -0.4}
LEARNED = {f"excess, trained - {null}, 97.5 %": -0.01 for null in ("fresh", "shuffled")}
GAIN = {f"gain, trained - {null}, 2.5 %": 0.01 for null in ("fresh", "shuffled")}
BOTH = {"median s_pos, trained": 0.99, "median s_sym, trained": 0.99}
PLANTED = {
    "correlation": (FOUND, FOUND | {"p": 2e-4}),
    "beyond-geometry": ({"p": 0.01, "excess, 97.5 %": -0.1}, {"p": 0.01, "excess, 97.5 %": 0.01}),
    "correlation-learned": (LEARNED, LEARNED | {"excess, trained - fresh, 97.5 %": 0.01}),
    "depth": ({**DROPS, "Spearman": -0.5, "p": 0.01}, {**DROPS, "drop": 0.05, "Spearman": -0.5, "p": 0.01}),
    "low-frequency": (
        {"% more symbolic, trained": 95.0, "median s_sym, trained": 0.95},
        {"% more symbolic, trained": 85.0, "median s_sym, trained": 0.95},
    ),
    "high-frequency": (
        {"% more positional, trained": 95.0, "median s_pos, trained": 0.95},
        {"% more positional, trained": 95.0, "median s_pos, trained": 0.85},
    ),
    "highest-frequency": (
        {**BOTH, "% high on both, trained": 80.0, "% high on both, 8 to 128 tokens": 50.0},
        {**BOTH, "% high on both, trained": 50.0, "% high on both, 8 to 128 tokens": 50.0},
    ),
    "frequency-learned": (GAIN, GAIN | {"gain, trained - fresh, 2.5 %": -0.01}),
}


def test_a_null_has_the_least_r_of_its_seeds_below_it():
    assert not FINDINGS[0].supported_by(FOUND | {"least r of a seed, shuffled": -0.6})


@pytest.mark.parametrize(
    ("votes", "best"),
    [
        ([1, 1, -1, -1], 1.0),
        ([-1, -1, 1, 1], 0.5),
        ([1, -1, 1, -1], 0.75),
        ([3, -1, 1, -1], 5 / 6),
        ([0, 0, 0, 0], None),
    ],
)
def test_agreements_are_the_best_parting(votes, best):
    found = agreements(np.array([votes], dtype=float)).max(axis=1)
    assert np.isnan(found[0]) if best is None else found[0] == pytest.approx(best)


def test_shuffled_labels_change_the_verdict_on_depth(columns):
    """Heads of the first half exchanged with those of the second: the drop turns its sign."""
    heads = columns["heads"]
    last = heads["layer"].max()
    turned = {**columns, "heads": {**heads, "layer": last - heads["layer"]}}
    one, other = (numbers.MEASURES["depth"](each, 0)[0]["Spearman"].value for each in (columns, turned))
    assert other == pytest.approx(-one, abs=1e-9)


# -- files ---------------------------------------------------------------------------------------------------------


def test_a_damaged_measurement_is_refused_by_name(tmp_path):
    model = measurement.MODELS[0]
    assert measurement.read(model, tmp_path) is None
    folder = measurement.folder_of(model, tmp_path)
    folder.mkdir()
    (folder / "heads.parquet").write_bytes(b"rubbish")
    with pytest.raises(InputError, match="cannot read the measurement"):
        measurement.read(model, tmp_path)


def test_an_unknown_model_has_no_measurement():
    with pytest.raises(InputError, match="no committed measurement; use headproof profile"):
        committed.known("0" * 64, "other", "profile")


def test_the_plan_is_measured_and_written_as_it_is_read(monkeypatch, tmp_path):
    """The whole way on a tiny model, with a plan of two prompts."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from zoo import GROUPED, tiny

    from headproof.checks.trained import models
    from headproof.checks.trained.scores.pieces import Settings
    from headproof.checks.trained.scores.profile import profile
    from headproof.checks.trained.tasks import induction_prompts

    torch.set_num_threads(1)
    made = tiny("llama", **GROUPED)
    known = committed.MeasuredModel("tiny", "tiny llama", "f" * 64, "nowhere")
    source = dataclasses.replace(made.source, sha256="f" * 64, file="tiny.gguf")
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(committed, "MODELS", (known,))
    monkeypatch.setattr(models, "find_model", lambda spec: source)
    monkeypatch.setattr(models, "load_model", lambda *_, **__: dataclasses.replace(made, source=source))
    monkeypatch.setattr(measurement, "PLANES_OF", "^induction-12")
    settings = Settings(("last",), measurement.TEMPERATURES, True, surrogates=3)
    monkeypatch.setattr(
        measurement,
        "_parts",
        lambda loaded: [
            lambda progress, length=length: profile(loaded, induction_prompts(loaded, length), settings, (0,), progress)
            for length in (12, 16)
        ],
    )
    model, written = measurement.remeasure("tiny.gguf", "cpu", lambda *_: None, print, tmp_path / "out")
    assert model is known
    assert [path.name for path in written] == ["heads.parquet", "planes.parquet", "correlations.parquet"]
    tables = measurement.read(known, tmp_path / "out")
    assert described(tables["heads"])["command"] == "headproof remeasure scores --model tiny.gguf"
    assert len({prompt["name"] for prompt in described(tables["heads"])["prompts"]}) == 6
    planes = columns_of(tables["planes"])
    assert set(planes["temperature"]) == {measurement.TEMPERATURES[0]}
    assert all(name.startswith("induction-12") for name in planes["prompt"])
    assert json.loads(tables["planes"].schema.metadata[b"headproof"])["model"]["architecture"] == "LlamaForCausalLM"
    assert isinstance(tables["heads"], pa.Table)
