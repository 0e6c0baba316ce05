"""The version of the package, written into every file of factors."""

__version__ = "0.1.0"
