"""Scores of the heads of real architectures: the fast way against swaps made one at a time, heads and planes."""

import dataclasses
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zoo import GROUPED, LENGTH, STILL, SUPPORTED, tiny, tokens  # noqa: E402

from headproof.checks.trained.capture import capture, layer_tables, visible_keys  # noqa: E402
from headproof.checks.trained.conform import ConformanceError, turn  # noqa: E402
from headproof.checks.trained.planes import rotary_planes  # noqa: E402
from headproof.checks.trained.scores import scoring  # noqa: E402
from headproof.checks.trained.scores.literal import (  # noqa: E402
    batched_layer_scores,
    in_plane,
    literal_layer_scores,
)
from headproof.checks.trained.scores.scoring import (  # noqa: E402
    head_measures,
    plane_measures,
    scored_blocks,
)
from headproof.checks.trained.views import query_view  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402
from headproof.theory.exclusion import exclusion_terms, variance_ratio  # noqa: E402
from headproof.theory.measures import analysis_of_variance  # noqa: E402
from headproof.theory.scores import Blocks, table_scores  # noqa: E402

TEMPERATURES = (1e-3, 0.1)
QUERY = LENGTH - 1


@pytest.fixture(scope="module", params=SUPPORTED)
def layers(request):
    kind, sizes = SUPPORTED[request.param]
    return capture(tiny(kind, **sizes), tokens()).layers


@pytest.fixture(scope="module")
def llama():
    return capture(tiny("llama", **GROUPED), tokens()).layers


@pytest.mark.parametrize("blocks", [Blocks.tiling(1, 23, 3), Blocks((2, 9, 15, 19), 2)], ids=["tiled", "apart"])
def test_heads_score_as_swaps_one_at_a_time(layers, blocks):
    for layer in layers:
        scored = scored_blocks(layer, QUERY, blocks)
        if scored.count < 2:
            continue
        fast, _ = head_measures(query_view(layer, QUERY, scored), TEMPERATURES)
        for number, temperature in enumerate(TEMPERATURES):
            for slow in (literal_layer_scores, batched_layer_scores):
                positional, symbolic = slow(layer, QUERY, scored, temperature)
                # Some rotary functions compute in float32, whatever they are given.
                assert torch.allclose(fast.positional[number], positional, rtol=0, atol=1e-6)
                assert torch.allclose(fast.symbolic[number], symbolic, rtol=0, atol=1e-6)


def test_llama_heads_and_planes_agree_to_a_thousand_millionth(llama):
    blocks = Blocks.tiling(1, 21, 2)
    for query in (20, 22, QUERY):
        for layer in llama:
            view = query_view(layer, query, scored_blocks(layer, query, blocks.within(range(query))))
            planes = rotary_planes(layer)
            heads, _ = head_measures(view, TEMPERATURES)
            parts = plane_measures(view, planes, TEMPERATURES)
            for number, temperature in enumerate(TEMPERATURES):
                positional, symbolic = literal_layer_scores(layer, query, view.blocks, temperature)
                assert torch.allclose(heads.positional[number], positional, rtol=0, atol=1e-9)
                assert torch.allclose(heads.symbolic[number], symbolic, rtol=0, atol=1e-9)
                for plane, pair in enumerate(planes.pairs.tolist()):
                    alone = literal_layer_scores(in_plane(layer, pair), query, view.blocks, temperature)
                    assert torch.allclose(parts.positional[number][:, plane], alone[0], rtol=0, atol=1e-9)
                    assert torch.allclose(parts.symbolic[number][:, plane], alone[1], rtol=0, atol=1e-9)


def test_planes_score_as_heads_of_two_coordinates(layers):
    for layer in layers:
        scored = scored_blocks(layer, QUERY, Blocks.tiling(1, 21, 4))
        if scored.count < 2 or not layer.rotates:
            continue
        planes = rotary_planes(layer)
        measured = plane_measures(query_view(layer, QUERY, scored), planes, TEMPERATURES[:1])
        groups = [*planes.pairs.tolist(), *([list(planes.still)] if planes.still else [])]
        assert measured.positional.shape == (1, layer.heads, len(groups))
        for place in {0, planes.count // 2, planes.count - 1, len(groups) - 1}:
            positional, symbolic = literal_layer_scores(in_plane(layer, groups[place]), QUERY, scored, TEMPERATURES[0])
            assert torch.allclose(measured.positional[0][:, place], positional, rtol=0, atol=1e-6)
            assert torch.allclose(measured.symbolic[0][:, place], symbolic, rtol=0, atol=1e-6)


def test_planes_are_the_coordinates_that_turn_together(layers):
    """Turning one unit vector by the model's own function moves it in its plane alone, by the plane's frequency."""
    for layer in layers:
        planes = rotary_planes(layer)
        width = layer.keys.shape[-1]
        assert sorted([c for pair in planes.pairs.tolist() for c in pair] + list(planes.still)) == list(range(width))
        assert all(0 <= f <= math.pi for f in planes.frequencies)
        if not layer.rotates:
            assert planes.count == 0
            continue
        for (one, other), frequency in zip(planes.pairs.tolist(), planes.frequencies, strict=True):
            unit = torch.zeros(1, 2, width, dtype=torch.float64)
            unit[:, :, one] = 1
            turned = turn(layer, unit, [0, 1])[0]
            back = turn(layer, turned[None, 1:], [0], inverse=True)[0, 0]  # turned by the difference alone
            scale = float(turned[1].norm() * turned[0].norm())  # a factor folded into cos and sin
            assert float(back.norm()) == pytest.approx(scale, rel=1e-5)
            # coordinates may come out permuted; turning back undoes that as well
            assert float(back[one]) / scale == pytest.approx(math.cos(frequency), abs=1e-5)
            assert abs(float(back[other])) / scale == pytest.approx(math.sin(frequency), abs=1e-5)


def test_measures_are_those_of_the_dense_table(layers):
    for layer in layers:
        scored = scored_blocks(layer, QUERY, Blocks.tiling(1, 23, 1))
        if scored.count < 2:
            continue
        measures, _ = head_measures(query_view(layer, QUERY, scored), (0.1,))
        keys = visible_keys(layer, QUERY)
        table = layer_tables(layer, QUERY).keys([keys.index(place) for place in scored.positions])
        position, content, interaction = analysis_of_variance(table).shares
        for found, expected in (
            (measures.position_share, position),
            (measures.content_share, content),
            (measures.interaction_share, interaction),
            (measures.exclusion, variance_ratio(exclusion_terms(table))),
        ):
            # Some rotary functions compute in float32, whatever they are given.
            assert torch.allclose(found, expected, rtol=0, atol=1e-6, equal_nan=True)
        assert ((measures.entropy >= 0) & (measures.entropy <= 1 + 1e-12)).all()
        if not layer.rotates:  # no position in its keys: symbolic on every input
            assert torch.allclose(measures.symbolic, torch.ones_like(measures.symbolic))
            assert float(measures.position_share.nan_to_num().max()) < 1e-20


def test_plane_energies_are_those_of_their_own_tables(llama):
    layer = llama[0]
    scored = scored_blocks(layer, QUERY, Blocks.tiling(1, 23, 1))
    planes = rotary_planes(layer)
    found = plane_measures(query_view(layer, QUERY, scored), planes, (0.1,)).energy
    keys = visible_keys(layer, QUERY)
    chosen = [keys.index(place) for place in scored.positions]
    for number, pair in enumerate(planes.pairs.tolist()):
        table = layer_tables(in_plane(layer, pair), QUERY).keys(chosen)
        expected = analysis_of_variance(table).total / len(chosen) ** 2
        assert torch.allclose(found[:, number], expected, rtol=1e-9)


def test_a_layer_of_the_table_is_the_table_of_the_layer(llama):
    """The same scores from the public way over logit tables."""
    layer = llama[1]
    keys = visible_keys(layer, QUERY)
    own = query_view(layer, QUERY, Blocks.tiling(1, 23, 2))
    logit = (own.used[:, -1] * own.query).sum(-1)
    scores = table_scores(layer_tables(layer, QUERY), Blocks.tiling(1, 23, 2), TEMPERATURES, logit)
    fast, _ = head_measures(own, TEMPERATURES)
    assert keys == tuple(range(QUERY))
    assert torch.allclose(scores.positional, fast.positional, atol=1e-9)
    assert torch.allclose(scores.symbolic, fast.symbolic, atol=1e-9)


# -- windows, sizes, refusals --------------------------------------------------------------------------------------


def test_blocks_outside_the_window_are_not_scored():
    sliding, full = capture(tiny("gemma2", **GROUPED, sliding_window=8), tokens()).layers
    blocks = Blocks.tiling(0, 21, 3)
    assert scored_blocks(full, QUERY, blocks).count == 7
    assert scored_blocks(sliding, QUERY, blocks).starts == (18,)  # keys 16 to 22: the block at 15 is cut


def test_chunks_do_not_change_anything(llama, monkeypatch):
    blocks = Blocks.tiling(1, 23, 2)
    view, planes = query_view(llama[0], QUERY, blocks), rotary_planes(llama[0])
    whole = head_measures(view, TEMPERATURES)[0], plane_measures(view, planes, TEMPERATURES)
    for entries in (1, blocks.count**2 * 2 * 3, 10**4):
        monkeypatch.setattr(scoring, "CHUNK_ENTRIES", entries)
        parts = head_measures(view, TEMPERATURES)[0], plane_measures(view, planes, TEMPERATURES)
        for one, other in zip(whole, parts, strict=True):
            for field in dataclasses.fields(one):
                assert torch.allclose(getattr(one, field.name), getattr(other, field.name), atol=1e-14)


@pytest.mark.parametrize("scale", [1.0, 40.0, 4000.0])
def test_logits_of_any_size(llama, scale):
    """Far apart logits underflow in one shift for all blocks; each block then has its own."""
    layer = dataclasses.replace(llama[0], scaling=llama[0].scaling * scale)
    blocks = Blocks.tiling(1, 23, 2)
    measures, swaps = head_measures(query_view(layer, QUERY, blocks), (0.1, math.inf))
    assert torch.isfinite(swaps.positional).all()
    assert torch.isfinite(measures.positional).all()
    table = layer_tables(layer, QUERY)
    view = query_view(layer, QUERY, blocks)
    scores = table_scores(table, blocks, (0.1, math.inf), (view.used[:, -1] * view.query).sum(-1))
    assert torch.allclose(scores.positional, measures.positional, atol=1e-9 * scale)


def test_a_rotation_that_minus_sin_does_not_undo_is_refused(llama):
    layer = llama[0]
    permuted = dataclasses.replace(layer, rotate=lambda x, cos, sin: layer.rotate(x.roll(1, -1), cos, sin))
    with pytest.raises(ConformanceError, match="un-rotating query 23"):
        query_view(permuted, QUERY, Blocks.tiling(1, 23, 2))


def test_a_rotation_that_is_none_of_planes_is_refused(llama):
    layer = llama[0]
    mixed = dataclasses.replace(layer, rotate=lambda x, cos, sin: layer.rotate(x, cos, sin) + x.roll(1, -1) * sin)
    with pytest.raises(InputError, match="LlamaForCausalLM layer 0: its rotary function does not turn pairs"):
        rotary_planes(mixed)


def test_layers_that_never_turn_are_among_them():
    assert any(kind in STILL for kind in SUPPORTED)
    assert np.isinf(rotary_planes(capture(tiny("gpt2"), tokens()).layers[0]).wavelengths or (math.inf,)).all()
