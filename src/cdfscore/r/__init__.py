"""Verification by R: the twins in a running R, and as stand-alone scripts."""
