"""The empirical claims of GEN: as printed, for a model not at hand, and on two models that are."""

from __future__ import annotations

from headproof.theory.claim import Claim
from headproof.theory.disentanglement.fit_claims import FIT_FINDINGS, GEN, PRINTED_CORRELATION
from headproof.theory.disentanglement.head_plane_claims import PLANE_FINDINGS
from headproof.theory.disentanglement.tolerance_claims import LENGTH_FINDINGS, TOLERANCE_FINDINGS
from headproof.theory.empirical import as_printed, on_models

FINDINGS = (*FIT_FINDINGS, *PLANE_FINDINGS, *TOLERANCE_FINDINGS, *LENGTH_FINDINGS)


def _printed(name: str, model: str, title: str, latex: str, sentence: str) -> Claim:
    return as_printed(f"gen.{name}.printed", GEN, model, title, latex, sentence)


PRINTED = (
    _printed(
        "additive",
        "Llama",
        "Causal logits fit a sum of a distance, a query and a key part",
        rf"r(W_{{ij}}, a_{{i-j}} + b_i + c_j) = 0.959, \text{{ above }} {PRINTED_CORRELATION} \text{{ across heads}}",
        "Over a whole causal matrix the additive fit correlates with the logits at 0.959, and above 0.95 across "
        "layers and heads; a randomly initialised model lacks it.",
    ),
    _printed(
        "controlled",
        "Llama",
        "A false distance changes the distance component alone",
        r"W(q, k, d) \approx f(q, d) + g(q, k)",
        "Given a key at a false distance d, the content component stays and the distance component follows d.",
    ),
    _printed(
        "tolerance",
        "the models of the source",
        "Few swapped words hardly change perplexity, many clearly do",
        r"\mathrm{ppl}(\le 5\,\%) \approx \mathrm{ppl}(0), \quad \mathrm{ppl}(> 10\,\%) \gg \mathrm{ppl}(0)",
        "Swapping the order of at most 5 % of the words hardly changes perplexity, more than 10 % clearly does; "
        "perturbing position indices and perturbing at feature level act alike.",
    ),
    _printed(
        "tolerance.downstream",
        "the models of the source",
        "Downstream scores follow perplexity under perturbed order",
        r"\mathrm{score} \text{ falls as } \mathrm{ppl} \text{ rises}",
        "Scores on downstream tasks follow the perplexity of perturbed text.",
    ),
    _printed(
        "length",
        "the models of the source",
        "Attention outputs stay within their training-length distribution",
        r"a_i \sim a_{i'},\ i > L \ge i'",
        "With contexts longer than trained on, windowed or capped in distance, attention outputs stay within the "
        "distribution seen at training length.",
    ),
)
MEASURED = on_models(FINDINGS, "gen", GEN)
EMPIRICAL = (*PRINTED, *MEASURED)
