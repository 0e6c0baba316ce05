"""Kernel scheme: kernels, bandwidths, boundaries, sums."""
