"""Recorded outputs of R, so that parity runs where there is no R; see README.md."""
