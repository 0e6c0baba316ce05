"""Counting scores of sorted samples, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray


def count_at_most(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s <= x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, np.less_equal)


def count_below(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s < x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, np.less)


def _count(sample: Array, x: Array, precedes: Callable[[Array, Array], BoolArray]) -> IntArray:
    """Binary search in all rows in step, as NumPy's searchsorted takes one row only."""
    # Rows padded to a power of two with NaN, which precedes nothing, need no bounds checks.
    width = 1 << sample.shape[-1].bit_length()
    rows = np.full((*sample.shape[:-1], width), np.nan)
    rows[..., : sample.shape[-1]] = sample
    before = np.arange(rows.size // width).reshape((*sample.shape[:-1], 1)) * width - 1
    last = np.empty(x.shape, dtype=np.int64)  # the last score known to precede x
    last[...] = before
    step = width // 2
    while step:
        last += precedes(rows.take(last + step), x) * step
        step //= 2
    counts: IntArray = last - before
    return counts


def quantile_type_7(sample: Array, n: IntArray, p: float) -> Array:
    """R's default quantile, Hyndman and Fan's type 7, of sorted rows; shape (..., 1)."""
    index = 1.0 + (n - 1) * p  # counts from 1, as in R, so that h is rounded as in R
    low = np.floor(index)
    at_low = np.take_along_axis(sample, low.astype(np.int64) - 1, axis=-1)
    at_high = np.take_along_axis(sample, np.ceil(index).astype(np.int64) - 1, axis=-1)
    h = index - low
    between = (1.0 - h) * at_low + h * at_high
    return np.where((h > 0) & (at_high != at_low), between, at_low)
