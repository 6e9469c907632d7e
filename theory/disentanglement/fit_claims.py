"""Empirical claims about the additive form of logits (gen.additive, gen.controlled), by criterion.

All criteria were written before the measurement, after a look at one text of the corpus (`harbour`) on both models, for
the trained model and one seed of each null; the thresholds 0.95 are printed, 0.9 is the house's.
"""

from __future__ import annotations

from headproof.theory.claim import Fidelity, Source
from headproof.theory.empirical import NULLS, Finding, Numbers

GEN = Source("GEN", "Han, Ji, ACL 2025; reconstructed from its claims")
PRINTED_CORRELATION = 0.95
HIGH = 0.9
MOSTLY = 90.0  # per cent
DOMAIN = "texts of 400 tokens, all heads; fresh and shuffled nulls of 3 seeds; float32 pass, float64 fits"
LOOKED = (
    "The criterion was written before the measurement, after a look at one text (harbour, none of those measured) "
    "on both models."
)
NULL = "a null for the trained heads"
NOISE = "additive logits with a fifth of noise"


def _all_below(numbers: Numbers, name: str, bound: float) -> bool:
    return all(numbers[f"largest median {name} of a seed, {null}"] < bound for null in NULLS)


def _above_nulls(numbers: Numbers, name: str) -> bool:
    return all(numbers[f"median {name}, trained - {null}, 2.5 %"] > 0 for null in NULLS)


def _reached(
    name: str, sentence: str, title: str, latex: str, fidelity: Fidelity, what: str, remarks: tuple[str, ...]
) -> Finding:
    return Finding(
        name,
        fidelity,
        title,
        latex,
        sentence,
        DOMAIN,
        f"SUPPORTED if the median over heads of {what} (mean over texts) is at least 0.95, and so is the lower end "
        "of its 95 % bootstrap interval over texts",
        (NULL,) if name == "additive.single-query" else (NULL, NOISE),
        lambda n: n[f"median {what}"] >= PRINTED_CORRELATION and n[f"median {what}, 2.5 %"] >= PRINTED_CORRELATION,
        remarks,
    )


def _lacks(name: str, sentence: str, title: str, latex: str, what: str, remarks: tuple[str, ...]) -> Finding:
    return Finding(
        name,
        Fidelity.PRINTED,
        title,
        latex,
        sentence,
        DOMAIN,
        f"SUPPORTED if no seed of either null has a median over heads of {what} of 0.95 or more, and the 95 % "
        "bootstrap interval over texts of the trained median less that of every seed of both nulls lies above 0",
        (NULL,),
        lambda n: _all_below(n, what, PRINTED_CORRELATION) and _above_nulls(n, what),
        remarks,
    )


_FIT = r"W_{ij} \approx a_{i-j} + b_i + c_j"
FIT_FINDINGS = (
    _reached(
        "additive.reached",
        "Over a causal matrix, the fit a[i-j] + b[i] + c[j] correlates with the logits at 0.95 or more in a typical "
        "head.",
        "Causal logits fit a distance, a query and a key part at 0.95",
        rf"r({_FIT}) \ge 0.95",
        Fidelity.PRINTED,
        "r",
        (LOOKED, "The number counts b[i], which softmax does not see: compare additive.within-rows."),
    ),
    Finding(
        "additive.everywhere",
        Fidelity.PRINTED,
        "The additive fit is above 0.95 across layers and heads",
        rf"r({_FIT}) > 0.95 \text{{ for all heads}}",
        "The other reading of the printed sentence: nearly every head reaches 0.95.",
        DOMAIN,
        "SUPPORTED if at least 90 % of the heads have r (mean over texts) of at least 0.95",
        (NULL, NOISE),
        lambda n: n["% of heads at 0.95"] >= MOSTLY,
        (LOOKED,),
    ),
    _lacks(
        "additive.random-lacks",
        "Randomly initialised and shuffled models lack the additive fit of a trained one.",
        "Random models lack the additive form",
        r"r_{\text{random}} < 0.95,\ r_{\text{random}} < r_{\text{trained}}",
        "r",
        (LOOKED,),
    ),
    _reached(
        "additive.within-rows",
        "Of what softmax sees (rows less their mean), the additive fit explains a correlation of 0.95 in a typical "
        "head.",
        "What softmax sees of the logits is additive at 0.95",
        r"r(W_{ij} - \overline W_i,\ a_{i-j} + c_j - \ldots) \ge 0.95",
        Fidelity.OURS,
        "row r",
        (LOOKED,),
    ),
    _reached(
        "additive.single-query",
        "For a single query, f(q, d) + g(q, k) correlates with its logit table at 0.95 or more in a typical head.",
        "The logit table of a single query is additive at 0.95",
        r"r(W(q, k, d),\ f(q, d) + g(q, k)) \ge 0.95",
        Fidelity.PRINTED,
        "two-axis r",
        (
            LOOKED,
            "The two-axis r is the root of one less the interaction's share in the analysis of variance of the "
            "table, at the middle and the last token.",
        ),
    ),
    _lacks(
        "additive.single-query-random-lacks",
        "Randomly initialised and shuffled models lack the additive form of single queries.",
        "Random models lack the additive form of single queries",
        r"r_{\text{random}} < 0.95,\ r_{\text{random}} < r_{\text{trained}}",
        "two-axis r",
        (LOOKED,),
    ),
    Finding(
        "additive.beyond-means",
        Fidelity.OURS,
        "The additive form is more than what a mean query and a mean key see",
        r"r(\text{queries, keys less their token mean}): \text{trained} > \text{nulls}",
        "With the token mean taken off queries and keys, the trained heads' logits still fit the additive form "
        "better than those of both nulls.",
        DOMAIN,
        "SUPPORTED if the 95 % bootstrap interval over texts of the median over heads of the row r after centring, "
        "trained less null, lies above 0 for both nulls",
        (NULL,),
        lambda n: _above_nulls(n, "centred row r"),
        (
            LOOKED,
            "With q = q0 + q' and k = k0 + k', q0 R k0 is a distance curve and nothing else, q0 R k' and q' R k0 "
            "turn with the distance but have one content each; q' R k' is what is fitted here.",
        ),
    ),
    Finding(
        "additive.means-tell",
        Fidelity.OURS,
        "What the token means add to the fit tells trained heads from random ones",
        r"\Delta r = r_{\text{rows}} - r_{\text{rows, centred}}",
        "How much the token means of queries and keys raise the row r is larger in a trained head than in a random "
        "one.",
        DOMAIN,
        "SUPPORTED if for every seed of both nulls a trained head has the larger gain than a null's with a "
        "probability (area under the curve) of at least 0.9, lower end of the 95 % bootstrap interval over texts "
        "included",
        (NULL,),
        lambda n: all(n[f"AUC gain, least of a seed, {null}, 2.5 %"] >= HIGH for null in NULLS),
        (
            LOOKED,
            "The statistic was chosen among those listed with it (their areas are in the numbers) at that look, so "
            "the claim is about other texts of the same models, and not about other models.",
        ),
    ),
    Finding(
        "controlled.distance",
        Fidelity.PRINTED,
        "Given a false distance, the distance component follows it",
        r"r(W(q, k, \cdot) - \overline{W(q, k)},\ \overline f) \ge 0.9",
        "The curve of a key over false distances is the shared curve of other keys, shifted.",
        DOMAIN,
        "SUPPORTED if the median over heads of the held-out correlation (every other key's curve with the mean "
        "curve of the others; mean over texts and queries) is at least 0.9, lower end of its 95 % bootstrap "
        "interval over texts included, and its difference from that of every seed of both nulls has a 95 % interval "
        "above 0",
        (NULL,),
        lambda n: n["median distance r, 2.5 %"] >= HIGH and _above_nulls(n, "distance r"),
        (LOOKED, "The keys of every query at the middle and at the end of a text are all given all distances."),
    ),
    Finding(
        "controlled.content",
        Fidelity.PRINTED,
        "Given a false distance, the content component stays",
        r"r(W(q, \cdot, d) - \overline{W(q, d)},\ \overline g) \ge 0.9",
        "The order and size of the keys' logits at near distances is that at far ones.",
        DOMAIN,
        "SUPPORTED if the median over heads of the held-out correlation (logits at the nearer half of the distances "
        "with the content component of the farther half; mean over texts and queries) is at least 0.9, lower end of "
        "its 95 % bootstrap interval over texts included, and its difference from that of every seed of both nulls "
        "has a 95 % interval above 0",
        (NULL,),
        lambda n: n["median content r, 2.5 %"] >= HIGH and _above_nulls(n, "content r"),
        (LOOKED,),
    ),
)
