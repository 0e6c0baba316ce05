"""Retrieval runs over the Cranfield collection, measured into topics x systems matrices."""
