"""Experiments of published papers, computed again from their data."""
