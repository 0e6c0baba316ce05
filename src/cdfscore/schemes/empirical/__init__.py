"""The empirical scheme, and a confidence band around it."""
