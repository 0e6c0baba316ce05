"""Null distributions of test statistics."""
