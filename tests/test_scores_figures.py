"""Figures `scores` and `scores_frequencies`: rows that agree with the ledger, pictures of them, and captions."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt

from headproof.checks.ledger import records
from headproof.checks.registry import Context
from headproof.checks.trained.committed import MODELS
from headproof.checks.trained.rows import Columns, columns_of, described, rows
from headproof.checks.trained.scores import measurement
from headproof.checks.trained.scores.numbers import BANDS, FACTS_48, TAU, _order_gains
from headproof.paper_figs import scores, scores_frequencies
from headproof.paper_figs.data import as_written
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.groups import COLOURS, MARKERS
from headproof.theory.errors import InputError

pytestmark = pytest.mark.slow
GROUPS = tuple(COLOURS)
NULLS = GROUPS[1:]
FIGURES = {"scores": scores, "scores_frequencies": scores_frequencies}
SLUGS = {model.name: model.slug for model in MODELS}
# The ledger's numbers and a figure's are the same but for digits written.
SAME = 1e-6


@pytest.fixture(scope="module")
def tables() -> Any:
    return scores.committed()


@pytest.fixture(scope="module")
def data(tables: Any) -> dict[str, pa.Table]:
    return {name: as_written(module.gathered(tables)) for name, module in FIGURES.items()}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def ledger(claim: str, model: str) -> dict[str, float]:
    numbers = records()[f"dec.emp.{claim}.{SLUGS[model]}"]["findings"][0]["numbers"]
    return {name: number["value"] for name, number in numbers.items()}


def one(columns: Columns, **wanted: Any) -> Mapping[str, Any]:
    mine = rows(columns, **wanted)
    assert len(mine["kind"]) == 1
    return {name: values[0] for name, values in mine.items()}


# -- rows ----------------------------------------------------------------------------------------------------------


def test_every_head_of_every_group_is_there_once(data: Any) -> None:
    columns = columns_of(data["scores"])
    assert tuple(data["scores"].column_names) == scores.COLUMNS
    for model, about in described(data["scores"]).items():
        layers, heads = (about["model"][name] for name in ("layers", "heads"))
        for group in GROUPS:
            mine = rows(columns, kind="head", model=model, group=group)
            places = set(zip(mine["layer"].tolist(), mine["head"].tolist(), strict=True))
            assert len(mine["layer"]) == len(places) == layers * heads
            assert places == {(layer, head) for layer in range(layers) for head in range(heads)}
            # No average of swaps lies below the chord; scores are committed to five decimals.
            assert (mine["positional"] + mine["symbolic"]).min() > 1 - 1e-4
            assert mine["positional"].max() <= 1
            assert rows(columns, kind="layer", model=model, group=group)["layer"].tolist() == list(range(layers))


@pytest.mark.parametrize("model", SLUGS)
def test_correlations_are_the_ledgers(model: str, data: Any) -> None:
    columns = rows(columns_of(data["scores"]), model=model)
    said = ledger("correlation", model)
    found = one(columns, kind="r", group="trained")
    expected = [said[name] for name in ("r", "r, 2.5 %", "r, 97.5 %")]
    # The ledger's is over scores of five decimals, the figure's as it was measured.
    assert [found[name] for name in ("value", "low", "high")] == pytest.approx(expected, abs=1e-4)
    beyond = ledger("beyond-geometry", model)
    assert one(columns, kind="surrogates", group="trained")["value"] == pytest.approx(beyond["surrogates' mean r"])
    found = one(columns, kind="excess", group="trained")
    expected = [beyond[name] for name in ("excess", "excess, 2.5 %", "excess, 97.5 %")]
    assert [found[name] for name in ("value", "low", "high")] == pytest.approx(expected, abs=SAME)
    learned = ledger("correlation-learned", model)
    for null in NULLS:
        assert one(columns, kind="r", group=null)["value"] == pytest.approx(beyond[f"r, {null}"], abs=SAME)
        assert one(columns, kind="surrogates", group=null)["value"] == pytest.approx(
            beyond[f"surrogates' r, {null}"], abs=SAME
        )
        found = one(columns, kind="excess", group=null)
        assert found["value"] == pytest.approx(learned["excess, trained"] - learned[f"excess, {null}"], abs=SAME)
        ends = [learned[f"excess, trained - {null}, {end} %"] for end in ("2.5", "97.5")]
        assert [found["low"], found["high"]] == pytest.approx(ends, abs=SAME)


@pytest.mark.parametrize("model", SLUGS)
def test_falls_with_depth_are_the_ledgers(model: str, data: Any) -> None:
    columns = rows(columns_of(data["scores"]), model=model, kind="drop")
    said = ledger("depth", model)
    found = one(columns, group="trained")
    expected = [said[name] for name in ("drop", "drop, 2.5 %", "drop, 97.5 %")]
    assert [found[name] for name in ("value", "low", "high")] == pytest.approx(expected, abs=SAME)
    for null in NULLS:
        assert one(columns, group=null)["value"] == pytest.approx(said[f"drop, {null}, largest"], abs=SAME)


@pytest.mark.parametrize("model", SLUGS)
def test_planes_are_counted_as_in_the_ledger(model: str, data: Any) -> None:
    columns = rows(columns_of(data["scores_frequencies"]), model=model)
    about = described(data["scores_frequencies"])[model]["model"]
    for band, (low, high) in BANDS.items():
        said = ledger(band, model)
        for group in GROUPS:
            mine = rows(columns, kind=scores_frequencies.MORE, group=group)
            inside = (mine["wavelength"] >= low) & (mine["wavelength"] < high)
            weights = layers_of(mine["rotation"][inside], about["layers"])
            share = float((mine["value"][inside] * weights).sum() / weights.sum())
            assert share == pytest.approx(said[f"% more positional, {group}"], abs=1e-4), (band, group)


def layers_of(rotations: Any, layers: int) -> Any:
    """How many layers turn alike: all, or of Gemma every sixth by the longer base."""
    return np.where(rotations == 1, layers // 6, layers - (layers // 6 if len(set(rotations)) > 1 else 0))


@pytest.mark.parametrize("model", SLUGS)
def test_gains_by_order_are_the_ledgers(model: str, data: Any) -> None:
    columns = rows(columns_of(data["scores_frequencies"]), model=model, kind="gain")
    said = ledger("frequency-learned", model)
    for null in NULLS:
        found = one(columns, group=null)
        own = said["median gain by order, trained"] - said[f"median gain by order, {null}"]
        ends = [said[f"gain, trained - {null}, {end} %"] for end in ("2.5", "97.5")]
        assert [found["value"], found["low"], found["high"]] == pytest.approx([own, *ends], abs=SAME)


def test_planes_of_layers_that_turn_alike_stand_together(data: Any) -> None:
    columns = columns_of(data["scores_frequencies"])
    assert tuple(data["scores_frequencies"].column_names) == scores_frequencies.COLUMNS
    counts = {
        model: [
            len(rows(columns, model=model, group="trained", kind="symbolic", rotation=number)["value"])
            for number in range(3)
        ]
        for model in SLUGS
    }
    assert counts == {"SmolLM2-135M-Instruct": [32, 0, 0], "Gemma 3 270M": [128, 128, 0]}
    for kind in ("positional", "symbolic"):
        mine = rows(columns, kind=kind)
        assert (mine["low"] <= mine["value"]).all()
        assert (mine["value"] <= mine["high"]).all()
    waves = rows(columns, model="Gemma 3 270M", group="trained", kind="symbolic", rotation=1)["wavelength"]
    assert (np.diff(waves) > 0).all()
    assert waves[0] == pytest.approx(2 * math.pi)


@pytest.mark.parametrize("name", FIGURES)
def test_what_measured_it_stands_with_the_rows_without_the_prompts_texts(name: str, data: Any) -> None:
    for model, about in described(data[name]).items():
        assert about["model"]["sha256"] == {each.name: each.sha256 for each in MODELS}[model]
        assert about["null_seeds"] == [0, 1, 2]
        assert all("text" not in prompt and prompt["sha256"] for prompt in about["prompts"])
        assert len(about["prompts"]) == {"scores": 8, "scores_frequencies": 3}[name]
    assert len(json.dumps(described(data[name]))) < 20_000


# -- pictures and captions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("models", [1, 2])
def test_one_model_or_two_are_drawn_from_the_rows_alone(name: str, models: int, tables: Any, data: Any) -> None:
    few = data[name] if models == 2 else FIGURES[name].gathered(dict(list(tables.items())[:1]))
    with house_style(), warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = FIGURES[name].draw(as_written(few))
        picture.canvas.draw()
    titles = [axes.get_title(loc="left") for axes in picture.axes if axes.get_title(loc="left")]
    assert [title[0] for title in titles] == list("abcdefghi")[: 3 * models + 1 + models]
    assert len(picture.axes) == len(titles)


def test_points_are_the_heads_scores(data: Any) -> None:
    columns = columns_of(data["scores"])
    with house_style():
        picture = scores.draw(data["scores"])
    for axes, (model, group) in zip(picture.axes, [(m, g) for m in SLUGS for g in GROUPS], strict=False):
        heads = rows(columns, kind="head", model=model, group=group)
        points = next(line for line in axes.lines if line.get_marker() == MARKERS[group])
        assert points.get_xdata().tolist() == heads["symbolic"].tolist()
        assert points.get_ydata().tolist() == heads["positional"].tolist()
        circle = next(line for line in axes.lines if line.get_linestyle() == "--")
        assert np.hypot(*circle.get_data()) == pytest.approx(np.ones(len(circle.get_xdata())))


def test_the_r_in_a_panel_is_said_to_be_a_mean_and_is_not_that_of_its_points(data: Any) -> None:
    columns = columns_of(data["scores"])
    with house_style():
        picture = scores.draw(data["scores"])
    apart = []
    for axes, (model, group) in zip(picture.axes, [(m, g) for m in SLUGS for g in GROUPS], strict=False):
        mean = one(columns, kind="r", model=model, group=group)["value"]
        assert axes.texts[0].get_text().startswith(f"mean r {mean:.2f}".replace("-", "−"))
        heads = rows(columns, kind="head", model=model, group=group)
        apart.append(abs(np.corrcoef(heads["symbolic"], heads["positional"])[0, 1] - mean))
    assert max(apart) > 0.1
    assert "not that of the points drawn" in scores.caption(data["scores"])


def test_shares_that_claims_ask_for_are_drawn_over_their_bands_alone(data: Any) -> None:
    with house_style():
        picture = scores_frequencies.draw(data["scores_frequencies"])
    for axes in picture.axes[-len(SLUGS) :]:
        left, right = axes.get_xlim()
        lines = [
            path.vertices for each in axes.collections if hasattr(each, "get_segments") for path in each.get_paths()
        ]
        for band, share in scores_frequencies.ASKED.items():
            low, high = BANDS[band]
            (mine,) = (line for line in lines if line[0, 1] == share)
            assert mine[:, 1].tolist() == [share, share]
            assert mine[:, 0].tolist() == [max(low, left), min(high, right)]
    assert set(BANDS) - set(scores_frequencies.ASKED) == {"highest-frequency"}


@pytest.mark.parametrize("model", SLUGS)
def test_intervals_over_three_prompts_are_their_range_or_little_more(model: str, tables: Any, data: Any) -> None:
    planes = scores.asked(tables[model]["planes"], FACTS_48, TAU)
    gains = {group: _order_gains(rows(planes, group=group), 0) for group in GROUPS}
    columns = rows(columns_of(data["scores_frequencies"]), model=model, kind="gain")
    for null in NULLS:
        each = [
            np.nanmedian(own) - np.nanmedian(other) for own, other in zip(gains["trained"], gains[null], strict=True)
        ]
        assert len(each) == 3
        found = one(columns, group=null)
        assert min(each) - 0.002 <= found["low"] <= min(each) + SAME
        assert max(each) - SAME <= found["high"] <= max(each) + 0.002
    said = scores_frequencies.caption(data["scores_frequencies"])
    assert "the range over resamples of the 3 prompts" in said
    assert "95 % intervals over prompts" not in said
    many = {"a": {"prompts": [{"name": f"binding-48-first-s{seed}"} for seed in range(8)]}}
    assert scores_frequencies._interval(many) == "95 % intervals over prompts"


@pytest.mark.parametrize("name", FIGURES)
def test_verdicts_in_a_caption_come_from_the_ledger_alone(name: str, data: Any) -> None:
    own = FIGURES[name].figure.caption(data[name])
    assert not re.search(r"\b(refuted|holds|supported|undecided)\b", own, re.IGNORECASE)


def test_captions_name_domain_and_numbers(data: Any) -> None:
    said = scores.caption(data["scores"])
    assert "on 8 prompts of the binding task of 256 facts, at the last token, temperature 0.0001" in said
    assert "SmolLM2-135M-Instruct (30 layers of 9 heads) and Gemma 3 270M (18 layers of 4 heads)" in said
    for model in SLUGS:
        learned = ledger("correlation-learned", model)
        for null in NULLS:
            excess = learned["excess, trained"] - learned[f"excess, {null}"]
            assert f"{excess:.2f}".replace("-", "−") + " [" in said
    said = scores_frequencies.caption(data["scores_frequencies"])
    assert "on 3 prompts of the binding task of 48 facts" in said
    assert "below 8 tokens (printed: high on both), from 8 to 128 (positional) and from 4,096 on (symbolic)" in said


def test_what_is_not_committed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "read", lambda model: None)
    for module in FIGURES.values():
        with pytest.raises(InputError, match="has no committed measurement; run headproof remeasure scores"):
            module.figure.compute(Context(), lambda text: None)
