"""Tiny random models of many architectures, for tests that hold for each of them."""

import torch
import transformers

from headproof.checks.trained.models import in_memory

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
