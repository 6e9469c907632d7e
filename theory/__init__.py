"""Claims, the logit table and its measures, statements and their proofs. Needs numpy and sympy only."""

if not __name__.startswith("headproof."):
    raise ImportError(f"import this package as headproof.theory, not as {__name__}")
