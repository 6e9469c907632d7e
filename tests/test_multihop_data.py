"""Sequences of the multihop tasks: solved by the independent solver, balanced, proper, split and kept."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headproof.checks.trained.multihop import datasets
from headproof.checks.trained.multihop.baselines import baselines
from headproof.checks.trained.multihop.controls import far, recopied, redirected
from headproof.checks.trained.multihop.data import batch, deal
from headproof.checks.trained.multihop.datasets import SPLITS, Dataset, dataset, read_dataset, write_dataset
from headproof.checks.trained.multihop.tasks import (
    KNOWN,
    NAMES,
    Sequences,
    Task,
    check,
    decode,
    follow,
    labelled,
    task_of,
)
from headproof.checks.trained.multihop.windows import Windows
from headproof.theory.errors import InputError
from headproof.theory.sequences import require_proper, require_unambiguous, require_valid_index

SMALL: dict[str, Any] = {"target": 6, "before": 6, "hops": (1, 2, 3)}
FIELDS = ("tokens", "answers", "hops", "places", "paths")
seeds = st.integers(0, 2**32 - 1)


def source(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def even(values: Any, kinds: int) -> bool:
    """Whether each of the numbers below `kinds` comes equally often, up to one."""
    return bool(np.ptp(np.bincount(values, minlength=kinds)) <= 1)


@st.composite
def windows(draw: st.DrawFn) -> Windows:
    """Tasks of any size with windows that they have."""
    name = draw(st.sampled_from(NAMES))
    before = draw(st.integers(0, 9))
    hops = tuple(draw(st.sets(st.integers(1, min(before + 1, 5)), min_size=1)))
    window = draw(st.integers(1 if name == "number" else 2, 9))
    target = draw(st.integers(1 if name == "number" else 2, 14))
    if name == "number":
        task = Task(name, draw(st.integers(max(2, window), 20)), draw(st.integers(before + window, 24)), window)
    else:
        task = Task(name, draw(st.integers(max(hops) + 2, 12)), draw(st.integers(1, 9)), window)
    return Windows(task, target, before, hops)


# -- sequences -------------------------------------------------------------------------------------------


@given(windows(), st.integers(1, 40), seeds)
def test_the_independent_solver_finds_the_labels(held: Windows, count: int, seed: int) -> None:
    found = batch(held.task, count, source(seed), held.target, held.before, held.hops)
    assert found.tokens.shape == (count, held.length)
    check(held.task, found)


@given(windows(), st.integers(1, 200), seeds)
def test_hops_values_and_places_are_balanced(held: Windows, count: int, seed: int) -> None:
    found = batch(held.task, count, source(seed), held.target, held.before, held.hops)
    order = sorted(held.hops)
    assert even(np.searchsorted(order, found.hops), len(order))
    for number in order:
        part = found[found.hops == number]
        assert even(part.answers - held.task.answers[0], len(held.task.answers))
        assert even(part.places - 1 - (held.target - held.core), held.core)


@given(windows(), seeds)
def test_the_windows_hold_what_they_should(held: Windows, seed: int) -> None:
    found = batch(held.task, 12, source(seed), held.target, held.before, held.hops)
    answering = np.isin(found.tokens, np.array(held.task.answers))
    assert answering[:, : held.target].all()
    assert not answering[:, held.target :].any()
    core = found.tokens[:, held.target - held.core : held.target]
    for row in core if held.task.name == "number" else ():
        assert len(set(row.tolist())) == held.core


@given(windows(), seeds)
def test_sequences_are_valid_or_proper_and_unambiguous(held: Windows, seed: int) -> None:
    for row in decode(held.task, batch(held.task, 8, source(seed), held.target, held.before, held.hops).tokens):
        if held.task.name == "number":
            require_valid_index(row)
        else:
            require_unambiguous(require_proper(row))


@pytest.mark.parametrize("target", [9, 60, 900])
@pytest.mark.parametrize("name", NAMES)
def test_a_longer_target_window_keeps_the_path(name: str, target: int) -> None:
    task, short = task_of(name), batch(name, 64, source())
    found = batch(name, 64, source(), target=target)
    check(task, found[:8])
    assert found.tokens.shape == (64, target + 9)
    assert (found.places > target - task.window).all()
    assert set(found.hops.tolist()) == set(short.hops.tolist())
    assert not (found.tokens[:, : target - 8] == found.answers[:, None]).any()
    if name == "number":
        integers = found.tokens[:, target:] - task.bound + 1
        # As in training: no integer points before the last eight places of the target window.
        assert ((integers >= 1) & (integers <= np.arange(8, 17))).all()


def test_the_query_alone_does_not_tell_the_hops_of_the_letter_task() -> None:
    """Its symbols come alike in every hop class: a chi-square of the queries over the classes stays near its mean."""
    found = batch("letter", 16000, source())
    table = np.zeros((4, 64))
    np.add.at(table, (found.hops - 1, found.tokens[:, -1]), 1)
    table = table[:, table.sum(axis=0) > 0]
    expected = table.sum(axis=0) / 4
    freedom = 3 * (table.shape[1] - 1)
    assert ((table - expected) ** 2 / expected).sum() < freedom + 5 * np.sqrt(2 * freedom)


def test_number_sequences_are_those_of_before() -> None:
    """Models are trained on them: their draws are pinned, at the training length and a longer one."""
    digest = hashlib.sha256()
    for target in (8, 20):
        digest.update(batch("number", 256, source(7), target=target).tokens.astype("<i8").tobytes())
    assert digest.hexdigest() == "28b9116aa6a8958ff5b366819ff58bbe71579d3c0203149e56cea0b231bb2dd4"


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_sequences(name: str) -> None:
    one, other, third = batch(name, 40, source(3)), batch(name, 40, source(3)), batch(name, 40, source(4))
    assert all(np.array_equal(getattr(one, field), getattr(other, field)) for field in FIELDS)
    assert not np.array_equal(one.tokens, third.tokens)


@given(st.integers(0, 60), st.integers(1, 9), seeds)
def test_dealing_is_even_in_every_block(count: int, kinds: int, seed: int) -> None:
    dealt = deal(count, kinds, source(seed))
    assert len(dealt) == count
    assert all(even(dealt[start : start + kinds], kinds) for start in range(0, count, kinds))


# -- vocabularies and labels -----------------------------------------------------------------------------


def test_the_vocabularies_have_the_sources_sizes() -> None:
    assert (task_of("number").size, task_of("letter").size) == (136, 128)
    for task in KNOWN.values():
        assert len(set(task.vocabulary)) == task.size


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("label", ["hops", "places", "answers", "paths"])
def test_a_wrong_label_is_named(name: str, label: str) -> None:
    found = batch(name, 6, source())
    wrong = getattr(found, label).copy()
    wrong[4] += 1
    with pytest.raises(InputError, match=rf"sequence 4: its {label.rstrip('s')}.* is .*, labelled"):
        check(name, replace(found, **{label: wrong}))


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("number", [0, 121], "ends at place 2"),
        ("letter", [64, 0], "ends at place 2"),
        ("letter", [64, 9], "ends at place 2"),
        ("number", [136], "no token 136"),
    ],
)
def test_a_path_without_an_end_is_refused(name: str, row: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        follow(name, np.array([row]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "words"}, "unknown task 'words'"),
        ({"count": 0}, "got 0"),
        ({"hops": ()}, "the hops is empty"),
        ({"hops": (1, 1)}, "repeats 1"),
        ({"hops": (10,)}, "10 hops with 8 pre-target tokens; take 9 or more"),
        ({"before": 9}, "9 pre-target tokens before 8 places of answers.*take 8 or fewer"),
        ({"task": "letter", "hops": (7,)}, "7 hops with 8 letters"),
        ({"task": "letter", "target": 1}, "1 target tokens"),
        ({"target": 0}, "target is an integer, 1 or more, got 0"),
    ],
)
def test_windows_that_a_task_does_not_have_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        batch(**{"task": "number", "count": 4, "source": source(), **options})


def test_arrays_that_do_not_fit_are_refused() -> None:
    found = batch("number", 4, source())
    with pytest.raises(InputError, match=r"hops of int64 and shape \(3,\); give integers"):
        replace(found, hops=found.hops[:3])
    with pytest.raises(InputError, match="unknown size 'huge'"):
        task_of("letter", "huge")
    with pytest.raises(InputError, match="2 letters for 3 places"):
        Task("number", 2, 16, 3)


# -- what is right without the path, and controls ---------------------------------------------------------

NAMED = (
    "any named pair",
    "the named pair with fewest copies",
    "a pair named by a named letter or the query",
    "of those the one with fewest copies",
)
LONGEST = "the pair at the end of the longest chain of names"
RAREST = "the rarest pair of the window"


@pytest.mark.parametrize(
    ("size", "target", "before", "hops"), [("full", 8, 8, 4), ("full", 60, 8, 4), ("small", 6, 6, 3)]
)
def test_named_pairs_are_alike_in_every_hop_class(size: str, target: int, before: int, hops: int) -> None:
    """Two pairs are named, as deep by all that two moves show, and with as many copies, in every single sequence."""
    task, order = task_of("letter", size), tuple(range(1, hops + 1))
    found = baselines(task, batch(task, 1200, source(), target, before, order))
    for name in NAMED:
        assert found[name] == pytest.approx(dict.fromkeys((0, *order), 0.5))
    # A standard error of 600 pairs of chains is .014.
    assert found[LONGEST][0] == pytest.approx(0.5, abs=0.07)
    assert found[LONGEST][hops] == 1
    assert found[RAREST][0] < 0.5
    assert found["the query's own letter, else any named pair"] == pytest.approx(
        {0: (1 + hops) / (2 * hops), 1: 1.0, **dict.fromkeys(order[1:], 0.5)}
    )


@given(windows(), seeds)
def test_a_baseline_is_a_share_of_each_class(held: Windows, seed: int) -> None:
    sequences = batch(held.task, 30, source(seed), held.target, held.before, held.hops)
    for by_hops in baselines(held.task, sequences).values():
        assert sorted(by_hops) == sorted({0, *sequences.hops.tolist()})
        assert all(0 <= value <= 1 for value in by_hops.values())
        whole = np.mean([by_hops[hops] for hops in sequences.hops.tolist()])
        assert by_hops[0] == pytest.approx(whole)


def test_baselines_of_the_number_task() -> None:
    found = baselines("number", batch("number", 8000, source()))
    assert found["any letter"] == pytest.approx(dict.fromkeys(range(5), 1 / 8))
    levels = {
        "the letter pointed to most": (0.372, 0.35, 0.36, 0.38, 0.40),
        "the query's own target, else the letter pointed to most": (0.535, 1.0, 0.36, 0.38, 0.40),
        "the letter pointed to most by integers that are pointed to": (0.64, 0.53, 0.59, 0.67, 0.76),
    }
    for name, expected in levels.items():
        assert list(found[name].values()) == pytest.approx(list(expected), abs=0.03)


def test_baselines_of_sequences_by_hand() -> None:
    """In `a4 a3 a2 1 1 3` two integers point to the last letter; in the pairs two letters are named, one by a leaf."""
    task = Task("number", letters=4, numbers=4, window=3)
    found = baselines(task, labelled(task, np.array([[3, 2, 1, 4, 4, 6]])))
    assert {name: by_hops[1] for name, by_hops in found.items()} == {
        "any letter": 1 / 3,
        "the letter pointed to most": 1.0,
        "the query's own target, else the letter pointed to most": 1.0,
        "the letter pointed to most by integers that are pointed to": 1.0,
    }
    pairs = Task("letter", letters=4, numbers=1, window=2)
    ids = {pair: number for number, pair in enumerate(pairs.vocabulary)}
    row = [("a1", 1), ("a2", 1), ("a2", 1), ("a3", "a2"), ("a4", "a1"), ("a4", "a3")]
    letter = baselines(pairs, labelled(pairs, np.array([[ids[pair] for pair in row]])))
    assert {name: by_hops[2] for name, by_hops in letter.items()} == {
        "any pair of the window": 2 / 3,
        "any named pair": 0.5,
        "the named pair with fewest copies": 0.0,
        "a pair named by a named letter or the query": 1.0,
        "of those the one with fewest copies": 1.0,
        "the query's own letter, else any named pair": 0.5,
        LONGEST: 0.5,
        "the query's own letter, else the end of the longest chain of names": 0.5,
        RAREST: 0.0,
    }


def test_windows_tell_neither_chain_nor_hops() -> None:
    """Without the query: the depth of the answer's chain is that of the other one as often, and of each class alike."""
    found = batch("letter", 8000, source())
    pairs = found.tokens[:, 8:16]
    left, right = pairs // 8, pairs % 8
    rows = np.arange(8000)[:, None]
    depth = np.zeros((8000, 8), dtype=np.int64)
    for _ in range(5):
        longest = np.zeros_like(depth)
        np.maximum.at(longest, (rows, right), depth[rows, left] + 1)
        depth = longest
    answer = depth[rows[:, 0], (found.answers - 64) // 8]
    assert (answer == 4).mean() == pytest.approx(0.5, abs=0.03)
    assert set(answer.tolist()) == {2, 3, 4}
    # The sum of depths over all letters is the shape; its mean is the same in each class.
    means = [depth[found.hops == hops].sum(axis=1).mean() for hops in (1, 2, 3, 4)]
    assert np.ptp(means) < 0.3


@pytest.mark.parametrize("target", [8, 60])
def test_more_copies_of_the_answer(target: int) -> None:
    before = batch("letter", 200, source(), target=target)
    rows, found = recopied("letter", before, source(1))
    check("letter", found)
    copies = [(held.tokens == held.answers[:, None]).sum(axis=1) for held in (before[rows], found)]
    assert set((copies[1] - copies[0]).tolist()) == {1, 2, 3}
    for field in FIELDS[1:]:
        assert np.array_equal(getattr(found, field), getattr(before[rows], field))
    assert len(rows) == 200 if target > 8 else len(rows) > 120
    # The rarest named pair is now the other one, always.
    assert baselines("letter", found)["the named pair with fewest copies"][0] == 0


@given(windows(), seeds)
def test_a_query_for_another_letter(held: Windows, seed: int) -> None:
    if held.task.name == "number":
        return
    before = batch(held.task, 20, source(seed), held.target, held.before, held.hops)
    found = redirected(held.task, before)
    check(held.task, found)
    assert np.array_equal(found.tokens[:, :-1], before.tokens[:, :-1])
    assert (found.answers != before.answers).all()
    check(held.task, recopied(held.task, before, source(seed))[1])


def test_a_query_for_another_letter_has_as_many_hops_where_it_can() -> None:
    before = batch("letter", 400, source())
    found = redirected("letter", before)
    assert np.array_equal(found.hops[before.hops <= 2], before.hops[before.hops <= 2])
    assert (abs(found.hops - before.hops) <= 2).all()


@given(windows(), seeds)
def test_the_answer_far_from_the_query(held: Windows, seed: int) -> None:
    if held.task.name == "number":
        return
    before = batch(held.task, 20, source(seed), held.target, held.before, held.hops)
    found = far(held.task, before, held.target, held.core)
    check(held.task, found)
    assert np.array_equal(found.answers, before.answers)
    assert np.array_equal(found.hops, before.hops)
    assert (found.places <= held.core).all()
    assert np.array_equal(np.sort(found.tokens), np.sort(before.tokens))
    assert np.array_equal(found.tokens[:, held.target :], before.tokens[:, held.target :])
    with pytest.raises(InputError, match="target tokens"):
        far(held.task, before, held.target, held.target + 1)


def test_controls_that_a_task_does_not_have_are_refused() -> None:
    numbers, tokens = batch("number", 4, source()), np.array([[64, 1 * 8]])
    with pytest.raises(InputError, match="the number task has no pairs"):
        recopied("number", numbers, source())
    with pytest.raises(InputError, match="the number task has no pairs"):
        redirected("number", numbers)
    with pytest.raises(InputError, match="sequence 0 has one answer"):
        redirected("letter", labelled("letter", tokens))


# -- data sets -------------------------------------------------------------------------------------------


def rows(part: Sequences) -> set[tuple[int, ...]]:
    return set(map(tuple, part.tokens.tolist()))


def same(one: Dataset, other: Dataset) -> bool:
    return (one.windows, one.seed) == (other.windows, other.seed) and all(
        np.array_equal(getattr(one.splits[name], field), getattr(other.splits[name], field))
        for name in SPLITS
        for field in FIELDS
    )


@given(st.sampled_from(NAMES), st.integers(1, 3000), seeds)
def test_splits_are_disjoint_and_balanced(name: str, count: int, seed: int) -> None:
    held = dataset(task_of(name, "small"), count, seed, **SMALL)
    parts = [rows(held.splits[split]) for split in SPLITS]
    assert [len(part) for part in parts] == [len(held.splits[split]) for split in SPLITS]
    assert len(set().union(*parts)) == sum(map(len, parts)) == count
    for part in held.splits.values():
        assert even(part.hops - 1, 3)


def test_the_sources_shares() -> None:
    held = dataset("letter", 4800, 0)
    assert [len(held.splits[name]) for name in SPLITS] == [4320, 24, 456]
    for part in held.splits.values():
        check("letter", part[:50])


def test_few_sequences_are_drawn_again_until_they_differ() -> None:
    tiny = Task("letter", letters=4, numbers=2, window=2)
    held = dataset(tiny, 120, 0, (0.5, 0.25, 0.25), target=2, before=1, hops=(1, 2))
    assert len(set().union(*(rows(held.splits[name]) for name in SPLITS))) == 120
    with pytest.raises(InputError, match="are not new; ask for fewer"):
        dataset(tiny, 3000, 0, target=2, before=1, hops=(1, 2))


@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    held = dataset(name, 400, 5)
    path = write_dataset(tmp_path / "held.parquet", held)
    assert same(read_dataset(path), held)
    assert same(dataset(name, 400, 5), held)
    assert [entry.name for entry in tmp_path.iterdir()] == ["held.parquet"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("written")
    return write_dataset(folder / "held.parquet", dataset("letter", 300, 1)).read_bytes()


@given(at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_a_damaged_file_is_refused_or_reads_the_same(written: bytes, tmp_path: Path, at: float, flip: int) -> None:
    """The pages have checksums; the footer has none, and some of it says nothing about the sequences."""
    damaged = bytearray(written)
    damaged[int(at * len(written))] ^= flip
    path = tmp_path / "damaged.parquet"
    path.write_bytes(damaged)
    try:
        held = read_dataset(path)
    except InputError as error:
        assert "damaged.parquet" in str(error)  # noqa: PT017
    else:
        expected = dataset("letter", 300, 1)
        assert all(np.array_equal(held.splits[name].tokens, expected.splits[name].tokens) for name in SPLITS)


def test_what_is_no_data_set_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"no data set .*absent.parquet; write one"):
        read_dataset(tmp_path / "absent.parquet")
    (tmp_path / "text").write_text("not a table")
    with pytest.raises(InputError, match="cannot read the data set"):
        read_dataset(tmp_path / "text")
    held = dataset("number", 60, 0)
    monkeypatch.setattr(datasets, "FORMAT", dict.fromkeys(NAMES, 99))
    path = write_dataset(tmp_path / "later", held)
    monkeypatch.undo()
    with pytest.raises(InputError, match="format 99, not 1"):
        read_dataset(path)
    train = held.splits["train"]
    wrong = replace(train, answers=(train.answers + 1) % 120)
    path = write_dataset(tmp_path / "wrong", replace(held, splits={**held.splits, "train": wrong}))
    with pytest.raises(InputError, match="the answers of train are not those of its tokens"):
        read_dataset(path)


@pytest.mark.parametrize(
    ("shares", "message"),
    [((0.5, 0.5), "give one for each of train"), ((0.9, 0.2, 0.1), "1 in all"), ((-0.1, 0.1, 1.0), "1 in all")],
)
def test_shares_that_are_no_parts_are_refused(shares: tuple[float, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dataset("number", 40, 0, shares)
