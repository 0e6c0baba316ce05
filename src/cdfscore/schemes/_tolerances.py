"""Tolerances against R, and their reasons, that several schemes have."""

from __future__ import annotations

from cdfscore.numerics.tolerance import Tolerance

PNORM = (
    "two algorithms for the normal cdf: the error is at most 8 ulp in R, and 3 ulp in this package"
)
MAXIMA = "two algorithms solve the likelihood equations, both to the last digits"

#: Tolerance of a scheme whose R code gives the same bits.
SAME = Tolerance(0, "R does the same operations, in the same order and precision")
