"""Profiles: tables, queries, windows, models without rotary planes, nulls, resuming, files; on tiny random models."""

import json
import math

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zoo import GROUPED, tiny, tokens  # noqa: E402

from headproof.checks.trained.nulls import fresh  # noqa: E402
from headproof.checks.trained.rows import columns_of, rows  # noqa: E402
from headproof.checks.trained.scores import profile as profiles  # noqa: E402
from headproof.checks.trained.scores.columns import CORRELATIONS, HEADS, PLANES  # noqa: E402
from headproof.checks.trained.scores.pieces import Settings, resolve_queries  # noqa: E402
from headproof.checks.trained.scores.profile import TABLES, profile  # noqa: E402
from headproof.checks.trained.scores.summary import summarise  # noqa: E402
from headproof.checks.trained.scores.surrogates import exchanged  # noqa: E402
from headproof.checks.trained.tasks import BlockPrompt, induction_prompts  # noqa: E402
from headproof.checks.trained.writing import as_text, targets, write  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402
from headproof.theory.scores import Blocks  # noqa: E402

SETTINGS = Settings((0.7, "last"), (1e-4, math.inf), surrogates=5)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def block_prompt(name="p", blocks=None, length=24, seed=0):
    ids = tuple(tokens(length, seed).tolist())
    return BlockPrompt(name, "text", None, ids, blocks or Blocks.tiling(1, 21, 2), None, None, "text")


PROMPTS = tuple(block_prompt(f"p{seed}", seed=seed) for seed in range(3))


@pytest.fixture(scope="module")
def llama():
    return tiny("llama", **GROUPED)


@pytest.fixture(scope="module")
def result(llama):
    return profile(llama, PROMPTS, SETTINGS, (0, 1))


# -- tables --------------------------------------------------------------------------------------------------------


def test_tables_have_a_row_for_every_combination(result):
    heads, planes, pairs = (columns_of(t) for t in (result.heads, result.planes, result.correlations))
    models, prompts, queries, temperatures, all_heads = 5, 3, 2, 2, 12
    assert len(heads["head"]) == models * prompts * queries * temperatures * all_heads
    # planes: at the last query, for the trained model and the first seed of each null
    assert len(planes["plane"]) == 3 * prompts * temperatures * all_heads * 8
    assert set(planes["asked"]) == {"last"}
    assert len(pairs["r"]) == models * prompts * queries * temperatures * 6
    assert result.heads.schema.names == list(HEADS)
    assert result.planes.schema.names == list(PLANES)
    assert result.correlations.schema.names == list(CORRELATIONS)
    for table, columns in ((result.heads, HEADS), (result.planes, PLANES)):
        for field in table.schema:
            assert field.metadata[b"definition"].decode() == columns[field.name]


def test_shares_add_up_and_scores_are_scores(result):
    for table in (result.heads, result.planes):
        found = columns_of(table)
        total = found["position_share"] + found["content_share"] + found["interaction_share"]
        np.testing.assert_allclose(total, 1, atol=1e-6)
        for name in ("positional", "symbolic", "entropy", "exclusion"):
            assert ((found[name] >= 0) & (found[name] <= 1 + 1e-6)).all()
        np.testing.assert_allclose(found["purity"], found["positional"] - found["symbolic"], atol=1e-6)
    planes = rows(columns_of(result.planes), prompt="p0", temperature=math.inf, group="trained", layer=0, head=2)
    assert planes["energy_share"].sum() == pytest.approx(1, abs=1e-6)


def test_the_trained_model_and_its_nulls_differ_and_seeds_reproduce(llama, result):
    again = profile(llama, PROMPTS[:1], SETTINGS, (1,), resume=False)
    first, second = columns_of(result.heads), columns_of(again.heads)
    for group, seed in (("trained", -1), ("fresh", 1), ("shuffled", 1)):
        mine = rows(first, group=group, null_seed=seed, prompt="p0")["positional"]
        np.testing.assert_array_equal(mine, rows(second, group=group, null_seed=seed)["positional"])
    one, other = (rows(first, group="fresh", prompt="p0", null_seed=seed)["positional"] for seed in (0, 1))
    assert not np.allclose(one, other)


def test_surrogates_exchange_the_scores_of_single_swaps(llama):
    from headproof.checks.trained.capture import capture
    from headproof.checks.trained.scores.scoring import head_measures
    from headproof.checks.trained.views import query_view

    layer = capture(llama, PROMPTS[0].tokens).layers[0]
    temperatures = (0.01, math.inf)
    measures, swaps = head_measures(query_view(layer, 23, PROMPTS[0].blocks), temperatures)
    positional, symbolic = exchanged(swaps, temperatures, 400, 0)
    assert positional.shape == symbolic.shape == (2, layer.heads, 400)
    total = (measures.positional + measures.symbolic).numpy()
    np.testing.assert_allclose(positional + symbolic, np.broadcast_to(total[..., None], positional.shape), atol=1e-12)
    # on average each score is half the sum, and as uncertain as independent signs make it
    weights, rows, columns = swaps.weights(0.01), *np.triu_indices(swaps.positional.shape[-1], 1)
    moved = (weights * (swaps.positional - swaps.symbolic))[:, rows, columns].numpy()
    spread = np.sqrt((moved**2).sum(axis=1))
    np.testing.assert_allclose(positional[0].mean(axis=1), total[0] / 2, atol=5 * spread.max() / 20)
    np.testing.assert_allclose(positional[0].std(axis=1), spread, rtol=0.2)
    # heads have signs of their own
    apart = positional[0] - total[0][:, None] / 2
    assert np.abs(np.corrcoef(apart)[np.triu_indices(layer.heads, 1)]).max() < 0.3
    again = exchanged(swaps, temperatures, 400, 0)
    np.testing.assert_array_equal(positional, again[0])


def test_planes_at_every_seed_if_asked(llama):
    found = columns_of(profile(llama, PROMPTS[:1], SETTINGS, (0, 1), plane_seeds=2).planes)
    assert set(found["null_seed"]) == {-1, 0, 1}


# -- queries, windows, architectures -------------------------------------------------------------------------------


def test_queries_are_positions_fractions_and_the_last():
    settings = Settings((0.5, 22, -3, "last"), (0.1,))
    assert resolve_queries(PROMPTS[0], settings) == {"0.5": 12, "22": 22, "-3": 21, "last": 23}
    assert resolve_queries(PROMPTS[0], Settings(("last", 23), (0.1,))) == {"last": 23}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (24, "query 24 is outside the prompt p0 of 24 tokens"),
        (-25, "outside the prompt"),
        (1.5, "outside the prompt"),
        ("first", "outside the prompt"),
        (True, "outside the prompt"),
        (4, "has 1 blocks before it; choose a later query"),
        (0, "has 0 blocks before it"),
    ],
)
def test_queries_that_cannot_be_scored_are_refused(query, message):
    with pytest.raises(InputError, match=message):
        resolve_queries(PROMPTS[0], Settings((query,), (0.1,)))


def test_a_query_in_the_middle_sees_the_blocks_before_it(result):
    found = rows(columns_of(result.heads), asked="0.7")
    assert set(found["query"]) == {16}
    assert set(found["blocks"]) == {7}  # those that end at 15 or before


def test_layers_whose_window_hides_the_blocks_have_no_scores_and_that_is_said():
    model = tiny("gemma2", **GROUPED, sliding_window=4)
    found = profile(model, PROMPTS, Settings(("last",), (0.1,), surrogates=2), (0,))
    heads = columns_of(found.heads)
    unseen = heads["layer"] == 0
    assert (heads["window"][unseen] == 4).all()
    assert (heads["blocks"][unseen] < 2).all()
    assert np.isnan(heads["positional"][unseen]).all()
    assert set(heads["kind"][unseen]) == {"unseen"}
    assert not np.isnan(heads["positional"][~unseen]).any()
    summary = summarise(found)
    assert summary["unseen"] == [0]
    assert set(columns_of(found.planes)["layer"]) == {1}


def test_a_model_without_rotary_positions_has_heads_only():
    found = profile(tiny("gpt2"), PROMPTS, SETTINGS, (0,))
    assert found.planes.num_rows == 0
    np.testing.assert_allclose(columns_of(found.heads)["symbolic"], 1, atol=1e-6)
    assert summarise(found)["frequencies"] == []


def test_partial_rotation_has_one_plane_of_what_does_not_turn():
    found = rows(columns_of(profile(tiny("phi", **GROUPED), PROMPTS[:1], SETTINGS, (0,)).planes), plane=-1)
    assert len(found["plane"])
    assert (found["frequency"] == 0).all()
    assert np.isinf(found["wavelength"]).all()
    np.testing.assert_allclose(found["symbolic"], 1, atol=1e-6)


def test_the_induction_prompts_of_a_model_without_tokenizer(llama):
    found = profile(llama, induction_prompts(llama, 12), SETTINGS, (0,))
    assert {p["task"] for p in found.about["prompts"]} == {"induction"}


# -- refusals ------------------------------------------------------------------------------------------------------


def test_bad_profiles_are_refused_before_any_pass(llama, monkeypatch):
    monkeypatch.setattr(profiles, "measure_prompt", lambda *_: pytest.fail("measured"))
    for prompts, seeds, message in (
        ((), (0,), "no prompt"),
        ((PROMPTS[0], PROMPTS[0]), (0,), "two prompts have the name 'p0'"),
        (PROMPTS, (), "null seeds"),
        (PROMPTS, (0, 0), "null seeds"),
    ):
        with pytest.raises(InputError, match=message):
            profile(llama, prompts, SETTINGS, seeds)
    with pytest.raises(InputError, match="is a null itself"):
        profile(fresh(llama, 0), PROMPTS, SETTINGS)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"queries": ()}, "no query"),
        ({"temperatures": (-1.0,)}, "temperature"),
        ({"gamma": 0.7}, "margin"),
        ({"surrogates": -1}, "surrogates"),
    ],
)
def test_bad_settings_are_refused(changed, message):
    with pytest.raises(InputError, match=message):
        Settings(**changed)


# -- resuming ------------------------------------------------------------------------------------------------------


def assert_same(one, other):
    mine, theirs = columns_of(one), columns_of(other)
    assert list(mine) == list(theirs)
    for name, values in mine.items():
        np.testing.assert_array_equal(values, theirs[name])


@pytest.fixture
def stored(llama, monkeypatch, tmp_path):
    """A model that has a hash, as one from a file, and a cache of its own."""
    import dataclasses

    monkeypatch.setenv("HEADPROOF_CACHE", str(tmp_path / "cache"))
    return dataclasses.replace(llama, source=dataclasses.replace(llama.source, sha256="0" * 64))


def test_an_interrupted_profile_goes_on_where_it_was(stored, monkeypatch):
    calls = []
    measure = profiles.measure_prompt

    def counted(*args):
        calls.append(args)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return measure(*args)

    monkeypatch.setattr(profiles, "measure_prompt", counted)
    with pytest.raises(KeyboardInterrupt):
        profile(stored, PROMPTS, SETTINGS, (0,))
    assert len(calls) == 4
    done = profile(stored, PROMPTS, SETTINGS, (0,))
    assert len(calls) == 4 + 6  # three of nine pieces were there
    whole = profile(stored, PROMPTS, SETTINGS, (0,), resume=False)
    assert len(calls) == 10 + 9
    for name in ("heads", "planes", "correlations"):
        assert_same(getattr(done, name), getattr(whole, name))


def test_other_settings_prompts_or_weights_are_other_pieces(stored, monkeypatch):
    profile(stored, PROMPTS[:1], SETTINGS, (0,))
    calls = []
    measure = profiles.measure_prompt
    monkeypatch.setattr(profiles, "measure_prompt", lambda *args: calls.append(1) or measure(*args))
    profile(stored, PROMPTS[:1], SETTINGS, (0,))
    assert calls == []
    profile(stored, PROMPTS[:1], Settings(("last",), (0.1,), surrogates=1), (0,))
    profile(stored, [block_prompt("p0", Blocks.tiling(2, 20, 3))], SETTINGS, (0,))
    assert len(calls) == 6


def test_a_damaged_piece_is_measured_anew(stored, tmp_path):
    whole = profile(stored, PROMPTS[:1], SETTINGS, (0,))
    pieces = sorted((tmp_path / "cache" / "measurements").glob("profile-*.npz"))
    assert len(pieces) == 3
    pieces[0].write_bytes(b"rubbish")
    pieces[1].write_bytes(pieces[1].read_bytes()[:200])
    assert_same(profile(stored, PROMPTS[:1], SETTINGS, (0,)).heads, whole.heads)


# -- summary and files ---------------------------------------------------------------------------------------------


def test_the_summary_is_plain_and_deterministic(result):
    one, other = summarise(result, 0), summarise(result, 0)
    assert json.dumps(one, allow_nan=False) == json.dumps(other, allow_nan=False)
    assert len(one["correlation"]) == len(one["depth"]) == len(one["kinds"]) == 4
    assert all(entry["p_holm"] >= entry["p"] for entry in one["correlation"])
    assert one["heads"]["asked_of"] == 12
    assert set(one["dependence"]) == {"temperature", "asked", "prompt"}
    assert sum(band["trained"]["planes"] for band in one["frequencies"]) == 8
    assert sum(band["trained"]["energy_share"] for band in one["frequencies"]) == pytest.approx(100, abs=1e-3)
    for group in ("trained", "fresh", "shuffled"):
        assert sum(one["kinds"][0][group].values()) == pytest.approx(100)


def test_one_prompt_has_no_interval_and_no_error(llama):
    summary = summarise(profile(llama, PROMPTS[:1], SETTINGS, (0,)))
    assert summary["correlation"][0]["r_interval"] == [None, None]
    assert summary["dependence"]["prompt"]["median_range"] == 0


def test_files_hold_the_tables_and_what_made_them(result, tmp_path):
    summary = summarise(result)
    tables = {name: getattr(result, name) for name in TABLES}
    written = write(tables, TABLES, summary, tmp_path / "out")
    assert sorted(written) == sorted(targets(TABLES, tmp_path / "out"))
    for name in ("heads", "planes", "correlations"):
        table = getattr(result, name)
        stored = pyarrow.parquet.read_table(tmp_path / "out" / f"{name}.parquet")
        assert stored.num_rows == table.num_rows
        assert json.loads(stored.schema.metadata[b"headproof"])["settings"]["temperatures"] == ["0.0001", "inf"]
        assert all(b"definition" in field.metadata for field in stored.schema)
        plain = pyarrow.csv.read_csv(tmp_path / "out" / f"{name}.csv")
        assert plain.num_rows == table.num_rows
        assert plain.column_names == as_text(table).column_names
    found = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert found["columns"]["heads"]["positional"].startswith("positional score s_pos (dec.scores)")
    assert found["about"]["model"]["architecture"] == "LlamaForCausalLM"
    assert [p["name"] for p in found["about"]["prompts"]] == ["p0", "p1", "p2"]
    assert len(found["about"]["prompts"][0]["sha256"]) == 64


def test_nothing_is_left_where_a_file_cannot_be_written(result, tmp_path):
    (tmp_path / "planes.csv").mkdir()
    with pytest.raises(InputError, match=r"planes\.csv: it is a folder"):
        write({name: getattr(result, name) for name in TABLES}, TABLES, summarise(result), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["planes.csv"]
