"""Benchmarks: this package and its peers side by side, in one run, on the same scores."""
