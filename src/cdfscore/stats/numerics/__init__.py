"""Arithmetic that two or more packages need, most of it on batches of samples, one per row."""
