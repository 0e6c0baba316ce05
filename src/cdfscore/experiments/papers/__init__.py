"""Experiments of published papers, repeated from their data."""
