"""The kernel scheme: kernels, bandwidths, boundaries, sums."""
