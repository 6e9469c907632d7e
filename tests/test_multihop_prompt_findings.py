"""Claims about the 1-hop tasks as prompts: numbers, criteria and controls on made tables, and the committed ones."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("torch")

from headproof.checks.registry import Context
from headproof.checks.trained import committed
from headproof.checks.trained.judging import judge, met
from headproof.checks.trained.multihop import measurement, prompt_verdicts
from headproof.checks.trained.multihop.defined import defined_table
from headproof.checks.trained.multihop.prompt_numbers import MEASURES, Answers, Share, difference
from headproof.checks.trained.multihop.prompts import PROMPTS_TABLE, Asked, Plan
from headproof.checks.trained.multihop.wilson import wilson
from headproof.checks.trained.rows import columns_of
from headproof.paper_figs.multihop_prompts import figure
from headproof.theory.claim import Verdict
from headproof.theory.empirical import ON_MODELS
from headproof.theory.errors import InputError
from headproof.theory.multihop.prompt_findings import (
    PRINTED_LENGTHS,
    PRINTED_MEANS,
    PROMPT_CLAIMS,
    PROMPT_FINDINGS,
)

pytestmark = pytest.mark.torch
TASKS = ("number", "letter", "letter-value")
GUESSED = {"number": 0.08, "letter": 0.08, "letter-value": 0.15}
NAMES = [finding.name for finding in PROMPT_FINDINGS]
FINDING = {finding.name: finding for finding in PROMPT_FINDINGS}
# Like the first printed model, but that its intervals are clear of the criteria; digits are like letters.
PRINTED = {
    "number": dict(zip(PRINTED_LENGTHS, (0.70, 0.60, 0.50, 0.30, *PRINTED_MEANS[0][0][4:]), strict=True)),
    "letter": dict(zip(PRINTED_LENGTHS, (*PRINTED_MEANS[0][1][:-1], 0.70), strict=True)),
}
PRINTED["letter-value"] = PRINTED["letter"]


def made(trained, another=0.0, fresh=None, written=1.0):
    """A table of a model with these accuracies by task and length, shares of them with another query and as written;
    fresh models guess."""
    rows = []
    for part in Plan().parts():
        for task in TASKS:
            if (task == "number") != (part.tasks == ("number",)):
                continue
            # No claim is about lengths that are not printed: nothing is found there.
            share = trained[task].get(part.length, 0.0) * (another if part.control == "shuffled" else 1)
            if part.group == "fresh":
                share = GUESSED[task] if fresh is None else fresh
            right = round(share * part.count)
            low, high = wilson(right, part.count)
            row = dict.fromkeys(PROMPTS_TABLE, 0.5)
            row |= {"group": part.group, "null_seed": part.null_seed, "task": task, "control": part.control}
            row |= {"length": part.length, "prompts": part.count, "right": float(right), "low": low, "high": high}
            row |= {"accuracy": right / part.count, "chance": 0.05, "frequent": GUESSED[task]}
            rows.append({**row, "greedy": round(written * right) / part.count})
    return defined_table(PROMPTS_TABLE, rows)


def flat(**shares):
    """The same accuracy of a task at all lengths."""
    return {task: dict.fromkeys(PRINTED_LENGTHS, shares.get(task.replace("-", "_"), GUESSED[task])) for task in TASKS}


def judged(name, table):
    numbers, controls = MEASURES[name](columns_of(table))
    about = {"command": "", "versions": {}, "device": "", "dtype": ""}
    return judge(FINDING[name], numbers, controls, (), committed.MODELS[0], "made", about)


# -- criteria ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_model_like_the_printed_ones_supports_every_finding(name):
    table = made(PRINTED)
    numbers, controls = MEASURES[name](columns_of(table))
    assert not [key for key, number in numbers.items() if np.isnan(number.value)]
    assert set(controls) == set(FINDING[name].controls)
    assert {key: met(FINDING[name], found) for key, found in controls.items()} == dict.fromkeys(controls, False)
    assert judged(name, table).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "table", [made(flat(), another=1.0), made(flat(number=0.9), another=1.0, written=0.5)], ids=["guesses", "numbers"]
)
def test_a_model_that_shows_none_of_it_supports_none(name, table):
    found = judged(name, table)
    # Of a model that is good at numbers alone and reads no query, one is true: it is above guessing.
    above = name == "numbers-above-rules" and found.numbers["accuracy"].value > 0.5
    assert met(FINDING[name], found.numbers) is above
    assert found.verdict is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize("name", NAMES)
def test_every_control_trips_if_it_shows_what_is_claimed(name):
    """Each control is upheld on a table made so that it meets the criterion in the trained model's place."""
    tables = {
        "another query asked, the old answer counted": made(PRINTED, another=1.0),
        "the tasks exchanged": made({"number": PRINTED["letter"], **dict.fromkeys(TASKS[1:], PRINTED["number"])}),
        "numbers for letters": made(flat(number=0.9)),
        "the two lengths exchanged": made(
            {**PRINTED, "number": {length: 0.1 if length < 32 else 0.9 for length in PRINTED_LENGTHS}}
        ),
        "the plain and the other query exchanged": made(flat(number=0.1, letter=0.1, letter_value=0.1), another=9.0),
    }
    for control in FINDING[name].controls:
        if control in tables:
            numbers = MEASURES[name](columns_of(tables[control]))[1][control]
            assert met(FINDING[name], numbers), control


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("numbers-fall", "numbers-fade")])
def test_a_fresh_model_that_shows_it_trips_its_control(name):
    """A fresh model that answers as the printed one: its own rows stand in the table as the trained model's do."""
    rows = made(PRINTED).to_pylist()
    shown = {(row["control"], row["task"], row["length"]): row for row in rows if row["group"] == "trained"}
    for row in rows:
        if row["group"] == "fresh" and row["null_seed"] == 0:
            like = shown[row["control"], row["task"], row["length"]]
            row |= {key: like[key] for key in ("right", "prompts", "greedy", "accuracy")}
    found = judged(name, defined_table(PROMPTS_TABLE, rows))
    assert found.verdict is Verdict.NOT_SUPPORTED
    failed = [each["mutant"] for each in found.details["controls"] if not each["passed"]]
    assert failed == ["a fresh model, seed 0, for the trained one"]


@pytest.mark.parametrize(
    ("name", "number", "value"),
    [
        ("letters-above-numbers", "least letter - number, 2.5 %", 0),
        ("numbers-fall", "number at 12, 2.5 %", 0.5),
        ("numbers-fall", "number at 32, 97.5 %", 0.5),
        ("numbers-fade", "fall beyond guessing, 2.5 %", 0),
        ("letters-stay", "at the longest, 2.5 %", 0.39),
        ("numbers-read-the-query", "least plain - other query, 2.5 %", 0),
        ("numbers-above-rules", "least accuracy - fresh seed, 2.5 %", 0),
        ("numbers-above-rules", "accuracy, 2.5 %", 0.08),
        ("screen", "letter at 16", 0.84),
    ],
)
def test_each_criterion_at_its_edge(name, number, value):
    numbers, _ = MEASURES[name](columns_of(made(PRINTED)))
    values = {key: each.value for key, each in numbers.items()}
    assert FINDING[name].supported_by(values)
    assert not FINDING[name].supported_by({**values, number: value})


def test_one_length_below_is_enough_to_refuse():
    letters = {**PRINTED["letter"], 100: PRINTED["number"][100]}
    found = judged("letters-above-numbers", made({**PRINTED, "letter": letters}))
    assert found.verdict is Verdict.NOT_SUPPORTED
    assert found.numbers["lengths with letter above"].value == 9


def test_digits_above_numbers_by_guessing_do_not_count():
    values = flat(number=0.02, letter_value=0.3)
    table = made(values).to_pylist()
    for row in table:
        row["frequent"] = 0.3 if row["task"] == "letter-value" else 0.02
    numbers, _ = MEASURES["values-above-numbers"](columns_of(defined_table(PROMPTS_TABLE, table)))
    assert numbers["least letter - number, 2.5 %"].value < 0 < numbers["letter at 12"].value - 0.2


# -- intervals -----------------------------------------------------------------------------------------------------


def test_the_interval_of_a_difference_covers():
    generator = np.random.default_rng(0)
    for one, other in ((0.9, 0.5), (0.3, 0.05), (0.05, 0.05)):
        drawn = zip(generator.binomial(80, one, 2000), generator.binomial(40, other, 2000), strict=True)
        ends = np.array([difference(Share(int(a), 80), Share(int(b), 40)) for a, b in drawn])
        covered = ((ends[:, 0] <= one - other) & (one - other <= ends[:, 1])).mean()
        assert 0.93 <= covered <= 0.99


def test_the_interval_of_a_difference_turns_round():
    one, other = Share(70, 80), Share(5, 40)
    low, high = difference(one, other)
    assert difference(other, one) == pytest.approx((-high, -low))


def test_a_row_that_is_not_there():
    columns = columns_of(made(PRINTED))
    with pytest.raises(InputError, match="0 rows of fresh 7, number at 12"):
        Answers(columns, seed=7).at("number", 12)


# -- claims and verdicts -------------------------------------------------------------------------------------------


def test_claims_are_those_of_both_models():
    ids = {f"dyn.llm.{name}.{slug}" for name in NAMES for slug in ON_MODELS}
    assert {claim.id for claim in PROMPT_CLAIMS} == {*ids, "dyn.llm.printed"}
    assert len(PROMPT_CLAIMS) == len(ids) + 1
    assert set(MEASURES) == set(NAMES)


def test_verdicts_come_from_the_committed_tables(monkeypatch):
    first = committed.MODELS[0].slug
    about = {"command": "", "versions": {}, "device": "cpu", "dtype": "float32", "settings": dataclasses.asdict(Plan())}
    table = made(PRINTED).replace_schema_metadata({"headproof": json.dumps(about)})
    monkeypatch.setattr(measurement, "read_prompts", lambda model: table if model.slug == first else None)
    found = prompt_verdicts.decide_prompts(Context())
    assert found.keys() == {claim.id for claim in PROMPT_CLAIMS}
    for name, decision in found.items():
        expected = Verdict.SUPPORTED if name.endswith(first) else Verdict.NOT_RUN
        assert decision.verdict is expected, name
    assert "80 prompts a length" in found[f"dyn.llm.screen.{first}"].domain


def test_the_figure_of_made_answers(monkeypatch):
    about = {"settings": dataclasses.asdict(Plan())}
    table = made(PRINTED).replace_schema_metadata({"headproof": json.dumps(about)})
    monkeypatch.setattr(measurement, "read_prompts", lambda model: table)
    data = figure.compute(Context(), lambda _: None)
    kinds = columns_of(data)["kind"]
    counted = {kind: int((kinds == kind).sum()) for kind in np.unique(kinds)}
    assert counted == {"trained": 66, "chance": 66, "frequent": 66, "other query": 24, "fresh": 24, "printed": 60}
    drawn = figure.draw(data)
    assert [axes.get_title(loc="left") or axes.get_title() for axes in drawn.axes] == [
        f"{letter}  {model.name}" for letter, model in zip("ab", committed.MODELS, strict=True)
    ]
    assert "number 0.00 to 0.05" in figure.caption(data)
    monkeypatch.setattr(measurement, "read_prompts", lambda model: None)
    with pytest.raises(InputError, match="no answers to prompts are committed"):
        figure.compute(Context(), lambda _: None)


def test_a_measurement_is_written_and_read_back(tmp_path: Path, monkeypatch):
    model = committed.MODELS[0]
    table = made(PRINTED)
    source = type("Source", (), {"sha256": model.sha256, "name": model.name, "file": "some.gguf"})
    asked = []

    def ask(loaded, progress):
        asked.append(loaded)
        return Asked(table, {"device": "cpu", "dtype": "float32", "versions": {}})

    monkeypatch.setattr(measurement, "find_model", lambda spec: source)
    monkeypatch.setattr(measurement, "load_model", lambda source, device, message: source.name)
    monkeypatch.setattr(measurement.asked_prompts, "ask", ask)
    assert measurement.read_prompts(model, tmp_path) is None
    remade, written = measurement.remeasure("some.gguf", "cpu", lambda *_: None, lambda _: None, tmp_path)
    assert (remade.name, written) == (model.name, [tmp_path / model.slug / "prompts.parquet"])
    assert asked == [model.name]
    found = measurement.read_prompts(model, tmp_path)
    assert isinstance(found, pa.Table)
    assert found.column_names == list(PROMPTS_TABLE)
    assert all(
        found.schema.field(name).metadata[b"definition"].decode() == PROMPTS_TABLE[name] for name in PROMPTS_TABLE
    )
    assert found["accuracy"].to_pylist() == pytest.approx(table["accuracy"].to_pylist(), abs=1e-5)
    facts = json.loads(found.schema.metadata[b"headproof"])
    assert facts["command"] == "headproof remeasure multihop --model some.gguf"


def test_another_model_is_refused(tmp_path: Path, monkeypatch):
    source = type("Source", (), {"sha256": "0" * 64, "name": "some model", "file": "some.gguf"})
    monkeypatch.setattr(measurement, "find_model", lambda spec: source)
    with pytest.raises(InputError, match="some model has no committed measurement"):
        measurement.remeasure("some.gguf", "cpu", lambda *_: None, lambda _: None, tmp_path)
