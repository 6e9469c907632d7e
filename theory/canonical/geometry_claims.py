"""Empirical claims about the geometry of real heads by rotary plane (dec.geometry, dyn.geometry), by criterion.

A plane's logit is what it adds to the head's: Re(q conj k e^{i theta (i - j)}), before scaling. Its `position share` is
the share of the logit's variance over causal pairs that the distance alone explains; from 0.5 on the plane counts as
strongly positional. All criteria were written before any plane of a real model was measured by these columns.
"""

from __future__ import annotations

from headproof.theory.claim import Claim, Fidelity, Source
from headproof.theory.empirical import NULLS, Finding, Numbers, as_printed, on_models

DEC = Source("DEC", "query and key trajectories on a plane of a gemma head")
DYN = Source("DYN", "keys and queries of layer 1 of a trained number model")
# The resultant that learned Index toys reach (dec.toy.index-keys), the share from which a plane counts as strongly
# positional or as dominant, and a rank correlation that planes dealt at random do not reach.
GATHERED, HALF, CORRELATED = 0.9, 0.5, 0.1
DOMAIN = "texts of 256 tokens without the first, all heads and planes; both nulls, 4 seeds each; float32"
WRITTEN = (
    "The criterion was written before any plane of these models was measured by these columns; the code was then tried "
    "on one text (harbour, none of those measured) of SmolLM2-135M-Instruct. With two seeds of each null a control, a "
    "fresh seed against the other, was upheld by the spread between seeds; four were then measured."
)
FRESH, SHUFFLED = (f"a {null} null for the trained heads" for null in NULLS)
DEALT = "position shares dealt at random to the planes of a layer"


def _above_nulls(numbers: Numbers, name: str) -> bool:
    return all(numbers[f"median {name}, trained - {null}, 2.5 %"] > 0 for null in NULLS)


LIKE_TOYS = (
    Finding(
        "gathered",
        Fidelity.PRINTED,
        "In a head's most positional plane the keys gather, as in a trained Index toy",
        r"|\overline{k_f / |k_f|}| \ge 0.9,\ f = \arg\max_f \text{position share}",
        "In the plane of a head whose logits the distance explains best, the mean of the key directions is at least "
        "0.9 long, as in toys that have learned Index.",
        DOMAIN,
        "SUPPORTED if the median over heads of the key resultant of the most positional plane (mean over texts) is at "
        "least 0.9, lower end of its 95 % bootstrap interval over texts included, and its difference from that of "
        "every seed of both nulls, each at its own most positional planes, has a 95 % interval above 0",
        (FRESH, SHUFFLED),
        lambda n: n["median key resultant, 2.5 %"] >= GATHERED and _above_nulls(n, "key resultant"),
        (
            WRITTEN,
            "One plane a head, the one of the largest position share (mean over all texts and the same in all "
            "resamples); its share, its part in the head's power and what the other planes show are in the numbers.",
            "The distance alone explains a plane's logits only where its queries gather as well. The queries of an "
            "Index toy do not: they turn with the place they name. The likeness asked for is that of the keys.",
        ),
    ),
    Finding(
        "positional-gather",
        Fidelity.OURS,
        "The more positional a plane, the more its keys gather, beyond random models",
        r"\rho_{\text{trained}}(|\overline{k_f / |k_f|}|,\ \text{position share}) > \rho_{\text{null}}",
        "Over the planes of all heads of a layer the key resultant rises with the position share, more than it does "
        "in models without training.",
        DOMAIN,
        "SUPPORTED if Spearman's correlation of key resultant and position share over all planes of all heads of a "
        "layer (mean over texts, median over layers) is at least 0.1, lower end of its 95 % bootstrap interval over "
        "texts included, and its difference from that of every seed of both nulls has a 95 % interval above 0",
        (FRESH, SHUFFLED, DEALT),
        lambda n: n["median rho, 2.5 %"] >= CORRELATED and _above_nulls(n, "rho"),
        (
            WRITTEN,
            "Query heads that share keys share a key resultant: planes of a layer are not independent, and no p-value "
            "is made of them.",
        ),
    ),
)
ONE_PLANE = (
    Finding(
        "dominant",
        Fidelity.PRINTED,
        "One plane dominates a head's logits",
        r"\max_f \mathrm{Var}(L_f) / \sum_f \mathrm{Var}(L_f) \ge 1/2",
        "In a typical head one plane carries at least half of the power of all its planes, more than in models without "
        "training.",
        DOMAIN,
        "SUPPORTED if the median over heads of the largest share of a plane in the head's power, the variance of a "
        "plane's logits over causal pairs (mean over texts), is at least 0.5, lower end of its 95 % bootstrap interval "
        "over texts included, and its difference from that of every seed of both nulls has a 95 % interval above 0",
        (FRESH, SHUFFLED),
        lambda n: n["median largest power, 2.5 %"] >= HALF and _above_nulls(n, "largest power"),
        (
            WRITTEN,
            "Of a plane's power softmax sees what varies between the keys of one query; the same share of that part is "
            "in the numbers. Planes' logits covary, so the shares are of the sum of their variances.",
            "Printed of a trained number model; asked here of heads of language models.",
        ),
    ),
)
GEOMETRY_FINDINGS = (*LIKE_TOYS, *ONE_PLANE)
GEOMETRY_PRINTED = (
    as_printed(
        "dec.geometry.printed",
        DEC,
        "gemma-2-2b-it",
        "On a strongly positional plane a real head's queries and keys look like the trained toy's",
        r"k_f / |k_f| \approx \text{const}",
        "On a strongly positional plane of a gemma head the query and key trajectories look like those of a trained "
        "Index toy.",
    ),
)


def on_real_heads() -> tuple[Claim, ...]:
    """The claims of all findings on both models; ids are `dec.geometry.name.slug` and `dyn.geometry.name.slug`."""
    like, one = on_models(LIKE_TOYS, "dec.geometry", DEC), on_models(ONE_PLANE, "dyn.geometry", DYN)
    return (*like, *one)


def prefix_of(finding: Finding) -> str:
    """What the ids of a finding's claims begin with.

    >>> prefix_of(ONE_PLANE[0])
    'dyn.geometry'
    """
    return "dyn.geometry" if finding in ONE_PLANE else "dec.geometry"
