"""Architectures: each captured as its own eager pass attends, in every precision; the others refused by name."""

import dataclasses

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from headproof.checks.trained import conform, recorder  # noqa: E402
from headproof.checks.trained.capture import (  # noqa: E402
    ConformanceError,
    capture,
    check_rows,
    layer_tables,
    used_logits,
    visible_keys,
)
from headproof.checks.trained.models import in_memory  # noqa: E402
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
SLIDING = {**GROUPED, "sliding_window": 8}
FOUR = {"num_hidden_layers": 4}
EXPERTS = {"num_local_experts": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
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
    "head_dim": 8,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "moe_intermediate_size": 32,
}
DELTA = {"linear_num_key_heads": 2, "linear_num_value_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8}
ALTUP = {"layer_types": ["sliding_attention", "full_attention"], "hidden_size_per_layer_input": 8, "laurel_rank": 8}
ALTUP |= {"num_kv_shared_layers": 0, "activation_sparsity_pattern": [0.0, 0.0], "altup_num_inputs": 2}
ALTUP |= {"vocab_size_per_layer_input": VOCABULARY}
JAMBA = {"attn_layer_period": 2, "attn_layer_offset": 1, "mamba_dt_rank": 4, "use_mamba_kernels": False}
# What each covers beyond plain Llama stands beside it.
ROTATING = {
    "llama": ("llama", GROUPED),
    "llama-no-groups": ("llama", {}),
    "llama-yarn": ("llama", {**GROUPED, "rope_parameters": YARN}),  # a factor folded into cos and sin
    "llama-llama3": ("llama", {**GROUPED, "rope_parameters": LLAMA3}),  # scaled angles
    "qwen2": ("qwen2", GROUPED),  # biases
    "qwen3": ("qwen3", GROUPED),  # query and key norms
    "mistral": ("mistral", SLIDING),
    "mixtral": ("mixtral", {**GROUPED, **EXPERTS}),
    "gemma2": ("gemma2", {**SLIDING, "attn_logit_softcapping": 2.0}),  # windows in turn, cap
    "gemma3": ("gemma3_text", {**SLIDING, "num_hidden_layers": 6}),  # two bases
    "gemma3n": ("gemma3n_text", {**SLIDING, **ALTUP}),  # a call for queries and one for keys
    "gptj": ("gptj", {"rotary_dim": 4}),  # neighbours, partial, two calls, heads after positions
    "codegen": ("codegen", {"rotary_dim": 4}),  # the same in a fused projection for four devices
    "gpt_neox": ("gpt_neox", {}),  # partial, fused projection
    "glm": ("glm", GROUPED),  # neighbours with half-width cos, partial inside the function
    "cohere": ("cohere", GROUPED),  # neighbours, rotated in float32
    "ernie4_5": ("ernie4_5", GROUPED),  # neighbours with half-width cos, in float32
    "helium": ("helium", {"num_attention_heads": 3, "num_key_value_heads": 3, "head_dim": 16}),
    "phi": ("phi", GROUPED),  # partial
    "phi3": ("phi3", GROUPED),  # one projection for queries, keys and values
    "persimmon": ("persimmon", {}),  # partial, norms, three in one projection
    "stablelm": ("stablelm", {"num_key_value_heads": 2}),  # a quarter of the coordinates
    "nemotron": ("nemotron", GROUPED),
    "olmo2": ("olmo2", {"num_key_value_heads": 2}),  # norms over all heads
    "starcoder2": ("starcoder2", {"num_key_value_heads": 2, "sliding_window": 8}),
    "granite": ("granite", {"num_key_value_heads": 2, "attention_multiplier": 0.2}),  # its own scaling
    "modernbert": ("modernbert-decoder", {"sliding_window": 8}),
    "jetmoe": ("jetmoe", {"num_key_value_heads": 2, "kv_channels": 16, **EXPERTS}),  # keys stand there repeatedly
    "deepseek_v3": ("deepseek_v3", {**LATENT, "rope_interleave": False}),  # last coordinates, one key for all heads
    "deepseek_v3-pairs": ("deepseek_v3", LATENT),  # pairs come out as halves
    "deepseek_v2": ("deepseek_v2", LATENT),  # complex numbers
    "llama4": ("llama4_text", {**GROUPED, **EXPERTS, **FOUR}),  # complex numbers, norms after rotation
    "nanochat": ("nanochat", GROUPED),  # the other way round, norms after rotation
    "hunyuan": ("hunyuan_v1_dense", GROUPED),  # norms after rotation that have weights, all alike
    "qwen3_next": ("qwen3_next", {**GROUPED, **FOUR, **EXPERTS, **DELTA}),  # only the last layer attends
}
STILL = {
    "gpt2": ("gpt2", {}),
    "opt": ("opt", {"ffn_dim": 64, "word_embed_proj_dim": 48, "init_std": 0.3}),  # scales its queries itself
    "gpt_bigcode": ("gpt_bigcode", {}),  # one key head
    "bert": ("bert", {"is_decoder": True}),
    "biogpt": ("biogpt", {}),
    "ctrl": ("ctrl", {"n_embd": 48, "dff": 64}),  # hidden states given three times
    "smollm3": ("smollm3", {**GROUPED, "no_rope_layers": [1, 0]}),
    "cohere2": ("cohere2", {**SLIDING, **FOUR}),  # sliding layers rotate, full ones do not
    "exaone4": ("exaone4", {"num_key_value_heads": 2, "sliding_window": 8, **FOUR}),
    "jamba": ("jamba", {"num_key_value_heads": 2, **JAMBA}),  # layers without heads between
}
SUPPORTED = ROTATING | STILL


def tiny(kind, dtype=None, **sizes):
    """A random model of a few thousand weights, with logits large enough to tell layouts apart."""
    config = transformers.AutoConfig.for_model(kind, **{**SIZES, **sizes})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        module = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    return in_memory(module.to(dtype or torch.float32), kind)


def tokens(length=LENGTH, seed=0):
    return torch.randint(3, VOCABULARY, (length,), generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Tiny tensors are faster on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module", params=SUPPORTED)
def model(request):
    kind, sizes = SUPPORTED[request.param]
    return tiny(kind, **sizes)


def test_at_least_fifteen_architectures_are_tried():
    assert len({kind for kind, _ in SUPPORTED.values()}) >= 15


# -- what conforms ---------------------------------------------------------------------------------------


def test_the_captured_pass_is_the_ordinary_eager_pass(model):
    seen = []
    base = model.model.base_model
    hook = base.register_forward_hook(lambda _module, _inputs, output: seen.append(output[0]))
    try:
        captured = capture(model, tokens())
        with torch.no_grad():
            base(input_ids=tokens()[None], use_cache=False)
    finally:
        hook.remove()
    assert torch.equal(*seen)
    assert captured.error <= 1e-5
    assert captured.rows == LENGTH
    assert all(layer.rounding == 0 for layer in captured.layers)


def test_rebuilt_weights_are_the_attentions_that_the_eager_model_returns(model):
    captured = capture(model, tokens())
    with torch.no_grad():
        attentions = model.model(tokens()[None], output_attentions=True, use_cache=False).attentions
    given = [one for one in attentions if one is not None]
    assert len(given) == len(captured.layers)
    for layer, weights in zip(captured.layers, given, strict=True):
        for query in (0, 1, 13, LENGTH - 1):
            keys = (*(visible_keys(layer, query) if query else ()), query)
            logits = used_logits(layer, query, keys)
            if layer.softcap:
                logits = layer.softcap * torch.tanh(logits / layer.softcap)
            rebuilt = torch.zeros(layer.heads, LENGTH, dtype=torch.float64)
            rebuilt[:, keys] = torch.softmax(logits, dim=-1)
            assert torch.allclose(rebuilt, weights[0, :, query].double(), rtol=0, atol=1e-5)


def test_the_models_are_far_from_uniform_attention(model):
    # Otherwise a wrong logit would hardly move a weight, and the tests above would say little.
    layer = capture(model, tokens()).layers[0]
    logits = used_logits(layer, LENGTH - 1, visible_keys(layer, LENGTH - 1))
    assert float(logits.std()) > 0.05


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


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("name", [name for name in SUPPORTED if name not in ("nanochat", "hunyuan")])
def test_half_precision_conforms_to_its_own_function_in_float32(name, dtype):
    kind, sizes = SUPPORTED[name]
    captured = capture(tiny(kind, dtype, **sizes), tokens(), rows=check_rows(LENGTH, [11], 8))
    assert captured.error <= 1e-5
    for layer in captured.layers:
        assert layer.queries.dtype == dtype
        assert 0 < layer.rounding < 0.2
        layer_tables(layer, LENGTH - 1)


@pytest.mark.parametrize("name", ["nanochat", "hunyuan"])
def test_norms_after_a_rotation_by_rounded_angles_do_not_go_with_it(name):
    """In half precision cos^2 + sin^2 is one only roughly, so a norm taken afterwards depends on the position."""
    kind, sizes = SUPPORTED[name]
    with pytest.raises(InputError, match="layer 0 turns queries and keys in an unknown way; load it in float32"):
        capture(tiny(kind, torch.bfloat16, **sizes), tokens())


# -- what is refused -------------------------------------------------------------------------------------


def wrong(monkeypatch, change):
    """Let every layer be captured with a change."""
    right = conform.conforming
    monkeypatch.setattr(
        recorder, "conforming", lambda layer, *rest: right(dataclasses.replace(layer, **change(layer)), *rest)
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", SUPPORTED)
def test_a_scaling_that_is_a_fifth_too_large_is_refused(name, dtype, monkeypatch):
    kind, sizes = SUPPORTED[name]
    model = tiny(kind, dtype, **sizes)
    wrong(monkeypatch, lambda layer: {"scaling": 1.2 * layer.scaling})
    with pytest.raises(ConformanceError, match=r"attention weights rebuilt .* away from the model's own"):
        capture(model, tokens(), rows=check_rows(LENGTH, [11], 4))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ROTATING)
def test_coordinates_in_another_order_are_refused(name, dtype, monkeypatch):
    kind, sizes = ROTATING[name]
    model = tiny(kind, dtype, **sizes)

    def mixed(layer):
        return {"rotate": lambda x, cos, sin: layer.rotate(x.roll(1, -1), cos, sin).roll(-1, -1)}

    wrong(monkeypatch, mixed)
    with pytest.raises(ConformanceError, match="wrong rotary layout"):
        capture(model, tokens(), rows=[3])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ROTATING)
def test_a_rotation_that_is_not_seen_is_not_taken_for_none(name, dtype, monkeypatch):
    """As if the function had another name: without the test of the reversed text every model here would pass."""
    kind, sizes = ROTATING[name]
    model = tiny(kind, dtype, **sizes)
    monkeypatch.setattr(recorder, "ROTARY", ())
    for length in (2, LENGTH):
        with pytest.raises(InputError, match=r"is not supported: layer \d turns queries and keys in an unknown way"):
            capture(model, tokens(length))


@pytest.mark.parametrize("name", STILL)
def test_layers_without_rotation_have_tables_that_do_not_depend_on_the_position(name):
    kind, sizes = STILL[name]
    layers = capture(tiny(kind, **sizes), tokens()).layers
    assert not layers[-1].rotates
    for layer in layers:
        table = layer_tables(layer, 11).logits
        assert torch.equal(table, table[:, :, :1].expand_as(table)) is not layer.rotates
        if not layer.rotates:
            assert (layer.rotary, layer.cos.shape, layer.sin.shape) == (slice(0, 0), (LENGTH, 0), (LENGTH, 0))
            assert torch.equal(torch.diagonal(table, dim1=1, dim2=2), used_logits(layer, 11, visible_keys(layer, 11)))
            assert torch.equal(conform.turn(layer, layer.keys, slice(0, LENGTH)), layer.keys.double())


def test_which_layers_rotate():
    assert [layer.rotates for layer in capture(tiny("smollm3", **STILL["smollm3"][1]), tokens()).layers] == [
        True,
        False,
    ]
    assert [layer.rotates for layer in capture(tiny("cohere2", **STILL["cohere2"][1]), tokens()).layers] == [
        True
    ] * 3 + [False]


def test_only_layers_without_a_seen_rotation_attend_again(monkeypatch):
    tried = []
    again = recorder.depends_on_position
    monkeypatch.setattr(
        recorder,
        "depends_on_position",
        lambda call, *rest: (tried.append(call.module.layer_idx), again(call, *rest))[1],
    )
    capture(tiny("cohere2", **STILL["cohere2"][1]), tokens())
    assert tried == [3]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("part", ["queries", "keys"])
def test_a_slight_dependence_on_the_position_is_told(part, dtype, monkeypatch):
    """A thousandth in one of the two, far below what half precision would show."""
    model = tiny("gpt2", dtype)
    columns = slice(0, 48) if part == "queries" else slice(48, 96)
    growing = 1 + 1e-3 * torch.arange(LENGTH, dtype=torch.float32)[None, :, None] / LENGTH

    def scaled(_module, _inputs, output):
        output = output.clone()
        output[..., columns] = (output[..., columns] * growing).to(output.dtype)
        return output

    model.model.transformer.h[1].attn.c_attn.register_forward_hook(scaled)
    with pytest.raises(InputError, match="GPT2LMHeadModel is not supported: layer 1 turns queries and keys"):
        capture(model, tokens())


@pytest.mark.parametrize("part", ["query_layernorm", "key_layernorm"])
def test_a_norm_after_rotation_that_does_not_go_with_it_is_refused(part):
    """Its weights differ from one coordinate of a plane to the other, so it depends on where the plane has turned."""
    model = tiny("hunyuan_v1_dense", **GROUPED)
    weight = getattr(model.model.model.layers[1].self_attn, part).weight
    with torch.no_grad():
        weight[3] += 0.01
    with pytest.raises(InputError, match="HunYuanDenseV1ForCausalLM is not supported: layer 1 turns queries and keys"):
        capture(model, tokens())


def test_an_attention_that_fails_on_the_reversed_text_is_refused(monkeypatch):
    model = tiny("gpt2")
    first = model.model.transformer.h[0].attn
    forward = first.forward
    calls = []

    def once(*args, **kwargs):
        calls.append(1)
        if len(calls) > 1:
            raise ValueError("once is enough")
        return forward(*args, **kwargs)

    monkeypatch.setattr(first, "forward", once)
    with pytest.raises(InputError, match=r"layer 0 cannot attend again \(ValueError\)"):
        capture(model, tokens())


DOGE = {"num_key_value_heads": 2}
LINEAR = {"layer_types": ["linear_attention", "full_attention"]}


@pytest.mark.parametrize(
    ("kind", "sizes", "message"),
    [
        ("bloom", {}, "BloomForCausalLM is not supported: BloomAttention has no eager attention function"),
        ("mpt", {"d_model": 48, "n_heads": 6}, "MptForCausalLM is not supported: MptAttention has no eager attention"),
        ("falcon", {}, "FalconForCausalLM is not supported: FalconAttention has no eager attention function"),
        ("mamba", {}, "MambaForCausalLM is not supported: it has no attention layers"),
        ("minimax", {**GROUPED, **EXPERTS, **LINEAR}, "MiniMaxLightningAttention has no eager attention function"),
        ("bart", {"d_model": 48, "decoder_attention_heads": 6}, "several attentions share one layer index"),
        ("gpt_oss", {**GROUPED, **EXPERTS}, "GptOssForCausalLM is not supported: GptOssAttention has attention sinks"),
        ("bert", {}, "BertLMHeadModel is not supported: layer 0 attends without a causal mask"),
        ("doge", DOGE, "DogeForCausalLM is not supported: layer 0 adds a bias to its logits"),
        ("diffllama", GROUPED, "DiffLlamaForCausalLM is not supported: layer 0 attends more than once in a pass"),
        ("dory", GROUPED, "DoryForCausalLM is not supported: layer 0 does not attend to what its rotary function"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)  # fmt: skip
def test_other_architectures_are_refused_by_name(kind, sizes, message):
    with pytest.raises(InputError, match=message) as caught:
        capture(tiny(kind, **sizes), tokens())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda q, k, cos, sin: (q * cos[:, None], k * cos[:, None], k), "its rotary function takes q, k, cos, sin"),
        (
            lambda q, k, cos, sin: (q * (cos + sin)[:, None] + 1, k * (cos + sin)[:, None] + 1),
            "changes vectors at angle",
        ),
    ],
    ids=["returns more", "shifts"],
)
def test_rotary_functions_that_are_not_understood_are_refused_by_name(change, message, monkeypatch):
    model = tiny("llama", **GROUPED)
    code = transformers.models.llama.modeling_llama

    def apply_rotary_pos_emb(q, k, cos, sin):
        return change(q, k, cos, sin)

    monkeypatch.setattr(code, "apply_rotary_pos_emb", apply_rotary_pos_emb)
    with pytest.raises(InputError, match=f"LlamaForCausalLM is not supported: .*{message}"):
        capture(model, tokens())


def test_what_a_model_does_not_take_is_told_in_one_line():
    sizes = {"languages": ["en_XX"], "is_decoder": True, "adapter_reduction_factor": 2}
    with pytest.raises(InputError, match="XmodForCausalLM cannot take 24 tokens: Input language unknown") as caught:
        capture(tiny("xmod", **sizes), tokens())
    assert "\n" not in str(caught.value)
