"""The topic `expressivity`: what positional, symbolic and rotary heads can and cannot compute (DEC, DYN)."""

from __future__ import annotations

from headproof.checks.expressivity import feasibility, impossibility, plane_heads
from headproof.checks.registry import Topic
from headproof.checks.standard import kernel_checks

_PARTS = (impossibility, plane_heads, feasibility)
_CLAIMS = tuple(claim for part in _PARTS for claim in part.CLAIMS)

topic = Topic(
    name="expressivity",
    title="What attention heads can and cannot compute",
    claims=_CLAIMS,
    checks=(*kernel_checks("expressivity", _CLAIMS), *(check for part in _PARTS for check in part.CHECKS)),
    cases={name: cases for part in _PARTS for name, cases in part.CASES.items()},
)
