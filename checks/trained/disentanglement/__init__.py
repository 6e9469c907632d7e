"""GEN on trained heads: moved words and long texts."""
