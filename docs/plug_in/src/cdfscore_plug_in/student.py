"""Student's t distribution with 7 degrees of freedom, as a kernel."""

from __future__ import annotations

import math

from cdfscore.schemes import smoothing_kernel
from cdfscore.stats.numerics.types import Array
from scipy.special import stdtr


@smoothing_kernel(sd=math.sqrt(7 / 5))
def student(u: Array) -> Array:
    """Return the integral of the density of Student's t up to u."""
    y: Array = stdtr(7.0, u)
    return y
