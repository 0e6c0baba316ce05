"""Pearson's r of many pairs of rows, including nearly constant ones."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.offset import without_offset
from cdfscore.numerics.types import Array

# A mean is rounded by up to eps / 2 of the largest value: by 4 eps of this part of it.
NEAR = 1 / 8


def pearson_r(x: Array, y: Array) -> Array:
    """Return r of each row of x with that of y, both (rows, n); NaN if either is constant or empty.

    The test `cdfscore.significance.pearson` has its own: it needs 1 - r^2 to the last digits
    where r is near 1.

    >>> pearson_r(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 3.0, 2.0]])).round(3)
    array([0.5])
    """
    if not x.shape[1]:
        return np.full(len(x), np.nan)
    constant = (x == x[:, :1]).all(axis=1) | (y == y[:, :1]).all(axis=1)
    u, v = (_residuals(values) for values in (x, y))
    squares = np.where(constant, 1, np.vecdot(u, u) * np.vecdot(v, v))
    return np.where(constant, np.nan, np.clip(np.vecdot(u, v) / np.sqrt(squares), -1, 1))


def _residuals(values: Array) -> Array:
    """Subtract the mean of each row; the largest residual is 1, so that no square is lost."""
    values = without_offset(values, NEAR)
    size = np.abs(values).max(axis=1, keepdims=True)
    scaled = values / np.where(size > 0, size, 1)
    residuals = scaled - scaled.mean(axis=1, keepdims=True)
    largest = np.abs(residuals).max(axis=1, keepdims=True)
    unit: Array = residuals / np.where(largest > 0, largest, 1)
    return unit
