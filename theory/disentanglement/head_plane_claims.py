"""Empirical claims about the rotary planes of real heads (gen.thm2), by criterion."""

from __future__ import annotations

from headproof.theory.claim import Fidelity
from headproof.theory.disentanglement.fit_claims import DOMAIN, LOOKED, NULL
from headproof.theory.empirical import NULLS, Finding, Numbers


def _falls(numbers: Numbers, name: str) -> bool:
    return numbers[f"median {name}, 97.5 %"] < 0 and all(
        numbers[f"median {name}, trained - {null}, 97.5 %"] < 0 for null in NULLS
    )


def _pattern(name: str, fidelity: Fidelity, what: str, title: str, sentence: str, remark: str) -> Finding:
    return Finding(
        f"thm2.{name}",
        fidelity,
        title,
        r"\rho(\theta_f, \sigma_f) < 0",
        sentence,
        f"last query, every rotary plane, {DOMAIN}",
        f"SUPPORTED if the median over heads of Spearman's correlation of {what} (over a head's planes) has a 95 % "
        "bootstrap interval over texts below 0, and so has its difference from that of every seed of both nulls",
        (NULL,),
        lambda n: _falls(n, name),
        (LOOKED, remark),
    )


PLANE_FINDINGS = (
    Finding(
        "thm2.bound-on-heads",
        Fidelity.OURS,
        "No interaction on real heads exceeds the bound, and how near it comes",
        r"|I| \le \sum_f 2 |q_f| |k_f - k'_f| |\sin(\theta_f (d - d')/2)|",
        "On every head, over random pairs of keys and of positions, the measured interaction is within the bound of "
        "gen.thm2, computed from norms and frequencies alone; the tightness is its ratio to the bound.",
        f"500 pairs a head and query, {DOMAIN}",
        "SUPPORTED if the largest ratio of interaction to bound over all heads, texts and models is at most 1 (what "
        "rounding of the model's angles may add taken off)",
        ("bound halved",),
        lambda n: 0 < n["largest ratio"] <= 1,
        (
            "A theorem cannot fail here; that the planes, angles and norms were read rightly can.",
            LOOKED,
        ),
    ),
    _pattern(
        "pattern",
        Fidelity.PRINTED,
        "a plane's angle and its keys' deviation from their mean",
        "Where planes turn fast, keys vary little; where keys vary, planes turn slowly",
        "Within a head, planes of larger angle have keys that deviate less from their mean.",
        "The deviation is in the model's own units, which is what enters the bound. Where a model has key norms, "
        "the shuffled null keeps their weights, and with them a part of the pattern.",
    ),
    _pattern(
        "pattern-relative",
        Fidelity.RECONSTRUCTED,
        "a plane's angle and its keys' deviation over their root mean square",
        "Where planes turn fast, keys vary little beside their mean",
        "Within a head, planes of larger angle have keys that deviate less from their mean relative to their size.",
        "The other reading of 'vary little around their mean'. A plane whose keys are zero, as some are behind "
        "Gemma's key norms, counts as not varying.",
    ),
    Finding(
        "thm2.pattern-matters",
        Fidelity.OURS,
        "The order of the planes' angles is what keeps the interaction small",
        r"\mathrm{share}(I;\theta) < \mathrm{share}(I;\theta_\pi)",
        "If a head's angles are dealt to its planes at random, its interaction's share grows, and it grows more "
        "than in both nulls.",
        f"10 deals a head and query, {DOMAIN}",
        "SUPPORTED if the median over heads of log2(share with dealt angles / share) has a 95 % bootstrap interval "
        "over texts above 0, and so has its difference from that of every seed of both nulls",
        (NULL,),
        lambda n: (
            n["median growth, 2.5 %"] > 0 and all(n[f"median growth, trained - {null}, 2.5 %"] > 0 for null in NULLS)
        ),
        (LOOKED,),
    ),
)
