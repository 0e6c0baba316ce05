"""Bandwidth rules beside R, on 10,000 random samples."""
