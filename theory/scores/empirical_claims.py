"""The empirical claims of DEC's scores (dec.emp): as printed, for a model not at hand, and on two that are.

What the paper prints is about gemma-2-2b-it; each printed sentence is a claim of its own, NOT RUN. Whether it carries
over to SmolLM2-135M and Gemma 3 270M are claims of their own, and so is what a carried-over number is evidence of: the
criteria say what the null models and the geometry of the scores must not show.
"""

from __future__ import annotations

from headproof.theory.claim import Claim, Fidelity, Source
from headproof.theory.empirical import NULLS, ON_MODELS, Finding, as_printed, on_models

__all__ = ["EMPIRICAL", "FINDINGS", "MEASURED", "NULLS", "ON_MODELS", "PRINTED", "Finding", "claim_id"]

EXPERIMENTS = Source("DEC", "experiments on gemma-2-2b-it")
PRINTED_LEVEL = 1e-4
LEVEL = 0.05
SURROGATE_LEVEL = 0.01  # the least p of 99 surrogates
MOSTLY = 90.0  # per cent
HIGH = 0.9
DOMAIN = "all heads at the last token; fresh and shuffled nulls of 3 seeds; float32 pass, float64 scores"


FINDINGS = (
    Finding(
        "correlation",
        Fidelity.PRINTED,
        "Positional and symbolic score correlate negatively over heads",
        r"r(s_{pos}, s_{sym}) < 0 \text{ over all heads},\ p \le 10^{-4}",
        "On the binding task of 256 facts, over all heads, the two scores have a negative correlation.",
        f"binding task, 256 facts, tau = 1e-4, {DOMAIN}",
        "SUPPORTED if r < 0, the permutation p (whole layers paired with other layers, their heads at random) is at "
        "most 1e-4, the 95 % bootstrap interval over prompts lies below 0, and r lies below that of every null seed",
        ("heads paired at random", "a null for the trained heads"),
        lambda n: (
            n["r"] < 0
            and n["p"] <= PRINTED_LEVEL
            and n["r, 97.5 %"] < 0
            and all(n["r"] < n[f"least r of a seed, {null}"] for null in NULLS)
        ),
        (
            "That the correlation is there says little about what makes it: untrained nets have one too, and the "
            "claims beyond-geometry and correlation-learned ask what is left.",
            "Neither model binds as many facts: of one fact asked in 48, SmolLM2-135M names the right colour in 3 of 4 "
            "cases if it is the first fact, hardly ever otherwise (measured apart from this, 12 seeds).",
        ),
    ),
    Finding(
        "beyond-geometry",
        Fidelity.OURS,
        "The correlation at the printed temperature is stronger than the geometry of the scores makes it",
        r"r(s_{pos}, s_{sym}) < r_{\text{surrogates}}",
        "At tau = 1e-4 the heads' correlation is more negative than that of surrogates, in which both scores of each "
        "swap are exchanged with probability 1/2: they keep every weight and every swap's distance to the circle.",
        f"binding task, 256 facts, tau = 1e-4, 99 surrogates a prompt, {DOMAIN}",
        "SUPPORTED if no surrogate's r (mean over prompts) is as low, and the 95 % bootstrap interval over prompts of "
        "r less the surrogates' mean r lies below 0",
        (
            "a surrogate for the heads",
            "random tables of unequal sharpness",
            "pure heads",
            "pure heads of peaked attention",
        ),
        lambda n: n["p"] <= SURROGATE_LEVEL and n["excess, 97.5 %"] < 0,
        (
            "What a surrogate loses is that a head's swaps agree with each other on which score is higher; the sizes "
            "of both log ratios stay (dec.scores.difference), so for random tables nothing is lost.",
            "An earlier surrogate gave each head another head's swapped logits. It was dropped since it calls random "
            "tables of unequal sharpness more than geometry; they are a control now. The criterion was written with "
            "the second surrogate, before the measurement, after a look at one prompt of 48 facts on SmolLM2-135M.",
        ),
    ),
    Finding(
        "correlation-learned",
        Fidelity.OURS,
        "What the correlation has beyond the geometry of the scores is something that training made",
        r"r - \overline r_{\text{surrogates}}: \text{trained} < \text{nulls}",
        "At tau = 1e-4 the trained heads' correlation exceeds their surrogates' by more than that of both nulls does.",
        f"binding task, 256 facts, tau = 1e-4, 99 surrogates a prompt, {DOMAIN}",
        "SUPPORTED if for each null the 95 % bootstrap interval over prompts of the difference of the excesses (r less "
        "the surrogates' mean r), trained less null, lies below 0",
        ("a null for the trained heads",),
        lambda n: all(n[f"excess, trained - {null}, 97.5 %"] < 0 for null in NULLS),
        (
            "An excess depends on how far the surrogates' r is from -1, so nets of other sharpness are not compared on "
            "one scale; that the sign of the difference is not decided by this is not shown.",
            "The criterion was written before the measurement, after a look at one prompt of 48 facts on SmolLM2-135M.",
        ),
    ),
    Finding(
        "depth",
        Fidelity.PRINTED,
        "Heads of the first half of the layers are more positional than those of the second",
        r"\mathrm{median}\, s_{pos}(\text{first half}) > \mathrm{median}\, s_{pos}(\text{second half})",
        "The median positional score falls from the first to the second half of the layers.",
        f"binding task, 256 facts, tau = 1e-4, {DOMAIN}",
        "SUPPORTED if the difference of the medians has a 95 % bootstrap interval over prompts above 0, exceeds "
        "that of every null seed, and Spearman's correlation of layer and median score is negative with p <= 0.05 "
        "against permuted layers",
        ("layers permuted",),
        lambda n: (
            n["drop, 2.5 %"] > 0
            and all(n["drop"] > n[f"drop, {null}, largest"] for null in NULLS)
            and n["Spearman"] < 0
            and n["p"] <= LEVEL
        ),
    ),
    Finding(
        "low-frequency",
        Fidelity.PRINTED,
        "Planes of low frequency are symbolic",
        r"\theta \le 2\pi/4096 \Rightarrow s_{sym} > s_{pos}",
        "Planes with a wavelength of 4,096 tokens or more have the higher symbolic score.",
        f"binding task, 48 facts, tau = 1e-4, every plane of every head, {DOMAIN}",
        "SUPPORTED if at least 90 % of those planes have s_sym > s_pos and their median s_sym is at least 0.9",
        ("planes of 512 to 4096 tokens",),
        lambda n: n["% more symbolic, trained"] >= MOSTLY and n["median s_sym, trained"] >= HIGH,
        (
            "This follows from the rotation: over a prompt of 200 tokens such a plane turns by less than a third of a "
            "radian, so its logits hardly know positions, whatever was trained; both nulls show it too.",
            "The control was chosen after a first measurement, in which a cruder one could not fail.",
        ),
    ),
    Finding(
        "high-frequency",
        Fidelity.PRINTED,
        "Planes of medium-high frequency are positional",
        r"2\pi/128 \le \theta < 2\pi/8 \Rightarrow s_{pos} > s_{sym}",
        "Planes with a wavelength from 8 to 128 tokens have the higher positional score.",
        f"binding task, 48 facts, tau = 1e-4, every plane of every head, {DOMAIN}",
        "SUPPORTED if at least 90 % of those planes have s_pos > s_sym and their median s_pos is at least 0.9",
        ("planes of 512 to 4096 tokens",),
        lambda n: n["% more positional, trained"] >= MOSTLY and n["median s_pos, trained"] >= HIGH,
        (
            "The band is ours: the source shows one head and names no bounds.",
            "The control was chosen after a first measurement, in which a cruder one could not fail.",
        ),
    ),
    Finding(
        "highest-frequency",
        Fidelity.PRINTED,
        "Planes of the very highest frequencies score high on both",
        r"\theta > 2\pi/8 \Rightarrow s_{pos}, s_{sym} \ge 0.9",
        "Planes with a wavelength below 8 tokens have both scores high, as uniform attention has.",
        f"binding task, 48 facts, tau = 1e-4, every plane of every head, {DOMAIN}",
        "SUPPORTED if both medians over those planes are at least 0.9 and more of them score 0.9 or more on both than "
        "of the planes from 8 to 128 tokens",
        ("each head's plane of most energy",),
        lambda n: (
            min(n["median s_pos, trained"], n["median s_sym, trained"]) >= HIGH
            and n["% high on both, trained"] > n["% high on both, 8 to 128 tokens"]
        ),
        (
            "A plane scores high on both when its logits hardly vary, whatever its frequency: see its share of energy, "
            "and the control. Most of the slowest planes do so too: see low-frequency.",
            "The control was chosen after a first measurement, in which reversed wavelengths met the criterion too.",
        ),
    ),
    Finding(
        "frequency-learned",
        Fidelity.OURS,
        "That fast planes are positional and slow ones symbolic is something that training made",
        r"\mathrm{gain}(\text{trained}) > \mathrm{gain}(\text{nulls})",
        "The order of wavelengths helps the planes of a trained head to part into positional faster and symbolic "
        "slower ones more than it helps those of both nulls.",
        f"binding task, 48 facts, tau = 1e-4, {DOMAIN}",
        "SUPPORTED if the median over heads of the gain (the share of planes, weighing their energy times |s_pos - "
        "s_sym|, that one wavelength parts rightly, less its mean over 20 random orders of the same planes) exceeds "
        "that of each null, with a 95 % bootstrap interval of the difference over prompts above 0",
        ("a null for the trained heads",),
        lambda n: all(n[f"gain, trained - {null}, 2.5 %"] > 0 for null in NULLS),
        (
            "A plane that hardly turns over the prompt cannot tell positions apart, trained or not: the low end is "
            "geometry of the rotation.",
            "The gain replaced the bare agreement after a first measurement, which energy in few planes decided; the "
            "verdict was the same.",
        ),
    ),
)


def claim_id(finding: Finding, slug: str) -> str:
    """The id of a finding's claim on a measured model.

    >>> claim_id(FINDINGS[0], "gemma-3-270m")
    'dec.emp.correlation.gemma-3-270m'
    """
    return f"dec.emp.{finding.name}.{slug}"


def _printed(name: str, title: str, latex: str, sentence: str) -> Claim:
    return as_printed(f"dec.emp.{name}.printed", EXPERIMENTS, "gemma-2-2b-it", title, latex, sentence)


PRINTED = (
    _printed(
        "correlation",
        "r = -0.91 over all heads",
        r"r = -0.91,\ p \le 10^{-4}",
        "Over all heads, on a binding task of 256 facts, positional and symbolic score correlate at r = -0.91.",
    ),
    _printed(
        "depth",
        "Positional median 0.83 in layers 1-13 and 0.56 in 14-26",
        r"\mathrm{median}\, s_{pos} = 0.83 \text{ and } 0.56",
        "The positional median is 0.83 in the first half of the layers and 0.56 in the second.",
    ),
    _printed(
        "low-frequency",
        "Low frequencies are symbolic in head 12:0",
        r"\theta \text{ low} \Rightarrow s_{sym} \text{ high}",
        "In head 12:0 the planes of low frequency are symbolic.",
    ),
    _printed(
        "high-frequency",
        "Medium-high frequencies are positional in head 12:0",
        r"\theta \text{ medium-high} \Rightarrow s_{pos} \text{ high}",
        "In head 12:0 the planes of medium-high frequency are positional.",
    ),
    _printed(
        "highest-frequency",
        "The very highest frequencies score high on both in head 12:0",
        r"\theta \text{ highest} \Rightarrow s_{pos}, s_{sym} \text{ high}",
        "In head 12:0 the planes of the very highest frequency score high on both, as uniform attention does.",
    ),
)
MEASURED = on_models(FINDINGS, "dec.emp", EXPERIMENTS)
EMPIRICAL = (*PRINTED, *MEASURED)
