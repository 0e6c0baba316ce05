"""Null distributions by resampling: sign flips, shuffles, bootstrap."""
