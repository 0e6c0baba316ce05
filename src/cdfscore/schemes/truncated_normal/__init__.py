"""Truncated normal scheme."""
