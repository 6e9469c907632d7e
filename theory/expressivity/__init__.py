"""What attention heads can and cannot compute: definitions, statements and proofs (DEC, DYN)."""
