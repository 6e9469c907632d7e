"""One-layer toys trained under a chosen set of rotary angles (dec.toy), and what their heads do."""
