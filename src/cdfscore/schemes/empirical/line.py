"""Straight lines between the points of sorted samples, a batch of rows at a time."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray


def on_line(v: Array, x: Array, y: Array, right: IntArray, between: BoolArray) -> Array:
    """Interpolate at v between two neighbors among the points x, y, as R's ``approx`` does.

    `v`, `right` and `between` have shape (..., m), x and y (..., n). The line ends in the
    point number `right`, from 1 to n - 1, where `between` is True; elsewhere y is undefined.
    """
    right = np.where(between, right, 0)
    x0, y0 = (np.take_along_axis(values, right - 1, axis=-1) for values in (x, y))
    x1, y1 = (np.take_along_axis(values, right, axis=-1) for values in (x, y))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        part = (v - x0) / (x1 - x0)
        # A distance of more than the largest double is halved.
        part = np.where(np.isinf(x1 - x0), (v / 2 - x0 / 2) / (x1 / 2 - x0 / 2), part)
        return np.where(np.isinf(y1 - y0), (1 - part) * y0 + part * y1, y0 + (y1 - y0) * part)
