"""Captured layers reproduce the models' own attention, tables are as defined, the rest is refused."""

import dataclasses
import math
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from headproof.checks.trained import conform, recorder  # noqa: E402
from headproof.checks.trained.capture import (  # noqa: E402
    ConformanceError,
    capture,
    layer_tables,
    used_logits,
    visible_keys,
)
from headproof.checks.trained.models import find_model, in_memory, load_model  # noqa: E402
from headproof.checks.trained.prompts import PROMPTS, prompt, tokenize  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

LENGTH, VOCABULARY = 24, 64
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "max_position_embeddings": 64,
    "initializer_range": 0.3,  # logits of order one: weights far from uniform
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GROUPED = {"num_key_value_heads": 2, "head_dim": 16}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "rope_theta": 1e4}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
    "rope_theta": 1e4,
}
LATENT = {
    "num_key_value_heads": 6,
    "q_lora_rank": 8,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 16,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "moe_intermediate_size": 32,
    "rope_interleave": False,
}
# What each covers beyond plain Llama stands beside it.
SUPPORTED = {
    "llama": ("llama", GROUPED),
    "llama-no-groups": ("llama", {}),
    "llama-yarn": ("llama", {**GROUPED, "rope_parameters": YARN}),  # a factor folded into cos and sin
    "llama-llama3": ("llama", {**GROUPED, "rope_parameters": LLAMA3}),  # scaled angles
    "qwen2": ("qwen2", GROUPED),  # biases
    "qwen3": ("qwen3", GROUPED),  # query and key norms
    "mistral": ("mistral", {**GROUPED, "sliding_window": 8}),
    "gemma2": (
        "gemma2",
        {**GROUPED, "sliding_window": 8, "attn_logit_softcapping": 2.0},
    ),  # windows in turn, cap
    "gemma3": ("gemma3_text", {**GROUPED, "sliding_window": 8, "num_hidden_layers": 6}),  # two bases
    "gptj": ("gptj", {"rotary_dim": 4}),  # neighbours, partial, two calls, heads after positions
    "gpt_neox": ("gpt_neox", {}),  # partial, fused projection
    "glm": ("glm", GROUPED),  # neighbours with half-width cos, partial inside the function
    "cohere": ("cohere", GROUPED),  # neighbours, rotated in float32
    "phi": ("phi", GROUPED),  # partial
    "deepseek_v3": ("deepseek_v3", LATENT),  # last coordinates rotate, one rotary key for all heads
}


def tiny(kind, **sizes):
    """A random model of a few thousand weights, with logits large enough to tell layouts apart."""
    config = transformers.AutoConfig.for_model(kind, **{**SIZES, **sizes})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        module = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    return in_memory(module, kind)


def tokens(length=LENGTH, seed=0):
    return torch.randint(3, VOCABULARY, (length,), generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Tiny tensors are faster on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def llama():
    return tiny("llama", **GROUPED)


@pytest.fixture(scope="module", params=SUPPORTED)
def model(request):
    kind, sizes = SUPPORTED[request.param]
    return tiny(kind, **sizes)


# -- conformance -----------------------------------------------------------------------------------------


def test_the_captured_pass_is_the_ordinary_eager_pass(model):
    seen = []
    base = model.model.base_model
    hook = base.register_forward_hook(lambda _module, _inputs, output: seen.append(output.last_hidden_state))
    try:
        captured = capture(model, tokens())
        with torch.no_grad():
            base(input_ids=tokens()[None], use_cache=False)
    finally:
        hook.remove()
    assert torch.equal(*seen)
    assert len(captured.layers) == model.layers
    assert captured.error <= 1e-5


def test_rebuilt_weights_are_the_attentions_that_the_eager_model_returns(model):
    captured = capture(model, tokens())
    with torch.no_grad():
        attentions = model.model(tokens()[None], output_attentions=True, use_cache=False).attentions
    for layer in captured.layers:
        for query in (0, 1, 13, LENGTH - 1):
            keys = (*(visible_keys(layer, query) if query else ()), query)
            logits = used_logits(layer, query, keys)
            if layer.softcap:
                logits = layer.softcap * torch.tanh(logits / layer.softcap)
            weights = torch.zeros(layer.heads, LENGTH, dtype=torch.float64)
            weights[:, keys] = torch.softmax(logits, dim=-1)
            assert torch.allclose(weights, attentions[layer.index][0, :, query].double(), rtol=0, atol=1e-5)


def test_the_models_are_far_from_uniform_attention(model):
    # Otherwise a wrong logit would hardly move a weight, and the tests above would say little.
    layer = capture(model, tokens()).layers[0]
    logits = used_logits(layer, LENGTH - 1, visible_keys(layer, LENGTH - 1))
    assert float(logits.std()) > 0.05


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"rotate": neighbours},
        {"scaling": 0.2501},
        {"softcap": 3.0},
        {"visible": torch.ones(LENGTH, LENGTH, dtype=torch.bool)},
        {"visible": torch.eye(LENGTH, dtype=torch.bool)},
    ],
    ids=["layout", "scaling", "cap", "mask", "window"],
)
def test_weights_tell_a_layer_that_is_captured_wrongly(llama, wrong):
    layer = capture(llama, tokens()).layers[0]
    with torch.no_grad():
        weights = llama.model(tokens()[None], output_attentions=True).attentions[0][0]
    layer = dataclasses.replace(layer, **wrong)
    everywhere = slice(0, LENGTH)
    # The rotated vectors are taken from the wrong layer itself, so that only the weights can tell.
    query, key = (conform.turn(layer, vectors, everywhere) for vectors in (layer.queries, layer.keys))
    with pytest.raises(ConformanceError, match="LlamaForCausalLM layer 0: attention weights rebuilt"):
        conform.conforming(layer, query, key, weights)


def test_weights_that_are_not_numbers_do_not_conform(llama):
    layer = capture(llama, tokens()).layers[0]
    query, key = (conform.turn(layer, vectors, slice(0, LENGTH)) for vectors in (layer.queries, layer.keys))
    with pytest.raises(ConformanceError, match="nan away"):
        conform.conforming(layer, query, key, torch.full((6, LENGTH, LENGTH), math.nan))


def test_blocks_of_rows_cover_every_query(llama, monkeypatch):
    whole = capture(llama, tokens())
    monkeypatch.setattr(conform, "BLOCK_ENTRIES", 6 * LENGTH * 5)  # five rows a block, and a shorter last one
    assert [layer.error for layer in capture(llama, tokens()).layers] == pytest.approx(
        [layer.error for layer in whole.layers], rel=1e-6
    )


# -- tables ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [1, 11, LENGTH - 1])
def test_a_table_holds_each_content_rotated_to_each_position(model, query):
    for layer in capture(model, tokens()).layers:
        keys = list(visible_keys(layer, query))
        table = layer_tables(layer, query).logits
        assert table.dtype == torch.float64
        assert table.shape == (layer.heads, len(keys), len(keys))
        rotated_query = conform.turn(layer, layer.queries[:, query : query + 1], slice(query, query + 1))
        group = layer.heads // layer.keys.shape[0]
        for place, position in enumerate(keys):
            # By the definition: every content is put at the position and rotated there.
            moved = conform.turn(layer, layer.keys[:, keys], slice(position, position + 1)).repeat_interleave(
                group, dim=0
            )
            column = layer.scaling * (moved @ rotated_query.transpose(1, 2))[..., 0]
            assert torch.allclose(table[:, :, place], column, rtol=1e-5, atol=1e-5)
        assert torch.allclose(
            torch.diagonal(table, dim1=1, dim2=2), used_logits(layer, query, keys), rtol=1e-5, atol=1e-5
        )


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
    return module.apply_rotary_pos_emb, model.model.config._attn_implementation


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


@pytest.mark.parametrize(
    ("kind", "sizes", "message"),
    [
        ("gpt2", {}, "GPT2LMHeadModel is not supported: GPT2Attention has no rotary positions"),
        ("bloom", {}, "BloomForCausalLM is not supported: BloomAttention has no rotary positions"),
        ("falcon", {}, "FalconForCausalLM is not supported: FalconAttention has no eager attention"),
        ("mamba", {}, "MambaForCausalLM is not supported: it has no attention layers"),
        ("llama4_text", GROUPED, "Llama4ForCausalLM is not supported"),
        ("gpt_oss", {**GROUPED, "num_local_experts": 2}, "layer 0 has attention sinks as extra logits"),
        ("hunyuan_v1_dense", GROUPED, "layer 0 does not attend to what its rotary function returned"),
        ("smollm3", {**GROUPED, "no_rope_layers": [1, 0]}, "layer 1 attends without apply_rotary_pos_emb"),
    ],
)
def test_other_architectures_are_refused_by_name(kind, sizes, message):
    with pytest.raises(InputError, match=message) as caught:
        capture(tiny(kind, **sizes), tokens())
    assert "\n" not in str(caught.value)


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


def test_too_long_texts_training_mode_and_half_precision_are_refused():
    with pytest.raises(InputError, match=r"cannot take 65 tokens: .*; shorten the text"):
        capture(tiny("gptj", rotary_dim=4), tokens(65))
    model = tiny("llama", **GROUPED)
    model.model.train()
    with pytest.raises(InputError, match="training mode"):
        capture(model, tokens())
    model.model.eval().to(torch.bfloat16)
    with pytest.raises(InputError, match=r"torch\.bfloat16; load it in float32"):
        capture(model, tokens())


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
