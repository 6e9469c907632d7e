"""Sweeps of toys: what is kept and refused, rounds, interruption and resumption, and where batches are trained."""

from __future__ import annotations

import json
import multiprocessing
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from safetensors.numpy import save  # noqa: E402

from headproof.checks import files  # noqa: E402
from headproof.checks.trained.canonical import executors, sweep  # noqa: E402
from headproof.checks.trained.canonical.cells import Cell, shape_of  # noqa: E402
from headproof.checks.trained.canonical.ensemble import NAMES  # noqa: E402
from headproof.checks.trained.canonical.grids import COMMITTED, QUICK  # noqa: E402
from headproof.checks.trained.canonical.store import CURVES, Store, digest_of, packed, read_cell  # noqa: E402
from headproof.checks.trained.canonical.sweep import Place, Sweep, run, second_round  # noqa: E402
from headproof.checks.trained.canonical.training import EACH, Trained, train  # noqa: E402
from headproof.theory.angles import Angle  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402
from headproof.training import Asked, sweep_of  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]

HERE = Place(executor="here")
TINY = Sweep(
    {"index": (("1",), ("pi",)), "induction": (("0", "1/2"),)},
    seeds=(0, 1),
    lengths=(6,),
    null_seeds=(0,),
    again=False,
    planes=4,
    width=8,
    steps=30,
    batch=16,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def store_of(folder: Path, made: Sweep = TINY) -> Store:
    return Store.open(folder, made.description())


def same(one: Trained, other: Trained, within: float = 0) -> bool:
    """Whether two toys are one, up to `within` in each parameter and a near tie of one test input in each curve."""
    pairs = [(one.parameters[name], other.parameters[name]) for name in NAMES]
    close = all(np.abs(held - given).max() <= within for held, given in pairs)
    apart = np.abs(one.accuracy - other.accuracy).max()
    return close and one.cell == other.cell and bool(apart <= (1.5 / EACH if within else 0))


def holding(folder: Path, trained: list[Trained]) -> None:
    """A folder of the tiny sweep with a toy in it."""
    store_of(folder).keep(packed(trained[0]), trained[0].cell)


def like(cell: Cell, accuracy: float) -> Trained:
    """A toy with a given accuracy at every place and nothing learned."""
    return Trained(cell, {name: np.zeros((1, 1)) for name in NAMES}, *(np.full(cell.keys, accuracy) for _ in CURVES))


@pytest.fixture(scope="module")
def trained() -> list[Trained]:
    cells = [Cell("index", (angle,), length=6, planes=4, width=8, steps=3, batch=8) for angle in ("1", "2")]
    return train(cells)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> list[Trained]:
    """The tiny sweep, trained in this process."""
    return run(TINY, store_of(tmp_path_factory.mktemp("reference")), HERE)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[list[Cell]]:
    """The batches that are trained."""
    batches: list[list[Cell]] = []
    real = executors.train_batch

    def counting(cells: list[dict[str, Any]], device: str, threads: int) -> list[bytes]:
        batches.append([Cell.from_json(cell) for cell in cells])
        return real(cells, device, threads)

    monkeypatch.setattr(executors, "train_batch", counting)
    return batches


# -- the store ---------------------------------------------------------------------------------------------------------


def test_a_toy_comes_back_from_its_file(trained: list[Trained], tmp_path: Path) -> None:
    for toy in trained:
        path = tmp_path / "toy.safetensors"
        path.write_bytes(packed(toy))
        found = read_cell(path)
        assert found.cell == toy.cell
        for name in NAMES:
            assert found.parameters[name].dtype == np.float32
            assert np.array_equal(found.parameters[name], toy.parameters[name])
        for name in CURVES:
            assert getattr(found, name) == pytest.approx(getattr(toy, name), abs=1e-7)
    assert len({packed(trained[0]) for _ in range(8)}) == 1


def damaged(toy: Trained) -> dict[str, bytes]:
    """Files that hold no toy."""
    whole = packed(toy)
    arrays = {name: toy.parameters[name] for name in NAMES} | {
        name: getattr(toy, name).astype(np.float32) for name in CURVES
    }
    held = toy.cell.to_json()

    def about(cell: Any, arrays: dict[str, Any] = arrays) -> dict[str, str]:
        return {"toy": json.dumps({"cell": cell, "sha256": digest_of(arrays)})}

    less = {name: values for name, values in arrays.items() if name != "unembedding"}
    flipped = arrays | {"w_k": np.nextafter(arrays["w_k"], np.float32(9))}
    return {
        "empty": b"",
        "rubbish": b"rubbish" * 40,
        "truncated": whole[:-5],
        "header alone": whole[:200],
        "foreign": save({"weight": np.zeros(3)}),
        "foreign with other notes": save({"weight": np.zeros(3)}, metadata={"format": "pt"}),
        "without unembedding": save(less, metadata=about(held, less)),
        "cell is no JSON": save(arrays, metadata={"toy": "{"}),
        "cell is a number": save(arrays, metadata=about(5)),
        "toy is a number": save(arrays, metadata={"toy": "5"}),
        "cell with a stray entry": save(arrays, metadata=about({**toy.cell.to_json(), "heads": 2})),
        "cell that cannot be": save(arrays, metadata=about({**toy.cell.to_json(), "steps": 0})),
        "another width": save(arrays, metadata=about({**toy.cell.to_json(), "width": 9})),
        "other numbers": save(flipped, metadata=about(held)),
        "without a digest": save(arrays, metadata={"toy": json.dumps({"cell": held})}),
    }


KINDS = (
    "empty",
    "rubbish",
    "truncated",
    "header alone",
    "foreign",
    "foreign with other notes",
    "without unembedding",
    "cell is no JSON",
    "cell is a number",
    "toy is a number",
    "cell with a stray entry",
    "cell that cannot be",
    "another width",
    "other numbers",
    "without a digest",
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_no_toy_is_refused_by_name(trained: list[Trained], tmp_path: Path, kind: str) -> None:
    path = tmp_path / "toy.safetensors"
    path.write_bytes(damaged(trained[0])[kind])
    with pytest.raises(InputError) as refused:
        read_cell(path)
    assert str(path) in str(refused.value)
    assert "delete the file; it is then trained again" in str(refused.value)


def test_an_absent_file_and_a_folder_are_refused_by_name(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.safetensors", tmp_path):
        with pytest.raises(InputError, match=f"cannot read the toy {path}: "):
            read_cell(path)


def test_a_file_that_holds_another_toy_is_refused(trained: list[Trained], tmp_path: Path) -> None:
    store, (one, two) = store_of(tmp_path), trained
    store.keep(packed(one), two.cell)
    with pytest.raises(InputError, match=f"holds the toy {one.cell.name}, not {two.cell.name}"):
        store.read(two.cell)


def test_a_store_knows_what_is_missing(trained: list[Trained], tmp_path: Path) -> None:
    store, cells = store_of(tmp_path), [toy.cell for toy in trained]
    assert store.missing(cells) == cells
    store.keep(packed(trained[1]), cells[1])
    assert store.missing(cells) == cells[:1]
    assert same(store_of(tmp_path).read(cells[1]), trained[1], within=1e-9)
    assert names(tmp_path) == ["cells", "sweep.json"]


def test_the_folder_says_which_sweep_it_holds(tmp_path: Path) -> None:
    store_of(tmp_path / "deep" / "er")
    held = json.loads((tmp_path / "deep" / "er" / "sweep.json").read_text())
    assert held["sweep"] == TINY.description()
    assert Sweep.of(held["sweep"]) == TINY


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"steps": 31}, "another sweep: steps 30, here 31; give another folder"),
        ({"seeds": (0, 2), "width": 16}, r"seeds \[0, 1\], here \[0, 2\]; width 8, here 16; give"),
        ({"steps": 31, "width": 16, "batch": 8, "rate": 0.5}, r"; and 2 more; give another folder"),
        (
            {"angles": {"index": (("2",),)}},
            "sweep: angles index 1, index pi, induction 0&1/2, here index 2 instead; give",
        ),
        ({"angles": {**TINY.angles, "index": (("1",),)}}, "sweep: angles index pi, here nothing instead; give"),
    ],
)
def test_a_folder_of_another_sweep_is_refused_by_what_differs(
    trained: list[Trained], tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    holding(tmp_path, trained)
    other = Sweep(**{**{name: getattr(TINY, name) for name in Sweep.__dataclass_fields__}, **changes})
    for fresh in (False, True):
        with pytest.raises(InputError, match=told):
            Store.open(tmp_path, other.description(), fresh)
    assert Sweep.of(json.loads((tmp_path / "sweep.json").read_text())["sweep"]) == TINY


@pytest.mark.parametrize("text", ["{", "[1]", "5", "null", "{}"])
def test_a_description_that_is_none_is_refused(trained: list[Trained], tmp_path: Path, text: str) -> None:
    holding(tmp_path, trained)
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(InputError, match="give another folder"):
        store_of(tmp_path)
    assert (tmp_path / "sweep.json").read_text() == text


def test_toys_without_their_sweep_are_refused(trained: list[Trained], tmp_path: Path) -> None:
    holding(tmp_path, trained)
    (tmp_path / "sweep.json").unlink()
    with pytest.raises(
        InputError, match="cells holds toys of no known sweep; give another folder, or delete all of it"
    ):
        store_of(tmp_path)
    assert not (tmp_path / "sweep.json").exists()


def test_fresh_deletes_finished_cells_and_nothing_else(trained: list[Trained], tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.keep(packed(trained[0]), trained[0].cell)
    (tmp_path / "cells" / "notes.txt").write_text("mine")
    assert store_of(tmp_path).missing([trained[0].cell]) == []
    assert Store.open(tmp_path, TINY.description(), fresh=True).missing([trained[0].cell]) == [trained[0].cell]
    assert names(tmp_path / "cells") == ["notes.txt"]


def test_an_interrupted_keep_leaves_nothing(
    trained: list[Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, cell = store_of(tmp_path), trained[0].cell

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.keep(packed(trained[0]), cell)
    assert names(tmp_path / "cells") == []
    assert store.missing([cell]) == [cell]


# -- the grid ----------------------------------------------------------------------------------------------------------

TEXT = """
seeds = 2
null_seeds = [7]
lengths = [6, 8]
again = false
steps = 30
rate = 0.02

[angles]
index = ["1", "2/5 pi", 0.5]
induction = [["0", "1/10"], 2]
"""


def test_a_sweep_is_read_from_toml(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TEXT)
    made = Sweep.read(tmp_path / "mine.toml")
    assert made == Sweep.of(tomllib.loads(TEXT))
    assert made.angles == {"index": (("1",), ("2/5 pi",), ("1/2",)), "induction": (("0", "1/10"), ("2",))}
    assert (made.seeds, made.null_seeds, made.lengths) == ((0, 1), (7,), (6, 8))
    assert (made.again, made.steps, made.rate, made.width) == (False, 30, 0.02, 32)


def test_a_sweeps_cells_are_its_grid_and_its_null_cells_last() -> None:
    made = Sweep.of(tomllib.loads(TEXT))
    cells = made.cells()
    assert len(cells) == len(set(cells)) == 5 * 2 * 3
    assert [cell.answers for cell in cells] == 20 * ["true"] + 10 * ["shuffled"]
    assert {cell.seed for cell in cells[20:]} == {7}
    expected = {
        (task, length, seed, angles)
        for task, sets in (
            ("index", [("1",), ("2/5 pi",), ("1/2",)]),
            ("induction", [("0", "1/10"), ("2",)]),
        )
        for angles in sets
        for length in (6, 8)
        for seed in (0, 1)
    }
    assert {(cell.task, cell.length, cell.seed, cell.angles) for cell in cells[:20]} == expected
    assert {(cell.steps, cell.rate, cell.width, cell.batch) for cell in cells} == {(30, 0.02, 32, 128)}


INDEX = {"index": ["1"]}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"angles": {"copying": ["1"]}}, "unknown task 'copying'; known: index, retrieval, induction"),
        ({"angles": INDEX, "heads": 2}, "a sweep has no entry 'heads'; it has again, angles"),
        ({}, "angles None; write [angles]"),
        ({"angles": ["1"]}, "angles ['1']; write [angles]"),
        ({"angles": {"index": "1"}}, "angles {'index': '1'}; write [angles]"),
        ({"angles": {}}, "a sweep without cells: angles is empty; give tasks with angles, seeds and lengths"),
        ({"angles": {"index": []}}, "a sweep without cells: angles.index is empty"),
        ({"angles": {"index": [[]]}}, "angles none; give one or more"),
        ({"angles": {"index": ["x"]}}, "'x'"),
        ({"angles": {"index": [True]}}, "'True'"),
        ({"angles": {"index": [float("nan")]}}, "'nan'"),
        ({"angles": {"index": ["1", "2", "1"]}}, "the angles of index have 1 twice; give each once"),
        ({"angles": {"index": ["2/5 pi", "0.4 pi"]}}, "the angles of index have 2/5 pi twice"),
        ({"angles": {"index": [["1", "1"]]}}, "angles 1, 1; give one or more, each once"),
        ({"angles": {"index": [["1", "2", "3"]]}}, "3 angles in a set, 1&2&3, for a head of 8 planes"),
        ({"angles": {"index": [["1", "2"], ["2", "1"]]}}, "the angles of index have 1&2 twice"),
        ({"angles": INDEX, "seeds": 0}, "a sweep without cells"),
        ({"angles": INDEX, "seeds": []}, "a sweep without cells: seeds is empty"),
        ({"angles": INDEX, "seeds": [1, 2, 1]}, "seeds have 1 twice; give each once"),
        ({"angles": INDEX, "seeds": "0, 1"}, "seeds = '0, 1'; give a list of whole numbers"),
        ({"angles": INDEX, "seeds": True}, "seeds = True; give a list of whole numbers"),
        ({"angles": INDEX, "seeds": 1.5}, "seeds = 1.5; give a list of whole numbers"),
        ({"angles": INDEX, "seeds": ["a"]}, "each of seeds is an integer, 0 or more, got 'a'"),
        ({"angles": INDEX, "seeds": [1.0]}, "each of seeds is an integer, 0 or more, got 1.0"),
        ({"angles": INDEX, "seeds": [[0]]}, "seed"),
        ({"angles": INDEX, "seeds": [{"a": 1}]}, "seed"),
        ({"angles": INDEX, "null_seeds": {"a": 1}}, "null_seeds = {'a': 1}; give a list"),
        ({"angles": INDEX, "null_seeds": [0, 0]}, "null_seeds have 0 twice"),
        ({"angles": INDEX, "lengths": 8}, "lengths = 8; give a list of whole numbers"),
        ({"angles": INDEX, "lengths": []}, "a sweep without cells: lengths is empty"),
        ({"angles": INDEX, "lengths": [8, 8]}, "lengths have 8 twice"),
        ({"angles": INDEX, "lengths": [2]}, "length is an integer, 3 or more, got 2"),
        ({"angles": INDEX, "lengths": [[8]]}, "length"),
        ({"angles": INDEX, "again": 1}, "again = 1; give true or false"),
        ({"angles": INDEX, "steps": "many"}, "steps is an integer, 1 or more, got 'many'"),
        ({"angles": INDEX, "rate": "fast"}, "rate 'fast'"),
        ({"angles": INDEX, "seeds": 100_001}, "seeds 100001; a sweep has up to 100000 cells"),
        ({"angles": {"index": ["1", "2"]}, "seeds": 40_000, "lengths": [8, 9]}, "a sweep of 160000 cells"),
        ({"angles": {"retrieval": ["1"]}, "symbols": 8}, "length 32 with 8 symbols"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused_by_its_value(data: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as refused:
        Sweep.of(data)
    assert told in str(refused.value)


def test_a_huge_number_of_seeds_is_refused_before_they_are_listed() -> None:
    with pytest.raises(InputError, match="seeds"):
        Sweep.of({"angles": INDEX, "seeds": 10**15})


@pytest.mark.parametrize("text", ["angles = ", "seeds = [", "\x00", "a b"])
def test_a_file_that_is_no_toml_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=f"cannot read the sweep {path}: .*; give a TOML file"):
        Sweep.read(path)


def test_a_sweep_that_is_not_there_or_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for path in (tmp_path / "absent.toml", tmp_path, tmp_path / "bytes.toml"):
        with pytest.raises(InputError, match=f"cannot read the sweep {path}: "):
            Sweep.read(path)


def test_a_failing_cell_comes_back_longer_and_then_wider_too() -> None:
    failing, solved, null = TINY.cells()[0], TINY.cells()[1], TINY.cells()[-1]
    assert null.answers == "shuffled"
    again = second_round([like(failing, 0.98), like(solved, 0.99), like(null, 0.2)])
    assert [(cell.steps, cell.width, cell.planes) for cell in again] == [(120, 8, 4), (120, 16, 8)]
    assert all((cell.task, cell.angles, cell.seed) == (failing.task, failing.angles, failing.seed) for cell in again)
    assert [TINY.round_of(cell) for cell in (failing, *again)] == [1, 2, 3]
    assert second_round([like(solved, 1), like(null, 0)]) == []


def test_the_sweeps_of_the_house_have_their_cells() -> None:
    assert len(QUICK.cells()) == 5 * 36
    assert len(COMMITTED.cells()) == 2 * 43 * (5 + 2)
    for task, sets in QUICK.angles.items():
        assert set(sets) <= set(COMMITTED.angles[task])
        largest = [(len(each), max(map(float, map(Angle.parse, each)))) for each in COMMITTED.angles[task]]
        assert largest == sorted(largest)
    assert {cell.answers for cell in QUICK.cells()} == {"true"}


# -- running it --------------------------------------------------------------------------------------------------------


def test_a_sweep_gives_its_cells_in_order_each_trained(reference: list[Trained]) -> None:
    assert [toy.cell for toy in reference] == TINY.cells()
    for toy in reference:
        assert toy.accuracy.shape == toy.untrained.shape == (5,)
        assert np.isfinite(toy.losses).all()
    alone = train([reference[0].cell])[0]
    assert same(alone, reference[0], within=1e-4)


def test_finished_cells_are_not_trained_again(
    tmp_path: Path, reference: list[Trained], counted: list[list[Cell]]
) -> None:
    steps: list[tuple[str, int, int]] = []
    first = run(TINY, store_of(tmp_path), HERE)
    assert sorted(map(len, counted)) == [3, 6]
    assert {cell for batch in counted for cell in batch} == set(TINY.cells())
    counted.clear()
    second = run(TINY, store_of(tmp_path), HERE, lambda *step: steps.append(step))
    assert counted == []
    assert steps == [("training", 9, 9)]
    assert all(same(*pair) for pair in zip(first, second, strict=True))
    assert all(same(*pair) for pair in zip(first, reference, strict=True))


def test_a_cell_that_is_missing_is_trained_alone(tmp_path: Path, counted: list[list[Cell]]) -> None:
    store = store_of(tmp_path)
    run(TINY, store, HERE)
    lost = TINY.cells()[4]
    store.path(lost).unlink()
    counted.clear()
    run(TINY, store, HERE)
    assert counted == [[lost]]


def test_failing_cells_are_trained_again_and_taken_up_too(tmp_path: Path, counted: list[list[Cell]]) -> None:
    made = Sweep({"index": (("pi",),)}, seeds=(0,), lengths=(6,), null_seeds=(0,), planes=2, width=4, steps=8, batch=8)
    steps: list[tuple[str, int, int]] = []
    found = run(made, store_of(tmp_path, made), HERE, lambda *step: steps.append(step))
    assert [made.round_of(toy.cell) for toy in found] == [1, 1, 2, 3]
    assert [toy.cell.answers for toy in found] == ["true", "shuffled", "true", "true"]
    assert {step[0] for step in steps} == {"training", "training failed cells again"}
    assert steps[-1][1:] == (2, 2)
    counted.clear()
    again = run(made, store_of(tmp_path, made), HERE)
    assert counted == []
    assert all(same(*pair) for pair in zip(found, again, strict=True))


def test_batches_are_of_one_shape_and_of_a_limited_number(
    tmp_path: Path, counted: list[list[Cell]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "MOST", {"cpu": 2})
    run(TINY, store_of(tmp_path), HERE)
    assert sorted(map(len, counted)) == [1, 2, 2, 2, 2]
    assert all(len({shape_of(cell) for cell in batch}) == 1 for batch in counted)
    costs = [sweep.cost(batch) for batch in counted]
    assert costs == sorted(costs, reverse=True)


def test_an_interrupted_sweep_goes_on_where_it_was(
    tmp_path: Path, reference: list[Trained], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "MOST", {"cpu": 1})
    real, batches = executors.train_batch, []

    def interrupted(cells: list[dict[str, Any]], device: str, threads: int) -> list[bytes]:
        batches.append(cells)
        if len(batches) == 2:
            raise KeyboardInterrupt
        return real(cells, device, threads)

    store = store_of(tmp_path)
    monkeypatch.setattr(executors, "train_batch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(TINY, store, HERE)
    (first,) = (Cell.from_json(cell) for cell in batches[0])
    assert names(tmp_path / "cells") == [f"{first.digest}.safetensors"]
    assert len(store.missing(TINY.cells())) == len(TINY.cells()) - 1
    found = run(TINY, store_of(tmp_path), HERE)
    assert len(batches) == 2 + len(TINY.cells()) - 1
    assert first not in [Cell.from_json(cell) for batch in batches[1:] for cell in batch]
    assert all(same(*pair, within=1e-4) for pair in zip(found, reference, strict=True))


def test_a_batch_that_fails_says_why_and_keeps_those_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "MOST", {"cpu": 1})
    real = executors.train_batch

    def failing(cells: list[dict[str, Any]], device: str, threads: int) -> list[bytes]:
        if cells[0]["task"] == "index":
            raise InputError(f"the loss of {Cell.from_json(cells[0]).name} became nan", "lower rate")
        return real(cells, device, threads)

    monkeypatch.setattr(executors, "train_batch", failing)
    with pytest.raises(InputError, match="the loss of index-1-s0"):
        run(TINY, store_of(tmp_path), HERE)
    # The costly batches come first, and those of induction are.
    assert {path.stem for path in (tmp_path / "cells").iterdir()} == {
        cell.digest for cell in TINY.cells() if cell.task == "induction"
    }


def test_a_damaged_cell_is_trained_again_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(tmp_path)
    before = run(TINY, store, HERE)
    path = store.path(TINY.cells()[3])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=f"cannot read the toy {path}: .*; delete the file"):
        store.read(TINY.cells()[3])
    real, trained = executors.train_batch, []

    def counted(cells: Any, device: str, threads: int) -> list[bytes]:
        trained.extend(cells)
        return real(cells, device, threads)

    monkeypatch.setattr(executors, "train_batch", counted)
    after = run(TINY, store, HERE)
    assert trained == [TINY.cells()[3].to_json()]
    assert [each.cell for each in after] == [each.cell for each in before]


# -- where it is run ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["threads", "", "dask", "dask=", "Here"])
def test_an_unknown_executor_is_refused(tmp_path: Path, spec: str) -> None:
    with (
        pytest.raises(InputError, match=f"unknown executor '{spec}'; use processes, here or dask=ADDRESS"),
        executors.executor(spec, 2),
    ):
        raise AssertionError("not refused")
    with pytest.raises(InputError, match="unknown executor"):
        run(TINY, store_of(tmp_path), Place(executor=spec))


def test_one_process_is_this_one() -> None:
    with executors.executor("processes", 1) as pool:
        assert isinstance(pool, executors.Here)


def test_the_threads_of_this_process_are_given_back(trained: list[Trained]) -> None:
    before = torch.get_num_threads()
    cell = trained[0].cell
    (data,) = executors.train_batch([cell.to_json()], "cpu", before + 1)
    assert torch.get_num_threads() == before
    assert data[8:9] == b"{"
    with pytest.raises(InputError, match="unknown task 'none'"):
        executors.train_batch([{**cell.to_json(), "task": "none"}], "cpu", before + 1)
    assert torch.get_num_threads() == before


@pytest.mark.slow
def test_processes_give_the_same_toys(tmp_path: Path, reference: list[Trained]) -> None:
    steps: list[tuple[str, int, int]] = []
    found = run(TINY, store_of(tmp_path), Place(workers=2), lambda *step: steps.append(step))
    assert all(same(*pair, within=1e-4) for pair in zip(found, reference, strict=True))
    assert steps[0] == ("training", 0, 9)
    assert steps[-1] == ("training", 9, 9)


@pytest.mark.slow
def test_an_error_in_a_process_is_told_in_its_words(tmp_path: Path) -> None:
    made = Sweep({"index": (("1",),)}, (0,), (6,), again=False, planes=2, width=4, steps=6, batch=8, rate=1e30)
    with pytest.raises(InputError, match=r"the loss of index-1-s0-\w+ became (nan|inf); lower rate"):
        run(made, store_of(tmp_path, made), Place(workers=2))


@pytest.mark.slow
def test_an_interruption_ends_the_processes_and_what_they_train() -> None:
    started = time.monotonic()

    def interrupted() -> None:
        with executors.executor("processes", 2) as pool:
            running = pool.submit(time.sleep, 120)
            while not running.running():
                time.sleep(0.01)
            raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    # Not `join` and `is_alive` once: the pool's own thread waits for the same child, and whoever comes second is told
    # for a moment that a child already reaped is alive.
    while set(multiprocessing.active_children()) - before and time.monotonic() - started < 60:
        time.sleep(0.05)
    assert time.monotonic() - started < 60


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as made:
        yield made


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_toys(tmp_path: Path, cluster: Any, reference: list[Trained]) -> None:
    store, place = store_of(tmp_path), Place(executor=f"dask={cluster.scheduler_address}")
    found = run(TINY, store, place)
    assert all(same(*pair, within=1e-4) for pair in zip(found, reference, strict=True))
    assert store.missing(TINY.cells()) == []


@pytest.mark.slow
def test_an_error_on_a_cluster_is_told_in_its_words(tmp_path: Path, cluster: Any) -> None:
    made = Sweep({"index": (("1",),)}, (0,), (6,), again=False, planes=2, width=4, steps=6, batch=8, rate=1e30)
    with pytest.raises(InputError, match=r"the loss of index-1-s0-\w+ became (nan|inf); lower rate"):
        run(made, store_of(tmp_path, made), Place(executor=f"dask={cluster.scheduler_address}"))


@pytest.mark.slow
@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense://"])
def test_a_cluster_that_is_not_there_is_refused_in_one_line(tmp_path: Path, address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match=f"no Dask scheduler answers at '{address}': .*; give its address") as refused:
        run(TINY, store_of(tmp_path), Place(executor=f"dask={address}"))
    assert "\n" not in str(refused.value)


# -- from the command line's words ------------------------------------------------------------------------------------


def test_a_task_alone_is_that_part_of_the_quick_sweep() -> None:
    made = sweep_of(Asked("retrieval"))
    assert made.angles == {"retrieval": QUICK.angles["retrieval"]}
    assert (made.seeds, made.lengths, made.steps, made.again) == (QUICK.seeds, QUICK.lengths, QUICK.steps, False)


def test_a_sweep_by_name_or_from_a_file_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TEXT)
    assert sweep_of(Asked(sweep="quick")) == QUICK
    assert sweep_of(Asked(sweep="committed")) == COMMITTED
    assert sweep_of(Asked(sweep=str(tmp_path / "mine.toml"))) == Sweep.of(tomllib.loads(TEXT))


def test_an_ampersand_makes_a_set_of_angles() -> None:
    made = sweep_of(Asked("induction", angles="0&1/10, 2/5 pi ,0 & 1"))
    assert made.angles == {"induction": (("0", "1/10"), ("2/5 pi",), ("0", "1"))}


def test_numbers_of_the_command_line_change_the_sweep() -> None:
    made = sweep_of(Asked("index", seeds="3", length="8, 16", steps="50", again=True))
    assert (made.seeds, made.lengths, made.steps, made.again) == ((0, 1, 2), (8, 16), 50, True)
    assert {cell.steps for cell in made.cells()} == {50}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (Asked(), "nothing to train; name a task (index, retrieval, induction), or --sweep quick, committed or a file"),
        (Asked("copying"), "unknown task 'copying'; known: index, retrieval, induction, number, letter"),
        (Asked(sweep="quick", angles="1"), "--angles '1' without a task; name the task that they are for"),
        (Asked(angles="1"), "nothing to train"),
        (Asked("index", angles="1,x"), "'x'"),
        (Asked("index", angles=""), "''"),
        (Asked("index", angles="1,,2"), "''"),
        (Asked("index", angles="nan"), "'nan'"),
        (Asked("index", angles="0&"), "''"),
        (Asked("index", angles="1,1"), "the angles of index have 1 twice"),
        (Asked("index", angles="1&2&3"), "3 angles in a set, 1&2&3"),
        (Asked("index", seeds="0"), "--seeds '0' is not a whole number from 1"),
        (Asked("index", seeds="two"), "--seeds 'two' is not a whole number from 1"),
        (Asked("index", seeds="100000"), "a sweep of 1200000 cells; up to 100000 are allowed"),
        (Asked("index", length="2"), "--length '2' is not a whole number from 3"),
        (Asked("index", length="8,8"), "lengths have 8 twice"),
        (Asked("index", length="513"), "length 513; toys have up to 512 tokens"),
        (Asked("index", steps="0"), "--steps '0' is not a whole number from 1"),
        (Asked(sweep="absent.toml"), "cannot read the sweep absent.toml: "),
    ],
)
def test_what_cannot_be_trained_is_refused_by_its_word(asked: Asked, told: str) -> None:
    with pytest.raises(InputError) as refused:
        sweep_of(asked)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_task_that_the_sweep_has_not_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TEXT)
    with pytest.raises(InputError, match=r"the sweep .*mine.toml has no task retrieval; it has index, induction"):
        sweep_of(Asked("retrieval", sweep=str(tmp_path / "mine.toml")))


def test_a_huge_number_of_seeds_on_the_command_line_is_refused() -> None:
    with pytest.raises(InputError, match="seeds"):
        sweep_of(Asked("index", seeds=str(10**15)))


def test_toys_that_other_code_has_trained_are_not_taken_up(
    trained: list[Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding(tmp_path, trained)
    monkeypatch.setattr("headproof.checks.trained.canonical.store.training_code", lambda: "another")
    with pytest.raises(InputError, match="trained by other code"):
        store_of(tmp_path)
    assert Store.open(tmp_path, TINY.description(), fresh=True).missing([trained[0].cell]) == [trained[0].cell]


def test_toys_of_other_code_are_never_left_below_this_code_s_description(
    trained: list[Trained], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding(tmp_path, trained)
    before = (tmp_path / "sweep.json").read_text()
    monkeypatch.setattr("headproof.checks.trained.canonical.store.training_code", lambda: "another")

    def interrupt(self: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", interrupt)
        with pytest.raises(KeyboardInterrupt):
            Store.open(tmp_path, TINY.description(), fresh=True)
    assert (tmp_path / "sweep.json").read_text() == before
    with pytest.raises(InputError, match="trained by other code"):
        store_of(tmp_path)


def test_a_folder_without_toys_is_free_for_any_sweep(tmp_path: Path) -> None:
    store_of(tmp_path)
    other = Sweep({"index": (("2",),)})
    Store.open(tmp_path, other.description())
    assert json.loads((tmp_path / "sweep.json").read_text())["sweep"] == other.description()
