"""Logspline scheme."""
