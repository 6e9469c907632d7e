"""What holds of every registered figure: its claims, its data, its looks; and checks of looks that can fail."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.text import Text

from headproof.checks.registry import Context, figure_points, select
from headproof.paper_figs.captions import verdicts_sentence
from headproof.paper_figs.data import as_written, description, write_csv
from headproof.paper_figs.figure import Figure, drawing, load, redraw, save

FOLDER = Path(__file__).resolve().parents[1] / "paper_figs"
# Measured on a model that has to be loaded, not read from committed data; drawn here from rows made up.
NEEDS_MODEL = ("exclusion",)
# Whose committed data cannot be read without the extra `models`.
NEEDS_TORCH = ("canonical", "discrepancy_heads", "multihop")
MOST_CLAIMS = 25
LEAST_POINTS = 6.0
# By how much text may stick out of a picture, in inches: rounding.
BEYOND = 0.02

POINTS = figure_points()


def marked(*names: str) -> list[Any]:
    """Parameters of figures, with the marks of what they need."""
    return [
        pytest.param(name, marks=pytest.mark.torch if name.startswith(NEEDS_TORCH) else ()) for name in sorted(names)
    ]


ALL = marked(*POINTS)
COMMITTED = marked(*(name for name in POINTS if name not in NEEDS_MODEL))


def silent(text: str) -> None:
    del text


@cache
def figure_of(name: str) -> Figure:
    return load(POINTS[name])


@cache
def data_of(name: str) -> pa.Table:
    if name in NEEDS_MODEL:
        return as_written(made_up())
    return as_written(figure_of(name).compute(Context(), silent))


@cache
def picture_of(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a layout that does not come out warns
        return drawing(figure_of(name), data_of(name)).picture


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def made_up() -> pa.Table:
    """Heads of figure `exclusion`."""
    generator, rows = np.random.default_rng(0), []
    for group, seed in (("trained", -1), ("fresh", 0), ("shuffled", 0)):
        for layer in range(4):
            for head in range(6):
                variance, slack = generator.lognormal(size=2)
                made = {"positional": variance, "symbolic": slack, "variance": variance, "slack": slack}
                rows.append({"group": group, "null_seed": seed, "prompt": "p", "query": 9, "layer": layer, "head": head,
                             **made, "ratio": variance / (variance + slack)})  # fmt: skip
    about = {"model": {"name": "m"}, "layers": 4, "heads": 6, "plan": {"prompts": ["p"], "null_seeds": [0]}}
    return pa.Table.from_pylist(rows).replace_schema_metadata({"headproof": json.dumps(about)})


# -- what a figure is ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(POINTS))
def test_a_figure_names_the_claims_it_shows_and_few(name: str) -> None:
    figure = figure_of(name)
    assert figure.name == name
    assert figure.title
    assert figure.claims
    expanded = select(list(figure.claims))  # raises for a claim that no topic brings
    assert len(expanded) <= MOST_CLAIMS
    for claim in figure.claims:
        assert len(select([claim])) == sum(each == claim or each.startswith(f"{claim}.") for each in expanded)
    assert len(set(figure.claims)) == len(figure.claims)


@pytest.mark.parametrize("name", sorted(POINTS))
def test_a_figures_module_computes_draws_and_captions(name: str) -> None:
    figure = figure_of(name)
    module = sys.modules[figure.compute.__module__]
    for part, inputs in (("compute", 2), ("draw", 1), ("caption", 1)):
        function = getattr(figure, part)
        assert getattr(module, part) is function
        assert len(inspect.signature(function).parameters) == inputs
        assert function.__doc__


def test_every_figure_of_the_folder_is_registered() -> None:
    setup = (FOLDER.parent / "pyproject.toml").read_text("utf-8")
    for path in sorted(FOLDER.glob("*.py")):
        assigned = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.Assign)]
        if any(isinstance(name, ast.Name) and name.id == "figure" for node in assigned for name in node.targets):
            assert f'\n{path.stem} = "headproof.paper_figs.{path.stem}:figure"\n' in setup, path.name


# -- style ---------------------------------------------------------------------------------------------------------


def settings_of(source: str) -> list[str]:
    """What a module's source sets of matplotlib's style by itself."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and (
            node.attr in ("rcParams", "rcdefaults", "rc_context", "rc_file")
            or (
                node.attr in ("use", "context") and isinstance(node.value, ast.Attribute) and node.value.attr == "style"
            )
            or (node.attr == "rc" and isinstance(node.value, ast.Name))
        ):
            found.append(node.attr)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("matplotlib"):
            found += [alias.name for alias in node.names if alias.name in ("rcParams", "rc_context", "rc", "style")]
    return found


def test_there_is_one_style_and_no_module_sets_its_own() -> None:
    assert [path.name for path in FOLDER.rglob("*.mplstyle")] == ["house.mplstyle"]
    found = {path.name: settings_of(path.read_text("utf-8")) for path in FOLDER.glob("*.py")}
    assert {name for name, settings in found.items() if settings} == {"figure.py"}


@pytest.mark.parametrize(
    "line",
    [
        "import matplotlib.pyplot as plt\nplt.rcParams['font.size'] = 4",
        "from matplotlib import rcParams",
        "import matplotlib.pyplot as plt\nplt.style.use('ggplot')",
        "import matplotlib.pyplot as plt\nplt.rc('font', size=4)",
    ],
)
def test_a_style_of_ones_own_is_caught(line: str) -> None:
    assert settings_of(line)


# -- data ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMITTED)
def test_the_same_table_comes_out_twice(name: str, tmp_path: Path) -> None:
    again = as_written(figure_of(name).compute(Context(), silent))
    assert description(again, name) == description(data_of(name), name)
    for path, data in ((tmp_path / "first", data_of(name)), (tmp_path / "second", again)):
        write_csv(data, path)  # as text: NaN is no number like itself
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_a_figure_is_redrawn_from_its_files(name: str, tmp_path: Path) -> None:
    given = dataclasses.replace(figure_of(name), compute=lambda context, message: data_of(name))
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    saved = save(given, first, Context(), silent)
    again = redraw(given, first, second)
    assert [path.name for path in saved] == [path.name for path in again]
    for path, other in zip(saved, again, strict=True):
        assert path.read_bytes() == other.read_bytes(), path.name
    caption = (first / f"{name}.txt").read_text("utf-8")
    assert caption.strip().endswith(verdicts_sentence(given.claims))
    assert caption.startswith(("dec.", "dyn.", "gen."))


# -- looks ---------------------------------------------------------------------------------------------------------


def small_texts(picture: Any) -> list[str]:
    """Texts of fewer points than are legible in print."""
    texts = [each for each in picture.findobj(Text) if each.get_visible() and each.get_text().strip()]
    return sorted({each.get_text() for each in texts if each.get_fontsize() < LEAST_POINTS})


def sticking_out(picture: Any) -> float:
    """By how many inches what is drawn sticks out of the picture."""
    picture.canvas.draw()
    box, (width, height) = picture.get_tightbbox(picture.canvas.get_renderer()), picture.get_size_inches()
    return float(max(-box.x0, -box.y0, box.x1 - width, box.y1 - height))


def told_by_colour_alone(picture: Any) -> list[str]:
    """Pairs of marks in one panel that differ in colour and in nothing else.

    Left out are lines across the whole panel, which refer to a value on an axis, and colours in the order of a colour
    bar, whose lightness rises.
    """
    found = []
    for number, axes in enumerate(picture.axes):
        looks: dict[Any, set[Any]] = {}
        for look, colour in (*_lines(axes), *_points(axes), *_outlines(axes)):
            if not _in_order(colour):
                looks.setdefault(look, set()).add(colour)
        found += [f"panel {number}: {look} in {len(colours)} colours" for look, colours in looks.items()
                  if len(colours) > 1]  # fmt: skip
    return found


def _lines(axes: Any) -> Iterator[tuple[Any, Any]]:
    for line in axes.lines:
        x, y = (np.asarray(each, dtype=float) for each in line.get_data())
        bare = line.get_marker() in ("None", "none", None, "")
        across = bare and len(x) == 2 and (x[0] == x[1] or y[0] == y[1])
        if not line.get_visible() or not len(x) or across:
            continue
        # `get_linestyle` calls all patterns of dashes alike.
        dashes = line._unscaled_dash_pattern if line.get_linestyle() not in ("None", "none", "") else None
        face = "hollow" if _white(line.get_markerfacecolor()) else "filled"
        marker = None if bare else (line.get_marker(), line.get_fillstyle(), face)
        yield ("line", str(dashes), marker), to_rgba(line.get_color())[:3]


def _points(axes: Any) -> Iterator[tuple[Any, Any]]:
    for points in axes.collections:
        if isinstance(points, PathCollection) and points.get_array() is None and len(points.get_facecolor()):
            shape = points.get_paths()[0].vertices.round(3).tobytes()
            yield ("points", hash(shape)), tuple(points.get_facecolor()[0][:3])


def _outlines(axes: Any) -> Iterator[tuple[Any, Any]]:
    for patch in axes.patches:
        if not patch.get_fill() and patch.get_visible():
            yield ("outline", str(patch.get_linestyle())), tuple(patch.get_edgecolor()[:3])


def _white(colour: Any) -> bool:
    return colour in ("none", "None") or to_rgba(colour)[:3] == (1.0, 1.0, 1.0)


def _in_order(colour: Any) -> bool:
    bar = matplotlib.colormaps["viridis"](np.linspace(0, 1, 256))[:, :3]
    return bool(np.abs(bar - np.asarray(colour)).max(axis=1).min() < 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_a_figure_is_legible_and_whole(name: str) -> None:
    picture = picture_of(name)
    assert small_texts(picture) == []
    assert sticking_out(picture) <= BEYOND
    assert picture.get_size_inches()[0] <= 7.3


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_colour_never_tells_alone(name: str) -> None:
    assert told_by_colour_alone(picture_of(name)) == []


@pytest.fixture
def axes() -> Iterator[Any]:
    picture, axes = plt.subplots()
    yield axes
    plt.close(picture)


def test_colour_alone_is_caught(axes: Any) -> None:
    axes.plot([0, 1], [0, 1], color="#0072B2")
    axes.plot([0, 1], [1, 0], color="#E69F00", linestyle="--")
    axes.axhline(0.5, color="0.3")
    assert told_by_colour_alone(axes.figure) == []
    axes.plot([0, 1], [1, 2], color="#009E73")
    assert len(told_by_colour_alone(axes.figure)) == 1


@pytest.mark.parametrize("marker", [("o", "s", 0), ("o", "o", 1)])
def test_markers_of_one_shape_are_caught(axes: Any, marker: tuple[str, str, int]) -> None:
    first, second, faults = marker
    axes.scatter([0, 1], [0, 1], marker=first, color="#0072B2")
    axes.scatter([0, 1], [1, 0], marker=second, color="#E69F00")
    axes.add_line(Line2D([0, 1], [2, 3], marker=first, linestyle="none", color="#0072B2"))
    axes.add_line(Line2D([0, 1], [3, 2], marker=second, linestyle="none", color="#E69F00"))
    assert len(told_by_colour_alone(axes.figure)) == 2 * faults


def test_small_and_cut_text_is_caught(axes: Any) -> None:
    assert small_texts(axes.figure) == []
    axes.text(0.5, 0.5, "tiny", fontsize=5)
    assert small_texts(axes.figure) == ["tiny"]
    assert sticking_out(axes.figure) <= BEYOND
    axes.figure.text(0.99, 0.5, "beyond the edge")
    assert sticking_out(axes.figure) > 0.1
