"""Counts of n scores as plotting positions, y = (c - a) / (n + 1 - 2a)."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.types import Array, IntArray

#: The positions that have a name, each with its a.
POSITIONS = {"hazen": 1 / 2, "weibull": 0.0, "blom": 3 / 8}

# y is computed in whole numbers where a is a fraction over no more than this.
_LARGEST_DENOMINATOR = 1024


def position_of(position: float | str | None) -> float | None:
    """Return a of a position, None if there is none, and NaN if it is not a position."""
    if position is None:
        return None
    a = POSITIONS.get(position) if isinstance(position, str) else finite_number(position)
    return a if a is not None and 0 <= a <= 1 else math.nan


def is_fraction(a: float | None) -> bool:
    """Tell whether y is a fraction of small whole numbers, as `fractions` returns it."""
    return a is None or a.as_integer_ratio()[1] <= _LARGEST_DENOMINATOR


def fractions(
    counted: IntArray, n: IntArray, a: float | None, whole: int
) -> tuple[IntArray, IntArray]:
    """Return the positions of counts as numerators and denominators, for an `is_fraction` a.

    `counted` (..., m) are the counts c times `whole`, 1 or 2, out of n (..., 1) scores. A
    position below 0 is 0, and above 1 it is 1; for a None it is c / n.
    """
    if a is None:
        return counted, whole * n
    p, q = a.as_integer_ratio()
    denominators = whole * (q * (n + 1) - 2 * p)
    return np.clip(q * counted - whole * p, 0, denominators), denominators


def heights(counted: IntArray, n: IntArray, a: float | None, whole: int) -> Array:
    """Return the positions of counts as `fractions`, divided, for any a from 0 to 1.

    What is no fraction of small whole numbers is computed by the operations of R's ppoints.
    """
    if a is None or is_fraction(a):
        numerators, denominators = fractions(counted, n, a, whole)
        return numerators / denominators
    return np.clip((counted / whole - a) / (n + 1 - 2 * a), 0.0, 1.0)
