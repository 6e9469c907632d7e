"""Speed of a profile, as ratios within one run: `make bench`.

The yardstick is one plain eager forward pass of the model over the same prompt (48 facts, 1,128 swaps), as one calls a
model, its language-model head included; a profile does not need the head, so the ratios over a pass without it are
told as well. Controls (nulls, surrogates) are apart. The ratios stand in `extra_info`; the bounds asserted on them are
looser than the figures aimed at, for noisy machines.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from timing import seconds

from headproof.checks.trained.binding import binding_prompts
from headproof.checks.trained.capture import capture, check_rows
from headproof.checks.trained.models import find_model, load_model
from headproof.checks.trained.scores.literal import batched_layer_scores, literal_layer_scores
from headproof.checks.trained.scores.pieces import Settings, measure_prompt
from headproof.checks.trained.scores.scoring import head_measures, scored_blocks
from headproof.checks.trained.views import query_view

TAU = (1e-4,)
TAG = {"group": "trained", "null_seed": -1}


@pytest.fixture(scope="module")
def model() -> Any:
    try:
        return load_model(find_model())
    except Exception as error:
        pytest.skip(f"the default model is not installed: {error}")


@pytest.fixture(scope="module")
def prompt(model: Any) -> Any:
    return binding_prompts(model, 48, "middle", 0)[0]


def profiled(model: Any, prompt: Any, planes: bool) -> Any:
    return measure_prompt(model, prompt, Settings(("last",), TAU, planes, surrogates=0), planes, TAG)


def passes(model: Any, prompt: Any, head: bool = False) -> Any:
    part = model.model if head else model.model.base_model
    with torch.no_grad():
        return part(input_ids=torch.tensor([prompt.tokens]), use_cache=False)


def test_a_profile_costs_about_one_pass(benchmark: Any, model: Any, prompt: Any) -> None:
    """Heads within 1.5 times, heads and planes within 2.5 times one plain pass, the pass included."""
    assert prompt.blocks.swaps == 1128
    plain, whole, heads, planes = seconds(
        lambda: passes(model, prompt),
        lambda: passes(model, prompt, head=True),
        lambda: profiled(model, prompt, planes=False),
        lambda: profiled(model, prompt, planes=True),
    )
    benchmark.extra_info |= {
        "heads over pass": round(heads / plain, 2),
        "heads and planes over pass": round(planes / plain, 2),
        "heads over pass with language-model head": round(heads / whole, 2),
        "heads and planes over pass with language-model head": round(planes / whole, 2),
    }
    print("\n", benchmark.extra_info)
    benchmark.pedantic(lambda: profiled(model, prompt, planes=False), rounds=1)
    assert heads < 3 * plain
    assert planes < 5 * plain


def test_scores_against_passes_and_swaps(benchmark: Any, model: Any, prompt: Any) -> None:
    """Scores of all heads against one pass a swap (1,128 of them), and against all swaps made in batches."""
    captured = capture(model, prompt.tokens, rows=check_rows(len(prompt.tokens), [prompt.query]))
    layers = captured.layers

    def fast() -> Any:
        return [
            head_measures(query_view(layer, prompt.query, scored_blocks(layer, prompt.query, prompt.blocks)), TAU)
            for layer in layers
        ]

    some = layers[:2]
    plain, quick = seconds(lambda: passes(model, prompt), fast)
    (batched,) = seconds(
        lambda: [batched_layer_scores(layer, prompt.query, prompt.blocks, TAU[0]) for layer in some], rounds=1
    )
    batched *= len(layers) / len(some)
    benchmark.extra_info |= {
        "a pass a swap over scores": round(plain * prompt.blocks.swaps / quick),
        "batched swaps over scores": round(batched / quick),
    }
    print("\n", benchmark.extra_info)
    benchmark.pedantic(fast, rounds=1)
    assert plain * prompt.blocks.swaps > 300 * quick
    assert batched > 20 * quick


def test_all_three_ways_agree(model: Any, prompt: Any) -> None:
    layer = capture(model, prompt.tokens[:60]).layers[3]
    blocks = prompt.blocks.within(range(55))
    fast, _ = head_measures(query_view(layer, 59, blocks), TAU)
    for slow in (literal_layer_scores, batched_layer_scores):
        positional, symbolic = slow(layer, 59, blocks, TAU[0])
        assert torch.allclose(fast.positional[0], positional, atol=1e-9)
        assert torch.allclose(fast.symbolic[0], symbolic, atol=1e-9)
