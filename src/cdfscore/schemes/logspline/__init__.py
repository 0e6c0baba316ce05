"""The logspline scheme."""
