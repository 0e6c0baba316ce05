"""cdfscore: read scores through a cumulative distribution function fitted to their topic."""

__version__ = "0.1.0"
