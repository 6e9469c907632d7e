"""Deciding claims: engines, one module of checks per topic, the ledger, trained heads."""

if not __name__.startswith("headproof."):
    raise ImportError(f"import this package as headproof.checks, not as {__name__}")
