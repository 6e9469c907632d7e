"""Additive fits, planes and false distances of captured heads: against tables formed entry by entry."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zoo import GROUPED, LENGTH, ROTATING, STILL, tiny, tokens  # noqa: E402

from headproof.checks.trained.capture import capture, layer_tables, visible_keys  # noqa: E402
from headproof.checks.trained.disentanglement.additive import (  # noqa: E402
    Designs,
    causal_logits,
    fit_columns,
)
from headproof.checks.trained.disentanglement.curves import SHARED, chosen_heads, curve_columns  # noqa: E402
from headproof.checks.trained.disentanglement.heads import Passage, measure_passage, query_places  # noqa: E402
from headproof.checks.trained.disentanglement.turning import (  # noqa: E402
    Turner,
    all_keys,
    head_columns,
    key_deviations,
    plane_columns,
    plane_view,
)
from headproof.checks.trained.planes import layer_planes  # noqa: E402
from headproof.theory.disentanglement import interaction, interaction_bound  # noqa: E402
from headproof.theory.disentanglement.causal_fit import CausalDesign  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402
from headproof.theory.measures import analysis_of_variance  # noqa: E402
from headproof.theory.table import LogitTable  # noqa: E402

QUERY = LENGTH - 1


@pytest.fixture(scope="module", params=ROTATING)
def captured(request):
    kind, sizes = ROTATING[request.param]
    return capture(tiny(kind, **sizes), tokens())


@pytest.fixture(scope="module")
def llama():
    return capture(tiny("llama", **GROUPED), tokens())


def view_of(captured, layer):
    return plane_view(all_keys(layer, QUERY), layer_planes(captured)[layer.index])


# -- additive fits -------------------------------------------------------------------------------------------------


def test_causal_logits_are_the_diagonals_of_the_tables(captured):
    for layer in captured.layers:
        logits = causal_logits(layer, slice(0, layer.heads))
        for query in (5, QUERY):
            keys = list(visible_keys(layer, query))
            used = layer_tables(layer, query).diagonal
            assert torch.allclose(logits[:, query, keys], used, atol=1e-5)


def test_fits_are_those_of_each_head_by_itself(llama):
    columns = fit_columns(llama)
    for layer in llama.layers:
        logits = causal_logits(layer, slice(0, layer.heads)).numpy()
        visible = layer.visible.numpy()
        for head in range(layer.heads):
            row = (columns["layer"] == layer.index) & (columns["head"] == head)
            fit = CausalDesign.of(visible).fit(logits[head])
            assert columns["correlation"][row] == pytest.approx(fit.correlation)
            assert columns["row_correlation"][row] == pytest.approx(fit.row_correlation)
            assert columns["spread"][row] ** 2 == pytest.approx(fit.within / visible.sum())
            without = visible.copy()
            without[:, 0] = False
            inner = CausalDesign.of(without).fit(logits[head])
            assert columns["correlation_without_first"][row] == pytest.approx(inner.correlation)


def test_centring_takes_the_means_off_before_the_rotation(llama):
    layer = llama.layers[0]
    centred = causal_logits(layer, slice(0, layer.heads), centred=True)
    shifted = layer.__class__(
        **{**vars(layer), "keys": layer.keys + 3.0, "queries": layer.queries - torch.arange(layer.queries.shape[-1])}
    )
    assert torch.allclose(causal_logits(shifted, slice(0, layer.heads), centred=True), centred, atol=1e-4)
    assert not torch.allclose(causal_logits(shifted, slice(0, layer.heads)), centred, atol=1e-2)


def test_heads_with_equal_keys_are_additive_and_heads_in_blocks_are_the_same(llama, monkeypatch):
    from headproof.checks.trained.disentanglement import additive

    whole = fit_columns(llama)
    monkeypatch.setattr(additive, "BLOCK_ENTRIES", 1)
    assert all(np.allclose(whole[name], values, equal_nan=True) for name, values in fit_columns(llama).items())
    layer = llama.layers[0]
    flat = layer.__class__(**{**vars(layer), "keys": layer.keys[:, :1].expand_as(layer.keys)})
    logits = causal_logits(flat, slice(0, flat.heads))
    queries = layer.__class__(**{**vars(flat), "queries": layer.queries[:, :1].expand_as(layer.queries)})
    same = causal_logits(queries, slice(0, flat.heads))
    design = Designs().of(layer)
    assert torch.allclose(design.fit(same).row_correlation, torch.ones(layer.heads, dtype=torch.float64))
    assert bool((design.fit(logits).row_correlation < 1).all())


def test_layers_that_see_the_same_share_one_factorisation(llama):
    designs = Designs()
    fit_columns(llama, designs)
    assert len(designs.made) == 2  # with the first token and without


def test_texts_too_short_or_too_long_are_refused(llama):
    with pytest.raises(InputError, match="an additive fit of 5 tokens; use 16 to 4096"):
        fit_columns(llama.__class__(**{**vars(llama), "tokens": (1, 2, 3, 4, 5)}))


# -- planes --------------------------------------------------------------------------------------------------------


def test_planes_are_the_parts_of_the_tables(captured):
    for layer in captured.layers:
        view = view_of(captured, layer)
        parts = torch.einsum("hafc,hbfc->hab", view.contents, view.directions)
        assert torch.allclose(parts, layer_tables(layer, QUERY).logits, atol=1e-5)


def test_directions_turn_back_by_one_angle_a_position(captured):
    for layer in captured.layers:
        view = view_of(captured, layer)
        again = Turner.of(view).directions(view.turns)
        reach = float(view.directions.abs().max())
        assert torch.allclose(again, view.directions, atol=1e-4 * reach)
        still = Turner.of(view).directions(torch.zeros_like(view.turns))
        assert torch.allclose(still, still[:, -1:].expand_as(still))


def test_head_columns_are_those_of_the_whole_table(captured):
    for layer in captured.layers:
        view = all_keys(layer, QUERY)
        by_plane = plane_view(view, layer_planes(captured)[layer.index])
        found = head_columns(view, by_plane, 0)
        table = layer_tables(layer, QUERY)
        shares = analysis_of_variance(table)
        keys = table.size
        rms = torch.sqrt(shares.interaction) / keys
        assert np.allclose(found["interaction"], rms.numpy(), rtol=1e-4, atol=1e-7)
        assert np.allclose(found["interaction_share"], shares.shares[2].numpy(), rtol=1e-3, atol=1e-6)
        assert (found["interaction"] <= found["bound"] * (1 + 1e-5) + 1e-9).all()
        assert not (found["tightness_proven"] > 1).any()
        assert not (found["tightness_5"] > found["tightness_largest"]).any()
        assert np.isfinite(found["tightness_largest"]).all() == layer.rotates


def test_the_largest_tightness_is_found_by_the_definition(llama):
    """All quadruples of a head, with the double difference of the public table."""
    layer = llama.layers[1]
    view = view_of(llama, layer)
    table = layer_tables(layer, QUERY)
    largest = 0.0
    generator = np.random.default_rng(0)
    for a, a0, b, b0 in generator.integers(view.keys, size=(300, 4)):
        if a == a0 or b == b0:
            continue
        double = interaction(table, int(a), int(a0), int(b), int(b0))[0]
        norms = (view.contents[0, a] - view.contents[0, a0]).norm(dim=-1)
        bound = (2 * view.lengths[0] * norms * torch.abs(torch.sin(view.turns * float(b - b0) / 2))).sum()
        assert abs(double) <= bound * (1 + 1e-5)
        largest = max(largest, float(abs(double) / bound))
    found = head_columns(all_keys(layer, QUERY), view, 0)["tightness_largest"][0]
    assert found == pytest.approx(largest, rel=0.25)


def test_reordered_angles_leave_a_head_of_one_angle_as_it_is(llama):
    layer = llama.layers[0]
    view = view_of(llama, layer)
    alike = view.__class__(view.contents, Turner.of(view).directions(view.turns * 0 + 0.3), view.turns * 0 + 0.3)
    contents, directions = alike.contents.flatten(2), alike.directions.flatten(2)
    whole = all_keys(layer, QUERY)
    found = head_columns(whole.__class__(**{**vars(whole), "contents": contents, "directions": directions}), alike, 0)
    assert np.allclose(found["interaction_share_reordered"], found["interaction_share"])
    assert np.isnan(found["pattern"]).all()


def test_the_pattern_is_found_where_it_is_put(llama):
    """Keys whose deviation falls with the angle of the plane, in order: -1; against the order: 1."""
    layer = llama.layers[0]
    view = view_of(llama, layer)
    deviation = key_deviations(view)
    for sign in (-1, 1):
        wanted = view.turns**sign
        scaled = view.contents * (wanted / deviation)[:, None, :, None]
        put = view.__class__(scaled, view.directions, view.turns)
        whole = all_keys(layer, QUERY)
        found = head_columns(whole.__class__(**{**vars(whole), "contents": scaled.flatten(2)}), put, 0)
        assert found["pattern"] == pytest.approx(np.full(layer.heads, sign))


def test_plane_columns_give_back_the_bound(llama):
    layer = llama.layers[0]
    view = view_of(llama, layer)
    count = layer_planes(llama)[0].count
    columns = plane_columns(view, count)
    rows = columns["head"] == 2
    part = columns["query_norm"] * columns["key_deviation"] * columns["turning"]
    expected = interaction_bound(view.lengths[2], key_deviations(view)[2], view.turns, view.keys)
    assert part[rows].sum() ** 2 == pytest.approx(float(expected))
    assert columns["bound_share"][rows].sum() == pytest.approx(1)


@pytest.mark.parametrize("name", STILL)
def test_layers_without_rotation_have_no_interaction(name):
    kind, sizes = STILL[name]
    captured = capture(tiny(kind, **sizes), tokens())
    for layer in captured.layers:
        if layer.rotates:
            continue
        view = all_keys(layer, QUERY)
        found = head_columns(view, plane_view(view, layer_planes(captured)[layer.index]), 0)
        assert np.allclose(found["interaction"], 0, atol=1e-9)
        assert np.allclose(found["bound"], 0)
        assert np.isnan(found["pattern"]).all()


# -- curves and passages -------------------------------------------------------------------------------------------


def test_curves_are_rows_of_the_table(llama):
    layer = llama.layers[0]
    columns = curve_columns(all_keys(layer, QUERY), visible_keys(layer, QUERY), 1)
    table = layer_tables(layer, QUERY).logits[1].numpy()
    for key in np.unique(columns["key"]):
        mine = columns["key"] == key
        curve, distance = columns["component"][mine], columns["distance"][mine]
        place = QUERY - distance
        if key == SHARED:
            mean = table.mean(axis=0)
            assert np.allclose(curve, (mean - mean.mean())[place], atol=1e-5)
            rest = table - table.mean(axis=1, keepdims=True) - (mean - mean.mean())
            assert np.allclose(columns["error"][mine], np.sqrt((rest**2).mean(axis=0))[place], atol=1e-5)
        else:
            assert np.allclose(curve + columns["content"][mine], table[key][place], atol=1e-5)
            assert columns["content"][mine][0] == pytest.approx(table[key].mean(), abs=1e-5)


def test_heads_are_chosen_at_even_steps():
    assert list(chosen_heads(np.array([3.0, np.nan, 1.0, 2.0, 5.0]), 2)) == [2, 4]
    assert list(chosen_heads(np.arange(11.0), 3)) == [0, 5, 10]
    assert list(chosen_heads(np.array([2.0, np.nan, 1.0]), 6)) == [2, 0]


def test_a_passage_is_measured_whole():
    model = tiny("gemma3_text", **GROUPED, sliding_window=8)
    found = measure_passage(model, Passage("short", tuple(tokens().tolist())), (0.5, 1.0), 0, True, ((1, 2),))
    heads = len(found["fits"]["layer"])
    assert heads == 12
    assert len(found["queries"]["layer"]) == 2 * heads
    assert set(found["queries"]["asked"]) == {0.5, 1.0}
    assert set(zip(found["curves"]["layer"], found["curves"]["head"], strict=True)) == {(1, 2)}
    assert len(found["planes"]["layer"]) == heads * 8
    again = measure_passage(model, Passage("short", tuple(tokens().tolist())), (0.5, 1.0), 0, False)
    assert all(
        np.array_equal(found["queries"][name], again["queries"][name], equal_nan=True) for name in again["queries"]
    )
    assert again["planes"] == {}


@pytest.mark.parametrize("fractions", [(), (0.1,), (1.2,)])
def test_queries_without_keys_are_refused(fractions):
    with pytest.raises(InputError, match="choose fractions up to 1"):
        query_places(24, fractions)


def test_a_table_is_a_table(llama):
    """The view's product is a LogitTable of all visible keys."""
    view = all_keys(llama.layers[0], QUERY)
    assert LogitTable(view.contents @ view.directions.transpose(1, 2)).size == QUERY
