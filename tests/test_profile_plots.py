"""Plots of a profile: what is drawn is what the tables hold, and files come all or none and always the same."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headproof.checks.trained.scores.columns import CORRELATIONS, HEADS, PLANES, schema
from headproof.paper_figs.groups import NAMES
from headproof.paper_figs.profile_plots import (
    captions,
    default_heads,
    frequency_profile,
    layer_maps,
    scores_plane,
    write_plots,
)
from headproof.theory.errors import InputError

TAU = 1e-4
BOTH = ("positional", "symbolic")
KINDS = ("png", "svg", "txt")
GROUPS = {"trained": (-1,), "fresh": (0, 1), "shuffled": (0, 1)}


def made(
    layers: int = 3,
    heads: int = 2,
    prompts: tuple[str, ...] = ("one", "two"),
    planes: int = 5,
    unseen: tuple[int, ...] = (),
    still: bool = False,
    seed: int = 0,
) -> Any:
    """A made-up profile: heads turn from positional to symbolic planes; the layers `unseen` see too few blocks."""
    chance = np.random.default_rng(seed)
    about = {
        "model": {"name": "some model", "sha256": "ab" * 32, "layers": layers, "heads": heads},
        "settings": {"queries": [0.5, "last"], "temperatures": [str(TAU), "inf"], "gamma": 0.1},
        "null_seeds": [0, 1],
        "prompts": [{"name": name, "tokens": 100 + 20 * k} for k, name in enumerate(prompts)],
    }
    axes = {"prompt": prompts, "temperature": (TAU, np.inf), "layer": range(layers), "head": range(heads)}
    parts: dict[str, list[dict[str, Any]]] = {"heads": [], "planes": [], "correlations": []}
    for group, seeds in GROUPS.items():
        for null_seed in seeds:
            for asked in ("0.5", "last"):
                tag = {"group": group, "null_seed": null_seed, "asked": asked}
                rows = scored({**grid(axes), **tag}, chance)
                hidden = np.isin(rows["layer"], unseen)
                for name in ("positional", "symbolic", "purity"):
                    rows[name][hidden] = np.nan
                rows["turning_wavelength"] = np.where(rows["head"] % 2, 300.0, np.nan)
                rows["turning_constant"] = np.where(hidden, np.nan, 0.5)
                rows["turning_agreement"] = rows["turning_constant"] + 0.4 * (rows["head"] % 2)
                parts["heads"].append(rows)
                parts["correlations"].append(
                    {**grid({"prompt": prompts, "temperature": (TAU, np.inf), "surrogate": (-1, 0, 1)}), **tag}
                )
                parts["correlations"][-1]["r"] = -0.5 - 0.1 * parts["correlations"][-1]["surrogate"]
            if planes and null_seed <= 0:
                numbers = (*range(planes), *([-1] if still else []))
                rows = scored({**grid({**axes, "plane": numbers}), **tag}, chance)
                waves = 6 * 20.0 ** rows["plane"].astype(float)
                rows["wavelength"] = np.where(rows["plane"] < 0, np.inf, waves)
                rows["energy_share"] = (rows["plane"] + 2) / sum(number + 2 for number in numbers)
                parts["planes"].append(only(rows, ~np.isin(rows["layer"], unseen)))
    columns = {"heads": HEADS, "planes": PLANES, "correlations": CORRELATIONS}
    tables = {name: table(columns[name], parts[name], about) for name in columns}
    return SimpleNamespace(about=about, **tables)


def grid(axes: dict[str, Any]) -> dict[str, Any]:
    """Every combination of values, a column an axis."""
    arrays = np.meshgrid(*(np.array(values) for values in axes.values()), indexing="ij")
    return {name: values.reshape(-1) for name, values in zip(axes, arrays, strict=True)}


def scored(rows: dict[str, Any], chance: np.random.Generator) -> dict[str, Any]:
    """Rows with scores that lie above the chord."""
    count = len(rows["layer"])
    mixture, height = chance.random(count), chance.random(count)
    positional = mixture + (1 - mixture) * height * 0.5
    symbolic = 1 - mixture * (1 - 0.5 * height)
    return {**rows, "positional": positional, "symbolic": symbolic, "purity": positional - symbolic}


def only(rows: dict[str, Any], mask: Any) -> dict[str, Any]:
    return {name: values[mask] if isinstance(values, np.ndarray) else values for name, values in rows.items()}


def table(columns: dict[str, str], parts: list[dict[str, Any]], about: dict[str, Any]) -> pa.Table:
    kinds = schema(columns, {b"headproof": json.dumps(about).encode()})
    made_of = []
    for field in kinds:
        values: list[Any] = []
        for part in parts:
            count = len(part["prompt"])
            values += np.broadcast_to(part.get(field.name, 0), count).tolist()
        text = pa.types.is_dictionary(field.type)
        made_of.append(pa.array([str(value) for value in values] if text else values).cast(field.type))
    return pa.Table.from_arrays(made_of, schema=kinds)


def means(tab: pa.Table, name: str, keys: tuple[str, ...] = ("layer", "head"), **wanted: Any) -> dict[Any, float]:
    """Means over prompts of the first seed's rows at the last query, the long way, by layer and head."""
    wanted = {"asked": "last", "temperature": TAU, **wanted}
    found: dict[Any, list[float]] = {}
    for row in tab.to_pylist():
        if row["null_seed"] <= 0 and all(row[key] == value for key, value in wanted.items()):
            found.setdefault(tuple(row[key] for key in keys), []).append(row[name])
    return {key: float(np.mean(values)) for key, values in found.items()}


def points(axes: Any) -> list[Any]:
    """Places of the scattered marks of a panel, one array a collection."""
    from matplotlib.collections import PathCollection

    return [np.asarray(part.get_offsets()) for part in axes.collections if isinstance(part, PathCollection)]


def texts(axes: Any) -> str:
    return "\n".join(text.get_text() for text in axes.texts)


# -- the plane of scores -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prompts", [("only",), ("one", "two", "three")])
def test_each_head_is_a_point_at_its_means(prompts: tuple[str, ...]) -> None:
    profile = made(prompts=prompts)
    figure = scores_plane(profile.heads, "last", TAU)
    for axes, group in zip(figure.axes, NAMES, strict=False):
        assert NAMES[group] in axes.get_title(loc="left")
        (drawn,) = points(axes)
        for column, name in enumerate(("symbolic", "positional")):
            assert np.allclose(drawn[:, column], [*means(profile.heads, name, group=group).values()], atol=1e-6)
        assert axes.get_xlim() == axes.get_ylim() == (0, 1)
        assert "6 heads" in texts(axes)
    assert figure.axes[-1].get_ylabel() == "layer (trained)"


def test_r_is_the_mean_over_prompts_and_stands_beside_the_surrogates() -> None:
    profile = made(prompts=("one", "two", "three"))
    axes = scores_plane(profile.heads, "last", TAU, profile.correlations).axes[0]
    each = []
    for prompt in ("one", "two", "three"):
        pair = [[*means(profile.heads, name, prompt=prompt, group="trained").values()] for name in BOTH]
        each.append(np.corrcoef(*pair)[0, 1])
    assert f"r = −{-np.mean(each):.2f}" in texts(axes)
    assert "surrogates −0.55" in texts(axes)  # of -0.5 and -0.6; not the heads' own -0.4


def test_percentages_are_of_the_points_beyond_the_margin() -> None:
    profile = made(layers=10, heads=10)
    axes = scores_plane(profile.heads, "last", TAU).axes[0]
    (drawn,) = points(axes)
    symbolic, positional = (drawn >= 0.9).T
    for name, share in (("positional", positional & ~symbolic), ("symbolic", symbolic & ~positional)):
        assert f"{name} {100 * share.mean():.0f} %" in texts(axes)
    assert f"both {100 * (positional & symbolic).mean():.0f} %" in texts(axes)


def test_no_mean_is_drawn_for_a_head_that_is_not_seen() -> None:
    profile = made(unseen=(1,))
    axes = scores_plane(profile.heads, "last", TAU).axes[0]
    assert int((~np.isnan(points(axes)[0]).any(axis=1)).sum()) == 4
    assert "4 heads\n2 unseen" in texts(axes)


def test_one_head_has_no_correlation() -> None:
    axes = scores_plane(made(layers=1, heads=1).heads, "last", TAU).axes[0]
    assert "r undefined\n1 head" in texts(axes)


# -- maps ----------------------------------------------------------------------------------------------------------


def test_maps_hold_the_means_by_layer_and_head() -> None:
    profile = made(layers=4, heads=3, unseen=(2,))
    figure = layer_maps(profile.heads, "last", TAU)
    for axes, name in zip(figure.axes, (*BOTH, "purity"), strict=False):
        (image,) = axes.images
        values = np.ma.filled(image.get_array(), np.nan)
        assert values.shape == (4, 3)
        assert image.origin == "lower"
        assert axes.get_ylim() == (-0.5, 3.5)
        for place, mean in means(profile.heads, name, group="trained").items():
            assert values[place] == pytest.approx(mean, abs=1e-6, nan_ok=True)
        assert np.isnan(values[2]).all()
        assert (image.norm.vmin, image.norm.vmax) == ((-1, 1) if name == "purity" else (0, 1))
        assert [patch.get_hatch() for patch in axes.collections] == ["///////"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "not seen: fewer than two blocks inside the layer's window"
    ]


def test_a_layer_without_attention_is_blank_and_said_to_be() -> None:
    import pyarrow.compute as pc

    heads = made(layers=4, heads=3).heads
    figure = layer_maps(heads.filter(pc.not_equal(heads["layer"], 1)), "last", TAU)
    blank, image = figure.axes[0].images
    assert np.ma.getmaskarray(image.get_array())[1].all()
    assert (~np.ma.getmaskarray(blank.get_array())).sum(axis=1).tolist() == [0, 3, 0, 0]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["no attention head here"]


def test_maps_of_heads_that_are_all_seen_need_no_legend() -> None:
    figure = layer_maps(made().heads, "last", TAU)
    assert figure.legends == []
    assert len(figure.axes[0].images) == 1


# -- frequencies ---------------------------------------------------------------------------------------------------


def test_each_plane_is_a_mark_at_its_wavelength_and_grows_with_its_energy() -> None:
    profile = made()
    figure = frequency_profile(profile.planes, profile.heads, [(1, 0), (2, 1)], "last", TAU)
    for axes, (layer, head) in zip(figure.axes, [(1, 0), (2, 1)], strict=True):
        assert axes.get_title(loc="left") == f"layer {layer}, head {head}"
        for drawn, name in zip(points(axes), BOTH, strict=True):
            wanted = means(profile.planes, name, ("plane",), group="trained", layer=layer, head=head)
            assert np.allclose(drawn[:, 1], [*wanted.values()], atol=1e-6)
            assert np.allclose(drawn[:, 0], 6 * 20.0 ** np.arange(5))
        assert (np.diff(axes.collections[-1].get_sizes()) > 0).all()
        assert axes.get_ylim() == (0, 1)
        assert axes.get_xscale() == "log"


def test_what_does_not_turn_stands_at_the_right_end() -> None:
    profile = made(still=True)
    (axes,) = frequency_profile(profile.planes, profile.heads, [(0, 0)], "last", TAU).axes
    drawn = points(axes)[0]
    still = means(profile.planes, "positional", ("plane",), group="trained", layer=0, head=0)[(-1,)]
    assert drawn[np.argmax(drawn[:, 0]), 1] == pytest.approx(still, abs=1e-6)
    assert axes.get_xticklabels()[-1].get_text() == "∞"
    assert axes.get_xticks()[-1] == drawn[:, 0].max()
    assert all(np.isfinite(line.get_xdata()).all() for line in axes.lines)


def upright(axes: Any, style: str) -> list[float]:
    """Where a panel's vertical lines of a style stand."""
    lines = [line for line in axes.lines if len(set(line.get_xdata())) == 1 and line.get_linestyle() == style]
    return [line.get_xdata()[0] for line in lines]


def test_the_turn_and_the_lengths_are_marked() -> None:
    profile = made()
    without, turned = frequency_profile(profile.planes, profile.heads, [(0, 0), (0, 1)], "last", TAU).axes
    assert upright(without, "-.") == []
    assert upright(turned, "-.") == [300.0]
    assert without.get_title(loc="right") == "no turn"
    assert turned.get_title(loc="right") == "turn gains 40.0 %"
    assert upright(turned, "-") == upright(without, "-") == [100, 120]


@pytest.mark.parametrize(("prompts", "marked"), [(("one", "two"), [300.0]), (("one", "two", "three"), [])])
def test_a_turn_is_marked_if_half_of_the_prompts_have_it(prompts: tuple[str, ...], marked: list[float]) -> None:
    profile = made(prompts=prompts)
    index = profile.heads.column_names.index("turning_wavelength")
    in_one = [row["turning_wavelength"] if row["prompt"] == "one" else np.nan for row in profile.heads.to_pylist()]
    heads = profile.heads.set_column(index, profile.heads.schema.field(index), [pa.array(in_one, pa.float32())])
    (axes,) = frequency_profile(profile.planes, heads, [(0, 1)], "last", TAU).axes
    assert upright(axes, "-.") == marked


def test_thin_lines_are_medians_over_heads_of_layers_with_the_same_wavelengths() -> None:
    profile = made()
    index = profile.planes.column_names.index("wavelength")
    slower = np.asarray(profile.planes["wavelength"]) * np.where(np.asarray(profile.planes["layer"]) == 2, 3, 1)
    planes = profile.planes.set_column(index, profile.planes.schema.field(index), [slower])
    axes, other = frequency_profile(planes, profile.heads, [(0, 0), (2, 0)], "last", TAU).axes
    for panel, layers in ((axes, (0, 1)), (other, (2,))):
        lines = [line for line in panel.lines if len(line.get_xdata()) == 5]
        assert len(lines) == 6
        for line, (group, name) in zip(lines, [(g, n) for g in NAMES for n in BOTH], strict=True):
            of_heads = means(planes, name, ("plane", "layer", "head"), group=group)
            for plane, value in enumerate(line.get_ydata()):
                mine = [mean for (number, layer, _), mean in of_heads.items() if number == plane and layer in layers]
                assert value == pytest.approx(np.median(mine), abs=1e-6)


def test_a_head_that_is_not_seen_has_an_empty_panel() -> None:
    profile = made(unseen=(1,))
    seen, unseen = frequency_profile(profile.planes, profile.heads, [(0, 0), (1, 0)], "last", TAU).axes
    assert len(points(seen)) == 2
    assert points(unseen) == []
    assert "not seen" in texts(unseen)


def test_what_was_not_measured_is_refused() -> None:
    profile = made()
    with pytest.raises(InputError, match="no head 7:0"):
        frequency_profile(profile.planes, profile.heads, [(7, 0)], "last", TAU)
    with pytest.raises(InputError, match="25 heads to draw"):
        frequency_profile(profile.planes, profile.heads, [(0, k) for k in range(25)], "last", TAU)
    with pytest.raises(InputError, match="0 heads to draw"):
        frequency_profile(profile.planes, profile.heads, [], "last", TAU)
    for draw in (scores_plane, layer_maps):
        with pytest.raises(InputError, match=r"no trained heads at query last and temperature 0\.5"):
            draw(profile.heads, "last", 0.5)


# -- which heads ---------------------------------------------------------------------------------------------------


def test_default_heads_are_the_extremes_in_turn() -> None:
    profile = made(layers=5, heads=4)
    chosen = default_heads(profile.heads, profile.planes)
    purity = means(profile.heads, "purity", group="trained")
    order = sorted(purity, key=lambda head: -purity[head])
    assert chosen[:2] == [order[0], order[-1]]
    assert chosen[2] == next(head for head in sorted(purity) if head[1] % 2 and head not in chosen[:2])
    assert len(set(chosen)) == 6
    assert chosen == default_heads(profile.heads, profile.planes)
    assert chosen[:3] == default_heads(profile.heads, profile.planes, 3)


def test_default_heads_are_those_with_planes_and_all_of_few() -> None:
    profile = made(layers=2, heads=2, unseen=(1,))
    assert sorted(default_heads(profile.heads, profile.planes)) == [(0, 0), (0, 1)]
    assert default_heads(made(planes=0).heads, made(planes=0).planes) == []


# -- captions and files --------------------------------------------------------------------------------------------


def test_captions_state_claims_domain_and_reading() -> None:
    found = captions(made(unseen=(1,)), [(0, 1), (1, 0)])
    assert list(found) == ["scores_plane", "layer_maps", "frequency_profile"]
    for text in found.values():
        for part in ("dec.scores and dec.emp.", "some model (3 layers of 2 heads; sha256 abababababab)",
                     "2 prompts of 100 to 120 tokens (one, two)", "last token", "temperature 0.0001",
                     "nulls of seed 0"):  # fmt: skip
            assert part in text
    assert "dec.scores.circle" in found["scores_plane"]
    assert "dec.scores.average" in found["scores_plane"]
    assert "Hatched heads" in found["layer_maps"]
    assert "Hatched heads" not in captions(made())["layer_maps"]
    assert "0:1 in 2 of 2 (0.90 against 0.50), 1:0 in 0 of 2." in found["frequency_profile"]
    assert "1 prompt of 100 tokens (only)" in captions(made(layers=1, heads=1, prompts=("only",)))["layer_maps"]


def test_the_last_query_measured_is_the_one_drawn() -> None:
    profile = made()
    about = {**profile.about, "settings": {**profile.about["settings"], "queries": ["last", 0.5, 7]}}
    heads = profile.heads.replace_schema_metadata({b"headproof": json.dumps(about).encode()})
    assert "at the query 0.5" in captions(SimpleNamespace(heads=heads, planes=made(planes=0).planes))["layer_maps"]


NAMED = [f"{name}.{kind}" for name in ("frequency_profile", "layer_maps", "scores_plane") for kind in KINDS]


def test_the_same_profile_gives_the_same_files(tmp_path: Path) -> None:
    hashes = []
    for name in ("a", "b"):
        files = write_plots(made(layers=2, planes=3, prompts=("only",)), tmp_path / name, [(0, 1), (0, 1)])
        assert sorted(files) == sorted((tmp_path / name).iterdir())
        assert sorted(file.name for file in files) == NAMED
        hashes.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in files])
    assert hashes[0] == hashes[1]
    assert (tmp_path / "a" / "layer_maps.png").read_bytes().startswith(b"\x89PNG")
    assert b"</svg>" in (tmp_path / "a" / "scores_plane.svg").read_bytes()


def test_without_planes_a_figure_is_left_out_and_a_caption_says_so(tmp_path: Path) -> None:
    files = write_plots(made(layers=1, heads=1, planes=0), tmp_path, [(0, 0)])
    assert sorted(file.name for file in files) == [name for name in NAMED if not name.startswith("frequency")]
    assert "No rotary planes were measured" in (tmp_path / "scores_plane.txt").read_text()


def test_files_come_all_or_none(tmp_path: Path) -> None:
    profile = made(layers=1, heads=1)
    with pytest.raises(InputError, match="no head 3:3"):
        write_plots(profile, tmp_path, [(3, 3)])
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "frequency_profile.svg").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        write_plots(profile, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["frequency_profile.svg"]
