"""Speed of the additive fit of all heads, as a ratio within one run: `make bench`.

The yardsticks are one plain pass of the model over the same 400 tokens, and the same fit made head by head as a sparse
least-squares problem (scipy's LSMR), which factorises nothing. Memory is how far a process's peak during the three fits
is above what it held before (Linux).
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from headproof.checks.trained.capture import capture
from headproof.checks.trained.corpus import corpus
from headproof.checks.trained.disentanglement.additive import causal_logits, fit_columns
from headproof.checks.trained.disentanglement.generalize import passage
from headproof.checks.trained.models import find_model, load_model

TOKENS, ROUNDS = 400, 5
MIB_ALLOWED = 1024
PEAK = """
import re
from pathlib import Path
from headproof.checks.trained.capture import capture
from headproof.checks.trained.corpus import corpus
from headproof.checks.trained.disentanglement.additive import fit_columns
from headproof.checks.trained.disentanglement.generalize import passage
from headproof.checks.trained.models import find_model, load_model
def status(name):
    return int(re.search(name + r":\\s*(\\d+) kB", Path("/proc/self/status").read_text()).group(1)) / 1024
model = load_model(find_model())
captured = capture(model, passage(model, corpus()[0], {tokens}).tokens)
Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
before = status("VmRSS")
fit_columns(captured)
print(status("VmHWM") - before)
"""


@pytest.fixture(scope="module")
def model() -> Any:
    try:
        return load_model(find_model())
    except Exception as error:
        pytest.skip(f"the default model is not installed: {error}")


def seconds(call: Any) -> float:
    call()
    times = []
    for _ in range(ROUNDS):
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
    return median(times)


def test_the_fit_of_all_heads_costs_about_a_pass(benchmark: Any, model: Any) -> None:
    one = passage(model, corpus()[0], TOKENS)
    captured = capture(model, one.tokens)

    def plain() -> None:
        with torch.no_grad():
            model.model(input_ids=torch.tensor([one.tokens]), use_cache=False)

    fit, variants, passed = (
        seconds(lambda: fit_columns(captured, variants=False)),
        seconds(lambda: fit_columns(captured)),
        seconds(plain),
    )
    layer = captured.layers[3]
    logits = causal_logits(layer, slice(0, 1))[0].numpy()
    sparse_fit = seconds(lambda: _by_lsmr(logits))
    heads = sum(each.heads for each in captured.layers)
    peak = float(
        subprocess.run(
            [sys.executable, "-c", PEAK.format(tokens=TOKENS)], capture_output=True, text=True, check=True
        ).stdout
    )
    benchmark.extra_info.update(
        fit_over_pass=fit / passed,
        three_fits_over_pass=variants / passed,
        lsmr_over_fit=sparse_fit * heads / fit,
        fit_seconds=fit,
        peak_mib=peak,
    )
    print(f"\nfit / pass {fit / passed:.2f}, three fits / pass {variants / passed:.2f}, LSMR / fit "
          f"{sparse_fit * heads / fit:.0f}, fit {fit:.2f} s, peak {peak:.0f} MiB")  # fmt: skip
    assert fit < 6 * passed
    assert peak < MIB_ALLOWED
    benchmark.pedantic(lambda: fit_columns(captured, variants=False), rounds=1)


def _by_lsmr(logits: Any) -> Any:
    length = len(logits)
    query, key = np.nonzero(np.tril(np.ones((length, length), dtype=bool)))
    rows = np.arange(len(query))
    ones = np.ones(len(query))
    parts = [sparse.csr_matrix((ones, (rows, each)), (len(query), length)) for each in (query - key, query, key)]
    return sparse.linalg.lsmr(sparse.hstack(parts).tocsr(), logits[query, key], atol=1e-8, btol=1e-8)
