"""Merging of federated sources made from Cranfield, as docs/merging-validation.md shows it."""
