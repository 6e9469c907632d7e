"""The whole run on a tiny model: pieces, tables, summary, criteria; and the command line's one line for bad input."""

import dataclasses
import json
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from letters import lettered, texts_of  # noqa: E402

from headproof import generalize_summary  # noqa: E402
from headproof.checks.trained import kept  # noqa: E402
from headproof.checks.trained.comparing import Measured, compared  # noqa: E402
from headproof.checks.trained.corpus import Text  # noqa: E402
from headproof.checks.trained.disentanglement import generalize as module  # noqa: E402
from headproof.checks.trained.disentanglement.assembling import restored, stored  # noqa: E402
from headproof.checks.trained.disentanglement.columns import TABLES  # noqa: E402
from headproof.checks.trained.disentanglement.generalize import Plan, generalize, passage  # noqa: E402
from headproof.checks.trained.disentanglement.length import measure_seed  # noqa: E402
from headproof.checks.trained.disentanglement.numbers import measured  # noqa: E402
from headproof.checks.trained.disentanglement.summary import summarise  # noqa: E402
from headproof.checks.trained.evidence import area  # noqa: E402
from headproof.checks.trained.rows import columns_of, described, rows  # noqa: E402
from headproof.checks.trained.steering import require_conforming  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

TEXTS = tuple(texts_of(5, words=40))
PLAN = Plan(
    texts=TEXTS,
    count=3,
    tokens=64,
    null_seeds=(0, 1),
    tolerance_texts=3,
    tolerance_null_texts=2,
    tolerance_tokens=64,
    shares=(0.05, 0.1, 0.2),
    seeds=(0, 1),
    length=64,
    extra=16,
    length_seeds=(0, 1, 2),
)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model():
    return lettered()


@pytest.fixture(scope="module")
def found(model):
    return generalize(model, PLAN)


def test_all_tables_are_there_with_their_columns_defined(found):
    assert set(found.tables) == set(TABLES)
    for name, table in found.tables.items():
        assert set(table.column_names) == set(TABLES[name]), name
        assert all(b"definition" in field.metadata for field in table.schema)
        assert described(table)["texts"] == {text.name: text.sha256 for text in TEXTS}
        assert described(table)["settings"]["tokens"] == 64


def test_rows_are_counted(found):
    tables = {name: columns_of(table) for name, table in found.tables.items()}
    heads = 12
    assert len(tables["fits"]["head"]) == 5 * 3 * heads
    assert len(tables["queries"]["head"]) == 2 * 5 * 3 * heads
    assert set(zip(tables["planes"]["group"], tables["planes"]["null_seed"], strict=True)) == {
        ("trained", -1),
        ("fresh", 0),
        ("shuffled", 0),
    }
    moved = rows(tables["tolerance"], group="trained")
    assert len(moved["nll"]) == 3 * (1 + 2 * 3 * (2 * 3 + 1))
    assert len(rows(tables["tolerance"], group="fresh")["nll"]) == 2 * (1 + 3 * 7)
    assert len(tables["outputs"]["head"]) == 3 * heads * 4
    assert len(tables["contexts"]["mode"]) == 3 * 4


def same(one, other):
    """Whether two runs gave the same tables, NaN for NaN."""
    return all(str(one.tables[name].to_pydict()) == str(other.tables[name].to_pydict()) for name in TABLES)


def test_a_second_run_takes_up_the_pieces(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    made = lettered()
    filed = dataclasses.replace(made, source=dataclasses.replace(made.source, sha256="f" * 64))
    plan = dataclasses.replace(PLAN, count=1, tolerance_texts=1, tolerance_null_texts=1, seeds=(0,), null_seeds=(0,))
    steps = []
    first = generalize(filed, plan, lambda *step: steps.append(step))
    assert [step[1] for step in steps] == list(range(1, len(steps) + 1))
    assert steps[-1][1] == steps[-1][2]

    def refuse(*_, **__):
        raise AssertionError("measured anew")

    with monkeypatch.context() as patch:
        patch.setattr(module, "measure_passage", refuse)
        patch.setattr(module.tolerance, "measure_text", refuse)
        patch.setattr(module.length, "measure_seed", refuse)
        second = generalize(filed, plan)
        assert same(first, second)
        with pytest.raises(AssertionError, match="measured anew"):
            generalize(filed, plan, resume=False)
    damaged = sorted((tmp_path / "cache" / "measurements").glob("generalize-*.npz"))
    damaged[0].write_bytes(b"rubbish")
    third = generalize(filed, plan)
    assert same(first, third)


def test_other_code_measures_anew(monkeypatch, tmp_path, model):
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    filed = dataclasses.replace(model, source=dataclasses.replace(model.source, sha256="f" * 64))
    one = kept.place_of("generalize", filed, [1], ("theory",))
    assert one == kept.place_of("generalize", filed, [1], ("theory",))
    assert one != kept.place_of("generalize", filed, [2], ("theory",))
    assert one != kept.place_of("generalize", filed, [1], ("checks",))
    assert kept.place_of("generalize", model, [1], ("theory",)) is None


def test_a_part_by_itself_gives_its_tables(model):
    plan = dataclasses.replace(PLAN, parts=("length",))
    assert set(generalize(model, plan).tables) == {"outputs", "contexts"}


def test_a_piece_of_a_long_context_is_kept_whole(model):
    steerer = require_conforming(model, torch.arange(3, 40))
    piece = measure_seed(steerer, TEXTS, 1, 64, 16)
    again = restored(stored(piece)["context"])
    for name, value in vars(piece).items():
        if isinstance(value, dict):
            assert value.keys() == again.__dict__[name].keys()
            assert all(np.array_equal(value[key], again.__dict__[name][key]) for key in value)
        else:
            assert np.array_equal(value, again.__dict__[name])


def test_the_summary_is_plain_and_says_what_the_tables_say(found):
    summary = summarise(found)
    assert json.loads(json.dumps(summary)) == summary
    fits = rows(columns_of(found.tables["fits"]), group="trained")
    by_head = fits["correlation"].reshape(3, 12).mean(axis=0)
    assert summary["heads"][0]["trained"] == pytest.approx(np.median(by_head))
    assert {entry["claim"] for entry in summary["claims"]} >= {"gen.additive.reached", "gen.length.capped"}
    repeats = bool(columns_of(found.tables["contexts"])["repeats"].any())
    for entry in summary["claims"]:
        assert (entry["met"] is None) == (repeats and "length" in entry["claim"]), entry
    moved = columns_of(found.tables["tolerance"])
    plain = rows(moved, group="trained", reading="none")["nll"].mean()
    shuffled = rows(moved, group="trained", reading="shuffled", level="words")["nll"].reshape(3, 2).mean()
    entry = next(each for each in summary["tolerance"] if each["reading"] == "shuffled")
    assert entry["words"] == pytest.approx(math.exp(shuffled - plain))


def test_with_two_texts_criteria_have_no_verdict(model):
    plan = dataclasses.replace(PLAN, parts=("heads",), texts=TEXTS[:2])
    summary = summarise(generalize(model, plan))
    assert all(entry["met"] is None for entry in summary["claims"])


def test_a_random_model_meets_no_claim_about_learning(found):
    """The tiny model is itself a fresh one: nothing tells it from its nulls."""
    met = {entry["claim"]: entry["met"] for entry in summarise(found)["claims"]}
    for name in ("additive.means-tell", "additive.beyond-means", "thm2.pattern", "thm2.pattern-matters"):
        assert met[f"gen.{name}"] is False
    assert met["gen.thm2.bound-on-heads"] is True


def test_shares_that_a_criterion_does_not_name_leave_it_open(model):
    plan = dataclasses.replace(PLAN, parts=("tolerance",), shares=(0.5,), seeds=(0,), null_seeds=(0,))
    summary = summarise(generalize(model, plan))
    assert summary["tolerance"]
    assert {entry["met"] for entry in summary["claims"]} == {None}


def test_a_control_can_be_met():
    """A null's first seed that looks trained, beside poor other ones, meets what a control must not meet."""
    generator = np.random.default_rng(0)
    good, poor = 0.9 + 0.01 * generator.random((6, 50)), 0.1 + 0.01 * generator.random((3, 6, 50))
    nulls = {"fresh": poor, "shuffled": np.concatenate([good[None], poor[1:]])}
    of = Measured(good + 0.01, nulls, tuple("abcdef"))
    control = compared("r", of.with_null(), 0)
    assert all(control[f"median r, trained - {null}, 2.5 %"].value > 0 for null in nulls)
    honest = compared("r", Measured(good, {"fresh": poor, "shuffled": poor}, of.texts).with_null(), 0)
    assert not all(honest[f"median r, trained - {null}, 2.5 %"].value > 0 for null in nulls)


def test_heads_without_a_value_are_left_out_everywhere():
    columns = {
        "group": np.repeat(["trained", "fresh", "shuffled"], 6),
        "null_seed": np.repeat([-1, 0, 0], 6),
        "text": np.tile(np.repeat(["a", "b", "c"], 2), 3),
        "layer": np.zeros(18, int),
        "head": np.tile([0, 1], 9),
        "x": np.arange(18.0),
    }
    columns["x"][7] = np.nan
    of = measured(columns, lambda rows: rows["x"])
    assert of.trained.shape == (3, 1)
    assert of.nulls["fresh"].shape == (1, 3, 1)
    assert math.isnan(area(np.array([np.nan]), np.ones(3)))
    assert area(np.array([2.0, np.nan]), np.array([1.0, np.nan])) == 1


def test_area_under_the_curve():
    generator = np.random.default_rng(0)
    one, other = generator.normal(size=40), generator.normal(size=50)
    literal = np.mean((one[:, None] > other) + 0.5 * (one[:, None] == other))
    assert area(one, other) == pytest.approx(literal)
    assert area(np.ones(3), np.ones(4)) == 0.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": ("heads", "tails")}, "unknown part 'tails'"),
        ({"parts": ()}, "no part is chosen"),
        ({"null_seeds": ()}, "null seeds"),
        ({"seeds": (1, 1)}, "seeds"),
        ({"length_seeds": (0,)}, "one seed of long contexts"),
        ({"shares": (0.0,)}, "a share of 0 of the words"),
        ({"shares": ()}, "no shares of words"),
        ({"count": 0}, "count 0; give 1 or more"),
        ({"extra": 1}, "extra 1; give 2 or more"),
        ({"tokens": 63}, "tokens 63; give 64 or more"),
        ({"texts": TEXTS[:4]}, "4 texts for long contexts in several orders; give 5 or more"),
        ({"texts": (TEXTS[0], TEXTS[0])}, "two texts have the name 'text0'"),
        ({"texts": (TEXTS[0], Text("other", TEXTS[0].text))}, "the texts 'text0' and 'other' are the same"),
    ],
)
def test_plans_that_mean_nothing_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        dataclasses.replace(PLAN, **changes)


def test_short_texts_and_nulls_are_refused_before_anything_runs(model):
    with pytest.raises(InputError, match="the text text0 has fewer than 900 tokens"):
        passage(model, TEXTS[0], 900)
    with pytest.raises(InputError, match="is a null itself"):
        generalize(dataclasses.replace(model, null="fresh 0"), PLAN)
    with pytest.raises(InputError, match=r"a training length of 100; the config of .* has 64 positions"):
        generalize(model, dataclasses.replace(PLAN, length=100))
    with pytest.raises(InputError, match="29 texts; the corpus has 28"):
        generalize(model, dataclasses.replace(PLAN, texts=(), count=29))
    half = lettered()
    with pytest.raises(InputError, match="is in bfloat16; load it in float32 or float64"):
        generalize(dataclasses.replace(half, model=half.model.to(torch.bfloat16)), PLAN)


def test_a_model_that_cannot_be_steered_is_told_so_at_once_and_has_heads_all_the_same():
    still = lettered("gpt2")
    steps = []
    with pytest.raises(InputError, match=r"does not rotate .*measure the part heads alone \(--parts heads\)"):
        generalize(still, PLAN, lambda *step: steps.append(step))
    assert not steps
    found = generalize(still, dataclasses.replace(PLAN, parts=("heads",), texts=TEXTS[:1], null_seeds=(0,)))
    queries = columns_of(found.tables["queries"])
    assert np.allclose(queries["interaction"], 0, atol=1e-6)
    summary = summarise(found)
    assert summary["largest_ratio"] is None
    generalize_summary.show(summary)  # says so, and does not fail


# -- the command line ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--parts heads,foo", "unknown part 'foo'; there are heads, tolerance, length"),
        ("--texts 0", "--texts '0' is not a whole number from 1"),
        ("--tokens 8", "--tokens '8' is not a whole number from 64"),
        ("--null-seeds 0", "--null-seeds '0' is not a whole number from 1"),
        ("--shares 0", "--shares '0' is no share of the words; give per cent above 0, such as 2.5,5,10,20"),
        ("--shares 5,x", "--shares 'x' is no share of the words"),
        ("--draws 0", "--draws '0' is not a whole number from 1"),
        ("--orders 1", "--orders '1' is not a whole number from 2"),
        ("--length 3", "--length '3' is not a whole number from 16"),
        ("--dtype bfloat16", "--dtype 'bfloat16'; generalize measures in float32 or float64"),
        ("--parts tolerance --heads 0:0", "--heads is no option of the parts tolerance; it belongs to heads"),
        ("--parts heads --shares 5", "--shares is no option of the parts heads; it belongs to tolerance"),
        ("--parts length --tokens 100", "--tokens is no option of the parts length; it belongs to heads and tolerance"),
        ("--parts heads,heads", "parts heads, heads; name each once"),
        ("--heads 12", "--heads '12' is no head; write LAYER:HEAD"),
        ("--file /nonexistent.txt", "/nonexistent.txt"),
        ("/nonexistent.gguf", "no model at '/nonexistent.gguf'"),
    ],
)
def test_bad_input_gets_one_line_before_a_model_is_loaded(headproof, arguments, message):
    ran = headproof("generalize", *arguments.split())
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("headproof: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1
