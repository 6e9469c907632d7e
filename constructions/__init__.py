"""Attention heads with exact weights: rotary position encodings, explicit heads, the tasks they solve."""

if not __name__.startswith("headproof."):
    raise ImportError(f"import this package as headproof.constructions, not as {__name__}")
