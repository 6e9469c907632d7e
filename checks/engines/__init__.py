"""Decision procedures shared by all topics: symbolic, exact, property-based."""
