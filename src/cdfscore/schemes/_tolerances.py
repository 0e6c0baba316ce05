"""Tolerances against R, and their reasons, that several schemes have."""

from __future__ import annotations

from cdfscore.numerics.tolerance import Tolerance

PNORM = "two algorithms for the normal cdf: R's is within 8 ulp of the true value, ours 3"
MAXIMA = "two solvers, both to the last digits of the likelihood equations"

#: Of a scheme whose twin has the same bits.
SAME = Tolerance(0, "the same operations, adding in the same order and precision")
