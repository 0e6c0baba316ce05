"""Edgeworth series of Spearman's sum of squared differences of ranks (AS 89)."""

from __future__ import annotations

import numpy as np
from scipy import special

from cdfscore.numerics.types import Array

# The coefficients of Best and Roberts (1975): the power of x^2 is the row, that of 1 / n the
# column, both from 0.
_SERIES = (
    (0.2274, 0.2531, 0.1745),
    (-0.0758, 0.1033, 0.3932),
    (0.0, -0.0879, -0.0151),
    (0.0, 0.0072, -0.0831),
    (0.0, 0.0, 0.0131),
    (0.0, 0.0, -0.00046),
)


def upper_tail(s: Array, n: int) -> Array:
    """Return P(S >= s) by the series, of even s between 0 and (n^3 - n) / 3.

    With x = sqrt(n - 1) (6 (s - 1) / (n^3 - n) - 1), a standard score with half of the step
    of S taken off, it is Phi(-x) + x g(x^2, 1 / n) exp(-x^2 / 2) / n. Far out the series is
    below 0 or above 1, and is cut off there; P(S >= 0) is 1.
    """
    cube = n**3 - n
    x = (6 * (s - 1) - cube) / cube * np.sqrt(n - 1)
    square = x * x
    g = np.zeros_like(x)
    for coefficients in reversed(_SERIES):
        g = g * square + sum(c / n**k for k, c in enumerate(coefficients))
    tail = special.ndtr(-x) + x * g * np.exp(-square / 2) / n
    return np.where(s == 0, 1.0, np.clip(tail, 0.0, 1.0))
