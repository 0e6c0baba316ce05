"""Rankings of systems by their means, whose ties rounding must not break."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.ranks import midranks
from cdfscore.numerics.types import Array


def tied(means: Array) -> Array:
    """Return means in units of the largest, to 12 digits, whatever the order of their sums."""
    largest = float(np.abs(means).max()) or 1.0
    rounded: Array = np.round(means / largest, 12)
    return rounded


def ranks(means: Array) -> Array:
    """Return the rank of each mean, 1 for the largest; tied systems have their mean rank."""
    found: Array = midranks(-tied(means)[np.newaxis])[0][0]
    return found
