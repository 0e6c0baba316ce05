"""Arithmetic on batches of samples, one sample per row, for all schemes."""
