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
from headproof.paper_figs.figure import Figure, load, save
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
    assert sorted(path.name for path in files) == ["exclusion.csv", "exclusion.png", "exclusion.svg", "exclusion.txt"]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    plotted = pa.csv.read_csv(tmp_path / "exclusion.csv")
    assert plotted.column_names == data.column_names
    assert np.array_equal(plotted["ratio"].to_numpy(), data["ratio"].to_numpy())
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
