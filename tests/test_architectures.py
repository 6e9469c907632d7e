"""Architectures: each captured as its own eager pass attends, in every precision; the others refused by name."""

import dataclasses

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from zoo import EXPERTS, GROUPED, LENGTH, ROTATING, STILL, SUPPORTED, tiny, tokens  # noqa: E402

from headproof.checks.trained import conform, recorder, watching  # noqa: E402
from headproof.checks.trained.capture import (  # noqa: E402
    ConformanceError,
    capture,
    check_rows,
    layer_tables,
    used_logits,
    visible_keys,
)
from headproof.theory.errors import InputError  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


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
    monkeypatch.setattr(watching, "ROTARY", ())
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
