"""Empirical claims: a sentence about heads and the criterion that decides it on any model, as claims on two models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headproof.theory.claim import Claim, Fidelity, Kind, Source

Numbers = Mapping[str, float]
# The names by which claims call the measured models (their ids end in these).
ON_MODELS = {"smollm2-135m": "SmolLM2-135M-Instruct", "gemma-3-270m": "Gemma 3 270M"}
NULLS = ("fresh", "shuffled")


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


def on_models(findings: tuple[Finding, ...], prefix: str, source: Source) -> tuple[Claim, ...]:
    """The claims of all findings on both models, model by model; ids are `prefix.name.slug`."""
    return tuple(_on(finding, slug, prefix, source) for slug in ON_MODELS for finding in findings)


def claim_of(finding: Finding, claim_id: str, source: Source, fidelity: Fidelity, title: str, domain: str) -> Claim:
    """A finding as the claim of an id, on what the title and the domain name."""
    return Claim(
        id=claim_id,
        kind=Kind.EMPIRICAL,
        fidelity=fidelity,
        title=title,
        source=source,
        latex=finding.latex,
        sentence=finding.sentence,
        domain=domain,
        criterion=finding.criterion,
        controls=finding.controls,
        supported_by=finding.supported_by,
        remarks=finding.remarks,
    )


def _on(finding: Finding, slug: str, prefix: str, source: Source) -> Claim:
    name = ON_MODELS[slug]
    title, domain = f"{finding.title}: {name}", f"{name}, {finding.domain}"
    return claim_of(finding, f"{prefix}.{finding.name}.{slug}", source, Fidelity.OURS, title, domain)


def as_printed(claim_id: str, source: Source, model: str, title: str, latex: str, sentence: str) -> Claim:
    """What a paper prints of a model that is not at hand: NOT RUN. `claim_id` ends in `.printed`."""
    return Claim(
        id=claim_id,
        kind=Kind.EMPIRICAL,
        fidelity=Fidelity.PRINTED,
        title=f"{title}: {model}, as printed",
        source=source,
        latex=latex,
        sentence=sentence,
        domain=f"{model}, which is not at hand",
        criterion=f"SUPPORTED if {model}, measured as printed, shows it; it is not at hand, so NOT RUN",
    )
