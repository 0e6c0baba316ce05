"""Counts of n scores as plotting positions, y = (c - a) / (n + 1 - 2a)."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.blocks import as_rows, in_blocks
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.types import Array, IntArray

#: The named positions, each with its a.
POSITIONS = {"hazen": 1 / 2, "weibull": 0.0, "blom": 3 / 8}

# y is computed in whole numbers if a is a fraction with at most this denominator.
_LARGEST_DENOMINATOR = 1024
# Number of counts divided at a time, so that the quotients need little memory.
_BLOCK = 1 << 14


def position_of(position: float | str | None) -> float | None:
    """Return a of a position, None if there is none, and NaN if it is not a position."""
    if position is None:
        return None
    a = POSITIONS.get(position) if isinstance(position, str) else finite_number(position)
    return a if a is not None and 0 <= a <= 1 else math.nan


def is_fraction(a: float | None) -> bool:
    """Tell whether y is a fraction of small whole numbers, over the `denominators`."""
    return a is None or a.as_integer_ratio()[1] <= _LARGEST_DENOMINATOR


def denominators(n: IntArray, a: float | None, whole: int) -> IntArray:
    """Return the denominators (..., 1) of the `heights` of n scores, for an `is_fraction` a."""
    if a is None:
        return whole * n
    p, q = a.as_integer_ratio()
    return whole * (q * (n + 1) - 2 * p)


def heights(counted: IntArray, n: IntArray, a: float | None, whole: int) -> Array:
    """Return the positions of counts, for any a from 0 to 1.

    `counted` (..., m) are the counts c times `whole`, 1 or 2, out of n (..., 1) scores; they are
    overwritten. A position below 0 is 0, and above 1 it is 1; for a None it is c / n. What is no
    fraction of small whole numbers is computed by the operations of R's ppoints.
    """
    if a is None:
        return _quotients(counted, whole * n)
    if is_fraction(a):
        p, q = a.as_integer_ratio()
        out_of = denominators(n, a, whole)
        return np.clip(q * counted - whole * p, 0, out_of) / out_of
    return np.clip((counted / whole - a) / (n + 1 - 2 * a), 0.0, 1.0)


def _quotients(counted: IntArray, n: IntArray) -> Array:
    """Divide counts (..., m) by n (..., 1), in their own memory."""
    y = counted.view(np.float64)
    counts, out_of, found = as_rows(counted), as_rows(n), as_rows(y)

    def fill(block: slice) -> None:
        found[block] = counts[block] / out_of[block]

    in_blocks(fill, len(counts), counts.shape[1], _BLOCK)
    return y
