"""Standardization of files that do not fit in memory, one block of topics after another."""
