"""Steered passes: unsteered they are the model's own, steered they are what a dense computation gives."""

import dataclasses
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from zoo import GROUPED, LENGTH, ROTATING, SLIDING, STILL, SUPPORTED, tiny, tokens  # noqa: E402

from headproof.checks.trained import attending, watching  # noqa: E402
from headproof.checks.trained.capture import capture  # noqa: E402
from headproof.checks.trained.conform import ConformanceError, turn  # noqa: E402
from headproof.checks.trained.steering import Steering, require_conforming  # noqa: E402
from headproof.theory.errors import InputError  # noqa: E402

STEERED = [*ROTATING, "smollm3", "cohere2", "exaone4"]  # the last three rotate in some layers
EVERY = range(LENGTH - 1)
SWAPPED = [0, 1, 2, 7, 4, 5, 6, 3, *range(8, 15), 19, 16, 17, 18, 15, *range(20, LENGTH)]
MODES = {
    "order": Steering(),
    "indices": Steering.indices(SWAPPED),
    "features": Steering.features(SWAPPED),
    "window": Steering(window=5),
    "sink": Steering(window=5, sink=2),
    "cap": Steering(cap=6),
    "far sink": Steering(window=5, sink=2, cap=6),
    "no distance": Steering(cap=0),
}


pytestmark = pytest.mark.usefixtures("one_thread")


def steerer(name):
    kind, sizes = SUPPORTED[name]
    return require_conforming(tiny(kind, **sizes), tokens())


@pytest.fixture(scope="module")
def llama():
    return steerer("llama")


@pytest.fixture(scope="module")
def gemma():
    return steerer("gemma2")


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-4)


# -- without steering ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STEERED)
def test_unsteered_passes_predict_as_the_model_itself(name):
    made = steerer(name)
    with torch.no_grad():
        logits = made.model.model(tokens()[None], use_cache=False).logits[0].double()
    own = -torch.log_softmax(logits, -1)[torch.arange(LENGTH - 1), tokens()[1:]].numpy()
    assert 0 <= made.error <= made.tolerance < 1e-3
    for chunk in (LENGTH, 7, 2):
        np.testing.assert_allclose(made.run(tokens(), predict=EVERY, chunk=chunk).nll, own, rtol=0, atol=made.tolerance)


@pytest.mark.parametrize("name", STEERED)
def test_steering_makes_a_difference_everywhere(name):
    """Otherwise attention would not go through our hands."""
    made = steerer(name)
    own = made.run(tokens(), predict=EVERY).nll
    for mode in ("indices", "features", "window", "cap"):
        apart = np.abs(made.run(tokens(), MODES[mode], predict=EVERY).nll - own)
        assert apart[:2].max() <= made.tolerance  # nothing before the third token has moved
        assert apart.max() > 10 * made.tolerance


def test_outputs_are_what_the_output_projection_gets(gemma):
    got = {}

    def note(module, given):
        got[module] = given[0][0].reshape(LENGTH, 6, 16).transpose(0, 1)

    layers = [layer.module for layer in gemma.layers]
    hooks = [module.o_proj.register_forward_pre_hook(note) for module in layers]
    with torch.no_grad():
        gemma.model.model(tokens()[None], use_cache=False)
    for hook in hooks:
        hook.remove()
    ran = gemma.run(tokens(), outputs=[2, 3, 9, 23], chunk=4)
    for layer in gemma.layers:
        assert ran.outputs[layer.index].dtype == np.float32
        np.testing.assert_allclose(
            ran.outputs[layer.index], got[layer.module.o_proj][:, [2, 3, 9, 23]].numpy(), rtol=0, atol=1e-5
        )


def test_the_model_is_told_the_texts_own_positions_and_is_as_before_afterwards(llama):
    module = transformers.models.llama.modeling_llama
    before = module.apply_rotary_pos_emb, llama.model.model.config._attn_implementation
    told = []
    hook = llama.model.model.base_model.register_forward_pre_hook(
        lambda module, args, given: told.extend(given["position_ids"][0].tolist()), with_kwargs=True
    )
    llama.run(tokens(), Steering.indices(SWAPPED), predict=EVERY, chunk=10)
    hook.remove()
    assert told == list(range(LENGTH))
    assert (module.apply_rotary_pos_emb, llama.model.model.config._attn_implementation) == before


# -- against a dense computation -----------------------------------------------------------------------------------


def distances(mode, length=LENGTH):
    """Which distance each pair of a query and a key has, and which it sees, as the modes are defined."""
    queries, keys = np.arange(length)[:, None], np.arange(length)[None]
    order = queries - keys
    visible = order >= 0
    if mode.window is not None:
        visible &= (order < mode.window) | (keys < mode.sink)
    if mode.queries is not None:
        queries = np.array(mode.queries)[:length, None]
    if mode.keys is not None:
        keys = np.array(mode.keys)[None, :length]
    apart = queries - keys
    return (apart if mode.cap is None else np.minimum(apart, mode.cap)), visible


def llama_in_float64(module, ids, apart, visible):
    """A Llama written down once more, without any of the model's code: log-likelihoods `(T, vocabulary)`."""
    w = {name: values.detach().double() for name, values in module.state_dict().items()}
    turns = torch.exp(1j * torch.tensor(apart)[..., None] * 1e4 ** (-2 * torch.arange(8, dtype=torch.float64) / 16))

    def norm(x, name):
        return x / (x.square().mean(-1, keepdim=True) + module.config.rms_norm_eps).sqrt() * w[f"{name}.weight"]

    def heads(x, name):
        return (x @ w[f"{name}.weight"].T).view(len(ids), -1, 16)

    def planes(vectors):
        return torch.complex(vectors[..., :8], vectors[..., 8:])

    x = w["model.embed_tokens.weight"][ids]
    for layer in range(module.config.num_hidden_layers):
        name = f"model.layers.{layer}"
        y = norm(x, f"{name}.input_layernorm")
        q, k, v = (heads(y, f"{name}.self_attn.{part}_proj") for part in "qkv")
        k, v = k.repeat_interleave(3, 1), v.repeat_interleave(3, 1)
        logits = torch.einsum("ihp,jhp,ijp->hij", planes(q), planes(k).conj(), turns).real / 4
        weights = torch.softmax(logits.masked_fill(~torch.tensor(visible), -math.inf), -1)
        summed = torch.einsum("hij,jhd->ihd", weights, v).reshape(len(ids), -1)
        x = x + summed @ w[f"{name}.self_attn.o_proj.weight"].T
        y = norm(x, f"{name}.post_attention_layernorm")
        gate, up = (y @ w[f"{name}.mlp.{part}_proj.weight"].T for part in ("gate", "up"))
        x = x + (torch.nn.functional.silu(gate) * up) @ w[f"{name}.mlp.down_proj.weight"].T
    return torch.log_softmax(norm(x, "model.norm") @ w["lm_head.weight"].T, -1)


@pytest.mark.parametrize("chunk", [LENGTH, 5])
@pytest.mark.parametrize("mode", MODES)
def test_a_whole_llama_in_every_mode(mode, chunk, llama):
    dense = llama_in_float64(llama.model.model, tokens(), *distances(MODES[mode]))
    expected = -dense[torch.arange(LENGTH - 1), tokens()[1:]].numpy()
    close(llama.run(tokens(), MODES[mode], predict=EVERY, chunk=chunk).nll, expected)


def first_layer(made, mode):
    """Outputs of the first layer that rotates, from what was captured in order: nothing before it is steered."""
    captured = capture(made.model, torch.cat((tokens(), tokens(seed=1))))  # distances of twice the length occur
    layer = next(layer for layer in captured.layers if layer.rotates)
    apart, visible = distances(mode)
    visible = torch.tensor(visible) & layer.visible[:LENGTH, :LENGTH]
    shift = max(0, -int(apart.min()))
    start = turn(layer, layer.keys[:, :LENGTH], [shift] * LENGTH)  # the distance is all that counts
    logits = torch.empty(layer.heads, LENGTH, LENGTH, dtype=torch.float64)
    for place in sorted(set((apart + shift).flatten().tolist())):
        asked = turn(layer, layer.queries[:, :LENGTH], [place] * LENGTH)
        here = layer.scaling * asked @ start.repeat_interleave(layer.heads // len(start), 0).transpose(1, 2)
        logits = torch.where(torch.tensor(apart + shift == place), here, logits)
    if layer.softcap is not None:
        logits = layer.softcap * torch.tanh(logits / layer.softcap)
    return layer, torch.softmax(logits.masked_fill(~visible, -math.inf), -1)


@pytest.mark.parametrize("mode", ["indices", "features", "sink", "cap"])
@pytest.mark.parametrize("name", STEERED)
def test_the_first_rotating_layer_of_every_architecture(name, mode, monkeypatch):
    """Weights rebuilt in float64 from the captured layer, with values that show them: one column of weights each."""
    made = steerer(name)
    layer, weights = first_layer(made, MODES[mode])
    own = attending.attention

    def shown(queries, stored, *rest):
        group = stored.turned.shape[0]
        eye = torch.eye(LENGTH)[stored.first : stored.first + stored.turned.shape[1]]
        shows.append(own(queries, dataclasses.replace(stored, values=eye.expand(group, -1, -1)), *rest))
        return own(queries, stored, *rest)

    shows = []
    monkeypatch.setattr(attending, "attention", shown)
    made.run(tokens(), MODES[mode])
    number = [one.index for one in made.layers].index(layer.index)
    np.testing.assert_allclose(shows[number].numpy(), weights.numpy(), rtol=0, atol=2e-5)


# -- invariances ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["llama", "gemma3", "glm", "gptj", "deepseek_v2"])
def test_shifting_all_positions_changes_nothing(name):
    made = steerer(name)
    own = made.run(tokens(), predict=EVERY).nll
    for shift in (1, 30):
        close(made.run(tokens(), Steering.indices(range(shift, LENGTH + shift)), predict=EVERY).nll, own)
    assert np.abs(made.run(tokens(), Steering.features(range(1, LENGTH + 1)), predict=EVERY).nll - own).max() > 1e-2


def test_exchanging_positions_twice_is_the_identity(llama):
    once = Steering.indices(SWAPPED)
    twice = Steering.indices([SWAPPED[place] for place in SWAPPED])
    own = llama.run(tokens(), predict=EVERY).nll
    assert np.array_equal(llama.run(tokens(), twice, predict=EVERY).nll, own)
    assert not np.allclose(llama.run(tokens(), once, predict=EVERY).nll, own, atol=1e-2)


@pytest.mark.parametrize("name", ["llama", "gemma3"])
@pytest.mark.parametrize("mode", MODES)
def test_chunks_change_nothing_and_neither_does_a_past(name, mode, monkeypatch):
    made, wanted = steerer(name), [0, 6, 7, 20]
    whole = made.run(tokens(), MODES[mode], predict=EVERY, outputs=wanted, chunk=LENGTH)
    monkeypatch.setattr(attending, "BLOCK_ENTRIES", 40)  # a row or two a block
    for chunk in (2, 7):
        parts = made.run(tokens(), MODES[mode], predict=EVERY, outputs=wanted, chunk=chunk)
        close(parts.nll, whole.nll)
        for index, outputs in whole.outputs.items():
            close(parts.outputs[index], outputs)
    before = made.run(tokens()[:9], MODES[mode], predict=range(8), chunk=4)
    for _ in range(2):  # the past is not changed
        after = made.run(tokens()[9:], MODES[mode], before.past, predict=range(9, LENGTH - 1), chunk=7)
        close(np.concatenate([before.nll, after.nll]), np.delete(whole.nll, 8))
    assert before.past.length == 9
    assert after.past.length == LENGTH


@pytest.mark.parametrize("wide", [Steering(window=LENGTH), Steering(window=LENGTH, sink=3), Steering(cap=LENGTH - 1)])
def test_windows_and_caps_as_wide_as_the_text_change_nothing(wide, llama):
    assert np.array_equal(llama.run(tokens(), wide, predict=EVERY).nll, llama.run(tokens(), predict=EVERY).nll)


def test_sliding_layers_keep_their_window_and_store_no_more(gemma):
    """The first layer sees eight keys, the second all: a wide window changes neither, a sink not the first."""
    ran = gemma.run(tokens(), chunk=5)
    assert [layer.first for layer in ran.past.layers.values()] == [LENGTH - 7, 0]
    wide = gemma.run(tokens(), Steering(window=12, sink=3), outputs=EVERY)
    own = gemma.run(tokens(), outputs=EVERY)
    assert np.array_equal(wide.outputs[0], own.outputs[0])
    assert not np.allclose(wide.outputs[1], own.outputs[1], atol=1e-3)
    narrow = gemma.run(tokens(), Steering(window=3), outputs=EVERY)
    assert not np.allclose(narrow.outputs[0], own.outputs[0], atol=1e-3)


def test_positions_beyond_the_text_and_probes_for_them(llama):
    made = require_conforming(llama.model, tokens())
    assert {angles.length for angles in made.angles.values()} == {LENGTH}
    far = [*range(LENGTH - 1), 63]
    nll = made.run(tokens(), Steering.indices(far), predict=EVERY).nll
    assert {angles.length for angles in made.angles.values()} == {64}
    close(nll, made.run(tokens(), predict=EVERY).nll)  # the last token predicts nothing here
    apart = made.run(tokens(), Steering.indices(far), outputs=[LENGTH - 1]).outputs[0]
    assert not np.allclose(apart, made.run(tokens(), outputs=[LENGTH - 1]).outputs[0], atol=1e-3)


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["turned", "softmax", "window"])
def test_what_does_not_conform_is_refused(broken, monkeypatch):
    model = tiny("gemma2", **{**SLIDING, "attn_logit_softcapping": 2.0})
    if broken == "turned":
        right = attending.turned
        monkeypatch.setattr(
            attending, "turned", lambda way, part, x, cos, sin: right(way, part, x.roll(1, -1), cos, sin)
        )
    elif broken == "softmax":
        right = attending.attention
        monkeypatch.setattr(attending, "attention", lambda q, s, v, b, scale, cap, far: right(q, s, v, b, scale, None))
    else:
        monkeypatch.setattr(Steering, "seen", lambda _, visible, start: visible.tril(start).triu(start - 6))
    with pytest.raises(ConformanceError, match="Gemma2ForCausalLM: without any steering its log-likelihoods are"):
        require_conforming(model, tokens())


@pytest.mark.parametrize("name", [name for name in STILL if name not in STEERED])
def test_models_without_rotation_are_refused(name):
    kind, sizes = STILL[name]
    with pytest.raises(InputError, match=r"does not rotate queries and keys by positions; choose another model"):
        require_conforming(tiny(kind, **sizes), tokens())


def test_half_precision_and_growing_angles_are_refused():
    with pytest.raises(InputError, match=r"LlamaForCausalLM is in torch\.bfloat16; load it in float32 to steer it"):
        require_conforming(tiny("llama", torch.bfloat16, **GROUPED), tokens())
    growing = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}
    with pytest.raises(InputError, match=r"its angles change with the text \(dynamic\)"):
        require_conforming(tiny("llama", **GROUPED, rope_parameters=growing), tokens())


def test_a_mask_of_the_models_own_is_refused(monkeypatch):
    model = tiny("llama", **GROUPED)
    monkeypatch.setattr(watching, "_mask", lambda **given: transformers.masking_utils.eager_mask(**given))
    with pytest.raises(InputError, match="layer 0 has a mask that does not come from transformers' mask interface"):
        require_conforming(model, tokens())


def test_models_with_other_states_run_whole_texts_only():
    made = steerer("qwen3_next")
    assert not made.chunks
    ran = made.run(tokens(), predict=EVERY, chunk=5)
    with pytest.raises(InputError, match="has layers without attention; run the whole text at once"):
        made.run(tokens(), past=ran.past)


def test_positions_that_the_model_does_not_have_are_refused():
    made = steerer("gptj")
    with pytest.raises(InputError, match=r"GPTJForCausalLM cannot be steered from token 24 to 64: .*; choose another"):
        made.run(tokens(), Steering.indices([*range(LENGTH - 1), 64]))
    assert len(made.run(tokens(), Steering.indices([*range(LENGTH - 1), 63]), predict=EVERY).nll) == LENGTH - 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"keys": (0, -1)}, "a key at position -1; positions are whole numbers from 0"),
        ({"queries": (-2,)}, "a query at position -2"),
        ({"window": 0}, "a window of 0 keys; a query sees itself"),
        ({"sink": 2}, "a sink of 2 tokens; give 0 or more, and more than 0 only with a window"),
        ({"sink": -1, "window": 3}, "a sink of -1 tokens"),
        ({"cap": -1}, "distances capped at -1"),
        ({"cap": 3, "keys": (0, 1)}, "distances cannot be capped where tokens stand at false positions"),
    ],
)
def test_steering_that_makes_no_sense_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        Steering(**given)


def test_passes_that_cannot_be_are_refused(llama):
    with pytest.raises(InputError, match=f"predict at position {LENGTH - 1}; positions rise, from 0 to {LENGTH - 2}"):
        llama.run(tokens(), predict=[LENGTH - 1])
    with pytest.raises(InputError, match="outputs at position 3"):
        llama.run(tokens(), outputs=[5, 3])
    with pytest.raises(InputError, match=f"positions of 3 tokens for a text of {LENGTH}"):
        llama.run(tokens(), Steering.features([0, 1, 2]))
    for text, chunk in ((tokens(), 1), (tokens(1), 9)):
        with pytest.raises(InputError, match=f"{len(text)} tokens in chunks of {chunk}; give at least two of both"):
            llama.run(text, chunk=chunk)
    past = llama.run(tokens()[:9]).past
    with pytest.raises(InputError, match="the past's keys stand at other positions"):
        llama.run(tokens()[9:], Steering.indices(SWAPPED), past)
    assert llama.run(tokens()[9:], Steering.features([*range(9), *SWAPPED[9:]]), past).past.length == LENGTH


# -- the real model ------------------------------------------------------------------------------------------------


@pytest.mark.model
def test_the_real_model_is_steered():
    from headproof.checks.trained.models import find_model, load_model
    from headproof.checks.trained.prompts import PROMPTS, tokenize

    model = load_model(find_model())
    ids = tokenize(model, PROMPTS[0])
    made = require_conforming(model, ids)
    assert made.error <= 1e-3
    every = range(len(ids) - 1)
    own = made.run(ids, predict=every).nll
    np.testing.assert_allclose(made.run(ids, Steering(cap=len(ids)), predict=every, chunk=40).nll, own, atol=1e-3)
    assert made.run(ids, Steering(window=8), predict=every).nll.mean() > own.mean() + 1
