"""The committed multihop models: written and read back."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from headproof.checks.trained.multihop import checkpoints, length, measurement, results
from headproof.checks.trained.multihop.dynamics import dynamics
from headproof.checks.trained.multihop.length import accuracy_at, baselines_at
from headproof.checks.trained.multihop.results import measured
from headproof.checks.trained.multihop.runs import Run
from headproof.checks.trained.multihop.tables import TABLES
from headproof.checks.trained.multihop.training import train
from headproof.checks.trained.rows import columns_of, described
from headproof.theory.errors import InputError

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]
TINY, OTHER = (Run("letter", "small", seed, steps=2, batch=8) for seed in (0, 1))


@pytest.fixture
def remade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A measurement of a tiny run, made anew."""
    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(measurement, "RUNS", {"letter": (TINY, OTHER)})
    monkeypatch.setattr(measurement, "measured", partial(measured, looked_at=4, answered=8))
    monkeypatch.setattr(measurement, "accuracy_at", partial(accuracy_at, lengths=(13, 16)))
    monkeypatch.setattr(measurement, "baselines_at", partial(baselines_at, lengths=(13, 16)))
    monkeypatch.setattr(measurement, "within", lambda length: 0.4)
    _, written = measurement.remeasure(None, "cpu", lambda *_: None, lambda _: None, tmp_path / "root")
    assert all(path.exists() for path in written)
    return tmp_path / "root"


@pytest.mark.slow
def test_what_is_written_is_read_back(remade: Path) -> None:
    tables = measurement.read("letter", remade)
    assert tables is not None
    assert set(tables) == {*TABLES, "lengths", "baselines", "reaches"}
    assert described(tables["heads"])["runs"] == [TINY.to_json(), OTHER.to_json()]
    for name in ("steps", "lengths", "reaches"):
        assert set(columns_of(tables[name])["seed"].tolist()) == {0, 1}
    for name in ("lengths", "baselines"):
        assert set(columns_of(tables[name])["length"].tolist()) == {13, 16}
    loaded = measurement.model_of("letter", remade)
    assert (loaded.run, loaded.step) == (TINY, 2)
    (remade / "letter" / measurement.WEIGHTS).write_bytes(b"rubbish")
    with pytest.raises(InputError, match=r"cannot read .*model\.safetensors"):
        measurement.model_of("letter", remade)
    (remade / "letter" / "heads.parquet").write_bytes(b"rubbish")
    with pytest.raises(InputError, match=r"cannot read the measurement .*; restore it, or remeasure multihop"):
        measurement.read("letter", remade)


@pytest.mark.slow
def test_an_interrupted_measurement_goes_on(
    tmp_path: Path, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = train(TINY, tmp_path / "run")
    steps = checkpoints.kept_steps(folder)
    asked: list[str] = []

    def counted(name: str, module: Any, after: int | None = None) -> None:
        plain = getattr(module, name)

        def one_more(*given: Any, **named: Any) -> Any:
            if asked.count(name) == after:
                raise KeyboardInterrupt
            asked.append(name)
            return plain(*given, **named)

        monkeypatch.setattr(module, name, one_more)

    def whole() -> dict[str, Any]:
        found = measured([folder], looked_at=4, answered=8)
        return found | {"lengths": accuracy_at(folder, lengths=(13, 16), within=0.4, keep=True)}

    with monkeypatch.context() as context:
        context.setenv("HEADPROOF_CACHE", str(tmp_path / "other"))
        expected = whole()
        # Measured at once as well as checkpoint by checkpoint.
        assert dynamics(folder, looked_at=4, answered=8)["heads"].equals(expected["heads"], check_metadata=True)
        assert accuracy_at(folder, lengths=(13, 16), within=0.4).equals(expected["lengths"], check_metadata=True)
    counted("dynamics", results, after=len(steps) - 1)
    with pytest.raises(KeyboardInterrupt):
        whole()
    monkeypatch.undo()
    monkeypatch.setenv("HEADPROOF_CACHE", str(private_cache))
    asked.clear()
    for name, module in (("dynamics", results), ("mechanism", results), ("predictions", length)):
        counted(name, module)
    assert all(table.equals(expected[name], check_metadata=True) for name, table in whole().items())
    assert (asked.count("dynamics"), asked.count("mechanism")) == (1, 1)
    # A second time nothing is left to be measured.
    asked.clear()
    assert all(table.equals(expected[name], check_metadata=True) for name, table in whole().items())
    assert not asked
    # What is damaged is, and what is asked of other weights or otherwise.
    (piece,) = (private_cache / "measurements").glob("multihop-mechanism-*")
    (piece / "roles.feather").write_bytes(b"rubbish")
    assert whole()["roles"].equals(expected["roles"])
    assert asked == ["mechanism"]
    measured([folder], looked_at=5, answered=8)
    assert asked.count("dynamics") == len(steps)
    asked.clear()
    checkpoints.weights_path(folder, 0).write_bytes(
        checkpoints.weights_path(train(OTHER, tmp_path / "b"), 0).read_bytes()
    )
    with pytest.raises(InputError, match="of letter-small-s1 after 0 steps; it is not this"):
        measured([folder], looked_at=4, answered=8)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    assert measurement.read("letter", tmp_path) is None
    with pytest.raises(InputError, match="unknown task 'copy'; known: letter, number"):
        measurement.model_of("copy")
    with pytest.raises(InputError, match="x is no file or folder here"):
        measurement.remeasure("x", "cpu", lambda *_: None, lambda _: None, tmp_path)
