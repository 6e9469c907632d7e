"""`headproof profile` as its users meet it: one clear line for bad input, a summary, files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

Headproof = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--task foo", "unknown task 'foo'; there are binding, induction, text, prompt"),
        ("--prompt x --facts 3", "--facts is no option of the task prompt; it belongs to binding"),
        ("--length 5", "--length is no option of the task binding; it belongs to induction"),
        ("--task text", "the task text needs a file; add --file FILE"),
        ("--task prompt", "the task prompt needs a text; add --prompt TEXT"),
        ("--facts 1", "--facts '1' is not a whole number from 2"),
        ("--task induction --length 1", "--length '1' is not a whole number from 2"),
        ("--prompt x --block-length 0", "--block-length '0' is not a whole number from 1"),
        ("--seeds 0", "--seeds '0' is not a whole number from 1"),
        ("--seed -1", "--seed '-1' is not a whole number from 0"),
        ("--null-seeds 0", "--null-seeds '0' is not a whole number from 1"),
        ("--query 1.5", "--query '1.5'; give last, a position, or a fraction between 0 and 1"),
        ("--query ,", "--query ',' has an empty entry"),
        ("--temperatures -1", "temperature -1; a temperature is 0, a positive number or inf"),
        ("--temperatures nan", "--temperatures 'nan' is not a number"),
        ("--gamma 2", "margin 2; a margin gamma lies between 0 and 0.5"),
        ("--heads 1:2", "--heads chooses whose planes are drawn, and none are; add --out DIR"),
        ("--heads 1:2 --no-planes --out OUT", "none are; leave out --no-planes"),
        ("--heads 12 --out OUT", "--heads '12' is no head; write LAYER:HEAD"),
        ("/nonexistent.gguf", "no model at '/nonexistent.gguf'"),
    ],
)
def test_bad_input_gets_one_line_before_a_model_is_loaded(
    headproof: Headproof, arguments: str, message: str, tmp_path: Path
) -> None:
    ran = headproof("profile", *arguments.replace("OUT", str(tmp_path / "out")).split())
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("headproof: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_remeasure_refuses_other_topics(headproof: Headproof) -> None:
    ran = headproof("remeasure", "exclusion")
    said = (
        "headproof: no committed measurement of 'exclusion'; there are canonical, disentanglement, multihop, scores\n"
    )
    assert (ran.status, ran.err) == (2, said)


@pytest.mark.model
@pytest.mark.slow
def test_a_profile_is_shown_and_written(headproof: Headproof, tmp_path: Path) -> None:
    out = tmp_path / "out"
    text = tmp_path / "text.txt"
    text.write_text("The old bell on the school had been silent for years. " * 4, "utf-8")
    words = f"profile --file {text} --blocks 8 --query last --null-seeds 1 --heads 3:4 --out {out}"
    ran = headproof(*words.split())
    assert ran.status == 0, ran.err
    assert "270 heads" in ran.out
    assert "every layer conforms" in " ".join(ran.out.split())
    assert "rotary planes by wavelength" in ran.out
    names = {path.name for path in out.iterdir()}
    assert {"heads.parquet", "heads.csv", "planes.parquet", "summary.json", "scores_plane.png"} <= names
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["about"]["model"]["name"] == "SmolLM2-135M-Instruct"
    assert summary["about"]["prompts"][0]["blocks"] == 8
