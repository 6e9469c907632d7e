"""The empirical claims of DEC's scores (dec.emp): as printed, for a model not at hand, and on two that are.

What the paper prints is about gemma-2-2b-it; each printed sentence is a claim of its own, NOT RUN. Whether it carries
over to SmolLM2-135M and Gemma 3 270M are claims of their own, and so is what a carried-over number is evidence of: the
criteria say what the null models and the geometry of the scores must not show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headproof.theory.claim import Claim, Fidelity, Kind, Source

Numbers = Mapping[str, float]
EXPERIMENTS = Source("DEC", "experiments on gemma-2-2b-it")
# The names by which claims call the measured models (their ids end in these).
ON_MODELS = {"smollm2-135m": "SmolLM2-135M-Instruct", "gemma-3-270m": "Gemma 3 270M"}
PRINTED_LEVEL = 1e-4
LEVEL = 0.05
# An excess over the geometry's correlation that is to count: a twentieth of the scale of a correlation.
EXCESS = 0.05
MOSTLY = 90.0  # per cent
HIGH = 0.9
NULLS = ("fresh", "shuffled")
DOMAIN = "all heads at the last token; fresh and shuffled nulls of 3 seeds; float32 pass, float64 scores"


@dataclass(frozen=True)
class Finding:
    """One printed or asked sentence about heads, by the criterion that decides it on any model."""

    name: str
    fidelity: Fidelity
    title: str
    latex: str
    sentence: str
    domain: str
    criterion: str
    controls: tuple[str, ...]
    supported_by: Callable[[Numbers], bool]
    remarks: tuple[str, ...] = ()


FINDINGS = (
    Finding(
        "correlation",
        Fidelity.PRINTED,
        "Positional and symbolic score correlate negatively over heads",
        r"r(s_{pos}, s_{sym}) < 0 \text{ over all heads},\ p \le 10^{-4}",
        "On the binding task of 256 facts, over all heads, the two scores have a negative correlation.",
        f"binding task, 256 facts, tau = 1e-4, {DOMAIN}",
        "SUPPORTED if r < 0, the permutation p (heads paired at random, alike in all prompts) is at most 1e-4, and the "
        "95 % bootstrap interval over prompts lies below 0",
        ("heads paired at random",),
        lambda n: n["r"] < 0 and n["p"] <= PRINTED_LEVEL and n["r, 97.5 %"] < 0,
        (
            "That the correlation is there says nothing about what makes it: see the claims beyond-geometry and "
            "dec.emp.geometry.",
        ),
    ),
    Finding(
        "beyond-geometry",
        Fidelity.OURS,
        "The correlation at the printed temperature is evidence of something beyond the geometry of the scores",
        r"r(s_{pos}, s_{sym}) - \overline{r}_{\text{surrogates}} \le -0.05",
        "At tau = 1e-4 the heads' correlation is stronger than that of surrogates, in which every head keeps its "
        "attention and takes the swapped logits of another head, by at least 0.05.",
        f"binding task, 256 facts, tau = 1e-4, 100 surrogates a prompt, {DOMAIN}",
        "SUPPORTED if r less the surrogates' mean r is at most -0.05 and the 95 % bootstrap interval over "
        "prompts of that difference lies below 0",
        ("a surrogate for the heads", "planted pure heads"),
        lambda n: n["excess"] <= -EXCESS and n["excess, 97.5 %"] < 0,
        (
            "A surrogate breaks exactly what the scores are to measure, the relation of a head's swapped logits to its "
            "attention, and keeps all else; what correlation it shows is the geometry's (dec.scores.circle).",
            "The margin 0.05 was fixed after a look at one prompt of 48 facts on one model, before this measurement.",
        ),
    ),
    Finding(
        "beyond-geometry-at-all-swaps",
        Fidelity.OURS,
        "With all swaps weighted alike the correlation is stronger than the geometry's",
        r"r(s_{pos}, s_{sym}) - \overline{r}_{\text{surrogates}} \le -0.05 \text{ at } \tau = \infty",
        "The same comparison with surrogates, with all swaps weighted alike instead of the few of the largest gap.",
        f"binding task, 256 facts, tau = inf, 100 surrogates a prompt, {DOMAIN}",
        "SUPPORTED if r less the surrogates' mean r is at most -0.05 and the 95 % bootstrap interval over "
        "prompts of that difference lies below 0",
        ("a surrogate for the heads", "planted pure heads"),
        lambda n: n["excess"] <= -EXCESS and n["excess, 97.5 %"] < 0,
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
        ("wavelengths reversed",),
        lambda n: n["% more symbolic, trained"] >= MOSTLY and n["median s_sym, trained"] >= HIGH,
        ("What a null shows of the same is reported beside it and judged by the claim frequency-learned.",),
    ),
    Finding(
        "high-frequency",
        Fidelity.PRINTED,
        "Planes of medium-high frequency are positional",
        r"2\pi/128 \le \theta < 2\pi/8 \Rightarrow s_{pos} > s_{sym}",
        "Planes with a wavelength from 8 to 128 tokens have the higher positional score.",
        f"binding task, 48 facts, tau = 1e-4, every plane of every head, {DOMAIN}",
        "SUPPORTED if at least 90 % of those planes have s_pos > s_sym and their median s_pos is at least 0.9",
        ("wavelengths reversed",),
        lambda n: n["% more positional, trained"] >= MOSTLY and n["median s_pos, trained"] >= HIGH,
        ("The band is ours: the source shows one head and names no bounds.",),
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
        ),
    ),
    Finding(
        "frequency-learned",
        Fidelity.OURS,
        "That fast planes are positional and slow ones symbolic is something that training made",
        r"\mathrm{agreement}(\text{trained}) > \mathrm{agreement}(\text{nulls})",
        "The energy share of a head's planes that one wavelength parts into positional faster and symbolic slower ones "
        "is larger in trained heads than in heads of both nulls.",
        f"binding task, 48 facts, tau = 1e-4, {DOMAIN}",
        "SUPPORTED if the median over heads of the turning agreement exceeds that of each null, with a 95 % bootstrap "
        "interval of the difference over prompts above 0",
        ("a null for the trained heads",),
        lambda n: all(n[f"agreement, trained - {null}, 2.5 %"] > 0 for null in NULLS),
        (
            "A plane that hardly turns over the prompt cannot tell positions apart, trained or not: the low end is "
            "geometry of the rotation.",
        ),
    ),
)


def claim_id(finding: Finding, slug: str) -> str:
    """The id of a finding's claim on a measured model.

    >>> claim_id(FINDINGS[0], "gemma-3-270m")
    'dec.emp.correlation.gemma-3-270m'
    """
    return f"dec.emp.{finding.name}.{slug}"


def _on(finding: Finding, slug: str, name: str) -> Claim:
    return Claim(
        id=claim_id(finding, slug),
        kind=Kind.EMPIRICAL,
        fidelity=Fidelity.OURS,
        title=f"{finding.title}: {name}",
        source=EXPERIMENTS,
        latex=finding.latex,
        sentence=finding.sentence,
        domain=f"{name}, {finding.domain}",
        criterion=finding.criterion,
        controls=finding.controls,
        supported_by=finding.supported_by,
        remarks=finding.remarks,
    )


def _printed(name: str, title: str, latex: str, sentence: str) -> Claim:
    return Claim(
        id=f"dec.emp.{name}.printed",
        kind=Kind.EMPIRICAL,
        fidelity=Fidelity.PRINTED,
        title=f"{title}: gemma-2-2b-it, as printed",
        source=EXPERIMENTS,
        latex=latex,
        sentence=sentence,
        domain="gemma-2-2b-it, which is not at hand",
        criterion="SUPPORTED if gemma-2-2b-it, measured as printed, shows it; it is not at hand, so NOT RUN",
    )


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
MEASURED = tuple(_on(finding, slug, name) for slug, name in ON_MODELS.items() for finding in FINDINGS)
EMPIRICAL = (*PRINTED, *MEASURED)
