"""Intervals and levels of quantities that no function of R computes, on simulated scores."""
