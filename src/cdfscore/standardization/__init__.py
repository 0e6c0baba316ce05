"""Standardization of scores by schemes fitted to their topics, and factors."""
