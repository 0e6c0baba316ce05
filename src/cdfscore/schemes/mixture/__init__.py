"""Mixture scheme."""
