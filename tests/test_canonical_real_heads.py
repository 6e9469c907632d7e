"""The geometry of real heads by plane: sums against brute force, invariances, and criteria that can fail."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from letters import lettered, texts_of  # noqa: E402
from zoo import ROTATING, STILL, tiny, tokens  # noqa: E402

from headproof.checks.trained import kept  # noqa: E402
from headproof.checks.trained.canonical import real_heads as module  # noqa: E402
from headproof.checks.trained.canonical.real_heads import (  # noqa: E402
    DEFINITIONS,
    PlaneLogits,
    layer_columns,
    measure,
    measure_passage,
    plane_vectors,
    resultants,
    shares_of_mean,
)
from headproof.checks.trained.canonical.real_numbers import MEASURES, Geometry, Planes  # noqa: E402
from headproof.checks.trained.capture import capture  # noqa: E402
from headproof.checks.trained.conform import key_heads, turn  # noqa: E402
from headproof.checks.trained.disentanglement.heads import Passage  # noqa: E402
from headproof.checks.trained.judging import met  # noqa: E402
from headproof.checks.trained.nulls import fresh  # noqa: E402
from headproof.checks.trained.planes import layer_planes  # noqa: E402
from headproof.checks.trained.rows import columns_of, described, rows  # noqa: E402
from headproof.theory.canonical.geometry_claims import (  # noqa: E402
    GEOMETRY_FINDINGS,
    GEOMETRY_PRINTED,
    on_real_heads,
    prefix_of,
)
from headproof.theory.empirical import ON_MODELS  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = texts_of(3, words=30)
# Half-split, two bases and windows, neighbours in a part of the head, half-width cos, a factor in cos and sin.
KINDS = ("llama", "gemma3", "gptj", "glm", "llama-yarn")


def drawn(*shape, seed=0):
    generator = np.random.default_rng(seed)
    return generator.normal(size=shape) + 1j * generator.normal(size=shape)


def brute(logits, window=None):
    """(variance, part within rows, part between diagonals) of one plane's logits over the pairs that are seen."""
    apart = np.subtract.outer(np.arange(len(logits)), np.arange(len(logits)))
    seen = (apart >= 0) & (apart < (window or len(logits)))
    mean, of_rows, of_diagonals = logits[seen].mean(), logits.copy(), logits.copy()
    for place in range(len(logits)):
        of_rows[place, seen[place]] = logits[place, seen[place]].mean()
        of_diagonals[apart == place] = logits[apart == place].mean()
    variance = ((logits - mean)[seen] ** 2).mean()
    return variance, ((logits - of_rows)[seen] ** 2).mean(), ((of_diagonals - mean)[seen] ** 2).mean()


# -- sums against brute force --------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [None, 1, 4, 11, 30])
def test_moments_are_those_of_all_pairs(window):
    queries, keys = drawn(2, 11, 3), drawn(2, 11, 3, seed=1) + 2
    found = PlaneLogits.of(queries, keys, window)
    for head, plane in np.ndindex(2, 3):
        logits = np.outer(queries[head, :, plane], keys[head, :, plane].conj()).real
        expected = brute(logits, window)
        parts = (each[head, plane] for each in (found.variance, found.seen, found.distance))
        assert np.allclose(list(parts), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_a_model_are_those_of_its_own_logits(kind):
    name, sizes = ROTATING[kind]
    captured = capture(tiny(name, **sizes), tokens())
    layouts = layer_planes(captured)
    for layer in captured.layers:
        planes = layouts[layer.index]
        found = {each: values.reshape(layer.heads, -1) for each, values in layer_columns(layer, planes).items()}
        read = key_heads(layer, torch.arange(layer.heads)).tolist()
        place = torch.arange(layer.length, dtype=torch.float64)[1:]
        power = np.empty((layer.heads, planes.count))
        for head, plane in np.ndindex(power.shape):
            q, k = layer.queries[head, 1:].double(), layer.keys[read[head], 1:].double()
            q, k = (torch.complex(*each[:, planes.pairs[plane]].unbind(dim=1)) for each in (q, k))
            # In which sense a layer turns is its own affair, and no column knows it.
            options = []
            for sense in (1, -1):
                turning = torch.exp(1j * sense * planes.frequencies[plane] * (place[:, None] - place))
                options.append(brute((q[:, None] * k.conj() * turning).real.numpy(), layer.window))
            shares = [option[2] / option[0] for option in options]
            share = found["position_share"][head, plane]
            chosen = int(np.abs(np.array(shares) - share).argmin())
            assert share == pytest.approx(shares[chosen], abs=1e-4)
            power[head, plane] = options[chosen][0]
            lengths = [each.abs() for each in (k, q)]
            assert found["key_resultant"][head, plane] == pytest.approx(float((k / lengths[0]).mean().abs()))
            assert found["query_resultant"][head, plane] == pytest.approx(float((q / lengths[1]).mean().abs()))
            expected = float(k.mean().abs() ** 2 / (k.abs() ** 2).mean())
            assert found["key_share"][head, plane] == pytest.approx(expected)
        assert np.allclose(found["power"], power / power.sum(axis=1, keepdims=True), atol=1e-4)
        assert np.allclose(found["seen_power"].sum(axis=1), 1)
        assert np.allclose(found["wavelength"], 2 * np.pi / found["frequency"] / layer.length)


def test_planes_together_make_the_logits_of_the_head():
    captured = capture(tiny("llama", **ROTATING["llama"][1]), tokens())
    layer, planes = captured.layers[0], layer_planes(captured)[0]
    everything = slice(0, layer.length)
    rotated = [turn(layer, vectors, everything) for vectors in (layer.queries, layer.keys)]
    queries, keys = (plane_vectors(vectors, planes) for vectors in rotated)
    found = np.einsum("ip,jp->ij", queries[5], keys[1].conj()).real
    assert np.allclose(found, rotated[0][5, 1:] @ rotated[1][1, 1:].T)


# -- what the columns mean -----------------------------------------------------------------------------------------


def test_one_angle_for_all_queries_and_keys_of_a_plane_changes_nothing():
    queries, keys = drawn(2, 20, 3), drawn(2, 20, 3, seed=1) + 1
    phases = np.exp(1j * np.array([0.3, -2.0, 3.1]))
    one, other = PlaneLogits.of(queries, keys), PlaneLogits.of(queries * phases, keys * phases)
    for each in dataclasses.fields(PlaneLogits):
        assert np.allclose(getattr(one, each.name), getattr(other, each.name))
    assert np.allclose(resultants(keys), resultants(keys * phases))
    assert np.allclose(shares_of_mean(keys), shares_of_mean(keys * phases))


def test_lengths_do_not_change_shares_of_power():
    queries, keys = drawn(1, 20, 3), drawn(1, 20, 3, seed=1)
    one, other = PlaneLogits.of(queries, keys), PlaneLogits.of(5 * queries, 0.1 * keys)
    assert np.allclose(one.distance / one.variance, other.distance / other.variance)
    assert np.allclose(other.variance, one.variance / 4)


def test_equal_keys_gather_and_opposite_ones_do_not():
    equal = np.full((1, 8, 1), 2 - 1j)
    assert resultants(equal) == pytest.approx(1)
    assert shares_of_mean(equal) == pytest.approx(1)
    opposite = equal * np.array([1, -1] * 4)[:, None]
    assert resultants(opposite) == pytest.approx(0)
    # Lengths weigh in the share alone; a zero key has no direction.
    assert resultants(np.array([[[3.0 + 0j], [1.0]]])) == pytest.approx(1)
    assert shares_of_mean(np.array([[[3.0 + 0j], [1.0]]])) == pytest.approx(0.8)
    assert resultants(np.array([[[3.0 + 0j], [0.0]]])) == pytest.approx(0.5)
    assert np.isnan(shares_of_mean(np.zeros((1, 4, 1), complex))).all()


@pytest.mark.parametrize("theta", [0.05, 0.7, 2.5])
def test_equal_queries_and_keys_make_a_plane_of_distance_alone(theta):
    turning = np.exp(1j * theta * np.arange(40))[None, :, None]
    found = PlaneLogits.of(3 * turning, np.exp(0.4j) * turning)
    assert found.distance == pytest.approx(found.variance)


def test_a_plane_that_hardly_turns_has_no_distance_to_speak_of():
    found = PlaneLogits.of(drawn(1, 400, 1), drawn(1, 400, 1, seed=1))
    assert found.distance / found.variance < 0.1


def test_logits_that_do_not_vary_have_no_variance():
    still = np.ones((1, 50, 1), complex)
    found = PlaneLogits.of(0.1 * still, 0.3 * still)
    assert (found.variance, found.seen, found.distance) == (0, 0, 0)


# -- a whole measurement -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    return measure(lettered(), TEXTS, 48, (0, 1))


def test_the_table_has_all_planes_of_all_models_and_says_what_it_is(table):
    assert table.column_names == list(DEFINITIONS)
    assert all(table.schema.field(name).metadata[b"definition"].decode() == DEFINITIONS[name] for name in DEFINITIONS)
    assert table.num_rows == 5 * 3 * 2 * 6 * 8  # models, texts, layers, heads, planes
    about = described(table)
    assert {"versions", "device", "dtype", "plan"} <= set(about)
    assert about["plan"]["texts"] == {text.name: text.sha256 for text in TEXTS}
    columns = columns_of(table)
    for name in ("key_resultant", "query_resultant", "key_share", "power", "seen_power", "position_share"):
        assert ((columns[name] >= 0) & (columns[name] <= 1 + 1e-6)).all(), name
    one = rows(columns, group="trained", text="text1")
    alone = measure_passage(lettered(), Passage("text1", module.passage(lettered(), TEXTS[1], 48).tokens))
    assert np.allclose(one["power"], alone["power"])


def test_finished_pieces_are_taken_up(tmp_path, monkeypatch, table):
    def place(kind, model, parts, code):
        return tmp_path / f"{kind}-{abs(hash(str(parts)))}.npz"

    monkeypatch.setattr(kept, "place_of", place)
    steps = []
    assert measure(lettered(), TEXTS, 48, (0, 1), lambda *step: steps.append(step)).equals(table)
    assert steps[-1] == ("shuffled 1: text2", 15, 15)
    monkeypatch.setattr(module, "measure_passage", None)
    assert measure(lettered(), TEXTS, 48, (0, 1)).equals(table)
    with pytest.raises(TypeError):
        measure(lettered(), TEXTS, 48, (0, 1), resume=False)


def test_what_cannot_be_measured_is_refused():
    model = lettered()
    with pytest.raises(InputError, match="a null itself"):
        measure(fresh(model, 0), TEXTS, 48, (0,))
    with pytest.raises(InputError, match="no texts"):
        measure(model, [], 48, (0,))
    with pytest.raises(InputError, match="has fewer than 4000 tokens"):
        measure(model, TEXTS, 4000, (0,))
    with pytest.raises(InputError, match="planes over 8 tokens"):
        measure(model, TEXTS, 8, (0,))
    with pytest.raises(InputError, match="no rotary planes"):
        measure_passage(tiny("gpt2", **STILL["gpt2"][1]), Passage("a", tuple(tokens().tolist())))


def test_a_layer_that_sees_scattered_keys_is_refused():
    captured = capture(tiny("llama", **ROTATING["llama"][1]), tokens())
    visible = captured.layers[0].visible.clone()
    visible[20, 3] = False
    scattered = dataclasses.replace(captured.layers[0], visible=visible)
    with pytest.raises(InputError, match="just the last keys"):
        layer_columns(scattered, layer_planes(captured)[0])


# -- numbers and criteria ------------------------------------------------------------------------------------------

LAYERS, HEADS, PLANES = 6, 4, 8
SHOWS = {"gathered", "positional-gather", "dominant"}


def made(trained=frozenset(SHOWS), nulls=frozenset()):
    """A table in which a group shows some of the findings: random columns, the same ones for all models, and planes
    made to show them."""
    parts = []
    models = [("trained", -1), *((null, seed) for null in ("fresh", "shuffled") for seed in (0, 1))]
    shape = (LAYERS, HEADS, PLANES)
    layer, head, plane = (each.reshape(-1) for each in np.indices(shape))
    for group, seed in models:
        shows = trained if group == "trained" else nulls
        for text in range(4):
            generator = np.random.default_rng(text)
            keys, share, power = (generator.uniform(0.1, 0.6, size=shape) for _ in range(3))
            if "positional-gather" in shows:
                keys = share + generator.normal(size=shape) / 20
            share[..., 2] = 0.8
            keys[..., 2] = 0.97 if "gathered" in shows else keys[..., 2]
            power[..., 5] = 20 if "dominant" in shows else power[..., 5]
            power /= power.sum(axis=-1, keepdims=True)
            columns = dict.fromkeys(("key_resultant", "query_resultant", "key_share"), keys)
            columns |= {"position_share": share, "power": power, "seen_power": power}
            columns = {name: values.reshape(-1) for name, values in columns.items()}
            tags = {"group": group, "null_seed": seed, "text": f"text{text}"}
            columns |= {name: np.full(layer.size, value) for name, value in tags.items()}
            columns |= {"layer": layer, "head": head, "plane": plane, "frequency": 2.0**-plane}
            parts.append({**columns, "wavelength": columns["frequency"]})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@pytest.fixture(scope="module")
def shown():
    return made()


@pytest.mark.parametrize("finding", GEOMETRY_FINDINGS, ids=lambda finding: finding.name)
def test_a_criterion_upholds_what_shows_it_and_refuses_its_controls(finding, shown):
    numbers, controls = MEASURES[finding.name](Geometry(shown), 0)
    assert not [name for name, number in numbers.items() if np.isnan(number.value)]
    assert met(finding, numbers)
    assert set(controls) == set(finding.controls)
    assert {name: met(finding, found) for name, found in controls.items()} == dict.fromkeys(controls, False)


@pytest.mark.parametrize("finding", GEOMETRY_FINDINGS, ids=lambda finding: finding.name)
def test_a_criterion_refuses_what_does_not_show_it_and_what_nulls_show_as_well(finding):
    for shows in (frozenset(), frozenset(SHOWS)):
        numbers, _ = MEASURES[finding.name](Geometry(made(shows, shows)), 0)
        assert met(finding, numbers) is False


def test_the_most_positional_plane_is_read(shown):
    planes = Planes(rows(shown, group="trained"))
    assert planes["power"].shape == (1, 4, LAYERS, HEADS, PLANES)
    assert (planes.at_most_positional("plane") == 2).all()
    assert (planes.at_most_positional("key_resultant") == 0.97).all()
    assert (planes.others("key_resultant") < 0.9).all()
    # The median of the seven others: 0, 1, 3, 4, 5, 6, 7.
    assert (planes.others("plane") == 4).all()
    assert (planes.largest("power") > 0.8).all()
    assert (planes.at_most("power", "plane") == 5).all()


def test_heads_without_a_position_share_are_left_out(shown):
    columns = dict(shown)
    gone = (columns["layer"] == 0) & (columns["head"] == 1) & (columns["group"] == "fresh")
    columns["position_share"] = np.where(gone, np.nan, columns["position_share"])
    planes = Planes(rows(columns, group="fresh"))
    for values in (planes.at_most_positional("key_resultant"), planes.others("key_resultant")):
        assert np.isnan(values).sum() == 2 * 4
        assert np.isnan(values[..., 1]).all()
    numbers, _ = MEASURES["gathered"](Geometry(columns), 0)
    assert numbers["median key resultant"].value == pytest.approx(0.97)


def test_rank_correlations_are_those_of_the_planes_of_a_layer(shown):
    planes = Planes(rows(shown, group="trained"))
    rho = planes.correlation("key_resultant")
    assert rho.shape == (1, 4, LAYERS)
    assert (rho > 0.8).all()
    assert np.abs(planes.correlation("key_resultant", dealt=0)).max() < 0.6
    assert np.allclose(planes.correlation("position_share"), 1)
    assert np.allclose(planes.at_one_frequency(), rho, atol=0.2)


def test_claims_are_those_of_both_models():
    claims = on_real_heads()
    assert len({claim.id for claim in (*claims, *GEOMETRY_PRINTED)}) == len(GEOMETRY_FINDINGS) * len(ON_MODELS) + 1
    ids = {f"{prefix_of(finding)}.{finding.name}.{slug}" for finding in GEOMETRY_FINDINGS for slug in ON_MODELS}
    assert {claim.id for claim in claims} == ids
    assert "dyn.geometry.dominant.gemma-3-270m" in ids
    assert set(MEASURES) == {finding.name for finding in GEOMETRY_FINDINGS}
