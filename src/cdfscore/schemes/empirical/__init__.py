"""Empirical scheme, and a confidence band around it."""
