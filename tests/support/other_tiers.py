"""A claim's record by all tiers but the proof kernel's, which has tests of its own."""

from typing import Any

from headproof.checks import deciding
from headproof.checks.registry import Context
from headproof.theory.claim import Tier

OTHERS = tuple(tier for tier in Tier if tier is not Tier.KERNEL)


def decided(claim_id: str) -> dict[str, Any]:
    """The record, without the kernel's finding."""
    record = deciding.decide_claim(claim_id, Context(tiers=OTHERS))
    return record | {"findings": [each for each in record["findings"] if each["tier"] != Tier.KERNEL]}
