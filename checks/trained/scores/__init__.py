"""Profiles of real models: scores of every head and rotary plane, beside null models, and what they are evidence of."""
