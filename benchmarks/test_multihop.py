"""Speed of the scores of a multihop checkpoint, as ratios within one run: `make bench`.

One checkpoint's scores are those of all layers at the last query, every swap of the 17 key places, on 100 sequences.
The yardsticks are one pass over these sequences, and one pass a swap (136 of them), which is how scores are had without
a logit table.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from timing import seconds

from headproof.checks.trained.multihop.dynamics import measured_on, measures
from headproof.checks.trained.multihop.heads import observe
from headproof.checks.trained.multihop.model import build, config
from headproof.checks.trained.multihop.runs import Run

SEQUENCES = 100


def test_scores_of_a_checkpoint(benchmark: Any) -> None:
    """All swaps of all layers for less than half of what a pass a swap takes; far less, on a quiet machine."""
    run = Run("letter")
    model, seen = build(config(run.vocabulary), 0, attention="eager"), measured_on(run, SEQUENCES)
    place, target = run.windows.length, run.windows.target
    swaps = place * (place - 1) // 2
    tokens = torch.as_tensor(seen.tokens)

    def one_pass() -> Any:
        with torch.no_grad():
            return model.transformer(input_ids=tokens, use_cache=False)

    def scores() -> Any:
        return measures(observe(model, seen.tokens).tables(place), target)

    plain, whole = seconds(one_pass, scores)
    benchmark.extra_info |= {
        "seconds beyond the pass": round(whole - plain, 3),
        "scores and pass over pass": round(whole / plain, 2),
        "a pass a swap over scores and pass": round(swaps * plain / whole, 1),
    }
    print("\n", benchmark.extra_info)
    benchmark.pedantic(scores, rounds=1)
    assert whole < swaps * plain / 2
