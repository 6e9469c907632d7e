"""Beyond the training length: what is run once, what is run in every mode, and the statistic on outputs."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from letters import lettered, texts_of  # noqa: E402
from zoo import SLIDING  # noqa: E402

from headproof.checks.trained.disentanglement import length  # noqa: E402
from headproof.checks.trained.steering import Steering, require_conforming  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

TRAINED, EXTRA = 64, 16
MODES = length.MODES


TEXTS = texts_of(4)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def llama():
    model = lettered()
    return require_conforming(model, torch.arange(3, 40))


# -- passes --------------------------------------------------------------------------------------------------------


def test_a_piece_is_what_whole_passes_give(llama):
    piece = length.measure_seed(llama, TEXTS, 3, TRAINED, EXTRA, chunk=20)
    tokens, repeats = length.long_text(llama.model, TEXTS, 3, TRAINED + EXTRA)
    assert (piece.seed, piece.repeats, piece.length, piece.extra) == (3, repeats, TRAINED, EXTRA)
    assert piece.layers == (0, 1)
    assert piece.inside.shape == (2, 6, TRAINED // 2, 16)
    assert piece.inside.dtype == np.float32
    assert list(piece.beyond) == list(piece.nll_beyond) == list(MODES)
    for mode in MODES:
        whole = llama.run(
            tokens,
            length.steering_of(mode, TRAINED),
            predict=range(len(tokens) - 1),
            outputs=range(TRAINED // 2, TRAINED + EXTRA),
            chunk=len(tokens),
        )
        outputs = np.stack(list(whole.outputs.values()))
        np.testing.assert_allclose(piece.inside, outputs[:, :, : TRAINED // 2], atol=1e-4)
        np.testing.assert_allclose(piece.beyond[mode], outputs[:, :, TRAINED // 2 :], atol=1e-4)
        assert piece.nll_beyond[mode] == pytest.approx(whole.nll[TRAINED:].mean(), abs=1e-5)
        assert piece.nll_inside == pytest.approx(whole.nll[TRAINED - EXTRA : TRAINED - 1].mean(), abs=1e-5)
    assert piece.predictions == EXTRA - 1


def test_all_modes_differ_beyond(llama):
    piece = length.measure_seed(llama, TEXTS, 3, TRAINED, EXTRA)
    for one, mode in enumerate(MODES):
        for other in MODES[one + 1 :]:
            assert not np.allclose(piece.beyond[mode], piece.beyond[other], atol=1e-4), (mode, other)


def test_modes_are_steered_by_the_training_length():
    assert length.steering_of("full", 100) == Steering()
    assert length.steering_of("windowed", 100) == Steering(window=100)
    assert length.steering_of("windowed+sink", 100) == Steering(window=96, sink=4, cap=99)
    assert length.steering_of("capped", 100) == Steering(cap=99)
    with pytest.raises(InputError, match="no mode 'wide'; there are full, windowed"):
        length.steering_of("wide", 100)
    with pytest.raises(InputError, match="a training length of 4; give more than 4 tokens"):
        length.steering_of("full", 4)


def test_positions_are_evenly_spread():
    assert length.spread(4096, 8192, 256) == tuple(range(4096, 8192, 16))
    assert length.spread(10, 14, 256) == (10, 11, 12, 13)
    found = length.spread(7, 1000, 256)
    assert (len(found), found[0]) == (256, 7)
    assert set(np.diff(found)) == {3, 4}


def test_measuring_two_seeds_with_windows_that_stay():
    """Sliding layers do not feel a mode that only moves what is outside their window: all modes agree in layer 0."""
    told = []
    heads, texts = length.measure(
        lettered("gemma2", **SLIDING),
        [0, 1],
        TRAINED,
        EXTRA,
        texts=TEXTS,
        progress=lambda *what: told.append(what),
    )
    assert told[0] == ("seed 0 inside", TRAINED, TRAINED + 4 * EXTRA)
    assert told[-1] == ("seed 1 capped", TRAINED + 4 * EXTRA, TRAINED + 4 * EXTRA)
    assert list(heads) == list(length.HEADS)
    assert list(texts) == list(length.TEXTS)
    assert len(heads["seed"]) == 2 * 2 * 6 * 4
    assert len(texts["seed"]) == 2 * 4
    first = heads["layer"] == 0
    by_mode = [heads["outside_beyond"][first & (heads["mode"] == mode)] for mode in MODES]
    assert all(np.array_equal(by_mode[0], one) for one in by_mode)
    assert np.all(texts["repeats"] == 0)
    assert set(texts["length"]) == {TRAINED}


def test_the_training_length_is_the_models():
    assert length.training_length(lettered()) == 64


def test_what_cannot_be_measured_is_refused(llama):
    with pytest.raises(InputError, match="33 tokens beyond a training length of 64; give 2 to 32"):
        length.measure_seed(llama, TEXTS, 0, TRAINED, 33)
    with pytest.raises(InputError, match="no mode is given"):
        length.measure_seed(llama, TEXTS, 0, TRAINED, EXTRA, modes=())
    with pytest.raises(InputError, match=r"seeds \(1,\); give two or more"):
        length.measure(llama.model, [1], TRAINED, EXTRA, texts=TEXTS)
    with pytest.raises(InputError, match=r"seeds \(1, 1\); give two or more"):
        length.measure(llama.model, [1, 1], TRAINED, EXTRA, texts=TEXTS)


# -- the statistic -------------------------------------------------------------------------------------------------


def drawn(seed, shift=0.0, width=8, queries=256, heads=2, modes=("full",), scale=1.0):
    """A piece of Gaussian outputs; head 1 stands elsewhere than head 0, and all outputs beyond are shifted."""
    generator = np.random.default_rng(seed)
    spread = np.linspace(1, 3, width)

    def outputs(moved):
        made = generator.normal(size=(1, heads, queries, width)) * spread * scale + moved
        return (made + 100 * np.arange(heads)[None, :, None, None]).astype(np.float32)

    return length.Piece(
        seed,
        64,
        16,
        0,
        (0,),
        outputs(0.0),
        {mode: outputs(shift) for mode in modes},
        15,
        3.0,
        dict.fromkeys(modes, 3.5),
    )


def test_gaussians_lie_outside_as_often_as_the_region_says():
    heads, texts = length.outside([drawn(seed) for seed in range(10)])
    assert np.all(heads["components"] <= 8)
    assert heads["outside_inside"].mean() == pytest.approx(0.05, abs=0.01)
    assert heads["outside_beyond"].mean() == pytest.approx(0.05, abs=0.01)
    assert np.all(heads["outside_other_head"] == 1)
    assert set(texts["nll_beyond"]) == {3.5}


def test_shifted_gaussians_lie_outside():
    heads, _ = length.outside([drawn(seed, shift=30.0) for seed in range(4)])
    assert np.all(heads["outside_beyond"] == 1)
    assert heads["outside_inside"].mean() == pytest.approx(0.05, abs=0.02)
    half, _ = length.outside([drawn(seed, shift=2.0) for seed in range(4)])
    assert 0.06 < half["outside_beyond"].mean() < 0.9


def test_a_seed_is_not_held_against_itself():
    """One text that is far from all others lies outside all of them, though its own outputs are like each other."""
    pieces = [drawn(seed) for seed in range(3)]
    pieces[1] = dataclasses.replace(pieces[1], inside=pieces[1].inside + 1000)
    heads, _ = length.outside(pieces)
    assert np.all(heads["outside_inside"][heads["seed"] == 1] == 1)


def test_regions_have_as_few_components_as_hold_the_variance():
    generator = np.random.default_rng(0)
    scales = np.array([10.0, 5.0, 1.0, 0.01])
    found = length.region(generator.normal(size=(5000, 4)) * scales)
    assert found.axes.shape == (4, 2)  # 100 + 25 of 126
    distances = np.linalg.norm((generator.normal(size=(5000, 4)) * scales - found.mean) @ found.axes, axis=1)
    assert found.radius == pytest.approx(np.sqrt(7.378), rel=0.03)  # chi-square, two degrees of freedom, 0.975
    assert np.mean(distances > found.radius) == pytest.approx(0.025, abs=0.01)
    assert found.outside(generator.normal(size=(5000, 4)) * scales) == pytest.approx(0.05, abs=0.01)
    moved = generator.normal(size=(500, 4)) * scales + np.array([0, 0, 0, 1000])  # beside the components
    assert found.outside(moved) == 1
    assert length.region(generator.normal(size=(500, 64))).axes.shape == (64, length.COMPONENTS)


def test_regions_of_vectors_that_do_not_vary():
    found = length.region(np.full((10, 4), 3.0))
    assert found.axes.shape == (4, 0)
    assert found.outside(np.full((5, 4), 3.0 + 1e-7)) == 0
    assert found.outside(np.zeros((5, 4))) == 1
    thin = length.region(np.outer(np.arange(20.0), [1, 2, 0]))
    assert thin.axes.shape == (3, 1)
    assert thin.outside(np.array([[100, 200, 0]])) == 1


def test_pieces_that_are_not_alike_are_refused():
    with pytest.raises(InputError, match=r"pieces of the seeds \[0\]; give two or more"):
        length.outside([drawn(0)])
    with pytest.raises(InputError, match="give two or more, all different"):
        length.outside([drawn(0), drawn(0)])
    for other in (drawn(1, modes=("capped",)), drawn(1, heads=3), dataclasses.replace(drawn(1), extra=8)):
        with pytest.raises(InputError, match="pieces of different lengths, layers or modes"):
            length.outside([drawn(0), other])
