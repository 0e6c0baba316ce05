"""Kumaraswamy scheme."""
