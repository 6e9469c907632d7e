"""What a caption says of the claims that a figure shows: their verdicts in the committed ledger."""

from __future__ import annotations

from collections.abc import Sequence

from headproof.checks.ledger import records
from headproof.checks.registry import select


def verdicts_sentence(names: Sequence[str]) -> str:
    """One sentence that gives the verdicts on the named claims and prefixes; empty for none.

    Raises InputError for a name that no topic brings.
    """
    if not names:
        return ""
    recorded = records()
    by_verdict: dict[str, list[str]] = {}
    for claim in select(list(names)):
        verdict = str(recorded[claim]["verdict"]) if claim in recorded else "not in the ledger"
        by_verdict.setdefault(verdict, []).append(claim)
    said = "; ".join(f"{verdict}: {', '.join(claims)}" for verdict, claims in by_verdict.items())
    return f"Verdicts in the committed ledger: {said}."
