"""Heads of trained models. Only this package imports torch and transformers, and only when used."""
