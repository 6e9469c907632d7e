"""Plots of generalize: what is drawn is what the tables hold, and files come all or none and always the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from headproof.checks.registry import Context
from headproof.checks.trained import committed
from headproof.checks.trained.evidence import over_prompts
from headproof.checks.trained.rows import columns_of
from headproof.paper_figs import disentanglement
from headproof.paper_figs.figure import house_style
from headproof.paper_figs.generalize_curves import KEY_COLOUR, false_distance, panels_of
from headproof.paper_figs.generalize_fits import FITS, additive_fit
from headproof.paper_figs.generalize_length import MODES, long_context
from headproof.paper_figs.generalize_planes import deviations, turning_pattern
from headproof.paper_figs.generalize_plots import FIGURES, captions, targets, write_plots
from headproof.paper_figs.generalize_tolerance import LEVELS, cost, order_tolerance
from headproof.paper_figs.groups import COLOURS, NAMES
from headproof.theory.errors import InputError

GROUPS = {"trained": (-1,), "fresh": (0, 1), "shuffled": (0, 1)}
FIRST = {"trained": (-1,), "fresh": (0,), "shuffled": (0,)}
TEXTS = ("one", "three", "two")
LAYERS, HEADS, KEYS, PLANES = 3, 2, 12, 5
ABOUT: dict[str, Any] = {
    "model": {"name": "some model", "sha256": "ab" * 32, "layers": LAYERS, "heads": HEADS},
    "settings": {"tokens": KEYS + 1, "tolerance_tokens": 64, "count": len(TEXTS)},
    "null_seeds": [0, 1],
}
SHARES = (0.05, 0.1, 0.2)


def grid(axes: Mapping[str, Any], groups: Mapping[str, tuple[int, ...]] = GROUPS) -> dict[str, Any]:
    """Every combination of values for every model, a column an axis."""
    parts = []
    for group, seeds in groups.items():
        arrays = np.meshgrid(np.array(seeds), *(np.array(values) for values in axes.values()), indexing="ij")
        columns = dict(zip(("null_seed", *axes), (values.reshape(-1) for values in arrays), strict=True))
        parts.append({"group": np.full(len(columns["null_seed"]), group), **columns})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def table(columns: Mapping[str, Any], encoded: bool = True) -> pa.Table:
    """A table with what made it; text as a dictionary or plain."""
    made = pa.table({name: pa.array(values) for name, values in columns.items()})
    for name in made.column_names:
        if encoded and pa.types.is_string(made.schema.field(name).type):
            made = made.set_column(made.column_names.index(name), name, made[name].dictionary_encode())
    return made.replace_schema_metadata({b"headproof": json.dumps(ABOUT).encode()})


def tables(encoded: bool = True, seed: int = 0) -> dict[str, pa.Table]:
    """Made-up tables of generalize: 3 texts, 3 layers of 2 heads."""
    chance = np.random.default_rng(seed)
    places = {"text": TEXTS, "layer": range(LAYERS), "head": range(HEADS)}
    fits = grid(places)
    for name in (*(name for name, _ in FITS), "position_correlation", "content_correlation"):
        fits[name] = chance.random(len(fits["layer"])).astype(np.float32)
    queries = grid({**places, "asked": (0.5, 1.0)})
    for name in ("interaction_share", "interaction_share_reordered", "tightness_50", "tightness_95", "interaction"):
        queries[name] = 0.01 + 0.6 * chance.random(len(queries["layer"]))
    queries |= {"bound": 2 * queries["interaction"], "tightness_proven": 0.9 * queries["tightness_95"]}
    planes = grid({**places, "plane": range(PLANES)}, FIRST)
    planes["frequency"] = 10.0 ** -planes["plane"].astype(float)
    planes["key_deviation"] = 0.1 + chance.random(len(planes["plane"]))
    curves = grid({"text": TEXTS[:2], "layer": (0, 2), "head": (1,), "key": (-1, 0, 7), "distance": (1, 5, 9)}, FIRST)
    shared = curves["key"] == -1
    curves["component"] = chance.normal(size=len(shared))
    curves["error"] = np.where(shared, 0.1 + chance.random(len(shared)), np.nan)
    made = {
        "fits": fits, "queries": queries, "planes": planes, "curves": curves, "tolerance": moved(chance),
        "outputs": beyond(chance), "contexts": contexts(chance),
    }  # fmt: skip
    return {name: table(columns, encoded) for name, columns in made.items()}


def moved(chance: np.random.Generator, texts: tuple[str, ...] = TEXTS) -> dict[str, Any]:
    parts = []
    for reading, asked, levels, seeds in (
        ("none", (0.0,), ("none",), (-1,)),
        ("neighbours", SHARES, tuple(LEVELS), (0, 1)),
        ("anywhere", SHARES, tuple(LEVELS), (0, 1)),
        ("shuffled", (1.0,), tuple(LEVELS), (0, 1)),
    ):
        part = grid({"text": texts, "seed": seeds, "level": levels, "asked": asked}, FIRST)
        parts.append({**part, "reading": np.full(len(part["seed"]), reading)})
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns["reached"] = columns["asked"] * (0.9 + 0.1 * chance.random(len(columns["asked"])))
    columns["nll"] = 3 + 5 * columns["asked"] + 0.1 * chance.random(len(columns["asked"]))
    return columns


def beyond(chance: np.random.Generator) -> dict[str, Any]:
    axes = {"seed": (0, 1, 2), "layer": range(LAYERS), "head": range(HEADS), "mode": tuple(MODES)}
    columns = grid(axes, {"trained": (-1,)})
    for name in ("outside_inside", "outside_late", "outside_beyond", "outside_other_head"):
        columns[name] = chance.random(len(columns["seed"]))
    return columns


def contexts(chance: np.random.Generator) -> dict[str, Any]:
    columns = grid({"seed": (0, 1, 2), "mode": tuple(MODES)}, {"trained": (-1,)})
    count = len(columns["seed"])
    numbers = {"length": 256, "extra": 64, "repeats": 0, "predictions": 63}
    columns |= {name: np.full(count, value) for name, value in numbers.items()}
    return {**columns, "nll_inside": 3.0 + columns["seed"], "nll_beyond": 3 + chance.random(count)}


def kept(tab: pa.Table, **wanted: Any) -> dict[str, Any]:
    """The rows with wanted values, the long way."""
    rows = [row for row in tab.to_pylist() if all(row[name] == value for name, value in wanted.items())]
    return {name: np.array([row[name] for row in rows]) for name in tab.column_names}


def of_heads(tab: pa.Table, name: str, **wanted: Any) -> dict[tuple[int, ...], float]:
    """Means by null seed, layer and head, the long way."""
    found: dict[tuple[int, ...], list[float]] = {}
    for row in tab.to_pylist():
        if all(row[key] == value for key, value in wanted.items()):
            found.setdefault((row["null_seed"], row["layer"], row["head"]), []).append(row[name])
    return {key: float(np.mean(values)) for key, values in found.items()}


def line(axes: Any, label: str) -> Any:
    (found,) = [each for each in axes.lines if each.get_label() == label]
    return found


def bands(axes: Any) -> list[Any]:
    """The (place, low, high) of filled bands, one array a band."""
    from matplotlib.collections import PolyCollection

    found = []
    for part in axes.collections:
        if isinstance(part, PolyCollection):
            points = np.asarray(part.get_paths()[0].vertices)
            places = np.unique(points[:, 0])
            ends = [[points[points[:, 0] == x, 1].min(), points[points[:, 0] == x, 1].max()] for x in places]
            found.append(np.column_stack([places, ends]))
    return found


# -- additive fits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoded", [True, False])
def test_fits_are_medians_and_quartiles_over_the_heads_of_a_layer(encoded: bool) -> None:
    fits = tables(encoded)["fits"]
    figure = additive_fit(fits)
    for axes, (name, title) in zip(figure.axes, FITS, strict=False):
        assert axes.get_title(loc="left") == title
        assert (line(axes, "printed: 0.95").get_ydata() == np.array([0.95, 0.95])).all()
        for group, band in zip(GROUPS, bands(axes), strict=True):
            heads = of_heads(fits, name, group=group)
            assert len(heads) == LAYERS * HEADS * len(GROUPS[group])
            for layer in range(LAYERS):
                mine = [value for (_, of, _), value in heads.items() if of == layer]
                low, middle, high = np.quantile(mine, (0.25, 0.5, 0.75))
                assert line(axes, NAMES[group]).get_ydata()[layer] == pytest.approx(middle, abs=1e-6)
                assert band[layer] == pytest.approx([layer, low, high], abs=1e-6)
        assert axes.get_ylim() == (0, 1)
    (dots,) = [np.asarray(part.get_offsets()) for part in figure.axes[4].collections]
    wanted = [of_heads(fits, f"{part}_correlation", group="trained").values() for part in ("content", "position")]
    assert np.allclose(dots, np.array([[*values] for values in wanted]).T, atol=1e-6)


def test_heads_without_a_value_are_left_out_and_counted() -> None:
    made = tables()
    holed = columns_of(made["fits"])
    gone = (holed["layer"] == 1) & (holed["group"] == "trained") & (holed["text"] == "two")
    holed["row_correlation"] = np.where(gone, np.nan, holed["row_correlation"])
    figure = additive_fit(table(holed))
    assert np.isnan(line(figure.axes[0], "trained").get_ydata()).tolist() == [False, True, False]
    text = captions({"fits": table(holed)}, ABOUT)["additive_fit"]
    assert "left out: 2 of 6 trained." in text
    assert "left out" not in captions(made, ABOUT)["additive_fit"]


# -- curves --------------------------------------------------------------------------------------------------------


def test_curves_are_the_first_text_with_its_error_and_its_keys() -> None:
    made = tables()
    figure = false_distance(made["curves"], made["queries"])
    panels = panels_of(made["curves"], made["queries"])
    assert [panel.group for panel in panels] == ["trained", "trained", "fresh", "shuffled"]
    for axes, panel in zip(figure.axes, panels, strict=True):
        place = {"text": "one", "group": panel.group, "layer": panel.layer, "head": panel.head}
        share = of_heads(made["queries"], "interaction_share", **place, asked=1.0)
        assert [panel.share] == [pytest.approx(value) for (seed, *_), value in share.items() if seed <= 0]
        assert f"interaction {100 * panel.share:.2g} %" in axes.get_title(loc="left")
        assert panel.name in axes.get_title(loc="left")
        shared = kept(made["curves"], **place, key=-1)
        thick = [each for each in axes.lines if each.get_color() == COLOURS[panel.group]]
        assert np.array_equal(thick[0].get_ydata(), shared["component"])
        (band,) = bands(axes)
        middle, error = shared["component"], shared["error"]
        assert np.allclose(band, np.column_stack([(1, 5, 9), middle - error, middle + error]))
        thin = [each for each in axes.lines if each.get_color() == KEY_COLOUR]
        for each, key in zip(thin, (0, 7), strict=True):
            assert np.array_equal(each.get_ydata(), kept(made["curves"], **place, key=key)["component"])
            assert each.get_linestyle() == ("--" if key == 0 else "-")


def test_panels_rise_with_the_interaction_and_controls_stand_at_the_same_place() -> None:
    made = tables()
    panels = panels_of(made["curves"], made["queries"])
    assert panels[0].share <= panels[1].share
    assert {panel.name for panel in panels[2:]} <= {panel.name for panel in panels[:2]}
    assert "the place of a trained head shown" in captions(made, ABOUT)["false_distance"]
    only = made["curves"].filter(pc.or_(pc.equal(made["curves"]["group"], "trained"), pc.equal(
        made["curves"]["layer"], 0)))  # fmt: skip
    elsewhere = only.filter(pc.or_(pc.not_equal(only["group"], "trained"), pc.equal(only["layer"], 2)))
    text = captions({**made, "curves": elsewhere}, ABOUT)["false_distance"]
    assert "fresh initialisation 0:1 (the middle head of those measured)" in text
    alone = made["curves"].filter(pc.equal(made["curves"]["group"], "trained"))
    assert "no curves of nulls" in captions({**made, "curves": alone}, ABOUT)["false_distance"]


# -- planes --------------------------------------------------------------------------------------------------------


def test_key_deviation_is_over_the_median_plane() -> None:
    planes = tables()["planes"]
    axes = turning_pattern(planes, tables()["queries"]).axes[0]
    for group in GROUPS:
        relative = np.zeros((LAYERS * HEADS, PLANES))
        for number in range(LAYERS * HEADS):
            for text in TEXTS:
                place = {"group": group, "text": text, "layer": number // HEADS, "head": number % HEADS}
                values = kept(planes, **place)["key_deviation"]
                relative[number] += values / np.median(values) / len(TEXTS)
        ((angles, found),) = deviations(planes, group)
        assert np.array_equal(angles, 10.0 ** np.arange(1.0 - PLANES, 1))
        assert np.allclose(found, relative[:, ::-1])
        drawn = line(axes, NAMES[group])
        assert np.allclose(drawn.get_ydata(), np.median(relative[:, ::-1], axis=0))
        assert np.array_equal(drawn.get_xdata(), angles)
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_layers_with_other_angles_have_lines_of_their_own() -> None:
    made = tables()
    columns = columns_of(made["planes"])
    columns["frequency"] = columns["frequency"] * np.where(columns["layer"] == 2, 0.1, 1)
    other = {**made, "planes": table(columns)}
    kinds = deviations(other["planes"], "trained")
    assert sorted(len(values) for _, values in kinds) == [HEADS, 2 * HEADS]
    assert "thinner lines of their own" in captions(other, ABOUT)["turning_pattern"]
    assert "thinner lines" not in captions(made, ABOUT)["turning_pattern"]
    axes = turning_pattern(other["planes"], made["queries"]).axes[0]
    assert len([each for each in axes.lines if len(each.get_xdata()) == PLANES]) == 2 * len(GROUPS)


def test_shares_and_distributions_are_those_of_heads() -> None:
    made = tables()
    figure = turning_pattern(made["planes"], made["queries"])
    (dealt,) = [axes for axes in figure.axes if axes.get_title(loc="left") == "b  interaction's share"]
    for group, dots in zip(reversed(GROUPS), dealt.collections, strict=True):
        names = ("interaction_share_reordered", "interaction_share")
        wanted = np.array([[*of_heads(made["queries"], name, group=group).values()] for name in names]).T
        assert np.allclose(np.asarray(dots.get_offsets()), wanted)
    by_title = {axes.get_title(loc="left")[:1]: axes for axes in figure.axes}
    for letter, name in (("c", "tightness_50"), ("d", "tightness_95")):
        for group in GROUPS:
            steps = line(by_title[letter], NAMES[group])
            wanted = sorted(of_heads(made["queries"], name, group=group).values())
            assert np.allclose(steps.get_xdata()[1:], wanted)
            assert steps.get_ydata()[-1] == pytest.approx(100)
    assert np.allclose(line(by_title["e"], "trained").get_xdata(), 0.5)


# -- moved words ---------------------------------------------------------------------------------------------------


def test_the_ratio_is_of_perplexities_and_its_band_is_over_texts() -> None:
    tolerance = tables()["tolerance"]
    figure = order_tolerance(tolerance)
    for axes, reading in zip(figure.axes, ("neighbours", "anywhere"), strict=True):
        assert axes.get_yscale() == "log"
        for (level, (_, _, name)), band in zip(LEVELS.items(), bands(axes), strict=False):
            apart, reached = np.zeros((len(TEXTS), len(SHARES))), np.zeros(len(SHARES))
            for row, text in enumerate(TEXTS):
                (plain,) = kept(tolerance, group="trained", text=text, reading="none")["nll"]
                for column, asked in enumerate(SHARES):
                    where = {"group": "trained", "text": text, "reading": reading, "level": level, "asked": asked}
                    rows = kept(tolerance, **where)
                    assert len(rows["nll"]) == 2
                    apart[row, column] = rows["nll"].mean() - plain
                    reached[column] += rows["reached"].mean() / len(TEXTS)
            drawn = line(axes, f"{name}, trained")
            assert np.allclose(drawn.get_xdata(), [0, *(100 * reached)])
            assert np.allclose(drawn.get_ydata(), [1, *np.exp(apart.mean(axis=0))])
            for column in range(len(SHARES)):
                ends = over_prompts(lambda chosen, of=apart[:, column]: float(np.exp(of[chosen].mean())), TEXTS, 0)
                assert band[1 + column, 1:] == pytest.approx(ends)
        assert line(axes, "words, fresh initialisation").get_linestyle() == "--"
        assert line(axes, "ratio 1.1").get_ydata()[0] == 1.1


def test_the_control_stands_at_the_end_of_the_axis() -> None:
    tolerance = tables()["tolerance"]
    axes = order_tolerance(tolerance).axes[0]
    reached = kept(tolerance, group="trained", reading="shuffled")["reached"].mean()
    assert axes.get_xticklabels()[-1].get_text() == f"shuffled\n({100 * reached:.0f})"
    found = cost(columns_of(tolerance), "trained", "shuffled", "words")
    assert found is not None
    marks = [bar.lines[0].get_ydata()[0] for bar in axes.containers]
    assert marks[0] == pytest.approx(found.ratio[0])
    assert len(marks) == len(LEVELS) + 2


def test_two_texts_have_no_interval_and_the_caption_says_so() -> None:
    few = table(moved(np.random.default_rng(1), TEXTS[:2]))
    found = cost(columns_of(few), "trained", "anywhere", "keys")
    assert found is not None
    assert np.isnan(found.low).all()
    assert "none for trained (2 texts)" in captions({"tolerance": few}, ABOUT)["order_tolerance"]
    assert "have no interval" not in captions(tables(), ABOUT)["order_tolerance"]
    assert order_tolerance(few).axes
    assert cost(columns_of(few), "trained", "backwards", "keys") is None


# -- long contexts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("late", [True, False])
def test_shares_outside_are_means_and_bands_reach_over_seeds(late: bool) -> None:
    made = tables()
    outputs = made["outputs"] if late else made["outputs"].drop_columns(["outside_late"])
    figure = long_context(outputs, made["contexts"])
    names = ["outside_inside", *(["outside_late"] if late else []), "outside_other_head", "outside_beyond"]
    for axes, mode in zip(figure.axes, MODES, strict=False):
        assert axes.get_title(loc="left").endswith(mode)
        for number, name in enumerate(names):
            values = kept(outputs, mode=mode)[name].reshape(3, LAYERS, HEADS).mean(axis=2)
            assert np.allclose(axes.lines[number].get_ydata(), values.mean(axis=0))
            ends = np.column_stack([range(LAYERS), values.min(axis=0), values.max(axis=0)])
            assert np.allclose(bands(axes)[number], ends)
    assert ("before the training length" in captions({**made, "outputs": outputs}, ABOUT)["long_context"]) is True
    assert ("(dashed" in captions({**made, "outputs": outputs}, ABOUT)["long_context"]) is late


def test_each_seed_is_a_mark_inside_and_in_every_mode() -> None:
    made = tables()
    axes = long_context(made["outputs"], made["contexts"]).axes[-1]
    marks = [each for each in axes.lines if each.get_linestyle() == "None"]
    assert marks[0].get_ydata().tolist() == [3, 4, 5]
    for each, mode in zip(marks[1:], MODES, strict=True):
        assert np.array_equal(each.get_ydata(), kept(made["contexts"], mode=mode)["nll_beyond"])
    assert [text.get_text() for text in axes.get_xticklabels()][:2] == ["inside", "full"]


# -- captions and files --------------------------------------------------------------------------------------------

CLAIMS = {
    "additive_fit": ("gen.additive", "interquartile range"),
    "false_distance": ("gen.controlled", "root mean square, over all keys"),
    "turning_pattern": ("gen.thm2", "interquartile range"),
    "order_tolerance": ("gen.tolerance", "95 % bootstrap intervals over texts"),
    "long_context": ("gen.length", "least to the largest seed's mean"),
}


def test_captions_name_claim_model_texts_nulls_and_error() -> None:
    found = captions(tables(), ABOUT)
    assert list(found) == list(CLAIMS) == list(FIGURES)
    for name, text in found.items():
        claim, error = CLAIMS[name]
        assert text.startswith(f"{claim}. some model (3 layers of 2 heads; sha256 abababababab)")
        assert error in text
        assert text.endswith(".")
        assert "nan" not in text
    for name in ("additive_fit", "turning_pattern"):
        assert "3 texts of 13 tokens (one, three, two)" in found[name]
        assert "nulls (fresh initialisation and shuffled entries) of seeds 0, 1" in found[name]
    assert "3 texts of 64 tokens (one, three, two), 2 seeds" in found["order_tolerance"]
    assert "nulls (fresh initialisation and shuffled entries) of seed 0" in found["order_tolerance"]
    assert "the last of 13 tokens of the text one; 2 trained heads" in found["false_distance"]
    assert "first seed of the nulls" in found["false_distance"]
    assert "(no nulls), on 3 texts of 256 + 64 tokens" in found["long_context"]
    assert "planes of 3 texts" not in found["turning_pattern"]


def names_of(figures: Any) -> list[str]:
    return sorted(f"{name}.{kind}" for name in figures for kind in ("png", "svg", "txt"))


def test_the_same_tables_give_the_same_files(tmp_path: Path) -> None:
    hashes = []
    for name in ("a", "b"):
        files = write_plots(tables(), ABOUT, tmp_path / name)
        assert sorted(files) == sorted((tmp_path / name).iterdir()) == sorted(targets(tmp_path / name))
        assert sorted(file.name for file in files) == names_of(FIGURES)
        hashes.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in files])
    assert hashes[0] == hashes[1]
    assert (tmp_path / "a" / "additive_fit.png").read_bytes().startswith(b"\x89PNG")
    assert b"</svg>" in (tmp_path / "a" / "long_context.svg").read_bytes()
    assert (tmp_path / "a" / "order_tolerance.txt").read_text() == captions(tables(), ABOUT)["order_tolerance"] + "\n"


@pytest.mark.parametrize(
    ("absent", "drawn"),
    [
        (("fits", "curves", "planes", "tolerance"), ["long_context"]),
        (("queries", "outputs", "tolerance"), ["additive_fit"]),
        (("fits", "queries", "planes", "curves", "contexts"), ["order_tolerance"]),
    ],
)
def test_figures_whose_tables_are_absent_are_left_out(tmp_path: Path, absent: Any, drawn: list[str]) -> None:
    given = {name: each for name, each in tables().items() if name not in absent}
    assert list(captions(given, ABOUT)) == drawn
    assert sorted(file.name for file in write_plots(given, ABOUT, tmp_path)) == names_of(drawn)
    empty = {name: each.slice(0, 0) if name in absent else each for name, each in tables().items()}
    assert list(captions(empty, ABOUT)) == drawn


def test_one_head_and_no_nulls_are_drawn() -> None:
    small = {
        name: each.filter(pc.equal(each["group"], "trained")) if name in ("tolerance", "contexts") else
        each.filter(pc.and_(pc.equal(each["group"], "trained"), pc.and_(
            pc.equal(each["layer"], 0), pc.equal(each["head"], 1))))
        for name, each in tables().items()
    }  # fmt: skip
    for plot in FIGURES.values():
        given = plot.given(small)
        assert given is not None
        plot.draw(*given).draw_without_rendering()
    assert "no nulls" in captions(small, ABOUT)["additive_fit"]


def test_files_come_all_or_none(tmp_path: Path) -> None:
    (tmp_path / "long_context.svg").mkdir()
    made = {name: each for name, each in tables().items() if name in ("outputs", "contexts")}
    with pytest.raises(InputError, match="it is a folder"):
        write_plots(made, ABOUT, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["long_context.svg"]


# -- the figure of the committed measurement -----------------------------------------------------------------------


def test_the_committed_models_stand_side_by_side() -> None:
    import matplotlib.pyplot as plt

    fits = {"one model": tables()["fits"], "another": tables(seed=1, encoded=False)["fits"]}
    data = disentanglement.summarised(fits)
    rows = kept(data, model="another", group="fresh", measure="correlation", layer=2)
    heads = [value for (_, layer, _), value in of_heads(fits["another"], "correlation", group="fresh").items() if
             layer == 2]  # fmt: skip
    assert rows["heads"].tolist() == [len(heads)] == [2 * HEADS]
    ends = [rows[name][0] for name in ("lower_quartile", "median", "upper_quartile")]
    assert ends == pytest.approx(np.quantile(heads, (0.25, 0.5, 0.75)).tolist(), abs=1e-6)
    with house_style():
        figure = disentanglement.draw(data)
    assert [axes.get_title(loc="left") for axes in figure.axes[:2]] == [
        "a  one model: all entries", "b  another: all entries"
    ]  # fmt: skip
    middle = kept(data, model="another", group="trained", measure="correlation")["median"]
    assert np.array_equal(line(figure.axes[1], "trained").get_ydata(), middle)
    plt.close(figure)
    text = disentanglement.caption(data)
    for part in ("gen.additive", "one model (3 layers of 2 heads) on 3 texts of 13 tokens", "null seeds 0, 1",
                 "interquartile range"):  # fmt: skip
        assert part in text


@pytest.mark.torch
def test_without_a_committed_measurement_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committed, "read", lambda *given: None)
    with pytest.raises(InputError) as raised:
        disentanglement.figure.compute(Context(), print)
    assert "SmolLM2-135M-Instruct has no committed measurement" in str(raised.value)
    assert "headproof remeasure disentanglement" in str(raised.value)
