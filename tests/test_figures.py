"""Figures: drawn from their own data, written whole or not at all, and the same from the same data."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from headproof.checks.registry import Context, figure_points
from headproof.paper_figs import exclusion
from headproof.paper_figs.captions import verdicts_sentence
from headproof.paper_figs.data import DIGITS, as_written, read_data
from headproof.paper_figs.figure import KINDS, Figure, load, redraw, save
from headproof.theory.errors import InputError


def rows(seed: int = 0) -> pa.Table:
    """Made-up measurements of 3 layers of 2 heads, in the shape of the real ones."""
    generator = np.random.default_rng(seed)
    made = []
    for group, null_seed in (("trained", -1), ("fresh", 0), ("shuffled", 0)):
        for prompt in ("story", "list"):
            for layer in range(3):
                for head in range(2):
                    variance, slack = generator.lognormal(size=2)
                    made.append(
                        {"group": group, "null_seed": null_seed, "prompt": prompt, "query": 9, "layer": layer,
                         "head": head, "positional": variance / 2, "symbolic": variance / 2 + slack,
                         "variance": variance, "slack": slack, "ratio": variance / (variance + slack)}
                    )  # fmt: skip
    about = {
        "model": {"name": "some model", "sha256": "aa"}, "layers": 3, "heads": 2,
        "plan": {"prompts": ["story", "list"], "queries": [1.0], "null_seeds": [0]},
    }  # fmt: skip
    return pa.Table.from_pylist(made).replace_schema_metadata({"headproof": json.dumps(about)})


def drawn_from(data: pa.Table) -> Figure:
    figure = exclusion.figure
    return Figure(figure.name, figure.title, lambda context, message: data, figure.draw, figure.caption)


def silent(text: str) -> None:
    del text


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_picture_data_and_caption_are_written(tmp_path: Path) -> None:
    data = rows()
    files = save(drawn_from(data), tmp_path, Context(), silent)
    assert sorted(path.name for path in files) == [f"exclusion.{kind}" for kind in KINDS]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    plotted = pa.csv.read_csv(tmp_path / "exclusion.csv")
    assert plotted.column_names == data.column_names
    assert np.allclose(plotted["ratio"].to_numpy(), data["ratio"].to_numpy(), rtol=1e-8)
    caption = (tmp_path / "exclusion.txt").read_text()
    assert "dec.thm1" in caption
    assert "some model" in caption
    assert (tmp_path / "exclusion.png").read_bytes().startswith(b"\x89PNG")
    assert b"</svg>" in (tmp_path / "exclusion.svg").read_bytes()


def test_the_same_data_give_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        save(drawn_from(rows()), tmp_path / name, Context(), silent)
    assert hashes(tmp_path / "a") == hashes(tmp_path / "b")


def test_a_figure_opens_on_its_own_data(tmp_path: Path) -> None:
    """Drawn again from its CSV and JSON without computing: the same picture, data and caption."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    figure = drawn_from(rows())
    save(figure, first, Context(), silent)
    barred = Figure(figure.name, figure.title, lambda context, message: 1 / 0, figure.draw, figure.caption)
    redraw(barred, first, second)
    assert hashes(first) == hashes(second)


def test_data_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    data = pa.table(
        {"text": ["a", "", None, "1"], "whole": pa.array([1, None, 3, 4]), "yes": [True, False, None, True],
         "part": [1 / 3, float("nan"), None, -1e-20], "single": pa.array([0.1, 2, 3, None], pa.float32())}
    ).replace_schema_metadata({"headproof": json.dumps({"name": "é"})})  # fmt: skip
    figure = Figure("f", "F", lambda context, message: data, lambda data: empty(), lambda data: "what it is")
    save(figure, tmp_path, Context(), silent)
    read = read_data(tmp_path, "f")
    assert read.to_pylist()[0] == {"text": "a", "whole": 1, "yes": True, "part": 0.333333333, "single": 0.100000001}
    assert read.column("text").to_pylist() == ["a", "", None, "1"]
    assert np.isnan(read.column("part").to_pylist()[1])
    assert read.column("part").to_pylist()[2:] == [None, -1e-20]
    assert read.schema.metadata == data.schema.metadata
    assert str(read.schema) == str(as_written(data).schema)
    assert json.loads((tmp_path / "f.json").read_text())["digits"] == DIGITS


def test_lists_are_refused_as_columns() -> None:
    with pytest.raises(TypeError, match="column many of a figure is list"):
        as_written(pa.table({"many": [[1], [2]]}))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("exclusion.json", "not JSON", "is not JSON"),
        ("exclusion.json", '{"schema": "headproof-figure-1", "figure": "other"}', "describes 'other'"),
        (
            "exclusion.json",
            '{"schema": "headproof-figure-1", "figure": "exclusion", "columns": {"a": "list"}}',
            "unknown type",
        ),
        ("exclusion.csv", '"ratio"\n0.5\n', "was changed since exclusion.json described it"),
        ("exclusion.csv", "", "was changed since"),
    ],
)  # fmt: skip
def test_data_that_do_not_fit_are_refused(name: str, text: str, said: str, tmp_path: Path) -> None:
    save(drawn_from(rows()), tmp_path, Context(), silent)
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_data(tmp_path, "exclusion")
    (tmp_path / name).unlink()
    with pytest.raises(InputError, match="headproof figures exclusion writes it"):
        read_data(tmp_path, "exclusion")


def test_a_description_of_other_columns_is_refused(tmp_path: Path) -> None:
    save(drawn_from(rows()), tmp_path, Context(), silent)
    path = tmp_path / "exclusion.json"
    described = json.loads(path.read_text())
    for columns, said in (({"other": "string"}, "has the columns"), ({"group": "int64"}, "is not the data of figure")):
        path.write_text(json.dumps({**described, "columns": {**described["columns"], **columns}}))
        with pytest.raises(InputError, match=said):
            read_data(tmp_path, "exclusion")


def test_a_caption_carries_the_verdicts_of_the_ledger() -> None:
    said = verdicts_sentence(("dec.thm7.u-shape", "dec.thm1.identity"))
    assert said == (
        "Verdicts in the committed ledger: REFUTED: dec.thm7.u-shape; "
        "HOLDS: dec.thm7.u-shape.range, dec.thm7.u-shape.beyond, dec.thm1.identity."
    )
    assert verdicts_sentence(()) == ""
    with pytest.raises(InputError, match="unknown claim"):
        verdicts_sentence(("dec.no-such",))


def empty() -> object:
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(1, 1))


def test_nothing_is_written_when_drawing_fails(tmp_path: Path) -> None:
    figure = Figure("f", "F", lambda context, message: rows(), lambda data: 1 / 0, lambda data: "")
    with pytest.raises(ZeroDivisionError):
        save(figure, tmp_path, Context(), silent)
    assert list(tmp_path.iterdir()) == []


def test_every_group_and_reference_is_drawn() -> None:
    drawn = exclusion.draw(rows())
    axes = drawn.axes[0]
    labels = axes.get_legend_handles_labels()[1]
    assert set(labels) >= {*exclusion.NAMES.values(), *(label for _, label in exclusion.REFERENCES)}
    assert axes.get_xscale() == axes.get_yscale() == "log"
    points = [line for line in axes.lines if line.get_label() in exclusion.NAMES.values()]
    assert all((line.get_ydata() > line.get_xdata()).all() for line in points)


def test_a_figure_that_does_not_load_is_named() -> None:
    point = figure_points()["exclusion"]
    assert load(point) is exclusion.figure
    with pytest.raises(InputError, match="does not load"):
        load(type(point)("gone", "no_such_package:figure", point.group))
    with pytest.raises(InputError, match="is a function, not a Figure"):
        load(type(point)("wrong", "json:dumps", point.group))
