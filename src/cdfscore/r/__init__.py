"""Verification in R: R code in a running R, and stand-alone R scripts."""
