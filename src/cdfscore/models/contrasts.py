"""Correction of all differences of two means of a term at once."""

from __future__ import annotations

import numpy as np

from cdfscore.comparison.adjustment import METHODS, adjust
from cdfscore.errors import ModelError
from cdfscore.numerics.types import Array
from cdfscore.significance.null import studentized_range
from cdfscore.spelling import argument

#: Correction for all differences of a term at once, by the studentized range.
TUKEY = "tukey"


def check_adjustment(adjustment: str) -> None:
    """Raise `ModelError` for an unknown correction."""
    if adjustment not in (TUKEY, *METHODS):
        raise ModelError(
            f"{argument('adjustment', adjustment)} is not accepted; expected one of "
            f"{', '.join((TUKEY, *METHODS))}"
        )


def adjusted(t: Array, p: Array, df: Array, means: int, adjustment: str) -> Array:
    """Return adjusted p values of differences of a number of means, with t, p and df (m,)."""
    if adjustment != TUKEY:
        return adjust(p, adjustment)
    # Each number of degrees of freedom has a distribution of its own; 9 digits of it are enough.
    levels, places = np.unique([float(f"{each:.9g}") for each in df], return_inverse=True)
    found = np.empty(len(t))
    for place, own in enumerate(levels):
        of_level = places == place
        q = np.abs(t[of_level]) * np.sqrt(2)
        found[of_level] = studentized_range.upper_tail(q, means, own)
    return found
