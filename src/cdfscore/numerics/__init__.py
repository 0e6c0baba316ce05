"""Arithmetic on batches of samples, one sample a row, that the schemes share."""
