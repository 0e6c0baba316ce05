"""Means of systems whose scores are whole multiples of a resolution, so that ties are ties."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.multiples import denominators
from cdfscore.numerics.types import Array

# Whole numbers below this are doubles, and so are their sums.
_EXACT = 2.0**53


def with_ties(means: Array, scores: Array) -> Array:
    """Return the means of rows of scores, the same double for rows whose exact means are equal.

    A sum of decimals is rounded, and so two equal means may differ in the last digit. Of rows
    that are whole multiples of a resolution the exact mean is known; where it is that of another
    row, and the two `means` differ, both get it, rounded once. Other rows keep their number.
    Shapes (rows,) and (rows, n), NaN where a score is missing.

    >>> with_ties(np.array([0.2, 0.20000000000000004, 0.3]),
    ...           np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.3]]))
    array([0.2, 0.2, 0.3])
    """
    present = ~np.isnan(scores)
    filled = np.where(present, scores, 0.0)
    q, n = denominators(filled), present.sum(axis=1)
    with np.errstate(invalid="ignore"):  # infinite scores have no q, and nor has a row without one
        multiples = np.rint(filled * q[:, np.newaxis])
        exact = multiples.sum(axis=1) / (q * n)
        known = (np.abs(multiples).sum(axis=1) < _EXACT) & (q * n < _EXACT) & (n > 0)
    rows = np.flatnonzero(known)
    values, place = np.unique(exact[rows], return_inverse=True)
    low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    np.minimum.at(low, place, means[rows])
    np.maximum.at(high, place, means[rows])
    found = means.copy()
    apart = rows[(low < high)[place]]
    found[apart] = exact[apart]
    return found
