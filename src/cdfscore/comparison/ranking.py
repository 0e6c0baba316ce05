"""Rankings of systems by their means, whose ties rounding must not break."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.ranks import midranks
from cdfscore.numerics.types import Array

_OF_RANGE = 1e-12
_OF_LARGEST = 8 * np.finfo(np.float64).eps


def tied(means: Array) -> Array:
    """Return means in units of the largest, equal where only rounding tells them apart.

    Neighbours tie if they differ by at most 10^-12 of the range of the means plus 8 eps of the
    largest. What all means share does not widen the first, and the second is for the last digits.
    """
    inverse = np.argsort(np.argsort(means, kind="stable"), kind="stable")
    ordered = np.sort(means) / (float(np.abs(means).max()) or 1.0)
    bound = _OF_RANGE * np.ptp(ordered) + _OF_LARGEST
    first = np.diff(ordered, prepend=-np.inf) > bound
    return np.asarray(ordered[first][np.cumsum(first) - 1][inverse])


def ranks(means: Array) -> Array:
    """Return the rank of each mean, 1 for the largest; tied systems have their mean rank."""
    found: Array = midranks(-tied(means)[np.newaxis])[0][0]
    return found
