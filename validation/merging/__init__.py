"""Merging of federated sources made from Cranfield, as docs/merging.md shows it."""
