"""The committed multihop models: written and read back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")

from headproof.checks.trained.multihop import measurement
from headproof.checks.trained.multihop.length import accuracy_at
from headproof.checks.trained.multihop.results import measured
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tables import TABLES
from headproof.checks.trained.rows import columns_of, described
from headproof.theory.errors import InputError

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]
TINY = Run("letter", "small", steps=2, batch=8)


@pytest.fixture
def remade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A measurement of a tiny run, made anew."""
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(measurement, "RUNS", (TINY,))
    monkeypatch.setattr(measurement, "measured", partial(measured, looked_at=4, answered=8))
    monkeypatch.setattr(measurement, "accuracy_at", partial(accuracy_at, lengths=(13, 16)))
    monkeypatch.setattr(measurement, "WITHIN", 0.4)
    _, written = measurement.remeasure(None, "cpu", lambda *_: None, lambda _: None, tmp_path / "root")
    assert all(path.exists() for path in written)
    return tmp_path / "root"


@pytest.mark.slow
def test_what_is_written_is_read_back(remade: Path) -> None:
    tables = measurement.read("letter", remade)
    assert tables is not None
    assert set(tables) == {*TABLES, "lengths"}
    assert described(tables["heads"])["run"] == TINY.to_json()
    assert set(columns_of(tables["lengths"])["length"].tolist()) == {13, 16}
    loaded = measurement.model_of("letter", remade)
    assert (loaded.run, loaded.step) == (TINY, 2)
    (remade / "letter" / measurement.WEIGHTS).write_bytes(b"rubbish")
    with pytest.raises(InputError, match=r"cannot read .*model\.safetensors"):
        measurement.model_of("letter", remade)
    (remade / "letter" / "heads.parquet").write_bytes(b"rubbish")
    with pytest.raises(InputError, match=r"cannot read the measurement .*; restore it, or remeasure multihop"):
        measurement.read("letter", remade)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    assert measurement.read("letter", tmp_path) is None
    with pytest.raises(InputError, match="unknown task 'copy'; known: letter, number"):
        measurement.model_of("copy")
    with pytest.raises(InputError, match="--model x for multihop models; they are trained: leave it out"):
        measurement.remeasure("x", "cpu", lambda *_: None, lambda _: None, tmp_path)
