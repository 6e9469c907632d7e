"""Captured layers reproduce the models' own attention, tables are as defined, the rest is refused."""

import dataclasses
import itertools
import math
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from zoo import GROUPED, LENGTH, VOCABULARY, tiny, tokens  # noqa: E402

from headproof.checks.trained import conform, recorder  # noqa: E402
from headproof.checks.trained.capture import (  # noqa: E402
    ConformanceError,
    capture,
    check_rows,
    layer_tables,
    used_logits,
)
from headproof.checks.trained.models import find_model, load_model  # noqa: E402
from headproof.checks.trained.prompts import PROMPTS, prompt, tokenize  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

CAPPED = {**GROUPED, "sliding_window": 8, "attn_logit_softcapping": 2.0}
DTYPES = [torch.float32, torch.bfloat16, torch.float16]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def llama():
    return tiny("llama", **GROUPED)


# -- conformance -----------------------------------------------------------------------------------------


def neighbours(vectors, cos, sin):
    """The rotation of neighbouring coordinates, for cos and sin laid out in halves."""
    half = vectors.shape[-1] // 2
    cos, sin = cos[:, :half].repeat_interleave(2, -1), sin[:, :half].repeat_interleave(2, -1)
    turned = torch.stack((-vectors[..., 1::2], vectors[..., ::2]), -1).flatten(-2)
    return vectors * cos + turned * sin


def test_a_wrong_rotary_layout_is_refused_with_architecture_and_layer(llama, monkeypatch):
    monkeypatch.setattr(recorder, "rotation", lambda *_: neighbours)
    with pytest.raises(ConformanceError, match=r"LlamaForCausalLM layer 0: .* wrong rotary layout"):
        capture(llama, tokens())


def attended(model, number, layer=None):
    """What a layer's attention received and returned; the vectors are those of `layer`, if it is given."""
    got = []
    right = conform.conforming
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "conforming", lambda layer, seen, rows: (got.append(seen), right(layer, seen, rows))[1])
        capture(model, tokens())
    seen = got[number]
    if layer is None:
        return seen
    query, key = (
        conform.turn(layer, vectors, slice(0, LENGTH)).to(vectors.dtype) for vectors in (layer.queries, layer.keys)
    )
    return dataclasses.replace(seen, query=query, key=key, again=lambda rows: seen.weights[:, rows].float())


TRIANGLE = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
HIDDEN = torch.zeros(LENGTH, LENGTH, dtype=torch.bool)
HIDDEN[11, 9] = True
WRONG = {
    "layout": {"rotate": neighbours},
    "scaling": {"scaling": 1.2 * 0.25},
    "cap": {"softcap": 3.0},
    "no cap": {"softcap": None},
    "no window": {"visible": TRIANGLE},
    "wider window": {"visible": TRIANGLE.triu(-8)},
    "hidden key": {"visible": TRIANGLE.triu(-7) & ~HIDDEN},
    "no mask": {"visible": torch.ones(LENGTH, LENGTH, dtype=torch.bool)},
}


@pytest.mark.parametrize("rows", [None, check_rows(LENGTH, [11], 4)], ids=["all", "sampled"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("wrong", WRONG)
def test_a_layer_that_is_captured_wrongly_is_refused(wrong, dtype, rows, monkeypatch):
    """In all precisions, with all rows and with some: its first layer has a window of eight, and logits are capped."""
    model = tiny("gemma2", dtype, **CAPPED)
    right = conform.conforming
    assert capture(model, tokens(), rows=rows).rows == (LENGTH if rows is None else len(rows))
    monkeypatch.setattr(
        recorder, "conforming", lambda layer, *rest: right(dataclasses.replace(layer, **WRONG[wrong]), *rest)
    )
    with pytest.raises(ConformanceError, match="Gemma2ForCausalLM layer 0"):
        capture(model, tokens(), rows=rows)


@pytest.mark.parametrize("wrong", ["layout", "scaling", "cap", "no mask"])
def test_weights_alone_tell_a_layer_that_is_captured_wrongly(llama, wrong):
    """The rotated vectors are taken from the wrong layer itself, so that only the weights can tell."""
    layer = dataclasses.replace(capture(llama, tokens()).layers[0], **WRONG[wrong])
    seen = attended(llama, 0, layer)
    with pytest.raises(ConformanceError, match="LlamaForCausalLM layer 0: attention weights rebuilt"):
        conform.conforming(layer, seen)


@pytest.mark.parametrize("part", ["query", "key"])
def test_vectors_that_are_not_numbers_do_not_conform(llama, part):
    layer, seen = capture(llama, tokens()).layers[0], attended(llama, 0)
    broken = getattr(seen, part).clone()
    broken[1, 7, 3] = math.nan
    with pytest.raises(ConformanceError, match=f"rotating the captured {'queries' if part == 'query' else 'keys'}"):
        conform.conforming(layer, dataclasses.replace(seen, **{part: broken}), torch.tensor([2]))


def test_one_rotated_coordinate_that_is_slightly_off_is_told_wherever_it_is(llama):
    layer, seen = capture(llama, tokens()).layers[0], attended(llama, 0)
    broken = seen.key.clone()
    broken[1, 7, 3] += 1e-4
    with pytest.raises(ConformanceError, match=r"rotating the captured keys gives vectors 0\.0001 away"):
        conform.conforming(layer, dataclasses.replace(seen, key=broken), torch.tensor([2]))


def test_weights_that_are_not_numbers_do_not_conform(llama):
    layer, seen = capture(llama, tokens()).layers[0], attended(llama, 0)
    nowhere = torch.full((6, LENGTH, LENGTH), math.nan)
    with pytest.raises(ConformanceError, match="nan away"):
        conform.conforming(layer, dataclasses.replace(seen, weights=nowhere))


def test_blocks_of_rows_cover_every_query(llama, monkeypatch):
    whole = capture(llama, tokens())
    monkeypatch.setattr(conform, "BLOCK_ENTRIES", 6 * LENGTH * 5)  # five rows a block, and a shorter last one
    monkeypatch.setattr(conform, "VECTOR_ENTRIES", 8 * 16 * 7)  # seven positions
    parts = capture(llama, tokens())
    assert parts.rows == whole.rows == LENGTH
    assert [layer.error for layer in parts.layers] == pytest.approx([layer.error for layer in whole.layers], rel=1e-6)


# -- chosen rows -----------------------------------------------------------------------------------------


def test_chosen_rows_are_compared_and_counted(llama):
    whole, part = capture(llama, tokens()), capture(llama, tokens(), rows=[5, 20, 5])
    assert (whole.rows, part.rows) == (LENGTH, 2)
    assert part.error <= whole.error
    assert [layer.tolerance for layer in part.layers] == [layer.tolerance for layer in whole.layers]
    for ours, theirs in zip(part.layers, whole.layers, strict=True):
        assert torch.equal(ours.keys, theirs.keys)


def test_a_wrong_row_is_told_if_it_is_chosen(llama):
    layer, seen = capture(llama, tokens()).layers[0], attended(llama, 0)
    broken = seen.weights.clone()
    broken[3, 17, 2] += 0.01
    broken = dataclasses.replace(seen, weights=broken)
    assert conform.conforming(layer, broken, torch.tensor([5, 16, 18])).rows == 3
    for rows in (None, torch.tensor([17]), torch.tensor([5, 17])):
        with pytest.raises(ConformanceError, match=r"are 0\.01 away"):
            conform.conforming(layer, broken, rows)


@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 300, 4096])
def test_rows_to_check_are_spread_from_the_first_to_the_last(length):
    rows = check_rows(length)
    assert rows == tuple(sorted(set(rows)))
    assert (rows[0], rows[-1], len(rows)) == (0, length - 1, min(length, 32))
    steps = [after - before for before, after in itertools.pairwise(rows)]
    assert not steps or max(steps) - min(steps) <= 1


def test_rows_to_check_hold_the_queries():
    assert check_rows(100, [7, 50, 7], 3) == (0, 7, 50, 99)
    with pytest.raises(InputError, match="query 100 is not in a text of 100 tokens"):
        check_rows(100, [100])
    with pytest.raises(InputError, match="1 rows cannot reach from the first to the last; compare at least two"):
        check_rows(100, count=1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no rows are chosen; compare at least one row, or all with rows=None"),
        ([3, LENGTH], f"row {LENGTH} is not in a text of {LENGTH} tokens; rows are 0 to {LENGTH - 1}"),
        ([-1], "row -1 is not in a text"),
    ],
)
def test_rows_that_are_none_are_refused(llama, rows, message):
    with pytest.raises(InputError, match=message):
        capture(llama, tokens(), rows=rows)


# -- half precision --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES[1:], ids=str)
def test_half_precision_is_compared_in_float32_and_its_rounding_told(dtype):
    model = tiny("gemma2", dtype, **CAPPED)
    for layer, number in zip(capture(model, tokens()).layers, range(2), strict=True):
        seen = attended(model, number)
        assert (layer.queries.dtype, seen.weights.dtype) == (dtype, dtype)
        assert layer.error <= layer.tolerance <= 1e-4
        exact = seen.again(torch.arange(LENGTH))
        assert exact.dtype == torch.float32
        assert layer.rounding == float((exact.double() - seen.weights.double()).abs().max())
        assert layer.error < 1e-5 < layer.rounding


@pytest.mark.parametrize("dtype", DTYPES[1:], ids=str)
@pytest.mark.parametrize(
    "change", [{"attn_logit_softcapping": 2.4}, {"sliding_window": 9}, {"query_pre_attn_scalar": 178}]
)
def test_half_weights_that_rounding_does_not_explain_are_refused(change, dtype):
    """What the model used, if it had another cap, window or scaling than its function shows when it is run again."""
    scalar = {"query_pre_attn_scalar": 256}
    layer = capture(tiny("gemma2", dtype, **CAPPED, **scalar), tokens()).layers[0]
    seen = attended(tiny("gemma2", dtype, **CAPPED, **scalar), 0)
    other = attended(tiny("gemma2", dtype, **{**CAPPED, **scalar, **change}), 0)
    assert torch.equal(seen.query, other.query)
    with pytest.raises(ConformanceError, match=rf"weights in {dtype} are .* more than rounding explains; load it in"):
        conform.conforming(layer, dataclasses.replace(seen, weights=other.weights), torch.tensor([10, 20]))


def test_half_weights_are_refused_if_they_are_not_numbers():
    model = tiny("llama", torch.float16, **GROUPED)
    layer, seen = capture(model, tokens()).layers[0], attended(model, 0)
    nowhere = torch.full((6, LENGTH, LENGTH), math.nan, dtype=torch.float16)
    with pytest.raises(ConformanceError, match="are nan away"):
        conform.conforming(layer, dataclasses.replace(seen, weights=nowhere), torch.tensor([10]))


# -- tables ----------------------------------------------------------------------------------------------


def test_llama_tables_from_the_formula_in_numpy(llama):
    """Independent of the model's code: angles `base^(-2k/d)`, planes pair coordinate k with k + d/2."""
    layer, query = capture(llama, tokens()).layers[1], LENGTH - 1
    table = layer_tables(layer, query).logits.numpy()
    queries, keys = layer.queries.double().numpy(), layer.keys.double().numpy()
    angles = 1e4 ** (-2 * np.arange(8) / 16)
    complex_query = queries[..., :8] + 1j * queries[..., 8:]
    complex_keys = keys[..., :8] + 1j * keys[..., 8:]
    turns = np.exp(1j * np.subtract.outer(query, np.arange(query))[:, None] * angles)
    for head in range(6):
        products = complex_keys[head // 3, :query].conj() * complex_query[head, query]
        expected = (products @ turns.T).real / 4
        np.testing.assert_allclose(table[head], expected, atol=2e-5)


def test_keys_outside_the_window_are_left_out():
    captured = capture(tiny("gemma2", **GROUPED, sliding_window=8), tokens())
    first, second = captured.tables(20)
    assert (captured.layers[0].window, captured.layers[1].window) == (8, None)
    assert first.keys == tuple(range(13, 20))  # a window of eight counts the query itself
    assert second.keys == tuple(range(20))
    assert first.table.size == 7


def test_layers_of_one_kind_share_their_mask_and_their_angles():
    captured = capture(tiny("gemma3_text", **GROUPED, sliding_window=8, num_hidden_layers=6), tokens())
    sliding, full = captured.layers[0], captured.layers[5]
    assert captured.layers[1].visible is sliding.visible
    assert not torch.equal(sliding.cos, full.cos)
    assert not torch.equal(sliding.visible, full.visible)


def test_chosen_heads_are_rows_of_all(llama):
    captured = capture(llama, tokens())
    for whole, part in zip(captured.tables(), captured.tables(heads=[5, 0]), strict=True):
        assert (part.heads, part.query, part.layer) == ((5, 0), LENGTH - 1, whole.layer)
        assert torch.allclose(part.table.logits, whole.table.logits[[5, 0]])


def test_a_rotation_that_minus_sin_does_not_undo_is_refused(llama):
    layer = capture(llama, tokens()).layers[0]
    permuted = dataclasses.replace(layer, rotate=lambda x, cos, sin: layer.rotate(x.roll(1, -1), cos, sin))
    with pytest.raises(ConformanceError, match="LlamaForCausalLM layer 0: un-rotating query 9"):
        layer_tables(permuted, 9)


def test_queries_and_heads_that_are_not_there_are_refused(llama):
    captured = capture(llama, tokens())
    for query in (-1, LENGTH):
        with pytest.raises(InputError, match=f"query {query} is not in a text of {LENGTH} tokens"):
            layer_tables(captured.layers[0], query)
    with pytest.raises(InputError, match="sees no key before it; choose a later query"):
        layer_tables(captured.layers[0], 0)
    with pytest.raises(InputError, match="no head 6; it has heads 0 to 5"):
        layer_tables(captured.layers[0], 3, [6])
    with pytest.raises(InputError, match="no heads are chosen"):
        next(captured.tables(3, heads=[]))


# -- the pass --------------------------------------------------------------------------------------------


def rotary_of(model):
    module = transformers.models.llama.modeling_llama
    hooks = [len(part._forward_pre_hooks) for part in model.model.modules()]
    return module.apply_rotary_pos_emb, model.model.config._attn_implementation, hooks


def test_everything_is_as_before_afterwards_also_after_an_error(llama, monkeypatch):
    before = rotary_of(llama)
    capture(llama, tokens())
    assert rotary_of(llama) == before
    monkeypatch.setattr(recorder, "rotation", lambda *_: neighbours)
    with pytest.raises(ConformanceError):
        capture(llama, tokens())
    assert rotary_of(llama) == before


def test_threads_capture_apart_and_others_go_on_using_the_model(llama):
    texts = [tokens(seed=seed) for seed in range(4)]
    alone = [capture(llama, text) for text in texts]
    with torch.no_grad():
        plain = llama.model(texts[0][None]).logits
    found, errors = {}, []

    def work(number):
        try:
            if number < 4:
                found[number] = capture(llama, texts[number])
            else:
                for _ in range(20):
                    with torch.no_grad():
                        assert torch.allclose(llama.model(texts[0][None]).logits, plain, atol=1e-4)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for number, one in enumerate(alone):
        assert found[number].tokens == one.tokens
        assert all(
            torch.equal(ours.queries, theirs.queries)
            for ours, theirs in zip(found[number].layers, one.layers, strict=True)
        )


def test_no_layer_keeps_its_weights(llama):
    for layer in capture(llama, tokens()).layers:
        kept = [value for value in vars(layer).values() if isinstance(value, torch.Tensor)]
        assert all(value.shape[-2:] != (LENGTH, LENGTH) for value in kept if value is not layer.visible)
        held = [cell.cell_contents for cell in layer.rotate.__closure__]
        assert not any(isinstance(value, torch.Tensor) for value in held)


def test_no_layer_keeps_more_than_its_queries_and_keys():
    """Queries and keys that are parts of one projection do not keep all of it."""
    for layer in capture(tiny("gpt_neox"), tokens()).layers + capture(tiny("gpt2"), tokens()).layers:
        for vectors in (layer.queries, layer.keys):
            assert vectors.untyped_storage().nbytes() == vectors.nbytes


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "0 tokens has no query"),
        ([5], "1 tokens has no query"),
        ([5, VOCABULARY], f"token id {VOCABULARY} is not in the vocabulary of {VOCABULARY} tokens"),
        ([5, -1], "token id -1"),
        ([0.5, 1.0], "one row of integers"),
        ([[1, 2]], "one row of integers"),
        ("text", "token ids are integers"),
    ],
)
def test_tokens_that_are_none_are_refused(llama, ids, message):
    with pytest.raises(InputError, match=message):
        capture(llama, ids)


def test_too_long_texts_training_mode_and_other_precisions_are_refused():
    with pytest.raises(InputError, match=r"cannot take 65 tokens: .*; shorten the text"):
        capture(tiny("gptj", rotary_dim=4), tokens(65))
    model = tiny("llama", **GROUPED)
    model.model.train()
    with pytest.raises(InputError, match="training mode"):
        capture(model, tokens())
    model.model.eval().to(torch.float8_e4m3fn)
    with pytest.raises(InputError, match=r"LlamaForCausalLM is in torch\.float8_e4m3fn; load it in float32"):
        capture(model, tokens())


def test_an_error_of_the_pass_that_is_not_the_models_own_is_not_hidden(llama, monkeypatch):
    def fails(*_):
        raise ZeroDivisionError("somewhere")

    monkeypatch.setattr(recorder, "conforming", fails)
    with pytest.raises(ZeroDivisionError):
        capture(llama, tokens())


def test_float64_models_conform_too():
    model = tiny("llama", **GROUPED)
    model.model.double()
    assert capture(model, tokens()).error <= 1e-6  # softmax is float32 all the same


# -- the real model --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def real():
    return load_model(find_model())


@pytest.mark.model
@pytest.mark.parametrize("one", PROMPTS, ids=lambda one: one.name)
def test_the_real_model_conforms_on_every_prompt(real, one):
    ids = tokenize(real, one)
    assert 60 <= len(ids) <= 130
    captured = capture(real, ids)
    assert len(captured.layers) == 30
    assert captured.error <= 1e-5
    assert sum(tables.table.logits.shape == (9, len(ids) - 1, len(ids) - 1) for tables in captured.tables()) == 30


@pytest.mark.model
def test_the_real_models_weights_are_what_it_returns(real):
    ids = tokenize(real, prompt("binding"))
    captured = capture(real, ids)
    with torch.no_grad():
        attentions = real.model(ids[None], output_attentions=True, use_cache=False).attentions
    query = len(ids) - 1
    for layer in captured.layers:
        logits = used_logits(layer, query, range(query + 1))
        difference = torch.softmax(logits, -1) - attentions[layer.index][0, :, query].double()
        assert float(difference.abs().max()) <= 1e-5


@pytest.mark.model
def test_the_real_model_reads_english(real):
    """A wrong layout or a broken conversion would cost more than a factor of ten in perplexity."""
    ids = tokenize(real, prompt("story"))
    with torch.no_grad():
        loss = real.model(ids[None], labels=ids[None]).loss
    assert math.exp(float(loss)) < 40


@pytest.mark.parametrize("way", ["turn", "add", "scale"])
def test_positions_that_are_put_into_keys_besides_the_rotation_are_refused(way):
    """A rotation that is seen does not hide another use of positions."""
    model = tiny("llama", **GROUPED)
    places = torch.arange(64, dtype=torch.float32)[:, None]

    def more(_module, _inputs, output):
        count = output.shape[1]
        if way == "turn":
            return output * torch.cos(0.7 * places[:count]) + output.roll(1, -1) * torch.sin(0.7 * places[:count])
        return output + 0.1 * places[:count] if way == "add" else output * (1 + torch.log1p(places[:count]))

    for layer in model.model.model.layers:
        layer.self_attn.k_proj.register_forward_hook(more)
    with pytest.raises(
        InputError, match="layer 0 makes queries or keys of positions or other tokens besides rotating them"
    ):
        capture(model, tokens())


def test_queries_that_were_not_compared_are_not_read(llama):
    captured = capture(llama, tokens(), rows=[3, 11])
    assert next(captured.tables(11)).query == 11
    with pytest.raises(InputError, match="query 20 was not compared with the model's own"):
        next(captured.tables(20))
