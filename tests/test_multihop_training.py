"""Training of the multihop models: sizes, resumption, what a folder holds and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from filelock import FileLock  # noqa: E402

from headproof.checks.trained.multihop import checkpoints, training  # noqa: E402
from headproof.checks.trained.multihop.checkpoints import kept_steps, load, read_log, run_of, weights_path  # noqa: E402
from headproof.checks.trained.multihop.data import batch  # noqa: E402
from headproof.checks.trained.multihop.model import accuracy, build, config, last_logits, predictions  # noqa: E402
from headproof.checks.trained.multihop.runs import Run, spaced  # noqa: E402
from headproof.checks.trained.multihop.training import held_out, sequences, train  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("one_thread")]

TINY = Run("letter", "small", seed=1, steps=12, batch=4, rate=1e-3, warmup=3, checkpoints=(0, 4, 8))
SMALL: dict[str, Any] = {"target": 6, "before": 6, "hops": (1, 2, 3)}


def files(folder: Path) -> dict[str, bytes]:
    """What a folder holds, without its lock and the seconds in its log."""
    held = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}
    lines = [json.loads(line) for line in held.pop(checkpoints.LOG).splitlines()]
    held["log"] = json.dumps([{**line, "seconds": 0} for line in lines]).encode()
    return held


def interrupt(run: Run, folder: Path, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train and press Ctrl-C after a step."""

    def pressed(what: str, done: int, total: int) -> None:
        if done == after:
            raise KeyboardInterrupt

    monkeypatch.setattr(training, "TOLD_EVERY", 1)
    with pytest.raises(KeyboardInterrupt):
        train(run, folder, progress=pressed)


@pytest.fixture(scope="module", autouse=True)
def few_held_out() -> Iterator[None]:
    """A small test at each checkpoint."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "EACH", 16)
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(TINY, tmp_path_factory.mktemp("trained") / "run")


# -- models ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["number", "letter"])
def test_the_full_model_is_the_sources(name: str, tmp_path: Path) -> None:
    settings = config(name)
    assert (settings.n_layer, settings.n_head, settings.n_embd, settings.rotary_dim) == (12, 1, 128, 128)
    assert (settings.resid_pdrop, settings.embd_pdrop, settings.attn_pdrop) == (0.1, 0.1, 0.1)
    model = build(settings, 0)
    sine = model.transformer.rotary_emb.embed_positions[1, :64]
    # The two largest angles, of which the source's table of mean angles tells: 1 and 0.866.
    assert [round(math.asin(float(sine[at])), 3) for at in (1, 37)] == [0.866, 0.005]
    run = Run(name)
    checkpoints.keep_weights(tmp_path, run, 0, model)
    assert weights_path(tmp_path, 0).stat().st_size < 6e6


def test_logits_at_the_last_place_are_the_models_own() -> None:
    model = build(config("letter", "small"), 3)
    tokens = torch.as_tensor(batch(TINY.vocabulary, 5, np.random.default_rng(0), **SMALL).tokens)
    with torch.no_grad():
        assert torch.allclose(last_logits(model, tokens), model(input_ids=tokens).logits[:, -1], atol=1e-6)


def test_eager_attention_shows_its_weights_and_agrees() -> None:
    quick, shown = (build(config("number", "small"), 3, attention) for attention in ("sdpa", "eager"))
    tokens = torch.as_tensor(batch(Run("number", "small").vocabulary, 5, np.random.default_rng(0), **SMALL).tokens)
    with torch.no_grad():
        found = shown(input_ids=tokens, output_attentions=True)
        assert torch.allclose(quick(input_ids=tokens).logits, found.logits, atol=1e-5)
    assert len(found.attentions) == 6
    assert found.attentions[0].shape == (5, 1, 13, 13)
    with pytest.raises(InputError, match="unknown attention 'flash'"):
        build(config("number", "small"), 3, "flash")


def test_initial_weights_follow_the_seed_and_leave_the_callers_alone() -> None:
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    one, other, third = (build(config("letter", "small"), seed).lm_head.weight for seed in (1, 1, 2))
    assert torch.equal(one, other)
    assert not torch.equal(one, third)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_accuracy_is_of_each_sequence() -> None:
    model = build(config("letter", "small"), 0)
    held = batch(TINY.vocabulary, 30, np.random.default_rng(0), **SMALL)
    answered = replace(held, answers=predictions(model, held.tokens, 7))
    right = accuracy(model, TINY.vocabulary, answered, 11)
    assert right.dtype == bool
    assert right.all()
    assert not accuracy(model, TINY.vocabulary, replace(held, answers=answered.answers + 1)).any()
    with pytest.raises(InputError, match="a model of 72 tokens; the number task has 136"):
        accuracy(model, "number", batch("number", 4, np.random.default_rng(0)))
    with pytest.raises(InputError, match="sequences of 1025 tokens; the model takes up to 1024"):
        predictions(model, np.zeros((1, 1025), dtype=np.int64))


# -- runs ------------------------------------------------------------------------------------------------


@given(st.integers(1, 20000), st.integers(2, 60))
def test_checkpoints_are_spread_over_the_run(steps: int, many: int) -> None:
    found = spaced(steps, many)
    assert found[0] == 0
    assert found[-1] == steps
    assert list(found) == sorted(set(found))
    assert len(found) <= many + 3


def test_a_run_takes_its_windows_from_its_size() -> None:
    run = Run("number")
    assert (run.target, run.before, run.hops, run.warmup) == (8, 8, (1, 2, 3, 4), 300)
    assert 25 <= len(run.kept) <= 32
    assert Run.from_json(json.loads(json.dumps(run.to_json()))) == run
    rates = [run.rate_at(step) for step in range(6000)]
    assert max(rates) == rates[300] == 1e-3
    assert rates[0] < 1e-5 > rates[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "words"}, "unknown task 'words'"),
        ({"size": "huge"}, "unknown size 'huge'"),
        ({"steps": 0}, "steps is an integer, 1 or more, got 0"),
        ({"steps": 10**9}, "up to 10000000"),
        ({"rate": 0}, "rate 0; give a number above 0"),
        ({"rate": math.nan}, "rate nan"),
        ({"dropout": 1}, "dropout 1; give a number from 0"),
        ({"decay": True}, "decay True"),
        ({"checkpoints": (0, 7000)}, "a checkpoint after 7000 of 6000 steps"),
        ({"hops": (1, 99)}, "99 hops with 8 pre-target tokens"),
        ({"target": 2000}, "sequences of 2009 tokens; a model takes up to 1024"),
    ],
)
def test_runs_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run(**{"task": "letter", **options})


@pytest.mark.parametrize(("data", "message"), [([], "not a run"), ({"task": "letter", "colour": 1}, "has no 'colour'")])
def test_what_is_no_run_is_refused(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run.from_json(data)


def test_training_and_test_draw_from_streams_of_their_own() -> None:
    first, second, other = sequences(TINY, 0), sequences(TINY, 1), sequences(replace(TINY, seed=2), 0)
    assert not np.array_equal(first.tokens, second.tokens)
    assert not np.array_equal(first.tokens, other.tokens)
    assert np.array_equal(first.tokens, sequences(TINY, 0).tokens)
    test = held_out(TINY, 20)
    assert np.bincount(test.hops).tolist() == [0, 20, 20, 20]
    assert np.array_equal(test.tokens, held_out(replace(TINY, seed=2), 20).tokens)


# -- training --------------------------------------------------------------------------------------------


def test_a_run_keeps_weights_and_a_log(trained: Path) -> None:
    assert kept_steps(trained) == [0, 4, 8, 12]
    assert run_of(trained) == TINY
    log = read_log(trained)
    assert [line["step"] for line in log] == [0, 4, 8, 12]
    assert log[0]["loss"] is None
    assert all(line["loss"] > 0 for line in log[1:])
    assert set(log[3]["accuracy"]) == {"1", "2", "3"}
    assert not (trained / checkpoints.LATEST).exists()
    held = load(trained, 0)
    first = build(config(TINY.vocabulary, "small"), TINY.seed).state_dict()
    assert all(torch.equal(value, first[name].half().float()) for name, value in held.model.state_dict().items())
    assert load(trained).step == 12
    assert not held.model.training


def test_the_loss_falls(tmp_path: Path) -> None:
    run = replace(TINY, steps=60, batch=32, rate=3e-3, dropout=0.0, checkpoints=(0, 10, 50))
    log = read_log(train(run, tmp_path))
    assert log[-1]["loss"] < log[1]["loss"] - 0.3


@pytest.mark.parametrize("after", [1, 6, 8, 11])
def test_an_interrupted_run_ends_like_an_uninterrupted_one(
    after: int, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(TINY, tmp_path, after, monkeypatch)
    assert kept_steps(tmp_path) == [step for step in TINY.kept if step <= after]
    torch.manual_seed(after)
    told: list[int] = []
    train(TINY, tmp_path, progress=lambda what, done, total: told.append(done))
    assert told == list(range(max(step for step in TINY.kept if step <= after) + 1, 13))
    assert files(tmp_path) == files(trained)


def test_a_run_that_stops_while_it_writes_goes_on(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights and log of step 8 stand, the state does not: the run goes on from step 4 and the log tells nothing
    twice."""
    keep = checkpoints.keep_state

    def stopping(folder: Path, run: Run, step: int, tensors: Any) -> None:
        if step == 8:
            raise KeyboardInterrupt
        keep(folder, run, step, tensors)

    monkeypatch.setattr(checkpoints, "keep_state", stopping)
    with pytest.raises(KeyboardInterrupt):
        train(TINY, tmp_path)
    monkeypatch.undo()
    assert [line["step"] for line in read_log(tmp_path)] == [0, 4, 8]
    assert files(train(TINY, tmp_path)) == files(trained)


def test_a_complete_run_is_left_as_it_is(trained: Path) -> None:
    before = files(trained)
    torch.manual_seed(0)
    state = torch.random.get_rng_state()
    assert train(TINY, trained) == trained
    assert files(trained) == before
    assert torch.equal(torch.random.get_rng_state(), state)


def test_the_callers_random_state_stays(tmp_path: Path) -> None:
    torch.manual_seed(0)
    state = torch.random.get_rng_state()
    train(replace(TINY, steps=2, checkpoints=(0,)), tmp_path)
    assert torch.equal(torch.random.get_rng_state(), state)


# -- what is refused -------------------------------------------------------------------------------------


def test_the_folder_of_another_run_is_refused(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds another run: seed 1, here 2; give another folder"):
        train(replace(TINY, seed=2), trained)
    (tmp_path / "step-000001.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match="holds models of no known run"):
        train(TINY, tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InputError, match="give the folder of a training run"):
        train(TINY, tmp_path)


def test_a_folder_of_other_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "FORMAT", dict.fromkeys(checkpoints.FORMAT, 99))
    checkpoints.open_folder(tmp_path, TINY)
    monkeypatch.undo()
    with pytest.raises(InputError, match="trained by other code, format 99"):
        train(TINY, tmp_path)


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with FileLock(tmp_path / ".lock"), pytest.raises(InputError, match="another process trains in"):
        train(TINY, tmp_path)


def test_an_unknown_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown device 'abacus'"):
        train(TINY, tmp_path / "run", device="abacus")
    assert not (tmp_path / "run").exists()


def test_steps_that_are_not_kept_are_refused(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no weights after 5 steps; it has 0, 4, 8, 12"):
        load(trained, 5)
    checkpoints.open_folder(tmp_path, TINY)
    with pytest.raises(InputError, match="it has none"):
        load(tmp_path)


def copied(trained: Path, to: Path) -> Path:
    for path in trained.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


def test_damaged_weights_are_refused(trained: Path, tmp_path: Path) -> None:
    folder = copied(trained, tmp_path)
    path = weights_path(folder, 8)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError, match=r"cannot read .*step-000008.safetensors"):
        load(folder, 8)
    path.write_bytes(weights_path(folder, 4).read_bytes())
    with pytest.raises(InputError, match=r"is of letter-small-s1 after 4 steps; it is not this run's"):
        load(folder, 8)


def test_a_damaged_state_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(TINY, tmp_path, 6, monkeypatch)
    latest = tmp_path / checkpoints.LATEST
    tensors, step = checkpoints.read_state(tmp_path, TINY) or ({}, 0)
    kept = latest.read_bytes()
    for name in ("exp_avg/lm_head.bias", "lm_head.bias"):
        checkpoints.keep_state(tmp_path, TINY, step, {each: held for each, held in tensors.items() if each != name})
        with pytest.raises(InputError, match=r"lacks moments|does not fit the model at lm_head.bias"):
            train(TINY, tmp_path)
    latest.write_bytes(kept[:1000])
    with pytest.raises(InputError, match="delete it; the run then starts again"):
        train(TINY, tmp_path)
    latest.write_bytes(kept)
    (tmp_path / checkpoints.LOG).write_text("{}\n")
    with pytest.raises(InputError, match="cannot read the log"):
        train(TINY, tmp_path)


def test_a_loss_that_is_no_number_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logits = training.last_logits
    monkeypatch.setattr(training, "last_logits", lambda model, tokens: logits(model, tokens) * math.nan)
    with pytest.raises(InputError, match="the loss of letter-small-s1 became nan by step 4; lower the rate"):
        train(TINY, tmp_path)


def test_weights_that_float16_does_not_hold_are_refused(tmp_path: Path) -> None:
    model = build(config("letter", "small"), 0)
    with torch.no_grad():
        model.lm_head.bias[3] = 1e6
    with pytest.raises(InputError, match="leave float16's range"):
        checkpoints.keep_weights(tmp_path, TINY, 0, model)
